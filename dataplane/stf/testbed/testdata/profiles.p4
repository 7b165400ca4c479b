// Tables whose entries name members of action profiles, or groups of selectors: two tables of one selector, one of a profile.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { bit<8> x; }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    Hash<bit<16>>(HashAlgorithm_t.CRC16) crc;
    ActionProfile(64) next;
    ActionSelector(next, crc, SelectorMode_t.FAIR, 8, 16) balance;
    ActionProfile(16) marks;
    Hash<bit<64>>(HashAlgorithm_t.IDENTITY) plain;
    ActionSelector(32, plain, SelectorMode_t.RESILIENT) old;

    action send(PortId_t port, bit<8> tag) { ig_tm_md.ucast_egress_port = port; hdr.eth.src[47:40] = tag; }
    action drop() { ig_dprsr_md.drop_ctl = 1; }
    action mark(bit<16> type) { hdr.eth.type = type; }

    table first {
        key = { hdr.eth.dst[15:0] : exact @name("low"); hdr.eth.src[31:0] : selector; hdr.eth.type : selector; hdr.eth.dst[31:16] : selector; }
        actions = { send; drop; }
        default_action = drop();
        implementation = balance;
        size = 64;
    }
    table second { // the same selector, hashed over other fields
        key = { hdr.eth.dst[15:0] : ternary @name("low"); hdr.eth.src[7:0] : selector; }
        actions = { send; drop; }
        const default_action = send(9, 99);
        implementation = balance;
    }
    table marked {
        key = { hdr.eth.type : exact @name("type"); }
        actions = { mark; }
        implementation = marks;
    }
    table third {
        key = { hdr.eth.dst[15:0] : lpm @name("low"); hdr.eth.src[3:0] : selector; hdr.eth.src[7:4] : selector; }
        actions = { send; }
        implementation = old;
    }

    apply {
        ig_tm_md.ucast_egress_port = 2;
        if (hdr.eth.dst[47:40] == 0) {
            switch (first.apply().action_run) {
                send : { hdr.eth.src[39:32] = 0xaa; }
                drop : { hdr.eth.src[39:32] = 0xbb; }
            }
        } else if (hdr.eth.dst[47:40] == 1) {
            if (second.apply().hit) { hdr.eth.src[39:32] = 0xcc; }
        } else if (hdr.eth.dst[47:40] == 3) { // one after the other
            first.apply();
            second.apply();
        } else {
            third.apply();
        }
        marked.apply();
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { pkt.emit(hdr); } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
