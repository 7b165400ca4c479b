/* Parsers and deparsers of both gresses.
 *
 *   ingress:  [packet_out] ethernet [vlan [inner_vlan]] [ipv6 | ipv4 [udp [bth [reth | aeth icrc | cnp icrc]]]]
 *   egress:   bridge, and the headers that are rewritten, of the packets that are
 *
 * A frame in front of that is what ../lib/frames.p4 makes of it. IPv4 packets with options or
 * tags, fragments, and everything else are payload behind the last header that is understood.
 */
#ifndef P4CE_PARSER_P4
#define P4CE_PARSER_P4

parser IngressParser(packet_in pkt,
                     out headers_t hdr,
                     out ingress_metadata_t md,
                     out ingress_intrinsic_metadata_t ig_intr_md) {
    Checksum() ipv4_checksum;

    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        md = { false, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ROLE_NONE, CLASS_NONE,
               DROP_NONE, REASON_NONE, 0, 0, 0, 0, 0, 0, 0, 0,
#ifndef GATHER_IN_EGRESS
               0, 0, 0, 0, GATHER_NOTHING,
#endif
               0, 0, 0 };
        transition select(ig_intr_md.ingress_port) {
            PORT_CPU: parse_packet_out;
            default: parse_ethernet;
        }
    }

    state parse_packet_out {
        pkt.extract(hdr.packet_out);
        transition accept;
    }

#include "../lib/frames.p4"

    state parse_ipv4 {
        pkt.extract(hdr.ipv4);
        ipv4_checksum.add(hdr.ipv4);
        md.checksum_error = ipv4_checksum.verify();
        md.sender = hdr.ipv4.src;
        transition select(hdr.ipv4.protocol, hdr.ipv4.flags_fragment) {
            (IPPROTO_UDP, 0x0000 &&& 0x3fff): parse_udp;
            default: accept;
        }
    }

    state parse_udp {
        pkt.extract(hdr.udp);
        transition select(hdr.udp.dst_port) {
            UDP_PORT_ROCE: parse_bth;
            default: accept;
        }
    }

    state parse_bth {
        pkt.extract(hdr.bth);
        md.flow_qp = hdr.bth.dst_qp;
        transition select(hdr.bth.opcode) {
            RC_WRITE_FIRST: parse_reth;
            RC_WRITE_ONLY: parse_reth;
            RC_WRITE_ONLY_IMM: parse_reth;
            RC_ACK: parse_aeth;
            CNP: parse_cnp;
            default: accept;
        }
    }

    @own_code
    state parse_reth {
        pkt.extract(hdr.reth);
        transition accept;
    }

    @own_code
    state parse_aeth {
        pkt.extract(hdr.aeth);
        pkt.extract(hdr.icrc);
        transition accept;
    }

    state parse_cnp {
        pkt.extract(hdr.cnp);
        pkt.extract(hdr.icrc);
        transition accept;
    }
}

control IngressDeparser(packet_out pkt,
                        inout headers_t hdr,
                        in ingress_metadata_t md,
                        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Checksum() ipv4_checksum;
    @id(0x17000001) @brief("A replica refused a packet of its group")
    Digest<nak_digest_t>(DIGEST_NAK) nak_digest;

    apply {
        if (ig_dprsr_md.digest_type == DIGEST_NAK) {
            nak_digest.pack({ md.group, STATE.slot, hdr.aeth.syndrome, md.p });
        }
        if (md.routed) {
            hdr.ipv4.checksum = ipv4_checksum.update({
                hdr.ipv4.version_ihl, hdr.ipv4.tos, hdr.ipv4.total_len,
                hdr.ipv4.identification, hdr.ipv4.flags_fragment,
                hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst });
        }
        pkt.emit(hdr.bridge);
        pkt.emit(hdr.ethernet);
        pkt.emit(hdr.vlan);
        pkt.emit(hdr.inner_vlan);
        pkt.emit(hdr.ipv6);
        pkt.emit(hdr.ipv4);
        pkt.emit(hdr.udp);
        pkt.emit(hdr.bth);
        pkt.emit(hdr.reth);
        pkt.emit(hdr.aeth);
        pkt.emit(hdr.cnp);
        pkt.emit(hdr.icrc);
    }
}

parser EgressParser(packet_in pkt,
                    out headers_t hdr,
                    out egress_metadata_t md,
                    out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        pkt.extract(hdr.bridge);
        md = {
#ifdef GATHER_IN_EGRESS
               CLASS_NONE, 0, 0, 0, 0, 0, 0, GATHER_NOTHING,
#endif
               false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
#ifdef GATHER_IN_EGRESS
        md.group = hdr.bridge.group;
        md.slot = hdr.bridge.slot;
        md.members = hdr.bridge.members;
        md.f = hdr.bridge.f;
        md.p = hdr.bridge.psn;
        md.edge = hdr.bridge.edge;
        transition select(hdr.bridge.kind, eg_intr_md.egress_rid) {
            (KIND_SCATTER, RID_LEADER): request;
            (KIND_SCATTER, _): parse_roce;
            (KIND_NAK, _): nak;
            (KIND_ACK, _): ack;
            (KIND_CNP, _): cnp;
            default: parse_ethernet;
        }
#else
        transition select(hdr.bridge.kind) {
            KIND_SCATTER: parse_roce;
            KIND_NAK: parse_roce;
            KIND_ACK: parse_roce;
            KIND_CNP: parse_roce;
            default: parse_ethernet;
        }
#endif
    }

#ifdef GATHER_IN_EGRESS
    state request {
        md.class = CLASS_COPY;
        transition accept;
    }

    state ack {
        md.class = CLASS_ACK;
        transition parse_roce;
    }

    state nak {
        md.class = CLASS_NAK;
        transition parse_roce;
    }

    state cnp {
        md.class = CLASS_CNP;
        transition parse_roce;
    }
#endif

    /* Plain IPv4 can be marked. */
    state parse_ethernet {
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_IPV4: peek_ipv4;
            default: accept;
        }
    }

    state peek_ipv4 {
        transition select(pkt.lookahead<bit<8>>()) {
            0x45: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        pkt.extract(hdr.ipv4);
        transition accept;
    }

    /* The ingress has seen to it that these headers are there. */
    state parse_roce {
        pkt.extract(hdr.ethernet);
        pkt.extract(hdr.ipv4);
        pkt.extract(hdr.udp);
        pkt.extract(hdr.bth);
        transition select(hdr.bth.opcode) {
            RC_WRITE_FIRST: parse_reth;
            RC_WRITE_ONLY: parse_reth;
            RC_WRITE_ONLY_IMM: parse_reth;
            RC_ACK: parse_aeth;
            default: accept;
        }
    }

    @own_code
    state parse_reth {
        pkt.extract(hdr.reth);
        transition accept;
    }

    @own_code
    state parse_aeth {
        pkt.extract(hdr.aeth);
        transition accept;
    }
}

control EgressDeparser(packet_out pkt,
                       inout headers_t hdr,
                       in egress_metadata_t md,
                       in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    Checksum() ipv4_checksum;

    apply {
#ifdef __p4xc__ /* on Tofino the condition takes a stage, and the checksum no time */
        if (md.remade)
#endif
        {
            hdr.ipv4.checksum = ipv4_checksum.update({
                hdr.ipv4.version_ihl, hdr.ipv4.tos, hdr.ipv4.total_len,
                hdr.ipv4.identification, hdr.ipv4.flags_fragment,
                hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst });
        }
        pkt.emit(hdr.packet_in);
        pkt.emit(hdr.ethernet);
        pkt.emit(hdr.ipv4);
        pkt.emit(hdr.udp);
        pkt.emit(hdr.bth);
        pkt.emit(hdr.reth);
        pkt.emit(hdr.aeth);
    }
}

#endif
