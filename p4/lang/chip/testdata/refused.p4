// What a Tofino cannot do, although the front end takes it.
#include <core.p4>
#include <tna.p4>
header eth_h { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { eth_h eth; }
struct meta_t { bit<8> x; bit<8> y; }
parser Prsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.eth);
        md.x = 1;
        transition select(hdr.eth.type) { 1: more; default: accept; }
    }
    state more { md.x = 2; transition accept; } // TOFINO "md.x is assigned in state start already"
}
control Ctl(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md,
            in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
            inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
            inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Counter<bit<64>, bit<8>>(256, CounterType_t.PACKETS) seen;
    Register<bit<32>, bit<8>>(256) small;
    Register<bit<48>, bit<8>>(256) wide; // TOFINO "register pipe.Ctl.wide: cells of 48 bits"
    Register<bit<32>, bit<8>>(256) either;
    RegisterAction<bit<32>, bit<8>, bit<32>>(small) bump = { void apply(inout bit<32> v, out bit<32> rv) { if (v < 3) { v = v + 1; } rv = v; } };
    action count() { seen.count(md.x); } // TOFINO "counter pipe.Ctl.seen is indexed by a field in a default action"
    action set(bit<8> v) { md.y = v; seen.count(v); }
    table t { key = { hdr.eth.dst : exact; } actions = { set; count; } default_action = count(); size = 16; }
    apply {
        ig_tm_md.ucast_egress_port = 1;
        if (md.x == md.y) { // TOFINO "a condition that compares two values of the packet"
            md.x = md.x << md.y; // TOFINO "a shift by a value of the packet"
            bump.execute(md.x);
        } else {
            bump.execute(md.y);
            either.write(0, 1);
            return;
        }
        md.y = min(md.x, md.y) * 2;
        md.y = md.y * md.x; // TOFINO "no multiplier"
        md.x = md.x % 3; // TOFINO "no division"
        t.apply();
        if (md.x == 7) {
            t.apply(); // TOFINO "table pipe.Ctl.t has been applied for this packet before"
            bump.execute(0); // TOFINO "register pipe.Ctl.small has been accessed for this packet before"
        }
        wide.write(0, 1);
        either.write(0, 2); // other packets
    }
}
control Dprs(packet_out pkt, inout headers_t hdr, in meta_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) { apply { pkt.emit(hdr); } }
parser EgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); transition accept; }
}
control EgCtl(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md, in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
              inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md, inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) { apply { } }
control EgDprs(packet_out pkt, inout headers_t hdr, in meta_t md, in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
