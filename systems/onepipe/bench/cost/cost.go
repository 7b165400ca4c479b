// Package cost measures what a packet of 1Pipe costs the switch's program, beside the same in C by hand, and beside a
// packet that is only forwarded: CPU time of test runs in the kernel, without drivers and the copying of frames.
package cost

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/bench/byhand"
	"github.com/p4ce/p4ce/bench/program"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/testrun"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
)

//go:generate go run ../../../../cmd/p4xc object hand/hand.bpf.c -o hand/hand.bpf.o

//go:embed hand/hand.bpf.o
var handObject []byte

// Benchmark is the comparison.
func Benchmark() *byhand.Benchmark {
	return &byhand.Benchmark{
		Name: "onepipe-switch", Title: "What a packet of 1Pipe costs the switch's program",
		Settings: []report.Setting{{Name: "inputs", Value: fmt.Sprint(names.Inputs)}}, Setup: setup,
	}
}

// The switch has a host at each input, all below, or eight above if that matters. Ports are from 1 on.
const (
	from = dataplane.Port(1)
	to   = dataplane.Port(2)
	now  = uint64(1) << 36 // ns
)

func mac(p dataplane.Port) wire.MAC { return wire.MAC{2, 0, 0, 0, 1, byte(p)} }
func ip(p dataplane.Port) wire.Addr { return wire.Addr{10, 0, 0, byte(p)} }

func number(b []byte) (v uint64) {
	for _, x := range b {
		v = v<<8 | uint64(x)
	}
	return v
}

func macOf(p dataplane.Port) uint64 { m := mac(p); return number(m[:]) }
func ipOf(p dataplane.Port) uint64  { a := ip(p); return number(a[:]) }

// own is an address of the switch.
var own = wire.Addr{10, 0, 1, 1}

// setup loads both programs with the same tables and returns the cases.
func setup() (cases []*program.Program, closer func(), err error) {
	var closers []func()
	closeAll := func() {
		for _, f := range slices.Backward(closers) {
			f()
		}
	}
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	p4, err := newP4()
	if err != nil {
		return nil, nil, fmt.Errorf("P4: %w", err)
	}
	closers = append(closers, p4.Close)
	hand, err := newHand()
	if err != nil {
		return nil, nil, err
	}
	closers = append(closers, hand.Close)
	for _, s := range []byhand.System{hand.System, {Name: byhand.InP4, Ingress: p4.Ingress, Egress: p4.Egress}} {
		for _, p := range []struct {
			name   string
			packet []byte
			ends   bool
		}{{"plain", plain(), false}, {"message", message(onepipe.Data), false}, {"beacon that raises nothing", message(onepipe.Beacon), true}} {
			c := &program.Program{Case: p.name + ", ingress", System: s.Name, Prog: s.Ingress, Front: program.Front(uint16(from)), Packet: p.packet, Verdict: program.Redirect}
			if p.ends {
				c.Verdict = program.Drop
			}
			meta, after, err := c.Once()
			if err != nil {
				return nil, nil, err
			}
			cases = append(cases, c)
			if !p.ends {
				e := &program.Program{Case: p.name + ", egress", System: s.Name, Prog: s.Egress, Front: program.Leaves(meta, uint16(to)), Packet: append([]byte(nil), after...), Verdict: program.Pass}
				_, leaves, err := e.Once()
				if err != nil {
					return nil, nil, err
				}
				if err := check(p.packet, leaves); err != nil {
					return nil, nil, fmt.Errorf("%v: %w", e, err)
				}
				cases = append(cases, e)
			}
		}
	}
	return cases, closeAll, nil
}

// held is the barrier of all inputs but one, in units of barriers; that one is ahead.
const held = uint32(now >> names.BarrierShift)

// check looks at what leaves: a message has the barriers of the slowest input, and a right checksum.
func check(came, leaves []byte) error {
	if len(came) != len(leaves) {
		return fmt.Errorf("%d bytes become %d", len(came), len(leaves))
	}
	if binary.BigEndian.Uint16(came[36:]) != onepipe.Port {
		if !bytes.Equal(came, leaves) {
			return errors.New("a plain packet changes")
		}
		return nil
	}
	h := leaves[42:66]
	if be, c := binary.BigEndian.Uint32(h[6:]), binary.BigEndian.Uint32(h[10:]); be != held || c != held {
		return fmt.Errorf("barriers %#x and %#x leave, want %#x", be, c, held)
	}
	if wire.Sum(0, h) != 0xffff || wire.Sum(0, leaves[14:34]) != 0xffff {
		return errors.New("a wrong checksum leaves")
	}
	return nil
}

// plain is a UDP datagram that is not of 1Pipe.
func plain() []byte {
	b := message(onepipe.Data)
	binary.BigEndian.PutUint16(b[36:], 9)
	return b
}

// message is a packet of 1Pipe from a process at from to one at to, ahead of all others by a ms.
func message(op onepipe.Opcode) []byte {
	src, dst, a, z := mac(from), mac(to), ip(from), ip(to)
	b := append(append(append([]byte(nil), dst[:]...), src[:]...), 0x08, 0x00)
	b = append(b, 0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0)
	b = append(append(b, a[:]...), z[:]...)
	b = append(b, onepipe.Port>>8, onepipe.Port&0xff, onepipe.Port>>8, onepipe.Port&0xff, 0, 0, 0, 0)
	be, t := binary.BigEndian, now+1e6
	b = be.AppendUint16(b, uint16(t>>32))
	b = be.AppendUint32(b, uint32(t))
	b = be.AppendUint32(b, uint32(t>>names.BarrierShift))
	b = be.AppendUint32(b, uint32(t>>names.BarrierShift))
	b = be.AppendUint32(b, uint32(op)<<28|1)
	b = be.AppendUint16(b, 1)
	b = be.AppendUint16(b, 1)
	b = append(b, 0, 0)
	h := b[42:]
	be.PutUint16(h[22:], ^wire.Sum(0, h))
	b = append(b, make([]byte, 32)...)
	p := wire.IPv4(b[wire.EthernetLen:])
	p.SetTotalLen(len(p))
	p.SetChecksum()
	wire.UDP(p[wire.IPv4Len:]).SetLen(len(p) - wire.IPv4Len)
	return b
}

func newP4() (*testrun.Switch, error) {
	t, err := testrun.New("onepipe", dataplane.Port(names.PortCPU))
	if err != nil {
		return nil, err
	}
	var replicas []dataplane.Replica
	for i := range uint64(names.Inputs) {
		p := from + dataplane.Port(i)
		t.Insert(names.TableInputs, []uint64{uint64(p)}, names.ActionInput, uint64(names.LinkHost), i/names.Radix, i%names.Radix)
		t.Insert(names.TableSenders, []uint64{uint64(p), ipOf(p), 1}, names.ActionKnown)
		t.Insert(names.TableOutputs, []uint64{uint64(p)}, names.ActionDown, macOf(p)|1<<8, number(own[:]), 0, 0)
		t.Insert(names.TableOwnMAC, []uint64{macOf(p)}, names.ActionMACAt, uint64(p))
		t.Insert(names.TableOwnIP, []uint64{ipOf(p)}, names.ActionIPAt, uint64(p))
		t.Insert(names.TableL2, []uint64{macOf(p)}, names.ActionForward, uint64(p))
		replicas = append(replicas, dataplane.Replica{Port: p, Instance: 1})
	}
	t.Insert(names.TableSwitchIP, []uint64{number(own[:])}, names.ActionToSwitch)
	for g := range uint64(names.Radix) {
		t.Insert(names.TableMembers, []uint64{g}, names.ActionCounts, 15, 15, 15, 15)
	}
	t.Group(uint16(names.OutputsGroup), replicas...)
	for _, reg := range t.Prog.Registers {
		for i := range reg.Size {
			t.Register(reg, i, uint64(held))
		}
	}
	if t.Err != nil {
		t.Close()
		return nil, t.Err
	}
	return t, nil
}

// The layouts are those of the structs in hand.bpf.c; addresses as on the wire.
type (
	handPort struct {
		Link, Place, Output, Known uint32
		Promised                   [2]uint32
		IP                         [4]byte
		MAC                        [8]byte
	}
	handSender struct {
		Port    uint32
		IP      [4]byte
		Process uint32
	}
	handTree struct {
		Links               [names.Inputs]uint32
		Counted, Below, All uint32
	}
)

func newHand() (*byhand.Hand, error) {
	h, err := byhand.NewHand(handObject)
	if err != nil {
		return nil, err
	}
	tree := handTree{Counted: 1<<names.Inputs - 1, Below: held, All: held}
	for i := range uint32(names.Inputs) {
		p := from + dataplane.Port(i)
		m := mac(p)
		var eight [8]byte
		copy(eight[:], m[:])
		h.Put("links", uint32(p), handPort{Link: uint32(names.LinkHost), Place: i, Output: uint32(names.OutputDown), Promised: [2]uint32{held, held}, IP: own, MAC: eight})
		h.Put("senders", handSender{uint32(p), ip(p), 1 << 8}, uint32(1))
		h.Put("macs", eight, uint32(p))
		h.Put("ips", ip(p), uint32(p))
		h.Put("l2", eight, uint32(p))
		h.Port(uint32(p))
		tree.Links[i] = held
	}
	h.Put("own", own, uint32(1))
	h.Group(uint16(names.OutputsGroup), make([]byhand.Copy, names.Inputs))
	for i := range uint32(2) {
		h.Put("trees", i, tree)
	}
	if h.Err != nil {
		h.Close()
		return nil, h.Err
	}
	return h, nil
}
