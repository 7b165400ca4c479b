// `transition reject` is `transition accept` to the chip, and here.
#include "include/frame.p4"

header small_h { bit<8> kind; bit<8> x; }
struct headers_t { eth_h eth; small_h small; }
struct meta_t { }

parser Sub(packet_in pkt, inout headers_t hdr) {
    state start {
        pkt.extract(hdr.small);
        transition select(hdr.small.kind) {
            1: accept;
            2: reject;
        }
    }
}
INGRESS_PARSER(Prsr) {
    Sub() sub;
    START
    state body {
        transition select(hdr.eth.type) {
            0x88b5: small;
            0x88b6: reject;
            default: accept;
        }
    }
    state small { sub.apply(pkt, hdr); hdr.eth.src = 5; transition accept; }
}
INGRESS(Ctl) {
    apply {
        ig_tm_md.ucast_egress_port = 3;
        if (hdr.small.isValid()) { hdr.small.x = 0xff; }
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
