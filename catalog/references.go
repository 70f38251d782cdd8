package catalog

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// References lists the files of its own skill that a SKILL.md refers to: the
// targets of Markdown links, images and reference definitions, and code spans
// shaped like a path (a slash and an extension, or NAME.md; no blanks, patterns or
// placeholders, nothing below ~). Fenced and indented code, HTML and comments are
// left out, and front matter is not read; a text without one is all body.
//
// Link targets are percent-decoded once; what follows # or ? is cut. Paths are
// clean and pass CheckPath, so none leaves the skill; URLs of any scheme, absolute
// paths, names with a colon, backslash or control character and the skill's own
// manifest in any case are left out. The order is that of the text, an image
// before the link around it; each path comes once. Whether the file exists is not
// asked, and a folder may be named.
//
// The work grows with the length of the document, whatever it holds; of one of more
// than 1 MiB only the lines that lie before that are read.
func References(document []byte) []string { return references(document, false).paths }

// Mentions lists what References lists and more, for places that cannot say which
// files they have: it also reads all code and HTML, where words count that begin
// with scripts/, references/, assets/ or examples/ and go on, as such words of the
// plain text do. Comments are left out. All come in the order of the text, each
// once; as much is read as there. A mention may be a mistake: that its file is missing is no fault.
func Mentions(document []byte) []string { return references(document, true).paths }

// maxReferring bounds how much of a document is read for references, in bytes: five times what Parse takes without a word.
const maxReferring = 1 << 20

func references(document []byte, loose bool) *finder {
	if len(document) > maxReferring {
		document = document[:bytes.LastIndexByte(document[:maxReferring], '\n')+1]
	}
	body := normalize(string(document))
	if d, err := split(body); err == nil {
		body = d.Body
	}
	f := &finder{source: []byte(body), loose: loose, targets: map[string]string{}, seen: map[string]bool{"": true}, spans: map[string]bool{}}
	f.walk(f.parser().Parse(text.NewReader(f.source)))
	return f
}

// finder collects the references of one document. Its blocks are told apart by
// goldmark; definitions and what stands inside a line are read here, since
// goldmark's own work there is quadratic for many texts.
type finder struct {
	source  []byte
	loose   bool
	targets map[string]string // path by the label of its definition, "" for other targets
	seen    map[string]bool
	paths   []string
	spans   map[string]bool // those of paths that no link names
}

// maxNesting bounds lists and quotes in each other, since each line is shown to
// all blocks that are open. What is deeper is read as text.
const maxNesting = 16

// shallow is a parser of blocks that hold others.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxNesting {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

func (f *finder) parser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithParagraphTransformers(util.Prioritized(f, 100)),
	)
}

// Transform takes the definitions off the front of a paragraph. It makes a finder
// the parser.ParagraphTransformer of its own parser.
func (f *finder) Transform(paragraph *ast.Paragraph, _ text.Reader, _ parser.Context) {
	lines := paragraph.Lines()
	c := cursor{text: lines.Value(f.source)}
	taken := 0
	for {
		label, target, ok := c.definition()
		if !ok {
			break
		}
		key := util.ToLinkReference(label)
		if _, again := f.targets[key]; !again {
			f.targets[key] = linkPath(target)
		}
		node := ast.NewLinkReferenceDefinition(label, target, nil)
		paragraph.Parent().InsertBefore(paragraph.Parent(), paragraph, node)
		taken = c.at
	}
	if taken == len(c.text) {
		paragraph.Parent().RemoveChild(paragraph.Parent(), paragraph)
		return
	}
	lines.SetSliced(bytes.Count(c.text[:taken], []byte("\n")), lines.Len())
}

func (f *finder) walk(root ast.Node) {
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		return f.block(node), nil
	})
}

func (f *finder) block(node ast.Node) ast.WalkStatus {
	switch node := node.(type) {
	case *ast.LinkReferenceDefinition:
		f.add(mention{path: linkPath(node.Destination)})
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
		f.prose(node.Lines().Value(f.source))
	case *ast.HTMLBlock:
		f.html(node)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		if f.loose {
			f.addAll(words(node.Lines().Value(f.source)))
		}
	default:
		return ast.WalkContinue
	}
	return ast.WalkSkipChildren
}

// html reads what stands behind a comment on its last line, and in the loose pass
// all but comments. A comment that is not closed goes on to the end.
func (f *finder) html(node *ast.HTMLBlock) {
	text := node.Lines().Value(f.source)
	if node.HasClosure() {
		text = append(text, node.ClosureLine.Value(f.source)...)
	}
	comment := node.HTMLBlockType == ast.HTMLBlockType2
	if comment && bytes.Contains(text, []byte("-->")) || !comment && f.loose {
		f.prose(text)
	}
}

func (f *finder) prose(text []byte) {
	r := inlineReader{text: text, targets: f.targets, gone: map[string]bool{}}
	r.scan()
	if f.loose {
		r.found = append(r.found, words(r.plain())...)
		slices.SortStableFunc(r.found, func(a, b mention) int { return a.at - b.at })
	}
	f.addAll(r.found)
}

func (f *finder) addAll(list []mention) {
	for _, m := range list {
		f.add(m)
	}
}

func (f *finder) add(m mention) {
	if !f.seen[m.path] {
		f.seen[m.path], f.spans[m.path] = true, m.span
		f.paths = append(f.paths, m.path)
	}
	f.spans[m.path] = f.spans[m.path] && m.span
}

// mention is a path, or "", at a place of a text. A span is code: it may as well name what the work is to make.
type mention struct {
	at   int
	path string
	span bool
}

var mentionWord = regexp.MustCompile(
	`(?:^|[^\w./~$%@}\\-])((?:\./)?(?:scripts|references|assets|examples)/[\pL\pM\pN._/+@~%-]*[\pL\pM\pN])`)

// words finds bare paths below the directories that the specification names.
func words(text []byte) []mention {
	var list []mention
	for _, m := range mentionWord.FindAllSubmatchIndex(text, -1) {
		list = append(list, mention{at: m[2], path: resource(string(text[m[2]:m[3]]))})
	}
	return list
}

// linkPath gives the path that a link's target means, "" for targets elsewhere.
func linkPath(target []byte) string {
	if len(target) > 4*maxPath {
		return ""
	}
	target = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(target)))
	name := withoutFragment(string(target))
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	return resource(name)
}

// extension has a letter in it, so that v1.2 has none.
var extension = regexp.MustCompile(`[^/]\.[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*$`)

// codePath gives the path that a code span means, "" for other code. What begins
// with ~ is not in the skill; blanks and signs of patterns, placeholders and code
// are in no path that stands for a file.
func codePath(code string) string {
	name := withoutFragment(strings.TrimSpace(code))
	shaped := extension.MatchString(name) && (strings.Contains(name, "/") || strings.HasSuffix(name, ".md"))
	if !shaped || name[0] == '~' || strings.ContainsAny(name, "*<>{}[]|\"'`$=,;&!") || strings.ContainsFunc(name, unicode.IsSpace) {
		return ""
	}
	return resource(name)
}

func withoutFragment(target string) string {
	if i := strings.IndexAny(target, "#?"); i >= 0 {
		return target[:i]
	}
	return target
}

// resource gives the clean form of a path below the skill, "" when it is none.
func resource(name string) string {
	if strings.ContainsAny(name, `:\`) || strings.ContainsFunc(name, unicode.IsControl) {
		return ""
	}
	name = strings.TrimSpace(name)
	if name == "" {
		return ""
	}
	name = path.Clean(name)
	if CheckPath(name) != nil || strings.EqualFold(name, manifestName) {
		return ""
	}
	return name
}
