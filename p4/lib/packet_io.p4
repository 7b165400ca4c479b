/* Packets from and to the controller, by the CPU port.
 *
 *   to the controller     packet_in, then the frame: why it comes, and by which port it came
 *   from the controller   packet_out, then the frame: the port that it leaves by
 *
 * A program says what its reasons are (REASON_*).
 */
#ifndef P4CE_PACKET_IO_P4
#define P4CE_PACKET_IO_P4

/* The port that leads to the controller. */
#ifndef CPU_PORT
#define CPU_PORT 64
#endif
const PortId_t PORT_CPU = CPU_PORT; /* what a macro says has no name outside of the program */

/* Why a packet goes to the controller: packet_in.reason. */
typedef bit<16> reason_t;

@controller_header("packet_in")
header packet_in_h {
    @id(2) bit<7> pad;
    @id(1) PortId_t ingress_port;
    @id(3) reason_t reason;
}

@controller_header("packet_out")
header packet_out_h {
    @id(2) bit<7> pad;
    @id(1) PortId_t egress_port;
    @id(3) bit<16> pad2;
}

#endif
