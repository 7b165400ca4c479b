package explore

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"strings"

	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// The network.
const (
	leaf = iota
	spine
	switches
)

const hosts = 3

var switchNames = [switches]string{"leaf", "spine"}

const deployment = `{"switches": [
 {"name": "leaf", "p4runtime": "x", "address": "10.0.0.1", "mac": "02:00:00:00:01:01"},
 {"name": "spine", "p4runtime": "x", "address": "10.0.0.2", "mac": "02:00:00:00:01:02", "level": 1}],
 "links": [["leaf:3", "spine:1"]],
 "hosts": [
 {"name": "h1", "at": "leaf:1", "address": "10.0.1.1", "mac": "02:00:00:00:02:01"},
 {"name": "h2", "at": "leaf:2", "address": "10.0.1.2", "mac": "02:00:00:00:02:02"},
 {"name": "h3", "at": "spine:2", "address": "10.0.1.3", "mac": "02:00:00:00:02:03"}]}`

// unused is a port where nobody is.
const unused = 7

// end is one end of a direction of a link: a host, or a port of a switch.
type end struct {
	host int // or -1
	sw   int
	port dataplane.Port
}

// wires are the directions of links: first those from hosts.
var wires = [...]struct{ from, to end }{
	{end{host: 0}, end{-1, leaf, 1}}, {end{host: 1}, end{-1, leaf, 2}}, {end{host: 2}, end{-1, spine, 2}},
	{end{-1, leaf, 3}, end{-1, spine, 1}}, {end{-1, spine, 1}, end{-1, leaf, 3}},
	{end{-1, leaf, 1}, end{host: 0}}, {end{-1, leaf, 2}, end{host: 1}}, {end{-1, spine, 2}, end{host: 2}},
}

// cables are the links, by their two directions.
var cables = [...]struct {
	name string
	ways [2]int
	of   [switches]bool
}{
	{"the link of h1", [2]int{0, 5}, [switches]bool{leaf: true}}, {"the link of h2", [2]int{1, 6}, [switches]bool{leaf: true}},
	{"the link of h3", [2]int{2, 7}, [switches]bool{spine: true}}, {"the link between the switches", [2]int{3, 4}, [switches]bool{true, true}},
}

func (e end) String() string {
	if e.host >= 0 {
		return hostName(e.host)
	}
	return switchNames[e.sw]
}

func hostName(h int) string { return fmt.Sprintf("h%d", h+1) }

// column is that of a chart.
func (e end) column() int {
	if e.host >= 0 {
		return hostColumn(e.host)
	}
	return colLeaf + e.sw
}

func hostColumn(h int) int { return [hosts]int{colH1, colH2, colH3}[h] }

// packet is a frame on its way.
type packet struct {
	frame []byte
	late  bool // it is a copy that has come late, or comes of one: it may be below a barrier
}

// way is what is on a direction of a link, in order.
type way struct {
	queue []packet
	down  bool
	// said are the highest barriers that have come by: best effort and commit; spoken: some have.
	said   [2]uint32
	spoken bool
}

// device is a switch in a state.
type device struct {
	*interp.State
	fast    *interp.State // of its data plane, if its CPU sends the beacons; State is the CPU's then
	waiting []packet      // packet-ins that wait for the CPU
	sum     key
}

// header is what worlds look at in a packet of 1Pipe.
type header struct {
	op        onepipe.Opcode
	time      uint64
	barrier   [2]uint32
	unstamped bool // the barriers say nothing
}

const headerAt = wire.EthernetLen + wire.IPv4Len + wire.UDPLen

// parse reads the header of a packet of 1Pipe; false: the frame is none.
func parse(f []byte) (h header, ok bool) {
	if len(f) < headerAt+24 || binary.BigEndian.Uint16(f[headerAt-6:]) != onepipe.Port {
		return h, false
	}
	b, be := f[headerAt:], binary.BigEndian
	return header{
		op: onepipe.Opcode(b[14] >> 4), time: uint64(be.Uint16(b))<<32 | uint64(be.Uint32(b[2:])),
		barrier: [2]uint32{be.Uint32(b[6:]), be.Uint32(b[10:])}, unstamped: b[14]&names.FlagUnstamped != 0,
	}, true
}

// describe is a frame in a few words.
func describe(f []byte) string {
	if h, ok := parse(f); ok && h.op == onepipe.Beacon {
		return fmt.Sprintf("beacon BE %d C %d", h.barrier[0], h.barrier[1])
	}
	if _, ok := parse(f); ok {
		return onepipe.Describe(f)
	}
	return "a message of the host or the controller"
}

// below reports whether a barrier is below another one. Barriers come round.
func below(a, b uint32) bool { return int32(a-b) < 0 }

// send puts a packet on a wire, and checks what its sender says.
func (w *World) send(n int, p packet) error {
	l := &w.ways[n]
	from, to := wires[n].from, wires[n].to
	if l.down {
		w.Line(from.column(), to.column(), true, "%s: the link is down", describe(p.frame))
		return nil
	}
	if h, ok := parse(p.frame); ok {
		if below(h.barrier[0], h.barrier[1]) {
			return fmt.Errorf("%v sends a commit barrier above the other one: %s", from, describe(p.frame))
		}
		if body := p.frame[headerAt+24:]; h.op == onepipe.Ack && string(body[:4]) == string(body[4:8]) {
			w.Reach(goalFull) // what comes next is what there is no room for
		}
		if h.op == onepipe.Beacon && from.host < 0 && l.spoken && !p.late && !below(l.said[0], h.barrier[0]) && !below(l.said[1], h.barrier[1]) {
			return fmt.Errorf("a beacon that raises nothing goes from %v to %v: %s after barriers %d", from, to, describe(p.frame), l.said)
		}
		if h.unstamped {
			h.barrier = l.said
		} else if !l.spoken {
			l.spoken, l.said = true, h.barrier
		}
		for i, op := range []onepipe.Opcode{onepipe.Data, onepipe.Reliable} {
			if below(h.barrier[i], l.said[i]) && from.host >= 0 { // a switch may say less than it could
				return fmt.Errorf("what %v promises %v falls: after barrier %d comes %s", from, to, l.said[i], describe(p.frame))
			}
			if below(l.said[i], h.barrier[i]) {
				l.said[i] = h.barrier[i]
			}
			if !p.late && l.spoken && h.op == op && below(uint32(h.time>>onepipe.Shift), l.said[i]) {
				return fmt.Errorf("%v breaks its promise to %v: after barrier %d, or with it, comes %s", from, to, l.said[i], describe(p.frame))
			}
		}
	}
	if len(l.queue) == room {
		return fmt.Errorf("%d packets are on the way from %v to %v: they do not end", room, from, to)
	}
	l.queue = append(l.queue[:len(l.queue):len(l.queue)], p)
	return nil
}

// room is for more packets than a link ever has, if beacons end.
const room = 200

// take takes the first packet off a wire.
func (w *World) take(n int) packet {
	l := &w.ways[n]
	p := l.queue[0]
	l.queue = l.queue[1:]
	return p
}

// arrive has a packet arrive at the end of a wire.
func (w *World) arrive(n int, p packet) error {
	from, to := wires[n].from, wires[n].to
	if h, ok := parse(p.frame); !ok || h.op != onepipe.Beacon || !w.ending {
		w.Line(from.column(), to.column(), false, "%s", describe(p.frame))
	}
	if to.host >= 0 {
		return w.receive(to.host, p.frame)
	}
	return w.step(to.sw, to.port, p)
}

// step runs a packet through a switch.
func (w *World) step(sw int, port dataplane.Port, p packet) error {
	if w.sw[sw].fast != nil {
		return w.stepFast(sw, port, p)
	}
	before, err := w.m.heard(w.sw[sw].State, sw, port)
	if err != nil {
		return err
	}
	s, e, err := w.m.prog.Step(w.sw[sw].State, port, p.frame, 0)
	if err != nil {
		return err
	}
	after, err := w.m.heard(s, sw, port)
	if err != nil {
		return err
	}
	for i := range before {
		if below(after[i], before[i]) {
			return fmt.Errorf("what the %s has heard at port %d falls from %d to %d: %s", switchNames[sw], port, before[i], after[i], describe(p.frame))
		}
	}
	w.sw[sw] = w.m.device(device{State: s})
	return w.leave(sw, e.Outs, p.late)
}

// leave has packets leave a switch.
func (w *World) leave(sw int, outs []dataplane.Out, late bool) error {
	for _, o := range outs {
		if o.Port == dataplane.Port(names.PortCPU) {
			w.punted(sw, o.Frame)
			continue
		}
		n := wireFrom(sw, o.Port)
		if n < 0 {
			return fmt.Errorf("the %s sends to port %d, where nobody is", switchNames[sw], o.Port)
		}
		if err := w.send(n, packet{o.Frame, late}); err != nil {
			return err
		}
	}
	return nil
}

// heard are the registers of the link at a port of a switch: what it has heard of both barriers. None: there is no link.
func (m *Model) heard(s *interp.State, sw int, port dataplane.Port) (list []uint32, err error) {
	if int(port) >= len(places[sw]) || places[sw][port] == 0 {
		return nil, nil
	}
	place := places[sw][port]
	if err := m.prog.Restore(s); err != nil {
		return nil, err
	}
	for _, kind := range m.links {
		v, err := m.prog.ReadRegister(kind[(place-1)%names.Radix], (place-1)/names.Radix)
		if err != nil {
			return nil, err
		}
		list = append(list, be.Uint32(v[0]))
	}
	return list, nil
}

// places are those of links in the trees of switches, by port, +1: first hosts, then switches below; in the second half what
// is above.
var places = [switches][unused + 1]int{{1: 1, 2: 2, 3: 1 + names.Inputs/2}, {1: 2, 2: 1}}

// linkRegisters are those of links, by the kind of barrier.
func linkRegisters(p *ir.Program) (list [2][names.Radix]*ir.Register) {
	for i, all := range [2][names.Radix]string{
		{names.RegisterBestEffortLink0, names.RegisterBestEffortLink1, names.RegisterBestEffortLink2, names.RegisterBestEffortLink3},
		{names.RegisterCommitLink0, names.RegisterCommitLink1, names.RegisterCommitLink2, names.RegisterCommitLink3},
	} {
		for n, name := range all {
			list[i][n] = dataplane.RegisterOf(p, name)
		}
	}
	return list
}

// wireFrom is the wire at a port of a switch, or -1.
func wireFrom(sw int, port dataplane.Port) int {
	for n, x := range wires {
		if x.from.host < 0 && x.from.sw == sw && x.from.port == port {
			return n
		}
	}
	return -1
}

// device is one with its sum.
func (m *Model) device(d device) device {
	m.buf = d.State.Append(m.buf[:0])
	if d.fast != nil {
		m.buf = append(d.fast.Append(m.buf), byte(len(d.waiting)))
		for _, p := range d.waiting {
			m.buf = append(append(m.buf, byte(len(p.frame)), flags(p.late)), p.frame...)
		}
	}
	d.sum = m.key(m.buf)
	return d
}

// update has a switch do what a controller says.
func (m *Model) update(d device, list []mirror.Update) (device, error) {
	if err := m.restore(d); err != nil {
		return d, err
	}
	var sw dataplane.Target = m.prog
	if d.fast != nil {
		sw = m.halves
	}
	for _, u := range list {
		if err := m.updateOne(sw, &u); err != nil {
			return d, fmt.Errorf("%v: %w", u, err)
		}
	}
	return m.snapshot(d)
}

func (m *Model) updateOne(sw dataplane.Target, u *mirror.Update) error {
	switch {
	case u.Group != nil && u.Op == mirror.Delete:
		return sw.DeleteGroup(u.Group.ID)
	case u.Group != nil:
		var list []dataplane.Replica
		for _, c := range u.Group.Copies {
			list = append(list, dataplane.Replica{Port: dataplane.Port(c.Port), Instance: uint16(c.Instance)})
		}
		return sw.SetGroup(u.Group.ID, list)
	case u.Register != nil:
		r := dataplane.RegisterOf(m.prog.IR, u.Register.Name)
		first, last := u.Register.Index, u.Register.Index
		if first < 0 {
			first, last = 0, r.Size-1
		}
		for i := first; i <= last; i++ {
			if err := sw.WriteRegister(r, i, [][]byte{binary.BigEndian.AppendUint32(nil, uint32(u.Register.Value))}); err != nil {
				return err
			}
		}
		return nil
	}
	e, err := m.entry(u)
	if err != nil {
		return err
	}
	switch u.Op {
	case mirror.Insert:
		return sw.Insert(e)
	case mirror.Modify:
		return sw.Modify(e)
	}
	return sw.Delete(e)
}

// entry is an entry as a switch takes it. All keys of the program that a controller fills are exact.
func (m *Model) entry(u *mirror.Update) (*dataplane.Entry, error) {
	t := dataplane.TableOf(m.prog.IR, u.Entry.Table)
	e := &dataplane.Entry{Table: t}
	for _, k := range t.Keys {
		if k.Match != ir.Exact {
			return nil, fmt.Errorf("table %s: its key %s is not exact", t.Name, k.Name)
		}
		e.Matches = append(e.Matches, dataplane.Match{Value: sized(u.Entry.Get(k.Name), k.Width)})
	}
	for _, a := range t.Actions {
		if !strings.HasSuffix(a.Action.Name, "."+u.Entry.Action) {
			continue
		}
		e.Action.Action = a.Action
		for _, p := range a.Action.Params {
			e.Action.Args = append(e.Action.Args, sized(u.Entry.Arg(p.Name), p.Type.Width))
		}
		return e, nil
	}
	return nil, fmt.Errorf("table %s: has no action %s", t.Name, u.Entry.Action)
}

// sized is a value in as many bytes as its width takes.
func sized(v []byte, width int) []byte {
	return new(big.Int).SetBytes(v).FillBytes(make([]byte, (width+7)/8))
}

// cells are the first cells of registers of a switch: those of all ports.
func (m *Model) cells(s *interp.State, list []string) (map[string][]uint64, error) {
	if err := m.prog.Restore(s); err != nil {
		return nil, err
	}
	out := map[string][]uint64{}
	for _, name := range list {
		r := dataplane.RegisterOf(m.prog.IR, name)
		for i := range min(r.Size, unused+1) {
			fields, err := m.prog.ReadRegister(r, i)
			if err != nil {
				return nil, err
			}
			out[name] = append(out[name], uint64(binary.BigEndian.Uint32(fields[0])))
		}
	}
	return out, nil
}

// Columns of a chart.
const (
	colH1 = iota
	colH2
	colLeaf
	colSpine
	colH3
	colControl
)

// Columns implements explore.Model.
func (m *Model) Columns() []string {
	return []string{"h1", "h2", "leaf", "spine", "h3", "controller"}
}

var _ explore.Model = (*Model)(nil)
