// Package amcast is atomic multicast to several groups, ordered by switches (P4mCast: Boughzala and
// Koldehofe, ICNP 2024, completed after White-Box Atomic Multicast, DSN 2019, and PrimCast,
// Middleware 2023): what hosts do. The switches' part is p4/amcast.
//
//	client -- Multicast(groups, payload) --> Sender ==== START ====> leaders of the groups
//	                                           ^                        | PROP, ACK: p4/amcast
//	                                           | DONE                   v
//	application <-- Next -- Replica <==== PROP (payload), DELIVER, MARK: deliverers
//	                           |^
//	                           +| FETCH, HAVE: replicas of the destinations
//
// Every replica of a destination delivers a message once, in one order: that of the final
// timestamp, then the id of the message. The order is acyclic over all groups. Only the sender and
// the destinations of a message take part.
//
// A message goes to a leader twice: bare, for the members of all destinations, and full, for the
// replicas of the leader's group. A switch never has to cut off a payload. Whichever comes first
// gets the timestamp; the other repeats it.
//
// A replica delivers the message with the least final timestamp F when the leader of its group
// has said that it proposes nothing more at or below F (the watermark), and for every proposal up
// to there the replica knows that it is final above F, or has a timestamp above F. What it knows
// counts only if it is of the watermark's epoch: a new leader may have replaced what an old one
// had proposed.
//
// A sender keeps a message until all replicas of all destinations have delivered it, and uses a
// cell again only then. What a sender that fails leaves behind, replicas start again, and repeat until
// all have delivered it (estate.go). If no replica has the payload, they declare the message void
// (void.go).
//
// A Host has the client and the replicas of a machine, on a link (package link):
//
//	h, err := amcast.Open(link, amcast.Config{Place: place})
//	id, err := h.Multicast(ctx, groups, payload)
//	d, err := h.Deliver(ctx, group)
//
// It says Hello to the controller, which admits it, and says who leads which group and which replicas
// and clients have failed (package private).
//
// Contract: a Sender, a Replica and an Endpoint, which has both, are state machines for one goroutine,
// without clocks and sockets: packets and the time in, packets and messages out. A Host is for any.
package amcast
