package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/sim/explore/program"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// deployment is what is wired to what: h1 leads, h5 is replica 0, h3 and h4 are 1 and 2.
const deployment = `{"switches": [
 {"name": "l0", "p4runtime": "x", "address": "10.0.0.240", "mac": "02:66:00:00:00:f0", "level": 0},
 {"name": "l1", "p4runtime": "x", "address": "10.0.0.241", "mac": "02:66:00:00:00:f1", "level": 0},
 {"name": "l2", "p4runtime": "x", "address": "10.0.0.242", "mac": "02:66:00:00:00:f2", "level": 0},
 {"name": "s0", "p4runtime": "x", "address": "10.0.0.250", "mac": "02:66:00:00:00:fa", "level": 1},
 {"name": "s1", "p4runtime": "x", "address": "10.0.0.251", "mac": "02:66:00:00:00:fb", "level": 1}],
 "links": [["l0:31","s0:1"],["l1:31","s0:2"],["l2:31","s0:3"],["l0:32","s1:1"],["l1:32","s1:2"],["l2:32","s1:3"]],
 "hosts": [
 {"name": "h1", "at": "l0:1", "address": "10.0.0.1", "mac": "02:66:00:00:00:01"},
 {"name": "h2", "at": "l0:2", "address": "10.0.0.2", "mac": "02:66:00:00:00:02"},
 {"name": "h3", "at": "l1:3", "address": "10.0.0.3", "mac": "02:66:00:00:00:03"},
 {"name": "h4", "at": "l1:4", "address": "10.0.0.4", "mac": "02:66:00:00:00:04"},
 {"name": "h5", "at": "l2:5", "address": "10.0.0.5", "mac": "02:66:00:00:00:05"}]}`

const (
	home     = "l0"
	slots    = 3
	firstPSN = 0xfffffe // the leader's: PSNs come round
	virtual  = 0xabcd   // R_key
	bcastQP  = 0x100000
	region   = 4096
)

// hostsOf: the first represents those behind the spine, which plain routing would bring to it.
var hostsOf = [slots]string{"h5", "h3", "h4"}

// deltas are the replicas' PSNs minus the leader's.
var deltas = [slots]int{0, 5, -3}

// Bounds say how large a world is: how often things may happen in one run.
type Bounds struct {
	Sends   int  // packets of the leader
	Ahead   int  // packets that it has outstanding at most; default 2
	Resends int  // packets that it sends again
	Losses  int  // packets that links lose
	Change  bool // the tree becomes another one
	Probes  bool // hostile packets in every state
	Hasty   bool // relays go while packets for them are under way, as they must not
}

// ParseBounds reads "sends=3 losses=1 change".
func ParseBounds(text string) (Bounds, error) {
	b := Bounds{Ahead: 2}
	if err := explore.ParseBounds(text, &b, 30); err != nil {
		return b, err
	}
	if b.Ahead < 1 {
		return b, errors.New("ahead: want 1 at least")
	}
	return b, nil
}

// Goals.
const (
	goalAnswered = iota
	goalAbsorbed
	goalNAK
	goalOldTree
	goalNewTree
	goalMixed
	goalTwice
	goals
)

var goalNames = [goals]string{
	"an ACK goes to the leader", "an ACK is absorbed", "a NAK goes to the leader", "a packet goes by the old spine",
	"a packet goes by the new spine", "packets of both trees are under way", "a replica gets a packet again",
}

// device is a switch.
type device struct {
	name   string
	target *interp.Target
	local  *p4rt.Local
	// held is what it holds after so many of the updates that are for it, with the registers of an
	// idle switch.
	held []*interp.State
}

// Model makes worlds.
type Model struct {
	bounds  Bounds
	fabric  *control.Fabric
	plan    *group.Plan
	devices []*device
	index   map[string]int
	regs    []*ir.Register
	steps   []int // the switches that the updates of the change are for, in their order
	grown   int   // so many come before packets of the old tree have passed
	spine   string
	explore.GoalSet
}

// NewModel makes the model of a world. A search takes one worker: its worlds share targets.
func NewModel(b Bounds) (*Model, error) { return newModel(b, p4.FS, nil) }

// newModel: edit changes what the controller says, for tests.
func newModel(b Bounds, programs fs.FS, edit func([]control.Step) []control.Step) (*Model, error) {
	prog, err := program.Compile("rdma", programs, map[string]string{"GROUPS": "1", "ENDPOINTS": "16"})
	if err != nil {
		return nil, err
	}
	info, err := p4.Info(control.Program)
	if err != nil {
		return nil, err
	}
	m := &Model{bounds: b, index: map[string]int{}, regs: prog.Registers}
	if m.fabric, err = control.ParseFabric([]byte(deployment)); err != nil {
		return nil, err
	}
	for i, name := range m.fabric.Net.Switches() {
		d := &device{name: name, target: interp.New(interp.Options{CPUPort: dataplane.Port(names.PortCPU)})}
		if d.local, err = p4rt.NewLocal(d.target, prog, info); err != nil {
			return nil, err
		}
		m.devices, m.index[name] = append(m.devices, d), i
	}
	m.plan = newPlan(m.fabric)
	r, err := m.fabric.Rehearse(p4rtclient.NewInfo(info), home, m.plan)
	if err != nil {
		return nil, err
	}
	for _, list := range []func() ([]control.Step, error){r.Network, r.Grow} {
		steps, err := list()
		if err == nil {
			err = m.write(steps, false)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, d := range m.devices {
		s, err := d.target.Snapshot()
		if err != nil {
			return nil, err
		}
		d.held = append(d.held, s)
	}
	if err := m.change(r, edit); err != nil {
		return nil, err
	}
	may := [goals]bool{
		goalAnswered: true, goalAbsorbed: true, goalNAK: b.Losses > 0 && b.Sends > 1, goalOldTree: true, goalNewTree: b.Change,
		goalMixed: b.Change && b.Ahead > 1 && b.Sends > 1, goalTwice: b.Resends > 0,
	}
	m.GoalSet = explore.NewGoals(goalNames[:], may[:])
	return m, nil
}

// change finds which spine is in use, has it lost, and takes what the controller says then.
func (m *Model) change(r *control.Rehearsal, edit func([]control.Step) []control.Step) error {
	for _, port := range []uint16{31, 32} {
		w := &World{m: m, left: m.bounds, Trail: m.Trail()}
		w.begin()
		if _, outs, err := w.step(m.index[home], 1, m.request(0)); err != nil {
			return err
		} else if len(outs) == 1 && outs[0].Port == dataplane.Port(port) {
			far, _ := m.fabric.Net.Peer(topology.Place{Switch: home, Port: port})
			m.spine = far.Switch
			m.fabric.SetPort(topology.Place{Switch: home, Port: port}, false)
		}
	}
	if m.spine == "" {
		return errors.New("the leader's packet does not go up by one link")
	}
	if !m.bounds.Change {
		return nil
	}
	steps, err := r.Grow()
	if err != nil {
		return err
	}
	late, err := r.Clean()
	if err != nil {
		return err
	}
	steps = append(steps, late...)
	if edit != nil {
		steps = edit(steps)
	}
	for i, s := range steps {
		if s.Switch == home {
			m.grown = i + 1
		}
	}
	for _, d := range m.devices { // registers as they were: packets are the world's
		if err := d.target.Restore(d.held[0]); err != nil {
			return err
		}
	}
	return m.write(steps, true)
}

// write has switches do what they are told.
func (m *Model) write(steps []control.Step, keep bool) error {
	for _, s := range steps {
		d := m.devices[m.index[s.Switch]]
		if err := d.local.Write(s.Update); err != nil {
			return fmt.Errorf("switch %s: %v: %w", s.Switch, s.Update, err)
		}
		if !keep {
			continue
		}
		held, err := d.target.Snapshot()
		if err != nil {
			return err
		}
		d.held = append(d.held, held)
		m.steps = append(m.steps, m.index[s.Switch])
	}
	return nil
}

// newPlan is the group.
func newPlan(f *control.Fabric) *group.Plan {
	addr := map[string]wire.Addr{}
	for _, h := range f.Hosts {
		addr[h.Name] = h.Addr
	}
	p := &group.Plan{
		Switch: f.Switches[0].Addr, Leader: group.Endpoint{Addr: addr["h1"], QPN: 0x11}, BCastQP: bcastQP, RKey: virtual,
		Size: region, Needed: slots, StartPSN: firstPSN, Neutral: true,
	}
	for i, name := range hostsOf {
		p.Slots = append(p.Slots, group.Slot{
			Endpoint: group.Endpoint{Addr: addr[name], QPN: uint32(0x22 + i)}, AggrQP: uint32(0x200000 + i), RKey: uint32(0xc0c0 + i),
			VA: uint64(0x7f00_0000_0000 + i<<16), StartPSN: wire.PSN(firstPSN).Add(deltas[i]),
		})
	}
	return p
}

// Columns implements explore.Model.
func (m *Model) Columns() []string {
	all := []string{"leader"}
	for _, d := range m.devices {
		all = append(all, d.name)
	}
	return append(all, "replica 0", "replica 1", "replica 2")
}

// columns of a chart.
func (m *Model) column(sw int) int  { return 1 + sw }
func (m *Model) replicas(i int) int { return 1 + len(m.devices) + i }

// New implements explore.Model.
func (m *Model) New() (explore.World, error) {
	w := &World{m: m, left: m.bounds, Trail: m.Trail()}
	w.begin()
	return w, nil
}

// place is a switch's port.
type place struct {
	sw   int
	port dataplane.Port
}

// packet is a frame that is about to come in somewhere. ACKs go to the home at once, from
// wherever they were sent: plain routing carries them, and they come in by one port group.
type packet struct {
	at    place
	frame []byte
	ack   int  // the replica that says it, -1: none
	upTo  int  // number of the packet that it acknowledges, with all before
	old   bool // it comes by the old spine, or goes there
	early bool // it came to the home before that knew of the new tree
}

// replica is what a responder knows, and what the world knows about it.
type replica struct {
	expected int // number of the packet that it waits for
	nak      bool
	told     int // it has acknowledged what is up to here, and the home was told
}

// World is the switches, and what is around them.
type World struct {
	m        *Model
	sw       []*interp.State
	done     int // of the updates
	next     int // number of the leader's next packet
	una      int // number of the first that it has not heard of
	replicas [slots]replica
	flight   []packet
	left     Bounds
	explore.Trail
}

func (w *World) begin() {
	for _, d := range w.m.devices {
		w.sw = append(w.sw, d.held[0])
	}
	for i := range w.replicas {
		w.replicas[i].told = -1
	}
}

// Clone implements explore.Cloner.
func (w *World) Clone() explore.World {
	n := *w
	n.sw, n.flight = slices.Clone(w.sw), slices.Clone(w.flight)
	return &n
}

// Append implements explore.World: relays have no state but how far they are told.
func (w *World) Append(b []byte) []byte {
	b = w.sw[w.m.index[home]].Append(b)
	l := &w.left
	for _, n := range [...]int{w.done, w.next, w.una, l.Sends, l.Resends, l.Losses, len(w.flight)} {
		b = append(b, byte(n))
	}
	for _, r := range w.replicas {
		b = append(b, byte(r.expected), byte(r.told+1), explore.Flag(r.nak))
	}
	// Links are queues, and what is on different ones has no order.
	in := slices.Clone(w.flight)
	slices.SortStableFunc(in, func(x, y packet) int {
		return (x.at.sw-y.at.sw)<<16 + int(x.at.port) - int(y.at.port) + (x.ack-y.ack)<<8
	})
	for _, p := range in {
		b = append(b, byte(p.at.sw), byte(p.at.port), byte(p.ack+1), byte(p.upTo+1), byte(len(p.frame)), explore.Flag(p.early))
		b = append(b, p.frame...)
	}
	return b
}
