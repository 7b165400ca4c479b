/* Replicas -> leader: cumulative acknowledgements per replica, quorum, credits.
 *
 *   acked0..7   +---------+         +-----------+
 *   ----------> | quorum  | ------> | committed | ---+
 *   (slots.p4)  | (const) |         | max(p)    |    v
 *               +---------+         +-----------+  answer: to the leader, or absorbed
 *               +---------+ +---------+              ^
 *               | credit0 |.| credit7 | --> min -----+
 *               +---------+ +---------+  again0..7
 *
 * creditN    latest credit code of replica N, starts at 0x1f (unlimited); and the
 *            highest PSN that it has spoken of, which starts like the slots.
 * committed  highest PSN that a quorum holds; starts like the slots.
 *
 * An ACK of p goes to the leader when at least f replicas hold p and the leader
 * has not been told (committed rises), or when its replica says it again: the
 * leader asked again because an answer was lost. All others are absorbed here. A
 * NAK or RNR NAK always goes, with PSN committed + 1: the leader must not learn
 * from it that more is held than a quorum holds. What a slot says that is out
 * goes nowhere.
 */
#ifndef P4CE_GATHER_P4
#define P4CE_GATHER_P4

/* One register per slot for credits: set by the slot's own replica, read by
 * the others. Whether a replica repeats itself is looked at here, and not in
 * its slot, because a stateful ALU gives one answer: the slot says whether it
 * is out. The tables are not in one block of an if: Tofino would have to
 * finish it before anything else. Ids: register, actions update, query, note,
 * table. */
#define CREDIT(n, register_id, update_id, query_id, note_id, table_id)        \
    @id(register_id)                                                          \
    Register<credit_t, bit<16>>(GROUPS, {0, 0x1f}) credit##n;                 \
    RegisterAction<credit_t, bit<16>, bit<1>>(credit##n) credit##n##_set = {  \
        void apply(inout credit_t last, out bit<1> again) {                   \
            if ((int<32>)(last.psn - md.p) < 0) {                             \
                last.psn = md.p;                                              \
                again = 0;                                                    \
            } else {                                                          \
                again = 1;                                                    \
            }                                                                 \
            last.code = md.code;                                              \
        }                                                                     \
    };                                                                        \
    RegisterAction<credit_t, bit<16>, bit<8>>(credit##n) credit##n##_get = {  \
        void apply(inout credit_t last, out bit<8> code) {                    \
            code = last.code[7:0];                                            \
        }                                                                     \
    };                                                                        \
    RegisterAction<credit_t, bit<16>, bit<1>>(credit##n) credit##n##_spoke = {\
        void apply(inout credit_t last) {                                     \
            if ((int<32>)(last.psn - md.p) < 0) {                             \
                last.psn = md.p;                                              \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    @id(update_id)                                                            \
    action credit##n##_update() {                                             \
        md.again##n = credit##n##_set.execute(md.group);                      \
        md.credit##n = hdr.aeth.syndrome;                                     \
    }                                                                         \
    @id(query_id)                                                             \
    action credit##n##_query() {                                              \
        md.credit##n = credit##n##_get.execute(md.group);                     \
    }                                                                         \
    @id(note_id)                                                              \
    action credit##n##_note() {                                               \
        credit##n##_spoke.execute(md.group);                                  \
    }                                                                         \
    @id(table_id)                                                             \
    table credits##n {                                                        \
        key = { md.class : exact; md.slot : ternary; md.acked##n : ternary; } \
        actions = { credit##n##_update; credit##n##_query; credit##n##_note; @defaultonly NoAction; }\
        const default_action = NoAction();                                    \
        const entries = {                                                     \
            (CLASS_ACK, n, 1) : credit##n##_update();                         \
            (CLASS_ACK, _, _) : credit##n##_query();                          \
            (CLASS_NAK, n, 1) : credit##n##_note();                           \
        }                                                                     \
        size = 4;                                                             \
    }

control Gather(inout headers_t hdr, inout gather_metadata_t md, inout bit<3> drop_ctl) {
    @id(0x12000002) @brief("ACKs and NAKs of replicas, per group")
    Counter<bit<64>, bit<16>>(GROUPS, CounterType_t.PACKETS) gathered;
    @id(0x12000003) @brief("ACKs and NAKs sent to the leader, per group")
    Counter<bit<64>, bit<16>>(GROUPS, CounterType_t.PACKETS) answered;
    @id(0x12000004) @brief("NAKs and RNR NAKs of replicas, per group")
    Counter<bit<64>, bit<16>>(GROUPS, CounterType_t.PACKETS) naks;

    CREDIT(0, 0x16000020, 0x01000040, 0x01000048, 0x01000088, 0x02000040)
    CREDIT(1, 0x16000021, 0x01000041, 0x01000049, 0x01000089, 0x02000041)
    CREDIT(2, 0x16000022, 0x01000042, 0x0100004a, 0x0100008a, 0x02000042)
    CREDIT(3, 0x16000023, 0x01000043, 0x0100004b, 0x0100008b, 0x02000043)
    CREDIT(4, 0x16000024, 0x01000044, 0x0100004c, 0x0100008c, 0x02000044)
    CREDIT(5, 0x16000025, 0x01000045, 0x0100004d, 0x0100008d, 0x02000045)
    CREDIT(6, 0x16000026, 0x01000046, 0x0100004e, 0x0100008e, 0x02000046)
    CREDIT(7, 0x16000027, 0x01000047, 0x0100004f, 0x0100008f, 0x02000047)

    @id(0x01000058)
    action slot_heard() {
        md.heard = 1;
    }

    /* The slot that speaks is not out. */
    @id(0x02000058)
    table heard {
        key = {
            md.slot[2:0] : exact @name("slot");
            md.acked0 : ternary;
            md.acked1 : ternary;
            md.acked2 : ternary;
            md.acked3 : ternary;
            md.acked4 : ternary;
            md.acked5 : ternary;
            md.acked6 : ternary;
            md.acked7 : ternary;
        }
        actions = { slot_heard; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (0, 1, _, _, _, _, _, _, _) : slot_heard();
            (1, _, 1, _, _, _, _, _, _) : slot_heard();
            (2, _, _, 1, _, _, _, _, _) : slot_heard();
            (3, _, _, _, 1, _, _, _, _) : slot_heard();
            (4, _, _, _, _, 1, _, _, _) : slot_heard();
            (5, _, _, _, _, _, 1, _, _) : slot_heard();
            (6, _, _, _, _, _, _, 1, _) : slot_heard();
            (7, _, _, _, _, _, _, _, 1) : slot_heard();
        }
        size = 8;
    }

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
            md.heard : exact;
            md.quorum : exact;
        }
        actions = { commit; commit_look; look; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (CLASS_ACK, 1, 1) : commit();
            (CLASS_NAK, 1, 1) : commit_look();
            (CLASS_NAK, 1, 0) : look();
        }
        size = 4;
    }

    @id(0x01000053)
    action answer_ack() {
        answered.count(md.group);
    }

    @id(0x01000054)
    action answer_nak() {
        answered.count(md.group);
    }

    @id(0x01000055)
    action absorb() {
        drop_ctl = 1;
    }

    @id(0x02000052)
    table answer {
        key = {
            md.class : exact;
            md.heard : ternary;
            md.quorum : ternary;
            md.news : ternary;
            md.again0 : ternary;
            md.again1 : ternary;
            md.again2 : ternary;
            md.again3 : ternary;
            md.again4 : ternary;
            md.again5 : ternary;
            md.again6 : ternary;
            md.again7 : ternary;
        }
        actions = { answer_ack; answer_nak; absorb; }
        const default_action = absorb();
        const entries = {
            (CLASS_ACK, 1, 1, 1, _, _, _, _, _, _, _, _) : answer_ack();
            (CLASS_ACK, 1, 1, _, 1, _, _, _, _, _, _, _) : answer_ack();
            (CLASS_ACK, 1, 1, _, _, 1, _, _, _, _, _, _) : answer_ack();
            (CLASS_ACK, 1, 1, _, _, _, 1, _, _, _, _, _) : answer_ack();
            (CLASS_ACK, 1, 1, _, _, _, _, 1, _, _, _, _) : answer_ack();
            (CLASS_ACK, 1, 1, _, _, _, _, _, 1, _, _, _) : answer_ack();
            (CLASS_ACK, 1, 1, _, _, _, _, _, _, 1, _, _) : answer_ack();
            (CLASS_ACK, 1, 1, _, _, _, _, _, _, _, 1, _) : answer_ack();
            (CLASS_ACK, 1, 1, _, _, _, _, _, _, _, _, 1) : answer_ack();
            (CLASS_NAK, 1, _, _, _, _, _, _, _, _, _, _) : answer_nak();
        }
        size = 16;
    }

    apply {
        md.code = (bit<32>)hdr.aeth.syndrome;
        gathered.count(md.group);
        heard.apply();
        quorum.apply();
        commits.apply();
        if (md.class == CLASS_NAK) {
            hdr.bridge.psn = md.committed + PSN_ONE;
        }
#ifdef GATHER_IN_EGRESS
        hdr.bth.psn_word[PSN_BITS-1:0] = hdr.bridge.psn[31:PSN_SHIFT];
#endif
        if (md.members[0:0] == 1) { credits0.apply(); }
        if (md.members[1:1] == 1) { credits1.apply(); }
        if (md.members[2:2] == 1) { credits2.apply(); }
        if (md.members[3:3] == 1) { credits3.apply(); }
        if (md.members[4:4] == 1) { credits4.apply(); }
        if (md.members[5:5] == 1) { credits5.apply(); }
        if (md.members[6:6] == 1) { credits6.apply(); }
        if (md.members[7:7] == 1) { credits7.apply(); }
        md.credit0 = min(md.credit0, md.credit1);
        md.credit2 = min(md.credit2, md.credit3);
        md.credit4 = min(md.credit4, md.credit5);
        md.credit6 = min(md.credit6, md.credit7);
        md.credit0 = min(md.credit0, md.credit2);
        md.credit4 = min(md.credit4, md.credit6);
        /* Not in the action of an answer, which would have to wait for it. */
        hdr.bridge.syndrome = min(md.credit0, md.credit4);
        if (md.heard == 0) {
            md.answer_drop = DROP_SLOT_OUT;
        } else if (md.class == CLASS_NAK) {
            naks.count(md.group);
        }
        answer.apply();
    }
}

#endif
