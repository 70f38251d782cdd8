package foreign

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
)

// provenance finds the keys that gh skill adds. A front matter without them is not gh's, need not be YAML and is none of ours.
var provenance = regexp.MustCompile(`(?:github-(?:repo|ref|tree-sha|path|pinned)|local-path)["']?[ \t]*:`)

// skillFile reads the front matter of an installed SKILL.md.
func (r *reader) skillFile(data []byte) error {
	r.record.Kind = FrontMatter
	front := frontMatter(data)
	if !provenance.Match(front) {
		return nil
	}
	root, err := r.parseYAML(front)
	if err != nil {
		return err
	}
	v := root.get("metadata")
	if v == nil || v.kind != table {
		return nil
	}
	f := open(v)
	for _, key := range []string{"github-repo", "github-ref", "github-tree-sha", "github-path", "github-pinned", "local-path"} {
		if v.get(key) != nil {
			return r.add(r.ghEntry(open(root), f))
		}
	}
	return nil
}

// frontMatter cuts the text between the fences out and puts as many line ends before it as there are in the file; nil when there is none.
func frontMatter(data []byte) []byte {
	text := bytes.TrimLeft(data, " \t\r\n")
	lines := bytes.Count(data[:len(data)-len(text)], []byte("\n"))
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if !isFence(first) {
		return nil
	}
	at := 0
	for line := range bytes.Lines(rest) {
		if isFence(line) {
			return append(bytes.Repeat([]byte("\n"), lines+1), rest[:at]...)
		}
		at += len(line)
	}
	return nil
}

// isFence tells whether a line is three hyphens and nothing but blanks behind them.
func isFence(line []byte) bool { return string(bytes.TrimRight(line, " \t\r\n")) == "---" }

// ghEntry reads what gh skill wrote; top is the whole front matter, f its metadata.
func (r *reader) ghEntry(top, f *fields) (Entry, error) {
	e := Entry{Name: top.claim("name"), License: top.claim("license"), Line: f.table.line}
	repository, ref, local := f.text("github-repo"), f.text("github-ref"), f.text("local-path")
	if pinned := f.text("github-pinned"); pinned != "" {
		ref, e.Pinned, e.Reason = pinned, true, "pinned with gh skill"
	}
	tree := f.text("github-tree-sha")
	path, err := directory("github-path", f.text("github-path"))
	switch {
	case f.err != nil:
		return e, f.err
	case err != nil:
		return e, err
	case repository == "" && local != "":
		return e, r.local(&e, local, "")
	case repository == "":
		return e, errors.New(`"github-repo" is missing`)
	case !fullAddress.MatchString(repository):
		return e, errors.New(`"github-repo" is no address`)
	}
	if err := r.repository(&e, repository, ref, path); err != nil {
		return e, err
	}
	if tree = strings.ToLower(tree); treeID.MatchString(tree) {
		e.Tree = tree
	}
	e.unpinned(f, "github-tree-sha")
	return e, nil
}
