// Saturating arithmetic of signed numbers ends at the ends of their range.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    int<32> x;
    int<32> y;
    int<12> small_x;
    int<12> small_y;
    apply {
        ig_tm_md.ucast_egress_port = 2;
        x = (int<32>)hdr.eth.dst[31:0];
        y = (int<32>)hdr.eth.src[31:0];
        small_x = (int<12>)hdr.eth.dst[43:32];
        small_y = (int<12>)hdr.eth.src[43:32];
        hdr.eth.dst[31:0] = (bit<32>)(x |+| y);
        hdr.eth.src[31:0] = (bit<32>)(x |-| y);
        hdr.eth.dst[43:32] = (bit<12>)(small_x |+| small_y);
        hdr.eth.src[43:32] = (bit<12>)(small_x |-| small_y);
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { pkt.emit(hdr); } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
