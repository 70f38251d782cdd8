package main

import (
	"fmt"
	"math/rand/v2"
	"testing/fstest"

	"skills/fetch/fetchtest"
)

// madeUp adds a repository of 40 MB with 60 skills to the forge and returns its name. The same bytes come out each time.
func madeUp(forge *fetchtest.Forge) string {
	const name = "github.com/bench/forty"
	random := rand.New(rand.NewPCG(1, 2))
	files := fstest.MapFS{}
	for skill := range 60 {
		dir := fmt.Sprintf("skills/skill-%02d/", skill)
		text := fmt.Sprintf("---\nname: skill-%02d\ndescription: Measures number %d. Use in benchmarks.\n---\n\n# Measure\n", skill, skill)
		files[dir+"SKILL.md"] = &fstest.MapFile{Data: []byte(text)}
		for file := range 11 {
			files[fmt.Sprintf("%sreferences/%02d.md", dir, file)] = &fstest.MapFile{Data: noise(random, 5000)}
		}
	}
	for file := range 2000 {
		files[fmt.Sprintf("src/%02d/%02d/file%d.bin", file%40, file%7, file)] = &fstest.MapFile{Data: noise(random, 18000)}
	}
	forge.AddFS(name, files).Set(fetchtest.Settings{Filter: "blob:none"})
	return name
}

// thousands adds a repository of 2,000 skills with 10 files each to the forge and returns its name.
func thousands(forge *fetchtest.Forge) string {
	const name = "github.com/bench/thousands"
	random := rand.New(rand.NewPCG(3, 4))
	files := fstest.MapFS{}
	for skill := range 2000 {
		dir := fmt.Sprintf("cat-%02d/skill-%04d/", skill%40, skill)
		text := fmt.Sprintf("---\nname: skill-%04d\ndescription: Measures number %d. Use in benchmarks.\n---\n\n# Measure\n", skill, skill)
		files[dir+"SKILL.md"] = &fstest.MapFile{Data: append([]byte(text), noise(random, 3000)...)}
		for file := range 9 {
			files[fmt.Sprintf("%sreferences/%d.md", dir, file)] = &fstest.MapFile{Data: noise(random, 3000)}
		}
	}
	forge.AddFS(name, files).Set(fetchtest.Settings{Filter: "blob:none"})
	return name
}

// twenty adds 20 repositories of 10 skills with 5 files each to the forge and returns their names.
func twenty(forge *fetchtest.Forge) []string {
	random := rand.New(rand.NewPCG(5, 6))
	var names []string
	for repository := range 20 {
		files := fstest.MapFS{}
		for skill := range 10 {
			name := fmt.Sprintf("pack-%02d-%d", repository, skill)
			text := fmt.Sprintf("---\nname: %s\ndescription: Measures number %d. Use in benchmarks.\n---\n\n# Measure\n", name, skill)
			files["skills/"+name+"/SKILL.md"] = &fstest.MapFile{Data: append([]byte(text), noise(random, 3000)...)}
			for file := range 4 {
				files[fmt.Sprintf("skills/%s/references/%d.md", name, file)] = &fstest.MapFile{Data: noise(random, 3000)}
			}
		}
		names = append(names, fmt.Sprintf("github.com/bench/pack-%02d", repository))
		forge.AddFS(names[repository], files).Set(fetchtest.Settings{Filter: "blob:none"})
	}
	return names
}

// noise is text that deflates to about two thirds.
func noise(random *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(' ' + random.IntN(40))
	}
	return data
}
