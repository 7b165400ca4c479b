package multicast

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
	rdmafabric "github.com/p4ce/p4ce/systems/rdma/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// Metrics of a network of many groups.
const (
	Formed    = "all groups formed after"
	Updates   = "table updates"
	Affected  = "groups that the lost switch carried"
	Whole     = "last group whole after"
	Carried   = "WRITEs on links, one per group"
	Least     = "of them the least there can be"
	Extra     = "WRITEs on links more than in a calm round"
	Entries   = "table entries"
	Simulated = "real time of the run"
	CPUTime   = "CPU time of the run"
	Memory    = "memory of the process at most"
)

// ScaleOptions say how large the network is, and how fast its controller.
type ScaleOptions struct {
	K, Groups, Receivers int
	Hold                 time.Duration // a link is down when it has been silent so long
	Write                time.Duration // that a switch takes for an update
	Seed                 uint64
	Progress             func(format string, args ...any)
}

// writes counts WRITEs that links deliver.
type writes struct{ n uint64 }

// Frame implements fabric.Tap.
func (w *writes) Frame(_ fabric.Time, _ *fabric.Half, b []byte) {
	const bth = wire.EthernetLen + 20 + 8
	if len(b) > bth && b[12] == 8 && b[13] == 0 && wire.Opcode(b[bth]) == wire.WriteOnly {
		w.n++
	}
}

// Scale is a fat tree that is full of groups: all of them are formed by the real controllers, on
// switches that run the real program. Each sends a WRITE; then a core switch loses all its links, each group
// sends another, and it is seen when the last one has been answered by all its receivers; then each
// sends a third, in peace.
func Scale(ctx context.Context, o ScaleOptions) (*report.Result, error) {
	if o.Progress == nil {
		o.Progress = func(string, ...any) {}
	}
	r := &report.Result{
		Name: "scale", Title: fmt.Sprintf("%d groups in a fat tree of k = %d, of which a core switch is lost", o.Groups, o.K), Systems: []string{"controllers and switches"},
		Metrics: []report.Metric{
			{Name: Formed, Unit: "ms"}, {Name: Updates, Unit: "updates"}, {Name: Affected, Unit: "groups"}, {Name: Whole, Unit: "ms"},
			{Name: Carried, Unit: "frames"}, {Name: Least, Unit: "frames"}, {Name: Extra, Unit: "frames"}, {Name: Entries, Unit: "entries"},
			{Name: Simulated, Unit: "s"}, {Name: CPUTime, Unit: "s"}, {Name: Memory, Unit: "MB"},
		},
	}
	r.BeginSimulated()
	r.Set("receivers of a group", o.Receivers)
	r.Set("a link is down when silent for", o.Hold)
	r.Set("controller", fmt.Sprintf("50us away; a switch takes %v for an update", o.Write))
	c := base(fabric.FatTree)
	c.K, c.Core = o.K, rdmafabric.Program
	c.Controller = fabric.ControllerConfig{Delay: 50 * fabric.Microsecond, Write: fabric.After(o.Write), Hold: fabric.After(o.Hold), Silent: true}
	f, err := build(o.Seed, c, rdmafabric.Settings{})
	if err != nil {
		return nil, err
	}
	o.Progress("%d switches, %d hosts, %d links", len(f.Switches), len(f.Hosts), len(f.Links))
	// Everybody's tables take their time: as many updates as there are hosts and switches, some of them twice.
	if err := f.Run(fabric.After(o.Write)*fabric.Time(4*(len(f.Hosts)+len(f.Switches))) + 10*fabric.Millisecond); err != nil {
		return nil, err
	}
	n := &many{o: o, f: f, answered: make([]fabric.Time, o.Groups)}
	count := &writes{}
	f.Tap(count)
	began := f.Now()
	before := n.updates()
	if err := n.form(ctx); err != nil {
		return nil, err
	}
	add := func(metric, kase string, v float64) {
		r.Add(report.Point{Metric: metric, Case: kase}, r.Systems[0], 0, v)
	}
	ms := func(t fabric.Time) float64 { return float64(t) / float64(fabric.Millisecond) }
	add(Formed, "", ms(f.Now()-began))
	add(Updates, "to form them", float64(n.updates()-before))
	all, most := n.entries()
	add(Entries, "of all switches", float64(all))
	add(Entries, "of the switch that has most", float64(most))

	round := func() (frames uint64, last fabric.Time, slow int, err error) {
		at, start := count.n, f.Now()
		if err := n.round(ctx); err != nil {
			return 0, 0, 0, err
		}
		for _, t := range n.answered {
			if t -= start; t > fabric.Millisecond {
				slow++
			}
			last = max(last, t)
		}
		return count.n - at, last, slow, nil
	}
	calm, _, _, err := round()
	if err != nil {
		return nil, err
	}
	add(Carried, "before", float64(calm))
	add(Least, "before", float64(n.least))
	o.Progress("a core switch is lost")
	for _, l := range f.Links {
		if l.Half[1].From.Name() == "core1" {
			f.SetDown(l, true)
		}
	}
	before = n.updates()
	hit, last, slow, err := round()
	if err != nil {
		return nil, err
	}
	add(Affected, "", float64(slow))
	add(Whole, "", ms(last))
	if err := f.Run(f.Now() + fabric.After(2*o.Hold)); err != nil { // what is over goes last
		return nil, err
	}
	add(Updates, "after the loss", float64(n.updates()-before))
	after, _, late, err := round()
	if err != nil {
		return nil, err
	}
	if late > 0 {
		return nil, fmt.Errorf("%d groups are still not whole", late)
	}
	add(Carried, "after", float64(after))
	add(Least, "after", float64(n.least))
	add(Extra, "while it was lost", float64(hit)-float64(after))
	r.Took = time.Since(r.Start)
	add(Simulated, "", r.Took.Seconds())
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return nil, fmt.Errorf("what the run has used: %w", err)
	}
	add(CPUTime, "", time.Duration(u.Utime.Nano()+u.Stime.Nano()).Seconds())
	add(Memory, "", float64(u.Maxrss)*1024/1e6)
	return r, nil
}

// many are the groups of a network.
type many struct {
	o        ScaleOptions
	f        *rdmafabric.Network
	channels []*rdmafabric.Channel
	ready    int
	answered []fabric.Time
	left     int
	least    int
}

func (n *many) updates() (sum uint64) {
	for _, s := range n.f.Switches {
		if r, ok := s.(*fabric.P4Switch); ok {
			sum += r.Controller.Updates
		}
	}
	return sum
}

// entries are those of all switches, and of the one that has most.
func (n *many) entries() (all, most int) {
	for _, s := range n.f.Switches {
		if r, ok := s.(*fabric.P4Switch); ok {
			e := r.Entries()
			all, most = all+e, max(most, e)
		}
	}
	return all, most
}

// form makes all groups, of hosts that are drawn by lot.
func (n *many) form(ctx context.Context) error {
	rnd := rand.New(rand.NewPCG(n.o.Seed, 10))
	hosts := n.f.Hosts
	for i := range n.o.Groups {
		at := rnd.Perm(len(hosts))[:n.o.Receivers+1]
		at[0] = i % len(hosts) // as many groups for each
		var to []*fabric.Host
		var where []int
		for _, h := range at[1:] {
			if h != at[0] {
				to, where = append(to, hosts[h]), append(where, h)
			}
		}
		n.least += leastLinks(n.o.K, at[0], where)
		c := rdmafabric.ChannelConfig{
			Name: fmt.Sprint("group ", i), From: hosts[at[0]], To: to, Via: rdmafabric.ViaGroup, Policy: private.PolicyAll, Port: uint16(7000 + i), Region: 4096, Queue: 1,
			QP: rdmafabric.QPConfig{Window: 16, AckTimeout: 4 * time.Millisecond, Retry: 10000}, // until the tree is another
		}
		n.f.At(n.f.Now()+fabric.Time(i)*20*fabric.Microsecond, func() {
			ch, err := n.f.NewChannel(c, func() { n.ready++ }, func(err error) { n.f.Fail(fmt.Errorf("%s: %w", c.Name, err)) })
			if err != nil {
				n.f.Fail(err)
			}
			n.channels = append(n.channels, ch)
		})
	}
	return n.until(ctx, "groups formed", func() int { return n.ready })
}

// until runs until something has happened as often as there are groups.
func (n *many) until(ctx context.Context, what string, have func() int) error {
	end := n.f.Now() + 60*fabric.Second
	for have() < n.o.Groups {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if n.f.Now() >= end {
			return fmt.Errorf("%s: %d of %d", what, have(), n.o.Groups)
		}
		slice := n.f.Now() + fabric.Millisecond
		if err := n.f.RunWhile(slice, func() bool { return have() < n.o.Groups }); err != nil {
			return err
		}
		o := n.o
		o.Progress("%s: %d of %d, at %v", what, have(), o.Groups, n.f.Now().Duration())
	}
	return nil
}

// round has each group send a WRITE, and waits until all of them have been answered.
func (n *many) round(ctx context.Context) error {
	n.left = len(n.channels)
	data := make([]byte, 64)
	for i, ch := range n.channels {
		ch.Write(&rdmafabric.Writing{Data: data, Answered: func() {
			n.answered[i] = n.f.Now()
			n.left--
		}})
	}
	return n.until(ctx, "requests answered", func() int { return n.o.Groups - n.left })
}

// leastLinks is how many links a tree of a fat tree has at least that joins a host to others.
func leastLinks(k, from int, to []int) int {
	half := k / 2
	edge := func(h int) int { return h / half }
	pod := func(h int) int { return h / half / half }
	links, edges, pods := 1+len(to), map[int]bool{}, map[int]bool{}
	for _, h := range to {
		if edge(h) != edge(from) {
			edges[edge(h)] = true
		}
		if pod(h) != pod(from) {
			pods[pod(h)] = true
		}
	}
	links += len(edges) // agg to edge
	if len(edges) > 0 {
		links++ // up to an agg
	}
	links += len(pods) // core to agg
	if len(pods) > 0 {
		links++
	}
	return links
}
