// Package fabric puts a switch that counts requests into a network in simulated time (package
// sim/fabric): hosts send requests, and the host that gets one answers it with the same bytes.
package fabric

import (
	"embed"
	"errors"
	"fmt"

	"github.com/google/gopacket/layers"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/tally"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/tally/control"
)

//go:embed scenarios/*.yaml
var scenarios embed.FS

// System is systems/tally for the fabric.
var System = &fabric.System{
	Name: control.Program, Program: control.Program, Scenarios: fabric.Folder(scenarios, "scenarios"),
	Counts: []fabric.Column{{CSV: "requests", Table: "requests"}, {CSV: "counted", Table: "counted"}},
	Load:   func() fabric.LoadSettings { return new(load) },
	New: func(f *fabric.Fabric, _ fabric.Settings) (fabric.Instance, error) {
		return &network{Fabric: f, answered: map[uint8]uint64{}}, nil
	},
}

// load is what a scenario says of requests.
type load struct {
	Key uint8 `yaml:"key"`
}

// Labels implements fabric.LoadSettings.
func (*load) Labels() []string { return nil }

// Check implements fabric.LoadSettings.
func (l *load) Check(c *fabric.LoadConfig) error {
	if len(c.To) != 1 {
		return errors.New("a host sends requests to one other")
	}
	if c.Size > 1400 {
		return fmt.Errorf("requests of %d bytes: want 1400 at most", c.Size)
	}
	return nil
}

// network is hosts at one switch.
type network struct {
	*fabric.Fabric
	answered map[uint8]uint64 // requests, by key
}

// Endpoint implements fabric.Instance.
func (n *network) Endpoint(h *fabric.Host) fabric.Endpoint {
	return &station{h: h, clients: map[layers.UDPPort]*client{}}
}

// Ready implements fabric.Instance.
func (n *network) Ready() error {
	if len(n.Switches) != 1 {
		return fmt.Errorf("%d switches: want a rack, which has one", len(n.Switches))
	}
	return nil
}

// App implements fabric.Instance.
func (n *network) App(*fabric.P4Switch) (fabric.App, error) {
	var hosts []control.Host
	for _, h := range n.Hosts {
		hosts = append(hosts, control.Host{MAC: h.MAC(), Port: h.Link().Dest})
	}
	return control.New(hosts)
}

// Client implements fabric.Instance.
func (n *network) Client(l *fabric.Load, own fabric.LoadSettings) (fabric.Client, error) {
	c := &client{
		network: n, station: l.From.Endpoint().(*station), to: l.To[0], key: own.(*load).Key, port: layers.UDPPort(firstPort + l.Number),
		under: map[uint64]*fabric.Request{},
	}
	c.station.clients[c.port] = c
	n.At(n.Now(), l.Connected)
	return c, nil
}

// counted is how many requests of a key the switch says that there were.
func (n *network) counted(key uint8) uint64 {
	s, ok := n.Switches[0].(*fabric.P4Switch)
	if !ok {
		return 0 // a plain one counts nothing
	}
	fields, err := s.Target().ReadRegister(dataplane.RegisterOf(s.Program(), names.RegisterRequests), int(key))
	if err != nil {
		n.Fail(err)
		return 0
	}
	return p4rtclient.ToUint(fields[0])
}
