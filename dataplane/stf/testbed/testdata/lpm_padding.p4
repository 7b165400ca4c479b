// LPM beside exact keys whose sizes are no multiple of four bytes.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { bit<32> ip; }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    action send(PortId_t port) { ig_tm_md.ucast_egress_port = port; }
    table one_byte {
        key = { hdr.eth.src[7:0] : exact; hdr.eth.dst[31:0] : lpm; }
        actions = { send; }
    }
    table six_bytes {
        key = { hdr.eth.dst[31:0] : lpm; hdr.eth.src : exact; }
        actions = { send; }
        size = 16;
    }
    table three_bytes {
        key = { hdr.eth.type : exact; hdr.eth.dst[7:0] : lpm; }
        actions = { send; }
    }
    apply {
        one_byte.apply();
        six_bytes.apply();
        three_bytes.apply();
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
