package baseline

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"

	"github.com/p4ce/p4ce/link"
)

// Host is a host of a sequencer on a real link: its processes, or the sequencer. The packets are those of a Network. Links
// keep the order of packets, and may lose some: what is lost is not delivered at all.
type Host struct {
	link      link.Link
	own       Address
	sequencer Address
	all       []Address // of all processes, by number

	mu     sync.Mutex // of sending, and of what follows
	number uint64     // the sequencer's: the next one
	procs  map[int]*Proc
	ended  sync.WaitGroup
}

// Proc is a process.
type Proc struct {
	h       *Host
	number  int
	next    uint64 // the least number that may still come
	ready   []Delivery
	arrived chan struct{} // has one element if there may be something to receive
}

// Delivery is a message in its place.
type Delivery struct {
	From int
	Data []byte
}

// OpenHost starts a host, which closes its link. all are the addresses of all processes, by number; those that are at the
// host's own address are its processes.
func OpenHost(l link.Link, own, sequencer Address, all []Address) *Host {
	h := &Host{link: l, own: own, sequencer: sequencer, all: all, procs: map[int]*Proc{}}
	for n, a := range all {
		if a == own {
			h.procs[n] = &Proc{h: h, number: n, arrived: make(chan struct{}, 1)}
		}
	}
	h.ended.Go(h.receive)
	return h
}

// Proc is a process of the host, nil if it is not there.
func (h *Host) Proc(number int) *Proc { return h.procs[number] }

// Close ends the host.
func (h *Host) Close() {
	_ = h.link.Close()
	h.ended.Wait()
}

func (h *Host) receive() {
	frames := make([][]byte, 64)
	for {
		n, err := h.link.Receive(frames)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		h.mu.Lock()
		for _, f := range frames[:n] {
			h.take(f)
		}
		_ = h.link.Flush() // what is not sent is lost, as on a network
		h.mu.Unlock()
	}
}

// take takes a frame. mu is held.
func (h *Host) take(frame []byte) {
	var p packet
	if !p.parse(frame) {
		return
	}
	switch p.what {
	case request:
		p.what, p.number = message, h.number
		h.number++
		for i := range h.all {
			p.to = (p.from + 1 + i) % len(h.all)
			h.send(&p, h.all[p.to])
		}
	case message:
		proc := h.procs[p.to]
		if proc == nil || p.from >= len(h.all) {
			return
		}
		h.send(&packet{what: ack, from: p.to, to: p.from, number: p.number, data: ackData}, h.all[p.from])
		if p.number < proc.next {
			return
		}
		proc.next = p.number + 1
		proc.deliver(&p)
	}
}

// send queues a packet. mu is held.
func (h *Host) send(p *packet, to Address) { h.link.Send(p.frame(h.own, to, h.link.Buffer())) }

// deliver hands over a message. mu is held.
func (p *Proc) deliver(m *packet) {
	p.ready = append(p.ready, Delivery{m.from, slices.Clone(m.data)})
	select {
	case p.arrived <- struct{}{}:
	default:
	}
}

// Broadcast sends a message to all.
func (p *Proc) Broadcast(data []byte) error {
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	p.h.send(&packet{what: request, from: p.number, to: -1, data: data}, p.h.sequencer)
	return p.h.link.Flush()
}

// Receive waits for the next message. One goroutine at a time calls it.
func (p *Proc) Receive(ctx context.Context) (Delivery, error) {
	for {
		p.h.mu.Lock()
		if len(p.ready) > 0 {
			d := p.ready[0]
			p.ready = p.ready[1:]
			p.h.mu.Unlock()
			return d, nil
		}
		p.h.mu.Unlock()
		select {
		case <-p.arrived:
		case <-ctx.Done():
			return Delivery{}, ctx.Err()
		}
	}
}
