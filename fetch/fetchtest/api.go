package fetchtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// quota is what the API grants to requests without a token. Those with a good one are not limited.
type quota struct {
	limit, remaining int
	reset            time.Time
}

// SetQuota sets how many more requests without a token the API answers, and when the quota is said to be whole again. It starts at 60
// and an hour. The time is only told: nothing grows back.
func (f *Forge) SetQuota(remaining int, reset time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.quota.remaining, f.quota.reset = remaining, reset
}

// spend takes one request from the quota and tells what is left of it in the header; false where nothing was.
func (f *Forge) spend(h http.Header, r *http.Request) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	q, granted := f.quota, true
	if f.tokenKnown(tokenOf(r)) {
		q.limit, q.remaining = 5000, 4999
	} else if granted = q.remaining > 0; granted {
		f.quota.remaining--
		q = f.quota
	}
	h.Set("X-RateLimit-Limit", strconv.Itoa(q.limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(q.remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(q.reset.Unix(), 10))
	return granted
}

// serveAPI is api.github.com, as far as the package comment says.
func (f *Forge) serveAPI(x *exchange, r *http.Request) {
	switch {
	case !f.spend(x.Header(), r):
		apiError(x, http.StatusForbidden, "API rate limit exceeded for 127.0.0.1.")
		return
	case f.permit(r, nil) == forbidden:
		apiError(x, http.StatusUnauthorized, "Bad credentials")
		return
	}
	repo, parts := f.open(x, r, "/repos/", func() { apiError(x, http.StatusNotFound, "Not Found") })
	if repo == nil {
		return
	}
	action, rest := strings.Join(parts[:min(1, len(parts))], ""), strings.Join(parts[min(1, len(parts)):], "/")
	var err error
	switch {
	case action == "":
		err = repo.apiRepo(x)
	case action == "commits" && rest != "":
		err = repo.apiCommit(x, r, rest)
	case action == "git" && strings.HasPrefix(rest, "trees/"):
		err = repo.apiTree(x, r, strings.TrimPrefix(rest, "trees/"))
	case action == "releases" && rest == "latest":
		repo.apiRelease(x)
	case action == "tarball" || action == "zipball":
		repo.apiArchive(x, r, action, rest)
	default:
		apiError(x, http.StatusNotFound, "Not Found")
	}
	if err != nil {
		apiError(x, http.StatusInternalServerError, err.Error())
	}
}

func apiError(x *exchange, status int, message string) {
	answerJSON(x, status, map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)})
}

func answerJSON(x *exchange, status int, value any) {
	x.Header().Set("Content-Type", "application/json; charset=utf-8")
	x.WriteHeader(status)
	_ = json.NewEncoder(x).Encode(value)
}

// path is the name without the host.
func (r *Repo) path() string {
	_, path, _ := strings.Cut(r.name, "/")
	return path
}

func (r *Repo) apiRepo(x *exchange) error {
	branch, err := r.head()
	if err != nil {
		return err
	}
	answerJSON(x, http.StatusOK, map[string]any{"name": segments(r.name)[2], "full_name": r.path(), "private": r.Settings().Token != "",
		"default_branch": branch, "html_url": "https://" + r.name, "clone_url": "https://" + r.name + ".git"})
	return nil
}

func (r *Repo) apiCommit(x *exchange, request *http.Request, ref string) error {
	commit, err := r.find(request.Context(), ref, "^{commit}")
	if err != nil {
		return err
	}
	if commit.kind == "" {
		apiError(x, http.StatusUnprocessableEntity, "No commit found for SHA: "+ref)
		return nil
	}
	if request.Header.Get("Accept") == "application/vnd.github.sha" {
		x.Header().Set("Content-Type", "application/vnd.github.sha; charset=utf-8")
		_, _ = x.Write([]byte(commit.id))
		return nil
	}
	out, err := r.git(request.Context(), "log", "-1", "--format=%T%x00%an%x00%ae%x00%aI%x00%B", commit.id).Output()
	if err != nil {
		return withStderr(err)
	}
	fields := strings.SplitN(string(out), "\x00", 5)
	person := map[string]any{"name": fields[1], "email": fields[2], "date": fields[3]}
	answerJSON(x, http.StatusOK, map[string]any{"sha": commit.id, "commit": map[string]any{
		"tree": map[string]any{"sha": fields[0]}, "author": person, "committer": person, "message": strings.TrimSpace(fields[4])}})
	return nil
}

// entry is a line of the listing of a tree.
type entry struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	Type string `json:"type"`
	SHA  string `json:"sha"`
	Size *int64 `json:"size,omitempty"` // of blobs only
}

// apiTree lists a tree that is named by its id, by a ref, or by "ID:path".
func (r *Repo) apiTree(x *exchange, request *http.Request, name string) error {
	ref, path, _ := strings.Cut(name, ":")
	suffix := "^{tree}"
	if path != "" {
		suffix = ":" + path
	}
	tree, err := r.find(request.Context(), ref, suffix)
	if err != nil {
		return err
	}
	if tree.kind != "tree" {
		apiError(x, http.StatusNotFound, "Not Found")
		return nil
	}
	args := []string{"ls-tree", "-z", "--long", tree.id}
	recursive := request.URL.Query().Get("recursive") != "" // any value, "0" as well
	if recursive {
		args = append(args, "-r", "-t")
	}
	out, err := r.git(request.Context(), args...).Output()
	if err != nil {
		return withStderr(err)
	}
	entries := parseEntries(string(out))
	truncated := recursive && r.Settings().Truncated
	if truncated {
		entries = entries[:len(entries)/2]
	}
	answerJSON(x, http.StatusOK, map[string]any{"sha": tree.id, "tree": entries, "truncated": truncated})
	return nil
}

// parseEntries reads lines of git ls-tree -z --long: mode, type, id, size (a dash for what has none), a tab, the path.
func parseEntries(out string) []entry {
	entries := []entry{}
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		facts, path, _ := strings.Cut(line, "\t")
		fields := strings.Fields(facts)
		if len(fields) != 4 {
			continue
		}
		e := entry{Path: path, Mode: fields[0], Type: fields[1], SHA: fields[2]}
		if size, err := strconv.ParseInt(fields[3], 10, 64); err == nil {
			e.Size = &size
		}
		entries = append(entries, e)
	}
	return entries
}

func (r *Repo) apiRelease(x *exchange) {
	tag := r.Settings().Release
	if tag == "" {
		apiError(x, http.StatusNotFound, "Not Found")
		return
	}
	base := "https://api.github.com/repos/" + r.path()
	answerJSON(x, http.StatusOK, map[string]any{"tag_name": tag, "name": tag, "draft": false, "prerelease": false, "assets": []any{},
		"html_url": fmt.Sprintf("https://%s/releases/tag/%s", r.name, tag), "tarball_url": base + "/tarball/" + tag, "zipball_url": base + "/zipball/" + tag})
}

// apiArchive redirects to the archive, with a token in the address where the repository is private.
func (r *Repo) apiArchive(x *exchange, request *http.Request, action, ref string) {
	format := "legacy.tar.gz"
	if action == "zipball" {
		format = "legacy.zip"
	}
	if ref == "" {
		ref = "HEAD"
	}
	location := "https://codeload.github.com/" + r.path() + "/" + format + "/" + ref
	if token := r.Settings().Token; token != "" {
		location += "?token=" + signed(token)
	}
	http.Redirect(x, request, location, http.StatusFound)
}
