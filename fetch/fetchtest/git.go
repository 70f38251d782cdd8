package fetchtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"slices"
	"strconv"
	"strings"
)

// maxCommand bounds the body of a git request, in bytes; a million wants are half of it.
const maxCommand = 100 << 20

// gitPath cuts the path of a git request into the name of the repository and the service.
func gitPath(host, path string) (name, service string, ok bool) {
	for _, service := range []string{"/info/refs", "/git-upload-pack", "/git-receive-pack"} {
		if rest, found := strings.CutSuffix(path, service); found && len(rest) > 1 {
			return host + strings.TrimSuffix(rest, ".git"), service, true
		}
	}
	return "", "", false
}

// readCommand notes in the log what a git request asks for. It reads the body of a command whole: one that is too large is answered.
func (f *Forge) readCommand(x *exchange, r *http.Request) bool {
	_, service, ok := gitPath(x.entry.Host, r.URL.Path)
	switch {
	case ok && service == "/info/refs":
		x.change(func(entry *Request) { entry.Command = "info/refs" })
	case ok && r.Method == http.MethodPost:
		body, err := io.ReadAll(http.MaxBytesReader(x, r.Body, maxCommand))
		if err != nil {
			http.Error(x, err.Error(), http.StatusRequestEntityTooLarge)
			return false
		}
		r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil // CGI needs a length
		command, arguments := parseCommand(inflate(r, body))
		x.change(func(entry *Request) { entry.Command, entry.Arguments = command, arguments })
	}
	return true
}

// inflate undoes the compression that git uses for long commands. Damaged ones are left to http-backend.
func inflate(r *http.Request, body []byte) []byte {
	if !strings.HasSuffix(r.Header.Get("Content-Encoding"), "gzip") {
		return body
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	plain, _ := io.ReadAll(io.LimitReader(z, maxCommand))
	return plain
}

// parseCommand reads the packet lines of a command (gitprotocol-v2(5), gitprotocol-pack(5)); without "command=" it is an older version's.
func parseCommand(body []byte) (command string, arguments []string) {
	command = "upload-pack"
	for len(body) >= 4 {
		size, err := strconv.ParseUint(string(body[:4]), 16, 16)
		if err != nil || int(size) > len(body) {
			break
		}
		line := strings.TrimSuffix(string(body[4:max(4, size)]), "\n")
		body = body[max(4, size):]
		switch name, isCommand := strings.CutPrefix(line, "command="); {
		case isCommand && len(arguments) == 0:
			command = name
		case size == 1: // the delimiter: what came before are capabilities
			arguments = nil
		case size > 4:
			arguments = append(arguments, line)
		}
	}
	return command, arguments
}

// serveGit answers a git request through git http-backend.
func (f *Forge) serveGit(x *exchange, r *http.Request, name, service string) {
	if to := f.renamed(name); to != "" {
		moved(x, r, to+".git"+service)
		return
	}
	repo := f.lookup(name)
	switch permit := f.permit(r, repo); {
	case permit == forbidden, permit == hidden && r.Header.Get("Authorization") == "":
		x.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(x, "Invalid username or password.", http.StatusUnauthorized)
	case permit == hidden:
		http.Error(x, "Repository not found.", http.StatusNotFound)
	case service == "/git-receive-pack" || r.URL.Query().Get("service") == "git-receive-pack":
		http.Error(x, "Nothing can be pushed.", http.StatusForbidden)
	default:
		f.serveService(x, r, repo, service)
	}
}

func (f *Forge) serveService(x *exchange, r *http.Request, repo *Repo, service string) {
	settings := repo.Settings()
	version, err := protocol(r, settings)
	if err != nil {
		http.Error(x, err.Error(), http.StatusInternalServerError)
		return
	}
	if version == "version=2" && x.entry.Command == "fetch" {
		id, err := repo.refused(r.Context(), settings.Wants, x.entry.Arguments)
		if err != nil {
			http.Error(x, err.Error(), http.StatusInternalServerError)
			return
		}
		if id != "" {
			x.Header().Set("Content-Type", "application/x-git-upload-pack-result")
			message := "ERR upload-pack: not our ref " + id
			_, _ = fmt.Fprintf(x, "%04x%s", len(message)+4, message)
			return
		}
	}
	backend := &cgi.Handler{Path: f.git, Args: []string{"http-backend"}, Dir: f.dir, Stderr: io.Discard, Logger: quiet(),
		Env: append(f.environ(settings.config()...), "GIT_HTTP_EXPORT_ALL=1", "GIT_PROJECT_ROOT="+repo.dir, "PATH_INFO="+service,
			"GIT_PROTOCOL="+version)}
	backend.ServeHTTP(x, r)
}

// protocol is what the client asked for, unless the repository is set to know less: then it is as if nothing had been asked.
func protocol(r *http.Request, s Settings) (string, error) {
	asked := r.Header.Get("Git-Protocol")
	if s.Protocol == "" {
		return asked, nil
	}
	newest, err := strconv.Atoi(s.Protocol)
	if err != nil {
		return "", fmt.Errorf("protocol %q is not 0, 1 or 2", s.Protocol)
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(asked, "version=")); err != nil || n > newest {
		return "", nil
	}
	return asked, nil
}

// config is the settings as git's configuration (git-config(1), uploadpack.* and uploadpackfilter.*).
func (s Settings) config() []string {
	config := []string{"http.getanyfile", "false",
		"uploadpack.allowFilter", strconv.FormatBool(s.Filter != "none"),
		"uploadpack.allowAnySHA1InWant", strconv.FormatBool(s.Wants == "" || s.Wants == "any"), // false takes the others along
		"uploadpack.allowTipSHA1InWant", strconv.FormatBool(s.Wants != "tips"),
		"uploadpack.allowReachableSHA1InWant", strconv.FormatBool(s.Wants != "tips"),
		"uploadpackfilter.allow", strconv.FormatBool(s.Filter == "all")}
	filters := s.Filter
	if filters == "" {
		filters = "blob:none,tree:0"
	}
	for filter := range list(filters) {
		if depth, ok := strings.CutPrefix(filter, "tree:"); ok {
			config = append(config, "uploadpackfilter.tree.allow", "true", "uploadpackfilter.tree.maxDepth", depth)
		} else if filter != "all" && filter != "none" {
			config = append(config, "uploadpackfilter."+filter+".allow", "true")
		}
	}
	for prefix := range list(s.Hide) {
		config = append(config, "uploadpack.hideRefs", prefix)
	}
	return config
}

// refused returns the first wanted id that the setting does not allow. Version 2 of git's own server takes any object that exists, so
// the forge looks first.
func (r *Repo) refused(ctx context.Context, setting string, arguments []string) (string, error) {
	var allowed func(id, kind string) bool
	switch setting {
	case "", "any":
		return "", nil
	case "commits":
		allowed = func(_, kind string) bool { return kind == "commit" || kind == "tag" }
	case "tips":
		out, err := r.git(ctx, "show-ref", "--head", "--dereference", "--hash").Output()
		if err != nil {
			return "", withStderr(err)
		}
		tips := strings.Fields(string(out))
		allowed = func(id, _ string) bool { return slices.Contains(tips, id) }
	default:
		return "", fmt.Errorf(`wants %q is not "any", "commits" or "tips"`, setting)
	}
	var wanted []string
	for _, line := range arguments {
		if id, ok := strings.CutPrefix(line, "want "); ok {
			wanted = append(wanted, id)
		}
	}
	objects, err := r.objects(ctx, wanted...)
	for i, id := range wanted {
		if err == nil && !allowed(id, objects[i].kind) {
			return id, nil
		}
	}
	return "", err
}

// object is what a name stands for; without a kind it stands for nothing.
type object struct{ id, kind string }

// objects looks names up, all in one process. Names with line ends, which git would cut there, stand for nothing.
func (r *Repo) objects(ctx context.Context, names ...string) ([]object, error) {
	cmd := r.git(ctx, "cat-file", "--batch-check=%(objecttype) %(objectname)")
	var in strings.Builder
	for _, name := range names {
		if strings.ContainsAny(name, "\r\n") {
			name = "^"
		}
		in.WriteString(name + "\n")
	}
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		return nil, withStderr(err)
	}
	objects := make([]object, 0, len(names))
	for line := range strings.Lines(string(out)) { // "KIND ID", or the name and a reason
		var o object
		switch kind, id, _ := strings.Cut(strings.TrimSpace(line), " "); kind {
		case "blob", "tree", "commit", "tag":
			o = object{id, kind}
		}
		objects = append(objects, o)
	}
	if len(objects) != len(names) {
		return nil, fmt.Errorf("git cat-file: %d answers to %d names", len(objects), len(names))
	}
	return objects, nil
}
