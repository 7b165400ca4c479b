// Package group forms, keeps and dissolves groups: the connection management
// side of a switch that takes part in RDMA (docs/architecture.md, "The life of a WRITE";
// the P4CE paper, section IV), as a pure core. CM messages, answers of the
// switch, data-plane events and the time go in; CM messages, programming orders,
// NAK frames, records and notes come out.
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
//	     +---- REJ, time-out +--- (REJ to the leader) -------------+
//
// # Contract
//
//   - The switch has the entries of a group before its leader gets the REP, and
//     has lost them before anybody gets a DREP, or a REJ after an Install.
//   - All replicas must accept, or the leader gets a REJ that says which did not
//     and why, and every half-open connection is torn down.
//   - With Config.Clusters, a group is formed for a leader that proves that it knows the
//     token of one of them, and of servers of that one. It is proved to the replicas in turn.
//   - A group that is dissolved by one side is dissolved towards all.
//   - Queue pair numbers and virtual R_keys are random, and neither they nor the
//     group's index are used again before Config.Quarantine has passed.
//   - The owner carries out orders (Install, Update, Remove) in the order in
//     which they come, and answers each Install and Remove once, with Done.
//
// The owner of a Core calls one method at a time, and drains Poll after each.
// Time is a duration since any fixed moment.
package group
