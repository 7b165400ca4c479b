// Names and scopes. P4201 P4202 P4203 P4204
#include "prelude.p4"
const bit<8> a = /* ERROR P4201 ".nobody. is not declared" */ nobody;
typedef /* ERROR P4201 "type .nothing_t. is not declared" */ nothing_t t1;
struct s1 { headers_h h; } // ERROR P4201 "did you mean headers_t"
const bit<8> twice = 1;
const bit<8> twice = 2; // ERROR P4203 ".twice. is declared twice"
struct s2 { bit<8> f; bit<8> f; } // ERROR P4203 "field .f. is declared twice"
enum e { A, B, A } // ERROR P4203 "member .A. is declared twice"
error { NoError } // ERROR P4203 "error.NoError is declared twice"
match_kind { exact } // ERROR P4203 "match kind .exact. is declared twice"
const e e1 = e.C; // ERROR P4202 "has no member .C."
const error e3 = error.Nope; // ERROR P4202 "error has no member"
header h1 { twice f; } // ERROR P4204 "is not a type"
const bit<8> b = headers_t; // ERROR P4204 "is not a value"
control C(INGRESS_PARAMS) {
    Counter<bit<64>, bit<8>>(8, CounterType_t.PACKETS) ctr;
    action a1() { md.z = 1; } // ERROR P4202 "has no field .z."
    action a2() { hdr.eth.dts = 1; } // ERROR P4202 "did you mean dst"
    action a3() { ctr.reset(); } // ERROR P4202 "no method .reset."
    action a4() { hdr.eth.isvalid(); } // ERROR P4202 "a header has no method"
    action a5(bit<8> p, bit<8> p) { } // ERROR P4203 "is declared twice"
    action a6() { later(); } // ERROR P4201 ".later. is not declared"
    action a7() { md.x(); } // ERROR P4202 "has no method"
    action a8() { bit<8> v = 1; bit<8> v = 2; } // ERROR P4203 ".v. is declared twice"
    action a9() { twice(); } // ERROR P4204 "cannot be called"
    action a10() { md.x = a9; } // ERROR P4204 "is not a value"
    action later() { }
    apply {
        { bit<8> inner = 1; md.x = inner; }
        md.x = inner; // ERROR P4201 ".inner. is not declared"
    }
}
