package chaos

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/p4ce/p4ce/sim/events"
	"github.com/p4ce/p4ce/systems/paxos"
)

// Options determine a run.
type Options struct {
	Seed      uint64
	Acceptors int           // 3
	Spares    int           // acceptors that take the place of those that are down
	Hosts     int           // 3: a replica and a proposer each
	Guests    int           // 0: hosts that propose, and are no replicas
	Ring      int           // cells; 16
	Values    int           // that are submitted; 60
	Loss      float64       // probabilities of a message
	Double    float64       // ..
	Damage    float64       // ..
	Late      float64       // .. to be up to 4 ms under way
	Faults    time.Duration // the mean time between two; 0: none
	Length    time.Duration // of the time with faults; 60 ms
	Trace     bool
	// Device makes the devices; nil: NewSoft.
	Device func(at Addr, ring int) Device
}

// Defaults are the options of a seed, as TestChaos has them.
func Defaults(seed uint64) Options {
	r := rand.New(rand.NewPCG(seed, 0x70347870))
	p := func(max float64) float64 {
		if r.IntN(3) == 0 {
			return 0
		}
		return max * r.Float64()
	}
	acceptors, spares := []int{3, 3, 3, 5, 1}[r.IntN(5)], r.IntN(2)
	if acceptors == 1 {
		spares = 0 // the one that knows everything cannot be replaced
	}
	o := Options{
		Seed: seed, Acceptors: acceptors, Spares: spares, Hosts: 1 + r.IntN(3), Ring: []int{4, 16, 32}[r.IntN(3)],
		Values: 20 + r.IntN(80), Loss: p(0.2), Double: p(0.2), Damage: p(0.05), Late: p(0.2),
		Faults: time.Duration(1+r.IntN(20)) * time.Millisecond, Length: time.Duration(20+r.IntN(100)) * time.Millisecond,
	}
	o.Guests = r.IntN(3)
	return o
}

// Stats is what has happened in a run.
type Stats struct {
	Packets, Lost, Doubled, Damaged                                                       int
	Chosen, Delivered, Noops, OwnNoops, Recovered, Forgotten, Again, Refused, Full        int
	Takeovers, Preempted, Gaps, Trims, Transfers                                          int
	LeaderDown, TwoLeaders, AcceptorDown, AcceptorForgot, LearnerForgot                   int
	ControllerDown, HostDown, HostSlept, Strays, Spared, DiskLost, Replaced, Cut, Queries int
	GuestDown, LinkDown, Answered                                                         int
	Shared, PartKept                                                                      int
}

// World is a run.
type World struct {
	events.Queue[time.Duration, func()]

	o        Options
	rand     *rand.Rand
	leaders  [2]*node
	acceptor []*node
	learner  *node
	hosts    []*host
	guests   []*guest
	byAddr   map[Addr]*node
	byHost   map[Addr]*host
	ctl      *control
	route    int     // which leader the leader's address leads to
	astray   float64 // the probability that it leads to the other one
	cut      map[[2]Addr]bool
	healed   bool
	check    *check
	failed   error
	Stats    Stats
	trace    []string
}

// node is a device and whether it runs.
type node struct {
	Device
	name   string
	at     Addr
	down   bool
	forgot bool // and was not given its role since
	id     int  // of an acceptor: its number, as long as it remembers
	queue  []func()
	stream int
}

func (w *World) after(d time.Duration, do func()) { w.At(w.Now()+d, do) }

func (w *World) log(format string, args ...any) {
	if w.o.Trace {
		w.trace = append(w.trace, fmt.Sprintf("%9.3fms ", float64(w.Now())/1e6)+fmt.Sprintf(format, args...))
	}
}

// fail ends the run: something does not hold.
func (w *World) fail(format string, args ...any) {
	if w.failed == nil {
		w.failed = fmt.Errorf("after %v: "+format, append([]any{w.Now()}, args...)...)
		w.log("FAILED: %v", w.failed)
	}
}

// Run runs a world to its end. It returns what does not hold, if something does not.
func Run(o Options) (*World, error) {
	w := newWorld(o)
	w.ctl.start()
	for _, h := range w.hosts {
		h.start()
	}
	for _, g := range w.guests {
		g.start()
	}
	for i := 0; i < w.o.Values; {
		n := i % (len(w.hosts) + len(w.guests))
		submit := func(values ...string) { w.guests[n-len(w.hosts)].submit(values...) }
		if n < len(w.hosts) {
			submit = w.hosts[n].submit
		}
		together, width := 1, []int{0, paxos.MaxValue / 2, paxos.MaxValue}[w.rand.IntN(3)]
		if w.rand.IntN(3) == 0 {
			together += w.rand.IntN(6)
		}
		var values []string
		for ; len(values) < together && i < w.o.Values; i++ {
			values = append(values, fmt.Sprintf("%-*s", width, fmt.Sprintf("value %d", i)))
		}
		w.after(time.Duration(w.rand.Int64N(int64(w.o.Length))), func() { submit(values...) })
	}
	w.beginFaults()
	w.runUntil(w.o.Length, func() bool { return false })
	w.heal()
	w.runUntil(w.Now()+20*time.Second, w.settled)
	if w.failed == nil && !w.settled() {
		w.fail("stuck: %s", w.missing())
	}
	w.finish()
	return w, w.failed
}

// Trace returns what has happened.
func (w *World) Trace() []string { return w.trace }

func newWorld(o Options) *World {
	o.Acceptors = cmp.Or(o.Acceptors, 3)
	o.Hosts = cmp.Or(o.Hosts, 3)
	o.Ring = cmp.Or(o.Ring, 16)
	o.Values = cmp.Or(o.Values, 60)
	o.Length = cmp.Or(o.Length, 60*time.Millisecond)
	if o.Device == nil {
		o.Device = NewSoft
	}
	w := &World{
		o: o, rand: rand.New(rand.NewPCG(o.Seed, 1)), byAddr: map[Addr]*node{}, byHost: map[Addr]*host{}, cut: map[[2]Addr]bool{},
	}
	w.check = newCheck(w)
	for i := range w.leaders {
		w.leaders[i] = &node{Device: o.Device(Leader, o.Ring), name: fmt.Sprintf("leader %d", i), at: Leader}
	}
	for i := range o.Acceptors + o.Spares {
		at := At(byte(acceptorAt + i))
		n := &node{Device: o.Device(at, o.Ring), name: fmt.Sprintf("acceptor %d", i), at: at, forgot: true}
		w.acceptor = append(w.acceptor, n)
		w.byAddr[at] = n
	}
	w.learner = &node{Device: o.Device(Learner, o.Ring), name: "learner", at: Learner}
	w.byAddr[Learner] = w.learner
	for i := range o.Hosts {
		h := newHost(w, i)
		w.hosts = append(w.hosts, h)
		w.byHost[h.at] = h
	}
	for i := range o.Guests {
		w.guests = append(w.guests, newGuest(w, i))
	}
	w.ctl = newControl(w)
	return w
}

func (w *World) runUntil(end time.Duration, done func() bool) {
	w.Queue.Run(end, func() bool { return w.failed == nil && !done() }, func(do func()) { do() })
}

func (w *World) chance(p float64) bool { return p > 0 && w.rand.Float64() < p }

// send puts a packet on the network.
func (w *World) send(p Packet) {
	w.check.sent(p)
	w.Stats.Packets++
	p.Message.Value = slices.Clone(p.Message.Value)
	copies := 1
	if !w.healed {
		if w.chance(w.o.Loss) || w.cut[[2]Addr{p.From, p.To}] {
			w.Stats.Lost++
			w.log("lost %v -> %v %s", p.From, p.To, show(&p.Message))
			return
		}
		if w.chance(w.o.Double) {
			w.Stats.Doubled++
			copies = 2
		}
	}
	for range copies {
		q := p
		d := time.Duration(10+w.rand.IntN(90)) * time.Microsecond
		if !w.healed {
			if w.chance(w.o.Late) {
				d += time.Duration(w.rand.IntN(4000)) * time.Microsecond
			}
			if w.chance(w.o.Damage) {
				w.Stats.Damaged++
				q.Damaged = 1 + w.rand.IntN(8*paxos.MaxMessage)
			}
		}
		w.after(d, func() { w.arrive(q) })
	}
}

func show(m *paxos.Message) string {
	return fmt.Sprintf("%v inst %d rnd %d vrnd %d flags %d client %d seq %d form %d %q", m.Kind, m.Instance, m.Round, m.VoteRound, m.Flags, m.Client, m.Sequence, m.Shared, m.Value)
}

func (w *World) arrive(p Packet) {
	if h := w.byHost[p.To]; h != nil {
		h.receive(p)
		return
	}
	for _, g := range w.guests {
		if g.at == p.To {
			g.receive(p)
			return
		}
	}
	if p.To == controller {
		w.ctl.receive(p)
		return
	}
	n := w.byAddr[p.To]
	if p.To == Leader {
		i := w.route
		if w.chance(w.astray) {
			i = 1 - i
		}
		n = w.leaders[i]
	}
	if n == nil || n.down {
		return
	}
	w.log("%s: %v %s damaged %d", n.name, p.From.Addr(), show(&p.Message), p.Damaged)
	for _, q := range n.Receive(p) {
		if q.Message.Kind == paxos.Vote {
			w.check.voted(n, &q.Message)
		}
		if q.Message.Kind == paxos.Refused {
			w.Stats.Refused++
			if paxos.Reason(q.Message.VoteRound) == paxos.ReasonFull {
				w.Stats.Full++
			}
		}
		w.send(q)
	}
}

// write does something with a device's tables and registers, some time later: in the order in
// which it was asked for. A device that is down has it done when it is up again.
func (w *World) write(n *node, do, then func()) {
	n.queue = append(n.queue, func() {
		do()
		if then != nil {
			then()
		}
	})
	if len(n.queue) == 1 {
		w.pump(n, n.stream)
	}
}

func (w *World) pump(n *node, stream int) {
	w.after(time.Duration(w.rand.IntN(200))*time.Microsecond, func() {
		if stream != n.stream || len(n.queue) == 0 {
			return
		}
		if !n.down {
			do := n.queue[0]
			n.queue = n.queue[1:]
			do()
		}
		if stream == n.stream && len(n.queue) > 0 {
			w.pump(n, stream)
		}
	})
}

// close forgets what was to be written: the controller has died.
func (n *node) close() {
	n.queue = nil
	n.stream++
}
