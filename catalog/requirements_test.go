package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/source"
)

// candidates is the tree of the requirements about candidates, with more files; kit has others beside it.
func candidates(t testing.TB, more ...string) *treeFS {
	files := map[string]string{
		"README.md":            "kit\n",
		"catA/review/SKILL.md": skill("review", "A"), "catB/review/SKILL.md": skill("review", "B"),
		"skills/pdf/SKILL.md": skill("pdf", "P"), "skills/pdf/references/x/SKILL.md": skill("x", "X"),
		"skills/lower/skill.md": skill("lower", "L"), "skills/isdir/SKILL.md [dir]": "",
		"skills/.curated/foo/SKILL.md": skill("foo", "F"), ".claude/skills/bar/SKILL.md": skill("bar", "R"),
		"node_modules/z/SKILL.md": skill("z", "Z"), "vendor/node_modules/y/SKILL.md": skill("y", "Y"),
		"d1/d2/d3/d4/d5/d6/SKILL.md": skill("d6", "6"), "d1/d2/d3/d4/d5/d6b/d7/SKILL.md": skill("d7", "7"),
		"link [link]": "skills/pdf", "out [link]": "/etc", "loop [link]": ".",
	}
	for at := 0; at+1 < len(more); at += 2 {
		files[more[at]] = more[at+1]
	}
	return tree(t, files)
}

// What is a candidate and where the walk ends. The bound of depth is 8 where the requirement proposes 6, so the rows of depth name it.
func TestCandidatesByTheirRequirements(t *testing.T) {
	const six = "catA/review catB/review d1/d2/d3/d4/d5/d6 skills/lower skills/pdf"
	five := strings.Replace(six, "d1/d2/d3/d4/d5/d6 ", "", 1)
	many := candidates(t)
	for i := range 10_000 {
		many.add(fmt.Sprintf("src/%d/%d/x", i%100, i), nil, nil)
	}
	for _, c := range []struct {
		id   string
		f    *treeFS
		o    WalkOptions
		want string
	}{
		{"S4-28 3.7-1 3.7-8 links are not followed", candidates(t), WalkOptions{MaxDepth: 6}, six},
		{"S4-28 3.7-3", candidates(t), WalkOptions{MaxDepth: 5}, five},
		{"S4-28 3.7-4 never below a skill", candidates(t), WalkOptions{Below: "skills"}, "skills/lower skills/pdf"},
		{"3.7-6", candidates(t), WalkOptions{Below: "skills/.curated"}, "skills/.curated/foo"},
		{"3.7-7", candidates(t), WalkOptions{Below: ".claude/skills"}, ".claude/skills/bar"},
		{"S4-29 3.7-10", candidates(t, "SKILL.md", skill("top", "T")), WalkOptions{MaxDepth: 6}, "."},
		{"S4-29 two", tree(t, map[string]string{"SKILL.md": skill("top", "T"), "skills/a/SKILL.md": skill("a", "A")}), WalkOptions{}, "."},
		{"3.7-11", candidates(t), WalkOptions{Below: "skills/pdf"}, "skills/pdf"},
		{"S4-28 3.7-21 10,000 directories", many, WalkOptions{MaxDepth: 6}, six},
		{"S4-30 3.7-22", tree(t, map[string]string{"a/b/SKILL.md": skill("1", "1"), "a-b/SKILL.md": skill("2", "2"), "Z/a/SKILL.md": skill("3", "3")}), WalkOptions{}, "Z/a a-b a/b"},
		{"S4-30 3.7-23", tree(t, map[string]string{"a/SKILL.md": skill("a", "1"), "A/SKILL.md": skill("A", "2")}), WalkOptions{}, "A a"},
	} {
		t.Run(c.id, func(t *testing.T) {
			l := list(t, c.f, c.o)
			if got := visible(l); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if len(c.f.opened) > 0 && slices.ContainsFunc(c.f.opened, func(name string) bool { return !strings.EqualFold(name[len(name)-len("skill.md"):], "SKILL.md") }) {
				t.Errorf("opened were %q", c.f.opened)
			}
		})
	}
	t.Run("3.7-12", func(t *testing.T) {
		_, err := Walk(context.Background(), candidates(t), WalkOptions{Below: "skils"})
		var e *Error
		if !errors.As(err, &e) || e.Kind != "not_found" || !strings.Contains(e.Hints()[0], `"skills"`) {
			t.Errorf("%v", err)
		}
	})
	t.Run("3.7-14", func(t *testing.T) {
		l, err := Walk(context.Background(), tree(t, nil), WalkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Read(context.Background(), tree(t, nil), false); !strings.HasPrefix(reasonOf(err), "no_skills") {
			t.Errorf("%v", err)
		}
	})
	t.Run("3.7-20", func(t *testing.T) {
		files := map[string]string{"c/SKILL.md": "---\nname: c\n---\n"}
		for _, name := range []string{"a", "b", "d", "e"} {
			files[name+"/SKILL.md"] = skill(name, name)
		}
		var got []string
		for _, c := range list(t, tree(t, files), WalkOptions{}).Visible() {
			got = append(got, fmt.Sprint(c.Name, c.Usable, reasonOf(c.Err)))
		}
		if want := []string{"atrue", "btrue", "cfalseinvalid_skill missing_field description", "dtrue", "etrue"}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	})
	t.Run("S4-29 3.7-10 named", func(t *testing.T) {
		c := list(t, candidates(t, "SKILL.md", skill("top", "T")), WalkOptions{}).Visible()[0]
		if c.Path != "" || c.Name != "top" || !slices.Equal(codes(c.Findings), []string{"name_mismatch"}) {
			t.Errorf("%+v", c)
		}
		c = list(t, tree(t, map[string]string{"SKILL.md": "nothing"}), WalkOptions{Full: true, Fallback: "kit"}).Candidates[0]
		if c.Name != "kit" || c.Usable {
			t.Errorf("%+v", c)
		}
	})
}

func TestSelectorsByTheirRequirements(t *testing.T) {
	for _, c := range []struct{ id, selector, want string }{
		{"S4-30 one name twice", "review", "ambiguous catA/review catB/review"}, {"S4-30 3.7-16", "catA/review", "catA/review"},
		{"3.7-17", "REVIEW", "ambiguous catA/review catB/review"}, {"3.7-18", "pdf", "skills/pdf"}, {"3.7-19", "nope", "not_found"},
	} {
		t.Run(c.id, func(t *testing.T) {
			if got := chosen(list(t, candidates(t), WalkOptions{MaxDepth: 6}), c.selector); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	t.Run("S4-30 rels", func(t *testing.T) {
		l := list(t, tree(t, map[string]string{"b/review/SKILL.md": skill("review", "B"), "a/review/SKILL.md": skill("review", "A")}), WalkOptions{})
		if got := visible(l); got != "a/review b/review" {
			t.Error(got)
		}
		if got := chosen(l, "a/review"); got != "a/review" {
			t.Error(got)
		}
	})
}

// The files of a skill are those below its directory; the request by which a host lists them is the fetcher's matter.
func TestFilesByTheirRequirements(t *testing.T) {
	f := tree(t, map[string]string{"skills/pdf/SKILL.md": skill("pdf", "P"), "skills/pdf/a.md": "a", "skills/pdf-x/b.md": "b", "skills/pdf-x/SKILL.md": skill("pdf-x", "X"),
		"skills/pdf/z [gitlink]": strings.Repeat("1", 40), "skills/pdf/run.sh [exec]": "#!/bin/sh\n", "skills/pdf/l [link]": "a.md"})
	t.Run("S2-31 3.7-24 3.7-25 3.7-28", func(t *testing.T) {
		files, findings, err := Files(context.Background(), f, "skills/pdf", Limits{})
		want := []File{{"SKILL.md", false, "skills/pdf/SKILL.md"}, {"a.md", false, "skills/pdf/a.md"}, {"l", false, "skills/pdf/a.md"}, {"run.sh", true, "skills/pdf/run.sh"}}
		if !slices.Equal(files, want) || err != nil || !slices.Equal(codes(findings), []string{"submodule"}) {
			t.Errorf("%v, %v, %v", files, findings, err)
		}
	})
	for _, target := range []string{"../../x", "/etc/passwd"} {
		t.Run("3.7-26 "+target, func(t *testing.T) {
			f := tree(t, map[string]string{"a/SKILL.md": skill("a", "A"), "a/l [link]": target})
			if _, _, err := Files(context.Background(), f, "a", Limits{}); !strings.HasPrefix(reasonOf(err), "path_escape") {
				t.Error(err)
			}
		})
	}
	t.Run("S2-31 no SKILL.md", func(t *testing.T) {
		l, err := Walk(context.Background(), tree(t, map[string]string{"skills/pdf/a.md": "a"}), WalkOptions{Below: "skills/pdf"})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Read(context.Background(), f, false); reasonOf(err) != "no_skills  skills/pdf" {
			t.Errorf("%q", reasonOf(err))
		}
	})
	t.Run("3.7-27", func(t *testing.T) {
		pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
		if found, err := ContentFindings("assets/logo.png", strings.NewReader(pointer)); err != nil || !slices.Equal(codes(found), []string{"lfs_pointer"}) {
			t.Errorf("%v, %v", found, err)
		}
	})
}

// A text that is no source and a document that is no skill are errors of two types.
func TestErrorsOfSourcesAndDocuments(t *testing.T) {
	t.Run("S2-30", func(t *testing.T) {
		_, bad := source.Parse("http://github.com/o/r", source.DefaultHosts())
		_, _, broken := Parse([]byte("# no frontmatter"), Rules{Profile: ProfileSmarter})
		var s *source.Error
		var d *Error
		if !errors.As(bad, &s) || errors.As(bad, &d) {
			t.Errorf("the error of a source is %#v", bad)
		}
		if !errors.As(broken, &d) || errors.As(broken, &s) {
			t.Errorf("the error of a document is %#v", broken)
		}
	})
}

// Vectors that no other table of this package has.
func TestDocumentsByTheirRequirements(t *testing.T) {
	t.Run("S1-21 body", func(t *testing.T) {
		for _, text := range []string{"\ufeff" + document(ok2, "b"), "\n\n" + document(ok2, "b"), strings.ReplaceAll(document(ok2, "b"), "\n", "\r\n")} {
			if s, got := parsed(text, Rules{Profile: ProfileClarvis}); s == nil || s.Body != "b" || s.Name != "pdf" {
				t.Errorf("%q: %s", text, got)
			}
		}
	})
	t.Run("S1-45 aliases", func(t *testing.T) { // bounded by the values that they stand for, not by their number
		front := ok2 + "\na: &a [" + strings.Repeat("x,", 100) + "x]\nb: [" + strings.TrimSuffix(strings.Repeat("*a,", 1000), ",") + "]"
		if _, got := parsed(document(front, "x"), Rules{Profile: ProfileClarvis}); got != "E(yaml frontmatter)" {
			t.Errorf("100,000 values by 1,000 aliases: %s", got)
		}
	})
	t.Run("S1-45 repair", func(t *testing.T) { // of the tool's own profile alone: clarvis is the strict parse
		text := document("name: pdf\ndescription: Use when: x", "b")
		if s, got := parsed(text, Rules{}); got != "ok W(yaml_repaired)" || s.Description != "Use when: x" {
			t.Error(got)
		}
		if _, got := parsed(text, Rules{Profile: ProfileClarvis}); got != "E(yaml frontmatter)" {
			t.Error(got)
		}
	})
	t.Run("S2-2 install", func(t *testing.T) { // above Smarter's bounds the tool warns, and stops at ten times as much
		for characters, want := range map[int]string{200_000: "ok", 200_001: "ok W(too_long)", 2_000_000: "ok W(too_long)", 2_000_001: "E(too_long)"} {
			if _, got := parsed(sized(characters, "x"), Rules{}); got != want {
				t.Errorf("%d characters: %s, want %s", characters, got, want)
			}
		}
	})
	t.Run("S4-4 a file that is not there", func(t *testing.T) { // is an error of who opens it; Parse has the other one
		for _, text := range []string{"", "---\nname: x\n---\n", "---\nname: x\ndescription:\n---\n"} {
			if s, got := parsed(text, Rules{Profile: ProfileZidane}); s != nil || !strings.HasPrefix(got, "E(missing_field description)") {
				t.Errorf("%q: %s", text, got)
			}
		}
	})
	t.Run("S4-5 directory", func(t *testing.T) {
		_, findings, err := Inspect(context.Background(), skillIn("---\nname: docs\ndescription: Reads.\n---\nx\n"), "pdf", Rules{Profile: ProfileZidane})
		if err != nil || !slices.Equal(codes(findings), []string{"name_mismatch"}) || findings[0].Severity != SeverityWarning {
			t.Errorf("%v, %v", findings, err)
		}
	})
}
