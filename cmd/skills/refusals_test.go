package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"testing"

	"skills/fetch/fetchtest"
)

// packed is a site with one tar of an entry that no archive of skills holds, at its name.
func packed(t *testing.T, name string, header tar.Header) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	header.Mode = 0o644
	if err := w.WriteHeader(&header); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("-- %s base64 --\n%s\n", name, base64.StdEncoding.EncodeToString(b.Bytes()))
}

// unsafePacks are archives with entries that would lie elsewhere.
func unsafePacks(t *testing.T) string {
	regular := func(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg} }
	text := "-- @site example.com --\n" + packed(t, "parent.tar", regular("../x")) + packed(t, "absolute.tar", regular("/SKILL.md")) +
		packed(t, "drive.tar", regular(`C:\x`)) + packed(t, "hard.tar", tar.Header{Name: "SKILL.md", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"})
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"a", "a/b"} {
		if _, err := w.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return text + fmt.Sprintf("-- through.zip base64 --\n%s\n-- empty.zip --\n-- moved.zip redirect --\nhttps://private.example/pack.zip\n-- ftp.zip redirect --\nftp://example.com/x\n-- port.zip redirect --\nhttps://example.org:81/x\n",
		base64.StdEncoding.EncodeToString(b.Bytes()))
}

// What a host refuses says by which status, whose credential would help, and what to do; nothing is without a hint.
func TestRefusalsSayWhatToDo(t *testing.T) {
	answer := func(status int) []fetchtest.Fault {
		return []fetchtest.Fault{{Do: fetchtest.Answer(status, "", "Retry-After", "0")}}
	}
	private := []fetchtest.Fault{{Host: "private.example", Do: fetchtest.Answer(401, "")}}
	pack := "https://example.com/pack.tar.gz"
	for _, test := range []failing{
		{name: "403 of the forge and its archives", source: "acme/kit", faults: []fetchtest.Fault{{Do: fetchtest.Answer(403, "")}}, exit: 1, code: "forbidden",
			says: "github.com gives no access to github.com/acme/kit (codeload.github.com answered 403)", hint: "a token for github.com is taken from GITHUB_TOKEN", fields: "host status"},
		{name: "403 with a token", source: "acme/kit", environment: "GH_TOKEN=wrong-secret", faults: []fetchtest.Fault{{Do: fetchtest.Answer(403, "")}}, exit: 1, code: "forbidden",
			says: "with the credential from GH_TOKEN (codeload.github.com answered 403)", hint: "check the rights", fields: "tried status"},
		{name: "403 of the API", source: "acme/kit#" + "abcdef1", faults: []fetchtest.Fault{{Host: "api.github.com", Do: fetchtest.Answer(403, "")}}, exit: 1, code: "forbidden",
			says: "(api.github.com answered 403)", hint: "a token for github.com is taken from GITHUB_TOKEN", fields: "host status"},
		{name: "403 of a site", source: pack, faults: []fetchtest.Fault{{Do: fetchtest.Answer(403, "")}}, exit: 1, code: "forbidden", says: "(it answered 403)",
			hint: "a token for example.com is taken from", fields: "host status"},
		{name: "3.10/4 led to a host that wants a credential", source: "https://example.com/moved.zip", environment: "SKILLS_TOKEN_PRIVATE_EXAMPLE=wrong-secret", faults: private,
			config: "[host.\"example.com\"]\nconnect = \"FORGE\"\nca_file = \"CA\"\n[host.\"private.example\"]\nconnect = \"FORGE\"\nca_file = \"CA\"\n",
			exit:   1, code: "not_found", says: "private.example answered 401", hint: "credentials do not follow where example.com leads: give https://private.example/pack.zip itself", fields: "host status led"},
		{name: "a signed address", source: pack + "?X-Amz-Signature=wrong-secret", faults: []fetchtest.Fault{{Do: fetchtest.Answer(403, "")}}, exit: 1, code: "forbidden", says: "example.com", hint: "download it yourself and give ./pack.tar.gz", fields: "status"},
		{name: "a signed address of a SKILL.md", source: "https://example.com/none/SKILL.md?token=wrong-secret", exit: 1, code: "not_found", says: "404",
			hint: `what stands behind "?" was left out, for it may be a secret: download it yourself and give ./SKILL.md`},
		{name: "418", source: pack, faults: answer(418), exit: 1, code: "fetch_failed", says: "418", hint: "look at the address in a browser", fields: "host status"},
		{name: "451", source: pack, faults: answer(451), exit: 1, code: "fetch_failed", says: "451", hint: "look at the address in a browser", fields: "host status"},
		{name: "501", source: pack, faults: answer(501), exit: 1, code: "fetch_failed", says: "501", hint: "the trouble is at example.com: try again later", fields: "host status"},
		{name: "503", source: pack, faults: answer(503), exit: 1, code: "fetch_failed", says: "503", hint: "the trouble is at example.com: try again later", fields: "host status"},
		{name: "empty archive", source: "https://example.com/empty.zip", exit: 1, code: "wrong_content", says: "is empty", hint: "see in a browser"},
		{name: "3.10/4 to ftp", source: "https://example.com/ftp.zip", exit: 1, code: "fetch_failed", says: "only https", hint: "give the address where it leads"},
		{name: "to a port", source: "https://example.com/port.zip", exit: 1, code: "fetch_failed", says: "only port 443", hint: "give the address where it leads"},
		{name: "3.9/14 parent", source: "https://example.com/parent.tar", exit: 4, code: "path_escape", says: `"../x" leads out`, hint: "ask the author"},
		{name: "3.9/14 absolute", source: "https://example.com/absolute.tar", exit: 4, code: "path_escape", says: `"/SKILL.md" is an absolute path`, hint: "ask the author"},
		{name: "3.9/14 drive", source: "https://example.com/drive.tar", exit: 4, code: "path_escape", says: `is an absolute path`, hint: "ask the author"},
		{name: "3.9/14 through a file", source: "https://example.com/through.zip", exit: 4, code: "path_escape", says: `"a/b" leads through "a"`, hint: "ask the author"},
		{name: "3.9/14 hard link", source: "https://example.com/hard.tar", exit: 4, code: "path_escape", says: `is a hard link`, hint: "ask the author"},
		{name: "no such directory here", source: "../nope", exit: 1, code: "not_found", says: "does not exist", hint: "check the path"},
		{name: "no such directory there", source: "acme/kit/nowhere/at/all", exit: 1, code: "not_found", says: "there is no directory", hint: "--list"},
	} {
		test.site = unsafePacks(t)
		t.Run(test.name, test.run)
	}
}

// A name of this machine is refused alike wherever it stands.
func TestPrivateAddressesAreRefusedAlike(t *testing.T) {
	m := newMachine(t)
	if err := os.WriteFile(m.path("project/skills.toml"), []byte("[skills]\nx = \"https://127.0.0.1/SKILL.md\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m.skills(t, 4, "install")
	m.skills(t, 4, "add", "https://127.0.0.1/SKILL.md")
	m.skills(t, 1, "resolve", "https://127.0.0.1/SKILL.md")
}
