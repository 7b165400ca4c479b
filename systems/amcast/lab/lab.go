// Package lab builds networks of atomic multicast on one machine: switches and their controller as processes, hosts in this
// process. Demo and tests stand on it.
//
//	spine1   spine2       followers of all groups
//	   | \   / |
//	   |  \ /  |          each a p4ce switch, on XDP in a network namespace or on the interpreter
//	   |  / \  |
//	leaf1    leaf2        leader of groups 1 and 3, leader of group 2; each is a spare where it does not lead
//	h1 h2 h3 h4 h5 h6     replicas: group 1 h1, h4; group 2 h2, h5; group 3 h3, h6
package lab

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/network"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/control"
)

// Small is the network of the package's picture. %[1]s is a folder for sockets.
const Small = `{
  "switches": [
    {"name": "leaf1", "p4runtime": "unix:%[1]s/leaf1.rt", "mac": "02:00:00:00:01:01", "address": "10.0.1.1"},
    {"name": "leaf2", "p4runtime": "unix:%[1]s/leaf2.rt", "mac": "02:00:00:00:01:02", "address": "10.0.1.2"},
    {"name": "spine1", "p4runtime": "unix:%[1]s/spine1.rt", "mac": "02:00:00:00:01:11", "address": "10.0.1.11"},
    {"name": "spine2", "p4runtime": "unix:%[1]s/spine2.rt", "mac": "02:00:00:00:01:12", "address": "10.0.1.12"}
  ],
  "links": [["leaf1:1", "spine1:1"], ["leaf1:2", "spine2:1"], ["leaf2:1", "spine1:2"], ["leaf2:2", "spine2:2"]],
  "hosts": [
    {"name": "h1", "at": "leaf1:11", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"},
    {"name": "h2", "at": "leaf1:12", "address": "10.0.3.2", "mac": "02:00:00:00:03:02"},
    {"name": "h3", "at": "leaf1:13", "address": "10.0.3.3", "mac": "02:00:00:00:03:03"},
    {"name": "h4", "at": "leaf2:11", "address": "10.0.3.4", "mac": "02:00:00:00:03:04"},
    {"name": "h5", "at": "leaf2:12", "address": "10.0.3.5", "mac": "02:00:00:00:03:05"},
    {"name": "h6", "at": "leaf2:13", "address": "10.0.3.6", "mac": "02:00:00:00:03:06"}
  ],
  "groups": [
    {"number": 1, "leader": "leaf1", "members": ["leaf1", "spine1", "spine2"], "spares": ["leaf2"], "deliverers": ["leaf1", "leaf2"], "replicas": ["h1", "h4"]},
    {"number": 2, "leader": "leaf2", "members": ["leaf2", "spine1", "spine2"], "spares": ["leaf1"], "deliverers": ["leaf1", "leaf2"], "replicas": ["h2", "h5"]},
    {"number": 3, "leader": "leaf1", "members": ["leaf1", "spine1", "spine2"], "spares": ["leaf2"], "deliverers": ["leaf1", "leaf2"], "replicas": ["h3", "h6"]}
  ]
}
`

// Options say what to build.
type Options struct {
	Binary string    // p4ce
	Dir    string    // for sockets and the store
	Target string    // xdp, in a network namespace, or interp
	Log    io.Writer // of the processes; nil: nowhere
	Config string    // of the network; Small if it is empty
	// Bad are links that lose, double and damage packets, by the names of their ends: "leaf1-spine1". On XDP only.
	Bad map[string]network.Rates
	// Kept are the controller's flags that say where its records are kept; default: a store in Dir.
	Kept []string
	// Window is how many messages of a host are under way at most, a power of two; 0: as the network's file says.
	Window int
	// Wrap is put around the links of hosts; nil: nothing is.
	Wrap func(host string, l link.Link) link.Link
}

// Network is the switches and their controller.
type Network struct {
	*network.Network
	o     Options
	conf  *control.Config
	links map[string]link.Link // of hosts
	asked string               // the name of the controller that is asked
}

// Start builds the network, and waits until all groups have their leaders.
func Start(ctx context.Context, o Options) (n *Network, err error) {
	n = &Network{o: o, links: map[string]link.Link{}, asked: runner.Controller}
	defer func() {
		if err != nil {
			n.Close()
			n = nil
		}
	}()
	if n.o.Config == "" {
		n.o.Config = Small
	}
	file := fmt.Appendf(nil, n.o.Config, o.Dir)
	if n.conf, err = control.ParseConfig(file); err != nil {
		return n, err
	}
	if err := os.WriteFile(n.File(), file, 0o600); err != nil {
		return n, err
	}
	if n.Network, err = network.Start(ctx, n.conf.Net, network.Options{Binary: o.Binary, Dir: o.Dir, Target: o.Target, Log: o.Log, Bad: o.Bad}); err != nil {
		return n, err
	}
	if err := n.StartController(ctx); err != nil {
		return n, err
	}
	_, err = n.Await(ctx, func(g *control.GroupStatus) bool { return g.State == "running" })
	return n, err
}

// StartController starts it, and waits until it has all switches.
func (n *Network) StartController(ctx context.Context) error {
	return n.StartStandby(ctx, runner.Controller)
}

// StartStandby starts one more controller with the same store, and waits until it stands by, or has all switches.
func (n *Network) StartStandby(ctx context.Context, name string) error {
	kept := n.o.Kept
	if kept == nil {
		kept = []string{"--store", filepath.Join(n.o.Dir, "store")}
	}
	return n.Runner.StartController(ctx, name, append([]string{"--amcast", n.File()}, kept...)...)
}

// Ask has another controller be asked from now on; the first one's name is "controller".
func (n *Network) Ask(name string) { n.asked = name }

// Controller is the controller's process.
func (n *Network) Controller() *launch.Process { return n.Program(runner.Controller) }

// Admin is where the controller serves its admin API.
func (n *Network) Admin() string { return n.AdminOf(n.asked) }

// Client asks the controller.
func (n *Network) Client() *control.AdminClient {
	return &control.AdminClient{Client: admin.NewClient(n.Admin())}
}

// Await waits until all groups are as they are wanted, and returns them.
func (n *Network) Await(ctx context.Context, want func(*control.GroupStatus) bool) ([]control.GroupStatus, error) {
	for {
		list, err := n.Client().Groups(ctx)
		all := err == nil && len(list) > 0
		for i := range list {
			all = all && want(&list[i])
		}
		if all {
			return list, nil
		}
		select {
		case <-ctx.Done():
			return list, fmt.Errorf("groups %+v: %w: %v\n%s", list, ctx.Err(), err, n.Controller().Tail())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Running reports whether a group has all its members, and another leader than this switch.
func Running(but string) func(*control.GroupStatus) bool {
	return func(g *control.GroupStatus) bool {
		for _, m := range g.Members {
			if m.State != "ready" {
				return false
			}
		}
		return g.State == "running" && g.Leader != but
	}
}

// File is the network's description.
func (n *Network) File() string { return filepath.Join(n.o.Dir, "network.json") }

// Options are those of Start.
func (n *Network) Options() Options { return n.o }

// Config is the network's description.
func (n *Network) Config() *control.Config { return n.conf }

// Hosts are the names of the hosts.
func (n *Network) Hosts() (names []string) {
	for _, h := range n.conf.Net.Hosts() {
		names = append(names, h.Name)
	}
	return names
}

// SoftRetry is Retry of hosts in networks on the interpreter, which takes longer for a message.
const SoftRetry = 50 * time.Millisecond

// Attach makes a host, which joins. It is to be closed before the network is.
func (n *Network) Attach(name string) (*amcast.Host, error) {
	place, err := n.conf.Place(name)
	if err != nil {
		return nil, err
	}
	l, err := n.Link(name, nil)
	if err != nil {
		return nil, err
	}
	if n.o.Window > 0 {
		place.Window = n.o.Window
	}
	n.links[name] = l
	if n.o.Wrap != nil {
		l = n.o.Wrap(name, l)
	}
	o := amcast.Config{Place: place}
	if n.o.Target == "interp" {
		o.Retry = SoftRetry
	}
	return amcast.Open(l, o)
}

// KillHost takes a host's link away, as if its process had been killed: it says nothing more, and hears nothing.
func (n *Network) KillHost(name string) { _ = n.links[name].Close() }

// Close ends everything. Hosts are to be closed before.
func (n *Network) Close() {
	if n.Network != nil {
		n.Network.Close()
	}
}
