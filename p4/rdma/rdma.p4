/* P4CE and MC-RDMA: scatter an RDMA WRITE to a group of replicas, gather their
 * acknowledgements, answer the leader once a quorum holds the data.
 *
 *   ingress                                        egress
 *   +-------+   +--------+   +---------+ +---------+          +------+
 *   | Group |-->| Window |-->| Scatter |-| multi-  |--------->| Copy |
 *   |       |   | Slots  |   +---------+ | cast    |          +------+
 *   | qp,   |   |        |   +---------+ +---------+          +--------+
 *   | class-|-->|        |-->| Answers |--- quorum ---------->| Answer |
 *   | ify   |   +--------+   | Gather  |                      |        |
 *   |       |--------------->| Cnp     |--- once a time ----->|        |
 *   +-------+                +---------+                      +--------+
 *       |       +---------+                                   +------+
 *       +------>| Forward |---------------------------------->| Punt | (CPU port)
 *               +---------+                                   +------+
 *
 * For the Tofino Native Architecture, one pipeline, one pass. Each register is
 * touched once per packet. Registers are per pipe: all ports of a group are on one.
 *
 * With GATHER_IN_EGRESS, Window, Slots and Answers are in the egress of the leader's port:
 * answers of all pipes come together there, and a copy of each request (RID_LEADER) says
 * there what is under way.
 */
#include <core.p4>
#include <tna.p4>

#include "types.p4"
#include "parser.p4"
#include "local.p4"
#include "../lib/when.p4"
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
#include "answers.p4"
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
    Scatter() scatter;
#ifdef GATHER_IN_EGRESS
    Was() was;
#else
    Window() window;
    Slots() slots;
    Answers() answers;
#endif
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
#ifdef GATHER_IN_EGRESS
        hdr.bridge.edge = 0;
        hdr.bridge.slot = 0;
        hdr.bridge.members = 0;
        hdr.bridge.reserved = 0;
        hdr.bridge.f = 0;
#endif
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
            group.apply(hdr, md, ig_tm_md);
            if (md.role == ROLE_NONE) {
                forward.apply(hdr, md, ig_intr_md, ig_tm_md);
            } else {
#ifndef GATHER_IN_EGRESS
                window.apply(md);
                slots.apply(md);
#endif
                if (md.class == CLASS_COPY || md.class == CLASS_WRITE
                    || md.class == CLASS_RELAY_COPY || md.class == CLASS_RELAY_WRITE) {
                    scatter.apply(hdr, md, ig_tm_md);
                } else {
#ifdef GATHER_IN_EGRESS
                    was.apply(hdr, md.class);
                    if (md.class == CLASS_NAK && hdr.aeth.syndrome[6:6] == 1) {
                        ig_dprsr_md.digest_type = DIGEST_NAK;
                    }
#else
                    answers.apply(hdr, md, ig_prsr_md.global_tstamp, ig_dprsr_md.drop_ctl);
                    if (md.class == CLASS_NAK && md.heard == 1 && hdr.aeth.syndrome[6:6] == 1) {
                        ig_dprsr_md.digest_type = DIGEST_NAK;
                    }
#endif
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

    Copy() copy;
    Address() address;
#ifdef GATHER_IN_EGRESS
    Window() window;
    Slots() slots;
    Answers() answers;
#endif
    Answer() answer;
    Punt() punt;
    Mark() mark;

    apply {
#ifdef GATHER_IN_EGRESS
        window.apply(md);
#endif
        if (hdr.bridge.kind == KIND_PLAIN) {
            if (eg_intr_md.egress_port == PORT_CPU) {
                punt.apply(hdr.packet_in, hdr.bridge.pad, hdr.bridge.ingress_port, hdr.bridge.reason, eg_dprsr_md);
            }
#ifdef GATHER_IN_EGRESS
        } else if (hdr.bridge.kind == KIND_SCATTER && md.class == CLASS_NONE) {
            copy.apply(hdr, md, eg_intr_md);
        } else {
            address.apply(hdr, md);
            slots.apply(md);
            answers.apply(hdr, md, eg_prsr_md.global_tstamp, eg_dprsr_md.drop_ctl);
            WHEN(eg_dprsr_md.drop_ctl == 0) {
                answer.apply(hdr, md);
            }
        }
#else
        } else if (hdr.bridge.kind == KIND_SCATTER) {
            copy.apply(hdr, md, eg_intr_md);
        } else {
            address.apply(hdr, md);
            answer.apply(hdr, md);
        }
#endif
        if (eg_dprsr_md.drop_ctl == 0) {
            if (md.unknown == 1) {
                eg_dprsr_md.drop_ctl = 1;
            } else {
                mark.apply(hdr, md, eg_intr_md);
                port_tx.count(eg_intr_md.egress_port);
            }
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(),
         EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
