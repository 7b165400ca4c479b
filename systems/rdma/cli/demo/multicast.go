package demo

import (
	"context"
	"fmt"
	"net/netip"
	"text/tabwriter"
	"time"

	"github.com/p4ce/p4ce/internal/cli/demo"
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

// fabric is the network while it runs.
type fabric struct {
	*demo.Run
	net *multicast.Network
	rx  []*multicast.Receiver
	to  []netip.Addr
}

// multicastDemo is the demo of MC-RDMA.
var multicastDemo = demo.Switches{
	Name: "multicast", Short: "Write to eight hosts at once by a group over six switches",
	Long: `Build four racks of hosts and two spines, six switches in all (see docs/multicast.md). A host writes to
eight others, through a group and to each by itself, and a table has the packets on each link. Then the
demo kills a spine.`,
	Window: 128, // requests of a queue pair
	Count:  multicastRecords,
	Run:    func(ctx context.Context, r *demo.Run) error { return (&fabric{Run: r}).run(ctx) },
}

func (d *fabric) run(ctx context.Context) (err error) {
	opts := multicast.Options{
		Binary: d.Self, Dir: d.Dir, Target: d.Target, Leaves: multicastLeaves, Spines: multicastSpines, Hosts: multicastHosts, Hold: 500 * time.Millisecond,
		Log: d.Log(),
	}
	fmt.Fprintf(d.Stdout, "Six switches, each a process: leaves l0 to l3 with three hosts each, and spines s0 and s1. On %s.\nh1, at l0, sends records to eight hosts in all racks.\n\n", d.Where())
	limit, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	if d.net, err = multicast.Start(limit, opts); err != nil {
		return err
	}
	defer d.net.Close()
	n, dev := d.Count, "h1"
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
		fan, err = multicast.FanOut(limit, senders, n, d.Window)
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
		one, err = group.Write(limit, n, d.Window, nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("by a group: %w", err)
	}
	if err := d.check(limit, d.rx, n); err != nil {
		return err
	}
	tab := tabwriter.NewWriter(d.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "%d records\tTO EACH BY ITSELF\tBY A GROUP\t\n", n)
	spine := "s0"
	if copies["l0-s1"] > copies["l0-s0"] {
		spine = "s1"
	}
	for _, link := range []string{"l0-s0", "l0-s1", "s0-l1", "s1-l1", "s0-l2", "s1-l2", "s0-l3", "s1-l3"} {
		fmt.Fprintf(tab, "packets %s to %s\t%d\t%d\t\n", link[:2], link[3:], each[link], copies[link])
	}
	fmt.Fprintf(tab, "records/s\t%.0f\t%.0f\t\n", fan.Rate, one.Rate)
	fmt.Fprintf(tab, "p50\t%v\t%v\t\n", demo.Micros(fan.P50), demo.Micros(one.P50))
	fmt.Fprintf(tab, "p99\t%v\t%v\t\n", demo.Micros(fan.P99), demo.Micros(one.P99))
	tab.Flush()
	fmt.Fprintln(d.Stdout, "\nPackets are those that switches counted, with some that only say that a link works. A record has arrived when all eight have it.")

	// The spine is lost.
	cut, err := group.Write(limit, n, d.Window, func(i int) {
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
	fmt.Fprintf(d.Stdout, "Spine %s, which the copies went by, is killed while %d more are sent: all arrive by the other one; the longest wait was %v.\nAll eight have all %d records, each once.\n",
		spine, n, cut.Gap.Round(time.Millisecond), 2*n)
	return group.Close()
}

// arrived is what links between switches have carried while f ran.
func (d *fabric) arrived(ctx context.Context, f func() error) (map[string]uint64, error) {
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

func (d *fabric) check(ctx context.Context, rx []*multicast.Receiver, n int) error {
	for i, r := range rx {
		if err := r.Await(ctx, n); err != nil {
			return fmt.Errorf("host %s: %w", multicastReceivers[i], err)
		}
	}
	return nil
}
