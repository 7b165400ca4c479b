package xdp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/link/internal/port"
	"github.com/p4ce/p4ce/link/neighbour"
	"github.com/p4ce/p4ce/roce/wire"
)

// Wire is a link.Wire over an AF_XDP socket. Sending and receiving are those of
// afxdp.Socket.
type Wire struct {
	*afxdp.Socket
	info     link.Info
	resolver *neighbour.Resolver
	port     *net.UDPConn
}

// Open opens a wire on an interface of the current network namespace. addr is
// one of its IPv4 addresses; the zero Addr means its first.
func Open(iface string, addr netip.Addr) (_ *Wire, err error) {
	ifi, info, err := port.Interface(iface, addr)
	if err != nil {
		return nil, fmt.Errorf("xdp wire: %w", err)
	}
	info.MTU = min(info.MTU, afxdp.MaxFrame-wire.EthernetLen)
	w := &Wire{info: info}
	if w.Socket, err = afxdp.Open(iface, afxdp.Filter{UDPPort: wire.UDPPort, Addr: info.Addr}); err != nil {
		return nil, fmt.Errorf("xdp wire: %w", err)
	}
	if w.port, err = port.Hold(info.Addr); err == nil {
		w.resolver, err = neighbour.New(ifi, w.port)
	}
	if err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("xdp wire on %s: %w", iface, err)
	}
	return w, nil
}

// Info implements link.Wire.
func (w *Wire) Info() link.Info { return w.info }

// Resolve implements link.Wire.
func (w *Wire) Resolve(ctx context.Context, ip netip.Addr) (wire.MAC, error) {
	return w.resolver.Resolve(ctx, ip)
}

// Close implements link.Wire.
func (w *Wire) Close() error {
	err := w.Socket.Close()
	if errors.Is(err, net.ErrClosed) {
		return err
	}
	if w.resolver != nil {
		w.resolver.Close()
	}
	if w.port != nil {
		err = errors.Join(err, w.port.Close())
	}
	return err
}
