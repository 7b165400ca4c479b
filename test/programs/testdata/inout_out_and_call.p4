// A later argument changes what two arguments before it are stored to.
#include "frame.p4"
struct headers_t { eth_h eth; }
struct meta_t { }
bit<16> f(inout bit<16> x, out bit<16> y, in bit<16> z) {
    y = x + z;
    x = z;
    return x ^ y;
}
INGRESS_PARSER(Prsr) {
    START
    state body { transition accept; }
}
INGRESS(Ctl) {
    apply {
        ig_tm_md.ucast_egress_port = 2;
        ig_tm_md.bypass_egress = 1;
        hdr.eth.dst[15:0] = f(hdr.eth.type, hdr.eth.type, f(hdr.eth.type, hdr.eth.dst[31:16], 3)) ^ hdr.eth.type;
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
