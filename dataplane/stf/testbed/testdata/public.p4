// What programs in public use: header unions, loops over a range, an if in a parser, compound assignments, slices by their width.
#include "include/frame.p4"

header short_h { bit<8> a; }
header long_h { bit<16> a; }
header_union either_h { short_h short; long_h long; }
struct headers_t { eth_h eth; either_h either; either_h copy; }
struct meta_t { bit<8> ttl; bit<16> sum; }

INGRESS_PARSER(Prsr) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.eth);
        md.ttl = 1;
        if (hdr.eth.dst[47:40] == 7) { md.ttl = 9; } else if (hdr.eth.dst[47:40] == 8) { md.ttl += 3; }
        transition select(hdr.eth.type) { 1 : take_short; 2 : take_long; default : accept; }
    }
    state take_short { pkt.extract(hdr.either.short); transition accept; }
    state take_long { pkt.extract(hdr.either.long); transition accept; }
}
INGRESS(Ctl) {
    apply {
        for (bit<16> i in 1..4) { md.sum += i; md.sum <<= 1; }
        md.sum -= 2;
        md.sum |= 0x100;
        hdr.eth.src[0 +: 16] = md.sum;
        hdr.eth.src[47:40] = hdr.eth.src[8 +: 8];
        hdr.eth.dst[47:40] = md.ttl;
        hdr.eth.dst[39:32] = 0;
        if (hdr.eth.type == 5) { hdr.eth.dst[31:24] = hdr.eth.dst[hdr.eth.dst[23:16] +: 8]; }
        if (hdr.either.isValid()) { hdr.eth.dst[39:32] = 1; }
        hdr.copy = hdr.either;
        if (hdr.eth.dst[0:0] == 1) { hdr.copy.long.setValid(); hdr.copy.long.a = 0xabcd; } // no longer short
        if (hdr.eth.dst[1:1] == 1) { hdr.copy.short = { 0x77 }; } // no longer long
        if (hdr.eth.dst[2:2] == 1) { hdr.either.short = hdr.copy.short; }
        ig_tm_md.ucast_egress_port = 2;
        ig_tm_md.bypass_egress = 1;
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
