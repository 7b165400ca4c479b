package pipeline

import (
	"context"
	"errors"

	"github.com/p4ce/p4ce/bench/cpu"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
)

// part is something to measure: packets of sources, as a value of a system at a point.
type part struct {
	at      report.Point
	system  string
	sources []*source
	rate    bool // packets per us instead of ns per packet; with what the generator costs
}

// beds are the switches that are compared.
type beds struct {
	parts []part
	empty *source // sends where nothing is done with packets
	close []func() error
}

func (w *beds) Close() error {
	var errs []error
	for i := len(w.close) - 1; i >= 0; i-- {
		errs = append(errs, w.close[i]())
	}
	return errors.Join(errs...)
}

// interfaces measures packets on interfaces. unclean has in how many samples the CPUs did
// something else.
func interfaces(ctx context.Context, o Options, r *report.Result) (unclean map[report.Point]int, err error) {
	o.Progress("switches and hosts")
	cpus, err := cpu.Usable()
	if err != nil {
		return nil, err
	}
	w := &beds{}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, f := range []func() error{w.nothing, w.redirect, w.clone, w.hand, func() error { return w.p4(len(cpus) > 1) }, w.p4Groups} {
		if err := f(); err != nil {
			return nil, err
		}
	}
	unclean = map[report.Point]int{}
	for i := -1; i < o.Repetitions; i++ { // the first warms up
		o.Progress("packets on interfaces: %d of %d", i+1, o.Repetitions)
		generator, cleanly, err := w.sample(ctx, []*source{w.empty}, cpus, o.Packets)
		if err != nil {
			return nil, err
		}
		for _, p := range w.parts {
			ns, clean, err := w.sample(ctx, p.sources, cpus, o.Packets)
			if err != nil {
				return nil, err
			}
			if i < 0 {
				continue
			}
			v := ns - generator
			if p.rate {
				v = 1e3 / ns
			}
			r.Add(p.at, p.system, i, v)
			if !clean || !p.rate && !cleanly {
				unclean[p.at]++
			}
		}
	}
	return unclean, nil
}

func (w *beds) sample(ctx context.Context, s []*source, cpus []int, packets int) (float64, bool, error) {
	if ctx.Err() != nil {
		return 0, false, ctx.Err()
	}
	return sample(s, cpus, packets)
}

func (w *beds) add(metric, name, system string, rate bool, s ...*source) {
	w.parts = append(w.parts, part{report.Point{Metric: metric, Case: name}, system, s, rate})
}

func (w *beds) bed(name string, hosts int, k kind) (*bed, error) {
	x, err := newBed(name, hosts, k)
	if err == nil {
		w.close = append(w.close, x.Close)
	}
	return x, err
}

// nothing is a port that takes packets away.
func (w *beds) nothing() error {
	x, err := w.bed("generator", 1, frames)
	if err != nil {
		return err
	}
	g := newGroup(0, 1, 0, 1)
	w.empty = forwarded(x, g)
	w.empty.copies = 1
	return x.lab.InSwitch(func() error { return x.xdp(x.lab.Hosts[0].PortInterface(), x.around.Programs["sink"]) })
}

// forwarded are packets that are of no group.
func forwarded(x *bed, g *world.Group) *source {
	return &source{bed: x, copies: 1, groups: 1, packet: func(int) []byte { return plain(g.Leader, g.Replicas[0]) }}
}

// scattered are requests of a group's leader, and of those that follow it.
func scattered(x *bed, g *world.Group, groups int) *source {
	return &source{bed: x, host: int(g.Leader.Port) - 1, copies: len(g.Replicas), groups: groups, packet: func(i int) []byte {
		other := *g
		other.BCastQP += uint32(i)
		write, _ := packets(&other)
		return write
	}}
}

// gathered are ACKs of a replica of a group, and of those that follow it.
func gathered(x *bed, g *world.Group, groups int) *source {
	return &source{bed: x, host: int(g.Replicas[answering].Port) - 1, copies: 1, groups: groups, ack: true, packet: func(i int) []byte {
		other := *g
		other.Replicas = append([]world.Replica(nil), g.Replicas...)
		other.Replicas[answering].AggrQP += uint32(i)
		_, ack := packets(&other)
		return ack
	}}
}

const (
	forwardName = "forward"
	gatherName  = "gather"
)

// redirect is a plain parse-and-redirect program.
func (w *beds) redirect() error {
	x, err := w.bed(redirect, 2, frames)
	if err != nil {
		return err
	}
	g := newGroup(0, 1, 0, 1)
	w.add(Packet, forwardName, redirect, false, forwarded(x, g))
	return x.handSwitch([]*world.Group{g}, "plain_redirect", false)
}

// handSwitch puts a program of hand.bpf.c on all ports.
func (x *bed) handSwitch(gs []*world.Group, program string, egress bool) error {
	return x.lab.InSwitch(func() error {
		index, err := x.portIndexes()
		if err != nil {
			return err
		}
		c, err := loadHand(gs, func(p dataplane.Port) int { return index[x.lab.Hosts[p-1].PortInterface()] }, egress)
		if err != nil {
			return err
		}
		x.closes(func() error { c.Close(); return nil })
		for _, h := range x.lab.Hosts {
			if err := x.xdp(h.PortInterface(), c.Programs[program]); err != nil {
				return err
			}
		}
		return nil
	})
}

// clone is a TC program that clones a packet to each port, and changes nothing.
func (w *beds) clone() error {
	for _, n := range fanOut {
		x, err := w.bed(clone, n+1, buffers)
		if err != nil {
			return err
		}
		s := scattered(x, newGroup(0, n, 0, 1), 1)
		w.add(Packet, scatterTo(n), clone, false, s)
		err = x.lab.InSwitch(func() error {
			index, err := x.portIndexes()
			if err != nil {
				return err
			}
			for i, h := range x.lab.Hosts[1:] {
				if err := x.around.Maps["copies_to"].Put(uint32(i), uint32(index[h.PortInterface()])); err != nil {
					return err
				}
			}
			in := x.lab.Hosts[0].PortInterface()
			return errors.Join(x.xdp(in, x.around.Programs["pass"]), x.tc(in, "clone"))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fans are a group for each fan-out.
func fans() (out []*world.Group) {
	for i, n := range fanOut {
		out = append(out, newGroup(i, n, 0, 1))
	}
	return out
}

func (w *beds) fanned(x *bed, gs []*world.Group, system string) {
	for _, g := range gs {
		w.add(Packet, scatterTo(len(g.Replicas)), system, false, scattered(x, g, 1))
		if len(g.Replicas) == 4 {
			w.add(Packet, gatherName, system, false, gathered(x, g, 1))
		}
	}
}

// hand is the switch by hand.
func (w *beds) hand() error {
	gs := fans()
	x, err := w.bed(hand, 9, frames)
	if err != nil {
		return err
	}
	w.fanned(x, gs, hand)
	return x.handSwitch(gs, "hand_port", true)
}

// p4Switch puts the generated programs on all ports.
func (x *bed) p4Switch(gs []*world.Group) (target *xdp.Target, err error) {
	err = x.lab.InSwitch(func() error {
		if target, err = newTarget(false); err != nil {
			return err
		}
		x.closes(func() error { return x.lab.InSwitch(target.Close) })
		for _, h := range x.lab.Hosts {
			if err := target.AddPort(dataplane.Port(h.Port), h.PortInterface()); err != nil {
				return err
			}
		}
		for _, g := range gs {
			if err := apply(target, g); err != nil {
				return err
			}
		}
		return nil
	})
	return target, err
}

// p4 is the switch of the generated programs, with groups of each size and, for two CPUs,
// one more group that has other hosts.
func (w *beds) p4(two bool) error {
	gs := fans()
	x, err := w.bed(p4, 10, frames)
	if err != nil {
		return err
	}
	w.fanned(x, gs, p4)
	w.add(Packet, forwardName, p4, false, forwarded(x, gs[0]))
	if two {
		a, b := newGroup(len(gs), 4, 0, 1), newGroup(len(gs)+1, 4, 5, 6)
		gs = append(gs, a, b)
		for _, c := range []struct {
			name   string
			source func(*bed, *world.Group, int) *source
		}{{scatterTo(4), scattered}, {gatherName, gathered}} {
			w.add(CPUs, c.name, oneCPU, true, c.source(x, a, 1))
			w.add(CPUs, c.name, twoCPUs, true, c.source(x, a, 1), c.source(x, b, 1))
		}
	}
	target, err := x.p4Switch(gs)
	if err != nil {
		return err
	}
	return forwarding(target, gs[len(fanOut)-1])
}

// p4Groups is a switch full of groups.
func (w *beds) p4Groups() error {
	x, err := w.bed(p4, 5, frames)
	if err != nil {
		return err
	}
	gs := groupsFrom(maxGroups, 4)
	for _, n := range groupCounts {
		w.add(Groups, scatterTo(4), groups(n), false, scattered(x, gs[0], n))
		w.add(Groups, gatherName, groups(n), false, gathered(x, gs[0], n))
	}
	_, err = x.p4Switch(gs)
	return err
}
