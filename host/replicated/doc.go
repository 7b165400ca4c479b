// Package replicated says what a replicated log is, to the service that it replicates and to
// those who propose: Log orders records, and StateMachine executes them on every server.
//
//	clients ──> Log.Propose ──> [ consensus ] ──> StateMachine.Apply on every server, in one order
//
// It has no code of any protocol. The logs of systems/rdma (package smr: the Mu protocol) and of
// systems/paxos (package rsm) implement Log; host/kv has a StateMachine, and serves what any Log
// orders. Memory is a StateMachine without a disk.
package replicated
