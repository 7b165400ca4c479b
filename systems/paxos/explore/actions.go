package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/systems/paxos"
)

// Places of rows that worlds begin with.
const (
	aRequest = 0
	aDeliver = 2
	aTakeUp  = 5
)

var rows = explore.Rows[*World]{
	aRequest: {Name: "request %c to leader 1", Args: asked, Left: func(w *World) *int { return &w.left.Requests },
		Do: func(w *World, _, _, _ int) error { return w.request(firstLeader) }},
	{Name: "request %c to leader 2", Args: asked, Left: func(w *World) *int { return &w.left.Later },
		Can: explore.When(func(w *World) bool { return w.leads || w.m.bounds.OneRound }),
		Do:  func(w *World, _, _, _ int) error { return w.request(secondLeader) }},
	aDeliver: {Name: "deliver %v", Args: flying, Can: arriving,
		Do: func(w *World, n, _, _ int) error {
			m := w.flight[n]
			w.flight = slices.Delete(w.flight, n, n+1)
			return w.deliver(m)
		}},
	{Name: "repeat %v", Args: flying, Left: func(w *World) *int { return &w.left.Repeats }, Can: arriving,
		Do: func(w *World, n, _, _ int) error { return w.deliver(w.flight[n]) }},
	{Name: "take over", Left: func(w *World) *int { return &w.left.Takeovers },
		Can: explore.When(func(w *World) bool { return w.left.Takeovers > w.left.Changes }),
		Do:  func(w *World, _, _, _ int) error { return w.takeOver() }},
	aTakeUp: {Name: "take over with acceptor %d, which has forgotten", Left: func(w *World) *int { return &w.left.Changes }, Can: anyAcceptor,
		Do: func(w *World, n, _, _ int) error {
			w.left.Takeovers--
			w.endClose()
			w.amnesia(n)
			if err := w.takeUp(n); err != nil {
				return err
			}
			return w.takeOver()
		}},
	{Name: "close instance %d", Args: func(w *World, _, _, _ int) []any { return []any{w.missing()} },
		Left: func(w *World) *int { return &w.left.Gaps },
		Can:  explore.When(func(w *World) bool { return w.sent > 0 && (w.told[w.missing()] == 0 || w.changed > 0) }),
		Do: func(w *World, _, _, _ int) error {
			w.Reach(goalClosed)
			r := w.recovery(closing)
			r.First = uint32(w.missing())
			r.Last = r.First
			if w.alone = w.changed > 0 && w.leads && (w.take.State() == paxos.Done || w.m.bounds.Alone); w.alone {
				r.Old = []paxos.Acceptors{r.New}
				w.Reach(goalCopied)
			}
			return w.begin(&w.close, r)
		}},
	{Name: "acceptor %d forgets", Left: func(w *World) *int { return &w.left.Forgets }, Can: anyAcceptor,
		Do: func(w *World, n, _, _ int) error { w.amnesia(n); return nil }},
	{Name: "trim, step %d", Args: func(w *World, _, _, _ int) []any { return []any{w.trimmed} },
		Can: explore.When(func(w *World) bool {
			l := &w.left
			return w.trimmed < trimSteps*min(l.Trims, w.delivered()-w.base) || l.Votes && w.trimmed < trimSteps*l.Trims
		}),
		Do: func(w *World, _, _, _ int) error { return w.trim() }},
}

func asked(w *World, _, _, _ int) []any { return []any{'a' + w.sent} }

func flying(w *World, n, _, _ int) []any { return []any{w.flight[n]} }

var (
	arriving    = explore.Each(func(w *World) (int, int) { return 0, len(w.flight) })
	anyAcceptor = explore.Each(func(*World) (int, int) { return 0, acceptors })
)

// Actions implements explore.World.
func (w *World) Actions(out []explore.Action) []explore.Action { return rows.Actions(w, out) }

// Name implements explore.World.
func (w *World) Name(x explore.Action) string { return rows.Title(w, x) }

// Do implements explore.World.
func (w *World) Do(x explore.Action, note func(explore.Event)) error {
	defer w.Tell(note)()
	return rows.Do(w, x)
}

// request sends the next value to a leader.
func (w *World) request(leader int) error {
	m := message{to: serviceAt, from: hostAt, kind: names.MsgRequest, client: 9, seq: w.sent + 1, value: 'a' + w.sent}
	w.sent++
	w.Line(colHost, colFirst+leader, false, "%v", m)
	return w.arrive(leader, m)
}

// delivered is the highest instance up to which the replica was told everything.
func (w *World) delivered() int {
	n := 0
	for n+1 <= instances && w.told[n+1] != 0 {
		n++
	}
	return n
}

// missing is the instance that a replica misses. When acceptors have changed it is the first: a replica that has been away
// may ask for one that was chosen long ago.
func (w *World) missing() int {
	if w.changed > 0 {
		return w.first()
	}
	return w.delivered() + 1
}

// first is the lowest instance that is not trimmed.
func (w *World) first() int { return w.base + (w.trimmed+1)/trimSteps + 1 }

func (w *World) takeOver() error {
	r := w.recovery(takeOver)
	r.Floor = true
	return w.begin(&w.take, r)
}

// endClose ends a close that is under way, as the controller does before it takes over. The take-over has a higher round
// there, so that acceptors refuse what the close has still under way. Rounds are fixed here, and the close has the higher
// one: its messages are lost instead.
func (w *World) endClose() {
	if w.close == nil || w.close.State() == paxos.Done {
		return
	}
	w.close = nil
	w.flight = slices.DeleteFunc(w.flight, func(m message) bool {
		return m.rnd == closing && (m.from == controlAt || m.to == controlAt)
	})
}

// amnesia has an acceptor lose its registers.
func (w *World) amnesia(n int) {
	w.Line(colAcceptor+n, colAcceptor+n, false, "loses its registers")
	w.sw[firstAcceptor+n] = w.m.forgot[n]
}

// takeUp makes an acceptor that has forgotten another one, which votes in no round below that of the take-over.
func (w *World) takeUp(n int) error {
	w.changed = n + 1
	w.Line(colControl, colAcceptor+n, false, "is another acceptor")
	return w.registers(firstAcceptor+n, "first", w.first(), "last", w.base+w.trimmed/trimSteps+ring, "highest", w.first()-1, "floor", takeOver, "life", life)
}

// number is the acceptor that a switch is.
func (w *World) number(n int) int {
	if w.changed == n+1 {
		return acceptors
	}
	return n
}

// recovery is what a coordinator of the controller is to do.
func (w *World) recovery(round uint32) paxos.Recovery {
	var before, now paxos.Acceptors
	for n := range acceptors {
		before, now = before.With(n), now.With(w.number(n))
	}
	r := paxos.Recovery{Round: round, First: uint32(w.base+w.trimmed/trimSteps) + 1, Old: []paxos.Acceptors{before}, New: now, Ring: ring}
	if now != before && round != takeOver { // the take-over itself: nobody has voted yet in a round of the new ones
		r.Old = append(r.Old, now)
	}
	return r
}

// begin starts a coordinator.
func (w *World) begin(at **paxos.Coordinator, r paxos.Recovery) error {
	c, err := paxos.NewCoordinator(r, paxos.CoordinatorOptions{Window: 1})
	if err != nil {
		return err
	}
	*at = c
	w.Line(colControl, colControl, false, "begins round %d", r.Round)
	c.Tick(0)
	return w.coordinated(c)
}

// coordinated sends what a coordinator says, and lets the second leader lead when it is done.
func (w *World) coordinated(c *paxos.Coordinator) error {
	for _, s := range c.Sends() {
		to := s.To
		if to == acceptors { // it is where the one was in whose place it is
			to = w.changed - 1
		} else if to == w.changed-1 {
			continue // and that one is not there any more
		}
		m := message{to: acceptorAt + byte(to), from: controlAt, kind: names.Message(s.Message.Kind), inst: s.Message.Instance, rnd: s.Message.Round,
			client: byte(s.Message.Client), seq: byte(s.Message.Sequence), room: s.Message.Kind == paxos.Prepare}
		if len(s.Message.Value) > 0 {
			m.value = s.Message.Value[0]
		}
		w.fly(m)
	}
	// It leads before what is below is finished; where acceptors stay as they are fewer states show the same.
	ready := c.State() == paxos.Done || c.State() == paxos.Recovering && w.changed > 0
	if c != w.take || !ready || w.leads {
		return nil
	}
	w.leads = true
	w.Line(colControl, colSecond, false, "leads in round %d, from instance %d on", takeOver, c.Next())
	s, err := w.m.prog.Set(w.sw[secondLeader], fmt.Sprintf("register_write next %d %d\n%s", app, c.Next(), leads(takeOver)))
	w.sw[secondLeader] = s
	return err
}

// fly puts a message on its way. One that is under way already is the same one: that it may
// come twice is the row "repeat".
func (w *World) fly(m message) {
	if i, there := slices.BinarySearchFunc(w.flight, m, compare); !there {
		w.flight = slices.Insert(w.flight, i, m)
	}
}

// Steps of trimming an instance: it may not be used any more, in each switch; and then the
// one that gets its cell may be, in each switch.
const trimSteps = 2

func (w *World) trim() error {
	register, what := "first", "instance %d is trimmed"
	v := w.base + w.trimmed/trimSteps + 2
	shown := v - 1
	if w.trimmed%trimSteps == 1 {
		register, what = "last", "instances up to %d may be used"
		v += ring - 1
		shown = v
	}
	w.Line(colControl, colControl, false, what, shown)
	w.trimmed++
	for i := range w.sw {
		if err := w.registers(i, register, v); err != nil {
			return err
		}
	}
	return nil
}

// registers changes registers of a switch: their names and values.
func (w *World) registers(i int, values ...any) (err error) {
	script := strings.Repeat(fmt.Sprintf("register_write %%s %d %%d\n", app), len(values)/2)
	w.sw[i], err = w.m.prog.Set(w.sw[i], fmt.Sprintf(script, values...))
	return err
}

// deliver brings a message to whom it is for.
func (w *World) deliver(m message) error {
	switch {
	case m.to >= acceptorAt && m.to < acceptorAt+acceptors:
		i := int(m.to - acceptorAt)
		w.Line(w.sender(m), colAcceptor+i, false, "%v", m)
		return w.arrive(firstAcceptor+i, m)
	case m.to == learnerAt:
		w.Line(w.sender(m), colLearner, false, "%v", m)
		return w.arrive(theLearner, m)
	}
	w.Line(w.sender(m), colControl, false, "%v", m)
	if m.kind == names.MsgRefused && names.Drop(m.vrnd) == names.DropAmnesia {
		w.Reach(goalForgot)
	}
	if m.kind == names.MsgPromise && m.vrnd != 0 {
		w.Reach(goalRecovered)
	}
	a := paxos.Message{Kind: paxos.Kind(m.kind), Instance: m.inst, Round: m.rnd, VoteRound: m.vrnd, Client: uint32(m.client), Sequence: uint32(m.seq)}
	if m.value != 0 {
		a.Value = []byte{m.value}
	}
	for _, c := range []*paxos.Coordinator{w.take, w.close} {
		if c != nil && c.Round() == m.rnd {
			c.Answer(0, w.number(int(m.from-acceptorAt)), &a)
			if err := w.coordinated(c); err != nil {
				return err
			}
			w.forget()
		}
	}
	return nil
}

// sender is the column of who has sent a message.
func (w *World) sender(m message) int {
	switch {
	case m.from == serviceAt && m.rnd == takeOver:
		return colSecond
	case m.from == serviceAt:
		return colFirst
	case m.from >= acceptorAt && m.from < acceptorAt+acceptors:
		return colAcceptor + int(m.from-acceptorAt)
	}
	return colControl
}

// arrive runs a message through a switch.
func (w *World) arrive(i int, m message) error {
	s, e, err := w.m.prog.Step(w.sw[i], dataplane.Port(m.from), m.frame(), 0)
	if err != nil {
		return err
	}
	w.sw[i] = s
	if len(e.Outs) == 0 && m.kind == names.MsgAccept && m.rnd == firstRound && (w.take != nil || w.close != nil) {
		w.Reach(goalStale)
	}
	for _, o := range e.Outs {
		out, err := parse(o.Frame)
		if err != nil {
			return err
		}
		if byte(o.Port) != out.to && out.to != hostAt && !(out.to == controlAt && o.Port == controlAt) {
			return fmt.Errorf("%v leaves at port %d", out, o.Port)
		}
		if err := w.said(i, out); err != nil {
			return err
		}
	}
	return w.probe()
}

// said looks at what a switch says, and sends it on.
func (w *World) said(i int, m message) error {
	switch m.kind {
	case names.MsgVote:
		a := i - firstAcceptor
		if a < 0 || a >= acceptors || m.to != learnerAt || m.inst == 0 || m.inst > instances || m.rnd == 0 || m.rnd > closing {
			return fmt.Errorf("%v: who is that", m)
		}
		if m.value != 0 && (m.value < 'a' || m.value >= 'a'+w.sent) {
			return fmt.Errorf("%v: nobody has asked for that", m)
		}
		v := &w.votes[m.inst][m.rnd][a]
		if *v != 0 && *v != m.value+1 {
			return fmt.Errorf("acceptor %d votes for %s and for %s in instance %d and round %d", a, value(*v-1), value(m.value), m.inst, m.rnd)
		}
		*v = m.value + 1
		c, err := w.chosen(int(m.inst))
		if err != nil {
			return err
		}
		if !w.m.bounds.Learner { // one that hears of every vote at once
			if c != 0 && w.told[m.inst] == 0 {
				w.tell(m, c)
			}
			return nil
		}
	case names.MsgDeliver:
		w.Line(colLearner, colReplica, false, "%v", m)
		if m.to != replicaAt || m.inst == 0 || m.inst > instances {
			return fmt.Errorf("%v: who is that", m)
		}
		v, err := w.chosen(int(m.inst))
		switch {
		case err != nil:
			return err
		case v != m.value+1:
			return fmt.Errorf("the replica is told %s in instance %d, which is not chosen", value(m.value), m.inst)
		}
		w.tell(m, v)
		return nil
	case names.MsgRefused:
		if m.to == hostAt {
			if names.Drop(m.vrnd) == names.DropFull {
				w.Reach(goalFull)
			}
			return nil
		}
	}
	w.fly(m)
	w.forget()
	return nil
}

// forget takes away answers that no coordinator waits for. What only asks for such an answer
// is taken for lost: an acceptor that promises more can do less.
func (w *World) forget() {
	w.flight = slices.DeleteFunc(w.flight, func(m message) bool {
		switch {
		case m.to == controlAt || m.from == controlAt && m.kind != names.MsgAccept:
			c := w.take
			if m.rnd == closing {
				c = w.close
			}
			floor := m.kind == names.MsgFloored || m.kind == names.MsgFloor
			done, _ := c.Progress()
			return c.State() == paxos.Done || c.State() == paxos.Failed || floor && c.State() != paxos.Flooring ||
				!floor && m.kind != names.MsgRefused && c.State() == paxos.Recovering && m.inst < c.First()+done
		}
		return false
	})
}

// tell tells the replica of what is chosen.
func (w *World) tell(m message, v byte) {
	w.told[m.inst] = v
	switch {
	case m.value == 0:
		w.Reach(goalNothing)
	case m.rnd == takeOver:
		w.Reach(goalSecond)
	case m.rnd == firstRound:
		w.Reach(goalDelivered)
	}
	if m.inst > ring {
		w.Reach(goalLap)
	}
}

// chosen is what is chosen in an instance, +1: a majority has voted for it in one round.
func (w *World) chosen(inst int) (byte, error) {
	var v byte
	for rnd, votes := range w.votes[inst] {
		for _, x := range votes {
			n := 0
			for _, y := range votes {
				if x != 0 && x == y {
					n++
				}
			}
			switch {
			case 2*n <= acceptors || x == v:
			case v != 0:
				return 0, fmt.Errorf("two values are chosen in instance %d: %s, and %s in round %d", inst, value(v-1), value(x-1), rnd)
			default:
				v = x
			}
		}
	}
	return v, nil
}

// probe has a stranger try everything in this state.
func (w *World) probe() error {
	if !w.m.bounds.Probes {
		return nil
	}
	for i, s := range w.sw[firstAcceptor:] {
		to, all := acceptorAt+byte(i), []names.Message{names.MsgAccept, names.MsgPrepare, names.MsgFloor}
		if firstAcceptor+i == theLearner {
			to, all = learnerAt, []names.Message{names.MsgVote}
		}
		for _, rnd := range []uint32{0, firstRound, takeOver} {
			for _, kind := range all {
				m := message{to: to, from: strangerAt, kind: kind, inst: 1, rnd: rnd, client: 8, seq: 8, value: 'z', room: kind == names.MsgPrepare}
				after, e, err := w.m.prog.Step(s, strangerAt, m.frame(), 0)
				if err != nil {
					return err
				}
				if !after.Equal(s) {
					return fmt.Errorf("a stranger's %v changes something", m)
				}
				for _, o := range e.Outs {
					if out, err := parse(o.Frame); err != nil || out.kind != names.MsgRefused {
						return fmt.Errorf("a stranger's %v gets through: %v (%v)", m, out, err)
					}
				}
			}
		}
	}
	return nil
}
