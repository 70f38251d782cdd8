package fetchtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// server is the configuration of sshd (sshd_config(5)): %DIR% is the directory. The keys alone open it. StrictModes is off, for the
// directories above may be anybody's.
const server = `HostKey "%DIR%/host"
AuthorizedKeysFile "%DIR%/authorized_keys"
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
AcceptEnv GIT_PROTOCOL FORGE_HOST
SetEnv "PATH=%DIR%/bin" "HOME=%DIR%/home"
PrintMotd no
PrintLastLog no
PidFile none
LogLevel ERROR
`

// client is the configuration of ssh (ssh_config(5)) behind the lines of each host, which say who was meant.
const client = `Host *
  HostName 127.0.0.1
  UserKnownHostsFile "%DIR%/known_hosts"
  GlobalKnownHostsFile none
  IdentityAgent none
`

// uploadPack is what the login shell runs. It finds the repository by its host and path, in lower case and without ".git", or on the disk,
// and keeps what git is asked in a log of its own.
const uploadPack = `#!/bin/sh
export PATH='/usr/local/bin:/usr/bin:/bin'
export GIT_TRACE_PACKET="%DIR%/log/$(date +%s%N)-$$"
printf 'ssh %s %s %s\n' "$FORGE_HOST" "${GIT_PROTOCOL:--}" "$1" >"$GIT_TRACE_PACKET"
name=$(printf %s "$1" | tr A-Z a-z)
name=${name#/}
settings="%DIR%/repos/$FORGE_HOST/${name%.git}"
if [ -f "$settings" ]; then
  . "$settings"
elif [ -d "$1" ]; then
  repository=$1
else
  echo 'ERROR: Repository not found.' >&2
  exit 1
fi
exec %GIT% upload-pack --strict -- "$repository"
`

// prepare makes the directory of the server.
func (s *SSH) prepare() error {
	if os.Geteuid() == 0 { // where sshd keeps nothing, but wants to be locked into
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			return err
		}
	}
	for _, sub := range []string{"bin", "home", "log", "repos"} {
		if err := os.Mkdir(s.path(sub), 0o755); err != nil {
			return err
		}
	}
	for _, name := range []string{"host", "key"} {
		if err := s.NewKey(name); err != nil {
			return err
		}
	}
	public, err := os.ReadFile(s.path("host.pub"))
	if err != nil {
		return err
	}
	opened, err := os.ReadFile(s.path("key.pub"))
	if err != nil {
		return err
	}
	host, port, _ := strings.Cut(s.Addr(), ":")
	return errors.Join(
		s.write("known_hosts", fmt.Sprintf("[%s]:%s %s", host, port, public), 0o644),
		s.write("authorized_keys", string(opened), 0o644),
		s.write("sshd_config", server, 0o644), s.write("bin/git-upload-pack", uploadPack, 0o755), s.publish())
}

// NewKey makes a pair of keys without a passphrase, NAME and NAME.pub, in the directory.
func (s *SSH) NewKey(name string) error {
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", s.path(name)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ssh-keygen: %w: %s", err, out)
	}
	return nil
}

// write fills in a file.
func (s *SSH) write(name, text string, mode os.FileMode) error {
	text = strings.NewReplacer("%DIR%", s.dir, "%GIT%", quote(s.forge.git)).Replace(text)
	return os.WriteFile(s.path(name), []byte(text), mode)
}

// publish writes what the repositories are, and from then on it is written when that changes.
func (s *SSH) publish() error {
	f := s.forge
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ssh = s
	for _, repo := range f.repos {
		if err := s.describe(repo); err != nil {
			return err
		}
	}
	return nil
}

// changed tells the ssh server that a repository is new or served in another way. The lock is held.
func (f *Forge) changed(repo *Repo) {
	if f.ssh == nil {
		return
	}
	if err := f.ssh.describe(repo); err != nil {
		f.fail(err)
	}
}

// describe writes how a repository is served, as lines of a shell, and its host into the clients' configuration. The lock of the forge is
// held.
func (s *SSH) describe(repo *Repo) error {
	var text strings.Builder
	for _, variable := range s.forge.environ(repo.settings.config()...) {
		fmt.Fprintf(&text, "export %s\n", quote(variable))
	}
	if newest, err := strconv.Atoi(repo.settings.Protocol); err == nil {
		fmt.Fprintf(&text, "[ \"${GIT_PROTOCOL#version=}\" -le %d ] || unset GIT_PROTOCOL\n", newest)
	}
	fmt.Fprintf(&text, "repository=%s\n", quote(repo.dir))
	name := s.path("repos", filepath.FromSlash(key(repo.name)))
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name, []byte(text.String()), 0o644)
	}
	var hosts strings.Builder
	for host := range s.forge.hosts {
		fmt.Fprintf(&hosts, "Host %s\n  SetEnv FORGE_HOST=%s\n", host, host)
	}
	return errors.Join(err, s.write("config", hosts.String()+client, 0o644))
}

// Requests returns what was asked over ssh, oldest first: Host, Path, Command and Arguments, as for other requests. A connection of which
// git was asked nothing is a request without a command.
func (s *SSH) Requests() []Request {
	entries, err := os.ReadDir(s.path("log")) // sorted by name, which begins with the time
	if err != nil {
		s.forge.fail(err)
	}
	var all []Request
	for _, entry := range entries {
		text, err := os.ReadFile(s.path("log", entry.Name()))
		if err != nil {
			s.forge.fail(err)
		}
		all = append(all, parseTrace(string(text))...)
	}
	return all
}

// parseTrace reads the log of one connection: a line of uploadPack, then git's trace of packets.
func parseTrace(text string) []Request {
	first, text, _ := strings.Cut(text, "\n")
	words := strings.SplitN(first, " ", 4)
	if len(words) < 4 {
		return nil
	}
	request := Request{Method: "SSH", Host: words[1], Path: words[3], Proto: words[2]}
	var all []Request
	for line := range strings.Lines(text) {
		_, line, ok := strings.Cut(strings.TrimSpace(line), "upload-pack< ")
		command, isCommand := strings.CutPrefix(line, "command=")
		switch {
		case !ok || line == "0000" || len(all) == 0 && line == "0001":
		case isCommand:
			request.Command = command
			all = append(all, request)
		case line == "0001": // what came before are capabilities
			all[len(all)-1].Arguments = nil
		case len(all) == 0:
			request.Command, request.Arguments = "upload-pack", []string{line}
			all = append(all, request)
		default:
			last := &all[len(all)-1]
			last.Arguments = append(slices.Clip(last.Arguments), line)
		}
	}
	if len(all) == 0 {
		all = append(all, request)
	}
	return all
}
