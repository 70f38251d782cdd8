package expand_test

import (
	"context"
	"fmt"
	"io"

	"skills/catalog/expand"
)

func ExampleTemplate_Expand() {
	template := expand.Parse("Review $0 with $SKILL_DIR/rules.md, on !`git branch --show-current`.")
	values := expand.Values{Arguments: "main.go", SkillDir: "/skills/review"}

	text, _ := template.Expand(context.Background(), values, nil)
	fmt.Println(text)

	// A host that runs commands brings its own shell; this one only plays one.
	shell := &expand.Shell{Run: func(_ context.Context, _ string, stdout io.Writer) error {
		_, err := io.WriteString(stdout, "main\n")
		return err
	}}
	text, _ = template.Expand(context.Background(), values, shell)
	fmt.Println(text)
	// Output:
	// Review main.go with /skills/review/rules.md, on !`git branch --show-current`.
	// Review main.go with /skills/review/rules.md, on main.
}

func ExampleTemplate_Spans() {
	template := expand.Parse("Now: !`date`\n\n```\n!`rm -rf /`\n```\n")
	for _, span := range template.Spans() {
		fmt.Println(span.Line, span.Command)
	}
	for _, finding := range template.Findings() {
		fmt.Println(finding.Line, finding.Message)
	}
	// Output:
	// 1 date
	// 4 the shell command "rm -rf /" stands in fenced code and is left as text
}

func ExampleValues_Environment() {
	fmt.Println(expand.Values{SessionID: "S1"}.Environment())
	// Output: [SESSION_ID=S1 CLAUDE_SESSION_ID=S1]
}
