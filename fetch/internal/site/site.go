// Package site reads the index of skills that a web site keeps at a well-known address (RFC 8615; Agent Skills Discovery 0.1.0
// and 0.2.0). It asks nobody: bytes in, entries out.
//
// Rules it enforces:
//
//   - the version is told by "$schema": that of 0.2.0, or none for 0.1.0; an index with any other is not processed;
//   - an entry that breaks a rule is left out with a note that names it and the reason, and hides no other;
//   - the name of an entry is that of a skill in the specification, so it is safe as the name of a directory;
//   - an address is https without user information; relative ones count from that of the index;
//   - 10,000 entries, 1,000 files in one, 64 parts and 1,024 bytes in the path of one, and 4,096 bytes in an address, at most;
//   - reasons repeat at most 100 bytes of a text that stands in the index, or the path of a file.
//
// A use:
//
//	for _, address := range site.Addresses("https://example.com/docs") { … }
//	index, err := site.Parse(address, data)
package site

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// Schema is the identifier of version 0.2.0. It is compared, never fetched.
const Schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"

const (
	current = "/.well-known/agent-skills/index.json" // of version 0.2.0
	former  = "/.well-known/skills/index.json"       // of version 0.1.0

	maxEntries = 10_000
	maxFiles   = 1000
	maxParts   = 64   // of a path, as deep as the store lets one be where nothing else is configured
	maxPath    = 1024 // bytes
	maxAddress = 4096 // bytes
)

// Addresses gives where the index of a site may be, in the order of preference: below the path of the address, then at the root of
// its host; the present version first.
func Addresses(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	root := u.Scheme + "://" + u.Host
	own := root + strings.TrimSuffix(u.EscapedPath(), "/")
	all := []string{own + current, own + former}
	if own != root {
		all = append(all, root+current, root+former)
	}
	return all
}

// Kind is what the artifact of an entry is.
type Kind string

// The kinds of entries. Those of version 0.1.0 have Files.
const (
	Document Kind = "skill-md" // one SKILL.md
	Archive  Kind = "archive"  // a gzipped tar or a zip with SKILL.md at its top
	Files    Kind = "files"    // files one by one
)

// Entry is one skill of an index.
type Entry struct {
	Name        string
	Description string
	Kind        Kind
	URL         string   // of the artifact; of the directory of Files, with a slash at its end
	Digest      string   // "sha256:…" of the artifact as served; "" for Files
	Files       []string // paths below URL, of Files
}

// Index is what a site offers.
type Index struct {
	Address string
	Entries []Entry // in the order of the index
	Notes   []Note  // what was left out
}

// Note says why an entry was left out.
type Note struct{ Name, Reason string }

// ErrNoIndex says that a document is no index.
var ErrNoIndex = errors.New("it is no index of skills")

// SchemaError says that an index is of a version that is not known.
type SchemaError struct{ Schema string }

// Error names the version.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("its $schema is %q, which is not known, so it is not processed", e.Schema)
}

// raw is an entry of either version as it stands in the index.
type raw struct {
	Name        string
	Type        string
	Description string
	URL         string
	Digest      string
	Files       []string
}

// Parse reads the index that an address gave. The error is ErrNoIndex, perhaps with the reason, or a *SchemaError.
func Parse(address string, data []byte) (*Index, error) {
	var document struct {
		Schema *string `json:"$schema"`
		Skills []json.RawMessage
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("%w: it is not the JSON that one is: %s", ErrNoIndex, short(err.Error()))
	}
	base, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoIndex, err)
	case document.Schema != nil && *document.Schema != Schema:
		return nil, &SchemaError{short(*document.Schema)}
	case document.Skills == nil:
		return nil, fmt.Errorf("%w: it has no list of skills", ErrNoIndex)
	case len(document.Skills) > maxEntries:
		return nil, fmt.Errorf("%w: it lists more than %d skills", ErrNoIndex, maxEntries)
	}
	index := &Index{Address: address}
	read := readEntry
	if document.Schema == nil {
		read = readFormer
	}
	index.take(document.Skills, base, read)
	return index, nil
}

// take reads all entries. Of two with one name the first counts.
func (x *Index) take(all []json.RawMessage, base *url.URL, read func(raw, *url.URL) (Entry, error)) {
	taken := map[string]bool{}
	for i, text := range all {
		var r raw
		err := json.Unmarshal(text, &r)
		var entry Entry
		switch {
		case err != nil:
			err = fmt.Errorf("it is not as the index of a skill is: %s", short(err.Error())) // which may hold a number of any length
		case !validName(r.Name):
			err = errors.New("its name is none that a skill can have")
		case taken[r.Name]:
			err = errors.New("its name is there twice")
		default:
			entry, err = read(r, base)
		}
		if err != nil {
			x.Notes = append(x.Notes, Note{label(r.Name, i), err.Error()})
			continue
		}
		taken[r.Name] = true
		x.Entries = append(x.Entries, entry)
	}
}

// label names an entry, which may have no name.
func label(name string, i int) string {
	if name == "" {
		return fmt.Sprintf("entry %d", i+1)
	}
	return short(name)
}

// short is the beginning of a text of any length, for messages.
func short(text string) string { return strings.ToValidUTF8(text[:min(len(text), 100)], "") }

var (
	namePattern   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

// validName applies the rule of the specification: 1 to 64 of a-z, 0-9 and single hyphens inside.
func validName(name string) bool { return len(name) <= 64 && namePattern.MatchString(name) }

// readEntry reads an entry of version 0.2.0.
func readEntry(r raw, base *url.URL) (Entry, error) {
	entry := Entry{Name: r.Name, Description: r.Description, Kind: Kind(r.Type), Digest: r.Digest}
	if entry.Kind != Document && entry.Kind != Archive {
		return entry, fmt.Errorf("its type %q is not known", short(r.Type))
	}
	if !digestPattern.MatchString(r.Digest) {
		return entry, errors.New(`it has no digest of the form "sha256:" and 64 hex digits, so what comes could not be checked`)
	}
	var err error
	entry.URL, err = resolve(base, r.URL)
	return entry, err
}

// resolve makes an absolute address of one in an index.
func resolve(base *url.URL, reference string) (string, error) {
	u, err := base.Parse(reference)
	switch {
	case err != nil || reference == "":
		return "", errors.New("its url cannot be read")
	case len(reference) > maxAddress:
		return "", fmt.Errorf("its url is longer than %d bytes", maxAddress)
	case u.Scheme != "https" || u.Host == "":
		return "", errors.New("its url is not https")
	case u.User != nil:
		return "", errors.New("its url holds credentials")
	}
	u.Fragment = ""
	return u.String(), nil
}

// readFormer reads an entry of version 0.1.0.
func readFormer(r raw, base *url.URL) (Entry, error) {
	entry := Entry{Name: r.Name, Description: r.Description, Kind: Files, Files: r.Files}
	if err := checkFiles(r.Files); err != nil {
		return entry, err
	}
	entry.URL = base.JoinPath("..", r.Name).String() + "/"
	return entry, nil
}

// checkFiles checks a list of files: one is SKILL.md, none leads elsewhere, comes twice, or is the directory of another.
func checkFiles(files []string) error {
	if len(files) > maxFiles {
		return fmt.Errorf("it lists more than %d files", maxFiles)
	}
	taken, directories := map[string]bool{}, map[string]bool{}
	for _, name := range files {
		if reason := unsafe(name); reason != "" {
			return fmt.Errorf("its file %q %s", short(name), reason)
		}
		if taken[name] {
			return fmt.Errorf("its file %q is there twice", name)
		}
		taken[name] = true
		for i, c := range name {
			if c == '/' {
				directories[name[:i]] = true
			}
		}
	}
	for name := range taken {
		if directories[name] {
			return fmt.Errorf("its file %q is a directory of others", name)
		}
	}
	if !taken["SKILL.md"] {
		return errors.New("it lists no SKILL.md")
	}
	return nil
}

// unsafe tells why a path is refused: what is too long, is no printable ASCII, has a meaning in an address, or leads elsewhere.
func unsafe(name string) string {
	if len(name) > maxPath || strings.Count(name, "/") >= maxParts {
		return fmt.Sprintf("is longer than %d bytes or deeper than %d directories", maxPath, maxParts)
	}
	if strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c > '~' }) {
		return "is not printable ASCII"
	}
	if strings.ContainsAny(name, `\?#[]`) {
		return `holds one of \ ? # [ ]`
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." {
			return "is not a path inside the skill"
		}
	}
	return ""
}

// FileURL gives the address of a file of an entry of kind Files.
func (e Entry) FileURL(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return e.URL + strings.Join(parts, "/")
}
