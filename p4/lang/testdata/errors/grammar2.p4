// Grammar of bodies. P4101 P4102
#include "prelude.p4"
control C(INGRESS_PARAMS) {
    action a1() { for (bit<8> i in 0..) { } } // ERROR P4101 "expected an expression"
    action a2() { md.x += ; } // ERROR P4101 "expected an expression, found ';'"
    action a3() { md.x; } // ERROR P4101 "expected '=' or a call"
    action a4() { md.x = 1 + ; } // ERROR P4101 "expected an expression, found ';'"
    action a5() { state q { } } // ERROR P4101 "a state cannot be declared inside"
    action a6() { if (md.ok) bit<8> z; } // ERROR P4101 "a declaration cannot be the whole branch"
    action a0() { this.x(); } // ERROR P4102 "'this' is not supported"
    action a7() { break; } // ERROR P4408 "belong in a loop"
    action a8() { @brief("x") md.x = 1; } // ERROR P4101 "annotation cannot be put on this"
    action a9() { md.x = _; } // ERROR P4101 "'_' is not a value"
    action ok() { md.x = 1; }
    table t {
        key = { md.x exact; } // ERROR P4101 "expected ':', found 'exact'"
        actions = { ok }; // ERROR P4101 "expected ';', found '}'"
    }
    apply { md.x = 2; }
    action late() { } // ERROR P4101 "declarations must come before the apply block"
    apply { } // ERROR P4203 "two apply blocks"
}
control D(INGRESS_PARAMS) { } // ERROR P4101 "control D has no apply block"
parser P(packet_in pkt, out headers_t hdr) {
    action no() { } // ERROR P4101 "a parser has no action"
    state start {
        transition accept;
        md.x = 1; // ERROR P4101 "must be the last thing"
    }
}
