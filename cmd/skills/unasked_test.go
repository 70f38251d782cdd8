package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
)

// What a server sends that nobody asked for is not shown: net/http would log it with its bytes.
func TestWhatServersSendUnaskedIsNotShown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\nUNASKED \x1b[31m")
			defer conn.Close()
		}
	}()
	m := newMachine(t)
	m.configure(t, fmt.Sprintf("[host.\"plain.example\"]\nconnect = %q\nallow_http = true\n", l.Addr()))
	if out := m.skills(t, 1, "add", "http://plain.example/x/SKILL.md"); strings.Contains(out, "UNASKED") || strings.Contains(out, "Unsolicited") || !strings.Contains(out, "404") {
		t.Errorf("shown is %q", out)
	}
}

// Of the configuration of a host nothing is wanted before it is asked; the error names what the host needs.
func TestAnAuthorityThatIsMissingConcernsItsHostOnly(t *testing.T) {
	m := newMachine(t, "kit.txtar")
	m.configure(t, "USUAL\n[host.\"other.example\"]\nca_file = \"gone.pem\"\n[host.\"127.0.0.2:1\"]\nca_file = \"gone.pem\"\n")
	m.skills(t, 0, "add", "acme/kit", "--skill", "notes")
	out := m.skills(t, 2, "add", "https://other.example/x/SKILL.md")
	if !strings.Contains(out, `the ca_file of host "other.example" cannot be read`) || !strings.Contains(out, "gone.pem") || !strings.Contains(out, "hint: correct the file") {
		t.Errorf("shown is %q", out)
	}
}

// A store that cannot be made names the variable that leads there.
func TestAStoreThatCannotBeMadeNamesItsVariable(t *testing.T) {
	m := newMachine(t, "kit.txtar")
	if err := os.WriteFile(m.path("file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"SKILLS_CACHE_DIR": m.path("file/none"), "XDG_CACHE_HOME": m.path("file")} {
		c := m.command("project", "add", "acme/kit", "--skill", "notes", "--json")
		c.Env = append(c.Env, "SKILLS_CACHE_DIR=", name+"="+dir)
		out, _ := c.Output()
		if text := string(out); c.ProcessState.ExitCode() != 2 || !strings.Contains(text, `"code": "invalid_config"`) || !strings.Contains(text, name+" ") || strings.Contains(text, `"hint": null`) {
			t.Errorf("%s: exit status %d, %s", name, c.ProcessState.ExitCode(), text)
		}
	}
}
