package paxos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// recovery is an instance that somebody wants to know, whether it was delivered here or not.
type recovery struct {
	instance         uint64
	noop             []byte
	known            bool // the fields below are what was decided
	client, sequence uint32
	shared           uint8
	value            []byte
	asked            int // how often acceptors were asked
	trimmed          int // answers that the acceptors do not have it
	due              time.Duration
}

// ErrTrimmed is an error of Recover: what was decided in the instance is in checkpoints only.
var ErrTrimmed = errors.New("the switches have forgotten it, because it is in the checkpoints of enough replicas")

// Recover makes the replica find out what was decided in an instance, and have it decided if nothing
// was: with the no-op, unless a value may have been chosen there. A no-op is a value of client 0, which
// is never delivered to the state machine. Recovered returns the result. If the instance is being
// recovered already, the first no-op remains.
func (r *Replica) Recover(instance uint64, noop []byte) error {
	switch d := int64(instance - r.next); {
	case len(noop) > MaxValue:
		return fmt.Errorf("paxos recover: the no-op: %w: %d", ErrValue, len(noop))
	case instance == 0:
		return errors.New("paxos recover: instance 0 [the first instance is 1]")
	case d >= 1<<31:
		return fmt.Errorf("paxos recover: instance %d is too far ahead: %d is next", instance, r.next)
	case d < -1<<31:
		return fmt.Errorf("paxos recover: instance %d: %w", instance, ErrTrimmed)
	}
	if slices.ContainsFunc(r.recoveries, func(x recovery) bool { return x.instance == instance }) {
		return nil
	}
	x := recovery{instance: instance, noop: slices.Clone(noop)}
	if c := r.cell(instance); c.instance == instance { // it is still here, delivered or not
		x.known, x.client, x.sequence, x.shared, x.value = true, c.client, c.sequence, c.shared, slices.Clone(c.value[:c.length])
	}
	r.recoveries = append(r.recoveries, x)
	r.due = 0
	return nil
}

// Decision is what was decided in an instance.
type Decision struct {
	Instance uint64
	// Entries are its values, in their order. A no-op is one entry of client 0; so are values that do not add
	// up. They belong to the caller.
	Entries []Entry
	Err     error // ErrTrimmed: only checkpoints contain the instance
}

// Recovered returns the next instance of Recover whose decision is known, once all instances up to it
// were delivered here.
func (r *Replica) Recovered() (d Decision, ok bool) {
	for i := range r.recoveries {
		x := &r.recoveries[i]
		if int64(x.instance-r.next) >= 0 {
			continue // the instance, or one below it, is missing
		}
		d.Instance = x.instance
		switch {
		case x.known:
			r.stats.Recovered++
			d.Entries = x.entries()
		case x.trimmed >= 2*max(r.o.Acceptors, 1): // one answer may be from the time before the instance was decided
			d.Err = ErrTrimmed
		default:
			continue
		}
		r.recoveries = slices.Delete(r.recoveries, i, i+1)
		return d, true
	}
	return Decision{}, false
}

// entries are the values of an instance that is known.
func (x *recovery) entries() (out []Entry) {
	if x.client == 0 {
		return []Entry{{Instance: x.instance, Value: x.value}}
	}
	m := Message{Sequence: x.sequence, Shared: x.shared, Value: x.value}
	m.Each(func(sequence uint32, value []byte) { out = append(out, Entry{x.instance, x.client, sequence, value}) })
	if out == nil {
		out = []Entry{{Instance: x.instance}}
	}
	return out
}

// Abandon ends Recover: nobody waits for the instance any more.
func (r *Replica) Abandon(instance uint64) {
	r.recoveries = slices.DeleteFunc(r.recoveries, func(x recovery) bool { return x.instance == instance })
}

// recover takes what was decided in an instance.
func (r *Replica) recover(instance uint64, m *Message) {
	for i := range r.recoveries {
		if x := &r.recoveries[i]; x.instance == instance && !x.known {
			x.known, x.client, x.sequence, x.shared, x.value = true, m.Client, m.Sequence, m.Shared, slices.Clone(m.Value)
		}
	}
}

// refuseRecovery takes the answer of an acceptor that it does not have an instance.
func (r *Replica) refuseRecovery(instance uint64) {
	for i := range r.recoveries {
		if x := &r.recoveries[i]; x.instance == instance && int64(instance-r.next) < 0 {
			x.trimmed++
		}
	}
}

// askRecoveries asks acceptors for the instances that are to be recovered. If they have no majority of
// votes, the controller has the instance decided.
func (r *Replica) askRecoveries(now time.Duration) {
	for i := range r.recoveries[:min(len(r.recoveries), queries)] {
		x := &r.recoveries[i]
		if x.known || now < x.due {
			continue
		}
		for a := range r.o.Acceptors {
			r.stats.Queries++
			r.sends = append(r.sends, ReplicaSend{To(a), Message{Kind: Query, Instance: uint32(x.instance)}})
		}
		x.asked++
		if x.asked > 2 {
			r.sends = append(r.sends, ReplicaSend{ToController, Message{
				Kind: Report, Flags: Wanted, Instance: uint32(x.instance), VoteRound: uint32(r.heard - 1), Client: r.o.Host, Value: x.noop,
			}})
		}
		x.due = now + r.pace.wait(min(x.asked-1, 5))
	}
}

// Recover returns what was decided in an instance, after everything up to it was applied here. If
// nothing was decided, it has the no-op decided: at most MaxValue bytes, which mean something to the
// callers of Recover only. A no-op is one entry with Client 0. It is the no-op of somebody else, perhaps
// an empty one, if that was decided first. Several values of a client may share an instance: there is an
// entry for each.
//
// State machines do not get the values from Recover. One that was applied before is not applied again,
// and a no-op never is. An entry may repeat a value of a client that was applied in a lower instance.
// The entries belong to the caller. The error is ErrTrimmed if the switches have forgotten the instance,
// and this process has not seen it.
//
// An instance that the leader has not given yet is used up by this: the request that gets it is sent
// again. Replicas recover missing instances below known ones by themselves. Do not call Recover from
// Apply.
func (l *Log) Recover(ctx context.Context, instance uint64, noop []byte) ([]Entry, error) {
	done := make(chan Decision, 1)
	l.rmu.Lock()
	if l.ctx.Err() != nil {
		l.rmu.Unlock()
		return nil, ErrClosed
	}
	if err := l.replica.Recover(instance, noop); err != nil {
		l.rmu.Unlock()
		return nil, err
	}
	l.recovering[instance] = append(l.recovering[instance], done)
	l.rmu.Unlock()
	select {
	case r := <-done:
		return r.Entries, r.Err
	case <-l.ctx.Done():
		return nil, ErrClosed
	case <-ctx.Done():
	}
	l.rmu.Lock()
	defer l.rmu.Unlock()
	if rest := slices.DeleteFunc(l.recovering[instance], func(c chan Decision) bool { return c == done }); len(rest) > 0 {
		l.recovering[instance] = rest
	} else {
		delete(l.recovering, instance)
		l.replica.Abandon(instance)
	}
	return nil, fmt.Errorf("paxos recover: instance %d is not known yet, and the next to be applied is %d: %w [is the instance further ahead than the ring is long?]", instance, l.replica.Position(), ctx.Err())
}

// recovered tells callers of Recover. The goroutine that calls Apply calls it, with rmu held, when it
// has applied what there is.
func (l *Log) recovered() {
	for {
		d, ok := l.replica.Recovered()
		if !ok {
			return
		}
		if d.Err != nil {
			d.Err = fmt.Errorf("paxos recover: instance %d: %w", d.Instance, d.Err)
		}
		for _, c := range l.recovering[d.Instance] {
			own := d
			own.Entries = slices.Clone(d.Entries)
			for i := range own.Entries {
				own.Entries[i].Value = slices.Clone(own.Entries[i].Value)
			}
			c <- own
		}
		delete(l.recovering, d.Instance)
	}
}
