package topology

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// leafSpine has leaves l0.. and spines s0.., and hosts h<leaf>.<i> at ports 1..; uplinks are
// ports 101...
func leafSpine(t require.TestingT, leaves, spines, hosts int) *Network {
	var switches []string
	var links []Link
	var at []Host
	levels := map[string]int{}
	for s := range spines {
		switches = append(switches, fmt.Sprintf("s%d", s))
		levels[fmt.Sprintf("s%d", s)] = 1
	}
	for l := range leaves {
		name := fmt.Sprintf("l%d", l)
		switches = append(switches, name)
		levels[name] = 0
		for s := range spines {
			links = append(links, Link{Place{name, uint16(101 + s)}, Place{fmt.Sprintf("s%d", s), uint16(1 + l)}})
		}
		for h := range hosts {
			at = append(at, Host{fmt.Sprintf("h%d.%d", l, h), Place{name, uint16(1 + h)}})
		}
	}
	n, err := New(switches, links, at)
	require.NoError(t, err)
	require.NoError(t, n.SetLevels(levels))
	return n
}

// fatTree is a k-ary fat tree with one host at each edge switch.
func fatTree(t require.TestingT, k int) *Network {
	var switches []string
	var links []Link
	var hosts []Host
	levels := map[string]int{}
	add := func(level int, format string, a ...any) string {
		name := fmt.Sprintf(format, a...)
		switches = append(switches, name)
		levels[name] = level
		return name
	}
	for c := range k * k / 4 {
		add(2, "c%d", c)
	}
	for p := range k {
		for a := range k / 2 {
			agg := add(1, "a%d.%d", p, a)
			for i := range k / 2 {
				links = append(links, Link{Place{agg, uint16(101 + i)}, Place{fmt.Sprintf("c%d", a*k/2+i), uint16(1 + p)}})
			}
		}
		for e := range k / 2 {
			edge := add(0, "e%d.%d", p, e)
			for a := range k / 2 {
				links = append(links, Link{Place{edge, uint16(101 + a)}, Place{fmt.Sprintf("a%d.%d", p, a), uint16(1 + e)}})
			}
			hosts = append(hosts, Host{fmt.Sprintf("h%d.%d", p, e), Place{edge, 1}})
		}
	}
	n, err := New(switches, links, hosts)
	require.NoError(t, err)
	require.NoError(t, n.SetLevels(levels))
	return n
}

// network draws a connected one: a leaf-spine, a fat tree, or any.
func network(t *rapid.T) *Network {
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		return leafSpine(t, rapid.IntRange(2, 4).Draw(t, "leaves"), rapid.IntRange(1, 3).Draw(t, "spines"), 3)
	case 1:
		return fatTree(t, 4)
	}
	n := rapid.IntRange(2, 8).Draw(t, "switches")
	var switches []string
	var links []Link
	var hosts []Host
	free := make([]uint16, n)
	join := func(a, b int) {
		free[a]++
		free[b]++
		links = append(links, Link{Place{switches[a], free[a]}, Place{switches[b], free[b]}})
	}
	for i := range n {
		switches = append(switches, string(rune('a'+i)))
		if i > 0 {
			join(rapid.IntRange(0, i-1).Draw(t, "parent"), i)
		}
	}
	for range rapid.IntRange(0, 10).Draw(t, "more links") {
		a := rapid.IntRange(0, n-1).Draw(t, "from")
		join(a, (a+rapid.IntRange(1, n-1).Draw(t, "to"))%n)
	}
	for i := range rapid.IntRange(2, 8).Draw(t, "hosts") {
		at := rapid.IntRange(0, n-1).Draw(t, "at")
		hosts = append(hosts, Host{fmt.Sprintf("h%d", i), Place{switches[at], uint16(200 + i)}})
	}
	net, err := New(switches, links, hosts)
	require.NoError(t, err)
	return net
}

func failures(t *rapid.T, n *Network, label string) Down {
	d := Down{map[string]bool{}, map[Place]bool{}}
	var ends []Place
	for p := range n.joined {
		ends = append(ends, p)
	}
	slices.SortFunc(ends, func(a, b Place) int { return strings.Compare(a.String(), b.String()) })
	for range rapid.IntRange(0, 3).Draw(t, label+" links") {
		d.Ports[rapid.SampledFrom(ends).Draw(t, label+" link")] = true
	}
	if rapid.IntRange(0, 3).Draw(t, label+" switch fails") == 0 {
		d.Switches[rapid.SampledFrom(n.switches).Draw(t, label+" switch")] = true
	}
	return d
}

// group draws a home and receivers that it can reach; there may be none.
func group(t *rapid.T, r *Routes) (home string, receivers []string) {
	home = rapid.SampledFrom(r.net.switches).Draw(t, "home")
	var can []string
	for _, h := range r.net.hosts {
		if len(r.NextHops(home, h.Name)) > 0 && !r.down.Switches[home] {
			can = append(can, h.Name)
		}
	}
	if len(can) == 0 || r.net.plain[home] {
		return home, nil
	}
	can = rapid.Permutation(can).Draw(t, "order")
	return home, can[:rapid.IntRange(1, min(8, len(can))).Draw(t, "receivers")]
}

// flow sends a packet through a tree and counts what each link carries. Unicast may
// take any port of a set: all of them are tried.
type flow struct {
	r     *Routes
	t     *Tree
	links map[Place]int // by the end that sends
	got   map[string]int
}

func (f *flow) copies(at string, depth int) error {
	if depth > 50 {
		return errors.New("a circle")
	}
	list := f.t.Copies[at]
	if len(list) == 0 {
		return fmt.Errorf("%s has no copies to make", at)
	}
	for _, c := range list {
		if !slices.Contains(c.Receivers, c.To) {
			return fmt.Errorf("%s: %s does not represent %v", at, c.To, c.Receivers)
		}
		if c.Next == "" && len(c.Receivers) != 1 {
			return fmt.Errorf("%s: a packet of one's own for %v", at, c.Receivers)
		}
		if err := f.out(Place{at, c.Port}, c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// out puts a copy on a link.
func (f *flow) out(p Place, c Copy, depth int) error {
	f.links[p]++
	far, isSwitch := f.r.net.joined[p]
	if !isSwitch {
		if f.r.net.at[c.To] != p || c.Next != "" {
			return fmt.Errorf("port %v: a copy for %s, next %q", p, c.To, c.Next)
		}
		f.got[c.To]++
		return nil
	}
	if f.r.down.link(p, far) {
		return fmt.Errorf("port %v is down", p)
	}
	if far.Switch == c.Next {
		return f.copies(far.Switch, depth)
	}
	if far.Switch == c.To { // it gathers for others
		f.got[c.To]++
		return nil
	}
	set := f.r.NextHops(far.Switch, c.To)
	if len(set) == 0 {
		return fmt.Errorf("%s: no way to %s", far.Switch, c.To)
	}
	if len(set) > 1 && !f.r.net.plain[far.Switch] {
		return fmt.Errorf("%s: %s may take any of %v", far.Switch, c.To, set)
	}
	for _, port := range set[:1] {
		if err := f.out(Place{far.Switch, port}, c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// checkTree is what must hold of a tree.
func checkTree(r *Routes, t *Tree, receivers []string, flowID uint64) error {
	f := &flow{r, t, map[Place]int{}, map[string]int{}}
	if err := f.copies(t.Home, 0); err != nil {
		return err
	}
	for _, dst := range receivers {
		if f.got[dst] != 1 {
			return fmt.Errorf("%s gets %d copies", dst, f.got[dst])
		}
	}
	if len(f.got) != len(receivers) {
		return fmt.Errorf("somebody else gets one: %v", f.got)
	}
	// The links of the ways that were picked: there must be a copy on each, and there is
	// none that could do with fewer.
	want := map[Place]bool{}
	for _, dst := range receivers {
		for at := t.Home; ; {
			port, ok := r.pick(at, r.NextHops(at, dst), flowID)
			if !ok {
				return fmt.Errorf("no way from %s to %s", at, dst)
			}
			want[Place{at, port}] = true
			next, isSwitch := r.net.joined[Place{at, port}]
			if !isSwitch {
				break
			}
			at = next.Switch
		}
	}
	if len(r.net.plain) > 0 {
		return nil // copies part early, where a switch cannot copy
	}
	for p, n := range f.links {
		if n != 1 {
			return fmt.Errorf("link %v carries %d copies", p, n)
		}
		if !want[p] {
			return fmt.Errorf("link %v: a copy that none needs there", p)
		}
	}
	if len(want) != len(f.links) {
		return fmt.Errorf("copies on %d links, want %d", len(f.links), len(want))
	}
	return nil
}

func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := network(t)
		r := n.Routes(failures(t, n, "down"))
		home, receivers := group(t, r)
		if receivers == nil {
			return
		}
		id := rapid.Uint64().Draw(t, "flow")
		tree, err := r.Tree(home, receivers, id)
		require.NoError(t, err)
		require.NoError(t, checkTree(r, tree, receivers, id), "%+v", tree)
		for _, s := range tree.Relays() {
			require.NotEqual(t, home, s)
		}

		// Who is not concerned by a failure keeps its tree.
		down := failures(t, n, "then")
		used := false
		f := &flow{r, tree, map[Place]int{}, map[string]int{}}
		require.NoError(t, f.copies(home, 0))
		for p := range f.links {
			far, isSwitch := n.joined[p]
			used = used || down.Switches[p.Switch] || down.Ports[p] || isSwitch && down.link(p, far)
		}
		for s := range r.down.Switches {
			down.Switches[s] = true
		}
		for p := range r.down.Ports {
			down.Ports[p] = true
		}
		if !used {
			later := n.Routes(down)
			again, err := later.Tree(home, receivers, id)
			require.NoError(t, err)
			require.NoError(t, checkTree(later, again, receivers, id))
			for _, s := range n.switches { // what is copied is; rules may be spared
				for i, c := range again.Copies[s] {
					require.Equal(t, tree.Copies[s][i].Port, c.Port)
					require.Equal(t, tree.Copies[s][i].Receivers, c.Receivers)
				}
			}
		}
	})
}

// TestTreeMutants: what checkTree is there for, it sees.
func TestTreeMutants(t *testing.T) {
	n := fatTree(t, 4)
	r := n.Routes(Down{})
	receivers := []string{"h1.0", "h1.1", "h2.0", "h0.1"}
	fresh := func() *Tree {
		tree, err := r.Tree("e0.0", receivers, 7)
		require.NoError(t, err)
		return tree
	}
	require.NoError(t, checkTree(r, fresh(), receivers, 7))
	some := func(tree *Tree) string { return tree.Relays()[len(tree.Relays())-1] }
	for name, tt := range map[string]struct {
		spoil func(*Tree)
		want  string
	}{
		"a copy is missing":     {func(tr *Tree) { s := some(tr); tr.Copies[s] = tr.Copies[s][1:] }, ""},
		"a copy is made twice":  {func(tr *Tree) { s := some(tr); tr.Copies[s] = append(tr.Copies[s], tr.Copies[s][0]) }, ""},
		"a relay is missing":    {func(tr *Tree) { delete(tr.Copies, some(tr)) }, "no copies to make"},
		"a stranger represents": {func(tr *Tree) { tr.Copies["e0.0"][0].To = "h3.0" }, "does not represent"},
		"copies part too soon": {func(tr *Tree) {
			c := tr.Copies["e0.0"]
			for i := range c {
				if len(c[i].Receivers) > 1 {
					a, b := c[i], c[i]
					a.Receivers, b.Receivers = a.Receivers[:1], b.Receivers[1:]
					b.To = b.Receivers[0]
					tr.Copies["e0.0"] = append(c[:i], a, b)
					return
				}
			}
		}, ""},
	} {
		tree := fresh()
		tt.spoil(tree)
		err := checkTree(r, tree, receivers, 7)
		require.Error(t, err, name)
		require.ErrorContains(t, err, tt.want, name)
	}

	// A choice that looks at the whole set, as a hash modulo its size does, lets ways part
	// and meet again.
	seen := rapidSees(func(t *rapid.T) error {
		n := network(t)
		r := n.Routes(failures(t, n, "down"))
		r.pick = func(from string, set []uint16, flow uint64) (uint16, bool) {
			if len(set) == 0 {
				return 0, false
			}
			return set[rank(Place{from, 0}, flow)%uint64(len(set))], true
		}
		home, receivers := group(t, r)
		if receivers == nil {
			return nil
		}
		tree, err := r.Tree(home, receivers, 1)
		if err != nil {
			return err
		}
		return checkTree(r, tree, receivers, 1)
	})
	require.True(t, seen, "choices by the size of a set have not been found out")
}

// rapidSees runs examples until one fails.
func rapidSees(check func(*rapid.T) error) bool {
	gen := rapid.Custom(func(t *rapid.T) (out error) { return check(t) })
	for seed := range 3000 {
		if gen.Example(seed) != nil {
			return true
		}
	}
	return false
}

// TestTreeAgainstPaper: where all sets are equal or disjoint, as in a fat tree that is whole, there
// are as many copies as by the paper's rule on sets, at the same depth.
func TestTreeAgainstPaper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := fatTree(t, 4)
		r := n.Routes(Down{})
		home, receivers := group(t, r)
		tree, err := r.Tree(home, receivers, rapid.Uint64().Draw(t, "flow"))
		require.NoError(t, err)
		var paper func(s string, dst []string) int
		paper = func(s string, dst []string) (links int) {
			var sets [][]uint16
			var to [][]string
			for _, d := range dst {
				set := r.NextHops(s, d)
				i := slices.IndexFunc(sets, func(x []uint16) bool { return slices.Equal(x, set) })
				if i < 0 {
					i = len(sets)
					sets, to = append(sets, set), append(to, nil)
				}
				to[i] = append(to[i], d)
			}
			for i, set := range sets {
				links++
				if next, isSwitch := n.joined[Place{s, set[0]}]; isSwitch {
					links += paper(next.Switch, to[i])
				}
			}
			return links
		}
		f := &flow{r, tree, map[Place]int{}, map[string]int{}}
		require.NoError(t, f.copies(home, 0))
		require.Len(t, f.links, paper(home, receivers))
	})
}

// TestKeep: a switch that knows the group from an earlier tree makes copies if it is on the way, and
// nothing is different for those that are not.
func TestKeep(t *testing.T) {
	n := leafSpine(t, 2, 1, 2)
	r := n.Routes(Down{})
	receivers := []string{"h1.0"}
	tree, err := r.Tree("l0", receivers, 3)
	require.NoError(t, err)
	require.Empty(t, tree.Relays(), "plain routing does")
	kept, err := r.Tree("l0", receivers, 3, "s0", "l1", "l9")
	require.NoError(t, err)
	require.NoError(t, checkTree(r, kept, receivers, 3))
	require.Equal(t, []string{"l1", "s0"}, kept.Relays())
	for _, at := range []string{"l0", "s0", "l1"} {
		require.Len(t, kept.Copies[at], 1)
	}
}

func TestToROnly(t *testing.T) {
	n := leafSpine(t, 3, 2, 3)
	require.NoError(t, n.SetPlain("s0", "s1"))
	r := n.Routes(Down{})
	tree, err := r.Tree("l0", []string{"h0.1", "h1.0", "h1.1", "h2.0"}, 3)
	require.NoError(t, err)
	require.NoError(t, checkTree(r, tree, []string{"h0.1", "h1.0", "h1.1", "h2.0"}, 3))
	require.Equal(t, []string{"l1"}, tree.Relays(), "spines make no copies")
	require.Len(t, tree.Copies["l0"], 3, "one of its own, one per rack")
	_, err = r.Tree("s0", []string{"h0.1"}, 3)
	require.ErrorContains(t, err, "switch s0 only routes")
	require.ErrorContains(t, n.SetPlain("x"), `no switch "x"`)
}

func TestLeafSpineTree(t *testing.T) {
	n := leafSpine(t, 3, 2, 3)
	r := n.Routes(Down{})
	require.Equal(t, []uint16{101, 102}, r.NextHops("l0", "h1.0"))
	require.Equal(t, []uint16{1}, r.NextHops("l0", "h0.0"))
	require.Equal(t, [][]uint16{{101, 102}}, n.PortGroups("l0"))
	require.Empty(t, n.PortGroups("s0"))
	receivers := []string{"h1.0", "h1.1", "h2.0"}
	tree, err := r.Tree("l0", receivers, 3)
	require.NoError(t, err)
	require.Len(t, tree.Copies["l0"], 1)
	spine := tree.Copies["l0"][0].Next
	require.Equal(t, []string{"l1", spine}, tree.Relays(), "leaves first")
	require.Equal(t, []string{"h1.0", "h1.1"}, tree.Copies[spine][0].Receivers)

	// The spine fails.
	r = n.Routes(Down{Switches: map[string]bool{spine: true}})
	other, err := r.Tree("l0", receivers, 3)
	require.NoError(t, err)
	require.NotEqual(t, spine, other.Copies["l0"][0].Next)
	require.False(t, tree.Equal(other))
	require.NoError(t, checkTree(r, other, receivers, 3))

	// Both do.
	r = n.Routes(Down{Switches: map[string]bool{"s0": true, "s1": true}})
	_, err = r.Tree("l0", receivers, 3)
	require.ErrorContains(t, err, "receiver h1.0 cannot be reached from switch l0")
	for want, receivers := range map[string][]string{"no host": {"x"}, "given twice": {"h0.0", "h0.0"}, "without receivers": nil} {
		_, err = r.Tree("l0", receivers, 3)
		require.ErrorContains(t, err, want)
	}
	_, err = r.Tree("x", receivers, 3)
	require.ErrorContains(t, err, `no switch "x"`)
}

// TestFlowsSpread: flows use all ports of a set, about equally.
func TestFlowsSpread(t *testing.T) {
	count := map[uint16]int{}
	for id := range uint64(4000) {
		p, ok := Pick("l0", []uint16{1, 2, 3, 4}, id)
		require.True(t, ok)
		count[p]++
	}
	for p, c := range count {
		require.InDelta(t, 1000, c, 150, "port %d", p)
	}
	_, ok := Pick("l0", nil, 1)
	require.False(t, ok)
}

// TestUpDown: nothing goes up again, and the next switch is nearer.
func TestUpDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n *Network
		if rapid.Bool().Draw(t, "fat tree") {
			n = fatTree(t, 4)
		} else {
			n = leafSpine(t, 4, 3, 2)
		}
		r := n.Routes(failures(t, n, "down"))
		for _, from := range n.switches {
			for _, h := range n.hosts {
				at, wentDown := from, false
				for hops := 0; ; hops++ {
					require.Less(t, hops, 6)
					set := r.NextHops(at, h.Name)
					if len(set) == 0 {
						require.Equal(t, from, at, "a way that ends")
						break
					}
					next, isSwitch := n.joined[Place{at, rapid.SampledFrom(set).Draw(t, "any")}]
					if !isSwitch {
						break
					}
					up := n.levels[next.Switch] > n.levels[at]
					require.False(t, up && wentDown, "%s to %s goes up again at %s", from, h.Name, at)
					wentDown = wentDown || !up
					// What comes back may come in by any port of the group of this one.
					require.Contains(t, r.NextHops(next.Switch, from), next.Port)
					at = next.Switch
				}
			}
		}
	})
}

func TestBadLevels(t *testing.T) {
	for _, tt := range []struct {
		text   string
		levels map[string]int
		want   string
	}{
		{"a:1-b:1", map[string]int{"a": 0}, "switch b has no level"},
		{"a:1-b:1", map[string]int{"a": 1, "b": 1}, "link a:1 - b:1 joins level 1 and level 1: up-down routing allows no loops"},
		{"a:1-b:1", map[string]int{"a": 0, "b": 2}, "a link must join adjacent levels"},
		{"a:1-b:1 h@a:8 g@b:8 a:2-c:1 c:2-d:1 e@d:8", map[string]int{"a": 0, "b": 1, "c": 1, "d": 2}, ""},
		{"b:1-a:1 a:2-c:1 h@b:8 g@c:8", map[string]int{"a": 0, "b": 1, "c": 1}, "host g cannot be reached from h by going up and then down"},
	} {
		links, hosts := parse(t, tt.text)
		switches := []string{}
		for _, s := range []string{"a", "b", "c", "d"} {
			if strings.Contains(tt.text, s+":") {
				switches = append(switches, s)
			}
		}
		n, err := New(switches, links, hosts)
		require.NoError(t, err)
		err = n.SetLevels(tt.levels)
		if tt.want == "" {
			require.Error(t, err)
			continue
		}
		require.ErrorContains(t, err, tt.want)
	}
}
