package amcast

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// ReplicaOptions configure a Replica. Fields that are 0 have defaults.
type ReplicaOptions struct {
	Group     uint8
	Index     int           // which of the group's replicas
	Window    int           // of clients: Window, which the switches have
	Retry     time.Duration // after which a replica that stands still asks at least: 2 ms. As long as messages take; doubled each time, up to 64 times that
	Cells     int           // of a role of a switch: MaxClients times the window
	Ahead     int           // seqs beyond the lowest that is not delivered that may be known: 65536
	Directory Directory
}

// Delivery is a message that is delivered.
type Delivery struct {
	Final   uint32 // timestamp
	ID      ID
	Groups  Groups
	Payload []byte
}

// Before reports whether a message comes before another one in the order of all replicas.
func (d *Delivery) Before(o *Delivery) bool { return before(d.Final, d.ID, o.Final, o.ID) }

func before(f uint32, a ID, than uint32, b ID) bool {
	return cmp.Or(cmp.Compare(f, than), a.compare(b)) < 0
}

// ReplicaStats count since the start.
type ReplicaStats struct {
	Delivered  uint64
	Duplicates uint64 // proposals of messages that had been delivered
	Foreign    uint64 // packets that are not for this replica
	Conflicts  uint64 // packets that say something else than what is known of a message
	Ahead      uint64 // proposals and watermarks too far ahead: dropped
	Asked      uint64 // packets that ask for something
	Void       uint64 // messages that nobody has the payload of, and whose clients have failed
	Restarted  uint64 // messages started for their clients
}

// Replica delivers the messages of a group in order and once.
type Replica struct {
	Stats ReplicaStats

	o      ReplicaOptions
	epoch  uint32 // of the group: the highest heard of
	clock  uint32 // watermark, of this epoch: nothing more is proposed at or below clock,
	mark   uint32 // and seqs up to mark are proposed
	base   uint32 // all seqs of this epoch up to here are delivered
	places map[uint32]place
	cells  map[uint32]uint32 // seqs that are not known: the cells that they were in
	scan   scan
	open   map[ID]*message
	kept   map[uint16]*history // of clients
	finals messages            // that are decided, the least final timestamp first
	others messages            // that are not, by their timestamps in this epoch
	ready  []Delivery
	sends  []Send
	since  time.Duration // it has got on, or asked
	tries  int
	turn   int // which peer is asked
	pace   pace
	now    time.Duration
	failed map[uint16]bool // clients
	estate estate
}

// place is a seq of the present epoch above base.
type place struct {
	delivered bool
	message   *message
}

// scan is a look at all cells of the leader, for seqs whose places in its ring are others' by now.
type scan struct {
	on   bool
	mark uint32          // of the leader, when it began
	left map[uint32]bool // cells
}

// message is one that is not delivered.
type message struct {
	id        ID
	heard     time.Duration // of it, first
	groups    Groups
	digest    uint32
	known     bool // groups and digest
	payload   []byte
	seq, lts  uint32
	epoch     uint32 // in which the leader said so; 0: it has not
	final     uint32
	decided   bool
	delivered bool
	promised  bool        // it takes its payload only from
	decider   To          // who finds out whether anybody has it
	promises  map[To]bool // of a decider: others that have none
}

// history is what was delivered of a client: its latest messages, which are kept for other replicas.
type history struct {
	highest uint32
	any     bool
	cells   []keptMessage
}

type keptMessage struct {
	number, final, epoch, seq, lts uint32
	groups                         Groups
	digest                         uint32
	payload                        []byte // nil: the message is void
	there                          bool
	answered                       bool // by the application:
	answer                         []byte
}

// NewReplica makes a replica that has delivered nothing. Epochs begin at 1, seqs and timestamps, too.
func NewReplica(o ReplicaOptions) (*Replica, error) {
	o.Window = cmp.Or(o.Window, int(Window))
	o.Retry = cmp.Or(o.Retry, 2*time.Millisecond)
	o.Ahead = cmp.Or(o.Ahead, 1<<16)
	o.Cells = cmp.Or(o.Cells, int(MaxClients)*o.Window)
	switch {
	case o.Group == 0:
		return nil, errors.New("amcast: group 0: want 1 to 255")
	case o.Index < 0 || o.Index >= 32:
		return nil, fmt.Errorf("amcast: replica %d: want 0 to 31", o.Index)
	case o.Window < 1 || o.Window&(o.Window-1) != 0 || o.Window > maxWindow:
		return nil, fmt.Errorf("amcast: a window of %d: want a power of two up to %d", o.Window, maxWindow)
	case o.Retry < 0 || o.Ahead < 1 || o.Cells < o.Window:
		return nil, errors.New("amcast: negative settings")
	}
	return &Replica{o: o, places: map[uint32]place{}, cells: map[uint32]uint32{}, open: map[ID]*message{}, kept: map[uint16]*history{}, failed: map[uint16]bool{}}, nil
}

// SetDirectory says which groups and replicas there are from now on.
func (r *Replica) SetDirectory(d Directory) { r.o.Directory = d }

// Receive takes a packet.
func (r *Replica) Receive(now time.Duration, p *Packet) {
	r.now = now
	switch p.Kind {
	case MsgProp:
		if p.From != r.o.Group || !p.Groups.Has(r.o.Group) || len(p.Payload) == 0 {
			r.Stats.Foreign++
			return
		}
		r.raise(p.Epoch)
		r.watermark(p.Epoch, p)
		m := r.message(p)
		if m != nil {
			r.pay(m, p)
		}
		r.put(m, p.Seq, p.LTS, p.Epoch)
	case MsgKnown:
		if p.By != r.o.Group || p.Member != 0 {
			r.Stats.Foreign++
			return
		}
		r.raise(p.ByEpoch)
		r.watermark(p.ByEpoch, p)
		if p.Epoch == p.ByEpoch && p.Groups.Has(r.o.Group) {
			r.put(r.message(p), p.Seq, p.LTS, p.Epoch)
		}
		r.looked(p)
	case MsgTold:
		if p.By != r.o.Group || p.Member != 0 {
			r.Stats.Foreign++
			return
		}
		r.raise(p.ByEpoch)
		r.watermark(p.ByEpoch, p)
		r.told(p)
	case MsgDeliver:
		// The port says which replica of a host a packet is for, and no checksum covers it.
		if p.From != r.o.Group || !p.Groups.Has(r.o.Group) {
			r.Stats.Foreign++
			return
		}
		r.raise(p.Epoch)
		if p.Flags&FlagMark != 0 && p.By == r.o.Group {
			r.watermark(p.ByEpoch, p)
		}
		if m := r.message(p); m != nil {
			r.decide(m, p.LTS)
		}
	case MsgMark:
		if p.From != r.o.Group || p.By != r.o.Group {
			r.Stats.Foreign++
			return
		}
		r.raise(p.ByEpoch)
		r.watermark(p.ByEpoch, p)
	case kindHave:
		r.have(p)
	case kindFetch:
		r.fetch(p)
	case kindNobody, kindGiveUp, kindPromise, kindVoid:
		r.doubt(p)
	case kindDone:
		r.inherited(p)
	case kindWant:
		if c := r.keptOf(p.ID); c != nil && c.answered {
			r.done(p.ID)
		}
	case MsgRefused:
	default:
		r.Stats.Foreign++
		return
	}
	r.deliver(now)
}

// raise notes an epoch of the group. What was said in lower ones does not count any more: the
// watermark, and proposals, which may have been replaced. Seqs begin anew.
func (r *Replica) raise(epoch uint32) {
	if epoch <= r.epoch {
		return
	}
	r.epoch, r.clock, r.mark, r.base = epoch, 0, 0, 0
	clear(r.places)
	clear(r.cells)
	r.scan = scan{}
	r.others = nil
	r.tries = 0
}

// watermark notes what a leader has said of one moment of an epoch.
func (r *Replica) watermark(epoch uint32, p *Packet) {
	if epoch == r.epoch && p.Clock >= r.clock && p.Mark >= r.mark {
		if p.Mark > r.base && p.Mark-r.base > uint32(r.o.Ahead) {
			r.Stats.Ahead++ // clients would have waited for this replica
			return
		}
		r.clock, r.mark = p.Clock, p.Mark
	}
}

// message is what is known of the message of a packet; nil: it was delivered.
func (r *Replica) message(p *Packet) *message {
	if k := r.delivered(p.ID); k {
		r.Stats.Duplicates++
		r.done(p.ID)
		return nil
	}
	m := r.open[p.ID]
	if m == nil {
		m = &message{id: p.ID, heard: r.now}
		r.open[p.ID] = m
	}
	if !m.known {
		m.known, m.groups, m.digest = true, p.Groups, p.Digest
	} else if m.groups != p.Groups || m.digest != p.Digest {
		r.Stats.Conflicts++
	}
	return m
}

// delivered reports whether a message was delivered. What is older than what is kept of its client
// has been: the client would not have gone on without.
func (r *Replica) delivered(id ID) bool {
	h := r.kept[id.Client]
	if h == nil || int32(id.Number-h.highest) > 0 {
		return false
	}
	if h.highest-id.Number >= uint32(r.o.Window) {
		return true
	}
	c := &h.cells[id.Number%uint32(r.o.Window)]
	return c.there && c.number == id.Number
}

// Holds reports whether the replica has the payload of a message, or has delivered it. It has nothing of one that is void.
func (r *Replica) Holds(id ID) bool {
	if m := r.open[id]; m != nil {
		return m.payload != nil
	}
	c := r.keptOf(id)
	return r.delivered(id) && (c == nil || c.payload != nil)
}

// pay notes a payload. After a promise, only the one that it was made to may send it.
func (r *Replica) pay(m *message, p *Packet) {
	if m.promised && m.decider != r.self() && !(p.Kind == kindHave && r.from(p) == m.decider) {
		return
	}
	if m.payload == nil && m.digest == p.Digest {
		m.payload = slices.Clone(p.Payload)
	}
}

// put notes which proposal of the group a message is; nil: one that was delivered.
func (r *Replica) put(m *message, seq, lts, epoch uint32) {
	switch {
	case epoch != r.epoch || seq <= r.base:
		return
	case seq-r.base > uint32(r.o.Ahead):
		r.Stats.Ahead++
		return
	}
	if x, known := r.places[seq]; known {
		if x.message != m && m != nil {
			r.Stats.Conflicts++ // a leader has given a seq twice
		}
		return
	}
	r.tries = 0 // it gets on
	r.places[seq] = place{m == nil, m}
	if m == nil {
		return
	}
	m.seq, m.lts, m.epoch = seq, lts, epoch
	if !m.decided {
		heap.Push(&r.others, entry{lts, m})
	}
}

// decide notes a final timestamp.
func (r *Replica) decide(m *message, final uint32) {
	if m.decided {
		if m.final != final {
			r.Stats.Conflicts++
		}
		return
	}
	m.decided, m.final = true, final
	heap.Push(&r.finals, entry{final, m})
}

// told takes what a leader says of a seq: it asks for the cell, or for all if the ring has no room
// for that seq any more.
func (r *Replica) told(p *Packet) {
	switch {
	case p.ByEpoch != r.epoch || p.Seq > r.mark || r.knows(p.Seq):
	case p.Digest&RingHere != 0:
		r.cells[p.Seq] = p.Digest &^ RingHere
		r.look(p.Digest &^ RingHere)
	case !r.scan.on:
		r.scan = scan{on: true, mark: r.mark, left: map[uint32]bool{}}
		for c := range uint32(r.o.Cells) {
			r.scan.left[c] = true
		}
	}
}

// look asks the leader for a cell. The answer says the number that the cell has: which one was asked
// for comes back in fields that nobody changes.
func (r *Replica) look(cell uint32) {
	w := uint32(r.o.Window)
	n := cell % w
	r.ask(Send{To{Kind: ToLeader, Group: r.o.Group}, Packet{Kind: MsgLook, ID: ID{uint16(cell / w), n}, FromSlot: uint8(n >> 4), BySlot: uint8(n & 15)}})
}

// looked takes what a cell says. A seq that was in the cell, and is not any more, is finished: the
// client would not have gone on without this replica. If no cell has a seq, it is finished, too.
func (r *Replica) looked(p *Packet) {
	if p.ByEpoch != r.epoch {
		return
	}
	cell := uint32(p.ID.Client)*uint32(r.o.Window) + uint32(p.FromSlot)<<4 + uint32(p.BySlot)
	for seq, c := range r.cells {
		if r.knows(seq) || c == cell && p.Epoch == p.ByEpoch && seq < p.Seq {
			delete(r.cells, seq)
			r.put(nil, seq, 0, r.epoch)
		}
	}
	if !r.scan.on || p.Mark < r.scan.mark {
		return // said before the scan began
	}
	delete(r.scan.left, cell)
	if len(r.scan.left) > 0 {
		return
	}
	for seq := r.base + 1; seq <= r.scan.mark; seq++ {
		if !r.knows(seq) {
			r.put(nil, seq, 0, r.epoch)
		}
	}
	r.scan = scan{}
}

// have takes what another replica, or the client, has.
func (r *Replica) have(p *Packet) {
	if !p.Groups.Has(r.o.Group) || len(p.Payload) == 0 {
		r.Stats.Foreign++
		return
	}
	m := r.message(p)
	if m == nil {
		if p.By != 0 && r.failed[p.ID.Client] {
			r.sends = append(r.sends, Send{r.from(p), Packet{Kind: kindDone, By: r.o.Group, Member: uint8(r.o.Index), ID: p.ID}})
		}
		return
	}
	r.pay(m, p)
	if p.From != r.o.Group || p.Flags&flagFinal == 0 {
		return
	}
	r.raise(p.Epoch)
	r.put(m, p.Seq, p.LTS, p.Epoch)
	r.decide(m, p.Clock) // for good
}

// fetch answers another replica.
func (r *Replica) fetch(p *Packet) {
	to := To{Kind: ToReplica, Group: p.By, Index: int(p.Member)}
	if p.By == r.o.Group && to.Index == r.o.Index || to.Index >= r.o.Directory[p.By].Count {
		r.Stats.Foreign++
		return
	}
	if p.Flags&flagSeq != 0 {
		if p.By != r.o.Group {
			r.Stats.Foreign++
			return
		}
		for client, h := range r.kept {
			for i := range h.cells {
				if c := &h.cells[i]; c.there && c.epoch != 0 && c.seq == p.Seq && c.epoch == p.Epoch {
					r.sends = append(r.sends, Send{to, r.keptPacket(client, c)})
				}
			}
		}
		return
	}
	if h := r.kept[p.ID.Client]; h != nil {
		if c := &h.cells[p.ID.Number%uint32(r.o.Window)]; c.there && c.number == p.ID.Number {
			r.sends = append(r.sends, Send{to, r.keptPacket(p.ID.Client, c)})
			return
		}
	}
	if m := r.open[p.ID]; m != nil && m.payload != nil {
		r.sends = append(r.sends, Send{to, r.openPacket(m)})
	}
}

func (r *Replica) openPacket(m *message) Packet {
	return Packet{Kind: kindHave, From: r.o.Group, By: r.o.Group, Member: uint8(r.o.Index), Groups: m.groups, ID: m.id, Digest: m.digest, Payload: m.payload}
}

func (r *Replica) keptPacket(client uint16, c *keptMessage) Packet {
	if c.payload == nil {
		return Packet{Kind: kindVoid, From: r.o.Group, By: r.o.Group, Member: uint8(r.o.Index), Groups: c.groups, ID: ID{client, c.number}, Epoch: c.epoch, Seq: c.seq, Digest: c.digest}
	}
	return Packet{Kind: kindHave, Flags: flagFinal, From: r.o.Group, By: r.o.Group, Member: uint8(r.o.Index), Groups: c.groups, ID: ID{client, c.number}, Epoch: c.epoch,
		LTS: c.lts, Seq: c.seq, Clock: c.final, Digest: c.digest, Payload: c.payload}
}

// knows reports whether a seq is known in the present epoch.
func (r *Replica) knows(seq uint32) bool {
	if seq <= r.base {
		return true
	}
	_, known := r.places[seq]
	return known
}

// missing is the lowest seq up to the mark that is not known; 0: none.
func (r *Replica) missing() uint32 {
	for seq := r.base + 1; seq <= r.mark; seq++ {
		if !r.knows(seq) {
			return seq
		}
	}
	return 0
}

// deliver delivers what can be.
func (r *Replica) deliver(now time.Duration) {
	for {
		r.advance()
		m := r.first()
		if m == nil || m.final > r.clock || m.payload == nil || m.epoch != r.epoch || r.missing() != 0 {
			return
		}
		if o := r.least(); o != nil && o.lts <= m.final {
			return
		}
		heap.Pop(&r.finals)
		m.delivered = true
		r.places[m.seq] = place{delivered: true}
		delete(r.open, m.id)
		r.keep(m)
		r.ready = append(r.ready, Delivery{m.final, m.id, m.groups, m.payload})
		r.Stats.Delivered++
		r.pace.add(max(0, now-m.heard))
		r.done(m.id)
		r.since, r.tries = now, 0
	}
}

// first is the message with the least final timestamp.
func (r *Replica) first() *message {
	for len(r.finals) > 0 && r.finals[0].message.delivered {
		heap.Pop(&r.finals)
	}
	if len(r.finals) == 0 {
		return nil
	}
	return r.finals[0].message
}

// least is the message with the least timestamp of this epoch that is not decided.
func (r *Replica) least() *message {
	for len(r.others) > 0 {
		e := r.others[0]
		if m := e.message; !m.decided && !m.delivered && m.epoch == r.epoch && m.lts == e.time {
			return m
		}
		heap.Pop(&r.others)
	}
	return nil
}

// advance lets go of seqs that are done.
func (r *Replica) advance() {
	for r.places[r.base+1].delivered {
		r.base++
		delete(r.places, r.base)
	}
}

// keep remembers a message that was delivered.
func (r *Replica) keep(m *message) {
	h := r.kept[m.id.Client]
	if h == nil {
		h = &history{cells: make([]keptMessage, r.o.Window)}
		r.kept[m.id.Client] = h
	}
	if !h.any || int32(m.id.Number-h.highest) > 0 {
		h.highest, h.any = m.id.Number, true
	}
	h.cells[m.id.Number%uint32(r.o.Window)] = keptMessage{
		number: m.id.Number, final: m.final, epoch: m.epoch, seq: m.seq, lts: m.lts, groups: m.groups, digest: m.digest, payload: m.payload, there: true,
	}
	if r.failed[m.id.Client] {
		r.inherit(m.id)
	}
}

// done tells a client that its message was delivered here.
func (r *Replica) done(id ID) {
	p := Packet{Kind: kindDone, By: r.o.Group, Member: uint8(r.o.Index), ID: id}
	if c := r.keptOf(id); c != nil && c.answered {
		p.Flags, p.Digest, p.Payload = flagAnswer, Digest(c.answer), c.answer
	}
	r.sends = append(r.sends, Send{To{Kind: ToClient, Client: id.Client}, p})
}

// keptOf is what is kept of a message that was delivered; nil: nothing.
func (r *Replica) keptOf(id ID) *keptMessage {
	if h := r.kept[id.Client]; h != nil {
		if c := &h.cells[id.Number%uint32(r.o.Window)]; c.there && c.number == id.Number {
			return c
		}
	}
	return nil
}

// Answer answers a message that was delivered, for a client that has sent it by Call: up to MaxPayload bytes, which are kept
// until the client goes on. All replicas of a group are to answer the same. An answer to a message that is not kept any more is
// wanted by nobody.
func (r *Replica) Answer(id ID, answer []byte) error {
	if len(answer) > MaxPayload {
		return fmt.Errorf("amcast: an answer of %d bytes: want up to %d", len(answer), MaxPayload)
	}
	if c := r.keptOf(id); c != nil {
		c.answered, c.answer = true, slices.Clone(answer)
		r.done(id)
	}
	return nil
}

// Deadline is when Tick is to be called; ok is false if nothing is under way.
func (r *Replica) Deadline() (due time.Duration, ok bool) {
	if len(r.open) > 0 || r.missing() != 0 {
		due, ok = r.since+r.pace.patience(r.o.Retry, r.tries), true
	}
	if len(r.estate.left) > 0 && (!ok || r.estate.due < due) {
		due, ok = r.estate.due, true
	}
	return due, ok
}

// batch is how much is asked for at once.
const batch = 64

// Tick asks for what is missing, when nothing has been delivered for long.
func (r *Replica) Tick(now time.Duration) {
	r.bequeath(now)
	switch {
	case len(r.open) == 0 && r.missing() == 0:
		r.since, r.tries = now, 0
		return
	case now < r.since+r.pace.patience(r.o.Retry, r.tries):
		return
	}
	r.since = now
	r.tries++
	n := 0
	for seq := r.base + 1; seq <= r.mark && n < batch; seq++ {
		if r.knows(seq) {
			continue
		}
		n++
		r.ask(Send{To{Kind: ToLeader, Group: r.o.Group}, Packet{Kind: MsgAsk, Seq: seq}})
		if to, ok := r.peer(r.o.Group); ok {
			r.ask(Send{to, Packet{Kind: kindFetch, Flags: flagSeq, By: r.o.Group, Member: uint8(r.o.Index), Epoch: r.epoch, Seq: seq}})
		}
	}
	n = 0
	for _, c := range slices.Sorted(maps.Keys(r.scan.left)) {
		if n++; n > batch {
			break
		}
		r.look(c)
	}
	n = 0
	for _, m := range r.waiting() {
		if n++; n > batch {
			break
		}
		if m.payload == nil {
			r.want(m)
			if r.tries >= doubtful && r.failed[m.id.Client] {
				r.find(m)
			}
		}
		// It is decided, or not yet; or the leader has to say again that it has it, and its watermark.
		if (m.payload != nil || m.decided) && (!m.decided || m.epoch != r.epoch || m.final > r.clock) {
			r.restart(m)
		}
	}
	r.deliver(now) // a replica that is left alone has declared a message void, and no packet comes for what waited behind it
}

// waiting are the messages that are not delivered, the oldest first.
func (r *Replica) waiting() []*message {
	list := make([]*message, 0, len(r.open))
	for _, m := range r.open {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b *message) int { return cmp.Or(cmp.Compare(a.lts, b.lts), a.id.compare(b.id)) })
	return list
}

// want asks for a payload: the client, and a replica of each destination.
func (r *Replica) want(m *message) {
	p := Packet{Kind: kindFetch, By: r.o.Group, Member: uint8(r.o.Index), ID: m.id}
	if m.promised {
		if m.decider != r.self() {
			r.ask(Send{m.decider, p})
			return
		}
	} else if !r.failed[m.id.Client] {
		r.ask(Send{To{Kind: ToClient, Client: m.id.Client}, p})
	}
	for _, g := range m.groups.List() {
		if to, ok := r.peer(g); ok {
			r.ask(Send{to, p})
		}
	}
}

// peer is a replica of a group that lives, another one each time.
func (r *Replica) peer(group uint8) (To, bool) {
	d := r.o.Directory[group]
	for range d.Count {
		r.turn++
		i := r.turn % d.Count
		if d.alive(i) && !(group == r.o.Group && i == r.o.Index) {
			return To{Kind: ToReplica, Group: group, Index: i}, true
		}
	}
	return To{}, false
}

// restart starts a message for its client, which may have failed. One that nobody has the payload of
// is not started: it would hold up destinations that have not heard of it, too.
func (r *Replica) restart(m *message) {
	r.Stats.Restarted++
	p := Packet{Kind: MsgStart, Flags: FlagAgain, Groups: m.groups, ID: m.id, Seq: m.id.Number, Digest: m.digest}
	for _, g := range m.groups.List() {
		to := To{Kind: ToLeader, Group: g}
		r.sends = append(r.sends, Send{to, p})
		if m.payload != nil {
			full := p
			full.Payload = m.payload
			r.sends = append(r.sends, Send{to, full})
		}
	}
}

func (r *Replica) ask(x Send) {
	r.Stats.Asked++
	r.sends = append(r.sends, x)
}

// Poll returns the next packet to be sent.
func (r *Replica) Poll() (x Send, ok bool) {
	if len(r.sends) == 0 {
		return x, false
	}
	x = r.sends[0]
	r.sends = r.sends[1:]
	if len(r.sends) == 0 {
		r.sends = nil
	}
	return x, true
}

// Next returns the next message that is delivered.
func (r *Replica) Next() (d Delivery, ok bool) {
	if len(r.ready) == 0 {
		return d, false
	}
	d = r.ready[0]
	r.ready = r.ready[1:]
	if len(r.ready) == 0 {
		r.ready = nil
	}
	return d, true
}

// entry is a message by a time that it had: an entry that no longer holds is skipped.
type entry struct {
	time    uint32
	message *message
}

// messages are entries, the least first.
type messages []entry

func (l messages) Len() int { return len(l) }
func (l messages) Less(i, j int) bool {
	return before(l[i].time, l[i].message.id, l[j].time, l[j].message.id)
}
func (l messages) Swap(i, j int) { l[i], l[j] = l[j], l[i] }

// Push implements heap.Interface.
func (l *messages) Push(x any) { *l = append(*l, x.(entry)) }

// Pop implements heap.Interface.
func (l *messages) Pop() any {
	old := *l
	x := old[len(old)-1]
	*l = old[:len(old)-1]
	return x
}
