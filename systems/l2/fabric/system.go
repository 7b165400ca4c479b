package fabric

import (
	"embed"
	"errors"
	"fmt"
	"net"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/l2/control"
)

//go:embed scenarios/*.yaml
var scenarios embed.FS

// System is systems/l2 for the fabric.
var System = &fabric.System{
	Name: control.Program, Program: control.Program, Scenarios: fabric.Folder(scenarios, "scenarios"), Describe: describe,
	Counts: []fabric.Column{{CSV: "requests", Table: "requests"}, {CSV: "again", Table: "again"}, {CSV: "arp", Table: "ARP"}},
	Load:   func() fabric.LoadSettings { return &load{Timeout: fabric.Span(fabric.Millisecond)} },
	New: func(f *fabric.Fabric, _ fabric.Settings) (fabric.Instance, error) {
		return &network{f}, nil
	},
}

// maxData is what an echo request carries at most in a frame of 1,500 bytes.
const maxData = 1500 - 20 - 8

// load is what a scenario says of pings.
type load struct {
	Timeout fabric.Span `yaml:"timeout"` // until a request is sent again
}

// Labels implements fabric.LoadSettings.
func (*load) Labels() []string { return nil }

// Check implements fabric.LoadSettings.
func (l *load) Check(c *fabric.LoadConfig) error {
	switch {
	case len(c.To) != 1:
		return errors.New("a host pings one other host")
	case c.Size > maxData:
		return fmt.Errorf("requests of %d bytes: a ping has at most %d", c.Size, maxData)
	case c.Count > 1<<16:
		return fmt.Errorf("%d requests: a ping has %d sequence numbers", c.Count, 1<<16)
	case l.Timeout <= 0:
		return errors.New("timeout: want more than 0")
	}
	return nil
}

// network is a network of learning switches.
type network struct{ *fabric.Fabric }

// Endpoint implements fabric.Instance.
func (n *network) Endpoint(h *fabric.Host) fabric.Endpoint { return newStation(h) }

// Ready implements fabric.Instance.
func (n *network) Ready() error { return nil }

// App implements fabric.Instance.
func (n *network) App(s *fabric.P4Switch) (fabric.App, error) {
	var c control.Config
	for _, h := range s.Ports() {
		if h != nil {
			c.Ports = append(c.Ports, h.Port)
		}
	}
	return control.New(c)
}

// Client implements fabric.Instance.
func (n *network) Client(l *fabric.Load, own fabric.LoadSettings) (fabric.Client, error) {
	p := &pinger{
		station: l.From.Endpoint().(*station), to: l.To[0].Addr(), id: uint16(l.Number), timeout: fabric.Time(own.(*load).Timeout).Duration(),
		under: map[uint16]*echo{},
	}
	p.timer = l.From.NewTimer(p)
	p.station.pingers[p.id] = p
	n.At(n.Now(), l.Connected)
	return p, nil
}

// Verify implements fabric.Verifier: each address that a switch has learned is at the port that leads
// to its host.
func (n *network) Verify() error {
	var errs []error
	for _, s := range n.Switches {
		r, ok := s.(*fabric.P4Switch)
		if !ok {
			continue
		}
		app, ok := r.Controller.App().(*control.App)
		if !ok {
			continue
		}
		at := app.Places()
		for _, h := range n.Hosts {
			mac := h.MAC()
			port, known := at[mac]
			if want := leads(s, h, nil); known && port != want {
				errs = append(errs, fmt.Errorf("switch %s has learned %v (%s) at port %d, but it is at %d", s.Name(), net.HardwareAddr(mac[:]), h.Name(), port, want))
			}
		}
	}
	return errors.Join(errs...)
}

// leads is the port of a switch behind which a host is, 0 if there is none; the network has no circles.
func leads(s fabric.Switch, h *fabric.Host, from fabric.Node) uint16 {
	for _, p := range s.Ports() {
		if p == nil || p.To == from {
			continue
		}
		if p.To == fabric.Node(h) {
			return p.Port
		}
		if next, ok := p.To.(fabric.Switch); ok && leads(next, h, s) != 0 {
			return p.Port
		}
	}
	return 0
}
