package simulated

import (
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/paxos"
	paxosfabric "github.com/p4ce/p4ce/systems/paxos/fabric"
)

// What the switches forward beside Paxos. Systems are compared with nothing.
const (
	NoTraffic  = "nothing else"
	OtherPorts = "all other ports full"
	HalfLinks  = "its links at 50 %"
	MostLinks  = "its links at 90 %"
	OverLinks  = "its links at 110 %"
)

// Metrics of sharing.
const (
	PerSecond = "values/s"
	One       = "latency of one value, until the replica has it"
	Forwarded = "forwarded"
	Lost      = "of it lost"
)

// shared are the cases: of the links' rate, what crosses the links that Paxos uses, and whether the other ports of its switches are full.
var shared = []struct {
	name   string
	links  float64
	others bool
}{{NoTraffic, 0, false}, {OtherPorts, 0, true}, {HalfLinks, 0.5, false}, {MostLinks, 0.9, false}, {OverLinks, 1.1, false}}

// sharedWork is what a message takes a host then: so hosts are the limit, and not the window.
const (
	sharedWork   = fabric.Microsecond
	sharedWindow = 64
)

// sharing is "Resource Sharing" of section VII-A.
func sharing(o Options) *figures.Figure {
	f := &figures.Figure{Result: &report.Result{
		Name: "paxos-sharing", Title: "Paxos beside IPv4 that the same switches forward",
		Metrics: []report.Metric{{Name: PerSecond, Unit: "1/s"}, {Name: One, Unit: "us"}, {Name: Forwarded, Unit: "Gb/s", NoRatio: true}, {Name: Lost, Unit: "%", NoRatio: true}},
	}}
	for _, c := range shared {
		f.Systems = append(f.Systems, c.name)
		f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
			m, err := share(seed, c.links, c.others, o)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			out := []figures.Sample{figures.Value(PerSecond, "", 0, c.name, m.perSecond), figures.Value(One, "", 0, c.name, micros(m.one))}
			if c.links > 0 || c.others {
				out = append(out, figures.Value(Forwarded, "", 0, c.name, m.forwarded), figures.Value(Lost, "", 0, c.name, m.lost))
			}
			return out, nil
		})
	}
	f.Then = func(f *figures.Figure) {
		at := func(metric string) report.Point { return report.Point{Metric: metric} }
		f.AtLeast("values/s, all other ports full / nothing else", at(PerSecond), OtherPorts, NoTraffic, 0.95, "")
		f.AtMost("latency of one value, all other ports full / nothing else", at(One), OtherPorts, NoTraffic, 1.05, "")
		f.Below("forwarded traffic that is lost, all other ports full", at(Lost), OtherPorts, 0)
		f.AtLeast("values/s, its links at 90 % / nothing else", at(PerSecond), MostLinks, NoTraffic, 0.95, "")
		f.Below("forwarded traffic that is lost, its links at 90 %", at(Lost), MostLinks, 0)
	}
	return f
}

// measured is what came out beside some traffic.
type measured struct {
	perSecond       float64
	one             fabric.Time
	forwarded, lost float64 // Gb/s, %
}

// share measures a log in three switches, of which one leads and all vote: the latency of values, one at a time, and then how many
// are decided per second.
//
//	p, x1, x2 -- leaf1 (acceptor) == spine1 (leader, acceptor) == leaf2 (learner, acceptor) -- r, x3, x4
//	                                   |
//	                                 x5, x6
//
// Traffic on other ports is between x1 and x2, x3 and x4, x5 and x6; that on the links of Paxos between x1 and x3, and
// what is more than a link takes between x2 and x4. Both ways.
func share(seed uint64, links float64, others bool, o Options) (m measured, err error) {
	set := paxosfabric.Defaults()
	set.Applications = []paxosfabric.Application{{
		Name: "log", Leaders: []string{"spine1"}, Acceptors: []string{"leaf1", "spine1", "leaf2"}, Learners: []string{"leaf2"}, Replicas: []string{"r"}, Proposers: []string{"p"},
	}}
	traffic := func(a, b string, part float64) {
		for _, ends := range [][2]string{{a, b}, {b, a}} {
			set.Traffic = append(set.Traffic, paxosfabric.Traffic{From: ends[0], To: ends[1], Rate: fabric.Rate(part * rate)})
		}
	}
	if others {
		traffic("x1", "x2", 1)
		traffic("x3", "x4", 1)
		traffic("x5", "x6", 1)
	}
	if links > 0 {
		traffic("x1", "x3", min(links, 1))
	}
	if links > 1 {
		traffic("x2", "x4", links-1)
	}
	n, err := paxosfabric.New(seed, set)
	if err != nil {
		return m, err
	}
	sw := map[string]fabric.Switch{}
	for level, names := range [][]string{{"leaf1", "leaf2"}, {"spine1"}} {
		for _, name := range names {
			s, err := n.NewP4Switch(name, fabric.P4SwitchConfig{Latency: switchLatency, Controller: control})
			if err != nil {
				return m, err
			}
			n.SetLevel(s, level)
			sw[name] = s
		}
	}
	link := fabric.LinkConfig{Rate: rate, Delay: cable, Queue: 1 << 20}
	for _, leaf := range []string{"leaf1", "leaf2"} {
		if _, err := n.Connect(sw[leaf], sw["spine1"], "", link); err != nil {
			return m, err
		}
	}
	for _, x := range [][2]string{{"p", "leaf1"}, {"r", "leaf2"}, {"x1", "leaf1"}, {"x2", "leaf1"}, {"x3", "leaf2"}, {"x4", "leaf2"}, {"x5", "spine1"}, {"x6", "spine1"}} {
		h, err := n.NewHost(x[0], fabric.HostConfig{Receive: hostLatency, Post: hostLatency, Complete: hostLatency, CPU: fabric.Costs{Request: sharedWork, Completion: sharedWork}})
		if err != nil {
			return m, err
		}
		if _, err := n.Connect(h, sw[x[1]], "", link); err != nil {
			return m, err
		}
	}
	one := &oneByOne{n: n, count: values(o), replicas: 1}
	n.Driver = one
	if err := n.Start(); err != nil {
		return m, err
	}
	if err := settle(n); err != nil {
		return m, err
	}
	begun := n.Now()
	if err := n.Run(begun + fabric.Millisecond); err != nil { // queues that grow are full
		return m, err
	}
	one.host, one.rand = n.Hosts[0], n.Rand("values")
	one.next()
	if err := n.RunWhile(n.Now()+limit, func() bool { return one.done < one.count && one.err == nil }); err != nil {
		return m, err
	}
	if one.err != nil || one.done < one.count {
		return m, fmt.Errorf("%d of %d values: %w", one.done, one.count, one.err)
	}
	m.one = one.sum.first / fabric.Time(one.count)
	all := &closed{n: n, host: n.Hosts[0]}
	n.Driver = all
	for range sharedWindow {
		all.propose()
	}
	from := n.Now()
	if err := n.RunWhile(from+span(o), func() bool { return all.err == nil }); err != nil {
		return m, err
	}
	all.over = true
	m.perSecond = float64(all.delivered) / (float64(span(o)) / float64(fabric.Second))
	n.StopTraffic()
	took := n.Now() - begun
	if err := errors.Join(all.err, finish(n)); err != nil {
		return m, err
	}
	if err := n.Run(n.Now() + fabric.Millisecond); err != nil { // what is on its way arrives
		return m, err
	}
	var sent, received uint64
	for _, x := range n.Traffic() {
		sent, received = sent+x.Sent, received+x.Received
	}
	if sent > 0 {
		m.lost = 100 * float64(sent-received) / float64(sent)
		m.forwarded = float64(received) * frameBits / (float64(took) / float64(fabric.Second)) / 1e9
	}
	return m, n.Check()
}

// frameBits is what a frame of traffic takes on a link.
const frameBits = (1514 + 24) * 8

// span is how long as many values as can be are decided.
func span(o Options) fabric.Time {
	if o.Quick {
		return 200 * fabric.Microsecond
	}
	return fabric.Millisecond
}

// closed proposes a value whenever one is delivered.
type closed struct {
	n         *paxosfabric.Network
	host      *fabric.Host
	delivered int
	over      bool
	waits     int // values that found no room
	err       error
}

func (c *closed) propose() {
	_, err := c.n.Submit(c.host, 0, make([]byte, 32))
	if errors.Is(err, paxos.ErrWindow) {
		c.waits++
		return
	}
	c.err = err
}

// Delivered implements paxosfabric.Driver.
func (c *closed) Delivered(*fabric.Host, int, *paxos.Entry) {
	if !c.over {
		c.delivered++
	}
}

// Answered implements paxosfabric.Driver.
func (c *closed) Answered(*fabric.Host, int, uint32) {
	if c.over {
		return
	}
	more := 1 + c.waits
	c.waits = 0
	c.n.At(c.n.Now(), func() {
		for range more {
			c.propose()
		}
	})
}
