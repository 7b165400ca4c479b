/* Leader -> replicas: is the request allowed, and to which copies.
 *
 *   CLASS_WRITE --> +------------------+ allowed
 *                   | check (const)    |--------+--> multicast group
 *                   | R_key, bounds    |        |
 *                   +------------------+        |
 *                      | refused: CPU,          |
 *                      v the controller NAKs    |
 *   CLASS_COPY ---------------------------------+
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

    /* Zero must be: the XOR of the keys, the high half of the address, what of
     * the first byte's address is above the region; and what of the end (the
     * address behind the last byte) is above, unless it is the region's end.
     * A length of 2^31 and more has wrapped around to such an end. */
    @id(0x02000020)
    table check {
        key = {
            md.key_diff : ternary;
            hdr.reth.va[63:32] : ternary @name("va_high");
            md.start_over : ternary;
            md.end_over : ternary;
            md.end_left : ternary;
            hdr.reth.length : ternary;
        }
        actions = { allowed; remote_access; }
        const default_action = remote_access();
        const entries = {
            (0, 0, 0, 0, _, 0 &&& 0x80000000) : allowed();
            (0, 0, 0, _, 0, _) : allowed();
        }
        size = 4;
    }

    apply {
        if (md.class == CLASS_WRITE) {
            check.apply();
        }
        if (md.reason == REASON_NONE) {
            ig_tm_md.mcast_grp_a = md.multicast_group;
            hdr.bridge.kind = KIND_SCATTER;
            scattered.count(md.group);
        }
    }
}

#endif
