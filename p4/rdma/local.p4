/* What is addressed to the switch and is of no group: connection management goes to the
 * controller, and so does what is not RoCE (ping). A packet to a queue pair that nobody
 * has, or that the sender has none of, is dropped.
 */
#ifndef P4CE_LOCAL_P4
#define P4CE_LOCAL_P4

control Local(inout headers_t hdr, inout ingress_metadata_t md) {
    apply {
        if (!hdr.bth.isValid()) {
            md.reason = REASON_LOCAL;
        } else if (hdr.bth.dst_qp == QPN_CM && hdr.bth.opcode == UD_SEND_ONLY) {
            md.reason = REASON_CM;
        } else {
            md.drop = DROP_UNKNOWN_QP;
        }
    }
}

#endif
