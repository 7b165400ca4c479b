// Package looptime is the time of a loop that decides who has failed by what it hears. It stands still while the loop does.
//
// A process that was stopped, a virtual machine that was paused, or a loop that waited for a disk finds its time-outs over when it
// goes on, before it has looked at what came meanwhile. Without this, everybody would count as silent.
//
//	loop: wait for an event, Clock.Until(deadline) at most --> Clock.Wake(deadline) --> the step, in which Clock.Now is one time
package looptime

import (
	"sync/atomic"
	"time"
)

// Slack is how late a step may be. What is later does not pass. Steps on a busy machine are late by less, and that time counts:
// otherwise time would hardly pass there for a loop that looks at its clock every millisecond.
const Slack = 100 * time.Millisecond

// Clock is the time of one loop, from 0 on.
type Clock struct {
	start  time.Time
	missed atomic.Int64 // nanoseconds in which the loop stood still
	now    atomic.Int64 // of the step that runs
}

// New makes a clock. The loop begins.
func New() *Clock { return &Clock{start: time.Now()} }

// Now is the time of the step that runs. It is the same for the whole step, however long that takes.
func (c *Clock) Now() time.Duration { return time.Duration(c.now.Load()) }

// passed is the time at this moment.
func (c *Clock) passed() time.Duration {
	return time.Since(c.start) - time.Duration(c.missed.Load())
}

// Until is how long the loop may wait for an event: until due at most.
func (c *Clock) Until(due time.Duration) time.Duration { return max(0, due-c.passed()) }

// Wake begins a step, which was to begin at due at the latest: at once after the last one if that is earlier.
func (c *Clock) Wake(due time.Duration) {
	if late := c.passed() - max(due, c.Now()); late > Slack {
		c.missed.Add(int64(late - Slack))
	}
	c.now.Store(int64(c.passed()))
}
