package baseline

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/amcast"
)

// hostPort is the UDP port of hosts on real links: none of those that p4/amcast looks at, so that its switches only forward.
const hostPort = 0x88c0

// Host is a process on a real link. Links keep the order of packets, and must lose none: what is lost stops everything.
type Host struct {
	link    link.Link
	own     amcast.End
	all     []amcast.End // of all processes, by number
	window  int
	process *Process

	mu      sync.Mutex // of what follows, of the process, and of sending
	changed sync.Cond
	ready   []amcast.Delivery
	closed  bool
	ended   sync.WaitGroup
}

// OpenHost starts process number on a link, which Close closes. all are the addresses of all processes, and window is how
// many of its messages may be under way.
func OpenHost(l link.Link, number int, groups Groups, all []amcast.End, window int) *Host {
	h := &Host{link: l, own: all[number], all: all, window: window}
	h.changed.L = &h.mu
	h.process = NewProcess(number, groups, h.send, func(d *amcast.Delivery) { h.ready = append(h.ready, *d) }, func(amcast.ID) {})
	h.ended.Go(h.receive)
	return h
}

// Close ends the host.
func (h *Host) Close() {
	_ = h.link.Close()
	h.ended.Wait()
}

// send queues a packet. mu is held.
func (h *Host) send(to int, p *amcast.Packet) {
	a := h.all[to]
	f := p.Append(h.link.Buffer(), amcast.Ends{SrcMAC: h.own.MAC, DstMAC: a.MAC, Src: h.own.IP, Dst: a.IP, SrcPort: hostPort, DstPort: amcast.HostPort})
	port(f, hostPort)
	h.link.Send(f)
}

// port changes the port that a frame is for. There is no UDP checksum.
func port(f []byte, to uint16) {
	f[udpAt+2], f[udpAt+3] = byte(to>>8), byte(to)
}

const udpAt = wire.EthernetLen + wire.IPv4Len

// receive takes frames off the link.
func (h *Host) receive() {
	frames := make([][]byte, 64)
	for {
		n, err := h.link.Receive(frames)
		h.mu.Lock()
		if errors.Is(err, net.ErrClosed) {
			h.closed = true
			h.changed.Broadcast()
			h.mu.Unlock()
			return
		}
		for _, f := range frames[:n] {
			h.take(f)
		}
		_ = h.link.Flush() // what is not sent is lost, as on a network
		h.changed.Broadcast()
		h.mu.Unlock()
	}
}

// take takes a frame. mu is held.
func (h *Host) take(f []byte) {
	if len(f) < udpAt+wire.UDPLen || wire.UDP(f[udpAt:]).DstPort() != hostPort {
		return
	}
	f = slices.Clone(f) // it is the link's
	port(f, amcast.HostPort)
	var p amcast.Packet
	if e, err := p.Parse(f); err == nil && e.Dst == h.own.IP && h.sound(&p) {
		h.process.Receive(&p)
	}
}

// sound reports whether a packet says something of processes that there are.
func (h *Host) sound(p *amcast.Packet) bool {
	if p.Kind != start && int(p.Member) >= len(h.process.groups[p.By]) {
		return false
	}
	if p.Kind == bump {
		return h.process.member != nil && p.By == h.process.member.group
	}
	known := !slices.ContainsFunc(p.Groups.List(), func(g uint8) bool { return h.process.groups[g] == nil })
	return known && p.Groups.Valid() && int(p.ID.Client) < len(h.all) && (p.Kind == start || p.Groups.Has(p.By)) && (p.Kind == done || h.process.member != nil && p.Groups.Has(h.process.member.group))
}

// wait waits until something is so, and then does something. mu is held meanwhile.
func (h *Host) wait(ctx context.Context, so func() bool, then func()) error {
	stop := context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.changed.Broadcast()
	})
	defer stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for !so() {
		switch {
		case h.closed:
			return net.ErrClosed
		case ctx.Err() != nil:
			return ctx.Err()
		}
		h.changed.Wait()
	}
	then()
	return nil
}

// Multicast sends a message. It waits for room in the window.
func (h *Host) Multicast(ctx context.Context, groups amcast.Groups, payload []byte) (err error) {
	for _, g := range groups.List() {
		if h.process.groups[g] == nil {
			return fmt.Errorf("group %d is not known", g)
		}
	}
	return h.wait(ctx, func() bool { return h.process.Open() < h.window }, func() {
		h.process.Multicast(groups, slices.Clone(payload))
		_ = h.link.Flush()
	})
}

// Deliver waits for the next message that the process delivers.
func (h *Host) Deliver(ctx context.Context) (d amcast.Delivery, err error) {
	err = h.wait(ctx, func() bool { return len(h.ready) > 0 }, func() { d, h.ready = h.ready[0], h.ready[1:] })
	return d, err
}
