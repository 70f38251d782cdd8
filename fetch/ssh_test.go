package fetch_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"skills/fetch"
	"skills/fetch/fetchtest"
	"skills/source"
)

// withSSH leads a client, and the system's git, to a server of ssh.
func withSSH(t testing.TB, server *fetchtest.SSH) func(*fetch.Config) {
	return func(c *fetch.Config) {
		program, err := exec.LookPath("git")
		if err != nil {
			t.Fatal(err)
		}
		c.Git, c.SSH.Command = program, server.Command("key")
	}
}

// gitConfig lets git have this configuration and no other.
func gitConfig(t *testing.T, text string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", name)
}

// asked are the commands that a server of ssh was asked for since the last Reset.
func asked(server *fetchtest.SSH) []string {
	var commands []string
	for _, r := range server.Requests() {
		commands = append(commands, r.Command)
	}
	return commands
}

// overSSH is the transport that fetches a text over ssh, or locked trees without one, and nothing over https.
func overSSH(settings fetchtest.Settings, text string, commands ...string) transport {
	var server *fetchtest.SSH
	return transport{settings: settings,
		config: func(t *testing.T, forge *fetchtest.Forge, c *fetch.Config) {
			gitConfig(t, "")
			server = fetchtest.NewSSH(t, forge)
			t.Setenv("GIT_SSH_COMMAND", server.Command("key"))
			withSSH(t, server)(c)
		},
		fetch: func(t *testing.T, c *fetch.Client, forge *fetchtest.Forge) *fetch.Tree {
			t.Cleanup(func() { // when all is loaded
				if got := asked(server); !slices.Equal(got, commands) {
					t.Errorf("commands %q, want %q", got, commands)
				}
				requests(t, forge, 0)
			})
			t.Cleanup(c.CloseIdle)
			repo := forge.Repo(zooName)
			if text != "" {
				return fetchTree(t, c, resolve(t, c, text))
			}
			tree, err := c.FetchTrees(context.Background(), locate(t, "git@github.com:zoo/skills"), map[string]string{"": repo.ID("main^{tree}")})
			if err != nil {
				t.Fatal(err)
			}
			return tree
		}}
}

// sshForge is a forge with a server of ssh, whose git has no configuration.
func sshForge(t *testing.T) (*fetchtest.Forge, *fetchtest.SSH) {
	t.Helper()
	gitConfig(t, "")
	forge := fetchtest.New(t, acme)
	return forge, fetchtest.NewSSH(t, forge)
}

func sshClient(t *testing.T, forge *fetchtest.Forge, server *fetchtest.SSH, change ...func(*fetch.Config)) *fetch.Client {
	t.Helper()
	c := newClient(t, forge, append([]func(*fetch.Config){withSSH(t, server)}, change...)...)
	t.Cleanup(c.CloseIdle)
	return c
}

// counted checks the connections since the last check.
func counted(t *testing.T, server *fetchtest.SSH, connections int, commands ...string) {
	t.Helper()
	counts := server.Counts()
	if got := asked(server); counts.Connections != connections || !slices.Equal(got, commands) {
		t.Errorf("%d connections for %q, want %d for %q", counts.Connections, got, connections, commands)
	}
	t.Logf("%d connections, %d bytes up, %d down", counts.Connections, counts.Up, counts.Down)
	server.Reset()
}

func TestSkillOverSSHIsOneConnectionAndThenNone(t *testing.T) {
	forge, server := sshForge(t)
	dir := t.TempDir()
	c := sshClient(t, forge, server, in(t, dir))
	rev := resolve(t, c, "git@github.com:acme/skills.git//skills/pdf#main")
	tree := fetchTree(t, c, rev)
	load(t, tree, "skills/pdf/SKILL.md")
	load(t, tree, "skills/pdf")
	if got, want := listing(t, tree.FS(), "."), gitListing(t, forge.Repo(acmeName).GitDir(), "main", "skills/pdf"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if down := server.Counts().Down; down > 20_000 { // ssh itself takes about 4 kB
		t.Errorf("%d bytes for five small files", down)
	}
	counted(t, server, 1, "ls-refs", "fetch", "fetch")
	load(t, fetchTree(t, sshClient(t, forge, server, in(t, dir)), rev), "skills/pdf")
	counted(t, server, 0)
	requests(t, forge, 0)
}

func TestLockedTreesOverSSHAreOneConnection(t *testing.T) {
	forge, server := sshForge(t)
	repo := forge.Repo(acmeName)
	trees := map[string]string{"skills/pdf": repo.ID("main:skills/pdf"), "skills/docx": repo.ID("main:skills/docx")}
	tree, err := sshClient(t, forge, server).FetchTrees(context.Background(), locate(t, "git@github.com:acme/skills"), trees)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := listing(t, tree.FS(), "."), gitListing(t, repo.GitDir(), "main", "skills"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	counted(t, server, 1, "fetch")
}

func TestUpdateCheckOverSSHIsOneConnection(t *testing.T) {
	forge, server := sshForge(t)
	repo := forge.Repo(acmeName)
	c := sshClient(t, forge, server)
	rev := resolve(t, c, "ssh://git@github.com/acme/skills.git")
	known := map[string]string{"skills/pdf": repo.ID("main:skills/pdf"), "skills/docx": repo.ID("main:skills/docx")}
	forge.Add("-- @repo github.com/acme/skills --\n-- skills/pdf/SKILL.md --\nchanged\n")
	changed(t, c, rev, known, repo.ID("main"), map[string]string{"skills/pdf": repo.ID("main:skills/pdf")})
	counted(t, server, 1, "ls-refs", "ls-refs", "fetch")
}

// What came over https is not fetched again over ssh: hosts of the table have one identity.
func TestSSHAndHTTPSShareWhatIsFetched(t *testing.T) {
	forge, server := sshForge(t)
	c := sshClient(t, forge, server)
	tree := fetchTree(t, c, resolve(t, c, "https://github.com/acme/skills/tree/main/skills/pdf"))
	load(t, tree, "skills/pdf")
	rev := resolve(t, c, "git@github.com:acme/skills.git//skills/pdf#"+tree.Revision().Commit)
	load(t, fetchTree(t, c, rev), "skills/pdf")
	counted(t, server, 0)
	if rev.Locator.Source() != "https://github.com/acme/skills" || rev.Locator.Transport != source.SSH {
		t.Errorf("locator %+v", rev.Locator)
	}
}

func TestPrivateRepositoryOpensByItsKey(t *testing.T) {
	forge, server := sshForge(t)
	forge.Repo(acmeName).Set(fetchtest.Settings{Token: "secret"})
	c := sshClient(t, forge, server)
	_, err := c.Resolve(context.Background(), locate(t, "acme/skills"))
	code(t, err, fetch.NotFound)
	load(t, fetchTree(t, c, resolve(t, c, "git@github.com:acme/skills")), "skills/pdf")
	counted(t, server, 1, "ls-refs", "fetch", "fetch")
}

func TestOldServerOverSSHIsLeftToGitAndRemembered(t *testing.T) {
	forge, server := sshForge(t)
	t.Setenv("GIT_SSH_COMMAND", server.Command("key"))
	forge.Repo(acmeName).Set(fetchtest.Settings{Protocol: "0"})
	dir := t.TempDir()
	for _, want := range [][]string{{"", "", "upload-pack"}, {"", "upload-pack"}} {
		c := sshClient(t, forge, server, in(t, dir))
		rev := resolve(t, c, "git@github.com:acme/skills")
		load(t, fetchTree(t, c, rev), "skills/pdf")
		if rev.Commit != forge.Repo(acmeName).ID("main") {
			t.Errorf("commit %s", rev.Commit)
		}
		counted(t, server, len(want), want...)
		forge.Add("-- @repo github.com/acme/skills --\n-- skills/pdf/SKILL.md --\nAnother.\n")
	}
	c := sshClient(t, forge, server, in(t, dir)) // a commit, of which nothing need be listed
	rev := resolve(t, c, "git@github.com:acme/skills#"+forge.Repo(acmeName).ID("main"))
	load(t, fetchTree(t, sshClient(t, forge, server), rev), "skills/pdf")
	counted(t, server, 2, "", "upload-pack")
	load(t, fetchTree(t, c, rev), "skills/pdf")
	counted(t, server, 1, "upload-pack")
	_, err := sshClient(t, forge, server, func(c *fetch.Config) { c.Git = "" }).Resolve(context.Background(), locate(t, "git@github.com:acme/skills"))
	code(t, err, fetch.Unsupported)
}

func TestGitsConfigurationCountsForSSH(t *testing.T) {
	forge, server := sshForge(t)
	forge.Add(strings.Replace(acme, "github.com/acme/skills", "mirror.example/acme/skills", 1))
	command := strings.ReplaceAll(server.Command("key"), `"`, `\"`)
	for name, test := range map[string]struct {
		config   string
		text     string
		host     string
		commands []string
	}{
		"core.sshCommand":      {"[core]\nsshCommand = \"" + command + "\"\n", "git@github.com:acme/skills", "github.com", []string{"ls-refs"}},
		"insteadOf":            {"[core]\nsshCommand = \"" + command + "\"\n[url \"git@mirror.example:\"]\ninsteadOf = git@github.com:\n", "git@github.com:acme/skills", "mirror.example", []string{"ls-refs"}},
		"insteadOf of a URL":   {"[core]\nsshCommand = \"" + command + "\"\n[url \"git@mirror.example:\"]\ninsteadOf = ssh://git@github.com/\n", "ssh://git@github.com/acme/skills", "mirror.example", []string{"ls-refs"}},
		"insteadOf of another": {"[core]\nsshCommand = \"" + command + "\"\n[url \"git@mirror.example:\"]\ninsteadOf = git@gitlab.com:\n", "git@github.com:acme/skills", "github.com", []string{"ls-refs"}},
		"a variant":            {"[core]\nsshCommand = \"" + command + "\"\n[ssh]\nvariant = simple\n", "git@github.com:acme/skills", "github.com", []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			gitConfig(t, test.config)
			c := sshClient(t, forge, server, func(c *fetch.Config) { c.SSH = fetch.SSH{Program: "/nonexistent/ssh"} })
			if rev := resolve(t, c, test.text); rev.Commit != forge.Repo(acmeName).ID("main") {
				t.Errorf("commit %s", rev.Commit)
			}
			log := server.Requests()
			if len(log) == 0 || log[0].Host != test.host {
				t.Errorf("requests %+v, want those of %s", log, test.host)
			}
			counted(t, server, 1, test.commands...)
		})
	}
}

func TestErrorsOfSSHHaveKindsAndHints(t *testing.T) {
	forge, server := sshForge(t)
	for name, test := range map[string]struct {
		ssh           fetch.SSH
		text          string
		code          fetch.Code
		message, hint string
	}{
		"unknown host": {fetch.SSH{Command: server.Command("key", "-oUserKnownHostsFile=none")}, "git@github.com:acme/skills", fetch.HostKeyUnknown,
			"github.com/acme/skills cannot be fetched: the key of github.com is not known", "ssh-keyscan github.com"},
		"no key":        {fetch.SSH{Command: server.Command("")}, "git@github.com:acme/skills", fetch.Forbidden, "Permission denied (publickey)", "ssh-add"},
		"no repository": {fetch.SSH{Command: server.Command("key")}, "git@github.com:acme/none", fetch.NotFound, "Repository not found", "access"},
		"no ssh":        {fetch.SSH{Program: "/nonexistent/ssh"}, "git@github.com:acme/skills", fetch.Unsupported, "ssh cannot be run", "install OpenSSH"},
	} {
		t.Run(name, func(t *testing.T) {
			c := sshClient(t, forge, server, func(c *fetch.Config) { c.SSH = test.ssh })
			_, err := c.Resolve(context.Background(), locate(t, test.text))
			code(t, err, test.code)
			var e *fetch.Error
			if !errors.As(err, &e) || !strings.Contains(e.Message, test.message) || !strings.Contains(strings.Join(e.Hints(), " "), test.hint) || e.Host != "github.com" {
				t.Errorf("error %+v", e)
			}
		})
	}
	rev := resolve(t, sshClient(t, forge, server), "git@github.com:acme/skills")
	server.Reset()
	_, err := sshClient(t, forge, server, offline).Fetch(context.Background(), rev)
	code(t, err, fetch.Offline)
	counted(t, server, 0)
}

// BenchmarkOneSkillOverSSH fetches one skill out of a repository of 42 MB over a line of 40 ms and 100 Mbit/s: by its branch, by its locked
// tree, and as git itself does it, which has the whole commit brought.
func BenchmarkOneSkillOverSSH(b *testing.B) {
	forge := benchForge(b, 700, fetchtest.Link{RTT: 40 * time.Millisecond, BitsPerSecond: 100e6})
	server := fetchtest.NewSSH(b, forge)
	b.Setenv("GIT_SSH_COMMAND", server.Command("key"))
	const text = "git@github.com:big/skills.git//skills/cat-05/skill-0005#main"
	trees := map[string]string{"skills/cat-05/skill-0005": forge.Repo("github.com/big/skills").ID("main:skills/cat-05/skill-0005")}
	for name, run := range map[string]func(c *fetch.Client) error{
		"ref": func(c *fetch.Client) error { return oneSkill(b, c, text) },
		"locked": func(c *fetch.Client) error {
			_, err := c.FetchTrees(context.Background(), locate(b, text), trees)
			return err
		},
		"git": func(c *fetch.Client) error { return oneSkill(b, c, text) },
	} {
		b.Run(name, func(b *testing.B) {
			var sum fetchtest.Counts
			n := 0
			for b.Loop() {
				b.StopTimer()
				c := newClient(b, forge, withSSH(b, server), func(config *fetch.Config) {
					if name == "git" {
						config.SSH = fetch.SSH{}
					}
				})
				server.Reset()
				b.StartTimer()
				if err := run(c); err != nil {
					b.Fatal(err)
				}
				counts := server.Counts()
				sum.Connections, sum.Up, sum.Down, n = sum.Connections+counts.Connections, sum.Up+counts.Up, sum.Down+counts.Down, n+1
				c.CloseIdle()
			}
			b.ReportMetric(float64(sum.Connections)/float64(n), "connections/op")
			b.ReportMetric(float64(sum.Up+sum.Down)/float64(n), "wire-B/op")
		})
	}
}
