package mu

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// alone is a core among peers that are memory and nothing else: they grant what they are
// asked for, and what is posted is executed when the test says so. It is for rules that
// one server has to keep whatever the others do.
type alone struct {
	*testing.T
	core  *Core
	cfg   Config
	now   time.Duration
	log   plain
	vote  plain
	peers map[ID]*memoryPeer
	up    map[Path]bool
	ops   []posted // not executed, oldest first
	posts []posted // all that ever were

	given       []Decided
	permitted   []Permission
	stored      Stored
	logged      []Logged
	confirmed   []uint64
	indexes     []uint64 // that were confirmed
	leased      time.Duration
	ended       func() // called when a lease ends early
	steppedDown int
	fetched     []ID
	formed      [][]ID
	dropped     []uint32 // groups
	rooms       int      // calls of Room
	roles       []Status // what was reported
	events      []string
	full        func(id ID) // called when a peer is told that it is full
	applied     uint64      // Applied has been called for so many of given
	slow        bool        // nothing is applied

	unpromised bool     // Promise fails
	connected  []Member // what Connect has asked for
}

type posted struct {
	Op
	bytes []byte // of a WRITE, when it was posted
}

// memoryPeer is a peer.
type memoryPeer struct {
	st      status
	log     plain
	vote    plain
	refuses bool // requests
	still   bool // its heartbeat
	stuck   bool // nothing is executed on its paths
	torn    int  // READs of its status that find it half-written
}

func newAlone(t *testing.T, id ID, members int, change func(*Config)) *alone {
	a := &alone{T: t, log: make(plain, MinLogSize), vote: make(plain, ElectionSize), peers: map[ID]*memoryPeer{}, up: map[Path]bool{}}
	a.cfg = Config{ID: id, Cluster: 7, Log: a.log, Election: a.vote, Patience: MinPatience}
	for i := range members {
		a.cfg.Members = append(a.cfg.Members, Member{ID: ID(i)})
	}
	if change != nil {
		change(&a.cfg)
		a.log = a.cfg.Log.(plain)
	}
	core, err := New(a.cfg, a)
	require.NoError(t, err)
	a.core = core
	for _, p := range core.peers {
		a.peer(p.id)
	}
	return a
}

func (a *alone) peer(id ID) *memoryPeer {
	if a.peers[id] == nil {
		p := &memoryPeer{log: make(plain, len(a.log)), vote: make(plain, ElectionSize)}
		p.st = status{cluster: 7, heartbeat: 1, incarnation: 1, state: Full, durable: a.cfg.Durable}
		a.peers[id] = p
		a.connect(id)
	}
	return a.peers[id]
}

func (a *alone) connect(id ID) {
	for _, k := range [...]Kind{Control, Replication} {
		p := Path{Peer: id, Kind: k}
		a.up[p] = true
		a.core.Up(a.now, p)
	}
}

// cut ends the paths to a peer, which is not heard of any more.
func (a *alone) cut(id ID) {
	a.peers[id].still = true
	for _, k := range [...]Kind{Replication, Control} {
		p := Path{Peer: id, Kind: k}
		a.up[p] = false
		a.drop(p)
		a.core.Down(a.now, p)
	}
}

func (a *alone) drop(p Path) {
	a.ops = slices.DeleteFunc(a.ops, func(o posted) bool { return o.Path == p })
}

// tick lets a millisecond pass at a time, and executes what is posted.
func (a *alone) tick(d time.Duration) {
	for end := a.now + d; a.now < end; {
		a.now += time.Millisecond
		for _, p := range a.peers {
			if !p.still {
				p.st.heartbeat++
			}
		}
		a.core.Tick(a.now)
		a.run()
	}
}

// run executes what is posted, and applies what is decided. Who waits for an answer asks
// again and again while no time passes.
func (a *alone) run() {
	for i := 0; i < 200 && a.step(); i++ {
	}
	a.apply()
}

func (a *alone) apply() {
	for !a.slow && a.applied < uint64(len(a.given)) {
		d := a.given[a.applied]
		a.applied++
		index := d.Index
		if d.Members == nil {
			index++
		}
		a.core.Applied(a.now, d.Position, index)
	}
}

// step executes the oldest operation that can be.
func (a *alone) step() bool {
	i := slices.IndexFunc(a.ops, func(o posted) bool { return o.Path.Kind == Group || !a.peers[o.Path.Peer].stuck })
	if i < 0 {
		return false
	}
	o := a.ops[i]
	a.ops = slices.Delete(a.ops, i, i+1)
	if o.Path.Kind != Group {
		a.execute(o, a.peers[o.Path.Peer])
	}
	a.core.Done(a.now, o.Path, 1)
	return true
}

func (a *alone) execute(o posted, p *memoryPeer) {
	region := p.log
	if o.Region == ElectionRegion {
		region = p.vote
		if p.st.encode(region); p.torn > 0 && o.Read {
			p.torn--
			region[40]++ // one byte of the promise is not there yet
		}
	}
	if o.Read {
		copy(o.Data, region[o.Offset:])
		return
	}
	require.Equal(a, o.bytes, []byte(o.Data), "the bytes of a WRITE have changed before it was executed")
	copy(region[o.Offset:], o.Data)
	if o.Region == ElectionRegion && o.Offset >= offRequest {
		var r request
		require.NoError(a, r.decode(o.Data))
		if !p.refuses && r.term >= p.st.promised {
			p.st.promised, p.st.seq, p.st.minGen, p.st.route = r.term, r.seq, r.minGen, r.route
			if r.full {
				p.st.state = Full
				if a.full != nil {
					a.full(o.Path.Peer)
				}
			}
		}
	}
}

// status is what others read of the core.
func (a *alone) status() (s status) {
	require.NoError(a, s.decode(a.vote))
	return s
}

// lead ticks until the core leads and what it leads is settled. If it has forgotten
// everything, so have the others.
func (a *alone) lead() {
	for _, p := range a.peers {
		if a.core.state == Recovering {
			p.st.state = Recovering
		}
	}
	for range 500 {
		if a.tick(time.Millisecond); a.core.role == Leader && a.core.confirmed() >= a.core.need() {
			return
		}
	}
	require.Fail(a, "it does not lead", "%q", a.events)
}

// asks has a server ask the core for permission.
func (a *alone) asks(r request) {
	r.cluster, r.durable = 7, a.cfg.Durable
	if r.incarnation == 0 {
		r.incarnation = 1
	}
	r.encode(a.vote[offRequest+requestLen*int(r.term.Leader()):])
	a.core.Poll(a.now)
}

// follow makes the core, which is not server 0, follow that one in term 5.
func (a *alone) follow() {
	a.tick(100 * time.Millisecond)
	p := a.peers[0]
	p.st.promised = 5 << 8
	a.tick(20 * time.Millisecond)
	a.asks(request{term: 5 << 8, seq: 1, full: true, target: a.core.incarnation})
	a.tick(20 * time.Millisecond)
	require.Equal(a, Term(5<<8), a.status().promised)
}

// writes puts an entry into the core's log, as its leader does, and returns its end.
func (a *alone) writes(e entry) uint64 {
	off := a.core.geo.slot(e.position)
	size := entrySize(len(e.record))
	e.encode(a.log[off : off+size])
	return e.position + size
}

func (a *alone) commits(position uint64) {
	binary.LittleEndian.PutUint64(a.log[offCommit:], position)
	a.core.Poll(a.now)
	a.apply()
}

// propose proposes a record, which must be accepted.
func (a *alone) propose(record string) {
	_, ok, err := a.core.Propose(a.now, []byte(record))
	require.NoError(a, err)
	require.True(a, ok)
	a.core.Flush(a.now)
}

// fill proposes until the core takes no more, and returns how many bytes of log that was.
func (a *alone) fill() uint64 {
	from := a.core.lead.tail
	for range 1000 {
		_, ok, err := a.core.Propose(a.now, make([]byte, 200))
		require.NoError(a, err)
		if !ok {
			return a.core.lead.tail - from
		}
		a.core.Flush(a.now)
		a.run()
	}
	require.Fail(a, "the log is never full")
	return 0
}

func (a *alone) records() (all []string) {
	for _, d := range a.given {
		if d.Members == nil && !d.Skip {
			all = append(all, string(d.Record))
		}
	}
	return all
}

func (a *alone) Post(op Op) {
	require.True(a, a.up[op.Path], "posts on %v, which is not up", op.Path)
	o := posted{Op: op}
	if !op.Read {
		o.bytes = slices.Clone(op.Data)
	}
	a.ops = append(a.ops, o)
	a.posts = append(a.posts, o)
}

func (a *alone) Reset(p Path) {
	a.drop(p)
	a.up[p] = false
}

func (a *alone) Permit(p Permission) {
	a.permitted = append(a.permitted, p)
	if a.cfg.Durable && a.core != nil && !a.unpromised {
		require.GreaterOrEqual(a, a.stored.Promised, p.Term, "a permission that is not on disk")
	}
}

func (a *alone) Apply(d Decided) {
	d.Record = slices.Clone(d.Record)
	a.given = append(a.given, d)
}

func (a *alone) FormGroup(gen uint32, _ Term, members []ID, _ int) {
	a.formed = append(a.formed, members)
	a.up[Path{Kind: Group, Gen: gen}] = false
}

func (a *alone) DropGroup(gen uint32) {
	a.drop(Path{Kind: Group, Gen: gen})
	a.dropped = append(a.dropped, gen)
}
func (a *alone) Fetch(from ID) { a.fetched = append(a.fetched, from) }
func (a *alone) Role(s Status) { a.roles = append(a.roles, s) }
func (a *alone) SteppedDown()  { a.steppedDown++ }
func (a *alone) Room()         { a.rooms++ }
func (a *alone) Leased(until time.Duration) {
	if a.leased = until; until == 0 && a.ended != nil {
		a.ended()
	}
}
func (a *alone) Confirmed(id, index uint64) {
	a.confirmed, a.indexes = append(a.confirmed, id), append(a.indexes, index)
}
func (a *alone) Promise(s Stored) bool {
	if !a.unpromised {
		a.stored = s
	}
	return !a.unpromised
}
func (a *alone) Log(l Logged)             { l.Bytes = slices.Clone(l.Bytes); a.logged = append(a.logged, l) }
func (a *alone) Connect(members []Member) { a.connected = members }

func (a *alone) Eventf(format string, args ...any) {
	a.events = append(a.events, fmt.Sprintf(format, args...))
}
