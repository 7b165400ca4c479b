package agent

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/p4rt"
)

// linkBuffer is how much the kernel keeps of what it says of interfaces, in bytes.
const linkBuffer = 1 << 20

// watcher follows the state of the switch's interfaces, as the kernel says it (rtnetlink), and tells the server.
// A port whose interface is deleted gets the next one that has its name.
type watcher struct {
	c      Config
	target dataplane.Target
	server *p4rt.Server
	health *health

	ports    map[string]*watched // by the name of the interface; not changed once it runs
	reopened sync.Map            // dataplane.Port -> *atomic.Uint64
}

// watched is the interface of a port.
type watched struct {
	port   dataplane.Port
	name   string
	index  int    // 0: it has gone, or cannot be used
	failed string // why it could not be used, as it was logged last
}

// watch begins to follow the interfaces of ports. Ports that are no interfaces are not watched. It is of the network
// namespace of the caller's thread.
func watch(c Config, t dataplane.Target, s *p4rt.Server, h *health) (w *watcher, stop func(), err error) {
	w = &watcher{c: c, target: t, server: s, health: h, ports: map[string]*watched{}}
	for _, p := range c.Ports {
		if l, err := netlink.LinkByName(p.Interface); err == nil {
			w.ports[p.Interface] = &watched{port: p.Number, name: p.Interface, index: l.Attrs().Index}
		}
	}
	if len(w.ports) == 0 {
		return w, func() {}, nil
	}
	updates, done := make(chan netlink.LinkUpdate), make(chan struct{})
	var stopping atomic.Bool
	var last atomic.Value // string
	failed := func(err error) {
		last.Store(err.Error())
		c.Log.Debug("message about interfaces ignored", "err", err) // other programs' requests are among them
	}
	err = netlink.LinkSubscribeWithOptions(updates, done, netlink.LinkSubscribeOptions{ErrorCallback: failed, ListExisting: true, ReceiveBufferSize: linkBuffer})
	if err != nil {
		return nil, nil, fmt.Errorf("interfaces cannot be watched: %w", err)
	}
	enter, err := sameNamespace()
	if err != nil {
		close(done)
		return nil, nil, err
	}
	var running sync.WaitGroup
	running.Go(func() {
		enter()
		for u := range updates { // closed after done
			w.heed(u)
		}
		if !stopping.Load() {
			c.Log.Error("interfaces are no longer watched: only silence shows that a link fails", "err", last.Load())
			h.set("interfaces", "interfaces are no longer watched")
		}
	})
	return w, sync.OnceFunc(func() {
		stopping.Store(true)
		close(done)
		running.Wait()
	}), nil
}

// sameNamespace returns a function that takes a goroutine to the caller's network namespace, for good.
func sameNamespace() (enter func(), err error) {
	here, err := netns.Get()
	if err != nil {
		return nil, fmt.Errorf("network namespace: %w", err)
	}
	return func() {
		defer here.Close()
		runtime.LockOSThread() // the thread ends with the goroutine
		if now, err := netns.Get(); err == nil {
			defer now.Close()
			if now.Equal(here) {
				return
			}
		}
		_ = netns.Set(here) // who could begin there can go there
	}, nil
}

// heed is told of an interface.
func (w *watcher) heed(u netlink.LinkUpdate) {
	a := u.Attrs()
	if c := w.c; c.Target == "xdp" && u.Header.Type == unix.RTM_DELLINK && a.Name == c.CPUInterface {
		c.Log.Error("the CPU port's interface was deleted: the controller is cut off until the switch restarts", "interface", a.Name)
		w.health.set("cpu", "the CPU port's interface "+a.Name+" was deleted")
	}
	p := w.ports[a.Name]
	if p == nil {
		return
	}
	switch {
	case u.Header.Type == unix.RTM_DELLINK:
		if p.index != a.Index {
			return // one that had the name before
		}
		w.c.Log.Warn("the interface of a port was deleted: packets to the port are lost until an interface of this name exists", "port", p.port, "interface", a.Name)
		p.index, p.failed = 0, ""
		_ = w.target.ReopenPort(p.port) // there is none: the target lets go of it
		w.health.set("port "+a.Name, fmt.Sprintf("port %d: interface %s was deleted", p.port, a.Name))
		w.server.SetPort(p.port, false)
		return
	case p.index != a.Index:
		if err := w.target.ReopenPort(p.port); err != nil {
			if why := err.Error(); why != p.failed {
				w.c.Log.Error("a port cannot be reopened: the new interface is not suitable", "port", p.port, "interface", a.Name, "err", err)
				w.health.set("port "+a.Name, why)
				p.failed = why
			}
			return // with the next message about it, it is tried again
		}
		p.index, p.failed = a.Index, ""
		n, _ := w.reopened.LoadOrStore(p.port, &atomic.Uint64{})
		n.(*atomic.Uint64).Add(1)
		w.health.clear("port " + a.Name)
		w.c.Log.Info("a port was reopened, with the new interface of its name", "port", p.port, "interface", a.Name)
	}
	w.server.SetPort(p.port, works(a))
}

// works: RUNNING is what the kernel calls operational (RFC 2863: up, or unknown to the driver).
func works(a *netlink.LinkAttrs) bool {
	const up = unix.IFF_UP | unix.IFF_RUNNING
	return a.RawFlags&up == up
}
