/* Whose packet it is, and whether its barriers may raise anything.
 *
 *   +--------------+   +---------+   +----------+   +-------------+
 *   | inputs       |   | members |   | senders  |   | admission   | passes: place, branch
 *   | ingress_port |-->| group   |-->| port,    |-->| what holds  |-> or dropped, and counted
 *   | -> link,     |   | -> who  |   | ipv4.src,|   | of link,    |
 *   |    place     |   |  counts |   | process  |   | times       |
 *   +--------------+   +---------+   +----------+   +-------------+
 *
 * inputs    what is behind a port, and its place in the tree. A link that joins raises its own
 *           register and nothing else: the controller admits it when its barrier has reached
 *           what the switch has promised.
 * members   the places of a group that count, and the groups that do: one entry, so that a
 *           change is atomic. A place that does not count holds nobody up.
 * senders   the processes at a port where a host is.
 */
#ifndef P4CE_ONEPIPE_LINK_P4
#define P4CE_ONEPIPE_LINK_P4

control Link(inout headers_t hdr,
             inout ingress_metadata_t md,
             in ingress_intrinsic_metadata_t ig_intr_md,
             in ingress_intrinsic_metadata_from_parser_t ig_prsr_md) {
    /* How a Tofino moves bits. */
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) move;

    @id(0x01000010)
    action input(link_t link, group_t group, place_t place) {
        md.link = link;
        md.group = group;
        md.place = place;
    }

    @id(0x02000010)
    table inputs {
        key = { ig_intr_md.ingress_port : exact; }
        actions = { input; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 512;
    }

    @id(0x01000011)
    action counts(bit<4> places, bit<4> commit_places, bit<4> branches, bit<4> commit_branches) {
        md.counted = places;
        md.commit_counted = commit_places;
        md.branches = branches;
        md.commit_branches = commit_branches;
    }

    @id(0x02000011)
    table members {
        key = { md.group : exact; }
        actions = { counts; @defaultonly NoAction; }
        const default_action = NoAction();
        size = GROUPS;
    }

    @id(0x01000013)
    action known() {
        md.process = 1;
    }

    @id(0x02000013)
    table senders {
        key = {
            ig_intr_md.ingress_port : exact;
            hdr.ipv4.src : exact;
            hdr.onepipe.src : exact;
        }
        actions = { known; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 4096;
    }

    @id(0x01000014)
    action refuse(drop_t why) {
        md.drop = why;
        md.place = PLACE_NONE;
    }

    /* It joins: its own register, and no further. */
    @id(0x01000015)
    action alone() {
    }

    @id(0x01000016)
    action alone_refuse() {
        md.drop = DROP_JOINING;
    }

    @id(0x01000017)
    action pass() {
        md.branch = (place_t)md.group[1:0];
    }

    /* It was forwarded without being stamped: its barriers say nothing of this link. */
    @id(0x01000018)
    action only_pass() {
        md.place = PLACE_NONE;
    }

    /* In the order in which reasons are looked for. */
    @id(0x02000014)
    table admission {
        key = {
            md.link : ternary;
            hdr.onepipe.opcode : ternary;
            md.process : ternary;
            md.over : ternary;
            md.early : ternary;
            md.commit_early : ternary;
            hdr.onepipe.flags[3:3] : ternary @name("unstamped");
        }
        actions = { refuse; alone; alone_refuse; only_pass; pass; }
        const default_action = refuse(DROP_OPCODE);
        const entries = {
            (LINK_NONE, _, _, _, _, _, _) : refuse(DROP_NO_LINK);
            (_, 8 &&& 8, _, _, _, _, _) : refuse(DROP_OPCODE);
            (_, 7, _, _, _, _, _) : refuse(DROP_OPCODE);
            (_, _, _, NEGATIVE &&& NEGATIVE, _, _, _) : refuse(DROP_COMMIT);
            (_, OP_BEACON, _, _, _, _, 1) : refuse(DROP_OPCODE);
            (LINK_JOINING, OP_BEACON, _, _, _, _, _) : alone();
            (LINK_JOINING, _, _, _, _, _, _) : alone_refuse();
            (_, OP_BEACON, _, _, _, _, _) : pass();
            (LINK_HOST, _, 0, _, _, _, _) : refuse(DROP_SENDER);
            (_, OP_DATA, _, _, NEGATIVE &&& NEGATIVE, _, _) : refuse(DROP_TIMESTAMP);
            (_, OP_RELIABLE, _, _, _, NEGATIVE &&& NEGATIVE, _) : refuse(DROP_TIMESTAMP);
            (_, _, _, _, _, _, 1) : only_pass();
            (_, _, _, _, _, _, _) : pass();
        }
        size = 16;
    }

    apply {
        md.time = move.get({ hdr.onepipe.timestamp[37:6] });
        md.early = md.time - md.said;
        md.commit_early = md.time - md.commit_said;
        md.over = md.said - md.commit_said;
        IF_OURS {
            inputs.apply();
        }
        members.apply();
        senders.apply();
        IF_OURS {
            admission.apply();
        }
    }
}

#endif
