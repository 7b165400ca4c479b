// Package baseline has what P4mCast is compared with: atomic multicast by hosts, as a network in simulated time (package
// sim/fabric) whose switches are plain.
//
//	client -- START, payload --> all members of all destinations
//	primary of each destination -- PROP, its timestamp --> all members of all destinations
//	follower -- ACK of its primary's PROP --> all members of all destinations
//	member whose clock somebody else's PROP raises -- BUMP --> members of its group
//	member -- DONE --> client, when it delivers
//
// That is PrimCast (Pacheco et al., Middleware 2023) as long as nothing fails: three steps from a client to a delivery. A
// primary's PROP is also its acknowledgement. The final timestamp is the greatest of the primaries'. A member delivers the
// message with the least final timestamp when a quorum of each destination has acknowledged, and the clocks of a quorum of
// its own group, with the primary, have reached the timestamp: its primary proposes nothing below any more.
//
// Skeen's protocol is the same with groups of one process, which only proposes: two steps, and one for a message to one group.
// Nothing is replicated.
//
// # Contract
//
// Frames are those of P4mCast (amcast.Packet), with the same header, payloads and checksums. Networks must not lose packets,
// and must keep the order of those from one host to another: nothing is sent again, and what is lost stops everything. There
// are no epochs: a primary stays.
package baseline
