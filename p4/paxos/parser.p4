/* Parsers and deparsers of both gresses.
 *
 *   ingress:  [packet_out] ethernet [vlan [inner_vlan]] [ipv6 | ipv4 [udp [paxos [piece0 .. piece3]]]]
 *   egress:   bridge, and of messages the headers that are rewritten
 *
 * A message is what is sent to one of the ports and has one of five lengths. Its UDP checksum is
 * verified here and computed anew when it leaves: what all copies have in common by the ingress,
 * what each has of its own, the kind and the addresses, by the egress.
 */
#ifndef P4CE_PAXOS_PARSER_P4
#define P4CE_PAXOS_PARSER_P4

parser IngressParser(packet_in pkt,
                     out headers_t hdr,
                     out ingress_metadata_t md,
                     out ingress_intrinsic_metadata_t ig_intr_md) {
    Checksum() ipv4_checksum;
    Checksum() udp_checksum;

    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        md = { false, false, false, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, DROP_NONE, REASON_NONE, AT_NONE, ACT_NONE, 0, 0,
               0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
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
        udp_checksum.add({ 8w0, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst });
        transition select(hdr.ipv4.protocol, hdr.ipv4.flags_fragment) {
            (IPPROTO_UDP, 0x0000 &&& 0x3fff): parse_udp;
            default: accept;
        }
    }

    state parse_udp {
        pkt.extract(hdr.udp);
        udp_checksum.add(hdr.udp);
        transition select(hdr.udp.dst_port) {
            PORT_FIRST &&& PORT_MASK: parse_paxos;
            default: accept;
        }
    }

    state parse_paxos {
        pkt.extract(hdr.paxos);
        udp_checksum.add({ hdr.paxos.kind, hdr.paxos.acceptor, hdr.paxos.flags, hdr.paxos.value_len,
            hdr.paxos.inst, hdr.paxos.rnd, hdr.paxos.vrnd, hdr.paxos.client, hdr.paxos.seq,
            hdr.paxos.reserved });
        transition select(hdr.udp.length, hdr.paxos.not_length) {
            (LENGTH_0, 0xffff - LENGTH_0): done;
            (LENGTH_1, 0xffff - LENGTH_1): parse_1;
            (LENGTH_2, 0xffff - LENGTH_2): parse_2;
            (LENGTH_3, 0xffff - LENGTH_3): parse_3;
            (LENGTH_4, 0xffff - LENGTH_4): parse_4;
            default: strange;
        }
    }

    state parse_1 {
        pkt.extract(hdr.piece0);
        udp_checksum.add(hdr.piece0);
        transition done;
    }

    state parse_2 {
        pkt.extract(hdr.piece0);
        pkt.extract(hdr.piece1);
        udp_checksum.add(hdr.piece0);
        udp_checksum.add(hdr.piece1);
        transition done;
    }

    state parse_3 {
        pkt.extract(hdr.piece0);
        pkt.extract(hdr.piece1);
        pkt.extract(hdr.piece2);
        udp_checksum.add(hdr.piece0);
        udp_checksum.add(hdr.piece1);
        udp_checksum.add(hdr.piece2);
        transition done;
    }

    state parse_4 {
        pkt.extract(hdr.piece0);
        pkt.extract(hdr.piece1);
        pkt.extract(hdr.piece2);
        pkt.extract(hdr.piece3);
        udp_checksum.add(hdr.piece0);
        udp_checksum.add(hdr.piece1);
        udp_checksum.add(hdr.piece2);
        udp_checksum.add(hdr.piece3);
        transition done;
    }

    state done {
        md.udp_error = udp_checksum.verify();
        transition accept;
    }

    state strange {
        md.malformed = true;
        transition accept;
    }
}

control IngressDeparser(packet_out pkt,
                        inout headers_t hdr,
                        in ingress_metadata_t md,
                        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Checksum() ipv4_checksum;
    Checksum() udp_checksum;

    apply {
        if (md.routed) {
            hdr.ipv4.checksum = ipv4_checksum.update({
                hdr.ipv4.version_ihl, hdr.ipv4.tos, hdr.ipv4.total_len,
                hdr.ipv4.identification, hdr.ipv4.flags_fragment,
                hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst });
        }
        /* The length once less than UDP has it, and not_length not at all: see paxos_h. */
        if (hdr.paxos.isValid()) {
            hdr.bridge.sum = udp_checksum.update({
                8w0, hdr.ipv4.protocol, hdr.udp.length,
                hdr.paxos.flags, hdr.paxos.value_len,
                hdr.paxos.inst, hdr.paxos.rnd, hdr.paxos.vrnd, hdr.paxos.client, hdr.paxos.seq,
                hdr.paxos.reserved,
                hdr.piece0.w0, hdr.piece0.w1, hdr.piece0.w2, hdr.piece0.w3,
                hdr.piece1.w0, hdr.piece1.w1, hdr.piece1.w2, hdr.piece1.w3,
                hdr.piece2.w0, hdr.piece2.w1, hdr.piece2.w2, hdr.piece2.w3,
                hdr.piece3.w0, hdr.piece3.w1, hdr.piece3.w2, hdr.piece3.w3 });
        }
        pkt.emit(hdr.bridge);
        pkt.emit(hdr.ethernet);
        pkt.emit(hdr.vlan);
        pkt.emit(hdr.inner_vlan);
        pkt.emit(hdr.ipv6);
        pkt.emit(hdr.ipv4);
        pkt.emit(hdr.udp);
        pkt.emit(hdr.paxos);
        pkt.emit(hdr.piece0);
        pkt.emit(hdr.piece1);
        pkt.emit(hdr.piece2);
        pkt.emit(hdr.piece3);
    }
}

parser EgressParser(packet_in pkt,
                    out headers_t hdr,
                    out egress_metadata_t md,
                    out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        pkt.extract(hdr.bridge);
        md = { 0, 0, 0, 0, 0 };
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
        pkt.extract(hdr.paxos);
        transition accept;
    }
}

control EgressDeparser(packet_out pkt,
                       inout headers_t hdr,
                       in egress_metadata_t md,
                       in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    Checksum() ipv4_checksum;
    Checksum() udp_checksum;

    apply {
        hdr.ipv4.checksum = ipv4_checksum.update({
            hdr.ipv4.version_ihl, hdr.ipv4.tos, hdr.ipv4.total_len,
            hdr.ipv4.identification, hdr.ipv4.flags_fragment,
            hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst });
        hdr.udp.checksum = udp_checksum.update({
            md.sum, hdr.ipv4.src, hdr.ipv4.dst, hdr.udp.src_port, hdr.udp.dst_port,
            hdr.paxos.kind, hdr.paxos.acceptor }, true);
        pkt.emit(hdr.packet_in);
        pkt.emit(hdr.ethernet);
        pkt.emit(hdr.ipv4);
        pkt.emit(hdr.udp);
        pkt.emit(hdr.paxos);
    }
}

#endif
