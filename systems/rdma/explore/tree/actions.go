package tree

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/explore"
)

var rows = explore.Rows[*World]{
	{Name: "send %d", Args: func(w *World, _, _, _ int) []any { return []any{w.next} },
		Left: func(w *World) *int { return &w.left.Sends },
		Can:  explore.When(func(w *World) bool { return w.next-w.una < w.left.Ahead }),
		Do: func(w *World, _, _, _ int) error {
			w.next++
			return w.send(w.next - 1)
		}},
	{Name: "resend %d", Left: func(w *World) *int { return &w.left.Resends },
		Can: explore.Each(func(w *World) (int, int) { return w.una, w.next }),
		Do:  func(w *World, n, _, _ int) error { return w.send(n) }},
	{Name: "deliver %v", Args: flying, Can: arriving, Do: func(w *World, n, _, _ int) error { return w.deliver(w.take(n)) }},
	{Name: "lose %v", Args: flying, Left: func(w *World) *int { return &w.left.Losses }, Can: arriving,
		Do: func(w *World, n, _, _ int) error {
			p := w.take(n)
			w.Line(w.m.column(p.at.sw), w.m.column(p.at.sw), true, "lost before port %d", p.at.port)
			return nil
		}},
	{Name: "update",
		Can: explore.When(func(w *World) bool {
			early := func(p packet) bool { return p.early }
			return w.done < len(w.m.steps) && (w.left.Hasty || w.done < w.m.grown || !slices.ContainsFunc(w.flight, early))
		}),
		Do: func(w *World, _, _, _ int) error { return w.update() }},
}

// arriving are the first packets of each link, which keeps their order.
func arriving(w *World, can func(a, b, c int)) {
	for i, p := range w.flight {
		if !slices.ContainsFunc(w.flight[:i], func(o packet) bool { return o.at == p.at && o.ack == p.ack }) {
			can(i, 0, 0)
		}
	}
}

func flying(w *World, n, _, _ int) []any {
	p := w.flight[n]
	if p.ack >= 0 {
		return []any{fmt.Sprintf("what replica %d says", p.ack)}
	}
	return []any{fmt.Sprintf("at %s port %d", w.m.devices[p.at.sw].name, p.at.port)}
}

// take takes a packet off its link.
func (w *World) take(n int) packet {
	p := w.flight[n]
	w.flight = slices.Delete(w.flight, n, n+1)
	return p
}

// Actions implements explore.World.
func (w *World) Actions(out []explore.Action) []explore.Action { return rows.Actions(w, out) }

// Name implements explore.World.
func (w *World) Name(x explore.Action) string { return rows.Title(w, x) }

// Do implements explore.World.
func (w *World) Do(x explore.Action, note func(explore.Event)) error {
	defer w.Tell(note)()
	err := rows.Do(w, x)
	if err == nil && w.left.Probes {
		err = w.probe()
	}
	return err
}

// psn is the leader's PSN of its nth packet.
func psn(n int) wire.PSN { return wire.PSN(firstPSN).Add(n) }

// request is the leader's nth packet: 8 bytes of its number, to an address of their own.
func (m *Model) request(n int) []byte {
	h := m.header(wire.WriteOnly, psn(n))
	h.VA, h.RKey, h.Length, h.AckReq = uint64(8*n), virtual, 8, true
	return wire.AppendFrame(nil, h, binary.BigEndian.AppendUint64(nil, uint64(n)))
}

// header is what the leader's packets begin with.
func (m *Model) header(op wire.Opcode, at wire.PSN) *wire.Header {
	return &wire.Header{
		SrcMAC: m.fabric.Hosts[0].MAC, DstMAC: m.fabric.Switches[0].MAC, Src: m.plan.Leader.Addr, Dst: m.plan.Switch, Opcode: op, DestQP: bcastQP, PSN: at,
	}
}

func (w *World) send(n int) error {
	w.Line(0, w.m.column(w.m.index[home]), false, "WRITE %d (PSN %v)", n, psn(n))
	return w.arrive(place{w.m.index[home], 1}, w.m.request(n), w.done < w.m.grown)
}

// step runs a packet through a switch.
func (w *World) step(sw int, port dataplane.Port, f []byte) (*interp.State, []dataplane.Out, error) {
	s, e, err := w.m.devices[sw].target.Step(w.sw[sw], port, f, 0)
	return s, e.Outs, err
}

// arrive has a request come in at a switch, and what it makes of it go on.
func (w *World) arrive(at place, frame []byte, early bool) error {
	d := w.m.devices[at.sw]
	s, outs, err := w.step(at.sw, at.port, frame)
	if err != nil {
		return err
	}
	if d.name != home && !s.Equal(w.sw[at.sw]) {
		return fmt.Errorf("%s, which is not the home, has remembered something", d.name)
	}
	w.sw[at.sw] = s
	for _, o := range outs {
		if o.Port == dataplane.Port(names.PortCPU) {
			continue // the controller is told; it does nothing here
		}
		if far, ok := w.m.fabric.Net.Peer(topology.Place{Switch: d.name, Port: uint16(o.Port)}); ok {
			to := w.m.index[far.Switch]
			w.Line(w.m.column(at.sw), w.m.column(to), false, "copy on its way")
			old := far.Switch == w.m.spine || d.name == w.m.spine
			if old {
				w.Reach(goalOldTree)
			} else {
				w.Reach(goalNewTree)
			}
			if slices.ContainsFunc(w.flight, func(p packet) bool { return p.ack < 0 && p.old != old }) {
				w.Reach(goalMixed)
			}
			w.flight = append(w.flight, packet{at: place{to, dataplane.Port(far.Port)}, frame: o.Frame, ack: -1, old: old, early: early})
			continue
		}
		if err := w.host(d.name, o); err != nil {
			return err
		}
	}
	return nil
}

// host is whoever is at a port that leads to no switch.
func (w *World) host(sw string, o dataplane.Out) error {
	slot := slices.IndexFunc(hostsOf[:], func(h string) bool {
		at, _ := w.m.fabric.Net.Host(h)
		return at == topology.Place{Switch: sw, Port: uint16(o.Port)}
	})
	if slot < 0 {
		return fmt.Errorf("a packet of the group goes to port %d of %s, where no replica is", o.Port, sw)
	}
	s := &w.m.plan.Slots[slot]
	var p wire.Packet
	if err := wire.Parse(o.Frame, &p); err != nil {
		return err
	}
	n := int(binary.BigEndian.Uint64(p.Payload))
	switch {
	case p.IP.Dst() != s.Addr || p.BTH.DestQP() != s.QPN:
		return fmt.Errorf("replica %d gets what is for %v, queue pair %#x", slot, p.IP.Dst(), p.BTH.DestQP())
	case p.IP.Src() != w.m.plan.Switch:
		return fmt.Errorf("replica %d gets a packet of %v, which is not the home", slot, p.IP.Src())
	case !p.ICRCOK():
		return fmt.Errorf("replica %d gets packet %d with a wrong ICRC", slot, n)
	case p.BTH.PSN() != psn(n).Add(deltas[slot]):
		return fmt.Errorf("replica %d gets packet %d with PSN %v", slot, n, p.BTH.PSN())
	case p.RETH.RKey() != s.RKey || p.RETH.VA() != s.VA+uint64(8*n):
		return fmt.Errorf("replica %d gets packet %d for another place", slot, n)
	}
	w.receive(slot, n)
	return nil
}

// receive is what a responder does.
func (w *World) receive(i, n int) {
	r := &w.replicas[i]
	w.Line(w.m.replicas(i), w.m.replicas(i), false, "packet %d", n)
	switch {
	case n == r.expected:
		r.expected, r.nak = n+1, false
		w.answer(i, n, 0x1f)
	case n > r.expected:
		if !r.nak {
			r.nak = true
			w.answer(i, r.expected, 0x60)
		}
	default:
		w.Reach(goalTwice)
		w.answer(i, r.expected-1, 0x1f)
	}
}

// answer puts an ACK or NAK on its way, by an uplink of the home.
func (w *World) answer(i, n int, syndrome byte) {
	s := &w.m.plan.Slots[i]
	upTo := n
	if syndrome >= 0x60 {
		upTo--
	}
	f := wire.AppendFrame(nil, &wire.Header{
		SrcMAC: w.m.fabric.Switches[w.m.index["s1"]].MAC, DstMAC: w.m.fabric.Switches[0].MAC, Src: s.Addr, Dst: w.m.plan.Switch,
		Opcode: wire.Acknowledge, DestQP: s.AggrQP, PSN: psn(n).Add(deltas[i]), Syndrome: wire.Syndrome(syndrome), MSN: 1,
	}, nil)
	w.Line(w.m.replicas(i), w.m.replicas(i), false, "acknowledges all up to packet %d (syndrome %#x)", upTo, syndrome)
	w.flight = append(w.flight, packet{at: place{w.m.index[home], 31}, frame: f, ack: i, upTo: upTo})
}

// deliver has what is on a link arrive.
func (w *World) deliver(p packet) error {
	if p.ack < 0 {
		return w.arrive(p.at, p.frame, p.early)
	}
	w.Line(w.m.replicas(p.ack), w.m.column(p.at.sw), false, "its ACK arrives")
	w.replicas[p.ack].told = max(w.replicas[p.ack].told, p.upTo)
	s, outs, err := w.step(p.at.sw, p.at.port, p.frame)
	if err != nil {
		return err
	}
	w.sw[p.at.sw] = s
	said := false
	for _, o := range outs {
		if o.Port == dataplane.Port(names.PortCPU) {
			continue
		}
		var a wire.Packet
		if err := wire.Parse(o.Frame, &a); err != nil {
			return err
		}
		if o.Port != 1 || a.IP.Dst() != w.m.plan.Leader.Addr || a.BTH.DestQP() != w.m.plan.Leader.QPN || a.AETH == nil || !a.ICRCOK() {
			return fmt.Errorf("what replica %d says goes out at port %d", p.ack, o.Port)
		}
		said = true
		if err := w.hear(a.BTH.PSN(), a.AETH.Syndrome()); err != nil {
			return err
		}
	}
	if !said {
		w.Reach(goalAbsorbed)
	}
	return nil
}

// hear is what a requester does with an ACK or NAK.
func (w *World) hear(at wire.PSN, syndrome wire.Syndrome) error {
	if byte(syndrome) >= 0x60 {
		w.Reach(goalNAK)
		at = at.Add(-1)
	} else {
		w.Reach(goalAnswered)
	}
	n := 0
	for ; n < w.next && psn(n) != at; n++ {
	}
	if n == w.next { // of nothing that was sent, but what is before
		return nil
	}
	w.Line(w.m.column(w.m.index[home]), 0, false, "all up to packet %d is done", n)
	for i, r := range w.replicas {
		if r.expected <= n || r.told < n {
			return fmt.Errorf("the leader takes packet %d for done: replica %d has packets up to %d, and has acknowledged up to %d", n, i, r.expected-1, r.told)
		}
	}
	w.una = max(w.una, n+1)
	return nil
}

// update has the next switch do what it is told next. What the home knows stays.
func (w *World) update() error {
	sw := w.m.steps[w.done]
	w.done++
	nth := 0
	for _, s := range w.m.steps[:w.done] {
		if s == sw {
			nth++
		}
	}
	d := w.m.devices[sw]
	w.Line(w.m.column(sw), w.m.column(sw), false, "update %d of %d", w.done, len(w.m.steps))
	if err := d.target.Restore(w.sw[sw]); err != nil {
		return err
	}
	var kept [][][]byte
	for _, r := range w.m.regs {
		v, err := d.target.ReadRegister(r, 0)
		if err != nil {
			return err
		}
		kept = append(kept, v)
	}
	if err := d.target.Restore(d.held[nth]); err != nil {
		return err
	}
	for i, r := range w.m.regs {
		if err := d.target.WriteRegister(r, 0, kept[i]); err != nil {
			return err
		}
	}
	s, err := d.target.Snapshot()
	w.sw[sw] = s
	return err
}

// probe has somebody try what only a home may, at every switch and in this state.
func (w *World) probe() error {
	good := func(change func(*wire.Header), to int) []byte {
		h := w.m.header(wire.WriteOnly, psn(w.next))
		h.Src, h.Dst, h.VA, h.RKey, h.Length = w.m.plan.Switch, w.m.plan.Slots[to].Addr, 0, virtual, 8
		if change != nil {
			change(h)
		}
		return wire.AppendFrame(nil, h, make([]byte, 8))
	}
	for sw, d := range w.m.devices {
		for to := range slots {
			for what, p := range map[string]struct {
				port   uint16
				change func(*wire.Header)
			}{
				"from a host's port":    {9, nil},
				"with another R_key":    {31, func(h *wire.Header) { h.RKey++ }},
				"behind the region":     {31, func(h *wire.Header) { h.VA = region }},
				"with a length beyond":  {31, func(h *wire.Header) { h.VA, h.Length = region-4, 8 }},
				"that has come too far": {31, func(h *wire.Header) { h.TTL = 1 }},
			} {
				if d.name[0] == 's' && p.port == 31 {
					p.port = 1
				}
				h := *w
				s, outs, err := h.step(sw, dataplane.Port(p.port), good(func(x *wire.Header) {
					x.DstMAC = w.m.fabric.Switches[sw].MAC
					if p.change != nil {
						p.change(x)
					}
				}, to))
				switch {
				case err != nil:
					return err
				case !s.Equal(w.sw[sw]):
					return fmt.Errorf("a request %s changes %s", what, d.name)
				}
				for _, o := range outs {
					if o.Port == dataplane.Port(names.PortCPU) {
						continue
					}
					if err := unchanged(o.Frame); err != nil {
						return fmt.Errorf("a request %s at %s: %w", what, d.name, err)
					}
				}
			}
		}
	}
	return nil
}

// unchanged sees that a packet is not a copy: plain routing may carry it, to a queue pair that no
// replica has.
func unchanged(f []byte) error {
	var p wire.Packet
	if err := wire.Parse(f, &p); err != nil {
		return err
	}
	if p.BTH.DestQP() != bcastQP {
		return errors.New("becomes a replica's own packet")
	}
	return nil
}

// Converge implements explore.Converger: the rest of the updates, no more losses, and the leader
// sends again what it has not heard of.
func (w *World) Converge(_ uint64, note func(explore.Event)) (bool, error) {
	defer w.Tell(note)()
	update := func(to int) error {
		for w.done < to {
			if err := w.update(); err != nil {
				return err
			}
		}
		return nil
	}
	if err := update(min(w.m.grown, len(w.m.steps))); err != nil {
		return true, err
	}
	for range 3 {
		for len(w.flight) > 0 {
			p := w.flight[0]
			w.flight = w.flight[1:]
			if err := w.deliver(p); err != nil {
				return true, err
			}
		}
		if err := update(len(w.m.steps)); err != nil {
			return true, err
		}
		if w.una == w.next {
			return true, nil
		}
		for n := w.una; n < w.next; n++ {
			if err := w.send(n); err != nil {
				return true, err
			}
		}
	}
	return true, fmt.Errorf("the leader has heard of %d of %d packets", w.una, w.next)
}
