package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"skills/catalog"
	"skills/cmd/internal/ui"
	"skills/cmd/skills/builtin"
	"skills/fetch"
	"skills/fetch/credential"
	"skills/install"
	"skills/install/agents"
	"skills/lockfile/manifest"
	"skills/source"
)

// session is what a command works with. The parts that cost something are made when they are needed.
type session struct {
	terminal *ui.Terminal
	env      environment
	config   configuration
	hosts    source.Hosts
	scope    agents.Scope
	offline  bool
	progress *activity

	credential credential.Source // one for all clients, so that no program is run twice
	clients    []*fetch.Client   // those that were made
}

// openSession reads environment and configuration.
func openSession(c *cli.Context, environ []string) (*session, error) {
	s := &session{}
	s.terminal, _ = c.App.Metadata["terminal"].(*ui.Terminal)
	s.progress = &activity{terminal: s.terminal}
	var err error
	if s.env, err = readEnvironment(environ, c.String("C")); err != nil {
		return nil, ui.UsageError("%v", err)
	}
	if c.Bool("global") {
		s.scope = agents.UserScope
	}
	if err := s.checkHome(); err != nil {
		return nil, err
	}
	s.offline = c.Bool("offline") || s.env.variable("SKILLS_OFFLINE") != ""
	if s.config, err = readConfiguration(s.env.configFile(), s.env.variable("SKILLS_CONFIG") != ""); err != nil {
		return nil, err
	}
	s.hosts = s.config.hosts()
	s.credential = s.credentials()
	return s, nil
}

// checkHome refuses to work where the home is missing or meant in the wrong scope.
func (s *session) checkHome() error {
	if s.env.home == "" && (s.scope == agents.UserScope || s.env.variable("SKILLS_CACHE_DIR") == "" && s.env.variable("XDG_CACHE_HOME") == "") {
		err := ui.UsageError("the home directory is not known")
		err.Advice = []string{"set HOME, or SKILLS_CACHE_DIR to a directory for what is fetched"}
		return err
	}
	if s.scope == agents.ProjectScope && s.env.project == s.env.home {
		err := ui.UsageError("%q is your home directory, not a project", s.env.home)
		err.Advice = []string{"for your own skills add -g; for a project go to its directory or name it with -C"}
		return err
	}
	return nil
}

// close ends what the session shows and what its clients run.
func (s *session) close() error {
	s.progress.Done()
	for _, client := range s.clients {
		client.CloseIdle()
	}
	return nil
}

// agents is the table of agents with the user's own rows.
func (s *session) agents() (*agents.Table, error) {
	table := agents.Default()
	file := filepath.Join(s.env.configDir(), "agents.toml")
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return table, nil
	}
	if err != nil {
		return nil, err
	}
	return table.Override(data, file)
}

// root is the directory of the scope.
func (s *session) root() string { return s.rootOf(s.scope) }

func (s *session) rootOf(scope agents.Scope) string {
	if scope == agents.UserScope {
		return s.env.home
	}
	return s.env.project
}

// client makes the fetch client.
func (s *session) client() (*fetch.Client, error) {
	store, err := fetch.OpenStore(s.env.cacheDir())
	if err != nil {
		return nil, s.env.cacheError(err)
	}
	proxy, err := s.env.proxy()
	if err != nil {
		return nil, err
	}
	authorities, err := s.env.authorities()
	if err != nil {
		return nil, err
	}
	git, err := exec.LookPath("git")
	if err != nil {
		git = ""
	}
	client, err := fetch.New(fetch.Config{
		Hosts: s.hosts, Store: store, Settings: s.config.settings(s.env), Credential: s.credential, Builtin: builtin.FS(), References: catalog.Mentions,
		Home: s.env.home, Dir: s.root(), Offline: s.offline, Event: s.request,
		Git: git, SSH: s.env.ssh(), Proxy: proxy, CA: authorities, Limits: s.config.Limits.bounds(), Time: time.Duration(s.config.Limits.Time),
		Registries: s.config.NPM.byScope(),
	})
	if err == nil {
		s.clients = append(s.clients, client)
	}
	return client, err
}

// request shows that something is fetched, and each request with -v.
func (s *session) request(e fetch.Event) {
	s.progress.request(e)
	if e.Done {
		answer := fmt.Sprint(e.Status)
		if strings.HasPrefix(e.Method, "ssh ") { // which knows no status
			answer = map[bool]string{true: "done", false: "failed"}[e.Err == nil]
		}
		s.terminal.Detail("%s %s%s: %s, %d bytes up, %d down, %d ms", e.Method, e.Host, e.Path, answer, e.Up, e.Down, e.Took.Milliseconds())
	}
}

// activity is the line that shows a person what goes on: what is fetched, then how much is in place.
type activity struct {
	terminal *ui.Terminal

	mutex                sync.Mutex
	running              []string // what is fetched now, the oldest first
	fetching, installing *ui.Progress
}

// request takes in the start or the end of a request. Several run at once: the oldest is named.
func (a *activity) request(e fetch.Event) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.fetching == nil {
		a.fetching = a.terminal.Progress("", 0, ui.Things)
	}
	name := e.Host + e.Path
	for _, suffix := range []string{"/info/refs", "/git-upload-pack", ".git"} {
		name = strings.TrimSuffix(name, suffix)
	}
	if i := slices.Index(a.running, name); !e.Done {
		a.running = append(a.running, name)
	} else if i >= 0 {
		a.running = slices.Delete(a.running, i, i+1)
	}
	if len(a.running) == 0 {
		a.fetching.Label("")
		return
	}
	a.fetching.Label("fetching " + a.running[0])
}

// installed takes in that one more of so many is in place.
func (a *activity) installed(total int) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.installing == nil && total > 1 {
		a.installing = a.terminal.Progress("installing", int64(total), ui.Things)
	}
	a.installing.Add(1)
}

// Done ends the line; what is fetched afterwards begins a new one.
func (a *activity) Done() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.fetching.Done()
	a.installing.Done()
	a.fetching, a.installing = nil, nil
}

// hinted says what to do next where the packages below cannot know it: which variable would open what a host did not show, and what
// the trouble of this machine's disk comes from.
func (s *session) hinted(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok && err.Error() == errors.Join(several.Unwrap()...).Error() {
		var parts []error
		for _, part := range several.Unwrap() {
			parts = append(parts, s.hinted(part))
		}
		return errors.Join(parts...)
	}
	if hint := diskHint(err); hint != "" {
		return &hinted{err, []string{hint}}
	}
	if hint := s.tokenHint(err); hint != "" {
		return &hinted{err, append(hintsOf(err), hint)}
	}
	return err
}

// hintsOf are the hints that an error has.
func hintsOf(err error) []string {
	var has interface{ Hints() []string }
	if errors.As(err, &has) {
		return has.Hints()
	}
	return nil
}

// diskHint is what to do about an error of the disk, "" for others.
func diskHint(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "you may not write there: check the rights of the directory, or use another one (-C DIR, SKILLS_CACHE_DIR for the store); nothing was changed"
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full: make room and run the command again; nothing was changed"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only; nothing was changed"
	}
	return ""
}

// hinted is an error with more to say on what to do next.
type hinted struct {
	error
	hints []string
}

// Unwrap gives the error itself.
func (h *hinted) Unwrap() error { return h.error }

// Hints gives the hints.
func (h *hinted) Hints() []string { return h.hints }

// engine makes the engine of the session's scope, with a client when sources are to be fetched.
func (s *session) engine(online bool) (*install.Engine, error) { return s.engineOf(s.scope, online) }

// recordDir holds manifest and lock of a scope.
func (s *session) recordDir(scope agents.Scope) string {
	if scope == agents.UserScope {
		return s.env.configDir()
	}
	return s.env.project
}

func (s *session) engineOf(scope agents.Scope, online bool) (*install.Engine, error) {
	table, err := s.agents()
	if err != nil {
		return nil, err
	}
	dir := s.recordDir(scope)
	config := install.Config{
		Agents: table, Environment: s.env.agents(), Hosts: s.hosts, Scope: scope, Cache: s.env.cacheDir(), Default: s.config.Agents,
		Manifest: filepath.Join(dir, "skills.toml"), Lock: filepath.Join(dir, "skills.lock"),
		Policy: manifest.Policy{Allow: s.config.Policy.Allow, Deny: s.config.Policy.Deny},
		Mode:   install.Mode(s.config.Mode), Event: s.event, Registries: s.config.NPM.byScope(),
	}
	if online {
		client, err := s.client()
		if err != nil {
			return nil, err
		}
		config.Fetcher = install.FromClient(client)
	}
	return install.New(config)
}

// event tells what the engine does.
func (s *session) event(e install.Event) {
	switch e.Kind {
	case "installed":
		s.progress.installed(e.Total)
		s.terminal.Detail("staged %s", e.Name)
	case "waiting", "recovered", "backup", "warning":
		s.terminal.Warn("%s", e.Message)
	case "file":
		s.terminal.Detail("%s", e.Message)
	default:
		s.terminal.Step("%s", withHint(e.Message, e.Hint))
	}
}

// locator parses a source text. Local directories count from where the program was started, records count from the root.
func (s *session) locator(text string) (source.Locator, error) {
	l, err := source.Parse(text, s.hosts)
	return s.rebased(l, s.env.dir), err
}

// rebased makes a local source that counts from a directory count from the root.
func (s *session) rebased(l source.Locator, dir string) source.Locator {
	local := l.URL == "" && (l.Kind == source.Local || l.Kind == source.Archive)
	if !local || l.Path == "~" || len(l.Path) > 1 && l.Path[:2] == "~/" {
		return l
	}
	file := filepath.FromSlash(l.Path)
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	l.Path = relativePath(s.root(), file)
	return l
}

// relativePath writes an absolute path as a source text relative to a root; on another drive it stays absolute.
func relativePath(root, path string) string {
	relative, err := filepath.Rel(root, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	relative = filepath.ToSlash(relative)
	if relative == "." || relative == ".." || len(relative) > 2 && relative[:3] == "../" {
		return relative
	}
	return "./" + relative
}
