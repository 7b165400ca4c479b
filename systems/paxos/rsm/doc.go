// Package rsm runs a replicated state machine (replicated.StateMachine) on a Paxos log (paxos.Log):
// what package smr does on Mu's.
//
//	         record                values, 64 bytes              record
//	Propose ───────▶ pieces ──▶ paxos.Log ──▶ assembler ──▶ StateMachine, on every host
//	   ▲                                          │                │
//	   └──────────── result ──────────────────────┘◀───────────────┘
//
// All hosts are equal: each proposes and answers by itself, and no host is a leader. Switches lead,
// and a host knows only their address.
//
// # Records
//
// A record has up to MaxRecord bytes, and goes through the log in values, its pieces. It takes
// effect at the position of the piece that completes it, which is the same on all hosts.
//
//	one     1 | number | all of it, 59 bytes at most
//	piece   2 | number | index | count | 55 bytes; the last piece has 1 to 55
//	life    3 | nonce, 64 bits: the first value of each life of a host
//
// number (32 bits) counts the records of the client; index and count have 16 bits. All are in
// network byte order. A value in no such form is foreign: it is counted, and has no effect. Pieces
// of incomplete records are part of the state. When a host starts again, as another client, the
// pieces of its earlier life are dropped.
//
// # Lives
//
// A host's data folder counts its starts, and the count is a part of its id in the log (paxos.NextClient).
// A host that has lost its folder counts again, and its values would be taken for those of an earlier life.
// So each life first puts a random number into the log, and proposes nothing before that value is applied.
// A host that finds a later life of its own there, or this life with another number, ends with
// ErrForgotten.
//
// # Reads
//
// A read is linearizable behind a record of its own: when Propose returns, the machine of this host
// has everything that any host had answered before the call.
//
// # Disk
//
// The machine stores the position in the log, the numbers of clients, and pieces together with what
// it has applied, atomically. Machine.Sync puts a checkpoint on the disk. Hosts report their
// checkpoints, and when more than half of the hosts have one, the switches forget what it contains.
// So every answered record is in the registers of a majority of the acceptors, or on the disks of a
// majority of the hosts: all hosts may lose power at once. A host that was away for longer than the
// switches remember gets the state of another host, by HTTP (Config.Peers, Node.ServeHTTP).
package rsm
