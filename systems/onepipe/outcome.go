package onepipe

import (
	"math"
	"slices"

	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// What becomes of the messages that a host has received and not delivered, when it has failed and is there again: it was cut off,
// or slow, or only its link was down.
//
//	others: told that it has failed --> take back all that is for it and is not below their commit barriers
//	   --> tell the controller what these were
//	it: asks whether it may join --> Outcome: a time for each sender
//	   --> delivers what is below, which all others deliver, too; discards the rest --> its processes end (ErrExpelled)

// counted is the time below which this host's reliable messages count: all their receivers have them, or have forgotten them.
// Nobody has delivered one of that time, or a later one: the commit barrier is not above it.
func (e *Endpoint) counted() uint64 {
	for e.unresolved.n > 0 && (*e.unresolved.front()).resolved() {
		e.unresolved.pop()
	}
	if e.unresolved.n == 0 {
		return e.last + 1
	}
	return (*e.unresolved.front()).time
}

// ended takes a part of an Outcome. When it has all of them, it delivers what counts, and the host's run is over.
func (e *Endpoint) ended(m *private.Message) {
	f := &e.failures
	if m.Number == 0 {
		f.outcome = nil
	}
	if e.expelled || int(m.Number) != len(f.outcome) {
		return // of another time, or one before is lost: all are sent again
	}
	for _, x := range m.Failed {
		x.Time = extendTime(x.Time, uint64(e.now))
		f.outcome = append(f.outcome, x)
	}
	if len(f.outcome) < int(m.Want) {
		return
	}
	for _, in := range slices.Clone(e.receiver.order[1]) {
		if in.time >= e.countsBelow(in.from) {
			e.discard(in)
		}
	}
	e.expelled = true
	e.receiver.below[1] = math.MaxUint64
	e.deliver(1)
	e.receiver.order[0] = nil // of best-effort messages nobody has promised anything
}

// countsBelow is the time below which reliable messages of a process count.
func (e *Endpoint) countsBelow(p Process) uint64 {
	for _, x := range e.failures.outcome {
		if x.Addr == p.Addr && p.Number-x.First < x.Have {
			return x.Time
		}
	}
	at, _ := e.failed(p) // it had failed before; of others nothing counts
	return at
}
