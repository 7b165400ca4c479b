// Package own manages what a server owns on an interface besides its frames: its addresses, its
// neighbours, and UDP port 4791.
package own

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/neighbour"
	"github.com/p4ce/p4ce/link/nic"
	"github.com/p4ce/p4ce/link/tune"
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
	p, err := prefix(ifi, addr)
	info.Addr = p.Addr()
	return info, err
}

// prefix is the address of an interface with its network; that of the first one for the zero Addr.
func prefix(ifi *net.Interface, addr netip.Addr) (netip.Prefix, error) {
	as, err := ifi.Addrs()
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("interface %s: addresses: %w", ifi.Name, err)
	}
	for _, a := range as {
		p, err := netip.ParsePrefix(a.String())
		if err == nil && p.Addr().Is4() && (addr == p.Addr() || !addr.IsValid()) {
			return p, nil
		}
	}
	if addr.IsValid() {
		return netip.Prefix{}, fmt.Errorf("interface %s: has no address %v", ifi.Name, addr)
	}
	return netip.Prefix{}, fmt.Errorf("interface %s: has no IPv4 address", ifi.Name)
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
// kernel sends no ICMP about it and no other endpoint uses it. It changes of the interface what
// the wire needs (package link/tune), and puts that back at the end.
//
// When the interface is deleted, and another one of its name and Ethernet address is made, the place is there.
type Place struct {
	info     link.Info
	prefix   netip.Prefix
	held     *net.UDPConn
	resolver *neighbour.Resolver
	carrier  *carrier
	log      *late
	use      tune.Use

	mu    sync.Mutex // guards tuned
	tuned *tune.Tuned
}

// Take takes the place that info describes. again has the wire use an interface that is back.
func Take(ifi *net.Interface, info link.Info, use tune.Use, again func(ifi *net.Interface) error) (_ *Place, err error) {
	p := &Place{info: info, log: newLate(), use: use}
	if p.held, err = Hold(netip.AddrPortFrom(info.Addr.Unmap(), wire.UDPPort)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = p.held.Close()
		}
	}()
	if p.resolver, err = neighbour.New(ifi, p.held); err != nil {
		return nil, err
	}
	if p.prefix, err = prefix(ifi, info.Addr); err == nil {
		if err = p.tune(ifi); err == nil {
			if p.carrier, err = follow(ifi, slog.New(p.log), func(ifi *net.Interface) error { return p.again(ifi, again) }); err == nil {
				return p, nil
			}
			_ = p.tuned.Close()
		}
	}
	p.resolver.Close()
	return nil, err
}

// tune has the interface ready.
func (p *Place) tune(ifi *net.Interface) error {
	about, err := nic.Read(ifi.Name)
	if err != nil {
		return err
	}
	if p.use == tune.Socket {
		about.XDP = "" // the wire's own program
	}
	tuned, err := tune.Take(about, p.use, slog.New(p.log))
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.tuned.Close() // of an interface that has gone
	p.tuned = tuned
	return err
}

// again takes the place on an interface that is back.
func (p *Place) again(ifi *net.Interface, wire func(ifi *net.Interface) error) error {
	if mac := net.HardwareAddr(p.info.MAC[:]); !bytes.Equal(ifi.HardwareAddr, mac) {
		return fmt.Errorf("interface %s: peers know this server by the address %s, and it has %s (ip link set %s address %s)", ifi.Name, mac, ifi.HardwareAddr, ifi.Name, mac)
	}
	if _, err := prefix(ifi, p.info.Addr); err != nil {
		return fmt.Errorf("%w (ip address add %v dev %s)", err, p.prefix, ifi.Name)
	}
	if ifi.MTU < p.info.MTU {
		return fmt.Errorf("interface %s: its MTU is %d, and connections use %d (ip link set %s mtu %d)", ifi.Name, ifi.MTU, p.info.MTU, ifi.Name, p.info.MTU)
	}
	if err := wire(ifi); err != nil {
		return err
	}
	p.resolver.Moved(ifi)
	return p.tune(ifi)
}

// Report implements link.Reporter.
func (p *Place) Report(to *slog.Logger) { p.log.report(to) }

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
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.held.Close(), p.tuned.Close())
}
