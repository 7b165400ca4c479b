/* Congestion notifications of replicas: to the leader, at most one per group
 * and interval. A group of n replicas behind one congested leader port would
 * otherwise cut the leader's rate n times for one cause.
 *
 *   CNP --> +--------------+ --> +----------+ first in the interval --> leader
 *           | cnp_interval |     | last_cnp |
 *           | (no key)     |     | per group| else --> dropped, counted
 *           +--------------+     +----------+
 *
 * cnp_interval  its default action is the interval, for all groups.
 */
#ifndef P4CE_CNP_P4
#define P4CE_CNP_P4

control Cnp(inout gather_metadata_t md, in bit<48> time, inout bit<3> drop_ctl) {
    @id(0x12000006) @brief("CNPs sent to the leader, per group")
    Counter<bit<64>, bit<16>>(GROUPS, CounterType_t.PACKETS) cnps;

    @id(0x16000002) @brief("Time of the last CNP sent to the leader, in 256 ns")
    Register<bit<32>, bit<16>>(GROUPS) last_cnp;

    /* Passes when the last one is an interval ago, or so long ago that the
     * difference has wrapped. */
    RegisterAction<bit<32>, bit<16>, bit<1>>(last_cnp) limit = {
        void apply(inout bit<32> last, out bit<1> pass) {
            if ((int<32>)(md.before - last) >= 0 || (int<32>)(md.now - last) < 0) {
                last = md.now;
                pass = 1;
            } else {
                pass = 0;
            }
        }
    };

    /* In units of 256 ns; 0 lets every CNP through. */
    @id(0x01000057)
    action interval(bit<32> units) {
        md.interval = units;
    }

    @id(0x02000057)
    table cnp_interval {
        actions = { interval; }
        default_action = interval(CNP_INTERVAL);
        size = 1;
    }

    apply {
        md.now = time[39:8];
        cnp_interval.apply();
        md.before = md.now - md.interval;
        md.cnp_pass = limit.execute(md.group);
        if (md.cnp_pass == 1) {
            cnps.count(md.group);
        } else {
            md.answer_drop = DROP_CNP_LIMITED;
            drop_ctl = 1;
        }
    }
}

#endif
