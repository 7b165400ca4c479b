// Package explore is the explorer's world of p4/paxos: the program itself, which the interpreter
// runs in a switch for each role, and the coordinator's core of the controller.
//
//	requests ─▶ leader of round 1 ─┐              ┌─▶ acceptor 0 ─┐
//	requests ─▶ leader of round 2 ─┼─ in flight ──┼─▶ acceptor 1 ─┼─ in flight ─▶ learner ─▶ replica
//	controller: coordinator ───────┘  in any      └─▶ acceptor 2 ─┘
//	  ▲ take-over, gaps, trim         order               │
//	  └───────────────────────────────── in flight ◀──────┘
//
// The program is compiled with room for two instances, so that cells are soon used again. A message
// in flight arrives in any order, once, more than once, or never (it stays in flight). Both leaders
// have the one address of the service. The first leader never learns that it has been replaced:
// only acceptors do.
//
// The properties are about the messages of acceptors, not about their state: a value is chosen when
// a majority of the acceptors has voted for it in one round.
package explore
