package npm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// document is a package whose versions are given as "NUMBER" or "NUMBER deprecated".
func document(latest string, versions ...string) []byte {
	var all []string
	for _, v := range versions {
		number, deprecated, _ := strings.Cut(v, " ")
		all = append(all, fmt.Sprintf(`%q:{"deprecated":%q,"dist":{"tarball":"https://registry.npmjs.org/x/-/x-%s.tgz","shasum":"da39a3ee5e6b4b0d3255bfef95601890afd80709"}}`,
			number, deprecated, number))
	}
	return fmt.Appendf(nil, `{"name":"x","dist-tags":{"latest":%q,"next":"3.0.0-rc.1"},"versions":{%s}}`, latest, strings.Join(all, ","))
}

// The expected versions are those that npm-pick-manifest of npm 11.19 gives for the same documents.
func TestChoosingAVersion(t *testing.T) {
	many := []string{"0.9.0", "1.0.0", "1.2.0", "1.2.3", "1.10.0", "2.0.0", "2.1.0", "3.0.0-rc.1", "not-semver"}
	for _, test := range []struct {
		latest   string
		versions []string
		asked    string
		want     string // "" for none
	}{
		{"2.0.0", many, "", "2.0.0"},
		{"2.0.0", many, "latest", "2.0.0"},
		{"2.0.0", many, "next", "3.0.0-rc.1"},
		{"2.0.0", many, "1.2.0", "1.2.0"},
		{"2.0.0", many, "^1.2", "1.10.0"},
		{"2.0.0", many, "~1.2.0", "1.2.3"},
		{"2.0.0", many, "1.2.x", "1.2.3"},
		{"2.0.0", many, "1", "1.10.0"},
		{"2.0.0", many, "*", "2.0.0"}, // the latest goes before the newest
		{"2.0.0", many, "^2", "2.0.0"},
		{"1.0.0", many, "^2", "2.1.0"},
		{"2.0.0", many, ">=1.0 <1.3", "1.2.3"},
		{"2.0.0", many, "^0.9", "0.9.0"},
		{"2.0.0", many, "^3", ""},
		{"2.0.0", many, "^3.0.0-rc.0", "3.0.0-rc.1"},
		{"2.0.0", many, "9.9.9", ""},
		{"2.0.0", many, "canary", ""},
		{"9.9.9", many, "", ""}, // a tag of a version that was taken back
		{"9.9.9", []string{"1.0.0", "1.1.0 use y"}, "^1", "1.0.0"},
		{"9.9.9", []string{"1.1.0 use y", "1.0.0 too"}, "^1", "1.1.0"},
		{"1.1.0", []string{"1.0.0", "1.1.0 use y"}, "^1", "1.0.0"},
		{"1.1.0", []string{"1.0.0", "1.1.0 use y"}, "*", "1.0.0"},
		{"1.1.0", []string{"1.0.0", "1.1.0 use y"}, "", "1.1.0"},
		{"2.1.0", append([]string{"1.3.0 use y"}, many...), "^1.3", "1.10.0"},
		{"2.1.0", append([]string{"1.3.0 use y"}, many...), "1.3.0", "1.3.0"},
		{"3.0.0-rc.1", many, "*", "3.0.0-rc.1"},
		{"3.0.0-rc.1", many, "^2", "2.1.0"},
		{"3.0.0-rc.1", many, ">=1", "2.1.0"},
		{"1.0.0", many, "*", "1.0.0"},
		{"2.0.0", many, "1.2.3 || ^2", "2.0.0"},
	} {
		p, err := Parse(document(test.latest, test.versions...))
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Choose(test.asked)
		var missing *NotFoundError
		switch {
		case test.want == "" && (!errors.As(err, &missing) || missing.Asked != test.asked || missing.Latest != test.latest || !slices.Equal(missing.Tags, []string{"latest", "next"})):
			t.Errorf("%q: %+v, %v", test.asked, got, err)
		case test.want != "" && (err != nil || got.Number != test.want || got.Tarball != "https://registry.npmjs.org/x/-/x-"+test.want+".tgz"):
			t.Errorf("%q of %v: %+v, %v, want %s", test.asked, test.versions, got, err, test.want)
		}
	}
}

func TestDeprecatedVersionsSaySo(t *testing.T) {
	for text, want := range map[string]string{`"use y"`: "use y", `""`: "", "false": "", "true": "no reason is given", "null": "", "{}": ""} {
		p, err := Parse(fmt.Appendf(nil, `{"versions":{"1.0.0":{"deprecated":%s,"dist":{"tarball":"https://r.example/x.tgz","shasum":"da39a3ee5e6b4b0d3255bfef95601890afd80709"}}}}`, text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Choose("1.0.0"); err != nil || got.Deprecated != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// The sums are those of no bytes at all: sha512sum, sha256sum and sha1sum of /dev/null, and openssl base64.
func TestTheStrongestDigestCounts(t *testing.T) {
	const (
		sha512 = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="
		sha256 = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
		sha1   = "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="

		hex512 = "sha512:cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
		hex256 = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
		hex1   = "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709"
	)
	for text, want := range map[string]string{
		sha512: hex512, sha256: hex256, sha1: hex1, sha1 + " " + sha512: hex512, sha256 + "\t" + sha1: hex256, sha512 + "?x": hex512,
		"md5-1B2M2Y8AsgTpgAmY7PhCfg== " + sha1: hex1, "": "", "sha512-": "", "sha512": "", "sha512-AAAA": "", "sha999-AAAA": "", "sha512-!!": "",
	} {
		if got, err := Integrity(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestVersionsWithoutWhatIsNeeded(t *testing.T) {
	const sum = `"shasum":"da39a3ee5e6b4b0d3255bfef95601890afd80709"`
	for dist, want := range map[string]string{
		`"tarball":"http://r.example/x.tgz",` + sum:                        "https",
		`"tarball":"https://u:p@r.example/x.tgz",` + sum:                   "https",
		`"tarball":"/x.tgz",` + sum:                                        "https",
		sum:                                                                "https",
		`"tarball":"https://r.example/x.tgz"`:                              "digest",
		`"tarball":"https://r.example/x.tgz","shasum":"abc"`:               "digest",
		`"tarball":"https://r.example/x.tgz","integrity":"md5-x",` + sum:   "digest", // the weaker one is no way round it
		`"tarball":"https://r.example/x.tgz","integrity":"",` + sum:        "",
		`"tarball":"https://r.example/x.tgz","integrity":null,` + sum + ``: "",
	} {
		p, err := Parse([]byte(`{"versions":{"1.0.0":{"dist":{` + dist + `}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Choose("1.0.0")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dist, err)
		}
	}
}

func TestWhatIsNoPackage(t *testing.T) {
	for _, text := range []string{"", "<html>", "[]", "{}", `{"versions":[]}`, `{"versions":{"1.0.0":1}}`, `{"error":"not_found"}`} {
		if _, err := Parse([]byte(text)); !errors.Is(err, ErrNoPackage) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAddressOfAPackage(t *testing.T) {
	for _, test := range [][3]string{
		{Registry, "left-pad", "https://registry.npmjs.org/left-pad"},
		{Registry, "@acme/tools", "https://registry.npmjs.org/@acme%2Ftools"}, // as npm itself asks, but for the case of the digit
		{"https://git.corp.example/api/packages/acme/npm/", "x", "https://git.corp.example/api/packages/acme/npm/x"},
	} {
		if got := Address(test[0], test[1]); got != test[2] {
			t.Errorf("%s, want %s", got, test[2])
		}
	}
}

// Who writes a document does not say how much is shown of it.
func TestTextsOfARegistryAreBounded(t *testing.T) {
	long := strings.Repeat("1", 300)
	dist := `"dist":{"tarball":"https://r.example/x.tgz","shasum":"da39a3ee5e6b4b0d3255bfef95601890afd80709"}`
	p, err := Parse(fmt.Appendf(nil, `{"dist-tags":{"latest":"1.0.0","next":%q,%q:"1.0.0"},"versions":{
		"1.0.0":{"deprecated":%q,%s},%q:{%s},"2.0.0":{"dist":{"tarball":"https://r.example/%s","shasum":"da39a3ee5e6b4b0d3255bfef95601890afd80709"}}}}`,
		long, long, strings.Repeat("ü", 1<<20), dist, long, dist, strings.Repeat("x", 4096)))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := p.Choose("1.0.0"); err != nil || v.Deprecated != strings.Repeat("ü", 250) {
		t.Errorf("%d bytes, %v", len(v.Deprecated), err)
	}
	for _, asked := range []string{"next", long} {
		var missing *NotFoundError
		if _, err := p.Choose(asked); !errors.As(err, &missing) || !slices.Equal(missing.Tags, []string{"latest"}) {
			t.Errorf("%.10s: %v", asked, err)
		}
	}
	if _, err := p.Choose("2.0.0"); err == nil || len(err.Error()) > 100 {
		t.Errorf("error %v", err)
	}
	if _, err := Parse([]byte(`{"versions":` + strings.Repeat("1", 1<<20) + `}`)); !errors.Is(err, ErrNoPackage) || len(err.Error()) > 300 {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
}
