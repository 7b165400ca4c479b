package group

import (
	"math/rand/v2"
	"time"
)

// firstQPN is the lowest queue pair number that is given out: those below are
// special or easily confused with it.
const firstQPN = 0x100

// numbers gives out random numbers in [lo, hi], none of which is in use or has
// been given back less than the quarantine ago.
type numbers struct {
	lo, hi  uint32
	rnd     *rand.Rand
	used    map[uint32]bool
	resting []resting // oldest first
}

type resting struct {
	v     uint32
	until time.Duration
}

func (n *numbers) release(now time.Duration) {
	for len(n.resting) > 0 && n.resting[0].until <= now {
		delete(n.used, n.resting[0].v)
		n.resting = n.resting[1:]
	}
}

// get returns a number. The space is so much larger than the number of groups
// that a few attempts find one.
func (n *numbers) get(now time.Duration) uint32 {
	n.release(now)
	for {
		v := n.lo + uint32(n.rnd.Uint64N(uint64(n.hi)-uint64(n.lo)+1))
		if !n.used[v] {
			n.used[v] = true
			return v
		}
	}
}

// take marks a number as used: one found on the switch after a restart.
func (n *numbers) take(v uint32) { n.used[v] = true }

func (n *numbers) put(v uint32, until time.Duration) {
	n.resting = append(n.resting, resting{v, until})
}

// indexes gives out the indexes below MaxGroups, the one longest free first.
type indexes struct {
	free    []uint16
	resting []resting
}

func newIndexes() *indexes {
	x := &indexes{}
	for i := range MaxGroups {
		x.free = append(x.free, uint16(i))
	}
	return x
}

func (x *indexes) get(now time.Duration) (uint16, bool) {
	for len(x.resting) > 0 && x.resting[0].until <= now {
		x.free = append(x.free, uint16(x.resting[0].v))
		x.resting = x.resting[1:]
	}
	if len(x.free) == 0 {
		return 0, false
	}
	i := x.free[0]
	x.free = x.free[1:]
	return i, true
}

func (x *indexes) take(i uint16) {
	for k, v := range x.free {
		if v == i {
			x.free = append(x.free[:k], x.free[k+1:]...)
			return
		}
	}
}

// back takes an index that no switch has seen: it need not rest.
func (x *indexes) back(i uint16) { x.free = append(x.free, i) }

func (x *indexes) put(i uint16, until time.Duration) {
	x.resting = append(x.resting, resting{uint32(i), until})
}
