// bypass_egress, and a bridged header that a later state of the egress parser extracts: what the ingress deparser made leaves as it is, the bridged header
// included when there is one.
#include "include/frame.p4"

header bridge_h { bit<7> pad; bit<9> port; bit<32> tag; bit<24> odd; }
struct headers_t { bridge_h bridge; eth_h eth; }
struct meta_t { }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    apply {
        ig_tm_md.ucast_egress_port = hdr.eth.dst[8:0];
        ig_tm_md.mcast_grp_a = hdr.eth.dst[31:16];
        ig_tm_md.bypass_egress = hdr.eth.src[0:0];
        if (hdr.eth.src[1:1] == 1) {
            hdr.bridge.setValid();
            hdr.bridge.port = ig_intr_md.ingress_port;
            hdr.bridge.tag = 0x11223344;
            hdr.bridge.odd = hdr.eth.src[31:8];
        }
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) {
    state start { pkt.extract(eg_intr_md); transition bridged; }
    state bridged { pkt.extract(hdr.bridge); transition ethernet; }
    state ethernet { pkt.extract(hdr.eth); transition accept; }
}
EGRESS(EgCtl) { apply { hdr.eth.type = (bit<16>)hdr.bridge.port; } }
DEPARSER(EgDprs) { apply { pkt.emit(hdr.eth); } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
