package control

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/p4ce/p4ce/ctrl/fleet"
	"github.com/p4ce/p4ce/ctrl/fleet/fleettest"
	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/systems/paxos"
)

// A world in which the Core drives switches that run the program, in the interpreter, without
// a controller around it: everything happens in one goroutine, in an order that a seed says.
// Whatever is under way can be lost, and the controller can stop, between any two steps.

// ringBits makes rings of 8 instances: they are trimmed all the time.
const (
	ringBits = 3
	testRing = 1 << ringBits
)

// Large rings have room for thousands of instances.
const largeBits = 12

// program is the program with rings of a size.
func program(bits int) func() (*ir.Program, error) {
	return sync.OnceValues(func() (*ir.Program, error) {
		p, diags := lang.Compile(lang.Options{Path: p4.Source("paxos"), FS: p4.FS, Defines: map[string]string{"RING_BITS": fmt.Sprint(bits)}})
		return p, diags.Err()
	})
}

var (
	smallProgram = program(ringBits)
	largeProgram = program(largeBits)
)

// testConfig is a deployment like that of the demonstration, with a spare.
const testConfig = `{
  "controller": {"address": "10.0.0.250", "mac": "02:00:00:00:00:fa"},
  "switches": [
    {"name": "t",  "p4runtime": "t",  "mac": "02:00:00:00:01:01", "learner": "10.0.2.1"},
    {"name": "l",  "p4runtime": "l",  "mac": "02:00:00:00:01:02"},
    {"name": "a1", "p4runtime": "a1", "mac": "02:00:00:00:01:11", "acceptor": "10.0.1.1"},
    {"name": "a2", "p4runtime": "a2", "mac": "02:00:00:00:01:12", "acceptor": "10.0.1.2"},
    {"name": "a3", "p4runtime": "a3", "mac": "02:00:00:00:01:13", "acceptor": "10.0.1.3"},
    {"name": "a4", "p4runtime": "a4", "mac": "02:00:00:00:01:14", "acceptor": "10.0.1.4", "learner": "10.0.2.4"}
  ],
  "links": [["t:1", "l:1"], ["t:2", "a1:1"], ["t:3", "a2:1"], ["t:4", "a3:1"], ["t:5", "a4:1"], ["a4:2", "l:2"]],
  "hosts": [
    {"name": "p1", "at": "t:10", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"},
    {"name": "r1", "at": "t:11", "address": "10.0.3.2", "mac": "02:00:00:00:03:02"},
    {"name": "r2", "at": "t:12", "address": "10.0.3.3", "mac": "02:00:00:00:03:03"}
  ],
  "applications": [{
    "name": "log", "leader": {"address": "10.0.0.100", "mac": "02:00:00:00:00:64"},
    "leaders": ["l", "t"], "acceptors": ["a1", "a2", "a3"], "spares": ["a4"], "learners": ["t"],
    "replicas": ["r1", "r2"], "proposers": ["p1"]
  }]
}`

// device is a switch of the world.
type device struct {
	name    string
	target  *interp.Target
	program *ir.Program
	entries map[string]p4rtclient.Entry
	groups  map[uint16][]p4rtclient.Replica
	linked  bool    // the controller reaches it
	dead    bool    // it forwards nothing
	writes  []Write // on their way to it
	failed  error   // of the first of them
	room    uint32  // instances of an application that its program has room for
	epoch   int     // of what was read back last,
	known   int     // and of what the Core knows
}

// event is a frame on its way to a switch or a host.
type event struct {
	to    string // switch
	port  uint16
	frame []byte
}

// hostState is a replica or a proposer.
type hostState struct {
	name      string
	log       map[uint32]paxos.Message
	delivered uint32 // lowest not delivered
	heard     uint32

	checkpoints int // that the controller has asked for
}

type simWorld struct {
	seed     uint64
	rng      *rand.Rand
	conf     *Config
	program  *ir.Program
	journal  *fleettest.Journal[Record]
	core     *Core
	late     bool                        // records are stored some time after the step that gave them
	gate     *fleet.Gate[Record, Output] // nil: records are stored at once
	passed   []Output                    // what the gate has let out
	told     []func()                    // and what it takes no step for while it is shut
	now      time.Duration
	devices  map[string]*device
	peers    map[topology.Place]topology.Place // ends of links; or the name of a host
	air      []event
	hosts    map[string]*hostState
	lossy    bool
	broken   error
	proposed map[[3]uint32]string // (application, round, instance) -> what was proposed
	chosen   map[[2]uint32]string // (application, instance) -> what was delivered
	sent     map[uint32]string    // sequence -> value
	acked    map[uint32]bool
	seq      uint32
	kept     bool // replicas have no checkpoints: nothing is trimmed

	asked   map[uint32]int // PREPAREs that the controller has sent, by round
	durable *ledger        // what the journal says, read by another
	records int
	trace   []string
	joining bool
	lossAt  string                     // a switch whose frames are lost
	failed  map[topology.Place]failure // ports that frames do not leave
	links   bool                       // links fail while the world walks
}

func newWorld(config string, seed uint64) (*simWorld, error) {
	return newWorldAt(config, seed, 1)
}

// newWorldAt is a world whose first instance is another.
func newWorldAt(config string, seed uint64, origin uint32) (*simWorld, error) {
	return newWorldOf(smallProgram, testRing, config, seed, origin)
}

func newWorldOf(compiled func() (*ir.Program, error), ring uint32, config string, seed uint64, origin uint32) (*simWorld, error) {
	program, err := compiled()
	if err != nil {
		return nil, err
	}
	conf, err := ParseConfig([]byte(config))
	if err != nil {
		return nil, err
	}
	conf.Timing.TrimStep = ring / 4
	w := &simWorld{
		seed: seed, rng: rand.New(rand.NewPCG(seed, 1)), conf: conf, program: program, journal: &fleettest.Journal[Record]{}, devices: map[string]*device{}, peers: map[topology.Place]topology.Place{},
		hosts: map[string]*hostState{}, proposed: map[[3]uint32]string{}, chosen: map[[2]uint32]string{}, sent: map[uint32]string{}, acked: map[uint32]bool{}, durable: newLedger(), asked: map[uint32]int{}, failed: map[topology.Place]failure{},
	}
	for _, name := range conf.Net.Switches() {
		w.devices[name] = &device{name: name, linked: true, program: program, room: ring}
		w.forget(name)
		for port := range uint16(16) {
			if p, ok := conf.Net.Peer(topology.Place{Switch: name, Port: port}); ok {
				w.peers[topology.Place{Switch: name, Port: port}] = p
			}
		}
	}
	for name, sw := range conf.Switches {
		if sw.loops() {
			for i, port := range sw.Loop {
				w.peers[topology.Place{Switch: name, Port: port}] = topology.Place{Switch: name, Port: sw.Loop[1-i]}
			}
		}
	}
	for _, h := range conf.Net.Hosts() {
		w.peers[h.At] = topology.Place{Switch: h.Name}
		w.hosts[h.Name] = &hostState{name: h.Name, log: map[uint32]paxos.Message{}, delivered: origin, heard: origin - 1}
	}
	if origin != 1 {
		if err := w.journal.Append(Record{Kind: recordTrim, App: "log", First: origin}); err != nil {
			return nil, err
		}
	}
	w.startController()
	return w, nil
}

// forget is a switch that starts anew, with nothing.
func (w *simWorld) forget(name string) {
	d := w.devices[name]
	d.target = interp.New(interp.Options{})
	if err := d.target.Load(&dataplane.Pipeline{Program: d.program}); err != nil {
		w.fail("load: %v", err)
	}
	d.entries, d.groups, d.writes = map[string]p4rtclient.Entry{}, map[uint16][]p4rtclient.Replica{}, nil
	d.failed = nil
}

func (w *simWorld) fail(format string, args ...any) {
	if w.broken == nil {
		w.broken = fmt.Errorf(format, args...)
	}
}

func (w *simWorld) logf(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf("%8v ", w.now)+fmt.Sprintf(format, args...))
}

// startController begins a new one with the journal of the last.
func (w *simWorld) startController() {
	lives := rand.New(rand.NewPCG(w.rng.Uint64(), 2))
	var err error
	var j Journal = w.journal
	if w.gate = nil; w.late { // what the last one had not stored is lost with it
		w.gate = fleet.NewGate(w.journal.Records(), func(o Output) { w.passed = append(w.passed, o) }, anytime)
		j = w.gate
	}
	if w.core, err = New(w.conf, j, lives.Uint32, w.now); err != nil {
		w.fail("%v", err)
		return
	}
	w.told = nil
	for _, d := range w.devices {
		d.writes, d.failed = nil, nil
		d.epoch, d.known = 0, 0
	}
	w.logf("controller starts")
	for _, name := range w.conf.Net.Switches() {
		w.sync(name)
	}
}

// sync is a session that has read the switch back.
func (w *simWorld) sync(name string) {
	d := w.devices[name]
	if d.dead || !d.linked {
		return
	}
	w.logf("synced %s", name)
	d.epoch++
	epoch, im := d.epoch, d.image(w)
	w.tell(func() {
		d.known = epoch
		w.core.Synced(w.now, name, im)
		w.core.Ports(w.now, name, nil)
		w.core.Ports(w.now, name, w.portsOf(name))
	})
}

func (d *device) image(w *simWorld) *Image {
	im := &Image{Image: mirror.Image{Groups: map[uint16][]p4rtclient.Replica{}}, Registers: map[string][]uint32{}, Room: d.room}
	for _, e := range d.entries {
		im.Entries = append(im.Entries, e)
	}
	for id, r := range d.groups {
		im.Groups[id] = r
	}
	for _, r := range registers {
		for i := range names.MaxApps {
			im.Registers[r] = append(im.Registers[r], d.register(w, r, i))
		}
	}
	return im
}

func (d *device) register(w *simWorld, name string, i int) uint32 {
	f, err := d.target.ReadRegister(dataplane.RegisterOf(d.program, name), i)
	if err != nil {
		w.fail("register %s: %v", name, err)
		return 0
	}
	return uint32(p4rtclient.ToUint(f[0]))
}

// poll takes what the Core wants into the world.
func (w *simWorld) poll() {
	for {
		var list []Output
		if w.gate != nil {
			w.gate.Pass(w.core.Poll, false)
			list, w.passed = w.passed, nil
		} else {
			for o, ok := w.core.Poll(); ok; o, ok = w.core.Poll() {
				list = append(list, o)
			}
		}
		if len(list) == 0 {
			return
		}
		w.carryOut(list)
	}
}

// tell has the Core take a step, as a Deployment does: not while records are not stored.
func (w *simWorld) tell(fn func()) {
	if w.gate == nil {
		fn()
		return
	}
	w.told = append(w.told, fn)
	w.steps()
}

func (w *simWorld) steps() {
	for len(w.told) > 0 && !w.gate.Shut() {
		fn := w.told[0]
		w.told = w.told[1:]
		fn()
		w.poll()
	}
}

// store stores the next record, if there is one.
func (w *simWorld) store() {
	if r, ok := w.gate.Next(); ok {
		w.logf("stored: %v", r)
		if err := w.journal.Append(r); err != nil {
			w.fail("%v", err)
		}
		w.gate.Stored()
		var list []Output
		list, w.passed = w.passed, nil
		w.carryOut(list)
		w.steps()
	}
}

func (w *simWorld) carryOut(list []Output) {
	for _, o := range list {
		switch o := o.(type) {
		case Write:
			w.checkWrite(o)
			if d := w.devices[o.Switch]; d.epoch == d.known { // else it is read back, and the Core has not heard of it
				d.writes = append(d.writes, o)
			}
		case Send:
			w.checkSend(o)
			w.out(o.Switch, o.Port, o.Frame)
		case Reread:
			im := w.devices[o.Switch].image(w)
			w.tell(func() { w.core.Reread(w.now, o.Switch, im) })
		case ReadNext:
			if d := w.devices[o.Switch]; d.linked && !d.dead {
				next := d.register(w, names.RegisterNext, o.App)
				w.tell(func() { w.core.Next(w.now, o.App, next) })
			}
		case Note:
			w.logf("%s %v", o.Text, o.Args)
		}
	}
}

// out is a frame that leaves a switch by a port.
func (w *simWorld) out(name string, port uint16, frame []byte) {
	if _, failed := w.failed[topology.Place{Switch: name, Port: port}]; failed || w.devices[name].dead || name == w.lossAt {
		return
	}
	peer, ok := w.peers[topology.Place{Switch: name, Port: port}]
	if !ok {
		return
	}
	n := 1
	if w.lossy {
		switch p := w.rng.IntN(100); {
		case p < 10:
			n = 0
		case p < 15:
			n = 2
		}
	}
	for range n {
		w.air = append(w.air, event{peer.Switch, peer.Port, frame})
	}
}

// arrive is a frame that comes somewhere.
func (w *simWorld) arrive(e event) {
	if h := w.hosts[e.to]; h != nil {
		w.toHost(h, e.frame)
		return
	}
	d := w.devices[e.to]
	if d.dead {
		return
	}
	w.watch(e.frame)
	outs, err := d.target.Inject(dataplane.Port(e.port), e.frame)
	if err != nil {
		w.fail("%v", err)
		return
	}
	for _, o := range outs {
		if o.Port == dataplane.Port(names.PortCPU) {
			if d.linked {
				port, reason := binary.BigEndian.Uint16(o.Frame)&0x1ff, binary.BigEndian.Uint16(o.Frame[2:])
				w.tell(func() { w.core.PacketIn(w.now, e.to, port, names.Reason(reason), o.Frame[4:]) })
			}
			continue
		}
		w.out(e.to, uint16(o.Port), o.Frame)
	}
}

// watch looks at what is proposed: in one round never two values for an instance.
func (w *simWorld) watch(frame []byte) {
	d, ok := parseDatagram(frame)
	if !ok || d.Kind != paxos.Accept {
		return
	}
	key, v := [3]uint32{uint32(d.port), d.Round, d.Instance}, what(&d.Message)
	if old, there := w.proposed[key]; there && old != v {
		w.fail("round %d proposes %s and %s for instance %d", d.Round, old, v, d.Instance)
	}
	w.proposed[key] = v
}

func what(m *paxos.Message) string { return fmt.Sprintf("%d/%d %q", m.Client, m.Sequence, m.Value) }

// toHost is what a host does with a message.
func (w *simWorld) toHost(h *hostState, frame []byte) {
	d, ok := parseDatagram(frame)
	if ok && d.Kind == paxos.Checkpoint && d.src == w.conf.Controller.IP && d.dst == w.conf.Hosts[h.name].IP {
		h.checkpoints++
	}
	if !ok || d.Kind != paxos.Deliver {
		return
	}
	key, v := [2]uint32{uint32(d.port), d.Instance}, what(&d.Message)
	if old, there := w.chosen[key]; there && old != v {
		w.fail("instance %d: %s was delivered, and now %s (round %d)", d.Instance, old, v, d.Round)
	}
	w.chosen[key] = v
	if d.Client != 0 && w.sent[d.Sequence] != string(d.Value) {
		w.fail("instance %d: %s was never sent", d.Instance, v)
	}
	h.heard = later(h.heard, d.Instance)
	if after(h.delivered, d.Instance) {
		return
	}
	d.Value = append([]byte(nil), d.Value...)
	h.log[d.Instance] = d.Message
	for {
		m, ok := h.log[h.delivered]
		if !ok {
			break
		}
		delete(h.log, h.delivered)
		h.delivered++
		if m.Client != 0 {
			w.acked[m.Sequence] = true
		}
	}
}

// request sends a value, or the same again.
func (w *simWorld) request(seq uint32) {
	v := fmt.Sprintf("value %d", seq)
	w.sent[seq] = v
	w.fromHost("p1", w.conf.Apps[0].Leader, &paxos.Message{Kind: paxos.Request, Client: 7, Sequence: seq, Value: []byte(v)})
}

func (w *simWorld) fromHost(host string, to Address, m *paxos.Message) {
	at, _ := w.conf.Net.Host(host)
	frame, err := appendDatagram(nil, w.conf.Hosts[host], to, Port(0), m)
	if err != nil {
		w.fail("%v", err)
		return
	}
	w.air = append(w.air, event{at.Switch, at.Port, frame})
}

// reports are those of all hosts. Replicas get the state of others that are ahead (as they do
// from each other), and ask acceptors for what they miss.
func (w *simWorld) reports(silent bool) {
	most := w.hosts["r1"].delivered
	for _, h := range w.hosts {
		if h.name != "p1" {
			most = later(most, h.delivered)
		}
	}
	for _, name := range slices.Sorted(slices.Values([]string{"r1", "r2"})) {
		h := w.hosts[name]
		if after(w.durable.first, h.delivered) {
			h.delivered = most // state transfer
		}
		m := paxos.Message{Kind: paxos.Report, Instance: h.delivered, VoteRound: later(h.heard, h.delivered), Sequence: h.delivered}
		if w.kept {
			m.Sequence = w.durable.first
		}
		if after(h.heard, h.delivered) {
			m.Flags |= paxos.Gap
			for _, a := range slices.Concat(w.conf.Apps[0].Acceptors, w.conf.Apps[0].Spares) {
				s := w.conf.Switches[a]
				w.fromHost(name, Address{s.MAC, s.Acceptor}, &paxos.Message{Kind: paxos.Query, Instance: h.delivered})
			}
		}
		w.fromHost(name, w.conf.Controller, &m)
	}
	m := paxos.Message{Kind: paxos.Report}
	if silent {
		m.Flags |= paxos.Silent
	}
	w.fromHost("p1", w.conf.Controller, &m)
}

// apply makes the first update that is on its way to a switch, and tells the Core when it was
// the last of its request.
func (w *simWorld) apply(d *device) {
	o := &d.writes[0]
	if d.dead {
		d.writes = d.writes[1:]
		return // lost with the switch
	}
	u := o.Updates[0]
	o.Updates = o.Updates[1:]
	if err := d.update(w, u); err != nil && d.failed == nil {
		d.failed = fmt.Errorf("%v: %w", u, err)
		if !w.joining { // of writes that were on their way when a switch was lost, some are
			w.fail("%s: %v", d.name, d.failed)
		}
	}
	w.checkSwitch(d, u)
	if len(o.Updates) > 0 {
		return
	}
	id, failed := o.ID, d.failed
	d.writes, d.failed = d.writes[1:], nil
	if d.linked {
		w.tell(func() { w.core.Written(w.now, d.name, id, failed) })
	}
}

func (d *device) update(w *simWorld, u mirror.Update) error {
	switch {
	case u.Register != nil:
		return d.target.WriteRegister(dataplane.RegisterOf(d.program, u.Register.Name), u.Register.Index, [][]byte{dataplane.Bytes(u.Register.Value, 32)})
	case u.Group != nil:
		_, there := d.groups[u.Group.ID]
		if (u.Op == mirror.Insert) == there {
			return fmt.Errorf("there already, or not there")
		}
		if u.Op == mirror.Delete {
			delete(d.groups, u.Group.ID)
			return d.target.DeleteGroup(u.Group.ID)
		}
		d.groups[u.Group.ID] = u.Group.Copies
		var list []dataplane.Replica
		for _, c := range u.Group.Copies {
			list = append(list, dataplane.Replica{Port: dataplane.Port(c.Port), Instance: c.Instance})
		}
		return d.target.SetGroup(u.Group.ID, list)
	}
	e := u.Entry
	var keys, args []uint64
	for _, f := range e.Match {
		keys = append(keys, p4rtclient.ToUint(f.Value))
	}
	for _, f := range e.Args {
		args = append(args, p4rtclient.ToUint(f.Value))
	}
	te := dataplane.NewEntry(d.program, e.Table, keys, 0, e.Action, args...)
	var err error
	switch u.Op {
	case mirror.Insert:
		err = d.target.Insert(te)
	case mirror.Modify:
		err = d.target.Modify(te)
	default:
		err = d.target.Delete(te)
	}
	if err == nil {
		d.entries[keyOf(*e)] = *e
		if u.Op == mirror.Delete {
			delete(d.entries, keyOf(*e))
		}
	}
	return err
}

// fresh reads what has been recorded since.
func (w *simWorld) fresh() {
	list := w.journal.Records()
	for _, r := range list[w.records:] {
		if r.Kind == recordBegin && w.durable.active != nil {
			n := 0
			for i, m := range r.Members {
				if m != w.durable.active.Members[i] {
					n++
				}
			}
			if n > 1 {
				w.fail("%d acceptors are replaced at once", n)
			}
			if n > 0 && len(w.durable.before) > 0 {
				w.fail("another acceptor is replaced before the last one has what was chosen")
			}
		}
		if r.Kind == recordLead {
			w.checkAlone(r)
		}
		w.durable.apply(r)
	}
	w.records = len(list)
}

// checkAlone: acceptors from whom alone it is asked what was chosen have it: a majority of them
// has voted, or is none any more.
func (w *simWorld) checkAlone(r Record) {
	if len(w.durable.others(r.Members)) == 0 {
		return
	}
	for key, v := range w.chosen {
		inst, n := key[1], 0
		if after(w.durable.first, inst) {
			continue
		}
		for _, m := range r.Members {
			d, number := w.at(m)
			cell, err := d.target.ReadRegister(dataplane.RegisterOf(d.program, names.RegisterVoted), number*int(d.room)+int(inst%d.room))
			if err != nil {
				w.fail("%v", err)
				return
			}
			if d.register(w, names.RegisterLife, number) != m.Life || uint32(p4rtclient.ToUint(cell[0])) == inst && p4rtclient.ToUint(cell[1]) != 0 {
				n++
			}
		}
		if 2*n <= len(r.Members) {
			w.fail("acceptors %v are asked alone, and %d of them have voted in instance %d, where %s was chosen", r.Members, n, inst, v)
			return
		}
	}
}

// at is the switch that an acceptor is on, and the number of its registers there.
func (w *simWorld) at(m Member) (*device, int) {
	return w.devices[w.conf.at(m.Switch)], w.conf.number(0, m.Switch)
}

// checkWrite: nothing is acted upon that is not durable.
func (w *simWorld) checkWrite(o Write) {
	w.fresh()
	for _, u := range o.Updates {
		if u.Op == mirror.Delete || u.Entry == nil && u.Register == nil {
			continue
		}
		if r := u.Register; r != nil {
			switch r.Name {
			case names.RegisterLife:
				if w.conf.at(w.durable.given[uint32(r.Value)]) != o.Switch {
					w.fail("%s: life %d is not recorded", o.Switch, r.Value)
				}
			case names.RegisterFirst:
				if after(uint32(r.Value), w.durable.first) {
					w.fail("%s: first %d is not recorded", o.Switch, r.Value)
				}
			}
			continue
		}
		var round uint64
		switch e := u.Entry; e.Table {
		case names.TableRounds:
			round = p4rtclient.ToUint(e.Get(names.TableRoundsKeyHdrPaxosRnd))
		case names.TableMembers:
			round = p4rtclient.ToUint(e.Get(names.TableMembersKeyHdrPaxosRnd))
		case names.TableLeader:
			round = p4rtclient.ToUint(e.Arg(names.ActionLeadParamRnd))
			if w.durable.active == nil || uint64(w.durable.active.Round) != round || w.durable.leader != o.Switch {
				w.fail("%s: leads in round %d, which is not recorded", o.Switch, round)
			}
		}
		if round > uint64(w.durable.round) {
			w.fail("%s: round %d is not recorded", o.Switch, round)
		}
	}
}

func (w *simWorld) checkSend(o Send) {
	w.fresh()
	d, ok := parseDatagram(o.Frame)
	if ok && d.Round > w.durable.round {
		w.fail("round %d is not recorded", d.Round)
	}
	if ok && d.Kind == paxos.Prepare {
		w.asked[d.Round]++
	}
}

// checkSwitch looks what a switch is after an update.
func (w *simWorld) checkSwitch(d *device, u mirror.Update) {
	for i := range names.MaxApps {
		first, last := d.register(w, names.RegisterFirst, i), d.register(w, names.RegisterLast, i)
		if int32(last-first)+1 > int32(d.room) && d.register(w, names.RegisterLife, i) != 0 {
			w.fail("%s: instances %d to %d may be used, and there is room for %d", d.name, first, last, d.room)
		}
	}
	if u.Entry == nil || u.Op == mirror.Delete {
		return
	}
	switch u.Entry.Table {
	case names.TableLeader:
		// A majority votes for nothing below the round: it has promised, or is none any more.
		round := uint32(p4rtclient.ToUint(u.Entry.Arg(names.ActionLeadParamRnd)))
		n := 0
		for _, m := range w.durable.active.Members {
			a, number := w.at(m)
			if a.register(w, names.RegisterAcceptorFloor, number) >= round || a.register(w, names.RegisterLife, number) != m.Life {
				n++
			}
		}
		if 2*n <= len(w.durable.active.Members) {
			w.fail("%s leads in round %d, which %d of %d acceptors have promised", d.name, round, n, len(w.durable.active.Members))
		}
	case names.TableAcceptor:
		// Who votes knows which rounds are over.
		number := int(p4rtclient.ToUint(u.Entry.Get(names.TableAcceptorKeyMdApp)))
		if d.register(w, names.RegisterAcceptorFloor, number) == 0 && w.durable.active != nil {
			w.fail("%s becomes an acceptor without a floor", d.name)
		}
	}
}

// step does one thing of all that could happen next; false: there is nothing.
func (w *simWorld) step() bool {
	w.poll()
	var busy []*device
	for _, name := range w.conf.Net.Switches() {
		if d := w.devices[name]; len(d.writes) > 0 {
			busy = append(busy, d)
		}
	}
	n := len(w.air) + len(busy)
	if w.gate != nil && w.gate.Shut() && (n == 0 || w.lossy && w.rng.IntN(8) == 0) {
		w.store()
		return true
	}
	if n == 0 {
		return false
	}
	i := 0
	if w.lossy {
		i = w.rng.IntN(min(n, len(busy)+8)) // what is under way for long comes first
	}
	if i < len(busy) {
		w.apply(busy[i])
	} else {
		i -= len(busy)
		e := w.air[i]
		w.air = slices.Delete(w.air, i, i+1)
		w.arrive(e)
	}
	w.poll()
	return true
}

// settle lets everything happen, and time pass, until it is quiet.
func (w *simWorld) settle(d time.Duration) {
	for end := w.now + d; w.now < end && w.broken == nil; {
		for range 10000 {
			if !w.step() || w.broken != nil {
				break
			}
		}
		w.now += 5 * time.Millisecond
		w.tell(func() { w.core.Tick(w.now) })
	}
}

// story is the end of what has happened.
func (w *simWorld) story() string {
	return fmt.Sprintf("seed %d\n%s", w.seed, strings.Join(w.trace[max(0, len(w.trace)-60):], "\n"))
}

// keyOf names an entry.
func keyOf(e p4rtclient.Entry) string {
	t := mirror.EntryThing(e)
	return t.Key()
}
