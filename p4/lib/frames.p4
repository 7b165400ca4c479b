/* States of an ingress parser: what a frame is, in any form that a host takes for its own.
 *
 *   parse_ethernet --> [parse_tag [parse_inner_tag]] --> IPv4: parse_ipv4 (untagged, no options;
 *                             the program's), else its source is looked at
 *                                                    --> ARP, IPv6, LLC, anything else
 *
 * Hosts find IPv4 and ARP behind tags of VID 0 at any depth, IPv4 behind options, and ICMPv6
 * behind extension headers. Where the guards of Forward would not look, nothing is let
 * through (FAMILY_WRAPPED). These forms are refused whatever they carry:
 *
 *   - ARP behind a tag of VID 0, and any tag behind one
 *   - more than two tags
 *   - SNAP, which some hosts take for the EtherType in it
 *   - what says IPv4 or IPv6 and is another version; IPv4 with a header of less than 20 bytes
 *   - IPv6 extension headers other than a hop-by-hop header in front of multicast
 *     listener discovery, and a fragment header of UDP or TCP
 *
 * The program includes this within its parser. It has a state parse_ipv4, what forward.p4
 * names, and hdr.vlan, hdr.inner_vlan and hdr.ipv6, which it emits behind hdr.ethernet.
 */
    state parse_ethernet {
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_IPV4: peek_ipv4;
            ETHERTYPE_ARP: peek_arp;
            ETHERTYPE_IPV6: parse_ipv6;
            ETHERTYPE_VLAN: parse_tag;
            ETHERTYPE_SERVICE_VLAN: parse_tag;
            0x0000 &&& 0xfc00: peek_llc; /* a length: up to 0x5ff */
            0x0400 &&& 0xfe00: peek_llc;
            default: other;
        }
    }

    state parse_tag {
        pkt.extract(hdr.vlan);
        transition select(hdr.vlan.vid, hdr.vlan.ether_type) {
            (0, ETHERTYPE_ARP): wrapped;
            (0, ETHERTYPE_VLAN): wrapped;
            (0, ETHERTYPE_SERVICE_VLAN): wrapped;
            (_, ETHERTYPE_IPV4): peek_source;
            (_, ETHERTYPE_ARP): peek_arp;
            (_, ETHERTYPE_IPV6): parse_ipv6;
            (_, ETHERTYPE_VLAN): parse_inner_tag;
            (_, ETHERTYPE_SERVICE_VLAN): parse_inner_tag;
            (_, 0x0000 &&& 0xfc00): peek_llc;
            (_, 0x0400 &&& 0xfe00): peek_llc;
            default: other;
        }
    }

    state parse_inner_tag {
        pkt.extract(hdr.inner_vlan);
        transition select(hdr.inner_vlan.vid, hdr.inner_vlan.ether_type) {
            (0, ETHERTYPE_ARP): wrapped;
            (_, ETHERTYPE_VLAN): wrapped;
            (_, ETHERTYPE_SERVICE_VLAN): wrapped;
            (_, ETHERTYPE_IPV4): peek_source;
            (_, ETHERTYPE_ARP): peek_arp;
            (_, ETHERTYPE_IPV6): parse_ipv6;
            (_, 0x0000 &&& 0xfc00): peek_llc;
            (_, 0x0400 &&& 0xfe00): peek_llc;
            default: other;
        }
    }

    /* Plain IPv4 is what forward.p4 finds as such: what a program is fast for needs no mark. */
    state peek_ipv4 {
        transition select(pkt.lookahead<bit<8>>()) {
            0x45: parse_ipv4;
            0x40 &&& 0xfc: wrapped;
            0x44: wrapped;
            0x40 &&& 0xf0: look_at_source; /* options */
            default: wrapped;
        }
    }

    /* Behind a tag IPv4 is of no use to the program: its source is looked at, and no more. */
    state peek_source {
        transition select(pkt.lookahead<bit<8>>()) {
            0x40 &&& 0xfc: wrapped;
            0x44: wrapped;
            0x40 &&& 0xf0: look_at_source;
            default: wrapped;
        }
    }

    state look_at_source {
        md.family = FAMILY_IPV4;
        md.sender = pkt.lookahead<ipv4_source_t>().ip;
        transition accept;
    }

    state peek_arp {
        md.family = FAMILY_ARP;
        md.sender = pkt.lookahead<arp_sender_t>().ip;
        transition accept;
    }

    state peek_llc {
        transition select(pkt.lookahead<bit<8>>()) {
            0xaa &&& 0xfe: wrapped; /* SNAP */
            default: llc;
        }
    }

    state parse_ipv6 {
        pkt.extract(hdr.ipv6);
        transition select(hdr.ipv6.version, hdr.ipv6.next_header) {
            (6, IPV6_ICMP): peek_icmp;
            (6, IPV6_HOP_BY_HOP): peek_hop_by_hop;
            (6, IPV6_FRAGMENT): peek_fragment;
            (6, IPV6_ROUTING): wrapped;
            (6, IPV6_DESTINATION): wrapped;
            (6, IPV6_MOBILITY): wrapped;
            (6, IPV6_HOST_IDENTITY): wrapped;
            (6, IPV6_SHIM): wrapped;
            (6, _): ipv6;
            default: wrapped;
        }
    }

    state peek_icmp {
        transition select(pkt.lookahead<bit<8>>()) {
            ICMP6_ROUTER_ADVERTISEMENT: router;
            ICMP6_REDIRECT: router;
            default: ipv6;
        }
    }

    state peek_hop_by_hop {
        transition select(pkt.lookahead<hop_by_hop_t>().next_header, pkt.lookahead<hop_by_hop_t>().length,
                          pkt.lookahead<hop_by_hop_t>().kind) {
            (IPV6_ICMP, 0, 130): ipv6; /* query, reports, done */
            (IPV6_ICMP, 0, 131): ipv6;
            (IPV6_ICMP, 0, 132): ipv6;
            (IPV6_ICMP, 0, 143): ipv6;
            default: wrapped;
        }
    }

    state peek_fragment {
        transition select(pkt.lookahead<bit<8>>()) {
            IPPROTO_UDP: ipv6;
            IPPROTO_TCP: ipv6;
            default: wrapped;
        }
    }

    /* A Tofino's parser writes a field once on a way: what a frame is, is said at its end. */
    state llc {
        md.family = FAMILY_LLC;
        transition accept;
    }

    state ipv6 {
        md.family = FAMILY_IPV6;
        transition accept;
    }

    state router {
        md.family = FAMILY_ROUTER;
        transition accept;
    }

    state other {
        md.family = FAMILY_OTHER;
        transition accept;
    }

    state wrapped {
        md.family = FAMILY_WRAPPED;
        transition accept;
    }
