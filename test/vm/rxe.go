package vm

import (
	"context"
	"fmt"
	"net/netip"
)

// RXE says how a guest's software RDMA device is set up.
type RXE struct {
	Addr netip.Prefix // of eth0
	MTU  int          // of eth0; 0 leaves 1500, which means path MTU 1024
}

// Device is the name of the RDMA device that StartRXE makes.
const Device = "rxe0"

// StartRXE brings eth0 up and makes the RDMA device on it. When it returns, the
// device is active, and its GID table has the address, which RDMA connection
// management needs.
func (g *Guest) StartRXE(ctx context.Context, r RXE) error {
	if r.MTU == 0 {
		r.MTU = 1500
	}
	_, err := g.Shell(ctx, fmt.Sprintf(`
ip link set lo up
ip link set eth0 mtu %d up
ip address add %s dev eth0
rdma link add %s type rxe netdev eth0
gid=$(printf '0000:0000:0000:0000:0000:ffff:%%02x%%02x:%%02x%%02x' %s)
until grep -qs $gid /sys/class/infiniband/%[3]s/ports/1/gids/*; do sleep 0.05; done
until grep -q ACTIVE /sys/class/infiniband/%[3]s/ports/1/state; do sleep 0.05; done
`, r.MTU, r.Addr, Device, octets(r.Addr.Addr())))
	return err
}

func octets(a netip.Addr) string {
	b := a.As4()
	return fmt.Sprintf("%d %d %d %d", b[0], b[1], b[2], b[3])
}
