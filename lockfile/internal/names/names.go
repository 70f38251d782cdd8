// Package names says which names and paths may be used to read from a source or to write on a disk: the rules of package catalog for
// skills, which the packages below lockfile may not import; a test holds the two together. It is pure text: what it admits still goes
// through an os.Root.
//
//	if err := names.Check(name); err != nil { … }
package names

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxBytes is the longest name of a directory entry on common file systems, and maxPath the longest path that is taken.
const (
	maxBytes = 255
	maxPath  = 4096
)

// Check says why a name may not be a directory of a skill: it must be one visible entry with the same spelling on Linux, macOS
// and Windows, and no option to a command.
func Check(name string) error {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") {
		return fmt.Errorf("begins with %q", name[:1])
	}
	return checkEntry(name)
}

// CheckFile says why a path may not be a file to be written below a skill: relative, clean, slash separated, each part an entry with
// the same spelling on Linux, macOS and Windows.
func CheckFile(path string) error {
	return checkParts(path, func(part string) error {
		if isGit(part) {
			return errors.New("is part of a git directory")
		}
		return checkEntry(part)
	})
}

// isGit reports whether some file system opens .git under that name: HFS+ leaves out invisible characters, NTFS has a short name
// for it (git's verify_path).
func isGit(part string) bool {
	part = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, part)
	return strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1")
}

// CheckPath says why a path may not be one in a source: relative, clean, slash separated. Such a path is looked up in a listing
// and never written, so its parts may be names that some systems cannot hold.
func CheckPath(path string) error { return checkParts(path, checkText) }

// Fold gives the form in which two names are equal when some file system takes them for one: case and Unicode normal form do
// not count.
func Fold(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
}

func checkParts(path string, check func(string) error) error {
	if len(path) > maxPath {
		return fmt.Errorf("is longer than %d bytes", maxPath)
	}
	if strings.HasPrefix(path, "/") {
		return errors.New("is not relative")
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			return fmt.Errorf("holds %q as a part", part)
		}
		if err := check(part); err != nil {
			return err
		}
	}
	return nil
}

// checkEntry holds for every entry of a directory that is written.
func checkEntry(name string) error {
	if err := checkText(name); err != nil {
		return err
	}
	switch {
	case name == "." || name == "..":
		return errors.New("names a directory that is there already")
	case strings.ContainsAny(name, `/:<>"|?*`):
		return errors.New(`holds one of / : < > " | ? *`)
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return errors.New("ends with a dot or a blank")
	case isDevice(name):
		return errors.New("is a device on Windows")
	case len(name) > maxBytes:
		return fmt.Errorf("is longer than %d bytes", maxBytes)
	case !norm.NFC.IsNormalString(name):
		return errors.New("is not in Unicode normal form C")
	}
	return nil
}

// checkText holds for every part of every path.
func checkText(part string) error {
	switch {
	case part == "":
		return errors.New("is empty or has an empty part")
	case !utf8.ValidString(part):
		return errors.New("is not UTF-8")
	case strings.Contains(part, `\`):
		return errors.New(`holds "\"`)
	case strings.ContainsFunc(part, Unseen):
		return errors.New("holds a control or bidirectional character")
	}
	return nil
}

// Unseen reports whether a character is a control or changes the direction of text (Unicode Standard Annex 9).
func Unseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// isDevice reports whether Windows opens a device under that name, with or without an extension.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	stem = strings.TrimRight(stem, " ")
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	digit, found := strings.CutPrefix(stem, "COM")
	if !found {
		digit, found = strings.CutPrefix(stem, "LPT")
	}
	return found && utf8.RuneCountInString(digit) == 1 && strings.ContainsAny(digit, "0123456789¹²³")
}
