package interp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/datagram"
	"github.com/p4ce/p4ce/link/packet"
)

// batch is how many frames the pipeline takes from a port before others have a turn.
const batch = 32

// port is a real port: a link, with a goroutine that receives from it.
type port struct {
	num    dataplane.Port
	iface  string
	link   link.Port
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	rxFrames, rxBytes atomic.Uint64

	// Guarded by Target.mu, as are the link's Buffer, Send and Flush.
	dirty   bool // something is to be flushed
	removed bool
}

// AddPort attaches an interface to a port: a network interface (package link/packet), or sockets
// that carry a frame per datagram (package link/datagram).
func (t *Target) AddPort(num dataplane.Port, iface string) error {
	t.mu.Lock()
	err := t.checkFree(num)
	t.mu.Unlock()
	if err != nil {
		return err
	}
	l, err := open(iface)
	if err != nil {
		return fmt.Errorf("port %d: %w", num, err)
	}
	if err := t.AddLink(num, iface, l); err != nil {
		l.Close()
		return err
	}
	return nil
}

func open(iface string) (link.Port, error) {
	if datagram.IsPort(iface) {
		return datagram.OpenPort(iface)
	}
	return packet.OpenPort(iface)
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

// AddLink attaches an open link to a port, which then owns the link.
func (t *Target) AddLink(num dataplane.Port, name string, l link.Port) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.checkFree(num); err != nil {
		return err
	}
	p := &port{num: num, iface: name, link: l}
	p.ctx, p.cancel = context.WithCancel(t.ctx)
	t.ports[num] = p
	p.wg.Go(func() { t.read(p) })
	return nil
}

func (t *Target) read(p *port) {
	frames := make([][]byte, batch)
	for {
		n, err := p.link.Receive(frames)
		if err != nil {
			if errors.Is(err, net.ErrClosed) || !p.pause(err, t) {
				return
			}
			continue
		}
		t.receive(p, frames[:n])
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

// send gives a frame to the link; flush hands it over. t.mu is held.
func (t *Target) send(p *port, frame []byte) {
	p.link.Send(append(p.link.Buffer(), frame...))
	if !p.dirty {
		p.dirty = true
		t.dirty = append(t.dirty, p)
	}
}

// flush hands over what has been sent. Links do not wait for the other end. t.mu is held.
func (t *Target) flush() {
	for _, p := range t.dirty {
		p.dirty = false
		_ = p.link.Flush() // an error is that of frames, which the link counts
	}
	t.dirty = t.dirty[:0]
}

func (p *port) stop() {
	p.cancel()
	p.link.Close()
	p.wg.Wait()
}

// lost adds what a port has lost to drops.
func (p *port) lost(drops map[string]uint64) {
	c := p.link.Counters()
	drops[dataplane.DropPortFull] += c.NoRoom
	drops[dataplane.DropPortError] += c.Refused + c.TooLong
}

// RemovePort detaches the interface from a port. Waiting frames are lost.
func (t *Target) RemovePort(num dataplane.Port) error {
	t.mu.Lock()
	p, ok := t.ports[num]
	if ok {
		delete(t.ports, num)
		p.removed = true
		p.lost(t.drops)
	}
	t.mu.Unlock()
	if !ok {
		return fmt.Errorf("port %d: %w", num, dataplane.ErrNotFound)
	}
	p.stop() // not under t.mu, which its reader may be waiting for
	return nil
}

// ReopenPort implements dataplane.Target.
func (t *Target) ReopenPort(num dataplane.Port) error {
	t.mu.Lock()
	p, ok := t.ports[num]
	name := t.without[num]
	if ok {
		name = p.iface
	}
	t.mu.Unlock()
	if name == "" {
		return fmt.Errorf("port %d: %w", num, dataplane.ErrNotFound)
	}
	if ok {
		if err := t.RemovePort(num); err != nil {
			return err
		}
	}
	err := t.AddPort(num, name)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.without[num] = name
	} else {
		delete(t.without, num)
	}
	return err
}

// Ports lists the ports, the CPU port included, in order of their numbers.
func (t *Target) Ports() []dataplane.PortInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []dataplane.PortInfo{{Port: t.cpu, CPU: true, Up: true}}
	for n, name := range t.without {
		out = append(out, dataplane.PortInfo{Port: n, Interface: name})
	}
	for _, p := range t.ports {
		c := p.link.Counters()
		out = append(out, dataplane.PortInfo{
			Port: p.num, Interface: p.iface, Up: p.link.Up(),
			RX: dataplane.Counter{Packets: p.rxFrames.Load(), Bytes: p.rxBytes.Load()},
			TX: dataplane.Counter{Packets: c.Sent, Bytes: c.SentBytes},
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
	for _, p := range ports {
		p.removed = true
	}
	t.mu.Unlock()
	t.cancel()
	for _, p := range ports {
		p.stop()
	}
	return nil
}
