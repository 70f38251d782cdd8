package resource

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"skills/catalog"
)

func keys(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	return strings.Join(slices.Sorted(maps.Keys(object)), " ")
}

func TestDisclose(t *testing.T) {
	plain := &catalog.Skill{Name: "pdf", Description: "Reads PDFs.", Body: "    code\n\nend  ", AllowedTools: []string{}, Metadata: map[string]any{}}
	full := &catalog.Skill{Name: "pdf", Description: "d", Body: "b", License: "MIT", Compatibility: "uv", AllowedTools: []string{"Read"},
		Metadata: map[string]any{"author": "o"}}
	for _, c := range []struct {
		id    string
		skill *catalog.Skill
		paths []string
		keys  string
	}{
		{"S2-47 nothing more", plain, nil, "description instructions name"},
		{"S2-47 no resources", plain, []string{}, "description instructions name"},
		{"S2-47 resources", plain, []string{"a.md"}, "description instructions name note resources"},
		{"S2-47 all", full, []string{"a.md"}, "allowed_tools compatibility description instructions license metadata name note resources"},
	} {
		t.Run(c.id, func(t *testing.T) {
			if got := keys(t, Disclose(c.skill, c.paths)); got != c.keys {
				t.Errorf("keys are %s, want %s", got, c.keys)
			}
		})
	}
	if d := Disclose(plain, nil); d.Instructions != plain.Body || d.Name != "pdf" || d.Description != "Reads PDFs." {
		t.Errorf("disclosure is %+v", d)
	}
}

func TestDiscloseOneResource(t *testing.T) {
	b, err := NewBundle(map[string]any{"references/forms.md": "Fill.", "logo.png": nil})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ id, wanted, json, kind string }{
		{"S2-47 text", "FORMS.md", `{"name":"pdf","path":"references/forms.md","content":"Fill."}`, ""},
		{"S2-47 binary", "logo.png", `{"name":"pdf","path":"logo.png","content":null,"note":"the file is not text, so its content cannot be shown"}`, ""},
		{"S2-47 none", "nope", "", "not_found"},
	} {
		t.Run(c.id, func(t *testing.T) {
			f, err := b.Disclose("pdf", c.wanted)
			want(t, err, c.kind, c.wanted)
			if err != nil {
				return
			}
			if got, err := json.Marshal(f); err != nil || string(got) != c.json {
				t.Errorf("answer is %s, %v, want %s", got, err, c.json)
			}
		})
	}
}

func ExampleDisclose() {
	skill := &catalog.Skill{Name: "pdf", Description: "Reads PDFs.", Body: "See references/forms.md."}
	text, _ := json.MarshalIndent(Disclose(skill, []string{"references/forms.md"}), "", "  ")
	fmt.Println(string(text))
	// Output:
	// {
	//   "name": "pdf",
	//   "description": "Reads PDFs.",
	//   "instructions": "See references/forms.md.",
	//   "resources": [
	//     "references/forms.md"
	//   ],
	//   "note": "ask for a resource by its path when the instructions need it"
	// }
}

func ExampleDiscloseFile() {
	text := "Fill the form.\n"
	fmt.Println(*DiscloseFile("pdf", "forms.md", &text).Content + DiscloseFile("pdf", "logo.png", nil).Note)
	// Output:
	// Fill the form.
	// the file is not text, so its content cannot be shown
}
