package pipeline

import (
	"bytes"
	_ "embed"
	"fmt"
	"hash/crc32"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bench/byhand"
	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
)

//go:generate go run ../../../../cmd/p4xc object hand/hand.bpf.c -o hand/hand.bpf.o
//go:generate go run ../../../../cmd/p4xc object hand/wire.bpf.c -o hand/wire.bpf.o

//go:embed hand/hand.bpf.o
var handObject []byte

//go:embed hand/wire.bpf.o
var wireObject []byte

// loopback stands for the interface of every port in test runs, where nothing is sent.
func loopback(dataplane.Port) int { return 1 }

func load(object []byte) (*ebpf.Collection, error) {
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	if err != nil {
		return nil, err
	}
	return ebpf.NewCollection(spec)
}

// putter puts elements into a collection's maps until one cannot be put.
type putter struct {
	c   *ebpf.Collection
	err error
}

func (p *putter) put(name string, key, value any) {
	if p.err == nil {
		if err := p.c.Maps[name].Put(key, value); err != nil {
			p.err = fmt.Errorf("map %s: %w", name, err)
		}
	}
}

// The layouts are those of the structs in hand.bpf.c.
type (
	qpKey struct {
		Src, Dst [4]byte
		QP, Port uint32
	}
	qpValue struct {
		Role, RKey, RegionMask, Delta, ICRC uint32
		Group, Multicast, LeaderPort        uint16
		Slot, Members, F                    uint8
		Pad                                 [3]uint8
	}
	endpoint struct {
		Base                              uint64
		DstIP                             [4]byte
		DstQP, Delta, RKey, ICRC, ICRCKey uint32
		SrcMAC, DstMAC                    [6]byte
		Neutral                           uint32
	}
	leader struct {
		DstIP          [4]byte
		DstQP          uint32
		SrcMAC, DstMAC [6]byte
		Neutral        uint32
	}
	groupState struct {
		Held, Credit    [names.Slots]uint64
		Committed, Sent uint32
	}
	device struct{ Ifindex, Prog uint32 }
)

// loadHand loads the hand-written programs and fills their maps for groups. ifindex has
// the interface of each port; egress says whether what leaves there goes through the egress
// program, which a plain redirect does not.
func loadHand(gs []*world.Group, ifindex func(dataplane.Port) int, egress bool) (*ebpf.Collection, error) {
	c, err := load(handObject)
	if err != nil {
		return nil, err
	}
	p := &putter{c: c}
	p.tables()
	for _, g := range gs {
		p.group(g, ifindex, egress)
	}
	if p.err != nil {
		c.Close()
		return nil, p.err
	}
	return c, nil
}

// tables are what does not depend on groups.
func (p *putter) tables() {
	var crcs [8][256]uint32 // row i: the CRC of a byte with i zero bytes behind it
	crcs[0] = *crc32.IEEETable
	for i := range 7 {
		for b, v := range crcs[i] {
			crcs[i+1][b] = v>>8 ^ crcs[0][byte(v)]
		}
	}
	p.put("crcs", uint32(0), crcs)
	var fixes [11][256]uint32
	for i := range 3 {
		fixes[i] = icrc.Table(icrc.BTHPSN + icrc.Position(i))
	}
	for i := range 8 {
		fixes[3+i] = icrc.Table(icrc.RETHVA + icrc.Position(i))
	}
	p.put("fixes", uint32(0), fixes)
	p.put("queue_limit", uint32(0), uint32(names.QueueUnlimited))
}

func (p *putter) group(g *world.Group, ifindex func(dataplane.Port) int, egress bool) {
	sw, l := [4]byte(world.SwitchIP), g.Leader
	member := func(r world.Replica) device {
		d := device{Ifindex: uint32(ifindex(r.Port))}
		p.put("interfaces", d.Ifindex, uint32(r.Port)+1)
		if egress {
			d.Prog = uint32(p.c.Programs["hand_copy"].FD())
		}
		p.put("ports", uint32(r.Port), d)
		p.put("routes", [4]byte(r.IP), uint32(r.Port))
		return d
	}
	member(l)
	p.put("qps", qpKey{[4]byte(l.IP), sw, g.BCastQP, uint32(l.Port)}, qpValue{Role: uint32(names.RoleScatter), RKey: g.VKey, RegionMask: uint32(-int64(g.Size)),
		Group: g.Index, Multicast: g.Multicast, Members: uint8(1<<len(g.Replicas) - 1)})
	p.put("leaders", uint32(g.Index), leader{[4]byte(l.IP), l.QPN, [6]byte(world.SwitchMAC), [6]byte(l.MAC), 1})
	psn := uint64(g.Start) * names.PSNOne
	st := groupState{Committed: uint32(psn), Sent: uint32(psn)}
	for i := range st.Held {
		st.Held[i], st.Credit[i] = psn<<32, psn<<32|names.CreditUnlimited
	}
	p.put("states", uint32(g.Index), st)
	var copies []byhand.Copy
	for i, r := range g.Replicas {
		f := g.Corrections(i)
		p.put("qps", qpKey{[4]byte(r.IP), sw, r.AggrQP, uint32(r.Port)}, qpValue{Role: uint32(names.RoleGather), Delta: uint32(r.Delta) * names.PSNOne, ICRC: f.ToLeader, Group: g.Index,
			LeaderPort: uint16(l.Port), Slot: uint8(i), Members: uint8(1<<len(g.Replicas) - 1), F: uint8(g.F)})
		p.put("endpoints", uint32(g.RID(i)), endpoint{Base: r.VA, DstIP: [4]byte(r.IP), DstQP: r.QPN, Delta: uint32(r.Delta) * names.PSNOne, RKey: r.RKey,
			ICRC: f.ToReplica, ICRCKey: f.RKey, SrcMAC: [6]byte(world.SwitchMAC), DstMAC: [6]byte(r.MAC), Neutral: 1})
		d := member(r)
		copies = append(copies, byhand.Copy{Port: uint16(r.Port), RID: g.RID(i), Ifindex: d.Ifindex, Prog: d.Prog})
	}
	if p.err == nil {
		p.err = byhand.PutGroup(p.c.Maps, g.Multicast, copies)
	}
}
