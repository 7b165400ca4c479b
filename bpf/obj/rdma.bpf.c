/* Code generated from rdma.p4 by p4xc. DO NOT EDIT. */
#include "p4xdp.h"
#include "rdma.tables.h"

/* XDP metadata of a packet between the two programs. */
struct meta {
	struct p4_meta p4;
	struct {
		u8 kind;
		u8 syndrome;
		u16 pad_ingress_port; /* bit<7> pad, bit<9> ingress_port */
		u16 reason;
		u16 group;
		u32 psn;
		u32 icrc;
	} bridge __attribute__((aligned(8))); /* bridge_h */
};
_Static_assert(sizeof(struct meta) == 32, "size of the metadata");

/* Constants of the program. */
#define CLASS_ACK 3
#define CLASS_CNP 5
#define CLASS_COPY 1
#define CLASS_NAK 4
#define CLASS_NONE 0
#define CLASS_RELAY_COPY 6
#define CLASS_RELAY_WRITE 7
#define CLASS_WRITE 2
#define CNP 0x81
#define CREDIT_UNLIMITED 0x1f
#define DIGEST_NAK 1
#define DROP_BAD_OPCODE 4
#define DROP_BAD_SYNDROME 5
#define DROP_CNP_LIMITED 6
#define DROP_FOREIGN_SOURCE 0xf
#define DROP_ICRC 7
#define DROP_IP_CHECKSUM 2
#define DROP_MALFORMED 1
#define DROP_NONE 0
#define DROP_OWN_ADDRESS 8
#define DROP_PORT_FAMILY 0xe
#define DROP_RELAY_ACCESS 0xc
#define DROP_RELAY_TTL 0xb
#define DROP_SLOT_OUT 0xa
#define DROP_UNKNOWN_QP 3
#define DROP_WINDOW 9
#define DROP_WRAPPED 0xd
#define ECN_CE 3
#define ETHERTYPE_ARP 0x806
#define ETHERTYPE_IPV4 0x800
#define ETHERTYPE_IPV6 0x86dd
#define ETHERTYPE_SERVICE_VLAN 0x88a8
#define ETHERTYPE_VLAN 0x8100
#define FAMILY_ARP 2
#define FAMILY_IPV4 1
#define FAMILY_IPV6 4
#define FAMILY_LLC 0x10
#define FAMILY_OTHER 0x20
#define FAMILY_ROUTER 8
#define FAMILY_WRAPPED 0x80
#define ICMP6_REDIRECT 0x89
#define ICMP6_ROUTER_ADVERTISEMENT 0x86
#define IPPROTO_TCP 6
#define IPPROTO_UDP 0x11
#define IPV6_DESTINATION 0x3c
#define IPV6_FRAGMENT 0x2c
#define IPV6_HOP_BY_HOP 0
#define IPV6_HOST_IDENTITY 0x8b
#define IPV6_ICMP 0x3a
#define IPV6_MOBILITY 0x87
#define IPV6_ROUTING 0x2b
#define IPV6_SHIM 0x8c
#define KIND_ACK 3
#define KIND_CNP 4
#define KIND_NAK 2
#define KIND_PLAIN 0
#define KIND_SCATTER 1
#define METER_RED 3
#define PATHS_NONE 0
#define PORT_CPU 0x40
#define PSN_ONE 0x100
#define QPN_CM 1
#define RC_ACK 0x11
#define RC_COMPARE_SWAP 0x13
#define RC_FETCH_ADD 0x14
#define RC_READ_REQUEST 0xc
#define RC_SEND_ONLY 4
#define RC_SEND_ONLY_IMM 5
#define RC_WRITE_FIRST 6
#define RC_WRITE_LAST 8
#define RC_WRITE_LAST_IMM 9
#define RC_WRITE_MIDDLE 7
#define RC_WRITE_ONLY 0xa
#define RC_WRITE_ONLY_IMM 0xb
#define REASON_ARP 1
#define REASON_CM 4
#define REASON_INVALID_REQUEST 5
#define REASON_LOCAL 3
#define REASON_NONE 0
#define REASON_NO_ROUTE 7
#define REASON_REMOTE_ACCESS 6
#define REASON_TTL 8
#define REASON_UNKNOWN_DESTINATION 2
#define ROLE_GATHER 2
#define ROLE_NONE 0
#define ROLE_RELAY 3
#define ROLE_SCATTER 1
#define SLOT_LEADER 0xff
#define UDP_PORT_ROCE 0x12b7
#define UD_SEND_ONLY 0x64
/* ---- ingress ---- */

/* Headers of the ingress: bits in valid and extracted. */
enum {
	IN_hdr_bridge = 0x1u,
	IN_hdr_packet_in = 0x2u,
	IN_hdr_packet_out = 0x4u,
	IN_hdr_ethernet = 0x8u,
	IN_hdr_vlan = 0x10u,
	IN_hdr_inner_vlan = 0x20u,
	IN_hdr_ipv6 = 0x40u,
	IN_hdr_ipv4 = 0x80u,
	IN_hdr_udp = 0x100u,
	IN_hdr_bth = 0x200u,
	IN_hdr_reth = 0x400u,
	IN_hdr_aeth = 0x800u,
	IN_hdr_cnp = 0x1000u,
	IN_hdr_icrc = 0x2000u,
};

/* What the ingress knows of a packet. Headers that came with the packet and are
 * not made anew stay there; the others are members of hdr. */
struct ingress {
	u8 *data;        /* the packet */
	struct meta *m;  /* its metadata, with the bridged header */
	u32 valid;       /* headers that are valid now */
	u32 extracted;   /* headers that the parser found */
	u8 *at_hdr_ipv6;
	u8 *at_hdr_icrc;
	struct {
		struct {
			u32 pad; /* bit<7> */
			u32 ingress_port; /* bit<9> */
			u32 reason; /* bit<16> */
		} packet_in;
	} hdr;
	struct {
		union {
			u32 bits_of_checksum_error;
			struct {
				u32 own : 1;
				u32 local : 1;
				u32 routed : 1;
				u32 checksum_error : 1;
			};
		};
		u32 sender; /* bit<32> */
		u32 family; /* bit<8> */
		u32 refused; /* bit<8> */
		u32 host_port; /* bit<16> */
		u32 mac_elsewhere; /* bit<16> */
		u32 ip_elsewhere; /* bit<16> */
		u32 port_group; /* bit<16> */
		u32 crc; /* bit<32> */
		u32 intact; /* bit<1> */
		u32 role; /* bit<2> */
		u32 class; /* bit<3> */
		u32 drop; /* bit<8> */
		u32 reason; /* bit<16> */
		u32 group; /* bit<16> */
		u32 multicast_group; /* bit<16> */
		u32 key_diff; /* bit<32> */
		u32 region_mask; /* bit<32> */
		u32 start_over; /* bit<32> */
		u32 end; /* bit<32> */
		u32 end_left; /* bit<32> */
		u32 p; /* bit<32> */
		u32 slot; /* bit<8> */
		u32 members; /* bit<8> */
		u32 f; /* bit<4> */
		u32 edge; /* bit<32> */
		u32 answer_drop; /* bit<8> */
		union {
			u32 bits_of_fresh;
			struct {
				u32 again7 : 1;
				u32 again6 : 1;
				u32 again5 : 1;
				u32 again4 : 1;
				u32 again3 : 1;
				u32 again2 : 1;
				u32 again1 : 1;
				u32 again0 : 1;
				u32 news : 1;
				u32 quorum : 1;
				u32 heard : 1;
				u32 acked7 : 1;
				u32 acked6 : 1;
				u32 acked5 : 1;
				u32 acked4 : 1;
				u32 acked3 : 1;
				u32 acked2 : 1;
				u32 acked1 : 1;
				u32 acked0 : 1;
				u32 fresh : 1;
			};
		};
		u32 committed; /* bit<32> */
		u32 code; /* bit<32> */
		u32 credit0; /* bit<8> */
		u32 credit1; /* bit<8> */
		u32 credit2; /* bit<8> */
		u32 credit3; /* bit<8> */
		u32 credit4; /* bit<8> */
		u32 credit5; /* bit<8> */
		u32 credit6; /* bit<8> */
		u32 credit7; /* bit<8> */
		u32 now; /* bit<32> */
		u32 interval; /* bit<32> */
		u32 before; /* bit<32> */
		u32 cnp_pass; /* bit<1> */
		u32 paths; /* bit<8> */
		u32 flow; /* bit<6> */
		u32 flow_qp; /* bit<24> */
	} md;
	struct {
		u32 ingress_port; /* bit<9> */
	} ig_intr_md;
	struct {
		u32 parser_err; /* bit<16> */
		u64 global_tstamp; /* bit<48> */
	} ig_prsr_md;
	struct {
		u32 ucast_egress_port; /* bit<9> */
		u32 mcast_grp_a; /* bit<16> */
	} ig_tm_md;
	struct {
		u32 drop_ctl; /* bit<3> */
		u32 digest_type; /* bit<3> */
	} ig_dprsr_md;
	struct {
		u32 lookahead; /* bit<8> */
		u32 lookahead_1; /* bit<8> */
		struct {
			u64 rest; /* bit<64> */
			u32 more; /* bit<32> */
			u32 ip; /* bit<32> */
			u64 kind; /* bit<64> */
			u64 mac; /* bit<48> */
			u32 ip_1; /* bit<32> */
			u32 next_header; /* bit<8> */
			u32 length; /* bit<8> */
			u64 options; /* bit<48> */
			u32 kind_1; /* bit<8> */
			u32 next_header_1; /* bit<8> */
			u32 length_1; /* bit<8> */
			u64 options_1; /* bit<48> */
			u32 kind_2; /* bit<8> */
			u32 next_header_2; /* bit<8> */
			u32 length_2; /* bit<8> */
			u64 options_2; /* bit<48> */
			u32 kind_3; /* bit<8> */
		} lookahead_struct;
		u32 lookahead_2; /* bit<8> */
		u32 lookahead_3; /* bit<8> */
		u32 lookahead_4; /* bit<8> */
	} tmp;
	struct r_group *r_group; /* the row that the packet looks at, or 0 */
	u64 time;        /* ns; see in_now() */
	u32 length;      /* of the frame, in bytes */
	u16 parser_error;
	u8 contention;   /* a register could not be changed */
	u8 unicast;      /* ucast_egress_port was written */
};

/* hdr.bridge, in the metadata. */
INLINE u32 in_hdr_bridge_kind(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? s->m->bridge.kind : 0; }
INLINE void in_set_hdr_bridge_kind(struct ingress *s, u32 v) { s->m->bridge.kind = v; }
INLINE u32 in_hdr_bridge_syndrome(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? s->m->bridge.syndrome : 0; }
INLINE void in_set_hdr_bridge_syndrome(struct ingress *s, u32 v) { s->m->bridge.syndrome = v; }
INLINE u32 in_hdr_bridge_pad(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ((s->m->bridge.pad_ingress_port >> 9) & 0x7f) : 0; }
INLINE void in_set_hdr_bridge_pad(struct ingress *s, u32 v) { s->m->bridge.pad_ingress_port = (s->m->bridge.pad_ingress_port & ~((u64)0x7f << 9)) | (u64)v << 9; }
INLINE u32 in_hdr_bridge_ingress_port(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? (s->m->bridge.pad_ingress_port & 0x1ff) : 0; }
INLINE void in_set_hdr_bridge_ingress_port(struct ingress *s, u32 v) { s->m->bridge.pad_ingress_port = (s->m->bridge.pad_ingress_port & ~((u64)0x1ff << 0)) | (u64)v << 0; }
INLINE u32 in_hdr_bridge_reason(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? s->m->bridge.reason : 0; }
INLINE void in_set_hdr_bridge_reason(struct ingress *s, u32 v) { s->m->bridge.reason = v; }
INLINE u32 in_hdr_bridge_group(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? s->m->bridge.group : 0; }
INLINE void in_set_hdr_bridge_group(struct ingress *s, u32 v) { s->m->bridge.group = v; }
INLINE u32 in_hdr_bridge_psn(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? s->m->bridge.psn : 0; }
INLINE void in_set_hdr_bridge_psn(struct ingress *s, u32 v) { s->m->bridge.psn = v; }
INLINE u32 in_hdr_bridge_icrc(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? s->m->bridge.icrc : 0; }
INLINE void in_set_hdr_bridge_icrc(struct ingress *s, u32 v) { s->m->bridge.icrc = v; }

/* hdr.packet_out, in the packet. */
INLINE u8 in_hdr_packet_out_pad(struct ingress *s) { return (s->valid & IN_hdr_packet_out) ? ((ld8(s->data) >> 1) & 0x7f) : 0; }
INLINE u16 in_hdr_packet_out_egress_port(struct ingress *s) { return (s->valid & IN_hdr_packet_out) ? (ld16(s->data) & 0x1ff) : 0; }
INLINE u16 in_hdr_packet_out_pad2(struct ingress *s) { return (s->valid & IN_hdr_packet_out) ? ld16(s->data + 2) : 0; }

/* hdr.ethernet, in the packet. */
INLINE u64 in_hdr_ethernet_dst(struct ingress *s) { return (s->valid & IN_hdr_ethernet) ? ld48(s->data) : 0; }
INLINE void in_set_hdr_ethernet_dst(struct ingress *s, u64 v)
{
	if (s->valid & IN_hdr_ethernet)
		st48(s->data, v);
}
INLINE u64 in_hdr_ethernet_src(struct ingress *s) { return (s->valid & IN_hdr_ethernet) ? ld48(s->data + 6) : 0; }
INLINE void in_set_hdr_ethernet_src(struct ingress *s, u64 v)
{
	if (s->valid & IN_hdr_ethernet)
		st48(s->data + 6, v);
}
INLINE u16 in_hdr_ethernet_ether_type(struct ingress *s) { return (s->valid & IN_hdr_ethernet) ? ld16(s->data + 12) : 0; }

/* hdr.vlan, in the packet. */
INLINE u8 in_hdr_vlan_priority(struct ingress *s) { return (s->valid & IN_hdr_vlan) ? ((ld8(s->data + 14) >> 5) & 7) : 0; }
INLINE u8 in_hdr_vlan_drop_eligible(struct ingress *s) { return (s->valid & IN_hdr_vlan) ? ((ld8(s->data + 14) >> 4) & 1) : 0; }
INLINE u16 in_hdr_vlan_vid(struct ingress *s) { return (s->valid & IN_hdr_vlan) ? (ld16(s->data + 14) & 0xfff) : 0; }
INLINE u16 in_hdr_vlan_ether_type(struct ingress *s) { return (s->valid & IN_hdr_vlan) ? ld16((s->data + 14) + 2) : 0; }

/* hdr.inner_vlan, in the packet. */
INLINE u8 in_hdr_inner_vlan_priority(struct ingress *s) { return (s->valid & IN_hdr_inner_vlan) ? ((ld8(s->data + 18) >> 5) & 7) : 0; }
INLINE u8 in_hdr_inner_vlan_drop_eligible(struct ingress *s) { return (s->valid & IN_hdr_inner_vlan) ? ((ld8(s->data + 18) >> 4) & 1) : 0; }
INLINE u16 in_hdr_inner_vlan_vid(struct ingress *s) { return (s->valid & IN_hdr_inner_vlan) ? (ld16(s->data + 18) & 0xfff) : 0; }
INLINE u16 in_hdr_inner_vlan_ether_type(struct ingress *s) { return (s->valid & IN_hdr_inner_vlan) ? ld16((s->data + 18) + 2) : 0; }

/* hdr.ipv6, in the packet. */
INLINE u8 in_hdr_ipv6_version(struct ingress *s) { return (s->valid & IN_hdr_ipv6) ? ((ld8(s->at_hdr_ipv6) >> 4) & 0xf) : 0; }
INLINE u32 in_hdr_ipv6_class_flow(struct ingress *s) { return (s->valid & IN_hdr_ipv6) ? (ld32(s->at_hdr_ipv6) & 0xfffffff) : 0; }
INLINE u16 in_hdr_ipv6_payload_len(struct ingress *s) { return (s->valid & IN_hdr_ipv6) ? ld16(s->at_hdr_ipv6 + 4) : 0; }
INLINE u8 in_hdr_ipv6_next_header(struct ingress *s) { return (s->valid & IN_hdr_ipv6) ? ld8(s->at_hdr_ipv6 + 6) : 0; }
INLINE u8 in_hdr_ipv6_hop_limit(struct ingress *s) { return (s->valid & IN_hdr_ipv6) ? ld8(s->at_hdr_ipv6 + 7) : 0; }
INLINE u64 in_hdr_ipv6_src_high(struct ingress *s) { return (s->valid & IN_hdr_ipv6) ? ld64(s->at_hdr_ipv6 + 8) : 0; }
INLINE u64 in_hdr_ipv6_src_low(struct ingress *s) { return (s->valid & IN_hdr_ipv6) ? ld64(s->at_hdr_ipv6 + 16) : 0; }
INLINE u64 in_hdr_ipv6_dst_high(struct ingress *s) { return (s->valid & IN_hdr_ipv6) ? ld64(s->at_hdr_ipv6 + 24) : 0; }
INLINE u64 in_hdr_ipv6_dst_low(struct ingress *s) { return (s->valid & IN_hdr_ipv6) ? ld64(s->at_hdr_ipv6 + 32) : 0; }

/* hdr.ipv4, in the packet. */
INLINE u8 in_hdr_ipv4_version_ihl(struct ingress *s) { return (s->valid & IN_hdr_ipv4) ? ld8(s->data + 14) : 0; }
INLINE u8 in_hdr_ipv4_tos(struct ingress *s) { return (s->valid & IN_hdr_ipv4) ? ld8((s->data + 14) + 1) : 0; }
INLINE u16 in_hdr_ipv4_total_len(struct ingress *s) { return (s->valid & IN_hdr_ipv4) ? ld16((s->data + 14) + 2) : 0; }
INLINE u16 in_hdr_ipv4_identification(struct ingress *s) { return (s->valid & IN_hdr_ipv4) ? ld16((s->data + 14) + 4) : 0; }
INLINE u16 in_hdr_ipv4_flags_fragment(struct ingress *s) { return (s->valid & IN_hdr_ipv4) ? ld16((s->data + 14) + 6) : 0; }
INLINE u8 in_hdr_ipv4_ttl(struct ingress *s) { return (s->valid & IN_hdr_ipv4) ? ld8((s->data + 14) + 8) : 0; }
INLINE void in_set_hdr_ipv4_ttl(struct ingress *s, u8 v)
{
	if (s->valid & IN_hdr_ipv4)
		st8((s->data + 14) + 8, v);
}
INLINE u8 in_hdr_ipv4_protocol(struct ingress *s) { return (s->valid & IN_hdr_ipv4) ? ld8((s->data + 14) + 9) : 0; }
INLINE u16 in_hdr_ipv4_checksum(struct ingress *s) { return (s->valid & IN_hdr_ipv4) ? ld16((s->data + 14) + 10) : 0; }
INLINE void in_set_hdr_ipv4_checksum(struct ingress *s, u16 v)
{
	if (s->valid & IN_hdr_ipv4)
		st16((s->data + 14) + 10, v);
}
INLINE u32 in_hdr_ipv4_src(struct ingress *s) { return (s->valid & IN_hdr_ipv4) ? ld32((s->data + 14) + 12) : 0; }
INLINE u32 in_hdr_ipv4_dst(struct ingress *s) { return (s->valid & IN_hdr_ipv4) ? ld32((s->data + 14) + 16) : 0; }
INLINE void in_set_hdr_ipv4_dst(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_ipv4)
		st32((s->data + 14) + 16, v);
}

/* hdr.udp, in the packet. */
INLINE u16 in_hdr_udp_src_port(struct ingress *s) { return (s->valid & IN_hdr_udp) ? ld16(s->data + 34) : 0; }
INLINE u16 in_hdr_udp_dst_port(struct ingress *s) { return (s->valid & IN_hdr_udp) ? ld16((s->data + 34) + 2) : 0; }
INLINE u16 in_hdr_udp_length(struct ingress *s) { return (s->valid & IN_hdr_udp) ? ld16((s->data + 34) + 4) : 0; }
INLINE u16 in_hdr_udp_checksum(struct ingress *s) { return (s->valid & IN_hdr_udp) ? ld16((s->data + 34) + 6) : 0; }

/* hdr.bth, in the packet. */
INLINE u8 in_hdr_bth_opcode(struct ingress *s) { return (s->valid & IN_hdr_bth) ? ld8(s->data + 42) : 0; }
INLINE u8 in_hdr_bth_flags(struct ingress *s) { return (s->valid & IN_hdr_bth) ? ld8((s->data + 42) + 1) : 0; }
INLINE u16 in_hdr_bth_pkey(struct ingress *s) { return (s->valid & IN_hdr_bth) ? ld16((s->data + 42) + 2) : 0; }
INLINE u8 in_hdr_bth_ecn(struct ingress *s) { return (s->valid & IN_hdr_bth) ? ld8((s->data + 42) + 4) : 0; }
INLINE u32 in_hdr_bth_dst_qp(struct ingress *s) { return (s->valid & IN_hdr_bth) ? ld24((s->data + 42) + 5) : 0; }
INLINE u32 in_hdr_bth_psn_word(struct ingress *s) { return (s->valid & IN_hdr_bth) ? ld32((s->data + 42) + 8) : 0; }

/* hdr.reth, in the packet. */
INLINE u64 in_hdr_reth_va(struct ingress *s) { return (s->valid & IN_hdr_reth) ? ld64(s->data + 54) : 0; }
INLINE u32 in_hdr_reth_rkey(struct ingress *s) { return (s->valid & IN_hdr_reth) ? ld32((s->data + 54) + 8) : 0; }
INLINE u32 in_hdr_reth_length(struct ingress *s) { return (s->valid & IN_hdr_reth) ? ld32((s->data + 54) + 12) : 0; }

/* hdr.aeth, in the packet. */
INLINE u8 in_hdr_aeth_syndrome(struct ingress *s) { return (s->valid & IN_hdr_aeth) ? ld8(s->data + 54) : 0; }
INLINE u32 in_hdr_aeth_msn(struct ingress *s) { return (s->valid & IN_hdr_aeth) ? ld24((s->data + 54) + 1) : 0; }

/* hdr.cnp, in the packet. */
INLINE u64 in_hdr_cnp_reserved0(struct ingress *s) { return (s->valid & IN_hdr_cnp) ? ld64(s->data + 54) : 0; }
INLINE u64 in_hdr_cnp_reserved1(struct ingress *s) { return (s->valid & IN_hdr_cnp) ? ld64((s->data + 54) + 8) : 0; }

/* hdr.icrc, in the packet. */
INLINE u32 in_hdr_icrc_crc(struct ingress *s) { return (s->valid & IN_hdr_icrc) ? ld32(s->at_hdr_icrc) : 0; }

/* The time at which the packet came in, in ns: read once, when it is needed. */
INLINE u64 in_now(struct ingress *s)
{
	if (!s->time)
		s->time = bpf_ktime_get_ns();
	return s->time;
}

struct in_saved {
	u8 hdr_ethernet[16];
	u8 hdr_vlan[8];
	u8 hdr_inner_vlan[8];
	u8 hdr_ipv6[40];
	u8 hdr_ipv4[24];
	u8 hdr_udp[8];
	u8 hdr_bth[16];
	u8 hdr_reth[16];
	u8 hdr_aeth[8];
	u8 hdr_cnp[16];
	u8 hdr_icrc[8];
};
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct in_saved); }
	in_scratch SEC(".maps"); /* headers of a packet whose layout changes */

GLOBAL u64 in_again_sent_sent_raise(u32 index, u32 in0 /* md.p */, u32 in1 /* md.edge */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->sent;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_psn = old;
		u32 p_moved = 0;
		if (((s32)(u32)(p_psn - in0) < (s32)0) && ((s32)(u32)(p_psn - in1) >= (s32)0)) { /* slots.p4:114 */
			p_psn = in0; /* slots.p4:115 */
			p_moved = 1; /* slots.p4:116 */
		} else {
			p_moved = 0; /* slots.p4:118 */
		}
		u32 new = (u32)p_psn;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_moved;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.window.sent_raise on pipe.Ingress.window.sent, slots.p4:112 */
INLINE u32 in_sent_sent_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->sent;
	u32 old = READ_ONCE(*cell);
	u32 p_psn = old;
	u32 p_moved = 0;
	if (((s32)(u32)(p_psn - s->md.p) < (s32)0) && ((s32)(u32)(p_psn - s->md.edge) >= (s32)0)) { /* slots.p4:114 */
		p_psn = s->md.p; /* slots.p4:115 */
		p_moved = 1; /* slots.p4:116 */
	} else {
		p_moved = 0; /* slots.p4:118 */
	}
	u32 new = (u32)p_psn;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_moved;
	u64 repeated_ = in_again_sent_sent_raise(index, s->md.p, s->md.edge);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.window.sent_covers on pipe.Ingress.window.sent, slots.p4:124 */
INLINE u32 in_sent_sent_covers(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->sent;
	u32 old = READ_ONCE(*cell);
	u32 p_psn = old;
	u32 p_under_way = 0;
	p_under_way = ((is_negative((u32)(p_psn - s->md.p)) ^ 1) & (is_negative((u32)(p_psn - s->md.edge)) | is_zero((u32)(p_psn - s->md.edge)))); /* slots.p4:126 */
	return p_under_way;
}

GLOBAL u64 in_again_slot0_slot0_raise(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot0;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:174 */
			p_held_psn = in0; /* slots.p4:174 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:174 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot0_raise on pipe.Ingress.slots.slot0, slots.p4:174 */
INLINE u32 in_slot0_slot0_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot0;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:174 */
		p_held_psn = s->md.p; /* slots.p4:174 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:174 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot0_slot0_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot0_holds on pipe.Ingress.slots.slot0, slots.p4:174 */
INLINE u32 in_slot0_slot0_holds(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot0;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:174 */
	return p_acked;
}

GLOBAL u64 in_again_slot0_slot0_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot0;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:174 */
			p_held_lost = 1; /* slots.p4:174 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot0_leave on pipe.Ingress.slots.slot0, slots.p4:174 */
INLINE u32 in_slot0_slot0_leave(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot0;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:174 */
		p_held_lost = 1; /* slots.p4:174 */
	}
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old))
		return 0;
	u64 repeated_ = in_again_slot0_slot0_leave(index, s->md.edge);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_slot1_slot1_raise(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot1;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:175 */
			p_held_psn = in0; /* slots.p4:175 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:175 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot1_raise on pipe.Ingress.slots.slot1, slots.p4:175 */
INLINE u32 in_slot1_slot1_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot1;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:175 */
		p_held_psn = s->md.p; /* slots.p4:175 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:175 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot1_slot1_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot1_holds on pipe.Ingress.slots.slot1, slots.p4:175 */
INLINE u32 in_slot1_slot1_holds(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot1;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:175 */
	return p_acked;
}

GLOBAL u64 in_again_slot1_slot1_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot1;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:175 */
			p_held_lost = 1; /* slots.p4:175 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot1_leave on pipe.Ingress.slots.slot1, slots.p4:175 */
INLINE u32 in_slot1_slot1_leave(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot1;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:175 */
		p_held_lost = 1; /* slots.p4:175 */
	}
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old))
		return 0;
	u64 repeated_ = in_again_slot1_slot1_leave(index, s->md.edge);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_slot2_slot2_raise(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot2;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:176 */
			p_held_psn = in0; /* slots.p4:176 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:176 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot2_raise on pipe.Ingress.slots.slot2, slots.p4:176 */
INLINE u32 in_slot2_slot2_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot2;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:176 */
		p_held_psn = s->md.p; /* slots.p4:176 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:176 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot2_slot2_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot2_holds on pipe.Ingress.slots.slot2, slots.p4:176 */
INLINE u32 in_slot2_slot2_holds(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot2;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:176 */
	return p_acked;
}

GLOBAL u64 in_again_slot2_slot2_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot2;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:176 */
			p_held_lost = 1; /* slots.p4:176 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot2_leave on pipe.Ingress.slots.slot2, slots.p4:176 */
INLINE u32 in_slot2_slot2_leave(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot2;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:176 */
		p_held_lost = 1; /* slots.p4:176 */
	}
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old))
		return 0;
	u64 repeated_ = in_again_slot2_slot2_leave(index, s->md.edge);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_slot3_slot3_raise(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot3;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:177 */
			p_held_psn = in0; /* slots.p4:177 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:177 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot3_raise on pipe.Ingress.slots.slot3, slots.p4:177 */
INLINE u32 in_slot3_slot3_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot3;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:177 */
		p_held_psn = s->md.p; /* slots.p4:177 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:177 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot3_slot3_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot3_holds on pipe.Ingress.slots.slot3, slots.p4:177 */
INLINE u32 in_slot3_slot3_holds(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot3;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:177 */
	return p_acked;
}

GLOBAL u64 in_again_slot3_slot3_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot3;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:177 */
			p_held_lost = 1; /* slots.p4:177 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot3_leave on pipe.Ingress.slots.slot3, slots.p4:177 */
INLINE u32 in_slot3_slot3_leave(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot3;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:177 */
		p_held_lost = 1; /* slots.p4:177 */
	}
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old))
		return 0;
	u64 repeated_ = in_again_slot3_slot3_leave(index, s->md.edge);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_slot4_slot4_raise(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot4;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:178 */
			p_held_psn = in0; /* slots.p4:178 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:178 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot4_raise on pipe.Ingress.slots.slot4, slots.p4:178 */
INLINE u32 in_slot4_slot4_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot4;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:178 */
		p_held_psn = s->md.p; /* slots.p4:178 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:178 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot4_slot4_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot4_holds on pipe.Ingress.slots.slot4, slots.p4:178 */
INLINE u32 in_slot4_slot4_holds(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot4;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:178 */
	return p_acked;
}

GLOBAL u64 in_again_slot4_slot4_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot4;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:178 */
			p_held_lost = 1; /* slots.p4:178 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot4_leave on pipe.Ingress.slots.slot4, slots.p4:178 */
INLINE u32 in_slot4_slot4_leave(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot4;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:178 */
		p_held_lost = 1; /* slots.p4:178 */
	}
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old))
		return 0;
	u64 repeated_ = in_again_slot4_slot4_leave(index, s->md.edge);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_slot5_slot5_raise(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot5;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:179 */
			p_held_psn = in0; /* slots.p4:179 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:179 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot5_raise on pipe.Ingress.slots.slot5, slots.p4:179 */
INLINE u32 in_slot5_slot5_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot5;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:179 */
		p_held_psn = s->md.p; /* slots.p4:179 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:179 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot5_slot5_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot5_holds on pipe.Ingress.slots.slot5, slots.p4:179 */
INLINE u32 in_slot5_slot5_holds(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot5;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:179 */
	return p_acked;
}

GLOBAL u64 in_again_slot5_slot5_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot5;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:179 */
			p_held_lost = 1; /* slots.p4:179 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot5_leave on pipe.Ingress.slots.slot5, slots.p4:179 */
INLINE u32 in_slot5_slot5_leave(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot5;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:179 */
		p_held_lost = 1; /* slots.p4:179 */
	}
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old))
		return 0;
	u64 repeated_ = in_again_slot5_slot5_leave(index, s->md.edge);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_slot6_slot6_raise(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot6;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:180 */
			p_held_psn = in0; /* slots.p4:180 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:180 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot6_raise on pipe.Ingress.slots.slot6, slots.p4:180 */
INLINE u32 in_slot6_slot6_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot6;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:180 */
		p_held_psn = s->md.p; /* slots.p4:180 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:180 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot6_slot6_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot6_holds on pipe.Ingress.slots.slot6, slots.p4:180 */
INLINE u32 in_slot6_slot6_holds(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot6;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:180 */
	return p_acked;
}

GLOBAL u64 in_again_slot6_slot6_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot6;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:180 */
			p_held_lost = 1; /* slots.p4:180 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot6_leave on pipe.Ingress.slots.slot6, slots.p4:180 */
INLINE u32 in_slot6_slot6_leave(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot6;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:180 */
		p_held_lost = 1; /* slots.p4:180 */
	}
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old))
		return 0;
	u64 repeated_ = in_again_slot6_slot6_leave(index, s->md.edge);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_slot7_slot7_raise(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot7;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:181 */
			p_held_psn = in0; /* slots.p4:181 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:181 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot7_raise on pipe.Ingress.slots.slot7, slots.p4:181 */
INLINE u32 in_slot7_slot7_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot7;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:181 */
		p_held_psn = s->md.p; /* slots.p4:181 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:181 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot7_slot7_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot7_holds on pipe.Ingress.slots.slot7, slots.p4:181 */
INLINE u32 in_slot7_slot7_holds(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot7;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:181 */
	return p_acked;
}

GLOBAL u64 in_again_slot7_slot7_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot7;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:181 */
			p_held_lost = 1; /* slots.p4:181 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot7_leave on pipe.Ingress.slots.slot7, slots.p4:181 */
INLINE u32 in_slot7_slot7_leave(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot7;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:181 */
		p_held_lost = 1; /* slots.p4:181 */
	}
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old))
		return 0;
	u64 repeated_ = in_again_slot7_slot7_leave(index, s->md.edge);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_committed_committed_raise(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->committed;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_psn = old;
		u32 p_news = 0;
		if ((s32)(u32)(p_psn - in0) < (s32)0) { /* gather.p4:164 */
			p_psn = in0; /* gather.p4:165 */
			p_news = 1; /* gather.p4:166 */
		} else {
			p_news = 0; /* gather.p4:168 */
		}
		u32 new = (u32)p_psn;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_news;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.committed_raise on pipe.Ingress.answers.gather.committed, gather.p4:162 */
INLINE u32 in_committed_committed_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->committed;
	u32 old = READ_ONCE(*cell);
	u32 p_psn = old;
	u32 p_news = 0;
	if ((s32)(u32)(p_psn - s->md.p) < (s32)0) { /* gather.p4:164 */
		p_psn = s->md.p; /* gather.p4:165 */
		p_news = 1; /* gather.p4:166 */
	} else {
		p_news = 0; /* gather.p4:168 */
	}
	u32 new = (u32)p_psn;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_news;
	u64 repeated_ = in_again_committed_committed_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

GLOBAL u64 in_again_committed_committed_raise_get(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->committed;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_psn = old;
		u32 p_now = 0;
		if ((s32)(u32)(p_psn - in0) < (s32)0) { /* gather.p4:174 */
			p_psn = in0; /* gather.p4:175 */
		}
		p_now = p_psn; /* gather.p4:177 */
		u32 new = (u32)p_psn;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_now;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.committed_raise_get on pipe.Ingress.answers.gather.committed, gather.p4:172 */
INLINE u32 in_committed_committed_raise_get(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->committed;
	u32 old = READ_ONCE(*cell);
	u32 p_psn = old;
	u32 p_now = 0;
	if ((s32)(u32)(p_psn - s->md.p) < (s32)0) { /* gather.p4:174 */
		p_psn = s->md.p; /* gather.p4:175 */
	}
	p_now = p_psn; /* gather.p4:177 */
	u32 new = (u32)p_psn;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_now;
	u64 repeated_ = in_again_committed_committed_raise_get(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return (u32)repeated_;
}

/* register action pipe.Ingress.answers.gather.committed_get on pipe.Ingress.answers.gather.committed, gather.p4:180 */
INLINE u32 in_committed_committed_get(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->committed;
	u32 old = READ_ONCE(*cell);
	u32 p_psn = old;
	u32 p_now = 0;
	p_now = p_psn; /* gather.p4:182 */
	return p_now;
}

GLOBAL u64 in_again_credit0_credit0_set(u32 index, u32 in0 /* md.p */, u32 in1 /* md.code */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit0;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		u32 p_again = 0;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:91 */
			p_last_psn = in0; /* gather.p4:91 */
			p_again = 0; /* gather.p4:91 */
		} else {
			p_again = 1; /* gather.p4:91 */
		}
		p_last_code = in1; /* gather.p4:91 */
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_again;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit0_set on pipe.Ingress.answers.gather.credit0, gather.p4:91 */
INLINE u32 in_credit0_credit0_set(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit0;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_again = 0;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:91 */
		p_last_psn = s->md.p; /* gather.p4:91 */
		p_again = 0; /* gather.p4:91 */
	} else {
		p_again = 1; /* gather.p4:91 */
	}
	p_last_code = s->md.code; /* gather.p4:91 */
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_again;
	u64 repeated_ = in_again_credit0_credit0_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.answers.gather.credit0_get on pipe.Ingress.answers.gather.credit0, gather.p4:91 */
INLINE u32 in_credit0_credit0_get(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit0;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:91 */
	return p_code;
}

GLOBAL u64 in_again_credit0_credit0_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit0;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:91 */
			p_last_psn = in0; /* gather.p4:91 */
		}
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit0_spoke on pipe.Ingress.answers.gather.credit0, gather.p4:91 */
INLINE u32 in_credit0_credit0_spoke(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit0;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:91 */
		p_last_psn = s->md.p; /* gather.p4:91 */
	}
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_credit0_credit0_spoke(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_credit1_credit1_set(u32 index, u32 in0 /* md.p */, u32 in1 /* md.code */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit1;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		u32 p_again = 0;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:92 */
			p_last_psn = in0; /* gather.p4:92 */
			p_again = 0; /* gather.p4:92 */
		} else {
			p_again = 1; /* gather.p4:92 */
		}
		p_last_code = in1; /* gather.p4:92 */
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_again;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit1_set on pipe.Ingress.answers.gather.credit1, gather.p4:92 */
INLINE u32 in_credit1_credit1_set(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit1;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_again = 0;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:92 */
		p_last_psn = s->md.p; /* gather.p4:92 */
		p_again = 0; /* gather.p4:92 */
	} else {
		p_again = 1; /* gather.p4:92 */
	}
	p_last_code = s->md.code; /* gather.p4:92 */
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_again;
	u64 repeated_ = in_again_credit1_credit1_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.answers.gather.credit1_get on pipe.Ingress.answers.gather.credit1, gather.p4:92 */
INLINE u32 in_credit1_credit1_get(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit1;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:92 */
	return p_code;
}

GLOBAL u64 in_again_credit1_credit1_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit1;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:92 */
			p_last_psn = in0; /* gather.p4:92 */
		}
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit1_spoke on pipe.Ingress.answers.gather.credit1, gather.p4:92 */
INLINE u32 in_credit1_credit1_spoke(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit1;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:92 */
		p_last_psn = s->md.p; /* gather.p4:92 */
	}
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_credit1_credit1_spoke(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_credit2_credit2_set(u32 index, u32 in0 /* md.p */, u32 in1 /* md.code */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit2;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		u32 p_again = 0;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:93 */
			p_last_psn = in0; /* gather.p4:93 */
			p_again = 0; /* gather.p4:93 */
		} else {
			p_again = 1; /* gather.p4:93 */
		}
		p_last_code = in1; /* gather.p4:93 */
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_again;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit2_set on pipe.Ingress.answers.gather.credit2, gather.p4:93 */
INLINE u32 in_credit2_credit2_set(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit2;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_again = 0;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:93 */
		p_last_psn = s->md.p; /* gather.p4:93 */
		p_again = 0; /* gather.p4:93 */
	} else {
		p_again = 1; /* gather.p4:93 */
	}
	p_last_code = s->md.code; /* gather.p4:93 */
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_again;
	u64 repeated_ = in_again_credit2_credit2_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.answers.gather.credit2_get on pipe.Ingress.answers.gather.credit2, gather.p4:93 */
INLINE u32 in_credit2_credit2_get(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit2;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:93 */
	return p_code;
}

GLOBAL u64 in_again_credit2_credit2_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit2;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:93 */
			p_last_psn = in0; /* gather.p4:93 */
		}
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit2_spoke on pipe.Ingress.answers.gather.credit2, gather.p4:93 */
INLINE u32 in_credit2_credit2_spoke(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit2;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:93 */
		p_last_psn = s->md.p; /* gather.p4:93 */
	}
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_credit2_credit2_spoke(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_credit3_credit3_set(u32 index, u32 in0 /* md.p */, u32 in1 /* md.code */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit3;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		u32 p_again = 0;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:94 */
			p_last_psn = in0; /* gather.p4:94 */
			p_again = 0; /* gather.p4:94 */
		} else {
			p_again = 1; /* gather.p4:94 */
		}
		p_last_code = in1; /* gather.p4:94 */
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_again;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit3_set on pipe.Ingress.answers.gather.credit3, gather.p4:94 */
INLINE u32 in_credit3_credit3_set(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit3;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_again = 0;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:94 */
		p_last_psn = s->md.p; /* gather.p4:94 */
		p_again = 0; /* gather.p4:94 */
	} else {
		p_again = 1; /* gather.p4:94 */
	}
	p_last_code = s->md.code; /* gather.p4:94 */
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_again;
	u64 repeated_ = in_again_credit3_credit3_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.answers.gather.credit3_get on pipe.Ingress.answers.gather.credit3, gather.p4:94 */
INLINE u32 in_credit3_credit3_get(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit3;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:94 */
	return p_code;
}

GLOBAL u64 in_again_credit3_credit3_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit3;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:94 */
			p_last_psn = in0; /* gather.p4:94 */
		}
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit3_spoke on pipe.Ingress.answers.gather.credit3, gather.p4:94 */
INLINE u32 in_credit3_credit3_spoke(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit3;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:94 */
		p_last_psn = s->md.p; /* gather.p4:94 */
	}
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_credit3_credit3_spoke(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_credit4_credit4_set(u32 index, u32 in0 /* md.p */, u32 in1 /* md.code */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit4;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		u32 p_again = 0;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:95 */
			p_last_psn = in0; /* gather.p4:95 */
			p_again = 0; /* gather.p4:95 */
		} else {
			p_again = 1; /* gather.p4:95 */
		}
		p_last_code = in1; /* gather.p4:95 */
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_again;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit4_set on pipe.Ingress.answers.gather.credit4, gather.p4:95 */
INLINE u32 in_credit4_credit4_set(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit4;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_again = 0;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:95 */
		p_last_psn = s->md.p; /* gather.p4:95 */
		p_again = 0; /* gather.p4:95 */
	} else {
		p_again = 1; /* gather.p4:95 */
	}
	p_last_code = s->md.code; /* gather.p4:95 */
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_again;
	u64 repeated_ = in_again_credit4_credit4_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.answers.gather.credit4_get on pipe.Ingress.answers.gather.credit4, gather.p4:95 */
INLINE u32 in_credit4_credit4_get(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit4;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:95 */
	return p_code;
}

GLOBAL u64 in_again_credit4_credit4_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit4;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:95 */
			p_last_psn = in0; /* gather.p4:95 */
		}
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit4_spoke on pipe.Ingress.answers.gather.credit4, gather.p4:95 */
INLINE u32 in_credit4_credit4_spoke(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit4;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:95 */
		p_last_psn = s->md.p; /* gather.p4:95 */
	}
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_credit4_credit4_spoke(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_credit5_credit5_set(u32 index, u32 in0 /* md.p */, u32 in1 /* md.code */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit5;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		u32 p_again = 0;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:96 */
			p_last_psn = in0; /* gather.p4:96 */
			p_again = 0; /* gather.p4:96 */
		} else {
			p_again = 1; /* gather.p4:96 */
		}
		p_last_code = in1; /* gather.p4:96 */
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_again;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit5_set on pipe.Ingress.answers.gather.credit5, gather.p4:96 */
INLINE u32 in_credit5_credit5_set(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit5;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_again = 0;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:96 */
		p_last_psn = s->md.p; /* gather.p4:96 */
		p_again = 0; /* gather.p4:96 */
	} else {
		p_again = 1; /* gather.p4:96 */
	}
	p_last_code = s->md.code; /* gather.p4:96 */
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_again;
	u64 repeated_ = in_again_credit5_credit5_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.answers.gather.credit5_get on pipe.Ingress.answers.gather.credit5, gather.p4:96 */
INLINE u32 in_credit5_credit5_get(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit5;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:96 */
	return p_code;
}

GLOBAL u64 in_again_credit5_credit5_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit5;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:96 */
			p_last_psn = in0; /* gather.p4:96 */
		}
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit5_spoke on pipe.Ingress.answers.gather.credit5, gather.p4:96 */
INLINE u32 in_credit5_credit5_spoke(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit5;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:96 */
		p_last_psn = s->md.p; /* gather.p4:96 */
	}
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_credit5_credit5_spoke(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_credit6_credit6_set(u32 index, u32 in0 /* md.p */, u32 in1 /* md.code */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit6;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		u32 p_again = 0;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:97 */
			p_last_psn = in0; /* gather.p4:97 */
			p_again = 0; /* gather.p4:97 */
		} else {
			p_again = 1; /* gather.p4:97 */
		}
		p_last_code = in1; /* gather.p4:97 */
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_again;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit6_set on pipe.Ingress.answers.gather.credit6, gather.p4:97 */
INLINE u32 in_credit6_credit6_set(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit6;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_again = 0;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:97 */
		p_last_psn = s->md.p; /* gather.p4:97 */
		p_again = 0; /* gather.p4:97 */
	} else {
		p_again = 1; /* gather.p4:97 */
	}
	p_last_code = s->md.code; /* gather.p4:97 */
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_again;
	u64 repeated_ = in_again_credit6_credit6_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.answers.gather.credit6_get on pipe.Ingress.answers.gather.credit6, gather.p4:97 */
INLINE u32 in_credit6_credit6_get(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit6;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:97 */
	return p_code;
}

GLOBAL u64 in_again_credit6_credit6_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit6;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:97 */
			p_last_psn = in0; /* gather.p4:97 */
		}
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit6_spoke on pipe.Ingress.answers.gather.credit6, gather.p4:97 */
INLINE u32 in_credit6_credit6_spoke(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit6;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:97 */
		p_last_psn = s->md.p; /* gather.p4:97 */
	}
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_credit6_credit6_spoke(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_credit7_credit7_set(u32 index, u32 in0 /* md.p */, u32 in1 /* md.code */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit7;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		u32 p_again = 0;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:98 */
			p_last_psn = in0; /* gather.p4:98 */
			p_again = 0; /* gather.p4:98 */
		} else {
			p_again = 1; /* gather.p4:98 */
		}
		p_last_code = in1; /* gather.p4:98 */
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_again;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit7_set on pipe.Ingress.answers.gather.credit7, gather.p4:98 */
INLINE u32 in_credit7_credit7_set(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit7;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_again = 0;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:98 */
		p_last_psn = s->md.p; /* gather.p4:98 */
		p_again = 0; /* gather.p4:98 */
	} else {
		p_again = 1; /* gather.p4:98 */
	}
	p_last_code = s->md.code; /* gather.p4:98 */
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_again;
	u64 repeated_ = in_again_credit7_credit7_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.answers.gather.credit7_get on pipe.Ingress.answers.gather.credit7, gather.p4:98 */
INLINE u32 in_credit7_credit7_get(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit7;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:98 */
	return p_code;
}

GLOBAL u64 in_again_credit7_credit7_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit7;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:98 */
			p_last_psn = in0; /* gather.p4:98 */
		}
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.gather.credit7_spoke on pipe.Ingress.answers.gather.credit7, gather.p4:98 */
INLINE u32 in_credit7_credit7_spoke(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit7;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:98 */
		p_last_psn = s->md.p; /* gather.p4:98 */
	}
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_credit7_credit7_spoke(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_last_cnp_limit(u32 index, u32 in0 /* md.before */, u32 in1 /* md.now */)
{
	struct r_group *row = ELEMENT(r_group, 4096, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->last_cnp;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_last = old;
		u32 p_pass = 0;
		if (((s32)(u32)(in0 - p_last) >= (s32)0) || ((s32)(u32)(in1 - p_last) < (s32)0)) { /* cnp.p4:26 */
			p_last = in1; /* cnp.p4:27 */
			p_pass = 1; /* cnp.p4:28 */
		} else {
			p_pass = 0; /* cnp.p4:30 */
		}
		u32 new = (u32)p_last;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_pass;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.answers.cnp.limit on pipe.Ingress.answers.cnp.last_cnp, cnp.p4:24 */
INLINE u32 in_last_cnp_limit(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->last_cnp;
	u32 old = READ_ONCE(*cell);
	u32 p_last = old;
	u32 p_pass = 0;
	if (((s32)(u32)(s->md.before - p_last) >= (s32)0) || ((s32)(u32)(s->md.now - p_last) < (s32)0)) { /* cnp.p4:26 */
		p_last = s->md.now; /* cnp.p4:27 */
		p_pass = 1; /* cnp.p4:28 */
	} else {
		p_pass = 0; /* cnp.p4:30 */
	}
	u32 new = (u32)p_last;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_pass;
	u64 repeated_ = in_again_last_cnp_limit(index, s->md.before, s->md.now);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* action pipe.Ingress.ports.set_port_group, ports.p4:15 */
INLINE void in_set_port_group(struct ingress *s, u16 p_port_group)
{
	s->md.port_group = p_port_group; /* ports.p4:16 */
}

/* action pipe.Ingress.ports.own_port_group, ports.p4:20 */
INLINE void in_own_port_group(struct ingress *s)
{
	s->md.port_group = (u16)s->ig_intr_md.ingress_port; /* ports.p4:21 */
}

/* action pipe.Ingress.group.scatter, group.p4:48 */
INLINE void in_scatter(struct ingress *s, u16 p_group, u16 p_multicast_group, u32 p_rkey, u32 p_region_mask, u8 p_members)
{
	s->md.role = ROLE_SCATTER; /* group.p4:50 */
	s->md.slot = SLOT_LEADER; /* group.p4:51 */
	s->md.group = p_group; /* group.p4:52 */
	s->md.multicast_group = p_multicast_group; /* group.p4:53 */
	s->md.members = p_members; /* group.p4:54 */
	s->md.key_diff = (in_hdr_reth_rkey(s) ^ p_rkey); /* group.p4:55 */
	s->md.region_mask = p_region_mask; /* group.p4:56 */
	s->md.start_over = ((u32)in_hdr_reth_va(s) & p_region_mask); /* group.p4:57 */
	s->md.end = (u32)((u32)in_hdr_reth_va(s) + in_hdr_reth_length(s)); /* group.p4:58 */
}

/* action pipe.Ingress.group.gather, group.p4:85 */
INLINE void in_gather(struct ingress *s, u16 p_group, u8 p_slot, u32 p_delta, u8 p_members, u8 p_f, u16 p_leader_port, u32 p_icrc)
{
	s->md.role = ROLE_GATHER; /* group.p4:87 */
	s->md.group = p_group; /* group.p4:88 */
	s->md.slot = p_slot; /* group.p4:89 */
	s->md.p = (u32)(s->md.p + p_delta); /* group.p4:90 */
	s->md.members = p_members; /* group.p4:91 */
	s->md.f = p_f; /* group.p4:92 */
	s->ig_tm_md.ucast_egress_port = p_leader_port; /* group.p4:93 */
	s->unicast = 1;
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_group(s, p_group); /* group.p4:94 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_icrc(s, p_icrc); /* group.p4:95 */
}

/* action pipe.Ingress.group.relay, group.p4:68 */
INLINE void in_relay(struct ingress *s, u16 p_group, u16 p_multicast_group, u32 p_rkey, u32 p_region_mask)
{
	s->md.role = ROLE_RELAY; /* group.p4:70 */
	s->md.group = p_group; /* group.p4:71 */
	s->md.multicast_group = p_multicast_group; /* group.p4:72 */
	s->md.key_diff = (in_hdr_reth_rkey(s) ^ p_rkey); /* group.p4:73 */
	s->md.region_mask = p_region_mask; /* group.p4:74 */
	s->md.start_over = ((u32)in_hdr_reth_va(s) & p_region_mask); /* group.p4:75 */
	s->md.end = (u32)((u32)in_hdr_reth_va(s) + in_hdr_reth_length(s)); /* group.p4:76 */
	in_set_hdr_ipv4_dst(s, in_hdr_ipv4_src(s)); /* group.p4:77 */
}

/* action NoAction, <core.p4>:35 */
INLINE void in_NoAction(struct ingress *s)
{
	aside();
}

/* action pipe.Ingress.group.copy, group.p4:115 */
INLINE void in_copy(struct ingress *s)
{
	s->md.class = CLASS_COPY; /* group.p4:116 */
	s->md.edge = (u32)(s->md.p - 0x3fffff00); /* group.p4:117 */
}

/* action pipe.Ingress.group.write, group.p4:121 */
INLINE void in_write(struct ingress *s)
{
	s->md.class = CLASS_WRITE; /* group.p4:122 */
	s->md.edge = (u32)(s->md.p - 0x3fffff00); /* group.p4:123 */
	s->md.end_left = (u32)(s->md.end + s->md.region_mask); /* group.p4:124 */
}

/* action pipe.Ingress.group.relay_copy, group.p4:137 */
INLINE void in_relay_copy(struct ingress *s)
{
	s->md.class = CLASS_RELAY_COPY; /* group.p4:138 */
	in_set_hdr_ipv4_ttl(s, (u8)(in_hdr_ipv4_ttl(s) - 1)); /* group.p4:139 */
}

/* action pipe.Ingress.group.relay_write, group.p4:143 */
INLINE void in_relay_write(struct ingress *s)
{
	s->md.class = CLASS_RELAY_WRITE; /* group.p4:144 */
	in_set_hdr_ipv4_ttl(s, (u8)(in_hdr_ipv4_ttl(s) - 1)); /* group.p4:145 */
	s->md.end_left = (u32)(s->md.end + s->md.region_mask); /* group.p4:146 */
}

/* action pipe.Ingress.group.relay_ttl, group.p4:150 */
INLINE void in_relay_ttl(struct ingress *s)
{
	aside();
	s->md.drop = DROP_RELAY_TTL; /* group.p4:151 */
}

/* action pipe.Ingress.group.ack, group.p4:128 */
INLINE void in_ack(struct ingress *s)
{
	s->md.class = CLASS_ACK; /* group.p4:129 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_kind(s, KIND_ACK); /* group.p4:130 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_psn(s, s->md.p); /* group.p4:131 */
	s->md.edge = (u32)(s->md.p + 0x3fffff00); /* group.p4:132 */
}

/* action pipe.Ingress.group.nak, group.p4:155 */
INLINE void in_nak(struct ingress *s)
{
	s->md.class = CLASS_NAK; /* group.p4:156 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_kind(s, KIND_NAK); /* group.p4:157 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_psn(s, (u32)(s->md.p - PSN_ONE)); /* group.p4:158 */
	s->md.edge = (u32)(s->md.p + 0x3ffffe00); /* group.p4:159 */
	s->md.p = (u32)(s->md.p - PSN_ONE); /* group.p4:160 */
}

/* action pipe.Ingress.group.cnp, group.p4:164 */
INLINE void in_cnp(struct ingress *s)
{
	s->md.class = CLASS_CNP; /* group.p4:165 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_kind(s, KIND_CNP); /* group.p4:166 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_psn(s, (u32)((u32)in_hdr_bth_psn_word(s) << 8)); /* group.p4:167 */
}

/* action pipe.Ingress.group.invalid_request, group.p4:171 */
INLINE void in_invalid_request(struct ingress *s)
{
	aside();
	s->md.reason = REASON_INVALID_REQUEST; /* group.p4:172 */
}

/* action pipe.Ingress.group.bad_opcode, group.p4:176 */
INLINE void in_bad_opcode(struct ingress *s)
{
	aside();
	s->md.drop = DROP_BAD_OPCODE; /* group.p4:177 */
}

/* action pipe.Ingress.group.bad_syndrome, group.p4:181 */
INLINE void in_bad_syndrome(struct ingress *s)
{
	aside();
	s->md.drop = DROP_BAD_SYNDROME; /* group.p4:182 */
}

/* action pipe.Ingress.group.damaged, group.p4:186 */
INLINE void in_damaged(struct ingress *s)
{
	aside();
	s->md.drop = DROP_ICRC; /* group.p4:187 */
}

/* action pipe.Ingress.forward.sends, forward.p4:53 */
INLINE void in_sends(struct ingress *s, u8 p_refused, u16 p_host)
{
	s->md.refused = (s->md.family & p_refused); /* forward.p4:54 */
	s->md.host_port = p_host; /* forward.p4:55 */
}

/* action pipe.Ingress.forward.pretended, forward.p4:67 */
INLINE void in_pretended(struct ingress *s)
{
	aside();
	s->md.own = 1; /* forward.p4:68 */
}

/* action pipe.Ingress.forward.mac_at, forward.p4:72 */
INLINE void in_mac_at(struct ingress *s, u16 p_port_group)
{
	s->md.mac_elsewhere = (s->md.port_group ^ p_port_group); /* forward.p4:73 */
}

/* action pipe.Ingress.forward.mac_beyond, forward.p4:77 */
INLINE void in_mac_beyond(struct ingress *s)
{
	s->md.mac_elsewhere = s->md.host_port; /* forward.p4:78 */
}

/* action pipe.Ingress.forward.mac_stranger, forward.p4:82 */
INLINE void in_mac_stranger(struct ingress *s)
{
	aside();
	s->md.mac_elsewhere = 1; /* forward.p4:83 */
}

/* action pipe.Ingress.forward.ip_at, forward.p4:95 */
INLINE void in_ip_at(struct ingress *s, u16 p_port_group)
{
	s->md.ip_elsewhere = (s->md.port_group ^ p_port_group); /* forward.p4:96 */
}

/* action pipe.Ingress.forward.ip_beyond, forward.p4:100 */
INLINE void in_ip_beyond(struct ingress *s)
{
	s->md.ip_elsewhere = s->md.host_port; /* forward.p4:101 */
}

/* action pipe.Ingress.forward.ip_anyone, forward.p4:111 */
INLINE void in_ip_anyone(struct ingress *s)
{
	aside();
}

/* action pipe.Ingress.forward.ip_stranger, forward.p4:105 */
INLINE void in_ip_stranger(struct ingress *s)
{
	aside();
	s->md.ip_elsewhere = 1; /* forward.p4:106 */
}

/* action pipe.Ingress.forward.to_switch, forward.p4:123 */
INLINE void in_to_switch(struct ingress *s)
{
	aside();
	s->md.local = 1; /* forward.p4:124 */
}

/* action pipe.Ingress.forward.forward, forward.p4:136 */
INLINE void in_forward(struct ingress *s, u16 p_port)
{
	s->ig_tm_md.ucast_egress_port = p_port; /* forward.p4:137 */
	s->unicast = 1;
}

/* action pipe.Ingress.forward.router, forward.p4:141 */
INLINE void in_router(struct ingress *s)
{
	aside();
	s->md.routed = 1; /* forward.p4:142 */
}

/* action pipe.Ingress.forward.unknown, forward.p4:146 */
INLINE void in_unknown(struct ingress *s)
{
	aside();
	s->md.reason = REASON_UNKNOWN_DESTINATION; /* forward.p4:147 */
}

/* action pipe.Ingress.forward.route, forward.p4:159 */
INLINE void in_route(struct ingress *s, u16 p_port, u64 p_src_mac, u64 p_dst_mac)
{
	s->ig_tm_md.ucast_egress_port = p_port; /* forward.p4:160 */
	s->unicast = 1;
	in_set_hdr_ethernet_src(s, p_src_mac); /* forward.p4:161 */
	in_set_hdr_ethernet_dst(s, p_dst_mac); /* forward.p4:162 */
	in_set_hdr_ipv4_ttl(s, (u8)(in_hdr_ipv4_ttl(s) - 1)); /* forward.p4:163 */
}

/* action pipe.Ingress.forward.spread, forward.p4:175 */
INLINE void in_spread(struct ingress *s, u8 p_set)
{
	s->md.paths = p_set; /* forward.p4:176 */
}

/* action pipe.Ingress.forward.no_route, forward.p4:167 */
INLINE void in_no_route(struct ingress *s)
{
	aside();
	s->md.reason = REASON_NO_ROUTE; /* forward.p4:168 */
}

/* action pipe.Ingress.window.request, slots.p4:135 */
INLINE void in_request(struct ingress *s)
{
	s->md.fresh = in_sent_sent_raise(s, s->md.group); /* slots.p4:136 */
}

/* action pipe.Ingress.window.response, slots.p4:140 */
INLINE void in_response(struct ingress *s)
{
	s->md.fresh = in_sent_sent_covers(s, s->md.group); /* slots.p4:141 */
	s->md.credit0 = CREDIT_UNLIMITED; /* slots.p4:143 */
	s->md.credit1 = CREDIT_UNLIMITED; /* slots.p4:144 */
	s->md.credit2 = CREDIT_UNLIMITED; /* slots.p4:145 */
	s->md.credit3 = CREDIT_UNLIMITED; /* slots.p4:146 */
	s->md.credit4 = CREDIT_UNLIMITED; /* slots.p4:147 */
	s->md.credit5 = CREDIT_UNLIMITED; /* slots.p4:148 */
	s->md.credit6 = CREDIT_UNLIMITED; /* slots.p4:149 */
	s->md.credit7 = CREDIT_UNLIMITED; /* slots.p4:150 */
}

/* action pipe.Ingress.slots.slot0_update, slots.p4:174 */
INLINE void in_slot0_update(struct ingress *s)
{
	s->md.acked0 = in_slot0_slot0_raise(s, s->md.group); /* slots.p4:174 */
}

/* action pipe.Ingress.slots.slot0_query, slots.p4:174 */
INLINE void in_slot0_query(struct ingress *s)
{
	s->md.acked0 = in_slot0_slot0_holds(s, s->md.group); /* slots.p4:174 */
}

/* action pipe.Ingress.slots.slot0_expire, slots.p4:174 */
INLINE void in_slot0_expire(struct ingress *s)
{
	in_slot0_slot0_leave(s, s->md.group); /* slots.p4:174 */
}

/* action pipe.Ingress.slots.slot1_update, slots.p4:175 */
INLINE void in_slot1_update(struct ingress *s)
{
	s->md.acked1 = in_slot1_slot1_raise(s, s->md.group); /* slots.p4:175 */
}

/* action pipe.Ingress.slots.slot1_query, slots.p4:175 */
INLINE void in_slot1_query(struct ingress *s)
{
	s->md.acked1 = in_slot1_slot1_holds(s, s->md.group); /* slots.p4:175 */
}

/* action pipe.Ingress.slots.slot1_expire, slots.p4:175 */
INLINE void in_slot1_expire(struct ingress *s)
{
	in_slot1_slot1_leave(s, s->md.group); /* slots.p4:175 */
}

/* action pipe.Ingress.slots.slot2_update, slots.p4:176 */
INLINE void in_slot2_update(struct ingress *s)
{
	s->md.acked2 = in_slot2_slot2_raise(s, s->md.group); /* slots.p4:176 */
}

/* action pipe.Ingress.slots.slot2_query, slots.p4:176 */
INLINE void in_slot2_query(struct ingress *s)
{
	s->md.acked2 = in_slot2_slot2_holds(s, s->md.group); /* slots.p4:176 */
}

/* action pipe.Ingress.slots.slot2_expire, slots.p4:176 */
INLINE void in_slot2_expire(struct ingress *s)
{
	in_slot2_slot2_leave(s, s->md.group); /* slots.p4:176 */
}

/* action pipe.Ingress.slots.slot3_update, slots.p4:177 */
INLINE void in_slot3_update(struct ingress *s)
{
	s->md.acked3 = in_slot3_slot3_raise(s, s->md.group); /* slots.p4:177 */
}

/* action pipe.Ingress.slots.slot3_query, slots.p4:177 */
INLINE void in_slot3_query(struct ingress *s)
{
	s->md.acked3 = in_slot3_slot3_holds(s, s->md.group); /* slots.p4:177 */
}

/* action pipe.Ingress.slots.slot3_expire, slots.p4:177 */
INLINE void in_slot3_expire(struct ingress *s)
{
	in_slot3_slot3_leave(s, s->md.group); /* slots.p4:177 */
}

/* action pipe.Ingress.slots.slot4_update, slots.p4:178 */
INLINE void in_slot4_update(struct ingress *s)
{
	s->md.acked4 = in_slot4_slot4_raise(s, s->md.group); /* slots.p4:178 */
}

/* action pipe.Ingress.slots.slot4_query, slots.p4:178 */
INLINE void in_slot4_query(struct ingress *s)
{
	s->md.acked4 = in_slot4_slot4_holds(s, s->md.group); /* slots.p4:178 */
}

/* action pipe.Ingress.slots.slot4_expire, slots.p4:178 */
INLINE void in_slot4_expire(struct ingress *s)
{
	in_slot4_slot4_leave(s, s->md.group); /* slots.p4:178 */
}

/* action pipe.Ingress.slots.slot5_update, slots.p4:179 */
INLINE void in_slot5_update(struct ingress *s)
{
	s->md.acked5 = in_slot5_slot5_raise(s, s->md.group); /* slots.p4:179 */
}

/* action pipe.Ingress.slots.slot5_query, slots.p4:179 */
INLINE void in_slot5_query(struct ingress *s)
{
	s->md.acked5 = in_slot5_slot5_holds(s, s->md.group); /* slots.p4:179 */
}

/* action pipe.Ingress.slots.slot5_expire, slots.p4:179 */
INLINE void in_slot5_expire(struct ingress *s)
{
	in_slot5_slot5_leave(s, s->md.group); /* slots.p4:179 */
}

/* action pipe.Ingress.slots.slot6_update, slots.p4:180 */
INLINE void in_slot6_update(struct ingress *s)
{
	s->md.acked6 = in_slot6_slot6_raise(s, s->md.group); /* slots.p4:180 */
}

/* action pipe.Ingress.slots.slot6_query, slots.p4:180 */
INLINE void in_slot6_query(struct ingress *s)
{
	s->md.acked6 = in_slot6_slot6_holds(s, s->md.group); /* slots.p4:180 */
}

/* action pipe.Ingress.slots.slot6_expire, slots.p4:180 */
INLINE void in_slot6_expire(struct ingress *s)
{
	in_slot6_slot6_leave(s, s->md.group); /* slots.p4:180 */
}

/* action pipe.Ingress.slots.slot7_update, slots.p4:181 */
INLINE void in_slot7_update(struct ingress *s)
{
	s->md.acked7 = in_slot7_slot7_raise(s, s->md.group); /* slots.p4:181 */
}

/* action pipe.Ingress.slots.slot7_query, slots.p4:181 */
INLINE void in_slot7_query(struct ingress *s)
{
	s->md.acked7 = in_slot7_slot7_holds(s, s->md.group); /* slots.p4:181 */
}

/* action pipe.Ingress.slots.slot7_expire, slots.p4:181 */
INLINE void in_slot7_expire(struct ingress *s)
{
	in_slot7_slot7_leave(s, s->md.group); /* slots.p4:181 */
}

/* action pipe.Ingress.scatter.in_region, scatter.p4:48 */
INLINE void in_in_region(struct ingress *s, u16 p_multicast_group, u32 p_minus_end)
{
	s->md.multicast_group = p_multicast_group; /* scatter.p4:49 */
	s->md.start_over = 0; /* scatter.p4:50 */
	s->md.end_left = (u32)(s->md.end + p_minus_end); /* scatter.p4:51 */
}

/* action pipe.Ingress.scatter.allowed, scatter.p4:32 */
INLINE void in_allowed(struct ingress *s)
{
	aside();
}

/* action pipe.Ingress.scatter.remote_access, scatter.p4:36 */
INLINE void in_remote_access(struct ingress *s)
{
	aside();
	s->md.reason = REASON_REMOTE_ACCESS; /* scatter.p4:37 */
}

/* action pipe.Ingress.scatter.not_from_home, scatter.p4:42 */
INLINE void in_not_from_home(struct ingress *s)
{
	aside();
	s->md.drop = DROP_RELAY_ACCESS; /* scatter.p4:43 */
}

/* action pipe.Ingress.answers.gather.slot_heard, gather.p4:101 */
INLINE void in_slot_heard(struct ingress *s)
{
	aside();
	s->md.heard = 1; /* gather.p4:102 */
}

/* action pipe.Ingress.answers.gather.quorum_reached, gather.p4:135 */
INLINE void in_quorum_reached(struct ingress *s)
{
	aside();
	s->md.quorum = 1; /* gather.p4:136 */
}

/* action pipe.Ingress.answers.gather.commit, gather.p4:188 */
INLINE void in_commit(struct ingress *s)
{
	s->md.news = in_committed_committed_raise(s, s->md.group); /* gather.p4:189 */
}

/* action pipe.Ingress.answers.gather.commit_look, gather.p4:194 */
INLINE void in_commit_look(struct ingress *s)
{
	s->md.committed = in_committed_committed_raise_get(s, s->md.group); /* gather.p4:195 */
}

/* action pipe.Ingress.answers.gather.look, gather.p4:200 */
INLINE void in_look(struct ingress *s)
{
	s->md.committed = in_committed_committed_get(s, s->md.group); /* gather.p4:201 */
}

/* action pipe.Ingress.answers.gather.credit0_update, gather.p4:91 */
INLINE void in_credit0_update(struct ingress *s)
{
	s->md.again0 = in_credit0_credit0_set(s, s->md.group); /* gather.p4:91 */
	s->md.credit0 = in_hdr_aeth_syndrome(s); /* gather.p4:91 */
}

/* action pipe.Ingress.answers.gather.credit0_query, gather.p4:91 */
INLINE void in_credit0_query(struct ingress *s)
{
	s->md.credit0 = in_credit0_credit0_get(s, s->md.group); /* gather.p4:91 */
}

/* action pipe.Ingress.answers.gather.credit0_note, gather.p4:91 */
INLINE void in_credit0_note(struct ingress *s)
{
	in_credit0_credit0_spoke(s, s->md.group); /* gather.p4:91 */
}

/* action pipe.Ingress.answers.gather.credit1_update, gather.p4:92 */
INLINE void in_credit1_update(struct ingress *s)
{
	s->md.again1 = in_credit1_credit1_set(s, s->md.group); /* gather.p4:92 */
	s->md.credit1 = in_hdr_aeth_syndrome(s); /* gather.p4:92 */
}

/* action pipe.Ingress.answers.gather.credit1_query, gather.p4:92 */
INLINE void in_credit1_query(struct ingress *s)
{
	s->md.credit1 = in_credit1_credit1_get(s, s->md.group); /* gather.p4:92 */
}

/* action pipe.Ingress.answers.gather.credit1_note, gather.p4:92 */
INLINE void in_credit1_note(struct ingress *s)
{
	in_credit1_credit1_spoke(s, s->md.group); /* gather.p4:92 */
}

/* action pipe.Ingress.answers.gather.credit2_update, gather.p4:93 */
INLINE void in_credit2_update(struct ingress *s)
{
	s->md.again2 = in_credit2_credit2_set(s, s->md.group); /* gather.p4:93 */
	s->md.credit2 = in_hdr_aeth_syndrome(s); /* gather.p4:93 */
}

/* action pipe.Ingress.answers.gather.credit2_query, gather.p4:93 */
INLINE void in_credit2_query(struct ingress *s)
{
	s->md.credit2 = in_credit2_credit2_get(s, s->md.group); /* gather.p4:93 */
}

/* action pipe.Ingress.answers.gather.credit2_note, gather.p4:93 */
INLINE void in_credit2_note(struct ingress *s)
{
	in_credit2_credit2_spoke(s, s->md.group); /* gather.p4:93 */
}

/* action pipe.Ingress.answers.gather.credit3_update, gather.p4:94 */
INLINE void in_credit3_update(struct ingress *s)
{
	s->md.again3 = in_credit3_credit3_set(s, s->md.group); /* gather.p4:94 */
	s->md.credit3 = in_hdr_aeth_syndrome(s); /* gather.p4:94 */
}

/* action pipe.Ingress.answers.gather.credit3_query, gather.p4:94 */
INLINE void in_credit3_query(struct ingress *s)
{
	s->md.credit3 = in_credit3_credit3_get(s, s->md.group); /* gather.p4:94 */
}

/* action pipe.Ingress.answers.gather.credit3_note, gather.p4:94 */
INLINE void in_credit3_note(struct ingress *s)
{
	in_credit3_credit3_spoke(s, s->md.group); /* gather.p4:94 */
}

/* action pipe.Ingress.answers.gather.credit4_update, gather.p4:95 */
INLINE void in_credit4_update(struct ingress *s)
{
	s->md.again4 = in_credit4_credit4_set(s, s->md.group); /* gather.p4:95 */
	s->md.credit4 = in_hdr_aeth_syndrome(s); /* gather.p4:95 */
}

/* action pipe.Ingress.answers.gather.credit4_query, gather.p4:95 */
INLINE void in_credit4_query(struct ingress *s)
{
	s->md.credit4 = in_credit4_credit4_get(s, s->md.group); /* gather.p4:95 */
}

/* action pipe.Ingress.answers.gather.credit4_note, gather.p4:95 */
INLINE void in_credit4_note(struct ingress *s)
{
	in_credit4_credit4_spoke(s, s->md.group); /* gather.p4:95 */
}

/* action pipe.Ingress.answers.gather.credit5_update, gather.p4:96 */
INLINE void in_credit5_update(struct ingress *s)
{
	s->md.again5 = in_credit5_credit5_set(s, s->md.group); /* gather.p4:96 */
	s->md.credit5 = in_hdr_aeth_syndrome(s); /* gather.p4:96 */
}

/* action pipe.Ingress.answers.gather.credit5_query, gather.p4:96 */
INLINE void in_credit5_query(struct ingress *s)
{
	s->md.credit5 = in_credit5_credit5_get(s, s->md.group); /* gather.p4:96 */
}

/* action pipe.Ingress.answers.gather.credit5_note, gather.p4:96 */
INLINE void in_credit5_note(struct ingress *s)
{
	in_credit5_credit5_spoke(s, s->md.group); /* gather.p4:96 */
}

/* action pipe.Ingress.answers.gather.credit6_update, gather.p4:97 */
INLINE void in_credit6_update(struct ingress *s)
{
	s->md.again6 = in_credit6_credit6_set(s, s->md.group); /* gather.p4:97 */
	s->md.credit6 = in_hdr_aeth_syndrome(s); /* gather.p4:97 */
}

/* action pipe.Ingress.answers.gather.credit6_query, gather.p4:97 */
INLINE void in_credit6_query(struct ingress *s)
{
	s->md.credit6 = in_credit6_credit6_get(s, s->md.group); /* gather.p4:97 */
}

/* action pipe.Ingress.answers.gather.credit6_note, gather.p4:97 */
INLINE void in_credit6_note(struct ingress *s)
{
	in_credit6_credit6_spoke(s, s->md.group); /* gather.p4:97 */
}

/* action pipe.Ingress.answers.gather.credit7_update, gather.p4:98 */
INLINE void in_credit7_update(struct ingress *s)
{
	s->md.again7 = in_credit7_credit7_set(s, s->md.group); /* gather.p4:98 */
	s->md.credit7 = in_hdr_aeth_syndrome(s); /* gather.p4:98 */
}

/* action pipe.Ingress.answers.gather.credit7_query, gather.p4:98 */
INLINE void in_credit7_query(struct ingress *s)
{
	s->md.credit7 = in_credit7_credit7_get(s, s->md.group); /* gather.p4:98 */
}

/* action pipe.Ingress.answers.gather.credit7_note, gather.p4:98 */
INLINE void in_credit7_note(struct ingress *s)
{
	in_credit7_credit7_spoke(s, s->md.group); /* gather.p4:98 */
}

/* action pipe.Ingress.answers.gather.answer_ack, gather.p4:222 */
INLINE void in_answer_ack(struct ingress *s)
{
	COUNT(c_by_group, 4096, 4096, s->md.group, answered, s->length); /* gather.p4:223 */
}

/* action pipe.Ingress.answers.gather.answer_nak, gather.p4:227 */
INLINE void in_answer_nak(struct ingress *s)
{
	COUNT(c_by_group, 4096, 4096, s->md.group, answered, s->length); /* gather.p4:228 */
}

/* action pipe.Ingress.answers.gather.absorb, gather.p4:232 */
INLINE void in_absorb(struct ingress *s)
{
	aside();
	s->ig_dprsr_md.drop_ctl = 1; /* gather.p4:233 */
}

/* action pipe.Ingress.answers.cnp.interval, cnp.p4:37 */
INLINE void in_interval(struct ingress *s, u32 p_units)
{
	s->md.interval = p_units; /* cnp.p4:38 */
}

/* table pipe.Ingress.ports.port_group, ports.p4:28 */
INLINE u32 in_port_group_apply(struct ingress *s)
{
	u32 key = s->ig_intr_md.ingress_port; /* ports.p4:29 */
	union value_port_group *value = lookup_port_group(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_own_port_group(s);
		return a_port_group_own_port_group;
	}
	u32 action = value->action - !!hit;
	switch (action) {
		case a_port_group_set_port_group:
			in_set_port_group(s, value->set_port_group.port_group);
			break;
		case a_port_group_own_port_group:
			in_own_port_group(s);
			break;
	}
	return hit | action;
}

/* table pipe.Ingress.group.qp, group.p4:102 */
INLINE u32 in_qp_apply(struct ingress *s)
{
	struct key_qp key __attribute__((aligned(8))); /* group.p4:104 */
	((u64 *)&key)[0] = IN_WORD(u64, in_hdr_ipv4_src(s), 0, 4) | IN_WORD(u64, in_hdr_ipv4_dst(s), 4, 4);
	((u64 *)&key)[1] = IN_WORD(u64, in_hdr_bth_dst_qp(s), 0, 4) | IN_WORD(u64, s->md.port_group, 4, 2);
	union value_qp *value = lookup_qp(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_qp_NoAction;
	}
	switch (value->action) {
		case a_qp_scatter:
			in_scatter(s, value->scatter.group, value->scatter.multicast_group, value->scatter.rkey, value->scatter.region_mask, value->scatter.members);
			break;
		case a_qp_gather:
			in_gather(s, value->gather.group, value->gather.slot, value->gather.delta, value->gather.members, value->gather.f, value->gather.leader_port, value->gather.icrc);
			break;
		case a_qp_relay:
			in_relay(s, value->relay.group, value->relay.multicast_group, value->relay.rkey, value->relay.region_mask);
			break;
		case a_qp_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.group.classify, group.p4:191 */
INLINE u32 in_classify_apply(struct ingress *s)
{
	if (s->md.role == ROLE_SCATTER && (in_hdr_bth_opcode(s) & 0xfc) == 0) { /* group.p4:202 */
		in_copy(s);
		return HIT | a_classify_copy;
	}
	if (s->md.role == ROLE_SCATTER && in_hdr_bth_opcode(s) == RC_SEND_ONLY) { /* group.p4:203 */
		in_copy(s);
		return HIT | a_classify_copy;
	}
	if (s->md.role == ROLE_SCATTER && in_hdr_bth_opcode(s) == RC_SEND_ONLY_IMM) { /* group.p4:204 */
		in_copy(s);
		return HIT | a_classify_copy;
	}
	if (s->md.role == ROLE_SCATTER && in_hdr_bth_opcode(s) == RC_WRITE_FIRST) { /* group.p4:205 */
		in_write(s);
		return HIT | a_classify_write;
	}
	if (s->md.role == ROLE_SCATTER && in_hdr_bth_opcode(s) == RC_WRITE_MIDDLE) { /* group.p4:206 */
		in_copy(s);
		return HIT | a_classify_copy;
	}
	if (s->md.role == ROLE_SCATTER && in_hdr_bth_opcode(s) == RC_WRITE_LAST) { /* group.p4:207 */
		in_copy(s);
		return HIT | a_classify_copy;
	}
	if (s->md.role == ROLE_SCATTER && in_hdr_bth_opcode(s) == RC_WRITE_LAST_IMM) { /* group.p4:208 */
		in_copy(s);
		return HIT | a_classify_copy;
	}
	if (s->md.role == ROLE_SCATTER && in_hdr_bth_opcode(s) == RC_WRITE_ONLY) { /* group.p4:209 */
		in_write(s);
		return HIT | a_classify_write;
	}
	if (s->md.role == ROLE_SCATTER && in_hdr_bth_opcode(s) == RC_WRITE_ONLY_IMM) { /* group.p4:210 */
		in_write(s);
		return HIT | a_classify_write;
	}
	if (s->md.role == ROLE_SCATTER && in_hdr_bth_opcode(s) == RC_READ_REQUEST) { /* group.p4:211 */
		in_invalid_request(s);
		return HIT | a_classify_invalid_request;
	}
	if (s->md.role == ROLE_SCATTER && in_hdr_bth_opcode(s) == RC_COMPARE_SWAP) { /* group.p4:212 */
		in_invalid_request(s);
		return HIT | a_classify_invalid_request;
	}
	if (s->md.role == ROLE_SCATTER && in_hdr_bth_opcode(s) == RC_FETCH_ADD) { /* group.p4:213 */
		in_invalid_request(s);
		return HIT | a_classify_invalid_request;
	}
	if (s->md.role == ROLE_RELAY && (in_hdr_ipv4_ttl(s) & 0xfe) == 0) { /* group.p4:214 */
		in_relay_ttl(s);
		return HIT | a_classify_relay_ttl;
	}
	if (s->md.role == ROLE_RELAY && (in_hdr_bth_opcode(s) & 0xfc) == 0) { /* group.p4:215 */
		in_relay_copy(s);
		return HIT | a_classify_relay_copy;
	}
	if (s->md.role == ROLE_RELAY && in_hdr_bth_opcode(s) == RC_SEND_ONLY) { /* group.p4:216 */
		in_relay_copy(s);
		return HIT | a_classify_relay_copy;
	}
	if (s->md.role == ROLE_RELAY && in_hdr_bth_opcode(s) == RC_SEND_ONLY_IMM) { /* group.p4:217 */
		in_relay_copy(s);
		return HIT | a_classify_relay_copy;
	}
	if (s->md.role == ROLE_RELAY && in_hdr_bth_opcode(s) == RC_WRITE_FIRST) { /* group.p4:218 */
		in_relay_write(s);
		return HIT | a_classify_relay_write;
	}
	if (s->md.role == ROLE_RELAY && in_hdr_bth_opcode(s) == RC_WRITE_MIDDLE) { /* group.p4:219 */
		in_relay_copy(s);
		return HIT | a_classify_relay_copy;
	}
	if (s->md.role == ROLE_RELAY && in_hdr_bth_opcode(s) == RC_WRITE_LAST) { /* group.p4:220 */
		in_relay_copy(s);
		return HIT | a_classify_relay_copy;
	}
	if (s->md.role == ROLE_RELAY && in_hdr_bth_opcode(s) == RC_WRITE_LAST_IMM) { /* group.p4:221 */
		in_relay_copy(s);
		return HIT | a_classify_relay_copy;
	}
	if (s->md.role == ROLE_RELAY && in_hdr_bth_opcode(s) == RC_WRITE_ONLY) { /* group.p4:222 */
		in_relay_write(s);
		return HIT | a_classify_relay_write;
	}
	if (s->md.role == ROLE_RELAY && in_hdr_bth_opcode(s) == RC_WRITE_ONLY_IMM) { /* group.p4:223 */
		in_relay_write(s);
		return HIT | a_classify_relay_write;
	}
	if (s->md.role == ROLE_GATHER && in_hdr_bth_opcode(s) == RC_ACK && s->md.intact == 0) { /* group.p4:224 */
		in_damaged(s);
		return HIT | a_classify_damaged;
	}
	if (s->md.role == ROLE_GATHER && in_hdr_bth_opcode(s) == CNP && s->md.intact == 0) { /* group.p4:225 */
		in_damaged(s);
		return HIT | a_classify_damaged;
	}
	if (s->md.role == ROLE_GATHER && in_hdr_bth_opcode(s) == RC_ACK && (in_hdr_aeth_syndrome(s) >> 5) == 0) { /* group.p4:226 */
		in_ack(s);
		return HIT | a_classify_ack;
	}
	if (s->md.role == ROLE_GATHER && in_hdr_bth_opcode(s) == RC_ACK && (in_hdr_aeth_syndrome(s) >> 5) == 1) { /* group.p4:227 */
		in_nak(s);
		return HIT | a_classify_nak;
	}
	if (s->md.role == ROLE_GATHER && in_hdr_bth_opcode(s) == RC_ACK && (in_hdr_aeth_syndrome(s) >> 5) == 3) { /* group.p4:228 */
		in_nak(s);
		return HIT | a_classify_nak;
	}
	if (s->md.role == ROLE_GATHER && in_hdr_bth_opcode(s) == RC_ACK) { /* group.p4:229 */
		in_bad_syndrome(s);
		return HIT | a_classify_bad_syndrome;
	}
	if (s->md.role == ROLE_GATHER && in_hdr_bth_opcode(s) == CNP) { /* group.p4:230 */
		in_cnp(s);
		return HIT | a_classify_cnp;
	}
	in_bad_opcode(s);
	return a_classify_bad_opcode;
}

/* table pipe.Ingress.forward.may_send, forward.p4:59 */
INLINE u32 in_may_send_apply(struct ingress *s)
{
	u32 key = s->ig_intr_md.ingress_port; /* forward.p4:60 */
	union value_may_send *value = lookup_may_send(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		value = default_may_send();
		if (!value)
			return 0;
	}
	u32 action = value->action - !!hit;
	switch (action) {
		case a_may_send_sends:
			in_sends(s, value->sends.refused, value->sends.host);
			break;
	}
	return hit | action;
}

/* table pipe.Ingress.forward.own_mac, forward.p4:87 */
INLINE u32 in_own_mac_apply(struct ingress *s)
{
	struct key_own_mac key __attribute__((aligned(8))); /* forward.p4:88 */
	((u64 *)&key)[0] = IN_WORD(u64, in_hdr_ethernet_src(s), 0, 8);
	union value_own_mac *value = lookup_own_mac(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		value = default_own_mac();
		if (!value)
			return 0;
	}
	switch (value->action) {
		case a_own_mac_pretended:
			in_pretended(s);
			break;
		case a_own_mac_mac_at:
			in_mac_at(s, value->mac_at.port_group);
			break;
		case a_own_mac_mac_beyond:
			in_mac_beyond(s);
			break;
		case a_own_mac_mac_stranger:
			in_mac_stranger(s);
			break;
		case a_own_mac_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.forward.own_ip, forward.p4:115 */
INLINE u32 in_own_ip_apply(struct ingress *s)
{
	struct key_own_ip key __attribute__((aligned(8))); /* forward.p4:116 */
	((u32 *)&key)[0] = IN_WORD(u32, s->md.sender, 0, 4);
	union value_own_ip *value = lookup_own_ip(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		value = default_own_ip();
		if (!value)
			return 0;
	}
	switch (value->action) {
		case a_own_ip_pretended:
			in_pretended(s);
			break;
		case a_own_ip_ip_at:
			in_ip_at(s, value->ip_at.port_group);
			break;
		case a_own_ip_ip_beyond:
			in_ip_beyond(s);
			break;
		case a_own_ip_ip_anyone:
			in_ip_anyone(s);
			break;
		case a_own_ip_ip_stranger:
			in_ip_stranger(s);
			break;
		case a_own_ip_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.forward.switch_ip, forward.p4:128 */
INLINE u32 in_switch_ip_apply(struct ingress *s)
{
	struct key_switch_ip key __attribute__((aligned(8))); /* forward.p4:129 */
	((u32 *)&key)[0] = IN_WORD(u32, in_hdr_ipv4_dst(s), 0, 4);
	union value_switch_ip *value = lookup_switch_ip(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_switch_ip_NoAction;
	}
	switch (value->action) {
		case a_switch_ip_to_switch:
			in_to_switch(s);
			break;
		case a_switch_ip_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.forward.l2, forward.p4:151 */
INLINE u32 in_l2_apply(struct ingress *s)
{
	struct key_l2 key __attribute__((aligned(8))); /* forward.p4:152 */
	((u64 *)&key)[0] = IN_WORD(u64, in_hdr_ethernet_dst(s), 0, 8);
	union value_l2 *value = lookup_l2(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_unknown(s);
		return a_l2_unknown;
	}
	switch (value->action) {
		case a_l2_forward:
			in_forward(s, value->forward.port);
			break;
		case a_l2_router:
			in_router(s);
			break;
		case a_l2_unknown:
			in_unknown(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.forward.l3, forward.p4:189 */
INLINE u32 in_l3_apply(struct ingress *s)
{
	struct key_l3 key = { .prefix = 32 };
	put32(key.hdr_ipv4_dst, in_hdr_ipv4_dst(s)); /* forward.p4:190 */
	union value_l3 *value = lookup_l3(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_no_route(s);
		return a_l3_no_route;
	}
	switch (value->action) {
		case a_l3_route:
			in_route(s, value->route.port, value->route.src_mac, value->route.dst_mac);
			break;
		case a_l3_spread:
			in_spread(s, value->spread.set);
			break;
		case a_l3_no_route:
			in_no_route(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.forward.paths, forward.p4:180 */
INLINE u32 in_paths_apply(struct ingress *s)
{
	u32 key = (u32)s->md.paths << 6 | (u32)s->md.flow; /* forward.p4:181 */
	union value_paths *value = lookup_paths(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_no_route(s);
		return a_paths_no_route;
	}
	u32 action = value->action - !!hit;
	switch (action) {
		case a_paths_route:
			in_route(s, value->route.port, value->route.src_mac, value->route.dst_mac);
			break;
		case a_paths_no_route:
			in_no_route(s);
			break;
	}
	return hit | action;
}

/* table pipe.Ingress.window.window, slots.p4:154 */
INLINE u32 in_window_apply(struct ingress *s)
{
	if (s->md.class == CLASS_COPY) { /* slots.p4:159 */
		in_request(s);
		return HIT | a_window_request;
	}
	if (s->md.class == CLASS_WRITE) { /* slots.p4:160 */
		in_request(s);
		return HIT | a_window_request;
	}
	if (s->md.class == CLASS_ACK) { /* slots.p4:161 */
		in_response(s);
		return HIT | a_window_response;
	}
	if (s->md.class == CLASS_NAK) { /* slots.p4:162 */
		in_response(s);
		return HIT | a_window_response;
	}
	in_NoAction(s);
	return a_window_NoAction;
}

/* table pipe.Ingress.slots.held0, slots.p4:174 */
INLINE u32 in_held0_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 0) { /* slots.p4:174 */
		if (phase & P4_UPDATES)
			in_slot0_update(s);
		return HIT | a_held0_slot0_update;
	}
	if (s->md.slot == SLOT_LEADER) { /* slots.p4:174 */
		if (phase & P4_QUERIES)
			in_slot0_expire(s);
		return HIT | a_held0_slot0_expire;
	}
	if (phase & P4_QUERIES)
		in_slot0_query(s);
	return HIT | a_held0_slot0_query;
}

/* table pipe.Ingress.slots.held1, slots.p4:175 */
INLINE u32 in_held1_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 1) { /* slots.p4:175 */
		if (phase & P4_UPDATES)
			in_slot1_update(s);
		return HIT | a_held1_slot1_update;
	}
	if (s->md.slot == SLOT_LEADER) { /* slots.p4:175 */
		if (phase & P4_QUERIES)
			in_slot1_expire(s);
		return HIT | a_held1_slot1_expire;
	}
	if (phase & P4_QUERIES)
		in_slot1_query(s);
	return HIT | a_held1_slot1_query;
}

/* table pipe.Ingress.slots.held2, slots.p4:176 */
INLINE u32 in_held2_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 2) { /* slots.p4:176 */
		if (phase & P4_UPDATES)
			in_slot2_update(s);
		return HIT | a_held2_slot2_update;
	}
	if (s->md.slot == SLOT_LEADER) { /* slots.p4:176 */
		if (phase & P4_QUERIES)
			in_slot2_expire(s);
		return HIT | a_held2_slot2_expire;
	}
	if (phase & P4_QUERIES)
		in_slot2_query(s);
	return HIT | a_held2_slot2_query;
}

/* table pipe.Ingress.slots.held3, slots.p4:177 */
INLINE u32 in_held3_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 3) { /* slots.p4:177 */
		if (phase & P4_UPDATES)
			in_slot3_update(s);
		return HIT | a_held3_slot3_update;
	}
	if (s->md.slot == SLOT_LEADER) { /* slots.p4:177 */
		if (phase & P4_QUERIES)
			in_slot3_expire(s);
		return HIT | a_held3_slot3_expire;
	}
	if (phase & P4_QUERIES)
		in_slot3_query(s);
	return HIT | a_held3_slot3_query;
}

/* table pipe.Ingress.slots.held4, slots.p4:178 */
INLINE u32 in_held4_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 4) { /* slots.p4:178 */
		if (phase & P4_UPDATES)
			in_slot4_update(s);
		return HIT | a_held4_slot4_update;
	}
	if (s->md.slot == SLOT_LEADER) { /* slots.p4:178 */
		if (phase & P4_QUERIES)
			in_slot4_expire(s);
		return HIT | a_held4_slot4_expire;
	}
	if (phase & P4_QUERIES)
		in_slot4_query(s);
	return HIT | a_held4_slot4_query;
}

/* table pipe.Ingress.slots.held5, slots.p4:179 */
INLINE u32 in_held5_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 5) { /* slots.p4:179 */
		if (phase & P4_UPDATES)
			in_slot5_update(s);
		return HIT | a_held5_slot5_update;
	}
	if (s->md.slot == SLOT_LEADER) { /* slots.p4:179 */
		if (phase & P4_QUERIES)
			in_slot5_expire(s);
		return HIT | a_held5_slot5_expire;
	}
	if (phase & P4_QUERIES)
		in_slot5_query(s);
	return HIT | a_held5_slot5_query;
}

/* table pipe.Ingress.slots.held6, slots.p4:180 */
INLINE u32 in_held6_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 6) { /* slots.p4:180 */
		if (phase & P4_UPDATES)
			in_slot6_update(s);
		return HIT | a_held6_slot6_update;
	}
	if (s->md.slot == SLOT_LEADER) { /* slots.p4:180 */
		if (phase & P4_QUERIES)
			in_slot6_expire(s);
		return HIT | a_held6_slot6_expire;
	}
	if (phase & P4_QUERIES)
		in_slot6_query(s);
	return HIT | a_held6_slot6_query;
}

/* table pipe.Ingress.slots.held7, slots.p4:181 */
INLINE u32 in_held7_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 7) { /* slots.p4:181 */
		if (phase & P4_UPDATES)
			in_slot7_update(s);
		return HIT | a_held7_slot7_update;
	}
	if (s->md.slot == SLOT_LEADER) { /* slots.p4:181 */
		if (phase & P4_QUERIES)
			in_slot7_expire(s);
		return HIT | a_held7_slot7_expire;
	}
	if (phase & P4_QUERIES)
		in_slot7_query(s);
	return HIT | a_held7_slot7_query;
}

/* table pipe.Ingress.scatter.region, scatter.p4:55 */
INLINE u32 in_region_apply(struct ingress *s)
{
	struct key_region key = { .prefix = 64 };
	put16(key.group, s->md.group); /* scatter.p4:57 */
	put32(key.va, (u32)in_hdr_reth_va(s)); /* scatter.p4:58 */
	union value_region *value = lookup_region(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_region_NoAction;
	}
	switch (value->action) {
		case a_region_in_region:
			in_in_region(s, value->in_region.multicast_group, value->in_region.minus_end);
			break;
		case a_region_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.scatter.check, scatter.p4:70 */
INLINE u32 in_check_apply(struct ingress *s)
{
	if (s->md.key_diff == 0 && (u32)(in_hdr_reth_va(s) >> 32) == 0 && s->md.start_over == 0 && (s->md.end_left & 0x80000000) == 0x80000000 && (in_hdr_reth_length(s) & 0x80000000) == 0) { /* scatter.p4:82 */
		in_allowed(s);
		return HIT | a_check_allowed;
	}
	if (s->md.key_diff == 0 && (u32)(in_hdr_reth_va(s) >> 32) == 0 && s->md.start_over == 0 && s->md.end_left == 0) { /* scatter.p4:83 */
		in_allowed(s);
		return HIT | a_check_allowed;
	}
	if (s->md.class == CLASS_RELAY_WRITE) { /* scatter.p4:84 */
		in_not_from_home(s);
		return HIT | a_check_not_from_home;
	}
	in_remote_access(s);
	return a_check_remote_access;
}

/* table pipe.Ingress.answers.gather.heard, gather.p4:107 */
INLINE u32 in_heard_apply(struct ingress *s)
{
	u32 key = (u32)((u8)s->md.slot & 7) << 8 | (s->md.bits_of_fresh >> 11 & 0xff); /* gather.p4:109 */
	switch (lookup_heard(opaque(s->length, key))) {
		case e_heard_slot_heard: /* gather.p4:122 */
			in_slot_heard(s);
			return HIT | a_heard_slot_heard;
	}
	in_NoAction(s);
	return a_heard_NoAction;
}

/* table pipe.Ingress.answers.gather.quorum, gather.p4:140 */
INLINE u32 in_quorum_apply(struct ingress *s)
{
	u32 key = (u32)s->md.f << 8 | (s->md.bits_of_fresh >> 11 & 0xff); /* gather.p4:142 */
	switch (lookup_quorum(opaque(s->length, key))) {
		case e_quorum_quorum_reached: /* quorum_entries.p4:3 */
			in_quorum_reached(s);
			return HIT | a_quorum_quorum_reached;
	}
	in_NoAction(s);
	return a_quorum_NoAction;
}

/* table pipe.Ingress.answers.gather.commits, gather.p4:205 */
INLINE u32 in_commits_apply(struct ingress *s)
{
	if (s->md.class == CLASS_ACK && (s->md.bits_of_fresh & 0x600) == 0x600) { /* gather.p4:214 */
		in_commit(s);
		return HIT | a_commits_commit;
	}
	if (s->md.class == CLASS_NAK && (s->md.bits_of_fresh & 0x600) == 0x600) { /* gather.p4:215 */
		in_commit_look(s);
		return HIT | a_commits_commit_look;
	}
	if (s->md.class == CLASS_NAK && (s->md.bits_of_fresh & 0x600) == 0x400) { /* gather.p4:216 */
		in_look(s);
		return HIT | a_commits_look;
	}
	in_NoAction(s);
	return a_commits_NoAction;
}

/* table pipe.Ingress.answers.gather.credits0, gather.p4:91 */
INLINE u32 in_credits0_apply(struct ingress *s)
{
	if (s->md.class == CLASS_ACK && s->md.slot == 0 && (s->md.bits_of_fresh & 0x40000) == 0x40000) { /* gather.p4:91 */
		in_credit0_update(s);
		return HIT | a_credits0_credit0_update;
	}
	if (s->md.class == CLASS_ACK) { /* gather.p4:91 */
		in_credit0_query(s);
		return HIT | a_credits0_credit0_query;
	}
	if (s->md.class == CLASS_NAK && s->md.slot == 0 && (s->md.bits_of_fresh & 0x40000) == 0x40000) { /* gather.p4:91 */
		in_credit0_note(s);
		return HIT | a_credits0_credit0_note;
	}
	in_NoAction(s);
	return a_credits0_NoAction;
}

/* table pipe.Ingress.answers.gather.credits1, gather.p4:92 */
INLINE u32 in_credits1_apply(struct ingress *s)
{
	if (s->md.class == CLASS_ACK && s->md.slot == 1 && (s->md.bits_of_fresh & 0x20000) == 0x20000) { /* gather.p4:92 */
		in_credit1_update(s);
		return HIT | a_credits1_credit1_update;
	}
	if (s->md.class == CLASS_ACK) { /* gather.p4:92 */
		in_credit1_query(s);
		return HIT | a_credits1_credit1_query;
	}
	if (s->md.class == CLASS_NAK && s->md.slot == 1 && (s->md.bits_of_fresh & 0x20000) == 0x20000) { /* gather.p4:92 */
		in_credit1_note(s);
		return HIT | a_credits1_credit1_note;
	}
	in_NoAction(s);
	return a_credits1_NoAction;
}

/* table pipe.Ingress.answers.gather.credits2, gather.p4:93 */
INLINE u32 in_credits2_apply(struct ingress *s)
{
	if (s->md.class == CLASS_ACK && s->md.slot == 2 && (s->md.bits_of_fresh & 0x10000) == 0x10000) { /* gather.p4:93 */
		in_credit2_update(s);
		return HIT | a_credits2_credit2_update;
	}
	if (s->md.class == CLASS_ACK) { /* gather.p4:93 */
		in_credit2_query(s);
		return HIT | a_credits2_credit2_query;
	}
	if (s->md.class == CLASS_NAK && s->md.slot == 2 && (s->md.bits_of_fresh & 0x10000) == 0x10000) { /* gather.p4:93 */
		in_credit2_note(s);
		return HIT | a_credits2_credit2_note;
	}
	in_NoAction(s);
	return a_credits2_NoAction;
}

/* table pipe.Ingress.answers.gather.credits3, gather.p4:94 */
INLINE u32 in_credits3_apply(struct ingress *s)
{
	if (s->md.class == CLASS_ACK && s->md.slot == 3 && (s->md.bits_of_fresh & 0x8000) == 0x8000) { /* gather.p4:94 */
		in_credit3_update(s);
		return HIT | a_credits3_credit3_update;
	}
	if (s->md.class == CLASS_ACK) { /* gather.p4:94 */
		in_credit3_query(s);
		return HIT | a_credits3_credit3_query;
	}
	if (s->md.class == CLASS_NAK && s->md.slot == 3 && (s->md.bits_of_fresh & 0x8000) == 0x8000) { /* gather.p4:94 */
		in_credit3_note(s);
		return HIT | a_credits3_credit3_note;
	}
	in_NoAction(s);
	return a_credits3_NoAction;
}

/* table pipe.Ingress.answers.gather.credits4, gather.p4:95 */
INLINE u32 in_credits4_apply(struct ingress *s)
{
	if (s->md.class == CLASS_ACK && s->md.slot == 4 && (s->md.bits_of_fresh & 0x4000) == 0x4000) { /* gather.p4:95 */
		in_credit4_update(s);
		return HIT | a_credits4_credit4_update;
	}
	if (s->md.class == CLASS_ACK) { /* gather.p4:95 */
		in_credit4_query(s);
		return HIT | a_credits4_credit4_query;
	}
	if (s->md.class == CLASS_NAK && s->md.slot == 4 && (s->md.bits_of_fresh & 0x4000) == 0x4000) { /* gather.p4:95 */
		in_credit4_note(s);
		return HIT | a_credits4_credit4_note;
	}
	in_NoAction(s);
	return a_credits4_NoAction;
}

/* table pipe.Ingress.answers.gather.credits5, gather.p4:96 */
INLINE u32 in_credits5_apply(struct ingress *s)
{
	if (s->md.class == CLASS_ACK && s->md.slot == 5 && (s->md.bits_of_fresh & 0x2000) == 0x2000) { /* gather.p4:96 */
		in_credit5_update(s);
		return HIT | a_credits5_credit5_update;
	}
	if (s->md.class == CLASS_ACK) { /* gather.p4:96 */
		in_credit5_query(s);
		return HIT | a_credits5_credit5_query;
	}
	if (s->md.class == CLASS_NAK && s->md.slot == 5 && (s->md.bits_of_fresh & 0x2000) == 0x2000) { /* gather.p4:96 */
		in_credit5_note(s);
		return HIT | a_credits5_credit5_note;
	}
	in_NoAction(s);
	return a_credits5_NoAction;
}

/* table pipe.Ingress.answers.gather.credits6, gather.p4:97 */
INLINE u32 in_credits6_apply(struct ingress *s)
{
	if (s->md.class == CLASS_ACK && s->md.slot == 6 && (s->md.bits_of_fresh & 0x1000) == 0x1000) { /* gather.p4:97 */
		in_credit6_update(s);
		return HIT | a_credits6_credit6_update;
	}
	if (s->md.class == CLASS_ACK) { /* gather.p4:97 */
		in_credit6_query(s);
		return HIT | a_credits6_credit6_query;
	}
	if (s->md.class == CLASS_NAK && s->md.slot == 6 && (s->md.bits_of_fresh & 0x1000) == 0x1000) { /* gather.p4:97 */
		in_credit6_note(s);
		return HIT | a_credits6_credit6_note;
	}
	in_NoAction(s);
	return a_credits6_NoAction;
}

/* table pipe.Ingress.answers.gather.credits7, gather.p4:98 */
INLINE u32 in_credits7_apply(struct ingress *s)
{
	if (s->md.class == CLASS_ACK && s->md.slot == 7 && (s->md.bits_of_fresh & 0x800) == 0x800) { /* gather.p4:98 */
		in_credit7_update(s);
		return HIT | a_credits7_credit7_update;
	}
	if (s->md.class == CLASS_ACK) { /* gather.p4:98 */
		in_credit7_query(s);
		return HIT | a_credits7_credit7_query;
	}
	if (s->md.class == CLASS_NAK && s->md.slot == 7 && (s->md.bits_of_fresh & 0x800) == 0x800) { /* gather.p4:98 */
		in_credit7_note(s);
		return HIT | a_credits7_credit7_note;
	}
	in_NoAction(s);
	return a_credits7_NoAction;
}

/* table pipe.Ingress.answers.gather.answer, gather.p4:237 */
INLINE u32 in_answer_apply(struct ingress *s)
{
	u32 key = (u32)s->md.class << 11 | (s->md.bits_of_fresh >> 0 & 0x7ff); /* gather.p4:239 */
	switch (lookup_answer(opaque(s->length, key))) {
		case e_answer_answer_ack: /* gather.p4:255 */
			in_answer_ack(s);
			return HIT | a_answer_answer_ack;
		case e_answer_answer_nak: /* gather.p4:264 */
			in_answer_nak(s);
			return HIT | a_answer_answer_nak;
	}
	in_absorb(s);
	return a_answer_absorb;
}

/* table pipe.Ingress.answers.cnp.cnp_interval, cnp.p4:42 */
INLINE u32 in_cnp_interval_apply(struct ingress *s)
{
	union value_cnp_interval *value = 0;
	u32 hit = value ? HIT : 0;
	if (!value) {
		value = default_cnp_interval();
		if (!value)
			return 0;
	}
	switch (value->action) {
		case a_cnp_interval_interval:
			in_interval(s, value->interval.units);
			break;
	}
	return hit | value->action;
}

/* Parser of the ingress: on an error, parser_error says which (TNA numbers). */
/* Returns the number of the state that it ended in, if that has code of its own. */
INLINE u32 in_parse(struct ingress *s, u8 *p, u8 *end)
{
	u64 sum_pipe_IngressParser_ipv4_checksum = 0, raw_pipe_IngressParser_ipv4_checksum = 0;
	/* state start, parser.p4:18 */
	s->md.checksum_error = 0; /* parser.p4:21 */
	s->md.routed = 0; /* parser.p4:21 */
	s->md.local = 0; /* parser.p4:21 */
	s->md.own = 0; /* parser.p4:21 */
	s->md.sender = 0; /* parser.p4:21 */
	s->md.family = 0; /* parser.p4:21 */
	s->md.refused = 0; /* parser.p4:21 */
	s->md.host_port = 0; /* parser.p4:21 */
	s->md.mac_elsewhere = 0; /* parser.p4:21 */
	s->md.ip_elsewhere = 0; /* parser.p4:21 */
	s->md.port_group = 0; /* parser.p4:21 */
	s->md.crc = 0; /* parser.p4:21 */
	s->md.intact = 0; /* parser.p4:21 */
	s->md.role = ROLE_NONE; /* parser.p4:21 */
	s->md.class = CLASS_NONE; /* parser.p4:21 */
	s->md.drop = DROP_NONE; /* parser.p4:21 */
	s->md.reason = REASON_NONE; /* parser.p4:21 */
	s->md.group = 0; /* parser.p4:21 */
	s->md.multicast_group = 0; /* parser.p4:21 */
	s->md.key_diff = 0; /* parser.p4:21 */
	s->md.region_mask = 0; /* parser.p4:21 */
	s->md.start_over = 0; /* parser.p4:21 */
	s->md.end = 0; /* parser.p4:21 */
	s->md.end_left = 0; /* parser.p4:21 */
	s->md.p = 0; /* parser.p4:21 */
	s->md.slot = 0; /* parser.p4:21 */
	s->md.members = 0; /* parser.p4:21 */
	s->md.f = 0; /* parser.p4:21 */
	s->md.edge = 0; /* parser.p4:21 */
	s->md.answer_drop = DROP_NONE; /* parser.p4:21 */
	s->md.fresh = 0; /* parser.p4:21 */
	s->md.acked0 = 0; /* parser.p4:21 */
	s->md.acked1 = 0; /* parser.p4:21 */
	s->md.acked2 = 0; /* parser.p4:21 */
	s->md.acked3 = 0; /* parser.p4:21 */
	s->md.acked4 = 0; /* parser.p4:21 */
	s->md.acked5 = 0; /* parser.p4:21 */
	s->md.acked6 = 0; /* parser.p4:21 */
	s->md.acked7 = 0; /* parser.p4:21 */
	s->md.heard = 0; /* parser.p4:21 */
	s->md.quorum = 0; /* parser.p4:21 */
	s->md.news = 0; /* parser.p4:21 */
	s->md.again0 = 0; /* parser.p4:21 */
	s->md.again1 = 0; /* parser.p4:21 */
	s->md.again2 = 0; /* parser.p4:21 */
	s->md.again3 = 0; /* parser.p4:21 */
	s->md.again4 = 0; /* parser.p4:21 */
	s->md.again5 = 0; /* parser.p4:21 */
	s->md.again6 = 0; /* parser.p4:21 */
	s->md.again7 = 0; /* parser.p4:21 */
	s->md.committed = 0; /* parser.p4:21 */
	s->md.code = 0; /* parser.p4:21 */
	s->md.credit0 = 0; /* parser.p4:21 */
	s->md.credit1 = 0; /* parser.p4:21 */
	s->md.credit2 = 0; /* parser.p4:21 */
	s->md.credit3 = 0; /* parser.p4:21 */
	s->md.credit4 = 0; /* parser.p4:21 */
	s->md.credit5 = 0; /* parser.p4:21 */
	s->md.credit6 = 0; /* parser.p4:21 */
	s->md.credit7 = 0; /* parser.p4:21 */
	s->md.now = 0; /* parser.p4:21 */
	s->md.interval = 0; /* parser.p4:21 */
	s->md.before = 0; /* parser.p4:21 */
	s->md.cnp_pass = 0; /* parser.p4:21 */
	s->md.paths = 0; /* parser.p4:21 */
	s->md.flow = 0; /* parser.p4:21 */
	s->md.flow_qp = 0; /* parser.p4:21 */
	{
		u16 key0 = s->ig_intr_md.ingress_port;
		if (key0 == PORT_CPU)
			goto state_parse_packet_out; /* parser.p4:28 */
		goto state_parse_ethernet; /* parser.p4:29 */
	}
state_parse_packet_out:;
	/* state parse_packet_out, parser.p4:33 */
	if (unlikely(p + 4 > end))
		{ aside(); goto partial; }; /* parser.p4:34 */
	s->valid |= IN_hdr_packet_out;
	p += 4;
	{ aside(); return 0; };
state_parse_ethernet:;
	/* state parse_ethernet, frames.p4:21 */
	if (unlikely(p + 14 > end))
		{ aside(); goto partial; }; /* frames.p4:22 */
	s->valid |= IN_hdr_ethernet;
	p += 14;
	{
		u16 key0 = in_hdr_ethernet_ether_type(s);
		if (key0 == ETHERTYPE_IPV4)
			goto state_peek_ipv4; /* frames.p4:24 */
		if (key0 == ETHERTYPE_ARP)
			goto state_peek_arp; /* frames.p4:25 */
		if (key0 == ETHERTYPE_IPV6)
			goto state_parse_ipv6; /* frames.p4:26 */
		if (key0 == ETHERTYPE_VLAN)
			goto state_parse_tag; /* frames.p4:27 */
		if (key0 == ETHERTYPE_SERVICE_VLAN)
			goto state_parse_tag; /* frames.p4:28 */
		if ((key0 & 0xfc00) == 0)
			goto state_peek_llc; /* frames.p4:29 */
		if ((key0 & 0xfe00) == 0x400)
			goto state_peek_llc; /* frames.p4:30 */
		goto state_other; /* frames.p4:31 */
	}
state_parse_tag:;
	/* state parse_tag, frames.p4:35 */
	if (unlikely(p + 4 > end))
		{ aside(); goto partial; }; /* frames.p4:36 */
	s->valid |= IN_hdr_vlan;
	p += 4;
	{
		u16 key0 = in_hdr_vlan_vid(s);
		u16 key1 = in_hdr_vlan_ether_type(s);
		if (key0 == 0 && key1 == ETHERTYPE_ARP)
			goto state_wrapped; /* frames.p4:38 */
		if (key0 == 0 && key1 == ETHERTYPE_VLAN)
			goto state_wrapped; /* frames.p4:39 */
		if (key0 == 0 && key1 == ETHERTYPE_SERVICE_VLAN)
			goto state_wrapped; /* frames.p4:40 */
		if (key1 == ETHERTYPE_IPV4)
			goto state_peek_source; /* frames.p4:41 */
		if (key1 == ETHERTYPE_ARP)
			goto state_peek_arp; /* frames.p4:42 */
		if (key1 == ETHERTYPE_IPV6)
			goto state_parse_ipv6; /* frames.p4:43 */
		if (key1 == ETHERTYPE_VLAN)
			goto state_parse_inner_tag; /* frames.p4:44 */
		if (key1 == ETHERTYPE_SERVICE_VLAN)
			goto state_parse_inner_tag; /* frames.p4:45 */
		if ((key1 & 0xfc00) == 0)
			goto state_peek_llc; /* frames.p4:46 */
		if ((key1 & 0xfe00) == 0x400)
			goto state_peek_llc; /* frames.p4:47 */
		goto state_other; /* frames.p4:48 */
	}
state_parse_inner_tag:;
	/* state parse_inner_tag, frames.p4:52 */
	if (unlikely(p + 4 > end))
		{ aside(); goto partial; }; /* frames.p4:53 */
	s->valid |= IN_hdr_inner_vlan;
	p += 4;
	{
		u16 key0 = in_hdr_inner_vlan_vid(s);
		u16 key1 = in_hdr_inner_vlan_ether_type(s);
		if (key0 == 0 && key1 == ETHERTYPE_ARP)
			goto state_wrapped; /* frames.p4:55 */
		if (key1 == ETHERTYPE_VLAN)
			goto state_wrapped; /* frames.p4:56 */
		if (key1 == ETHERTYPE_SERVICE_VLAN)
			goto state_wrapped; /* frames.p4:57 */
		if (key1 == ETHERTYPE_IPV4)
			goto state_peek_source; /* frames.p4:58 */
		if (key1 == ETHERTYPE_ARP)
			goto state_peek_arp; /* frames.p4:59 */
		if (key1 == ETHERTYPE_IPV6)
			goto state_parse_ipv6; /* frames.p4:60 */
		if ((key1 & 0xfc00) == 0)
			goto state_peek_llc; /* frames.p4:61 */
		if ((key1 & 0xfe00) == 0x400)
			goto state_peek_llc; /* frames.p4:62 */
		goto state_other; /* frames.p4:63 */
	}
state_peek_ipv4:;
	/* state peek_ipv4, frames.p4:68 */
	if (unlikely(p + 1 > end))
		{ aside(); goto partial; }; /* frames.p4:69 */
	s->tmp.lookahead = ld8(p);
	{
		u8 key0 = s->tmp.lookahead;
		if (key0 == 0x45)
			goto state_parse_ipv4; /* frames.p4:70 */
		if ((key0 & 0xfc) == 0x40)
			goto state_wrapped; /* frames.p4:71 */
		if (key0 == 0x44)
			goto state_wrapped; /* frames.p4:72 */
		if ((key0 & 0xf0) == 0x40)
			goto state_look_at_source; /* frames.p4:73 */
		goto state_wrapped; /* frames.p4:74 */
	}
state_peek_source:;
	/* state peek_source, frames.p4:79 */
	if (unlikely(p + 1 > end))
		{ aside(); goto partial; }; /* frames.p4:80 */
	s->tmp.lookahead_1 = ld8(p);
	{
		u8 key0 = s->tmp.lookahead_1;
		if ((key0 & 0xfc) == 0x40)
			goto state_wrapped; /* frames.p4:81 */
		if (key0 == 0x44)
			goto state_wrapped; /* frames.p4:82 */
		if ((key0 & 0xf0) == 0x40)
			goto state_look_at_source; /* frames.p4:83 */
		goto state_wrapped; /* frames.p4:84 */
	}
state_look_at_source:;
	/* state look_at_source, frames.p4:88 */
	s->md.family = FAMILY_IPV4; /* frames.p4:89 */
	if (unlikely(p + 16 > end))
		{ aside(); goto partial; }; /* frames.p4:90 */
	s->tmp.lookahead_struct.rest = ld64(p);
	s->tmp.lookahead_struct.more = ld32(p + 8);
	s->tmp.lookahead_struct.ip = ld32(p + 12);
	s->md.sender = s->tmp.lookahead_struct.ip; /* frames.p4:90 */
	{ aside(); return 0; };
state_peek_arp:;
	/* state peek_arp, frames.p4:94 */
	s->md.family = FAMILY_ARP; /* frames.p4:95 */
	if (unlikely(p + 18 > end))
		{ aside(); goto partial; }; /* frames.p4:96 */
	s->tmp.lookahead_struct.kind = ld64(p);
	s->tmp.lookahead_struct.mac = ld48(p + 8);
	s->tmp.lookahead_struct.ip_1 = ld32(p + 14);
	s->md.sender = s->tmp.lookahead_struct.ip_1; /* frames.p4:96 */
	{ aside(); return 0; };
state_peek_llc:;
	/* state peek_llc, frames.p4:100 */
	if (unlikely(p + 1 > end))
		{ aside(); goto partial; }; /* frames.p4:101 */
	s->tmp.lookahead_2 = ld8(p);
	{
		u8 key0 = s->tmp.lookahead_2;
		if ((key0 & 0xfe) == 0xaa)
			goto state_wrapped; /* frames.p4:102 */
		goto state_llc; /* frames.p4:103 */
	}
state_parse_ipv6:;
	/* state parse_ipv6, frames.p4:107 */
	if (unlikely(p + 40 > end))
		{ aside(); goto partial; }; /* frames.p4:108 */
	s->at_hdr_ipv6 = p;
	s->valid |= IN_hdr_ipv6;
	p += 40;
	{
		u8 key0 = in_hdr_ipv6_version(s);
		u8 key1 = in_hdr_ipv6_next_header(s);
		if (key0 == 6 && key1 == IPV6_ICMP)
			goto state_peek_icmp; /* frames.p4:110 */
		if (key0 == 6 && key1 == IPV6_HOP_BY_HOP)
			goto state_peek_hop_by_hop; /* frames.p4:111 */
		if (key0 == 6 && key1 == IPV6_FRAGMENT)
			goto state_peek_fragment; /* frames.p4:112 */
		if (key0 == 6 && key1 == IPV6_ROUTING)
			goto state_wrapped; /* frames.p4:113 */
		if (key0 == 6 && key1 == IPV6_DESTINATION)
			goto state_wrapped; /* frames.p4:114 */
		if (key0 == 6 && key1 == IPV6_MOBILITY)
			goto state_wrapped; /* frames.p4:115 */
		if (key0 == 6 && key1 == IPV6_HOST_IDENTITY)
			goto state_wrapped; /* frames.p4:116 */
		if (key0 == 6 && key1 == IPV6_SHIM)
			goto state_wrapped; /* frames.p4:117 */
		if (key0 == 6)
			goto state_ipv6; /* frames.p4:118 */
		goto state_wrapped; /* frames.p4:119 */
	}
state_peek_icmp:;
	/* state peek_icmp, frames.p4:123 */
	if (unlikely(p + 1 > end))
		{ aside(); goto partial; }; /* frames.p4:124 */
	s->tmp.lookahead_3 = ld8(p);
	{
		u8 key0 = s->tmp.lookahead_3;
		if (key0 == ICMP6_ROUTER_ADVERTISEMENT)
			goto state_router; /* frames.p4:125 */
		if (key0 == ICMP6_REDIRECT)
			goto state_router; /* frames.p4:126 */
		goto state_ipv6; /* frames.p4:127 */
	}
state_peek_hop_by_hop:;
	/* state peek_hop_by_hop, frames.p4:131 */
	if (unlikely(p + 9 > end))
		{ aside(); goto partial; }; /* frames.p4:132 */
	s->tmp.lookahead_struct.next_header = ld8(p);
	s->tmp.lookahead_struct.length = ld8(p + 1);
	s->tmp.lookahead_struct.options = ld48(p + 2);
	s->tmp.lookahead_struct.kind_1 = ld8(p + 8);
	if (unlikely(p + 9 > end))
		{ aside(); goto partial; }; /* frames.p4:132 */
	s->tmp.lookahead_struct.next_header_1 = ld8(p);
	s->tmp.lookahead_struct.length_1 = ld8(p + 1);
	s->tmp.lookahead_struct.options_1 = ld48(p + 2);
	s->tmp.lookahead_struct.kind_2 = ld8(p + 8);
	if (unlikely(p + 9 > end))
		{ aside(); goto partial; }; /* frames.p4:133 */
	s->tmp.lookahead_struct.next_header_2 = ld8(p);
	s->tmp.lookahead_struct.length_2 = ld8(p + 1);
	s->tmp.lookahead_struct.options_2 = ld48(p + 2);
	s->tmp.lookahead_struct.kind_3 = ld8(p + 8);
	{
		u8 key0 = s->tmp.lookahead_struct.next_header;
		u8 key1 = s->tmp.lookahead_struct.length_1;
		u8 key2 = s->tmp.lookahead_struct.kind_3;
		if (key0 == IPV6_ICMP && key1 == 0 && key2 == 0x82)
			goto state_ipv6; /* frames.p4:134 */
		if (key0 == IPV6_ICMP && key1 == 0 && key2 == 0x83)
			goto state_ipv6; /* frames.p4:135 */
		if (key0 == IPV6_ICMP && key1 == 0 && key2 == 0x84)
			goto state_ipv6; /* frames.p4:136 */
		if (key0 == IPV6_ICMP && key1 == 0 && key2 == 0x8f)
			goto state_ipv6; /* frames.p4:137 */
		goto state_wrapped; /* frames.p4:138 */
	}
state_peek_fragment:;
	/* state peek_fragment, frames.p4:142 */
	if (unlikely(p + 1 > end))
		{ aside(); goto partial; }; /* frames.p4:143 */
	s->tmp.lookahead_4 = ld8(p);
	{
		u8 key0 = s->tmp.lookahead_4;
		if (key0 == IPPROTO_UDP)
			goto state_ipv6; /* frames.p4:144 */
		if (key0 == IPPROTO_TCP)
			goto state_ipv6; /* frames.p4:145 */
		goto state_wrapped; /* frames.p4:146 */
	}
state_llc:;
	/* state llc, frames.p4:151 */
	s->md.family = FAMILY_LLC; /* frames.p4:152 */
	{ aside(); return 0; };
state_ipv6:;
	/* state ipv6, frames.p4:156 */
	s->md.family = FAMILY_IPV6; /* frames.p4:157 */
	{ aside(); return 0; };
state_router:;
	/* state router, frames.p4:161 */
	s->md.family = FAMILY_ROUTER; /* frames.p4:162 */
	{ aside(); return 0; };
state_other:;
	/* state other, frames.p4:166 */
	s->md.family = FAMILY_OTHER; /* frames.p4:167 */
	{ aside(); return 0; };
state_wrapped:;
	/* state wrapped, frames.p4:171 */
	s->md.family = FAMILY_WRAPPED; /* frames.p4:172 */
	{ aside(); return 0; };
state_parse_ipv4:;
	/* state parse_ipv4, parser.p4:40 */
	if (unlikely(p + 20 > end))
		{ aside(); goto partial; }; /* parser.p4:41 */
	s->valid |= IN_hdr_ipv4;
	p += 20;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 0) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 4) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw16((s->data + 14) + 8) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw16((s->data + 14) + 10) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 12) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 16) : 0;
	s->md.checksum_error = csum_fold(sum_pipe_IngressParser_ipv4_checksum + csum_raw(raw_pipe_IngressParser_ipv4_checksum)) != 0xffff; /* parser.p4:43 */
	s->md.sender = in_hdr_ipv4_src(s); /* parser.p4:44 */
	{
		u8 key0 = in_hdr_ipv4_protocol(s);
		u16 key1 = in_hdr_ipv4_flags_fragment(s);
		if (key0 == IPPROTO_UDP && (key1 & 0x3fff) == 0)
			goto state_parse_udp; /* parser.p4:46 */
		{ aside(); return 0; }; /* parser.p4:47 */
	}
state_parse_udp:;
	/* state parse_udp, parser.p4:51 */
	if (unlikely(p + 8 > end))
		{ aside(); goto partial; }; /* parser.p4:52 */
	s->valid |= IN_hdr_udp;
	p += 8;
	{
		u16 key0 = in_hdr_udp_dst_port(s);
		if (key0 == UDP_PORT_ROCE)
			goto state_parse_bth; /* parser.p4:54 */
		{ aside(); return 0; }; /* parser.p4:55 */
	}
state_parse_bth:;
	/* state parse_bth, parser.p4:59 */
	if (unlikely(p + 12 > end))
		{ aside(); goto partial; }; /* parser.p4:60 */
	s->valid |= IN_hdr_bth;
	p += 12;
	s->md.flow_qp = in_hdr_bth_dst_qp(s); /* parser.p4:61 */
	{
		u8 key0 = in_hdr_bth_opcode(s);
		if (key0 == RC_WRITE_FIRST)
			goto state_parse_reth; /* parser.p4:63 */
		if (key0 == RC_WRITE_ONLY)
			goto state_parse_reth; /* parser.p4:64 */
		if (key0 == RC_WRITE_ONLY_IMM)
			goto state_parse_reth; /* parser.p4:65 */
		if (key0 == RC_ACK)
			goto state_parse_aeth; /* parser.p4:66 */
		if (key0 == CNP)
			goto state_parse_cnp; /* parser.p4:67 */
		{ aside(); return 0; }; /* parser.p4:68 */
	}
state_parse_reth:;
	/* state parse_reth, parser.p4:73 */
	if (unlikely(p + 16 > end))
		{ aside(); goto partial; }; /* parser.p4:74 */
	s->valid |= IN_hdr_reth;
	p += 16;
	return 1;
state_parse_aeth:;
	/* state parse_aeth, parser.p4:79 */
	if (unlikely(p + 4 > end))
		{ aside(); goto partial; }; /* parser.p4:80 */
	s->valid |= IN_hdr_aeth;
	p += 4;
	if (unlikely(p + 4 > end))
		{ aside(); goto partial; }; /* parser.p4:81 */
	s->at_hdr_icrc = p;
	s->valid |= IN_hdr_icrc;
	p += 4;
	return 2;
state_parse_cnp:;
	/* state parse_cnp, parser.p4:85 */
	if (unlikely(p + 16 > end))
		{ aside(); goto partial; }; /* parser.p4:86 */
	s->valid |= IN_hdr_cnp;
	p += 16;
	if (unlikely(p + 4 > end))
		{ aside(); goto partial; }; /* parser.p4:87 */
	s->at_hdr_icrc = p;
	s->valid |= IN_hdr_icrc;
	p += 4;
	{ aside(); return 0; };
partial:;
	s->parser_error = 0x2;
	{ aside(); return 0; };
}

/* answers, with a row of its registers, or with 0 when the index is out of range. */
INLINE void in_answers_with_r_group(struct ingress *s, struct r_group *row)
{
	s->r_group = row;
	if ((s->md.class == CLASS_ACK) || (s->md.class == CLASS_NAK)) { /* answers.p4:15 */
		if (s->md.fresh == 1) { /* answers.p4:16 */
			{ /* gather */
				s->md.code = (u32)in_hdr_aeth_syndrome(s); /* gather.p4:270 */
				COUNT(c_by_group, 4096, 4096, s->md.group, gathered, s->length); /* gather.p4:271 */
				in_heard_apply(s); /* gather.p4:272 */
				in_quorum_apply(s); /* gather.p4:273 */
				in_commits_apply(s); /* gather.p4:274 */
				if (s->md.class == CLASS_NAK) { /* gather.p4:275 */
					if (s->valid & IN_hdr_bridge)
						in_set_hdr_bridge_psn(s, (u32)(s->md.committed + PSN_ONE)); /* gather.p4:276 */
				}
				if (((u8)s->md.members & 1) == 1) { /* gather.p4:281 */
					in_credits0_apply(s); /* gather.p4:281 */
				}
				if (((u8)(s->md.members >> 1) & 1) == 1) { /* gather.p4:282 */
					in_credits1_apply(s); /* gather.p4:282 */
				}
				if (((u8)(s->md.members >> 2) & 1) == 1) { /* gather.p4:283 */
					in_credits2_apply(s); /* gather.p4:283 */
				}
				if (((u8)(s->md.members >> 3) & 1) == 1) { /* gather.p4:284 */
					in_credits3_apply(s); /* gather.p4:284 */
				}
				if (s->md.members & 0xf0) {
					if (((u8)(s->md.members >> 4) & 1) == 1) { /* gather.p4:285 */
						in_credits4_apply(s); /* gather.p4:285 */
					}
					if (((u8)(s->md.members >> 5) & 1) == 1) { /* gather.p4:286 */
						in_credits5_apply(s); /* gather.p4:286 */
					}
					if (((u8)(s->md.members >> 6) & 1) == 1) { /* gather.p4:287 */
						in_credits6_apply(s); /* gather.p4:287 */
					}
					if ((s->md.members >> 7) == 1) { /* gather.p4:288 */
						in_credits7_apply(s); /* gather.p4:288 */
					}
					s->md.credit0 = least(s->md.credit0, s->md.credit1); /* gather.p4:289 */
					s->md.credit2 = least(s->md.credit2, s->md.credit3); /* gather.p4:290 */
					s->md.credit4 = least(s->md.credit4, s->md.credit5); /* gather.p4:291 */
					s->md.credit6 = least(s->md.credit6, s->md.credit7); /* gather.p4:292 */
					s->md.credit0 = least(s->md.credit0, s->md.credit2); /* gather.p4:293 */
					s->md.credit4 = least(s->md.credit4, s->md.credit6); /* gather.p4:294 */
					if (s->valid & IN_hdr_bridge)
						in_set_hdr_bridge_syndrome(s, least(s->md.credit0, s->md.credit4)); /* gather.p4:296 */
				} else {
					s->md.credit0 = least(s->md.credit0, s->md.credit1); /* gather.p4:289 */
					s->md.credit2 = least(s->md.credit2, s->md.credit3); /* gather.p4:290 */
					s->md.credit4 = least(s->md.credit4, s->md.credit5); /* gather.p4:291 */
					s->md.credit6 = least(s->md.credit6, s->md.credit7); /* gather.p4:292 */
					s->md.credit0 = least(s->md.credit0, s->md.credit2); /* gather.p4:293 */
					s->md.credit4 = least(s->md.credit4, s->md.credit6); /* gather.p4:294 */
					if (s->valid & IN_hdr_bridge)
						in_set_hdr_bridge_syndrome(s, least(s->md.credit0, s->md.credit4)); /* gather.p4:296 */
				}
				if (s->md.heard == 0) { /* gather.p4:297 */
					aside();
					s->md.answer_drop = DROP_SLOT_OUT; /* gather.p4:298 */
				} else {
					if (s->md.class == CLASS_NAK) { /* gather.p4:299 */
						COUNT(c_by_group, 4096, 4096, s->md.group, naks, s->length); /* gather.p4:300 */
					}
				}
				in_answer_apply(s); /* gather.p4:302 */
			}
		} else {
			s->md.answer_drop = DROP_WINDOW; /* answers.p4:19 */
			s->ig_dprsr_md.drop_ctl = 1; /* answers.p4:20 */
		}
	} else {
		if (s->md.class == CLASS_CNP) { /* answers.p4:22 */
			{ /* cnp */
				s->md.now = (u32)((in_now(s) & 0xffffffffffffULL) >> 8); /* cnp.p4:49 */
				in_cnp_interval_apply(s); /* cnp.p4:50 */
				s->md.before = (u32)(s->md.now - s->md.interval); /* cnp.p4:51 */
				s->md.cnp_pass = in_last_cnp_limit(s, s->md.group); /* cnp.p4:52 */
				if (s->md.cnp_pass == 1) { /* cnp.p4:53 */
					COUNT(c_by_group, 4096, 4096, s->md.group, cnps, s->length); /* cnp.p4:54 */
				} else {
					s->md.answer_drop = DROP_CNP_LIMITED; /* cnp.p4:56 */
					s->ig_dprsr_md.drop_ctl = 1; /* cnp.p4:57 */
				}
			}
		}
	}
	if (s->md.answer_drop != DROP_NONE) { /* answers.p4:29 */
		COUNT(c_answer_drops, 16, 16, s->md.answer_drop, answer_drops, s->length); /* answers.p4:30 */
	}
}

/* slots, with a row of its registers, or with 0 when the index is out of range. */
INLINE void in_slots_with_r_group(struct ingress *s, struct r_group *row)
{
	s->r_group = row;
	if (s->md.fresh == 1) { /* slots.p4:184 */
		/* @updates_first, slots.p4:186: registers that change, then those that are read. */
		{
			switch (s->md.slot) { /* at most one of them changes */
			case 0:
				if (((u8)s->md.members & 1) == 1) { /* slots.p4:187 */
					in_held0_apply(s, P4_UPDATES); /* slots.p4:187 */
				}
				break;
			case 1:
				if (((u8)(s->md.members >> 1) & 1) == 1) { /* slots.p4:188 */
					in_held1_apply(s, P4_UPDATES); /* slots.p4:188 */
				}
				break;
			case 2:
				if (((u8)(s->md.members >> 2) & 1) == 1) { /* slots.p4:189 */
					in_held2_apply(s, P4_UPDATES); /* slots.p4:189 */
				}
				break;
			case 3:
				if (((u8)(s->md.members >> 3) & 1) == 1) { /* slots.p4:190 */
					in_held3_apply(s, P4_UPDATES); /* slots.p4:190 */
				}
				break;
			case 4:
				if (((u8)(s->md.members >> 4) & 1) == 1) { /* slots.p4:191 */
					in_held4_apply(s, P4_UPDATES); /* slots.p4:191 */
				}
				break;
			case 5:
				if (((u8)(s->md.members >> 5) & 1) == 1) { /* slots.p4:192 */
					in_held5_apply(s, P4_UPDATES); /* slots.p4:192 */
				}
				break;
			case 6:
				if (((u8)(s->md.members >> 6) & 1) == 1) { /* slots.p4:193 */
					in_held6_apply(s, P4_UPDATES); /* slots.p4:193 */
				}
				break;
			case 7:
				if ((s->md.members >> 7) == 1) { /* slots.p4:194 */
					in_held7_apply(s, P4_UPDATES); /* slots.p4:194 */
				}
				break;
			}
		}
		{
			u8 hidden_md_members = opaque(s->length, s->md.members);
			if (((u8)hidden_md_members & 1) == 1) { /* slots.p4:187 */
				in_held0_apply(s, P4_QUERIES); /* slots.p4:187 */
			}
			if (((u8)(hidden_md_members >> 1) & 1) == 1) { /* slots.p4:188 */
				in_held1_apply(s, P4_QUERIES); /* slots.p4:188 */
			}
			if (((u8)(hidden_md_members >> 2) & 1) == 1) { /* slots.p4:189 */
				in_held2_apply(s, P4_QUERIES); /* slots.p4:189 */
			}
			if (((u8)(hidden_md_members >> 3) & 1) == 1) { /* slots.p4:190 */
				in_held3_apply(s, P4_QUERIES); /* slots.p4:190 */
			}
			if (hidden_md_members & 0xf0) {
				if (((u8)(hidden_md_members >> 4) & 1) == 1) { /* slots.p4:191 */
					in_held4_apply(s, P4_QUERIES); /* slots.p4:191 */
				}
				if (((u8)(hidden_md_members >> 5) & 1) == 1) { /* slots.p4:192 */
					in_held5_apply(s, P4_QUERIES); /* slots.p4:192 */
				}
				if (((u8)(hidden_md_members >> 6) & 1) == 1) { /* slots.p4:193 */
					in_held6_apply(s, P4_QUERIES); /* slots.p4:193 */
				}
				if ((hidden_md_members >> 7) == 1) { /* slots.p4:194 */
					in_held7_apply(s, P4_QUERIES); /* slots.p4:194 */
				}
			}
		}
		s->md.bits_of_fresh = opaque(s->length, s->md.bits_of_fresh);
	}
}

/* window, with a row of its registers, or with 0 when the index is out of range. */
INLINE void in_window_with_r_group(struct ingress *s, struct r_group *row)
{
	s->r_group = row;
	in_window_apply(s); /* slots.p4:168 */
}

/* Deparser of the ingress, but for the emits. */
INLINE void in_deparse(struct ingress *s)
{
	if (s->ig_dprsr_md.digest_type == DIGEST_NAK) { /* parser.p4:101 */
		{ /* parser.p4:102 */
			struct digest_pipe_IngressDeparser_nak_digest record = {};
			record.number = 0;
			record.group = s->md.group;
			record.slot = s->md.slot;
			record.syndrome = in_hdr_aeth_syndrome(s);
			record.acked = s->md.p;
			if (bpf_ringbuf_output(&digests, &record, sizeof(record), 0))
				count_stat(P4_DIGEST_LOST);
		}
	}
	if (s->md.routed) { /* parser.p4:104 */
		{ /* parser.p4:105 */
			u64 sum = 0, raw = 0;
			raw += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 0) : 0;
			raw += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 4) : 0;
			raw += (s->valid & IN_hdr_ipv4) ? raw16((s->data + 14) + 8) : 0;
			raw += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 12) : 0;
			raw += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 16) : 0;
			u16 check = ~csum_fold(sum + csum_raw(raw));
			in_set_hdr_ipv4_checksum(s, check);
		}
	}
}

/* Brings the headers into the packet. Those that stay there have been rewritten
 * already. Returns XDP_PASS, or a verdict when it is not possible. */
INLINE int in_rewrite(struct ingress *s, struct xdp_md *ctx)
{
	if (likely(!(s->extracted & (IN_hdr_packet_out))))
		return XDP_PASS;

	/* Save what stays, make room, write everything again. */
	u32 parsed = 0, size = 0;
	u32 zero = 0;
	struct in_saved *saved = bpf_map_lookup_elem(&in_scratch, &zero);
	if (!saved)
		return drop(P4_NO_HEADROOM);
	if (s->extracted & IN_hdr_packet_out)
		parsed += 4;
	if (s->extracted & IN_hdr_ethernet)
		parsed += 14;
	if (s->extracted & IN_hdr_vlan)
		parsed += 4;
	if (s->extracted & IN_hdr_inner_vlan)
		parsed += 4;
	if (s->extracted & IN_hdr_ipv6)
		parsed += 40;
	if (s->extracted & IN_hdr_ipv4)
		parsed += 20;
	if (s->extracted & IN_hdr_udp)
		parsed += 8;
	if (s->extracted & IN_hdr_bth)
		parsed += 12;
	if (s->extracted & IN_hdr_reth)
		parsed += 16;
	if (s->extracted & IN_hdr_aeth)
		parsed += 4;
	if (s->extracted & IN_hdr_cnp)
		parsed += 16;
	if (s->extracted & IN_hdr_icrc)
		parsed += 4;
	if (s->valid & IN_hdr_ethernet) {
		memcpy(saved->hdr_ethernet, s->data, 14);
		size += 14;
	}
	if (s->valid & IN_hdr_vlan) {
		memcpy(saved->hdr_vlan, (s->data + 14), 4);
		size += 4;
	}
	if (s->valid & IN_hdr_inner_vlan) {
		memcpy(saved->hdr_inner_vlan, (s->data + 18), 4);
		size += 4;
	}
	if (s->valid & IN_hdr_ipv6) {
		memcpy(saved->hdr_ipv6, s->at_hdr_ipv6, 40);
		size += 40;
	}
	if (s->valid & IN_hdr_ipv4) {
		memcpy(saved->hdr_ipv4, (s->data + 14), 20);
		size += 20;
	}
	if (s->valid & IN_hdr_udp) {
		memcpy(saved->hdr_udp, (s->data + 34), 8);
		size += 8;
	}
	if (s->valid & IN_hdr_bth) {
		memcpy(saved->hdr_bth, (s->data + 42), 12);
		size += 12;
	}
	if (s->valid & IN_hdr_reth) {
		memcpy(saved->hdr_reth, (s->data + 54), 16);
		size += 16;
	}
	if (s->valid & IN_hdr_aeth) {
		memcpy(saved->hdr_aeth, (s->data + 54), 4);
		size += 4;
	}
	if (s->valid & IN_hdr_cnp) {
		memcpy(saved->hdr_cnp, (s->data + 54), 16);
		size += 16;
	}
	if (s->valid & IN_hdr_icrc) {
		memcpy(saved->hdr_icrc, s->at_hdr_icrc, 4);
		size += 4;
	}
	if (parsed != size && bpf_xdp_adjust_head(ctx, (int)(parsed - size)))
		return drop(P4_NO_HEADROOM);
	u8 *p = PTR(ctx->data), *end = PTR(ctx->data_end);
	if (s->valid & IN_hdr_ethernet) {
		if (p + 14 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_ethernet, 14);
		p += 14;
	}
	if (s->valid & IN_hdr_vlan) {
		if (p + 4 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_vlan, 4);
		p += 4;
	}
	if (s->valid & IN_hdr_inner_vlan) {
		if (p + 4 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_inner_vlan, 4);
		p += 4;
	}
	if (s->valid & IN_hdr_ipv6) {
		if (p + 40 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_ipv6, 40);
		p += 40;
	}
	if (s->valid & IN_hdr_ipv4) {
		if (p + 20 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_ipv4, 20);
		p += 20;
	}
	if (s->valid & IN_hdr_udp) {
		if (p + 8 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_udp, 8);
		p += 8;
	}
	if (s->valid & IN_hdr_bth) {
		if (p + 12 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_bth, 12);
		p += 12;
	}
	if (s->valid & IN_hdr_reth) {
		if (p + 16 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_reth, 16);
		p += 16;
	}
	if (s->valid & IN_hdr_aeth) {
		if (p + 4 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_aeth, 4);
		p += 4;
	}
	if (s->valid & IN_hdr_cnp) {
		if (p + 16 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_cnp, 16);
		p += 16;
	}
	if (s->valid & IN_hdr_icrc) {
		if (p + 4 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_icrc, 4);
		p += 4;
	}
	s->m = PTR(ctx->data_meta); /* moved with the packet */
	if ((void *)(s->m + 1) > PTR(ctx->data))
		return drop(P4_NO_METADATA);
	return XDP_PASS;
}

/* ---- egress ---- */

/* Headers of the egress: bits in valid and extracted. */
enum {
	EG_hdr_bridge = 0x1u,
	EG_hdr_packet_in = 0x2u,
	EG_hdr_packet_out = 0x4u,
	EG_hdr_ethernet = 0x8u,
	EG_hdr_vlan = 0x10u,
	EG_hdr_inner_vlan = 0x20u,
	EG_hdr_ipv6 = 0x40u,
	EG_hdr_ipv4 = 0x80u,
	EG_hdr_udp = 0x100u,
	EG_hdr_bth = 0x200u,
	EG_hdr_reth = 0x400u,
	EG_hdr_aeth = 0x800u,
	EG_hdr_cnp = 0x1000u,
	EG_hdr_icrc = 0x2000u,
};

/* What the egress knows of a packet. Headers that came with the packet and are
 * not made anew stay there; the others are members of hdr. */
struct egress {
	u8 *data;        /* the packet */
	u32 valid;       /* headers that are valid now */
	u32 extracted;   /* headers that the parser found */
	struct {
		struct {
			u32 kind; /* bit<8> */
			u32 syndrome; /* bit<8> */
			u32 pad; /* bit<7> */
			u32 ingress_port; /* bit<9> */
			u32 reason; /* bit<16> */
			u32 group; /* bit<16> */
			u32 psn; /* bit<32> */
			u32 icrc; /* bit<32> */
		} bridge;
		struct {
			u32 pad; /* bit<7> */
			u32 ingress_port; /* bit<9> */
			u32 reason; /* bit<16> */
		} packet_in;
		struct {
			u32 pad; /* bit<7> */
			u32 egress_port; /* bit<9> */
			u32 pad2; /* bit<16> */
		} packet_out;
		struct {
			u32 priority; /* bit<3> */
			u32 drop_eligible; /* bit<1> */
			u32 vid; /* bit<12> */
			u32 ether_type; /* bit<16> */
		} vlan;
		struct {
			u32 priority; /* bit<3> */
			u32 drop_eligible; /* bit<1> */
			u32 vid; /* bit<12> */
			u32 ether_type; /* bit<16> */
		} inner_vlan;
		struct {
			u32 version; /* bit<4> */
			u32 class_flow; /* bit<28> */
			u32 payload_len; /* bit<16> */
			u32 next_header; /* bit<8> */
			u32 hop_limit; /* bit<8> */
			u64 src_high; /* bit<64> */
			u64 src_low; /* bit<64> */
			u64 dst_high; /* bit<64> */
			u64 dst_low; /* bit<64> */
		} ipv6;
		struct {
			u64 reserved0; /* bit<64> */
			u64 reserved1; /* bit<64> */
		} cnp;
		struct {
			u32 crc; /* bit<32> */
		} icrc;
	} hdr;
	struct {
		u32 remade; /* bool */
		u32 room; /* bit<32> */
		u32 color; /* bit<8> */
		union {
			u32 bits_of_unknown;
			struct {
				u32 neutral : 1;
				u32 unknown : 1;
			};
		};
		u32 delta; /* bit<32> */
		u32 psn_diff; /* bit<32> */
		u64 va_old; /* bit<64> */
		u64 va_diff; /* bit<64> */
		u32 syndrome_diff; /* bit<8> */
		u32 fix0; /* bit<32> */
		u32 fix1; /* bit<32> */
		u32 fix2; /* bit<32> */
		u32 fix3; /* bit<32> */
	} md;
	struct {
		u32 egress_port; /* bit<9> */
		u32 egress_rid; /* bit<16> */
		u32 enq_qdepth; /* bit<19> */
	} eg_intr_md;
	struct {
		u32 drop_ctl; /* bit<3> */
	} eg_dprsr_md;
	struct {
		u32 lookahead; /* bit<8> */
		u32 color; /* bit<8> */
	} tmp;
	u64 time;        /* ns; see eg_now() */
	u32 length;      /* of the frame, in bytes */
	u16 parser_error;
	u8 contention;   /* a register could not be changed */
};

/* hdr.ethernet, in the packet. */
INLINE u64 eg_hdr_ethernet_dst(struct egress *s) { return (s->valid & EG_hdr_ethernet) ? ld48(s->data) : 0; }
INLINE void eg_set_hdr_ethernet_dst(struct egress *s, u64 v)
{
	if (s->valid & EG_hdr_ethernet)
		st48(s->data, v);
}
INLINE u64 eg_hdr_ethernet_src(struct egress *s) { return (s->valid & EG_hdr_ethernet) ? ld48(s->data + 6) : 0; }
INLINE void eg_set_hdr_ethernet_src(struct egress *s, u64 v)
{
	if (s->valid & EG_hdr_ethernet)
		st48(s->data + 6, v);
}
INLINE u16 eg_hdr_ethernet_ether_type(struct egress *s) { return (s->valid & EG_hdr_ethernet) ? ld16(s->data + 12) : 0; }

/* hdr.ipv4, in the packet. */
INLINE u8 eg_hdr_ipv4_version_ihl(struct egress *s) { return (s->valid & EG_hdr_ipv4) ? ld8(s->data + 14) : 0; }
INLINE u8 eg_hdr_ipv4_tos(struct egress *s) { return (s->valid & EG_hdr_ipv4) ? ld8((s->data + 14) + 1) : 0; }
INLINE void eg_set_hdr_ipv4_tos(struct egress *s, u8 v)
{
	if (s->valid & EG_hdr_ipv4)
		st8((s->data + 14) + 1, v);
}
INLINE u16 eg_hdr_ipv4_total_len(struct egress *s) { return (s->valid & EG_hdr_ipv4) ? ld16((s->data + 14) + 2) : 0; }
INLINE u16 eg_hdr_ipv4_identification(struct egress *s) { return (s->valid & EG_hdr_ipv4) ? ld16((s->data + 14) + 4) : 0; }
INLINE void eg_set_hdr_ipv4_identification(struct egress *s, u16 v)
{
	if (s->valid & EG_hdr_ipv4)
		st16((s->data + 14) + 4, v);
}
INLINE u16 eg_hdr_ipv4_flags_fragment(struct egress *s) { return (s->valid & EG_hdr_ipv4) ? ld16((s->data + 14) + 6) : 0; }
INLINE u8 eg_hdr_ipv4_ttl(struct egress *s) { return (s->valid & EG_hdr_ipv4) ? ld8((s->data + 14) + 8) : 0; }
INLINE u8 eg_hdr_ipv4_protocol(struct egress *s) { return (s->valid & EG_hdr_ipv4) ? ld8((s->data + 14) + 9) : 0; }
INLINE u16 eg_hdr_ipv4_checksum(struct egress *s) { return (s->valid & EG_hdr_ipv4) ? ld16((s->data + 14) + 10) : 0; }
INLINE void eg_set_hdr_ipv4_checksum(struct egress *s, u16 v)
{
	if (s->valid & EG_hdr_ipv4)
		st16((s->data + 14) + 10, v);
}
INLINE u32 eg_hdr_ipv4_src(struct egress *s) { return (s->valid & EG_hdr_ipv4) ? ld32((s->data + 14) + 12) : 0; }
INLINE void eg_set_hdr_ipv4_src(struct egress *s, u32 v)
{
	if (s->valid & EG_hdr_ipv4)
		st32((s->data + 14) + 12, v);
}
INLINE u32 eg_hdr_ipv4_dst(struct egress *s) { return (s->valid & EG_hdr_ipv4) ? ld32((s->data + 14) + 16) : 0; }
INLINE void eg_set_hdr_ipv4_dst(struct egress *s, u32 v)
{
	if (s->valid & EG_hdr_ipv4)
		st32((s->data + 14) + 16, v);
}

/* hdr.udp, in the packet. */
INLINE u16 eg_hdr_udp_src_port(struct egress *s) { return (s->valid & EG_hdr_udp) ? ld16(s->data + 34) : 0; }
INLINE void eg_set_hdr_udp_src_port(struct egress *s, u16 v)
{
	if (s->valid & EG_hdr_udp)
		st16((s->data + 34), v);
}
INLINE u16 eg_hdr_udp_dst_port(struct egress *s) { return (s->valid & EG_hdr_udp) ? ld16((s->data + 34) + 2) : 0; }
INLINE u16 eg_hdr_udp_length(struct egress *s) { return (s->valid & EG_hdr_udp) ? ld16((s->data + 34) + 4) : 0; }
INLINE u16 eg_hdr_udp_checksum(struct egress *s) { return (s->valid & EG_hdr_udp) ? ld16((s->data + 34) + 6) : 0; }
INLINE void eg_set_hdr_udp_checksum(struct egress *s, u16 v)
{
	if (s->valid & EG_hdr_udp)
		st16((s->data + 34) + 6, v);
}

/* hdr.bth, in the packet. */
INLINE u8 eg_hdr_bth_opcode(struct egress *s) { return (s->valid & EG_hdr_bth) ? ld8(s->data + 42) : 0; }
INLINE u8 eg_hdr_bth_flags(struct egress *s) { return (s->valid & EG_hdr_bth) ? ld8((s->data + 42) + 1) : 0; }
INLINE u16 eg_hdr_bth_pkey(struct egress *s) { return (s->valid & EG_hdr_bth) ? ld16((s->data + 42) + 2) : 0; }
INLINE u8 eg_hdr_bth_ecn(struct egress *s) { return (s->valid & EG_hdr_bth) ? ld8((s->data + 42) + 4) : 0; }
INLINE u32 eg_hdr_bth_dst_qp(struct egress *s) { return (s->valid & EG_hdr_bth) ? ld24((s->data + 42) + 5) : 0; }
INLINE void eg_set_hdr_bth_dst_qp(struct egress *s, u32 v)
{
	if (s->valid & EG_hdr_bth)
		st24((s->data + 42) + 5, v);
}
INLINE u32 eg_hdr_bth_psn_word(struct egress *s) { return (s->valid & EG_hdr_bth) ? ld32((s->data + 42) + 8) : 0; }
INLINE void eg_set_hdr_bth_psn_word(struct egress *s, u32 v)
{
	if (s->valid & EG_hdr_bth)
		st32((s->data + 42) + 8, v);
}

/* hdr.reth, in the packet. */
INLINE u64 eg_hdr_reth_va(struct egress *s) { return (s->valid & EG_hdr_reth) ? ld64(s->data + 54) : 0; }
INLINE void eg_set_hdr_reth_va(struct egress *s, u64 v)
{
	if (s->valid & EG_hdr_reth)
		st64((s->data + 54), v);
}
INLINE u32 eg_hdr_reth_rkey(struct egress *s) { return (s->valid & EG_hdr_reth) ? ld32((s->data + 54) + 8) : 0; }
INLINE void eg_set_hdr_reth_rkey(struct egress *s, u32 v)
{
	if (s->valid & EG_hdr_reth)
		st32((s->data + 54) + 8, v);
}
INLINE u32 eg_hdr_reth_length(struct egress *s) { return (s->valid & EG_hdr_reth) ? ld32((s->data + 54) + 12) : 0; }

/* hdr.aeth, in the packet. */
INLINE u8 eg_hdr_aeth_syndrome(struct egress *s) { return (s->valid & EG_hdr_aeth) ? ld8(s->data + 54) : 0; }
INLINE void eg_set_hdr_aeth_syndrome(struct egress *s, u8 v)
{
	if (s->valid & EG_hdr_aeth)
		st8((s->data + 54), v);
}
INLINE u32 eg_hdr_aeth_msn(struct egress *s) { return (s->valid & EG_hdr_aeth) ? ld24((s->data + 54) + 1) : 0; }

/* The time at which the packet came in, in ns: read once, when it is needed. */
INLINE u64 eg_now(struct egress *s)
{
	if (!s->time)
		s->time = bpf_ktime_get_ns();
	return s->time;
}

struct eg_saved {
	u8 hdr_ethernet[16];
	u8 hdr_ipv4[24];
	u8 hdr_udp[8];
	u8 hdr_bth[16];
	u8 hdr_reth[16];
	u8 hdr_aeth[8];
};
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct eg_saved); }
	eg_scratch SEC(".maps"); /* headers of a packet whose layout changes */

/* action pipe.Egress.copy.to_replica, rewrite.p4:67 */
INLINE void eg_to_replica(struct egress *s, u64 p_src_mac, u64 p_dst_mac, u32 p_dst_ip, u32 p_dst_qp, u32 p_delta, u64 p_base, u32 p_rkey, u32 p_icrc, u32 p_icrc_rkey, u8 p_neutral)
{
	eg_set_hdr_ethernet_src(s, p_src_mac); /* rewrite.p4:71 */
	eg_set_hdr_ethernet_dst(s, p_dst_mac); /* rewrite.p4:72 */
	eg_set_hdr_ipv4_src(s, eg_hdr_ipv4_dst(s)); /* rewrite.p4:73 */
	eg_set_hdr_ipv4_dst(s, p_dst_ip); /* rewrite.p4:74 */
	eg_set_hdr_udp_checksum(s, 0); /* rewrite.p4:75 */
	eg_set_hdr_bth_dst_qp(s, p_dst_qp); /* rewrite.p4:76 */
	s->md.delta = p_delta; /* rewrite.p4:77 */
	if (s->valid & EG_hdr_bridge)
		s->hdr.bridge.psn = (u32)((u32)eg_hdr_bth_psn_word(s) << 8); /* rewrite.p4:78 */
	s->md.va_old = eg_hdr_reth_va(s); /* rewrite.p4:79 */
	eg_set_hdr_reth_va(s, (u64)((u64)eg_hdr_reth_va(s) + p_base)); /* rewrite.p4:80 */
	eg_set_hdr_reth_rkey(s, p_rkey); /* rewrite.p4:81 */
	s->md.fix0 = p_icrc; /* rewrite.p4:82 */
	s->md.fix1 = p_icrc_rkey; /* rewrite.p4:83 */
	s->md.neutral = p_neutral; /* rewrite.p4:84 */
	s->md.remade = 1; /* rewrite.p4:85 */
}

/* action pipe.Egress.copy.unknown_replica, rewrite.p4:89 */
INLINE void eg_unknown_replica(struct egress *s)
{
	s->md.unknown = 1; /* rewrite.p4:90 */
	COUNT(c_no_endpoint, 1, 4, 0, no_endpoint, s->length); /* rewrite.p4:91 */
}

/* action pipe.Egress.copy.icrc_psn0_fix, rewrite.p4:105 */
INLINE void eg_icrc_psn0_fix(struct egress *s, u32 p_fix)
{
	s->md.fix1 = (s->md.fix1 ^ p_fix); /* rewrite.p4:105 */
}

/* action NoAction, <core.p4>:35 */
INLINE void eg_NoAction(struct egress *s)
{
	aside();
}

/* action pipe.Egress.copy.icrc_psn1_fix, rewrite.p4:107 */
INLINE void eg_icrc_psn1_fix(struct egress *s, u32 p_fix)
{
	s->md.fix2 = (s->md.fix2 ^ p_fix); /* rewrite.p4:107 */
}

/* action pipe.Egress.copy.icrc_psn2_fix, rewrite.p4:109 */
INLINE void eg_icrc_psn2_fix(struct egress *s, u32 p_fix)
{
	s->md.fix3 = (s->md.fix3 ^ p_fix); /* rewrite.p4:109 */
}

/* action pipe.Egress.copy.icrc_va0_fix, rewrite.p4:111 */
INLINE void eg_icrc_va0_fix(struct egress *s, u32 p_fix)
{
	s->md.fix0 = (s->md.fix0 ^ p_fix); /* rewrite.p4:111 */
}

/* action pipe.Egress.copy.icrc_va1_fix, rewrite.p4:113 */
INLINE void eg_icrc_va1_fix(struct egress *s, u32 p_fix)
{
	s->md.fix1 = (s->md.fix1 ^ p_fix); /* rewrite.p4:113 */
}

/* action pipe.Egress.copy.icrc_va2_fix, rewrite.p4:115 */
INLINE void eg_icrc_va2_fix(struct egress *s, u32 p_fix)
{
	s->md.fix2 = (s->md.fix2 ^ p_fix); /* rewrite.p4:115 */
}

/* action pipe.Egress.copy.icrc_va3_fix, rewrite.p4:117 */
INLINE void eg_icrc_va3_fix(struct egress *s, u32 p_fix)
{
	s->md.fix3 = (s->md.fix3 ^ p_fix); /* rewrite.p4:117 */
}

/* action pipe.Egress.copy.icrc_va4_fix, rewrite.p4:119 */
INLINE void eg_icrc_va4_fix(struct egress *s, u32 p_fix)
{
	s->md.fix0 = (s->md.fix0 ^ p_fix); /* rewrite.p4:119 */
}

/* action pipe.Egress.copy.icrc_va5_fix, rewrite.p4:121 */
INLINE void eg_icrc_va5_fix(struct egress *s, u32 p_fix)
{
	s->md.fix1 = (s->md.fix1 ^ p_fix); /* rewrite.p4:121 */
}

/* action pipe.Egress.copy.icrc_va6_fix, rewrite.p4:123 */
INLINE void eg_icrc_va6_fix(struct egress *s, u32 p_fix)
{
	s->md.fix2 = (s->md.fix2 ^ p_fix); /* rewrite.p4:123 */
}

/* action pipe.Egress.copy.icrc_va7_fix, rewrite.p4:125 */
INLINE void eg_icrc_va7_fix(struct egress *s, u32 p_fix)
{
	s->md.fix3 = (s->md.fix3 ^ p_fix); /* rewrite.p4:125 */
}

/* action pipe.Egress.address.to_leader, rewrite.p4:170 */
INLINE void eg_to_leader(struct egress *s, u64 p_src_mac, u64 p_dst_mac, u32 p_dst_ip, u32 p_dst_qp, u8 p_neutral)
{
	eg_set_hdr_ethernet_src(s, p_src_mac); /* rewrite.p4:172 */
	eg_set_hdr_ethernet_dst(s, p_dst_mac); /* rewrite.p4:173 */
	eg_set_hdr_ipv4_src(s, eg_hdr_ipv4_dst(s)); /* rewrite.p4:174 */
	eg_set_hdr_ipv4_dst(s, p_dst_ip); /* rewrite.p4:175 */
	eg_set_hdr_udp_checksum(s, 0); /* rewrite.p4:176 */
	eg_set_hdr_bth_dst_qp(s, p_dst_qp); /* rewrite.p4:177 */
	s->md.fix0 = s->hdr.bridge.icrc; /* rewrite.p4:178 */
	s->md.neutral = p_neutral; /* rewrite.p4:179 */
	s->md.remade = 1; /* rewrite.p4:180 */
}

/* action pipe.Egress.address.unknown_leader, rewrite.p4:184 */
INLINE void eg_unknown_leader(struct egress *s)
{
	s->md.unknown = 1; /* rewrite.p4:185 */
	COUNT(c_no_leader, 1, 4, 0, no_leader, s->length); /* rewrite.p4:186 */
}

/* action pipe.Egress.answer.answer_syndrome_fix, rewrite.p4:221 */
INLINE void eg_answer_syndrome_fix(struct egress *s, u32 p_fix)
{
	s->md.fix0 = (s->md.fix0 ^ p_fix); /* rewrite.p4:221 */
}

/* action pipe.Egress.answer.answer_psn0_fix, rewrite.p4:215 */
INLINE void eg_answer_psn0_fix(struct egress *s, u32 p_fix)
{
	s->md.fix0 = (s->md.fix0 ^ p_fix); /* rewrite.p4:215 */
}

/* action pipe.Egress.answer.answer_psn1_fix, rewrite.p4:217 */
INLINE void eg_answer_psn1_fix(struct egress *s, u32 p_fix)
{
	s->md.fix1 = (s->md.fix1 ^ p_fix); /* rewrite.p4:217 */
}

/* action pipe.Egress.answer.answer_psn2_fix, rewrite.p4:219 */
INLINE void eg_answer_psn2_fix(struct egress *s, u32 p_fix)
{
	s->md.fix0 = (s->md.fix0 ^ p_fix); /* rewrite.p4:219 */
}

/* action pipe.Egress.mark.limit, mark.p4:36 */
INLINE void eg_limit(struct egress *s, u32 p_depth)
{
	s->md.room = (p_depth > (u32)s->eg_intr_md.enq_qdepth ? (u32)(p_depth - (u32)s->eg_intr_md.enq_qdepth) : 0); /* mark.p4:37 */
}

/* action pipe.Egress.mark.congestion_experienced, mark.p4:48 */
INLINE void eg_congestion_experienced(struct egress *s)
{
	eg_set_hdr_ipv4_tos(s, (eg_hdr_ipv4_tos(s) | ECN_CE)); /* mark.p4:49 */
	s->md.remade = 1; /* mark.p4:50 */
	COUNT(c_by_egress_port, 512, 512, s->eg_intr_md.egress_port, marked, s->length); /* mark.p4:51 */
}

/* table pipe.Egress.copy.endpoint, rewrite.p4:98 */
INLINE u32 eg_endpoint_apply(struct egress *s)
{
	u32 key = s->eg_intr_md.egress_rid; /* rewrite.p4:99 */
	union value_endpoint *value = lookup_endpoint(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		eg_unknown_replica(s);
		return a_endpoint_unknown_replica;
	}
	u32 action = value->action - !!hit;
	switch (action) {
		case a_endpoint_to_replica:
			eg_to_replica(s, value->to_replica.src_mac, value->to_replica.dst_mac, value->to_replica.dst_ip, value->to_replica.dst_qp, value->to_replica.delta, value->to_replica.base, value->to_replica.rkey, value->to_replica.icrc, value->to_replica.icrc_rkey, value->to_replica.neutral);
			break;
		case a_endpoint_unknown_replica:
			eg_unknown_replica(s);
			break;
	}
	return hit | action;
}

/* table pipe.Egress.copy.icrc_psn0, rewrite.p4:105 */
INLINE u32 eg_icrc_psn0_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.psn_diff >> 16); /* rewrite.p4:105 */
	eg_icrc_psn0_fix(s, lookup_icrc_psn0_fix(key));
	return HIT | a_icrc_psn0_icrc_psn0_fix;
}

/* table pipe.Egress.copy.icrc_psn1, rewrite.p4:107 */
INLINE u32 eg_icrc_psn1_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.psn_diff >> 8); /* rewrite.p4:107 */
	eg_icrc_psn1_fix(s, lookup_icrc_psn1_fix(key));
	return HIT | a_icrc_psn1_icrc_psn1_fix;
}

/* table pipe.Egress.copy.icrc_psn2, rewrite.p4:109 */
INLINE u32 eg_icrc_psn2_apply(struct egress *s)
{
	u32 key = (u32)(u8)s->md.psn_diff; /* rewrite.p4:109 */
	eg_icrc_psn2_fix(s, lookup_icrc_psn2_fix(key));
	return HIT | a_icrc_psn2_icrc_psn2_fix;
}

/* table pipe.Egress.copy.icrc_va0, rewrite.p4:111 */
INLINE u32 eg_icrc_va0_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 56); /* rewrite.p4:111 */
	eg_icrc_va0_fix(s, lookup_icrc_va0_fix(key));
	return HIT | a_icrc_va0_icrc_va0_fix;
}

/* table pipe.Egress.copy.icrc_va1, rewrite.p4:113 */
INLINE u32 eg_icrc_va1_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 48); /* rewrite.p4:113 */
	eg_icrc_va1_fix(s, lookup_icrc_va1_fix(key));
	return HIT | a_icrc_va1_icrc_va1_fix;
}

/* table pipe.Egress.copy.icrc_va2, rewrite.p4:115 */
INLINE u32 eg_icrc_va2_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 40); /* rewrite.p4:115 */
	eg_icrc_va2_fix(s, lookup_icrc_va2_fix(key));
	return HIT | a_icrc_va2_icrc_va2_fix;
}

/* table pipe.Egress.copy.icrc_va3, rewrite.p4:117 */
INLINE u32 eg_icrc_va3_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 32); /* rewrite.p4:117 */
	eg_icrc_va3_fix(s, lookup_icrc_va3_fix(key));
	return HIT | a_icrc_va3_icrc_va3_fix;
}

/* table pipe.Egress.copy.icrc_va4, rewrite.p4:119 */
INLINE u32 eg_icrc_va4_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 24); /* rewrite.p4:119 */
	eg_icrc_va4_fix(s, lookup_icrc_va4_fix(key));
	return HIT | a_icrc_va4_icrc_va4_fix;
}

/* table pipe.Egress.copy.icrc_va5, rewrite.p4:121 */
INLINE u32 eg_icrc_va5_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 16); /* rewrite.p4:121 */
	eg_icrc_va5_fix(s, lookup_icrc_va5_fix(key));
	return HIT | a_icrc_va5_icrc_va5_fix;
}

/* table pipe.Egress.copy.icrc_va6, rewrite.p4:123 */
INLINE u32 eg_icrc_va6_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 8); /* rewrite.p4:123 */
	eg_icrc_va6_fix(s, lookup_icrc_va6_fix(key));
	return HIT | a_icrc_va6_icrc_va6_fix;
}

/* table pipe.Egress.copy.icrc_va7, rewrite.p4:125 */
INLINE u32 eg_icrc_va7_apply(struct egress *s)
{
	u32 key = (u32)(u8)s->md.va_diff; /* rewrite.p4:125 */
	eg_icrc_va7_fix(s, lookup_icrc_va7_fix(key));
	return HIT | a_icrc_va7_icrc_va7_fix;
}

/* table pipe.Egress.address.leader, rewrite.p4:190 */
INLINE u32 eg_leader_apply(struct egress *s)
{
	u32 key = s->hdr.bridge.group; /* rewrite.p4:191 */
	union value_leader *value = lookup_leader(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		eg_unknown_leader(s);
		return a_leader_unknown_leader;
	}
	u32 action = value->action - !!hit;
	switch (action) {
		case a_leader_to_leader:
			eg_to_leader(s, value->to_leader.src_mac, value->to_leader.dst_mac, value->to_leader.dst_ip, value->to_leader.dst_qp, value->to_leader.neutral);
			break;
		case a_leader_unknown_leader:
			eg_unknown_leader(s);
			break;
	}
	return hit | action;
}

/* table pipe.Egress.answer.answer_syndrome, rewrite.p4:221 */
INLINE u32 eg_answer_syndrome_apply(struct egress *s)
{
	u32 key = (u32)s->md.syndrome_diff; /* rewrite.p4:221 */
	eg_answer_syndrome_fix(s, lookup_answer_syndrome_fix(key));
	return HIT | a_answer_syndrome_answer_syndrome_fix;
}

/* table pipe.Egress.answer.answer_psn0, rewrite.p4:215 */
INLINE u32 eg_answer_psn0_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.psn_diff >> 16); /* rewrite.p4:215 */
	eg_answer_psn0_fix(s, lookup_answer_psn0_fix(key));
	return HIT | a_answer_psn0_answer_psn0_fix;
}

/* table pipe.Egress.answer.answer_psn1, rewrite.p4:217 */
INLINE u32 eg_answer_psn1_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.psn_diff >> 8); /* rewrite.p4:217 */
	eg_answer_psn1_fix(s, lookup_answer_psn1_fix(key));
	return HIT | a_answer_psn1_answer_psn1_fix;
}

/* table pipe.Egress.answer.answer_psn2, rewrite.p4:219 */
INLINE u32 eg_answer_psn2_apply(struct egress *s)
{
	u32 key = (u32)(u8)s->md.psn_diff; /* rewrite.p4:219 */
	eg_answer_psn2_fix(s, lookup_answer_psn2_fix(key));
	return HIT | a_answer_psn2_answer_psn2_fix;
}

/* table pipe.Egress.mark.queue_limit, mark.p4:41 */
INLINE u32 eg_queue_limit_apply(struct egress *s)
{
	union value_queue_limit *value = 0;
	u32 hit = value ? HIT : 0;
	if (!value) {
		value = default_queue_limit();
		if (!value)
			return 0;
	}
	switch (value->action) {
		case a_queue_limit_limit:
			eg_limit(s, value->limit.depth);
			break;
	}
	return hit | value->action;
}

/* table pipe.Egress.mark.ecn, mark.p4:56 */
INLINE u32 eg_ecn_apply(struct egress *s)
{
	if (((u8)eg_hdr_ipv4_tos(s) & 3) == 0) { /* mark.p4:65 */
		eg_NoAction(s);
		return HIT | a_ecn_NoAction;
	}
	if (((u8)eg_hdr_ipv4_tos(s) & 3) == 3) { /* mark.p4:66 */
		eg_NoAction(s);
		return HIT | a_ecn_NoAction;
	}
	if (s->md.room == 0) { /* mark.p4:67 */
		eg_congestion_experienced(s);
		return HIT | a_ecn_congestion_experienced;
	}
	if (s->md.color == 0) { /* mark.p4:68 */
		eg_NoAction(s);
		return HIT | a_ecn_NoAction;
	}
	eg_congestion_experienced(s);
	return HIT | a_ecn_congestion_experienced;
}

/* Parser of the egress: on an error, parser_error says which (TNA numbers). */
/* Returns the number of the state that it ended in, if that has code of its own. */
INLINE u32 eg_parse(struct egress *s, u8 *p, u8 *end)
{
	/* state start, parser.p4:129 */
	s->md.remade = 0; /* parser.p4:132 */
	s->md.room = 0; /* parser.p4:132 */
	s->md.color = 0; /* parser.p4:132 */
	s->md.unknown = 0; /* parser.p4:132 */
	s->md.neutral = 0; /* parser.p4:132 */
	s->md.delta = 0; /* parser.p4:132 */
	s->md.psn_diff = 0; /* parser.p4:132 */
	s->md.va_old = 0ULL; /* parser.p4:132 */
	s->md.va_diff = 0ULL; /* parser.p4:132 */
	s->md.syndrome_diff = 0; /* parser.p4:132 */
	s->md.fix0 = 0; /* parser.p4:132 */
	s->md.fix1 = 0; /* parser.p4:132 */
	s->md.fix2 = 0; /* parser.p4:132 */
	s->md.fix3 = 0; /* parser.p4:132 */
	{
		u8 key0 = s->hdr.bridge.kind;
		if (key0 == KIND_SCATTER)
			goto state_parse_roce; /* parser.p4:154 */
		if (key0 == KIND_NAK)
			goto state_parse_roce; /* parser.p4:155 */
		if (key0 == KIND_ACK)
			goto state_parse_roce; /* parser.p4:156 */
		if (key0 == KIND_CNP)
			goto state_parse_roce; /* parser.p4:157 */
		goto state_parse_ethernet; /* parser.p4:158 */
	}
state_parse_ethernet:;
	/* state parse_ethernet, parser.p4:186 */
	if (unlikely(p + 14 > end))
		{ aside(); goto partial; }; /* parser.p4:187 */
	s->valid |= EG_hdr_ethernet;
	p += 14;
	{
		u16 key0 = eg_hdr_ethernet_ether_type(s);
		if (key0 == ETHERTYPE_IPV4)
			goto state_peek_ipv4; /* parser.p4:189 */
		{ aside(); return 0; }; /* parser.p4:190 */
	}
state_peek_ipv4:;
	/* state peek_ipv4, parser.p4:194 */
	if (unlikely(p + 1 > end))
		{ aside(); goto partial; }; /* parser.p4:195 */
	s->tmp.lookahead = ld8(p);
	{
		u8 key0 = s->tmp.lookahead;
		if (key0 == 0x45)
			goto state_parse_ipv4; /* parser.p4:196 */
		{ aside(); return 0; }; /* parser.p4:197 */
	}
state_parse_ipv4:;
	/* state parse_ipv4, parser.p4:201 */
	if (unlikely(p + 20 > end))
		{ aside(); goto partial; }; /* parser.p4:202 */
	s->valid |= EG_hdr_ipv4;
	p += 20;
	{ aside(); return 0; };
state_parse_roce:;
	/* state parse_roce, parser.p4:207 */
	if (unlikely(p + 14 > end))
		{ aside(); goto partial; }; /* parser.p4:208 */
	s->valid |= EG_hdr_ethernet;
	p += 14;
	if (unlikely(p + 20 > end))
		{ aside(); goto partial; }; /* parser.p4:209 */
	s->valid |= EG_hdr_ipv4;
	p += 20;
	if (unlikely(p + 8 > end))
		{ aside(); goto partial; }; /* parser.p4:210 */
	s->valid |= EG_hdr_udp;
	p += 8;
	if (unlikely(p + 12 > end))
		{ aside(); goto partial; }; /* parser.p4:211 */
	s->valid |= EG_hdr_bth;
	p += 12;
	{
		u8 key0 = eg_hdr_bth_opcode(s);
		if (key0 == RC_WRITE_FIRST)
			goto state_parse_reth; /* parser.p4:213 */
		if (key0 == RC_WRITE_ONLY)
			goto state_parse_reth; /* parser.p4:214 */
		if (key0 == RC_WRITE_ONLY_IMM)
			goto state_parse_reth; /* parser.p4:215 */
		if (key0 == RC_ACK)
			goto state_parse_aeth; /* parser.p4:216 */
		{ aside(); return 0; }; /* parser.p4:217 */
	}
state_parse_reth:;
	/* state parse_reth, parser.p4:222 */
	if (unlikely(p + 16 > end))
		{ aside(); goto partial; }; /* parser.p4:223 */
	s->valid |= EG_hdr_reth;
	p += 16;
	return 1;
state_parse_aeth:;
	/* state parse_aeth, parser.p4:228 */
	if (unlikely(p + 4 > end))
		{ aside(); goto partial; }; /* parser.p4:229 */
	s->valid |= EG_hdr_aeth;
	p += 4;
	return 2;
partial:;
	s->parser_error = 0x2;
	{ aside(); return 0; };
}

/* Deparser of the egress, but for the emits. */
INLINE void eg_deparse(struct egress *s)
{
	if (s->md.remade) { /* parser.p4:242 */
		{ /* parser.p4:245 */
			u64 sum = 0, raw = 0;
			raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 0) : 0;
			raw += (s->valid & EG_hdr_ipv4) ? raw16((s->data + 14) + 4) : 0;
			raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 6) : 0;
			raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 12) : 0;
			raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 16) : 0;
			u16 check = ~csum_fold(sum + csum_raw(raw));
			eg_set_hdr_ipv4_checksum(s, check);
		}
	}
}

/* Brings the headers into the packet. Those that stay there have been rewritten
 * already. Returns XDP_PASS, or a verdict when it is not possible. */
INLINE int eg_rewrite(struct egress *s, struct xdp_md *ctx)
{
	if (likely(!((s->valid ^ s->extracted) & (EG_hdr_packet_in))))
		return XDP_PASS;

	/* Save what stays, make room, write everything again. */
	u32 parsed = 0, size = 0;
	u32 zero = 0;
	struct eg_saved *saved = bpf_map_lookup_elem(&eg_scratch, &zero);
	if (!saved)
		return drop(P4_NO_HEADROOM);
	if (s->extracted & EG_hdr_ethernet)
		parsed += 14;
	if (s->extracted & EG_hdr_ipv4)
		parsed += 20;
	if (s->extracted & EG_hdr_udp)
		parsed += 8;
	if (s->extracted & EG_hdr_bth)
		parsed += 12;
	if (s->extracted & EG_hdr_reth)
		parsed += 16;
	if (s->extracted & EG_hdr_aeth)
		parsed += 4;
	if (s->valid & EG_hdr_packet_in) {
		size += 4;
	}
	if (s->valid & EG_hdr_ethernet) {
		memcpy(saved->hdr_ethernet, s->data, 14);
		size += 14;
	}
	if (s->valid & EG_hdr_ipv4) {
		memcpy(saved->hdr_ipv4, (s->data + 14), 20);
		size += 20;
	}
	if (s->valid & EG_hdr_udp) {
		memcpy(saved->hdr_udp, (s->data + 34), 8);
		size += 8;
	}
	if (s->valid & EG_hdr_bth) {
		memcpy(saved->hdr_bth, (s->data + 42), 12);
		size += 12;
	}
	if (s->valid & EG_hdr_reth) {
		memcpy(saved->hdr_reth, (s->data + 54), 16);
		size += 16;
	}
	if (s->valid & EG_hdr_aeth) {
		memcpy(saved->hdr_aeth, (s->data + 54), 4);
		size += 4;
	}
	if (parsed != size && bpf_xdp_adjust_head(ctx, (int)(parsed - size)))
		return drop(P4_NO_HEADROOM);
	u8 *p = PTR(ctx->data), *end = PTR(ctx->data_end);
	if (s->valid & EG_hdr_packet_in) {
		if (p + 4 > end)
			return drop(P4_NO_HEADROOM);
		st16(p, (u64)s->hdr.packet_in.pad << 9 | s->hdr.packet_in.ingress_port);
		st16(p + 2, s->hdr.packet_in.reason);
		p += 4;
	}
	if (s->valid & EG_hdr_ethernet) {
		if (p + 14 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_ethernet, 14);
		p += 14;
	}
	if (s->valid & EG_hdr_ipv4) {
		if (p + 20 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_ipv4, 20);
		p += 20;
	}
	if (s->valid & EG_hdr_udp) {
		if (p + 8 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_udp, 8);
		p += 8;
	}
	if (s->valid & EG_hdr_bth) {
		if (p + 12 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_bth, 12);
		p += 12;
	}
	if (s->valid & EG_hdr_reth) {
		if (p + 16 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_reth, 16);
		p += 16;
	}
	if (s->valid & EG_hdr_aeth) {
		if (p + 4 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_aeth, 4);
		p += 4;
	}
	return XDP_PASS;
}

INLINE int in_done(struct ingress *s, struct xdp_md *ctx)
{
	if (unlikely(s->contention))
		return drop(P4_CONTENTION);
	in_deparse(s);
	if (s->ig_dprsr_md.drop_ctl & 1)
		return drop(P4_PROGRAM_DROP);
	u32 group = s->ig_tm_md.mcast_grp_a, out = s->ig_tm_md.ucast_egress_port;
	int to_port = s->unicast && out != P4_NOWHERE;
	if (unlikely(!group && !to_port))
		return drop(P4_NO_DESTINATION);
	int verdict = in_rewrite(s, ctx);
	if (verdict != XDP_PASS)
		return verdict;
	if (unlikely(!(s->valid & IN_hdr_bridge)))
		return drop(P4_NO_BRIDGE);
	struct meta *m = s->m;
	m->p4.group = group;
	m->p4.egress_port = out;
	if (group) {
		m->p4.sequence = next_sequence();
		if (unlikely(to_port)) {
			m->p4.flags = P4_TO_PORT;
			return forward_both(out);
		}
		m->p4.flags = 0;
		return forward_multicast(group);
	}
	m->p4.flags = 0;
	m->p4.sequence = 0;
	return forward_unicast(out);
}

/* What follows, rdma.p4:89. */
INLINE int in_then1(struct ingress *s, struct xdp_md *ctx)
{
	if (s->md.reason != REASON_NONE) { /* rdma.p4:124 */
		s->ig_tm_md.ucast_egress_port = PORT_CPU; /* rdma.p4:125 */
		s->unicast = 1;
		if (s->valid & IN_hdr_bridge)
			in_set_hdr_bridge_reason(s, s->md.reason); /* rdma.p4:126 */
		COUNT(c_punts, 16, 16, s->md.reason, punts, s->length); /* rdma.p4:127 */
	}
	if (s->md.drop != DROP_NONE) { /* rdma.p4:129 */
		s->ig_dprsr_md.drop_ctl = 1; /* rdma.p4:130 */
		COUNT(c_drops, 16, 16, s->md.drop, drops, s->length); /* rdma.p4:131 */
	}
	return in_done(s, ctx);
}

/* What follows, rdma.p4:98. */
INLINE int in_then2(struct ingress *s, struct xdp_md *ctx)
{
	if (s->md.role == ROLE_NONE) { /* rdma.p4:99 */
		{ /* forward */
			if (!!(s->valid & IN_hdr_ipv4)) { /* forward.p4:203 */
				aside();
				s->md.family = FAMILY_IPV4; /* forward.p4:204 */
			}
			in_may_send_apply(s); /* forward.p4:206 */
			in_own_mac_apply(s); /* forward.p4:207 */
			in_own_ip_apply(s); /* forward.p4:208 */
			if (!!(s->valid & IN_hdr_ipv4)) { /* forward.p4:209 */
				in_switch_ip_apply(s); /* forward.p4:210 */
			}
			if (s->md.family == FAMILY_WRAPPED) { /* forward.p4:217 */
				aside();
				s->md.drop = DROP_WRAPPED; /* forward.p4:218 */
			} else {
				if (s->md.refused != 0) { /* forward.p4:219 */
					aside();
					s->md.drop = DROP_PORT_FAMILY; /* forward.p4:220 */
				} else {
					if (s->md.own == 1) { /* forward.p4:221 */
						aside();
						s->md.drop = DROP_OWN_ADDRESS; /* forward.p4:222 */
					} else {
						if (in_hdr_ethernet_ether_type(s) == ETHERTYPE_ARP) { /* forward.p4:223 */
							aside();
							s->md.reason = REASON_ARP; /* forward.p4:224 */
						} else {
							if ((s->md.mac_elsewhere != 0) || (s->md.ip_elsewhere != 0)) { /* forward.p4:225 */
								aside();
								s->md.drop = DROP_FOREIGN_SOURCE; /* forward.p4:226 */
							} else {
								if (s->md.local == 1) { /* forward.p4:227 */
									{ /* local */
										if (!(s->valid & IN_hdr_bth)) { /* local.p4:10 */
											aside();
											s->md.reason = REASON_LOCAL; /* local.p4:11 */
										} else {
											if ((in_hdr_bth_dst_qp(s) == QPN_CM) && (in_hdr_bth_opcode(s) == UD_SEND_ONLY)) { /* local.p4:12 */
												aside();
												s->md.reason = REASON_CM; /* local.p4:13 */
											} else {
												s->md.drop = DROP_UNKNOWN_QP; /* local.p4:15 */
											}
										}
									}
								} else {
									in_l2_apply(s); /* forward.p4:238 */
									if (s->md.routed) { /* forward.p4:240 */
										if (!(s->valid & IN_hdr_ipv4)) { /* forward.p4:241 */
											aside();
											s->md.reason = REASON_LOCAL; /* forward.p4:242 */
										} else {
											if (in_hdr_ipv4_ttl(s) < 2) { /* forward.p4:243 */
												aside();
												s->md.reason = REASON_TTL; /* forward.p4:244 */
											} else {
												{ /* forward.p4:247 */
													u32 crc = 0xffffffff;
													if (likely((s->valid & (IN_hdr_ipv4)) == (IN_hdr_ipv4))) {
														crc = crc32_8(crc32_04c11db7, crc ^ (u32)raw32((s->data + 14) + 12), (u32)raw32((s->data + 14) + 16));
														crc = crc32_4(crc32_04c11db7, crc ^ ((u32)(u8)in_hdr_ipv4_protocol(s) << 0 | (u32)(u8)(s->md.flow_qp >> 16) << 8 | (u32)(u8)(s->md.flow_qp >> 8) << 16 | (u32)(u8)s->md.flow_qp << 24));
													} else {
														crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 12) : 0x0), ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 16) : 0x0));
														crc = crc32_4(crc32_04c11db7, crc ^ ((u32)(u8)in_hdr_ipv4_protocol(s) << 0 | (u32)(u8)(s->md.flow_qp >> 16) << 8 | (u32)(u8)(s->md.flow_qp >> 8) << 16 | (u32)(u8)s->md.flow_qp << 24));
													}
													s->md.flow = ((u8)(crc ^ 0xffffffff) & 0x3f);
												}
												in_l3_apply(s); /* forward.p4:249 */
												if (s->md.paths != PATHS_NONE) { /* forward.p4:251 */
													in_paths_apply(s); /* forward.p4:252 */
												}
											}
										}
									}
								}
							}
						}
					}
				}
			}
		}
	} else {
		{ /* window */
			struct r_group *row = ELEMENT(r_group, 4096, s->md.group);
			barrier_var(row);
			if (likely(row))
				in_window_with_r_group(s, row);
			else
				in_window_with_r_group(s, 0);
		}
		{ /* slots */
			struct r_group *row = ELEMENT(r_group, 4096, s->md.group);
			barrier_var(row);
			if (likely(row))
				in_slots_with_r_group(s, row);
			else
				in_slots_with_r_group(s, 0);
		}
		if ((((s->md.class == CLASS_COPY) || (s->md.class == CLASS_WRITE)) || (s->md.class == CLASS_RELAY_COPY)) || (s->md.class == CLASS_RELAY_WRITE)) { /* rdma.p4:106 */
			{ /* scatter */
				if ((s->md.class == CLASS_WRITE) || (s->md.class == CLASS_RELAY_WRITE)) { /* scatter.p4:90 */
					in_region_apply(s); /* scatter.p4:91 */
					in_check_apply(s); /* scatter.p4:92 */
				}
				if ((s->md.reason == REASON_NONE) && (s->md.drop == DROP_NONE)) { /* scatter.p4:94 */
					s->ig_tm_md.mcast_grp_a = s->md.multicast_group; /* scatter.p4:95 */
					if (s->valid & IN_hdr_bridge)
						in_set_hdr_bridge_kind(s, KIND_SCATTER); /* scatter.p4:96 */
					COUNT(c_by_group, 4096, 4096, s->md.group, scattered, s->length); /* scatter.p4:101 */
				}
			}
		} else {
			{ /* answers */
				struct r_group *row = ELEMENT(r_group, 4096, s->md.group);
				barrier_var(row);
				if (likely(row))
					in_answers_with_r_group(s, row);
				else
					in_answers_with_r_group(s, 0);
			}
			if (((s->md.class == CLASS_NAK) && (s->md.heard == 1)) && (((u8)(in_hdr_aeth_syndrome(s) >> 6) & 1) == 1)) { /* rdma.p4:117 */
				aside();
				s->ig_dprsr_md.digest_type = DIGEST_NAK; /* rdma.p4:118 */
			}
		}
	}
	return in_then1(s, ctx);
}

/* Control of the ingress. */
INLINE int in_control(struct ingress *s, struct xdp_md *ctx)
{
	COUNT(c_port_rx, 512, 512, s->ig_intr_md.ingress_port, port_rx, s->length); /* rdma.p4:71 */
	if (!(s->valid & IN_hdr_bridge)) { /* rdma.p4:72 */
		s->valid |= IN_hdr_bridge;
	}
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_kind(s, KIND_PLAIN); /* rdma.p4:73 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_syndrome(s, 0); /* rdma.p4:74 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_reason(s, REASON_NONE); /* rdma.p4:75 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_pad(s, 0); /* rdma.p4:76 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_ingress_port(s, s->ig_intr_md.ingress_port); /* rdma.p4:77 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_group(s, 0); /* rdma.p4:78 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_psn(s, 0); /* rdma.p4:79 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_icrc(s, 0); /* rdma.p4:80 */
	s->md.p = (u32)((u32)in_hdr_bth_psn_word(s) << 8); /* rdma.p4:88 */
	if (s->ig_prsr_md.parser_err != 0) { /* rdma.p4:89 */
		aside();
		s->md.drop = DROP_MALFORMED; /* rdma.p4:90 */
	} else {
		if (!!(s->valid & IN_hdr_packet_out)) { /* rdma.p4:91 */
			s->ig_tm_md.ucast_egress_port = in_hdr_packet_out_egress_port(s); /* rdma.p4:92 */
			s->unicast = 1;
			s->valid &= ~IN_hdr_packet_out; /* rdma.p4:93 */
		} else {
			if (s->md.checksum_error) { /* rdma.p4:94 */
				aside();
				s->md.drop = DROP_IP_CHECKSUM; /* rdma.p4:95 */
			} else {
				{ /* ports */
					in_port_group_apply(s); /* ports.p4:36 */
				}
				{ /* group */
					if (!!(s->valid & IN_hdr_aeth)) { /* group.p4:237 */
						{ /* group.p4:238 */
							u32 crc = 0xdebb20e3;
							if (likely((s->valid & (IN_hdr_ipv4 | IN_hdr_udp | IN_hdr_bth | IN_hdr_aeth | IN_hdr_icrc)) == (IN_hdr_ipv4 | IN_hdr_udp | IN_hdr_bth | IN_hdr_aeth | IN_hdr_icrc))) {
								crc = crc32_8(crc32_04c11db7, crc ^ (u32)(raw32((s->data + 14) + 0) | 0xff00), (u32)raw32((s->data + 14) + 4));
								crc = crc32_8(crc32_04c11db7, crc ^ (u32)(raw32((s->data + 14) + 8) | 0xffff00ff), (u32)raw32((s->data + 14) + 12));
								crc = crc32_8(crc32_04c11db7, crc ^ (u32)raw32((s->data + 14) + 16), (u32)raw32((s->data + 34) + 0));
								crc = crc32_8(crc32_04c11db7, crc ^ (u32)(raw32((s->data + 34) + 4) | 0xffff0000), (u32)raw32((s->data + 42) + 0));
								crc = crc32_8(crc32_04c11db7, crc ^ (u32)(raw32((s->data + 42) + 4) | 0xff), (u32)raw32((s->data + 42) + 8));
								crc = crc32_8(crc32_04c11db7, crc ^ (u32)raw32((s->data + 54) + 0), (u32)raw32(s->at_hdr_icrc + 0));
							} else {
								crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)(raw32((s->data + 14) + 0) | 0xff00) : 0xff00), ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 4) : 0x0));
								crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)(raw32((s->data + 14) + 8) | 0xffff00ff) : 0xffff00ff), ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 12) : 0x0));
								crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 16) : 0x0), ((s->valid & IN_hdr_udp) ? (u32)raw32((s->data + 34) + 0) : 0x0));
								crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_udp) ? (u32)(raw32((s->data + 34) + 4) | 0xffff0000) : 0xffff0000), ((s->valid & IN_hdr_bth) ? (u32)raw32((s->data + 42) + 0) : 0x0));
								crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_bth) ? (u32)(raw32((s->data + 42) + 4) | 0xff) : 0xff), ((s->valid & IN_hdr_bth) ? (u32)raw32((s->data + 42) + 8) : 0x0));
								crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_aeth) ? (u32)raw32((s->data + 54) + 0) : 0x0), ((s->valid & IN_hdr_icrc) ? (u32)raw32(s->at_hdr_icrc + 0) : 0x0));
							}
							s->md.crc = (u32)(crc ^ 0xffffffff);
						}
					} else {
						if (!!(s->valid & IN_hdr_cnp)) { /* group.p4:239 */
							{ /* group.p4:240 */
								u32 crc = 0xdebb20e3;
								if (likely((s->valid & (IN_hdr_ipv4 | IN_hdr_udp | IN_hdr_bth | IN_hdr_cnp | IN_hdr_icrc)) == (IN_hdr_ipv4 | IN_hdr_udp | IN_hdr_bth | IN_hdr_cnp | IN_hdr_icrc))) {
									crc = crc32_8(crc32_04c11db7, crc ^ (u32)(raw32((s->data + 14) + 0) | 0xff00), (u32)raw32((s->data + 14) + 4));
									crc = crc32_8(crc32_04c11db7, crc ^ (u32)(raw32((s->data + 14) + 8) | 0xffff00ff), (u32)raw32((s->data + 14) + 12));
									crc = crc32_8(crc32_04c11db7, crc ^ (u32)raw32((s->data + 14) + 16), (u32)raw32((s->data + 34) + 0));
									crc = crc32_8(crc32_04c11db7, crc ^ (u32)(raw32((s->data + 34) + 4) | 0xffff0000), (u32)raw32((s->data + 42) + 0));
									crc = crc32_8(crc32_04c11db7, crc ^ (u32)(raw32((s->data + 42) + 4) | 0xff), (u32)raw32((s->data + 42) + 8));
									crc = crc32_8(crc32_04c11db7, crc ^ (u32)raw32((s->data + 54) + 0), (u32)raw32((s->data + 54) + 4));
									crc = crc32_8(crc32_04c11db7, crc ^ (u32)raw32((s->data + 54) + 8), (u32)raw32((s->data + 54) + 12));
									crc = crc32_4(crc32_04c11db7, crc ^ (u32)raw32(s->at_hdr_icrc + 0));
								} else {
									crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)(raw32((s->data + 14) + 0) | 0xff00) : 0xff00), ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 4) : 0x0));
									crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)(raw32((s->data + 14) + 8) | 0xffff00ff) : 0xffff00ff), ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 12) : 0x0));
									crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 16) : 0x0), ((s->valid & IN_hdr_udp) ? (u32)raw32((s->data + 34) + 0) : 0x0));
									crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_udp) ? (u32)(raw32((s->data + 34) + 4) | 0xffff0000) : 0xffff0000), ((s->valid & IN_hdr_bth) ? (u32)raw32((s->data + 42) + 0) : 0x0));
									crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_bth) ? (u32)(raw32((s->data + 42) + 4) | 0xff) : 0xff), ((s->valid & IN_hdr_bth) ? (u32)raw32((s->data + 42) + 8) : 0x0));
									crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_cnp) ? (u32)raw32((s->data + 54) + 0) : 0x0), ((s->valid & IN_hdr_cnp) ? (u32)raw32((s->data + 54) + 4) : 0x0));
									crc = crc32_8(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_cnp) ? (u32)raw32((s->data + 54) + 8) : 0x0), ((s->valid & IN_hdr_cnp) ? (u32)raw32((s->data + 54) + 12) : 0x0));
									crc = crc32_4(crc32_04c11db7, crc ^ ((s->valid & IN_hdr_icrc) ? (u32)raw32(s->at_hdr_icrc + 0) : 0x0));
								}
								s->md.crc = (u32)(crc ^ 0xffffffff);
							}
						}
					}
					s->md.intact = is_zero(s->md.crc ^ 0x2144df1c); /* group.p4:242 */
					if (!!(s->valid & IN_hdr_bth)) { /* group.p4:247 */
						in_qp_apply(s); /* group.p4:248 */
					}
					if (s->md.role != ROLE_NONE) { /* group.p4:250 */
						switch (in_classify_apply(s) & ~HIT) { /* each with code of its own, group.p4:251 */
							case a_classify_write:
								return in_then2(s, ctx);
							case a_classify_ack:
								return in_then2(s, ctx);
						}
					}
				}
				return in_then2(s, ctx);
			}
		}
	}
	return in_then1(s, ctx);
}

INLINE int in_parsed(struct ingress *s, struct xdp_md *ctx)
{
	s->ig_prsr_md.parser_err = s->parser_error;
	return in_control(s, ctx);
}

/* A packet from a port; time: now, or 0 to look at the clock when needed. */
INLINE int run_ingress(struct xdp_md *ctx, u32 port, u64 time)
{
	struct ingress state = {}, *s = &state;
	s->time = time;
	/* Whatever metadata the frame came with is replaced by ours. */
	if (bpf_xdp_adjust_meta(ctx, (int)(ctx->data - ctx->data_meta) - (int)sizeof(struct meta)))
		return drop(P4_NO_METADATA);
	u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
	struct meta *m = PTR(ctx->data_meta);
	if ((void *)(m + 1) > (void *)data)
		return drop(P4_NO_METADATA);
	s->m = m;
	s->length = (u32)(end - data);
	m->p4.length = s->length;
	s->ig_intr_md.ingress_port = port;
	s->data = data;
	u32 way = in_parse(s, data, end);
	if (way == 1) { /* parse_reth */
		s->valid = s->extracted = IN_hdr_ethernet | IN_hdr_ipv4 | IN_hdr_udp | IN_hdr_bth | IN_hdr_reth;
		s->parser_error = 0;
		return in_parsed(s, ctx);
	}
	if (way == 2) { /* parse_aeth */
		s->valid = s->extracted = IN_hdr_ethernet | IN_hdr_ipv4 | IN_hdr_udp | IN_hdr_bth | IN_hdr_aeth | IN_hdr_icrc;
		s->parser_error = 0;
		return in_parsed(s, ctx);
	}
	barrier_var(s->valid);
	__builtin_assume(!(s->valid & (IN_hdr_bridge | IN_hdr_packet_in))); /* never parsed */
	s->extracted = s->valid;
	return in_parsed(s, ctx);
}

INLINE int eg_done(struct egress *s, struct xdp_md *ctx)
{
	if (unlikely(s->contention))
		return drop(P4_CONTENTION);
	eg_deparse(s);
	if (s->eg_dprsr_md.drop_ctl & 1)
		return drop(P4_EGRESS_DROP);
	return eg_rewrite(s, ctx);
}

/* Control of the egress. */
INLINE int eg_control(struct egress *s, struct xdp_md *ctx)
{
	if (s->hdr.bridge.kind == KIND_PLAIN) { /* rdma.p4:160 */
		if (s->eg_intr_md.egress_port == PORT_CPU) { /* rdma.p4:161 */
			{ /* punt */
				if (!(s->valid & EG_hdr_packet_in)) { /* punt.p4:28 */
					s->valid |= EG_hdr_packet_in;
				}
				if (s->valid & EG_hdr_packet_in)
					s->hdr.packet_in.pad = s->hdr.bridge.pad; /* punt.p4:29 */
				if (s->valid & EG_hdr_packet_in)
					s->hdr.packet_in.ingress_port = s->hdr.bridge.ingress_port; /* punt.p4:30 */
				if (s->valid & EG_hdr_packet_in)
					s->hdr.packet_in.reason = s->hdr.bridge.reason; /* punt.p4:31 */
				s->tmp.color = METER(m_punt_rate, ((u32)s->hdr.bridge.ingress_port << 4 | ((u8)s->hdr.bridge.reason & 0xf)), eg_now(s), 1); /* punt.p4:32 */
				if (s->tmp.color == METER_RED) { /* punt.p4:32 */
					s->eg_dprsr_md.drop_ctl = 1; /* punt.p4:33 */
					COUNT(c_limited, 512, 512, s->hdr.bridge.ingress_port, limited, s->length); /* punt.p4:34 */
				}
			}
		}
	} else {
		if (s->hdr.bridge.kind == KIND_SCATTER) { /* rdma.p4:176 */
			{ /* copy */
				eg_endpoint_apply(s); /* rewrite.p4:129 */
				if (s->md.unknown == 0) { /* rewrite.p4:130 */
					s->md.psn_diff = eg_hdr_bth_psn_word(s); /* rewrite.p4:131 */
					if (s->valid & EG_hdr_bridge)
						s->hdr.bridge.psn = (u32)(s->hdr.bridge.psn + s->md.delta); /* rewrite.p4:132 */
					eg_set_hdr_bth_psn_word(s, (u32)((eg_hdr_bth_psn_word(s) & (u32)~((u32)0xffffff << 0)) | (u32)(s->hdr.bridge.psn >> 8) << 0)); /* rewrite.p4:133 */
					s->md.psn_diff = (s->md.psn_diff ^ eg_hdr_bth_psn_word(s)); /* rewrite.p4:134 */
					if (!!(s->valid & EG_hdr_reth)) { /* rewrite.p4:135 */
						s->md.va_diff = (s->md.va_old ^ eg_hdr_reth_va(s)); /* rewrite.p4:136 */
					} else {
						s->md.fix1 = 0; /* rewrite.p4:138 */
					}
					eg_icrc_psn0_apply(s); /* rewrite.p4:140 */
					eg_icrc_psn1_apply(s); /* rewrite.p4:141 */
					eg_icrc_psn2_apply(s); /* rewrite.p4:142 */
					if (!!(s->valid & EG_hdr_reth)) { /* rewrite.p4:143 */
						eg_icrc_va0_apply(s); /* rewrite.p4:144 */
						eg_icrc_va1_apply(s); /* rewrite.p4:145 */
						eg_icrc_va2_apply(s); /* rewrite.p4:146 */
						eg_icrc_va3_apply(s); /* rewrite.p4:147 */
						eg_icrc_va4_apply(s); /* rewrite.p4:148 */
						eg_icrc_va5_apply(s); /* rewrite.p4:149 */
						eg_icrc_va6_apply(s); /* rewrite.p4:150 */
						eg_icrc_va7_apply(s); /* rewrite.p4:151 */
					}
					s->md.fix0 = (s->md.fix0 ^ s->md.fix1); /* rewrite.p4:153 */
					s->md.fix2 = (s->md.fix2 ^ s->md.fix3); /* rewrite.p4:154 */
					s->md.fix0 = (s->md.fix0 ^ s->md.fix2); /* rewrite.p4:155 */
					if (s->md.neutral == 1) { /* rewrite.p4:156 */
						eg_set_hdr_ipv4_identification(s, (eg_hdr_ipv4_identification(s) ^ (u16)(s->md.fix0 >> 16))); /* rewrite.p4:157 */
						eg_set_hdr_udp_src_port(s, (eg_hdr_udp_src_port(s) ^ (u16)s->md.fix0)); /* rewrite.p4:158 */
					}
				}
			}
		} else {
			{ /* address */
				eg_leader_apply(s); /* rewrite.p4:198 */
			}
			{ /* answer */
				s->md.psn_diff = eg_hdr_bth_psn_word(s); /* rewrite.p4:226 */
				eg_set_hdr_bth_psn_word(s, (u32)((eg_hdr_bth_psn_word(s) & (u32)~((u32)0xffffff << 0)) | (u32)(s->hdr.bridge.psn >> 8) << 0)); /* rewrite.p4:227 */
				s->md.psn_diff = (s->md.psn_diff ^ eg_hdr_bth_psn_word(s)); /* rewrite.p4:228 */
				s->md.fix1 = 0; /* rewrite.p4:230 */
				if (s->hdr.bridge.kind == KIND_ACK) { /* rewrite.p4:231 */
					s->md.syndrome_diff = (eg_hdr_aeth_syndrome(s) ^ s->hdr.bridge.syndrome); /* rewrite.p4:232 */
					eg_set_hdr_aeth_syndrome(s, s->hdr.bridge.syndrome); /* rewrite.p4:233 */
					eg_answer_syndrome_apply(s); /* rewrite.p4:235 */
				}
				if (s->md.neutral == 1) { /* rewrite.p4:238 */
					eg_answer_psn0_apply(s); /* rewrite.p4:239 */
					eg_answer_psn1_apply(s); /* rewrite.p4:240 */
					eg_answer_psn2_apply(s); /* rewrite.p4:241 */
					s->md.fix0 = (s->md.fix0 ^ s->md.fix1); /* rewrite.p4:247 */
					eg_set_hdr_ipv4_identification(s, (eg_hdr_ipv4_identification(s) ^ (u16)(s->md.fix0 >> 16))); /* rewrite.p4:248 */
					eg_set_hdr_udp_src_port(s, (eg_hdr_udp_src_port(s) ^ (u16)s->md.fix0)); /* rewrite.p4:249 */
				}
			}
		}
	}
	if (s->eg_dprsr_md.drop_ctl == 0) { /* rdma.p4:183 */
		if (s->md.unknown == 1) { /* rdma.p4:184 */
			aside();
			s->eg_dprsr_md.drop_ctl = 1; /* rdma.p4:185 */
		} else {
			{ /* mark */
				eg_queue_limit_apply(s); /* mark.p4:75 */
				s->md.color = METER(m_virtual_queue, s->eg_intr_md.egress_port, eg_now(s), s->length); /* mark.p4:76 */
				if (!!(s->valid & EG_hdr_ipv4)) { /* mark.p4:77 */
					eg_ecn_apply(s); /* mark.p4:78 */
				}
			}
			COUNT(c_by_egress_port, 512, 512, s->eg_intr_md.egress_port, port_tx, s->length); /* rdma.p4:188 */
		}
	}
	return eg_done(s, ctx);
}

INLINE int eg_parsed(struct egress *s, struct xdp_md *ctx)
{
	return eg_control(s, ctx);
}

/* A copy of a packet that leaves through a port; time as in the ingress. */
INLINE int run_egress(struct xdp_md *ctx, u32 port, u64 time)
{
	struct egress state = {}, *s = &state;
	s->time = time;
	struct meta *m = PTR(ctx->data_meta);
	if ((void *)(m + 1) > PTR(ctx->data))
		return drop(P4_NO_METADATA);
	u32 group = m->p4.group;
	u32 flags = m->p4.flags;
	u64 seq = m->p4.sequence;
	s->length = m->p4.length;
	s->valid |= EG_hdr_bridge;
	s->hdr.bridge.kind = m->bridge.kind;
	s->hdr.bridge.syndrome = m->bridge.syndrome;
	s->hdr.bridge.pad = ((m->bridge.pad_ingress_port >> 9) & 0x7f);
	s->hdr.bridge.ingress_port = (m->bridge.pad_ingress_port & 0x1ff);
	s->hdr.bridge.reason = m->bridge.reason;
	s->hdr.bridge.group = m->bridge.group;
	s->hdr.bridge.psn = m->bridge.psn;
	s->hdr.bridge.icrc = m->bridge.icrc;
	s32 rid = 0;
	if (unlikely(flags & P4_TO_PORT)) {
		rid = replication_id_or_port(group, seq, port, m->p4.egress_port);
		if (rid < 0)
			return XDP_DROP;
	} else if (group) {
		rid = replication_id(group, seq, port);
		if (unlikely(rid < 0))
			return drop(P4_NO_COPY);
	}
	/* Nobody behind the port shall see our metadata. */
	if (bpf_xdp_adjust_meta(ctx, (int)(ctx->data - ctx->data_meta)))
		return drop(P4_NO_METADATA);
	u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
	s->eg_intr_md.egress_port = port;
	s->eg_intr_md.egress_rid = rid;
	s->data = data;
	u32 way = eg_parse(s, data, end);
	if (way == 1) { /* parse_reth */
		s->valid = s->extracted = EG_hdr_bridge | EG_hdr_ethernet | EG_hdr_ipv4 | EG_hdr_udp | EG_hdr_bth | EG_hdr_reth;
		s->parser_error = 0;
		return eg_parsed(s, ctx);
	}
	if (way == 2) { /* parse_aeth */
		s->valid = s->extracted = EG_hdr_bridge | EG_hdr_ethernet | EG_hdr_ipv4 | EG_hdr_udp | EG_hdr_bth | EG_hdr_aeth;
		s->parser_error = 0;
		return eg_parsed(s, ctx);
	}
	if (unlikely(s->parser_error))
		return drop(P4_EGRESS_REJECT);
	barrier_var(s->valid);
	__builtin_assume(!(s->valid & (EG_hdr_packet_in | EG_hdr_packet_out | EG_hdr_vlan | EG_hdr_inner_vlan | EG_hdr_ipv6 | EG_hdr_cnp | EG_hdr_icrc))); /* never parsed */
	s->extracted = s->valid;
	return eg_parsed(s, ctx);
}

#include "p4xdp_main.h"
