// What is compared with itself, or assigned to itself.
#include "frame.p4"
struct headers_t { eth_h eth; }
struct meta_t { bit<32> m; }
INGRESS_PARSER(Prsr) {
    START
    state body { md = { 7 }; transition accept; }
}
INGRESS(Ctl) {
    Register<bit<16>, bit<8>>(8) r;
    RegisterAction<bit<16>, bit<8>, bit<16>>(r) ra = {
        void apply(inout bit<16> value, out bit<16> rv) {
            rv = value;
            if (value == value) { value = value; } else { value = 3; }
        }
    };
    apply {
        ig_tm_md.ucast_egress_port = 2;
        ig_tm_md.bypass_egress = 1;
        md.m = (md.m |-| md.m) | 5;
        if (md.m != md.m || md.m < md.m) { hdr.eth.dst = 0; }
        hdr.eth.type = ra.execute(hdr.eth.dst[7:0] & 7) + (md.m > 6 && md.m < 4 ? 16w1 : 16w2);
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
