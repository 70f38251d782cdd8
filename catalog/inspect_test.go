package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const soundSkill = "---\nname: pdf\ndescription: Reads PDFs.\n---\n\n"

// skillIn gives a file system with one skill in "pdf" that has these files besides.
func skillIn(manifest string, files ...string) fstest.MapFS {
	fsys := fstest.MapFS{"pdf/SKILL.md": {Data: []byte(manifest)}}
	for _, name := range files {
		fsys["pdf/"+name] = &fstest.MapFile{Data: []byte("x\n")}
	}
	return fsys
}

func TestInspect(t *testing.T) {
	var hundred []string
	for n := range 101 {
		hundred = append(hundred, fmt.Sprintf("references/%03d.md", n))
	}
	escaping := skillIn(soundSkill)
	escaping["pdf/passwd"] = &fstest.MapFile{Data: []byte("/etc/passwd"), Mode: 0o777 | 1<<27}
	long := skillIn(soundSkill)
	long["pdf/long.txt"] = &fstest.MapFile{Data: []byte(strings.Repeat("é", 500_001))}
	atBound := skillIn(soundSkill)
	atBound["pdf/long.txt"] = &fstest.MapFile{Data: []byte(strings.Repeat("é", 500_000))}
	lower := fstest.MapFS{"pdf/skill.md": {Data: []byte(soundSkill)}}
	for _, c := range []struct {
		name    string
		fsys    fstest.MapFS
		profile Profile
		want    string // "severity code file:line" of each finding
	}{
		{"sound", skillIn(soundSkill+"See [a](a.md).\n", "a.md"), ProfileSpec, ""},
		{"another directory", skillIn("---\nname: docs\ndescription: Reads.\n---\nx\n"), ProfileSpec, "error name_mismatch SKILL.md:2"},
		{"another directory, S2-36", skillIn("---\nname: docs\ndescription: Reads.\n---\nx\n"), ProfileSmarter, "warning name_mismatch SKILL.md:2"},
		{"SkillKit has no such rule", skillIn("---\nname: a:docs\ndescription: Reads.\n---\nx\n"), ProfileSkillKit, ""},
		{"a reference to nothing", skillIn(soundSkill + "See [a](references/a.md).\n"), ProfileSpec, "warning missing_reference SKILL.md:0"},
		{"a code span that may be what the work makes", skillIn(soundSkill + "Write `out/a.md`.\n"), ProfileSpec, "info missing_reference SKILL.md:0"},
		{"a code span in a link", skillIn(soundSkill + "See [`out/a.md`](out/a.md).\n"), ProfileSpec, "warning missing_reference SKILL.md:0"},
		{"500 lines", skillIn(soundSkill + strings.Repeat("x\n", 495)), ProfileSpec, ""},
		{"S2-2: 501 lines", skillIn(soundSkill + strings.Repeat("x\n", 496)), ProfileSpec, "warning long_skill SKILL.md:0"},
		{"S2-2: 100 files", skillIn(soundSkill+"x\n", hundred[:100]...), ProfileSpec, ""},
		{"S2-2: 101 files", skillIn(soundSkill+"x\n", hundred...), ProfileSpec, "warning limit :0"},
		{"S2-2: a file of 500,000 characters", atBound, ProfileSpec, "warning empty_body SKILL.md:4"},
		{"S2-2: a longer file", long, ProfileInstall, "warning empty_body SKILL.md:4|warning too_long long.txt:0"},
		{"broken", skillIn("---\nname: pdf\ndescription: [open\n---\nx\n"), ProfileSpec, "error yaml SKILL.md:3"},
		{"no manifest", fstest.MapFS{"pdf/README.md": {}}, ProfileSpec, "error not_found :0"},
		{"a manifest in another case", lower, ProfileInstall, "warning manifest_case skill.md:0|warning empty_body skill.md:4"},
		{"a link to the outside", escaping, ProfileInstall, "warning empty_body SKILL.md:4|error path_escape :0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			skill, findings, err := Inspect(context.Background(), c.fsys, "pdf", Rules{Profile: c.profile})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range findings {
				got = append(got, fmt.Sprintf("%s %s %s:%d", f.Severity, f.Code, f.File, f.Line))
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("findings are %v, want %v; %v", got, c.want, findings)
			}
			unusable := slices.ContainsFunc(findings, func(f Finding) bool { return f.Code == "yaml" || f.Code == "not_found" })
			if (skill == nil) != unusable {
				t.Errorf("skill is %v", skill)
			}
		})
	}
}

func TestInspectStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("enough")
	cancel(stop)
	if _, _, err := Inspect(ctx, skillIn(soundSkill), "pdf", Rules{}); !errors.Is(err, stop) {
		t.Errorf("the error is %v, want the cause", err)
	}
	if _, _, err := Inspect(context.Background(), fstest.MapFS{}, "nowhere", Rules{}); err == nil {
		t.Error("a directory that is not there is judged")
	}
}

func ExampleInspect() {
	fsys := fstest.MapFS{"tools/pdf/SKILL.md": {Data: []byte("---\nname: pdf\ndescription: Reads PDFs.\n---\n\nFollow [the guide](guide.md).\n")}}
	_, findings, err := Inspect(context.Background(), fsys, "tools/pdf", Rules{Profile: ProfileSpec})
	if err != nil {
		fmt.Println(err)
	}
	for _, f := range findings {
		fmt.Printf("%s: %s: %s\n", f.File, f.Severity, f.Message)
	}
	// Output: SKILL.md: warning: the instructions refer to "guide.md", which is not there
}
