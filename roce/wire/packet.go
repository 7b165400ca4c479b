package wire

import (
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/roce/icrc"
)

// Errors of Parse. They are values, not made per packet: a parser that
// allocates on bad input is an easy target.
var (
	ErrShort     = errors.New("frame: shorter than its headers")
	ErrNotRoCE   = errors.New("frame: not IPv4 UDP to port 4791")
	ErrIPHeader  = errors.New("frame: ipv4 header with options, fragmented or of wrong length")
	ErrUDPLength = errors.New("frame: udp length differs from ip length")
	ErrOpcode    = errors.New("frame: unknown bth opcode")
	ErrTVer      = errors.New("frame: bth version is not 0")
	ErrPad       = errors.New("frame: pad count exceeds the payload")
)

// Packet is a parsed RoCEv2 frame. Headers that the opcode does not have are
// nil. All slices alias the frame.
type Packet struct {
	Eth       Ethernet
	IP        IPv4
	UDP       UDP
	BTH       BTH
	DETH      DETH
	RETH      RETH
	AETH      AETH
	AtomicETH AtomicETH
	AtomicAck AtomicAckETH
	Imm       ImmDt
	Payload   []byte // without pad
	covered   []byte // IP header to ICRC, both included
}

// ICRCOK computes the ICRC in full and compares it with the stored one.
func (p *Packet) ICRCOK() bool { return icrc.Check(p.covered) }

// Datagram returns the packet from the IP header to the ICRC, without Ethernet
// padding.
func (p *Packet) Datagram() []byte { return p.covered }

// Parse fills p from an Ethernet frame. It checks lengths and the fields that
// say where the headers lie, not checksums, keys or the ICRC. Ethernet padding
// behind the IP packet is ignored. p is overwritten in any case.
func Parse(frame []byte, p *Packet) error {
	*p = Packet{}
	if len(frame) < EthernetLen+IPv4Len+UDPLen {
		return ErrShort
	}
	p.Eth = Ethernet(frame[:EthernetLen])
	if p.Eth.EtherType() != EtherTypeIPv4 {
		return ErrNotRoCE
	}
	return parseIP(frame[EthernetLen:], p)
}

func parseIP(b []byte, p *Packet) error {
	p.IP = IPv4(b[:IPv4Len])
	if p.IP.Version() != 4 || p.IP.Protocol() != ProtocolUDP {
		return ErrNotRoCE
	}
	total := p.IP.TotalLen()
	if p.IP.HeaderLen() != IPv4Len || p.IP.Fragment() || total > len(b) {
		return ErrIPHeader
	}
	p.UDP = UDP(b[IPv4Len : IPv4Len+UDPLen])
	if p.UDP.DstPort() != UDPPort {
		return ErrNotRoCE
	}
	if p.UDP.Len() != total-IPv4Len {
		return ErrUDPLength
	}
	if total < IPv4Len+UDPLen+BTHLen+icrc.Size {
		return ErrShort
	}
	p.covered = b[:total]
	return parseIB(b[IPv4Len+UDPLen:total-icrc.Size], p)
}

func parseIB(b []byte, p *Packet) error {
	p.BTH = BTH(b[:BTHLen])
	op := p.BTH.Opcode()
	if !op.Known() {
		return ErrOpcode
	}
	if p.BTH.TVer() != 0 {
		return ErrTVer
	}
	if len(b) < op.HeaderLen() {
		return ErrShort
	}
	t := opcodes[op].bits
	b = b[BTHLen:]
	if t&hasDETH != 0 {
		p.DETH, b = DETH(b[:DETHLen]), b[DETHLen:]
	}
	if t&hasRETH != 0 {
		p.RETH, b = RETH(b[:RETHLen]), b[RETHLen:]
	}
	if t&hasAETH != 0 {
		p.AETH, b = AETH(b[:AETHLen]), b[AETHLen:]
	}
	if t&hasAtomicETH != 0 {
		p.AtomicETH, b = AtomicETH(b[:AtomicETHLen]), b[AtomicETHLen:]
	}
	if t&hasAtomicAck != 0 {
		p.AtomicAck, b = AtomicAckETH(b[:AtomicAckETHLen]), b[AtomicAckETHLen:]
	}
	if t&hasImm != 0 {
		p.Imm, b = ImmDt(b[:ImmDtLen]), b[ImmDtLen:]
	}
	if t&hasIETH != 0 {
		b = b[IETHLen:]
	}
	pad := p.BTH.PadCount()
	if pad > len(b) {
		return ErrPad
	}
	p.Payload = b[:len(b)-pad]
	return nil
}

// String formats a packet for people: addresses, operation and the fields that
// matter to it.
func (p *Packet) String() string {
	if p.BTH == nil {
		return "not a roce packet"
	}
	s := fmt.Sprintf("%v -> %v qp %#x %v psn %v", p.IP.Src(), p.IP.Dst(), p.BTH.DestQP(), p.BTH.Opcode(), p.BTH.PSN())
	if p.RETH != nil {
		s += fmt.Sprintf(" va %#x rkey %#x length %d", p.RETH.VA(), p.RETH.RKey(), p.RETH.Length())
	}
	if p.AETH != nil {
		s += fmt.Sprintf(" %v msn %d", p.AETH.Syndrome(), p.AETH.MSN())
	}
	if len(p.Payload) > 0 {
		s += fmt.Sprintf(" payload %d", len(p.Payload))
	}
	return s
}
