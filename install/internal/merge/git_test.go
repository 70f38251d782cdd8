package merge

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The independent implementation is git: merge-file for texts, merge-tree for directories, apply for diffs.

// git runs git in a directory, without anybody's settings, and returns what it printed and its exit status.
func git(t *testing.T, dir, input string, arguments ...string) (output string, status int) {
	t.Helper()
	c := exec.Command("git", append([]string{"-c", "core.autocrlf=false"}, arguments...)...)
	c.Dir, c.Stdin = dir, strings.NewReader(input)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	var complaints bytes.Buffer
	c.Stderr = &complaints
	out, err := c.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || c.ProcessState.ExitCode() > 127 || strings.Contains(complaints.String(), "fatal") {
		t.Fatalf("git %v: %v: %s", arguments, err, &complaints)
	}
	return string(out), c.ProcessState.ExitCode()
}

// write writes files into a directory.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// mergeFile merges with git merge-file.
func mergeFile(t *testing.T, dir, base, mine, theirs string) (merged string, conflicts int) {
	t.Helper()
	write(t, dir, map[string]string{"base": base, "mine": mine, "theirs": theirs})
	return git(t, dir, "", "merge-file", "-p", "-L", "mine", "-L", "base", "-L", "theirs", "mine", "base", "theirs")
}

// three is Three over strings, with the labels that mergeFile gives to git.
func three(base, mine, theirs string) (merged string, conflicts int) {
	text, conflicts := Three([]byte(base), []byte(mine), []byte(theirs), Labels{"mine", "theirs"})
	return string(text), conflicts
}

// document returns paragraphs as skills have them: blank lines and fences repeat, sentences do not.
func document(r *rand.Rand) [][]string {
	var all [][]string
	for i := range 5 + r.IntN(25) {
		switch r.IntN(4) {
		case 0:
			all = append(all, []string{fmt.Sprintf("## Section %d\n", i), "\n"})
		case 1:
			all = append(all, []string{fmt.Sprintf("Sentence %d.\n", i), fmt.Sprintf("And %d.\n", i), "\n"})
		case 2:
			all = append(all, []string{"```sh\n", fmt.Sprintf("run %d\n", r.IntN(3)), "```\n", "\n"})
		case 3:
			all = append(all, []string{fmt.Sprintf("* item %d\n", r.IntN(4)), "* item\n", "\n"})
		}
	}
	return all
}

// edited returns a document with some edits: paragraphs added and removed, lines changed, the last line end lost.
func edited(r *rand.Rand, document [][]string, who string) string {
	paragraphs := slices.Clone(document)
	for n := range 1 + r.IntN(4) {
		i := r.IntN(len(paragraphs))
		switch r.IntN(4) {
		case 0:
			paragraphs = slices.Insert(paragraphs, i, []string{fmt.Sprintf("%s adds %d\n", who, n), "\n"})
		case 1:
			paragraphs = slices.Insert(paragraphs, i, []string{"```sh\n", "run " + who + "\n", "```\n", "\n"})
		case 2:
			paragraphs[i] = slices.Clone(paragraphs[i])
			paragraphs[i][r.IntN(len(paragraphs[i]))] = fmt.Sprintf("%s changes %d\n", who, n)
		case 3:
			paragraphs = slices.Delete(paragraphs, i, i+1)
		}
	}
	text := joined(paragraphs)
	if r.IntN(10) == 0 {
		text = strings.TrimRight(text, "\n")
	}
	return text
}

func joined(paragraphs [][]string) string {
	var text strings.Builder
	for _, paragraph := range paragraphs {
		text.WriteString(strings.Join(paragraph, ""))
	}
	return text.String()
}

func TestDocumentsMergeAsInGit(t *testing.T) {
	dir := t.TempDir()
	clean, conflicting := 0, 0
	for seed := range uint64(250) {
		r := rand.New(rand.NewPCG(seed, 1))
		d := document(r)
		base, mine, theirs := joined(d), edited(r, d, "mine"), edited(r, d, "theirs")
		want, conflicts := mergeFile(t, dir, base, mine, theirs)
		if got, n := three(base, mine, theirs); got != want || n != conflicts {
			t.Errorf("seed %d: base %q, mine %q, theirs %q\n%d conflicts %q\ngit has %d %q", seed, base, mine, theirs, n, got, conflicts, want)
		}
		if conflicts > 0 {
			conflicting++
		} else {
			clean++
		}
	}
	if clean < 25 || conflicting < 25 {
		t.Errorf("%d merges without and %d with conflicts: too few to tell", clean, conflicting)
	}
}

// scribbled returns lines with random edits; each line is one of some words.
func scribbled(r *rand.Rand, lines []string, words int) []string {
	lines = slices.Clone(lines)
	for range 1 + r.IntN(5) {
		i, word := r.IntN(len(lines)), fmt.Sprintf("w%d\n", r.IntN(words))
		switch r.IntN(3) {
		case 0:
			lines[i] = word
		case 1:
			lines = slices.Insert(lines, i, word)
		case 2:
			lines = append(slices.Delete(lines, i, i+1), word)
		}
	}
	return lines
}

// Texts in which most lines repeat can be compared in several shortest ways. Git looks at them in another order, with shortcuts for
// lines that are frequent, and so a few of its merges are cut elsewhere, sometimes with a conflict more or less.
func TestRepeatedLinesMergeMostlyAsInGit(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		words, different int // of 100 merges
	}{{2, 8}, {5, 5}, {20, 2}, {1000, 0}} {
		different := 0
		for seed := range uint64(100) {
			r := rand.New(rand.NewPCG(seed, uint64(c.words)))
			base := make([]string, 5+r.IntN(40))
			for i := range base {
				base[i] = fmt.Sprintf("w%d\n", r.IntN(c.words))
			}
			mine, theirs := strings.Join(scribbled(r, base, c.words), ""), strings.Join(scribbled(r, base, c.words), "")
			want, _ := mergeFile(t, dir, strings.Join(base, ""), mine, theirs)
			if got, _ := three(strings.Join(base, ""), mine, theirs); got != want {
				different++
			}
		}
		t.Logf("of %d words: %d of 100 merges are not git's", c.words, different)
		if different > c.different {
			t.Errorf("of %d words: %d of 100 merges are not git's, at most %d", c.words, different, c.different)
		}
	}
}

// The tree of each side has one file for each way in which three sides can have a file, so that one merge of git answers for all.
func TestPlansAreThoseOfGit(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "", "init", "-q", ".")
	sides := everySide()
	history := commit("base", "", sides[0]) + commit("mine", "base", sides[1]) + commit("theirs", "base", sides[2])
	git(t, dir, history, "fast-import", "--quiet")
	output, _ := git(t, dir, "", "merge-tree", "--write-tree", "--name-only", "--no-messages", "mine", "theirs")
	tree, names, _ := strings.Cut(output, "\n")
	conflicting := strings.Fields(names)
	merged, _ := git(t, dir, "", "ls-tree", tree)
	clean := 0
	for _, change := range Plan(sides[0], sides[1], sides[2]) {
		conflict := change.Conflict != "" || change.Action == Merge
		if conflict != slices.Contains(conflicting, change.Path) {
			t.Errorf("%+v: conflict in git: %v", change, !conflict)
		}
		if conflict {
			continue
		}
		clean++
		file, exists := outcome(change, sides[1], sides[2])
		if exists && !strings.Contains(merged, treeLine(change.Path, file)) || !exists && strings.Contains(merged, change.Path) {
			t.Errorf("%+v is %v in the end, not so in git", change, file)
		}
	}
	if len(conflicting) < 100 || clean < 100 {
		t.Errorf("%d conflicts and %d others: too few to tell", len(conflicting), clean)
	}
}

// content returns the content of a file. No file is like another, so that git sees no renames.
func content(path string, file File) string {
	return fmt.Sprintf("%x\n", sha256.Sum256([]byte(path+string(file.Sum[:1]))))
}

// mode returns the mode of a file as git has it.
func mode(file File) string {
	if file.Executable {
		return "100755"
	}
	return "100644"
}

// treeLine returns a file as git lists it in a tree.
func treeLine(path string, file File) string {
	text := content(path, file)
	return fmt.Sprintf("%s blob %x\t%s\n", mode(file), sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text)), path)
}

// commit returns a commit that has files, for git fast-import.
func commit(branch, parent string, files map[string]File) string {
	text := "commit refs/heads/" + branch + "\ncommitter a <a@example.com> 0 +0000\ndata 0\n"
	if parent != "" {
		text += "from refs/heads/" + parent + "\ndeleteall\n"
	}
	for path, file := range files {
		text += fmt.Sprintf("M %s inline %s\ndata %d\n%s\n", mode(file), path, len(content(path, file)), content(path, file))
	}
	return text
}
