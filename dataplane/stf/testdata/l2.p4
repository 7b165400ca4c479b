// A small switch for the tests of the STF runner: every match kind, a group,
// a register, a counter.
#include <core.p4>
#include <tna.p4>

header ethernet_h { bit<48> dst; bit<48> src; bit<16> type; }
header ip_h { bit<8> tos; bit<8> ttl; bit<16> len; bit<32> dst; }
header copy_h { bit<16> rid; }
struct headers_t { ethernet_h eth; ip_h ip; copy_h copy; }
struct meta_t { bit<16> seen; }

parser Prsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.eth);
        transition select(hdr.eth.type) {
            0x0800: parse_ip;
            default: accept;
        }
    }
    state parse_ip { pkt.extract(hdr.ip); transition accept; }
}

control Ctl(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md,
            in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
            inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
            inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) rx;
    Register<bit<16>, bit<8>>(16) seen;
    RegisterAction<bit<16>, bit<8>, bit<16>>(seen) count = {
        void apply(inout bit<16> v, out bit<16> r) { v = v + 1; r = v; }
    };
    action send(PortId_t port) { ig_tm_md.ucast_egress_port = port; }
    action flood(MulticastGroupId_t group) { ig_tm_md.mcast_grp_a = group; }
    action drop() { ig_dprsr_md.drop_ctl = 1; }
    action route(PortId_t port, bit<48> dst) {
        ig_tm_md.ucast_egress_port = port;
        hdr.eth.dst = dst;
        hdr.ip.ttl = hdr.ip.ttl - 1;
    }
    table mac {
        key = { hdr.eth.dst : exact; }
        actions = { send; flood; drop; }
        default_action = drop();
    }
    table routes {
        key = { hdr.ip.dst : lpm; }
        actions = { route; drop; }
        default_action = drop();
    }
    table acl {
        key = {
            hdr.ip.tos[7:4] : ternary;
            hdr.ip.tos[3:0] : ternary;
            hdr.ip.len : range;
            hdr.ip.isValid() : exact;
        }
        actions = { drop; NoAction; }
        size = 64;
    }
    apply {
        rx.count(ig_intr_md.ingress_port);
        md.seen = count.execute(hdr.eth.src[7:0]);
        if (hdr.ip.isValid()) {
            routes.apply();
        } else {
            mac.apply();
        }
        acl.apply();
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
    apply {
        if (eg_intr_md.egress_rid != 0) {
            hdr.copy.setValid();
            hdr.copy.rid = eg_intr_md.egress_rid;
        }
    }
}
control EgDprs(packet_out pkt, inout headers_t hdr, in meta_t md) { apply { pkt.emit(hdr); } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
