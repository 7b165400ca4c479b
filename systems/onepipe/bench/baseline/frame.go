package baseline

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/roce/wire"
)

// Address is a host's.
type Address struct {
	MAC wire.MAC
	IP  wire.Addr
}

// what a packet is.
type what uint8

const (
	message what = iota // for the order as its number says
	request             // to the sequencer: number it, and send it to all
	token               // the number of the next message
	clock               // a logical time, without a message
	ack                 // of a message: nothing depends on it
)

// ackData makes an ack as long as 1Pipe's.
var ackData = make([]byte, 12)

// Lengths, in bytes: the header is as long as what 1Pipe has around a payload.
const (
	before = wire.EthernetLen + wire.IPv4Len + wire.UDPLen
	header = 28
	after  = 4
	port   = 0x8861
)

// packet is what a frame says.
type packet struct {
	what     what
	from, to int    // processes; to: -1 is the sequencer
	number   uint64 // place in the order, or a logical time
	data     []byte
}

// frame makes a frame from a host to another.
func (p *packet) frame(from, to Address, b []byte) []byte {
	be := binary.BigEndian
	b = append(append(append(b, to.MAC[:]...), from.MAC[:]...), 0x08, 0x00)
	b = append(b, 0x45, 0, 0, 0, 0, 0, 0x40, 0, wire.DefaultTTL, 17, 0, 0)
	b = append(append(b, from.IP[:]...), to.IP[:]...)
	b = be.AppendUint16(be.AppendUint16(b, port), port)
	b = append(b, 0, 0, 0, 0)
	b = append(b, byte(p.what), 0)
	b = be.AppendUint16(b, uint16(p.from))
	b = be.AppendUint16(b, uint16(p.to))
	b = be.AppendUint64(b, p.number)
	b = append(b, make([]byte, header-14)...)
	b = append(append(b, p.data...), make([]byte, after)...)
	ip := wire.IPv4(b[wire.EthernetLen:])
	ip.SetTotalLen(len(ip))
	ip.SetChecksum()
	wire.UDP(ip[wire.IPv4Len:]).SetLen(len(ip) - wire.IPv4Len)
	return b
}

// parse reads a frame. The data are the frame's.
func (p *packet) parse(b []byte) bool {
	if len(b) < before+header+after || wire.UDP(b[wire.EthernetLen+wire.IPv4Len:]).DstPort() != port {
		return false
	}
	be, h := binary.BigEndian, b[before:]
	*p = packet{
		what: what(h[0]), from: int(be.Uint16(h[2:])), to: int(int16(be.Uint16(h[4:]))), number: be.Uint64(h[6:]), data: b[before+header : len(b)-after],
	}
	return true
}
