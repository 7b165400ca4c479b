// What XDP cannot do: all of it is said at once, each at its place.
#include <core.p4>
#include <tna.p4>

header eth_h { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { eth_h eth; }
struct meta_t { bit<128> wide; }

parser Prsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.eth);
        pkt.advance((bit<32>)hdr.eth.type); // XDP "advance by a number of bits that is not known"
        transition accept;
    }
}
control Ctl(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md,
            in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
            inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
            inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Hash<bit<16>>(HashAlgorithm_t.CRC16) crc;
    bit<16> h;
    apply {
        ig_tm_md.ucast_egress_port = 1;
        h = crc.get({ md.wide });
        hdr.eth.type = h;
        md.wide = md.wide + 1; // XDP "operator . on bit<128> .at most 64 bits"
    }
}
control Dprs(packet_out pkt, inout headers_t hdr, in meta_t md) { apply { pkt.emit(hdr); } }
parser EgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); pkt.extract(hdr.eth); transition accept; }
}
control EgCtl(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md,
              in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
              inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
              inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    int<64> a = 7;
    action quit() {
        exit; // XDP "exit in an action"
    }
    table q { actions = { quit; } const default_action = quit(); }
    apply {
        q.apply();
        a = a |+| 5; // XDP "operator ... on int<64>"
        hdr.eth.src = (bit<48>)(bit<64>)a;
    }
}
control EgDprs(packet_out pkt, inout headers_t hdr, in meta_t md) { apply { pkt.emit(hdr); } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
