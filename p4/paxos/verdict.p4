/* What becomes of a message, from what the roles have found out.
 *
 *   +----------------------------------------+
 *   | act, and what holds: alive, leads,     |   become(..)   copies go out
 *   | votes, owner, above, promised, window, |-> answer(..)   it goes back, as PROMISE, FLOORED
 *   | counts, majority                       |   refuse(why)  it goes back, as REFUSED
 *   +----------------------------------------+   discard(why), absorb
 *
 * The entries of each table are in the order in which reasons are looked for. All who ask for
 * something are told why they do not get it; votes and proposals are dropped.
 */
#ifndef P4CE_PAXOS_VERDICT_P4
#define P4CE_PAXOS_VERDICT_P4

control Verdict(inout headers_t hdr,
                inout ingress_metadata_t md,
                in ingress_intrinsic_metadata_t ig_intr_md,
                inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    @id(0x010000b0)
    action become(became_t what) {
        hdr.bridge.became = what;
    }

    @id(0x010000b1)
    action again() {
        hdr.bridge.became = BECAME_VOTE;
        hdr.paxos.flags = FLAG_AGAIN;
        hdr.paxos.rnd = hdr.paxos.vrnd;
        hdr.paxos.vrnd = 0;
    }

    @id(0x010000b2)
    action answer(message_t kind) {
        hdr.bridge.became = BECAME_ANSWER;
        hdr.paxos.kind = kind;
        ig_tm_md.mcast_grp_a = 0;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
    }

    @id(0x010000b3)
    action refuse(drop_t why) {
        hdr.bridge.became = BECAME_ANSWER;
        hdr.paxos.kind = MSG_REFUSED;
        hdr.paxos.vrnd = (bit<32>)why;
        md.drop = why;
        ig_tm_md.mcast_grp_a = 0;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
    }

    @id(0x010000b4)
    action discard(drop_t why) {
        md.drop = why;
        ig_dprsr_md.drop_ctl = 1;
    }

    @id(0x010000b5)
    action absorb() {
        ig_dprsr_md.drop_ctl = 1;
    }

    @id(0x020000b0)
    table requested {
        key = {
            md.alive : exact;
            md.leads : ternary;
            md.proposer : ternary;
            md.ahead[31:31] : ternary @name("too_far");
            md.votes : ternary;
            md.promised : ternary;
            md.reached : ternary;
        }
        actions = { become; refuse; absorb; }
        const default_action = absorb();
        const entries = {
            (0, _, _, _, _, _, _) : refuse(DROP_AMNESIA);
            (1, 0, _, _, _, _, _) : refuse(DROP_NO_ROLE);
            (1, 1, 0, _, _, _, _) : refuse(DROP_PROPOSER);
            (1, 1, 1, 1, _, _, _) : refuse(DROP_FULL);
            (1, 1, 1, 0, 0, _, _) : become(BECAME_ACCEPT);
            (1, 1, 1, 0, 1, 0, _) : refuse(DROP_STALE);
            (1, 1, 1, 0, 1, 1, 0) : become(BECAME_ACCEPT | BECAME_VOTE);
            (1, 1, 1, 0, 1, 1, 1) : become(BECAME_ACCEPT | BECAME_VOTE | BECAME_DELIVER);
        }
        size = 8;
    }

    @id(0x020000b1)
    table accepted {
        key = {
            md.alive : ternary;
            md.votes : ternary;
            md.owner : ternary;
            md.ahead[31:31] : ternary @name("too_far");
            md.behind[31:31] : ternary @name("trimmed");
            md.promised : ternary;
            md.again : ternary;
            hdr.piece3.isValid() : ternary;
            md.reached : ternary;
        }
        actions = { become; discard; absorb; }
        const default_action = absorb();
        const entries = {
            (0, _, _, _, _, _, _, _, _) : discard(DROP_AMNESIA);
            (_, 0, _, _, _, _, _, _, _) : discard(DROP_NO_ROLE);
            (_, _, 0, _, _, _, _, _, _) : discard(DROP_ROUND);
            (_, _, _, 1, _, _, _, _, _) : discard(DROP_WINDOW);
            (_, _, _, _, 1, _, _, _, _) : discard(DROP_WINDOW);
            (_, _, _, _, _, 0, _, _, _) : discard(DROP_STALE);
            (_, _, _, _, _, _, 1, false, _) : discard(DROP_VOTED);
            (_, _, _, _, _, _, _, _, 0) : become(BECAME_VOTE);
            (_, _, _, _, _, _, _, _, 1) : become(BECAME_VOTE | BECAME_DELIVER);
        }
        size = 16;
    }

    @id(0x020000b4)
    table prepared {
        key = {
            md.alive : ternary;
            md.votes : ternary;
            md.owner : ternary;
            md.ahead[31:31] : ternary @name("too_far");
            md.behind[31:31] : ternary @name("trimmed");
            md.promised : ternary;
        }
        actions = { answer; refuse; absorb; }
        const default_action = absorb();
        const entries = {
            (0, _, _, _, _, _) : refuse(DROP_AMNESIA);
            (_, 0, _, _, _, _) : refuse(DROP_NO_ROLE);
            (_, _, 0, _, _, _) : refuse(DROP_ROUND);
            (_, _, _, 1, _, _) : refuse(DROP_WINDOW);
            (_, _, _, _, 1, _) : refuse(DROP_WINDOW);
            (_, _, _, _, _, 0) : refuse(DROP_STALE);
            (_, _, _, _, _, 1) : answer(MSG_PROMISE);
        }
        size = 8;
    }

    @id(0x020000b5)
    table raised {
        key = {
            md.alive : ternary;
            md.votes : ternary;
            md.owner : ternary;
            md.above : ternary;
        }
        actions = { answer; refuse; absorb; }
        const default_action = absorb();
        const entries = {
            (0, _, _, _) : refuse(DROP_AMNESIA);
            (_, 0, _, _) : refuse(DROP_NO_ROLE);
            (_, _, 0, _) : refuse(DROP_ROUND);
            (_, _, _, 0) : refuse(DROP_STALE);
            (_, _, _, 1) : answer(MSG_FLOORED);
        }
        size = 8;
    }

    @id(0x020000b6)
    table queried {
        key = {
            md.alive : ternary;
            md.votes : ternary;
            md.ahead[31:31] : ternary @name("too_far");
            md.behind[31:31] : ternary @name("trimmed");
            hdr.paxos.vrnd : ternary;
        }
        actions = { again; refuse; }
        const default_action = again();
        const entries = {
            (0, _, _, _, _) : refuse(DROP_AMNESIA);
            (_, 0, _, _, _) : refuse(DROP_NO_ROLE);
            (_, _, 1, _, _) : refuse(DROP_WINDOW);
            (_, _, _, 1, _) : refuse(DROP_WINDOW);
            (_, _, _, _, 0) : refuse(DROP_NOT_VOTED);
        }
        size = 8;
    }

    @id(0x020000b2)
    table learned {
        key = {
            md.alive : ternary;
            md.known : ternary;
            md.learns : ternary;
            md.ahead[31:31] : ternary @name("too_far");
            md.behind[31:31] : ternary @name("trimmed");
            md.stale : ternary;
            md.reached : ternary;
            md.had : ternary;
            hdr.paxos.flags[0:0] : ternary @name("again");
        }
        actions = { become; discard; absorb; }
        const default_action = absorb();
        const entries = {
            (0, _, _, _, _, _, _, _, _) : discard(DROP_AMNESIA);
            (_, 0, _, _, _, _, _, _, _) : discard(DROP_ROUND);
            (_, _, 0, _, _, _, _, _, _) : discard(DROP_ROUND);
            (_, _, _, 1, _, _, _, _, _) : discard(DROP_WINDOW);
            (_, _, _, _, 1, _, _, _, _) : discard(DROP_WINDOW);
            (_, _, _, _, _, 1, _, _, _) : discard(DROP_STALE);
            (_, _, _, _, _, _, 1, _, _) : become(BECAME_DELIVER);
            (_, _, _, _, _, _, _, 1, 1) : become(BECAME_DELIVER);
        }
        size = 8;
    }

    @id(0x020000b3)
    table nothing {
        key = {
            md.malformed : exact;
            md.udp_error : exact;
            hdr.paxos.kind : ternary;
        }
        actions = { refuse; discard; }
        const default_action = discard(DROP_MESSAGE);
        const entries = {
            (true, false, _) : discard(DROP_MALFORMED);
            (false, true, _) : discard(DROP_UDP_CHECKSUM);
            (false, false, MSG_REQUEST) : refuse(DROP_MESSAGE);
            (false, false, MSG_PREPARE) : refuse(DROP_MESSAGE);
            (false, false, MSG_FLOOR) : refuse(DROP_MESSAGE);
            (false, false, MSG_QUERY) : refuse(DROP_MESSAGE);
        }
        size = 8;
    }

    apply {
        if (md.at == AT_LEADER) {
            ig_tm_md.mcast_grp_a = md.leads_group;
        } else if (md.at == AT_ACCEPTOR) {
            ig_tm_md.mcast_grp_a = md.votes_group;
        } else {
            ig_tm_md.mcast_grp_a = md.learns_group;
        }
        if (md.act == ACT_REQUEST) {
            requested.apply();
        } else if (md.act == ACT_ACCEPT) {
            accepted.apply();
        } else if (md.act == ACT_LEARN) {
            learned.apply();
        } else if (md.act == ACT_PREPARE) {
            prepared.apply();
        } else if (md.act == ACT_FLOOR) {
            raised.apply();
        } else if (md.act == ACT_QUERY) {
            queried.apply();
        } else {
            nothing.apply();
        }
    }
}

#endif
