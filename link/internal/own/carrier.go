package own

import (
	"fmt"
	"net"
	"sync"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// carrier follows whether an interface can carry frames.
type carrier struct {
	index int
	done  chan struct{}
	ended chan struct{}

	lock sync.Mutex
	up   bool
	tell func(up bool)
}

// follow begins, in the network namespace of the caller's thread.
func follow(ifi *net.Interface) (*carrier, error) {
	c := &carrier{index: ifi.Index, done: make(chan struct{}), ended: make(chan struct{}), up: true}
	updates := make(chan netlink.LinkUpdate)
	err := netlink.LinkSubscribeWithOptions(updates, c.done, netlink.LinkSubscribeOptions{
		ListExisting:  true,
		ErrorCallback: func(error) {}, // without news, silence shows that a link is down
	})
	if err != nil {
		return nil, fmt.Errorf("interface %s cannot be watched: %w", ifi.Name, err)
	}
	go func() {
		defer close(c.ended)
		for u := range updates { // closed after done
			c.heed(&u)
		}
	}()
	return c, nil
}

// heed takes in what the kernel says about an interface, and tells of what is new about this one.
func (c *carrier) heed(u *netlink.LinkUpdate) {
	up := u.Header.Type != unix.RTM_DELLINK && u.IfInfomsg.Flags&unix.IFF_LOWER_UP != 0
	c.lock.Lock()
	defer c.lock.Unlock()
	if int(u.Index) != c.index || up == c.up {
		return
	}
	c.up = up
	if c.tell != nil {
		c.tell(up)
	}
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
