package fetchtest_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"skills/fetch/fetchtest"
)

const acmeAPI = "https://api.github.com/repos/acme/skills"

// decode reads a JSON answer and fails unless it has the status.
func decode(t *testing.T, a answer, status int) map[string]any {
	t.Helper()
	equal(t, a.Request.URL.Path, a.StatusCode, status)
	contains(t, a.Request.URL.Path, a.Header.Get("Content-Type"), "application/json")
	var value map[string]any
	if err := json.Unmarshal([]byte(a.body), &value); err != nil {
		t.Fatalf("%s: %v", a.body, err)
	}
	return value
}

func TestAPITellsOfARepository(t *testing.T) {
	f := fetchtest.New(t, acme)
	f.Add("-- @repo github.com/acme/skills head=trunk --\n")
	value := decode(t, get(t, f.Client(), acmeAPI), 200)
	equal(t, "name", value["full_name"], any("acme/skills"))
	equal(t, "branch", value["default_branch"], any("trunk"))
	equal(t, "private", value["private"], any(false))
	equal(t, "address", value["clone_url"], any("https://github.com/acme/skills.git"))
}

func TestAPIResolvesCommits(t *testing.T) {
	f := fetchtest.New(t, acme)
	id := f.Repo("github.com/acme/skills").ID
	for ref, want := range map[string]string{"main": id("main"), "HEAD": id("main"), "v1": id("v1"), "v2": id("main"),
		"feature/x": id("feature/x"), "heads/main": "", id("v1"): id("v1"), id("v1")[:7]: id("v1"), "none": ""} {
		if want == "" {
			value := decode(t, get(t, f.Client(), acmeAPI+"/commits/"+ref), 422)
			contains(t, ref, value["message"].(string), ref)
			continue
		}
		value := decode(t, get(t, f.Client(), acmeAPI+"/commits/"+ref), 200)
		equal(t, ref, value["sha"], any(want))
		commit := value["commit"].(map[string]any)
		equal(t, ref, commit["tree"].(map[string]any)["sha"], any(id(want+"^{tree}")))
		a := get(t, f.Client(), acmeAPI+"/commits/"+ref, "Accept", "application/vnd.github.sha")
		equal(t, ref, a.body, want)
	}
	commit := decode(t, get(t, f.Client(), acmeAPI+"/commits/main"), 200)["commit"].(map[string]any)
	equal(t, "message", commit["message"], any("Second commit"))
	equal(t, "date", commit["committer"].(map[string]any)["date"], any("2024-01-01T01:00:00+00:00"))
}

func TestAPIListsTrees(t *testing.T) {
	f := fetchtest.New(t, acme)
	repo := f.Repo("github.com/acme/skills")
	list := func(address string) string {
		value := decode(t, get(t, f.Client(), acmeAPI+"/git/trees/"+address), 200)
		var lines []string
		for _, item := range value["tree"].([]any) {
			e := item.(map[string]any)
			size, ok := e["size"]
			if !ok {
				size = "-"
			}
			lines = append(lines, fmt.Sprintf("%s %s %s %v\t%s", e["mode"], e["type"], e["sha"], size, e["path"]))
		}
		return fmt.Sprint(value["sha"], " ", value["truncated"], "\n") + strings.Join(lines, "\n")
	}
	// git pads the sizes with blanks; nothing else is different
	want := func(tree string, args ...string) string {
		out := git(t, f, "", append([]string{"--git-dir=" + repo.GitDir(), "ls-tree", "--long", tree}, args...)...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		for i, line := range lines {
			facts, path, _ := strings.Cut(line, "\t")
			lines[i] = strings.Join(strings.Fields(facts), " ") + "\t" + path
		}
		return repo.ID(tree+"^{tree}") + " false\n" + strings.Join(lines, "\n")
	}
	equal(t, "top", list("main"), want("main"))
	equal(t, "all", list("main?recursive=1"), want("main", "-r", "-t"))
	equal(t, "by id", list(repo.ID("main^{tree}")+"?recursive=1"), want("main", "-r", "-t"))
	equal(t, "branch with a gitlink", list("feature/x?recursive=1"), want("feature/x", "-r", "-t"))
	skills := repo.ID("main:skills")
	contains(t, "below a path", list(repo.ID("main")+":skills?recursive=1"), skills+" false\n")
	contains(t, "a tree by its id", list(skills), skills+" false\n")
	for _, name := range []string{"none", repo.ID("main:bin"), "main:none", strings.Repeat("0", 40)} {
		decode(t, get(t, f.Client(), acmeAPI+"/git/trees/"+name), 404)
	}

	f.Add("-- @repo github.com/acme/skills truncated --\n")
	cut := decode(t, get(t, f.Client(), acmeAPI+"/git/trees/main?recursive=1"), 200)
	equal(t, "truncated", cut["truncated"], any(true))
	equal(t, "entries left of seven", len(cut["tree"].([]any)), 3)
	whole := decode(t, get(t, f.Client(), acmeAPI+"/git/trees/main"), 200)
	equal(t, "one level is never truncated", whole["truncated"], any(false))

	f.Add("-- @repo github.com/acme/skills truncated=no --\n")
	equal(t, "whole again", list("main?recursive=1"), want("main", "-r", "-t"))
}

func TestAPINamesTheLatestRelease(t *testing.T) {
	f := fetchtest.New(t, acme)
	decode(t, get(t, f.Client(), acmeAPI+"/releases/latest"), 404)
	f.Add("-- @repo github.com/acme/skills release=v2 --\n")
	value := decode(t, get(t, f.Client(), acmeAPI+"/releases/latest"), 200)
	equal(t, "tag", value["tag_name"], any("v2"))
	equal(t, "archive", value["tarball_url"], any(acmeAPI+"/tarball/v2"))
}

func TestAPIKnowsNothingElse(t *testing.T) {
	f := fetchtest.New(t, acme)
	for _, url := range []string{"https://api.github.com/", "https://api.github.com/repos/acme", "https://api.github.com/repos/acme/none",
		acmeAPI + "/unknown", acmeAPI + "/commits/", "https://api.github.com/xrepos/acme/skills"} {
		equal(t, "message", decode(t, get(t, f.Client(), url), 404)["message"], any("Not Found"))
	}
	value := decode(t, get(t, f.Client(), acmeAPI, "Authorization", "Bearer wrong"), 401)
	equal(t, "message", value["message"], any("Bad credentials"))
}

func TestAPIQuota(t *testing.T) {
	f := fetchtest.New(t, acme, "-- @repo github.com/acme/private token=s3cret --\n-- a --\n")
	quota := func(a answer) string {
		return fmt.Sprint(a.StatusCode, " ", a.Header.Get("x-ratelimit-limit"), " ", a.Header.Get("x-ratelimit-remaining"))
	}
	equal(t, "at first", quota(get(t, f.Client(), acmeAPI)), "200 60 59")
	equal(t, "a miss counts", quota(get(t, f.Client(), "https://api.github.com/repos/acme/none")), "404 60 58")

	reset := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	f.SetQuota(1, reset)
	equal(t, "the last one", quota(get(t, f.Client(), acmeAPI)), "200 60 0")
	a := get(t, f.Client(), acmeAPI)
	equal(t, "exhausted", quota(a), "403 60 0")
	equal(t, "reset", a.Header.Get("x-ratelimit-reset"), strconv.FormatInt(reset.Unix(), 10))
	contains(t, "message", a.body, "API rate limit exceeded")
	equal(t, "a good token has its own", quota(get(t, f.Client(), acmeAPI, "Authorization", "Bearer s3cret")), "200 5000 4999")
	equal(t, "other hosts have none", get(t, f.Client(), acmeURL).StatusCode, 200)
}
