// Package private encodes the private data of p4ce's connection management messages.
//
// A REQ carries one of these forms, in the 56 bytes that rdma_cm leaves to its
// user, in network byte order:
//
//	0      2        3          4         6      8     16                48      56
//	| magic | ver·form | policy·n | leader | port | term | 8 IPv4 addresses | proof |   group
//	| magic | ver·form | policy·0 | leader | port | term | name, 32 bytes   | proof |   reference
//	| magic | ver·form | slot     | leader | 0    | term | leader IPv4, 0.. | proof |   member
//	| magic | ver·form | kind·rt  | server | vers | 0    | cluster, peer,   | proof |   peer
//	                                                       port, about
//	| magic | ver·form | 0    | 0      | 0    | cluster | nonce, digest  | proof |   ask
//
// A group names its replicas by address. A reference names a static group of the controller. A
// replica receives a member form, from a leader directly or from the controller on a leader's
// behalf. A server of a cluster sends a peer form to another. An ask form requests a challenge,
// before any of the others. A further region (FormRegion) has a layout of its own. A REP carries
// the memory region that the connection may write, and in its last 20 bytes the proof of that
// (Exchange). A REJ says what went wrong, in words, and may contain a challenge, or a proof of its
// content:
//
//	0      2        3      4           20
//	| magic | ver·0 | slot | text                   |   refusal
//	| magic | ver·1 | slot | challenge | answer, 16 | text |   challenge
//	| magic | ver·2 | slot | text                   |   unproved: ask for a challenge
//	| magic | ver·3 | slot | answer    | text       |   answer
//
// A proof shows that the sender knows the cluster's token, which is never sent (Secret). With a
// token, a first REQ asks, the REJ to it has a challenge, and a second REQ has the proof for that
// challenge. REJ and REP prove in turn who answers (Prover, Challenger, Exchange). Without a token
// (0), there is no challenge.
//
// All codecs are pure functions; time and keys are parameters.
package private
