package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// second reads YAML with PyYAML and leaves every scalar as the text that it is written as. A null stands for what it refuses.
const second = `
import json, sys, yaml
def read(text):
    try:
        return yaml.load(text + chr(10), Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return None
json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
`

// secondReader gives what another implementation makes of some texts; the test is skipped where it is not installed.
func secondReader(t *testing.T, fronts []string) []any {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import yaml").Run() != nil {
			continue
		}
		input, err := json.Marshal(fronts)
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(python, "-c", second)
		c.Stdin = bytes.NewReader(input)
		output, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		var values []any
		if err := json.Unmarshal(output, &values); err != nil || len(values) != len(fronts) {
			t.Fatal(len(values), err)
		}
		return values
	}
	t.Skip("PyYAML is not installed (Debian: python3-yaml)")
	return nil
}

// asText undoes what a front matter makes of true, false and null, so that it can be compared with the other reader's texts.
func asText(value, other any) any {
	switch v := value.(type) {
	case nil:
		if text, ok := other.(string); ok && strings.Contains("||~|null|Null|NULL|", "|"+text+"|") {
			return text
		}
		return "null"
	case bool:
		return fmt.Sprint(v)
	case []any:
		others, _ := other.([]any)
		list := []any{}
		for i, item := range v {
			if i < len(others) {
				list = append(list, asText(item, others[i]))
			}
		}
		return list
	case map[string]any:
		others, _ := other.(map[string]any)
		m := map[string]any{}
		for key, item := range v {
			m[key] = asText(item, others[key])
		}
		return m
	}
	return value
}

// mappingOf is what decode makes of a front matter, nil when it refuses it.
func mappingOf(front string) map[string]any {
	entries, err := decode(front)
	if err != nil {
		return nil
	}
	m := map[string]any{}
	for _, e := range entries {
		m[e.key] = e.value
	}
	return m
}

// Front matters that are made up by chance, but valid: both readers take all of them, and for the same.
func TestGeneratedFrontMattersAreReadAsPyYAMLDoes(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	var fronts []string
	for range 600 {
		fronts = append(fronts, g.front())
	}
	for i, other := range secondReader(t, fronts) {
		got := mappingOf(fronts[i])
		if other == nil || got == nil {
			t.Errorf("%q: refused, here %v, there %v", fronts[i], got == nil, other == nil)
		} else if diff := cmp.Diff(other, asText(got, other)); diff != "" {
			t.Errorf("%q: (-PyYAML +here)\n%s", fronts[i], diff)
		}
	}
}

// Front matters of real repositories. What both take is the same to both; YAML 1.1 has other line ends and characters.
func TestRealFrontMattersAreReadAsPyYAMLDoes(t *testing.T) {
	fronts := shapeFronts(t)
	compared := 0
	for i, other := range secondReader(t, fronts) {
		mapping, isMapping := other.(map[string]any)
		got, err := readStrictly(fronts[i])
		if !isMapping || err != nil {
			if isMapping && !strings.Contains(fronts[i], "!") {
				t.Errorf("%q: refused here alone: %v", fronts[i], err)
			}
			continue
		}
		compared++
		m := map[string]any{}
		for _, e := range got.entries {
			m[e.key] = e.value
		}
		if diff := cmp.Diff(any(mapping), asText(m, other)); diff != "" {
			t.Errorf("%q: (-PyYAML +here)\n%s", fronts[i], diff)
		}
	}
	if compared < 100 {
		t.Errorf("only %d front matters were compared", compared)
	}
}

// shapeFronts gives the front matters of the shapes, but those with line ends that YAML 1.1 alone knows.
func shapeFronts(t *testing.T) (fronts []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/shapes/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		_, f := archive(t, file)
		for _, raw := range manifests(f.root) {
			if d, err := Split(raw); err == nil && d.Has && !strings.ContainsAny(d.Front, "\u0085\u2028\u2029") {
				fronts = append(fronts, d.Front)
			}
		}
	}
	return fronts
}

// manifests gives the contents of the manifests below a directory.
func manifests(n *node) (list [][]byte) {
	if strings.EqualFold(n.name, manifestName) && n.mode.IsRegular() {
		list = append(list, n.data)
	}
	for _, name := range slices.Sorted(maps.Keys(n.kids)) {
		list = append(list, manifests(n.kids[name])...)
	}
	return list
}

// generator makes YAML up.
type generator struct{ *rand.Rand }

func (g generator) pick(texts ...string) string { return texts[g.IntN(len(texts))] }

// front gives a mapping of one to six keys, each once.
func (g generator) front() string {
	var b strings.Builder
	for i := range 1 + g.IntN(6) {
		key := g.pick("name", "description", "allowed-tools", "x", "größe", "a.b", "v1", "user_key") + fmt.Sprint(i)
		if g.IntN(8) == 0 {
			key = `"` + key + `: #"`
		}
		b.WriteString(key + ":" + g.value(0) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// value gives what stands behind a colon, with the blank.
func (g generator) value(depth int) string {
	switch n := g.IntN(10); {
	case n < 3:
		return " " + g.plain()
	case n == 3:
		return ` "` + g.pick("", "a: b", `q\"q`, `t\tn\n`, `\u00e9\x41`, "# no", "[x]", "null", "1.0", "🐝", `line \
    goes on`) + `"`
	case n == 4:
		return " '" + g.pick("", "it''s", "a: b # c", `\n`, "{x}", "- y", "true", "two\n    lines") + "'"
	case n == 5:
		return " " + g.pick("|", ">") + g.pick("", "-", "+") + g.lines(depth)
	case n == 6:
		return " [" + g.plainInFlow() + ", " + g.pick("'a, b'", `"]"`, "x y", "{k: v}", "[1, 2]", "Bash(git:*)") + g.pick("", ",", " ") + "]"
	case n == 7:
		return " {a: " + g.plainInFlow() + ", \"b\": " + g.plainInFlow() + "}"
	case n == 8 && depth < 3:
		return g.block(depth)
	}
	return g.pick("", " ~", " null", " true", " false", " # only a comment")
}

func (g generator) plain() string {
	return g.pick("text", "several words", "a:b", "https://x.y/z", "3.10", "1e3", "0o17", "017", "1_000", "2026-01-31", "12:30:45", "yes", "No", "on",
		"True", "a #b", "it's", `say "x"`, "-x", "?x", "x, y", "a [b] {c}", "日本語", "-1", ".5", "+1", "0x1F", "<file> [pages]", "${x}", "a\n    b") + g.pick("", "", " # c")
}

func (g generator) plainInFlow() string {
	return g.pick("text", "two words", "3.10", "yes", "2026-01-31", "a:b", "it's", "語", "-1")
}

// lines gives the text of a block scalar, indented for its depth.
func (g generator) lines(depth int) string {
	margin := "\n" + strings.Repeat("  ", depth+1)
	text := margin + g.pick("one", "one: two", "# one", "- one", "---x")
	for range g.IntN(4) {
		text += g.pick(margin+"more", margin+"  deeper", "\n", margin+"語 🐝", margin+"trailing  ")
	}
	return text + strings.Repeat("\n", g.IntN(3))
}

// block gives a list or a mapping on lines of its own.
func (g generator) block(depth int) string {
	margin := "\n" + strings.Repeat("  ", depth+1)
	text := ""
	list := g.IntN(2) == 0
	for i := range 1 + g.IntN(3) {
		if list {
			text += margin + "- " + g.pick("item", "'a: b'", "two words", "3.0", "[x, y]", "k: v", "~", "Bash(npm run:*)")
		} else {
			text += margin + fmt.Sprintf("k%d:", i) + g.value(depth+1)
		}
	}
	return text
}
