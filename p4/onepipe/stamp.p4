/* The barriers that a packet leaves with, and the beacons that go no further.
 *
 *   +-------------+   +-----------------+   +-------------+
 *   | outputs     |   | lanes           |   | promised    | rose: out it goes
 *   | egress_port |-->| what each pipe  |-->| egress_port |-> a beacon that raises nothing
 *   | -> up, down |   | promised here   |   |             |   for this port ends here
 *   +-------------+   +-----------------+   +-------------+
 *
 * outputs   which promise a port waits for (below: up; all: down), the switch's addresses on this
 *           link for beacons, and the pipes that count for the port.
 * lanes     with several pipes: what leaves by a port waits for all that have inputs that count. What
 *           comes by one pipe for one port stays in order, and only that: so each port has registers
 *           of its own.
 * promised  the highest barriers that have left by the port. The controller admits a link when it
 *           has reached them.
 */
#ifndef P4CE_ONEPIPE_STAMP_P4
#define P4CE_ONEPIPE_STAMP_P4

#if PIPES > 1
/* The lane of pipe n, with a register per port, as the first level of the tree. */
#define LANE_REGISTER(n)                                                      \
    Register<bit<32>, PortId_t>(512) lane##n;                                 \
    RegisterAction<bit<32>, PortId_t, bit<1>>(lane##n) lane##n##_raise = {    \
        void apply(inout bit<32> held) {                                      \
            if ((int<32>)(held - own) < 0) {                                  \
                held = own;                                                   \
            }                                                                 \
        }                                                                     \
    };                                                                        \
    RegisterAction<bit<32>, PortId_t, bit<32>>(lane##n) lane##n##_ahead = {   \
        void apply(inout bit<32> held, out bit<32> by) {                      \
            by = held - own;                                                  \
        }                                                                     \
    };                                                                        \
    action own_lane##n() {                                                    \
        lane##n##_raise.execute(port);                                        \
    }                                                                         \
    action other_lane##n() {                                                  \
        ahead##n = (int<32>)lane##n##_ahead.execute(port);                    \
    }                                                                         \
    table lanes##n {                                                          \
        key = { from[8:7] : ternary @name("lane"); counted[n:n] : ternary @name("counted"); }\
        actions = { own_lane##n; other_lane##n; NoAction; }                   \
        const default_action = NoAction();                                    \
        const entries = {                                                     \
            (n, _) : own_lane##n();                                           \
            (_, 1) : other_lane##n();                                         \
        }                                                                     \
        size = 2;                                                             \
    }

control Lanes(inout bit<32> own, in PortId_t port, in PortId_t from, in bit<4> counted) {
    int<32> ahead0 = 0;
    int<32> ahead1 = 0;

    LANE_REGISTER(0)
    LANE_REGISTER(1)
#if PIPES > 2
    int<32> ahead2 = 0;
    int<32> ahead3 = 0;

    LANE_REGISTER(2)
    LANE_REGISTER(3)
#endif

    apply {
        lanes0.apply();
        lanes1.apply();
#if PIPES > 2
        lanes2.apply();
        lanes3.apply();
#endif
        ahead0 = min(ahead0, ahead1);
#if PIPES > 2
        ahead2 = min(ahead2, ahead3);
        ahead0 = min(ahead0, ahead2);
#endif
        own = own + (bit<32>)ahead0;
    }
}
#endif

/* The highest barrier that has left by a port. */
control Promised(in bit<32> leaving, in PortId_t port, out bit<1> rose) {
    Register<bit<32>, PortId_t>(512) promised;
    RegisterAction<bit<32>, PortId_t, bit<1>>(promised) promised_raise = {
        void apply(inout bit<32> held, out bit<1> higher) {
            if ((int<32>)(held - leaving) < 0) {
                held = leaving;
                higher = 1;
            } else {
                higher = 0;
            }
        }
    };

    apply {
        rose = promised_raise.execute(port);
    }
}

control Stamp(inout headers_t hdr,
              inout egress_metadata_t md,
              in egress_intrinsic_metadata_t eg_intr_md,
              inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
#ifndef BEACONS_BY_CPU
    @id(0x12000020) @brief("Beacons that leave, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS) beacons;
#endif
    @id(0x12000021) @brief("Our packets to a port that is not an output, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS) unlinked;

    @id(0x01000020)
    action up(bit<48> mac, bit<32> ip, bit<4> lanes, bit<4> commit_lanes) {
        md.output = OUTPUT_UP;
        md.barrier = hdr.bridge.below;
        md.commit = hdr.bridge.commit_below;
        md.lanes = lanes;
        md.commit_lanes = commit_lanes;
        md.mac = mac;
        md.ip = ip;
    }

    @id(0x01000021)
    action down(bit<48> mac, bit<32> ip, bit<4> lanes, bit<4> commit_lanes) {
        md.output = OUTPUT_DOWN;
        md.barrier = hdr.bridge.all;
        md.commit = hdr.bridge.commit_all;
        md.lanes = lanes;
        md.commit_lanes = commit_lanes;
        md.mac = mac;
        md.ip = ip;
    }

    @id(0x02000020)
    table outputs {
        key = { eg_intr_md.egress_port : exact; }
        actions = { up; down; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 512;
    }

#ifndef BEACONS_BY_CPU
#if PIPES > 1
    Lanes() lanes;
    Lanes() commit_lanes;
#endif
    Promised() best_effort;
    Promised() commit;
#endif

    apply {
        if (hdr.bridge.order[31:31] == 1) {
            hdr.bridge.all = hdr.bridge.below;
        }
        if (hdr.bridge.commit_order[31:31] == 1) {
            hdr.bridge.commit_all = hdr.bridge.commit_below;
        }
        outputs.apply();
        if (md.output == OUTPUT_NONE) {
            eg_dprsr_md.drop_ctl = 1;
            unlinked.count(eg_intr_md.egress_port);
#ifdef BEACONS_BY_CPU
        } else {
            hdr.onepipe.flags = hdr.onepipe.flags | FLAG_UNSTAMPED;
        }
#else
        } else if ((hdr.onepipe.flags & FLAG_UNSTAMPED) == 0) {
#if PIPES > 1
            lanes.apply(md.barrier, eg_intr_md.egress_port, hdr.bridge.ingress_port, md.lanes);
            commit_lanes.apply(md.commit, eg_intr_md.egress_port, hdr.bridge.ingress_port, md.commit_lanes);
#endif
            best_effort.apply(md.barrier, eg_intr_md.egress_port, md.rose);
            commit.apply(md.commit, eg_intr_md.egress_port, md.commit_rose);
            hdr.onepipe.barrier = md.barrier;
            hdr.onepipe.commit = md.commit;
            if (hdr.bridge.path == PATH_BEACON) {
                if (md.rose == 0 && md.commit_rose == 0) {
                    eg_dprsr_md.drop_ctl = 1;
                } else {
                    hdr.ethernet.src = md.mac;
                    hdr.ipv4.src = md.ip;
                    beacons.count(eg_intr_md.egress_port);
                }
            }
        }
#endif
    }
}

#endif
