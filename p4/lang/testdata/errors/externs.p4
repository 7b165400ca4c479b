// What Tofino has and this compiler has not. P4501 P4503 P4505 P4506
#include "prelude.p4"
#define OWN_INGRESS
control Ig(INGRESS_PARAMS) {
    DirectMeter(MeterType_t.BYTES) meter; // ERROR P4401 "DirectMeter pipe.Ig.meter belongs to no table"
    DirectRegister<bit<32>>() lone; // ERROR P4401 "DirectRegister pipe.Ig.lone belongs to no table"
    DirectMeter(MeterType_t.BYTES) own; // ERROR P4401 "DirectMeter .own. belongs to two tables"
    DirectRegister<bit<32>>() element;
    DirectRegisterAction<bit<32>, bit<32>>(element) raise = { void apply(inout bit<32> v) { v = v + 1; } };
    action owns() { md.x = own.execute(); } // ERROR P4401 "pipe.Ig.own does not belong to table pipe.Ig.t, whose action uses it"
    action raises() { raise.execute(); } // ERROR P4401 "pipe.Ig.element does not belong to table pipe.Ig.t"
    action mine() { own.execute(); } // ERROR P4408 "a direct meter is executed in the actions of its table"
    Meter<bit<8>>(16, MeterType_t.BYTES, 1, 2, 3) colours; // ERROR P4501 "meter colours: colours with other numbers are not supported"
    Meter<bit<8>>(16, MeterType_t.PACKETS) limit;
    Mirror() mirror; // ERROR P4503 "extern Mirror" // WARN P4307 "deprecated"
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
    @symmetric("hdr.eth.src") // ERROR P4505 "needs the names of two inputs"
    Hash<bit<16>>(HashAlgorithm_t.CRC16) symmetric;
    @initial_register_lo_value(1) // ERROR P4505 "it belongs to a RegisterAction"
    Register<bit<32>, bit<8>>(16) reg3;
    @initial_register_hi_value(1) // ERROR P4505 "have one field"
    RegisterAction<bit<32>, bit<8>, bit<32>>(reg) ra2 = { void apply(inout bit<32> v) { v = 1; } };
    @initial_register_lo_value(0x100000000) // ERROR P4303 "does not fit"
    RegisterAction<bit<32>, bit<8>, bit<32>>(reg) ra3 = { void apply(inout bit<32> v) { v = 1; } };
    @initial_register_lo_value("x") // ERROR P4505 "needs a number"
    RegisterAction<bit<32>, bit<8>, bit<32>>(reg) ra4 = { void apply(inout bit<32> v) { v = 1; } };
    Register<bit<32>, bit<8>>(16, 5) reg4;
    @initial_register_lo_value(6) // ERROR P4505 "given already, and was another"
    RegisterAction<bit<32>, bit<8>, bit<32>>(reg4) ra5 = { void apply(inout bit<32> v) { v = 1; } };
    @id(7) action a() { direct.count(); }
    @id(7) action b() { invalidate(md.x); } // ERROR P4506 "is the id of" // ERROR P4503 "extern function .invalidate."
    @id("x") action c() { } // ERROR P4505 "@id needs a positive number"
    @sparkle action d() { } // WARN P4505 "annotation @sparkle is not known"
    @dynamic_table_key_masks(1) // WARN P4505 "has no effect: all bits of a key are compared"
    table t {
        key = { md.x : exact; }
        actions = { a; b; c; d; owns; raises; }
    }
    table u {
        key = { md.x : selector; } // ERROR P4402 "a selector key needs a table"
        actions = { a; owns; raises; }
        meters = own;
        registers = element;
    }
    table v {
        key = { md.x : exact; }
        actions = { a; }
        meters = own;
    }
    table unused { actions = { a; } } // WARN P4401 "never applied"
    apply {
        direct.count(); // ERROR P4408 "counts in the actions of its table"
        own.execute(); // ERROR P4408 "a direct meter is executed in the actions of its table"
        raise.execute(); // ERROR P4408 "a direct register action is executed in the actions of its table"
        element.read(); // ERROR P4408 "a direct register is read in the actions"
        element.write(1); // ERROR P4408 "a direct register is written in the actions"
        mine();
        ctr.count(1, 4); // ERROR P4503 "Counter.count with these arguments"
        @sparkle { md.x = 1; } // WARN P4505 "on a block"
        t.apply();
        u.apply();
        v.apply();
    }
}
#include "finish.p4"
