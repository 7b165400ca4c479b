package control

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/hosts"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// Hosts behind other switches have no entry each in table l3: a network has more of them than a table has room for. Addresses that
// differ in their last bits only and go the same way share an entry.
//
//	10.0.0.4, .5, .6, .7 by set 1; 10.0.0.8 by port 3   -->   10.0.0.4/30 by set 1; 10.0.0.8/32 by port 3
//
// An entry covers no address that nobody has: a packet to such an address goes to the controller of the first switch, and to no
// other switch.

// prefix is what the addresses of an entry have in common: their first bits. The others are 0.
type prefix struct {
	addr wire.Addr
	bits uint8
}

// way is by what packets leave: a set of paths, or, without one, a port that leads to the next switch or to the host itself.
type way struct {
	set  names.PathSet
	port uint16
	next wire.MAC
}

// route is an entry of table l3.
type route struct {
	prefix
	way
}

// aggregate gives routes that cover the addresses of others, and no more. list has an address each, in order.
func aggregate(list []route) (out []route) {
	for _, r := range list {
		out = append(out, r)
		for n := len(out); n > 1 && halves(out[n-2], out[n-1]); n-- {
			out = out[:n-1]
			out[n-2].bits--
		}
	}
	return out
}

// halves reports whether two routes are the two halves of one, the lower half first.
func halves(a, b route) bool {
	x, y := binary.BigEndian.Uint32(a.addr[:]), binary.BigEndian.Uint32(b.addr[:])
	return a.bits == b.bits && a.bits > 1 && a.way == b.way && x^y == 1<<(32-a.bits)
}

// routesOf are the routes to hosts behind other switches. Sets of paths that have no number yet get one (paths.add). list is in the
// order of addresses, as hosts.Table has it.
func (t *tables) routesOf(list []hosts.Host) []route {
	var each []route
	for _, h := range list {
		if !h.Routed {
			continue
		}
		w := way{set: t.paths.number(h)}
		if w.set == names.PathsNone {
			w.port, w.next = h.Port, h.MAC
		}
		each = append(each, route{prefix{h.IP, 32}, w})
	}
	return aggregate(each)
}

// route is the entry of a route.
func (t *tables) route(r route) entry {
	dst := ip(names.TableL3KeyHdrIPv4Dst, r.addr)
	dst.PrefixLen = int(r.bits)
	e := entry{Table: names.TableL3, Match: []field{dst}, Action: names.ActionSpread, Args: []field{num(names.ActionSpreadParamSet, r.set)}}
	if r.set == names.PathsNone {
		e.Action, e.Args = names.ActionRoute, routeArgs(r.port, t.mac, r.next)
	}
	return e
}

// reroute are the updates that make the routes of a switch those to the hosts of a list. A route comes after the set of paths that it
// names, and before the routes that it replaces go: at no time has a host none.
func (t *tables) reroute(list []hosts.Host) (out []*p4.Update, err error) {
	before := maps.Clone(t.paths.sets)
	routes := t.routesOf(list)
	add := func(op p4.Update_Type, list ...entry) {
		if err == nil {
			out, err = t.info.Updates(out, op, list...)
		}
	}
	for _, set := range t.paths.ordered() {
		if _, there := before[set]; !there {
			add(p4.Update_INSERT, t.paths.entries(set)...)
		}
	}
	gone := t.routes
	t.routes = make(map[prefix]way, len(routes))
	for _, r := range routes {
		switch old, there := gone[r.prefix]; {
		case !there:
			add(p4.Update_INSERT, t.route(r))
		case old != r.way:
			add(p4.Update_MODIFY, t.route(r))
		}
		delete(gone, r.prefix)
		t.routes[r.prefix] = r.way
	}
	for _, p := range slices.SortedFunc(maps.Keys(gone), prefix.compare) {
		add(p4.Update_DELETE, t.route(route{p, gone[p]}))
	}
	add(p4.Update_DELETE, t.paths.keep(list)...)
	return out, err
}

func (p prefix) compare(o prefix) int {
	return cmp.Or(slices.Compare(p.addr[:], o.addr[:]), cmp.Compare(p.bits, o.bits))
}
