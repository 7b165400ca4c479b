/* Votes and promises (paper, algorithm 2, with rings and a floor).
 *
 *   +-------+   +----------+   +--------+   +-----------------+
 *   | floor |   | promised |   | voted  |   | client, seq,    |
 *   | app   |-->| cell     |-->| cell   |-->| length,         |
 *   | <=    |   | <=       |   | := rnd |   | value0..value15 |
 *   +-------+   +----------+   +--------+   +-----------------+
 *
 * floor     the round below which nothing is voted for or promised, in any instance.
 * promised  per cell the instance that it is about, and the round that was promised in it. A
 *           cell that is about another instance is free: there is one for each that may be used.
 * voted     per cell the instance and the round of the vote; beside it what was voted for. In one
 *           round that stays: who proposes again there gets the vote that was given.
 * highest   no vote is in a higher instance: FLOOR asks for it.
 *
 * On Tofino one packet after the other passes a stage. Elsewhere several CPUs handle packets:
 * what concerns a cell is done for one packet at a time (@atomic); and a vote is announced in
 * highest before the floor is looked at, while FLOOR raises the floor before it looks at highest
 * (@updates_first). So either the vote is refused, or whoever has raised the floor hears of it.
 */
#ifndef P4CE_PAXOS_ACCEPTOR_P4
#define P4CE_PAXOS_ACCEPTOR_P4

/* A word of what was voted for: stored with a vote, loaded for an answer. Ids: register,
 * actions store, load, table. */
#define WORD(name, width, field, has, register_id, store_id, load_id, table_id) \
    @id(register_id)                                                          \
    Register<bit<width>, slot_t>(CELLS) name;                                \
    RegisterAction<bit<width>, slot_t, bit<width>>(name) name##_put = {      \
        void apply(inout bit<width> x) {                                      \
            x = field;                                                        \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<width>, slot_t, bit<width>>(name) name##_get = {      \
        void apply(inout bit<width> x, out bit<width> now) {                  \
            now = x;                                                          \
        }                                                                     \
    };                                                                        \
    @id(store_id)                                                             \
    action name##_store() {                                                   \
        name##_put.execute(md.cell);                                          \
    }                                                                         \
    @id(load_id)                                                              \
    action name##_load() {                                                    \
        field = name##_get.execute(md.cell);                                  \
    }                                                                         \
    @id(table_id)                                                             \
    table name##_at {                                                         \
        key = { md.promised : exact; md.act : exact; md.again : exact; has : exact; }\
        actions = { name##_store; name##_load; @defaultonly NoAction; }       \
        const default_action = NoAction();                                    \
        const entries = {                                                     \
            (1, ACT_REQUEST, 0, true) : name##_store();                       \
            (1, ACT_REQUEST, 1, true) : name##_load();                        \
            (1, ACT_ACCEPT, 0, true) : name##_store();                        \
            (1, ACT_ACCEPT, 1, true) : name##_load();                         \
            (1, ACT_PREPARE, 0, true) : name##_load();                        \
            (1, ACT_QUERY, 0, true) : name##_load();                          \
        }                                                                     \
        size = 8;                                                             \
    }

control Acceptor(inout headers_t hdr, inout ingress_metadata_t md) {
    @id(0x16000004) @brief("Round below which nothing is voted for")
    Register<bit<32>, app_t>(APPS) floor;
    RegisterAction<bit<32>, app_t, bit<1>>(floor) floor_raise = {
        void apply(inout bit<32> rnd, out bit<1> above) {
            if (rnd <= hdr.paxos.rnd) {
                rnd = hdr.paxos.rnd;
                above = 1;
            } else {
                above = 0;
            }
        }
    };
    RegisterAction<bit<32>, app_t, bit<1>>(floor) floor_look = {
        void apply(inout bit<32> rnd, out bit<1> above) {
            if (rnd <= hdr.paxos.rnd) {
                above = 1;
            } else {
                above = 0;
            }
        }
    };

    @id(0x01000032)
    action raise() {
        md.above = floor_raise.execute(md.app);
    }

    @id(0x01000033)
    action look() {
        md.above = floor_look.execute(md.app);
    }

    @id(0x02000032)
    table floors {
        key = { md.votes : exact; md.alive : exact; md.act : exact; md.owner : ternary; }
        actions = { raise; look; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (1, 1, ACT_FLOOR, 1) : raise();
            (1, 1, ACT_REQUEST, _) : look();
            (1, 1, ACT_ACCEPT, _) : look();
            (1, 1, ACT_PREPARE, _) : look();
        }
        size = 4;
    }

    @id(0x16000005) @brief("Instance of a cell, and the round promised in it")
    Register<cell_t, slot_t>(CELLS) promised;
    RegisterAction<cell_t, slot_t, bit<1>>(promised) promise = {
        void apply(inout cell_t cell, out bit<1> kept) {
            if (cell.inst == hdr.paxos.inst && cell.rnd > hdr.paxos.rnd) {
                kept = 0;
            } else {
                cell.inst = hdr.paxos.inst;
                cell.rnd = hdr.paxos.rnd;
                kept = 1;
            }
        }
    };

    @id(0x0100003d)
    action promise_kept() {
        md.promised = promise.execute(md.cell);
    }

    @id(0x0100003e)
    action nothing_changes() {
        md.promised = 1;
    }

    @id(0x02000036)
    table promises {
        key = {
            md.votes : exact;
            md.alive : exact;
            md.act : exact;
            md.leads : ternary;
            md.owner : ternary;
            md.above : ternary;
            md.ahead[31:31] : exact @name("too_far");
            md.behind[31:31] : ternary @name("trimmed");
        }
        actions = { promise_kept; nothing_changes; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (1, 1, ACT_REQUEST, 1, _, 1, 0, _) : promise_kept();
            (1, 1, ACT_ACCEPT, _, 1, 1, 0, 0) : promise_kept();
            (1, 1, ACT_PREPARE, _, 1, 1, 0, 0) : promise_kept();
            (1, 1, ACT_QUERY, _, _, _, 0, 0) : nothing_changes();
        }
        size = 4;
    }

    @id(0x16000006) @brief("Instance of a cell, and the round of the vote in it")
    Register<cell_t, slot_t>(CELLS) voted;
    RegisterAction<cell_t, slot_t, bit<1>>(voted) vote = {
        void apply(inout cell_t cell, out bit<1> again) {
            if (cell.inst == hdr.paxos.inst && cell.rnd == hdr.paxos.rnd) {
                again = 1;
            } else {
                cell.inst = hdr.paxos.inst;
                cell.rnd = hdr.paxos.rnd;
                again = 0;
            }
        }
    };
    RegisterAction<cell_t, slot_t, bit<32>>(voted) vote_get = {
        void apply(inout cell_t cell, out bit<32> rnd) {
            if (cell.inst == hdr.paxos.inst) {
                rnd = cell.rnd;
            } else {
                rnd = 0;
            }
        }
    };

    @id(0x01000034)
    action vote_put() {
        md.again = vote.execute(md.cell);
    }

    @id(0x01000035)
    action vote_look() {
        hdr.paxos.vrnd = vote_get.execute(md.cell);
    }

    @id(0x02000033)
    table votes {
        key = { md.promised : exact; md.act : exact; }
        actions = { vote_put; vote_look; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (1, ACT_REQUEST) : vote_put();
            (1, ACT_ACCEPT) : vote_put();
            (1, ACT_PREPARE) : vote_look();
            (1, ACT_QUERY) : vote_look();
        }
        size = 4;
    }

    @id(0x16000007) @brief("Highest instance voted in")
    Register<bit<32>, app_t>(APPS) highest;
    RegisterAction<bit<32>, app_t, bit<32>>(highest) highest_raise = {
        void apply(inout bit<32> inst) {
            if ((int<32>)(inst - hdr.paxos.inst) < 0) {
                inst = hdr.paxos.inst;
            }
        }
    };
    RegisterAction<bit<32>, app_t, bit<32>>(highest) highest_get = {
        void apply(inout bit<32> inst, out bit<32> now) {
            now = inst;
        }
    };

    @id(0x01000036)
    action seen() {
        highest_raise.execute(md.app);
    }

    @id(0x01000037)
    action report() {
        hdr.paxos.inst = highest_get.execute(md.app);
    }

    @id(0x02000034)
    table highests {
        key = {
            md.votes : exact;
            md.alive : exact;
            md.act : exact;
            md.leads : ternary;
            md.owner : ternary;
            md.ahead[31:31] : ternary @name("too_far");
            md.behind[31:31] : ternary @name("trimmed");
        }
        actions = { seen; report; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (1, 1, ACT_REQUEST, 1, _, 0, _) : seen();
            (1, 1, ACT_ACCEPT, _, 1, 0, 0) : seen();
            (1, 1, ACT_FLOOR, _, 1, _, _) : report();
        }
        size = 4;
    }

    WORD(client, 32, hdr.paxos.client, hdr.paxos.isValid(), 0x16000010, 0x01000040, 0x01000041, 0x02000040)
    WORD(seq, 32, hdr.paxos.seq, hdr.paxos.isValid(), 0x16000011, 0x01000042, 0x01000043, 0x02000041)
    WORD(value_len, 8, hdr.paxos.value_len, hdr.paxos.isValid(), 0x16000012, 0x01000044, 0x01000045, 0x02000042)
    WORD(value0, 32, hdr.piece0.w0, hdr.piece0.isValid(), 0x16000020, 0x01000050, 0x01000051, 0x02000050)
    WORD(value1, 32, hdr.piece0.w1, hdr.piece0.isValid(), 0x16000021, 0x01000052, 0x01000053, 0x02000051)
    WORD(value2, 32, hdr.piece0.w2, hdr.piece0.isValid(), 0x16000022, 0x01000054, 0x01000055, 0x02000052)
    WORD(value3, 32, hdr.piece0.w3, hdr.piece0.isValid(), 0x16000023, 0x01000056, 0x01000057, 0x02000053)
    WORD(value4, 32, hdr.piece1.w0, hdr.piece1.isValid(), 0x16000024, 0x01000058, 0x01000059, 0x02000054)
    WORD(value5, 32, hdr.piece1.w1, hdr.piece1.isValid(), 0x16000025, 0x0100005a, 0x0100005b, 0x02000055)
    WORD(value6, 32, hdr.piece1.w2, hdr.piece1.isValid(), 0x16000026, 0x0100005c, 0x0100005d, 0x02000056)
    WORD(value7, 32, hdr.piece1.w3, hdr.piece1.isValid(), 0x16000027, 0x0100005e, 0x0100005f, 0x02000057)
    WORD(value8, 32, hdr.piece2.w0, hdr.piece2.isValid(), 0x16000028, 0x01000060, 0x01000061, 0x02000058)
    WORD(value9, 32, hdr.piece2.w1, hdr.piece2.isValid(), 0x16000029, 0x01000062, 0x01000063, 0x02000059)
    WORD(value10, 32, hdr.piece2.w2, hdr.piece2.isValid(), 0x1600002a, 0x01000064, 0x01000065, 0x0200005a)
    WORD(value11, 32, hdr.piece2.w3, hdr.piece2.isValid(), 0x1600002b, 0x01000066, 0x01000067, 0x0200005b)
    WORD(value12, 32, hdr.piece3.w0, hdr.piece3.isValid(), 0x1600002c, 0x01000068, 0x01000069, 0x0200005c)
    WORD(value13, 32, hdr.piece3.w1, hdr.piece3.isValid(), 0x1600002d, 0x0100006a, 0x0100006b, 0x0200005d)
    WORD(value14, 32, hdr.piece3.w2, hdr.piece3.isValid(), 0x1600002e, 0x0100006c, 0x0100006d, 0x0200005e)
    WORD(value15, 32, hdr.piece3.w3, hdr.piece3.isValid(), 0x1600002f, 0x0100006e, 0x0100006f, 0x0200005f)

    apply {
        @updates_first {
            floors.apply();
            highests.apply();
        }
        @atomic {
            promises.apply();
            WHEN(md.promised == 1) {
                votes.apply();
                client_at.apply();
                seq_at.apply();
                value_len_at.apply();
                value0_at.apply();
                value1_at.apply();
                value2_at.apply();
                value3_at.apply();
                value4_at.apply();
                value5_at.apply();
                value6_at.apply();
                value7_at.apply();
                value8_at.apply();
                value9_at.apply();
                value10_at.apply();
                value11_at.apply();
                value12_at.apply();
                value13_at.apply();
                value14_at.apply();
                value15_at.apply();
            }
        }
    }
}

#endif
