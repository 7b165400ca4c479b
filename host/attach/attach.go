// Package attach opens the link that an operator names on a command line.
package attach

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/link/datagram"
	"github.com/p4ce/p4ce/link/nic"
	"github.com/p4ce/p4ce/link/packet"
	"github.com/p4ce/p4ce/link/tune"
)

// Usage describes the flag --link.
const Usage = "how the host is attached: INTERFACE, xdp:INTERFACE (AF_XDP, past the kernel's packet sockets), or a datagram socket: unix:LOCAL,PEER or udp:LOCAL,PEER"

// Open opens what --link names, for a host that receives datagrams to some UDP ports of addr. The filter says what AF_XDP takes of
// the interface's frames; the others go to the kernel.
//
// The interface is set up for that, and put back when the link closes; log says what was done.
func Open(log *slog.Logger, name string, filter afxdp.Filter, addr netip.Addr, ports ...uint16) (link.Link, error) {
	if iface, ok := strings.CutPrefix(name, "xdp:"); ok {
		tuned, err := take(iface, tune.Socket, log)
		if err != nil {
			return nil, fmt.Errorf("--link: %w", err)
		}
		l, err := afxdp.Open(iface, filter)
		if err != nil {
			return nil, fmt.Errorf("--link: %w", errors.Join(err, tuned.Close()))
		}
		return &socket{l, tuned}, nil
	}
	if datagram.IsPort(name) {
		p, err := datagram.OpenPort(name)
		if err != nil {
			return nil, cli.Usage(fmt.Errorf("--link: %w", err))
		}
		return p, nil
	}
	tuned, err := take(name, tune.Packet, log)
	if err != nil {
		return nil, fmt.Errorf("--link: %w", err)
	}
	p, err := packet.OpenHost(name, addr, ports...)
	if err != nil {
		return nil, fmt.Errorf("--link: %w", errors.Join(err, tuned.Close()))
	}
	return &port{p, tuned}, nil
}

// take has an interface ready.
func take(iface string, use tune.Use, log *slog.Logger) (*tune.Tuned, error) {
	about, err := nic.Read(iface)
	if err != nil {
		return nil, err
	}
	return tune.Take(about, use, log)
}

// socket and port are links whose interface is put back when they close.
type (
	socket struct {
		*afxdp.Socket
		tuned *tune.Tuned
	}
	port struct {
		*packet.Host
		tuned *tune.Tuned
	}
)

// Close implements link.Link.
func (s *socket) Close() error { return errors.Join(s.Socket.Close(), s.tuned.Close()) }

// Close implements link.Link.
func (p *port) Close() error { return errors.Join(p.Host.Close(), p.tuned.Close()) }
