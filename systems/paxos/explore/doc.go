// Package explore is the world in which p4/paxos is explored: the program itself, run by the
// interpreter in a switch for each role, and the coordinator's core of the controller.
//
//	requests ─▶ leader of round 1 ─┐              ┌─▶ acceptor 0 ─┐
//	requests ─▶ leader of round 2 ─┼─ in flight ──┼─▶ acceptor 1 ─┼─ in flight ─▶ learner ─▶ replica
//	controller: coordinator ───────┘  in any      └─▶ acceptor 2 ─┘
//	  ▲ take-over, gaps, trim         order               │
//	  └───────────────────────────────── in flight ◀──────┘
//
// The program is compiled with room for two instances, so that cells are used again while
// somebody is looking. What is in flight arrives in any order, once, more than once, or
// never (it stays in flight). Both leaders have the service's one address, and the first
// one is never told that it is over: only acceptors are.
//
// What must hold is said of what acceptors say to the world, not of what they know: a value
// is chosen when a majority of the acceptors has voted for it in one round.
package explore
