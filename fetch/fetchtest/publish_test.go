package fetchtest_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"skills/fetch/fetchtest"
)

const published = `
-- @archive files.example/pack.zip --
-- pdf/SKILL.md --
zip
-- pdf/run exec --
run
-- @archive files.example/pack.skill --
-- SKILL.md --
skill
-- @archive files.example/pack.tar type=application/x-tar --
-- SKILL.md --
tar
-- link symlink --
SKILL.md
-- @archive files.example/pack.tar.gz token=secret --
-- bytes base64 --
AAEC
-- @discovery site.example/docs --
-- lint/SKILL.md --
---
description: Checks prose.
---
-- triage/SKILL.md --
---
description: Sorts bugs.
---
-- triage/run exec --
run
-- @discovery old.example version=0.1.0 --
-- lint/SKILL.md --
Old.
-- lint/more.md --
More.
-- @npm registry.example/base @acme/tools 1.0.0 --
-- package.json --
{}
-- @npm registry.example/base @acme/tools 2.0.0-rc.1 tag=next integrity=none --
-- package.json --
{"next":true}
`

// python lists a zip: names and modes, as another implementation reads them.
const python = `import sys, zipfile
for i in zipfile.ZipFile(sys.argv[1]).infolist(): print(i.filename, oct(i.external_attr >> 16 & 0o777))`

func TestArchivesArePublished(t *testing.T) {
	f := fetchtest.New(t, published)
	for name, test := range map[string]struct {
		program, mediaType string
		want               []string
	}{
		"pack.zip":   {"python3", "application/zip", []string{"pdf/SKILL.md 0o644", "pdf/run 0o755"}},
		"pack.skill": {"python3", "application/zip", []string{"SKILL.md 0o644"}},
		"pack.tar":   {"tar", "application/x-tar", []string{"-rw-r--r--", "SKILL.md", "link -> SKILL.md"}},
	} {
		a := get(t, f.Client(), "https://files.example/"+name)
		equal(t, name, a.StatusCode, 200)
		equal(t, name, a.Header.Get("Content-Type"), test.mediaType)
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(a.body), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("python3", "-c", python, file)
		if test.program == "tar" {
			cmd = exec.Command("tar", "-tvf", file)
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		for _, want := range test.want {
			contains(t, name, string(out), want)
		}
	}
	equal(t, "without the token", get(t, f.Client(), "https://files.example/pack.tar.gz").StatusCode, 401)
	equal(t, "with it", get(t, f.Client(), "https://files.example/pack.tar.gz", "Authorization", "Bearer secret").StatusCode, 200)
}

func TestSitesHaveAnIndex(t *testing.T) {
	f := fetchtest.New(t, published)
	index := decode(t, get(t, f.Client(), "https://site.example/docs/.well-known/agent-skills/index.json"), 200)
	equal(t, "schema", index["$schema"], any("https://schemas.agentskills.io/discovery/0.2.0/schema.json"))
	for i, want := range []string{"skill-md lint/SKILL.md Checks prose.", "archive triage.tar.gz Sorts bugs."} {
		entry := index["skills"].([]any)[i].(map[string]any)
		equal(t, "entry", fmt.Sprint(entry["type"], " ", entry["url"], " ", entry["description"]), want)
		a := get(t, f.Client(), "https://site.example/docs/.well-known/agent-skills/"+entry["url"].(string))
		equal(t, "digest", entry["digest"], any(fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(a.body)))))
	}
	old := get(t, f.Client(), "https://old.example/.well-known/skills/index.json")
	var listed struct{ Skills []struct{ Files []string } }
	if err := json.Unmarshal([]byte(old.body), &listed); err != nil || strings.Contains(old.body, "$schema") || strings.Contains(old.body, "digest") {
		t.Fatalf("%s: %v", old.body, err)
	}
	equal(t, "files", fmt.Sprint(listed.Skills[0].Files), "[SKILL.md more.md]")
	equal(t, "file", get(t, f.Client(), "https://old.example/.well-known/skills/lint/more.md").body, "More.\n")
}

func TestPackagesArePublished(t *testing.T) {
	f := fetchtest.New(t, published)
	document := decode(t, get(t, f.Client(), "https://registry.example/base/@acme%2ftools"), 200)
	equal(t, "tags", fmt.Sprint(document["dist-tags"]), "map[latest:1.0.0 next:2.0.0-rc.1]")
	versions := document["versions"].(map[string]any)
	dist := versions["1.0.0"].(map[string]any)["dist"].(map[string]any)
	a := get(t, f.Client(), dist["tarball"].(string))
	file := filepath.Join(t.TempDir(), "x.tgz")
	if err := os.WriteFile(file, []byte(a.body), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sh", "-c", `tar -tzf "$0"; openssl dgst -sha512 -binary "$0" | openssl base64 -A; sha1sum "$0"`, file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	contains(t, "files", string(out), "package/package.json\n")
	contains(t, "integrity", string(out), strings.TrimPrefix(dist["integrity"].(string), "sha512-"))
	contains(t, "shasum", string(out), dist["shasum"].(string))
	next := versions["2.0.0-rc.1"].(map[string]any)["dist"].(map[string]any)
	if next["integrity"] != nil || next["shasum"] == dist["shasum"] {
		t.Errorf("dist of the next version: %v", next)
	}
}

func TestBundlesNeedTheirWords(t *testing.T) {
	for _, text := range []string{"-- @archive --\n", "-- @npm registry.example x --\n", "-- @discovery a.example b --\n", "-- @archive a.example/x.zip --\n-- a delete --\n"} {
		var failure error
		f, err := fetchtest.Start(fetchtest.Config{Fail: func(err error) { failure = err }})
		if err != nil {
			t.Fatal(err)
		}
		f.Add(text)
		if f.Close(); failure == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
