package lockfile_test

import (
	"errors"
	"strings"
	"testing"

	"skills/lockfile"
)

func TestBadLocksAreRefusedWithTheirLine(t *testing.T) {
	conflict := strings.Replace(whole, "ref = \"main\"\n", "<<<<<<< HEAD\nref = \"main\"\n||||||| base\nref = \"v0\"\n=======\nref = \"v1\"\n>>>>>>> other\n", 1)
	for _, tt := range []struct{ what, text, code, message string }{
		{"empty", "", "lock_damaged", `skills.lock:1: "version" is missing`},
		{"newer", "version = 2\n[[skill]]\nshape = 'unknown'\n", "lock_newer", "skills.lock:1: version 2 of the lock is newer than version 1"},
		{"much newer", "# x\nversion = 0x1_0\n", "lock_newer", "skills.lock:2: version 16 "},
		{"version nought", "version = 0\n", "lock_damaged", `"version" is not a positive`},
		{"version as text", "version = '1'\n", "lock_damaged", `"version" is not a positive`},
		{"version as float", "version = 1.0\n", "lock_damaged", `"version" is not a positive`},
		{"cut short", whole[:len(whole)-5], "lock_damaged", "skills.lock:23: not valid TOML"},
		{"nothing but zeros", strings.Repeat("\x00", 64), "lock_damaged", "not valid TOML"},
		{"conflict", conflict, "lock_conflict", "skills.lock:11: merge conflict markers on lines 11, 13, 15 and 17"},
		{"conflict, crlf", strings.ReplaceAll(conflict, "\n", "\r\n"), "lock_conflict", "lines 11, 13, 15 and 17"},
		{"conflict half resolved", strings.Replace(whole, "ref = \"main\"\n", "=======\n", 1), "lock_conflict", "a merge conflict marker on line 11"},
		{"one table", "version = 1\n[skill]\nname = 'a'\n", "lock_damaged", `skills.lock:2: "skill" is not written as [[skill]] tables`},
		{"a value", "version = 1\nskill = [{ name = 'a', hash = '" + hash + "' }]\n", "lock_damaged", `skills.lock:2: "skill" is not written`},
		{"a table by its number", "version = 1\n[skill.a]\nhash = 'x'\n", "lock_damaged", `"skill" is not written`},
		{"the same twice", whole + "\n[[skill]]\nname = 'pdf'\nhash = '" + hash + "'\n", "lock_damaged", `skills.lock:25: "pdf" and "pdf" of line 7 are one directory`},
		{"the same on some systems", whole + "\n[[skill]]\nname = 'PDF'\nhash = '" + hash + "'\n", "lock_damaged", `"PDF" and "pdf" of line 7 are one directory`},
	} {
		_, err := lockfile.Parse([]byte(tt.text), "skills.lock")
		refused(t, tt.what, err, tt.code, tt.message)
	}
}

func TestEveryFieldIsChecked(t *testing.T) {
	for _, tt := range []struct{ key, value, message string }{
		{"name", `"../evil"`, `name "../evil" begins with "."`},
		{"name", `"a/b"`, `name "a/b" holds one of`},
		{"name", `"C:"`, "holds one of"},
		{"name", `"nul.txt"`, "device"},
		{"name", `""`, `"name" is empty`},
		{"name", `1`, `"name" is an integer, not a string`},
		{"source", `""`, `"source" is empty`},
		{"source", `"https://u:p@github.com/o/r"`, "holds credentials"},
		{"source", `"https://token@github.com/o/r"`, "holds credentials"},
		{"source", `"ssh://git:p@github.com/o/r"`, "holds credentials"},
		{"source", `"https://e.com/x?token=1"`, "holds a query"},
		{"source", `"--upload-pack=touch x"`, "begins with a hyphen"},
		{"source", `"https://e.com/\u0000"`, "control"},
		{"source", `"` + strings.Repeat("x", 2049) + `"`, "longer than 2048"},
		{"path", `"../x"`, `path "../x" holds ".." as a part`},
		{"path", `"/etc"`, `path "/etc" is not relative`},
		{"path", `"a//b"`, "empty part"},
		{"path", `'a\b'`, `holds "\"`},
		{"path", `["a"]`, `"path" is a list`},
		{"ref", `"-x"`, "begins with a hyphen"},
		{"ref", `"a\nb"`, "control"},
		{"resolved", `"main"`, "not the full name of a ref"},
		{"resolved", `"1.2"`, "not the full name of a ref"},
		{"resolved", `"^1.2.3"`, "not the full name of a ref"},
		{"resolved", `"1.2.3/../x"`, "not the full name of a ref"},
		{"resolved", `"refs/heads/../x"`, "not the full name of a ref"},
		{"resolved", `"refs/heads/a b"`, "not the full name of a ref"},
		{"resolved", `"refs/heads/"`, "not the full name of a ref"},
		{"resolved", `"refs/heads/a\u007F"`, "control"},
		{"commit", `"9d2f1ae"`, "not 40 or 64 lower-case hex"},
		{"commit", `"` + strings.ToUpper(commit) + `"`, "not 40 or 64 lower-case hex"},
		{"commit", `"` + commit + `\n"`, "not 40 or 64 lower-case hex"},
		{"commit", `""`, `"commit" is empty`},
		{"tree", `"` + strings.Repeat("g", 40) + `"`, "not 40 or 64 lower-case hex"},
		{"hash", `"sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="`, `not "s1:"`},
		{"hash", `"s1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"`, `not "s1:"`},
		{"hash", `"s1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV="`, `not "s1:"`}, // spare bits set
		{"hash", `"s1:47DEQpj8HBSa\n+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="`, `not "s1:"`},
		{"hash", `"s1:AAAA"`, `not "s1:"`},
		{"hash", `""`, `"hash" is empty`},
		{"digest", `"md5:00"`, "sha256"},
		{"digest", `"sha512:` + strings.Repeat("0", 64) + `"`, "sha256"},
		{"license", `true`, `"license" is a boolean`},
		{"skill", `{}`, `"skill" is a table`},
	} {
		fields := map[string]string{"name": `"a"`, "source": `"./a"`, "hash": `"` + hash + `"`, tt.key: tt.value}
		text, line := "version = 1\n\n[[skill]]\n", 0
		for _, key := range []string{"name", "source", "path", "ref", "resolved", "commit", "tree", "hash", "digest", "license", "skill"} {
			if fields[key] == "" {
				continue
			}
			text += key + " = " + fields[key] + "\n"
			if key == tt.key {
				line = strings.Count(text, "\n")
			}
		}
		_, err := lockfile.Parse([]byte(text), "skills.lock")
		refused(t, tt.key+" = "+tt.value, err, "lock_damaged", tt.message)
		var e *lockfile.Error
		if errors.As(err, &e) && e.Line != line {
			t.Errorf("%s = %s: line %d, want %d", tt.key, tt.value, e.Line, line)
		}
	}
}

func TestGoodValuesAreAdmitted(t *testing.T) {
	sha256, sha512 := strings.Repeat("a", 64), "sha512:"+strings.Repeat("0", 128)
	for _, s := range []lockfile.Skill{
		{Source: "ssh://git@git.corp.example:7999/a/b", Commit: sha256, Tree: sha256},
		{Source: "git@git.corp.example:o/r", Ref: "refs/heads/feature/x", Resolved: "refs/heads/feature/x", Commit: commit},
		{Source: "../lib/x"}, {Source: "~/skills"}, {Source: "builtin:skills-cli"}, {Source: "npm:@scope/pkg", Ref: "1.2.3", Digest: sha512},
		{Source: "https://github.com/o/r", Path: ".claude/skills/devicon:x", Ref: "^1.2 || >=3", Resolved: "refs/tags/pkg@1.2.3"},
		{Source: "npm:@acme/tools", Path: "skills/pdf", Ref: "^1.2", Resolved: "1.2.3-rc.1+build.5", Digest: "sha512:" + strings.Repeat("0", 128)},
		{Skill: "代码 / 审查: \"x\"\n", License: "Complete terms\nin LICENSE.txt", Tree: tree},
	} {
		s.Name, s.Hash = "a", hash
		l := lockfile.New()
		put(t, l, s)
		if got, _ := parse(t, string(l.Bytes())).Get("a"); string(l.Bytes()) == "" || got.Source != s.Source || got.License != s.License || got.Skill != s.Skill {
			t.Errorf("got %+v, want %+v", got, s)
		}
	}
}

func TestMissingFieldsAreTold(t *testing.T) {
	for text, message := range map[string]string{
		"[[skill]]\nhash = '" + hash + "'\n":                                      "skills.lock:2: name is missing",
		"[[skill]]\nname = 'a'\n":                                                 "skills.lock:2: hash is missing",
		"[[skill]]\nname = 'a'\nhash = '" + hash + "'\ncommit = '" + commit + "'": "skills.lock:2: source is missing",
	} {
		_, err := lockfile.Parse([]byte("version = 1\n"+text), "skills.lock")
		refused(t, text, err, "lock_damaged", message)
	}
}

func TestPutRefusesWhatParseWouldRefuse(t *testing.T) {
	l := parse(t, whole)
	for message, s := range map[string]lockfile.Skill{
		`skill "../x": name "../x" begins with "."`: {Name: "../x", Hash: hash},
		`skill "x": hash is missing`:                {Name: "x"},
		`skill "x": commit "HEAD" is not 40 or 64`:  {Name: "x", Source: "./a", Commit: "HEAD", Hash: hash},
		`skill "x": license is not UTF-8`:           {Name: "x", Hash: hash, License: "\xff"},
		`"PDF" and "pdf" are one directory`:         {Name: "PDF", Hash: hash},
		`holds a control`:                           {Name: "x\x00", Hash: hash},
	} {
		refused(t, message, l.Put(s), "lock_invalid", message)
	}
	if string(l.Bytes()) != whole {
		t.Errorf("changed to %s", l.Bytes())
	}
}

func TestErrorsHoldNoCredentials(t *testing.T) {
	_, err := lockfile.Parse([]byte("version = 1\n[[skill]]\nname = 'a'\nsource = 'https://u:hunter2@e.com/o'\nhash = '"+hash+"'\n"), "skills.lock")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
	_, err = lockfile.Parse([]byte("version = 1\n[[skill]]\nname = 'a'\nsource = 'https://e.com/o?token=hunter2'\nhash = '"+hash+"'\n"), "skills.lock")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

// refused fails unless the error has the code, holds the message and, when it is about a file, says what to do.
func refused(t *testing.T, what string, err error, code, message string) {
	t.Helper()
	var e *lockfile.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: got %v, want code %s", what, err, code)
		return
	}
	if e.Code() != code || !strings.Contains(e.Error(), message) || (e.File != "" && len(e.Hints()) != 1) {
		t.Errorf("%s:\ngot  %s: %v %q\nwant %s: %s", what, e.Code(), e, e.Hints(), code, message)
	}
}
