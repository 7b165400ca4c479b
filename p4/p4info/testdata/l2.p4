// A small switch with one of everything that a p4info describes.
#include <core.p4>
#include <tna.p4>

header ethernet_h {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

@controller_header("packet_in")
header packet_in_h {
    PortId_t ingress_port;
    bit<7> pad;
}

@controller_header("packet_out")
header packet_out_h {
    @id(5) PortId_t egress_port;
    @hidden bit<7> pad;
}

struct headers_t {
    packet_in_h packet_in;
    packet_out_h packet_out;
    ethernet_h ethernet;
}

struct metadata_t {
    bit<1> learn;
    bit<32> seen;
}

struct learn_t {
    bit<48> mac;
    PortId_t port;
    bool fresh;
}

struct pair_t {
    bit<32> lo;
    bit<32> hi;
}

parser Prsr(packet_in pkt, out headers_t hdr, out metadata_t md,
            out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        transition parse_ethernet;
    }
    state parse_ethernet {
        pkt.extract(hdr.ethernet);
        transition accept;
    }
}

control Acl(in headers_t hdr, inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    @name("deny") action drop_it() { ig_dprsr_md.drop_ctl = 1; }
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) hits;
    action permit() { hits.count(); }
    @brief("access control") @description("first " "match wins")
    table rules {
        key = {
            hdr.ethernet.src : ternary @name("source") @id(7) @format(MAC_ADDRESS);
            hdr.ethernet.dst[47:24] : lpm;
            hdr.ethernet.isValid() : exact;
            hdr.ethernet.type : range;
        }
        actions = { drop_it; @tableonly permit; }
        default_action = drop_it();
        counters = hits;
    }
    apply { rules.apply(); }
}

control Ctl(inout headers_t hdr, inout metadata_t md,
            in ingress_intrinsic_metadata_t ig_intr_md,
            in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
            inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
            inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Acl() acl_in;
    @id(0x12000001) Counter<bit<64>, PortId_t>(512, CounterType_t.BYTES) rx;
    @id(9) Register<bit<32>, bit<8>>(256) last;
    Register<pair_t, bit<8>>(256, {1, 2}) pairs;
    RegisterAction<bit<32>, bit<8>, bit<32>>(last) swap = {
        void apply(inout bit<32> v, out bit<32> old) {
            old = v;
            v = hdr.ethernet.dst[31:0];
        }
    };

    action forward(@id(3) PortId_t port, bit<1> learn, bool flood) {
        ig_tm_md.ucast_egress_port = port;
        md.learn = learn;
    }
    action multicast(MulticastGroupId_t group) { ig_tm_md.mcast_grp_a = group; }
    @hidden action none() { }

    @id(0x02000007)
    table dmac {
        key = { hdr.ethernet.dst : exact; }
        actions = { forward; multicast; @defaultonly NoAction; }
        const default_action = NoAction();
        idle_timeout = true;
        size = 4096;
    }
    table fixed {
        key = { ig_intr_md.ingress_port : exact; }
        actions = { forward; none; }
        default_action = forward(5, 1, false);
        const entries = {
            1 : forward(2, 0, true);
            2 : none();
        }
        size = 8;
    }
    apply {
        rx.count(ig_intr_md.ingress_port);
        md.seen = swap.execute(hdr.ethernet.dst[7:0]);
        acl_in.apply(hdr, ig_dprsr_md);
        if (!dmac.apply().hit) {
            fixed.apply();
        }
    }
}

control Dprs(packet_out pkt, inout headers_t hdr, in metadata_t md,
             in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
             in ingress_intrinsic_metadata_t ig_intr_md) {
    Digest<learn_t>(1) learn;
    apply {
        if (ig_dprsr_md.digest_type == 1) {
            learn.pack({hdr.ethernet.src, ig_intr_md.ingress_port, true});
        }
        pkt.emit(hdr);
    }
}

parser EgPrsr(packet_in pkt, out headers_t hdr, out metadata_t md,
              out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        transition accept;
    }
}

control EgCtl(inout headers_t hdr, inout metadata_t md,
              in egress_intrinsic_metadata_t eg_intr_md,
              in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
              inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
              inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply { }
}

control EgDprs(packet_out pkt, inout headers_t hdr, in metadata_t md) {
    apply { }
}

Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;

@pkginfo(name="l2.p4", version="1.2", organization="p4ce")
@brief("a test")
Switch(pipe) main;
