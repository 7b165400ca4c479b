package vm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/rdma/peers"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/packet"
	"github.com/p4ce/p4ce/roce/wire"
)

// watched is a wire that records what passes, and loses or damages some of what
// is sent.
type watched struct {
	link.Wire
	bend func(frame []byte) // may change what is sent; may be nil
	loss float64            // of what is sent
	rnd  *rand.Rand
	lost atomic.Int64

	mu  sync.Mutex
	w   *pcapgo.NgWriter
	err error
}

func watch(t *testing.T, w link.Wire, file string, loss float64) *watched {
	t.Helper()
	f, err := os.Create(file)
	require.NoError(t, err)
	ng, err := pcapgo.NewNgWriter(f, layers.LinkTypeEthernet)
	require.NoError(t, err)
	s := &watched{Wire: w, loss: loss, rnd: rand.New(rand.NewPCG(1, 2)), w: ng}
	t.Cleanup(func() { f.Close() })
	return s
}

func (w *watched) record(frame []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ci := gopacket.CaptureInfo{Timestamp: time.Now(), CaptureLength: len(frame), Length: len(frame)}
	if err := w.w.WritePacket(ci, frame); err != nil && w.err == nil {
		w.err = err
	}
}

func (w *watched) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	return w.w.Flush()
}

// Receive implements link.Wire.
func (w *watched) Receive(frames [][]byte) (int, error) {
	n, err := w.Wire.Receive(frames)
	for _, f := range frames[:n] {
		w.record(f)
	}
	return n, err
}

// Send implements link.Wire.
func (w *watched) Send(frame []byte) {
	if w.bend != nil {
		w.bend(frame)
	}
	w.record(frame)
	if w.loss > 0 && w.rnd.Float64() < w.loss {
		w.lost.Add(1)
		return
	}
	w.Wire.Send(frame)
}

// opposite is a host/roce device and a guest with rxe.
type opposite struct {
	*network
	dev  *roce.Device
	wire *watched
	file string
	addr netip.Addr // of the device
	qp   roce.QPConfig
}

// newOpposite puts a device in front of a guest: on the tap itself, or behind a
// port of the switch.
func newOpposite(t *testing.T, direct bool, loss float64) *opposite {
	t.Helper()
	o := &opposite{file: filepath.Join(t.TempDir(), "endpoint.pcapng"), qp: roce.QPConfig{AckTimeout: 500 * time.Millisecond, Retry: 7}}
	var w *packet.Wire
	open := func(iface string) func() error {
		return func() (err error) {
			w, err = packet.Open(iface, netip.Addr{})
			return err
		}
	}
	if direct {
		o.network = newNetwork(t, options{guests: 1, noSwitch: true})
		o.addr = netip.MustParseAddr("10.66.0.11")
		require.NoError(t, o.lab.InSwitch(func() error {
			link, err := netlink.LinkByName("p1")
			if err != nil {
				return err
			}
			a, err := netlink.ParseAddr(o.addr.String() + "/24")
			if err != nil {
				return err
			}
			if err := netlink.LinkSetMTU(link, 1500); err != nil {
				return err
			}
			return netlink.AddrAdd(link, a)
		}))
		require.NoError(t, o.lab.InSwitch(open("p1")))
	} else {
		o.network = newNetwork(t, options{guests: 1, hosts: 1, rxe: RXE{MTU: lab.MTU}})
		o.addr = o.lab.Hosts[0].IP
		require.NoError(t, o.lab.InHost(o.lab.Hosts[0], open(lab.Interface)))
	}
	o.wire = watch(t, w, o.file, loss)
	var err error
	o.dev, err = roce.Open(o.wire, roce.Options{})
	require.NoError(t, err)
	t.Cleanup(func() {
		o.dev.Close()
		if t.Failed() && o.wire.flush() == nil {
			keep(t, o.file)
		}
	})
	if loss > 0 {
		_, err := o.guests[0].Run(o.ctx, "tc", "qdisc", "add", "dev", "eth0", "root", "netem", "loss", fmt.Sprintf("%g%%", 100*loss))
		require.NoError(t, err)
	}
	return o
}

// perftests are the programs that run in both roles. Together they send every
// opcode of the RC service that perftest can make rxe or us send.
func perftests(count int) []peers.Perftest {
	return []peers.Perftest{
		{Op: rdma.OpSend, Latency: true, Size: 64, Count: count},
		{Op: rdma.OpSend, Size: 10000, Count: count},
		{Op: rdma.OpWrite, Latency: true, Size: 10000, Count: count},
		{Op: rdma.OpWrite, Size: 1500, Count: count},
		{Op: rdma.OpRead, Latency: true, Size: 64, Count: count},
		{Op: rdma.OpRead, Size: 10000, Count: count},
		{Op: rdma.OpFetchAdd, Latency: true, Size: 8, Count: count},
		{Op: rdma.OpCompareSwap, Size: 8, Count: count},
	}
}

// step is how long one program may take, with its partner: most take a second or
// two, a lost packet costs some more, and a program that waits for ever in a busy
// loop must end.
const step = 3 * time.Minute

// serve lets a program of the guest be the client of ours.
func (o *opposite) serve(t *testing.T, port uint16, args []string, f func(ctx context.Context, l *roce.Listener, gone <-chan struct{}) error) {
	t.Helper()
	l, err := o.dev.Listen(port)
	require.NoError(t, err)
	defer l.Close()
	o.both(t, args, func(ctx context.Context, gone <-chan struct{}) error { return f(ctx, l, gone) })
}

// use lets a program of the guest be the server of ours.
func (o *opposite) use(t *testing.T, args []string, f func(ctx context.Context, gone <-chan struct{}) error) {
	t.Helper()
	o.both(t, args, func(ctx context.Context, gone <-chan struct{}) error {
		if _, err := o.guests[0].Shell(ctx, listening); err != nil {
			return err
		}
		return f(ctx, gone)
	})
}

// both runs a program of the guest and ours beside it, which learns when the
// program has ended.
func (o *opposite) both(t *testing.T, args []string, f func(ctx context.Context, gone <-chan struct{}) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(o.ctx, step)
	defer cancel()
	out := &lab.Log{}
	p, err := o.guests[0].Start(Spec{Args: args, Stdout: out, Stderr: out})
	require.NoError(t, err)
	gone := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		err := f(ctx, gone)
		if err != nil {
			cancel() // the program may wait for ever
		}
		done <- err
	}()
	err = p.Wait(ctx)
	close(gone)
	if args[0] == "rping" && args[1] == "-s" {
		err = nil // it calls it an error when its client leaves
	}
	if err != nil {
		cancel() // it may have failed before it has connected
	}
	ours := <-done
	require.NoError(t, ours, "%v (%v): %s", args, err, out)
	require.NoError(t, err, "%v: %s", args, out)
}

// run lets the device meet every program in both roles.
func (o *opposite) run(count int) {
	guest := guestAddr(0)
	o.t.Run("rping client in the guest", func(t *testing.T) {
		args := []string{"rping", "-c", "-a", o.addr.String(), "-C", fmt.Sprint(count), "-S", "20000", "-V"}
		o.serve(t, peers.RpingPort, args, func(ctx context.Context, l *roce.Listener, gone <-chan struct{}) error {
			n, err := peers.Rping{QP: o.qp, Gone: gone}.Serve(ctx, o.dev, l)
			if err == nil && n != count {
				err = fmt.Errorf("%d pings", n)
			}
			return err
		})
	})
	o.t.Run("rping server in the guest", func(t *testing.T) {
		args := []string{"rping", "-s", "-a", guest.String(), "-C", fmt.Sprint(count), "-S", "20000"}
		o.use(t, args, func(ctx context.Context, gone <-chan struct{}) error {
			return peers.Rping{QP: o.qp, Gone: gone}.Run(ctx, o.dev, netip.AddrPortFrom(guest, peers.RpingPort), count, 20000)
		})
	})
	for _, p := range perftests(count) {
		p.QP = o.qp
		args := append(p.Args(), "-d", Device)
		o.t.Run(args[0]+" client in the guest", func(t *testing.T) {
			o.serve(t, peers.PerftestPort, append(args, o.addr.String()), func(ctx context.Context, l *roce.Listener, gone <-chan struct{}) error {
				p.Gone = gone
				return p.Serve(ctx, o.dev, l)
			})
		})
		o.t.Run(args[0]+" server in the guest", func(t *testing.T) {
			o.use(t, args, func(ctx context.Context, gone <-chan struct{}) error {
				p.Gone = gone
				return p.Run(ctx, o.dev, netip.AddrPortFrom(guest, peers.PerftestPort))
			})
		})
	}
}

// requireSeen checks that all of the RC service was on the wire, in both
// directions, and that every packet had a valid ICRC.
func (o *opposite) requireSeen() {
	o.t.Helper()
	require.NoError(o.t, o.dev.Close())
	require.NoError(o.t, o.wire.flush())
	f, err := os.Open(o.file)
	require.NoError(o.t, err)
	defer f.Close()
	r, err := pcapgo.NewNgReader(f, pcapgo.DefaultNgReaderOptions)
	require.NoError(o.t, err)
	var seen [2]map[wire.Opcode]int // sent by us, by rxe
	for i := range seen {
		seen[i] = map[wire.Opcode]int{}
	}
	own := wire.Addr(o.addr.As4())
	for {
		data, _, err := r.ReadPacketData()
		if err != nil {
			break
		}
		var p wire.Packet
		require.NoError(o.t, wire.Parse(data, &p))
		require.True(o.t, p.ICRCOK(), "ICRC of %s", &p)
		from := 1
		if p.IP.Src() == own {
			from = 0
		}
		seen[from][p.BTH.Opcode()]++
	}
	o.t.Logf("sent by host/roce: %v", seen[0])
	o.t.Logf("sent by rxe:       %v", seen[1])
	for _, op := range []wire.Opcode{
		wire.SendFirst, wire.SendMiddle, wire.SendLast, wire.SendOnly, wire.WriteFirst, wire.WriteMiddle, wire.WriteLast,
		wire.ReadRequest, wire.ReadResponseFirst, wire.ReadResponseMiddle, wire.ReadResponseLast, wire.ReadResponseOnly,
		wire.Acknowledge, wire.AtomicAcknowledge, wire.CompareSwap, wire.FetchAdd, wire.UDSendOnly,
	} {
		require.Positive(o.t, seen[0][op], "%v sent by host/roce", op)
		require.Positive(o.t, seen[1][op], "%v sent by rxe", op)
	}
	requireWellFormed(o.t, o.file)
}

// TestEndpointMeetsRXE: our endpoint as client and server of rping and perftest
// in a guest, over all of the RC service, directly and through the switch.
func TestEndpointMeetsRXE(t *testing.T) {
	for name, direct := range map[string]bool{"directly": true, "through the switch": false} {
		t.Run(name, func(t *testing.T) {
			o := newOpposite(t, direct, 0)
			o.run(100)
			o.requireSeen()
			if !direct {
				requireForwarded(t, o.stopSwitch(), "p1", "p2")
			}
		})
	}
}

// TestEndpointMeetsRXEWithLoss is the same with one packet in a hundred lost, in
// both directions: by netem in the guest, and before our wire.
func TestEndpointMeetsRXEWithLoss(t *testing.T) {
	o := newOpposite(t, false, 0.01)
	o.run(40)
	o.requireSeen()
	out, err := o.guests[0].Run(o.ctx, "tc", "-s", "qdisc", "show", "dev", "eth0")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(out, "(dropped ")
	require.True(t, ok, out)
	word, _, _ := strings.Cut(rest, ",")
	dropped, err := strconv.Atoi(word)
	require.NoError(t, err, out)
	t.Logf("lost: %d of ours, %d of rxe's", o.wire.lost.Load(), dropped)
	require.Positive(t, o.wire.lost.Load())
	require.Positive(t, dropped)
}
