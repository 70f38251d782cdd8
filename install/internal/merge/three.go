package merge

import (
	"bytes"
	"cmp"
	"math"
	"strings"
)

// Labels name the sides in conflict markers. Blanks and line ends in them become single blanks.
type Labels struct{ Mine, Theirs string }

// The bounds of one merge. Three texts of mostLines that differ everywhere take 80 MB and 0.2 s, and with all steps 1 s.
const (
	mostLines = 100_000
	mostSteps = 1 << 25
)

// Three merges two edited texts over the base of both, line by line, and returns the merged text and how many conflicts it holds.
//
// A conflict is written as `git merge-file` writes it: "<<<<<<< " and the label of mine, the lines of mine, "=======", the lines
// of theirs, ">>>>>>> " and the label of theirs. It is as small as possible: lines that both sides share stay outside, and
// conflicts with at most three lines between them are one. A last line without a line end gets one inside a conflict.
//
// Line ends: when each text ends all its lines alike, with LF or with CRLF, the texts are merged without regard to them, and the
// result, markers included, has those of the side that changed them. Otherwise each line keeps its own, a line with another end is
// another line, and markers end in LF.
//
// Bounds: a text of more than 100,000 lines is not compared: the whole of mine and the whole of theirs are one conflict, unless
// one side is unchanged or both are equal. Texts that differ so much and so irregularly that a comparison takes more than 33
// million steps are compared no further: the rest counts as replaced, which may make a conflict larger than it need be, never
// lose one.
//
// Git differs in three ways: it takes a checkout of Windows for an edit of each line; it joins conflicts further apart when nothing
// but signs and blanks lie between; and where most lines repeat, so that there are several shortest ways from the base to a side, it
// now and then takes another one.
//
// The result may share memory with an argument. Of data that is [Binary] a line merge makes no sense.
func Three(base, mine, theirs []byte, labels Labels) (merged []byte, conflicts int) {
	switch {
	case bytes.Equal(base, mine), bytes.Equal(mine, theirs):
		return theirs, 0
	case bytes.Equal(base, theirs):
		return mine, 0
	}
	ends := mergeLineEnds(lineEndsOf(base), lineEndsOf(mine), lineEndsOf(theirs))
	if ends != mixedEnds {
		base, mine, theirs = toLF(base), toLF(mine), toLF(theirs)
	}
	m := newMerger(base, mine, theirs)
	merged, conflicts = m.write(m.chunks(), labels)
	if ends == windowsEnds {
		merged = bytes.ReplaceAll(merged, []byte("\n"), []byte("\r\n"))
	}
	return merged, conflicts
}

// lineEnds is how a text ends its lines.
type lineEnds int

const (
	noEnds lineEnds = iota // no line is ended
	unixEnds
	windowsEnds
	mixedEnds
)

func lineEndsOf(text []byte) lineEnds {
	ends, windows := bytes.Count(text, []byte("\n")), bytes.Count(text, []byte("\r\n"))
	switch {
	case ends == 0:
		return noEnds
	case windows == 0:
		return unixEnds
	case windows == ends:
		return windowsEnds
	}
	return mixedEnds
}

// mergeLineEnds merges the line ends of three texts; mixed when one of them is. A text that ends no line has those of the base, and
// a base that ends none those of Unix.
func mergeLineEnds(base, mine, theirs lineEnds) lineEnds {
	if max(base, mine, theirs) == mixedEnds {
		return mixedEnds
	}
	base = cmp.Or(base, unixEnds)
	merged, _ := pick(base, cmp.Or(mine, base), cmp.Or(theirs, base)) // of two values there is no third
	return merged
}

func toLF(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// merger holds the three texts as lines with their ends, and as numbers that are equal for equal lines.
type merger struct {
	mine, theirs               [][]byte
	baseIDs, mineIDs, theirIDs []int32
	numbers                    map[string]int32
}

func newMerger(base, mine, theirs []byte) *merger {
	m := &merger{numbers: map[string]int32{}, mine: lines(mine), theirs: lines(theirs)}
	m.baseIDs, m.mineIDs, m.theirIDs = m.number(lines(base)), m.number(m.mine), m.number(m.theirs)
	return m
}

// lines splits a text behind each line end. Too long a text stays in one piece, which equals nothing but itself.
func lines(text []byte) [][]byte {
	if tooLong(text) {
		return [][]byte{text}
	}
	all := bytes.SplitAfter(text, []byte("\n"))
	if len(all[len(all)-1]) == 0 {
		return all[:len(all)-1]
	}
	return all
}

func tooLong(text []byte) bool { return bytes.Count(text, []byte("\n")) > mostLines }

// number gives each line its number.
func (m *merger) number(lines [][]byte) []int32 {
	numbers := make([]int32, len(lines))
	for i, line := range lines {
		n, known := m.numbers[string(line)]
		if !known {
			n = int32(len(m.numbers))
			m.numbers[string(line)] = n
		}
		numbers[i] = n
	}
	return numbers
}

// chunk is a piece of the result: the same on both sides, taken from one of them, or a conflict.
type chunk struct {
	kind         chunkKind
	mine, theirs span
}

type chunkKind int

const (
	same chunkKind = iota
	takeMine
	takeTheirs
	conflict
)

// near is how many common lines are too few to tell two conflicts apart.
const near = 3

// add appends a chunk; one that continues the last becomes part of it, and a conflict near the last conflict too.
func add(chunks []chunk, c chunk) []chunk {
	n := len(chunks)
	switch {
	case c.mine.size() == 0 && c.theirs.size() == 0:
	case n > 0 && chunks[n-1].kind == c.kind:
		chunks[n-1].mine.end, chunks[n-1].theirs.end = c.mine.end, c.theirs.end
	case n > 1 && c.kind == conflict && chunks[n-2].kind == conflict && chunks[n-1].kind == same && chunks[n-1].mine.size() <= near:
		chunks[n-2].mine.end, chunks[n-2].theirs.end = c.mine.end, c.theirs.end
		return chunks[:n-1]
	default:
		chunks = append(chunks, c)
	}
	return chunks
}

// chunks decides about all lines.
func (m *merger) chunks() []chunk {
	mineSteps, theirSteps, steps := mostSteps, mostSteps, mostSteps
	mine := &side{hunks: compare(m.baseIDs, m.mineIDs, &mineSteps)}
	theirs := &side{hunks: compare(m.baseIDs, m.theirIDs, &theirSteps)}
	var all []chunk
	done := chunk{}
	for len(mine.hunks)+len(theirs.hunks) > 0 {
		next := region(mine, theirs)
		all = add(all, chunk{same, span{done.mine.end, next.mine.start}, span{done.theirs.end, next.theirs.start}})
		if next.kind == conflict {
			all = m.refine(all, next, &steps)
		} else {
			all = add(all, next)
		}
		done = next
	}
	return add(all, chunk{same, span{done.mine.end, len(m.mine)}, span{done.theirs.end, len(m.theirs)}})
}

// side is one side of a merge: its changes that are still to come, and by how many lines those before have moved its text.
type side struct {
	hunks []hunk
	shift int
}

// first returns the line of the base where the next change begins; behind all of them when there is none.
func (s *side) first() int {
	if len(s.hunks) == 0 {
		return math.MaxInt
	}
	return s.hunks[0].a.start
}

// take takes the changes that begin at or before a line of the base, and returns where they end.
func (s *side) take(end int) int {
	for len(s.hunks) > 0 && s.hunks[0].a.start <= end {
		end = max(end, s.hunks[0].a.end)
		s.shift = s.hunks[0].b.end - s.hunks[0].a.end
		s.hunks = s.hunks[1:]
	}
	return end
}

// region takes the changes of both sides that come next, up to the first line of the base that both left alone.
func region(mine, theirs *side) chunk {
	start := min(mine.first(), theirs.first())
	mineLeft, theirsLeft := len(mine.hunks), len(theirs.hunks)
	c := chunk{takeMine, span{start: start + mine.shift}, span{start: start + theirs.shift}}
	end := mine.take(start)
	for {
		further := mine.take(theirs.take(end))
		if further == end {
			break
		}
		end = further
	}
	c.mine.end, c.theirs.end = end+mine.shift, end+theirs.shift
	switch {
	case len(mine.hunks) == mineLeft:
		c.kind = takeTheirs
	case len(theirs.hunks) < theirsLeft:
		c.kind = conflict
	}
	return c
}

// refine appends a conflict without the lines that both sides share; nothing of it is left when both made the same change.
func (m *merger) refine(all []chunk, whole chunk, steps *int) []chunk {
	mine, theirs := whole.mine.start, whole.theirs.start
	for _, h := range compare(m.mineIDs[mine:whole.mine.end], m.theirIDs[theirs:whole.theirs.end], steps) {
		c := chunk{conflict, span{mine + h.a.start, mine + h.a.end}, span{theirs + h.b.start, theirs + h.b.end}}
		all = add(all, chunk{same, span{whole.mine.start, c.mine.start}, span{whole.theirs.start, c.theirs.start}})
		all = add(all, c)
		whole.mine.start, whole.theirs.start = c.mine.end, c.theirs.end
	}
	whole.kind = same
	return add(all, whole)
}

// write puts the result together and counts the conflicts.
func (m *merger) write(chunks []chunk, labels Labels) (merged []byte, conflicts int) {
	var out bytes.Buffer
	for _, c := range chunks {
		mine, theirs := m.mine[c.mine.start:c.mine.end], m.theirs[c.theirs.start:c.theirs.end]
		switch c.kind {
		case same, takeMine:
			out.Write(bytes.Join(mine, nil))
		case takeTheirs:
			out.Write(bytes.Join(theirs, nil))
		case conflict:
			conflicts++
			out.WriteString(marker("<<<<<<<", labels.Mine))
			writeEnded(&out, mine)
			out.WriteString("=======\n")
			writeEnded(&out, theirs)
			out.WriteString(marker(">>>>>>>", labels.Theirs))
		}
	}
	return out.Bytes(), conflicts
}

// marker returns the first or the last line of a conflict.
func marker(sign, label string) string {
	return strings.Join(append([]string{sign}, strings.Fields(label)...), " ") + "\n"
}

// writeEnded writes lines and sees to it that the last is ended.
func writeEnded(out *bytes.Buffer, lines [][]byte) {
	text := bytes.Join(lines, nil)
	out.Write(text)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		out.WriteByte('\n')
	}
}
