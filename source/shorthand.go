package source

import (
	"regexp"
	"slices"
	"strings"
)

// shorthand reads owner/repo[/path][//path][@x][#ref] of a host. It splits at the first "@" that does not begin a part: refs
// and directories may begin with one.
func (r reader) shorthand(hostName, text string) (Locator, error) {
	body, fragment, hash := strings.Cut(text, "#")
	body, x, at := cutAt(body)
	base, sub, _ := strings.Cut(body, "//")
	parts, err := r.parts(base)
	if err != nil {
		return Locator{}, err
	}
	path, err := r.parts(sub)
	if err != nil {
		return Locator{}, err
	}
	if x, err = r.unescape(x); err != nil {
		return Locator{}, err
	}
	host, _ := r.hosts.Lookup(hostName)
	l, err := page{r, address{host: host, name: host.Name}, parts}.short(text, path)
	if err == nil && at {
		l, err = r.at(l, x)
	}
	if err == nil && hash {
		l, err = r.fragment(l, fragment)
	}
	return l, err
}

// short reads the parts of a shorthand: a repository and a path in it, or a page as the host has it, before which only the host is
// missing. A directory that is called like a page stands behind //.
func (g page) short(text string, path []string) (Locator, error) {
	if g.isPage() {
		l, err := g.byKind()
		if err != nil {
			return l, err
		}
		return g.within(l, path)
	}
	n := repositoryParts(g.host.Kind, g.parts)
	rest := append(slices.Clip(g.parts[n:]), path...)
	g.parts = g.parts[:n]
	l, err := g.repositoryOnly()
	if err != nil {
		return Locator{}, g.noShorthand(text)
	}
	if len(rest) == 0 {
		return l, nil
	}
	return g.point(l, rest)
}

// isPage tells whether the parts of a shorthand are those of a page of the host.
func (g page) isPage() bool {
	n := repositoryParts(g.host.Kind, g.parts)
	switch g.host.Kind {
	case GitLab:
		return slices.Contains(g.parts, "-")
	case GitHub, HuggingFace:
		return len(g.parts) > n+1 && (g.parts[n] == "tree" || g.parts[n] == "blob")
	}
	return false
}

// cutAt cuts a text at the first "@" that stands behind a character of its part.
func cutAt(text string) (before, after string, found bool) {
	for i := 1; i < len(text); i++ {
		if text[i] == '@' && text[i-1] != '/' {
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// repositoryParts tells how many parts name the repository; the others are a path in it.
func repositoryParts(kind HostKind, parts []string) int {
	n := 2
	switch {
	case kind == GitLab, kind == gist:
		return len(parts)
	case kind == HuggingFace && len(parts) > 2 && (parts[0] == "spaces" || parts[0] == "datasets"):
		n = 3
	}
	return min(n, len(parts))
}

// noShorthand is the error for a text that is nothing else either.
func (r reader) noShorthand(text string) error {
	hint := "name a repository as owner/repo, a directory as ./directory"
	if strings.Contains(text, "://") {
		hint = "give the address alone, without what stands around it"
	}
	if strings.HasPrefix(text, "@") && npmPattern.MatchString(text) {
		hint = "an npm package is npm:" + text
	}
	return r.fail("invalid-source", "is no repository, address, directory or package", hint)
}

// fragment applies what stands behind "#": [branch:|tag:|commit:]REF. A slash at the end says that the ref may go on into
// the path, "semver:" is npm's word for a range.
func (r reader) fragment(l Locator, fragment string) (Locator, error) {
	ref, err := r.unescape(fragment)
	switch {
	case err != nil:
		return Locator{}, err
	case l.Kind != Git:
		return Locator{}, r.fail("invalid-ref", "names a ref of what has none", "")
	case l.Ref != "":
		return Locator{}, r.twoRefs()
	}
	l.RefKind, ref = cutKind(ref)
	l.Ref, l.Ambiguous = strings.CutSuffix(ref, "/")
	if l.Ambiguous && l.Path == "" || l.Ref == "" {
		return Locator{}, r.fail("missing-ref", "names no ref behind \"#\"", "")
	}
	l.SkillOrRef = false
	return l, nil
}

// cutKind cuts the word for the kind of a ref off it.
func cutKind(ref string) (RefKind, string) {
	word, rest, found := strings.Cut(ref, ":")
	switch kind := RefKind(word); {
	case !found:
	case kind == BranchRef, kind == TagRef, kind == CommitRef:
		return kind, rest
	case kind == "semver":
		return AnyRef, rest
	}
	return AnyRef, ref
}

// gitHTTPS reads git+https: the address to clone, then //path and #ref.
func (r reader) gitHTTPS(rest string) (Locator, error) {
	a, err := r.split(rest)
	if err != nil {
		return Locator{}, err
	}
	base, sub, _ := strings.Cut(strings.TrimPrefix(a.path, "/"), "//")
	parts, err := r.parts(base)
	if err != nil {
		return Locator{}, err
	}
	g := page{r, a, parts}
	if (a.host.Kind == "" || a.host.Kind == PlainGit) && g.shape() == "" {
		g.host.Kind = cloneOnly
	}
	l, err := g.read()
	if err != nil {
		return l, err
	}
	if l.Kind != Git {
		return Locator{}, r.fail("not-a-repo", "names no repository", "write the address to clone")
	}
	if l.SkillOrRef { // no skill is named in an address to clone
		l = l.SkillAsRef()
	}
	return r.inClone(l, sub, a)
}

// inClone adds //path and the ref to the repository of an address to clone.
func (r reader) inClone(l Locator, sub string, a address) (Locator, error) {
	ref := a.query.Get("ref")
	switch {
	case ref == "" || l.Ref != "":
		return r.inRepository(l, sub, a.fragment, a.hash)
	case a.hash:
		return Locator{}, r.twoRefs()
	}
	return r.inRepository(l, sub, escape(ref), true)
}

// twoRefs is the error of a text that names more than one ref.
func (r reader) twoRefs() error {
	return r.fail("invalid-ref", "names two refs", "leave out one of them")
}

// inRepository adds //path and #ref to a repository.
func (r reader) inRepository(l Locator, sub, fragment string, hash bool) (Locator, error) {
	path, err := r.parts(sub)
	if err == nil {
		l, err = r.within(l, path)
	}
	if err != nil {
		return Locator{}, err
	}
	if hash {
		return r.fragment(l, fragment)
	}
	return l, nil
}

// within adds a path to a repository, if it has any parts.
func (r reader) within(l Locator, path []string) (Locator, error) {
	switch {
	case len(path) == 0:
		return l, nil
	case l.Path != "" || l.File:
		return Locator{}, r.fail("bad-url", "names two paths", "leave out one of them")
	}
	return r.point(l, path)
}

// The grammars of packages and artifacts: package-name of npm, name, tag and digest of the OCI distribution specification.
var (
	npmPattern     = regexp.MustCompile(`^(?:(@[A-Za-z0-9~][A-Za-z0-9._~-]*)/)?([A-Za-z0-9~][A-Za-z0-9._~-]*)(?:@(.+))?$`)
	npmTagPattern  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)
	ociPattern     = regexp.MustCompile(`^((?:[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*/)*)([a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)(?::([A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`)
	builtinPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// npm reads [@scope/]package[@version].
func (r reader) npm(text string) (Locator, error) {
	m := npmPattern.FindStringSubmatch(text)
	if m == nil || m[3] != "" && !npmTagPattern.MatchString(m[3]) && !IsRange(m[3]) || strings.Contains(text, "..") {
		return Locator{}, r.fail("invalid-source", "is no npm package", "write npm:package or npm:@scope/package@version")
	}
	l := Locator{Kind: NPM, Host: "registry.npmjs.org", Owner: m[1], Repo: m[2], Ref: m[3]}
	l.URL = "https://" + l.Host + "/" + escape(strings.TrimPrefix(l.Owner+"/"+l.Repo, "/"))
	return l, nil
}

// oci reads registry/repository[:tag][@digest]. The digest says more than the tag.
func (r reader) oci(rest string) (Locator, error) {
	registry, name, _ := strings.Cut(rest, "/")
	a, err := r.split(registry)
	if err != nil {
		return Locator{}, err
	}
	m := ociPattern.FindStringSubmatch(name)
	if m == nil {
		return Locator{}, r.fail("invalid-source", "is no artifact", "write oci://registry/repository:tag")
	}
	l := Locator{Kind: OCI, Host: a.name, Owner: strings.TrimSuffix(m[1], "/"), Repo: m[2], Ref: m[3]}
	if m[4] != "" {
		l.Ref = m[4]
	}
	l.URL = "https://" + l.Host + "/v2/" + m[1] + m[2]
	return l, nil
}

// builtin reads the name of a skill that the binary carries.
func (r reader) builtin(name string) (Locator, error) {
	if !builtinPattern.MatchString(name) {
		return Locator{}, r.fail("invalid-source", "names no builtin skill", "write builtin:name")
	}
	return Locator{Kind: Builtin, Path: name}, nil
}
