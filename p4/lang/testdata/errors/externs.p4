// What Tofino has and this compiler has not. P4501 P4503 P4505 P4506
#include "prelude.p4"
#define OWN_INGRESS
control Ig(INGRESS_PARAMS) {
    Meter<bit<8>>(16, MeterType_t.BYTES) meter; // ERROR P4503 "extern Meter is not supported"
    ActionProfile(16) profile; // ERROR P4503 "extern ActionProfile"
    Hash<bit<16>>(HashAlgorithm_t.XOR8) xor8; // ERROR P4503 "hash algorithm XOR8"
    Register<eth_h, bit<8>>(4) wide; // ERROR P4501 "a register holds a number"
    Counter<bit<64>, bit<8>>(16, CounterType_t.PACKETS) ctr;
    @id(0x01000005) Counter<bit<64>, bit<8>>(16, CounterType_t.PACKETS) ctr2; // ERROR P4506 "prefix byte of another kind"
    Digest<meta_t>(1) digest; // ERROR P4503 "belongs in the ingress deparser"
    DirectCounter<bit<64>>(CounterType_t.PACKETS) direct;
    Register<bit<32>, bit<8>>(16) reg;
    Register<bit<32>, bit<8>>(16) reg2;
    RegisterAction<bit<32>, bit<8>, bit<32>>(reg) ra = {
        void apply(inout bit<32> v) { v = reg2.read(0); } // ERROR P4501 "cannot be called in a register action"
    };
    @id(7) action a() { direct.count(); }
    @id(7) action b() { invalidate(md.x); } // ERROR P4506 "is the id of" // ERROR P4503 "extern function .invalidate."
    @id("x") action c() { } // ERROR P4505 "@id needs a positive number"
    @sparkle action d() { } // WARN P4505 "annotation @sparkle is not known"
    table t {
        key = { md.x + 1 : exact; } // ERROR P4402 "has no name by itself"
        actions = { a; b; c; d; }
    }
    table u {
        key = { md.x : selector; } // ERROR P4501 "match kind .selector."
        actions = { a; }
    }
    table unused { actions = { a; } } // WARN P4401 "never applied"
    apply {
        direct.count(); // ERROR P4408 "counts in the actions of its table"
        ctr.count(1, 4); // ERROR P4503 "Counter.count with these arguments"
        @sparkle { md.x = 1; } // WARN P4505 "on a block"
        t.apply();
        u.apply();
    }
}
#include "finish.p4"
