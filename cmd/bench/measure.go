package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"skills/fetch/fetchtest"
)

// row is one thing to measure: a command line of the program, with what has to run before each measured run.
type row struct {
	name      string
	before    []string // arguments; nil for nothing
	clone     bool     // of what that made only manifest and lock are left, and the store is empty
	arguments []string
	beside    int // requests that may run side by side, to several repositories; 0 for one after the other
}

// figures are what one run cost. Floor is what the link and the server alone take: the requests, the set-up of the
// connection, the bytes at full bandwidth and the server's own time.
type figures struct {
	wall, floor, cpu time.Duration
	requests         int
	down             int64
	memory           int64 // peak, in bytes
}

// measure runs every row and prints the table.
func measure(ctx context.Context, forge *fetchtest.Forge, o options, mounted []string) error {
	dir, err := os.MkdirTemp("", "skills-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.binary == "" {
		o.binary = filepath.Join(dir, "skills")
		if err := build(ctx, o.binary); err != nil {
			return err
		}
	}
	b := &bench{forge: forge, options: o, dir: dir}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "row\twall ms\tfloor ms\trequests\tdown kB\tCPU ms\tpeak MB\t")
	for _, r := range b.rows(mounted) {
		f, err := b.median(ctx, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%.1f\t%d\t%.1f\t\n", r.name, f.wall.Milliseconds(), f.floor.Milliseconds(), f.requests,
			float64(f.down)/1e3, f.cpu.Milliseconds(), float64(f.memory)/1e6)
	}
	return table.Flush()
}

// build makes the program as it is released.
func build(ctx context.Context, to string) error {
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", to, "./cmd/skills")
	command.Stderr = os.Stderr
	return command.Run()
}

// bench measures on one forge.
type bench struct {
	forge   *fetchtest.Forge
	options options
	dir     string
}

// rows are what is measured: starting, a project of many repositories, one skill by its page, the same by its commit, and everything of a
// repository.
func (b *bench) rows(mounted []string) []row {
	rows := []row{{name: "start: skills --version", arguments: []string{"--version"}}}
	var names []string
	for _, argument := range mounted {
		name, _, _ := strings.Cut(argument, "=")
		names = append(names, name)
	}
	if len(names) == 0 {
		names = []string{madeUp(b.forge), thousands(b.forge)}
		add := append([]string{"add", "--all"}, twenty(b.forge)...)
		rows = append(rows,
			row{name: "200 skills of 20 repositories: install --frozen", before: add, clone: true, arguments: []string{"install", "--frozen"}, beside: 8},
			row{name: "200 skills of 20 repositories: again", before: add, arguments: []string{"install", "--frozen"}},
			row{name: "200 skills of 20 repositories: outdated", before: add, arguments: []string{"outdated"}, beside: 8},
		)
	}
	for _, name := range names {
		repo := b.forge.Repo(name)
		skill := firstSkill(repo.GitDir())
		page := func(ref string) string { return "https://" + name + "/tree/" + ref + "/" + skill }
		commit := repo.ID("HEAD")
		rows = append(rows,
			row{name: name + ": one by page", arguments: []string{"add", page(headOf(repo.GitDir()))}},
			row{name: name + ": one by commit", arguments: []string{"add", page(commit)}},
			row{name: name + ": again, in the store", before: []string{"add", page(commit)}, arguments: []string{"add", page(commit)}},
			row{name: name + ": list", arguments: []string{"add", "--list", "https://" + name}},
			row{name: name + ": all", arguments: []string{"add", "--all", "https://" + name}},
		)
	}
	return rows
}

// git asks git itself about a repository.
func git(dir string, arguments ...string) string {
	out, err := exec.Command("git", append([]string{"--git-dir", dir}, arguments...)...).Output()
	if err != nil {
		panic(err) // a repository that was mounted a moment ago
	}
	return strings.TrimSpace(string(out))
}

func headOf(dir string) string { return git(dir, "symbolic-ref", "--short", "HEAD") }

// firstSkill is the directory of a skill that is neither the root nor hidden.
func firstSkill(dir string) string {
	for path := range strings.Lines(git(dir, "ls-tree", "-r", "--name-only", "HEAD")) {
		if folder, ok := strings.CutSuffix(strings.TrimSpace(path), "/SKILL.md"); ok && !strings.HasPrefix(folder, ".") && !strings.ContainsAny(folder, " \"") {
			return folder
		}
	}
	return ""
}

// median runs a row several times and returns the run of the median time.
func (b *bench) median(ctx context.Context, r row) (figures, error) {
	var all []figures
	for range b.options.runs {
		f, err := b.once(ctx, r)
		if err != nil {
			return figures{}, err
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b figures) int { return int(a.wall - b.wall) })
	return all[len(all)/2], nil
}

// once runs a row in an empty project with an empty store.
func (b *bench) once(ctx context.Context, r row) (figures, error) {
	home, err := os.MkdirTemp(b.dir, "run-*")
	if err != nil {
		return figures{}, err
	}
	defer os.RemoveAll(home)
	project := filepath.Join(home, "project")
	config := filepath.Join(home, "config.toml")
	err = errors.Join(os.MkdirAll(filepath.Join(home, ".claude"), 0o755), os.MkdirAll(project, 0o755),
		os.WriteFile(config, []byte(configuration(b.forge)), 0o644))
	if err != nil {
		return figures{}, err
	}
	environ := []string{"HOME=" + home, "SKILLS_CONFIG=" + config, "PATH=" + os.Getenv("PATH")}
	if r.before != nil {
		if _, err := b.process(ctx, row{arguments: r.before}, project, environ); err != nil {
			return figures{}, err
		}
	}
	if r.clone {
		for _, name := range []string{".cache", "project/.agents", "project/.claude"} {
			if err := os.RemoveAll(filepath.Join(home, name)); err != nil {
				return figures{}, err
			}
		}
	}
	return b.process(ctx, r, project, environ)
}

// process runs the program once. Exit 1 is a part that failed, which large repositories always have.
func (b *bench) process(ctx context.Context, r row, project string, environ []string) (figures, error) {
	command := exec.CommandContext(ctx, b.options.binary, r.arguments...)
	command.Dir, command.Env = project, environ
	var complaint strings.Builder
	command.Stderr = &complaint
	b.forge.Reset()
	start := time.Now()
	if err := command.Start(); err != nil {
		return figures{}, err
	}
	memory := watchMemory(command.Process.Pid)
	err := command.Wait()
	f := figures{wall: time.Since(start), memory: memory()}
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return f, fmt.Errorf("%w: %s", err, complaint.String())
	}
	counts := b.forge.Counts("")
	f.requests, f.down = counts.Requests, counts.Down
	f.cpu = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	f.floor = b.floor(counts, max(r.beside, 1))
	return f, nil
}

// floor is the least that the link and the server take: two round trips to connect, one for each request or as many as run side by
// side, and the bytes.
func (b *bench) floor(counts fetchtest.Counts, beside int) time.Duration {
	if counts.Requests == 0 {
		return 0
	}
	bits := time.Duration(counts.Down*8) * time.Second / time.Duration(b.options.mbit*1e6)
	total := time.Duration(2+(counts.Requests+beside-1)/beside)*b.options.rtt + bits
	for _, r := range b.forge.Requests() {
		total += r.Wait / time.Duration(beside)
	}
	return total
}
