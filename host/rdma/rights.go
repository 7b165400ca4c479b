package rdma

import "fmt"

// Access is a set of rights, of a memory region or of a queue pair's peer.
type Access uint8

// The rights. A peer may do what both its queue pair and the region allow.
const (
	LocalWrite Access = 1 << iota
	RemoteRead
	RemoteWrite
	RemoteAtomic
)

func (a Access) String() string {
	s := ""
	for i, name := range []string{"local-write", "remote-read", "remote-write", "remote-atomic"} {
		if a>>i&1 == 1 {
			if s != "" {
				s += "|"
			}
			s += name
		}
	}
	if s == "" {
		return "none"
	}
	return s
}

// State is the state of a queue pair.
type State uint8

// The states. The IB spec's reset and send-queue-drained states are not needed.
const (
	StateInit  State = iota // not connected; receives may be posted
	StateRTR                // ready to receive: the responder runs
	StateRTS                // ready to send: the requester runs too
	StateError              // failed or closed; all work is flushed
)

func (s State) String() string {
	switch s {
	case StateInit:
		return "init"
	case StateRTR:
		return "ready-to-receive"
	case StateRTS:
		return "ready-to-send"
	case StateError:
		return "error"
	}
	return fmt.Sprintf("state %d", uint8(s))
}
