package catalog

import (
	"bytes"
	"fmt"
	"math/rand"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// referenceCases are bodies and the paths that they refer to, separated by a bar.
// A backtick is written as ´.
func referenceCases() [][2]string {
	return [][2]string{
		// Order and the plain forms.
		{"´scripts/a.py´ then [g](b.md)", "scripts/a.py|b.md"},
		{"[g](b.md) then ´scripts/a.py´", "b.md|scripts/a.py"},
		{"![i](assets/a.png)", "assets/a.png"},
		{"[a](b.md) [a](./b.md) [c](x/../b.md)", "b.md"},
		{"[dir](references/)", "references"},
		{"# [a](a.md)\n\n* [b](b.md)\n  > [c](c.md)\n\nd ´x/d.md´\n===", "a.md|b.md|c.md|x/d.md"},
		{"**[a](a.md)** _[b](b.md)_ ***´x/c.py´***", "a.md|b.md|x/c.py"},
		{"| [a](a.md) | ´x/b.py´ |\n|---|---|\n| [c](c.md) | |", "a.md|x/b.py|c.md"},

		// Targets between angle signs.
		{"[a](<my file.md>)", "my file.md"},
		{"[a](<b.md>)", "b.md"},
		{"[a](<b(.md> 'T')", "b(.md"},
		{"[a](<b\\>c.md>)", "b>c.md"},
		{"[a](<b\n.md>)", ""},
		{"[a](<b.md)", ""},
		{"[a](<>)", ""},
		{"[a]()", ""},
		{"[a](my file.md)", ""},

		// Titles.
		{"[a](b.md \"T\")", "b.md"},
		{"[a](b.md 'T')", "b.md"},
		{"[a](b.md (T))", "b.md"},
		{"[a](b.md\n\"T [c](d.md)\")", "b.md"},
		{"[a](b.md \"T \\\" (U)\" )", "b.md"},
		{"[a](b.md \"T)", ""},
		{"[a](b.md (T ( U))", ""},
		{"[a](b.md\"T\")", "b.md\"T\""},

		// Parentheses, brackets and escapes.
		{"[a](references/a_(b).md)", "references/a_(b).md"},
		{"[a](x(y(z)).md)", "x(y(z)).md"},
		{"[a](x(y.md)", ""},
		{"[a](x\\(y.md)", "x(y.md"},
		{"[a [n]](n.md)", "n.md"},
		{"[a [n](x.md)](n.md)", "x.md"},
		{"[a ]] (n.md) [b](m.md)", "m.md"},
		{"[a [b](b.md)] [c](c.md)", "b.md|c.md"},
		{"[a \\] b](n.md)", "n.md"},
		{"[a ´]´ b](n.md)", "n.md"},
		{"[a ´](n.md)´", ""},
		{"[![i](assets/i.png)](docs/d.md)", "assets/i.png|docs/d.md"},
		{"![a [b](b.md)](c.png)", "b.md|c.png"},
		{"\\[a](b.md)", ""},
		{"[a\\](b.md)", ""},
		{"[a]\\(b.md)", ""},
		{"\\\\[a](b.md)", "b.md"},
		{"\\![a](b.md)", "b.md"},
		{"[a] (b.md)", ""},
		{"[a](b.md", ""},
		{"[a](b\\_c.md)", "b_c.md"},
		{"[a](b&amp;c.md) [d](d&#46;md)", "b&c.md|d.md"},

		// Definitions.
		{"[a][r]\n\n[r]: references/r.md \"t\"", "references/r.md"},
		{"[r]: r.md\n[s]: <s t.md>\n  'two\n  lines'\n[u]:\nu.md\n\n[x](x.md)", "r.md|s t.md|u.md|x.md"},
		{"[S][] then [x](x.md) ![t]\n\n[t]: t.png\n[s]: s.md\n[s]: other.md", "s.md|x.md|t.png|other.md"},
		{"[r]: r.md\n---\n[r]", "r.md"},
		{"text\n[r]: r.md", ""},
		{"# [r]: r.md", ""},
		{"[r]: r.md junk", ""},
		{"[r]: r.md\n\"T\" junk [a](b.md)", "r.md|b.md"},
		{"[//]: # (a comment)\n[u]: https://e.com/u.md\n\n[u] [u](v.md)", "v.md"},
		{"[a][b [c] then [x](x.md)\n\n[a]: a.md\n\n[d [e]: f.md", "a.md|x.md"},
		{"[a][gone] [b]\n\n[b]: b.md\n[a]: a.md", "b.md|a.md"},

		// Code spans.
		{"´scripts/run´", ""},
		{"´scripts/fill.py --help´", ""},
		{"´FORMS.md´", "FORMS.md"},
		{"´fill.py´", ""},
		{"´./scripts/x.py´", "scripts/x.py"},
		{"´../x.md´ ´a/../../x.md´", ""},
		{"´/abs/x.md´", ""},
		{"´´scripts/x.py´´", "scripts/x.py"},
		{"´´ scripts/´x.py ´´", ""},
		{"´´´scripts/x.py´ ´´scripts/y.py´´´", ""},
		{"´scripts/ünï.py´", "scripts/ünï.py"},
		{"´a.MD´ ´.md´", ""},
		{"´references/a.md#part´", "references/a.md"},
		{"´scripts/*.py´ ´references/<topic>.md´ ´$DIR/x.py´ ´{a}/x.py´ ´a/b.c()´ ´~/x/y.md´", ""},
		{"´https://e.com/a.md´ ´v/1.2´ ´and/or´ ´scripts/x.py:12´", ""},
		{"\\´scripts/x.py´", ""},

		// Code blocks, comments, HTML.
		{"´´´\n[x](in.md) ´scripts/y.py´\n´´´\n[z](after.md)", "after.md"},
		{"~~~\n[x](in.md)\n~~~", ""},
		{"´´´´\n´´´\n[x](in.md)\n´´´\n´´´´\n[o](out.md)", "out.md"},
		{"´´´bash\npython scripts/in.py\n´´´", ""},
		{"- ´´´\n  [x](in.md)\n  ´´´\n- [o](out.md)", "out.md"},
		{"a\n\n    [x](in.md)\n\n[o](out.md)", "out.md"},
		{"´´´\n[x](in.md)", ""},
		{"<!-- [a](b.md) -->[c](d.md)", "d.md"},
		{"<!--\n\n[a](b.md)\n\n-->\n[c](d.md)", "d.md"},
		{"x <!-- [a](b.md)\n´y/z.md´ --> [c](d.md)", "d.md"},
		{"x <!-- [a](b.md)", "b.md"},
		{"<!-- [a](b.md)", ""},
		{"<a href=\"h.md\">x</a> <img src=\"assets/i.png\">", ""},
		{"x <a b=\"[c](d.md)\"> [e](f.md)", "f.md"},
		{"x <b [c](d.md)>", "d.md"},
		{"<div>\n[a](b.md)\n</div>\n\n[c](d.md)", "d.md"},
		{"x <https://e.com/[a](b.md)> [c](d.md)", "d.md"},
		{"see references/plain.md here", ""},
	}
}

// targetCases are targets of a link and the path that they mean, "" for none.
func targetCases() [][2]string {
	return [][2]string{
		{"my%20file.md", "my file.md"}, {"b%2523.md", "b%23.md"}, {"a%23b.md", "a#b.md"}, {"100%.md", "100%.md"},
		{"c.md?x=1#y", "c.md"}, {"c.md#y?x", "c.md"}, {"#top", ""}, {"?q", ""},
		{"mailto:a@b.c", ""}, {"data:text/plain,x", ""}, {"HTTPS://E.com/x.md", ""}, {"file:///x", ""}, {"https%3A//e.com/x", ""},
		{"//srv/x.md", ""}, {"/etc/passwd", ""}, {"%2fetc/passwd", ""}, {"C:/x.md", ""}, {"a.md:stream", ""},
		{`a\b.md`, ""}, {"a%5Cb.md", ""}, {"a%00.md", ""}, {"a%0Ab.md", ""}, {"a%7Fb.md", ""}, {"a%C2%85b.md", ""}, {"a%FF.md", ""},
		{"../s.md", ""}, {"a/../../s.md", ""}, {"%2e%2e/secret.md", ""}, {"..%2fsecret.md", ""}, {"&#46;&#46;/s.md", ""},
		{"..", ""}, {".", ""}, {"./", ""}, {"a/..", ""}, {"%20", ""}, {"..a/b", "..a/b"}, {"a/..b", "a/..b"}, {"...", "..."},
		{"./SKILL.md", ""}, {"skill.md", ""}, {"sub/SKILL.md", "sub/SKILL.md"}, {"x/../Skill.MD", ""},
		{"~/x.md", "~/x.md"}, {"a//b/./c", "a/b/c"}, {"references/", "references"}, {"%20F.md%20", "F.md"},
		{".git/config", ""}, {"a/.GIT/x", ""}, {strings.Repeat("a", 255), strings.Repeat("a", 255)}, {strings.Repeat("a", 256), ""},
		{strings.Repeat("a/", 512) + "b", ""}, {strings.Repeat("a/", 5000) + strings.Repeat("../", 5000) + "b", ""},
	}
}

func ticks(body string) string { return strings.ReplaceAll(body, "´", "`") }

// same checks a list against paths separated by bars.
func same(t *testing.T, what string, got []string, want string) {
	t.Helper()
	if list := strings.Join(got, "|"); list != want {
		t.Errorf("%s\n got %q\nwant %q", what, list, want)
	}
}

func TestReferencesAreThoseOfTheRenderedText(t *testing.T) {
	for _, c := range referenceCases() {
		body := ticks(c[0])
		same(t, body, References([]byte(body)), c[1])
		same(t, "below front matter: "+body, References([]byte("---\nname: x\n---\n"+body)), c[1])
		crlf := strings.ReplaceAll("---\nname: x\n---\n"+body+"\n", "\n", "\r\n")
		same(t, "with CRLF: "+body, References([]byte(crlf)), c[1])
	}
}

func TestReferencesKeepOnlyPathsOfTheSkill(t *testing.T) {
	for _, c := range targetCases() {
		for _, form := range []string{"[a](%s)", "x ![a](<%s> 'T')", "[a]: %s", "[a]\n\n[a]: <%s>"} {
			body := fmt.Sprintf(form, c[0])
			same(t, body, References([]byte(body)), c[1])
		}
	}
}

func TestReferencesOfAWholeDocument(t *testing.T) {
	body := "See [g](./reference/guide.md), [f](FORMS.md#s), [t](references/a.md \"T\"), run ´scripts/fill_form.py´. " +
		"[x](https://e.com/a.md) [y](#top) [z](/etc/passwd) [w](../s.md) [m](mailto:a@b.c) ´not a path´ " +
		"[g2](reference/guide.md) [s](SKILL.md)"
	want := "reference/guide.md|FORMS.md|references/a.md|scripts/fill_form.py"
	for _, front := range []string{
		"", "---\nname: x\ndescription: see [n](never.md)\n---\n", "\ufeff---\r\nname: x\r\n---\r\n",
		"\n---\nname: `scripts/never.py`\n---\n\n", "---\n---\n",
	} {
		same(t, front, References([]byte(front+ticks(body))), want)
	}
	same(t, "without a body", References([]byte("---\na: '[a](b.md)'\n---\n")), "")
	same(t, "empty", References(nil), "")
}

func TestMentionsReadCodeAndBareWordsToo(t *testing.T) {
	for _, c := range [][2]string{
		{"see references/plain.md here", "references/plain.md"},
		{"´´´bash\npython scripts/in.py\n´´´", "scripts/in.py"},
		{"a\n\n    ./scripts/run.sh --out=assets/o.json\n", "scripts/run.sh|assets/o.json"},
		{"run scripts/b.py, then [a](a.md), ´python scripts/c.py -x´ and **examples/d**.", "scripts/b.py|a.md|scripts/c.py|examples/d"},
		{"[a](b.md) scripts/x.py [c](scripts/x.py)\n\n[r]: r.md\n\nassets/y.css", "b.md|scripts/x.py|r.md|assets/y.css"},
		{"(scripts/a.py) \"scripts/b.py\" scripts/c.py:12 scripts/d.py... <scripts/e.py> scripts/f.py?", "scripts/a.py|scripts/b.py|scripts/c.py|scripts/d.py|scripts/e.py|scripts/f.py"},
		{"请运行scripts/x.py。参见references/说明.md，再看", "scripts/x.py|references/说明.md"},
		{"scripts/ references/. scripts/<name>.py scripts/*.py assets/..", ""},
		{"my-scripts/a.py my_scripts/a.py x/scripts/a.py /scripts/a.py ../scripts/a.py ~/scripts/a.py $D/scripts/a.py {d}/scripts/a.py C:\\scripts/a.py", ""},
		{"https://e.com/scripts/a.py <https://e.com/?q=scripts/a.py> other/x.md Scripts/a.py", ""},
		{"scripts/../../etc/passwd scripts/../x.md", "x.md"},
		{"[scripts/a.py](scripts/my%20file.py) [x](../scripts/no.py) [y](<assets/a b.png>)", "scripts/a.py|scripts/my file.py|assets/a b.png"},
		{"[r]: <assets/a b.png>\nwith [r]", "assets/a b.png"},
		{"x <!-- scripts/a.py --> y\n\n<!-- scripts/b.py\n\nscripts/c.py -->\n\n<!-- scripts/d.py", ""},
		{"<a href=\"h.md\">x</a> <img src=\"assets/i.png\">", "assets/i.png"},
		{"<details>\n<!-- scripts/n.py -->\nscripts/y.py [g](guide.md)\n</details>", "scripts/y.py|guide.md"},
		{"´references/a%20b.md´ and ´references/a(1).md´", "references/a%20b.md|references/a(1).md"},
	} {
		body := ticks(c[0])
		same(t, body, Mentions([]byte("---\nname: scripts/never.py\n---\n"+body)), c[1])
	}
}

func TestMentionsHoldAllReferences(t *testing.T) {
	for _, c := range referenceCases() {
		document := []byte(ticks(c[0]))
		mentions := Mentions(document)
		for _, name := range References(document) {
			if !slices.Contains(mentions, name) {
				t.Errorf("%s: %q is no mention", document, name)
			}
		}
	}
}

func TestTenThousandReferencesAreAllFound(t *testing.T) {
	for what, form := range map[string]string{
		"in a paragraph": "[a](f%05d.md)\n", "on a line": "![a](f%05d.md 'T') ", "in a list": "- a\n  - [a](<f%05d.md>)\n",
		"in a table": "| ´x´ | [a](f%05d.md) |\n", "as definitions": "[%[1]d]: f%05[1]d.md\n", "as code": "´f%05d.md´ ",
		"in quotes": "> [a](f%05d.md)\n\n", "without blanks": "[a](f%05d.md)",
	} {
		var body strings.Builder
		var want []string
		for i := range 10_000 {
			fmt.Fprintf(&body, ticks(form), i)
			want = append(want, fmt.Sprintf("f%05d.md", i))
		}
		if got := References([]byte(body.String())); !slices.Equal(got, want) {
			t.Errorf("%s: %d of 10,000 found, or in another order", what, len(got))
		}
	}
}

// nasty are pieces of texts that made readers of Markdown slow.
func nasty() []string {
	return []string{
		"[", "]", "[]", "![[[", "´", "<", "*_", "*a_ ", "[a](b", "[a](<b", "[a](b (", "[a](b \"", "[a](b '", "[a](((", "[a](b)",
		"[a][", "[a][b]", "[[]", "![a](b)", "[a]: b \"\n", "[a]: b\n(", "[a]:\n", "[a]: <", "<!--", "<?", "<![CDATA[", "<a ", "<a b='",
		"<a:", "\\", "\\´", "[a](\\", "[a]( ", "[a](b ", "![a](", "&",
	}
}

// The work of a block is its one pass and what is read ahead of it; the latter is
// counted. Were it to grow with the square of the text, it would be thousands
// of times the text.
func TestLookingAheadGrowsWithTheText(t *testing.T) {
	texts := []string{
		strings.Repeat("[", 10_000) + "[a](b)" + strings.Repeat("]", 10_000),
		strings.Repeat("![", 6_000) + strings.Repeat("[a](b)", 2_000) + strings.Repeat("](c)", 4_000),
		strings.Repeat("[", 4_000) + strings.Repeat("](x(", 4_000),
		strings.Repeat("[", 4_000) + strings.Repeat("][x", 4_000),
	}
	for _, piece := range nasty() {
		texts = append(texts, strings.Repeat(ticks(piece), 40_000/len(ticks(piece))))
	}
	for _, body := range texts {
		r := inlineReader{text: []byte(body), gone: map[string]bool{}}
		r.scan()
		if r.looked > (maxParens+8)*len(body) {
			t.Errorf("%.20q: read %d bytes ahead in %d", body, r.looked, len(body))
		}
	}
}

func TestClosingSignsAreLookedForOnce(t *testing.T) {
	body := strings.Repeat("<!-- <? <![CDATA[ ´ ´´ ", 1000)
	r := inlineReader{text: []byte(ticks(body) + "´´´"), gone: map[string]bool{}}
	r.scan()
	if len(r.gone) != 3 {
		t.Errorf("%d kinds of closing signs are known to be missing, want 3", len(r.gone))
	}
	if left := len(r.runs[1]) + len(r.runs[2]); left > 2 {
		t.Errorf("%d runs of backticks are kept behind the reader", left)
	}
}

// Each line is shown to all open blocks, so that their number is bounded.
func TestBlocksNestOnlySoDeep(t *testing.T) {
	for _, piece := range []string{"> ", ">", "- ", "1. ", "* ", "> - "} {
		f := &finder{source: []byte(strings.Repeat(piece, 1000) + "[a](b.md)"), targets: map[string]string{}, seen: map[string]bool{}, spans: map[string]bool{}}
		root := f.parser().Parse(text.NewReader(f.source))
		depth := 0
		for node := root; node != nil; node = node.FirstChild() {
			depth++
		}
		if depth > maxNesting+4 {
			t.Errorf("%q nests %d deep", piece, depth)
		}
		f.walk(root)
		same(t, piece, f.paths, "b.md")
	}
}

// plainReferences reads the same with goldmark's own reader of links. It is not ok
// where goldmark took a target whose parentheses do not match, as no link is.
func plainReferences(document string) (found []string, ok bool) {
	source, ok := []byte(document), true
	target := func(target []byte) {
		ok = ok && bytes.Count(target, []byte("(")) == bytes.Count(target, []byte(")"))
		found = append(found, linkPath(target))
	}
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch node := node.(type) {
		case *ast.Link:
			if !entering {
				target(node.Destination)
			}
		case *ast.Image:
			if !entering {
				target(node.Destination)
			}
		case *ast.LinkReferenceDefinition:
			if entering {
				target(node.Destination)
			}
		case *ast.CodeSpan:
			if entering {
				var code []byte
				for c := node.FirstChild(); c != nil; c = c.NextSibling() {
					code = append(code, c.(*ast.Text).Value(source)...)
				}
				found = append(found, codePath(string(code)))
			}
		}
		return ast.WalkContinue, nil
	})
	return firsts(found), ok
}

func firsts(list []string) []string {
	var kept []string
	for _, name := range list {
		if name != "" && !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	return kept
}

// Comments are not among the pieces, since goldmark takes the whole last line of
// one for HTML; nor are titles right behind a target, which it allows.
func TestReadsLinksAsGoldmarkDoes(t *testing.T) {
	pieces := strings.Split(ticks("[|]|(|)|![|a|b.md|c/d.md|<|>|´|´´|\\|*| |\n|\n\n|[r]|\n\n[r]: r.md\n\n|\n\n[r]: <r2.md> 't'\nx|](b.md)|"+
		"](e.md \"t\")|](e.md\n't')|](<f g.md> (t))|](x(y).md)|- |> |# |    |\n===\n|\n---\n|\n´´´\n|´a/b.c´|<b>|<a x=\"|\">|&amp;|%20|[a][|[]|1. |\t|é"), "|")
	random := rand.New(rand.NewSource(20))
	compared := 0
	for range 5000 {
		document := "x"
		for range random.Intn(14) {
			document += pieces[random.Intn(len(pieces))]
		}
		want, ok := plainReferences(document)
		if !ok {
			continue
		}
		compared += len(want)
		if got := References([]byte(document)); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, goldmark has %q", document, got, want)
		}
	}
	if compared < 2000 {
		t.Errorf("only %d references were compared", compared)
	}
}

func FuzzReferences(f *testing.F) {
	for _, c := range referenceCases() {
		f.Add(ticks(c[0]))
	}
	for _, piece := range nasty() {
		f.Add("---\nname: x\n---\n" + strings.Repeat(ticks(piece), 20))
	}
	f.Fuzz(func(t *testing.T, document string) {
		mentions := Mentions([]byte(document))
		for _, list := range [][]string{References([]byte(document)), mentions} {
			seen := map[string]bool{}
			for _, name := range list {
				switch {
				case CheckPath(name) != nil || name != path.Clean(name) || strings.ContainsAny(name, `:\`):
					t.Errorf("%q is no path of a skill", name)
				case strings.EqualFold(name, "SKILL.md"):
					t.Errorf("the manifest refers to itself as %q", name)
				case seen[name]:
					t.Errorf("%q comes twice", name)
				}
				seen[name] = true
			}
		}
		for _, name := range References([]byte(document)) {
			if !slices.Contains(mentions, name) {
				t.Errorf("%q is no mention", name)
			}
		}
	})
}

func ExampleReferences() {
	document := "---\nname: pdf\ndescription: Fills forms.\n---\n" +
		"Run `scripts/fill.py`, see [forms](references/my%20forms.md#xfa) and [the site](https://example.com/).\n"
	for _, name := range References([]byte(document)) {
		fmt.Println(name)
	}
	// Output:
	// scripts/fill.py
	// references/my forms.md
}

func ExampleMentions() {
	document := "Run scripts/extract.py first.\n\n```sh\npython scripts/fill.py --with assets/form.json\n```\n\nSee [forms](FORMS.md).\n"
	fmt.Println(Mentions([]byte(document)))
	fmt.Println(References([]byte(document)))
	// Output:
	// [scripts/extract.py scripts/fill.py assets/form.json FORMS.md]
	// [FORMS.md]
}
