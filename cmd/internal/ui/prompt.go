package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// QuestionError tells that a question had to be asked and nobody is there to answer it.
type QuestionError struct {
	// Question is the text.
	Question string
	// Flag answers it, as it is written on the command line: "--skill NAME or --all".
	Flag string
	// Reason says why nobody was asked.
	Reason string
	// Exit is Choose for a choice, Usage for yes or no.
	Exit Exit
}

// Error names the question and the reason.
func (e *QuestionError) Error() string {
	return fmt.Sprintf("question %q cannot be asked: %s", e.Question, e.Reason)
}

// Code returns "question", or "multiple_candidates" for a choice.
func (e *QuestionError) Code() string {
	if e.Exit == Choose {
		return Choose.Code()
	}
	return "question"
}

// Hints names the flag.
func (e *QuestionError) Hints() []string { return []string{"answer it with " + e.Flag} }

// Fields returns the flag.
func (e *QuestionError) Fields() map[string]any { return map[string]any{"flag": e.Flag} }

// ExitStatus returns the status.
func (e *QuestionError) ExitStatus() int { return int(e.Exit) }

// Interactive tells whether a person can be asked.
func (t *Terminal) Interactive() bool { return t.silence() == "" }

// silence returns why nobody can be asked, "" when someone can.
func (t *Terminal) silence() string {
	c := t.config
	switch {
	case c.Yes:
		return "--yes forbids questions"
	case c.JSON:
		return "--json forbids questions"
	case c.CI:
		return "CI is set"
	case !c.InTerminal:
		return "standard input is not a terminal"
	case !c.ErrTerminal:
		return "standard error is not a terminal"
	}
	return ""
}

// Confirm asks a question that yes or no answers; the empty answer is no. The flag answers it on the command line; when that is
// "--yes" and it was given, the answer is yes. Where nobody can be asked the error is a *QuestionError. Ctrl-C and the end of the input
// are context.Canceled.
func (t *Terminal) Confirm(ctx context.Context, question, flag string) (bool, error) {
	if t.config.Yes && flag == "--yes" {
		return true, nil
	}
	if reason := t.silence(); reason != "" {
		return false, &QuestionError{Question: question, Flag: flag, Reason: reason, Exit: Usage}
	}
	defer t.hold()()
	for {
		answer, err := t.ask(ctx, sprint(t.colored(), "%s [y/N] ", []any{Bold(question)}))
		switch strings.ToLower(answer) {
		case "y", "yes":
			return true, err
		case "n", "no", "":
			return false, err
		}
	}
}

// Option is one answer of a choice.
type Option struct {
	// Label names it and can be typed; Note says more.
	Label, Note string
	// Chosen tells that it is chosen unless the user says otherwise.
	Chosen bool
}

// Choose asks which of the options are meant and returns their indices, ascending, at least one. The flag answers the question on the
// command line. Where nobody can be asked the error is a *QuestionError, exit 5. Ctrl-C, Esc and the end of the input are
// context.Canceled.
//
// Where animation is wanted it is a list with a filter ("/"), which is gone when it is answered, otherwise numbered lines and a typed answer: numbers, labels or "all".
func (t *Terminal) Choose(ctx context.Context, title, flag string, options []Option) ([]int, error) {
	if reason := t.silence(); reason != "" {
		return nil, &QuestionError{Question: title, Flag: flag, Reason: reason, Exit: Choose}
	}
	defer t.hold()()
	if t.animated() && t.config.Width > 0 {
		return t.pick(ctx, title, options)
	}
	return t.number(ctx, title, options)
}

// hold keeps the progress off the terminal until the returned function is called.
func (t *Terminal) hold() (release func()) {
	hold := func(asking bool) {
		t.mutex.Lock()
		defer t.mutex.Unlock()
		t.progress.clear()
		t.asking = asking
	}
	hold(true)
	return func() { hold(false) }
}

// pick lets the user mark the options in a list. The terminal is restored on the way out, on Ctrl-C and a cancelled context too.
func (t *Terminal) pick(ctx context.Context, title string, options []Option) ([]int, error) {
	l := newList(title, options)
	program := tea.NewProgram(l, tea.WithInput(t.config.In), tea.WithOutput(t.config.Err),
		tea.WithoutSignalHandler()) // the context knows of signals; two that listen to one lock each other
	stop := context.AfterFunc(ctx, func() { program.Send(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}) }) // so that the list goes away
	defer stop()
	_, err := program.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case l.cancelled:
		return nil, context.Canceled
	case err != nil:
		return nil, fmt.Errorf("question %q got no answer: %w", title, err)
	}
	return l.marked(), nil
}

// number prints the options with numbers and reads numbers, labels or "all" until they make sense.
func (t *Terminal) number(ctx context.Context, title string, options []Option) ([]int, error) {
	rows := make([][]string, len(options))
	var marked []int
	for i, o := range options {
		mark := ""
		if o.Chosen {
			mark = "*"
			marked = append(marked, i)
		}
		rows[i] = []string{mark, strconv.Itoa(i + 1), o.Label, o.Note}
	}
	t.say("%s", Bold(title))
	for _, line := range columns(rows) {
		t.say("%s", Cut(line, t.columns()))
	}
	prompt := "numbers, names or \"all\": "
	if marked != nil {
		prompt = "numbers, names or \"all\" (nothing for those with *): "
	}
	for {
		answer, err := t.ask(ctx, prompt)
		if err != nil {
			return nil, err
		}
		if answer == "" && marked != nil {
			return marked, nil
		}
		chosen, err := understand(answer, options)
		if err == nil {
			return chosen, nil
		}
		t.say("%s", err)
	}
}

// understand reads numbers from 1, labels or "all", apart by blanks or commas.
func understand(answer string, options []Option) ([]int, error) {
	var chosen []int
	for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }) {
		index := slices.IndexFunc(options, func(o Option) bool { return o.Label == word })
		if n, err := strconv.Atoi(word); index < 0 && err == nil && 1 <= n && n <= len(options) {
			index = n - 1
		}
		switch {
		case index >= 0:
			chosen = append(chosen, index)
		case word == "all":
			for i := range options {
				chosen = append(chosen, i)
			}
		default:
			return nil, fmt.Errorf("%q is none of them", word)
		}
	}
	if chosen == nil {
		return nil, errors.New("choose at least one")
	}
	slices.Sort(chosen)
	return slices.Compact(chosen), nil
}

// ask prints a prompt and returns the line that is typed, without blanks around it. The terminal stays in its ordinary mode, so there is
// nothing to restore; a read that a cancelled context leaves behind ends with the process.
func (t *Terminal) ask(ctx context.Context, prompt string) (string, error) {
	t.story(prompt)
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := t.answers.ReadString('\n')
		read <- line{strings.TrimSpace(text), err}
	}()
	select {
	case <-ctx.Done():
		t.story("\n")
		return "", ctx.Err()
	case l := <-read:
		if l.err != nil && l.text == "" {
			t.story("\n")
			return "", context.Canceled
		}
		return l.text, nil
	}
}
