package chaos

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/p4ce/p4ce/sim/events"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/mu/rig"
)

// Options shape a run. ParseOptions reads them from the text that String makes.
type Options struct {
	Servers   int // ids 0 to Servers-1
	Seed      uint64
	LogSize   int              // of the log region in bytes; default 8192
	Switch    bool             // groups can be formed
	Clusters  int              // that share the switch; default 1
	Groups    int              // that the switch has room for; 0: any number
	Durable   bool             // mu.Config.Durable
	Routes    int              // networks; route 0 goes through the switch. Default 2
	Loss      float64          // probability that a WRITE's or READ's connection fails
	GroupMiss float64          // probability that a group's member misses a WRITE
	Skew      float64          // every clock has its own offset, and a rate that is off by up to this
	Delay     time.Duration    // that every packet takes longer
	Request   time.Duration    // mu.Config.RequestEvery
	Service   time.Duration    // what a server's device takes for an operation, one after the other; 0: nothing
	Gens      int              // mu.Config.MaxGen
	Batch     float64          // probability that a completion waits for later ones, and is reported with them
	Lease     time.Duration    // mu.Config.Lease
	Eager     bool             // whoever becomes leader gets a read barrier, a proposal, or both to do at that moment
	Trace     bool             // say what happens; without, only violations are said
	Config    func(*mu.Config) // changes the configuration of every server
}

// Violation is something that must never happen.
type Violation struct {
	What string
}

func (v *Violation) Error() string { return v.What }

// network is what clusters share: time, chance, the switch, and the trace.
type network struct {
	events.Queue[time.Duration, func()]

	rng    *rand.Rand
	sw     *swtch
	trace  []string
	note   note
	failed *Violation

	clusters []*World
}

// World is a simulated cluster.
type World struct {
	*network
	opt     Options
	number  int                   // of the cluster, from 1
	servers [mu.MaxID + 1]*server // nil: there never was one
	cut     map[cutKey]bool       // packets do not pass

	initial  []mu.Member
	changer  *server             // that the last change of membership was asked of
	log      map[uint64]decision // by position behind the entry
	formed   map[groupKey]bool   // groups that were asked for
	writers  map[mu.Term]int     // who has written to a log in this term
	told     uint64              // every record with a lower index was applied where it was proposed, and reported then
	reported uint64              // every record with a lower index was reported as decided, or may have been
	Stats    Stats
	Undone   map[int]error // by number, from 1: lines of the script that could not be executed
}

type cutKey struct{ from, to, route int }

// Stats counts what a run has seen, so that a test can tell that it was no idle run.
type Stats struct {
	Proposed, Decided, Unknown, Refused, Barriers, Leaders, Accelerated, Fallbacks, Repairs, Snapshots,
	Crashes, PowerLosses, Members, RingFull, Cores, Leases, Settings, Carried, Restored, GoneBack, Steps int
}

// New makes a world whose servers have all just started, for the first time.
func New(opt Options) *World {
	if opt.LogSize == 0 {
		opt.LogSize = 8192
	}
	if opt.Routes == 0 {
		opt.Routes = mu.Routes
	}
	net := &network{rng: rand.New(rand.NewPCG(opt.Seed, 0x70346365))}
	net.sw = &swtch{room: opt.Groups, up: true, controller: true}
	for n := 1; n <= max(opt.Clusters, 1); n++ {
		net.clusters = append(net.clusters, newCluster(net, opt, n))
	}
	return net.clusters[0]
}

func newCluster(net *network, opt Options, number int) *World {
	w := &World{
		network: net, opt: opt, number: number, cut: map[cutKey]bool{},
		log: map[uint64]decision{}, formed: map[groupKey]bool{}, writers: map[mu.Term]int{},
	}
	for i := range opt.Servers {
		w.initial = append(w.initial, mu.Member{ID: mu.ID(i)})
	}
	for i := range opt.Servers {
		w.servers[i] = w.newServer(i)
		w.servers[i].disk.members = w.initial
	}
	for i := range opt.Servers {
		w.servers[i].start()
	}
	return w
}

// all calls f for the clusters behind the switch.
func (w *World) all(f func(w *World)) {
	for _, o := range w.clusters {
		f(o)
	}
}

func (w *World) after(d time.Duration, f func()) { w.At(w.Now()+d, f) }

// between draws a duration.
func (w *World) between(a, b time.Duration) time.Duration {
	return a + time.Duration(w.rng.Int64N(int64(b-a)+1))
}

func (w *World) chance(p float64) bool { return p > 0 && w.rng.Float64() < p }

// Who says a line of the trace, if it is no server.
const (
	nobody    = -1
	theSwitch = -2
)

// tracef adds a line to the trace.
func (w *World) tracef(who int, format string, args ...any) {
	if !w.opt.Trace {
		return
	}
	w.flush()
	w.line(who, fmt.Sprintf(format, args...))
}

func (w *World) line(who int, text string) {
	name := ""
	switch {
	case who >= 0:
		if name = fmt.Sprint(who); w.number > 1 {
			name = fmt.Sprintf("%d@%d", who, w.number)
		}
	case who == theSwitch:
		name = "switch"
	}
	w.trace = append(w.trace, strings.TrimRight(fmt.Sprintf("%10.3f ms  %-6s %s", float64(w.Now())/1e6, name, text), " "))
}

// note is a line of the trace that grows while a server goes on doing the same.
type note struct {
	w     *World
	who   int
	verb  string
	names []string
}

// noted adds to the trace that a server does to a record what the verb says.
func (w *World) noted(who int, verb, name string) {
	if !w.opt.Trace {
		return
	}
	if w.note.w != w || w.note.who != who || w.note.verb != verb {
		w.flush()
	}
	w.note.w, w.note.who, w.note.verb = w, who, verb
	w.note.names = append(w.note.names, name)
}

func (w *World) flush() {
	n := w.note
	w.note = note{}
	if len(n.names) == 0 {
		return
	}
	text := strings.Join(n.names, " ")
	if len(n.names) > 8 {
		text = fmt.Sprintf("%s … %s (%d)", strings.Join(n.names[:3], " "), n.names[len(n.names)-1], len(n.names))
	}
	n.w.line(n.who, n.verb+" "+text)
}

// TakeTrace returns the trace since the last call, a line per element.
func (w *World) TakeTrace() []string {
	w.flush()
	t := w.trace
	w.trace = nil
	return t
}

func (w *World) violate(format string, args ...any) {
	if w.failed != nil {
		return
	}
	w.failed = &Violation{What: fmt.Sprintf(format, args...)}
	if w.number > 1 {
		w.failed.What = fmt.Sprintf("cluster %d: %s", w.number, w.failed.What)
	}
	w.flush()
	w.line(nobody, "VIOLATION: "+w.failed.What)
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
	w.Queue.Run(w.Now()+d, func() bool { return w.failed == nil }, func(f func()) {
		w.Stats.Steps++
		f()
		w.flush()
	})
	return w.Failed()
}

// RunUntil lets time pass until cond holds; false if it does not within d.
func (w *World) RunUntil(d time.Duration, cond func() bool) bool {
	return w.runUntil(d, time.Millisecond, cond)
}

// runUntil is RunUntil with a look at cond every so often.
func (w *World) runUntil(d, every time.Duration, cond func() bool) bool {
	for end := w.Now() + d; w.Now() < end; {
		if cond() {
			return true
		}
		if w.Run(every) != nil {
			return false
		}
	}
	return cond()
}

// members is today's membership, as the most advanced server knows it.
func (w *World) members() []mu.Member {
	best := w.initial
	pos := uint64(0)
	for _, s := range w.servers {
		if s != nil && !s.gone && s.machine.pos >= pos && rig.Has(s.machine.members, s.id) {
			pos, best = s.machine.pos, s.machine.members
		}
	}
	return best
}

// each calls f for every server that has not been ended for good.
func (w *World) each(f func(s *server)) {
	for _, s := range w.servers {
		if s != nil && !s.gone {
			f(s)
		}
	}
}

// intact counts the members that have not forgotten anything: they run, or have it on
// disk.
func (w *World) intact() int {
	n := 0
	for _, m := range w.members() {
		if w.remembers(w.servers[m.ID]) {
			n++
		}
	}
	return n
}

// remembers reports whether a server has forgotten nothing.
func (w *World) remembers(s *server) bool {
	if s.up {
		return s.core.Status().State == mu.Full
	}
	// One whose disk does not know that it is a member begins anew.
	return w.opt.Durable && s.journal.stored.Full && rig.Has(s.disk.members, s.id)
}

// Leader returns the server that leads with the highest term, -1 if none does.
func (w *World) Leader() int {
	best, term := -1, mu.Term(0)
	w.each(func(s *server) {
		if s.up {
			if st := s.core.Status(); st.Role == mu.Leader && st.Term >= term {
				best, term = s.id, st.Term
			}
		}
	})
	return best
}

// Status is a server's view of the cluster; the zero Status if it does not run.
func (w *World) Status(id int) mu.Status {
	if s := w.servers[id]; s != nil && s.up {
		return s.core.Status()
	}
	return mu.Status{}
}
