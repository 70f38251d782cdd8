package source

import (
	"regexp"
	"strings"
)

// sshAddress is an ssh text taken apart; path is raw.
type sshAddress struct {
	user, host, port string
	path, sub        string
	fragment         string
	hash, scp        bool
}

// sshURL reads what follows ssh://.
func (r reader) sshURL(rest string) (Locator, error) {
	var s sshAddress
	var err error
	rest, s.fragment, s.hash = strings.Cut(rest, "#")
	authority, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndex(authority, "@"); i >= 0 {
		s.user, authority = authority[:i], authority[i+1:]
	}
	if strings.Contains(s.user, ":") {
		return Locator{}, r.credentials()
	}
	if s.host, s.port, err = r.authority(authority); err != nil {
		return Locator{}, err
	}
	s.path, s.sub, _ = strings.Cut(path, "//")
	return r.ssh(s)
}

// scp reads [user@]host:path; rest is the text behind the user.
func (r reader) scp(user, rest string) (Locator, error) {
	rest, fragment, hash := strings.Cut(rest, "#")
	name, path, _ := strings.Cut(rest, ":")
	host, err := r.hostname(name)
	if err != nil {
		return Locator{}, err
	}
	path, sub, _ := strings.Cut(path, "//")
	return r.ssh(sshAddress{user: user, host: host, path: path, sub: sub, fragment: fragment, hash: hash, scp: true})
}

var userPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._~+-]*$`)

// ssh makes the Locator of a repository over ssh. Ports are those of ssh servers, so any will do.
func (r reader) ssh(s sshAddress) (Locator, error) {
	if err := r.checkUser(s.user); err != nil {
		return Locator{}, err
	}
	host, known := r.hosts.Lookup(s.host)
	if !known {
		host = Host{Name: s.host}
		if err := r.checkPublic(s.host); err != nil {
			return Locator{}, err
		}
	} else if host.isViewer(strings.TrimPrefix(s.host, "www.")) {
		s.host = host.Name
	}
	parts, err := r.sshParts(s, known)
	if err != nil {
		return Locator{}, err
	}
	l, err := page{r, address{host: host, name: host.Name}, parts}.overSSH()
	if err != nil {
		return l, err
	}
	if s.user == "" && known {
		s.user = "git"
	}
	l.Transport, l.User, l.URL = SSH, s.user, s.url(l, host, parts)
	return r.inRepository(l, s.sub, s.fragment, s.hash)
}

// checkUser refuses what is no user name, above all what ssh takes for an option.
func (r reader) checkUser(user string) error {
	switch {
	case strings.HasPrefix(user, "-"):
		return r.fail("unsafe-host", "has a user that begins with \"-\", which ssh takes for an option", "")
	case user != "" && !userPattern.MatchString(user):
		return r.fail("bad-url", "has a user that is no user name", "")
	}
	return nil
}

// sshParts decodes the path as git does: in ssh:// always, in the scp form not, where it is a path on the server. Hosts of
// the table show encoded addresses in both.
func (r reader) sshParts(s sshAddress, known bool) ([]string, error) {
	if !s.scp || known {
		return r.parts(s.path)
	}
	var parts []string
	for part := range strings.SplitSeq(strings.Trim(s.path, "/"), "/") {
		if err := r.checkPart(part); err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// overSSH reads the path of a repository as the host has it for ssh.
func (g page) overSSH() (Locator, error) {
	switch g.host.Kind {
	case Azure: // v3/organisation/project/repository
		if len(g.parts) != 4 || g.parts[0] != "v3" {
			return Locator{}, g.fail("owner-only", "names no repository", "over ssh a repository is v3/ORGANISATION/PROJECT/REPO")
		}
		if err := g.checkNames(looseByte, g.parts[1:]...); err != nil {
			return Locator{}, err
		}
		g.host.Name = "dev.azure.com"
		return g.locator(g.parts[1]+"/"+g.parts[2], g.parts[3]), nil
	case BitbucketServer:
		if len(g.parts) != 2 {
			return Locator{}, g.fail("owner-only", "names no repository", "over ssh a repository is PROJECT/REPO")
		}
		return g.serverRepository(g.parts[0], g.parts[1])
	case gist: // the id alone
		l, err := g.gist()
		l.Owner = ""
		return l, err
	case PlainGit, "":
		owner, repo, err := g.ownerRepo(g.parts)
		return Locator{Kind: Git, Host: g.host.Name, Owner: owner, Repo: repo}, err
	}
	return g.repositoryOnly()
}

// repositoryOnly reads a path that names a repository and no page.
func (g page) repositoryOnly() (Locator, error) {
	l, err := g.byKind()
	if err == nil && (l.Kind != Git || l.Ref != "" || l.Path != "" || l.File) {
		return Locator{}, g.fail("bad-url", "names a page where only a repository can stand", "behind a repository a path is //path, a ref is #ref")
	}
	return l, err
}

// url gives the address to clone. On hosts of the table there is one for both forms.
func (s sshAddress) url(l Locator, host Host, parts []string) string {
	user := s.user
	if user != "" {
		user += "@"
	}
	server := s.host
	if s.port != "" && s.port != "22" {
		server += ":" + s.port
	}
	path := escape(parts...)
	switch host.Kind {
	case GitHub, GitLab, Bitbucket, Gitea, Gogs:
		path = escapePath(l.Owner) + "/" + escape(l.Repo) + ".git"
	case gist:
		path = escape(l.Repo) + ".git"
	case PlainGit, "":
		if s.scp {
			return user + s.host + ":" + strings.TrimRight(s.path, "/")
		}
	}
	return "ssh://" + user + server + "/" + path
}
