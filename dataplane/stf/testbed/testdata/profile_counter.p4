// Direct counters of tables whose entries name members or groups: it is the entry that counts.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    Hash<bit<8>>(HashAlgorithm_t.IDENTITY) same;
    ActionProfile(16) next;
    ActionSelector(next, same, SelectorMode_t.FAIR, 4, 4) balance;
    ActionProfile(16) marks;
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) of_balanced;
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) of_marked;
    action send(bit<16> v) { hdr.eth.type = v; of_balanced.count(); }
    action low(bit<16> v) { of_balanced.count(); hdr.eth.type = v + 1; }
    action mark(bit<16> v) { of_marked.count(); hdr.eth.type = v; }
    table balanced {
        key = { hdr.eth.dst[15:0] : exact @name("dst"); hdr.eth.src[7:0] : selector; }
        actions = { send; low; @defaultonly NoAction; }
        const default_action = NoAction;
        implementation = balance;
        counters = of_balanced;
    }
    table marked {
        key = { hdr.eth.dst[15:0] : ternary @name("dst"); }
        actions = { mark; }
        default_action = mark(7);
        implementation = marks;
        counters = of_marked;
    }
    apply {
        ig_tm_md.ucast_egress_port = 2;
        if (hdr.eth.type == 1) { balanced.apply(); } else { marked.apply(); }
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
