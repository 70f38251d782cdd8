// # Requirements
//
// This module does what four systems do that skills are written for. S0 is SkillKit (a kit of skills and agents in Elixir), S1 the agent
// skills library of Clarvis (TypeScript), S2 the skill plugin of Smarter (Python), S4 the skills module of zidane (TypeScript); what each of
// them promises is numbered, and the tests carry the numbers. The table says where each promise is kept, and after a semicolon, where two
// systems contradict each other or a rule of this module is in the way, what is done instead.
//
//	S0-1   one call from a path to a skill or an error: disk.Load
//	S0-2   the fields of a result: catalog.Skill
//	S0-3   the path as it was handed in: catalog.Skill.Location, set by disk.Load
//	S0-4   the body begins below the next line of three hyphens: catalog.Split
//	S0-5   the body without blanks at its ends: catalog.Skill.BodyTrimmed, and Body under catalog.ProfileSkillKit
//	S0-6   placeholders stay as they are: catalog.Parse
//	S0-7   a name is needed: catalog.Parse
//	S0-8   a description is needed: catalog.Parse; of blanks it is a warning under ProfileSkillKit, an error elsewhere
//	S0-9   names are namespace:name: catalog.ProfileSkillKit
//	S0-10  bare names, as the kit itself takes them: catalog.Rules.BareNames; without it they are errors, as its text says
//	S0-11  the part before the colon: catalog.Skill.Namespace
//	S0-12  required_scope, a text or a list of texts: catalog.Skill.RequiredScope
//	S0-13  each fault has a kind of its own: catalog.Error, disk.FileError; a name of the wrong type is an invalid field, not a missing one
//	S0-14  the order in which faults are looked for: catalog.Parse; the later ones are findings beside the error
//	S0-15  keys are text, whatever YAML takes them for: catalog.Skill.Frontmatter
//	S0-16  other keys are kept: catalog.Skill.Frontmatter; a warning when catalog.Rules.UnknownKeys asks for it
//	S0-17  one parser with profiles, no second one: catalog.Parse, disk.Load
//	S0-18  the first line must be the fence: catalog.Split; CRLF and a byte order mark are taken under every profile
//	S0-19  a directory is a kit: registry.OpenKit, registry.Kits, registry.Kit.Agent
//	S0-20  owner/repo/path@ref: source.Parse; "/r" is a directory, and a plain word behind @ is a skill first and then a ref
//	S0-21  sources that may be used: manifest.Policy.Refuses, asked by install.Engine.Admits and before every request
//	S0-22  downloads, their errors, what is kept: fetch.Client.Fetch, fetch.Error, fetch.OpenStore; git first, the archive where git is refused, 3 redirects
//	S0-23  tokens in instructions: expand.Parse, expand.Template.Expand
//	S0-24  hooks: catalog.Skill.Hooks, told by skills show and skills add; an install tells all handlers, ProfileSkillKit the first
//
//	S1-1   the configuration is read once, and again by name: disk.New, registry.Registry.Refresh, registry.Registry.Config
//	S1-2   one level below each root: registry.Discover
//	S1-3   SKILL.md in any case, the exact one first, then by bytes: catalog.ManifestName
//	S1-4   the last root wins: registry.Discover; who loses is in registry.Info.Shadowed
//	S1-5   twice in one root: registry.Discover; registry.Config.Strict makes it an error
//	S1-6   a malformed skill is left out: registry.Discover; registry.Config.Strict makes it an error
//	S1-7   what holds when nothing is said: registry.DefaultStrict, registry.DefaultFollowLinks
//	S1-8   links are followed or not: registry.Config.FollowLinks, resource.Options.FollowLinks
//	S1-9   links to nothing are told: registry.Discover, resource.List
//	S1-10  missing roots add nothing, no roots are an error: disk.Resolve
//	S1-11  roots and workspace as people write them: disk.Resolve, disk.Options
//	S1-12  labels never decide who wins: registry.Root.Scope, registry.Root.Source
//	S1-13  the four usual roots: disk.Preset
//	S1-14  the name in the front matter is the identity: registry.Discover
//	S1-15  a sorted list of one's own: registry.Registry.List; sorted without letter case, then by bytes
//	S1-16  one skill by its exact name: registry.Registry.Get
//	S1-17  files are listed at each asking: registry.Registry.Get
//	S1-18  the path of one file: registry.Registry.Resource; registry.Registry.Open and registry.Registry.Read hold the verdict while they read
//	S1-19  how many: registry.Registry.Size
//	S1-20  front matter and body without I/O: catalog.Parse
//	S1-21  byte order mark, blank lines, CRLF: catalog.Split
//	S1-22  a fence that is not closed, with the line that looks like one: catalog.Split
//	S1-23  what is no YAML: catalog.Parse
//	S1-24  what is no mapping, and what is empty: catalog.ProfileClarvis
//	S1-25  a text without front matter is all body: catalog.Split; catalog.Parse then misses the name
//	S1-26  the first key that is wrong: catalog.Error.At
//	S1-27  the types of the keys: catalog.ProfileClarvis; lenient profiles take a number as the text that was written
//	S1-28  the schema on a mapping: catalog.Validate
//	S1-29  a list of tools, cut at commas: catalog.Rules.Tools; Skill.AllowedTools is cut as S2-17 says under every profile
//	S1-30  tools where allowed-tools is absent, none is not empty: catalog.Skill.AllowedTools, registry.Info.AllowedTools
//	S1-31  a path that stays in its directory: resource.Confine, disk.Confine; the directory itself only with resource.Root
//	S1-32  lists become one: registry.Merge
//	S1-33  rules of paths that touch no disk: disk.ExpandHome, disk.ResolveAgainst, disk.ResolveWorkspace
//	S1-34  code, message and fields: catalog.Error.Code, catalog.Error.Fields; there are more codes than seven
//	S1-35  what the system says of a file: disk.FileError
//	S1-36  warnings: registry.Config.Warn, resource.List; no sink of the whole process, since a library has no state and prints nothing: a host hands one function to all
//	S1-37  a configuration that makes no sense: disk.StartupError
//	S1-38  what is said of a skill: registry.Info
//	S1-39  the same with text and files: registry.Content
//	S1-40  files beside a SKILL.md and their kinds: resource.List, resource.KindOf; .git is left out
//	S1-41  a link that leads out is not listed and not found: resource.List, resource.Stat
//	S1-42  the types are public: registry.Root, disk.RootInput, registry.Content, catalog.Skill, registry.Config, disk.Options
//	S1-43  the list for a model: registry.Markdown; blanks are folded to one, an empty heading is the usual one
//	S1-44  no shell, network and environment: the table of imports that the tests of the module keep
//	S1-45  bounds and the repair of YAML: registry.Limits, resource.Limits, catalog.Parse; aliases are bounded by what they stand for, and only ProfileInstall repairs
//
//	S2-1   one parser for all: catalog.Parse in skills validate, add, install, list, show
//	S2-2   bounds of a skill: catalog.ProfileSmarter, resource.NewBundle, catalog.Inspect; an install warns above them and stops at catalog.Limits
//	S2-3   counted after line ends are made one: catalog.Parse
//	S2-4   the text as it is, and its parts: catalog.Skill.Document, catalog.Skill.Frontmatter, catalog.Skill.AllowedTools
//	S2-5   line ends and the byte order mark: catalog.Skill.Document, resource.Text
//	S2-6   an empty text: catalog.Parse
//	S2-7   nothing before the front matter: catalog.ProfileSmarter; lenient profiles skip blanks with a warning
//	S2-8   YAML, and a mapping: catalog.ProfileSmarter
//	S2-9   values as JSON can hold them: catalog.Skill.Frontmatter; everything keeps the text that was written
//	S2-10  the body loses newlines and not blanks: catalog.Skill.Body
//	S2-11  rules of names: catalog.ProfileSmarter; blanks around one are cut with a warning
//	S2-12  rules of descriptions: catalog.ProfileSmarter
//	S2-13  license: catalog.Skill.License
//	S2-14  compatibility: catalog.Skill.Compatibility
//	S2-15  metadata: catalog.Skill.Metadata
//	S2-16  other keys are kept: catalog.Skill.Frontmatter
//	S2-17  allowed-tools, cut at blanks and commas outside parentheses: catalog.Rules.Tools
//	S2-18  the front matter by itself: catalog.Validate
//	S2-19  the files that a text refers to: catalog.References, and more loosely catalog.Mentions; in the order of the text
//	S2-20  paths of resources: resource.Clean
//	S2-21  a map of resources: resource.NewBundle
//	S2-22  the forms of a source: source.Parse; many more are taken
//	S2-23  a branch with slashes: source.Locator.Ambiguous, settled from the refs of the host by source.Locator.Settle
//	S2-24  sources that are refused: source.Error, source.Error.Hints
//	S2-25  where a source lies: source.Locator, source.Host.RawURL
//	S2-26  whether it is on GitHub: source.Hosts.Lookup
//	S2-27  the name of its directory: source.Locator.Directory
//	S2-28  addresses of files, encoded once: source.Locator.Resource, source.Host.RawURL
//	S2-29  no query and no fragment: source.Locator.URL
//	S2-30  errors of sources and of documents are two types: source.Error, catalog.Error
//	S2-31  one listing a skill, its own files alone: fetch.Client.Fetch, catalog.Files; git lists, so no request counts against an API
//	S2-32  a document on the web with what it refers to: fetch.Config.References; what the host lacks is left out with a note
//	S2-33  bounds of transfers: fetch.Limits, fetch.Config.Time, resource.Pack; a request may take 30 minutes, silence 30 seconds
//	S2-34  what is text: resource.Text, resource.Pack; an install keeps all bytes
//	S2-35  safety of the network: fetch.PrivateAddress, source.PublicAddress; hosts that are configured may be private or on other ports
//	S2-36  a name that is not the directory's: catalog.Inspect, registry.Discover; an error under catalog.ProfileSpec
//	S2-37  exactly one of text and source: manifest.ParsePlugins
//	S2-38  resources beside a text only: manifest.ParsePlugins
//	S2-39  the document of an entry, or its location: install.Engine.Document, manifest.Skill.Location
//	S2-40  a bad text is an error of the manifest: manifest.Manifest.Invalid, install.Engine.PlanInstall
//	S2-41  the address is checked when it is read: manifest.ParsePlugins
//	S2-42  a literal block to the letter: manifest.ParsePlugins, manifest.FormatPlugins
//	S2-43  fetched when applied, then kept: install.Engine.PlanInstall, skills install -f; the lock has no times
//	S2-44  documents, applied again without a change: manifest.ParsePlugins, manifest.Manifest.Get; values are copies
//	S2-45  the export is what was written: install.Engine.Export, skills export
//	S2-46  a file by the name that a model remembers: resource.Find
//	S2-47  what an agent is told: resource.Disclose, resource.Bundle.Disclose
//
//	S4-1   a skill in code, checked strictly: author.Define
//	S4-2   and written: disk.Write, author.Format
//	S4-3   rules of names, each with its own message: author.Define, catalog.ProfileZidane
//	S4-4   a config or none: catalog.ProfileZidane, disk.Load; none is an error with a reason, and a name that is missing is the directory's
//	S4-5   everything else is a warning: catalog.ProfileZidane
//	S4-6   deprecated keys move into metadata: catalog.ProfileZidane; what metadata says already stays
//	S4-7   where a skill comes from: registry.Info.Source, author.Definition.Source
//	S4-8   own data never in new keys: author.Define; an install changes no byte, its data is in the lock
//	S4-9   key: value, line by line: catalog.ProfileZidane
//	S4-10  quoted values: catalog.ProfileZidane
//	S4-11  one nested mapping: catalog.ProfileZidane
//	S4-12  lists: catalog.ProfileZidane
//	S4-13  flow values stay text: catalog.ProfileZidane
//	S4-14  the first colon parts: catalog.ProfileZidane
//	S4-15  block scalars: catalog.ProfileZidane
//	S4-16  the first path wins: registry.Resolve, registry.Descending
//	S4-17  a signal ends with its own reason: registry.Discover, registry.Resolve
//	S4-18  catalog, inline, project, user, then filters: registry.Resolve, disk.ResolveSkills
//	S4-19  what is hidden is told to the winner: registry.Shadow
//	S4-20  a project that is not trusted: registry.Sources.DistrustProject
//	S4-21  cleaning up: disk.Skills.Cleanup
//	S4-22  a whole source or one skill of it: install.Engine.PlanAdd
//	S4-23  which engine installs: delegate.Choose, skills add --engine
//	S4-24  several and none chosen: install.ChooseError; none at all is "no_skills"
//	S4-25  all, what is there is skipped: install.AddRequest.All; it is a failure only when nothing else is left
//	S4-26  the other engine is always given a name: delegate.Request.Arguments
//	S4-27  records of other tools stay: delegate.Tool.Add, install.Engine.Apply
//	S4-28  candidates: catalog.Walk; 8 levels deep
//	S4-29  a SKILL.md at the root is the source: catalog.Walk; its own name is kept, catalog.WalkOptions.Fallback stands in
//	S4-30  candidates have paths: catalog.Candidate.Path, catalog.Listing.Select
//	S4-31  why there is no listing: fetch.NotFound, fetch.RateLimited, source.Error; what failed is told apart further: fetch.Code
//	S4-32  an entry of allowed-tools: tools.Parse
//	S4-33  which calls it matches: tools.Entry.Matches; by the letter with tools.Rules.Letter, else more strictly
//	S4-34  the gate of all active skills: tools.Active.Check, tools.Gate.Check
//	S4-35  undo of a registration: tools.Active.Guard
//	S4-36  ends of skills, and what a resumed conversation has: tools.Reason, tools.Replay
//	S4-37  shell spans: expand.Template.Expand, expand.Shell; off unless the caller brings a shell
//	S4-38  a path by its text: resource.Confine with resource.Remote
//	S4-39  and through links: resource.Confine
//	S4-40  where nothing can be looked at the text decides: resource.Remote; what is there is looked at as S1-31 says
package catalog
