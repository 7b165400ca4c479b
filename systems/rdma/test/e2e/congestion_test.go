package e2e

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/pace"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// The bottleneck of TestCongestion: a link behind a router, at a port of the switch.
const (
	slowRate  = 100_000_000 // bit/s
	slowQueue = 1 << 20
	slowPort  = 9
)

// TestCongestion: three senders write to one receiver, whose link is as fast as theirs. When the switch marks and
// they react, they share it and nothing is lost. When they do not, the link loses packets.
func TestCongestion(t *testing.T) {
	long.Test(t)
	ecn := []string{"--ecn-rate", fmt.Sprintf("%d=%db/s", slowPort, slowRate), "--ecn-queue", "16KiB", "--ecn-share", "90"}
	react := roce.Options{Congestion: &dcqcn.Params{LineRate: slowRate, Burst: 200 * time.Microsecond}}
	t.Run("dcqcn", func(t *testing.T) {
		x := newCongested(t, ecn, react)
		done := x.shares()
		marked := x.counter(names.CounterMarked, slowPort)
		t.Logf("bytes in %v: %.3g; lost %d, marked %d", measured, done, x.lost(), marked)
		require.Zero(t, x.lost())
		require.NotZero(t, marked)
		sum, squares := 0., 0.
		for _, n := range done {
			sum += n
			squares += n * n
		}
		require.Greater(t, sum*sum/squares/float64(len(done)), 0.9, "Jain's index of %v", done)
	})
	loses := func(x *congested) {
		require.Eventually(x.t, func() bool { return x.lost() > 0 }, 30*time.Second, 10*time.Millisecond)
	}
	t.Run("no marks", func(t *testing.T) { loses(newCongested(t, nil, react)) })
	t.Run("no reaction", func(t *testing.T) { loses(newCongested(t, ecn, roce.Options{})) })
}

// congested is three senders that write to one receiver.
type congested struct {
	*system
	router *lab.Router
	bytes  [3]atomic.Int64 // that each has written
}

// Rates settle before they are looked at, and for how long.
const settles, measured = 2 * time.Second, 3 * time.Second

func newCongested(t *testing.T, extra []string, o roce.Options) *congested {
	t.Helper()
	needs.Root(t, "network namespaces and XDP")
	l, err := lab.New(3)
	require.NoError(t, err)
	mac := net.HardwareAddr{2, 0x66, 0, 0, 0, 0xfe}
	x := &congested{}
	x.router, err = l.NewRouter(mac)
	require.NoError(t, err)
	require.NoError(t, x.router.Cable("up", "slow", nil))
	to := lab.Host{Name: "receiver", IP: netip.MustParseAddr("10.66.0.20"), MAC: net.HardwareAddr{2, 0x66, 0, 0, 0, 20}}
	senders := append([]*lab.Host(nil), l.Hosts...)
	x.system = newClusterIn(t, l, "xdp", []runner.Port{{Number: slowPort, Interface: "slow"}}, append(extra, "--host", fmt.Sprintf("%v,%v,%d", to.IP, mac, slowPort))...)
	receiver, err := l.AddHost(to, "down", x.router)
	require.NoError(t, err)
	require.NoError(t, x.router.Route(to.IP, "down", to.MAC))
	for _, h := range senders {
		require.NoError(t, x.router.Route(h.IP, "up", h.MAC))
		require.NoError(t, l.Route(receiver, h.IP, mac))
		require.NoError(t, l.Route(h, to.IP, mac))
	}
	require.NoError(t, x.router.Shape("down", slowRate, slowQueue))
	paced := func(w link.Wire) link.Wire {
		p := pace.New(w, slowRate)
		p.Begin()
		return p
	}
	x.shared(x.deviceOn(len(senders), o, paced))
	ctx, stop := context.WithCancel(x.ctx)
	var flows []*flow
	for i := range senders { // all connect before any of them fills the link
		f, err := connect(ctx, x.deviceOn(i, o, paced), netip.AddrPortFrom(to.IP, service))
		require.NoError(t, err)
		flows = append(flows, f)
	}
	var g errgroup.Group
	for i, f := range flows {
		g.Go(func() error { return f.stream(ctx, &x.bytes[i]) })
	}
	t.Cleanup(func() {
		stop()
		require.NoError(t, g.Wait())
	})
	return x
}

// shares is how many bytes each writes in the time that is measured.
func (x *congested) shares() (done []float64) {
	time.Sleep(settles) // what is looked at is a rate, over time
	for i := range x.bytes {
		done = append(done, -float64(x.bytes[i].Load()))
	}
	time.Sleep(measured)
	for i := range x.bytes {
		done[i] += float64(x.bytes[i].Load())
	}
	return done
}

func (x *congested) lost() uint64 {
	n, err := x.router.Dropped("down")
	require.NoError(x.t, err)
	return n
}

// flow is a sender's connection.
type flow struct {
	conn   *roce.Conn
	qp     *roce.QP
	region private.Region
}

func connect(ctx context.Context, dev *roce.Device, to netip.AddrPort) (*flow, error) {
	qp, err := dev.CreateQP(roce.QPConfig{AckTimeout: 200 * time.Millisecond, Retry: 7, MTU: 1024, Window: 1024})
	if err != nil {
		return nil, err
	}
	conn, err := dev.Dial(ctx, to, qp, nil)
	if err != nil {
		return nil, err
	}
	region, err := private.ParseRegion(conn.Private())
	return &flow{conn, qp, region}, err
}

// stream writes as fast as it may, a few WRITEs at a time, until ctx ends.
func (f *flow) stream(ctx context.Context, bytes *atomic.Int64) error {
	const size, window = 32 << 10, 16
	defer f.conn.Close()
	data, done := make([]byte, size), make([]rdma.Completion, window)
	for under := 0; ; {
		for ; under < window; under++ {
			if _, err := f.qp.PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: data, VA: f.region.VA, RKey: f.region.RKey}); err != nil {
				return err
			}
		}
		if err := f.qp.SendCQ().Wait(ctx); err != nil {
			return nil // the time is over
		}
		for _, d := range done[:f.qp.SendCQ().Poll(done)] {
			if err := roce.Status(d); err != nil {
				return err
			}
			under--
			bytes.Add(size)
		}
	}
}
