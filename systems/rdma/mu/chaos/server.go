package chaos

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/mu/rig"
)

// machine is the service: it remembers what it has applied, as a hash.
type machine struct {
	pos, index uint64
	sum        [32]byte
	members    []mu.Member
}

func (m *machine) apply(d mu.Decided) {
	m.pos, m.index = d.Position, d.Index
	if d.Skip {
		return
	}
	if d.Members != nil {
		m.members = d.Members
		return
	}
	m.index++
	m.sum = sha256.Sum256(append(m.sum[:], d.Record...))
}

// server is one server; its life is counted, because what belongs to an earlier
// life must not reach a later one.
type server struct {
	w      *World
	id     int
	life   int
	up     bool
	held   bool // paused: its device goes on serving
	gone   bool // for good
	late   []func()
	slow   time.Duration // applying takes up to this
	busy   time.Duration // until when its device has operations to serve
	paused map[mu.Path]time.Duration
	miss   int           // WRITEs of groups that it will miss
	offset time.Duration // of its clock
	rate   float64

	core     *mu.Core
	log      rig.Memory
	election rig.Memory
	perm     mu.Permission
	allowed  bool // perm is of this life
	out      map[mu.Path]*conn
	in       map[inKey]*conn
	want     []mu.Member
	wanted   []mu.Member // the last change that was asked for here
	last     mu.Status

	lease    time.Duration // by its clock
	machine  machine
	disk     machine // what survives
	journal  journal // and that, if the world is durable
	pasts    []past
	lost     []lostDisk
	kept     *copied // of its disk, by an operator
	given    uint64  // position of the first entry that the core has not read
	queue    []mu.Decided
	applying bool

	// Clients.
	waiting     map[uint64]string // index -> record proposed here
	told        map[uint64]bool   // decided here, reported when it is applied
	pending     []string
	barriers    map[uint64]uint64 // id -> what it must cover
	lastBarrier uint64
	greeted     mu.Term // Eager: the last term that was used at once
}

type inKey struct {
	from int
	path mu.Path
}

func (w *World) newServer(id int) *server {
	s := &server{w: w, id: id, rate: 1}
	if w.opt.Skew > 0 {
		s.offset = w.between(0, time.Hour)
		s.rate += w.opt.Skew * (2*w.rng.Float64() - 1)
	}
	return s
}

// clock is what the server takes the time for.
func (s *server) clock() time.Duration {
	return s.offset + time.Duration(s.rate*float64(s.w.Now()))
}

// do runs f in this life of the server, when it is not paused.
func (s *server) do(d time.Duration, f func()) {
	life := s.life
	var run func()
	run = func() {
		if s.life != life || !s.up {
			return
		}
		if s.held {
			s.late = append(s.late, run)
			return
		}
		f()
	}
	s.w.after(d, run)
}

func (s *server) start() {
	w := s.w
	s.life++
	s.up, s.held, s.late = true, false, nil
	s.log = make(rig.Memory, w.opt.LogSize)
	s.election = make(rig.Memory, mu.ElectionSize)
	s.out, s.in, s.want = map[mu.Path]*conn{}, map[inKey]*conn{}, nil
	s.told = map[uint64]bool{}
	s.waiting, s.barriers, s.pending, s.queue, s.applying = map[uint64]string{}, map[uint64]uint64{}, nil, nil, false
	if !rig.Has(s.disk.members, s.id) {
		s.disk = machine{} // it was never a member, or is none any more: it waits to be added
	}
	s.machine, s.given, s.last = s.disk, s.disk.pos, mu.Status{}
	s.allowed, s.lease = false, 0
	s.replay()
	cfg := mu.Config{
		ID: mu.ID(s.id), Cluster: uint64(w.number), Members: s.machine.members, Log: s.log, Election: s.election,
		Position: s.machine.pos, Index: s.machine.index, Switch: w.opt.Switch,
		Lease: w.opt.Lease, Durable: w.opt.Durable, Stored: s.journal.stored, Kept: rig.End(s.journal.entries), Life: uint64(s.life),
		RequestEvery: w.opt.Request, MaxGen: uint32(w.opt.Gens), Patience: mu.MinPatience,
	}
	if len(cfg.Members) == 0 {
		cfg.Incarnation = uint64(s.life) // of a clock: it knows no peer that could say what the last one was
	}
	if w.opt.Config != nil {
		w.opt.Config(&cfg)
	}
	w.tracef(s.id, "starts at position %d", s.machine.pos)
	core, err := mu.New(cfg, s)
	if err != nil {
		w.violate("server %d does not start: %v", s.id, err)
		return
	}
	s.core = core
	s.tick()
}

func (s *server) tick() {
	s.do(s.w.between(900*time.Microsecond, 1100*time.Microsecond), func() {
		s.core.Tick(s.clock())
		s.checkLease()
		s.propose()
		s.checkStatus()
		s.tick()
	})
}

// crash ends the process: memory is lost, and of the disk what was not synced.
func (s *server) crash() {
	s.up = false
	s.life++
	if len(s.pasts) == pasts {
		s.pasts = s.pasts[1:]
	}
	s.pasts = append(s.pasts, past{s.log, s.machine.pos})
	for _, c := range s.out {
		c.dead = true
	}
	for _, c := range s.in {
		c.broken = true
	}
	s.out, s.in = map[mu.Path]*conn{}, map[inKey]*conn{}
	s.w.sw.forget(s)
	s.w.Stats.Crashes++
}

// sync brings what is applied to disk.
//
// A server keeps nothing that says that it is no member. If it is not one yet, it
// starts again with nothing. If it is none any more, the others may not know yet, and
// need it as the member that it was if the power fails now.
func (s *server) sync() {
	if !rig.Has(s.machine.members, s.id) {
		return
	}
	s.disk = s.machine
	s.journal.trim(s.disk.pos)
}

// Post implements mu.Env.
func (s *server) Post(op mu.Op) {
	if op.Path.Kind == mu.Group {
		s.w.sw.post(s, op)
		return
	}
	c := s.out[op.Path]
	if c == nil {
		s.w.violate("server %d posts on path %v, which is not up", s.id, op.Path)
		return
	}
	c.post(op)
}

// Reset implements mu.Env.
func (s *server) Reset(path mu.Path) {
	if c := s.out[path]; c != nil {
		c.dead = true
		delete(s.out, path)
	}
	s.dial(path, 0)
}

// Permit implements mu.Env.
func (s *server) Permit(p mu.Permission) {
	switch {
	case p == s.perm && s.allowed:
	case p.None:
		s.w.tracef(s.id, "lets nobody write")
	case p.MinGen > 0:
		s.w.tracef(s.id, "lets server %d write in term %v, route %d, groups from %d", p.Term.Leader(), p.Term, p.Route, p.MinGen)
	default:
		s.w.tracef(s.id, "lets server %d write in term %v, route %d", p.Term.Leader(), p.Term, p.Route)
	}
	s.perm, s.allowed = p, true
}

// allows reports whether a write may be executed.
func (s *server) allows(from int, path mu.Path, term mu.Term) bool {
	return s.allowed && s.perm.Allows(mu.ID(from), path, term)
}

// Apply implements mu.Env.
func (s *server) Apply(d mu.Decided) {
	if !d.Skip {
		s.w.checkApplied(s, d)
	}
	s.given = d.Position
	d.Record = append([]byte(nil), d.Record...)
	s.queue = append(s.queue, d)
	if d.Skip {
		s.applySoon()
		return
	}
	want, waiting := s.waiting[d.Index]
	switch {
	case d.Members != nil:
		s.w.tracef(s.id, "applies membership %v", rig.IDs(d.Members))
		s.w.Stats.Members++
	case waiting:
		delete(s.waiting, d.Index)
		s.told[d.Index] = true
		s.w.Stats.Decided++
		s.w.noted(s.id, "decides", name(string(d.Record)))
		s.w.checkReported(s, want, d)
	default:
		s.w.noted(s.id, "applies", name(string(d.Record)))
	}
	s.applySoon()
}

func (s *server) applySoon() {
	if s.applying || len(s.queue) == 0 {
		return
	}
	s.applying = true
	d := s.w.between(0, 50*time.Microsecond)
	if s.w.chance(0.002) {
		d = s.w.between(0, 20*time.Millisecond)
	}
	if s.slow > 0 {
		d = s.w.between(0, s.slow)
	}
	s.do(d, func() {
		s.applying = false
		if len(s.queue) == 0 {
			return // a snapshot has come
		}
		// A membership is on disk before it counts as applied: who is needed to start
		// again after a loss of power must be known then.
		sync := s.w.chance(0.2)
		for _, d := range s.queue {
			if d.Position <= s.machine.pos {
				s.w.violate("server %d applies position %d again", s.id, d.Position)
			}
			s.machine.apply(d)
			if s.told[d.Index] {
				delete(s.told, d.Index)
				s.w.told = max(s.w.told, d.Index+1)
			}
			sync = sync || d.Members != nil
		}
		s.queue = s.queue[:0]
		if sync {
			s.sync()
		}
		s.core.Applied(s.clock(), s.machine.pos, s.machine.index)
	})
}

// Fetch implements mu.Env.
func (s *server) Fetch(from mu.ID) {
	s.w.Stats.Snapshots++
	s.do(s.w.between(time.Millisecond, 5*time.Millisecond), func() {
		o := s.w.servers[from]
		if o == nil || !o.up || s.w.severed(s.id, o.id) {
			s.core.Fetched(s.clock(), false, 0, 0, nil)
			return
		}
		image := o.machine
		if !o.held {
			o.core.Hold(o.clock(), mu.ID(s.id), image.pos)
		}
		s.do(s.w.between(time.Millisecond, 20*time.Millisecond), func() {
			if image.pos <= s.given {
				s.core.Fetched(s.clock(), false, 0, 0, nil) // it has got further meanwhile
				return
			}
			s.w.tracef(s.id, "has the state at position %d of server %d", image.pos, from)
			s.machine, s.given, s.queue = image, image.pos, s.queue[:0]
			s.sync()
			s.core.Fetched(s.clock(), true, image.pos, image.index, image.members)
		})
	})
}

// FormGroup implements mu.Env.
func (s *server) FormGroup(gen uint32, term mu.Term, members []mu.ID, need int) {
	s.w.sw.form(s, gen, term, members, need)
}

// DropGroup implements mu.Env.
func (s *server) DropGroup(gen uint32) { s.w.sw.drop(s, gen) }

// Role implements mu.Env.
func (s *server) Role(r mu.Status) {
	if r.Role == mu.Leader && r.Mode == mu.Direct {
		s.w.Stats.Leaders++
	}
	if r.Mode == mu.Accelerated {
		s.w.Stats.Accelerated++
	}
}

// SteppedDown implements mu.Env.
func (s *server) SteppedDown() {
	s.w.Stats.Unknown += len(s.waiting)
	clear(s.waiting)
	clear(s.barriers)
}

// Room implements mu.Env.
func (s *server) Room() {
	s.do(0, func() {
		if st := s.core.Status(); s.w.opt.Eager && st.Role == mu.Leader && st.Term != s.greeted {
			s.greeted = st.Term
			what := s.w.rng.IntN(3)
			if what != 0 {
				s.w.Barrier(s.id)
			}
			if what != 1 {
				s.pending = append(s.pending, fmt.Sprintf("first-%v", st.Term))
			}
		}
		s.propose()
	})
}

// Confirmed implements mu.Env.
func (s *server) Confirmed(id, index uint64) {
	s.w.Stats.Barriers++
	if want, ok := s.barriers[id]; ok && index < want {
		s.w.violate("server %d confirms a read barrier at record %d, but %d were reported before", s.id, index, want)
	}
	delete(s.barriers, id)
}

// Leased implements mu.Env.
func (s *server) Leased(until time.Duration) {
	s.lease = until
	s.checkLease()
}

// Promise implements mu.Env.
func (s *server) Promise(p mu.Stored) bool {
	if !s.w.opt.Durable {
		s.w.Stats.Carried++
	}
	s.journal.stored = p
	return true
}

// Log implements mu.Env.
func (s *server) Log(e mu.Logged) { s.write(e) }

// Eventf implements mu.Env.
func (s *server) Eventf(format string, args ...any) {
	switch {
	case strings.HasSuffix(format, "repaired directly"):
		s.w.Stats.Repairs++
	case strings.HasPrefix(format, "has gone back"):
		if s.w.Stats.GoneBack++; s.w.Stats.Restored == 0 {
			s.w.violate("server %d is said to have gone back in time, and has not", s.id)
		}
	}
	s.w.tracef(s.id, format, args...)
}

// Connect implements mu.Env.
func (s *server) Connect(members []mu.Member) {
	s.want = members
	for path, c := range s.out {
		if !rig.Has(members, int(path.Peer)) {
			c.dead = true
			delete(s.out, path)
		}
	}
	for _, m := range members {
		for r := range s.w.opt.Routes {
			for _, k := range []mu.Kind{mu.Control, mu.Replication} {
				s.dial(mu.Path{Peer: m.ID, Kind: k, Route: uint8(r)}, 0)
			}
		}
	}
}

// propose gives the core what clients want.
func (s *server) propose() {
	st := s.core.Status()
	if st.Role == mu.Candidate {
		return // whoever asks waits for the outcome
	}
	if st.Role != mu.Leader {
		s.w.Stats.Refused += len(s.pending)
		s.pending = nil
		return
	}
	for len(s.pending) > 0 {
		index, ok, err := s.core.Propose(s.clock(), []byte(s.pending[0]))
		if err != nil {
			s.w.violate("server %d refuses a proposal: %v", s.id, err)
			return
		}
		if !ok {
			s.w.Stats.RingFull++
			break
		}
		s.w.Stats.Proposed++
		s.waiting[index] = s.pending[0]
		s.pending = s.pending[1:]
	}
	s.core.Flush(s.clock())
}
