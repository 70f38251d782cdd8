package foreign

import (
	"errors"
	"fmt"
	"strings"

	"skills/source"
)

// npmLock reads the lock of a project or of a user.
func (r *reader) npmLock(data []byte, k Kind, version int) error {
	r.record.Kind = k
	root, err := r.parseJSON(data)
	if err != nil {
		return err
	}
	if err := r.version(root, "version", number, version); err != nil {
		return err
	}
	skills := root.get("skills")
	switch {
	case skills == nil:
		return r.damaged(root.line, `"skills" is missing`)
	case skills.kind != table:
		return r.damaged(skills.line, `"skills" is %s, not a table`, skills.kind)
	}
	r.agents(root)
	for _, item := range skills.items {
		if err := r.add(r.npmEntry(item)); err != nil {
			return err
		}
	}
	return nil
}

// agents reads whom the skills were last installed for.
func (r *reader) agents(root *value) {
	f := open(root)
	agents := f.texts("lastSelectedAgents")
	if f.err != nil {
		r.find("not_imported", root.get("lastSelectedAgents").line, "agents are not imported: %v", f.err)
		return
	}
	r.record.Agents = agents
}

// npmEntry reads one member of "skills".
func (r *reader) npmEntry(v *value) (Entry, error) {
	e := Entry{Name: v.key, Line: v.line}
	f := open(v)
	n := npmSkill{
		reader: r, fields: f, source: f.text("source"), url: f.text("sourceUrl"), kind: f.text("sourceType"), ref: f.text("ref"),
	}
	if pinned := f.text("pinnedRef"); pinned != "" {
		n.ref, e.Pinned, e.Reason = pinned, true, "pinned with gh skill"
	}
	path, err := directory("skillPath", f.text("skillPath"))
	if err == nil && f.err == nil {
		err = n.locate(&e, path)
	}
	if f.err != nil {
		err = f.err
	}
	if path == "" && f.table.get("skillPath") == nil {
		e.Skill = e.Name
	}
	r.subagents(f)
	return e, err
}

// npmSkill is one entry with what says where it comes from.
type npmSkill struct {
	*reader
	*fields
	source, url, kind, ref string
}

// locate reads the source by its type.
func (n npmSkill) locate(e *Entry, path string) error {
	switch n.kind {
	case "local":
		return n.local(e, n.source, path)
	case "node_modules":
		return n.npmPackage(e, n.source, n.text("version"), path)
	case "well-known":
		return n.site(e, path)
	}
	address, err := n.address()
	if err != nil {
		return err
	}
	locate := n.other
	if n.kind == "github" || n.kind == "gitlab" || n.kind == "git" {
		locate = n.repository
	}
	if err := locate(e, address, n.ref, path); err != nil {
		return err
	}
	// A hash of another length is over the names and bytes of files, in an order that depends on the machine.
	if hash := n.text("skillFolderHash"); treeID.MatchString(hash) && n.kind == "github" {
		e.Tree = hash
	}
	hash := "computedHash"
	if n.table.get(hash) == nil {
		hash = "skillFolderHash"
	}
	e.unpinned(n.fields, hash)
	return nil
}

// address gives what is asked for the skill. Only of GitHub may the host be missing: anywhere else owner/repo is of a host that
// nobody recorded, and must not be taken for a repository of that name on GitHub.
func (n npmSkill) address() (string, error) {
	switch {
	case n.url != "":
		return n.url, nil
	case n.source == "":
		return "", errors.New(`"source" is missing`)
	case n.kind == "github" || fullAddress.MatchString(n.source):
		return n.source, nil
	}
	return "", errors.New(`"sourceUrl" is missing, so the host is not known`)
}

// site locates a skill in the index of a site.
func (n npmSkill) site(e *Entry, path string) error {
	base := n.text("sourceBaseUrl")
	if base == "" {
		base, _, _ = strings.Cut(n.url, "/.well-known/")
	}
	if base == "" {
		base = "https://" + n.source
	}
	l, err := n.parse(base)
	if err != nil {
		return err
	}
	if l.Kind != source.Site {
		return fmt.Errorf("source %q is no site", l.Input)
	}
	e.Text, e.Path = l.Canonical(), path
	recorded := n.text("wellKnownDigest")
	switch {
	case digest.MatchString(recorded):
		e.Digest = recorded
	case recorded != "":
		e.Problem = `"wellKnownDigest" is of a kind that is not known here`
	default:
		e.Problem = "a site has no revisions, and no digest is recorded"
	}
	return nil
}

// subagents tells that a skill was installed for more than its agent.
func (r *reader) subagents(f *fields) {
	v := f.table.get("subagents")
	if v == nil {
		return
	}
	for _, item := range v.items {
		if item.text != "" {
			r.find("not_imported", v.line, "subagents of %q are not imported", clip(f.table.key))
			break
		}
	}
}
