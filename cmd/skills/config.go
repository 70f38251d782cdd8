package main

import (
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"skills/cmd/internal/ui"
	"skills/fetch"
	"skills/lockfile/manifest"
	"skills/source"
)

// configuration is the user's config.toml.
type configuration struct {
	Agents []string
	Mode   string
	Host   map[string]hostConfiguration
	Limits limits
	NPM    registries `toml:"npm"`
	Policy struct{ Allow, Deny []string }
}

// hostConfiguration is one [host."name"] of it.
type hostConfiguration struct {
	Kind         string
	API          string `toml:"api"`
	Raw          string
	Archive      string
	TokenEnv     string `toml:"token_env"`
	AllowPrivate bool   `toml:"allow_private"` // said or not, what stands here may
	AllowHTTP    bool   `toml:"allow_http"`
	Connect      string
	CAFile       string `toml:"ca_file"`
}

// readConfiguration reads the file. One that is not there is empty, unless it was named; one that cannot be understood is an error.
func readConfiguration(path string, named bool) (configuration, error) {
	var c configuration
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return c, nil
	}
	if err != nil {
		return c, configError(path, "it cannot be read: "+causeOf(err))
	}
	known, err := toml.NewDecoder(bytes.NewReader(data)).Decode(&c)
	if err != nil {
		return c, configError(path, decodeFault(err))
	}
	if fault := c.fault(known); fault != "" {
		return c, configError(path, fault)
	}
	c.Host = lowered(c.Host)
	return c, nil
}

// causeOf is what the system says, without the operation and the path.
func causeOf(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// decodeFault is what the decoder found, in words of a person.
func decodeFault(err error) string {
	var syntax toml.ParseError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("line %d: %s", syntax.Position.Line, syntax.Message)
	}
	found := typePattern.FindStringSubmatch(err.Error())
	if found == nil {
		return strings.TrimPrefix(err.Error(), "toml: ")
	}
	key, unquoted := strconv.Unquote(found[2])
	if unquoted != nil {
		key = found[2]
	}
	want := "a text"
	switch list := strings.HasSuffix(key, "agents") || strings.HasSuffix(key, "allow") || strings.HasSuffix(key, "deny"); {
	case found[3] == "table":
		want = "a table"
	case found[3] == "boolean":
		want = "true or false"
	case found[3] == "integer":
		want = "a number"
	case list:
		want = "a list of texts"
	}
	return fmt.Sprintf("line %s: %s must be %s", found[1], key, want)
}

// typePattern finds line, key and wanted type in what the decoder says of a value of another type.
var typePattern = regexp.MustCompile(`^toml: line (\d+) \(last key (".*")\): .*(?:destination has type|expected) (\w+)`)

// fault is what cannot be meant, "" for nothing.
func (c configuration) fault(known toml.MetaData) string {
	policy := manifest.Policy{Allow: c.Policy.Allow, Deny: c.Policy.Deny}.Check()
	switch {
	case known.Type("host") != "" && known.Type("host") != "Hash": // which the decoder lets pass
		return "host must be a table, such as [host.\"git.corp.example\"]"
	case len(known.Undecoded()) > 0:
		return fmt.Sprintf("the key %q is not known", known.Undecoded()[0])
	case policy != nil:
		return policy.Error()
	case c.Limits.fault(known.IsDefined) != "":
		return c.Limits.fault(known.IsDefined)
	case c.NPM.fault() != "":
		return c.NPM.fault()
	case c.Mode != "" && c.Mode != "link" && c.Mode != "copy":
		return fmt.Sprintf("mode is %q, expected \"link\" or \"copy\"", c.Mode)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Host)) {
		if _, twice := c.Host[strings.ToLower(name)]; twice && name != strings.ToLower(name) {
			return fmt.Sprintf("host %q is there twice", strings.ToLower(name))
		}
		if fault := c.Host[name].fault(name); fault != "" {
			return fault
		}
	}
	return ""
}

// fault is what cannot be meant with a host. Of what may hold a password only the name is told.
func (h hostConfiguration) fault(name string) string {
	kinds := source.DefaultHosts().Kinds()
	switch {
	case name == "" || strings.ContainsAny(name, "/@ "):
		return "the name of a host is like \"git.corp.example\" or \"git.corp.example:8443\", without slash, \"@\" or blank"
	case h.Kind != "" && !slices.Contains(kinds, source.HostKind(h.Kind)):
		return fmt.Sprintf("the kind of host %q is %q, expected one of %s", name, h.Kind, strings.Trim(fmt.Sprint(kinds), "[]"))
	case h.Connect != "" && !hostAndPort(h.Connect):
		return fmt.Sprintf("connect of host %q must be HOST:PORT, such as \"127.0.0.1:8443\"", name)
	}
	for _, base := range [][2]string{{"api", h.API}, {"raw", h.Raw}, {"archive", h.Archive}} {
		if u, err := url.Parse(base[1]); base[1] != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "") {
			return fmt.Sprintf("%s of host %q must be an address that begins with https:// and holds no credentials", base[0], name)
		}
	}
	return ""
}

// hostAndPort tells whether a text is a place to dial.
func hostAndPort(text string) bool {
	host, port, err := net.SplitHostPort(text)
	n, portErr := strconv.ParseUint(port, 10, 16)
	return err == nil && portErr == nil && n > 0 && host != "" && !strings.ContainsAny(host, "/@ ")
}

// lowered brings the names of hosts to their one spelling.
func lowered(hosts map[string]hostConfiguration) map[string]hostConfiguration {
	all := map[string]hostConfiguration{}
	for name, h := range hosts {
		all[strings.ToLower(name)] = h
	}
	return all
}

// configError is what is wrong with the configuration.
func configError(path, reason string) error {
	return &ui.Error{
		Exit: ui.Usage, Word: "invalid_config", Message: fmt.Sprintf("%q: %s", path, reason),
		Advice: []string{"correct the file, or name another one with SKILLS_CONFIG"},
	}
}

// hosts adds the configured hosts to the built-in table. What the configuration leaves open stays as the table has it.
func (c configuration) hosts() source.Hosts {
	hosts := source.DefaultHosts()
	for _, name := range slices.Sorted(maps.Keys(c.Host)) {
		h := c.Host[name]
		row, ok := hosts.Lookup(name)
		if !ok {
			row = source.Host{Name: name, AllowPort: true}
		}
		if h.Kind != "" {
			row.Kind = source.HostKind(h.Kind)
		}
		row.API, row.Raw, row.Archive = first(h.API, row.API), first(h.Raw, row.Raw), first(h.Archive, row.Archive)
		row.AllowHTTP = h.AllowHTTP
		hosts = hosts.With(row)
	}
	return hosts
}

// first is the first text that says something.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// settings are the network settings of the configured hosts. Those that cannot be used are an error for who asks that host.
func (c configuration) settings(env environment) map[string]fetch.HostSettings {
	all := map[string]fetch.HostSettings{}
	for name, h := range c.Host {
		s := fetch.HostSettings{Connect: h.Connect, HTTP: h.AllowHTTP}
		if h.CAFile != "" {
			var err error
			if s.CA, err = readAuthorities(env.absolute(h.CAFile)); err != nil {
				s.Err = configError(env.configFile(), fmt.Sprintf("the ca_file of host %q %v", name, err))
			}
		}
		all[name] = s
	}
	return all
}

// readAuthorities reads certificates. The error says what is the matter with the file.
func readAuthorities(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %q: %s", path, causeOf(err))
	case !x509.NewCertPool().AppendCertsFromPEM(data):
		return nil, fmt.Errorf("holds no certificate in PEM: %q", path)
	}
	return data, nil
}
