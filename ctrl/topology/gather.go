package topology

import (
	"fmt"
	"slices"
)

// Part is a part of a group's receivers, whose acknowledgements one switch gathers.
type Part struct {
	// Home gathers them. Empty: there is one receiver, which answers the group's home itself.
	Home      string
	Receivers []string
}

// Gather says which switch gathers from which receivers, when a home has fan slots and there are
// more receivers. Each slot is a receiver, or a switch that gathers from up to fan of them.
//
//	home ---> h1                       8 slots
//	   +----> l1 ---> h3, h4, h5, h6   a part
//	   +----> l2 ---> h7, h8
//
// Receivers of one switch are one part, gathered by that switch, so that nothing is carried twice. When those
// are too many parts, neighbours in the tree are put together; receivers of the home itself stay
// its own as long as there is room, for it cannot gather for itself twice: others do, and send back. A
// part's home is the switch of a receiver, if it can be: when that is lost, so is the receiver, and whoever waits
// for all has lost nothing more.
func (r *Routes) Gather(home string, receivers []string, flow uint64, fan int) ([]Part, error) {
	if len(receivers) > fan*fan {
		return nil, fmt.Errorf("topology: %d receivers: two levels gather from at most %d", len(receivers), fan*fan)
	}
	t, err := r.Tree(home, receivers, flow)
	if err != nil {
		return nil, err
	}
	var parts []Part
	if len(receivers) <= fan {
		for _, dst := range receivers {
			parts = append(parts, Part{Receivers: []string{dst}})
		}
		return parts, nil
	}
	g := gathering{r, home, receivers}
	order := g.ordered(t)
	for i, dst := range order {
		last := len(parts) - 1
		at := r.net.at[dst].Switch
		if i > 0 && at != home && !r.net.plain[at] && at == r.net.at[order[i-1]].Switch && len(parts[last].Receivers) < fan {
			parts[last].Receivers = append(parts[last].Receivers, dst)
		} else {
			parts = append(parts, Part{Receivers: []string{dst}})
		}
	}
	for len(parts) > fan {
		best, least := -1, 0
		for i := range len(parts) - 1 {
			if cost := g.cost(parts[i], fan) + g.cost(parts[i+1], fan); len(parts[i].Receivers)+len(parts[i+1].Receivers) <= fan && (best < 0 || cost < least) {
				best, least = i, cost
			}
		}
		if best < 0 { // whoever has a whole part with others leaves no gaps
			parts = nil
			for chunk := range slices.Chunk(order, fan) {
				parts = append(parts, Part{Receivers: chunk})
			}
			break
		}
		parts[best].Receivers = slices.Concat(parts[best].Receivers, parts[best+1].Receivers)
		parts = slices.Delete(parts, best+1, best+2)
	}
	used := map[string]int{}
	for i := range parts {
		if p := &parts[i]; len(p.Receivers) > 1 {
			if p.Home = g.place(p.Receivers, used); p.Home == "" {
				return nil, fmt.Errorf("topology: %d receivers: no switch besides %s can be reached, and one switch gathers from at most %d", len(receivers), home, fan)
			}
			used[p.Home]++
		}
	}
	return parts, nil
}

type gathering struct {
	r         *Routes
	home      string
	receivers []string
}

// ordered are the receivers as the tree comes by them.
func (g gathering) ordered(t *Tree) (out []string) {
	var visit func(s string)
	visit = func(s string) {
		for _, c := range t.Copies[s] {
			if c.Next != "" {
				visit(c.Next)
			} else {
				out = append(out, c.To)
			}
		}
	}
	visit(t.Home)
	// Those of one switch may be apart (behind switches that only route): together.
	first := map[string]int{}
	for i, dst := range out {
		if _, ok := first[g.r.net.at[dst].Switch]; !ok {
			first[g.r.net.at[dst].Switch] = i
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return first[g.r.net.at[a].Switch] - first[g.r.net.at[b].Switch] })
	return out
}

// cost is how little a part should be put together with another: receivers of the home best stay with it.
func (g gathering) cost(p Part, fan int) (n int) {
	for _, dst := range p.Receivers {
		n++
		if g.r.net.at[dst].Switch == g.home {
			n += fan
		}
	}
	return n
}

// place is the home of a part: the switch of most of its receivers, else that of other receivers, else any; of
// equals the one that has the fewest parts. Empty: there is none.
func (g gathering) place(part []string, used map[string]int) string {
	count := func(list []string, s string) (n int) {
		for _, dst := range list {
			if g.r.net.at[dst].Switch == s {
				n++
			}
		}
		return n
	}
	reached := func(s string) bool {
		if s == g.home || g.r.net.plain[s] || len(g.r.NextHops(g.home, s)) == 0 {
			return false
		}
		for _, dst := range part {
			if len(g.r.NextHops(s, dst)) == 0 {
				return false
			}
		}
		return true
	}
	best := ""
	better := func(s string) bool {
		for _, d := range []int{count(part, s) - count(part, best), min(1, count(g.receivers, s)) - min(1, count(g.receivers, best)), used[best] - used[s]} {
			if d != 0 {
				return d > 0
			}
		}
		return false
	}
	for _, s := range g.r.net.switches {
		if reached(s) && (best == "" || better(s)) {
			best = s
		}
	}
	return best
}
