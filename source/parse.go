package source

import "errors"

// Parse reads a text. The error is an *[Error].
func Parse(text string, hosts Hosts) (Locator, error) { return Locator{}, errors.ErrUnsupported }

// Source gives the identity of the source, without ref and path, as a lock keeps it.
func (l Locator) Source() string { return "" }

// Canonical gives one text that [Parse] reads back to an equal Locator, but for
// Input and Notes.
func (l Locator) Canonical() string { return "" }

// WithRef gives the locator at a ref that was named apart from the text, which
// ends all doubt about where the ref ends.
func (l Locator) WithRef(ref string) (Locator, error) { return l, nil }

// Settle ends the doubt about where Ref ends, from the full names of the refs that
// the host lists.
func (l Locator) Settle(names []string) (Locator, error) { return l, nil }

// RefPrefixes gives the ref-prefix lines that an ls-refs must send so that
// [Locator.Settle] can decide; none for a full commit id.
func (l Locator) RefPrefixes() []string { return nil }

// SkillAsRef gives the other reading of "owner/repo@x": no skill is called x, so
// the ref x is meant.
func (l Locator) SkillAsRef() Locator { return l }

// AsGit gives the reading of a Site as the repository at that address, for a host
// that is asked what it is. It is false where the address cannot be a repository.
func (l Locator) AsGit() (Locator, bool) { return l, false }

// Below gives the directory in the fetched tree where the skills are sought: Path
// for Git, "" for kinds whose tree begins at the place that the text names.
func (l Locator) Below() string { return "" }

// Directory gives the name of the directory that the text points at: the last part
// of the path, or the repository at its root; "" when the text gives none.
func (l Locator) Directory() string { return "" }

// Command reads a pasted command line of an installer ("npx skills add o/r --skill
// pdf", "gh skill install o/r pdf") and gives the words behind the command, in the
// form that "skills add" takes. It is false for any other text.
func Command(text string) (args []string, ok bool) { return nil, false }

// IsRange tells whether a ref is a semver range ("^1.2", ">=1 <3", "*") and not a
// name.
func IsRange(ref string) bool { return false }

// MatchTag gives the tag that has the newest version in a range.
func MatchTag(rng, skill string, tags []string) (string, bool) { return "", false }
