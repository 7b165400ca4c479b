// Package fleet is what a controller of many switches runs on when one core decides for all of them: a loop that the
// core lives on, and a journal that the loop does not wait for.
//
//	sessions --Post, Replace, Packet--> loop: core --wants--> gate --Out--> sessions
//	requests --Look, Ask------------->               |  records ^ stored
//	                                                 +--> scribe --> journal
//
// The core is a state machine without goroutines. It records what must not be forgotten, and goes on as if that was
// stored; what it wants waits in the gate until it is. So nothing that rests on a record leaves before the record is
// on disk. While a record is on its way the core takes no step; what only looks at it (ARP, the status) is answered.
//
// Order is part of the contract: events run in the order in which they were posted, and what the core wants leaves in
// the order in which it wanted it.
//
// Controllers whose switches have a core each (systems/rdma) have no use for it: their sessions hand work to each other
// (session.Hand), in order, too.
package fleet
