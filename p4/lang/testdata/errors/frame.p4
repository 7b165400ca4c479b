// A parser that does not begin as Tofino demands. P4502
#include "prelude.p4"
#define OWN_PARSER
parser IgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) { // ERROR P4502 "must first extract ig_intr_md"
    state start {
        pkt.extract(ig_intr_md);
        pkt.extract(hdr.eth);
        transition accept;
    }
}
#include "finish.p4"
