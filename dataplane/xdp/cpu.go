package xdp

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/afxdp"
)

// cpuPort is the veth between the switch and the controller: the switch end is
// a port like any other, the far end belongs to one AF_XDP socket.
type cpuPort struct {
	near string
	lock int // says that the interface is this switch's; see lockCPUPort
	sock *afxdp.Socket
	wg   sync.WaitGroup // the receiver
	mu   sync.Mutex     // one sender at a time
}

// lockCPUPort makes sure that no other switch has the CPU port's interface: an abstract
// socket has one owner in a network namespace, and goes with its process.
func lockCPUPort(near string) (int, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("CPU port: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: "@p4ce/cpu-port/" + near}); err != nil {
		unix.Close(fd)
		if errors.Is(err, unix.EADDRINUSE) {
			return -1, fmt.Errorf("CPU port: interface %s belongs to another switch in this network namespace (choose another name with --cpu-interface)", near)
		}
		return -1, fmt.Errorf("CPU port: %w", err)
	}
	return fd, nil
}

// newCPUPort makes the veth, with nothing of the kernel's own on it.
func newCPUPort(near string) (c *cpuPort, err error) {
	lock, err := lockCPUPort(near)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			unix.Close(lock)
		}
	}()
	far := near + "x"
	if old, err := netlink.LinkByName(near); err == nil {
		// Left behind by a switch that was killed: nobody who runs uses this name.
		if old.Type() != "veth" {
			return nil, fmt.Errorf("CPU port: interface %s exists and is not a veth", near)
		}
		if err := netlink.LinkDel(old); err != nil {
			return nil, fmt.Errorf("CPU port: remove old interface %s: %w", near, err)
		}
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU = near, MaxMTU
	veth := &netlink.Veth{LinkAttrs: attrs, PeerName: far, PeerMTU: MaxMTU}
	if err := netlink.LinkAdd(veth); err != nil {
		return nil, fmt.Errorf("CPU port: make veth %s (needs CAP_NET_ADMIN): %w", near, err)
	}
	c = &cpuPort{near: near, lock: lock}
	for _, name := range []string{near, far} {
		// The kernel shall not send anything of its own into the switch.
		if err := os.WriteFile("/proc/sys/net/ipv6/conf/"+name+"/disable_ipv6", []byte("1"), 0o644); err != nil && !os.IsNotExist(err) {
			c.remove()
			return nil, fmt.Errorf("CPU port: disable IPv6 on %s: %w", name, err)
		}
		l, err := netlink.LinkByName(name)
		if err == nil {
			err = netlink.LinkSetARPOff(l)
		}
		if err == nil {
			err = netlink.LinkSetUp(l)
		}
		if err != nil {
			c.remove()
			return nil, fmt.Errorf("CPU port: bring up %s: %w", name, err)
		}
	}
	sock, err := afxdp.Open(far, afxdp.Filter{})
	if err != nil {
		c.remove()
		return nil, fmt.Errorf("CPU port: %w", err)
	}
	c.sock = sock
	return c, nil
}

// receive calls f with every packet-in until close. f must not keep the frame.
func (c *cpuPort) receive(f func([]byte)) {
	c.wg.Go(func() {
		frames := make([][]byte, 64)
		for {
			n, err := c.sock.Receive(frames)
			if err != nil {
				return // closed
			}
			for _, frame := range frames[:n] {
				f(frame)
			}
		}
	})
}

// send sends a packet-out.
func (c *cpuPort) send(frame []byte) error {
	if len(frame) > afxdp.MaxFrame {
		return fmt.Errorf("CPU port: frame of %d bytes (at most %d)", len(frame), afxdp.MaxFrame)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before, _ := c.sock.Dropped()
	c.sock.Send(append(c.sock.Buffer(), frame...))
	if err := c.sock.Flush(); err != nil {
		return fmt.Errorf("CPU port: %w", err)
	}
	if now, _ := c.sock.Dropped(); now != before {
		return fmt.Errorf("CPU port: the queue of %s is full", c.near)
	}
	return nil
}

func (c *cpuPort) remove() error {
	l, err := netlink.LinkByName(c.near)
	if err != nil {
		return nil // gone already
	}
	if err := netlink.LinkDel(l); err != nil {
		return fmt.Errorf("CPU port: remove %s: %w", c.near, err)
	}
	return nil
}

func (c *cpuPort) close() error {
	err := c.sock.Close()
	c.wg.Wait()
	if err2 := c.remove(); err == nil {
		err = err2
	}
	unix.Close(c.lock)
	return err
}
