package catalog

import (
	"context"
	"fmt"
	"testing"
)

func BenchmarkParse1000Documents(b *testing.B) {
	var documents [][]byte
	for i := range 1000 {
		body := ""
		for line := range 100 {
			body += fmt.Sprintf("%d. A line of instructions that somebody wrote.\n", line)
		}
		front := fmt.Sprintf("name: skill-%d\ndescription: Does a thing. Use it when the thing is due.\nlicense: MIT\n"+
			"allowed-tools: Read, Bash(git add:*)\nmetadata:\n  author: me\n  version: \"1.%d\"", i, i)
		documents = append(documents, []byte("---\n"+front+"\n---\n\n"+body))
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, raw := range documents {
			if _, _, err := Parse(raw, Rules{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// large is a repository of 17,000 files, 3,000 of them manifests.
func large(b *testing.B) *treeFS {
	f := newTree()
	f.ids = true
	for i := range 3000 {
		dir := fmt.Sprintf("skills/cat-%d/skill-%d", i%60, i)
		f.add(dir+"/SKILL.md", nil, []byte(skill(fmt.Sprintf("skill-%d", i), "d")))
		for _, name := range []string{"README.md", "references/a.md", "references/b.md", "scripts/run.sh"} {
			f.add(dir+"/"+name, nil, fmt.Appendf(nil, "%d", i))
		}
	}
	for i := range 2000 {
		f.add(fmt.Sprintf("src/%d/%d.go", i%100, i), nil, []byte("x"))
	}
	b.ReportAllocs()
	return f
}

func BenchmarkWalk17000Files(b *testing.B) {
	f := large(b)
	for b.Loop() {
		l, err := Walk(context.Background(), f, WalkOptions{})
		if err != nil || len(l.Candidates) != 3000 {
			b.Fatal(len(l.Candidates), err)
		}
	}
}

func BenchmarkRead3000Skills(b *testing.B) {
	f := large(b)
	for b.Loop() {
		l, err := Walk(context.Background(), f, WalkOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Read(context.Background(), f, false); err != nil || len(l.Visible()) != 3000 {
			b.Fatal(err)
		}
	}
}
