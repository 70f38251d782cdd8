package marketplace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// place reads where a plugin lies: a text is a directory of the repository, an object says by its own "source" how to read it.
func (r *reader) place(p *Plugin, raw json.RawMessage) (err error) {
	var written string
	if len(raw) > 0 && json.Unmarshal(raw, &written) == nil {
		return r.written(p, written)
	}
	o, ok := object(raw)
	if !ok {
		return errors.New("its source is neither a text nor an object")
	}
	s := sourceObject{}
	for key, into := range map[string]*string{
		"source": &s.kind, "url": &s.url, "repo": &s.repo, "package": &s.pkg, "path": &s.path,
		"ref": &s.ref, "sha": &s.sha, "version": &s.version, "registry": &s.registry,
	} {
		err = cmp.Or(err, text(o, key, into))
	}
	if err != nil {
		return err
	}
	return r.object(p, s)
}

// sourceObject is a source as an object.
type sourceObject struct {
	kind, url, repo, pkg, path, ref, sha, version, registry string
}

// written reads a source that is a text.
func (r *reader) written(p *Plugin, written string) (err error) {
	switch {
	case written == "":
		return errors.New("it has no source")
	case strings.Contains(written, "://"):
		p.Remote, err = remote(Remote{Kind: "url", Location: written})
		return err
	}
	p.Dir, err = below(r.rooted(written))
	return err
}

// rooted puts the pluginRoot before a bare name, which is one without a slash.
func (r *reader) rooted(written string) string {
	if r.root == "" || strings.Contains(written, "/") || written == "." || written == ".." {
		return written
	}
	return r.root + "/" + written
}

// object reads a source that is an object. Where no kind stands, the keys say it.
func (r *reader) object(p *Plugin, s sourceObject) (err error) {
	kind, location := s.kind, ""
	if kind == "" {
		kind = map[bool]string{true: "github", false: "npm"}[s.repo != ""]
		if s.url != "" {
			kind = "url"
		}
	}
	switch kind {
	case "local", "directory", "relative":
		p.Dir, err = below(cmp.Or(s.path, "."))
		return err
	case "github":
		location = s.repo
	case "url", "git", "git-subdir":
		location = s.url
		if strings.HasPrefix(location, "./") || location == "." {
			return r.here(p, location, s.path)
		}
	case "npm":
		location = s.pkg
	default:
		return fmt.Errorf("its source is of the kind %q, which is not known", kind)
	}
	place := Remote{Kind: kind, Location: location, Path: s.path, Ref: s.ref, Commit: s.sha}
	switch kind {
	case "git":
		place.Kind = "url"
	case "npm":
		place.Ref, place.Registry = s.version, s.registry
	}
	p.Remote, err = remote(place)
	return err
}

// here reads an address that is a directory of the repository, and a path in it.
func (r *reader) here(p *Plugin, location, sub string) error {
	dir, err := below(location)
	if err == nil && sub != "" {
		sub, err = below(sub)
	}
	p.Dir = path.Join(dir, sub)
	return err
}

var (
	githubPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9._-]+$`)
	commitPattern = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
)

// remote checks what is said of a place elsewhere. A commit that is no whole id is an error: without it something else would be taken.
func remote(r Remote) (*Remote, error) {
	switch {
	case r.Location == "":
		return nil, errors.New(`its source does not say where it lies`)
	case r.Kind == "github" && !githubPattern.MatchString(r.Location):
		return nil, fmt.Errorf("%q is no repository such as owner/repo", r.Location)
	case r.Kind == "git-subdir" && r.Path == "":
		return nil, errors.New("its source has no path")
	case r.Kind == "npm" && r.Commit != "":
		return nil, errors.New("its source is a package, which has no commits")
	}
	for _, written := range []string{r.Location, r.Ref, r.Registry} {
		if len(written) > maxLocation || strings.ContainsFunc(written, func(c rune) bool { return c <= ' ' || c == utf8.RuneError || !unicode.IsPrint(c) }) {
			return nil, fmt.Errorf("%.80q is no part of a source", written)
		}
	}
	r.Commit = strings.ToLower(r.Commit)
	if r.Commit != "" && !commitPattern.MatchString(r.Commit) {
		return nil, fmt.Errorf("its sha %.80q is no whole commit id", r.Commit)
	}
	if r.Path != "" {
		dir, err := below(r.Path)
		if err != nil {
			return nil, err
		}
		if r.Path = dir; dir == "." {
			r.Path = ""
		}
	}
	return &r, nil
}
