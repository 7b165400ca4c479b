package agent

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/p4rt"
)

// linkBuffer is how much the kernel keeps of what it says of interfaces, in bytes.
const linkBuffer = 1 << 20

// watch follows the state of the switch's interfaces, as the kernel says it (rtnetlink), and tells the server.
// Ports that are no interfaces are not watched. It is of the network namespace of the caller's thread.
func watch(c Config, s *p4rt.Server) (stop func(), err error) {
	ports := map[string]dataplane.Port{}
	for _, p := range c.Ports {
		if _, err := netlink.LinkByName(p.Interface); err == nil {
			ports[p.Interface] = p.Number
		}
	}
	if len(ports) == 0 {
		return func() {}, nil
	}
	updates, done := make(chan netlink.LinkUpdate), make(chan struct{})
	var stopping atomic.Bool
	var last atomic.Value // string
	failed := func(err error) {
		last.Store(err.Error())
		c.Log.Debug("message about interfaces not heeded", "err", err) // other programs' requests are among them
	}
	err = netlink.LinkSubscribeWithOptions(updates, done, netlink.LinkSubscribeOptions{ErrorCallback: failed, ListExisting: true, ReceiveBufferSize: linkBuffer})
	if err != nil {
		return nil, fmt.Errorf("interfaces cannot be followed: %w", err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for u := range updates { // closed after done
			a := u.Attrs()
			port, ours := ports[a.Name]
			if !ours {
				continue
			}
			s.SetPort(port, u.Header.Type != unix.RTM_DELLINK && works(a))
		}
		if !stopping.Load() {
			c.Log.Error("interfaces are not followed any more: links fail by silence only", "err", last.Load())
		}
	})
	return sync.OnceFunc(func() {
		stopping.Store(true)
		close(done)
		running.Wait()
	}), nil
}

// works: RUNNING is what the kernel calls operational (RFC 2863: up, or unknown to the driver).
func works(a *netlink.LinkAttrs) bool {
	const up = unix.IFF_UP | unix.IFF_RUNNING
	return a.RawFlags&up == up
}
