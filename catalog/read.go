package catalog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Manifests gives the files whose contents Read needs: the manifests of the
// visible candidates, or of all, and the marketplace files at the root with the
// plugin.json files of what they may name. What was read already is left out.
func (l *Listing) Manifests(hidden bool) []string {
	var names []string
	if l.groups == nil {
		names = slices.Concat(l.market, l.manifests)
	}
	for _, c := range l.found {
		if l.wanted(c, hidden) {
			names = append(names, cmp.Or(l.bytesOf[c.Path], c.Manifest))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// wanted says whether a candidate is still to be read.
func (l *Listing) wanted(c Candidate, hidden bool) bool {
	return c.Skill == nil && c.Err == nil && (hidden || l.options.Full || l.reasons[c.Path] == 0)
}

// Read parses the manifests that Manifests names and settles what the candidates
// are: one that cannot be read or parsed stays, unusable, with its reason. Equal
// content under several paths becomes one candidate. Of several with one name
// and different content, the one in the best place stays visible and says so;
// where no place is best, all stay and say that the name is ambiguous. Names
// that some file systems take for one are reported.
//
// It can be called again with hidden true after a selector matched nothing. The
// error is an *Error "no_skills", which says what was found instead, or the
// cause of a cancelled ctx.
func (l *Listing) Read(ctx context.Context, fsys fs.FS, hidden bool) error {
	if err := l.besideRoot(ctx, fsys, sameBytes(fsys)); err != nil {
		return err
	}
	l.readMarketplaces(fsys)
	for i := range l.found {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if c := &l.found[i]; l.wanted(*c, hidden) {
			l.readOne(fsys, c)
		}
	}
	l.arrange(fsys)
	if len(l.Candidates) == 0 || !hidden && len(l.Visible()) == 0 {
		return l.noSkills()
	}
	return nil
}

func sameBytes(fsys fs.FS) func(a, b string) bool {
	return func(a, b string) bool {
		one, err1 := readDocument(fsys, a)
		two, err2 := readDocument(fsys, b)
		return err1 == nil && err2 == nil && bytes.Equal(one, two)
	}
}

// readDocument reads one file up to the bound of a document, and one byte more
// so that Parse sees that it is too long.
func readDocument(fsys fs.FS, name string) ([]byte, error) {
	in, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, maxDocumentBytes+1))
}

func (l *Listing) readOne(fsys fs.FS, c *Candidate) {
	raw, err := readDocument(fsys, cmp.Or(l.bytesOf[c.Path], c.Manifest))
	if err != nil {
		c.Err = err
		return
	}
	skill, findings, err := Parse(raw, Rules{})
	for _, f := range findings {
		f.File = c.Manifest
		c.Findings = append(c.Findings, f)
	}
	if err != nil {
		l.unusable(c, err)
		return
	}
	c.Findings = append(c.Findings, skill.escapes(c.Manifest)...)
	c.Skill, c.Usable = skill, true
	c.Name, c.Description, c.Directory = skill.Name, skill.Description, skill.directory
	l.compareNames(c)
	l.outsideLinks(fsys, c)
	c.Skill = skill.brief()
}

// unusable keeps the reason. A template is no skill and not shown.
func (l *Listing) unusable(c *Candidate, err error) {
	c.Err = err
	var e *Error
	if errors.As(err, &e) && e.Reason == "template" {
		l.reasons[c.Path] |= template
	}
}

func (c *Candidate) report(code string, s Severity, line int, format string, args ...any) {
	c.Findings = append(c.Findings, Finding{code, s, c.Manifest, line, fmt.Sprintf(format, args...)})
}

// base is the name of the directory that a candidate lies in.
func (l *Listing) base(c Candidate) string {
	if c.Path == "" {
		return l.options.Fallback
	}
	return path.Base(c.Path)
}

// compareNames reports a name that is not its directory's. A longer form of the
// directory's name (template, template-skill) is a habit and only a note.
func (l *Listing) compareNames(c *Candidate) {
	base := l.base(*c)
	if base == "" || base == c.Name || base == c.Directory {
		return
	}
	severity := map[bool]Severity{true: SeverityInfo, false: SeverityWarning}[strings.HasPrefix(c.Name, base+"-")]
	c.report("name_mismatch", severity, c.Skill.Lines["name"], "the skill is named %q, its directory %q", c.Name, base)
}

var upwardLink = regexp.MustCompile(`\]\(\s*<?(\.\./[^)>#?\s]*)`)

// outsideLinks names links of the instructions that lead to files which are in
// the repository and will not be installed.
func (l *Listing) outsideLinks(fsys fs.FS, c *Candidate) {
	var outside []string
	for _, m := range upwardLink.FindAllStringSubmatch(c.Skill.Body, 100) {
		target := path.Join(c.Path, m[1])
		if strings.HasPrefix(target, "../") || within(path.Join(".", c.Path), target) || slices.Contains(outside, m[1]) {
			continue
		}
		if _, err := fs.Lstat(fsys, target); err == nil {
			outside = append(outside, m[1])
		}
	}
	if len(outside) > 0 {
		c.report("link_outside", SeverityWarning, 0, "the instructions link to files outside the skill: %s", strings.Join(outside, ", "))
	}
}

// noSkills says what was found instead of a skill.
func (l *Listing) noSkills() error {
	e := &Error{Kind: "no_skills", At: l.start, Message: "there is no SKILL.md"}
	if l.start != "." {
		e.Message += fmt.Sprintf(" in %q", l.start)
	}
	for _, c := range l.found {
		if l.reasons[c.Path]&template != 0 {
			e.Message = fmt.Sprintf("%s: %v", c.Manifest, c.Err)
		}
	}
	if n := l.Hidden(); n > 0 {
		e.Hint = fmt.Sprintf("%d more can be listed with --full-depth", n)
	}
	if len(l.modules) > 0 {
		e.Message += "; submodules are not fetched: " + enumerate(slices.Clone(l.modules), 5)
	}
	if elsewhere := l.elsewhere(); elsewhere != "" {
		e.Message += "; " + elsewhere
		e.Hint = "see them with --list --remote-plugins"
	}
	return e
}
