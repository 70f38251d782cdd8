package source

import (
	"slices"
	"strings"
)

// Source gives the identity of the source, without ref and path, as a lock keeps it: [Parse] reads it back to the same
// source. Git over ssh has the identity of https on hosts of the built-in table; on other hosts the transport is part of it,
// and ".git" or "git+" tells everybody that it is a repository.
func (l Locator) Source() string {
	switch l.Kind {
	case Git:
		return sealed(l.gitSource())
	case Builtin:
		return "builtin:" + l.Path
	case NPM:
		return "npm:" + strings.TrimPrefix(l.Owner+"/"+l.Repo, "/")
	case OCI:
		return "oci://" + l.Host + "/" + strings.TrimPrefix(l.Owner+"/"+l.Repo, "/")
	}
	if l.URL == "" {
		return l.Path
	}
	return sealed(l.URL)
}

// gitSource gives the identity of a repository.
func (l Locator) gitSource() string {
	if host, known := DefaultHosts().Lookup(l.Host); known {
		return host.base(l)
	}
	if l.Transport == SSH {
		return l.URL
	}
	parts := strings.Split(strings.TrimPrefix(l.URL, "https://"), "/")[1:]
	if hasGit(last(parts)) || slices.Index(parts, "_git") > 0 {
		return l.URL
	}
	return "git+" + l.URL
}

// Canonical gives one text that [Parse], with the same hosts, reads back to an equal Locator, but for Input and Notes. A
// skill that the text selects makes it a command line.
func (l Locator) Canonical() string {
	text := l.Source()
	switch {
	case l.Kind == Git:
		text = sealed(l.gitText())
	case l.Kind == NPM && l.Ref != "":
		text += "@" + l.Ref
	case l.Kind == OCI && strings.HasPrefix(l.Ref, "sha256:"):
		text += "@" + l.Ref
	case l.Kind == OCI && l.Ref != "":
		text += ":" + l.Ref
	case l.Kind == Local && l.File:
		text = strings.TrimSuffix(text, "/") + "/SKILL.md"
	}
	if l.Skill != "" && !l.SkillOrRef {
		text = "skills add " + quote(text) + " --skill " + quote(l.Skill)
	}
	return text
}

// gitText gives the text of a repository, a ref and a path: a page where one says it all, else the address to clone with
// //path and #ref.
func (l Locator) gitText() string {
	if l.SkillOrRef {
		return strings.TrimPrefix(l.cloneText(), "git+") + "@" + escape(l.Skill)
	}
	if page := l.githubPage(); page != "" {
		return page
	}
	text, suffix := l.cloneText(), ""
	if path := l.filePath(); path != "" {
		suffix = "//" + escapePath(path)
	}
	if l.Ref != "" {
		suffix += "#" + l.refText()
	}
	if suffix != "" && l.Transport == HTTPS && !strings.HasPrefix(text, "git+") {
		text = "git+" + text
	}
	return text + suffix
}

// cloneText gives the text of the repository alone, over its own transport.
func (l Locator) cloneText() string {
	if l.Transport == SSH {
		return l.URL
	}
	text := l.gitSource()
	if host, _ := DefaultHosts().Lookup(l.Host); host.Kind == gist && l.Owner != "" {
		text = host.root() + "/" + escape(l.Owner, l.Repo)
	}
	return text
}

// filePath gives the path with the manifest, if it was named.
func (l Locator) filePath() string {
	if l.File {
		return strings.TrimPrefix(l.Path+"/SKILL.md", "/")
	}
	return l.Path
}

// refText gives the ref as it stands behind "#".
func (l Locator) refText() string {
	text := strings.ReplaceAll(escapePath(l.Ref), "%5E", "^")
	if l.RefKind != impliedKind(l.Ref) {
		text = string(l.RefKind) + ":" + text
	}
	if l.Ambiguous {
		text += "/"
	}
	return text
}

// githubPage gives the address of the page of github.com, or of a tenant of ghe.com, that says all of the locator; "" when
// there is none.
func (l Locator) githubPage() string {
	host, _ := DefaultHosts().Lookup(l.Host)
	ref, ok := l.pageRef()
	path := l.filePath()
	switch {
	case host.Kind != GitHub || l.Transport != HTTPS || !ok:
		return ""
	case l.Ref == "" && path == "":
		return l.gitSource()
	}
	verb := "/tree/"
	if l.File {
		verb = "/blob/"
	}
	return strings.TrimSuffix(l.gitSource()+verb+ref+"/"+escapePath(path), "/")
}

// pageRef gives the ref as it stands in the address of a page, and whether it is read there as it is here: cut at the same
// place, with the same doubt.
func (l Locator) pageRef() (ref string, ok bool) {
	switch {
	case l.Ref == "":
		return "HEAD", true
	case l.RefKind != impliedKind(l.Ref) || IsRange(l.Ref) || l.Ref == "refs":
		return "", false
	case l.Ambiguous:
		cut, _, final := splitRef(strings.Split(l.Ref+"/"+l.Path, "/"))
		return escapePath(l.Ref), cut == l.Ref && !final
	}
	return escape(l.Ref), l.Path == "" || strings.Contains(l.Ref, "/") || certain(l.Ref)
}

// Below gives the directory in the fetched tree where skills are sought: Path for Git, "" for the kinds whose tree begins at
// the place that the text names.
func (l Locator) Below() string {
	if l.Kind == Git {
		return l.Path
	}
	return ""
}

// Directory gives the name of the directory that the text points at: the last part of the path, or the repository at its
// root; "" when the text gives none.
func (l Locator) Directory() string {
	path := strings.TrimRight(strings.ReplaceAll(l.Path, `\`, "/"), "/")
	if l.Kind == Archive && path != "" {
		path, _ = archiveName(path)
	}
	name := path[strings.LastIndex(path, "/")+1:]
	switch {
	case name == "" && (l.Kind == Git || l.Kind == NPM || l.Kind == OCI):
		return l.Repo
	case l.Kind == Local && strings.Trim(name, ".~") == "":
		return ""
	}
	return name
}

// Resource gives the address of a file beside the SKILL.md of a File; the path is relative, with slashes, not encoded.
func (l Locator) Resource(path string) string {
	return l.URL[:strings.LastIndex(l.URL, "/")+1] + escapePath(path)
}
