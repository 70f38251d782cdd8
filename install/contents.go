package install

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"skills/catalog"
	"skills/catalog/expand"
)

// content is one file of a skill: what the digest covers.
type content struct {
	path       string // below the skill, with "/"
	executable bool
	sum        [sha256.Size]byte
}

// contents are the files of a skill, sorted by the bytes of their paths.
type contents []content

// digest sums the contents up.
func (c contents) digest() string {
	var d catalog.Digester
	for _, file := range c {
		d.Add(file.path, file.executable, file.sum)
	}
	return d.Sum()
}

// lines writes the contents as the lines that the digest is taken of.
func (c contents) lines() []byte {
	var b bytes.Buffer
	for _, file := range c {
		kind := "-"
		if file.executable {
			kind = "x"
		}
		fmt.Fprintf(&b, "%x %s %s\n", file.sum, kind, file.path)
	}
	return b.Bytes()
}

// parseContents reads what lines wrote.
func parseContents(data []byte) (contents, error) {
	var all contents
	for line := range bytes.Lines(data) {
		var c content
		fields := strings.SplitN(strings.TrimSuffix(string(line), "\n"), " ", 3)
		if len(fields) != 3 || len(fields[0]) != 2*len(c.sum) {
			return nil, errors.New("a line is damaged")
		}
		if _, err := hex.Decode(c.sum[:], []byte(fields[0])); err != nil {
			return nil, err
		}
		c.executable, c.path = fields[1] == "x", fields[2]
		all = append(all, c)
	}
	return all, nil
}

// readContents hashes the files of a fetched skill and reports what their text holds.
func readContents(ctx context.Context, fsys fs.FS, files []catalog.File, limits catalog.Limits) (contents, []catalog.Finding, error) {
	var all contents
	var findings []catalog.Finding
	left := limits.Bytes
	for _, file := range files {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		sum, found, err := readContent(fsys, file, &budget{file: limits.FileBytes, left: &left})
		if err != nil {
			return nil, nil, err
		}
		all = append(all, content{path: file.Path, executable: file.Executable, sum: sum})
		findings = append(findings, found...)
		if file.Path == "SKILL.md" {
			findings = append(findings, shellSpans(fsys, file)...)
		}
	}
	return all, findings, nil
}

// maxSpans is how many commands of one skill are told.
const maxSpans = 10

// shellSpans names the commands that some agents run when they load the instructions. Nothing here runs them.
func shellSpans(fsys fs.FS, file catalog.File) []catalog.Finding {
	raw, err := fs.ReadFile(fsys, file.From) // it was read a moment ago, within its bounds
	if err != nil {
		return nil
	}
	d, err := catalog.Split(raw)
	if err != nil || !strings.Contains(d.Body, "!`") { // most have none, and looking closer takes longer than reading the skill
		return nil
	}
	var findings []catalog.Finding
	for n, span := range expand.Parse(d.Body).Spans() {
		if n == maxSpans {
			return append(findings, catalog.Finding{Code: "shell_span", Severity: catalog.SeverityWarning, File: file.Path, Message: "there are more commands that agents run"})
		}
		findings = append(findings, catalog.Finding{
			Code: "shell_span", Severity: catalog.SeverityWarning, File: file.Path, Line: d.Close + span.Line,
			Message: fmt.Sprintf("an agent that loads the instructions may run %q", span.Command),
		})
	}
	return findings
}

// readContent hashes one file, reading it once.
func readContent(fsys fs.FS, file catalog.File, b *budget) (sum [sha256.Size]byte, findings []catalog.Finding, err error) {
	f, err := fsys.Open(file.From)
	if err != nil {
		return sum, nil, err
	}
	defer f.Close()
	hash := sha256.New()
	b.name = file.From
	findings, err = catalog.ContentFindings(file.Path, io.TeeReader(f, io.MultiWriter(b, hash)))
	hash.Sum(sum[:0])
	return sum, findings, err
}

// budget counts the bytes of a skill as they are read: listings that come over git know no sizes.
type budget struct {
	name string
	file int64  // what one file may have
	left *int64 // what the skill may have yet
}

// Write counts, and fails where the limit is exceeded.
func (b *budget) Write(data []byte) (int, error) {
	b.file -= int64(len(data))
	*b.left -= int64(len(data))
	if b.file < 0 || *b.left < 0 {
		return 0, &Error{
			Kind: "too_large", Name: b.name, Message: fmt.Sprintf("%q makes the skill larger than a skill may be", b.name),
			Hint: "a skill of this size is most likely a whole application; name the directory that is meant",
		}
	}
	return len(data), nil
}

// junk tells whether a file is what systems and interpreters leave behind in any directory. Such files are nobody's work, so they
// alone do not make a skill edited.
func junk(name string) bool {
	switch base := path.Base(name); base {
	case ".DS_Store", "Thumbs.db", "desktop.ini":
		return true
	}
	return strings.HasPrefix(name, "__pycache__/") || strings.Contains(name, "/__pycache__/")
}

// diskContents hashes what is in a directory of this machine. Entries that are neither files nor directories are listed by path.
func diskContents(ctx context.Context, dir string) (all contents, odd []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	buffer := make([]byte, 1<<15)
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular():
			odd = append(odd, name)
			return nil
		}
		file, err := hashFile(root, name, buffer)
		all = append(all, file)
		return err
	})
	slices.SortFunc(all, func(a, b content) int { return strings.Compare(a.path, b.path) })
	return all, odd, err
}

// hashFile hashes one file below a root. The buffer saves one for each file.
func hashFile(root *os.Root, name string, buffer []byte) (content, error) {
	c := content{path: filepath.ToSlash(name)}
	f, err := root.Open(name)
	if err != nil {
		return c, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return c, err
	}
	c.executable = info.Mode()&0o111 != 0
	hash := sha256.New()
	if _, err := io.CopyBuffer(hash, struct{ io.Reader }{f}, buffer); err != nil { // a file brings a buffer of its own
		return c, err
	}
	hash.Sum(c.sum[:0])
	return c, nil
}

// withoutJunk leaves out what nobody wrote.
func (c contents) withoutJunk() contents {
	return slices.DeleteFunc(slices.Clone(c), func(file content) bool { return junk(file.path) })
}

// matches tells whether a directory's contents are those of a digest. Systems without executable bits cannot tell, there the known
// contents decide.
func (e *Engine) matches(c contents, digest string) bool {
	if c.digest() == digest || c.withoutJunk().digest() == digest {
		return true
	}
	if runtime.GOOS != "windows" {
		return false
	}
	known := e.recall(digest)
	return known != nil && len(compare(known, c.withoutJunk())) == 0
}

// difference is one path in which a directory differs from what was installed. State is "modified", "missing" or "extra".
type difference struct{ path, state string }

// compare lists the differences of now against before, sorted by path. Both are sorted.
func compare(before, now contents) []difference {
	var all []difference
	for len(before) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || len(before) > 0 && before[0].path < now[0].path:
			all = append(all, difference{before[0].path, "missing"})
			before = before[1:]
		case len(before) == 0 || now[0].path < before[0].path:
			all = append(all, difference{now[0].path, "extra"})
			now = now[1:]
		default:
			if before[0].sum != now[0].sum || before[0].executable != now[0].executable && runtime.GOOS != "windows" {
				all = append(all, difference{now[0].path, "modified"})
			}
			before, now = before[1:], now[1:]
		}
	}
	return all
}

// plain gives the contents of a digest when a directory differs from them by nothing but line feeds that became carriage return and
// line feed; else nil. Where the contents are not known any more, all texts are taken to have had line feeds, as git takes them.
func (e *Engine) plain(dir, digest string, found contents) (contents, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if known := e.recall(digest); known != nil {
		for _, d := range compare(known, found.withoutJunk()) {
			if !onlyLineEndings(root, d, byPath(known), byPath(found)) {
				return nil, nil
			}
		}
		return known, nil
	}
	all := found.withoutJunk()
	for i := range all {
		if all[i].sum, err = plainSum(root, all[i].path); err != nil {
			return nil, err
		}
	}
	if all.digest() != digest {
		return nil, nil
	}
	return all, nil
}

// onlyLineEndings tells whether a file differs by nothing but line ends.
func onlyLineEndings(root *os.Root, d difference, was, is map[string]content) bool {
	if d.state != "modified" || was[d.path].executable != is[d.path].executable && runtime.GOOS != "windows" {
		return false
	}
	sum, err := plainSum(root, d.path)
	return err == nil && sum == was[d.path].sum
}

// plainSum hashes a file as if its lines had no carriage returns. What holds a zero byte is no text and hashed as it is.
func plainSum(root *os.Root, name string) (sum [sha256.Size]byte, err error) {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return sum, err
	}
	defer f.Close()
	text, whole := sha256.New(), sha256.New()
	binary := false
	lines := bufio.NewReaderSize(io.TeeReader(f, whole), 1<<16)
	for {
		line, err := lines.ReadSlice('\n')
		binary = binary || bytes.IndexByte(line, 0) >= 0
		if rest, ok := bytes.CutSuffix(line, []byte("\r\n")); ok {
			text.Write(rest)
			text.Write([]byte("\n"))
		} else {
			text.Write(line)
		}
		switch {
		case err == io.EOF && binary:
			return [sha256.Size]byte(whole.Sum(nil)), nil
		case err == io.EOF:
			return [sha256.Size]byte(text.Sum(nil)), nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return sum, err
		}
	}
}

// recordPath is where the lines of a digest are kept: by what they are, so a wrong file is noticed.
func (e *Engine) recordPath(digest string) string {
	sum := sha256.Sum256([]byte(digest))
	return filepath.Join(e.config.Cache, "contents", hex.EncodeToString(sum[:]))
}

// remember keeps the lines of what was installed, so that verify can name files. Losing them loses no more than that.
func (e *Engine) remember(c contents, digest string) error {
	if c.digest() != digest || e.recall(digest) != nil {
		return nil
	}
	name := e.recordPath(digest)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, c.lines(), 0o644)
}

// recall reads the lines of a digest; nil when they are not there or are not what the digest says.
func (e *Engine) recall(digest string) contents {
	data, err := os.ReadFile(e.recordPath(digest))
	if err != nil {
		return nil
	}
	c, err := parseContents(data)
	if err != nil || c.digest() != digest {
		return nil
	}
	return c
}
