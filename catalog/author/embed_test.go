package author_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/catalog"
	"skills/catalog/author"
)

// TestFaultsAreJoinedFlat has faults of every part at once: each is a *catalog.Error of its own.
func TestFaultsAreJoinedFlat(t *testing.T) {
	d := author.Definition{
		Name: "Bad--Name-", Metadata: map[string]any{"n": 1}, AllowedTools: []string{" Read"},
		Extra: map[string]any{"name": "x", "foo": 2}, Instructions: "\xff", Resources: map[string][]byte{"../x": nil, "a": nil, "A": nil},
	}
	_, err := author.Define(d)
	var got []string
	for _, part := range err.(interface{ Unwrap() []error }).Unwrap() {
		e, ok := part.(*catalog.Error)
		if !ok {
			t.Fatalf("%T: %v", part, part)
		}
		got = append(got, e.At)
	}
	want := []string{"name", "name", "name", "allowed-tools", "resources", "resources", "name", "metadata.n", "foo", ""}
	if !slices.Equal(got, want) {
		t.Errorf("faults are about %q: %v", got, err)
	}
	if _, err := author.Format(d); len(err.(interface{ Unwrap() []error }).Unwrap()) != 4 {
		t.Errorf("%v", err)
	}
}

// TestMetadataOfOtherTypes is let through and reads back, with a warning by the specification.
func TestMetadataOfOtherTypes(t *testing.T) {
	d, err := author.Define(author.Definition{Name: "x", Description: "y", Instructions: "z", Metadata: map[string]any{
		"a": []string{"1"}, "b": map[string]string{"c": "d"}, "e": nil, "f": true, "g": "1.0",
	}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := author.Format(d)
	_, findings, parsed := catalog.Parse(text, catalog.Rules{Profile: catalog.ProfileSpec})
	if err != nil || parsed != nil || len(findings) != 4 {
		t.Errorf("%v %v %v", err, parsed, findings)
	}
}

func TestDefinitionAsASkill(t *testing.T) {
	d := author.Definition{Name: "notes", Description: "Writes: notes.", AllowedTools: []string{}, Instructions: "    indented\n\n# Text\n", Metadata: map[string]any{"v": "1.0"}}
	s, err := d.Skill()
	if err != nil || s.Name != "notes" || s.Description != "Writes: notes." || s.Body != "    indented\n\n# Text" || s.Metadata["v"] != "1.0" {
		t.Fatalf("%+v, %v", s, err)
	}
	if s.AllowedTools == nil || len(s.AllowedTools) > 0 || !s.ModelInvocable || !s.UserInvocable {
		t.Errorf("%+v", s)
	}
	if s, err := (author.Definition{Name: "Notes"}).Skill(); s != nil || !strings.Contains(fmt.Sprint(err), "capital") {
		t.Errorf("%v, %v", s, err)
	}
}

func ExampleDefinition_Skill() {
	skill, err := author.Definition{Name: "notes", Description: "Writes notes.", AllowedTools: []string{"Read"}, Instructions: "Be brief."}.Skill()
	fmt.Println(skill.Name, skill.AllowedTools, skill.Body, err)
	// Output: notes [Read] Be brief. <nil>
}
