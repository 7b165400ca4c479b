package group

import (
	"errors"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

// What one host, and all hosts on one port, may have of the switch's groups: whoever asks for all
// leaves some to the others. A group that is being formed is half-open: it costs connections to
// replicas that may never answer, so there are fewer of these, and the oldest gives way to a new one,
// when it has had its time: what a flood of requests costs is bounded, too.
const (
	maxOfHost     = MaxGroups / 4
	maxOfPort     = MaxGroups / 2
	maxHalfOfHost = 64
	maxHalfOfPort = 256
	minHalfOpen   = time.Second
)

// halfOpen reports whether a group is being formed.
func (g *group) halfOpen() bool { return g.phase == connecting || g.phase == installing }

// room makes room for a group of a host on a port, and says why there is none.
func (c *Core) room(now time.Duration, host wire.Addr, port uint16) error {
	var ofHost, ofPort, halfOfHost, halfOfPort int
	var oldestOfHost, oldestOfPort *group
	older := func(g, than *group) bool {
		return than == nil || g.born < than.born || g.born == than.born && g.index < than.index
	}
	for _, g := range c.groups {
		if g.at == port {
			ofPort++
			if g.halfOpen() {
				if halfOfPort++; older(g, oldestOfPort) {
					oldestOfPort = g
				}
			}
		}
		if g.leader.addr == host {
			ofHost++
			if g.halfOpen() {
				if halfOfHost++; older(g, oldestOfHost) {
					oldestOfHost = g
				}
			}
		}
	}
	giveUp := func(g *group, n int, whose string) error {
		why := fmt.Sprintf("%d groups of %s are being formed", n, whose)
		if now < g.born+minHalfOpen {
			return errors.New(why)
		}
		c.finish(now, g, refusal{cm.ReasonNoResources, -1, "abandoned for a newer request: " + why})
		return nil
	}
	switch {
	case halfOfHost >= maxHalfOfHost:
		return giveUp(oldestOfHost, halfOfHost, "this host")
	case halfOfPort >= maxHalfOfPort:
		return giveUp(oldestOfPort, halfOfPort, "hosts on this port")
	case ofHost >= maxOfHost:
		return fmt.Errorf("this host has %d groups, the limit: a quarter of the switch's groups", ofHost)
	case ofPort >= maxOfPort:
		return fmt.Errorf("hosts on this port have %d groups, the limit: half of the switch's groups", ofPort)
	}
	return nil
}
