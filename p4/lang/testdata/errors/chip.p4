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
        md.x = 0; // it is zero anyway
        md.y = 1;
        transition select(hdr.eth.type) {
            0x0800: accept;
            0x0806: silent;
            0x86dd: again;
            default: /* WARN P4507 "transition reject" */ reject;
        }
    }
    state again {
        md.x = 3;
        md.y = 2; // WARN P4507 "md.y is assigned in state port_metadata already"
        transition accept;
    }
    state silent { pkt.extract(hdr.one); } // WARN P4507 "state silent has no transition"
}
#define OWN_INGRESS
control Ig(INGRESS_PARAMS) {
    action send(PortId_t port) { ig_tm_md.ucast_egress_port = port; }
    table t {
        key = { hdr.eth.dst : exact; }
        actions = { send; }
        entries = {
            1 : send(64);
            2 : send(196); // WARN P4507 "port 196: the chip's recirculation port"
        }
        const default_action = send(2);
    }
    apply {
        t.apply();
        if (md.x == 1) {
            ig_tm_md.ucast_egress_port = 68; // WARN P4507 "port 68: the chip's recirculation port"
        }
    }
}
#include "finish.p4"
