package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"skills/fetch/fetchtest"
)

// shortRace is how long a program with the race detector waits at its end for other goroutines to race, in place of a whole second.
// A script has tens of programs.
const shortRace = "atexit_sleep_ms=20"

// TestMain makes this test binary the program when a script runs "skills".
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"skills": main})
}

// TestScripts runs the program as a program. Each script says in its first comment which behaviour it shows.
//
// Besides the commands of testscript there are: "forge FILE..." starts a forge from txtar texts (files of the script, or of
// testdata/repos) and leads the program's hosts to it; "push TEXT" adds to it; "requests N [COMMAND|HOST]" counts what was asked
// since the last count, and "requests any" begins a new one; "fault HOST KEY=VALUE…" as the forge's notation has it; "heal"; "tree DIR" lists files with mode and sum;
// "same DIR REPO REVISION PATH" compares a directory with what git itself gives out; "exits N PROGRAM…" expects an exit status;
// "await COMMAND" waits until the forge was asked for a git command; "mount OPTION DIR" puts a disk of its own there;
// "sshd KEY OPTION..." starts an ssh server for the forge and leads ssh to it, with a key ("key" opens, "-" is none) and options of ssh;
// "connections N COMMAND..." compares the connections to it, and what git was asked, since the last count.
func TestScripts(t *testing.T) {
	dir, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join(dir, "script"),
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars,
				"HOME="+filepath.Join(env.WorkDir, "home"), "REPOS="+filepath.Join(dir, "repos"),
				"XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "SKILLS_CACHE_DIR="+filepath.Join(env.WorkDir, "cache"), "NO_COLOR=1", "GORACE="+shortRace,
			)
			program, err := exec.LookPath("skills")
			env.Vars = append(env.Vars, "SKILLS="+program)
			env.Values["scene"] = &scene{t: t, env: env}
			return errors.Join(err, os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o755))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"forge": command((*scene).forge), "push": command((*scene).push), "requests": command((*scene).requests),
			"fault": command((*scene).fault), "heal": command((*scene).heal), "tree": command((*scene).tree), "same": command((*scene).same), "exits": command((*scene).exits),
			"await": command((*scene).await), "mount": command((*scene).mount),
			"sshd": command((*scene).sshd), "connections": command((*scene).connections),
		},
		Condition: func(name string) (bool, error) {
			if name != "root" {
				return false, fmt.Errorf("condition %q is not known", name)
			}
			return os.Geteuid() == 0, nil
		},
		RequireUniqueNames: true,
	})
}

// scene is what a script has besides its directory.
type scene struct {
	t     *testing.T
	env   *testscript.Env
	hosts *fetchtest.Forge
	seen  int // requests that were counted

	mounted map[string]bool
	ssh     *fetchtest.SSH
}

// command makes a method of a scene a command of scripts.
func command(method func(*scene, *testscript.TestScript, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, negated bool, arguments []string) {
		if negated {
			ts.Fatalf("this command cannot be negated")
		}
		s, _ := ts.Value("scene").(*scene)
		method(s, ts, arguments)
	}
}

// text reads a file of the script or of the repositories that scripts share.
func (s *scene) text(ts *testscript.TestScript, name string) string {
	if shared := filepath.Join(ts.Getenv("REPOS"), name); exists(shared) {
		name = shared
	}
	return ts.ReadFile(name)
}

// forge starts the forge.
func (s *scene) forge(ts *testscript.TestScript, names []string) {
	f, err := fetchtest.Start(fetchtest.Config{Fail: func(err error) { ts.Fatalf("%v", err) }})
	ts.Check(err)
	s.hosts = f
	s.env.Defer(func() { ts.Check(f.Close()) })
	for _, name := range names {
		f.Add(s.text(ts, name))
	}
	var config strings.Builder
	for _, host := range []string{
		"github.com", "codeload.github.com", "raw.githubusercontent.com", "api.github.com", "gitlab.com", "example.com", "git.corp.example",
		"cdn.example", "registry.npmjs.org", "npm.corp.example",
	} {
		fmt.Fprintf(&config, "[host.%q]\nconnect = %q\nca_file = %q\n", host, f.Addr(), f.CAFile())
	}
	path := filepath.Join(ts.Getenv("HOME"), ".config", "skills", "config.toml")
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(os.WriteFile(path, []byte(config.String()), 0o644))
}

// push adds text to the forge.
func (s *scene) push(ts *testscript.TestScript, names []string) {
	for _, name := range names {
		s.hosts.Add(s.text(ts, name))
	}
}

// requests compares the number of requests since the last count.
func (s *scene) requests(ts *testscript.TestScript, arguments []string) {
	all := s.hosts.Requests()
	if arguments[0] == "any" {
		s.seen = len(all)
		return
	}
	want, err := strconv.Atoi(arguments[0])
	ts.Check(err)
	var counted []string
	for _, r := range all[s.seen:] {
		if len(arguments) == 1 || r.Host == arguments[1] || r.Command == arguments[1] {
			counted = append(counted, fmt.Sprintf("%s %s%s %s %d %v", r.Method, r.Host, r.Path, r.Command, r.Status, r.Arguments))
		}
	}
	s.seen = len(all)
	if len(counted) != want {
		ts.Fatalf("%d requests, want %d:\n%s", len(counted), want, strings.Join(counted, "\n"))
	}
}

// fault adds a fault.
func (s *scene) fault(ts *testscript.TestScript, arguments []string) {
	s.hosts.Add("-- @fault " + strings.Join(arguments, " ") + " --\n")
}

// heal removes all faults.
func (s *scene) heal(*testscript.TestScript, []string) { s.hosts.Heal() }

// await waits for a git command in the log of the forge.
func (s *scene) await(ts *testscript.TestScript, arguments []string) {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); runtime.Gosched() {
		for _, r := range s.hosts.Requests() {
			if r.Command == arguments[0] && r.Down > 0 {
				return
			}
		}
	}
	ts.Fatalf("nobody asked for %q", arguments[0])
}

// mount puts a memory disk at a directory, or changes the one that is there.
func (s *scene) mount(ts *testscript.TestScript, arguments []string) {
	dir := ts.MkAbs(arguments[1])
	if s.mounted[dir] {
		ts.Check(ts.Exec("mount", "-o", "remount,"+arguments[0], dir))
		return
	}
	ts.Check(ts.Exec("mount", "-t", "tmpfs", "-o", arguments[0], "tmpfs", dir))
	if s.mounted == nil {
		s.mounted = map[string]bool{}
	}
	s.mounted[dir] = true
	s.env.Defer(func() { _ = exec.Command("umount", "-l", dir).Run() })
}

// exits runs a program and compares its exit status.
func (s *scene) exits(ts *testscript.TestScript, arguments []string) {
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(arguments[1], arguments[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if want, err := strconv.Atoi(arguments[0]); err != nil || got != want {
		ts.Fatalf("exit status %d, want %s", got, arguments[0])
	}
}

// tree lists a directory on standard output: mode, sum and path of files, targets of links.
func (s *scene) tree(ts *testscript.TestScript, arguments []string) {
	dir := ts.MkAbs(arguments[0])
	ts.Check(filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		line, err := describe(path, entry)
		fmt.Fprintf(ts.Stdout(), "%s %s\n", line, filepath.ToSlash(name))
		return err
	}))
}

// describe is what tree says about one entry.
func describe(path string, entry fs.DirEntry) (string, error) {
	if entry.Type() == fs.ModeSymlink {
		text, err := os.Readlink(path)
		return "-> " + filepath.ToSlash(text), err
	}
	info, err := entry.Info()
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	return fmt.Sprintf("%04o %x", info.Mode().Perm(), sha256.Sum256(data))[:13], err
}

// same compares a directory with git archive, which is another reader of the repository: names, modes and bytes.
func (s *scene) same(ts *testscript.TestScript, arguments []string) {
	dir, repo, revision, path := ts.MkAbs(arguments[0]), s.hosts.Repo(arguments[1]), arguments[2], arguments[3]
	want := filepath.Join(ts.MkAbs("."), ".same")
	ts.Check(os.RemoveAll(want))
	ts.Check(os.MkdirAll(want, 0o755))
	tree := revision
	if path != "." {
		tree += ":" + path
	}
	ts.Check(ts.Exec("git", "--git-dir", repo.GitDir(), "-c", "tar.umask=0022", "archive", "-o", filepath.Join(want, "x.tar"), tree))
	ts.Check(ts.Exec("tar", "-C", want, "-xpf", filepath.Join(want, "x.tar")))
	ts.Check(os.Remove(filepath.Join(want, "x.tar")))
	a, b := listing(ts, dir), listing(ts, want)
	if !slices.Equal(a, b) {
		ts.Fatalf("%s differs from git:\n%s\nwant\n%s", arguments[0], strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	ts.Check(os.RemoveAll(want))
}

// listing describes all files below a directory, whatever their order.
func listing(ts *testscript.TestScript, dir string) []string {
	var lines []string
	ts.Check(filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		line, err := describe(path, entry)
		lines = append(lines, line+" "+name)
		return err
	}))
	return lines
}
