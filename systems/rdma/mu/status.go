package mu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"
)

// ID is a server's number in its cluster. The live server with the lowest ID leads.
type ID uint8

// MaxID is the largest ID, and MaxServers the largest number of members.
const (
	MaxID      = 63
	MaxServers = 9
)

// Term is the number of a leadership: round<<8 | id. 0 is none.
type Term uint64

// Leader is the server to which the term belongs.
func (t Term) Leader() ID { return ID(t) }

// next is the lowest term of a server above t.
func (t Term) next(id ID) Term { return (t>>8+1)<<8 | Term(id) }

func (t Term) String() string {
	if t == 0 {
		return "0"
	}
	return fmt.Sprintf("%d.%d", uint64(t)>>8, uint8(t))
}

// The election region. Each block begins with the CRC-32C of the rest of the block, so nothing depends
// on the order in which bytes become visible.
//
//	0    status block, of the owner
//	128  incarnations, 8 bytes per server, each written by that server
//	640  permission requests, 64 bytes per server, each written by that server
const (
	statusLen    = 128
	offHeartbeat = 16 // in the status block
	offAnnounce  = statusLen
	announceLen  = 8 * (MaxID + 1)
	offRequest   = offAnnounce + announceLen
	requestLen   = 64

	// ElectionSize is the size of the election region in bytes.
	ElectionSize = offRequest + requestLen*(MaxID+1)

	protocolVersion = 2

	flagDurable = 1
	flagIdle    = 2
	roomShift   = 2 // of Room, 2 bits
	flagCarries = 1 << 4
	flagResigns = 1 << 5
)

// status is what a server says about itself.
type status struct {
	cluster     uint64
	heartbeat   uint64
	incarnation uint64
	promised    Term   // no lower term is granted any more
	seq         uint64 // of the last request of promised's leader that was granted
	head        uint64 // position of the first entry that is not applied
	headIndex   uint64
	low         uint64 // position of the first entry that the log still has
	state       State
	route       uint8  // route of the connection that may write the log
	minGen      uint32 // groups of lower generations may not write it
	logged      uint64 // position up to which promised's leader's entries are on disk
	durable     bool   // Config.Durable
	announced   uint64 // checksum of the announcements that are on disk
	leased      uint64 // heartbeat of promised's leader for which the last lease was promised; 0: none
	lease       time.Duration
	kept        uint64 // position up to which its disk has had entries of any leader
	life        uint64 // Config.Life
	room        Room
	idle        bool // promised is its own term, but it neither leads nor campaigns in it
	resigns     bool // it cannot lead at the moment: its heartbeat stands still until it can
	carries     bool // it is recovering, without Config.Durable, and its log has everything that was on its disk
}

// State says whether a server's memory is reliable.
type State uint8

// The states of a server.
const (
	Recovering State = iota + 1 // it has started, and forgotten what it promised
	Full
)

func (s State) String() string {
	switch s {
	case Recovering:
		return "recovering"
	case Full:
		return "full"
	}
	return fmt.Sprintf("state %d", uint8(s))
}

func seal(b []byte) { binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli)) }

func sealed(b []byte) bool {
	return binary.LittleEndian.Uint32(b) == crc32.Checksum(b[4:], castagnoli)
}

func (s *status) encode(b []byte) {
	le := binary.LittleEndian
	clear(b[:statusLen])
	b[4] = protocolVersion
	b[5] = byte(s.state)
	b[6] = s.route
	for i, v := range [...]uint64{
		s.cluster, s.heartbeat, s.incarnation, uint64(s.promised), s.seq, s.head, s.headIndex, s.low, uint64(s.minGen), s.logged, s.announced, s.leased, uint64(s.lease), s.kept, s.life,
	} {
		le.PutUint64(b[8+8*i:], v)
	}
	if s.durable {
		b[7] |= flagDurable
	}
	if s.idle {
		b[7] |= flagIdle
	}
	if s.carries {
		b[7] |= flagCarries
	}
	if s.resigns {
		b[7] |= flagResigns
	}
	b[7] |= byte(s.room) << roomShift
	seal(b[:statusLen])
}

// errTorn is returned for a block that was read while it was being written.
var errTorn = errors.New("block is not complete")

func (s *status) decode(b []byte) error {
	if !sealed(b[:statusLen]) {
		return errTorn
	}
	if b[4] != protocolVersion {
		return fmt.Errorf("protocol version %d (this server has %d)", b[4], protocolVersion)
	}
	v := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8+8*i:]) }
	*s = status{
		cluster: v(0), heartbeat: v(1), incarnation: v(2), promised: Term(v(3)), seq: v(4),
		head: v(5), headIndex: v(6), low: v(7), minGen: uint32(v(8)), logged: v(9), durable: b[7]&flagDurable != 0, idle: b[7]&flagIdle != 0,
		announced: v(10), leased: v(11), lease: time.Duration(v(12)), kept: v(13), life: v(14), state: State(b[5]), route: b[6],
		room: min(Room(b[7]>>roomShift&3), RoomNone), carries: b[7]&flagCarries != 0, resigns: b[7]&flagResigns != 0,
	}
	return nil
}

// request asks a peer for permission to write its log.
type request struct {
	cluster     uint64
	term        Term
	seq         uint64 // counts the requests of one incarnation
	incarnation uint64 // of the server that asks
	target      uint64 // incarnation of the server that is asked, as the requester knows it
	route       uint8  // route of the connection that asks for permission
	minGen      uint32 // groups of lower generations lose theirs
	snapshot    bool   // the log does not reach back to your head: take a snapshot
	full        bool   // you have everything: you are a full member
	durable     bool   // Config.Durable
	life        uint64 // Config.Life
}

func (r *request) encode(b []byte) {
	le := binary.LittleEndian
	clear(b[:requestLen])
	b[4] = protocolVersion
	b[5] = r.route
	if r.snapshot {
		b[6] |= 1
	}
	if r.full {
		b[6] |= 2
	}
	if r.durable {
		b[7] |= flagDurable
	}
	le.PutUint64(b[8:], uint64(r.term))
	le.PutUint64(b[16:], r.seq)
	le.PutUint64(b[24:], r.incarnation)
	le.PutUint64(b[32:], r.target)
	le.PutUint32(b[40:], r.minGen)
	le.PutUint64(b[48:], r.cluster)
	le.PutUint64(b[56:], r.life)
	seal(b[:requestLen])
}

func (r *request) decode(b []byte) error {
	if !sealed(b[:requestLen]) {
		return errTorn
	}
	if b[4] != protocolVersion {
		return fmt.Errorf("protocol version %d (this server has %d)", b[4], protocolVersion)
	}
	le := binary.LittleEndian
	*r = request{
		term: Term(le.Uint64(b[8:])), seq: le.Uint64(b[16:]), incarnation: le.Uint64(b[24:]),
		target: le.Uint64(b[32:]), route: b[5], minGen: le.Uint32(b[40:]), cluster: le.Uint64(b[48:]), snapshot: b[6]&1 != 0, full: b[6]&2 != 0,
		durable: b[7]&flagDurable != 0, life: le.Uint64(b[56:]),
	}
	return nil
}
