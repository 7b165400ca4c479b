// Tables in a branch that a constructor parameter closes: of two with one name, each instance has one. P4401
#include "prelude.p4"
#define OWN_INGRESS
control Half(inout headers_t hdr)(bool wide) {
    action a() { hdr.eth.type = 1; }
    @name("t") table narrow { key = { hdr.eth.dst : exact; } actions = { a; } } // WARN P4401 "table narrow is never applied and is left out"
    @name("t") table broad { key = { hdr.eth.dst : ternary; } actions = { a; } } // WARN P4401 "table broad is never applied and is left out"
    apply { if (wide) { broad.apply(); } else { narrow.apply(); } }
}
control Ig(INGRESS_PARAMS) {
    Half(true) first;
    Half(false) second;
    apply { first.apply(hdr); second.apply(hdr); }
}
#include "finish.p4"
