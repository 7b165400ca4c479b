#include <core.p4>
#include <tna.p4>

/* What a function of its own must not do. */
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
    state tag {
        pkt.extract(hdr.tag);
        transition accept;
    }
}
control Ctl(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md,
            in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
            inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
            inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<32>, bit<4>>(16) first;
    RegisterAction<bit<32>, bit<4>, bit<32>>(first) add = {
        void apply(inout bit<32> x, out bit<32> now) {
            x = x + 1;
            now = x;
        }
    };
    bit<32> n;
    apply {
        ig_tm_md.ucast_egress_port = 1;
        @own_function { // XDP "@own_function: block that is left by return or exit"
            n = add.execute(0);
            if (n == 3) {
                exit;
            }
        }
        @own_function { // XDP "@own_function: block that reads the time"
            if (ig_intr_md.ingress_mac_tstamp[31:0] == 0) {
                md.seen = 1;
            }
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
