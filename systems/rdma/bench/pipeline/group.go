package pipeline

import (
	"errors"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/xdp"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
)

const (
	maxGroups = int(names.MaxGroups)
	payload   = 64 // bytes
	answering = 0  // the slot whose ACKs are measured
)

// newGroup is a group that both pipelines forward for: a majority of it, with the leader,
// is a quorum. Hosts have numbers from 0, and the port above their number. QPs of groups
// differ in their low bits only: a generator counts on it.
func newGroup(index, replicas, leader, first int) *world.Group {
	host := func(n, slot int) world.Replica {
		return world.Replica{
			Port: port(n), IP: wire.Addr{10, 66, 0, byte(11 + n)}, MAC: wire.MAC{2, 0x66, 0, 0, 0, byte(11 + n)},
			QPN: uint32(0x11 + n), RKey: uint32(0x1000 + n), VA: 0x7f00_1234_0000 + uint64(n)<<20, AggrQP: uint32(0x200000 + slot<<12 + index),
			Delta: wire.PSN(n * 77),
		}
	}
	g := &world.Group{Index: uint16(index), Multicast: names.MulticastGroup(uint16(index)), F: max(1, replicas/2), BCastQP: uint32(0x100000 + index), VKey: 0xabcdef01,
		Size: 1 << 20, Start: 1000, Sent: 1, Leader: host(leader, 0), Neutral: true}
	for i := range replicas {
		g.Replicas = append(g.Replicas, host(first+i, i))
	}
	return g
}

// apply programs a group, whose replicas hold the first request: an ACK of it is said
// again, and forwarded.
func apply(target *xdp.Target, g *world.Group) error {
	prog, err := builtin.Load("rdma")
	if err != nil {
		return err
	}
	if err := g.Apply(prog.IR, target); err != nil {
		return err
	}
	held := dataplane.Bytes(uint64(g.Start)*names.PSNOne, 32)
	write := func(name string, fields ...[]byte) {
		err = errors.Join(err, target.WriteRegister(dataplane.RegisterOf(prog.IR, name), int(g.Index), fields))
	}
	write(names.RegisterCommitted, held)
	for i := range g.Replicas {
		write(names.SlotRegister(i), held, dataplane.Bytes(0, 32))
		write(names.CreditRegister(i), held, dataplane.Bytes(names.CreditUnlimited, 32))
	}
	return err
}

// packets are the leader's request and the ACK that is measured.
func packets(g *world.Group) (write, ack []byte) {
	write = wire.AppendFrame(nil, &wire.Header{
		SrcMAC: g.Leader.MAC, DstMAC: world.SwitchMAC, Src: g.Leader.IP, Dst: world.SwitchIP, SrcPort: 0xc011, ID: 77,
		Opcode: wire.WriteOnly, AckReq: true, DestQP: g.BCastQP, PSN: g.Start, VA: 4096, RKey: g.VKey, Length: payload,
	}, make([]byte, payload))
	r := g.Replicas[answering]
	ack = wire.AppendFrame(nil, &wire.Header{
		SrcMAC: r.MAC, DstMAC: world.SwitchMAC, Src: r.IP, Dst: world.SwitchIP, SrcPort: 0xc012, ID: 78,
		Opcode: wire.Acknowledge, DestQP: r.AggrQP, PSN: g.Start.Add(int(r.Delta)), Syndrome: wire.AckSyndrome(names.CreditUnlimited), MSN: 1,
	}, nil)
	return write, ack
}

// plain is a packet of one host to another, which is none of a group's.
func plain(from, to world.Replica) []byte {
	return wire.AppendFrame(nil, &wire.Header{
		SrcMAC: from.MAC, DstMAC: to.MAC, Src: from.IP, Dst: to.IP, SrcPort: 0xc013, ID: 79,
		Opcode: wire.WriteOnly, AckReq: true, DestQP: to.QPN, PSN: 1000, VA: to.VA, RKey: to.RKey, Length: payload,
	}, make([]byte, payload))
}

// forwarding programs the hosts of a group as hosts of a network.
func forwarding(target *xdp.Target, g *world.Group) error {
	prog, err := builtin.Load("rdma")
	if err != nil {
		return err
	}
	for _, h := range append([]world.Replica{g.Leader}, g.Replicas...) {
		mac := uint64(0)
		for _, b := range h.MAC {
			mac = mac<<8 | uint64(b)
		}
		if err := target.Insert(dataplane.NewEntry(prog.IR, names.TableL2, []uint64{mac}, 0, names.ActionForward, uint64(h.Port))); err != nil {
			return err
		}
	}
	return nil
}
