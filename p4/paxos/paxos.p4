/* Consensus as a network service: the roles of Paxos in a switch (P4xos, Dang et al.).
 *
 *   ingress                                                    egress
 *   +---------+   +--------+   +----------+   +---------+      +--------+
 *   | Service |-->| Leader |-->| Acceptor |-->| Learner |----->| Copies | to acceptors, learners,
 *   |         |   | an     |   | a vote,  |   | a       | multi|        | replicas
 *   | who,    |   | inst-  |   | a promise|   | major-  | cast +--------+
 *   | what,   |   | ance   |   +----------+   | ity     |
 *   | life    |   +--------+        |         +---------+
 *   +---------+                     +--- answers, refusals: back to the sender
 *       |        +---------+                                  +------+
 *       +------->| Forward |--------------------------------->| Punt | (CPU port)
 *                +---------+                                  +------+
 *
 * A switch has any of the roles, for each of many applications: an address and a UDP port that
 * the controller has given it. A message that meets several roles of one application passes
 * all of them at once: what the leader has given an instance, an acceptor in the same switch
 * votes for, and a learner there counts the vote. Its copies go to all who are elsewhere.
 *
 * What must hold: rounds belong to one proposer and are never used again; an acceptor votes only
 * at or above its floor and what it has promised; an instance has a cell of its own in the ring
 * as long as it can be used; a role without its registers does nothing.
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
#include "roles.p4"
#include "leader.p4"
#include "acceptor.p4"
#include "learner.p4"
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
    @id(0x12000011) @brief("Packets dropped or refused in the ingress, per reason (DROP_*)")
    Counter<bit<64>, drop_t>(32, CounterType_t.PACKETS) drops;
    @id(0x12000013) @brief("Packets sent to the controller, per reason (REASON_*)")
    Counter<bit<64>, reason_t>(16, CounterType_t.PACKETS) punts;
    @id(0x12000014) @brief("Messages to roles here, by what is done with them (ACT_*)")
    Counter<bit<64>, act_t>(16, CounterType_t.PACKETS) taken;

    Service() service;
    Roles() roles;
    Leader() leader;
    Acceptor() acceptor;
    Learner() learner;
    Verdict() verdict;
    Forward() forward;
    PortGroup() ports;

    apply {
        port_rx.count(ig_intr_md.ingress_port);
        hdr.bridge.setValid();
        hdr.bridge.became = BECAME_PLAIN;
        hdr.bridge.reason = REASON_NONE;
        hdr.bridge.pad = 0;
        hdr.bridge.sum = 0;
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
            if (hdr.paxos.isValid()) {
                service.apply(hdr, md);
            }
            if (md.at == AT_NONE) {
                forward.apply(hdr, md, ig_intr_md, ig_tm_md);
            } else {
                taken.count(md.act);
                hdr.bridge.became = 0;
                roles.apply(hdr, md);
                leader.apply(hdr, md);
                md.cell = md.app ++ hdr.paxos.inst[RING_BITS-1:0];
                md.ahead = md.last - hdr.paxos.inst;
                WHEN(md.votes == 1) {
                    @own_function {
                        acceptor.apply(hdr, md);
                    }
                }
                WHEN(md.learns == 1 && (md.act == ACT_LEARN || md.promised == 1)) {
                    @own_function {
                        learner.apply(hdr, md);
                    }
                }
                verdict.apply(hdr, md, ig_intr_md, ig_dprsr_md, ig_tm_md);
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
