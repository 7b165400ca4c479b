package paxos

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Kind is the kind of a message.
type Kind uint8

// The kinds of messages, as in p4/paxos.
const (
	Request    Kind = 1  // proposer -> leader
	Prepare    Kind = 2  // coordinator -> acceptor: phase 1A of an instance
	Promise    Kind = 3  // acceptor -> coordinator: phase 1B
	Accept     Kind = 4  // leader -> acceptor: phase 2A
	Vote       Kind = 5  // acceptor -> learner: phase 2B
	Floor      Kind = 6  // coordinator -> acceptor: phase 1A of all instances
	Floored    Kind = 7  // acceptor -> coordinator: the answer
	Query      Kind = 8  // any host -> acceptor: vote again
	Deliver    Kind = 9  // learner -> replica
	Refused    Kind = 10 // to the sender
	Report     Kind = 11 // replica or proposer -> controller
	Checkpoint Kind = 12 // controller -> replica: make a checkpoint
	Answer     Kind = 13 // replica -> proposer that is no replica: the value was applied
	lastKind        = Answer
)

var kindNames = [...]string{"", "request", "prepare", "promise", "accept", "vote", "floor", "floored", "query", "deliver", "refused", "report", "checkpoint", "answer"}

func (k Kind) String() string {
	if int(k) < len(kindNames) && k != 0 {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// PortFirst is the UDP port of application 0; that of application i is PortFirst + i.
const PortFirst = 0x8880

// MaxValue is the longest value, in bytes.
const MaxValue = 64

const (
	headerLen = 28
	pieceLen  = 16
	maxPieces = MaxValue / pieceLen
	udpLen    = 8 // the header of UDP, which its length counts
)

// MaxMessage is the length of the longest message, in bytes: what a datagram has.
const MaxMessage = headerLen + MaxValue

// Again is the flag of a vote that was requested: it is delivered even if it was delivered before.
const Again uint8 = 1

// The flags of a report.
const (
	Silent uint8 = 1 // requests are not answered: another leader is needed
	Gap    uint8 = 2 // the instance is missing and later ones have arrived: it must be closed
	Wanted uint8 = 4 // somebody wants to know the instance: it must be decided, with the value as its no-op; the report says nothing else
)

// Reason is why a message was refused, as in p4/paxos (DROP_*): Message.VoteRound.
type Reason uint32

// The reasons that a sender may receive.
const (
	ReasonMessage  Reason = 5  // not for this role
	ReasonNoRole   Reason = 6  // the switch does not have the role, or no longer
	ReasonAmnesia  Reason = 7  // it has lost its registers
	ReasonFull     Reason = 8  // the ring is full: replicas have no checkpoints
	ReasonWindow   Reason = 9  // the instance was trimmed, or is too far ahead
	ReasonRound    Reason = 10 // the round does not belong to the sender
	ReasonStale    Reason = 11 // a higher round has been promised
	ReasonNotVoted Reason = 12 // there is no vote to repeat
	ReasonProposer Reason = 16 // the sender may not propose
)

var reasonNames = map[Reason]string{
	ReasonMessage: "not for this role", ReasonNoRole: "this switch does not have the role", ReasonAmnesia: "the role has lost its registers",
	ReasonFull: "the ring is full [are there checkpoints of enough replicas?]", ReasonWindow: "the instance was trimmed, or is too far ahead",
	ReasonRound: "the round is not the sender's", ReasonStale: "a higher round was promised", ReasonNotVoted: "no vote",
	ReasonProposer: "the sender may not propose [is it a proposer of the application, at its port?]",
}

func (r Reason) String() string {
	if s, ok := reasonNames[r]; ok {
		return s
	}
	return fmt.Sprintf("reason %d", uint32(r))
}

// Message is a message of p4/paxos.
type Message struct {
	Kind      Kind
	Acceptor  uint8  // the acceptor that has voted or promised: its index in the round's configuration
	Flags     uint8  // Again; of a Report Silent, Gap and Wanted
	Instance  uint32 // Floored: the highest voted in; Report: the lowest not delivered; Refused as ReasonFull: the next to be given
	Round     uint32
	VoteRound uint32 // Promise: of the vote, 0 if there is none; Refused: the Reason; Report: the highest known instance; Answer: the upper half of the instance
	Client    uint32 // the client that proposed the value; Report: the host
	Sequence  uint32 // the value's number at that client; Report: all instances below it are in a durable checkpoint
	Shared    uint8  // 0: Value is one value; otherwise the form in which it has several (shared.go)
	Value     []byte // at most MaxValue bytes; Report: the no-op, if Wanted
}

// Errors of Parse and Append.
var (
	ErrMessage = errors.New("paxos message")
	ErrValue   = fmt.Errorf("paxos value: more than %d bytes", MaxValue)
)

// Append appends the message to b: a header, and the value in pieces of 16 bytes, the last one
// padded with zeros. Prepare and Query have all pieces, as room for their answers. So has Accept:
// an acceptor that has already voted answers it with its vote.
func (m *Message) Append(b []byte) ([]byte, error) {
	if len(m.Value) > MaxValue {
		return b, fmt.Errorf("%w: %d", ErrValue, len(m.Value))
	}
	form := byte(len(m.Value))
	if m.Shared != 0 {
		if n, ok := formBytes(m.Shared); !ok || m.Shared <= MaxValue || n != len(m.Value) {
			return b, fmt.Errorf("%w (%d bytes)", errForm(m.Shared), len(m.Value))
		}
		form = m.Shared
	}
	pieces := (len(m.Value) + pieceLen - 1) / pieceLen
	if m.Kind == Prepare || m.Kind == Query || m.Kind == Accept {
		pieces = maxPieces
	}
	b = append(b, byte(m.Kind), m.Acceptor, m.Flags, form)
	for _, v := range [...]uint32{m.Instance, m.Round, m.VoteRound, m.Client, m.Sequence} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	length := udpLen + headerLen + pieces*pieceLen
	b = append(b, 0, 0)
	b = binary.BigEndian.AppendUint16(b, ^uint16(length))
	b = append(b, m.Value...)
	for range pieces*pieceLen - len(m.Value) {
		b = append(b, 0)
	}
	return b, nil
}

// Parse decodes a datagram. The value is part of b.
func (m *Message) Parse(b []byte) error {
	if len(b) < headerLen || len(b) > MaxMessage || (len(b)-headerLen)%pieceLen != 0 {
		return fmt.Errorf("%w: %d bytes (want %d, and 0 to %d pieces of %d)", ErrMessage, len(b), headerLen, maxPieces, pieceLen)
	}
	if got, want := binary.BigEndian.Uint16(b[26:]), ^uint16(udpLen+len(b)); got != want {
		return fmt.Errorf("%w: its length field says %d, not %d", ErrMessage, ^got, ^want)
	}
	n, ok := formBytes(b[3])
	if !ok {
		return errForm(b[3])
	}
	if n > len(b)-headerLen {
		return fmt.Errorf("%w: a value of %d bytes in %d", ErrMessage, n, len(b)-headerLen)
	}
	kind := Kind(b[0])
	if kind == 0 || kind > lastKind {
		return fmt.Errorf("%w: unknown %v", ErrMessage, kind)
	}
	word := func(i int) uint32 { return binary.BigEndian.Uint32(b[4+4*i:]) }
	*m = Message{
		Kind: kind, Acceptor: b[1], Flags: b[2], Instance: word(0), Round: word(1), VoteRound: word(2),
		Client: word(3), Sequence: word(4), Value: b[headerLen : headerLen+n : headerLen+n],
	}
	if b[3] > MaxValue {
		m.Shared = b[3]
	}
	return nil
}
