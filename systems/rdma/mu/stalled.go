package mu

import "time"

// DiskStalled reports that this server's disk has not answered for so long that the others should
// continue without this server. The caller repeats the call while that lasts. Like a leader that makes
// no progress (stalled), a server that cannot do its work steps down, and stops its heartbeat, which
// would say that it can.
func (c *Core) DiskStalled(now time.Duration) {
	c.now = now
	c.muted = max(c.muted, now+40*c.cfg.HeartbeatEvery)
	if c.role == Leader {
		c.stepDown("its disk does not answer")
	}
	c.publish()
	c.report()
}
