// Package neighbour finds the Ethernet address of the next hop towards an IPv4
// address for wires that write Ethernet headers themselves. The kernel keeps
// doing ARP: the package reads its routes and its neighbour table and, when an
// entry is missing, makes the kernel resolve it.
package neighbour

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/roce/wire"
)

// Resolver resolves on one interface. It belongs to the network namespace in
// which it was made and may be used from any goroutine.
type Resolver struct {
	handle *netlink.Handle
	ifi    atomic.Int64
	name   string
	probe  *net.UDPConn
}

// New makes a resolver for an interface of the current network namespace. probe
// is a socket of the caller's that may be used to make the kernel resolve an
// address where the process has no right to ask for that directly.
func New(ifi *net.Interface, probe *net.UDPConn) (*Resolver, error) {
	h, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("netlink: %w", err)
	}
	r := &Resolver{handle: h, name: ifi.Name, probe: probe}
	r.Moved(ifi)
	return r, nil
}

// Moved has the resolver resolve on another interface from now on: one that was made in place of the first.
func (r *Resolver) Moved(ifi *net.Interface) { r.ifi.Store(int64(ifi.Index)) }

// Close frees the resolver; not the probe socket.
func (r *Resolver) Close() { r.handle.Close() }

// poll is when the neighbour table is read first while the kernel resolves. Each read waits twice as long as the one before,
// up to slowest: a store asks for servers that are down all the time. timeout is when the resolver gives up: the kernel sends
// three requests, one a second.
const (
	poll    = 2 * time.Millisecond
	slowest = 50 * time.Millisecond
	timeout = 3500 * time.Millisecond
)

// Resolve finds the address that frames to ip must carry.
func (r *Resolver) Resolve(ctx context.Context, ip netip.Addr) (wire.MAC, error) {
	hop, err := r.nextHop(ip.Unmap())
	if err != nil {
		return wire.MAC{}, fmt.Errorf("neighbour %v on %s: %w", ip, r.name, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer to arp for %v (is it up, and on this network?)", hop))
	defer cancel()
	wait := poll
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for asked := false; ; {
		mac, ok, err := r.lookup(hop)
		if err != nil {
			return wire.MAC{}, fmt.Errorf("neighbour %v on %s: %w", ip, r.name, err)
		}
		if ok {
			return mac, nil
		}
		if !asked {
			asked = true
			r.ask(hop)
		}
		select {
		case <-timer.C:
			wait = min(2*wait, slowest)
			timer.Reset(wait)
		case <-ctx.Done():
			return wire.MAC{}, fmt.Errorf("neighbour %v on %s: %w", ip, r.name, context.Cause(ctx))
		}
	}
}

// nextHop finds the address on the link to which packets for ip go.
func (r *Resolver) nextHop(ip netip.Addr) (netip.Addr, error) {
	routes, err := r.handle.RouteGet(ip.AsSlice())
	if err != nil {
		return ip, fmt.Errorf("route: %w", err)
	}
	for _, rt := range routes {
		if rt.LinkIndex != int(r.ifi.Load()) {
			continue
		}
		if gw, ok := netip.AddrFromSlice(rt.Gw); ok && rt.Gw != nil {
			return gw.Unmap(), nil
		}
		return ip, nil
	}
	return ip, errors.New("the route leads to another interface")
}

// usable are the states in which the kernel itself would use an entry.
const usable = netlink.NUD_REACHABLE | netlink.NUD_STALE | netlink.NUD_DELAY | netlink.NUD_PROBE |
	netlink.NUD_PERMANENT | netlink.NUD_NOARP

func (r *Resolver) lookup(hop netip.Addr) (mac wire.MAC, ok bool, err error) {
	entries, err := r.handle.NeighList(int(r.ifi.Load()), netlink.FAMILY_V4)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return mac, false, fmt.Errorf("neighbour table: %w", err)
	}
	for _, n := range entries {
		a, _ := netip.AddrFromSlice(n.IP)
		if a.Unmap() == hop && n.State&usable != 0 && len(n.HardwareAddr) == len(mac) {
			return wire.MAC(n.HardwareAddr), true, nil
		}
	}
	return mac, false, nil
}

// ask makes the kernel resolve hop: by "ip neighbour use" or, without the right
// to that, by sending it a datagram to the discard port.
func (r *Resolver) ask(hop netip.Addr) {
	err := r.handle.NeighSet(&netlink.Neigh{
		LinkIndex: int(r.ifi.Load()), Family: netlink.FAMILY_V4, IP: hop.AsSlice(), State: netlink.NUD_NONE, Flags: netlink.NTF_USE,
	})
	if err != nil && r.probe != nil {
		// A failure shows as a missing entry.
		_, _ = r.probe.WriteToUDPAddrPort([]byte{0}, netip.AddrPortFrom(hop, 9))
	}
}
