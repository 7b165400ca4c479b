// What has no place in maps, and what is seen without one.
#include <core.p4>
#include <tna.p4>

header eth_h { bit<48> dst; bit<48> src; bit<16> type; }
header wide_h { bit<128> a; }
struct headers_t { eth_h eth; wide_h wide; }
struct meta_t { }

parser Prsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.eth);
        pkt.extract(hdr.wide);
        transition accept;
    }
}
control Ctl(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md,
            in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
            inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
            inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<128>, bit<8>>(4) reg; // XDP "elements of 128 bits"
    DirectCounter<bit<64>>(CounterType_t.PACKETS) hits;
    action send(PortId_t port) { ig_tm_md.ucast_egress_port = port; hits.count(); }
    action wide(bit<128> x) { hdr.wide.a = x; }
    table keys {
        key = { hdr.wide.a : range; } // XDP "range key hdr.wide.a has 128 bits"
        actions = { send; }
        counters = hits;
    }
    table many {
        key = { hdr.eth.src : ternary; }
        actions = { wide; }
        size = 16;
    }
    table large { // XDP "20000 entries with ternary"
        key = { hdr.eth.dst : ternary; }
        actions = { NoAction; }
        size = 20000;
    }
    apply {
        keys.apply();
        many.apply();
        large.apply();
        ig_tm_md.copy_to_cpu = 1; // XDP "assignment to ig_tm_md.copy_to_cpu"
    }
}
control Dprs(packet_out pkt, inout headers_t hdr, in meta_t md) { apply { pkt.emit(hdr); } }
parser EgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); transition accept; }
}
control EgCtl(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md,
              in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
              inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
              inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply { }
}
control EgDprs(packet_out pkt, inout headers_t hdr, in meta_t md) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
