// Package install plans and applies what the program does to a project or to a user's home: adding and removing skills, and telling
// what is there.
//
// An [Engine] first makes a [Plan], which is data: what happens to each skill and why, for which agents, and the bytes of the
// manifest and the lock afterwards. [Engine.Apply] then does exactly that. A dry run, a question to the person, a JSON document and
// a test all look at the same plan.
//
// Rules kept here:
//
//   - Ours is what the lock names and what hashes to the digest in it. Everything else belongs to the person: it is never
//     overwritten or removed unless Force is set, and then it is moved to .agents/.skills-backup first.
//   - Everything is fetched, checked and staged before the first change; the lock is written last; a process that dies in between
//     leaves the old state or the new one, which the next run makes whole.
//   - The canonical directory of a skill is .agents/skills/NAME. Agents that read another directory get a relative link there, or a
//     copy where links do not work. Parents that are links are followed, only the entry NAME itself is replaced.
//   - No directory is made for an agent that is neither named nor found.
//   - One change at a time for one project. Apply and Do wait for another one, and so do plans that begin while one is under way or was
//     interrupted: a minute at most. What only reads waits for nobody.
//   - What ends with its context gives the cause of that ([context.Cause]).
//
// A use:
//
//	engine, err := install.New(install.Config{Fetcher: install.FromClient(client), Agents: agents.Default(), Environment: env, …})
//	plan, err := engine.PlanAdd(ctx, install.AddRequest{Sources: []install.SourceRequest{{Locator: locator}}})
//	err = engine.Apply(ctx, plan)
package install

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"skills/catalog"
	"skills/fetch"
	"skills/install/agents"
	"skills/lockfile/manifest"
	"skills/source"
)

// BackupDir is where things that Force replaces are moved, relative to the project root or the home, with "/".
const BackupDir = ".agents/.skills-backup"

// Mode says how an agent that does not read the canonical directory gets a skill.
type Mode string

// The modes. ModeDirect is what a target has when its agent reads the canonical directory; it cannot be asked for.
const (
	ModeLink   Mode = "link"
	ModeCopy   Mode = "copy"
	ModeDirect Mode = "direct"
)

// Tree is a fetched revision.
type Tree interface {
	// Revision is what was fetched; it may say more than what was asked for.
	Revision() source.Revision
	// FS lists everything at once; contents are there after Load.
	FS() fs.FS
	// Load brings the contents of files, and of all files below directories.
	Load(ctx context.Context, paths ...string) error
}

// Fetcher gets sources. [FromClient] makes one of a fetch client.
type Fetcher interface {
	// Resolve says what a locator is now.
	Resolve(ctx context.Context, locator source.Locator) (source.Revision, error)
	// Fetch lists a revision.
	Fetch(ctx context.Context, revision source.Revision) (Tree, error)
	// ResolveAll says what many locators are now, in their order, with one question for each repository.
	ResolveAll(ctx context.Context, locators []source.Locator) []fetch.Resolution
	// FetchTrees brings directories of a repository by their git tree ids, which are given by path.
	FetchTrees(ctx context.Context, locator source.Locator, trees map[string]string) (Tree, error)
}

// Event tells what goes on, for people. Hint is what can be done about it in the words of the command line, "" for nothing. Kind is "waiting" (another change of the project is under way), "recovered" (an interrupted change
// was brought to an end), "backup" (something was moved to Path), "warning" (what a source is not, or is beside what was
// asked for), "note", "file" (what
// becomes of Path), or "installed" (Name is ready, Done of Total).
type Event struct {
	Kind, Name, Path, Message, Hint string
	Done, Total                     int
}

// Config is what an engine works on.
type Config struct {
	Fetcher     Fetcher // nil: what would have to be fetched is an *[Error] "unsupported"
	Agents      *agents.Table
	Environment agents.Environment
	Hosts       source.Hosts // how the sources of manifests are read
	Scope       agents.Scope
	Manifest    string          // absolute path of skills.toml
	Lock        string          // absolute path of skills.lock
	Cache       string          // absolute directory for the records of changes and contents; must belong to the user
	Default     []string        // ids of agents when neither request nor manifest names any; empty: those detected
	Policy      manifest.Policy // of the user; the project's own counts besides
	Mode        Mode            // when neither request nor manifest says one; "" is ModeLink
	Limits      catalog.Limits  // of one skill; zero fields mean the defaults

	// Registries are the npm registries by scope, as the fetcher has them: a plugin that names another one is refused.
	Registries map[string]string
	// Event may be nil. It is called from several goroutines, one at a time, and what goes on waits for it. It may call what only reads, such
	// as [Engine.Installed]; a plan, or another change, would wait for the one that waits for it.
	Event func(Event)
}

// Engine adds, removes and inspects the skills of one scope. It may be used by several goroutines; changes wait for each other.
type Engine struct {
	config  Config
	root    string       // absolute: the project root or the home
	reached func(string) // told where a change is; only tests set it
}

// New checks the configuration and returns an engine. It touches nothing. The error is an *[Error] "invalid_input", that of
// [manifest.Policy.Check], or for Default that of [agents.Table.Lookup].
func New(config Config) (*Engine, error) {
	e := &Engine{config: config, root: config.Environment.Project}
	if config.Scope == agents.UserScope {
		e.root = config.Environment.Home
	}
	if err := e.checkConfig(); err != nil {
		return nil, err
	}
	e.config.Limits = config.Limits.OrDefault()
	var one sync.Mutex
	e.config.Event = func(event Event) {
		if config.Event != nil {
			one.Lock()
			defer one.Unlock()
			config.Event(event)
		}
	}
	if config.Fetcher == nil {
		e.config.Fetcher = noFetcher{}
	}
	return e, nil
}

// checkConfig refuses what no request can be answered with.
func (e *Engine) checkConfig() error {
	for _, path := range []string{e.root, e.config.Manifest, e.config.Lock, e.config.Cache} {
		if !filepath.IsAbs(path) {
			return contradiction("an engine needs absolute paths for root, manifest, lock and cache", "")
		}
	}
	switch {
	case e.config.Agents == nil:
		return contradiction("an engine needs a table of agents", "")
	case e.config.Scope != agents.ProjectScope && e.config.Scope != agents.UserScope:
		return contradiction(fmt.Sprintf("%d is no scope", e.config.Scope), "")
	}
	if err := e.config.Policy.Check(); err != nil {
		return err
	}
	return e.checkPlaces(e.config.Default, e.config.Mode)
}

// Root returns the absolute directory to which the paths of plans are relative: the project root or the home.
func (e *Engine) Root() string { return e.root }

// note reports a sentence.
func (e *Engine) note(message string) { e.config.Event(Event{Kind: "note", Message: message}) }

// shown writes an absolute path as plans and documents show it: below the root with "/", with "~" for the home in user scope, else
// as it is.
func (e *Engine) shown(path string) string {
	relative, err := filepath.Rel(e.root, path)
	if err != nil || !filepath.IsLocal(relative) {
		return filepath.ToSlash(path)
	}
	if e.config.Scope == agents.UserScope {
		return "~/" + filepath.ToSlash(relative)
	}
	return filepath.ToSlash(relative)
}

// canonical returns the absolute canonical directory, links of its parents not followed.
func (e *Engine) canonical() string {
	return filepath.Join(e.root, filepath.FromSlash(agents.SkillsDir))
}

// target is one directory that is to hold a skill for one or several agents.
type target struct {
	dir    string // absolute
	agents []string
	copies bool // the agents do not follow links
}

// targets returns the directories of the agents with these ids, apart from the canonical one, and the ids that read that directly.
// The id "*" stands for all agents that have a directory in the scope which is not an author's own.
func (e *Engine) targets(ids []string) (links []target, direct []string, err error) {
	if slices.Contains(ids, "*") {
		ids = e.everyAgent()
	}
	for _, id := range ids {
		agent, err := e.config.Agents.Lookup(id)
		if err != nil {
			return nil, nil, err
		}
		needs, err := agent.NeedsLink(e.config.Scope, e.config.Environment)
		if err != nil {
			return nil, nil, err
		}
		if !needs {
			direct = append(direct, id)
			continue
		}
		dir, err := agent.Path(e.config.Scope, e.config.Environment)
		if err != nil {
			return nil, nil, err
		}
		if same(dir, e.canonical()) {
			direct = append(direct, id)
			continue
		}
		links = addTarget(links, dir, id, agent.CopyOnly)
	}
	return links, direct, nil
}

// same tells whether two names are one directory, through links or not.
func same(a, b string) bool {
	resolved, err := resolve(a)
	if err != nil {
		return false
	}
	other, err := resolve(b)
	return err == nil && resolved == other
}

// addTarget adds an agent to the target of its directory.
func addTarget(targets []target, dir, id string, copies bool) []target {
	for i := range targets {
		if targets[i].dir == dir || same(targets[i].dir, dir) {
			targets[i].agents = append(targets[i].agents, id)
			targets[i].copies = targets[i].copies || copies
			return targets
		}
	}
	return append(targets, target{dir: dir, agents: []string{id}, copies: copies})
}

// everyAgent lists the ids for "*". A bare "skills" folder is where authors keep their own skills, so it has to be asked for by id.
func (e *Engine) everyAgent() []string {
	var ids []string
	for _, agent := range e.config.Agents.All() {
		if _, err := agent.Path(e.config.Scope, e.config.Environment); err != nil {
			continue
		}
		if e.config.Scope == agents.ProjectScope && agent.ProjectDir == "skills" {
			continue
		}
		ids = append(ids, agent.ID)
	}
	return ids
}

// chosenAgents returns the ids of the agents to serve: those of the request or the skill's manifest entry, else of the manifest,
// else of the configuration, else those that are there.
func (e *Engine) chosenAgents(choices ...[]string) []string {
	for _, choice := range choices {
		if choice != nil {
			return choice
		}
	}
	if len(e.config.Default) > 0 {
		return e.config.Default
	}
	var ids []string
	for _, agent := range e.config.Agents.Targets(e.config.Scope, e.config.Environment) {
		ids = append(ids, agent.ID)
	}
	return ids
}
