package delegate

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestChoose has the table of S4-23. A cell of "any" stands for both values.
func TestChoose(t *testing.T) {
	const yes, no, any = "yes", "no", "any"
	for _, row := range []struct {
		id, selector, all, found string
		prefer                   string // preferSkillsCli: "yes" is unset or true
		want                     Engine
	}{
		{"S4-23-1", yes, no, yes, yes, Skills},
		{"S4-23-2", yes, no, yes, no, Native},
		{"S4-23-3", yes, no, no, any, Native},
		{"S4-23-4 S4-26 3.9-28", no, no, any, any, Native},
		{"S4-23-5", any, yes, any, any, Native},
	} {
		t.Run(row.id, func(t *testing.T) {
			count := 0
			for bits := range 16 {
				bit := func(i int) bool { return bits>>i&1 == 1 }
				fits := func(cell string, value bool) bool { return cell == any || (cell == yes) == value }
				named, all, found, prefer := bit(0), bit(1), bit(2), bit(3)
				if !fits(row.selector, named) || !fits(row.all, all) || !fits(row.found, found) || !fits(row.prefer, prefer) {
					continue
				}
				count++
				got, reason := Choose(Facts{Named: named, All: all, Found: found, Avoids: !prefer})
				if got != row.want || (reason == "") != (got == Skills) {
					t.Errorf("named %v, all %v, found %v, prefer %v: %s (%s)", named, all, found, prefer, got, reason)
				}
			}
			if count == 0 {
				t.Error("the row means nothing")
			}
		})
	}
}

// TestArguments is about S4-26: always add, the source, --skill NAME and -y.
func TestArguments(t *testing.T) {
	for _, c := range []struct {
		id      string
		request Request
		want    string // words, parted by "|"
	}{
		{"S4-26", Request{Source: "acme/kit", Skills: []string{"pdf"}}, "add|acme/kit|--skill|pdf|-y"},
		{"S4-26 several", Request{Source: "acme/kit", Skills: []string{"pdf", "My Notes"}}, "add|acme/kit|--skill|pdf|--skill|My Notes|-y"},
		{"S4-26 agents", Request{Source: "https://github.com/acme/kit/tree/v1/skills", Skills: []string{"pdf"}, Agents: []string{"claude-code", "*"}},
			"add|https://github.com/acme/kit/tree/v1/skills|--skill|pdf|--agent|claude-code|--agent|*|-y"},
		{"S4-26 global, copies", Request{Source: "./kit", Skills: []string{"pdf"}, Global: true, Copy: true}, "add|./kit|--skill|pdf|--global|--copy|-y"},
	} {
		t.Run(c.id, func(t *testing.T) {
			got, err := c.request.Arguments()
			if err != nil || strings.Join(got, "|") != c.want {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	kit := func(skills ...string) Request { return Request{Source: "acme/kit", Skills: skills} }
	for id, request := range map[string]Request{
		"S4-26 no name":      kit(),
		"S4-26 empty name":   kit("pdf", ""),
		"S4-26 everything":   kit("*"),
		"a pattern":          kit("pd?"),
		"a path":             kit("skills/pdf"),
		"a flag for a name":  kit("--all"),
		"a line":             kit("pdf\n--all"),
		"no source":          {Skills: []string{"pdf"}},
		"a flag for source":  {Source: "--all", Skills: []string{"pdf"}},
		"a flag for agent":   {Source: "acme/kit", Skills: []string{"pdf"}, Agents: []string{"-g"}},
		"a nameless agent":   {Source: "acme/kit", Skills: []string{"pdf"}, Agents: []string{" "}},
		"NUL in the address": {Source: "acme/kit\x00", Skills: []string{"pdf"}},
	} {
		t.Run(id, func(t *testing.T) {
			words, err := request.Arguments()
			var refused *Error
			if !errors.As(err, &refused) || refused.Code() != "invalid_input" || refused.ExitStatus() != 2 || len(refused.Hints()) == 0 || words != nil {
				t.Errorf("%q, %v", words, err)
			}
		})
	}
}

// TestBatchFiles: what the interpreter of Windows would not read as text does not reach it.
func TestBatchFiles(t *testing.T) {
	for _, c := range []struct {
		program, word string
		refused       bool
	}{
		{`C:\npm\skills.cmd`, "acme/kit", false},
		{`C:\npm\skills.CMD`, "a&calc", true},
		{`C:\npm\skills.bat`, "%PATH%", true},
		{`C:\npm\skills.cmd`, `"`, true},
		{`C:\npm\skills.exe`, "a&b", false},
		{"/usr/bin/skills", "a&b", false},
	} {
		err := checkBatch(c.program, []string{"add", c.word})
		var refused *Error
		if (err != nil) != c.refused || err != nil && (!errors.As(err, &refused) || refused.Kind != "unsupported" || refused.ExitStatus() != 1) {
			t.Errorf("%s with %s: %v", c.program, c.word, err)
		}
	}
}

func TestRefuse(t *testing.T) {
	for _, c := range []struct {
		environment []string
		refused     bool
	}{
		{nil, false}, {[]string{"A=1", Guard + "="}, false}, {[]string{Guard + "X=1"}, false}, {[]string{"A=1", Guard + "=1"}, true},
	} {
		err := Refuse(c.environment)
		var loop *Error
		if (err != nil) != c.refused || err != nil && (!errors.As(err, &loop) || loop.Kind != "delegate_loop") {
			t.Errorf("%q: %v", c.environment, err)
		}
		_, err = Tool{Program: "/x", Environment: c.environment}.Command(Request{Source: "a/b", Skills: []string{"c"}})
		if (err != nil) != c.refused {
			t.Errorf("%q: command with %v", c.environment, err)
		}
	}
}

func TestCommand(t *testing.T) {
	environment := []string{"HOME=/home/me"}
	command, err := Tool{Program: "/bin/skills", Dir: "/project", Environment: environment}.Command(Request{Source: "a/b", Skills: []string{"c"}})
	if err != nil || command.Program != "/bin/skills" || command.Dir != "/project" {
		t.Errorf("%+v, %v", command, err)
	}
	for _, variable := range []string{"HOME=/home/me", Guard + "=1", "NO_COLOR=1", "DISABLE_TELEMETRY=1"} {
		if !slices.Contains(command.Environment, variable) {
			t.Errorf("%s is not in %q", variable, command.Environment)
		}
	}
	if len(environment) != 1 {
		t.Error("the caller's environment changed")
	}
}
