package foreign_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/lockfile/foreign"
	"skills/source"
)

const (
	commit = "9d2f1ae1d0a59d2f1ae1d0a59d2f1ae1d0a5ffff"
	tree   = "5f1c5f1c5f1c5f1c5f1c5f1c5f1c5f1c5f1c5f1c"
	sum    = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // SHA-256 of nothing (FIPS 180-4)

	noCommit      = "no commit is recorded"
	noRevision    = "a directory has no revisions"
	noVersion     = "no exact version is recorded"
	oneMachine    = "the path is absolute, so it is right on one machine only"
	noDigest      = "a site has no revisions, and no digest is recorded"
	otherComputed = `no commit is recorded, and "computedHash" is of a kind that cannot be compared`
	otherFolder   = `no commit is recorded, and "skillFolderHash" is of a kind that cannot be compared`
)

// parse reads a record that is right as a whole, with hosts that a user configured.
func parse(t *testing.T, name, text string, hosts source.Hosts) *foreign.Record {
	t.Helper()
	r, err := foreign.Parse(name, []byte(text), hosts)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for _, e := range r.Entries {
		agrees(t, e, name, hosts)
	}
	return r
}

// only gives the one entry of a record, without what every entry has.
func only(t *testing.T, r *foreign.Record) foreign.Entry {
	t.Helper()
	if len(r.Entries) != 1 {
		t.Fatalf("%d entries in %+v", len(r.Entries), r)
	}
	e := r.Entries[0]
	e.Name, e.File, e.Line = "", "", 0
	return e
}

// problem is an entry that cannot be imported.
func problem(text string) foreign.Entry { return foreign.Entry{Problem: text} }

func TestSourcesOfTheNPMTool(t *testing.T) {
	for _, c := range []struct {
		what, entry string
		want        foreign.Entry
	}{
		{"repository alone", `"source":"acme/pack","sourceType":"github"`,
			foreign.Entry{Text: "https://github.com/acme/pack", Skill: "x", Problem: noCommit}},
		{"root of a repository", `"source":"acme/pack","sourceType":"github","skillPath":"SKILL.md"`,
			foreign.Entry{Text: "https://github.com/acme/pack", Problem: noCommit}},
		{"path written on Windows", `"source":"acme/pack","sourceType":"github","skillPath":"skills\\blue\\SKILL.md","ref":"v1.0.0"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/v1.0.0/skills/blue", Path: "skills/blue", Ref: "v1.0.0", Problem: noCommit}},
		{"path of a directory", `"source":"acme/pack","sourceType":"github","skillPath":"./skills/blue/","ref":"main"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/main/skills/blue", Path: "skills/blue", Ref: "main", Problem: noCommit}},
		{"path with odd letters", `"source":"acme/pack","sourceType":"github","skillPath":"a b/#1%2f@x/d\u00e9/skill.md","ref":"main"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/main/a%20b/%231%252f@x/d%C3%A9", Path: "a b/#1%2f@x/d\u00e9", Ref: "main", Problem: noCommit}},
		{"path that the person wrote", `"source":"acme/pack/docs","sourceType":"github"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/HEAD/docs", Path: "docs", Skill: "x", Problem: noCommit}},
		{"ref that the person wrote", `"source":"acme/pack#v1.0.0","sourceType":"github","skillPath":"a/SKILL.md"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/v1.0.0/a", Path: "a", Ref: "v1.0.0", Problem: noCommit}},
		{"ref beside another", `"source":"acme/pack#v1.0.0","sourceType":"github","ref":"v1.1.0"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/v1.1.0", Skill: "x", Ref: "v1.1.0", Problem: noCommit}},
		{"page", `"source":"https://github.com/acme/pack/blob/main/skills/blue/SKILL.md","sourceType":"github"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/main/skills/blue", Path: "skills/blue", Skill: "x", Ref: "main", Problem: noCommit}},
		{"page whose branch may go on", `"source":"https://github.com/acme/pack/tree/feature/x/blue","sourceType":"github"`,
			problem(`source "https://github.com/acme/pack/tree/feature/x/blue" does not say where the branch ends and the path begins`)},
		{"branch with a slash", `"source":"acme/pack","sourceType":"github","skillPath":"a/SKILL.md","ref":"feature/x"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/feature%2Fx/a", Path: "a", Ref: "feature/x", Problem: noCommit}},
		{"tag by its full name", `"source":"acme/pack","sourceType":"github","ref":"refs/tags/v1.0.0"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/v1.0.0", Skill: "x", Ref: "v1.0.0", Problem: noCommit}},
		{"branch that looks like a commit", `"source":"acme/pack","sourceType":"github","ref":"refs/heads/` + commit + `"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/refs%2Fheads%2F" + commit, Skill: "x", Ref: "refs/heads/" + commit, Problem: noCommit}},
		{"branch named like a ref", `"source":"acme/pack","sourceType":"github","ref":"refs/heads/refs/tags/v1"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/refs%2Fheads%2Frefs%2Ftags%2Fv1", Skill: "x", Ref: "refs/heads/refs/tags/v1", Problem: noCommit}},
		{"default branch", `"source":"acme/pack","sourceType":"github","ref":"HEAD"`,
			foreign.Entry{Text: "https://github.com/acme/pack", Skill: "x", Problem: noCommit}},
		{"commit", `"source":"acme/pack","sourceType":"github","ref":"` + commit + `","computedHash":"` + sum + `"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/" + commit, Skill: "x", Ref: commit, Commit: commit}},
		{"short commit", `"source":"acme/pack","sourceType":"github","ref":"9d2f1ae"`,
			foreign.Entry{Text: "https://github.com/acme/pack/tree/9d2f1ae", Skill: "x", Ref: "9d2f1ae", Problem: noCommit}},
		{"word of ours in a ref", `"source":"acme/pack","sourceType":"github","ref":"tag:v1"`,
			problem("the ref or the path can be none in a repository")},
		{"ref that ends in a slash", `"source":"acme/pack","sourceType":"github","skillPath":"a/SKILL.md","ref":"v1/"`,
			problem("the ref or the path can be none in a repository")},
		{"directory named SKILL.md", `"source":"acme/pack","sourceType":"github","skillPath":"a/SKILL.md/SKILL.md"`,
			foreign.Entry{Text: "", Problem: "the ref or the path can be none in a repository"}},
		{"git without .git", `"source":"https://git.acme.test/team/pack","sourceType":"git","computedHash":"` + sum + `"`,
			foreign.Entry{Text: "git+https://git.acme.test/team/pack", Skill: "x", Problem: otherComputed}},
		{"git over ssh", `"source":"git@git.acme.test:team/pack.git","sourceType":"git","skillPath":"a/SKILL.md"`,
			foreign.Entry{Text: "git@git.acme.test:team/pack.git//a", Path: "a", Problem: noCommit}},
		{"git over ssh with a port", `"source":"ssh://git@git.acme.test:7999/team/pack.git","sourceType":"git","ref":"v1"`,
			foreign.Entry{Text: "ssh://git@git.acme.test:7999/team/pack.git#v1", Skill: "x", Ref: "v1", Problem: noCommit}},
		{"groups of GitLab", `"source":"g/s/pack","sourceUrl":"https://gitlab.com/g/s/pack.git","sourceType":"gitlab","skillPath":"a/SKILL.md"`,
			foreign.Entry{Text: "git+https://gitlab.com/g/s/pack//a", Path: "a", Problem: noCommit}},
		{"host of the user", `"source":"https://git.corp.example:8443/o/r","sourceType":"git","skillPath":"a/SKILL.md"`,
			foreign.Entry{Text: "git+https://git.corp.example:8443/o/r//a", Path: "a", Problem: noCommit}},
		{"port that nobody configured", `"source":"https://git.acme.test:8443/o/r.git","sourceType":"git"`,
			problem(`source "https://git.acme.test:8443/o/r.git" names a port, which only configured hosts may have`)},
		{"type that is not known", `"source":"https://git.acme.test/o/r.git","sourceType":"forge","skillPath":"a/SKILL.md"`,
			foreign.Entry{Text: "git+https://git.acme.test/o/r.git//a", Path: "a", Problem: noCommit}},
		{"one file", `"source":"acme.test","sourceUrl":"https://acme.test/x/SKILL.md","sourceType":"direct"`,
			foreign.Entry{Text: "https://acme.test/x/SKILL.md", Skill: "x", Problem: noCommit}},
		{"archive", `"source":"acme.test","sourceUrl":"https://acme.test/x.zip","sourceType":"download","skillPath":"a/SKILL.md"`,
			foreign.Entry{Text: "https://acme.test/x.zip", Path: "a", Problem: noCommit}},
		{"address of no repository", `"source":"https://acme.test/x.zip","sourceType":"git"`, problem(`source "https://acme.test/x.zip" is no repository`)},
		{"address of a type that is not known", `"source":"http://acme.test/x","sourceType":"forge"`,
			problem(`source "http://acme.test/x" is not encrypted`)},
		{"directory of a type that is not known", `"source":"file:///etc","sourceType":"forge"`, problem(`source "file:///etc" is no address`)},
		{"directory beside", `"source":"./lib","sourceType":"local","skillPath":"a/SKILL.md"`,
			foreign.Entry{Text: "./lib/a", Problem: noRevision}},
		{"directory without a dot", `"source":"lib/a b","sourceType":"local"`, foreign.Entry{Text: "./lib/a b", Skill: "x", Problem: noRevision}},
		{"directory written on Windows", `"source":"..\\lib","sourceType":"local"`, foreign.Entry{Text: "../lib", Skill: "x", Problem: noRevision}},
		{"directory of one machine", `"source":"/Users/me/lib","sourceType":"local"`, foreign.Entry{Text: "/Users/me/lib", Skill: "x", Problem: oneMachine}},
		{"directory of one home", `"source":"~/lib","sourceType":"local"`, foreign.Entry{Text: "~/lib", Skill: "x", Problem: oneMachine}},
		{"address of a directory", `"source":"file:///lib","sourceType":"local"`, foreign.Entry{Text: "/lib", Skill: "x", Problem: oneMachine}},
		{"archive beside", `"source":"./lib.zip","sourceType":"local"`, foreign.Entry{Text: "./lib.zip", Skill: "x", Problem: noRevision}},
		{"address of no directory", `"source":"file:lib","sourceType":"local"`, problem(`source "file:lib" has a scheme without "//"`)},
		{"address for a directory", `"source":"https://acme.test/x","sourceType":"local"`, problem("the directory is an address")},
		{"no directory", `"sourceType":"local"`, problem("the record does not say which directory")},
		{"directory and a way out", `"source":"./lib","sourceType":"local","skillPath":"../x/SKILL.md"`, problem(`"skillPath" holds ".." as a part`)},
		{"package of a scope", `"source":"@acme/kit","sourceType":"node_modules","version":"2.0.0-rc.1","skillPath":"SKILL.md"`,
			foreign.Entry{Text: "npm:@acme/kit@2.0.0-rc.1", Ref: "2.0.0-rc.1"}},
		{"package without a version", `"source":"kit","sourceType":"node_modules"`, foreign.Entry{Text: "npm:kit", Skill: "x", Problem: noVersion}},
		{"package with a range", `"source":"kit","sourceType":"node_modules","version":"^2.0"`,
			foreign.Entry{Text: "npm:kit@^2.0", Skill: "x", Ref: "^2.0", Problem: noVersion}},
		{"package by a path", `"source":"../kit","sourceType":"node_modules"`, problem(`source "npm:../kit" is no npm package`)},
		{"site", `"source":"docs.acme.test","sourceType":"well-known"`, foreign.Entry{Text: "https://docs.acme.test", Skill: "x", Problem: noDigest}},
		{"site by its index", `"source":"docs.acme.test","sourceUrl":"https://docs.acme.test/a/.well-known/skills/x/SKILL.md","sourceType":"well-known"`,
			foreign.Entry{Text: "https://docs.acme.test/a", Skill: "x", Problem: noDigest}},
		{"site with another digest", `"source":"docs.acme.test","sourceType":"well-known","wellKnownDigest":"md5:00"`,
			foreign.Entry{Text: "https://docs.acme.test", Skill: "x", Problem: `"wellKnownDigest" is of a kind that is not known here`}},
		{"site that is a repository", `"source":"github.com","sourceUrl":"https://github.com/acme/pack","sourceType":"well-known"`,
			problem(`source "https://github.com/acme/pack" is no site`)},
		{"site without a name", `"sourceType":"well-known"`, problem(`source "https://" has no host`)},
	} {
		t.Run(c.what, func(t *testing.T) {
			hosts := source.DefaultHosts().With(source.Host{Name: "git.corp.example:8443", Kind: source.PlainGit})
			r := parse(t, "skills-lock.json", `{"version":1,"skills":{"x":{`+c.entry+`}}}`, hosts)
			if diff := cmp.Diff(c.want, only(t, r)); diff != "" {
				t.Error("(-want +got):", diff)
			}
		})
	}
}

func TestHashesOfTheUsersLock(t *testing.T) {
	for _, c := range []struct {
		what, entry string
		want        foreign.Entry
	}{
		{"tree of GitHub", `"sourceType":"github","sourceUrl":"https://github.com/o/r.git","skillFolderHash":"` + tree + `"`,
			foreign.Entry{Text: "https://github.com/o/r", Skill: "x", Tree: tree}},
		{"no tree of another host", `"sourceType":"git","sourceUrl":"https://git.acme.test/o/r.git","skillFolderHash":"` + tree + `"`,
			foreign.Entry{Text: "https://git.acme.test/o/r.git", Skill: "x", Problem: otherFolder}},
		{"hash of files", `"sourceType":"github","sourceUrl":"https://github.com/o/r.git","skillFolderHash":"` + sum + `"`,
			foreign.Entry{Text: "https://github.com/o/r", Skill: "x", Problem: otherFolder}},
		{"no hash", `"sourceType":"github","sourceUrl":"https://github.com/o/r.git","skillFolderHash":""`,
			foreign.Entry{Text: "https://github.com/o/r", Skill: "x", Problem: noCommit}},
		{"hash that is no text", `"sourceType":"github","sourceUrl":"https://github.com/o/r.git","skillFolderHash":7`,
			problem(`"skillFolderHash" on line 1 is a number, not a string`)},
		{"the address wins", `"sourceType":"github","source":"evil/r","sourceUrl":"https://github.com/o/r.git"`,
			foreign.Entry{Text: "https://github.com/o/r", Skill: "x", Problem: noCommit}},
		{"pinned at a commit", `"sourceType":"github","source":"o/r","ref":"main","pinnedRef":"` + commit + `"`,
			foreign.Entry{Text: "https://github.com/o/r/tree/" + commit, Skill: "x", Ref: commit, Commit: commit, Pinned: true, Reason: "pinned with gh skill"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := parse(t, ".skill-lock.json", `{"version":3,"skills":{"x":{`+c.entry+`}}}`, source.DefaultHosts())
			if diff := cmp.Diff(c.want, only(t, r)); diff != "" {
				t.Error("(-want +got):", diff)
			}
		})
	}
}

func TestAgentsThatAreNoTextsAreAFinding(t *testing.T) {
	for _, c := range []struct{ agents, agent, message string }{
		{`["codex","goose"]`, "codex goose", ""},
		{`[]`, "", ""},
		{`null`, "", ""},
		{`"codex"`, "", `agents are not imported: "lastSelectedAgents" on line 2 is a string, not a list`},
		{`["codex",1]`, "", `agents are not imported: an element of "lastSelectedAgents" on line 2 is a number, not a string`},
		{`["co\u202edex"]`, "", `agents are not imported: an element of "lastSelectedAgents" on line 2 holds a control or bidirectional character`},
	} {
		r := parse(t, ".skill-lock.json", "{\"version\":3,\"skills\":{},\n\"lastSelectedAgents\":"+c.agents+"}", source.DefaultHosts())
		if got := strings.Join(r.Agents, " "); got != c.agent {
			t.Errorf("%s: agents %q", c.agents, got)
		}
		var message string
		for _, f := range r.Findings {
			message += f.Message
		}
		if message != c.message {
			t.Errorf("%s: findings %+v", c.agents, r.Findings)
		}
	}
}

func TestNamesAreAsRecordedAndSorted(t *testing.T) {
	r := parse(t, "skills-lock.json", `{"version":1,"skills":{"b":{"source":"o/r","sourceType":"github"},"../../a\u0000":{"source":"o/r","sourceType":"github"},
		"":{"source":"o/r","sourceType":"github"},"B":{"source":"o/r","sourceType":"github"}}}`, source.DefaultHosts())
	var names []string
	for _, e := range r.Entries {
		names = append(names, e.Name)
	}
	if diff := cmp.Diff([]string{"", "../../a\x00", "B", "b"}, names); diff != "" {
		t.Error(diff)
	}
}
