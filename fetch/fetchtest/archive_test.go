package fetchtest_test

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/fetch/fetchtest"
)

const attributes = `
-- @repo github.com/acme/attributes --
-- .gitattributes --
secret.md export-ignore
version.md export-subst
-- secret.md --
Not in archives.
-- version.md --
$Format:%H$
-- @commit Same names, other content --
-- version.md --
$Format:%H$ again
-- @branch v2 --
-- branch.md --
-- @branch main --
-- @tag v2 --
`

// unpack reads a tar.gz to its end: headers by name, contents by name, and the record of the global header that names the commit.
func unpack(t *testing.T, body string) (map[string]*tar.Header, map[string]string, string) {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	headers, contents, commit := map[string]*tar.Header{}, map[string]string{}, ""
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return headers, contents, commit
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			commit = h.PAXRecords["comment"]
			continue
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		headers[h.Name], contents[h.Name] = h, string(content)
	}
}

func TestArchiveIsThatOfGit(t *testing.T) {
	f := fetchtest.New(t, acme)
	repo := f.Repo("github.com/acme/skills")
	a := get(t, f.Client(), "https://codeload.github.com/acme/skills/tar.gz/main")
	equal(t, "status", a.StatusCode, 200)
	equal(t, "type", a.Header.Get("Content-Type"), "application/x-gzip")
	equal(t, "file name", a.Header.Get("Content-Disposition"), "attachment; filename=skills-main.tar.gz")

	z, err := gzip.NewReader(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	want := git(t, f, "", "-c", "tar.umask=0002", "--git-dir="+repo.GitDir(), "archive", "--prefix=skills-main/", "main")
	equal(t, "as git archive makes it", string(plain) == want, true)

	headers, contents, commit := unpack(t, a.body)
	equal(t, "commit in the header", commit, repo.ID("main"))
	equal(t, "mode of a file", headers["skills-main/skills/pdf/SKILL.md"].Mode, 0o664)
	equal(t, "mode of an executable", headers["skills-main/skills/pdf/run.sh"].Mode, 0o775)
	equal(t, "target of a link", headers["skills-main/skills/link"].Linkname, "pdf/SKILL.md")
	equal(t, "content", contents["skills-main/skills/pdf/SKILL.md"], "changed\n")
}

func TestArchivesByEveryFormOfRef(t *testing.T) {
	f := fetchtest.New(t, acme, attributes)
	id := f.Repo("github.com/acme/skills").ID
	tests := []struct{ path, directory, commit string }{
		{"skills/tar.gz/main", "skills-main/", id("main")},
		{"skills/tar.gz/refs/heads/main", "skills-main/", id("main")},
		{"skills/tar.gz/feature/x", "skills-feature-x/", id("feature/x")},
		{"skills/tar.gz/v1", "skills-1/", id("v1")},
		{"skills/tar.gz/refs/tags/v2", "skills-2/", id("main")},
		{"skills/tar.gz/HEAD", "skills-HEAD/", id("main")},
		{"skills/tar.gz/" + id("v1"), "skills-" + id("v1") + "/", id("v1")},
		{"skills/tar.gz/" + id("v1")[:8], "skills-" + id("v1")[:8] + "/", id("v1")},
		{"skills/tar.gz/refs/pull/1/head", "skills-refs-pull-1-head/", id("feature/x")},
		{"skills/legacy.tar.gz/main", "acme-skills-" + id("main")[:7] + "/", id("main")},
		{"attributes/tar.gz/v2", "attributes-2/", f.Repo("github.com/acme/attributes").ID("refs/heads/v2")},
	}
	for _, test := range tests {
		a := get(t, f.Client(), "https://codeload.github.com/acme/"+test.path)
		if a.StatusCode != 200 {
			t.Errorf("%s: status %d", test.path, a.StatusCode)
			continue
		}
		headers, _, commit := unpack(t, a.body)
		equal(t, test.path, commit, test.commit)
		if headers[test.directory] == nil {
			t.Errorf("%s: no directory %q", test.path, test.directory)
		}
	}
	for _, path := range []string{"none/tar.gz/main", "skills/tar.gz/none", "skills/tar.gz/", "skills/rar/main", "skills", "",
		"skills/tar.gz/" + strings.Repeat("12", 20), "skills/tar.gz/main%0amain", "skills/tar.gz/main:skills"} {
		equal(t, path, get(t, f.Client(), "https://codeload.github.com/acme/"+path).StatusCode, 404)
	}
}

func TestArchiveHonoursAttributes(t *testing.T) {
	f := fetchtest.New(t, attributes)
	_, contents, commit := unpack(t, get(t, f.Client(), "https://codeload.github.com/acme/attributes/tar.gz/main").body)
	if _, ok := contents["attributes-main/secret.md"]; ok {
		t.Error("export-ignore is ignored")
	}
	equal(t, "export-subst", contents["attributes-main/version.md"], commit+" again\n")
}

func TestZipHoldsTheSameFiles(t *testing.T) {
	f := fetchtest.New(t, acme)
	a := get(t, f.Client(), "https://codeload.github.com/acme/skills/zip/v1")
	equal(t, "type", a.Header.Get("Content-Type"), "application/zip")
	z, err := zip.NewReader(strings.NewReader(a.body), int64(len(a.body)))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "comment", z.Comment, f.Repo("github.com/acme/skills").ID("v1"))
	file, err := z.Open("skills-1/skills/pdf/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	equal(t, "content", string(content), "---\nname: pdf\n---\n")
	equal(t, "error", err, nil)
}

func TestArchiveIsNotSentAgainWhenItsETagIsKnown(t *testing.T) {
	f := fetchtest.New(t, acme)
	url := "https://codeload.github.com/acme/skills/tar.gz/main"
	a := do(t, f.Client(), http.MethodHead, url, nil)
	etag := a.Header.Get("ETag")
	equal(t, "ETag", etag, `W/"`+f.Repo("github.com/acme/skills").ID("main")+`"`)
	a = get(t, f.Client(), url, "If-None-Match", etag)
	equal(t, "status", a.StatusCode, http.StatusNotModified)
	equal(t, "body", a.body, "")
	f.Add("-- @repo github.com/acme/skills --\n-- new --\n")
	equal(t, "after a commit", get(t, f.Client(), url, "If-None-Match", etag).StatusCode, 200)
}

func TestAddressesThatLeadToArchivesAndFiles(t *testing.T) {
	f := fetchtest.New(t, acme)
	for from, to := range map[string]string{
		"https://github.com/acme/skills/archive/main.tar.gz":                 "https://codeload.github.com/acme/skills/tar.gz/main",
		"https://github.com/acme/skills/archive/refs/heads/feature/x.zip":    "https://codeload.github.com/acme/skills/zip/refs/heads/feature/x",
		"https://github.com/acme/skills/raw/feature/x/only-here.md":          "https://raw.githubusercontent.com/acme/skills/feature/x/only-here.md",
		"https://api.github.com/repos/acme/skills/tarball/feature/x":         "https://codeload.github.com/acme/skills/legacy.tar.gz/feature/x",
		"https://api.github.com/repos/acme/skills/tarball":                   "https://codeload.github.com/acme/skills/legacy.tar.gz/HEAD",
		"https://api.github.com/repos/acme/skills/zipball/" + "refs/tags/v1": "https://codeload.github.com/acme/skills/legacy.zip/refs/tags/v1",
	} {
		a := get(t, f.Client(), from)
		equal(t, from, a.StatusCode, http.StatusFound)
		equal(t, from, a.Header.Get("Location"), to)
		equal(t, to, get(t, f.Client(), to).StatusCode, 200)
	}
}

func TestPrivateArchiveOpensThroughTheAPI(t *testing.T) {
	f := fetchtest.New(t, acme)
	f.Add("-- @repo github.com/acme/skills token=s3cret --\n")
	codeload, raw := "https://codeload.github.com/acme/skills/tar.gz/main", "https://raw.githubusercontent.com/acme/skills/main/bin"
	api := "https://api.github.com/repos/acme/skills/tarball/main"
	for _, url := range []string{codeload, raw, api, acmeURL} {
		equal(t, url, get(t, f.Client(), url).StatusCode, 404)
		equal(t, url+" with the token", get(t, f.Client(), url, "Authorization", "Bearer s3cret").StatusCode < 400, true)
	}
	equal(t, "bad token, API", get(t, f.Client(), api, "Authorization", "Bearer wrong").StatusCode, 401)
	equal(t, "bad token, archive", get(t, f.Client(), codeload, "Authorization", "Bearer wrong").StatusCode, 404)

	location := get(t, f.Client(), api, "Authorization", "Bearer s3cret").Header.Get("Location")
	if strings.Contains(location, "s3cret") {
		t.Errorf("the token itself is in %q", location)
	}
	unpack(t, get(t, f.Client(), location).body)
}

// An archive that git cannot finish must not look whole.
func TestBrokenArchiveEndsInTheMiddle(t *testing.T) {
	f := fetchtest.New(t, acme)
	bare := filepath.Join(t.TempDir(), "bare.git")
	git(t, f, "", "clone", "--quiet", "--bare", acmeURL, bare)
	packs, err := filepath.Glob(filepath.Join(bare, "objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	pack := read(t, packs[0])
	if err := os.RemoveAll(filepath.Join(bare, "objects/pack")); err != nil {
		t.Fatal(err)
	}
	unpackObjects(t, bare, pack)
	repo := f.Mount("github.com/acme/broken", bare)
	blob := repo.ID("main:skills/pdf/SKILL.md")
	if err := os.Remove(filepath.Join(bare, "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	for version, client := range clients(t, f) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://codeload.github.com/acme/broken/tar.gz/main", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Transport.RoundTrip(r)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
		if err == nil {
			t.Errorf("%s: the archive looks whole", version)
		}
	}
	a := get(t, f.Client(), "https://raw.githubusercontent.com/acme/broken/main/skills/pdf/SKILL.md")
	equal(t, "missing blob", a.StatusCode, 404)
}

func TestRawFiles(t *testing.T) {
	f := fetchtest.New(t, acme)
	id := f.Repo("github.com/acme/skills").ID
	for path, want := range map[string]string{
		"main/skills/pdf/SKILL.md":            "changed\n",
		"HEAD/skills/pdf/SKILL.md":            "changed\n",
		"refs/heads/main/skills/pdf/SKILL.md": "changed\n",
		"v1/skills/pdf/SKILL.md":              "---\nname: pdf\n---\n",
		"refs/tags/v1/skills/pdf/SKILL.md":    "---\nname: pdf\n---\n",
		id("v1") + "/skills/pdf/SKILL.md":     "---\nname: pdf\n---\n",
		"feature/x/only-here.md":              "On the branch.\n",
		"main/with%20blank.md":                "x\n",
		"main/bin":                            "\x00\x01\x02\xff",
		"main/skills/link":                    "pdf/SKILL.md",
	} {
		a := get(t, f.Client(), "https://raw.githubusercontent.com/acme/skills/"+path)
		equal(t, path, a.StatusCode, 200)
		equal(t, path, a.body, want)
		mediaType := "text/plain; charset=utf-8"
		if path == "main/bin" {
			mediaType = "application/octet-stream"
		}
		equal(t, path, a.Header.Get("Content-Type"), mediaType)
	}
	for _, path := range []string{"main/none", "none/bin", "main/skills", "main", "feature/only-here.md", "feature/x/skills/pdf", "v1/bin"} {
		equal(t, path, get(t, f.Client(), "https://raw.githubusercontent.com/acme/skills/"+path).StatusCode, 404)
	}
}
