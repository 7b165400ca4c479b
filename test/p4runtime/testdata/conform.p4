/* A program with one of everything that P4Runtime speaks of, for TestConformance.
 *
 *   byte 0 of a packet says what happens to it:
 *     1 exact  2 lpm  3 tcam  4 fixed  5 mixed  6 keyless  7 idle   the table that sends it, or drops it
 *     8  multicast group b          9  to the controller            10  colour of a meter, then port 2
 *     11 register word[0], then port 2                              12  digest, then port 2
 *     14 chosen  15 also  16 sticky  17 named  18 balanced          tables with action profiles
 *     13 register pair[0], then port 2
 *     19 by the value set marked, 20 by the value set areas: port 5 for what is in it, else port 6
 *     21 the table metered_t, then port 2: the colour of the entry's meter is in c
 */
#include <core.p4>
#include <tna.p4>

match_kind { optional }

const PortId_t PORT_CPU = 64;

/* From the ingress to the egress of one packet. */
header bridge_h { bit<7> pad; PortId_t ingress_port; }

header frame_h { bit<8> what; bit<32> a; bit<16> b; bit<8> c; }

@controller_header("packet_in")
header packet_in_h { @id(2) bit<7> pad; @id(1) PortId_t ingress_port; }

@controller_header("packet_out")
header packet_out_h { @id(2) bit<7> pad; @id(1) PortId_t egress_port; }

struct headers_t { bridge_h bridge; packet_in_h packet_in; packet_out_h packet_out; frame_h frame; }
struct meta_t { bit<12> tag; bit<1> chosen; }
struct seen_t { bit<32> a; bit<16> b; }
struct area_t { @match(ternary) bit<32> a; @match(range) bit<16> b; }
struct pair_t { bit<32> x; bit<32> y; }

parser IgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    @id(0x03000001) value_set<bit<8>>(2) marked;
    @id(0x03000002) value_set<area_t>(2) areas;
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        md = { 0, 0 };
        transition select(ig_intr_md.ingress_port) {
            PORT_CPU: out_of_band;
            default: frame;
        }
    }
    state out_of_band { pkt.extract(hdr.packet_out); transition accept; }
    state frame {
        pkt.extract(hdr.frame);
        transition select(hdr.frame.what, hdr.frame.c) {
            (19, marked): chosen;
            (20, _): area;
            default: accept;
        }
    }
    state area { transition select(hdr.frame.a, hdr.frame.b) { areas: chosen; default: accept; } }
    state chosen { md.chosen = 1; transition accept; }
}

control Ig(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md,
           in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
           inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
           inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
#ifdef DIRECT /* XDP has no direct counters */
    @id(0x13000001) DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) hits;
    @id(0x13000002) DirectCounter<bit<64>>(CounterType_t.PACKETS) fixed_hits;
#define COUNT(counter) counter.count();
#define COUNTERS(counter) counters = counter;
#else
#define COUNT(counter)
#define COUNTERS(counter)
#endif
    @id(0x12000001) Counter<bit<64>, PortId_t>(8, CounterType_t.PACKETS_AND_BYTES) count;
    @id(0x14000001) Meter<bit<3>>(8, MeterType_t.PACKETS) rate;
    @id(0x16000001) Register<bit<32>, bit<3>>(8, 7) word;
    RegisterAction<bit<32>, bit<3>, bit<32>>(word) read_word = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    @id(0x16000002) Register<pair_t, bit<3>>(8, { 1, 2 }) pair;
    RegisterAction<pair_t, bit<3>, bit<32>>(pair) read_pair = {
        void apply(inout pair_t value, out bit<32> result) { result = value.y; }
    };

    @id(0x01000001) action fwd(PortId_t port, bit<12> tag) {
        ig_tm_md.ucast_egress_port = port;
        md.tag = tag;
    }
    @id(0x01000002) action deny() { ig_dprsr_md.drop_ctl = 1; }
    @id(0x01000003) action otherwise() { ig_tm_md.ucast_egress_port = 3; }
    @id(0x01000004) action counted(PortId_t port, bit<12> tag) {
        ig_tm_md.ucast_egress_port = port;
        md.tag = tag;
        COUNT(hits)
    }
    @id(0x01000005) action fixed_fwd(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
        COUNT(fixed_hits)
    }

    @id(0x02000001) table exact_t {
        key = { hdr.frame.a : exact @name("a"); hdr.frame.b : exact @name("b"); }
        actions = { counted; @tableonly deny; @defaultonly otherwise; }
        default_action = otherwise();
        COUNTERS(hits)
        size = 4;
    }
    @id(0x02000002) table lpm_t {
        key = { hdr.frame.a : lpm @name("a"); }
        actions = { fwd; deny; }
        default_action = deny();
        size = 64;
    }
    @id(0x02000003) table tcam_t {
        key = { hdr.frame.a : ternary @name("t"); hdr.frame.b : range @name("r"); hdr.frame.c : optional @name("o"); }
        actions = { fwd; deny; }
        default_action = deny();
        size = 64;
    }
    @id(0x02000004) table fixed_t {
        key = { hdr.frame.a : ternary @name("a"); }
        actions = { fixed_fwd; deny; }
        const default_action = deny();
        const entries = {
            0x0a000000 &&& 0xff000000 : fixed_fwd(7);
            0x0b000000 &&& 0xff000000 : fixed_fwd(5);
        }
        COUNTERS(fixed_hits)
        size = 2;
    }
    @id(0x02000005) table mixed_t {
        key = { hdr.frame.b : exact @name("b"); }
        actions = { fwd; deny; }
        default_action = deny();
        entries = {
            const 1 : fwd(1, 1);
            2 : fwd(2, 2);
        }
        size = 8;
    }
    @id(0x02000006) table keyless_t {
        actions = { fwd; deny; }
        default_action = deny();
        size = 1;
    }
    @id(0x02000007) table idle_t {
        key = { hdr.frame.a : exact @name("a"); }
        actions = { fwd; @defaultonly deny; }
        default_action = deny();
        idle_timeout = true;
        size = 16;
    }

    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) same;
    @id(0x11000001) ActionProfile(8) next;
    ActionSelector(next, same, SelectorMode_t.FAIR, 4, 3) balance;
    @id(0x11000002) ActionProfile(16) sticky;
    ActionSelector(sticky, same, SelectorMode_t.RESILIENT, 8, 2) keep;
    @id(0x11000003) ActionProfile(2) named;

    @id(0x02000008) table chosen_t {
        key = { hdr.frame.b : exact @name("b"); hdr.frame.a : selector; }
        actions = { fwd; deny; }
        default_action = deny();
        implementation = balance;
        size = 8;
    }
    @id(0x02000009) table also_t {
        key = { hdr.frame.c : ternary @name("c"); hdr.frame.a : selector; }
        actions = { fwd; deny; }
        const default_action = deny();
        implementation = balance;
        size = 8;
    }
    @id(0x0200000a) table sticky_t {
        key = { hdr.frame.b : exact @name("b"); hdr.frame.a : selector; }
        actions = { fwd; deny; }
        default_action = deny();
        implementation = keep;
        size = 8;
    }
    @id(0x0200000b) table named_t {
        key = { hdr.frame.b : exact @name("b"); }
        actions = { fwd; @defaultonly otherwise; }
        default_action = otherwise();
        implementation = named;
        size = 8;
    }

#ifdef DIRECT
    @id(0x13000003) DirectCounter<bit<64>>(CounterType_t.PACKETS) balanced_hits;
    @id(0x11000004) ActionProfile(8) counted_next;
    ActionSelector(counted_next, same, SelectorMode_t.FAIR, 4, 4) counted_balance;
    @id(0x01000006) action balanced(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
        balanced_hits.count();
    }
    @id(0x0200000c) table balanced_t {
        key = { hdr.frame.b : exact @name("b"); hdr.frame.a : selector; }
        actions = { balanced; @defaultonly deny; }
        const default_action = deny();
        implementation = counted_balance;
        counters = balanced_hits;
        size = 8;
    }
#endif

    @id(0x15000001) DirectMeter(MeterType_t.PACKETS) limit;
    @id(0x01000010) action metered() { hdr.frame.c = limit.execute(); }
    @id(0x01000011) action unmetered() { hdr.frame.c = 7; }
    @id(0x0200000d) table metered_t {
        key = { hdr.frame.b : exact @name("b"); }
        actions = { metered; unmetered; }
        default_action = metered();
        meters = limit;
        size = 4;
    }

    apply {
        hdr.bridge.setValid();
        hdr.bridge.pad = 0;
        hdr.bridge.ingress_port = ig_intr_md.ingress_port;
        if (hdr.packet_out.isValid()) {
            ig_tm_md.ucast_egress_port = hdr.packet_out.egress_port;
        } else {
            count.count(ig_intr_md.ingress_port);
            if (hdr.frame.what == 1) { exact_t.apply(); }
            else if (hdr.frame.what == 2) { lpm_t.apply(); }
            else if (hdr.frame.what == 3) { tcam_t.apply(); }
            else if (hdr.frame.what == 4) { fixed_t.apply(); }
            else if (hdr.frame.what == 5) { mixed_t.apply(); }
            else if (hdr.frame.what == 6) { keyless_t.apply(); }
            else if (hdr.frame.what == 7) { idle_t.apply(); }
            else if (hdr.frame.what == 8) { ig_tm_md.mcast_grp_a = hdr.frame.b; }
            else if (hdr.frame.what == 9) {
                ig_tm_md.ucast_egress_port = PORT_CPU;
            } else if (hdr.frame.what == 10) {
                hdr.frame.c = rate.execute(0);
                ig_tm_md.ucast_egress_port = 2;
            } else if (hdr.frame.what == 11) {
                hdr.frame.a = read_word.execute(0);
                ig_tm_md.ucast_egress_port = 2;
            } else if (hdr.frame.what == 12) {
                ig_dprsr_md.digest_type = 1;
                ig_tm_md.ucast_egress_port = 2;
            } else if (hdr.frame.what == 13) {
                hdr.frame.a = read_pair.execute(0);
                ig_tm_md.ucast_egress_port = 2;
            } else if (hdr.frame.what == 21) {
                metered_t.apply();
                ig_tm_md.ucast_egress_port = 2;
            } else if (hdr.frame.what == 19 || hdr.frame.what == 20) {
                ig_tm_md.ucast_egress_port = md.chosen == 1 ? (PortId_t)5 : 6;
            }
            else if (hdr.frame.what == 14) { chosen_t.apply(); }
            else if (hdr.frame.what == 15) { also_t.apply(); }
            else if (hdr.frame.what == 16) { sticky_t.apply(); }
            else if (hdr.frame.what == 17) { named_t.apply(); }
#ifdef DIRECT
            else if (hdr.frame.what == 18) { balanced_t.apply(); }
#endif
#ifdef CHANGED /* another program, with the same tables */
            else if (hdr.frame.what == 99) { ig_tm_md.ucast_egress_port = 9; }
#endif
        }
    }
}

control IgDprs(packet_out pkt, inout headers_t hdr, in meta_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    @id(0x17000001) Digest<seen_t>(1) seen;
    apply {
        if (ig_dprsr_md.digest_type == 1) { seen.pack({ hdr.frame.a, hdr.frame.b }); }
        pkt.emit(hdr.bridge);
        pkt.emit(hdr.frame);
    }
}

parser EgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); pkt.extract(hdr.bridge); md = { 0, 0 }; transition accept; }
}
control Eg(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md,
           in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
           inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
           inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply {
        if (eg_intr_md.egress_port == PORT_CPU) {
            hdr.packet_in.setValid();
            hdr.packet_in.pad = 0;
            hdr.packet_in.ingress_port = hdr.bridge.ingress_port;
        }
    }
}
control EgDprs(packet_out pkt, inout headers_t hdr, in meta_t md, in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply { pkt.emit(hdr.packet_in); }
}

Pipeline(IgPrsr(), Ig(), IgDprs(), EgPrsr(), Eg(), EgDprs()) pipe;
Switch(pipe) main;
