/* What a switch does with packets that its program has no other plan for.
 *
 *   own_mac, own_ip: drop, unless it is somebody else
 *         |
 *         v
 *   +-------------+    +----------------+    +------------------+
 *   | switch_ip   |    | l2             |    | l3               |
 *   | ipv4.dst    | -> | ethernet.dst   | -> | ipv4.dst (lpm)   |
 *   | -> local    |    | -> port        |    | -> port, MACs,   |
 *   +-------------+    | -> router      |    |    TTL - 1       |
 *         |            | miss: CPU      |    | miss: CPU        |
 *         v            +----------------+    +------------------+
 *    Local
 *
 * own_mac,   what comes in by a port with an address of the switch as its source
 * own_ip     (Ethernet, IPv4, sender of an ARP packet): somebody pretends
 * switch_ip  the switch's own addresses: what is sent to them goes no further.
 * l2         MAC addresses of attached hosts, and the switch's own (router).
 * l3         routes, for frames that are sent to the switch's MAC.
 * ARP goes to the controller, which answers and floods.
 *
 * The program that includes this has, in
 *   headers_t           ethernet, ipv4
 *   ingress_metadata_t  sender (of an IPv4 or ARP packet), local, own, routed, reason, drop
 *   control Local       what it does with packets to the switch: (hdr, md)
 * and the reasons and the drop that are named here.
 */
#ifndef P4CE_FORWARD_P4
#define P4CE_FORWARD_P4

control Forward(inout headers_t hdr,
                inout ingress_metadata_t md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    @id(0x01000007)
    action pretended() {
        md.own = 1;
    }

    @id(0x02000004)
    table own_mac {
        key = { hdr.ethernet.src : exact; }
        actions = { pretended; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 64;
    }

    @id(0x02000005)
    table own_ip {
        key = { md.sender : exact @name("sender"); }
        actions = { pretended; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 64;
    }

    @id(0x01000001)
    action to_switch() {
        md.local = 1;
    }

    @id(0x02000001)
    table switch_ip {
        key = { hdr.ipv4.dst : exact; }
        actions = { to_switch; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 64;
    }

    @id(0x01000002)
    action forward(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }

    @id(0x01000003)
    action router() {
        md.routed = true;
    }

    @id(0x01000004)
    action unknown() {
        md.reason = REASON_UNKNOWN_DESTINATION;
    }

    @id(0x02000002)
    table l2 {
        key = { hdr.ethernet.dst : exact; }
        actions = { forward; router; @defaultonly unknown; }
        const default_action = unknown();
        size = 4096;
    }

    @id(0x01000005)
    action route(PortId_t port, bit<48> src_mac, bit<48> dst_mac) {
        ig_tm_md.ucast_egress_port = port;
        hdr.ethernet.src = src_mac;
        hdr.ethernet.dst = dst_mac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    @id(0x01000006)
    action no_route() {
        md.reason = REASON_NO_ROUTE;
    }

    @id(0x02000003)
    table l3 {
        key = { hdr.ipv4.dst : lpm; }
        actions = { route; @defaultonly no_route; }
        const default_action = no_route();
        size = 4096;
    }

    Local() local;

    apply {
        own_mac.apply();
        own_ip.apply();
        if (hdr.ipv4.isValid()) {
            switch_ip.apply();
        }
        if (md.own == 1) {
            md.drop = DROP_OWN_ADDRESS;
        } else if (md.local == 1) {
            local.apply(hdr, md);
        } else if (hdr.ethernet.ether_type == ETHERTYPE_ARP) {
            md.reason = REASON_ARP;
        } else {
            l2.apply();
            if (md.routed) {
                if (!hdr.ipv4.isValid()) {
                    md.reason = REASON_LOCAL;
                } else if (hdr.ipv4.ttl < 2) {
                    md.reason = REASON_TTL;
                } else {
                    l3.apply();
                }
            }
        }
    }
}

#endif
