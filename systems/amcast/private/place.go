package private

import (
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/roce/wire"
)

// maxDestinations is how many groups a message may go to.
const maxDestinations = 4

// Groups are the destinations of a message: up to four numbers of groups from 1 to 255, the lowest
// in the highest byte, then zeros.
type Groups uint32

// NewGroups makes destinations of the numbers of groups, in any order.
func NewGroups(list ...uint8) (Groups, error) {
	if len(list) == 0 || len(list) > int(maxDestinations) {
		return 0, fmt.Errorf("amcast: %d destination groups: want 1 to %d", len(list), maxDestinations)
	}
	sorted := slices.Sorted(slices.Values(list))
	g := Groups(0)
	for i, n := range sorted {
		if n == 0 || i > 0 && n == sorted[i-1] {
			return 0, fmt.Errorf("amcast: destination groups %v: want different numbers from 1 to 255", list)
		}
		g |= Groups(n) << (24 - 8*i)
	}
	return g, nil
}

// List is the numbers of the groups, ascending.
func (g Groups) List() []uint8 {
	var out []uint8
	for i := range int(maxDestinations) {
		if n := uint8(g >> (24 - 8*i)); n != 0 {
			out = append(out, n)
		}
	}
	return out
}

// Has reports whether a group is among the destinations.
func (g Groups) Has(group uint8) bool {
	return group != 0 && (uint8(g>>24) == group || uint8(g>>16) == group || uint8(g>>8) == group || uint8(g) == group)
}

// Valid reports whether NewGroups could have made it.
func (g Groups) Valid() bool {
	list := g.List()
	again, err := NewGroups(list...)
	return err == nil && again == g
}

func (g Groups) String() string { return fmt.Sprint(g.List()) }

// End is where packets for somebody go: on Ethernet, in IPv4, and the UDP port.
type End struct {
	MAC  wire.MAC
	IP   wire.Addr
	Port uint16
}

// GroupPlace is what a host must know of a group.
type GroupPlace struct {
	Own      int           // which of the replicas this host is; negative: none
	Replicas []End         // of the group
	Leaders  map[uint8]End // the roles that may lead, by what the controller calls them
}

// Place is what a host must know of a deployment: package control reads it from the deployment's file.
type Place struct {
	Self       End
	Controller End   // the host's switch, which passes on what is for the controller
	Hosts      []End // all: where clients are
	Switches   []wire.Addr
	Window     int // messages that may be under way; 0: 16
	Groups     map[uint8]*GroupPlace
}
