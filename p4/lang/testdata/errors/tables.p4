// Tables, actions, entries. P4401..P4404 P4407 P4408 P4409
#include "prelude.p4"
action top() { }
control Sub(inout meta_t md) { apply { } }
control C(INGRESS_PARAMS) {
    Register<bit<32>, bit<8>>(16) reg;
    RegisterAction<bit<32>, bit<8>, bit<1>>(reg) ra1; // ERROR P4409 "abstract method .apply. of RegisterAction is not implemented"
    RegisterAction<bit<32>, bit<8>, bit<1>>(reg) ra2 = {
        void apply(inout bit<16> v, out bit<1> r) { r = 0; } // ERROR P4409 "has the type bit<32>, not bit<16>"
        void other(inout bit<32> v) { } // ERROR P4409 "no abstract method .other."
    };
    RegisterAction<bit<32>, bit<8>, bit<1>>(reg) ra3 = {
        void apply(in bit<32> v) { } // ERROR P4409 "must be inout"
    };
    Sub() sub = { void f() { } }; // ERROR P4409 "has no abstract methods"
    C() me; // ERROR P4407 "contains an instance of itself"
    action a() { }
    action b(bit<8> x) { md.x = x; }
    action c(inout bit<8> x, bit<8> y) { x = y; }
    action rec() { rec(); } // ERROR P4407 "calls itself"
    table t1 { key = { md.x : exact; } } // ERROR P4401 "has no actions"
    table t2 {
        actions = { a; a; } // ERROR P4203 "listed twice"
        size = 0; // ERROR P4401 "size is 1 to"
        colour = 1; // WARN P4401 "table property .colour. is not known and is ignored"
        size = 2; // ERROR P4203 "given twice"
        default_action = b(1); // ERROR P4403 "not in the list of actions"
    }
    table t3 {
        key = {
            hdr.eth : exact; // ERROR P4402 "give its fields"
            md.x : nearly; // ERROR P4402 "match kind .nearly. is not declared"
            md.ok : lpm; // ERROR P4402 "cannot be matched by prefix"
            md.y : lpm; // ERROR P4402 "at most one lpm"
            1 : exact; // ERROR P4402 "width of this key"
        }
        actions = { b; c(md.x); top; missing; md; } // ERROR P4201 ".missing. is not declared" // ERROR P4204 ".md. is not an action"
        default_action = b(md.x); // ERROR P4305 "must be known"
        counters = reg; // ERROR P4401 "needs the name of a DirectCounter"
    }
    table t4 {
        key = { md.x : exact; md.y : ternary; md.y : range; hdr.eth.dst : lpm; }
        actions = { a; b; }
        const entries = {
            (1, 2, 3) : a(); // ERROR P4404 "3 values for 4 keys"
            (1 &&& 3, 2, 3, 4) : a(); // ERROR P4404 "exact key needs one value"
            (1, 1..2, 3, 4) : a(); // ERROR P4404 "ternary key needs a value and mask"
            (1, 2, 3 &&& 4, 4) : a(); // ERROR P4404 "range key needs"
            (1, 2, 3, 4 &&& 5) : a(); // ERROR P4404 "ones, then zeros"
            (1, 2, 5..3, 4) : a(); // WARN P4404 "is empty"
            (1, 2, _, _) : b(); // ERROR P4307 "parameter .x. is missing"
            (true, 2, 3, 4) : a(); // ERROR P4301 "bool where bit<8>"
            (md.x, 2, 3, 4) : a(); // ERROR P4305 "must be known"
        }
    }
    table t5 {
        key = { md.x : exact; }
        actions = { a; }
        const entries = {
            1 : a();
            1 : a(); // ERROR P4404 "key of an earlier one"
            priority = 3 : 2 : a(); // ERROR P4404 "no priorities"
        }
    }
    action applies() { t5.apply(); } // ERROR P4408 "only be applied in the apply block"
    action applies2() { sub.apply(md); } // ERROR P4408 "only be applied in the apply block"
    apply {
        if (t5.apply().hits) { } // ERROR P4202 "hit, miss and action_run"
        switch (t5.apply().action_run) {
            a: { }
            b: { } // ERROR P4405 "has no action b"
            a: { } // ERROR P4405 "given twice"
            default: { }
        }
        switch (md.x) {
            1: { }
            default: { } // ERROR P4405 "default must be the last"
            2: { }
        }
        t5.lookup(); // ERROR P4202 "a table has no method"
        Sub() inner; // declared where it is used: allowed
        md.x = (bit<8>)Hash<bit<8>>(HashAlgorithm_t.CRC8); // ERROR P4408 "cannot be made in a statement"
    }
}
