package baseline

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/amcast"
)

// Processes on real links deliver everything in one order.
func TestHosts(t *testing.T) {
	const each = 100
	net := hub.New()
	groups := Groups{1: {0, 1, 2}, 2: {3, 4, 5}}
	var all []amcast.End
	for i := range byte(8) {
		all = append(all, amcast.End{MAC: wire.MAC{2, i + 1}, IP: wire.Addr{10, 0, 0, i + 1}})
	}
	var hosts []*Host
	for i := range all {
		port, err := net.Attach(netip.AddrFrom4(all[i].IP), 4096)
		require.NoError(t, err)
		hosts = append(hosts, OpenHost(port, i, groups, all, 8))
	}
	defer func() {
		for _, h := range hosts {
			h.Close()
		}
	}()
	both, err := amcast.NewGroups(1, 2)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	require.ErrorContains(t, hosts[7].Multicast(ctx, 3<<24, []byte{1}), "group 3 is not known")
	var wait sync.WaitGroup
	orders := make([][]amcast.Delivery, 6)
	for _, n := range []int{6, 7} {
		wait.Go(func() {
			for i := range each {
				if err := hosts[n].Multicast(ctx, both, fmt.Append(nil, n, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range orders {
		wait.Go(func() {
			for range 2 * each {
				d, err := hosts[n].Deliver(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				orders[n] = append(orders[n], d)
			}
		})
	}
	wait.Wait()
	require.Len(t, orders[0], 2*each)
	next := map[uint16]uint32{}
	for _, d := range orders[0] {
		require.Equal(t, fmt.Append(nil, int(d.ID.Client), int(d.ID.Number-1)), d.Payload)
		next[d.ID.Client]++
	}
	require.Equal(t, map[uint16]uint32{6: each, 7: each}, next)
	for _, o := range orders[1:] {
		require.Equal(t, orders[0], o)
	}
}

// What says something of groups, members and processes that there are not is nothing.
func TestStrangePackets(t *testing.T) {
	net := hub.New()
	all := []amcast.End{{IP: wire.Addr{10, 0, 0, 1}}, {IP: wire.Addr{10, 0, 0, 2}}}
	l, err := net.Attach(netip.AddrFrom4(all[0].IP), 64)
	require.NoError(t, err)
	h := OpenHost(l, 0, Groups{1: {0}, 2: {1}}, all, 8)
	defer h.Close()
	both, err := amcast.NewGroups(1, 2)
	require.NoError(t, err)
	h.mu.Lock()
	defer h.mu.Unlock()
	member := h.process.member
	for _, p := range []amcast.Packet{
		{Kind: prop, Groups: both, By: 3}, {Kind: prop, Groups: both, By: 1, Member: 1}, {Kind: bump, By: 2}, {Kind: start},
		{Kind: start, Groups: 3 << 24, ID: amcast.ID{Number: 1}}, {Kind: start, Groups: both, ID: amcast.ID{Client: 2}},
		{Kind: ack, Groups: 2 << 24, By: 1}, {Kind: prop, Groups: 1 << 24, By: 2}, {Kind: done, Groups: both, By: 4},
	} {
		f := p.Append(nil, amcast.Ends{Dst: all[0].IP, DstPort: amcast.HostPort})
		port(f, hostPort)
		require.NotPanics(t, func() { h.take(f) }, "%+v", p)
		require.Empty(t, member.open, "%+v", p)
		require.NotPanics(t, func() { h.take(f[:len(f)-3]) })
	}
	h.take([]byte{1, 2, 3})
	good := amcast.Packet{Kind: start, Groups: both, ID: amcast.ID{Client: 1, Number: 1}}
	f := good.Append(nil, amcast.Ends{Dst: all[0].IP, DstPort: amcast.HostPort})
	port(f, hostPort)
	h.take(f)
	require.Len(t, member.open, 1)
}
