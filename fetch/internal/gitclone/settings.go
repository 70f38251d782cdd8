package gitclone

import (
	"context"
	"strings"
)

// Settings are what git's configuration says about ssh and addresses (git-config(1)).
type Settings struct {
	Command  string   // core.sshCommand
	Variant  string   // ssh.variant
	Rewrites []string // beginnings of addresses that url.*.insteadOf gives another place
}

// Rewritten reports whether git would go elsewhere than an address says.
func (s Settings) Rewritten(url string) bool {
	for _, prefix := range s.Rewrites {
		if strings.HasPrefix(url, prefix) {
			return true
		}
	}
	return false
}

// Settings reads git's configuration for the system and the user; what cannot be read is empty.
func (s System) Settings(ctx context.Context) Settings {
	var settings Settings
	if s.Program == "" {
		return settings
	}
	cmd := s.command(ctx, "config", "--null", "--get-regexp", `^(core\.sshcommand|ssh\.variant|url\..*\.insteadof)$`)
	cmd.Env = s.Env
	cmd.Env = alone(cmd.Environ())
	out := &bounded{limit: 1 << 20, cut: true}
	cmd.Stdout = out
	_ = cmd.Run() // it fails when there is nothing
	for entry := range strings.SplitSeq(out.kept.String(), "\x00") {
		switch key, value, _ := strings.Cut(entry, "\n"); key {
		case "":
		case "core.sshcommand":
			settings.Command = strings.TrimSpace(value)
		case "ssh.variant":
			settings.Variant = value
		default:
			settings.Rewrites = append(settings.Rewrites, value)
		}
	}
	return settings
}
