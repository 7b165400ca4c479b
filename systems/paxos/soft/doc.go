// Package soft has the roles of p4/paxos in plain Go: leader, acceptor and learner run as processes
// on servers, with the same messages and the same rules. Peers cannot tell the difference.
//
// It shows what consensus costs without a switch (bench, demo), leads while there is no switch, and
// is the second implementation of the roles in simulations.
//
// A role is a core: Handle takes a message, and returns the resulting message and its destination.
// It has no socket and no clock. A Server runs a role on a UDP socket, in batches.
//
//	+--------+  Request   +----------+  Vote    +---------+  Deliver
//	| Leader |----------->| Acceptor |--------->| Learner |---------> replicas
//	+--------+  Accept    +----------+          +---------+
//	                        ^      | Promise, Floored, Refused: to the sender
//	                        +------+
//
// The rules are those of the P4 program:
//
//   - A round belongs to the senders that are named for it (Own).
//   - An acceptor votes only at or above its floor, and its promise for the instance.
//   - A cell of a ring says which instance it is about. Instances are within [first, last].
//   - A learner counts a bit for each acceptor of the round's configuration, and only votes of the
//     highest round.
//   - A role that has lost its state does nothing until it gets a new role.
package soft
