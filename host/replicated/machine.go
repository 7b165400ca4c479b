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

// StateMachine is the service that a log replicates. One goroutine at a time calls its methods,
// except where they say otherwise.
//
// With its own state, the state machine keeps a few bytes for the protocol: the last applied
// record, and the members. It stores them atomically with the effects of records, and returns them
// unread.
type StateMachine interface {
	// Load returns the bytes stored by the last Apply or Restore, nil if there are
	// none: the state is new. It is the first call.
	Load() (state []byte, err error)

	// Apply executes decided records in order, and stores state with their effects, atomically. It
	// need not wait for the disk: see Sync. The results, one per entry, go to the callers that
	// proposed the records. Results must not refer to the records. entries may be empty: then Apply
	// only stores state. An error ends the server; its peers have the records that it could not apply.
	Apply(entries []Entry, state []byte) (results []any, err error)

	// Snapshot returns an image of everything applied so far, including state. The call is quick.
	// Another goroutine writes the image out later, during further calls of Apply.
	Snapshot() (Image, error)

	// Restore replaces everything with an image, as Image.WriteTo wrote it. If the reader ends with an
	// error other than io.EOF, or the image is damaged, the old state stays untouched.
	Restore(r io.Reader) error

	// Sync returns when everything that was applied before the call will survive a loss of power. It
	// may run during Apply.
	Sync() error
}

// Gradual is a StateMachine that sends its state to another server in rounds. The first round has
// everything, each further round the changes since. The other server keeps what it has received
// when the connection breaks.
type Gradual interface {
	StateMachine

	// Give starts sending the state to a server. It resumes an earlier transfer if known is what that
	// server's Taking reports, and this machine has noted the changes since: resumed then is true. It
	// ends a transfer to another server. Any goroutine may call it.
	Give(known []byte) (g Giving, resumed bool, err error)

	// Take starts receiving another server's state, beside the state in use, or resumes. Any goroutine
	// may call it, but only one Taking is open at a time.
	Take() (Taking, error)
}

// Giving is a transfer of state to another server. It survives the connection, and belongs to the
// machine.
type Giving interface {
	// Round returns an image of everything that was applied so far and that the other server lacks,
	// given that it has all of the previous round on disk. size is about the number of bytes; -1:
	// unknown. The goroutine that applies calls it.
	Round() (image Image, size int64, err error)
}

// Taking is what a Gradual machine has received of another server's state.
type Taking interface {
	// Known describes what it has, in at most MaxKnown bytes; nil: nothing.
	Known() []byte
	// Round reads exactly the bytes that an Image of Giving.Round has written, and returns when they
	// are on disk. The received state then is that of the moment of the image. After an error,
	// everything that had arrived before remains.
	Round(r io.Reader) error
	// Install replaces the machine's state, after a Round. The goroutine that applies calls it.
	Install() error
	// Close keeps what has arrived for the next Take, unless it was installed.
	Close() error
}

// MaxKnown is the length of the longest Taking.Known.
const MaxKnown = 63

// Room is the amount of room for more data.
type Room uint8

// The amounts of room.
const (
	RoomEnough Room = iota
	RoomLow         // no new records, please
	RoomNone        // nor records that are already decided
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

// UnavailableError is returned by calls of a server that does not serve at the moment. Nothing was proposed.
type UnavailableError struct {
	Why string // "waits for server h2"
}

func (e *UnavailableError) Error() string { return "this server does not serve: it " + e.Why }

// ErrUnknownOutcome ends a proposal whose leader was preempted, or whose server was
// closed, before it was known to be decided: the record may still be decided, by
// a later leader, or never.
var ErrUnknownOutcome = errors.New("outcome unknown (the leader changed before the record was decided)")
