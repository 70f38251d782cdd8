package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"skills/cmd/internal/ui"
	"skills/fetch"
	"skills/install/agents"
)

// environment is what the program learns from its surroundings. Nothing else reads them.
type environment struct {
	variables map[string]string
	all       []string // as the system gives them, for programs that are run
	home      string   // "" when it is not known
	dir       string   // where the program was started, or the directory of -C
	project   string   // the project root
}

// variable returns a variable without blanks around it, "" when it is not set.
func (e environment) variable(name string) string { return strings.TrimSpace(e.variables[name]) }

// readEnvironment takes in the variables and finds home and project for a start in dir, "" for the working directory.
func readEnvironment(environ []string, dir string) (environment, error) {
	e := environment{variables: map[string]string{}, all: environ}
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

// cacheError is why there can be no store, with the variable that leads there. Rights and room are told as everywhere.
func (e environment) cacheError(err error) error {
	if diskHint(err) != "" {
		return err
	}
	for _, name := range []string{"SKILLS_CACHE_DIR", "XDG_CACHE_HOME"} {
		if value := e.variable(name); value != "" && (name == "SKILLS_CACHE_DIR" || filepath.IsAbs(value)) {
			return variableError(name, fmt.Sprintf("leads to %q, where no store can be made: %s", value, causeOf(err)))
		}
	}
	return fmt.Errorf("no store can be made in %q: %w", e.cacheDir(), err)
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
		Getenv:   func(name string) string { return e.variables[name] },
		ReadFile: readFile,
	}
}

// readFile reads a file, but no more than a megabyte of it.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<20))
}

// token finds a token for a host, and in which variable it is: one of the host's own, then those that are named.
func (e environment) token(host string, known bool, names ...string) (name, token string) {
	for _, name := range append(ownTokens(host, known), names...) {
		if token := e.variable(name); token != "" {
			return name, token
		}
	}
	return "", ""
}

// ownTokens are the variables for the token of one host, with its port and without: "." and ":" are "_", "-" is "__". No two hosts have
// the same, so that a stranger's gets nothing by its name; what does not look like a host has none. Hosts that are known, by the table or the
// configuration, have a plain one besides, with "_" for every sign.
func ownTokens(host string, known bool) []string {
	spellings := []string{host}
	if bare, _, err := net.SplitHostPort(host); err == nil {
		spellings = append(spellings, bare)
	}
	var names, plain []string
	for _, spelling := range spellings {
		if hostPattern.MatchString(spelling) {
			names = append(names, tokenVariable(strings.ReplaceAll(spelling, "-", "__")))
		}
		plain = append(plain, tokenVariable(spelling))
	}
	if known {
		names = append(names, plain...)
	}
	return names
}

// hostPattern is what a variable can stand for: labels with "-" inside only, the last one with a letter, or an address of IPv4; a port.
var hostPattern = regexp.MustCompile(`(?i)^(([a-z0-9]+(-+[a-z0-9]+)*\.)*([0-9]+-+)*[0-9]*[a-z][a-z0-9]*(-+[a-z0-9]+)*|([0-9]+\.){3}[0-9]+)(:[0-9]+)?$`)

// tokenVariable writes a text as the name of a variable, with "_" for what cannot stand there.
func tokenVariable(text string) string {
	return "SKILLS_TOKEN_" + strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(text))
}

// netrc is the file with credentials by host, and its name for messages: that of NETRC, or the usual one in the home.
func (e environment) netrc() (name, path string) {
	if file := e.variable("NETRC"); file != "" {
		return file, e.absolute(file)
	}
	name = ".netrc"
	if runtime.GOOS == "windows" && exists(filepath.Join(e.home, "_netrc")) {
		name = "_netrc"
	}
	return "~/" + name, filepath.Join(e.home, name)
}

// proxy names the proxy for a request, as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say, in capitals or not. A value that cannot be meant is an
// error which does not repeat it, for it may hold a password; ignoring it would go past the proxy.
func (e environment) proxy() (func(*http.Request) (*url.URL, error), error) {
	either := func(name string) string { return first(e.variable(name), e.variable(strings.ToLower(name))) }
	config := httpproxy.Config{HTTPProxy: either("HTTP_PROXY"), HTTPSProxy: either("HTTPS_PROXY"), NoProxy: either("NO_PROXY")}
	if value := config.HTTPSProxy; value != "" && !isProxy(value) {
		return nil, variableError("HTTPS_PROXY", "is no address of a proxy, such as http://proxy.corp.example:3128")
	}
	choose := config.ProxyFunc()
	return func(request *http.Request) (*url.URL, error) { return choose(request.URL) }, nil
}

// isProxy tells addresses of proxies that can be used. One without a scheme is http's.
func isProxy(text string) bool {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	return err == nil && u.Hostname() != "" && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme)
}

// authorities are the certificates of SSL_CERT_FILE for systems where Go's own reader of certificates does not know the variable, else nil. A
// file that is not there is an error everywhere.
func (e environment) authorities() (pem []byte, err error) {
	file := e.variable("SSL_CERT_FILE")
	if file == "" {
		return nil, nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		pem, err = readAuthorities(e.absolute(file))
	} else if _, missing := os.Stat(file); missing != nil {
		err = fmt.Errorf("cannot be read: %q: %s", file, causeOf(missing))
	}
	if err != nil {
		return nil, variableError("SSL_CERT_FILE", err.Error())
	}
	return pem, nil
}

// variableError is what is wrong with a variable.
func variableError(name, reason string) error {
	return &ui.Error{Exit: ui.Usage, Word: "invalid_config", Message: name + " " + reason, Advice: []string{"correct the variable, or unset it"}}
}

// ssh is how git's variables say that ssh is to be run (git(1)); what its configuration says is asked when ssh is needed.
func (e environment) ssh() fetch.SSH {
	program := e.variable("GIT_SSH")
	if found, err := exec.LookPath("ssh"); program == "" && err == nil {
		program = found
	}
	return fetch.SSH{Program: program, Command: e.variable("GIT_SSH_COMMAND"), Variant: e.variable("GIT_SSH_VARIANT")}
}
