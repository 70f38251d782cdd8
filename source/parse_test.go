package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// corp adds to the built-in table what a firm configures.
func corp() Hosts {
	return DefaultHosts().
		With(Host{Name: "git.corp.example", Kind: GitHub, AllowPort: true}).
		With(Host{Name: "gogs.corp.example", Kind: Gogs}).
		With(Host{Name: "gitlab.corp.example", Kind: GitLab}).
		With(Host{Name: "gitea.corp.example", Kind: Gitea}).
		With(Host{Name: "stash.corp.example", Kind: BitbucketServer}).
		With(Host{Name: "tfs.corp.example", Kind: Azure}).
		With(Host{Name: "registry.corp.example:5000", Kind: PlainGit}).
		With(Host{Name: "10.0.0.5", Kind: PlainGit})
}

// row is one line of testdata/locators.
type row struct {
	input string
	hosts Hosts
	want  Locator // without URL and the texts of notes
	code  string  // of the error, "" for none
}

// rows reads the table. github.txt says how it is written.
func rows(t testing.TB) []row {
	t.Helper()
	files, err := filepath.Glob("testdata/locators/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all []row
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parseRows(t, string(data))...)
	}
	return all
}

func parseRows(t testing.TB, text string) (all []row) {
	t.Helper()
	var hosts Hosts
	for _, line := range strings.Split(text, "\n") {
		switch {
		case line == "hosts corp":
			hosts = corp()
		case strings.HasPrefix(line, "# ") && strings.Count(line, "|") != 2, strings.HasPrefix(line, "##"), line == "":
		default:
			all = append(all, parseRow(t, line, hosts))
		}
	}
	return all
}

func parseRow(t testing.TB, line string, hosts Hosts) row {
	t.Helper()
	cells := strings.Split(line, "|")
	for i := range cells {
		if cells[i] = strings.TrimSpace(cells[i]); cells[i] == "-" {
			cells[i] = ""
		}
	}
	r := row{input: cells[0], hosts: hosts}
	if len(cells) == 3 && cells[1] == "error" {
		r.code = cells[2]
		return r
	}
	if len(cells) != 8 {
		t.Fatalf("line %q has %d cells", line, len(cells))
	}
	r.want = Locator{Kind: Kind(cells[1]), Host: cells[2], Owner: cells[3], Repo: cells[4], Ref: cells[5], Path: cells[6]}
	flags, skill, _ := strings.Cut(cells[7], "skill=")
	if skill, or := strings.CutSuffix(skill, " or"); true {
		r.want.Skill, r.want.SkillOrRef = skill, or
	}
	if r.want.Kind == Git {
		r.want.Transport = HTTPS
	}
	for _, flag := range strings.Fields(flags) {
		setFlag(t, &r.want, flag)
	}
	return r
}

func setFlag(t testing.TB, l *Locator, flag string) {
	t.Helper()
	name, value, _ := strings.Cut(flag, "=")
	switch name {
	case "file":
		l.File = true
	case "ambiguous":
		l.Ambiguous = true
	case "branch", "tag", "commit":
		l.RefKind = RefKind(name)
	case "ssh":
		l.Transport = SSH
	case "user":
		l.User = value
	case "note":
		l.Notes = append(l.Notes, Note{Code: value})
	default:
		t.Fatalf("unknown flag %q", flag)
	}
}

// bare gives what the table says of a Locator.
func bare(l Locator) Locator {
	l.Input, l.URL = "", ""
	var notes []Note
	for _, n := range l.Notes {
		notes = append(notes, Note{Code: n.Code})
	}
	l.Notes = notes
	return l
}

func code(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func TestParseReadsEveryRowOfTheTable(t *testing.T) {
	all := rows(t)
	if len(all) < 700 {
		t.Errorf("the table has only %d rows", len(all))
	}
	for _, r := range all {
		got, err := Parse(r.input, r.hosts)
		if code(err) != r.code || r.code == "" && err != nil {
			t.Errorf("Parse(%q): error %v, want code %q (%+v)", r.input, err, r.code, got)
			continue
		}
		if diff := cmp.Diff(r.want, bare(got)); r.code == "" && diff != "" {
			t.Errorf("Parse(%q): -want +got\n%s", r.input, diff)
		}
	}
}
