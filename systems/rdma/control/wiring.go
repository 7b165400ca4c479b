package control

import (
	"fmt"
	"strconv"
	"strings"

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
	// that all ports of a group must be on one. Empty: there is one pipe.
	Pipes map[uint16]int
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
	if len(w.Pipes) == 0 {
		return 0
	}
	if p, ok := w.Pipes[port]; ok {
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
	g, ports, err := numbered(s)
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
	n, ports, err := numbered(s)
	if err != nil {
		return fmt.Errorf("pipe %q: %w [want PIPE=PORTS, for instance 0=1-16]", s, err)
	}
	if w.Pipes == nil {
		w.Pipes = map[uint16]int{}
	}
	for _, p := range ports {
		if old, dup := w.Pipes[p]; dup && old != n {
			return fmt.Errorf("pipe %q: port %d is already on pipe %d", s, p, old)
		}
		w.Pipes[p] = n
	}
	return nil
}

// numbered reads "NUMBER=PORT,FIRST-LAST,...".
func numbered(s string) (n int, ports []uint16, err error) {
	left, right, ok := strings.Cut(s, "=")
	v, err := strconv.ParseUint(left, 10, 16)
	if !ok || err != nil {
		return 0, nil, fmt.Errorf("want a number and = first")
	}
	for _, f := range strings.Split(right, ",") {
		first, last, isRange := strings.Cut(f, "-")
		a, err := strconv.ParseUint(first, 10, 9)
		b := a
		if err == nil && isRange {
			b, err = strconv.ParseUint(last, 10, 9)
		}
		if err != nil || b < a {
			return 0, nil, fmt.Errorf("%q is not a port or range of ports (0 to %d)", f, firstPortGroup-1)
		}
		for p := a; p <= b; p++ {
			ports = append(ports, uint16(p))
		}
	}
	return int(v), ports, nil
}
