package catalog

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAllowedToolsAreSplitOutsideParentheses(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat("Read, ", 1000), ", ")
	for _, c := range []struct {
		front    string
		want     []string
		declared bool
		codes    string
	}{
		{"allowed-tools: Read Grep Glob", []string{"Read", "Grep", "Glob"}, true, ""},
		{"allowed-tools: Read, Grep,Glob", []string{"Read", "Grep", "Glob"}, true, ""},
		{"allowed-tools: Read,,Grep,", []string{"Read", "Grep"}, true, ""},
		{"allowed-tools: [Read, Grep]", []string{"Read", "Grep"}, true, ""},
		{"allowed-tools:\n  - Read\n  - \" Grep \"", []string{"Read", "Grep"}, true, ""},
		{"allowed-tools:\n- Read\n- Bash(git:*)", []string{"Read", "Bash(git:*)"}, true, ""},
		{`allowed-tools: ["Read, Grep"]`, []string{"Read, Grep"}, true, "tool_item_has_separator"},
		{"allowed-tools: [Bash(a, b), Read]", []string{"Bash(a, b)", "Read"}, true, "unbalanced"},
		{"allowed-tools: Bash(a, b) Read", []string{"Bash(a, b)", "Read"}, true, ""},
		{"allowed-tools: Bash(git add:*),Bash(git commit:*)", []string{"Bash(git add:*)", "Bash(git commit:*)"}, true, ""},
		{"allowed-tools: Bash(git status:*) Read, Grep", []string{"Bash(git status:*)", "Read", "Grep"}, true, ""},
		{"allowed-tools: Read Bash(git add:*) Bash(sed -n 1,5p *)", []string{"Read", "Bash(git add:*)", "Bash(sed -n 1,5p *)"}, true, ""},
		{"allowed-tools: Bash(git:* Read", []string{"Bash(git:* Read"}, true, "unbalanced"},
		{"allowed-tools: Read) Grep", []string{"Read)", "Grep"}, true, "unbalanced"},
		{"allowed-tools: Bash (git:*)", []string{"Bash", "(git:*)"}, true, "stray_parens"},
		{"allowed-tools: Bash(a)b Read", []string{"Bash(a)b", "Read"}, true, "tool_format"},
		{"allowed-tools: mcp__srv__tool WebFetch(domain:example.com)", []string{"mcp__srv__tool", "WebFetch(domain:example.com)"}, true, ""},
		{"allowed-tools: >\n  Read\n  Bash(a\n  b)\n  Grep", []string{"Read", "Bash(a b)", "Grep"}, true, ""},
		{"allowed-tools: |\n  Read\n  Grep", []string{"Read", "Grep"}, true, ""},
		{"allowed-tools: Read;Grep", []string{"Read;Grep"}, true, "tool_format"},
		{"allowed-tools: Read，Grep", []string{"Read，Grep"}, true, "tool_format"},
		{`allowed-tools: "*"`, []string{"*"}, true, ""},
		{"allowed-tools: 42", nil, true, "invalid_field"},
		{"allowed-tools: {a: b}", nil, true, "invalid_field"},
		{"allowed-tools: true", nil, true, "invalid_field"},
		{"allowed-tools: [Read, 1]", nil, true, "invalid_field"},
		{`allowed-tools: ["Read", ""]`, []string{"Read"}, true, "invalid_field"},
		{`allowed-tools: ""`, nil, true, ""},
		{"allowed-tools: []", nil, true, ""},
		{"allowed-tools:", nil, false, ""},
		{"license: MIT", nil, false, ""},
		{"allowed-tools: " + many, strings.Split(many, ", "), true, "limit"},
		{"tools: Read, Write", []string{"Read", "Write"}, true, ""},
		{"allowed-tools: [Bash]\ntools: [Read]", []string{"Bash"}, true, ""},
		{"tools: Read\nallowed-tools: ~", []string{"Read"}, true, "invalid_field"},
		{"allowed-tools: \"\"\ntools: Read", nil, true, ""},
		{"tools:\n  - name: x", nil, false, "invalid_field"},
		{"allowed-tools: ['Shop MCP/list jobs', Read]", []string{"Shop MCP/list jobs", "Read"}, true, ""},
		{"x: &t [Read, Grep]\nallowed-tools: *t", nil, true, ""},
	} {
		want := c.want
		if strings.Contains(c.front, "*t") {
			want = []string{"Read", "Grep"}
		}
		skill, findings, err := Parse(doc(c.front), Rules{})
		if err != nil {
			t.Errorf("%.60q: %v", c.front, err)
			continue
		}
		if !slices.Equal(skill.AllowedTools, want) || (skill.AllowedTools != nil) != c.declared {
			t.Errorf("%.60q: got %q, declared %v", c.front, skill.AllowedTools, skill.AllowedTools != nil)
		}
		if got := strings.Join(codes(findings), " "); got != c.codes {
			t.Errorf("%.60q: findings %v, want %s", c.front, findings, c.codes)
		}
	}
}

// Whatever is wrong with the front matter: a list of tools that was written never
// turns into none being declared, nor into more tools.
func TestRepairNeverWidensAllowedTools(t *testing.T) {
	for front, want := range map[string][]string{
		"allowed-tools: Bash(npm: x), Read":                       {"Bash(npm: x)", "Read"},
		"allowed-tools: Bash(npm: x),\n  Read":                    {"Bash(npm: x)", "Read"},
		"x: a: b\nallowed-tools: Read":                            {"Read"},
		"allowed-tools: - Read\n- Write":                          nil,
		"allowed-tools: - Read":                                   nil,
		"allowed-tools: [Read] [Bash]":                            nil,
		"allowed-tools: [Read[x], Bash]":                          nil,
		"allowed-tools: Read\nx:\n  - `a`":                        nil,
		"allowed-tools:\n  Read: Bash: x":                         nil,
		"metadata:\n  author: me\n allowed-tools: Read\n  x: y":   nil,
		"metadata\n  allowed-tools: Read":                         nil,
		"\"allowed-tools\": Read\nx: [a[b], c]":                   nil,
		"x: {\"allowed-tools\": [Read]}\nallowed-tools: Read # x": {"Read"},
	} {
		skill, findings, err := Parse(doc(front), Rules{})
		if err != nil {
			continue // refused is not widened
		}
		if skill.AllowedTools == nil || !slices.Equal(skill.AllowedTools, want) {
			t.Errorf("%q: got %q, declared %v (%v)", front, skill.AllowedTools, skill.AllowedTools != nil, findings)
		}
	}
}

func FuzzSplitTools(f *testing.F) {
	for _, seed := range []string{"Read Grep", "Bash(a, b) Read", "Bash(git:* Read", "Read) Grep", " ,(,) ", "a(b(c)d) e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // YAML gives none
		}
		blank := func(r rune) bool { return strings.ContainsRune(" ,\t\n", r) }
		var kept strings.Builder
		for _, tool := range splitTools(text) {
			if tool == "" || blank(rune(tool[0])) {
				t.Errorf("%q: entry %q", text, tool)
			}
			if !strings.Contains(tool, "(") && strings.ContainsFunc(tool, blank) {
				t.Errorf("%q: entry %q was not split", text, tool)
			}
			kept.WriteString(tool)
		}
		strip := func(s string) string {
			return strings.Map(func(r rune) rune {
				if blank(r) {
					return -1
				}
				return r
			}, s)
		}
		if strip(kept.String()) != strip(text) {
			t.Errorf("%q became %q", text, kept.String())
		}
	})
}
