// Bits of a variable are one out argument, and the whole of it is the next: the whole is stored last.
#include "frame.p4"
struct headers_t { eth_h eth; }
struct meta_t { }
INGRESS_PARSER(Prsr) {
    START
    state body { transition accept; }
}
INGRESS(Ctl) {
    action a(inout bit<8> x, out bit<16> y) {
        x = x + 1;
        y = 6;
    }
    apply {
        ig_tm_md.ucast_egress_port = 2;
        ig_tm_md.bypass_egress = 1;
        a(hdr.eth.type[12:5], hdr.eth.type);
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
