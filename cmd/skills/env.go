package main

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"skills/install/agents"
)

// environment is what the program learns from its surroundings. Nothing else reads them.
type environment struct {
	variables map[string]string
	home      string // "" when it is not known
	dir       string // where the program was started, or the directory of -C
	project   string // the project root
}

// variable returns a variable without blanks around it, "" when it is not set.
func (e environment) variable(name string) string { return strings.TrimSpace(e.variables[name]) }

// readEnvironment takes in the variables and finds home and project for a start in dir, "" for the working directory.
func readEnvironment(environ []string, dir string) (environment, error) {
	e := environment{variables: map[string]string{}}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		e.variables[name] = value
	}
	home := "HOME"
	if runtime.GOOS == "windows" {
		home = "USERPROFILE"
	}
	if e.home = e.variable(home); !filepath.IsAbs(e.home) {
		e.home = ""
		if me, err := user.Current(); err == nil && filepath.IsAbs(me.HomeDir) {
			e.home = me.HomeDir
		}
	}
	var err error
	if e.dir, err = filepath.Abs(dir); err != nil {
		return e, err
	}
	if info, err := os.Stat(e.dir); err != nil {
		return e, err
	} else if !info.IsDir() {
		return e, &os.PathError{Op: "start in", Path: dir, Err: os.ErrInvalid}
	}
	e.project = projectRoot(e.dir)
	return e, nil
}

// projectRoot is the nearest parent that holds a manifest or lock, else the nearest that holds .git, else dir itself.
func projectRoot(dir string) string {
	for _, marks := range [][]string{{"skills.toml", "skills.lock"}, {".git"}} {
		for at := dir; ; at = filepath.Dir(at) {
			for _, mark := range marks {
				if exists(filepath.Join(at, mark)) {
					return at
				}
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// cacheDir is the local store.
func (e environment) cacheDir() string {
	if dir := e.variable("SKILLS_CACHE_DIR"); dir != "" {
		return e.absolute(dir)
	}
	return e.base("XDG_CACHE_HOME", "LocalAppData", ".cache")
}

// configFile is the user's configuration.
func (e environment) configFile() string {
	if file := e.variable("SKILLS_CONFIG"); file != "" {
		return e.absolute(file)
	}
	return filepath.Join(e.configDir(), "config.toml")
}

// configDir holds the user's configuration, manifest and lock.
func (e environment) configDir() string { return e.base("XDG_CONFIG_HOME", "AppData", ".config") }

// base is the program's folder in a directory of the XDG specification; relative values are ignored, as it demands.
func (e environment) base(variable, windows, folder string) string {
	if dir := e.variable(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "skills")
	}
	if dir := e.variable(windows); runtime.GOOS == "windows" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "skills")
	}
	return filepath.Join(e.home, folder, "skills")
}

// absolute resolves a file name from a variable or the configuration: "~" is the home, relative names count from dir.
func (e environment) absolute(name string) string {
	if rest, ok := strings.CutPrefix(name, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(e.home, rest)
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(e.dir, name)
}

// agents is what the table of agents may look at.
func (e environment) agents() agents.Environment {
	return agents.Environment{
		Home: e.home, Project: e.project, Exists: exists,
		Getenv: func(name string) string { return e.variables[name] },
		ReadFile: func(path string) ([]byte, error) {
			f, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			return io.ReadAll(io.LimitReader(f, 1<<20))
		},
	}
}

// token finds a credential for a host: a variable of the host's own first, then those of its kind. The names are in the
// documentation of the command line.
func (e environment) token(host string, names ...string) string {
	own := "SKILLS_TOKEN_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(host))
	for _, name := range append([]string{strings.ToUpper(own)}, names...) {
		if token := e.variable(name); token != "" {
			return token
		}
	}
	return ""
}

// proxy names the proxy for a request, as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say, in capitals or not.
func (e environment) proxy() func(*http.Request) (*url.URL, error) {
	either := func(name string) string { return first(e.variable(name), e.variable(strings.ToLower(name))) }
	config := httpproxy.Config{HTTPProxy: either("HTTP_PROXY"), HTTPSProxy: either("HTTPS_PROXY"), NoProxy: either("NO_PROXY")}
	choose := config.ProxyFunc()
	return func(request *http.Request) (*url.URL, error) { return choose(request.URL) }
}
