package catalog

import (
	"context"
	"errors"

	"io/fs"
)

var errStub = errors.New("not written yet")

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
