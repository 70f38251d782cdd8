package gitclone

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestWordsOfSSHAreUnderstood(t *testing.T) {
	for _, test := range []struct {
		said string
		code Code
		text string
		hint string // part of it
	}{
		{"@@@@@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n@@@@@@@\nIT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!\nHost key verification failed.",
			HostKeyChanged, "the key of h.example is not the one that is known: the host may have a new one, or somebody stands in between", `ssh-keygen -R [h.example]:7999"`},
		{"No ED25519 host key is known for h.example and you have requested strict checking.\r\nHost key verification failed.",
			HostKeyUnknown, "the key of h.example is not known", `"ssh -T -p 7999 git@h.example" and compare`},
		{"Warning: Permanently added 'h.example' (ED25519) to the list of known hosts.\r\ngit@h.example: Permission denied (publickey).",
			Forbidden, "git@h.example: Permission denied (publickey).", "ssh-add"},
		{"Received disconnect from 192.0.2.1 port 22:2: Too many authentication failures", Forbidden, "Received disconnect from 192.0.2.1 port 22:2: Too many authentication failures", "IdentitiesOnly"},
		{"ssh: Could not resolve hostname h.example: Name or service not known", DNS, "ssh: Could not resolve hostname h.example: Name or service not known", "spelling"},
		{"ssh: connect to host h.example port 7999: Connection refused", Network, "ssh: connect to host h.example port 7999: Connection refused", "port"},
		{"Connection timed out during banner exchange\r\nConnection to 192.0.2.1 port 22 timed out", Timeout, "Connection timed out during banner exchange", "firewall"},
		{"kex_exchange_identification: Connection closed by remote host", Network, "kex_exchange_identification: Connection closed by remote host", "connection"},
		{"ERROR: Repository not found.\nfatal: Could not read from remote repository.", NotFound, "ERROR: Repository not found.", "access"},
		{"remote: The project you were looking for could not be found or you don't have permission to view it.", NotFound,
			"remote: The project you were looking for could not be found or you don't have permission to view it.", "access"},
		{"fatal: '/o/r.git' does not appear to be a git repository", NotFound, "'/o/r.git' does not appear to be a git repository", "spelling"},
		{"bash: line 1: git-upload-pack: command not found", NoGit, "h.example has no git-upload-pack", "installed there"},
		{"zsh:1: command not found: git-upload-pack", NoGit, "h.example has no git-upload-pack", "installed there"},
		{"\x1b[31mfatal: odd\u202e\x1b[0m", Failed, "[31mfatal: odd[0m", ""},
		{"fatal: odd", Failed, "odd", ""},
		{"", Failed, "it gave no reason", ""},
	} {
		e := Explain(test.said, Peer{"git", "h.example", "7999"}, io.EOF)
		if e.Code != test.code || e.Text != test.text || !strings.Contains(e.Hint, test.hint) || (e.Hint == "") != (test.hint == "") || !errors.Is(e, io.EOF) {
			t.Errorf("%q: got %q %q, hint %q", test.said, e.Code, e.Text, e.Hint)
		}
	}
}

func TestHintsNameThePeerAsProgramsTakeIt(t *testing.T) {
	for url, want := range map[string]string{
		"ssh://git@h:22/o/r":        `connect once with "ssh -T -p 22 git@h" and compare the fingerprint, or add to known_hosts what "ssh-keyscan -p 22 h" gives once it is compared`,
		"git@h:o/r":                 `connect once with "ssh -T git@h" and compare the fingerprint, or add to known_hosts what "ssh-keyscan h" gives once it is compared`,
		"ssh://git:secret@h/o/r":    `connect once with "ssh -T git@h" and compare the fingerprint, or add to known_hosts what "ssh-keyscan h" gives once it is compared`,
		"https://u:secret@h/o/r":    `connect once with "ssh -T h" and compare the fingerprint, or add to known_hosts what "ssh-keyscan h" gives once it is compared`,
		"h:1234/r":                  `connect once with "ssh -T -p 1234 h" and compare the fingerprint, or add to known_hosts what "ssh-keyscan -p 1234 h" gives once it is compared`,
		"https://secret@h.example/": `connect once with "ssh -T h.example" and compare the fingerprint, or add to known_hosts what "ssh-keyscan h.example" gives once it is compared`,
	} {
		if got := Explain("Host key verification failed.", PeerOf(url), nil).Hint; got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	for want, p := range map[string]Peer{"git@h:22": {"git", "h", "22"}, "h": {Host: "h"}} {
		if p.String() != want {
			t.Errorf("%+v is written %q", p, p.String())
		}
	}
}
