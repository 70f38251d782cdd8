//go:build unix

package gitssh

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"skills/fetch/fetchtest"
	"skills/fetch/internal/gitclone"
	"skills/fetch/internal/gitwire"
)

// stub is a program in place of ssh.
func stub(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ssh")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

// greeting is what a server of version 2 says of itself.
const greeting = `printf '000eversion 2\n0017fetch=shallow wait\n0000'` + "\n"

// listed asks for refs by a stub.
func listed(t *testing.T, config Config) error {
	t.Helper()
	client := New(config)
	defer client.Close()
	_, err := mustRemote(t, client, scp).Refs(t.Context(), "HEAD")
	return err
}

func TestSSHIsCalledAsOpenSSHWantsIt(t *testing.T) {
	forge := fetchtest.New(t, repository)
	log := filepath.Join(t.TempDir(), "log")
	ssh := stub(t, `printf '%s\n' "$@" "$GIT_PROTOCOL" "$SSH_ASKPASS_REQUIRE" "$LC_ALL" "$SSH_AUTH_SOCK" >"$LOG"
for last; do :; done
exec sh -c "$last"
`)
	environ := append(os.Environ(), "LOG="+log, "SSH_AUTH_SOCK=/agent", "MINE=it's mine")
	dir := filepath.Join(t.TempDir(), "it's !")
	if err := os.CopyFS(dir, os.DirFS(forge.Repo(name).GitDir())); err != nil {
		t.Fatal(err)
	}
	begin := []string{"-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=20", "-o", "ClearAllForwardings=yes", "-o", "SendEnv=GIT_PROTOCOL"}
	end := []string{"version=2", "never", "C", "/agent"}
	sent := `git-upload-pack '` + strings.NewReplacer("'", `'\''`, "!", `'\!'`).Replace(dir) + `'`
	for _, test := range []struct {
		config Config
		url    string
		user   []string
		target []string
	}{
		{Config{Program: ssh}, "git@h.example:" + dir, nil, []string{"--", "git@h.example"}},
		{Config{Program: "unused", Command: ssh + "  -i  key"}, "h.example:" + dir, []string{"-i", "key"}, []string{"--", "h.example"}},
		{Config{Command: ssh + ` -i "$MINE" '$MINE'`}, "ssh://me@h.example:7999" + strings.ReplaceAll(dir, " ", "%20"), []string{"-i", "it's mine", "$MINE"}, []string{"-p", "7999", "--", "me@h.example"}},
	} {
		test.config.Env = environ
		client := New(test.config)
		refs, err := mustRemote(t, client, test.url).Refs(t.Context(), "refs/heads/main")
		client.Close()
		if err != nil || len(refs) != 1 {
			t.Errorf("%+v: %+v, %v", test.config, refs, err)
		}
		got, err := os.ReadFile(log)
		want := strings.Join(slices.Concat(test.user, begin, test.target, []string{sent}, end), "\n") + "\n"
		if err != nil || string(got) != want {
			t.Errorf("called with\n%swant\n%s", got, want)
		}
	}
}

func TestOnlyOpenSSHIsUsed(t *testing.T) {
	for _, test := range []struct {
		config Config
		want   bool
	}{
		{Config{}, false},
		{Config{Variant: "ssh"}, false},
		{Config{Program: "/usr/bin/ssh"}, true},
		{Config{Program: `C:\Windows\System32\OpenSSH\ssh.exe`}, true},
		{Config{Program: "/usr/bin/ssh", Variant: "auto"}, true},
		{Config{Program: "/usr/bin/ssh", Variant: "plink"}, false},
		{Config{Program: "/usr/bin/plink"}, false},
		{Config{Program: "/opt/wrapper"}, false},
		{Config{Program: "/opt/wrapper", Variant: "ssh"}, true},
		{Config{Program: "/usr/bin/ssh", Command: "plink -batch"}, false},
		{Config{Program: "/usr/bin/plink", Command: "ssh -i ~/key"}, true},
		{Config{Command: `"/usr/bin/ssh" -v`}, true},
		{Config{Command: "A=b ssh"}, false},
		{Config{Command: " "}, false},
	} {
		if got := test.config.Usable(); got != test.want {
			t.Errorf("%+v: %v", test.config, got)
		}
	}
}

func TestAnswersThatAreNoGitAreErrors(t *testing.T) {
	for _, test := range []struct {
		name, text string
		code       gitclone.Code
		said       string
	}{
		{"a greeting of the shell", "echo Welcome to this machine", gitclone.WrongContent, `something else than git`},
		{"a refusal in the protocol", `printf '0024ERR access denied to acme/skills'`, gitclone.Forbidden, "access denied to acme/skills"},
		{"nothing", "exit 0", gitclone.Network, "ended the connection"},
		{"nothing but a status", "exit 1", gitclone.Network, "ended the connection"},
		{"the end of the first line", "printf '000eversion'; echo 'fatal: odd' >&2", gitclone.Failed, "odd"},
		{"another format", `printf '000eversion 2\n0018object-format=sha2560000'`, gitclone.NoGit, `"sha256"`},
		{"an end behind the greeting", greeting + "echo 'fatal: the disk is full' >&2", gitclone.Failed, "the disk is full"},
		{"much to say", "yes 'remote: no' | head -c 10000000 >&2", gitclone.Failed, "remote: no"},
	} {
		t.Run(test.name, func(t *testing.T) {
			check(t, listed(t, Config{Program: stub(t, test.text)}), test.code, test.said, "")
		})
	}
	err := listed(t, Config{Program: stub(t, greeting+"read -r line; echo nonsense; exec cat")})
	if !errors.Is(err, gitwire.ErrProtocol) {
		t.Errorf("nonsense for an answer: %v", err)
	}
	half := stub(t, greeting+`head -c 20 >/dev/null; printf '000dpackfile\n0009\001PACK'`)
	pack, err := mustRemote(t, New(Config{Program: half}), scp).Fetch(t.Context(), gitwire.Request{Wants: []string{strings.Repeat("1", 40)}})
	if err != nil {
		t.Fatal(err)
	}
	defer pack.Close()
	if data, err := io.ReadAll(pack); !errors.Is(err, io.ErrUnexpectedEOF) || string(data) != "PACK" {
		t.Errorf("half a pack: %q, %v", data, err)
	}
}

func TestWhatIsSaidIsBounded(t *testing.T) {
	var s said
	for range 3 {
		if n, err := s.Write(make([]byte, maxSaid)); n != maxSaid || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(s.String()) != maxSaid {
		t.Errorf("%d bytes are kept", len(s.String()))
	}
}

func TestNothingIsWaitedForLong(t *testing.T) {
	const forever = "exec tail -f /dev/null"
	short := 50 * time.Millisecond
	for _, test := range []struct {
		name, text string
		timeouts   Timeouts
		want       string
	}{
		{"no greeting", forever, Timeouts{Greeting: short}, "does not begin to speak"},
		{"no answer", greeting + forever, Timeouts{Idle: short}, "stands still"},
		{"half an answer", greeting + "printf 0032111; " + forever, Timeouts{Idle: short}, "stands still"},
		{"an answer without an end", greeting + "head -c 20 >/dev/null; while :; do printf '0032" + strings.Repeat("1", 40) + ` HEAD\n'; done`, Timeouts{Total: short}, "takes too long"},
	} {
		t.Run(test.name, func(t *testing.T) {
			check(t, listed(t, Config{Program: stub(t, test.text), Timeouts: test.timeouts}), gitclone.Timeout, test.want, "later")
		})
	}
}

// A context that ends takes ssh and its children along, at any stage.
func TestCancelledContextEndsSSHAndItsChildren(t *testing.T) {
	for name, text := range map[string]string{"greeting": "", "answer": greeting, "half an answer": greeting + "printf 0032111\n"} {
		t.Run(name, func(t *testing.T) {
			started := filepath.Join(t.TempDir(), "started")
			if err := syscall.Mkfifo(started, 0o600); err != nil {
				t.Skip(err)
			}
			program := stub(t, text+"tail -f /dev/null &\necho $! >'"+started+"'; wait")
			child := make(chan string)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				pid, _ := os.ReadFile(started)
				cancel()
				child <- strings.TrimSpace(string(pid))
			}()
			_, err := mustRemote(t, New(Config{Program: program}), scp).Refs(ctx)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			alive := filepath.Join("/proc", <-child, "cmdline") // of a process that has ended it is empty or gone
			for end := time.Now().Add(10 * time.Second); ; {
				if data, err := os.ReadFile(alive); err != nil || len(data) == 0 {
					break
				} else if time.Now().After(end) {
					t.Fatal("a child goes on")
				}
			}
		})
	}
}

// begun makes a connection that nobody uses, and says when its ssh has ended.
func begun(t *testing.T, client *Client, host string) *connection {
	t.Helper()
	r := mustRemote(t, client, "git@"+host+":o/r.git")
	if err := r.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer r.give()
	if err := r.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r.conn
}

// over tells whether ssh has ended.
func over(c *connection) bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// One that its timer ended, and that goes on, is waited for, too.
func TestCloseLeavesNoSSHBehindThatDoesNotEndByItself(t *testing.T) {
	for name, unused := range map[string]bool{"closed": false, "unused": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := New(Config{Program: stub(t, greeting+"exec tail -f /dev/null")})
			conn := begun(t, client, "h.example")
			if unused {
				client.remotes[0].expire()
			}
			client.Close()
			if !over(conn) {
				t.Error("ssh goes on")
				conn.end()
			}
		})
	}
}

// Each of these ends when the other one, too, was told that nothing more comes.
func TestCloseEndsAllConnectionsAtOnce(t *testing.T) {
	dir := t.TempDir()
	client := New(Config{Program: stub(t, greeting+`
for word; do case $word in git@*) mine=$word;; esac; done
cat >/dev/null
touch "`+dir+`/told.$mine"
while [ ! -e "`+dir+`/told.git@a.example" ] || [ ! -e "`+dir+`/told.git@b.example" ]; do :; done
touch "`+dir+`/ended.$mine"
`)})
	for _, host := range []string{"a.example", "b.example"} {
		begun(t, client, host)
	}
	client.Close()
	if ended, err := filepath.Glob(dir + "/ended.*"); err != nil || len(ended) != 2 {
		t.Errorf("by themselves ended %q, %v", ended, err)
	}
}

func TestSSHHasNoTerminal(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	program := stub(t, "(: </dev/tty) 2>/dev/null && echo terminal >'"+log+"'; ps -o sid= -p $$ >>'"+log+"'; echo $$ >>'"+log+"'")
	_ = listed(t, Config{Program: program})
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if words := strings.Fields(string(data)); len(words) != 2 || words[0] != words[1] {
		t.Errorf("session and process are %q", words)
	}
}
