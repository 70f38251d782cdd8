package disk

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"skills/catalog"
	"skills/catalog/registry"
)

// RootInput is a root as a person writes it: Path may begin with "~/" or be
// relative. Scope is "workspace" when it is empty; both labels never decide who
// wins.
type RootInput struct{ Path, Scope, Source string }

// Options says where skills lie on this machine and how they are read. All
// paths come from the caller: no environment variable and no working directory
// of the process is asked.
type Options struct {
	Home       string // home directory, for "~"; absolute
	Workspace  string // directory that relative roots are in; "" is WorkingDir
	WorkingDir string // directory that a relative Workspace is in; absolute

	Roots       []RootInput // of rising precedence, the last wins; at least one
	Strict      bool        // as registry.Config.Strict
	FollowLinks *bool       // nil is registry.DefaultFollowLinks
	Rules       catalog.Rules
	Disabled    []string
	Limits      registry.Limits
	Warn        func(catalog.Finding) // as registry.Config.Warn
}

// StartupError says that a configuration makes no sense, before any skill is
// read. Path is what it is about, "" when it is about none.
type StartupError struct{ Path, Message, Hint string }

// Error gives the message.
func (e *StartupError) Error() string { return e.Message }

// Code is "startup".
func (e *StartupError) Code() string { return "startup" }

// Hints gives what the person can do next.
func (e *StartupError) Hints() []string { return []string{e.Hint} }

// Preset gives the four roots of Clarvis, of rising precedence: .agents/skills
// of the user, then of the workspace, then .clarvis/skills of both.
func Preset() []RootInput {
	return []RootInput{
		{"~/.agents/skills", "user", "agents"},
		{".agents/skills", "workspace", "agents"},
		{"~/.clarvis/skills", "user", "clarvis"},
		{".clarvis/skills", "workspace", "clarvis"},
	}
}

// ExpandHome puts the home directory in place of "~" alone or before a slash;
// "~name" is a name like any other. It touches no disk.
func ExpandHome(path, home string) string {
	rest, found := strings.CutPrefix(path, "~")
	if !found || home == "" || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path
	}
	return filepath.Join(home, rest)
}

// ResolveAgainst gives the path after ExpandHome: clean, below base unless it is
// absolute. It touches no disk.
func ResolveAgainst(base, path, home string) string {
	path = ExpandHome(path, home)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// ResolveWorkspace gives the workspace by the rules of ResolveAgainst, and the
// working directory when it is empty. It touches no disk.
func ResolveWorkspace(workspace, workingDir, home string) string {
	if workspace == "" {
		return workingDir
	}
	return ResolveAgainst(workingDir, workspace, home)
}

// Resolve turns options into the configuration of a registry: paths absolute,
// what was left open filled in. A root that is missing is none; whether it is
// there is asked at each reading.
//
// The error is a *StartupError: no roots, a Workspace that is no directory, a
// path that is empty or cannot be made absolute.
func Resolve(o Options) (registry.Config, error) {
	if len(o.Roots) == 0 {
		return registry.Config{}, &StartupError{Message: "there are no roots to read skills from", Hint: "name a directory"}
	}
	roots, err := o.roots(o.Roots)
	if err != nil {
		return registry.Config{}, err
	}
	return o.config(roots), nil
}

// config is all but the roots.
func (o Options) config(roots []registry.Root) registry.Config {
	c := registry.Defaults(roots...)
	c.Strict, c.Rules, c.Disabled, c.Limits, c.Warn = o.Strict, o.Rules, o.Disabled, o.Limits, o.Warn
	if o.FollowLinks != nil {
		c.FollowLinks = *o.FollowLinks
	}
	return c
}

// roots resolves inputs against the workspace.
func (o Options) roots(inputs []RootInput) ([]registry.Root, error) {
	workspace, err := o.workspace()
	if err != nil {
		return nil, err
	}
	var roots []registry.Root
	for _, in := range inputs {
		if in.Path == "" {
			return nil, &StartupError{Message: "a root has no path", Hint: "name a directory"}
		}
		path, err := o.absolute(workspace, in.Path)
		if err != nil {
			return nil, err
		}
		if in.Scope == "" {
			in.Scope = "workspace"
		}
		roots = append(roots, registry.Root{FS: Open(path), Path: path, Scope: in.Scope, Source: in.Source})
	}
	return roots, nil
}

// absolute is ResolveAgainst for a home and a base that must be there when they
// are needed.
func (o Options) absolute(base, given string) (string, error) {
	path := ResolveAgainst(base, given, o.Home)
	if ofHome := ExpandHome(given, ".") != given; filepath.IsAbs(path) && (!ofHome || filepath.IsAbs(o.Home)) {
		return path, nil
	}
	return "", &StartupError{given, fmt.Sprintf("the path %q cannot be made absolute", given), "write an absolute path, or give the home and the working directory"}
}

// workspace gives the directory of relative roots. One that was named must be
// there; the working directory is taken as it is.
func (o Options) workspace() (string, error) {
	if o.Workspace == "" {
		return o.WorkingDir, nil
	}
	path, err := o.absolute(o.WorkingDir, o.Workspace)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", &StartupError{path, fmt.Sprintf("the workspace %q cannot be used: %v", path, cause(err)), "name a directory that is there"}
	case !info.IsDir():
		return "", &StartupError{path, fmt.Sprintf("the workspace %q is no directory", path), "name a directory"}
	}
	return path, nil
}

// New resolves the options and reads the skills once. What changes on disk
// afterwards shows after Refresh, resources at each Get.
//
// The error is that of Resolve or of registry.Discover.
func New(ctx context.Context, o Options) (*registry.Registry, error) {
	c, err := Resolve(o)
	if err != nil {
		return nil, err
	}
	return registry.Discover(ctx, c)
}
