package byhand

import (
	"fmt"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bench/program"
)

// System is a program on a switch without ports, for test runs: its ingress, and its egress.
type System struct {
	Name            string
	Ingress, Egress *ebpf.Program
}

// Hand is a program by hand, with what is in its maps. The first error of a call is kept in Err, and later calls do nothing.
type Hand struct {
	System
	*ebpf.Collection
	Err error
}

// NewHand loads an object with the programs hand_ingress and hand_egress. The caller closes it.
func NewHand(object []byte) (*Hand, error) {
	c, err := program.Load(object)
	if err != nil {
		return nil, fmt.Errorf("program by hand: %w", err)
	}
	return &Hand{System: System{ByHand, c.Programs["hand_ingress"], c.Programs["hand_egress"]}, Collection: c}, nil
}

// Put puts an element into a map.
func (h *Hand) Put(name string, key, value any) {
	if h.Err == nil {
		if err := h.Maps[name].Put(key, value); err != nil {
			h.Err = fmt.Errorf("map %s: %w", name, err)
		}
	}
}

// Set gives a variable its value.
func (h *Hand) Set(name string, value any) {
	if h.Err == nil {
		if err := h.Variables[name].Set(value); err != nil {
			h.Err = fmt.Errorf("variable %s: %w", name, err)
		}
	}
}

// device is a port's interface, and the egress program behind it.
type device struct{ Ifindex, Prog uint32 }

// loopback stands for the interface of every port in test runs, where nothing is sent.
const loopback = 1

// Port makes a port.
func (h *Hand) Port(p uint32) { h.Put("ports", p, device{Ifindex: loopback}) }

// Group makes a multicast group.
func (h *Hand) Group(id uint16, copies []Copy) {
	if h.Err == nil {
		h.Err = PutGroup(h.Maps, id, copies)
	}
}
