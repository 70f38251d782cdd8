package author_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/catalog"
	"skills/catalog/author"
)

// faults gives the errors that are joined in one, as "code reason at: message".
func faults(err error) []string {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return nil
	}
	var all []string
	for _, part := range joined.Unwrap() {
		var e *catalog.Error
		if errors.As(part, &e) {
			all = append(all, strings.Join(strings.Fields(e.Kind+" "+e.Reason+" "+e.At+": "+e.Message), " "))
		}
	}
	return all
}

func TestEachFaultOfANameHasItsOwnMessage(t *testing.T) {
	for name, want := range map[string][]string{
		"":                      {"invalid_skill missing_field name: the name is empty"},
		"PDF":                   {`invalid_skill name_format name: the name "PDF" has capital letters`},
		"-a":                    {`invalid_skill name_format name: the name "-a" begins with a hyphen`},
		"a-":                    {`invalid_skill name_format name: the name "a-" ends with a hyphen`},
		"-":                     {`invalid_skill name_format name: the name "-" begins with a hyphen`},
		"a--b":                  {`invalid_skill name_format name: the name "a--b" has two hyphens in a row`},
		"a_b":                   {`invalid_skill name_format name: the name "a_b" holds "_"; it is made of the letters a to z, digits and hyphens`},
		"a b":                   {`invalid_skill name_format name: the name "a b" holds " "; it is made of the letters a to z, digits and hyphens`},
		"a.b":                   {`invalid_skill name_format name: the name "a.b" holds "."; it is made of the letters a to z, digits and hyphens`},
		"../x":                  {`invalid_skill name_format name: the name "../x" holds "../"; it is made of the letters a to z, digits and hyphens`},
		"データ":                   {`invalid_skill name_format name: the name "データ" holds "データ"; it is made of the letters a to z, digits and hyphens`},
		strings.Repeat("x", 65): {"invalid_skill too_long name: the name has 65 characters, more than 64"},
		"-A--b_": {
			`invalid_skill name_format name: the name "-A--b_" has capital letters`,
			`invalid_skill name_format name: the name "-A--b_" holds "_"; it is made of the letters a to z, digits and hyphens`,
			`invalid_skill name_format name: the name "-A--b_" begins with a hyphen`,
			`invalid_skill name_format name: the name "-A--b_" has two hyphens in a row`,
		},
		"a": nil, "a1": nil, "1-2-3": nil, "pdf-processing": nil, "123": nil, "yes": nil, strings.Repeat("x", 64): nil,
	} {
		t.Run("S4-3 "+name, func(t *testing.T) {
			_, err := author.Define(author.Definition{Name: name, Description: "Does it.", Instructions: "Do it."})
			if diff := cmp.Diff(want, faults(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("S4-3 con", func(t *testing.T) {
		_, err := author.Define(author.Definition{Name: "con", Description: "Does it.", Instructions: "Do it."})
		if got := strings.Join(faults(err), "\n"); !strings.Contains(got, "unsafe_name") {
			t.Errorf("got %q", got)
		}
	})
}

func good() author.Definition {
	return author.Definition{
		Name: "notes", Description: "Writes notes.", License: "MIT", Compatibility: "Any agent.",
		Metadata: map[string]any{"zidane.model": "x", "tags": []string{"a", "b"}}, AllowedTools: []string{"Read", "Bash(git add:*)"},
		Instructions: "\n# Notes\r\n\r\nBe brief.\n\n", Resources: map[string][]byte{"assets/logo.png": {0x89, 0}},
	}
}

func TestDefineChecksStrictly(t *testing.T) {
	for _, tt := range []struct {
		id     string
		change func(*author.Definition)
		want   []string
	}{
		{"S4-1 description", func(d *author.Definition) { d.Description = "  " }, []string{"invalid_skill missing_field description: "}},
		{"S4-1 long description", func(d *author.Definition) { d.Description = strings.Repeat("é", 1025) }, []string{"invalid_skill too_long description: "}},
		{"S4-1 long compatibility", func(d *author.Definition) { d.Compatibility = strings.Repeat("é", 501) }, []string{"invalid_skill invalid_field compatibility: "}},
		{"S4-8 no new key at the top", func(d *author.Definition) { d.Extra = map[string]any{"zidane-model": "x"} }, []string{"invalid_skill "}},
		{"S4-1 number", func(d *author.Definition) { d.Metadata["n"] = 1.0 }, []string{`invalid_skill invalid_field metadata.n: "metadata.n" holds a value of the type float64; write it as text`}},
		{"S4-1 deep number", func(d *author.Definition) { d.Metadata["n"] = []any{map[string]any{"m": 1}} }, []string{`invalid_skill invalid_field metadata.n.m: `}},
		{"S4-1 standard key twice", func(d *author.Definition) { d.Extra = map[string]any{"name": "x"} }, []string{`invalid_skill invalid_field name: the key "name" has a field of its own`}},
		{"S4-1 not text", func(d *author.Definition) { d.Description = "\xff" }, []string{"invalid_skill not_text description: "}},
		{"S4-1 NUL", func(d *author.Definition) { d.Instructions = "a\x00b" }, []string{"invalid_skill not_text : the instructions are not UTF-8 text"}},
		{"S4-1 blank tool", func(d *author.Definition) { d.AllowedTools = []string{"Read", " "} }, []string{"invalid_skill invalid_field allowed-tools: allowed-tools holds a blank item"}},
		{"S4-1 tool with blanks", func(d *author.Definition) { d.AllowedTools = []string{" Read"} }, []string{`invalid_skill invalid_field allowed-tools: the entry " Read" of allowed-tools has blanks around it`}},
		{"S4-1 open parenthesis", func(d *author.Definition) { d.AllowedTools = []string{"Bash(a", "b)"} }, []string{`invalid_skill invalid_field allowed-tools: the parentheses of "Bash(a" do not pair up`, `invalid_skill invalid_field allowed-tools: the parentheses of "b)" do not pair up`}},
		{"S4-1 resource climbs", func(d *author.Definition) { d.Resources = map[string][]byte{"../x": nil} }, []string{`invalid_input resources: the resource "../x" holds ".." as a part`}},
		{"S4-1 resource is the manifest", func(d *author.Definition) { d.Resources = map[string][]byte{"skill.md": nil} }, []string{`already_exists resources: "SKILL.md" and "skill.md" are one file on some systems`}},
		{"S4-1 resource below a file", func(d *author.Definition) { d.Resources = map[string][]byte{"a": nil, "A/b": nil} }, []string{`already_exists resources: "A/b" lies below "a", which is a file`}},
		{"S4-1 both", func(d *author.Definition) { d.Name, d.Description = "X", "" }, []string{`invalid_skill name_format name: the name "X" has capital letters`, "invalid_skill missing_field description: "}},
	} {
		t.Run(tt.id, func(t *testing.T) {
			d := good()
			tt.change(&d)
			_, err := author.Define(d)
			got := faults(err)
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i, want := range tt.want {
				if want = strings.TrimSuffix(want, " "); !strings.HasPrefix(strings.ReplaceAll(got[i], " : ", ": "), strings.ReplaceAll(want, " : ", ": ")) {
					t.Errorf("got %q, want %q", got[i], want)
				}
			}
		})
	}
}

func TestDefineGivesACopyAsItReadsBack(t *testing.T) {
	t.Run("S4-1", func(t *testing.T) {
		in := good()
		d, err := author.Define(in)
		if err != nil {
			t.Fatal(err)
		}
		want := good()
		want.Source, want.Instructions, want.Metadata["tags"] = "inline", "# Notes\n\nBe brief.", []any{"a", "b"}
		if diff := cmp.Diff(want, d); diff != "" {
			t.Error(diff)
		}
		in.Metadata["zidane.model"], in.AllowedTools[0], in.Resources["assets/logo.png"][0] = "changed", "changed", 0
		if diff := cmp.Diff(want, d); diff != "" {
			t.Error("it shares what the caller changed:", diff)
		}
		in = good()
		in.Source = "project"
		if d, _ := author.Define(in); d.Source != "project" {
			t.Errorf("got %q", d.Source)
		}
	})
}

func TestASkeletonIsAGoodSkill(t *testing.T) {
	for _, name := range []string{"notes", "pdf-forms", "1", strings.Repeat("x", 64)} {
		d, err := author.Define(author.Skeleton(name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := author.Format(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, profile := range []catalog.Profile{"install", "spec", "clarvis", "smarter", "zidane"} {
			if _, findings, err := catalog.Parse(text, catalog.Rules{Profile: profile, UnknownKeys: true}); err != nil || len(findings) > 0 {
				t.Errorf("%s under %s: %v %v", name, profile, findings, err)
			}
		}
	}
	if _, err := author.Define(author.Skeleton("Bad Name")); err == nil {
		t.Error("a bad name passes")
	}
}
