package explore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/sim/explore/program"
	"github.com/p4ce/p4ce/systems/paxos"
)

const (
	acceptors = 3
	ring      = 2
	app       = 1
	life      = 77

	firstRound, takeOver, closing = 1, 2, 3 // rounds
	instances                     = 6       // so many at most
)

// Goals.
const (
	goalDelivered = iota
	goalSecond
	goalRecovered
	goalNothing
	goalStale
	goalFull
	goalLap
	goalForgot
	goalClosed
	goalCopied
	goals
)

var goalNames = [goals]string{
	"a value of the first leader is delivered", "a value of the second leader is delivered", "a vote of round 1 is adopted in a higher round", "a no-op is delivered",
	"a proposal of round 1 comes too late", "a request finds the ring full", "an instance is delivered from a cell that is used again",
	"an acceptor says that it has forgotten", "the controller closes an instance", "the new acceptors have the values chosen before, and are asked alone",
}

// Model makes worlds.
type Model struct {
	bounds Bounds
	prog   *program.Program
	first  World
	forgot [acceptors]*interp.State // of each acceptor, without its registers
	explore.GoalSet
	encoders [acceptors + 1]explore.Encoder // of coordinators: what they know of one of the acceptors, and of one that is taken up anew
}

// Switches of a world.
const (
	firstLeader = iota
	secondLeader
	firstAcceptor
	theLearner = firstAcceptor + acceptors
	switches   = theLearner + 1
)

// World is the switches, the controller, and what is around them.
type World struct {
	m       *Model
	sw      [switches]*interp.State
	flight  []message // in order, each once
	take    *paxos.Coordinator
	close   *paxos.Coordinator
	changed int                                         // the acceptor that was taken up anew, +1
	alone   bool                                        // close asks the new acceptors alone
	leads   bool                                        // the second leader does
	sent    byte                                        // values so far: 'a' and following
	base    int                                         // instances that were trimmed before the beginning
	trimmed int                                         // steps of trimming that were made since
	votes   [instances + 1][closing + 1][acceptors]byte // +1: 1 is a vote for nothing
	told    [instances + 1]byte                         // what the replica was told, +1
	left    Bounds
	explore.Trail
}

// NewModel makes the model of a world. Its worlds share a switch that is for one
// goroutine at a time (interp.State): a search takes one worker.
func NewModel(b Bounds) (*Model, error) { return newModel(b, p4.FS) }

func newModel(b Bounds, programs fs.FS) (*Model, error) {
	prog, err := program.Load("paxos", programs, dataplane.Port(names.PortCPU), map[string]string{"RING_BITS": "1", "APP_BITS": "1"})
	if err != nil {
		return nil, err
	}
	m := &Model{bounds: b, prog: prog}
	for k := range m.encoders {
		m.encoders[k].Skip = map[string]bool{"paxos.Coordinator.sends": true, "paxos.Coordinator.o": true, "paxos.Coordinator.r": true, "paxos.Coordinator.err": true}
		m.encoders[k].Types = map[string]func([]byte, reflect.Value) []byte{
			"paxos.Acceptors": func(b []byte, v reflect.Value) []byte { return append(b, byte(v.Uint()>>k&1)) }, // number acceptors is the one taken up
		}
	}
	m.first = World{m: m, left: b, Trail: m.Trail()}
	for i := range m.first.sw {
		if m.first.sw[i], err = prog.Set(prog.Empty, setup(b, i)); err != nil {
			return nil, err
		}
	}
	for n := range m.forgot {
		if m.forgot[n], err = prog.Set(m.first.sw[firstAcceptor+n], m.zeroes()); err != nil {
			return nil, err
		}
	}
	changes := b.Changes > 0 || b.Changed
	taken := b.Takeovers > 0 || b.Gaps > 0
	may := [goals]bool{
		goalDelivered: b.Requests > 0 && !b.OneRound, goalSecond: b.Later > 0 && !b.OneRound || b.Votes, goalRecovered: taken && b.Requests > 0 || b.Changed, goalStale: taken && b.Requests > 0,
		goalNothing: taken && b.Requests > 1, goalFull: b.Requests+b.Later > ring, goalLap: b.Trims > 0 && b.Requests > ring || b.Votes || b.Lapped,
		goalForgot: b.Forgets > 0 && b.Takeovers > 0, goalClosed: b.Gaps > 0, goalCopied: changes && b.Gaps > 0 && !b.Alone,
	}
	m.GoalSet = explore.NewGoals(goalNames[:], may[:])
	return m, nil
}

// zeroes is the script by which a switch loses its registers.
func (m *Model) zeroes() string {
	var s strings.Builder
	for _, r := range m.prog.IR.Registers {
		for i := range r.Size {
			fmt.Fprintf(&s, "register_write %s %d%s\n", r.Name, i, strings.Repeat(" 0", len(r.Fields)))
		}
	}
	return s.String()
}

// setup is what a controller installs in a switch.
func setup(b Bounds, i int) string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	role := func(at names.At, where byte) {
		line("add service hdr.ipv4.dst:10.0.0.%d hdr.udp.dst_port:%d role(at:%d, app:%d, life:%d)", where, udpPort, at, app, life)
		line("register_write life %d %d", app, life)
		line("register_write first %d 1", app)
		line("register_write last %d %d", app, ring)
	}
	copies := func(group int, want names.Became, kind names.Message, from byte, to ...byte) {
		var ports []string
		for n, t := range to {
			rid := 16*group + n
			line("add copies rid:%d to(want:%d, kind:%d, src_mac:02:00:00:00:00:%02x, dst_mac:02:00:00:00:00:%02x, src:10.0.0.%d, dst:10.0.0.%d, dst_port:%d)",
				rid, want, kind, from, t, from, t, udpPort)
			ports = append(ports, fmt.Sprintf("%d:%d", t, rid))
		}
		line("multicast %d %s", group, strings.Join(ports, " "))
	}
	second := takeOver
	if b.OneRound {
		second = firstRound
	}
	switch {
	case i <= secondLeader:
		role(names.AtLeader, serviceAt)
		line("add proposers md.app:%d hdr.ipv4.src:10.0.0.%[2]d port_group:%[2]d may_propose()", app, hostAt)
		if i == firstLeader || b.OneRound {
			line("register_write next %d 1", app)
			line("%s", leads(firstRound))
		}
		copies(2, names.BecameAccept, names.MsgAccept, serviceAt, acceptorAt, acceptorAt+1, acceptorAt+2)
	case i < theLearner:
		n := i - firstAcceptor
		role(names.AtAcceptor, acceptorAt+byte(n))
		line("add acceptor md.app:%d md.at:%d vote_as(index:%d, bit_:%d, group:3, counted:0)", app, names.AtAcceptor, n, 1<<n)
		line("add rounds md.app:%d hdr.paxos.rnd:%d hdr.ipv4.src:10.0.0.%[3]d port_group:%[3]d owned()", app, firstRound, serviceAt)
		if second != firstRound {
			line("add rounds md.app:%d hdr.paxos.rnd:%d hdr.ipv4.src:10.0.0.%[3]d port_group:%[3]d owned()", app, second, serviceAt)
			line("add rounds md.app:%d hdr.paxos.rnd:%d hdr.ipv4.src:10.0.0.%[3]d port_group:%[3]d owned()", app, second, controlAt)
		}
		line("add rounds md.app:%d hdr.paxos.rnd:%d hdr.ipv4.src:10.0.0.%[3]d port_group:%[3]d owned()", app, closing, controlAt)
		copies(3, names.BecameVote, names.MsgVote, acceptorAt+byte(n), learnerAt)
	default:
		role(names.AtLearner, learnerAt)
		for _, rnd := range []int{firstRound, takeOver, closing} {
			line("add members md.app:%d hdr.paxos.rnd:%d learn_for(members:%d, group:4)", app, rnd, acceptors)
			for n := range acceptors {
				line("add voters md.at:%d md.app:%d hdr.paxos.rnd:%d hdr.ipv4.src:10.0.0.%[4]d hdr.paxos.acceptor:%[5]d port_group:%[4]d voter(bit_:%[6]d)", names.AtLearner, app, rnd, acceptorAt+n, n, 1<<n)
			}
		}
		copies(4, names.BecameDeliver, names.MsgDeliver, learnerAt, replicaAt)
	}
	return s.String()
}

// leads is the entry of a leader.
func leads(rnd int) string {
	return fmt.Sprintf("add leader md.app:%d md.at:%d hdr.paxos.kind:%d lead(rnd:%d, group:2)", app, names.AtLeader, names.MsgRequest, rnd)
}

// New implements explore.Model.
func (m *Model) New() (explore.World, error) {
	w := m.first
	if m.bounds.Votes {
		w.sent = 6
		for _, v := range []struct {
			inst, rnd uint32
			from      byte
			value     byte
		}{{1, firstRound, 0, 'a'}, {1, takeOver, 1, 'b'}, {3, takeOver, 2, 'c'}, {2, firstRound, 0, 'd'}, {2, takeOver, 0, 'e'}, {2, takeOver, 1, 'e'}, {4, takeOver, 1, 'f'}, {4, takeOver, 2, 'f'}} {
			w.votes[v.inst][v.rnd][v.from] = v.value + 1
			w.fly(message{to: learnerAt, from: acceptorAt + v.from, kind: names.MsgVote, acceptor: v.from, inst: v.inst, rnd: v.rnd, client: 9, seq: v.value - 'a' + 1, value: v.value})
		}
	}
	if m.bounds.Lapped {
		return &w, w.lap()
	}
	if m.bounds.Changed {
		return &w, w.change()
	}
	return &w, nil
}

// change goes on to where the second leader leads with another acceptor, which does not have what was chosen.
func (w *World) change() error {
	w.left.Requests, w.left.Takeovers, w.left.Changes = w.left.Requests+1, w.left.Takeovers+1, w.left.Changes+1
	if err := w.Do(explore.Act(aRequest, 0, 0, 0), nil); err != nil {
		return err
	}
	arrives := func(kind names.Message, n byte) error {
		i := slices.IndexFunc(w.flight, func(m message) bool { return m.kind == kind && (m.to == acceptorAt+n || m.from == acceptorAt+n) })
		return w.Do(explore.Act(aDeliver, i, 0, 0), nil)
	}
	for _, n := range []byte{0, 2} {
		if err := arrives(names.MsgAccept, n); err != nil {
			return err
		}
	}
	if err := w.Do(explore.Act(aTakeUp, 2, 0, 0), nil); err != nil {
		return err
	}
	for _, kind := range []names.Message{names.MsgFloor, names.MsgFloored} {
		for _, n := range []byte{0, 1} {
			if err := arrives(kind, n); err != nil {
				return err
			}
		}
	}
	if !w.leads {
		return errors.New("the second leader does not lead before the new acceptor has everything")
	}
	w.flight = slices.DeleteFunc(w.flight, func(m message) bool { return m.kind == names.MsgAccept }) // what was sent to acceptor 1 is lost
	return nil
}

// lap goes on to where all cells have been used once.
func (w *World) lap() error {
	w.left.Requests, w.left.Trims = w.left.Requests+ring, w.left.Trims+ring
	for range ring {
		if err := w.Do(explore.Act(aRequest, 0, 0, 0), nil); err != nil {
			return err
		}
		for range acceptors - 1 { // those to acceptor 2 are the last
			i := slices.IndexFunc(w.flight, func(m message) bool { return m.to != acceptorAt+acceptors-1 })
			if err := w.Do(explore.Act(aDeliver, i, 0, 0), nil); err != nil {
				return err
			}
		}
	}
	for range ring * trimSteps {
		if err := w.trim(); err != nil {
			return err
		}
	}
	w.flight = w.flight[:1] // the second one is lost
	w.left.Trims -= ring
	w.trimmed = 0
	w.base = ring
	return nil
}

// Columns of a chart.
const (
	colHost = iota
	colFirst
	colSecond
	colAcceptor
	colLearner = colAcceptor + acceptors
	colReplica = colLearner + 1
	colControl = colReplica + 1
)

// Columns implements explore.Model.
func (m *Model) Columns() []string {
	return []string{"host", "leader 1", "leader 2", "acceptor 0", "acceptor 1", "acceptor 2", "learner", "replica", "controller"}
}

// Clone implements explore.Cloner.
func (w *World) Clone() explore.World {
	n := *w
	n.flight = slices.Clone(w.flight)
	if w.take != nil {
		n.take = w.take.Clone()
	}
	if w.close != nil {
		n.close = w.close.Clone()
	}
	return &n
}

// Append implements explore.World. Acceptors are alike: what there is of each is in an order
// that does not depend on their numbers.
func (w *World) Append(b []byte) []byte {
	l := &w.left
	b = append(b, byte(l.Requests), byte(l.Later), byte(l.Takeovers), byte(l.Gaps), byte(l.Repeats), byte(l.Forgets), byte(l.Changes), byte(l.Trims), w.sent, byte(w.trimmed), explore.Flag(w.leads), explore.Flag(w.alone))
	b = append(b, w.told[:]...)
	for _, i := range [...]int{firstLeader, secondLeader} {
		b = w.sw[i].AppendRegisters(b)
	}
	if w.m.bounds.Learner { // it tells acceptors apart, by their bits
		b = w.sw[theLearner].AppendRegisters(b)
		for k := range acceptors {
			b = append(w.acceptor(b, k), 255)
		}
		return b
	}
	var all [acceptors][]byte
	for k := range all {
		all[k] = w.acceptor(nil, k)
	}
	slices.SortFunc(all[:], bytes.Compare)
	for _, a := range all {
		b = append(append(b, a...), 255)
	}
	return b
}

// acceptor appends what there is of an acceptor: its registers, what it has voted for, what is
// under way from it and to it, and what coordinators know of it.
func (w *World) acceptor(b []byte, k int) []byte {
	b = append(w.sw[firstAcceptor+k].AppendRegisters(b), explore.Flag(w.changed == k+1))
	for i := range w.votes {
		for _, r := range w.votes[i] {
			b = append(b, r[k])
		}
	}
	for _, f := range w.flight {
		switch byte(acceptorAt + k) {
		case f.to:
			f.to = acceptorAt
		case f.from:
			f.from = acceptorAt
		default:
			continue
		}
		f.acceptor = 0
		b = f.append(b)
	}
	for _, c := range [...]*paxos.Coordinator{w.take, w.close} {
		b = append(b, explore.Flag(c != nil))
		if c != nil {
			b = w.m.encoders[k].Append(b, c)
			if w.changed == k+1 {
				b = w.m.encoders[acceptors].Append(b, c)
			}
		}
	}
	return b
}
