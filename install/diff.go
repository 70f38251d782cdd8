package install

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"skills/install/agents"
	"skills/install/internal/merge"
	"skills/source"
)

// Diff is how an installed skill differs from what it is compared with.
type Diff struct {
	Name  string
	Files []FileState // those that differ, sorted by path, with their Text
	Err   error       // why they are not known
}

// Diff compares installed skills, those named or all, with the lock, which shows local edits: the texts are patches from the locked
// files to those that are here. A skill that cannot be compared does not hide the others. Nothing changes but the store.
func (e *Engine) Diff(ctx context.Context, names ...string) ([]Diff, error) {
	return e.diff(ctx, false, names)
}

// DiffUpstream compares as [Engine.Diff] does, with the newest revision that the manifest allows. The texts show what an update would
// bring: they are patches from the files that are here to those of upstream.
func (e *Engine) DiffUpstream(ctx context.Context, names ...string) ([]Diff, error) {
	return e.diff(ctx, true, names)
}

// diff compares with one or the other.
func (e *Engine) diff(ctx context.Context, upstream bool, names []string) ([]Diff, error) {
	records, err := e.read()
	if err != nil {
		return nil, err
	}
	d := &differ{tracker: &tracker{engine: e, records: records, trees: map[string]Tree{}}, upstream: upstream}
	skills, err := d.named(names)
	if err != nil {
		return nil, err
	}
	if upstream {
		d.resolve(ctx, skills)
	}
	all := make([]Diff, len(skills))
	for i, c := range d.begin(ctx, skills) {
		all[i].Name = c.lock.Name
		if c.err == nil {
			all[i].Files, c.err = d.files(ctx, c)
		}
		if c.err != nil {
			all[i].Err = naming(c.lock.Name, c.err)
		}
	}
	return all, context.Cause(ctx)
}

// differ compares the skills of one request.
type differ struct {
	*tracker
	upstream bool
}

// comparison is an installed skill with what it is compared with.
type comparison struct {
	*tracked
	at    entry
	step  Step // what it is compared with; its tree is nil while only the lock is known
	newer bool // that is not what the lock says
	err   error
}

// begin looks at what is here, and with upstream at what is there, whose files are loaded at once for each revision.
func (d *differ) begin(ctx context.Context, skills []*tracked) []*comparison {
	all := make([]*comparison, len(skills))
	loads := map[Tree][]string{}
	for i, s := range skills {
		c := &comparison{tracked: s, step: stepOf(s.lock)}
		all[i] = c
		if c.at, c.err = d.look(ctx, s.lock.Name, s.lock.Hash); c.err == nil && d.upstream {
			c.err = d.newest(ctx, c)
		}
		if c.err == nil && c.step.tree != nil {
			loads[c.step.tree] = append(loads[c.step.tree], c.step.From)
		}
	}
	failure := load(ctx, loads)
	for _, c := range all {
		if c.step.tree != nil && c.err == nil {
			c.err = failure(c.step.tree, c.step.From)
		}
	}
	return all
}

// look tells what is at the canonical place of a skill.
func (d *differ) look(ctx context.Context, name, digest string) (entry, error) {
	path := filepath.Join(d.engine.canonical(), name)
	at, err := d.engine.inspect(ctx, path, digest)
	if err == nil && at.owner == others {
		err = &Error{
			Kind: "modified", Name: name, Message: quote(d.engine.shown(path)) + " is no directory any more, so its files cannot be compared",
			Hint: "bring the directory back with: skills install --force",
		}
	}
	return at, err
}

// newest finds what the source has now. The tree of the step stays nil when that is what the lock says.
func (d *differ) newest(ctx context.Context, c *comparison) (err error) {
	switch {
	case c.tracked.err != nil:
		return c.tracked.err
	case c.locator.Kind != source.Git:
		c.step, err = d.current(ctx, c.tracked, c.wanted, true)
		c.newer = c.step.tree != nil
		return err
	case c.wanted.Err != nil:
		return c.wanted.Err
	}
	tree, path, moved, err := d.moved(ctx, c.tracked, c.wanted.Revision)
	if err == nil && moved {
		c.step.tree, c.step.From, c.newer = tree, path, true
	}
	return err
}

// files compares the files of one skill.
func (d *differ) files(ctx context.Context, c *comparison) ([]FileState, error) {
	if c.step.tree == nil && c.at.owner == ours && c.at.plain == nil {
		return nil, nil
	}
	base, err := d.base(ctx, c)
	if err != nil {
		return nil, err
	}
	was := byPath(base.contents)
	dir := filepath.Join(d.engine.canonical(), c.lock.Name)
	mine := side{files: diskTree{dir}.FS(), from: map[string]string{}}
	for _, file := range c.at.found {
		if _, known := was[file.path]; known || !junk(file.path) {
			mine.contents = append(mine.contents, file)
			mine.from[file.path] = file.path
		}
	}
	p := pair{base: base, mine: mine, was: was, is: byPath(mine.contents), folder: agents.SkillsDir + "/" + c.lock.Name + "/", limit: d.engine.config.Limits.FileBytes, upstream: d.upstream}
	return p.differences(c.at.odd)
}

// base is what a skill is compared with. The locked files are had only where one of them is needed: not when all that is known of
// them is still here.
func (d *differ) base(ctx context.Context, c *comparison) (side, error) {
	if c.step.tree == nil {
		known := d.engine.recall(c.lock.Hash)
		if known != nil && !slices.ContainsFunc(compare(known, c.at.found), func(f difference) bool { return f.state != "extra" }) {
			return side{contents: known}, nil
		}
		var err error
		if c.step.tree, err = d.locked(ctx, c); err != nil {
			return side{}, err
		}
	}
	if c.step.contents == nil {
		if err := (&planner{engine: d.engine}).measure(ctx, &c.step); err != nil {
			return side{}, err
		}
	}
	if !c.newer && c.step.Digest != c.lock.Hash {
		return side{}, d.lost(c)
	}
	return sideOf(&c.step), nil
}

// locked brings the files that the lock names: out of the manifest, the store, or their source.
func (d *differ) locked(ctx context.Context, c *comparison) (Tree, error) {
	if c.entry.Inline != nil && c.lock.Source == "" {
		files, _ := d.engine.inlineFiles(c.entry)
		return &memoryTree{files}, nil
	}
	if c.lock.Source == "" {
		return nil, d.lost(c)
	}
	l, err := d.engine.locator(c.lock.Source, c.lock.Ref, "")
	if err != nil {
		return nil, err
	}
	r := &restorer{planner: &planner{engine: d.engine, records: d.records}, wanted: []wanted{{locator: l, lock: &c.lock}}}
	return r.fetchGroup(ctx, []int{0})
}

// lost is the error for locked files that are nowhere any more.
func (d *differ) lost(c *comparison) error {
	if c.lock.Commit != "" {
		return &Error{
			Kind: "integrity", Name: c.lock.Name,
			Message: fmt.Sprintf("%q of %s has the digest %s, expected %s as the lock says", c.lock.Name, place(c.lock.Source, c.lock.Path), c.step.Digest, c.lock.Hash),
			Hint:    "take skills.lock back from version control, or add the skill again",
		}
	}
	from := c.lock.Source
	if from == "" {
		from = d.engine.shown(d.engine.config.Manifest)
	}
	return &Error{
		Kind: "not_found", Name: c.lock.Name, Message: fmt.Sprintf("what was installed of %q is not kept anywhere: %s has something else now", c.lock.Name, from),
		Hint: "compare with what is there now: skills diff --upstream " + c.lock.Name,
	}
}

// pair is the two sides of one skill.
type pair struct {
	base, mine side
	was, is    map[string]content
	folder     string // of the skill, as patches name it
	limit      int64  // of a file, in bytes
	upstream   bool   // patches make base out of mine
}

// differences compares file by file. What is here and is neither file nor directory has no text.
func (p pair) differences(odd []string) ([]FileState, error) {
	var all []FileState
	for _, name := range odd {
		f := FileState{Path: name, State: extra, Text: fmt.Sprintf("Only a diff of files can be shown: %s is none\n", quote(p.folder+name))}
		if _, known := p.was[name]; known {
			f.State = StateModified
		}
		all = append(all, f)
	}
	for _, d := range compare(p.base.contents, p.mine.contents) {
		if slices.Contains(odd, d.path) {
			continue
		}
		f, err := p.file(d)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b FileState) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// file compares one file.
func (p pair) file(d difference) (FileState, error) {
	f := FileState{Path: d.path, State: State(d.state)}
	base, err := p.content(p.base, p.was, d.path)
	if err != nil {
		return f, err
	}
	mine, err := p.content(p.mine, p.is, d.path)
	if err != nil {
		return f, err
	}
	if base != nil && mine != nil {
		f.State = align(base, mine)
	}
	if p.upstream {
		base, mine = mine, base
	}
	f.Text = string(merge.Patch(p.folder+d.path, base, mine))
	return f, nil
}

// content reads a file of one side; nil when it is not there. What is larger than any file of a skill is not read.
func (p pair) content(s side, known map[string]content, path string) (*merge.Content, error) {
	file, found := known[path]
	if !found {
		return nil, nil
	}
	c := &merge.Content{Executable: file.executable}
	info, err := fs.Stat(s.files, s.from[path])
	if err != nil {
		return nil, err
	}
	if info.Size() > p.limit {
		c.Data = []byte{0} // which is no text
		return c, nil
	}
	c.Data, err = s.read(path)
	return c, err
}

// align gives my side the line ends of the other where a checkout on Windows changed them, and its mode where the system has none. It
// tells what is different then.
func align(base, mine *merge.Content) State {
	if runtime.GOOS == "windows" {
		mine.Executable = base.Executable
	}
	ends := false
	lf, crlf := []byte("\n"), []byte("\r\n")
	plain := bytes.ReplaceAll(mine.Data, crlf, lf)
	all := len(mine.Data)-len(plain) == bytes.Count(plain, lf)
	if !bytes.Contains(base.Data, crlf) && (all || bytes.Equal(plain, base.Data)) {
		ends, mine.Data = len(plain) < len(mine.Data), plain
	}
	switch {
	case !bytes.Equal(base.Data, mine.Data):
		return StateModified
	case base.Executable != mine.Executable:
		return modeOnly
	case ends:
		return lineEndings
	}
	return StateModified
}
