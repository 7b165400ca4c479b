// Action profiles, of every form.
#include <core.p4>
#include <tna.p4>

header eth_h { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { eth_h eth; }
struct meta_t { }

parser IgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start { pkt.extract(ig_intr_md); pkt.advance(PORT_METADATA_SIZE); pkt.extract(hdr.eth); transition accept; }
}
control Ig(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md, in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
           inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Hash<bit<16>>(HashAlgorithm_t.CRC16) crc;
    @id(7) ActionProfile(1024) hashed_profile;
    ActionSelector(hashed_profile, crc, SelectorMode_t.FAIR, 16, 64) hashed_selector;
    @brief("marks") ActionProfile(size = 32) marks;
    @selector_max_group_size(10) ActionSelector(48, crc, SelectorMode_t.RESILIENT) old;
    ActionSelector(20, crc, SelectorMode_t.FAIR) unused;
    action send(PortId_t port) { ig_tm_md.ucast_egress_port = port; }
    action mark(bit<16> type) { hdr.eth.type = type; }
    table first { key = { hdr.eth.src : selector; hdr.eth.dst : exact; } actions = { send; @defaultonly NoAction; } implementation = hashed_selector; size = 99; }
    table second { key = { hdr.eth.type : exact; hdr.eth.src : selector; } actions = { send; } const default_action = send(5); implementation = hashed_selector; }
    table marked { key = { hdr.eth.type : exact; } actions = { mark; } implementation = marks; }
    table third { key = { hdr.eth.type : exact; hdr.eth.src : selector; } actions = { mark; } implementation = old; }
    apply { first.apply(); second.apply(); marked.apply(); third.apply(); }
}
control IgDprs(packet_out pkt, inout headers_t hdr, in meta_t md) { apply { pkt.emit(hdr); } }
parser EgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md) { state start { pkt.extract(eg_intr_md); transition accept; } }
control Eg(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md, in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
           inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md, inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) { apply { } }
control EgDprs(packet_out pkt, inout headers_t hdr, in meta_t md) { apply { } }
Pipeline(IgPrsr(), Ig(), IgDprs(), EgPrsr(), Eg(), EgDprs()) pipe;
Switch(pipe) main;
