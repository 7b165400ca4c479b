package sim

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/host/smr/mu"
)

// memory is a region; in the simulation nothing happens at once.
type memory struct{ b []byte }

func (m *memory) Bytes() []byte           { return m.b }
func (m *memory) Access(f func(b []byte)) { f(m.b) }

// machine is the service: it remembers what it has applied, as a hash.
type machine struct {
	pos, index uint64
	sum        [32]byte
	members    []mu.Member
}

func (m *machine) apply(d mu.Decided) {
	m.pos, m.index = d.Position, d.Index
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
	w    *World
	id   int
	life int
	up   bool
	held bool // paused
	died time.Duration
	late []func()

	core     *mu.Core
	log      *memory
	election *memory
	perm     mu.Permission
	allowed  []mu.Permission // WeakNoRevoke: earlier ones too
	out      map[mu.Path]*conn
	in       map[inKey]*conn
	want     []mu.Member

	machine     machine
	disk        machine // what survives
	synced      uint64  // records that were once on disk
	queue       []mu.Decided
	applying    bool
	waiting     map[uint64]string // index -> record proposed here
	pending     []string
	barriers    map[uint64]uint64 // id -> what it must cover
	lastBarrier uint64
	removed     bool
}

type inKey struct {
	from int
	path mu.Path
}

func (s *server) running() bool { return s.up }

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
	s.log = &memory{make([]byte, w.opt.LogSize)}
	s.election = &memory{make([]byte, mu.ElectionSize)}
	s.out, s.in = map[mu.Path]*conn{}, map[inKey]*conn{}
	s.waiting, s.barriers, s.pending, s.queue, s.applying = map[uint64]string{}, map[uint64]uint64{}, nil, nil, false
	s.machine = s.disk
	if s.machine.members == nil && !s.removed {
		s.machine.members = w.initial
	}
	s.allowed = nil
	cfg := mu.Config{
		ID: mu.ID(s.id), Cluster: 7, Members: s.machine.members, Log: s.log, Election: s.election,
		Position: s.machine.pos, Index: s.machine.index, Switch: w.opt.Switch, Weak: w.opt.Weak,
	}
	if w.opt.Config != nil {
		w.opt.Config(&cfg)
	}
	core, err := mu.New(cfg, s)
	if err != nil {
		w.violate("server %d does not start: %v", s.id, err)
		return
	}
	s.core = core
	if s.life > 1 {
		w.Stats.Restarts++
	}
	w.tracef(s.id, "starts at position %d", s.machine.pos)
	s.tick()
}

func (s *server) tick() {
	s.do(s.w.between(900*time.Microsecond, 1100*time.Microsecond), func() {
		s.core.Tick(s.w.now)
		s.propose()
		s.tick()
	})
}

// crash ends the process: memory is lost, and of the disk what was not synced.
func (s *server) crash(loseDisk bool) {
	if !s.up {
		return
	}
	s.w.tracef(s.id, "crashes")
	s.up, s.died = false, s.w.now
	s.life++
	for _, c := range s.out {
		c.dead = true
	}
	s.out = map[mu.Path]*conn{}
	for _, c := range s.in {
		c.broken = true
	}
	s.in = map[inKey]*conn{}
	if loseDisk {
		s.disk = machine{members: s.disk.members}
		if s.disk.members == nil {
			s.disk.members = s.w.initial
		}
	}
	s.w.sw.forget(s)
}

func (s *server) pause() { s.held = true; s.w.tracef(s.id, "is paused") }

func (s *server) resume() {
	s.w.tracef(s.id, "goes on")
	s.held = false
	late := s.late
	s.late = nil
	for _, f := range late {
		s.w.after(0, f)
	}
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
	s.perm = p
	if s.w.opt.Weak == mu.WeakNoRevoke && !p.None {
		s.allowed = append(s.allowed, p)
	} else {
		s.allowed = []mu.Permission{p}
	}
}

// allows reports whether a write may be executed.
func (s *server) allows(from int, path mu.Path, term mu.Term) bool {
	for _, p := range s.allowed {
		switch {
		case p.None:
		case path.Kind == mu.Group:
			if p.Term == term && path.Gen >= p.MinGen {
				return true
			}
		case int(p.Term.Leader()) == from && p.Route == path.Route:
			return true
		}
	}
	return false
}

// Apply implements mu.Env.
func (s *server) Apply(d mu.Decided) {
	s.w.applied(s, d)
	d.Record = append([]byte(nil), d.Record...)
	s.queue = append(s.queue, d)
	if st := s.core; st != nil && d.Members == nil {
		if want, ok := s.waiting[d.Index]; ok {
			delete(s.waiting, d.Index)
			s.w.Stats.Decided++
			if s.w.opt.Weak != mu.WeakOthersValue && want != string(d.Record) || s.w.opt.Weak == mu.WeakOthersValue && want != string(d.Record) {
				s.w.violate("server %d reports %q as decided at %d, where %q is", s.id, want, d.Index, d.Record)
			}
			s.w.reported = max(s.w.reported, d.Index+1)
			if n := s.w.held(d.Position, d); n < len(s.w.members())/2+1 {
				s.w.violate("record %d (position %d) is reported as decided but held by %d of %d", d.Index, d.Position, n, len(s.w.members()))
			}
		}
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
	s.do(d, func() {
		s.applying = false
		for _, d := range s.queue {
			if d.Position <= s.machine.pos {
				s.w.violate("server %d applies position %d again", s.id, d.Position)
			}
			s.machine.apply(d)
		}
		s.queue = s.queue[:0]
		s.core.Applied(s.w.now, s.machine.pos, s.machine.index)
		if s.w.chance(0.2) {
			s.disk = s.machine
			s.synced = max(s.synced, s.disk.index)
			s.core.Synced(s.w.now, s.disk.index)
		}
	})
}

// Fetch implements mu.Env.
func (s *server) Fetch(from mu.ID) {
	s.w.Stats.Snapshots++
	s.do(s.w.between(time.Millisecond, 5*time.Millisecond), func() {
		o := s.w.servers[from]
		if !o.running() || s.w.severed(s.id, o.id) {
			s.core.Fetched(s.w.now, false, 0, 0, nil)
			return
		}
		image := o.machine
		if !o.held {
			o.core.Hold(s.w.now, mu.ID(s.id), image.pos)
		}
		s.do(s.w.between(time.Millisecond, 20*time.Millisecond), func() {
			// What waits to be applied is part of the image, or comes after it.
			ok := image.pos > s.machine.pos
			if ok {
				for len(s.queue) > 0 && s.queue[0].Position <= image.pos {
					s.queue = s.queue[1:]
				}
				if len(s.queue) > 0 {
					ok = false // it has got further meanwhile
				} else {
					s.machine = image
				}
			}
			s.core.Fetched(s.w.now, ok, image.pos, image.index, image.members)
		})
	})
}

// FormGroup implements mu.Env.
func (s *server) FormGroup(gen uint16, term mu.Term, members []mu.ID, need int) {
	s.w.sw.form(s, gen, term, members, need)
}

// DropGroup implements mu.Env.
func (s *server) DropGroup(gen uint16) { s.w.sw.drop(s, gen) }

// Role implements mu.Env.
func (s *server) Role(r mu.Status) {
	if r.Role == mu.Leader && r.Mode == mu.Direct {
		s.w.Stats.Leaders++
	}
	if r.Mode == mu.Accelerated {
		s.w.Stats.Accelerated++
	}
}

// Deposed implements mu.Env.
func (s *server) Deposed() {
	s.w.Stats.Unknown += len(s.waiting)
	if s.w.opt.Weak != mu.WeakOthersValue {
		clear(s.waiting)
	}
	clear(s.barriers)
}

// Room implements mu.Env.
func (s *server) Room() { s.do(0, s.propose) }

// Confirmed implements mu.Env.
func (s *server) Confirmed(id, index uint64) {
	s.w.Stats.Barriers++
	if want, ok := s.barriers[id]; ok && index < want {
		s.w.violate("server %d confirms a read barrier at record %d, but %d were reported before", s.id, index, want)
	}
	delete(s.barriers, id)
}

// Durable implements mu.Env.
func (s *server) Durable(index uint64) {
	n := 0
	for _, m := range s.w.members() {
		if s.w.servers[m.ID].synced >= index {
			n++
		}
	}
	if n < len(s.w.members())/2+1 {
		s.w.violate("server %d says that %d records are durable, %d disks have them", s.id, index, n)
	}
}

// Eventf implements mu.Env.
func (s *server) Eventf(format string, args ...any) { s.w.tracef(s.id, format, args...) }

// Connect implements mu.Env.
func (s *server) Connect(members []mu.Member) {
	s.want = members
	for path, c := range s.out {
		if !has(members, path.Peer) {
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

func has(members []mu.Member, id mu.ID) bool {
	for _, m := range members {
		if m.ID == id {
			return true
		}
	}
	return false
}

// propose gives the core what clients want.
func (s *server) propose() {
	st := s.core.Status()
	if st.Role != mu.Leader {
		s.w.Stats.Refused += len(s.pending)
		s.pending = nil
		return
	}
	for len(s.pending) > 0 {
		index, ok, err := s.core.Propose(s.w.now, []byte(s.pending[0]))
		if err != nil || !ok {
			break
		}
		s.w.Stats.Proposed++
		s.waiting[index] = s.pending[0]
		s.pending = s.pending[1:]
	}
	s.core.Flush(s.w.now)
}

// Propose gives a server values to replicate.
func (w *World) Propose(id int, values ...string) {
	if s := w.servers[id]; s.running() {
		s.pending = append(s.pending, values...)
		s.do(0, s.propose)
	}
}

// Barrier asks a server for a read barrier.
func (w *World) Barrier(id int) {
	s := w.servers[id]
	if !s.running() || s.held {
		return
	}
	s.lastBarrier++
	s.barriers[s.lastBarrier] = w.reported
	if s.core.Barrier(w.now, s.lastBarrier) != nil {
		delete(s.barriers, s.lastBarrier)
	}
}

// Crash, Restart, Pause, Resume and the rest are the faults.
func (w *World) Crash(id int) { w.servers[id].crash(false) }

// Restart starts a server that has crashed.
func (w *World) Restart(id int) {
	if s := w.servers[id]; !s.up {
		s.start()
	}
}

// Pause stops a server's processor; its device still serves.
func (w *World) Pause(id int) {
	if s := w.servers[id]; s.up && !s.held {
		s.pause()
	}
}

// Resume ends Pause.
func (w *World) Resume(id int) {
	if s := w.servers[id]; s.up && s.held {
		s.resume()
	}
}

// Cut stops packets between two servers on a route, in both directions; Heal ends it.
func (w *World) Cut(a, b, route int) {
	w.tracef(-1, "servers %d and %d are cut off on route %d", a, b, route)
	w.cut[[3]int{a, b, route}], w.cut[[3]int{b, a, route}] = true, true
}

// Heal ends Cut.
func (w *World) Heal(a, b, route int) {
	delete(w.cut, [3]int{a, b, route})
	delete(w.cut, [3]int{b, a, route})
}

// severed reports whether no route is open.
func (w *World) severed(a, b int) bool {
	for r := range w.opt.Routes {
		if w.passes(a, b, r) {
			return false
		}
	}
	return true
}

// passes reports whether a packet gets through.
func (w *World) passes(a, b, route int) bool {
	return !w.cut[[3]int{a, b, route}] && (route != 0 || w.sw.up)
}

// State describes the state machine of a server.
func (w *World) State(id int) string {
	m := &w.servers[id].machine
	return fmt.Sprintf("%d records, position %d, %x", m.index, m.pos, m.sum[:4])
}
