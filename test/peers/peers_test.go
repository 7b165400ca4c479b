package peers

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/cm"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/host/roce/wire"
	"github.com/p4ce/p4ce/host/roce/wires/hub"
)

func addr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}) }

// pair makes two devices on a hub, and a listener at the first.
func pair(t *testing.T, port uint16) (ctx context.Context, server, client *roce.Device, l *roce.Listener) {
	t.Helper()
	ctx, server, client, l, _ = pairOnHub(t, port)
	return ctx, server, client, l
}

func pairOnHub(t *testing.T, port uint16) (ctx context.Context, server, client *roce.Device, l *roce.Listener, h *hub.Hub) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	h = hub.New()
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
	return ctx, devs[0], devs[1], l, h
}

func TestRping(t *testing.T) {
	ctx, server, client, l := pair(t, RpingPort)
	type result struct {
		pings int
		err   error
	}
	done := make(chan result, 1)
	go func() {
		n, err := Rping{}.Serve(ctx, server, l)
		done <- result{n, err}
	}()
	require.NoError(t, Rping{}.Run(ctx, client, netip.AddrPortFrom(addr(1), RpingPort), 10, 20000))
	require.Equal(t, result{pings: 10}, <-done)
}

func TestRpingNobodyThere(t *testing.T) {
	ctx, _, client, l := pair(t, RpingPort)
	require.NoError(t, l.Close())
	var rej *roce.RejectedError
	require.ErrorAs(t, Rping{}.Run(ctx, client, netip.AddrPortFrom(addr(1), RpingPort), 1, 64), &rej)
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
	c, err := dial(ctx, client, netip.AddrPortFrom(addr(1), PerftestPort), plan{recvs: 1, size: 64})
	require.NoError(t, err)
	c.close()
	require.EqualError(t, <-done, "ib_send_bw server: the client has left before the test")
}

// isDREQ tells whether a frame is a farewell.
func isDREQ(frame []byte) bool {
	var p wire.Packet
	if wire.Parse(frame, &p) != nil || !cm.IsFrame(&p) {
		return false
	}
	_, m, err := cm.DecodeFrame(&p)
	return err == nil && m.Attribute() == cm.AttrDREQ
}

// TestGoneWithoutFarewell: a server does not wait for the DREQ of a client that
// has ended.
func TestGoneWithoutFarewell(t *testing.T) {
	for _, p := range tests() {
		t.Run(strings.Join(p.Args(), " "), func(t *testing.T) {
			ctx, server, client, l, h := pairOnHub(t, PerftestPort)
			h.SetFilter(func(frame []byte) bool { return !isDREQ(frame) })
			gone := make(chan struct{})
			done := make(chan error, 1)
			go func() {
				p := p
				p.Gone = gone
				done <- p.Serve(ctx, server, l)
			}()
			require.NoError(t, p.Run(ctx, client, netip.AddrPortFrom(addr(1), PerftestPort)))
			close(gone)
			require.NoError(t, <-done)
		})
	}
	t.Run("rping", func(t *testing.T) {
		ctx, server, client, l, h := pairOnHub(t, RpingPort)
		h.SetFilter(func(frame []byte) bool { return !isDREQ(frame) })
		gone := make(chan struct{})
		done := make(chan error, 1)
		go func() {
			_, err := Rping{Gone: gone}.Serve(ctx, server, l)
			done <- err
		}()
		require.NoError(t, Rping{}.Run(ctx, client, netip.AddrPortFrom(addr(1), RpingPort), 10, 20000))
		close(gone)
		require.NoError(t, <-done)
	})
	t.Run("before the test", func(t *testing.T) {
		ctx, server, client, l, h := pairOnHub(t, PerftestPort)
		h.SetFilter(func(frame []byte) bool { return !isDREQ(frame) })
		gone := make(chan struct{})
		done := make(chan error, 1)
		go func() { done <- Perftest{Op: rc.OpRead, Size: 64, Count: 1, Gone: gone}.Serve(ctx, server, l) }()
		c, err := dial(ctx, client, netip.AddrPortFrom(addr(1), PerftestPort), plan{recvs: 1, size: 64})
		require.NoError(t, err)
		c.close()
		close(gone)
		require.EqualError(t, <-done, "ib_read_bw server: the client has left before the test")
	})
}

// TestClientStays: a client that will be told when the other program has ended
// does not leave before: the server may still need an acknowledgement.
func TestClientStays(t *testing.T) {
	for _, p := range tests() {
		t.Run(strings.Join(p.Args(), " "), func(t *testing.T) {
			ctx, server, client, l := pair(t, PerftestPort)
			mine, leave := context.WithCancel(ctx)
			defer leave()
			served, ran := make(chan error, 1), make(chan error, 1)
			go func() { served <- p.Serve(ctx, server, l) }()
			go func() {
				p := p
				p.Gone = make(chan struct{})
				ran <- p.Run(mine, client, netip.AddrPortFrom(addr(1), PerftestPort))
			}()
			select {
			case err := <-served: // which ends when the client leaves
				require.Fail(t, "the client has left", "%v", err)
			case err := <-ran:
				require.Fail(t, "the client has ended", "%v", err)
			case <-time.After(100 * time.Millisecond):
			}
			leave()
			require.ErrorIs(t, <-ran, context.Canceled)
			<-served
		})
	}
}

// TestAnswerSaysThatItArrived: the peer answers and leaves, and its
// acknowledgement is lost.
func TestAnswerSaysThatItArrived(t *testing.T) {
	ctx, server, client, l, h := pairOnHub(t, RpingPort)
	done := make(chan error, 1)
	go func() {
		c, err := accept(ctx, server, l, plan{recvs: 1, size: 64})
		if err == nil {
			var m []byte
			if m, err = c.recv(ctx); err == nil {
				err = c.send(ctx, m)
			}
			c.close()
		}
		done <- err
	}()
	c, err := dial(ctx, client, netip.AddrPortFrom(addr(1), RpingPort), plan{recvs: 1, size: 64})
	require.NoError(t, err)
	defer c.close()
	h.SetFilter(func(frame []byte) bool {
		var p wire.Packet
		return wire.Parse(frame, &p) != nil || p.BTH.Opcode() != wire.Acknowledge || p.IP.Src() != wire.Addr(addr(1).As4())
	})
	got, err := c.exchange(ctx, []byte("hello"))
	require.NoError(t, err)
	require.Equal(t, "hello", string(got))
	require.NoError(t, <-done)
}
