package fabric

import (
	"math"
	"time"
)

// never is a deadline of a Timed that does not come.
const never = time.Duration(math.MaxInt64)

// Timed has something to do when a clock has come to a time.
type Timed interface {
	// Deadline is when Tick must be called next: math.MaxInt64 is never.
	Deadline() time.Duration
	Tick(now time.Duration)
}

// Timer calls a Timed by the clock of a node. A deadline that moves later lets an event come in
// vain, which arms again.
type Timer struct {
	f     *Fabric
	clock *Clock
	of    Timed
	armed Time
}

// NewTimer makes a timer of a clock of the network.
func (f *Fabric) NewTimer(clock *Clock, of Timed) *Timer {
	return &Timer{f: f, clock: clock, of: of, armed: Never}
}

// Arm is to be called after whatever may have changed the deadline.
func (t *Timer) Arm() {
	d := t.of.Deadline()
	if d == never {
		return
	}
	if at := max(t.clock.Global(After(d)), t.f.Now()); at < t.armed {
		t.armed = at
		t.f.schedule(at, t, 0, nil)
	}
}

func (t *Timer) handle(int, *Frame) {
	if t.armed > t.f.Now() {
		return // the earlier event has armed again
	}
	t.armed = Never
	if now := t.clock.Local(t.f.Now()).Duration(); t.of.Deadline() <= now {
		t.of.Tick(now)
	}
	t.Arm()
}
