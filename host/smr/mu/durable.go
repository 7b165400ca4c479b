package mu

import (
	"slices"
	"time"
)

// Synced says that everything below index is on this server's disk.
func (c *Core) Synced(now time.Duration, index uint64) {
	c.now = now
	if index > c.synced {
		c.synced = index
		c.publish()
		c.updateDurable()
	}
}

// updateDurable finds what a majority has on disk.
func (c *Core) updateDurable() {
	if c.role != Leader {
		return
	}
	var at [MaxServers]uint64
	n := 0
	if c.isMember() {
		at[n] = c.synced
		n++
	}
	for _, p := range c.peers {
		if p.member {
			at[n] = p.st.synced
			n++
		}
	}
	if n < c.majority() {
		return
	}
	slices.Sort(at[:n])
	if d := at[n-c.majority()]; d > c.durable {
		c.durable = d
		c.env.Durable(d)
	}
}
