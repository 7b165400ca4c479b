// What the chip does otherwise than the language says. P4507
#include "prelude.p4"
#define OWN_PARSER
parser IgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        transition select(ig_intr_md.resubmit_flag) {
            1: resubmitted;
            0: port_metadata;
        }
    }
    state resubmitted { transition reject; } // WARN P4507 "transition reject: the chip goes on as if it said accept"
    state port_metadata {
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.eth);
        transition select(hdr.eth.type) {
            0x0800: accept;
            0x0806: silent;
            default: /* WARN P4507 "transition reject" */ reject;
        }
    }
    state silent { pkt.extract(hdr.one); } // WARN P4507 "state silent has no transition"
}
#include "finish.p4"
