package source

import (
	"encoding/json"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLookupFindsHostsByNameAliasAndPort(t *testing.T) {
	hosts := corp().With(Host{Name: "Code.Corp.Example:8443", Kind: GitLab, Aliases: []string{"Old.Corp.Example"}})
	tests := []struct {
		name, want string
		kind       HostKind
	}{
		{"github.com", "github.com", GitHub},
		{"GitHub.com", "github.com", GitHub},
		{"www.github.com", "github.com", GitHub},
		{"github.dev", "github.com", GitHub},
		{"gist.github.com", "gist.github.com", gist},
		{"hf.co", "huggingface.co", HuggingFace},
		{"tenant.ghe.com", "tenant.ghe.com", GitHub},
		{"org.visualstudio.com", "org.visualstudio.com", Azure},
		{"vs-ssh.visualstudio.com", "dev.azure.com", Azure},
		{"git.corp.example", "git.corp.example", GitHub},
		{"git.corp.example:8443", "git.corp.example:8443", GitHub},
		{"code.corp.example:8443", "code.corp.example:8443", GitLab},
		{"old.corp.example", "code.corp.example:8443", GitLab},
	}
	for _, test := range tests {
		if got, ok := hosts.Lookup(test.name); !ok || got.Name != test.want || got.Kind != test.kind {
			t.Errorf("Lookup(%q) = %+v, %t", test.name, got, ok)
		}
	}
	for _, name := range []string{"", "example.com", "github.com:8443", "xgithub.com", "github.com.evil.example", "a.b.ghe.com", ".ghe.com", "ghe.com", "code.corp.example", "git.corp.example:"} {
		if got, ok := hosts.Lookup(name); ok {
			t.Errorf("Lookup(%q) = %+v, want none", name, got)
		}
	}
}

// What a host is trusted with is not what its pages are read as.
func TestExactKnowsAHostByItsOwnNameAlone(t *testing.T) {
	hosts := corp().With(Host{Name: "code.corp.example:8443", Kind: GitLab, Aliases: []string{"old.corp.example"}}).With(Host{Name: "Bare.Corp.Example"})
	for _, name := range []string{"github.com", "GitHub.com", "tenant.ghe.com", "git.corp.example", "git.corp.example:8443", "code.corp.example:8443", "bare.corp.example"} {
		if got, ok := hosts.Exact(name); !ok || got.Name != strings.ToLower(name) {
			t.Errorf("Exact(%q) = %+v, %t", name, got, ok)
		}
	}
	for _, name := range []string{
		"", "www.github.com", "github.dev", "github1s.com", "ssh.github.com", "hf.co", "old.corp.example", "www.git.corp.example", "a.b.ghe.com", "ghe.com", "github.com:8443", "github.com.",
	} {
		if got, ok := hosts.Exact(name); ok || got.Name != "" || got.Kind != "" {
			t.Errorf("Exact(%q) = %+v, want none", name, got)
		}
	}
}

// Whoever shows GitHub's pages is not asked for its repositories: that is only how a text was copied.
func TestOverSSHTheHostItselfIsAskedOrAnotherOfItsOwn(t *testing.T) {
	for text, want := range map[string]string{
		"ssh://git@github1s.com/o/r":          "ssh://git@github.com/o/r.git",
		"git@github1s.com:o/r.git":            "ssh://git@github.com/o/r.git",
		"git@www.github1s.com:o/r.git":        "ssh://git@github.com/o/r.git",
		"me@GitHub.dev:o/r":                   "ssh://me@github.com/o/r.git",
		"ssh://git@ssh.github.com:443/o/r":    "ssh://git@ssh.github.com:443/o/r.git",
		"ssh://git@altssh.gitlab.com:443/g/r": "ssh://git@altssh.gitlab.com:443/g/r.git",
	} {
		if l, err := Parse(text, DefaultHosts()); err != nil || l.URL != want || l.Transport != SSH {
			t.Errorf("%s: %q, %v, want %q", text, l.URL, err, want)
		}
	}
}

func TestWithAddsWithoutChangingTheTable(t *testing.T) {
	base := DefaultHosts()
	mirror := base.With(Host{Name: "github.com", Kind: GitHub, Raw: "https://raw.mirror.example"})
	if got, _ := base.Lookup("github.com"); got.Raw != "https://raw.githubusercontent.com" {
		t.Errorf("the table was changed: %+v", got)
	}
	if got, _ := mirror.Lookup("github.com"); got.Raw != "https://raw.mirror.example" {
		t.Errorf("the own row does not win: %+v", got)
	}
	l, err := Parse("https://raw.mirror.example/o/r/main/a/SKILL.md", mirror)
	if err != nil || l.Host != "github.com" || l.Path != "a" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestHostsConfiguredWithoutAKindMeanWhatTheyMeantBefore(t *testing.T) {
	configured := DefaultHosts()
	for _, name := range []string{
		"github.com", "www.github.com", "github.dev", "github1s.com", "ssh.github.com", "gist.github.com", "gist.githubusercontent.com", "raw.githubusercontent.com", "raw.github.com",
		"media.githubusercontent.com", "codeload.github.com", "api.github.com", "api.tenant.ghe.com", "raw.tenant.ghe.com", "gitlab.com", "bitbucket.org", "api.bitbucket.org",
		"codeberg.org", "dev.azure.com", "org.visualstudio.com", "huggingface.co", "hf.co", "skills.sh", "www.skills.sh", "vscode.dev", "Example.com", "git.acme.example", "gl.corp.example",
	} {
		configured = configured.With(Host{Name: name})
	}
	for _, r := range rows(t) {
		if r.hosts.own != nil {
			continue
		}
		got, err := Parse(r.input, configured)
		if want, _ := Parse(r.input, DefaultHosts()); code(err) != r.code || !cmp.Equal(want, got) {
			t.Errorf("Parse(%q): %v, -before +configured\n%s", r.input, err, cmp.Diff(want, got))
		}
	}
}

func TestAHostConfiguredWithoutAKindIsStillAServiceOfAnother(t *testing.T) {
	mirror := Host{Name: "git.corp.example", Kind: GitHub, Raw: "https://files.corp.example"}
	for _, hosts := range []Hosts{
		DefaultHosts().With(mirror).With(Host{Name: "files.corp.example"}),
		DefaultHosts().With(Host{Name: "files.corp.example"}).With(mirror),
	} {
		l, err := Parse("https://files.corp.example/o/r/main/a/SKILL.md", hosts)
		if err != nil || l.Host != "git.corp.example" || l.Path != "a" {
			t.Errorf("%+v, %v", l, err)
		}
	}
}

func TestAConfiguredHostOfNoKindIsKnownByItsNameAlone(t *testing.T) {
	hosts := DefaultHosts().With(Host{Name: "git.corp.example", AllowPort: true}).With(Host{Name: "10.0.0.5"})
	for _, name := range []string{"git.corp.example", "GIT.corp.example", "git.corp.example:8443", "10.0.0.5"} {
		if row, ok := hosts.Lookup(name); !ok || row.Kind != "" {
			t.Errorf("Lookup(%q) = %+v, %t", name, row, ok)
		}
	}
	if row, ok := hosts.Lookup("www.git.corp.example"); ok {
		t.Errorf("www. of it is %+v", row)
	}
	if l, err := Parse("https://git.corp.example:8443/team/skills", hosts); err != nil || l.Kind != Site || l.Host != "git.corp.example:8443" {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err := Parse("https://10.0.0.5/team/skills.git", hosts); err != nil || l.Kind != Git {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestKindsAreThoseThatARowCanHave(t *testing.T) {
	want := []HostKind{"azure", "bitbucket", "bitbucket-server", "gist", "git", "gitea", "github", "gitlab", "gogs", "huggingface", "sourcehut"}
	if got := DefaultHosts().Kinds(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestAddressesOfFilesArchivesAndAPIs(t *testing.T) {
	tests := []struct{ text, raw, archive, api string }{
		{"o/r", "https://raw.githubusercontent.com/o/r/v1/a%20b/SKILL.md", "https://codeload.github.com/o/r/tar.gz/v1", "https://api.github.com/repos/o/r"},
		{"https://tenant.ghe.com/o/r", "https://raw.tenant.ghe.com/o/r/v1/a%20b/SKILL.md", "https://api.tenant.ghe.com/repos/o/r/tarball/v1", "https://api.tenant.ghe.com/repos/o/r"},
		{"https://git.corp.example/o/r", "https://git.corp.example/raw/o/r/v1/a%20b/SKILL.md", "https://git.corp.example/api/v3/repos/o/r/tarball/v1", "https://git.corp.example/api/v3/repos/o/r"},
		{"https://gitlab.com/g/s/r", "https://gitlab.com/g/s/r/-/raw/v1/a%20b/SKILL.md", "https://gitlab.com/g/s/r/-/archive/v1/r.tar.gz", "https://gitlab.com/api/v4/projects/g%2Fs%2Fr"},
		{"git@gitlab.com:g/r.git", "https://gitlab.com/g/r/-/raw/v1/a%20b/SKILL.md", "https://gitlab.com/g/r/-/archive/v1/r.tar.gz", "https://gitlab.com/api/v4/projects/g%2Fr"},
		{"https://bitbucket.org/w/r", "https://bitbucket.org/w/r/raw/v1/a%20b/SKILL.md", "https://bitbucket.org/w/r/get/v1.tar.gz", "https://api.bitbucket.org/2.0/repositories/w/r"},
		{"https://codeberg.org/o/r", "https://codeberg.org/o/r/raw/v1/a%20b/SKILL.md", "https://codeberg.org/o/r/archive/v1.tar.gz", "https://codeberg.org/api/v1/repos/o/r"},
		{"https://codeberg.org/o/r/releases/tag/v1", "https://codeberg.org/o/r/raw/tag/v1/a%20b/SKILL.md", "https://codeberg.org/o/r/archive/v1.tar.gz", "https://codeberg.org/api/v1/repos/o/r"},
		{"https://gogs.corp.example/o/r", "https://gogs.corp.example/o/r/raw/v1/a%20b/SKILL.md", "https://gogs.corp.example/o/r/archive/v1.tar.gz", "https://gogs.corp.example/api/v1/repos/o/r"},
		{"https://git.sr.ht/~u/r", "https://git.sr.ht/~u/r/blob/v1/a%20b/SKILL.md", "https://git.sr.ht/~u/r/archive/v1.tar.gz", ""},
		{"https://dev.azure.com/org/my%20proj/_git/r", "", "", "https://dev.azure.com/org/my%20proj/_apis/git/repositories/r"},
		{"https://huggingface.co/o/r", "https://huggingface.co/o/r/resolve/v1/a%20b/SKILL.md", "", "https://huggingface.co/api/models/o/r"},
		{"https://huggingface.co/spaces/o/r", "https://huggingface.co/spaces/o/r/resolve/v1/a%20b/SKILL.md", "", "https://huggingface.co/api/spaces/o/r"},
		{"git@hf.co:datasets/o/r", "https://huggingface.co/datasets/o/r/resolve/v1/a%20b/SKILL.md", "", "https://huggingface.co/api/datasets/o/r"},
		{"gist:0a1b2c3d4e5f60718293a4b5c6d7e8f9", "", "", ""},
	}
	for _, test := range tests {
		l, err := Parse(test.text, corp())
		if err != nil {
			t.Fatal(err)
		}
		host, _ := corp().Lookup(l.Host)
		got := []string{host.RawURL(l, "v1", "a b/SKILL.md"), host.ArchiveURL(l, "v1"), host.APIURL(l)}
		if got[0] != test.raw || got[1] != test.archive || got[2] != test.api {
			t.Errorf("%q:\n got %q\nwant %q", test.text, got, []string{test.raw, test.archive, test.api})
		}
	}
}

func TestAddressesOfBitbucketServerHaveTheRefInTheQuery(t *testing.T) {
	host := Host{Name: "bb.corp.example", Kind: BitbucketServer}
	l := Locator{Kind: Git, Host: host.Name, Owner: "PRJ", Repo: "r", Transport: HTTPS}
	if got := host.RawURL(l, "feature/x", "a/SKILL.md"); got != "https://bb.corp.example/projects/PRJ/repos/r/raw/a/SKILL.md?at=feature%2Fx" {
		t.Error(got)
	}
	if got := host.ArchiveURL(l, "feature/x"); got != "https://bb.corp.example/rest/api/latest/projects/PRJ/repos/r/archive?at=feature%2Fx&format=tgz" {
		t.Error(got)
	}
	if l.Owner = "~u"; host.RawURL(l, "v1", "SKILL.md") != "https://bb.corp.example/users/u/repos/r/raw/SKILL.md?at=v1" {
		t.Error(host.RawURL(l, "v1", "SKILL.md"))
	}
}

func TestRawAddressesAreReadBackToTheSameFile(t *testing.T) {
	for _, text := range []string{"o/r", "https://tenant.ghe.com/o/r", "https://git.corp.example/o/r", "gitlab:g/s/r", "bitbucket:w/r", "codeberg:o/r",
		"https://gogs.corp.example/o/r", "srht:~u/r", "hf:o/r", "hf:spaces/o/r"} {
		l, err := Parse(text, corp())
		if err != nil {
			t.Fatal(err)
		}
		host, _ := corp().Lookup(l.Host)
		got, err := Parse(host.RawURL(l, "main", "skills/pdf/SKILL.md"), corp())
		if err != nil || got.Source() != l.Source() || got.Ref != "main" || got.Path != "skills/pdf" || !got.File {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestPublicAddress(t *testing.T) {
	for _, text := range []string{"127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1", "100.127.255.255",
		"0.0.0.0", "0.1.2.3", "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "fe80::1", "febf::1", "fc00::1", "fd00::1", "fec0::1", "ff02::1", "2001:db8::1", "2001::1", "100::1", "3fff::1",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::"} {
		if PublicAddress(netip.MustParseAddr(text)) {
			t.Errorf("%s is taken for public", text)
		}
	}
	for _, text := range []string{"8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.1", "192.167.255.255", "198.20.0.1", "223.255.255.255",
		"2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::"} {
		if !PublicAddress(netip.MustParseAddr(text)) {
			t.Errorf("%s is taken for private", text)
		}
	}
	if PublicAddress(netip.Addr{}) {
		t.Error("the zero address is taken for public")
	}
}

func TestPunycodeFollowsTheSpecification(t *testing.T) {
	// Samples of RFC 3492, section 7.1 (A, B, G, L) and common names.
	for label, want := range map[string]string{
		"ليهمابتكلموشعربي؟":            "egbpdaj6bu4bxfgehfvwxn",
		"他们为什么不说中文":                    "ihqwcrb4cv8a8dqg056pqjye",
		"почемужеонинеговорятпорусски": "b1abfaaepdrnnbgefbadotcwatmq2g4l",
		"3年b組金八先生":                     "3b-ww4c5e180e575a65lsy2b",
		"bücher":                       "bcher-kva",
		"münchen":                      "mnchen-3ya",
		"faß":                          "fa-hia",
		"ab":                           "ab-",
		"ü":                            "tda",
		"😀":                            "e28h",
	} {
		if got := punycode([]rune(label)); got != want {
			t.Errorf("punycode(%q) = %q, want %q", label, got, want)
		}
	}
}

func TestPunycodeAgreesWithPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	labels := []string{"гithub", "gıthub", "аррӏе", "例え", "ñandú-x", "a日b本c", "𝔤ithub", "ελληνικά", "עברית", "xüxüx", "zzzzé", "éa", "한국어도메인이름"}
	input, err := json.Marshal(labels)
	if err != nil {
		t.Fatal(err)
	}
	script := "import json,sys; print(json.dumps([s.encode('punycode').decode() for s in json.loads(sys.argv[1])]))"
	output, err := exec.Command(python, "-c", script, string(input)).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(output, &want); err != nil {
		t.Fatal(err)
	}
	for i, label := range labels {
		if got := punycode([]rune(label)); got != want[i] {
			t.Errorf("punycode(%q) = %q, python says %q", label, got, want[i])
		}
	}
}

// C-26: http where it was configured, and then the locator is that of https.
func TestHTTPIsForHostsThatAreConfiguredSo(t *testing.T) {
	hosts := DefaultHosts().With(Host{Name: "git.corp.example", Kind: GitHub, AllowPort: true, AllowHTTP: true}).With(Host{Name: "bare.example", AllowHTTP: true})
	for text, want := range map[string]string{
		"http://git.corp.example/o/r/tree/main/x":  "https://git.corp.example/o/r/tree/main/x",
		"HTTP://git.corp.example:8080/o/r":         "https://git.corp.example:8080/o/r",
		"git+http://bare.example/o/r.git":          "git+https://bare.example/o/r.git",
		"http://github.com/o/r":                    "",
		"http://git.corp.example.evil.example/o/r": "",
		"http://u:p@git.corp.example/o/r":          "",
		"http://evil.example/git.corp.example/o/r": "",
	} {
		got, err := Parse(text, hosts)
		if want == "" {
			if err == nil {
				t.Errorf("%s gives %+v", text, got)
			}
			continue
		}
		if len(got.Notes) > 0 {
			t.Errorf("%s has notes %v", text, got.Notes)
		}
		same, otherErr := Parse(want, hosts)
		if len(same.Notes) != 1 || same.Notes[0].Code != "unencrypted" { // which is not what is written
			t.Errorf("%s has notes %v", want, same.Notes)
		}
		got.Input, same.Input = "", ""
		if err != nil || otherErr != nil || got.URL != same.URL || got.Source() != same.Source() || got.Path != same.Path || got.Ref != same.Ref || got.Kind != same.Kind {
			t.Errorf("%s gives %+v, %v, want %+v", text, got, err, same)
		}
	}
}
