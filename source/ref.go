package source

import (
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

var (
	hexPattern     = regexp.MustCompile(`^[0-9a-fA-F]{7,40}$|^[0-9a-fA-F]{64}$`)
	commitPattern  = regexp.MustCompile(`^[0-9a-fA-F]{40}$|^[0-9a-fA-F]{64}$`)
	versionPattern = regexp.MustCompile(`^([vV][0-9]+(\.[0-9]+)*([-+][0-9A-Za-z.+-]+)?|[0-9]+|[0-9]+(\.[0-9]+)+([-+][0-9A-Za-z.+-]+)?)$`)
	rangePattern   = regexp.MustCompile(`^[~^<>=*]|[|*]| - `)
	refusedPattern = regexp.MustCompile(`[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|^[-./]|[./]$|^@$`)
)

// impliedKind tells what a ref is by its own form.
func impliedKind(ref string) RefKind {
	switch {
	case strings.HasPrefix(ref, "refs/heads/"):
		return BranchRef
	case strings.HasPrefix(ref, "refs/tags/"):
		return TagRef
	case commitPattern.MatchString(ref):
		return CommitRef
	}
	return AnyRef
}

// validRef applies the rules of git-check-ref-format; a range is one too, and a commit is hex.
func validRef(ref string, kind RefKind) bool {
	if kind == CommitRef {
		return hexPattern.MatchString(ref)
	}
	return ref != "" && !refusedPattern.MatchString(ref) || IsRange(ref)
}

// certain tells whether a ref is surely whole, though a path follows it: the names of default branches, commits and
// dotted versions do not go on behind a slash.
func certain(ref string) bool {
	switch ref {
	case "HEAD", "main", "master":
		return true
	}
	return hexPattern.MatchString(ref) || strings.Contains(ref, ".") && versionPattern.MatchString(ref)
}

// looksLikeRef tells whether x in "owner/repo@x" is a ref rather than the name of a skill.
func looksLikeRef(x string) bool {
	return strings.Contains(x, "/") || versionPattern.MatchString(x) || hexPattern.MatchString(x) || IsRange(x)
}

// splitRef cuts a ref off the parts that follow "tree" and the like. It is final when no other cut is possible.
func splitRef(parts []string) (ref string, rest []string, final bool) {
	first := parts[0]
	if first != "refs" || len(parts) < 3 {
		return first, parts[1:], strings.Contains(first, "/") || certain(first)
	}
	n := 3
	switch parts[1] {
	case "heads":
	case "tags":
		final = versionPattern.MatchString(parts[2])
	default: // refs/pull/12/head, refs/merge-requests/3/head
		final = true
		if len(parts) > 3 && (parts[3] == "head" || parts[3] == "merge") {
			n = 4
		}
	}
	return strings.Join(parts[:n], "/"), parts[n:], final || strings.Contains(parts[2], "/")
}

// IsRange tells whether a ref is a semver range ("^1.2", ">=1 <3", "*") and not a name. A plain version and "1.x" are
// names: tags and branches are called so.
func IsRange(ref string) bool {
	if !rangePattern.MatchString(ref) {
		return false
	}
	_, err := semver.NewConstraint(ref)
	return err == nil
}

// MatchTag gives the tag that has the newest version in a semver range. Tags are versions ("v1.2.3", "1.2") or versions of
// one component ("name-v1.2.3", "name@1.2.3", "name/v1.2.3"): where the skill has tags of its own only those count.
// Pre-releases count only when the range names one. It is false when no tag matches or the text is no range.
func MatchTag(rng, skill string, tags []string) (string, bool) {
	constraint, err := semver.NewConstraint(rng)
	if err != nil {
		return "", false
	}
	var best string
	var newest *semver.Version
	for _, tag := range versionTags(skill, tags) {
		version, err := semver.NewVersion(tag.version)
		if err != nil || !constraint.Check(version) {
			continue
		}
		// Of two spellings of one version the longer says more: v1.0.0, not the moving v1.
		if newest == nil || version.GreaterThan(newest) || version.Equal(newest) && tag.name > best {
			best, newest = tag.name, version
		}
	}
	return best, newest != nil
}

// versionTag is a tag and the version in its name.
type versionTag struct{ name, version string }

// versionTags gives the tags that are versions of the skill, or else of the repository.
func versionTags(skill string, tags []string) []versionTag {
	var own, plain []versionTag
	for _, tag := range tags {
		name := strings.TrimSuffix(strings.TrimPrefix(tag, "refs/tags/"), "^{}")
		if rest, ok := strings.CutPrefix(name, skill); ok && skill != "" && rest != "" && strings.Contains("-@/_", rest[:1]) {
			own = append(own, versionTag{tag, rest[1:]})
		}
		plain = append(plain, versionTag{tag, name})
	}
	isVersion := func(t versionTag) bool { _, err := semver.NewVersion(t.version); return err == nil }
	if slices.ContainsFunc(own, isVersion) {
		return own
	}
	return plain
}
