package merge

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// noise returns lines that are each one of some.
func noise(r *rand.Rand, lines, kinds int) []int32 {
	text := make([]int32, lines)
	for i := range text {
		text[i] = int32(r.IntN(kinds))
	}
	return text
}

// common returns the length of the longest common subsequence, by the table of textbooks.
func common(a, b []int32) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// apply makes b out of a and hunks, and counts the lines that stay. Hunks out of order or touching are errors.
func apply(t *testing.T, a, b []int32, hunks []hunk) (text []int32, stay int) {
	t.Helper()
	at, to := 0, 0
	for i, h := range hunks {
		if h.a.start < at || h.b.start < to || i > 0 && h.a.start == at || h.a.size()+h.b.size() == 0 || h.a.size() < 0 || h.b.size() < 0 {
			t.Fatalf("hunk %d of %v is no hunk", i, hunks)
		}
		stay += h.a.start - at
		text = append(append(text, a[at:h.a.start]...), b[h.b.start:h.b.end]...)
		at, to = h.a.end, h.b.end
	}
	return append(text, a[at:]...), stay + len(a) - at
}

func TestCompareFindsAShortestWay(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 2))
		kinds := 1 + r.IntN(8)
		a, b := noise(r, r.IntN(40), kinds), noise(r, r.IntN(40), kinds)
		steps := mostSteps
		hunks := compare(a, b, &steps)
		text, stay := apply(t, a, b, hunks)
		if !slices.Equal(text, b) {
			t.Errorf("%v does not lead from %v to %v", hunks, a, b)
		}
		if want := common(a, b); stay != want {
			t.Errorf("%v to %v: %d lines stay by %v, want %d", a, b, stay, hunks, want)
		}
	}
}

func TestCompareWithoutStepsReplaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	a, b := noise(r, 3000, 2), noise(r, 3000, 2)
	a[0], b[0], a[2999], b[2999] = 7, 7, 8, 8
	a[1], b[1], a[2998], b[2998] = 0, 1, 0, 1
	for _, budget := range []int{0, 1, 100, 10_000, 1_000_000} {
		steps := budget
		hunks := compare(a, b, &steps)
		if text, _ := apply(t, a, b, hunks); !slices.Equal(text, b) {
			t.Errorf("%d steps: another text", budget)
		}
		if steps < -2*(len(a)+len(b)) {
			t.Errorf("%d steps: %d were taken", budget, budget-steps)
		}
		if whole := []hunk{{span{1, 2999}, span{1, 2999}}}; budget < 100 && !slices.Equal(hunks, whole) {
			t.Errorf("%d steps: %v", budget, hunks)
		}
	}
}

func TestCompareSlidesChangesDownAndTogether(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		want []hunk
	}{
		"insertion among equal lines": {"axxb", "axxxb", []hunk{{span{3, 3}, span{3, 4}}}},
		"deletion among equal lines":  {"axxxb", "axxb", []hunk{{span{3, 4}, span{3, 3}}}},
		"inserted paragraph":          {"a.b.", "a.n.b.", []hunk{{span{2, 2}, span{2, 4}}}},
		"end of the text":             {"xx", "xxx", []hunk{{span{2, 2}, span{2, 3}}}},
		"two insertions that meet":    {"axb", "axyxyxb", []hunk{{span{2, 2}, span{2, 6}}}},
		"replacement stays":           {"axb", "axxyb", []hunk{{span{2, 2}, span{2, 4}}}},
		"not into the next change":    {"axxbc", "axxxbd", []hunk{{span{3, 3}, span{3, 4}}, {span{4, 5}, span{5, 6}}}},
		"into the next change":        {"axxb", "axxxc", []hunk{{span{3, 4}, span{3, 5}}}},
	} {
		steps := mostSteps
		if got := compare([]rune(c.a), []rune(c.b), &steps); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add([]byte("abcabba"), []byte("cbabac"), 1000)
	f.Add([]byte("xxxxyxxxx"), []byte("xxyxxyxx"), 10)
	f.Fuzz(func(t *testing.T, first, second []byte, steps int) {
		a, b := []rune(string(first)), []rune(string(second))
		enough := steps > 10*(len(a)+len(b)+1)*(len(a)+len(b)+1)
		text, stay := apply(t, a, b, compare(a, b, &steps))
		if !slices.Equal(text, b) {
			t.Errorf("%q to %q is another text", first, second)
		}
		if len(a)*len(b) < 1<<20 && enough && stay != common(a, b) {
			t.Errorf("%q to %q: %d lines stay", first, second, stay)
		}
	})
}
