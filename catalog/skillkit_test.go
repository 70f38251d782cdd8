package catalog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const kitName = "name: \"a:b\"\ndescription: d"

func TestSkillKitErrors(t *testing.T) {
	try(t, Rules{Profile: ProfileSkillKit}, []vector{
		{"S0-7", document("description: d", ""), "E(missing_field name)"},
		{"S0-7", document("name: \"\"\ndescription: d", ""), "E(missing_field name)"},
		{"S0-7", document("name:\ndescription: d", ""), "E(missing_field name)"},
		{"S0-8", document("name: \"a:b\"", ""), "E(missing_field description)"},
		{"S0-8", document("name: \"a:b\"\ndescription: \"\"", ""), "E(missing_field description)"},
		{"S0-8", document("name: \"a:b\"\ndescription: \"   \"", ""), "ok W(blank_description)"},
		{"S0-12", document(kitName+"\nrequired_scope: 5", ""), "E(invalid_field required_scope)"},
		{"S0-12", document(kitName+"\nrequired_scope: {a: b}", ""), "E(invalid_field required_scope)"},
		{"S0-12", document(kitName+"\nrequired_scope: ~", ""), "E(invalid_field required_scope)"},
		{"S0-12", document(kitName+"\nrequired_scope: [a, 5]", ""), "E(invalid_field required_scope)"},
		{"S0-13", "no frontmatter here", "E(frontmatter_missing)"},
		{"S0-13", document("name: [x", ""), "E(yaml frontmatter)"},
		{"S0-13", document("name: 123\ndescription: d", ""), "E(invalid_field name) E(name_format)"},
		{"S0-14", document("name: Bad", ""), "E(missing_field description) E(name_format)"},
		{"S0-14", document("name: Bad\ndescription: d\nrequired_scope: 5", ""), "E(invalid_field required_scope) E(name_format)"},
		{"S0-16", document(kitName+"\nfoo: 1", ""), "ok"},
		{"S0-17", document(ok2, "b"), "E(name_format name)"},
		{"S0-18", "a: 1\n---\nB", "E(frontmatter_missing)"},
		{"S0-18", "---\r\n" + strings.ReplaceAll(kitName, "\n", "\r\n") + "\r\n---\r\nB", "ok"},
		{"S0-18", "\ufeff" + document(kitName, "B"), "ok"},
		{"S0-18", "--- \n" + kitName + "\n---\nB", "E(fence_unclosed)"},
	})
	try(t, Rules{Profile: ProfileSkillKit, UnknownKeys: true}, []vector{
		{"S0-16", document(kitName+"\nfoo: 1\nlicense: MIT\nmodel: x", ""), "ok W(unknown_key)"},
	})
	_, _, err := Parse([]byte(document("name: [x", "")), Rules{Profile: ProfileSkillKit})
	if e := (*Error)(nil); !errors.As(err, &e) || e.Line != 2 {
		t.Errorf("S0-13: %v", err)
	}
}

// S0-13: a file that is not there is an error of who reads it.
func TestSkillKitMissingFile(t *testing.T) {
	if _, err := os.ReadFile(filepath.Join(t.TempDir(), "SKILL.md")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestSkillKitSkills(t *testing.T) {
	type skill struct {
		Name, Namespace, Description, Body string
		Scope                              []string
		Metadata, Hooks                    int
	}
	for _, c := range []struct {
		id, text string
		want     skill
	}{
		{"S0-1", document("name: \"files:summarize\"\ndescription: \"Sums up.\"\nrequired_scope:\n  - \"files:read\"", "Please sum up: {{content}}\n"),
			skill{"files:summarize", "files", "Sums up.", "Please sum up: {{content}}", []string{"files:read"}, 0, 0}},
		{"S0-2", document(kitName, ""), skill{"a:b", "a", "d", "", []string{}, 0, 0}},
		{"S0-4", document(kitName, "x\n---\ny\n"), skill{"a:b", "a", "d", "x\n---\ny", []string{}, 0, 0}},
		{"S0-5", document(kitName, "\n\n \u00a0 hi  \u2003\n\n"), skill{"a:b", "a", "d", "hi", []string{}, 0, 0}},
		{"S0-6", document(kitName, "Use {{x}} and {{ y }} and {{{z}}}"), skill{"a:b", "a", "d", "Use {{x}} and {{ y }} and {{{z}}}", []string{}, 0, 0}},
		{"S0-12", document(kitName+"\nrequired_scope: \"a:b\"", ""), skill{"a:b", "a", "d", "", []string{"a:b"}, 0, 0}},
		{"S0-12", document(kitName+"\nrequired_scope: []", ""), skill{"a:b", "a", "d", "", []string{}, 0, 0}},
		{"S0-24", document(kitName+"\nhooks: {PreToolUse: [{hooks: [{type: command, command: ./x.sh}]}]}", ""), skill{"a:b", "a", "d", "", []string{}, 0, 1}},
	} {
		t.Run(c.id, func(t *testing.T) {
			s, got := parsed(c.text, Rules{Profile: ProfileSkillKit})
			if s == nil {
				t.Fatal(got)
			}
			has := skill{s.Name, s.Namespace(), s.Description, s.Body, s.RequiredScope, len(s.Metadata), len(s.Hooks)}
			if diff := cmp.Diff(c.want, has); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSkillKitNames(t *testing.T) {
	bare := Rules{Profile: ProfileSkillKit, BareNames: true}
	for _, name := range []string{"files:summarize", "a:b", "a1:b_2-c"} {
		t.Run("S0-9/"+name, func(t *testing.T) {
			if _, got := parsed(document("name: \""+name+"\"\ndescription: d", ""), Rules{Profile: ProfileSkillKit}); got != "ok" {
				t.Error(got)
			}
		})
	}
	for _, name := range []string{":b", "a:", "A:b", "a:B", "1a:b", "a:1b", "a:b:c", "a b:c", "a:b c", "_a:b", "a.b:c"} {
		t.Run("S0-9/"+name, func(t *testing.T) {
			for _, rules := range []Rules{{Profile: ProfileSkillKit}, bare} {
				if _, got := parsed(document("name: \""+name+"\"\ndescription: d", ""), rules); got != "E(name_format name)" {
					t.Error(got)
				}
			}
		})
	}
	t.Run("S0-10", func(t *testing.T) {
		text := document("name: bash\ndescription: d", "")
		if _, got := parsed(text, Rules{Profile: ProfileSkillKit}); got != "E(name_format name)" {
			t.Error(got)
		}
		if skill, got := parsed(text, bare); got != "ok" || skill.Name != "bash" || skill.Namespace() != "bash" {
			t.Error(got, skill)
		}
	})
	t.Run("S0-11", func(t *testing.T) {
		for name, want := range map[string]string{"files:summarize": "files", "pdf": "pdf", "1-2": "", "a:b:c": "", "A:b": "", "a:": "", "": ""} {
			if got := (&Skill{Name: name}).Namespace(); got != want {
				t.Errorf("%q: %q, want %q", name, got, want)
			}
		}
	})
}

// S0-3: the place that a file was read from is the reader's to note, and stays as it is.
func TestLocationIsLeftToTheReader(t *testing.T) {
	skill, _, err := Parse([]byte(document(ok2, "x")), Rules{})
	if err != nil || skill.Location != "" {
		t.Fatal(skill, err)
	}
	skill.Location = "./a/../b/SKILL.md"
	if got := skill.brief().Location; got != "./a/../b/SKILL.md" {
		t.Error(got)
	}
}

// S0-15: keys are text whatever YAML takes them for, and nothing global grows with them.
func TestKeysOfEveryKindAreText(t *testing.T) {
	skill, got := parsed(document("name: \"a:b\"\ndescription: d\n1: one\ntrue: yes\n~: n", ""), Rules{Profile: ProfileSkillKit})
	want := map[string]any{"name": "a:b", "description": "d", "1": "one", "true": "yes", "~": "n"}
	if got != "ok" {
		t.Fatal(got)
	}
	if diff := cmp.Diff(want, skill.Frontmatter); diff != "" {
		t.Error(diff)
	}
	before := heap()
	for i := range 300 {
		var front strings.Builder
		for k := range 100 {
			fmt.Fprintf(&front, "key%dx%d: v\n", i, k)
		}
		if _, _, err := Parse([]byte(document(kitName+"\n"+front.String(), "")), Rules{Profile: ProfileSkillKit}); err != nil {
			t.Fatal(err)
		}
	}
	if after := heap(); after > before+4<<20 {
		t.Errorf("30,000 keys leave %d bytes behind", after-before)
	}
}

func TestSkillKitHooks(t *testing.T) {
	events := []string{"PreToolUse", "PostToolUse", "PreSubagent", "PostSubagent", "PreSkillActivation", "PostSkillActivation",
		"PreConversationSave", "PostConversationSave", "PreConversationLoad", "PostConversationLoad", "PreLlmRequest", "PostLlmRequest",
		"PreTurn", "PostTurn", "PreAgent", "PostAgent"}
	for _, event := range append(events, "Nope", "Stop", "Pre", "PostNope", "ToolUse", "pretooluse") {
		known := slices.Contains(events, event)
		for _, profile := range []Profile{ProfileSkillKit, ProfileInstall} {
			t.Run("S0-24/"+event+"/"+string(profile), func(t *testing.T) {
				skill, got := parsed(document(kitName+"\nhooks: {"+event+": [{hooks: [{type: command, command: ./x.sh}]}]}", ""), Rules{Profile: profile})
				switch {
				case known || event == "Stop" && profile == ProfileInstall:
					if diff := cmp.Diff([]Hook{{event, "", "./x.sh", 4}}, skill.Hooks); diff != "" {
						t.Error(diff)
					}
				case len(skill.Hooks) > 0 || !strings.HasPrefix(got, "ok W(unknown_hook_event)"):
					t.Errorf("%s, %v", got, skill.Hooks)
				}
			})
		}
	}
}

// Only the first handler of an entry counts for SkillKit. An install shows all, since another agent may run them.
func TestHandlersOfAHook(t *testing.T) {
	text := document(kitName+"\nhooks: {PreTurn: [{matcher: Bash, hooks: [{type: command, command: a}, {type: command, command: b}]}, "+
		"{hooks: [{type: http, url: u}, {type: command, command: c}]}]}", "")
	for profile, want := range map[Profile]string{
		ProfileSkillKit: "ok W(second_hook_handler) W(second_hook_handler) W(unknown_hook_type) [{PreTurn Bash a 4}]",
		ProfileInstall:  "ok W(unknown_hook_type) W(name_format) [{PreTurn Bash a 4} {PreTurn Bash b 4} {PreTurn  c 4}]",
		ProfileClarvis:  "E(name_format name) []", ProfileZidane: "ok W(name_format) W(invalid_field) []",
	} {
		t.Run("S0-24/"+string(profile), func(t *testing.T) {
			skill, got := parsed(text, Rules{Profile: profile})
			if skill == nil {
				skill = &Skill{}
			}
			if all := fmt.Sprint(got, " ", skill.Hooks); all != want {
				t.Errorf("got %s, want %s", all, want)
			}
		})
	}
}
