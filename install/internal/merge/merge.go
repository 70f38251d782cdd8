// Package merge brings edits that were made here together with changes that were made upstream: for the texts of a file, for the
// files of a directory, and as a diff to read.
//
// A merge has three sides: base is what both began with (the locked revision), mine is what lies on this disk, theirs is what
// upstream has now. What only one side changed is taken from it; what both changed alike is taken once; the rest is a conflict.
//
// Rules kept here:
//
//   - Nothing is read or written: texts and listings come in, texts and decisions go out.
//   - Local work survives: a conflict between files keeps mine, a conflict inside a text keeps both between markers.
//   - Changes that touch, with no common line in between, are a conflict, as in git: nobody has seen them together.
//   - Line ends belong to lines, and a file without a final line end stays one. But when each side ends all its lines alike, the
//     line end is merged as one property of the file: a checkout of Windows is no edit.
//   - Time and memory are bounded for hostile texts: see [Three].
//
// A use:
//
//	for _, change := range merge.Plan(base, mine, theirs) {
//		if change.Action == merge.Merge && !merge.Binary(edited) && !merge.Binary(upstream) {
//			merged, conflicts := merge.Three(locked, edited, upstream, merge.Labels{Mine: "local edits", Theirs: "v2.0.0"})
//		}
//	}
package merge

import (
	"bytes"
	"unicode/utf8"
)

// pick merges a value that is taken or left as a whole; false when both sides changed it, each in its way.
func pick[T comparable](base, mine, theirs T) (T, bool) {
	if base == mine {
		return theirs, true
	}
	return mine, base == theirs || mine == theirs
}

// examined is how many bytes tell whether a file is text; git looks at as many.
const examined = 8000

// Binary tells whether data is no text, which is never merged and not shown: a NUL byte or a byte that is not UTF-8 among its
// first 8,000 bytes. Git looks for NUL alone, in the same bytes; a line merge of an unknown encoding could cut a character, so
// here that is no text either. An empty file is text.
func Binary(data []byte) bool {
	if len(data) > examined {
		data = data[:examined]
		for range utf8.UTFMax - 1 { // a character across the border is not the text's fault
			if last, size := utf8.DecodeLastRune(data); last != utf8.RuneError || size != 1 {
				break
			}
			data = data[:len(data)-1]
		}
	}
	return bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data)
}
