// Parsers: sub-parsers, lookahead, select over several keys, checksums.
#include "prelude.p4"
#define OWN_PARSER
#define OWN_DEPARSER
struct peek_t { bit<8> kind; bit<8> len; }
parser TofinoIngressParser(packet_in pkt, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        transition select(ig_intr_md.resubmit_flag) {
            1: parse_resubmit;
            0: parse_port_metadata;
        }
    }
    state parse_resubmit { transition reject; }
    state parse_port_metadata {
        pkt.advance(PORT_METADATA_SIZE);
        transition accept;
    }
}
parser Small(packet_in pkt, out small_h h)(bit<8> magic) {
    state start {
        transition select(pkt.lookahead<bit<8>>()) {
            magic: take;
            _: accept;
        }
    }
    state take { pkt.extract(h); transition accept; }
}
parser IgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    TofinoIngressParser() tofino;
    Small(0x45) small;
    Small(1) again;
    Checksum() sum;
    bit<8> kind = 3;
    state start {
        tofino.apply(pkt, ig_intr_md);
        md.x = kind;
        transition parse_eth;
    }
    state parse_eth {
        pkt.extract(hdr.eth);
        sum.add(hdr.eth);
        sum.subtract({ hdr.eth.type });
        md.ok = sum.verify();
        transition select(hdr.eth.type, pkt.lookahead<peek_t>().len, hdr.eth.dst[40:40]) {
            (0x800 .. 0x8ff, 1, 0): one;
            (0x8000 &&& 0xf000, _, 1): two;
            (_, 7, _): reject;
            default: accept;
        }
    }
    state one { small.apply(pkt, hdr.one); pkt.advance(16); transition two; }
    state two { again.apply(pkt, hdr.two); transition accept; }
}
control IgDprs(packet_out pkt, inout headers_t hdr, in meta_t md) {
    Checksum() sum;
    apply {
        hdr.eth.type = sum.update({ hdr.eth.dst, hdr.eth.src, md.y }, true);
        if (md.ok) { pkt.emit(hdr.one); } else { pkt.emit(hdr); }
    }
}
#include "finish.p4"
