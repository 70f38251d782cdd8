package store

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// ID is the SHA-1 name of a git object. Repositories that use SHA-256 are not supported.
type ID [20]byte

// ParseID reads 40 hexadecimal digits.
func ParseID(text string) (ID, error) {
	var id ID
	if len(text) != 2*len(id) {
		return id, fmt.Errorf("%q is no object id: want 40 hexadecimal digits", text)
	}
	if _, err := hex.Decode(id[:], []byte(text)); err != nil {
		return ID{}, fmt.Errorf("%q is no object id: want 40 hexadecimal digits", text)
	}
	return id, nil
}

// String is the id in 40 hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// IsZero reports whether id names no object.
func (id ID) IsZero() bool { return id == ID{} }

// Kind is the type of an object, with the numbers that packs use (gitformat-pack(5)).
type Kind uint8

// The kinds of objects.
const (
	Commit Kind = 1
	Tree   Kind = 2
	Blob   Kind = 3
	Tag    Kind = 4
)

// Mode is the mode of a tree's entry, as git writes it.
type Mode uint32

// The modes that git writes. Historic modes of files, such as 0100664, are read as ModeFile.
const (
	ModeFile       Mode = 0o100644
	ModeExecutable Mode = 0o100755
	ModeLink       Mode = 0o120000
	ModeTree       Mode = 0o040000
	ModeSubmodule  Mode = 0o160000
)

// Entry is one line of a tree. Name is one path element.
type Entry struct {
	Name string
	Mode Mode
	ID   ID
}

// hasher computes an object's id while its content passes.
type hasher struct{ plumbing.Hasher }

func newHasher(kind Kind, size int64) hasher {
	return hasher{plumbing.NewHasher(plumbing.ObjectType(kind), size)}
}

// reset starts the id of another object.
func (h hasher) reset(kind Kind, size int64) {
	h.Hash.Reset()
	var head [32]byte
	line := append(head[:0], plumbing.ObjectType(kind).Bytes()...)
	line = strconv.AppendInt(append(line, ' '), size, 10)
	_, _ = h.Write(append(line, 0))
}

// id ends the content. Content made to collide (SHAttered and its kin) has no id: it is an error.
func (h hasher) id() (ID, error) {
	var id ID
	if safe, ok := h.Hash.(interface {
		CollisionResistantSum([]byte) ([]byte, bool)
	}); ok {
		if _, collision := safe.CollisionResistantSum(id[:0]); collision {
			return ID{}, fmt.Errorf("%w: an object carries a SHA-1 collision", ErrPack)
		}
		return id, nil
	}
	h.Hash.Sum(id[:0])
	return id, nil
}

// parseTree reads a tree object (git's tree.c): mode in octal, a blank, the name, NUL, 20 bytes of id. Names that cannot be
// one path element, and names that stand twice, are refused: nothing that came from git can hold them.
func parseTree(data []byte) ([]Entry, error) {
	var entries []Entry
	for len(data) > 0 {
		mode, rest, ok := bytes.Cut(data, []byte(" "))
		name, rest, ok2 := bytes.Cut(rest, []byte{0})
		if !ok || !ok2 || len(rest) < 20 {
			return nil, fmt.Errorf("%w: a tree is cut short", ErrPack)
		}
		m, err := parseMode(mode)
		if err != nil {
			return nil, err
		}
		if err := checkElement(string(name)); err != nil {
			return nil, err
		}
		entries = append(entries, Entry{Name: string(name), Mode: m, ID: ID(rest[:20])})
		data = rest[20:]
	}
	return entries, checkNames(entries)
}

func parseMode(text []byte) (Mode, error) {
	n, err := strconv.ParseUint(string(text), 8, 32)
	if err != nil {
		return 0, fmt.Errorf("%w: mode %q in a tree", ErrPack, text)
	}
	switch Mode(n) & 0o170000 {
	case 0o100000:
		if n&0o111 != 0 {
			return ModeExecutable, nil
		}
		return ModeFile, nil
	case ModeLink, ModeTree, ModeSubmodule:
		return Mode(n) & 0o170000, nil
	}
	return 0, fmt.Errorf("%w: mode %q in a tree", ErrPack, text)
}

// checkElement refuses names that are no single path element.
func checkElement(name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return fmt.Errorf("%w: %q cannot be a name in a tree", ErrPack, name)
	}
	return nil
}

// checkNames refuses a tree in which one name stands twice. The order is not checked: some old tools wrote it wrong.
func checkNames(entries []Entry) error {
	seen := make(map[string]bool, len(entries))
	for _, e := range entries {
		if seen[e.Name] {
			return fmt.Errorf("%w: a tree holds %q twice", ErrPack, e.Name)
		}
		seen[e.Name] = true
	}
	return nil
}

// compareEntries is the order of a tree: by bytes, directories as if their names ended in a slash.
func compareEntries(a, b Entry) int {
	return strings.Compare(sortName(a), sortName(b))
}

func sortName(e Entry) string {
	if e.Mode == ModeTree {
		return e.Name + "/"
	}
	return e.Name
}

// encodeTree sorts the entries and writes them as a tree object.
func encodeTree(entries []Entry) []byte {
	slices.SortFunc(entries, compareEntries)
	var b []byte
	for _, e := range entries {
		b = strconv.AppendUint(b, uint64(e.Mode), 8)
		b = append(append(append(b, ' '), e.Name...), 0)
		b = append(b, e.ID[:]...)
	}
	return b
}

// commitTree finds the root tree of a commit object: its first line says "tree ID".
func commitTree(data []byte) (ID, error) {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	hex, ok := bytes.CutPrefix(line, []byte("tree "))
	if !ok {
		return ID{}, fmt.Errorf("%w: a commit without a tree", ErrPack)
	}
	id, err := ParseID(string(hex))
	if err != nil {
		return ID{}, fmt.Errorf("%w: a commit without a tree", ErrPack)
	}
	return id, nil
}
