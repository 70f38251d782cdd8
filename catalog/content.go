package catalog

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	lfsPointer = "version https://git-lfs.github.com/spec/"
	sniffed    = 8000 // bytes that decide whether a file is text, as git does
)

// ContentFindings reads r to its end and reports what the bytes of one file hold
// that a person should know of: a Git LFS pointer in place of the content, text
// that is shown in another order than it is read (bidi_control), terminal
// escapes (control_character), text written in invisible tag characters
// (hidden_text). Each code is reported once, at its first line. Binary files
// have none. Memory does not grow with the file.
//
// An installer passes a tee, so that one pass copies, hashes and looks:
//
//	findings, err := catalog.ContentFindings(path, io.TeeReader(src, dst))
func ContentFindings(path string, r io.Reader) ([]Finding, error) {
	in := bufio.NewReaderSize(r, 32<<10)
	head, err := in.Peek(sniffed)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.IndexByte(head, 0) >= 0 {
		_, err := io.Copy(io.Discard, in)
		return nil, err
	}
	s := scanner{path: path, line: 1, seen: map[string]bool{}}
	if bytes.HasPrefix(head, []byte(lfsPointer)) {
		s.report("lfs_pointer", "it is a Git LFS pointer, not the content")
	}
	err = s.scan(in)
	return s.findings, err
}

type scanner struct {
	path     string
	line     int
	flag     bool // inside an emoji flag, whose letters are tag characters
	seen     map[string]bool
	findings []Finding
}

func (s *scanner) report(code, message string) {
	if !s.seen[code] {
		s.seen[code] = true
		s.findings = append(s.findings, Finding{code, SeverityWarning, s.path, s.line, message})
	}
}

// scan looks at every character; what is plain ASCII costs a comparison.
func (s *scanner) scan(in *bufio.Reader) error {
	for {
		if _, err := in.Peek(utf8.UTFMax); err != nil && err != io.EOF {
			return err
		}
		window, _ := in.Peek(in.Buffered())
		if len(window) == 0 {
			return nil
		}
		used := len(window) - unfinished(window)
		s.window(window[:used])
		if _, err := in.Discard(used); err != nil {
			return err
		}
	}
}

// unfinished gives the bytes of a character that is cut by the end of a window,
// which waits for the next; a window that is nothing else is taken as it is.
func unfinished(window []byte) int {
	for back := 1; back < utf8.UTFMax && back < len(window); back++ {
		tail := window[len(window)-back:]
		if utf8.RuneStart(tail[0]) && !utf8.FullRune(tail) {
			return back
		}
	}
	return 0
}

func (s *scanner) window(text []byte) {
	for at := 0; at < len(text); {
		if c := text[at]; c < utf8.RuneSelf {
			if c == '\n' {
				s.line++
			}
			if c < ' ' && isControl(rune(c)) || c == 0x7f {
				s.character(rune(c))
			}
			at++
			s.flag = false
			continue
		}
		r, size := utf8.DecodeRune(text[at:])
		s.character(r)
		at += size
	}
}

func (s *scanner) character(r rune) {
	code := hiddenCode(r)
	switch {
	case code == "hidden_text" && !s.flag:
		s.report("hidden_text", "it holds invisible tag characters")
	case code == "bidi_control":
		s.report("bidi_control", fmt.Sprintf("the character U+%04X changes the order in which the text is shown", r))
	case code == "control_character":
		s.report("control_character", fmt.Sprintf("it holds the control character U+%04X", r))
	}
	s.flag = r == 0x1f3f4 || code == "hidden_text" && s.flag
}

// isControl covers the controls of ASCII and Latin-1 but tab, line ends and form
// feed, which text files hold.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' || r >= 0x7f && r < 0xa0 && r != 0x85
}

// isBidi covers the embeddings, overrides and isolates of Unicode (UAX 9), not
// the marks, which ordinary Hebrew and Arabic text needs.
func isBidi(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
