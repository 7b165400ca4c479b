/* What is under way in a group, and what each replica holds of it.
 *
 *   request            +--------+ moves the window   +-------+     +-------+
 *   (of the leader) -> |        | -----------------> | slot0 | ... | slot7 | out, when
 *                      |  sent  |                    |       |     |       | left behind
 *   ACK, NAK --------> |        | p is in the window | max(p)|     | >= p? |
 *   (of a replica)     +--------+ -----------------> +-------+     +-------+
 *                          | it is not: dropped          |  acked0..7, heard
 *                          v                             v
 *
 * sent   highest PSN that the leader has sent, in the shifted domain like all
 *        that follows. The controller starts it at the group's first PSN - 1.
 * slotN  highest PSN that replica N has acknowledged, in the leader's numbering,
 *        and whether it is out. Starts at the first PSN - 1, and not out.
 *
 * The window are the WINDOW PSNs up to sent. Two rules keep a PSN from meaning
 * two things:
 *
 *   - An ACK or NAK counts only when its PSN is in the window. A replica that
 *     waits for PSN e while the leader is half of all PSNs further takes new
 *     packets for old ones, and acknowledges e - 1 again: which looks as if it
 *     were ahead of the leader.
 *   - A slot that the window has left behind is out: it does not count, is not
 *     answered, and sets no credits, whatever its replica says. After all PSNs
 *     its replica would take the leader's PSN e for the one it waits for, and go
 *     on with a hole of 2^24 packets. Only the controller ends that, by setting
 *     the slot up anew.
 *
 * Where the egress gathers, a request that is refused moves nothing: its copy never gets there.
 *
 * Both ends of the window come from the leader's own packets; no ACK moves it.
 * One packet moves it by less than WINDOW: a leader that went further at once
 * would have sent what it has no room for, and a damaged request (its ICRC is
 * behind a payload that a switch does not see) shall not put all slots out.
 *
 * On targets that handle packets at the same time, an ACK may meet a slot that
 * the window has just left behind, before the request that moved it does. It
 * counts as if it had come a little earlier: what its PSN means was looked at
 * when sent was.
 */
#ifndef P4CE_SLOTS_P4
#define P4CE_SLOTS_P4

/* One register per slot: raised to p by the slot's own replica, compared with p
 * by the others, and with the beginning of the window by requests. PSNs are
 * compared circularly, which is right for a slot that is not out: it is less
 * than WINDOW behind sent, and so is p. Each slot has a bit of its own for its
 * answer: on Tofino, tables that write one field need one stage after another.
 * Ids: register, actions update, query, expire, table. */
#define SLOT(n, register_id, update_id, query_id, expire_id, table_id)        \
    @id(register_id)                                                          \
    Register<slot_t, bit<16>>(GROUPS, {0, 0}) slot##n;                        \
    RegisterAction<slot_t, bit<16>, bit<1>>(slot##n) slot##n##_raise = {      \
        void apply(inout slot_t held, out bit<1> heard) {                     \
            if (held.lost == 0 && (int<32>)(held.psn - md.p) < 0) {           \
                held.psn = md.p;                                              \
            }                                                                 \
            if (held.lost == 0) {                                             \
                heard = 1;                                                    \
            } else {                                                          \
                heard = 0;                                                    \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    RegisterAction<slot_t, bit<16>, bit<1>>(slot##n) slot##n##_holds = {      \
        void apply(inout slot_t held, out bit<1> acked) {                     \
            if (held.lost == 0 && (int<32>)(held.psn - md.p) >= 0) {          \
                acked = 1;                                                    \
            } else {                                                          \
                acked = 0;                                                    \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    RegisterAction<slot_t, bit<16>, bit<1>>(slot##n) slot##n##_leave = {      \
        void apply(inout slot_t held) {                                       \
            if ((int<32>)(held.psn - md.edge) < 0) {                          \
                held.lost = 1;                                                \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    @id(update_id)                                                            \
    action slot##n##_update() {                                               \
        md.acked##n = slot##n##_raise.execute(md.group);                      \
    }                                                                         \
    @id(query_id) @after_updates                                              \
    action slot##n##_query() {                                                \
        md.acked##n = slot##n##_holds.execute(md.group);                      \
    }                                                                         \
    @id(expire_id) @after_updates                                             \
    action slot##n##_expire() {                                               \
        slot##n##_leave.execute(md.group);                                    \
    }                                                                         \
    @id(table_id)                                                             \
    table held##n {                                                           \
        key = { md.slot : ternary; }                                          \
        actions = { slot##n##_update; slot##n##_query; slot##n##_expire; @defaultonly NoAction; }\
        const default_action = NoAction();                                    \
        const entries = {                                                     \
            n : slot##n##_update();                                           \
            SLOT_LEADER : slot##n##_expire();                                 \
            _ : slot##n##_query();                                            \
        }                                                                     \
        size = 4;                                                             \
    }

/* Is p under way? */
control Window(inout gather_metadata_t md) {
    @id(0x16000003) @brief("Highest PSN that the leader has sent")
    Register<bit<32>, bit<16>>(GROUPS) sent;

    /* A request of PSN p: edge is the first PSN of the window that p ends. */
    RegisterAction<bit<32>, bit<16>, bit<1>>(sent) sent_raise = {
        void apply(inout bit<32> psn, out bit<1> moved) {
            if ((int<32>)(psn - md.p) < 0 && (int<32>)(psn - md.edge) >= 0) {
                psn = md.p;
                moved = 1;
            } else {
                moved = 0;
            }
        }
    };

    /* An ACK of p: edge is the last PSN of the window that p begins. */
    RegisterAction<bit<32>, bit<16>, bit<1>>(sent) sent_covers = {
        void apply(inout bit<32> psn, out bit<1> under_way) {
            if ((int<32>)(psn - md.p) >= 0 && (int<32>)(psn - md.edge) <= 0) {
                under_way = 1;
            } else {
                under_way = 0;
            }
        }
    };

    @id(0x01000090)
    action request() {
        md.fresh = sent_raise.execute(md.group);
    }

    @id(0x01000091)
    action response() {
        md.fresh = sent_covers.execute(md.group);
        /* Not in the parser: it writes few constants a cycle, and would be slower. */
        md.credit0 = CREDIT_UNLIMITED;
        md.credit1 = CREDIT_UNLIMITED;
        md.credit2 = CREDIT_UNLIMITED;
        md.credit3 = CREDIT_UNLIMITED;
        md.credit4 = CREDIT_UNLIMITED;
        md.credit5 = CREDIT_UNLIMITED;
        md.credit6 = CREDIT_UNLIMITED;
        md.credit7 = CREDIT_UNLIMITED;
    }

    @id(0x02000090)
    table window {
        key = { md.class : ternary; }
        actions = { request; response; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            CLASS_COPY : request();
            CLASS_WRITE : request();
            CLASS_ACK : response();
            CLASS_NAK : response();
        }
        size = 4;
    }

    apply {
        window.apply();
    }
}

/* Who holds it? */
control Slots(inout gather_metadata_t md) {
    SLOT(0, 0x16000010, 0x01000030, 0x01000038, 0x01000080, 0x02000030)
    SLOT(1, 0x16000011, 0x01000031, 0x01000039, 0x01000081, 0x02000031)
    SLOT(2, 0x16000012, 0x01000032, 0x0100003a, 0x01000082, 0x02000032)
    SLOT(3, 0x16000013, 0x01000033, 0x0100003b, 0x01000083, 0x02000033)
    SLOT(4, 0x16000014, 0x01000034, 0x0100003c, 0x01000084, 0x02000034)
    SLOT(5, 0x16000015, 0x01000035, 0x0100003d, 0x01000085, 0x02000035)
    SLOT(6, 0x16000016, 0x01000036, 0x0100003e, 0x01000086, 0x02000036)
    SLOT(7, 0x16000017, 0x01000037, 0x0100003f, 0x01000087, 0x02000037)

    apply {
        if (md.fresh == 1) {
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
        }
    }
}

#endif
