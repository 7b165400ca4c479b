// Registers that begin with values, said in the constructor or beside the action.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { bit<16> a; bit<32> b; bit<32> c; }
struct pair_t { bit<32> first; bit<32> second; }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    Register<bit<16>, bit<8>>(4, 7) said;
    RegisterAction<bit<16>, bit<8>, bit<16>>(said) next = {
        void apply(inout bit<16> v, out bit<16> r) { r = v; v = v + 1; }
    };
    Register<bit<32>, bit<8>>(4) low;
    @initial_register_lo_value(100)
    RegisterAction<bit<32>, bit<8>, bit<32>>(low) next_low = {
        void apply(inout bit<32> v, out bit<32> r) { r = v; v = v + 1; }
    };
    Register<pair_t, bit<8>>(4) both;
    @initial_register_lo_value(0x200)
    @initial_register_hi_value(0x300)
    RegisterAction<pair_t, bit<8>, bit<32>>(both) next_both = {
        void apply(inout pair_t v, out bit<32> r) { r = v.first + v.second; v.first = v.first + 1; }
    };
    apply {
        ig_tm_md.ucast_egress_port = 3;
        md.a = next.execute(1);
        md.b = next_low.execute(1);
        md.c = next_both.execute(1);
        hdr.eth.src = md.a ++ md.b;
        hdr.eth.dst = 16w0 ++ md.c;
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
