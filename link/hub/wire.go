package hub

import (
	"context"
	"net/netip"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/roce/wire"
)

// CableMTU is the MTU of a server's wire on a cable: enough for path MTU 2048, the largest at which
// every target copies whole packets.
const CableMTU = 3000

// wired is a server's end of a cable.
type wired struct {
	*End
	info    link.Info
	gateway wire.MAC
}

// Wire makes an end of a cable that of a server with these addresses. All its frames go to the
// Ethernet address of the gateway, the switch at the other end. Nobody answers ARP here:
// the switch's controller must be told who is at the port.
func (e *End) Wire(ip wire.Addr, mac, gateway wire.MAC) link.Wire {
	return wired{e, link.Info{Addr: ip.Netip(), MAC: mac, MTU: CableMTU}, gateway}
}

// Info implements link.Wire.
func (w wired) Info() link.Info { return w.info }

// Resolve implements link.Wire: everybody is behind the gateway.
func (w wired) Resolve(context.Context, netip.Addr) (wire.MAC, error) { return w.gateway, nil }
