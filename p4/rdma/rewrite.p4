/* Egress: what each packet of a group says, with the ICRC kept valid.
 *
 *   copy      +------------+
 *   --------> | endpoint   |--+
 *             | egress_rid |  |   +------------+    +-----------+
 *             +------------+  +-> | icrc_*     | -> | XOR into  |
 *   answer    +------------+  |   | copy_*     |    | IPv4 id,  |
 *   --------> | leader     |--+   | answer_*   |    | UDP src   |
 *             | group      |      | per byte   |    +-----------+
 *             +------------+      +------------+
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
 * with the entry; what is added to (PSN, VA), or found out (credits), goes through
 * a table per byte.
 *
 * Where the egress gathers, what an answer says is known late: the corrections for its old PSN and
 * credits are made in the ingress (was_*), and here those for the new ones.
 */
#ifndef P4CE_REWRITE_P4
#define P4CE_REWRITE_P4

#include "icrc_tables.p4"

#ifdef GATHER_IN_EGRESS
control Was(inout headers_t hdr, in class_t class) {
    ICRC_TABLE(was_psn0, hdr.bth.psn_word[23:16], hdr.bridge.icrc, 0x0100007c, 0x0200007c,
               ICRC_PSN0(was_psn0_fix))
    ICRC_TABLE(was_psn1, hdr.bth.psn_word[15:8], hdr.bridge.icrc, 0x0100007d, 0x0200007d,
               ICRC_PSN1(was_psn1_fix))
    ICRC_TABLE(was_psn2, hdr.bth.psn_word[7:0], hdr.bridge.icrc, 0x0100007e, 0x0200007e,
               ICRC_PSN2(was_psn2_fix))
    /* The AETH's first byte is where the RETH's would be. */
    ICRC_TABLE(was_syndrome, hdr.aeth.syndrome, hdr.bridge.icrc, 0x0100007f, 0x0200007f,
               ICRC_VA0(was_syndrome_fix))

    apply {
        was_psn0.apply();
        was_psn1.apply();
        was_psn2.apply();
        if (class == CLASS_ACK) {
            was_syndrome.apply();
        }
    }
}
#endif

/* Requests: a copy becomes a replica's own. */
control Copy(inout headers_t hdr,
             inout egress_metadata_t md,
             in egress_intrinsic_metadata_t eg_intr_md) {
    @id(0x12000005) @brief("Copies dropped because their replica is not known")
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
        hdr.bridge.psn = hdr.bth.psn_word << PSN_SHIFT;
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
        md.unknown = 1;
        no_endpoint.count(0);
    }

#ifdef GATHER_IN_EGRESS
    @stage(0)
#endif
    @id(0x02000060)
    table endpoint {
        key = { eg_intr_md.egress_rid : exact; }
        actions = { to_replica; @defaultonly unknown_replica; }
        const default_action = unknown_replica();
        size = ENDPOINTS;
    }

    ICRC_TABLE(icrc_psn0, md.psn_diff[23:16], md.fix1, 0x01000070, 0x02000070,
               ICRC_PSN0(icrc_psn0_fix))
    ICRC_TABLE(icrc_psn1, md.psn_diff[15:8], md.fix2, 0x01000071, 0x02000071,
               ICRC_PSN1(icrc_psn1_fix))
    ICRC_TABLE(icrc_psn2, md.psn_diff[7:0], md.fix3, 0x01000072, 0x02000072,
               ICRC_PSN2(icrc_psn2_fix))
    ICRC_TABLE(icrc_va0, md.va_diff[63:56], md.fix0, 0x01000073, 0x02000073,
               ICRC_VA0(icrc_va0_fix))
    ICRC_TABLE(icrc_va1, md.va_diff[55:48], md.fix1, 0x01000074, 0x02000074,
               ICRC_VA1(icrc_va1_fix))
    ICRC_TABLE(icrc_va2, md.va_diff[47:40], md.fix2, 0x01000075, 0x02000075,
               ICRC_VA2(icrc_va2_fix))
    ICRC_TABLE(icrc_va3, md.va_diff[39:32], md.fix3, 0x01000076, 0x02000076,
               ICRC_VA3(icrc_va3_fix))
    ICRC_TABLE(icrc_va4, md.va_diff[31:24], md.fix0, 0x01000077, 0x02000077,
               ICRC_VA4(icrc_va4_fix))
    ICRC_TABLE(icrc_va5, md.va_diff[23:16], md.fix1, 0x01000078, 0x02000078,
               ICRC_VA5(icrc_va5_fix))
    ICRC_TABLE(icrc_va6, md.va_diff[15:8], md.fix2, 0x01000079, 0x02000079,
               ICRC_VA6(icrc_va6_fix))
    ICRC_TABLE(icrc_va7, md.va_diff[7:0], md.fix3, 0x0100007a, 0x0200007a,
               ICRC_VA7(icrc_va7_fix))

    apply {
        endpoint.apply();
        if (md.unknown == 0) {
            md.psn_diff = hdr.bth.psn_word;
            hdr.bridge.psn = hdr.bridge.psn + md.delta;
            hdr.bth.psn_word[PSN_BITS-1:0] = hdr.bridge.psn[31:PSN_SHIFT];
            md.psn_diff = md.psn_diff ^ hdr.bth.psn_word;
            if (hdr.reth.isValid()) {
                md.va_diff = md.va_old ^ hdr.reth.va;
            } else {
                md.fix1 = 0;
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
        }
    }
}

/* ACKs, NAKs and CNPs: from the switch, to the leader. */
control Address(inout headers_t hdr, inout egress_metadata_t md) {
    @id(0x12000017) @brief("ACKs, NAKs and CNPs dropped because their leader is not known")
    Counter<bit<64>, bit<1>>(1, CounterType_t.PACKETS) no_leader;

    @id(0x01000062)
    action to_leader(bit<48> src_mac, bit<48> dst_mac, bit<32> dst_ip,
                     bit<24> dst_qp, bit<1> neutral) {
        hdr.ethernet.src = src_mac;
        hdr.ethernet.dst = dst_mac;
        hdr.ipv4.src = hdr.ipv4.dst;
        hdr.ipv4.dst = dst_ip;
        hdr.udp.checksum = 0;
        hdr.bth.dst_qp = dst_qp;
        md.fix0 = hdr.bridge.icrc;
        md.neutral = neutral;
        md.remade = true;
    }

    @id(0x01000063)
    action unknown_leader() {
        md.unknown = 1;
        no_leader.count(0);
    }

    @id(0x02000061)
    table leader {
        key = { hdr.bridge.group : exact; }
        actions = { to_leader; @defaultonly unknown_leader; }
        const default_action = unknown_leader();
        size = GROUPS;
    }

    apply {
        leader.apply();
    }
}

/* And with PSN and credits of the group. */
#ifdef GATHER_IN_EGRESS
#define ANSWER_PSN hdr.bth.psn_word
#define ANSWER_SYNDROME hdr.bridge.syndrome
#define ICRC_TABLE_LATE ICRC_TABLE_NOW
#else
#define ANSWER_PSN md.psn_diff
#define ANSWER_SYNDROME md.syndrome_diff
#define ICRC_TABLE_LATE(table_name, byte, action_id, table_id, entry_list) \
    ICRC_TABLE(table_name, byte, md.fix0, action_id, table_id, entry_list)
#endif

control Answer(inout headers_t hdr, inout egress_metadata_t md) {
    ICRC_TABLE(answer_psn0, ANSWER_PSN[23:16], md.fix0, 0x01000064, 0x02000064,
               ICRC_PSN0(answer_psn0_fix))
    ICRC_TABLE(answer_psn1, ANSWER_PSN[15:8], md.fix1, 0x01000065, 0x02000065,
               ICRC_PSN1(answer_psn1_fix))
    ICRC_TABLE_LATE(answer_psn2, ANSWER_PSN[7:0], 0x01000066, 0x02000066,
                    ICRC_PSN2(answer_psn2_fix))
    ICRC_TABLE_LATE(answer_syndrome, ANSWER_SYNDROME, 0x0100007b, 0x0200007b,
                    ICRC_VA0(answer_syndrome_fix))

    apply {
#ifndef GATHER_IN_EGRESS
        md.psn_diff = hdr.bth.psn_word;
        hdr.bth.psn_word[PSN_BITS-1:0] = hdr.bridge.psn[31:PSN_SHIFT];
        md.psn_diff = md.psn_diff ^ hdr.bth.psn_word;
#endif
        md.fix1 = 0;
        if (hdr.bridge.kind == KIND_ACK) {
            md.syndrome_diff = hdr.aeth.syndrome ^ hdr.bridge.syndrome;
            hdr.aeth.syndrome = hdr.bridge.syndrome;
#ifndef GATHER_IN_EGRESS
            answer_syndrome.apply();
#endif
        }
        if (md.neutral == 1) {
            answer_psn0.apply();
            answer_psn1.apply();
            answer_psn2.apply();
#ifdef GATHER_IN_EGRESS
            if (hdr.bridge.kind == KIND_ACK) {
                answer_syndrome.apply();
            }
#endif
            md.fix0 = md.fix0 ^ md.fix1;
            hdr.ipv4.identification = hdr.ipv4.identification ^ md.fix0[31:16];
            hdr.udp.src_port = hdr.udp.src_port ^ md.fix0[15:0];
        }
    }
}

#endif
