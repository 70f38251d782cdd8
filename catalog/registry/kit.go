package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"skills/catalog"
	"skills/source/names"
)

const agentName = "AGENT.md"

// Kit is a directory of SkillKit: skills at skills/*/SKILL.md, and perhaps an
// agent.
type Kit struct {
	*Registry
	Name string // of the directory
}

// Agent gives the text of AGENT.md as the last reading found it, "" when there
// is none.
func (k *Kit) Agent() string { return k.found().agent }

// Kits names the kits in a directory, sorted by their bytes. A directory that
// is not there has none.
func Kits(ctx context.Context, in Root) ([]string, error) {
	s := &scanner{ctx: ctx, config: Config{Limits: Limits{}.orDefault(), FollowLinks: DefaultFollowLinks}}
	entries, err := s.directories(in)
	var kits []string
	for _, e := range entries {
		if catalog.CheckName(e.Name()) == nil && s.isDirectory(in, e) {
			kits = append(kits, e.Name())
		}
	}
	return kits, err
}

// OpenKit reads the kit of that name in a directory. Config.Roots is not used;
// without a profile skills are read as SkillKit does, with bare names. A file
// that cannot be used is told to Config.Warn and left out.
//
// The error is a *catalog.Error: "unsafe_name" for what is no name of a
// directory, "not_found" when there is no such kit; else it is that of Discover.
func OpenKit(ctx context.Context, in Root, name string, c Config) (*Kit, error) {
	if err := catalog.CheckName(name); err != nil {
		return nil, err
	}
	if err := in.hasKit(ctx, name); err != nil {
		return nil, err
	}
	kit := Root{FS: in.FS, Path: in.shown(name + "/skills"), Scope: in.Scope, Source: cmp.Or(in.Source, name), dir: in.at(name + "/skills")}
	c.Roots = []Root{kit}
	if c.Rules.Profile == "" {
		c.Rules.Profile, c.Rules.BareNames = catalog.ProfileSkillKit, true
	}
	r, err := load(ctx, c, func(s *scanner) ([]Info, error) {
		s.agent = s.agentOf(in, name)
		return s.roots()
	})
	if err != nil {
		return nil, err
	}
	return &Kit{r, name}, nil
}

func (r Root) hasKit(ctx context.Context, name string) error {
	if r.FS != nil {
		if info, err := fs.Stat(r.FS, r.at(name)); err == nil && info.IsDir() {
			return nil
		}
	}
	kits, _ := Kits(ctx, r)
	hint := "name a directory that is there"
	if near := names.Near(name, kits, 1); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %q?", near[0])
	}
	return &catalog.Error{Kind: "not_found", Name: name, Path: r.shown(name), Message: fmt.Sprintf("there is no kit %q", name), Hint: hint}
}

// agentOf reads the text of a kit's agent.
func (s *scanner) agentOf(in Root, kit string) string {
	below := kit + "/" + agentName
	info, err := fs.Lstat(in.FS, in.at(below))
	if err != nil {
		return ""
	}
	file := in.shown(below)
	if ok, err := s.isFile(in, fs.FileInfoToDirEntry(info), below); !ok {
		s.tellFault(file, err)
		return ""
	}
	raw, err := readAtMost(in.FS, in.at(below), s.config.Limits.Manifest)
	s.tellFault(file, err)
	return string(raw)
}

func (s *scanner) tellFault(file string, err error) {
	var e *catalog.Error
	if errors.As(err, &e) {
		s.warn(warning(e.Kind, file, "the file is left out: %s", e.Message))
	}
}
