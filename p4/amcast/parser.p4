/* Parsers and deparsers of both gresses.
 *
 *   ingress:  [packet_out] ethernet [vlan [inner_vlan]] [ipv6 | ipv4 [udp [amcast]]]
 *   egress:   bridge, and of our packets the headers that are rewritten
 *
 * Our header has a checksum of its own. It is verified here and computed anew when the packet
 * leaves. The payload behind it stays as it is: its digest is in the header, for its receivers.
 */
#ifndef P4CE_AMCAST_PARSER_P4
#define P4CE_AMCAST_PARSER_P4

parser IngressParser(packet_in pkt,
                     out headers_t hdr,
                     out ingress_metadata_t md,
                     out ingress_intrinsic_metadata_t ig_intr_md) {
    Checksum() ipv4_checksum;
    Checksum() header_checksum;

    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        md = { false, false, false, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, DROP_NONE, REASON_NONE, AT_NONE,
               ACT_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
               0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
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
        transition select(hdr.udp.dst_port, hdr.udp.checksum) {
            (PORT_FIRST &&& PORT_MASK, 0): parse_amcast;
            (PORT_FIRST &&& PORT_MASK, _): checked;
            default: accept;
        }
    }

    state parse_amcast {
        pkt.extract(hdr.amcast);
        header_checksum.add(hdr.amcast);
        md.header_error = header_checksum.verify();
        transition accept;
    }

    state checked {
        md.udp_checksum = true;
        transition parse_amcast;
    }
}

control IngressDeparser(packet_out pkt,
                        inout headers_t hdr,
                        in ingress_metadata_t md,
                        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Checksum() ipv4_checksum;

    apply {
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
        pkt.emit(hdr.amcast);
    }
}

parser EgressParser(packet_in pkt,
                    out headers_t hdr,
                    out egress_metadata_t md,
                    out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        pkt.extract(hdr.bridge);
        md = { 0, 0, 0, 0 };
        transition select(hdr.bridge.became) {
            BECAME_PLAIN: accept;
            default: parse_message;
        }
    }

    /* The ingress has seen to it that these headers are there. */
    state parse_message {
        pkt.extract(hdr.ethernet);
        pkt.extract(hdr.ipv4);
        pkt.extract(hdr.udp);
        pkt.extract(hdr.amcast);
        transition accept;
    }
}

control EgressDeparser(packet_out pkt,
                       inout headers_t hdr,
                       in egress_metadata_t md,
                       in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    Checksum() ipv4_checksum;
    Checksum() header_checksum;

    apply {
        hdr.ipv4.checksum = ipv4_checksum.update({
            hdr.ipv4.version_ihl, hdr.ipv4.tos, hdr.ipv4.total_len,
            hdr.ipv4.identification, hdr.ipv4.flags_fragment,
            hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst });
        hdr.amcast.checksum = header_checksum.update({
            hdr.amcast.kind, hdr.amcast.flags, hdr.amcast.from, hdr.amcast.by, hdr.amcast.groups,
            hdr.amcast.client, hdr.amcast.member, hdr.amcast.from_slot, hdr.amcast.by_slot,
            hdr.amcast.number, hdr.amcast.epoch, hdr.amcast.lts, hdr.amcast.seq,
            hdr.amcast.by_epoch, hdr.amcast.clock, hdr.amcast.mark, hdr.amcast.digest,
            hdr.amcast.length });
        pkt.emit(hdr.packet_in);
        pkt.emit(hdr.ethernet);
        pkt.emit(hdr.ipv4);
        pkt.emit(hdr.udp);
        pkt.emit(hdr.amcast);
    }
}

#endif
