// Package gather is the world in which rdma.p4 is explored: the program itself, run by
// the interpreter, with a leader in front of it and three replicas behind it.
//
//	leader ──WRITE──▶ switch ──copies──▶ replicas       send, resend: copies arrive, or are lost
//	       ◀──ACK───  rdma.p4 ◀──ACK────                deliver, drop, repeat: in any order
//
// The program is compiled with few PSNs (16, of which 4 are in the window), so that
// PSNs come round while somebody is looking. Leader and replicas are what a NIC is
// (IBTA 9.7): the leader has a few packets outstanding and takes an ACK for everything
// before it; a replica takes the packet that it waits for, says NAK once when it sees a
// later one, and acknowledges what it has again when it sees an earlier one. They know no
// PSN but those on the wire; the world knows which packet each one meant.
//
// # Properties
//
//   - what the leader takes for acknowledged, by an ACK or by a NAK, f replicas hold;
//   - the credits that it gets are not above those of any replica that counts;
//   - a slot that is not out stands within the window behind what the leader has sent, and
//     not above what its replica has acknowledged;
//   - nothing goes to anybody but the leader and the replicas, and to each what is its own;
//   - in every state: an ACK that is damaged, that comes in by another port, or that is of
//     the group before changes nothing and reaches nobody; nor does a request from another
//     port.
package gather
