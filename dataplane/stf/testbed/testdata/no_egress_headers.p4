// An egress without headers: what the ingress made leaves as it is.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { }
struct none_t { }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    apply {
        ig_tm_md.ucast_egress_port = hdr.eth.dst[8:0];
        hdr.eth.src = hdr.eth.src + 1;
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
parser EgPrsr(packet_in pkt, out none_t hdr, out none_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); transition accept; }
}
control EgCtl(inout none_t hdr, inout none_t md, in egress_intrinsic_metadata_t eg_intr_md,
              in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
              inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
              inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) { apply { } }
control EgDprs(packet_out pkt, inout none_t hdr, in none_t md) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
