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
// of a cluster to another. A REP carries the memory region that the connection may write. A REJ
// says what went wrong, in words, and may have a challenge:
//
//	0      2        3      4           20
//	| magic | ver·0 | slot | text                   |   refusal
//	| magic | ver·1 | slot | challenge | text       |   challenge
//
// The proof shows that the sender knows the cluster's token, which is never sent (Secret). Where there is a
// token, a first REQ has the proof 0; the REJ to it has a challenge, and a second REQ the proof for that
// (Prover, Challenger). Without a token, 0, there is no challenge.
//
// All codecs are pure functions; time and keys are parameters.
package p4ce
