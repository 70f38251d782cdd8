// Package disk reads skills that lie on this machine: it opens a directory as the file system that catalog, catalog/resource and
// catalog/registry work on, loads one SKILL.md by its path, and finds the skills of a program by its configuration. It only reads, but
// for [Write], which puts a new skill down, and for inline skills, which [ResolveSkills] writes below a directory that it is given,
// until they are cleaned up.
//
//	skill, findings, err := disk.Load("skills/pdf/SKILL.md", catalog.Rules{})
//	list, findings, err := resource.List(disk.Open("skills"), "pdf", resource.Options{FollowLinks: true})
//	r, err := disk.New(ctx, disk.Options{Home: home, Workspace: workspace, Roots: disk.Preset()})
//
// Directories of skills are often links into a store, so links are followed wherever they lead; what must not leave a skill is asked of
// resource.Confine or opened with [FS.OpenIn], which os.Root guards.
package disk
