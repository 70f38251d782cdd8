package merge

// span is a run of lines, from start up to, not including, end.
type span struct{ start, end int }

func (s span) size() int { return s.end - s.start }

// hunk is a run of lines in a text a that another run replaces in a text b. One of them may be empty, not both.
type hunk struct{ a, b span }

// move shifts a hunk by some lines of both texts.
func (h hunk) move(by int) hunk {
	return hunk{span{h.a.start + by, h.a.end + by}, span{h.b.start + by, h.b.end + by}}
}

// through joins two hunks and what lies between them.
func (h hunk) through(next hunk) hunk {
	return hunk{span{h.a.start, next.a.end}, span{h.b.start, next.b.end}}
}

// compare tells how text a became text b, both as numbers of lines, with as few lines added and removed as possible. Each line that
// is looked at costs a step; when there are none left, what is not yet compared counts as replaced.
//
// It is the algorithm of Myers ("An O(ND) Difference Algorithm and Its Variations", 1986) in its linear space variation. Lines that
// the other text does not have at all are left out of the search.
func compare(a, b []int32, steps *int) []hunk {
	prefix := commonPrefix(a, b)
	suffix := commonSuffix(a[prefix:], b[prefix:])
	innerA, innerB := span{prefix, len(a) - suffix}, span{prefix, len(b) - suffix}
	s := search{keptA: shared(a, innerA, b, innerB), keptB: shared(b, innerB, a, innerA), steps: steps}
	s.a, s.b = choose(a, s.keptA), choose(b, s.keptB)
	s.forward.reach = make([]int, len(s.a)+len(s.b)+3)
	s.backward.reach = make([]int, len(s.a)+len(s.b)+3)
	s.run(span{0, len(s.a)}, span{0, len(s.b)})
	return slide(a, b, s.hunks(innerA, innerB), steps)
}

// commonPrefix counts the lines with which both texts begin.
func commonPrefix(a, b []int32) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// commonSuffix counts the lines with which both texts end.
func commonSuffix(a, b []int32) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// shared returns the places in a part of one text whose lines occur in a part of the other.
func shared(text []int32, part span, other []int32, otherPart span) []int {
	occurs := make(map[int32]bool, otherPart.size())
	for _, line := range other[otherPart.start:otherPart.end] {
		occurs[line] = true
	}
	var places []int
	for i := part.start; i < part.end; i++ {
		if occurs[text[i]] {
			places = append(places, i)
		}
	}
	return places
}

// choose returns the lines at some places.
func choose(text []int32, places []int) []int32 {
	lines := make([]int32, len(places))
	for i, place := range places {
		lines[i] = text[place]
	}
	return lines
}

// search looks for the longest common subsequence of a and b. Their lines stand at keptA and keptB of the whole texts.
type search struct {
	a, b              []int32
	keptA, keptB      []int
	pairs             []pair // common lines that were found, ascending
	forward, backward frontier
	steps             *int
}

// pair is a line of the whole texts that both have.
type pair struct{ a, b int }

// frontier is how far a search has come: for each diagonal x-y from low to high, in steps of two, the x it reached. Diagonals are
// counted from len(b)+1, so that none is negative and both ends have a neighbour.
type frontier struct {
	reach     []int
	low, high int
}

// begin puts a frontier on one point.
func (f *frontier) begin(diagonal, x int) {
	f.low, f.high = diagonal, diagonal
	f.reach[diagonal] = x
}

// widen goes one diagonal further on both sides, or turns round at the border of the box. outside is worse than any x in the box.
func (f *frontier) widen(box span, outside int) {
	if f.low > box.start {
		f.low--
		f.reach[f.low-1] = outside
	} else {
		f.low++
	}
	if f.high < box.end {
		f.high++
		f.reach[f.high+1] = outside
	} else {
		f.high--
	}
}

// has tells whether the frontier has come to a diagonal of its parity.
func (f *frontier) has(diagonal int) bool { return f.low <= diagonal && diagonal <= f.high }

// run finds the common lines of two runs of lines.
func (s *search) run(a, b span) {
	prefix := commonPrefix(s.a[a.start:a.end], s.b[b.start:b.end])
	s.match(a.start, b.start, prefix)
	a.start, b.start = a.start+prefix, b.start+prefix
	suffix := commonSuffix(s.a[a.start:a.end], s.b[b.start:b.end])
	a.end, b.end = a.end-suffix, b.end-suffix
	if a.size() > 0 && b.size() > 0 {
		if x, y, found := s.middle(a, b); found {
			s.run(span{a.start, x}, span{b.start, y})
			s.run(span{x, a.end}, span{y, b.end})
		}
	}
	s.match(a.end, b.end, suffix)
}

// match notes common lines.
func (s *search) match(a, b, lines int) {
	for i := range lines {
		s.pairs = append(s.pairs, pair{s.keptA[a+i], s.keptB[b+i]})
	}
}

// middle finds a point on a shortest way through the box from its start to its end, by searching from both ends until the ways
// meet; false when the steps were used up before. The box begins and ends with a difference.
func (s *search) middle(a, b span) (x, y int, found bool) {
	zero := len(s.b) + 1
	box := span{a.start - b.end + zero, a.end - b.start + zero}
	start, end := a.start-b.start+zero, a.end-b.end+zero
	s.forward.begin(start, a.start)
	s.backward.begin(end, a.end)
	odd := (start-end)%2 != 0
	for *s.steps > 0 {
		s.forward.widen(box, -1)
		if x, k := s.ahead(a, b, odd); k >= 0 {
			return x, x - k + zero, true
		}
		s.backward.widen(box, len(s.a)+1)
		if x, k := s.back(a, b, !odd); k >= 0 {
			return x, x - k + zero, true
		}
	}
	return 0, 0, false
}

// ahead takes one step from the start on each diagonal and returns the point and the diagonal where the ways meet; -1 for none.
func (s *search) ahead(a, b span, meet bool) (x, diagonal int) {
	f, zero := &s.forward, len(s.b)+1
	for k := f.high; k >= f.low; k -= 2 {
		from := max(f.reach[k-1]+1, f.reach[k+1])
		x, y := from, from-k+zero
		for x < a.end && y < b.end && s.a[x] == s.b[y] {
			x, y = x+1, y+1
		}
		*s.steps -= x - from + 1
		f.reach[k] = x
		if meet && s.backward.has(k) && s.backward.reach[k] <= x {
			return x, k
		}
	}
	return 0, -1
}

// back is ahead from the end.
func (s *search) back(a, b span, meet bool) (x, diagonal int) {
	f, zero := &s.backward, len(s.b)+1
	for k := f.high; k >= f.low; k -= 2 {
		from := min(f.reach[k-1], f.reach[k+1]-1)
		x, y := from, from-k+zero
		for x > a.start && y > b.start && s.a[x-1] == s.b[y-1] {
			x, y = x-1, y-1
		}
		*s.steps -= from - x + 1
		f.reach[k] = x
		if meet && s.forward.has(k) && x <= s.forward.reach[k] {
			return x, k
		}
	}
	return 0, -1
}

// hunks returns what lies between the common lines of two parts.
func (s *search) hunks(a, b span) []hunk {
	var all []hunk
	for _, p := range append(s.pairs, pair{a.end, b.end}) {
		if a.start < p.a || b.start < p.b {
			all = append(all, hunk{span{a.start, p.a}, span{b.start, p.b}})
		}
		a.start, b.start = p.a+1, p.b+1
	}
	return all
}

// slide gives hunks that only add or only remove lines their one place where several would do: among equal lines as far down as
// they go, and together where they meet. So both sides of a merge, and git, tell the same change in the same words.
func slide(a, b []int32, hunks []hunk, steps *int) []hunk {
	var done []hunk
	for i := range hunks {
		h := hunks[i]
		for len(done) > 0 {
			last := done[len(done)-1]
			if h = h.move(-roomAbove(a, b, h, last, steps)); h.a.start > last.a.end {
				break
			}
			h, done = last.through(h), done[:len(done)-1]
		}
		next := hunk{span{len(a), len(a)}, span{len(b), len(b)}}
		if i+1 < len(hunks) {
			next = hunks[i+1]
		}
		h = h.move(roomBelow(a, b, h, next, steps))
		if i+1 < len(hunks) && h.a.end == next.a.start {
			hunks[i+1] = h.through(next)
		} else {
			done = append(done, h)
		}
	}
	return done
}

// roomAbove counts the lines by which a hunk can move towards the one before and tell the same change.
func roomAbove(a, b []int32, h, before hunk, steps *int) int {
	text, own, limit := h.sliding(a, b, before.a.end, before.b.end)
	n := 0
	for n < *steps && own.start-n > limit && text[own.start-n-1] == text[own.end-n-1] {
		n++
	}
	*steps -= n
	return n
}

// roomBelow counts the lines by which a hunk can move towards the one behind.
func roomBelow(a, b []int32, h, behind hunk, steps *int) int {
	text, own, limit := h.sliding(a, b, behind.a.start, behind.b.start)
	n := 0
	for n < *steps && own.end+n < limit && text[own.start+n] == text[own.end+n] {
		n++
	}
	*steps -= n
	return n
}

// sliding returns the text in which a hunk has lines, with them and the limit that goes with it. A hunk that replaces lines stands
// where it is: no text is returned, and nowhere to go.
func (h hunk) sliding(a, b []int32, limitA, limitB int) (text []int32, own span, limit int) {
	switch {
	case h.a.size() == 0:
		return b, h.b, limitB
	case h.b.size() == 0:
		return a, h.a, limitA
	}
	return nil, span{}, 0
}
