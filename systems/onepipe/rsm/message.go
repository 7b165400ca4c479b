package rsm

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// kind is what a message does.
type kind uint8

const (
	records kind = 1 // a batch
	join    kind = 2 // adds a member
	leave   kind = 3 // removes one
)

// A message of the log, in network byte order:
//
//	kind 8 | view 64 | number 64 | body
//
// The number counts the messages of its sender. The body of records is, for each record, its length
// (32) and the record. That of join and leave is a member: IPv4 address (32), process (16), name.
const messageHead = 1 + 8 + 8

// recordHead is the length of a record's length.
const recordHead = 4

// MaxRecord is the longest record, in bytes.
const MaxRecord = onepipe.MaxMessage - messageHead - recordHead

// maxName is the longest name of a member, in bytes.
const maxName = 255

// message is a message of the log.
type message struct {
	kind    kind
	view    uint64
	number  uint64
	records [][]byte // they refer to the parsed bytes
	member  Member
}

// Member is a server of a view.
type Member struct {
	Name    string
	Process onepipe.Process
}

var errMessage = errors.New("not a message of a log")

func (m *message) append(b []byte) []byte {
	b = append(b, byte(m.kind))
	b = binary.BigEndian.AppendUint64(b, m.view)
	b = binary.BigEndian.AppendUint64(b, m.number)
	if m.kind == records {
		for _, r := range m.records {
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(r))), r...)
		}
		return b
	}
	return m.member.append(b)
}

func (m Member) append(b []byte) []byte {
	b = append(b, m.Process.Addr[:]...)
	b = binary.BigEndian.AppendUint16(b, m.Process.Number)
	return append(b, m.Name...)
}

func parseMember(b []byte) (m Member, err error) {
	const head = len(wire.Addr{}) + 2
	if len(b) <= head || len(b) > head+maxName {
		return m, errMessage
	}
	copy(m.Process.Addr[:], b)
	m.Process.Number = binary.BigEndian.Uint16(b[len(wire.Addr{}):])
	m.Name = string(b[head:])
	return m, nil
}

func parseMessage(b []byte) (m message, err error) {
	if len(b) < messageHead {
		return m, errMessage
	}
	m = message{kind: kind(b[0]), view: binary.BigEndian.Uint64(b[1:]), number: binary.BigEndian.Uint64(b[9:])}
	b = b[messageHead:]
	switch m.kind {
	case records:
		for len(b) > 0 {
			if len(b) < recordHead {
				return m, errMessage
			}
			n := binary.BigEndian.Uint32(b)
			if b = b[recordHead:]; uint64(n) > uint64(len(b)) {
				return m, errMessage
			}
			m.records = append(m.records, b[:n:n])
			b = b[n:]
		}
		if len(m.records) == 0 {
			return m, errMessage
		}
	case join, leave:
		m.member, err = parseMember(b)
	default:
		err = errMessage
	}
	return m, err
}

// state is what a server keeps with its machine: the last message that it has applied, and what the messages up to it
// have made of the log.
type state struct {
	Records uint64 // applied since there is a log
	View    uint64 // 0: nobody has begun
	Members []Member
	last    onepipe.Message // its place in the order: Time and From
}

// What a machine stores, in network byte order:
//
//	version 8 | records 64 | view 64 | time 64 | from: address 32, process 16 | members: length 16, member
const stateVersion = 1

var errState = errors.New("the state is not that of a 1Pipe log [does it belong to another log, or to a newer version?]")

func (s *state) append(b []byte) []byte {
	b = append(b, stateVersion)
	b = binary.BigEndian.AppendUint64(b, s.Records)
	b = binary.BigEndian.AppendUint64(b, s.View)
	b = binary.BigEndian.AppendUint64(b, s.last.Time)
	b = append(b, s.last.From.Addr[:]...)
	b = binary.BigEndian.AppendUint16(b, s.last.From.Number)
	for _, m := range s.Members {
		at := len(b)
		b = m.append(append(b, 0, 0))
		binary.BigEndian.PutUint16(b[at:], uint16(len(b)-at-2))
	}
	return b
}

func parseState(b []byte) (s state, err error) {
	const head = 1 + 8 + 8 + 8 + len(wire.Addr{}) + 2
	if len(b) < head || b[0] != stateVersion {
		return s, errState
	}
	s.Records, s.View = binary.BigEndian.Uint64(b[1:]), binary.BigEndian.Uint64(b[9:])
	s.last.Time = binary.BigEndian.Uint64(b[17:])
	copy(s.last.From.Addr[:], b[25:])
	s.last.From.Number = binary.BigEndian.Uint16(b[29:])
	for b = b[head:]; len(b) > 0; {
		if len(b) < 2 {
			return s, errState
		}
		n := int(binary.BigEndian.Uint16(b))
		if b = b[2:]; n > len(b) {
			return s, errState
		}
		m, err := parseMember(b[:n])
		if err != nil {
			return s, fmt.Errorf("%w: a member", errState)
		}
		s.Members, b = append(s.Members, m), b[n:]
	}
	return s, nil
}
