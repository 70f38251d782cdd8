package source

import (
	"path"
	"slices"
	"strings"
)

// wellKnown is where a site keeps its index (RFC 8615).
const wellKnown = ".well-known"

// generic reads an address of a host that is not in the table, or of which it says only that it serves git, by its form alone.
func (g page) generic() (Locator, error) {
	if kind := g.shape(); kind != "" {
		g.host.Kind = kind
		return g.byKind()
	}
	if slices.ContainsFunc(g.parts, hasGit) {
		return g.plain()
	}
	if l, ok, err := g.mapped(); ok {
		return l, err
	}
	name := last(g.parts)
	_, archive := archiveName(name)
	switch {
	case g.looksLikeGitHub():
		return Locator{}, g.fail("unsupported-host", "has the form of a repository's page on a host that is not known",
			"configure the host ([host.\""+g.name+"\"] with kind = \"github\", \"gitea\", \"gogs\" or \"bitbucket\"), or write git+"+g.url(g.parts[:2])+"//PATH#REF")
	case isManifest(name):
		return g.point(Locator{Kind: File, Host: g.host.Name, URL: g.url(g.parts)}, g.parts)
	case archive:
		return Locator{Kind: Archive, Host: g.host.Name, URL: g.url(g.parts)}, nil
	case otherArchive(name) != "":
		return Locator{}, g.unsupportedArchive(name)
	case g.imitates() || otherFile(name) && !slices.Contains(g.parts, wellKnown):
		return Locator{}, g.fail("not-skill-md", "names no SKILL.md, archive, repository or site", "for a repository write git+https:// and the address to clone")
	}
	if g.host.Kind == PlainGit {
		return g.plain()
	}
	return g.site()
}

// site makes the Locator of an address that is asked what it is. Of a directory among those of its index that skill is meant.
func (g page) site() (Locator, error) {
	site, skill := g.parts, ""
	if i := slices.Index(site, wellKnown); i >= 0 {
		if rest := site[i+1:]; len(rest) == 2 && (rest[0] == "agent-skills" || rest[0] == "skills") && !strings.Contains(rest[1], ".") {
			skill = rest[1]
		}
		site = site[:i]
	}
	return g.point(Locator{Kind: Site, Host: g.host.Name, URL: g.url(site), Skill: skill}, site)
}

// url builds the address of parts on the host.
func (g page) url(parts []string) string {
	if len(parts) == 0 {
		return g.host.root()
	}
	return g.host.root() + "/" + escape(parts...)
}

// shape tells the kind of an unknown host by words that only its pages have.
func (g page) shape() HostKind {
	part := func(i int) string {
		if i < len(g.parts) {
			return g.parts[i]
		}
		return ""
	}
	dash := slices.Index(g.parts, "-")
	switch {
	case dash >= 2 && gitlabWord(part(dash+1)):
		return GitLab
	case slices.Contains([]string{"src", "raw", "media", "blame", "commits"}, part(2)) && slices.Contains([]string{"branch", "tag", "commit"}, part(3)):
		return Gitea
	case (part(0) == "projects" || part(0) == "users") && part(2) == "repos", part(0) == "scm" && hasGit(part(2)):
		return BitbucketServer
	case slices.Index(g.parts, "_git") > 0:
		return Azure
	}
	return ""
}

// mapped reads addresses of sites that show repositories of github.com or packages of npm.
func (g page) mapped() (l Locator, ok bool, err error) {
	host, _ := g.hosts.Lookup("github.com")
	pages := page{g.reader, g.address, g.parts}
	pages.host = host
	switch strings.TrimPrefix(g.name, "www.") {
	case "skills.sh": // /owner/repo[/skill]
		if len(g.parts) != 2 && len(g.parts) != 3 || g.parts[0] == "docs" {
			return Locator{}, true, g.fail("not-a-repo", "is a page of the site and no repository", "name a repository as owner/repo")
		}
		pages.parts = g.parts[:2]
		l, err = pages.github()
		if len(g.parts) == 3 && err == nil {
			l.Skill = g.parts[2]
		}
		return l, true, err
	case "vscode.dev":
		if len(g.parts) > 0 && g.parts[0] == "github" {
			pages.parts = g.parts[1:]
			l, err = pages.github()
			return l, true, err
		}
	case "cdn.jsdelivr.net": // /gh/owner/repo[@ref]/path; its own answers follow the ref days later
		if len(g.parts) > 3 && g.parts[0] == "gh" {
			pages.parts = g.parts[1:]
			l, err = pages.githubCopy()
			return l, true, err
		}
	case "npmjs.com": // /package/[@scope/]name[/v/version]
		if len(g.parts) > 1 && g.parts[0] == "package" {
			l, err = g.npmPage(g.parts[1:], "v")
			return l, true, err
		}
	case "registry.npmjs.org", "registry.yarnpkg.com": // /[@scope/]name[/version]
		if _, rest := scopedName(g.parts); len(g.parts) > 0 && g.parts[0] != "-" && len(rest) < 2 {
			l, err = g.npmPage(g.parts)
			return l, true, err
		}
	}
	return Locator{}, false, nil
}

// githubCopy reads owner/repo[@ref]/path, as a network that keeps copies of files writes it.
func (g page) githubCopy() (Locator, error) {
	repo, ref, named := strings.Cut(g.parts[1], "@")
	l, _, err := g.repository([]string{g.parts[0], repo})
	if err != nil {
		return l, err
	}
	if named && ref != "latest" {
		l.Ref, l.RefKind = ref, AnyRef // it ends where the part ends
	}
	return g.point(l, g.parts[2:])
}

// npmPage reads [@scope/]name, then these words and a version; the version is left out where something else follows.
func (g page) npmPage(parts []string, words ...string) (Locator, error) {
	name, rest := scopedName(parts)
	if len(rest) == len(words)+1 && slices.Equal(rest[:len(words)], words) {
		name += "@" + last(rest)
	}
	return g.npm(name)
}

// scopedName takes the name of a package off the front of the parts; its slash may be encoded.
func scopedName(parts []string) (name string, rest []string) {
	parts = strings.Split(strings.Join(parts, "/"), "/")
	n := 1
	if strings.HasPrefix(parts[0], "@") {
		n = min(2, len(parts))
	}
	return strings.Join(parts[:n], "/"), parts[n:]
}

// hasGit tells whether a part is the address of a bare repository.
func hasGit(part string) bool { return trimGit(part) != part }

// plain reads the address to clone: all of the path, or up to ".git", where a path may follow.
func (g page) plain() (Locator, error) {
	parts, rest := g.parts, []string(nil)
	if i := slices.IndexFunc(parts, hasGit); i >= 0 {
		parts, rest = parts[:i+1], parts[i+1:]
	}
	owner, repo, err := g.ownerRepo(parts)
	if err != nil {
		return Locator{}, err
	}
	l := Locator{Kind: Git, Host: g.host.Name, Owner: owner, Repo: repo, Transport: HTTPS, URL: g.url(parts)}
	return g.point(l, rest)
}

// ownerRepo takes the path of a repository apart on a server of which nothing is known.
func (r reader) ownerRepo(parts []string) (owner, repo string, err error) {
	if len(parts) == 0 {
		return "", "", r.fail("not-a-repo", "names no repository", "")
	}
	groups, repo := parts[:len(parts)-1], trimGit(last(parts))
	err = r.checkNames(looseByte, append(slices.Clone(groups), repo)...)
	return strings.Join(groups, "/"), repo, err
}

// looksLikeGitHub tells whether an address has the form of a page whose kind of host must be known to read it.
func (g page) looksLikeGitHub() bool {
	if len(g.parts) < 4 {
		return false
	}
	switch g.parts[2] {
	case "tree", "blob", "blame", "edit", "commit", "commits", "src":
		return len(g.parts) > 4 || !isManifest(last(g.parts))
	}
	return false
}

// imitates tells whether an address shows the name of a known host in a place where it is not the host.
func (g page) imitates() bool {
	for _, known := range builtin() {
		if strings.HasPrefix(g.name, known.Name+".") || len(g.parts) > 0 && strings.EqualFold(g.parts[0], known.Name) {
			return true
		}
	}
	return false
}

// otherFile tells whether a name is that of a file and not of a directory or a repository.
func otherFile(name string) bool {
	return slices.Contains([]string{".md", ".mdx", ".markdown", ".txt", ".rst", ".html", ".htm", ".json", ".yaml", ".yml", ".toml", ".xml",
		".py", ".js", ".ts", ".sh", ".pdf", ".png", ".jpg"}, strings.ToLower(path.Ext(name)))
}
