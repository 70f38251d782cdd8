package install

import (
	"errors"
	"slices"
	"strings"

	"skills/catalog"
	"skills/lockfile"
)

// Action is what a plan does to one skill. The words are those of the JSON documents.
type Action string

// The actions. Skipped skills are left as they are for the Reason; failed ones could not be done for the Err.
const (
	Added     Action = "added"
	Updated   Action = "updated"
	Removed   Action = "removed"
	Unchanged Action = "unchanged"
	Skipped   Action = "skipped"
	Failed    Action = "failed"
)

// Target is one agent that gets, loses or has a skill.
type Target struct {
	Agent string // id
	Path  string // as documents show it: relative to the root, with "/"
	Mode  Mode   // in plans
	State State  // of what is installed
}

// Step is what happens to one skill.
type Step struct {
	Name      string // directory and key in manifest and lock; for a source that failed as a whole, its text
	Action    Action
	Path      string // of the canonical directory, as documents show it
	Source    string // identity of the source
	From      string // directory in the source
	Ref       string // what was asked for, "" for the default branch
	Commit    string
	Tree      string
	Digest    string
	Targets   []Target
	Findings  []catalog.Finding
	Reason    string // why it is skipped, or what else there is to say
	Hint      string // what can be done about the Reason, in the words of the command line as all hints; "" for nothing
	Err       error  // why it failed
	Skill     *catalog.Skill
	Changes   *Changes // what an update changes; nil for everything else
	Conflicts []string // files of an update that hold conflict markers, or where local edits stayed
	Changed   []string // places besides the canonical directory that change, as documents show them
	Backups   []string // places whose content is moved to a backup, as documents show them

	tree     Tree
	written  string // digest of what is written when local edits are merged; "" for Digest
	follows  bool   // it moved within its source
	passed   bool   // it is skipped, and that is no failure as long as there are others
	line     int    // of the manifest that wants it, 0 for none
	files    []catalog.File
	contents contents
	lock     lockfile.Skill
	moves    []move
}

// Plan is a list of steps with what manifest and lock hold afterwards. The steps are there to be looked at: a plan does all that it was
// made for or nothing, and [Engine.Apply] refuses one whose steps are others by then.
type Plan struct {
	Steps []Step // sorted by name

	engine   *Engine // that made it
	planned  []Step  // as Steps were then
	files    []file  // to be written, the lock last
	previous []file  // what the plan was made from
}

// newPlan begins a plan for the present records.
func (e *Engine) newPlan(r *records) *Plan {
	return &Plan{engine: e, previous: slices.Clone(r.files)}
}

// seal ends a plan with the files to write. With an error there is none.
func (p *Plan) seal(files []file, err error) (*Plan, error) {
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(p.Steps, byName)
	p.files, p.planned = files, slices.Clone(p.Steps)
	return p, nil
}

// byName is the order of documents.
func byName(a, b Step) int { return strings.Compare(a.Name, b.Name) }

// check refuses plans of others, and those that were changed.
func (e *Engine) check(p *Plan) error {
	switch {
	case p == nil || p.engine != e:
		return &Error{Kind: "invalid_input", Name: e.root, Message: "the plan was not made by the engine that is to apply it", Hint: "make it with the same engine"}
	case !slices.EqualFunc(p.Steps, p.planned, sameStep):
		return &Error{Kind: "invalid_input", Name: e.root, Message: "the steps of the plan were changed since it was made", Hint: "make a plan for what is wanted"}
	}
	return nil
}

// sameStep tells whether two steps say the same of what is done where with what.
func sameStep(a, b Step) bool {
	return a.Name == b.Name && a.Action == b.Action && a.Path == b.Path && a.Source == b.Source && a.From == b.From &&
		a.Ref == b.Ref && a.Commit == b.Commit && a.Tree == b.Tree && a.Digest == b.Digest
}

// move is one entry of one directory that is to change.
type move struct {
	dir  string // absolute, as the environment has it
	name string
	kind moveKind
	keep bool   // what is there is moved to a backup
	seen string // what was there, as in entry
	kept string // the absolute path of the backup, once it is chosen
}

// moveKind says what becomes of an entry.
type moveKind int

const (
	writeCopy moveKind = iota
	writeLink
	takeAway
)

// file is a file with its content; nil for none.
type file struct {
	path string
	data []byte
}

// Failed tells whether something that was asked for is not done by the plan. Skills of [AddRequest.All] whose place something else has,
// and in an update those of changes that were proposed, are no failure, unless there are no others.
func (p *Plan) Failed() bool {
	passed := 0
	for _, s := range p.Steps {
		if s.passed {
			passed++
		} else if s.Action == Failed || s.Action == Skipped || len(s.Conflicts) > 0 {
			return true
		}
	}
	return passed > 0 && passed == len(p.Steps)
}

// Err joins the errors of the steps that failed; nil when there are none.
func (p *Plan) Err() error {
	var all []error
	for _, step := range p.Steps {
		all = append(all, step.Err)
	}
	return errors.Join(all...)
}

// Idle tells whether applying the plan would change nothing.
func (p *Plan) Idle() bool {
	moves := slices.ContainsFunc(p.Steps, func(s Step) bool { return len(s.moves) > 0 })
	return !moves && slices.EqualFunc(p.files, p.previous, func(a, b file) bool {
		return string(a.data) == string(b.data)
	})
}
