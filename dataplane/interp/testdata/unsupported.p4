// Legal P4 for the chip that the interpreter does not know.
#include "../../stf/testbed/testdata/include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    apply {
        ig_tm_md.ucast_egress_port = 1;
        if (hdr.eth.dst == 1) {
            hdr.eth.src = 2;
        }
        ig_tm_md.ucast_egress_port = 1;
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) {
    apply {
        hdr.eth.setInvalid();
        eg_dprsr_md.drop_ctl = 2w0 ++ eg_intr_md.egress_rid_first;
    }
}
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
