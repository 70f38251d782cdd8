package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"skills/catalog"
	"skills/catalog/marketplace"
	"skills/install/agents"
	"skills/lockfile/manifest"
	"skills/source"
)

// SourceRequest is one source to add from.
type SourceRequest struct {
	Locator source.Locator
	Skills  []string // selectors: names, paths in the source, globs
	Plugins []string // names of plugins of its marketplace: only skills of these
	Remote  bool     // plugins of its marketplace that lie in other sources are followed
}

// AddRequest says what to add. There is a source at least, and with All one without selectors.
type AddRequest struct {
	Sources []SourceRequest
	All     bool // all that is visible, where no selectors are given; where something else has the place of one, that one is skipped
	Full    bool // everything that a selector could reach counts as visible
	// Ask chooses among several candidates; nil makes that a [ChooseError].
	Ask    func(context.Context, *Source) ([]catalog.Candidate, error)
	As     string   // another name, for one skill
	Agents []string // ids; nil: see [Config]. Empty and not nil: none but those that read the canonical directory
	Mode   Mode     // "": see [Config]
	Force  bool     // move what is in the way to a backup
	NoSave bool     // leave the manifest as it is
}

// checkWord refuses a name that a person typed and that no directory can have.
func checkWord(name string) error {
	if err := catalog.CheckName(name); err != nil {
		return &Error{Kind: "invalid_input", Name: name, Message: err.Error(), Hint: "a name is one part of a path, such as \"pdf\""}
	}
	return nil
}

// nameFindings gives what is odd about another name that was asked for: it is taken as it is.
func nameFindings(name string) []catalog.Finding {
	_, findings, _ := catalog.DirectoryName(name) // an error was told before, by checkWord
	for i := range findings {
		if findings[i].Code == "name_format" {
			findings[i].Message = fmt.Sprintf("name %q breaks the naming rule (a to z, 0 to 9, single hyphens)", name)
		}
	}
	return findings
}

// chosen is a source with the candidates that are wanted of it, or the reason why there are none.
type chosen struct {
	request    SourceRequest
	plugin     marketplace.Plugin // that was followed
	source     *Source
	candidates []catalog.Candidate
	err        error
}

// PlanAdd resolves, fetches and chooses, and plans what adding changes. Skills that cannot be had are steps that failed; with one
// source that cannot be had at all there is no plan, but its error.
func (e *Engine) PlanAdd(ctx context.Context, request AddRequest) (*Plan, error) {
	if err := e.checkAdd(request); err != nil {
		return nil, err
	}
	if err := e.recover(ctx); err != nil {
		return nil, err
	}
	records, err := e.read()
	if err != nil {
		return nil, err
	}
	all, err := e.chooseAll(ctx, request, records.manifest.Policy)
	if err != nil {
		return nil, err
	}
	planner := &adder{planner: e.planner(records, request.Mode, request.Force), request: request, entries: map[string]manifest.Skill{}}
	plan := e.newPlan(records)
	for _, c := range all {
		plan.Steps = append(plan.Steps, planner.steps(ctx, c)...)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(e.chosenAgents(request.Agents, records.manifest.Agents)) == 0 && request.Agents == nil {
		e.config.Event(Event{Kind: "note", Message: "no agent was found on this machine, so skills go to " + agents.SkillsDir + " alone", Hint: "name agents with --agent"})
	}
	return plan.seal(records.apply(plan.Steps, !request.NoSave, planner.entries))
}

// checkAdd refuses requests that contradict themselves.
func (e *Engine) checkAdd(request AddRequest) error {
	if request.As != "" {
		if err := checkWord(request.As); err != nil {
			return err
		}
		if len(request.Sources) != 1 || request.All || len(request.Sources[0].Skills) > 1 {
			return &Error{Kind: "invalid_input", Name: request.As, Message: "another name can be given to one skill only", Hint: "choose one source and one skill with --skill"}
		}
	}
	if err := checkPlugins(request); err != nil {
		return err
	}
	all := func(s SourceRequest) bool { return len(s.Skills) == 0 }
	switch {
	case len(request.Sources) == 0:
		return contradiction("no source is named", "name one, such as owner/repo")
	case request.All && !slices.ContainsFunc(request.Sources, all):
		return contradiction("all skills are wanted, and some of each source", "choose either")
	}
	return e.checkPlaces(request.Agents, request.Mode)
}

// checkPlaces refuses agents and modes that cannot be asked for.
func (e *Engine) checkPlaces(ids []string, mode Mode) error {
	if mode != "" && mode != ModeLink && mode != ModeCopy {
		return contradiction(fmt.Sprintf("%q is no way to give a skill to an agent", mode), fmt.Sprintf("the ways are %q and %q", ModeLink, ModeCopy))
	}
	_, _, err := e.targets(ids)
	return err
}

// contradiction is the error for a request that cannot be meant.
func contradiction(message, hint string) error {
	return &Error{Kind: "invalid_input", Message: message, Hint: hint}
}

// chooseAll opens the sources side by side. Errors stay with their source, but for a question that has to be answered first.
func (e *Engine) chooseAll(ctx context.Context, request AddRequest, policy manifest.Policy) ([]chosen, error) {
	all := make([]chosen, len(request.Sources))
	var group errgroup.Group
	group.SetLimit(8)
	for i, wanted := range request.Sources {
		group.Go(func() error {
			c := &all[i]
			c.request = wanted
			how := choice{policy: policy, all: request.All, ask: request.Ask, shared: len(all) > 1}
			c.source, c.candidates, c.err = e.choose(ctx, wanted, how, request.Full)
			return nil
		})
	}
	_ = group.Wait() // errors are in the sources
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, c := range all {
		if _, question := c.err.(*ChooseError); c.err != nil && (question || len(all) == 1) {
			return nil, c.err
		}
	}
	if len(all) == 1 {
		first, c := all[0], choice{policy: policy, selectors: all[0].request.Skills}
		followed, err := e.follow(ctx, first.source, first.request, c, request.Full)
		if err != nil {
			return nil, err
		}
		all = append(all, followed...)
	}
	return all, unmatched(all)
}

// unmatched is the error for selectors that fit in none of several sources.
func unmatched(all []chosen) error {
	missing := map[string]int{}
	for _, c := range all {
		if c.source == nil {
			return nil // told by its own error
		}
		for _, err := range c.source.unmatched {
			if missing[err.Selector]++; missing[err.Selector] == len(all) {
				return err
			}
		}
	}
	return nil
}

// adder plans the steps of one request.
type adder struct {
	*planner
	request AddRequest
	entries map[string]manifest.Skill // manifest entries by name
	line    int                       // of the manifest that the steps come from, 0 for none
}

// steps plans the candidates of one source.
func (a *adder) steps(ctx context.Context, c chosen) []Step {
	if c.err != nil {
		return []Step{{Name: cmp.Or(c.plugin.Name, c.request.Locator.Input), Action: Failed, Err: c.err}}
	}
	var steps []Step
	for _, candidate := range c.candidates {
		step := a.step(ctx, c, candidate)
		if errors.Is(step.Err, errAgain) {
			continue
		}
		if step.Err != nil {
			step.Action, step.moves = Failed, nil
		}
		steps = append(steps, step)
	}
	return steps
}

// step plans one candidate.
func (a *adder) step(ctx context.Context, c chosen, candidate catalog.Candidate) Step {
	revision := c.source.Revision
	step := Step{
		Name: candidate.Directory, Source: revision.Locator.Source(), From: candidate.Path, Ref: revision.Locator.Ref,
		Commit: revision.Commit, Findings: candidate.Findings, Skill: candidate.Skill, tree: c.source.tree, line: a.line,
	}
	if isProposal(step.Ref) {
		step.Findings = append(slices.Clip(step.Findings), proposalFinding(step.Ref))
	}
	if a.request.As != "" {
		step.Name = a.request.As
		if step.Name != candidate.Directory {
			step.Findings = append(slices.Clip(step.Findings), nameFindings(step.Name)...)
		}
	}
	if !candidate.Usable {
		step.Name = candidate.Name
		step.Err = fmt.Errorf("%s: %w", candidate.Manifest, candidate.Err)
		return step
	}
	if step.Err = a.take(step); step.Err != nil {
		return step
	}
	if step.Err = a.measure(ctx, &step); step.Err != nil {
		return step
	}
	step.lock = locked(step, revision)
	entry := wish(step, revision.Locator)
	entry.Agents, entry.Mode = a.request.Agents, string(a.request.Mode)
	if old, ok := a.records.manifest.Get(step.Name); ok {
		entry = keepWish(old, entry)
	}
	if step.Err = a.place(ctx, &step, entry); step.Err == nil && step.Action != Skipped {
		a.entries[step.Name] = entry
	}
	if a.request.All && len(c.request.Skills) == 0 {
		step.passOver()
	}
	return step
}

// passOver skips a skill whose place something else has: who asks for all of a source did not ask for this one.
func (s *Step) passOver() {
	var taken *Error
	if errors.As(s.Err, &taken) && (taken.Kind == "conflict" || taken.Kind == "already_exists") {
		s.Action, s.Reason, s.Hint, s.Err, s.passed = Skipped, taken.Message, taken.Hint, nil, true
		s.moves, s.Targets, s.Changed, s.Backups = nil, nil, nil, nil
	}
}

// keepWish carries over what a manifest entry said of agents and mode when the request says nothing.
func keepWish(old, entry manifest.Skill) manifest.Skill {
	if entry.Agents == nil {
		entry.Agents = old.Agents
	}
	if entry.Mode == "" {
		entry.Mode = old.Mode
	}
	return entry
}
