// Package expand makes the instructions of a skill ready for use: it puts values in
// place of template tokens and, only for a caller that brings a shell, the output of
// commands in place of shell spans.
//
// Tokens are $ARGUMENTS, $ARGUMENTS[N], $N (counted from 0, cut at blanks), $SKILL_DIR,
// $SESSION_ID, ${CLAUDE_SKILL_DIR} and ${CLAUDE_SESSION_ID}. A token without a value
// stays as it is. A backslash in front of one goes, and the token is text: \$1 is $1,
// whatever the arguments, in code too; nothing else takes or loses a backslash. When there are arguments and no token takes them, they are appended:
// a blank line, then "ARGUMENTS: " and the arguments.
//
// A shell span is an exclamation mark at the start of a line or behind a blank, with a
// code span behind it that ends on the same line: !`git branch`. In fenced code, inside
// other code spans, and written as \! it is text.
//
// The order makes that what is put in never acts: tokens and spans are found in one
// pass over the text that the author wrote, then replaced from left to right, and
// nothing that was put in, be it arguments or output, is looked at again. Tokens inside
// a span are not replaced either, whether it runs or not, since a value there would be
// read as shell code; Values.Environment hands the same values to a shell as variables,
// where they are only data. The result is final: to parse it again would undo all this.
//
// A use:
//
//	template := expand.Parse(skill.Body)
//	for _, span := range template.Spans() {
//		// show what would run
//	}
//	text, err := template.Expand(ctx, expand.Values{Arguments: "a b", SkillDir: dir}, nil)
package expand
