package consensus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// beat is the interval of heartbeats.
const beat = time.Millisecond

// Model makes worlds of some bounds.
type Model struct {
	bounds  Bounds
	seeds   [2]maphash.Seed
	enc     *explore.Encoder
	first   *World
	buffers sync.Pool // of canonical bytes
	explore.GoalSet
	fair *Model // the same, with one order of events and nothing that is late
}

// budgets: what may still happen.
const (
	entries = iota
	barriers
	cuts
	loses
	torns
	crashes
	beats
	times
	misses
	groups
	joins
	holds
	budgets
)

// Goals.
const (
	goalDecided = iota
	goalReported
	goalTogether
	goalElected
	goalAdopted
	goalRejoined
	goalMembers
	goalBarrier
	goalAccelerated
	goalThrough
	goalFallback
	goalSnapshot
	goals
)

var goalNames = [goals]string{
	"an entry is decided", "a client's record is reported", "two entries are decided in one step", "another leader is elected",
	"an undecided entry is adopted", "a server that has lost its memory is a full member again", "a membership is decided",
	"a read barrier is confirmed", "a leader is accelerated by a new group", "an entry is decided through the switch", "a leader falls back",
	"a server takes a snapshot",
}

// World is a cluster in one of its states.
type World struct {
	m        *Model
	token    *int // of the servers that it may change
	servers  []*server
	late     []late
	decided  []decision
	writers  []writer
	reported uint64 // every record with a lower index was reported as decided, or may have been
	left     [budgets]int
	held     []uint16 // with Bounds.Order: what does not go on by itself
	turn     int      // with Bounds.Order: the connection whose turn it is
	removed  uint16   // servers that were asked to be removed
	newly    int      // entries decided in this step
	err      error
	explore.Trail
}

type writer struct {
	term mu.Term
	from int
}

// late is what was posted on a connection that its requester has lost.
type late struct {
	from, to, life int
	path           mu.Path
	term           mu.Term // of a group
	ops            []mu.Op // with bytes of their own
}

// NewModel makes the model of a world.
func NewModel(b Bounds) (*Model, error) {
	m := &Model{bounds: b, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	m.buffers.New = func() any { return new([]byte) }
	m.enc = &explore.Encoder{
		Skip: map[string]bool{
			"mu.Core.scratch": true, // has no meaning between two calls
			"mu.Core.cfg":     true, // does not change
		},
		Queues: map[string][2]string{"mu.link": {"ops", "first"}, "mu.leadership": {"ends", "first"}},
	}
	// With one order of events, some need what is held up.
	changes := b.Join || b.Remove != ""
	elects := b.Cuts+b.Crashes > 0 && (b.Victims == "" || strings.Contains(b.Victims, "0"))
	may := [goals]bool{
		goalDecided: b.Entries > 0 || changes, goalReported: b.Entries > 0,
		goalTogether: b.Entries > 1 && b.Batch && (!b.Order || b.Holds > 0), goalElected: elects, goalAdopted: elects && b.Entries > 0,
		goalMembers: changes, goalBarrier: b.Barriers > 0, goalRejoined: b.Crashes > 0 && b.Beats > 1 && !b.Durable,
		goalAccelerated: b.Switch && b.Groups > 0 && b.Times+b.Beats > 1, goalThrough: b.Switch && b.Entries > 0,
		goalFallback: b.Switch && b.Cuts+b.Loses > 0,
	}
	m.GoalSet = explore.NewGoals(goalNames[:], may[:])
	n := b.Servers
	if b.Join {
		n++
	}
	w := &World{m: m, token: new(int), Trail: m.Trail()}
	var members []mu.Member
	for i := range n {
		if i < b.Servers {
			members = append(members, mu.Member{ID: mu.ID(i)})
		}
		w.servers = append(w.servers, &server{w: w, owner: w.token, id: i})
	}
	for i, s := range w.servers {
		if i < b.Servers {
			s.disk.members = members
		}
		s.start()
	}
	if err := w.warmUp(); err != nil {
		return nil, err
	}
	w.left = [budgets]int{
		b.Entries, b.Barriers, b.Cuts, b.Loses, b.Torn, b.Crashes, b.Beats, b.Times, b.Misses, b.Groups, int(explore.Flag(b.Join)), b.Holds,
	}
	w.Trail, w.decided, w.writers, w.newly = m.Trail(), nil, nil, 0
	for _, s := range w.servers {
		s.lead = s.last.Term
		s.sum = s.hash()
	}
	m.first = w
	m.fair = &Model{bounds: b, seeds: m.seeds, enc: m.enc, first: w, GoalSet: m.GoalSet}
	m.fair.buffers.New = m.buffers.New
	m.fair.bounds.Order, m.fair.bounds.Late, m.fair.bounds.Lag, m.fair.bounds.Remove = true, false, false, ""
	return m, nil
}

// New implements explore.Model.
func (m *Model) New() (explore.World, error) {
	w := *m.first
	w.token = new(int)
	return &w, nil
}

// Columns implements explore.Model.
func (m *Model) Columns() []string {
	var c []string
	for _, s := range m.first.servers {
		c = append(c, fmt.Sprintf("server %d", s.id))
	}
	return c
}

// Clone implements explore.Cloner. Servers are shared until one world changes them.
func (w *World) Clone() explore.World {
	n := *w
	n.token = new(int)
	return &n
}

// own returns a server that this world may change.
func (w *World) own(id int) *server {
	s := w.servers[id]
	if s.owner != w.token {
		s = s.clone(w)
		w.servers = slices.Clone(w.servers)
		w.servers[id] = s
	}
	s.ticked = false
	return s
}

func (w *World) violate(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// warmUp runs until the first server leads and all hold the same.
func (w *World) warmUp() error {
	b := w.m.bounds
	if b.Bare {
		return nil
	}
	asked, calm := false, 0
	for range 2000 {
		for _, s := range w.servers {
			s.clock += beat
			s.core.Tick(s.clock)
			s.settle()
		}
		w.deliverAll()
		if w.err != nil {
			return w.err
		}
		lead := w.servers[0].core.Status()
		if lead.Role != mu.Leader {
			continue
		}
		if b.Join && !asked {
			asked = true
			if err := w.servers[0].core.AddLearner(w.servers[0].clock, &mu.Member{ID: mu.ID(b.Servers)}); err != nil {
				return err
			}
		}
		ready := !b.Switch || lead.Mode == mu.Accelerated
		for _, s := range w.servers {
			st := s.core.Status()
			if s.id < b.Servers && st.State != mu.Full || s.id >= b.Servers && !w.servers[0].core.CaughtUp(mu.ID(s.id)) {
				ready = false
			}
			s.last = mu.Status{Term: st.Term, Position: st.Position, Index: st.Index}
		}
		if !ready || lead.Confirmed < b.Servers-1 || !w.quiet() {
			calm = 0
		} else if calm++; calm > 20 { // all have seen it
			return nil
		}
	}
	return errors.New("the cluster does not start")
}

// quiet reports whether nothing is under way.
func (w *World) quiet() bool {
	for _, s := range w.servers {
		for i := range s.conns {
			for k := range s.conns[i] {
				if c := &s.conns[i][k]; len(c.posted)+len(c.done) > 0 {
					return false
				}
			}
		}
	}
	return true
}

// deliverAll connects and executes what can be, as a network without faults does.
func (w *World) deliverAll() {
	for range 30 {
		for _, s := range w.servers {
			for _, o := range w.servers {
				if w.linkable(s, o) {
					w.link(s.id, o.id)
				}
				for k := range s.conns[o.id] {
					for n := len(s.conns[o.id][k].posted); n > 0; n-- {
						w.exec(s.id, o.id, mu.Kind(k), false)
					}
					if len(s.journal.open) > 0 {
						s.written()
					}
					if n := len(s.conns[o.id][k].done); n > 0 {
						w.finish(s.id, o.id, mu.Kind(k), n)
					}
				}
			}
			for i := range s.groups {
				if !s.groups[i].formed {
					w.form(s.id)
					break
				}
			}
			for i := range s.groups {
				for m := range s.groups[i].members {
					for s.groups[i].next(m) {
						w.copyTo(s.id, i, m)
					}
				}
				if n := s.groups[i].ready(); n > 0 {
					w.groupDone(s.id, i)
					break
				}
			}
		}
		for _, s := range w.servers {
			s.core.Poll(s.clock)
			s.settle()
		}
	}
}

// settle does what follows at once.
func (s *server) settle() {
	if !s.w.m.bounds.Lag {
		s.applied()
	}
}

func (s *server) hash() [2]uint64 {
	buf := s.w.m.buffers.Get().(*[]byte)
	*buf = s.append((*buf)[:0])
	sum := [2]uint64{maphash.Bytes(s.w.m.seeds[0], *buf), maphash.Bytes(s.w.m.seeds[1], *buf)}
	s.w.m.buffers.Put(buf)
	return sum
}

// append appends the server's canonical bytes.
func (s *server) append(b []byte) []byte {
	flag := func(v bool) { b = append(b, explore.Flag(v)) }
	num := func(v uint64) { b = binary.AppendUvarint(b, v) }
	op := func(o mu.Op) {
		flag(o.Read)
		num(uint64(o.Region))
		num(o.Offset)
		num(uint64(len(o.Data)))
		if !o.Read {
			b = append(b, o.Data...)
		}
	}
	flag(s.up)
	flag(s.cut)
	flag(s.ticked && s.w.m.bounds.Order) // else a tick that would do nothing leads nowhere
	num(uint64(s.disk.pos))
	num(uint64(s.life))
	num(uint64(s.lead))
	if s.w.m.bounds.Durable {
		b = s.w.m.enc.Append(b, &s.journal)
		num(uint64(s.disk.index))
	}
	for _, p := range s.pasts {
		num(p.given)
		b = append(b, p.log...)
	}
	if !s.up {
		return b
	}
	num(uint64(s.clock))
	b = s.w.m.enc.Append(b, s.core)
	b = append(b, s.log...)
	b = append(b, s.election...)
	num(s.given)
	num(s.machine.pos)
	num(uint64(len(s.queue)))
	num(uint64(s.fetching + 1))
	num(uint64(s.perm.Term))
	num(uint64(s.perm.Route)<<1 | uint64(s.perm.MinGen)<<9)
	flag(s.perm.None)
	for i := range s.conns {
		for k := range s.conns[i] {
			c := &s.conns[i][k]
			if !c.up {
				b = append(b, 0)
				continue
			}
			flag(true)
			flag(c.broken)
			num(uint64(c.toLife))
			num(uint64(len(c.posted)))
			for _, o := range c.posted {
				op(o)
			}
			num(uint64(len(c.done)))
			for _, r := range c.done {
				num(uint64(len(r.data)))
				b = append(b, r.data...)
			}
		}
	}
	num(uint64(len(s.groups)))
	for _, g := range s.groups {
		num(uint64(g.gen))
		num(uint64(g.term))
		num(uint64(g.need))
		flag(g.formed)
		flag(g.broken)
		num(uint64(g.base))
		num(uint64(g.acked))
		for _, m := range g.members {
			num(uint64(m.id))
			num(uint64(m.life))
			num(uint64(m.done))
			flag(m.stuck)
		}
		num(uint64(len(g.posted)))
		for _, o := range g.posted {
			op(o)
		}
	}
	num(uint64(len(s.waits)))
	for _, p := range s.waits {
		num(p.index)
		b = append(b, p.record[0])
	}
	num(uint64(len(s.barriers)))
	for _, p := range s.barriers {
		num(p.id)
		num(p.want)
	}
	return b
}

// Append implements explore.World.
func (w *World) Append(b []byte) []byte {
	le := binary.LittleEndian
	for _, s := range w.servers {
		b = le.AppendUint64(le.AppendUint64(b, s.sum[0]), s.sum[1])
	}
	for _, n := range w.left {
		b = append(b, byte(n))
	}
	b = le.AppendUint64(le.AppendUint16(b, w.removed), w.reported)
	b = append(b, byte(w.turn), byte(len(w.held)))
	for _, h := range w.held {
		b = le.AppendUint16(b, h)
	}
	for _, d := range w.decided {
		b = le.AppendUint64(le.AppendUint64(b, d.pos), uint64(d.term))
		b = le.AppendUint16(b, d.among)
		b = append(append(b, byte(len(d.record))), d.record[:min(len(d.record), 40)]...)
	}
	// A term's writer shows only when there is another one; its order does not matter.
	writers := slices.Clone(w.writers)
	slices.SortFunc(writers, func(a, b writer) int { return int(a.term) - int(b.term) })
	for _, o := range writers {
		b = append(le.AppendUint64(append(b, 1), uint64(o.term)), byte(o.from))
	}
	for _, l := range w.late {
		b = append(b, 2, byte(l.from), byte(l.to), byte(l.life), byte(l.path.Kind), byte(l.path.Gen))
		b = le.AppendUint64(b, uint64(l.term))
		for _, o := range l.ops {
			b = append(le.AppendUint64(append(b, 3), o.Offset), o.Data...)
		}
	}
	return b
}

// title is a short form of an operation, for charts.
func title(op mu.Op, refused bool) string {
	var s string
	switch {
	case op.Read && op.Region == mu.LogRegion:
		s = "READs its log"
	case op.Read && op.Offset == 0:
		s = "READs its status"
	case op.Read:
		s = "READs its election region"
	case op.Region == mu.ElectionRegion && len(op.Data) > 8:
		s = "WRITEs a request"
	case op.Region == mu.ElectionRegion:
		s = "WRITEs its incarnation"
	case op.Offset == 0:
		s = "WRITEs its commit position"
	default:
		s = "WRITEs " + contents(op.Data)
	}
	if refused {
		s += ": refused"
	}
	return s
}

// contents names the entries of a WRITE.
func contents(b []byte) string {
	var names []string
	for len(b) >= 40 {
		n := int(binary.LittleEndian.Uint32(b[4:]) &^ (3 << 30))
		if 40+n > len(b) {
			break
		}
		name := string(b[40 : 40+min(n, 1)])
		if binary.LittleEndian.Uint32(b[4:])>>30 == 1 {
			name = "a membership"
		}
		names = append(names, fmt.Sprintf("%s (term %v)", name, mu.Term(binary.LittleEndian.Uint64(b[32:]))))
		b = b[min(len(b), (40+n+7)&^7):]
	}
	return strings.Join(names, ", ")
}
