package mu

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

// plain is a region that nobody else reaches.
type plain []byte

func (p plain) Bytes() []byte           { return p }
func (p plain) Access(f func(b []byte)) { f(p) }

// hostile is an environment whose peers, switch and network do anything that the
// contract of Env allows: peers write what they like where they may, and READs return
// what they like.
type hostile struct {
	in      []byte
	core    *Core
	now     time.Duration
	up      map[Path]bool
	posted  map[Path][]Op
	order   []Path // of paths that have operations outstanding; may repeat
	applied Decided
	given   bool // something is to be applied
	fetches bool
	log     plain
	vote    plain
	been    [3]int // in a role
	fast    int    // in accelerated mode
	decided int    // entries
	malice  byte   // how rare ordinary things are
	group   Path   // that was asked for
}

func (h *hostile) byte() byte {
	if len(h.in) == 0 {
		return 0
	}
	b := h.in[0]
	h.in = h.in[1:]
	return b
}

// number is small, near something that the core knows, or anything.
func (h *hostile) number() uint64 {
	b := h.byte()
	switch b >> 6 {
	case 0:
		return uint64(b)
	case 1:
		return h.core.head + uint64(b&63)*8
	case 2:
		return uint64(h.core.promised) + uint64(b&63)
	}
	var n uint64
	for range b & 7 {
		n = n<<8 | uint64(h.byte())
	}
	return n
}

func (h *hostile) bytes(n int) []byte {
	n = min(n, len(h.in))
	b := h.in[:n]
	h.in = h.in[n:]
	return b
}

func (h *hostile) path() Path {
	b := h.byte()
	if b&0x80 != 0 {
		return Path{Kind: Group, Gen: uint32(b & 7)}
	}
	return Path{Peer: ID(b & 3), Kind: Kind(b >> 2 & 1), Route: b >> 3 & 1}
}

// status is a status block with any content, mostly a complete one.
func (h *hostile) status(b []byte) {
	s := status{
		cluster: 7, heartbeat: h.number(), incarnation: h.number(), promised: Term(h.number()), seq: h.number(), head: h.number(),
		headIndex: h.number(), low: h.number(), state: State(h.byte()), route: h.byte(), minGen: uint32(h.number()), logged: h.number(),
	}
	s.encode(b)
}

// friendly is the status block of a peer that grants what it was asked for.
func (h *hostile) friendly(b []byte, id ID) {
	c := h.core
	s := status{cluster: 7, heartbeat: uint64(h.now) + 1, incarnation: 1, promised: c.promised, head: c.head, state: Full, minGen: 7}
	if p := c.peer(id); p != nil {
		s.seq = p.seq
	}
	switch h.byte() & 15 {
	case 0:
		s.head += uint64(h.byte()) * 8
	case 1:
		s.state = Recovering
	case 2:
		s.head -= min(s.head, uint64(h.byte())*8)
	}
	clear(b)
	s.encode(b)
}

// entry writes an entry with any content and a right checksum.
func (h *hostile) entry() {
	pos := h.number()
	left := h.core.geo.left(pos)
	if left < entryHeader {
		return
	}
	e := entry{position: pos, index: h.number(), commit: h.number(), term: Term(h.number()), skip: h.byte()&15 == 0, members: h.byte()&15 == 0}
	if !e.skip {
		e.record = h.bytes(int(min(left-entryHeader, uint64(h.byte()))))
		if e.members && h.byte()&1 == 0 {
			e.record = EncodeMembers([]Member{{ID: 0}, {ID: ID(h.byte() & MaxID)}})
		}
	}
	if entrySize(len(e.record)) <= left {
		off := h.core.geo.slot(pos)
		e.encode(h.log[off : off+left])
	}
}

// step does something that may happen: something ordinary more or less often.
func (h *hostile) step() {
	c := h.core
	h.now += time.Duration(h.byte()&63) * 50 * time.Microsecond
	if h.byte() >= h.malice {
		switch h.byte() & 15 {
		case 0, 1, 2:
			c.Tick(h.now)
		case 3:
			_, _, _ = c.Propose(h.now, h.bytes(int(h.byte())))
			c.Flush(h.now)
		case 4:
			h.apply()
		case 5:
			h.connect()
		default:
			h.finish()
		}
		return
	}
	switch h.byte() % 20 {
	case 0, 1:
		c.Tick(h.now)
	case 2:
		c.Poll(h.now)
	case 3, 4, 5:
		h.finish()
	case 6:
		if p := h.path(); h.up[p] {
			h.end(p)
			c.Down(h.now, p)
		}
	case 7:
		if p := h.path(); !h.up[p] && (p.Kind == Group || c.peer(p.Peer) != nil) {
			h.up[p] = true
			c.Up(h.now, p)
		}
	case 8:
		copy(h.log[h.number()%uint64(len(h.log)):], h.bytes(int(h.byte())))
	case 9:
		copy(h.vote[h.number()%uint64(len(h.vote)):], h.bytes(int(h.byte())))
	case 10, 11:
		h.entry()
	case 12:
		id := ID(h.byte() & 3)
		r := request{
			term: Term(h.number()<<8 | uint64(id)), seq: h.number(), incarnation: h.number(), target: h.number(), route: h.byte(),
			cluster: 7, minGen: uint32(h.number()), snapshot: h.byte()&7 == 0, full: h.byte()&1 == 0,
		}
		r.encode(h.vote[offRequest+requestLen*int(id):])
		c.Poll(h.now)
	case 13:
		binary.LittleEndian.PutUint64(h.log[offCommit:], h.number())
		c.Poll(h.now)
	case 14:
		h.apply()
	case 15:
		if h.fetches {
			h.fetches = false
			var members []Member
			if h.byte()&1 == 0 {
				members = []Member{{ID: 0}, {ID: ID(h.byte() & 3)}}
				if CheckMembers(members) != nil {
					members = nil
				}
			}
			c.Fetched(h.now, h.byte()&1 == 0, h.number()&^7, h.number(), members)
		}
	case 16:
		_, _, _ = c.Propose(h.now, h.bytes(int(h.byte())))
		c.Flush(h.now)
	case 17:
		_ = c.Barrier(h.now, uint64(h.byte()))
		c.Hold(h.now, ID(h.byte()), h.number())
	case 18:
		c.GroupFailed(h.now, uint32(h.byte()&7))
		c.Logged(h.now, Term(h.number()), h.number())
	case 19:
		members := []Member{{ID: 0}, {ID: 1}, {ID: 2}, {ID: 3}}[:1+h.byte()&3]
		_ = c.AddLearner(h.now, &members[len(members)-1])
		_ = c.ChangeMembership(h.now, members)
	}
}

// connect brings a path up that is not, if there is one.
func (h *hostile) connect() {
	paths := []Path{h.group} // Gen 0: none was asked for
	for _, p := range h.core.peers {
		for r := range uint8(Routes) {
			paths = append(paths, Path{Peer: p.id, Kind: Control, Route: r}, Path{Peer: p.id, Kind: Replication, Route: r})
		}
	}
	for _, p := range paths {
		if (p.Kind != Group || p.Gen != 0) && !h.up[p] {
			h.up[p] = true
			h.core.Up(h.now, p)
			return
		}
	}
}

// apply says that everything is applied.
func (h *hostile) apply() {
	if !h.given {
		return
	}
	h.given = false
	index := h.applied.Index
	if h.applied.Members == nil {
		index++
	}
	h.core.Applied(h.now, h.applied.Position, index)
}

// finish executes the oldest operation.
func (h *hostile) finish() {
	for len(h.order) > 0 {
		p := h.order[0]
		h.order = h.order[1:]
		ops := h.posted[p]
		if !h.up[p] || len(ops) == 0 {
			continue
		}
		h.posted[p] = ops[1:]
		if op := ops[0]; op.Read {
			switch {
			case op.Region == LogRegion && h.byte()&1 == 0:
				// Of a peer whose log is like this one's.
				copy(op.Data, h.log[op.Offset:])
			case op.Region == ElectionRegion && op.Offset == 0 && len(op.Data) >= statusLen && h.byte()&15 != 0:
				if h.byte()&15 == 0 {
					h.status(op.Data)
				} else {
					h.friendly(op.Data, p.Peer)
				}
			case op.Region == ElectionRegion && h.byte()&31 != 0:
				clear(op.Data)
			default:
				copy(op.Data, h.bytes(int(h.byte())))
			}
		}
		h.core.Done(h.now, p, 1)
		return
	}
}

func (h *hostile) end(p Path) { h.up[p], h.posted[p] = false, nil }

func (h *hostile) Post(op Op) {
	if !h.up[op.Path] {
		panic("posts on path " + op.Path.String() + ", which is not up")
	}
	h.posted[op.Path] = append(h.posted[op.Path], op)
	h.order = append(h.order, op.Path)
}

func (h *hostile) Apply(d Decided) {
	if d.Position <= h.applied.Position && h.given {
		panic("applies backwards")
	}
	h.applied, h.given = d, true
	h.decided++
}
func (h *hostile) Reset(p Path)          { h.end(p) }
func (h *hostile) DropGroup(gen uint32)  { h.end(Path{Kind: Group, Gen: gen}) }
func (h *hostile) Fetch(ID)              { h.fetches = true }
func (h *hostile) Permit(Permission)     {}
func (h *hostile) Role(s Status)         { h.been[s.Role]++; h.fast += int(s.Mode) }
func (h *hostile) SteppedDown()          {}
func (h *hostile) Room()                 {}
func (h *hostile) Promise(Stored) bool   { return true }
func (h *hostile) Log(Logged)            {}
func (h *hostile) Eventf(string, ...any) {}

func (h *hostile) FormGroup(gen uint32, _ Term, _ []ID, _ int) {
	h.group = Path{Kind: Group, Gen: gen}
	h.up[h.group] = false
}
func (h *hostile) Leased(time.Duration)     {}
func (h *hostile) Confirmed(uint64, uint64) {}

func (h *hostile) Connect(members []Member) {
	for p := range h.up {
		if p.Kind != Group && !hasMember(members, p.Peer) {
			h.end(p)
		}
	}
}

// play starts a core, with all paths so that the input need not find these, and does
// what the input says.
func play(tb testing.TB, in []byte) *hostile {
	h := &hostile{in: in, up: map[Path]bool{}, posted: map[Path][]Op{}, log: make(plain, MinLogSize), vote: make(plain, ElectionSize)}
	core, err := New(Config{
		ID: 0, Cluster: 7, Members: []Member{{ID: 0}, {ID: 1}, {ID: 2}}, Log: h.log, Election: h.vote, Switch: true,
	}, h)
	if err != nil {
		tb.Fatal(err)
	}
	h.core = core
	for _, p := range core.peers {
		for r := range uint8(Routes) {
			for _, k := range [...]Kind{Control, Replication} {
				path := Path{Peer: p.id, Kind: k, Route: r}
				h.up[path] = true
				core.Up(0, path)
			}
		}
	}
	h.malice = h.byte()
	if h.malice&1 == 0 {
		h.malice /= 16
	}
	for len(h.in) > 0 {
		h.step()
	}
	return h
}

var hostiles = flag.Int("hostiles", 1000, "TestHostile: number of runs")

// FuzzCore lets everything around a core do what it likes, within the contract: it
// must not crash, nor use a path that is not up.
func FuzzCore(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x00\x00\x00\x07\x01\x00\x07\x02\x10\x00\x10\x03\x10\x03\x10\x03\x10\x03\x10\x0c\x01\x01\x01"))
	f.Fuzz(func(t *testing.T, in []byte) { play(t, in[:min(len(in), 1<<16)]) })
}

// TestHostile is FuzzCore with random input, long enough to get everywhere.
func TestHostile(t *testing.T) {
	var been [3]int
	var fast, decided int
	for seed := range uint64(*hostiles) {
		rng := rand.New(rand.NewPCG(seed, 0))
		in := make([]byte, rng.IntN(20000))
		for i := range in {
			in[i] = byte(rng.Uint32())
		}
		h := play(t, in)
		for r, n := range h.been {
			been[r] += n
		}
		fast += h.fast
		decided += h.decided
	}
	t.Logf("followers %d, candidates %d, leaders %d, accelerated %d, entries %d", been[Follower], been[Candidate], been[Leader], fast, decided)
	if been[Candidate] == 0 || been[Leader] == 0 || fast == 0 || decided == 0 {
		t.Error("the input does not get far")
	}
}
