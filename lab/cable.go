package lab

import (
	"fmt"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
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
			if err := up(name); err != nil {
				return err
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
	return features(name, map[string]bool{
		"rx-gro": true, "tx-checksum-ip-generic": false,
		// Else tags of VLANs lie beside packets, where XDP does not see them.
		"tx-vlan-hw-insert": false, "tx-vlan-stag-hw-insert": false,
	})
}

// features switches features of an interface on or off, by the names that ethtool has for them.
func features(name string, f map[string]bool) error {
	e, err := ethtool.NewEthtool()
	if err != nil {
		return err
	}
	defer e.Close()
	if err := e.Change(name, f); err != nil {
		return fmt.Errorf("features of %s: %w", name, err)
	}
	return nil
}
