package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

// notFound is an error as the packages below the commands have them.
type notFound struct{ name string }

func (e *notFound) Error() string { return fmt.Sprintf("repository %q was not found", e.name) }
func (e *notFound) Code() string  { return "not_found" }
func (e *notFound) Hints() []string {
	return []string{"check the spelling", "a private one needs a token"}
}
func (e *notFound) Fields() map[string]any {
	return map[string]any{"host": "github.com", "status": 404}
}

func TestFailTellsTheErrorAndGivesTheStatus(t *testing.T) {
	missing := &notFound{"acme/skils"}
	for _, test := range []struct {
		name   string
		err    error
		status int
		text   string // on standard error
		json   string // on standard output with --json
	}{
		{"success", nil, 0, "", ""},
		{
			"a sentence", errors.New("disk is full"), 1, "skills: disk is full\n",
			`{"version":1,"error":{"code":"failed","message":"disk is full","hint":null,"fields":{}}}`,
		},
		{
			"code, hints and fields", missing, 1,
			"skills: repository \"acme/skils\" was not found\nhint: check the spelling\nhint: a private one needs a token\n",
			`{"version":1,"error":{"code":"not_found","message":"repository \"acme/skils\" was not found",` +
				`"hint":"check the spelling\na private one needs a token","fields":{"host":"github.com","status":404}}}`,
		},
		{
			"wrapped, the status from outside", &Error{Exit: Refused, Word: "policy", Message: "source is refused", Err: missing, Advice: []string{"ask the owner"}}, 4,
			"skills: source is refused\nhint: ask the owner\n",
			`{"version":1,"error":{"code":"policy","message":"source is refused","hint":"ask the owner","fields":{}}}`,
		},
		{
			"wrapped by fmt", fmt.Errorf("adding: %w", missing), 1,
			"skills: adding: repository \"acme/skils\" was not found\nhint: check the spelling\nhint: a private one needs a token\n",
			`{"version":1,"error":{"code":"not_found","message":"adding: repository \"acme/skils\" was not found",` +
				`"hint":"check the spelling\na private one needs a token","fields":{"host":"github.com","status":404}}}`,
		},
		{
			"usage", UsageError("flag %q is unknown", "--x"), 2, "skills: flag \"--x\" is unknown\nhint: see how it is used with: skills help COMMAND\n",
			`{"version":1,"error":{"code":"usage","message":"flag \"--x\" is unknown","hint":"see how it is used with: skills help COMMAND","fields":{}}}`,
		},
		{
			"a bare status says nothing in text", Different, 3, "",
			`{"version":1,"error":{"code":"different","message":"differences were found","hint":null,"fields":{}}}`,
		},
		{
			"interrupted", fmt.Errorf("fetch of %q: %w", "x", context.Canceled), 130, "skills: interrupted\n",
			`{"version":1,"error":{"code":"cancelled","message":"interrupted","hint":null,"fields":{}}}`,
		},
		{
			"cancelled inside of what has a status", &Error{Exit: Failed, Message: "quota is exhausted", Err: context.Canceled}, 1, "skills: quota is exhausted\n",
			`{"version":1,"error":{"code":"failed","message":"quota is exhausted","hint":null,"fields":{}}}`,
		},
		{
			"several", errors.Join(errors.New("one"), missing), 1,
			"skills: one\nskills: repository \"acme/skils\" was not found\nhint: check the spelling\nhint: a private one needs a token\n",
			`{"version":1,"error":{"code":"not_found","message":"one\nrepository \"acme/skils\" was not found",` +
				`"hint":"check the spelling\na private one needs a token","fields":{"host":"github.com","status":404}}}`,
		},
		{
			"several, of which one says more than that they failed", errors.Join(&Error{Message: "one"}, errors.Join(&Error{Message: "two", Exit: Refused})), 4, "skills: one\nskills: two\n",
			`{"version":1,"error":{"code":"failed","message":"one\ntwo","hint":null,"fields":{}}}`,
		},
		{
			"several in one sentence", fmt.Errorf("%w before %w", errors.New("one"), errors.New("two")), 1, "skills: one before two\n",
			`{"version":1,"error":{"code":"failed","message":"one before two","hint":null,"fields":{}}}`,
		},
		{
			"hostile text", errors.New("name \"\x1b[2J\u202e\nskills: done\""), 1, "skills: name \"\\x1b[2J\\u202e skills: done\"\n",
			`{"version":1,"error":{"code":"failed","message":"name \"\u001b[2J\u202e\nskills: done\"","hint":null,"fields":{}}}`,
		},
		{
			"an error cannot be success", OK, 1, "",
			`{"version":1,"error":{"code":"done","message":"done","hint":null,"fields":{}}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScreen("", nil)
			if status := s.Fail(test.err); status != test.status {
				t.Errorf("exit %d, want %d", status, test.status)
			}
			s.expect(t, "", test.text)
			s = newScreen("", func(c *Config) { c.JSON, c.Quiet = true, true })
			if status := s.Fail(test.err); status != test.status {
				t.Errorf("with --json exit %d, want %d", status, test.status)
			}
			sameJSON(t, s.out.String(), test.json)
			if s.err.Len() != 0 {
				t.Errorf("with --json standard error is %q", s.err.String())
			}
		})
	}
}

// sameJSON compares two documents without their white space; "" is no document.
func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	if want == "" {
		if got != "" {
			t.Errorf("document %s, want none", got)
		}
		return
	}
	var values [2]any
	for i, text := range []string{got, want} {
		if err := json.Unmarshal([]byte(text), &values[i]); err != nil {
			t.Fatalf("%q is no JSON: %v", text, err)
		}
	}
	a, _ := json.Marshal(values[0])
	b, _ := json.Marshal(values[1])
	if string(a) != string(b) {
		t.Errorf("document\n%s\nwant\n%s", a, b)
	}
}

func TestAnErrorAfterTheDocumentGoesToStandardError(t *testing.T) {
	s := newScreen("", func(c *Config) { c.JSON = true })
	if err := s.Document(map[string]int{"skills": 0}); err != nil {
		t.Fatal(err)
	}
	if status := s.Fail(errors.New("skill \"pdf\" was not added")); status != 1 {
		t.Errorf("exit %d", status)
	}
	s.expect(t, "{\n  \"version\": 1,\n  \"skills\": 0\n}\n", "skills: skill \"pdf\" was not added\n")
}

func TestFieldsThatAreNoJSONStillGiveAnError(t *testing.T) {
	s := newScreen("", func(c *Config) { c.JSON = true })
	status := s.Fail(&Error{Message: "it broke", Facts: map[string]any{"function": func() {}}})
	if status != 1 {
		t.Errorf("exit %d", status)
	}
	s.expect(t, "", "skills: it broke\n")
}

func TestErrorsAreColouredOnATerminal(t *testing.T) {
	s := newScreen("", onTerminal)
	s.Fail(&Error{Message: "it broke", Advice: []string{"mend it"}})
	s.expect(t, "", "\x1b[31mskills:\x1b[0m it broke\n\x1b[1mhint:\x1b[0m mend it\n")
}

func TestExitStatuses(t *testing.T) {
	for status, want := range map[Exit]struct {
		number int
		code   string
	}{
		OK: {0, "done"}, Failed: {1, "failed"}, Usage: {2, "usage"}, Different: {3, "different"},
		Refused: {4, "refused"}, Choose: {5, "multiple_candidates"}, Interrupted: {130, "cancelled"},
	} {
		if status.ExitStatus() != want.number || status.Code() != want.code || status.Error() == "" {
			t.Errorf("%d: status %d, code %q, %q", want.number, status.ExitStatus(), status.Code(), status.Error())
		}
	}
}
