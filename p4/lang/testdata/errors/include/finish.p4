#ifndef OWN_PARSER
parser IgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.eth);
        transition accept;
    }
}
#endif
#ifndef OWN_INGRESS
control Ig(INGRESS_PARAMS) { apply { } }
#endif
#ifndef OWN_DEPARSER
control IgDprs(packet_out pkt, inout headers_t hdr, in meta_t md) { apply { pkt.emit(hdr); } }
#endif
parser EgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); transition accept; }
}
control Eg(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md,
           in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
           inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
           inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) { apply { } }
control EgDprs(packet_out pkt, inout headers_t hdr, in meta_t md) { apply { } }
#ifndef OWN_MAIN
Pipeline(IgPrsr(), Ig(), IgDprs(), EgPrsr(), Eg(), EgDprs()) pipe;
Switch(pipe) main;
#endif
