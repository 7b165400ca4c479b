// Package p4rt is a P4Runtime 1.5 server in front of a dataplane.Target.
//
//	clients ──gRPC──> Server ── arbiter     who is primary, per role (pure)
//	                    |  ───── schema     p4info: ids, widths, what is allowed (pure)
//	                    |  ───── state      what has been written: entries, groups, digests
//	                    |  ───── digester   lists, acknowledgements, time-outs (pure)
//	                    |  ───── ager       idle time-outs of entries (pure)
//	                    v
//	              dataplane.Target
//
// The server validates every request against the program that runs, keeps what
// has been written in the form in which it was written, and hands the target
// well-formed operations only. Reads of entries never reach the target; reads
// of registers, counters and times of last hits do.
//
// # Contract
//
//   - One device, whose id is not 0. Any number of roles, each with access to
//     the whole pipeline; role configurations are not supported.
//   - Writes and pipeline changes are strictly serialised, reads see a state
//     between two writes. Updates of one batch are applied in order, and each
//     on its own (CONTINUE_ON_ERROR); other atomicities are UNIMPLEMENTED.
//   - A batch with a failure ends with the code UNKNOWN and one p4.v1.Error
//     per update, in order.
//   - Byte strings may have any length that holds the value; the shortest form
//     is returned. Everything else reads back as it was written.
//   - An entry with an idle time-out that no packet matches for that long is reported
//     once, to the primary of every role, and once more each time after it has been hit
//     again or modified. Time-outs are kept to 10 ms. The entry stays.
//   - The data plane never waits for a client. Packet-ins, digests, idle time-outs
//     and stream errors wait in a bounded queue per stream; what does not fit is dropped
//     and counted in Stats. Arbitration updates are not dropped; a client that
//     leaves maxControl of them unread is disconnected.
//
// Not supported, and answered with UNIMPLEMENTED: action profiles, direct
// meters, value sets, clone sessions, backup replicas, externs.
package p4rt
