// A list that becomes a header asks whether that header is valid.
#include "frame.p4"
header small_h { bit<8> a; }
struct headers_t { eth_h eth; small_h h; }
struct meta_t { }
INGRESS_PARSER(Prsr) {
    START
    state body { transition select(hdr.eth.dst[0:0]) { 1: more; default: accept; } }
    state more { pkt.extract(hdr.h); transition accept; }
}
INGRESS(Ctl) {
    apply {
        ig_tm_md.ucast_egress_port = 2;
        ig_tm_md.bypass_egress = 1;
        hdr.h = { (hdr.h.isValid() ? 8w1 : 8w2) };
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
