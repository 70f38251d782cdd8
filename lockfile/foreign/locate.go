package foreign

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"skills/source"
	"skills/source/names"
)

var (
	commitID    = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	treeID      = regexp.MustCompile(`^[0-9a-f]{40}$`)
	digest      = regexp.MustCompile(`^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$`)
	bareDigest  = regexp.MustCompile(`^[0-9a-f]{64}$`)
	exact       = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?$`)
	onMachine   = regexp.MustCompile(`^(?:[/~\\]|[A-Za-z]:[\\/]|(?i:file):)`)
	fullAddress = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+-]*://|[^/:@]+@[^/:@]+:)`)
)

// parse reads a recorded address. No address holds a blank, and without one it cannot be read as a command line.
func (r *reader) parse(text string) (source.Locator, error) {
	if strings.ContainsAny(text, " \t") {
		return source.Locator{}, errors.New("the source holds a blank")
	}
	return source.Parse(text, r.hosts)
}

// asRepository reads the address of what is known to be a repository, though the address alone may not tell.
func (r *reader) asRepository(text string) (source.Locator, error) {
	l, err := r.parse(text)
	if err != nil || l.Kind == source.Git {
		return l, err
	}
	git, isGit := l.AsGit()
	if !isGit {
		return l, fmt.Errorf("source %q is no repository", l.Input)
	}
	return git, nil
}

// repository locates a directory in a repository. A path or ref that is not recorded apart is what the address says.
func (r *reader) repository(e *Entry, text, ref, path string) error {
	l, err := r.asRepository(text)
	switch {
	case err != nil:
		return err
	case l.Ambiguous:
		return fmt.Errorf("source %q does not say where the branch ends and the path begins", l.Input)
	case ref == "":
		ref = l.Ref
	case ref == "HEAD":
		ref = ""
	}
	if path == "" {
		path = l.Path
	}
	whole, err := r.parse(wholeText(l, shortRef(ref), path))
	if err != nil || whole.Kind != source.Git || whole.Path != path || !strings.EqualFold(whole.Ref, shortRef(ref)) {
		return errors.New("the ref or the path can be none in a repository")
	}
	e.Text, e.Path, e.Ref = whole.Canonical(), whole.Path, whole.Ref
	if commitID.MatchString(whole.Ref) {
		e.Commit = whole.Ref
	}
	return nil
}

// wholeText writes repository, path and ref in the form in which nothing is left to guess.
func wholeText(l source.Locator, ref, path string) string {
	l.Ref, l.RefKind, l.Path, l.File, l.Skill, l.SkillOrRef = "", source.AnyRef, "", false, "", false
	text := l.Canonical()
	if l.Transport == source.HTTPS {
		text = "git+" + strings.TrimPrefix(text, "git+")
	}
	if path != "" {
		parts := strings.Split(path, "/")
		for i, part := range parts {
			parts[i] = url.PathEscape(part)
		}
		text += "//" + strings.Join(parts, "/")
	}
	if ref != "" {
		text += "#" + url.PathEscape(ref)
	}
	return text
}

// shortRef gives a branch or tag as a person writes it, unless that could be taken for something else.
func shortRef(ref string) string {
	for _, prefix := range []string{"refs/heads/", "refs/tags/"} {
		short, found := strings.CutPrefix(ref, prefix)
		if found && !commitID.MatchString(short) && !strings.HasPrefix(short, "refs/") {
			return short
		}
	}
	return ref
}

// local locates a directory on this machine, or below the directory of the record.
func (r *reader) local(e *Entry, text, path string) error {
	switch {
	case text == "":
		return errors.New("the record does not say which directory")
	case onMachine.MatchString(text):
		e.Problem = "the path is absolute, so it is right on one machine only"
	case fullAddress.MatchString(text):
		return errors.New("the directory is an address")
	default:
		e.Problem = "a directory has no revisions"
		text = strings.ReplaceAll(text, `\`, "/")
		if !strings.HasPrefix(text, ".") {
			text = "./" + text
		}
	}
	if path != "" {
		text = strings.TrimRight(text, "/") + "/" + path
	}
	l, err := source.Parse(text, r.hosts)
	if err != nil {
		return err
	}
	e.Text = l.Canonical()
	return nil
}

// npmPackage locates a directory in a package of the npm registry.
func (r *reader) npmPackage(e *Entry, name, version, path string) error {
	text := "npm:" + name
	if version != "" {
		text += "@" + version
	}
	l, err := r.parse(text)
	if err != nil {
		return err
	}
	e.Text, e.Ref, e.Path = l.Canonical(), l.Ref, path
	if !exact.MatchString(version) {
		e.Problem = "no exact version is recorded"
	}
	return nil
}

// other locates what is not known to be a repository: a file, an archive, a site.
func (r *reader) other(e *Entry, text, ref, path string) error {
	l, err := r.parse(text)
	switch {
	case err != nil:
		return err
	case l.Kind == source.Git:
		return r.repository(e, text, ref, path)
	case l.URL == "":
		return fmt.Errorf("source %q is no address", l.Input)
	}
	l.Skill, l.SkillOrRef = "", false
	e.Text, e.Path = l.Canonical(), path
	return nil
}

// directory gives the clean directory of a recorded path, which may end with the SKILL.md in it.
func directory(key, path string) (string, error) {
	path = strings.TrimPrefix(strings.ReplaceAll(path, `\`, "/"), "./")
	path = strings.TrimSuffix(path, "/")
	if cut := strings.LastIndex(path, "/") + 1; strings.EqualFold(path[cut:], "SKILL.md") {
		path = strings.TrimSuffix(path[:cut], "/")
	}
	if path == "" || path == "." {
		return "", nil
	}
	if err := names.CheckPath(path); err != nil {
		return "", fmt.Errorf("%q %w", key, err)
	}
	return path, nil
}

// unpinned says why the content that was installed cannot be told; hash is the key of a hash that is of no use, if it is there.
func (e *Entry) unpinned(f *fields, hash string) {
	if e.Commit != "" || e.Tree != "" || e.Problem != "" {
		return
	}
	e.Problem = "no commit is recorded"
	if v := f.table.get(hash); v != nil && v.text != "" {
		e.Problem += fmt.Sprintf(", and %q is of a kind that cannot be compared", hash)
	}
}
