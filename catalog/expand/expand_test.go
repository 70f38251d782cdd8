package expand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// echo runs nothing: it knows "echo TEXT" and "false", and keeps what it was asked for.
type echo struct {
	ran    []string
	failed []Span
	errs   []error
}

var errExit = errors.New("exit status 1")

func (e *echo) shell() *Shell {
	return &Shell{Run: e.run, OnFailure: func(span Span, err error) {
		e.failed, e.errs = append(e.failed, span), append(e.errs, err)
	}}
}

func (e *echo) run(_ context.Context, command string, stdout io.Writer) error {
	e.ran = append(e.ran, command)
	text, ok := strings.CutPrefix(command, "echo ")
	if !ok {
		return errExit
	}
	_, err := io.WriteString(stdout, text+"\n")
	return err
}

// TestTokens has the vectors of S0-23.
func TestTokens(t *testing.T) {
	all := Values{"a b", "/s/pdf", "S1"}
	for _, c := range []struct {
		id, text string
		values   Values
		want     string
	}{
		{"S0-23 numbers", "Do $0 then $1.", Values{Arguments: "a b"}, "Do a then b."},
		{"S0-23 appended", "Do it.", Values{Arguments: "x y"}, "Do it.\n\nARGUMENTS: x y"},
		{"S0-23 another variable", "$HOMEX", Values{}, "$HOMEX"},
		{"S0-23 whole", "<$ARGUMENTS>", all, "<a b>"},
		{"S0-23 indexed", "$ARGUMENTS[1]$ARGUMENTS[0]", all, "ba"},
		{"S0-23 skill", "$SKILL_DIR/x ${CLAUDE_SKILL_DIR}/y", Values{SkillDir: "/s/pdf"}, "/s/pdf/x /s/pdf/y"},
		{"S0-23 session", "$SESSION_ID ${CLAUDE_SESSION_ID}", Values{SessionID: "S1"}, "S1 S1"},
		{"S0-23 unresolved", "$ARGUMENTS $ARGUMENTS[0] $0 $SKILL_DIR $SESSION_ID ${CLAUDE_SKILL_DIR} ${CLAUDE_SESSION_ID}", Values{},
			"$ARGUMENTS $ARGUMENTS[0] $0 $SKILL_DIR $SESSION_ID ${CLAUDE_SKILL_DIR} ${CLAUDE_SESSION_ID}"},
		{"S0-23 beyond the last", "$1 $2 $ARGUMENTS[7]", all, "b $2 $ARGUMENTS[7]"},
		{"S0-23 a number beyond all", "$99999999999999999999", all, "$99999999999999999999"},
		{"S0-23 a token takes them though it has none", "$9", all, "$9"},
		{"S0-23 other names", "$ARGUMENTSX $SKILL_DIRS $SESSION_IDS $0x ${ARGUMENTS} $ {CLAUDE_SKILL_DIR} ${HOME}", Values{SkillDir: "/s", SessionID: "S"},
			"$ARGUMENTSX $SKILL_DIRS $SESSION_IDS $0x ${ARGUMENTS} $ {CLAUDE_SKILL_DIR} ${HOME}"},
		{"S0-23 no index", "$ARGUMENTS[x]", all, "a b[x]"},
		{"S0-23 blanks", "$0|$1|$2", Values{Arguments: "  a \t b\nc "}, "a|b|c"},
		{"S0-23 newlines at the end", "Do it.\n\n\n", Values{Arguments: "x"}, "Do it.\n\nARGUMENTS: x"},
		{"S0-23 nothing but arguments", "", Values{Arguments: "x"}, "ARGUMENTS: x"},
		{"S0-23 other tokens take none", "$SKILL_DIR", all, "/s/pdf\n\nARGUMENTS: a b"},
		{"S0-23 values are not read again", "$0 $1", Values{Arguments: "$1 $SKILL_DIR", SkillDir: "/s"}, "$1 $SKILL_DIR"},
		{"a backslash", "\\$0 \\$ARGUMENTS[1] \\${CLAUDE_SKILL_DIR} $0", all, "$0 $ARGUMENTS[1] ${CLAUDE_SKILL_DIR} a"},
		{"two backslashes", `\\$0`, all, `\$0` + "\n\nARGUMENTS: a b"},
		{"a backslash in code", "`awk '{print \\$1}'` $0", all, "`awk '{print $1}'` a"},
		{"a backslash before another", `\$HOME \$0x \a $0`, all, `\$HOME \$0x \a a`},
		{"a backslash without values", `\$0 \$ARGUMENTS`, Values{}, "$0 $ARGUMENTS"},
		{"a backslash takes no arguments", `\$0`, all, "$0\n\nARGUMENTS: a b"},
		{"blank arguments", "$ARGUMENTS $0", Values{Arguments: " \t\n"}, "$ARGUMENTS $0"},
		{"blank arguments are not appended", "Do it.", Values{Arguments: "   "}, "Do it."},
		{"S0-23 in code too", "```\n$0\n```\n`$1`", all, "```\na\n```\n`b`"},
		{"S0-23 no values", "Plain.\r\n", Values{}, "Plain.\r\n"},
	} {
		t.Run(c.id, func(t *testing.T) {
			got, err := Parse(c.text).Expand(t.Context(), c.values, nil)
			if err != nil || got != c.want {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestSpans has the vectors of S4-37 and the rows of table 3.12 that need no special shell.
func TestSpans(t *testing.T) {
	for _, c := range []struct{ id, text, want, ran string }{
		{"S4-37", "On !`echo main`.", "On main.", "echo main"},
		{"S4-37 no spans", "On main.", "On main.", ""},
		{"S4-37 failing", "On !`false`.", `On [the shell command "false" failed: exit status 1].`, "false"},
		{"S4-37 the second still runs", "!`false` !`echo hi`", `[the shell command "false" failed: exit status 1] hi`, "false|echo hi"},
		{"3.12-1", "a !`echo hi` b", "a hi b", "echo hi"},
		{"3.12-3", "!`echo a` !`echo b`", "a b", "echo a|echo b"},
		{"3.12-4 6-8", "x!`echo hi`", "x!`echo hi`", ""},
		{"3.12-5", "```\n!`echo hi`\n```\n!`echo x`", "```\n!`echo hi`\n```\nx", "echo x"},
		{"3.12-6", "\\!`echo`", "\\!`echo`", ""},
		{"3.12-6 behind a blank", "a \\!`echo x` b", "a \\!`echo x` b", ""},
		{"not closed by more", "!`echo !``", "!`echo !``", ""},
		{"3.12-12", "`!echo hi`", "`!echo hi`", ""},
		{"line start", "a\n!`echo b`\nc", "a\nb\nc", "echo b"},
		{"behind a tab", "a\t!`echo b`", "a\tb", "echo b"},
		{"in a list", "- !`echo b`\n> !`echo c`", "- b\n> c", "echo b|echo c"},
		{"longer runs", "!``echo `a` ``", "`a`", "echo `a`"},
		{"nothing to run", "!` ` !``", "!` ` !``", ""},
		{"not closed", "!`echo a\nb`", "!`echo a\nb`", ""},
		{"inside another code span", "`` !`echo a` ``", "`` !`echo a` ``", ""},
		{"behind a code span", "`a` !`echo b`", "`a` b", "echo b"},
		{"between code spans", "`a !`echo b` c`", "`a !`echo b` c`", ""},
		{"behind an escaped backtick", "\\` !`echo b`", "\\` b", "echo b"},
		{"behind an escaped backslash", "\\\\`a` !`echo b`", "\\\\`a` b", "echo b"},
		{"picture", "![x](y) !`echo b`", "![x](y) b", "echo b"},
		{"CRLF", "a\r\n!`echo b`\r\n", "a\r\nb\r\n", "echo b"},
		{"tokens inside stay", "!`echo $0 $SKILL_DIR` $0", "$0 $SKILL_DIR X", "echo $0 $SKILL_DIR"},
	} {
		t.Run(c.id, func(t *testing.T) {
			var e echo
			template := Parse(c.text)
			values := Values{SkillDir: "/s"}
			if strings.Contains(c.want, "X") {
				values.Arguments = "X"
			}
			got, err := template.Expand(t.Context(), values, e.shell())
			if ran := strings.Join(e.ran, "|"); err != nil || got != c.want || ran != c.ran {
				t.Errorf("%q, %v, want %q; ran %q, want %q", got, err, c.want, ran, c.ran)
			}
			var listed []string
			for _, span := range template.Spans() {
				listed = append(listed, span.Command)
			}
			if strings.Join(listed, "|") != c.ran {
				t.Errorf("listed %q", listed)
			}
		})
	}
}

// TestFences: what looks like a span in fenced code is text, with a warning.
func TestFences(t *testing.T) {
	for _, c := range []struct{ id, text, lines string }{
		{"3.12-5", "```\n!`a`\n```\n", "2"},
		{"tildes", "~~~sh\n!`a`\n~~~", "2"},
		{"not closed", "```\n!`a`\n\n!`b`", "2 4"},
		{"closed by more", "```\n`````\n!`run`", ""},
		{"not closed by less", "````\n```\n!`a`\n````\n!`run`", "3"},
		{"not closed by the other", "```\n~~~\n!`a`", "3"},
		{"not closed with words", "```\n``` x\n!`a`", "3"},
		{"not closed far in", "```\n     ```\n!`a`", "3"},
		{"in a list", "- ```\n  !`a`\n  ```\n  !`run`", "2"},
		{"deep in a list", "1. a\n\n     ```sh\n     !`a`\n     ```\n", "4"},
		{"in a quote", "> ```\n> !`a`\n> ```\n> !`run`", "2"},
		{"backticks in the words are a code span", "```x``` a\n!`run`", ""},
		{"two are none", "``\n!`run`\n``", ""},
		{"bang in the words", "~~~ !`a`\n!`a`", "1 2"},
		{"CRLF", "```\r\n!`a`\r\n```\r\n!`run`", "2"},
	} {
		t.Run(c.id, func(t *testing.T) {
			template := Parse(c.text)
			var lines []string
			for _, f := range template.Findings() {
				lines = append(lines, fmt.Sprint(f.Line))
				if f.Code != "shell_span_in_code" || f.Severity != "warning" {
					t.Errorf("finding %+v", f)
				}
			}
			if got := strings.Join(lines, " "); got != c.lines {
				t.Errorf("warnings at %q, want %q", got, c.lines)
			}
			want := 0
			for _, span := range template.Spans() {
				if span.Command != "run" {
					t.Errorf("%+v would run", span)
				}
				want++
			}
			if want != strings.Count(c.text, "`run`") {
				t.Errorf("%d would run", want)
			}
		})
	}
}

func TestSpansAreListedWithLines(t *testing.T) {
	want := []Span{{"a", 1}, {"b", 3}, {"c", 3}}
	if got := Parse("!`a`\n\n!`b` !` c `\n").Spans(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestOff: without a shell spans stay, to the byte.
func TestOff(t *testing.T) {
	const text = "a !`echo $0` b\n\n```\n!`x`\n```\n"
	for id, shell := range map[string]*Shell{"3.12-11 S0-23 C-30 no shell": nil, "3.12-11 a shell without a Run": {}} {
		t.Run(id, func(t *testing.T) {
			if got, err := Parse(text).Expand(t.Context(), Values{}, shell); err != nil || got != text {
				t.Errorf("%q, %v", got, err)
			}
			if got, err := Parse(text).Expand(t.Context(), Values{Arguments: "x"}, shell); err != nil || got != "a !`echo $0` b\n\n```\n!`x`\n```\n\nARGUMENTS: x" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// TestOutput has the rows of table 3.12 about what comes out of a command.
func TestOutput(t *testing.T) {
	for _, c := range []struct{ id, output, want string }{
		{"3.12-7 not run again", "!`x` $0 $SKILL_DIR", "!`x` $0 $SKILL_DIR"},
		{"3.12-8 several lines", "a\nb\n", "a\nb"},
		{"3.12-8 one newline is cut", "a\n\n", "a\n"},
		{"3.12-8 CRLF", "a\r\nb\r\n", "a\r\nb"},
		{"3.12-13 NUL", "a\x00b", "a\ufffdb"},
		{"3.12-13 no UTF-8", "a\xffb", "a\ufffdb"},
		{"3.12-13 escapes", "\x1b[2Ja\u009bb\x7f\rc\td", "\ufffd[2Ja\ufffdb\ufffd\ufffdc\td"},
		{"nothing", "", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			runs := 0
			shell := &Shell{Run: func(_ context.Context, _ string, stdout io.Writer) error {
				runs++
				_, err := io.WriteString(stdout, c.output)
				return err
			}}
			got, err := Parse("< !`x` > $0").Expand(t.Context(), Values{Arguments: "arg", SkillDir: "/s"}, shell)
			if want := "< " + c.want + " > arg"; err != nil || got != want || runs != 1 {
				t.Errorf("%q, %v, want %q; %d runs", got, err, want, runs)
			}
		})
	}
}

// TestArgumentsNeverRun puts spans together out of text and arguments in every way.
func TestArgumentsNeverRun(t *testing.T) {
	for _, text := range []string{"$ARGUMENTS", "!$ARGUMENTS", "!$0", "a !`$0`", "$0`echo`", " $0 $1", "Do it.", "!`echo $ARGUMENTS` $0", "$0\n", "```\n$0\n", "$SKILL_DIR $SESSION_ID"} {
		for _, evil := range []string{"!`evil`", "`evil`", "`; evil; `", "x\n!`evil`", "$(evil)", "```\n!`evil`", "! `evil`"} {
			var e echo
			if _, err := Parse(text).Expand(t.Context(), Values{evil, evil, evil}, e.shell()); err != nil {
				t.Fatal(err)
			}
			for _, command := range e.ran {
				if strings.Contains(command, "evil") {
					t.Errorf("%q with %q ran %q", text, evil, command)
				}
			}
		}
	}
}

func TestFailures(t *testing.T) {
	t.Run("S4-37", func(t *testing.T) {
		var e echo
		if _, err := Parse("!`false`\n!`echo a` !`nope`").Expand(t.Context(), Values{}, e.shell()); err != nil {
			t.Fatal(err)
		}
		if want := []Span{{"false", 1}, {"nope", 2}}; !slices.Equal(e.failed, want) || !errors.Is(e.errs[0], errExit) {
			t.Errorf("told %v %v, want %v", e.failed, e.errs, want)
		}
	})
	t.Run("S4-37 nobody to tell", func(t *testing.T) {
		long := errors.New("bad\n \x1b[31m" + strings.Repeat("x", 5000))
		shell := &Shell{Run: func(context.Context, string, io.Writer) error { return long }}
		got, err := Parse("!`c \"d\"`").Expand(t.Context(), Values{}, shell)
		if err != nil || !strings.HasPrefix(got, `[the shell command "c \"d\"" failed: bad `+"\ufffd[31mxxx") || len(got) > 1200 {
			t.Errorf("%.60q… (%d), %v", got, len(got), err)
		}
	})
}

func TestLimits(t *testing.T) {
	t.Run("S4-37 number", func(t *testing.T) {
		var e echo
		shell := e.shell()
		shell.Limits.Spans = 2
		_, err := Parse("!`echo a` !`echo b` !`echo c`").Expand(t.Context(), Values{}, shell)
		var limit *Error
		if !errors.As(err, &limit) || limit.Code() != "too_large" || len(limit.Hints()) == 0 || len(e.ran) != 0 {
			t.Errorf("%v; ran %q", err, e.ran)
		}
	})
	t.Run("S4-37 size", func(t *testing.T) {
		var e echo
		shell := e.shell()
		shell.Limits.Bytes = 6
		got, err := Parse("!`echo 12345` !`echo 123456` !`echo b`").Expand(t.Context(), Values{}, shell)
		if want := `12345 [the shell command "echo 123456" failed: it wrote more than 6 bytes] b`; err != nil || got != want || len(e.failed) != 1 {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("S4-37 size of a command that does not care", func(t *testing.T) {
		shell := &Shell{Run: func(_ context.Context, _ string, stdout io.Writer) error {
			for range 1000 {
				_, _ = stdout.Write(make([]byte, 1000))
			}
			return nil
		}}
		got, err := Parse("!`yes`").Expand(t.Context(), Values{}, shell)
		if err != nil || got != `[the shell command "yes" failed: it wrote more than 65536 bytes]` {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("S4-37 time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			shell := &Shell{Limits: Limits{Time: time.Millisecond}, Run: func(ctx context.Context, command string, _ io.Writer) error {
				if command == "b" {
					return nil
				}
				<-ctx.Done()
				return ctx.Err()
			}}
			got, err := Parse("!`a` !`b`.").Expand(t.Context(), Values{}, shell)
			if err != nil || got != `[the shell command "a" failed: it took more than 1ms] .` {
				t.Errorf("%q, %v", got, err)
			}
		})
	})
	t.Run("a result beyond all bounds", func(t *testing.T) {
		huge := strings.Repeat("x", 1<<16)
		for _, text := range []string{strings.Repeat("$0 ", 1000), strings.Repeat("x", maxText)} {
			_, err := Parse(text).Expand(t.Context(), Values{Arguments: huge}, nil)
			var limit *Error
			if !errors.As(err, &limit) || limit.Kind != "too_large" {
				t.Errorf("error %v", err)
			}
		}
	})
}

func TestCancelled(t *testing.T) {
	cause := errors.New("switch")
	t.Run("3.12-14 before", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		var e echo
		if got, err := Parse("!`echo a`").Expand(ctx, Values{}, e.shell()); err != cause || got != "" || len(e.ran) != 0 {
			t.Errorf("%q, %v; ran %q", got, err, e.ran)
		}
	})
	t.Run("3.12-14 while one runs", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		runs := 0
		shell := &Shell{
			Run: func(ctx context.Context, _ string, _ io.Writer) error {
				runs++
				cancel(cause)
				<-ctx.Done()
				return ctx.Err()
			},
			OnFailure: func(Span, error) { t.Error("this is no failure of the span") },
		}
		if got, err := Parse("!`a` !`b`").Expand(ctx, Values{}, shell); err != cause || got != "" || runs != 1 {
			t.Errorf("%q, %v, %d runs", got, err, runs)
		}
	})
}

func TestEnvironment(t *testing.T) {
	want := []string{"ARGUMENTS=$(rm) `x`", "SKILL_DIR=/s", "CLAUDE_SKILL_DIR=/s"}
	if got := (Values{Arguments: "$(rm) `x`", SkillDir: "/s"}).Environment(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzExpand(f *testing.F) {
	for _, text := range []string{
		"Do $0 then $1.", "a !`echo hi` b", "```\n!`x`\n```", "\\!`echo` $ARGUMENTS[0]", "!``a`b``", "> - ~~~\n!`x`", "$ARGUMENTS${CLAUDE_SKILL_DIR}", "!`$0`\xff\x00", "`\\`!`a`",
	} {
		f.Add(text, "a b")
		f.Add(text, "!`evil` $0\n```")
	}
	f.Fuzz(func(t *testing.T, text, arguments string) {
		template := Parse(text)
		if got, err := template.Expand(t.Context(), Values{}, nil); err != nil || got != text && !strings.Contains(text, `\$`) {
			t.Fatalf("without values %q becomes %q, %v", text, got, err)
		}
		var wanted []string
		for _, span := range template.Spans() {
			wanted = append(wanted, span.Command)
			if !strings.Contains(text, span.Command) || span.Line < 1 {
				t.Errorf("span %+v", span)
			}
		}
		var e echo
		shell := e.shell()
		shell.Limits.Spans = len(text) + 1
		if _, err := template.Expand(t.Context(), Values{arguments, arguments, arguments}, shell); err == nil && !slices.Equal(e.ran, wanted) {
			t.Errorf("ran %q, listed %q", e.ran, wanted)
		}
	})
}

// TestParseIsLinear parses texts for which work that grows with the square would take many seconds.
func TestParseIsLinear(t *testing.T) {
	var rising strings.Builder
	for i := 1; i < 300; i++ {
		rising.WriteString(strings.Repeat("`", i) + " ")
	}
	const many = 1 << 14
	for _, text := range []string{
		rising.String(), strings.Repeat("!`a", many), strings.Repeat(" !`a`", many), strings.Repeat("`` ` ", many), strings.Repeat("$0", many),
		strings.Repeat("> ", many) + "```", strings.Repeat("```\n", many), strings.Repeat(`\`, many) + "`", strings.Repeat("$ARGUMENTS[", many), strings.Repeat("1. ", many),
	} {
		if got, err := Parse(text).Expand(t.Context(), Values{}, nil); err != nil || got != text {
			t.Errorf("%.10q…: %v", text, err)
		}
	}
}

// TestLateIsTooLate has a Run that pays no heed to its context and says that all is well.
func TestLateIsTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failed error
		shell := &Shell{Limits: Limits{Time: time.Second, Spans: -1, Bytes: -1}, OnFailure: func(_ Span, err error) { failed = err },
			Run: func(_ context.Context, _ string, stdout io.Writer) error {
				time.Sleep(time.Minute)
				_, err := io.WriteString(stdout, "late")
				return err
			}}
		got, err := Parse("!`x`").Expand(t.Context(), Values{}, shell)
		var e *Error
		if err != nil || !errors.As(failed, &e) || e.Kind != "timeout" || strings.Contains(got, "late") {
			t.Errorf("%q, %v, %v", got, err, failed)
		}
	})
}

func TestLimitsBelowOne(t *testing.T) {
	shell := &Shell{Limits: Limits{Spans: -1, Bytes: -1, Time: -1}}
	if got := shell.limits(); got != (Limits{32, 64 << 10, 10 * time.Second}) {
		t.Errorf("%+v", got)
	}
}
