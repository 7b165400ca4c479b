package agent

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/p4rt"
)

// linkBuffer is how much the kernel keeps of what it says of interfaces, in bytes.
const linkBuffer = 1 << 20

// tryAgain is how long a port whose interface cannot be used waits for the next attempt, if nobody says that something has
// changed: nobody does when it is the other end of a link.
const tryAgain = time.Second

// watcher follows the state of the switch's interfaces, as the kernel says it (rtnetlink), and tells the server.
// A port whose interface is deleted gets the next one that has its name.
type watcher struct {
	c      Config
	target dataplane.Target
	server *p4rt.Server
	health *health

	ports    map[string]*watched // by the name of the interface; not changed once it runs
	masters  map[int]int         // interface -> the bond, or bridge, that it belongs to
	reopened sync.Map            // dataplane.Port -> *atomic.Uint64
}

// watched is the interface of a port.
type watched struct {
	port   dataplane.Port
	name   string
	index  int    // 0: it has gone, or cannot be used
	failed string // why it could not be used, as it was logged last
	works  bool   // as it was logged last
	last   *netlink.LinkAttrs
}

// watch begins to follow the interfaces of ports. Ports that are no interfaces are not watched. It is of the network
// namespace of the caller's thread.
func watch(c Config, t dataplane.Target, s *p4rt.Server, h *health) (w *watcher, stop func(), err error) {
	w = &watcher{c: c, target: t, server: s, health: h, ports: map[string]*watched{}, masters: map[int]int{}}
	for _, p := range c.Ports {
		if l, err := netlink.LinkByName(p.Interface); err == nil {
			w.ports[p.Interface] = &watched{port: p.Number, name: p.Interface, index: l.Attrs().Index, works: true}
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
		again := time.NewTicker(tryAgain)
		defer again.Stop()
		for more := true; more; {
			select {
			case u, ok := <-updates: // closed after done
				if more = ok; ok {
					w.heed(u)
				}
			case <-again.C:
				w.retry()
			}
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
	w.members(u)
	p := w.ports[a.Name]
	if p == nil {
		return
	}
	if u.Header.Type == unix.RTM_DELLINK {
		if p.index != a.Index {
			return // one that had the name before
		}
		w.c.Log.Warn("the interface of a port was deleted: packets to the port are lost until an interface of this name exists", "port", p.port, "interface", a.Name)
		p.index, p.failed, p.last, p.works = 0, "", nil, false
		_ = w.target.ReopenPort(p.port) // there is none: the target lets go of it
		w.health.set("port "+a.Name, fmt.Sprintf("port %d: interface %s was deleted", p.port, a.Name))
		w.server.SetPort(p.port, false)
		return
	}
	p.last = a
	if p.index == a.Index || w.reopen(p) {
		w.says(p)
	}
}

// says tells the controllers, and the log, whether a port works.
func (w *watcher) says(p *watched) {
	up := works(p.last)
	switch {
	case up == p.works:
	case up:
		w.c.Log.Info("port up", "port", p.port, "interface", p.name)
	case p.last.RawFlags&unix.IFF_UP == 0:
		w.c.Log.Warn("port down: its interface was set down", "port", p.port, "interface", p.name, "mend", "ip link set "+p.name+" up")
	default:
		w.c.Log.Warn("port down: no carrier [the cable, or the other end]", "port", p.port, "interface", p.name)
	}
	p.works = up
	w.server.SetPort(p.port, up)
}

// reopen gives a port the new interface of its name, and reports whether it can be used.
func (w *watcher) reopen(p *watched) bool {
	if err := w.target.ReopenPort(p.port); err != nil {
		if why := err.Error(); why != p.failed {
			w.c.Log.Error("a port cannot be reopened: the new interface is not suitable", "port", p.port, "interface", p.name, "err", err)
			w.health.set("port "+p.name, why)
			p.failed = why
		}
		return false // with the next message about it, or a little later, it is tried again
	}
	p.index, p.failed = p.last.Index, ""
	n, _ := w.reopened.LoadOrStore(p.port, &atomic.Uint64{})
	n.(*atomic.Uint64).Add(1)
	w.health.clear("port " + p.name)
	w.c.Log.Info("a port was reopened, with the new interface of its name", "port", p.port, "interface", p.name)
	return true
}

// retry tries again what has failed.
func (w *watcher) retry() {
	for _, p := range w.ports {
		if p.failed != "" && p.last != nil && w.reopen(p) {
			w.says(p)
		}
	}
}

// members follows the members of bonds that are ports.
func (w *watcher) members(u netlink.LinkUpdate) {
	b, ok := w.target.(dataplane.Bonded)
	if !ok {
		return
	}
	a := u.Attrs()
	if a.MasterIndex == w.masters[a.Index] && u.Header.Type != unix.RTM_DELLINK {
		return
	}
	for _, index := range []int{w.masters[a.Index], a.MasterIndex} {
		for _, p := range w.ports {
			if index == 0 || p.index != index {
				continue
			}
			changed, err := b.SetMembers(p.port)
			switch {
			case err != nil:
				w.c.Log.Error("the members of a port's bond are not known: packets by some of them are lost", "port", p.port, "interface", p.name, "err", err)
			case changed:
				w.c.Log.Info("a port's bond has other members", "port", p.port, "interface", p.name, "member", a.Name, "joined", index == a.MasterIndex && u.Header.Type != unix.RTM_DELLINK)
			}
		}
	}
	if w.masters[a.Index] = a.MasterIndex; a.MasterIndex == 0 || u.Header.Type == unix.RTM_DELLINK {
		delete(w.masters, a.Index)
	}
}

// works: RUNNING is what the kernel calls operational (RFC 2863: up, or unknown to the driver).
func works(a *netlink.LinkAttrs) bool {
	const up = unix.IFF_UP | unix.IFF_RUNNING
	return a.RawFlags&up == up
}
