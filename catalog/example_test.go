package catalog_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"skills/catalog"
)

// An envelope for a wire, of what every error has.
func ExampleError_Fields() {
	err := catalog.CheckPath("../secret")
	var e *catalog.Error
	if errors.As(err, &e) {
		envelope := map[string]any{"error": e.Code(), "message": e.Error(), "fields": e.Fields(), "hints": e.Hints()}
		text, _ := json.Marshal(envelope)
		fmt.Println(string(text))
	}
	// Output:
	// {"error":"path_escape","fields":{"at":"../secret"},"hints":["name a directory of the repository"],"message":"\"../secret\" leaves the skill"}
}

func ExampleParse() {
	skill, findings, err := catalog.Parse([]byte("---\nname: pdf\ndescription: Reads: PDF files.\n---\n\nUse the script.\n"), catalog.Rules{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s\n%s\n", skill.Name, skill.Description, skill.Body)
	for _, f := range findings {
		fmt.Println(f.Severity, f.Code, f.Line)
	}
	// Output:
	// pdf: Reads: PDF files.
	// Use the script.
	// warning yaml_repaired 3
}

// The same document under the specification: one error value, and the faults beyond it as findings.
func ExampleParse_profile() {
	raw := []byte("---\nname: PDF_Tools\ndescription: Reads PDF files.\nauthor: me\n---\nUse the script.\n")
	_, findings, err := catalog.Parse(raw, catalog.Rules{Profile: catalog.ProfileSpec})
	var fault *catalog.Error
	if errors.As(err, &fault) {
		fmt.Println(fault.Code(), fault.Reason, fault.Fields())
		findings = append([]catalog.Finding{fault.Finding()}, findings...)
	}
	for _, f := range findings {
		fmt.Printf("%s %s, line %d: %s\n", f.Severity, f.Code, f.Line, f.Message)
	}
	// Output:
	// invalid_skill name_format map[at:name]
	// error name_format, line 2: name "PDF_Tools" holds upper case letters
	// error unknown_key, line 4: the key "author" is not known
}

func ExampleSplit() {
	d, err := catalog.Split([]byte("---\r\nname: pdf\r\n---\r\nUse it.\r\n"))
	fmt.Printf("%v %q %q %v\n", d.Has, d.Front, d.Body, err)
	d, err = catalog.Split([]byte("just text"))
	fmt.Printf("%v %q %q %v\n", d.Has, d.Front, d.Body, err)
	_, err = catalog.Split([]byte("---\nname: pdf\n ---\n"))
	fmt.Println(err)
	// Output:
	// true "name: pdf" "Use it.\n" <nil>
	// false "" "just text" <nil>
	// line 3 is an indented ---, so the frontmatter is never closed
}

func ExampleValidate() {
	front := map[string]any{"name": "files:summarize", "description": "Sums up.", "required_scope": "files:read"}
	skill, _, err := catalog.Validate(front, catalog.Rules{Profile: catalog.ProfileSkillKit})
	fmt.Println(skill.Namespace(), skill.RequiredScope, err)
	_, _, err = catalog.Validate(front, catalog.Rules{Profile: catalog.ProfileSmarter})
	fmt.Println(err)
	// Output:
	// files [files:read] <nil>
	// name "files:summarize" holds other characters than a to z, 0 to 9 and hyphens
}

func ExampleRules_Tools() {
	for _, profile := range []catalog.Profile{catalog.ProfileSmarter, catalog.ProfileClarvis} {
		list, err := catalog.Rules{Profile: profile}.Tools("Bash(a, b) Read")
		fmt.Printf("%q %v\n", list, err)
	}
	// Output:
	// ["Bash(a, b)" "Read"] <nil>
	// ["Bash(a" "b) Read"] <nil>
}

func ExampleProfile_Severity() {
	for _, profile := range []catalog.Profile{catalog.ProfileInstall, catalog.ProfileSpec, catalog.ProfileSkillKit} {
		fmt.Printf("%s %q\n", profile, profile.Severity("name_mismatch"))
	}
	// Output:
	// install "warning"
	// spec "error"
	// skillkit ""
}
