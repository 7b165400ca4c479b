package explore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4"
	names "github.com/p4ce/p4ce/p4/amcast"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/sim/explore/program"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/control"
)

// Who takes part, and the last bytes of their addresses: columns of a chart, too.
const (
	member1   = iota // of the first group: members 1, 2, 3
	member2   = 3    // of the second
	deliverer = 4    // of the first, and the second
	client    = 6    // two of them
	replica   = 8    // two of the first group, one of the second
	parties   = 11
	switches  = 6
	clients   = 2
	replicas  = 3

	window      = 2
	cells       = 4
	maxMessages = 6
	port        = names.PortFirst + 1
)

var columns = []string{"member 1a", "member 1b", "member 1c", "member 2", "deliverer 1", "deliverer 2", "client 0", "client 1", "replica 1a", "replica 1b", "replica 2"}

// groupOf is the group that a party belongs to; 0: none.
func groupOf(n int) uint8 {
	switch {
	case n < member2, n == deliverer, n == replica, n == replica+1:
		return 1
	case n == member2, n == deliverer+1, n == replica+2:
		return 2
	}
	return 0
}

// Goals.
const (
	goalOne = iota
	goalBoth
	goalMax
	goalEpoch
	goalKept
	goalEmpty
	goalLap
	goalForgot
	goalHelped
	goalVoid
	goals
)

var goalNames = [goals]string{
	"a message to one group is delivered", "a message to both groups is delivered in both", "the final timestamp is that of the other group",
	"a message is delivered in a new epoch", "a new epoch has a proposal of the last one", "a new epoch leaves out a seq of the last one", "a cell is used again",
	"a member that has forgotten does not count", "a replica starts the message of a client that has died",
	"a message that nobody has is void",
}

// Model makes worlds.
type Model struct {
	bounds Bounds
	prog   *program.Program
	enc    explore.Encoder
	copier explore.Copier
	first  *World
	explore.GoalSet
}

// packet is one in flight.
type packet struct {
	from, to byte
	frame    []byte
}

// epochs are what a switch knows of the epochs of both groups, and whether it has a role.
type epochs struct {
	epoch  [2]uint32
	order  [3]int8 // members of the first group: who is member 0, 1, 2 of the epoch
	role   uint32  // epoch of its role in the first group; 0: it has none
	active bool
}

// sent is a message that was sent.
type sent struct {
	id      amcast.ID
	groups  amcast.Groups
	payload byte
	final   uint32 // once delivered somewhere
}

// change is a new epoch of the first group that the controller is about to begin.
type change struct {
	on     bool
	epoch  uint32
	fenced [3]bool
	read   [3]bool
	state  [3]control.State
	merged *control.State
	given  [3]bool
	leads  bool
	told   [switches]bool // others
	order  [3]int8
}

// World is the network in one of its states.
type World struct {
	m        *Model
	sw       [switches]*interp.State
	knows    [switches]epochs
	forgot   [switches]bool
	flight   []packet
	senders  [clients]*amcast.Sender // nil: it is dead
	replicas [replicas]*amcast.Replica
	logs     [replicas][]byte // messages delivered, by their places in sent
	sent     []sent
	leader   int8 // of the first group, as hosts know it
	complete uint32
	last     epochs // of the first group, as the controller has recorded
	change   change
	now      time.Duration
	left     Bounds
	explore.Trail
}

// NewModel makes the model of a world. Its worlds share a switch that is for one goroutine at a
// time: a search takes one worker.
func NewModel(b Bounds) (*Model, error) { return newModel(b, p4.FS) }

func newModel(b Bounds, programs fs.FS) (*Model, error) {
	prog, err := program.Load("amcast", programs, dataplane.Port(names.PortCPU), map[string]string{"ROLE_BITS": "1", "CLIENT_BITS": "1", "WINDOW_BITS": "1"})
	if err != nil {
		return nil, err
	}
	m := &Model{bounds: b, prog: prog, enc: explore.Encoder{Skip: map[string]bool{
		"amcast.Sender.Stats": true, "amcast.Sender.o": true, "amcast.Replica.Stats": true, "amcast.Replica.o": true, "amcast.Replica.turn": true,
		"amcast.Replica.since": true, "amcast.Replica.now": true, "amcast.Replica.tries": true, "amcast.outgoing.due": true, "amcast.Sender.Trouble": true,
		"amcast.Sender.now": true, "amcast.Sender.pace": true, "amcast.outgoing.since": true, "amcast.Replica.pace": true, "amcast.estate.due": true, "amcast.estate.tries": true, "amcast.message.heard": true,
	}}}
	may := [goals]bool{
		goalOne: b.One > 0, goalBoth: b.Both > 0, goalMax: b.Both > 0 && b.One+b.Both > 1 && b.Changes == 0, goalEpoch: b.Changes > 0, goalKept: b.Changes > 0,
		goalEmpty: b.Changes > 0 && b.One+b.Both > 1, goalLap: b.One+b.Both > 2*window && b.Changes == 0, goalForgot: b.Forgets > 0 && b.Changes > 0, goalHelped: b.Dies > 0 && b.Ticks > 1,
		goalVoid: b.Dies > 0 && b.Ticks > 2*amcast.MaxGroups,
	}
	m.GoalSet = explore.NewGoals(goalNames[:], may[:])
	m.first, err = m.begin()
	return m, err
}

func (m *Model) begin() (*World, error) {
	w := &World{m: m, left: m.bounds, complete: 1, Trail: m.Trail()}
	w.last = epochs{epoch: [2]uint32{1, 1}, order: [3]int8{0, 1, 2}, role: 1, active: true}
	var err error
	for i := range w.sw {
		if i > 0 && i < m.bounds.Members || i == 0 || i >= member2 {
			w.knows[i] = w.last
		}
		if w.sw[i], err = m.prog.Set(m.prog.Empty, m.setup(i, w.knows[i])+fmt.Sprintf("register_write life 1 %d\n", life(w.knows[i].role))); err != nil {
			return nil, err
		}
	}
	d := amcast.Directory{1: {Count: 2, Alive: 3}, 2: {Count: 1, Alive: 1}}
	for i := range w.senders {
		if w.senders[i], err = amcast.NewSender(amcast.SenderOptions{Client: uint16(i), Window: window, Retry: 1, Directory: d}); err != nil {
			return nil, err
		}
	}
	for i := range w.replicas {
		o := amcast.ReplicaOptions{Group: groupOf(replica + i), Index: i % 2, Window: window, Cells: cells, Retry: 1, Directory: d}
		if w.replicas[i], err = amcast.NewReplica(o); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// life is what the register says in an epoch. A fence is one less: no role's.
func life(epoch uint32) uint32 { return 10 * epoch }

func mac(n int) string { return fmt.Sprintf("02:00:00:00:00:%02x", n+1) }

// setup is what the controller has installed in a switch that knows these epochs.
func (m *Model) setup(i int, k epochs) string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	if k.epoch[0] == 0 {
		return ""
	}
	group := groupOf(i)
	own := k.epoch[group-1]
	at, leads, index := names.AtMember, i == member2, 0
	switch {
	case i >= deliverer:
		at, leads = names.AtDeliverer, false
	case i < member2:
		index = slices.Index(k.order[:], int8(i))
		leads = index == 0 && k.active
		own = k.role
	}
	if i >= member2 || k.role > 0 {
		l := life(own)
		if i >= member2 {
			l = life(1)
		}
		line("add service hdr.ipv4.dst:10.0.0.%d hdr.udp.dst_port:%d take(at:%d, role:1, life:%d, group:%d, epoch:%d, leads:%d, member:%d, replicas:4)", i+1, port, at, l, group, own, explore.Flag(leads), index)
	}
	count := m.bounds.Members
	for _, g := range []amcast.Groups{1 << 24, 2 << 24, 1<<24 | 2<<16} {
		if !g.Has(group) {
			continue
		}
		var e [2]uint32
		sum, slot := uint32(0), 0
		for j, n := range g.List() {
			e[j] = k.epoch[n-1]
			sum += e[j]
			if n == group {
				slot = j
			}
		}
		id := int(g>>24) + int(g>>16&255) // 1, 2, 3
		line("add sets md.role:1 hdr.amcast.groups:%d destinations(slot:%d, count:%d, epoch:%d, epoch0:%d, epoch1:%d, epoch2:0, epoch3:0, sum:%d, props:%d, acks:%d)", uint32(g), slot, len(g.List()), k.epoch[group-1], e[0], e[1], sum, 8+id, 16+id)
		if at != names.AtMember {
			continue
		}
		var props, acks []string
		for _, n := range g.List() {
			d := deliverer + int(n) - 1
			rid := 16 + d
			acks = append(acks, fmt.Sprintf("%d:%d", d+1, rid))
			members := []int{member2}
			if n == 1 {
				members = []int{0, 1, 2}[:count]
			}
			for _, q := range members {
				if q != i {
					props = append(props, fmt.Sprintf("%d:%d", q+1, q+1))
				}
			}
		}
		line("multicast %d %s", 8+id, strings.Join(append(props, acks...), " "))
		line("multicast %d %s", 16+id, strings.Join(acks, " "))
	}
	for c := range clients {
		line("add clients hdr.amcast.client:%d hdr.ipv4.src:10.0.0.%[2]d port_group:%[2]d may_start()", c, client+c+1)
	}
	for r := range replicas {
		line("add replicas md.role:1 hdr.ipv4.src:10.0.0.%[1]d port_group:%[1]d may_ask()", replica+r+1)
	}
	leader := int(k.order[0])
	if i != leader {
		line("add proposers md.role:1 hdr.amcast.from:1 hdr.amcast.epoch:%d hdr.ipv4.src:10.0.0.%[2]d port_group:%[2]d proposes(own:%[3]d)", k.epoch[0], leader+1, explore.Flag(group == 1))
	}
	if i != member2 {
		line("add proposers md.role:1 hdr.amcast.from:2 hdr.amcast.epoch:%d hdr.ipv4.src:10.0.0.%[2]d port_group:%[2]d proposes(own:%[3]d)", k.epoch[1], member2+1, explore.Flag(group == 2))
	}
	if at == names.AtDeliverer {
		for q, n := range k.order[:count] {
			line("add ackers md.role:1 hdr.amcast.by:1 hdr.amcast.by_epoch:%d hdr.amcast.member:%d hdr.ipv4.src:10.0.0.%[3]d port_group:%[3]d acknowledges(members:%d, watermark:%d)", k.epoch[0], q, n+1, count, explore.Flag(q == 0 && group == 1))
		}
		line("add ackers md.role:1 hdr.amcast.by:2 hdr.amcast.by_epoch:%d hdr.amcast.member:0 hdr.ipv4.src:10.0.0.%[2]d port_group:%[2]d acknowledges(members:1, watermark:%[3]d)", k.epoch[1], member2+1, explore.Flag(group == 2))
	}
	copies := func(rid, to int, what string) {
		line("add copies rid:%d %s src_mac:%s, dst_mac:%s, src:10.0.0.%d, dst:10.0.0.%d, dst_port:%d)", rid, what, mac(i), mac(to), i+1, to+1, port)
	}
	for q := range member2 + 1 {
		copies(q+1, q, fmt.Sprintf("to(want:%d, kind:%d,", names.BecameProp, names.MsgProp))
	}
	var own4 []string
	for d := range 2 {
		copies(16+deliverer+d, deliverer+d, fmt.Sprintf("to(want:%d, kind:%d,", names.BecameACK, names.MsgACK))
	}
	for r := range replicas {
		if groupOf(replica+r) == group {
			copies(32+r, replica+r, "to_replica(")
			own4 = append(own4, fmt.Sprintf("%d:%d", replica+r+1, 32+r))
		}
	}
	line("multicast 4 %s", strings.Join(own4, " "))
	return s.String()
}

// install gives a switch other tables, and registers as they are or as they are said.
func (w *World) install(i int, k epochs, registers string) error {
	held, err := w.m.registers(w.sw[i])
	if err != nil {
		return err
	}
	s, err := w.m.prog.Set(w.m.prog.Empty, w.m.setup(i, k)+held+registers)
	if err != nil {
		return err
	}
	w.sw[i], w.knows[i] = s, k
	return nil
}

// registers are all registers of a state, as a script.
func (m *Model) registers(s *interp.State) (string, error) {
	if err := m.prog.Restore(s); err != nil {
		return "", err
	}
	var out strings.Builder
	for _, r := range m.prog.IR.Registers {
		for i := range r.Size {
			v, err := m.prog.ReadRegister(r, i)
			if err != nil {
				return "", err
			}
			zero := true
			for _, f := range v {
				zero = zero && len(bytes.Trim(f, "\x00")) == 0
			}
			if zero {
				continue
			}
			fmt.Fprintf(&out, "register_write %s %d", r.Name, i)
			for _, f := range v {
				fmt.Fprintf(&out, " 0x%x", f)
			}
			out.WriteByte('\n')
		}
	}
	return out.String(), nil
}

// register is a field of a register of role 1.
func (m *Model) register(name string, index, field int) uint32 {
	v, err := m.prog.Register(name, index)
	if err != nil || field >= len(v) {
		panic(fmt.Sprint("explore: register ", name, err))
	}
	var b [4]byte
	copy(b[4-len(v[field]):], v[field])
	return binary.BigEndian.Uint32(b[:])
}

// read reads what a member remembers; false: its life is not this one.
func (w *World) read(i int, life uint32) (s control.State, ok bool, err error) {
	m := w.m
	if err := m.prog.Restore(w.sw[i]); err != nil {
		return s, false, err
	}
	if m.register("life", 1, 0) != life {
		return s, false, nil
	}
	s = control.State{Clock: m.register("clock", 1, 0), Mark: m.register("marks", 1, 0)}
	for c := range cells {
		n := cells + c
		s.Cells = append(s.Cells, control.Cell{
			Number: m.register("newest", n, 0), Epoch: m.register("tags", n, 1), LTS: m.register("lts", n, 0), Seq: m.register("seqs", n, 0),
			Groups: m.register("groups", n, 0), Digest: m.register("digests", n, 0),
		})
		s.Ring = append(s.Ring, control.Place{Seq: m.register("ring_seqs", n, 0), What: m.register("ring", n, 0)})
	}
	return s, true, nil
}

// written is a state as a script.
func written(s *control.State) string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("register_write clock 1 %d", s.Clock)
	line("register_write marks 1 %d", s.Mark)
	for i, c := range s.Cells {
		n := cells + i
		line("register_write newest %d %d", n, c.Number)
		line("register_write tags %d %d %d", n, c.Number, c.Epoch)
		line("register_write lts %d %d", n, c.LTS)
		line("register_write seqs %d %d", n, c.Seq)
		line("register_write groups %d %d", n, c.Groups)
		line("register_write digests %d %d", n, c.Digest)
	}
	for i, p := range s.Ring {
		line("register_write ring_seqs %d %d", cells+i, p.Seq)
		line("register_write ring %d %d", cells+i, p.What)
	}
	return out.String()
}

// New implements explore.Model.
func (m *Model) New() (explore.World, error) {
	w := m.first.Clone().(*World)
	for m.bounds.Fair && w.left.One+w.left.Both > 0 && w.sends() {
		list := []uint8{1, 2}
		if w.left.Both > 0 {
			w.left.Both--
		} else {
			w.left.One--
			list = list[:1]
		}
		if err := w.send(list...); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Columns implements explore.Model.
func (m *Model) Columns() []string { return columns }

// Clone implements explore.Cloner.
func (w *World) Clone() explore.World {
	n := *w
	n.flight = slices.Clone(w.flight)
	n.sent = slices.Clone(w.sent)
	for i, s := range w.senders {
		if s != nil {
			n.senders[i] = explore.Copy(&w.m.copier, s)
		}
	}
	for i, r := range w.replicas {
		n.replicas[i] = explore.Copy(&w.m.copier, r)
		n.logs[i] = slices.Clone(w.logs[i])
	}
	return &n
}

// Append implements explore.World.
func (w *World) Append(b []byte) []byte {
	l := &w.left
	for _, n := range [...]int{l.One, l.Both, l.Ticks, l.Repeats, l.Changes, l.Forgets, l.Dies, int(w.leader), int(w.complete), l.Losses} {
		b = append(b, byte(n))
	}
	for i := range w.sw {
		b = w.sw[i].AppendRegisters(b)
		k := &w.knows[i]
		b = append(b, byte(k.epoch[0]), byte(k.role), byte(k.order[0]), byte(k.order[1]), explore.Flag(k.active), explore.Flag(w.forgot[i]))
	}
	for _, s := range w.senders {
		b = append(b, explore.Flag(s != nil))
		if s != nil {
			b = w.m.enc.Append(b, s)
		}
	}
	for i, r := range w.replicas {
		b = append(w.m.enc.Append(b, r), byte(len(w.logs[i])))
		b = append(b, w.logs[i]...)
	}
	for _, s := range w.sent {
		b = append(b, byte(s.id.Client), byte(s.final))
	}
	b = w.m.enc.Append(b, &w.change)
	for _, p := range w.flight {
		b = append(append(b, p.from, p.to, byte(len(p.frame))), p.frame...)
	}
	return b
}

// fly adds a packet to those under way: in order, each once, unless order matters.
func (w *World) fly(p packet) {
	if w.m.bounds.Fair {
		w.flight = append(w.flight, p)
		return
	}
	i, there := slices.BinarySearchFunc(w.flight, p, func(a, b packet) int {
		return bytes.Compare(append([]byte{a.to, a.from}, a.frame...), append([]byte{b.to, b.from}, b.frame...))
	})
	if !there {
		w.flight = slices.Insert(w.flight, i, p)
	}
}

// host sends what a host wants to send.
func (w *World) host(from int, poll func() (amcast.Send, bool)) {
	for x, ok := poll(); ok; x, ok = poll() {
		to := 0
		switch x.To.Kind {
		case amcast.ToLeader:
			if to = member2; x.To.Group == 1 {
				to = int(w.leader)
			}
		case amcast.ToReplica:
			to = replica + x.To.Index + 2*int(x.To.Group-1)
		case amcast.ToClient:
			to = client + int(x.To.Client)
		}
		e := amcast.Ends{SrcMAC: wire.MAC{2, 0, 0, 0, 0, byte(from + 1)}, DstMAC: wire.MAC{2, 0, 0, 0, 0, byte(to + 1)},
			Src: wire.Addr{10, 0, 0, byte(from + 1)}, Dst: wire.Addr{10, 0, 0, byte(to + 1)}, SrcPort: port, DstPort: port}
		w.fly(packet{byte(from), byte(to), x.Packet.Append(nil, e)})
	}
}

// arrive lets a packet arrive.
func (w *World) arrive(p packet) error {
	var h amcast.Packet
	if _, err := h.Parse(p.frame); err != nil {
		return fmt.Errorf("a packet to %s is damaged: %w", columns[p.to], err)
	}
	to := int(p.to)
	w.Line(int(p.from), to, false, "%s", describe(&h))
	if g := groupOf(to); g != 0 && h.Groups != 0 && !h.Groups.Has(g) {
		return fmt.Errorf("%s takes part in a message to groups %v", columns[to], h.Groups)
	}
	switch {
	case to < switches:
		return w.forward(to, p)
	case to < replica:
		if s := w.senders[to-client]; s != nil {
			s.Receive(w.now, &h)
			w.host(to, s.Poll)
		}
		return nil
	}
	r := w.replicas[to-replica]
	r.Receive(w.now, &h)
	return w.replied(to)
}

// replied takes what a replica has delivered, and sends what it wants to send.
func (w *World) replied(to int) error {
	r := w.replicas[to-replica]
	for d, ok := r.Next(); ok; d, ok = r.Next() {
		w.Line(to, to, false, "delivers %v, at %d", d.ID, d.Final)
		if err := w.delivered(to-replica, &d); err != nil {
			return err
		}
	}
	w.host(to, r.Poll)
	if r.Stats.Void > 0 {
		w.Reach(goalVoid)
	}
	return nil
}

// delivered checks what is delivered.
func (w *World) delivered(r int, d *amcast.Delivery) error {
	who := columns[replica+r]
	i := slices.IndexFunc(w.sent, func(s sent) bool { return s.id == d.ID })
	if i < 0 || len(d.Payload) != 1 || w.sent[i].payload != d.Payload[0] || w.sent[i].groups != d.Groups || !d.Groups.Has(groupOf(replica+r)) {
		return fmt.Errorf("%s delivers %v, which was not sent to it", who, d.ID)
	}
	s := &w.sent[i]
	if slices.Contains(w.logs[r], byte(i)) {
		return fmt.Errorf("%s delivers %v twice", who, d.ID)
	}
	if s.final != 0 && s.final != d.Final {
		return fmt.Errorf("%v has two final timestamps: %d, and at %s %d", d.ID, s.final, who, d.Final)
	}
	s.final = d.Final
	if n := len(w.logs[r]); n > 0 {
		last := &w.sent[w.logs[r][n-1]]
		before := amcast.Delivery{Final: last.final, ID: last.id}
		if !before.Before(d) {
			return fmt.Errorf("%s delivers %v at %d after %v at %d", who, d.ID, d.Final, last.id, last.final)
		}
	}
	w.logs[r] = append(w.logs[r], byte(i))
	if r < 2 {
		n := min(len(w.logs[0]), len(w.logs[1]))
		if !bytes.Equal(w.logs[0][:n], w.logs[1][:n]) {
			return fmt.Errorf("the replicas of group 1 deliver in two orders: %v and %v", w.logs[0], w.logs[1])
		}
	}
	if err := w.acyclic(); err != nil {
		return err
	}
	w.reached(r, i)
	return nil
}

// acyclic checks the order over all groups, from what was delivered alone.
func (w *World) acyclic() error {
	n := len(w.sent)
	after := make([][]bool, n)
	for i := range after {
		after[i] = make([]bool, n)
	}
	for r := range w.logs {
		for i, a := range w.logs[r] {
			for _, b := range w.logs[r][i+1:] {
				after[a][b] = true
			}
			// What a replica has not delivered yet comes after all that it has.
			for b := range w.sent {
				if w.sent[b].groups.Has(groupOf(replica+r)) && !slices.Contains(w.logs[r], byte(b)) {
					after[a][b] = true
				}
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				after[i][j] = after[i][j] || after[i][k] && after[k][j]
			}
		}
	}
	for i := range n {
		if after[i][i] {
			return fmt.Errorf("the order is not acyclic: %v is before itself", w.sent[i].id)
		}
	}
	return nil
}

// reached notes goals.
func (w *World) reached(r, i int) {
	s := &w.sent[i]
	everywhere := true
	for q := range w.logs {
		if s.groups.Has(groupOf(replica+q)) && !slices.Contains(w.logs[q], byte(i)) {
			everywhere = false
		}
	}
	if len(s.groups.List()) == 1 {
		w.Reach(goalOne)
	} else if everywhere {
		w.Reach(goalBoth)
	}
	if w.complete > 1 {
		w.Reach(goalEpoch)
	}
	if s.id.Number >= 2*window {
		w.Reach(goalLap)
	}
	if s.id.Client < clients && w.senders[s.id.Client] == nil && w.replicas[r].Stats.Restarted > 0 {
		w.Reach(goalHelped)
	}
	if len(s.groups.List()) == 2 && w.m.prog.Restore(w.sw[w.leader]) == nil {
		n := cells + int(s.id.Client)*window + int(s.id.Number)%window
		if w.m.register("newest", n, 0) == s.id.Number && w.m.register("lts", n, 0) != s.final {
			w.Reach(goalMax)
		}
	}
}

// forward has a switch handle a packet.
func (w *World) forward(i int, p packet) error {
	next, out, err := w.m.prog.Step(w.sw[i], dataplane.Port(p.from+1), p.frame, 0)
	if err != nil {
		return err
	}
	w.sw[i] = next
	for _, o := range out.Outs {
		n := int(o.Port) - 1
		if n < 0 || n >= parties {
			return fmt.Errorf("%s sends a frame by port %d", columns[i], o.Port)
		}
		w.fly(packet{byte(i), byte(n), o.Frame})
	}
	return nil
}

func describe(p *amcast.Packet) string {
	text := fmt.Sprintf("%v %v to %v", p.Kind, p.ID, p.Groups)
	if p.Epoch > 0 {
		text += fmt.Sprintf(" group %d epoch %d lts %d seq %d", p.From, p.Epoch, p.LTS, p.Seq)
	}
	if p.By > 0 {
		text += fmt.Sprintf(" by %d/%d epoch %d clock %d mark %d", p.By, p.Member, p.ByEpoch, p.Clock, p.Mark)
	}
	if len(p.Payload) > 0 {
		text += " full"
	}
	return text
}
