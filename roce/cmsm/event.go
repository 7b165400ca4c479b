package cmsm

import (
	"fmt"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

// EventKind says what happened to a connection.
type EventKind uint8

// The events.
const (
	// Requested: a REQ arrived. The owner calls Accept, Reject or, if either
	// takes long, Delay first.
	Requested EventKind = iota + 1
	// Accepted: a REP arrived. The owner calls Confirm or Reject.
	Accepted
	// Established: the RTU of an accepted REQ arrived, or data did.
	Established
	// Rejected: the peer refused; Reason and Private say why.
	Rejected
	// TimedOut: the peer did not answer while the connection was being made.
	TimedOut
	// Disconnected: the connection has ended, by the peer's DREQ, or by
	// Disconnect: then the peer has answered, or has not within all retries.
	Disconnected
	// Stale: a REQ showed that the peer has forgotten this connection.
	Stale
)

func (k EventKind) String() string {
	names := [...]string{
		Requested: "requested", Accepted: "accepted", Established: "established", Rejected: "rejected",
		TimedOut: "timed out", Disconnected: "disconnected", Stale: "stale",
	}
	if int(k) < len(names) && names[k] != "" {
		return names[k]
	}
	return fmt.Sprintf("event %d", uint8(k))
}

// Event reports a change of one connection.
type Event struct {
	Kind    EventKind
	Conn    *Conn
	REQ     *cm.REQ   // Requested
	REP     *cm.REP   // Accepted
	Reason  cm.Reason // Rejected
	Private []byte    // Rejected, Disconnected: the message's private data
}

// Outgoing is a message to send from QP 1 of Local to QP 1 of Remote.
type Outgoing struct {
	Local, Remote wire.Addr
	TID           uint64
	Message       cm.Message
}

// Counters counts what an Agent did with messages that moved no connection.
type Counters struct {
	Retransmitted uint64 // messages sent again because of a timeout
	Repeated      uint64 // answers sent again because the peer repeated itself
	Duplicates    uint64 // messages ignored because they had been handled
	Unknown       uint64 // messages that name no connection here
	Unexpected    uint64 // messages that do not fit the connection's state
	StaleREQ      uint64 // REQs refused because of a stale connection
	Overload      uint64 // REQs refused because of too many connections
}
