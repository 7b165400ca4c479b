package explore

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"

	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos/frames"
)

// Addresses, each the last byte of an IPv4 and of a MAC address; a switch has what it sends
// at the port of that number.
const (
	serviceAt  = 1  // of whoever leads
	acceptorAt = 10 // and following
	learnerAt  = 20
	replicaAt  = 40
	controlAt  = 50 // the controller
	hostAt     = 30 // sends requests
	strangerAt = 60

	udpPort   = uint16(names.PortFirst)
	ethLen    = 14
	ipLen     = 20
	udpLen    = 8
	headLen   = 28
	pieceLen  = 16
	maxPieces = 4
)

// message is a message with a value of one byte, or none (0). It is comparable.
type message struct {
	to, from        byte // addresses
	kind            names.Message
	acceptor, flags byte
	inst, rnd, vrnd uint32
	client, seq     byte
	value           byte
	room            bool // all pieces
}

func compare(a, b message) int {
	key := func(m message) uint64 {
		return uint64(m.to)<<56 | uint64(m.kind)<<48 | uint64(m.from)<<40 | uint64(m.inst)<<32 | uint64(m.rnd)<<24 | uint64(m.vrnd)<<16 | uint64(m.value)<<8 | uint64(m.flags)<<4 | uint64(m.acceptor)
	}
	return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a.seq, b.seq))
}

func (m message) append(b []byte) []byte {
	return append(b, m.to, m.from, byte(m.kind), m.acceptor, m.flags, byte(m.inst), byte(m.rnd), byte(m.vrnd), m.client, m.seq, m.value)
}

var kinds = map[names.Message]string{
	names.MsgRequest: "REQUEST", names.MsgPrepare: "PREPARE", names.MsgPromise: "PROMISE", names.MsgAccept: "ACCEPT", names.MsgVote: "VOTE",
	names.MsgFloor: "FLOOR", names.MsgFloored: "FLOORED", names.MsgQuery: "QUERY", names.MsgDeliver: "DELIVER", names.MsgRefused: "REFUSED",
}

func (m message) String() string {
	s := kinds[m.kind]
	if m.kind == names.MsgFloor || m.kind == names.MsgFloored {
		return fmt.Sprintf("%s round %d, instance %d, %s to %s", s, m.rnd, m.inst, who(m.from), who(m.to))
	}
	if m.kind != names.MsgRequest {
		s += fmt.Sprintf(" of instance %d in round %d", m.inst, m.rnd)
	}
	if m.vrnd != 0 {
		s += fmt.Sprintf(" (vote of %d)", m.vrnd)
	}
	return fmt.Sprintf("%s: %s, %s to %s", s, value(m.value), who(m.from), who(m.to))
}

// value is a value for people.
func value(v byte) string {
	if v == 0 {
		return "nothing"
	}
	return string(v)
}

func who(at byte) string {
	switch {
	case at == serviceAt:
		return "service"
	case at >= acceptorAt && at < acceptorAt+acceptors:
		return fmt.Sprintf("acceptor %d", at-acceptorAt)
	case at == learnerAt:
		return "learner"
	case at == replicaAt:
		return "replica"
	case at == controlAt:
		return "controller"
	}
	return "a host"
}

var be = binary.BigEndian

// frame is a message on the wire.
func (m message) frame() []byte {
	pieces, length := 0, byte(0)
	if m.value != 0 {
		pieces, length = 1, 1
	}
	if m.room {
		pieces = maxPieces
	}
	p := []byte{byte(m.kind), m.acceptor, m.flags, length}
	for _, v := range [...]uint32{m.inst, m.rnd, m.vrnd, uint32(m.client), uint32(m.seq), uint32(^uint16(udpLen + headLen + pieces*pieceLen))} {
		p = be.AppendUint32(p, v)
	}
	p = append(p, make([]byte, pieces*pieceLen)...)
	if pieces > 0 {
		p[headLen] = m.value
	}
	return frames.Append(nil, wire.MAC{2, 0, 0, 0, 0, m.from}, wire.MAC{2, 0, 0, 0, 0, m.to}, addr(m.from), addr(m.to), p)
}

func addr(at byte) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, at}), udpPort)
}

// parse reads a frame that a switch has sent.
func parse(b []byte) (m message, err error) {
	if len(b) < ethLen+ipLen+udpLen+headLen {
		return m, fmt.Errorf("a frame of %d bytes", len(b))
	}
	ip := b[ethLen:]
	udp := ip[ipLen:]
	n := int(be.Uint16(udp[4:]))
	if n > len(udp) || wire.SumUDP(wire.Addr(ip[12:16]), wire.Addr(ip[16:20]), udp[:n]) != 0xffff {
		return m, fmt.Errorf("a message with a wrong checksum")
	}
	p := udp[udpLen:]
	m = message{
		to: ip[19], from: ip[15], kind: names.Message(p[0]), acceptor: p[1], flags: p[2],
		inst: be.Uint32(p[4:]), rnd: be.Uint32(p[8:]), vrnd: be.Uint32(p[12:]), client: p[19], seq: p[23],
		room: n == udpLen+headLen+maxPieces*pieceLen,
	}
	if p[3] > 0 {
		m.value = p[headLen]
	}
	return m, nil
}
