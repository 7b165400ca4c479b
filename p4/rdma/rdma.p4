/* P4CE and MC-RDMA: scatter an RDMA WRITE to a group of replicas, gather their
 * acknowledgements, answer the leader once a quorum holds the data.
 *
 *   ingress                                      egress
 *   +-------+   +-------+   +---------+ +---------+          +---------+
 *   | Group |-->|       |-->| Scatter |-| multi-  |--------->| Rewrite | (each copy)
 *   |       |   | Slots |   +---------+ | cast    |          |         |
 *   | qp,   |   |       |   +---------+ +---------+          |         |
 *   | class-|-->|       |-->| Gather  |--- quorum ---------->|         |
 *   | ify   |   +-------+   +---------+                      +---------+
 *   |       |   +---------+
 *   |       |-->| Cnp     |--- once per interval ---> (Rewrite)
 *   +-------+   +---------+
 *       |       +---------+                      +---------+
 *       +------>| Forward |--------------------->| Punt    | (CPU port)
 *               +---------+                      +---------+
 *
 * For the Tofino Native Architecture, one pipeline, one pass. Each register is
 * touched once per packet.
 */
#include <core.p4>
#include <tna.p4>

#include "types.p4"
#include "parser.p4"
#include "local.p4"
#include "../lib/ports.p4"
#define FORWARD_PATHS
#include "../lib/forward.p4"
#include "../lib/punt.p4"
#include "../lib/mark.p4"
#include "group.p4"
#include "slots.p4"
#include "scatter.p4"
#include "gather.p4"
#include "cnp.p4"
#include "rewrite.p4"

control Ingress(inout headers_t hdr,
                inout ingress_metadata_t md,
                in ingress_intrinsic_metadata_t ig_intr_md,
                in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
                inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    @id(0x12000010) @brief("Packets and bytes that came in, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) port_rx;
    @id(0x12000011) @brief("Packets dropped in the ingress, per reason (DROP_*)")
    Counter<bit<64>, drop_t>(16, CounterType_t.PACKETS) drops;

    @id(0x12000013) @brief("Packets sent to the controller, per reason (REASON_*)")
    Counter<bit<64>, reason_t>(16, CounterType_t.PACKETS) punts;

    Group() group;
    Slots() slots;
    Scatter() scatter;
    Gather() gather;
    Cnp() cnp;
    Forward() forward;
    PortGroup() ports;

    apply {
        port_rx.count(ig_intr_md.ingress_port);
        hdr.bridge.setValid();
        hdr.bridge.kind = KIND_PLAIN;
        hdr.bridge.syndrome = 0;
        hdr.bridge.reason = REASON_NONE;
        hdr.bridge.pad = 0;
        hdr.bridge.ingress_port = ig_intr_md.ingress_port;
        hdr.bridge.group = 0;
        hdr.bridge.psn = 0;
        hdr.bridge.icrc = 0;
        md.p = hdr.bth.psn_word << PSN_SHIFT;
        if (ig_prsr_md.parser_err != 0) {
            md.drop = DROP_MALFORMED;
        } else if (hdr.packet_out.isValid()) {
            ig_tm_md.ucast_egress_port = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        } else if (md.checksum_error) {
            md.drop = DROP_IP_CHECKSUM;
        } else {
            ports.apply(md, ig_intr_md);
            group.apply(hdr, md);
            if (md.role == ROLE_NONE) {
                forward.apply(hdr, md, ig_intr_md, ig_tm_md);
            } else {
                slots.apply(md);
                if (md.class == CLASS_COPY || md.class == CLASS_WRITE
                    || md.class == CLASS_RELAY_COPY || md.class == CLASS_RELAY_WRITE) {
                    scatter.apply(hdr, md, ig_tm_md);
                } else if (md.class == CLASS_ACK || md.class == CLASS_NAK) {
                    if (md.fresh == 1) {
                        gather.apply(hdr, md, ig_dprsr_md, ig_tm_md);
                    } else {
                        md.drop = DROP_WINDOW;
                    }
                } else if (md.class == CLASS_CNP) {
                    cnp.apply(hdr, md, ig_prsr_md, ig_tm_md);
                }
            }
        }
        if (md.reason != REASON_NONE) {
            ig_tm_md.ucast_egress_port = PORT_CPU;
            hdr.bridge.reason = md.reason;
            punts.count(md.reason);
        }
        if (md.drop != DROP_NONE) {
            ig_dprsr_md.drop_ctl = 1;
            drops.count(md.drop);
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

    Rewrite() rewrite;
    Punt() punt;
    Mark() mark;

    apply {
        if (hdr.bridge.kind != KIND_PLAIN) {
            rewrite.apply(hdr, md, eg_intr_md, eg_dprsr_md);
        } else if (eg_intr_md.egress_port == PORT_CPU) {
            punt.apply(hdr.packet_in, hdr.bridge.pad, hdr.bridge.ingress_port, hdr.bridge.reason, eg_dprsr_md);
        }
        mark.apply(hdr, md, eg_intr_md);
        if (eg_dprsr_md.drop_ctl == 0) {
            port_tx.count(eg_intr_md.egress_port);
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(),
         EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
