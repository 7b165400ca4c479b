package chaos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/internal/quorum"
	"github.com/p4ce/p4ce/sim/events"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/mu/rig"
)

// ChaosOptions draws the shape of a run from its seed.
func ChaosOptions(seed uint64) Options {
	rng := rand.New(rand.NewPCG(seed, 1))
	o := Options{
		Servers: []int{3, 3, 3, 5, 5, 2, 4, 1, 7}[rng.IntN(9)],
		Seed:    seed,
		LogSize: 4096 << rng.IntN(3),
		Switch:  rng.IntN(4) > 0,
		Routes:  1 + rng.IntN(2),
	}
	if rng.IntN(2) == 0 {
		o.Loss = 0.002 * rng.Float64()
	}
	if rng.IntN(2) == 0 {
		o.GroupMiss = 0.005 * rng.Float64()
	}
	if rng.IntN(2) == 0 {
		o.Skew = 0.02 * rng.Float64()
	}
	if rng.IntN(2) == 0 {
		o.Batch = rng.Float64()
	}
	if o.Switch && rng.IntN(4) == 0 {
		o.Clusters, o.Groups = 2+rng.IntN(2), rng.IntN(4)
	}
	o.Durable = rng.IntN(3) == 0
	if rng.IntN(3) == 0 {
		o.Gens = 1 + rng.IntN(3)
	}
	o.Eager = rng.IntN(2) == 0
	if rng.IntN(2) == 0 {
		o.Lease = time.Duration(1+rng.IntN(80)) * time.Millisecond
	}
	return o
}

// chaos draws the lines of a script and executes them. It looks at the world to draw
// what makes sense, so that its script is not known before; but the script alone
// does the same again.
type chaos struct {
	w     *World
	root  *chaos // that has lines and later, for all clusters
	rng   *rand.Rand
	lines []string
	later events.Queue[time.Duration, laterLine]
	value int
	next  int // id of the next new server
	// Servers that have been asked to be removed, and shall not join again.
	leaving map[int]bool
}

type laterLine struct {
	line string
	when func() bool // nil: always
}

// Chaos runs a cluster for d under random load and random faults, then ends the
// faults and sees whether the cluster recovers. It returns the script that does the
// same.
func Chaos(o Options, d time.Duration) (*World, []string) {
	c := &chaos{w: New(o), rng: rand.New(rand.NewPCG(o.Seed, 2)), next: o.Servers, lines: []string{o.String()}, leaving: map[int]bool{}}
	c.root = c
	clusters := []*chaos{c}
	for _, w := range c.w.clusters[1:] {
		clusters = append(clusters, &chaos{w: w, root: c, rng: c.rng, next: o.Servers, leaving: map[int]bool{}})
	}
	calm := c.rng.IntN(3)       // how rare faults are
	grows := c.rng.IntN(2) == 0 // how often the membership changes
	for c.w.Now() < d && c.w.failed == nil {
		if o.Durable && c.w.Now() == 0 {
			c.w.each(func(s *server) { c.after(c.between(0, d), nil, "copy %d", s.id) })
		}
		c.run(c.between(100*time.Microsecond, 5*time.Millisecond))
		c := clusters[0]
		if len(clusters) > 1 {
			c = clusters[c.rng.IntN(len(clusters))]
		}
		if c.rng.IntN(3) > 0 {
			c.load()
		} else if c.rng.IntN(4<<calm) == 0 {
			if grows && c.rng.IntN(2) == 0 {
				c.membership()
			} else {
				c.fault()
			}
		}
	}
	clusters[c.rng.IntN(len(clusters))].most()
	c.do("settle last")
	return c.w, c.lines
}

func (c *chaos) between(a, b time.Duration) time.Duration {
	return a + time.Duration(c.rng.Int64N(int64(b-a)+1))
}

// do executes a line. What is refused is part of the run.
func (c *chaos) do(format string, args ...any) {
	if c.w.failed != nil {
		return
	}
	c.execute(c.address(fmt.Sprintf(format, args...)))
}

// address says for which cluster a line is.
func (c *chaos) address(line string) string {
	if c.w.number > 1 {
		return fmt.Sprintf("@%d %s", c.w.number, line)
	}
	return line
}

func (c *chaos) execute(line string) {
	root := c.root
	root.lines = append(root.lines, line)
	if _, err := root.w.Do(line); err != nil {
		c.w.tracef(nobody, "%s: %v", line, err)
	}
}

// after executes a line later, if cond still holds then.
func (c *chaos) after(d time.Duration, cond func() bool, format string, args ...any) {
	c.root.later.At(c.w.Now()+d, laterLine{c.address(fmt.Sprintf(format, args...)), cond})
}

// run lets time pass, with what is due.
func (c *chaos) run(d time.Duration) {
	end := c.w.Now() + d
	c.later.Run(end, func() bool { return c.w.failed == nil }, func(l laterLine) {
		if at := c.later.Now(); at > c.w.Now() {
			c.do("run %v", at-c.w.Now())
		}
		if l.when == nil || l.when() {
			c.execute(l.line)
		}
	})
	if end > c.w.Now() {
		c.do("run %v", end-c.w.Now())
	}
}

// pick draws a server that is not gone.
func (c *chaos) pick() *server {
	var all []*server
	c.w.each(func(s *server) { all = append(all, s) })
	return all[c.rng.IntN(len(all))]
}

// pickOrLeader draws a server, and the leader rather often.
func (c *chaos) pickOrLeader() *server {
	if l := c.w.Leader(); l >= 0 && c.rng.IntN(2) == 0 {
		return c.w.servers[l]
	}
	return c.pick()
}

// load proposes something, mostly to the leader.
func (c *chaos) load() {
	target := c.w.Leader()
	if target < 0 || c.rng.IntN(8) == 0 {
		target = c.pick().id
	}
	n := 1 + c.rng.IntN(8)
	if c.rng.IntN(40) == 0 {
		n = 20 + c.rng.IntN(100) // more than the ring takes
	}
	line := fmt.Sprintf("propose %d", target)
	for range n {
		c.value++
		line += fmt.Sprintf(" v%d", c.value)
		if c.rng.IntN(4) == 0 {
			line += fmt.Sprintf("+%d", c.rng.IntN(c.w.opt.LogSize/4-200))
		}
	}
	c.do("%s", line)
	if c.rng.IntN(2) == 0 {
		c.do("barrier %d", target)
	}
}

// fault draws a fault.
func (c *chaos) fault() {
	total := 0
	for _, f := range faults {
		total += f.weight
	}
	n := c.rng.IntN(total)
	for _, f := range faults {
		if n -= f.weight; n < 0 {
			f.begin(c)
			return
		}
	}
}

// faults are what may go wrong, and how often beside the others.
var faults = []struct {
	weight int
	begin  func(c *chaos)
}{
	{3, func(c *chaos) {
		s := c.pickOrLeader()
		if c.rng.IntN(4) == 0 {
			c.setLease()
		}
		// The memory of a majority must survive: nobody can help beyond that.
		members := c.w.members()
		spare := c.w.intact()-1 >= quorum.Majority(len(members)) || !rig.Has(members, s.id)
		if s.up && (spare || c.w.opt.Durable) {
			how := ""
			if spare && c.rng.IntN(3) == 0 {
				how = " disk"
			}
			c.do("crash %d%s", s.id, how)
			c.after(c.between(0, 300*time.Millisecond), nil, "restart %d", s.id)
		}
	}},
	{1, func(c *chaos) {
		if s := c.pick(); !s.up {
			c.do("restart %d", s.id)
		}
	}},
	{2, func(c *chaos) {
		if s := c.pickOrLeader(); s.up && !s.held {
			c.do("pause %d", s.id)
			life := s.life
			c.after(c.between(time.Millisecond, 300*time.Millisecond), func() bool { return s.life == life }, "resume %d", s.id)
		}
	}},
	{3, func(c *chaos) {
		if a, b := c.pick().id, c.pick().id; a != b {
			c.cut(fmt.Sprintf("%d %d route=%d", a, b, c.rng.IntN(c.w.opt.Routes)), 200*time.Millisecond)
		}
	}},
	{1, func(c *chaos) { c.cut(fmt.Sprint(c.pickOrLeader().id), 400*time.Millisecond) }},
	{2, func(c *chaos) {
		if c.w.sw.up {
			c.briefly("switch down", "switch up", 300*time.Millisecond)
		}
	}},
	{1, func(c *chaos) {
		if c.w.sw.up {
			c.do("switch restart")
		}
	}},
	{1, func(c *chaos) {
		if c.w.sw.controller {
			c.briefly("controller down", "controller up", 300*time.Millisecond)
		}
	}},
	{2, func(c *chaos) {
		id := c.pick().id
		c.briefly(fmt.Sprintf("slow %d %v", id, c.between(0, 20*time.Millisecond)), fmt.Sprintf("slow %d 0s", id), 400*time.Millisecond)
	}},
	{1, func(c *chaos) {
		what := "corrupt"
		if len(c.w.clusters) > 1 && c.rng.IntN(2) == 0 {
			what = "stray"
		}
		c.do("%s %d", what, c.pick().id)
	}},
	{1, func(c *chaos) { c.do("miss %d", c.pick().id) }},
	{1, func(c *chaos) {
		if c.rng.IntN(2) > 0 {
			return
		}
		c.do("power")
		switch c.rng.IntN(4) {
		case 0:
			c.do("set durable=%v", !c.w.opt.Durable)
		case 1:
			c.setLease()
		}
		c.w.each(func(s *server) { c.after(c.between(0, 20*time.Millisecond), nil, "restart %d", s.id) })
	}},
	{1, func(c *chaos) { // the leader is gone, and the switch
		if l := c.w.Leader(); l >= 0 && c.w.sw.up {
			c.do("pause %d", l)
			c.briefly("switch restart", fmt.Sprintf("resume %d", l), 200*time.Millisecond)
		}
	}},
	{3, func(c *chaos) {
		if s := c.pick(); s.kept == nil {
			c.do("copy %d", s.id)
		} else {
			c.goBack(s)
		}
	}},
}

// briefly executes a line, and after at most that long the one that ends it.
func (c *chaos) briefly(begin, end string, most time.Duration) {
	c.do("%s", begin)
	c.after(c.between(time.Millisecond, most), nil, "%s", end)
}

// cut cuts what a cut or heal command names, one way or both.
func (c *chaos) cut(what string, most time.Duration) {
	if c.rng.IntN(3) == 0 {
		what += " oneway"
	}
	c.briefly("cut "+what, "heal "+what, most)
}

// goBack gives a server the disk that it had when a copy was made, when all others know what
// it has said since, and can tell it: it knows them, and it cannot lead with others. A server
// that was alone when the copy was made asks nobody.
func (c *chaos) goBack(s *server) {
	w := c.w
	members, then := w.members(), s.kept.disk.members
	well := w.opt.Durable && w.sw.up && len(members) > 2 && rig.Has(members, s.id) && w.Leader() >= 0 && len(then) != 1
	for _, m := range members {
		o := w.servers[m.ID]
		well = well && o.up && !o.held && o.core.Status().State == mu.Full
	}
	for _, m := range then {
		well = well && rig.Has(members, int(m.ID))
	}
	if !well {
		return
	}
	c.do("heal")
	c.do("run 50ms")
	c.do("pause %d", s.id)
	c.do("run 30ms")
	c.do("crash %d", s.id)
	c.do("restore %d", s.id)
	c.do("restart %d", s.id)
	c.do("run 50ms")
}

// setLease draws how long leases are of servers that start from now on, if any.
func (c *chaos) setLease() {
	c.do("set lease=%v", time.Duration(c.rng.IntN(3)*c.rng.IntN(80))*time.Millisecond)
}

// membership adds a server or removes one.
func (c *chaos) membership() {
	w := c.w
	members := w.members()
	if c.rng.IntN(2) == 0 && len(members) < mu.MaxServers && c.next < mu.MaxID {
		id := c.next
		c.next++
		c.do("learner %d", id)
		if w.servers[id] == nil {
			return
		}
		var try func()
		try = func() {
			c.after(c.between(5*time.Millisecond, 50*time.Millisecond), func() bool {
				if rig.Has(w.members(), id) || c.leaving[id] {
					return false
				}
				if l := w.Leader(); l >= 0 && !w.servers[l].core.CaughtUp(mu.ID(id)) {
					c.do("learner %d", id)
				}
				try()
				return true
			}, "join %d", id)
		}
		try()
		return
	}
	if len(members) < 2 {
		return
	}
	id := int(members[c.rng.IntN(len(members))].ID)
	c.leaving[id] = true
	c.do("remove %d", id)
	if l := w.Leader(); l >= 0 && l != id && c.rng.IntN(3) == 0 && w.intact() > quorum.Majority(len(members)) {
		// The leader starts again, just when it has removed somebody.
		c.after(c.between(0, time.Millisecond), nil, "crash %d", l)
		c.after(c.between(time.Millisecond, 20*time.Millisecond), nil, "restart %d", l)
	}
	// Its owner stops it some time after a leader has said that it is done: before, those that know of it may be lost.
	// Nor does he while a member has forgotten everything, which may know of nobody else.
	var stop func()
	stop = func() {
		c.after(c.between(time.Millisecond, 100*time.Millisecond), func() bool {
			if l := w.Leader(); l >= 0 {
				if st := w.Status(l); st.Agreed && !rig.Has(st.Members, id) && w.intact() == len(w.members()) {
					return true
				}
			}
			stop()
			return false
		}, "stop %d", id)
	}
	stop()
}

// most heals a random majority for good, and makes the faults of the others permanent,
// with some more: whoever is well must go on without them.
func (c *chaos) most() {
	w := c.w
	core := w.core(c.rng)
	if core == nil || c.rng.IntN(2) == 0 {
		return
	}
	w.each(func(s *server) {
		if slices.Contains(core, s.id) {
			return
		}
		switch c.rng.IntN(6) {
		case 0:
			c.do("crash %d", s.id)
		case 1:
			c.do("pause %d", s.id)
		case 2:
			c.do("cut %d", s.id)
		case 3: // some see it, some do not
			o := c.pick().id
			if o != s.id {
				c.do("cut %d %d", s.id, o)
			}
		case 4:
			c.do("slow %d %v", s.id, c.between(0, 20*time.Millisecond))
		}
	})
	if w.opt.Routes > 1 && c.rng.IntN(4) == 0 {
		c.do("switch down")
	}
	var ids []string
	for _, id := range core {
		ids = append(ids, fmt.Sprint(id))
	}
	c.do("settle most core=%s", strings.Join(ids, ","))
}
