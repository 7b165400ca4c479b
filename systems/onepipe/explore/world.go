package explore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"slices"
	"time"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/halves"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/sim/explore/program"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/control"
)

var be = binary.BigEndian

// Goals.
const (
	goalOnce = iota
	goalReliable
	goalAllOnce
	goalAllReliable
	goalEqual
	goalRound
	goalLost
	goalResent
	goalTakenBack
	goalTold
	goalGoesOn
	goalBack
	goalFull
	goalReturned
	goalForwarded
	goals
)

var goalNames = [goals]string{
	"a best-effort message is received", "a reliable message is received", "all receive their best-effort messages", "all receive their reliable messages",
	"two messages of one timestamp are received", "a message is received when barriers have come round", "a sender is told that a best-effort message is lost",
	"something is sent again", "a reliable scattering is taken back", "a process is told that another one has failed", "the order goes on without one that has failed",
	"a link that has failed joins again", "a receiver has no room", "one that has failed delivers what the others do", "the controller forwards an answer",
}

// After how many steps something was lost, a link has failed, and that was noticed.
const (
	retries = 3
	silence = 5
	answer  = 4
	detects = silence + 4
)

// joiner is the host that is not there in the beginning, with Bounds.Joins.
const joiner = 1

// key is the hash of a part of a state.
type key [2]uint64

// Model makes worlds of some bounds.
type Model struct {
	bounds     Bounds
	prog       *program.Program
	fast       *interp.Target // of switches whose CPUs send the beacons: the data plane,
	halves     *halves.Target // and both
	fastEmpty  *interp.State
	local      *p4rt.Local
	conf       *control.Config
	seeds      [2]maphash.Seed
	enc        explore.Encoder // of hosts
	ctlEnc     explore.Encoder // of the controller
	copier     explore.Copier
	buf        []byte
	epoch      time.Duration // the hosts' clocks at step 0
	comesRound uint64        // when barriers do
	links      [2][names.Radix]*ir.Register
	first      *World
	explore.GoalSet
}

// World is the network in one of its states.
type World struct {
	m      *Model
	token  *int // of the hosts and the controller that it may change
	now    int  // steps of the controller's clock, and of all that are not held up
	hosts  [hosts]*host
	sw     [switches]device
	failed [switches]bool
	holes  [hosts][hosts]bool // from, to
	ways   [len(wires)]way
	ctl    *controller // nil: there is none
	book   ledger
	held   []item // in order
	copies []copied
	left   Bounds
	ticks  [hosts]int // Bounds.Free: steps that each clock may still go
	ending bool       // Converge: beacons are not of interest any more
	whole  bool       // Converge: all hosts are there, so that all links are to be open
	// Bounds.Rare: which moments were chosen, and how many actions there were.
	moments, moves int
	explore.Trail
}

// copied is a copy of a packet that comes later.
type copied struct {
	way   int
	frame []byte
}

// NewModel makes the model of a world. Its worlds share a switch that is for one goroutine at a time: a search takes one
// worker.
func NewModel(b Bounds) (*Model, error) { return newModel(b, p4.FS) }

func newModel(b Bounds, programs fs.FS) (*Model, error) {
	prog, err := program.Load(control.Program, programs, dataplane.Port(names.PortCPU), nil)
	if err != nil {
		return nil, err
	}
	info, err := p4.Info(control.Program)
	if err != nil {
		return nil, err
	}
	m := &Model{
		bounds: b, prog: prog, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		enc: explore.Encoder{
			// What does not change, and what counts only.
			Skip: map[string]bool{
				"onepipe.Endpoint.c": true, "onepipe.Endpoint.Counters": true, "onepipe.Endpoint.now": true, "onepipe.Endpoint.handed": true,
			},
			Rings: map[string][3]string{"onepipe.fifo": {"ring", "head", "n"}},
		},
		ctlEnc: explore.Encoder{Skip: map[string]bool{
			"control.Core.conf": true, "control.Core.out": true, "control.Core.now": true, "control.Core.hosts": true, "control.Core.byAddr": true,
			"control.swtch.forwards": true, "control.host.hands": true, // what the controller forwards is not that much
			"control.Core.ways": true, // follows from the links
			"control.swtch.arp": true, "control.swtch.values": true, "control.swtch.name": true,
			"control.swtch.mirror": true, // what the switch holds, and is to do
			"control.link.input":   true, "control.host.addr": true,
		}},
		copier: explore.Copier{
			Shared: map[string]bool{"control.Config": true, "control.ways": true, "hosts.Table": true, "mirror.Thing": true, "mirror.Update": true},
			Inside: map[string]string{"onepipe.outPart": "s"},
		},
	}
	m.links = linkRegisters(prog.IR)
	if m.local, err = p4rt.NewLocal(prog.Target, prog.IR, info); err != nil {
		return nil, err
	}
	if err := m.addHalves(); err != nil {
		return nil, err
	}
	if prog.Empty, err = prog.Snapshot(); err != nil { // the program was loaded again
		return nil, err
	}
	if m.conf, _, err = control.ParseConfig([]byte(deployment)); err != nil {
		return nil, err
	}
	for sw := range b.CPU {
		m.conf.CPU[switchNames[sw]] = true
	}
	m.conf.Poll, m.conf.Silence, m.conf.Patience, m.conf.Answer = tick, silence*tick, 12*tick, -1
	if b.Holes > 0 {
		m.conf.Patience = 30 * tick // time-outs of hosts have grown, and those who wait are to be offered that packets are forwarded
	}
	if b.Hangs > 0 {
		m.conf.Answer = answer * tick
	}
	m.GoalSet = m.goals()
	// Barriers come round soon after the beginning, whenever that is.
	m.comesRound = 1 << (32 + onepipe.Shift)
	begins := 0
	for range 2 {
		m.epoch = time.Duration(m.comesRound) - time.Duration(begins+1)*tick
		m.conf.Clock = func(now time.Duration) uint64 { return uint64(m.epoch + now) }
		if m.first, err = m.warmUp(); err != nil {
			return nil, err
		}
		begins = m.first.now
	}
	return m, nil
}

// goals are those that a world can reach. What random ways come to seldom is a goal of the worlds that are searched: how many ways a
// machine goes in the time that it has is not known.
func (m *Model) goals() explore.GoalSet {
	b := m.bounds
	fails := b.Kills+b.Cuts+b.Fails+b.Forgets+b.Hangs > 0 && b.Ticks >= detects
	may := [goals]bool{
		goalOnce: b.Once > 0, goalReliable: b.Reliable > 0, goalAllOnce: b.Once > 0 && !b.Joins, goalAllReliable: b.Reliable > 0 && !b.Joins,
		goalEqual: (b.Once > 1 || b.Reliable > 1) && b.Skew == 0 && !b.Joins && !b.Small && b.Rare == 0, goalRound: b.Once+b.Reliable > 0 && b.Anytime && b.Ticks > 2,
		goalLost: b.Once > 0 && b.Losses > 0 && b.Ticks >= retries, goalResent: b.Reliable > 0 && b.Losses > 0 && b.Ticks > retries,
		goalTakenBack: b.Reliable > 0 && fails, goalTold: fails, goalGoesOn: fails && b.Reliable > 0 && b.Anytime,
		goalBack: fails && b.Heals > 0 && b.Ticks > detects+2, goalFull: b.Small && b.Once+b.Reliable > 1,
		goalReturned: b.Returns && b.Reliable > 0 && b.Cuts > 0 && b.Rare == 0, goalForwarded: b.Holes > 0 && b.Ticks >= 2*retries,
	}
	return explore.NewGoals(goalNames[:], may[:])
}

// skew is by how many steps a host's clock is ahead. Who joins is behind all others.
func (m *Model) skew(n int) int {
	if m.bounds.Joins {
		return [hosts]int{0, -2, -1}[n] * m.bounds.Skew
	}
	return [hosts]int{0, 1, -1}[n] * m.bounds.Skew
}

// size is the length of a message.
func (m *Model) size() int {
	if m.bounds.Long {
		return 3
	}
	return 1
}

// warmUp makes the world in which all have been admitted.
func (m *Model) warmUp() (*World, error) {
	w := &World{m: m, token: new(int), Trail: m.Trail()}
	for sw := range w.sw {
		w.sw[sw] = m.empty(sw)
	}
	if err := w.begin(&records{}); err != nil {
		return nil, err
	}
	for n := range w.hosts {
		w.hosts[n] = &host{owner: w.token, run: &run{}, number: n, dead: true}
		if m.bounds.Joins && n == joiner {
			continue
		}
		if err := w.boot(n); err != nil {
			return nil, err
		}
	}
	calm := 0
	for w.now < 60 && calm < 3 {
		if err := w.fair(); err != nil {
			return nil, err
		}
		calm++
		for n, h := range w.hosts {
			if h.proc == nil && !(m.bounds.Joins && n == joiner) {
				calm = 0
			}
		}
		w.pass()
	}
	if calm == 0 {
		return nil, errors.New("the hosts are not admitted")
	}
	// A step has begun, and nothing was sent in it yet: what is sent first may have the timestamps of others. Where everything
	// happens in any order, the beacons of that step would be too much.
	if m.bounds.Free {
		if err := w.fair(); err != nil {
			return nil, err
		}
	}
	w.book, w.Trail, w.left = ledger{}, m.Trail(), m.bounds
	if !m.bounds.Control {
		w.ctl = nil
	}
	for n := range w.ticks {
		w.ticks[n] = m.bounds.Ticks
	}
	return w, nil
}

// boot starts a host: a run of its own.
func (w *World) boot(n int) error {
	place, err := w.m.conf.Place(hostName(n))
	if err != nil {
		return err
	}
	b := &w.m.bounds
	c := onepipe.Config{
		Addr: place.IP, MAC: place.MAC, Resolve: place.Resolve, Controller: place.Gateway.IP, Token: uint64(n+1) + uint64(w.now)<<8,
		Interval: tick, Window: 8, Fragment: 2, Retry: retries * tick, Rejoin: 2 * tick,
	}
	if b.Returns {
		c.Here = 3 * tick
	}
	if b.Holes > 0 {
		c.Retry, c.Doubt = tick, tick
	}
	if b.Small {
		c.Window = 2
		if b.Long {
			c.Window = 4
		}
	}
	e, err := onepipe.New(c)
	if err != nil {
		return err
	}
	w.hosts[n] = &host{owner: w.token, run: &run{e: e}, number: n, clock: w.now}
	return w.changed(w.hosts[n])
}

// New implements explore.Model.
func (m *Model) New() (explore.World, error) {
	w := m.first.Clone().(*World)
	for !m.bounds.Anytime && w.left.Once+w.left.Reliable > 0 {
		if err := w.postNext(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// postNext has the next scattering sent: best-effort ones are the first.
func (w *World) postNext() error {
	from := w.poster(len(w.book.list))
	if from < 0 {
		return fmt.Errorf("nobody is there who could send")
	}
	if w.left.Once > 0 {
		w.left.Once--
		return w.post(from, false)
	}
	w.left.Reliable--
	return w.post(from, true)
}

// Clone implements explore.Cloner.
func (w *World) Clone() explore.World {
	n := *w
	n.token = new(int)
	n.book.list = slices.Clone(w.book.list)
	return &n
}

func (m *Model) copy(r *run) *run { return explore.Copy(&m.copier, r) }

func (m *Model) copyLife(l *life) *life { return explore.Copy(&m.copier, l) }

func (m *Model) key(b []byte) key {
	return key{maphash.Bytes(m.seeds[0], b), maphash.Bytes(m.seeds[1], b)}
}

// flags are some truths in a byte.
func flags(list ...bool) (b byte) {
	for i, v := range list {
		b |= explore.Flag(v) << i
	}
	return b
}

// Append implements explore.World.
func (w *World) Append(b []byte) []byte {
	sum := func(k key) { b = be.AppendUint64(be.AppendUint64(b, k[0]), k[1]) }
	l := &w.left
	for _, n := range [...]int{w.now, l.Once, l.Reliable, l.Ticks, l.Losses, l.Repeats, l.Holds, l.Jumps, l.Kills, l.Cuts, l.Fails, l.Heals, l.Restarts, l.Forgets, l.Holes, l.Hangs, w.ticks[0], w.ticks[1], w.ticks[2]} {
		b = append(b, byte(n))
	}
	for _, h := range w.hosts {
		sum(h.sum)
	}
	for _, d := range w.sw {
		sum(d.sum)
	}
	b = append(b, flags(w.failed[0], w.failed[1], w.ctl != nil))
	for from := range w.holes {
		b = append(b, flags(w.holes[from][:]...))
	}
	if w.ctl != nil {
		sum(w.ctl.sum)
	}
	for i := range w.ways {
		x := &w.ways[i]
		b = be.AppendUint32(be.AppendUint32(append(b, byte(len(x.queue)), flags(x.down, x.spoken)), x.said[0]), x.said[1])
		for _, p := range x.queue {
			b = append(append(b, byte(len(p.frame)), flags(p.late)), p.frame...)
		}
	}
	for _, c := range w.copies {
		b = append(append(b, byte(c.way), byte(len(c.frame))), c.frame...)
	}
	b = append(b, byte(len(w.held)))
	for _, i := range w.held {
		b = append(b, byte(i))
	}
	if w.m.bounds.Rare > 0 {
		b = be.AppendUint16(append(b, byte(w.moments)), uint16(w.moves))
	}
	return w.book.append(b)
}

// hostAt is the host with an address.
func (w *World) hostAt(a wire.Addr) int { return int(a[3]) - 1 }
