package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"skills/source/names"
)

// manifestName is what agents look for; on Linux in exactly this spelling.
const manifestName = "SKILL.md"

// OrDefault gives the limits with those below 1 at what a skill may hold: 10,000 files, 100 MiB together and in one
// file, 32 levels of directories.
func (l Limits) OrDefault() Limits {
	return Limits{
		Files: cmp.Or(max(l.Files, 0), 10_000), Bytes: cmp.Or(max(l.Bytes, 0), 100<<20),
		FileBytes: cmp.Or(max(l.FileBytes, 0), 100<<20), Depth: cmp.Or(max(l.Depth, 0), 32),
	}
}

// Files lists what an install of the skill at dir writes, sorted by the bytes of
// Path. It lists only; no file is opened. Byte limits hold for the sizes that
// the listing knows, so a reader of the bytes counts again.
//
// Links inside the skill are replaced by the files that they lead to, whole
// directories too; the manifest may be a link to anywhere in the repository.
// Left out are .git in every spelling, and with a warning submodules, links to
// nothing, sockets and the like. The manifest is spelled SKILL.md.
//
// Nothing is listed when something is unsafe; the error is or wraps an *Error:
// "path_escape" for a link that leaves the skill or loops, naming it and its
// target, "unsafe_name" for a path that CheckPath refuses, "too_large" beyond
// the limits, "not_found" when dir is no directory.
func Files(ctx context.Context, fsys fs.FS, dir string, limits Limits) ([]File, []Finding, error) {
	root, info, err := follow(fsys, dir)
	if err != nil || !info.IsDir() {
		return nil, nil, &Error{Kind: "not_found", At: dir, Message: fmt.Sprintf("%q is not a directory", dir)}
	}
	l := &lister{ctx: ctx, fsys: fsys, root: root, limits: limits.OrDefault()}
	if err := l.directory(root, "", nil); err != nil {
		return nil, nil, err
	}
	slices.SortFunc(l.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if err := l.collisions(); err != nil {
		return nil, nil, err
	}
	return l.files, l.findings, nil
}

type lister struct {
	ctx      context.Context
	fsys     fs.FS
	root     string
	limits   Limits
	files    []File
	findings []Finding
	visited  int // directories and files, links counted each time
	bytes    int64
}

func (l *lister) report(code, file, format string, args ...any) {
	l.findings = append(l.findings, Finding{Code: code, Severity: SeverityWarning, File: file, Message: fmt.Sprintf(format, args...)})
}

// directory lists real under the path shown; above holds the directories that
// lead here, so that a link back to one of them is seen.
func (l *lister) directory(real, shown string, above []string) error {
	if err := l.ctx.Err(); err != nil {
		return context.Cause(l.ctx)
	}
	if len(above) > l.limits.Depth {
		return l.tooLarge(real, "more than %d levels of directories", l.limits.Depth)
	}
	entries, err := fs.ReadDir(l.fsys, real)
	if err != nil {
		return err
	}
	manifest := ""
	if shown == "" {
		manifest = manifestOf(entries)
	}
	above = append(slices.Clip(above), real)
	for _, e := range entries {
		if err := l.entry(e, real, shown, e.Name() == manifest, above); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) entry(e fs.DirEntry, dir, shown string, manifest bool, above []string) error {
	from, name := path.Join(dir, e.Name()), path.Join(shown, e.Name())
	if names.IsGit(e.Name()) {
		if e.Name() != ".git" {
			l.report("git_directory", from, "%q is a git directory on some systems and is left out", e.Name())
		}
		return nil
	}
	if manifest {
		name = manifestName
	}
	if err := CheckPath(name); err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.Hint = "ask the author to rename the file"
		}
		return fmt.Errorf("the skill in %q cannot be installed: %w", l.root, err)
	}
	if l.visited++; l.visited > 4*l.limits.Files {
		return l.tooLarge(l.root, "more than %d files and directories", 4*l.limits.Files)
	}
	if e.Type() == fs.ModeSymlink {
		return l.link(from, name, manifest, above)
	}
	info, err := e.Info()
	if err != nil {
		return err
	}
	return l.place(from, name, info, above)
}

// place lists what stands at from, which is no link.
func (l *lister) place(from, name string, info fs.FileInfo, above []string) error {
	switch {
	case info.IsDir():
		return l.directory(from, name, above)
	case info.Mode().Type() == fs.ModeIrregular:
		l.report("submodule", from, "%q is a submodule, which is not fetched", name)
		return nil
	case !info.Mode().IsRegular():
		l.report("not_a_file", from, "%q is neither a file nor a directory", name)
		return nil
	}
	if len(l.files) == l.limits.Files {
		return l.tooLarge(l.root, "more than %d files", l.limits.Files)
	}
	if l.bytes += info.Size(); l.bytes > l.limits.Bytes || info.Size() > l.limits.FileBytes {
		return l.tooLarge(from, "more than %d bytes in all or %d in one file", l.limits.Bytes, l.limits.FileBytes)
	}
	l.files = append(l.files, File{Path: name, Executable: info.Mode()&0o111 != 0, From: from})
	l.judge(name, from)
	return nil
}

func (l *lister) link(from, name string, manifest bool, above []string) error {
	real, info, err := follow(l.fsys, from)
	var broken *linkError
	inside := err == nil && within(l.root, real)
	if errors.As(err, &broken) {
		inside = broken.kind == errDangling && within(l.root, broken.reached)
	}
	switch {
	case manifest && err == nil && info.Mode().IsRegular():
		return l.place(real, name, info, above)
	case err == nil && info.IsDir() && slices.Contains(above, real), errors.Is(err, errLoop):
		return l.escape(from, "leads back to itself")
	case !inside:
		return l.escape(from, "leads out of the skill")
	case err != nil:
		l.report("dangling_link", from, "%s; it is left out", err)
		return nil
	}
	return l.place(real, name, info, above)
}

// escape refuses the skill for a link, named with its target as it is written.
func (l *lister) escape(link, way string) error {
	target, err := fs.ReadLink(l.fsys, link)
	if err != nil {
		return err
	}
	return &Error{Kind: "path_escape", At: link,
		Message: fmt.Sprintf("the link %q to %q %s", link, target, way), Hint: fileItself}
}

func (l *lister) tooLarge(at, format string, args ...any) error {
	return &Error{Kind: "too_large", At: at, Message: fmt.Sprintf("the skill at %q has ", at) + fmt.Sprintf(format, args...)}
}

// judge warns of names that will not work everywhere, and of secrets.
func (l *lister) judge(name, from string) {
	if why := windowsPathFault(name); why != "" {
		l.report("windows_name", from, "%q cannot be a file on Windows: a part %s", name, why)
	}
	if base := strings.ToLower(path.Base(name)); base == ".env" || strings.HasPrefix(base, ".env.") && !isSample(base) {
		l.report("secret_file", from, "%q usually holds secrets", name)
	}
}

func windowsPathFault(name string) string {
	for part := range strings.SplitSeq(name, "/") {
		if why := windowsFault(part); why != "" {
			return why
		}
	}
	return ""
}

func isSample(name string) bool {
	switch path.Ext(name) {
	case ".example", ".sample", ".template", ".dist":
		return true
	}
	return false
}

// collisions warns of paths that some file systems take for one, and refuses a
// manifest whose spelling SKILL.md is taken by a directory.
func (l *lister) collisions() error {
	spelled := map[string]string{}
	told := map[string]bool{}
	for _, f := range l.files {
		if strings.HasPrefix(f.Path, manifestName+"/") && slices.ContainsFunc(l.files, isManifest) {
			return unsafe(f.Path, "lies in a directory that has the name of the manifest").advise("ask the author to rename the directory")
		}
		for part := f.Path; part != "."; part = path.Dir(part) {
			folded := names.Fold(part)
			other, taken := spelled[folded]
			if other == part {
				break // so are the directories above
			}
			if taken && !told[folded] {
				told[folded] = true
				l.report("case_conflict", f.From, "%q and %q are one file on some systems", other, part)
			}
			spelled[folded] = part
		}
	}
	return nil
}

func isManifest(f File) bool { return f.Path == manifestName }

// manifestOf gives the entry that is the manifest: SKILL.md in exactly this
// spelling, else the first in the order of bytes, else "".
func manifestOf(entries []fs.DirEntry) string {
	best := ""
	for _, e := range entries {
		name := e.Name()
		// Of equal length, so that no sign beyond ASCII folds into a letter.
		file := e.Type().IsRegular() || e.Type() == fs.ModeSymlink
		if !file || len(name) != len(manifestName) || !strings.EqualFold(name, manifestName) {
			continue
		}
		if name == manifestName {
			return name
		}
		if best == "" || name < best {
			best = name
		}
	}
	return best
}
