// An instance is applied with arguments that overlap, and again with others.
#include "frame.p4"
struct headers_t { eth_h eth; }
struct meta_t { }
control Sub(inout bit<16> x, in bit<16> y, out bit<16> z) {
    apply {
        x = x + y;
        z = x ^ y;
    }
}
control Two(inout bit<16> x, inout bit<16> y) {
    apply {
        y = x + 1;
        x = x + 2;
    }
}
INGRESS_PARSER(Prsr) {
    START
    state body { transition accept; }
}
INGRESS(Ctl) {
    Sub() sub;
    Two() two;
    bit<16> m = 7;
    apply {
        ig_tm_md.ucast_egress_port = 2;
        ig_tm_md.bypass_egress = 1;
        sub.apply(hdr.eth.type, hdr.eth.type, hdr.eth.dst[15:0]);
        sub.apply(hdr.eth.type, hdr.eth.dst[15:0], hdr.eth.type);
        two.apply(m, hdr.eth.type);
        two.apply(hdr.eth.type, hdr.eth.type);
        sub.apply(hdr.eth.type, 16w5, hdr.eth.src[31:16]);
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
