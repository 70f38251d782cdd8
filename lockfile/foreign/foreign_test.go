package foreign_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"skills/lockfile/foreign"
	"skills/source"
)

// show writes a record as the archives in testdata have it: entries by line and name with the fields that they have, then findings.
func show(r *foreign.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d\n", r.Kind, r.Version)
	if r.Agents != nil {
		fmt.Fprintf(&b, "agents %v\n", r.Agents)
	}
	for _, e := range r.Entries {
		b.WriteString(showEntry(e))
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%d %s: %s\n", f.Line, f.Code, f.Message)
	}
	return b.String()
}

// showEntry writes one entry.
func showEntry(e foreign.Entry) string {
	text := fmt.Sprintf("%d %q\n", e.Line, e.Name)
	for _, f := range [][2]string{{"text", e.Text}, {"path", e.Path}, {"skill", e.Skill}, {"ref", e.Ref}, {"commit", e.Commit}, {"tree", e.Tree},
		{"digest", e.Digest}, {"pinned", e.Reason}, {"license", e.License}, {"problem", e.Problem}} {
		if f[1] != "" {
			text += "\t" + f[0] + " " + f[1] + "\n"
		}
	}
	return text
}

// wants checks an archive of a record and what it is read as.
func wants(t *testing.T, archive string) {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	name, data, want := a.Files[0].Name, a.Files[0].Data, string(a.Files[1].Data)
	for ends, text := range map[string][]byte{"\n": data, "\r\n": bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))} {
		before := bytes.Clone(text)
		r, err := foreign.Parse(name, text, source.DefaultHosts())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, show(r)); diff != "" {
			t.Errorf("with line ends %q (-want +got):\n%s", ends, diff)
		}
		for _, e := range r.Entries {
			agrees(t, e, name, source.DefaultHosts())
		}
		if !bytes.Equal(text, before) {
			t.Error("the text was changed")
		}
	}
}

// agrees checks what holds for every entry: the text is read back to the ref and path that stand beside it, nothing is there without a
// text but the reason, and something says what was installed or why that is not known.
func agrees(t *testing.T, e foreign.Entry, file string, hosts source.Hosts) {
	t.Helper()
	if e.File != file || e.Line < 1 {
		t.Errorf("%+v is of no place in %s", e, file)
	}
	if e.Text == "" {
		if (e != foreign.Entry{Name: e.Name, File: e.File, Line: e.Line, Problem: e.Problem}) || e.Problem == "" {
			t.Errorf("%+v holds more than the reason, or none", e)
		}
		return
	}
	if e.Pinned != (e.Reason != "") || e.Problem == "" && e.Commit+e.Tree+e.Digest+e.Ref == "" {
		t.Errorf("%+v does not say what was installed", e)
	}
	l, err := source.Parse(e.Text, hosts)
	if err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
	if l.Canonical() != e.Text && l.Kind != source.Local || l.Skill != "" || l.Ambiguous {
		t.Errorf("%+v is not one text: %+v", e, l)
	}
	if l.Kind == source.Git && (l.Ref != e.Ref || l.Path != e.Path) {
		t.Errorf("%+v is read as %+v", e, l)
	}
}

func TestRecordsAreRead(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 6 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) { wants(t, archive) })
	}
}
