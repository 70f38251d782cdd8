package agents_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/install/agents"
)

// machine is an environment whose files and variables are maps. Paths in it have "/".
type machine struct {
	files     map[string]string
	variables map[string]string
}

func (m machine) environment() agents.Environment {
	return agents.Environment{
		Home:    filepath.FromSlash("/home/ann"),
		Project: filepath.FromSlash("/work/app"),
		Getenv:  func(name string) string { return m.variables[name] },
		Exists: func(path string) bool {
			_, ok := m.files[filepath.ToSlash(path)]
			return ok
		},
		ReadFile: func(path string) ([]byte, error) {
			text, ok := m.files[filepath.ToSlash(path)]
			if !ok {
				return nil, fs.ErrNotExist
			}
			return []byte(text), nil
		},
	}
}

// holding is a machine with these files and directories and no variables.
func holding(paths ...string) machine {
	m := machine{files: map[string]string{}}
	for _, path := range paths {
		m.files[path] = ""
	}
	return m
}

// row is a line of testdata/agents.tsv, written by hand and script from published facts, not by this package.
type row struct {
	id, name, project, user string
	detect, variables       []string
	reads                   bool
	moved, watched          string
}

func rows(t *testing.T) []row {
	t.Helper()
	data, err := os.ReadFile("testdata/agents.tsv")
	if err != nil {
		t.Fatal(err)
	}
	none := func(text string) string { return strings.TrimPrefix(text, "-") }
	list := func(text, separator string) []string {
		return slices.DeleteFunc(strings.Split(none(text), separator), func(s string) bool { return s == "" })
	}
	var all []row
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		all = append(all, row{f[0], f[1], f[2], none(f[3]), list(f[4], "|"), list(f[5], ","), f[6] == "yes", none(f[7]), none(f[8])})
	}
	if len(all) != 79 {
		t.Fatalf("testdata has %d agents, want 79", len(all))
	}
	return all
}

// place puts "~/x", "./x" and "$VAR/x" of the test data where machine and relocated have them.
func place(text string) string {
	for anchor, dir := range map[string]string{"~/": "/home/ann/", "./": "/work/app/", "$": "/moved/"} {
		if rest, ok := strings.CutPrefix(text, anchor); ok {
			return dir + rest
		}
	}
	return text
}

// relocated is the machine without files on which each variable named in place's "$VAR" form is set.
func relocated(variables ...string) machine {
	m := machine{files: map[string]string{}, variables: map[string]string{}}
	for _, name := range variables {
		m.variables[name] = "/moved/" + name
	}
	return m
}

func TestEveryAgentHasItsRow(t *testing.T) {
	table := agents.Default()
	var got, want []string
	for _, agent := range table.All() {
		got = append(got, agent.ID)
	}
	for _, r := range rows(t) {
		want = append(want, r.id)
	}
	if !slices.Equal(got, want) {
		t.Errorf("ids are %q, want %q", got, want)
	}
}

func TestEveryAgentHasItsDirectories(t *testing.T) {
	table, env := agents.Default(), holding().environment()
	for _, r := range rows(t) {
		t.Run(r.id, func(t *testing.T) {
			agent, err := table.Lookup(r.id)
			if err != nil {
				t.Fatal(err)
			}
			if agent.Name != r.name || agent.ProjectDir != r.project || agent.UserDir != r.user {
				t.Errorf("agent is %q, %q, %q, want %q, %q, %q", agent.Name, agent.ProjectDir, agent.UserDir, r.name, r.project, r.user)
			}
			if agent.ReadsAgentsDir != r.reads {
				t.Errorf("ReadsAgentsDir is %v, want %v", agent.ReadsAgentsDir, r.reads)
			}
			if want := r.user == "~/.agents/skills"; agent.ReadsUserAgentsDir != want {
				t.Errorf("ReadsUserAgentsDir is %v, want %v", agent.ReadsUserAgentsDir, want)
			}
			wantPath(t, agent, agents.ProjectScope, env, "/work/app/"+r.project)
			wantLink(t, agent, agents.ProjectScope, env, !r.reads)
			if r.user == "" {
				wantProjectOnly(t, agent, env)
				return
			}
			wantPath(t, agent, agents.UserScope, env, place(r.user))
			wantLink(t, agent, agents.UserScope, env, r.user != "~/.agents/skills")
		})
	}
}

func wantPath(t *testing.T, agent agents.Agent, scope agents.Scope, env agents.Environment, want string) {
	t.Helper()
	got, err := agent.Path(scope, env)
	if err != nil || filepath.ToSlash(got) != want {
		t.Errorf("directory of %s in %s scope is %q, %v, want %q", agent.ID, scope, got, err, want)
	}
}

func wantLink(t *testing.T, agent agents.Agent, scope agents.Scope, env agents.Environment, want bool) {
	t.Helper()
	got, err := agent.NeedsLink(scope, env)
	if err != nil || got != want {
		t.Errorf("%s needs a link in %s scope: %v, %v, want %v", agent.ID, scope, got, err, want)
	}
}

func wantProjectOnly(t *testing.T, agent agents.Agent, env agents.Environment) {
	t.Helper()
	var problem *agents.ProjectOnlyError
	if dir, err := agent.Path(agents.UserScope, env); !errors.As(err, &problem) || problem.ID != agent.ID {
		t.Errorf("user directory of %s is %q, %v, want a ProjectOnlyError", agent.ID, dir, err)
	}
	if _, err := agent.NeedsLink(agents.UserScope, env); !errors.As(err, &problem) {
		t.Errorf("NeedsLink of %s gives %v, want a ProjectOnlyError", agent.ID, err)
	}
}

func TestVariablesMoveTheUserDirectory(t *testing.T) {
	table := agents.Default()
	for _, r := range rows(t) {
		t.Run(r.id, func(t *testing.T) {
			agent, _ := table.Lookup(r.id)
			env := relocated(r.variables...).environment()
			switch _, moved, _ := strings.Cut(r.moved, ":"); {
			case moved != "":
				wantPath(t, agent, agents.UserScope, env, place(moved))
			case r.user != "":
				wantPath(t, agent, agents.UserScope, env, place(r.user))
			}
		})
	}
}

func TestAgentsOfLiteralDotConfigIgnoreXDG(t *testing.T) {
	table, env := agents.Default(), relocated("XDG_CONFIG_HOME").environment()
	for id, want := range map[string]string{
		"crush":  "/home/ann/.config/crush/skills",
		"kimchi": "/home/ann/.config/kimchi/harness/skills",
	} {
		agent, _ := table.Lookup(id)
		wantPath(t, agent, agents.UserScope, env, want)
	}
}

func TestVariableValues(t *testing.T) {
	claude, _ := agents.Default().Lookup("claude-code")
	for _, c := range []struct{ value, want string }{
		{"", "/home/ann/.claude/skills"},
		{" \t", "/home/ann/.claude/skills"},
		{"/opt/claude", "/opt/claude/skills"},
		{" /opt/claude\n", "/opt/claude/skills"},
		{"/opt/./x/../claude/", "/opt/claude/skills"},
		{"~/conf", "/home/ann/conf/skills"},
		{"~", "/home/ann/skills"},
	} {
		t.Run(c.value, func(t *testing.T) {
			m := machine{variables: map[string]string{"CLAUDE_CONFIG_DIR": c.value}}
			wantPath(t, claude, agents.UserScope, m.environment(), c.want)
		})
	}
}

func TestRelativeVariableIsAnError(t *testing.T) {
	claude, _ := agents.Default().Lookup("claude-code")
	for _, value := range []string{"conf", "./conf", "../conf", "~bob/conf"} {
		m := machine{variables: map[string]string{"CLAUDE_CONFIG_DIR": value}}
		_, err := claude.Path(agents.UserScope, m.environment())
		var problem *agents.LocationError
		if !errors.As(err, &problem) || !strings.Contains(problem.Hint, "CLAUDE_CONFIG_DIR") {
			t.Errorf("value %q gives %v, want a LocationError whose hint names the variable", value, err)
		}
	}
}

func TestNoLinkWhereAVariablePointsAtTheSharedDirectory(t *testing.T) {
	claude, _ := agents.Default().Lookup("claude-code")
	m := machine{variables: map[string]string{"CLAUDE_CONFIG_DIR": "/home/ann/.agents/"}}
	wantLink(t, claude, agents.UserScope, m.environment(), false)
}

func TestOpenClawUsesTheFirstHomeThatExists(t *testing.T) {
	openclaw, _ := agents.Default().Lookup("openclaw")
	const current, older, oldest = "/home/ann/.openclaw", "/home/ann/.clawdbot", "/home/ann/.moltbot"
	for _, c := range []struct {
		there []string
		want  string
	}{
		{nil, current},
		{[]string{current}, current},
		{[]string{older}, older},
		{[]string{oldest}, oldest},
		{[]string{oldest, older}, older},
		{[]string{oldest, current}, current},
	} {
		wantPath(t, openclaw, agents.UserScope, holding(c.there...).environment(), c.want+"/skills")
	}
}

func TestUnknownDirectoriesAreErrors(t *testing.T) {
	claude, _ := agents.Default().Lookup("claude-code")
	var env agents.Environment
	for _, scope := range []agents.Scope{agents.ProjectScope, agents.UserScope} {
		var problem *agents.LocationError
		if dir, err := claude.Path(scope, env); !errors.As(err, &problem) {
			t.Errorf("%s directory is %q, %v, want a LocationError", scope, dir, err)
		}
		if dir, err := env.SkillsDir(scope); !errors.As(err, &problem) {
			t.Errorf("shared %s directory is %q, %v, want a LocationError", scope, dir, err)
		}
	}
}

func TestScopesAreTheWordsOfTheDocuments(t *testing.T) {
	if got := agents.ProjectScope.String() + " " + agents.UserScope.String(); got != "project user" {
		t.Errorf("scopes are %q, want project user", got)
	}
}

func TestTraitsOfSingleAgents(t *testing.T) {
	type traits struct {
		copyOnly, hidden bool
		subagents        string
	}
	want := map[string]traits{
		"eve":       {copyOnly: true, subagents: "agent/subagents/*/skills"},
		"replit":    {hidden: true},
		"universal": {hidden: true},
	}
	for _, agent := range agents.Default().All() {
		got := traits{agent.CopyOnly, agent.Hidden, agent.SubagentDir}
		if got != want[agent.ID] {
			t.Errorf("traits of %s are %+v, want %+v", agent.ID, got, want[agent.ID])
		}
	}
}
