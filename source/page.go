package source

import (
	"fmt"
	"slices"
	"strings"
)

// page is an https text on its way to a Locator: the host is known, the path is decoded.
type page struct {
	reader
	address
	parts []string
}

// https reads an address: a page of a known host, or whatever its form tells. What stands behind "#" is a place on the page.
func (r reader) https(rest string) (Locator, error) {
	a, err := r.split(rest)
	if err != nil {
		return Locator{}, err
	}
	if l, ok, err := r.cloned(a); ok {
		return l, err
	}
	parts, err := r.parts(a.path)
	if err != nil {
		return Locator{}, err
	}
	l, err := page{r, a, parts}.read()
	if err == nil && l.Ref == "" && fragmentIsRef(a.fragment) && (l.Kind == Git || l.Kind == Site) {
		l.Notes = append(l.Notes, fragmentNote(l, a.fragment))
	}
	return l, err
}

// hostFirst reads an address without a scheme. That of a repository is a shorthand, in which "#" names a ref.
func (r reader) hostFirst() (Locator, error) {
	text, fragment, hash := strings.Cut(r.text, "#")
	l, err := r.https(r.text)
	if !hash || err != nil || !l.wholeRepository() {
		return l, err
	}
	if l, err = r.https(text); err != nil {
		return l, err
	}
	return r.fragment(l, fragment)
}

// wholeRepository tells whether a locator names a repository and neither a ref nor a place in it.
func (l Locator) wholeRepository() bool {
	return l.Kind == Git && l.Ref == "" && l.Path == "" && !l.File
}

// cloned reads an address to clone, which ends in ".git": //path may follow it, and the ref behind "#" or, as Terraform writes it, in
// the query. It is false for other addresses.
func (r reader) cloned(a address) (l Locator, ok bool, err error) {
	base, sub := strings.TrimRight(a.path, "/"), ""
	if end := strings.Index(strings.ToLower(base), ".git//"); end >= 0 {
		base, sub = base[:end+len(".git")], base[end+len(".git//"):]
	}
	parts, err := r.parts(base)
	if err != nil || !hasGit(last(parts)) {
		return Locator{}, false, nil
	}
	if l, err = (page{r, a, parts}).read(); err != nil || !l.wholeRepository() {
		return Locator{}, false, nil
	}
	l, err = r.inClone(l, sub, a)
	return l, true, err
}

// fragmentIsRef tells whether what stands behind "#" on a page was meant as a ref.
func fragmentIsRef(fragment string) bool {
	_, ref := cutKind(fragment)
	return validRef(ref, AnyRef) && (ref != fragment || looksLikeRef(ref) || certain(ref))
}

// fragmentNote remarks that what stands behind "#" on a page is a place on it, though it looks like a ref.
func fragmentNote(l Locator, fragment string) Note {
	repository := "git+" + strings.TrimPrefix(l.Source(), "git+")
	return Note{"fragment_ignored", fmt.Sprintf("%q is taken for a place on the page; for the ref write %s#%s", "#"+fragment, repository, fragment)}
}

// read understands owner/repo@x and repo.git@x and else goes by the kind of the host. Where names may hold "@", only ".git"
// before it tells.
func (g page) read() (Locator, error) {
	loose := slices.Contains([]HostKind{"", PlainGit, cloneOnly, Azure}, g.host.Kind)
	for i, part := range g.parts {
		at := strings.Index(part, "@")
		if at <= 0 || loose && !hasGit(part[:at]) {
			continue
		}
		head := g
		head.parts = append(slices.Clone(g.parts[:i]), part[:at])
		if l, err := head.byKind(); err == nil && l.Kind == Git && l.Ref == "" && l.Path == "" && !l.File {
			return g.at(l, strings.Join(append([]string{part[at+1:]}, g.parts[i+1:]...), "/"))
		}
		break
	}
	return g.byKind()
}

// byKind reads the path as hosts of the kind write it.
func (g page) byKind() (Locator, error) {
	switch g.host.Kind {
	case GitHub:
		return g.github()
	case gist:
		return g.gist()
	case GitLab:
		return g.gitlab()
	case Bitbucket:
		return g.bitbucket()
	case BitbucketServer:
		return g.bitbucketServer()
	case Gitea, Gogs:
		return g.gitea()
	case SourceHut:
		return g.sourcehut()
	case Azure:
		return g.azure()
	case HuggingFace:
		return g.huggingface()
	case cloneOnly:
		return g.plain()
	}
	return g.generic()
}

// at applies "@x" behind a repository or a path: a ref when it looks like one or a path stands before it, else a skill.
func (r reader) at(l Locator, x string) (Locator, error) {
	switch {
	case x == "":
		return Locator{}, r.fail("missing-ref", "has nothing behind \"@\"", "")
	case l.Ref != "":
		return Locator{}, r.twoRefs()
	case l.Path != "" || l.File || looksLikeRef(x):
		l.Ref = x
	default:
		l.Skill, l.SkillOrRef = x, validRef(x, AnyRef)
	}
	return l, nil
}

// locator makes the Locator of a repository on the page's host.
func (g page) locator(owner, repo string) Locator {
	return Locator{Kind: Git, Host: g.host.Name, Owner: owner, Repo: repo, Transport: HTTPS, URL: g.host.cloneURL(owner, repo)}
}

// repository takes owner and repo off the front of the parts.
func (g page) repository(parts []string, reserved ...string) (Locator, []string, error) {
	if len(parts) > 0 && slices.Contains(reserved, strings.ToLower(parts[0])) {
		return Locator{}, nil, g.fail("not-a-repo", "is a page of the host and no repository", "name a repository as owner/repo")
	}
	if len(parts) < 2 {
		return Locator{}, nil, g.fail("owner-only", "names no repository", "name a repository as owner/repo")
	}
	owner, repo := parts[0], trimGit(parts[1])
	if err := g.checkNames(nameByte, owner, repo); err != nil {
		return Locator{}, nil, err
	}
	return g.locator(owner, repo), parts[2:], nil
}

// trimGit cuts ".git" off the name of a repository, as often as it is there: no repository of a host has such a name.
func trimGit(repo string) string {
	for len(repo) > 4 && strings.EqualFold(repo[len(repo)-4:], ".git") {
		repo = repo[:len(repo)-4]
	}
	return repo
}

// nameByte tells whether a character may stand in the names of owners and repositories on hosts of the table.
func nameByte(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-", c)
}

// looseByte tells the same for servers that allow more.
func looseByte(c rune) bool { return c != '/' && c != '\\' && !hidden(c) }

// checkNames refuses names of owners and repositories that the host cannot have or that a program takes for an option.
func (r reader) checkNames(allowed func(rune) bool, names ...string) error {
	for _, name := range names {
		bad := strings.ContainsFunc(name, func(c rune) bool { return !allowed(c) })
		if name == "" || name == "." || name == ".." || name[0] == '-' || bad {
			return r.fail("not-a-repo", fmt.Sprintf("names %q, which is no owner or repository", redact(name)), "")
		}
	}
	return nil
}

// place reads the parts that follow "tree", "blob" and the like: a ref, then a path. With file the path is that of a file.
func (g page) place(l Locator, parts []string, kind RefKind, file bool) (Locator, error) {
	if len(parts) == 0 || parts[0] == "refs" && len(parts) < 3 {
		return Locator{}, g.fail("missing-ref", "names no branch, tag or commit", "name one, for instance HEAD")
	}
	ref, rest, final := splitRef(parts)
	l.Ref, l.RefKind = ref, kind
	point := g.point
	if file {
		point = g.pointFile
	}
	l, err := point(l, rest)
	l.Ambiguous = !final && kind != CommitRef && l.Kind == Git
	return l, err
}

// point sets the path from its parts. SKILL.md at the end, in any case, names one skill by its file.
func (r reader) point(l Locator, parts []string) (Locator, error) {
	for _, part := range parts {
		if strings.Contains(part, "/") {
			return Locator{}, r.fail("path-escape", "holds an encoded slash in its path", "")
		}
	}
	if name := last(parts); isManifest(name) {
		l.File, parts = true, parts[:len(parts)-1]
		l.Notes = append(l.Notes, manifestNotes(name)...)
	}
	l.Path = strings.Join(parts, "/")
	return l, nil
}

// manifestNotes remarks that a manifest is not spelled as the specification wants it.
func manifestNotes(name string) []Note {
	if name == "SKILL.md" {
		return nil
	}
	return []Note{{"manifest_case", fmt.Sprintf("the file is called %q, not \"SKILL.md\"", name)}}
}

// pointFile sets the path from the parts of a file's, which must be a SKILL.md or an archive.
func (g page) pointFile(l Locator, parts []string) (Locator, error) {
	l, err := g.point(l, parts)
	if err != nil || l.File {
		return l, err
	}
	if _, archive := archiveName(last(parts)); archive {
		return g.archived(l, parts)
	}
	if otherArchive(last(parts)) != "" {
		return Locator{}, g.unsupportedArchive(last(parts))
	}
	l.Path = strings.Join(besideManifest(parts), "/")
	l, _ = g.finish(l)
	return Locator{}, g.fail("not-skill-md", "names a file that is not SKILL.md", "for the skill in its folder write "+l.Canonical())
}

// besideManifest gives the directory of a file, or that which the manifest of a plugin or a marketplace is about.
func besideManifest(parts []string) []string {
	dir := parts[:max(len(parts)-1, 0)]
	for _, place := range [][]string{{".claude-plugin"}, {".github", "plugin"}, {".agents", "plugins"}} {
		if n := len(dir) - len(place); n >= 0 && slices.Equal(dir[n:], place) {
			return dir[:n]
		}
	}
	return dir
}

// archived makes the Locator of an archive file that lies in a repository. The host finds where the ref ends in its
// address, so the first part is as good a ref as any.
func (g page) archived(l Locator, parts []string) (Locator, error) {
	if l.Ref != "" {
		l.Ref, parts, _ = splitRef(append(strings.Split(l.Ref, "/"), parts...))
	}
	if g.host.Kind != Gitea {
		l.RefKind = AnyRef
	} else if commitPattern.MatchString(l.Ref) {
		l.RefKind = CommitRef
	}
	l.Path = strings.Join(parts, "/")
	l.URL = g.host.RawURL(l, l.Ref, l.Path)
	l.Kind, l.Transport, l.File = Archive, "", true
	if l.URL == "" || strings.Contains(l.URL, "?") {
		return Locator{}, g.fail("not-skill-md", "names an archive inside a repository, which is not read on this host", "download it and name the file")
	}
	return l, nil
}

// atRef sets a ref that is named whole.
func (g page) atRef(l Locator, kind RefKind, parts []string) (Locator, error) {
	if len(parts) == 0 {
		return Locator{}, g.fail("missing-ref", "names no branch, tag or commit", "name one, for instance HEAD")
	}
	l.Ref, l.RefKind = strings.Join(parts, "/"), kind
	return l, nil
}

// snapshot reads the ref out of the name of an archive of the repository: "v1.0.tar.gz", "refs/heads/main.zip".
func (g page) snapshot(l Locator, parts []string) (Locator, error) {
	l, err := g.atRef(l, AnyRef, parts)
	l.Ref, _ = archiveName(l.Ref)
	l.Ref = strings.TrimSuffix(l.Ref, otherArchive(l.Ref))
	return l, err
}

// commit reads the page of one commit.
func (g page) commit(l Locator, parts []string) (Locator, error) {
	if len(parts) != 1 || !hexPattern.MatchString(parts[0]) {
		return g.notSkill(l, "commit")
	}
	return g.atRef(l, CommitRef, parts)
}

// change reads the page of a change request: its head is a ref.
func (g page) change(l Locator, parts []string, format string) (Locator, error) {
	if len(parts) == 0 || strings.Trim(parts[0], "0123456789") != "" {
		return g.notSkill(l, "change request")
	}
	l.Ref = fmt.Sprintf(format, parts[0])
	l.Notes = append(l.Notes, Note{"pull_request", "this is a change that was proposed, " + l.Ref + ", and may hold anything"})
	return l, nil
}

// newest asks for the release with the newest version, which a host shows as the latest.
func (g page) newest(l Locator) (Locator, error) {
	l.Ref, l.RefKind = "*", TagRef
	l.Notes = append(l.Notes, Note{"latest_release", "the tag with the newest version is taken for the latest release"})
	return l, nil
}

// asset makes the Locator of a file that is attached to a release.
func (g page) asset(l Locator, tag, name string) (Locator, error) {
	l.Ref, l.RefKind, l.File, l.Transport = tag, TagRef, true, ""
	l.URL = g.host.root() + "/" + escape(g.parts...)
	if _, archive := archiveName(name); archive {
		l.Kind = Archive
		return l, nil
	}
	if isManifest(name) {
		l.Kind, l.Notes = File, manifestNotes(name)
		return l, nil
	}
	if otherArchive(name) != "" {
		return Locator{}, g.unsupportedArchive(name)
	}
	return Locator{}, g.fail("not-skill-md", "names a file that is neither SKILL.md nor an archive", "")
}

// notSkill is the error for pages of a repository that show no skill.
func (g page) notSkill(l Locator, verb string) (Locator, error) {
	hint := "for the repository itself write " + l.Source()
	switch verb {
	case "wiki":
		hint = "a wiki is a repository of its own: git+" + l.Source() + ".wiki.git"
	case "releases", "tags":
		hint = "name one release: " + l.Source() + "/releases/tag/TAG"
	}
	return Locator{}, g.fail("not-a-skill-page", fmt.Sprintf("is a page (%s) that holds no skill", verb), hint)
}
