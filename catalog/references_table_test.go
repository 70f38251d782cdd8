package catalog

import (
	"strings"
	"testing"
)

// TestReferencesTable has the rows of the requirements' table of references by number; a backtick is written as ´. Mentions holds what the
// second, looser pass gives where a row says so.
func TestReferencesTable(t *testing.T) {
	for _, c := range []struct{ id, body, want, mentions string }{
		{id: "3.6-1", body: "´scripts/a.py´ then [g](b.md)", want: "scripts/a.py|b.md"},
		{id: "3.6-2", body: "![i](assets/a.png)", want: "assets/a.png"},
		{id: "3.6-3", body: "[a](<my file.md>)", want: "my file.md"},
		{id: "3.6-4", body: "[a](<b.md>)", want: "b.md"},
		{id: "3.6-5", body: "[a](my%20file.md)", want: "my file.md"},
		{id: "3.6-7", body: `[a](b.md "T")`, want: "b.md"},
		{id: "3.6-8", body: "[a](b.md (T))", want: "b.md"},
		{id: "3.6-10", body: "[a](references/a_(b).md)", want: "references/a_(b).md"},
		{id: "3.6-11", body: "[a][r]\n\n[r]: references/r.md \"t\"", want: "references/r.md"},
		{id: "3.6-12", body: "´scripts/run´"},
		{id: "3.6-13", body: "´scripts/fill.py --help´"},
		{id: "3.6-14", body: "´FORMS.md´", want: "FORMS.md"},
		{id: "3.6-15", body: "´fill.py´"},
		{id: "3.6-16", body: "´./scripts/x.py´", want: "scripts/x.py"},
		{id: "3.6-17", body: "´../x.md´"},
		{id: "3.6-18", body: "´/abs/x.md´"},
		{id: "3.6-20", body: "´´scripts/x.py´´", want: "scripts/x.py"},
		{id: "3.6-21", body: "´´´\n[x](in.md) ´scripts/y.py´\n´´´\n[z](after.md)", want: "after.md"},
		{id: "3.6-22", body: "~~~\n[x](in.md)\n~~~"},
		{id: "3.6-23", body: "´´´´\n´´´\n[x](in.md)\n´´´\n´´´´\n[o](out.md)", want: "out.md"},
		{id: "3.6-24", body: "´´´bash\npython scripts/in.py\n´´´", mentions: "scripts/in.py"},
		{id: "3.6-25", body: "[a](#top) [b](?q) [c](c.md?x=1#y)", want: "c.md"},
		{id: "3.6-28", body: "[a](mailto:a@b.c)"},
		{id: "3.6-29", body: "[a](data:text/plain,x)"},
		{id: "3.6-30", body: "[a](HTTPS://E.com/x.md)"},
		{id: "3.6-32", body: `[a](a\b.md)`},
		{id: "3.6-33", body: "[a](./SKILL.md) [b](skill.md) [c](sub/SKILL.md)", want: "sub/SKILL.md"},
		{id: "3.6-34", body: "[dir](references/)", want: "references"},
		{id: "3.6-35", body: "[a [n]](n.md)", want: "n.md"},
		{id: "3.6-36", body: "[![i](assets/i.png)](docs/d.md)", want: "assets/i.png|docs/d.md"},
		{id: "3.6-37", body: "´scripts/ünï.py´", want: "scripts/ünï.py"},
		{id: "3.6-38", body: "[a](b.md) [a](./b.md) [c](x/../b.md)", want: "b.md"},
		{id: "3.6-39", body: "[a](%2e%2e/secret.md)"},
		{id: "3.6-40", body: "[a](..%2fsecret.md)"},
		{id: "3.6-41", body: "[a](a%00.md)"},
		{id: "3.6-43", body: "[a](b%2523.md)", want: "b%23.md"},
		{id: "3.6-45", body: `\[a](b.md)`},
		{id: "3.6-46", body: "<!-- [a](b.md) -->[c](d.md)", want: "d.md"},
		{id: "3.6-48", body: "[a]()"},
		{id: "3.6-49", body: "[a](<>)"},
		{id: "3.6-50", body: "´a.MD´"},
		{id: "3.6-51", body: "[a](~/x.md)", want: "~/x.md"},
		{id: "3.6-52", body: `<a href="h.md">x</a> <img src="assets/i.png">`, mentions: "assets/i.png"},
		{id: "3.6-53", body: "see references/plain.md here", mentions: "references/plain.md"},
		{id: "S2-19", want: "reference/guide.md|FORMS.md|references/a.md|scripts/fill_form.py",
			body: "See [g](./reference/guide.md), [f](FORMS.md#s), [t](references/a.md \"T\"), run ´scripts/fill_form.py´. [x](https://e.com/a.md) " +
				"[y](#top) [z](/etc/passwd) [w](../s.md) [m](mailto:a@b.c) ´not a path´ [g2](reference/guide.md) [s](SKILL.md)"},
		{id: "C-18", body: "[b](b.md) ´scripts/a.py´ [c](c.md)", want: "b.md|scripts/a.py|c.md"},
	} {
		t.Run(c.id, func(t *testing.T) {
			for _, body := range []string{c.body, " " + c.body + " ", "Text.\n\n" + c.body + "\n"} {
				body = ticks(body)
				same(t, body, References([]byte(body)), c.want)
				if c.mentions != "" {
					same(t, "mentions of "+body, Mentions([]byte(body)), c.mentions)
				}
			}
		})
	}
}

// The bound is on the work, not on time: what is read ahead of the one pass is counted.
func TestReferencesOfTwoHundredThousandBrackets(t *testing.T) {
	for _, c := range []struct{ id, body string }{
		{"3.6 limit [", strings.Repeat("[", 200_000)},
		{"3.6 limit ![", strings.Repeat("![", 100_000)},
		{"3.6 limit [a](", strings.Repeat("[a](", 50_000)},
		{"3.6 limit [[]", strings.Repeat("[[]", 66_000)},
		{"3.6 limit [ at the end a link", strings.Repeat("[", 200_000) + "[a](b.md)"},
	} {
		t.Run(c.id, func(t *testing.T) {
			r := inlineReader{text: []byte(c.body), gone: map[string]bool{}}
			r.scan()
			if r.looked > (maxParens+8)*len(c.body) {
				t.Errorf("%d bytes are read ahead in %d", r.looked, len(c.body))
			}
			found := References([]byte(c.body))
			if want := strings.HasSuffix(c.body, "(b.md)"); (len(found) == 1) != want {
				t.Errorf("found %v", found)
			}
		})
	}
}
