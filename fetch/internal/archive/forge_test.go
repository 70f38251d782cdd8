package archive_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"skills/fetch/fetchtest"
	"skills/fetch/internal/archive"
	"skills/fetch/internal/web"
)

const repository = `-- @repo github.com/acme/skills --
-- pdf/SKILL.md --
read
-- pdf/run.sh exec --
#!/bin/sh
-- pdf/link symlink --
SKILL.md
-- zip/SKILL.md --
pack
`

// download reads an archive of the forge's codeload.
func download(t *testing.T, f *fetchtest.Forge, format string, o archive.Options) ([]string, archive.Info, error) {
	t.Helper()
	client, err := web.New(web.Config{Retries: -1, Hosts: map[string]web.Host{"codeload.github.com": {CA: f.CA(), Connect: f.Addr()}}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdle()
	resp, err := client.Get(context.Background(), "https://codeload.github.com/acme/skills/"+format+"/main", web.Options{Limit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	o.Strip, o.ContentType, o.Temp = true, resp.Header.Get("Content-Type"), t.TempDir()
	var got []string
	info, err := archive.Read(context.Background(), resp.Body, o, func(e archive.Entry, r io.Reader) error {
		if r == nil {
			got = append(got, fmt.Sprintf("%d %s -> %s", e.Mode, e.Path, e.Link))
			return nil
		}
		data, err := io.ReadAll(r)
		got = append(got, fmt.Sprintf("%d %s %q", e.Mode, e.Path, data))
		return err
	})
	return got, info, err
}

func TestArchivesOfAForge(t *testing.T) {
	f := fetchtest.New(t, repository)
	want := []string{
		`0 pdf/SKILL.md "read\n"`, "2 pdf/link -> SKILL.md", `1 pdf/run.sh "#!/bin/sh\n"`, `0 zip/SKILL.md "pack\n"`,
	}
	for _, format := range []string{"tar.gz", "zip"} {
		got, info, err := download(t, f, format, archive.Options{})
		if slices.Sort(got); err != nil || !slices.Equal(got, sortedCopy(want)) {
			t.Errorf("%s: got %q, %v", format, got, err)
		}
		if commit := f.Repo("github.com/acme/skills").ID("main"); info.Commit != commit || !info.Complete {
			t.Errorf("%s: got %+v, want commit %s", format, info, commit)
		}
	}
	got, info, err := download(t, f, "tar.gz", archive.Options{Below: "pdf", Ordered: true})
	if err != nil || len(got) != 3 || info.Complete {
		t.Errorf("one folder: got %q, %+v, %v", got, info, err)
	}
}

func sortedCopy(lines []string) []string {
	lines = slices.Clone(lines)
	slices.Sort(lines)
	return lines
}

func TestAnswersThatAreNoArchive(t *testing.T) {
	f := fetchtest.New(t, repository)
	var damaged *archive.Error
	f.Fault(fetchtest.Fault{Host: "codeload.github.com", Do: fetchtest.Answer(200, "<!doctype html><title>Sign in</title>", "Content-Type", "text/html")})
	if got, _, err := download(t, f, "tar.gz", archive.Options{}); !errors.As(err, &damaged) || damaged.Code != archive.WrongContent || got != nil {
		t.Errorf("a web page: got %q, %v", got, err)
	}
	f.Heal()
	f.Fault(fetchtest.Fault{Host: "codeload.github.com", Do: fetchtest.Cut(100)})
	var failure *web.Error
	if _, info, err := download(t, f, "tar.gz", archive.Options{}); !errors.As(err, &failure) || failure.Kind != web.Network || info.Complete {
		t.Errorf("a body that breaks off: got %+v, %v", info, err)
	}
}
