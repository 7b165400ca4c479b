package event

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/logpipe"
)

// Kind says what an event tells. Programs rely on these names: none changes, and none goes.
type Kind string

// All kinds of events. docs/events.md says what each has.
const (
	Ready    Kind = "ready"    // the program serves; service managers are told, too
	End      Kind = "end"      // the last event; with error, why it did not end well
	Error    Kind = "error"    // a command on standard input was refused
	Mode     Kind = "mode"     // the leader replicates in another way now
	Status   Kind = "status"   // role, mode, state, term or leader of a server has changed
	Progress Kind = "progress" // how far a long task is
	Done     Kind = "done"     // a task is complete, with what it took
	Digest   Kind = "digest"   // the SHA-256 of what a server holds, as asked
	Offered  Kind = "offered"  // latencies at one offered rate
	Burst    Kind = "burst"    // latencies of one size of bursts
	Received Kind = "received" // a file has arrived
)

// Kinds are all of them.
var Kinds = []Kind{Ready, End, Error, Mode, Status, Progress, Done, Digest, Offered, Burst, Received}

// Patience is how long a program that ends waits for whoever reads what it prints and logs.
const Patience = time.Second

// Role is the event of a program that is ready and says no more than what it is.
type Role struct {
	Event Kind   `json:"event"`
	Role  string `json:"role"`
}

// Ended is a program's last event.
type Ended struct {
	Event Kind   `json:"event"`
	Error string `json:"error,omitempty"`
	At    int64  `json:"at,omitempty"` // nanoseconds of this machine's monotonic clock
}

// Printer prints events. Any goroutine may: nobody waits for whoever reads them.
type Printer struct {
	mu   sync.Mutex
	to   *logpipe.Writer
	out  *json.Encoder
	said bool // something has been printed
	over bool // its end has been printed
}

// NewPrinter prints to a writer. The caller closes it.
func NewPrinter(w io.Writer) *Printer {
	to := logpipe.New(w, logpipe.JSON)
	return &Printer{to: to, out: json.NewEncoder(to)}
}

// Close waits until all is printed, for a while.
func (p *Printer) Close() { p.to.Close(Patience) }

// Print prints an event: a value whose JSON is an object with the key "event". The first one says that the program is
// ready, and a service manager that waits for that (sd_notify(3)) is told.
func (p *Printer) Print(e any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.said {
		tell(daemon.SdNotifyReady)
	}
	p.said = true
	_ = p.out.Encode(e)
}

// Ready prints that the program is.
func (p *Printer) Ready(role string) { p.Print(Role{Event: Ready, Role: role}) }

// Ends prints that the process ends, and why, before it takes anything down that
// others would miss. A process that has not come so far as to be ready says nothing.
// It returns err.
func (p *Printer) Ends(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || !p.said {
		return err
	}
	p.over = true
	tell(daemon.SdNotifyStopping)
	e := Ended{Event: End}
	if err != nil {
		e.Error = err.Error()
	}
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) == nil {
		e.At = now.Nano()
	}
	_ = p.out.Encode(e)
	return err
}

// tell tells the service manager, if there is one, without waiting for it. One that does not listen is no reason not to
// serve.
func tell(state string) { _, _ = daemon.SdNotify(false, state) }
