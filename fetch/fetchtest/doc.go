// Package fetchtest is a forge on the loopback interface for tests and benchmarks: git hosts, their archives, raw files and API, and
// plain web sites, all behind one listener, so that "github.com" in a test is this process and no test can leave the machine.
//
// A forge is written as text, in the notation of txtar (a comment, then files, each under a line "-- NAME --"):
//
//	-- @repo github.com/acme/skills --
//	-- skills/pdf/SKILL.md --
//	---
//	name: pdf
//	description: Reads PDF files.
//	---
//	-- skills/pdf/run.sh exec --
//	#!/bin/sh
//	-- @tag v1 --
//	-- @commit Say more --
//	-- skills/pdf/notes.md --
//	More.
//
// # Notation
//
// A NAME with blanks, control characters, bytes that are not UTF-8, or a quote or @ at its beginning is written as a quoted Go string. Files of a repository take
// options after the name: exec, symlink (the text is the target, without its last newline), gitlink (the text is a commit id, or
// empty), base64 (the text is the content in base64), delete. Files go to the open commit; where none is open, one is begun. Directives:
//
//	@repo HOST/PATH [KEY=VALUE ...]   begins a repository, or goes on with one; the keys are those of Settings in lower case:
//	                                  token, head, protocol, filter, wants, hide, formerly, release, truncated
//	@commit MESSAGE                   begins a commit on the present branch
//	@branch NAME [FROM]               goes to a branch; made at the present commit where it is new, set to FROM where FROM is given
//	@tag NAME                         tags the present commit; text below it makes the tag an annotated one
//	@ref NAME                         points any ref (refs/pull/1/head) at the present commit
//	@delete NAME                      removes a ref, by its full name
//	@site HOST                        begins a web site; its files take type=MEDIATYPE and redirect[=STATUS] (the text is the address),
//	                                  base64 and token=TOKEN (401 without it)
//	@archive HOST/PATH                packs the files below it into an archive at that address, whose name tells the format
//	@discovery HOST[/PATH] [version=0.1.0] [archive=zip]
//	                                  publishes each directory below it as a skill of a site with an index at
//	                                  .well-known/agent-skills/index.json, or .well-known/skills/index.json
//	@npm HOST[/PATH] PACKAGE VERSION [tag=TAG] [integrity=TEXT|none] [deprecated=WHY]
//	                                  publishes the files below it as a version of a package of a registry; "latest" without a tag
//	                                  (these three take type= and token= too, and their files exec, symlink and base64)
//	@fault HOST [path=PART] [command=COMMAND] [times=N] KIND=VALUE
//	                                  adds a fault (see Fault) for a host, or for * all; KIND is cut, stall, slow, length or status, which
//	                                  takes retry-after= and type= besides and gives the text as body
//
// Repositories are made by one git fast-import each, with fixed names and times: equal texts give equal commits.
//
// # What is served
//
//   - any HOST/PATH, with or without ".git": git over HTTP through git http-backend, protocol versions 0 to 2
//   - codeload.github.com /O/R/{tar.gz,zip,legacy.tar.gz,legacy.zip}/REF, and github.com /O/R/archive/REF.tar.gz, which redirects there
//   - raw.githubusercontent.com /O/R/REF/PATH, and github.com /O/R/raw/REF/PATH, which redirects there
//   - api.github.com /repos/O/R and below it commits/REF, git/trees/ID, releases/latest, tarball/REF, zipball/REF, with a quota
//   - sites, which go before all of the above, so that any answer of any host can be replaced
//
// A client of package fetch is led here by its settings for each host: Addr is where it connects to, CA is what it trusts; the example of
// fetch.New does that. Programs that cannot be given a dialer reach the same hosts through the address of the forge as an HTTP proxy: see Forge.Environ.
//
// # Rules
//
// The forge needs a git binary (tried with 2.39) and the standard library. git runs with a configuration of its own:
// neither the user's settings nor those of the machine count, and it may not open connections. Mounted directories are never written.
// Names that no client may write (.., .git) can be put in as far as that git's fast-import takes them; 2.39 does.
package fetchtest
