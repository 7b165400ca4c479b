#include <core.p4>
#include <tna.p4>

/* The result of a table with code of its own is not used. */
header eth_h { bit<48> dst; bit<48> src; bit<16> type; }
header tag_h { bit<32> tag; }
struct headers_t { eth_h eth; tag_h tag; tag_h inner; }
struct meta_t { bit<8> class; bit<8> seen; }
parser Prsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        md = { 0, 0 };
        pkt.extract(hdr.eth);
        transition select(hdr.eth.type) {
            1: tag;
            2: accept;
            default: accept;
        }
    }
    @own_code
    state tag {
        pkt.extract(hdr.tag);
        transition accept;
    }
}
control Ctl(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md,
            in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
            inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
            inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    @own_code
    action known() { md.class = 1; }
    table classes {
        key = { hdr.eth.dst : exact; }
        actions = { known; @defaultonly NoAction; }
        const default_action = NoAction();
    }
    apply {
        ig_tm_md.ucast_egress_port = 1;
        if (classes.apply().hit) { // XDP "@own_code in a table whose result is used"
            md.seen = 1;
        }
    }
}
control Dprs(packet_out pkt, inout headers_t hdr, in meta_t md,
             in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) { apply { pkt.emit(hdr); } }
parser EgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); transition accept; }
}
control EgCtl(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md,
              in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
              inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
              inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply { }
}
control EgDprs(packet_out pkt, inout headers_t hdr, in meta_t md,
               in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
