package roce

import "github.com/p4ce/p4ce/roce/wire"

// firstQPN is the lowest number of a queue pair: those below are special (IBTA 3.5.10), or easily
// confused with these.
const firstQPN = 0x100

// resting are the numbers of queue pairs that have gone. They are not used again soon, so that
// late packets of an old connection find no queue pair.
type resting struct {
	ring [1 << 10]uint32
	next int
}

func (r *resting) add(qpn uint32) {
	r.ring[r.next] = qpn
	r.next = (r.next + 1) % len(r.ring)
}

func (r *resting) has(qpn uint32) bool {
	for _, v := range r.ring {
		if v == qpn {
			return true
		}
	}
	return false
}

// freeQPN draws a number that no queue pair has or had of late. It is random, as keys and PSNs
// are: who is connected here learns nothing of the others' connections.
func (d *Device) freeQPN() uint32 {
	for {
		v := uint32(random()) & wire.QPNMask
		if d.qps[v] == nil && v >= firstQPN && !d.resting.has(v) {
			return v
		}
	}
}
