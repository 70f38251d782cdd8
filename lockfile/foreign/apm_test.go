package foreign_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/lockfile/foreign"
	"skills/source"
)

// dependency gives a lock of apm with one package; keys are its lines.
func dependency(keys ...string) string {
	return "lockfile_version: '1'\ndependencies:\n- " + strings.Join(keys, "\n  ") + "\n"
}

func TestSourcesOfAPM(t *testing.T) {
	for _, c := range []struct {
		what string
		keys []string
		want foreign.Entry
	}{
		{"host of another kind", []string{"repo_url: team/pack", "host: Git.Acme.Test", "resolved_commit: " + commit},
			foreign.Entry{Text: "git+https://git.acme.test/team/pack", Commit: commit}},
		{"host with a port", []string{"repo_url: o/r", "host: git.corp.example", "port: 8443", "virtual_path: a", "resolved_commit: " + commit},
			foreign.Entry{Text: "git+https://git.corp.example:8443/o/r//a", Path: "a", Commit: commit}},
		{"repository on Azure, whole", []string{"repo_url: https://dev.azure.com/org/project/_git/repo", "host: dev.azure.com", "resolved_commit: " + commit},
			foreign.Entry{Text: "https://dev.azure.com/org/project/_git/repo", Commit: commit}},
		{"address with its host", []string{"repo_url: git.acme.test/team/pack", "resolved_commit: " + commit},
			foreign.Entry{Text: "git+https://git.acme.test/team/pack", Commit: commit}},
		{"git, said so", []string{"repo_url: o/r", "source: git", "resolved_commit: " + commit},
			foreign.Entry{Text: "https://github.com/o/r", Commit: commit}},
		{"tag", []string{"repo_url: o/r", "constraint: latest", "resolved_ref: latest", "resolved_tag: r--v1.2.3", "resolved_commit: " + commit},
			foreign.Entry{Text: "https://github.com/o/r/tree/r--v1.2.3", Ref: "r--v1.2.3", Commit: commit}},
		{"range with blanks", []string{"repo_url: o/r", "constraint: '>=1.2 <3'", "resolved_commit: " + commit},
			foreign.Entry{Text: "git+https://github.com/o/r#%3E=1.2%20%3C3", Ref: ">=1.2 <3", Commit: commit}},
		{"commit of SHA-256", []string{"repo_url: o/r", "resolved_commit: " + sum}, foreign.Entry{Text: "https://github.com/o/r", Commit: sum}},
		{"commit cut short", []string{"repo_url: o/r", "resolved_commit: 9d2f1ae"},
			foreign.Entry{Text: "https://github.com/o/r", Problem: `"resolved_commit" is no commit id`}},
		{"no commit", []string{"repo_url: o/r", "content_hash: sha256:" + sum},
			foreign.Entry{Text: "https://github.com/o/r", Problem: `no commit is recorded, and "content_hash" is of a kind that cannot be compared`}},
		{"no address", []string{"resolved_commit: " + commit}, problem(`"repo_url" is missing`)},
		{"address that is no text", []string{"repo_url: [o/r]"}, problem(`"repo_url" on line 3 is a list, not a string`)},
		{"way out", []string{"repo_url: o/r", "virtual_path: a/../../b"}, problem(`"virtual_path" holds ".." as a part`)},
		{"credentials", []string{"repo_url: https://me:hunter2@github.com/o/r"},
			problem(`"repo_url" on line 3 holds credentials`)},
		{"credentials alone", []string{"repo_url: https://me:hunter2@github.com"},
			problem(`"repo_url" on line 3 holds credentials`)},
		{"credentials in the host", []string{"repo_url: o/r", "host: me:hunter2@github.com"}, problem(`"host" is no host name`)},
		{"host with a path", []string{"repo_url: o/r", "host: evil.test/x#"}, problem(`"host" is no host name`)},
		{"port of words", []string{"repo_url: o/r", "host: git.acme.test", "port: ssh"}, problem(`"port" is no port`)},
		{"port too high", []string{"repo_url: o/r", "host: git.acme.test", "port: 65536"}, problem(`"port" is no port`)},
		{"http", []string{"repo_url: o/r", "is_insecure: true"}, problem("the package was fetched over http, which is not encrypted")},
		{"http in words", []string{"repo_url: o/r", "is_insecure: maybe"}, problem(`"is_insecure" on line 4 is a string, not a boolean`)},
		{"proxy", []string{"repo_url: o/r", "host: art.acme.test", "registry_prefix: artifactory/github"},
			problem("the package came through a proxy that serves no repositories")},
		{"kind that is not known", []string{"repo_url: o/r", "source: torrent"}, problem(`"source" is of a kind that is not known here`)},
		{"directory", []string{"repo_url: _local/x", "source: local", "local_path: ../kits/x"}, foreign.Entry{Text: "../kits/x", Problem: noRevision}},
		{"directory below", []string{"repo_url: _local/x", "source: local", "local_path: ./kits", "virtual_path: x"},
			foreign.Entry{Text: "./kits/x", Problem: noRevision}},
		{"directory of one machine", []string{"source: local", "local_path: /home/me/x"}, foreign.Entry{Text: "/home/me/x", Problem: oneMachine}},
		{"no directory", []string{"source: local"}, problem("the record does not say which directory")},
		{"archive", []string{"repo_url: o/r", "source: registry", "resolved_url: https://reg.acme.test/r-1.0.0.zip", "resolved_hash: " + sum, "virtual_path: a"},
			foreign.Entry{Text: "https://reg.acme.test/r-1.0.0.zip", Path: "a", Digest: "sha256:" + sum}},
		{"archive with a long digest", []string{"repo_url: o/r", "source: registry", "resolved_url: https://reg.acme.test/r.tgz", "resolved_hash: sha512:" + sum + sum},
			foreign.Entry{Text: "https://reg.acme.test/r.tgz", Digest: "sha512:" + sum + sum}},
		{"archive with another digest", []string{"repo_url: o/r", "source: registry", "resolved_url: https://reg.acme.test/r.tgz", "resolved_hash: sha384:00"},
			foreign.Entry{Text: "https://reg.acme.test/r.tgz", Problem: "no digest is recorded that is known here"}},
		{"archive with a token", []string{"repo_url: o/r", "source: registry", "resolved_url: https://hunter2@reg.acme.test/r.tgz"},
			problem(`"resolved_url" on line 5 holds credentials`)},
		{"archive on this machine", []string{"repo_url: o/r", "source: registry", "resolved_url: /r.tgz"},
			problem(`source "/r.tgz" is served by a registry of packages, which is not read here`)},
		{"no archive", []string{"repo_url: o/r", "source: registry"}, problem(`"resolved_url" is missing`)},
	} {
		t.Run(c.what, func(t *testing.T) {
			hosts := source.DefaultHosts().With(source.Host{Name: "git.corp.example:8443", Kind: source.PlainGit})
			r := parse(t, "apm.lock.yaml", dependency(append(c.keys, "package_type: claude_skill")...), hosts)
			if diff := cmp.Diff(c.want, only(t, r)); diff != "" {
				t.Error("(-want +got):", diff)
			}
		})
	}
}

func TestNamesOfAPM(t *testing.T) {
	const skill = "package_type: claude_skill"
	for _, c := range []struct {
		what, want string // names, "-" for one that has none; "" for a finding
		keys       []string
	}{
		{"where it was written", "written", []string{"repo_url: o/r", "name: claimed", "deployed_files: [.agents/skills/written/SKILL.md]", skill}},
		{"what it claims, when it was written twice", "claimed", []string{"repo_url: o/r", "name: claimed", "deployed_files: [skills/a/x, skills/b/x]", skill}},
		{"no claim with an escape", "r", []string{"repo_url: o/r", `name: "a\eb"`, skill}},
		{"the directory", "pdf", []string{"repo_url: o/r", "virtual_path: skills/pdf", skill}},
		{"the repository", "r", []string{"repo_url: git@github.com:o/r.git", skill}},
		{"the directory on this machine", "x", []string{"source: local", "local_path: ../kits/x", skill}},
		{"never a query", "r", []string{"repo_url: https://github.com/o/r?token=hunter2/3", skill}},
		{"never credentials", "-", []string{"repo_url: https://me:hunter2@github.com", skill}},
		{"never a host's", "-", []string{"repo_url: git@github.com:r.git", skill}},
		{"an entry with a fault", "r", []string{"repo_url: o/r", "virtual_path: [x]"}},
		{"an entry that is no table", "-", []string{"o/r"}},
		{"the chosen ones", "a b", []string{"repo_url: o/r", "skill_subset: [b, a]", "deployed_files: [skills/c/SKILL.md]", "package_type: hybrid"}},
		{"the written ones", "a b", []string{"repo_url: o/r", "deployed_files: [.x/skills/a/skills/c.md, .x/skills/b/, y/skills/a, skillset/d/e]"}},
		{"hooks", "", []string{"repo_url: o/r", "package_type: hook_package", "deployed_files: [.github/hooks/x.json]"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := parse(t, "apm.lock.yaml", dependency(c.keys...), source.DefaultHosts())
			var names []string
			for _, e := range r.Entries {
				if e.Name == "" {
					e.Name = "-"
				}
				names = append(names, e.Name)
			}
			if got := strings.Join(names, " "); got != c.want || (c.want == "") != (len(r.Findings) == 1) {
				t.Errorf("names %q, want %q; findings %+v", got, c.want, r.Findings)
			}
		})
	}
}

func TestAnAliasStandsWhereItIsUsed(t *testing.T) {
	text := "lockfile_version: 1\nshared: &p\n  repo_url: o/r\n  package_type: claude_skill\ndependencies:\n- repo_url: o/a\n- *p\n"
	if r := parse(t, "apm.lock.yaml", text, source.DefaultHosts()); len(r.Entries) != 1 || r.Entries[0].Line != 7 {
		t.Errorf("%+v", r)
	}
}

func TestAnAPMLockWithoutPackagesIsEmpty(t *testing.T) {
	for _, text := range []string{"lockfile_version: '1'\n", "lockfile_version: 2\ndependencies:\n", "lockfile_version: 1\ndependencies: []\nmcp_servers: []\n"} {
		if r := parse(t, "apm.lock.yaml", text, source.DefaultHosts()); len(r.Entries)+len(r.Findings) != 0 {
			t.Errorf("%q: %+v", text, r)
		}
	}
}
