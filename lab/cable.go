package lab

import (
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Cable makes a pair of interfaces in the switch's namespace, for a link between two switches
// there, or from a switch to a program that has sockets on the other end: see InSwitch.
func (l *Lab) Cable(a, b string) error {
	return inside(l.sw, func() error {
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.MTU = a, MTU
		if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: b, PeerMTU: MTU}); err != nil {
			return fmt.Errorf("make veth %s, %s: %w", a, b, err)
		}
		for _, name := range []string{a, b} {
			link, err := netlink.LinkByName(name)
			if err != nil {
				return err
			}
			if err := netlink.LinkSetUp(link); err != nil {
				return fmt.Errorf("bring up %s: %w", name, err)
			}
		}
		for _, name := range []string{a, b} {
			if err := offloads(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// offloads sets an end of a link up as wire does, once it is up.
func offloads(name string) error {
	if err := ethtoolSet(name, unix.ETHTOOL_SGRO, 1); err != nil {
		return fmt.Errorf("GRO on: %w", err)
	}
	if err := ethtoolSet(name, unix.ETHTOOL_STXCSUM, 0); err != nil {
		return fmt.Errorf("transmit checksum offload off: %w", err)
	}
	return nil
}
