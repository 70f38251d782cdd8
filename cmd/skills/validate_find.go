package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/catalog"
	"skills/catalog/disk"
	"skills/cmd/internal/ui"
)

// maxLooked is how many directories are searched for what cannot be read.
const maxLooked = 50_000

// foundSkills is what lies at a path: directories of skills as they were named, what keeps others from being read, and how many are left
// out.
type foundSkills struct {
	dirs       []string
	unreadable []unreadable
	hidden     int
}

type unreadable struct {
	path    string
	finding catalog.Finding
}

// skillsAt finds the directory itself when it is a skill, else every one in it that a listing shows.
func (v validation) skillsAt(ctx context.Context, dir string) (foundSkills, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return foundSkills{}, &ui.Error{Word: "not_found", Message: "there is no such file or directory", Advice: []string{"name the directory of a skill"}}
	case err != nil:
		return foundSkills{}, err
	case !info.IsDir() && !strings.EqualFold(filepath.Base(dir), "SKILL.md"):
		return foundSkills{}, ui.UsageError("it is neither a directory nor a SKILL.md or a manifest (.toml, .yaml)")
	case !info.IsDir():
		return foundSkills{dirs: []string{filepath.Dir(dir)}}, nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return foundSkills{}, err
	}
	listing, err := catalog.Walk(ctx, disk.Open(real), catalog.WalkOptions{})
	if err != nil {
		return foundSkills{}, err
	}
	found := foundSkills{hidden: listing.Hidden()}
	for _, candidate := range listing.Visible() {
		found.dirs = append(found.dirs, filepath.Join(dir, filepath.FromSlash(candidate.Path)))
	}
	found.dirs = append(found.dirs, linked(dir)...)
	slices.Sort(found.dirs)
	if slices.Contains(found.dirs, dir) {
		found.dirs = []string{dir}
	}
	found.search(ctx, dir, real)
	if len(found.dirs)+len(found.unreadable) == 0 {
		return found, &ui.Error{Word: "no_skills", Message: "there is no SKILL.md in it", Advice: []string{"write one with: skills init"}}
	}
	return found, nil
}

// linked finds skills that links in a directory lead to, as directories of agents have them.
func linked(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var dirs []string
	for _, entry := range entries {
		below := filepath.Join(dir, entry.Name())
		if entry.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if inside, err := os.ReadDir(below); err == nil && catalog.ManifestName(inside) != "" {
			dirs = append(dirs, below)
		}
	}
	return dirs
}

// search looks for what would be a skill if it could be read, so that no check is passed by what nobody looked at.
func (f *foundSkills) search(ctx context.Context, dir, real string) {
	looked := 0
	_ = filepath.WalkDir(real, func(name string, entry fs.DirEntry, err error) error { // errors are kept, one by one
		shown := filepath.Join(dir, strings.TrimPrefix(name, real))
		switch {
		case ctx.Err() != nil || looked > maxLooked:
			return fs.SkipAll
		case err != nil:
			f.add(shown, "io_error", "cannot be read: %v", errors.Unwrap(err))
			return fs.SkipDir
		case strings.EqualFold(entry.Name(), "SKILL.md") && !entry.Type().IsRegular() && !slices.Contains(f.dirs, filepath.Dir(shown)):
			if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
				f.add(shown, "not_a_file", "is no regular file")
			}
			return nil
		case !entry.IsDir():
			return nil
		case name != real && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		}
		looked++
		return nil
	})
}

func (f *foundSkills) add(path, code, format string, args ...any) {
	f.unreadable = append(f.unreadable, unreadable{path, catalog.Finding{Code: code, Severity: catalog.SeverityError, Message: fmt.Sprintf(format, args...)}})
}
