package foreign_test

import (
	"fmt"
	"strings"
	"testing"

	"skills/lockfile/foreign"
	"skills/source"
)

// jsonEntry writes an entry of the npm tool in which one key has a value.
func jsonEntry(keys map[string]string, key, value string) string {
	text := fmt.Sprintf("%q:%q", key, value)
	for k, v := range keys {
		if k != key {
			text += fmt.Sprintf(",%q:%q", k, v)
		}
	}
	return `{"x":{` + text + `}}`
}

// lines writes the keys of YAML in which one has a value.
func lines(keys map[string]string, key, value string) []string {
	all := []string{key + ": '" + value + "'"}
	for k, v := range keys {
		if k != key {
			all = append(all, k+": '"+v+"'")
		}
	}
	return all
}

// recordsWith gives records in which the value stands for one key after the other, by file and key.
func recordsWith(value string) map[[2]string]string {
	records := map[[2]string]string{}
	for _, kind := range []string{"github", "gitlab", "git", "local", "node_modules", "well-known", "forge"} {
		keys := map[string]string{"source": "o/r", "sourceType": kind}
		for _, key := range []string{"source", "sourceUrl", "sourceType", "ref", "skillPath", "version", "sourceBaseUrl", "wellKnownDigest", "pinnedRef", "skillFolderHash"} {
			entries := jsonEntry(keys, key, value)
			records[[2]string{"skills-lock.json", kind + " " + key}] = `{"version":1,"skills":` + entries + `}`
			records[[2]string{".skill-lock.json", kind + " " + key}] = `{"version":3,"skills":` + entries + `}`
		}
	}
	for _, kind := range []string{"git", "local", "registry"} {
		keys := map[string]string{"repo_url": "o/r", "source": kind, "package_type": "claude_skill", "local_path": "./x", "resolved_url": "https://h.test/x.zip"}
		for _, key := range []string{"repo_url", "host", "source", "local_path", "resolved_url", "resolved_hash", "resolved_ref", "resolved_commit", "resolved_tag",
			"constraint", "virtual_path", "registry_prefix", "package_type"} {
			records[[2]string{"apm.lock.yaml", kind + " " + key}] = dependency(lines(keys, key, value)...)
		}
	}
	keys := map[string]string{"github-repo": "https://github.com/o/r", "github-ref": "refs/heads/main"}
	for _, key := range []string{"github-repo", "github-ref", "github-path", "github-pinned", "github-tree-sha", "local-path"} {
		records[[2]string{"SKILL.md", key}] = "---\nmetadata:\n  " + strings.Join(lines(keys, key, value), "\n  ") + "\n---\n"
	}
	return records
}

func TestNoSecretIsRepeated(t *testing.T) {
	for _, value := range []string{"https://me:hunter2@h.test/o/r", "https://hunter2@h.test/o/r.git", "ssh://me:hunter2@h.test/o/r.git", "https://me:hunter2@h.test",
		"https://h.test/o/r.git?token=hunter2", "https://h.test/x.zip?token=hunter2/3", "git+https://me:hunter2@h.test/o/r.git#v1"} {
		for at, text := range recordsWith(value) {
			r, err := foreign.Parse(at[0], []byte(text), source.DefaultHosts())
			if err != nil {
				t.Fatalf("%v: %v in %q", at, err, text)
			}
			if got := fmt.Sprintf("%+v", r); strings.Contains(got, "hunter2") {
				t.Errorf("%v of %q: %s", at, value, got)
			}
			for _, e := range r.Entries {
				agrees(t, e, at[0], source.DefaultHosts())
			}
		}
	}
}
