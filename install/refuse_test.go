package install_test

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/install"
	"skills/install/agents"
	"skills/lockfile/manifest"
)

// refused tells that an error has a code.
func refused(t *testing.T, what string, err error, code string) {
	t.Helper()
	var known interface{ Code() string }
	if !errors.As(err, &known) || known.Code() != code {
		t.Errorf("%s: error %v, expected one with code %q", what, err, code)
	}
}

func TestNewRefusesWhatNoEngineCanWorkWith(t *testing.T) {
	dir := t.TempDir()
	codes := map[string]string{"a pattern that is none": "manifest_invalid", "an agent that is none": "unknown_agent"}
	for name, change := range map[string]func(*install.Config){
		"a lock without a directory": func(c *install.Config) { c.Lock = "skills.lock" },
		"no cache":                   func(c *install.Config) { c.Cache = "" },
		"no agents":                  func(c *install.Config) { c.Agents = nil },
		"a mode that is none":        func(c *install.Config) { c.Mode = "nonsense" },
		"a mode that is not asked":   func(c *install.Config) { c.Mode = install.ModeDirect },
		"a scope that is none":       func(c *install.Config) { c.Scope = 7 },
		"a pattern that is none":     func(c *install.Config) { c.Policy = manifest.Policy{Deny: []string{"["}} },
		"an agent that is none":      func(c *install.Config) { c.Default = []string{"nope"} },
	} {
		config := install.Config{
			Agents: agents.Default(), Environment: agents.Environment{Home: dir, Project: dir}, Cache: dir,
			Manifest: filepath.Join(dir, "skills.toml"), Lock: filepath.Join(dir, "skills.lock"),
		}
		if _, err := install.New(config); err != nil {
			t.Fatal(err)
		}
		change(&config)
		engine, err := install.New(config)
		if refused(t, name, err, cmp.Or(codes[name], "invalid_input")); engine != nil {
			t.Errorf("%s: there is an engine all the same", name)
		}
	}
}

// An engine without a fetcher can look at what is here; what would have to be fetched is an error.
func TestEngineWithoutAFetcher(t *testing.T) {
	p, _ := newHistory(t)
	p.add(t, request(t, "acme/kit", "pdf"))
	for name, fetcher := range map[string]install.Fetcher{"nil": nil, "of no client": install.FromClient(nil)} {
		e, ctx := engineIn(t, p, fetcher), context.Background()
		if all, err := e.Installed(ctx); err != nil || len(all) != 1 || all[0].State != install.StateOK {
			t.Errorf("%s: installed %+v, error %v", name, all, err)
		}
		_, err := e.PlanAdd(ctx, request(t, "acme/kit", "notes"))
		refused(t, name+": add", err, "unsupported")
		for _, plan := range []func() (*install.Plan, error){
			func() (*install.Plan, error) {
				return e.PlanAdd(ctx, install.AddRequest{All: true, Sources: append(request(t, "acme/kit").Sources, request(t, "acme/more").Sources...)})
			},
			func() (*install.Plan, error) { return e.PlanUpdate(ctx, install.UpdateRequest{}) },
		} {
			plan, err := plan()
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range plan.Steps {
				refused(t, name+": "+step.Name, step.Err, "unsupported")
			}
		}
		if plan, err := e.PlanInstall(ctx, install.InstallRequest{}); err != nil || plan.Failed() {
			t.Errorf("%s: install: steps %+v, error %v", name, plan, err)
		}
	}
}

func TestRequestsThatContradictThemselves(t *testing.T) {
	p, _ := newHistory(t)
	p.add(t, request(t, "acme/kit", "pdf"))
	ctx := context.Background()
	add := func(change func(*install.AddRequest)) func() (*install.Plan, error) {
		r := request(t, "acme/kit", "notes")
		change(&r)
		return func() (*install.Plan, error) { return p.PlanAdd(ctx, r) }
	}
	update := func(r install.UpdateRequest) func() (*install.Plan, error) {
		return func() (*install.Plan, error) { return p.PlanUpdate(ctx, r) }
	}
	codes := map[string]string{"an agent for add": "unknown_agent", "an agent for install": "unknown_agent"}
	for name, plan := range map[string]func() (*install.Plan, error){
		"merge and keep":   update(install.UpdateRequest{Merge: true, Keep: true}),
		"merge and force":  update(install.UpdateRequest{Merge: true, Force: true}),
		"keep and force":   update(install.UpdateRequest{Keep: true, Force: true}),
		"nothing to add":   add(func(r *install.AddRequest) { r.Sources = nil }),
		"all and some":     add(func(r *install.AddRequest) { r.All = true }),
		"a mode for add":   add(func(r *install.AddRequest) { r.Mode = "nonsense" }),
		"direct for add":   add(func(r *install.AddRequest) { r.Mode = install.ModeDirect }),
		"an agent for add": add(func(r *install.AddRequest) { r.Agents = []string{"nope"} }),
		"a mode for install": func() (*install.Plan, error) {
			return p.PlanInstall(ctx, install.InstallRequest{Mode: "nonsense"})
		},
		"an agent for install": func() (*install.Plan, error) {
			return p.PlanInstall(ctx, install.InstallRequest{Agents: []string{"nope"}})
		},
		"nothing to remove": func() (*install.Plan, error) { return p.PlanRemove(ctx, install.RemoveRequest{}) },
	} {
		plan, err := plan()
		if refused(t, name, err, cmp.Or(codes[name], "invalid_input")); plan != nil {
			t.Errorf("%s: there is a plan all the same", name)
		}
	}
}

// A plan is what it was when it was made, for the engine that made it.
func TestApplyRefusesOtherPlans(t *testing.T) {
	ctx := context.Background()
	for name, change := range map[string]func(*install.Plan){
		"a step less": func(plan *install.Plan) { plan.Steps = plan.Steps[:1] },
		"no steps":    func(plan *install.Plan) { plan.Steps = nil },
		"a step more": func(plan *install.Plan) { plan.Steps = append(plan.Steps, install.Step{Name: "x"}) },
		"a name":      func(plan *install.Plan) { plan.Steps[0].Name = "../../evil" },
		"a path":      func(plan *install.Plan) { plan.Steps[0].Path = "../evil" },
		"an action":   func(plan *install.Plan) { plan.Steps[1].Action = install.Removed },
		"another":     func(plan *install.Plan) { plan.Steps[0] = plan.Steps[1] },
	} {
		p, _ := newHistory(t)
		plan, err := p.PlanAdd(ctx, request(t, "acme/kit", "pdf", "notes"))
		if err != nil {
			t.Fatal(err)
		}
		before := p.files(t)
		change(plan)
		refused(t, name, p.Apply(ctx, plan), "invalid_input")
		if p.files(t) != before {
			t.Errorf("%s: something changed:\n%s", name, p.files(t))
		}
	}
	p, h := newHistory(t)
	plan, err := p.PlanAdd(ctx, request(t, "acme/kit", "pdf"))
	if err != nil {
		t.Fatal(err)
	}
	other, _ := newHistory(t)
	before := p.files(t) + other.files(t)
	refused(t, "another engine", other.Apply(ctx, plan), "invalid_input")
	refused(t, "another engine of the place", engineIn(t, p, h).Apply(ctx, plan), "invalid_input")
	refused(t, "nil", p.Apply(ctx, nil), "invalid_input")
	refused(t, "a plan of nobody", p.Apply(ctx, &install.Plan{}), "invalid_input")
	if p.files(t)+other.files(t) != before {
		t.Errorf("something changed:\n%s%s", p.files(t), other.files(t))
	}
	if err := p.Apply(ctx, plan); err != nil {
		t.Error(err)
	}
}

// With an error there is no plan.
func TestNoPlanWithAnError(t *testing.T) {
	p, _ := newHistory(t)
	p.add(t, request(t, "acme/kit", "pdf"))
	p.write(t, "skills.toml", "skills = {\n  pdf = \"acme/kit/skills/pdf\", # why\n}\n") // which cannot be edited
	for name, plan := range map[string]func(context.Context) (*install.Plan, error){
		"add": func(ctx context.Context) (*install.Plan, error) {
			return p.PlanAdd(ctx, request(t, "acme/kit", "notes"))
		},
		"pin": func(ctx context.Context) (*install.Plan, error) { return p.PlanPin(ctx, "pdf", "", "") },
	} {
		if plan, err := plan(context.Background()); err == nil || plan != nil {
			t.Errorf("%s: plan %v and error %v", name, plan, err)
		}
	}
}

// Reasons are facts. What can be done about them is told apart, for the words of the command line are of no use to other programs.
func TestReasonsHoldNoWordsOfTheCommandLine(t *testing.T) {
	p, h := newHistory(t)
	p.add(t, request(t, "acme/kit", "pdf", "notes"))
	h.move()
	p.write(t, pdf+"SKILL.md", "edited")
	ctx := context.Background()
	for i, plan := range []func() (*install.Plan, error){
		func() (*install.Plan, error) { return p.PlanUpdate(ctx, install.UpdateRequest{Names: []string{"pdf"}}) },
		func() (*install.Plan, error) { return p.PlanAdd(ctx, request(t, "acme/kit", "pdf")) },
		func() (*install.Plan, error) { return p.PlanInstall(ctx, install.InstallRequest{}) },
		func() (*install.Plan, error) {
			p.write(t, "skills.toml", "[skills]\n")
			return p.PlanInstall(ctx, install.InstallRequest{})
		},
	} {
		plan, err := plan()
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(plan.Steps, func(s install.Step) bool { return s.Name == "pdf" })
		if s := plan.Steps[at]; s.Reason == "" || strings.Contains(s.Reason, "--") || !strings.Contains(s.Hint, "--") {
			t.Errorf("%d: reason %q, hint %q", i, s.Reason, s.Hint)
		}
	}
}
