package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/systems/paxos/frames"
)

// Paxos beside IPv4 packets that the same switch forwards.

const beside = "beside each other"

// Metrics of forwarding.
const (
	Forwarded     = "packets forwarded"
	ForwardedLost = "of them lost"
)

// parts are how much is forwarded: of what is when nothing else is done.
var parts = []float64{0.5, 1}

// ForwardOptions say what to measure of forwarding.
type ForwardOptions struct {
	Options
	Window int // values under way
	Size   int // bytes of a frame that is forwarded
}

// Sizes of frames that are forwarded.
const (
	leastForwarded = 60
	mostForwarded  = 1514
)

// NewForwarding describes a run.
func NewForwarding(o ForwardOptions) *report.Result {
	r := &report.Result{Name: "paxos-forwarding", Title: "Paxos in switches: values beside IPv4 packets that the same switch forwards", Systems: []string{alone, beside},
		Metrics: []report.Metric{
			{Name: Most, Unit: "1/s"}, {Name: MostTail, Unit: "us"}, {Name: LightMedian, Unit: "us"}, {Name: LightTail, Unit: "us"},
			{Name: Forwarded, Unit: "1/s"}, {Name: ForwardedLost, Unit: "%", NoRatio: true},
		}}
	r.Set("repetitions", o.Repetitions)
	r.Set("values under way", o.Window)
	r.Set("proposers", "two hosts; one where a rate is offered")
	r.Set("light load", fmt.Sprintf("%d values/s", outageRate))
	r.Set("packets", fmt.Sprintf("UDP in frames of %d B, from one host to another one, by the switch that counts votes", o.Size))
	r.Set("each load for", o.For)
	r.Set("hosts at switches", o.wire())
	return r
}

// MeasureForwarding measures, in turns, what is forwarded alone, as fast as it can be sent, the values that are decided alone, and both beside
// each other, when so much is sent again, and half of it.
func MeasureForwarding(ctx context.Context, o ForwardOptions) (*report.Result, error) {
	if err := o.prepare(); err != nil {
		return nil, err
	}
	r := NewForwarding(o)
	run, err := r.Begin()
	if err != nil {
		return nil, err
	}
	if err := o.measure(ctx, r); err != nil {
		return nil, err
	}
	if err := run.End(); err != nil {
		return nil, err
	}
	// The paper's switch forwards at the full rate, and decides as much as without.
	for _, part := range parts {
		at := partOf(part)
		r.Judge(report.Near("values/s, "+at+", beside it / alone", 1, ""), r.Ratio(report.Point{Metric: Most, Case: at}, beside, alone))
		r.Judge(report.Near("packets forwarded/s, "+at+", beside Paxos / alone", 1, ""), r.Ratio(report.Point{Metric: Forwarded, Case: at}, beside, alone))
	}
	return r, nil
}

func partOf(part float64) string { return fmt.Sprintf("%.0f %% of the packets", 100*part) }

func (o *ForwardOptions) measure(ctx context.Context, r *report.Result) error {
	setup, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	s, err := build(setup, o.Options, inForwarding)
	if err != nil {
		return err
	}
	defer s.Close()
	x, err := newTraffic(s, o.Size)
	if err != nil {
		return err
	}
	defer x.Close()
	echo := workloads()[0]
	for i := -1; i < o.Repetitions; i++ { // the first warms up
		o.Progress("%d of %d", i+1, o.Repetitions)
		if _, err := s.lead(ctx); err != nil {
			return err
		}
		add := func(metric, at, system string, v float64) {
			if i >= 0 {
				r.Add(report.Point{Metric: metric, Case: at}, system, i, v)
			}
		}
		paxos := func(at, system string) error {
			ctx, cancel := context.WithTimeout(ctx, 20*time.Second+40*o.For)
			defer cancel()
			full, err := closed(ctx, s.hosts, echo, o.Window, o.For)
			if err != nil {
				return err
			}
			light, err := s.hosts[0].open(ctx, echo, outageRate, o.For, nil)
			if err != nil {
				return err
			}
			add(Most, at, system, full.rate())
			add(MostTail, at, system, us(full.quantile(0.99)))
			add(LightMedian, at, system, us(light.quantile(0.5)))
			add(LightTail, at, system, us(light.quantile(0.99)))
			return nil
		}
		most := 0.0 // packets per second
		forward := func(at, system string, rate float64, with func() error) error {
			x.start(rate)
			begun := time.Now()
			err := with()
			took := time.Since(begun)
			sent, received := x.stop()
			if err != nil {
				return err
			}
			most = float64(received) / took.Seconds()
			add(Forwarded, at, system, most)
			if sent > 0 {
				add(ForwardedLost, at, system, 100*float64(sent-min(sent, received))/float64(sent))
			}
			return nil
		}
		wait := func() error {
			select {
			case <-time.After(o.For):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		full := 0.0
		for k := range parts {
			part := parts[len(parts)-1-k] // the full rate first: the others are parts of it
			at := partOf(part)
			if err := paxos(at, alone); err != nil {
				return err
			}
			if err := forward(at, alone, part*full, wait); err != nil {
				return err
			}
			if part == 1 {
				full = most
			}
			if err := forward(at, beside, part*full, func() error { return paxos(at, beside) }); err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
		}
	}
	return nil
}

// traffic is packets from x1 to x2.
type traffic struct {
	from, to link.Link
	frame    []byte
	sent     uint64
	received atomic.Uint64
	began    uint64
	running  sync.WaitGroup
	ends     sync.WaitGroup
	end      chan struct{}
}

// burst is how many are sent at once, at most.
const burst = 64

// portDiscard is that of packets that nobody wants (RFC 863).
const portDiscard = 9

func newTraffic(s *system, size int) (*traffic, error) {
	from, a, err := s.network.Open("x1", portDiscard)
	if err != nil {
		return nil, err
	}
	to, b, err := s.network.Open("x2", portDiscard)
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	at := func(ip [4]byte) netip.AddrPort { return netip.AddrPortFrom(netip.AddrFrom4(ip), portDiscard) }
	x := &traffic{from: from, to: to, frame: frames.Append(nil, a.MAC, b.MAC, at(a.IP), at(b.IP), make([]byte, size-udpFrame))}
	x.ends.Go(x.receive)
	return x, nil
}

// udpFrame is what a frame has before the data of UDP.
const udpFrame = 14 + 20 + 8

func (x *traffic) receive() {
	in := make([][]byte, 64)
	for {
		n, err := x.to.Receive(in)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		for _, f := range in[:n] {
			if len(f) == len(x.frame) && binary.BigEndian.Uint16(f[36:]) == portDiscard {
				x.received.Add(1)
			}
		}
	}
}

// start begins to send so many packets per second; 0: as many as can be.
func (x *traffic) start(rate float64) {
	x.end, x.sent, x.began = make(chan struct{}), 0, x.received.Load()
	x.running.Go(func() {
		begun := time.Now()
		for {
			select {
			case <-x.end:
				return
			default:
			}
			n := uint64(burst)
			if rate > 0 {
				due := uint64(rate * time.Since(begun).Seconds())
				n = min(n, due-min(x.sent, due))
			}
			if n == 0 {
				ts := unix.NsecToTimespec(int64(20 * time.Microsecond))
				_ = unix.Nanosleep(&ts, nil) // interrupted: earlier
				continue
			}
			for range n {
				x.from.Send(append(x.from.Buffer(), x.frame...))
			}
			_ = x.from.Flush() // what is not sent is lost
			x.sent += n
		}
	})
}

// stop ends it, and says what became of the packets, when those that are on their way have come.
func (x *traffic) stop() (sent, received uint64) {
	close(x.end)
	x.running.Wait()
	for last := x.received.Load(); ; {
		time.Sleep(5 * time.Millisecond)
		now := x.received.Load()
		if now == last {
			return x.sent, now - x.began
		}
		last = now
	}
}

// Close ends the hosts.
func (x *traffic) Close() {
	_ = x.from.Close()
	_ = x.to.Close()
	x.ends.Wait()
}

// WriteForwarding writes the table to w, and files into a folder.
func WriteForwarding(r *report.Result, w io.Writer, dir string) error { return r.Write(w, dir) }

func forwardingCommand() *cobra.Command {
	var (
		o       ForwardOptions
		wire    string
		out     string
		verbose bool
	)
	c := &cobra.Command{
		Use:   "paxos-forwarding",
		Short: "Measure Paxos beside IPv4 packets that the same switch forwards",
		Long: `Measure Paxos beside IPv4 packets that the same switch forwards: section VII-A of the P4xos paper,
Resource Sharing.

In the network of p4ce demo paxos, one host more sends packets to another one, by the switch that counts
the votes: as fast as it can, and half as fast. The benchmark measures the values that are decided per
second and their latency, and the packets that arrive, alone and beside each other. Here they divide the
CPUs of this machine; p4ce bench paxos-simulated --figures sharing has switches that are as fast as their
links.`,
		Example: `  p4ce bench paxos-forwarding
  p4ce bench paxos-forwarding --size 60 --for 1s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.Repetitions < 1:
				return cli.Usagef("--repetitions %d: at least one", o.Repetitions)
			case o.Window < 1 || o.Window > MaxWindow:
				return cli.Usagef("--window %d: 1 to %d", o.Window, MaxWindow)
			case o.Size < leastForwarded || o.Size > mostForwarded:
				return cli.Usagef("--size %d: %d to %d bytes", o.Size, leastForwarded, mostForwarded)
			case o.For < 10*time.Millisecond:
				return cli.Usagef("--for %v: at least 10ms", o.For)
			case wire != "xdp" && wire != "packet":
				return cli.Usagef("--wire %q: xdp or packet", wire)
			}
			if err := Ready(); err != nil {
				return err
			}
			if err := report.Folder(out); err != nil {
				return err
			}
			dir, err := os.MkdirTemp("", "p4ce-bench-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			o.Dir, o.XDP, o.Progress = dir, wire == "xdp", cli.Progress(cmd.ErrOrStderr())
			if verbose {
				o.Log = cmd.ErrOrStderr()
			}
			if o.Binary, err = cli.P4ce.Find(); err != nil {
				return err
			}
			r, err := MeasureForwarding(cmd.Context(), o)
			o.Progress("")
			if err != nil {
				return cli.Ended(cmd.Context(), err)
			}
			return WriteForwarding(r, cmd.OutOrStdout(), out)
		},
	}
	f := c.Flags()
	f.IntVar(&o.Repetitions, "repetitions", report.Repetitions, fmt.Sprintf("repetitions of each case, in turns; a verdict takes at least %d", report.Repetitions))
	f.IntVar(&o.Window, "window", 64, fmt.Sprintf("values under way at once, 1 to %d", MaxWindow))
	f.IntVar(&o.Size, "size", mostForwarded, fmt.Sprintf("bytes of a frame that is forwarded, %d to %d", leastForwarded, mostForwarded))
	f.DurationVar(&o.For, "for", 300*time.Millisecond, "how long each load is offered, in a repetition")
	f.StringVar(&wire, "wire", "xdp", "how hosts at switches send and receive: xdp (AF_XDP) or packet (packet sockets)")
	f.StringVar(&out, "out", "out/paxos-forwarding", "folder for CSV and JSON")
	f.BoolVarP(&verbose, "verbose", "v", false, "show what all processes log")
	return c
}
