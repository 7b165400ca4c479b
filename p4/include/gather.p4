/* Replicas -> leader: cumulative acknowledgements per replica, quorum, credits.
 *
 *   +--------+ +--------+       +--------+    acked0..7   +----------+
 *   | slot0  | | slot1  |  ...  | slot7  | -------------> | quorum   |
 *   | max(p) | |  >= p? |       |  >= p? |        f ----> | (const)  |
 *   +--------+ +--------+       +--------+                +----------+
 *   +--------+ +--------+       +--------+                     |
 *   |credit0 | |credit1 |  ...  |credit7 | --> min             v
 *   +--------+ +--------+       +--------+      |        +-----------+
 *                                               |        | committed |
 *                                               v        | max(p)    |
 *                    to the leader  <--  syndrome, PSN   +-----------+
 *
 * slotN      highest PSN that replica N has acknowledged, in the leader's
 *            numbering and the shifted domain. The controller starts it at the
 *            group's first PSN - 1.
 * creditN    latest credit code of replica N; starts at 0x1f (unlimited).
 * committed  highest PSN that a quorum holds; starts like slotN.
 *
 * An ACK of p goes to the leader when at least f replicas hold p and the leader
 * has not been told (committed rises), or when its replica says it again (slotN
 * does not rise): the leader asked again because an answer was lost. All others
 * are absorbed here. A NAK or RNR NAK always goes, with PSN committed + 1: the
 * leader must not learn from it that more is held than a quorum holds.
 */
#ifndef P4CE_GATHER_P4
#define P4CE_GATHER_P4

/* One register per slot: raised to p by the slot's own replica, compared with
 * p by the others. PSNs are compared circularly, so a replica that has been
 * silent for half of them would seem to be ahead: who looks at a slot that is
 * WINDOW behind drags it along. (No leader has that many packets under way: what
 * is further behind has been answered.) Each slot has a bit of its own for its
 * answer: on Tofino, tables that write one field need one stage after another.
 * Ids: register, action update, action query, table. */
#define SLOT(n, register_id, update_id, query_id, table_id)                   \
    @id(register_id)                                                          \
    Register<bit<32>, bit<16>>(GROUPS) slot##n;                               \
    RegisterAction<bit<32>, bit<16>, bit<1>>(slot##n) slot##n##_raise = {     \
        void apply(inout bit<32> held, out bit<1> raised) {                   \
            if ((int<32>)(held - md.p) < 0) {                                 \
                held = md.p;                                                  \
                raised = 1;                                                   \
            } else {                                                          \
                raised = 0;                                                   \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<32>, bit<16>, bit<1>>(slot##n) slot##n##_holds = {     \
        void apply(inout bit<32> held, out bit<1> acked) {                    \
            if ((int<32>)(held - md.p) < 0) {                                 \
                acked = 0;                                                    \
            } else {                                                          \
                acked = 1;                                                    \
            }                                                                 \
            if ((int<32>)(held - md.floor) < 0) {                             \
                held = md.floor;                                              \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    @id(update_id)                                                            \
    action slot##n##_update() {                                               \
        md.raised##n = slot##n##_raise.execute(md.group);                     \
        md.acked##n = 1;                                                      \
    }                                                                         \
    @id(query_id) @after_updates                                              \
    action slot##n##_query() {                                                \
        md.acked##n = slot##n##_holds.execute(md.group);                      \
    }                                                                         \
    @id(table_id)                                                             \
    table held##n {                                                           \
        key = { md.slot : ternary; }                                          \
        actions = { slot##n##_update; slot##n##_query; @defaultonly NoAction; }\
        const default_action = NoAction();                                    \
        const entries = {                                                     \
            n : slot##n##_update();                                           \
            _ : slot##n##_query();                                            \
        }                                                                     \
        size = 2;                                                             \
    }

/* One register per slot for credits: set by the slot's own replica, read by
 * the others. The tables are not in one block of an if: Tofino would have to
 * finish it before anything else. Ids as above. */
#define CREDIT(n, register_id, update_id, query_id, table_id)                 \
    @id(register_id)                                                          \
    Register<bit<8>, bit<16>>(GROUPS, 0x1f) credit##n;                        \
    RegisterAction<bit<8>, bit<16>, bit<8>>(credit##n) credit##n##_set = {    \
        void apply(inout bit<8> code, out bit<8> now) {                       \
            code = hdr.aeth.syndrome;                                         \
            now = hdr.aeth.syndrome;                                          \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<8>, bit<16>, bit<8>>(credit##n) credit##n##_get = {    \
        void apply(inout bit<8> code, out bit<8> now) {                       \
            now = code;                                                       \
        }                                                                     \
    };                                                                        \
    @id(update_id)                                                            \
    action credit##n##_update() {                                             \
        md.credit##n = credit##n##_set.execute(md.group);                     \
    }                                                                         \
    @id(query_id)                                                             \
    action credit##n##_query() {                                              \
        md.credit##n = credit##n##_get.execute(md.group);                     \
    }                                                                         \
    @id(table_id)                                                             \
    table credits##n {                                                        \
        key = { md.slot : ternary; }                                          \
        actions = { credit##n##_update; credit##n##_query; @defaultonly NoAction; }\
        const default_action = NoAction();                                    \
        const entries = {                                                     \
            n : credit##n##_update();                                         \
            _ : credit##n##_query();                                          \
        }                                                                     \
        size = 2;                                                             \
    }

control Gather(inout headers_t hdr,
               inout ingress_metadata_t md,
               inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
               inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    @id(0x12000002) @brief("ACKs and NAKs of replicas, per group")
    Counter<bit<64>, bit<16>>(GROUPS, CounterType_t.PACKETS) gathered;
    @id(0x12000003) @brief("ACKs and NAKs sent to the leader, per group")
    Counter<bit<64>, bit<16>>(GROUPS, CounterType_t.PACKETS) answered;
    @id(0x12000004) @brief("NAKs and RNR NAKs of replicas, per group")
    Counter<bit<64>, bit<16>>(GROUPS, CounterType_t.PACKETS) naks;

    SLOT(0, 0x16000010, 0x01000030, 0x01000038, 0x02000030)
    SLOT(1, 0x16000011, 0x01000031, 0x01000039, 0x02000031)
    SLOT(2, 0x16000012, 0x01000032, 0x0100003a, 0x02000032)
    SLOT(3, 0x16000013, 0x01000033, 0x0100003b, 0x02000033)
    SLOT(4, 0x16000014, 0x01000034, 0x0100003c, 0x02000034)
    SLOT(5, 0x16000015, 0x01000035, 0x0100003d, 0x02000035)
    SLOT(6, 0x16000016, 0x01000036, 0x0100003e, 0x02000036)
    SLOT(7, 0x16000017, 0x01000037, 0x0100003f, 0x02000037)

    CREDIT(0, 0x16000020, 0x01000040, 0x01000048, 0x02000040)
    CREDIT(1, 0x16000021, 0x01000041, 0x01000049, 0x02000041)
    CREDIT(2, 0x16000022, 0x01000042, 0x0100004a, 0x02000042)
    CREDIT(3, 0x16000023, 0x01000043, 0x0100004b, 0x02000043)
    CREDIT(4, 0x16000024, 0x01000044, 0x0100004c, 0x02000044)
    CREDIT(5, 0x16000025, 0x01000045, 0x0100004d, 0x02000045)
    CREDIT(6, 0x16000026, 0x01000046, 0x0100004e, 0x02000046)
    CREDIT(7, 0x16000027, 0x01000047, 0x0100004f, 0x02000047)

    @id(0x01000050)
    action quorum_reached() {
        md.quorum = 1;
    }

    @id(0x02000050)
    table quorum {
        key = {
            md.f : exact;
            md.acked0 : ternary;
            md.acked1 : ternary;
            md.acked2 : ternary;
            md.acked3 : ternary;
            md.acked4 : ternary;
            md.acked5 : ternary;
            md.acked6 : ternary;
            md.acked7 : ternary;
        }
        actions = { quorum_reached; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
#include "quorum_entries.p4"
        }
        size = 256;
    }

    @id(0x16000001) @brief("Highest PSN that a quorum holds")
    Register<bit<32>, bit<16>>(GROUPS) committed;
    RegisterAction<bit<32>, bit<16>, bit<1>>(committed) committed_raise = {
        void apply(inout bit<32> psn, out bit<1> news) {
            if ((int<32>)(psn - md.p) < 0) {
                psn = md.p;
                news = 1;
            } else {
                news = 0;
            }
        }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(committed) committed_raise_get = {
        void apply(inout bit<32> psn, out bit<32> now) {
            if ((int<32>)(psn - md.p) < 0) {
                psn = md.p;
            }
            now = psn;
        }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(committed) committed_get = {
        void apply(inout bit<32> psn, out bit<32> now) {
            now = psn;
        }
    };

    /* An ACK with a quorum. */
    @id(0x01000051)
    action commit() {
        md.news = committed_raise.execute(md.group);
    }

    /* A NAK with a quorum for what is before it. */
    @id(0x01000056)
    action commit_look() {
        md.committed = committed_raise_get.execute(md.group);
    }

    /* A NAK without. */
    @id(0x01000052)
    action look() {
        md.committed = committed_get.execute(md.group);
    }

    @id(0x02000051)
    table commits {
        key = {
            md.class : exact;
            md.quorum : exact;
        }
        actions = { commit; commit_look; look; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (CLASS_ACK, 1) : commit();
            (CLASS_NAK, 1) : commit_look();
            (CLASS_NAK, 0) : look();
        }
        size = 4;
    }

    @id(0x01000053)
    action answer_ack() {
        ig_tm_md.ucast_egress_port = md.leader_port;
        hdr.bridge.kind = KIND_LEADER;
        hdr.bridge.syndrome = md.credit0;
        hdr.bridge.psn = md.p;
    }

    @id(0x01000054)
    action answer_nak() {
        ig_tm_md.ucast_egress_port = md.leader_port;
        hdr.bridge.kind = KIND_LEADER;
        hdr.bridge.syndrome = hdr.aeth.syndrome;
        hdr.bridge.psn = md.committed + 0x100;
    }

    @id(0x01000055)
    action absorb() {
        ig_dprsr_md.drop_ctl = 1;
    }

    @id(0x02000052)
    table answer {
        key = {
            md.class : exact;
            md.quorum : ternary;
            md.news : ternary;
            md.raised0 : ternary;
            md.raised1 : ternary;
            md.raised2 : ternary;
            md.raised3 : ternary;
            md.raised4 : ternary;
            md.raised5 : ternary;
            md.raised6 : ternary;
            md.raised7 : ternary;
        }
        actions = { answer_ack; answer_nak; absorb; }
        const default_action = absorb();
        const entries = {
            (CLASS_ACK, 1, 1, _, _, _, _, _, _, _, _) : answer_ack();
            (CLASS_ACK, 1, _, 0, 0, 0, 0, 0, 0, 0, 0) : answer_ack();
            (CLASS_NAK, _, _, _, _, _, _, _, _, _, _) : answer_nak();
        }
        size = 4;
    }

    apply {
        gathered.count(md.group);
        /* Two ACKs that are handled at once must not both miss the other. */
        @updates_first {
            if (md.members[0:0] == 1) { held0.apply(); }
            if (md.members[1:1] == 1) { held1.apply(); }
            if (md.members[2:2] == 1) { held2.apply(); }
            if (md.members[3:3] == 1) { held3.apply(); }
            if (md.members[4:4] == 1) { held4.apply(); }
            if (md.members[5:5] == 1) { held5.apply(); }
            if (md.members[6:6] == 1) { held6.apply(); }
            if (md.members[7:7] == 1) { held7.apply(); }
        }
        quorum.apply();
        commits.apply();
        if (md.creditors[0:0] == 1) { credits0.apply(); }
        if (md.creditors[1:1] == 1) { credits1.apply(); }
        if (md.creditors[2:2] == 1) { credits2.apply(); }
        if (md.creditors[3:3] == 1) { credits3.apply(); }
        if (md.creditors[4:4] == 1) { credits4.apply(); }
        if (md.creditors[5:5] == 1) { credits5.apply(); }
        if (md.creditors[6:6] == 1) { credits6.apply(); }
        if (md.creditors[7:7] == 1) { credits7.apply(); }
        md.credit0 = min(md.credit0, md.credit1);
        md.credit2 = min(md.credit2, md.credit3);
        md.credit4 = min(md.credit4, md.credit5);
        md.credit6 = min(md.credit6, md.credit7);
        md.credit0 = min(md.credit0, md.credit2);
        md.credit4 = min(md.credit4, md.credit6);
        md.credit0 = min(md.credit0, md.credit4);
        if (md.class == CLASS_NAK) {
            naks.count(md.group);
            if (hdr.aeth.syndrome[6:6] == 1) {
                ig_dprsr_md.digest_type = DIGEST_NAK;
            }
        }
        answer.apply();
        if (ig_dprsr_md.drop_ctl == 0) {
            answered.count(md.group);
        }
    }
}

#endif
