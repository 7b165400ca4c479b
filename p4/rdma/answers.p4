/* What replicas say to the leader, in the gress that has the group's state: ACKs and NAKs are
 * gathered, CNPs are limited. What is not let through is dropped here.
 */
#ifndef P4CE_ANSWERS_P4
#define P4CE_ANSWERS_P4

control Answers(inout headers_t hdr, inout gather_metadata_t md, in bit<48> time, inout bit<3> drop_ctl) {
    @id(0x12000014) @brief("ACKs, NAKs and CNPs of groups dropped, per reason (DROP_*)")
    Counter<bit<64>, drop_t>(16, CounterType_t.PACKETS) answer_drops;

    Gather() gather;
    Cnp() cnp;

    apply {
        if (md.class == CLASS_ACK || md.class == CLASS_NAK) {
            if (md.fresh == 1) {
                gather.apply(hdr, md, drop_ctl);
            } else {
                md.answer_drop = DROP_WINDOW;
                drop_ctl = 1;
            }
        } else if (md.class == CLASS_CNP) {
            cnp.apply(md, time, drop_ctl);
#ifdef GATHER_IN_EGRESS
        } else { /* a request has been heard of, and goes no further */
            drop_ctl = 1;
#endif
        }
        if (md.answer_drop != DROP_NONE) {
            answer_drops.count(md.answer_drop);
        }
    }
}

#endif
