package install

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"skills/catalog"
	"skills/install/agents"
	"skills/install/internal/transaction"
)

// Do makes a plan and applies it. When something else changed the project in between, the plan is made once more, with everybody
// else waiting. The plan that was applied is returned with the error.
func (e *Engine) Do(ctx context.Context, plan func(context.Context) (*Plan, error)) (*Plan, error) {
	before, err := e.bytes()
	if err != nil {
		return nil, err
	}
	p, err := plan(ctx)
	if failed := err != nil || p.Failed(); !failed || !e.disturbed(before) {
		if err == nil {
			err = e.Apply(ctx, p)
		}
		var stale *Error
		if !errors.As(err, &stale) || stale.Kind != "changed" {
			return p, err
		}
	}
	if ctx.Err() != nil {
		return p, context.Cause(ctx)
	}
	release, err := e.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	held := context.WithValue(ctx, holding{}, true)
	if p, err = plan(held); err != nil {
		return nil, err
	}
	return p, e.Apply(held, p)
}

// disturbed tells whether another process changes the scope, or did since its records were read: what was seen of it meanwhile may be
// half of something.
func (e *Engine) disturbed(before []file) bool {
	_, err := os.Lstat(e.journal().Path)
	return err == nil || unchanged(before) != nil
}

// Apply does what the plan says, all of it or nothing. It waits a minute for another change at most, then it is an *Error "busy". A plan that was made from another state of manifest and lock is refused, an
// *Error "changed", and so is one that another engine made or whose steps were changed, "invalid_input". Steps that failed or are skipped are
// no obstacle: look at [Plan.Failed] first where they are to be one.
func (e *Engine) Apply(ctx context.Context, plan *Plan) error {
	if err := e.check(plan); err != nil {
		return err
	}
	if plan.Idle() {
		return nil
	}
	release, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := e.finishInterrupted(); err != nil {
		return err
	}
	if err := unchanged(plan.previous); err != nil {
		return err
	}
	t, err := e.journal().Begin()
	if err != nil {
		return err
	}
	a := &applier{engine: e, plan: plan, transaction: t, dirs: map[string]string{}, backups: map[string]bool{}}
	err = a.stage(ctx)
	if err == nil {
		err = a.untouched(ctx)
	}
	if err != nil {
		return errors.Join(err, t.Abort())
	}
	if err := t.Commit(ctx, a.files()...); err != nil {
		return err
	}
	return a.prove()
}

// journal is where an interrupted change of this scope is recorded: outside of the project, which may be somebody else's work.
func (e *Engine) journal() transaction.Journal {
	return transaction.Journal{Path: e.stateFile("journals", ".json"), Reached: e.reached}
}

// stateFile is a file in the cache that belongs to this scope's root.
func (e *Engine) stateFile(folder, suffix string) string {
	root := e.root
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved
	}
	sum := sha256.Sum256([]byte(root + "\x00" + e.config.Scope.String()))
	return filepath.Join(e.config.Cache, folder, hex.EncodeToString(sum[:16])+suffix)
}

// recover brings an interrupted change to an end before the state is looked at.
func (e *Engine) recover(ctx context.Context) error {
	if _, err := os.Lstat(e.journal().Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	release, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return e.finishInterrupted()
}

// finishInterrupted recovers with the lock held.
func (e *Engine) finishInterrupted() error {
	found, err := e.journal().Recover()
	if found && err == nil {
		e.config.Event(Event{Kind: "recovered", Message: "an interrupted change was brought to an end"})
	}
	return err
}

// unchanged tells whether files are what a plan was made from.
func unchanged(files []file) error {
	for _, f := range files {
		now, err := os.ReadFile(f.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !bytes.Equal(now, f.data) {
			return &Error{
				Kind: "changed", Name: filepath.Base(f.path),
				Message: quote(f.path) + " changed since the plan was made", Hint: "run the command again",
			}
		}
	}
	return nil
}

// applier carries a plan out.
type applier struct {
	engine      *Engine
	plan        *Plan
	transaction *transaction.Transaction
	mutex       sync.Mutex
	dirs        map[string]string // resolved directories by the ones of the plan
	backups     map[string]bool   // places that are given away
	done        int
}

// dir makes a directory of the plan, once, and resolves its links.
func (a *applier) dir(dir string) (string, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if resolved, ok := a.dirs[dir]; ok {
		return resolved, nil
	}
	resolved, err := resolve(dir)
	if err != nil {
		return "", err
	}
	if err := a.transaction.MakeDir(resolved); err != nil {
		return "", err
	}
	a.dirs[dir] = resolved
	return resolved, nil
}

// stage makes everything new beside its place, and remembers what is in it: once the lock names something, its contents are known.
func (a *applier) stage(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	moving := 0
	for _, step := range a.plan.Steps {
		moving += min(len(step.moves), 1)
	}
	for _, f := range a.plan.files {
		if f.data != nil {
			group.Go(func() error {
				_, err := a.dir(filepath.Dir(f.path))
				return err
			})
		}
	}
	for i := range a.plan.Steps {
		step := &a.plan.Steps[i]
		group.Go(func() error {
			if step.contents != nil && step.Err == nil {
				if err := a.engine.remember(step.contents, step.Digest); err != nil {
					return err
				}
			}
			if len(step.moves) == 0 {
				return nil
			}
			if err := a.stageStep(ctx, step); err != nil {
				return fmt.Errorf("%q: %w", step.Name, err)
			}
			a.staged(step, moving)
			return nil
		})
	}
	return group.Wait()
}

// untouched tells whether everything that goes without a backup is what the plan saw: an edit since then would be lost.
func (a *applier) untouched(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, step := range a.plan.Steps {
		for _, m := range step.moves {
			if m.keep {
				continue
			}
			group.Go(func() error {
				now, err := a.engine.inspectTarget(ctx, m.dir, m.name, "")
				if err == nil && now.seen != m.seen {
					path := a.engine.shown(filepath.Join(m.dir, m.name))
					err = &Error{Kind: "changed", Name: m.name, Message: quote(path) + " changed since the plan was made", Hint: "run the command again"}
				}
				return err
			})
		}
	}
	return group.Wait()
}

// staged reports progress.
func (a *applier) staged(step *Step, total int) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.done++
	a.engine.config.Event(Event{Kind: "installed", Name: step.Name, Done: a.done, Total: total})
}

// stageStep makes the new entries of one skill.
func (a *applier) stageStep(ctx context.Context, step *Step) error {
	for i := range step.moves {
		m := &step.moves[i]
		dir, err := a.dir(m.dir)
		if err != nil {
			return err
		}
		if err := a.stageMove(ctx, step, m, dir); err != nil {
			return err
		}
		if m.keep {
			m.kept = a.backup(m.name)
			if err := a.transaction.Keep(dir, m.name, m.kept); err != nil {
				return err
			}
		}
	}
	return nil
}

// stageMove makes one new entry in a resolved directory. Where links are not to be had a copy is made.
func (a *applier) stageMove(ctx context.Context, step *Step, m *move, dir string) error {
	path := a.engine.shown(filepath.Join(m.dir, m.name))
	a.engine.config.Event(Event{Kind: "file", Name: step.Name, Path: path, Message: [...]string{"write ", "link ", "remove "}[m.kind] + path})
	if m.kind == takeAway {
		a.transaction.Prune(a.engine.emptied(dir)...)
		return a.transaction.Remove(dir, m.name)
	}
	if m.kind == writeLink {
		err := a.link(m, dir)
		if err == nil || runtime.GOOS != "windows" {
			return err
		}
		a.engine.note(fmt.Sprintf("%s gets a copy, for a link could not be made: %v", a.engine.shown(filepath.Join(m.dir, m.name)), err))
		step.setMode(a.engine.shown(m.dir+"/"+m.name), ModeCopy)
	}
	root, err := a.transaction.Replace(dir, m.name)
	if err != nil {
		return err
	}
	return errors.Join(writeSkill(ctx, root, step), root.Close())
}

// setMode corrects the mode of the targets at a path.
func (s *Step) setMode(path string, mode Mode) {
	for i := range s.Targets {
		if s.Targets[i].Path == path {
			s.Targets[i].Mode = mode
		}
	}
}

// link stages a link to the canonical directory.
func (a *applier) link(m *move, dir string) error {
	home, err := a.dir(a.engine.canonical())
	if err != nil {
		return err
	}
	text, err := linkText(dir, home, m.name)
	if err != nil {
		return err
	}
	return a.transaction.Link(dir, m.name, text)
}

// writeSkill writes the files of a skill below a root and proves that they are those of the plan.
func writeSkill(ctx context.Context, root *os.Root, step *Step) error {
	if step.tree == nil {
		return errors.New("its files were not fetched")
	}
	folders := map[string]bool{".": true}
	var written contents
	for _, file := range step.files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name := filepath.FromSlash(file.Path)
		if folder := filepath.Dir(name); !folders[folder] {
			if err := root.MkdirAll(folder, 0o755); err != nil {
				return err
			}
			folders[folder] = true
		}
		c, err := writeContent(root, name, step.tree.FS(), file)
		if err != nil {
			return err
		}
		written = append(written, c)
	}
	if got := written.digest(); got != cmp.Or(step.written, step.Digest) {
		return &Error{
			Kind: "integrity", Name: step.Name,
			Message: fmt.Sprintf("the bytes of %q have the digest %s, expected %s", step.Name, got, step.Digest),
			Hint:    "nothing was changed; run the command again",
		}
	}
	return nil
}

// writeContent writes one file and hashes what was written.
func writeContent(root *os.Root, name string, from fs.FS, file catalog.File) (c content, err error) {
	c = content{path: file.Path, executable: file.Executable}
	mode := fs.FileMode(0o644)
	if file.Executable {
		mode = 0o755
	}
	in, err := from.Open(file.From)
	if err != nil {
		return c, err
	}
	defer in.Close()
	out, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	hash := sha256.New()
	if _, err := io.Copy(out, io.TeeReader(in, hash)); err != nil {
		return c, err
	}
	hash.Sum(c.sum[:0])
	return c, out.Chmod(mode) // whatever the umask says: modes are those of git
}

// backup is a free place for what Force replaces, each time another one.
func (a *applier) backup(name string) string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	place := a.engine.freeBackup(name, a.backups)
	a.backups[place] = true
	return place
}

// freeBackup is a place for a backup that is neither there nor given away.
func (e *Engine) freeBackup(name string, given map[string]bool) string {
	dir := filepath.Join(e.root, filepath.FromSlash(BackupDir))
	for i := 1; ; i++ {
		place := filepath.Join(dir, fmt.Sprintf("%s.%d", name, i))
		if _, err := os.Lstat(place); err != nil && !given[place] {
			return place
		}
	}
}

// files are the files to write, in their order. Those that stay as they are are left out, but for the lock, which ends the change.
func (a *applier) files() []transaction.File {
	var all []transaction.File
	for i, f := range a.plan.files {
		if i < len(a.plan.files)-1 && bytes.Equal(f.data, a.plan.previous[i].data) {
			continue
		}
		all = append(all, transaction.File{Path: f.path, Data: f.data})
	}
	return all
}

// prove looks at what the moves have left behind.
func (a *applier) prove() error {
	var all []error
	for _, step := range a.plan.Steps {
		for _, m := range step.moves {
			path := filepath.Join(m.dir, m.name)
			if _, err := os.Lstat(m.kept); m.kept != "" && err == nil {
				kept := a.engine.shown(m.kept)
				a.engine.config.Event(Event{Kind: "backup", Name: step.Name, Path: kept, Message: fmt.Sprintf("%s: what was in %s is kept in %s", step.Name, a.engine.shown(path), kept)})
			}
			if m.kind == takeAway {
				continue
			}
			if _, err := os.Stat(filepath.Join(path, "SKILL.md")); err != nil {
				all = append(all, &Error{Kind: "unsupported", Name: m.name, Message: quote(path) + " cannot be read", Hint: "install with --copy", Cause: err})
			}
		}
	}
	return errors.Join(all...)
}

// emptied lists what goes when a directory of skills holds nothing any more: itself, and in a project its parents up to the root
// likewise. In user scope the parent shows that an agent is there.
func (e *Engine) emptied(dir string) []string {
	all := []string{dir}
	root, err := filepath.EvalSymlinks(e.root)
	if err != nil || e.config.Scope == agents.UserScope {
		return all
	}
	for dir = filepath.Dir(dir); strings.HasPrefix(dir, root+string(filepath.Separator)); dir = filepath.Dir(dir) {
		all = append(all, dir)
	}
	return all
}
