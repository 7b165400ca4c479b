package fabric

import (
	"fmt"
	"math/bits"

	"github.com/p4ce/p4ce/roce/wire"
)

// Classes is how many classes of service there are. A frame's is the upper three bits of its DSCP (RFC 2474, 4.2.2: the class
// selector); what is not IPv4 is of class 0.
const Classes = 8

// ClassTOS is the IPv4 type of service of a class, with room for ECN.
func ClassTOS(class int) byte { return byte(class) << 5 }

func classOf(b []byte) int {
	if len(b) < wire.EthernetLen+2 || b[12] != 8 || b[13] != 0 {
		return 0
	}
	return int(b[wire.EthernetLen+1] >> 5)
}

// PFC (IEEE 802.1Q, clause 36: priority-based flow control).
//
//	──▶ Half ──▶ switch: holds frames that came by the Half, by class
//	               │  more than PFCStop: stop ─┐
//	     paused ◀──┼───────────────────────────┘   after the frame that the other direction is sending, and the wire
//	               │  PFCGo or less: go
//	               ▼
//	          queue of a Half: no limit for a lossless class; what is beyond PFCStop and the headroom is dropped
//
// lane is what one class has of a Half: a queue of its own, which its receiver may stop, and what the receiver holds.
type lane struct {
	queue  []*Frame // a ring
	head   int
	n      int
	bytes  int
	paused bool

	held     int  // bytes that To holds of what came by here
	stopping bool // To has said stop
	pausedAt Time
	count    ClassCounters
}

// ClassCounters counts what PFC did to a class of a Half.
type ClassCounters struct {
	Pauses uint64 // stops that the receiver asked for
	Paused Time   // how long it was stopped
}

// Class says what PFC has done to a class so far, and whether the class is stopped now.
func (h *Half) Class(class int) (c ClassCounters, stopped bool) {
	l := &h.lanes[class]
	c = l.count
	if l.paused {
		c.Paused += h.f.Now() - l.pausedAt
	}
	return c, l.paused
}

// Stopped is a bit for each class that the receiver of what the host sends has stopped. Endpoints give no frames of these, or the first
// one keeps others waiting.
func (h *Host) Stopped() uint8 { return h.out.stopped }

// lossless reports whether PFC keeps frames of a class.
func (c *LinkConfig) lossless(class int) bool {
	return c.PFCStop > 0 && (c.PFCClasses == 0 || c.PFCClasses>>class&1 != 0)
}

// Headroom is how many bytes of a class may come by a link after a switch has asked its sender to stop: what is sent until the sender
// knows, and what is on the wire and in the switch then. latency is the switch's.
func (c *LinkConfig) Headroom(latency Time) int {
	until := 2*c.Delay + latency + Time(pauseFrame)*8*Second/Time(c.Rate)
	// Besides a frame that the stop must wait for, one that has just begun, and the one that was too much.
	return int(float64(until)/float64(Second)*float64(c.Rate)/8) + 3*(maxFrame+wireOverhead)
}

// ingress is what a switch holds of a frame: its bytes are in the switch's memory once, however many copies wait to leave.
type ingress struct {
	in     *Half
	class  int
	bytes  int
	copies int  // frames that have it
	held   bool // it is counted
	next   *ingress
}

// comes notes by which way a frame came in; nil for what a controller sends.
func (f *Fabric) comes(in *Half, b []byte) *ingress {
	g := f.ingresses
	if g == nil {
		g = &ingress{}
	} else {
		f.ingresses = g.next
	}
	*g = ingress{in: in, class: classOf(b), bytes: len(b)}
	return g
}

// hold counts a frame of which a copy begins to wait, and stops the sender when that is too much. It returns false if there is no room
// for it.
func (g *ingress) hold() bool {
	h, l := g.in, &g.in.lanes[g.class]
	c := &h.Link.Config
	if g.held || !c.lossless(g.class) {
		return true
	}
	if l.held+g.bytes > c.PFCStop+h.headroom() {
		return false
	}
	g.held = true
	if l.held += g.bytes; l.held > c.PFCStop && !l.stopping {
		l.stopping = true
		l.count.Pauses++
		h.Count.Pauses++
		h.say(opStop, g.class)
	}
	return true
}

// leaves is when a copy has left, or is lost.
func (f *Fabric) leaves(fr *Frame) {
	g := fr.in
	if fr.in = nil; g == nil {
		return
	}
	if g.copies--; g.copies > 0 {
		return
	}
	h, l := g.in, &g.in.lanes[g.class]
	if g.held {
		if l.held -= g.bytes; l.stopping && l.held <= h.Link.Config.PFCGo {
			l.stopping = false
			h.say(opGo, g.class)
		}
	}
	g.next, f.ingresses = f.ingresses, g
}

func (h *Half) headroom() int {
	if n := h.Link.Config.PFCHeadroom; n > 0 {
		return n
	}
	return h.Link.Config.Headroom(h.rx)
}

// say sends the sender of a Half a PFC frame. It overtakes what waits in the other direction, but not what is being sent, and is not
// lost. A stop holds until the go: there is no timer that it must be repeated for.
func (h *Half) say(op, class int) {
	at := max(h.f.Now(), h.Reverse().until) + h.serial(pauseFrame-wireOverhead) + h.Link.Config.Delay
	h.f.schedule(at, h, h.op(op, class), nil)
}

// stop and resume are when the sender hears it.
func (h *Half) stop(class int) {
	l := &h.lanes[class]
	if l.paused {
		return
	}
	l.paused, l.pausedAt = true, h.f.Now()
	h.stopped |= 1 << class
}

func (h *Half) resume(class int) {
	l := &h.lanes[class]
	if !l.paused {
		return
	}
	l.paused = false
	h.stopped &^= 1 << class
	l.count.Paused += h.f.Now() - l.pausedAt
	h.Count.Paused += h.f.Now() - l.pausedAt
}

// push adds a frame to the queue of its class, and pop takes the next of a class that may send: classes take turns.
func (h *Half) push(class int, fr *Frame) {
	l := &h.lanes[class]
	if l.n == len(l.queue) {
		next := make([]*Frame, max(64, 2*len(l.queue)))
		for i := range l.n {
			next[i] = l.queue[(l.head+i)&(len(l.queue)-1)]
		}
		l.queue, l.head = next, 0
	}
	l.queue[(l.head+l.n)&(len(l.queue)-1)] = fr
	l.n++
	l.bytes += len(fr.B)
	h.n++
	h.bytes += len(fr.B)
	h.waiting |= 1 << class
}

func (h *Half) pop() *Frame {
	may := h.waiting &^ h.stopped
	if may == 0 {
		return nil
	}
	class := bits.TrailingZeros8(may)
	if later := may &^ (1<<h.turn - 1); later != 0 {
		class = bits.TrailingZeros8(later)
	}
	h.turn = (class + 1) % Classes
	return h.take(class)
}

func (h *Half) take(class int) *Frame {
	l := &h.lanes[class]
	fr := l.queue[l.head]
	l.queue[l.head] = nil
	l.head = (l.head + 1) & (len(l.queue) - 1)
	l.n--
	l.bytes -= len(fr.B)
	h.n--
	h.bytes -= len(fr.B)
	if l.n == 0 {
		h.waiting &^= 1 << class
	}
	return fr
}

// paused says which of its rules PFC breaks: a sender is told to go when it may.
func (h *Half) paused() error {
	for class := range h.lanes {
		if l := &h.lanes[class]; l.held < 0 || l.stopping && l.held <= h.Link.Config.PFCGo {
			return fmt.Errorf("%s: class %d is stopped, and the receiver holds %d bytes", h.Name, class, l.held)
		}
	}
	return nil
}
