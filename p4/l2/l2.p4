/* A switch that learns MAC addresses.
 *
 *   ingress                                                     egress
 *   +----------+    +-----------+    +--------------+           +-----------------+
 *   | reserved |    | source    |    | destination  | port      | not by the port |
 *   | dst      | -> | src       | -> | dst          | --------> | that it came in |
 *   | -> CPU   |    | -> known  |    | -> forward   | multicast | by              |
 *   +----------+    | miss:     |    | miss: flood  | --------> | -> Punt         |
 *                   |   learn   |    +--------------+ (copies)  |    (CPU port)   |
 *                   +-----------+                               +-----------------+
 *
 * reserved     link-local protocols (IEEE 802.1Q, 8.6.3): they stay on their link and go to
 *              the controller.
 * source       where each learned address is. What is unknown, or comes by another port, is
 *              reported in a digest; the controller writes the entry, with an idle time-out,
 *              and is told when nobody has sent from the address for that long.
 * destination  the same addresses, looked up as destinations. Unknown, broadcast and multicast
 *              addresses are flooded: multicast group FLOOD_GROUP has one copy per port.
 *
 * A packet does not leave by the port that it came in by, whether flooded or not. The
 * controller may send a packet out of any port (packet_out).
 *
 * For the Tofino Native Architecture, one pipeline, one pass.
 */
#include <core.p4>
#include <tna.p4>

#include "../lib/headers.p4"
#include "../lib/packet_io.p4"
#include "../lib/punt.p4"

/* Addresses that can be known at a time. */
#ifndef ADDRESSES
#define ADDRESSES 16384
#endif

/* The multicast group of all ports. */
const MulticastGroupId_t FLOOD_GROUP = 1;

/* Why a packet goes to the controller: packet_in.reason. */
const reason_t REASON_NONE = 0;
const reason_t REASON_RESERVED = 1;    /* to a link-local address */

/* Index into the counter `drops`. */
typedef bit<8> drop_t;
const drop_t DROP_NONE = 0;
const drop_t DROP_SOURCE = 1;          /* from a group address, which nobody has */

/* digest_type of learn_digest. */
const bit<3> DIGEST_LEARN = 1;

/* An address has been seen where it was not known to be. */
struct learn_digest_t {
    bit<48> mac;
    PortId_t port;
}

/* From the ingress to the egress of one packet; never on a wire. */
header bridge_h {
    bit<7> pad;        /* these three as in packet_in_h */
    PortId_t ingress_port;
    reason_t reason;
}

struct headers_t {
    bridge_h bridge;
    packet_in_h packet_in;
    packet_out_h packet_out;
    ethernet_h ethernet;
}

struct ingress_metadata_t {
    bit<1> learn;        /* the source is not known to be here */
    PortId_t moved;      /* not 0: it is known to be elsewhere */
    drop_t drop;
    reason_t reason;
}

struct egress_metadata_t {
    PortId_t way;        /* 0: back to where it came from */
}

parser IngressParser(packet_in pkt,
                     out headers_t hdr,
                     out ingress_metadata_t md,
                     out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        md = { 0, 0, DROP_NONE, REASON_NONE };
        transition select(ig_intr_md.ingress_port) {
            PORT_CPU: parse_packet_out;
            default: parse_ethernet;
        }
    }

    state parse_packet_out {
        pkt.extract(hdr.packet_out);
        transition accept;
    }

    state parse_ethernet {
        pkt.extract(hdr.ethernet);
        transition accept;
    }
}

control Ingress(inout headers_t hdr,
                inout ingress_metadata_t md,
                in ingress_intrinsic_metadata_t ig_intr_md,
                in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
                inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    @id(0x12000010) @brief("Packets and bytes that came in, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) port_rx;
    @id(0x12000011) @brief("Packets dropped in the ingress, per reason (DROP_*)")
    Counter<bit<64>, drop_t>(16, CounterType_t.PACKETS) drops;
    @id(0x12000013) @brief("Packets sent to the controller, per reason (REASON_*)")
    Counter<bit<64>, reason_t>(16, CounterType_t.PACKETS) punts;

    @id(0x01000001)
    action punt() {
        md.reason = REASON_RESERVED;
    }

    @id(0x01000002)
    action bad_source() {
        md.drop = DROP_SOURCE;
    }

    /* Addresses that are never forwarded, and that never send. */
    @id(0x02000001)
    table reserved {
        key = {
            hdr.ethernet.src : ternary;
            hdr.ethernet.dst : ternary;
        }
        actions = { punt; bad_source; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (0x010000000000 &&& 0x010000000000, _) : bad_source();
            (_, 0x0180c2000000 &&& 0xfffffffffff0) : punt();
        }
        size = 2;
    }

    @id(0x01000003)
    action known(PortId_t port) {
        md.moved = ig_intr_md.ingress_port ^ port;
    }

    @id(0x01000004)
    action unknown() {
        md.learn = 1;
    }

    @id(0x02000002)
    table source {
        key = { hdr.ethernet.src : exact; }
        actions = { known; @defaultonly unknown; }
        const default_action = unknown();
        idle_timeout = true;
        size = ADDRESSES;
    }

    @id(0x01000005)
    action forward(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }

    @id(0x01000006)
    action flood() {
        ig_tm_md.mcast_grp_a = FLOOD_GROUP;
    }

    @id(0x02000003)
    table destination {
        key = { hdr.ethernet.dst : exact; }
        actions = { forward; @defaultonly flood; }
        const default_action = flood();
        size = ADDRESSES;
    }

    apply {
        port_rx.count(ig_intr_md.ingress_port);
        hdr.bridge.setValid();
        hdr.bridge.pad = 0;
        hdr.bridge.ingress_port = ig_intr_md.ingress_port;
        hdr.bridge.reason = REASON_NONE;
        if (hdr.packet_out.isValid()) {
            ig_tm_md.ucast_egress_port = hdr.packet_out.egress_port;
        } else {
            reserved.apply();
            if (md.drop == DROP_NONE && md.reason == REASON_NONE) {
                source.apply();
                if (md.learn == 1 || md.moved != 0) {
                    ig_dprsr_md.digest_type = DIGEST_LEARN;
                }
                destination.apply();
            }
        }
        if (md.reason != REASON_NONE) {
            ig_tm_md.ucast_egress_port = PORT_CPU;
            hdr.bridge.reason = md.reason;
            punts.count(md.reason);
        }
        if (md.drop != DROP_NONE) {
            ig_dprsr_md.drop_ctl = 1;
            drops.count(md.drop);
        }
    }
}

control IngressDeparser(packet_out pkt,
                        inout headers_t hdr,
                        in ingress_metadata_t md,
                        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    @id(0x17000001) @brief("An address has been seen where it was not known to be")
    Digest<learn_digest_t>(DIGEST_LEARN) learn_digest;

    apply {
        if (ig_dprsr_md.digest_type == DIGEST_LEARN) {
            learn_digest.pack({ hdr.ethernet.src, hdr.bridge.ingress_port });
        }
        pkt.emit(hdr.bridge);
        pkt.emit(hdr.ethernet);
    }
}

parser EgressParser(packet_in pkt,
                    out headers_t hdr,
                    out egress_metadata_t md,
                    out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        pkt.extract(hdr.bridge);
        md = { 0 };
        transition accept;
    }
}

control Egress(inout headers_t hdr,
               inout egress_metadata_t md,
               in egress_intrinsic_metadata_t eg_intr_md,
               in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
               inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
               inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    @id(0x12000012) @brief("Packets and bytes that went out, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) port_tx;
    @id(0x12000014) @brief("Packets that would have gone back, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS) pruned;

    @id(0x01000007)
    action prune() {
        eg_dprsr_md.drop_ctl = 1;
    }

    Punt() punt;

    /* The chip compares a field with a constant, not two fields in a condition. */
    @id(0x02000004)
    table way_back {
        key = { md.way : exact @name("way"); }
        actions = { prune; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = { 0 : prune(); }
        size = 1;
    }

    apply {
        md.way = hdr.bridge.ingress_port ^ eg_intr_md.egress_port;
        if (way_back.apply().hit) {
            pruned.count(eg_intr_md.egress_port);
        } else {
            if (eg_intr_md.egress_port == PORT_CPU) {
                punt.apply(hdr.packet_in, hdr.bridge.pad, hdr.bridge.ingress_port, hdr.bridge.reason, eg_dprsr_md);
            }
            if (eg_dprsr_md.drop_ctl == 0) {
                port_tx.count(eg_intr_md.egress_port);
            }
        }
    }
}

control EgressDeparser(packet_out pkt,
                       inout headers_t hdr,
                       in egress_metadata_t md,
                       in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply {
        pkt.emit(hdr.packet_in);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(),
         EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
