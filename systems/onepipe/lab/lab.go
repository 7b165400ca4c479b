// Package lab builds networks of 1Pipe on one machine: switches and their controller as processes, hosts in
// this process. Demo, tests and benchmarks stand on it.
//
//	h1 h2      h3 h4
//	  \/        \/
//	leaf1     leaf2      each a p4ce switch, on XDP in a network namespace or on the interpreter
//	    \     /
//	     spine
package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/network"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/control"
)

// Small is the network of the package's picture. %[1]s is a folder for sockets.
const Small = `{
  "switches": [
    {"name": "leaf1", "p4runtime": "unix:%[1]s/leaf1.rt", "mac": "02:00:00:00:01:01", "address": "10.0.1.1"},
    {"name": "leaf2", "p4runtime": "unix:%[1]s/leaf2.rt", "mac": "02:00:00:00:01:02", "address": "10.0.1.2"},
    {"name": "spine", "p4runtime": "unix:%[1]s/spine.rt", "mac": "02:00:00:00:01:10", "address": "10.0.1.10", "level": 1}
  ],
  "links": [["leaf1:1", "spine:1"], ["leaf2:1", "spine:2"]],
  "hosts": [
    {"name": "h1", "at": "leaf1:11", "address": "10.0.3.1", "mac": "02:00:00:00:03:01", "state": "unix:%[1]s/h1.state"},
    {"name": "h2", "at": "leaf1:12", "address": "10.0.3.2", "mac": "02:00:00:00:03:02", "state": "unix:%[1]s/h2.state"},
    {"name": "h3", "at": "leaf2:11", "address": "10.0.3.3", "mac": "02:00:00:00:03:03", "state": "unix:%[1]s/h3.state"},
    {"name": "h4", "at": "leaf2:12", "address": "10.0.3.4", "mac": "02:00:00:00:03:04", "state": "unix:%[1]s/h4.state"}
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
	// CPU are switches whose data planes only forward: their agents send the beacons, as soon as they hear of one or at an
	// interval.
	CPU      []string
	Interval time.Duration
	// Software are switches that run on the interpreter, whatever Target is.
	Software []string
	// Bad are links that lose, double and damage packets, by the names of their ends: "leaf1-spine". On XDP only.
	Bad map[string]network.Rates
}

// Network is the switches and their controller.
type Network struct {
	*network.Network
	o    Options
	conf *control.Config
}

// Start builds the network, and waits until the controller has all switches.
func Start(ctx context.Context, o Options) (n *Network, err error) {
	n = &Network{o: o}
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
	if file, err = o.mark(file); err != nil {
		return n, err
	}
	if n.conf, _, err = control.ParseConfig(file); err != nil {
		return n, err
	}
	if err := os.WriteFile(n.File(), file, 0o600); err != nil {
		return n, err
	}
	if n.Network, err = network.Start(ctx, n.conf.Net, network.Options{Binary: o.Binary, Dir: o.Dir, Target: o.Target, Log: o.Log, Bad: o.Bad, Software: o.Software, Switch: o.flags}); err != nil {
		return n, err
	}
	return n, n.StartController(ctx)
}

// mark says in the network's file which switches' agents send the beacons.
func (o *Options) mark(file []byte) ([]byte, error) {
	if len(o.CPU) == 0 {
		return file, nil
	}
	var all map[string]any
	if err := json.Unmarshal(file, &all); err != nil {
		return nil, err
	}
	list, _ := all["switches"].([]any)
	for _, s := range list {
		if s, ok := s.(map[string]any); ok && slices.Contains(o.CPU, fmt.Sprint(s["name"])) {
			s["beacons"] = "cpu"
		}
	}
	return json.Marshal(all)
}

// flags are those of a switch.
func (o *Options) flags(name string) []string {
	if !slices.Contains(o.CPU, name) {
		return nil
	}
	interval := o.Interval
	if o.Target == "interp" || slices.Contains(o.Software, name) {
		interval = cmp.Or(interval, SoftInterval)
	}
	return []string{fmt.Sprintf("--onepipe-beacons=%v", interval)}
}

// StartController starts it, and waits until it has all switches.
func (n *Network) StartController(ctx context.Context) error {
	return n.Runner.StartController(ctx, runner.Controller, "--onepipe", n.File(), "--store", filepath.Join(n.o.Dir, "store"))
}

// Controller is the controller's process.
func (n *Network) Controller() *launch.Process { return n.Program(runner.Controller) }

// Admin is where the controller serves its admin API.
func (n *Network) Admin() string { return n.AdminOf(runner.Controller) }

// File is the network's description.
func (n *Network) File() string { return filepath.Join(n.o.Dir, "network.json") }

// Options are those of Start.
func (n *Network) Options() Options { return n.o }

// Hosts are the names of the hosts.
func (n *Network) Hosts() (names []string) {
	for _, h := range n.conf.Net.Hosts() {
		names = append(names, h.Name)
	}
	return names
}

// Place is what a host must know.
func (n *Network) Place(name string) (*control.Place, error) { return n.conf.Place(name) }

// SoftInterval is the interval of beacons in networks on the interpreter, to which a beacon is as much work as a message.
const SoftInterval = 2 * time.Millisecond

// Attach makes a host, which joins. It is to be closed before the network is. c says what is not as by
// default: addresses are the network's.
func (n *Network) Attach(name string, c onepipe.Config, events onepipe.Events) (*onepipe.Host, error) {
	return n.AttachBy(name, nil, c, events)
}

// AttachBy is Attach, with a link that by makes of the host's.
func (n *Network) AttachBy(name string, by func(link.Link) link.Link, c onepipe.Config, events onepipe.Events) (*onepipe.Host, error) {
	place, err := n.conf.Place(name)
	if err != nil {
		return nil, err
	}
	l, err := n.Link(name, nil)
	if err != nil {
		return nil, err
	}
	if by != nil {
		l = by(l)
	}
	if n.o.Target == "interp" {
		c.Interval = cmp.Or(c.Interval, SoftInterval)
	}
	c.Addr, c.MAC, c.Controller, c.Resolve = place.IP, place.MAC, place.Gateway.IP, place.Resolve
	h, err := onepipe.Open(l, c, events)
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	return h, nil
}

// Close ends everything. Hosts are to be closed before.
func (n *Network) Close() {
	if n.Network != nil {
		n.Network.Close()
	}
}
