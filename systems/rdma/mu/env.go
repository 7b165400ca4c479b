package mu

import (
	"cmp"
	"fmt"
	"time"
)

// Routes is the largest number of networks that connect two servers.
const Routes = 2

// MaxGen is the largest generation of a group. They are not used again within a term:
// a leader that has used them up takes a new term.
const MaxGen = 1<<24 - 1

// Kind says what a path is for.
type Kind uint8

// The kinds of paths.
const (
	Control     Kind = iota // READs of both regions, WRITEs of the election region
	Replication             // WRITEs of the log; they need the peer's permission
	Group                   // WRITEs of the log to a group, through the switch
)

func (k Kind) String() string { return [...]string{"control", "replication", "group"}[k] }

// Path names a connection of this server as requester. At one time there is at most
// one connection of a name.
type Path struct {
	Peer  ID     // Control, Replication
	Gen   uint32 // Group
	Kind  Kind
	Route uint8 // Control, Replication: below Routes
}

func (p Path) String() string {
	if p.Kind == Group {
		return fmt.Sprintf("group %d", p.Gen)
	}
	return fmt.Sprintf("%v %d/%d", p.Kind, p.Peer, p.Route)
}

// Region names one of a server's two regions.
type Region uint8

// The regions.
const (
	LogRegion Region = iota
	ElectionRegion
)

// Op is an RDMA operation.
//
// A path executes its operations in order, and reports their success in that order
// by Core.Done. Once one fails, the path is Down and everything that was posted on it
// and not reported has an unknown outcome, until the peer has taken the path's
// rights away.
type Op struct {
	Path   Path
	Read   bool
	Region Region
	Offset uint64
	Data   []byte // what to write, or where to put what is read; the path's until Done or Down
}

// Permission says who may write the log of a server. Everybody else may not.
type Permission struct {
	Term   Term   // Term.Leader() may, with connections of this term if they tell one
	Route  uint8  // its Replication connection on this route, and
	MinGen uint32 // its Group connections of this generation or above
	None   bool   // nobody may: the server itself leads, or nobody has asked yet
}

// Allows reports whether a server may write on a path of its own, a Group of this term.
func (p Permission) Allows(from ID, path Path, term Term) bool {
	switch {
	case p.None:
		return false
	case path.Kind == Group:
		return p.Term == term && path.Gen >= p.MinGen
	}
	return p.Term.Leader() == from && p.Route == path.Route
}

// Decided is a decided entry.
type Decided struct {
	Index    uint64 // of the record
	Position uint64 // behind the entry
	Record   []byte // valid during the call
	Members  []Member
	Skip     bool // the unused end of the ring: there is nothing to apply, but the position
}

// Env is what a core needs done. Calls must not call back into the core; operations
// may be reported when they have returned.
type Env interface {
	// Post starts an operation on a path that is up.
	Post(op Op)
	// Reset ends a path and connects it anew: what was posted on it must not be
	// executed after Core.Up reports it again. Core.Down does not report it.
	Reset(path Path)
	// Permit changes who may write the log. When it returns, no write that the new
	// permission does not allow is executed any more.
	Permit(p Permission)
	// Apply takes a decided entry, in order and once. Core.Applied reports when its
	// effects can be read. Members is set if the entry is a change of membership
	// (Record is empty then, and Index that of the record behind it). A membership
	// should be on disk before Core.Applied, because after a loss of power it says who
	// is needed to start again; but not one without this server, which the others, if
	// they do not know it yet, need as the member that it was.
	Apply(d Decided)
	// Fetch asks for a snapshot of a peer's state machine; Core.Fetched reports.
	Fetch(from ID)
	// FormGroup connects to a group of members through the switch, where an
	// acknowledgement says that need of them hold the data. Core.Up reports the Group
	// path, or Core.GroupFailed.
	FormGroup(gen uint32, term Term, members []ID, need int)
	// DropGroup disconnects from a group, or gives up connecting to it.
	DropGroup(gen uint32)
	// Role reports a change of role, leader, or mode.
	Role(r Status)
	// SteppedDown says that entries that were proposed and not applied so far have an
	// unknown outcome.
	SteppedDown()
	// Room says that Propose may be tried again.
	Room()
	// Confirmed ends a barrier: this server was the leader after it was asked for,
	// and everything decided before has an index below.
	Confirmed(id uint64, index uint64)
	// Leased says until when this server may answer reads from what Core.Applied has
	// reported, as if a barrier had just been confirmed; 0: not without a barrier. It is
	// called before what ends a lease early can be seen by others.
	Leased(until time.Duration)
	// Promise brings to disk what this server must not forget, before it returns; false
	// if it cannot: then the core says and asks for nothing any more. Log begins to
	// bring an entry to disk, behind those before; Core.Logged reports. Both are called
	// with Config.Durable only; but Promise once without, with nothing, when what
	// Config.Stored said counts no longer.
	Promise(s Stored) bool
	Log(e Logged)
	// Connect says which servers to keep paths to: members and learners but this one.
	Connect(members []Member)
	// Eventf tells what an operator or a test may want to know.
	Eventf(format string, args ...any)
}

// Memory is one of this server's own regions.
type Memory interface {
	// Bytes is the region. Only the core's own writes through it may be read
	// without Access, while no peer may write there.
	Bytes() []byte
	// Access calls f while no peer's operation is executed in the region, as far as
	// the device can promise that; f may change it.
	Access(f func(b []byte))
}

// Config configures a core. Durations of 0 mean the defaults.
type Config struct {
	ID       ID
	Cluster  uint64   // peers of another cluster are not listened to
	Members  []Member // as known when it starts; empty for a server that waits to be added
	Log      Memory
	Election Memory
	// Position and Index are where the state machine's state begins on start.
	Position, Index uint64
	// Incarnation is higher than in any earlier life if that is known; it is made so
	// if not.
	Incarnation uint64
	// Durable makes promises and entries be on disk before they count: an entry is
	// decided when a majority has it on disk. A server that starts with what it has
	// stored has forgotten nothing. All servers of a cluster do so, or none does. When
	// none does any more, each is given once more what it has stored, and the log that
	// was made of it.
	Durable bool
	Stored  Stored
	// Kept is where the last entry ends that was ever stored.
	Kept uint64
	// Life tells this life of the process from others. With Durable an incarnation is
	// several.
	Life uint64
	// Switch says that there is one: the core tries to be accelerated.
	Switch bool

	Window   int    // undecided entries; default 512
	Depth    int    // operations outstanding on a replication path; default 16
	MaxWrite uint64 // bytes of one WRITE that carries several entries; default 32 KiB

	HeartbeatEvery time.Duration // default 5 ms
	RequestEvery   time.Duration // before a permission request is repeated; default 20 ms
	StallAfter     time.Duration // without progress a leader gives way; default 150 ms
	IdleCommit     time.Duration // before the commit index is written by itself; default 1 ms
	RepairAfter    time.Duration // a head may stand still in accelerated mode; default 50 ms
	SlowAfter      time.Duration // a peer may hold up a full log; default 1 s
	QuietFor       time.Duration // proposals may be held back for a change of mode; default 50 ms
	MaxGen         uint32        // generations of groups of one term; default and limit MaxGen
	// Lease is for how long a follower promises its leader that nobody else will lead;
	// 0, the default: no time. See lease.go for what this asks of clocks.
	Lease      time.Duration
	RetryGroup time.Duration // first pause before the switch is tried again; default 100 ms, doubled up to 32 times

}

func (c *Config) setDefaults() {
	c.HeartbeatEvery = cmp.Or(c.HeartbeatEvery, 5*time.Millisecond)
	c.RequestEvery = cmp.Or(c.RequestEvery, 20*time.Millisecond)
	c.StallAfter = cmp.Or(c.StallAfter, 150*time.Millisecond)
	c.IdleCommit = cmp.Or(c.IdleCommit, time.Millisecond)
	c.RepairAfter = cmp.Or(c.RepairAfter, 50*time.Millisecond)
	c.SlowAfter = cmp.Or(c.SlowAfter, time.Second)
	c.QuietFor = cmp.Or(c.QuietFor, 50*time.Millisecond)
	c.RetryGroup = cmp.Or(c.RetryGroup, 100*time.Millisecond)
	if c.MaxGen == 0 || c.MaxGen > MaxGen {
		c.MaxGen = MaxGen
	}
	c.Window = cmp.Or(c.Window, 512)
	c.Depth = cmp.Or(c.Depth, 16)
	c.MaxWrite = cmp.Or(c.MaxWrite, 32<<10)
}
