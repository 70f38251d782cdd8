package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"skills/catalog"
	"skills/catalog/resource"
	"skills/source/names"
)

// What a configuration says that says nothing.
const (
	DefaultStrict      = false
	DefaultFollowLinks = true
)

// Root is a directory whose own directories may be skills.
type Root struct {
	FS    fs.FS  // the directory; nil for one that is missing, which adds nothing
	Path  string // its absolute path, for what is shown and joined
	Scope string // label: "user" or "workspace"; it never decides who wins
	// Source is a label in free text.
	Source string

	dir     string // where in FS the skills are, "" for its top
	lenient bool   // Strict does not hold here
}

// at gives the path in FS of something below the root.
func (r Root) at(name string) string { return path.Join(r.dir, name) }

// abs gives the absolute path of something in FS, as the file system says where
// it does.
func (r Root) abs(name string) string {
	if disk, ok := r.FS.(interface{ Abs(string) string }); ok {
		return disk.Abs(name)
	}
	return strings.TrimSuffix(strings.TrimSuffix(r.Path, "/"+r.dir)+"/"+name, "/.")
}

// shown gives the absolute path of something below the root.
func (r Root) shown(name string) string { return r.abs(r.at(name)) }

// Limits bounds what is read. Fields below 1 mean the defaults; what is beyond a
// bound is left out with a finding "limit".
type Limits struct {
	Roots    int // 32; the highest ranks are kept
	Entries  int // 2,048 directories and links in a root; the first by name are kept
	Skills   int // 256 in a root; the first by directory are kept
	Merged   int // 512 in all; those of the highest ranks are kept
	Manifest int // 256 KiB a SKILL.md; a longer one is no skill
	Front    int // 50,000 characters a front matter; a longer one is no skill

	Resources resource.Limits // of the files beside one SKILL.md
}

func (l Limits) orDefault() Limits {
	return Limits{
		Roots: cmp.Or(max(l.Roots, 0), 32), Entries: cmp.Or(max(l.Entries, 0), 2_048), Skills: cmp.Or(max(l.Skills, 0), 256),
		Merged: cmp.Or(max(l.Merged, 0), 512), Manifest: cmp.Or(max(l.Manifest, 0), 256<<10),
		Front: cmp.Or(max(l.Front, 0), 50_000), Resources: l.Resources.OrDefault(),
	}
}

// Config says where skills are and how they are read. Its zero value follows no
// links; Defaults does.
type Config struct {
	Roots       []Root        // of rising precedence: of one name the skill of the last root wins
	Strict      bool          // a malformed skill, or one name twice in a root, is an error
	FollowLinks bool          // skills, manifests and resources may be links
	Rules       catalog.Rules // how a SKILL.md is judged; without a profile, as Clarvis does
	Disabled    []string      // names of skills that are listed and kept from models; each that no skill has is told (unknown_name)
	Limits      Limits

	// Warn is told what is left out and why, as it is found: by who reads the roots
	// before that returns, and by each Get, of the files beside the skill. Where several
	// goroutines use one registry it is called from all of them, at once; nil tells
	// nobody. It may use what only reads the registry, but not Refresh, which would
	// wait for the reading that Warn holds up, and Get in it would be told again.
	Warn func(catalog.Finding)
}

// Defaults gives the configuration that says nothing but its roots.
func Defaults(roots ...Root) Config {
	return Config{Roots: roots, Strict: DefaultStrict, FollowLinks: DefaultFollowLinks}
}

// Registry is the skills that were found. It may be used by several goroutines
// at once. The zero value has no skills and finds none.
type Registry struct {
	config  Config
	find    func(*scanner) ([]Info, error)
	turn    chan struct{} // holds one value while somebody refreshes, so that the later one stays
	current atomic.Pointer[snapshot]
}

// snapshot is what one reading found. It is never changed.
type snapshot struct {
	skills   []Info // in the order of List
	index    map[string]int
	findings []catalog.Finding
	agent    string // of a kit
}

// Discover reads the roots: each directory directly below a root that holds a
// SKILL.md, spelled in any case, is a skill. Its identity is the name in its
// front matter; the same name in a later root wins.
//
// What cannot be used is left out with a finding: a root that cannot be read
// (io_error; a missing one is silent), a malformed skill (invalid_skill and
// other codes of catalog.Error), a second skill of one name in a root
// (duplicate_skill, the first directory stays), a link to nothing
// (dangling_link), what is beyond a bound (limit). Told as well are names that
// differ from their directory (name_mismatch) or from each other only in case
// (name_case), and manifests in other spellings (manifest_case).
//
// With Strict the first malformed or doubled skill is the error, a
// *catalog.Error. Always one is a profile that is not known ("invalid_input"). A
// cancelled ctx, looked at before each file, ends the reading with its cause.
func Discover(ctx context.Context, c Config) (*Registry, error) {
	c.Rules.Profile = cmp.Or(c.Rules.Profile, catalog.ProfileClarvis)
	return load(ctx, c, (*scanner).roots)
}

func load(ctx context.Context, c Config, find func(*scanner) ([]Info, error)) (*Registry, error) {
	if _, err := c.Rules.Tools(nil); err != nil { // the profile is not known, which no skill may ever tell
		return nil, err
	}
	c.Limits, c.Roots, c.Disabled = c.Limits.orDefault(), slices.Clone(c.Roots), slices.Clone(c.Disabled)
	r := &Registry{config: c, find: find, turn: make(chan struct{}, 1)}
	if err := r.Refresh(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// Refresh reads everything again. On an error, as of Discover, all stays as it
// was. A root that was missing is looked for again if its file system does so. It
// waits for another Refresh that is under way, no longer than ctx lasts.
func (r *Registry) Refresh(ctx context.Context) error {
	if r.find == nil {
		return nil
	}
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s := &scanner{ctx: ctx, config: r.config}
	found, err := r.find(s)
	if err != nil {
		return err
	}
	now := &snapshot{skills: sorted(s.merged(found)), index: map[string]int{}, findings: s.findings, agent: s.agent}
	for at, info := range now.skills {
		now.index[info.Name] = at
	}
	r.current.Store(now)
	return nil
}

// found gives what the last reading found.
func (r *Registry) found() *snapshot {
	if now := r.current.Load(); now != nil {
		return now
	}
	return &snapshot{}
}

// Config gives the configuration, with what it left open filled in.
func (r *Registry) Config() Config {
	c := r.config
	c.Roots, c.Disabled = slices.Clone(c.Roots), slices.Clone(c.Disabled)
	return c
}

// Size is the number of skills.
func (r *Registry) Size() int { return len(r.found().skills) }

// List gives all skills sorted by name, without letter case, then by bytes.
func (r *Registry) List() []Info {
	skills := r.found().skills
	list := make([]Info, len(skills))
	for at, info := range skills {
		list[at] = info.clone()
	}
	return list
}

// Findings gives what the last reading told Warn.
func (r *Registry) Findings() []catalog.Finding { return slices.Clone(r.found().findings) }

// lookup finds a skill by its exact name.
func (r *Registry) lookup(name string) (Info, bool) {
	now := r.found()
	at, known := now.index[name]
	if !known {
		return Info{}, false
	}
	return now.skills[at], true
}

// Get gives the skill of exactly this name: its text as it was read, and the
// files beside it as they are now. A skill that is gone from disk since stays
// until the next Refresh; Warnings then says that its files cannot be listed.
func (r *Registry) Get(name string) (*Content, bool) {
	info, known := r.lookup(name)
	if !known {
		return nil, false
	}
	c := &Content{Info: info.clone(), Body: info.place.body}
	r.enumerate(c)
	return c, true
}

// enumerate lists the files beside the manifest.
func (r *Registry) enumerate(c *Content) {
	root := c.place.root
	if root.FS == nil {
		return
	}
	var err error
	c.Resources, c.Warnings, err = resource.List(root.FS, c.place.dir, resource.Options{
		FollowLinks: r.config.FollowLinks, Limits: r.config.Limits.Resources,
	})
	for at := range c.Resources {
		c.Resources[at].Abs = root.abs(c.Resources[at].Path)
	}
	for at := range c.Warnings {
		c.Warnings[at].File = root.abs(c.Warnings[at].File)
	}
	if err != nil {
		c.Warnings = append(c.Warnings, warning("io_error", c.Dir, "the files of the skill cannot be listed: %v", err))
	}
	for _, f := range c.Warnings {
		r.config.tell(f)
	}
}

// Resource gives the absolute path of a file of the skill of exactly this name,
// which is there now; rel is slash separated, below the skill's directory.
//
// The error is a *catalog.Error with Name and Rel: "not_found" for the skill or
// the file, "not_a_file" for what is no regular file, "invalid_input" for what is
// no relative path, "path_escape" for what leads out of the skill, by its text
// or through a link. What Get lists, Resource finds.
//
// It is a verdict of one moment: what is read should be read with Open or Read.
func (r *Registry) Resource(name, rel string) (string, error) {
	place, set, err := r.beside(name, rel)
	if err != nil {
		return "", err
	}
	found, err := resource.Stat(place.root.FS, place.dir, rel, set)
	if err != nil {
		return "", named(err, name, rel)
	}
	return place.root.abs(found.Path), nil
}

// Open opens a file of the skill of exactly this name for reading. What leads out of
// the skill is refused as resource.Open does, also when a link was put there a moment
// ago. The errors are those of Resource.
func (r *Registry) Open(name, rel string) (fs.File, error) {
	place, set, err := r.beside(name, rel)
	if err != nil {
		return nil, err
	}
	file, err := resource.Open(place.root.FS, place.dir, rel, set)
	return file, named(err, name, rel)
}

// Read gives the bytes of a file of the skill of exactly this name. The errors are
// those of Open, and "too_large" for a file of more than so many bytes.
func (r *Registry) Read(name, rel string, most int64) ([]byte, error) {
	place, set, err := r.beside(name, rel)
	if err != nil {
		return nil, err
	}
	raw, err := resource.Read(place.root.FS, place.dir, rel, most, set)
	return raw, named(err, name, rel)
}

// beside gives where the files of a skill are, and how they may be reached.
func (r *Registry) beside(name, rel string) (*place, resource.Option, error) {
	info, known := r.lookup(name)
	switch {
	case !known || info.place.root.FS == nil:
		return nil, 0, r.missing(name, rel, known)
	case !r.config.FollowLinks:
		return info.place, resource.NoLinks, nil
	}
	return info.place, 0, nil
}

// named puts the skill and the file as it was asked for into an error.
func named(err error, name, rel string) error {
	var fault *catalog.Error
	if !errors.As(err, &fault) {
		return err
	}
	with := *fault
	with.Name, with.Rel = name, rel
	return &with
}

func (r *Registry) missing(name, rel string, known bool) error {
	e := &catalog.Error{Kind: "not_found", Name: name, Rel: rel, Message: fmt.Sprintf("the skill %q has no files", name), Hint: "it is in no directory"}
	if known {
		return e
	}
	e.Rel, e.Message, e.Hint = "", fmt.Sprintf("there is no skill %q", name), "see the names that are there"
	var all []string
	for _, info := range r.found().skills {
		all = append(all, info.Name)
	}
	if near := names.Near(name, all, 1); len(near) > 0 {
		e.Hint = fmt.Sprintf("did you mean %q?", near[0])
	}
	return e
}

func (c Config) tell(f catalog.Finding) {
	if c.Warn != nil {
		c.Warn(f)
	}
}
