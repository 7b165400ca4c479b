// Package private has what hosts and the controller of 1Pipe say to each other: datagrams of UDP to the
// address of the host's switch, which passes them on to the controller.
//
//	host  -- Join, Leave --> controller
//	host <------ Joined ---- controller
//	host <---- Failures ---- controller
//	host  ------ Done -----> controller
//	host  ------ Ask ------> controller
//	host <----- Probe ------ controller
//	host  ------ Here -----> controller
//	host <---- Outcome ----- controller
package private

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/roce/wire"
)

// Port is the UDP port, at both ends. Datagrams to it are no packets of 1Pipe.
const Port = 0x8861

// Kind is the kind of a message.
type Kind uint8

// The kinds.
const (
	// Join asks to be admitted, and for numbers for processes. The host repeats it: until it is
	// admitted, and when it wants more numbers.
	Join Kind = 1
	// Joined is the answer.
	Joined Kind = 2
	// Leave says that the host ends. Nothing of it comes after that.
	Leave Kind = 3
	// Failures tells a host of processes that have failed. The controller repeats it until it is answered.
	Failures Kind = 4
	// Done is the answer: the host has forgotten what they have sent since, has taken back what was for them, and its
	// processes know. For each of Failed, Time is now that below which reliable messages of the host to it count: all of
	// them have been received. The host has taken back what has that time, or a later one.
	Done Kind = 5
	// Ask says that processes (Failed) do not answer this host: of each, Time is for how long, in ns. The answer is Failures,
	// with Number 0, of those that are not part of the order; it needs no answer.
	Ask Kind = 6
	// Probe asks a host whether it is there: others say that it does not answer them.
	Probe Kind = 7
	// Here is the answer, with the Number of the Probe.
	Here Kind = 8
	// Outcome tells a host whose run has failed what has become of the reliable messages that it has received and not
	// delivered. Of the processes in Failed, all others have delivered, or will, those with a timestamp below Time, and no
	// others. Want is how many entries there are in all Outcomes together, and Number how many come in front of this one's.
	Outcome Kind = 9
	// Offer is another answer to Ask: the processes are there, and the controller forwards what is for them. Of each of Failed, Time
	// is for how long it does, in ns.
	Offer Kind = 10
	// Forward has a packet of 1Pipe (Packet) for a process that the sender cannot reach, or from such a process. Peer is the other
	// host: to the controller, the one that the packet is for; from the controller, the one that it comes from.
	Forward  Kind = 11
	lastKind      = Forward
)

// Failed are processes of a host that have failed at a time.
type Failed struct {
	Addr  wire.Addr
	First uint16 // their numbers, from First on
	Have  uint16
	Time  uint64 // 48 bits, ns
}

// MaxFailed is how many hosts one message can tell of.
const MaxFailed = 64

// Message is a message between a host and the controller.
type Message struct {
	Kind     Kind
	Admitted bool     // Joined: the host may send
	Steady   bool     // Joined: the host is to send beacons at every interval, whatever else it sends
	Token    uint64   // of the host's run: another one is a host that has restarted
	Want     uint16   // Join: how many processes the host has, or is to have; Outcome: how many entries there are
	First    uint16   // Joined: the number of the first of them; the others follow
	Have     uint16   // Joined: how many numbers there are from First on
	Number   uint32   // Failures, Done, Probe, Here: of the message; Outcome: of its first entry
	Failed   []Failed // Failures, Done, Ask, Outcome, Offer
	// Forward: the other host, and the packet behind its UDP header. ParseFrame does not copy it.
	Peer   wire.Addr
	Packet []byte
}

// How a host stands, in a byte.
const (
	howAdmitted = 1
	howSteady   = 2
)

const (
	messageLen = 20
	failedLen  = 16
)

// ErrMessage is the error of Message.Parse.
var ErrMessage = errors.New("onepipe: malformed message of a host or the controller")

// Append appends the message to b.
func (m *Message) Append(b []byte) []byte {
	be := binary.BigEndian
	var how byte
	if m.Admitted {
		how |= howAdmitted
	}
	if m.Steady {
		how |= howSteady
	}
	b = append(b, byte(m.Kind), how)
	b = be.AppendUint64(b, m.Token)
	b = be.AppendUint16(b, m.Want)
	b = be.AppendUint16(b, m.First)
	b = be.AppendUint16(b, m.Have)
	if m.Kind == Forward {
		return append(append(b, m.Peer[:]...), m.Packet...)
	}
	b = be.AppendUint32(b, m.Number)
	for _, f := range m.Failed {
		b = append(b, f.Addr[:]...)
		b = be.AppendUint16(b, f.First)
		b = be.AppendUint16(b, f.Have)
		b = be.AppendUint64(b, f.Time)
	}
	return b
}

// Parse reads a message.
func (m *Message) Parse(b []byte) error {
	if len(b) >= messageLen && Kind(b[0]) == Forward {
		return m.parseForward(b)
	}
	if len(b) < messageLen || (len(b)-messageLen)%failedLen != 0 || len(b) > messageLen+MaxFailed*failedLen {
		return fmt.Errorf("%w: %d bytes (want %d, and %d for each host)", ErrMessage, len(b), messageLen, failedLen)
	}
	be := binary.BigEndian
	*m = Message{
		Kind: Kind(b[0]), Admitted: b[1]&howAdmitted != 0, Steady: b[1]&howSteady != 0, Token: be.Uint64(b[2:]), Want: be.Uint16(b[10:]), First: be.Uint16(b[12:]),
		Have: be.Uint16(b[14:]), Number: be.Uint32(b[16:]),
	}
	if m.Kind < Join || m.Kind > lastKind || b[1] > howAdmitted|howSteady {
		return fmt.Errorf("%w: kind %d", ErrMessage, m.Kind)
	}
	for b = b[messageLen:]; len(b) > 0; b = b[failedLen:] {
		m.Failed = append(m.Failed, Failed{wire.Addr(b[:4]), be.Uint16(b[4:]), be.Uint16(b[6:]), be.Uint64(b[8:])})
	}
	return nil
}

// AppendFrame appends the frame of a message to b, which is empty.
func AppendFrame(b []byte, srcMAC, dstMAC wire.MAC, src, dst wire.Addr, m *Message) []byte {
	b = append(append(append(b, dstMAC[:]...), srcMAC[:]...), 0x08, 0x00)
	b = append(b, 0x45, 0, 0, 0, 0, 0, 0x40, 0, wire.DefaultTTL, wire.ProtocolUDP, 0, 0) // may not be cut
	b = append(append(b, src[:]...), dst[:]...)
	b = append(b, Port>>8, Port&0xff, Port>>8, Port&0xff, 0, 0, 0, 0)
	b = m.Append(b)
	ip := wire.IPv4(b[wire.EthernetLen:])
	ip.SetTotalLen(len(ip))
	ip.SetChecksum()
	udp := wire.UDP(ip[wire.IPv4Len:])
	udp.SetLen(len(udp))
	wire.SetSumUDP(src, dst, udp)
	return b
}

// ParseFrame reads a message from a frame of that form, and checks its checksums.
func ParseFrame(frame []byte) (from, to wire.Addr, m Message, ok bool) {
	if len(frame) < wire.EthernetLen+wire.IPv4Len+wire.UDPLen || wire.Ethernet(frame).EtherType() != wire.EtherTypeIPv4 {
		return from, to, m, false
	}
	ip := wire.IPv4(frame[wire.EthernetLen:])
	total := ip.TotalLen()
	if ip[0] != 0x45 || ip.Protocol() != wire.ProtocolUDP || ip.Fragment() || total > len(ip) || total < wire.IPv4Len+wire.UDPLen || !ip.ChecksumOK() {
		return from, to, m, false
	}
	udp := wire.UDP(ip[wire.IPv4Len:total])
	if udp.Len() != len(udp) || udp.DstPort() != Port || udp.Checksum() == 0 || wire.SumUDP(ip.Src(), ip.Dst(), udp) != 0xffff {
		return from, to, m, false
	}
	return ip.Src(), ip.Dst(), m, m.Parse(udp[wire.UDPLen:]) == nil
}
