package source

import (
	"fmt"
	"slices"
	"strings"

	"skills/source/names"
)

// WithRef gives the locator at a ref that was named apart from the text, which ends all doubt: a text whose ref may go on into
// the path is cut behind that ref. A text that names another ref is an error, and so is a kind without refs. A Site becomes
// the repository at its address.
func (l Locator) WithRef(ref string) (Locator, error) {
	r := reader{text: l.Canonical()}
	if site, ok := l.AsGit(); ok {
		l = site
	}
	switch {
	case l.Kind == NPM && (npmTagPattern.MatchString(ref) || IsRange(ref)),
		l.Kind == OCI && (ociPattern.MatchString("r:"+ref) || ociPattern.MatchString("r@"+ref)):
		l.Ref = ref
		return l, nil
	case l.Kind != Git:
		return l, r.fail("invalid-ref", fmt.Sprintf("has no refs, so it cannot be taken at %q", ref), "leave out the ref")
	}
	if l.Ref != "" {
		path, ok := l.behind(ref)
		if !ok {
			return l, r.fail("invalid-ref", fmt.Sprintf("names another ref than %q", ref), "leave out one of them")
		}
		l.Path = path
	}
	l.Ref, l.RefKind, l.Ambiguous, l.SkillOrRef = ref, AnyRef, false, false
	return r.finish(l)
}

// behind gives the path that is left behind a ref.
func (l Locator) behind(ref string) (path string, ok bool) {
	full, short := shortRef(l.Ref), shortRef(ref)
	if full == short {
		return l.Path, true
	}
	path, ok = strings.CutPrefix(full+"/"+l.Path+"/", short+"/")
	return strings.TrimSuffix(path, "/"), ok && l.Ambiguous
}

// shortRef gives the name of a branch or tag without the folders of refs.
func shortRef(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/tags/")
}

// SkillAsRef gives the other reading of "owner/repo@x": no skill is called x, so the ref x is meant.
func (l Locator) SkillAsRef() Locator {
	if l.SkillOrRef {
		l.Ref, l.RefKind, l.Skill, l.SkillOrRef = l.Skill, impliedKind(l.Skill), "", false
	}
	return l
}

// AsGit gives the reading of a Site as the repository at that address, for a host that is asked what it is. It is false where
// the address cannot be one.
func (l Locator) AsGit() (Locator, bool) {
	owner, repo, err := reader{}.ownerRepo(strings.Split(l.Path, "/"))
	if l.Kind != Site || err != nil {
		return l, false
	}
	l.Kind, l.Owner, l.Repo, l.Path, l.Transport = Git, owner, repo, "", HTTPS
	return l, true
}

// split is one way to cut what follows "tree" into ref and path.
type split struct{ ref, path string }

// splits gives all ways, the longest ref first; one when there is no doubt.
func (l Locator) splits() []split {
	splits := []split{{l.Ref, l.Path}}
	if !l.Ambiguous {
		return splits
	}
	ref, rest := l.Ref, l.Path
	for rest != "" {
		part, tail, _ := strings.Cut(rest, "/")
		ref, rest = ref+"/"+part, tail
		splits = append(splits, split{ref, rest})
	}
	slices.Reverse(splits)
	return splits
}

// fullNames gives the full names that a ref may have, the branch first.
func (l Locator) fullNames(ref string) []string {
	if strings.HasPrefix(ref, "refs/") {
		return []string{ref}
	}
	var names []string
	for _, folder := range map[RefKind][]string{AnyRef: {"heads", "tags"}, BranchRef: {"heads"}, TagRef: {"tags"}}[l.RefKind] {
		names = append(names, "refs/"+folder+"/"+ref)
	}
	return names
}

// RefPrefixes gives the ref-prefix lines that an ls-refs must send so that [Locator.Settle] can decide; none when nothing needs
// to be asked, as for a commit.
func (l Locator) RefPrefixes() []string {
	switch {
	case l.Kind != Git || l.RefKind == CommitRef:
		return nil
	case l.SkillOrRef:
		return append([]string{"HEAD"}, l.fullNames(l.Skill)...)
	case l.Ref == "":
		return []string{"HEAD"}
	case IsRange(l.Ref):
		return []string{"HEAD", "refs/tags/"}
	}
	prefixes := []string{"HEAD"}
	for _, s := range l.splits() {
		prefixes = append(prefixes, l.fullNames(s.ref)...)
	}
	return prefixes
}

// Settle ends the doubt about where Ref ends, from the full names of the refs that the host lists: the longest ref that is a
// branch or a tag, a branch before a tag (with a note), else hex as a commit. Ambiguous and SkillOrRef are false then: what
// stood behind "@" is taken as a skill. A range stays as it is when a tag matches. The error is an *[Error] "not_found" with
// near names.
func (l Locator) Settle(names []string) (Locator, error) {
	l.SkillOrRef = false
	if l.Kind != Git || l.Ref == "" || l.RefKind == CommitRef {
		l.Ambiguous = false
		return l, nil
	}
	if IsRange(l.Ref) {
		return l.settleRange(names)
	}
	if settled, ok := l.settleName(names); ok {
		return settled, nil
	}
	if hexPattern.MatchString(l.Ref) && l.RefKind == AnyRef {
		l.Ref, l.RefKind, l.Ambiguous = strings.ToLower(l.Ref), CommitRef, false
		return l, nil
	}
	return l, l.noRef(names)
}

// settleName cuts the ref where the longest one that is listed ends.
func (l Locator) settleName(names []string) (Locator, bool) {
	listed := make(map[string]bool, len(names))
	for _, name := range names {
		listed[name] = true
	}
	missing := func(name string) bool { return !listed[name] }
	for _, s := range l.splits() {
		found := slices.DeleteFunc(l.fullNames(s.ref), missing)
		if len(found) == 0 {
			continue
		}
		l.Ref, l.Path, l.Ambiguous = s.ref, s.path, false
		if len(found) > 1 {
			l.Notes = append(slices.Clip(l.Notes), bothNote(s.ref))
		}
		return l, true
	}
	return l, false
}

// bothNote remarks that a branch was taken where a tag has its name.
func bothNote(ref string) Note {
	return Note{"ambiguous_ref", fmt.Sprintf("%q is a branch and a tag, the branch is taken; for the tag write refs/tags/%s", ref, ref)}
}

// settleRange checks that a tag is in the range.
func (l Locator) settleRange(names []string) (Locator, error) {
	tags := slices.DeleteFunc(slices.Clone(names), isNoTag)
	if _, ok := MatchTag(l.Ref, l.component(), tags); !ok {
		return l, l.noRef(names)
	}
	return l, nil
}

// component gives the skill whose own tags count for a range, "" when all of the repository is meant.
func (l Locator) component() string {
	if l.Skill == "" && l.Path != "" {
		return l.Directory()
	}
	return l.Skill
}

// noRef is the error for a ref that the host does not list.
func (l Locator) noRef(names []string) error {
	what, hint := fmt.Sprintf("branch or tag %q", l.Ref), nearHint(l.Ref, names)
	if IsRange(l.Ref) {
		what, hint = fmt.Sprintf("tag in the range %q", l.Ref), l.newestHint(names)
	}
	return &Error{Kind: "not_found", Text: l.Canonical(), Message: fmt.Sprintf("%s has no %s", l.Source(), what), Hint: hint}
}

// newestHint names the newest version that there is in place of one in a range.
func (l Locator) newestHint(names []string) string {
	tag, ok := MatchTag("*", l.component(), slices.DeleteFunc(slices.Clone(names), isNoTag))
	if !ok {
		return "none of its tags is a released version; name a branch, a tag or a commit"
	}
	return "the newest version is " + shortRef(tag)
}

// isNoTag tells whether the full name of a ref is not that of a tag.
func isNoTag(name string) bool { return !strings.HasPrefix(name, "refs/tags/") }

// nearHint names what a person may have meant.
func nearHint(ref string, refs []string) string {
	var known []string
	for _, name := range refs {
		if short := shortRef(name); short != name {
			known = append(known, short)
		}
	}
	near := names.Near(shortRef(ref), known, 3)
	for i := range near {
		near[i] = fmt.Sprintf("%q", near[i])
	}
	switch n := len(near); n {
	case 0:
		return "without a ref the default branch is taken"
	case 1:
		return "did you mean " + near[0] + "?"
	default:
		return "did you mean " + strings.Join(near[:n-1], ", ") + " or " + near[n-1] + "?"
	}
}
