package catalog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// usual is a document as most are: seven keys and a hundred lines.
func usual(i int) []byte {
	body := ""
	for line := range 100 {
		body += fmt.Sprintf("%d. A line of instructions that somebody wrote.\n", line)
	}
	front := fmt.Sprintf("name: skill-%d\ndescription: Does a thing. Use it when the thing is due.\nlicense: MIT\n"+
		"allowed-tools: Read, Bash(git add:*)\nmetadata:\n  author: me\n  version: \"1.%d\"", i, i)
	return []byte("---\n" + front + "\n---\n\n" + body)
}

func BenchmarkParse10000Documents(b *testing.B) {
	var documents [][]byte
	for i := range 10_000 {
		documents = append(documents, usual(i))
	}
	for _, profile := range []Profile{ProfileInstall, ProfileSpec, ProfileZidane} {
		b.Run(string(profile), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, raw := range documents {
					if _, _, err := Parse(raw, Rules{Profile: profile}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// The disk is warm: the files were written a moment ago.
func BenchmarkList10000SkillsOnDisk(b *testing.B) {
	root := b.TempDir()
	for i := range 10_000 {
		dir := filepath.Join(root, "skills", fmt.Sprintf("skill-%d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), usual(i), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		l, err := Walk(context.Background(), os.DirFS(root), WalkOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Read(context.Background(), os.DirFS(root), false); err != nil || len(l.Visible()) != 10_000 {
			b.Fatal(len(l.Visible()), err)
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
