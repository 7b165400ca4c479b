/* Some of everything that has a name or a number. */
#include <core.p4>
#include <tna.p4>

#define THINGS 32
const bit<32> MAX_THINGS = THINGS;
const int OFFSET = -3;
const bool ON = true;

typedef bit<8> drop_t;
const drop_t DROP_NONE = 0;
const drop_t DROP_TOO_SHORT = 1;
const drop_t DROP_TOO_LONG = 2;

enum bit<4> mode_t { FAST = 1, SLOW = 7 }

header eth_h {
    bit<48> dst;
    bit<48> src;
    bit<16> kind;
}

@controller_header("packet_in")
header packet_in_h {
    @id(2) bit<7> pad;
    @id(1) PortId_t ingress_port;
}

struct headers_t {
    eth_h eth;
    packet_in_h packet_in;
}

struct seen_t { bit<16> low; bit<16> high; }

struct learn_t {
    bit<48> mac;
    bit<16> port;
}

struct metadata_t { bit<8> x; }

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        md = { 0 };
        pkt.extract(hdr.eth);
        transition accept;
    }
}

control Ingress(inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t ig_intr_md,
                in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
                inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Counter<bit<64>, bit<8>>(4, CounterType_t.PACKETS) drops;
    Register<seen_t, bit<16>>(THINGS, {0, 0}) seen;
    RegisterAction<seen_t, bit<16>, bit<16>>(seen) look = {
        void apply(inout seen_t s, out bit<16> v) {
            v = s.low;
            s.low = s.low + 1;
        }
    };
    @id(0x01000001)
    action forward(PortId_t port) { ig_tm_md.ucast_egress_port = port; }
    @id(0x02000001)
    table dmac {
        key = { hdr.eth.dst : exact; }
        actions = { forward; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 96;
    }
    action fixed(bit<16> kind) { hdr.eth.kind = kind; }
    table wired {
        key = { hdr.eth.kind : exact; }
        actions = { forward; fixed; }
        const entries = {
            1 : fixed(2);
        }
        const default_action = fixed(0);
        size = 2;
    }
    apply {
        dmac.apply();
        wired.apply();
        hdr.eth.kind = look.execute(0);
        if (hdr.eth.kind == 0) {
            drops.count(DROP_TOO_LONG);
        }
        ig_dprsr_md.digest_type = 1;
    }
}

control IngressDeparser(packet_out pkt, inout headers_t hdr, in metadata_t md,
                        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Digest<learn_t>(1) learn;
    apply {
        if (ig_dprsr_md.digest_type == 1) {
            learn.pack({ hdr.eth.src, hdr.eth.kind });
        }
        pkt.emit(hdr.eth);
    }
}

parser EgressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        transition accept;
    }
}

control Egress(inout headers_t hdr, inout metadata_t md, in egress_intrinsic_metadata_t eg_intr_md,
               in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
               inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
               inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply { }
}

control EgressDeparser(packet_out pkt, inout headers_t hdr, in metadata_t md,
                       in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply { pkt.emit(hdr.packet_in); }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
