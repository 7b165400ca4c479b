// Filters: the type says which, the destination's last byte is its index or the key of a table. The value is the source's last four
// bytes; what comes of it is in the destination's first two when the packet leaves.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    Lpf<bit<16>, bit<8>>(4) low;
    Lpf<bit<32>, bit<3>>(8) wide;
    Wred<bit<32>, bit<8>>(4, 9, 3) early;
    DirectLpf<bit<16>>() own;
    DirectWred<bit<32>>(1, 0) drops;
    action filtered() { hdr.eth.dst[47:32] = own.execute(hdr.eth.src[15:0]); }
    action marked() { hdr.eth.dst[47:40] = drops.execute(hdr.eth.src[31:0]); }
    table t { key = { hdr.eth.dst[7:0] : exact; } actions = { filtered; } default_action = filtered(); filters = own; size = 3; }
    table u { key = { hdr.eth.dst : ternary; } actions = { marked; } default_action = marked(); filters = drops; size = 3; }
    apply {
        ig_tm_md.ucast_egress_port = 2;
        if (hdr.eth.type == 1) { hdr.eth.dst[47:32] = low.execute(hdr.eth.src[15:0], hdr.eth.dst[7:0]); }
        else if (hdr.eth.type == 2) { hdr.eth.dst[47:16] = wide.execute(hdr.eth.src[31:0], hdr.eth.dst[2:0]); }
        else if (hdr.eth.type == 3) { hdr.eth.dst[47:40] = early.execute(hdr.eth.src[31:0], hdr.eth.dst[7:0]); }
        else if (hdr.eth.type == 4) { t.apply(); }
        else { u.apply(); }
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
