package replicate

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// follower is the replica's state machine: it finds complete entries in the
// region and says which may be applied.
//
// Invariants: head <= seen; every entry before head has been applied, in order,
// exactly once; every entry between head and seen was complete when it was
// looked at.
type follower struct {
	geo    geometry
	head   uint64 // position of the first entry that is not applied
	index  uint64 // its index
	seen   uint64 // position of the first entry that is not known to be complete
	next   uint64 // its index
	commit uint64 // position: entries that end there or before are decided
}

// look takes in what the leader has written since.
func (f *follower) look(region []byte) {
	f.commit = max(f.commit, binary.LittleEndian.Uint64(region[mu.CommitOffset:]))
	for {
		e, ok := f.geo.Decode(region, f.seen)
		if !ok || !e.Skip && e.Index != f.next {
			return
		}
		if !e.Skip {
			f.next++
		}
		f.commit = max(f.commit, e.Commit)
		f.seen += e.Size
	}
}

// take returns the next entry to apply: complete, and decided. It is decoded
// again, because an entry that was complete but undecided may have been replaced.
func (f *follower) take(region []byte) (e entry, ok bool) {
	for f.head < f.seen {
		e, ok = f.geo.Decode(region, f.head)
		if !ok {
			f.seen, f.next = f.head, f.index
			return entry{}, false
		}
		if !e.Skip {
			if e.Index != f.index || f.head+e.Size > f.commit {
				return entry{}, false
			}
			f.head += e.Size
			f.index++
			return e, true
		}
		f.head += e.Size
	}
	return entry{}, false
}

// putHead encodes what the leader reads of a replica.
func (f *follower) putHead(b *[headLen]byte) {
	binary.LittleEndian.PutUint64(b[0:], f.head)
	binary.LittleEndian.PutUint64(b[8:], f.index)
}
