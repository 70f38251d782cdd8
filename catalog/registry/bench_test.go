package registry

import (
	"context"
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"
)

// library is a registry's root with many skills, and bounds that let them in.
func library(count int) Config {
	files := fstest.MapFS{}
	for n := range count {
		name := fmt.Sprintf("skill-%05d", n)
		files[name+"/SKILL.md"] = &fstest.MapFile{Data: []byte(doc(name, "Does one of many things, in some detail.", "Text.\n"))}
	}
	c := Defaults(Root{FS: listed{files}, Path: "/R"})
	c.Limits = Limits{Entries: count, Skills: count, Merged: count}
	return c
}

// listed opens files without a look at all others, as a disk does; MapFS looks
// at each of its names for each directory.
type listed struct{ fstest.MapFS }

func (l listed) Open(name string) (fs.File, error) {
	if one, ok := l.MapFS[name]; ok {
		return fstest.MapFS{"f": one}.Open("f")
	}
	if one, ok := l.MapFS[name+"/SKILL.md"]; ok {
		return fstest.MapFS{"SKILL.md": one}.Open(".")
	}
	return l.MapFS.Open(name)
}

func BenchmarkDiscover(b *testing.B) {
	c := library(10_000)
	b.ReportAllocs()
	for b.Loop() {
		if r, err := Discover(context.Background(), c); err != nil || r.Size() != 10_000 {
			b.Fatal(err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	r, err := Discover(context.Background(), library(512))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.List()
	}
}

func BenchmarkMarkdown(b *testing.B) {
	r, err := Discover(context.Background(), library(512))
	if err != nil {
		b.Fatal(err)
	}
	list := r.List()
	b.ReportAllocs()
	for b.Loop() {
		Markdown(list, "")
	}
}
