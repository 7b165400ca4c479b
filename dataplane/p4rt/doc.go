// Package p4rt is a P4Runtime 1.5 server in front of a dataplane.Target.
//
//	clients ──gRPC──> Server ── arbiter     who is primary, per role (pure)
//	                    |  ───── schema     p4info: ids, widths, what is allowed (pure)
//	                    |  ───── state      what has been written: entries, groups, digests
//	                    |  ───── digester   lists, acknowledgements, timeouts (pure)
//	                    |  ───── ager       idle timeouts of entries (pure)
//	                    v
//	              dataplane.Target
//
// The server validates every request against the running program, keeps entries in the form in
// which clients wrote them, and passes only well-formed operations to the target. Reads of entries
// never reach the target. Reads of registers, counters and times of last hits do.
//
// # Contract
//
//   - One device, whose id is not 0. Any number of roles, each with access to
//     the whole pipeline; role configurations are not supported.
//
//   - Writes and pipeline changes are strictly serialised, and reads see a state between two
//     writes. The server applies the updates of a batch in order, each on its own
//     (CONTINUE_ON_ERROR). Other atomicities are UNIMPLEMENTED.
//
//   - A batch of updates, or of read requests, with a failure ends with the code UNKNOWN and one
//     p4.v1.Error per element, in order. The others are carried out.
//
//   - Byte strings may have any length that holds the value. Reads return the shortest form.
//     Everything else reads back as it was written.
//
//   - When no packet matches an entry for its idle timeout, the server reports the entry to the
//     primary of every role, and again whenever another timeout has passed without a packet.
//     Timeouts are accurate to 10 ms. The entry stays.
//
//   - The data plane never waits for a client. Packet-ins, digests, idle timeouts and stream errors
//     wait in a bounded queue per stream. The server drops what does not fit, and counts it in
//     Stats. It never drops arbitration updates: it disconnects a client that leaves maxControl of
//     them unread.
//
//   - A client hears that it is the primary when nothing is under way that another one has begun.
//
//   - A backup replica of a multicast group takes over when SetPort says that a port is down, and
//     gives back when a better one is up. After a restart (dataplane.Keeper) a group has the
//     replicas in use, without backups.
//
//   - Members and groups of action profiles are in the tables that ir.Profile describes. A group gives
//     its members slots, by their weights, and a packet gets the member of a slot; while a group
//     changes, that is one of the old or of the new group. A group without a member that takes part
//     (its watch port is up, or not known yet) is a miss of the table. Action sets become groups and
//     members under numbers that no client has. A later process finds all of it (profile_adopt.go).
//
// Not supported (UNIMPLEMENTED): clone sessions,
// counters of meters, externs. docs/p4runtime.md lists every requirement of the specification,
// and the test that shows it.
package p4rt
