/* What is addressed to the switch: hosts that register talk to the controller. None of our
 * packets is for a switch.
 */
#ifndef P4CE_ONEPIPE_LOCAL_P4
#define P4CE_ONEPIPE_LOCAL_P4

control Local(inout headers_t hdr, inout ingress_metadata_t md) {
    apply {
        if (hdr.onepipe.isValid()) {
            md.drop = DROP_TO_SWITCH;
        } else {
            md.reason = REASON_LOCAL;
        }
    }
}

#endif
