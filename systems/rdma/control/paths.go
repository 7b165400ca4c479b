package control

import (
	"cmp"
	"slices"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/topology"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// paths are the sets of paths of a switch of a fabric that routes to hosts name (equal-cost multipath). The program has
// a flow of each packet, a hash; table paths says, for each set, by which port a flow goes. A set is made with
// the first host behind it, and goes with the last.
type paths struct {
	f    *Fabric // nil: a switch by itself, which has none
	at   string
	mac  wire.MAC
	sets map[hosts.Paths]names.PathSet
}

// number is that of the set by which a host is reached: a new one, unless there is the set. It is PathsNone for a host with one path,
// and when all numbers are in use: then the host is reached by one path (hosts.Host.Port).
func (p *paths) number(h hosts.Host) names.PathSet {
	if p.f == nil || h.Paths == "" {
		return names.PathsNone
	}
	if n, ok := p.sets[h.Paths]; ok {
		return n
	}
	used := map[names.PathSet]bool{names.PathsNone: true}
	for _, n := range p.sets {
		used[n] = true
	}
	n := names.PathsNone
	for used[n] {
		n++
	}
	if int(n) >= names.PathSets {
		return names.PathsNone
	}
	if p.sets == nil {
		p.sets = map[hosts.Paths]names.PathSet{}
	}
	p.sets[h.Paths] = n
	return n
}

// keep forgets the sets that no host needs, and returns the entries that are to be removed.
func (p *paths) keep(list []hosts.Host) (stale []entry) {
	needed := map[hosts.Paths]bool{}
	for _, h := range list {
		needed[h.Paths] = true
	}
	for _, ports := range p.ordered() {
		if !needed[ports] {
			stale = append(stale, p.entries(ports)...)
			delete(p.sets, ports)
		}
	}
	return stale
}

// all are the entries of all sets.
func (p *paths) all() (out []entry) {
	for _, ports := range p.ordered() {
		out = append(out, p.entries(ports)...)
	}
	return out
}

// ordered are the sets in the order of their numbers.
func (p *paths) ordered() (out []hosts.Paths) {
	for ports := range p.sets {
		out = append(out, ports)
	}
	slices.SortFunc(out, func(a, b hosts.Paths) int { return cmp.Compare(p.sets[a], p.sets[b]) })
	return out
}

// entries are those of one set: the port of each flow, and the next switch there.
func (p *paths) entries(ports hosts.Paths) (out []entry) {
	for flow, port := range topology.Deal(p.at, ports.Ports(), names.Flows) {
		next, _ := p.f.Net.Peer(topology.Place{Switch: p.at, Port: port})
		out = append(out, pathOf(p.sets[ports], flow, port, p.mac, p.f.sw[next.Switch].MAC))
	}
	return out
}

func pathOf(set names.PathSet, flow int, port uint16, own, next wire.MAC) entry {
	return entry{
		Table: names.TablePaths, Match: []field{num(names.TablePathsKeySet, set), num(names.TablePathsKeyFlow, flow)},
		Action: names.ActionRoute, Args: routeArgs(port, own, next),
	}
}

// routeArgs are the arguments of action route.
func routeArgs(port uint16, own, next wire.MAC) []field {
	return []field{num(names.ActionRouteParamPort, port), mac(names.ActionRouteParamSrcMAC, own), mac(names.ActionRouteParamDstMAC, next)}
}
