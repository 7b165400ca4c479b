package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/p4ce/p4ce/systems/rdma/lab/multicast"
)

// The network of the demo, and its group: h1 leads.
const (
	multicastRecords = 4000
	multicastSize    = 64 // bytes of a record
	multicastLeaves  = 4
	multicastSpines  = 2
	multicastHosts   = 3 // on each leaf
)

var multicastReceivers = []string{"h2", "h4", "h5", "h7", "h8", "h10", "h11", "h12"}

// multicastDemo is the network while it runs.
type multicastDemo struct {
	o   demoOptions
	net *multicast.Network
	out io.Writer
	rx  []*multicast.Receiver
	to  []netip.Addr
}

func runMulticastDemo(ctx context.Context, o demoOptions, stdout, stderr io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	dir, err := os.MkdirTemp("", "p4ce-demo-")
	if err != nil {
		return fmt.Errorf("temporary folder: %w (TMPDIR says where)", err)
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if o.count < 0 {
		o.count = multicastRecords
	}
	opts := multicast.Options{
		Binary: self, Dir: dir, Target: o.target, Leaves: multicastLeaves, Spines: multicastSpines, Hosts: multicastHosts, Hold: 500 * time.Millisecond,
	}
	if o.verbose {
		opts.Log = stderr
	}
	d := &multicastDemo{o: o, out: stdout}
	if err = d.run(ctx, opts); err != nil && ctx.Err() != nil {
		err = errors.New("interrupted; everything has been taken down")
	}
	return err
}

func (d *multicastDemo) run(ctx context.Context, opts multicast.Options) (err error) {
	where := "XDP, in a network namespace"
	if d.o.target != "xdp" {
		where = "the interpreter, over datagram sockets (as root: XDP)"
	}
	fmt.Fprintf(d.out, "Six switches, each a process: leaves l0 to l3 with three hosts each, and spines s0 and s1. On %s.\nh1, at l0, sends records to eight hosts in all racks.\n\n", where)
	limit, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	if d.net, err = multicast.Start(limit, opts); err != nil {
		return err
	}
	defer d.net.Close()
	n, dev := d.o.count, "h1"
	from, err := d.net.Device(dev)
	if err != nil {
		return err
	}
	shape := multicast.Shape{Records: 2 * n, Size: multicastSize, Port: 4740}
	alone := multicast.Shape{Records: n, Size: multicastSize, Port: 4741}
	var single []*multicast.Receiver
	for _, name := range multicastReceivers {
		host, err := d.net.Device(name)
		if err != nil {
			return err
		}
		for _, s := range []struct {
			shape multicast.Shape
			list  *[]*multicast.Receiver
		}{{shape, &d.rx}, {alone, &single}} {
			r, err := s.shape.Receive(limit, host)
			if err != nil {
				return err
			}
			*s.list = append(*s.list, r)
		}
		d.to = append(d.to, host.Addr())
	}

	// To each by itself.
	var senders []*multicast.Sender
	for _, to := range d.to {
		s, err := alone.SendTo(limit, from, to)
		if err != nil {
			return err
		}
		senders = append(senders, s)
	}
	var fan multicast.Sent
	each, err := d.arrived(limit, func() (err error) {
		fan, err = multicast.FanOut(limit, senders, n, d.o.window)
		return err
	})
	if err != nil {
		return fmt.Errorf("to each by itself: %w", err)
	}
	if err := d.check(limit, single, n); err != nil {
		return err
	}

	// By a group.
	group, err := shape.Send(limit, from, d.net.Home(dev), d.to)
	if err != nil {
		return fmt.Errorf("form the group: %w", err)
	}
	var one multicast.Sent
	copies, err := d.arrived(limit, func() (err error) {
		one, err = group.Write(limit, n, d.o.window, nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("by a group: %w", err)
	}
	if err := d.check(limit, d.rx, n); err != nil {
		return err
	}
	tab := tabwriter.NewWriter(d.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "%d records\tTO EACH BY ITSELF\tBY A GROUP\t\n", n)
	spine := "s0"
	if copies["l0-s1"] > copies["l0-s0"] {
		spine = "s1"
	}
	for _, link := range []string{"l0-s0", "l0-s1", "s0-l1", "s1-l1", "s0-l2", "s1-l2", "s0-l3", "s1-l3"} {
		fmt.Fprintf(tab, "packets %s to %s\t%d\t%d\t\n", link[:2], link[3:], each[link], copies[link])
	}
	fmt.Fprintf(tab, "records/s\t%.0f\t%.0f\t\n", fan.Rate, one.Rate)
	fmt.Fprintf(tab, "p50\t%v\t%v\t\n", micros(fan.P50), micros(one.P50))
	fmt.Fprintf(tab, "p99\t%v\t%v\t\n", micros(fan.P99), micros(one.P99))
	tab.Flush()
	fmt.Fprintln(d.out, "\nPackets are those that switches counted, with some that only say that a link works. A record has arrived when all eight have it.")

	// The spine is lost.
	cut, err := group.Write(limit, n, d.o.window, func(i int) {
		if i == n/2 {
			d.net.Kill(spine)
		}
	})
	if err != nil {
		return fmt.Errorf("after %s was killed: %w", spine, err)
	}
	if err := d.check(limit, d.rx, 2*n); err != nil {
		return fmt.Errorf("after %s was killed: %w", spine, err)
	}
	fmt.Fprintf(d.out, "Spine %s, which the copies went by, is killed while %d more are sent: all arrive by the other one; the longest wait was %v.\nAll eight have all %d records, each once.\n",
		spine, n, cut.Gap.Round(time.Millisecond), 2*n)
	return group.Close()
}

// arrived is what links between switches have carried while f ran.
func (d *multicastDemo) arrived(ctx context.Context, f func() error) (map[string]uint64, error) {
	before, err := d.net.Arrived(ctx)
	if err != nil {
		return nil, err
	}
	if err := f(); err != nil {
		return nil, err
	}
	after, err := d.net.Arrived(ctx)
	for link := range after {
		after[link] -= before[link]
	}
	return after, err
}

func (d *multicastDemo) check(ctx context.Context, rx []*multicast.Receiver, n int) error {
	for i, r := range rx {
		if err := r.Await(ctx, n); err != nil {
			return fmt.Errorf("host %s: %w", multicastReceivers[i], err)
		}
	}
	return nil
}
