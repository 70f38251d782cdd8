package ui

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// three are options of a choice, the second chosen.
func three() []Option {
	return []Option{{Label: "pdf", Note: "Reads PDFs."}, {Label: "xlsx", Chosen: true}, {Label: "3", Note: "a name that is a number"}}
}

// plainTerminal is a terminal without animation, where questions are lines.
func plainTerminal(c *Config) {
	onTerminal(c)
	c.NoColor = true
}

func TestNoQuestionWithoutSomeoneToAnswer(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Config)
		reason string
	}{
		{"pipe", nil, "standard input is not a terminal"},
		{"story into a file", func(c *Config) { c.InTerminal = true }, "standard error is not a terminal"},
		{"CI", func(c *Config) { onTerminal(c); c.CI = true }, "CI is set"},
		{"yes", func(c *Config) { onTerminal(c); c.Yes = true }, "--yes forbids questions"},
		{"json", func(c *Config) { onTerminal(c); c.JSON = true }, "--json forbids questions"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScreen("y\n", test.change)
			if s.Interactive() {
				t.Error("a person could be asked")
			}
			var question *QuestionError
			_, err := s.Choose(t.Context(), "Which skills?", "--skill NAME or --all", three())
			if !errors.As(err, &question) || question.Reason != test.reason || question.Flag != "--skill NAME or --all" {
				t.Errorf("choice: %v", err)
			}
			if status(err) != 5 || code(err) != "multiple_candidates" || !slices.Equal(hints(err), []string{"answer it with --skill NAME or --all"}) {
				t.Errorf("choice: exit %d, %s, %q", status(err), code(err), hints(err))
			}
			_, err = s.Confirm(t.Context(), "Overwrite?", "--force")
			if !errors.As(err, &question) || question.Question != "Overwrite?" {
				t.Errorf("yes or no: %v", err)
			}
			if status(err) != 2 || code(err) != "question" || question.Fields()["flag"] != "--force" {
				t.Errorf("yes or no: exit %d, %s, %v", status(err), code(err), question.Fields())
			}
			s.expect(t, "", "")
		})
	}
}

func TestYesAnswersItsOwnQuestionsOnly(t *testing.T) {
	s := newScreen("", func(c *Config) { c.Yes = true })
	if ok, err := s.Confirm(t.Context(), "Install?", "--yes"); !ok || err != nil {
		t.Errorf("--yes: %v, %v", ok, err)
	}
	if ok, err := s.Confirm(t.Context(), "Overwrite?", "--force"); ok || err == nil {
		t.Errorf("--force: %v, %v", ok, err)
	}
}

func TestConfirmReadsYesOrNo(t *testing.T) {
	const prompt = "Go on? [y/N] "
	for _, test := range []struct {
		input string
		want  bool
		err   error
		story string
	}{
		{"y\n", true, nil, prompt},
		{"YES\r\n", true, nil, prompt},
		{"n\n", false, nil, prompt},
		{" No \n", false, nil, prompt},
		{"\n", false, nil, prompt},
		{"maybe\ny\n", true, nil, prompt + prompt},
		{"y", true, nil, prompt},
		{"", false, context.Canceled, prompt + "\n"},
		{"maybe", false, context.Canceled, prompt + prompt + "\n"},
	} {
		s := newScreen(test.input, plainTerminal)
		got, err := s.Confirm(t.Context(), "Go on?", "--yes")
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%q is %v, %v", test.input, got, err)
		}
		s.expect(t, "", test.story)
	}
}

func TestQuestionsFollowEachOther(t *testing.T) {
	s := newScreen("1\ny\nn\n", plainTerminal)
	chosen, err := s.Choose(t.Context(), "Which?", "--skill", three())
	first, err1 := s.Confirm(t.Context(), "One?", "--yes")
	second, err2 := s.Confirm(t.Context(), "Two?", "--yes")
	if err := errors.Join(err, err1, err2); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(chosen, []int{0}) || !first || second {
		t.Errorf("answers %v, %v, %v", chosen, first, second)
	}
}

func TestCancelledContextEndsAQuestion(t *testing.T) {
	read, write := io.Pipe() // nothing ever arrives
	defer write.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newScreen("", func(c *Config) { plainTerminal(c); c.In = read })
	if _, err := s.Confirm(ctx, "Go on?", "--yes"); !errors.Is(err, context.Canceled) {
		t.Errorf("yes or no: %v", err)
	}
	if status := s.Fail(ctx.Err()); status != 130 {
		t.Errorf("exit %d, want 130", status)
	}
}

func TestNumberedChoice(t *testing.T) {
	for _, test := range []struct {
		input string
		want  []int
		err   error
		says  string
	}{
		{"1\n", []int{0}, nil, ""},
		{"2 1\n", []int{0, 1}, nil, ""},
		{"1,2,1\n", []int{0, 1}, nil, ""},
		{"pdf, xlsx\n", []int{0, 1}, nil, ""},
		{"3\n", []int{2}, nil, ""},
		{"all\n", []int{0, 1, 2}, nil, ""},
		{"\n", []int{1}, nil, ""},
		{"4\n1\n", []int{0}, nil, `"4" is none of them`},
		{"0\n1\n", []int{0}, nil, `"0" is none of them`},
		{"-1\n1\n", []int{0}, nil, `"-1" is none of them`},
		{"PDF\x1b[2J\n1\n", []int{0}, nil, `"PDF\x1b[2J" is none of them`},
		{",\n1\n", []int{0}, nil, "choose at least one"},
		{"", nil, context.Canceled, ""},
	} {
		s := newScreen(test.input, plainTerminal)
		got, err := s.Choose(t.Context(), "Which skills?", "--skill", three())
		if !slices.Equal(got, test.want) || !errors.Is(err, test.err) {
			t.Errorf("%q is %v, %v", test.input, got, err)
		}
		const list = "Which skills?\n   1  pdf   Reads PDFs.\n*  2  xlsx\n   3  3     a name that is a number\n"
		if !strings.HasPrefix(s.err.String(), list) || !strings.Contains(s.err.String(), test.says) {
			t.Errorf("%q: standard error is %q", test.input, s.err.String())
		}
	}
}

func TestNumberedChoiceWithoutAPreferenceWantsAnAnswer(t *testing.T) {
	s := newScreen("\n2\n", plainTerminal)
	got, err := s.Choose(t.Context(), "Which?", "--skill", []Option{{Label: "a\x1b[2J"}, {Label: "b\nc"}})
	if err != nil || !slices.Equal(got, []int{1}) {
		t.Errorf("chosen %v, %v", got, err)
	}
	const prompt = "numbers, names or \"all\": "
	s.expect(t, "", "Which?\n  1  a\\x1b[2J\n  2  b c\n"+prompt+"choose at least one\n"+prompt)
}

// typed gives what is typed and then waits, as a terminal does, until the test ends.
func typed(t *testing.T, keys string) io.Reader {
	read, write := io.Pipe()
	t.Cleanup(func() { write.Close() })
	go func() { _, _ = io.WriteString(write, keys) }()
	return read
}

func TestListChoice(t *testing.T) {
	for _, test := range []struct {
		name, keys string
		want       []int
		err        error
	}{
		{"what is chosen already", "\r", []int{1}, nil},
		{"one more above", "kx\r", []int{0, 1}, nil},
		{"another below instead", "xjx\r", []int{2}, nil},
		{"all", "\x01\r", []int{0, 1, 2}, nil},
		{"filtered", "x/pd\rx\r", []int{0}, nil},
		{"none is refused", "x\rx\r", []int{1}, nil},
		{"control C", "\x03", nil, context.Canceled},
		{"escape", "\x1b", nil, context.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScreen("", func(c *Config) { onTerminal(c); c.In = typed(t, test.keys) })
			got, err := s.Choose(t.Context(), "Which skills?", "--skill", three())
			if !slices.Equal(got, test.want) || !errors.Is(err, test.err) {
				t.Errorf("%q is %v, %v", test.keys, got, err)
			}
			if s.out.Len() != 0 {
				t.Errorf("standard output is %q", s.out.String())
			}
		})
	}
}

func TestCancelledContextEndsAListChoice(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newScreen("", func(c *Config) { onTerminal(c); c.In = typed(t, "") })
	if got, err := s.Choose(ctx, "Which skills?", "--skill", three()); got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("chosen %v, %v", got, err)
	}
}

func TestNumberedOptionsAreOneLineEach(t *testing.T) {
	s := newScreen("1\n", func(c *Config) { plainTerminal(c); c.Width = 30 })
	long := strings.Repeat("reads ", 200)
	if _, err := s.Choose(t.Context(), "Which?", "--skill", []Option{{Label: "pdf", Note: long}, {Label: "xlsx", Note: long}}); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "", "Which?\n  1  pdf   reads reads reads …\n  2  xlsx  reads reads reads …\nnumbers, names or \"all\": ")
}

func TestChoiceOnATerminalOfUnknownSizeIsNumbered(t *testing.T) {
	s := newScreen("1\n", func(c *Config) { onTerminal(c); c.Width = 0 })
	got, err := s.Choose(t.Context(), "Which?", "--skill", three())
	if !slices.Equal(got, []int{0}) || err != nil {
		t.Errorf("chosen %v, %v", got, err)
	}
}
