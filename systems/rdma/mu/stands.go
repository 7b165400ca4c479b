package mu

import "time"

// Stands says that this server's disk has not answered for so long that others had better go on without it. It is called
// again as long as that lasts. As with a leader for whom nothing moves (leadStep): who cannot do the work gives way, and its
// heartbeat, which would say that it can, stands still with the disk.
func (c *Core) Stands(now time.Duration) {
	c.now = now
	c.muted = max(c.muted, now+40*c.cfg.HeartbeatEvery)
	if c.role == Leader {
		c.stepDown("its disk does not answer")
	}
	c.report()
}
