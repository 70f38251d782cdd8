package fetchtest

import (
	"net"
	"net/http"
	"time"
)

type quota struct {
	limit, remaining int
	reset            time.Time
}

func (f *Forge) serveAPI(x *exchange, r *http.Request)     { http.NotFound(x, r) }
func (f *Forge) serveArchive(x *exchange, r *http.Request) { http.NotFound(x, r) }
func (f *Forge) serveRaw(x *exchange, r *http.Request)     { http.NotFound(x, r) }

// Fault comes with the next commit.
type Fault struct{ Host string }
// Link comes with the next commit.
type Link struct{}

func (l Link) listen(n net.Listener) (net.Listener, error) { return n, nil }
