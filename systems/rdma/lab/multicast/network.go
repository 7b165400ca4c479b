package multicast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/network"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/p4"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	rdmacontrol "github.com/p4ce/p4ce/systems/rdma/control"
)

// Options say what to build.
type Options struct {
	Binary string    // p4ce
	Dir    string    // for sockets and files
	Target string    // xdp, in a network namespace, or interp
	Log    io.Writer // of the processes; nil: nowhere

	// Leaves have Hosts each. Without Spines they are in a row: l0-l1-l2.
	Leaves, Spines, Hosts int
	// Plain spines are ordinary routers: only leaves form groups (ToR-only).
	Plain bool
	// Hold is how long a link may be silent.
	Hold time.Duration
	// Bad are links that lose packets and so on: "l0-s1", "h1-l0" (lab/network).
	Bad map[string]network.Rates
	// Guests are hosts on taps: see package lab/network.
	Guests []string
	// Switch says what more flags a switch has; nil: none.
	Switch func(name string) []string
	// Controller are more flags of the controller.
	Controller []string
}

// Network is the switches and their controller. Methods are called by one goroutine.
type Network struct {
	*network.Network
	// Fabric is what the controller's file says.
	Fabric *rdmacontrol.Fabric
	// Admin is the controller's.
	Admin *rdmacontrol.AdminClient

	o       Options
	info    *p4rtclient.Info
	devices []*roce.Device
}

// deployment is the controller's file for a network.
func (o *Options) deployment(wired *topology.Network, at map[string]network.Address) ([]byte, error) {
	type node map[string]any
	file := struct {
		Switches []node      `json:"switches"`
		Links    [][2]string `json:"links"`
		Hosts    []node      `json:"hosts"`
		Hold     string      `json:"hold"`
	}{Links: [][2]string{}, Hold: o.Hold.String()}
	for _, name := range wired.Switches() {
		s := node{"name": name, "mac": at[name].MAC.String()}
		if o.Spines > 0 {
			s["level"] = wired.Level(name)
		}
		if wired.Plain(name) {
			s["plain"] = true
		} else {
			s["p4runtime"], s["address"] = "unix:"+filepath.Join(o.Dir, name+".rt"), at[name].IP
		}
		file.Switches = append(file.Switches, s)
		for _, port := range wired.LinkPorts(name) {
			end := topology.Place{Switch: name, Port: port}
			if far, _ := wired.Peer(end); end.String() < far.String() {
				file.Links = append(file.Links, [2]string{end.String(), far.String()})
			}
		}
	}
	for _, h := range wired.Hosts() {
		file.Hosts = append(file.Hosts, node{"name": h.Name, "at": h.At.String(), "address": at[h.Name].IP, "mac": at[h.Name].MAC.String()})
	}
	return json.MarshalIndent(file, "", " ")
}

// Start builds the network, and waits until the controller has all switches.
func Start(ctx context.Context, o Options) (n *Network, err error) {
	if o.Hold == 0 {
		o.Hold = time.Second
	}
	n = &Network{o: o}
	defer func() {
		if err != nil {
			n.Close()
			n = nil
		}
	}()
	wired, at, err := network.LeafSpine{Leaves: o.Leaves, Spines: o.Spines, Hosts: o.Hosts, Plain: o.Plain}.Build()
	if err != nil {
		return n, err
	}
	text, err := o.deployment(wired, at)
	if err != nil {
		return n, err
	}
	if n.Fabric, err = rdmacontrol.ParseFabric(text); err != nil {
		return n, err
	}
	if err := os.WriteFile(n.File(), text, 0o600); err != nil {
		return n, err
	}
	info, err := p4.Info(rdmacontrol.Program)
	if err != nil {
		return n, err
	}
	n.info = p4rtclient.NewInfo(info)
	if n.Network, err = network.Start(ctx, n.Fabric.Net, network.Options{
		Binary: o.Binary, Dir: o.Dir, Target: o.Target, Log: o.Log, Bad: o.Bad, Guests: o.Guests, Switch: o.Switch, Addresses: at,
	}); err != nil {
		return n, err
	}
	n.Admin = rdmacontrol.NewAdminClient(n.AdminOf(runner.Controller))
	return n, n.StartController(ctx)
}

// File is the controller's.
func (n *Network) File() string { return filepath.Join(n.o.Dir, "topology.json") }

// StartController starts the controller, or starts it again.
func (n *Network) StartController(ctx context.Context) error {
	flags := []string{"--topology", n.File(), "--store", filepath.Join(n.o.Dir, "groups")}
	return n.Runner.StartController(ctx, runner.Controller, append(flags, n.o.Controller...)...)
}

// Device opens the endpoint of a host. It is closed with the network.
func (n *Network) Device(host string) (*roce.Device, error) {
	at, ok := n.Fabric.Net.Host(host)
	if !ok {
		return nil, fmt.Errorf("no host %q", host)
	}
	w := &hostWire{}
	for _, h := range n.Fabric.Hosts {
		if h.Name == host {
			w.info = link.Info{Addr: h.Addr.Netip(), MAC: h.MAC, MTU: lab.MTU}
		}
	}
	for _, s := range n.Fabric.Switches {
		if s.Name == at.Switch {
			w.router = s.MAC
		}
	}
	var err error
	if w.Link, err = n.Link(host, nil); err != nil {
		return nil, err
	}
	d, err := roce.Open(w, roce.Options{})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	n.devices = append(n.devices, d)
	return d, nil
}

// Home is the address of a host's switch, which leaders among them connect to.
func (n *Network) Home(host string) netip.Addr {
	at, _ := n.Fabric.Net.Host(host)
	for _, s := range n.Fabric.Switches {
		if s.Name == at.Switch {
			return s.Addr.Netip()
		}
	}
	return netip.Addr{}
}

// hostWire is a host's link: all that it sends goes to its switch.
type hostWire struct {
	link.Link
	info   link.Info
	router wire.MAC
}

// Info implements link.Wire.
func (w *hostWire) Info() link.Info { return w.info }

// Resolve implements link.Wire.
func (w *hostWire) Resolve(context.Context, netip.Addr) (wire.MAC, error) { return w.router, nil }

// driven are the switches that form groups.
func (n *Network) driven() []string {
	return slices.DeleteFunc(slices.Clone(n.Fabric.Net.Switches()), n.Fabric.Net.Plain)
}

// Arrived says how many packets switches have received from other switches so far, by link,
// "l0-s1" for what l0 has sent to s1: what was sent, if s1 is plain. What is said of switches that are gone is left out.
func (n *Network) Arrived(ctx context.Context) (map[string]uint64, error) {
	out := map[string]uint64{}
	for _, name := range n.driven() {
		select {
		case <-n.Switch(name).Done():
			continue
		default:
		}
		c, err := n.Reader(name)
		if err != nil {
			return nil, err
		}
		for _, port := range n.Fabric.Net.LinkPorts(name) {
			far, _ := n.Fabric.Net.Peer(topology.Place{Switch: name, Port: port})
			read := func(counter, link string) error {
				v, err := c.ReadCounter(ctx, n.info, counter, int(port))
				if err != nil {
					return fmt.Errorf("switch %s: %w", name, err)
				}
				if len(v) != 1 {
					return fmt.Errorf("switch %s: counter %s of port %d has %d values", name, counter, port, len(v))
				}
				out[link] = v[0].Packets
				return nil
			}
			if err := read(names.CounterPortRx, far.Switch+"-"+name); err != nil {
				return nil, err
			}
			if n.Fabric.Net.Plain(far.Switch) {
				if err := read(names.CounterPortTx, name+"-"+far.Switch); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// Whole waits until the controller has all switches, and all links between them work.
func (n *Network) Whole(ctx context.Context) error {
	for {
		st, err := n.Admin.Status(ctx)
		var down []string
		if err == nil {
			for i := range st.Switches {
				sw := &st.Switches[i]
				state, serr := rdmacontrol.StatusOf(sw)
				switch {
				case serr != nil:
					err = serr
				case !sw.InControl:
					down = append(down, sw.Name)
				default:
					for _, p := range state.Down {
						down = append(down, fmt.Sprintf("%s:%d", sw.Name, p))
					}
				}
			}
			if err == nil && len(down) == 0 {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("down: %v: %w", down, errors.Join(err, context.Cause(ctx)))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Left says what switches still hold of groups: nothing, when all are over.
func (n *Network) Left(ctx context.Context) (string, error) {
	var left []string
	for _, name := range n.driven() {
		c, err := n.Reader(name)
		if err != nil {
			return "", err
		}
		for _, table := range []string{names.TableQP, names.TableEndpoint, names.TableLeader, names.TableRegion} {
			list, err := c.ReadTable(ctx, n.info, table)
			if err != nil {
				return "", fmt.Errorf("switch %s: %w", name, err)
			}
			if len(list) > 0 {
				left = append(left, fmt.Sprintf("%s: %d entries of %s", name, len(list), table))
			}
		}
		groups, err := c.ReadGroups(ctx)
		if err != nil {
			return "", fmt.Errorf("switch %s: %w", name, err)
		}
		if len(groups) > 0 {
			left = append(left, fmt.Sprintf("%s: %d multicast groups", name, len(groups)))
		}
	}
	return strings.Join(left, ", "), nil
}

// Close ends everything.
func (n *Network) Close() {
	for _, d := range n.devices {
		_ = d.Close()
	}
	if n.Network != nil {
		n.Network.Close()
	}
}
