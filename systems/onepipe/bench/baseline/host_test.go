package baseline

import (
	"context"
	"encoding/binary"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/wire"
)

// Processes on real links deliver everything in one order.
func TestHosts(t *testing.T) {
	const each = 50
	net := hub.New()
	var hosts []*Host
	address := func(n byte) Address { return Address{wire.MAC{2, n}, wire.Addr{10, 0, 0, n}} }
	sequencer := address(9)
	all := []Address{address(1), address(1), address(2), address(2)}
	for _, own := range []Address{address(1), address(2), sequencer} {
		port, err := net.Attach(netip.AddrFrom4(own.IP), 4096)
		require.NoError(t, err)
		hosts = append(hosts, OpenHost(port, own, sequencer, all))
	}
	defer func() {
		for _, h := range hosts {
			h.Close()
		}
	}()
	require.Nil(t, hosts[2].Proc(0))
	var wait sync.WaitGroup
	orders := make([][][2]int, len(all))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for n := range all {
		p := hosts[n/2].Proc(n)
		wait.Go(func() {
			for i := range each {
				if err := p.Broadcast(binary.BigEndian.AppendUint64(nil, uint64(i))); err != nil {
					t.Error(err)
				}
			}
		})
		wait.Go(func() {
			for range each * len(all) {
				d, err := p.Receive(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				orders[n] = append(orders[n], [2]int{d.From, int(binary.BigEndian.Uint64(d.Data))})
			}
		})
	}
	wait.Wait()
	next := make([]int, len(all))
	for _, x := range orders[0] {
		require.Equal(t, next[x[0]], x[1], "of each in its order")
		next[x[0]]++
	}
	for _, o := range orders[1:] {
		require.Equal(t, orders[0], o)
	}
}
