// Package private has what hosts and the controller of atomic multicast say to each other: datagrams of UDP between
// the host and the address of its switch, which passes them on to the controller.
//
//	host  -- Hello, Leave --> controller
//	host <------ View ------- controller
//
// A host says Hello again and again: that it is there. The controller answers with View, and sends it also when
// something changes. Nothing else is repeated, and nothing is lost for good: a View has all that is known.
package private

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/roce/wire"
)

// Port is the UDP port, at both ends. Datagrams to it are no packets of atomic multicast.
const Port = 0x88b0

// Kind is the kind of a message.
type Kind uint8

// The kinds.
const (
	// Hello says that a run of a host is there.
	Hello Kind = 1
	// Leave says that it ends: all its messages are finished. Number is the first that it has not used.
	Leave Kind = 2
	// View is what a host has to know.
	View     Kind = 3
	lastKind      = View
)

// How a run of a host stands, in View.
const (
	Admitted = 1 // it may send: Client and Number are its client's
	Serves   = 2 // its replicas take part
	Ended    = 4 // it counts as failed, or another run has taken its place
)

// MaxGroups and MaxClients are how many groups and clients a View has room for.
const (
	MaxGroups  = 32
	MaxClients = 256
)

// Client is a client that is admitted, and which of the hosts it is at.
type Client struct{ Number, Host uint16 }

// Group is what a View says of a group.
type Group struct {
	Number uint8
	Leader uint8  // which of the switches
	Epoch  uint32 // in which it leads; 0: nobody does
	Alive  uint32 // replicas that have not failed, a bit each
}

// Message is a message between a host and the controller. Numbers are in network byte order:
//
//	kind 1, how 1, client 2, token 8, number 4, failed 32, groups 1, 0 1 byte;
//	of each group number 1, leader 1, epoch 4, alive 4; of each client number 2, host 2 bytes
type Message struct {
	Kind    Kind
	How     uint8
	Client  uint16
	Token   uint64   // of the run, not 0
	Number  uint32   // of the client's first message (View), or of its next one (Leave)
	Failed  [32]byte // clients that have failed: bit n%8 of byte n/8
	Groups  []Group  // View
	Clients []Client // View
}

const (
	messageLen = 50
	groupLen   = 10
	clientLen  = 4
)

// ErrMessage is the error of Message.Parse.
var ErrMessage = errors.New("amcast: malformed message of a host or the controller")

// HasFailed reports whether a client is among those that have failed.
func (m *Message) HasFailed(client uint16) bool {
	return int(client) < 8*len(m.Failed) && m.Failed[client/8]>>(client%8)&1 == 1
}

// SetFailed adds a client to those that have failed.
func (m *Message) SetFailed(client uint16) { m.Failed[client/8] |= 1 << (client % 8) }

// Append appends the message to b.
func (m *Message) Append(b []byte) []byte {
	be := binary.BigEndian
	b = append(b, byte(m.Kind), m.How)
	b = be.AppendUint16(b, m.Client)
	b = be.AppendUint64(b, m.Token)
	b = be.AppendUint32(b, m.Number)
	b = append(append(b, m.Failed[:]...), byte(len(m.Groups)), 0)
	for _, g := range m.Groups {
		b = append(b, g.Number, g.Leader)
		b = be.AppendUint32(b, g.Epoch)
		b = be.AppendUint32(b, g.Alive)
	}
	for _, x := range m.Clients {
		b = be.AppendUint16(be.AppendUint16(b, x.Number), x.Host)
	}
	return b
}

// Parse reads a message.
func (m *Message) Parse(b []byte) error {
	if len(b) < messageLen {
		return fmt.Errorf("%w: %d bytes", ErrMessage, len(b))
	}
	be := binary.BigEndian
	*m = Message{Kind: Kind(b[0]), How: b[1], Client: be.Uint16(b[2:]), Token: be.Uint64(b[4:]), Number: be.Uint32(b[12:]), Failed: [32]byte(b[16:48])}
	groups, rest := int(b[48]), b[messageLen:]
	clients := len(rest) - groups*groupLen
	if m.Kind < Hello || m.Kind > lastKind || m.How > Admitted|Serves|Ended || m.Token == 0 || b[49] != 0 {
		return fmt.Errorf("%w: kind %d, how %d, token %d", ErrMessage, m.Kind, m.How, m.Token)
	}
	if groups > MaxGroups || clients < 0 || clients%clientLen != 0 || clients > MaxClients*clientLen {
		return fmt.Errorf("%w: %d bytes for %d groups", ErrMessage, len(b), groups)
	}
	for ; groups > 0; groups-- {
		m.Groups = append(m.Groups, Group{rest[0], rest[1], be.Uint32(rest[2:]), be.Uint32(rest[6:])})
		rest = rest[groupLen:]
	}
	for ; len(rest) > 0; rest = rest[clientLen:] {
		m.Clients = append(m.Clients, Client{be.Uint16(rest), be.Uint16(rest[2:])})
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
