/* What frames.p4 looks for, beside headers.p4. Values are in network byte order; lengths in bytes. */
#ifndef P4CE_WRAPPING_P4
#define P4CE_WRAPPING_P4

const bit<16> ETHERTYPE_IPV6 = 0x86dd;
const bit<16> ETHERTYPE_VLAN = 0x8100;         /* 802.1Q */
const bit<16> ETHERTYPE_SERVICE_VLAN = 0x88a8; /* 802.1ad */
const bit<8> IPPROTO_TCP = 6;

const bit<8> IPV6_HOP_BY_HOP = 0;
const bit<8> IPV6_ROUTING = 43;
const bit<8> IPV6_FRAGMENT = 44;
const bit<8> IPV6_ICMP = 58;
const bit<8> IPV6_DESTINATION = 60;
const bit<8> IPV6_MOBILITY = 135;
const bit<8> IPV6_HOST_IDENTITY = 139;
const bit<8> IPV6_SHIM = 140;
const bit<8> ICMP6_ROUTER_ADVERTISEMENT = 134;
const bit<8> ICMP6_REDIRECT = 137;

/* Kinds of frames, a bit each: what a port may send. */
typedef bit<8> family_t;
const family_t FAMILY_IPV4 = 1;
const family_t FAMILY_ARP = 2;
const family_t FAMILY_IPV6 = 4;
const family_t FAMILY_ROUTER = 8; /* IPv6 router advertisements and redirects */
const family_t FAMILY_LLC = 16;   /* 802.3 with a length */
const family_t FAMILY_OTHER = 32; /* any other EtherType */

/* A tag. VID 0 says a priority and nothing else: hosts take such a tag off. */
header vlan_h {
    bit<3> priority;
    bit<1> drop_eligible;
    bit<12> vid;
    bit<16> ether_type;
}

header ipv6_h {
    bit<4> version;
    bit<28> class_flow;
    bit<16> payload_len;
    bit<8> next_header;
    bit<8> hop_limit;
    bit<64> src_high;
    bit<64> src_low;
    bit<64> dst_high;
    bit<64> dst_low;
}

/* A hop-by-hop header of eight bytes, and the first byte behind it. */
struct hop_by_hop_t {
    bit<8> next_header;
    bit<8> length;
    bit<48> options;
    bit<8> kind;
}

/* The beginning of an IPv4 packet, which is looked at and not taken out. */
struct ipv4_source_t {
    bit<64> rest;      /* lengths, TTL, protocol */
    bit<32> more;
    bit<32> ip;
}

#endif
