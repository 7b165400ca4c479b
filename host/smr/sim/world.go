package sim

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/p4ce/p4ce/host/smr/mu"
)

// Options shape a run.
type Options struct {
	Servers   int
	Seed      uint64
	LogSize   int  // default 8192
	Switch    bool // there is one: groups can be formed
	Routes    int  // networks; route 0 goes through the switch. Default 2
	Weak      mu.Weakness
	Loss      float64 // probability that an operation's connection fails
	GroupMiss float64 // probability that a group's member misses a WRITE
	Verbose   bool
	Config    func(*mu.Config) // changes the configuration of every server
}

// Violation is something that must never happen.
type Violation struct {
	What  string
	Trace string
}

func (v *Violation) Error() string { return v.What }

// World is a simulated cluster.
type World struct {
	opt     Options
	rng     *rand.Rand
	now     time.Duration
	events  eventHeap
	order   uint64
	servers []*server
	sw      *swtch
	cut     map[[3]int]bool // from, to, route: packets do not pass
	trace   []string
	failed  *Violation

	initial  []mu.Member
	log      map[uint64]decision // by position behind the entry
	writers  map[mu.Term]int
	reported uint64 // number of records reported as decided: all below are
	Steps    int
	Stats    Stats
}

// Stats counts what a run has seen, so that a test can tell that it was no idle run.
type Stats struct {
	Proposed, Decided, Unknown, Leaders, Accelerated, Fallbacks, Repairs, Snapshots, Restarts, Barriers, Refused int
}

type decision struct {
	index  uint64
	record string
	by     int
}

type event struct {
	at    time.Duration
	order uint64
	f     func()
}

type eventHeap []event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].order < h[j].order
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(x any)   { *h = append(*h, x.(event)) }
func (h *eventHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = event{}
	*h = old[:len(old)-1]
	return e
}

// New makes a world whose servers have all just started.
func New(opt Options) *World {
	if opt.LogSize == 0 {
		opt.LogSize = 8192
	}
	if opt.Routes == 0 {
		opt.Routes = 2
	}
	w := &World{
		opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0x70346365)), cut: map[[3]int]bool{},
		log: map[uint64]decision{}, writers: map[mu.Term]int{},
	}
	w.sw = &swtch{up: true}
	for i := range opt.Servers {
		w.initial = append(w.initial, mu.Member{ID: mu.ID(i)})
	}
	for i := range opt.Servers {
		s := &server{w: w, id: i}
		w.servers = append(w.servers, s)
	}
	for _, s := range w.servers {
		s.start()
	}
	return w
}

func (w *World) after(d time.Duration, f func()) {
	w.order++
	heap.Push(&w.events, event{w.now + d, w.order, f})
}

// between draws a duration.
func (w *World) between(a, b time.Duration) time.Duration {
	return a + time.Duration(w.rng.Int64N(int64(b-a)+1))
}

func (w *World) chance(p float64) bool { return p > 0 && w.rng.Float64() < p }

func (w *World) tracef(who int, format string, args ...any) {
	name := "     "
	if who >= 0 {
		name = fmt.Sprintf("  %d  ", who)
	}
	line := fmt.Sprintf("%10.3f ms%s%s", float64(w.now)/1e6, name, fmt.Sprintf(format, args...))
	if w.opt.Verbose {
		fmt.Println(line)
	}
	w.trace = append(w.trace, line)
}

// Trace is what has happened so far.
func (w *World) Trace() string { return strings.Join(w.trace, "\n") + "\n" }

func (w *World) violate(format string, args ...any) {
	if w.failed != nil {
		return
	}
	what := fmt.Sprintf(format, args...)
	w.tracef(-1, "VIOLATION: %s", what)
	w.failed = &Violation{What: what, Trace: w.Trace()}
}

// Failed returns the first violation, nil if there was none.
func (w *World) Failed() error {
	if w.failed == nil {
		return nil
	}
	return w.failed
}

// Run lets simulated time pass, or stops at the first violation.
func (w *World) Run(d time.Duration) error {
	end := w.now + d
	for len(w.events) > 0 && w.events[0].at <= end && w.failed == nil {
		e := heap.Pop(&w.events).(event)
		w.now = e.at
		w.Steps++
		e.f()
	}
	if w.failed != nil {
		return w.failed
	}
	w.now = end
	return nil
}

// RunUntil lets time pass until cond holds; false if it does not within d.
func (w *World) RunUntil(d time.Duration, cond func() bool) bool {
	for end := w.now + d; w.now < end; {
		if cond() {
			return true
		}
		if w.Run(time.Millisecond) != nil {
			return false
		}
	}
	return cond()
}

// applied checks an entry that a server gives to its state machine.
func (w *World) applied(s *server, d mu.Decided) {
	record := string(d.Record)
	if d.Members != nil {
		record = "members " + string(mu.EncodeMembers(d.Members))
	}
	if old, ok := w.log[d.Position]; ok {
		if old.index != d.Index || old.record != record {
			w.violate("agreement: at position %d server %d has applied (%d, %q), server %d applies (%d, %q)",
				d.Position, old.by, old.index, old.record, s.id, d.Index, record)
		}
		return
	}
	w.log[d.Position] = decision{d.Index, record, s.id}
}

// memberIDs is today's membership, as the most advanced server knows it.
func (w *World) members() []mu.Member {
	best := w.initial
	var index uint64
	for _, s := range w.servers {
		if s.running() && s.machine.pos >= index && s.core != nil {
			index, best = s.machine.pos, s.machine.members
		}
	}
	return best
}

// held counts the members that have a record, in their log's memory or applied.
func (w *World) held(position uint64, d mu.Decided) int {
	n := 0
	for _, m := range w.members() {
		s := w.servers[m.ID]
		if s.died != 0 && w.now-s.died < 10*time.Millisecond {
			n++ // it may have held it when it acknowledged
			continue
		}
		if !s.running() {
			continue
		}
		if s.machine.pos >= position || mu.Holds(s.log.b, position, d) {
			n++
		}
	}
	return n
}

// Up reports how many servers run and are full members.
func (w *World) intact() int {
	n := 0
	for _, s := range w.servers {
		if s.running() && s.core.Status().State == mu.Full {
			n++
		}
	}
	return n
}

// Leader returns the server that leads with the highest term, -1 if none does.
func (w *World) Leader() int {
	best, term := -1, mu.Term(0)
	for _, s := range w.servers {
		if s.running() {
			if st := s.core.Status(); st.Role == mu.Leader && st.Term >= term {
				best, term = s.id, st.Term
			}
		}
	}
	return best
}

// Status is a server's view of the cluster; the zero Status if it does not run.
func (w *World) Status(id int) mu.Status {
	if s := w.servers[id]; s.running() {
		return s.core.Status()
	}
	return mu.Status{}
}
