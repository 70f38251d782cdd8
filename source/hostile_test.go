package source

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestBlankTextsAreEmpty(t *testing.T) {
	for _, text := range []string{"", "   ", "\n\t ", "<>", "< >"} {
		if _, err := Parse(text, DefaultHosts()); code(err) != "empty" {
			t.Errorf("Parse(%q): %v", text, err)
		}
	}
}

func TestBlanksAroundATextAreCut(t *testing.T) {
	l, err := Parse("\t https://github.com/o/r \r\n", DefaultHosts())
	if err != nil || l.Input != "https://github.com/o/r" || l.Repo != "r" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestControlAndBidirectionalCharactersAreRefusedEverywhere(t *testing.T) {
	for _, c := range []string{"\x00", "\n", "\t", "\x1b", "\x7f", "\u0085", "\u202e", "\u2066", "\u200f", "\u2028"} {
		for _, text := range []string{"o" + c + "/r", "https://github.com/o/r/tree/ma" + c + "in", "./di" + c + "r", "https://exam" + c + "ple.com", "npm:p" + c + "q", "git@h.example:o" + c + "/r"} {
			if _, err := Parse(text, DefaultHosts()); code(err) != "control-char" {
				t.Errorf("Parse(%q): %v", text, err)
			}
		}
	}
	if _, err := Parse("o/r\xff", DefaultHosts()); code(err) != "bad-encoding" {
		t.Errorf("bytes that are no text: %v", err)
	}
}

func TestTheBoundOfATextCountsCharacters(t *testing.T) {
	fits := "https://github.com/o/r/tree/main/" + strings.Repeat("é", 2048-33)
	if l, err := Parse(fits, DefaultHosts()); err != nil || utf8.RuneCountInString(l.Path) != 2048-33 {
		t.Errorf("2,048 characters: %v", err)
	}
	if _, err := Parse(fits+"x", DefaultHosts()); code(err) != "too-long" {
		t.Errorf("2,049 characters: %v", err)
	}
}

func TestDriveLettersArePathsOnWindowsOnly(t *testing.T) {
	tests := []struct {
		text, path string
		kind       Kind
		file       bool
	}{
		{`C:\skills\pdf`, `C:\skills\pdf`, Local, false},
		{`C:\skills\pdf\`, `C:\skills\pdf`, Local, false},
		{`c:/skills/pdf/`, `c:/skills/pdf`, Local, false},
		{`C:\`, `C:\`, Local, false},
		{`C:\pdf\SKILL.md`, `C:\pdf`, Local, true},
		{`C:\SKILL.md`, `C:\`, Local, true},
		{`.\pdf\SKILL.md`, `.\pdf`, Local, true},
		{`..\packs\pdf.zip`, `..\packs\pdf.zip`, Archive, false},
		{`file:///C:/skills/pdf`, `C:/skills/pdf`, Local, false},
	}
	for _, test := range tests {
		l, err := reader{windows: true}.parse(test.text)
		if err != nil || l.Path != test.path || l.Kind != test.kind || l.File != test.file {
			t.Errorf("%q on Windows: %+v, %v", test.text, l, err)
			continue
		}
		again, err := reader{windows: true}.parse(l.Canonical())
		again.Input, l.Input = "", ""
		if diff := cmp.Diff(l, again); err != nil || diff != "" {
			t.Errorf("%q on Windows: %v -want +got\n%s", test.text, err, diff)
		}
	}
	for _, text := range []string{`C:\skills\pdf`, "c:/skills"} {
		if _, err := (reader{}).parse(text); code(err) != "invalid-source" {
			t.Errorf("%q elsewhere: %v", text, err)
		}
	}
}

func TestErrorsNeverRepeatCredentials(t *testing.T) {
	forms := []string{"https://S@github.com/o/r", "https://u:S@github.com/o/r", "https://S:x-oauth-basic@github.com/o/r", "http://u:S@github.com/o/r", "ftp://u:S@h.example/x",
		"git://S@github.com/o/r", "git+https://S@github.com/o/r.git#v1", "ssh://git:S@github.com/o/r", "oci://u:S@ghcr.io/o/r", "S@github.com/o/r", "u:S@github.com/o/r",
		"u:S@github.com:o/r", "https://u:S/x@github.com/o/r", "https://u:a/S@github.com/o/r", "https://u:1/S@github.com/o/r", "https://u:S?x@github.com/o/r", "https://u:a?S@github.com/o/r",
		"https://u:a#S@github.com/o/r", `https://u:S\@github.com/o/r`, "https://u:S x@github.com/o/r", "https://u:S@@github.com/o/r", "https://u%3AS@github.com/o/r",
		"https://example.com/https://u:S@h.example/x.md", "npx skills add https://u:S@github.com/o/r", "https://example.com/README.md?token=S", "https://github.com/o/r/issues?private_token=S&x=S",
		"https://github.com/o/r/tree/a..b?access_token=S#x", "<https://u:S@github.com/o/r>", "//u:S@github.com/o/r/..%00", "https:u:S@github.com/o/r", "https:/u:S@github.com/o/r", "/plugin install S@market", "claude plugin install S@market", "claude plugin install u:S@h.example",
		"npm install https://u:S@h.example/p.tgz", "/plugin marketplace add https://S@github.com/o/r", "npx skills find https://S@h.example", "git@github.com/o/r?token=S", "jsr:u:S@h.example/x",
		"https://github.com/o/r.git//a/../b?ref=v1&token=S", "https://S@github.com/o/r.git//a?ref=v1", "https://h.example/pack.7z?sig=S", "github.com/o/r?token=S#a..b"}
	for _, form := range forms {
		text := strings.ReplaceAll(form, "S", "ghp_s3cr3t")
		l, err := Parse(text, DefaultHosts())
		var e *Error
		if !errors.As(err, &e) {
			if strings.HasPrefix(form, "//") { // a path on this machine, with an odd name
				continue
			}
			t.Errorf("Parse(%q) = %+v, want an error", text, l)
			continue
		}
		if all := e.Kind + e.Text + e.Message + e.Hint + e.Error(); strings.Contains(all, "s3cr3t") {
			t.Errorf("the error for %q repeats the secret: %q", form, all)
		}
	}
}

func TestTheUserOfSSHIsNoCredential(t *testing.T) {
	for text, want := range map[string]string{
		"ssh://git@h.example/o/r.git":                              "ssh://git@h.example/o/r.git",
		"git+ssh://deploy-1@h.example:7999/o/r.git":                "git+ssh://deploy-1@h.example:7999/o/r.git",
		"SSH://git@GitHub.com/o":                                   "SSH://git@GitHub.com/o",
		"ssh://git:S@h.example/o/r":                                "ssh://…@h.example/o/r",
		"ssh://:S@h.example/o/r":                                   "ssh://…@h.example/o/r",
		"ssh://git%3AS@h.example/o/r":                              "ssh://…@h.example/o/r",
		"ssh://git@u:S@h.example/o/r":                              "ssh://…@h.example/o/r",
		"git@h.example:o/r.git":                                    "git@h.example:o/r.git",
		"org@org.ghe.com:o/r.git":                                  "org@org.ghe.com:o/r.git",
		"S@github.com:443/o/r":                                     "…@github.com:443/o/r",
		"S@github.com/o/r":                                         "…@github.com/o/r",
		"u:S@github.com:o/r":                                       "…@github.com:o/r",
		"https://git@github.com/o/r":                               "https://…@github.com/o/r",
		"npx skills add git@h.example:o/r --skill x":               "npx skills add git@h.example:o/r --skill x",
		"npx skills add 'ssh://git@h.example/o/r'":                 "npx skills add 'ssh://git@h.example/o/r'",
		"npx skills add https://u:S@h.example/r git@h.example:o/r": "npx skills add https://…@h.example:o/r",
	} {
		if got := redact(text); got != want {
			t.Errorf("redact(%q) = %q, want %q", text, got, want)
		}
	}
	l, err := Parse("ssh://git@h.example/o/r.git", DefaultHosts())
	if err != nil || l.Input != "ssh://git@h.example/o/r.git" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	tests := []struct{ text, message, hint string }{
		{"https://github.com/o/r/blob/main/skills/pdf/forms.md", `source "https://github.com/o/r/blob/main/skills/pdf/forms.md" names a file`, "https://github.com/o/r/tree/main/skills/pdf"},
		{"https://github.com/o/r/wiki/Skill", "wiki", "git+https://github.com/o/r.wiki.git"},
		{"https://github.com/o/r/releases", "releases", "/releases/tag/TAG"},
		{"https://гithub.com/o/r", "xn--ithub-mwe.com", "xn--ithub-mwe.com"},
		{"https://git.corp.example/o/r/tree/main/a", "not known", `[host."git.corp.example"]`},
		{"https://org@dev.azure.com/org/proj/_git/r", "credentials", `before "@"`},
		{"@scope/pkg", "no repository", "npm:@scope/pkg"},
		{"https://example.com/pack.tar.bz2", "the format .tar.bz2", "read as tar, tar.gz, tgz, zip and skill"},
		{"git@github.com/o/r", "lacks the colon", "write git@github.com:o/r"},
		{"git@github.com/o/r?token=abc", "lacks the colon", "write git@github.com:o/r?token=…"},
		{"jsr:@a/b", `"jsr:@a/b" names a package of jsr.io`, "npm:@jsr/"},
		{"/plugin install document-skills@market", "names no source", "OWNER/REPO --plugin document-skills"},
		{"claude plugin install ghp_abc@market", "names no source", "OWNER/REPO --plugin NAME"},
		{"npx skills find pdf", "names no source", "skills show OWNER/REPO"},
		{"npx skills update", "names no source", "run: skills update"},
		{"pack.zip", "looks like a file", "./pack.zip"},
		{"https://x@h.example/", `"https://…@h.example/"`, ""},
	}
	for _, test := range tests {
		_, err := Parse(test.text, DefaultHosts())
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, test.message) || !strings.Contains(strings.Join(e.Hints(), " "), test.hint) || e.Text == "" {
			t.Errorf("%q: %#v", test.text, e)
		}
	}
}

func TestTheManifestOfAMarketplaceLeadsToItsRepository(t *testing.T) {
	for text, want := range map[string]string{
		"https://github.com/o/r/blob/main/.claude-plugin/marketplace.json":                "https://github.com/o/r/tree/main",
		"https://github.com/o/r/blob/HEAD/.github/plugin/marketplace.json":                "https://github.com/o/r",
		"https://raw.githubusercontent.com/o/r/main/plugins/x/.claude-plugin/plugin.json": "https://github.com/o/r/tree/main/plugins/x",
		"https://gitlab.com/g/r/-/blob/main/.agents/plugins/marketplace.json":             "git+https://gitlab.com/g/r#main",
		"https://github.com/o/r/blob/main/plugins/claude-plugin/marketplace.json":         "https://github.com/o/r/tree/main/plugins/claude-plugin",
	} {
		_, err := Parse(text, DefaultHosts())
		var e *Error
		if !errors.As(err, &e) || e.Hint != "for the skill in its folder write "+want {
			t.Errorf("%q: %#v", text, err)
		}
	}
}

func TestEveryErrorSaysWhatToDoNext(t *testing.T) {
	texts := []string{"", "o/r\x00", "o/r\xff", strings.Repeat("x", 3000), "https://github.com/o/r/releases/download/v1/notes.txt", "ssh://-x@h.example/o/r", "ssh://a%20b@h.example/o/r"}
	for _, r := range rows(t) {
		if r.code != "" && r.hosts.own == nil {
			texts = append(texts, r.input)
		}
	}
	for _, text := range texts {
		_, err := Parse(text, DefaultHosts())
		if e := (*Error)(nil); !errors.As(err, &e) || len(e.Hints()) != 1 || strings.HasSuffix(e.Hint, ".") {
			t.Errorf("%q: %#v", text, err)
		}
	}
	for text, ref := range map[string]string{"./x": "v1", "o/r#v1": "v2", "o/r": "a..b"} {
		l, err := Parse(text, DefaultHosts())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.WithRef(ref); len(err.(*Error).Hints()) != 1 {
			t.Errorf("%q at %q: %#v", text, ref, err)
		}
	}
}

func TestWhatAHintSaysIsReadBack(t *testing.T) {
	for _, text := range []string{"https://github.com/o/r/tree/main/skills/pdf", "git+https://github.com/o/r.wiki.git", "npm:@scope/pkg", "./pack.zip"} {
		if _, err := Parse(text, DefaultHosts()); err != nil {
			t.Error(err)
		}
	}
}

// checkLocator tests what every Locator promises.
func checkLocator(t *testing.T, l Locator) {
	t.Helper()
	for _, name := range []string{l.Host, l.Owner, l.Repo, l.User} {
		if strings.HasPrefix(name, "-") || strings.ContainsFunc(name, hidden) {
			t.Errorf("%+v: name %q", l, name)
		}
	}
	if l.Kind == Git && strings.HasPrefix(l.Ref, "-") || strings.ContainsFunc(l.Ref+l.Path+l.Skill+l.URL, hidden) {
		t.Errorf("%+v", l)
	}
	local := l.Kind == Local || l.Kind == Archive && l.URL == ""
	if l.Path == "" || local {
		return
	}
	for part := range strings.SplitSeq(l.Path, "/") {
		if part == "" || part == "." || part == ".." || strings.Contains(part, `\`) {
			t.Errorf("%+v: path", l)
		}
	}
}

// checkText tests what Parse promises for any text.
func checkText(t *testing.T, text string, hosts Hosts) {
	t.Helper()
	l, err := Parse(text, hosts)
	if err != nil {
		if l.Kind != "" || code(err) == "" {
			t.Errorf("error %v, locator %+v", err, l)
		}
		return
	}
	checkLocator(t, l)
	sameButText(t, l.Canonical(), l, hosts)
	if again, err := Parse(l.Source(), hosts); err != nil || again.Source() != l.Source() {
		t.Errorf("source %q of %q: %+v, %v", l.Source(), text, again, err)
	}
	settled, err := l.Settle([]string{"refs/heads/main", "refs/heads/a/b", "refs/tags/v1"})
	checkLocator(t, settled)
	if err == nil {
		sameButText(t, settled.Canonical(), settled, hosts)
	}
	ref, err := l.SkillAsRef().WithRef("v1")
	checkLocator(t, ref)
	if err == nil {
		sameButText(t, ref.Canonical(), ref, hosts)
	}
}

func FuzzParse(f *testing.F) {
	for _, r := range rows(f) {
		f.Add(r.input)
	}
	hosts := corp()
	f.Fuzz(func(t *testing.T, text string) { checkText(t, text, hosts) })
}

func TestPiecesOfTheGrammarInAnyOrderKeepThePromises(t *testing.T) {
	begins := []string{"https://", "git+https://", "ssh://git@", "git@", "", "", "gh:", "gitlab:", "hf:", "srht:", "gist:", "npm:", "oci://", "file:///", "./", "skills add ", "npx skills add --skill x ", "<", "[x](", "(", "git clone -b v1 "}
	hosts := []string{"github.com", "gist.github.com", "raw.githubusercontent.com", "api.github.com/repos", "gitlab.com", "bitbucket.org", "codeberg.org", "git.sr.ht", "dev.azure.com",
		"huggingface.co", "skills.sh", "git.corp.example", "git.corp.example:8443", "gogs.corp.example", "unknown.example", "tenant.ghe.com", "10.0.0.5", "h", ""}
	pieces := []string{"/", "/", "/", "/", ":", "//", "@", "#", "?", "o", "r", "~u", "r.git", "tree", "blob", "raw", "src", "branch", "main", "v1", "v1.2", "feature", "refs", "heads", "tags", "pull", "12", "head",
		"HEAD", "-", "_git", "projects", "repos", "scm", "browse", "spaces", "datasets", "resolve", "item", "releases", "tag", "latest", "download", "archive", "commit", "0123abc",
		"0123456789abcdef0123456789abcdef01234567", "0a1b2c3d4e5f60718293a4b5c6d7e8f9", "SKILL.md", "skill.md", "a.zip", "x.tar.gz", "%2F", "%20", "%40", "%23", "%3F", "%25", "%5E", " ", ".", "..", "é", "'", "^1.2",
		"ref=dev", "at=v1", "path=/a", "version=GBx", "&", " --skill ", " --ref ", "pdf", "tag:", "branch:", "commit:", "file-skill-md", "*", "+", "$", "=", "|", "{", "\"", "r.", "a,", "b)", "(c", "!", ";", "`", "](", "%2E", "%2C", "%29"}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	for range 10000 {
		text := pick(begins) + pick(hosts) + "/"
		for range random.IntN(9) {
			text += pick(pieces)
			if random.IntN(3) > 0 {
				text += "/"
			}
		}
		if checkText(t, text, corp()); t.Failed() {
			t.Fatalf("with the text %q", text)
		}
	}
}

func FuzzErrorsHideCredentials(f *testing.F) {
	f.Add("https://", "user:", "@github.com/o/r")
	f.Add("", "", "@github.com/o/r")
	f.Add("git+https://", "u:a/", "@h.example//x#v1")
	f.Fuzz(func(t *testing.T, before, user, after string) {
		text := before + user + "s3cr3t" + after
		if name := strings.HasSuffix(before, "ssh://") && !strings.Contains(user, ":"); name || !strings.HasSuffix(before, "://") || strings.Contains(user, "@") || !strings.HasPrefix(after, "@") || strings.ContainsAny(user, "/?#") && !strings.Contains(user, ":") {
			return
		}
		_, err := Parse(text, DefaultHosts())
		var e *Error
		if errors.As(err, &e) && strings.Contains(e.Text+e.Message+e.Hint, "s3cr3t") {
			t.Errorf("the error for %q repeats the secret: %+v", text, e)
		}
	})
}
