package lockfile

import (
	"bytes"
	"reflect"
)

// Mend gives what is beyond doubt in a lock with merge conflict markers: the skills that only one side has, and those on which both
// agree. What is damaged besides gives an empty lock. File is the name that Parse was given.
func Mend(data []byte, file string) *Lock {
	mended := New()
	ours, theirs := sides(data)
	one, err := Parse(ours, file)
	if err != nil {
		return mended
	}
	other, err := Parse(theirs, file)
	if err != nil {
		return mended
	}
	for _, pair := range [2][2]*Lock{{one, other}, {other, one}} {
		for _, s := range pair[0].Skills() {
			if twin, both := pair[1].Get(s.Name); !both || reflect.DeepEqual(s, twin) {
				_ = mended.Put(s) // a name that is another's directory somewhere stays out
			}
		}
	}
	return mended
}

// sides gives the text with one and with the other side of each conflict. A side of the common ancestor goes.
func sides(data []byte) (ours, theirs []byte) {
	in := byte(0) // the marker of the side that is read
	for line := range bytes.Lines(data) {
		if len(line) >= 7 && bytes.Count(line[:7], line[:1]) == 7 && bytes.IndexByte([]byte("<|=>"), line[0]) >= 0 {
			in = line[0]
			continue
		}
		if in != '|' && in != '=' {
			ours = append(ours, line...)
		}
		if in != '|' && in != '<' {
			theirs = append(theirs, line...)
		}
	}
	return ours, theirs
}
