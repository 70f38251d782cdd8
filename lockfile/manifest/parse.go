package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skills/lockfile/internal/document"
	"skills/source"
	"skills/source/names"
)

// maxText is the longest source, ref or pattern in bytes; longer source texts are refused by source.Parse as well.
const maxText = 2048

// Parse reads the text of a manifest; file is the name to use in errors. An empty text is an empty manifest. Every error is an
// *Error. Of a source text only what is wrong on every host is told here; which hosts there are is the user's configuration, so the
// rest is for source.Parse.
func Parse(data []byte, file string) (*Manifest, error) {
	doc, err := document.Parse(bytes.Clone(data)) // edits need it as it is now
	if err != nil {
		var syntax *document.SyntaxError
		errors.As(err, &syntax)
		return nil, syntaxError(file, syntax)
	}
	r := reader{file: file}
	m := &Manifest{file: file, doc: doc}
	for _, n := range doc.Root.Items {
		r.top(m, n)
	}
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

// reader turns nodes into values and keeps the first fault that it meets.
type reader struct {
	file string
	err  *Error
}

// fail keeps the first fault.
func (r *reader) fail(n *document.Node, code, hint, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Kind: code, File: r.file, Line: n.Line, Message: fmt.Sprintf(format, args...), Hint: hint}
	}
}

// want reports whether the value is of that kind, and fails when it is not.
func (r *reader) want(n *document.Node, kind document.Kind) bool {
	if n.Kind != kind {
		r.fail(n, "manifest_invalid", "", "%q is %s, not %s", n.Key, n.Kind, kind)
	}
	return n.Kind == kind
}

// unknown fails for a key that may not stand where it does.
func (r *reader) unknown(n *document.Node, where string, known ...string) {
	r.fail(n, "unknown_key", didYouMean(n.Key, known), "unknown key %q %s", n.Key, where)
}

// text gives a string that is one line, not blank and without what cannot be seen, blanks around it cut.
func (r *reader) text(n *document.Node) string {
	if !r.want(n, document.String) {
		return ""
	}
	text := strings.TrimSpace(n.Text)
	switch {
	case text == "":
		r.fail(n, "manifest_invalid", "", "%q is empty", n.Key)
	case len(text) > maxText:
		r.fail(n, "manifest_invalid", "", "%q is longer than %d bytes", n.Key, maxText)
	case strings.ContainsFunc(text, names.Unseen):
		r.fail(n, "manifest_invalid", "", "%q holds a control or bidirectional character", n.Key)
	}
	return text
}

// texts gives a list of strings, never nil.
func (r *reader) texts(n *document.Node) []string {
	list := []string{}
	if !r.want(n, document.List) {
		return list
	}
	for _, item := range n.Items {
		named := *item
		named.Key = n.Key
		list = append(list, r.text(&named))
	}
	return list
}

// mode gives how skills reach an agent's directory.
func (r *reader) mode(n *document.Node) string {
	mode := r.text(n)
	if mode != "link" && mode != "copy" {
		r.fail(n, "manifest_invalid", `write "link" or "copy"`, "unknown mode %q", mode)
	}
	return mode
}

// ref gives a revision; a leading hyphen would be an option to git.
func (r *reader) ref(n *document.Node) string {
	ref := r.text(n)
	if strings.HasPrefix(ref, "-") {
		r.fail(n, "manifest_invalid", "", "ref %q begins with a hyphen", ref)
	}
	return ref
}

// source gives a source text, unless it could be none on any host.
func (r *reader) source(n *document.Node) string {
	text := r.text(n)
	var fault *source.Error
	if _, err := source.Parse(text, source.DefaultHosts()); text != "" && errors.As(err, &fault) {
		switch fault.Kind {
		case "credentials", "insecure-scheme", "scheme":
			r.fail(n, "invalid_source", fault.Hint, "%s", fault.Message)
		}
	}
	return text
}

// path gives a directory in a source; one slash at its end is cut.
func (r *reader) path(n *document.Node) string {
	path := strings.TrimSuffix(r.text(n), "/")
	if err := names.CheckPath(path); err != nil {
		r.fail(n, "path_escape", "write the directory as it stands in the source, such as \"skills/pdf\"", "path %q %v", path, err)
	}
	return path
}

// top reads one top-level value.
func (r *reader) top(m *Manifest, n *document.Node) {
	switch n.Key {
	case "agents":
		m.Agents = r.texts(n)
	case "mode":
		m.Mode = r.mode(n)
	case "skills":
		m.Skills = r.skills(n)
	case "packs":
		m.Packs = r.packs(n)
	case "policy":
		m.Policy = r.policy(n)
	default:
		r.unknown(n, "at the top", "agents", "mode", "skills", "packs", "policy")
	}
}

// skills reads [skills]; names that are one directory on some file system may not both stand there.
func (r *reader) skills(n *document.Node) []Skill {
	var skills []Skill
	if !r.want(n, document.Table) {
		return nil
	}
	taken := claims{}
	for _, item := range n.Items {
		r.claim(item, taken)
		skills = append(skills, r.skill(item))
	}
	return skills
}

// claims are the names that were read, by the form in which file systems may take them for one.
type claims map[string]*document.Node

// claim fails for a key that is no safe name of a directory, and for one that is taken.
func (r *reader) claim(n *document.Node, taken claims) {
	if err := names.Check(n.Key); err != nil {
		r.fail(n, "unsafe_name", "it is the directory to install under: use letters, digits and hyphens", "name %q %v", n.Key, err)
	}
	fold := names.Fold(n.Key)
	switch first := taken[fold]; {
	case first == nil:
	case first.Key == n.Key:
		r.fail(n, "already_exists", "rename one of them", "%q is a name on line %d too", n.Key, first.Line)
	default:
		r.fail(n, "already_exists", "rename one of them",
			"%q and %q of line %d are one directory on some file systems", n.Key, first.Key, first.Line)
	}
	taken[fold] = n
}

// skill reads one entry of [skills].
func (r *reader) skill(n *document.Node) Skill {
	s := Skill{Name: n.Key, Line: n.Line}
	switch n.Kind {
	case document.String:
		s.Source = r.source(n)
	case document.Table:
		r.fields(&s, n)
	default:
		r.fail(n, "manifest_invalid", fmt.Sprintf("write %s = \"owner/repo\" or %s = { source = \"owner/repo\" }", document.Key(n.Key), document.Key(n.Key)),
			"%q is %s, not a string or a table", n.Key, n.Kind)
	}
	return s
}

// fields reads the table of one skill.
func (r *reader) fields(s *Skill, n *document.Node) {
	for _, f := range n.Items {
		switch f.Key {
		case "source":
			s.Source = r.source(f)
		case "path":
			s.Path = r.path(f)
		case "ref":
			s.Ref = r.ref(f)
		case "reason":
			s.Reason = r.text(f)
		case "agents":
			s.Agents = r.texts(f)
		case "mode":
			s.Mode = r.mode(f)
		case "skill", "resources":
		default:
			r.unknown(f, fmt.Sprintf("in skill %q", n.Key), fieldNames()...)
		}
	}
	s.Inline = r.inline(n)
	r.oneOrigin(s, n)
}

// fieldNames are the keys of a skill in the order in which they are written.
func fieldNames() []string {
	return []string{"source", "path", "ref", "skill", "resources", "agents", "mode", "reason"}
}

// oneOrigin fails unless the skill comes from exactly one place.
func (r *reader) oneOrigin(s *Skill, n *document.Node) {
	switch {
	case s.Inline == nil && s.Source == "":
		r.fail(n, "manifest_invalid", `add source = "owner/repo", or skill = """…""" with the text itself`,
			"skill %q has neither a source nor a text", n.Key)
	case s.Inline != nil && (s.Source != "" || s.Path != "" || s.Ref != ""):
		r.fail(n, "manifest_invalid", "keep the one that you want", "skill %q has a text and a source, a path or a ref", n.Key)
	}
}

// inline reads the skill that stands in the manifest; nil when there is none.
func (r *reader) inline(n *document.Node) *Inline {
	text, resources := n.Get("skill"), n.Get("resources")
	if text == nil {
		if resources != nil {
			r.fail(resources, "manifest_invalid", "", "skill %q has resources but no text that could use them", n.Key)
		}
		return nil
	}
	in := &Inline{Document: r.verbatim(text)}
	if resources != nil && r.want(resources, document.Table) {
		in.Resources = r.resources(resources)
	}
	return in
}

// verbatim gives a text to the letter.
func (r *reader) verbatim(n *document.Node) string {
	if r.want(n, document.String) && n.Text == "" {
		r.fail(n, "manifest_invalid", "", "%q is empty", n.Key)
	}
	return n.Text
}

// resources reads the other files of an inline skill.
func (r *reader) resources(n *document.Node) map[string]string {
	files := make(map[string]string, len(n.Items))
	seen := map[string]string{names.Fold("SKILL.md"): "SKILL.md"}
	for _, f := range n.Items {
		if err := names.CheckFile(f.Key); err != nil {
			r.fail(f, "path_escape", "", "resource %q %v", f.Key, err)
		}
		if other, taken := seen[names.Fold(f.Key)]; taken {
			r.fail(f, "already_exists", "rename one of them", "resources %q and %q are one file on some file systems", other, f.Key)
		}
		seen[names.Fold(f.Key)] = f.Key
		if r.want(f, document.String) {
			files[f.Key] = f.Text
		}
	}
	r.noFileAsDirectory(n, seen)
	return files
}

// noFileAsDirectory fails when a resource lies below a path that is a file.
func (r *reader) noFileAsDirectory(n *document.Node, seen map[string]string) {
	for _, f := range n.Items {
		for i := range len(f.Key) {
			if f.Key[i] != '/' {
				continue
			}
			if file, taken := seen[names.Fold(f.Key[:i])]; taken {
				r.fail(f, "already_exists", "rename one of them", "resource %q lies below %q, which is a file", f.Key, file)
			}
		}
	}
}

// packs reads [[packs]].
func (r *reader) packs(n *document.Node) []Pack {
	var packs []Pack
	if !r.want(n, document.List) {
		return nil
	}
	for _, item := range n.Items {
		if item.Kind != document.Table {
			r.fail(item, "manifest_invalid", "write [[packs]]", `"packs" holds %s, not tables`, item.Kind)
			continue
		}
		packs = append(packs, r.pack(item))
	}
	return packs
}

// pack reads one of [[packs]].
func (r *reader) pack(n *document.Node) Pack {
	p := Pack{Line: n.Line}
	for _, f := range n.Items {
		switch f.Key {
		case "source":
			p.Source = r.source(f)
		case "ref":
			p.Ref = r.ref(f)
		case "include":
			p.Include = r.texts(f)
		case "exclude":
			p.Exclude = r.texts(f)
		case "agents":
			p.Agents = r.texts(f)
		default:
			r.unknown(f, "in a pack", "source", "ref", "include", "exclude", "agents")
		}
	}
	if p.Source == "" {
		r.fail(n, "manifest_invalid", `add source = "owner/repo"`, "pack without a source")
	}
	return p
}

// policy reads [policy].
func (r *reader) policy(n *document.Node) Policy {
	var p Policy
	if !r.want(n, document.Table) {
		return p
	}
	for _, f := range n.Items {
		switch f.Key {
		case "allow":
			p.Allow = r.patterns(f)
		case "deny":
			p.Deny = r.patterns(f)
		default:
			r.unknown(f, `in "policy"`, "allow", "deny")
		}
	}
	return p
}

// patterns reads a list of patterns, each of which must be one.
func (r *reader) patterns(n *document.Node) []string {
	list := r.texts(n)
	for i, text := range list {
		if fault := checkPattern(text); fault != nil {
			r.fail(n.Items[i], fault.Kind, fault.Hint, "%s", fault.Message)
		}
	}
	return list
}

// quoteAll lists words for a sentence.
func quoteAll(words []string) string {
	quoted := slices.Clone(words)
	for i, w := range quoted {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(quoted, ", ")
}
