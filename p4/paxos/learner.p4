/* Votes are counted, a bit for each acceptor (paper, algorithm 3).
 *
 *   +-------------+   +---------+   +---------+   +-------+   +----------+
 *   | voters      |   | members |   | counted |   | bits  |   | majority | now and not before:
 *   | app, rnd,   |-->| app,    |-->| cell    |-->| cell  |-->|          | chosen, once
 *   | src -> bit  |   | rnd     |   | := rnd  |   | |=bit |   |          |
 *   +-------------+   +---------+   +---------+   +-------+   +----------+
 *
 * voters    who the acceptors of a round are, and which bit each has. Votes of others, or in a
 *           round that nobody has, do not count. A round has one configuration.
 * members   how many there are.
 * counted   per cell the instance, and the round whose votes are counted: the highest seen.
 * bits      who has voted in that round. A vote that comes twice counts once.
 */
#ifndef P4CE_PAXOS_LEARNER_P4
#define P4CE_PAXOS_LEARNER_P4

/* More than half of 1 to 8 acceptors, which have the lowest bits: any so many of them. */
#define MAJORITY(table_name, bits_field, action_name, result, action_id, table_id) \
    @id(action_id)                                                            \
    action action_name() {                                                    \
        result = 1;                                                           \
    }                                                                         \
    @id(table_id)                                                             \
    table table_name {                                                        \
        key = { md.members : exact; bits_field : ternary; }                   \
        actions = { action_name; @defaultonly NoAction; }                     \
        const default_action = NoAction();                                    \
        const entries = {                                                     \
            (1, 0x01 &&& 0x01) : action_name();                               \
            (2, 0x03 &&& 0x03) : action_name();                               \
            (3, 0x03 &&& 0x03) : action_name();                               \
            (3, 0x05 &&& 0x05) : action_name();                               \
            (3, 0x06 &&& 0x06) : action_name();                               \
            (4, 0x07 &&& 0x07) : action_name();                               \
            (4, 0x0b &&& 0x0b) : action_name();                               \
            (4, 0x0d &&& 0x0d) : action_name();                               \
            (4, 0x0e &&& 0x0e) : action_name();                               \
            (5, 0x07 &&& 0x07) : action_name();                               \
            (5, 0x0b &&& 0x0b) : action_name();                               \
            (5, 0x0d &&& 0x0d) : action_name();                               \
            (5, 0x0e &&& 0x0e) : action_name();                               \
            (5, 0x13 &&& 0x13) : action_name();                               \
            (5, 0x15 &&& 0x15) : action_name();                               \
            (5, 0x16 &&& 0x16) : action_name();                               \
            (5, 0x19 &&& 0x19) : action_name();                               \
            (5, 0x1a &&& 0x1a) : action_name();                               \
            (5, 0x1c &&& 0x1c) : action_name();                               \
        }                                                                     \
        size = 32;                                                            \
    }

control Learner(inout headers_t hdr, inout ingress_metadata_t md) {
    @id(0x01000080)
    action voter(bit<8> bit_) {
        md.voter = bit_;
    }

    @id(0x02000080)
    table voters {
        key = {
            md.app : exact;
            hdr.paxos.rnd : exact;
            hdr.ipv4.src : exact;
        }
        actions = { voter; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 1024;
    }

    @id(0x01000081)
    action learn_for(bit<4> members, MulticastGroupId_t group) {
        md.learns = 1;
        md.members = members;
        md.learns_group = group;
    }

    @id(0x02000081)
    table members {
        key = { md.app : exact; hdr.paxos.rnd : exact; }
        actions = { learn_for; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 256;
    }

    @id(0x16000040) @brief("Instance of a cell, and the round whose votes are counted")
    Register<cell_t, bit<16>>(CELLS) counted;
    RegisterAction<cell_t, bit<16>, bit<32>>(counted) count_round = {
        void apply(inout cell_t cell, out bit<32> before) {
            if (cell.inst == hdr.paxos.inst) {
                before = cell.rnd;
            } else {
                before = 0;
            }
            if (!(cell.inst == hdr.paxos.inst && cell.rnd > hdr.paxos.rnd)) {
                cell.inst = hdr.paxos.inst;
                cell.rnd = hdr.paxos.rnd;
            }
        }
    };

    @id(0x16000041) @brief("Acceptors that have voted in that round")
    Register<bit<8>, bit<16>>(CELLS) bits;
    RegisterAction<bit<8>, bit<16>, bit<8>>(bits) bits_begin = {
        void apply(inout bit<8> all, out bit<8> before) {
            before = 0;
            all = md.voter;
        }
    };
    RegisterAction<bit<8>, bit<16>, bit<8>>(bits) bits_add = {
        void apply(inout bit<8> all, out bit<8> before) {
            before = all;
            all = all | md.voter;
        }
    };

    @id(0x01000082)
    action begin() {
        md.before = bits_begin.execute(md.cell);
    }

    @id(0x01000083)
    action add() {
        md.before = bits_add.execute(md.cell);
    }

    @id(0x01000084)
    action stale() {
        md.drop = DROP_STALE;
    }

    /* newer is the round of this vote minus that of those counted: a difference of rounds,
     * which are below 2^31. */
    @id(0x02000082)
    table count {
        key = { md.newer : ternary; }
        actions = { begin; add; stale; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            0 &&& 0xffffffff : add();
            0x80000000 &&& 0x80000000 : stale();
            _ : begin();
        }
        size = 4;
    }

    MAJORITY(before, md.before, had_majority, md.was, 0x01000085, 0x02000083)
    MAJORITY(now, md.now, has_majority, md.chosen, 0x01000086, 0x02000084)

    apply {
        if (md.act == ACT_LEARN) {
            voters.apply();
        }
        if (md.voter == 0) {
            md.drop = DROP_ROUND;
        } else {
            members.apply();
            if (md.learns == 1) {
                @atomic {
                    md.counted = count_round.execute(md.cell);
                    md.newer = hdr.paxos.rnd - md.counted;
                    count.apply();
                }
                md.now = md.before | md.voter;
                before.apply();
                now.apply();
                if (md.drop == DROP_NONE && md.chosen == 1 && (md.was == 0 || hdr.paxos.flags == FLAG_AGAIN)) {
                    md.became = md.became | BECAME_DELIVER;
                }
            } else if (md.act == ACT_LEARN) {
                md.drop = DROP_ROUND;
            }
        }
    }
}

#endif
