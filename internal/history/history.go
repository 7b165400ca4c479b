package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fate is how a transaction has ended.
type Fate uint8

// The fates.
const (
	Unknown Fate = iota
	Done
	NotDone
)

// Op is what a transaction did with a key.
type Op struct {
	Key   string
	Wrote string // the value that it put, "": it has only read
	Saw   string // the value that it has read, or replaced; "": there was none. Of a transaction that is Done
	Blind bool   // Saw is not known, though the transaction is Done
}

// Txn is a transaction.
type Txn struct {
	Name       string
	Begin, End int64 // by the clock of all; End: of one that is Done
	Fate       Fate
	Ops        []Op
}

// kind is why a transaction comes before another one.
type kind uint8

const (
	ww    kind = iota // the other one has replaced its value
	wr                // the other one has seen its value
	rw                // the other one has replaced what it has seen
	real              // it had ended when the other one began
	kinds = int(real) + 1
)

var kindNames = [kinds]string{"ww", "wr", "rw", "before"}

// edge goes from a transaction to one that comes after it.
type edge struct {
	to   int
	kind kind
	key  string
}

// Cycle is a set of transactions that cannot be put in order: each comes before the next, and the last before the first.
type Cycle struct {
	Txns []string
	Why  []string // by transaction: why it comes before the next
	// Real: without the order of real time, there is an order.
	Real bool
}

func (c *Cycle) Error() string {
	var b strings.Builder
	b.WriteString("not serializable: ")
	if c.Real {
		b.Reset()
		b.WriteString("serializable, and not in the order of real time: ")
	}
	for i, t := range c.Txns {
		fmt.Fprintf(&b, "%s -%s-> ", t, c.Why[i])
	}
	return b.String() + c.Txns[0]
}

// version names a value of a key.
type version struct{ key, value string }

// graph has the transactions, and behind them the nodes of real time.
type graph struct {
	list  []Txn
	edges [][]edge
}

// Check looks for an order of all transactions that explains what they have seen: nil if there is one, a *Cycle if there is
// none, or another error if a value has come from nowhere.
func Check(list []Txn) error {
	g, err := newGraph(list)
	if err != nil {
		return err
	}
	g.realTime()
	if c := g.cycle(); c != nil {
		c.Real = true
		return c
	}
	return nil
}

// CheckParts is Check for a store in parts, which keeps the order of real time of transactions that have a part in common: an
// order of all transactions explains what they have seen, and one in real time what they have done in each part.
func CheckParts[P comparable](list []Txn, part func(key string) P) error {
	if _, err := newGraph(list); err != nil {
		return err
	}
	var names []P
	parts := map[P][]Txn{}
	for _, t := range list {
		ops := map[P][]Op{}
		for _, o := range t.Ops {
			p := part(o.Key)
			if _, known := parts[p]; !known {
				parts[p] = nil
				names = append(names, p)
			}
			ops[p] = append(ops[p], o)
		}
		for p, own := range ops {
			t.Ops = own
			parts[p] = append(parts[p], t)
		}
	}
	for _, p := range names {
		if err := Check(parts[p]); err != nil {
			return fmt.Errorf("part %v: %w", p, err)
		}
	}
	return nil
}

// newGraph makes a graph of what depends on what, without real time, which has no cycles: else it is an error.
func newGraph(list []Txn) (*graph, error) {
	g := &graph{list: list, edges: make([][]edge, len(list))}
	if err := g.depend(); err != nil {
		return nil, err
	}
	for _, l := range g.edges { // the same cycle is found each time
		slices.SortFunc(l, func(a, b edge) int {
			return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.kind, b.kind), cmp.Compare(a.key, b.key))
		})
	}
	if c := g.cycle(); c != nil {
		return nil, c
	}
	return g, nil
}

// depend adds what follows from values.
func (g *graph) depend() error {
	writer := map[version]int{}
	for i, t := range g.list {
		for _, o := range t.Ops {
			if o.Wrote == "" {
				continue
			}
			v := version{o.Key, o.Wrote}
			if w, twice := writer[v]; twice {
				return fmt.Errorf("%s and %s write the same value %q of %s: the history cannot be judged", g.list[w].Name, t.Name, o.Wrote, o.Key)
			}
			writer[v] = i
		}
	}
	seen := map[version][]int{}     // who has seen a value,
	replaced := map[version][]int{} // and who has replaced it
	for i, t := range g.list {
		if t.Fate != Done {
			continue
		}
		for _, o := range t.Ops {
			if o.Blind {
				continue
			}
			v := version{o.Key, o.Saw}
			if o.Saw != "" {
				w, ok := writer[v]
				switch {
				case !ok:
					return fmt.Errorf("%s has seen %q of %s, which nobody wrote", t.Name, o.Saw, o.Key)
				case g.list[w].Fate == NotDone:
					return fmt.Errorf("%s has seen %q of %s, which %s wrote, and that was not done", t.Name, o.Saw, o.Key, g.list[w].Name)
				case w == i:
					return fmt.Errorf("%s has seen its own value %q of %s", t.Name, o.Saw, o.Key)
				}
				k := wr
				if o.Wrote != "" {
					k = ww
				}
				g.add(w, edge{i, k, o.Key})
			}
			seen[v] = append(seen[v], i)
			if o.Wrote != "" {
				replaced[v] = append(replaced[v], i)
			}
		}
	}
	for v, readers := range seen {
		for _, r := range readers {
			for _, w := range replaced[v] {
				if r != w {
					g.add(r, edge{w, rw, v.key})
				}
			}
		}
	}
	// No value comes back: who has seen none comes before all who have written the key. (What has not happened was not seen,
	// and so comes before nobody: it may as well count.)
	for v, w := range writer {
		for _, r := range seen[version{v.key, ""}] {
			if r != w {
				g.add(r, edge{w, rw, v.key})
			}
		}
	}
	return nil
}

func (g *graph) add(from int, e edge) { g.edges[from] = append(g.edges[from], e) }

// realTime adds that what has ended comes before what begins: a chain of the moments at which transactions end, each of
// which is a node. A transaction that began later hangs on the last moment before.
func (g *graph) realTime() {
	var ended []int
	for i, t := range g.list {
		if t.Fate == Done {
			ended = append(ended, i)
		}
	}
	slices.SortStableFunc(ended, func(a, b int) int { return cmp.Compare(g.list[a].End, g.list[b].End) })
	first := len(g.list)
	for n, i := range ended {
		g.edges = append(g.edges, nil)
		g.add(i, edge{first + n, real, ""})
		if n > 0 {
			g.add(first+n-1, edge{first + n, real, ""})
		}
	}
	for i, t := range g.list {
		n, _ := slices.BinarySearchFunc(ended, t.Begin, func(e int, at int64) int { return cmp.Compare(g.list[e].End, at) })
		if n > 0 {
			g.add(first+n-1, edge{i, real, ""})
		}
	}
}

// patience is how many edges are followed at most to find the shortest cycle. Then any will do.
const patience = 1 << 24

// cycle is a short one, nil if there is none: what is left when those are taken off that nothing comes before, and then those
// that come before nothing, is on cycles, or between two.
func (g *graph) cycle() *Cycle {
	left := make([]bool, len(g.edges))
	for i := range left {
		left[i] = true
	}
	if peel(g.edges, left) == 0 {
		return nil
	}
	back := make([][]edge, len(g.edges))
	for i, list := range g.edges {
		for _, e := range list {
			back[e.to] = append(back[e.to], edge{to: i})
		}
	}
	peel(back, left)
	s := &search{graph: g, left: left, known: make([]int, len(g.edges)), came: make([]hop, len(g.edges))}
	for s.most = 2; s.best == nil && s.effort < patience; s.most *= 2 {
		for i := 0; i < len(g.list) && s.effort < patience; i++ {
			s.from(i)
		}
	}
	s.most = len(g.edges)
	for i := 0; s.best == nil; i++ {
		s.from(i)
	}
	return g.name(s.best)
}

// peel takes those off that nothing comes before, and says how many are left.
func peel(edges [][]edge, left []bool) (count int) {
	before := make([]int, len(edges))
	for i, list := range edges {
		if !left[i] {
			continue
		}
		count++
		for _, e := range list {
			before[e.to]++
		}
	}
	var free []int
	for i, n := range before {
		if left[i] && n == 0 {
			free = append(free, i)
		}
	}
	for ; len(free) > 0; count-- {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		left[i] = false
		for _, e := range edges[i] {
			if before[e.to]--; before[e.to] == 0 && left[e.to] {
				free = append(free, e.to)
			}
		}
	}
	return count
}

// hop is a step of a way.
type hop struct {
	from int
	edge edge
}

// search looks for the shortest cycle.
type search struct {
	*graph
	left   []bool
	turn   int
	known  []int // in which turn a node was found last,
	came   []hop // and how
	effort int
	most   int // hops
	best   []hop
}

// from looks for a way from a node to itself that is short enough, and shorter than the best.
func (s *search) from(start int) {
	if !s.left[start] {
		return
	}
	s.turn++
	here := []int{start}
	for far := 1; len(here) > 0 && far <= s.most; far++ {
		var next []int
		for _, i := range here {
			for _, e := range s.edges[i] {
				s.effort++
				if !s.left[e.to] || s.known[e.to] == s.turn {
					continue
				}
				s.known[e.to], s.came[e.to] = s.turn, hop{i, e}
				if e.to != start {
					next = append(next, e.to)
					continue
				}
				s.best = nil
				for at := start; ; at = s.came[at].from {
					s.best = append(s.best, s.came[at])
					if s.came[at].from == start {
						slices.Reverse(s.best)
						s.most = far - 1
						return
					}
				}
			}
		}
		here = next
	}
}

// name makes an error of a cycle: nodes of real time have no names.
func (g *graph) name(way []hop) *Cycle {
	c := new(Cycle)
	for _, h := range way {
		if h.from < len(g.list) {
			c.Txns = append(c.Txns, g.list[h.from].Name)
			why := kindNames[h.edge.kind]
			if h.edge.key != "" {
				why += " " + h.edge.key
			}
			c.Why = append(c.Why, why)
		}
	}
	return c
}
