// Package file fetches one SKILL.md over https, and the files that it refers to.
//
// A plain web server has no list of files, so the document is the list: a finder of
// references comes in as a function. Rules:
//
//   - the document is text (UTF-8 without NUL) of at most 800,000 bytes; a web page in its
//     place is wrong content;
//   - references are paths below the document's folder; others are noted and not asked for;
//   - a file that the host does not have or give away (4xx), or a web page in its place, is a
//     note; any other failure fails all, so that a breakdown never becomes a smaller skill;
//   - at most 100 files, the rest is noted; a file over 2,000,000 bytes, or 10,000,000 bytes
//     together, is an error.
//
// A use:
//
//	result, err := file.Fetch(ctx, client, "https://example.com/pdf/SKILL.md", file.Options{References: finder})
package file

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"skills/fetch/internal/archive"
	"skills/fetch/internal/web"
)

// Client is what is needed of a [web.Client].
type Client interface {
	// ReadAll reads what an address gives, within the options' limit. Errors are those of package web.
	ReadAll(ctx context.Context, address string, o web.Options) ([]byte, http.Header, error)
}

// Options of a fetch.
type Options struct {
	// References finds the paths that a document refers to, in the order of its text, slash
	// separated and decoded. nil finds none.
	References func(document []byte) []string
	Header     http.Header // for every request; Authorization never leaves the address's host
	Name       string      // what the document is called, "" for the name in its address
	Limits     Limits
}

// Limits bound a fetch. A field that is zero stands for its value in [DefaultLimits].
type Limits struct {
	Document int64 // bytes of the document
	File     int64 // bytes of one other file
	Bytes    int64 // bytes of the other files together
	Files    int   // number of other files
}

// DefaultLimits are 800,000 bytes for the document, 2,000,000 for a file, 10,000,000 for all
// files, and 100 files.
func DefaultLimits() Limits {
	return Limits{Document: 800_000, File: 2_000_000, Bytes: 10_000_000, Files: 100}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	return Limits{
		Document: cmp.Or(l.Document, d.Document), File: cmp.Or(l.File, d.File),
		Bytes: cmp.Or(l.Bytes, d.Bytes), Files: cmp.Or(l.Files, d.Files),
	}
}

// Result is a document with its files.
type Result struct {
	Manifest string // name of the document; it is the first of Files
	Files    []File // then in the order of the references
	Notes    []Note // in the order of the references
}

// File is one fetched file.
type File struct {
	Path string // slash separated, below the document's folder
	Data []byte
}

// Note names a reference that was left out, and why.
type Note struct{ Path, Reason string }

// Error says that an answer is not what it should be. Other errors are those of package web.
type Error struct {
	Code string // "wrong_content", "too_large" or "invalid_source"
	Text string
	Hint string // what to do next, "" when there is nothing to say
}

// Error is a sentence.
func (e *Error) Error() string { return e.Text }

// Hints says what to do next.
func (e *Error) Hints() []string {
	if e.Hint == "" {
		return nil
	}
	return []string{e.Hint}
}

// Fetch gets a document and what it refers to: the document first, which opens the
// connection, then eight files at a time.
func Fetch(ctx context.Context, client Client, address string, o Options) (*Result, error) {
	o.Limits = o.Limits.orDefault()
	base, name, err := split(address)
	if err != nil {
		return nil, err
	}
	document, header, err := client.ReadAll(ctx, address, web.Options{Header: o.Header, Limit: o.Limits.Document})
	if err != nil {
		return nil, err
	}
	if err := checkDocument(address, document, header.Get("Content-Type")); err != nil {
		return nil, err
	}
	name = cmp.Or(o.Name, name)
	result := &Result{Manifest: name, Files: []File{{Path: name, Data: document}}}
	if o.References == nil {
		return result, nil
	}
	f := &fetcher{client: client, base: base, options: o}
	wanted := f.choose(name, o.References(document))
	if err := f.all(ctx, wanted); err != nil {
		return nil, err
	}
	result.take(wanted)
	return result, nil
}

func (r *Result) take(list []*wanted) {
	for _, w := range list {
		if w.note != "" {
			r.Notes = append(r.Notes, Note{Path: w.path, Reason: w.note})
		} else {
			r.Files = append(r.Files, File{Path: w.path, Data: w.data})
		}
	}
}

// split gives the folder of an address, with its final slash and escapes as they are, and the
// name in it, decoded.
func split(address string) (base, name string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", "", &Error{Code: "invalid_source", Text: "the address of the document cannot be read"}
	}
	escaped := u.EscapedPath()
	slash := strings.LastIndexByte(escaped, '/') + 1
	name, err = url.PathUnescape(escaped[slash:])
	if err != nil || !fs.ValidPath(name) || name == "." || strings.Contains(name, "/") || hasControl(name) {
		return "", "", &Error{Code: "invalid_source", Text: fmt.Sprintf("https://%s%s names no file", u.Host, escaped)}
	}
	return u.Scheme + "://" + u.Host + "/" + strings.TrimPrefix(escaped[:slash], "/"), name, nil
}

// checkDocument refuses what cannot be a SKILL.md. The bytes decide before the media type,
// for plain servers call Markdown many things.
func checkDocument(address string, document []byte, contentType string) error {
	media, _, _ := mime.ParseMediaType(contentType)
	address, _, _ = strings.Cut(address, "?")
	switch {
	case archive.IsHTML(document), media == "text/html" && !bytes.HasPrefix(document, []byte("---")):
		return &Error{
			Code: "wrong_content", Text: fmt.Sprintf("%s is a web page, not a Markdown file", address),
			Hint: "give the address of the raw file, or of the repository; a page that asks to sign in needs a token",
		}
	case !utf8.Valid(document), bytes.IndexByte(document, 0) >= 0:
		return &Error{Code: "wrong_content", Text: fmt.Sprintf("%s is not a text file in UTF-8", address)}
	}
	return nil
}

// wanted is one reference on its way.
type wanted struct {
	path string
	data []byte
	note string // why it is left out
}

type fetcher struct {
	client  Client
	base    string
	options Options
	bytes   atomic.Int64
}

// choose makes the list of files, without the document itself and what comes twice.
func (f *fetcher) choose(manifest string, references []string) []*wanted {
	var list []*wanted
	taken := map[string]bool{manifest: true}
	files, over := 0, ""
	for _, reference := range references {
		name := path.Clean(reference)
		if taken[name] || strings.EqualFold(name, "SKILL.md") {
			continue
		}
		taken[name] = true
		if reason := unsafe(reference, name); reason != "" {
			list = append(list, &wanted{path: reference, note: reason})
			continue
		}
		if files++; files > f.options.Limits.Files {
			over = cmp.Or(over, name)
			continue
		}
		list = append(list, &wanted{path: name})
	}
	noteFolders(list)
	if over != "" {
		reason := fmt.Sprintf("and what is named after it is left out: only %d files are fetched", f.options.Limits.Files)
		list = append(list, &wanted{path: over, note: reason})
	}
	return list
}

// noteFolders leaves out what other references lie in.
func noteFolders(list []*wanted) {
	folders := map[string]bool{}
	for _, w := range list {
		for dir := path.Dir(w.path); w.note == "" && dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	for _, w := range list {
		if w.note == "" && folders[w.path] {
			w.note = "is a folder"
		}
	}
}

// unsafe tells why a reference is not asked for, "" when it may be.
func unsafe(reference, name string) string {
	first, _, _ := strings.Cut(reference, "/")
	switch {
	case strings.HasPrefix(reference, "/"), strings.Contains(first, ":"), strings.Contains(reference, `\`):
		return "is not a relative path"
	case !fs.ValidPath(name), name == ".":
		return "leads out of the document's folder"
	case hasControl(reference):
		return "holds a control character"
	}
	return ""
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func (f *fetcher) all(ctx context.Context, list []*wanted) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for _, w := range list {
		if w.note == "" {
			group.Go(func() error { return f.one(ctx, w) })
		}
	}
	return group.Wait()
}

func (f *fetcher) one(ctx context.Context, w *wanted) error {
	o := web.Options{Header: f.options.Header, Limit: f.options.Limits.File}
	data, _, err := f.client.ReadAll(ctx, f.base+escape(w.path), o)
	if e := (*web.Error)(nil); errors.As(err, &e) && e.Kind == web.Status && e.Status/100 == 4 {
		w.note = fmt.Sprintf("is not there: the host answered %d", e.Status)
		return nil
	}
	if err != nil {
		return err
	}
	if archive.IsHTML(data) && !isPage(w.path) {
		w.note = "is not there: the host answered with a web page"
		return nil
	}
	w.data = data
	return f.count(len(data))
}

// count adds to the sum of all files.
func (f *fetcher) count(bytes int) error {
	if f.bytes.Add(int64(bytes)) > f.options.Limits.Bytes {
		return &Error{Code: "too_large", Text: fmt.Sprintf("the files that %s refers to are larger than %d bytes", f.base, f.options.Limits.Bytes)}
	}
	return nil
}

// escape encodes each part of a path once.
func escape(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}

func isPage(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		return true
	}
	return false
}
