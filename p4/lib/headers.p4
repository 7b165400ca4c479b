/* Ethernet, ARP, IPv4 and UDP. Values are in network byte order; lengths in bytes. */
#ifndef P4CE_HEADERS_P4
#define P4CE_HEADERS_P4

const bit<16> ETHERTYPE_IPV4 = 0x0800;
const bit<16> ETHERTYPE_ARP = 0x0806;
const bit<8> IPPROTO_UDP = 17;

header ethernet_h {
    bit<48> dst;
    bit<48> src;
    bit<16> ether_type;
}

/* Without options: packets that have some are not parsed as IPv4. */
header ipv4_h {
    bit<8> version_ihl;
    bit<8> tos;
    bit<16> total_len;
    bit<16> identification;
    bit<16> flags_fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

header udp_h {
    bit<16> src_port;
    bit<16> dst_port;
    bit<16> length;
    bit<16> checksum;
}

/* The beginning of an ARP packet, which is looked at and not taken out. */
struct arp_sender_t {
    bit<64> kind;      /* Ethernet, IPv4; the operation */
    bit<48> mac;
    bit<32> ip;
}

#endif
