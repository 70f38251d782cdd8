package fetch

import "skills/fetch/store"

// plan finds the fewest ids that bring what is missing below the entries that were chosen. A directory is wanted by its tree,
// which brings everything below it, when at most a fifth of that is here already or was not chosen.
type plan struct {
	has    func(store.ID) bool
	chosen map[*node]bool
	counts map[*node]count
	wanted map[store.ID]bool
	wants  []string
}

// count is of files below an entry: those that are chosen and not here, and all.
type count struct{ missing, total int }

func newPlan(repo *store.Repository, root *node, chosen []*node) *plan {
	p := &plan{has: repo.Has, chosen: map[*node]bool{}, counts: map[*node]count{}, wanted: map[store.ID]bool{}}
	for _, n := range chosen {
		p.chosen[n] = true
	}
	p.count(root, false)
	return p
}

func (p *plan) count(n *node, inside bool) count {
	inside = inside || p.chosen[n]
	var sum count
	switch {
	case n.mode == store.ModeSubmodule:
	case n.mode != store.ModeTree:
		sum.total = 1
		if inside && !p.has(n.id) {
			sum.missing = 1
		}
	default:
		for _, c := range n.children {
			one := p.count(c, inside)
			sum.missing, sum.total = sum.missing+one.missing, sum.total+one.total
		}
	}
	if sum.missing > 0 {
		p.counts[n] = sum
	}
	return sum
}

// choose collects the wants below n.
func (p *plan) choose(n *node) {
	c := p.counts[n]
	switch {
	case c.missing == 0 || p.wanted[n.id]:
	case n.mode != store.ModeTree, !n.partial && !n.id.IsZero() && (c.total-c.missing)*4 <= c.missing:
		p.wanted[n.id] = true
		p.wants = append(p.wants, n.id.String())
	default:
		for _, child := range n.children {
			p.choose(child)
		}
	}
}
