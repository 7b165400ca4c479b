/* ECN (RFC 3168): what leaves by a port that is congested says so, if its sender can do with it.
 *
 *   eg_intr_md.enq_qdepth --> queue_limit    the queue was as long as that, or longer
 *                                  |
 *   egress_port --> virtual_queue  |         more is sent by the port than the meter lets through
 *                        |         |
 *                        v         v
 *                    +---------------+
 *                    | ecn           | --> CE, marked[port]
 *                    +---------------+
 *
 * queue_limit    its default action is the limit, for all ports, in the unit of enq_qdepth (Tofino:
 *                cells of 80 bytes). A target that does not know its queues (XDP) has a depth of 0.
 * virtual_queue  a queue that nothing waits in: it drains at a share of the link's rate, and is full
 *                when the real one begins to fill. A cell that nobody has configured has no limit.
 *
 * The program that includes this has, in
 *   headers_t          ipv4: valid where a mark may be
 *   egress_metadata_t  room, color, remade: the header has changed
 */
#ifndef P4CE_MARK_P4
#define P4CE_MARK_P4

const bit<32> QUEUE_UNLIMITED = 0xffffffff;
const bit<8> ECN_CE = 3;

control Mark(inout headers_t hdr,
             inout egress_metadata_t md,
             in egress_intrinsic_metadata_t eg_intr_md) {
    @id(0x14000002) @brief("Bytes per second that a port may send before it marks, per port")
    Meter<PortId_t>(512, MeterType_t.BYTES) virtual_queue;
    @id(0x12000016) @brief("Packets marked (ECN), per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS) marked;

    @id(0x01000092)
    action limit(bit<32> depth) {
        md.room = depth |-| (bit<32>)eg_intr_md.enq_qdepth;
    }

    @id(0x02000092)
    table queue_limit {
        actions = { limit; }
        default_action = limit(QUEUE_UNLIMITED);
        size = 1;
    }

    @id(0x01000093)
    action congestion_experienced() {
        hdr.ipv4.tos = hdr.ipv4.tos | ECN_CE;
        md.remade = true;
        marked.count(eg_intr_md.egress_port);
    }

    /* Not capable of ECN; marked already; no room in the queue; little is sent. */
    @id(0x02000093)
    table ecn {
        key = {
            hdr.ipv4.tos[1:0] : ternary @name("ecn");
            md.color : ternary;
            md.room : ternary;
        }
        actions = { congestion_experienced; NoAction; }
        const default_action = NoAction();
        const entries = {
            (0, _, _) : NoAction();
            (3, _, _) : NoAction();
            (_, _, 0) : congestion_experienced();
            (_, 0, _) : NoAction();
            (_, _, _) : congestion_experienced();
        }
        size = 8;
    }

    apply {
        queue_limit.apply();
        md.color = virtual_queue.execute(eg_intr_md.egress_port);
        if (hdr.ipv4.isValid()) {
            ecn.apply();
        }
    }
}

#endif
