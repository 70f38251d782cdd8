package merge

import (
	"iter"
	"maps"
	"slices"

	"skills/source/names"
)

// File is what a plan must know about a file. A path that a side does not have is not in its map.
type File struct {
	Sum        [32]byte // of the contents, by any one hash; equal for equal contents
	Executable bool
}

// Action is what becomes of the contents of a file here.
type Action string

// The actions. A plan never writes over, nor removes, contents that were edited here: Take and Remove are for those that were not.
const (
	Unchanged Action = "unchanged" // mine is already as theirs, or gone from both
	Keep      Action = "keep"      // mine stays, edits and all; when mine has no such file, there will be none
	Take      Action = "take"      // theirs is written
	Remove    Action = "remove"    // the file goes
	Merge     Action = "merge"     // both edited the contents, or both added a file: see Three
)

// Conflict says why the two sides of a file cannot both be had; "" when they can.
type Conflict string

// The conflicts. BothModified is never planned: it is the word for what comes of Merge when [Three] finds conflicts or one of the
// files is [Binary].
const (
	BothModified    Conflict = "both_modified"
	BothAdded       Conflict = "both_added"       // with different contents
	ModifiedDeleted Conflict = "modified_deleted" // edited here, gone from theirs: mine stays
	DeletedModified Conflict = "deleted_modified" // deleted here, changed in theirs: it stays deleted
	ModesDiffer     Conflict = "modes_differ"     // both added it with equal contents, and one made it executable: mine stays
	PathsCollide    Conflict = "paths_collide"    // theirs adds what a file of mine is in the way of: it is not written
)

// Change is the decision about one path.
type Change struct {
	Path       string
	Action     Action
	Conflict   Conflict
	Executable bool // what the file is to be afterwards, whatever the action; false when there is none
}

// Plan decides about each path that one of the three sides has, and returns the decisions sorted by the bytes of the paths.
//
// Contents and the executable bit are merged apart: an edit here and a bit set upstream are no conflict, and Keep with another bit
// is possible. A file counts as changed when either changed.
//
// A conflict keeps mine. The two that leave room for both, Merge with and without BothAdded, are for [Three] (with an empty base
// for BothAdded) when both files are text, and keep mine when one is [Binary].
//
// PathsCollide is for a file that theirs adds and that cannot lie beside a file that mine keeps: one is a directory in the other,
// or their paths are one on some file system ([names.Fold]). Removals come first when the plan is carried out in
// place: theirs may put a directory where a file was.
func Plan(base, mine, theirs map[string]File) []Change {
	paths := make(map[string]bool, len(base))
	for _, side := range []map[string]File{base, mine, theirs} {
		for path := range side {
			paths[path] = true
		}
	}
	changes := make([]Change, 0, len(paths))
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		change := decide(at(base, path), at(mine, path), at(theirs, path))
		change.Path = path
		changes = append(changes, change)
	}
	refuseCollisions(changes, mine)
	return changes
}

// at returns the file of a path; nil when there is none.
func at(side map[string]File, path string) *File {
	file, exists := side[path]
	if !exists {
		return nil
	}
	return &file
}

// decide merges one file. A side is nil where there is none.
func decide(base, mine, theirs *File) Change {
	switch {
	case mine == nil && theirs == nil:
		return Change{Action: Unchanged}
	case mine == nil && base == nil:
		return Change{Action: Take, Executable: theirs.Executable}
	case mine == nil && *theirs == *base:
		return Change{Action: Keep}
	case mine == nil:
		return Change{Action: Keep, Conflict: DeletedModified}
	case theirs == nil && base == nil:
		return Change{Action: Keep, Executable: mine.Executable}
	case theirs == nil && *mine == *base:
		return Change{Action: Remove}
	case theirs == nil:
		return Change{Action: Keep, Conflict: ModifiedDeleted, Executable: mine.Executable}
	case *mine == *theirs:
		return Change{Action: Unchanged, Executable: mine.Executable}
	case base == nil && mine.Sum == theirs.Sum:
		return Change{Action: Keep, Conflict: ModesDiffer, Executable: mine.Executable}
	case base == nil:
		return Change{Action: Merge, Conflict: BothAdded, Executable: mine.Executable}
	}
	return decideContents(*base, *mine, *theirs)
}

// decideContents merges a file that all sides have and that differs between mine and theirs.
func decideContents(base, mine, theirs File) Change {
	sum, clean := pick(base.Sum, mine.Sum, theirs.Sum)
	executable, _ := pick(base.Executable, mine.Executable, theirs.Executable) // of two values there is no third
	merged := File{sum, executable}
	switch {
	case !clean:
		return Change{Action: Merge, Executable: executable}
	case merged == theirs || sum != mine.Sum:
		return Change{Action: Take, Executable: executable}
	}
	return Change{Action: Keep, Executable: executable}
}

// refuseCollisions turns additions down that cannot lie beside what mine keeps. Files that mine has already, and that theirs only
// changes, lie where they lie.
func refuseCollisions(changes []Change, mine map[string]File) {
	kept, directories := map[string]bool{}, map[string]bool{} // local work, and what it lies in, folded
	for _, c := range changes {
		if at(mine, c.Path) != nil && (c.Action == Keep || c.Action == Merge) {
			kept[names.Fold(c.Path)] = true
		}
	}
	for file := range kept {
		for dir := range parents(file) {
			directories[dir] = true
		}
	}
	for i, c := range changes {
		if c.Action != Take || at(mine, c.Path) != nil {
			continue
		}
		key := names.Fold(c.Path)
		blocked := kept[key] || directories[key]
		for dir := range parents(key) {
			blocked = blocked || kept[dir]
		}
		if blocked {
			changes[i] = Change{Path: c.Path, Action: Keep, Conflict: PathsCollide}
		}
	}
}

// parents yields the directories that a path lies in.
func parents(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(path) {
			if path[i] == '/' && !yield(path[:i]) {
				return
			}
		}
	}
}
