package fetchtest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Repo is a repository of a forge.
type Repo struct {
	forge   *Forge
	name    string // HOST/PATH
	dir     string // git directory
	mounted bool
	refs    map[string]string // full names of refs to what fast-import calls them; nothing for mounted repositories
	commits int

	settings Settings // guarded by the lock of the forge
}

// Settings say how a repository is served. The zero value is a public repository on GitHub.
type Settings struct {
	// Token makes the repository private: it is not there for requests without this token.
	Token string
	// Protocol is the newest version of the git protocol that is spoken: 0, 1 or 2. Empty: 2.
	Protocol string
	// Filter lists the object filters that are served, parted by commas: "blob:none", "blob:limit", "object:type", "combine",
	// "tree:N" (with the greatest N), or one of "all" and "none". Empty: "blob:none,tree:0".
	Filter string
	// Wants says which ids may be fetched: "any" object, "commits" that a ref reaches, or only the "tips" of refs. Empty: "any".
	Wants string
	// Hide lists prefixes of refs that git does not show, parted by commas.
	Hide string
	// Formerly lists earlier names of the repository (HOST/PATH), parted by commas. All that is asked of them is redirected.
	Formerly string
	// Release is the tag of the latest release. Empty: there is none.
	Release string
	// Truncated makes the API leave out the second half of a recursive listing, and say so.
	Truncated bool
}

// Repo returns a repository by its name, "HOST/PATH"; not to know it is a failure.
func (f *Forge) Repo(name string) *Repo {
	repo := f.lookup(name)
	if repo == nil {
		f.fail(fmt.Errorf("the forge has no repository %q", name))
	}
	return repo
}

// Mount serves an existing git directory, bare or not, as it is: nothing is written to it, its own configuration counts less than Settings.
func (f *Forge) Mount(name, gitDir string) *Repo {
	dir, err := filepath.Abs(gitDir)
	if err == nil {
		if inner := filepath.Join(dir, ".git"); isDir(inner) {
			dir = inner
		}
		_, err = os.Stat(filepath.Join(dir, "objects"))
	}
	if err != nil {
		f.fail(fmt.Errorf("repository %q cannot be mounted: %w", name, err))
		return nil
	}
	return f.register(&Repo{forge: f, name: name, dir: dir, mounted: true})
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (f *Forge) register(repo *Repo) *Repo {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.repos[key(repo.name)] = repo
	f.meet(repo.name)
	f.changed(repo)
	return repo
}

func (f *Forge) lookup(name string) *Repo {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.repos[key(name)]
}

// key is what equal names of a repository have in common.
func key(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".git") }

// create makes an empty repository. Writing its three files by hand spares a process.
func (f *Forge) create(name string) (*Repo, error) {
	f.mu.Lock()
	f.created++
	dir := filepath.Join(f.dir, "repos", strconv.Itoa(f.created)+".git")
	f.mu.Unlock()
	for _, sub := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, err
		}
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o644); err != nil {
		return nil, err
	}
	repo := &Repo{forge: f, name: name, dir: dir, refs: map[string]string{}}
	if err := repo.setHead("main"); err != nil {
		return nil, err
	}
	return f.register(repo), nil
}

func (r *Repo) setHead(branch string) error {
	return os.WriteFile(filepath.Join(r.dir, "HEAD"), []byte("ref: refs/heads/"+branch+"\n"), 0o644)
}

func (r *Repo) head() (string, error) {
	b, err := os.ReadFile(filepath.Join(r.dir, "HEAD"))
	return strings.TrimSpace(strings.TrimPrefix(string(b), "ref: refs/heads/")), err
}

// GitDir is the git directory, for comparison with git itself.
func (r *Repo) GitDir() string { return r.dir }

// ID is the full id of a revision as git rev-parse reads it: "main", "v1^{commit}", "main:skills/pdf".
// An unknown revision is a failure.
func (r *Repo) ID(revision string) string {
	out, err := r.git(context.Background(), "rev-parse", "--verify", "--end-of-options", revision).Output()
	if err != nil {
		r.forge.fail(fmt.Errorf("revision %q of %q is not known: %w", revision, r.name, withStderr(err)))
	}
	return string(bytes.TrimSpace(out))
}

// Settings returns how the repository is served.
func (r *Repo) Settings() Settings {
	r.forge.mu.Lock()
	defer r.forge.mu.Unlock()
	return r.settings
}

// Set changes how the repository is served, from the next request on.
func (r *Repo) Set(s Settings) {
	r.forge.mu.Lock()
	defer r.forge.mu.Unlock()
	r.settings = s
	r.forge.changed(r)
	maps.DeleteFunc(r.forge.formerly, func(_, to string) bool { return to == r.name })
	for name := range list(s.Formerly) {
		r.forge.formerly[key(name)] = r.name
		r.forge.meet(name)
	}
}

// git is a git command on the repository.
func (r *Repo) git(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.forge.git, append([]string{"--git-dir=" + r.dir}, args...)...)
	cmd.Dir, cmd.Env = r.forge.dir, r.forge.environ()
	return cmd
}

// environ is the whole environment of git, with a configuration of its own: pairs of key and value besides the fixed ones.
func (f *Forge) environ(config ...string) []string {
	config = append([]string{"safe.directory", "*", "tar.umask", "0002", "core.fsync", "none"}, config...)
	env := []string{"PATH=" + filepath.Dir(f.git), "HOME=" + f.dir, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ALLOW_PROTOCOL=none", "GIT_NO_REPLACE_OBJECTS=1",
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(config)/2)}
	for i := 0; i < len(config); i += 2 {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i/2, config[i]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i/2, config[i+1]))
	}
	return env
}

// withStderr adds what a command said to its error.
func withStderr(err error) error {
	if exit, ok := err.(*exec.ExitError); ok && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	return err
}
