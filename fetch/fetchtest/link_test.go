package fetchtest_test

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"skills/fetch/fetchtest"
)

// Only lower bounds are asserted: a slow machine adds time and takes none away.
func atLeast(t *testing.T, what string, took, bound time.Duration) {
	t.Helper()
	if took < bound {
		t.Errorf("%s took %v, want %v at least", what, took, bound)
	}
}

func TestLinkCostsRoundTrips(t *testing.T) {
	const rtt = 20 * time.Millisecond
	f, _ := start(t, fetchtest.Config{Link: fetchtest.Link{RTT: rtt}})
	f.Add("-- @site www.example.com --\n-- a.txt --\nhello\n")
	for version, client := range clients(t, f) {
		begin := time.Now()
		equal(t, version, get(t, client, "https://www.example.com/a.txt").body, "hello\n")
		atLeast(t, version+", first request: TCP, TLS, itself", time.Since(begin), 3*rtt)
		begin = time.Now()
		equal(t, version, get(t, client, "https://www.example.com/a.txt").body, "hello\n")
		atLeast(t, version+", second request", time.Since(begin), rtt)
	}
	equal(t, "connections", f.Counts("").Connections, 2)
}

func TestLinkSharesItsBandwidth(t *testing.T) {
	const size, bits = 500_000, 80_000_000 // 50 ms each
	f, _ := start(t, fetchtest.Config{Link: fetchtest.Link{BitsPerSecond: bits}})
	f.AddSite("www.example.com", fstest.MapFS{"big": {Data: make([]byte, size)}})
	begin := time.Now()
	var group sync.WaitGroup
	for _, client := range clients(t, f) {
		group.Go(func() { equal(t, "size", len(get(t, client, "https://www.example.com/big").body), size) })
	}
	group.Wait()
	atLeast(t, "two bodies", time.Since(begin), 2*size*8*time.Second/bits)
}

func TestLinkEndsStalledRequestsOfClientsThatLeave(t *testing.T) {
	f, _ := start(t, fetchtest.Config{Link: fetchtest.Link{RTT: 2 * time.Millisecond, BitsPerSecond: 1_000_000_000}})
	f.AddSite("www.example.com", fstest.MapFS{"big": {Data: make([]byte, 10<<20)}})
	for _, client := range clients(t, f) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://www.example.com/big", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(response.Body, make([]byte, 1000)); err != nil {
			t.Error(err)
		}
		response.Body.Close()
	}
	if err := f.Close(); err != nil { // it waits for the handlers
		t.Error(err)
	}
}

func TestLinkCarriesGit(t *testing.T) {
	f, _ := start(t, fetchtest.Config{Link: fetchtest.Link{RTT: time.Millisecond, BitsPerSecond: 100_000_000}})
	f.Add(acme)
	dir := clone(t, f, acmeURL)
	git(t, f, dir, "fsck", "--strict")
}
