package fetchtest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"skills/fetch/fetchtest"
)

const page = "https://www.example.com/page.txt"

// text is the body of the page.
var text = strings.Repeat("0123456789", 1000)

func faulty(t *testing.T) *fetchtest.Forge {
	return fetchtest.New(t, "-- @site www.example.com --\n-- page.txt --\n"+text+"\n-- other.txt --\nother\n", acme)
}

// each runs a test with both versions of HTTP.
func each(t *testing.T, run func(t *testing.T, f *fetchtest.Forge, client *http.Client)) {
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			f := faulty(t)
			run(t, f, clients(t, f)[version])
		})
	}
}

func TestAnswerStandsInForTheTruth(t *testing.T) {
	each(t, func(t *testing.T, f *fetchtest.Forge, client *http.Client) {
		f.Fault(fetchtest.Fault{Host: "WWW.example.com", Times: 2, Do: fetchtest.Answer(429, "later", "Retry-After", "7", "X-Why", "test")})
		for range 2 {
			a := get(t, client, page)
			equal(t, "status", a.StatusCode, 429)
			equal(t, "body", a.body, "later")
			equal(t, "header", a.Header.Get("Retry-After")+a.Header.Get("X-Why"), "7test")
		}
		equal(t, "after two times", get(t, client, page).body, text+"\n")
		equal(t, "status in the log", f.Requests()[0].Status, 429)
	})
}

func TestFaultsHitWhatTheyName(t *testing.T) {
	f := faulty(t)
	refused := fetchtest.Answer(http.StatusTeapot, "")
	status := func(url string) int { return get(t, f.Client(), url).StatusCode }

	f.Fault(fetchtest.Fault{Path: "other", Do: refused})
	equal(t, "other path", status(page), 200)
	equal(t, "path", status("https://www.example.com/other.txt"), http.StatusTeapot)
	equal(t, "path, again and again", status("https://www.example.com/other.txt"), http.StatusTeapot)
	f.Heal()
	equal(t, "after healing", status("https://www.example.com/other.txt"), 200)

	f.Fault(fetchtest.Fault{Host: "github.com", Command: "fetch", Times: 1, Do: refused})
	equal(t, "other host", status(page), 200)
	equal(t, "other command", command(t, f, acmeURL, "command=ls-refs", "").StatusCode, 200)
	fetch := []string{"command=fetch", "", "want " + f.Repo("github.com/acme/skills").ID("main"), "done"}
	equal(t, "command", command(t, f, acmeURL, fetch...).StatusCode, http.StatusTeapot)
	equal(t, "command, the second time", command(t, f, acmeURL, fetch...).StatusCode, 200)

	f.Fault(fetchtest.Fault{Times: 1, Do: fetchtest.Answer(500, "")})
	f.Fault(fetchtest.Fault{Times: 1, Do: fetchtest.Answer(503, "")})
	equal(t, "the oldest first", [3]int{status(page), status(page), status(page)}, [3]int{500, 503, 200})
}

func TestCutBreaksTheBodyOff(t *testing.T) {
	each(t, func(t *testing.T, f *fetchtest.Forge, client *http.Client) {
		for _, after := range []int64{0, 1, 5000} {
			f.Fault(fetchtest.Fault{Times: 1, Do: fetchtest.Cut(after)})
			a := get(t, client, page)
			equal(t, "body", a.body, text[:after])
			if a.err == nil {
				t.Errorf("cut after %d: the body looks whole", after)
			}
			log := f.Requests()
			equal(t, "bytes in the log", log[len(log)-1].Down, after)
		}
		f.Fault(fetchtest.Fault{Path: "acme", Times: 1, Do: fetchtest.Cut(100)})
		a := get(t, client, "https://codeload.github.com/acme/skills/tar.gz/main")
		equal(t, "archive", len(a.body), 100)
		equal(t, "archive looks whole", a.err == nil, false)
		equal(t, "the next one", get(t, client, page).body, text+"\n")
	})
}

func TestStallSendsNothingMoreAndEndsWithTheClient(t *testing.T) {
	each(t, func(t *testing.T, f *fetchtest.Forge, client *http.Client) {
		f.Fault(fetchtest.Fault{Times: 1, Do: fetchtest.Stall(100)})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		part := make([]byte, 100)
		if _, err := io.ReadFull(response.Body, part); err != nil {
			t.Fatal(err)
		}
		equal(t, "what came before", string(part), text[:100])
		cancel() // and Close, at the end of the test, waits for the handler
		if _, err := io.ReadAll(response.Body); !errors.Is(err, context.Canceled) {
			t.Errorf("after the client left: %v", err)
		}
	})
}

func TestStallWithoutABodyEndsWithTheClientOrTheForge(t *testing.T) {
	each(t, func(t *testing.T, f *fetchtest.Forge, client *http.Client) {
		f.Fault(fetchtest.Fault{Do: fetchtest.Stall(-1)})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Transport.RoundTrip(r); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a deadline: %v", err)
		}
		for _, r := range f.Requests() { // none where the machine is too slow to send one in time
			equal(t, "status in the log", r.Status, 0)
		}

		f.Heal()
		f.Fault(fetchtest.Fault{Do: fetchtest.Stall(0)})
		response, err := client.Get(page)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		f.Close()
		if rest, err := io.ReadAll(response.Body); err == nil || len(rest) > 0 {
			t.Errorf("at the end of the forge: %q, %v", rest, err)
		}
	})
}

func TestStallAfterAShortBodyKeepsItOpen(t *testing.T) {
	f := faulty(t)
	f.Fault(fetchtest.Fault{Path: "archive", Do: fetchtest.Stall(1 << 20)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, acmeURL+"/archive/main.tar.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := f.Client().Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := io.ReadAll(response.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("the body ended: %v", err)
	}
}

func TestSlowTakesItsTime(t *testing.T) {
	each(t, func(t *testing.T, f *fetchtest.Forge, client *http.Client) {
		f.Fault(fetchtest.Fault{Do: fetchtest.Slow(100_000)})
		begin := time.Now()
		equal(t, "body", get(t, client, page).body, text+"\n")
		if took := time.Since(begin); took < 100*time.Millisecond { // 10,001 bytes in two pieces, a tenth of a second each
			t.Errorf("it took %v", took)
		}
		f.Heal()
		f.Fault(fetchtest.Fault{Do: fetchtest.Slow(1)})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Transport.RoundTrip(r)
		if err == nil {
			defer response.Body.Close()
			_, err = io.ReadAll(response.Body)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one byte a second: %v", err)
		}
	})
}

func TestLengthLies(t *testing.T) {
	each(t, func(t *testing.T, f *fetchtest.Forge, client *http.Client) {
		f.Fault(fetchtest.Fault{Path: "page", Times: 1, Do: fetchtest.Length(20_000)})
		a := get(t, client, page)
		equal(t, "announced", a.ContentLength, 20_000)
		equal(t, "longer than the body", errors.Is(a.err, io.ErrUnexpectedEOF), true)

		f.Fault(fetchtest.Fault{Path: "page", Times: 1, Do: fetchtest.Length(10)})
		a = get(t, client, page)
		equal(t, "shorter than the body", a.body, text[:10])
		equal(t, "error", a.err, nil)
	})
}

func TestFaultsAsText(t *testing.T) {
	f := faulty(t)
	f.Add(`
-- @fault www.example.com path=page times=1 status=503 retry-after=2 type=text/html --
<p>Busy</p>
-- @fault * path=page times=1 cut=10 --
-- @fault * path=page times=1 length=5 --
-- @fault * command=fetch times=1 stall=-1 --
-- @fault * path=page times=1 slow=1000000 --
`)
	a := get(t, f.Client(), page)
	equal(t, "status", a.StatusCode, 503)
	equal(t, "header", a.Header.Get("Retry-After")+a.Header.Get("Content-Type"), "2text/html")
	equal(t, "body", a.body, "<p>Busy</p>\n")
	a = get(t, f.Client(), page)
	equal(t, "cut", len(a.body), 10)
	equal(t, "length", get(t, f.Client(), page).body, text[:5])
	begin := time.Now()
	equal(t, "slow", len(get(t, f.Client(), page).body), len(text)+1)
	equal(t, "in the end", get(t, f.Client(), page).body, text+"\n")
	if took := time.Since(begin); took < 10*time.Millisecond {
		t.Errorf("slow took %v", took)
	}
}
