package replicated

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

// Gradual is a StateMachine that gives its state to another server in rounds: the first one has everything, each of the
// others what has changed since. What the other server has lasts when the connection breaks.
type Gradual interface {
	StateMachine

	// Give begins to give the state to a server; or it goes on, if known is what that server's Taking says and this machine
	// has noted what has changed since: resumed says so. It ends what it began before for another one. Any goroutine
	// may call it.
	Give(known []byte) (g Giving, resumed bool, err error)

	// Take begins to take another server's state, beside the one that is in use, or goes on with what there is. Any goroutine
	// may call it, but one at a time: until the Taking is closed there is no other one.
	Take() (Taking, error)
}

// Giving is what a Gradual machine knows of a server that it gives its state to. It survives the connection, and belongs to
// the machine.
type Giving interface {
	// Round returns an image of everything that was applied so far and that the other server lacks, when it has all of
	// the round before on disk, and how many bytes that may be; -1: not known. The goroutine that applies calls it.
	Round() (image Image, size int64, err error)
}

// Taking is what a Gradual machine has taken of another server's state.
type Taking interface {
	// Known says what it has, in at most MaxKnown bytes; nil: nothing.
	Known() []byte
	// Round takes what an Image of Giving.Round has written, no byte more, and returns when it is on disk: then this is the
	// state of the moment of that image. An error leaves what has arrived before it.
	Round(r io.Reader) error
	// Install replaces the machine's state, after a Round. The goroutine that applies calls it.
	Install() error
	// Close keeps what there is for the next Take, unless it was installed.
	Close() error
}

// MaxKnown is the length of the longest Taking.Known.
const MaxKnown = 63

// Room is how much room there is for more.
type Room uint8

// The amounts of room.
const (
	RoomEnough Room = iota
	RoomLow         // nothing new should come
	RoomNone        // nor what is decided already
)

// Roomy is a StateMachine that knows how much room it has. The others hear of it.
type Roomy interface {
	StateMachine
	// Room may be called at any time by any goroutine, often.
	Room() Room
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

// ErrUnknownOutcome ends a proposal whose leader was preempted, or whose server was
// closed, before it was known to be decided: the record may still be decided, by
// a later leader, or never.
var ErrUnknownOutcome = errors.New("outcome unknown (the leader changed before the record was decided)")
