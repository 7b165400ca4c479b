// Package fabric puts 1Pipe into networks in simulated time (package sim/fabric): switches run
// p4/onepipe with systems/onepipe/control, hosts run onepipe.Endpoint.
//
//	fabric.Load ── client ── LocalProcess ── Endpoint ══▶ p4/onepipe ══▶ Endpoint ── LocalProcess
//	                                                                                    │
//	Verify: order, at most once, contents, atomicity  <────────── what each has received
//
// A request of a load is a scattering: its data go to a process of each receiver. It is answered when
// all receivers have it, or its sender has been told which will not.
package fabric

import (
	"embed"
	"fmt"
	"slices"
	"time"

	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/agent"
	"github.com/p4ce/p4ce/systems/onepipe/control"
)

//go:embed scenarios/*.yaml
var scenarios embed.FS

// System is systems/onepipe for the fabric.
var System = &fabric.System{
	Name: control.Program, Program: control.Program, Scenarios: fabric.Folder(scenarios, "scenarios"), Describe: onepipe.Describe,
	Labels: []fabric.Column{{CSV: "service", Table: "service"}},
	Counts: []fabric.Column{{CSV: "delivered", Table: "delivered"}, {CSV: "lost", Table: "lost"}, {CSV: "resent", Table: "resent"}},
	Settings: func() fabric.Settings {
		return &Settings{
			Interval: fabric.Span(10 * fabric.Microsecond), Processes: 1, Window: 128, Silence: fabric.Span(500 * fabric.Microsecond),
			Poll: fabric.Span(100 * fabric.Microsecond), Retry: fabric.Span(50 * fabric.Microsecond),
			Doubt: fabric.Span(fabric.Millisecond),
		}
	},
	Load: func() fabric.LoadSettings { return new(Load) },
	New: func(f *fabric.Fabric, s fabric.Settings) (fabric.Instance, error) {
		return &Network{Fabric: f, Set: s.(*Settings), conf: &control.Config{
			Switches: map[string]control.Address{}, Hosts: map[string]control.Address{}, CPU: map[string]bool{},
			Clock: func(now time.Duration) uint64 { return uint64(epoch + now) },
		}}, nil
	},
}

// Settings are what a scenario says of 1Pipe.
type Settings struct {
	Interval  fabric.Span `yaml:"interval"`  // after which a silent host sends a beacon
	Processes int         `yaml:"processes"` // of each host
	Window    int         `yaml:"window"`    // fragments that a receiver keeps of a sender
	Pack      bool        `yaml:"pack"`      // short messages of a scattering to one host share a packet, and so do acknowledgements
	// Join says which hosts join later than at the beginning.
	Join map[string]fabric.Span `yaml:"join"`
	// Kill says which hosts end without a word, and when.
	Kill map[string]fabric.Span `yaml:"kill"`
	// Leave says which hosts end, and tell the controller, and when.
	Leave map[string]fabric.Span `yaml:"leave"`
	// Silence is how long a barrier may stand still until its link counts as failed.
	Silence fabric.Span `yaml:"silence"`
	// Here is the pause between two words of a host that is admitted to the controller, by which it learns that it has failed.
	Here fabric.Span `yaml:"here"`
	// Retry is the least time after which a fragment counts as lost.
	Retry fabric.Span `yaml:"retry"`
	// Doubt is after how long a process that does not answer is one that the controller is asked about.
	Doubt fabric.Span `yaml:"doubt"`
	// CPU has the switches whose data planes only forward, by name: how long a beacon takes to their CPUs, and back.
	CPU map[string]fabric.Span `yaml:"cpu"`
	// Beacons is the interval at which these CPUs send beacons; 0: whenever they have heard of one.
	Beacons fabric.Span `yaml:"beacons"`
	// Poll is the pause between two looks of the controller at a switch.
	Poll fabric.Span `yaml:"poll"`
}

// Check implements fabric.Settings.
func (s *Settings) Check(*fabric.TopologyConfig) error {
	if s.Processes < 1 || s.Processes > 1024 {
		return fmt.Errorf("processes: %d: want 1 to 1024 on each host", s.Processes)
	}
	return nil
}

// Load is what a scenario says of the scatterings of a load. Those of load N are sent by process
// 1 + N of its host, modulo the number of processes, to the process of the same number at each receiver.
type Load struct {
	Reliable bool `yaml:"reliable"`
}

// Labels implements fabric.LoadSettings.
func (l *Load) Labels() []string {
	if l.Reliable {
		return []string{"reliable"}
	}
	return []string{"best effort"}
}

// Check implements fabric.LoadSettings.
func (*Load) Check(c *fabric.LoadConfig) error {
	if c.Size >= onepipe.MaxMessage {
		return fmt.Errorf("messages of %d bytes: want less than %d", c.Size, onepipe.MaxMessage)
	}
	return nil
}

// Network is a network of this system.
type Network struct {
	*fabric.Fabric
	Set  *Settings
	conf *control.Config
	log  ledger
	// Driver has the processes, if it is not nil, in place of loads.
	Driver Driver
	// Ordered, if it is not nil, says which of a Driver's processes receive both services in one order.
	Ordered func(*onepipe.LocalProcess) bool
	// Neighbour, if it is not nil, is what else hosts send and receive.
	Neighbour Neighbour

	control *control.Simulated
	clock   fabric.Clock
	timer   *fabric.Timer
	waiting []*fabric.Load
}

// Driver is what runs the processes of a network without loads: benchmarks. No property is looked at then but those of
// Verify.
type Driver interface {
	// Admitted is a host whose processes may send.
	Admitted(h *fabric.Host, processes []*onepipe.LocalProcess)
	// Received is a message that a process has received.
	Received(p *onepipe.LocalProcess, reliable bool, m *onepipe.Message)
	// Lost is a message of a process that will not be delivered.
	Lost(p *onepipe.LocalProcess, f *onepipe.Failure)
}

// Watcher is a Driver that is told of processes that have failed. What is lost because of that, Lost is told of at the same
// moment, but later.
type Watcher interface {
	ProcessFailed(h *fabric.Host, f onepipe.ProcessFailure)
}

// Neighbour is what hosts run beside 1Pipe on the same wire: background traffic. Both take turns.
type Neighbour interface {
	// Next appends the next frame that a host is to send to b, or nothing. Host.Send has it asked.
	Next(h *fabric.Host, b []byte) []byte
	// Receive takes a frame, and keeps nothing of it: false if it is not the neighbour's.
	Receive(h *fabric.Host, frame []byte) bool
}

// New makes an empty network.
func New(seed uint64, set Settings) (*Network, error) {
	f := fabric.New(seed)
	if err := f.Use(System, &set); err != nil {
		return nil, err
	}
	return f.System().(*Network), nil
}

// Defaults are the settings of a scenario that says nothing.
func Defaults() Settings { return *System.Settings().(*Settings) }

// Halves implements fabric.Halver.
func (n *Network) Halves(name string) *fabric.Halves {
	delay, ok := n.Set.CPU[name]
	if !ok {
		return nil
	}
	return &fabric.Halves{Program: agent.Beacons, Delay: fabric.Time(delay), Interval: fabric.Time(n.Set.Beacons)}
}

// Host is a host's end of 1Pipe, nil before it joins.
func (n *Network) Host(h *fabric.Host) *onepipe.Endpoint { return h.Endpoint().(*station).endpoint }

// Send sends a scattering of a process of a host.
func (n *Network) Send(h *fabric.Host, p *onepipe.LocalProcess, reliable bool, parts ...onepipe.Part) error {
	if err := p.Send(h.Now()+epoch, reliable, parts...); err != nil {
		return err
	}
	h.Send()
	return nil
}

// Kill ends a host without a word.
func (n *Network) Kill(h *fabric.Host) { h.Endpoint().(*station).kill() }

// Endpoint implements fabric.Instance.
func (n *Network) Endpoint(h *fabric.Host) fabric.Endpoint { return newStation(n, h) }

// Ready implements fabric.Instance.
func (n *Network) Ready() error {
	net, err := n.Topology()
	if err != nil {
		return err
	}
	n.conf.Net = net
	for name := range n.Set.CPU {
		if !slices.Contains(net.Switches(), name) {
			return fmt.Errorf("cpu: switch %s does not exist", name)
		}
	}
	for _, s := range n.Switches {
		if net.Plain(s.Name()) {
			return fmt.Errorf("switch %s is plain: all switches of a network of 1Pipe run it [core: %s]", s.Name(), control.Program)
		}
		if _, ok := n.Set.CPU[s.Name()]; ok {
			n.conf.CPU[s.Name()] = true
		}
		n.conf.Switches[s.Name()] = control.Address{MAC: s.MAC(), IP: s.Addr()}
	}
	for _, h := range n.Hosts {
		n.conf.Hosts[h.Name()] = control.Address{MAC: h.MAC(), IP: h.Addr()}
		st := h.Endpoint().(*station)
		n.At(fabric.Time(n.Set.Join[h.Name()]), st.begin)
		if at, ok := n.Set.Kill[h.Name()]; ok {
			n.At(fabric.Time(at), st.kill)
		}
		if at, ok := n.Set.Leave[h.Name()]; ok {
			n.At(fabric.Time(at), st.leave)
		}
	}
	n.conf.Poll = fabric.Time(n.Set.Poll).Duration()
	n.conf.Silence = fabric.Time(n.Set.Silence).Duration()
	n.conf.Patience = 20 * n.conf.Silence
	now := func() time.Duration { return n.Now().Duration() }
	if n.control, err = control.NewSimulated(n.conf, now, nil); err != nil {
		return err
	}
	n.timer = n.NewTimer(&n.clock, n.control)
	n.control.Drained = n.timer.Arm
	return nil
}

// App implements fabric.Instance.
func (n *Network) App(s *fabric.P4Switch) (fabric.App, error) { return n.control.App(s.Name()), nil }

// admitted is called when a host may send. Loads begin when all their hosts may.
func (n *Network) admitted() {
	n.waiting = slices.DeleteFunc(n.waiting, func(l *fabric.Load) bool {
		if !n.inside(l) {
			return false
		}
		n.At(n.Now(), l.Connected)
		return true
	})
}

// inside reports whether all hosts of a load are admitted.
func (n *Network) inside(l *fabric.Load) bool {
	return !slices.ContainsFunc(append([]*fabric.Host{l.From}, l.To...), func(h *fabric.Host) bool {
		return len(h.Endpoint().(*station).procs) == 0
	})
}

// Client implements fabric.Instance.
func (n *Network) Client(l *fabric.Load, own fabric.LoadSettings) (fabric.Client, error) {
	st := l.From.Endpoint().(*station)
	c := &client{net: n, load: l, reliable: own.(*Load).Reliable, station: st}
	n.waiting = append(n.waiting, l)
	n.admitted()
	return c, nil
}

// Verify implements fabric.Verifier.
func (n *Network) Verify() error {
	for _, h := range n.Hosts {
		st := h.Endpoint().(*station)
		if st.endpoint == nil {
			continue
		}
		if c := &st.endpoint.Counters; c.Violations > 0 || c.Overrun > 0 {
			return fmt.Errorf("host %s: %d violations, %d fragments beyond a window", h.Name(), c.Violations, c.Overrun)
		}
	}
	for _, s := range n.Switches {
		for _, why := range []names.Drop{names.DropTimestamp, names.DropCommit, names.DropOpcode} {
			sw := s.(*fabric.P4Switch) // Ready has looked
			c, err := sw.Target().ReadCounter(dataplane.CounterOf(sw.Program(), names.CounterDrops), int(why))
			if err != nil {
				return err
			}
			if c.Packets > 0 {
				return fmt.Errorf("switch %s: %d packets of hosts that lie about their time (%v)", s.Name(), c.Packets, why)
			}
		}
	}
	return n.log.err
}
