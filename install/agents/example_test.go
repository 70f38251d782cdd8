package agents_test

import (
	"errors"
	"fmt"

	"skills/install/agents"
)

// An install without named agents: which directories need a link to the skill in the shared directory?
func ExampleTable_Targets() {
	there := map[string]bool{"/home/ann/.claude": true, "/home/ann/.codex": true}
	env := agents.Environment{
		Home:    "/home/ann",
		Project: "/work/app",
		Exists:  func(path string) bool { return there[path] },
	}
	for _, agent := range agents.Default().Targets(agents.ProjectScope, env) {
		dir, err := agent.Path(agents.ProjectScope, env)
		if err != nil {
			fmt.Println(err)
			continue
		}
		link, _ := agent.NeedsLink(agents.ProjectScope, env)
		fmt.Println(agent.ID, dir, "link:", link)
	}
	// Output:
	// claude-code /work/app/.claude/skills link: true
	// codex /work/app/.agents/skills link: false
}

// Someone wrote an id that does not exist.
func ExampleTable_Lookup() {
	_, err := agents.Default().Lookup("claude")
	fmt.Println(err)
	if unknown, ok := errors.AsType[*agents.UnknownError](err); ok {
		fmt.Println("hint:", unknown.Hints()[0])
	}
	// Output:
	// agent "claude" is unknown
	// hint: did you mean claude-code?
}

// A file of the user's adds an agent and moves another.
func ExampleTable_Override() {
	table, err := agents.Default().Override([]byte(`
		[agent.house-bot]
		project_dir = ".house/skills"

		[agent.cursor]
		user_dirs = ["~/.agents/skills"]
	`), "agents.toml")
	if err != nil {
		fmt.Println(err)
		return
	}
	bot, _ := table.Lookup("house-bot")
	cursor, _ := table.Lookup("cursor")
	fmt.Println(bot.ProjectDir, cursor.UserDir, cursor.ReadsUserAgentsDir)

	_, err = table.Override([]byte("[agent.cursor]\nuser_dir = '~/.cursor'\n"), "agents.toml")
	fmt.Println(err)
	// Output:
	// .house/skills ~/.agents/skills true
	// agents.toml:2: key "agent.cursor.user_dir" is unknown
}

// A variable relocates an agent.
func ExampleAgent_Path() {
	variables := map[string]string{"CLAUDE_CONFIG_DIR": "~/work/claude"}
	env := agents.Environment{Home: "/home/ann", Getenv: func(name string) string { return variables[name] }}
	claude, _ := agents.Default().Lookup("claude-code")
	fmt.Println(claude.UserDir)
	fmt.Println(claude.Path(agents.UserScope, env))
	// Output:
	// ~/.claude/skills
	// /home/ann/work/claude/skills <nil>
}
