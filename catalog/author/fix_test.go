package author_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"skills/catalog"
	"skills/catalog/author"
)

// front puts lines between fences.
func front(lines string) string { return "---\n" + lines + "---\n\nBody # not: touched\t \n" }

func TestWhatHasOneRightAnswerIsMended(t *testing.T) {
	for _, tt := range []struct{ what, profile, in, want, codes string }{
		{"C-31 colon", "spec", "name: x\ndescription: Use when: asked\n", "name: x\ndescription: \"Use when: asked\"\n", "yaml_repaired"},
		{"C-31 colon in two", "spec", "name: x # a comment\ndescription: a: b\nlicense: c: d\n", "name: x # a comment\ndescription: \"a: b\"\nlicense: \"c: d\"\n", "yaml_repaired yaml_repaired"},
		{"C-31 at sign", "spec", "name: x\ndescription:   @x says\n", "name: x\ndescription:   \"@x says\"\n", "yaml_repaired"},
		{"C-31 quotes inside", "spec", "name: x\ndescription: \"A\" is a letter\n", "name: x\ndescription: '\"A\" is a letter'\n", "yaml_repaired"},
		{"C-31 a second line", "spec", "name: x\ndescription: Use when: asked\n  and when: not\nlicense: MIT\n", "name: x\ndescription: \"Use when: asked and when: not\"\nlicense: MIT\n", "yaml_repaired"},
		{"3.2-13", "spec", "name: 123\ndescription: d\n", "name: \"123\"\ndescription: d\n", "type_coerced"},
		{"3.2-5", "install", "name: x\ndescription: d\nversion: 1.0\n", "name: x\ndescription: d\nversion: \"1.0\"\n", "type_coerced"},
		{"3.2-6 a comment", "install", "name: x\ndescription: d\nversion: 1.10  # the old one\n", "name: x\ndescription: d\nversion: \"1.10\"  # the old one\n", "type_coerced"},
		{"3.2-24", "clarvis", "name: x\ndescription: d\nargument-hint: [file]\n", "name: x\ndescription: d\nargument-hint: \"[file]\"\n", "type_coerced"},
		{"true is a text", "spec", "name: x\ndescription: d\nlicense: true\n", "name: x\ndescription: d\nlicense: \"true\"\n", "type_coerced"},
		{"metadata", "spec", "name: x\ndescription: d\nmetadata:\n  v: 1.0 # v\n  é: \"2\"\n  d: 2025-10-16\n  t: true\n", "name: x\ndescription: d\nmetadata:\n  v: \"1.0\" # v\n  é: \"2\"\n  d: \"2025-10-16\"\n  t: true\n", "invalid_field"},
		{"metadata on one line", "spec", "name: x\ndescription: d\nmetadata: {é: 1, b: 2}\n", "name: x\ndescription: d\nmetadata: {é: \"1\", b: \"2\"}\n", "invalid_field"},
		{"3.2-47", "spec", "name: |\n  pdf\n\n# c\ndescription: d\n", "name: pdf\n\n# c\ndescription: d\n", "name_whitespace"},
		{"blanks in quotes", "spec", "name: ' pdf ' # c\ndescription: d\n", "name: pdf # c\ndescription: d\n", "name_whitespace"},
		{"case of a key", "spec", "Name: x\nDESCRIPTION : d\n", "name: x\ndescription : d\n", "unknown_key unknown_key"},
		{"case of a key that restricts", "install", "name: x\ndescription: d\nAllowed-Tools: Read\n", "name: x\ndescription: d\nallowed-tools: Read\n", "unknown_key"},
		{"3.2-27", "spec", "name: x\ndescription: d\nlicense: MIT\nlicense: MIT\n# c\n", "name: x\ndescription: d\nlicense: MIT\n# c\n", "duplicate_key"},
		{"thrice", "spec", "name: x\nname: 'x'\ndescription: d\nname: \"x\"\n", "name: x\ndescription: d\n", "duplicate_key duplicate_key"},
		{"a blank tool", "spec", "name: x\ndescription: d\nallowed-tools:\n- \"\"\n- Read\n", "name: x\ndescription: d\nallowed-tools: Read\n", "allowed_tools_form"},
		{"a name is missing", "spec", "# c\ndescription: d\n", "name: dir\n# c\ndescription: d\n", "missing_field"},
		{"everything", "spec", "Name: ' x '\ndescription: a: b\nlicense: 1.0\nlicense: 1.0\n", "name: x\ndescription: \"a: b\"\nlicense: \"1.0\"\n", "unknown_key yaml_repaired duplicate_key name_whitespace type_coerced"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			for end, wanted := range map[string]string{"\n": front(tt.want), "\r\n": strings.ReplaceAll(front(tt.want), "\n", "\r\n")} {
				in := strings.ReplaceAll(front(tt.in), "\n", end)
				fixed, changes, err := author.Fix([]byte(in), catalog.Rules{Profile: catalog.Profile(tt.profile)}, "dir")
				if string(fixed) != wanted || err != nil {
					t.Errorf("got\n%q, want\n%q, %v", fixed, wanted, err)
				}
				var codes []string
				for _, c := range changes {
					codes = append(codes, c.Code)
				}
				if got := strings.Join(codes, " "); got != tt.codes {
					t.Errorf("got %s, want %s", got, tt.codes)
				}
				idempotent(t, fixed, tt.profile)
			}
		})
	}
}

func idempotent(t *testing.T, fixed []byte, profile string) {
	t.Helper()
	again, changes, err := author.Fix(fixed, catalog.Rules{Profile: catalog.Profile(profile)}, "dir")
	if string(again) != string(fixed) || len(changes) > 0 || err != nil {
		t.Errorf("again %v, %v:\n%q\n%q", changes, err, fixed, again)
	}
}

func TestWhatStandsBeforeTheFrontMatterGoes(t *testing.T) {
	good := front("name: x\ndescription: d\n")
	for _, tt := range []struct{ in, codes string }{
		{"\ufeff" + good, "byte_order_mark"}, {"\ufeff\ufeff" + good, "byte_order_mark"}, {"\n\n" + good, "leading_whitespace"}, {" \t\r\n" + good, "leading_whitespace"},
		{"\ufeff\n  " + good, "leading_whitespace byte_order_mark"},
	} {
		for _, profile := range profiles() {
			fixed, changes, err := author.Fix([]byte(tt.in), catalog.Rules{Profile: profile, BareNames: true}, "x")
			var codes []string
			for _, c := range changes {
				codes = append(codes, c.Code)
			}
			if string(fixed) != good || err != nil || strings.Join(codes, " ") != tt.codes {
				t.Errorf("%q under %s: %q %v %v", tt.in, profile, fixed, changes, err)
			}
		}
	}
}

func TestWhatHasNoOneAnswerStays(t *testing.T) {
	for what, in := range map[string]string{
		"nothing wrong":                  front("name: x\ndescription: d # c\n"),
		"C-31 a comment":                 front("name: x\ndescription: Use when: x # y\n"),
		"C-31 a guard":                   front("name: x\ndescription: d\nallowed-tools: *\n"),
		"two values":                     front("name: x\ndescription: d\nlicense: MIT\nlicense: BSD\n"),
		"a comment in the second":        front("name: x\ndescription: d\nlicense: MIT\nlicense: MIT # why\n"),
		"two spellings":                  front("name: x\ndescription: d\nNAME: x\nLicense: a\nLICENSE: b\n"),
		"a list is no text":              front("name: x\ndescription: d\nlicense: [MIT]\n"),
		"a name that is no name":         front("name: My Skill\ndescription: d\n"),
		"a truth in metadata":            front("name: x\ndescription: d\nmetadata: {a: true, b: ~}\n"),
		"no description":                 front("name: x\n"),
		"tools that YAML cannot read":    front("name: x\ndescription: d\nallowed-tools: [Read\n"),
		"tools that are numbers":         front("name: x\ndescription: d\nallowed-tools: 42\n"),
		"tools that may be widened":      front("name: x\ndescription: d\nallowed-tools: Bash (git:*)\n"),
		"tools of another key":           front("name: x\ndescription: d\ntools: Read\nAllowed-Tools: Bash\n"),
		"a comment among the tools":      front("name: x\ndescription: d\nallowed-tools:\n  - Read # r\n  - \"\"\n"),
		"no front matter":                "# Title\n",
		"never closed":                   "---\nname: x\n",
		"empty":                          "",
		"a list":                         front("- a\n"),
		"two names":                      front("name: x\nname: y\ndescription: d\n"),
		"a name on a line with comments": front("name: | # c\n  pdf\ndescription: d\n"),
		"not UTF-8":                      "---\nname: \xff\n---\n",
	} {
		t.Run(what, func(t *testing.T) {
			fixed, changes, err := author.Fix([]byte(in), catalog.Rules{Profile: catalog.ProfileSpec}, "Not A Name")
			if string(fixed) != in || len(changes) > 0 {
				t.Errorf("%v %v\n%q", changes, err, fixed)
			}
			var e *catalog.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("%T", err)
			}
		})
	}
	if _, _, err := author.Fix([]byte(front("name: x\ndescription: d\n")), catalog.Rules{Profile: "nope"}, ""); err == nil {
		t.Error("an unknown profile is no error")
	}
}

func TestWhatTheProfileDoesNotComplainOfStays(t *testing.T) {
	for _, tt := range []struct{ what, profile, in string }{
		{"3.15 tools with blanks", "clarvis", "name: x\ndescription: d\nallowed-tools: Read Write\n"},
		{"3.15 tools with blanks, smarter", "smarter", "name: x\ndescription: d\nallowed-tools: Read Bash(git:*) # c\n"},
		{"3.15 commas inside", "smarter", "name: x\ndescription: d\nallowed-tools: Bash(a, b) Read\nlicense: MIT\n"},
		{"3.2-5 a number that is text there", "zidane", "name: x\ndescription: d\nversion: 2.0\n"},
		{"3.2-5 a key that is not known", "spec", "name: x\ndescription: d\nversion: 2.0\n"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			fixed, changes, err := author.Fix([]byte(front(tt.in)), catalog.Rules{Profile: catalog.Profile(tt.profile)}, "x")
			if string(fixed) != front(tt.in) || len(changes) > 0 || err != nil {
				t.Errorf("%v %v\n%q", changes, err, fixed)
			}
		})
	}
}

// TestTwoSpellingsOfOneKeyAreTwoKeys: whatever the order in which a map gives them, the same is mended each time.
func TestTwoSpellingsOfOneKeyAreTwoKeys(t *testing.T) {
	in := front("description: foo: bar\nname: cap\nDescription: other\n")
	want := front("description: \"foo: bar\"\nname: cap\nDescription: other\n")
	for _, profile := range []catalog.Profile{"spec", "clarvis", "smarter"} {
		for range 20 {
			fixed, changes, err := author.Fix([]byte(in), catalog.Rules{Profile: profile}, "cap")
			if string(fixed) != want || len(changes) != 1 || err != nil {
				t.Fatalf("%s: %v %v\n%q", profile, changes, err, fixed)
			}
		}
	}
}

// TestKeysThatCannotBeReadAreKept: of a front matter that is read in part nothing is moved.
func TestKeysThatCannotBeReadAreKept(t *testing.T) {
	in := "\n" + front("name: ' x '\nmodel: {a: [b\ndescription: d\n")
	fixed, changes, err := author.Fix([]byte(in), catalog.Rules{}, "x")
	if string(fixed) != in[1:] || len(changes) != 1 || err != nil {
		t.Errorf("%v %v\n%q", changes, err, fixed)
	}
}

// mended checks what holds for every text: same values, fewer findings, nothing left to do.
func mended(t *testing.T, in []byte, profile catalog.Profile) {
	t.Helper()
	rules := catalog.Rules{Profile: profile}
	fixed, changes, err := author.Fix(in, rules, "dir")
	if (len(changes) == 0) != (string(fixed) == string(in)) || err != nil && len(changes) > 0 {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	if len(changes) == 0 {
		return
	}
	before, _, errBefore := catalog.Parse(in, catalog.Rules{})
	after, _, errAfter := catalog.Parse(fixed, catalog.Rules{})
	if errBefore == nil {
		if errAfter != nil {
			t.Fatalf("%v\n%q\n%q", errAfter, in, fixed)
		}
		if before.Name != after.Name || before.Description != after.Description || before.Body != after.Body ||
			before.AllowedTools != nil && (after.AllowedTools == nil || !reflect.DeepEqual(before.AllowedTools, after.AllowedTools)) {
			t.Fatalf("values changed:\n%q\n%q", in, fixed)
		}
	}
	again, more, err := author.Fix(fixed, rules, "dir")
	if string(again) != string(fixed) || err != nil {
		t.Fatalf("again: %v %v\n%q\n%q", more, err, fixed, again)
	}
}

// TestShapesAreMendedWithoutALoss runs over the front matters that package catalog is tested with.
func TestShapesAreMendedWithoutALoss(t *testing.T) {
	files, err := filepath.Glob("../testdata/shapes/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no shapes")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(data).Files {
			if strings.EqualFold(filepath.Base(f.Name), "skill.md") {
				for _, profile := range profiles() {
					t.Run(fmt.Sprintf("%s/%s/%s", filepath.Base(file), f.Name, profile), func(t *testing.T) { mended(t, f.Data, profile) })
				}
			}
		}
	}
}

// FuzzFix: whatever the text, no value is changed, and a second call changes nothing.
func FuzzFix(f *testing.F) {
	for _, in := range []string{"name: x\ndescription: a: b\n", "Name: ' x '\nlicense: 1.0\nlicense: 1.0\n", "name: |\n  x\ndescription: d\nmetadata: {a: 1}\n", "allowed-tools: [Bash(a, b)]\nname: x\ndescription: d\n", "? a\n: b\n", "a: &b c\nname: *b\n"} {
		f.Add([]byte(front(in)), "spec")
		f.Add([]byte("\ufeff\r\n"+strings.ReplaceAll(front(in), "\n", "\r")), "clarvis")
	}
	f.Fuzz(func(t *testing.T, in []byte, profile string) { mended(t, in, catalog.Profile(profile)) })
}
