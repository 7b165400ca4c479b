package smr

import (
	"cmp"
	"slices"

	"github.com/p4ce/p4ce/host/rdma"
)

// carriers is which of a server's links are down, by device.
type carriers []bool

// changed takes in the state of a link, and reports whether what goes over it has ended: it is down, and another
// one is up. The last link is given the time that the transport gives it, because it may be back before.
func (c carriers) changed(dev int, up bool) (ends bool) {
	c[dev] = !up
	return !up && slices.Contains(c, false)
}

// watchCarriers has the paths over a link end when it goes down, in place of waiting for their timeouts.
func (n *Node) watchCarriers() {
	links := make(carriers, len(n.cfg.Devices))
	for i, d := range n.cfg.Devices {
		if d, ok := d.(rdma.Carrier); ok {
			d.OnCarrier(func(up bool) {
				n.lock.Lock()
				defer n.lock.Unlock()
				if links.changed(i, up) && n.closed == nil {
					n.log.Info("link down: its paths end", "address", n.cfg.Devices[i].Addr())
					n.leave(i)
				}
			})
		}
	}
}

// leave ends all paths over a device: direct ones first, so that others are on their way when the group ends. The
// lock is held.
func (n *Node) leave(dev int) {
	var conns []*outConn
	for _, c := range n.out {
		if c.dev == dev {
			conns = append(conns, c)
		}
	}
	slices.SortFunc(conns, func(a, b *outConn) int {
		return cmp.Or(cmp.Compare(a.path.Kind, b.path.Kind), cmp.Compare(a.path.Peer, b.path.Peer))
	})
	for _, c := range conns {
		n.down(c)
	}
}
