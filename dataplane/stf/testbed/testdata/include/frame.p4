// What the small programs of these tests share: an Ethernet header, and blocks for
// those that have none of their own.
#include <core.p4>
#include <tna.p4>

header eth_h { bit<48> dst; bit<48> src; bit<16> type; }

#define INGRESS_PARSER(name) parser name(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md)
#define INGRESS(name) control name(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md, \
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md, \
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, \
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md)
#define EGRESS(name) control name(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md, \
    in egress_intrinsic_metadata_from_parser_t eg_prsr_md, \
    inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md, \
    inout egress_intrinsic_metadata_for_output_port_t eg_oport_md)
#define EGRESS_PARSER(name) parser name(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md)
#define DEPARSER(name) control name(packet_out pkt, inout headers_t hdr, in meta_t md)

#define START state start { pkt.extract(ig_intr_md); pkt.advance(PORT_METADATA_SIZE); pkt.extract(hdr.eth); transition body; }
