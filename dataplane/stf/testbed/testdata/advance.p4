// Bytes that a parser passes are lost: in front of headers, between them, and on one way only.
#include "include/frame.p4"

header tag_h { bit<8> a; bit<8> b; }
struct headers_t { eth_h eth; tag_h one; tag_h two; }
struct meta_t { }

INGRESS_PARSER(Prsr) {
    START
    state body { transition select(hdr.eth.type) { 1: plain; 2: between; 3: twice; default: accept; } }
    state plain { pkt.extract(hdr.one); pkt.extract(hdr.two); transition accept; }
    state between { pkt.extract(hdr.one); pkt.advance(24); pkt.extract(hdr.two); transition accept; }
    state twice { pkt.advance(8); pkt.extract(hdr.one); pkt.advance(8); transition select(hdr.one.a) { 7: more; default: accept; } }
    state more { pkt.advance(16); pkt.extract(hdr.two); transition accept; }
}
INGRESS(Ctl) {
    apply {
        ig_tm_md.ucast_egress_port = 2;
        hdr.one.b = hdr.one.b + 1;
        hdr.two.b = hdr.two.b + 2;
        if (hdr.two.a == 9) { hdr.one.setInvalid(); }
        if (ig_prsr_md.parser_err != 0) { hdr.eth.src = 0xee; }
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) {
    state start { pkt.extract(eg_intr_md); transition select(pkt.lookahead<bit<8>>()) { 0x77: addresses; default: accept; } }
    state addresses { pkt.advance(96); transition accept; }
}
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
