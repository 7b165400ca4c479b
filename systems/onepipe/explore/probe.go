package explore

import (
	"fmt"
	"hash/crc32"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// forged is a packet that nobody sends who keeps to the rules.
type forged struct {
	from, to        onepipe.Process
	op              onepipe.Opcode
	time            uint64
	barrier, commit uint32
	psn             uint32
	spoilt          bool // the header's checksum is wrong
}

// frame is the packet on the wire: if it is a message, of one byte.
func (p *forged) frame() []byte {
	b := append([]byte{2, 0, 0, 0, 9, 9, 2, 0, 0, 0, 9, 8}, 0x08, 0x00, 0x45, 0, 0, 0, 0, 0, 0x40, 0, wire.DefaultTTL, 17, 0, 0)
	copy(b, []byte{2, 0, 0, 0, 2, p.to.Addr[3]})
	copy(b[6:], []byte{2, 0, 0, 0, 2, p.from.Addr[3]})
	b = append(append(b, p.from.Addr[:]...), p.to.Addr[:]...)
	b = append(b, onepipe.Port>>8, onepipe.Port&0xff, onepipe.Port>>8, onepipe.Port&0xff, 0, 0, 0, 0)
	b = be.AppendUint16(b, uint16(p.time>>32))
	b = be.AppendUint32(b, uint32(p.time))
	b = be.AppendUint32(be.AppendUint32(b, p.barrier), p.commit)
	const end = 1 // the flag of a last fragment
	b = be.AppendUint32(b, uint32(p.op)<<28|end<<24|p.psn)
	b = be.AppendUint16(be.AppendUint16(b, p.from.Number), p.to.Number)
	b = append(b, 0, 0)
	be.PutUint16(b[len(b)-2:], ^wire.Sum(0, b[headerAt:]))
	if p.spoilt {
		b[headerAt+9]++
	}
	if p.op != onepipe.Beacon {
		body := []byte{0, 0, 0, 1, 'z'} // fragment 1 of 1
		var h [24]byte
		be.PutUint64(h[:], p.time<<16|uint64(p.op)<<8|end)
		be.PutUint32(h[8:], p.psn)
		be.PutUint16(h[12:], p.from.Number)
		be.PutUint16(h[14:], p.to.Number)
		copy(h[16:], p.from.Addr[:])
		copy(h[20:], p.to.Addr[:])
		table := crc32.MakeTable(crc32.Castagnoli)
		b = be.AppendUint32(append(b, body...), crc32.Update(crc32.Update(0, table, h[:]), table, body))
	}
	ip := wire.IPv4(b[wire.EthernetLen:])
	ip.SetTotalLen(len(ip))
	ip.SetChecksum()
	wire.UDP(ip[wire.IPv4Len:]).SetLen(len(ip) - wire.IPv4Len)
	return b
}

// probe tries in this state what strangers and liars may do.
func (w *World) probe() error {
	ahead := uint64(w.m.epoch) + uint64(w.now+1000)*uint64(tick)
	far, now := uint32(ahead>>onepipe.Shift), uint64(w.m.epoch)+uint64(w.now)*uint64(tick)
	for sw := range switches {
		if err := w.refused(sw, unused, "from nobody's port", forged{op: onepipe.Beacon, barrier: far, commit: far}); err != nil {
			return err
		}
	}
	for n := range hosts {
		x, other := wires[n].to, (n+1)%hosts
		from, to := w.processOf(n), w.processOf(other)
		if from.Number == 0 || to.Number == 0 {
			continue
		}
		stranger := onepipe.Process{Addr: from.Addr, Number: 99}
		for what, p := range map[string]forged{
			"whose commit barrier is above the other one": {from: from, op: onepipe.Beacon, barrier: far - 1, commit: far},
			"that is damaged":                              {from: from, op: onepipe.Beacon, barrier: far, commit: far, spoilt: true},
			"of a process that does not exist":             {from: stranger, to: to, op: onepipe.Data, time: ahead, barrier: far, commit: far},
			"of a process that is elsewhere":               {from: to, to: from, op: onepipe.Data, time: ahead, barrier: far, commit: far},
			"of best effort that is below its own barrier": {from: from, to: to, op: onepipe.Data, time: now, barrier: far, commit: 0},
			"that is reliable and below its own barrier":   {from: from, to: to, op: onepipe.Reliable, time: now, barrier: far, commit: far},
		} {
			if p.commit == 0 {
				p.commit = uint32(now >> onepipe.Shift)
			}
			if err := w.refused(x.sw, x.port, what, p); err != nil {
				return err
			}
		}
		if !w.m.bounds.Control { // all links count
			p := forged{from: from, op: onepipe.Beacon, barrier: far, commit: far}
			_, e, err := w.m.prog.Step(w.sw[x.sw].State, x.port, p.frame(), 0)
			if err != nil {
				return err
			}
			for _, o := range e.Outs {
				if h, ok := parse(o.Frame); ok && (!below(h.barrier[0], far) || !below(h.barrier[1], far)) {
					return fmt.Errorf("the barrier of %s alone raises what the %s promises", hostName(n), switchNames[x.sw])
				}
			}
		}
		if err := w.late(other, from, to); err != nil {
			return err
		}
	}
	return nil
}

// refused demands that a packet neither passes a switch nor changes it.
func (w *World) refused(sw int, port dataplane.Port, what string, p forged) error {
	s, e, err := w.m.prog.Step(w.sw[sw].State, port, p.frame(), 0)
	if err != nil {
		return err
	}
	if len(e.Outs) > 0 {
		return fmt.Errorf("a packet %s passes the %s", what, switchNames[sw])
	}
	if !s.Equal(w.sw[sw].State) {
		return fmt.Errorf("a packet %s changes the %s", what, switchNames[sw])
	}
	return nil
}

// late has a link that is broken bring messages below the barriers that a host has received. It receives none of them.
func (w *World) late(n int, from, to onepipe.Process) error {
	h := w.hosts[n]
	if h.dead || h.expelled {
		return nil
	}
	now := w.clockOf(h)
	for _, op := range []onepipe.Opcode{onepipe.Data, onepipe.Reliable} {
		c := w.m.copy(h.run)
		var at [2]uint64
		at[0], at[1] = c.e.Barriers()
		s := 0
		if op == onepipe.Reliable {
			s = 1
		}
		if at[s] == 0 {
			continue
		}
		p := forged{from: from, to: to, op: op, time: at[s] - 1, barrier: uint32(at[0] >> onepipe.Shift), commit: uint32(at[1] >> onepipe.Shift), psn: 6}
		c.e.Receive(now, p.frame())
		p.op, p.barrier, p.commit = onepipe.Beacon, p.barrier+1, p.commit+1
		c.e.Receive(now, p.frame())
		for m, ok := c.proc.Receive(op == onepipe.Reliable); ok; m, ok = c.proc.Receive(op == onepipe.Reliable) {
			if m.Time < at[s] {
				return fmt.Errorf("%s receives a message of %d, below the barrier %d that it had heard", hostName(n), m.Time, at[s])
			}
		}
	}
	return nil
}
