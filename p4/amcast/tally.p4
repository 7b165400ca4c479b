/* A deliverer finds out when a message is decided.
 *
 *   +-----------+   +---------------+   +--------+   +---------+   +---------+
 *   | rows      |   | acks          |   | quorum |   | reached |   | decided |
 *   | proposal  |-->| a bit for     |-->| of by, |-->| pairs   |-->| all     |
 *   | of a cell |   | each member   |   | with   |   | from,by |   | pairs   |
 *   +-----------+   | of each group |   | leader |   +---------+   +---------+
 *                   +---------------+   +--------+   | final   | max
 *                                                    +---------+
 *
 * rows     which message, and in which epochs, the acknowledgements of a proposal are counted for.
 * acks     who has acknowledged the proposal of one destination: a bit for each member of each
 *          destination. An acknowledgement that comes twice counts once.
 * quorum   more than half of a destination's members, and its leader among them: a leader that
 *          has not heard of the timestamp could still propose something below it.
 * reached  for which proposal which destination has a quorum. All for all: decided.
 * final    the greatest timestamp of the proposals counted.
 *
 * All of this is of the present epochs of all destinations: when one of them changes, the sum of
 * them does, and counting begins anew. Members repeat their acknowledgements when they are asked.
 */
#ifndef P4CE_AMCAST_TALLY_P4
#define P4CE_AMCAST_TALLY_P4

control Tally(inout headers_t hdr, inout ingress_metadata_t md) {
    @id(0x16000010) @brief("Message and epochs that a proposal's acknowledgements are counted for")
    Register<tag_t, row_t>(CELLS * 4) rows;
    RegisterAction<tag_t, row_t, bit<1>>(rows) row_is = {
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

    @id(0x01000060)
    action mark_row() {
        md.row_same = row_is.execute(md.row);
    }

    @id(0x02000060)
    table row {
        key = { md.act : exact; md.stale : exact; md.late : exact; }
        actions = { mark_row; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (ACT_ACK, 0, 0) : mark_row();
        }
        size = 1;
    }

    @id(0x16000011) @brief("Members that have acknowledged a proposal: a byte for each destination")
    Register<bit<32>, row_t>(CELLS * 4) acks;
    RegisterAction<bit<32>, row_t, bit<32>>(acks) acks_begin = {
        void apply(inout bit<32> all, out bit<32> now) {
            all = md.mine;
            now = all;
        }
    };
    RegisterAction<bit<32>, row_t, bit<32>>(acks) acks_add = {
        void apply(inout bit<32> all, out bit<32> now) {
            all = all | md.mine;
            now = all;
        }
    };

    @id(0x01000061)
    action begin() {
        md.acked = acks_begin.execute(md.row);
    }

    @id(0x01000062)
    action add() {
        md.acked = acks_add.execute(md.row);
    }

    @id(0x02000061)
    table count {
        key = { md.act : exact; md.stale : exact; md.late : exact; md.row_same : exact; }
        actions = { begin; add; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (ACT_ACK, 0, 0, 0) : begin();
            (ACT_ACK, 0, 0, 1) : add();
        }
        size = 2;
    }

    @id(0x16000012) @brief("Greatest timestamp of the proposals counted")
    Register<bit<32>, slot_t>(CELLS) final;
    RegisterAction<bit<32>, slot_t, bit<32>>(final) final_begin = {
        void apply(inout bit<32> greatest, out bit<32> now) {
            greatest = hdr.amcast.lts;
            now = greatest;
        }
    };
    RegisterAction<bit<32>, slot_t, bit<32>>(final) final_raise = {
        void apply(inout bit<32> greatest, out bit<32> now) {
            if (greatest < hdr.amcast.lts) {
                greatest = hdr.amcast.lts;
            }
            now = greatest;
        }
    };

    @id(0x01000063)
    action first_time() {
        hdr.amcast.lts = final_begin.execute(md.slot);
    }

    @id(0x01000064)
    action greatest_time() {
        hdr.amcast.lts = final_raise.execute(md.slot);
    }

    @id(0x02000062)
    table finals {
        key = { md.act : exact; md.stale : exact; md.late : exact; md.same : exact; }
        actions = { first_time; greatest_time; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (ACT_ACK, 0, 0, 0) : first_time();
            (ACT_ACK, 0, 0, 1) : greatest_time();
        }
        size = 2;
    }

    @id(0x0100006a)
    action column0() {
        md.column = md.acked[7:0];
    }

    @id(0x0100006b)
    action column1() {
        md.column = md.acked[15:8];
    }

    @id(0x0100006c)
    action column2() {
        md.column = md.acked[23:16];
    }

    @id(0x0100006d)
    action column3() {
        md.column = md.acked[31:24];
    }

    @id(0x02000066)
    table columns {
        key = { hdr.amcast.by_slot : exact; }
        actions = { column0; column1; column2; column3; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            0 : column0();
            1 : column1();
            2 : column2();
            3 : column3();
        }
        size = 4;
    }

    @id(0x01000065)
    action quorum() {
        md.reach = md.spot;
    }

    /* The leader is member 0. */
    @id(0x02000063)
    table quorums {
        key = {
            md.members[2:0] : exact @name("members");
            md.column[4:0] : ternary @name("column");
        }
        actions = { quorum; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (1, 0x01 &&& 0x01) : quorum();
            (2, 0x03 &&& 0x03) : quorum();
            (3, 0x03 &&& 0x03) : quorum();
            (3, 0x05 &&& 0x05) : quorum();
            (4, 0x07 &&& 0x07) : quorum();
            (4, 0x0b &&& 0x0b) : quorum();
            (4, 0x0d &&& 0x0d) : quorum();
            (5, 0x07 &&& 0x07) : quorum();
            (5, 0x0b &&& 0x0b) : quorum();
            (5, 0x13 &&& 0x13) : quorum();
            (5, 0x0d &&& 0x0d) : quorum();
            (5, 0x15 &&& 0x15) : quorum();
            (5, 0x19 &&& 0x19) : quorum();
        }
        size = 16;
    }

    @id(0x16000013) @brief("Pairs of proposal and destination that have a quorum")
    Register<bit<16>, slot_t>(CELLS) reached;
    RegisterAction<bit<16>, slot_t, bit<16>>(reached) reached_begin = {
        void apply(inout bit<16> all, out bit<16> before) {
            before = 0;
            all = md.reach;
        }
    };
    RegisterAction<bit<16>, slot_t, bit<16>>(reached) reached_add = {
        void apply(inout bit<16> all, out bit<16> before) {
            before = all;
            all = all | md.reach;
        }
    };

    @id(0x01000066)
    action reach_first() {
        md.before = reached_begin.execute(md.slot);
    }

    @id(0x01000067)
    action reach() {
        md.before = reached_add.execute(md.slot);
    }

    @id(0x02000064)
    table reaching {
        key = { md.act : exact; md.stale : exact; md.late : exact; md.same : exact; }
        actions = { reach_first; reach; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (ACT_ACK, 0, 0, 0) : reach_first();
            (ACT_ACK, 0, 0, 1) : reach();
        }
        size = 2;
    }

    apply {
        row.apply();
        count.apply();
        finals.apply();
        columns.apply();
        quorums.apply();
        reaching.apply();
    }
}

/* The bits of an acknowledgement, which only its header says. */
control Bits(inout headers_t hdr, inout ingress_metadata_t md) {
    @id(0x01000070)
    action spot(bit<16> bit_, bit<1> proposed) {
        md.spot = bit_;
        md.proposed = proposed;
    }

    @id(0x02000070)
    table spots {
        key = { hdr.amcast.from_slot : exact; hdr.amcast.by_slot : exact; }
        actions = { spot; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (0, 0) : spot(0x0001, 1);
            (0, 1) : spot(0x0002, 0);
            (0, 2) : spot(0x0004, 0);
            (0, 3) : spot(0x0008, 0);
            (1, 0) : spot(0x0010, 0);
            (1, 1) : spot(0x0020, 1);
            (1, 2) : spot(0x0040, 0);
            (1, 3) : spot(0x0080, 0);
            (2, 0) : spot(0x0100, 0);
            (2, 1) : spot(0x0200, 0);
            (2, 2) : spot(0x0400, 1);
            (2, 3) : spot(0x0800, 0);
            (3, 0) : spot(0x1000, 0);
            (3, 1) : spot(0x2000, 0);
            (3, 2) : spot(0x4000, 0);
            (3, 3) : spot(0x8000, 1);
        }
        size = 16;
    }

    @id(0x01000071)
    action mine(bit<32> bit_) {
        md.mine = bit_;
    }

    @id(0x02000071)
    table members {
        key = { hdr.amcast.by_slot : exact; hdr.amcast.member : exact; }
        actions = { mine; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (0, 0) : mine(0x00000001);
            (0, 1) : mine(0x00000002);
            (0, 2) : mine(0x00000004);
            (0, 3) : mine(0x00000008);
            (0, 4) : mine(0x00000010);
            (1, 0) : mine(0x00000100);
            (1, 1) : mine(0x00000200);
            (1, 2) : mine(0x00000400);
            (1, 3) : mine(0x00000800);
            (1, 4) : mine(0x00001000);
            (2, 0) : mine(0x00010000);
            (2, 1) : mine(0x00020000);
            (2, 2) : mine(0x00040000);
            (2, 3) : mine(0x00080000);
            (2, 4) : mine(0x00100000);
            (3, 0) : mine(0x01000000);
            (3, 1) : mine(0x02000000);
            (3, 2) : mine(0x04000000);
            (3, 3) : mine(0x08000000);
            (3, 4) : mine(0x10000000);
        }
        size = 32;
    }

    apply {
        spots.apply();
        members.apply();
    }
}

/* All pairs that count, with this acknowledgement or without. */
control Decision(inout ingress_metadata_t md) {
    @id(0x01000068)
    action had() {
        md.had = 1;
    }

    @id(0x01000069)
    action decide() {
        md.decided = 1;
    }

    @id(0x02000065)
    table all_before {
        key = { md.count : exact; md.before : ternary; }
        actions = { had; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (1, 0x0001 &&& 0x0001) : had();
            (2, 0x0033 &&& 0x0033) : had();
            (3, 0x0777 &&& 0x0777) : had();
            (4, 0xffff &&& 0xffff) : had();
        }
        size = 4;
    }

    @id(0x02000067)
    table all_now {
        key = { md.count : exact; md.before : ternary; md.reach : exact; }
        actions = { decide; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (1, 0x0000 &&& 0x0001, 0x0001) : decide();
            (2, 0x0032 &&& 0x0033, 0x0001) : decide();
            (2, 0x0031 &&& 0x0033, 0x0002) : decide();
            (2, 0x0023 &&& 0x0033, 0x0010) : decide();
            (2, 0x0013 &&& 0x0033, 0x0020) : decide();
            (3, 0x0776 &&& 0x0777, 0x0001) : decide();
            (3, 0x0775 &&& 0x0777, 0x0002) : decide();
            (3, 0x0773 &&& 0x0777, 0x0004) : decide();
            (3, 0x0767 &&& 0x0777, 0x0010) : decide();
            (3, 0x0757 &&& 0x0777, 0x0020) : decide();
            (3, 0x0737 &&& 0x0777, 0x0040) : decide();
            (3, 0x0677 &&& 0x0777, 0x0100) : decide();
            (3, 0x0577 &&& 0x0777, 0x0200) : decide();
            (3, 0x0377 &&& 0x0777, 0x0400) : decide();
            (4, 0xfffe &&& 0xffff, 0x0001) : decide();
            (4, 0xfffd &&& 0xffff, 0x0002) : decide();
            (4, 0xfffb &&& 0xffff, 0x0004) : decide();
            (4, 0xfff7 &&& 0xffff, 0x0008) : decide();
            (4, 0xffef &&& 0xffff, 0x0010) : decide();
            (4, 0xffdf &&& 0xffff, 0x0020) : decide();
            (4, 0xffbf &&& 0xffff, 0x0040) : decide();
            (4, 0xff7f &&& 0xffff, 0x0080) : decide();
            (4, 0xfeff &&& 0xffff, 0x0100) : decide();
            (4, 0xfdff &&& 0xffff, 0x0200) : decide();
            (4, 0xfbff &&& 0xffff, 0x0400) : decide();
            (4, 0xf7ff &&& 0xffff, 0x0800) : decide();
            (4, 0xefff &&& 0xffff, 0x1000) : decide();
            (4, 0xdfff &&& 0xffff, 0x2000) : decide();
            (4, 0xbfff &&& 0xffff, 0x4000) : decide();
            (4, 0x7fff &&& 0xffff, 0x8000) : decide();
        }
        size = 32;
    }

    apply {
        WHEN(md.act == ACT_ACK) {
            all_before.apply();
            WHEN(md.reach != 0) {
                all_now.apply();
            }
        }
    }
}

#endif
