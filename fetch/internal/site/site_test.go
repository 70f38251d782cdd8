package site

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	address = "https://example.com/docs/.well-known/agent-skills/index.json"
	digest  = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

func TestAddressesOfAnIndex(t *testing.T) {
	for given, want := range map[string][]string{
		"https://example.com": {"https://example.com/.well-known/agent-skills/index.json", "https://example.com/.well-known/skills/index.json"},
		"https://example.com/a%20b/c/": {
			"https://example.com/a%20b/c/.well-known/agent-skills/index.json", "https://example.com/a%20b/c/.well-known/skills/index.json",
			"https://example.com/.well-known/agent-skills/index.json", "https://example.com/.well-known/skills/index.json",
		},
		"https://[::1/": nil,
	} {
		if diff := cmp.Diff(want, Addresses(given)); diff != "" {
			t.Errorf("%s: %s", given, diff)
		}
	}
}

// entry is an entry of version 0.2.0 with a rule broken or not.
func entry(name, kind, url, digest string) string {
	return fmt.Sprintf(`{"name":%q,"type":%q,"description":"Does it.","url":%q,"digest":%q,"more":[1]}`, name, kind, url, digest)
}

func index(entries ...string) []byte {
	return []byte(`{"$schema":"` + Schema + `","other":{},"skills":[` + strings.Join(entries, ",") + `]}`)
}

func TestEntriesOfThePresentVersion(t *testing.T) {
	got, err := Parse(address, index(
		entry("lint-notes", "skill-md", "lint-notes/SKILL.md", digest),
		entry("a", "archive", "/files/a.zip?v=2#x", digest),
		entry("triage", "archive", "https://cdn.example.org/triage-2.tar.gz", digest),
	))
	if err != nil || len(got.Notes) > 0 {
		t.Fatal(err, got.Notes)
	}
	want := []Entry{
		{Name: "lint-notes", Description: "Does it.", Kind: Document, URL: "https://example.com/docs/.well-known/agent-skills/lint-notes/SKILL.md", Digest: digest},
		{Name: "a", Description: "Does it.", Kind: Archive, URL: "https://example.com/files/a.zip?v=2", Digest: digest},
		{Name: "triage", Description: "Does it.", Kind: Archive, URL: "https://cdn.example.org/triage-2.tar.gz", Digest: digest},
	}
	if diff := cmp.Diff(want, got.Entries); diff != "" {
		t.Error(diff)
	}
}

func TestEachBadEntryIsNamedAndHidesNoOther(t *testing.T) {
	for _, test := range []struct{ entry, name, reason string }{
		{entry("x", "skill", "x", digest), "x", `type "skill" is not known`},
		{entry("x", "", "x", digest), "x", "type"},
		{entry("X_y", "skill-md", "x", digest), "X_y", "name"},
		{entry("../x", "skill-md", "x", digest), "../x", "name"},
		{entry(strings.Repeat("x", 65), "skill-md", "x", digest), strings.Repeat("x", 65), "name"},
		{entry("", "skill-md", "x", digest), "entry 2", "name"},
		{entry("good", "skill-md", "x", digest), "good", "twice"},
		{entry("x", "skill-md", "x", ""), "x", "digest"},
		{entry("x", "skill-md", "x", strings.ToUpper(digest)), "x", "digest"},
		{entry("x", "skill-md", "x", "sha-256=:abc=:"), "x", "digest"}, // as in the header Content-Digest
		{entry("x", "skill-md", "", digest), "x", "url"},
		{entry("x", "skill-md", "http://example.com/x", digest), "x", "not https"},
		{entry("x", "skill-md", "file:///etc/passwd", digest), "x", "not https"},
		{entry("x", "skill-md", "https://u:p@example.com/x", digest), "x", "credentials"},
		{entry("x", "skill-md", "https://[::1/x", digest), "x", "url"},
		{`"x"`, "entry 2", "not as"},
		{`{"name":1}`, "entry 2", "not as"},
	} {
		got, err := Parse(address, index(entry("good", "skill-md", "good", digest), test.entry, entry("last", "skill-md", "last", digest)))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Entries) != 2 || len(got.Notes) != 1 || got.Notes[0].Name != test.name || !strings.Contains(got.Notes[0].Reason, test.reason) {
			t.Errorf("%s: entries %v, notes %v", test.entry, got.Entries, got.Notes)
		}
	}
}

func TestEntriesOfTheFormerVersion(t *testing.T) {
	got, err := Parse("https://example.com/docs/.well-known/skills/index.json",
		[]byte("\xef\xbb\xbf"+`{"skills":[{"name":"pdf","description":"d","files":["SKILL.md","a b/c%d.md"]}]}`))
	if err != nil || len(got.Notes) > 0 || len(got.Entries) != 1 {
		t.Fatal(err, got)
	}
	e := got.Entries[0]
	if e.Kind != Files || e.URL != "https://example.com/docs/.well-known/skills/pdf/" || e.Digest != "" {
		t.Errorf("entry %+v", e)
	}
	if got, want := e.FileURL("a b/c%d.md"), "https://example.com/docs/.well-known/skills/pdf/a%20b/c%25d.md"; got != want {
		t.Errorf("address %s, want %s", got, want)
	}
}

func TestFilesOfTheFormerVersionStayInTheSkill(t *testing.T) {
	many := `"SKILL.md"` + strings.Repeat(`,"x"`, 1000)
	for files, reason := range map[string]string{
		`"SKILL.md","/etc/passwd"`: "inside", `"SKILL.md","../x"`: "inside", `"SKILL.md","a/../../x"`: "inside", `"SKILL.md","a//b"`: "inside",
		`"SKILL.md","./a"`: "inside", `"SKILL.md",""`: "inside", `"SKILL.md","a/"`: "inside",
		`"SKILL.md","a\\b"`: "holds", `"SKILL.md","a?b"`: "holds", `"SKILL.md","a#b"`: "holds", `"SKILL.md","a[1]"`: "holds",
		`"SKILL.md","\u00fc"`: "ASCII", `"SKILL.md","a\nb"`: "ASCII", `"SKILL.md","a\u007f"`: "ASCII",
		`"README.md"`: "no SKILL.md", `"skill.md"`: "no SKILL.md", ``: "no SKILL.md", `"SKILL.md","a","a"`: "twice", `"SKILL.md","a","a/b"`: "directory", many: "more than",
	} {
		got, err := Parse(address, []byte(`{"skills":[{"name":"x","files":[`+files+`]},{"name":"y","files":["SKILL.md"]}]}`))
		if err != nil {
			t.Fatal(files, err)
		}
		if len(got.Entries) != 1 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0].Reason, reason) {
			t.Errorf("%.50s: entries %v, notes %v", files, got.Entries, got.Notes)
		}
	}
	// An index that sends a licence key somewhere has no files.
	got, err := Parse(address, []byte(`{"skills":[{"name":"x","content":{"endpoint":"https://evil.example"}}]}`))
	if err != nil || len(got.Entries) != 0 || len(got.Notes) != 1 {
		t.Error(got, err)
	}
}

// Who writes an index does not say how much is shown of it.
func TestTextsOfAnIndexAreBounded(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	for _, e := range []string{
		entry("x", long, "x", digest), entry(long, "skill-md", "x", digest), entry("x", "skill-md", "x", long), entry("x", "skill-md", "http://"+long, digest),
		entry("x", "skill-md", "/"+strings.Repeat("x", 4096), digest), `{"name":` + strings.Repeat("1", 3<<20) + `}`,
	} {
		got, err := Parse(address, index(e))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Entries) != 0 || len(got.Notes) != 1 || len(got.Notes[0].Name+got.Notes[0].Reason) > 300 {
			t.Errorf("%.50s: %d entries, note %.400v", e, len(got.Entries), got.Notes)
		}
	}
	for _, text := range []string{`{"$schema":"` + long + `","skills":[]}`, `{"skills":` + strings.Repeat("1", 3<<20) + `}`} {
		if _, err := Parse(address, []byte(text)); err == nil || len(err.Error()) > 300 {
			t.Errorf("%.50s: an error of %d bytes", text, len(err.Error()))
		}
	}
}

// A path of some 100,000 parts would be hashed part by part: 8 MB of them, the most that an index may have, took minutes.
func TestPathsOfFilesAreBounded(t *testing.T) {
	for files, taken := range map[string]bool{
		strings.Repeat("a/", 63) + "x": true, strings.Repeat("a/", 64) + "x": false, strings.Repeat("a/", 2<<20) + "x": false,
		strings.Repeat("a", 1024): true, strings.Repeat("a", 1025): false,
	} {
		got, err := Parse(address, fmt.Appendf(nil, `{"skills":[{"name":"x","files":["SKILL.md",%q]}]}`, files))
		if err != nil || (len(got.Entries) == 1) != taken || !taken && (!strings.Contains(got.Notes[0].Reason, "longer than 1024 bytes or deeper than 64") || len(got.Notes[0].Reason) > 300) {
			t.Errorf("%d bytes: %v, %.400v", len(files), err, got.Notes)
		}
	}
}

func TestWhatIsNoIndex(t *testing.T) {
	for _, text := range []string{"", "<!doctype html>", "[]", `"x"`, "{}", `{"skills":null}`, `{"skills":{}}`, `{"skills":[`, `{"$schema":1,"skills":[]}`,
		`{"skills":[` + strings.Repeat("1,", 10_000) + `1]}`} {
		if _, err := Parse(address, []byte(text)); !errors.Is(err, ErrNoIndex) {
			t.Errorf("%.50q: %v", text, err)
		}
	}
	for _, schema := range []string{"", "https://schemas.agentskills.io/discovery/0.3.0/schema.json", Schema + "#"} {
		var unknown *SchemaError
		if _, err := Parse(address, []byte(`{"$schema":"`+schema+`","skills":[]}`)); !errors.As(err, &unknown) || unknown.Schema != schema {
			t.Errorf("%q: %v", schema, err)
		}
	}
	if got, err := Parse(address, []byte(`{"skills":[]}`)); err != nil || len(got.Entries) != 0 {
		t.Error(got, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(index(entry("x", "archive", "x", digest)))
	f.Add([]byte(`{"skills":[{"name":"y","files":["SKILL.md","a/b"]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Parse(address, data)
		if err != nil {
			return
		}
		for _, e := range got.Entries {
			if !validName(e.Name) || !strings.HasPrefix(e.URL, "https://") {
				t.Errorf("entry %+v", e)
			}
			for _, name := range e.Files {
				if strings.Contains("/"+name+"/", "/../") || !strings.HasPrefix(e.FileURL(name), e.URL) {
					t.Errorf("file %q of %+v", name, e)
				}
			}
		}
	})
}
