package manifest

import "slices"

// Policy says which sources may be used, by patterns:
//
//	github.com/acme/*             all below an owner, on any host
//	github.com/anthropics/skills  one repository
//	acme/*, acme/skills           the same of github.com
//	https://example.com/docs/*    what lies on a web server; the scheme is left out of account
//	git.corp.example              a whole host; with ":8443" on that port
//	./tools/*, ../*, ~/*, /srv/*  directories and files on this machine
//	builtin:*, npm:@acme/*        skills that the program carries, packages
//	*                             everything
//
// A pattern is compared part by part. In a part "*" stands for any characters; as the last part it stands for the place before
// it and everything below. A host is compared whole, without "www.". ".git" and a slash at the end say nothing, and how a repository
// is fetched (https, ssh, oci) neither.
//
// Allow is read narrowly: case counts, but not in the names of repositories, and a host without a port is on its usual one. Deny
// is read widely: case never counts, a host without a port is meant on all of them, and a pattern means what lies below, too.
// Paths on this machine are compared as they are written, with ".." taken away and "\" as "/"; links are not followed.
type Policy struct {
	// Allow admits; empty admits everything.
	Allow []string
	// Deny refuses, also what Allow admits.
	Deny []string
	// Within are further lists like Allow; each of them must admit. They come from Merge.
	Within [][]string
}

// Refuses reports whether a source may not be used. identity is what source.Locator.Source gives. The rule is the pattern of Deny that
// refuses, "" when it is a list of what is allowed that does not admit. A text that is no pattern refuses everything in Deny and admits
// nothing in Allow.
func (p Policy) Refuses(identity string) (rule string, refused bool) {
	at := placeOf(identity)
	for _, text := range p.Deny {
		if rule, fault := readPattern(text); fault != nil || rule.matches(at, true) {
			return text, true
		}
	}
	admits := func(text string) bool {
		rule, fault := readPattern(text)
		return fault == nil && rule.matches(at, false)
	}
	for _, list := range append([][]string{p.Allow}, p.Within...) {
		if len(list) > 0 && !slices.ContainsFunc(list, admits) {
			return "", true
		}
	}
	return "", false
}

// Merge gives the policy that admits what both admit, such as that of a project and that of its user.
func (p Policy) Merge(other Policy) Policy {
	merged := Policy{Allow: p.Allow, Within: slices.Concat(p.Within, other.Within)}
	for _, text := range slices.Concat(p.Deny, other.Deny) {
		if !slices.Contains(merged.Deny, text) {
			merged.Deny = append(merged.Deny, text)
		}
	}
	switch {
	case len(p.Allow) == 0:
		merged.Allow = other.Allow
	case len(other.Allow) > 0:
		merged.Within = append(merged.Within, other.Allow)
	}
	return merged
}

// Check gives an *Error of kind "manifest_invalid", without file and line, for the first pattern that is none; nil when all can be
// used. Parse has checked the patterns of a manifest; this is for a policy from elsewhere.
func (p Policy) Check() error {
	for _, text := range slices.Concat(append([][]string{p.Deny, p.Allow}, p.Within...)...) {
		if fault := checkPattern(text); fault != nil {
			return fault
		}
	}
	return nil
}
