// Package hosts measures P4mCast in a network namespace, whose switches run it in XDP, beside PrimCast by hosts of the same
// network: messages per second, and latency at a light load, of messages to one group and to two.
//
//	spine1   spine2       followers of both groups
//	   | \   / |
//	leaf1    leaf2        leaders of groups 1 and 2; each a p4ce switch, on XDP
//	a1 a3    a2           replicas of group 1, b1 to b3 of group 2; c1 and c2 are clients
//	b2 c1    b1 b3 c2
//
// Each of these hosts is there twice, once for each system: a replica of P4mCast does not come back. All hosts are this
// process; they send and receive by packet sockets. Hosts of the system that is not measured say nothing, but to the
// controller that they are there.
//
// The rate is that of a closed loop: two clients have a number of messages under way. The latency is that of an open loop,
// from Multicast until a replica delivers.
package hosts

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/bench/baseline"
	"github.com/p4ce/p4ce/systems/amcast/lab"
)

// Systems that are compared.
const (
	PrimCast = string(baseline.PrimCast)
	P4mCast  = "P4mCast"
)

// Metrics.
const (
	Rate   = "messages"
	Median = "latency (p50)"
	Tail   = "latency (p99)"
)

// Options say what to measure.
type Options struct {
	Binary      string // p4ce
	Dir         string // for what networks need
	Repetitions int
	Size        int           // of payloads, in bytes: at least MinSize
	Messages    int           // for the rate, in a repetition
	Window      int           // messages of each client under way
	For         time.Duration // how long the light load is offered
	Log         io.Writer     // of all processes; nil: nowhere
	Progress    func(format string, args ...any)
}

// MinSize is the least size of a payload: it says when it was sent.
const MinSize = 8

// pause is the mean pause between two messages of a client at the light load.
const pause = 5 * time.Millisecond

// places are the hosts: processes of PrimCast have these numbers.
var places = []struct{ name, leaf string }{
	{"a1", "leaf1"}, {"a2", "leaf2"}, {"a3", "leaf1"}, {"b1", "leaf2"}, {"b2", "leaf1"}, {"b3", "leaf2"}, {"c1", "leaf1"}, {"c2", "leaf2"},
}

// groups are the processes of PrimCast, which has clients behind these.
var groups = baseline.Groups{1: {0, 1, 2}, 2: {3, 4, 5}}

const firstClient = 6

// primary is the host of PrimCast in the place of one of P4mCast.
func primary(name string) string { return "p" + name }

// config is the network's file, with a place for a folder.
func config() string {
	var hosts []string
	for i, p := range places {
		for k, name := range []string{p.name, primary(p.name)} {
			hosts = append(hosts, fmt.Sprintf(`{"name": %q, "at": "%s:%d", "address": "10.0.3.%d", "mac": "02:00:00:00:03:%02x"}`, name, p.leaf, 11+2*i+k, 1+2*i+k, 1+2*i+k))
		}
	}
	return `{
  "switches": [
    {"name": "leaf1", "p4runtime": "unix:%[1]s/leaf1.rt", "mac": "02:00:00:00:01:01", "address": "10.0.1.1"},
    {"name": "leaf2", "p4runtime": "unix:%[1]s/leaf2.rt", "mac": "02:00:00:00:01:02", "address": "10.0.1.2"},
    {"name": "spine1", "p4runtime": "unix:%[1]s/spine1.rt", "mac": "02:00:00:00:01:11", "address": "10.0.1.11"},
    {"name": "spine2", "p4runtime": "unix:%[1]s/spine2.rt", "mac": "02:00:00:00:01:12", "address": "10.0.1.12"}
  ],
  "links": [["leaf1:1", "spine1:1"], ["leaf1:2", "spine2:1"], ["leaf2:1", "spine1:2"], ["leaf2:2", "spine2:2"]],
  "hosts": [` + strings.Join(hosts, ",\n") + `],
  "groups": [
    {"number": 1, "leader": "leaf1", "members": ["leaf1", "spine1", "spine2"], "replicas": ["a1", "a2", "a3"]},
    {"number": 2, "leader": "leaf2", "members": ["leaf2", "spine1", "spine2"], "replicas": ["b1", "b2", "b3"]}
  ]
}
`
}

// system is one that is compared, with its hosts.
type system struct {
	name      string
	multicast [2]func(ctx context.Context, groups amcast.Groups, payload []byte) error // of each client
	deliver   map[uint8][]func(context.Context) (amcast.Delivery, error)               // of each replica
}

// Measure measures, systems in turns.
func Measure(ctx context.Context, o Options) (*report.Result, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("this measurement runs XDP programs in network namespaces, which needs root")
	}
	if o.Progress == nil {
		o.Progress = func(string, ...any) {}
	}
	r := &report.Result{
		Name: "amcast-xdp", Title: "Atomic multicast on this machine: switches in XDP", Systems: []string{PrimCast, P4mCast}, Axis: report.Metric{Name: "groups of a message"},
		Metrics: []report.Metric{{Name: Rate, Unit: "1/s"}, {Name: Median, Unit: "us"}, {Name: Tail, Unit: "us"}},
	}
	r.Set("repetitions", o.Repetitions)
	r.Set("messages", fmt.Sprintf("%d B; two clients, %d of each under way for the rate", o.Size, o.Window))
	r.Set("light load", fmt.Sprintf("a message of each client in %v, for %v", pause, o.For))
	setup, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	o.Progress("network")
	n, err := lab.Start(setup, lab.Options{Binary: o.Binary, Dir: o.Dir, Target: "xdp", Log: o.Log, Config: config(), Window: o.Window})
	if err != nil {
		return nil, err
	}
	defer n.Close()
	soft, end, err := software(n, o)
	defer end()
	if err != nil {
		return nil, err
	}
	hard, end, err := switches(setup, n)
	defer end()
	if err != nil {
		return nil, err
	}
	run, err := r.Begin()
	if err != nil {
		return nil, err
	}
	for i := range o.Repetitions {
		for _, to := range [][]uint8{{1}, {1, 2}} {
			for _, s := range []*system{soft, hard} {
				o.Progress("repetition %d, %d groups, %s", i+1, len(to), s.name)
				if err := both(ctx, r, s, o, to, i); err != nil {
					return nil, fmt.Errorf("%s, %d groups: %w", s.name, len(to), err)
				}
			}
		}
	}
	if err := run.End(); err != nil {
		return nil, err
	}
	for _, x := range []float64{1, 2} {
		r.AtLeast(fmt.Sprintf("messages, P4mCast / PrimCast, %g groups (poster, one group in hardware: 10)", x), report.Point{Metric: Rate, X: x}, P4mCast, PrimCast, 10, "")
		r.AtMost(fmt.Sprintf("latency (p50), P4mCast / PrimCast, %g groups (poster: below)", x), report.Point{Metric: Median, X: x}, P4mCast, PrimCast, 1, "")
	}
	return r, nil
}

// software opens the hosts of PrimCast.
func software(n *lab.Network, o Options) (s *system, end func(), err error) {
	s = &system{name: PrimCast, deliver: map[uint8][]func(context.Context) (amcast.Delivery, error){}}
	var hosts []*baseline.Host
	end = func() {
		for _, h := range hosts {
			h.Close()
		}
	}
	var all []amcast.End
	for _, p := range places {
		place, err := n.Config().Place(primary(p.name))
		if err != nil {
			return nil, end, err
		}
		all = append(all, place.Self)
	}
	for i, p := range places {
		l, err := n.Link(primary(p.name), nil)
		if err != nil {
			return nil, end, err
		}
		h := baseline.OpenHost(l, i, groups, all, o.Window)
		hosts = append(hosts, h)
		if i >= firstClient {
			s.multicast[i-firstClient] = h.Multicast
		}
	}
	for g, list := range groups {
		for _, i := range list {
			s.deliver[g] = append(s.deliver[g], hosts[i].Deliver)
		}
	}
	return s, end, nil
}

// switches opens the hosts of P4mCast.
func switches(ctx context.Context, n *lab.Network) (s *system, end func(), err error) {
	s = &system{name: P4mCast, deliver: map[uint8][]func(context.Context) (amcast.Delivery, error){}}
	hosts := map[string]*amcast.Host{}
	end = func() {
		for _, h := range hosts {
			_ = h.Close()
		}
	}
	for i, p := range places {
		h, err := n.Attach(p.name)
		if err != nil {
			return nil, end, err
		}
		hosts[p.name] = h
		if i >= firstClient {
			s.multicast[i-firstClient] = func(ctx context.Context, groups amcast.Groups, payload []byte) error {
				_, err := h.Multicast(ctx, groups, payload)
				return err
			}
		}
	}
	for _, h := range hosts {
		if err := h.Wait(ctx); err != nil {
			return nil, end, err
		}
	}
	for _, g := range n.Config().Groups {
		for _, name := range g.Replicas {
			s.deliver[g.Number] = append(s.deliver[g.Number], func(ctx context.Context) (amcast.Delivery, error) { return hosts[name].Deliver(ctx, g.Number) })
		}
	}
	return s, end, nil
}

// both measures rate and latency.
func both(ctx context.Context, r *report.Result, s *system, o Options, to []uint8, repetition int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	add := func(metric string, v float64) {
		r.Add(report.Point{Metric: metric, X: float64(len(to))}, s.name, repetition, v)
	}
	x := &exchange{system: s, to: to, size: o.Size, each: max(1, o.Messages/2)}
	took, err := x.run(ctx)
	if err != nil {
		return err
	}
	add(Rate, float64(2*x.each)/took.Seconds())
	x = &exchange{system: s, to: to, size: o.Size, each: max(10, int(o.For/pause)), pause: pause, seed: uint64(repetition)}
	if _, err = x.run(ctx); err != nil {
		return fmt.Errorf("light load: %w", err)
	}
	sum := x.took.Summary()
	add(Median, float64(sum.P50)/1e3)
	add(Tail, float64(sum.P99)/1e3)
	return nil
}

// exchange has both clients send, and looks at the order in which replicas deliver.
type exchange struct {
	*system
	to    []uint8
	size  int
	each  int           // messages of a client
	pause time.Duration // the mean between two messages
	seed  uint64

	mu   sync.Mutex
	took *latency.Histogram
}

// run returns how long it took until the last delivery.
func (x *exchange) run(ctx context.Context) (time.Duration, error) {
	groups, err := amcast.NewGroups(x.to...)
	if err != nil {
		return 0, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	x.took = latency.New()
	begin := time.Now()
	var all sync.WaitGroup
	work := func(f func() error) {
		all.Go(func() {
			if err := f(); err != nil {
				stop(err) // the first one says what is wrong
			}
		})
	}
	for i, send := range x.multicast {
		work(func() error { return x.send(ctx, i, groups, send) })
	}
	orders := map[uint8][][]amcast.Delivery{}
	for _, g := range x.to {
		orders[g] = make([][]amcast.Delivery, len(x.deliver[g]))
		for i, deliver := range x.deliver[g] {
			into := &orders[g][i]
			work(func() error { return x.receive(ctx, into, deliver) })
		}
	}
	all.Wait()
	took := time.Since(begin)
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	first := orders[x.to[0]][0]
	for g, list := range orders {
		for i, order := range list {
			if err := same(first, order); err != nil {
				return 0, fmt.Errorf("replica %d of group %d: %w", i+1, g, err)
			}
		}
	}
	return took, nil
}

func (x *exchange) send(ctx context.Context, client int, groups amcast.Groups, send func(context.Context, amcast.Groups, []byte) error) error {
	r := rand.New(rand.NewPCG(x.seed, uint64(client)))
	payload := make([]byte, x.size)
	for range x.each {
		if x.pause > 0 {
			select {
			case <-time.After(time.Duration(r.ExpFloat64() * float64(x.pause))):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		binary.BigEndian.PutUint64(payload, uint64(time.Now().UnixNano()))
		if err := send(ctx, groups, payload); err != nil {
			return fmt.Errorf("client %d: %w", client+1, err)
		}
	}
	return nil
}

func (x *exchange) receive(ctx context.Context, into *[]amcast.Delivery, deliver func(context.Context) (amcast.Delivery, error)) error {
	for len(*into) < 2*x.each {
		d, err := deliver(ctx)
		if err != nil {
			return fmt.Errorf("%d of %d messages were delivered: %w", len(*into), 2*x.each, err)
		}
		now := time.Now().UnixNano()
		x.mu.Lock()
		x.took.Add(time.Duration(now - int64(binary.BigEndian.Uint64(d.Payload))))
		x.mu.Unlock()
		*into = append(*into, amcast.Delivery{ID: d.ID, Final: d.Final})
	}
	return nil
}

// same says where two replicas have not delivered the same, or one has not in the order of final timestamps.
func same(a, b []amcast.Delivery) error {
	for i := range b {
		if a[i].ID != b[i].ID || a[i].Final != b[i].Final {
			return fmt.Errorf("delivery %d is %v at %d, and %v at %d at the first replica", i+1, b[i].ID, b[i].Final, a[i].ID, a[i].Final)
		}
		if i > 0 && !b[i-1].Before(&b[i]) {
			return fmt.Errorf("delivery %d is not behind the one before it", i+1)
		}
	}
	return nil
}
