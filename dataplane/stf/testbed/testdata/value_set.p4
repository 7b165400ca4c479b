// Value sets: the last bits of the source say which members a packet meets. One set is asked in two states, one is of structures, one
// stands in a list beside a value, and one belongs to a parser that is applied twice.
#include "include/frame.p4"

header tag_h { bit<8> a; bit<16> b; bit<40> c; }
struct headers_t { eth_h eth; tag_h tag; }
struct meta_t { bit<1> first; bit<1> again; bit<1> pair; bit<1> listed; bit<1> inner; bit<1> outer; }
struct pair_t { @match(ternary) bit<16> b; @match(lpm) bit<40> c; }

parser Sub(packet_in pkt, inout headers_t hdr, out bit<1> found) {
    value_set<bit<16>>(3) own;
    state start { found = 0; transition select(hdr.tag.b) { own: yes; default: accept; } }
    state yes { found = 1; transition accept; }
}

INGRESS_PARSER(Prsr) {
    value_set<bit<8>>(4) marks;
    value_set<pair_t>(6) pairs;
    value_set<bit<16>>(2) types;
    Sub() one;
    Sub() two;
    state start { pkt.extract(ig_intr_md); pkt.advance(PORT_METADATA_SIZE); md = { 0, 0, 0, 0, 0, 0 }; pkt.extract(hdr.eth); transition select(pkt.lookahead<bit<8>>()) { marks: marked; default: tag; } }
    state marked { md.first = 1; transition tag; }
    state tag { pkt.extract(hdr.tag); transition select(hdr.tag.b, hdr.tag.c) { pairs: paired; (_, _): next; } }
    state paired { md.pair = 1; transition next; }
    state next { transition select(hdr.tag.b[7:0]) { 3 &&& 3: subs; marks: again; default: subs; } }
    state again { md.again = 1; transition subs; }
    state subs { one.apply(pkt, hdr, md.inner); two.apply(pkt, hdr, md.outer); transition select(hdr.tag.a, hdr.eth.type) { (1..5, types): listed; default: accept; } }
    state listed { md.listed = 1; transition accept; }
}
INGRESS(Ctl) {
    apply {
        hdr.eth.dst = 42w0 ++ md.first ++ md.again ++ md.pair ++ md.listed ++ md.inner ++ md.outer;
        ig_tm_md.ucast_egress_port = 2;
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
