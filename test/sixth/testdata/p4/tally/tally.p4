/* A switch that counts requests by their keys.
 *
 *              +-------------+  hit: a request   +----------+
 *   frame ---> | hosts       | ----------------> | requests | ---> port
 *              | dst -> port |                   | key -> n |
 *              +-------------+                   +----------+
 *                 miss: dropped
 *
 * hosts     where each host is. The controller writes it.
 * requests  how many requests of each key the switch has forwarded. The controller reads it.
 *
 * A request is a UDP datagram to PORT_TALLY whose first byte is its key.
 */
#include <core.p4>
#include <tna.p4>

#include "../lib/headers.p4"

const bit<16> PORT_TALLY = 7777;

header request_h {
    bit<8> key;
}

struct headers_t {
    ethernet_h ethernet;
    ipv4_h ipv4;
    udp_h udp;
    request_h request;
}

struct metadata_t {
    bit<32> count; /* with this request */
}

parser IngressParser(packet_in pkt,
                     out headers_t hdr,
                     out metadata_t md,
                     out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        md = { 0 };
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        pkt.extract(hdr.ipv4);
        transition select(hdr.ipv4.version_ihl, hdr.ipv4.protocol, hdr.ipv4.flags_fragment) {
            (0x45, IPPROTO_UDP, 0x0000 &&& 0x3fff): parse_udp;
            default: accept;
        }
    }

    state parse_udp {
        pkt.extract(hdr.udp);
        transition select(hdr.udp.dst_port) {
            PORT_TALLY: parse_request;
            default: accept;
        }
    }

    state parse_request {
        pkt.extract(hdr.request);
        transition accept;
    }
}

control Ingress(inout headers_t hdr,
                inout metadata_t md,
                in ingress_intrinsic_metadata_t ig_intr_md,
                in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
                inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    @id(0x16000001) @brief("Requests that were forwarded, per key")
    Register<bit<32>, bit<8>>(256) requests;
    RegisterAction<bit<32>, bit<8>, bit<32>>(requests) one_more = {
        void apply(inout bit<32> n, out bit<32> now) {
            n = n + 1;
            now = n;
        }
    };

    @id(0x01000001)
    action forward(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
        ig_tm_md.bypass_egress = 1;
    }

    @id(0x01000002)
    action unknown() {
        ig_dprsr_md.drop_ctl = 1;
    }

    @id(0x02000001)
    table hosts {
        key = { hdr.ethernet.dst : exact @name("dst"); }
        actions = { forward; @defaultonly unknown; }
        const default_action = unknown();
        size = 512;
    }

    apply {
        if (hosts.apply().hit) {
            if (hdr.request.isValid()) {
                md.count = one_more.execute(hdr.request.key);
            }
        }
    }
}

control IngressDeparser(packet_out pkt,
                        inout headers_t hdr,
                        in metadata_t md,
                        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

/* Nothing is left to do in the egress: packets pass it by. */
parser EgressParser(packet_in pkt,
                    out headers_t hdr,
                    out metadata_t md,
                    out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        md = { 0 };
        transition accept;
    }
}

control Egress(inout headers_t hdr,
               inout metadata_t md,
               in egress_intrinsic_metadata_t eg_intr_md,
               in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
               inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
               inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply { }
}

control EgressDeparser(packet_out pkt,
                       inout headers_t hdr,
                       in metadata_t md,
                       in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply { }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(),
         EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
