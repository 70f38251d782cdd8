package main

import (
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// sshd starts the ssh server of the forge, once, and makes its client the one that the program runs.
func (s *scene) sshd(ts *testscript.TestScript, arguments []string) {
	if s.ssh == nil {
		server, err := s.hosts.StartSSH()
		if errors.Is(err, exec.ErrNotFound) {
			s.env.T().Skip(err)
		}
		ts.Check(err)
		s.env.Defer(func() { ts.Check(server.Close()) })
		s.ssh = server
		ts.Check(server.NewKey("stranger"))
	}
	ts.Setenv("GIT_SSH_COMMAND", s.ssh.Command(strings.TrimPrefix(arguments[0], "-"), arguments[1:]...))
}

// connections compares the connections to the ssh server since the last count, and the commands of git over them, sorted.
func (s *scene) connections(ts *testscript.TestScript, arguments []string) {
	var commands []string
	for _, r := range s.ssh.Requests() {
		commands = append(commands, r.Command)
	}
	slices.Sort(commands)
	got := s.ssh.Counts().Connections
	if want, err := strconv.Atoi(arguments[0]); err != nil || got != want || !slices.Equal(commands, arguments[1:]) {
		ts.Fatalf("%d connections for %q", got, commands)
	}
	s.ssh.Reset()
}
