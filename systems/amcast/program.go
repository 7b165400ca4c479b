package amcast

// What p4/amcast says, for hosts: TestNames compares.

// Message is the kind of a packet.
type Message uint8

// Kinds of packets that switches look at.
const (
	MsgStart   Message = 1
	MsgProp    Message = 2
	MsgACK     Message = 3
	MsgDeliver Message = 4
	MsgMark    Message = 5
	MsgAsk     Message = 6
	MsgTold    Message = 7
	MsgLook    Message = 8
	MsgKnown   Message = 9
	MsgRefused Message = 10
)

// Drop is why a switch refuses a message.
type Drop uint8

// Flags of packets, and what a place of a ring says.
const (
	FlagAgain = 1
	FlagMark  = 2
	RingHere  = 1 << 31
)

// Sizes of the program.
const (
	Window     = 16
	MaxClients = 256
	MaxGroups  = 4
	// MaxPayload is the longest payload, in bytes.
	MaxPayload = 1400
	// PortFirst is the first of 16 UDP ports.
	PortFirst = 0x88a0
)
