package install

import (
	"cmp"
	"fmt"

	"skills/lockfile/manifest"
	"skills/source"
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

// Admits gives the *Error "policy" of a source that the user's policy or the project's refuses, for callers that fetch it in another way.
func (e *Engine) Admits(l source.Locator) error {
	records, err := e.read()
	if err != nil {
		return err
	}
	return e.allowed(records.manifest.Policy, l)
}
