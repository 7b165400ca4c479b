package lab

import (
	"fmt"

	"github.com/vishvananda/netlink"
)

// Shape has an interface of the router send no more than a rate, in bit/s with Ethernet headers, and keep so many bytes
// waiting: the bottleneck of a network, which loses what does not fit.
func (r *Router) Shape(iface string, rate uint64, queue int) error {
	return inside(r.ns, func() error {
		link, err := netlink.LinkByName(iface)
		if err != nil {
			return err
		}
		const burst = 2 * MTU // what may be sent at once
		q := &netlink.Tbf{
			QdiscAttrs: netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT},
			Rate:       rate / 8, Limit: uint32(queue), Buffer: netlink.Xmittime(rate/8, burst),
		}
		if err := netlink.QdiscReplace(q); err != nil {
			return fmt.Errorf("shape %s (CONFIG_NET_SCH_TBF): %w", iface, err)
		}
		return nil
	})
}

// Dropped is how many packets an interface that is shaped has lost.
func (r *Router) Dropped(iface string) (n uint64, err error) {
	err = inside(r.ns, func() error {
		link, err := netlink.LinkByName(iface)
		if err != nil {
			return err
		}
		list, err := netlink.QdiscList(link)
		if err != nil {
			return err
		}
		for _, q := range list {
			if s := q.Attrs().Statistics; s != nil && s.Queue != nil {
				n += uint64(s.Queue.Drops)
			}
		}
		return nil
	})
	return n, err
}
