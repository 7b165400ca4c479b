package cmsm

import (
	"errors"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

type state uint8

const (
	reqSent state = iota
	requested
	repSent
	repReceived
	established
	dreqSent
	timeWait
	gone
)

func (s state) String() string {
	return [...]string{"req-sent", "requested", "rep-sent", "rep-received", "established", "dreq-sent", "time-wait", "gone"}[s]
}

// ErrState is wrapped by calls that do not fit the state of the connection.
var ErrState = errors.New("cm: call does not fit the connection's state")

// Conn is one connection of an Agent.
type Conn struct {
	// Data belongs to the owner of the Agent.
	Data any

	agent         *Agent
	local, remote wire.Addr
	localID       uint32
	remoteID      uint32
	remoteQPN     uint32
	active        bool
	state         state
	tid           uint64 // of the exchange that made the connection

	last     cm.Message // repeated on timeout or when the peer repeats itself
	lastTID  uint64
	retries  int
	deadline time.Duration
	index    int // in the agent's timer heap, -1 if not in it
	req      *cm.REQ
	rep      *cm.REP
}

// Local returns the address of this side.
func (c *Conn) Local() wire.Addr { return c.local }

// Remote returns the address of the peer.
func (c *Conn) Remote() wire.Addr { return c.remote }

// LocalID returns the comm id of this side.
func (c *Conn) LocalID() uint32 { return c.localID }

// RemoteID returns the comm id of the peer, 0 while unknown.
func (c *Conn) RemoteID() uint32 { return c.remoteID }

// localQPN is the number of this side's queue pair, 0 while it is unknown.
func (c *Conn) localQPN() uint32 {
	switch {
	case c.active:
		return c.req.LocalQPN
	case c.rep != nil:
		return c.rep.LocalQPN
	}
	return 0
}

// Active reports whether this side sent the REQ.
func (c *Conn) Active() bool { return c.active }

// REQ returns the request with which the connection began.
func (c *Conn) REQ() *cm.REQ { return c.req }

// REP returns the reply, nil before it came or was sent.
func (c *Conn) REP() *cm.REP { return c.rep }

// IsEstablished reports whether the connection can carry data.
func (c *Conn) IsEstablished() bool { return c.state == established }

// State returns the state as text, for people.
func (c *Conn) State() string { return c.state.String() }

func (c *Conn) wrong(call string) error {
	return fmt.Errorf("%w: %s in state %v", ErrState, call, c.state)
}

// Delay tells the peer that the answer to its REQ or REP takes up to d longer.
func (c *Conn) Delay(now, d time.Duration) error {
	var kind cm.MessageKind
	switch c.state {
	case requested:
		kind = cm.KindREQ
	case repReceived:
		kind = cm.KindREP
	default:
		return c.wrong("delay")
	}
	mra := &cm.MRA{LocalCommID: c.localID, RemoteCommID: c.remoteID, Received: kind, ServiceTimeout: TimeoutCode(d)}
	c.last, c.lastTID = mra, c.tid
	c.agent.send(c, c.tid, mra)
	return nil
}

// Accept answers the REQ of a passive connection.
func (c *Conn) Accept(now time.Duration, rep *cm.REP) error {
	if c.state != requested {
		return c.wrong("accept")
	}
	rep.LocalCommID, rep.RemoteCommID = c.localID, c.remoteID
	c.rep = rep
	c.state = repSent
	c.transmit(now, c.tid, rep)
	return nil
}

// Reject refuses the REQ of a passive connection or the REP of an active one, or
// gives up an active connection whose REP has not come. The owner hears no more
// of the connection.
func (c *Conn) Reject(now time.Duration, reason cm.Reason, private []byte) error {
	kind := cm.KindREQ
	switch c.state {
	case requested:
	case repReceived:
		kind = cm.KindREP
	case reqSent, repSent:
		kind = cm.KindOther
	default:
		return c.wrong("reject")
	}
	c.reject(now, kind, reason, private)
	return nil
}

func (c *Conn) reject(now time.Duration, kind cm.MessageKind, reason cm.Reason, private []byte) {
	rej := &cm.REJ{LocalCommID: c.localID, RemoteCommID: c.remoteID, Rejected: kind, Reason: reason, PrivateData: private}
	c.last, c.lastTID = rej, c.tid
	c.agent.send(c, c.tid, rej)
	c.wait(now)
}

// Confirm answers the REP of an active connection: it is established.
func (c *Conn) Confirm(now time.Duration) error {
	if c.state != repReceived {
		return c.wrong("confirm")
	}
	rtu := &cm.RTU{LocalCommID: c.localID, RemoteCommID: c.remoteID}
	c.last, c.lastTID = rtu, c.tid
	c.agent.send(c, c.tid, rtu)
	c.state = established
	c.agent.stopTimer(c)
	return nil
}

// Heard tells a passive connection that data came, which is as good as the RTU.
// The Established event follows if it had not come.
func (c *Conn) Heard() {
	if c.state == repSent {
		c.establish()
	}
}

func (c *Conn) establish() {
	c.state = established
	c.agent.stopTimer(c)
	c.agent.emit(Event{Kind: Established, Conn: c})
}

// Disconnect ends an established connection; the Disconnected event says when it
// has ended. A connection that is still being made is rejected instead.
func (c *Conn) Disconnect(now time.Duration, private []byte) error {
	switch c.state {
	case established:
	case reqSent, requested, repReceived:
		return c.Reject(now, cm.ReasonConsumer, private)
	case repSent:
		// The peer may be established already; DREQ ends both cases.
	default:
		return c.wrong("disconnect")
	}
	c.state = dreqSent
	c.transmit(now, c.agent.nextTID(), c.dreq(private))
	return nil
}

func (c *Conn) dreq(private []byte) *cm.DREQ {
	return &cm.DREQ{LocalCommID: c.localID, RemoteCommID: c.remoteID, RemoteQPN: c.remoteQPN, PrivateData: private}
}

// Farewell returns the message by which somebody else ends an established connection, when this side has
// died. The connection does not know of it.
func (c *Conn) Farewell() Outgoing {
	return Outgoing{Local: c.local, Remote: c.remote, TID: c.agent.nextTID(), Message: c.dreq(nil)}
}

// transmit sends a message that is repeated until the peer answers.
func (c *Conn) transmit(now time.Duration, tid uint64, m cm.Message) {
	c.last, c.lastTID, c.retries = m, tid, 0
	c.agent.send(c, tid, m)
	c.agent.setTimer(c, now+c.agent.cfg.ResponseTimeout)
}

// wait enters timeWait.
func (c *Conn) wait(now time.Duration) {
	c.state = timeWait
	c.agent.setTimer(c, now+c.agent.cfg.TimeWait)
}

// end leaves timeWait for good.
func (c *Conn) end() {
	c.state = gone
	c.agent.remove(c)
}

// timeout is called when the deadline has come.
func (c *Conn) timeout(now time.Duration) {
	switch c.state {
	case reqSent, repSent, dreqSent:
		if c.retries < c.agent.cfg.MaxRetries {
			c.retries++
			c.agent.count.Retransmitted++
			c.agent.send(c, c.lastTID, c.last)
			c.agent.setTimer(c, now+c.agent.cfg.ResponseTimeout)
			return
		}
		if c.state == dreqSent {
			c.agent.emit(Event{Kind: Disconnected, Conn: c})
			c.wait(now)
			return
		}
		kind := cm.KindREQ
		if c.state == repSent {
			kind = cm.KindREP
		}
		c.agent.emit(Event{Kind: TimedOut, Conn: c})
		c.reject(now, kind, cm.ReasonTimeout, nil)
	case requested, repReceived:
		// The owner has not decided for very long: the peer has given up.
		c.agent.emit(Event{Kind: TimedOut, Conn: c})
		c.reject(now, cm.KindOther, cm.ReasonTimeout, nil)
	case timeWait:
		c.end()
	}
}

// repeat answers a repeated message with what was answered before.
func (c *Conn) repeat() {
	c.agent.count.Repeated++
	c.agent.send(c, c.lastTID, c.last)
}

func (c *Conn) unexpected() { c.agent.count.Unexpected++ }

// receiveREQ handles a repetition of the REQ that made the connection.
func (c *Conn) receiveREQ() {
	switch c.last.(type) {
	case *cm.MRA, *cm.REP, *cm.REJ:
		if c.state != established {
			c.repeat()
			return
		}
	}
	c.agent.count.Duplicates++
}

func (c *Conn) receiveREP(now time.Duration, rep *cm.REP) {
	switch c.state {
	case reqSent:
		c.rep, c.remoteID, c.remoteQPN = rep, rep.LocalCommID, rep.LocalQPN
		c.state = repReceived
		c.agent.setTimer(c, now+c.agent.cfg.OwnerTimeout)
		c.agent.emit(Event{Kind: Accepted, Conn: c, REP: rep})
	case repReceived:
		if _, ok := c.last.(*cm.MRA); ok {
			c.repeat()
			return
		}
		c.agent.count.Duplicates++
	case established, timeWait:
		if c.active && c.remoteID == rep.LocalCommID {
			// RTU or REJ was lost; a DREP must not answer a REP, and when the peer has
			// ended the connection there is nothing to repeat.
			switch c.last.(type) {
			case *cm.RTU, *cm.REJ:
				c.repeat()
				return
			}
		}
		c.unexpected()
	default:
		c.unexpected()
	}
}

func (c *Conn) receiveRTU() {
	switch c.state {
	case repSent:
		c.establish()
	case established:
		c.agent.count.Duplicates++
	default:
		c.unexpected()
	}
}

func (c *Conn) receiveMRA(now time.Duration, m *cm.MRA) {
	ours := c.state == reqSent && m.Received == cm.KindREQ || c.state == repSent && m.Received == cm.KindREP
	if !ours {
		c.unexpected()
		return
	}
	if c.state == reqSent {
		c.remoteID = m.LocalCommID
	}
	// A peer that is alive gets its time, once per MRA, and all retries again.
	c.retries = 0
	c.agent.setTimer(c, now+min(Timeout(m.ServiceTimeout), c.agent.cfg.OwnerTimeout)+c.agent.cfg.ResponseTimeout)
}

func (c *Conn) receiveREJ(now time.Duration, m *cm.REJ) {
	switch c.state {
	case reqSent, repSent, requested, repReceived:
		c.agent.emit(Event{Kind: Rejected, Conn: c, Reason: m.Reason, Private: m.PrivateData})
		c.last = nil
		c.wait(now)
	case established:
		// Only a peer that does not know the connection rejects it now.
		if m.Reason == cm.ReasonStaleConnection || m.Reason == cm.ReasonInvalidCommID || m.Reason == cm.ReasonTimeout {
			c.agent.emit(Event{Kind: Stale, Conn: c, Reason: m.Reason})
			c.last = nil
			c.wait(now)
			return
		}
		c.unexpected()
	case dreqSent:
		c.agent.emit(Event{Kind: Disconnected, Conn: c})
		c.last = nil
		c.wait(now)
	default:
		c.agent.count.Duplicates++
	}
}

func (c *Conn) receiveDREQ(now time.Duration, tid uint64, m *cm.DREQ) {
	drep := &cm.DREP{LocalCommID: c.localID, RemoteCommID: c.remoteID}
	if m.RemoteQPN != c.localQPN() {
		// It names both comm ids, but is not about this connection (the kernel, cm_dreq_handler, ignores it too).
		c.unexpected()
		return
	}
	switch c.state {
	case timeWait:
		c.agent.count.Repeated++
		c.agent.send(c, tid, drep)
		return
	case repSent, repReceived, established, dreqSent:
		c.last, c.lastTID = drep, tid
		c.agent.send(c, tid, drep)
		c.agent.emit(Event{Kind: Disconnected, Conn: c, Private: m.PrivateData})
		c.wait(now)
	default:
		c.unexpected()
	}
}

func (c *Conn) receiveDREP(now time.Duration) {
	if c.state != dreqSent {
		c.unexpected()
		return
	}
	c.agent.emit(Event{Kind: Disconnected, Conn: c})
	c.last = nil
	c.wait(now)
}

// forget ends a connection that the peer has forgotten.
func (c *Conn) forget(now time.Duration) {
	c.agent.emit(Event{Kind: Stale, Conn: c, Reason: cm.ReasonStaleConnection})
	c.last = nil
	c.wait(now)
}
