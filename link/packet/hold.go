package packet

import (
	"errors"
	"net"
	"net/netip"

	"github.com/p4ce/p4ce/link/internal/own"
)

// OpenHost opens a port for a host that receives datagrams to some UDP ports of addr by itself. If addr is an address of
// the interface, the kernel sees these datagrams, too: sockets that drop everything are bound to the ports, so that it does not
// answer with ICMP "port unreachable", and so that two hosts do not share an address.
func OpenHost(iface string, addr netip.Addr, ports ...uint16) (*Host, error) {
	p, err := OpenPort(iface)
	if err != nil {
		return nil, err
	}
	h := &Host{Port: p}
	ifi, err := own.Interface(iface)
	if err == nil {
		_, err = own.Describe(ifi, addr)
	}
	if err != nil {
		return h, nil // the kernel does not take datagrams to this address
	}
	for _, port := range ports {
		c, err := own.Hold(netip.AddrPortFrom(addr, port))
		if err != nil {
			return nil, errors.Join(err, h.Close())
		}
		h.held = append(h.held, c)
	}
	return h, nil
}

// Host is a Port with UDP ports of the kernel.
type Host struct {
	*Port
	held []*net.UDPConn
}

// Close implements link.Link.
func (h *Host) Close() error {
	err := h.Port.Close()
	for _, c := range h.held {
		err = errors.Join(err, c.Close())
	}
	return err
}
