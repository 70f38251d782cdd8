package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"skills/catalog"
	"skills/lockfile"
	"skills/lockfile/manifest"
	"skills/source"
)

// maxExport is how many bytes of text a skill has at most that is written out: manifests that are read end there.
const maxExport = 2 << 20

// Export gives what the author of each skill wrote, in the form for [manifest.FormatPlugins]: the source, with ref and path in one
// text, for what came from somewhere, else the text itself with the other files. Contents that are no text are unavailable; that
// and the executable bits that the form cannot hold are findings with the path of the file, and so are files that the text refers to and
// that are not here, as those that a SkillPlugin document named without contents. Applying what is exported changes nothing here.
//
// Without names it is all that manifest and lock have; a name may also be that of a skill that nobody recorded. It needs no network
// and changes nothing. The error is an *Error: "not_installed", "unsupported" or "too_large" for what cannot be written as text.
func (e *Engine) Export(ctx context.Context, names ...string) ([]manifest.Skill, []catalog.Finding, error) {
	records, err := e.read()
	if err != nil {
		return nil, nil, err
	}
	present, err := e.present(records, nil)
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		names = slices.DeleteFunc(present, func(name string) bool { return !records.has(name) })
	}
	var all []manifest.Skill
	var findings []catalog.Finding
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if !records.has(name) && !slices.Contains(present, name) {
			return nil, nil, e.notInstalled(name, records.lock)
		}
		entry, found, err := e.export(ctx, records, name)
		if err != nil {
			return nil, nil, err
		}
		all, findings = append(all, entry), append(findings, found...)
	}
	return all, findings, nil
}

// has tells whether manifest or lock name a skill.
func (r *records) has(name string) bool {
	_, locked := r.lock.Get(name)
	_, named := r.manifest.Get(name)
	return locked || named
}

// export gives one skill.
func (e *Engine) export(ctx context.Context, records *records, name string) (manifest.Skill, []catalog.Finding, error) {
	locked, _ := records.lock.Get(name)
	entry, named := records.manifest.Get(name)
	switch {
	case named && entry.Inline != nil:
		return manifest.Skill{Name: name, Inline: entry.Inline}, nil, nil
	case named:
		text, err := e.sourceText(entry, locked)
		return manifest.Skill{Name: name, Source: text}, nil, err
	case locked.Source != "":
		text, err := e.sourceText(manifest.Skill{Name: name, Source: locked.Source, Ref: locked.Ref}, locked)
		return manifest.Skill{Name: name, Source: text}, nil, err
	}
	inline, findings, err := e.written(ctx, name)
	return manifest.Skill{Name: name, Inline: inline}, findings, err
}

// sourceText gives one source text for what stands in several keys: of a repository the directory in the lock, of other sources the
// skill where it has another name here.
func (e *Engine) sourceText(entry manifest.Skill, locked lockfile.Skill) (string, error) {
	l, err := entry.Location(e.config.Hosts)
	if err != nil {
		return "", fmt.Errorf("%q: %w", entry.Name, err)
	}
	switch {
	case l.Kind != source.Git && locked.Skill != "" && l.Skill == "" && !l.File:
		l.Skill = locked.Skill
	case l.Kind == source.Git && locked.Name != "" && !l.Ambiguous && !l.File:
		l.Path, l.Skill, l.SkillOrRef = locked.Path, "", false
	}
	return l.Canonical(), nil
}

// written reads an installed skill as the text that its author wrote.
func (e *Engine) written(ctx context.Context, name string) (*manifest.Inline, []catalog.Finding, error) {
	root, err := os.OpenRoot(filepath.Join(e.canonical(), name))
	if err != nil {
		return nil, nil, &Error{
			Kind: "not_installed", Name: name, Message: fmt.Sprintf("the files of %q are not in %s", name, e.shown(e.canonical())), Hint: "bring them back with: skills install", Cause: err,
		}
	}
	defer root.Close()
	x := &exporter{root: root, skill: name, left: maxExport, inline: &manifest.Inline{}}
	files, findings, err := catalog.Files(ctx, root.FS(), ".", e.config.Limits)
	if err != nil {
		return nil, nil, fmt.Errorf("%q cannot be exported: %w", name, err)
	}
	for _, f := range findings {
		f.File = name + "/" + f.File
		x.findings = append(x.findings, f)
	}
	for _, file := range files {
		switch {
		case ctx.Err() != nil:
			return nil, nil, context.Cause(ctx)
		case junk(file.Path):
			continue
		}
		if err := x.take(file); err != nil {
			return nil, nil, err
		}
	}
	x.missing()
	return x.inline, x.findings, nil
}

// exporter turns the files of a skill into texts.
type exporter struct {
	root     *os.Root
	skill    string
	left     int64 // bytes of text that may come yet
	inline   *manifest.Inline
	findings []catalog.Finding
}

// take takes one file, that which a link leads to for the link.
func (x *exporter) take(listed catalog.File) error {
	path := listed.Path
	file, err := readFile(x.root, filepath.FromSlash(listed.From), x.left)
	var large *Error
	if errors.As(err, &large) && large.Kind == "too_large" && path != "SKILL.md" {
		x.unavailable(path, "%q is too large, so its contents are not exported")
		return nil
	}
	if err != nil {
		return fmt.Errorf("%q cannot be written as text: %w", x.skill, err)
	}
	text := utf8.Valid(file.Data) && bytes.IndexByte(file.Data, 0) < 0
	switch {
	case path == "SKILL.md" && text:
		x.inline.Document = string(file.Data)
	case path == "SKILL.md":
		return &Error{Kind: "unsupported", Name: x.skill, Message: fmt.Sprintf("the SKILL.md of %q is no text", x.skill)}
	case !text:
		x.unavailable(path, "%q is no text, so its contents are not exported")
		return nil
	default:
		if x.inline.Resources == nil {
			x.inline.Resources = map[string]string{}
		}
		x.inline.Resources[path] = string(file.Data)
	}
	x.left -= int64(len(file.Data))
	if file.Mode&0o111 != 0 {
		x.note("executable", path, "%q is executable, which is not exported")
	}
	return nil
}

// missing tells of files that the text refers to and that are not here.
func (x *exporter) missing() {
	for _, path := range catalog.References([]byte(x.inline.Document)) {
		if _, err := x.root.Lstat(filepath.FromSlash(path)); errors.Is(err, fs.ErrNotExist) {
			x.note("missing_reference", path, "%q is referred to and is not here, so it is not exported")
		}
	}
}

// unavailable keeps that a file is there without its contents.
func (x *exporter) unavailable(path, format string) {
	x.inline.Unavailable = append(x.inline.Unavailable, path)
	x.note("resource_unavailable", path, format)
}

// note says what the form cannot hold.
func (x *exporter) note(code, path, format string) {
	x.findings = append(x.findings, catalog.Finding{Code: code, Severity: catalog.SeverityWarning, File: x.skill + "/" + path, Message: fmt.Sprintf(format, path)})
}
