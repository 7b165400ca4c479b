/* Total order for a data centre: barriers in the network (1Pipe, Li et al., SIGCOMM 2021).
 *
 *   ingress                                              egress
 *   +------+    +-------------+    +---------+           +-------+
 *   | Link |--->| Tree, twice |--->| Forward |---------->| Stamp | barriers of the port
 *   | may  |    | least of    |    | a port  | multicast |       | beacons that raise
 *   | it?  |    | all inputs  |    +---------+---------->|       | nothing end
 *   +------+    +-------------+     (beacons)            +-------+
 *                                                        | Punt  | (CPU port)
 *                                                        +-------+
 *
 * Every packet of ours carries two barriers: nothing with a timestamp below the one comes over its
 * link any more; every reliable message below the other is held by all its receivers, or recalled.
 * The switch keeps both for each input, and stamps what leaves with the least of the inputs that
 * count. Receivers deliver in the order of timestamps what is below their barrier.
 *
 * A switch is two nodes: what leaves upward waits for what is below, what leaves downward for
 * everything. Otherwise neighbours would wait for each other for ever.
 *
 * What must hold: the way of a packet from here to its port's wire is first in, first out per port
 * and pipe; a packet that does not pass the checks of Link raises nothing.
 *
 * For the Tofino Native Architecture, one pass.
 *
 * With BEACONS_BY_CPU, the data plane only forwards: messages by links that are open, which it marks, so
 * that nobody takes their barriers for the link's. Beacons go to the CPU, which has the rest of this program.
 */
#include <core.p4>
#include <tna.p4>

#include "types.p4"
#include "parser.p4"
#include "local.p4"
#include "../lib/ports.p4"
#include "../lib/forward.p4"
#include "../lib/punt.p4"
#include "link.p4"
#include "tree.p4"
#include "stamp.p4"

/* The multicast group of all outputs, for beacons. */
const MulticastGroupId_t OUTPUTS_GROUP = 1;

control Ingress(inout headers_t hdr,
                inout ingress_metadata_t md,
                in ingress_intrinsic_metadata_t ig_intr_md,
                in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
                inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    @id(0x12000010) @brief("Packets and bytes that came in, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) port_rx;
    @id(0x12000011) @brief("Packets dropped in the ingress, per reason (DROP_*)")
    Counter<bit<64>, drop_t>(32, CounterType_t.PACKETS) drops;
    @id(0x12000013) @brief("Packets sent to the controller, per reason (REASON_*)")
    Counter<bit<64>, reason_t>(16, CounterType_t.PACKETS) punts;
#ifndef BEACONS_BY_CPU
    @id(0x12000014) @brief("Packets that raised neither barrier of their link, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS) unraised;
#endif
    @id(0x12000016) @brief("Packets of ours dropped in the ingress, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS) refused;

    Link() link;
#ifndef BEACONS_BY_CPU
    Tree() best_effort;
    Tree() commit;
#endif
    Forward() forward;
    PortGroup() ports;

    apply {
        port_rx.count(ig_intr_md.ingress_port);
        hdr.bridge.setValid();
        hdr.bridge.path = PATH_PLAIN;
        hdr.bridge.reason = REASON_NONE;
        hdr.bridge.pad = 0;
        hdr.bridge.below = 0;
        hdr.bridge.all = 0;
        hdr.bridge.commit_below = 0;
        hdr.bridge.commit_all = 0;
        hdr.bridge.order = 0;
        hdr.bridge.commit_order = 0;
        hdr.bridge.ingress_port = ig_intr_md.ingress_port;
        if (ig_prsr_md.parser_err != 0) {
            md.drop = DROP_MALFORMED;
        } else if (hdr.packet_out.isValid()) {
            ig_tm_md.ucast_egress_port = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
            md.settled = 1;
        } else if (md.checksum_error) {
            md.drop = DROP_IP_CHECKSUM;
        } else if (md.udp_checksum) {
            md.drop = DROP_UDP_CHECKSUM;
        } else if (md.header_error) {
            md.drop = DROP_HEADER_CHECKSUM;
        } else if (hdr.onepipe.isValid()) {
            hdr.bridge.path = PATH_MESSAGE;
        }
        WHEN(md.settled == 0 && md.drop == DROP_NONE) {
            ports.apply(md, ig_intr_md);
            WHEN(hdr.onepipe.isValid()) {
                link.apply(hdr, md, ig_intr_md, ig_prsr_md);
#ifndef BEACONS_BY_CPU
                best_effort.apply(SAID, md.group, md.place, md.branch, md.counted, md.branches,
                                  hdr.bridge.below, hdr.bridge.all, hdr.bridge.order,
                                  md.raised, md.below_rose, md.all_rose);
                commit.apply(COMMIT_SAID, md.group, md.place, md.branch, md.commit_counted,
                             md.commit_branches, hdr.bridge.commit_below, hdr.bridge.commit_all,
                             hdr.bridge.commit_order,
                             md.commit_raised, md.commit_below_rose, md.commit_all_rose);
                if (hdr.bridge.path != PATH_PLAIN && md.raised == 0 && md.commit_raised == 0) {
                    unraised.count(ig_intr_md.ingress_port);
                }
#endif
            }
        }
        if (hdr.bridge.path == PATH_MESSAGE && hdr.onepipe.opcode == OP_BEACON) {
#ifdef BEACONS_BY_CPU
            if (md.drop == DROP_NONE) {
                md.reason = REASON_BEACON; /* behind all that has come by this link before */
            }
#else
            hdr.bridge.path = PATH_BEACON;
#endif
            md.settled = 1;
        }
        WHEN(md.settled == 0 && md.drop == DROP_NONE) {
            forward.apply(hdr, md, ig_intr_md, ig_tm_md);
        }
        if (md.reason != REASON_NONE) {
            ig_tm_md.ucast_egress_port = PORT_CPU;
            hdr.bridge.reason = md.reason;
            hdr.bridge.path = PATH_PLAIN;
            punts.count(md.reason);
        }
        if (md.drop != DROP_NONE) {
            ig_dprsr_md.drop_ctl = 1;
            drops.count(md.drop);
            if (hdr.bridge.path != PATH_PLAIN) {
                refused.count(ig_intr_md.ingress_port);
            }
#ifndef BEACONS_BY_CPU
        } else if (hdr.bridge.path == PATH_BEACON) {
            if (md.below_rose == 1 || md.all_rose == 1 || md.commit_below_rose == 1 || md.commit_all_rose == 1) {
                ig_tm_md.mcast_grp_a = OUTPUTS_GROUP;
            } else {
                ig_dprsr_md.drop_ctl = 1;
            }
#endif
        }
    }
}

control Egress(inout headers_t hdr,
               inout egress_metadata_t md,
               in egress_intrinsic_metadata_t eg_intr_md,
               in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
               inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
               inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    @id(0x12000012) @brief("Packets and bytes that went out, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) port_tx;

    Stamp() stamp;
    Punt() punt;

    apply {
        if (hdr.bridge.path != PATH_PLAIN) {
            stamp.apply(hdr, md, eg_intr_md, eg_dprsr_md);
        } else if (eg_intr_md.egress_port == PORT_CPU) {
            punt.apply(hdr.packet_in, hdr.bridge.pad, hdr.bridge.ingress_port, hdr.bridge.reason, eg_dprsr_md);
        }
        if (eg_dprsr_md.drop_ctl == 0) {
            port_tx.count(eg_intr_md.egress_port);
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(),
         EgressParser(), Egress(), EgressDeparser()) pipe;

/* What leaves by a port leaves in the order in which it was stamped. */
@ordered
Switch(pipe) main;
