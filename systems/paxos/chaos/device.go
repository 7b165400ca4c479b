package chaos

import (
	"hash/crc32"
	"net/netip"
	"slices"

	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/soft"
)

// Addr is an address in the simulated network.
type Addr = netip.AddrPort

// At returns address n: 10.0.0.n and the port of application 0.
func At(n byte) Addr {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, n}), paxos.PortFirst)
}

// Packet is a message under way.
type Packet struct {
	From, To Addr
	Message  paxos.Message
	// Damaged is 0, or 1 and the number of a bit of the datagram that is not as it was sent:
	// modulo its length.
	Damaged int
}

// Device is a switch or a process which has roles. It has the role of a leader at the address
// Leader, the others at its own address.
type Device interface {
	// Receive takes a packet for one of its addresses, and returns what it sends.
	Receive(Packet) []Packet
	// Lead makes it the leader of a round, from instance next on.
	Lead(round, next, first, last uint32, acceptors []Addr)
	// StopLeading ends that.
	StopLeading()
	// Vote makes it an acceptor that has voted for nothing and promised floor.
	Vote(index uint8, learner Addr, floor, first, last uint32)
	// Own says who may propose in a round.
	Own(round uint32, who Addr)
	// Learn makes it a learner that has counted nothing.
	Learn(replicas []Addr, first, last uint32)
	// Configure says who the acceptors of a round are.
	Configure(round uint32, acceptors []Addr)
	// Trim says which instances may be used.
	Trim(first, last uint32)
	// Forget loses its registers: it has its roles, and does nothing until it gets them anew.
	Forget()
}

// The addresses of the worlds.
var (
	Leader     = At(1)
	Learner    = At(20)
	controller = At(50)
	stranger   = At(60)
)

const (
	acceptorAt = 10
	hostAt     = 40
	guestAt    = 70
)

// Soft is a device that has the roles as package soft has them.
type Soft struct {
	at       Addr
	leader   *soft.Leader
	acceptor *soft.Acceptor
	learner  *soft.Learner
}

// NewSoft returns a device at an address, with rings of a size.
func NewSoft(at Addr, ring int) Device {
	return &Soft{at, soft.NewLeader(ring), soft.NewAcceptor(ring), soft.NewLearner(ring)}
}

// Receive implements Device.
func (d *Soft) Receive(p Packet) (out []Packet) {
	m, ok := arrive(p)
	if !ok {
		return nil
	}
	var role soft.Role
	switch {
	case p.To == Leader:
		role = d.leader
	case p.To == Learner:
		role = d.learner
	default:
		role = d.acceptor
	}
	for _, to := range role.Handle(p.From, &m) {
		c := m
		c.Value = slices.Clone(m.Value)
		out = append(out, Packet{From: p.To, To: to, Message: c})
	}
	return out
}

// arrive is what a socket does with a packet: what is damaged does not pass the checksum.
func arrive(p Packet) (paxos.Message, bool) {
	if p.Damaged == 0 {
		return p.Message, true
	}
	b, err := p.Message.Append(nil)
	if err != nil {
		return p.Message, false
	}
	sum := crc32.ChecksumIEEE(b)
	bit := (p.Damaged - 1) % (8 * len(b))
	b[bit/8] ^= 1 << (bit % 8)
	var m paxos.Message
	err = m.Parse(b)
	return m, err == nil && crc32.ChecksumIEEE(b) == sum
}

// Lead implements Device.
func (d *Soft) Lead(round, next, first, last uint32, acceptors []Addr) {
	d.leader.Trim(first, last)
	d.leader.Lead(round, next, acceptors)
}

// StopLeading implements Device.
func (d *Soft) StopLeading() { d.leader.Stop() }

// Vote implements Device.
func (d *Soft) Vote(index uint8, learner Addr, floor, first, last uint32) {
	d.acceptor.Give(index, []Addr{learner}, floor, first, last)
}

// Own implements Device.
func (d *Soft) Own(round uint32, who Addr) { d.acceptor.Own(round, who) }

// Learn implements Device.
func (d *Soft) Learn(replicas []Addr, first, last uint32) { d.learner.Give(replicas, first, last) }

// Configure implements Device.
func (d *Soft) Configure(round uint32, acceptors []Addr) { d.learner.Configure(round, acceptors) }

// Trim implements Device.
func (d *Soft) Trim(first, last uint32) {
	d.leader.Trim(first, last)
	d.acceptor.Trim(first, last)
	d.learner.Trim(first, last)
}

// Forget implements Device.
func (d *Soft) Forget() {
	d.leader.Forget()
	d.acceptor.Forget()
	d.learner.Forget()
}
