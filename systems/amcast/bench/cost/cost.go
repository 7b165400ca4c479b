// Package cost measures what a packet of P4mCast costs the switch's program, beside the same in C by hand, and beside a packet that is
// only forwarded: CPU time of test runs in the kernel, without drivers and the copying of frames.
//
//	case                      what the switch is                  what comes                       what leaves
//	START                     leader of group 7                   from a client                    PROP to members, ACK to deliverers
//	PROP                      follower of group 8                 from the leader                  ACK to deliverers
//	ACK that decides          deliverer of group 9, of 3 members  from a follower, the second one  DELIVER to replicas
//	ACK that does not decide  the same                            from a follower, the first one   nothing
//	ACK with a watermark      the same                            from the leader, of group 7's    MARK to replicas
//	plain                                                         from a host                      the same
//
// Each packet is of another message: 4,096 of them, in all cells of a role, and then the next ones in each cell.
package cost

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/bench/byhand"
	"github.com/p4ce/p4ce/bench/program"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/systems/amcast"
)

//go:generate go run ../../../../cmd/p4xc object hand/hand.bpf.c -o hand/hand.bpf.o

//go:embed hand/hand.bpf.o
var handObject []byte

// Benchmark is the comparison.
func Benchmark() *byhand.Benchmark {
	return &byhand.Benchmark{Name: "amcast-switch", Title: "What a packet of P4mCast costs the switch's program", Setup: setup}
}

// both are the two programs, with the same tables.
func both() (systems []byhand.System, closeAll func(), err error) {
	p4, err := newP4()
	if err != nil {
		return nil, nil, fmt.Errorf("P4: %w", err)
	}
	hand, err := newHand()
	if err != nil {
		p4.Close()
		return nil, nil, err
	}
	return []byhand.System{hand.System, {Name: byhand.InP4, Ingress: p4.Ingress, Egress: p4.Egress}}, func() { hand.Close(); p4.Close() }, nil
}

// measured is a packet of a case, and what both programs say of it.
type measured struct {
	name    string
	port    dataplane.Port
	packet  []byte
	verdict uint32
	steps   []program.Step
	before  *measured      // comes first, and is not measured
	out     dataplane.Port // where a copy leaves that is measured, too; 0: none is
}

// Where numbers are in a packet: the 32 bits at them.
const (
	front      = 42
	atClient   = front + 8 // the client is the higher half
	atNumber   = front + 12
	atLTS      = front + 20
	atSeq      = front + 24
	atChecksum = front + 46
)

// batch is how many cells a role has.
const batch = amcast.MaxClients * amcast.Window

// A round is another message: of each client one, and then the next of each.
var (
	nextClient = program.Step{At: atClient, Mask: amcast.MaxClients - 1, Left: 16}
	nextNumber = program.Step{At: atNumber, Right: 8, Mask: 1<<24 - 1}
	nextLow    = program.Step{At: atSeq, Right: 8, Mask: 1<<24 - 1}
	nextLTS    = program.Step{At: atLTS, Mask: 1<<32 - 1}
	nextSeq    = program.Step{At: atSeq, Mask: 1<<32 - 1}
)

func cases() []measured {
	id := amcast.ID{Client: 0, Number: 64}
	first := ack(id, 1)
	steps := []program.Step{nextClient, nextNumber}
	ofLeader := measured{name: "ACK of the leader", port: links, packet: ack(id, 0).frame(), verdict: program.Drop, steps: steps}
	return []measured{
		{name: "plain", port: client, packet: plain(), verdict: program.Redirect, out: replica1},
		{name: "START", port: client, packet: start(id).frame(), verdict: program.Redirect, steps: []program.Step{nextClient, nextNumber, nextLow}, out: links},
		{name: "PROP", port: links, packet: prop(id, 1, 1).frame(), verdict: program.Redirect, steps: []program.Step{nextClient, nextNumber, nextLTS, nextSeq}, out: links},
		{name: "ACK that decides", port: links, packet: first.frame(), verdict: program.Redirect, steps: steps, before: &ofLeader, out: replica1},
		{name: "ACK that does not decide", port: links, packet: first.frame(), verdict: program.Drop, steps: steps},
		{name: "ACK with a watermark", port: links, packet: watermark(id).frame(), verdict: program.Redirect, steps: steps, out: replica1},
	}
}

// setup loads both programs for each case, whose messages are the first for its cells, and returns what is measured.
func setup() (list []*program.Program, closer func(), err error) {
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
	for _, m := range cases() {
		systems, closePrograms, err := both()
		if err != nil {
			return nil, nil, err
		}
		closers = append(closers, closePrograms)
		var leaves [][]byte
		for _, s := range systems {
			programs, out, closePackets, err := m.programs(s)
			if err != nil {
				return nil, nil, err
			}
			closers = append(closers, closePackets)
			list, leaves = append(list, programs...), append(leaves, out)
		}
		if !bytes.Equal(leaves[0], leaves[1]) {
			return nil, nil, fmt.Errorf("%s: %s sends % x, and %s % x", m.name, systems[0].Name, leaves[0], systems[1].Name, leaves[1])
		}
	}
	return list, closeAll, nil
}

// programs are what is measured of a system, and what leaves for the first message.
func (m *measured) programs(s byhand.System) (list []*program.Program, leaves []byte, closer func(), err error) {
	var packets []*program.Fresh
	closeAll := func() {
		for _, f := range packets {
			f.Close()
		}
	}
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	fresh := func(m *measured) (*program.Fresh, error) {
		f, err := program.NewFresh(s.Ingress, program.Plan{Turns: []program.Turn{{Front: program.Front(uint16(m.port)), Packet: m.packet, Verdict: m.verdict}},
			Steps: m.steps, Checksum: atChecksum, First: 1}) // the first is sent below
		if err == nil {
			packets = append(packets, f)
		}
		return f, err
	}
	c := m.ingress(s)
	if m.before != nil {
		if _, _, err := m.before.ingress(s).Once(); err != nil {
			return nil, nil, nil, err
		}
	}
	meta, after, err := c.Once()
	if err != nil {
		return nil, nil, nil, err
	}
	if m.steps != nil {
		if c.Fresh, err = fresh(m); err != nil {
			return nil, nil, nil, err
		}
	}
	if m.before != nil {
		before, err := fresh(m.before)
		if err != nil {
			return nil, nil, nil, err
		}
		c.Fresh.After(before, batch)
	}
	list = []*program.Program{c}
	if m.out != 0 {
		e := &program.Program{Case: m.name + ", egress", System: s.Name, Prog: s.Egress, Front: program.Leaves(meta, uint16(m.out)), Packet: slices.Clone(after), Verdict: program.Pass}
		_, out, err := e.Once()
		if err != nil {
			return nil, nil, nil, err
		}
		list, leaves = append(list, e), slices.Clone(out)
	}
	return list, leaves, closeAll, nil
}

// ingress is what comes in.
func (m *measured) ingress(s byhand.System) *program.Program {
	return &program.Program{Case: m.name + ", ingress", System: s.Name, Prog: s.Ingress, Front: program.Front(uint16(m.port)), Packet: m.packet, Verdict: m.verdict}
}
