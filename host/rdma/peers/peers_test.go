package peers

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

func addr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}) }

// pair makes two devices on a hub, and a listener at the first.
func pair(t *testing.T, port uint16) (ctx context.Context, server, client *roce.Device, l *roce.Listener, h *hub.Hub) {
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
	ctx, server, client, l, _ := pair(t, RpingPort)
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
	ctx, _, client, l, _ := pair(t, RpingPort)
	require.NoError(t, l.Close())
	var rej *roce.RejectedError
	require.ErrorAs(t, Rping{}.Run(ctx, client, netip.AddrPortFrom(addr(1), RpingPort), 1, 64), &rej)
}

// tests are the programs that the tests run, each with messages of one and of
// many packets where it has a size.
func tests() []Perftest {
	return []Perftest{
		{Op: rdma.OpSend, Latency: true, Size: 64, Count: 50}, {Op: rdma.OpSend, Size: 20000, Count: 200},
		{Op: rdma.OpWrite, Latency: true, Size: 20000, Count: 300}, {Op: rdma.OpWrite, Size: 64, Count: 200},
		{Op: rdma.OpRead, Latency: true, Size: 64, Count: 50}, {Op: rdma.OpRead, Size: 20000, Count: 200},
		{Op: rdma.OpFetchAdd, Latency: true, Size: 8, Count: 50}, {Op: rdma.OpCompareSwap, Size: 8, Count: 200},
	}
}

func TestPerftest(t *testing.T) {
	for _, p := range tests() {
		t.Run(strings.Join(p.Args(), " "), func(t *testing.T) {
			ctx, server, client, l, _ := pair(t, PerftestPort)
			done := make(chan error, 1)
			go func() { done <- p.Serve(ctx, server, l) }()
			require.NoError(t, p.Run(ctx, client, netip.AddrPortFrom(addr(1), PerftestPort)))
			require.NoError(t, <-done)
		})
	}
}

func TestPerftestClientLeaves(t *testing.T) {
	ctx, server, client, l, _ := pair(t, PerftestPort)
	p := Perftest{Op: rdma.OpSend, Size: 64, Count: 1}
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
	if wire.Parse(frame, &p) != nil {
		return false
	}
	_, m, err := cm.DecodeFrame(&p)
	return err == nil && m.Attribute() == cm.AttrDREQ
}

// program is a pair of ends.
type program struct {
	name  string
	port  uint16
	serve func(ctx context.Context, dev *roce.Device, l *roce.Listener, gone <-chan struct{}) error
	run   func(ctx context.Context, dev *roce.Device, to netip.AddrPort) error
}

func programs() []program {
	all := []program{{
		name: "rping", port: RpingPort,
		serve: func(ctx context.Context, dev *roce.Device, l *roce.Listener, gone <-chan struct{}) error {
			_, err := Rping{Gone: gone}.Serve(ctx, dev, l)
			return err
		},
		run: func(ctx context.Context, dev *roce.Device, to netip.AddrPort) error {
			return Rping{}.Run(ctx, dev, to, 10, 20000)
		},
	}}
	for _, p := range tests() {
		all = append(all, program{
			name: strings.Join(p.Args(), " "), port: PerftestPort,
			serve: func(ctx context.Context, dev *roce.Device, l *roce.Listener, gone <-chan struct{}) error {
				end := p
				end.Gone = gone
				return end.Serve(ctx, dev, l)
			},
			run: p.Run,
		})
	}
	return all
}

// TestGoneWithoutFarewell: a server does not wait for the DREQ of a client that
// has ended.
func TestGoneWithoutFarewell(t *testing.T) {
	leave := func(t *testing.T, p program) (ran, served error) {
		ctx, server, client, l, h := pair(t, p.port)
		h.SetFilter(func(frame []byte) bool { return !isDREQ(frame) })
		gone := make(chan struct{})
		done := make(chan error, 1)
		go func() { done <- p.serve(ctx, server, l, gone) }()
		ran = p.run(ctx, client, netip.AddrPortFrom(addr(1), p.port))
		close(gone)
		return ran, <-done
	}
	for _, p := range programs() {
		t.Run(p.name, func(t *testing.T) {
			ran, served := leave(t, p)
			require.NoError(t, ran)
			require.NoError(t, served)
		})
		t.Run(p.name+" before the test", func(t *testing.T) {
			p.run = func(ctx context.Context, dev *roce.Device, to netip.AddrPort) error {
				c, err := dial(ctx, dev, to, plan{recvs: 1, size: controlRoom})
				if err == nil {
					c.close()
				}
				return err
			}
			ran, served := leave(t, p)
			require.NoError(t, ran)
			if p.port == PerftestPort {
				require.ErrorContains(t, served, "the client has left before the test")
			} else {
				require.NoError(t, served) // a server of rping takes what comes
			}
		})
	}
}

// TestClientStays: a client that will be told when the other program has ended
// does not leave before: the server may still need an acknowledgement.
func TestClientStays(t *testing.T) {
	for _, p := range tests() {
		t.Run(strings.Join(p.Args(), " "), func(t *testing.T) {
			ctx, server, client, l, _ := pair(t, PerftestPort)
			mine, leave := context.WithCancel(ctx)
			defer leave()
			served, ran := make(chan error, 1), make(chan error, 1)
			go func() { served <- p.Serve(ctx, server, l) }()
			stays := p
			stays.Gone = make(chan struct{})
			go func() { ran <- stays.Run(mine, client, netip.AddrPortFrom(addr(1), PerftestPort)) }()
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
	ctx, server, client, l, h := pair(t, RpingPort)
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

// mute loses what a device acknowledges on its second connection, that of the
// test, and calls f each time.
func mute(h *hub.Hub, device int, f func()) {
	var mu sync.Mutex
	var peers []uint32 // the other side's queue pairs
	h.SetFilter(func(frame []byte) bool {
		var p wire.Packet
		if wire.Parse(frame, &p) != nil {
			return true
		}
		mu.Lock()
		defer mu.Unlock()
		if p.IP.Src() != wire.Addr(addr(device).As4()) {
			if _, m, err := cm.DecodeFrame(&p); err == nil {
				switch m := m.(type) {
				case *cm.REQ:
					peers = append(peers, m.LocalQPN)
				case *cm.REP:
					peers = append(peers, m.LocalQPN)
				}
			}
			return true
		}
		if p.BTH.Opcode() != wire.Acknowledge || len(peers) < 2 || p.BTH.DestQP() != peers[1] {
			return true
		}
		f()
		return false
	})
}

// TestLastAcknowledgementLost: the peer leaves with the last message of the test,
// and its acknowledgement is lost.
func TestLastAcknowledgementLost(t *testing.T) {
	const server, client = 1, 2
	for _, op := range []rdma.Op{rdma.OpSend, rdma.OpWrite} {
		p := Perftest{Op: op, Latency: true, Size: 64, Count: 1}
		t.Run(p.Args()[0]+" server", func(t *testing.T) {
			ctx, s, c, l, h := pair(t, PerftestPort)
			lost := make(chan struct{})
			mute(h, client, sync.OnceFunc(func() { close(lost) }))
			served := make(chan error, 1)
			go func() { served <- p.Serve(ctx, s, l) }()
			require.NoError(t, p.Run(ctx, c, netip.AddrPortFrom(addr(server), PerftestPort)))
			require.NoError(t, <-served)
			<-lost
		})
	}
	t.Run("ib_write_lat client", func(t *testing.T) {
		ctx, s, c, l, h := pair(t, PerftestPort)
		serving, leave := context.WithCancel(ctx)
		mute(h, server, leave)
		p := Perftest{Op: rdma.OpWrite, Latency: true, Size: 64, Count: 1}
		served := make(chan error, 1)
		go func() { served <- p.Serve(serving, s, l) }()
		require.NoError(t, p.Run(ctx, c, netip.AddrPortFrom(addr(server), PerftestPort)))
		<-served
		require.Error(t, serving.Err(), "an acknowledgement was lost")
	})
}
