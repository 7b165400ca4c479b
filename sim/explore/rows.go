package explore

import (
	"fmt"
	"strings"
)

// Row is a kind of action of worlds W. Up to three numbers below 256 tell the actions of one kind apart.
type Row[W any] struct {
	// Name is a format for the numbers, "link %d>%d", as many as it has verbs. If Args is set, it returns what is
	// formatted instead.
	Name string
	Args func(w W, a, b, c int) []any
	// Left returns the budget of the kind: it can happen while the budget is above 0, and takes 1 from it each time.
	// Nil: there is no budget.
	Left func(w W) *int
	// Can calls can for each action of the kind that can happen now. Nil: a kind with a budget has one action; the
	// actions of a kind without one are listed by the world.
	Can func(w W, can func(a, b, c int))
	// Do is what happens.
	Do func(w W, a, b, c int) error
}

// Rows are all kinds of actions of worlds W, in the order in which World.Actions has them.
type Rows[W any] []Row[W]

// Act returns the action of a row with these numbers.
func Act(row, a, b, c int) Action {
	if (row|a|b|c)&^0xff != 0 {
		panic(fmt.Sprintf("explore: action %d %d %d %d: want numbers from 0 to 255", row, a, b, c))
	}
	return Action(row<<24 | a<<16 | b<<8 | c)
}

// Parts returns what Act was given.
func (x Action) Parts() (row, a, b, c int) {
	return int(x >> 24), int(x >> 16 & 255), int(x >> 8 & 255), int(x & 255)
}

// Actions is World.Actions.
func (r Rows[W]) Actions(w W, out []Action) []Action {
	row := 0
	can := func(a, b, c int) { out = append(out, Act(row, a, b, c)) }
	for ; row < len(r); row++ {
		switch k := &r[row]; {
		case k.Left != nil && *k.Left(w) <= 0:
		case k.Can != nil:
			k.Can(w, can)
		case k.Left != nil:
			can(0, 0, 0)
		}
	}
	return out
}

// Title is World.Name.
func (r Rows[W]) Title(w W, x Action) string {
	row, a, b, c := x.Parts()
	name := r[row].Name
	if f := r[row].Args; f != nil {
		return fmt.Sprintf(name, f(w, a, b, c)...)
	}
	return fmt.Sprintf(name, []any{a, b, c}[:strings.Count(name, "%")]...)
}

// Do is what happens in World.Do.
func (r Rows[W]) Do(w W, x Action) error {
	row, a, b, c := x.Parts()
	if f := r[row].Left; f != nil {
		*f(w)--
	}
	return r[row].Do(w, a, b, c)
}

// When is Row.Can of the one action of its kind.
func When[W any](cond func(w W) bool) func(W, func(a, b, c int)) {
	return func(w W, can func(a, b, c int)) {
		if cond(w) {
			can(0, 0, 0)
		}
	}
}

// Each is Row.Can of the numbers from one on, up to another.
func Each[W any](numbers func(w W) (from, to int)) func(W, func(a, b, c int)) {
	return func(w W, can func(a, b, c int)) {
		from, to := numbers(w)
		for n := from; n < to; n++ {
			can(n, 0, 0)
		}
	}
}
