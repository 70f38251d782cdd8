package catalog

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// verdict is what a person gets who lists and installs everything visible.
type verdict struct {
	result   string
	listing  *Listing
	findings []Finding
	err      error
	names    []string            // usable, in the order of their paths
	files    map[string][]string // installed paths by directory name
}

func judge(t *testing.T, f *treeFS, fallback string) verdict {
	t.Helper()
	ctx := context.Background()
	l, err := Walk(ctx, f, WalkOptions{Fallback: fallback})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.opened) > 0 {
		t.Errorf("the walk opened %q", f.opened)
	}
	for _, name := range l.Manifests(false) {
		f.loaded[name] = true
	}
	v := verdict{result: "reject", listing: l, files: map[string][]string{}}
	if v.err = l.Read(ctx, f, false); v.err != nil {
		return v
	}
	v.findings = append(v.findings, l.Findings...)
	for _, c := range l.Visible() {
		v.findings = append(v.findings, c.Findings...)
		if !c.Usable {
			v.err = c.Err
			continue
		}
		if err := v.install(t, f, c); err != nil {
			v.err = err
		}
	}
	if v.err == nil {
		v.result = "accept"
		if slices.ContainsFunc(v.findings, func(f Finding) bool { return f.Severity == SeverityWarning }) {
			v.result = "accept with warning"
		}
	}
	return v
}

func (v *verdict) install(t *testing.T, f *treeFS, c Candidate) error {
	files, findings, err := Files(context.Background(), f, c.Path, Limits{})
	if err != nil {
		return err
	}
	v.names = append(v.names, c.Name)
	v.findings = append(v.findings, findings...)
	for _, file := range files {
		f.loaded[file.From] = true
		v.files[c.Directory] = append(v.files[c.Directory], file.Path)
		in, err := f.Open(file.From)
		if err != nil {
			t.Fatal(err)
		}
		found, err := ContentFindings(file.From, in)
		if err != nil {
			t.Fatal(err)
		}
		v.findings = append(v.findings, found...)
	}
	return nil
}

// Each shape was seen in a real repository. The result is for the tree as git
// delivers it, with ids and contents only where they were asked for, and for a
// plain directory.
func TestShapesGiveTheRightResult(t *testing.T) {
	files, err := filepath.Glob("testdata/shapes/*.txtar")
	if err != nil || len(files) < 120 {
		t.Fatalf("%d shapes, %v", len(files), err)
	}
	for _, file := range files {
		for _, lazy := range []bool{true, false} {
			id := strings.TrimSuffix(filepath.Base(file), ".txtar")
			t.Run(fmt.Sprintf("%s/git=%v", id, lazy), func(t *testing.T) {
				header, f := archive(t, file)
				f.ids, f.lazy = lazy, lazy
				v := judge(t, f, strings.TrimPrefix(header[2], "fallback: "))
				if want := strings.TrimPrefix(header[1], "result: "); v.result != want {
					t.Errorf("%s\ngot %q, want %q\nerror: %v\nfindings: %v", header[0], v.result, want, v.err, v.findings)
				}
				checkShape(t, id, v)
			})
		}
	}
}

// checkShape looks at what the result alone does not tell: a code that must be
// among the findings, words of the message, the names, the files.
func checkShape(t *testing.T, id string, v verdict) {
	t.Helper()
	for _, want := range strings.Fields(shapeCodes()[id]) {
		if !slices.Contains(codes(v.findings), want) {
			t.Errorf("no finding %s in %v", want, v.findings)
		}
	}
	said := fmt.Sprint(v.err, v.findings)
	for _, want := range strings.Split(shapeWords()[id], "|") {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said in %s", want, said)
		}
	}
	if want, ok := shapeNames()[id]; ok && strings.Join(v.names, " ") != want {
		t.Errorf("usable: %q, want %q", strings.Join(v.names, " "), want)
	}
	if want, ok := shapeFiles()[id]; ok {
		dir, _, _ := strings.Cut(want, ":")
		if got := dir + ": " + strings.Join(v.files[dir], " "); got != want {
			t.Errorf("installed %q, want %q (all: %v)", got, want, v.files)
		}
	}
}

func shapeCodes() map[string]string {
	return map[string]string{
		"O001": "yaml_repaired", "O002": "yaml_repaired", "O003": "yaml_repaired", "O004": "yaml_repaired",
		"O005": "yaml_repaired", "O006": "yaml_repaired", "O008": "yaml_repaired", "O017": "yaml_repaired",
		"O010": "unreadable", "O011": "unreadable", "O012": "unreadable", "O013": "unreadable", "O019": "unreadable",
		"O020": "unreadable", "O027": "unreadable", "O016": "duplicate_key", "O030": "line_separator",
		"O036": "nul_bytes", "O037": "not_utf8", "O038": "not_utf8", "O052": "empty_body", "O055": "name_format",
		"O057": "name_mismatch", "O058": "name_format", "O060": "name_format", "O061": "name_conflict",
		"O062": "name_format", "O066": "name_format", "O067": "mixed_scripts", "O070": "too_long", "O081": "invalid_field",
		"O083": "root_copy", "O086": "same_name", "O088": "same_name", "O091": "manifest_case", "O097": "same_content",
		"O101": "secret_file", "O116": "marketplace", "O117": "link_as_text", "O118": "dangling_link", "O120": "submodule",
		"O121": "submodule", "O127": "windows_name", "O142": "plugins_elsewhere", "O144": "marketplace",
		"O150": "link_outside", "O153": "plugin_root", "O158": "bidi_control", "O160": "control_character",
	}
}

func shapeWords() map[string]string {
	return map[string]string{
		"O010": "needs (line 4)", "O021": "line 3", "O022": `"+description"|did you mean "description"`,
		"O025": "the closing --- seems to be missing", "O026": "template", "O038": "cut in the middle",
		"O042": "line 1 is an HTML comment; move it below the frontmatter", "O043": "begins on line 3",
		"O044": "line 1 opens a code fence; remove it", "O045": "the first line must be ---",
		"O047": "line 1 is not a delimiter", "O048": "line 5 looks like a delimiter made longer by a formatter",
		"O049": "line 4 ", "O050": "line 6 ", "O067": "U+0430", "O069": "no description", "O086": ".claude/skills/fox|.codex/skills/fox",
		"O113": "fly/data|/etc/hostname", "O114": "gull/x|../../../../outside/", "O117": "plugins/p/skills/mole",
		"O122": "submodules are not fetched: skills", "O131": `fin|a\nb.txt`, "O143": "1 plugin|https://example.invalid/r.git",
		"O150": "../../docs/ink.md, ../pen/SKILL.md",
	}
}

func shapeNames() map[string]string {
	return map[string]string{
		"O055": "Ferry Times", "O060": "reed-pipe reed_pipe", "O083": "twin", "O084": "well", "O085": "hub", "O087": "elk",
		"O088": "pan", "O090": "owl", "O097": "net", "O108": "ink-v2", "O110": "koi", "O111": "emu", "O112": "root-owl", "O117": "mole",
		"O119": "cow", "O120": "cat", "O141": "blue grey red", "O144": "a-skill",
	}
}

func shapeFiles() map[string]string {
	return map[string]string{
		"O055": "ferry-times: SKILL.md", "O057": "acme-rope: SKILL.md", "O058": "3knots: SKILL.md", "O059": "moth--trap-: SKILL.md",
		"O062": "router-ssr: SKILL.md", "O065": "nut-bolt: SKILL.md", "O066": "竹笛: SKILL.md",
		"O082": "solo: .github/ci.yml README.md SKILL.md references/a.md",
		"O084": "well: SKILL.md rope/SKILL.md rope/knot/SKILL.md", "O091": "heron: SKILL.md",
		"O098": "p-main: .claude-plugin/plugin.json SKILL.md", "O101": "nas: .env SKILL.md", "O118": "pig: SKILL.md",
		"O134": "ibis: SKILL.md assets/größe.md",
	}
}

func shape(t *testing.T, id string) *treeFS {
	t.Helper()
	_, f := archive(t, path.Join("testdata/shapes", id+".txtar"))
	return f
}
