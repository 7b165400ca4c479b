package wire

import "fmt"

// Opcode is the BTH operation code: transport in the upper three bits,
// operation in the lower five.
type Opcode uint8

// The operation codes of reliable connections, the one datagram operation that
// connection management uses, and the congestion notification.
const (
	SendFirst              Opcode = 0x00
	SendMiddle             Opcode = 0x01
	SendLast               Opcode = 0x02
	SendLastImm            Opcode = 0x03
	SendOnly               Opcode = 0x04
	SendOnlyImm            Opcode = 0x05
	WriteFirst             Opcode = 0x06
	WriteMiddle            Opcode = 0x07
	WriteLast              Opcode = 0x08
	WriteLastImm           Opcode = 0x09
	WriteOnly              Opcode = 0x0a
	WriteOnlyImm           Opcode = 0x0b
	ReadRequest            Opcode = 0x0c
	ReadResponseFirst      Opcode = 0x0d
	ReadResponseMiddle     Opcode = 0x0e
	ReadResponseLast       Opcode = 0x0f
	ReadResponseOnly       Opcode = 0x10
	Acknowledge            Opcode = 0x11
	AtomicAcknowledge      Opcode = 0x12
	CompareSwap            Opcode = 0x13
	FetchAdd               Opcode = 0x14
	SendLastInvalidate     Opcode = 0x16
	SendOnlyInvalidate     Opcode = 0x17
	UDSendOnly             Opcode = 0x64
	UDSendOnlyImm          Opcode = 0x65
	CongestionNotification Opcode = 0x81
)

// traits says how an operation code is laid out and where it stands in a
// message.
type traits struct {
	name  string
	bits  uint16
	known bool
}

const (
	hasRETH uint16 = 1 << iota
	hasAETH
	hasAtomicETH
	hasAtomicAck
	hasImm
	hasIETH
	hasDETH
	starts   // first packet of a message
	ends     // last packet of a message
	request  // RC request
	response // RC response
	send
	write
	readResp
)

const (
	only = starts | ends
	wr   = request | write
	sd   = request | send
)

var opcodes = [256]traits{
	SendFirst:              {"SEND FIRST", sd | starts, true},
	SendMiddle:             {"SEND MIDDLE", sd, true},
	SendLast:               {"SEND LAST", sd | ends, true},
	SendLastImm:            {"SEND LAST IMM", sd | ends | hasImm, true},
	SendOnly:               {"SEND ONLY", sd | only, true},
	SendOnlyImm:            {"SEND ONLY IMM", sd | only | hasImm, true},
	WriteFirst:             {"WRITE FIRST", wr | starts | hasRETH, true},
	WriteMiddle:            {"WRITE MIDDLE", wr, true},
	WriteLast:              {"WRITE LAST", wr | ends, true},
	WriteLastImm:           {"WRITE LAST IMM", wr | ends | hasImm, true},
	WriteOnly:              {"WRITE ONLY", wr | only | hasRETH, true},
	WriteOnlyImm:           {"WRITE ONLY IMM", wr | only | hasRETH | hasImm, true},
	ReadRequest:            {"READ REQUEST", request | only | hasRETH, true},
	ReadResponseFirst:      {"READ RESPONSE FIRST", response | readResp | starts | hasAETH, true},
	ReadResponseMiddle:     {"READ RESPONSE MIDDLE", response | readResp, true},
	ReadResponseLast:       {"READ RESPONSE LAST", response | readResp | ends | hasAETH, true},
	ReadResponseOnly:       {"READ RESPONSE ONLY", response | readResp | only | hasAETH, true},
	Acknowledge:            {"ACK", response | only | hasAETH, true},
	AtomicAcknowledge:      {"ATOMIC ACK", response | only | hasAETH | hasAtomicAck, true},
	CompareSwap:            {"COMPARE SWAP", request | only | hasAtomicETH, true},
	FetchAdd:               {"FETCH ADD", request | only | hasAtomicETH, true},
	SendLastInvalidate:     {"SEND LAST INVALIDATE", sd | ends | hasIETH, true},
	SendOnlyInvalidate:     {"SEND ONLY INVALIDATE", sd | only | hasIETH, true},
	UDSendOnly:             {"UD SEND ONLY", only | hasDETH, true},
	UDSendOnlyImm:          {"UD SEND ONLY IMM", only | hasDETH | hasImm, true},
	CongestionNotification: {"CNP", only, true},
}

func (o Opcode) is(bit uint16) bool { return opcodes[o].bits&bit != 0 }

// Known reports whether the package can parse the operation.
func (o Opcode) Known() bool { return opcodes[o].known }

// IsRequest reports whether o is a request of a reliable connection.
func (o Opcode) IsRequest() bool { return o.is(request) }

// IsResponse reports whether o is a response of a reliable connection.
func (o Opcode) IsResponse() bool { return o.is(response) }

// IsSend reports whether o is part of a SEND of a reliable connection.
func (o Opcode) IsSend() bool { return o.is(send) }

// IsWrite reports whether o is part of an RDMA WRITE.
func (o Opcode) IsWrite() bool { return o.is(write) }

// IsReadResponse reports whether o is part of the answer to an RDMA READ.
func (o Opcode) IsReadResponse() bool { return o.is(readResp) }

// IsAtomic reports whether o is an atomic request.
func (o Opcode) IsAtomic() bool { return o.is(hasAtomicETH) }

// Starts reports whether o begins a message (FIRST and ONLY).
func (o Opcode) Starts() bool { return o.is(starts) }

// Ends reports whether o ends a message (LAST and ONLY).
func (o Opcode) Ends() bool { return o.is(ends) }

// HasRETH reports whether an RDMA extended header follows.
func (o Opcode) HasRETH() bool { return o.is(hasRETH) }

// HasAETH reports whether an ACK extended header follows.
func (o Opcode) HasAETH() bool { return o.is(hasAETH) }

// HasImm reports whether immediate data follow.
func (o Opcode) HasImm() bool { return o.is(hasImm) }

// HasDETH reports whether a datagram extended header follows.
func (o Opcode) HasDETH() bool { return o.is(hasDETH) }

// HeaderLen returns the length of the BTH and of the extended headers of o.
func (o Opcode) HeaderLen() int {
	n := BTHLen
	b := opcodes[o].bits
	if b&hasDETH != 0 {
		n += DETHLen
	}
	if b&hasRETH != 0 {
		n += RETHLen
	}
	if b&hasAETH != 0 {
		n += AETHLen
	}
	if b&hasAtomicETH != 0 {
		n += AtomicETHLen
	}
	if b&hasAtomicAck != 0 {
		n += AtomicAckETHLen
	}
	if b&hasImm != 0 {
		n += ImmDtLen
	}
	if b&hasIETH != 0 {
		n += IETHLen
	}
	return n
}

func (o Opcode) String() string {
	if t := &opcodes[o]; t.known {
		return t.name
	}
	return fmt.Sprintf("opcode %#02x", uint8(o))
}
