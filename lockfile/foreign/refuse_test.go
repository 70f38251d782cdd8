package foreign_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/lockfile/foreign"
	"skills/source"
)

// bomb is YAML whose aliases stand for ten to the given power of values.
func bomb(levels int) string {
	text := "lockfile_version: 1\nl0: &l0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < levels; i++ {
		text += fmt.Sprintf("l%d: &l%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*l%d, ", i-1), 10), ", "))
	}
	return text
}

// numbered gives so many members of a table.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",\"%d\":0", i)
	}
	return b.String()
}

func TestBadRecordsAreRefusedWithTheirLine(t *testing.T) {
	const project, user, apm, skill = "skills-lock.json", ".skill-lock.json", "apm.lock.yaml", "x/SKILL.md"
	const git = "---\nname: x\nmetadata:\n  github-repo: https://github.com/o/r\n"
	for _, c := range []struct{ what, file, text, code, message string }{
		{"another file", "package-lock.json", "{}", "foreign_unknown", "package-lock.json: not the name of a record"},
		{"no file", "", "", "foreign_unknown", ": not the name"},
		{"empty", project, "", "foreign_damaged", "skills-lock.json:1: not valid JSON: unexpected end"},
		{"empty YAML", apm, "# nothing\n", "foreign_damaged", "apm.lock.yaml:1: the text is not a table"},
		{"a list", project, "\n[]", "foreign_damaged", "skills-lock.json:2: the file is a list, not a table"},
		{"a list in YAML", apm, "- x\n", "foreign_damaged", "apm.lock.yaml:1: the text is not a table"},
		{"cut short", project, "{\n\"version\": 1,\n\"skills\": {\n", "foreign_damaged", "skills-lock.json:3: not valid JSON: unexpected end"},
		{"comma", project, "{\n\"version\": 1,\n}\n", "foreign_damaged", "skills-lock.json:3: not valid JSON: invalid character '}'"},
		{"comment", project, "{\n// x\n\"version\": 1}", "foreign_damaged", "skills-lock.json:2: not valid JSON"},
		{"more behind it", project, "{\"version\":1,\"skills\":{}}\n{}", "foreign_damaged", "skills-lock.json:2: not valid JSON"},
		{"not UTF-8", project, "{\n\"versi\xffon\": 1}", "foreign_damaged", "skills-lock.json:2: not valid UTF-8"},
		{"YAML with a tab", apm, "lockfile_version: 1\n\tx: 1\n", "foreign_damaged", "apm.lock.yaml:2: not valid YAML: found a tab character"},
		{"a second document", apm, "lockfile_version: 1\n---\nx: 1\n", "foreign_damaged", "apm.lock.yaml:2: it holds a second YAML document"},
		{"alias of nothing", apm, "lockfile_version: *x\n", "foreign_damaged", "not valid YAML: unknown anchor"},
		{"alias for a key", apm, "a: &a x\n*a : 1\n", "foreign_damaged", "apm.lock.yaml:2: an alias, a list or a table stands where a key must be"},
		{"list for a key", apm, "? [x]\n: 1\n", "foreign_damaged", "apm.lock.yaml:1: an alias, a list"},
		{"alias of itself", apm, "lockfile_version: 1\nx: &x [*x]\n", "foreign_damaged", "more than 32 levels deep"},
		{"key twice", project, "{\"version\":1,\n\"skills\":{\n\"a\":{},\n\"a\":{}}}", "foreign_damaged", `skills-lock.json:4: key "a" stands on line 3 as well`},
		{"long key twice", project, `{"` + strings.Repeat("é", 99) + `":1,"` + strings.Repeat("é", 99) + `":1}`, "foreign_damaged", `key "` + strings.Repeat("é", 40) + `…" stands`},
		{"key twice in an entry", user, "{\"version\":3,\"skills\":{\"a\":{\"ref\":\"x\",\n\"ref\":\"y\"}}}", "foreign_damaged", `.skill-lock.json:2: key "ref" stands on line 1 as well`},
		{"key twice in YAML", apm, dependency("repo_url: a/b", "repo_url: c/d"), "foreign_damaged", `apm.lock.yaml:4: key "repo_url" stands on line 3 as well`},
		{"key twice in a front matter", skill, git + "  github-repo: y\n---\n", "foreign_damaged", `x/SKILL.md:5: key "github-repo" stands on line 4 as well`},
		{"front matter that is no YAML", skill, git + "description: a: b\n---\n", "foreign_damaged", "x/SKILL.md:5: not valid YAML: mapping values"},
		{"conflict", project, "{\n<<<<<<< HEAD\n\"a\": 1,\n||||||| base\n=======\n\"b\": 2,\n>>>>>>> other\n}", "foreign_conflict",
			"skills-lock.json:2: merge conflict markers on lines 2, 4, 5 and 7"},
		{"conflict, half resolved", user, "{\r\n=======\r\n}", "foreign_conflict", ".skill-lock.json:2: a merge conflict marker on line 2"},
		{"conflict in YAML", apm, "lockfile_version: 1\n<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n", "foreign_conflict", "apm.lock.yaml:2: merge conflict markers on lines 2, 4 and 6"},
		{"conflict in a front matter", skill, git + "<<<<<<< HEAD\n=======\n>>>>>>> x\n---\n", "foreign_conflict", "x/SKILL.md:5: merge conflict"},
		{"no version", project, "{\n\"skills\":{}}", "foreign_damaged", `skills-lock.json:1: "version" is missing`},
		{"no version in YAML", apm, "# x\ndependencies: []\n", "foreign_damaged", `"lockfile_version" is missing`},
		{"version in words", project, "{\n\"version\":\"1\",\"skills\":{}}", "foreign_damaged", `skills-lock.json:2: "version" is not a whole number`},
		{"version in parts", project, `{"version":1.5,"skills":{}}`, "foreign_damaged", `"version" is not a whole number`},
		{"version in parts in YAML", apm, "lockfile_version: '2.1'\n", "foreign_damaged", `"lockfile_version" is not a whole number`},
		{"newer", project, "{\n\"version\":2,\"skills\":[]}", "foreign_version", "skills-lock.json:2: version 2 is not read here, only 1"},
		{"version nought", project, `{"version":0,"skills":{}}`, "foreign_version", "version 0 is not read here, only 1"},
		{"older", user, `{"version":2,"skills":{}}`, "foreign_version", "version 2 is not read here, only 3"},
		{"newer user's", user, `{"version":4,"skills":{}}`, "foreign_version", "version 4 is not read here, only 3"},
		{"newer YAML", apm, "lockfile_version: '3'\n", "foreign_version", "apm.lock.yaml:1: version 3 is not read here, only 1 and 2"},
		{"no skills", project, "{\n\"version\":1}", "foreign_damaged", `skills-lock.json:1: "skills" is missing`},
		{"skills are null", user, `{"version":3,"skills":null}`, "foreign_damaged", `"skills" is missing`},
		{"skills are a list", project, "{\"version\":1,\n\"skills\":[]}", "foreign_damaged", `skills-lock.json:2: "skills" is a list, not a table`},
		{"packages are a table", apm, "lockfile_version: 1\ndependencies: {a: b}\n", "foreign_damaged", `apm.lock.yaml:2: "dependencies" is a table, not a list`},
		{"too long", project, strings.Repeat(" ", 8<<20) + "{", "foreign_damaged", "8388609 bytes are more than the 8388608 that are read"},
		{"too deep", project, `{"version":1,"x":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "}", "foreign_damaged", "more than 32 levels deep"},
		{"far too deep", project, strings.Repeat("[", 1<<20), "foreign_damaged", "not valid JSON"},
		{"too deep YAML", apm, "lockfile_version: 1\nx: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), "foreign_damaged", "apm.lock.yaml:2: lists and tables are more than 32 levels deep"},
		{"far too deep YAML", apm, "x: " + strings.Repeat("[", 1<<18), "foreign_damaged", "not valid YAML: exceeded max depth"},
		{"too much", project, `{"version":1,"x":[` + strings.Repeat("0,", 500_000) + "0]}", "foreign_damaged", "more than 500000 values"},
		{"too much YAML", apm, "lockfile_version: 1\nx: [" + strings.Repeat("0,", 500_000) + "0]", "foreign_damaged", "apm.lock.yaml:1: it holds more than 500000 values"}, // before it is parsed
		{"too many skills", project, `{"version":1,"skills":{"x":0` + numbered(20_000) + "}}", "foreign_damaged", "there are more than 20000 skills"},
		{"too many skills in one package", apm, dependency("repo_url: /", "skill_subset: ["+strings.Repeat("x, ", 20_000)+"x]"), "foreign_damaged", "there are more than 20000 skills"},
		{"too many packages", apm, dependency("x") + strings.Repeat("- x\n", 20_000), "foreign_damaged", "there are more than 20000 skills"},
		{"aliases of aliases", apm, bomb(9), "foreign_damaged", "more than 500000 values"},
	} {
		t.Run(c.what, func(t *testing.T) {
			r, err := foreign.Parse(c.file, []byte(c.text), source.DefaultHosts())
			var e *foreign.Error
			if r != nil || !errors.As(err, &e) || e.Code() != c.code || !strings.Contains(e.Error(), c.message) || len(e.Hints()) != 1 || e.Hints()[0] == "" {
				t.Errorf("got %v, %#v; want %s with %q", r, err, c.code, c.message)
			}
		})
	}
}

func TestLongValuesAreNotUsed(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, text := range map[string]string{
		"skills-lock.json": `{"version":1,"skills":{"a":{"source":"o/` + long + `","sourceType":"github"}}}`,
		"apm.lock.yaml":    dependency("repo_url: o/"+long, "package_type: claude_skill"),
		"SKILL.md":         "---\nmetadata:\n  github-repo: https://github.com/o/" + long + "\n---\n",
	} {
		if e := only(t, parse(t, name, text, source.DefaultHosts())); !strings.Contains(e.Problem, "is longer than 4096 bytes") || len(e.Problem) > 200 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// FuzzParse: no text makes it panic; every fault has a place and a hint; every entry agrees with its text; a secret between a colon
// and an at sign in an address is never repeated.
func FuzzParse(f *testing.F) {
	files := []string{"skills-lock.json", ".skill-lock.json", "apm.lock.yaml", "SKILL.md"}
	for _, seed := range []struct{ name, text string }{
		{"skills-lock.json", `{"version":1,"skills":{"x":{"source":"https://u:hunter2@h.test/o/r","sourceType":"git","skillPath":"a/SKILL.md","ref":"v1"}}}`},
		{"skills-lock.json", `{"version":1,"skills":{"x":{"source":"./a","sourceType":"local"},"y":{"source":"a","sourceType":"node_modules","version":"1.0.0"}}}`},
		{".skill-lock.json", `{"version":3,"skills":{"x":{"source":"o/r","sourceType":"github","skillFolderHash":"` + tree + `","pinnedRef":"v1"}},"lastSelectedAgents":["a"]}`},
		{".skill-lock.json", `{"version":3,"skills":{"x":{"source":"h.test","sourceType":"well-known","wellKnownDigest":"sha256:` + sum + `"}}}`},
		{"apm.lock.yaml", dependency("repo_url: o/r", "host: gitlab.com", "port: 1", "resolved_commit: "+commit, "virtual_path: a/b", "package_type: claude_skill")},
		{"apm.lock.yaml", dependency("repo_url: o/r", "source: local", "local_path: ../x", "constraint: ^1.2", "skill_subset: [a, b]")},
		{"apm.lock.yaml", bomb(4)},
		{"SKILL.md", "---\nmetadata:\n  github-repo: https://github.com/o/r\n  github-ref: refs/tags/v1\n  github-path: a\n---\n"},
	} {
		f.Add(uint8(slices.Index(files, seed.name)), []byte(seed.text))
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		name := files[int(which)%len(files)]
		r, err := foreign.Parse(name, data, source.DefaultHosts())
		if err != nil {
			var e *foreign.Error
			if !errors.As(err, &e) || e.Code() == "" || len(e.Hints()) != 1 || e.Line < 1 {
				t.Fatalf("%q: error %#v", data, err)
			}
			return
		}
		for i, e := range r.Entries {
			agrees(t, e, name, source.DefaultHosts())
			if i > 0 && e.Name < r.Entries[i-1].Name {
				t.Fatalf("%q: entries are not sorted", data)
			}
			if secret := "//u:hunter2@"; strings.Contains(e.Text+e.Problem, secret) {
				t.Fatalf("%q: %+v", data, e)
			}
		}
	})
}
