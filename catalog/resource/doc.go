// Package resource is about the files that lie beside a skill's SKILL.md: which there are, where a path leads, how one is opened, and
// how a model is given them. It works on an fs.FS and imports no os; catalog/disk has the file system that lies on disk.
//
//	list, findings, err := resource.List(fsys, "pdf", resource.Options{FollowLinks: true})
//	raw, err := resource.Read(fsys, "pdf", "references/forms.md", 1<<20)
//
// Paths come from authors and models, so all are hostile: one function, [Confine], says what lies in a skill, by the text of the path
// and through every link, and everything else here asks it.
package resource
