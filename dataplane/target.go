package dataplane

import (
	"errors"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Errors that a Target returns, wrapped with the object that they are about.
var (
	// ErrFull: a table, group list or other array has no room left.
	ErrFull = errors.New("no room left")
	// ErrUnsupported: the program or the request needs what this target
	// cannot do; the text says what.
	ErrUnsupported = errors.New("not supported by this target")
	// ErrNoPipeline: nothing has been loaded.
	ErrNoPipeline = errors.New("no pipeline loaded")
	// ErrNotFound: no such port, entry or group.
	ErrNotFound = errors.New("not found")
)

// Pipeline is a program ready to be loaded.
type Pipeline struct {
	Program *ir.Program
	// Object is the ELF object of bpf/gen for this very program; a target
	// that does not need it ignores it.
	Object []byte
	// Config is returned by a Keeper to a later process: it has everything to make this Pipeline
	// again.
	Config []byte
}

// Port is a switch port number as the program sees it (PortId_t, 9 bits).
type Port uint16

// MaxPort is the largest port number. On the chip, the next number means no port (ir.NoPort).
const MaxPort Port = ir.NoPort - 1

// Check reports why a number is not a port number.
func (p Port) Check() error {
	switch {
	case p == ir.NoPort:
		return fmt.Errorf("port %d: this number means no port on the chip (ports go from 0 to %d)", p, MaxPort)
	case p > MaxPort:
		return fmt.Errorf("port %d: ports go from 0 to %d", p, MaxPort)
	}
	return nil
}

// PortInfo describes a port for status and metrics.
type PortInfo struct {
	Port      Port
	Interface string // "" for the CPU port of a target that has no device for it
	CPU       bool
	Up        bool
	// Frames and bytes received from and sent to the wire.
	RX, TX Counter
}

// Match is one element of an entry's key.
//
//	Exact    Value
//	LPM      Value, PrefixLen (value bits beyond it zero)
//	Ternary  Value, Mask (value bits outside the mask zero; mask 0: don't care)
//	Range    Value (low), Mask (high), both inclusive
//	Optional Value with Mask all ones, or Mask zero for any
type Match struct {
	Value, Mask []byte
	PrefixLen   int
}

// Action is an action with its action data, in parameter order.
type Action struct {
	Action *ir.Action
	Args   [][]byte
}

// Entry is a table entry. Matches has one element per key of the table, in
// order. Priority is P4Runtime's: larger wins; 0 for tables without ternary,
// range or optional keys.
type Entry struct {
	Table    *ir.Table
	Matches  []Match
	Priority int32
	Action   Action
	// IdleTimeout is for an entry of a table with idle timeouts; 0: none. The target keeps it for
	// clients that read the table back, and does not act on it.
	IdleTimeout time.Duration
}

// Replica is one copy that a multicast group makes.
type Replica struct {
	Port     Port
	Instance uint16 // the replication id that the egress sees
}

// Counter is the value of a counter cell.
type Counter struct {
	Packets, Bytes uint64
}

// Digest is one digest message: one value per field of Digest.Fields.
type Digest struct {
	Digest *ir.Digest
	Fields [][]byte
}

// Out is a packet that left a port.
type Out struct {
	Port  Port
	Frame []byte
}

// Events gets what the data plane sends up. Any goroutine may call both functions. They must not
// block, call the target, or keep the slices that they get.
type Events struct {
	// PacketIn gets a frame that left through the CPU port: the program's
	// packet_in header first, when it has one.
	PacketIn func(frame []byte)
	Digest   func(Digest)
}

// Target runs a pipeline. All methods may be called from any goroutine. After a failed Load, the
// previous pipeline is still running.
type Target interface {
	// Kind is "xdp" or "interp": for logs and status.
	Kind() string
	// Stage makes a pipeline ready to run, and changes nothing. It refuses what Load refuses, and
	// takes most of Load's time.
	Stage(p *Pipeline) (Staged, error)
	// Load starts a pipeline with empty tables (but for the program's own
	// entries), no groups, and registers and counters at their initial values.
	// Ports stay. It is Stage and Commit.
	Load(p *Pipeline) error

	// Insert adds an entry, Modify replaces the action of the one with the
	// same matches and priority, Delete removes it.
	Insert(e *Entry) error
	Modify(e *Entry) error
	Delete(e *Entry) error
	// SetDefault sets the default action; nil means the program's own.
	SetDefault(t *ir.Table, a *Action) error

	// SetGroup makes or replaces a multicast group (id > 0).
	SetGroup(id uint16, replicas []Replica) error
	DeleteGroup(id uint16) error

	// ReadRegister returns the fields of one element, WriteRegister sets them.
	ReadRegister(r *ir.Register, index int) ([][]byte, error)
	WriteRegister(r *ir.Register, index int, fields [][]byte) error
	// ReadCounter and WriteCounter work on an indexed counter; the Direct
	// forms on the counter of an entry (nil Matches and a table with a
	// direct counter: the default entry).
	ReadCounter(c *ir.Counter, index int) (Counter, error)
	WriteCounter(c *ir.Counter, index int, v Counter) error
	// ReadMeter and WriteMeter read and write the configuration of a cell; nil: none, all packets are
	// green. After a write, its buckets are full.
	ReadMeter(m *ir.Meter, index int) (*Meter, error)
	WriteMeter(m *ir.Meter, index int, config *Meter) error
	ReadDirectCounter(e *Entry) (Counter, error)
	WriteDirectCounter(e *Entry, v Counter) error
	// ReadDirectMeter and WriteDirectMeter work as ReadMeter and WriteMeter on the direct meter of an entry (nil Matches: the
	// default entry). A new entry has no configuration, and keeps what it has when its action changes.
	ReadDirectMeter(e *Entry) (*Meter, error)
	WriteDirectMeter(e *Entry, config *Meter) error

	// ReadFilter and WriteFilter read and write the configuration of a cell of a filter; nil: none. After a write, it has seen no
	// value. The Direct forms are for the direct filter of an entry, as with meters.
	ReadFilter(f *ir.Filter, index int) (*Filter, error)
	WriteFilter(f *ir.Filter, index int, config *Filter) error
	ReadDirectFilter(e *Entry) (*Filter, error)
	WriteDirectFilter(e *Entry, config *Filter) error

	// LastHit is when a packet last matched an entry of a table with idle timeouts, or when the entry
	// was written if that is later, and the current time, both in ns of a clock of the target.
	LastHit(e *Entry) (at, now uint64, err error)

	// PacketOut injects a frame as if it had come from the CPU: the program's
	// packet_out header first, when it has one.
	PacketOut(frame []byte) error
	// SetEvents replaces the receivers of packet-ins and digests.
	SetEvents(ev Events)

	// AddPort attaches a network interface to a port, and RemovePort detaches it.
	AddPort(p Port, iface string) error
	RemovePort(p Port) error
	// ReopenPort attaches a port to the new interface with the name of its old one, which was deleted.
	// Groups with the port continue. After an error, the port has no interface.
	ReopenPort(p Port) error
	Ports() []PortInfo
	// CPUPort is the number of the port that leads to the controller.
	CPUPort() Port

	// Close stops the pipeline, and releases everything.
	Close() error
}

// Staged is a pipeline that is ready to run. Call one of its two functions, once.
type Staged interface {
	// Commit starts the pipeline, as Load does. After an error, the previous pipeline still runs.
	Commit() error
	// Discard releases the pipeline.
	Discard()
}

// State is what clients have written to a running pipeline. Entries includes entries of the program
// text, except those of constant tables. Defaults has the tables whose default action is not the
// program's own.
type State struct {
	Entries  []*Entry
	Defaults []Entry
	Groups   map[uint16][]Replica
}

// Bonded is a Target that has to know the members of bonds.
type Bonded interface {
	// SetMembers asks the kernel for the members of the interface of a port, and has what comes by them come by the port.
	// changed says that they are others than before. A port that is no bond has none.
	SetMembers(p Port) (changed bool, err error)
}

// Keeper is a target whose data plane continues without the process.
type Keeper interface {
	// Kept returns the Config of the pipeline that an earlier process left running;
	// nil when there is none.
	Kept() (config []byte, err error)
	// Adopt takes that pipeline over, and returns its state, without affecting packets. p is the same
	// pipeline as the running one. After an error nothing is loaded, and the running pipeline
	// continues until Load replaces it. Add ports first: Adopt removes ports that were not added.
	Adopt(p *Pipeline) (*State, error)
}

// Injector is a target that can run a single packet through the whole pipeline, including
// replication and egress, and return the resulting packets, in the order of the copies. Packet
// tests and `p4xc stf` use it. No real port sees the packets. The result includes frames that leave
// through the CPU port.
type Injector interface {
	Inject(p Port, frame []byte) ([]Out, error)
}
