// Package lab builds a small network on one machine: a network namespace for
// the switch, one for each server, and a veth from each server to a port of the
// switch. The demo, the benchmarks and the end-to-end tests run in it.
//
//	+--------+ eth0   p1 +----------------+ p2   eth0 +--------+
//	| server |-----------|  switch        |-----------| server |
//	| 10.66. |           |  (p4cpu: CPU   |           | 10.66. |
//	|  0.11  |           |   port)        |           |  0.12  |
//	+--------+           +----------------+           +--------+
//
// Namespaces have no name, and so no bind mount: when the process that made the
// lab ends, however it ends, the kernel takes them, their interfaces and what is
// attached to these away. Processes started in the lab are killed with it. The
// switch has a BPF file system of its own, at Pins, which goes the same way. Keep
// gives the namespaces names, for people who want to look around.
//
// The package needs root (CAP_SYS_ADMIN, CAP_NET_ADMIN).
package lab

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"sync"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// MTU of every link: the largest that native XDP without multi-buffer takes,
// rounded to carry a path MTU of 2048.
const MTU = 3000

// SwitchIP is the switch's own address.
var SwitchIP = netip.MustParseAddr("10.66.0.1")

// SwitchMAC is the address that the switch shows its neighbours.
var SwitchMAC = net.HardwareAddr{0x02, 0x50, 0x34, 0x63, 0x65, 0x01}

// Pins is the switch's own BPF file system: a folder to keep its data plane in.
const Pins = "/sys/fs/bpf"

// Host is a server's place in the network.
type Host struct {
	Name string // "server 0"
	Port uint16 // of the switch
	IP   netip.Addr
	MAC  net.HardwareAddr
	ns   netns.NsHandle
	port string  // PortInterface
	at   *Router // where that is; nil: in the switch's namespace
}

// Interface is the name of a host's interface to the switch.
const Interface = "eth0"

// Lab is a switch namespace with hosts around it. Methods may be called from any
// goroutine; Close releases everything.
type Lab struct {
	Hosts  []*Host
	sw     netns.NsHandle
	mnt    *os.File       // mount namespace with the BPF file system of the switch; nil: ours
	noMnt  error          // why
	second netns.NsHandle // network without the switch, see AddNetwork

	mu      sync.Mutex
	procs   []*Proc
	names   []string
	routers []netns.NsHandle
}

// PortInterface is the name of the switch's end of a host's link.
func (h *Host) PortInterface() string { return h.port }

// New builds a lab with n hosts on ports 1..n.
func New(n int) (*Lab, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("network namespaces need root (CAP_SYS_ADMIN and CAP_NET_ADMIN)")
	}
	l := &Lab{sw: -1, second: -1}
	ok := false
	defer func() {
		if !ok {
			l.Close()
		}
	}()
	var err error
	if l.sw, err = newNamespace(); err != nil {
		return nil, err
	}
	l.mnt, l.noMnt = newMounts() // what does not keep its data plane does without
	for i := range n {
		if _, err := l.AddHost(Host{
			Name: fmt.Sprintf("server %d", i),
			Port: uint16(i + 1),
			IP:   netip.AddrFrom4([4]byte{10, 66, 0, byte(11 + i)}),
			MAC:  net.HardwareAddr{0x02, 0x66, 0, 0, 0, byte(11 + i)},
		}, fmt.Sprintf("p%d", i+1), nil); err != nil {
			return nil, err
		}
	}
	ok = true
	return l, nil
}

// AddHost adds a host in a network namespace of its own, with a link from its Interface to a new
// interface of a router, or, without one, of the switch's namespace.
func (l *Lab) AddHost(host Host, port string, at *Router) (_ *Host, err error) {
	h := &host
	h.port, h.at = port, at
	if h.ns, err = newNamespace(); err != nil {
		return nil, err
	}
	l.Hosts = append(l.Hosts, h)
	if err := l.Wire(h); err != nil {
		return nil, fmt.Errorf("%s: %w", h.Name, err)
	}
	return h, nil
}

// portNS is the namespace of the switch's end of a host's link.
func (l *Lab) portNS(h *Host) netns.NsHandle {
	if h.at != nil {
		return h.at.ns
	}
	return l.sw
}

// newNamespace makes a network namespace with its loopback up and IPv6 off.
func newNamespace() (netns.NsHandle, error) {
	type result struct {
		ns  netns.NsHandle
		err error
	}
	done := make(chan result)
	go func() {
		// The thread stays in the new namespace: do not give it back.
		runtime.LockOSThread()
		ns, err := netns.New()
		if err != nil {
			done <- result{-1, fmt.Errorf("new network namespace: %w", err)}
			return
		}
		for _, c := range []string{"all", "default"} {
			if err := os.WriteFile("/proc/sys/net/ipv6/conf/"+c+"/disable_ipv6", []byte("1"), 0o644); err != nil && !os.IsNotExist(err) {
				done <- result{ns, fmt.Errorf("disable IPv6: %w", err)}
				return
			}
		}
		lo, err := netlink.LinkByName("lo")
		if err == nil {
			err = netlink.LinkSetUp(lo)
		}
		if err != nil {
			done <- result{ns, fmt.Errorf("loopback: %w", err)}
			return
		}
		done <- result{ns, nil}
	}()
	r := <-done
	if r.err != nil && r.ns >= 0 {
		r.ns.Close()
		r.ns = -1
	}
	return r.ns, r.err
}

// HasPins says why the switch has no BPF file system of its own, nil when it has one.
func (l *Lab) HasPins() error { return l.noMnt }

// newMounts makes a mount namespace like ours, but for a BPF file system at Pins.
func newMounts() (*os.File, error) {
	type result struct {
		f   *os.File
		err error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread() // the thread is not given back
		f, err := func() (*os.File, error) {
			if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
				return nil, fmt.Errorf("new mount namespace: %w", err)
			}
			if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
				return nil, fmt.Errorf("mount namespace: private mounts: %w", err)
			}
			if err := unix.Mount("bpf", Pins, "bpf", 0, ""); err != nil {
				return nil, fmt.Errorf("mount a BPF file system at %s: %w", Pins, err)
			}
			return os.Open("/proc/thread-self/ns/mnt")
		}()
		done <- result{f, err}
	}()
	r := <-done
	return r.f, r.err
}

// Wire connects a host to its port; New does so for all hosts.
func (l *Lab) Wire(h *Host) error {
	return inside(l.portNS(h), func() error {
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.MTU = h.PortInterface(), MTU
		if h.at != nil {
			attrs.HardwareAddr = h.at.mac
		}
		veth := &netlink.Veth{
			LinkAttrs: attrs, PeerName: Interface, PeerMTU: MTU,
			PeerHardwareAddr: h.MAC, PeerNamespace: netlink.NsFd(int(h.ns)),
		}
		if err := netlink.LinkAdd(veth); err != nil {
			return fmt.Errorf("make veth %s: %w", attrs.Name, err)
		}
		if err := up(attrs.Name); err != nil {
			return err
		}
		if h.at != nil {
			if err := offloads(attrs.Name); err != nil {
				return err
			}
		}
		return inside(h.ns, func() error {
			link, err := netlink.LinkByName(Interface)
			if err != nil {
				return err
			}
			addr, err := netlink.ParseAddr(h.IP.String() + "/24")
			if err != nil {
				return err
			}
			if err := netlink.AddrAdd(link, addr); err != nil {
				return fmt.Errorf("address %s: %w", addr, err)
			}
			if err := up(Interface); err != nil {
				return err
			}
			// Packets that XDP redirects reach a veth only if its far end has
			// XDP or GRO; checksums that the kernel leaves to the device would
			// stay unfinished; tags of VLANs would be lost. (GRO counts only when it is switched on while the link
			// is up.)
			return offloads(Interface)
		})
	})
}

// Unwire deletes a host's interface, and its port's.
func (l *Lab) Unwire(h *Host) error {
	return inside(l.portNS(h), func() error {
		link, err := netlink.LinkByName(h.PortInterface())
		if err == nil {
			err = netlink.LinkDel(link)
		}
		if err != nil {
			return fmt.Errorf("delete %s: %w", h.PortInterface(), err)
		}
		return nil
	})
}

// Tap makes a tap interface in the switch's namespace, for a guest on a port of a
// switch. It stays, without carrier, when no guest has it open.
func (l *Lab) Tap(name string) error { return l.tap(name, netlink.TUNTAP_NO_PI) }

// QueuesTap makes a Tap for a guest's device of several queues. Who opens it must say so.
func (l *Lab) QueuesTap(name string) error {
	return l.tap(name, netlink.TUNTAP_NO_PI|netlink.TUNTAP_MULTI_QUEUE)
}

func (l *Lab) tap(name string, flags netlink.TuntapFlag) error {
	return inside(l.sw, func() error {
		attrs := netlink.NewLinkAttrs()
		attrs.Name = name
		if err := netlink.LinkAdd(&netlink.Tuntap{LinkAttrs: attrs, Mode: netlink.TUNTAP_MODE_TAP, Flags: flags}); err != nil {
			return fmt.Errorf("make tap %s (is /dev/net/tun there?): %w", name, err)
		}
		link, err := netlink.LinkByName(name)
		if err != nil {
			return err
		}
		if err := netlink.LinkSetMTU(link, MTU); err != nil {
			return fmt.Errorf("MTU of %s: %w", name, err)
		}
		return up(name)
	})
}

// inside runs f on a thread in the namespace.
func inside(ns netns.NsHandle, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		back, err := netns.Get()
		if err != nil {
			done <- err
			return
		}
		defer back.Close()
		if err := netns.Set(ns); err != nil {
			done <- fmt.Errorf("enter network namespace: %w", err)
			return
		}
		err = f()
		if netns.Set(back) == nil {
			runtime.UnlockOSThread()
		}
		done <- err
	}()
	return <-done
}

// InSwitch runs f on a thread in the switch's namespace, with its BPF file system;
// sockets and eBPF objects made there stay there.
func (l *Lab) InSwitch(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread is not given back: its view of files stays its own
		err := unix.Unshare(unix.CLONE_FS)
		if err == nil && l.mnt != nil {
			err = unix.Setns(int(l.mnt.Fd()), unix.CLONE_NEWNS)
		}
		if err == nil {
			err = netns.Set(l.sw)
		}
		if err != nil {
			done <- fmt.Errorf("enter the switch's namespaces: %w", err)
			return
		}
		done <- f()
	}()
	return <-done
}

// Route has a host send what is for an address to a neighbour with a MAC address: see Router.Route.
func (l *Lab) Route(h *Host, to netip.Addr, next net.HardwareAddr) error {
	return route(h.ns, to, Interface, next)
}

// InHost runs f on a thread in the namespace of a host.
func (l *Lab) InHost(h *Host, f func() error) error { return inside(h.ns, f) }

// Keep gives the namespaces names that `ip netns` knows, prefix-switch and
// prefix-0, -1...; they stay when the lab is gone. It returns the names.
func (l *Lab) Keep(prefix string) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := os.MkdirAll("/run/netns", 0o755); err != nil {
		return nil, err
	}
	name := func(n string, ns netns.NsHandle) error {
		file := "/run/netns/" + n
		f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL, 0o444)
		if err != nil {
			return fmt.Errorf("name namespace %s (left from an earlier run? ip netns del %s): %w", n, n, err)
		}
		f.Close()
		if err := unix.Mount(fmt.Sprintf("/proc/self/fd/%d", int(ns)), file, "none", unix.MS_BIND, ""); err != nil {
			os.Remove(file)
			return fmt.Errorf("name namespace %s: %w", n, err)
		}
		l.names = append(l.names, n)
		return nil
	}
	if err := name(prefix+"-switch", l.sw); err != nil {
		return nil, err
	}
	for i, h := range l.Hosts {
		if err := name(fmt.Sprintf("%s-%d", prefix, i), h.ns); err != nil {
			return nil, err
		}
	}
	return l.names, nil
}

// Unname takes the names away that Keep gave.
func (l *Lab) Unname() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.names {
		_ = unix.Unmount("/run/netns/"+n, unix.MNT_DETACH)
		_ = os.Remove("/run/netns/" + n)
	}
	l.names = nil
}

// Close kills the lab's processes and gives the namespaces back.
func (l *Lab) Close() {
	l.mu.Lock()
	procs := l.procs
	l.procs = nil
	l.mu.Unlock()
	for i := len(procs) - 1; i >= 0; i-- {
		procs[i].Kill()
	}
	l.Unname()
	for _, h := range l.Hosts {
		if h.ns >= 0 {
			h.ns.Close()
		}
	}
	for _, ns := range l.routers {
		ns.Close()
	}
	l.routers = nil
	for _, ns := range []*netns.NsHandle{&l.sw, &l.second} {
		if *ns >= 0 {
			ns.Close()
			*ns = -1
		}
	}
	if l.mnt != nil {
		l.mnt.Close()
	}
}
