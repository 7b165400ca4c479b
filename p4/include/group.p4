/* Which group a packet belongs to, and what it is to the group.
 *
 *   +------------------------+     +----------------------+
 *   | qp                     |     | classify (const)     |
 *   | ipv4.src, ipv4.dst,    | --> | role, opcode,        | --> CLASS_*, or
 *   | bth.dst_qp             |     | kind of AETH         |     refused / dropped
 *   | -> scatter: leader     |     +----------------------+
 *   | -> gather: replica     |
 *   +------------------------+
 *
 * qp  one entry per endpoint of a group: BCastQP from the leader, AggrQP from
 *     each replica. The source address is part of the key: nobody else can use
 *     a group's queue pairs.
 */
#ifndef P4CE_GROUP_P4
#define P4CE_GROUP_P4

control Group(inout headers_t hdr, inout ingress_metadata_t md) {
    /* group: index of the registers. multicast_group: the replicas. rkey:
     * the virtual R_key. region_mask: -size, size a power of two. */
    @id(0x01000010)
    action scatter(bit<16> group, bit<16> multicast_group,
                   bit<32> rkey, bit<32> region_mask) {
        md.role = ROLE_SCATTER;
        md.group = group;
        md.multicast_group = multicast_group;
        md.key_diff = hdr.reth.rkey ^ rkey;
        md.region_mask = region_mask;
        md.start_over = hdr.reth.va[31:0] & region_mask;
        md.end = hdr.reth.va[31:0] + hdr.reth.length;
    }

    /* slot: this replica's. delta: the leader's PSN minus its, shifted domain.
     * members: bit mask of the group's slots. f: replicas that make a quorum.
     * leader_port: where ACKs leave. icrc: correction for what is rewritten by
     * constants on the way to the leader (addresses, QPN). */
    @id(0x01000011)
    action gather(bit<16> group, bit<8> slot, bit<32> delta, bit<8> members,
                  bit<4> f, PortId_t leader_port, bit<32> icrc) {
        md.role = ROLE_GATHER;
        md.group = group;
        md.slot = slot;
        md.p = md.p + delta;
        md.members = members;
        md.f = f;
        md.leader_port = leader_port;
        hdr.bridge.group = group;
        hdr.bridge.icrc = icrc;
    }

    @id(0x02000010)
    table qp {
        key = {
            hdr.ipv4.src : exact;
            hdr.ipv4.dst : exact;
            hdr.bth.dst_qp : exact;
        }
        actions = { scatter; gather; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 36864;
    }

    @id(0x01000012)
    action copy() {
        md.class = CLASS_COPY;
    }

    @id(0x01000013)
    action write() {
        md.class = CLASS_WRITE;
        md.end_over = md.end & md.region_mask;
        md.end_left = md.end + md.region_mask;
    }

    @id(0x01000014)
    action ack() {
        md.class = CLASS_ACK;
        md.creditors = md.members;
        md.floor = md.p - WINDOW;
    }

    /* A NAK of e acknowledges what is before e. */
    @id(0x01000015)
    action nak() {
        md.class = CLASS_NAK;
        md.floor = md.p - (WINDOW + 0x100);
        md.p = md.p - 0x100;
    }

    @id(0x01000016)
    action cnp() {
        md.class = CLASS_CNP;
    }

    @id(0x01000017)
    action invalid_request() {
        md.reason = REASON_INVALID_REQUEST;
    }

    @id(0x01000018)
    action bad_opcode() {
        md.drop = DROP_BAD_OPCODE;
    }

    @id(0x01000019)
    action bad_syndrome() {
        md.drop = DROP_BAD_SYNDROME;
    }

    @id(0x02000011)
    table classify {
        key = {
            md.role : exact;
            hdr.bth.opcode : ternary @name("opcode");
            hdr.aeth.syndrome[7:5] : ternary @name("syndrome_kind");
        }
        actions = { copy; write; ack; nak; cnp; invalid_request; bad_opcode; bad_syndrome; }
        const default_action = bad_opcode();
        const entries = {
            (ROLE_SCATTER, 0x00 &&& 0xfc, _) : copy();  /* SEND first, middle, last, last imm */
            (ROLE_SCATTER, RC_SEND_ONLY, _) : copy();
            (ROLE_SCATTER, RC_SEND_ONLY_IMM, _) : copy();
            (ROLE_SCATTER, RC_WRITE_FIRST, _) : write();
            (ROLE_SCATTER, RC_WRITE_MIDDLE, _) : copy();
            (ROLE_SCATTER, RC_WRITE_LAST, _) : copy();
            (ROLE_SCATTER, RC_WRITE_LAST_IMM, _) : copy();
            (ROLE_SCATTER, RC_WRITE_ONLY, _) : write();
            (ROLE_SCATTER, RC_WRITE_ONLY_IMM, _) : write();
            (ROLE_SCATTER, RC_READ_REQUEST, _) : invalid_request();
            (ROLE_SCATTER, RC_COMPARE_SWAP, _) : invalid_request();
            (ROLE_SCATTER, RC_FETCH_ADD, _) : invalid_request();
            (ROLE_GATHER, RC_ACK, 0) : ack();
            (ROLE_GATHER, RC_ACK, 1) : nak();           /* RNR */
            (ROLE_GATHER, RC_ACK, 3) : nak();
            (ROLE_GATHER, RC_ACK, _) : bad_syndrome();
            (ROLE_GATHER, CNP, _) : cnp();
        }
        size = 32;
    }

    apply {
        if (hdr.bth.isValid()) {
            qp.apply();
        }
        if (md.role != ROLE_NONE) {
            classify.apply();
        }
    }
}

#endif
