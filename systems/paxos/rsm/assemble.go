package rsm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/p4ce/p4ce/systems/paxos"
)

// MaxRecord is the length of the longest record. It is the same on all hosts, since their reaction to
// a record depends on it.
const MaxRecord = 1 << 20

// Pieces of records: see the package's documentation.
const (
	kindOne   = 1
	kindPiece = 2
	kindLife  = 3
	oneHead   = 1 + 4
	lifeBytes = 1 + 8
	pieceHead = oneHead + 2 + 2
	oneBytes  = paxos.MaxValue - oneHead
	piece     = paxos.MaxValue - pieceHead
	maxPieces = (MaxRecord + piece - 1) / piece
	// maxPartial is how many records of a client may be under way. No proposer exceeds it: further
	// pieces have no effect.
	maxPartial = 64
)

// pieces splits a record into values of the log.
func pieces(number uint32, record []byte) [][]byte {
	if len(record) <= oneBytes {
		v := binary.BigEndian.AppendUint32(append(make([]byte, 0, paxos.MaxValue), kindOne), number)
		return [][]byte{append(v, record...)}
	}
	count := (len(record) + piece - 1) / piece
	room := make([]byte, 0, count*pieceHead+len(record))
	values := make([][]byte, 0, count)
	for i := range count {
		from := len(room)
		room = binary.BigEndian.AppendUint32(append(room, kindPiece), number)
		room = binary.BigEndian.AppendUint16(room, uint16(i))
		room = binary.BigEndian.AppendUint16(room, uint16(count))
		room = append(room, record[i*piece:min((i+1)*piece, len(record))]...)
		values = append(values, room[from:])
	}
	return values
}

// lifeValue is the first value of a life.
func lifeValue(nonce uint64) []byte { return binary.BigEndian.AppendUint64([]byte{kindLife}, nonce) }

// assembler puts records together from the values of the log. It depends only on these values: it is
// part of the replicated state.
type assembler struct {
	clients map[uint32]map[uint32]*partial // by client and number
	lives   map[uint32]uint64              // nonces by client: the latest life of each host
	strange uint64                         // values that were no piece, since the start
}

// partial is a record some of whose pieces are missing.
type partial struct {
	count   int
	missing int
	have    []uint64 // bits by index
	last    int      // bytes of the last piece
	data    []byte
}

func newAssembler() *assembler {
	return &assembler{clients: map[uint32]map[uint32]*partial{}, lives: map[uint32]uint64{}}
}

// add processes a value of the log, and returns the record that it completes. The record is valid for
// as long as the value.
func (a *assembler) add(client uint32, value []byte) (number uint32, record []byte, ok bool) {
	a.begin(client)
	switch {
	case len(value) >= oneHead && value[0] == kindOne:
		return binary.BigEndian.Uint32(value[1:]), value[oneHead:], true
	case len(value) > pieceHead && value[0] == kindPiece:
		number = binary.BigEndian.Uint32(value[1:])
		record, ok = a.piece(client, number, int(binary.BigEndian.Uint16(value[5:])), int(binary.BigEndian.Uint16(value[7:])), value[pieceHead:])
		return number, record, ok
	case len(value) == lifeBytes && value[0] == kindLife && client>>16 != 0: // of a client that has lives
		a.lives[client] = binary.BigEndian.Uint64(value[1:])
		return 0, nil, false
	}
	a.strange++
	return 0, nil, false
}

// begin drops what is known of earlier lives of a client's host.
func (a *assembler) begin(client uint32) {
	if _, ok := a.clients[client]; ok || client>>16 == 0 {
		return
	}
	for c := range a.clients {
		if c>>16 == client>>16 {
			delete(a.clients, c)
			delete(a.lives, c)
		}
	}
	a.clients[client] = map[uint32]*partial{}
}

func (a *assembler) piece(client, number uint32, index, count int, data []byte) ([]byte, bool) {
	records := a.clients[client]
	if records == nil {
		records = map[uint32]*partial{}
		a.clients[client] = records
	}
	p := records[number]
	switch {
	case count < 2 || count > maxPieces || index >= count || index < count-1 && len(data) != piece,
		p != nil && p.count != count, p == nil && len(records) == maxPartial:
		a.strange++
		return nil, false
	case p == nil:
		p = &partial{count: count, missing: count, have: make([]uint64, (count+63)/64), data: make([]byte, count*piece)}
		records[number] = p
	case p.have[index/64]>>(index%64)&1 == 1:
		a.strange++
		return nil, false
	}
	p.have[index/64] |= 1 << (index % 64)
	copy(p.data[index*piece:], data)
	if index == count-1 {
		p.last = len(data)
	}
	if p.missing--; p.missing > 0 {
		return nil, false
	}
	delete(records, number)
	return p.data[:(count-1)*piece+p.last], true
}

// append appends to a state the incomplete records, that is, the clients and their records in order, each with
// its pieces; and then the lives.
func (a *assembler) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(a.clients)))
	for _, client := range slices.Sorted(maps.Keys(a.clients)) {
		records := a.clients[client]
		b = binary.BigEndian.AppendUint32(b, client)
		b = binary.BigEndian.AppendUint32(b, uint32(len(records)))
		for _, number := range slices.Sorted(maps.Keys(records)) {
			p := records[number]
			b = binary.BigEndian.AppendUint32(b, number)
			b = binary.BigEndian.AppendUint16(b, uint16(p.count))
			b = binary.BigEndian.AppendUint16(b, uint16(p.last))
			for _, w := range p.have {
				b = binary.BigEndian.AppendUint64(b, w)
			}
			for i := range p.count {
				if p.has(i) {
					b = append(b, p.data[i*piece:i*piece+p.size(i)]...)
				}
			}
		}
	}
	b = binary.BigEndian.AppendUint32(b, uint32(len(a.lives)))
	for _, client := range slices.Sorted(maps.Keys(a.lives)) {
		b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, client), a.lives[client])
	}
	return b
}

func (p *partial) has(i int) bool { return p.have[i/64]>>(i%64)&1 == 1 }

// size returns the size of piece i, which is there.
func (p *partial) size(i int) int {
	if i == p.count-1 {
		return p.last
	}
	return piece
}

// errState is the error for a malformed state.
var errState = errors.New("paxos state machine: the stored state is not of this kind")

// parseAssembler reads what append has written. Version 1 has no lives.
func parseAssembler(version byte, b []byte) (*assembler, error) {
	d := decoder{b: b}
	a := newAssembler()
	clients := d.uint32()
	last := int64(-1)
	for range clients {
		client := d.uint32()
		n := d.uint32()
		if d.failed || int64(client) <= last || n > maxPartial {
			return nil, fmt.Errorf("%w: client %d", errState, client)
		}
		last = int64(client)
		records := map[uint32]*partial{}
		before := int64(-1)
		for range n {
			number := d.uint32()
			p := d.partial()
			if d.failed || int64(number) <= before {
				return nil, fmt.Errorf("%w: record %d of client %d", errState, number, client)
			}
			before = int64(number)
			records[number] = p
		}
		a.clients[client] = records
	}
	if version > 1 {
		last = -1
		for range d.uint32() {
			client, nonce := d.uint32(), d.uint64()
			if d.failed || int64(client) <= last {
				return nil, fmt.Errorf("%w: life %d", errState, client)
			}
			last = int64(client)
			a.lives[client] = nonce
		}
	}
	if d.failed || len(d.b) > 0 {
		return nil, errState
	}
	return a, nil
}

func (d *decoder) partial() *partial {
	p := &partial{count: int(d.uint16()), last: int(d.uint16())}
	if d.failed || p.count < 2 || p.count > maxPieces || p.last > piece {
		d.failed = true
		return nil
	}
	for range (p.count + 63) / 64 {
		p.have = append(p.have, d.uint64())
	}
	if d.failed || p.count%64 != 0 && p.have[len(p.have)-1]>>(p.count%64) != 0 || p.has(p.count-1) != (p.last > 0) {
		d.failed = true
		return nil
	}
	p.data = make([]byte, p.count*piece)
	for i := range p.count {
		if !p.has(i) {
			p.missing++
			continue
		}
		copy(p.data[i*piece:], d.bytes(p.size(i)))
	}
	if p.missing == 0 || p.missing == p.count {
		d.failed = true
	}
	return p
}

// decoder reads numbers in network byte order until there are not enough bytes.
type decoder struct {
	b      []byte
	failed bool
}

func (d *decoder) bytes(n int) []byte {
	if d.failed || n < 0 || n > len(d.b) {
		d.failed = true
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) uint16() uint16 {
	if b := d.bytes(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (d *decoder) uint32() uint32 {
	if b := d.bytes(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) uint64() uint64 {
	if b := d.bytes(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}
