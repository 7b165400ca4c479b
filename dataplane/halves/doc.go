// Package halves runs a program in two halves: for switches whose data plane forwards, and cannot do the rest.
//
//	                    packet-in, of one reason
//	ports ── fast half ─────────────────────────▶ whole program, in the interpreter
//	            ▲   │                                       │
//	            │   └─ other packet-ins ─▶ events           │ what leaves by its ports
//	            └────────────── packet-out ◀────────────────┘
//
// The fast half is a program of its own in any target. It decides which packets are for the slow half, which is the
// program that clients push, whole. So nothing is written twice: the fast half is made from the same source, and leaves out
// what the slow half does.
//
// To clients it is one switch that runs the whole program. An update is for the half, or both halves, that have the table. The
// fast half is first: what may not pass any more does not pass when the slow half goes on without it. Registers are those of
// the slow half; counters and meters are those of the half that sees all packets, if it has them.
//
// What the slow half gets must be such that the last packet of a port says all that earlier ones have said, and what it sends
// likewise: what waits is replaced by what comes after it. So a slow half that has too much to do works less often, and is
// not behind.
//
// A packet for the slow half takes its place behind all that came by its port before: the fast half must keep that order, to
// the CPU port as well. What the slow half sends takes its place in the queues of the fast half when it is sent.
package halves
