package control

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/topology"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

func addrAt(n uint32) wire.Addr { return addrOf(binary.BigEndian.AppendUint32(nil, n)) }

func (p prefix) covers(a wire.Addr) bool {
	x, y := binary.BigEndian.Uint32(p.addr[:]), binary.BigEndian.Uint32(a[:])
	return (x^y)>>(32-p.bits) == 0
}

// drawHosts are hosts behind other switches, by few ways, in the order of their addresses, and some attached ones among them.
func drawHosts(t *rapid.T, label string) (list []hosts.Host) {
	n := rapid.Uint32Range(0, 60).Draw(t, label+" first")
	for n < 64 {
		for range rapid.IntRange(1, 12).Draw(t, label+" run") {
			h := hosts.Host{IP: addrAt(0x0a000000 + n), MAC: wire.MAC{2}, Port: rapid.Uint16Range(1, 2).Draw(t, label+" port"), Routed: true}
			if rapid.IntRange(0, 9).Draw(t, label+" attached") == 0 {
				h.Routed = false
			}
			if list = append(list, h); rapid.Bool().Draw(t, label+" as before") && len(list) > 1 {
				list[len(list)-1].Port = list[len(list)-2].Port
			}
			n++
		}
		n += rapid.Uint32Range(1, 9).Draw(t, label+" gap")
	}
	return list
}

// TestAggregate: each host behind other switches is covered by one route, by its own way; nobody else is covered. No two routes
// could be one.
func TestAggregate(t *testing.T) {
	tb := newTables(newRDMATest(t).info, &Config{})
	rapid.Check(t, func(t *rapid.T) {
		list := drawHosts(t, "hosts")
		routes := tb.routesOf(list)
		for n := range uint32(96) {
			a := addrAt(0x0a000000 + n)
			var by []route
			for _, r := range routes {
				if r.covers(a) {
					by = append(by, r)
				}
			}
			i := slices.IndexFunc(list, func(h hosts.Host) bool { return h.IP == a && h.Routed })
			if i < 0 {
				require.Empty(t, by, "%v is nobody's", a)
				continue
			}
			require.Len(t, by, 1)
			require.Equal(t, way{port: list[i].Port, next: list[i].MAC}, by[0].way)
		}
		for i, a := range routes {
			for _, b := range routes[i+1:] {
				x, y := binary.BigEndian.Uint32(a.addr[:]), binary.BigEndian.Uint32(b.addr[:])
				require.False(t, a.way == b.way && a.bits == b.bits && x^y == 1<<(32-a.bits), "%v and %v", a, b)
			}
		}
	})
}

// TestReroute: after the updates of a change a switch has the routes to the hosts that there are then. After each single one,
// each host that stays goes by its way of before or by that of afterwards, and nobody else by any.
func TestReroute(t *testing.T) {
	info := newRDMATest(t).info
	rapid.Check(t, func(t *rapid.T) {
		tb := newTables(info, &Config{})
		table := map[prefix]uint16{}
		find := func(a wire.Addr) (port uint16, ok bool) {
			best := uint8(0)
			for p, to := range table {
				if p.bits > best && p.covers(a) {
					best, port, ok = p.bits, to, true
				}
			}
			return port, ok
		}
		port := func(list []hosts.Host, a wire.Addr) (uint16, bool) {
			i := slices.IndexFunc(list, func(h hosts.Host) bool { return h.IP == a && h.Routed })
			if i < 0 {
				return 0, false
			}
			return list[i].Port, true
		}
		var before []hosts.Host
		for i := range 3 {
			now := drawHosts(t, fmt.Sprint(i))
			u, err := tb.reroute(now)
			require.NoError(t, err)
			for _, x := range u {
				e, err := info.Decode(x.GetEntity().GetTableEntry())
				require.NoError(t, err)
				p := prefix{addrOf(e.Get(names.TableL3KeyHdrIPv4Dst)), uint8(e.Match[0].PrefixLen)}
				_, there := table[p]
				require.Equal(t, x.GetType() != p4.Update_INSERT, there, "%v %v", x.GetType(), p)
				if x.GetType() == p4.Update_DELETE {
					delete(table, p)
				} else {
					table[p] = uint16(arg(e, names.ActionRouteParamPort))
				}
				for n := range uint32(96) {
					a := addrAt(0x0a000000 + n)
					was, old := port(before, a)
					will, is := port(now, a)
					to, found := find(a)
					require.True(t, found || !old || !is, "%v has no route meanwhile", a)
					require.True(t, !found || old && to == was || is && to == will, "%v by port %d", a, to)
				}
			}
			for n := range uint32(96) {
				a := addrAt(0x0a000000 + n)
				will, is := port(now, a)
				to, found := find(a)
				require.Equal(t, is, found, "%v", a)
				require.Equal(t, will, to, "%v", a)
			}
			before = now
		}
	})
}

// TestRoutesTakenOver: a controller that takes over makes the routes what they should be, whatever it finds: routes to more
// addresses, or to fewer, or by another way. It takes none of them for an attached host. What an attached host has stays.
func TestRoutesTakenOver(t *testing.T) {
	tb := newTables(newRDMATest(t).info, &Config{})
	next, own := wire.MAC{2, 1}, hosts.Host{IP: wire.Addr{10, 0, 1, 9}, MAC: wire.MAC{2, 9}, Port: 9}
	var list []hosts.Host
	for n := byte(4); n < 8; n++ {
		list = append(list, hosts.Host{IP: wire.Addr{10, 0, 0, n}, MAC: next, Port: 1, Routed: true})
	}
	known := func(a wire.Addr) bool {
		return a == own.IP || slices.ContainsFunc(list, func(h hosts.Host) bool { return h.IP == a })
	}
	at := func(addr wire.Addr, bits uint8, port uint16, next wire.MAC) route {
		return route{prefix{addr, bits}, way{port: port, next: next}}
	}
	attached := at(own.IP, 32, own.Port, own.MAC)
	table := map[prefix]way{}
	im := &image{tables: map[string][]entry{}}
	for _, r := range []route{
		attached, at(wire.Addr{10, 0, 0, 4}, 32, 1, next), at(wire.Addr{10, 0, 0, 5}, 32, 2, wire.MAC{2, 2}),
		at(wire.Addr{10, 0, 0, 4}, 31, 1, next), at(wire.Addr{10, 0, 2, 0}, 30, 1, next),
	} {
		table[r.prefix] = r.way
		im.tables[names.TableL3] = append(im.tables[names.TableL3], tb.route(r))
	}
	for _, h := range im.hosts() {
		require.True(t, known(h.IP), "%v is nobody", h.IP)
	}
	u, err := tb.difference(im, tb.network(nil, append(list, own)), known)
	require.NoError(t, err)
	for _, x := range u {
		e, err := tb.info.Decode(x.GetEntity().GetTableEntry())
		require.NoError(t, err)
		if e.Table != names.TableL3 {
			continue
		}
		p := prefix{addrOf(e.Get(names.TableL3KeyHdrIPv4Dst)), uint8(e.Match[0].PrefixLen)}
		_, there := table[p]
		require.Equal(t, x.GetType() != p4.Update_INSERT, there, "%v %v", x.GetType(), p)
		if delete(table, p); x.GetType() != p4.Update_DELETE {
			table[p] = way{port: uint16(arg(e, names.ActionRouteParamPort)), next: macOf(e.Arg(names.ActionRouteParamDstMAC))}
		}
	}
	require.Equal(t, map[prefix]way{attached.prefix: attached.way, {wire.Addr{10, 0, 0, 4}, 30}: {port: 1, next: next}}, table)
}

// fatTree is a fabric of k^3/4 hosts.
func fatTree(t *testing.T, k int) *Fabric {
	t.Helper()
	half := k / 2
	var switches []FabricSwitch
	var links []topology.Link
	var servers []FabricHost
	var at []topology.Host
	levels := map[string]int{}
	add := func(level int, format string, n ...any) string {
		i := uint32(len(switches))
		s := FabricSwitch{Name: fmt.Sprintf(format, n...), P4Runtime: "none", MAC: wire.MAC{2, 1, 0, 0, byte(i >> 8), byte(i)}, Addr: addrAt(0x0aff0000 + i)}
		switches, levels[s.Name] = append(switches, s), level
		return s.Name
	}
	for i := range half * half {
		add(2, "core%d", i)
	}
	for pod := range k {
		for i := range half {
			agg := add(1, "agg%d.%d", pod, i)
			for j := range half {
				links = append(links, topology.Link{
					A: topology.Place{Switch: agg, Port: uint16(half + j + 1)}, B: topology.Place{Switch: fmt.Sprintf("core%d", i*half+j), Port: uint16(pod + 1)},
				})
			}
		}
		for i := range half {
			edge := add(0, "edge%d.%d", pod, i)
			for j := range half {
				links = append(links, topology.Link{
					A: topology.Place{Switch: edge, Port: uint16(half + j + 1)}, B: topology.Place{Switch: fmt.Sprintf("agg%d.%d", pod, j), Port: uint16(i + 1)},
				})
				n := uint32(len(servers)) + 1
				h := FabricHost{Name: fmt.Sprint("h", n), MAC: wire.MAC{2, 0, 0, 0, byte(n >> 8), byte(n)}, Addr: addrAt(0x0a000000 + n)}
				servers = append(servers, h)
				at = append(at, topology.Host{Name: h.Name, At: topology.Place{Switch: edge, Port: uint16(j + 1)}})
			}
		}
	}
	all := make([]string, len(switches))
	for i, s := range switches {
		all[i] = s.Name
	}
	net, err := topology.New(all, links, at)
	require.NoError(t, err)
	require.NoError(t, net.SetLevels(levels))
	f, err := NewFabric(net, switches, servers)
	require.NoError(t, err)
	return f
}

// TestLargeFabric: a switch of a network of more hosts than its tables have room for has room for its entries. A link that is cut
// changes few of them.
func TestLargeFabric(t *testing.T) {
	f := fatTree(t, 24)
	info := newRDMATest(t).info
	require.Greater(t, len(f.names), int(info.TableSize(names.TableL3)))
	all := map[string]*tables{}
	for _, name := range []string{"core0", "agg1.0", "edge1.0"} {
		c, err := f.Config(Config{}, name)
		require.NoError(t, err)
		tb := newTables(info, &c)
		all[name] = tb
		count, hosts := map[string]int{}, 0
		for _, e := range tb.network(c.IPs, sortedHosts(t, &c)) {
			count[e.Table]++
		}
		for p := range tb.routes {
			if p.addr[1] != 0xff {
				hosts++
			}
		}
		for table, n := range count {
			require.LessOrEqual(t, n, int(info.TableSize(table)), "%s of %s", table, name)
		}
		require.Less(t, hosts, 300, "routes of %s to hosts", name)
		require.Less(t, count[names.TableOwnIP], 20, "addresses of %s", name)
		others, err := tb.others()
		require.NoError(t, err)
		e, err := info.Decode(others[2].GetEntity().GetTableEntry())
		require.NoError(t, err)
		require.Equal(t, names.TableOwnIP, e.Table)
		require.Equal(t, names.ActionIPBeyond, e.Action, "where no entry says so, the default says that an address is elsewhere")
	}
	require.True(t, f.SetPort(topology.Place{Switch: "core0", Port: 1}, false))
	for name, tb := range all {
		c, err := f.Config(Config{}, name)
		require.NoError(t, err)
		u, err := tb.reroute(sortedHosts(t, &c))
		require.NoError(t, err)
		require.Less(t, len(u), 64+200, "%s", name)
	}
	require.False(t, fatTree(t, 4).large())
}

// sortedHosts are the hosts of a configuration as a table has them.
func sortedHosts(t *testing.T, c *Config) []hosts.Host {
	t.Helper()
	tb, err := hosts.New(hosts.Config{MAC: c.MAC, IPs: c.IPs, Static: c.Hosts, Links: c.links})
	require.NoError(t, err)
	return tb.List()
}
