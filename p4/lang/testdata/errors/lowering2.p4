// Legal P4 of other architectures that cannot be lowered. P4501
#include "prelude.p4"
#define OWN_INGRESS
#define OWN_PARSER
header none_h { bit<8> a; bit<0> b; } // ERROR P4501 "field .b. of header none_h"
struct own_t { none_h none; }
T same<T>(in T a) { return a; }
control Generic<T>(inout T m) { apply { } }
parser IgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        if (md.ok) { pkt.extract(hdr.eth); } // ERROR P4501 "an if in a parser that extracts"
        transition accept;
    }
}
control Ig(INGRESS_PARAMS) {
    Generic<meta_t>() generic;
    action wide(eth_h h) { md.x = 1; } // ERROR P4501 "action data of type header eth_h are not supported"
    table t { key = { md.x : exact; } actions = { wide; } }
    apply {
        own_t own;
        md.x = same(md.x); // ERROR P4501 "a function with type parameters and a body"
        generic.apply(md); // ERROR P4501 "a control with type parameters and a body"
        for (bit<8> i = 0; i < 3; i += 1) { md.x = i; } // ERROR P4501 "only a loop over a range"
        for (bit<8> i in md.x..9) { md.x = i; } // ERROR P4305 "must be known when compiling"
        for (bit<16> i in 0..999) { md.y = i; } // ERROR P4501 "more than 256 rounds"
        for (bit<8> i in 0..1) { break; } // ERROR P4501 "break and continue are not supported"
        md.y[md.x +: 8] = 1; // ERROR P4501 "can only be read"
        t.apply();
    }
}
#include "finish.p4"
