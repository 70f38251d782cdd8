package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"skills/catalog/marketplace"
	"skills/source/names"
)

const (
	defaultDepth   = 8
	hardDepth      = 64     // levels below which nothing is looked at
	maxDirectories = 50_000 // of one walk
	largeRoot      = 500    // files that make a skill at the root look like an application
)

// WalkOptions says where and how far Walk looks.
type WalkOptions struct {
	Below    string // directory (or manifest) to start at, through links too; "" for the root
	MaxDepth int    // levels below the start that are listed, the start being 0; below 1 means 8
	Full     bool   // Visible gives the hidden ones as well
	Fallback string // name of the repository or folder, for a skill at the root

	// Plugin is the plugin that lies at Below: it is the only one, and no marketplace file is read.
	Plugin *marketplace.Plugin
}

// Listing is what Walk found: Candidates sorted by the bytes of their paths,
// hidden ones included, and Findings about the tree as a whole.
type Listing struct {
	Candidates []Candidate
	Findings   []Finding

	options  WalkOptions
	start    string            // where the walk began, "." for the root
	found    []Candidate       // as found and read, before equal ones are joined
	reasons  map[string]reason // why a candidate is hidden, by its path
	bytesOf  map[string]string // the file that holds a manifest, where that is a link
	links    map[string]string // links to directories, and what they lead to
	suspects map[string]string // text files that probably stand for links
	modules  []string          // submodules

	market    []string          // marketplace files at the places that agents read
	manifests []string          // plugin.json files, as many as are brought
	groups    []group           // what those say; nil until read
	renames   map[string]string // old names of plugins
	byDir     map[string][]int  // the groups that name a directory
}

// reason says why a candidate is not listed by itself.
type reason uint8

const (
	belowDot    reason = 1 << iota // in a directory that begins with a dot
	tooDeep                        // below MaxDepth
	belowSkill                     // inside another skill
	belowModule                    // in node_modules
	outranked                      // a namesake lies in a better place
	template                       // holds placeholders instead of a skill
)

// Walk finds the candidates, the directories that hold a SKILL.md in any
// spelling, by listing alone: it never opens a file.
//
// What is listed: everything to MaxDepth, but nothing in dot directories or
// node_modules and nothing inside a skill; so a manifest at the start is the
// only one. Where that finds nothing, dot directories are looked into, then
// what lies deeper. All other candidates are there as hidden ones. Links are not
// followed, but Below may name a path through one. Submodules are not entered.
// At most 50,000 directories are looked at, visible ones first; beyond that a
// finding says that the list may be incomplete.
//
// The error is an *Error "not_found" or "path_escape" about Below, or the cause
// of a cancelled ctx. That there is no skill at all is for Read to say, which
// can name the reason.
func Walk(ctx context.Context, fsys fs.FS, o WalkOptions) (*Listing, error) {
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultDepth
	}
	start, err := startOf(fsys, o.Below)
	if err != nil {
		return nil, err
	}
	l, err := walk(ctx, fsys, o, start, false)
	if err != nil {
		return nil, err
	}
	return l, l.besideRoot(ctx, fsys, sameID(fsys))
}

func sameID(fsys fs.FS) func(a, b string) bool {
	return func(a, b string) bool {
		one, known := objectID(fsys, a)
		two, _ := objectID(fsys, b)
		return known && one == two
	}
}

func walk(ctx context.Context, fsys fs.FS, o WalkOptions, start string, rootApart bool) (*Listing, error) {
	w := &walker{ctx: ctx, fsys: fsys, rootApart: rootApart, now: []place{{path: start}}}
	w.list = &Listing{options: o, start: start, reasons: map[string]reason{},
		bytesOf: map[string]string{}, links: map[string]string{}, suspects: map[string]string{}}
	if err := w.run(); err != nil {
		return nil, err
	}
	w.finish()
	return w.list, nil
}

// place is a directory to look at.
type place struct {
	path  string
	depth int
	why   reason
}

type walker struct {
	ctx       context.Context
	fsys      fs.FS
	rootApart bool // the root's manifest hides nothing
	list      *Listing
	now       []place // visible directories, looked at before all others
	later     []place
	links     []string
	plain     []string // files without extension in a directory named skills
	strays    []string // marketplace files where nobody reads them
	manifests []string // plugin.json files
	looked    int
	files     int
}

func (w *walker) run() error {
	for len(w.now)+len(w.later) > 0 {
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		if len(w.now) == 0 {
			w.now, w.later = w.later, nil
		}
		next := w.now[len(w.now)-1]
		w.now = w.now[:len(w.now)-1]
		if w.looked++; w.looked > maxDirectories {
			w.report("limit", SeverityWarning, "", "only %d directories were looked at; the list may be incomplete", maxDirectories)
			return nil
		}
		if err := w.directory(next); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) report(code string, s Severity, file, format string, args ...any) {
	w.list.Findings = append(w.list.Findings, Finding{code, s, file, 0, fmt.Sprintf(format, args...)})
}

func (w *walker) directory(at place) error {
	entries, err := fs.ReadDir(w.fsys, at.path)
	if err != nil && at.path == w.list.start {
		return err
	}
	if err != nil {
		w.report("io_error", SeverityWarning, at.path, "%q cannot be listed: %v", at.path, err)
		return nil
	}
	inside := at.why
	if manifest := manifestOf(entries); manifest != "" {
		w.candidate(at, entries, manifest)
		if at.path != "." || !w.rootApart {
			inside |= belowSkill
		}
	}
	for _, e := range entries {
		w.entry(e, path.Join(at.path, e.Name()), at.depth+1, inside)
	}
	return nil
}

func (w *walker) entry(e fs.DirEntry, name string, depth int, why reason) {
	switch {
	case names.IsGit(e.Name()):
	case e.IsDir():
		w.subdirectory(name, depth, why)
	case e.Type() == fs.ModeSymlink:
		w.links = append(w.links, name)
		w.marketplace(name)
	case e.Type() == fs.ModeIrregular:
		if why&belowDot == 0 {
			w.list.modules = append(w.list.modules, name)
		}
	default:
		w.files++
		w.marketplace(name)
		if why&belowModule == 0 && strings.HasSuffix("/"+name, "/"+marketplace.Manifest) {
			w.manifests = append(w.manifests, name)
		}
		if path.Base(path.Dir(name)) == "skills" && !strings.Contains(e.Name(), ".") {
			w.plain = append(w.plain, name)
		}
	}
}

func (w *walker) subdirectory(name string, depth int, why reason) {
	base := path.Base(name)
	switch {
	case depth > hardDepth:
		return
	case base == "node_modules":
		why |= belowModule
	case base[0] == '.':
		why |= belowDot
	}
	if depth > w.list.options.MaxDepth {
		why |= tooDeep
	}
	next := place{name, depth, why}
	if why == 0 {
		w.now = append(w.now, next)
	} else {
		w.later = append(w.later, next)
	}
}

func (w *walker) marketplace(name string) {
	switch {
	case slices.Contains(marketplace.Files(), name):
		w.list.market = append(w.list.market, name)
	case strings.HasSuffix(name, "/.claude-plugin/marketplace.json"):
		w.strays = append(w.strays, name)
	}
}

func (w *walker) candidate(at place, entries []fs.DirEntry, manifest string) {
	c := Candidate{Path: strings.TrimPrefix(at.path, "."), Manifest: path.Join(at.path, manifest)}
	if at.path != "." {
		c.Path = at.path
	}
	if manifest != manifestName {
		c.report("manifest_case", SeverityWarning, 0, "%s is installed as SKILL.md, the only spelling that agents on Linux look for", manifest)
	}
	i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == manifest })
	if entries[i].Type() == fs.ModeSymlink {
		w.linked(&c)
	}
	w.list.found = append(w.list.found, c)
	w.list.reasons[c.Path] = at.why
}

// linked looks at a manifest that is a link, to anywhere in the tree.
func (w *walker) linked(c *Candidate) {
	real, info, err := follow(w.fsys, c.Manifest)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s leads to no file", path.Base(c.Manifest))
	}
	if err != nil {
		e := invalid("frontmatter_missing", c.Manifest, 0, "%v", err).advise(fileItself)
		if errors.Is(err, errEscape) {
			e.Kind, e.Reason = "path_escape", ""
		}
		c.Err = e
		return
	}
	w.list.bytesOf[c.Path] = real
}

// finish sorts, decides what is visible, and says what else the tree holds.
func (w *walker) finish() {
	l := w.list
	slices.SortFunc(l.found, func(a, b Candidate) int { return strings.Compare(a.Path, b.Path) })
	l.reveal(belowDot)
	l.reveal(belowDot | tooDeep)
	slices.SortFunc(l.market, func(a, b string) int {
		return slices.Index(marketplace.Files(), a) - slices.Index(marketplace.Files(), b)
	})
	w.resolveLinks()
	w.plugins()
	w.suspicious()
	w.submodules()
	if len(w.strays) > 0 {
		w.report("marketplace", SeverityWarning, w.strays[0], "a marketplace file counts only at the root of the repository; %d ignored", len(w.strays))
	}
	if root := l.at(""); root != nil && w.files > largeRoot {
		root.report("whole_repository", SeverityWarning, 0, "the repository itself is the skill: all of its %d files would be installed", w.files)
	}
	l.arrange(w.fsys)
}

// reveal lists what is hidden for these reasons alone, when nothing else is.
func (l *Listing) reveal(allowed reason) {
	if slices.ContainsFunc(l.found, func(c Candidate) bool { return l.reasons[c.Path] == 0 }) {
		return
	}
	for _, c := range l.found {
		if l.reasons[c.Path]&^allowed == 0 {
			l.reasons[c.Path] = 0
		}
	}
}

// resolveLinks notes where links to directories lead, so that a selector can name
// a skill through one, and drops marketplace files that are links to nothing.
func (w *walker) resolveLinks() {
	l := w.list
	for _, link := range w.links {
		real, info, err := follow(w.fsys, link)
		i := slices.Index(l.market, link)
		switch {
		case err == nil && info.IsDir():
			l.links[link] = real
		case err == nil && i >= 0:
			l.market[i] = real
		case i >= 0:
			w.report("marketplace", SeverityWarning, link, "%q is a link to nothing and is ignored", link)
			l.market = slices.Delete(l.market, i, i+1)
		}
	}
}

// plugins decides which files about plugins are to be read, the marketplaces in
// the order in which they count.
func (w *walker) plugins() {
	l := w.list
	if l.options.Plugin != nil {
		l.market, w.strays = nil, nil
		w.manifests = slices.DeleteFunc(w.manifests, func(name string) bool { return name != path.Join(l.start, marketplace.Manifest) })
	} else if len(l.market) == 0 {
		return
	}
	slices.Sort(w.manifests)
	if n := len(w.manifests); n > maxManifests {
		w.report("limit", SeverityWarning, l.market[0], "only %d of %d files plugin.json are read", maxManifests, n)
		w.manifests = w.manifests[:maxManifests]
	}
	l.manifests = w.manifests
}

// suspicious finds text files that stand where a link to a skill was meant: a
// file without extension in a directory named skills, with the name of a skill
// that lies elsewhere.
func (w *walker) suspicious() {
	byBase := map[string]string{}
	for _, c := range w.list.found {
		byBase[path.Base(c.Path)] = c.Path
	}
	for _, name := range w.plain {
		if real := byBase[path.Base(name)]; real != "" {
			w.list.suspects[name] = real
			w.report("link_as_text", SeverityWarning, name, "%q is a file; probably a symlink to %q committed as text", name, real)
		}
	}
}

// submodules are a note where .gitmodules says what they are, else a warning:
// then nobody can fetch them.
func (w *walker) submodules() {
	severity, what := SeverityInfo, "is a submodule and is not fetched"
	if _, err := fs.Lstat(w.fsys, ".gitmodules"); err != nil {
		severity, what = SeverityWarning, "is a submodule without a URL"
	}
	for _, name := range w.list.modules {
		w.report("submodule", severity, name, "%q %s", name, what)
	}
}

// startOf resolves Below.
func startOf(fsys fs.FS, below string) (string, error) {
	clean := path.Clean(strings.Trim(below, "/"))
	real, info, err := follow(fsys, clean)
	switch {
	case err == nil && info.IsDir():
		return real, nil
	case err == nil && info.Mode().IsRegular() && strings.EqualFold(path.Base(real), manifestName):
		return path.Dir(real), nil
	}
	e := &Error{Kind: "not_found", At: clean, Message: fmt.Sprintf("there is no directory %q", clean)}
	if err != nil {
		e.Message = err.Error()
		if strings.HasPrefix(clean, "../") || clean == ".." {
			e.Kind, e.Message = "path_escape", fmt.Sprintf("%q leaves the repository", clean)
		} else if errors.Is(err, errEscape) {
			e.Hint = "name a directory of the repository"
		} else if near := nearPath(fsys, clean); len(near) > 0 && errors.Is(err, errDangling) {
			e.Hint = meant(near)
		}
		return "", inModule(fsys, clean, e)
	}
	if info.Mode().Type() == fs.ModeIrregular {
		return "", inModule(fsys, clean, e)
	}
	e.Message = fmt.Sprintf("%q is a file, not a directory; probably a symlink committed as text", clean)
	e.Hint = "name the directory that is meant"
	return "", e
}

// inModule says of a path in a submodule what to name instead.
func inModule(fsys fs.FS, name string, e *Error) error {
	for at := name; at != "."; at = path.Dir(at) {
		info, err := fs.Lstat(fsys, at)
		if err != nil || info.Mode().Type() != fs.ModeIrregular {
			continue
		}
		e.Message = fmt.Sprintf("%q is a submodule, which is not fetched", at)
		e.Hint = "name the repository that .gitmodules gives for it"
		if _, err := fs.Lstat(fsys, ".gitmodules"); err != nil {
			e.Message, e.Hint = fmt.Sprintf("%q is a submodule without a URL", at), "ask the author: nobody can fetch it"
		}
	}
	return e
}

// nearPath gives the entries of the last existing directory on the way that
// resemble the part that is missing.
func nearPath(fsys fs.FS, name string) (near []string) {
	dir, part := path.Dir(name), path.Base(name)
	for dir != "." {
		if _, info, err := follow(fsys, dir); err == nil && info.IsDir() {
			break
		}
		dir, part = path.Dir(dir), path.Base(dir)
	}
	entries, _ := fs.ReadDir(fsys, dir)
	var known []string
	for _, e := range entries {
		known = append(known, e.Name())
	}
	for _, n := range names.NearAlike(part, known, mostNames) {
		near = append(near, path.Join(dir, n))
	}
	return near
}

// besideRoot deals with a root skill whose document also lies, byte for byte, in
// a skills directory below: that copy is what is meant, since the root would
// bring the whole repository. The root stays reachable by its path.
func (l *Listing) besideRoot(ctx context.Context, fsys fs.FS, same func(a, b string) bool) error {
	if l.start != "." || l.reasons[""]&outranked != 0 {
		return nil
	}
	copied := l.copyOfRoot(same)
	if copied == "" {
		return nil
	}
	apart, err := walk(ctx, fsys, l.options, ".", true)
	if err != nil {
		return err
	}
	apart.reasons[""], apart.reasons[copied] = outranked, 0
	apart.at(copied).report("root_copy", SeverityWarning, 0,
		"the root of the repository holds the same SKILL.md; %q is taken, the path . chooses the root", copied)
	*l = *apart
	l.arrange(fsys)
	return nil
}

// at gives what was found at a path, nil for nothing.
func (l *Listing) at(name string) *Candidate {
	i := slices.IndexFunc(l.found, func(c Candidate) bool { return c.Path == name })
	if i < 0 {
		return nil
	}
	return &l.found[i]
}

// copyOfRoot finds that copy, "" when there is none or the root is no skill.
func (l *Listing) copyOfRoot(same func(a, b string) bool) string {
	root, best := l.at(""), ""
	if root == nil || l.bytesOf[""] != "" || root.Err != nil {
		return ""
	}
	for _, c := range l.found {
		if path.Base(path.Dir(c.Path)) != "skills" || l.bytesOf[c.Path] != "" || c.Err != nil {
			continue
		}
		if same(root.Manifest, c.Manifest) && (best == "" || rank(c.Path) < rank(best)) {
			best = c.Path
		}
	}
	return best
}
