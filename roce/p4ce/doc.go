// Package p4ce encodes what p4ce itself puts into the private data of
// connection management messages.
//
// A REQ carries one of four forms, in the 56 bytes that rdma_cm leaves to its
// user, in network byte order:
//
//	0      2        3          4         6      8     16                48      56
//	| magic | ver·form | policy·n | leader | port | term | 8 IPv4 addresses | proof |   group
//	| magic | ver·form | policy·0 | leader | port | term | name, 32 bytes   | proof |   reference
//	| magic | ver·form | slot     | leader | 0    | term | leader IPv4, 0.. | proof |   member
//	| magic | ver·form | kind·rt  | server | vers | 0    | cluster, peer,   | proof |   peer
//	                                                       port, about
//
// A group names its replicas by address; a reference names a group that is
// registered with the controller; member is what a replica receives, from a
// leader directly or from the controller on a leader's behalf; peer is of one server
// of a cluster to another. The proof shows that the sender knows the cluster's token,
// which is never sent (Secret). A REP carries the
// memory region that the connection may write. A REJ says what went wrong, in
// words.
//
// All codecs are pure functions.
package p4ce
