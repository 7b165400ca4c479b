package baseline

import (
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/systems/amcast"
)

// Kind is a protocol.
type Kind string

// The kinds.
const (
	Skeen    Kind = "Skeen"
	PrimCast Kind = "PrimCast"
)

// Kinds are all.
var Kinds = []Kind{Skeen, PrimCast}

// Kinds of packets.
const (
	start = amcast.MsgStart
	prop  = amcast.MsgProp // by, member, lts, clock
	ack   = amcast.MsgACK  // the same: of the primary of the member's group
	bump  = amcast.MsgMark // by, member, clock
	done  = amcast.MsgDeliver
)

// Groups are the processes of each group, by their numbers, the primary first. A process is in one group, or in none.
type Groups map[uint8][]int

// check looks at groups.
func (g Groups) check(kind Kind, processes int) error {
	seen := map[int]bool{}
	for n, list := range g {
		if len(list) == 0 || len(list) > 32 || kind == Skeen && len(list) != 1 {
			return fmt.Errorf("%s: group %d: %d processes", kind, n, len(list))
		}
		for _, p := range list {
			if p < 0 || p >= processes || seen[p] {
				return fmt.Errorf("%s: group %d: process %d is not there, or is twice", kind, n, p)
			}
			seen[p] = true
		}
	}
	return nil
}

// Process is a client, and a member of a group or of none. It is a state machine for one goroutine.
type Process struct {
	number int
	groups Groups
	member *member // nil: only a client
	// send sends a packet to a process. deliver is told what the process delivers, and finished which of its messages all
	// members of all destinations have delivered; neither may call the process.
	send     func(to int, p *amcast.Packet)
	deliver  func(*amcast.Delivery)
	finished func(amcast.ID)

	sent uint32
	open map[uint32]int // of messages that are not finished: members that have not answered
}

// NewProcess makes a process.
func NewProcess(number int, groups Groups, send func(to int, p *amcast.Packet), deliver func(*amcast.Delivery), finished func(amcast.ID)) *Process {
	x := &Process{number: number, groups: groups, send: send, deliver: deliver, finished: finished, open: map[uint32]int{}}
	for g, list := range groups {
		if i := slices.Index(list, number); i >= 0 {
			x.member = &member{Process: x, group: g, index: i, clocks: make([]uint32, len(list)), open: map[amcast.ID]*message{}}
		}
	}
	return x
}

// Multicast sends a message. The payload must stay as it is.
func (x *Process) Multicast(groups amcast.Groups, payload []byte) amcast.ID {
	x.sent++
	id := amcast.ID{Client: uint16(x.number), Number: x.sent}
	p := &amcast.Packet{Kind: start, Groups: groups, ID: id, Digest: amcast.Digest(payload), Payload: payload}
	list := x.members(groups)
	x.open[id.Number] = len(list)
	x.all(list, p)
	return id
}

// members are those of all destinations.
func (x *Process) members(groups amcast.Groups) (list []int) {
	for _, g := range groups.List() {
		list = append(list, x.groups[g]...)
	}
	return list
}

// all sends a packet to processes. Not all processes begin with the same one.
func (x *Process) all(list []int, p *amcast.Packet) {
	for i := range list {
		x.to(list[(x.number+i)%len(list)], p)
	}
}

// to sends a packet to a process, which may be this one.
func (x *Process) to(process int, p *amcast.Packet) {
	if process == x.number {
		x.Receive(p)
		return
	}
	x.send(process, p)
}

// Receive takes a packet, whose payload is somebody else's.
func (x *Process) Receive(p *amcast.Packet) {
	switch {
	case p.Kind != done:
		if x.member != nil {
			x.member.receive(p)
		}
	case x.open[p.ID.Number] > 1:
		x.open[p.ID.Number]--
	case x.open[p.ID.Number] == 1:
		delete(x.open, p.ID.Number)
		x.finished(p.ID)
	}
}

// Open is how many of the process's messages are not finished.
func (x *Process) Open() int { return len(x.open) }
