package own

import (
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"sync"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// tryAgain is how long an interface that is back, and cannot be used, waits for the next attempt: its address may come
// later, which no message about interfaces tells.
const tryAgain = time.Second

// carrier follows whether an interface can carry frames. When it is deleted, and another one of its name is made, it
// follows that one.
type carrier struct {
	name  string
	index int // 0: it has gone
	space netns.NsHandle
	done  chan struct{}
	ended chan struct{}
	log   *slog.Logger
	again func(ifi *net.Interface) error // takes the new interface
	last  string                         // why that failed

	lock sync.Mutex
	up   bool
	tell func(up bool)
}

// follow begins, in the network namespace of the caller's thread. again is called there with an interface that was made
// under the name of one that has gone; until it succeeds, the link is down.
func follow(ifi *net.Interface, log *slog.Logger, again func(ifi *net.Interface) error) (*carrier, error) {
	c := &carrier{name: ifi.Name, index: ifi.Index, done: make(chan struct{}), ended: make(chan struct{}), log: log, again: again, up: true}
	var err error
	if c.space, err = netns.Get(); err != nil {
		return nil, fmt.Errorf("interface %s cannot be watched: network namespace: %w", ifi.Name, err)
	}
	updates := make(chan netlink.LinkUpdate)
	err = netlink.LinkSubscribeWithOptions(updates, c.done, netlink.LinkSubscribeOptions{
		ListExisting:  true,
		ErrorCallback: func(error) {}, // without news, silence shows that a link is down
	})
	if err != nil {
		c.space.Close()
		return nil, fmt.Errorf("interface %s cannot be watched: %w", ifi.Name, err)
	}
	go func() {
		defer close(c.ended)
		defer c.space.Close()
		tick := time.NewTicker(tryAgain)
		defer tick.Stop()
		for {
			select {
			case u, ok := <-updates: // closed after done
				if !ok {
					return
				}
				c.heed(&u)
			case <-tick.C:
				if c.index == 0 && c.last != "" {
					c.returned()
				}
			}
		}
	}()
	return c, nil
}

// heed takes in what the kernel says about an interface, and tells of what is new about this one.
func (c *carrier) heed(u *netlink.LinkUpdate) {
	up := u.IfInfomsg.Flags&unix.IFF_LOWER_UP != 0
	gone := u.Header.Type == unix.RTM_DELLINK
	switch {
	case c.index == 0 && !gone && u.Link != nil && u.Attrs().Name == c.name:
		if !c.returned() {
			return
		}
	case c.index == 0 || int(u.Index) != c.index:
		return
	case gone:
		c.log.Warn("the interface was deleted: nothing is sent or received until an interface of this name exists", "interface", c.name)
		c.index, up = 0, false
	}
	c.set(up)
}

func (c *carrier) set(up bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if up == c.up {
		return
	}
	c.up = up
	if c.tell != nil {
		c.tell(up)
	}
}

// returned takes the interface that has the name now, if it can be used.
func (c *carrier) returned() bool {
	var ifi *net.Interface
	err := c.inside(func() (err error) {
		if ifi, err = Interface(c.name); err != nil {
			return err
		}
		return c.again(ifi)
	})
	if err != nil {
		if why := err.Error(); why != c.last {
			c.log.Warn("the new interface cannot be used yet", "interface", c.name, "err", err)
			c.last = why
		}
		return false
	}
	c.index, c.last = ifi.Index, ""
	c.log.Info("the interface is back, and in use again", "interface", c.name)
	c.set(ifi.Flags&net.FlagRunning != 0)
	return true
}

// inside runs f on a thread in the network namespace of the interface.
func (c *carrier) inside(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // a thread that has left its namespace ends with the goroutine
		here, err := netns.Get()
		if err == nil {
			same := here.Equal(c.space)
			here.Close()
			if !same {
				err = netns.Set(c.space)
			}
			if same {
				defer runtime.UnlockOSThread()
			}
		}
		if err == nil {
			err = f()
		}
		done <- err
	}()
	return <-done
}

// on has tell called from now on; at once if the link is down.
func (c *carrier) on(tell func(up bool)) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.tell = tell; !c.up {
		tell(false)
	}
}

func (c *carrier) close() {
	close(c.done)
	<-c.ended
}
