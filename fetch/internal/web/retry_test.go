package web

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// answers serves the given statuses in turn, the last one for ever.
func answers(header http.Header, statuses ...int) http.HandlerFunc {
	served := 0
	return func(w http.ResponseWriter, r *http.Request) {
		status := statuses[min(served, len(statuses)-1)]
		served++
		if status != http.StatusOK {
			for name, values := range header {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, "answer %d", served)
	}
}

func TestRepetitions(t *testing.T) {
	far := fmt.Sprint(time.Date(2000, 1, 1, 2, 0, 0, 0, time.UTC).Unix()) // two hours after the clock's start
	for _, test := range []struct {
		name     string
		header   http.Header
		statuses []int
		requests int
		kind     Kind // "" for success
		waited   time.Duration
	}{
		{"server error passes", nil, []int{503, 500, 200}, 3, "", 375 * time.Millisecond},
		{"server error stays", nil, []int{503}, 4, Status, 875 * time.Millisecond},
		{"not implemented", nil, []int{501}, 1, Status, 0},
		{"not found", nil, []int{404}, 1, Status, 0},
		{"unauthorised", nil, []int{401}, 1, Status, 0},
		{"forbidden with quota left", http.Header{"X-Ratelimit-Remaining": {"12"}}, []int{403}, 1, Status, 0},
		{"quota used up", http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {far}}, []int{403, 200}, 1, RateLimited, 0},
		{"quota used up, reset unknown", http.Header{"X-Ratelimit-Remaining": {"0"}}, []int{403, 200}, 1, RateLimited, 0},
		{"secondary limit", http.Header{"Retry-After": {"20"}}, []int{403, 200}, 2, "", 20 * time.Second},
		{"asked to wait", http.Header{"Retry-After": {"30"}}, []int{429, 200}, 2, "", 30 * time.Second},
		{"asked to wait until", http.Header{"Retry-After": {"Sat, 01 Jan 2000 00:00:10 GMT"}}, []int{503, 200}, 2, "", 10 * time.Second},
		{"asked to wait too long", http.Header{"Retry-After": {"31"}}, []int{429, 200}, 1, RateLimited, 0},
		{"asked to wait too long by 503", http.Header{"Retry-After": {"3600"}}, []int{503, 200}, 1, Status, 0},
		{"too many requests, no wait named", nil, []int{429, 200}, 2, "", 125 * time.Millisecond},
		{"too many requests for ever", http.Header{"Retry-After": {"1"}}, []int{429}, 4, RateLimited, 3 * time.Second},
		{"seconds until reset", http.Header{"Ratelimit-Reset": {"5"}}, []int{429, 200}, 2, "", 5 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				n.host("a.example", answers(test.header, test.statuses...))
				start := time.Now()
				_, err := get(t, n.client(Config{}, "a.example"), "https://a.example/", Options{})
				if test.kind == "" && err != nil {
					t.Fatal(err)
				}
				if test.kind != "" {
					if e := wantKind(t, err, test.kind); e.Status != test.statuses[len(test.statuses)-1] && e.Status != test.statuses[0] {
						t.Errorf("the error has status %d", e.Status)
					}
				}
				if n.requests() != test.requests {
					t.Errorf("%d requests, want %d", n.requests(), test.requests)
				}
				// jitter takes at most a half of a wait that was not asked for, of which there are
				// less than two seconds in all
				if took := time.Since(start); took < test.waited || took > test.waited+2*time.Second {
					t.Errorf("took %v, want about %v", took, test.waited)
				}
			})
		})
	}
}

// 3.10/14.
func TestRateLimitSaysUntilWhen(t *testing.T) {
	until := time.Date(2000, 1, 1, 2, 0, 0, 0, time.UTC)
	for name, header := range map[string]http.Header{
		"reset":       {"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {fmt.Sprint(until.Unix())}},
		"retry after": {"Retry-After": {"7200"}},
		"date":        {"Retry-After": {until.Format(http.TimeFormat)}},
	} {
		inNetwork(t, func(t *testing.T, n *network) {
			n.host("a.example", answers(header, 403))
			_, err := get(t, n.client(Config{}, "a.example"), "https://a.example/", Options{})
			e := wantKind(t, err, RateLimited)
			if !e.Until.Equal(until) || !strings.Contains(e.Error(), "2000-01-01T02:00:00Z") {
				t.Errorf("%s: until %v: %v", name, e.Until, e)
			}
		})
	}
}

func TestPostIsRepeatedOnlyWhenItsCallerSaysSo(t *testing.T) {
	for _, test := range []struct {
		name       string
		repeatable bool
		body       io.Reader
		requests   int
		last       string
	}{
		{"unmarked", false, strings.NewReader("wants"), 1, "1 wants"},
		{"marked", true, strings.NewReader("wants"), 2, "2 wants"},
		{"marked but not replayable", true, io.MultiReader(strings.NewReader("wants")), 1, "1 wants"},
	} {
		t.Run(test.name, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				served := 0
				n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					if served++; served == 1 {
						w.WriteHeader(http.StatusBadGateway)
					}
					fmt.Fprintf(w, "%d %s", served, body)
					if r.ContentLength != 5 && test.requests == 2 {
						t.Errorf("repetition %d announces %d bytes", served, r.ContentLength)
					}
				})
				ctx := t.Context()
				if test.repeatable {
					ctx = Repeatable(ctx)
				}
				req, _ := http.NewRequestWithContext(ctx, "POST", "https://a.example/", test.body)
				resp, err := n.client(Config{}, "a.example").Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if data, _ := io.ReadAll(resp.Body); string(data) != test.last || n.requests() != test.requests {
					t.Errorf("got %q after %d requests", data, n.requests())
				}
			})
		})
	}
}

func TestBrokenConnectionIsTriedAgain(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		served := 0
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
			if served++; served < 3 {
				panic(http.ErrAbortHandler)
			}
			text("at last")(w, r)
		})
		if got, err := get(t, n.client(Config{}, "a.example"), "https://a.example/", Options{}); err != nil || got != "at last" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestUnreachableHostIsANetworkError(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.names["a.example"] = []string{"203.0.113.1"}
		_, err := get(t, n.client(Config{}), "https://a.example/", Options{})
		wantKind(t, err, Network)
		if len(n.dialled) != 4 {
			t.Errorf("dialled %d times, want 4", len(n.dialled))
		}
	})
}

// silent never answers.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// 3.10/11, and each stage before the body. The error tells a stage from the whole.
func TestTimeouts(t *testing.T) {
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		total   time.Duration
		took    time.Duration
	}{
		{"no headers", silent, 0, 60 * time.Second},
		{"no headers, and the whole is bounded", silent, 20 * time.Second, 20 * time.Second},
		{"body stops", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "some")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, 0, 30 * time.Second},
		{"a byte a second", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, "x")
				w.(http.Flusher).Flush()
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
				}
			}
		}, 0, 120 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				n.host("a.example", test.handler)
				start := time.Now()
				_, err := get(t, n.client(Config{Timeouts: Timeouts{Total: test.total}}, "a.example"), "https://a.example/", Options{})
				if e := wantKind(t, err, Timeout); e.Whole != (test.total != 0) {
					t.Errorf("the whole: %v", e.Whole)
				}
				if took := time.Since(start); took < test.took || took > test.took+2*time.Second {
					t.Errorf("took %v, want %v", took, test.took)
				}
			})
		})
	}
}

func TestASlowReaderIsNotASlowServer(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				io.WriteString(w, strings.Repeat("x", 1000))
				w.(http.Flusher).Flush()
			}
		})
		resp, err := n.client(Config{}, "a.example").Get(t.Context(), "https://a.example/", Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		read := 0
		for buffer := make([]byte, 1000); err == nil; {
			var n int
			<-time.After(time.Hour)
			n, err = resp.Body.Read(buffer)
			read += n
		}
		if err != io.EOF || read != 10000 {
			t.Errorf("read %d bytes, %v", read, err)
		}
	})
}
