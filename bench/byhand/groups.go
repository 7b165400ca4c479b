package byhand

import (
	"fmt"

	"github.com/cilium/ebpf"
)

// Copy is a copy of a multicast group: its port, its replication id, and the interface (0: that of test runs, where nothing is
// sent) and egress program behind the port.
type Copy struct {
	Port, RID     uint16
	Ifindex, Prog uint32
}

// fewCopies is P4_FEW_COPIES in p4xdp_forward.h.
const fewCopies = 14

// groupCell is struct p4_group.
type groupCell struct {
	Destinations, Copies uint32
	Copy                 [fewCopies]struct{ Port, RID uint16 }
}

// PutGroup makes a multicast group of a program by hand: of up to 16 copies, in the order in which they leave. If they are more than
// 14, no copy finds its replication id.
func PutGroup(maps map[string]*ebpf.Map, id uint16, copies []Copy) error {
	inner, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.DevMapHash, KeySize: 4, ValueSize: 8, MaxEntries: 16})
	if err != nil {
		return fmt.Errorf("multicast group %d: %w", id, err)
	}
	defer inner.Close() // the outer map holds it
	cell := &groupCell{Destinations: uint32(id) + 1, Copies: uint32(len(copies))}
	for i := range cell.Copy {
		cell.Copy[i].Port = 0xffff
	}
	for i, c := range copies {
		if len(copies) <= fewCopies {
			cell.Copy[i].Port, cell.Copy[i].RID = c.Port, c.RID
		}
		if err := inner.Put(uint32(i), device{max(c.Ifindex, loopback), c.Prog}); err != nil {
			return fmt.Errorf("multicast group %d: %w", id, err)
		}
	}
	if err := maps["destinations"].Put(uint32(id), inner); err != nil {
		return fmt.Errorf("multicast group %d: %w", id, err)
	}
	if err := maps["groups"].Put(uint32(id), cell); err != nil {
		return fmt.Errorf("multicast group %d: %w", id, err)
	}
	return nil
}
