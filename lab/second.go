package lab

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
)

// SecondInterface is the name of a host's interface to the second network.
const SecondInterface = "eth1"

// SecondIP is a host's address in the second network.
func (h *Host) SecondIP() netip.Addr {
	a := h.IP.As4()
	a[1]++
	return netip.AddrFrom4(a)
}

// AddNetwork connects all hosts to a second, ordinary network: a bridge in a
// namespace of its own, which knows nothing of the switch.
func (l *Lab) AddNetwork() error {
	var err error
	if l.second, err = newNamespace(); err != nil {
		return err
	}
	if err := inside(l.second, func() error {
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.MTU = "br0", MTU
		if err := netlink.LinkAdd(&netlink.Bridge{LinkAttrs: attrs}); err != nil {
			return fmt.Errorf("make bridge (CONFIG_BRIDGE): %w", err)
		}
		return up("br0")
	}); err != nil {
		return fmt.Errorf("second network: %w", err)
	}
	for i, h := range l.Hosts {
		if err := inside(l.second, func() error {
			attrs := netlink.NewLinkAttrs()
			attrs.Name, attrs.MTU = h.PortInterface(), MTU
			veth := &netlink.Veth{
				LinkAttrs: attrs, PeerName: SecondInterface, PeerMTU: MTU,
				PeerHardwareAddr: net.HardwareAddr{0x02, 0x67, 0, 0, 0, byte(11 + i)}, PeerNamespace: netlink.NsFd(int(h.ns)),
			}
			if err := netlink.LinkAdd(veth); err != nil {
				return fmt.Errorf("make veth %s: %w", attrs.Name, err)
			}
			link, err := netlink.LinkByName(attrs.Name)
			if err != nil {
				return err
			}
			bridge, err := netlink.LinkByName("br0")
			if err != nil {
				return err
			}
			if err := netlink.LinkSetMaster(link, bridge); err != nil {
				return fmt.Errorf("%s into the bridge: %w", attrs.Name, err)
			}
			return up(attrs.Name)
		}); err != nil {
			return fmt.Errorf("second network: %s: %w", h.Name, err)
		}
		if err := inside(h.ns, func() error {
			link, err := netlink.LinkByName(SecondInterface)
			if err != nil {
				return err
			}
			addr, err := netlink.ParseAddr(h.SecondIP().String() + "/24")
			if err != nil {
				return err
			}
			if err := netlink.AddrAdd(link, addr); err != nil {
				return fmt.Errorf("address %s: %w", addr, err)
			}
			return up(SecondInterface)
		}); err != nil {
			return fmt.Errorf("second network: %s: %w", h.Name, err)
		}
	}
	return nil
}

func up(name string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("bring up %s: %w", name, err)
	}
	return nil
}

// SetPort brings a host's port of the switch up or down; with it goes the link.
func (l *Lab) SetPort(h *Host, upward bool) error {
	return inside(l.portNS(h), func() error { return setLink(h.PortInterface(), upward) })
}

// SetSecond does the same in the second network.
func (l *Lab) SetSecond(h *Host, upward bool) error {
	return inside(l.second, func() error { return setLink(h.PortInterface(), upward) })
}

// SetInterface brings an interface of the switch's namespace up or down.
func (l *Lab) SetInterface(name string, upward bool) error {
	return inside(l.sw, func() error { return setLink(name, upward) })
}

func setLink(name string, upward bool) error {
	if upward {
		return up(name)
	}
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	if err := netlink.LinkSetDown(link); err != nil {
		return fmt.Errorf("bring down %s: %w", name, err)
	}
	return nil
}
