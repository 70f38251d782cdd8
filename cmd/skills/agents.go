package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"skills/cmd/internal/ui"
	"skills/install/agents"
)

// agentsCommand describes agents.
func agentsCommand() *cli.Command {
	return &cli.Command{Name: "agents", Usage: "list the agents that are known, and which are on this machine", Action: listAgents}
}

type agentDocument struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	ProjectDir string  `json:"project_dir"`
	UserDir    *string `json:"user_dir"`
	Detected   bool    `json:"detected"`
}

type agentDocuments struct {
	Agents []agentDocument `json:"agents"`
}

// listAgents prints the table.
func listAgents(c *cli.Context) error {
	s := sessionOf(c)
	if c.Args().Present() {
		return ui.UsageError("agents takes no arguments, got %q", c.Args().First())
	}
	table, err := s.agents()
	if err != nil {
		return err
	}
	env := s.env.agents()
	detected := table.Detected(env)
	documents := agentDocuments{}
	var rows [][]string
	for _, agent := range table.All() {
		found := slices.ContainsFunc(detected, func(d agents.Agent) bool { return d.ID == agent.ID })
		d := agentDocument{ID: agent.ID, Name: agent.Name, ProjectDir: agent.ProjectDir, UserDir: orNull(agent.UserDir), Detected: found}
		documents.Agents = append(documents.Agents, d)
		mark := ""
		if found {
			mark = "yes"
		}
		rows = append(rows, []string{agent.ID, agent.Name, agent.ProjectDir, agent.UserDir, mark})
	}
	s.terminal.Table([]string{"ID", "NAME", "PROJECT", "USER", "DETECTED"}, rows)
	return s.terminal.Document(documents)
}
