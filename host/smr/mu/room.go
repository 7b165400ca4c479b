package mu

import "time"

// Room is how much room a server has for what is decided. Each says it in its status block: nobody else can know, and a leader
// that only looked at its own disk would fill those of the others.
type Room uint8

// The amounts of room.
const (
	RoomEnough Room = iota
	RoomLow         // nothing new should come
	RoomNone        // nor what is decided already
)

// SetRoom says how much room this server has from now on.
func (c *Core) SetRoom(now time.Duration, r Room) {
	c.now = now
	if c.room != r {
		c.env.Eventf("has %v", r)
		c.room = r
		c.publish()
	}
}

func (r Room) String() string {
	return [...]string{"room", "little room: writes that need some wait", "no room: takes nothing before there is some"}[r]
}

// Short reports whether a leader should propose nothing that needs room: it has too little itself, or less than a majority has
// enough. Whoever is not heard of counts as without.
func (c *Core) Short() bool {
	enough := 0
	if c.isMember() && c.room == RoomEnough {
		enough++
	}
	for _, p := range c.peers {
		if p.member && p.alive && p.st.room == RoomEnough {
			enough++
		}
	}
	return c.role == Leader && enough < c.majority()
}

// roomStep stops writing to peers that have no room, while enough others are left: what comes to them would end them. They
// are asked again when they have some.
func (c *Core) roomStep(confirmed int) {
	for _, p := range c.peers {
		if p.st.room != RoomNone {
			continue
		}
		if p.live && (!c.counts(p) || confirmed > c.need()) {
			if c.counts(p) {
				confirmed--
			}
			c.env.Eventf("server %d has no room: it is written to again when it has some", p.id)
			c.lost(p)
		}
		if !p.live {
			p.notBefore = max(p.notBefore, c.now+c.cfg.SlowAfter/4)
		}
	}
}
