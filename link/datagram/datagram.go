package datagram

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/roce/wire"
)

const (
	// wireQueue is how many of a server's frames may wait for the peer: the NIC's
	// transmit ring.
	wireQueue = 512

	defaultMTU = 1500
	// maxMTU leaves room for the largest UDP datagram over IPv4.
	maxMTU = 65507 - wire.EthernetLen
)

// Options describe a server's end of the link.
type Options struct {
	Addr    netip.Addr       // own IPv4 address
	MAC     net.HardwareAddr // own Ethernet address
	Gateway net.HardwareAddr // Ethernet address of the switch
	MTU     int              // in bytes of IP packet; 0 means 1500
}

// Wire is a link.Wire over a datagram socket. Frames of any sender are taken.
type Wire struct {
	*socket
	info    link.Info
	gateway wire.MAC
}

// Check finds mistakes in a wire's specification without opening anything.
func Check(spec string) error {
	if _, err := parse(spec, false); err != nil {
		return fmt.Errorf("datagram wire %q: %w", spec, err)
	}
	return nil
}

// Open opens the wire that spec names: see the package comment.
func Open(spec string, o Options) (*Wire, error) {
	w := &Wire{}
	if err := w.describe(o); err != nil {
		return nil, fmt.Errorf("datagram wire: %w", err)
	}
	a, err := parse(spec, false)
	if err == nil {
		size := max(wire.MaxFrame, w.info.MTU+wire.EthernetLen) + 64
		w.socket, err = open(a, size, wireQueue, size)
	}
	if err != nil {
		return nil, fmt.Errorf("datagram wire %q: %w", spec, err)
	}
	return w, nil
}

func (w *Wire) describe(o Options) error {
	if _, ok := wire.AddrFrom(o.Addr); !ok {
		return fmt.Errorf("address %v is not IPv4", o.Addr)
	}
	for _, m := range []struct {
		what string
		from net.HardwareAddr
		to   *wire.MAC
	}{{"own", o.MAC, &w.info.MAC}, {"gateway's", o.Gateway, &w.gateway}} {
		if len(m.from) != len(m.to) {
			return fmt.Errorf("%s ethernet address %q: want 6 bytes, as in 02:00:00:00:00:01", m.what, m.from)
		}
		if m.from[0]&1 != 0 {
			return fmt.Errorf("%s ethernet address %v is a multicast address", m.what, m.from)
		}
		copy(m.to[:], m.from)
	}
	if o.MTU == 0 {
		o.MTU = defaultMTU
	}
	if wire.PathMTU(o.MTU) == 0 || o.MTU > maxMTU {
		return fmt.Errorf("mtu %d: too small for path mtu 256, or larger than %d", o.MTU, maxMTU)
	}
	w.info.Addr, w.info.MTU = o.Addr.Unmap(), o.MTU
	return nil
}

// Info implements link.Wire.
func (w *Wire) Info() link.Info { return w.info }

// Resolve implements link.Wire: everybody is behind the gateway.
func (w *Wire) Resolve(context.Context, netip.Addr) (wire.MAC, error) { return w.gateway, nil }
