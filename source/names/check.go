package names

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	maxName = 255  // bytes, the longest name of a directory entry on common file systems
	maxPath = 4096 // bytes, the longest path that is taken
)

// Reason is why a name or path is refused: the rest of a sentence that begins with it. The checks return no other errors.
type Reason string

// Error gives the rest of the sentence.
func (r Reason) Error() string { return string(r) }

// The reasons; what they are about is the whole text or, in a path, one part of it.
const (
	Empty     Reason = "is empty or has an empty part"
	Long      Reason = "is longer than 255 bytes"
	LongPath  Reason = "is longer than 4096 bytes"
	Hidden    Reason = `begins with "."`
	Option    Reason = `begins with "-"`
	NotUTF8   Reason = "is not UTF-8"
	NotNFC    Reason = "is not in Unicode normal form C"
	Control   Reason = "holds a control or bidirectional character"
	Backslash Reason = `holds "\"`
	Sign      Reason = `holds one of / : < > " | ? *`
	End       Reason = "ends with a dot or a blank"
	Device    Reason = "is a device on Windows"
	Git       Reason = "is part of a git directory"
	Absolute  Reason = "is not relative"
	Here      Reason = `holds "." as a part`
	Up        Reason = `holds ".." as a part`
)

// Check says why a name may not be a directory of a skill: it must be one visible entry with the same spelling on Linux, macOS
// and Windows, and no option to a command.
func Check(name string) error {
	switch {
	case strings.HasPrefix(name, "."):
		return Hidden
	case strings.HasPrefix(name, "-"):
		return Option
	}
	return checkEntry(name)
}

// CheckFile says why a path may not be a file to be written below a skill: relative, clean, slash separated, each part an entry with
// the same spelling on Linux, macOS and Windows, and none a git directory.
func CheckFile(path string) error {
	return checkParts(path, func(part string) error {
		if IsGit(part) {
			return Git
		}
		return checkEntry(part)
	})
}

// CheckBelow is [CheckFile] for a file that came with a skill, whose author may not know all systems: it is written where it can be.
func CheckBelow(path string) error {
	return checkParts(path, func(part string) error {
		switch {
		case IsGit(part):
			return Git
		case len(part) > maxName:
			return Long
		}
		return checkText(part, unicode.IsControl)
	})
}

// CheckPath says why a path may not be one in a source: relative, clean, slash separated. Such a path is looked up in a listing
// and never written, so its parts may be names that some systems cannot hold.
func CheckPath(path string) error {
	return checkParts(path, func(part string) error { return checkText(part, Unseen) })
}

// CheckWindows says why Windows cannot hold a file of that name.
func CheckWindows(part string) error {
	switch {
	case strings.ContainsAny(part, `/\:<>"|?*`):
		return Sign
	case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
		return End
	case isDevice(part):
		return Device
	}
	return nil
}

// IsGit reports whether some file system opens .git under that name: HFS+ ignores letter case and invisible characters, NTFS ignores
// case, dots and blanks at the end and stream names, and has the short name git~1 (git's verify_path).
func IsGit(part string) bool {
	part, _, _ = strings.Cut(part, ":")
	part = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, part)
	part = strings.TrimRight(part, " .")
	return strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1")
}

// Unseen reports whether a character is a control or changes the direction of text (Unicode Standard Annex 9).
func Unseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// Fold gives the form that names share when some file system takes them for one: without letter case, in Unicode normal form C.
func Fold(name string) string {
	folded := cases.Fold().String(norm.NFC.String(name))
	return norm.NFC.String(strings.Map(cherokee, folded))
}

// cherokee maps the letters of that script to the case to which Unicode folds them; x/text swaps the two.
func cherokee(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return unicode.ToUpper(r)
	}
	return r
}

func checkParts(path string, check func(string) error) error {
	switch {
	case len(path) > maxPath:
		return LongPath
	case strings.HasPrefix(path, "/"):
		return Absolute
	}
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case ".":
			return Here
		case "..":
			return Up
		}
		if err := check(part); err != nil {
			return err
		}
	}
	return nil
}

// checkEntry holds for every entry of a directory that is written under one spelling everywhere.
func checkEntry(name string) error {
	if err := checkText(name, Unseen); err != nil {
		return err
	}
	if err := CheckWindows(name); err != nil {
		return err
	}
	switch {
	case len(name) > maxName:
		return Long
	case !norm.NFC.IsNormalString(name):
		return NotNFC
	}
	return nil
}

// checkText holds for every part of every path.
func checkText(part string, refused func(rune) bool) error {
	switch {
	case part == "":
		return Empty
	case !utf8.ValidString(part):
		return NotUTF8
	case strings.Contains(part, `\`):
		return Backslash
	case strings.ContainsFunc(part, refused):
		return Control
	}
	return nil
}

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
