// Package attach opens the link that an operator names on a command line.
package attach

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/link/datagram"
	"github.com/p4ce/p4ce/link/packet"
)

// Usage describes the flag --link.
const Usage = "how the host is attached: INTERFACE, xdp:INTERFACE (AF_XDP, past the kernel's packet sockets), or a datagram socket: unix:LOCAL,PEER or udp:LOCAL,PEER"

// Open opens what --link names, for a host that receives datagrams to some UDP ports of addr. The filter says what AF_XDP takes of
// the interface's frames; the others go to the kernel.
func Open(name string, filter afxdp.Filter, addr netip.Addr, ports ...uint16) (link.Link, error) {
	if iface, ok := strings.CutPrefix(name, "xdp:"); ok {
		l, err := afxdp.Open(iface, filter)
		if err != nil {
			return nil, fmt.Errorf("--link: %w", err)
		}
		return l, nil
	}
	if datagram.IsPort(name) {
		p, err := datagram.OpenPort(name)
		if err != nil {
			return nil, cli.Usage(fmt.Errorf("--link: %w", err))
		}
		return p, nil
	}
	p, err := packet.OpenHost(name, addr, ports...)
	if err != nil {
		return nil, fmt.Errorf("--link: %w", err)
	}
	return p, nil
}
