package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ok2 is the shortest front matter that all profiles but skillkit take.
const ok2 = "name: pdf\ndescription: Reads PDFs."

func document(front, body string) string { return "---\n" + front + "\n---\n" + body }

func profiles() []Profile {
	return []Profile{ProfileInstall, ProfileSpec, ProfileSkillKit, ProfileClarvis, ProfileSmarter, ProfileZidane}
}

// outcome puts what was found in one line: "ok" or the error as E(reason at), then the findings: E(code), W(code), I(code).
func outcome(findings []Finding, err error) string {
	parts := []string{"ok"}
	var e *Error
	if errors.As(err, &e) {
		text := e.Reason
		if e.Kind != "invalid_skill" {
			text = e.Kind
		} else if e.At != "" {
			text += " " + e.At
		}
		parts = []string{"E(" + text + ")"}
	} else if err != nil {
		parts = []string{err.Error()}
	}
	for _, f := range findings {
		letter := map[Severity]string{SeverityError: "E", SeverityWarning: "W", SeverityInfo: "I"}[f.Severity]
		parts = append(parts, letter+"("+f.Code+")")
	}
	return strings.Join(parts, " ")
}

// parsed gives the skill and the outcome of a text without what is said about an empty body, which most vectors have.
func parsed(text string, rules Rules) (*Skill, string) {
	skill, findings, err := Parse([]byte(text), rules)
	findings = slices.DeleteFunc(findings, func(f Finding) bool { return f.Code == "empty_body" })
	return skill, outcome(findings, err)
}

// vector is one requirement: a document, and what one profile makes of it.
type vector struct {
	id, text, want string
}

func try(t *testing.T, rules Rules, vectors []vector) {
	t.Helper()
	for i, v := range vectors {
		t.Run(fmt.Sprintf("%s/%d", v.id, i), func(t *testing.T) {
			if skill, got := parsed(v.text, rules); got != v.want || (skill == nil) != strings.HasPrefix(v.want, "E") {
				t.Errorf("%.200q: got %s, want %s", v.text, got, v.want)
			}
		})
	}
}

// The table of the profiles, one row a rule: what install, spec, skillkit, clarvis, smarter and zidane say to it.
func TestTableOfProfiles(t *testing.T) {
	const missing = "E(missing_field name)"
	named := "name: pdf\ndescription: d"
	for _, c := range []struct {
		row, text string
		want      [6]string
	}{
		{"BOM", "\ufeff" + document(named, "x"), [6]string{"ok", "ok", "ok", "ok", "ok", "ok"}},
		{"CRLF", strings.ReplaceAll(document(named, "x"), "\n", "\r\n"), [6]string{"ok", "ok", "ok", "ok", "ok", "ok"}},
		{"lone CR", strings.ReplaceAll(document(named, "x"), "\n", "\r"),
			[6]string{"ok", "ok", "E(frontmatter_missing)", "E(frontmatter_missing)", "ok", "ok"}},
		{"blanks before the fence", "\n" + document(named, "x"),
			[6]string{"ok W(leading_whitespace)", "E(frontmatter_missing)", "E(frontmatter_missing)", "ok", "E(frontmatter_missing)", "ok"}},
		{"blanks after ---", "--- \n" + named + "\n---\t\nx", [6]string{"ok", "ok", "E(fence_unclosed)", "E(fence_unclosed)", "ok", "ok"}},
		{"no frontmatter", "hello", [6]string{"E(frontmatter_missing)", "E(frontmatter_missing)", "E(frontmatter_missing)",
			"E(missing_field name)", "E(frontmatter_missing)", "E(missing_field description)"}},
		{"empty frontmatter", document("", "x"), [6]string{missing, missing + " E(missing_field)", missing + " E(missing_field)",
			missing + " E(missing_field)", "E(not_a_mapping)", "E(missing_field description) W(name_defaulted)"}},
		{"YAML failure", document("name: pdf\ndescription: a: b", "x"), [6]string{"ok W(yaml_repaired)", "E(yaml frontmatter)",
			"E(yaml frontmatter)", "E(yaml frontmatter)", "E(yaml frontmatter)", "ok"}},
		{"duplicate key", document(named+"\nlicense: a\nlicense: b", "x"), [6]string{"ok W(duplicate_key)", "E(yaml license)",
			"ok W(duplicate_key)", "E(yaml license)", "ok W(duplicate_key)", "ok W(duplicate_key)"}},
		{"typed scalar", document("name: 123\ndescription: d", "x"), [6]string{"ok W(type_coerced)", "E(invalid_field name)",
			"E(invalid_field name) E(name_format)", "E(invalid_field name)", "E(invalid_field name)", "ok"}},
		{"description limit", document("name: pdf\ndescription: "+strings.Repeat("x", 1025), "x"), [6]string{"ok W(too_long)",
			"E(too_long description)", "ok", "ok", "E(too_long description)", "ok W(too_long)"}},
		{"unknown key", document(named+"\nfoo: 1", "x"), [6]string{"ok", "E(invalid_field foo)", "ok", "ok", "ok", "ok"}},
		{"tools alias", document(named+"\ntools: [Read]", "x"), [6]string{"ok", "E(invalid_field tools)", "ok", "ok", "ok", "ok"}},
		{"blank list item", document(named+"\nallowed-tools: [Read, '']", "x"), [6]string{"ok W(invalid_field)",
			"E(invalid_field allowed-tools)", "ok", "ok", "E(invalid_field allowed-tools)", "ok W(invalid_field)"}},
		{"NUL in the body", document(named, "x\x00"), [6]string{"ok W(nul_bytes)", "E(not_text)", "E(not_text)", "E(not_text)",
			"E(not_text)", "ok W(nul_bytes)"}},
		{"limit of characters", document(named, strings.Repeat("x", 200_000)), [6]string{"ok W(too_long)", "ok W(too_long)",
			"ok W(too_long)", "ok W(too_long)", "E(too_long)", "ok W(too_long)"}},
		{"hard stop", document(named, strings.Repeat("é", 2_000_000)), [6]string{"E(too_long)", "E(too_long)", "E(too_long)",
			"E(too_long)", "E(too_long)", "E(too_long)"}},
	} {
		for i, profile := range profiles() {
			text := c.text
			if profile == ProfileSkillKit {
				text = strings.Replace(text, "name: pdf", "name: a:pdf", 1)
			}
			if _, got := parsed(text, Rules{Profile: profile}); got != c.want[i] {
				t.Errorf("%s, %s: got %s, want %s", c.row, profile, got, c.want[i])
			}
		}
	}
}

func TestBodyTrimAndAliasOfTheProfiles(t *testing.T) {
	text := document("name: a\ndescription: d\ntools: Read", "\n\n    code\n\nend  \n\n")
	for profile, want := range map[Profile]string{
		ProfileInstall: "    code\n\nend   [Read]", ProfileSkillKit: "code\n\nend []", ProfileClarvis: "code\n\nend [Read]",
		ProfileSmarter: "    code\n\nend   []", ProfileZidane: "code\n\nend []",
	} {
		skill, got := parsed(text, Rules{Profile: profile, BareNames: true})
		if skill == nil {
			t.Errorf("%s: %s", profile, got)
		} else if got := fmt.Sprintf("%s %v", skill.Body, skill.AllowedTools); got != want || skill.Size != len(skill.Body) {
			t.Errorf("%s: %q, want %q", profile, got, want)
		}
	}
}

func TestSeverityOfCodes(t *testing.T) {
	for code, want := range map[string]string{
		"name_mismatch": "warning error  warning warning warning", "unheard_of": "warning warning warning warning warning warning",
		"name_format:name": "warning error error error error warning", "duplicate_key:x:y": "warning error warning error warning warning",
		"invalid_field:license:null": "   error  ", "long_skill": " warning   warning ",
	} {
		var got []string
		for _, profile := range profiles() {
			got = append(got, string(profile.Severity(code)))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", code, strings.Join(got, " "), want)
		}
	}
	if Profile("").Severity("unknown_key") != SeverityWarning {
		t.Error("the zero profile is not install")
	}
}

func TestUnknownProfilesAreRefused(t *testing.T) {
	rules := Rules{Profile: "nonsense"}
	_, _, one := Parse(nil, rules)
	_, _, two := Validate(nil, rules)
	_, three := rules.Tools("Read")
	for _, err := range []error{one, two, three} {
		if reasonOf(err) != "invalid_input  nonsense" {
			t.Error(err)
		}
	}
}

// All errors are told but by install, which stops at the first.
func TestFaultsBeyondTheFirstAreFindings(t *testing.T) {
	text := document("description: [a]\nlicense: [b]\nfoo: 1", "x")
	for profile, want := range map[Profile]string{
		ProfileInstall: "E(missing_field name)",
		ProfileSpec:    "E(missing_field name) E(invalid_field) E(invalid_field) E(unknown_key)",
		ProfileSmarter: "E(missing_field name) E(invalid_field) E(invalid_field)",
	} {
		if _, got := parsed(text, Rules{Profile: profile}); got != want {
			t.Errorf("%s: got %s, want %s", profile, got, want)
		}
	}
	_, _, err := Parse([]byte(document(ok2+"\nfoo: 1", "x")), Rules{Profile: ProfileSpec})
	var e *Error
	if !errors.As(err, &e) || e.Finding() != (Finding{"unknown_key", SeverityError, "", 4, `the key "foo" is not known`}) {
		t.Errorf("%+v", err)
	}
	if f := (&Error{Kind: "unsafe_name", Message: "m", Path: "p"}).Finding(); f != (Finding{"unsafe_name", SeverityError, "p", 0, "m"}) {
		t.Error(f)
	}
}

// Keys may be named as the table's own words.
func TestKeysThatLookLikeCodes(t *testing.T) {
	for _, key := range []string{"a:null", "a:b:scalar", "name:differs", "license:null", ":", "x:blank"} {
		front := ok2 + "\n'" + key + "': 1\n'" + key + "': 2"
		_, _, err := Parse([]byte(document(ok2+"\n'"+key+"': 1", "x")), Rules{Profile: ProfileSpec})
		if e := (*Error)(nil); !errors.As(err, &e) || e.Reason != "invalid_field" || e.At != key {
			t.Errorf("%q: %v", key, err)
		}
		_, findings, err := Parse([]byte(document(front, "x")), Rules{UnknownKeys: true})
		if got := outcome(findings, err); got != "ok W(duplicate_key) W(unknown_key)" {
			t.Errorf("%q: %s", key, got)
		}
	}
}

// Keys that are there twice with values that cannot be compared.
func TestDoubledKeysOfAnyKind(t *testing.T) {
	for _, profile := range profiles() {
		if _, _, err := Parse([]byte(document("name: [a]\nname: {b: c}\ndescription: {d: e}\ndescription: {d: e}", "x")), Rules{Profile: profile}); err == nil && profile != ProfileZidane {
			t.Errorf("%s: accepted", profile)
		}
	}
}

func TestErrorsOfProfilesTellWhatToDo(t *testing.T) {
	for _, c := range []struct {
		profile     Profile
		front, want string
	}{
		{ProfileSpec, ok2 + "\nfoo: 1", "leave the key out, or put it below metadata"},
		{ProfileSpec, ok2 + "\nlicense: a\nlicense: b", "keep one of them"},
		{ProfileSpec, ok2 + "\nallowed-tools: 1", "write allowed-tools as a list of texts"},
		{ProfileSpec, ok2 + "\nmetadata: a", "write metadata as keys with texts"},
		{ProfileSpec, ok2 + "\nlicense: 1", "write license as one text"},
		{ProfileSpec, ok2 + "\ncompatibility: ''", "write compatibility as one text of at most 500 characters"},
		{ProfileSpec, "name: A\ndescription: d", "use a to z, 0 to 9 and single hyphens, at most 64"},
		{ProfileSpec, "name: a\ndescription: " + strings.Repeat("x", 1025), "shorten the description"},
		{ProfileSkillKit, ok2, "write the name as namespace:name, each part a lower case letter and then lower case letters, digits, - and _"},
		{ProfileClarvis, "name: é\ndescription: d", "use letters, digits, dots, hyphens and underscores"},
		{ProfileClarvis, ok2 + "\nuser-invocable: yes", "write user-invocable as true or false"},
		{"nonsense", ok2, "use install, spec, skillkit, clarvis, smarter or zidane"},
	} {
		_, _, err := Parse([]byte(document(c.front, "x")), Rules{Profile: c.profile})
		var e *Error
		if !errors.As(err, &e) || strings.Join(e.Hints(), "|") != c.want {
			t.Errorf("%s, %q: %v, hints %q, want %q", c.profile, c.front, err, e.Hints(), c.want)
		}
	}
}
