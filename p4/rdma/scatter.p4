/* Leader -> replicas: is the request allowed, and to which copies.
 *
 *   CLASS_WRITE --> +------------+     +------------------+ allowed
 *                   | region     | --> | check (const)    |--------+--> multicast group
 *                   | VA, prefix |     | R_key, bounds    |        |
 *                   +------------+     +------------------+        |
 *                                         | refused: CPU,          |
 *                                         v the controller NAKs    |
 *   CLASS_COPY ----------------------------------------------------+
 *
 * region  one entry per region of a group beside its first one, which begins at VA 0. Regions
 *         are as large as a power of two, and begin at a multiple of that: a prefix of the VA
 *         says that a WRITE begins in one. Its copies have a multicast group of their own, and so
 *         entries in `endpoint`, with the R_key and place of each replica's region.
 *
 * A relay does the same with what the home has sent it, and drops what the home would
 * not have let through.
 *
 * A MIDDLE or LAST has no RETH; it is let through, because a replica accepts it
 * only behind the FIRST that was checked.
 */
#ifndef P4CE_SCATTER_P4
#define P4CE_SCATTER_P4

control Scatter(inout headers_t hdr,
                inout ingress_metadata_t md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    @id(0x12000001) @brief("Requests scattered, per group")
    Counter<bit<64>, bit<16>>(GROUPS, CounterType_t.PACKETS_AND_BYTES) scattered;

    @id(0x01000020)
    action allowed() {
    }

    @id(0x01000021)
    action remote_access() {
        md.reason = REASON_REMOTE_ACCESS;
    }

    /* The home would have refused it: it is not from there. */
    @id(0x01000022)
    action not_from_home() {
        md.drop = DROP_RELAY_ACCESS;
    }

    /* minus_end: 2^32 less the address behind the region. */
    @id(0x01000023)
    action in_region(bit<16> multicast_group, bit<32> minus_end) {
        md.multicast_group = multicast_group;
        md.start_over = 0;
        md.end_left = md.end + minus_end;
    }

    @id(0x02000021)
    table region {
        key = {
            md.group : exact @name("group");
            hdr.reth.va[31:0] : lpm @name("va");
        }
        actions = { in_region; @defaultonly NoAction; }
        const default_action = NoAction();
        size = REGIONS;
    }

    /* Zero must be: the XOR of the keys, the high half of the address, and what of
     * the first byte's address is above the region. The end (the address behind the
     * last byte) is the region's, or before it: regions and lengths are no longer than
     * 2^31, so that the sign of the difference says so. A length of 2^31 ends with the region. */
    @id(0x02000020)
    table check {
        key = {
            md.class : ternary;
            md.key_diff : ternary;
            hdr.reth.va[63:32] : ternary @name("va_high");
            md.start_over : ternary;
            md.end_left : ternary;
            hdr.reth.length : ternary;
        }
        actions = { allowed; remote_access; not_from_home; }
        const default_action = remote_access();
        const entries = {
            (_, 0, 0, 0, 0x80000000 &&& 0x80000000, 0 &&& 0x80000000) : allowed();
            (_, 0, 0, 0, 0, _) : allowed();
            (CLASS_RELAY_WRITE, _, _, _, _, _) : not_from_home();
        }
        size = 4;
    }

    apply {
        if (md.class == CLASS_WRITE || md.class == CLASS_RELAY_WRITE) {
            region.apply();
            check.apply();
        }
        if (md.reason == REASON_NONE && md.drop == DROP_NONE) {
            ig_tm_md.mcast_grp_a = md.multicast_group;
            hdr.bridge.kind = KIND_SCATTER;
#ifdef GATHER_IN_EGRESS
            hdr.bridge.group = md.group;
            hdr.bridge.psn = md.p;
#endif
            scattered.count(md.group);
        }
    }
}

#endif
