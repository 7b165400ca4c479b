package baseline

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"
)

// The log's region.
const (
	offMinProposal = 0
	offHead        = 8
	headLen        = 16 // the head and the sum
	offForm        = 24
	formLen        = 8
	offSlots       = 256
	slotHead       = 16
	canary         = 1
)

// Kinds of entries.
const (
	kindValue = 0
	kindNone  = 1 // fills a slot, and is not applied
)

// The background region.
const (
	backgroundLen = 4096
	offRequests   = 64
	requestLen    = 32
	requestUsed   = 24
	maxServers    = 64
	offAnswers    = offRequests + maxServers*requestLen
	answerLen     = 8
)

var table = crc64.MakeTable(crc64.ECMA)

// geometry says where slots are in a region.
type geometry struct {
	size  uint64 // of a slot
	slots uint64
	max   int // longest value
}

// newGeometry describes a log for values up to a length.
func newGeometry(region, longest int) (geometry, error) {
	if region < 1024 || region&(region-1) != 0 {
		return geometry{}, fmt.Errorf("log of %d bytes (want a power of two from 1024)", region)
	}
	if longest < 1 {
		return geometry{}, fmt.Errorf("values of %d bytes (want at least 1)", longest)
	}
	g := geometry{size: (slotHead + uint64(longest) + 1 + 7) &^ 7, max: longest}
	g.slots = (uint64(region) - offSlots) / g.size
	return g, nil
}

// LogSize is the size of a log for values up to a length and so many under way.
func LogSize(longest, window int) int {
	size := 1 << 20
	for need := offSlots + 8*window*(slotHead+longest+8); size < need; {
		size *= 2
	}
	return size
}

// at is the offset of an entry's slot.
func (g geometry) at(index uint64) uint64 { return offSlots + index%g.slots*g.size }

// put writes an entry into a region, and returns its bytes.
func (g geometry) put(region []byte, index, proposal uint64, kind uint32, value []byte) []byte {
	b := region[g.at(index):][:slotHead+len(value)+1]
	binary.LittleEndian.PutUint64(b, proposal)
	binary.LittleEndian.PutUint32(b[8:], uint32(len(value)))
	binary.LittleEndian.PutUint32(b[12:], kind)
	copy(b[slotHead:], value)
	b[len(b)-1] = canary
	return b
}

// get returns an entry of a region, if it is complete.
func (g geometry) get(region []byte, index uint64) (kind uint32, value []byte, ok bool) {
	b := region[g.at(index):][:g.size]
	n := binary.LittleEndian.Uint32(b[8:])
	if n > uint32(g.max) || b[slotHead+n] != canary {
		return 0, nil, false
	}
	return binary.LittleEndian.Uint32(b[12:]), b[slotHead : slotHead+n], true
}
