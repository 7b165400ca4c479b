package fabric

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/p4ce/p4ce/roce/wire"
)

// What a frame takes on the wire beside its own bytes: preamble and start (8), FCS (4) and the
// gap (12); and the least length of a frame, without FCS (IEEE 802.3, clauses 3 and 4).
const (
	wireOverhead = 24
	minFrame     = 60
	pauseFrame   = minFrame + wireOverhead // bytes of a PFC frame on the wire
)

// LinkConfig is what a link is like, in both directions.
type LinkConfig struct {
	Rate  uint64 // bit/s
	Delay Time   // of the wire, from the last bit sent to the last bit received
	Queue int    // bytes that wait at each end at most; 0: no limit

	// A frame that finds ECNMin bytes or more in the queue is marked with a chance that
	// rises to ECNChance at ECNMax, and always beyond (as DCQCN has it: Zhu et al., SIGCOMM
	// 2015, figure 5). ECNMax of 0, or not above ECNMin: always from ECNMin on. ECNMin of 0: never.
	ECNMin, ECNMax int
	ECNChance      float64

	// A switch stops the sender (PFC: pfc.go) when it holds more than PFCStop bytes of a class that came by this link, and lets it
	// go on at PFCGo. What comes meanwhile has PFCHeadroom bytes; 0: what the link needs (Headroom). Queue does not limit such
	// a class. PFCStop of 0: never. PFCClasses has a bit for each class to which that applies; 0: to all.
	PFCStop, PFCGo, PFCHeadroom int
	PFCClasses                  uint8

	Faults Faults
}

// Faults are what a link does to frames by chance, each with a probability.
type Faults struct {
	Loss, Duplicate, Corrupt float64
}

func (c *LinkConfig) check() error {
	chance := func(what string, p float64) error {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("%s of %v: want 0 to 1", what, p)
		}
		return nil
	}
	switch {
	case c.Rate == 0 || c.Rate > 8e12:
		return fmt.Errorf("rate of %d bit/s: want up to 8 Tb/s", c.Rate)
	case c.Delay < 0:
		return errors.New("delay below 0")
	case c.Queue < 0 || c.ECNMin < 0 || c.ECNMax < 0 || c.PFCStop < 0 || c.PFCGo < 0 || c.PFCHeadroom < 0:
		return errors.New("bytes below 0")
	case c.PFCStop > 0 && c.PFCGo >= c.PFCStop:
		return fmt.Errorf("pfc-go of %d bytes: want less than pfc-stop, %d", c.PFCGo, c.PFCStop)
	}
	return errors.Join(chance("ECN chance", c.ECNChance), chance("loss", c.Faults.Loss),
		chance("duplication", c.Faults.Duplicate), chance("corruption", c.Faults.Corrupt))
}

// Link is a cable between two nodes.
type Link struct {
	Name   string
	Config LinkConfig
	Down   bool
	Half   [2]*Half // each node's direction
	index  int      // among all links
}

// Half is one direction of a link: the queue of the node that sends, its transmitter, and the
// wire.
type Half struct {
	f     *Fabric
	Link  *Link
	Name  string // "from>to"
	From  Node
	To    Node
	Port  uint16 // of From, by which it sends
	Dest  uint16 // of To, by which it comes in
	Count HalfCounters
	Peak  int // bytes that waited at most

	lanes   [Classes]lane
	waiting uint8 // a bit for each class of which frames wait
	stopped uint8 // and for each that is stopped
	turn    int   // the class that may send next
	n       int   // frames that wait
	bytes   int
	busy    bool
	until   Time // when the frame that is being sent will have left
	outgo   int  // frames that are being sent, those that a cut has spoilt included
	flying  int  // on the wire
	epoch   int  // of the link: what was sent before it went down does not arrive
	source  source
	pulls   bool // source is being asked
	again   bool // and is to be asked again if it has nothing
	rnd     *rand.Rand
	rx      Time // from arrival until To handles it
}

// source gives frames when the wire is free: a host's interface, which has its own queues.
type source interface{ pull() *Frame }

// HalfCounters counts what became of frames. Offered + Duplicated is what there was; all others
// but Marked, Corrupted and Pauses add up to that, with what waits and what is on the wire.
type HalfCounters struct {
	Offered, OfferedBytes     uint64
	Delivered, DeliveredBytes uint64
	DropFull                  uint64 // the queue was full, or for a lossless class the headroom
	DropDown                  uint64 // the link was down, or went down
	Lost                      uint64 // by chance
	Duplicated                uint64
	Corrupted                 uint64
	Marked                    uint64 // with CE
	Pauses                    uint64 // stops that the receiver asked for
	Paused                    Time   // how long it was stopped
}

// Events of a Half.
const (
	opSent = iota // the last bit has left
	opArrived
	opStop // of a class
	opGo
)

// op is an event with its class, which it is for while the link is not cut.
func (h *Half) op(kind, class int) int { return kind | class<<2 | h.epoch<<5 }

// Connect makes a link. The name is the nodes' ("h1-leaf1") unless another is given.
func (f *Fabric) Connect(a, b Node, name string, c LinkConfig) (*Link, error) {
	if name == "" {
		name = a.Name() + "-" + b.Name()
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("link %s: %w", name, err)
	}
	if f.links[name] != nil {
		return nil, fmt.Errorf("link %s: the name is used twice", name)
	}
	l := &Link{Name: name, Config: c, index: len(f.Links)}
	f.links[name] = l
	for i, n := range [2][2]Node{{a, b}, {b, a}} {
		l.Half[i] = &Half{f: f, Link: l, Name: n[0].Name() + ">" + n[1].Name(), From: n[0], To: n[1]}
		if name != a.Name()+"-"+b.Name() {
			l.Half[i].Name += "(" + name + ")"
		}
		l.Half[i].rnd = f.Rand("link " + l.Half[i].Name)
	}
	a.connect(l.Half[0])
	b.connect(l.Half[1])
	l.Half[0].Dest, l.Half[1].Dest = l.Half[1].Port, l.Half[0].Port
	f.Links = append(f.Links, l)
	return l, nil
}

// Link finds a link by its name.
func (f *Fabric) Link(name string) (*Link, bool) {
	l, ok := f.links[name]
	return l, ok
}

// Reverse is the other direction.
func (h *Half) Reverse() *Half {
	if h.Link.Half[0] == h {
		return h.Link.Half[1]
	}
	return h.Link.Half[0]
}

// Waiting is how many frames wait in the queue or are being sent.
func (h *Half) Waiting() int { return h.n + h.outgo }

// Flying is how many frames are on the wire.
func (h *Half) Flying() int { return h.flying }

// serial is how long a frame of n bytes takes.
func (h *Half) serial(n int) Time {
	bits := uint64(max(n, minFrame)+wireOverhead) * 8
	return Time(bits * uint64(Second) / 1000 / (h.Link.Config.Rate / 1000))
}

// send takes a frame to be sent.
func (h *Half) send(fr *Frame) {
	c := &h.Link.Config
	h.Count.Offered++
	h.Count.OfferedBytes += uint64(len(fr.B))
	class := classOf(fr.B)
	lossless := fr.in != nil && fr.in.in.Link.Config.lossless(fr.in.class)
	switch {
	case h.Link.Down:
		h.Count.DropDown++
		h.f.release(fr)
		return
	case !lossless && c.Queue > 0 && h.bytes+len(fr.B) > c.Queue, lossless && !fr.in.hold():
		h.Count.DropFull++
		h.f.release(fr)
		return
	}
	if h.marks(h.lanes[class].bytes) && mark(fr.B) {
		h.Count.Marked++
	}
	h.push(class, fr)
	h.Peak = max(h.Peak, h.bytes)
	h.start()
}

// marks reports whether a frame that finds so many bytes in the queue is to be marked.
func (h *Half) marks(waits int) bool {
	c := &h.Link.Config
	switch {
	case c.ECNMin == 0 || waits < c.ECNMin:
		return false
	case waits >= c.ECNMax:
		return true
	}
	return h.rnd.Float64() < c.ECNChance*float64(waits-c.ECNMin)/float64(c.ECNMax-c.ECNMin)
}

// mark sets CE in an IPv4 packet whose sender can do with it, and reports whether it did. The
// header's checksum is mended (RFC 1624); the ICRC does not cover these bits.
func mark(b []byte) bool {
	const at = wire.EthernetLen
	if len(b) < at+20 || b[12] != 8 || b[13] != 0 {
		return false
	}
	if ecn := b[at+1] & 3; ecn == 0 || ecn == 3 {
		return false
	}
	old := binary.BigEndian.Uint16(b[at:])
	b[at+1] |= 3
	sum := uint32(^binary.BigEndian.Uint16(b[at+10:])) + uint32(^old) + uint32(binary.BigEndian.Uint16(b[at:]))
	sum = sum>>16 + sum&0xffff
	sum = sum>>16 + sum&0xffff
	binary.BigEndian.PutUint16(b[at+10:], ^uint16(sum))
	return true
}

// start sends the next frame, if there is one and the wire is free.
func (h *Half) start() {
	if h.busy || h.Link.Down {
		return
	}
	if fr := h.pop(); fr != nil {
		h.begin(fr)
		return
	}
	if h.n > 0 && h.source != nil {
		return // a host whose class is stopped: see Host.Stopped
	}
	fr := h.pull()
	if fr == nil {
		return
	}
	h.Count.Offered++
	h.Count.OfferedBytes += uint64(len(fr.B))
	if h.stopped != 0 {
		if class := classOf(fr.B); h.stopped>>class&1 != 0 {
			h.push(class, fr)
			return
		}
	}
	h.begin(fr)
}

// pull asks the source for a frame. What the source does may lead here again: it is asked once more then,
// if it has nothing. Two frames at once would leave in the wrong order.
func (h *Half) pull() (fr *Frame) {
	if h.source == nil {
		return nil
	}
	if h.again = true; h.pulls {
		return nil
	}
	h.pulls = true
	for h.again && fr == nil {
		h.again = false
		fr = h.source.pull()
	}
	h.pulls = false
	return fr
}

func (h *Half) begin(fr *Frame) {
	h.busy = true
	h.outgo++
	h.until = h.f.Now() + h.serial(len(fr.B))
	h.f.schedule(h.until, h, h.op(opSent, 0), fr)
}

func (h *Half) handle(op int, fr *Frame) {
	old := op>>5 != h.epoch // the link has been down meanwhile
	switch op & 3 {
	case opSent:
		h.outgo--
		h.f.leaves(fr)
		if old {
			h.Count.DropDown++
			h.f.release(fr)
			return
		}
		h.busy = false
		h.fly(fr)
		h.start()
	case opArrived:
		h.flying--
		if old {
			h.Count.DropDown++
			h.f.release(fr)
			return
		}
		h.Count.Delivered++
		h.Count.DeliveredBytes += uint64(len(fr.B))
		h.f.hops++
		for _, t := range h.f.taps {
			t.Frame(h.f.Now()-h.rx, h, fr.B)
		}
		h.To.receive(h, fr)
	case opStop:
		if !old {
			h.stop(op >> 2 & (Classes - 1))
		}
	case opGo:
		if !old {
			h.resume(op >> 2 & (Classes - 1))
			h.start()
		}
	}
}

// fly puts a frame on the wire, and does to it what wires do.
func (h *Half) fly(fr *Frame) {
	c := &h.Link.Config
	if p := c.Faults.Loss; p > 0 && h.rnd.Float64() < p {
		h.Count.Lost++
		h.f.release(fr)
		return
	}
	if p := c.Faults.Corrupt; p > 0 && h.rnd.Float64() < p {
		at, bit := h.rnd.IntN(len(fr.B)), h.rnd.IntN(8)
		if !fr.damaged {
			h.Count.Corrupted++
			fr.B[at] ^= 1 << bit
			fr.damaged = true
		}
	}
	at := h.f.Now() + c.Delay + h.rx
	h.flying++
	h.f.schedule(at, h, h.op(opArrived, 0), fr)
	if p := c.Faults.Duplicate; p > 0 && h.rnd.Float64() < p {
		h.Count.Duplicated++
		h.flying++
		twin := h.f.copied(fr.B)
		twin.damaged = fr.damaged
		h.f.schedule(at, h, h.op(opArrived, 0), twin)
	}
}

// SetDown cuts a link, or mends it. What waits at both ends and what is on the wire is lost.
func (f *Fabric) SetDown(l *Link, down bool) {
	if l.Down == down {
		return
	}
	l.Down = down
	for _, h := range l.Half {
		for class := range h.lanes {
			h.resume(class)
			h.lanes[class].stopping = false
			if !down && h.lanes[class].held > h.Link.Config.PFCGo { // a sender does not begin before the receiver has room
				h.lanes[class].stopping = true
				h.stop(class)
			}
		}
		if down {
			h.epoch++
			h.busy, h.until = false, f.Now() // what is being sent ends as a drop
			for class := range h.lanes {
				for h.lanes[class].n > 0 {
					h.Count.DropDown++
					f.release(h.take(class))
				}
			}
		}
	}
	for _, h := range l.Half {
		h.From.turned(h)
		h.start()
	}
	f.routes.changed(f)
}
