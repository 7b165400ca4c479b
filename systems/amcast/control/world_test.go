package control

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/fleet/fleettest"
	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4"
	names "github.com/p4ce/p4ce/p4/amcast"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/systems/amcast"
)

// A world in which the Core drives switches that run the program, in the interpreter, and hosts that run as they are. Everything
// happens in one goroutine, in an order that a seed says. Whatever is under way can be lost, and the controller can stop,
// between any two updates.

var compiled = sync.OnceValues(func() (*ir.Program, error) {
	p, diags := lang.Compile(lang.Options{Path: p4.Source("amcast"), FS: p4.FS})
	return p, diags.Err()
})

// square is two leaves and two spines, as in the lab, with two groups.
const square = `{
  "switches": [
    {"name": "leaf1", "p4runtime": "1", "mac": "02:00:00:00:01:01", "address": "10.0.1.1"},
    {"name": "leaf2", "p4runtime": "2", "mac": "02:00:00:00:01:02", "address": "10.0.1.2"},
    {"name": "spine1", "p4runtime": "3", "mac": "02:00:00:00:01:11", "address": "10.0.1.11"},
    {"name": "spine2", "p4runtime": "4", "mac": "02:00:00:00:01:12", "address": "10.0.1.12"}
  ],
  "links": [["leaf1:1", "spine1:1"], ["leaf1:2", "spine2:1"], ["leaf2:1", "spine1:2"], ["leaf2:2", "spine2:2"]],
  "hosts": [
    {"name": "h1", "at": "leaf1:11", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"},
    {"name": "h2", "at": "leaf1:12", "address": "10.0.3.2", "mac": "02:00:00:00:03:02"},
    {"name": "h3", "at": "leaf2:11", "address": "10.0.3.3", "mac": "02:00:00:00:03:03"},
    {"name": "h4", "at": "leaf2:12", "address": "10.0.3.4", "mac": "02:00:00:00:03:04"}
  ],
  "groups": [
    {"number": 1, "members": ["leaf1", "spine1", "spine2"], "spares": ["leaf2"], "replicas": ["h1", "h3"]},
    {"number": 2, "members": ["leaf2", "spine1", "spine2"], "spares": ["leaf1"], "replicas": ["h2", "h4"]}
  ]
}`

// device is a switch of the world.
type device struct {
	name    string
	target  *interp.Target
	entries map[string]p4rtclient.Entry
	groups  map[uint16][]p4rtclient.Replica
	dead    bool     // it forwards nothing, and the controller does not reach it
	cut     bool     // the controller does not reach it
	orders  []Output // on their way to it
	failed  error    // of the first of them
}

// frame is on its way to a switch or a host.
type frame struct {
	to   string
	port uint16
	text []byte
}

type world struct {
	testing.TB
	rng     *rand.Rand
	conf    *Config
	prog    *ir.Program
	journal *fleettest.Journal[Record]
	core    *Core
	now     time.Duration
	devices map[string]*device
	peers   map[topology.Place]topology.Place
	air     []frame
	hosts   map[string]*amcast.Endpoint
	dead    map[string]bool // hosts
	tokens  uint64
	lossy   bool
	sent    map[amcast.ID]amcast.Groups
	by      map[amcast.ID]string
	logs    map[seat]*log
	deaf    string                    // a host that hears nothing
	before  func(d *device, o Output) // looks at what is about to be done
	trace   []string
}

// log is what a replica has delivered.
type log struct {
	host string
	list []amcast.Delivery
}

func newWorld(t testing.TB, config string, seed uint64) *world {
	prog, err := compiled()
	require.NoError(t, err)
	conf, err := ParseConfig([]byte(config))
	require.NoError(t, err)
	w := &world{
		TB: t, rng: rand.New(rand.NewPCG(seed, 1)), conf: conf, prog: prog, journal: &fleettest.Journal[Record]{}, devices: map[string]*device{},
		peers: map[topology.Place]topology.Place{}, hosts: map[string]*amcast.Endpoint{}, dead: map[string]bool{}, sent: map[amcast.ID]amcast.Groups{}, by: map[amcast.ID]string{}, logs: map[seat]*log{},
	}
	for _, name := range conf.Net.Switches() {
		w.devices[name] = &device{name: name}
		w.forget(name)
		for port := range uint16(32) {
			at := topology.Place{Switch: name, Port: port}
			if p, ok := conf.Net.Peer(at); ok {
				w.peers[at] = p
			}
		}
	}
	for _, h := range conf.Net.Hosts() {
		w.peers[h.At] = topology.Place{Switch: h.Name}
		for _, s := range conf.replicasOn(h.Name) {
			w.logs[s] = &log{host: h.Name}
		}
		w.open(h.Name)
	}
	w.start()
	return w
}

// open has a host begin, or begin again.
func (w *world) open(name string) {
	place, err := w.conf.Place(name)
	require.NoError(w, err)
	w.tokens++
	w.hosts[name], err = amcast.New(amcast.Config{Place: place, Token: w.tokens, Retry: 5 * time.Millisecond})
	require.NoError(w, err)
}

// forget is a switch that begins anew, with nothing.
func (w *world) forget(name string) {
	d := w.devices[name]
	d.target = interp.New(interp.Options{})
	require.NoError(w, d.target.Load(&dataplane.Pipeline{Program: w.prog}))
	d.entries, d.groups, d.failed = map[string]p4rtclient.Entry{}, map[uint16][]p4rtclient.Replica{}, nil
}

// start begins a controller with the journal of the last.
func (w *world) start() {
	for _, d := range w.devices {
		d.orders, d.failed = nil, nil
	}
	var err error
	w.core, err = New(w.conf, w.journal, w.rng.Uint32(), w.now)
	require.NoError(w, err)
	for _, name := range w.conf.Net.Switches() {
		w.sync(name)
	}
}

// sync is a session that has read the switch back.
func (w *world) sync(name string) {
	d := w.devices[name]
	if d.dead || d.cut {
		return
	}
	im := &Image{Image: mirror.Image{Groups: maps.Clone(d.groups)}}
	for _, key := range slices.Sorted(maps.Keys(d.entries)) {
		im.Entries = append(im.Entries, d.entries[key])
	}
	for role := range names.MaxRoles {
		im.Lives = append(im.Lives, w.register(d, names.RegisterLife, role)[0])
		im.Clocks = append(im.Clocks, w.register(d, names.RegisterClock, role)[0])
	}
	w.core.Synced(w.now, name, im)
}

// lose is a session that is lost, and what was on its way.
func (w *world) lose(name string) {
	w.poll()
	w.devices[name].orders, w.devices[name].failed = nil, nil
	w.core.Lost(w.now, name)
}

func (w *world) register(d *device, name string, index int) (out []uint32) {
	v, err := d.target.ReadRegister(dataplane.RegisterOf(w.prog, name), index)
	require.NoError(w, err)
	for _, f := range v {
		out = append(out, uint32(p4rtclient.ToUint(f)))
	}
	return out
}

// poll takes what the Core and the hosts want into the world.
func (w *world) poll() {
	for o, ok := w.core.Poll(); ok; o, ok = w.core.Poll() {
		switch o := o.(type) {
		case Write:
			d := w.devices[o.Switch]
			d.orders = append(d.orders, o)
		case Read:
			d := w.devices[o.Switch]
			d.orders = append(d.orders, o)
		case Resync:
			w.sync(o.Switch)
		case Send:
			w.out(o.Switch, o.Port, o.Frame)
		case Note:
			w.trace = append(w.trace, fmt.Sprintf("%8v %s %v", w.now, o.Text, o.Args))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.hosts)) {
		if w.dead[name] {
			continue
		}
		h := w.hosts[name]
		for f := h.Poll(w.now, nil); len(f) > 0; f = h.Poll(w.now, nil) {
			at, _ := w.conf.Net.Host(name)
			w.fly(frame{at.Switch, at.Port, f})
		}
		for _, s := range w.conf.replicasOn(name) {
			for d, ok, _ := h.Next(s.group); ok; d, ok, _ = h.Next(s.group) {
				w.delivered(s, d)
			}
		}
	}
}

func (w *world) fly(f frame) {
	n := 1
	if w.lossy {
		switch p := w.rng.IntN(100); {
		case p < 5:
			n = 0
		case p < 8:
			n = 2
		}
	}
	for range n {
		w.air = append(w.air, f)
	}
}

// out is a frame that leaves a switch.
func (w *world) out(name string, port uint16, text []byte) {
	if peer, ok := w.peers[topology.Place{Switch: name, Port: port}]; ok && !w.devices[name].dead {
		w.fly(frame{peer.Switch, peer.Port, slices.Clone(text)})
	}
}

// arrive is a frame that comes somewhere.
func (w *world) arrive(f frame) {
	if h := w.hosts[f.to]; h != nil {
		if !w.dead[f.to] && w.deaf != f.to {
			h.Receive(w.now, f.text)
		}
		return
	}
	d := w.devices[f.to]
	if d.dead {
		return
	}
	outs, err := d.target.Inject(dataplane.Port(f.port), f.text)
	require.NoError(w, err)
	for _, o := range outs {
		if o.Port != dataplane.Port(names.PortCPU) {
			w.out(f.to, uint16(o.Port), o.Frame)
		} else if !d.cut {
			w.core.PacketIn(w.now, f.to, binary.BigEndian.Uint16(o.Frame)&0x1ff, names.Reason(binary.BigEndian.Uint16(o.Frame[2:])), o.Frame[4:])
		}
	}
}

// obey has a switch do one more of what it is told.
func (w *world) obey(d *device) {
	o := d.orders[0]
	if w.before != nil {
		w.before(d, o)
	}
	switch o := o.(type) {
	case Read:
		d.orders = d.orders[1:]
		var v [][]uint64
		for _, c := range o.Cells {
			var fields []uint64
			for _, x := range w.register(d, c.Register, c.Index) {
				fields = append(fields, uint64(x))
			}
			v = append(v, fields)
		}
		w.core.Values(w.now, d.name, o.ID, v)
	case Write:
		if len(o.Updates) > 0 {
			if err := w.update(d, o.Updates[0]); err != nil && d.failed == nil {
				d.failed = fmt.Errorf("%v: %w", o.Updates[0], err)
			}
			o.Updates = o.Updates[1:]
			d.orders[0] = o
		}
		if len(o.Updates) == 0 {
			failed := d.failed
			d.orders, d.failed = d.orders[1:], nil
			require.NoError(w, failed, "%s", d.name)
			w.core.Written(w.now, d.name, o.ID, nil)
		}
	}
}

func (w *world) update(d *device, u mirror.Update) error {
	switch {
	case u.Register != nil:
		values := [][]byte{dataplane.Bytes(u.Register.Value, 32)}
		for _, v := range u.Register.Rest {
			values = append(values, dataplane.Bytes(v, 32))
		}
		return d.target.WriteRegister(dataplane.RegisterOf(w.prog, u.Register.Name), u.Register.Index, values)
	case u.Group != nil:
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
	te := dataplane.NewEntry(w.prog, e.Table, keys, 0, e.Action, args...)
	thing := mirror.EntryThing(*e)
	d.entries[thing.Key()] = *e
	switch u.Op {
	case mirror.Insert:
		return d.target.Insert(te)
	case mirror.Modify:
		return d.target.Modify(te)
	}
	delete(d.entries, thing.Key())
	return d.target.Delete(te)
}

// send has a host send a message, if it may.
func (w *world) send(name string, groups ...uint8) {
	g, err := amcast.NewGroups(groups...)
	require.NoError(w, err)
	if id, err := w.hosts[name].Multicast(w.now, g, []byte(fmt.Sprint(name, len(w.sent)))); err == nil {
		require.NotContains(w, w.sent, id, "a number is used again")
		w.sent[id], w.by[id] = g, name
	}
}

// delivered notes a message, and checks it against all others.
func (w *world) delivered(s seat, d amcast.Delivery) {
	l := w.logs[s]
	g, known := w.sent[d.ID]
	require.True(w, known && g == d.Groups && g.Has(s.group), "%v delivers %v, which was not sent to it", s, d.ID)
	if n := len(l.list); n > 0 {
		require.True(w, l.list[n-1].Before(&d), "%v delivers %v at %d after %v at %d", s, d.ID, d.Final, l.list[n-1].ID, l.list[n-1].Final)
	}
	l.list = append(l.list, d)
	for other, o := range w.logs {
		if other.group == s.group && len(o.list) >= len(l.list) && !w.dead[o.host] && !w.dead[l.host] { // who has failed may have been alone in having a payload
			x := o.list[len(l.list)-1]
			require.True(w, x.ID == d.ID && x.Final == d.Final, "%v delivers %v at %d, where %v has %v of %s at %d; dead: %v", s, d.ID, d.Final, other, x.ID, w.by[x.ID], x.Final, w.dead)
		}
		for _, x := range o.list {
			require.True(w, x.ID != d.ID || x.Final == d.Final, "%v has two final timestamps: %d and %d", d.ID, x.Final, d.Final)
		}
	}
}

// missing is something that is not delivered, and should be.
func (w *world) missing() string {
	must := map[amcast.ID]bool{}
	has := map[seat]map[amcast.ID]bool{}
	for id, by := range w.by {
		must[id] = !w.dead[by]
	}
	for s, l := range w.logs {
		has[s] = map[amcast.ID]bool{}
		for _, d := range l.list {
			has[s][d.ID] = true
			must[d.ID] = must[d.ID] || !w.dead[l.host]
		}
	}
	for id, g := range w.sent {
		for s, l := range w.logs {
			if must[id] && g.Has(s.group) && !w.dead[l.host] && !has[s][id] {
				return fmt.Sprintf("%v of %s to %v at %s, replica of group %d", id, w.by[id], g, l.host, s.group)
			}
		}
	}
	return ""
}

// step does one thing, in the order that things have come to pass; random: in any. It reports whether there was anything but time.
func (w *world) step(random bool) bool {
	w.poll()
	var busy []*device
	for _, name := range w.conf.Net.Switches() {
		if d := w.devices[name]; len(d.orders) > 0 && !d.dead && !d.cut {
			busy = append(busy, d)
		}
	}
	switch {
	case len(w.air) > 0 && (len(busy) == 0 || !random || w.rng.IntN(2) == 0):
		i := 0
		if random && w.rng.IntN(4) == 0 {
			i = w.rng.IntN(min(len(w.air), 8))
		}
		f := w.air[i]
		w.air = slices.Delete(w.air, i, i+1)
		w.arrive(f)
	case len(busy) > 0:
		d := busy[0]
		if random {
			d = busy[w.rng.IntN(len(busy))]
		}
		for n := 1 + w.rng.IntN(64); n > 0 && len(d.orders) > 0; n-- { // some of it
			w.obey(d)
		}
	default:
		w.pass(w.deadline())
		return false
	}
	return true
}

// deadline is when somebody has something to do.
func (w *world) deadline() time.Duration {
	at := w.core.Deadline()
	for name, h := range w.hosts {
		if !w.dead[name] {
			at = min(at, h.Deadline())
		}
	}
	return max(at, w.now+time.Millisecond)
}

// pass lets the time pass.
func (w *world) pass(to time.Duration) {
	w.now = to
	w.core.Tick(w.now)
	for _, name := range slices.Sorted(maps.Keys(w.hosts)) {
		if h := w.hosts[name]; !w.dead[name] && h.Deadline() <= w.now {
			h.Tick(w.now)
		}
	}
}

// until goes on until something is so, or it has taken far too long.
func (w *world) until(what string, so func() bool) {
	w.Helper()
	limit := w.now + 20*time.Second
	for !so() {
		if w.now > limit {
			for _, line := range w.trace {
				w.Log(line)
			}
			for _, g := range w.core.Groups() {
				w.Logf("%+v", g)
			}
			for name, d := range w.devices {
				text := ""
				for _, x := range []names.Drop{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20} {
					if v, err := d.target.ReadCounter(dataplane.CounterOf(w.prog, "drops"), int(x)); err == nil && v.Packets > 0 {
						text += fmt.Sprintf(" %v %d", x, v.Packets)
					}
				}
				w.Logf("%s drops:%s", name, text)
			}
			for name, h := range w.hosts {
				w.Logf("%s %+v", name, h.Stats())
			}
			require.Fail(w, "it does not come to pass", "%s; missing: %s", what, w.missing())
		}
		w.step(false)
	}
}

// running reports whether all groups have all their members, and all hosts that live are admitted.
func (w *world) running() bool {
	for _, g := range w.core.Groups() {
		if g.State != "running" || slices.ContainsFunc(g.Members, func(m MemberStatus) bool { return m.State != "ready" }) {
			return false
		}
	}
	for name, h := range w.hosts {
		if !w.dead[name] && !h.Admitted() {
			return false
		}
	}
	return w.core.quiet()
}

func (w *world) group(number uint8) GroupStatus {
	list := w.core.Groups()
	return list[slices.IndexFunc(list, func(g GroupStatus) bool { return g.Number == number })]
}
