// Package rsm runs a replicated state machine (replicated.StateMachine) on a Paxos log (paxos.Log):
// what package smr does on Mu's.
//
//	         record                values, 64 bytes              record
//	Propose ───────▶ pieces ──▶ paxos.Log ──▶ assembler ──▶ StateMachine, on every host
//	   ▲                                          │                │
//	   └──────────── result ──────────────────────┘◀───────────────┘
//
// All hosts are equal: each proposes and answers by itself, and there is no leader among them.
// What leads are switches, of which a host knows nothing but an address.
//
// # Records
//
// A record is up to MaxRecord bytes and goes through the log in values, its pieces. It takes
// effect where the log has the last one that was missing, at the same place on all hosts.
//
//	one     1 | number | all of it, 59 bytes at most
//	piece   2 | number | index | count | 55 bytes; the last piece has 1 to 55
//
// number (32 bits) counts the records of the client, index and count have 16 bits, in network byte
// order. What is neither is not ours: it is counted, and has no effect. Pieces of records of which
// the rest is to come belong to the state. When a host begins again, under another client, those
// of its earlier life are dropped.
//
// # Reads
//
// A read is linearizable behind a record of its own: when Propose returns, this host's machine
// has everything that was answered, by any host, before it was called.
//
// # Disk
//
// The position in the log, what clients have sent, and pieces are stored by the machine with
// what it has applied, atomically. A checkpoint is what Machine.Sync has put on the disk: then
// hosts report it, and when more than half of them have one the switches forget what is in it. So
// what was answered is in the registers of a majority of the acceptors, or on the disks of a
// majority of the hosts: all hosts may lose power at once. A host that was away for longer than
// the switches remember gets the state of another one, by HTTP (Config.Peers, Node.ServeHTTP).
package rsm
