package source

import (
	"cmp"
	"slices"
	"strings"
)

// HostKind is the family of a host: it decides how pages, files and archives are addressed. A table may hold "gist" too, and ""
// for a host that is only known by its name.
type HostKind string

// The kinds of hosts.
const (
	GitHub          HostKind = "github"
	GitLab          HostKind = "gitlab"
	Bitbucket       HostKind = "bitbucket"
	BitbucketServer HostKind = "bitbucket-server"
	Gitea           HostKind = "gitea" // Forgejo and Codeberg too
	Gogs            HostKind = "gogs"
	SourceHut       HostKind = "sourcehut"
	Azure           HostKind = "azure"
	HuggingFace     HostKind = "huggingface"
	PlainGit        HostKind = "git" // serves git and nothing else that is known

	gist      HostKind = "gist"
	cloneOnly HostKind = "clone" // no row has it: the text says that it is an address to clone
)

// Host is a row of the table of hosts.
type Host struct {
	Name      string   // "github.com"; "git.corp.example:8443" when only that port is meant
	Kind      HostKind // decides how texts with this host are read
	Aliases   []string // other names that texts may have for it; [Hosts.Exact] does not find it by them
	AllowPort bool     // a text may name any port
	AllowHTTP bool     // a text may say http://; its locator is that of https://, for how a host is reached is no part of what it is
	API       string   // base of the API, "" = the place that is usual for the kind
	Raw       string   // base of raw files (github only), likewise
	Archive   string   // base of archives (github only), likewise

	viewers []string // more names for texts, of whoever shows the pages; they have no repositories
}

// Hosts is the table of hosts: the built-in rows and those that were added. The zero value holds the built-in rows. It is
// never changed in place.
type Hosts struct {
	own  []Host
	bare []Host // own rows without a kind: all other rows count before them
}

// DefaultHosts gives the built-in table.
func DefaultHosts() Hosts { return Hosts{} }

// Kinds gives the kinds that a row can have, sorted.
func (h Hosts) Kinds() []HostKind {
	return []HostKind{Azure, Bitbucket, BitbucketServer, gist, PlainGit, Gitea, GitHub, GitLab, Gogs, HuggingFace, SourceHut}
}

// With gives a table that holds the host too; it wins over a row of the same name. A host without a kind keeps what the table
// says of its name, or of the host that it serves files for; where that is nothing it is what any other host is, but known.
func (h Hosts) With(host Host) Hosts {
	host.Name = strings.ToLower(host.Name)
	for _, base := range []*string{&host.API, &host.Raw, &host.Archive} {
		*base = strings.TrimRight(*base, "/")
	}
	if host.Kind == "" {
		h.bare = append([]Host{host}, h.bare...)
	} else {
		h.own = append([]Host{host}, h.own...)
	}
	return h
}

// Lookup finds the row of a host by its name (with the port, if one is written) or by an alias, without regard to case and
// "www.". The row's Name is the host's own; where a row stands for many hosts or ports, the one that was asked for.
func (h Hosts) Lookup(name string) (Host, bool) {
	name = strings.ToLower(name)
	rows := h.rows()
	for _, spelling := range []string{name, strings.TrimPrefix(name, "www.")} {
		if row, ok := find(rows, spelling); ok {
			return row, true
		}
	}
	return find(h.bare, name)
}

// Exact finds the row of a host by its own name alone, without regard to case. What a host is trusted with goes by it: an alias may be
// another's host, which shows the same pages.
func (h Hosts) Exact(name string) (Host, bool) {
	name = strings.ToLower(name)
	for _, row := range append(h.rows(), h.bare...) {
		if found, ok := row.match(name); ok && found.Name == name {
			return found, true
		}
	}
	return Host{}, false
}

// rows gives the rows that have a kind, the own ones first.
func (h Hosts) rows() []Host { return slices.Concat(h.own, builtin()) }

// find looks for a name as it stands.
func find(rows []Host, name string) (Host, bool) {
	for _, row := range rows {
		if found, ok := row.match(name); ok {
			return found, true
		}
	}
	return Host{}, false
}

// match tells whether a name is the row's.
func (h Host) match(name string) (Host, bool) {
	if name == h.Name || h.isViewer(name) || slices.ContainsFunc(h.Aliases, func(alias string) bool { return strings.EqualFold(alias, name) }) {
		return h, true
	}
	if bare, port, ok := strings.Cut(name, ":"); ok && h.AllowPort && bare == h.Name && port != "" {
		h.Name = name
		return h, true
	}
	label, domain, _ := strings.Cut(name, ".")
	if h.Name == "*."+domain && label != "" {
		h.Name = name
		return h, true
	}
	return Host{}, false
}

// isViewer tells the names that have no repositories.
func (h Host) isViewer(name string) bool { return slices.Contains(h.viewers, name) }

// builtin gives the rows that everybody has. A name "*.d" stands for every host one label below d.
func builtin() []Host {
	return []Host{
		{Name: "github.com", Kind: GitHub, Aliases: []string{"ssh.github.com"}, viewers: []string{"github.dev", "github1s.com"},
			API: "https://api.github.com", Raw: "https://raw.githubusercontent.com", Archive: "https://codeload.github.com"},
		{Name: "*.ghe.com", Kind: GitHub}, // data residency: one host a tenant
		{Name: "gist.github.com", Kind: gist},
		{Name: "gitlab.com", Kind: GitLab, Aliases: []string{"altssh.gitlab.com"}},
		{Name: "bitbucket.org", Kind: Bitbucket, Aliases: []string{"altssh.bitbucket.org"}, API: "https://api.bitbucket.org/2.0"},
		{Name: "codeberg.org", Kind: Gitea},
		{Name: "gitea.com", Kind: Gitea},
		{Name: "git.sr.ht", Kind: SourceHut},
		{Name: "dev.azure.com", Kind: Azure, Aliases: []string{"ssh.dev.azure.com", "vs-ssh.visualstudio.com"}},
		{Name: "*.visualstudio.com", Kind: Azure}, // the old names of dev.azure.com
		{Name: "huggingface.co", Kind: HuggingFace, Aliases: []string{"hf.co"}},
	}
}

// service finds the row that a name belongs to and which of the host's services it is: "" for the host itself, "raw",
// "media", "codeload" or "api".
func (h Hosts) service(name string) (Host, string, bool) {
	switch name {
	case "media.githubusercontent.com":
		name = "media.github.com"
	case "gist.githubusercontent.com":
		name = "gist.github.com"
	}
	itself, known := h.Lookup(name)
	if itself.Kind != "" {
		return itself, "", true
	}
	for _, row := range h.rows() {
		for service, base := range map[string]string{"raw": row.Raw, "codeload": row.Archive, "api": row.API} {
			if base != "" && bareHost(base) == name {
				return row, service, true
			}
		}
	}
	service, rest, _ := strings.Cut(name, ".")
	row, ok := h.Lookup(rest)
	if ok && row.Kind == GitHub && slices.Contains([]string{"raw", "media", "codeload", "api"}, service) {
		return row, service, true
	}
	return itself, "", known
}

// bareHost gives the host of a base address.
func bareHost(base string) string {
	_, rest, _ := strings.Cut(base, "://")
	host, _, _ := strings.Cut(rest, "/")
	return strings.ToLower(host)
}

// root is the address of the host.
func (h Host) root() string { return "https://" + h.Name }

// cloneURL gives the address that git asks for a repository. Hosts that answer with and without ".git" are asked with it:
// such an address is known for git by its form, on every machine.
func (h Host) cloneURL(owner, repo string) string {
	parts := append(strings.Split(owner, "/"), repo)
	switch h.Kind {
	case BitbucketServer:
		return h.root() + "/scm/" + escape(parts...) + ".git"
	case Azure:
		return h.root() + "/" + escapePath(owner) + "/_git/" + escape(repo)
	case gist:
		return h.root() + "/" + escape(repo) + ".git"
	case SourceHut, HuggingFace:
		return h.root() + "/" + escape(parts...)
	}
	return h.root() + "/" + escape(parts...) + ".git"
}

// base gives the address of a repository's pages.
func (h Host) base(l Locator) string {
	switch {
	case h.Kind == HuggingFace && huggingFaceType(l) != "models":
		return h.root() + "/" + huggingFaceType(l) + "/" + escape(l.Owner, l.Repo)
	case h.Kind == Azure:
		return h.cloneURL(l.Owner, l.Repo)
	}
	return strings.TrimSuffix(h.cloneURL(l.Owner, l.Repo), ".git")
}

// RawURL gives the address of one file of a repository at a ref, "" where the kind has none. A query in it belongs to it.
func (h Host) RawURL(l Locator, ref, path string) string {
	base, file := h.base(l), escapePath(path)
	switch h.Kind {
	case GitHub:
		return cmp.Or(h.Raw, h.githubService("raw")) + "/" + escape(l.Owner, l.Repo) + "/" + escapePath(ref) + "/" + file
	case GitLab:
		return base + "/-/raw/" + escapePath(ref) + "/" + file
	case Bitbucket, Gogs:
		return base + "/raw/" + escapePath(ref) + "/" + file
	case BitbucketServer:
		return h.root() + h.serverProject(l) + "/raw/" + file + "?at=" + escape(ref)
	case Gitea:
		return base + "/raw/" + giteaRef(l, ref) + "/" + file
	case SourceHut:
		return base + "/blob/" + escapePath(ref) + "/" + file
	case HuggingFace:
		return base + "/resolve/" + escape(ref) + "/" + file
	}
	return ""
}

// githubService gives the usual base of a service: below the domain of a tenant of ghe.com, below the path of a server.
func (h Host) githubService(service string) string {
	switch {
	case strings.HasSuffix(h.Name, ".ghe.com"):
		return "https://" + service + "." + h.Name
	case service == "api":
		return h.root() + "/api/v3"
	}
	return h.root() + "/" + service
}

// serverProject gives the path of a repository's pages on Bitbucket Server: users' own repositories stand apart.
func (h Host) serverProject(l Locator) string {
	if user, ok := strings.CutPrefix(l.Owner, "~"); ok {
		return "/users/" + escape(user) + "/repos/" + escape(l.Repo)
	}
	return "/projects/" + escape(l.Owner) + "/repos/" + escape(l.Repo)
}

// giteaRef gives a ref with the word that Gitea wants before it, as far as it is known.
func giteaRef(l Locator, ref string) string {
	switch {
	case commitPattern.MatchString(ref):
		return "commit/" + ref
	case l.RefKind != AnyRef:
		return string(l.RefKind) + "/" + escapePath(ref)
	}
	return escapePath(ref)
}

// ArchiveURL gives the address of the gzipped tar of a whole repository at a ref, "" where the kind has none.
func (h Host) ArchiveURL(l Locator, ref string) string {
	base := h.base(l)
	switch h.Kind {
	case GitHub:
		if h.Archive != "" {
			return h.Archive + "/" + escape(l.Owner, l.Repo) + "/tar.gz/" + escapePath(ref)
		}
		return h.APIURL(l) + "/tarball/" + escapePath(ref)
	case GitLab:
		return base + "/-/archive/" + escapePath(ref) + "/" + escape(l.Repo) + ".tar.gz"
	case Bitbucket:
		return base + "/get/" + escapePath(ref) + ".tar.gz"
	case BitbucketServer:
		return h.root() + "/rest/api/latest/projects/" + escape(l.Owner) + "/repos/" + escape(l.Repo) + "/archive?at=" + escape(ref) + "&format=tgz"
	case Gitea, Gogs, SourceHut:
		return base + "/archive/" + escapePath(ref) + ".tar.gz"
	}
	return ""
}

// APIURL gives the base of the API of a repository, "" where the kind has none.
func (h Host) APIURL(l Locator) string {
	switch h.Kind {
	case GitHub:
		return cmp.Or(h.API, h.githubService("api")) + "/repos/" + escape(l.Owner, l.Repo)
	case GitLab:
		return cmp.Or(h.API, h.root()+"/api/v4") + "/projects/" + escape(l.Owner+"/"+l.Repo)
	case Bitbucket:
		return cmp.Or(h.API, h.root()+"/2.0") + "/repositories/" + escape(l.Owner, l.Repo)
	case BitbucketServer:
		return cmp.Or(h.API, h.root()+"/rest/api/latest") + "/projects/" + escape(l.Owner) + "/repos/" + escape(l.Repo)
	case Gitea, Gogs:
		return cmp.Or(h.API, h.root()+"/api/v1") + "/repos/" + escape(l.Owner, l.Repo)
	case Azure:
		return cmp.Or(h.API, h.root()) + "/" + escapePath(l.Owner) + "/_apis/git/repositories/" + escape(l.Repo)
	case HuggingFace:
		return cmp.Or(h.API, h.root()+"/api") + "/" + huggingFaceType(l) + "/" + escape(l.Owner, l.Repo)
	}
	return ""
}

// huggingFaceType gives which of the three kinds of repository a locator names.
func huggingFaceType(l Locator) string {
	for _, kind := range []string{"spaces", "datasets"} {
		if strings.Contains(l.URL, "/"+kind+"/") {
			return kind
		}
	}
	return "models"
}
