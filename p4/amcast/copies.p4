/* Each copy of a message gets the kind and the addresses of whom it is for.
 *
 *   +---------------------+
 *   | copies              |  what the message has not become (in this switch, for this
 *   | replication id      |  packet) is not sent
 *   | -> want, kind, to.. |
 *   +---------------------+
 */
#ifndef P4CE_AMCAST_COPIES_P4
#define P4CE_AMCAST_COPIES_P4

control Copies(inout headers_t hdr,
               inout egress_metadata_t md,
               in egress_intrinsic_metadata_t eg_intr_md,
               inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    @id(0x12000020) @brief("Copies sent, per replication id")
    Counter<bit<64>, bit<16>>(4096, CounterType_t.PACKETS) sent;

    @id(0x010000a0)
    action to(became_t want, message_t kind, bit<48> src_mac, bit<48> dst_mac, bit<32> src, bit<32> dst,
              bit<16> dst_port) {
        md.want = want;
        hdr.amcast.kind = kind;
        hdr.ethernet.src = src_mac;
        hdr.ethernet.dst = dst_mac;
        hdr.ipv4.src = src;
        hdr.ipv4.dst = dst;
        hdr.udp.dst_port = dst_port;
    }

    @id(0x010000a1)
    action to_replica(bit<48> src_mac, bit<48> dst_mac, bit<32> src, bit<32> dst, bit<16> dst_port) {
        md.want = BECAME_REPLICA;
        hdr.ethernet.src = src_mac;
        hdr.ethernet.dst = dst_mac;
        hdr.ipv4.src = src;
        hdr.ipv4.dst = dst;
        hdr.udp.dst_port = dst_port;
    }

    @id(0x020000a0)
    table copies {
        key = { eg_intr_md.egress_rid : exact @name("rid"); }
        actions = { to; to_replica; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 4096;
    }

    @id(0x010000a2)
    action back() {
        md.mac = hdr.ethernet.src;
        md.ip = hdr.ipv4.src;
        md.port = hdr.udp.src_port;
    }

    @id(0x010000a3)
    action swap() {
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ipv4.src = hdr.ipv4.dst;
        hdr.udp.src_port = hdr.udp.dst_port;
    }

    @id(0x010000a4)
    action back_to() {
        hdr.ethernet.dst = md.mac;
        hdr.ipv4.dst = md.ip;
        hdr.udp.dst_port = md.port;
    }

    apply {
        if (hdr.bridge.became == BECAME_ANSWER) {
            back();
            swap();
            back_to();
        } else {
            copies.apply();
            md.want = md.want & hdr.bridge.became;
            if (md.want == 0) {
                eg_dprsr_md.drop_ctl = 1;
            } else {
                sent.count(eg_intr_md.egress_rid[15:0]);
            }
        }
    }
}

#endif
