package agents

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

//go:embed agents.toml
var builtin []byte

var idForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Table holds the known agents. It is immutable and may be used from many goroutines.
type Table struct {
	agents []Agent // sorted by ID
}

// facts are the fields of one agent in agents.toml, where each is explained.
type facts struct {
	Name        string     `toml:"name"`
	ProjectDir  directory  `toml:"project_dir"`
	UserDirs    []location `toml:"user_dirs"`
	Detect      []location `toml:"detect"`
	Package     string     `toml:"package"`
	SubagentDir directory  `toml:"subagent_dir"`
	CopyOnly    bool       `toml:"copy_only"`
	Hidden      bool       `toml:"hidden"`
}

// Default returns the agents that the program knows by itself. It decodes them anew on each call: call it once.
func Default() *Table {
	table, err := new(Table).Override(builtin, "agents.toml")
	if err != nil {
		panic(err) // the data is part of the program, and its test decodes it
	}
	return table
}

// Override returns a table with the agents of data, which has the form of agents.toml, laid over those of t: unknown ids are added
// and need a project_dir (their name is the id unless given), fields of known ids replace what t says. The file name is for
// errors, which are of type [OverrideError] and name the line; t stays as it is in any case.
func (t *Table) Override(data []byte, file string) (*Table, error) {
	var document struct {
		Agent map[string]*facts `toml:"agent"`
	}
	document.Agent = t.copyFacts()
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&document)
	if err != nil {
		return nil, overrideError(err, file)
	}
	result := &Table{}
	for _, id := range slices.Sorted(maps.Keys(document.Agent)) {
		known := document.Agent[id]
		if reason := known.check(id); reason != "" {
			return nil, &OverrideError{File: file, Line: lineOf(data, id), Reason: reason}
		}
		result.agents = append(result.agents, newAgent(id, *known))
	}
	return result, nil
}

// copyFacts returns what the decoder may write into: nothing of it is shared with the table.
func (t *Table) copyFacts() map[string]*facts {
	all := make(map[string]*facts, len(t.agents))
	for _, agent := range t.agents {
		f := agent.facts
		f.UserDirs, f.Detect = slices.Clone(f.UserDirs), slices.Clone(f.Detect)
		all[agent.ID] = &f
	}
	return all
}

// check completes the facts about an agent and says what is wrong with them; "" is nothing.
func (f *facts) check(id string) string {
	switch {
	case !idForm.MatchString(id):
		return fmt.Sprintf("agent %q is no id: use lower-case letters, digits and single hyphens", id)
	case f.ProjectDir.path == "":
		return fmt.Sprintf("agent %q is new and has no project_dir", id)
	case slices.ContainsFunc(f.UserDirs, location.inProject):
		return fmt.Sprintf("agent %q has a user directory inside the project", id)
	case f.Name == "":
		f.Name = id
	}
	return ""
}

// overrideError turns an error of the decoder into one with file and line.
func overrideError(err error, file string) error {
	var decode *toml.DecodeError
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) { // before the other: it wraps one for each key
		first := &unknown.Errors[0]
		line, _ := first.Position()
		return &OverrideError{File: file, Line: line, Reason: fmt.Sprintf("key %q is unknown", strings.Join(first.Key(), "."))}
	}
	if errors.As(err, &decode) {
		line, _ := decode.Position()
		reason := strings.TrimPrefix(decode.Error(), "toml: ")
		if what, _, mismatch := strings.Cut(reason, " into "); mismatch { // what follows are types of Go
			reason = strings.Replace(what, "cannot decode TOML", "value has the wrong type:", 1)
		}
		return &OverrideError{File: file, Line: line, Reason: reason}
	}
	return &OverrideError{File: file, Line: 1, Reason: err.Error()}
}

// lineOf returns the line of the first statement that names the agent, 1 when there is none. The data has been decoded before,
// which is all that the decoder tells about places of values that it accepted.
func lineOf(data []byte, id string) int {
	var parser unstable.Parser
	parser.Reset(data)
	var table []string
	for parser.NextExpression() {
		statement := parser.Expression()
		var key []string
		if statement.Kind == unstable.KeyValue {
			key = slices.Clone(table)
		}
		line := 1
		for part := statement.Key(); part.Next(); {
			key = append(key, string(part.Node().Data))
			line = parser.Shape(part.Node().Raw).Start.Line
		}
		if statement.Kind == unstable.Table {
			table = key
		}
		inline := len(key) == 1 && statement.Kind == unstable.KeyValue // agent = { id = { … } }
		if key[0] == "agent" && (inline || len(key) > 1 && key[1] == id) {
			return line
		}
	}
	return 1
}

// All returns every agent, sorted by id.
func (t *Table) All() []Agent {
	return slices.Clone(t.agents)
}

// Lookup returns the agent with the id. The error is an [UnknownError].
func (t *Table) Lookup(id string) (Agent, error) {
	index, found := slices.BinarySearchFunc(t.agents, id, func(a Agent, id string) int { return strings.Compare(a.ID, id) })
	if !found {
		return Agent{}, &UnknownError{ID: id, Near: t.near(id)}
	}
	return t.agents[index], nil
}

// Detected returns the agents that are there, sorted by id: those that files show, and the one that is running.
func (t *Table) Detected(env Environment) []Agent {
	running, isRunning := t.Running(env)
	return t.filter(func(a Agent) bool {
		return a.detected(env) || isRunning && a.ID == running.ID
	})
}

// Targets returns the agents that get the skills of a scope when none was named, sorted by id: those that are detected and have a
// directory in the scope that is no author's own. Two agents may read one directory.
func (t *Table) Targets(scope Scope, env Environment) []Agent {
	return slices.DeleteFunc(t.Detected(env), func(a Agent) bool { return !a.isTarget(scope, env) })
}

// filter returns the agents that the function keeps.
func (t *Table) filter(keep func(Agent) bool) []Agent {
	var kept []Agent
	for _, agent := range t.agents {
		if keep(agent) {
			kept = append(kept, agent)
		}
	}
	return kept
}

// Running returns the agent that has started the program, which the variable AI_AGENT tells: an id, with or without something behind
// it that does not start with a letter or digit, such as "claude-code_2-1-275_agent". The longest id counts.
func (t *Table) Running(env Environment) (Agent, bool) {
	value := strings.ToLower(env.variable("AI_AGENT"))
	var best Agent
	for _, agent := range t.agents {
		rest, ok := strings.CutPrefix(value, agent.ID)
		program := len(agent.facts.Detect) > 0 // not a mere name for a directory
		if ok && program && len(agent.ID) > len(best.ID) && !startsWithWord(rest) {
			best = agent
		}
	}
	return best, best.ID != ""
}

// startsWithWord tells whether a letter or digit comes first, so that what stands before it is only part of a word.
func startsWithWord(text string) bool {
	return text != "" && (text[0] >= 'a' && text[0] <= 'z' || text[0] >= '0' && text[0] <= '9' || text[0] >= 0x80)
}
