package xdp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/link/internal/own"
	"github.com/p4ce/p4ce/link/tune"
	"github.com/p4ce/p4ce/roce/wire"
)

// Wire is a link.Wire over an AF_XDP socket. Sending and receiving are those of
// afxdp.Socket.
type Wire struct {
	*afxdp.Socket
	*own.Place
}

// Open opens a wire on an interface of the current network namespace. addr is
// one of its IPv4 addresses; the zero Addr means its first.
func Open(iface string, addr netip.Addr) (*Wire, error) {
	return OpenWith(iface, addr, nil)
}

// OpenWith is Open with a program that does more than to steer: load is given the
// address. It must steer as afxdp.Filter does.
func OpenWith(iface string, addr netip.Addr, load func(addr wire.Addr, xsks *ebpf.Map) (*ebpf.Program, error)) (*Wire, error) {
	ifi, err := own.Interface(iface)
	if err != nil {
		return nil, fmt.Errorf("xdp wire: %w", err)
	}
	info, err := own.Describe(ifi, addr)
	if err != nil {
		return nil, fmt.Errorf("xdp wire: %w", err)
	}
	info.MTU = min(info.MTU, afxdp.MaxFrame-wire.EthernetLen)
	w := &Wire{}
	if load == nil {
		w.Socket, err = afxdp.Open(iface, afxdp.Filter{UDPPort: wire.UDPPort, Addr: info.Addr})
	} else {
		w.Socket, err = afxdp.OpenWith(iface, func(xsks *ebpf.Map) (*ebpf.Program, error) { return load(info.Addr.As4(), xsks) })
	}
	if err != nil {
		return nil, fmt.Errorf("xdp wire: %w", err)
	}
	if w.Place, err = own.Take(ifi, info, tune.Socket, func(*net.Interface) error { return w.Reopen() }); err != nil {
		_ = w.Socket.Close()
		return nil, fmt.Errorf("xdp wire on %s: %w", iface, err)
	}
	return w, nil
}

// Close implements link.Wire.
func (w *Wire) Close() error {
	err := w.Socket.Close()
	if errors.Is(err, net.ErrClosed) {
		return err
	}
	return errors.Join(err, w.Leave())
}
