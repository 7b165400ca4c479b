package peers

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/host/roce/wires/hub"
)

func addr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}) }

// pair makes two devices on a hub, and a listener at the first.
func pair(t *testing.T, port uint16) (ctx context.Context, server, client *roce.Device, l *roce.Listener) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	h := hub.New()
	var devs [2]*roce.Device
	for i := range devs {
		p, err := h.Attach(addr(i+1), 0)
		require.NoError(t, err)
		devs[i], err = roce.Open(p, roce.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { devs[i].Close() })
	}
	l, err := devs[0].Listen(port)
	require.NoError(t, err)
	return ctx, devs[0], devs[1], l
}

func TestRping(t *testing.T) {
	ctx, server, client, l := pair(t, RpingPort)
	type result struct {
		pings int
		err   error
	}
	done := make(chan result, 1)
	go func() {
		n, err := RpingServer(ctx, server, l, roce.QPConfig{})
		done <- result{n, err}
	}()
	require.NoError(t, RpingClient(ctx, client, netip.AddrPortFrom(addr(1), RpingPort), roce.QPConfig{}, 10, 20000))
	require.Equal(t, result{pings: 10}, <-done)
}

func TestRpingNobodyThere(t *testing.T) {
	ctx, _, client, l := pair(t, RpingPort)
	require.NoError(t, l.Close())
	var rej *roce.RejectedError
	require.ErrorAs(t, RpingClient(ctx, client, netip.AddrPortFrom(addr(1), RpingPort), roce.QPConfig{}, 1, 64), &rej)
}

// tests are the programs that the tests run, each with messages of one and of
// many packets where it has a size.
func tests() []Perftest {
	return []Perftest{
		{Op: rc.OpSend, Latency: true, Size: 64, Count: 50}, {Op: rc.OpSend, Size: 20000, Count: 200},
		{Op: rc.OpWrite, Latency: true, Size: 20000, Count: 300}, {Op: rc.OpWrite, Size: 64, Count: 200},
		{Op: rc.OpRead, Latency: true, Size: 64, Count: 50}, {Op: rc.OpRead, Size: 20000, Count: 200},
		{Op: rc.OpFetchAdd, Latency: true, Size: 8, Count: 50}, {Op: rc.OpCompareSwap, Size: 8, Count: 200},
	}
}

func TestPerftest(t *testing.T) {
	for _, p := range tests() {
		t.Run(strings.Join(p.Args(), " "), func(t *testing.T) {
			ctx, server, client, l := pair(t, PerftestPort)
			done := make(chan error, 1)
			go func() { done <- p.Serve(ctx, server, l) }()
			require.NoError(t, p.Run(ctx, client, netip.AddrPortFrom(addr(1), PerftestPort)))
			require.NoError(t, <-done)
		})
	}
}

func TestPerftestClientLeaves(t *testing.T) {
	ctx, server, client, l := pair(t, PerftestPort)
	p := Perftest{Op: rc.OpSend, Size: 64, Count: 1}
	done := make(chan error, 1)
	go func() { done <- p.Serve(ctx, server, l) }()
	c, err := dial(ctx, client, netip.AddrPortFrom(addr(1), PerftestPort), roce.QPConfig{}, 1, 64)
	require.NoError(t, err)
	c.close()
	require.EqualError(t, <-done, "ib_send_bw server: the client has left before the test")
}
