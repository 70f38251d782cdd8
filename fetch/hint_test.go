package fetch

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"skills/fetch/internal/archive"
	"skills/fetch/internal/web"
	"skills/source"
)

// codes are all codes of an Error, as its file declares them.
func codes(t *testing.T) (all []Code) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "error.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if name, is := spec.Type.(*ast.Ident); is && name.Name == "Code" {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, Code(value))
		}
		return true
	})
	return all
}

// Every error says what to do next (cli.md), whoever made it, and each kind something of its own.
func TestNoErrorIsWithoutAHint(t *testing.T) {
	all, seen := codes(t), map[string]Code{}
	if len(all) < 18 {
		t.Fatalf("only %q", all)
	}
	for _, code := range all {
		for _, host := range []string{"", "h.example"} {
			e := &Error{Kind: code, Host: host}
			hints := e.Hints()
			if len(hints) != 1 || len(hints[0]) < 20 {
				t.Errorf("%s: hints %q", code, hints)
				continue
			}
			if other := seen[hints[0]]; other != "" && other != code && !strings.HasPrefix(string(code), "host_key") {
				t.Errorf("%s and %s have one hint: %q", code, other, hints[0])
			}
			seen[hints[0]] = code
		}
		if e := (&Error{Kind: code, Hint: "mine"}); e.Hints()[0] != "mine" {
			t.Errorf("%s: hints %q", code, e.Hints())
		}
		want := 1
		if code == Integrity || code == PrivateAddress || code == PathEscape {
			want = 4
		}
		if got := (&Error{Kind: code}).ExitStatus(); got != want {
			t.Errorf("%s: exit status %d, want %d", code, got, want)
		}
	}
}

func TestHintsFollowWhatHappened(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&web.Error{Kind: web.Timeout, Host: "h"}, "silent for so long"},
		{&web.Error{Kind: web.Timeout, Host: "h", Whole: true}, "time in [limits]"},
		{&archive.Error{Code: archive.Unsupported, Text: "is encrypted"}, "pack it anew"},
		{&archive.Error{Code: archive.PathEscape, Text: "leads out"}, "ask the author"},
		{&archive.Error{Code: archive.TooLarge, Text: "is large"}, "[limits]"},
		{&web.Error{Kind: web.Status, Host: "files.h", Owner: "h", Path: "/x.zip", Led: "o", Status: 403}, "credentials do not follow where o leads: give https://files.h/x.zip itself"},
		{&web.Error{Kind: web.Status, Host: "h", Owner: "h", Status: 502}, "the trouble is at h"},
	} {
		var e *Error
		if err := problem("h/o/r", "h", test.err); !errors.As(err, &e) || !strings.Contains(e.Hints()[0], test.want) {
			t.Errorf("%v: hints %q, want %q", test.err, e.Hints(), test.want)
		}
	}
}

// 403: the status is told, with who gave it, and the host whose credentials count.
func TestRefusalsNameStatusAndHost(t *testing.T) {
	for from, want := range map[string]string{
		"h": "h gives no access to h/o/r (it answered 403)", "files.h": "h gives no access to h/o/r (files.h answered 403)",
	} {
		var e *Error
		err := problem("h/o/r", "h", &web.Error{Kind: web.Status, Host: from, Owner: "h", Status: 403})
		if !errors.As(err, &e) || e.Message != want || e.Host != "h" || e.Status != 403 {
			t.Errorf("%+v, want %q", e, want)
		}
	}
}

func TestWhatStoodBehindTheQuestionMarkIsToldWhereItMayBeWhy(t *testing.T) {
	for _, test := range []struct {
		input  string
		kind   source.Kind
		status int
		want   bool
	}{
		{"https://h.example/a/pack.zip?sig=…", source.Archive, 403, true},
		{"https://h.example/a/pack.zip?sig=…", source.Site, 404, true},
		{"https://h.example/a/pack.zip?sig=…", source.Archive, 500, false},
		{"https://h.example/a/pack.zip?", source.Archive, 403, false},
		{"https://h.example/a/pack.zip", source.Archive, 403, false},
		{"https://h.example/o/r?tab=readme", source.Git, 404, false},
	} {
		err := error(&Error{Kind: Forbidden, Status: test.status, Hint: "other"})
		signed(source.Locator{Input: test.input, Kind: test.kind, URL: "https://h.example/a/pack.zip"}, &err)
		e := err.(*Error)
		if told := strings.HasSuffix(e.Hint, "give ./pack.zip"); told != test.want || e.Cut != test.want {
			t.Errorf("%s %d: %q, %v", test.input, test.status, e.Hint, e.Cut)
		}
	}
	err := errors.New("something else")
	signed(source.Locator{Input: "https://h.example/?x=y"}, &err)
	if err.Error() != "something else" {
		t.Error(err)
	}
}

// Settings that cannot be used are an error of whoever made them.
func TestWhatIsWrongWithSettingsIsToldAsItIs(t *testing.T) {
	wrong := errors.New("the file is gone")
	c, err := New(Config{Settings: map[string]HostSettings{"h.example": {Err: wrong}, "files.example:8443": {Err: wrong}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"https://h.example/x", "https://h.example:444/x", "https://files.example:8443/x"} {
		if _, _, err := c.get(t.Context(), address, web.Options{Limit: 1}); problem("x", "h.example", err) != wrong {
			t.Errorf("%s: %v", address, err)
		}
	}
}
