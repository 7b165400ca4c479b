// Tables of every kind with idle time-outs, for TestLastHit.
#include <core.p4>
#include <tna.p4>

header key_h { bit<48> dst; bit<32> a; bit<8> b; bit<8> c; }
header bridge_h { bit<16> unused; }
struct headers_t { bridge_h bridge; key_h key; }
struct meta_t { bit<8> exact; bit<8> lpm; bit<8> list; bit<8> index; }

parser Prsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.key);
        md = { 0, 0, 0, 0 };
        transition accept;
    }
}

control Ctl(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md,
            in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
            inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
            inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    action exact_is(bit<8> v) { md.exact = v; }
    table by_exact { key = { hdr.key.a : exact; } actions = { exact_is; NoAction; } size = 16; idle_timeout = true; }
    action index_is(bit<8> v) { md.index = v; }
    table by_index { key = { hdr.key.b : exact; } actions = { index_is; NoAction; } size = 256; idle_timeout = true; }
    action lpm_is(bit<8> v) { md.lpm = v; }
    table by_lpm { key = { hdr.key.a : lpm; } actions = { lpm_is; NoAction; } size = 16; idle_timeout = true; }
    action list_is(bit<8> v) { md.list = v; }
    table by_list { key = { hdr.key.c : ternary; } actions = { list_is; NoAction; } size = 16; idle_timeout = true; }
    apply {
        hdr.bridge.setValid();
        hdr.bridge.unused = 0;
        by_exact.apply();
        by_index.apply();
        by_lpm.apply();
        by_list.apply();
        ig_tm_md.ucast_egress_port = 2;
    }
}
control Dprs(packet_out pkt, inout headers_t hdr, in meta_t md) { apply { pkt.emit(hdr.bridge); pkt.emit(hdr.key); } }
parser EgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); pkt.extract(hdr.bridge); pkt.extract(hdr.key); transition accept; }
}
control EgCtl(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md,
              in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
              inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
              inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply { }
}
control EgDprs(packet_out pkt, inout headers_t hdr, in meta_t md) { apply { pkt.emit(hdr.key); } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
