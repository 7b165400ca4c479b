// Package group runs a leader and its replicas, as p4ce node processes, behind a switch in network
// namespaces, for benchmarks of the replication path. It has the requirements of package lab.
package group

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/systems/rdma/lab/cluster"
)

// Options say what to run.
type Options struct {
	Binary   string
	Dir      string // for sockets; must have a short path
	Replicas int
	Wire     string   // of all servers, as p4ce node --wire takes it
	Modes    []string // that the leader goes through
	Record   int      // bytes of a record, at most
	Window   int      // records under way at once
	Leader   []string // more flags of the leader
	Threaded bool     // the network's work is its own, see lab.Lab's Thread
	Log      io.Writer
}

// Event is what a leader prints.
type Event struct {
	Event   string           `json:"event"`
	Mode    string           `json:"mode"`
	Records uint64           `json:"records"`
	Total   uint64           `json:"total"`
	Bytes   uint64           `json:"bytes"`
	Sent    uint64           `json:"sent"` // on a link with a rate, headers included
	Rate    float64          `json:"rate"` // offered, in records per second
	Writes  uint64           `json:"writes"`
	Repairs uint64           `json:"repairs"`
	Seconds float64          `json:"seconds"`
	Latency *latency.Summary `json:"latency"`
}

// Group is a running group.
type Group struct {
	Leader   *launch.Process
	Replicas []*launch.Process

	lab     *lab.Lab
	cluster *cluster.Cluster
	watch   *launch.Watch
	events  chan Event
}

// logSize is the size of the servers' logs.
const logSize = 1 << 20

// Start starts all of a group and waits until its leader is connected.
func Start(ctx context.Context, o Options) (*Group, error) {
	l, err := lab.New(o.Replicas + 1)
	if err != nil {
		return nil, err
	}
	if o.Threaded {
		if err := l.Thread(); err != nil {
			l.Close()
			return nil, err
		}
	}
	g := &Group{lab: l, watch: launch.NewWatch(), events: make(chan Event, 256)}
	if err := g.start(ctx, o); err != nil {
		err = g.watch.Cause(err)
		g.Close()
		return nil, err
	}
	return g, nil
}

func (g *Group) start(ctx context.Context, o Options) (err error) {
	g.cluster, err = cluster.Start(ctx, cluster.Options{
		Options: runner.Options{Lab: g.lab, Binary: o.Binary, Dir: o.Dir, Logs: runner.Prefixed(o.Log), Watch: g.watch}, Switch: []string{"--target", "xdp"},
	})
	if err != nil {
		return err
	}
	node := func(name string, i int, event func(*launch.Process, []byte), args ...string) (*launch.Process, error) {
		args = append([]string{"node", "--interface", lab.Interface, "--wire", o.Wire, "--log-size", fmt.Sprint(logSize)}, args...)
		p, err := g.cluster.Start(launch.Options{Name: name, Host: g.lab.Hosts[i], Args: args, Event: event})
		if err == nil {
			g.watch.Add(p)
		}
		return p, err
	}
	values := []string{"--record-size", fmt.Sprint(o.Record), "--window", fmt.Sprint(o.Window)}
	replica := []string{"--role", "replica"}
	if slices.Contains(o.Modes, "mu") {
		replica = append(append(replica, "--mu"), values...)
	}
	var addrs []string
	for i := 1; i <= o.Replicas; i++ {
		p, err := node(fmt.Sprintf("replica %d", i), i, nil, replica...)
		if err != nil {
			return err
		}
		g.Replicas, addrs = append(g.Replicas, p), append(addrs, g.lab.Hosts[i].IP.String())
	}
	for _, p := range g.Replicas {
		if err := p.AwaitReady(ctx); err != nil {
			return err
		}
	}
	args := append([]string{"--role", "leader", "--replicas", strings.Join(addrs, ","), "--switch", lab.SwitchIP.String(),
		"--modes", strings.Join(o.Modes, ",")}, append(values, o.Leader...)...)
	if g.Leader, err = node("leader", 0, g.took, args...); err != nil {
		return err
	}
	return g.Leader.AwaitReady(ctx)
}

// took takes what the leader prints.
func (g *Group) took(p *launch.Process, line []byte) {
	var e Event
	if json.Unmarshal(line, &e) != nil {
		return
	}
	select {
	case g.events <- e:
	case <-p.Done():
	}
}

// Await waits for an event of the leader's, passing others to each.
func (g *Group) Await(ctx context.Context, kind string, each func(Event)) (Event, error) {
	for {
		select {
		case e := <-g.events:
			switch {
			case e.Event == kind:
				return e, nil
			case each != nil:
				each(e)
			}
		case <-g.watch.Failed():
			return Event{}, g.watch.Cause(launch.ErrEnded)
		case <-ctx.Done():
			return Event{}, fmt.Errorf("waiting for the leader's %q: %w%s", kind, context.Cause(ctx), g.Leader.Tail())
		}
	}
}

// Processes returns all processes by name, in a fixed order.
func (g *Group) Processes() (names []string, processes []*launch.Process) {
	names, processes = []string{"leader"}, []*launch.Process{g.Leader}
	for i, p := range g.Replicas {
		names, processes = append(names, fmt.Sprintf("replica %d", i+1)), append(processes, p)
	}
	return append(names, "switch", "controller"), append(processes, g.cluster.Switch(), g.cluster.Controller())
}

// Close takes everything down: the leader first, so that its group is dissolved.
func (g *Group) Close() {
	if g.cluster != nil {
		g.cluster.Close()
	}
	g.lab.Close()
}
