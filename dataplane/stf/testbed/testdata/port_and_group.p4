// A port and a group: the packet goes to the port, and every copy of the group too.
#include "include/frame.p4"

header copy_h { bit<16> rid; bit<16> port; }
struct headers_t { eth_h eth; copy_h copy; }
struct meta_t { }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    apply {
        if (hdr.eth.type != 0) { ig_tm_md.ucast_egress_port = hdr.eth.type[8:0]; }
        ig_tm_md.mcast_grp_a = hdr.eth.dst[15:0];
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); pkt.extract(hdr.eth); transition accept; } }
EGRESS(EgCtl) {
    apply {
        hdr.copy.setValid();
        hdr.copy.rid = eg_intr_md.egress_rid;
        hdr.copy.port = (bit<16>)eg_intr_md.egress_port;
    }
}
DEPARSER(EgDprs) { apply { pkt.emit(hdr); } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
