package install_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing/fstest"

	"skills/install"
	"skills/install/agents"
	"skills/source"
)

func Example() {
	dir, err := os.MkdirTemp("", "skills-example-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	engine, err := install.New(install.Config{
		Fetcher:     shelf{"https://github.com/acme/kit": fstest.MapFS{"skills/pdf/SKILL.md": skill("pdf", "Read it.")}},
		Agents:      agents.Default(),
		Environment: agents.Environment{Home: filepath.Join(dir, "home"), Project: dir},
		Manifest:    filepath.Join(dir, "skills.toml"),
		Lock:        filepath.Join(dir, "skills.lock"),
		Cache:       filepath.Join(dir, "cache"),
	})
	if err != nil {
		panic(err)
	}
	locator, err := source.Parse("acme/kit/skills/pdf", source.DefaultHosts())
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	plan, err := engine.PlanAdd(ctx, install.AddRequest{Sources: []install.SourceRequest{{Locator: locator}}})
	if err != nil {
		panic(err)
	}
	for _, step := range plan.Steps {
		fmt.Println(step.Action, step.Name, "in", step.Path)
	}
	if err := engine.Apply(ctx, plan); err != nil {
		panic(err)
	}
	installed, err := engine.Installed(ctx)
	if err != nil {
		panic(err)
	}
	for _, skill := range installed {
		fmt.Println(skill.Name, "is", skill.State)
	}
	plan, err = engine.PlanRemove(ctx, install.RemoveRequest{Names: []string{"pdf"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(plan.Steps[0].Action, plan.Steps[0].Name)
	// Output:
	// added pdf in .agents/skills/pdf
	// pdf is ok
	// removed pdf
}
