package fetchtest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// hexID is a commit id, whole or cut short.
var hexID = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// version is a tag whose "v" GitHub leaves out of the name of an archive's directory.
var version = regexp.MustCompile(`^v[0-9]`)

// revisions are the names that a ref in an address may have in git, best first: a branch goes before a tag of the same name.
func revisions(ref string) []string {
	switch {
	case ref == "" || ref == "HEAD":
		return []string{"HEAD"}
	case strings.HasPrefix(ref, "refs/"):
		return []string{ref}
	case hexID.MatchString(ref):
		return []string{"refs/heads/" + ref, "refs/tags/" + ref, ref}
	}
	return []string{"refs/heads/" + ref, "refs/tags/" + ref}
}

// find looks up a ref of an address with a suffix ("^{commit}", ":path"). Nothing found is an object without a kind.
func (r *Repo) find(ctx context.Context, ref, suffix string) (object, error) {
	names := revisions(ref)
	for i := range names {
		names[i] += suffix
	}
	return r.first(ctx, names)
}

func (r *Repo) first(ctx context.Context, names []string) (object, error) {
	objects, err := r.objects(ctx, names...)
	for _, o := range objects {
		if o.kind != "" {
			return o, err
		}
	}
	return object{}, err
}

// open finds the repository of an address /O/R/… behind a prefix, and the rest of the path. GitHub's other hosts have the repositories of
// github.com. It answers itself where there is none: a redirect for an earlier name, else 404 through missing.
func (f *Forge) open(x *exchange, r *http.Request, prefix string, missing func()) (*Repo, []string) {
	parts := segments(strings.TrimPrefix(r.URL.Path, prefix))
	if !strings.HasPrefix(r.URL.Path, prefix) || len(parts) < 2 {
		missing()
		return nil, nil
	}
	host := x.entry.Host
	if strings.HasSuffix(host, ".github.com") || host == "raw.githubusercontent.com" {
		host = "github.com"
	}
	name := host + "/" + parts[0] + "/" + parts[1]
	if to := f.renamed(name); to != "" {
		_, path, _ := strings.Cut(to, "/")
		moved(x, r, x.entry.Host+prefix+strings.Join(append([]string{path}, parts[2:]...), "/"))
		return nil, nil
	}
	repo := f.lookup(name)
	if f.permit(r, repo) != permitted {
		missing()
		return nil, nil
	}
	return repo, parts[2:]
}

// serveArchive is codeload.github.com: /O/R/FORMAT/REF.
func (f *Forge) serveArchive(x *exchange, r *http.Request) {
	missing := func() { http.Error(x, "404: Not Found", http.StatusNotFound) }
	repo, parts := f.open(x, r, "/", missing)
	if repo == nil {
		return
	}
	if len(parts) < 2 {
		missing()
		return
	}
	ref := strings.Join(parts[1:], "/")
	format, legacy := strings.CutPrefix(parts[0], "legacy.")
	if format != "tar.gz" && format != "zip" {
		missing()
		return
	}
	commit, err := repo.find(r.Context(), ref, "^{commit}")
	switch {
	case err != nil:
		http.Error(x, err.Error(), http.StatusInternalServerError)
	case commit.kind == "":
		missing()
	default:
		repo.serveArchive(x, r, format, repo.archiveName(ref, commit.id, legacy), commit.id)
	}
}

// archiveName is the directory at the top of an archive: R-REF, or O-R-ID for the addresses that the API redirects to.
func (r *Repo) archiveName(ref, commit string, legacy bool) string {
	parts := segments(r.name)
	owner, name := parts[len(parts)-2], parts[len(parts)-1]
	if legacy {
		return owner + "-" + name + "-" + commit[:7]
	}
	ref = strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/tags/")
	if version.MatchString(ref) {
		ref = ref[1:]
	}
	return name + "-" + strings.ReplaceAll(ref, "/", "-")
}

func (r *Repo) serveArchive(x *exchange, request *http.Request, format, name, commit string) {
	etag := `W/"` + commit + `"`
	x.Header().Set("ETag", etag)
	if request.Header.Get("If-None-Match") == etag {
		x.WriteHeader(http.StatusNotModified)
		return
	}
	mediaType := "application/x-gzip"
	if format == "zip" {
		mediaType = "application/zip"
	}
	x.Header().Set("Content-Type", mediaType)
	x.Header().Set("Content-Disposition", "attachment; filename="+name+"."+format)
	if request.Method == http.MethodHead {
		return
	}
	stream(x, r.git(request.Context(), "archive", "--format="+format, "--prefix="+name+"/", commit))
}

// stream passes on what a command writes. One that fails ends the answer in the middle, so that nobody takes it for whole.
func stream(x *exchange, cmd *exec.Cmd) {
	cmd.WaitDelay = time.Second
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		http.Error(x, err.Error(), http.StatusInternalServerError)
		return
	}
	_, copyErr := io.Copy(x, stdout)
	_ = stdout.Close()
	if err := cmd.Wait(); err != nil && copyErr == nil {
		panic(http.ErrAbortHandler)
	}
}

// serveRaw is raw.githubusercontent.com: /O/R/REF/PATH, where the ref may have slashes and the shortest that exists counts.
func (f *Forge) serveRaw(x *exchange, r *http.Request) {
	missing := func() { http.Error(x, "404: Not Found", http.StatusNotFound) }
	repo, parts := f.open(x, r, "/", missing)
	if repo == nil {
		return
	}
	var names []string
	for i := 1; i < len(parts); i++ {
		for _, revision := range revisions(strings.Join(parts[:i], "/")) {
			names = append(names, revision+":"+strings.Join(parts[i:], "/"))
		}
	}
	blob, err := repo.first(r.Context(), names)
	switch {
	case err != nil:
		http.Error(x, err.Error(), http.StatusInternalServerError)
	case blob.kind != "blob":
		missing()
	default:
		repo.serveBlob(x, r, blob)
	}
}

func (r *Repo) serveBlob(x *exchange, request *http.Request, blob object) {
	content, err := r.git(request.Context(), "cat-file", "blob", blob.id).Output()
	if err != nil {
		http.Error(x, withStderr(err).Error(), http.StatusInternalServerError)
		return
	}
	mediaType := "application/octet-stream"
	if utf8.Valid(content) {
		mediaType = "text/plain; charset=utf-8"
	}
	x.Header().Set("Content-Type", mediaType)
	x.Header().Set("ETag", `W/"`+blob.id+`"`)
	x.Header().Set("Content-Length", fmt.Sprint(len(content)))
	_, _ = x.Write(content)
}
