// Package interp is the interpreter target: it runs an ir.Program in Go,
// bit for bit, and is the oracle that other targets are tested against. It
// needs no privilege and no kernel feature; with links at its ports
// (packages link/packet and link/datagram) it is a working, slow switch.
//
//	port --> parser --> control --> deparser     ingress
//	                                   |
//	                        replication engine   unicast copy, then the
//	                         /      |      \     group's replicas in order
//	                    parser   parser   ...
//	                    control  control         egress, once per copy
//	                    deparser deparser
//	                       |        |
//	                     port    CPU port --> Events.PacketIn
//
// # What the program sees where P4 leaves it open
//
//   - Fields of an invalid header read as zero, and writes to them have no
//     effect. Making a header valid leaves all its fields zero.
//   - A packet that the parser rejects is dropped, unless the control of the
//     same gress reads its parser_err. What the parser had extracted by then
//     stays valid, the header that did not fit does not, and everything
//     behind the last extraction is payload.
//   - A parser that visits more than maxStates states without coming to an
//     end stops with the TNA error code of a parser time-out.
//   - Division and modulo by zero give zero.
//   - A packet whose program never wrote ucast_egress_port, or wrote 511 (no port),
//     and named no multicast group is dropped. A packet with both gets the unicast copy and
//     the group's copies. Writing drop_ctl bit 0 drops all of them; digests
//     are sent even then, because the deparser still runs.
//   - bypass_egress sends every copy as the ingress deparser made it.
//   - Inputs of a hash are one big-endian bit string, filled up with zero bits
//     on the left to whole bytes; inputs of a checksum are filled up on the
//     right to 16 bits.
//   - Byte counters and eg_intr_md.pkt_length count the frame as it was
//     received, in both gresses.
//   - A meter that was configured has full buckets when its first packet comes; one that
//     was not is green.
//   - Of two ternary entries of equal priority that both match, the one that
//     was inserted first wins.
//
// # Concurrency
//
// One lock serialises packets and control-plane operations: every packet, and
// every operation, sees the whole effect of those before it. That makes every
// register access and every @atomic block atomic.
package interp
