package interp

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/wire"
)

// queueDepth is how many frames may wait for a port: the egress queue.
const queueDepth = 2048

// port is a real port: a wire, with one goroutine that reads it and one that
// writes what the pipeline has queued.
type port struct {
	num    dataplane.Port
	iface  string
	w      wire.Wire
	queue  chan *[]byte
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	rxFrames, rxBytes, txFrames, txBytes, txErrors atomic.Uint64
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 2048); return &b }}

// enqueue copies a frame into the egress queue; false when it is full.
func (p *port) enqueue(frame []byte) bool {
	b := buffers.Get().(*[]byte)
	*b = append((*b)[:0], frame...)
	select {
	case p.queue <- b:
		return true
	default:
		buffers.Put(b)
		return false
	}
}

// AddPort puts an interface on a port: a network interface, or a datagram wire
// (see package wire).
func (t *Target) AddPort(num dataplane.Port, iface string) error {
	t.mu.Lock()
	err := t.checkFree(num)
	t.mu.Unlock()
	if err != nil {
		return err
	}
	w, err := wire.Open(iface)
	if err != nil {
		return fmt.Errorf("port %d: %w", num, err)
	}
	if err := t.AddWire(num, iface, w); err != nil {
		w.Close()
		return err
	}
	return nil
}

func (t *Target) checkFree(num dataplane.Port) error {
	switch {
	case t.closed:
		return fmt.Errorf("port %d: the target is closed", num)
	case num.Check() != nil:
		return num.Check()
	case num == t.cpu:
		return fmt.Errorf("port %d: is the CPU port, which needs no interface in this target", num)
	case t.ports[num] != nil:
		return fmt.Errorf("port %d: has interface %s already", num, t.ports[num].iface)
	}
	return nil
}

// AddWire puts an open wire on a port, which from then on owns it.
func (t *Target) AddWire(num dataplane.Port, name string, w wire.Wire) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.checkFree(num); err != nil {
		return err
	}
	p := &port{num: num, iface: name, w: w, queue: make(chan *[]byte, queueDepth)}
	p.ctx, p.cancel = context.WithCancel(t.ctx)
	t.ports[num] = p
	p.wg.Add(2)
	go t.read(p)
	go t.write(p)
	return nil
}

func (t *Target) read(p *port) {
	defer p.wg.Done()
	buf := make([]byte, wire.MaxFrame)
	for {
		n, err := p.w.ReadFrame(buf)
		if err != nil {
			if wire.Closed(err) || !p.pause(err, t) {
				return
			}
			continue
		}
		p.rxFrames.Add(1)
		p.rxBytes.Add(uint64(n))
		t.receive(p.num, buf[:n])
	}
}

// pause waits a little after an error that may pass (an interface that is
// down); false when the port is being removed.
func (p *port) pause(err error, t *Target) bool {
	t.log.Warn("port cannot receive", "port", p.num, "interface", p.iface, "err", err)
	select {
	case <-p.ctx.Done():
		return false
	case <-time.After(100 * time.Millisecond):
		return true
	}
}

func (t *Target) write(p *port) {
	defer p.wg.Done()
	for {
		select {
		case <-p.ctx.Done():
			return
		case b := <-p.queue:
			if err := p.w.WriteFrame(*b); err != nil {
				p.txErrors.Add(1)
			} else {
				p.txFrames.Add(1)
				p.txBytes.Add(uint64(len(*b)))
			}
			buffers.Put(b)
		}
	}
}

func (p *port) stop() {
	p.cancel()
	p.w.Close()
	p.wg.Wait()
}

// RemovePort takes the interface off a port. Frames that still wait are lost.
func (t *Target) RemovePort(num dataplane.Port) error {
	t.mu.Lock()
	p, ok := t.ports[num]
	if ok {
		delete(t.ports, num)
		t.drops[dataplane.DropPortError] += p.txErrors.Load()
	}
	t.mu.Unlock()
	if !ok {
		return fmt.Errorf("port %d: %w", num, dataplane.ErrNotFound)
	}
	p.stop() // not under t.mu, which its reader may be waiting for
	return nil
}

// Ports lists the ports, the CPU port included, in order of their numbers.
func (t *Target) Ports() []dataplane.PortInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []dataplane.PortInfo{{Port: t.cpu, CPU: true, Up: true}}
	for _, p := range t.ports {
		out = append(out, dataplane.PortInfo{
			Port: p.num, Interface: p.iface, Up: p.w.Up(),
			RX: dataplane.Counter{Packets: p.rxFrames.Load(), Bytes: p.rxBytes.Load()},
			TX: dataplane.Counter{Packets: p.txFrames.Load(), Bytes: p.txBytes.Load()},
		})
	}
	slices.SortFunc(out, func(a, b dataplane.PortInfo) int { return int(a.Port) - int(b.Port) })
	return out
}

// Close stops all ports and forgets the pipeline. It waits for packets that
// are under way.
func (t *Target) Close() error {
	t.mu.Lock()
	ports := t.ports
	t.ports = map[dataplane.Port]*port{}
	t.p, t.closed = nil, true
	t.events = dataplane.Events{}
	t.mu.Unlock()
	t.cancel()
	for _, p := range ports {
		p.stop()
	}
	return nil
}
