package resource

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/catalog"
)

// Bounds of a bundle.
const (
	maxFiles  = 100
	maxText   = 500_000    // characters of one file
	maxBinary = 2_000_000  // bytes of one file that are read to see whether it is text
	maxBytes  = 10_000_000 // of all files together
)

// Bundle is the files of a skill beside its SKILL.md as JSON and declarative manifests hold them: texts by clean path, nil for a file
// whose contents are not there since they are no text. It is written in the order of the paths. An installer keeps the bytes instead.
type Bundle map[string]*string

// NewBundle makes a bundle of what a manifest says: paths and, for each, a string or nil. Paths become those of [Clean]; line ends of
// texts become \n and a byte order mark goes; a string that is no text, see [Text], becomes nil. No files give an empty bundle.
//
// The error is a *catalog.Error with the path in Rel, for the first path in order of bytes: what Clean says, "invalid_input" for
// the manifest SKILL.md, for a path that is there already and for other values, "too_long" beyond 500,000 characters of one file,
// "too_large" beyond 100 files.
func NewBundle(files map[string]any) (Bundle, error) {
	b := Bundle{}
	for _, key := range slices.Sorted(maps.Keys(files)) {
		if err := b.add(key, files[key]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Paths gives the paths of the files in order of bytes.
func (b Bundle) Paths() []string { return slices.Sorted(maps.Keys(b)) }

// UnmarshalJSON reads an object of paths to texts or null, by the rules of [NewBundle]; a key that comes twice is refused too.
func (b *Bundle) UnmarshalJSON(data []byte) error {
	in := json.NewDecoder(bytes.NewReader(data))
	*b = Bundle{}
	switch first, err := in.Token(); {
	case err != nil:
		return err
	case first == nil:
		return nil
	case first != json.Delim('{'):
		return invalid("", "the resources are not an object of paths and texts")
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return err
		}
		var value any
		if err := in.Decode(&value); err != nil {
			return err
		}
		if err := b.add(key.(string), value); err != nil {
			return err
		}
	}
	return nil
}

func (b Bundle) add(key string, value any) error {
	name, err := Clean(key)
	if err != nil {
		return err
	}
	_, again := b[name]
	switch {
	case isManifest(name):
		return invalid(key, "%q is the skill itself, not one of its resources", key)
	case again:
		return invalid(key, "%q comes twice, as %q", key, name)
	case len(b) == maxFiles:
		return failure("too_large", key, "leave out what no agent reads", "there are more than %d resources", maxFiles)
	}
	switch value := value.(type) {
	case nil:
		b[name] = nil
		return nil
	case string:
		b[name], err = content(key, []byte(value))
		return err
	}
	return invalid(key, "%q is neither text nor null", key)
}

// isManifest says whether a clean path is the skill's own document, in any case since some file systems take all for one.
func isManifest(name string) bool { return strings.EqualFold(name, "SKILL.md") }

// content gives the text of a file, nil when it is none.
func content(rel string, raw []byte) (*string, error) {
	text, ok := Text(raw)
	switch {
	case !ok:
		return nil, nil
	case utf8.RuneCountInString(text) > maxText:
		return nil, failure("too_long", rel, "split the file", "%q has more than %d characters", rel, maxText)
	}
	return &text, nil
}

// Text gives bytes as text, with \n for line ends and without a byte order mark. A NUL byte and bytes that are not UTF-8 are no text.
func Text(raw []byte) (text string, ok bool) {
	if bytes.IndexByte(raw, 0) >= 0 || !utf8.Valid(raw) {
		return "", false
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimLeft(string(raw), "\ufeff")), true
}

// Pack makes the bundle of resources that [List] gave for the skill at dir. What does not fit is a warning, not an error: files that are
// too long or beyond 10,000,000 bytes in all are there without contents ("too_long"), those beyond 100 are left out ("limit"), as is a
// second manifest. Files that are no text have no contents without a word.
//
// The error is that of [Open] for a file that is not as it was listed.
func Pack(fsys fs.FS, dir string, list []Resource) (Bundle, []catalog.Finding, error) {
	p := &packer{fsys: fsys, dir: dir, bundle: Bundle{}, left: maxBytes}
	for _, r := range list {
		switch {
		case isManifest(r.Rel):
			p.report("limit", r, "%q cannot be beside the skill's own SKILL.md and is left out", r.Rel)
		case len(p.bundle) == maxFiles:
			p.report("limit", r, "the skill has more than %d files; the rest is left out", maxFiles)
			return p.bundle, p.findings, nil
		default:
			if err := p.take(r); err != nil {
				return nil, p.findings, err
			}
		}
	}
	return p.bundle, p.findings, nil
}

type packer struct {
	fsys     fs.FS
	dir      string
	bundle   Bundle
	left     int64 // bytes that may still be read
	findings []catalog.Finding
}

func (p *packer) report(code string, r Resource, format string, args ...any) {
	p.findings = append(p.findings, catalog.Finding{
		Code: code, Severity: catalog.SeverityWarning, File: r.Path, Message: fmt.Sprintf(format, args...),
	})
}

func (p *packer) take(r Resource) error {
	raw, err := Read(p.fsys, p.dir, r.Rel, min(maxBinary, p.left))
	p.left -= int64(len(raw))
	if err == nil {
		p.bundle[r.Rel], err = content(r.Rel, raw)
	}
	var e *catalog.Error
	if errors.As(err, &e) && (e.Kind == "too_large" || e.Kind == "too_long") {
		p.bundle[r.Rel] = nil
		p.report("too_long", r, "%s; its contents are left out", e.Message)
		return nil
	}
	return err
}
