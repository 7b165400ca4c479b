// Package interp is the interpreter target. It runs an ir.Program in Go, bit for bit, and is the
// oracle for tests of other targets. It needs no privileges and no kernel feature. With links at
// its ports (packages link/packet and link/datagram) it is a working, slow switch.
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
// # Where P4 leaves the result open
//
//   - Fields of an invalid header read as zero, and writes to them have no
//     effect. Making a header valid leaves all its fields zero.
//   - A packet that the parser rejects is dropped, unless the control of the same gress reads its
//     parser_err. Headers that the parser had extracted by then stay valid. The header that did not
//     fit is not valid. Everything behind the last extraction is payload.
//   - A parser that visits more than maxStates states without reaching an end stops with the TNA
//     error code of a parser timeout.
//   - Division and modulo by zero give zero.
//   - A packet whose program never wrote ucast_egress_port, or wrote 511 (no port), and named no
//     multicast group is dropped. A packet with both gets the unicast copy, the copies of mcast_grp_a, those
//     of mcast_grp_b, and with copy_to_cpu one for the CPU port, in this order.
//     Writing drop_ctl bit 0 drops all of them but the last, which bit 1 drops. Digests are sent even then, because the deparser
//     still runs.
//   - bypass_egress sends every copy as the ingress deparser made it.
//   - The inputs of a hash form one big-endian bit string, padded with zero bits on the left to
//     whole bytes. The inputs of a checksum are padded on the right to 16 bits.
//   - Byte counters and eg_intr_md.pkt_length count the frame as it was
//     received, in both gresses.
//   - A configured meter has full buckets when its first packet arrives. A meter that is not
//     configured is green.
//   - Of two ternary entries of equal priority that both match, the one that
//     was inserted first wins.
//
// # Concurrency
//
// One lock serialises packets and control-plane operations: every packet, and
// every operation, sees the whole effect of those before it. That makes every
// register access and every @atomic block atomic.
package interp
