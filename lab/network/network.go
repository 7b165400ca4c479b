package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/datagram"
	"github.com/p4ce/p4ce/link/packet"
)

// Cable is a link: what is plugged into which port, at both ends. A host's end has no port.
type Cable struct{ From, Port, To, FarPort string }

func (c Cable) String() string { return c.From + "-" + c.To }

// cables are the links of a topology.
func cables(net *topology.Network) (all []Cable) {
	for _, name := range net.Switches() {
		for _, port := range net.LinkPorts(name) {
			at := topology.Place{Switch: name, Port: port}
			if far, ok := net.Peer(at); ok && at.String() < far.String() {
				all = append(all, Cable{name, fmt.Sprint(port), far.Switch, fmt.Sprint(far.Port)})
			}
		}
	}
	for _, h := range net.Hosts() {
		all = append(all, Cable{h.At.Switch, fmt.Sprint(h.At.Port), h.Name, ""})
	}
	return all
}

// loop reports whether both ends are at ports of one switch.
func (c Cable) loop() bool { return c.From == c.To }

// Options say what to build.
type Options struct {
	Binary string    // p4ce
	Dir    string    // for sockets: a switch listens at NAME.rt there
	Target string    // xdp, in a network namespace, or interp
	Log    io.Writer // of the programs; nil: nowhere
	// Bad are links that lose, double, hold back and damage packets: between switches by their
	// names in alphabetical order, "l-t", to a host "t-h1". On XDP only.
	Bad map[string]Rates
	// Loops are switches with a cable from one of their ports to another.
	Loops map[string][2]uint16
	// Namespaces are hosts in network namespaces of their own, where programs run (Host): their end of
	// the cable is lab.Interface. They have Addresses, and send to all others that have one: through their
	// switch if it has a MAC address there, and else to the other's. On XDP only.
	Namespaces []string
	// Guests are hosts whose end of the cable is a tap, for a guest that opens it by the name HostEnd.
	// On XDP only.
	Guests []string
	// Switch says what more flags a switch has; nil: none.
	Switch func(name string) []string
	// Software are switches that run on the interpreter, whatever Target is.
	Software []string
	// Plain switches of the topology are ordinary routers (lab.Router), with the ways that they have when all links work.
	// Addresses are those of everybody in the network who has one, also of what is no host, and of the plain switches their MACs. On XDP only.
	Addresses map[string]Address
}

// Address is where packets to a host or a switch go.
type Address struct {
	IP  netip.Addr // invalid: nothing is sent to it
	MAC net.HardwareAddr
}

// Network is the switches, and what runs beside them. Methods are called by one goroutine.
type Network struct {
	*runner.Runner
	o       Options
	lab     *lab.Lab // nil: datagram sockets
	cables  []Cable
	names   []string             // of the switches that are not plain
	hosts   map[string]*lab.Host // Options.Namespaces
	bad     map[string]*Relay
	routers map[string]*lab.Router // plain switches
}

// Start lays the cables, starts the switches, and waits until they are ready. Close is called
// also when it has failed.
func Start(ctx context.Context, wired *topology.Network, o Options) (n *Network, err error) {
	n = &Network{o: o, cables: cables(wired), bad: map[string]*Relay{}, routers: map[string]*lab.Router{}, hosts: map[string]*lab.Host{}}
	for _, name := range slices.Sorted(maps.Keys(o.Loops)) {
		n.cables = append(n.cables, Cable{name, fmt.Sprint(o.Loops[name][0]), name, fmt.Sprint(o.Loops[name][1])})
	}
	n.Runner = runner.New(runner.Options{Binary: o.Binary, Dir: o.Dir, Logs: runner.Prefixed(o.Log)})
	plain := slices.DeleteFunc(slices.Clone(wired.Switches()), func(name string) bool { return !wired.Plain(name) })
	switch {
	case o.Target != "xdp" && len(o.Guests)+len(o.Namespaces) > 0:
		return n, fmt.Errorf("hosts %v: have taps or network namespaces, which are at ports of switches on XDP only", slices.Concat(o.Guests, o.Namespaces))
	case o.Target != "xdp" && len(plain) > 0:
		return n, fmt.Errorf("switch %s is plain: those are made on XDP only", plain[0])
	}
	if o.Target == "xdp" {
		if n.lab, err = lab.New(0); err != nil {
			return n, err
		}
		n.Runner = runner.New(runner.Options{Lab: n.lab, Binary: o.Binary, Dir: o.Dir, Logs: runner.Prefixed(o.Log)})
		for _, name := range plain {
			if n.routers[name], err = n.lab.NewRouter(o.Addresses[name].MAC); err != nil {
				return n, fmt.Errorf("router %s: %w", name, err)
			}
		}
		for _, c := range n.cables {
			if err := n.lay(c); err != nil {
				return n, err
			}
		}
		for _, name := range plain {
			if err := n.route(wired, name); err != nil {
				return n, fmt.Errorf("router %s: %w", name, err)
			}
		}
		for _, name := range o.Namespaces {
			if err := n.ways(wired, name); err != nil {
				return n, fmt.Errorf("host %s: %w", name, err)
			}
		}
	}
	if len(n.bad) != len(o.Bad) {
		return n, fmt.Errorf("of the bad links %v only %d are links", o.Bad, len(n.bad))
	}
	for _, name := range wired.Switches() {
		if wired.Plain(name) {
			continue
		}
		target := o.Target
		if slices.Contains(o.Software, name) {
			target = "interp"
		}
		flags := []string{"--target", target, "--cpu-interface", "cpu-" + name, "--metrics", n.Metrics(name)}
		for _, c := range n.cables {
			if name == c.From {
				flags = append(flags, "--port", c.Port+"="+n.end(c, false))
			}
			if name == c.To {
				flags = append(flags, "--port", c.FarPort+"="+n.end(c, true))
			}
		}
		if o.Switch != nil {
			flags = append(flags, o.Switch(name)...)
		}
		n.names = append(n.names, name)
		if err := n.LaunchSwitch(name, flags...); err != nil {
			return n, err
		}
	}
	for _, name := range n.names {
		if err := n.Switch(name).AwaitReady(ctx); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Switch is a switch's process, nil for a plain one. When it is killed the switch is gone; when it is stopped, packets
// are forwarded on XDP, and nobody can change how.
func (n *Network) Switch(name string) *launch.Process { return n.Program(name) }

// Kill kills a switch, and does not wait until the kernel has taken away what it had.
func (n *Network) Kill(name string) { _ = n.Switch(name).Signal(syscall.SIGKILL) }

// PIDs are the processes of the switches.
func (n *Network) PIDs() map[string]int {
	out := map[string]int{}
	for _, name := range n.names {
		out[name] = n.Switch(name).PID()
	}
	return out
}

// lay makes a cable in the namespace; if it is a bad one, of two with a relay between them.
func (n *Network) lay(c Cable) error {
	a, b := n.end(c, false), n.end(c, true)
	if n.guest(c) {
		return n.lab.Tap(a)
	}
	rates, bad := n.o.Bad[c.String()]
	if !bad {
		if n.spaced(c) {
			return n.host(c, a, n.routers[c.From])
		}
		return n.plug(c.From, a, b, n.routers[c.To])
	}
	err := n.plug(c.From, a, a+".x", nil)
	if n.spaced(c) {
		err = errors.Join(err, n.host(c, b+".x", nil))
	} else {
		err = errors.Join(err, n.plug(c.To, b, b+".x", nil))
	}
	if err != nil {
		return err
	}
	r, err := newRelay(n.lab, a+".x", b+".x", rates)
	if err != nil {
		return err
	}
	n.bad[c.String()] = r
	return nil
}

// guest reports whether a cable leads to a guest.
func (n *Network) guest(c Cable) bool { return c.FarPort == "" && slices.Contains(n.o.Guests, c.To) }

// spaced reports whether a cable leads to a host in a namespace.
func (n *Network) spaced(c Cable) bool {
	return c.FarPort == "" && slices.Contains(n.o.Namespaces, c.To)
}

// host makes a host in a namespace, whose cable ends at an interface of a router or in the switches' namespace.
func (n *Network) host(c Cable, port string, at *lab.Router) (err error) {
	a := n.o.Addresses[c.To]
	if !a.IP.IsValid() {
		return fmt.Errorf("host %s has no address", c.To)
	}
	number, _ := strconv.ParseUint(c.Port, 10, 16)
	n.hosts[c.To], err = n.lab.AddHost(lab.Host{Name: c.To, Port: uint16(number), IP: a.IP, MAC: a.MAC}, port, at)
	return err
}

// ways tells a host in a namespace how it reaches the others: by its switch if that has an address, and else directly.
func (n *Network) ways(wired *topology.Network, name string) error {
	place, ok := wired.Host(name)
	if !ok {
		return errors.New("is not in the topology")
	}
	router := n.o.Addresses[place.Switch].MAC
	for to, a := range n.o.Addresses {
		next := a.MAC
		if router != nil {
			next = router
		}
		if to == name || next == nil || !a.IP.IsValid() {
			continue
		}
		if err := n.lab.Route(n.hosts[name], a.IP, next); err != nil {
			return err
		}
	}
	return nil
}

// Host is a host of Options.Namespaces: programs run there (launch.Options.Host).
func (n *Network) Host(name string) *lab.Host { return n.hosts[name] }

// plug makes a link from an interface of somebody to another, of a router or in the switches' namespace.
func (n *Network) plug(of, a, b string, to *lab.Router) error {
	switch r := n.routers[of]; {
	case r != nil:
		return r.Cable(a, b, to)
	case to != nil:
		return to.Cable(b, a, nil)
	}
	return n.lab.Cable(a, b)
}

// route tells a plain switch its ways.
func (n *Network) route(wired *topology.Network, name string) error {
	ways := wired.Routes(topology.Down{})
	for to, a := range n.o.Addresses {
		port, ok := ways.Port(name, to)
		if !ok || !a.IP.IsValid() {
			continue
		}
		next := to
		if far, isSwitch := wired.Peer(topology.Place{Switch: name, Port: port}); isSwitch {
			next = far.Switch
		}
		if err := n.routers[name].Route(a.IP, name+"-"+next, n.o.Addresses[next].MAC); err != nil {
			return err
		}
	}
	return nil
}

// BadLink is the relay of a link that is in Options.Bad.
func (n *Network) BadLink(name string) *Relay { return n.bad[name] }

// SetPort brings the interface of a switch to its neighbour, a switch or a host, up or down, on XDP: the neighbour
// sees that it has no carrier.
func (n *Network) SetPort(of, to string, up bool) error {
	if n.lab == nil {
		return errors.New("datagram sockets have no carrier: a port is brought down on XDP only")
	}
	if r := n.routers[of]; r != nil {
		return r.SetInterface(of+"-"+to, up)
	}
	return n.lab.SetInterface(of+"-"+to, up)
}

// end is how an end of a cable is named to who uses it.
func (n *Network) end(c Cable, far bool) string {
	a, b := c.From+"-"+c.To, c.To+"-"+c.From
	if c.loop() {
		b += "-back"
	}
	if far {
		a, b = b, a
	}
	if n.lab != nil {
		return a
	}
	return "unix:" + filepath.Join(n.o.Dir, a) + "," + filepath.Join(n.o.Dir, b)
}

// Link opens a host's end of its cable. The host is to be closed before the network is. With open,
// on XDP, it is what that makes of the interface, in its namespace.
func (n *Network) Link(host string, open func(iface string) (link.Link, error)) (l link.Link, err error) {
	end := n.HostEnd(host)
	switch {
	case end == "":
		return nil, fmt.Errorf("host %q has no cable", host)
	case n.lab == nil:
		return datagram.OpenPort(end)
	case open == nil:
		open = func(iface string) (link.Link, error) { return packet.OpenPort(iface) }
	}
	err = n.lab.InSwitch(func() (err error) { l, err = open(end); return err })
	return l, err
}

// HostEnd is how a host's end of its cable is named to who uses it; a guest's is the tap.
func (n *Network) HostEnd(host string) string {
	for _, c := range n.cables {
		if c.To == host && c.FarPort == "" {
			return n.end(c, !n.guest(c))
		}
	}
	return ""
}

// Close ends everything. Hosts in this process are to be closed before.
func (n *Network) Close() {
	n.Runner.Close()
	for _, r := range n.bad {
		r.close()
	}
	if n.lab != nil {
		n.lab.Close()
	}
}
