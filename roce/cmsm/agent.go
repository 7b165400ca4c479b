package cmsm

import (
	"cmp"
	"container/heap"
	"time"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

// Config is what an Agent keeps for its life.
type Config struct {
	// Seed sets the first comm id and transaction id. Use a random value, so that
	// a restarted agent does not repeat its predecessor's.
	Seed uint64
	// ResponseTimeout is the time after which a message is repeated; default
	// 500 ms. It is told to the peer, rounded up to a timer code.
	ResponseTimeout time.Duration
	// MaxRetries is how often a message is repeated, 0 to 15; default 7.
	MaxRetries int
	// TimeWait is how long an ended connection is remembered; default 4 s.
	TimeWait time.Duration
	// OwnerTimeout bounds the time that the owner, or a peer that sends MRA,
	// may take; default 60 s.
	OwnerTimeout time.Duration
	// MaxConns is the number of connections, those in timeWait included, beyond
	// which REQs are refused; default 65536.
	MaxConns int
	// GUID identifies this side in REQ and REP.
	GUID uint64
}

func (c *Config) setDefaults() {
	c.ResponseTimeout = cmp.Or(c.ResponseTimeout, 500*time.Millisecond)
	c.TimeWait = cmp.Or(c.TimeWait, 4*time.Second)
	c.OwnerTimeout = cmp.Or(c.OwnerTimeout, time.Minute)
	c.MaxRetries = cmp.Or(c.MaxRetries, 7)
	c.MaxRetries = min(c.MaxRetries, 15)
	c.MaxConns = cmp.Or(c.MaxConns, 1<<16)
}

// Never is a deadline that does not come.
const Never = time.Duration(1<<63 - 1)

// remoteKey finds a connection by what the peer calls it, or by its queue pair.
type remoteKey struct {
	addr wire.Addr
	id   uint32
}

// Agent runs the connections of one address space: a host, or a switch.
//
// Invariant: every connection is in byLocal under its comm id; passive ones are
// also in byREQ under the peer's address and comm id, which is what makes a
// repeated REQ known. byQP holds the latest passive connection of each of a
// peer's queue pairs.
type Agent struct {
	cfg     Config
	byLocal map[uint32]*Conn
	byREQ   map[remoteKey]*Conn
	byQP    map[remoteKey]*Conn
	timers  timerHeap
	nextID  uint32
	tid     uint64
	out     []Outgoing
	events  []Event
	count   Counters
}

// NewAgent makes an agent without connections.
func NewAgent(cfg Config) *Agent {
	cfg.setDefaults()
	return &Agent{
		cfg: cfg, byLocal: map[uint32]*Conn{}, byREQ: map[remoteKey]*Conn{}, byQP: map[remoteKey]*Conn{},
		nextID: uint32(cfg.Seed), tid: cfg.Seed,
	}
}

// Counters returns a copy of the counters.
func (a *Agent) Counters() Counters { return a.count }

// Len returns the number of connections, those in timeWait included.
func (a *Agent) Len() int { return len(a.byLocal) }

// Conn finds a connection by its local comm id, or returns nil.
func (a *Agent) Conn(localID uint32) *Conn { return a.byLocal[localID] }

func (a *Agent) nextTID() uint64 {
	a.tid++
	return a.tid
}

// newConn makes a connection with an unused comm id, never 0.
func (a *Agent) newConn(local, remote wire.Addr) *Conn {
	for {
		a.nextID++
		if _, used := a.byLocal[a.nextID]; !used && a.nextID != 0 {
			break
		}
	}
	c := &Conn{agent: a, local: local, remote: remote, localID: a.nextID, index: -1}
	a.byLocal[c.localID] = c
	return c
}

// Connect sends a REQ. req is the owner's but for the comm id, the GUID and the
// CM timers; it must not be changed afterwards.
func (a *Agent) Connect(now time.Duration, local, remote wire.Addr, req *cm.REQ) *Conn {
	c := a.newConn(local, remote)
	c.active, c.req, c.tid = true, req, a.nextTID()
	req.LocalCommID, req.CAGUID = c.localID, a.cfg.GUID
	code := TimeoutCode(a.cfg.ResponseTimeout)
	req.RemoteCMTimeout, req.LocalCMTimeout, req.MaxCMRetries = code, code, uint8(a.cfg.MaxRetries)
	c.state = reqSent
	c.transmit(now, c.tid, req)
	return c
}

// Receive takes a message that came from remote, addressed to local.
func (a *Agent) Receive(now time.Duration, local, remote wire.Addr, tid uint64, m cm.Message) {
	if req, ok := m.(*cm.REQ); ok {
		a.receiveREQ(now, local, remote, tid, req)
		return
	}
	c := a.find(remote, m)
	if c == nil {
		a.unknown(local, remote, tid, m)
		return
	}
	switch m := m.(type) {
	case *cm.REP:
		c.receiveREP(now, m)
	case *cm.RTU:
		c.receiveRTU()
	case *cm.MRA:
		c.receiveMRA(now, m)
	case *cm.REJ:
		c.receiveREJ(now, m)
	case *cm.DREQ:
		c.receiveDREQ(now, tid, m)
	case *cm.DREP:
		c.receiveDREP(now)
	}
}

// find looks up the connection that a message names. Its ids must fit those of
// the connection, as far as these are known.
func (a *Agent) find(remote wire.Addr, m cm.Message) *Conn {
	var theirs, ours uint32
	switch m := m.(type) {
	case *cm.REP:
		theirs, ours = m.LocalCommID, m.RemoteCommID
	case *cm.RTU:
		theirs, ours = m.LocalCommID, m.RemoteCommID
	case *cm.MRA:
		theirs, ours = m.LocalCommID, m.RemoteCommID
	case *cm.DREQ:
		theirs, ours = m.LocalCommID, m.RemoteCommID
	case *cm.DREP:
		theirs, ours = m.LocalCommID, m.RemoteCommID
	case *cm.REJ:
		theirs, ours = m.LocalCommID, m.RemoteCommID
		if ours == 0 {
			// The peer gave up a REQ that we have not answered.
			return a.byREQ[remoteKey{remote, theirs}]
		}
		if c := a.byLocal[ours]; c != nil && c.remote == remote && theirs == 0 {
			return c // rejected without making a comm id
		}
	}
	c := a.byLocal[ours]
	if c == nil || c.remote != remote || c.remoteID != 0 && c.remoteID != theirs {
		return nil
	}
	return c
}

// unknown answers messages about connections that are not here, so that the peer
// does not have to wait for its timeouts.
func (a *Agent) unknown(local, remote wire.Addr, tid uint64, m cm.Message) {
	a.count.Unknown++
	switch m := m.(type) {
	case *cm.DREQ:
		a.push(local, remote, tid, &cm.DREP{LocalCommID: m.RemoteCommID, RemoteCommID: m.LocalCommID})
	case *cm.REP:
		a.push(local, remote, tid, &cm.REJ{
			LocalCommID: m.RemoteCommID, RemoteCommID: m.LocalCommID, Rejected: cm.KindREP, Reason: cm.ReasonInvalidCommID,
		})
	}
}

func (a *Agent) receiveREQ(now time.Duration, local, remote wire.Addr, tid uint64, req *cm.REQ) {
	key := remoteKey{remote, req.LocalCommID}
	if c := a.byREQ[key]; c != nil {
		switch {
		case c.req.LocalQPN == req.LocalQPN && c.req.StartingPSN == req.StartingPSN && c.local == local:
			c.receiveREQ()
			return
		case c.state == timeWait:
			c.end() // the peer uses the comm id again
		default:
			// A restarted peer uses the comm id again for something new.
			c.forget(now)
			c.end()
		}
	}
	if stale := a.sameQP(remote, req.LocalQPN); stale != nil {
		// IB spec 12.9.8.3.1: the peer has forgotten the old connection. It is
		// told so, and tries again when ours is gone.
		a.count.StaleREQ++
		stale.forget(now)
		a.refuse(local, remote, tid, req, cm.ReasonStaleConnection)
		return
	}
	if len(a.byLocal) >= a.cfg.MaxConns {
		a.count.Overload++
		a.refuse(local, remote, tid, req, cm.ReasonNoResources)
		return
	}
	c := a.newConn(local, remote)
	c.remoteID, c.remoteQPN, c.req, c.tid = req.LocalCommID, req.LocalQPN, req, tid
	c.state = requested
	a.byREQ[key] = c
	a.byQP[remoteKey{remote, req.LocalQPN}] = c
	a.setTimer(c, now+a.cfg.OwnerTimeout)
	a.emit(Event{Kind: Requested, Conn: c, REQ: req})
}

func (a *Agent) refuse(local, remote wire.Addr, tid uint64, req *cm.REQ, reason cm.Reason) {
	a.push(local, remote, tid, &cm.REJ{RemoteCommID: req.LocalCommID, Rejected: cm.KindREQ, Reason: reason})
}

// sameQP finds a live passive connection with the peer's queue pair.
func (a *Agent) sameQP(remote wire.Addr, qpn uint32) *Conn {
	if c := a.byQP[remoteKey{remote, qpn}]; c != nil && (c.state == established || c.state == repSent) {
		return c
	}
	return nil
}

// Deadline returns when Tick must be called next, or Never.
func (a *Agent) Deadline() time.Duration {
	if len(a.timers) == 0 {
		return Never
	}
	return a.timers[0].deadline
}

// Tick handles everything that is due at now.
func (a *Agent) Tick(now time.Duration) {
	for len(a.timers) > 0 && a.timers[0].deadline <= now {
		c := a.timers[0]
		a.stopTimer(c)
		c.timeout(now)
	}
}

// PollMessage takes the next message to send.
func (a *Agent) PollMessage() (Outgoing, bool) {
	if len(a.out) == 0 {
		return Outgoing{}, false
	}
	m := a.out[0]
	a.out = a.out[1:]
	return m, true
}

// PollEvent takes the next event.
func (a *Agent) PollEvent() (Event, bool) {
	if len(a.events) == 0 {
		return Event{}, false
	}
	e := a.events[0]
	a.events = a.events[1:]
	return e, true
}

func (a *Agent) emit(e Event) { a.events = append(a.events, e) }

func (a *Agent) push(local, remote wire.Addr, tid uint64, m cm.Message) {
	a.out = append(a.out, Outgoing{Local: local, Remote: remote, TID: tid, Message: m})
}

func (a *Agent) send(c *Conn, tid uint64, m cm.Message) { a.push(c.local, c.remote, tid, m) }

func (a *Agent) remove(c *Conn) {
	a.stopTimer(c)
	delete(a.byLocal, c.localID)
	if !c.active {
		key := remoteKey{c.remote, c.remoteID}
		if a.byREQ[key] == c {
			delete(a.byREQ, key)
		}
		if key.id = c.remoteQPN; a.byQP[key] == c {
			delete(a.byQP, key)
		}
	}
}

func (a *Agent) setTimer(c *Conn, at time.Duration) {
	c.deadline = at
	if c.index >= 0 {
		heap.Fix(&a.timers, c.index)
		return
	}
	heap.Push(&a.timers, c)
}

func (a *Agent) stopTimer(c *Conn) {
	if c.index >= 0 {
		heap.Remove(&a.timers, c.index)
	}
}

// timerHeap orders connections by deadline, and by comm id where these are
// equal, so that runs are reproducible.
type timerHeap []*Conn

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if h[i].deadline != h[j].deadline {
		return h[i].deadline < h[j].deadline
	}
	return h[i].localID < h[j].localID
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) Push(x any) {
	c := x.(*Conn)
	c.index = len(*h)
	*h = append(*h, c)
}

func (h *timerHeap) Pop() any {
	old := *h
	c := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	c.index = -1
	return c
}
