/* What is addressed to the switch and is no message for a role: the controller's. A message to
 * an address of the switch where it has no role is dropped.
 */
#ifndef P4CE_AMCAST_LOCAL_P4
#define P4CE_AMCAST_LOCAL_P4

control Local(inout headers_t hdr, inout ingress_metadata_t md) {
    apply {
        if (hdr.amcast.isValid()) {
            md.drop = DROP_NO_ROLE;
        } else {
            md.reason = REASON_LOCAL;
        }
    }
}

#endif
