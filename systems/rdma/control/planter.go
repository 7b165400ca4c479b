package control

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/links"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// grace is how long a packet may be under way between two switches: so long a relay is left
// after the home has nothing for it any more. What came later would be routed to a host that
// it is not for.
const grace = 200 * time.Millisecond

// retryAfter is when a tree that could not be changed is tried again.
const retryAfter = time.Second

// planter sets up the trees of the groups whose home a switch is, and the relays on it of
// other switches' groups. All of it is of the App's loop; what other switches are to do is
// posted to theirs.
type planter struct {
	a      *App
	f      *Fabric
	grown  map[uint16]*grown
	relays map[relayKey]*relayed

	there         bool     // the switch has been read back once
	announcements []func() // relays elsewhere of groups that are not known before

	probeAt time.Duration
	links   *links.End

	routes    *topology.Routes // by which hosts were looked for last; nil: those of the beginning
	rerouting atomic.Bool      // rerouted is about to run
}

// grown is the tree of a group.
type grown struct {
	plan   *group.Plan
	have   *layout            // at home; nil: nothing yet
	relays map[string]relayAt // by switch, those that have been asked
	fresh  bool               // nobody has been told that it is there
	dirty  bool               // it may have to be another
	over   bool
	busy   bool // a change is under way
	retry  time.Duration
	wanted []relayAt     // what relays are for now; others are left until what is under way has passed
	sweep  time.Duration // when that is
	swept  bool          // it is time
	ending bool          // nothing is let in any more

	planted bool // wanted is what the home sends to
	regions map[uint16]*further
}

// relayKey is by what a relay knows a group's packets.
type relayKey struct {
	home wire.Addr
	qp   uint32
}

// relayed is a relay on this switch.
type relayed struct {
	index uint16
	have  *layout // what it should hold
	over  bool    // it could not be removed: the switch was away
	found *layout // what the switch holds, if it has been read back
	// It was found, and nobody has said yet that it is needed.
	orphan  bool
	regions map[uint16]uint16 // numbers on this switch of further regions, by those at home
}

func newPlanter(a *App, f *Fabric) *planter {
	p := &planter{a: a, f: f, grown: map[uint16]*grown{}, relays: map[relayKey]*relayed{}}
	p.links = links.NewEnd(links.Config{
		Net: f.Net, Switch: a.conf.name, MAC: a.conf.MAC, Hold: f.Hold, Set: f.SetPort, Seen: f.synced,
		Send: func(port uint16, frame []byte) { a.packetOut(hosts.PacketOut{Port: port, Frame: frame}) },
		Ask: func(p topology.Place) {
			if other := f.app(p.Switch); other != nil {
				other.Hand(func() { other.tree.links.Say(p.Port) })
			}
		},
		Log: func(level slog.Level, text string, args ...any) {
			a.Log().Log(context.Background(), level, text, args...)
		},
	})
	return p
}

func newGrown(plan *group.Plan) *grown {
	return &grown{plan: plan, relays: map[string]relayAt{}, regions: map[uint16]*further{}, retry: session.Never, sweep: session.Never}
}

func (p *planter) install(plan *group.Plan) {
	if plan.Region {
		p.installRegion(plan)
		return
	}
	g := newGrown(plan)
	g.fresh = true
	p.grown[plan.Index] = g
	p.step(g)
}

func (p *planter) update(plan *group.Plan) {
	if plan.Region {
		p.updateRegion(plan)
		return
	}
	g := p.known(plan)
	g.plan, g.dirty = plan, true
	p.step(g)
}

func (p *planter) remove(plan *group.Plan) {
	if plan.Region {
		p.removeRegion(plan)
		return
	}
	g := p.known(plan)
	g.over = true
	p.step(g)
}

// known is the tree of a group; one that was read back without a record has no relays.
func (p *planter) known(plan *group.Plan) *grown {
	g := p.grown[plan.Index]
	if g == nil {
		var all []branch
		for i, s := range plan.Slots {
			all = append(all, branch{slot: i, port: s.Host.Port, mac: s.Host.MAC})
		}
		l := p.a.tables.atHome(plan, all)
		g = newGrown(plan)
		g.have = &l
		p.grown[plan.Index] = g
	}
	return g
}

// reroute has the switch follow new routes soon. Any goroutine may call it.
func (p *planter) reroute() {
	if p.rerouting.CompareAndSwap(false, true) {
		p.a.Hand(p.rerouted)
	}
}

// rerouted finds hosts and trees anew.
func (p *planter) rerouted() {
	p.rerouting.Store(false) // what changes from now on is not seen here
	r := p.f.now()
	if !r.SameFrom(p.routes, p.a.conf.name) {
		p.a.hosts.Move(p.f.places(p.a.conf.name))
	}
	p.routes = r
	for _, i := range slices.Sorted(maps.Keys(p.grown)) {
		g := p.grown[i]
		g.dirty = true
		p.step(g)
	}
}

// step goes on with a group, unless a change is under way: that ends with a step.
func (p *planter) step(g *grown) {
	switch {
	case g.busy:
	case g.over:
		p.uproot(g)
	case g.leaving():
		p.shrink(g)
	case g.fresh || g.dirty:
		p.grow(g)
	case g.swept:
		p.clean(g)
	}
}

// done ends a change.
func (p *planter) done(g *grown, err error) {
	g.busy = false
	p.regionsDone(g, err)
	if g.fresh {
		g.fresh = false
		p.a.core.Done(p.a.Now(), g.plan.Index, err) // when it has failed, Remove follows
	} else if err != nil {
		g.dirty, g.retry = false, p.a.Now()+retryAfter
		p.a.Log().Error("tree of a group not changed; the controller tries again", "group", g.plan.Index, "err", err)
		return
	}
	p.step(g)
}

// grow makes the tree what it should be: relays from the leaves up, then the home. What is not
// needed any more goes later (clean).
func (p *planter) grow(g *grown) {
	plan := g.plan
	own, relays, err := p.f.plant(p.a.conf.name, plan, slices.Sorted(maps.Keys(g.relays)))
	for _, r := range g.regions {
		r.asked = r.fresh && !r.over
	}
	if err != nil {
		p.regionsDone(g, err)
		if g.fresh {
			p.done(g, err)
			return
		}
		g.dirty = false // it stays as it is; new routes are a reason to try again
		p.a.Log().Warn("group without a tree", "group", plan.Index, "why", err)
		return
	}
	l := p.a.tables.atHome(plan, own)
	regions := g.wantedRegions()
	for _, r := range regions {
		l.regions[r.Index] = p.a.tables.inRegion(r, plan.Index, r.Index, own, nil)
	}
	g.busy, g.dirty, g.retry = true, false, session.Never
	p.each(relays, func(at *planter, r relayAt, done func(error)) { at.set(plan, regions, r, false, done) }, func(r relayAt) { g.relays[r.sw] = r }, func(err error) {
		if err != nil {
			p.done(g, err)
			return
		}
		var u []*p4.Update
		if g.have == nil {
			u, err = p.a.tables.registers(plan)
		}
		if err == nil {
			u, err = p.a.tables.change(u, g.have, &l)
		}
		p.order(u, err, func(err error) {
			if err != nil {
				if g.have == nil { // some of it may be there
					g.have = &l
				}
				p.done(g, err)
				return
			}
			g.have = &l
			g.wanted, g.planted = relays, true
			if !g.fresh && len(g.relays) > 0 {
				g.sweep = p.a.Now() + grace
			}
			p.done(g, nil)
		})
	})
}

// asked are the relays in a fixed order.
func (g *grown) asked() (all []relayAt) {
	for _, name := range slices.Sorted(maps.Keys(g.relays)) {
		all = append(all, g.relays[name])
	}
	return all
}

// clean removes what was left for packets of an earlier tree.
func (p *planter) clean(g *grown) {
	g.swept = false
	if !g.planted {
		return // which relays the home needs is not known yet
	}
	g.busy = true
	var stale []relayAt
	for _, r := range g.asked() {
		if !slices.ContainsFunc(g.wanted, func(o relayAt) bool { return o.sw == r.sw }) {
			stale = append(stale, r)
		}
	}
	plan, regions := g.plan, g.wantedRegions()
	p.each(g.wanted, func(at *planter, r relayAt, done func(error)) { at.set(plan, regions, r, true, done) }, func(relayAt) {}, func(err error) {
		if err != nil {
			p.done(g, err)
			return
		}
		p.cut(g, stale, func() { p.done(g, nil) })
	})
}

// uproot removes a group: first nothing is let in any more.
func (p *planter) uproot(g *grown) {
	g.busy = true
	u, err := p.a.tables.change(nil, g.have, nil)
	p.order(u, err, func(err error) {
		if err != nil {
			g.busy, g.over = false, false // the core asks again
			p.a.core.Done(p.a.Now(), g.plan.Index, err)
			return
		}
		g.have = nil
		if len(g.relays) > 0 {
			g.ending, g.sweep = true, p.a.Now()+grace
			return
		}
		p.end(g)
	}, codes.NotFound)
}

// end is when nothing of a group is under way any more.
func (p *planter) end(g *grown) {
	p.cut(g, g.asked(), func() {
		delete(p.grown, g.plan.Index)
		for _, r := range g.regions { // all are over
			r.left = true
		}
		p.forgetRegions(g)
		p.a.core.Done(p.a.Now(), g.plan.Index, nil)
	})
}

// cut removes relays. One whose switch is away removes it when it is back.
func (p *planter) cut(g *grown, list []relayAt, then func()) {
	key := keyOf(g.plan)
	p.each(list, func(at *planter, _ relayAt, done func(error)) { at.unset(key, done) }, func(r relayAt) { delete(g.relays, r.sw) }, func(error) { then() })
}

// order is App.Order, and needs no switch for nothing.
func (p *planter) order(u []*p4.Update, err error, done func(error), allow ...codes.Code) {
	if err == nil && len(u) == 0 {
		done(nil)
		return
	}
	p.a.Order(u, err, done, allow...)
}

// each asks one switch after the other, up to the first that cannot. asked is called before each.
func (p *planter) each(list []relayAt, do func(at *planter, r relayAt, done func(error)), asked func(relayAt), then func(error)) {
	if len(list) == 0 {
		then(nil)
		return
	}
	r := list[0]
	asked(r)
	other := p.f.app(r.sw)
	if other == nil || other.Session == nil {
		then(fmt.Errorf("switch %s: the controller does not drive it", r.sw))
		return
	}
	other.Hand(func() {
		do(other.tree, r, func(err error) {
			p.a.Hand(func() {
				if err != nil {
					then(fmt.Errorf("switch %s: %w", r.sw, err))
					return
				}
				p.each(list[1:], do, asked, then)
			})
		})
	})
}

func keyOf(plan *group.Plan) relayKey { return relayKey{plan.Switch, plan.BCastQP} }

// set makes this switch a relay of a group with further regions, or changes what it does for it. Unless alone, what
// comes as it did before is let in, too.
func (p *planter) set(plan *group.Plan, regions []*group.Plan, at relayAt, alone bool, done func(error)) {
	if !p.a.InControl() {
		done(errAway)
		return
	}
	r := p.relays[keyOf(plan)]
	if r == nil {
		index, ok := p.a.core.Reserve(p.a.Now())
		if !ok {
			done(errNoRoom)
			return
		}
		r = &relayed{index: index, regions: map[uint16]uint16{}}
		p.relays[keyOf(plan)] = r
	}
	if err := p.reserve(r, regions); err != nil {
		done(err)
		return
	}
	l := p.a.tables.atRelay(plan, r.index, at.rep, p.a.conf.Wiring.portGroup(at.port), at.copies)
	for _, reg := range regions {
		l.regions[reg.Index] = p.a.tables.inRegion(reg, r.index, r.regions[reg.Index], at.copies, &plan.Slots[at.rep])
	}
	old := r.have
	if !alone {
		l.alsoLet(old)
	}
	if old != nil && old.equal(&l) && !r.over {
		done(nil)
		return
	}
	r.have, r.over, r.orphan = &l, false, false
	u, err := p.a.tables.change(nil, old, &l)
	p.order(u, err, func(err error) {
		if err != nil { // who knows what is there: away with it
			var u []*p4.Update
			for _, gone := range []*layout{old, &l} {
				if more, err := p.a.tables.change(u, gone, nil); err == nil {
					u = more
				}
			}
			p.a.Write("relay", u, nil, codes.NotFound)
			r.have = nil
		}
		p.release(r, r.have)
		done(err)
	})
}

// unset ends that. It is done even if the switch is away.
func (p *planter) unset(key relayKey, done func(error)) {
	r := p.relays[key]
	if r == nil {
		done(nil)
		return
	}
	u, err := p.a.tables.change(nil, r.have, nil)
	p.order(u, err, func(err error) {
		if err == nil {
			p.forget(key, r)
		} else {
			r.over = true
		}
		done(nil)
	}, codes.NotFound)
}

// forget is when this switch holds nothing of a relay.
func (p *planter) forget(key relayKey, r *relayed) {
	delete(p.relays, key)
	p.a.core.Release(p.a.Now(), r.index)
	p.release(r, nil)
}

// restored makes the relays what they should be, when the switch has been read back.
func (p *planter) restored() {
	for key, r := range p.relays {
		if r.over || r.have == nil {
			p.forget(key, r)
			continue
		}
		if r.orphan {
			p.announce(key)
			continue
		}
		u, err := p.a.tables.change(nil, r.found, r.have)
		r.found = nil
		if err != nil || len(u) > 0 {
			p.a.Write("relay", u, err)
		}
	}
	p.there = true
	p.f.isSynced(p.a.conf.name)
	p.rerouted()
	waiting := p.announcements
	p.announcements = nil
	for _, announced := range waiting {
		announced()
	}
}

func (p *planter) deadline() time.Duration {
	at := p.probeAt
	for _, g := range p.grown {
		at = min(at, g.retry, g.sweep)
	}
	return at
}

func (p *planter) tick() {
	now := p.a.Now()
	for _, i := range slices.Sorted(maps.Keys(p.grown)) {
		g := p.grown[i]
		if g.retry <= now {
			g.retry, g.dirty = session.Never, true
			p.step(g)
		}
		if g.sweep <= now {
			g.sweep = session.Never
			p.forgetRegions(g)
			if g.ending {
				p.end(g)
				continue
			}
			g.swept = true
			p.step(g)
		}
	}
	if p.probeAt <= now {
		if p.a.InControl() {
			p.links.Probe(now)
		} else {
			p.links.Unheard()
		}
		p.probeAt = now + p.f.Probe
	}
}
