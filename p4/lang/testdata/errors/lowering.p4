// Legal P4 that cannot be lowered. P4501 P4502 P4504
#include "prelude.p4"
#define OWN_INGRESS
#define OWN_PARSER
struct stacks_t { small_h[2] s; }
control Sub(inout bit<8> x, in bit<8> y) {
    action set() { x = y; }
    table t { key = { x : exact; } actions = { set; } }
    apply { t.apply(); }
}
control Exits(inout bit<8> x, in bit<8> y) {
    action leave() { exit; }
    table t { key = { y : exact; } actions = { leave; } }
    apply { t.apply(); } // ERROR P4501 "exits where arguments of a call are copies"
}
control Deep() {
    Sub() sub;
    Exits() exits;
    apply {
        bit<8> v = 1;
        sub.apply(v, 1); // ERROR P4501 "applied a second time with other arguments"
        exits.apply(v, v);
    }
}
parser IgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) { // ERROR P4504 "leads back to itself"
    value_set<bit<16>>(4) vs; // WARN P4405 "in no select and is left out"
    value_set<bit<16>>(0) none; // ERROR P4303 "the size of value set none is 1 to 16384"
    value_set<headers_t>(1) of_headers; // ERROR P4501 "the type struct headers_t is not supported"
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        transition loop;
    }
    state loop {
        pkt.extract(hdr.one);
        transition select(hdr.one.a) { 1: loop; default: accept; }
    }
}
control Ig(INGRESS_PARAMS) {
    stacks_t st;
    Sub() sub;
    Deep() deep;
    apply {
        st.s.push_front(1); // ERROR P4501 "push_front of a header stack"
        st.s[md.x].a = 1; // ERROR P4501 "stack index that is not a constant"
        sub.apply(md.x, md.x);
        deep.apply();
        deep.apply();
    }
}
#include "finish.p4"
