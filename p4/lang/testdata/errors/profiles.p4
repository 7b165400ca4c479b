// Action profiles and selectors, wrongly. P4305 P4401 P4402 P4403 P4404 P4501 P4505 P4506
#include "prelude.p4"
#define OWN_INGRESS
control Ig(INGRESS_PARAMS) {
    Hash<bit<16>>(HashAlgorithm_t.CRC16) crc;
    Hash<bit<16>>(HashAlgorithm_t.RANDOM) random;
    Counter<bit<64>, bit<8>>(16, CounterType_t.PACKETS) ctr;
    DirectCounter<bit<64>>(CounterType_t.PACKETS) direct;
    Register<bit<1>, bit<8>>(16) free;
    Register<bit<1>, bit<8>>(16) taken;
    RegisterAction<bit<1>, bit<8>, bit<1>>(taken) flip = { void apply(inout bit<1> v) { v = 1; } };

    ActionProfile(0) none; // ERROR P4303 "the size of none is 1 to 2.26"
    @id(0x02000001) ActionProfile(4) numbered; // ERROR P4506 "prefix byte of another kind of object"
    ActionProfile(16) p;
    ActionProfile(16) shared;
    ActionProfile(16) p1;
    ActionSelector(p1, crc, SelectorMode_t.FAIR, 4, 4) s;
    ActionSelector(p1, crc, SelectorMode_t.FAIR, 4, 4) again; // ERROR P4501 "has two selectors, s and again"
    ActionSelector(16, random, SelectorMode_t.FAIR) moody; // ERROR P4501 "packets of one flow would get different members" // WARN P4307 "is deprecated"
    ActionSelector(16, Hash<bit<16>>(HashAlgorithm_t.CRC16), SelectorMode_t.FAIR) inlined; // WARN P4307 "is deprecated"
    @selector_max_group_size("x") // ERROR P4505 "needs a number"
    ActionSelector(16, crc, SelectorMode_t.FAIR) largest; // WARN P4307 "is deprecated"
    ActionSelector(16, crc, SelectorMode_t.FAIR, taken) held; // ERROR P4501 "register pipe.Ig.taken belongs to selector held" // WARN P4307 "is deprecated"
    ActionSelector(16, crc, SelectorMode_t.RESILIENT, free) holds; // WARN P4307 "is deprecated"
    @symmetric("md.x", "hdr.eth.dst") Hash<bit<16>>(HashAlgorithm_t.CRC16) both;
    ActionSelector(16, both, SelectorMode_t.FAIR) balanced; // WARN P4307 "is deprecated"
    SelectorAction(s) alive = { void apply(inout bit<1> v) { v = 1; } }; // ERROR P4503 "extern SelectorAction is not supported"

    action a() { md.x = 1; }
    action b() { md.x = 2; }
    action counted() { direct.count(); }
    DirectCounter<bit<64>>(CounterType_t.PACKETS) direct2;
    action counts() { direct2.count(); }
    DirectCounter<bit<64>>(CounterType_t.PACKETS) direct3;
    action sometimes() { if (md.x == 1) { direct3.count(); } }
    ActionProfile(16) p3;
    ActionProfile(16) p4;
    ActionProfile(16) p5;
    ActionProfile(16) p6;
    DirectMeter(MeterType_t.PACKETS) rate;
    action limited() { md.x = rate.execute(); }
    table metered { key = { md.x : exact; } actions = { limited; } implementation = p6; meters = rate; } // ERROR P4501 "direct meters, registers and filters of a table with an action profile are not supported"
    table bare { key = { md.x : exact; } actions = { a; } implementation = p1; } // ERROR P4401 "has a selector: name that"
    table keyless { actions = { a; } implementation = p; } // ERROR P4402 "no key that its entries could differ in"
    table blind { key = { md.x : exact; } actions = { a; } implementation = s; } // ERROR P4402 "no key of match kind selector"
    table plain { key = { md.x : exact; hdr.eth.dst : selector; } actions = { a; } } // ERROR P4402 "a selector key needs a table whose implementation is an ActionSelector"
    table profiled { key = { md.x : exact; hdr.eth.dst : selector; } actions = { a; } implementation = p; } // ERROR P4402 "a selector key needs"
    table told { key = { md.x : exact; } actions = { a; } const entries = { 1 : a(); } implementation = p; } // ERROR P4404 "its entries name members, which only a controller makes"
    table counting { key = { md.x : exact; } actions = { counted; } implementation = p3; counters = direct; } // ERROR P4501 "its default action may become one that counts, or one that does not: make it const"
    table some { key = { md.x : exact; } actions = { counts; a; } implementation = p4; counters = direct2; } // ERROR P4501 "some of the actions of its entries count, and others do not"
    table maybe { key = { md.x : exact; } actions = { sometimes; } implementation = p5; counters = direct3; } // ERROR P4501 "action pipe.Ig.sometimes counts on some of its ways only"
    table one { key = { md.x : exact; } actions = { a; @defaultonly b; } implementation = shared; }
    table two { key = { md.x : exact; } actions = { a; b; } implementation = shared; } // ERROR P4403 "share pipe.Ig.shared, and do not list the same actions"
    table fine { key = { md.x : exact; } actions = { a; } default_action = a(); implementation = shared; }
    table nameless { key = { md.x : exact; } actions = { a; } implementation = ActionProfile(4); } // ERROR P4501 "has no name for the controller"
    table wrong { key = { md.x : exact; } actions = { a; } implementation = ctr; } // ERROR P4401 "Counter is no implementation of a table"
    table lopsided { key = { md.x : selector; hdr.eth.dst : selector; hdr.eth.src : exact; } actions = { a; } implementation = balanced; } // ERROR P4505 ".md.x. is bit<8>, and .hdr.eth.dst. is bit<48>"
    apply {
        bare.apply(); keyless.apply(); blind.apply(); plain.apply(); profiled.apply(); told.apply(); counting.apply(); some.apply(); metered.apply(); maybe.apply();
        one.apply(); two.apply(); fine.apply(); nameless.apply(); wrong.apply(); lopsided.apply();
        md.x = (bit<8>)free.read(0); // ERROR P4501 "register pipe.Ig.free belongs to selector holds"
        free.write(0, 1); // ERROR P4501 "register pipe.Ig.free belongs to selector holds"
    }
}
#include "finish.p4"
