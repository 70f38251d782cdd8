package manifest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	burntsushi "github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	pelletier "github.com/pelletier/go-toml/v2"

	"skills/lockfile/manifest"
)

// writer makes manifests as people write them: every form of entry, comments and blank lines anywhere, one line end.
type writer struct {
	*rand.Rand
	lines []string
	names []string
}

func (w *writer) add(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *writer) one(texts ...string) string { return texts[w.IntN(len(texts))] }

// noise adds nothing, a blank line or a comment.
func (w *writer) noise() {
	switch w.IntN(4) {
	case 0:
		w.add("")
	case 1:
		w.add("# comment %d about skills.a = 'x' and \"quotes", len(w.lines))
	}
}

func (w *writer) comment() string { return w.one("", " # why", "\t# source = 'no'") }

func (w *writer) source() string { return fmt.Sprintf("o/r%d", w.IntN(100)) }

// name is a key that was not used yet.
func (w *writer) name() string {
	name := fmt.Sprintf("%s%d", w.one("pdf", "a-", "tide-4.", "代码", "x y", "_"), len(w.names))
	w.names = append(w.names, name)
	return name
}

func key(name string) string {
	if strings.ContainsAny(name, ". 代") {
		return "'" + name + "'"
	}
	return name
}

// value is the right side of an entry.
func (w *writer) value() string {
	return w.one(
		fmt.Sprintf("%q", w.source()),
		fmt.Sprintf("{source='%s',ref=\"v1\"}", w.source()),
		fmt.Sprintf("{ source = '%s', agents = [ \"codex\" ,'amp' ], reason = \"# not a comment\" }", w.source()),
		"{ skill = \"\"\"\n---\nname: x\n# heading\n[skills]\n---\n\"\"\", resources = { 'a/b.md' = \"1\", 'c.md' = '' } }",
	)
}

// manifest writes a whole file with the entries in one of the forms.
func (w *writer) manifest() string {
	w.noise()
	if w.IntN(2) == 0 {
		w.add("mode = 'link'%s", w.comment())
	}
	w.noise()
	count := w.IntN(5)
	form := w.IntN(5)
	if form < 2 {
		w.packs()
		w.add("%s[skills]%s", w.one("", " "), w.comment())
	}
	for range count {
		w.noise()
		w.entry(form)
	}
	w.noise()
	if form >= 2 || w.IntN(2) == 0 {
		w.add("[policy]%s\nallow = [ 'github.com/o/*', # us\n]", w.comment())
		w.noise()
	}
	return strings.Join(w.lines, "\n") + w.one("", "\n", "\n\n")
}

func (w *writer) packs() {
	for range w.IntN(3) {
		w.add("[[packs]]%s\nsource = '%s'\ninclude = ['x', 'y*']", w.comment(), w.source())
		w.noise()
	}
}

func (w *writer) entry(form int) {
	name := w.name()
	switch form {
	case 0: // plain, of any alignment
		w.add("%s%s%s= %s%s", w.one("", "  "), key(name), w.one(" ", "   ", ""), w.value(), w.comment())
	case 1: // dotted below the header
		w.add("%s.source = '%s'%s\n# inside\n%s.mode = 'copy'", key(name), w.source(), w.comment(), key(name))
	case 2: // dotted at the top
		w.add("skills.%s = %s%s", key(name), w.value(), w.comment())
	case 3: // a table each
		w.add("[ skills.%s ]%s\nsource = '%s'\nref = 'v1'", key(name), w.comment(), w.source())
	case 4: // a table and tables below
		w.add("[skills.%s]\nskill = 'text'\nreason = 'x'%s\n[skills.%s.resources]\n'a.md' = 'x'", key(name), w.comment(), key(name))
	}
}

// samples calls f with many files, and with their entries as an independent reader has them.
func samples(t *testing.T, f func(t *testing.T, w *writer, text string, values map[string]any)) {
	for seed := range uint64(100) {
		w := &writer{Rand: rand.New(rand.NewPCG(seed, 1))}
		text := w.manifest()
		if seed%3 == 0 {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		f(t, w, text, decode(t, text))
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, text)
		}
	}
}

// decode reads a text with both readers, which must agree, and gives [skills]; "\r\n" in strings counts as "\n".
func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	first, second := map[string]any{}, map[string]any{}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if err := burntsushi.Unmarshal([]byte(text), &first); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := pelletier.Unmarshal([]byte(text), &second); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	firstSkills, _ := first["skills"].(map[string]any)
	secondSkills, _ := second["skills"].(map[string]any)
	if diff := cmp.Diff(firstSkills, secondSkills); diff != "" {
		t.Fatalf("the readers differ: %s", diff)
	}
	if firstSkills == nil {
		return map[string]any{}
	}
	return firstSkills
}

// randomSkill gives a skill and what a reader must find of it.
func (w *writer) randomSkill(name string) (manifest.Skill, any) {
	source := w.source()
	switch w.IntN(3) {
	case 0:
		return manifest.Skill{Name: name, Source: source}, source
	case 1:
		return manifest.Skill{Name: name, Source: source, Path: "a/b", Ref: "^1", Agents: []string{"codex"}, Mode: "copy", Reason: `say "no"`},
			map[string]any{"source": source, "path": "a/b", "ref": "^1", "agents": []any{"codex"}, "mode": "copy", "reason": `say "no"`}
	}
	text := "---\nname: x\n---\n\n\"\"\"quoted\"\"\" \\n " + source + "\n"
	return manifest.Skill{Name: name, Inline: &manifest.Inline{Document: text, Resources: map[string]string{"a/b.md": text}}},
		map[string]any{"skill": text, "resources": map[string]any{"a/b.md": text}}
}

// plain gives a table that says nothing but a source as that source.
func plain(values map[string]any) map[string]any {
	out := maps.Clone(values)
	for name, value := range out {
		if table, ok := value.(map[string]any); ok && len(table) == 1 && table["source"] != nil {
			out[name] = table["source"]
		}
	}
	return out
}

// keepsLines fails unless all lines of a text stand in the other in their order.
func keepsLines(t *testing.T, text, in string) {
	t.Helper()
	rest := strings.Split(in, "\n")
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		for len(rest) > 0 && strings.TrimSuffix(rest[0], "\r") != line {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			t.Errorf("line %q is lost in:\n%s", line, in)
			return
		}
		rest = rest[1:]
	}
}

func TestSetAddsOneEntryAndKeepsAllLines(t *testing.T) {
	samples(t, func(t *testing.T, w *writer, text string, values map[string]any) {
		s, value := w.randomSkill("new.one")
		got, err := parse(t, text).Set(s)
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		keepsLines(t, text, string(got))
		values["new.one"] = value
		if diff := cmp.Diff(plain(values), plain(decode(t, string(got)))); diff != "" {
			t.Errorf("%s\n%s", diff, got)
		}
		if strings.Contains(text, "\r\n") && strings.Count(string(got), "\r\n") != strings.Count(string(got), "\n") {
			t.Errorf("line ends are mixed: %q", got)
		}
	})
}

func TestDeleteUndoesSet(t *testing.T) {
	samples(t, func(t *testing.T, w *writer, text string, values map[string]any) {
		if !strings.Contains(text, "[skills]") && len(values) == 0 {
			return // Set adds the header, which stays
		}
		first, _ := w.randomSkill("new.one")
		second, _ := w.randomSkill("new.two")
		added, err := parse(t, text).Set(first, second)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parse(t, string(added)).Delete("new.one", "new.two")
		if err != nil || string(got) != text {
			t.Errorf("%v\ngot  %q\nwant %q\nbetween %s", err, got, text, added)
		}
	})
}

func TestDeleteTakesOneEntryAndLeavesTheRest(t *testing.T) {
	samples(t, func(t *testing.T, w *writer, text string, values map[string]any) {
		for _, name := range w.names {
			got, err := parse(t, text).Delete(name)
			if err != nil {
				t.Fatal(err)
			}
			keepsLines(t, string(got), text)
			want := maps.Clone(values)
			delete(want, name)
			if diff := cmp.Diff(want, decode(t, string(got))); diff != "" {
				t.Errorf("%s: %s\n%s", name, diff, got)
			}
		}
	})
}

func TestSetChangesOneEntryAndLeavesTheRest(t *testing.T) {
	samples(t, func(t *testing.T, w *writer, text string, values map[string]any) {
		for _, name := range w.names {
			s, value := w.randomSkill(name)
			got, err := parse(t, text).Set(s)
			if err != nil {
				t.Fatal(err)
			}
			want := maps.Clone(values)
			want[name] = value
			if diff := cmp.Diff(plain(want), plain(decode(t, string(got)))); diff != "" {
				t.Errorf("%s: %s\n%s", name, diff, got)
			}
			without, err := parse(t, text).Delete(name)
			if err != nil {
				t.Fatal(err)
			}
			keepsLines(t, string(without), string(got)) // what is not the entry's is there before and after
		}
	})
}

// FuzzSet: an edit of any manifest reads back as asked in an independent reader, or is an error.
func FuzzSet(f *testing.F) {
	f.Add([]byte(whole), "new", "o/r", "", "v1")
	f.Add([]byte("skills.a = 'x'"), "a", "", "text\n", "")
	f.Add([]byte("[skills.a]\nskill = 'x'\n[skills.a.resources]\nb = 'c'"), "a", "o/r", "", "")
	f.Add([]byte("[skills]\na.source='x'\r\n"), "b", "", "\"\"\"\r\\", "")
	f.Fuzz(func(t *testing.T, data []byte, name, source, text, ref string) {
		m, err := manifest.Parse(data, "skills.toml")
		if err != nil {
			return
		}
		s := manifest.Skill{Name: name, Source: source, Ref: ref}
		if text != "" {
			s.Inline = &manifest.Inline{Document: text}
		}
		got, err := m.Set(s)
		if err != nil {
			return
		}
		values := map[string]any{}
		if err := burntsushi.Unmarshal(got, &values); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		value := values["skills"].(map[string]any)[name]
		if table, ok := value.(map[string]any); ok {
			value = table["source"]
			if text != "" {
				value = table["skill"]
			}
		}
		if have, _ := value.(string); strings.ReplaceAll(have, "\r\n", "\n") != strings.ReplaceAll(source+text, "\r\n", "\n") {
			t.Fatalf("%q from %q holds %q for %+v", got, data, value, s)
		}
		if _, err := parse(t, string(got)).Delete(name); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
	})
}
