package test

import (
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/lab"
)

// holed is a link to which nothing comes from a host, as long as there is a hole. What the host's switch says does.
type holed struct {
	link.Link
	from netip.Addr
	hole *atomic.Bool
	lost *atomic.Int64
}

// Receive implements link.Link.
func (l holed) Receive(frames [][]byte) (int, error) {
	n, err := l.Link.Receive(frames)
	if !l.hole.Load() {
		return n, err
	}
	kept := 0
	for _, f := range frames[:n] {
		if len(f) >= wire.EthernetLen+wire.IPv4Len && wire.Ethernet(f).EtherType() == wire.EtherTypeIPv4 &&
			netip.AddrFrom4(wire.IPv4(f[wire.EthernetLen:]).Src()) == l.from {
			l.lost.Add(1)
			continue
		}
		frames[kept] = f
		kept++
	}
	return kept, err
}

// Two hosts do not reach each other any more, in one direction or in both. The controller forwards what they send: all receive the same in
// the same order, and nobody fails. Long messages are forwarded, too.
func TestForwarding(t *testing.T) {
	for name, ends := range map[string][]string{"one way": {"h3"}, "both ways": {"h1", "h3"}} {
		for _, target := range []string{"interp", "xdp"} {
			t.Run(name+"/"+target, func(t *testing.T) {
				if target == "xdp" {
					needs.Root(t, "XDP and network namespaces")
				}
				forwarding(t, target, ends)
			})
		}
	}
}

func forwarding(t *testing.T, target string, ends []string) {
	var hole atomic.Bool
	var lost atomic.Int64
	from := map[string]netip.Addr{"h1": netip.MustParseAddr("10.0.3.3"), "h3": netip.MustParseAddr("10.0.3.1")}
	log := &record{also: t.Output()}
	ctx, n, hosts, procs := startBy(t, lab.Options{Target: target, Log: log}, 1, func(host string, l link.Link) link.Link {
		for _, end := range ends {
			if end == host {
				return holed{l, from[host], &hole, &lost}
			}
		}
		return l
	})
	sameOrder(t, broadcast(ctx, t, procs, 20))
	hole.Store(true)
	sameOrder(t, broadcast(ctx, t, procs, 20))
	require.Positive(t, lost.Load())
	require.Contains(t, says(ctx, t, n, "status"), "forwarding: host h3 does not answer host h1; the controller forwards their reliable messages\n")
	long := strings.Repeat("0123456789abcdef", 4000)
	for i, to := range []int{2, 0} {
		require.NoError(t, procs[2*i].SendReliable(ctx, onepipe.Part{To: procs[to].Process(), Data: []byte(long)}))
		m, err := procs[to].ReceiveReliable(ctx)
		require.NoError(t, err)
		require.Equal(t, long, string(m.Data))
	}
	require.Positive(t, hosts[0].Counters().HandedOver)
	require.Positive(t, hosts[2].Counters().Forwarded)
	hole.Store(false)
	sameOrder(t, broadcast(ctx, t, procs, 20))
	noViolations(t, hosts)
	require.NotContains(t, log.String(), "host has failed")
}
