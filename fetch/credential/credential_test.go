package credential

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// gives is a source that has a credential, or fails.
func gives(password string, err error) Source {
	return func(context.Context, Request) (Credential, error) {
		if password == "" {
			return Credential{}, err
		}
		return Credential{User: "u", Password: password, From: "a test"}, err
	}
}

func TestFirstTakesTheFirstThatHasOne(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		sources []Source
		want    string
		err     bool
	}{
		"none":                             {nil, "", false},
		"nobody has one":                   {[]Source{gives("", nil), gives("", nil)}, "", false},
		"the first":                        {[]Source{gives("a", nil), gives("b", nil)}, "a", false},
		"the second":                       {[]Source{gives("", nil), gives("b", nil)}, "b", false},
		"a failure before it is no matter": {[]Source{gives("", broken), gives("b", nil)}, "b", false},
		"a failure and nothing":            {[]Source{gives("", broken), gives("", nil)}, "", true},
		"no header can hold it":            {[]Source{gives("a\nX-Evil: 1", nil)}, "", true},
	} {
		found, err := First(test.sources...)(t.Context(), Request{Host: "h"})
		if found.Password != test.want || (err != nil) != test.err {
			t.Errorf("%s: got %q, %v", name, found.Password, err)
		}
		if err != nil && strings.Contains(err.Error(), "Evil") {
			t.Errorf("%s: the error shows the secret: %v", name, err)
		}
	}
}

func TestFirstEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := First(gives("a", nil))(ctx, Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestOnceAsksOnceForAHostBeforeAndAfterItRefused(t *testing.T) {
	var asked atomic.Int32
	find := Once(func(_ context.Context, r Request) (Credential, error) {
		asked.Add(1)
		return Credential{Password: fmt.Sprint(r.Host, r.Refused), From: "a test"}, nil
	})
	var all sync.WaitGroup
	for range 8 {
		for _, host := range []string{"a", "b"} {
			for _, refused := range []bool{false, true} {
				all.Go(func() {
					found, err := find(context.Background(), Request{Host: host, Refused: refused, Path: "whatever"})
					if want := fmt.Sprint(host, refused); err != nil || found.Password != want {
						t.Errorf("%s: got %q, %v", want, found.Password, err)
					}
				})
			}
		}
	}
	all.Wait()
	if asked.Load() != 4 {
		t.Errorf("asked %d times, want 4", asked.Load())
	}
}

func TestOnceForgetsWhatWasCutOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	find := Once(func(ctx context.Context, _ Request) (Credential, error) {
		if ctx.Err() != nil {
			return Credential{}, ctx.Err()
		}
		return Credential{Password: "p"}, nil
	})
	cancel()
	if _, err := find(ctx, Request{Host: "h"}); err == nil {
		t.Error("no error")
	}
	if found, err := find(t.Context(), Request{Host: "h"}); err != nil || found.Password != "p" {
		t.Errorf("got %v, %v", found, err)
	}
}

// A program may take seconds; who has given up does not wait for it.
func TestAContextEndsTheWaitForAnAnswerThatAnotherOneAskedFor(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	find := Once(func(context.Context, Request) (Credential, error) {
		close(asked)
		<-answer
		return Credential{Password: "p"}, nil
	})
	found := make(chan Credential)
	go func() {
		c, err := find(context.Background(), Request{Host: "h"})
		if err != nil {
			t.Error(err)
		}
		found <- c
	}()
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := find(ctx, Request{Host: "h"})
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	close(answer)
	if c := <-found; c.Password != "p" {
		t.Errorf("got %v", c)
	}
}

func TestNoWayOfPrintingShowsASecret(t *testing.T) {
	c := Credential{User: "someone", Password: "hunter2", Token: true, From: "GITHUB_TOKEN"}
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	slog.New(slog.NewTextHandler(&logged, nil)).Info("found", "credential", c)
	texts := []string{string(encoded), logged.String(), c.String()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		texts = append(texts, fmt.Sprintf(verb, c), fmt.Sprintf(verb, &c), fmt.Sprintf(verb, []Credential{c}))
	}
	for _, text := range texts {
		if strings.Contains(text, "hunter2") {
			t.Errorf("the secret is in %q", text)
		}
	}
	if got := c.String(); got != "the credential from GITHUB_TOKEN" || (Credential{}).String() != "no credential" {
		t.Errorf("says %q", got)
	}
}

func TestNetrcIsReadWhenTheHostRefused(t *testing.T) {
	reads := 0
	find := Netrc("~/.netrc", func() ([]byte, error) {
		reads++
		return []byte("machine git.corp.example login me password secret\ndefault login x password everybody\n"), nil
	})
	for _, test := range []struct {
		r    Request
		want string
	}{
		{Request{Host: "git.corp.example"}, ""},
		{Request{Host: "git.corp.example", Refused: true}, "secret"},
		{Request{Host: "git.corp.example:8443", Refused: true}, "secret"},
		{Request{Host: "GIT.corp.example", Refused: true}, "secret"},
		{Request{Host: "corp.example", Refused: true}, ""},
		{Request{Host: "git.corp.example.evil.example", Refused: true}, ""},
		{Request{Host: "other.example", Refused: true}, ""}, // the default is nobody's
	} {
		found, err := find(t.Context(), test.r)
		if err != nil || found.Password != test.want || !found.IsZero() && (found.User != "me" || found.From != "~/.netrc" || found.Token) {
			t.Errorf("%+v: %q, %v", test.r, found.Password, err)
		}
	}
	if reads != 6 {
		t.Errorf("read %d times", reads)
	}
}

func TestNetrcThatCannotBeReadIsAnErrorButNotOneThatIsMissing(t *testing.T) {
	for _, test := range []struct {
		text string
		read error
		want string // "" for no error
	}{
		{"", fs.ErrNotExist, ""},
		{"", fs.ErrPermission, "permission"},
		{"login x password hunter2\n", nil, `"~/.netrc", line 1: it does not begin with a machine`},
		{"machine h\nlogin me password hunter two\n", nil, `"~/.netrc", line 2: a word that is no keyword`},
		{"machine h login me password", nil, `line 1: nothing comes after "password"`},
		{"machine h password \"hunter2\n\n", nil, "nothing comes after"},
	} {
		_, err := Netrc("~/.netrc", func() ([]byte, error) { return []byte(test.text), test.read })(t.Context(), Request{Host: "h", Refused: true})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.text, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter") {
			t.Errorf("the secret is in %q", err)
		}
	}
}
