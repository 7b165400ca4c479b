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
	g := &graph{list: list, edges: make([][]edge, len(list))}
	if err := g.depend(); err != nil {
		return err
	}
	for _, l := range g.edges { // the same cycle is found each time
		slices.SortFunc(l, func(a, b edge) int {
			return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.kind, b.kind), cmp.Compare(a.key, b.key))
		})
	}
	if c := g.cycle(); c != nil {
		return c
	}
	g.realTime()
	if c := g.cycle(); c != nil {
		c.Real = true
		return c
	}
	return nil
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

// cycle is a short one, nil if there is none: the nodes that are left when those are taken off that nothing comes before
// are on cycles, or behind them.
func (g *graph) cycle() *Cycle {
	before := make([]int, len(g.edges))
	for _, list := range g.edges {
		for _, e := range list {
			before[e.to]++
		}
	}
	var free []int
	for i, n := range before {
		if n == 0 {
			free = append(free, i)
		}
	}
	left := len(g.edges)
	for ; len(free) > 0; left-- {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		for _, e := range g.edges[i] {
			if before[e.to]--; before[e.to] == 0 {
				free = append(free, e.to)
			}
		}
	}
	if left == 0 {
		return nil
	}
	var best []hop
	for i := range g.list {
		if before[i] > 0 {
			if c := g.back(i, before); c != nil && (best == nil || len(c) < len(best)) {
				best = c
			}
		}
	}
	return g.name(best)
}

// hop is a step of a way.
type hop struct {
	from int
	edge edge
}

// back is the shortest way from a node to itself, nil if there is none, by nodes that are left.
func (g *graph) back(start int, left []int) []hop {
	came := make([]hop, len(g.edges))
	known := make([]bool, len(g.edges))
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		for _, e := range g.edges[i] {
			if left[e.to] == 0 || known[e.to] {
				continue
			}
			known[e.to], came[e.to] = true, hop{i, e}
			if e.to != start {
				queue = append(queue, e.to)
				continue
			}
			var way []hop
			for at := start; ; at = came[at].from {
				way = append(way, came[at])
				if came[at].from == start {
					slices.Reverse(way)
					return way
				}
			}
		}
	}
	return nil
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
