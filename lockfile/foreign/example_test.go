package foreign_test

import (
	"errors"
	"fmt"

	"skills/lockfile/foreign"
	"skills/source"
)

func ExampleParse() {
	data := []byte(`{
  "version": 3,
  "skills": {
    "lint-notes": {
      "source": "acme/notes-kit", "sourceType": "github", "sourceUrl": "https://github.com/acme/notes-kit.git",
      "skillPath": "skills/lint-notes/SKILL.md", "skillFolderHash": "3f0c3f0c3f0c3f0c3f0c3f0c3f0c3f0c3f0c3f0c", "pinnedRef": "v1.4.0"
    },
    "mine": { "source": "/home/me/skills/mine", "sourceType": "local" },
    "theirs": { "source": "team/pack", "sourceType": "gitlab" }
  },
  "lastSelectedAgents": ["claude-code"]
}`)
	record, err := foreign.Parse(".skill-lock.json", data, source.DefaultHosts())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(record.Kind, record.Version, record.Agents)
	for _, e := range record.Entries {
		fmt.Printf("%d %s: text %q, tree %.4q, pinned %t, problem %q\n", e.Line, e.Name, e.Text, e.Tree, e.Pinned, e.Problem)
	}
	// Output:
	// npm-user 3 [claude-code]
	// 4 lint-notes: text "https://github.com/acme/notes-kit/tree/v1.4.0/skills/lint-notes", tree "3f0c", pinned true, problem ""
	// 8 mine: text "/home/me/skills/mine", tree "", pinned false, problem "the path is absolute, so it is right on one machine only"
	// 9 theirs: text "", tree "", pinned false, problem "\"sourceUrl\" is missing, so the host is not known"
}

func ExampleParse_error() {
	_, err := foreign.Parse("skills-lock.json", []byte("{\n<<<<<<< HEAD\n=======\n>>>>>>> other\n}\n"), source.DefaultHosts())
	var e *foreign.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code(), e.Line)
		fmt.Println(e)
	}
	// Output:
	// foreign_conflict 2
	// skills-lock.json:2: merge conflict markers on lines 2, 3 and 4
}
