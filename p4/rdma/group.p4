/* Which group a packet belongs to, and what it is to the group.
 *
 *   +--------------+     +------------------------+     +----------------------+
 *   | port_group   |     | qp                     |     | classify (const)     |
 *   | ingress_port | --> | ipv4.src, ipv4.dst,    | --> | role, opcode,        | --> CLASS_*,
 *   +--------------+     | bth.dst_qp, port_group |     | kind of AETH, intact |     or refused
 *   ICRC of ACK, NAK,    | -> scatter: leader     |     +----------------------+     or dropped
 *   CNP --> intact       | -> gather: replica     |                ^
 *             |          +------------------------+                |
 *             +----------------------------------------------------+
 *
 * port_group  ../lib/ports.p4
 * qp          one entry per endpoint of a group: BCastQP from the leader, AggrQP
 *             from each replica; and, at a relay, BCastQP from the group's home to the
 *             replica that represents those behind the relay. Source address and port are part of the key:
 *             nobody else can use a group's queue pairs.
 *
 * ACKs, NAKs and CNPs end behind their headers, so that their ICRC can be
 * checked, and is, before anything is remembered. Requests have a payload, which a
 * switch does not see: their receivers check.
 */
#ifndef P4CE_GROUP_P4
#define P4CE_GROUP_P4

/* What the ICRC covers of the headers that all packets have: eight bytes of ones,
 * and the headers with ones for what a router may change. */
#define ICRC_COVERED                                                          \
    64w0xffffffffffffffff,                                                    \
    hdr.ipv4.version_ihl, 8w0xff, hdr.ipv4.total_len,                         \
    hdr.ipv4.identification, hdr.ipv4.flags_fragment,                         \
    8w0xff, hdr.ipv4.protocol, 16w0xffff, hdr.ipv4.src, hdr.ipv4.dst,         \
    hdr.udp.src_port, hdr.udp.dst_port, hdr.udp.length, 16w0xffff,            \
    hdr.bth.opcode, hdr.bth.flags, hdr.bth.pkey,                              \
    8w0xff, hdr.bth.dst_qp, hdr.bth.psn_word

control Group(inout headers_t hdr,
              inout ingress_metadata_t md,
              inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    CRCPolynomial<bit<32>>(0x04c11db7, true, false, false, 0xffffffff, 0xffffffff) crc32_ack;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, crc32_ack) icrc_ack;
    CRCPolynomial<bit<32>>(0x04c11db7, true, false, false, 0xffffffff, 0xffffffff) crc32_cnp;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, crc32_cnp) icrc_cnp;

    /* group: index of the registers. multicast_group: the replicas. rkey:
     * the virtual R_key. region_mask: -size, size a power of two. members: bit
     * mask of the group's slots. */
    @id(0x01000010)
    action scatter(bit<16> group, bit<16> multicast_group,
                   bit<32> rkey, bit<32> region_mask, bit<8> members) {
        md.role = ROLE_SCATTER;
        STATE.slot = SLOT_LEADER;
        md.group = group;
        md.multicast_group = multicast_group;
        STATE.members = members;
        md.key_diff = hdr.reth.rkey ^ rkey;
        md.region_mask = region_mask;
        md.start_over = hdr.reth.va[31:0] & region_mask;
        md.end = hdr.reth.va[31:0] + hdr.reth.length;
    }

    /* At a relay, which is not the group's home: from the home's address, to that of one
     * replica that represents those behind here. multicast_group: to replicas, or to
     * further relays. No state: the home knows who has acknowledged what. R_key and
     * region are what the home lets through, once more: what comes from elsewhere with
     * the home's address does not know them. The copies come from the home's address too:
     * the egress takes it from the destination, as at home. */
    @id(0x0100001d)
    action relay(bit<16> group, bit<16> multicast_group,
                 bit<32> rkey, bit<32> region_mask) {
        md.role = ROLE_RELAY;
        md.group = group;
        md.multicast_group = multicast_group;
        md.key_diff = hdr.reth.rkey ^ rkey;
        md.region_mask = region_mask;
        md.start_over = hdr.reth.va[31:0] & region_mask;
        md.end = hdr.reth.va[31:0] + hdr.reth.length;
        hdr.ipv4.dst = hdr.ipv4.src;
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
        STATE.slot = slot;
        md.p = md.p + delta;
        STATE.members = members;
        STATE.f = f;
        ig_tm_md.ucast_egress_port = leader_port;
        hdr.bridge.group = group;
        hdr.bridge.icrc = icrc;
    }

#ifdef GATHER_IN_EGRESS
    @stage(3)
#endif
    @id(0x02000010)
    table qp {
        key = {
            hdr.ipv4.src : exact;
            hdr.ipv4.dst : exact;
            hdr.bth.dst_qp : exact;
            md.port_group : exact @name("port_group");
        }
        actions = { scatter; gather; relay; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 36864;
    }

    @id(0x01000012)
    action copy() {
        md.class = CLASS_COPY;
        STATE.edge = md.p - (PSN_WINDOW - PSN_ONE);
    }

    @id(0x01000013) @own_code
    action write() {
        md.class = CLASS_WRITE;
        STATE.edge = md.p - (PSN_WINDOW - PSN_ONE);
        md.end_left = md.end + md.region_mask;
    }

    @id(0x01000014) @own_code
    action ack() {
        md.class = CLASS_ACK;
        hdr.bridge.kind = KIND_ACK;
        hdr.bridge.psn = md.p;
        STATE.edge = md.p + (PSN_WINDOW - PSN_ONE);
    }

    /* A NAK of e acknowledges what is before e. */
    @id(0x0100001e)
    action relay_copy() {
        md.class = CLASS_RELAY_COPY;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    @id(0x0100001f)
    action relay_write() {
        md.class = CLASS_RELAY_WRITE;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        md.end_left = md.end + md.region_mask;
    }

    @id(0x0100002a)
    action relay_ttl() {
        md.drop = DROP_RELAY_TTL;
    }

    @id(0x01000015)
    action nak() {
        md.class = CLASS_NAK;
        hdr.bridge.kind = KIND_NAK;
        hdr.bridge.psn = md.p - PSN_ONE;
        STATE.edge = md.p + (PSN_WINDOW - 2 * PSN_ONE);
        md.p = md.p - PSN_ONE;
    }

    @id(0x01000016)
    action cnp() {
        md.class = CLASS_CNP;
        hdr.bridge.kind = KIND_CNP;
        hdr.bridge.psn = hdr.bth.psn_word << PSN_SHIFT;
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

    @id(0x0100001c)
    action damaged() {
        md.drop = DROP_ICRC;
    }

    @id(0x02000011)
    table classify {
        key = {
            md.role : exact;
            hdr.bth.opcode : ternary @name("opcode");
            hdr.aeth.syndrome[7:5] : ternary @name("syndrome_kind");
            md.intact : ternary;
            hdr.ipv4.ttl : ternary;
        }
        actions = { copy; write; relay_copy; relay_write; relay_ttl; ack; nak; cnp; invalid_request; bad_opcode; bad_syndrome; damaged; }
        const default_action = bad_opcode();
        const entries = {
            (ROLE_SCATTER, 0x00 &&& 0xfc, _, _, _) : copy();  /* SEND first, middle, last, last imm */
            (ROLE_SCATTER, RC_SEND_ONLY, _, _, _) : copy();
            (ROLE_SCATTER, RC_SEND_ONLY_IMM, _, _, _) : copy();
            (ROLE_SCATTER, RC_WRITE_FIRST, _, _, _) : write();
            (ROLE_SCATTER, RC_WRITE_MIDDLE, _, _, _) : copy();
            (ROLE_SCATTER, RC_WRITE_LAST, _, _, _) : copy();
            (ROLE_SCATTER, RC_WRITE_LAST_IMM, _, _, _) : copy();
            (ROLE_SCATTER, RC_WRITE_ONLY, _, _, _) : write();
            (ROLE_SCATTER, RC_WRITE_ONLY_IMM, _, _, _) : write();
            (ROLE_SCATTER, RC_READ_REQUEST, _, _, _) : invalid_request();
            (ROLE_SCATTER, RC_COMPARE_SWAP, _, _, _) : invalid_request();
            (ROLE_SCATTER, RC_FETCH_ADD, _, _, _) : invalid_request();
            (ROLE_RELAY, _, _, _, 0 &&& 0xfe) : relay_ttl();
            (ROLE_RELAY, 0x00 &&& 0xfc, _, _, _) : relay_copy();
            (ROLE_RELAY, RC_SEND_ONLY, _, _, _) : relay_copy();
            (ROLE_RELAY, RC_SEND_ONLY_IMM, _, _, _) : relay_copy();
            (ROLE_RELAY, RC_WRITE_FIRST, _, _, _) : relay_write();
            (ROLE_RELAY, RC_WRITE_MIDDLE, _, _, _) : relay_copy();
            (ROLE_RELAY, RC_WRITE_LAST, _, _, _) : relay_copy();
            (ROLE_RELAY, RC_WRITE_LAST_IMM, _, _, _) : relay_copy();
            (ROLE_RELAY, RC_WRITE_ONLY, _, _, _) : relay_write();
            (ROLE_RELAY, RC_WRITE_ONLY_IMM, _, _, _) : relay_write();
            (ROLE_GATHER, RC_ACK, _, 0, _) : damaged();
            (ROLE_GATHER, CNP, _, 0, _) : damaged();
            (ROLE_GATHER, RC_ACK, 0, _, _) : ack();
            (ROLE_GATHER, RC_ACK, 1, _, _) : nak();           /* RNR */
            (ROLE_GATHER, RC_ACK, 3, _, _) : nak();
            (ROLE_GATHER, RC_ACK, _, _, _) : bad_syndrome();
            (ROLE_GATHER, CNP, _, _, _) : cnp();
        }
        size = 32;
    }

    apply {
        /* On Tofino this is done while the tables are looked up. */
        if (hdr.aeth.isValid()) {
            md.crc = icrc_ack.get({ ICRC_COVERED, hdr.aeth.syndrome, hdr.aeth.msn, hdr.icrc.crc });
        } else if (hdr.cnp.isValid()) {
            md.crc = icrc_cnp.get({ ICRC_COVERED, hdr.cnp.reserved0, hdr.cnp.reserved1, hdr.icrc.crc });
        }
        if (md.crc == ICRC_RESIDUE) {
            md.intact = 1;
        } else {
            md.intact = 0;
        }
        if (hdr.bth.isValid()) {
            qp.apply();
        }
        if (md.role != ROLE_NONE) {
            classify.apply();
        }
    }
}

#endif
