package control

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/internal/quorum"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
)

// What happens while an application runs: reports, gaps, trimming, messages.

// report is what a host has said last.
type report struct {
	at          time.Duration
	delivered   uint32 // the lowest instance that it has not delivered
	heard       uint32 // the highest instance that it has heard of
	checkpoint  uint32 // all below is in its durable checkpoint
	replica     bool
	same        int // reports in a row that have said the same instance
	silent      bool
	silentSince time.Duration
}

// hosts are those that report about an application.
func (a *app) hosts() []string {
	out := slices.Clone(a.conf.Replicas)
	for _, p := range a.conf.Proposers {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// silent reports whether requests are not answered: most of those who make them say so, or one
// has for long.
func (c *Core) silent(a *app) bool {
	list := a.conf.Proposers
	if len(list) == 0 {
		list = a.conf.Replicas
	}
	n := 0
	for name, r := range a.reports {
		at, _ := c.conf.Net.Host(name)
		if !r.silent || c.now-r.at > c.conf.Timing.Fresh || c.links.Island(at.Switch) != a.island {
			continue // of one that is cut off, no leader would be heard
		}
		if c.now-r.silentSince >= c.conf.Timing.Silent {
			return true
		}
		if slices.Contains(list, name) {
			n++
		}
	}
	return 2*n > len(list)
}

// undecided is the lowest instance that is not known to be chosen: whoever has delivered one
// has delivered all before.
func (a *app) undecided() uint32 {
	v := a.d.first
	for _, r := range a.reports {
		if r.replica && !after(r.delivered, a.last+1) {
			v = later(v, r.delivered)
		}
	}
	return v
}

// PacketIn takes a packet that a switch sent up.
func (c *Core) PacketIn(now time.Duration, name string, port uint16, reason names.Reason, frame []byte) {
	c.now = now
	switch reason {
	case names.ReasonARP:
		c.arp(name, port, frame)
		return
	case names.ReasonUnknownDestination:
		if !c.switches[name].links.Packet(now, port, frame) {
			c.stats.Unknown++
		}
		c.advance()
		return
	case names.ReasonNone:
	default:
		c.stats.Unknown++ // to the switch itself, or to nobody known
		return
	}
	d, ok := parseDatagram(frame)
	if !ok {
		c.stats.Malformed++
		return
	}
	i := int(d.port) - names.PortFirst
	if d.dst != c.conf.Controller.IP || i < 0 || i >= len(c.apps) {
		c.stats.Unknown++
		return
	}
	a := c.apps[i]
	if d.Kind == paxos.Report {
		c.report(a, &d)
	} else {
		c.answer(a, &d)
	}
	c.advance()
}

// arp answers for everybody who is configured: nothing is flooded.
func (c *Core) arp(name string, port uint16, frame []byte) {
	reply, known, ok := arpReply(frame, func(a wire.Addr) (wire.MAC, bool) { m, ok := c.owners[a]; return m, ok })
	switch {
	case !ok:
		c.stats.ARPOther++
	case !known:
		c.stats.ARPUnknown++
	default:
		c.stats.ARPAnswered++
		c.out = append(c.out, Send{name, port, reply})
	}
}

// report takes what a host says of itself.
func (c *Core) report(a *app, d *datagram) {
	name := ""
	for _, h := range a.hosts() {
		if c.conf.Hosts[h].IP == d.src {
			name = h
		}
	}
	if name == "" {
		c.stats.Foreign++
		return
	}
	c.stats.Reports++
	if d.Flags&paxos.Wanted != 0 {
		c.recover(a, name, d)
		return
	}
	r := a.reports[name]
	if r == nil {
		r = &report{}
		a.reports[name] = r
	}
	r.at = c.now
	if slices.Contains(a.conf.Replicas, name) {
		if r.same++; r.delivered != d.Instance {
			r.same = 0
		}
		r.replica, r.delivered, r.heard, r.checkpoint = true, d.Instance, d.VoteRound, d.Sequence
		c.behind(a, r)
		if d.Flags&paxos.Gap != 0 && !after(a.d.first, d.Instance) && after(d.VoteRound, d.Instance) && !after(d.VoteRound, a.last) {
			a.gaps[d.Instance] = d.VoteRound
		}
	}
	switch silent := d.Flags&paxos.Silent != 0; {
	case silent && !r.silent:
		r.silent, r.silentSince = true, c.now
	case !silent:
		r.silent = false
	}
}

// lags is after how many reports of the same instance a replica is behind.
const lags = 3

// behind notes that a replica has not heard of the last instances, which others have delivered. It asks the acceptors for the next one,
// but if the only ones that answer are on the learner's switch, that says nothing to the learner: it counts votes, and not what its own
// switch says again (p4/paxos/learner.p4).
func (c *Core) behind(a *app, r *report) {
	if r.same < lags || after(a.d.first, r.delivered) {
		return
	}
	end := r.delivered
	for _, o := range a.reports {
		if o.replica && !after(o.delivered-1, a.last) {
			end = later(end, o.delivered)
		}
	}
	if after(end, r.delivered) {
		a.gaps[r.delivered] = end
		r.same = 0
	}
}

// recover takes an instance that a replica wants to know, with the no-op that is proposed if nothing was
// chosen there. The first no-op for an instance remains; a replica asks again.
func (c *Core) recover(a *app, name string, d *datagram) {
	if !slices.Contains(a.conf.Replicas, name) || after(a.d.first, d.Instance) || after(d.Instance, a.last) || len(a.wanted) >= maxGap {
		return
	}
	if _, there := a.wanted[d.Instance]; !there {
		a.wanted[d.Instance] = slices.Clone(d.Value)
	}
}

// answer takes an acceptor's.
func (c *Core) answer(a *app, d *datagram) {
	from, ok := c.acceptorAt[d.src]
	if !ok || a.parts[from] == nil {
		c.stats.Foreign++
		return
	}
	for _, at := range a.underWay() {
		if d.Round == at.Round() {
			c.hear(a, at, from, &d.Message)
			return
		}
	}
	c.stats.Late++
}

// forgotten is what is done about an acceptor that says so itself: it is read back.
func (c *Core) forgotten(a *app, name string) {
	c.note(slog.LevelWarn, a, "acceptor has lost its registers; reading it back", "switch", name)
	c.distrust(name)
}

// filling finishes instances beside the leader: those that it found when it took over, and
// those that were lost on the way. Each time in a round that has not been used for them.
type filling struct {
	term     Term
	read     [][]Member
	from, to uint32
	noops    map[uint32][]byte // of instances that somebody wants to know
	begun    time.Duration
	attempt  *attempt // nil: the switches are being prepared
}

// maxGap is how many instances are closed in one round.
const maxGap = 256

// advanceFill closes gaps.
func (c *Core) advanceFill(a *app) {
	if a.take != nil || a.leads == nil {
		return
	}
	if f := a.fill; f != nil {
		c.carryOnFill(a, f)
		return
	}
	if len(a.gaps)+len(a.wanted) == 0 {
		return
	}
	var from, to uint32
	some := false
	for g, heard := range a.gaps {
		if !some || after(from, g) {
			from, to, some = g, g+min(heard-g, maxGap), true
		}
	}
	clear(a.gaps)
	if !some {
		for w := range a.wanted {
			if !some || after(from, w) {
				from, to, some = w, w+1, true
			}
		}
	}
	noops := map[uint32][]byte{}
	for i := from; i != to; i++ {
		if noop, ok := a.wanted[i]; ok {
			noops[i] = noop
			delete(a.wanted, i)
		}
	}
	read := a.readers(from)
	if !c.possible(a, read...) || after(a.d.first, from) {
		return
	}
	term, ok := c.nextRound(a, recordRound, a.d.active.Members)
	if !ok {
		return
	}
	a.stats.Gaps++
	a.stats.Filled += uint64(to - from)
	c.note(slog.LevelInfo, a, "instances are missing", "from", from, "to", to-1, "round", term.Round)
	a.fill = &filling{term: term, read: read, from: from, to: to, noops: noops, begun: c.now}
	a.remember(round{Term: term})
	c.refreshAll()
	c.advanceFill(a)
}

// stall is how long nothing new has been delivered.
type stall struct {
	at    uint32 // undecided
	since time.Duration
	asked time.Duration
}

// advanceStall looks whether instances were given and lost, with none after them that would
// show the gap: all of them, when a leader is cut off from the acceptors, until its ring is full.
func (c *Core) advanceStall(a *app) {
	if u := a.undecided(); u != a.stall.at {
		a.stall = stall{u, c.now, c.now}
	}
	if a.leads == nil || a.take != nil || a.fill != nil || c.now-a.stall.asked < c.conf.Timing.Fresh || !c.usable(a, a.leads.on) {
		return
	}
	for _, h := range a.conf.Replicas {
		if r := a.reports[h]; r != nil && c.now-r.at < c.conf.Timing.Fresh {
			a.stall.asked = c.now
			c.out = append(c.out, ReadNext{a.leads.on, a.index})
			return
		}
	}
}

// Next takes the answer to ReadNext.
func (c *Core) Next(now time.Duration, application int, next uint32) {
	c.now = now
	a := c.apps[application]
	if u := a.undecided(); u == a.stall.at && c.now-a.stall.since >= c.conf.Timing.Fresh && after(next, u) && !after(next, a.last+1) {
		a.gaps[u] = next
	}
	c.advance()
}

func (c *Core) carryOnFill(a *app, f *filling) {
	if !c.possible(a, f.read...) {
		a.fill = nil // whoever misses an instance says so again
		return
	}
	if f.attempt == nil {
		if !c.prepared(a, f.read, f.term.Members, f.begun) {
			return
		}
		if f.from = later(f.from, a.d.first); !after(f.to, f.from) {
			a.fill = nil // trimmed meanwhile
			return
		}
		var err error
		if f.attempt, err = c.newAttempt(a, f.term, f.read, f.from, f.to-1, false, f.noops, window); err != nil {
			c.giveUp(a, err)
			return
		}
	}
	c.ask(a, f.attempt)
	switch f.attempt.State() {
	case paxos.Done:
		a.fill = nil
	case paxos.Failed:
		c.giveUp(a, f.attempt.Err())
	}
}

// trimming raises the window: first its beginning everywhere, then its end. A cell that
// may be used again must not be one that an old message may still be voted for in.
type trimming struct {
	waits map[string]bool // switches that have not got their beginning yet
}

// Trim asks the replicas for checkpoints, and trims what enough of them have, up to where most of them
// are now, however little that is.
func (c *Core) Trim(now time.Duration, application string) error {
	c.now = now
	i, ok := c.conf.App(application)
	if !ok {
		return fmt.Errorf("application %q: does not exist", application)
	}
	a := c.apps[i]
	if c.halted != nil {
		return c.halted
	}
	var ahead []uint32 // of first
	heard := 0
	for _, h := range a.conf.Replicas {
		v := a.d.first
		if r := a.reports[h]; r != nil && r.replica && c.now-r.at <= c.conf.Timing.Fresh {
			heard++
			if !after(r.delivered, a.last+1) {
				v = later(v, r.delivered)
			}
		}
		ahead = append(ahead, v-a.d.first)
	}
	most := quorum.Majority(len(ahead))
	if a.d.active == nil {
		return errors.New("the application has not started")
	}
	if heard < most {
		return fmt.Errorf("%d of %d replicas report, and checkpoints of %d are needed [are the hosts running?]", heard, len(ahead), most)
	}
	if to := a.d.first + quorum.Reached(ahead, most); a.trimTo == nil && after(to, a.d.first) {
		a.trimTo = &to
	}
	for _, h := range a.conf.Replicas {
		c.toHost(a, h, &paxos.Message{Kind: paxos.Checkpoint})
	}
	c.advance()
	return nil
}

// toHost sends a message to a host, at its switch.
func (c *Core) toHost(a *app, name string, m *paxos.Message) {
	at, ok := c.conf.Net.Host(name)
	if !ok || !c.switches[at.Switch].up {
		c.stats.Unreachable++
		return
	}
	frame, err := appendDatagram(nil, c.conf.Controller, c.conf.Hosts[name], Port(a.index), m)
	if err != nil {
		c.stats.Malformed++
		return
	}
	c.stats.Sent++
	c.out = append(c.out, Send{at.Switch, at.Port, frame})
}

// advanceTrim trims what enough replicas have in a checkpoint.
func (c *Core) advanceTrim(a *app) {
	if a.trim != nil {
		if len(a.trim.waits) > 0 {
			return
		}
		a.trim = nil
		if a.trimTo != nil && !after(*a.trimTo, a.d.first) {
			a.trimTo = nil
		}
		a.last = a.d.first + a.ring - 1
		c.window(a, names.RegisterLast, a.last, nil)
		return
	}
	if a.d.active == nil {
		return
	}
	var ahead []uint32 // of first
	for _, h := range a.conf.Replicas {
		v := a.d.first
		if r := a.reports[h]; r != nil && !after(r.delivered, a.last+1) && !after(r.checkpoint, r.delivered) {
			v = later(v, r.checkpoint)
		}
		ahead = append(ahead, v-a.d.first)
	}
	// More than half have it: of any majority of the replicas one can give it to the others.
	first := a.d.first + quorum.Reached(ahead, quorum.Majority(len(ahead)))
	step := cmp.Or(c.conf.Timing.TrimStep, max(1, a.ring/16))
	if a.trimTo != nil {
		step = 1
	}
	if first-a.d.first < step {
		return
	}
	if !c.record(a, Record{Kind: recordTrim, First: first}) {
		return
	}
	a.stats.Trims++
	old := func(i uint32) bool { return after(first, i) }
	maps.DeleteFunc(a.gaps, func(g, _ uint32) bool { return old(g) })
	maps.DeleteFunc(a.wanted, func(w uint32, _ []byte) bool { return old(w) })
	for _, at := range a.underWay() {
		at.Trim(c.now, first)
	}
	a.trim = &trimming{map[string]bool{}}
	c.window(a, names.RegisterFirst, first, a.trim.waits)
}

// underWay are the attempts that are, each in a round of its own.
func (a *app) underWay() (out []*attempt) {
	if a.take != nil && a.take.attempt != nil {
		out = append(out, a.take.attempt)
	}
	if a.fill != nil && a.fill.attempt != nil {
		out = append(out, a.fill.attempt)
	}
	if a.copying != nil && a.copying.attempt != nil {
		out = append(out, a.copying.attempt)
	}
	return out
}

// window writes an end of the window everywhere.
func (c *Core) window(a *app, register string, v uint32, waits map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(a.parts)) {
		// One that is being given a life gets it after that.
		if p := a.parts[name]; p.foreign != 0 || p.small || !c.switches[name].up {
			continue // it gets it when it comes
		}
		if waits != nil {
			waits[name] = true
		}
		c.push(name, []mirror.Update{c.set(a, name, register, v)}, func(error) { delete(waits, name) })
	}
}
