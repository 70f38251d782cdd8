package catalog

import (
	"context"
	"errors"
	"io"
	"io/fs"
)

var errStub = errors.New("not written yet")

// Parse reads a SKILL.md.
func Parse(raw []byte, profile Profile) (*Skill, []Finding, error) { return nil, nil, errStub }

// WalkOptions says where and how far Walk looks.
type WalkOptions struct {
	Below    string // directory (or manifest file) to start at, "" for the root
	MaxDepth int    // levels below the start, 0 for 8
	Full     bool   // list the hidden ones as well
	Fallback string // name of the repository or folder, for a skill at the root
}

// Listing is what Walk found.
type Listing struct {
	Candidates []Candidate
	Findings   []Finding
}

// Walk finds the candidates by listing alone.
func Walk(ctx context.Context, fsys fs.FS, o WalkOptions) (*Listing, error) { return nil, errStub }

// Manifests gives the files to load before Read.
func (l *Listing) Manifests(hidden bool) []string { return nil }

// Read parses the manifests.
func (l *Listing) Read(ctx context.Context, fsys fs.FS, hidden bool) error { return errStub }

// Visible gives the candidates to show.
func (l *Listing) Visible() []Candidate { return nil }

// Hidden says how many more a full listing would show.
func (l *Listing) Hidden() int { return 0 }

// Select chooses candidates.
func (l *Listing) Select(selectors []string) ([]Candidate, error) { return nil, errStub }

// Files lists what is installed.
func Files(ctx context.Context, fsys fs.FS, dir string, limits Limits) ([]File, []Finding, error) {
	return nil, nil, errStub
}

// DefaultLimits gives the bounds.
func DefaultLimits() Limits { return Limits{} }

// Digester sums up files.
type Digester struct{}

// Add adds one file.
func (d *Digester) Add(path string, executable bool, sum [32]byte) {}

// Sum gives "s1:…".
func (d *Digester) Sum() string { return "" }

// Digest hashes files.
func Digest(fsys fs.FS, files []File) (string, error) { return "", errStub }

// TreeID gives the git tree id.
func TreeID(fsys fs.FS, dir string) (string, error) { return "", errStub }

// DirectoryName gives the directory for a skill name.
func DirectoryName(name string) (string, []Finding, error) { return "", nil, errStub }

// CheckName checks a path part.
func CheckName(name string) error { return errStub }

// CheckPath checks a path below a skill.
func CheckPath(path string) error { return errStub }

// Fold folds names.
func Fold(name string) string { return name }

// ContentFindings reads to the end and reports.
func ContentFindings(path string, r io.Reader) ([]Finding, error) { return nil, errStub }
