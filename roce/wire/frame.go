package wire

import (
	"github.com/p4ce/p4ce/roce/icrc"
)

// MaxOverhead is the most that AppendFrame adds to a payload: all headers of
// the longest kind, three pad bytes and the ICRC.
const MaxOverhead = EthernetLen + IPv4Len + UDPLen + BTHLen + AtomicETHLen + 3 + icrc.Size

// DefaultTTL is the time to live that AppendFrame uses when none is given.
const DefaultTTL = 64

// Header is everything of a frame but its payload. Extended headers are taken
// from the fields that the opcode calls for; the others are ignored.
type Header struct {
	SrcMAC, DstMAC MAC
	Src, Dst       Addr
	SrcPort        uint16
	ID             uint16 // IPv4 identification
	TOS            uint8
	TTL            uint8 // 0 means DefaultTTL

	Opcode    Opcode
	Solicited bool
	MigReq    bool
	BECN      bool
	AckReq    bool
	DestQP    uint32
	PSN       PSN
	PKey      uint16 // 0 means DefaultPKey

	VA     uint64 // RETH, AtomicETH
	RKey   uint32 // RETH, AtomicETH
	Length uint32 // RETH

	Syndrome Syndrome // AETH
	MSN      uint32   // AETH

	SwapAdd, Compare uint64 // AtomicETH
	Original         uint64 // AtomicAckETH

	Imm uint32 // ImmDt, and the R_key of the invalidate header

	QKey  uint32 // DETH
	SrcQP uint32 // DETH
}

// FrameLen returns the length of the frame that AppendFrame makes.
func (h *Header) FrameLen(payload int) int {
	return EthernetLen + IPv4Len + UDPLen + h.Opcode.HeaderLen() + payload + -payload&3 + icrc.Size
}

// AppendFrame appends the frame with header h and the given payload to dst, from
// Ethernet to ICRC: don't-fragment set, UDP checksum 0, IP checksum and ICRC
// computed. It does not allocate if dst has room for FrameLen(len(payload))
// bytes. payload must not overlap the room in dst.
func AppendFrame(dst []byte, h *Header, payload []byte) []byte {
	n := h.FrameLen(len(payload))
	start := len(dst)
	if cap(dst)-start >= n {
		dst = dst[:start+n]
	} else {
		dst = append(dst, make([]byte, n)...)
	}
	f := dst[start:]

	eth := Ethernet(f[:EthernetLen])
	eth.SetDst(h.DstMAC)
	eth.SetSrc(h.SrcMAC)
	eth.SetEtherType(EtherTypeIPv4)

	datagram := f[EthernetLen:]
	ip := IPv4(datagram[:IPv4Len])
	ip.SetVersionLen()
	ip.SetTOS(h.TOS)
	ip.SetTotalLen(len(datagram))
	ip.SetID(h.ID)
	ip.SetDF()
	ttl := h.TTL
	if ttl == 0 {
		ttl = DefaultTTL
	}
	ip.SetTTL(ttl)
	ip.SetProtocol(ProtocolUDP)
	ip.SetSrc(h.Src)
	ip.SetDst(h.Dst)
	ip.SetChecksum()

	udp := UDP(datagram[IPv4Len:])
	udp.SetSrcPort(h.SrcPort)
	udp.SetDstPort(UDPPort)
	udp.SetLen(len(datagram) - IPv4Len)
	udp.SetChecksum(0)

	b := h.putTransport(datagram[IPv4Len+UDPLen:], -len(payload)&3)
	b = b[copy(b, payload):]
	clear(b[:len(b)-icrc.Size])
	icrc.Put(datagram)
	return dst
}

// putTransport writes BTH and extended headers and returns what is left of b.
func (h *Header) putTransport(b []byte, pad int) []byte {
	bth := BTH(b[:BTHLen])
	bth.SetOpcode(h.Opcode)
	bth[1] = 0
	bth.SetSolicited(h.Solicited)
	bth.SetMigReq(h.MigReq)
	bth.SetPadCount(pad)
	pkey := h.PKey
	if pkey == 0 {
		pkey = DefaultPKey
	}
	bth.SetPKey(pkey)
	bth[4] = 0
	bth.SetBECN(h.BECN)
	bth.SetDestQP(h.DestQP)
	bth[8] = 0
	bth.SetAckReq(h.AckReq)
	bth.SetPSN(h.PSN)

	t := opcodes[h.Opcode].bits
	b = b[BTHLen:]
	if t&hasDETH != 0 {
		x := DETH(b)
		x.SetQKey(h.QKey)
		x.SetSrcQP(h.SrcQP)
		b = b[DETHLen:]
	}
	if t&hasRETH != 0 {
		x := RETH(b)
		x.SetVA(h.VA)
		x.SetRKey(h.RKey)
		x.SetLength(h.Length)
		b = b[RETHLen:]
	}
	if t&hasAETH != 0 {
		x := AETH(b)
		x.SetSyndrome(h.Syndrome)
		x.SetMSN(h.MSN)
		b = b[AETHLen:]
	}
	if t&hasAtomicETH != 0 {
		x := AtomicETH(b)
		x.SetVA(h.VA)
		x.SetRKey(h.RKey)
		x.SetSwapAdd(h.SwapAdd)
		x.SetCompare(h.Compare)
		b = b[AtomicETHLen:]
	}
	if t&hasAtomicAck != 0 {
		AtomicAckETH(b).SetOriginal(h.Original)
		b = b[AtomicAckETHLen:]
	}
	if t&(hasImm|hasIETH) != 0 {
		ImmDt(b).SetValue(h.Imm)
		b = b[ImmDtLen:]
	}
	return b
}

// CNPPayload is the length of the zero bytes that a CNP carries behind the BTH.
const CNPPayload = 16

var cnpZeros [CNPPayload]byte

// AppendCNP appends a congestion notification for the sender that h.DestQP and
// h.Dst name. Opcode, BECN and PSN of h are set here.
func AppendCNP(dst []byte, h *Header) []byte {
	h.Opcode, h.BECN, h.PSN = CongestionNotification, true, 0
	return AppendFrame(dst, h, cnpZeros[:])
}
