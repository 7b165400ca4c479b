package main

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/lab/world"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/roce/wire"
)

//go:generate go run ../../cmd/p4xc object hand/hand.bpf.c -o hand/hand.bpf.o

//go:embed hand/hand.bpf.o
var handObject []byte

// benchGroup is the group that both pipelines forward for: four replicas, f of
// them a majority with the leader.
func benchGroup() *world.Group {
	host := func(i int) world.Replica {
		return world.Replica{
			Port: dataplane.Port(i + 1), IP: wire.Addr{10, 66, 0, byte(11 + i)}, MAC: wire.MAC{2, 0x66, 0, 0, 0, byte(11 + i)},
			QPN: uint32(0x11 + i), RKey: uint32(0x1000 + i), VA: 0x7f00_1234_0000 + uint64(i)<<20, AggrQP: uint32(0x200000 + i),
			Delta: wire.PSN(i * 77),
		}
	}
	g := &world.Group{Index: 7, Multicast: 3, F: 2, BCastQP: 0x100007, VKey: 0xabcdef01, Size: 1 << 20, Start: 1000, Sent: 1, Leader: host(0), Neutral: true}
	for i := range 4 {
		g.Replicas = append(g.Replicas, host(1+i))
	}
	return g
}

// write is the leader's request, ack a replica's answer. The ACK is one that a
// quorum has acknowledged before: it is forwarded.
func packets(g *world.Group) (write, ack []byte) {
	write = wire.AppendFrame(nil, &wire.Header{
		SrcMAC: g.Leader.MAC, DstMAC: world.SwitchMAC, Src: g.Leader.IP, Dst: world.SwitchIP, SrcPort: 0xc011, ID: 77,
		Opcode: wire.WriteOnly, AckReq: true, DestQP: g.BCastQP, PSN: g.Start, VA: 4096, RKey: g.VKey, Length: 64,
	}, make([]byte, 64))
	return write, answer(g, g.Replicas[1])
}

// answer is the ACK of a replica for the first request.
func answer(g *world.Group, r world.Replica) []byte {
	return wire.AppendFrame(nil, &wire.Header{
		SrcMAC: r.MAC, DstMAC: world.SwitchMAC, Src: r.IP, Dst: world.SwitchIP, SrcPort: 0xc012, ID: 78,
		Opcode: wire.Acknowledge, DestQP: r.AggrQP, PSN: g.Start.Add(int(r.Delta)), Syndrome: wire.AckSyndrome(names.CreditUnlimited), MSN: 1,
	}, nil)
}

// setup loads both pipelines with the same group and returns the cases.
func setup() ([]*measurement, func(), error) {
	g := benchGroup()
	write, ack := packets(g)

	prog, err := world.Compile()
	if err != nil {
		return nil, nil, err
	}
	object, err := bpf.Object("rdma")
	if err != nil {
		return nil, nil, err
	}
	target, err := xdp.New(xdp.Config{CPUPort: dataplane.Port(names.PortCPU), PacketTest: true})
	if err != nil {
		return nil, nil, err
	}
	if err := target.Load(&dataplane.Pipeline{Program: prog, Object: object}); err != nil {
		return nil, nil, err
	}
	if err := g.Apply(prog, target); err != nil {
		return nil, nil, err
	}
	// The quorum holds what the ACK says before the measurement begins.
	for i, r := range g.Replicas {
		if _, err := target.Inject(r.Port, answer(g, r)); err != nil {
			return nil, nil, fmt.Errorf("replica %d: %w", i, err)
		}
	}

	hand, err := loadHand(g)
	if err != nil {
		return nil, nil, fmt.Errorf("hand-written pipeline: %w", err)
	}
	in, err := target.TestProgram("test_ingress")
	if err != nil {
		return nil, nil, err
	}
	eg, err := target.TestProgram("test_egress")
	if err != nil {
		return nil, nil, err
	}
	front := func(port dataplane.Port) []byte {
		b := make([]byte, 16)
		binary.NativeEndian.PutUint64(b, 1)
		binary.NativeEndian.PutUint16(b[8:], uint16(port))
		return b
	}
	cases := []*measurement{
		{name: "plain redirect", kind: "ingress", prog: hand.Programs["plain_redirect"], packet: write, verdict: xdpRedirect},
		{name: "scatter ingress, by hand", kind: "ingress", prog: hand.Programs["hand_ingress"], front: front(1), packet: write, verdict: xdpRedirect},
		{name: "scatter ingress, P4", kind: "ingress", prog: in, front: front(1), packet: write, verdict: xdpRedirect},
		{name: "gather ingress, by hand", kind: "ingress", prog: hand.Programs["hand_ingress"], front: front(3), packet: ack, verdict: xdpRedirect},
		{name: "gather ingress, P4", kind: "ingress", prog: in, front: front(3), packet: ack, verdict: xdpRedirect},
	}
	// The egress starts from what the ingress made of the packet.
	for _, c := range []struct {
		name    string
		prog    *ebpf.Program
		ingress *measurement
		port    dataplane.Port
	}{
		{"scatter egress, by hand", hand.Programs["hand_egress"], cases[1], 3},
		{"scatter egress, P4", eg, cases[2], 3},
		{"gather egress, by hand", hand.Programs["hand_egress"], cases[3], 1},
		{"gather egress, P4", eg, cases[4], 1},
	} {
		_, meta, packet, err := c.ingress.runOnce()
		if err != nil {
			return nil, nil, err
		}
		meta = append([]byte(nil), meta...)
		binary.NativeEndian.PutUint16(meta[10:], uint16(c.port))
		cases = append(cases, &measurement{name: c.name, kind: "egress", prog: c.prog, front: meta, packet: append([]byte(nil), packet...), verdict: xdpPass})
	}
	return cases, func() { hand.Close(); target.Close() }, nil
}

// loadHand loads the hand-written programs and fills their maps for the group.
// The layouts are those of the structs in hand.bpf.c.
func loadHand(g *world.Group) (*ebpf.Collection, error) {
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(handObject))
	if err != nil {
		return nil, err
	}
	c, err := ebpf.NewCollection(spec)
	if err != nil {
		return nil, err
	}
	put := func(name string, key, value any) {
		if err == nil {
			if e := c.Maps[name].Put(key, value); e != nil {
				err = fmt.Errorf("map %s: %w", name, e)
			}
		}
	}
	type qpKey struct {
		Src, Dst [4]byte
		QP, Port uint32
	}
	type qpValue struct {
		Role, RKey, RegionMask, Delta, ICRC uint32
		Group, Multicast, LeaderPort        uint16
		Slot, Members, F                    uint8
		Pad                                 [3]uint8
	}
	type endpoint struct {
		Base                              uint64
		DstIP                             [4]byte
		DstQP, Delta, RKey, ICRC, ICRCKey uint32
		SrcMAC, DstMAC                    [6]byte
		Neutral                           uint32
	}
	type leader struct {
		DstIP          [4]byte
		DstQP          uint32
		SrcMAC, DstMAC [6]byte
		Neutral        uint32
	}
	type state struct {
		Held, Credit    [names.Slots]uint64
		Committed, Sent uint32
	}
	sw := [4]byte(world.SwitchIP)
	l := g.Leader
	put("qps", qpKey{[4]byte(l.IP), sw, g.BCastQP, uint32(l.Port)}, qpValue{Role: uint32(names.RoleScatter), RKey: g.VKey, RegionMask: uint32(-int64(g.Size)),
		Group: g.Index, Multicast: g.Multicast, Members: uint8(1<<len(g.Replicas) - 1)})
	put("leaders", uint32(g.Index), leader{[4]byte(l.IP), l.QPN, [6]byte(world.SwitchMAC), [6]byte(l.MAC), 1})
	psn := uint64(g.Start) * names.PSNOne
	st := state{Committed: uint32(psn), Sent: uint32(psn)}
	for i := range st.Held {
		st.Held[i], st.Credit[i] = psn<<32, psn<<32|names.CreditUnlimited
	}
	put("states", uint32(g.Index), st)
	for i, r := range g.Replicas {
		f := g.Corrections(i)
		put("qps", qpKey{[4]byte(r.IP), sw, r.AggrQP, uint32(r.Port)}, qpValue{Role: uint32(names.RoleGather), Delta: uint32(r.Delta) * names.PSNOne, ICRC: f.ToLeader, Group: g.Index,
			LeaderPort: uint16(l.Port), Slot: uint8(i), Members: uint8(1<<len(g.Replicas) - 1), F: uint8(g.F)})
		put("endpoints", uint32(g.RID(i)), endpoint{Base: r.VA, DstIP: [4]byte(r.IP), DstQP: r.QPN, Delta: uint32(r.Delta) * names.PSNOne, RKey: r.RKey,
			ICRC: f.ToReplica, ICRCKey: f.RKey, SrcMAC: [6]byte(world.SwitchMAC), DstMAC: [6]byte(r.MAC), Neutral: 1})
		put("copies", struct {
			Group, Port uint16
			Index       uint32
		}{g.Multicast, uint16(r.Port), 0}, uint32(g.RID(i)))
	}
	var crcs [8][256]uint32 // row i: the CRC of a byte with i zero bytes behind it
	crcs[0] = *crc32.IEEETable
	for i := range 7 {
		for b, v := range crcs[i] {
			crcs[i+1][b] = v>>8 ^ crcs[0][byte(v)]
		}
	}
	put("crcs", uint32(0), crcs)
	var fixes [11][256]uint32
	for i := range 3 {
		fixes[i] = icrc.Table(icrc.BTHPSN + icrc.Position(i))
	}
	for i := range 8 {
		fixes[3+i] = icrc.Table(icrc.RETHVA + icrc.Position(i))
	}
	put("fixes", uint32(0), fixes)
	put("routes", [4]byte(world.SwitchIP), uint32(2))
	dev := struct{ Ifindex, Prog uint32 }{1, 0}
	for port := range uint32(16) {
		put("ports", port, dev)
	}
	inner, e := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.DevMapHash, KeySize: 4, ValueSize: 8, MaxEntries: 16})
	if e != nil {
		return nil, e
	}
	put("groups", uint32(g.Multicast), inner)
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}
