// Package gather is the explorer's world of rdma.p4: the program itself, run by the interpreter,
// with a leader in front of it and three replicas behind it.
//
//	leader ──WRITE──▶ switch ──copies──▶ replicas       send, resend: copies arrive, or are lost
//	       ◀──ACK───  rdma.p4 ◀──ACK────                deliver, drop, repeat: in any order
//
// The program is compiled with few PSNs (16, of which 4 are in the window), so that PSNs soon wrap.
// Leader and replicas behave like NICs (IBTA 9.7). The leader has a few packets outstanding, and an
// ACK covers everything before it. A replica takes the packet that it waits for, sends a NAK once
// when it sees a later one, and acknowledges again when it sees an earlier one. They know only the
// PSNs on the wire. The world knows which packet each PSN means.
//
// # Properties
//
//   - f replicas hold what the leader considers acknowledged, by an ACK or by a NAK;
//   - the leader gets no more credits than any replica that counts;
//   - a slot that is not out lies within the window behind what the leader has sent, and not above
//     what its replica has acknowledged;
//   - packets go only to the leader and the replicas, and each gets only its own;
//   - in every state, an ACK that is damaged, arrives at another port, or belongs to an earlier
//     group changes nothing and reaches nobody. The same holds for a request from another port.
package gather
