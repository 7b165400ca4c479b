package smr

import (
	"errors"
	"fmt"
	"io"
)

// Entry is a decided record.
type Entry struct {
	// Index counts the records of the log from 0, without gaps.
	Index uint64
	// Record is valid during the call only.
	Record []byte
}

// StateMachine is the service that a log replicates. Its methods are called by one
// goroutine at a time, except where they say otherwise.
//
// The state machine keeps, with its own state, a few bytes that belong to the
// protocol: which record was applied last, and who the members are. It stores them
// atomically with what it applies and gives them back, unread.
type StateMachine interface {
	// Load returns the bytes stored by the last Apply or Restore, nil if there are
	// none: the state is new. It is the first call.
	Load() (state []byte, err error)

	// Apply executes decided records in order, and stores state with their effects,
	// atomically. It need not wait for the disk: see Sync. The results, one per
	// entry, go to those who proposed the records; results must not refer to the
	// records. entries may be empty: then only state is stored. An error ends the
	// server: its peers have what it could not take.
	Apply(entries []Entry, state []byte) (results []any, err error)

	// Snapshot returns an image of everything applied so far, state included. The
	// call is quick; the image is written out later, beside further calls of Apply,
	// by another goroutine.
	Snapshot() (Image, error)

	// Restore replaces everything by an image, which is the concatenation of what
	// Image.WriteTo wrote. A reader that ends with an error other than io.EOF, or an
	// image that is damaged, leaves the old state untouched.
	Restore(r io.Reader) error

	// Sync returns when everything that was applied before the call will survive a
	// loss of power. It may run beside Apply.
	Sync() error
}

// Image is a consistent image of a state machine. Close frees what it holds.
type Image interface {
	io.WriterTo
	io.Closer
}

// NotLeaderError is returned by calls that only a leader serves.
type NotLeaderError struct {
	Known  bool   // whether a leader is known
	ID     uint16 // its id
	Client string // the address at which it serves clients, as its configuration says
}

func (e *NotLeaderError) Error() string {
	if !e.Known {
		return "not the leader (none is known at the moment)"
	}
	return fmt.Sprintf("not the leader (that is server %d, at %s)", e.ID, e.Client)
}

// ErrUnknownOutcome ends a proposal whose leader was deposed, or whose server was
// closed, before it was known to be decided: the record may still be decided, by
// a later leader, or never.
var ErrUnknownOutcome = errors.New("outcome unknown (the leader changed before the record was decided)")
