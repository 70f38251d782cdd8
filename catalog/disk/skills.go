package disk

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"skills/catalog"
	"skills/catalog/author"
	"skills/catalog/registry"
)

// AgentOptions says where the skills of an agent may come from. Options.Roots
// is not used; Project and User have its place, the first path winning.
type AgentOptions struct {
	Options

	Inline  []author.Definition // skills in code, written below TempDir while they are in use
	TempDir string              // where directories for a time may be made; needed with Inline
	Catalog []*catalog.Skill    // what the host holds itself, before all others; as registry.Sources.Catalog
	Project []string            // nil is .agents/skills of the workspace
	User    []string            // nil is .agents/skills of the home directory

	DistrustProject  bool     // as in registry.Sources
	Exclude, Enabled []string // as in registry.Sources
}

// Skills is a registry that may have a directory of its own on disk. ResolveSkills makes one; of the zero value only Cleanup may be
// called.
type Skills struct {
	*registry.Registry
	inline *inline
}

// Cleanup removes the inline skills from disk: what reads their files afterwards
// finds none. It may be called again, and without inline skills it does nothing.
func (s *Skills) Cleanup() error { return s.inline.remove() }

// ResolveSkills finds the skills of an agent as registry.Resolve does: catalog
// before inline, project and user, then what is excluded or not enabled left
// out. Who calls it calls Cleanup.
//
// The error is a *StartupError, as of Resolve and for Inline without TempDir;
// that of Write for an inline skill, so a second one of its name is
// "already_exists"; or that of registry.Resolve. Nothing stays on disk then; why
// something does may be joined to it. Since errors are joined, errors.As tells them
// apart and no type assertion.
func ResolveSkills(ctx context.Context, o AgentOptions) (*Skills, error) {
	from, err := o.sources()
	if err != nil {
		return nil, err
	}
	own, err := writeInline(o.Inline, o.TempDir)
	if err != nil {
		return nil, err
	}
	from.Inline = own.roots()
	r, err := registry.Resolve(ctx, from, o.config(nil))
	if err != nil {
		return nil, also(err, own.remove())
	}
	return &Skills{r, own}, nil
}

// sources gives all but the inline skills.
func (o AgentOptions) sources() (registry.Sources, error) {
	from := registry.Sources{Catalog: o.Catalog, DistrustProject: o.DistrustProject, Exclude: o.Exclude, Enabled: o.Enabled}
	var err error
	if from.Project, err = o.listed(o.Project, ".agents/skills", "workspace", "project"); err != nil {
		return from, err
	}
	from.User, err = o.listed(o.User, "~/.agents/skills", "user", "user")
	return from, err
}

// listed makes roots of paths; without any, of the usual one.
func (o AgentOptions) listed(paths []string, usual, scope, source string) ([]registry.Root, error) {
	if paths == nil {
		paths = []string{usual}
	}
	var inputs []RootInput
	for _, p := range paths {
		inputs = append(inputs, RootInput{p, scope, source})
	}
	return o.roots(inputs)
}

// inline is a directory with the skills that were given in code.
type inline struct {
	dir  string // "" for none
	once sync.Once
	err  error
}

func (i *inline) roots() []registry.Root {
	if i.dir == "" {
		return nil
	}
	return []registry.Root{{FS: Open(i.dir), Path: i.dir}}
}

func (i *inline) remove() error {
	if i == nil {
		return nil
	}
	i.once.Do(func() {
		if i.dir != "" {
			i.err = os.RemoveAll(i.dir)
		}
	})
	return i.err
}

// writeInline writes the skills into a new directory. On an error nothing stays.
func writeInline(definitions []author.Definition, below string) (*inline, error) {
	if len(definitions) == 0 {
		return &inline{}, nil
	}
	if below == "" || !filepath.IsAbs(below) {
		return nil, &StartupError{below, "there is no directory to write inline skills to", "give an absolute path for files that are needed for a time"}
	}
	dir, err := os.MkdirTemp(below, "skills-inline-")
	if err != nil {
		return nil, FileError(err, below)
	}
	own := &inline{dir: dir}
	for _, d := range definitions {
		if _, err := Write(dir, d); err != nil {
			return nil, also(err, own.remove())
		}
	}
	return own, nil
}
