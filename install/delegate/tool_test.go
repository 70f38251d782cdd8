package delegate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain makes this test binary the npm tool where a test runs it so.
func TestMain(m *testing.M) {
	switch os.Getenv("DELEGATE_TEST") {
	case "fail":
		fmt.Fprintln(os.Stderr, "no such skill: "+strings.Join(os.Args[1:], " "))
		os.Exit(3)
	case "wait":
		fmt.Println("waiting")
		time.Sleep(time.Minute) // until it is interrupted
	case "say":
		dir, _ := os.Getwd()
		fmt.Println("installed in", filepath.Base(dir), os.Getenv(Guard))
	default:
		os.Exit(m.Run())
	}
}

type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }
func (e exitError) ExitCode() int { return int(e) }

// saying is a Runner that says a text and ends with an error.
func saying(text string, err error) Runner {
	return func(_ context.Context, _ Command, output io.Writer) error {
		_, failure := io.WriteString(output, text)
		return errors.Join(failure, err)
	}
}

func request() Request { return Request{Source: "acme/kit", Skills: []string{"pdf"}} }

// TestOutput: what the tool says is handed on line by line.
func TestOutput(t *testing.T) {
	for _, c := range []struct {
		id, said string
		want     []string
	}{
		{"lines", "a\n\nb\r\n  c", []string{"a", "b", "c"}},
		{"colours and cursors", "\x1b[?25l\x1b[32mdone\x1b[0m\n\x1b[2K\r\x1b]0;title\x07next\n", []string{"done", "next"}},
		{"what overwrites itself", "10%\r50%\r100%\n", []string{"10%", "50%", "100%"}},
		{"nothing", "\n \n", nil},
		{"a line without end", strings.Repeat("x", maxLine+1), []string{strings.Repeat("x", maxLine), "x"}},
	} {
		t.Run(c.id, func(t *testing.T) {
			var got []string
			tool := Tool{Program: "/bin/skills", Run: saying(c.said, nil), Output: func(line string) { got = append(got, line) }}
			if err := tool.Add(t.Context(), request()); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%.80q, %v", got, err)
			}
		})
	}
}

func TestFailure(t *testing.T) {
	long := strings.Repeat("line\n", 1000) + "third\nsecond\nlast\n"
	for _, c := range []struct {
		id, said string
		err      error
		status   int
		message  string
	}{
		{"3.9-29", "no such skill\n", exitError(1), 1, `"/bin/skills" ended with exit status 1: no such skill`},
		{"3.9-29 the end of much", long, exitError(7), 7, `"/bin/skills" ended with exit status 7: third; second; last`},
		{"3.9-29 no words", "", exitError(1), 1, `"/bin/skills" ended with exit status 1`},
		{"not run", "", os.ErrPermission, 0, `"/bin/skills" cannot be run to its end: permission denied`},
	} {
		t.Run(c.id, func(t *testing.T) {
			err := Tool{Program: "/bin/skills", Run: saying(c.said, c.err)}.Add(t.Context(), request())
			var failure *Error
			if !errors.As(err, &failure) || failure.Code() != "delegate_failed" || failure.Error() != c.message || failure.ExitStatus() != 1 {
				t.Fatalf("%v", err)
			}
			if fields := failure.Fields(); fields["status"] != c.status || len(failure.Text) > maxLast*len("line\n")+20 || !errors.Is(err, c.err) {
				t.Errorf("%v, cause %v", fields, failure.Cause)
			}
			if len(failure.Hints()) != 1 || !strings.Contains(failure.Hints()[0], "--engine native") {
				t.Errorf("hints %q", failure.Hints())
			}
		})
	}
}

func TestNothingRunsForABadRequest(t *testing.T) {
	run := func(context.Context, Command, io.Writer) error { t.Error("it runs"); return nil }
	if err := (Tool{Program: "/bin/skills", Run: run}).Add(t.Context(), Request{Source: "acme/kit"}); err == nil {
		t.Error("no error")
	}
}

// self is this test binary as the tool, in a role of TestMain.
func self(t *testing.T, role string) Tool {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	environment := append(os.Environ(), "DELEGATE_TEST="+role)
	return Tool{Program: program, Dir: t.TempDir(), Environment: environment}
}

func TestExecute(t *testing.T) {
	t.Run("in its directory, guarded", func(t *testing.T) {
		tool := self(t, "say")
		var said []string
		tool.Output = func(line string) { said = append(said, line) }
		if err := tool.Add(t.Context(), request()); err != nil || !slices.Equal(said, []string{"installed in " + filepath.Base(tool.Dir) + " 1"}) {
			t.Errorf("%q, %v", said, err)
		}
	})
	t.Run("3.9-29", func(t *testing.T) {
		err := self(t, "fail").Add(t.Context(), request())
		var failure *Error
		if !errors.As(err, &failure) || failure.Status != 3 || failure.Text != "no such skill: add acme/kit --skill pdf -y" {
			t.Errorf("%#v", err)
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Error("the cause is lost")
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		tool := self(t, "wait")
		tool.Output = func(string) { cancel(cause) }
		if err := tool.Add(ctx, request()); err != cause {
			t.Errorf("%v", err)
		}
	})
	t.Run("a program that is gone", func(t *testing.T) {
		tool := self(t, "say")
		tool.Program = filepath.Join(tool.Dir, "nothing")
		var failure *Error
		if err := tool.Add(t.Context(), request()); !errors.As(err, &failure) || failure.Status != 0 || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v", err)
		}
	})
}

// place makes directories with a file "skills" in each of the given modes; 0 is none.
func place(t *testing.T, modes ...os.FileMode) (dirs, programs []string) {
	t.Helper()
	name := "skills"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for i, mode := range modes {
		dir := t.TempDir()
		program := filepath.Join(dir, name)
		if mode != 0 {
			if err := os.WriteFile(program, []byte{byte(i)}, mode); err != nil {
				t.Fatal(err)
			}
		}
		dirs, programs = append(dirs, dir), append(programs, program)
	}
	return dirs, programs
}

func TestFind(t *testing.T) {
	dirs, programs := place(t, 0o755, 0o755, 0, 0o755)
	link := filepath.Join(dirs[2], filepath.Base(programs[0]))
	if err := os.Symlink(programs[0], link); err != nil {
		t.Skip(err)
	}
	hard := t.TempDir()
	if err := os.Link(programs[0], filepath.Join(hard, filepath.Base(programs[0]))); err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, filepath.Base(programs[0])), 0o755); err != nil {
		t.Fatal(err)
	}
	plain, _ := place(t, 0o644)
	for _, c := range []struct {
		id   string
		path []string
		want string
	}{
		{"the first", []string{dirs[1], dirs[3]}, programs[1]},
		{"S4-23 not ourselves", []string{dirs[0], dirs[1]}, programs[1]},
		{"S4-23 not a link to ourselves", []string{dirs[2], hard, dirs[3]}, programs[3]},
		{"S4-23 only ourselves", []string{dirs[0], dirs[2], hard}, "where only this program"},
		{"nothing there", []string{t.TempDir(), filepath.Join(dirs[0], "nowhere")}, "is not on PATH"},
		{"a directory of the name", []string{folder}, "is not on PATH"},
		{"no path", nil, "is not on PATH"},
		{"not absolute", []string{"", ".", "bin"}, "is not on PATH"},
	} {
		t.Run(c.id, func(t *testing.T) {
			found(t, Search{Path: strings.Join(c.path, string(os.PathListSeparator)), Self: programs[0]}, c.want)
		})
	}
	if runtime.GOOS != "windows" {
		t.Run("not executable", func(t *testing.T) { found(t, Search{Path: plain[0], Self: programs[0]}, "is not on PATH") })
	}
	t.Run("we do not know who we are", func(t *testing.T) {
		found(t, Search{Path: dirs[1], Self: filepath.Join(dirs[1], "gone")}, "cannot be told from this program")
	})
}

// found wants a path, or an error that holds a text.
func found(t *testing.T, search Search, want string) {
	t.Helper()
	got, err := search.Find()
	if filepath.IsAbs(want) {
		if got != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
		return
	}
	var missing *Error
	if !errors.As(err, &missing) || missing.Kind != "delegate_missing" || !strings.Contains(missing.Message, want) || missing.Hint == "" || got != "" {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
