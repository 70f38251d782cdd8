package foreign_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/lockfile/foreign"
	"skills/source"
)

func TestProvenanceOfGhSkill(t *testing.T) {
	const repo = "\n  github-repo: https://github.com/o/r"
	for _, c := range []struct {
		what, metadata string
		want           foreign.Entry
	}{
		{"branch", repo + "\n  github-ref: refs/heads/main\n  github-tree-sha: " + tree + "\n  github-path: skills/x",
			foreign.Entry{Text: "https://github.com/o/r/tree/main/skills/x", Path: "skills/x", Ref: "main", Tree: tree}},
		{"commit", repo + "\n  github-ref: " + commit + "\n  github-tree-sha: " + tree + "\n  github-path: skills/x",
			foreign.Entry{Text: "https://github.com/o/r/tree/" + commit + "/skills/x", Path: "skills/x", Ref: commit, Commit: commit, Tree: tree}},
		{"pin beside another ref", repo + "\n  github-ref: refs/heads/main\n  github-pinned: v2.0.0\n  github-tree-sha: " + tree,
			foreign.Entry{Text: "https://github.com/o/r/tree/v2.0.0", Ref: "v2.0.0", Tree: tree, Pinned: true, Reason: "pinned with gh skill"}},
		{"path of the file", repo + "\n  github-path: skills/x/SKILL.md\n  github-tree-sha: '" + tree + "'",
			foreign.Entry{Text: "https://github.com/o/r/tree/HEAD/skills/x", Path: "skills/x", Tree: tree}},
		{"root", repo + "\n  github-path: .\n  github-tree-sha: " + tree, foreign.Entry{Text: "https://github.com/o/r", Tree: tree}},
		{"host of a company", "\n  github-repo: https://ghe.acme.test/o/r\n  github-path: x\n  github-tree-sha: " + tree,
			foreign.Entry{Text: "git+https://ghe.acme.test/o/r//x", Path: "x", Tree: tree}},
		{"tree of digits", repo + "\n  github-tree-sha: 1234567890123456789012345678901234567890",
			foreign.Entry{Text: "https://github.com/o/r", Tree: "1234567890123456789012345678901234567890"}},
		{"tree of another kind", repo + "\n  github-tree-sha: " + sum,
			foreign.Entry{Text: "https://github.com/o/r", Problem: `no commit is recorded, and "github-tree-sha" is of a kind that cannot be compared`}},
		{"repository alone", repo, foreign.Entry{Text: "https://github.com/o/r", Problem: noCommit}},
		{"quoted keys in one line", ` {"github-repo": "https://github.com/o/r", "github-tree-sha": "` + tree + `"}`,
			foreign.Entry{Text: "https://github.com/o/r", Tree: tree}},
		{"directory", "\n  local-path: /Users/me/skills/x", foreign.Entry{Text: "/Users/me/skills/x", Problem: oneMachine}},
		{"no repository", "\n  github-path: skills/x", problem(`"github-repo" is missing`)},
		{"name for an address", "\n  github-repo: o/r", problem(`"github-repo" is no address`)},
		{"list for a path", repo + "\n  github-path: [x]", problem(`"github-path" on line 4 is a list, not a string`)},
		{"way out", repo + "\n  github-path: x/../../y", problem(`"github-path" holds ".." as a part`)},
		{"bad ref", repo + "\n  github-ref: a..b", problem("the ref or the path can be none in a repository")},
		{"credentials", "\n  github-repo: https://x-access-token:hunter2@github.com/o/r",
			problem(`"github-repo" on line 3 holds credentials`)},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := parse(t, "dir/x/SKILL.md", "---\nmetadata:"+c.metadata+"\nname: x\n---\n", source.DefaultHosts())
			if len(r.Entries) == 1 && r.Entries[0].Name != "x" {
				t.Errorf("name %q", r.Entries[0].Name)
			}
			if diff := cmp.Diff(c.want, only(t, r)); diff != "" {
				t.Error("(-want +got):", diff)
			}
		})
	}
}

func TestSkillsThatGhDidNotInstallHaveNoEntry(t *testing.T) {
	for _, text := range []string{
		"", "---", "---\n", "# Notes\ngithub-repo: x\n", "---\nname: x\ndescription: y\n---\ngithub-repo: x\n",
		"---\nname: x\ndescription: Use when: colons: stand: here\n---\n", // no YAML, and none of ours
		"---\nname: x\nmetadata:\n  github-repo: https://github.com/o/r\n",
		"---\nname: x\nmetadata:\n  author: acme\n  github-token: x\n---\n",
		"---\nname: x\nmetadata: [local-path: x]\n---\n",
		"---\nname: x\ngithub-repo: https://github.com/o/r\n---\n",
		"----\nmetadata:\n  github-repo: https://github.com/o/r\n----\n",
	} {
		if r := parse(t, "SKILL.md", text, source.DefaultHosts()); r.Kind != foreign.FrontMatter || len(r.Entries)+len(r.Findings) != 0 {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

func TestLinesOfAFrontMatterAreThoseOfTheFile(t *testing.T) {
	const text = "\ufeff\n \n--- \nname: x\nlicense: |\n  all\n  of it\nmetadata:\n  github-repo: https://github.com/o/r\n---\t\n"
	r := parse(t, "SKILL.md", text, source.DefaultHosts())
	if len(r.Entries) != 1 || r.Entries[0].Line != 8 || r.Entries[0].License != "" {
		t.Errorf("%+v", r.Entries)
	}
}
