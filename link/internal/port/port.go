// Package port holds what wires that take whole frames off an interface need of
// it: its addresses, and UDP port 4791 kept from answering.
package port

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/roce/wire"
)

// Interface looks up an Ethernet interface and describes it as a wire with the
// given IPv4 address, or with its first if addr is the zero Addr.
func Interface(name string, addr netip.Addr) (*net.Interface, link.Info, error) {
	info := link.Info{}
	ifi, err := net.InterfaceByName(name)
	if err != nil {
		return nil, info, fmt.Errorf("interface %s: %w", name, err)
	}
	if len(ifi.HardwareAddr) != len(info.MAC) {
		return nil, info, fmt.Errorf("interface %s: not an ethernet interface", name)
	}
	info.MAC, info.MTU = wire.MAC(ifi.HardwareAddr), ifi.MTU
	as, err := ifi.Addrs()
	if err != nil {
		return nil, info, fmt.Errorf("interface %s: addresses: %w", name, err)
	}
	for _, a := range as {
		p, err := netip.ParsePrefix(a.String())
		if err == nil && p.Addr().Is4() && (addr == p.Addr() || !addr.IsValid()) {
			info.Addr = p.Addr()
			return ifi, info, nil
		}
	}
	if addr.IsValid() {
		return nil, info, fmt.Errorf("interface %s: has no address %v", name, addr)
	}
	return nil, info, fmt.Errorf("interface %s: has no IPv4 address", name)
}

// Hold binds UDP port 4791 of addr with a socket that drops what it gets, so that
// the kernel sends no ICMP about it and no other endpoint uses it.
func Hold(addr netip.Addr) (*net.UDPConn, error) {
	drop := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: 0}}
	lc := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var err error
		if e := c.Control(func(fd uintptr) {
			prog := unix.SockFprog{Len: 1, Filter: &drop[0]}
			err = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &prog)
		}); e != nil {
			return e
		}
		return err
	}}
	pc, err := lc.ListenPacket(context.Background(), "udp4", netip.AddrPortFrom(addr, wire.UDPPort).String())
	if err != nil {
		return nil, fmt.Errorf("udp port %d of %v: %w (is another endpoint running?)", wire.UDPPort, addr, err)
	}
	return pc.(*net.UDPConn), nil
}
