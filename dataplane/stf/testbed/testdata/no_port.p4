// Port 511 is no port, and what is sent there is dropped.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    apply {
        ig_tm_md.ucast_egress_port = hdr.eth.dst[8:0];
        ig_tm_md.mcast_grp_a = hdr.eth.dst[31:16];
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
