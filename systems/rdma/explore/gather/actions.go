package gather

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/explore"
)

var rows = explore.Rows[*World]{
	{Name: "send %d lost %03b", Args: func(w *World, lost, _, _ int) []any { return []any{w.next, lost} },
		Left: func(w *World) *int { return &w.left.Sends },
		Can: func(w *World, can func(a, b, c int)) {
			for lost := range 1 << slots {
				if w.next-w.una < w.left.Ahead && bits.OnesCount(uint(lost)) <= w.left.Losses {
					can(lost, 0, 0)
				}
			}
		},
		Do: func(w *World, lost, _, _ int) error {
			w.left.Losses -= bits.OnesCount(uint(lost))
			w.next++
			if w.next > psns {
				w.Reach(goalRound)
			}
			return w.send(w.next-1, lost)
		}},
	{Name: "resend %d", Left: func(w *World) *int { return &w.left.Resends },
		Can: explore.Each(func(w *World) (int, int) { return w.una, w.next }),
		Do:  func(w *World, n, _, _ int) error { return w.send(n, 0) }},
	{Name: "deliver %v", Args: flying, Can: arriving, Do: func(w *World, n, _, _ int) error { return w.deliver(w.take(n)) }},
	{Name: "drop %v", Args: flying, Left: func(w *World) *int { return &w.left.Drops }, Can: arriving,
		Do: func(w *World, n, _, _ int) error {
			a := w.take(n)
			w.Line(firstReplica+a.slot, theSwitch, true, "%s", a)
			return nil
		}},
	{Name: "repeat %v", Args: flying, Left: func(w *World) *int { return &w.left.Repeats }, Can: arriving,
		Do: func(w *World, n, _, _ int) error { return w.deliver(w.flight[n]) }},
	{Name: "regroup", Left: func(w *World) *int { return &w.left.Groups },
		Can: explore.When(func(w *World) bool { return w.next > 0 }),
		Do: func(w *World, _, _, _ int) error {
			w.gen++
			w.sw = w.m.first[w.gen]
			w.begin()
			w.Line(theSwitch, theSwitch, false, "the group ends; group %d begins in the same slots at PSN %d", w.gen, w.psn(0))
			return nil
		}},
}

// arriving are the ACKs under way that may be the next.
func arriving(w *World, can func(a, b, c int)) {
	var seen [slots]bool
	for i, a := range w.flight {
		if slices.Contains(w.flight[:i], a) || w.left.Straight && seen[a.slot] {
			continue
		}
		seen[a.slot] = true
		can(i, 0, 0)
	}
}

func flying(w *World, n, _, _ int) []any { return []any{w.flight[n]} }

// take takes an ACK off its way.
func (w *World) take(n int) answer {
	a := w.flight[n]
	w.flight = slices.Delete(w.flight, n, n+1)
	return a
}

// Actions implements explore.World.
func (w *World) Actions(out []explore.Action) []explore.Action { return rows.Actions(w, out) }

// Name implements explore.World.
func (w *World) Name(x explore.Action) string { return rows.Title(w, x) }

func (a answer) String() string {
	kind := "ACK"
	if a.syndrome >= 0x60 {
		kind = "NAK"
	}
	return fmt.Sprintf("%s %d of replica %d group %d", kind, a.psn, a.slot, a.gen)
}

// Do implements explore.World.
func (w *World) Do(x explore.Action, note func(explore.Event)) error {
	defer w.Tell(note)()
	if err := rows.Do(w, x); err != nil {
		return err
	}
	return w.check()
}

// step runs a packet through the switch.
func (w *World) step(port dataplane.Port, f []byte) (interp.Effects, error) {
	s, e, err := w.m.prog.Step(w.sw, port, f, 0)
	if err != nil {
		return e, err
	}
	w.sw = s
	return e, nil
}

// send has the leader send a packet. lost are the replicas that miss their copy.
func (w *World) send(n, lost int) error {
	w.Line(theLeader, theSwitch, false, "WRITE %d (PSN %d)", n, w.psn(n))
	e, err := w.step(leaderPort, write(w.gen, uint32(w.psn(n))))
	if err != nil {
		return err
	}
	got := 0
	for _, o := range e.Outs {
		i := int(o.Port) - replicaPort
		if o.Port == cpuPort {
			return fmt.Errorf("the leader's packet %d goes to the controller", n)
		}
		if i < 0 || i >= slots || got>>i&1 == 1 {
			return fmt.Errorf("a copy of packet %d goes out at port %d", n, o.Port)
		}
		got |= 1 << i
		var p wire.Packet
		if err := wire.Parse(o.Frame, &p); err != nil {
			return err
		}
		psn := int(p.BTH.PSN())
		if p.IP.Dst() != addr(uint32(replicaIP+i)) || p.BTH.DestQP() != uint32(peerQP+i) {
			return fmt.Errorf("replica %d gets what is not its own", i)
		}
		if want := (w.psn(n) - deltas[i] + psns) % psns; psn != want {
			return fmt.Errorf("replica %d gets packet %d with PSN %d, want %d", i, n, psn, want)
		}
		if lost>>i&1 == 1 {
			w.Line(theSwitch, firstReplica+i, true, "copy of %d is lost", n)
			continue
		}
		w.receive(i, n)
	}
	if got != 1<<slots-1 {
		return fmt.Errorf("packet %d goes to replicas %03b only", n, got)
	}
	return nil
}

// receive is what a responder does with a packet: it sees its PSN, and no more.
func (w *World) receive(i, n int) {
	r := &w.replicas[i]
	switch ahead := (n - r.expected%psns + 2*psns) % psns; {
	case ahead == 0:
		if n != r.expected {
			w.Reach(goalHole)
			w.Line(theSwitch, firstReplica+i, false, "takes packet %d for packet %d", n, r.expected)
		}
		r.held |= 1 << n
		r.expected, r.nak = n+1, false
		w.answer(i, n, codes[i])
	case ahead < psns/2:
		if !r.nak {
			r.nak = true
			w.answer(i, r.expected, 0x60)
		}
	default: // it has had that
		w.answer(i, r.expected-1, codes[i])
	}
}

// answer puts an ACK or NAK on its way.
func (w *World) answer(i, n int, syndrome byte) {
	a := answer{gen: w.gen, slot: i, psn: (w.psn(n) - deltas[i] + 2*psns) % psns, syndrome: syndrome, number: n}
	if syndrome >= 0x60 {
		a.number--
	}
	w.Line(firstReplica+i, firstReplica+i, false, "says %s, for all up to packet %d", a, a.number)
	first, flying := -1, 0
	for k, o := range w.flight {
		if o.slot == i && o.gen == w.gen {
			if first < 0 {
				first = k
			}
			flying++
		}
	}
	if flying >= w.left.Flight {
		w.flight = slices.Delete(w.flight, first, first+1) // those behind it say more
	}
	w.flight = append(w.flight, a)
}

// deliver brings an ACK or NAK to the switch.
func (w *World) deliver(a answer) error {
	w.Line(firstReplica+a.slot, theSwitch, false, "%s arrives", a)
	before := w.sw
	e, err := w.step(dataplane.Port(replicaPort+a.slot), ack(a.gen, a.slot, uint32(a.psn), a.syndrome))
	if err != nil {
		return err
	}
	if a.gen != w.gen {
		w.Reach(goalOld)
		if outside(e.Outs) || !w.sw.Equal(before) {
			return fmt.Errorf("%s changes something: it is of the group before", a)
		}
		return nil
	}
	r := &w.replicas[a.slot]
	r.told = max(r.told, a.number)
	lost, err := w.m.register(names.SlotRegister(a.slot), 1)
	if err != nil {
		return err
	}
	// What it says counts if it is about something that is under way.
	if back := w.next - 1 - a.number; a.syndrome < 0x60 && lost == 0 && back >= 0 && back < window {
		r.heard = true
	}
	if !outside(e.Outs) {
		w.Reach(goalAbsorbed)
	}
	for _, o := range e.Outs {
		if o.Port == cpuPort {
			continue
		}
		var p wire.Packet
		if err := wire.Parse(o.Frame, &p); err != nil {
			return err
		}
		if o.Port != leaderPort || p.IP.Dst() != addr(leaderIP) || p.BTH.DestQP() != leaderQP || p.BTH.Opcode() != wire.Acknowledge {
			return fmt.Errorf("%s goes out at port %d", a, o.Port)
		}
		if err := w.hear(int(p.BTH.PSN()), byte(p.AETH.Syndrome())); err != nil {
			return err
		}
	}
	return nil
}

// outside reports whether something leaves the switch but for the controller.
func outside(outs []dataplane.Out) bool {
	return slices.ContainsFunc(outs, func(o dataplane.Out) bool { return o.Port != cpuPort })
}

// hear is what a requester does with an ACK or NAK: it sees the PSN, and takes all
// that it has outstanding before it for done.
func (w *World) hear(psn int, syndrome byte) error {
	nak := syndrome >= 0x60
	upTo := psn
	kind := "ACK"
	if nak {
		kind = "NAK"
		upTo = (psn + psns - 1) % psns
		w.Reach(goalNAK)
	} else {
		w.Reach(goalAnswered)
		for i, r := range w.replicas {
			lost, err := w.m.register(names.SlotRegister(i), 1)
			if err != nil {
				return err
			}
			if r.heard && lost == 0 && syndrome&0x1f > codes[i] {
				return fmt.Errorf("the leader gets credits %#x, replica %d has given %#x", syndrome&0x1f, i, codes[i])
			}
		}
	}
	news := (upTo - w.psn(w.una-1) + psns) % psns
	if news > w.next-w.una {
		w.Line(theSwitch, theLeader, false, "%s %d, of what it knows", kind, psn)
		w.Reach(goalRepeated)
		return nil
	}
	if news == 0 && !nak {
		w.Reach(goalRepeated)
	}
	w.Line(theSwitch, theLeader, false, "%s %d: all up to packet %d is done", kind, psn, w.una+news-1)
	for ; news > 0; news-- {
		held, told := 0, 0
		for _, r := range w.replicas {
			held += int(r.held >> w.una & 1)
			if r.told >= w.una {
				told++
			}
		}
		if held < w.left.F || told < w.left.F {
			return fmt.Errorf("the leader takes packet %d for done, which %d replicas hold and %d have acknowledged, of %d needed", w.una, held, told, w.left.F)
		}
		w.una++
	}
	return nil
}

// check looks at a state.
func (w *World) check() error {
	if err := w.m.prog.Restore(w.sw); err != nil {
		return err
	}
	sent, err := w.m.register(names.RegisterSent, 0)
	if err != nil {
		return err
	}
	if sent >>= 32 - psnBits; sent != w.psn(w.next-1) {
		return fmt.Errorf("the switch takes PSN %d for the last one sent, it is %d", sent, w.psn(w.next-1))
	}
	for i, r := range w.replicas {
		name := names.SlotRegister(i)
		at, err := w.m.register(name, 0)
		if err != nil {
			return err
		}
		lost, err := w.m.register(name, 1)
		if err != nil {
			return err
		}
		if lost != 0 {
			w.Reach(goalOut)
			continue
		}
		back := (sent - at>>(32-psnBits) + psns) % psns
		if back >= window {
			return fmt.Errorf("slot %d stands at %d packets behind the last one sent, outside of the window, and is not out", i, back)
		}
		if number := w.next - 1 - back; number > r.told {
			return fmt.Errorf("slot %d stands at packet %d, its replica has acknowledged what is up to %d", i, number, r.told)
		}
	}
	if w.left.Probes {
		return w.probe()
	}
	return nil
}

// probe has strangers try everything in this state.
func (w *World) probe() error {
	latest := uint32(w.psn(w.next - 1))
	for i := range slots {
		psn := uint32(int(latest)-deltas[i]+psns) % psns
		for what, p := range map[string]struct {
			port  dataplane.Port
			frame []byte
		}{
			"from a stranger's port":        {strangerPort, ack(w.gen, i, psn, 0x1f)},
			"from another replica's port":   {dataplane.Port(replicaPort + (i+1)%slots), ack(w.gen, i, psn, 0x1f)},
			"with a flipped bit in its PSN": {dataplane.Port(replicaPort + i), damaged(ack(w.gen, i, psn^1, 0x1f))},
			"of no group":                   {dataplane.Port(replicaPort + i), ack(w.gen+7, i, psn, 0x1f)},
			"that is a NAK from a stranger": {strangerPort, ack(w.gen, i, psn, 0x60)},
		} {
			if err := w.harmless(p.port, p.frame); err != nil {
				return fmt.Errorf("an ACK of slot %d %s %w", i, what, err)
			}
		}
	}
	next := uint32(w.psn(w.next))
	if err := w.harmless(strangerPort, frame(leaderIP, switchIP, wire.Header{Opcode: wire.WriteMiddle, DestQP: uint32(bcastQP + w.gen), PSN: wire.PSN(next)}, make([]byte, 8))); err != nil {
		return fmt.Errorf("a request from a stranger's port %w", err)
	}
	return nil
}

// damaged flips a bit of the PSN.
func damaged(f []byte) []byte {
	f[wire.EthernetLen+wire.IPv4Len+wire.UDPLen+11] ^= 1
	return f
}

// harmless sees whether a packet changes nothing and reaches nobody.
func (w *World) harmless(port dataplane.Port, f []byte) error {
	s, e, err := w.m.prog.Step(w.sw, port, f, 0)
	switch {
	case err != nil:
		return err
	case outside(e.Outs):
		return errors.New("gets through")
	case !s.Equal(w.sw):
		return errors.New("changes the switch")
	}
	return nil
}
