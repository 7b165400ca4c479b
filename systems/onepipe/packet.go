package onepipe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net/netip"

	"github.com/p4ce/p4ce/roce/wire"
)

// Opcode is the kind of a packet, as p4/onepipe has it.
type Opcode uint8

// The kinds of packets.
const (
	Beacon   Opcode = 0 // barriers only; one hop
	Data     Opcode = 1 // a fragment of a best-effort message
	Reliable Opcode = 2 // a fragment of a reliable message
	Ack      Opcode = 3 // the receiver has the packet with this PSN
	Nak      Opcode = 4 // the receiver will not deliver the message
	Recall   Opcode = 5 // the message is taken back
	Recalled Opcode = 6 // the answer to Recall
	opcodes         = 7
)

var opcodeNames = [opcodes]string{"beacon", "data", "reliable", "ack", "nak", "recall", "recalled"}

func (o Opcode) String() string {
	if o < opcodes {
		return opcodeNames[o]
	}
	return fmt.Sprintf("opcode %d", uint8(o))
}

// The flags of a packet.
const (
	flagEnd      = 1 // the last fragment of its message
	flagEcho     = 2 // Ack: the packet was marked with CE
	flagReliable = 4 // Ack, Nak: about a reliable message
	flagProbe    = 1 // Ack: it answers a probe
	flagMore     = 2 // Data, Reliable: more messages to processes of the host follow
	// flagUnstamped: a switch has forwarded the packet without stamping it. Its barriers are those of the link that it came
	// by there, and say nothing of any other.
	flagUnstamped = 8
)

// Port is the UDP port of all packets.
const Port = 0x8860

// Shift is how many bits a time in nanoseconds is shifted to be a barrier: a unit is 64 ns.
const Shift = 6

// Lengths, in bytes.
const (
	headerLen   = 24
	bodyLen     = 4 // in front of a fragment: its number, and how many there are
	crcLen      = 4
	ackLen      = 16
	moreLen     = 2           // behind bodyLen, with flagMore: the length of the first message
	messageLen  = 12          // in front of each other message
	moreAckLen  = 14 + ackLen // of another Ack of the host
	nakLen      = 4
	recallLen   = 2
	frameHeader = wire.EthernetLen + wire.IPv4Len + wire.UDPLen
	overhead    = frameHeader + headerLen + bodyLen + crcLen

	// MaxMessage is the longest message.
	MaxMessage = 64 << 10
	// MaxFragment is the longest fragment, whatever the MTU.
	MaxFragment = 8192
)

// Reason is why a receiver refuses a message.
type Reason uint16

// The reasons of a Nak.
const (
	ReasonLate    Reason = 1 // it came after messages of a higher timestamp had been delivered
	ReasonProcess Reason = 2 // no such process
	ReasonFailed  Reason = 3 // its sender is said to have failed before it sent it
)

var reasonNames = map[Reason]string{
	ReasonLate: "it came too late", ReasonProcess: "there is no such process", ReasonFailed: "its sender has failed",
}

func (r Reason) String() string {
	if s, ok := reasonNames[r]; ok {
		return s
	}
	return fmt.Sprintf("reason %d", uint16(r))
}

// Process is a participant: a host and a number, which no other process of the host has had.
type Process struct {
	Addr   wire.Addr
	Number uint16
}

func (p Process) String() string { return fmt.Sprintf("%v/%d", netip.AddrFrom4(p.Addr), p.Number) }

// Bodies of packets, which switches do not look at (big-endian; lengths in bits):
//
//	Data, Reliable        index 16, count 16, payload
//	the same, flagMore    0 16, 1 16, length 16, payload; of each other message: its process 16, the sender's process 16, PSN 32,
//	                      time behind the first one's (ns) 16, length 16, payload
//	Ack                   next 32, limit 32, bits 64; of each other one: its process 16, the sender's process 16, flags 8, PSN 24,
//	                      time 48, next 32, limit 32, bits 64
//	Nak                   reason 16, process 16
//	Recall, Recalled      count 16
//
// A CRC-32C follows. Messages that share a packet are of one host, and of the kind that the header says. Switches look at the
// timestamp of the header, which is the lowest.

// packet is what a frame says. Times have their 48 bits, barriers and PSNs theirs.
type packet struct {
	from, to Process
	time     uint64
	barrier  uint32
	commit   uint32
	op       Opcode
	flags    uint8
	psn      uint32
	marked   bool // with CE, by a queue on the way

	index, count int    // Data, Reliable; Recall: count
	data         []byte // Data, Reliable: of the frame
	rest         []byte // Data, Reliable, Ack: others that share the packet, which is well formed
	next, limit  uint32 // Ack
	bits         uint64 // Ack: which of the 64 PSNs from next on have arrived
	reason       Reason // Nak
	refused      uint16 // Nak: the process that the message is for, which is not there, perhaps
	forwarded    bool   // by the controller: it has no barriers, and so goes what answers it
}

// Errors of parse: what a frame is not.
var (
	errForeign  = errors.New("not of 1Pipe")
	errChecksum = errors.New("a checksum is wrong")
	errPacket   = errors.New("malformed packet")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// parse takes a frame apart. It accepts only the form that switches look at: IPv4 without tags,
// options and fragments. What is in another form has passed no check of a switch.
func (p *packet) parse(f []byte) error {
	if len(f) < frameHeader+headerLen || wire.Ethernet(f).EtherType() != wire.EtherTypeIPv4 {
		return errForeign
	}
	ip := wire.IPv4(f[wire.EthernetLen:])
	total := ip.TotalLen()
	if ip[0] != 0x45 || ip.Fragment() || ip.Protocol() != 17 || total < wire.IPv4Len+wire.UDPLen+headerLen || total > len(ip) {
		return errForeign
	}
	udp := wire.UDP(ip[wire.IPv4Len:total])
	if udp.DstPort() != Port {
		return errForeign
	}
	if udp.Len() != len(udp) || udp.Checksum() != 0 {
		return errPacket
	}
	if !ip.ChecksumOK() {
		return errChecksum
	}
	err := p.parseHeader(udp[wire.UDPLen:], ip.Src(), ip.Dst())
	p.marked = ip.ECN() == wire.CE
	return err
}

// parseHeader takes what is behind UDP apart.
func (p *packet) parseHeader(h []byte, src, dst wire.Addr) error {
	if wire.Sum(0, h[:headerLen]) != 0xffff {
		return errChecksum
	}
	be := binary.BigEndian
	*p = packet{
		from: Process{src, be.Uint16(h[18:])}, to: Process{dst, be.Uint16(h[20:])},
		time:    uint64(be.Uint16(h))<<32 | uint64(be.Uint32(h[2:])),
		barrier: be.Uint32(h[6:]), commit: be.Uint32(h[10:]),
		op: Opcode(h[14] >> 4), flags: h[14] & 0xf, psn: be.Uint32(h[14:]) & psnMask,
	}
	body := h[headerLen:]
	if p.op == Beacon {
		return nil
	}
	if p.op >= opcodes || len(body) < crcLen {
		return errPacket
	}
	end := len(body) - crcLen
	if be.Uint32(body[end:]) != p.crc(body[:end]) {
		return errChecksum
	}
	return p.parseBody(body[:end])
}

func (p *packet) parseBody(b []byte) error {
	be := binary.BigEndian
	switch p.op {
	case Data, Reliable:
		if len(b) < bodyLen {
			return errPacket
		}
		p.index, p.count, p.data = int(be.Uint16(b)), int(be.Uint16(b[2:])), b[bodyLen:]
		if probe := p.count == 0 && p.index == 0 && len(p.data) == 0; !probe && (p.index >= p.count || p.count > MaxMessage) {
			return errPacket
		}
		if p.flags&flagMore != 0 {
			return p.split()
		}
	case Ack:
		if len(b) < ackLen || (len(b)-ackLen)%moreAckLen != 0 {
			return errPacket
		}
		p.parseAck(b)
		if len(b) > ackLen {
			p.rest = b[ackLen:]
		}
	case Nak:
		if len(b) != nakLen {
			return errPacket
		}
		p.reason, p.refused = Reason(be.Uint16(b)), be.Uint16(b[2:])
	case Recall, Recalled:
		if len(b) != recallLen {
			return errPacket
		}
		p.count = int(be.Uint16(b))
	}
	return nil
}

// split finds the messages that share the packet.
func (p *packet) split() error {
	b := p.data
	if p.count != 1 || len(b) < moreLen {
		return errPacket
	}
	n := int(binary.BigEndian.Uint16(b))
	if b = b[moreLen:]; n > len(b) {
		return errPacket
	}
	p.data, p.rest = b[:n], b[n:]
	for b = p.rest; len(b) > 0; b = b[messageLen+n:] {
		if len(b) < messageLen {
			return errPacket
		}
		if n = int(binary.BigEndian.Uint16(b[10:])); n > len(b)-messageLen {
			return errPacket
		}
	}
	return nil
}

// another makes p the next message of rest, and returns what follows. first is the time of the packet.
func (p *packet) another(first uint64, rest []byte) []byte {
	be := binary.BigEndian
	n := messageLen + int(be.Uint16(rest[10:]))
	p.to.Number, p.from.Number, p.psn = be.Uint16(rest), be.Uint16(rest[2:]), be.Uint32(rest[4:])&psnMask
	p.time, p.data = first+uint64(be.Uint16(rest[8:])), rest[messageLen:n]
	return rest[n:]
}

// appendMessage appends another message that shares a packet, and is so many nanoseconds after the first one.
func appendMessage(b []byte, q *packet, after uint64) []byte {
	be := binary.BigEndian
	b = be.AppendUint32(be.AppendUint16(be.AppendUint16(b, q.to.Number), q.from.Number), q.psn)
	b = be.AppendUint16(be.AppendUint16(b, uint16(after)), uint16(len(q.data)))
	return append(b, q.data...)
}

// maxAfter is how long after the first message of a packet the others may be, in nanoseconds.
const maxAfter = 1<<16 - 1

func (p *packet) parseAck(b []byte) {
	be := binary.BigEndian
	p.next, p.limit, p.bits = be.Uint32(b)&psnMask, be.Uint32(b[4:])&psnMask, be.Uint64(b[8:])
}

func (p *packet) appendAck(b []byte) []byte {
	be := binary.BigEndian
	return be.AppendUint64(be.AppendUint32(be.AppendUint32(b, p.next), p.limit), p.bits)
}

// anotherAck makes p the next acknowledgement of rest, and returns what follows.
func (p *packet) anotherAck(rest []byte) []byte {
	be := binary.BigEndian
	p.from.Number, p.to.Number = be.Uint16(rest), be.Uint16(rest[2:])
	p.flags, p.psn = rest[4]&0xf, be.Uint32(rest[4:])&psnMask
	p.time = uint64(be.Uint16(rest[8:]))<<32 | uint64(be.Uint32(rest[10:]))
	p.parseAck(rest[14:])
	return rest[moreAckLen:]
}

// appendMore appends an acknowledgement to others that share a packet.
func (p *packet) appendMore(b []byte) []byte {
	be := binary.BigEndian
	b = be.AppendUint32(be.AppendUint16(be.AppendUint16(b, p.from.Number), p.to.Number), uint32(p.flags)<<24|p.psn)
	return p.appendAck(be.AppendUint32(be.AppendUint16(b, uint16(p.time>>32)), uint32(p.time)))
}

// crc is over the body, and over what the header says of it that switches do not change.
func (p *packet) crc(body []byte) uint32 {
	var h [24]byte
	be := binary.BigEndian
	be.PutUint64(h[:], p.time<<16|uint64(p.op)<<8|uint64(p.flags&^flagUnstamped))
	be.PutUint32(h[8:], p.psn)
	be.PutUint16(h[12:], p.from.Number)
	be.PutUint16(h[14:], p.to.Number)
	copy(h[16:], p.from.Addr[:])
	copy(h[20:], p.to.Addr[:])
	return crc32.Update(crc32.Update(0, castagnoli, h[:]), castagnoli, body)
}

// append appends the frame to b, which is empty.
func (p *packet) append(b []byte, src, dst wire.MAC, ecn wire.ECN) []byte {
	b = append(append(append(b, dst[:]...), src[:]...), 0x08, 0x00)
	b = append(b, 0x45, byte(ecn), 0, 0, 0, 0, 0x40, 0, wire.DefaultTTL, 17, 0, 0) // may not be cut
	b = append(append(b, p.from.Addr[:]...), p.to.Addr[:]...)
	b = append(b, Port>>8, Port&0xff, Port>>8, Port&0xff, 0, 0, 0, 0)
	b = p.appendHeader(b)
	ip := wire.IPv4(b[wire.EthernetLen:])
	ip.SetTotalLen(len(ip))
	ip.SetChecksum()
	wire.UDP(ip[wire.IPv4Len:]).SetLen(len(ip) - wire.IPv4Len)
	return b
}

// appendHeader appends what is behind UDP.
func (p *packet) appendHeader(b []byte) []byte {
	be := binary.BigEndian
	start := len(b)
	b = be.AppendUint16(b, uint16(p.time>>32))
	b = be.AppendUint32(b, uint32(p.time))
	b = be.AppendUint32(b, p.barrier)
	b = be.AppendUint32(b, p.commit)
	b = be.AppendUint32(b, uint32(p.op)<<28|uint32(p.flags)<<24|p.psn)
	b = be.AppendUint16(b, p.from.Number)
	b = be.AppendUint16(b, p.to.Number)
	b = append(b, 0, 0)
	h := b[start:]
	be.PutUint16(h[22:], ^wire.Sum(0, h))
	return p.appendBody(b)
}

func (p *packet) appendBody(b []byte) []byte {
	be := binary.BigEndian
	start := len(b)
	switch p.op {
	case Beacon:
		return b
	case Data, Reliable:
		b = be.AppendUint16(b, uint16(p.index))
		b = be.AppendUint16(b, uint16(p.count))
		if p.flags&flagMore != 0 {
			b = be.AppendUint16(b, uint16(len(p.data)))
		}
		b = append(append(b, p.data...), p.rest...)
	case Ack:
		b = append(p.appendAck(b), p.rest...)
	case Nak:
		b = be.AppendUint16(b, uint16(p.reason))
		b = be.AppendUint16(b, p.refused)
	case Recall, Recalled:
		b = be.AppendUint16(b, uint16(p.count))
	}
	return be.AppendUint32(b, p.crc(b[start:]))
}

// PSNs have 24 bits, and are compared circularly.
const psnMask = 1<<24 - 1

// psnDiff is a - b: negative when a is before b.
func psnDiff(a, b uint32) int { return int(int32((a-b)<<8) >> 8) }

// Times have 48 bits on the wire; beyond half of them, 39 hours, they are ambiguous.
const timeMask = 1<<48 - 1

// extendTime is the time that has these 48 bits and is nearest to another.
func extendTime(bits, near uint64) uint64 {
	return near + uint64(int64((bits-near)<<16)>>16)
}

// extendBarrier is the barrier, in nanoseconds, that has these 32 bits and is nearest to a time.
func extendBarrier(bits uint32, near uint64) uint64 {
	n := near >> Shift
	return (n + uint64(int64(int32(bits-uint32(n))))) << Shift
}
