package install

import (
	"cmp"
	"fmt"
	"slices"

	"skills/lockfile/manifest"
	"skills/source"
	"skills/source/names"
)

// allowed refuses sources that the user's policy or the project's does not admit, before any request.
func (e *Engine) allowed(project manifest.Policy, l source.Locator) error {
	identity := l.Source()
	rule, refused := e.config.Policy.Merge(project).Refuses(identity)
	if !refused {
		return nil
	}
	return &Error{
		Kind: "policy", Name: identity, Message: fmt.Sprintf("%s is refused by policy: %s", identity, cmp.Or(rule, "it is not among what is allowed")),
		Hint: "the rules are in [policy] of skills.toml and of your config.toml",
	}
}

// Admits tells callers that fetch a source in another way what adding skills of it would be refused for: the *Error is "policy" for a
// source that the user's policy or the project's refuses, and "conflict" for the name of a skill that is recorded from another source.
func (e *Engine) Admits(l source.Locator, skills ...string) error {
	records, err := e.read()
	if err != nil {
		return err
	}
	if err := e.allowed(records.manifest.Policy, l); err != nil {
		return err
	}
	for _, skill := range records.lock.Skills() {
		same := func(name string) bool { return names.Fold(name) == names.Fold(skill.Name) }
		if skill.Source != l.Source() && slices.ContainsFunc(skills, same) {
			return &Error{
				Kind: "conflict", Name: skill.Name,
				Message: fmt.Sprintf("%q is installed from %s, and this one comes from %s", skill.Name, cmp.Or(skill.Source, "the manifest itself"), l.Source()),
				Hint:    "remove the other first with: skills remove " + skill.Name,
			}
		}
	}
	return nil
}
