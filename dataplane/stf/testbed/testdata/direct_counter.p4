// Direct counters of tables of each kind, and a large table with ternary keys.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) of_hash;
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) of_index;
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) of_list;
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) of_prefix;
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) of_const;
    action hash(bit<16> v) { hdr.eth.type = v; of_hash.count(); }
    action index(bit<16> v) { hdr.eth.type = v; of_index.count(); }
    action list(bit<16> v) { hdr.eth.type = v; of_list.count(); }
    action prefix(bit<16> v) { hdr.eth.type = v; of_prefix.count(); }
    action fixed(bit<16> v) { of_const.count(); }
    table hashed { key = { hdr.eth.dst : exact; } actions = { hash; } default_action = hash(0); size = 64; counters = of_hash; }
    table indexed { key = { hdr.eth.dst[7:0] : exact; } actions = { index; } default_action = index(0); size = 256; counters = of_index; }
    table listed { key = { hdr.eth.dst : ternary; hdr.eth.src[15:0] : range; } actions = { list; } const default_action = list(0); size = 1024; counters = of_list; }
    table prefixed { key = { hdr.eth.dst[42:0] : lpm; } actions = { prefix; } default_action = prefix(0); size = 64; counters = of_prefix; }
    table constant {
        key = { hdr.eth.src[7:0] : exact; } actions = { fixed; } default_action = fixed(0); counters = of_const;
        const entries = { 1 : fixed(1); 2 : fixed(2); }
    }
    apply {
        ig_tm_md.ucast_egress_port = 2;
        if (hdr.eth.src[8:8] == 1) { indexed.apply(); } // and another table behind it
        if (hdr.eth.type == 1) { hashed.apply(); }
        else if (hdr.eth.type == 2) { indexed.apply(); }
        else if (hdr.eth.type == 3) { listed.apply(); }
        else if (hdr.eth.type == 4) { prefixed.apply(); }
        else { constant.apply(); }
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
