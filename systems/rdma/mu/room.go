package mu

import "time"

// Room is how much room a server has for decided entries. Each server says it in its status block,
// because nobody else can know. A leader that only looked at its own disk would fill the disks of the
// others.
type Room uint8

// The amounts of room.
const (
	RoomEnough Room = iota
	RoomLow         // nothing new should come
	RoomNone        // nor what is already decided
)

// SetRoom sets how much room this server has.
func (c *Core) SetRoom(now time.Duration, r Room) {
	c.now = now
	if c.room != r {
		c.env.Eventf("has %v", r)
		c.room = r
		c.publish()
	}
}

func (r Room) String() string {
	return [...]string{"room", "little room: writes that need room wait", "no room: takes nothing until there is room"}[r]
}

// Short reports whether a leader should propose nothing that needs room: its own disk or others' are
// low, and less than a majority of servers is known to have enough. Servers that do not answer are not
// by themselves a lack of room.
func (c *Core) Short() bool {
	enough, low := 0, c.room != RoomEnough
	if c.isMember() && !low {
		enough++
	}
	for _, p := range c.peers {
		if !p.member || !p.alive {
			continue
		}
		if p.st.room == RoomEnough {
			enough++
		} else {
			low = true
		}
	}
	return c.role == Leader && low && enough < c.majority()
}

// roomStep stops writing to peers that have no room while enough others remain: further entries would
// make them fail. They are asked again when they have room.
func (c *Core) roomStep(confirmed int) {
	for _, p := range c.peers {
		if p.st.room != RoomNone {
			continue
		}
		if p.live && (!c.counts(p) || confirmed > c.need()) {
			if c.counts(p) {
				confirmed--
			}
			c.env.Eventf("server %d has no room: writing to it continues when it has room", p.id)
			c.lost(p)
		}
		if !p.live {
			p.notBefore = max(p.notBefore, c.now+c.cfg.SlowAfter/4)
		}
	}
}
