// Tables of every kind with entries that clients may change. The packet's source says
// which is applied.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    action send(PortId_t port) { ig_tm_md.ucast_egress_port = port; }
    table hash {
        key = { hdr.eth.dst : exact; }
        actions = { send; }
        entries = { 2 : send(1); }
    }
    table prefix {
        key = { hdr.eth.dst : lpm; hdr.eth.type : exact; }
        actions = { send; }
        entries = { (0 &&& 0xffffffff0000, 0x88b5) : send(2); }
    }
    table list {
        key = { hdr.eth.dst : ternary; hdr.eth.type : exact; hdr.eth.src[15:0] : range; }
        actions = { send; }
        entries = { (2 &&& 2, 0x88b5, 0..7) : send(3); }
        size = 16;
    }
    table index {
        key = { hdr.eth.dst[3:0] : exact; }
        actions = { send; }
        entries = { 2 : send(4); }
    }
    apply {
        ig_tm_md.ucast_egress_port = 8;
        if (hdr.eth.src == 0) { hash.apply(); }
        if (hdr.eth.src == 1) { prefix.apply(); }
        if (hdr.eth.src == 2) { list.apply(); }
        if (hdr.eth.src == 3) { index.apply(); }
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
