package control

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// held is how a switch routes: for each address the ports, with the number of flows that go there.
func (w *world) held(name string) (map[string]map[uint16]int, error) {
	l := w.labs[name]
	list, err := l.client.ReadTable(l.ctx, l.info, names.TablePaths)
	if err != nil {
		return nil, err
	}
	sets := map[uint64]map[uint16]int{}
	for _, e := range list {
		set, port := key(e, names.TablePathsKeySet), uint16(arg(e, names.ActionRouteParamPort))
		if sets[set] == nil {
			sets[set] = map[uint16]int{}
		}
		sets[set][port]++
		far, ok := w.fabric.Net.Peer(topology.Place{Switch: name, Port: port})
		if !ok || w.fabric.sw[far.Switch].MAC != macOf(e.Arg(names.ActionRouteParamDstMAC)) || w.fabric.sw[name].MAC != macOf(e.Arg(names.ActionRouteParamSrcMAC)) {
			return nil, fmt.Errorf("a path of set %d by port %d with another's MAC address", set, port)
		}
	}
	if list, err = l.client.ReadTable(l.ctx, l.info, names.TableL3); err != nil {
		return nil, err
	}
	out, named := map[string]map[uint16]int{}, map[uint64]bool{}
	for _, e := range list {
		way := map[uint16]int{uint16(arg(e, names.ActionRouteParamPort)): names.Flows}
		if e.Action == names.ActionSpread {
			set := arg(e, names.ActionSpreadParamSet)
			way, named[set] = sets[set], true
		}
		first := key(e, names.TableL3KeyHdrIPv4Dst)
		for n := range uint64(1) << (32 - e.Match[0].PrefixLen) {
			out[fmt.Sprint(addrOf(binary.BigEndian.AppendUint32(nil, uint32(first+n))))] = way
		}
	}
	if len(named) != len(sets) {
		return nil, fmt.Errorf("%d sets of paths, %d are named", len(sets), len(named))
	}
	return out, nil
}

// TestPaths: flows to hosts are dealt out over all paths that cost the same; what is for switches keeps to one. Links that fail
// and come back change that, and a controller that takes over mends it.
func TestPaths(t *testing.T) {
	w := newWorld(t, fabricJSON(2, 3, false))
	stop := w.controller(nil)
	both, one := map[uint16]int{31: names.Flows / 2, 32: names.Flows / 2}, func(port uint16) map[uint16]int { return map[uint16]int{port: names.Flows} }
	routes := func(far map[uint16]int) map[string]map[uint16]int {
		out := map[string]map[uint16]int{"10.0.0.1": one(1), "10.0.0.2": one(2)}
		for n := 3; n <= 6; n++ {
			out[fmt.Sprintf("10.0.0.%d", n)] = far
		}
		return out
	}
	soon := func(want map[string]map[uint16]int) {
		t.Helper()
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			got, err := w.held("l0")
			require.NoError(c, err)
			require.Len(c, got, 10)
			require.Subset(c, got, want)
		}, 20*time.Second, 2*time.Millisecond)
	}
	soon(routes(both))
	got, err := w.held("l0")
	require.NoError(t, err)
	for _, a := range []string{"10.0.0.241", "10.0.0.242", "10.0.0.250", "10.0.0.251"} {
		require.Len(t, got[a], 1, "%s is a switch", a)
	}
	w.cables["l0:31"].cut.Store(true)
	soon(routes(one(32)))
	w.cables["l0:31"].cut.Store(false)
	soon(routes(both))

	// A route that could not be written is written again.
	refused := atomic.Bool{}
	refuse := func(e *dataplane.Entry) bool {
		return strings.HasSuffix(e.Table.Name, ".l3") && refused.CompareAndSwap(false, true)
	}
	w.labs["l0"].refuse.Store(&refuse)
	w.cables["l0:31"].cut.Store(true)
	soon(routes(one(32)))
	require.True(t, refused.Load())
	w.cables["l0:31"].cut.Store(false)
	soon(routes(both))

	// Flows that go elsewhere, a set that nobody needs, and one that lacks a flow.
	stop()
	l := w.labs["l0"]
	l.asPrimary(func(c *p4rtclient.Client, tb *tables) {
		at := func(set names.PathSet, flow int) entry { return pathOf(set, flow, 5, wire.MAC{2}, wire.MAC{3}) }
		for op, e := range map[p4.Update_Type]entry{p4.Update_INSERT: at(9, 3), p4.Update_MODIFY: at(1, 0), p4.Update_DELETE: at(1, 1)} {
			u, err := tb.info.Updates(nil, op, e)
			require.NoError(t, err)
			require.NoError(t, c.Write(l.ctx, u...), op)
		}
	})
	w.controller(nil)
	soon(routes(both))
}

// TestPathSets: a set of paths is there before the routes that name it, once for all hosts behind it, and is free when the
// last of them has gone. Who finds no free one has one path.
func TestPathSets(t *testing.T) {
	f, err := ParseFabric([]byte(fabricJSON(5, 2, false)))
	require.NoError(t, err)
	c, err := f.Config(Config{}, "l0")
	require.NoError(t, err)
	tb := newTables(newRDMATest(t).info, &c)
	var list []hosts.Host
	for n := 0; len(list) < names.PathSets+3; n++ {
		ports := []uint16{31 + uint16(n%5), 31 + uint16(n/5%5), 31 + uint16(n/25)}
		if ports[0] == ports[1] || ports[1] == ports[2] || ports[0] == ports[2] {
			continue
		}
		list = append(list, hosts.Host{IP: wire.Addr{10, 1, 0, byte(n)}, MAC: wire.MAC{2, byte(n)}, Port: ports[0], Routed: true, Paths: hosts.PathsOf(ports)})
	}
	const sets = names.PathSets - 1
	// arrive has the hosts of a list be all that there are, and says how many paths and routes are written, and which set each
	// host has.
	arrive := func(list []hosts.Host) (paths, routes int, of []names.PathSet) {
		t.Helper()
		u, err := tb.reroute(list)
		require.NoError(t, err)
		for _, x := range u {
			e, err := tb.info.Decode(x.GetEntity().GetTableEntry())
			require.NoError(t, err)
			switch {
			case x.GetType() == p4.Update_DELETE:
			case e.Table == names.TablePaths:
				paths++
				require.Zero(t, routes, "sets come first")
			default:
				routes++
			}
		}
		for _, h := range list {
			of = append(of, tb.routes[prefix{h.IP, 32}].set)
		}
		return paths, routes, of
	}
	seen := map[names.PathSet]bool{}
	for i := range list {
		paths, routes, of := arrive(list[:i+1])
		require.Equal(t, 1, routes)
		if i >= sets {
			require.Equal(t, names.PathsNone, of[i])
			require.Zero(t, paths)
			require.Equal(t, list[i].Port, tb.routes[prefix{list[i].IP, 32}].port)
			continue
		}
		require.False(t, seen[of[i]] || of[i] == names.PathsNone)
		seen[of[i]] = true
		require.Equal(t, names.Flows, paths)
		h := list[i]
		h.IP[1] = 2
		paths, routes, _ = arrive(append(slices.Clone(list[:i+1]), h))
		require.Zero(t, paths, "the set is there")
		require.Equal(t, 1, routes)
	}
	all := tb.network(nil, list)
	named := slices.IndexFunc(all, func(e entry) bool { return e.Table == names.TableL3 })
	require.False(t, slices.ContainsFunc(all[named:], func(e entry) bool { return e.Table == names.TablePaths }), "sets come first")
	require.Empty(t, tb.paths.keep(list))
	gone := tb.paths.keep(append(slices.Clone(list[:4]), list[5:]...))
	require.Len(t, gone, names.Flows)
	last := list[len(list)-1]
	paths, _, of := arrive(append(slices.Clone(list[:4]), last))
	require.Equal(t, names.Flows, paths)
	require.EqualValues(t, key(gone[0], names.TablePathsKeySet), of[4], "what is free is used again")

	tb = newTables(newRDMATest(t).info, &Config{})
	_, _, of = arrive(list[:1])
	require.Equal(t, []names.PathSet{names.PathsNone}, of, "a switch by itself has one path")
}
