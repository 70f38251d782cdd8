package web_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"skills/fetch/internal/web"
)

// mirror serves example.com from loopback; the client is told where and whom to trust.
func mirror() (*web.Client, func()) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/SKILL.md" {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, "# PDF\n")
	}))
	client, err := web.New(web.Config{Hosts: map[string]web.Host{"example.com": {
		Connect: server.Listener.Addr().String(),
		CA:      pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	}}})
	if err != nil {
		panic(err)
	}
	return client, server.Close
}

func ExampleClient_Get() {
	client, stop := mirror()
	defer stop()
	resp, err := client.Get(context.Background(), "https://example.com/SKILL.md", web.Options{Limit: 800_000})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	fmt.Printf("%q %v\n", data, err)
	// Output: "# PDF\n" <nil>
}

func ExampleError() {
	client, stop := mirror()
	defer stop()
	_, _, err := client.ReadAll(context.Background(), "https://example.com/gone?token=secret", web.Options{Limit: 100})
	if e := (*web.Error)(nil); errors.As(err, &e) {
		fmt.Println(e.Kind, e.Status)
	}
	fmt.Println(err)
	// Output:
	// status 404
	// example.com answered 404 to GET /gone
}

func ExampleNew_guard() {
	client, err := web.New(web.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.Get(context.Background(), "https://169.254.169.254/latest", web.Options{})
	fmt.Println(err)
	// Output: 169.254.169.254 is not on the public network: its address is 169.254.169.254
}
