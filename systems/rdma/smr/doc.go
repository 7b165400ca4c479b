// Package smr replicates a service's log by RDMA WRITEs: the decision protocol of Mu,
// directly or through a switch as P4CE does it.
//
//	service ──Propose──▶ Node ──┬── mu.Core     decides what to write, and when it is decided
//	   ▲                        ├── paths       connections, by one or two networks
//	   └──replicated.StateMachine.Apply────┴── applier     batches, snapshots, disk
//	                 │
//	            rdma.Device: host/roce (software) or host/verbs (RNIC, rxe)
//
// # A replicated service
//
// A service implements replicated.StateMachine and opens a Node on each server. The nodes elect a
// leader. Propose on the leader returns when the record is decided and applied, with the result of
// the state machine. On the other nodes it returns a replicated.NotLeaderError, which names the
// leader. Barrier makes reads of the leader's state machine linearizable, without an entry in the
// log. With leases (mu.Config.Lease), Leased reports when reads are linearizable without a barrier.
// Servers can be added and removed. docs/consensus.md explains how it works, when data is lost, and
// why. Package mu is the protocol itself.
//
// # Errors
//
// A proposal ends with nil, with replicated.NotLeaderError (not proposed), with ErrRecord (not
// proposed), or with replicated.ErrUnknownOutcome: a leader that was preempted cannot know whether
// its successor has found the record. A state machine that returns an error ends its node. Err has
// the reason, and the other servers continue.
package smr
