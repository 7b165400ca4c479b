package explore

import "fmt"

// GoalSet is the goals of a Model, which embeds it: of all goals of a kind of worlds those that can be reached within its bounds.
type GoalSet struct {
	names []string
	bits  []int // of each goal of the kind, -1: it cannot be reached
}

// NewGoals takes the names of all goals of a kind, and which of them a world may reach.
func NewGoals(names []string, may []bool) GoalSet {
	var g GoalSet
	for i, name := range names {
		bit := -1
		if may[i] {
			bit = len(g.names)
			g.names = append(g.names, name)
		}
		g.bits = append(g.bits, bit)
	}
	return g
}

// Goals implements Model.
func (g *GoalSet) Goals() []string { return g.names }

// Trail is that of a world that has reached nothing yet.
func (g *GoalSet) Trail() Trail { return Trail{goals: g} }

// Trail is what a World, which embeds it, says of its way: the goals that it has reached, and what happens in a step.
type Trail struct {
	goals   *GoalSet
	reached uint64
	note    func(Event)
}

// Reached implements World.
func (t *Trail) Reached() uint64 { return t.reached }

// Reach says that a goal has been reached, if it is one that can be.
func (t *Trail) Reach(goal int) {
	if b := t.goals.bits[goal]; b >= 0 {
		t.reached |= 1 << b
	}
}

// Tell has Line tell note until its result is called: World.Do begins with defer w.Tell(note)().
func (t *Trail) Tell(note func(Event)) (end func()) {
	t.note = note
	return func() { t.note = nil }
}

// Line tells an event.
func (t *Trail) Line(from, to int, lost bool, format string, args ...any) {
	if t.note != nil {
		t.note(Event{From: from, To: to, Lost: lost, Text: fmt.Sprintf(format, args...)})
	}
}
