package group

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
)

// halfOpen counts groups that are being formed, by leader.
func (w *world) halfOpen() map[wire.Addr]int {
	n := map[wire.Addr]int{}
	for _, g := range w.core.groups {
		if g.halfOpen() {
			n[g.leader.addr]++
		}
	}
	return n
}

// TestHalfOpen: one host's requests push out each other, and those of one port too; nobody else's. However
// many come, some are served each second, and numbers and connections do not run out.
func TestHalfOpen(t *testing.T) {
	w := newWorld(Config{SetupTimeout: time.Hour})
	n := 0
	req := func(from string) {
		n++
		w.core.Receive(w.now, addr(switchIP), addr(from), uint64(n), makeREQ(addr(from), parseCommand(fmt.Sprintf("req id=%d qpn=%d replicas=10.0.0.2", n, 0x1000+n))))
		w.drain()
		w.out.Reset()
	}
	honest, hostile := addr("10.0.0.1"), addr("10.0.0.66")
	flood := func(from func(i int) string) {
		for i := range 8000 {
			if i == 6000 { // two seconds before the end
				req("10.0.0.1")
			}
			req(from(i))
			w.advance(time.Second / 1000)
		}
	}
	flood(func(int) string { return "10.0.0.66" })
	half := w.halfOpen()
	require.Equal(t, 1, half[honest], "it was there before")
	require.Equal(t, maxHalfOfHost, half[hostile])
	newest := uint32(0)
	for _, g := range w.core.groups {
		if g.leader.addr == hostile && g.halfOpen() {
			newest = max(newest, g.leader.qpn)
		}
	}
	require.Greater(t, newest, uint32(0x1000+n-1000), "the oldest have given way")
	// The same by many names on one port.
	flood(func(i int) string {
		from := fmt.Sprintf("10.1.%d.%d", i/250, i%250)
		w.dir[addr(from)] = Host{MAC: wire.MAC{2, 9}, Port: 77}
		return from
	})
	half = w.halfOpen()
	total := 0
	for a, k := range half {
		if a[1] == 1 {
			total += k
		}
	}
	require.Equal(t, maxHalfOfPort, total)
	require.Equal(t, 1, half[honest])
	require.Zero(t, w.core.Stats().CM.Overload)
	require.Empty(t, w.core.index.resting, "no switch has seen any of their numbers")
}

// TestGroupsOfOne: no host has more than a quarter, and no port more than half, of the groups.
func TestGroupsOfOne(t *testing.T) {
	w := newWorld(Config{})
	fill := func(n int, a wire.Addr, port uint16) {
		for range n {
			i, ok := w.core.index.get(0)
			require.True(t, ok)
			w.core.groups[i] = &group{index: i, phase: running, at: port, leader: peer{addr: a}}
		}
	}
	hostile := addr("10.0.0.66")
	fill(maxOfHost-1, hostile, 66)
	require.NoError(t, w.core.room(0, hostile, 66))
	fill(1, hostile, 66)
	require.ErrorContains(t, w.core.room(0, hostile, 66), "the limit: a quarter")
	require.NoError(t, w.core.room(0, addr("10.0.0.67"), 66), "another host of the port")
	fill(maxOfPort-maxOfHost, addr("10.0.0.67"), 66)
	require.ErrorContains(t, w.core.room(0, addr("10.0.0.68"), 66), "the limit: half")
	require.NoError(t, w.core.room(0, addr("10.0.0.1"), 1))
}
