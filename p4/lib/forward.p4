/* What a switch does with packets that its program has no other plan for.
 *
 *   frames.p4 --> DROP_WRAPPED: a form in which hosts would read more than the guards
 *         |
 *   +-------------+    +------------------------+
 *   | may_send    |    | own_mac, own_ip        |    what a port may not send, from an address
 *   | port        | -> | whose the source is,   | -> of the switch, or of a host that is at
 *   | -> families |    | and by which port      |    another port: dropped
 *   +-------------+    +------------------------+
 *         |
 *         v
 *   +-------------+    +----------------+    +------------------+
 *   | switch_ip   |    | l2             |    | l3               |
 *   | ipv4.dst    | -> | ethernet.dst   | -> | ipv4.dst (lpm)   |
 *   | -> local    |    | -> port        |    | -> port, MACs,   |
 *   +-------------+    | -> router      |    |    TTL - 1       |
 *         |            | miss: CPU      |    | -> paths         |    +--------------+
 *         v            +----------------+    | miss: CPU        |--> | paths        |
 *    Local                                   +------------------+    | set, flow    |
 *                                                                    | -> as l3     |
 *                                                                    +--------------+
 *
 * may_send   what kinds of frames a port may send, and whether a host is there, or a switch.
 * own_mac,   whose a source address is (Ethernet, IPv4, sender of an ARP packet): the
 * own_ip     switch's own, which nobody else has; a host's, which is at a port group; or
 *            that of somebody behind another switch. What the tables do not know may come
 *            by any port, unless the controller sets another default action (stranger).
 * switch_ip  the switch's own addresses: what is sent to them goes no further.
 * l2         MAC addresses of attached hosts, and the switch's own (router).
 * l3         routes, for frames that are sent to the switch's MAC.
 * paths      of a set of paths that cost the same, the one of a flow (equal-cost multipath). A flow is a
 *            hash of IP addresses, protocol and queue pair: packets of a queue pair stay in order.
 * ARP goes to the controller, which answers and floods, and finds out who has moved.
 *
 * The program that includes this has, in
 *   headers_t           ethernet, vlan, inner_vlan, ipv4, ipv6
 *   ingress_metadata_t  sender (of an IPv4 or ARP packet), port_group, family, refused, host_port,
 *                       mac_elsewhere, ip_elsewhere, local, own, routed, reason, drop
 *   control Local       what it does with packets to the switch: (hdr, md)
 * and the reasons and the drops that are named here. With FORWARD_PATHS, also md.paths (path_set_t), md.flow (flow_t) and
 * md.flow_qp: l3 then knows sets of paths. With FORWARD_ALONE, its tables stand alone (when.p4): md.settled
 * says that a packet is not to be forwarded, and md.bridged that it is.
 */
#ifndef P4CE_FORWARD_P4
#define P4CE_FORWARD_P4

control Forward(inout headers_t hdr,
                inout ingress_metadata_t md,
                in ingress_intrinsic_metadata_t ig_intr_md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    /* host: 1 where hosts are, 0 where another switch is. */
    @id(0x01000008)
    action sends(family_t refused, bit<16> host) {
        md.refused = md.family & refused;
        md.host_port = host;
    }

    @id(0x02000006)
    table may_send {
        key = { ig_intr_md.ingress_port : exact; }
        actions = { sends; }
        default_action = sends(FAMILY_ROUTER, 1);
        size = 512;
    }

    @id(0x01000007)
    action pretended() {
        md.own = 1;
    }

    @id(0x01000009)
    action mac_at(bit<16> port_group) {
        md.mac_elsewhere = md.port_group ^ port_group;
    }

    @id(0x0100000a)
    action mac_beyond() {
        md.mac_elsewhere = md.host_port;
    }

    @id(0x0100000b)
    action mac_stranger() {
        md.mac_elsewhere = 1;
    }

    @id(0x02000004)
    table own_mac {
        key = { hdr.ethernet.src : exact; }
        actions = { pretended; mac_at; mac_beyond; @defaultonly mac_stranger; @defaultonly NoAction; }
        default_action = NoAction();
        size = 4096;
    }

    @id(0x0100000c)
    action ip_at(bit<16> port_group) {
        md.ip_elsewhere = md.port_group ^ port_group;
    }

    @id(0x0100000d)
    action ip_beyond() {
        md.ip_elsewhere = md.host_port;
    }

    @id(0x0100000e)
    action ip_stranger() {
        md.ip_elsewhere = 1;
    }

    /* Of what has no IPv4 address, and of who has none yet (0). */
    @id(0x0100000f)
    action ip_anyone() {
    }

    @id(0x02000005)
    table own_ip {
        key = { md.sender : exact @name("sender"); }
        actions = { pretended; ip_at; ip_beyond; ip_anyone; @defaultonly ip_stranger; @defaultonly NoAction; }
        default_action = NoAction();
        size = 4096;
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

#ifdef FORWARD_PATHS
    Hash<flow_t>(HashAlgorithm_t.CRC32) flow_hash;

    @id(0x010000a0)
    action spread(path_set_t set) {
        md.paths = set;
    }

    @id(0x020000a0)
    table paths {
        key = { md.paths : exact @name("set"); md.flow : exact @name("flow"); }
        actions = { route; @defaultonly no_route; }
        const default_action = no_route();
        size = 2048;
    }
#endif

    @id(0x02000003)
    table l3 {
        key = { hdr.ipv4.dst : lpm; }
#ifdef FORWARD_PATHS
        actions = { route; spread; @defaultonly no_route; }
#else
        actions = { route; @defaultonly no_route; }
#endif
        const default_action = no_route();
        size = 4096;
    }

    Local() local;

    apply {
        if (hdr.ipv4.isValid()) {
            md.family = FAMILY_IPV4;
        }
        may_send.apply();
        own_mac.apply();
        own_ip.apply();
        if (hdr.ipv4.isValid()) {
            switch_ip.apply();
        }
#ifdef FORWARD_ALONE
        if (md.settled == 1 || md.drop != DROP_NONE) {
            /* it goes nowhere from here */
        } else
#endif
        if (md.family == FAMILY_WRAPPED) {
            md.drop = DROP_WRAPPED;
        } else if (md.refused != 0) {
            md.drop = DROP_PORT_FAMILY;
        } else if (md.own == 1) {
            md.drop = DROP_OWN_ADDRESS;
        } else if (hdr.ethernet.ether_type == ETHERTYPE_ARP) {
            md.reason = REASON_ARP;
        } else if (md.mac_elsewhere != 0 || md.ip_elsewhere != 0) {
            md.drop = DROP_FOREIGN_SOURCE;
        } else if (md.local == 1) {
            local.apply(hdr, md);
        } else {
#ifdef FORWARD_ALONE
            md.bridged = 1;
        }
        if (md.bridged == 1) {
            l2.apply();
        }
        {
#else
            l2.apply();
#endif
            if (md.routed) {
                if (!hdr.ipv4.isValid()) {
                    md.reason = REASON_LOCAL;
                } else if (hdr.ipv4.ttl < 2) {
                    md.reason = REASON_TTL;
                } else {
#ifdef FORWARD_PATHS
                    md.flow = flow_hash.get({ hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.protocol, md.flow_qp });
#endif
                    l3.apply();
#ifdef FORWARD_PATHS
                    if (md.paths != PATHS_NONE) {
                        paths.apply();
                    }
#endif
                }
            }
        }
    }
}

#endif
