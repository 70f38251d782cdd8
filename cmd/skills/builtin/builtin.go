// Package builtin holds the skills that the program carries, so that `skills add builtin:skills-cli` works without a network.
//
// Each top directory is one skill, named as its directory; all of them satisfy the strict form of the Agent Skills specification
// (https://agentskills.io/specification). A use:
//
//	data, err := fs.ReadFile(builtin.FS(), "skills-cli/SKILL.md")
package builtin

import (
	"embed"
	"io/fs"
)

//go:embed all:skills-cli
var skills embed.FS

// FS returns the skills, one directory each. It is read-only and never fails.
func FS() fs.FS { return skills }
