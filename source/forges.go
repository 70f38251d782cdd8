package source

import (
	"slices"
	"strings"
)

// gitlabWords are names that no project or group of GitLab can have: a page begins there even without "-" before it.
func gitlabWord(part string) bool {
	return slices.Contains([]string{"-", "tree", "blob", "raw", "blame", "edit", "commits", "commit", "archive", "tags", "releases",
		"merge_requests", "issues", "wikis"}, part)
}

// gitlab reads pages of GitLab: a project below any number of groups, then "-" and the page.
func (g page) gitlab() (Locator, error) {
	if reserved := []string{"-", "api", "explore", "groups", "users", "help", "dashboard", "admin"}; len(g.parts) > 0 && slices.Contains(reserved, g.parts[0]) {
		return Locator{}, g.fail("not-a-repo", "is a page of the host and no repository", "name a project as group/project")
	}
	end := len(g.parts)
	if i := slices.IndexFunc(g.parts, gitlabWord); i >= 0 {
		end = i
	}
	if end < 2 {
		return Locator{}, g.fail("owner-only", "names no project", "name a project as group/project")
	}
	project, rest := g.parts[:end], g.parts[end:]
	repo := trimGit(last(project))
	if err := g.checkNames(nameByte, append(slices.Clone(project[:end-1]), repo)...); err != nil {
		return Locator{}, err
	}
	l := g.locator(strings.Join(project[:end-1], "/"), repo)
	if len(rest) > 0 && rest[0] == "-" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return l, nil
	}
	return g.gitlabPage(l, rest[0], rest[1:])
}

// gitlabPage reads what follows the project.
func (g page) gitlabPage(l Locator, verb string, rest []string) (Locator, error) {
	kind := map[string]RefKind{"heads": BranchRef, "tags": TagRef}[g.query.Get("ref_type")]
	switch verb {
	case "tree", "commits":
		return g.place(l, rest, kind, false)
	case "blob", "raw", "blame", "edit":
		return g.place(l, rest, kind, true)
	case "commit":
		return g.commit(l, rest)
	case "archive":
		return g.gitlabArchive(l, rest)
	case "tags":
		return g.tag(l, "tags", rest)
	case "releases":
		if slices.Equal(rest, []string{"permalink", "latest"}) {
			return g.newest(l)
		}
		return g.tag(l, "releases", rest)
	case "merge_requests":
		return g.change(l, rest, "refs/merge-requests/%s/head")
	}
	return g.notSkill(l, verb)
}

// tag reads the page of one tag or release.
func (g page) tag(l Locator, verb string, rest []string) (Locator, error) {
	if len(rest) == 0 {
		return g.notSkill(l, verb)
	}
	return g.atRef(l, TagRef, rest)
}

// gitlabArchive reads ref/file of an archive, which may be one of a directory.
func (g page) gitlabArchive(l Locator, rest []string) (Locator, error) {
	l, err := g.atRef(l, AnyRef, rest[:max(len(rest)-1, 0)])
	if err != nil {
		return l, err
	}
	return g.queryPath(l)
}

// queryPath sets the path from the query, where the host puts it there.
func (g page) queryPath(l Locator) (Locator, error) {
	var parts []string
	for part := range strings.SplitSeq(g.query.Get("path"), "/") {
		if part == "" {
			continue
		}
		if err := g.checkPart(part); err != nil {
			return Locator{}, err
		}
		parts = append(parts, part)
	}
	return g.point(l, parts)
}

// bitbucket reads pages of Bitbucket Cloud.
func (g page) bitbucket() (Locator, error) {
	l, rest, err := g.repository(skip(g.parts, "2.0", "repositories"), "account", "dashboard", "product", "support")
	if err != nil || len(rest) == 0 {
		return l, err
	}
	return g.bitbucketPage(l, rest[0], rest[1:])
}

// bitbucketPage reads what follows the repository.
func (g page) bitbucketPage(l Locator, verb string, rest []string) (Locator, error) {
	switch verb {
	case "src", "raw":
		if len(rest) == 0 {
			return l, nil
		}
		return g.bitbucketPlace(l, rest, verb == "raw")
	case "get":
		return g.snapshot(l, rest)
	case "branch":
		return g.atRef(l, BranchRef, rest)
	case "commits":
		if len(rest) > 1 && (rest[0] == "branch" || rest[0] == "tag") {
			return g.atRef(l, RefKind(rest[0]), rest[1:])
		}
		return g.commit(l, rest)
	}
	return g.notSkill(l, verb)
}

// bitbucketPlace reads ref/path. The address holds a commit or a branch; "at" names the branch, which ends the doubt where
// that is in the address too.
func (g page) bitbucketPlace(l Locator, rest []string, file bool) (Locator, error) {
	at := strings.Split(g.query.Get("at"), "/")
	if len(at) > 1 && len(at) <= len(rest) && slices.Equal(at, rest[:len(at)]) {
		rest = append([]string{strings.Join(at, "/")}, rest[len(at):]...)
	}
	return g.place(l, rest, AnyRef, file)
}

// bitbucketServer reads pages of Bitbucket Server and Data Center: the ref is in the query.
func (g page) bitbucketServer() (Locator, error) {
	parts := g.parts
	if len(parts) == 3 && parts[0] == "scm" {
		return g.serverRepository(parts[1], parts[2])
	}
	if len(parts) < 4 || parts[2] != "repos" || parts[0] != "projects" && parts[0] != "users" {
		return Locator{}, g.fail("owner-only", "names no repository", "a repository is at /projects/PROJECT/repos/REPO")
	}
	owner := parts[1]
	if parts[0] == "users" {
		owner = "~" + owner
	}
	l, err := g.serverRepository(owner, parts[3])
	if err != nil || len(parts) == 4 {
		return l, err
	}
	return g.serverPage(l, parts[4], parts[5:])
}

// serverPage reads what follows a repository of Bitbucket Server.
func (g page) serverPage(l Locator, verb string, rest []string) (Locator, error) {
	l.Ref = g.query.Get("at")
	switch verb {
	case "browse", "archive", "commits":
		return g.point(l, rest)
	case "raw":
		return g.pointFile(l, rest)
	}
	return g.notSkill(l, verb)
}

// serverRepository makes the Locator of a repository in a project or of a user ("~u").
func (g page) serverRepository(owner, repo string) (Locator, error) {
	repo = trimGit(repo)
	if err := g.checkNames(nameByte, strings.TrimPrefix(owner, "~"), repo); err != nil {
		return Locator{}, err
	}
	return g.locator(owner, repo), nil
}

// gitea reads pages of Gitea, Forgejo and Gogs. Gitea puts the kind of ref before it, Gogs does not.
func (g page) gitea() (Locator, error) {
	l, rest, err := g.repository(skip(g.parts, "api", "v1", "repos"), "explore", "user", "org", "api", "admin", "issues", "pulls", "notifications")
	if err != nil || len(rest) == 0 {
		return l, err
	}
	return g.giteaPage(l, rest[0], rest[1:])
}

// giteaPage reads what follows the repository.
func (g page) giteaPage(l Locator, verb string, rest []string) (Locator, error) {
	switch verb {
	case "src", "raw", "media", "blame", "commits":
		kind, rest := giteaKind(rest)
		return g.place(l, rest, kind, verb != "src" && verb != "commits")
	case "contents":
		l.Ref = g.query.Get("ref")
		return g.point(l, rest)
	case "commit":
		return g.commit(l, rest)
	case "archive":
		return g.snapshot(l, rest)
	case "pulls":
		return g.change(l, rest, "refs/pull/%s/head")
	case "releases":
		return g.release(l, rest)
	}
	return g.notSkill(l, verb)
}

// giteaKind takes the kind of the ref off the parts.
func giteaKind(parts []string) (RefKind, []string) {
	if len(parts) > 0 && slices.Contains([]RefKind{BranchRef, TagRef, CommitRef}, RefKind(parts[0])) {
		return RefKind(parts[0]), parts[1:]
	}
	return AnyRef, parts
}

// sourcehut reads pages of git.sr.ht. "item" ends the ref.
func (g page) sourcehut() (Locator, error) {
	if len(g.parts) > 0 && !strings.HasPrefix(g.parts[0], "~") {
		return Locator{}, g.fail("not-a-repo", "is a page of the host and no repository", "name a repository as ~owner/repo")
	}
	if len(g.parts) < 2 {
		return Locator{}, g.fail("owner-only", "names no repository", "name a repository as ~owner/repo")
	}
	owner, repo := g.parts[0], trimGit(g.parts[1])
	if err := g.checkNames(nameByte, owner[1:], repo); err != nil {
		return Locator{}, err
	}
	l, rest := g.locator(owner, repo), g.parts[2:]
	if len(rest) == 0 {
		return l, nil
	}
	return g.sourcehutPage(l, rest[0], rest[1:])
}

// sourcehutPage reads what follows the repository.
func (g page) sourcehutPage(l Locator, verb string, rest []string) (Locator, error) {
	switch verb {
	case "tree", "log":
		item := slices.Index(rest, "item")
		if item <= 0 {
			return g.atRef(l, AnyRef, rest)
		}
		l.Ref = strings.Join(rest[:item], "/")
		return g.point(l, rest[item+1:])
	case "blob":
		return g.place(l, rest, AnyRef, true)
	case "archive":
		return g.snapshot(l, rest)
	case "refs":
		return g.tag(l, "tags", rest)
	case "commit":
		return g.commit(l, rest)
	}
	return g.notSkill(l, verb)
}

// azure reads pages of Azure DevOps, in the cloud and on a server: what stands before _git is the owner, path and ref are in
// the query.
func (g page) azure() (Locator, error) {
	parts := g.parts
	if org, old := strings.CutSuffix(g.host.Name, ".visualstudio.com"); old {
		g.host.Name = "dev.azure.com"
		parts = append([]string{org}, skip(parts, "DefaultCollection")...)
	}
	i := slices.Index(parts, "_git")
	if i < 1 || i+1 >= len(parts) {
		return Locator{}, g.fail("owner-only", "names no repository", "a repository is at /ORGANISATION/PROJECT/_git/REPO")
	}
	owner, repo := slices.Clone(parts[:i]), parts[i+1]
	if len(owner) == 1 && g.host.Name == "dev.azure.com" { // the project's first repository has its name
		owner = append(owner, repo)
	}
	if err := g.checkNames(looseByte, append(owner, repo)...); err != nil {
		return Locator{}, err
	}
	l := g.locator(strings.Join(owner, "/"), repo)
	return g.azurePage(l, parts[i+2:])
}

// azurePage reads what follows the repository, and the query.
func (g page) azurePage(l Locator, rest []string) (Locator, error) {
	switch {
	case len(rest) == 0:
		return g.queryPath(azureVersion(l, g.query.Get("version")))
	case rest[0] == "commit":
		return g.commit(l, rest[1:])
	}
	return g.notSkill(l, rest[0])
}

// azureVersion reads GBbranch, GTtag and GCcommit.
func azureVersion(l Locator, version string) Locator {
	for prefix, kind := range map[string]RefKind{"GB": BranchRef, "GT": TagRef, "GC": CommitRef} {
		if ref, ok := strings.CutPrefix(version, prefix); ok {
			l.Ref, l.RefKind = ref, kind
		}
	}
	return l
}

// huggingface reads pages of models, spaces and datasets.
func (g page) huggingface() (Locator, error) {
	parts, prefix := g.parts, ""
	if len(parts) > 0 && (parts[0] == "spaces" || parts[0] == "datasets") {
		prefix, parts = "/"+parts[0], parts[1:]
	}
	l, rest, err := g.repository(parts, "docs", "blog", "papers", "join", "login", "models", "organizations", "settings", "api", "collections")
	if err != nil {
		return l, err
	}
	l.URL = g.host.root() + prefix + "/" + escape(l.Owner, l.Repo)
	if len(rest) == 0 {
		return l, nil
	}
	return g.huggingfacePage(l, rest[0], rest[1:])
}

// huggingfacePage reads what follows the repository.
func (g page) huggingfacePage(l Locator, verb string, rest []string) (Locator, error) {
	switch verb {
	case "tree", "commits":
		return g.place(l, rest, AnyRef, false)
	case "blob", "raw", "resolve", "blame", "edit":
		return g.place(l, rest, AnyRef, true)
	case "commit":
		return g.commit(l, rest)
	}
	return g.notSkill(l, verb)
}
