package credential

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// ErrNoProgram says that a program is not on this machine.
var ErrNoProgram = errors.New("the program is not there")

// Command is a program that may know a credential.
type Command struct {
	Program   string
	Arguments []string
	Input     string
	Set       []string // "NAME=value": added to the environment
	Without   []string // names of variables that it does not see
}

// Runner runs a command and gives what it wrote. A program that is not there is [ErrNoProgram]; one that ends with another status
// than 0 is an *exec.ExitError, or whatever has ExitCode() int.
type Runner func(context.Context, Command) (string, error)

// Programs run on this machine.
type Programs struct {
	Find func(name string) (path string, err error) // [exec.LookPath] is one
	Env  []string                                   // "NAME=value"
	Dir  string                                     // where they run: not where others write, whose files could lead them
	Wait time.Duration                              // how long one may take; 0 means 10 s
}

// maxOutput bounds what a program may write, in bytes.
const maxOutput = 64 << 10

// Run is a [Runner]. What the program writes to its standard error is dropped.
func (p Programs) Run(ctx context.Context, c Command) (string, error) {
	path, err := p.Find(c.Program)
	if err != nil {
		return "", ErrNoProgram
	}
	wait := p.Wait
	if wait <= 0 {
		wait = 10 * time.Second
	}
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("%s gave no answer within %v", c.Program, wait))
	defer cancel()
	command := exec.CommandContext(ctx, path, c.Arguments...)
	command.Env, command.Dir, command.WaitDelay = p.environment(c), p.Dir, time.Second
	command.Stdin = strings.NewReader(c.Input)
	out := &limited{left: maxOutput}
	command.Stdout = out
	switch err := command.Run(); {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case out.left < 0:
		return "", fmt.Errorf("%s wrote more than %d bytes", c.Program, maxOutput)
	case err != nil:
		return "", err
	}
	return out.kept.String(), nil
}

// environment is that of a command.
func (p Programs) environment(c Command) []string {
	env := slices.DeleteFunc(slices.Clone(p.Env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(c.Without, name)
	})
	return append(env, c.Set...)
}

// limited keeps what is written, and fails beyond its limit.
type limited struct {
	kept bytes.Buffer
	left int
}

// Write keeps p.
func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, io.ErrShortWrite
	}
	return l.kept.Write(p)
}

// GitHubCLI asks the program gh for the token of a host at which its user signed in: "gh auth token --hostname HOST", which makes
// no request.
func GitHubCLI(run Runner) Source {
	return signIn(run, "x-access-token", "gh", "auth", "token", "--hostname")
}

// GitLabCLI asks the program glab likewise: "glab config get token --host HOST".
func GitLabCLI(run Runner) Source {
	return signIn(run, "oauth2", "glab", "config", "get", "token", "--host")
}

// signIn asks a program whose output is the token of the host that is its last argument. Those programs take tokens from
// variables, too, whatever the host: they do not see these.
func signIn(run Runner, user, program string, arguments ...string) Source {
	from := program + " " + strings.Join(arguments[:len(arguments)-1], " ")
	return func(ctx context.Context, r Request) (Credential, error) {
		if !r.Refused || !isPlain(r.Host) {
			return Credential{}, nil
		}
		out, err := run(ctx, Command{
			Program: program, Arguments: append(slices.Clone(arguments), r.Host),
			Without: []string{
				"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN",
				"GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN", "OAUTH_TOKEN",
			},
		})
		token := strings.TrimSpace(out)
		if err != nil || token == "" {
			return Credential{}, unlessUnknown(err)
		}
		return Credential{User: user, Password: token, Token: true, From: from}, nil
	}
}

// GitHelpers asks git's credential helpers as they are configured (gitcredentials(7)): "git credential fill", with protocol, host and path
// on its standard input. Nothing can be asked of a person.
func GitHelpers(run Runner) Source {
	return func(ctx context.Context, r Request) (Credential, error) {
		if !r.Refused || !isPlain(r.Host) || strings.ContainsAny(r.Path, "\n\x00") {
			return Credential{}, nil
		}
		input := "protocol=https\nhost=" + r.Host + "\n"
		if r.Path != "" {
			input += "path=" + r.Path + "\n"
		}
		out, err := run(ctx, Command{
			Program: "git", Arguments: []string{"credential", "fill"}, Input: input + "\n",
			// An empty GIT_ASKPASS keeps git from core.askPass and SSH_ASKPASS, GIT_DIR from the settings of a repository around it. The others
			// would tie git to one, or have it write down what passes.
			Set: []string{"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "GCM_INTERACTIVE=never", "GIT_DIR=" + os.DevNull},
			Without: []string{
				"GIT_ASKPASS", "SSH_ASKPASS", "GIT_TERMINAL_PROMPT", "GCM_INTERACTIVE", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
				"GIT_COMMON_DIR", "GIT_TRACE", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE2_PERF", "GIT_TRACE_CURL", "GIT_TRACE_SETUP",
			},
		})
		if err != nil {
			return Credential{}, unlessUnknown(err)
		}
		return filled(out, r), nil
	}
}

// filled reads git's answer: "key=value" lines. A helper may answer for another host than it was asked for; that is not for us.
func filled(out string, r Request) Credential {
	values := map[string]string{}
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		values[key] = value
	}
	if values["protocol"] != "https" || !strings.EqualFold(values["host"], r.Host) || values["password"] == "" {
		return Credential{}
	}
	return Credential{User: values["username"], Password: values["password"], From: "git's credential helper"}
}

// isPlain tells hosts that are no flag and no second line.
func isPlain(host string) bool {
	return host != "" && host[0] != '-' && !strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// unlessUnknown drops the errors of programs that are not there, or that have nothing for the host.
func unlessUnknown(err error) error {
	var exit interface{ ExitCode() int }
	if errors.Is(err, ErrNoProgram) || errors.As(err, &exit) && exit.ExitCode() > 0 {
		return nil
	}
	return err
}
