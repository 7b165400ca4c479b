/* Atomic multicast to several groups, ordered by switches (P4mCast, Boughzala and Koldehofe).
 *
 *   ingress                                                    egress
 *   +---------+   +-------+   +-------+   +---------+          +--------+
 *   | Service |-->| Peers |-->| Cells |-->| Verdict |--------->| Copies | to members, deliverers,
 *   | which   |   | who   |   | Tally |   | life    | multicast|        | replicas
 *   | role    |   | may   |   |       |   |         |          +--------+
 *   +---------+   +-------+   +-------+   +---------+
 *       |             refused: back to the sender, or dropped
 *       |        +---------+                                   +------+
 *       +------->| Forward |---------------------------------->| Punt | (CPU port)
 *                +---------+                                   +------+
 *
 * A message goes to one or several groups. The leader of each of them gives it a local timestamp,
 * the members of all of them acknowledge each timestamp, and the greatest is final when a quorum
 * of each group, with its leader, has acknowledged each. Replicas deliver in the order of final
 * timestamps.
 *
 * A switch has any of the roles, for several groups. A packet is for one role: what a switch has
 * to say to itself leaves by a port that leads back to it.
 *
 * What must hold: a cell is about one message of a client, the newest; what the leader gave it
 * stays; nobody acknowledges a proposal of another epoch; acknowledgements of two epochs of one
 * group are never counted together; a role without its registers does nothing.
 *
 * For the Tofino Native Architecture, one pipeline, one pass.
 */
#include <core.p4>
#include <tna.p4>

#include "types.p4"
#include "parser.p4"
#include "local.p4"
#include "../lib/ports.p4"
#include "../lib/forward.p4"
#include "../lib/punt.p4"
#include "service.p4"
#include "tally.p4"
#include "cells.p4"
#include "verdict.p4"
#include "copies.p4"

control Ingress(inout headers_t hdr,
                inout ingress_metadata_t md,
                in ingress_intrinsic_metadata_t ig_intr_md,
                in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
                inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    @id(0x12000010) @brief("Packets and bytes that came in, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) port_rx;
    @id(0x12000011) @brief("Packets dropped or refused in the ingress, per reason (DROP_*), before registers are asked")
    Counter<bit<64>, drop_t>(32, CounterType_t.PACKETS) drops;
    @id(0x12000013) @brief("Packets sent to the controller, per reason (REASON_*)")
    Counter<bit<64>, reason_t>(16, CounterType_t.PACKETS) punts;
    @id(0x12000014) @brief("Messages to roles here, by what is done with them (ACT_*)")
    Counter<bit<64>, act_t>(16, CounterType_t.PACKETS) taken;

    Service() service;
    Peers() peers;
    Cells() cells;
    Verdict() verdict;
    Forward() forward;
    PortGroup() ports;

    apply {
        port_rx.count(ig_intr_md.ingress_port);
        hdr.bridge.setValid();
        hdr.bridge.became = BECAME_PLAIN;
        hdr.bridge.reason = REASON_NONE;
        hdr.bridge.pad = 0;
        hdr.bridge.ingress_port = ig_intr_md.ingress_port;
        if (ig_prsr_md.parser_err != 0) {
            md.drop = DROP_MALFORMED;
        } else if (hdr.packet_out.isValid()) {
            ig_tm_md.ucast_egress_port = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        } else if (md.checksum_error) {
            md.drop = DROP_IP_CHECKSUM;
        } else {
            ports.apply(md, ig_intr_md);
            if (hdr.amcast.isValid()) {
                service.apply(hdr, md);
            }
            if (md.at == AT_NONE) {
                forward.apply(hdr, md, ig_intr_md, ig_tm_md);
            } else if (md.udp_checksum) {
                md.drop = DROP_UDP_CHECKSUM;
            } else if (md.header_error) {
                md.drop = DROP_HEADER_CHECKSUM;
            } else {
                hdr.bridge.became = 0;
                peers.apply(hdr, md);
                taken.count(md.act);
                WHEN(md.act != ACT_NONE) {
                    @own_function {
                        cells.apply(hdr, md);
                    }
                }
            }
        }
        if (md.reason != REASON_NONE) {
            ig_tm_md.ucast_egress_port = PORT_CPU;
            hdr.bridge.reason = md.reason;
            punts.count(md.reason);
        }
        if (md.drop != DROP_NONE) {
            drops.count(md.drop);
            if (hdr.bridge.became == BECAME_PLAIN) {
                ig_dprsr_md.drop_ctl = 1;
            }
        }
        /* Last: what comes behind it takes another stage of a Tofino. */
        if (hdr.bridge.became == 0) {
            verdict.apply(hdr, md, ig_intr_md, ig_dprsr_md, ig_tm_md);
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

    Copies() copies;
    Punt() punt;

    apply {
        if (hdr.bridge.became != BECAME_PLAIN) {
            copies.apply(hdr, md, eg_intr_md, eg_dprsr_md);
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

Switch(pipe) main;
