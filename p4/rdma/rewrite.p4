/* Egress: what each copy says, with the ICRC kept valid.
 *
 *   scatter  +------------------+
 *   -------> | endpoint         |--+
 *            | egress_rid       |  |   +------------+    +-----------+
 *            +------------------+  +-> | icrc_*     | -> | XOR into  |
 *   leader   +------------------+  |   | 12 tables, |    | IPv4 id,  |
 *   -------> | leader           |--+   | per byte   |    | UDP src   |
 *            | bridge.group     |      +------------+    +-----------+
 *            +------------------+
 *
 * endpoint  one entry per replica of a group; the key is the replication id
 *           that the multicast group gives the copy.
 * leader    one entry per group.
 *
 * The ICRC covers what is rewritten, and sits behind a payload that a switch
 * does not see. CRCs are linear over GF(2): for every bit that changes there is
 * a change of identification and UDP source port (32 bits together, both free
 * in a routed RoCE packet) that cancels its effect on the CRC before the
 * payload begins. What changes by a constant XOR (addresses, QPN, R_key) comes
 * with the entry; what is added to (PSN, VA) goes through a table per byte.
 */
#ifndef P4CE_REWRITE_P4
#define P4CE_REWRITE_P4

#include "icrc_tables.p4"

control Rewrite(inout headers_t hdr,
                inout egress_metadata_t md,
                in egress_intrinsic_metadata_t eg_intr_md,
                inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    @id(0x12000005) @brief("Copies dropped because their replica or leader is not known")
    Counter<bit<64>, bit<1>>(1, CounterType_t.PACKETS) no_endpoint;

    /* delta: the replica's PSN minus the leader's, shifted domain. base: VA of
     * the replica's region. icrc: correction for addresses and QPN; icrc_rkey:
     * for the R_key, in packets that have a RETH. neutral: 0 leaves
     * identification and source port alone (NICs that do not check the ICRC). */
    @id(0x01000060)
    action to_replica(bit<48> src_mac, bit<48> dst_mac, bit<32> dst_ip,
                      bit<24> dst_qp, bit<32> delta, bit<64> base,
                      bit<32> rkey, bit<32> icrc, bit<32> icrc_rkey,
                      bit<1> neutral) {
        hdr.ethernet.src = src_mac;
        hdr.ethernet.dst = dst_mac;
        hdr.ipv4.src = hdr.ipv4.dst;
        hdr.ipv4.dst = dst_ip;
        hdr.udp.checksum = 0;
        hdr.bth.dst_qp = dst_qp;
        md.delta = delta;
        md.psn = hdr.bth.psn_word << PSN_SHIFT;
        md.va_old = hdr.reth.va;
        hdr.reth.va = hdr.reth.va + base;
        hdr.reth.rkey = rkey;
        md.fix0 = icrc;
        md.fix1 = icrc_rkey;
        md.neutral = neutral;
        md.remade = true;
    }

    @id(0x01000061)
    action unknown_replica() {
        eg_dprsr_md.drop_ctl = 1;
    }

    @id(0x02000060)
    table endpoint {
        key = { eg_intr_md.egress_rid : exact; }
        actions = { to_replica; @defaultonly unknown_replica; }
        const default_action = unknown_replica();
        size = ENDPOINTS;
    }

    @id(0x01000062)
    action to_leader(bit<48> src_mac, bit<48> dst_mac, bit<32> dst_ip,
                     bit<24> dst_qp, bit<1> neutral) {
        hdr.ethernet.src = src_mac;
        hdr.ethernet.dst = dst_mac;
        hdr.ipv4.src = hdr.ipv4.dst;
        hdr.ipv4.dst = dst_ip;
        hdr.udp.checksum = 0;
        hdr.bth.dst_qp = dst_qp;
        md.psn = hdr.bridge.psn;
        md.fix0 = hdr.bridge.icrc;
        md.neutral = neutral;
        md.remade = true;
    }

    @id(0x01000063)
    action unknown_leader() {
        eg_dprsr_md.drop_ctl = 1;
    }

    @id(0x02000061)
    table leader {
        key = { hdr.bridge.group : exact; }
        actions = { to_leader; @defaultonly unknown_leader; }
        const default_action = unknown_leader();
        size = GROUPS;
    }

    ICRC_TABLE(icrc_psn0, md.psn_diff[23:16], fix1, 0x01000070, 0x02000070,
               ICRC_PSN0(icrc_psn0_fix))
    ICRC_TABLE(icrc_psn1, md.psn_diff[15:8], fix2, 0x01000071, 0x02000071,
               ICRC_PSN1(icrc_psn1_fix))
    ICRC_TABLE(icrc_psn2, md.psn_diff[7:0], fix3, 0x01000072, 0x02000072,
               ICRC_PSN2(icrc_psn2_fix))
    ICRC_TABLE(icrc_va0, md.va_diff[63:56], fix0, 0x01000073, 0x02000073,
               ICRC_VA0(icrc_va0_fix))
    ICRC_TABLE(icrc_va1, md.va_diff[55:48], fix1, 0x01000074, 0x02000074,
               ICRC_VA1(icrc_va1_fix))
    ICRC_TABLE(icrc_va2, md.va_diff[47:40], fix2, 0x01000075, 0x02000075,
               ICRC_VA2(icrc_va2_fix))
    ICRC_TABLE(icrc_va3, md.va_diff[39:32], fix3, 0x01000076, 0x02000076,
               ICRC_VA3(icrc_va3_fix))
    ICRC_TABLE(icrc_va4, md.va_diff[31:24], fix0, 0x01000077, 0x02000077,
               ICRC_VA4(icrc_va4_fix))
    ICRC_TABLE(icrc_va5, md.va_diff[23:16], fix1, 0x01000078, 0x02000078,
               ICRC_VA5(icrc_va5_fix))
    ICRC_TABLE(icrc_va6, md.va_diff[15:8], fix2, 0x01000079, 0x02000079,
               ICRC_VA6(icrc_va6_fix))
    ICRC_TABLE(icrc_va7, md.va_diff[7:0], fix3, 0x0100007a, 0x0200007a,
               ICRC_VA7(icrc_va7_fix))
    /* The AETH's first byte is where the RETH's would be. */
    ICRC_TABLE(icrc_syndrome, md.syndrome_diff, fix0, 0x0100007b, 0x0200007b,
               ICRC_VA0(icrc_syndrome_fix))

    apply {
        md.psn_diff = hdr.bth.psn_word;
        if (hdr.bridge.kind == KIND_SCATTER) {
            endpoint.apply();
            md.psn = md.psn + md.delta;
        } else {
            leader.apply();
        }
        if (eg_dprsr_md.drop_ctl == 0) {
            hdr.bth.psn_word[PSN_BITS-1:0] = md.psn[31:PSN_SHIFT];
            md.psn_diff = md.psn_diff ^ hdr.bth.psn_word;
            if (hdr.reth.isValid()) {
                md.va_diff = md.va_old ^ hdr.reth.va;
            } else {
                md.fix1 = 0;
            }
            if (hdr.bridge.kind == KIND_ACK) {
                md.syndrome_diff = hdr.aeth.syndrome ^ hdr.bridge.syndrome;
                hdr.aeth.syndrome = hdr.bridge.syndrome;
                icrc_syndrome.apply();
            }
            icrc_psn0.apply();
            icrc_psn1.apply();
            icrc_psn2.apply();
            if (hdr.reth.isValid()) {
                icrc_va0.apply();
                icrc_va1.apply();
                icrc_va2.apply();
                icrc_va3.apply();
                icrc_va4.apply();
                icrc_va5.apply();
                icrc_va6.apply();
                icrc_va7.apply();
            }
            md.fix0 = md.fix0 ^ md.fix1;
            md.fix2 = md.fix2 ^ md.fix3;
            md.fix0 = md.fix0 ^ md.fix2;
            if (md.neutral == 1) {
                hdr.ipv4.identification = hdr.ipv4.identification ^ md.fix0[31:16];
                hdr.udp.src_port = hdr.udp.src_port ^ md.fix0[15:0];
            }
        } else {
            no_endpoint.count(0);
        }
    }
}

#endif
