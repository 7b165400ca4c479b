// The verifier must see that a packet is long enough, whatever a state of the parser has set.
#include "frame.p4"
match_kind { optional }
header h0_t {
    bit<8> f0;
    bit<8> f1;
}
struct headers_t {
    eth_h eth;
    h0_t h0;
    h0_t h1;
}
struct pair_t { bit<8> lo; bit<8> hi; }
struct meta_t {
    bit<1> m0;
    bit<4> m1;
    bit<8> m2;
    bit<8> m3;
    bit<8> m4;
    bit<16> m5;
    bit<32> m6;
    bit<48> m7;
    int<8> m8;
    int<16> m9;
    bool m10;
}
INGRESS_PARSER(Prsr) {
    START
    state body {
        md = { 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, false };
        pkt.extract(hdr.h1);
        md.m2 = hdr.h1.f0 + 222;
        transition accept;
    }
}
INGRESS(Ctl) {
    action a72(in bit<8> p73) {
    }
    action a74(out bit<32> p75, out bool p76, out bit<8> p77) {
    }
    action a83() {
    }
    action a84(int<8> p85, bit<8> p86) {
    }
    table t82 {
        key = {
            hdr.eth.src : range @name("k0");
        }
        actions = { a83; a84; a74(md.m6, md.m10, md.m4); @defaultonly NoAction; }
        const default_action = NoAction();
        size = 64;
    }
    action a88(bit<8> p89) {
    }
    action a90() {
    }
    action a91(bit<8> p92) {
    }
    table t87 {
        key = {
            ((md.m2 & md.m2) >> md.m1) : optional @name("k0");
            md.m2 : optional @name("k1");
        }
        actions = { a88; a90; a91; a72(md.m2); @defaultonly NoAction; }
        const entries = {
            (_, 1) : a88(8w7);
            (4, _) : a90();
        }
    }
    apply {
        ig_tm_md.ucast_egress_port = 2;
        pair_t pair = { 1, 2 };
        if (t87.apply().hit) {
        }
        if (t82.apply().hit) {
            md.m10 = (hdr.h0 != hdr.h1);
        }
        if (hdr.h0.isValid()) {
            a72((!md.m10 ? (pair.hi | 8w7) : (bit<8>)(md.m8)));
        }
        hdr.eth.type = (((md.m5 |+| 16w48655) |+| md.m6[22:7]) * (max(md.m5, md.m5) |-| (16w4 |-| hdr.eth.type)));
        hdr.h0 = { md.m4, 8w4 };
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
