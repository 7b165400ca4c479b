package topology

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// In a fat tree that is whole, the ways to the hosts of a pod share no link down, wherever they come
// from; when links fail, everybody is still reached.
func TestHostsAreDealtOut(t *testing.T) {
	const half = 2
	var switches []string
	var links []Link
	var hosts []Host
	levels := map[string]int{}
	sw := func(level int, format string, args ...any) string {
		name := fmt.Sprintf(format, args...)
		switches = append(switches, name)
		levels[name] = level
		return name
	}
	for c := range half * half {
		sw(2, "core%d", c)
	}
	for pod := range 2 * half {
		for i := range half {
			agg := sw(1, "agg%d.%d", pod, i)
			for j := range half {
				links = append(links, Link{Place{agg, uint16(10 + j)}, Place{fmt.Sprintf("core%d", i*half+j), uint16(1 + pod)}})
			}
		}
		for e := range half {
			edge := sw(0, "edge%d.%d", pod, e)
			for i := range half {
				links = append(links, Link{Place{edge, uint16(10 + i)}, Place{fmt.Sprintf("agg%d.%d", pod, i), uint16(1 + e)}})
				hosts = append(hosts, Host{fmt.Sprintf("h%d", len(hosts)), Place{edge, uint16(1 + i)}})
			}
		}
	}
	n, err := New(switches, links, hosts)
	require.NoError(t, err)
	require.NoError(t, n.SetLevels(levels))
	follow := func(r *Routes, from, to string) (way []Place) {
		at := from
		for {
			p, ok := r.Port(at, to)
			require.True(t, ok, "%s to %s", from, to)
			way = append(way, Place{at, p})
			next, isSwitch := n.Peer(Place{at, p})
			if !isSwitch {
				return way
			}
			at = next.Switch
			require.Less(t, len(way), 6)
		}
	}
	r := n.Routes(Down{})
	used := map[Place]string{}
	for _, h := range hosts[4:8] { // of pod 1, from pod 0
		way := follow(r, "edge0.0", h.Name)
		require.Len(t, way, 5)
		for _, p := range way[2:] { // core, agg, edge: on the way down
			if old := used[p]; old != "" {
				t.Errorf("%s and %s share %v", old, h.Name, p)
			}
			used[p] = h.Name
		}
	}
	down := n.Routes(Down{Ports: map[Place]bool{{"agg0.0", 10}: true, {"agg1.1", 11}: true, {"edge1.0", 11}: true}})
	for _, h := range hosts[4:] {
		follow(down, "edge0.0", h.Name)
	}
}
