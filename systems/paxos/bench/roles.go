package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bench/program"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/frames"
)

// Places in the network: addresses are 10.0.0.N, ports N, MAC addresses end in N.
type place byte

const (
	leaderAt   place = 1
	acceptorAt place = 10 // and following
	learnerAt  place = 20
	proposerAt place = 30
	replicaAt  place = 40
)

func (p place) addr() netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4(p.ip()), uint16(udpPort))
}
func (p place) ip() [4]byte   { return [4]byte{10, 0, 0, byte(p)} }
func (p place) ip32() uint64  { return 10<<24 | uint64(p) }
func (p place) mac() wire.MAC { return wire.MAC{2, 0, 0, 0, 0, byte(p)} }
func (p place) mac48() uint64 { return 0x020000000000 | uint64(p) }

const (
	application = 1
	life        = 77
	round       = 5 // of leaderAt, with three acceptors
	acceptors   = 3
	last        = 1 << 30 // instance that may be used
	group       = 2       // multicast
	udpPort     = uint64(names.PortFirst)
	frameSize   = 102                     // bytes of a message of two pieces, as in the paper
	messageSize = frameSize - 14 - 20 - 8 // without Ethernet, IPv4 and UDP
)

// frame is a message on the wire.
func frame(from, to place, m paxos.Message) ([]byte, error) {
	m.Value = []byte("0123456789abcdef0123456789abcdef")
	kind := m.Kind
	if kind == paxos.Accept {
		m.Kind = paxos.Request // a leader's switch makes it of one, and no longer
	}
	payload, err := m.Append(nil)
	if err != nil {
		return nil, err
	}
	payload[0] = byte(kind)
	b := frames.Append(nil, from.mac(), to.mac(), from.addr(), to.addr(), payload)
	if len(b) != frameSize {
		return nil, fmt.Errorf("a message of %d bytes, want %d", len(b), frameSize)
	}
	return b, nil
}

// copyTo is a copy of what a role has made of a message.
type copyTo struct {
	want     names.Became
	kind     names.Message
	from, to place
}

// role is what a switch is, and the messages that it gets in turn, for instance 1.
type role struct {
	name     string
	switches func(*device) error // sets up a switch of the generated program
	hand     func(*device) error // and the one by hand; nil: there is none
	from     []place
	to       place
	messages []paxos.Message
	copies   []copyTo
	step     bool // messages have an instance
	answered int  // which of the messages goes out, from 0
}

// out is how many messages go out for one that comes in.
func (r *role) out() float64 { return float64(max(1, len(r.copies))) / float64(len(r.from)) }

func roles() []role {
	vote := func(i int) paxos.Message {
		return paxos.Message{Kind: paxos.Vote, Acceptor: uint8(i), Instance: 1, Round: round, Client: 9, Sequence: 101}
	}
	request := paxos.Message{Kind: paxos.Request, Client: 9, Sequence: 1}
	accepts := func(n place) (out []copyTo) {
		for i := range n {
			out = append(out, copyTo{names.BecameAccept, names.MsgAccept, leaderAt, acceptorAt + i})
		}
		return out
	}
	delivers := []copyTo{{names.BecameDeliver, names.MsgDeliver, learnerAt, replicaAt}}
	return []role{
		{name: Forwarding, switches: (*device).forwarder, hand: (*device).handForwarder, from: []place{proposerAt}, to: replicaAt, messages: []paxos.Message{request}},
		{name: Leader, switches: (*device).leader, hand: (*device).handLeader, from: []place{proposerAt}, to: leaderAt, messages: []paxos.Message{request}, copies: accepts(1)},
		{name: Leader3, switches: (*device).leader, hand: (*device).handLeader, from: []place{proposerAt}, to: leaderAt, messages: []paxos.Message{request}, copies: accepts(acceptors)},
		{name: Acceptor, switches: (*device).acceptor, hand: (*device).handAcceptor, from: []place{leaderAt}, to: acceptorAt,
			messages: []paxos.Message{{Kind: paxos.Accept, Instance: 1, Round: round, Client: 9, Sequence: 101}},
			copies:   []copyTo{{names.BecameVote, names.MsgVote, acceptorAt, learnerAt}}, step: true},
		{name: Learner, switches: (*device).learner, hand: (*device).handLearner, from: []place{acceptorAt, acceptorAt + 1, acceptorAt + 2}, to: learnerAt,
			messages: []paxos.Message{vote(0), vote(1), vote(2)}, copies: delivers, step: true, answered: 1},
		{name: AllRoles, switches: (*device).all, from: []place{proposerAt}, to: leaderAt, messages: []paxos.Message{request}, copies: delivers},
	}
}

// device is a switch without ports, for test runs. Errors are kept.
type device struct {
	role   *role
	target *xdp.Target
	prog   *ir.Program
	hand   *ebpf.Collection
	err    error
}

func (d *device) Close() error {
	if d.hand != nil {
		d.hand.Close()
		return nil
	}
	return d.target.Close()
}

// newSwitch makes a switch of the generated program.
func newSwitch(r *role) (*device, error) {
	d := &device{role: r}
	pipeline, err := builtin.Pipeline("paxos")
	if err != nil {
		return nil, err
	}
	d.prog = pipeline.Program
	if d.target, err = xdp.New(xdp.Config{CPUPort: dataplane.Port(names.PortCPU), PacketTest: true}); err != nil {
		return nil, err
	}
	if err := d.target.Load(pipeline); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := errors.Join(r.switches(d), d.err); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", r.name, err), d.Close())
	}
	return d, nil
}

func (d *device) insert(table string, keys []uint64, action string, args ...uint64) {
	if d.err == nil {
		d.err = d.target.Insert(dataplane.NewEntry(d.prog, table, keys, 0, action, args...))
	}
}

func (d *device) write(register string, v uint64) {
	if d.err == nil {
		d.err = d.target.WriteRegister(dataplane.RegisterOf(d.prog, register), application, [][]byte{dataplane.Bytes(v, 32)})
	}
}

// at gives the switch an address of a role, with its registers.
func (d *device) at(at names.At, where place) {
	d.insert(names.TableService, []uint64{where.ip32(), udpPort}, names.ActionRole, uint64(at), application, life)
	d.write(names.RegisterLife, life)
	d.write(names.RegisterFirst, 1)
	d.write(names.RegisterLast, last)
}

// copies makes the multicast group; replication ids are from 1 on.
func (d *device) copies() {
	var rs []dataplane.Replica
	for i, c := range d.role.copies {
		rs = append(rs, dataplane.Replica{Port: dataplane.Port(c.to), Instance: uint16(i + 1)})
		d.insert(names.TableCopies, []uint64{uint64(i + 1)}, names.ActionTo, uint64(c.want), uint64(c.kind), c.from.mac48(), c.to.mac48(), c.from.ip32(), c.to.ip32(), udpPort)
	}
	if d.err == nil {
		d.err = d.target.SetGroup(group, rs)
	}
}

func (d *device) forwarder() error {
	d.insert(names.TableL2, []uint64{replicaAt.mac48()}, names.ActionForward, uint64(replicaAt))
	return nil
}

func (d *device) leader() error {
	d.at(names.AtLeader, leaderAt)
	d.write(names.RegisterNext, 1)
	d.insert(names.TableLeader, []uint64{application, uint64(names.AtLeader), uint64(names.MsgRequest)}, names.ActionLead, round, group)
	d.insert(names.TableProposers, []uint64{application, proposerAt.ip32(), uint64(proposerAt)}, names.ActionMayPropose)
	d.copies()
	return nil
}

func (d *device) acceptor() error {
	d.at(names.AtAcceptor, acceptorAt)
	d.insert(names.TableAcceptor, []uint64{application, uint64(names.AtAcceptor)}, names.ActionVoteAs, 0, 1, group, 0)
	d.insert(names.TableRounds, []uint64{application, round, leaderAt.ip32(), uint64(leaderAt)}, names.ActionOwned)
	d.copies()
	return nil
}

func (d *device) learner() error {
	d.at(names.AtLearner, learnerAt)
	d.insert(names.TableMembers, []uint64{application, round}, names.ActionLearnFor, acceptors, group)
	for i := range place(acceptors) {
		d.insert(names.TableVoters, []uint64{uint64(names.AtLearner), application, round, (acceptorAt + i).ip32(), uint64(i), uint64(acceptorAt + i)}, names.ActionVoter, 1<<i)
	}
	d.copies()
	return nil
}

// all is a switch with every role, alone: what it is asked for is chosen at once.
func (d *device) all() error {
	d.at(names.AtLeader, leaderAt)
	d.write(names.RegisterNext, 1)
	d.insert(names.TableLeader, []uint64{application, uint64(names.AtLeader), uint64(names.MsgRequest)}, names.ActionLead, round, group)
	d.insert(names.TableProposers, []uint64{application, proposerAt.ip32(), uint64(proposerAt)}, names.ActionMayPropose)
	d.insert(names.TableAcceptor, []uint64{application, uint64(names.AtLeader)}, names.ActionVoteAs, 0, 1, group, 1)
	d.insert(names.TableMembers, []uint64{application, round}, names.ActionLearnFor, 1, group)
	d.copies()
	return nil
}

// measuredRole is a role in a system, with what is timed of it.
type measuredRole struct {
	role            *role
	system          string
	device          *device
	ingress, egress *program.Fresh
}

func (m *measuredRole) close() {
	for _, t := range []*program.Fresh{m.ingress, m.egress} {
		if t != nil {
			t.Close()
		}
	}
	m.device.Close()
}

// ready makes what is timed, and sees on the way that the messages become what they should.
func (m *measuredRole) ready() error {
	in, eg := "test_ingress", "test_egress"
	find := m.device.target.TestProgram
	if m.device.hand != nil {
		in, eg = "hand_ingress", "hand_egress"
		find = func(name string) (*ebpf.Program, error) { return m.device.hand.Programs[name], nil }
	}
	ingress, err := find(in)
	if err != nil {
		return err
	}
	egress, err := find(eg)
	if err != nil {
		return err
	}
	plan := program.Plan{Checksum: frameSize - messageSize - 2, First: 1} // the first instance is seen below
	if m.role.step {
		plan.Steps = []program.Step{{At: frameSize - messageSize + 4, Mask: 1<<32 - 1}} // the instance
	}
	for i, from := range m.role.from {
		b, err := frame(from, m.role.to, m.role.messages[i])
		if err != nil {
			return err
		}
		plan.Turns = append(plan.Turns, program.Turn{Front: program.Front(uint16(from)), Packet: b, Verdict: program.Drop})
	}
	// The egress gets what the ingress makes of the packet.
	var meta, after []byte
	plan.Turns[m.role.answered].Verdict = program.Redirect
	for i, t := range plan.Turns {
		in := append(append([]byte(nil), t.Front...), t.Packet...)
		var md program.XDP
		o := &ebpf.RunOptions{Data: in, DataOut: make([]byte, 4096), Context: program.XDP{Data: 16, DataEnd: uint32(len(in))}, ContextOut: &md}
		verdict, err := ingress.Run(o)
		if err != nil {
			return err
		}
		if i == m.role.answered {
			meta, after = o.DataOut[:md.Data], o.DataOut[md.Data:]
		}
		if verdict != t.Verdict {
			return fmt.Errorf("%s, %s: the ingress says %d of packet %d, want %d", m.role.name, m.system, verdict, i, t.Verdict)
		}
	}
	out := replicaAt
	if len(m.role.copies) > 0 {
		out = m.role.copies[0].to
	}
	meta = append([]byte(nil), meta...)
	binary.NativeEndian.PutUint64(meta, 1<<40)
	binary.NativeEndian.PutUint16(meta[10:], uint16(out))
	one := append(append([]byte(nil), meta...), after...)
	var md program.XDP
	o := &ebpf.RunOptions{Data: one, DataOut: make([]byte, 4096), Context: program.XDP{Data: uint32(len(meta)), DataEnd: uint32(len(one))}, ContextOut: &md}
	verdict, err := egress.Run(o)
	if err != nil {
		return err
	}
	if verdict != program.Pass {
		return fmt.Errorf("%s, %s: the egress says %d, want %d", m.role.name, m.system, verdict, program.Pass)
	}
	if err := m.check(o.DataOut[md.Data:]); err != nil {
		return fmt.Errorf("%s, %s: %w", m.role.name, m.system, err)
	}
	if m.ingress, err = program.NewFresh(ingress, plan); err != nil {
		return err
	}
	m.egress, err = program.NewFresh(egress, program.Plan{Turns: []program.Turn{{Front: meta, Packet: after, Verdict: program.Pass}}})
	return err
}

// check looks at the first message that has come out.
func (m *measuredRole) check(b []byte) error {
	if len(b) != frameSize || !bytes.Equal(b[12:15], []byte{0x08, 0x00, 0x45}) || b[23] != 17 {
		return fmt.Errorf("what comes out is no message: % x", b)
	}
	var got paxos.Message
	if err := got.Parse(b[frameSize-messageSize:]); err != nil {
		return err
	}
	if wire.Sum(0, b[14:34]) != 0xffff || wire.SumUDP(wire.Addr(b[26:30]), wire.Addr(b[30:34]), b[34:]) != 0xffff {
		return errors.New("a wrong checksum comes out")
	}
	kind, from := uint8(paxos.Request), proposerAt
	if len(m.role.copies) > 0 {
		kind, from = uint8(m.role.copies[0].kind), m.role.copies[0].from
		if got.Instance != 1 || got.Round != round {
			return fmt.Errorf("instance %d in round %d comes out", got.Instance, got.Round)
		}
	}
	if src := [4]byte(b[26:30]); uint8(got.Kind) != kind || src != from.ip() {
		return fmt.Errorf("%v comes out, from %v", got.Kind, src)
	}
	return nil
}

// measureRoles measures every role in every system, in turns, on one CPU.
func measureRoles(ctx context.Context, o Options, r *report.Result) error {
	var all []*measuredRole
	defer func() {
		for _, m := range all {
			m.close()
		}
	}()
	list := roles()
	for i := range list {
		x := &list[i]
		for _, s := range []struct {
			system string
			make   func(*role) (*device, error)
		}{{byHand, newHand}, {inP4, newSwitch}} {
			if s.system == byHand && x.hand == nil {
				continue
			}
			o.Progress("roles: %s, %s", x.name, s.system)
			d, err := s.make(x)
			if err != nil {
				return err
			}
			m := &measuredRole{role: x, system: s.system, device: d}
			all = append(all, m)
			if err := m.ready(); err != nil {
				return err
			}
		}
	}
	return program.OnCPU(func() error {
		for i := -1; i < o.Repetitions; i++ { // the first warms up
			o.Progress("roles: %d of %d", i+1, o.Repetitions)
			for _, m := range all {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				in, err := m.ingress.NS(o.Runs)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", m.role.name, m.system, err)
				}
				out, err := m.egress.NS(o.Runs)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", m.role.name, m.system, err)
				}
				if i < 0 {
					continue
				}
				r.Add(report.Point{Metric: Ingress, Case: m.role.name}, m.system, i, in)
				r.Add(report.Point{Metric: Egress, Case: m.role.name}, m.system, i, out)
				all := in + out*m.role.out()
				r.Add(report.Point{Metric: PerMessage, Case: m.role.name}, m.system, i, all)
				r.Add(report.Point{Metric: PerSecond, Case: m.role.name}, m.system, i, 1e3/all)
			}
		}
		return nil
	})
}
