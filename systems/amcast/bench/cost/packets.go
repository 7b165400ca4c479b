package cost

import (
	"github.com/p4ce/p4ce/systems/amcast"
)

// message is a packet of P4mCast to a role of the switch.
type message struct {
	amcast.Packet
	from place
	role uint16
}

func (m message) frame() []byte {
	return m.Append(nil, amcast.Ends{SrcMAC: m.from.mac(), DstMAC: self.mac(), Src: m.from.ip(), Dst: self.ip(), SrcPort: amcast.PortFirst, DstPort: amcast.PortFirst + m.role})
}

// digest is of the payloads, which no switch looks at.
const digest = 0xd1

// start is a bare START of a message to the led group.
func start(id amcast.ID) message {
	return message{amcast.Packet{Kind: amcast.MsgStart, Groups: led << 24, ID: id, Seq: id.Number, Digest: digest}, place(client), leads}
}

// prop is the proposal of a message to the followed group, by its leader.
func prop(id amcast.ID, lts, seq uint32) message {
	return message{amcast.Packet{Kind: amcast.MsgProp, From: followed, By: followed, Groups: followed << 24, ID: id, Epoch: followedEpoch, LTS: lts, Seq: seq,
		ByEpoch: followedEpoch, Clock: lts, Mark: seq, Digest: digest}, leaf1, follows}
}

// ack is the acknowledgement of a message to the delivered group, by one of its members.
func ack(id amcast.ID, member uint8) message {
	return message{amcast.Packet{Kind: amcast.MsgACK, From: delivered, By: delivered, Groups: delivered << 24, ID: id, Member: member, Epoch: deliveredEpoch, LTS: 9, Seq: 4,
		ByEpoch: deliveredEpoch, Clock: 9, Mark: 4, Digest: digest}, ackers[0].members[member], delivers}
}

// watermark is the acknowledgement of the led group's proposal of a message, by the leader of the delivered group: it tells how far its
// clock is.
func watermark(id amcast.ID) message {
	m := ack(id, 0)
	m.Groups, m.From, m.Epoch, m.BySlot = led<<24|delivered<<16, led, ledEpoch, 1
	return m
}

// plain is a UDP datagram from the client to a replica that is not of P4mCast.
func plain() []byte {
	m := start(amcast.ID{})
	to := place(replica1)
	return m.Append(nil, amcast.Ends{SrcMAC: m.from.mac(), DstMAC: to.mac(), Src: m.from.ip(), Dst: to.ip(), SrcPort: 9, DstPort: 9})
}
