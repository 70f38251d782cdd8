package fetchtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// page is one address of a site.
type page struct {
	body      []byte
	mediaType string
	status    int // of a redirect
	location  string
	token     string // without it the page is refused; "" for none
}

// AddSite serves the files of a directory at a host, "index.html" for the directory that holds it. Media types come from the names.
func (f *Forge) AddSite(host string, fsys fs.FS) {
	host = strings.ToLower(host)
	f.site(host)
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(fsys, name)
		f.addPage(host, name, page{body: body})
		return err
	})
	if err != nil {
		f.fail(fmt.Errorf("site %q: %w", host, err))
	}
}

func (f *Forge) site(host string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sites[host] == nil {
		f.sites[host] = map[string]page{}
		f.meet(host)
	}
}

func (f *Forge) addPage(host, name string, p page) {
	if p.mediaType == "" {
		p.mediaType = mediaType(name)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sites[host]["/"+strings.TrimPrefix(name, "/")] = p
}

// mediaType goes by the name; the table of the machine has no say.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".md", ".markdown":
		return "text/markdown; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".json":
		return "application/json"
	case ".gz", ".tgz":
		return "application/gzip"
	case ".zip", ".skill":
		return "application/zip"
	case ".txt", ".sh", ".py", ".js", ".yaml", ".yml", ".toml":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// findPage returns the page of a path; known is false where the host is no site.
func (f *Forge) findPage(host, path string) (p page, found, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	site, known := f.sites[host]
	if p, found = site[path]; !found {
		p, found = site[strings.TrimSuffix(path, "/")+"/index.html"]
	}
	return p, found, known
}

// route picks who answers. Pages of sites go first, so that any answer can be replaced.
func (f *Forge) route(x *exchange, r *http.Request) {
	host, path := x.entry.Host, r.URL.Path
	p, found, known := f.findPage(host, path)
	if found {
		servePage(x, r, p)
		return
	}
	if name, service, ok := gitPath(host, path); ok {
		f.serveGit(x, r, name, service)
		return
	}
	switch {
	case host == "api.github.com":
		f.serveAPI(x, r)
	case host == "codeload.github.com":
		f.serveArchive(x, r)
	case host == "raw.githubusercontent.com":
		f.serveRaw(x, r)
	case known && host != "github.com":
		http.NotFound(x, r)
	default:
		f.serveWeb(x, r)
	}
}

func servePage(x *exchange, r *http.Request, p page) {
	if p.token != "" && tokenOf(r) != p.token {
		http.Error(x, "who are you?", http.StatusUnauthorized)
		return
	}
	if p.location != "" {
		http.Redirect(x, r, p.location, p.status)
		return
	}
	x.Header().Set("Content-Type", p.mediaType)
	x.Header().Set("Content-Length", fmt.Sprint(len(p.body)))
	_, _ = x.Write(p.body)
}

// serveWeb gives the pages of a host for people: enough HTML to be no file, and the redirects to the other hosts of GitHub.
func (f *Forge) serveWeb(x *exchange, r *http.Request) {
	repo, parts := f.open(x, r, "/", func() { http.NotFound(x, r) })
	if repo == nil {
		return
	}
	var kind, ref string
	if x.entry.Host == "github.com" && len(parts) > 1 {
		kind, ref = parts[0], strings.Join(parts[1:], "/")
	}
	switch kind {
	case "archive":
		format, bare := "tar.gz", strings.TrimSuffix(ref, ".tar.gz")
		if zip, ok := strings.CutSuffix(ref, ".zip"); ok {
			format, bare = "zip", zip
		}
		http.Redirect(x, r, "https://codeload.github.com/"+repo.path()+"/"+format+"/"+bare, http.StatusFound)
	case "raw":
		http.Redirect(x, r, "https://raw.githubusercontent.com/"+repo.path()+"/"+ref, http.StatusFound)
	default:
		x.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(x, "<!DOCTYPE html>\n<title>%s</title>\n", html.EscapeString(repo.name))
	}
}

func segments(path string) []string {
	return strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
}

// renamed is the present name of a repository for one of its earlier ones, unless that has been taken again.
func (f *Forge) renamed(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.repos[key(name)] != nil {
		return ""
	}
	return f.formerly[key(name)]
}

// moved redirects for ever to an address without its scheme; the query stays.
func moved(x *exchange, r *http.Request, address string) {
	if r.URL.RawQuery != "" {
		address += "?" + r.URL.RawQuery
	}
	http.Redirect(x, r, "https://"+address, http.StatusMovedPermanently)
}

// permission is what a request may see of a repository.
type permission int

const (
	permitted permission = iota
	hidden               // it is not there for this request: unknown, or private and the token is another
	forbidden            // the token opens nothing
)

func (f *Forge) permit(r *http.Request, repo *Repo) permission {
	token := tokenOf(r)
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Header.Get("Authorization") != "" && !f.tokenKnown(token) {
		return forbidden
	}
	if repo == nil || repo.settings.Token != "" && token != repo.settings.Token && r.URL.Query().Get("token") != signed(repo.settings.Token) {
		return hidden
	}
	return permitted
}

func (f *Forge) tokenKnown(token string) bool {
	for _, repo := range f.repos {
		if token != "" && token == repo.settings.Token {
			return true
		}
	}
	return false
}

// tokenOf takes a token as git sends it (Basic, the password) or as the API is sent it (Bearer, or the older "token").
func tokenOf(r *http.Request) string {
	if user, password, ok := r.BasicAuth(); ok {
		if password == "" || password == "x-oauth-basic" {
			return user
		}
		return password
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "token") {
		return strings.TrimSpace(token)
	}
	return ""
}

// signed stands for a token in an address that the API redirects to, where no header goes along.
func signed(token string) string {
	sum := sha256.Sum256([]byte(token))
	return strings.ToUpper(hex.EncodeToString(sum[:12]))
}
