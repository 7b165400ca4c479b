// Package own manages what a server owns on an interface besides its frames: its addresses, its
// neighbours, and UDP port 4791.
package own

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/neighbour"
	"github.com/p4ce/p4ce/roce/wire"
)

// Interface looks up an interface of the current network namespace.
func Interface(name string) (*net.Interface, error) {
	ifi, err := net.InterfaceByName(name)
	if err != nil {
		return nil, fmt.Errorf("interface %q does not exist in this network namespace", name)
	}
	return ifi, nil
}

// Describe describes an Ethernet interface as a wire with the given IPv4 address, or
// with its first if addr is the zero Addr.
func Describe(ifi *net.Interface, addr netip.Addr) (info link.Info, err error) {
	if len(ifi.HardwareAddr) != len(info.MAC) {
		return info, fmt.Errorf("interface %s: not an ethernet interface", ifi.Name)
	}
	info.MAC, info.MTU = wire.MAC(ifi.HardwareAddr), ifi.MTU
	as, err := ifi.Addrs()
	if err != nil {
		return info, fmt.Errorf("interface %s: addresses: %w", ifi.Name, err)
	}
	for _, a := range as {
		p, err := netip.ParsePrefix(a.String())
		if err == nil && p.Addr().Is4() && (addr == p.Addr() || !addr.IsValid()) {
			info.Addr = p.Addr()
			return info, nil
		}
	}
	if addr.IsValid() {
		return info, fmt.Errorf("interface %s: has no address %v", ifi.Name, addr)
	}
	return info, fmt.Errorf("interface %s: has no IPv4 address", ifi.Name)
}

// Bind binds UDP port 4791 of addr, with the options that set makes first.
func Bind(addr netip.Addr, set func(fd int) error) (*net.UDPConn, error) {
	return bind(netip.AddrPortFrom(addr.Unmap(), wire.UDPPort), set)
}

// Hold binds a UDP port with a socket that drops what it gets, so that the kernel sends no ICMP about it.
func Hold(at netip.AddrPort) (*net.UDPConn, error) {
	drop := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: 0}}
	return bind(at, func(fd int) error {
		return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &drop[0]})
	})
}

func bind(at netip.AddrPort, set func(fd int) error) (*net.UDPConn, error) {
	lc := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var err error
		if e := c.Control(func(fd uintptr) { err = set(int(fd)) }); e != nil {
			return e
		}
		return err
	}}
	pc, err := lc.ListenPacket(context.Background(), "udp4", at.String())
	if err != nil {
		return nil, fmt.Errorf("udp port %d of %v: %w (is another endpoint running?)", at.Port(), at.Addr(), err)
	}
	return pc.(*net.UDPConn), nil
}

// Place is a server's place on an interface, for a wire that takes its frames off the
// interface. It holds UDP port 4791 with a socket that drops what it gets, so that the
// kernel sends no ICMP about it and no other endpoint uses it.
type Place struct {
	info     link.Info
	held     *net.UDPConn
	resolver *neighbour.Resolver
	carrier  *carrier
}

// Take takes the place that info describes.
func Take(ifi *net.Interface, info link.Info) (*Place, error) {
	held, err := Hold(netip.AddrPortFrom(info.Addr.Unmap(), wire.UDPPort))
	if err != nil {
		return nil, err
	}
	resolver, err := neighbour.New(ifi, held)
	if err != nil {
		_ = held.Close()
		return nil, err
	}
	carrier, err := follow(ifi)
	if err != nil {
		resolver.Close()
		_ = held.Close()
		return nil, err
	}
	return &Place{info, held, resolver, carrier}, nil
}

// OnCarrier implements link.Carrier.
func (p *Place) OnCarrier(f func(up bool)) { p.carrier.on(f) }

// Info implements link.Wire.
func (p *Place) Info() link.Info { return p.info }

// Resolve implements link.Wire.
func (p *Place) Resolve(ctx context.Context, ip netip.Addr) (wire.MAC, error) {
	return p.resolver.Resolve(ctx, ip)
}

// Leave gives the place up.
func (p *Place) Leave() error {
	p.carrier.close()
	p.resolver.Close()
	return p.held.Close()
}
