// The idiom for a program without an egress; sizes and priorities by constants.
#include "prelude.p4"
#define OWN_INGRESS
#define OWN_MAIN
control Sized(in headers_t hdr, inout meta_t md)(bit<32> entries, bit<8> fill) {
    action set(bit<8> v) { md.x = v; }
    table t {
        key = { hdr.eth.type : ternary; }
        actions = { set; }
        const default_action = set(fill);
        largest_priority_wins = false;
        priority_delta = 10;
        entries = {
            priority = 1 : 1 : set(1);
            2 &&& 3 : set(2);
            priority = 5 : _ : set(3);
        }
        size = entries;
    }
    apply { t.apply(); }
}
control Ig(INGRESS_PARAMS) {
    Sized(64, 7) small;
    apply {
        small.apply(hdr, md);
        ig_tm_md.bypass_egress = 1;
    }
}
#include "finish.p4"
struct none_t { }
parser EmptyEgressParser(packet_in pkt, out none_t hdr, out none_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { transition accept; }
}
control EmptyEgress(inout none_t hdr, inout none_t md, in egress_intrinsic_metadata_t eg_intr_md,
                    in egress_intrinsic_metadata_from_parser_t p, inout egress_intrinsic_metadata_for_deparser_t d,
                    inout egress_intrinsic_metadata_for_output_port_t o) { apply { } }
control EmptyEgressDeparser(packet_out pkt, inout none_t hdr, in none_t md) { apply { } }
Pipeline(IgPrsr(), Ig(), IgDprs(), EmptyEgressParser(), EmptyEgress(), EmptyEgressDeparser()) main_pipe;
Switch(main_pipe) main;
