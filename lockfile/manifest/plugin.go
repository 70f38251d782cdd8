package manifest

import (
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"skills/lockfile/internal/document"
	"skills/source/names"
)

// What YAML has besides the kinds of TOML.
const (
	mapping document.Kind = "a mapping"
	null    document.Kind = "null"
	alias   document.Kind = "an alias"
)

// ParsePlugins reads SkillPlugin documents, each of which declares one skill:
//
//	apiVersion: smarter.sh/v1
//	kind: SkillPlugin
//	metadata:
//	  name: notes                 # the directory to install under; other keys are the author's
//	spec:
//	  selector: {}                # selector and prompt are for the program that runs the plugin, and not read
//	  skillData:                  # exactly one of skill and source
//	    skill: |                  # SKILL.md to the letter
//	      ---
//	      name: notes
//	      description: Writes notes.
//	      ---
//	    resources:                # beside skill only: the other files
//	      assets/template.md: "# Notes\n"
//	    # source: {url: https://github.com/acme/skills/tree/main/skills/notes}
//	status: {}                    # not read
//
// Paths of resources are cleaned. A resource that is null says that its contents are not in the document, as of a picture: it is
// one of [Inline].Unavailable. A text folded with ">" has lost the lines of its front matter: an error. So are other kinds of
// documents and keys that stand twice. A key that is not known is one of Warnings, or an error where it looks like a known one that
// is missing, and beside url, where it could be a ref. Aliases are not followed where something is read. Whether the text is a good
// SKILL.md is for catalog.Parse; [Manifest.Invalid] makes an error of this package of what that says.
//
// The manifest has one Skill for each document, in their order, and is not edited; [FormatPlugins] writes such documents. Every
// error is an *Error with a line, "invalid_input" for skillData that is not of one of its two forms.
func ParsePlugins(data []byte, file string) (*Manifest, error) {
	text, fault := plainText(data, file)
	if fault != nil {
		return nil, fault
	}
	all, fault := documents(text, file)
	if fault != nil {
		return nil, fault
	}
	p := plugins{reader: reader{file: file}, folded: map[*document.Node]bool{}, taken: claims{}}
	m := &Manifest{file: file, Plugins: true}
	for _, n := range all {
		m.Skills = append(m.Skills, p.plugin(p.node(n, "", n.Line, pluginLevels)))
	}
	if p.err != nil {
		return nil, p.err
	}
	m.Warnings = p.warnings
	return m, nil
}

// documents reads all that are not empty.
func documents(text, file string) (all []*yaml.Node, fault *Error) {
	// yaml.v3 has answered hostile input with run-time panics before; a library must not die of a file.
	defer func() {
		if recover() != nil {
			all, fault = nil, &Error{Kind: "manifest_damaged", File: file, Line: 1, Message: "the YAML reader gave up on it"}
		}
	}()
	if at := strings.IndexAny(text, "\u0085\u2028\u2029"); at >= 0 {
		return nil, &Error{Kind: "manifest_damaged", File: file, Line: lineOf(text, at),
			Message: "a line separator that is not the newline, which readers of YAML do not keep", Hint: `write it in double quotes, as "\N", "\L" or "\P"`}
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for range maxEntries {
		var n yaml.Node
		err := decoder.Decode(&n)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, yamlError(text, file, err)
		}
		if len(n.Content) > 0 && kindOf(n.Content[0]) != null {
			all = append(all, n.Content[0])
		}
	}
	return nil, &Error{Kind: "manifest_damaged", File: file, Line: 1, Message: fmt.Sprintf("more than %d documents", maxEntries)}
}

var yamlMessage = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// yamlError turns what the YAML reader says into an Error.
func yamlError(text, file string, err error) *Error {
	if fault := conflict(text, file); fault != nil {
		return fault
	}
	line, message := 1, err.Error()
	if m := yamlMessage.FindStringSubmatch(message); m != nil {
		message = m[2]
		if n, _ := strconv.Atoi(m[1]); n > 0 {
			line = n
		}
		if strings.HasPrefix(message, "did not find expected") { // by the parser, which counts from 0
			line++
		}
	}
	return &Error{Kind: "manifest_damaged", File: file, Line: line, Message: "not valid YAML: " + message}
}

// plugins reads documents.
type plugins struct {
	reader
	folded   map[*document.Node]bool // texts with ">"
	taken    claims
	warnings []*Error
}

// pluginLevels is how deep a document is read: the document, spec, skillData, resources.
const pluginLevels = 4

// node turns what YAML has into what the reader takes, a number of levels deep.
func (p *plugins) node(n *yaml.Node, key string, line, levels int) *document.Node {
	out := &document.Node{Key: key, Kind: kindOf(n), Text: n.Value, Line: line}
	p.folded[out] = n.Style&yaml.FoldedStyle != 0
	if out.Kind != mapping || levels == 0 {
		return out
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		item := p.node(n.Content[i+1], key.Value, key.Line, levels-1)
		switch {
		case key.Kind != yaml.ScalarNode:
			p.fail(item, "manifest_invalid", "", "a key is %s, not a text", kindOf(key))
		case seen[key.Value]:
			p.fail(item, "manifest_invalid", "keep the one that you want", "key %q stands twice", key.Value)
		}
		seen[key.Value] = true
		out.Items = append(out.Items, item)
	}
	return out
}

// kindOf says what a node is, in the words that messages use.
func kindOf(n *yaml.Node) document.Kind {
	switch n.Kind {
	case yaml.MappingNode:
		return mapping
	case yaml.SequenceNode:
		return document.List
	case yaml.AliasNode:
		return alias
	}
	switch tag := n.ShortTag(); tag {
	case "!!str":
		return document.String
	case "!!int":
		return document.Integer
	case "!!bool":
		return document.Boolean
	case "!!null":
		return null
	case "!!float", "!!timestamp":
		return document.Other
	default:
		return document.Kind(fmt.Sprintf("tagged %q", tag))
	}
}

// find gives a member; nil when there is none, and when it is null, which says the same.
func find(n *document.Node, key string) *document.Node {
	for _, item := range n.Items {
		if item.Key == key && item.Kind != null {
			return item
		}
	}
	return nil
}

// member gives a member that must be there and of a kind; never nil.
func (p *plugins) member(n *document.Node, key string, kind document.Kind) *document.Node {
	item := find(n, key)
	if item == nil {
		p.fail(n, "manifest_invalid", "a SkillPlugin has apiVersion, kind, metadata with a name, and spec with skillData", "%q is missing", key)
		return &document.Node{Key: key, Line: n.Line}
	}
	p.want(item, kind)
	return item
}

// only warns of members that are not known, and fails where one looks like a known one that is not there: what it says would be
// lost.
func (p *plugins) only(n *document.Node, where string, known ...string) {
	missing := slices.DeleteFunc(slices.Clone(known), func(key string) bool { return find(n, key) != nil })
	for _, item := range n.Items {
		switch {
		case slices.Contains(known, item.Key):
		case len(names.Near(item.Key, missing, 1)) > 0:
			p.unknown(item, where, known...)
		default:
			p.warn(item, where, known...)
		}
	}
}

// warn keeps what is said of an unknown key that does no harm.
func (p *plugins) warn(n *document.Node, where string, known ...string) {
	r := reader{file: p.file}
	r.unknown(n, where, known...)
	p.warnings = append(p.warnings, r.err)
}

// plugin reads one document.
func (p *plugins) plugin(n *document.Node) Skill {
	if n.Kind != mapping {
		p.fail(n, "manifest_invalid", "", "the document is %s, not a mapping", n.Kind)
	}
	if kind := p.member(n, "kind", document.String); p.text(kind) != PluginKind {
		p.fail(kind, "manifest_invalid", "take the document out", "kind %q is not read, only SkillPlugin is", kind.Text)
	}
	p.only(n, "in SkillPlugin", "apiVersion", "kind", "metadata", "spec", "status")
	p.version(p.member(n, "apiVersion", document.String))
	name := p.member(p.member(n, "metadata", mapping), "name", document.String)
	s := Skill{Name: p.text(name), Line: n.Line}
	p.claim(&document.Node{Key: s.Name, Line: name.Line}, p.taken)
	spec := p.member(n, "spec", mapping)
	p.only(spec, "in SkillPlugin.spec", "selector", "prompt", "skillData")
	p.skillData(&s, p.member(spec, "skillData", mapping))
	return s
}

// version warns of a version of the form that is not the one read here: what it says beyond that would be lost.
func (p *plugins) version(n *document.Node) {
	if text := p.text(n); text != PluginVersion {
		p.warnings = append(p.warnings, &Error{
			Kind: "manifest_invalid", File: p.file, Line: n.Line, Message: fmt.Sprintf("apiVersion %q is not known, and is read as %s", text, PluginVersion), Hint: "write apiVersion: " + PluginVersion,
		})
	}
}

// skillData reads where the skill comes from: a text or a source.
func (p *plugins) skillData(s *Skill, n *document.Node) {
	p.only(n, "in SkillPlugin.spec.skillData", "skill", "source", "resources")
	text, from, files := find(n, "skill"), find(n, "source"), find(n, "resources")
	switch {
	case text == nil && from == nil:
		p.fail(n, "invalid_input", "write skill: | with the text, or source: {url: …}", `"skillData" has neither "skill" nor "source"`)
	case text != nil && from != nil:
		p.fail(from, "invalid_input", "keep the one that you want", `"skillData" has both "skill" and "source"`)
	case from != nil && files != nil:
		p.fail(files, "invalid_input", "a source brings its own files", `"resources" stand beside a "source"`)
	case from != nil:
		s.Source = p.from(from)
	default:
		s.Inline = &Inline{Document: p.document(text)}
		if files != nil && p.want(files, mapping) {
			p.files(s.Inline, files)
		}
	}
}

// from reads a source.
func (p *plugins) from(n *document.Node) string {
	if n.Kind == document.String {
		p.fail(n, "manifest_invalid", "write source: {url: …}", `"source" is a string, not a mapping`)
	}
	p.want(n, mapping)
	for _, item := range n.Items {
		if item.Key != "url" {
			p.unknown(item, "in SkillPlugin.spec.source", "url")
		}
	}
	return p.source(p.member(n, "url", document.String))
}

// document reads a SKILL.md.
func (p *plugins) document(n *document.Node) string {
	if p.folded[n] {
		p.fail(n, "manifest_invalid", "write it as a literal block: skill: |", `"skill" is folded with ">", which joins the lines of its front matter`)
	}
	return p.verbatim(n)
}

// files reads the other files, by their cleaned paths.
func (p *plugins) files(in *Inline, n *document.Node) {
	for _, f := range n.Items {
		f.Key = path.Clean(strings.TrimSpace(f.Key))
		if f.Kind == null {
			in.Unavailable = append(in.Unavailable, f.Key)
			f.Kind = document.String // its path is checked like the others
		}
	}
	slices.Sort(in.Unavailable)
	in.Resources = p.resources(n)
	for _, name := range in.Unavailable {
		delete(in.Resources, name)
	}
}
