package tools

import (
	"slices"
	"sync"
)

// Gate is a place where a host asks before it runs a tool, such as one for its own
// tools and one for those of MCP servers. The zero value is ready and lets everything
// pass. It may be used by several goroutines.
type Gate struct {
	mutex  sync.RWMutex
	guards []*guard
}

// guard is one registration; its address tells it from others of the same skills.
type guard struct{ active *Active }

// Check asks everyone who guards the gate; all have to let the call pass. The error is
// the *BlockedError of the first, in the order of registration, that does not.
func (g *Gate) Check(call Call) error {
	g.mutex.RLock()
	guards := g.guards
	g.mutex.RUnlock()
	for _, guard := range guards {
		if err := guard.active.Check(call); err != nil {
			return err
		}
	}
	return nil
}

// Guards says how many registrations the gate has.
func (g *Gate) Guards() int {
	g.mutex.RLock()
	defer g.mutex.RUnlock()
	return len(g.guards)
}

// add and remove make new lists, so that a check that is under way keeps its own.
func (g *Gate) add(entry *guard) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.guards = append(slices.Clip(g.guards), entry)
}

func (g *Gate) remove(entry *guard) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.guards = slices.DeleteFunc(slices.Clone(g.guards), func(other *guard) bool { return other == entry })
}

// Guard registers the active skills with gates, which ask them from then on. undo takes
// exactly this registration back, from all of them; calling it again does nothing.
func (a *Active) Guard(gates ...*Gate) (undo func()) {
	entry := &guard{a}
	for _, gate := range gates {
		gate.add(entry)
	}
	return func() {
		for _, gate := range gates {
			gate.remove(entry)
		}
	}
}
