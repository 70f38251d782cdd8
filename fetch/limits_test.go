package fetch_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"skills/fetch"
	"skills/fetch/fetchtest"
)

// deep is a skill four levels deep with a large file that compresses well.
func deep() string {
	return "-- skills/deep/SKILL.md --\n---\nname: deep\ndescription: Is deep, and refers to a file.\n---\n[notes](one/two/notes.md)\n" +
		"-- skills/deep/one/two/notes.md --\nNotes.\n" +
		"-- skills/deep/large.txt --\n" + strings.Repeat("a", 9<<20) + "\n"
}

// bounded is a transport for the test of limits.
type bounded struct {
	source   string // what is fetched; DIR is a directory with the archives
	settings fetchtest.Settings
	faults   []fetchtest.Fault
	config   func(*testing.T, *fetchtest.Forge, *fetch.Config)
	exempt   []string // limits that do not apply
}

func boundedTransports() map[string]bounded {
	return map[string]bounded{
		"git v2":                  {source: "acme/deep"},
		"git v1":                  {source: "acme/deep", settings: fetchtest.Settings{Protocol: "1"}},
		"archive where git fails": {source: "acme/deep", faults: []fetchtest.Fault{{Host: "github.com", Path: "acme/deep", Do: fetchtest.Answer(403, "")}}},
		"system git":              {source: "acme/deep", settings: fetchtest.Settings{Token: "secret"}, config: systemGit},
		"archive by address":      {source: "https://files.example/deep.tar.gz"},
		"zip by address":          {source: "https://files.example/deep.zip"},
		"archive on this machine": {source: "DIR/deep.tar.gz"},
		"zip on this machine":     {source: "DIR/deep.zip"},
		// One document and what it names: the large file is not among it.
		"file": {source: "https://files.example/skills/deep/SKILL.md", exempt: []string{"ratio"}},
	}
}

// everything fetches a source with all its contents.
func everything(ctx context.Context, t *testing.T, c *fetch.Client, text string) error {
	rev, err := c.Resolve(ctx, locate(t, text))
	if err != nil {
		return err
	}
	tree, err := c.Fetch(ctx, rev)
	if err != nil {
		return err
	}
	return tree.Load(ctx, ".")
}

// Each bound is exceeded on each transport that it applies to, and leaves nothing behind; with one that is just above, all comes.
func TestEveryLimitHoldsOnEveryTransport(t *testing.T) {
	limits := map[string]fetch.Limits{
		"download": {Bytes: 60}, "unpacked": {Unpacked: 90}, "file": {Object: 40}, "files": {Objects: 1}, "depth": {Depth: 2}, "ratio": {Ratio: 100},
	}
	forge := fetchtest.New(t, "-- @repo github.com/acme/deep --\n"+deep())
	dir := archives(t, forge)
	for name, transport := range boundedTransports() {
		t.Run(name, func(t *testing.T) {
			defer forge.Heal()
			forge.Repo("github.com/acme/deep").Set(transport.settings)
			for _, fault := range transport.faults {
				forge.Fault(fault)
			}
			fetchWith := func(limits fetch.Limits) (string, error) {
				store := t.TempDir()
				c := newClient(t, forge, in(t, store), func(config *fetch.Config) {
					config.References = func(document []byte) []string {
						if strings.Contains(string(document), "one/two/notes.md") {
							return []string{"one/two/notes.md"}
						}
						return nil
					}
					if transport.config != nil {
						transport.config(t, forge, config)
					}
					config.Limits = limits
				})
				return store, everything(t.Context(), t, c, strings.ReplaceAll(transport.source, "DIR", dir))
			}
			if _, err := fetchWith(fetch.Limits{Ratio: 5000}); err != nil {
				t.Fatalf("without bounds: %v", err)
			}
			for key, limit := range limits {
				if slices.Contains(transport.exempt, key) {
					continue
				}
				store, err := fetchWith(limit)
				if err == nil {
					t.Errorf("%s: no error", key)
					continue
				}
				e := code(t, err, fetch.TooLarge)
				if hints := strings.Join(e.Hints(), " "); !strings.Contains(hints, "[limits]") {
					t.Errorf("%s: %v, hints %q", key, e, hints)
				}
				sane(t, store)
			}
		})
	}
}

// archives makes archives of the repository with git, serves them with its files, and gives the directory where they are.
func archives(t *testing.T, forge *fetchtest.Forge) string {
	dir := t.TempDir()
	gitDir := forge.Repo("github.com/acme/deep").GitDir()
	for _, name := range []string{"deep.tar.gz", "deep.zip"} {
		git(t, gitDir, "archive", "-o", filepath.Join(dir, name), "main")
	}
	git(t, gitDir, "--work-tree="+dir, "checkout", "-q", "main", "--", ".")
	forge.AddSite("files.example", os.DirFS(dir))
	return dir
}

// What real skills have is far below the bounds that hold where none is given: 10,000 files, 100 MB.
func TestDefaultLimitsAreFarAboveRealSkills(t *testing.T) {
	d := fetch.Limits{}.OrDefault()
	if d.Objects < 10*10_000 || d.Bytes < 5*100e6 || d.Unpacked < 10*100e6 || d.Object < 100e6 || d.Depth < 32 || d.Ratio < 100 {
		t.Errorf("defaults %+v", d)
	}
	forge := fetchtest.New(t)
	var text strings.Builder
	text.WriteString("-- @repo github.com/acme/many --\n-- SKILL.md --\n---\nname: many\ndescription: Has many files.\n---\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "-- data/%d/%d.txt --\n%d\n", i/100, i, i)
	}
	forge.Add(text.String())
	if err := everything(t.Context(), t, newClient(t, forge), "acme/many"); err != nil {
		t.Error(err)
	}
}

// A body is what it is when it was inflated on the way: servers may compress what is no archive.
func TestLimitsCountWhatATransferEncodingUnpacks(t *testing.T) {
	forge := fetchtest.New(t, "-- @site files.example --\n-- x/SKILL.md --\n")
	forge.Fault(fetchtest.Fault{Host: "files.example", Do: fetchtest.Answer(http.StatusOK, gzipped(t, strings.Repeat("a", 2<<20)), "Content-Encoding", "gzip")})
	err := everything(t.Context(), t, newClient(t, forge), "https://files.example/x/SKILL.md")
	code(t, err, fetch.TooLarge)
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var packed strings.Builder
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(text))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

// The bounds are those of a site as a whole: of a file that it lists, of all files of a skill, and of all skills that are loaded.
func TestLimitsAreThoseOfAllSkillsOfASite(t *testing.T) {
	skill := func(name string, sizes ...int) string {
		text := "-- " + name + "/SKILL.md --\n---\nname: " + name + "\ndescription: d\n---\n"
		for i, size := range sizes {
			text += fmt.Sprintf("-- %s/f%d --\n%s\n", name, i, strings.Repeat(name, size))
		}
		return text
	}
	forge := fetchtest.New(t, "-- @discovery site.example version=0.1.0 --\n"+skill("a", 8<<20, 1)+skill("b", 600<<10)+skill("c", 600<<10, 2, 3, 4),
		"-- @discovery cdn.example --\n"+skill("a", 8<<20, 1)+skill("b", 600<<10)+skill("c", 600<<10, 2, 3, 4))
	for name, test := range map[string]struct {
		limits fetch.Limits
		site   string
		load   string
		most   int64 // bytes that may come
		ok     bool
	}{
		"a listed file":           {fetch.Limits{Object: 1 << 20}, "site.example", "a", 64 << 10, false},
		"its download":            {fetch.Limits{Bytes: 1 << 20}, "site.example", "a", 64 << 10, false},
		"unpacked":                {fetch.Limits{Unpacked: 1 << 20}, "site.example", "a", 9 << 20, false},
		"number of files":         {fetch.Limits{Objects: 3}, "site.example", "c", 0, false},
		"one skill":               {fetch.Limits{Bytes: 1 << 20, Object: 1 << 20}, "site.example", "b", 700 << 10, true},
		"another":                 {fetch.Limits{Bytes: 1 << 20, Object: 1 << 20}, "site.example", "c", 700 << 10, true},
		"both":                    {fetch.Limits{Bytes: 1 << 20, Object: 1 << 20}, "site.example", "b c", 1100 << 10, false},
		"both, unpacked":          {fetch.Limits{Unpacked: 1 << 20}, "site.example", "b c", 2 << 20, false},
		"number of files of both": {fetch.Limits{Objects: 5}, "site.example", "b c", 2 << 20, false},
		"a file in an archive":    {fetch.Limits{Object: 1 << 20}, "cdn.example", "a", 64 << 10, false},
		"one archive":             {fetch.Limits{Unpacked: 1 << 20}, "cdn.example", "b", 64 << 10, true},
		"both archives":           {fetch.Limits{Unpacked: 1 << 20}, "cdn.example", "b c", 64 << 10, false},
		"files of both archives":  {fetch.Limits{Objects: 5}, "cdn.example", "b c", 64 << 10, false},
	} {
		t.Run(name, func(t *testing.T) {
			var down atomic.Int64
			dir := t.TempDir()
			c := newClient(t, forge, in(t, dir), func(config *fetch.Config) {
				config.Limits, config.Limits.Ratio = test.limits, 5000
				config.Event = func(e fetch.Event) {
					if !strings.HasSuffix(e.Path, ".json") {
						down.Add(e.Down)
					}
				}
			})
			tree := fetchTree(t, c, resolve(t, c, "https://"+test.site))
			var failed error
			for name := range strings.FieldsSeq(test.load) {
				failed = tree.Load(t.Context(), name)
			}
			if test.ok && failed != nil {
				t.Error(failed)
			}
			if !test.ok {
				code(t, failed, fetch.TooLarge)
			}
			if down.Load() > test.most {
				t.Errorf("%d bytes came", down.Load())
			}
			sane(t, dir)
		})
	}
}
