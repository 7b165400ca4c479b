package mu

import (
	"cmp"
	"fmt"
	"time"
)

// Routes is the largest number of networks that connect two servers.
const Routes = 2

// MaxGen is the largest generation of a group. A generation is used only once in a term: a leader that
// has used all of them takes a new term.
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

// Path names a connection of this server as requester. There is at most one connection of a name at a
// time.
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
// A path executes its operations in order, and reports their success in that order by Core.Done. Once
// an operation fails, the path is Down. Operations that were posted on it and not reported have an
// unknown outcome until the peer has revoked the path's rights.
type Op struct {
	Path   Path
	Read   bool
	Region Region
	Offset uint64
	Data   []byte // what to write, or where to put what is read; the path's until Done or Down
}

// Permission says who may write the log of a server. Nobody else may.
type Permission struct {
	Term   Term   // Term.Leader() may, with connections of this term if they tell one
	Route  uint8  // its Replication connection on this route, and
	MinGen uint32 // its Group connections of this generation or above
	None   bool   // nobody may: the server itself leads, or nobody has asked yet
}

// Allows reports whether a server may write on one of its paths, which is a Group path of this term or
// not.
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
	Skip     bool // the unused end of the ring: only the position changes
}

// Env carries out what a core needs. Its methods must not call back into the core. Report operations
// after the call has returned.
type Env interface {
	// Post starts an operation on a path that is up.
	Post(op Op)
	// Reset ends a path and connects it anew. What was posted on it must not be executed after Core.Up
	// reports the path again. Core.Down does not report it.
	Reset(path Path)
	// Permit changes who may write the log. After it returns, no write is executed that the new
	// permission does not allow.
	Permit(p Permission)
	// Apply gets each decided entry once, in order. Core.Applied reports when its effects can be read.
	// Members is set if the entry is a change of membership. Record is then empty, and Index is that
	// of the next record. A membership should be on disk before Core.Applied, because it says which
	// servers must restart after a loss of power. A membership without this server should not: other
	// servers that do not know it yet need this server as the member that it was.
	Apply(d Decided)
	// Fetch asks for a snapshot of a peer's state machine; Core.Fetched reports.
	Fetch(from ID)
	// FormGroup connects to a group of members through the switch. There, an acknowledgement means
	// that need of them hold the data. Core.Up reports the Group path, or Core.GroupFailed reports a
	// failure.
	FormGroup(gen uint32, term Term, members []ID, need int)
	// DropGroup disconnects from a group, or stops connecting to it.
	DropGroup(gen uint32)
	// Role reports a change of role, leader, or mode.
	Role(r Status)
	// SteppedDown reports that entries that were proposed and are not applied have an unknown outcome.
	SteppedDown()
	// Room reports that Propose may succeed again.
	Room()
	// Confirmed ends a barrier: this server was the leader after the barrier was requested, and
	// everything that was decided before has a lower index.
	Confirmed(id uint64, index uint64)
	// Leased reports until when this server may answer reads from what Core.Applied has reported, as
	// if a barrier had just been confirmed. 0 means not without a barrier. Before anything that ends a
	// lease early becomes visible to others, Leased is called.
	Leased(until time.Duration)
	// Promise brings to disk what this server must not forget, and returns after that. If it returns
	// false, the core sends nothing any more. Log starts to bring an entry to disk, after the entries
	// before it; Core.Logged reports when it is there. Both are called with Config.Durable only. The
	// exception is one call of Promise with an empty Stored, when Config.Stored no longer counts.
	Promise(s Stored) bool
	Log(e Logged)
	// Connect says which servers to keep paths to: all members and learners except this server.
	Connect(members []Member)
	// Eventf reports what an operator or a test may want to know.
	Eventf(format string, args ...any)
}

// Memory is one of this server's own regions.
type Memory interface {
	// Bytes is the region. Without Access, only bytes that the core itself has written may be read,
	// while no peer may write there.
	Bytes() []byte
	// Access calls f, which may change the region. No operation of a peer is executed there meanwhile,
	// as far as the device can guarantee that.
	Access(f func(b []byte))
}

// Config configures a core. Durations of 0 mean the defaults.
type Config struct {
	ID       ID
	Cluster  uint64   // peers of another cluster are ignored
	Members  []Member // as known when it starts; empty for a server that waits to be added
	Log      Memory
	Election Memory
	// Position and Index are where the state machine's state begins on start.
	Position, Index uint64
	// Incarnation is higher than that of any earlier life, if it is known. Otherwise the core raises
	// it.
	Incarnation uint64
	// Durable means that promises and entries count only when they are on disk: an entry is decided
	// when a majority has it on disk. A server that starts from its disk has forgotten nothing. Either
	// all servers of a cluster use it, or none does. When a cluster stops using it, each server gets
	// Stored once more, and the log that was built from it.
	Durable bool
	Stored  Stored
	// Kept is where the last entry ends that was ever stored.
	Kept uint64
	// Life distinguishes this life of the process from others. With Durable, an incarnation spans
	// several lives.
	Life uint64
	// Switch says that there is a switch, which the core tries to use.
	Switch bool

	Window   int    // undecided entries; default 512
	Depth    int    // operations outstanding on a replication path; default 16
	MaxWrite uint64 // bytes of one WRITE that carries several entries; default 32 KiB

	HeartbeatEvery time.Duration // default 5 ms
	Patience       int           // heartbeats that a peer may miss, at least, before it is dead; default 40, at least MinPatience
	RequestEvery   time.Duration // before a permission request is repeated; default 20 ms
	StallAfter     time.Duration // a leader without progress steps down; default 150 ms
	IdleCommit     time.Duration // before the commit index is written by itself; default 1 ms
	RepairAfter    time.Duration // a head may stand still in accelerated mode; default 50 ms
	SlowAfter      time.Duration // a peer may block a full log; default 1 s
	QuietFor       time.Duration // a change of mode may delay proposals; default 50 ms
	MaxGen         uint32        // generations of groups of one term; default and limit MaxGen
	// Lease is how long a follower promises its leader that nobody else will lead. The default is 0,
	// no lease. lease.go says what this requires of clocks.
	Lease      time.Duration
	RetryGroup time.Duration // first pause before the switch is tried again; default 100 ms, doubled up to 32 times that

}

func (c *Config) setDefaults() {
	c.HeartbeatEvery = cmp.Or(c.HeartbeatEvery, 5*time.Millisecond)
	c.Patience = max(cmp.Or(c.Patience, 40), MinPatience)
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
