package lockfile

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"skills/source/names"
)

// maxText is the longest source or ref in bytes; longer source texts are refused by source.Parse as well.
const maxText = 2048

var (
	objectID     = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	digest       = regexp.MustCompile(`^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$`)
	exactVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?$`)
	userinfo     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://([^/]*)@`)
)

// field is one key of a [[skill]] table.
type field struct {
	key   string
	value *string
	check func(string) error
}

// fields are the keys in the order in which they are written.
func (s *Skill) fields() []field {
	return []field{
		{"name", &s.Name, names.Check},
		{"source", &s.Source, checkSource},
		{"path", &s.Path, names.CheckPath},
		{"ref", &s.Ref, checkRef},
		{"resolved", &s.Resolved, checkResolved},
		{"commit", &s.Commit, checkObjectID},
		{"tree", &s.Tree, checkObjectID},
		{"hash", &s.Hash, checkHash},
		{"digest", &s.Digest, checkDigest},
		{"tracks", &s.Tracks, checkRef},
		{"license", &s.License, nil},
		{"skill", &s.Skill, nil},
	}
}

// check gives the first key whose value may not stand in a lock, and why.
func (s *Skill) check() (key string, err error) {
	for _, f := range s.fields() {
		switch {
		case *f.value == "" && (f.key == "name" || f.key == "hash"):
			return f.key, errors.New("is missing")
		case !utf8.ValidString(*f.value):
			return f.key, errors.New("is not UTF-8")
		case *f.value == "" || f.check == nil:
		default:
			err := f.check(*f.value)
			if err != nil && f.key != "source" { // which may hold a token
				err = fmt.Errorf("%q %w", *f.value, err)
			}
			if err != nil {
				return f.key, err
			}
		}
	}
	if s.Source == "" && s.Path+s.Ref+s.Resolved+s.Commit+s.Digest != "" {
		return "source", errors.New("is missing, but the table says where in it the skill lies")
	}
	return "", nil
}

// checkText holds for text that reaches other programs and the terminal.
func checkText(text string) error {
	switch {
	case len(text) > maxText:
		return fmt.Errorf("is longer than %d bytes", maxText)
	case strings.HasPrefix(text, "-"):
		return errors.New("begins with a hyphen")
	case strings.ContainsFunc(text, names.Unseen):
		return errors.New("holds a control or bidirectional character")
	}
	return nil
}

// checkSource holds for every kind of source. What it means is for source.Parse, with the hosts that the user configured.
func checkSource(text string) error {
	user := userinfo.FindStringSubmatch(text)
	switch {
	case user != nil && (strings.Contains(user[1], ":") || !strings.HasPrefix(text, "ssh://")):
		return errors.New("holds credentials")
	case strings.Contains(text, "://") && strings.Contains(text, "?"):
		return errors.New("holds a query")
	}
	return checkText(text)
}

func checkRef(ref string) error { return checkText(ref) }

// checkResolved wants the full name of a ref (git-check-ref-format, the rules that matter for paths and ranges), or the version of a
// package (semver.org).
func checkResolved(ref string) error {
	if exactVersion.MatchString(ref) {
		return checkText(ref)
	}
	if !strings.HasPrefix(ref, "refs/") || strings.HasSuffix(ref, "/") || strings.Contains(ref, "//") ||
		strings.Contains(ref, "..") || strings.ContainsAny(ref, " ~^:?*[\\") {
		return errors.New(`is not the full name of a ref, such as "refs/heads/main"`)
	}
	return checkText(ref)
}

func checkObjectID(id string) error {
	if !objectID.MatchString(id) {
		return errors.New("is not 40 or 64 lower-case hex digits")
	}
	return nil
}

// checkHash wants a digest of installed content: "s1:" and 32 bytes in padded base64.
func checkHash(hash string) error {
	sum, found := strings.CutPrefix(hash, "s1:")
	raw, err := base64.StdEncoding.Strict().DecodeString(sum)
	if !found || err != nil || len(raw) != 32 || strings.ContainsAny(sum, "\r\n") {
		return errors.New(`is not "s1:" and 32 bytes in base64`)
	}
	return nil
}

func checkDigest(text string) error {
	if !digest.MatchString(text) {
		return errors.New(`is not "sha256:" or "sha512:" and as many hex digits as that has`)
	}
	return nil
}
