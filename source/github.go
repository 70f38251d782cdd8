package source

import (
	"regexp"
	"slices"
	"strings"
)

// github reads pages of github.com, of GitHub Enterprise and of its hosts for raw files, archives and the API.
func (g page) github() (Locator, error) {
	parts, service := g.parts, g.service
	if g.host.Name != "github.com" && len(parts) > 1 { // a server without subdomains has its services below paths
		switch {
		case parts[0] == "raw":
			service, parts = "raw", parts[1:]
		case parts[0] == "api" && parts[1] == "v3":
			service, parts = "api", parts[2:]
		}
	}
	switch service {
	case "raw":
		return g.githubRaw(parts)
	case "media":
		return g.githubRaw(skip(parts, "media"))
	case "codeload":
		return g.githubArchive(parts)
	case "api":
		return g.githubAPI(parts)
	}
	l, rest, err := g.repository(parts, "orgs", "settings", "marketplace", "topics", "features", "login", "search", "sponsors",
		"apps", "explore", "notifications", "about", "collections", "trending", "enterprise", "pricing")
	if err != nil || len(rest) == 0 {
		return l, err
	}
	return g.githubPage(l, rest[0], rest[1:])
}

// githubPage reads what follows owner and repo.
func (g page) githubPage(l Locator, verb string, rest []string) (Locator, error) {
	switch verb {
	case "tree", "commits":
		return g.place(l, rest, AnyRef, false)
	case "blob", "raw", "blame", "edit":
		return g.place(l, rest, AnyRef, true)
	case "commit":
		return g.commit(l, rest)
	case "pull":
		return g.change(l, rest, "refs/pull/%s/head")
	case "archive", "zipball", "tarball":
		return g.snapshot(l, rest)
	case "releases":
		return g.release(l, rest)
	}
	return g.notSkill(l, verb)
}

// release reads the pages of releases.
func (g page) release(l Locator, rest []string) (Locator, error) {
	switch {
	case slices.Equal(rest, []string{"latest"}):
		return g.newest(l)
	case len(rest) == 3 && rest[0] == "latest" && rest[1] == "download":
		return g.asset(l, "*", rest[2])
	case len(rest) > 1 && rest[0] == "tag":
		return g.atRef(l, TagRef, rest[1:])
	case len(rest) == 3 && rest[0] == "download":
		return g.asset(l, rest[1], rest[2])
	}
	return g.notSkill(l, "releases")
}

// githubRaw reads owner/repo/ref/path of a raw file.
func (g page) githubRaw(parts []string) (Locator, error) {
	if len(parts) < 4 {
		return Locator{}, g.fail("not-skill-md", "names no file of a repository", "a raw address has owner, repo, ref and path")
	}
	l, rest, err := g.repository(parts)
	if err != nil {
		return l, err
	}
	return g.place(l, rest, AnyRef, true)
}

// githubArchive reads owner/repo/format/ref of the archive host.
func (g page) githubArchive(parts []string) (Locator, error) {
	l, rest, err := g.repository(parts)
	if err != nil {
		return l, err
	}
	return g.atRef(l, AnyRef, rest[min(1, len(rest)):])
}

// githubAPI reads addresses below repos/.
func (g page) githubAPI(parts []string) (Locator, error) {
	if len(parts) == 0 || parts[0] != "repos" {
		return Locator{}, g.fail("not-a-repo", "is an address of the API that names no repository", "name a repository as owner/repo")
	}
	l, rest, err := g.repository(parts[1:])
	if err != nil || len(rest) == 0 {
		return l, err
	}
	verb, rest := rest[0], rest[1:]
	switch verb {
	case "contents":
		l.Ref = g.query.Get("ref")
		return g.point(l, rest)
	case "tarball", "zipball":
		if len(rest) == 0 {
			return l, nil
		}
		return g.snapshot(l, rest)
	case "commits":
		return g.atRef(l, AnyRef, rest)
	case "branches":
		return g.atRef(l, BranchRef, rest)
	case "git":
		if len(rest) > 1 && rest[0] == "trees" {
			return g.atRef(l, AnyRef, rest[1:])
		}
	case "pulls":
		return g.change(l, rest, "refs/pull/%s/head")
	case "releases":
		if len(rest) > 1 && rest[0] == "tags" {
			return g.atRef(l, TagRef, rest[1:])
		}
		return g.release(l, rest)
	}
	return g.notSkill(l, verb)
}

var gistPattern = regexp.MustCompile(`^([0-9a-f]{20,64}|[0-9]{1,9})$`)

// gist reads [user/]id[/revision], its raw files and archives. A gist has no directories.
func (g page) gist() (Locator, error) {
	parts := g.parts
	owner := ""
	if len(parts) > 0 && !gistPattern.MatchString(trimGit(parts[0])) {
		owner, parts = parts[0], parts[1:]
	}
	if len(parts) == 0 || !gistPattern.MatchString(trimGit(parts[0])) {
		return Locator{}, g.fail("owner-only", "names no gist", "name a gist by its id")
	}
	if owner != "" {
		if err := g.checkNames(nameByte, owner); err != nil {
			return Locator{}, err
		}
	}
	return g.gistPage(g.locator(owner, trimGit(parts[0])), parts[1:])
}

// gistPage reads what follows the id.
func (g page) gistPage(l Locator, rest []string) (Locator, error) {
	raw := len(rest) > 0 && rest[0] == "raw"
	if len(rest) > 0 && (raw || rest[0] == "archive") {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		if name, _ := archiveName(rest[0]); commitPattern.MatchString(name) {
			l.Ref, rest = name, rest[1:]
		}
	}
	switch {
	case raw:
		return g.pointFile(l, rest)
	case len(rest) > 0:
		return g.notSkill(l, rest[0])
	case strings.HasPrefix(g.address.fragment, "file-"):
		if g.address.fragment != "file-skill-md" {
			return g.pointFile(l, []string{strings.TrimPrefix(g.address.fragment, "file-")})
		}
		l.File = true
	}
	return l, nil
}
