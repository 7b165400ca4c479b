package control

import (
	"fmt"

	"github.com/p4ce/p4ce/ctrl/topology"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// Wiring says what a controller cannot find out about the ports of a switch.
type Wiring struct {
	// PortGroups gives ports that lead to the same place (the uplinks of a rack) a
	// common port group, numbered from firstPortGroup up: what a server behind them sends may
	// come in by any of them. Any other port is a port group by itself, under its own number.
	PortGroups map[uint16]uint16
	// Pipes says on which pipe of the chip a port is. Registers are per pipe, so
	// that all ports of a group must be on one, unless its leader's egress gathers. Empty: there is one pipe.
	Pipes topology.Pipes
}

// firstPortGroup is above all port numbers.
const firstPortGroup = names.PortGroupBase

func (w *Wiring) portGroup(port uint16) uint16 {
	if g, ok := w.PortGroups[port]; ok {
		return g
	}
	return port
}

func (w *Wiring) pipe(port uint16) int {
	if p, ok := w.Pipes.Of(port); ok {
		return p
	}
	return group.NoPipe
}

// place is where a host is that is attached to a port.
func (w *Wiring) place(mac wire.MAC, port uint16) group.Host {
	return group.Host{MAC: mac, Port: port, PortGroup: w.portGroup(port), Pipe: w.pipe(port)}
}

func (w *Wiring) check() error {
	for port, g := range w.PortGroups {
		switch {
		case port >= firstPortGroup:
			return fmt.Errorf("port %d: port numbers are below %d", port, firstPortGroup)
		case g < firstPortGroup:
			return fmt.Errorf("port %d: port group %d: port groups are numbered from %d up", port, g, firstPortGroup)
		}
	}
	return nil
}

// AddPortGroup reads "NUMBER=PORTS", a port group: ports and ranges of them, with commas.
func (w *Wiring) AddPortGroup(s string) error {
	g, ports, err := topology.ParseNumbered(s)
	if err == nil && (g < firstPortGroup || g > 0xffff) {
		err = fmt.Errorf("port groups are numbered from %d to 65535", firstPortGroup)
	}
	if err != nil {
		return fmt.Errorf("port group %q: %w [want NUMBER=PORTS, for instance 512=30,31]", s, err)
	}
	if w.PortGroups == nil {
		w.PortGroups = map[uint16]uint16{}
	}
	for _, p := range ports {
		if old, dup := w.PortGroups[p]; dup && old != uint16(g) {
			return fmt.Errorf("port group %q: port %d is already in port group %d", s, p, old)
		}
		w.PortGroups[p] = uint16(g)
	}
	return nil
}

// AddPipe reads "PIPE=PORTS".
func (w *Wiring) AddPipe(s string) error {
	if w.Pipes == nil {
		w.Pipes = topology.Pipes{}
	}
	return w.Pipes.Add(s)
}
