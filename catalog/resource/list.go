package resource

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"skills/catalog"
	"skills/catalog/internal/links"
	"skills/source/names"
)

// Kind is what a resource is for, by the first part of its path.
type Kind string

// The kinds: the directories that the specification names, in exactly this spelling, and everything else.
const (
	Scripts    Kind = "scripts"
	References Kind = "references"
	Assets     Kind = "assets"
	Examples   Kind = "examples"
	Other      Kind = "other"
)

// KindOf gives the kind of a path below a skill.
func KindOf(rel string) Kind {
	first, _, _ := strings.Cut(rel, "/")
	switch kind := Kind(first); kind {
	case Scripts, References, Assets, Examples:
		return kind
	}
	return Other
}

// Resource is one file of a skill beside its manifest. Size is in bytes; both it and Executable are those of the file that a link
// leads to, as far as the listing knows.
type Resource struct {
	Place
	Kind       Kind
	Size       int64
	Executable bool
}

// Limits bounds one listing. Fields below 1 mean the defaults, see [Limits.OrDefault].
type Limits struct {
	Depth, Entries, Files, Directory int
}

// OrDefault gives the limits with those below 1 at the defaults: 16 levels of directories, 4,096 entries in all, 1,024 files, 2,048
// entries of one directory.
func (l Limits) OrDefault() Limits {
	return Limits{
		Depth: cmp.Or(max(l.Depth, 0), 16), Entries: cmp.Or(max(l.Entries, 0), 4096),
		Files: cmp.Or(max(l.Files, 0), 1024), Directory: cmp.Or(max(l.Directory, 0), 2048),
	}
}

// Options says how a skill's directory is listed. Without FollowLinks, links are left out without a word.
type Options struct {
	FollowLinks bool
	Limits      Limits
}

// List gives the files of the skill at dir, sorted by the bytes of Rel: the whole tree with dot files, without the manifest at the top
// (one in a directory below is a file like any other) and without .git. No file is opened. Every path listed is one that [Stat] and
// [Open] take.
//
// Left out with a warning are links that escape ("escaping_link"), that are dangling ("dangling_link"), what is no file
// ("not_a_file"), names that [Clean] refuses ("unsafe_name"), directories that cannot be read ("io_error"), and what is beyond
// the limits ("limit"). A link to a directory that it lies in adds nothing.
//
// The error is a *catalog.Error about dir: "not_found", "not_a_file", "invalid_input", "path_escape" or "io_error".
func List(fsys fs.FS, dir string, o Options) ([]Resource, []catalog.Finding, error) {
	top, err := Confine(fsys, dir, ".", Root)
	if err != nil {
		return nil, nil, err
	}
	info, err := top.lstat(fsys)
	if err != nil {
		return nil, nil, judged(err, dir)
	}
	if !info.IsDir() {
		return nil, nil, failure("not_a_file", dir, "name the directory of a skill", "%q is not a directory", dir)
	}
	l := &lister{fsys: fsys, dir: dir, follow: o.FollowLinks, limits: o.Limits.OrDefault(), told: map[string]bool{}}
	l.directory(top, nil)
	if l.failed != nil {
		return nil, nil, judged(l.failed, dir)
	}
	slices.SortFunc(l.found, func(a, b Resource) int { return strings.Compare(a.Rel, b.Rel) })
	return l.found, l.findings, nil
}

type lister struct {
	fsys     fs.FS
	dir      string
	follow   bool
	limits   Limits
	entries  int
	full     bool // nothing more is listed
	told     map[string]bool
	found    []Resource
	findings []catalog.Finding
	failed   error // why the top cannot be read
}

func (l *lister) report(code, rel, format string, args ...any) {
	l.findings = append(l.findings, catalog.Finding{
		Code: code, Severity: catalog.SeverityWarning, File: path.Join(l.dir, rel), Message: fmt.Sprintf(format, args...),
	})
}

// limit reports that a bound is reached, once each.
func (l *lister) limit(rel, format string, bound int) {
	message := fmt.Sprintf(format, bound)
	if !l.told[message] {
		l.told[message] = true
		l.report("limit", rel, "%s; the rest is not listed", message)
	}
}

// directory lists what stands at a place; above holds the directories on the way, so that a link back to one of them is seen.
func (l *lister) directory(at Place, above []string) {
	if len(above) > l.limits.Depth {
		l.limit(at.Rel, "directories are nested more than %d deep", l.limits.Depth)
		return
	}
	entries, err := fs.ReadDir(l.fsys, at.from)
	switch {
	case err != nil && len(above) == 0:
		l.failed = err
		return
	case err != nil:
		l.report("io_error", at.Rel, "%q cannot be listed: %v", at.Rel, err)
		return
	}
	manifest := ""
	if len(above) == 0 {
		manifest = catalog.ManifestName(entries)
	}
	if len(entries) > l.limits.Directory {
		l.limit(at.Rel, "a directory has more than %d entries", l.limits.Directory)
		entries = entries[:l.limits.Directory]
	}
	above = append(slices.Clip(above), at.inner)
	for _, e := range entries {
		if l.full {
			return
		}
		if e.Name() != manifest && !names.IsGit(e.Name()) {
			l.entry(at, e, above)
		}
	}
}

func (l *lister) entry(dir Place, e fs.DirEntry, above []string) {
	if l.entries++; l.entries > l.limits.Entries {
		l.full = true
		l.limit(dir.Rel, "the skill has more than %d entries", l.limits.Entries)
		return
	}
	rel := path.Join(dir.Rel, e.Name())
	if _, err := cleaned(rel, rel, false); err != nil {
		l.report("unsafe_name", dir.Rel, "a file is left out: %v", err)
		return
	}
	if e.Type()&fs.ModeSymlink != 0 {
		if l.follow {
			l.link(rel, above)
		}
		return
	}
	at := written(l.fsys, l.dir, rel)
	at.from, at.inner = path.Join(dir.from, e.Name()), path.Join(dir.inner, e.Name())
	info, err := e.Info()
	l.place(at, info, err, above)
}

// link lists what a link leads to.
func (l *lister) link(rel string, above []string) {
	at := written(l.fsys, l.dir, rel)
	err := at.follow(l.fsys, path.Join(".", l.dir))
	switch {
	case errors.Is(err, links.ErrLoop):
		l.report("dangling_link", rel, "the link %q is dangling: it leads back to itself", rel)
		return
	case errors.Is(err, links.ErrEscape):
		l.report("escaping_link", rel, "the link %q escapes from the skill and is left out", rel)
		return
	case err != nil:
		l.report("io_error", rel, "%v", judged(err, rel))
		return
	}
	info, err := at.lstat(l.fsys)
	if errors.Is(err, fs.ErrNotExist) {
		l.report("dangling_link", rel, "the link %q is dangling: nothing is where it leads", rel)
		return
	}
	l.place(at, info, err, above)
}

// place lists what stands at a place, which is no link.
func (l *lister) place(at Place, info fs.FileInfo, err error, above []string) {
	switch {
	case err != nil:
		l.report("io_error", at.Rel, "%q cannot be looked at: %v", at.Rel, err)
	case info.IsDir():
		if !slices.Contains(above, at.inner) {
			l.directory(at, above)
		}
	case !info.Mode().IsRegular():
		l.report("not_a_file", at.Rel, "%q is neither a file nor a directory and is left out", at.Rel)
	case len(l.found) == l.limits.Files:
		l.full = true
		l.limit(at.Rel, "the skill has more than %d files", l.limits.Files)
	default:
		l.found = append(l.found, resource(at, info))
	}
}

func resource(at Place, info fs.FileInfo) Resource {
	return Resource{Place: at, Kind: KindOf(at.Rel), Size: info.Size(), Executable: info.Mode()&0o111 != 0}
}

// lstat looks at a place. Only the skill's directory may be a link there, on disk; any other was put there after the way was found.
func (p Place) lstat(fsys fs.FS) (fs.FileInfo, error) {
	info, err := fs.Lstat(fsys, p.from)
	if err == nil && p.inner == "." && info.Mode()&fs.ModeSymlink != 0 {
		return fs.Stat(fsys, p.from)
	}
	return info, err
}
