// Package fleet runs a controller of many switches, where one core decides for all of them: a loop that
// runs the core, and a journal for which the loop does not wait.
//
//	sessions --Post, Replace, Packet--> loop: core --wants--> gate --Out--> sessions
//	requests --Look, Ask------------->               |  records ^ stored
//	                                                 +--> scribe --> journal
//
// The core is a state machine without goroutines. It records what must not be forgotten, and
// continues as if the record were stored. Its orders wait in the gate until the record is stored,
// so nothing that depends on a record leaves before the record is on disk. While a record is on its
// way, the core takes no step. Requests that only read the core (ARP, the status) are answered.
//
// Order is part of the contract: events run in the order in which they were posted, and orders
// leave in the order in which the core gave them.
//
// Controllers with one core per switch (systems/rdma) do not need it: their sessions hand work to
// each other (session.Hand), in order, too.
package fleet
