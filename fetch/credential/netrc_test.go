package credential

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// netrcs are files that Python's netrc reads, too.
var netrcs = []string{
	"",
	"\n\n",
	"machine a.example login me password secret\n",
	"machine a.example\n  login me\n\tpassword secret",
	"machine a.example login me password secret machine b.example login you password other\r\n",
	"machine a.example login me account acct password secret\n",
	"# a comment\nmachine a.example login me password pass#word # and one more\n# machine no.example login x password y\n",
	"#comment\nmachine a.example\n#between\nlogin me password secret\n",
	`machine a.example login "me and you" password "a \"quoted\" one"` + "\n",
	"machine a.example login me password secret\ndefault login anonymous password guest\n",
	"macdef init\ncd /pub\nmachine no.example login x password y\n\nmachine a.example login me password secret\n",
	"machine a.example login me password secret\nmacdef init\nbin\n\nmachine b.example login you password other\n",
	"machine a.example login me password p\u00e4ss\n",
}

const pythonNetrc = `
import json, netrc, os, sys, tempfile
out = []
for text in json.load(sys.stdin):
    with tempfile.NamedTemporaryFile("w", suffix="netrc", delete=False, encoding="utf-8", newline="") as f:
        f.write(text)
    n = netrc.netrc(f.name)
    os.unlink(f.name)
    out.append({h: [v[0] or "", v[2] or ""] for h, v in n.hosts.items()})
json.dump(out, sys.stdout)
`

func TestNetrcIsReadAsPythonReadsIt(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not on this machine")
	}
	in, err := json.Marshal(netrcs)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(python, "-c", pythonNetrc)
	command.Stdin = strings.NewReader(string(in))
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
	}
	var want []map[string][2]string
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	for i, text := range netrcs {
		machines, err := parseNetrc(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := map[string][2]string{}
		for _, m := range machines {
			if m.name == "" {
				m.name = "default"
			}
			got[m.name] = [2]string{m.login, m.password}
		}
		if len(got) != len(want[i]) {
			t.Errorf("%q: got %v, want %v", text, got, want[i])
		}
		for host, pair := range want[i] {
			if got[host] != pair {
				t.Errorf("%q: %s: got %q, want %q", text, host, got[host], pair)
			}
		}
	}
}

// Python has no words for line ends; curl does.
func TestQuotedWordsKnowTheEscapesOfCurl(t *testing.T) {
	machines, err := parseNetrc(`machine h login "a\tb\nc\rd" password "x\\y\"z"`)
	if err != nil || len(machines) != 1 || machines[0] != (machine{"h", "a\tb\nc\rd", `x\y"z`}) {
		t.Errorf("got %+v, %v", machines, err)
	}
}

func FuzzNetrc(f *testing.F) {
	for _, text := range netrcs {
		f.Add(text)
	}
	f.Add(`machine "`)
	f.Add("machine h login \"\\")
	f.Fuzz(func(t *testing.T, text string) {
		machines, err := parseNetrc(text)
		if err != nil && machines != nil {
			t.Errorf("both %v and %v", machines, err)
		}
		if len(machines) > strings.Count(text, "machine")+strings.Count(text, "default") {
			t.Errorf("%d machines out of %q", len(machines), text)
		}
		if err == nil || len(text) < 3 {
			return
		}
		if _, shown, _ := strings.Cut(err.Error(), ": "); shown != "it does not begin with a machine" && shown != "a word that is no keyword" &&
			!strings.HasPrefix(shown, "nothing comes after \"") {
			t.Errorf("the error may show a secret: %v", err)
		}
	})
}
