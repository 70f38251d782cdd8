// Package catalog turns a tree of files into skills: it finds the candidates,
// reads their SKILL.md, chooses among them, and says exactly which files an
// install writes and what their digest is.
//
// It works on an fs.FS and does nothing else: no disk, no network, no clock, no
// environment. The file system may be lazy. Its listing must be complete (names,
// kinds, the executable bit, the text of links through fs.ReadLinkFS), its
// contents need not be there: Walk and Files list only, Listing.Manifests names
// the files that Listing.Read opens, and the files of a skill are opened by who
// copies them. fs.ModeSymlink marks a link, fs.ModeIrregular a submodule. A file
// system that knows git ids offers ObjectID(name string) (id string, ok bool);
// equal ids then stand for equal content without reading it.
//
//	listing, err := catalog.Walk(ctx, tree, catalog.WalkOptions{Fallback: "kit"})
//	// load listing.Manifests(false)
//	err = listing.Read(ctx, tree, false)
//	chosen, err := listing.Select([]string{"pdf"})
//	files, findings, err := catalog.Files(ctx, tree, chosen[0].Path, catalog.Limits{})
//
// Rules that hold everywhere:
//
//   - What comes from a tree is hostile. Links are read as text and resolved part
//     by part, never leaving the tree; names become paths only through CheckName
//     and CheckPath; documents, nesting, aliases and walks are bounded.
//   - One unusable skill hides no other and is never silent: it stays listed with
//     file, line and reason.
//   - Front matter keeps its source text: no dates, floats or yes/no booleans are
//     made of it. What YAML refuses is repaired only where one reading is
//     possible, and never so that allowed-tools says more than was written.
//   - Findings carry a code, a severity that the profile gives, and a place.
package catalog
