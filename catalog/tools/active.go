package tools

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"skills/catalog"
)

// Reason says why a skill is no longer active.
type Reason string

// The reasons. Hosts may have others.
const (
	RunEnd   Reason = "run-end"  // a run of the agent is over, which ends all of them
	Explicit Reason = "explicit" // the host said so
	Reset    Reason = "reset"    // the agent was reset
	Model    Reason = "model"    // the model released the skill
)

// Event is one line of the log: the skill is used from now on, or is no longer active
// for a reason.
type Event struct {
	Skill  string `json:"skill"`
	Reason Reason `json:"reason,omitempty"` // "" when it is used
}

// Active holds the skills that are active in one conversation, with their tools. The
// zero value is ready; Rules must not change once it is in use. It may be used by
// several goroutines.
type Active struct {
	Rules Rules

	mutex  sync.RWMutex
	skills []activeSkill // in the order of activation; a change makes a new list, so that a check keeps its own
	log    []Event
}

type activeSkill struct {
	name    string
	entries []Entry
	limits  bool // it has a list
}

// Activate makes a skill active by its name and its list; one that is active already gets
// the list anew. A list that is nil is none, which limits nothing; one that is empty and
// not nil allows nothing. So AllowedTools of a catalog.Skill, a registry.Info and an
// author.Definition is handed in as it is; what went through another form, such as
// resource.Disclosure as JSON, may have lost the difference. The name is all that tells
// skills apart: give one to a skill without.
//
// The findings are those of entries that are malformed, which allow nothing.
func (a *Active) Activate(name string, tools []string) []catalog.Finding {
	added := activeSkill{name: name, limits: tools != nil}
	var findings []catalog.Finding
	for _, text := range tools {
		entry, found := Parse(text)
		added.entries = append(added.entries, entry)
		findings = append(findings, found...)
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.drop(name)
	a.skills = append(slices.Clip(a.skills), added)
	a.log = append(a.log, Event{Skill: name})
	return findings
}

// Deactivate ends one skill and says whether it was active. An empty reason counts as
// Explicit.
func (a *Active) Deactivate(name string, reason Reason) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if !a.drop(name) {
		return false
	}
	a.logEnd(name, reason)
	return true
}

// End ends all skills, as at the end of a run or at a reset, and names them in the
// order of their activation. An empty reason counts as Explicit.
func (a *Active) End(reason Reason) []string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	var names []string
	for _, skill := range a.skills {
		names = append(names, skill.name)
		a.logEnd(skill.name, reason)
	}
	a.skills = nil
	return names
}

// Names lists the active skills in the order of their activation.
func (a *Active) Names() []string {
	a.mutex.RLock()
	defer a.mutex.RUnlock()
	var names []string
	for _, skill := range a.skills {
		names = append(names, skill.name)
	}
	return names
}

// Log gives all that happened, the oldest first, for Replay to read.
func (a *Active) Log() []Event {
	a.mutex.RLock()
	defer a.mutex.RUnlock()
	return slices.Clone(a.log)
}

// Check tells whether a call may be made: some list of an active skill allows it, or
// none of them has a list. The error is a *BlockedError.
func (a *Active) Check(call Call) error {
	a.mutex.RLock()
	skills := a.skills
	a.mutex.RUnlock()
	var limiting []string
	for _, skill := range skills {
		if slices.ContainsFunc(skill.entries, func(e Entry) bool { return e.Matches(call, a.Rules) }) {
			return nil
		}
		if skill.limits {
			limiting = append(limiting, skill.name)
		}
	}
	if len(limiting) == 0 {
		return nil
	}
	return &BlockedError{Tool: call.Name, Skills: limiting}
}

// drop and logEnd want the mutex held.
func (a *Active) drop(name string) bool {
	before := len(a.skills)
	a.skills = slices.DeleteFunc(slices.Clone(a.skills), func(s activeSkill) bool { return s.name == name })
	return len(a.skills) < before
}

func (a *Active) logEnd(name string, reason Reason) {
	if reason == "" {
		reason = Explicit
	}
	a.log = append(a.log, Event{name, reason})
}

// Replay tells which skills a conversation that is resumed goes on with, in the order
// in which they were last used: those whose latest event is a use. So a skill that the
// model released stays released. The end of a run is no such event: it ends skills
// for the time between two runs, and a resumed conversation is to have them again.
func Replay(log []Event) []string {
	last := map[string]int{} // place of the latest use, by skill
	for i, event := range log {
		switch event.Reason {
		case "":
			last[event.Skill] = i
		case RunEnd:
		default:
			delete(last, event.Skill)
		}
	}
	var names []string
	for i, event := range log {
		if at, used := last[event.Skill]; used && at == i {
			names = append(names, event.Skill)
		}
	}
	return names
}

// BlockedError says that no list of an active skill allows a call.
type BlockedError struct {
	Tool   string   // as the call names it
	Skills []string // the active skills that have a list
}

// Error names the tool and the skills.
func (e *BlockedError) Error() string {
	var quoted []string
	for _, name := range e.Skills {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	return fmt.Sprintf("this call of %q is not among the allowed-tools of %s", e.Tool, strings.Join(quoted, ", "))
}

// Code gives "tool_blocked".
func (e *BlockedError) Code() string { return "tool_blocked" }

// Hints says what would let the call pass.
func (e *BlockedError) Hints() []string {
	return []string{"add the tool to allowed-tools of the skill, or end the skill"}
}

// Fields gives the tool and the skills, for programs.
func (e *BlockedError) Fields() map[string]any {
	return map[string]any{"tool": e.Tool, "skills": e.Skills}
}
