// Package author is the writing side of skills: it defines one in code, writes its SKILL.md, mends one that a person wrote, and
// gives a new author something to begin with.
//
// Where package catalog reads with patience, this package is strict: what it lets through, every reader of the specification of
// agentskills.io reads back as it was given. It does no I/O; catalog/disk writes what it makes.
//
//	d, err := author.Define(author.Definition{
//		Name: "notes", Description: "Turns transcripts into notes. Use when one is shared.", Instructions: "# Notes\n…",
//	})
//	text, err := author.Format(d)
//
// Rules kept here:
//
//   - Format quotes whatever some reader of YAML would take for more than text, and writes nothing that would not read back.
//   - Fix changes bytes only where there is one right answer, keeps all others, and gives out nothing that it has not read again.
//   - Own data of a tool belongs under metadata with a prefix of its own, never in a new key at the top.
package author
