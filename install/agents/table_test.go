package agents_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/install/agents"
)

func override(t *testing.T, lines ...string) *agents.Table {
	t.Helper()
	table, err := agents.Default().Override([]byte(strings.Join(lines, "\n")), "mine.toml")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestOverrideAddsAnAgent(t *testing.T) {
	table := override(t,
		`[agent.house-bot]`,
		`name = "House Bot"`,
		`project_dir = ".house/skills"`,
		`user_dirs = ["${HOUSE_HOME:-~/.house}/skills"]`,
		`detect = ["./.house", "~/.house"]`,
	)
	bot, err := table.Lookup("house-bot")
	if err != nil {
		t.Fatal(err)
	}
	if bot.Name != "House Bot" || bot.ProjectDir != ".house/skills" || bot.UserDir != "~/.house/skills" {
		t.Errorf("agent is %+v", bot)
	}
	wantPath(t, bot, agents.UserScope, relocated("HOUSE_HOME").environment(), "/moved/HOUSE_HOME/skills")
	if got := ids(table.Detected(holding("/work/app/.house").environment())); !slices.Equal(got, []string{"house-bot"}) {
		t.Errorf("detected %q, want house-bot", got)
	}
	if all := ids(table.All()); len(all) != 80 || !slices.IsSorted(all) {
		t.Errorf("%d agents, sorted: %v; want 80, sorted", len(all), slices.IsSorted(all))
	}
}

func TestNewAgentNeedsItsProjectDirectoryOnly(t *testing.T) {
	bot, err := override(t, "[agent.bot]", "project_dir = '.bot/skills'").Lookup("bot")
	if err != nil || bot.Name != "bot" || bot.UserDir != "" {
		t.Fatalf("agent is %+v, %v", bot, err)
	}
	wantProjectOnly(t, bot, holding().environment())
}

func TestOverrideReplacesSingleFields(t *testing.T) {
	table := override(t, "[agent.kilo]", "detect = ['~/.kilo2']", "[agent.zed]", "user_dirs = []")
	kilo, _ := table.Lookup("kilo")
	if kilo.Name != "Kilo Code" || kilo.UserDir != "~/.kilo/skills" || !kilo.ReadsAgentsDir {
		t.Errorf("other fields changed: %+v", kilo)
	}
	for path, want := range map[string]bool{"/home/ann/.kilo": false, "/home/ann/.kilocode": false, "/home/ann/.kilo2": true} {
		if got := len(table.Detected(holding(path).environment())) == 1; got != want {
			t.Errorf("%s shows kilo: %v, want %v", path, got, want)
		}
	}
	zed, _ := table.Lookup("zed")
	wantProjectOnly(t, zed, holding().environment())
}

func TestOverrideLeavesTheTableAsItWas(t *testing.T) {
	table := agents.Default()
	before := fmt.Sprintf("%+v", table.All())
	for _, text := range []string{
		"[agent.zed]\ndetect = ['~/.a', '~/.b', '~/.c', '~/.d']\nname = 'changed'\n",
		"[agent.openclaw]\nuser_dirs = ['~/.a']\nproject_dir = '.a'\n",
		"[agent.openclaw]\nuser_dirs = ['~/.a', 'wrong']\n",
	} {
		table.Override([]byte(text), "mine.toml")
	}
	if after := fmt.Sprintf("%+v", table.All()); after != before {
		t.Errorf("table changed from\n%s\nto\n%s", before, after)
	}
}

func TestCallersCannotChangeTheTable(t *testing.T) {
	table := agents.Default()
	all := table.All()
	all[0].ID, all[0].ProjectDir = "changed", "changed"
	slices.Reverse(all)
	if again := table.All(); again[0].ID != "adal" || again[0].ProjectDir != ".adal/skills" {
		t.Errorf("first agent is now %+v", again[0])
	}
}

func TestMalformedOverridesAreRefusedWithTheLine(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
		reason     string // a part of it
	}{
		{"syntax", "\n[agent.x\n", 2, "]"},
		{"table twice", "[agent.zed]\n[agent.zed]\n", 2, "already"},
		{"key outside of agents", "# mine\nx = 1\n", 2, `"x"`},
		{"unknown field", "[agent.zed]\nname = 'Z'\nnmae = 'Z'\n", 3, `"agent.zed.nmae"`},
		{"integer for text", "[agent.zed]\n\nname = 3\n", 3, "integer"},
		{"text for boolean", "[agent.zed]\ncopy_only = 'yes'\n", 2, "string"},
		{"text for list", "[agent.zed]\ndetect = '~/.zed'\n", 2, "string"},
		{"list of tables", "[[agent]]\nid = 'x'\n", 1, "array"},
		{"upper-case id", "# mine\n\n[agent.Zed]\nproject_dir = '.zed'\n", 3, `"Zed"`},
		{"id with a path", "[agent.zed]\n[agent.\"../x\"]\nproject_dir = '.x'\n", 2, `"../x"`},
		{"new without directory", "[agent.zed]\nname = 'Z'\n[agent.new]\nname = 'New'\n", 3, `"new"`},
		{"new without directory, dotted", "[agent]\nzed.name = 'Z'\nnew.name = 'New'\n", 3, `"new"`},
		{"new without directory, inline", "\nagent = { new = { name = 'New' } }\n", 2, `"new"`},
		{"project directory outside", "[agent.zed]\nname = 'Z'\nproject_dir = '../x'\n", 3, `"../x"`},
		{"project directory absolute", "[agent.zed]\nproject_dir = '/x'\n", 2, `"/x"`},
		{"project directory of a drive", "[agent.zed]\nproject_dir = 'C:x'\n", 2, `"C:x"`},
		{"project directory the root", "[agent.zed]\nproject_dir = '.'\n", 2, `"."`},
		{"project directory empty", "[agent.zed]\nproject_dir = ''\n", 2, `""`},
		{"subagents outside", "[agent.zed]\nsubagent_dir = 'a/../../*'\n", 2, `"a/../../*"`},
		{"relative user directory", "[agent.zed]\nuser_dirs = [\n'~/.zed',\n'zed']\n", 4, `"zed"`},
		{"user directory in the project", "[agent.zed]\nuser_dirs = ['./zed']\n", 1, "inside the project"},
		{"home itself", "[agent.zed]\nuser_dirs = ['~']\n", 2, `"~"`},
		{"root", "[agent.zed]\ndetect = ['/']\n", 2, `"/"`},
		{"other home", "[agent.zed]\ndetect = ['~bob/x']\n", 2, `"~bob/x"`},
		{"dots below home", "[agent.zed]\ndetect = ['~/../x']\n", 2, `"~/../x"`},
		{"backslash", "[agent.zed]\ndetect = ['~/a\\b']\n", 2, `"~/a\\b"`},
		{"control character", "[agent.zed]\ndetect = [\"~/a\\u0007\"]\n", 2, `"~/a\a"`},
		{"variable without braces", "[agent.zed]\ndetect = ['$HOME/x']\n", 2, `"$HOME/x"`},
		{"variable without name", "[agent.zed]\ndetect = ['${}/x']\n", 2, `"${}/x"`},
		{"variable with relative default", "[agent.zed]\ndetect = ['${X:-x}/y']\n", 2, `"x"`},
		{"dots below variable", "[agent.zed]\ndetect = ['${X}/../y']\n", 2, `"${X}/../y"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, err := agents.Default().Override([]byte(c.text), "mine.toml")
			var problem *agents.OverrideError
			if !errors.As(err, &problem) || table != nil {
				t.Fatalf("got %v, want an OverrideError and no table", err)
			}
			if problem.File != "mine.toml" || problem.Line != c.line || !strings.Contains(problem.Reason, c.reason) {
				t.Errorf("error is %v, want line %d with %s", err, c.line, c.reason)
			}
			if strings.Contains(problem.Reason, "agents.") {
				t.Errorf("error %v speaks of types of Go", err)
			}
		})
	}
}

func TestOverrideTakesEachNotation(t *testing.T) {
	table := override(t, "[agent.bot]", "project_dir = 'bot'", "user_dirs = ['${BOT}/skills', '/opt/bot']",
		"detect = ['~/a b', './x.yaml', '/opt/x', '${BOT}', '${BOT:-~/.bot}', '${BOT:-/opt/bot}/x']")
	bot, _ := table.Lookup("bot")
	if bot.UserDir != "${BOT}/skills" {
		t.Errorf("UserDir is %q", bot.UserDir)
	}
	wantPath(t, bot, agents.UserScope, holding().environment(), "/opt/bot")
	wantPath(t, bot, agents.UserScope, relocated("BOT").environment(), "/moved/BOT/skills")
	for _, path := range []string{"/home/ann/a b", "/work/app/x.yaml", "/opt/x", "/home/ann/.bot", "/opt/bot/x"} {
		if got := ids(table.Detected(holding(path).environment())); !slices.Equal(got, []string{"bot"}) {
			t.Errorf("%s shows %q, want bot", path, got)
		}
	}
}

func TestDirectoryOfAnUnsetVariableIsAnError(t *testing.T) {
	bot, _ := override(t, "[agent.bot]", "project_dir = 'bot'", "user_dirs = ['${BOT}/skills']").Lookup("bot")
	_, err := bot.Path(agents.UserScope, holding().environment())
	var problem *agents.LocationError
	if !errors.As(err, &problem) || problem.Hint != "set BOT" {
		t.Errorf("got %v, want a LocationError that says to set BOT", err)
	}
}

func TestDriveOfAnotherSystemIsNowhere(t *testing.T) {
	bot, _ := override(t, "[agent.bot]", "project_dir = 'bot'", "user_dirs = ['Q:/bot', '~/.bot']").Lookup("bot")
	want := "/home/ann/.bot"
	if filepath.IsAbs("Q:/bot") {
		want = "Q:/bot"
	}
	wantPath(t, bot, agents.UserScope, holding().environment(), want)
}

func TestUnknownAgentsHaveNearNames(t *testing.T) {
	for id, want := range map[string][]string{
		"claude":                  {"claude-code"},
		"cluade-code":             {"claude-code"},
		"copilot":                 {"github-copilot"},
		"cusror":                  {"cursor"},
		"kiro":                    {"kiro-cli", "kilo"},
		"Codex":                   {"codex", "cortex", "kode"},
		"trae-ch":                 {"trae-cn", "trae"},
		"xyzzy":                   nil,
		"":                        nil,
		strings.Repeat("a", 4096): nil,
	} {
		_, err := agents.Default().Lookup(id)
		var problem *agents.UnknownError
		if !errors.As(err, &problem) || problem.ID != id {
			t.Fatalf("got %v, want an UnknownError", err)
		}
		if !slices.Equal(problem.Near, want) {
			t.Errorf("near %.20q are %q, want %q", id, problem.Near, want)
		}
	}
}

func TestErrorsHaveCodesAndHints(t *testing.T) {
	for code, err := range map[string]interface {
		error
		Code() string
		Hints() []string
	}{
		"unknown_agent":       &agents.UnknownError{ID: "x", Near: []string{"fx", "mux"}},
		"project_only_agent":  &agents.ProjectOnlyError{ID: "eve"},
		"no_directory":        &agents.LocationError{Location: "~/x", Reason: "the home directory is not known", Hint: "set HOME"},
		"invalid_agents_file": &agents.OverrideError{File: "a.toml", Line: 3, Reason: `key "x" is unknown`},
	} {
		if err.Code() != code {
			t.Errorf("code of %q is %s, want %s", err, err.Code(), code)
		}
		if len(err.Hints()) == 0 || slices.Contains(err.Hints(), "") {
			t.Errorf("hints of %s are %q", code, err.Hints())
		}
		if first := err.Error()[0]; first < 'a' || first > 'z' || strings.HasSuffix(err.Error(), ".") {
			t.Errorf("message %q is no sentence of the house", err)
		}
	}
	if hints := (&agents.UnknownError{ID: "x"}).Hints(); len(hints) != 1 || !strings.Contains(hints[0], "skills agents") {
		t.Errorf("hints without near ids are %q", hints)
	}
	hints := (&agents.UnknownError{ID: "x", Near: []string{"fx", "mux"}}).Hints()
	if want := "did you mean fx, mux?"; hints[0] != want {
		t.Errorf("hint is %q, want %q", hints[0], want)
	}
}

// Whatever a file holds, it is refused with a line of that file, or gives agents whose project directories stay in the project.
func FuzzOverride(f *testing.F) {
	f.Add([]byte("[agent.bot]\nproject_dir = '.bot/skills'\nuser_dirs = ['${BOT:-~/.bot}/skills']\ndetect = ['./x', '/y']\n"))
	f.Add([]byte("[agent]\nzed.name = 'Z'\nnew.name = 'New'\n"))
	f.Add([]byte("agent = { new = { name = 'New' } }"))
	f.Add([]byte("[agent.\"a\\nb\"]\nproject_dir = '..'"))
	f.Add([]byte("[[agent]]"))
	f.Add([]byte("[agent.zed]\ndetect = ['${X}', \"~/\\u0000\"]"))
	base, env := agents.Default(), relocated("X").environment()
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := base.Override(data, "mine.toml")
		if err != nil {
			var problem *agents.OverrideError
			if lines := strings.Count(string(data), "\n") + 1; !errors.As(err, &problem) || problem.Line < 1 || problem.Line > lines {
				t.Fatalf("error %v has no line of the file (%d lines)", err, lines)
			}
			return
		}
		for _, agent := range table.All() {
			dir, err := agent.Path(agents.ProjectScope, env)
			if err != nil || !strings.HasPrefix(dir, env.Project) || len(dir) == len(env.Project) {
				t.Fatalf("project directory of %q is %q, %v", agent.ID, dir, err)
			}
			agent.Path(agents.UserScope, env)
		}
		table.Detected(env)
	})
}
