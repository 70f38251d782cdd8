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
// The work grows with the length of the document, whatever it holds.
func References(document []byte) []string { return references(document, false) }

// Mentions lists what References lists and more, for places that cannot say which
// files they have: it also reads all code and HTML, where words count that begin
// with scripts/, references/, assets/ or examples/ and go on, as such words of the
// plain text do. Comments are left out. All come in the order of the text, each
// once. A mention may be a mistake: that its file is missing is no fault.
func Mentions(document []byte) []string { return references(document, true) }

func references(document []byte, loose bool) []string {
	body := normalize(string(document))
	if d, err := split(body); err == nil {
		body = d.body
	}
	f := &finder{source: []byte(body), loose: loose, targets: map[string]string{}, seen: map[string]bool{"": true}}
	f.walk(f.parser().Parse(text.NewReader(f.source)))
	return f.paths
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
}

func (f *finder) add(path string) {
	if !f.seen[path] {
		f.seen[path] = true
		f.paths = append(f.paths, path)
	}
}

// maxNesting bounds lists and quotes in each other, since each line is shown to
// all blocks that are open. What is deeper is read as text.
const maxNesting = 32

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
	rest := lines.Value(f.source)
	taken := 0
	for {
		label, target, end := definition(rest)
		if end < 0 {
			break
		}
		if key := util.ToLinkReference(label); f.targets[key] == "" {
			f.targets[key] = linkPath(target)
		}
		node := ast.NewLinkReferenceDefinition(label, target, nil)
		paragraph.Parent().InsertBefore(paragraph.Parent(), paragraph, node)
		taken += bytes.Count(rest[:end], []byte("\n"))
		rest = rest[end:]
	}
	if taken == lines.Len() {
		paragraph.Parent().RemoveChild(paragraph.Parent(), paragraph)
		return
	}
	lines.SetSliced(taken, lines.Len())
}
