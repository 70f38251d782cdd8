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
//   - Bounds below 1 are the defaults, here and in the packages below. What is handed
//     out may be changed by who gets it. A cancelled ctx ends a call with its cause.
//   - A context, file system or skill that is needed and nil is a mistake of the
//     program and panics, where nothing else is said.
//
// One parser serves six profiles ([Profile]). It makes the same findings for all; a table says for each profile whether a code
// is an error, a warning, an info or nothing ([Profile.Severity]), and a second one what a profile does otherwise: how it reads
// the front matter, which names pass, what it bounds. So another system is another column:
//
//   - install reads what can be read safely, repairs what has one meaning, and warns. The zero [Rules].
//   - spec is the specification: only its six keys, typed, names of a to z, 0 to 9 and single hyphens.
//   - skillkit wants namespace:name ([Rules].BareNames lifts that), looks at required_scope and the first handler of a hook.
//   - clarvis types its own optional keys, takes names of letters, digits, dots, hyphens and underscores, and tools for
//     allowed-tools; a file without a front matter is one without a name.
//   - smarter is strict about the standard fields and 200,000 characters, and lets other keys be.
//   - zidane reads line by line, and warns about everything but an absent description.
//
// Rules that no profile changes: byte order marks and CRLF are taken everywhere, a fence is three hyphens with nothing but
// blanks behind, a file must begin with one, YAML tags are refused, and texts of tools are cut outside parentheses.
package catalog
