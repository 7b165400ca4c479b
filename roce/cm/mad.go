package cm

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/roce/wire"
)

const (
	// MADLen is the length of a management datagram.
	MADLen = 256
	// headerLen is the length of the common MAD header.
	headerLen = 24

	baseVersion  = 1
	class        = 0x07
	classVersion = 2
	methodSend   = 0x03
)

// Attribute is the attribute id of a MAD: which message it carries.
type Attribute uint16

// The messages.
const (
	AttrREQ  Attribute = 0x10
	AttrMRA  Attribute = 0x11
	AttrREJ  Attribute = 0x12
	AttrREP  Attribute = 0x13
	AttrRTU  Attribute = 0x14
	AttrDREQ Attribute = 0x15
	AttrDREP Attribute = 0x16
)

func (a Attribute) String() string {
	switch a {
	case AttrREQ:
		return "REQ"
	case AttrMRA:
		return "MRA"
	case AttrREJ:
		return "REJ"
	case AttrREP:
		return "REP"
	case AttrRTU:
		return "RTU"
	case AttrDREQ:
		return "DREQ"
	case AttrDREP:
		return "DREP"
	}
	return fmt.Sprintf("attribute %#x", uint16(a))
}

// Errors of the decoders.
var (
	ErrNotCM     = errors.New("cm: not a communication management datagram")
	ErrAttribute = errors.New("cm: unknown message attribute")
)

// Message is one of *REQ, *MRA, *REJ, *REP, *RTU, *DREQ, *DREP.
type Message interface {
	// Attribute says which message it is.
	Attribute() Attribute
	// encode writes the message behind the MAD header into 232 zero bytes.
	encode(b []byte) error
	// decode reads it from 232 bytes.
	decode(b []byte)
}

// Append appends the MAD that carries m to dst. tid is the transaction id: a
// reply carries that of the message it answers. It fails if the private data are
// longer than the message has room for.
func Append(dst []byte, tid uint64, m Message) ([]byte, error) {
	start := len(dst)
	dst = append(dst, make([]byte, MADLen)...)
	b := dst[start:]
	b[0], b[1], b[2], b[3] = baseVersion, class, classVersion, methodSend
	binary.BigEndian.PutUint64(b[8:], tid)
	binary.BigEndian.PutUint16(b[16:], uint16(m.Attribute()))
	if err := m.encode(b[headerLen:]); err != nil {
		return dst[:start], err
	}
	return dst, nil
}

// Decode reads a MAD. The result shares no memory with b.
func Decode(b []byte) (tid uint64, m Message, err error) {
	if len(b) < MADLen || b[0] != baseVersion || b[1] != class || b[2] != classVersion || b[3] != methodSend {
		return 0, nil, ErrNotCM
	}
	tid = binary.BigEndian.Uint64(b[8:])
	switch attr := Attribute(binary.BigEndian.Uint16(b[16:])); attr {
	case AttrREQ:
		m = new(REQ)
	case AttrMRA:
		m = new(MRA)
	case AttrREJ:
		m = new(REJ)
	case AttrREP:
		m = new(REP)
	case AttrRTU:
		m = new(RTU)
	case AttrDREQ:
		m = new(DREQ)
	case AttrDREP:
		m = new(DREP)
	default:
		return tid, nil, fmt.Errorf("%w: %v", ErrAttribute, attr)
	}
	m.decode(b[headerLen:MADLen])
	return tid, m, nil
}

// FrameHeader is what a frame with a CM message needs besides the message.
type FrameHeader struct {
	SrcMAC, DstMAC wire.MAC
	Src, Dst       wire.Addr
	SrcPort        uint16
	ID             uint16
	PSN            wire.PSN // of the sender's QP 1
}

// AppendFrame appends the whole frame, Ethernet to ICRC, that carries m to QP 1
// of the destination.
func AppendFrame(dst []byte, h FrameHeader, tid uint64, m Message) ([]byte, error) {
	mad, err := Append(make([]byte, 0, MADLen), tid, m)
	if err != nil {
		return dst, err
	}
	return wire.AppendFrame(dst, &wire.Header{
		SrcMAC: h.SrcMAC, DstMAC: h.DstMAC, Src: h.Src, Dst: h.Dst, SrcPort: h.SrcPort, ID: h.ID,
		Opcode: wire.UDSendOnly, DestQP: wire.GSIQP, PSN: h.PSN, QKey: wire.GSIQKey, SrcQP: wire.GSIQP,
	}, mad), nil
}

// IsFrame reports whether p is a datagram to the general services queue pair,
// which is where CM messages arrive.
func IsFrame(p *wire.Packet) bool {
	return p.BTH.Opcode() == wire.UDSendOnly && p.BTH.DestQP() == wire.GSIQP && p.DETH.QKey() == wire.GSIQKey
}

// DecodeFrame reads the CM message of a parsed frame. The caller has checked the
// ICRC.
func DecodeFrame(p *wire.Packet) (tid uint64, m Message, err error) {
	if !IsFrame(p) {
		return 0, nil, ErrNotCM
	}
	return Decode(p.Payload)
}
