package lockfile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"skills/lockfile/internal/document"
	"skills/source/names"
)

// version is the version of the format that is read and written.
const version = 1

// Parse reads the text of a lock; file is the name to use in errors. Line ends may be "\r\n", as a checkout with autocrlf leaves
// them. A lock with anything wrong is an *Error, never a part of a lock.
func Parse(data []byte, file string) (*Lock, error) {
	doc, err := document.Parse(data)
	if err != nil {
		var syntax *document.SyntaxError
		errors.As(err, &syntax)
		return nil, syntaxError(file, syntax)
	}
	r := reader{file: file, doc: doc, lock: New()}
	if err := r.read(); err != nil {
		return nil, err
	}
	return r.lock, nil
}

// reader turns a document into a lock.
type reader struct {
	file string
	doc  *document.Document
	lock *Lock
}

func (r *reader) read() error {
	if err := r.version(); err != nil {
		return err
	}
	skills := r.doc.Root.Get("skill")
	if skills == nil {
		skills = &document.Node{Kind: document.List}
	}
	if skills.Kind != document.List || slices.ContainsFunc(r.doc.Statements, valueOfSkill) {
		return r.damaged(skills.Line, `"skill" is not written as [[skill]] tables`)
	}
	read := make([]Skill, len(skills.Items))
	seen := map[string]int{}
	for i, n := range skills.Items {
		if err := r.skill(&read[i], n); err != nil {
			return err
		}
		fold := names.Fold(read[i].Name)
		if first, taken := seen[fold]; taken {
			return r.damaged(n.Line, "%q and %q of line %d are one directory on some file systems", read[i].Name, read[first].Name, skills.Items[first].Line)
		}
		seen[fold] = i
	}
	r.keepUnknown(read)
	for _, s := range read {
		r.lock.set(s)
	}
	return nil
}

// valueOfSkill finds skill = [ … ] and the like, in which unknown keys have no lines of their own.
func valueOfSkill(s document.Statement) bool {
	return !s.Header && len(s.Table) == 0 && s.Path[0] == "skill"
}

// version refuses a lock that this program does not understand.
func (r *reader) version() error {
	n := r.doc.Root.Get("version")
	if n == nil {
		return r.damaged(1, `"version" is missing`)
	}
	v, err := strconv.ParseInt(strings.ReplaceAll(n.Text, "_", ""), 0, 64)
	switch {
	case n.Kind != document.Integer || err != nil || v < 1:
		return r.damaged(n.Line, `"version" is not a positive whole number`)
	case v > version:
		return &Error{Kind: "lock_newer", File: r.file, Line: n.Line,
			Message: fmt.Sprintf("version %d of the lock is newer than version %d, which this program reads", v, version),
			Hint:    "install a newer release of this program; the lock was left as it is"}
	}
	return nil
}

// skill reads one [[skill]].
func (r *reader) skill(s *Skill, n *document.Node) error {
	for _, f := range s.fields() {
		value := n.Get(f.key)
		if value == nil {
			continue
		}
		if value.Kind != document.String {
			return r.damaged(value.Line, "%q is %s, not a string", f.key, value.Kind)
		}
		if value.Text == "" {
			return r.damaged(value.Line, "%q is empty", f.key)
		}
		*f.value = value.Text
	}
	if key, err := s.check(); err != nil {
		line := n.Line
		if value := n.Get(key); value != nil {
			line = value.Line
		}
		return r.damaged(line, "%s %v", key, err)
	}
	return nil
}

// keepUnknown gives the statements of keys that this version does not know to the skill, or to the lock, that they belong to.
func (r *reader) keepUnknown(read []Skill) {
	current := -1
	var section *string // the table that is being kept
	for _, s := range r.doc.Statements {
		ofSkill := s.Path[0] == "skill"
		switch {
		case s.Header && ofSkill && len(s.Path) == 1:
			current++
			section = nil
		case s.Header && ofSkill:
			section = keep(&read[current].sections, r.doc.Raw(s.Lines))
		case s.Header:
			section = keep(&r.lock.sections, r.doc.Raw(s.Lines))
		case section != nil:
			*section += "\n" + r.doc.Raw(s.Lines)
		case ofSkill && !known(s.Path[1]):
			keep(&read[current].extra, r.statement(s))
		case !ofSkill && s.Path[0] != "version":
			keep(&r.lock.extra, r.statement(s))
		}
	}
}

// statement gives "key = value" as written.
func (r *reader) statement(s document.Statement) string {
	return r.doc.Raw(document.Span{Start: s.Key.Start, End: s.Value.End})
}

func keep(texts *[]string, text string) *string {
	*texts = append(*texts, text)
	return &(*texts)[len(*texts)-1]
}

func known(key string) bool {
	return slices.ContainsFunc(new(Skill).fields(), func(f field) bool { return f.key == key })
}
