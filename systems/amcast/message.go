package amcast

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/amcast/private"
)

// Kinds of packets that switches do not look at: from host to host.
const (
	kindDone  Message = 32 // replica to client: it has delivered the message; with flagAnswer the payload is the answer. To a replica: of a client that has failed
	kindFetch Message = 33 // replica to replica or client: this message, or the one with this seq of this epoch, is wanted
	kindHave  Message = 34 // the answer, or a message of a client that has failed: as a full PROP; with flagFinal epoch, lts and seq are what the replica delivered by, clock is the final timestamp
	kindWant  Message = 39 // client to replica: the answer to a message is wanted

	// Of a message whose client has failed and whose payload nobody seems to have: see void.go.
	kindNobody  Message = 35 // replica to the one that decides: find out
	kindGiveUp  Message = 36 // it asks all replicas of the destinations to take no payload any more
	kindPromise Message = 37 // the answer of one that has none
	kindVoid    Message = 38 // nobody has it: there is no such message. Epoch and seq are of the group from, if it is not 0
)

const (
	flagFinal = 4 // HAVE: the message was delivered
	flagSeq   = 8 // FETCH: by its seq

	flagAnswer = 16 // DONE: the application has answered
)

// Lengths, in bytes.
const (
	headerLen  = 48
	frameFront = wire.EthernetLen + wire.IPv4Len + wire.UDPLen
)

// HostPort is the UDP port of clients. Switches have ports from PortFirst on, and so have the replicas of a host.
const HostPort = PortFirst + 15

// ID is a message: a client, and the client's number for it.
type ID struct {
	Client uint16
	Number uint32
}

func (id ID) String() string { return fmt.Sprintf("%d/%d", id.Client, id.Number) }

func (id ID) compare(o ID) int {
	return cmp.Or(cmp.Compare(id.Client, o.Client), cmp.Compare(id.Number, o.Number))
}

// Groups are the destinations of a message: up to four numbers of groups from 1 to 255, the lowest
// in the highest byte, then zeros.
type Groups = private.Groups

// NewGroups makes destinations of the numbers of groups, in any order.
func NewGroups(list ...uint8) (Groups, error) { return private.NewGroups(list...) }

// Packet is what is in front of a payload, and the payload: header amcast_h of p4/amcast.
type Packet struct {
	Kind     Message
	Flags    uint8
	From, By uint8 // groups: of the proposal, and of who acknowledges
	Groups   Groups
	ID       ID
	Member   uint8
	FromSlot uint8
	BySlot   uint8
	Epoch    uint32 // of From
	LTS      uint32
	Seq      uint32
	ByEpoch  uint32
	Clock    uint32
	Mark     uint32
	Digest   uint32
	Payload  []byte // of the frame that was parsed
}

// Ends are the addresses of a packet.
type Ends struct {
	SrcMAC, DstMAC   wire.MAC
	Src, Dst         wire.Addr
	SrcPort, DstPort uint16
}

// Errors of Parse: what a frame is not.
var (
	ErrForeign  = errors.New("amcast: not a packet of atomic multicast")
	ErrChecksum = errors.New("amcast: a checksum is wrong")
	ErrPacket   = errors.New("amcast: malformed packet")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Digest is the digest of a payload: its CRC-32C.
func Digest(payload []byte) uint32 { return crc32.Checksum(payload, castagnoli) }

// Parse takes a frame apart. It accepts only the form that switches look at: IPv4 without tags,
// options and fragments. The payload stays in the frame.
func (p *Packet) Parse(f []byte) (Ends, error) {
	var e Ends
	if len(f) < frameFront+headerLen || wire.Ethernet(f).EtherType() != wire.EtherTypeIPv4 {
		return e, ErrForeign
	}
	ip := wire.IPv4(f[wire.EthernetLen:])
	total := ip.TotalLen()
	if ip[0] != 0x45 || ip.Fragment() || ip.Protocol() != 17 || total < wire.IPv4Len+wire.UDPLen+headerLen || total > len(ip) {
		return e, ErrForeign
	}
	udp := wire.UDP(ip[wire.IPv4Len:total])
	if udp.DstPort()&^15 != PortFirst {
		return e, ErrForeign
	}
	if udp.Len() != len(udp) || udp.Checksum() != 0 {
		return e, ErrPacket
	}
	h := udp[wire.UDPLen:]
	if !ip.ChecksumOK() || wire.Sum(0, h[:headerLen]) != 0xffff {
		return e, ErrChecksum
	}
	be := binary.BigEndian
	*p = Packet{
		Kind: Message(h[0]), Flags: h[1], From: h[2], By: h[3], Groups: Groups(be.Uint32(h[4:])),
		ID: ID{be.Uint16(h[8:]), be.Uint32(h[12:])}, Member: h[10], FromSlot: h[11] >> 4, BySlot: h[11] & 15,
		Epoch: be.Uint32(h[16:]), LTS: be.Uint32(h[20:]), Seq: be.Uint32(h[24:]), ByEpoch: be.Uint32(h[28:]),
		Clock: be.Uint32(h[32:]), Mark: be.Uint32(h[36:]), Digest: be.Uint32(h[40:]), Payload: h[headerLen:],
	}
	if int(be.Uint16(h[44:])) != len(p.Payload) || len(p.Payload) > MaxPayload {
		return e, ErrPacket
	}
	if len(p.Payload) > 0 && Digest(p.Payload) != p.Digest {
		return e, ErrChecksum
	}
	eth := wire.Ethernet(f)
	e = Ends{eth.Src(), eth.Dst(), ip.Src(), ip.Dst(), udp.SrcPort(), udp.DstPort()}
	return e, nil
}

// Append appends the packet's frame to b, which is empty.
func (p *Packet) Append(b []byte, e Ends) []byte {
	be := binary.BigEndian
	b = append(append(append(b, e.DstMAC[:]...), e.SrcMAC[:]...), 0x08, 0x00)
	b = append(b, 0x45, 0, 0, 0, 0, 0, 0x40, 0, wire.DefaultTTL, 17, 0, 0) // may not be cut
	b = append(append(b, e.Src[:]...), e.Dst[:]...)
	b = be.AppendUint16(b, e.SrcPort)
	b = be.AppendUint16(b, e.DstPort)
	b = append(b, 0, 0, 0, 0)
	b = append(b, byte(p.Kind), p.Flags, p.From, p.By)
	b = be.AppendUint32(b, uint32(p.Groups))
	b = be.AppendUint16(b, p.ID.Client)
	b = append(b, p.Member, p.FromSlot<<4|p.BySlot)
	for _, x := range [...]uint32{p.ID.Number, p.Epoch, p.LTS, p.Seq, p.ByEpoch, p.Clock, p.Mark, p.Digest} {
		b = be.AppendUint32(b, x)
	}
	b = be.AppendUint16(b, uint16(len(p.Payload)))
	b = append(b, 0, 0)
	h := b[frameFront:]
	be.PutUint16(h[46:], ^wire.Sum(0, h))
	b = append(b, p.Payload...)
	ip := wire.IPv4(b[wire.EthernetLen:])
	ip.SetTotalLen(len(ip))
	ip.SetChecksum()
	wire.UDP(ip[wire.IPv4Len:]).SetLen(len(ip) - wire.IPv4Len)
	return b
}

// To is whom a packet of a host is for.
type To struct {
	Kind   ToKind
	Group  uint8  // Leader, Replica
	Index  int    // Replica: which of the group's
	Client uint16 // Client
}

// ToKind is a kind of receiver.
type ToKind uint8

// Receivers of packets of hosts.
const (
	ToLeader  ToKind = iota // the switch that leads a group
	ToReplica               // a replica of a group
	ToClient                // the sender of a client number
)

// Send is a packet that a host sends. Its payload may be used until the next call.
type Send struct {
	To     To
	Packet Packet
}

// Replicas says how many replicas a group has, and which of them live, a bit each: whoever has
// failed for good is waited for no longer. The controller says so to all hosts.
type Replicas struct {
	Count int
	Alive uint32
}

func (r Replicas) alive(i int) bool { return i < r.Count && r.Alive>>i&1 == 1 }

// Directory is the groups that there are, by their numbers.
type Directory map[uint8]Replicas
