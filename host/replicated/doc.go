// Package replicated defines a replicated log, for the service that it replicates and for its
// clients. A Log orders records, and a StateMachine executes them on every server.
//
//	clients ──> Log.Propose ──> [ consensus ] ──> StateMachine.Apply on every server, in one order
//
// It contains no protocol. The logs of systems/rdma (package smr: the Mu protocol) and of
// systems/paxos (package rsm) implement Log. host/kv has a StateMachine, and runs on any Log.
// Memory is a StateMachine without a disk.
package replicated
