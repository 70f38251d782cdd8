package gitclone

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skills/fetch/internal/gitwire"
	"skills/fetch/internal/process"
)

// System is a repository that the git program of the system can reach: with its
// configuration, its credential helpers and its ssh.
type System struct {
	Program string   // path of git; "" means that there is none
	URL     string   // whatever git understands
	Env     []string // environment of git as "NAME=value"; nil is that of this process
	Temp    string   // where a temporary repository is made; "" for the system's place

	Listing time.Duration // that a list of refs may take, from the start of git; 0 means 2 minutes
	Total   time.Duration // that a fetch may take; 0 means 30 minutes
}

// Refs lists all refs, in the order in which git lists them. An empty repository has none.
func (s System) Refs(ctx context.Context) ([]gitwire.Ref, error) {
	out, err := s.run(ctx, cmp.Or(s.Listing, 2*time.Minute), "ls-remote", "--symref", "--", s.URL)
	if err != nil {
		return nil, err
	}
	var refs []gitwire.Ref
	target := "" // of the symbolic ref that the next line is about
	for line := range strings.Lines(string(out)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if symbolic, is := strings.CutPrefix(id, "ref: "); is {
			target = symbolic
		} else if ok {
			refs = appendRef(refs, gitwire.Ref{Name: name, ID: id, Target: target})
			target = ""
		}
	}
	return refs, nil
}

// appendRef adds a ref; what an annotated tag names comes as one more line after it.
func appendRef(refs []gitwire.Ref, r gitwire.Ref) []gitwire.Ref {
	if tag, ok := strings.CutSuffix(r.Name, "^{}"); ok && len(refs) > 0 && refs[len(refs)-1].Name == tag {
		refs[len(refs)-1].Peeled = r.ID
		return refs
	}
	return append(refs, r)
}

// Fetch gives the packs with a commit to the sink: the commit alone when the server lets it
// be asked for, else with the history of the ref (a full name), or of all branches. In
// that case the sink must look whether the commit came. The packs are on the disk while
// that goes on; git has no bound for their size.
func (s System) Fetch(ctx context.Context, commit, ref string, sink Sink) error {
	dir, err := os.MkdirTemp(s.Temp, "git-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	total := cmp.Or(s.Total, 30*time.Minute)
	if _, err := s.run(ctx, total, "init", "--quiet", "--bare", "--template=", "--", dir); err != nil {
		return err
	}
	_, err = s.run(ctx, total, s.fetch(dir, "--depth=1", commit)...)
	var failure *Error
	if errors.As(err, &failure) && strings.Contains(failure.Text, "unadvertised object") {
		history := "refs/heads/*:refs/heads/*"
		if ref != "" {
			history = ref
		}
		_, err = s.run(ctx, total, s.fetch(dir, "--update-shallow", history)...)
	}
	if err != nil {
		return err
	}
	return give(dir, sink)
}

func (s System) fetch(dir, depth, what string) []string {
	return []string{
		"--git-dir=" + dir, "fetch", "--quiet", depth, "--no-tags", "--no-recurse-submodules", "--", s.URL, what,
	}
}

// give reads the packs of a repository into the sink.
func give(dir string, sink Sink) error {
	packs, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.pack"))
	if err == nil && len(packs) == 0 {
		return &Error{Code: Failed, Text: "git fetched nothing"}
	}
	for _, name := range packs {
		if err := giveFile(name, sink); err != nil {
			return err
		}
	}
	return err
}

func giveFile(name string, sink Sink) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return sink(f)
}

// run runs git and returns what it wrote, at most maxRefs bytes. Nothing of it is a shell's. When time is over git ends, and what it runs: an
// ssh, or what was put around it, would live on.
func (s System) run(ctx context.Context, limit time.Duration, args ...string) ([]byte, error) {
	if s.Program == "" {
		return nil, noGit(s.URL, nil)
	}
	bound, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := s.command(bound, append(settings(), args...)...)
	cmd.Env = s.environment(bound, cmd.Environ())
	out := &bounded{limit: maxRefs}
	said := &bounded{limit: 64 << 10, cut: true}
	cmd.Stdout, cmd.Stderr = out, said
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bound.Err() != nil:
		return nil, &Error{Code: Timeout, Err: err, Text: fmt.Sprintf("git was not done with %q after %v", clean(s.URL), limit),
			Hint: "see with git ls-remote what it waits for: a command around ssh, a question, or a host that is silent"}
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return nil, noGit(s.URL, err)
	case err != nil:
		return nil, s.failed(said.kept.String(), err)
	}
	return out.kept.Bytes(), nil
}

// command is a run of git that ends with its context, and what git runs with it.
func (s System) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.Program, args...)
	process.Alone(cmd)
	cmd.Cancel = func() error {
		process.End(cmd.Process)
		return nil
	}
	cmd.Dir, cmd.WaitDelay = s.dir(), time.Second
	return cmd
}

// dir is where git runs: not in the project, whose own configuration might redirect it.
func (s System) dir() string {
	if s.Temp != "" {
		return s.Temp
	}
	return os.TempDir()
}

// settings are what every run of git needs: no helper programs from addresses, no hooks, no
// housekeeping, and one pack for each fetch.
func settings() []string {
	var args []string
	for _, setting := range []string{
		"protocol.ext.allow=never", "core.hooksPath=" + os.DevNull, "core.fsmonitor=false",
		"gc.auto=0", "maintenance.auto=false", "fetch.unpackLimit=1", "fetch.writeCommitGraph=false",
	} {
		args = append(args, "-c", setting)
	}
	return args
}

// environment makes git silent and deaf: it may not ask, and speaks English, which is read
// here.
func (s System) environment(ctx context.Context, inherited []string) []string {
	if s.Env != nil {
		inherited = s.Env
	}
	env := append(alone(inherited), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "GIT_LFS_SKIP_SMUDGE=1")
	if !isSet(env, "GIT_SSH_COMMAND") && !isSet(env, "GIT_SSH") && s.Settings(ctx).Command == "" { // which the variable would hide
		env = append(env, "GIT_SSH_COMMAND=ssh -oBatchMode=yes -oConnectTimeout=10")
	}
	return env
}

// isSet reports whether a variable has a value that is not empty.
func isSet(env []string, name string) bool {
	return slices.ContainsFunc(env, func(variable string) bool {
		value, ok := strings.CutPrefix(variable, name+"=")
		return ok && value != ""
	})
}

// alone leaves out what ties git to another repository or makes it talk. There is none around it either, for whoever may write where it runs
// could have put one there, with settings that run programs.
func alone(env []string) []string {
	kept := slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return isForeign(name)
	})
	return append(kept, "GIT_DIR="+os.DevNull)
}

// isForeign tells variables that belong to a repository around us (as a hook has them), or
// that make git trace, which may show credentials.
func isForeign(name string) bool {
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
		"GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_CONFIG",
		"GIT_DEFAULT_HASH", "GIT_CURL_VERBOSE":
		return true
	}
	return strings.HasPrefix(name, "GIT_TRACE")
}

func noGit(url string, err error) *Error {
	return &Error{
		Code: NoGit, Text: fmt.Sprintf("%q needs the git program, which is not on this machine", clean(url)),
		Hint: "install git, or use the https address of the repository", Err: err,
	}
}

// failed makes an error of what git said.
func (s System) failed(said string, err error) *Error {
	e := Explain(said, PeerOf(s.URL), err)
	e.Text = fmt.Sprintf("git cannot fetch %q: %s", clean(s.URL), e.Text)
	return e
}

// bounded keeps what is written up to a limit. Beyond it, it forgets (cut) or fails. The buffer is
// not embedded: its ReadFrom would go around Write.
type bounded struct {
	kept  bytes.Buffer
	limit int
	cut   bool
}

// Write never keeps more than the limit.
func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - b.kept.Len()
	if len(p) <= room {
		return b.kept.Write(p)
	}
	if !b.cut {
		return 0, fmt.Errorf("git wrote more than %d bytes", b.limit)
	}
	b.kept.Write(p[:room])
	return len(p), nil
}
