package agents_test

import (
	"slices"
	"strings"
	"testing"

	"skills/install/agents"
)

func ids(list []agents.Agent) []string {
	var all []string
	for _, agent := range list {
		all = append(all, agent.ID)
	}
	return all
}

func TestNothingIsDetectedOnAnEmptyMachine(t *testing.T) {
	for _, env := range []agents.Environment{{}, holding().environment()} {
		if got := ids(agents.Default().Detected(env)); got != nil {
			t.Errorf("detected %q, want none", got)
		}
	}
}

// Each place of each row shows exactly the agents whose rows hold it. Two agents need more than a place (eve) or nothing at all
// (universal) and have tests of their own.
func TestEachPlaceShowsItsAgents(t *testing.T) {
	table, all := agents.Default(), rows(t)
	for _, r := range all {
		for _, mark := range r.detect {
			var want []string
			for _, other := range all {
				if other.id != "eve" && slices.Contains(other.detect, mark) {
					want = append(want, other.id)
				}
			}
			m := holding(place(mark))
			if name, _, ok := strings.Cut(strings.TrimPrefix(mark, "$"), "/"); ok && mark[0] == '$' {
				m.variables = relocated(name).variables
			}
			if got := ids(table.Detected(m.environment())); !slices.Equal(got, want) {
				t.Errorf("%s shows %q, want %q", mark, got, want)
			}
		}
	}
}

// A relocated agent is found where its variable points, and what lies in its old place shows it no longer.
func TestDetectionFollowsVariables(t *testing.T) {
	table := agents.Default()
	for _, r := range rows(t) {
		variable, _, _ := strings.Cut(r.moved, ":")
		if r.watched != "" {
			variable = r.watched
		}
		// These two have a user directory that moves, but nothing that shows them does.
		if variable == "" || r.id == "replit" || r.id == "universal" {
			continue
		}
		t.Run(r.id, func(t *testing.T) {
			m := relocated(variable)
			m.files[place(r.detect[0])] = ""
			if slices.Contains(ids(table.Detected(m.environment())), r.id) {
				t.Errorf("detected in %s although %s is set", r.detect[0], variable)
			}
			below := strings.TrimPrefix(r.detect[0], "~/.config/")
			if variable != "XDG_CONFIG_HOME" {
				below = ""
			}
			m = relocated(variable)
			m.files[strings.TrimSuffix("/moved/"+variable+"/"+below, "/")] = ""
			if !slices.Contains(ids(table.Detected(m.environment())), r.id) {
				t.Errorf("not detected below %s", variable)
			}
		})
	}
}

func TestBlankVariablesShowNothing(t *testing.T) {
	m := holding("/Zed", "/zed", "Zed", "zed", "/home/ann/Zed", "/work/app/Zed")
	for _, value := range []string{"", "  ", ".", "relative"} {
		m.variables = map[string]string{"APPDATA": value, "FLATPAK_XDG_CONFIG_HOME": value}
		if got := ids(agents.Default().Detected(m.environment())); got != nil {
			t.Errorf("value %q: detected %q, want none", value, got)
		}
	}
}

func TestEveNeedsItsPackageBesidesItsDirectory(t *testing.T) {
	for _, c := range []struct {
		name, manifest string
		want           bool
	}{
		{"dependency", `{"dependencies": {"eve": "^1"}}`, true},
		{"development dependency", `{"devDependencies": {"eve": "^1"}}`, true},
		{"other dependency", `{"dependencies": {"eve-online": "^1"}}`, false},
		{"peer dependency", `{"peerDependencies": {"eve": "^1"}}`, false},
		{"its own name", `{"name": "eve"}`, false},
		{"no object", `["eve"]`, false},
		{"dependencies of a wrong type", `{"dependencies": ["eve"]}`, false},
		{"damaged", `{"dependencies": {"eve": `, false},
		{"empty", ``, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := holding("/work/app/agent")
			m.files["/work/app/package.json"] = c.manifest
			if got := slices.Contains(ids(agents.Default().Detected(m.environment())), "eve"); got != c.want {
				t.Errorf("detected: %v, want %v", got, c.want)
			}
		})
	}
}

func TestEveNeedsItsDirectoryBesidesItsPackage(t *testing.T) {
	m := holding()
	m.files["/work/app/package.json"] = `{"dependencies": {"eve": "1"}}`
	if got := ids(agents.Default().Detected(m.environment())); got != nil {
		t.Errorf("detected %q, want none", got)
	}
	if got := ids(agents.Default().Detected(holding("/work/app/agent").environment())); got != nil {
		t.Errorf("detected %q without package.json, want none", got)
	}
}

func TestRunning(t *testing.T) {
	for value, want := range map[string]string{
		"claude-code_2-1-275_agent": "claude-code",
		"claude-code":               "claude-code",
		"Claude-Code/2.1":           "claude-code",
		" codex ":                   "codex",
		"trae-cn_1":                 "trae-cn",
		"trae_1":                    "trae",
		"antigravity-cli-2":         "antigravity-cli",
		"pi":                        "pi",
		"picard":                    "",
		"zed2":                      "",
		"piñata":                    "",
		"universal":                 "",
		"nobody":                    "",
		"":                          "",
		"agent_claude-code":         "",
	} {
		t.Run(value, func(t *testing.T) {
			m := machine{variables: map[string]string{"AI_AGENT": value}}
			got, ok := agents.Default().Running(m.environment())
			if got.ID != want || ok != (want != "") {
				t.Errorf("running is %q, %v, want %q", got.ID, ok, want)
			}
		})
	}
}

func TestTheRunningAgentIsDetected(t *testing.T) {
	m := machine{variables: map[string]string{"AI_AGENT": "goose"}}
	if got := ids(agents.Default().Detected(m.environment())); !slices.Equal(got, []string{"goose"}) {
		t.Errorf("detected %q, want goose", got)
	}
}

func TestTargets(t *testing.T) {
	const home, project = "/home/ann/", "/work/app/"
	for _, c := range []struct {
		name          string
		files         []string
		running       string
		project, user []string
	}{
		{name: "none detected"},
		{name: "reads the shared directory", files: []string{home + ".cursor"}, project: []string{"cursor"}, user: []string{"cursor"}},
		{name: "no folder in the project yet", files: []string{home + ".augment"}, project: []string{"augment"}, user: []string{"augment"}},
		{name: "folder of an agent that is not there", files: []string{project + ".augment"}},
		{name: "a plain directory is an author's", files: []string{home + ".astrbot", project + "data"}, user: []string{"astrbot"}},
		{name: "what shows the agent in the project is not", files: []string{project + "data/skills"}, project: []string{"astrbot"}, user: []string{"astrbot"}},
		{name: "author's directory", files: []string{home + ".openclaw", project + "skills"}, user: []string{"openclaw"}},
		{name: "knows projects only", files: []string{project + ".promptscript"}, project: []string{"promptscript"}},
		{name: "running without a folder", running: "windsurf_1", project: []string{"windsurf"}, user: []string{"windsurf"}},
		{name: "running on an author's directory", running: "openclaw", user: []string{"openclaw"}},
		{name: "several", files: []string{home + ".warp", home + ".claude", home + ".bob"},
			project: []string{"bob", "claude-code", "warp"}, user: []string{"bob", "claude-code", "warp"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := holding(c.files...)
			m.variables = map[string]string{"AI_AGENT": c.running}
			env := m.environment()
			if got := ids(agents.Default().Targets(agents.ProjectScope, env)); !slices.Equal(got, c.project) {
				t.Errorf("targets in the project are %q, want %q", got, c.project)
			}
			if got := ids(agents.Default().Targets(agents.UserScope, env)); !slices.Equal(got, c.user) {
				t.Errorf("targets of the user are %q, want %q", got, c.user)
			}
		})
	}
}

func TestAnAuthorsDirectoryIsNoTargetWhateverShowsTheAgent(t *testing.T) {
	table, err := agents.Default().Override([]byte("[agent.mine]\nproject_dir = 'skills'\ndetect = ['./skills']\n"), "mine.toml")
	if err != nil {
		t.Fatal(err)
	}
	env := holding("/work/app/skills").environment()
	if got := ids(table.Detected(env)); !slices.Equal(got, []string{"mine"}) {
		t.Errorf("detected %q, want mine", got)
	}
	if got := ids(table.Targets(agents.ProjectScope, env)); got != nil {
		t.Errorf("targets are %q, want none", got)
	}
}
