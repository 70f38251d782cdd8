package tools

import (
	"fmt"
	"strings"
	"testing"

	"skills/catalog"
)

// TestParse has the entries of S4-32 and of table 3.11, and what stands between the lines.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		id, text string
		want     Entry
	}{
		{"S4-32 tool", "Read", Entry{"Read", Whole, "Read", ""}},
		{"S4-32 prefix", "Bash(git:*)", Entry{"Bash(git:*)", Prefix, "Bash", "git"}},
		{"S4-32 words", "Bash(git status:*)", Entry{"Bash(git status:*)", Prefix, "Bash", "git status"}},
		{"S4-32 mcp", "mcp__s__t", Entry{"mcp__s__t", Whole, "mcp__s__t", ""}},
		{"S4-32 star", "Bash(*)", Entry{"Bash(*)", Any, "Bash", ""}},
		{"S4-32 colon star", "Bash(:*)", Entry{"Bash(:*)", Any, "Bash", ""}},
		{"S4-32 exact", "Bash(git status)", Entry{"Bash(git status)", Exact, "Bash", "git status"}},
		{"S4-32 nothing inside", "Bash()", Entry{Text: "Bash()", Form: Malformed}},
		{"S4-32 no tool", "(x)", Entry{Text: "(x)", Form: Malformed}},
		{"S4-32 not closed", "Bash(git:*", Entry{Text: "Bash(git:*", Form: Malformed}},
		{"3.11-16 exact with a colon", "WebFetch(domain:example.com)", Entry{"WebFetch(domain:example.com)", Exact, "WebFetch", "domain:example.com"}},
		{"3.11-18 no tool", "(git:*)", Entry{Text: "(git:*)", Form: Malformed}},
		{"3.11-18 more behind", "Bash(git:*)x", Entry{Text: "Bash(git:*)x", Form: Malformed}},
		{"3.11-18 empty", "", Entry{Form: Malformed}},
		{"3.11-19 pairs inside", "Bash(echo (a):*)", Entry{"Bash(echo (a):*)", Prefix, "Bash", "echo (a)"}},
		{"3.11-20 trimmed", " Read ", Entry{"Read", Whole, "Read", ""}},
		{"blank only", " \t\n", Entry{Form: Malformed}},
		{"blank inside", "Bash( )", Entry{Text: "Bash( )", Form: Malformed}},
		{"blank before the parentheses", "Bash (git:*)", Entry{Text: "Bash (git:*)", Form: Malformed}},
		{"closed only", "Read)", Entry{Text: "Read)", Form: Malformed}},
		{"closed before the end", "Bash(a) (b)", Entry{Text: "Bash(a) (b)", Form: Malformed}},
		{"one too many", "Bash(a))", Entry{Text: "Bash(a))", Form: Malformed}},
		{"one too few", "Bash(a(b)", Entry{Text: "Bash(a(b)", Form: Malformed}},
		{"blanks stay", "Bash( git :*)", Entry{"Bash( git :*)", Prefix, "Bash", " git "}},
		{"star inside", "Bash(npm *)", Entry{"Bash(npm *)", Exact, "Bash", "npm *"}},
		{"star and colon star", "Bash(*:*)", Entry{"Bash(*:*)", Prefix, "Bash", "*"}},
	} {
		t.Run(c.id, func(t *testing.T) {
			got, findings := Parse(c.text)
			if got != c.want {
				t.Errorf("Parse(%q) = %+v, want %+v", c.text, got, c.want)
			}
			if malformed := c.want.Form == Malformed; (len(findings) == 1) != malformed || len(findings) > 1 {
				t.Fatalf("findings are %v", findings)
			}
			for _, f := range findings {
				if f.Code != "tool_format" || f.Severity != catalog.SeverityWarning || !strings.Contains(f.Message, fmt.Sprintf("%q", strings.TrimSpace(c.text))) {
					t.Errorf("finding is %+v", f)
				}
			}
		})
	}
}

// TestMatches has the calls of S4-33 and of table 3.11, by the letter and strictly.
func TestMatches(t *testing.T) {
	type input = map[string]any
	for _, c := range []struct {
		id, entry      string
		call           Call
		letter, strict bool
	}{
		{"S4-33 tool", "Read", Call{"Read", input{}}, true, true},
		{"S4-33 case", "Read", Call{"read", input{}}, false, false},
		{"S4-33 3.11-4 prefix", "Bash(git:*)", Call{"Bash", input{"command": "git log"}}, true, true},
		{"S4-33 other", "Bash(git:*)", Call{"Bash", input{"command": "ls"}}, false, false},
		{"S4-33 no text", "Bash(git:*)", Call{"Bash", input{"timeout": 5}}, false, false},
		{"S4-33 any text", "Bash(git:*)", Call{"Bash", input{"description": "git x", "command": "rm"}}, true, false},
		{"S4-33 blank before", "Bash(git:*)", Call{"Bash", input{"command": " git"}}, false, false},
		{"S4-33 word", "Bash(git:*)", Call{"Bash", input{"command": "gitleaks"}}, true, false},
		{"3.11-1", "Read", Call{"Read", nil}, true, true},
		{"3.11-2", "Read", Call{"Read", input{"path": "x"}}, true, true},
		{"3.11-3", "Read", Call{"ReadFile", input{}}, false, false},
		{"3.11-7", "Bash(git:*)", Call{"Bash", input{"command": "git log; rm -rf /"}}, true, false},
		{"3.11-8", "Bash(git:*)", Call{"Bash", input{"cwd": "git-repo", "command": "rm"}}, true, false},
		{"3.11-9", "Bash(git:*)", Call{"Bash", input{"n": 1, "b": true, "o": input{"command": "git"}}}, false, false},
		{"3.11-10", "Bash(git:*)", Call{"Bash", input{"args": []any{"git"}}}, false, false},
		{"3.11-11", "Bash(git:*)", Call{"Shell", input{"command": "git log"}}, false, false},
		{"3.11-12", "Bash(git status:*)", Call{"Bash", input{"command": "git status -s"}}, true, true},
		{"3.11-13 star", "Bash(*)", Call{"Bash", input{"command": ""}}, true, true},
		{"3.11-13 colon star", "Bash(:*)", Call{"Bash", input{"command": ""}}, true, true},
		{"3.11-14", "Bash(*)", Call{"Bash", input{"n": 1}}, false, true},
		{"3.11-15 same", "Bash(git status)", Call{"Bash", input{"command": "git status"}}, true, true},
		{"3.11-15 longer", "Bash(git status)", Call{"Bash", input{"command": "git status -s"}}, false, false},
		{"3.11-16", "WebFetch(domain:example.com)", Call{"WebFetch", input{"url": "https://example.com"}}, false, false},
		{"3.11-17", "mcp__gh__list", Call{"mcp__gh__list", input{}}, true, true},
		{"3.11-18 nothing inside", "Bash()", Call{"Bash", input{"command": ""}}, false, false},
		{"3.11-18 no tool", "(git:*)", Call{"", input{"command": "git"}}, false, false},
		{"3.11-18 not closed", "Bash(git:*", Call{"Bash", input{"command": "git"}}, false, false},
		{"3.11-18 more behind", "Bash(git:*)x", Call{"Bash", input{"command": "git"}}, false, false},
		{"3.11-18 empty", "", Call{"", input{"command": "git"}}, false, false},
		{"3.11-19", "Bash(echo (a):*)", Call{"Bash", input{"command": "echo (a) b"}}, true, true},
		{"3.11-20", " Read ", Call{"Read", input{}}, true, true},
		{"the word alone", "Bash(git:*)", Call{"Bash", input{"command": "git"}}, true, true},
		{"a tab ends a word", "Bash(git:*)", Call{"Bash", input{"command": "git\tlog"}}, true, true},
		{"a prefix that ends in a blank", "Bash(git :*)", Call{"Bash", input{"command": "git log"}}, true, true},
		{"a path goes on", "Bash(./scripts/:*)", Call{"Bash", input{"command": "./scripts/../../bin/rm"}}, true, false},
		{"what the author wrote may hold operators", "Bash(git log | head:*)", Call{"Bash", input{"command": "git log | head -3"}}, true, true},
		{"quotes do not help", "Bash(git:*)", Call{"Bash", input{"command": `git commit -m "a; b"`}}, true, false},
		{"two fields of a command", "Bash(git:*)", Call{"Bash", input{"command": "git log", "cmd": "rm"}}, true, false},
		{"another name of the field", "shell(git:*)", Call{"shell", input{"cmd": "git log"}}, true, true},
		{"a command that is no text", "Bash(git:*)", Call{"Bash", input{"command": []any{"git"}, "note": "git"}}, true, false},
		{"no field of a command", "Read(a.md)", Call{"Read", input{"path": "a.md"}}, true, false},
		{"exact in another field", "Bash(ls)", Call{"Bash", input{"command": "rm", "description": "ls"}}, true, false},
	} {
		t.Run(c.id, func(t *testing.T) {
			entry, _ := Parse(c.entry)
			if got := entry.Matches(c.call, Rules{Letter: true}); got != c.letter {
				t.Errorf("by the letter %v", got)
			}
			if got := entry.Matches(c.call, Rules{}); got != c.strict {
				t.Errorf("strictly %v", got)
			}
		})
	}
}

func TestStrictRefusesOperators(t *testing.T) {
	entry, _ := Parse("Bash(git:*)")
	for _, tail := range []string{
		"; rm", "& rm", "&& rm", "| sh", "|| rm", "> f", ">> f", "< f", "<(rm)", "$(rm)", "`rm`", "\nrm", "\rrm", "\x00", "\x1b[2J", "\u0085rm", "(rm)",
	} {
		if call := (Call{"Bash", map[string]any{"command": "git log " + tail}}); entry.Matches(call, Rules{}) {
			t.Errorf("%q passes", call.Input["command"])
		}
	}
}

// TestField lets a host say which field counts.
func TestField(t *testing.T) {
	rules := Rules{Field: func(tool string) string { return map[string]string{"Read": "file_path"}[tool] }}
	for _, c := range []struct {
		entry string
		call  Call
		want  bool
	}{
		{"Read(a.md)", Call{"Read", map[string]any{"file_path": "a.md"}}, true},
		{"Read(a.md)", Call{"Read", map[string]any{"file_path": "/etc/passwd", "command": "a.md"}}, false},
		{"Read(a.md)", Call{"Read", map[string]any{"command": "a.md"}}, false},
		{"Bash(git:*)", Call{"Bash", map[string]any{"command": "git log"}}, true},
	} {
		entry, _ := Parse(c.entry)
		if got := entry.Matches(c.call, rules); got != c.want {
			t.Errorf("%s matches %v: %v", c.entry, c.call, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"Read", "Bash(git:*)", "Bash(", "()", "a(b)c", " x (y)", "Bash(echo (a):*)", "é(*)", "\xff(\xfe)", strings.Repeat("(", 99)} {
		f.Add(seed, "git log")
	}
	f.Fuzz(func(t *testing.T, text, command string) {
		e, findings := Parse(text)
		if (e.Form == Malformed) != (len(findings) == 1) {
			t.Errorf("%+v with %v", e, findings)
		}
		if again, _ := Parse(e.Text); again != e {
			t.Errorf("%q is %+v, then %+v", text, e, again)
		}
		call := Call{Name: e.Tool, Input: map[string]any{"command": command}}
		if strict := e.Matches(call, Rules{}); strict && !e.Matches(call, Rules{Letter: true}) {
			t.Errorf("%q matches %q strictly, but not by the letter", text, command)
		}
		if e.Form == Malformed && e.Matches(call, Rules{Letter: true}) {
			t.Errorf("%q matches", text)
		}
	})
}

// TestParseIsLinear parses an entry of many parentheses: quadratic work would take minutes.
func TestParseIsLinear(t *testing.T) {
	const many = 1 << 21
	e, _ := Parse("Bash(" + strings.Repeat("(", many) + strings.Repeat(")", many) + ":*)")
	if e.Form != Prefix || len(e.Argument) != 2*many {
		t.Errorf("form %q with %d bytes", e.Form, len(e.Argument))
	}
}
