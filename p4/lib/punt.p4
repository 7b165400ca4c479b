/* The egress to the controller: in front of the frame comes why, and by which port, it came.
 * A port that sends more than its share is limited, for each reason by itself: it can keep
 * neither the others' packets from the controller, nor its own of other reasons.
 *
 *   copy to CPU_PORT --> punt_rate[port, reason] --> packet_in
 *                                       red: dropped, limited[port]
 *
 * A cell that nobody has configured has no limit.
 */
#ifndef P4CE_PUNT_P4
#define P4CE_PUNT_P4

#include "packet_io.p4"

/* Reasons are below this: a cell of punt_rate is the port times this, and the reason. */
const bit<32> PUNT_REASONS = 16;
const bit<8> METER_RED = 3;

control Punt(inout packet_in_h packet_in,
             in bit<7> pad, in PortId_t port, in reason_t reason,
             inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    @id(0x14000001) @brief("Packets to the controller per second, per port and reason")
    Meter<bit<13>>(512 * PUNT_REASONS, MeterType_t.PACKETS) punt_rate;
    @id(0x12000015) @brief("Packets not sent to the controller because their port sends too many, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS) limited;

    apply {
        packet_in.setValid();
        packet_in.pad = pad;
        packet_in.ingress_port = port;
        packet_in.reason = reason;
        if (punt_rate.execute(port ++ reason[3:0]) == METER_RED) {
            eg_dprsr_md.drop_ctl = 1;
            limited.count(port);
        }
    }
}

#endif
