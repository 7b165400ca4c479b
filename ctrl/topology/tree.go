package topology

import (
	"fmt"
	"maps"
	"slices"
)

// Copy is one that a switch makes of a packet of a group.
type Copy struct {
	Port uint16
	// Next is the switch that makes copies of it in its turn. Empty: it is the last, and
	// goes to To as that receiver's own packet.
	Next string
	// To is the receiver that it is addressed to: the first of Receivers. A switch that is a
	// receiver (one that gathers, see Gather) is told so in a packet of its own.
	To        string
	Receivers []string
}

// Tree says which switch makes which copies (Algorithm 1 of the MC-RDMA paper, lazy bifurcation).
//
//	home --- 1 copy for a, b, c ---> spine --- copy for a, b ---> leaf ---> a
//	                                   +------ c's own packet         +---> b
//
// Copies are made where the ways of receivers part, and no sooner. The paper's receivers
// share a copy when their sets of next hops are equal, for nobody knows which port of a set
// it will take. Here the controller picks the port (Pick), so those share that are sent the
// same way; equal sets always are.
//
// No link carries two copies, and no switch is reached twice. Suppose that at switch s the
// ways of receivers a and b part, by ports p and q, and that both come to x later. Parts of
// shortest ways are shortest ways, so p leads to b too and q to a: both ports are in both sets.
// a's is the first in rank of its set, and so before q; b's is before p. Both cannot be.
//
// That holds for the ways that were picked. A switch of the tree is one where copies are
// made, or where plain routing might leave the way that was picked; elsewhere the copy is
// plain unicast to To.
type Tree struct {
	Home   string
	Copies map[string][]Copy // by switch, the home's too
}

// Relays are the switches other than the home that have copies to make, those that are nearest
// to the receivers first: the order in which they are set up.
func (t *Tree) Relays() []string {
	var out []string
	var visit func(s string)
	visit = func(s string) {
		for _, c := range t.Copies[s] {
			if c.Next != "" {
				visit(c.Next)
			}
		}
		if s != t.Home {
			out = append(out, s)
		}
	}
	visit(t.Home)
	return out
}

// Equal reports whether two trees are the same.
func (t *Tree) Equal(o *Tree) bool {
	return t.Home == o.Home && maps.EqualFunc(t.Copies, o.Copies, func(a, b []Copy) bool {
		return slices.EqualFunc(a, b, func(x, y Copy) bool {
			return x.Port == y.Port && x.Next == y.Next && x.To == y.To && slices.Equal(x.Receivers, y.Receivers)
		})
	})
}

// Tree finds the tree of a flow from its home, the sender's first switch, to its receivers: hosts, and
// switches that gather for others, each as often as it has parts of the group. Those of
// the switches in keep that are on the way make copies, if only one, although plain routing would
// do: they know the group from an earlier tree, and would do what they did in that.
func (r *Routes) Tree(home string, receivers []string, flow uint64, keep ...string) (*Tree, error) {
	switch {
	case !r.net.IsSwitch(home):
		return nil, fmt.Errorf("topology: no switch %q", home)
	case r.net.plain[home]:
		return nil, fmt.Errorf("topology: switch %s only routes, and cannot be a home", home)
	case len(receivers) == 0:
		return nil, errNoReceivers
	}
	seen := map[string]bool{}
	for _, dst := range receivers {
		gathers := r.net.IsSwitch(dst)
		switch _, known := r.net.at[dst]; {
		case !known && !gathers:
			return nil, fmt.Errorf("topology: no host %q", dst)
		case gathers && (dst == home || r.net.plain[dst]):
			return nil, fmt.Errorf("topology: switch %s is the home, or only routes, and cannot be a receiver", dst)
		case seen[dst] && !gathers: // one switch may gather for several parts of a group
			return nil, fmt.Errorf("topology: receiver %s is given twice", dst)
		case len(r.NextHops(home, dst)) == 0:
			return nil, fmt.Errorf("topology: receiver %s cannot be reached from switch %s", dst, home)
		}
		seen[dst] = true
	}
	t := &Tree{home, map[string][]Copy{}}
	r.bifurcate(t, home, receivers, flow, keep)
	return t, nil
}

// branch is a way that some receivers share.
type branch struct {
	port uint16
	tor  string // behind a plain switch: the receivers' own, the next that can make copies
	dst  []string
	last bool // the next that can make copies is the receiver itself
}

func (r *Routes) branches(s string, receivers []string, flow uint64) (out []branch) {
	for _, dst := range receivers {
		port, _ := r.pick(s, r.NextHops(s, dst), flow)
		tor := ""
		next, isSwitch := r.net.joined[Place{s, port}]
		if isSwitch && r.net.plain[next.Switch] {
			// What is behind routes as it likes. Only the end of it is certain.
			tor = dst
			if p, isHost := r.net.at[dst]; isHost && !r.net.plain[p.Switch] {
				tor = p.Switch
			}
		}
		if isSwitch && r.net.IsSwitch(dst) && (next.Switch == dst || tor == dst) {
			out = append(out, branch{port: port, tor: tor, dst: []string{dst}, last: true})
			continue
		}
		i := slices.IndexFunc(out, func(b branch) bool { return b.port == port && b.tor == tor && !b.last })
		if i < 0 {
			i = len(out)
			out = append(out, branch{port: port, tor: tor})
		}
		out[i].dst = append(out[i].dst, dst)
	}
	return out
}

// bifurcate sets down the copies of switch s, and of those behind it.
func (r *Routes) bifurcate(t *Tree, s string, receivers []string, flow uint64, keep []string) {
	for _, b := range r.branches(s, receivers, flow) {
		c := Copy{Port: b.port, To: b.dst[0], Receivers: b.dst, Next: r.following(s, b, flow, keep)}
		t.Copies[s] = append(t.Copies[s], c)
		if c.Next != "" {
			r.bifurcate(t, c.Next, b.dst, flow, keep)
		}
	}
}

// following is the switch behind a branch that must know the group: the next where it parts,
// or where it could go astray, or that knows it already. None when plain routing brings it to its one receiver.
func (r *Routes) following(s string, b branch, flow uint64, keep []string) string {
	if b.last {
		return ""
	}
	if b.tor != "" {
		if len(b.dst) == 1 {
			return ""
		}
		return b.tor
	}
	next, isSwitch := r.net.joined[Place{s, b.port}]
	for isSwitch {
		at := next.Switch
		parts := r.branches(at, b.dst, flow)
		if len(parts) > 1 || len(r.NextHops(at, b.dst[0])) > 1 || slices.Contains(keep, at) {
			return at
		}
		if parts[0].last {
			return ""
		}
		if parts[0].tor != "" {
			if len(b.dst) == 1 {
				return ""
			}
			return parts[0].tor
		}
		next, isSwitch = r.net.joined[Place{at, parts[0].port}]
	}
	return ""
}
