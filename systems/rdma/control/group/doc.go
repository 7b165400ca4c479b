// Package group forms, keeps and dissolves groups. It is the connection management of a switch that
// takes part in RDMA (docs/architecture.md, "The life of a WRITE"; the P4CE paper, section IV), as
// a pure core. Its inputs are CM messages, answers of the switch, data-plane events and the time.
// Its outputs are CM messages, programming orders, NAK frames, records and notes.
//
//	leader                    controller                     replicas
//	  | ---- REQ {replicas} ---> |                               |
//	  | <--- MRA (when slow) --- | ---- REQ {leader, slot} ----> |  each
//	  |                          | <--- REP {VA, R_key, size} -- |
//	  |                          | == Install ==> switch         |
//	  |                          | ---- RTU -------------------> |
//	  | <--- REP {virtual key} - |                               |
//	  | ---- RTU --------------> |          (running)            |
//	  | ---- DREQ -------------> | == Remove ===> switch         |
//	  | <--- DREP -------------- | ---- DREQ ------------------> |
//
//	connecting --REPs--> installing --done--> running --DREQ--> removing --done--> gone
//	     |                   |                                     ^
//	     +---- REJ, timeout -+--- (REJ to the leader) -------------+
//
// # Contract
//
//   - The switch has the entries of a group before the leader gets the REP, and no longer has them
//     before any peer gets a DREP, or a REJ after an Install.
//   - All replicas must accept. Otherwise the leader gets a REJ that names the replica that
//     refused, and why, and every half-open connection is torn down.
//   - With Config.Clusters, the leader of a group must prove that it knows the token of one of
//     these clusters, and the group consists of servers of that cluster. The core proves the token
//     to the replicas in turn.
//   - When one side dissolves a group, the group is dissolved for all sides.
//   - Queue pair numbers and virtual R_keys are random. Neither they nor the group's index are
//     reused before Config.Quarantine has passed.
//   - The owner carries out orders (Install, Update, Remove) in their sequence, and answers each
//     Install and Remove once, with Done.
//
// The owner of a Core calls one method at a time, and drains Poll after each.
// Time is a duration since any fixed moment.
package group
