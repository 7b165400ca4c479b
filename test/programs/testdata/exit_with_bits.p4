// A control that exits stores bits of a header that it does not know.
#include "frame.p4"
struct headers_t { eth_h eth; }
struct meta_t { }
control Sub(inout bit<8> x, in bit<8> y) {
    apply {
        x = x + y;
        if (x > 4) {
            exit;
        }
        x = 0;
    }
}
INGRESS_PARSER(Prsr) {
    START
    state body { transition accept; }
}
INGRESS(Ctl) {
    Sub() sub;
    apply {
        ig_tm_md.ucast_egress_port = 2;
        ig_tm_md.bypass_egress = 1;
        sub.apply(hdr.eth.src[12:5], hdr.eth.dst[7:0]);
        hdr.eth.type = 1;
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
