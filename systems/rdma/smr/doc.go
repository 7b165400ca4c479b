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
// A service implements replicated.StateMachine and opens a Node on each server. The nodes elect
// a leader; Propose on it returns when the record is decided and applied, with what
// the state machine made of it. Others return a replicated.NotLeaderError, which says who
// leads. Barrier makes reads of the leader's state machine linearizable without an
// entry in the log; Leased says when they are without it, with leases (mu.Config.Lease). Servers can be added and removed. docs/consensus.md says how it
// works, what is lost when, and why; package mu is the protocol itself.
//
// # Errors
//
// A proposal ends with nil, with replicated.NotLeaderError (not proposed), with ErrRecord (not
// proposed), or with replicated.ErrUnknownOutcome: a leader that was deposed cannot know whether
// its successor has found the record. A state machine that returns an error ends its
// node; the reason is in Err, and the other servers go on.
package smr
