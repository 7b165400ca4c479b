package gather

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/sim/explore/program"
)

// PSNs: psns in all, of which window are in the window.
const (
	psnBits = 4
	psns    = 1 << psnBits
	window  = psns / 4
	slots   = 3
)

// codes are the credits that each replica gives; 0x1f is no limit.
var codes = [slots]byte{0x05, 0x09, 0x1f}

// deltas are the leader's PSN minus a replica's.
var deltas = [slots]int{0, 5, 15}

// Bounds say how large a world is: how often things may happen in one run.
type Bounds struct {
	F        int  // replicas that make a quorum; default 2
	Sends    int  // packets of the leader
	Ahead    int  // packets that it has outstanding at most; default 3
	Resends  int  // packets that it sends again
	Losses   int  // copies that are lost
	Drops    int  // ACKs that are lost
	Repeats  int  // ACKs that arrive twice
	Flight   int  // ACKs of one replica under way; a further one takes the first one's place. Default 2
	Groups   int  // ends of the group, each with a next one in the same slots
	Probes   bool // hostile packets in every state
	Straight bool // ACKs of one replica arrive in their order
	Egress   bool // the egress of the leader's port gathers
}

// ParseBounds reads "f=1 sends=12 losses=1".
func ParseBounds(text string) (Bounds, error) {
	b := Bounds{F: 2, Ahead: 3, Flight: 2}
	if err := explore.ParseBounds(text, &b, 60); err != nil {
		return b, err
	}
	switch {
	case b.F < 1 || b.F > slots:
		return b, fmt.Errorf("f=%d: want 1 to %d", b.F, slots)
	case b.Ahead < 1 || b.Ahead > window:
		return b, fmt.Errorf("ahead=%d: want 1 to %d, the window", b.Ahead, window)
	case b.Flight < 1 || b.Groups > 1:
		return b, errors.New("want flight of 1 or more, and groups of 0 or 1")
	}
	return b, nil
}

// Goals.
const (
	goalAnswered = iota
	goalAbsorbed
	goalRepeated
	goalNAK
	goalOut
	goalRound
	goalHole
	goalOld
	goals
)

var goalNames = [goals]string{
	"an ACK goes to the leader", "an ACK is absorbed", "the leader hears of what it knows again", "a NAK goes to the leader", "a slot is out",
	"all PSNs have been used", "a replica takes a packet for one that was sent all PSNs before", "an ACK of the group before arrives",
}

// Model makes worlds.
type Model struct {
	bounds Bounds
	prog   *program.Program
	first  []*interp.State // by group
	explore.GoalSet
}

// replica is what a responder knows, and what the world knows about it.
type replica struct {
	expected int    // number of the packet that it waits for, as it sees it
	nak      bool   // it has said that it waits
	held     uint64 // numbers of the packets that it has
	told     int    // it has acknowledged what is up to here, and the switch was told; -1: nothing
	heard    bool   // an ACK of it counted
}

// answer is an ACK or NAK that is under way.
type answer struct {
	gen, slot int
	psn       int // as the replica says it
	syndrome  byte
	number    int // of the packet that is acknowledged, with all before it
}

// World is a switch, and what is around it.
type World struct {
	m        *Model
	sw       *interp.State
	gen      int
	next     int // number of the leader's next packet
	una      int // number of the first that it has not heard of
	replicas [slots]replica
	flight   []answer
	left     Bounds // what may still happen
	explore.Trail
}

// NewModel makes the model of a world. Its worlds share a switch that is for one
// goroutine at a time (interp.State): a search takes one worker.
func NewModel(b Bounds) (*Model, error) { return newModel(b, p4.FS) }

func newModel(b Bounds, programs fs.FS) (*Model, error) {
	name := "rdma"
	if b.Egress {
		name = "rdmaegress"
	}
	prog, err := program.Load(name, programs, cpuPort, map[string]string{"GROUPS": "1", "ENDPOINTS": "16", "PSN_BITS": strconv.Itoa(psnBits)})
	if err != nil {
		return nil, err
	}
	m := &Model{bounds: b, prog: prog}
	for gen := range 1 + b.Groups {
		s, err := prog.Set(prog.Empty, setup(b, gen))
		if err != nil {
			return nil, err
		}
		m.first = append(m.first, s)
	}
	round := b.Sends > psns
	may := [goals]bool{
		goalAnswered: true, goalAbsorbed: true, goalRepeated: b.Repeats > 0 && b.Flight > 0 || b.Resends > 0, goalNAK: b.Losses > 0,
		goalOut: b.Losses > 0 && b.Sends > window, goalRound: round, goalHole: round && b.Losses > 0, goalOld: b.Groups > 0,
	}
	m.GoalSet = explore.NewGoals(goalNames[:], may[:])
	return m, nil
}

// start is the first PSN of a group: they come round early.
func start(gen int) int { return 13 + 4*gen }

// setup is what a controller installs for a group.
func setup(b Bounds, gen int) string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	line("add switch_ip hdr.ipv4.dst:%#x to_switch()", switchIP)
	line("add l2 hdr.ethernet.dst:0x025034636501 router()")
	line("add qp hdr.ipv4.src:%#x hdr.ipv4.dst:%#x hdr.bth.dst_qp:%#x port_group:%d scatter(group:0, multicast_group:1, rkey:%#x, region_mask:0xfffff000, members:0b00000111)",
		leaderIP, switchIP, bcastQP+gen, leaderPort, rkey)
	line("add leader hdr.bridge.group:0 to_leader(src_mac:0x025034636501, dst_mac:0x02000000000b, dst_ip:%#x, dst_qp:%#x, neutral:0)", leaderIP, leaderQP)
	first := uint32(start(gen)-1) << (32 - psnBits)
	line("mc_mgrp_create 1")
	nodes := 0
	node := func(rid, port int) {
		line("mc_node_create %d %d", rid, port)
		line("mc_node_associate 1 %d", nodes)
		nodes++
	}
	if b.Egress {
		node(names.RIDLeader, leaderPort)
	}
	for i := range slots {
		line("add qp hdr.ipv4.src:%#x hdr.ipv4.dst:%#x hdr.bth.dst_qp:%#x port_group:%d gather(group:0, slot:%d, delta:%#x, members:0b00000111, f:%d, leader_port:%d, icrc:0)",
			replicaIP+i, switchIP, aggrQP+16*gen+i, replicaPort+i, i, uint32(deltas[i])<<(32-psnBits), b.F, leaderPort)
		line("add endpoint eg_intr_md.egress_rid:%d to_replica(src_mac:0x025034636501, dst_mac:0x02000000000c, dst_ip:%#x, dst_qp:%#x, delta:%#x, base:0, rkey:0xc0c0, icrc:0, icrc_rkey:0, neutral:0)",
			40+i, replicaIP+i, peerQP+i, -uint32(deltas[i])<<(32-psnBits))
		node(40+i, replicaPort+i)
		line("register_write slot%d 0 %#x 0", i, first)
		line("register_write credit%d 0 %#x 0x1f", i, first)
	}
	line("register_write committed 0 %#x", first)
	line("register_write sent 0 %#x", first)
	return s.String()
}

// New implements explore.Model.
func (m *Model) New() (explore.World, error) {
	w := &World{m: m, sw: m.first[0], left: m.bounds, Trail: m.Trail()}
	w.begin()
	return w, nil
}

// begin is the beginning of a group.
func (w *World) begin() {
	w.next, w.una = 0, 0
	for i := range w.replicas {
		w.replicas[i] = replica{told: -1}
	}
}

// Columns implements explore.Model.
func (m *Model) Columns() []string {
	return []string{"leader", "switch", "replica 0", "replica 1", "replica 2"}
}

// Columns of a chart.
const (
	theLeader = iota
	theSwitch
	firstReplica
)

// Clone implements explore.Cloner.
func (w *World) Clone() explore.World {
	n := *w
	n.flight = slices.Clone(w.flight)
	return &n
}

// Append implements explore.World.
func (w *World) Append(b []byte) []byte {
	b = w.sw.Append(b)
	l := &w.left
	for _, n := range [...]int{w.gen, w.next, w.una, l.Sends, l.Resends, l.Losses, l.Drops, l.Repeats, l.Groups} {
		b = append(b, byte(n))
	}
	for _, r := range w.replicas {
		b = append(b, byte(r.expected), byte(r.told+1), byte(r.held), byte(r.held>>8), byte(r.held>>16), byte(r.held>>24), byte(r.held>>32), explore.Flag(r.nak)|explore.Flag(r.heard)<<1)
	}
	for _, a := range w.flight {
		b = append(b, byte(a.gen), byte(a.slot), byte(a.psn), a.syndrome, byte(a.number+1))
	}
	return b
}

// psn is the leader's PSN of its nth packet.
func (w *World) psn(n int) int { return (start(w.gen) + n + psns) % psns }

// register is a register's field, in PSNs.
func (m *Model) register(name string, field int) (int, error) {
	v, err := m.prog.Register(name, 0)
	if err != nil {
		return 0, err
	}
	return int(p4rtclient.ToUint(v[field])), nil
}
