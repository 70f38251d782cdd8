package gitssh

import (
	"errors"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"strings"

	"skills/fetch/internal/process"
)

// signs are characters for which git lets a shell read a command (run-command.c of git, prepare_shell_cmd), but for blanks.
const signs = "|&;<>()$`\\\"'\n*?[#~=%"

// Usable reports whether ssh can be run here as OpenSSH's is, so that it passes GIT_PROTOCOL on. PuTTY's and those of unknown names are
// left to git, and so are, on Windows, commands that need a shell.
func (c Config) Usable() bool {
	words := strings.Fields(c.Command)
	if len(words) == 0 {
		words = []string{c.Program}
	} else if runtime.GOOS == "windows" && strings.ContainsAny(c.Command, signs) {
		return false
	}
	name := path.Base(strings.ReplaceAll(strings.Trim(words[0], `"'`), `\`, "/"))
	switch c.Variant {
	case "ssh":
		return words[0] != ""
	case "", "auto":
		return strings.TrimSuffix(strings.ToLower(name), ".exe") == "ssh"
	}
	return false
}

// options stand behind those of the user, which therefore count more. None of them lets anything in that the user has not let in.
func options() []string {
	return []string{
		"-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=20", "-o", "ClearAllForwardings=yes",
		"-o", "SendEnv=GIT_PROTOCOL",
	}
}

// command is the process that runs git-upload-pack on the other side.
func (c Config) command(a address) (*exec.Cmd, error) {
	args := options()
	if a.peer.Port != "" {
		args = append(args, "-p", a.peer.Port)
	}
	target := a.peer.Host
	if a.peer.User != "" {
		target = a.peer.User + "@" + target
	}
	args = append(args, "--", target, a.command())
	words := strings.Fields(c.Command)
	switch {
	case strings.ContainsAny(c.Command, signs) && runtime.GOOS == "windows":
		return nil, noSSH(errors.New("the command needs a shell"))
	case strings.ContainsAny(c.Command, signs):
		words = []string{"sh", "-c", c.Command + ` "$@"`, c.Command}
	case len(words) == 0:
		words = []string{c.Program}
	}
	cmd := exec.Command(words[0], slices.Concat(words[1:], args)...)
	cmd.Env = c.Env
	cmd.Env = append(cmd.Environ(), "GIT_PROTOCOL=version=2", "LC_ALL=C", "SSH_ASKPASS_REQUIRE=never")
	process.Alone(cmd)
	return cmd, nil
}
