/* What a member remembers of messages: its group's proposals, by the cell of the message.
 *
 *   +--------+   +----------+   +--------------+   +--------------+   +------+
 *   | newest |   | tags     |   | clock, marks |   | lts, seqs    |   | ring |
 *   | number |-->| number,  |-->| role         |-->| groups,      |-->| seq  |
 *   | cell   |   | epoch    |   | + 1, max     |   | digests      |   | cell |
 *   +--------+   +----------+   +--------------+   +--------------+   +------+
 *
 * newest   the message that a cell is about. An older one (a lap behind) is dropped.
 * tags     that message, and the epoch of what the cell says of it. A leader gives a message a
 *          timestamp if the cell does not say this message in its own epoch, and else repeats
 *          what it gave.
 * clock    local time of the group: 1 more for each message (leader), and never below the
 *          timestamp of a proposal that the member has acknowledged.
 * marks    the highest seq. seq is dense: replicas see what is missing.
 * lts, ..  what was given, to whom the message goes, and the digest of its payload.
 * ring     the cell of a seq, for replicas that miss it.
 *
 * On Tofino one packet after the other passes a stage, so that clock and mark of one packet are
 * those of one moment; elsewhere one packet at a time passes all of this (@atomic).
 */
#ifndef P4CE_AMCAST_CELLS_P4
#define P4CE_AMCAST_CELLS_P4

/* A word of a cell: stored for a proposal, compared for one that is repeated, loaded for an
 * answer. Ids: register, actions store, compare, load, table. */
#define WORD(name, field, differs, text, register_id, store_id, compare_id, load_id, table_id) \
    @id(register_id) @brief(text)                                             \
    Register<bit<32>, slot_t>(CELLS) name;                                    \
    RegisterAction<bit<32>, slot_t, bit<1>>(name) name##_put = {              \
        void apply(inout bit<32> x) {                                         \
            x = field;                                                        \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<32>, slot_t, bit<1>>(name) name##_is = {               \
        void apply(inout bit<32> x, out bit<1> other) {                       \
            if (x == field) {                                                 \
                other = 0;                                                    \
            } else {                                                          \
                other = 1;                                                    \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<32>, slot_t, bit<32>>(name) name##_get = {             \
        void apply(inout bit<32> x, out bit<32> now) {                        \
            now = x;                                                          \
        }                                                                     \
    };                                                                        \
    @id(store_id)                                                             \
    action name##_store() {                                                   \
        name##_put.execute(md.slot);                                          \
    }                                                                         \
    @id(compare_id)                                                           \
    action name##_compare() {                                                 \
        differs = name##_is.execute(md.slot);                                 \
    }                                                                         \
    @id(load_id)                                                              \
    action name##_load() {                                                    \
        field = name##_get.execute(md.slot);                                  \
    }                                                                         \
    @id(table_id)                                                             \
    table name##_at {                                                         \
        key = { md.act : exact; md.stale : exact; md.same : ternary; }        \
        actions = { name##_store; name##_compare; name##_load; @defaultonly NoAction; } \
        const default_action = NoAction();                                    \
        const entries = {                                                     \
            (ACT_START, 0, 0) : name##_store();                               \
            (ACT_START, 0, 1) : name##_compare();                             \
            (ACT_OWN, 0, _) : name##_store();                                 \
            (ACT_LOOK, 0, _) : name##_load();                                 \
        }                                                                     \
        size = 4;                                                             \
    }

/* What the leader gave: of a new message `given`, of a proposal that came the field itself, and
 * of what is repeated what the cell says. */
#define GIVEN(name, field, given, text, register_id, first_id, store_id, load_id, table_id) \
    @id(register_id) @brief(text)                                             \
    Register<bit<32>, slot_t>(CELLS) name;                                    \
    RegisterAction<bit<32>, slot_t, bit<32>>(name) name##_give = {            \
        void apply(inout bit<32> x, out bit<32> now) {                        \
            x = given;                                                        \
            now = x;                                                          \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<32>, slot_t, bit<32>>(name) name##_put = {             \
        void apply(inout bit<32> x) {                                         \
            x = field;                                                        \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<32>, slot_t, bit<32>>(name) name##_get = {             \
        void apply(inout bit<32> x, out bit<32> now) {                        \
            now = x;                                                          \
        }                                                                     \
    };                                                                        \
    @id(first_id)                                                             \
    action name##_first() {                                                   \
        field = name##_give.execute(md.slot);                                 \
    }                                                                         \
    @id(store_id)                                                             \
    action name##_store() {                                                   \
        name##_put.execute(md.slot);                                          \
    }                                                                         \
    @id(load_id)                                                              \
    action name##_load() {                                                    \
        field = name##_get.execute(md.slot);                                  \
    }                                                                         \
    @id(table_id)                                                             \
    table name##_at {                                                         \
        key = { md.act : exact; md.stale : exact; md.same : ternary; }        \
        actions = { name##_first; name##_store; name##_load; @defaultonly NoAction; } \
        const default_action = NoAction();                                    \
        const entries = {                                                     \
            (ACT_START, 0, 0) : name##_first();                               \
            (ACT_START, 0, 1) : name##_load();                                \
            (ACT_OWN, 0, _) : name##_store();                                 \
            (ACT_LOOK, 0, _) : name##_load();                                 \
        }                                                                     \
        size = 4;                                                             \
    }

control Cells(inout headers_t hdr, inout ingress_metadata_t md) {
    @id(0x16000001) @brief("Newest message of a cell, by its number")
    Register<bit<32>, slot_t>(CELLS) newest;
    RegisterAction<bit<32>, slot_t, bit<1>>(newest) newest_raise = {
        void apply(inout bit<32> number, out bit<1> stale) {
            if ((int<32>)(number - hdr.amcast.number) > 0) {
                stale = 1;
            } else {
                number = hdr.amcast.number;
                stale = 0;
            }
        }
    };
    RegisterAction<bit<32>, slot_t, bit<32>>(newest) newest_get = {
        void apply(inout bit<32> number, out bit<32> now) {
            now = number;
        }
    };

    @id(0x01000040)
    action raise() {
        md.stale = newest_raise.execute(md.slot);
    }

    @id(0x01000041)
    action look() {
        hdr.amcast.number = newest_get.execute(md.slot);
    }

    @id(0x02000040)
    table cell {
        key = { md.act : exact; }
        actions = { raise; look; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            ACT_START : raise();
            ACT_OWN : raise();
            ACT_ACK : raise();
            ACT_LOOK : look();
        }
        size = 4;
    }

    @id(0x16000002) @brief("Message of a cell, and the epoch (of a deliverer: the epochs) of what it says")
    Register<tag_t, slot_t>(CELLS) tags;
    RegisterAction<tag_t, slot_t, bit<1>>(tags) tag_is = {
        void apply(inout tag_t tag, out bit<1> same) {
            if (tag.number == hdr.amcast.number && tag.epoch == md.tag) {
                same = 1;
            } else {
                same = 0;
                tag.number = hdr.amcast.number;
                tag.epoch = md.tag;
            }
        }
    };
    RegisterAction<tag_t, slot_t, bit<32>>(tags) tag_get = {
        void apply(inout tag_t tag, out bit<32> epoch) {
            epoch = tag.epoch;
        }
    };

    @id(0x01000042)
    action mark_cell() {
        md.same = tag_is.execute(md.slot);
    }

    @id(0x01000043)
    action look_epoch() {
        hdr.amcast.epoch = tag_get.execute(md.slot);
    }

    @id(0x02000041)
    table tag {
        key = { md.act : exact; md.stale : exact; md.late : ternary; }
        actions = { mark_cell; look_epoch; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (ACT_START, 0, _) : mark_cell();
            (ACT_OWN, 0, _) : mark_cell();
            (ACT_ACK, 0, 0) : mark_cell();
            (ACT_LOOK, 0, _) : look_epoch();
        }
        size = 4;
    }

    @id(0x16000003) @brief("Clock of a group")
    Register<bit<32>, role_t>(1 << ROLE_BITS) clock;
    RegisterAction<bit<32>, role_t, bit<32>>(clock) clock_next = {
        void apply(inout bit<32> time, out bit<32> now) {
            time = time + 1;
            now = time;
        }
    };
    RegisterAction<bit<32>, role_t, bit<32>>(clock) clock_raise = {
        void apply(inout bit<32> time, out bit<32> now) {
            if (time < hdr.amcast.lts) {
                time = hdr.amcast.lts;
            }
            now = time;
        }
    };
    RegisterAction<bit<32>, role_t, bit<32>>(clock) clock_get = {
        void apply(inout bit<32> time, out bit<32> now) {
            now = time;
        }
    };

    @id(0x01000044)
    action next_time() {
        hdr.amcast.clock = clock_next.execute(md.role);
    }

    @id(0x01000045)
    action raise_time() {
        hdr.amcast.clock = clock_raise.execute(md.role);
    }

    @id(0x01000046)
    action same_time() {
        hdr.amcast.clock = clock_get.execute(md.role);
    }

    @id(0x02000042)
    table time {
        key = { md.act : exact; md.stale : ternary; md.same : ternary; }
        actions = { next_time; raise_time; same_time; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (ACT_START, 0, 0) : next_time();
            (ACT_START, _, _) : same_time();
            (ACT_OWN, 0, _) : raise_time();
            (ACT_OTHER, _, _) : raise_time();
            (ACT_ASK, _, _) : same_time();
            (ACT_LOOK, _, _) : same_time();
        }
        size = 8;
    }

    @id(0x16000004) @brief("Highest seq of a group")
    Register<bit<32>, role_t>(1 << ROLE_BITS) marks;
    RegisterAction<bit<32>, role_t, bit<32>>(marks) mark_next = {
        void apply(inout bit<32> highest, out bit<32> now) {
            highest = highest + 1;
            now = highest;
        }
    };
    RegisterAction<bit<32>, role_t, bit<32>>(marks) mark_raise = {
        void apply(inout bit<32> highest, out bit<32> now) {
            if (highest < hdr.amcast.seq) {
                highest = hdr.amcast.seq;
            }
            now = highest;
        }
    };
    RegisterAction<bit<32>, role_t, bit<32>>(marks) mark_get = {
        void apply(inout bit<32> highest, out bit<32> now) {
            now = highest;
        }
    };

    @id(0x01000047)
    action next_mark() {
        hdr.amcast.mark = mark_next.execute(md.role);
    }

    @id(0x01000048)
    action raise_mark() {
        hdr.amcast.mark = mark_raise.execute(md.role);
    }

    @id(0x01000049)
    action same_mark() {
        hdr.amcast.mark = mark_get.execute(md.role);
    }

    @id(0x02000043)
    table mark {
        key = { md.act : exact; md.stale : ternary; md.same : ternary; }
        actions = { next_mark; raise_mark; same_mark; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (ACT_START, 0, 0) : next_mark();
            (ACT_START, _, _) : same_mark();
            (ACT_OWN, 0, _) : raise_mark();
            (ACT_OTHER, _, _) : same_mark();
            (ACT_ASK, _, _) : same_mark();
            (ACT_LOOK, _, _) : same_mark();
        }
        size = 8;
    }

    WORD(groups, hdr.amcast.groups, md.other, "Destinations of the message of a cell", 0x16000005, 0x01000050, 0x01000051, 0x01000052, 0x02000050)
    WORD(digests, hdr.amcast.digest, md.other_digest, "Digest of its payload", 0x16000006, 0x01000053, 0x01000054, 0x01000055, 0x02000051)
    GIVEN(lts, hdr.amcast.lts, hdr.amcast.clock, "Its local timestamp", 0x16000007, 0x01000056, 0x01000057, 0x01000058, 0x02000052)
    GIVEN(seqs, hdr.amcast.seq, hdr.amcast.mark, "Its seq", 0x16000008, 0x01000059, 0x0100005a, 0x0100005b, 0x02000053)

    @id(0x0100005c)
    action by_mark() {
        md.ring = md.role ++ hdr.amcast.mark[CELL_BITS-1:0];
    }

    @id(0x0100005d)
    action by_seq() {
        md.ring = md.role ++ hdr.amcast.seq[CELL_BITS-1:0];
    }

    @id(0x02000054)
    table ring_index {
        key = { md.act : exact; }
        actions = { by_mark; by_seq; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            ACT_START : by_mark();
            ACT_OWN : by_seq();
            ACT_ASK : by_seq();
        }
        size = 4;
    }

    @id(0x16000009) @brief("Seq of a place of a ring")
    Register<bit<32>, slot_t>(CELLS) ring_seqs;
    RegisterAction<bit<32>, slot_t, bit<1>>(ring_seqs) ring_take = {
        void apply(inout bit<32> seq, out bit<1> mine) {
            if ((int<32>)(seq - hdr.amcast.seq) > 0) {
                mine = 0;
            } else {
                seq = hdr.amcast.seq;
                mine = 1;
            }
        }
    };
    RegisterAction<bit<32>, slot_t, bit<1>>(ring_seqs) ring_is = {
        void apply(inout bit<32> seq, out bit<1> mine) {
            if (seq == hdr.amcast.seq) {
                mine = 1;
            } else {
                mine = 0;
            }
        }
    };

    @id(0x0100005e)
    action take_place() {
        md.placed = ring_take.execute(md.ring);
    }

    @id(0x0100005f)
    action find_place() {
        md.placed = ring_is.execute(md.ring);
    }

    @id(0x02000055)
    table place {
        key = { md.act : exact; md.stale : ternary; md.same : ternary; }
        actions = { take_place; find_place; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (ACT_START, 0, 0) : take_place();
            (ACT_OWN, 0, _) : take_place();
            (ACT_ASK, _, _) : find_place();
        }
        size = 4;
    }

    @id(0x1600000a) @brief("What that seq is (RING_*)")
    Register<bit<32>, slot_t>(CELLS) ring;
    RegisterAction<bit<32>, slot_t, bit<32>>(ring) ring_put = {
        void apply(inout bit<32> what) {
            what = md.here;
        }
    };
    RegisterAction<bit<32>, slot_t, bit<32>>(ring) ring_get = {
        void apply(inout bit<32> what, out bit<32> now) {
            now = what;
        }
    };

    @id(0x01000072)
    action note() {
        ring_put.execute(md.ring);
    }

    @id(0x01000073)
    action tell() {
        hdr.amcast.digest = ring_get.execute(md.ring);
    }

    @id(0x01000074)
    action not_known() {
        hdr.amcast.digest = 0;
    }

    @id(0x02000056)
    table ring_at {
        key = { md.act : exact; md.placed : exact; }
        actions = { note; tell; not_known; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (ACT_START, 1) : note();
            (ACT_OWN, 1) : note();
            (ACT_ASK, 1) : tell();
            (ACT_ASK, 0) : not_known();
        }
        size = 4;
    }

    Bits() bits;
    Tally() tally;
    Decision() decision;

    apply {
        md.slot = md.role ++ hdr.amcast.client[CLIENT_BITS-1:0] ++ hdr.amcast.number[WINDOW_BITS-1:0];
        md.row = md.role ++ hdr.amcast.client[CLIENT_BITS-1:0] ++ hdr.amcast.number[WINDOW_BITS-1:0] ++
            hdr.amcast.from_slot[1:0];
        md.here = (bit<32>)(hdr.amcast.client[CLIENT_BITS-1:0] ++ hdr.amcast.number[WINDOW_BITS-1:0]);
        md.here = md.here | RING_HERE;
        WHEN(md.act == ACT_ACK) {
            bits.apply(hdr, md);
        }
        @atomic {
            cell.apply();
            tag.apply();
            WHEN(md.act != ACT_ACK) {
                time.apply();
                mark.apply();
                groups_at.apply();
                digests_at.apply();
                lts_at.apply();
                seqs_at.apply();
                ring_index.apply();
                place.apply();
                ring_at.apply();
            }
            WHEN(md.act == ACT_ACK && md.stale == 0 && md.late == 0) {
                tally.apply(hdr, md);
            }
        }
        decision.apply(md);
    }
}

#endif
