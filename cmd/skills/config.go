package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

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
	Policy struct{ Allow, Deny []string }
}

// hostConfiguration is one [host."name"] of it.
type hostConfiguration struct {
	Kind         string
	API          string `toml:"api"`
	Raw          string
	Archive      string
	TokenEnv     string `toml:"token_env"`
	AllowPrivate bool   `toml:"allow_private"`
	Connect      string
	CAFile       string `toml:"ca_file"`
}

// readConfiguration reads the file; one that is not there is empty, one that cannot be understood is an error.
func readConfiguration(path string) (configuration, error) {
	var c configuration
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	known, err := toml.NewDecoder(bytes.NewReader(data)).Decode(&c)
	var syntax toml.ParseError
	switch {
	case errors.As(err, &syntax):
		return c, configError(path, fmt.Sprintf("line %d: %s", syntax.Position.Line, syntax.Message))
	case err != nil:
		return c, configError(path, err.Error())
	case len(known.Undecoded()) > 0:
		return c, configError(path, fmt.Sprintf("the key %q is not known", known.Undecoded()[0]))
	case manifest.Policy{Allow: c.Policy.Allow, Deny: c.Policy.Deny}.Check() != nil:
		return c, configError(path, manifest.Policy{Allow: c.Policy.Allow, Deny: c.Policy.Deny}.Check().Error())
	case c.Mode != "" && c.Mode != "link" && c.Mode != "copy":
		return c, configError(path, fmt.Sprintf("mode is %q, expected \"link\" or \"copy\"", c.Mode))
	}
	return c, nil
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
	for name, h := range c.Host {
		row, ok := hosts.Lookup(name)
		if !ok {
			row = source.Host{Name: name, Kind: source.PlainGit, AllowPort: true}
		}
		if h.Kind != "" {
			row.Kind = source.HostKind(h.Kind)
		}
		row.API, row.Raw, row.Archive = first(h.API, row.API), first(h.Raw, row.Raw), first(h.Archive, row.Archive)
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

// settings are the network settings of the configured hosts.
func (c configuration) settings(env environment) (map[string]fetch.HostSettings, error) {
	all := map[string]fetch.HostSettings{}
	for name, h := range c.Host {
		s := fetch.HostSettings{Connect: h.Connect, AllowPrivate: h.AllowPrivate}
		if h.CAFile != "" {
			var err error
			if s.CA, err = os.ReadFile(env.absolute(h.CAFile)); err != nil {
				return nil, err
			}
		}
		all[name] = s
	}
	return all, nil
}

// tokenNames are the variables in which a token for a host may be, in their order. A token is for hosts of its own kind only.
func (c configuration) tokenNames(host source.Host) []string {
	if name := c.Host[host.Name].TokenEnv; name != "" {
		return []string{name}
	}
	public := host.Name == "github.com" || host.Name == "gitlab.com" || host.Name == "bitbucket.org" || host.Name == "codeberg.org" || host.Name == "dev.azure.com"
	if _, configured := c.Host[host.Name]; !public && !configured {
		return nil
	}
	switch host.Kind {
	case source.GitHub:
		return []string{"GITHUB_TOKEN", "GH_TOKEN"}
	case source.GitLab:
		return []string{"GITLAB_TOKEN"}
	case source.Bitbucket, source.BitbucketServer:
		return []string{"BITBUCKET_TOKEN"}
	case source.Azure:
		return []string{"AZURE_DEVOPS_TOKEN"}
	case source.Gitea, source.Gogs:
		return []string{"GITEA_TOKEN"}
	}
	return nil
}
