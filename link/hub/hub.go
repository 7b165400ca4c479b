package hub

import (
	"context"
	"fmt"
	"net/netip"
	"sync"

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
	p := &Port{hub: h, addr: a, mac: wire.MAC{2, 0, a[0], a[1], a[2], a[3]}, tx: make([]byte, 0, frameCap)}
	p.init(n)
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
	queue
	hub  *Hub
	addr wire.Addr
	mac  wire.MAC
	tx   []byte
}

// Info implements link.Wire.
func (p *Port) Info() link.Info {
	return link.Info{Addr: p.addr.Netip(), MAC: p.mac, MTU: LinkMTU}
}

// Dropped returns how many frames were lost because the queue was full.
func (p *Port) Dropped() uint64 { return p.dropped.Load() }

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
	p.close()
	return nil
}
