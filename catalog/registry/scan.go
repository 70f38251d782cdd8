package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"skills/catalog"
	"skills/catalog/internal/links"
	"skills/source/names"
)

// manifestName is the manifest's right spelling.
const manifestName = "SKILL.md"

// scanner makes one reading.
type scanner struct {
	ctx      context.Context
	config   Config
	findings []catalog.Finding
	agent    string            // text of a kit's agent
	refuses  func(string) bool // names that nobody wants; nil for none
}

// strict tells whether what is wrong with a skill of that name ends the reading.
func (s *scanner) strict(r Root, name string) bool {
	return s.config.Strict && !r.lenient && (s.refuses == nil || !s.refuses(name))
}

func warning(code, file, format string, args ...any) catalog.Finding {
	return catalog.Finding{Code: code, Severity: catalog.SeverityWarning, File: file, Message: fmt.Sprintf(format, args...)}
}

func (s *scanner) warn(f catalog.Finding) {
	s.findings = append(s.findings, f)
	s.config.tell(f)
}

// alive is asked before each file.
func (s *scanner) alive() error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return nil
}

// roots reads all roots and merges what they hold.
func (s *scanner) roots() ([]Info, error) {
	groups, err := s.groups()
	if err != nil {
		return nil, err
	}
	all := Merge(groups...)
	s.tellUnknown("Disabled", s.config.Disabled, all)
	return all, nil
}

// tellUnknown reports names in a list of the configuration that no skill has: a misspelled one changes nothing.
func (s *scanner) tellUnknown(list string, wanted []string, all []Info) {
	var known []string
	for _, info := range all {
		known = append(known, info.Name)
	}
	for _, name := range wanted {
		if slices.Contains(known, name) {
			continue
		}
		f := catalog.Finding{Code: "unknown_name", Severity: catalog.SeverityInfo, Message: fmt.Sprintf("%s names %q, and no skill has this name", list, name)}
		if near := names.Near(name, known, 1); len(near) > 0 {
			f.Message += fmt.Sprintf("; did you mean %q?", near[0])
		}
		s.warn(f)
	}
}

// groups reads all roots, in the order of their ranks.
func (s *scanner) groups() ([][]Info, error) {
	roots := s.config.Roots
	if beyond := len(roots) - s.config.Limits.Roots; beyond > 0 {
		s.warn(warning("limit", "", "there are more than %d roots; the %d of the lowest precedence are left out", s.config.Limits.Roots, beyond))
		roots = roots[beyond:]
	}
	groups := make([][]Info, len(roots))
	for rank, root := range roots {
		var err error
		if groups[rank], err = s.root(root, rank); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// merged leaves out what is beyond the bound, the lowest ranks first.
func (s *scanner) merged(all []Info) []Info {
	most := s.config.Limits.Merged
	if len(all) <= most {
		return all
	}
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b Info) int { return b.place.rank - a.place.rank })
	s.warn(warning("limit", "", "there are more than %d skills; %d are left out, the first is %q", most, len(all)-most, ranked[most].Name))
	return ranked[:most]
}

// root reads the skills of one root.
func (s *scanner) root(r Root, rank int) ([]Info, error) {
	entries, err := s.directories(r)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	top, err := realPath(r, r.at("."))
	if err != nil {
		top = r.Path
	}
	f := &siblings{scanner: s, root: r, rank: rank, top: top, real: map[string]bool{}, named: map[string]int{}, folded: map[string]string{}}
	for _, entry := range entries {
		if full, err := f.take(entry); full || err != nil {
			return f.skills, err
		}
	}
	return f.skills, nil
}

// directories lists what may be skills.
func (s *scanner) directories(r Root) ([]fs.DirEntry, error) {
	if r.FS == nil {
		return nil, nil
	}
	top := r.at(".")
	info, err := fs.Stat(r.FS, top)
	if err == nil && !info.IsDir() {
		err = errNotDirectory
	}
	if err != nil {
		s.unreadable(r, err)
		return nil, nil
	}
	entries, more, err := s.entries(r.FS, top, s.config.Limits.Entries, func(e fs.DirEntry) bool { return e.IsDir() || isLink(e) })
	if more {
		s.warn(warning("limit", r.Path, "the root has more than %d directories; only the first by name are read", s.config.Limits.Entries))
	}
	if err == nil || s.alive() != nil {
		return entries, s.alive()
	}
	s.unreadable(r, err)
	return entries, nil
}

var errNotDirectory = errors.New("it is no directory")

func (s *scanner) unreadable(r Root, err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		s.warn(warning("io_error", r.Path, "the root cannot be read: %v", plain(err)))
	}
}

// plain takes the path off an error: it is said elsewhere.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// entries reads a directory to its end and gives those that are wanted, sorted
// by name; where there are more than most, the first. A huge directory costs
// time, and no memory.
func (s *scanner) entries(fsys fs.FS, dir string, most int, wanted func(fs.DirEntry) bool) (kept []fs.DirEntry, more bool, err error) {
	file, err := fsys.Open(dir)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	list, ok := file.(fs.ReadDirFile)
	if !ok {
		return nil, false, errNotDirectory
	}
	for err == nil && s.alive() == nil {
		var batch []fs.DirEntry
		batch, err = list.ReadDir(1_024)
		for _, e := range batch {
			if wanted(e) {
				kept = append(kept, e)
			}
		}
		slices.SortFunc(kept, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		if len(kept) > most {
			kept, more = kept[:most], true
		}
	}
	if err == io.EOF {
		err = nil
	}
	return kept, more, err
}

// isLink tells links, also the mount points that Windows has for them.
func isLink(e fs.DirEntry) bool { return e.Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0 }

// isDirectory tells whether an entry is a directory or a link to one.
func (s *scanner) isDirectory(r Root, e fs.DirEntry) bool {
	if !isLink(e) {
		return e.IsDir()
	}
	info := s.target(r, e, e.Name())
	return info != nil && info.IsDir()
}

// target looks at what a link leads to; nil when it is not to be followed, or
// leads nowhere, which is told.
func (s *scanner) target(r Root, e fs.DirEntry, below string) fs.FileInfo {
	if !s.config.FollowLinks {
		return nil
	}
	_, err := realPath(r, r.at(below)) // not every file system bears links in a circle
	var info fs.FileInfo
	if err == nil {
		info, err = fs.Stat(r.FS, r.at(below))
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		s.warn(warning("io_error", r.shown(below), "the target of the link cannot be read: %v", plain(err)))
	case err != nil:
		s.warn(warning("dangling_link", r.shown(below), "the link is dangling: it leads to nothing"))
	default:
		return info
	}
	return nil
}

// realPath gives the absolute path of something in the file system without
// links. What is not there stays as written; the error is a link that leads
// back to itself or out of a file system that is not on disk.
func realPath(r Root, name string) (string, error) {
	if f, ok := r.FS.(interface{ RealPath(string) (string, error) }); ok {
		return f.RealPath(name)
	}
	real, err := links.Resolve(r.FS, name, false)
	return r.abs(real), err
}

// siblings collects the skills of one root.
type siblings struct {
	*scanner
	root   Root
	top    string // the root without links
	rank   int
	skills []Info
	real   map[string]bool   // directories that were entered
	named  map[string]int    // by name
	folded map[string]string // names without letter case
}

// take reads one entry of the root. It says whether the root is full.
func (f *siblings) take(entry fs.DirEntry) (full bool, err error) {
	if err := f.alive(); err != nil {
		return false, err
	}
	if !f.isDirectory(f.root, entry) {
		return false, nil
	}
	dir := f.root.at(entry.Name())
	real := f.top + "/" + entry.Name()
	if isLink(entry) {
		real, _ = realPath(f.root, dir) // isDirectory asked
	}
	if f.real[real] { // through a link
		return false, nil
	}
	f.real[real] = true
	info, err := f.skill(f.root, entry.Name())
	if info == nil || err != nil {
		return false, err
	}
	if len(f.skills) == f.config.Limits.Skills {
		f.warn(warning("limit", f.root.Path, "the root has more than %d skills; from %q on they are left out", len(f.skills), entry.Name()))
		return true, nil
	}
	info.place.root, info.place.dir, info.place.real, info.place.rank = f.root, dir, real, f.rank
	return false, f.add(*info)
}

func (f *siblings) add(info Info) error {
	if at, twice := f.named[info.Name]; twice {
		return f.twice(info, f.skills[at])
	}
	fold := names.Fold(info.Name)
	if other, alike := f.folded[fold]; alike {
		f.warn(warning("name_case", info.Path, "the name %q differs from %q only in letter case", info.Name, other))
	}
	f.folded[fold], f.named[info.Name] = info.Name, len(f.skills)
	f.skills = append(f.skills, info)
	return nil
}

// twice settles that a root has a name a second time.
func (f *siblings) twice(info, first Info) error {
	if f.strict(f.root, info.Name) {
		return &catalog.Error{
			Kind: "duplicate_skill", Name: info.Name, Path: info.Path, Paths: []string{first.Dir, info.Dir},
			Message: fmt.Sprintf("the skill %q is there twice, in %q and %q", info.Name, first.Dir, info.Dir), Hint: "rename or remove one of them",
		}
	}
	f.warn(warning("duplicate_skill", info.Path, "the name %q is there twice in one root; that in %q is read", info.Name, first.Dir))
	return nil
}
