package merge

import (
	"bytes"
	"fmt"
)

// Content is what a file holds on one side of a [Patch].
type Content struct {
	Data       []byte
	Executable bool
}

// Patch returns what makes the new file out of the old one as `git apply` takes it: [Unified] below a header of git's, which tells
// what a diff alone cannot: executable bits, and empty files that come or go. A side that is nil has no such file. Patches of
// several files are put one behind the other; nil is for no difference.
//
// What is not shown, such as binary files, stays one line that git passes over.
func Patch(name string, old, new *Content) []byte {
	text := func(c *Content) (string, []byte) {
		if c == nil {
			return "", nil
		}
		return name, c.Data
	}
	oldName, oldText := text(old)
	newName, newText := text(new)
	body, modes := Unified(oldName, newName, oldText, newText), modes(old, new)
	head := fmt.Sprintf("diff --git %s %s\n%s", sideName("a/", name), sideName("b/", name), modes)
	switch {
	case bytes.HasPrefix(body, []byte("--- ")):
		return append([]byte(head), body...)
	case body != nil && (modes == "" || old == nil || new == nil): // under a header git would want its bytes
		return body
	case modes == "":
		return nil
	}
	return append(body, head+"\n"...) // what follows a header without a blank line can be taken for a part of it
}

// modes returns the header lines about modes.
func modes(old, new *Content) string {
	switch {
	case old == nil && new == nil:
		return ""
	case old == nil:
		return "new file mode " + gitMode(new) + "\n"
	case new == nil:
		return "deleted file mode " + gitMode(old) + "\n"
	case old.Executable != new.Executable:
		return "old mode " + gitMode(old) + "\nnew mode " + gitMode(new) + "\n"
	}
	return ""
}

// gitMode is the mode of a file in the words of git.
func gitMode(c *Content) string {
	if c.Executable {
		return "100755"
	}
	return "100644"
}
