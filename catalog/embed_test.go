package catalog

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLimitsBelowOne(t *testing.T) {
	fsys := fstest.MapFS{"a/SKILL.md": {Data: doc("")}, "a/b/c.md": {}}
	for _, limits := range []Limits{{Files: -1}, {Bytes: -1}, {FileBytes: -1}, {Depth: -1}, {math.MinInt, math.MinInt64, math.MinInt64, math.MinInt}} {
		files, _, err := Files(t.Context(), fsys, "a", limits)
		if err != nil || len(files) != 2 || limits.OrDefault() != (Limits{10_000, 100 << 20, 100 << 20, 32}) {
			t.Errorf("%+v: %v, %v", limits, files, err)
		}
	}
	if l, err := Walk(t.Context(), fsys, WalkOptions{MaxDepth: -1}); err != nil || len(l.Visible()) != 1 {
		t.Errorf("%v", err)
	}
}

// TestMetadataSaysWhatToWrite advises quotes only where they keep what is meant.
func TestMetadataSaysWhatToWrite(t *testing.T) {
	for value, want := range map[string]string{
		"1.0": `the value of "v" is no text; put it in quotes`, "true": `the value of "v" is no text; put it in quotes`,
		"2025-10-16": `the value of "v" is no text; put it in quotes`,
		"[a, b]":     `the value of "v" is a list and no text; write its entries as one text`, "\n    - a": `the value of "v" is a list and no text; write its entries as one text`,
		"{a: b}": `the value of "v" is a mapping and no text; give each of its keys a key of its own`, "\n    a: b": `the value of "v" is a mapping and no text; give each of its keys a key of its own`,
		"null": `the value of "v" is missing; write a text, or leave the key out`, "": `the value of "v" is missing; write a text, or leave the key out`, "~": `the value of "v" is missing; write a text, or leave the key out`,
		`"1.0"`: "", "text": "", "|\n    a\n    b": "", `""`: "", "null # x\n  w: &a [b]\n  x: *a": "3",
	} {
		_, findings, err := Parse([]byte(document("name: pdf\ndescription: d\nmetadata:\n  v: "+value, "Text.")), Rules{Profile: ProfileSpec})
		var got []string
		for _, f := range findings {
			got = append(got, strings.TrimPrefix(f.Message, "metadata: "))
		}
		if text := strings.Join(got, "|"); err != nil || text != want && fmt.Sprint(len(got)) != want {
			t.Errorf("%q: %q, %v", value, got, err)
		}
	}
}

// TestReferencesReadSoMuch have a document beyond the bound: of it the lines before that count.
func TestReferencesReadSoMuch(t *testing.T) {
	line := strings.Repeat("x", 1023) + "\n"
	body := "[a](a.md)\n" + strings.Repeat(line, 1023) + "[b](b.md)\n" + strings.Repeat(line, 10) + "[c](c.md) scripts/d.py\n"
	for _, read := range []func([]byte) []string{References, Mentions} {
		if got := read([]byte(body)); !slices.Equal(got, []string{"a.md", "b.md"}) {
			t.Errorf("got %q", got)
		}
		if got := read([]byte(strings.Repeat("[a](a.md) scripts/d.py ", 100_000))); len(got) != 0 {
			t.Errorf("got %q", got)
		}
	}
}

func TestUnknownProfile(t *testing.T) {
	rules := Rules{Profile: "nope"}
	_, _, parsed := Parse(doc(""), rules)
	_, _, validated := Validate(map[string]any{}, rules)
	_, listed := rules.Tools(nil)
	for _, err := range []error{parsed, validated, listed} {
		if e := (*Error)(nil); !errors.As(err, &e) || e.Kind != "invalid_input" || e.At != "nope" {
			t.Errorf("%v", err)
		}
	}
	for _, code := range []string{"name_format", "lone_cr", "type_coerced:license", "new_one"} {
		if got, want := rules.Profile.Severity(code), ProfileInstall.Severity(code); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
