package source

// HostKind is the family of a host: it decides how pages, files and archives are
// addressed.
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
	Gist            HostKind = "gist"
	PlainGit        HostKind = "git" // serves git and nothing else that is known
)

// Host is a row of the table of hosts.
type Host struct {
	Name      string   // "github.com"; "git.corp.example:8443" when only that port is meant
	Kind      HostKind //
	Aliases   []string // other names that show the same pages
	AllowPort bool     // any port may be named in a text
	API       string   // base of the API, "" = the place that is usual for the kind
	Raw       string   // base of raw files, likewise
	Archive   string   // base of archives, likewise
}

// Hosts is the table of hosts: the built-in rows and those that were added. The
// zero value holds the built-in rows. It is never changed in place.
type Hosts struct {
	own []Host
}

// DefaultHosts gives the built-in table.
func DefaultHosts() Hosts { return Hosts{} }

// With gives a table that holds the host too; it wins over a row of the same name.
func (h Hosts) With(host Host) Hosts { return h }

// Lookup finds the row of a host by its name (with the port, if one is written) or
// by an alias, without regard to case.
func (h Hosts) Lookup(name string) (Host, bool) { return Host{}, false }

// RawURL gives the address of one file at a ref, "" where the kind has none.
func (h Host) RawURL(l Locator, ref, path string) string { return "" }

// ArchiveURL gives the address of the archive of a whole repository at a ref, ""
// where the kind has none.
func (h Host) ArchiveURL(l Locator, ref string) string { return "" }

// APIURL gives the base of the API of a repository, "" where the kind has none.
func (h Host) APIURL(l Locator) string { return "" }
