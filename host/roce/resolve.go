package roce

import (
	"context"
	"time"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

// Where a peer is, the wire says, which asks for it. What a message has as its Ethernet source anybody can write: it is a
// reason to ask, and no answer. Who is known goes on to be talked to where he was, meanwhile.

const (
	maxPeers     = 4096 // whose Ethernet addresses are kept
	maxResolving = 64   // at a time
	maxDeferred  = 4    // messages of one
	resolveFor   = 3 * time.Second
)

// resolve finds out where a peer is, unless that is being done. The message waits for it when nothing is known yet.
func (d *Device) resolve(peer wire.Addr, p *wire.Packet, wait bool) {
	deferred, begun := d.resolving[peer]
	if !begun && len(d.resolving) >= maxResolving || wait && len(deferred) >= maxDeferred || d.closed {
		if wait {
			d.count.CMUnresolved++
		}
		return
	}
	if wait {
		frame := p.Eth[:wire.EthernetLen+p.IP.TotalLen()]
		deferred = append(deferred, append([]byte{}, frame...))
	}
	d.resolving[peer] = deferred
	if begun {
		return
	}
	d.wg.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), resolveFor)
		defer cancel()
		go func() {
			select {
			case <-d.done:
				cancel()
			case <-ctx.Done():
			}
		}()
		mac, err := d.wire.Resolve(ctx, peer.Netip())
		d.mu.Lock()
		defer d.mu.Unlock()
		waiting := d.resolving[peer]
		delete(d.resolving, peer)
		if d.closed {
			return
		}
		if err != nil {
			d.count.CMUnresolved += uint64(len(waiting))
			return
		}
		d.resolved(peer, mac)
		now := d.now()
		for _, frame := range waiting {
			var p wire.Packet
			if wire.Parse(frame, &p) != nil {
				continue // it was parsed before
			}
			if tid, m, err := cm.DecodeFrame(&p); err == nil {
				d.agent.Receive(now, d.addr, peer, tid, m)
			}
		}
		d.pump(now)
	})
}

// resolved keeps where a peer is. When there are too many, one of the others is asked for again.
func (d *Device) resolved(peer wire.Addr, mac wire.MAC) {
	if _, known := d.macs[peer]; !known && len(d.macs) >= maxPeers {
		for other := range d.macs {
			delete(d.macs, other)
			break
		}
	}
	d.macs[peer] = mac
}
