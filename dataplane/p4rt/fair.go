package p4rt

import (
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
)

// noPort is where packet-ins belong whose program does not say by which port they came.
const noPort = -1

// fair are packet-ins that wait for a client: a queue for each port that they came in by. All
// share a bound, and when it is reached the longest queue loses its last packet, so a port that
// sends much takes nothing from the others. Packets leave port by port in turn.
type fair struct {
	bound  int
	n      int
	queues map[int][]*p4.PacketIn
	turns  []int // ports with packets, in the order in which their turn comes
}

// add queues a packet. What is dropped for it came in by the port lost, which may be its own.
func (f *fair) add(port int, p *p4.PacketIn) (lost int, full bool) {
	if f.queues == nil {
		f.queues = map[int][]*p4.PacketIn{}
	}
	if f.n >= f.bound {
		full, lost = true, port
		for _, t := range f.turns {
			if len(f.queues[t]) > len(f.queues[lost]) {
				lost = t
			}
		}
		q := f.queues[lost]
		if len(q) <= len(f.queues[port])+1 {
			return port, full
		}
		q[len(q)-1] = nil
		f.queues[lost] = q[:len(q)-1]
		f.n--
	}
	if len(f.queues[port]) == 0 {
		f.turns = append(f.turns, port)
	}
	f.queues[port] = append(f.queues[port], p)
	f.n++
	return lost, full
}

// take returns all packets, and empties the queues.
func (f *fair) take() []*p4.PacketIn {
	out := make([]*p4.PacketIn, 0, f.n)
	for len(f.turns) > 0 {
		again := f.turns[:0]
		for _, t := range f.turns {
			q := f.queues[t]
			out = append(out, q[0])
			if f.queues[t] = q[1:]; len(q) > 1 {
				again = append(again, t)
			} else {
				delete(f.queues, t)
			}
		}
		f.turns = again
	}
	f.n = 0
	return out
}
