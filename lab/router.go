package lab

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// Router is an ordinary IPv4 router, of which nothing is known but that it forwards: Linux, in a network namespace of its
// own, with static routes and neighbours. All its interfaces have one Ethernet address.
type Router struct {
	l   *Lab
	ns  netns.NsHandle
	mac net.HardwareAddr
}

// NewRouter makes a router without interfaces. It ends with the lab.
func (l *Lab) NewRouter(mac net.HardwareAddr) (*Router, error) {
	ns, err := newNamespace()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.routers = append(l.routers, ns)
	l.mu.Unlock()
	r := &Router{l, ns, mac}
	return r, inside(ns, func() error {
		// Ways there and back differ, and a way may lead out where it has come in.
		if err := setIPv4("conf/all/rp_filter", "0"); err != nil {
			return err
		}
		if err := setIPv4("conf/default/rp_filter", "0"); err != nil {
			return err
		}
		return setIPv4("ip_forward", "1")
	})
}

// setIPv4 sets a value of the network namespace.
func setIPv4(name, value string) error {
	if err := os.WriteFile("/proc/sys/net/ipv4/"+name, []byte(value), 0o644); err != nil {
		return fmt.Errorf("net.ipv4.%s: %w", strings.ReplaceAll(name, "/", "."), err)
	}
	return nil
}

// Cable makes a link from a new interface of the router to another, of the switch's namespace, or of a further router.
func (r *Router) Cable(own, far string, to *Router) error {
	return inside(r.ns, func() error {
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.MTU, attrs.HardwareAddr = own, MTU, r.mac
		veth := &netlink.Veth{LinkAttrs: attrs, PeerName: far, PeerMTU: MTU, PeerNamespace: netlink.NsFd(int(r.l.sw))}
		ns := r.l.sw
		if to != nil {
			veth.PeerNamespace, veth.PeerHardwareAddr, ns = netlink.NsFd(int(to.ns)), to.mac, to.ns
		}
		if err := netlink.LinkAdd(veth); err != nil {
			return fmt.Errorf("make veth %s, %s: %w", own, far, err)
		}
		if err := up(own); err != nil {
			return err
		}
		if err := inside(ns, func() error {
			if err := up(far); err != nil {
				return err
			}
			return offloads(far)
		}); err != nil {
			return err
		}
		return offloads(own)
	})
}

// SetInterface brings an interface of the router up or down.
func (r *Router) SetInterface(name string, upward bool) error {
	return inside(r.ns, func() error { return setLink(name, upward) })
}

// Route sends what is for an address by an interface, to the next hop with a MAC address. Routes by an interface go when
// it is brought down, not when the far end is.
func (r *Router) Route(to netip.Addr, iface string, next net.HardwareAddr) error {
	return route(r.ns, to, iface, next)
}

func route(ns netns.NsHandle, to netip.Addr, iface string, next net.HardwareAddr) error {
	return inside(ns, func() error {
		link, err := netlink.LinkByName(iface)
		if err != nil {
			return err
		}
		dst := &net.IPNet{IP: to.AsSlice(), Mask: net.CIDRMask(32, 32)}
		if err := netlink.NeighSet(&netlink.Neigh{LinkIndex: link.Attrs().Index, State: netlink.NUD_PERMANENT, IP: dst.IP, HardwareAddr: next}); err != nil {
			return fmt.Errorf("neighbour %v at %s: %w", to, iface, err)
		}
		if err := netlink.RouteReplace(&netlink.Route{LinkIndex: link.Attrs().Index, Dst: dst, Scope: netlink.SCOPE_LINK}); err != nil {
			return fmt.Errorf("route to %v by %s: %w", to, iface, err)
		}
		return nil
	})
}
