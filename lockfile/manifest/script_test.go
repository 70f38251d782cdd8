package manifest_test

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	burntsushi "github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"skills/lockfile/manifest"
)

// TestEditsOfRealFiles runs testdata/edit: "before", then "set" (a skill as TOML) or "delete" (names, one a line), each with the
// whole file that must be there "after".
func TestEditsOfRealFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/edit/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range []string{"\n", "\r\n"} {
			runEdits(t, file, archive.Files, end)
		}
	}
}

// runEdits runs one file with one kind of line end.
func runEdits(t *testing.T, file string, steps []txtar.File, end string) {
	t.Helper()
	var text []byte
	for i, step := range steps {
		data := strings.ReplaceAll(string(step.Data), "\n", end)
		var err error
		switch step.Name {
		case "before":
			text = []byte(data)
		case "set":
			var s manifest.Skill
			if err := burntsushi.Unmarshal(step.Data, &s); err != nil {
				t.Fatal(err)
			}
			text, err = parse(t, string(text)).Set(s)
		case "delete":
			text, err = parse(t, string(text)).Delete(strings.Fields(data)...)
		case "after":
			if diff := cmp.Diff(data, string(text)); diff != "" {
				t.Fatalf("%s, part %d: %s", file, i+1, diff)
			}
		default:
			t.Fatalf("%s: unknown part %q", file, step.Name)
		}
		if err != nil {
			t.Fatalf("%s, part %d: %v", file, i+1, err)
		}
	}
}

// TestManyEditsKeepWhatPeopleWrote runs random edits one after the other and holds the file against a plain map of what it must say, as
// an independent reader reads it. Comments that stood outside of entries are there to the end.
func TestManyEditsKeepWhatPeopleWrote(t *testing.T) {
	samples(t, func(t *testing.T, w *writer, text string, values map[string]any) {
		for range 4 {
			before := text
			text = w.edit(t, text, values)
			if diff := cmp.Diff(plain(values), plain(decode(t, text))); diff != "" {
				t.Fatalf("%s\nbefore %s\nafter %s", diff, before, text)
			}
			if got, want := comments(text), comments(before); got != want {
				t.Fatalf("%d comments of %d are left\nbefore %s\nafter %s", got, want, before, text)
			}
		}
	})
}

// edit makes one random edit of the file and of the values.
func (w *writer) edit(t *testing.T, text string, values map[string]any) string {
	t.Helper()
	m := parse(t, text)
	var edited []byte
	var err error
	switch name := w.one("one", "two", "tide-4.2", "代码", "x y"); {
	case w.IntN(4) == 0:
		edited, err = m.SetMode(w.one("", "link", "copy"))
	case w.IntN(4) == 0:
		edited, err = m.SetAgents([][]string{nil, {}, {"codex"}, {"codex", "amp"}}[w.IntN(4)])
	case values[name] != nil && w.IntN(2) == 0:
		delete(values, name)
		edited, err = m.Delete(name)
	default:
		s, value := w.randomSkill(name)
		values[name] = value
		edited, err = m.Set(s)
	}
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return string(edited)
}

// comments counts the comments that stand on lines of their own outside of texts.
func comments(text string) int {
	return strings.Count(text, "# comment ") + strings.Count(text, "# inside")
}

// TestDamageIsToldOrHarmless cuts, doubles and swaps bytes of a good file: the reader gives an error with a line, or a manifest that can be
// edited.
func TestDamageIsToldOrHarmless(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	told := 0
	for at := 0; at < len(whole); at += 7 {
		other := r.IntN(len(whole))
		swapped := []byte(whole)
		swapped[at], swapped[other] = swapped[other], swapped[at]
		for _, text := range []string{whole[:at], whole[:at] + whole[at+1:], whole[:at] + whole[at:at+1] + whole[at:], string(swapped)} {
			m, err := manifest.Parse([]byte(text), "skills.toml")
			if err != nil {
				told++
				if e := err.(*manifest.Error); e.Line < 1 || e.Line > strings.Count(text, "\n")+1 {
					t.Fatalf("%v is no line of %s", err, text)
				}
				continue
			}
			if _, err := m.Set(skill("new", "o/r")); err != nil {
				t.Fatalf("%v in %s", err, text)
			}
		}
	}
	if told < len(whole)/7 {
		t.Errorf("only %d of %d damages were noticed", told, 4*len(whole)/7)
	}
}
