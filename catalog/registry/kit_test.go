package registry

import (
	"slices"
	"testing"
	"testing/fstest"

	"skills/catalog"
)

func TestKits(t *testing.T) {
	files := tree(map[string]string{
		"k/AGENT.md": "An agent.\n", "k/skills/good/SKILL.md": doc(`"files:good"`, "d", "Use {{x}}."), "k/skills/bad/SKILL.md": "nothing",
		"k/skills/bare/SKILL.md": skill("bare"), "k/skills/deep/er/SKILL.md": skill("deep"), "k/other/SKILL.md": skill("other"),
		"bare/skills/x/SKILL.md": skill("x"), "empty/readme": "", "file": "", ".hidden/x": "", "l -> k": "",
	})
	in := Root{FS: files, Path: "/kits"}
	open := func(t *testing.T, name string, c Config) (*Kit, *recorder) {
		t.Helper()
		told := &recorder{}
		c.Warn = told.warn
		kit, err := OpenKit(t.Context(), in, name, c)
		if err != nil {
			t.Fatal(err)
		}
		return kit, told
	}
	t.Run("S0-19", func(t *testing.T) {
		kit, told := open(t, "k", Defaults())
		if kit.Name != "k" || kit.Agent() != "An agent.\n" {
			t.Errorf("name is %q, agent %q", kit.Name, kit.Agent())
		}
		found{kit.Registry, told}.want(t, []string{"bare", "files:good"}, []string{"invalid_skill /kits/k/skills/bad/SKILL.md"})
		c, _ := kit.Get("files:good")
		if c.Body != "Use {{x}}." || c.Dir != "/kits/k/skills/good" || c.Source != "k" || c.Root != "/kits/k/skills" {
			t.Errorf("content is %+v", c)
		}
	})
	t.Run("S0-19 through a link", func(t *testing.T) {
		if kit, _ := open(t, "l", Defaults()); kit.Size() != 2 || kit.Agent() == "" {
			t.Errorf("size is %d", kit.Size())
		}
	})
	t.Run("S0-19 without", func(t *testing.T) {
		for _, name := range []string{"bare", "empty"} {
			kit, told := open(t, name, Defaults())
			if kit.Agent() != "" || len(told.codes()) > 0 || (kit.Size() == 0) != (name == "empty") {
				t.Errorf("%s has %d skills and the agent %q", name, kit.Size(), kit.Agent())
			}
		}
	})
	t.Run("S0-19 refresh", func(t *testing.T) {
		kit, _ := open(t, "bare", Defaults())
		files["bare/AGENT.md"] = &fstest.MapFile{Data: []byte("new")}
		defer delete(files, "bare/AGENT.md")
		if err := kit.Refresh(t.Context()); err != nil || kit.Agent() != "new" {
			t.Errorf("agent is %q, %v", kit.Agent(), err)
		}
	})
	for name, kind := range map[string]string{"nope": "not_found", "file": "not_found", "kk": "not_found", "../k": "unsafe_name", "": "unsafe_name", ".": "unsafe_name", "k/skills": "unsafe_name"} {
		t.Run("S0-19 unknown "+name, func(t *testing.T) {
			_, err := OpenKit(t.Context(), in, name, Defaults())
			if e := fault(t, err); e.Kind != kind {
				t.Errorf("error is %#v", e)
			}
		})
	}
	t.Run("S0-19 near", func(t *testing.T) {
		_, err := OpenKit(t.Context(), in, "emty", Defaults())
		if e := fault(t, err); e.Hint != `did you mean "empty"?` {
			t.Errorf("hint is %q", e.Hint)
		}
	})
	t.Run("S0-19 list", func(t *testing.T) {
		if kits, err := Kits(t.Context(), in); err != nil || !slices.Equal(kits, []string{"bare", "empty", "k", "l"}) {
			t.Errorf("kits are %q, %v", kits, err)
		}
		for _, missing := range []Root{{Path: "/none"}, {FS: files, Path: "/none", dir: "none"}} {
			if kits, err := Kits(t.Context(), missing); err != nil || len(kits) > 0 {
				t.Errorf("kits are %q, %v", kits, err)
			}
			if _, err := OpenKit(t.Context(), missing, "k", Defaults()); fault(t, err).Kind != "not_found" {
				t.Errorf("error is %v", err)
			}
		}
	})
}

func TestAgentsOfKits(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		links bool
		agent string
		codes []string
	}{
		"link":           {map[string]string{"k/AGENT.md -> ../a": "", "a": "text"}, true, "text", []string{}},
		"link unwanted":  {map[string]string{"k/AGENT.md -> ../a": "", "a": "text"}, false, "", []string{}},
		"dangling":       {map[string]string{"k/AGENT.md -> ../b": ""}, true, "", []string{"dangling_link /K/k/AGENT.md"}},
		"directory":      {map[string]string{"k/AGENT.md/x": ""}, true, "", []string{"not_a_file /K/k/AGENT.md"}},
		"too long":       {map[string]string{"k/AGENT.md": "123456789"}, true, "", []string{"invalid_skill /K/k/AGENT.md"}},
		"as long as may": {map[string]string{"k/AGENT.md": "12345678"}, true, "12345678", []string{}},
		"other case":     {map[string]string{"k/agent.md": "text"}, true, "", []string{}},
	} {
		t.Run("S0-19 "+name, func(t *testing.T) {
			told := &recorder{}
			kit, err := OpenKit(t.Context(), Root{FS: tree(c.files), Path: "/K"}, "k", Config{FollowLinks: c.links, Limits: Limits{Manifest: 8}, Warn: told.warn})
			if err != nil || kit.Agent() != c.agent {
				t.Fatalf("agent is %q, %v", kit.Agent(), err)
			}
			if got := told.codes(); !slices.Equal(got, c.codes) {
				t.Errorf("told was %q, want %q", got, c.codes)
			}
			if rules := kit.Config().Rules; rules.Profile != catalog.ProfileSkillKit || !rules.BareNames {
				t.Errorf("rules are %+v", rules)
			}
		})
	}
}
