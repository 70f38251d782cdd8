package lockfile_test

import (
	"fmt"
	"testing"

	"skills/lockfile"
	"skills/lockfile/manifest"
)

// many is how many skills a large project has.
const many = 2000

func BenchmarkLock(b *testing.B) {
	l := lockfile.New()
	for i := range many {
		if err := l.Put(entry(i, false)); err != nil {
			b.Fatal(err)
		}
	}
	text := l.Bytes()
	for b.Loop() {
		l, err := lockfile.Parse(text, "skills.lock")
		if err != nil || len(l.Bytes()) != len(text) {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(text)))
}

func BenchmarkManifestSet(b *testing.B) {
	var skills []manifest.Skill
	for i := range many {
		skills = append(skills, manifest.Skill{Name: fmt.Sprintf("s%d", i), Source: fmt.Sprintf("https://github.com/o/r/tree/main/skills/s%d", i)})
	}
	for b.Loop() {
		m, err := manifest.Parse(nil, "skills.toml")
		if err != nil {
			b.Fatal(err)
		}
		if _, err = m.Set(skills...); err != nil {
			b.Fatal(err)
		}
	}
}
