package consensus

import (
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/mu/rig"
)

// maxServers is how many servers a world can have.
const maxServers = 8

// machine is the service: how far it has got, and who is a member.
type machine struct {
	pos, index uint64
	members    []mu.Member
}

// conn is a connection of one server, as requester.
type conn struct {
	up     bool
	broken bool // the responder, or the network, is gone: it can only end
	toLife int
	posted []mu.Op
	done   []result
}

// result is an operation that was executed and not reported.
type result struct {
	to, data []byte // of a READ
}

// group is a connection to a group, as its owner has it.
type group struct {
	gen     uint32
	term    mu.Term
	need    int
	members []member
	formed  bool
	broken  bool
	posted  []mu.Op // not executed by all
	base    int     // number of posted[0]
	acked   int     // operations that were reported
}

type member struct {
	id, life int
	done     int // operations executed
	stuck    bool
}

type waiting struct {
	index  uint64
	record string
}

type asked struct {
	id   uint64
	want uint64 // index that it must cover
}

// server is one server. It belongs to one world, which alone may change it; others
// that share it copy it first (World.own).
type server struct {
	w     *World
	owner *int
	id    int
	up    bool
	cut   bool
	life  int
	clock time.Duration

	core          *mu.Core
	log, election rig.Memory
	perm          mu.Permission
	conns         [maxServers][2]conn
	groups        []group
	want          []mu.ID

	machine  machine
	disk     machine
	given    uint64
	queue    []mu.Decided
	fetching int // from whom; -1: not
	waits    []waiting
	barriers []asked
	journal  journal
	pasts    []past
	last     mu.Status
	lead     mu.Term // the last term that it has led in

	ticked bool      // nothing has happened since its last tick, which would do nothing now
	sum    [2]uint64 // of the canonical bytes
}

func (s *server) clone(w *World) *server {
	n := *s
	n.w, n.owner = w, w.token
	n.log, n.election = slices.Clone(s.log), slices.Clone(s.election)
	move := func(b []byte) []byte { return b }
	if s.core != nil {
		n.core, move = s.core.Clone(&n, n.log, n.election)
	}
	// What is read must not go where another world looks.
	moveOp := func(op mu.Op) mu.Op {
		data := move(op.Data)
		if op.Read && len(data) > 0 && &data[0] == &op.Data[0] {
			data = slices.Clone(data)
		}
		op.Data = data
		return op
	}
	for i := range n.conns {
		for k := range n.conns[i] {
			c := &n.conns[i][k]
			if len(c.posted) == 0 && len(c.done) == 0 {
				continue
			}
			c.posted, c.done = slices.Clone(c.posted), slices.Clone(c.done)
			for j := range c.posted {
				c.posted[j] = moveOp(c.posted[j])
			}
			for j, r := range c.done {
				if len(r.to) > 0 {
					c.done[j].to = moveOp(mu.Op{Read: true, Data: r.to}).Data
				}
			}
		}
	}
	n.groups = slices.Clone(s.groups)
	for i := range n.groups {
		g := &n.groups[i]
		g.members, g.posted = slices.Clone(g.members), slices.Clone(g.posted)
		for j := range g.posted {
			g.posted[j] = moveOp(g.posted[j])
		}
	}
	n.journal.open = slices.Clone(s.journal.open)
	n.queue, n.waits, n.barriers = slices.Clone(s.queue), slices.Clone(s.waits), slices.Clone(s.barriers)
	return &n
}

func (s *server) say(format string, args ...any) {
	s.w.Line(s.id, s.id, false, format, args...)
}

// start begins a life.
func (s *server) start() {
	w := s.w
	s.life++
	s.up = true
	s.log, s.election = make(rig.Memory, mu.MinLogSize), make(rig.Memory, mu.ElectionSize)
	s.conns, s.groups, s.want = [maxServers][2]conn{}, nil, nil
	s.machine, s.given, s.last = s.disk, s.disk.pos, mu.Status{}
	s.queue, s.waits, s.barriers, s.fetching = nil, nil, nil, -1
	s.replay()
	core, err := mu.New(mu.Config{
		ID: mu.ID(s.id), Cluster: 7, Members: s.machine.members, Log: s.log, Election: s.election,
		Position: s.machine.pos, Index: s.machine.index, Switch: w.m.bounds.Switch, Durable: w.m.bounds.Durable, Stored: s.journal.stored, Kept: rig.End(s.journal.entries),
		HeartbeatEvery: beat, Patience: mu.MinPatience, StallAfter: time.Hour, RepairAfter: time.Hour, SlowAfter: time.Hour, QuietFor: time.Hour, RetryGroup: beat,
	}, s)
	if err != nil {
		w.violate("server %d does not start: %v", s.id, err)
		return
	}
	s.core = core
}

// crash ends a life. What it held counts as held.
func (s *server) crash() {
	if !s.w.m.bounds.Durable {
		s.pasts = append(slices.Clip(s.pasts), past{s.given, s.log})
	}
	s.up = false
	for _, o := range s.w.servers {
		if o.id != s.id {
			for k := range o.conns[s.id] {
				if o.conns[s.id][k].up {
					s.w.own(o.id).conns[s.id][k].broken = true
				}
			}
		}
	}
	for to := range s.conns {
		s.w.leave(s, to)
	}
	s.core, s.conns, s.groups = nil, [maxServers][2]conn{}, nil
	s.log, s.election = nil, nil
	s.queue, s.waits, s.barriers, s.want = nil, nil, nil, nil
	s.machine, s.given, s.last, s.fetching = machine{}, 0, mu.Status{}, -1
	s.perm = mu.Permission{None: true}
}

// Post implements mu.Env.
func (s *server) Post(op mu.Op) {
	if op.Path.Kind == mu.Group {
		for i := range s.groups {
			if g := &s.groups[i]; g.gen == op.Path.Gen && g.formed {
				g.posted = append(g.posted, op)
				return
			}
		}
		s.w.violate("server %d posts to group %d, which is not up", s.id, op.Path.Gen)
		return
	}
	c := &s.conns[op.Path.Peer][op.Path.Kind]
	if !c.up || op.Path.Route != 0 {
		s.w.violate("server %d posts on path %v, which is not up", s.id, op.Path)
		return
	}
	c.posted = append(c.posted, op)
}

// Reset implements mu.Env.
func (s *server) Reset(path mu.Path) { s.w.end(s, int(path.Peer), path.Kind) }

// Permit implements mu.Env.
func (s *server) Permit(p mu.Permission) {
	if p != s.perm {
		if p.None {
			s.say("lets nobody write its log")
		} else {
			s.say("lets server %d write its log, in term %v", p.Term.Leader(), p.Term)
		}
	}
	s.perm = p
}

// Apply implements mu.Env.
func (s *server) Apply(d mu.Decided) {
	d.Record = slices.Clone(d.Record)
	if !d.Skip {
		s.w.checkApplied(s, d)
	}
	s.given = d.Position
	s.queue = append(s.queue, d)
	if d.Skip {
		return
	}
	if d.Members != nil {
		s.say("applies membership of %d servers", len(d.Members))
		s.w.Reach(goalMembers)
		return
	}
	s.say("applies %s", d.Record[:1])
	for i, p := range s.waits {
		if p.index == d.Index {
			s.w.checkReported(s, p.record, d)
			s.waits = slices.Delete(s.waits, i, i+1)
			break
		}
	}
}

// applied tells the core that everything it has given is applied.
func (s *server) applied() {
	if len(s.queue) == 0 || !s.up {
		return
	}
	for _, d := range s.queue {
		if d.Position <= s.machine.pos {
			s.w.violate("server %d applies position %d again", s.id, d.Position)
		}
		s.machine.pos, s.machine.index = d.Position, d.Index
		if d.Skip {
			continue
		}
		if d.Members != nil {
			s.machine.members = d.Members
			if rig.Has(d.Members, s.id) {
				s.disk = s.machine // a membership is on disk before it counts as applied
			}
		} else {
			s.machine.index++
		}
	}
	s.queue = nil
	s.core.Applied(s.clock, s.machine.pos, s.machine.index)
}

// Fetch implements mu.Env.
func (s *server) Fetch(from mu.ID) { s.fetching = int(from) }

// FormGroup implements mu.Env.
func (s *server) FormGroup(gen uint32, term mu.Term, members []mu.ID, need int) {
	g := group{gen: gen, term: term, need: need}
	for _, id := range members {
		g.members = append(g.members, member{id: int(id)})
	}
	s.groups = append(s.groups, g)
}

// DropGroup implements mu.Env.
func (s *server) DropGroup(gen uint32) {
	if i := slices.IndexFunc(s.groups, func(g group) bool { return g.gen == gen }); i >= 0 {
		s.w.leaveGroup(s, i)
	}
}

// Role implements mu.Env.
func (s *server) Role(r mu.Status) {
	if r.Role == mu.Leader && r.Mode == mu.Accelerated {
		s.w.Reach(goalAccelerated)
	}
}

// SteppedDown implements mu.Env.
func (s *server) SteppedDown() { s.waits, s.barriers = nil, nil }

// Room implements mu.Env.
func (s *server) Room() {}

// Leased implements mu.Env: there are no leases, Config.Lease is 0.
func (s *server) Leased(time.Duration) {}

// Confirmed implements mu.Env.
func (s *server) Confirmed(id, index uint64) {
	for i, b := range s.barriers {
		if b.id == id {
			s.say("a read barrier is confirmed, at record %d", index)
			s.w.Reach(goalBarrier)
			if index < b.want {
				s.w.violate("server %d confirms a read barrier at record %d, but %d were reported before it was asked for", s.id, index, b.want)
			}
			s.barriers = slices.Delete(s.barriers, i, i+1)
			return
		}
	}
}

// journal is what a server has on disk beside its state.
type journal struct {
	stored  mu.Stored
	entries []mu.Logged // in the order in which they were written
	open    []mu.Logged // not on disk yet
}

// Promise implements mu.Env.
func (s *server) Promise(p mu.Stored) bool {
	s.journal.stored = p
	return true
}

// Log implements mu.Env.
func (s *server) Log(e mu.Logged) {
	e.Bytes = slices.Clone(e.Bytes)
	s.journal.open = append(s.journal.open, e)
}

// written tells the core that everything it has logged is on disk.
func (s *server) written() {
	j := &s.journal
	last := j.open[len(j.open)-1]
	j.entries = append(slices.Clip(j.entries), j.open...)
	j.open = nil
	s.say("has what it has logged on disk, up to %d", last.End)
	s.core.Logged(s.clock, last.Term, last.End)
}

// replay puts what is on disk into the log.
func (s *server) replay() {
	j := &s.journal
	j.open = nil
	if !s.w.m.bounds.Durable || !j.stored.Full {
		j.entries = nil
		return
	}
	r := mu.Replay{Region: s.log, Position: s.machine.pos, Index: s.machine.index, Apply: func(d mu.Decided) error {
		d.Record = slices.Clone(d.Record)
		s.w.checkApplied(s, d)
		s.given = d.Position
		if d.Members != nil {
			s.machine.members = d.Members
		}
		return nil
	}}
	for _, e := range j.entries {
		if err := r.Add(e); err != nil {
			s.w.violate("server %d does not start: %v", s.id, err)
		}
	}
	s.machine.pos, s.machine.index, s.given = r.Position, r.Index, r.Position
	s.disk = s.machine
}

// onDisk reports whether a server has an entry on disk.
func (s *server) onDisk(d *decision) bool {
	// Of several there, the last one is what a server finds that starts again.
	i := len(s.journal.entries) - 1
	for i >= 0 && s.journal.entries[i].End != d.pos {
		i--
	}
	return s.disk.pos >= d.pos || i >= 0 && rig.Written(s.journal.entries[i:i+1], mu.MinLogSize, d.decided())
}

// Connect implements mu.Env.
func (s *server) Connect(members []mu.Member) {
	s.want = nil
	for _, m := range members {
		s.want = append(s.want, m.ID)
	}
	for to := range s.conns {
		if !slices.Contains(s.want, mu.ID(to)) {
			s.w.leave(s, to)
		}
	}
}

// Eventf implements mu.Env.
func (s *server) Eventf(format string, args ...any) {
	switch {
	case strings.HasPrefix(format, "leads in term"):
		if n, ok := args[len(args)-1].(int); ok && n > 0 {
			s.w.Reach(goalAdopted)
		}
		s.w.Reach(goalElected)
	case strings.HasPrefix(format, "falls back"):
		s.w.Reach(goalFallback)
	case strings.HasPrefix(format, "full member again"):
		s.w.Reach(goalRejoined)
	}
	s.say(format, args...)
}
