// Package soft has the roles of p4/paxos as plain Go: leader, acceptor and learner that run as
// processes on servers, with the same messages and the same rules. Peers cannot tell.
//
// It is what consensus without a switch costs (bench, demo), a leader for the time that no
// switch is there, and the second implementation of the roles in simulations.
//
// A role is a core: Handle takes a message and says what becomes of it, and to whom that goes.
// It knows no socket and no clock. A Server runs one at a UDP socket, in batches.
//
//	+--------+  Request   +----------+  Vote    +---------+  Deliver
//	| Leader |----------->| Acceptor |--------->| Learner |---------> replicas
//	+--------+  Accept    +----------+          +---------+
//	                        ^      | Promise, Floored, Refused: to who has asked
//	                        +------+
//
// Rules, as in the P4: a round belongs to those who are named for it (Own); an acceptor votes
// only at or above its floor and what it has promised for the instance; a cell of a ring says
// what instance it is about; instances are within [first, last]; a learner counts a bit for each
// acceptor of the round's configuration, and only votes of the highest round; a role that has
// lost what it knew does nothing until it is given anew.
package soft
