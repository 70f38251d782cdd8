// Package registry lists the skills that are at hand below some directories:
// one level deep, merged by name, each with its text and the files beside it.
//
//	r, err := registry.Discover(ctx, registry.Defaults(
//		registry.Root{FS: disk.Open(user), Path: user, Scope: "user"},
//		registry.Root{FS: disk.Open(project), Path: project, Scope: "workspace"}, // the last root wins
//	))
//	fmt.Print(registry.Markdown(r.List(), ""))
//	if skill, ok := r.Get("pdf"); ok { … }
//
// Two systems are served. Discover reads roots of rising precedence, as the
// agent skills library of Clarvis does; Resolve joins a host's own skills with
// those of a project and of a user, the first path winning, as zidane does.
// Both give a Registry.
//
// It works on io/fs values and does nothing else: no disk, no network, no
// environment, no clock. Package catalog/disk makes the values for directories.
// A file system on disk says where its links lead by RealPath(name string)
// (string, error); then they may leave it, and one directory that is reached
// through two roots is one skill. Elsewhere links stay inside.
//
// What is read is hostile. Every directory, file and list is bounded; what a
// bound leaves out is told by a finding "limit". No directory is entered
// twice, so links may lead in circles; only regular files are opened. What a
// model is shown is folded to one line, escaped and bounded.
//
// Findings go to Config.Warn alone. There is no sink for the whole process, as
// Clarvis has one: a library that prints or that keeps state of its own would
// take the choice from the program. A host hands the same function to all.
package registry
