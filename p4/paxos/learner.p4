/* Votes are counted, a bit for each acceptor (paper, algorithm 3).
 *
 *   +---------+   +-------+   +----------+
 *   | counted |   | bits  |   | majority | with this vote, and not without: chosen
 *   | cell    |-->| cell  |-->|          |
 *   | := rnd  |   | |=bit |   |          |
 *   +---------+   +-------+   +----------+
 *
 * counted   per cell the instance, and the round whose votes are counted: the highest seen.
 * bits      who has voted in that round. A vote that comes twice counts once.
 *
 * Votes that this switch itself gives are counted as those that come; but not what it says again
 * (QUERY), which goes to the learners elsewhere.
 */
#ifndef P4CE_PAXOS_LEARNER_P4
#define P4CE_PAXOS_LEARNER_P4

control Learner(inout headers_t hdr, inout ingress_metadata_t md) {
    @id(0x16000040) @brief("Instance of a cell, and the round whose votes are counted")
    Register<cell_t, slot_t>(CELLS) counted;
    RegisterAction<cell_t, slot_t, bit<32>>(counted) count_round = {
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
    Register<bit<8>, slot_t>(CELLS) bits;
    RegisterAction<bit<8>, slot_t, bit<8>>(bits) bits_begin = {
        void apply(inout bit<8> all, out bit<8> before) {
            before = 0;
            all = md.voter;
        }
    };
    RegisterAction<bit<8>, slot_t, bit<8>>(bits) bits_add = {
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
    action too_late() {
        md.stale = 1;
    }

    /* newer is the round of this vote minus that of those counted: a difference of rounds,
     * which are below 2^31. */
    @id(0x02000082)
    table count {
        key = { md.counts : exact; md.newer : ternary; }
        actions = { begin; add; too_late; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (1, 0 &&& 0xffffffff) : add();
            (1, 0x80000000 &&& 0x80000000) : too_late();
            (1, _) : begin();
        }
        size = 4;
    }

    @id(0x01000087)
    action take() {
        md.counts = 1;
        md.counted = count_round.execute(md.cell);
    }

    @id(0x01000088)
    action nobody() {
    }

    /* Votes that come, and those that this switch itself has given. */
    @id(0x02000085)
    table counting {
        key = {
            md.learns : exact;
            md.alive : exact;
            md.act : exact;
            md.counted_here : ternary;
            md.promised : exact;
            md.known : ternary;
            md.ahead[31:31] : ternary @name("too_far");
            md.behind[31:31] : ternary @name("trimmed");
        }
        actions = { take; nobody; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (1, 1, ACT_LEARN, _, 0, 0, _, _) : nobody();
            (1, 1, ACT_LEARN, _, 0, _, 0, 0) : take();
            (1, 1, ACT_REQUEST, 1, 1, _, 0, _) : take();
            (1, 1, ACT_ACCEPT, 1, 1, _, 0, 0) : take();
        }
        size = 4;
    }

    @id(0x01000085)
    action had() {
        md.had = 1;
    }

    @id(0x01000086)
    action reached() {
        md.reached = 1;
    }

    /* More than half of 1 to 5 acceptors, which have the lowest bits, had voted before; or
     * have, with this one. */
    @id(0x02000083)
    table majority {
        key = {
            md.counts : exact;
            md.stale : exact;
            md.members[2:0] : exact @name("members");
            md.before[4:0] : ternary @name("before");
            md.voter[4:0] : ternary @name("voter");
        }
        actions = { had; reached; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (1, 0, 1, 0x01 &&& 0x01, _) : had();
            (1, 0, 1, 0x00 &&& 0x00, 0x01) : reached();
            (1, 0, 2, 0x03 &&& 0x03, _) : had();
            (1, 0, 2, 0x02 &&& 0x02, 0x01) : reached();
            (1, 0, 2, 0x01 &&& 0x01, 0x02) : reached();
            (1, 0, 3, 0x03 &&& 0x03, _) : had();
            (1, 0, 3, 0x05 &&& 0x05, _) : had();
            (1, 0, 3, 0x06 &&& 0x06, _) : had();
            (1, 0, 3, 0x02 &&& 0x02, 0x01) : reached();
            (1, 0, 3, 0x04 &&& 0x04, 0x01) : reached();
            (1, 0, 3, 0x01 &&& 0x01, 0x02) : reached();
            (1, 0, 3, 0x04 &&& 0x04, 0x02) : reached();
            (1, 0, 3, 0x01 &&& 0x01, 0x04) : reached();
            (1, 0, 3, 0x02 &&& 0x02, 0x04) : reached();
            (1, 0, 4, 0x07 &&& 0x07, _) : had();
            (1, 0, 4, 0x0b &&& 0x0b, _) : had();
            (1, 0, 4, 0x0d &&& 0x0d, _) : had();
            (1, 0, 4, 0x0e &&& 0x0e, _) : had();
            (1, 0, 4, 0x06 &&& 0x06, 0x01) : reached();
            (1, 0, 4, 0x0a &&& 0x0a, 0x01) : reached();
            (1, 0, 4, 0x0c &&& 0x0c, 0x01) : reached();
            (1, 0, 4, 0x05 &&& 0x05, 0x02) : reached();
            (1, 0, 4, 0x09 &&& 0x09, 0x02) : reached();
            (1, 0, 4, 0x0c &&& 0x0c, 0x02) : reached();
            (1, 0, 4, 0x03 &&& 0x03, 0x04) : reached();
            (1, 0, 4, 0x09 &&& 0x09, 0x04) : reached();
            (1, 0, 4, 0x0a &&& 0x0a, 0x04) : reached();
            (1, 0, 4, 0x03 &&& 0x03, 0x08) : reached();
            (1, 0, 4, 0x05 &&& 0x05, 0x08) : reached();
            (1, 0, 4, 0x06 &&& 0x06, 0x08) : reached();
            (1, 0, 5, 0x07 &&& 0x07, _) : had();
            (1, 0, 5, 0x0b &&& 0x0b, _) : had();
            (1, 0, 5, 0x13 &&& 0x13, _) : had();
            (1, 0, 5, 0x0d &&& 0x0d, _) : had();
            (1, 0, 5, 0x15 &&& 0x15, _) : had();
            (1, 0, 5, 0x19 &&& 0x19, _) : had();
            (1, 0, 5, 0x0e &&& 0x0e, _) : had();
            (1, 0, 5, 0x16 &&& 0x16, _) : had();
            (1, 0, 5, 0x1a &&& 0x1a, _) : had();
            (1, 0, 5, 0x1c &&& 0x1c, _) : had();
            (1, 0, 5, 0x06 &&& 0x06, 0x01) : reached();
            (1, 0, 5, 0x0a &&& 0x0a, 0x01) : reached();
            (1, 0, 5, 0x12 &&& 0x12, 0x01) : reached();
            (1, 0, 5, 0x0c &&& 0x0c, 0x01) : reached();
            (1, 0, 5, 0x14 &&& 0x14, 0x01) : reached();
            (1, 0, 5, 0x18 &&& 0x18, 0x01) : reached();
            (1, 0, 5, 0x05 &&& 0x05, 0x02) : reached();
            (1, 0, 5, 0x09 &&& 0x09, 0x02) : reached();
            (1, 0, 5, 0x11 &&& 0x11, 0x02) : reached();
            (1, 0, 5, 0x0c &&& 0x0c, 0x02) : reached();
            (1, 0, 5, 0x14 &&& 0x14, 0x02) : reached();
            (1, 0, 5, 0x18 &&& 0x18, 0x02) : reached();
            (1, 0, 5, 0x03 &&& 0x03, 0x04) : reached();
            (1, 0, 5, 0x09 &&& 0x09, 0x04) : reached();
            (1, 0, 5, 0x11 &&& 0x11, 0x04) : reached();
            (1, 0, 5, 0x0a &&& 0x0a, 0x04) : reached();
            (1, 0, 5, 0x12 &&& 0x12, 0x04) : reached();
            (1, 0, 5, 0x18 &&& 0x18, 0x04) : reached();
            (1, 0, 5, 0x03 &&& 0x03, 0x08) : reached();
            (1, 0, 5, 0x05 &&& 0x05, 0x08) : reached();
            (1, 0, 5, 0x11 &&& 0x11, 0x08) : reached();
            (1, 0, 5, 0x06 &&& 0x06, 0x08) : reached();
            (1, 0, 5, 0x12 &&& 0x12, 0x08) : reached();
            (1, 0, 5, 0x14 &&& 0x14, 0x08) : reached();
            (1, 0, 5, 0x03 &&& 0x03, 0x10) : reached();
            (1, 0, 5, 0x05 &&& 0x05, 0x10) : reached();
            (1, 0, 5, 0x09 &&& 0x09, 0x10) : reached();
            (1, 0, 5, 0x06 &&& 0x06, 0x10) : reached();
            (1, 0, 5, 0x0a &&& 0x0a, 0x10) : reached();
            (1, 0, 5, 0x0c &&& 0x0c, 0x10) : reached();
        }
        size = 128;
    }

    apply {
        @atomic {
            counting.apply();
            md.newer = hdr.paxos.rnd - md.counted;
            WHEN(md.counts == 1) {
                count.apply();
            }
        }
        WHEN(md.counts == 1) {
            majority.apply();
        }
    }
}

#endif
