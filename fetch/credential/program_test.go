package credential

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// exit is the error of a program that ended with a status.
type exit int

func (e exit) Error() string { return "it failed" }
func (e exit) ExitCode() int { return int(e) }

// recorded runs nothing: it keeps the command and answers.
func recorded(commands *[]Command, answer string, err error) Runner {
	return func(_ context.Context, c Command) (string, error) {
		*commands = append(*commands, c)
		return answer, err
	}
}

func TestProgramsAreAskedForOneHostAfterARefusal(t *testing.T) {
	for _, test := range []struct {
		name    string
		source  func(Runner) Source
		request Request
		answer  string
		err     error
		want    Credential
		command string
		input   string
	}{
		{name: "gh", source: GitHubCLI, request: Request{Host: "github.com", Refused: true}, answer: "gho_x\n",
			want:    Credential{User: "x-access-token", Password: "gho_x", Token: true, From: "gh auth token"},
			command: "gh auth token --hostname github.com"},
		{name: "gh before a refusal", source: GitHubCLI, request: Request{Host: "github.com"}, answer: "gho_x\n"},
		{name: "gh, signed out", source: GitHubCLI, request: Request{Host: "github.com", Refused: true}, err: exit(1), command: "gh auth token --hostname github.com"},
		{name: "gh, not there", source: GitHubCLI, request: Request{Host: "github.com", Refused: true}, err: ErrNoProgram, command: "gh auth token --hostname github.com"},
		{name: "gh for a host that is a flag", source: GitHubCLI, request: Request{Host: "--help", Refused: true}, answer: "x"},
		{name: "glab", source: GitLabCLI, request: Request{Host: "gitlab.corp.example:8443", Refused: true}, answer: "glpat-x\n",
			want:    Credential{User: "oauth2", Password: "glpat-x", Token: true, From: "glab config get token"},
			command: "glab config get token --host gitlab.corp.example:8443"},
		{name: "glab without one", source: GitLabCLI, request: Request{Host: "gitlab.com", Refused: true}, answer: "\n", command: "glab config get token --host gitlab.com"},
		{name: "git", source: GitHelpers, request: Request{Host: "h.example", Path: "o/r.git", Refused: true},
			answer:  "protocol=https\nhost=h.example\nusername=me\npassword=p=q \n",
			want:    Credential{User: "me", Password: "p=q ", From: "git's credential helper"},
			command: "git credential fill", input: "protocol=https\nhost=h.example\npath=o/r.git\n\n"},
		{name: "git for another host", source: GitHelpers, request: Request{Host: "h.example", Refused: true},
			answer: "protocol=https\nhost=other.example\nusername=me\npassword=p\n", command: "git credential fill", input: "protocol=https\nhost=h.example\n\n"},
		{name: "git without a helper", source: GitHelpers, request: Request{Host: "h.example", Refused: true}, err: exit(128),
			command: "git credential fill", input: "protocol=https\nhost=h.example\n\n"},
		{name: "git before a refusal", source: GitHelpers, request: Request{Host: "h.example"}},
		{name: "git for two lines", source: GitHelpers, request: Request{Host: "h.example\nhost=other.example", Refused: true}},
		{name: "git for a path of two lines", source: GitHelpers, request: Request{Host: "h.example", Path: "o\nhost=other.example", Refused: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var commands []Command
			found, err := test.source(recorded(&commands, test.answer, test.err))(t.Context(), test.request)
			if err != nil || found != test.want {
				t.Errorf("got %q from %q, %v", found.Password, found.From, err)
			}
			var lines, input string
			for _, c := range commands {
				lines, input = lines+strings.Join(append([]string{c.Program}, c.Arguments...), " "), c.Input
			}
			if lines != test.command || input != test.input {
				t.Errorf("ran %q with %q", lines, input)
			}
		})
	}
}

func TestAProgramThatGivesNoAnswerIsAnError(t *testing.T) {
	slow := errors.New("gh gave no answer within 10s")
	for _, source := range []func(Runner) Source{GitHubCLI, GitHelpers} {
		var commands []Command
		if _, err := source(recorded(&commands, "", slow))(t.Context(), Request{Host: "h", Refused: true}); !errors.Is(err, slow) {
			t.Errorf("error %v", err)
		}
	}
}

func TestTokensOfWhateverHostAreNotSeenBySignInPrograms(t *testing.T) {
	for _, source := range []func(Runner) Source{GitHubCLI, GitLabCLI} {
		var commands []Command
		if _, err := source(recorded(&commands, "x", nil))(t.Context(), Request{Host: "h", Refused: true}); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITLAB_TOKEN"} {
			if !slices.Contains(commands[0].Without, name) {
				t.Errorf("%s sees %s", commands[0].Program, name)
			}
		}
	}
}

// program writes a shell script.
func program(t *testing.T, text string) Programs {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no shell scripts there")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "helper")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return Programs{Find: func(name string) (string, error) {
		if name != "helper" {
			return "", exec.ErrNotFound
		}
		return path, nil
	}, Env: []string{"PATH=" + os.Getenv("PATH"), "SEEN=1", "HIDDEN=2", "CHANGED=old"}, Dir: dir, Wait: time.Minute}
}

func TestProgramsRunInTheirEnvironmentAndDirectory(t *testing.T) {
	p := program(t, `read line; pwd; echo "$line $SEEN$HIDDEN $CHANGED $#"; echo secret >&2; [ -t 0 ] || echo no terminal`)
	out, err := p.Run(t.Context(), Command{
		Program: "helper", Arguments: []string{"a", "b c"}, Input: "input\n", Set: []string{"CHANGED=new"}, Without: []string{"HIDDEN", "CHANGED"},
	})
	dir, linkErr := filepath.EvalSymlinks(p.Dir)
	if want := dir + "\ninput 1 new 2\nno terminal\n"; err != nil || linkErr != nil || out != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}

func TestProgramsAreBounded(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{"head -c 70000 /dev/zero", "helper wrote more than 65536 bytes"},
		{"exec sleep 60", "helper gave no answer within 100ms"},
		{"sleep 5 & echo x", "no answer|WaitDelay"}, // a child that keeps the output open
		{"exit 3", "exit status 3"},
	} {
		p := program(t, test.script)
		if !strings.Contains(test.script, "head") && !strings.Contains(test.script, "exit") {
			p.Wait = 100 * time.Millisecond
		}
		_, err := p.Run(t.Context(), Command{Program: "helper"})
		if err == nil || !slices.ContainsFunc(strings.Split(test.want, "|"), func(want string) bool { return strings.Contains(err.Error(), want) }) {
			t.Errorf("%s: error %v, want %q", test.script, err, test.want)
		}
	}
	if _, err := program(t, "").Run(t.Context(), Command{Program: "absent"}); !errors.Is(err, ErrNoProgram) {
		t.Errorf("error %v", err)
	}
}

func TestACancelledContextEndsAProgram(t *testing.T) {
	p := program(t, "exec sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := p.Run(ctx, Command{Program: "helper"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// git's own word for what a helper gives, with a question forbidden: it is not asked of the terminal or of an askpass program.
func TestGitItselfFillsInFromAHelperAndNeverAsks(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not on this machine")
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "config")
	helper := "[include]\n\tpath = " + dir + "/more\n"
	more := "[credential \"https://known.example\"]\n\thelper = \"!f() { test $1 = get && cat >" + dir + "/asked && echo username=me && echo password=secret; }; f\"\n[core]\n\taskPass = " + dir + "/askpass\n"
	askpass := "#!/bin/sh\ntouch " + dir + "/was-asked\necho typed\n"
	if err := errors.Join(os.WriteFile(config, []byte(helper), 0o644), os.WriteFile(dir+"/more", []byte(more), 0o644), os.WriteFile(dir+"/askpass", []byte(askpass), 0o755)); err != nil {
		t.Fatal(err)
	}
	open := t.TempDir() // whoever may write there may have a repository in it
	for _, args := range [][]string{
		{"init", "--quiet"}, {"config", "credential.helper", "!touch " + dir + "/was-asked; echo username=evil; echo password=evil; :"}, {"config", "credential.https://known.example.username", "evil"},
	} {
		command := exec.Command(git, args...)
		command.Dir, command.Env = open, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	programs := Programs{Find: func(string) (string, error) { return git, nil }, Dir: open, Env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_GLOBAL=" + config, "GIT_CONFIG_NOSYSTEM=1", "SSH_ASKPASS=" + dir + "/askpass", "GIT_ASKPASS=" + dir + "/askpass",
	}}
	find := GitHelpers(programs.Run)
	found, err := find(t.Context(), Request{Host: "known.example", Path: "o/r.git", Refused: true})
	if err != nil || found.User != "me" || found.Password != "secret" {
		t.Errorf("got %q, %v", found.Password, err)
	}
	if found, err = find(t.Context(), Request{Host: "unknown.example", Refused: true}); err != nil || !found.IsZero() {
		t.Errorf("got %q, %v", found.Password, err)
	}
	if _, err := os.Stat(dir + "/was-asked"); err == nil {
		t.Error("a question was asked, or a helper of the directory")
	}
	if asked, err := os.ReadFile(dir + "/asked"); err != nil || !strings.Contains(string(asked), "host=known.example\n") {
		t.Errorf("the helper was told %q, %v", asked, err)
	}
}
