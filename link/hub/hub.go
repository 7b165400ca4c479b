package hub

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/roce/wire"
)

// LinkMTU is the MTU of a hub's links: enough for path MTU 4096.
const LinkMTU = 4500

// frameCap is the room of a port's buffers.
const frameCap = LinkMTU + wire.EthernetLen

// Hub joins ports. The zero value is ready to use.
type Hub struct {
	mu     sync.RWMutex
	ports  map[wire.Addr]*Port
	filter func(frame []byte) bool
}

// New makes a hub without ports.
func New() *Hub { return &Hub{ports: map[wire.Addr]*Port{}} }

// SetFilter makes the hub ask f about each frame: false loses it. f may change
// the frame. It is called by the sending goroutines, several at a time.
func (h *Hub) SetFilter(f func(frame []byte) bool) {
	h.mu.Lock()
	h.filter = f
	h.mu.Unlock()
}

// Attach adds a port whose queue has room for n frames (0: 1024).
func (h *Hub) Attach(addr netip.Addr, n int) (*Port, error) {
	a, ok := wire.AddrFrom(addr)
	if !ok {
		return nil, fmt.Errorf("hub: address %v is not IPv4", addr)
	}
	if n == 0 {
		n = 1024
	}
	p := &Port{
		hub: h, addr: a, mac: wire.MAC{2, 0, a[0], a[1], a[2], a[3]}, tx: make([]byte, 0, frameCap),
		queue: make([][]byte, n), out: make([][]byte, n),
	}
	p.ready.L = &p.mu
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ports[a] != nil {
		return nil, fmt.Errorf("hub: address %v is in use", addr)
	}
	h.ports[a] = p
	return p, nil
}

// Port is a link.Wire.
type Port struct {
	hub     *Hub
	addr    wire.Addr
	mac     wire.MAC
	tx      []byte
	dropped atomic.Uint64

	mu     sync.Mutex
	ready  sync.Cond
	queue  [][]byte // ring of buffers, those from head on hold frames
	head   int
	n      int
	out    [][]byte // buffers that the last Receive handed out
	lent   int
	closed bool
}

// Info implements link.Wire.
func (p *Port) Info() link.Info {
	return link.Info{Addr: p.addr.Netip(), MAC: p.mac, MTU: LinkMTU}
}

// Dropped returns how many frames were lost because the queue was full.
func (p *Port) Dropped() uint64 { return p.dropped.Load() }

// Receive implements link.Wire.
func (p *Port) Receive(frames [][]byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.giveBack()
	for p.n == 0 {
		if p.closed {
			return 0, net.ErrClosed
		}
		p.ready.Wait()
	}
	n := min(len(frames), p.n)
	for i := range n {
		// Queue and lent buffers change places, so that none is copied.
		slot := &p.queue[p.head]
		frames[i] = *slot
		p.out[i] = *slot
		*slot = nil
		p.head = (p.head + 1) % len(p.queue)
	}
	p.n -= n
	p.lent = n
	return n, nil
}

// giveBack returns the buffers of the last Receive to slots that lack one.
func (p *Port) giveBack() {
	i := (p.head + p.n) % len(p.queue)
	for k := 0; p.lent > 0 && k < len(p.queue)-p.n; k++ {
		if p.queue[i] == nil {
			p.lent--
			p.queue[i] = p.out[p.lent][:0]
			p.out[p.lent] = nil
		}
		i = (i + 1) % len(p.queue)
	}
	p.lent = 0
}

// put copies a frame into the queue.
func (p *Port) put(frame []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	if p.n == len(p.queue) {
		p.dropped.Add(1)
		return
	}
	slot := &p.queue[(p.head+p.n)%len(p.queue)]
	if *slot == nil {
		*slot = make([]byte, 0, frameCap)
	}
	*slot = append((*slot)[:0], frame...)
	p.n++
	p.ready.Signal()
}

// Buffer implements link.Wire.
func (p *Port) Buffer() []byte { return p.tx[:0] }

// Send implements link.Wire. Frames to addresses without a port vanish.
func (p *Port) Send(frame []byte) {
	if len(frame) < wire.EthernetLen+wire.IPv4Len {
		return
	}
	h := p.hub
	h.mu.RLock()
	to, filter := h.ports[wire.IPv4(frame[wire.EthernetLen:]).Dst()], h.filter
	h.mu.RUnlock()
	if to == nil || filter != nil && !filter(frame) {
		return
	}
	to.put(frame)
}

// Flush implements link.Wire.
func (p *Port) Flush() error { return nil }

// Resolve implements link.Wire. A hub knows its ports only.
func (p *Port) Resolve(_ context.Context, ip netip.Addr) (wire.MAC, error) {
	a, ok := wire.AddrFrom(ip)
	p.hub.mu.RLock()
	to := p.hub.ports[a]
	p.hub.mu.RUnlock()
	if !ok || to == nil {
		return wire.MAC{}, fmt.Errorf("hub: no port has address %v", ip)
	}
	return to.mac, nil
}

// Close implements link.Wire and takes the port out of the hub.
func (p *Port) Close() error {
	p.hub.mu.Lock()
	delete(p.hub.ports, p.addr)
	p.hub.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.ready.Broadcast()
	return nil
}
