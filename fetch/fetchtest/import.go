package fetchtest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strings"
)

// importer writes the history of one repository as a stream for git fast-import (see git-fast-import(1)), which starts with the first
// thing to write.
type importer struct {
	repo   *Repo
	branch string // full name of the ref that commits go to
	at     string // the present commit as fast-import calls it; empty before the first
	open   bool   // files go to the present commit
	mark   int

	cmd    *exec.Cmd
	stream io.WriteCloser
	out    *bufio.Writer
	stderr bytes.Buffer
}

func newImporter(repo *Repo) (*importer, error) {
	head, err := repo.head()
	if err != nil {
		return nil, err
	}
	ref := "refs/heads/" + head
	return &importer{repo: repo, branch: ref, at: repo.refs[ref]}, nil
}

// start runs git fast-import, once.
func (m *importer) start() (err error) {
	if m.cmd != nil {
		return nil
	}
	m.cmd = m.repo.git(context.Background(), "fast-import", "--quiet", "--force", "--done")
	m.cmd.Stderr = &m.stderr
	if m.stream, err = m.cmd.StdinPipe(); err != nil {
		return err
	}
	m.out = bufio.NewWriterSize(m.stream, 64<<10)
	return m.cmd.Start()
}

// finish ends the stream and waits for the repository to be whole. Without anything written it does nothing.
func (m *importer) finish() error {
	if m.cmd == nil {
		return nil
	}
	m.printf("done\n")
	_ = m.out.Flush() // an early end of git shows in its exit status, with its reason
	_ = m.stream.Close()
	if err := m.cmd.Wait(); err != nil {
		return fmt.Errorf("repository %q: git fast-import: %w: %s", m.repo.name, err, bytes.TrimSpace(m.stderr.Bytes()))
	}
	for ref := range m.repo.refs {
		m.repo.refs[ref] = ref + "^0"
	}
	return nil
}

func (m *importer) printf(format string, args ...any) { _, _ = fmt.Fprintf(m.out, format, args...) }

func (m *importer) data(content []byte) {
	m.printf("data %d\n", len(content))
	_, _ = m.out.Write(content)
	m.printf("\n")
}

// begin opens a commit on the present branch.
func (m *importer) begin(message string) error {
	if err := m.start(); err != nil {
		return err
	}
	m.mark++
	m.printf("commit %s\nmark :%d\nauthor %s\ncommitter %s\n", m.branch, m.mark, m.signature(), m.signature())
	m.data([]byte(cmp.Or(message, "Add files") + "\n"))
	if m.at != "" {
		m.printf("from %s\n", m.at)
	}
	m.repo.commits++
	m.at = fmt.Sprintf(":%d", m.mark)
	m.repo.refs[m.branch], m.open = m.at, true
	return nil
}

// signature is the same person for ever; commits are an hour apart, from the beginning of 2024.
func (m *importer) signature() string {
	return fmt.Sprintf("Forge <forge@example.com> %d +0000", 1704067200+3600*m.repo.commits)
}

// file adds or, without a mode, deletes a file of the open commit. A gitlink's content is the id of a commit.
func (m *importer) file(mode, name string, content []byte) error {
	if !m.open {
		if err := m.begin(""); err != nil {
			return err
		}
	}
	switch mode {
	case "":
		m.printf("D %s\n", quotePath(name))
	case "160000":
		m.printf("M 160000 %s %s\n", cmp.Or(string(content), strings.Repeat("5ca1ab1e", 5)), quotePath(name))
	default:
		m.printf("M %s inline %s\n", mode, quotePath(name))
		m.data(content)
	}
	return nil
}

// quotePath writes a path as fast-import reads it: bytes as they are, unless it begins with a quote or holds a line end.
func quotePath(name string) string {
	if !strings.HasPrefix(name, `"`) && !strings.Contains(name, "\n") {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(name) + `"`
}

// setBranch goes to a branch. It is made, or set anew where from names a branch or tag.
func (m *importer) setBranch(name, from string) error {
	ref := "refs/heads/" + name
	at, exists := m.repo.refs[ref]
	m.branch, m.open = ref, false
	switch {
	case from != "":
		if at = cmp.Or(m.repo.refs["refs/heads/"+from], m.repo.refs["refs/tags/"+from]); at == "" {
			return fmt.Errorf("no branch and no tag %q", from)
		}
	case exists:
		m.at = at
		return nil
	case m.at == "": // the repository has no commit yet: the first one makes the branch
		return nil
	default:
		at = m.at
	}
	m.at = at
	return m.setRef(ref)
}

// setRef points a ref at the present commit.
func (m *importer) setRef(ref string) error {
	if m.at == "" {
		return errors.New("there is no commit yet")
	}
	if err := m.start(); err != nil {
		return err
	}
	m.open = false
	m.printf("reset %s\nfrom %s\n\n", ref, m.at)
	m.repo.refs[ref] = m.at
	return nil
}

// deleteRef removes a ref. Its commits stay.
func (m *importer) deleteRef(ref string) error {
	if _, ok := m.repo.refs[ref]; !ok {
		return errors.New("there is no such ref")
	}
	if err := m.start(); err != nil {
		return err
	}
	m.open = false
	m.printf("reset %s\nfrom %s\n\n", ref, strings.Repeat("0", 40))
	delete(m.repo.refs, ref)
	return nil
}

// tag makes a tag of the present commit, an annotated one where there is a message.
func (m *importer) tag(name, message string) error {
	if message == "" {
		return m.setRef("refs/tags/" + name)
	}
	if m.at == "" {
		return errors.New("there is no commit yet")
	}
	if err := m.start(); err != nil {
		return err
	}
	m.open = false
	m.printf("tag %s\nfrom %s\ntagger %s\n", name, m.at, m.signature())
	m.data([]byte(message + "\n"))
	m.repo.refs["refs/tags/"+name] = m.at
	return nil
}

// AddFS makes a repository of one commit from a directory, or adds a commit that replaces all files to one. Of the modes only the executable bit counts; directories
// named .git are left out.
func (f *Forge) AddFS(name string, fsys fs.FS) *Repo {
	repo, err := f.addFS(name, fsys)
	if err != nil {
		f.fail(fmt.Errorf("repository %q: %w", name, err))
	}
	return repo
}

func (f *Forge) addFS(name string, fsys fs.FS) (*Repo, error) {
	f.building.Lock()
	defer f.building.Unlock()
	b := &builder{forge: f}
	if err := b.repo([]string{name}); err != nil {
		return nil, err
	}
	if err := b.importer.begin(""); err != nil {
		return nil, err
	}
	b.importer.printf("deleteall\n")
	err := fs.WalkDir(fsys, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		return b.importer.entry(fsys, path, entry)
	})
	if err != nil {
		b.abort()
		return nil, err
	}
	return f.lookup(name), b.finish()
}

func (m *importer) entry(fsys fs.FS, path string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		target, err := fs.ReadLink(fsys, path)
		if err != nil {
			return err
		}
		return m.file("120000", path, []byte(target))
	case mode.IsRegular():
		content, err := fs.ReadFile(fsys, path)
		if err != nil {
			return err
		}
		if mode&0o111 != 0 {
			return m.file("100755", path, content)
		}
		return m.file("100644", path, content)
	}
	return fmt.Errorf("%q is neither a file nor a link", path)
}
