/* Code generated from paxos.p4 by p4xc. DO NOT EDIT. */
#include "p4xdp.h"
#include "paxos.tables.h"

/* XDP metadata of a packet between the two programs. */
struct meta {
	struct p4_meta p4;
	struct {
		u8 became;
		u8 pad_ingress_port[2]; /* bit<7> pad, bit<9> ingress_port */
		u8 reason[2]; /* bit<16> reason */
		u8 sum[2]; /* bit<16> sum */
	} bridge __attribute__((aligned(8))); /* bridge_h */
};
_Static_assert(sizeof(struct meta) == 24, "size of the metadata");

/* Constants of the program. */
#define ACT_ACCEPT 2
#define ACT_FLOOR 4
#define ACT_LEARN 6
#define ACT_NONE 0
#define ACT_PREPARE 3
#define ACT_QUERY 5
#define ACT_REQUEST 1
#define AT_ACCEPTOR 2
#define AT_LEADER 1
#define AT_NONE 0
#define BECAME_ANSWER 8
#define BECAME_PLAIN 0x80
#define BECAME_VOTE 2
#define DROP_FOREIGN_SOURCE 0xf
#define DROP_IP_CHECKSUM 2
#define DROP_MALFORMED 1
#define DROP_NONE 0
#define DROP_NO_ROLE 6
#define DROP_OWN_ADDRESS 4
#define DROP_PORT_FAMILY 0xe
#define DROP_WRAPPED 0xd
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
#define FLAG_AGAIN 1
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
#define METER_RED 3
#define MSG_REFUSED 0xa
#define PORT_CPU 0x40
#define REASON_ARP 1
#define REASON_LOCAL 3
#define REASON_NONE 0
#define REASON_NO_ROUTE 4
#define REASON_TTL 5
#define REASON_UNKNOWN_DESTINATION 2
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
	IN_hdr_paxos = 0x200u,
	IN_hdr_piece0 = 0x400u,
	IN_hdr_piece1 = 0x800u,
	IN_hdr_piece2 = 0x1000u,
	IN_hdr_piece3 = 0x2000u,
};

/* What the ingress knows of a packet. Headers that came with the packet and are
 * not made anew stay there; the others are members of hdr. */
struct ingress {
	u8 *data;        /* the packet */
	struct meta *m;  /* its metadata, with the bridged header */
	u32 valid;       /* headers that are valid now */
	u32 extracted;   /* headers that the parser found */
	u8 *at_hdr_ipv6;
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
				u32 malformed : 1;
				u32 udp_error : 1;
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
		u32 drop; /* bit<8> */
		u32 reason; /* bit<16> */
		u32 at; /* bit<4> */
		u32 act; /* bit<4> */
		u32 app; /* bit<2> */
		u32 life; /* bit<32> */
		u32 cell; /* bit<16> */
		u32 last; /* bit<32> */
		u32 ahead; /* bit<32> */
		u32 behind; /* bit<32> */
		union {
			u32 bits_of_alive;
			struct {
				u32 promised : 1;
				u32 again : 1;
				u32 above : 1;
				u32 owner : 1;
				u32 counted_here : 1;
				u32 learns : 1;
				u32 votes : 1;
				u32 proposer : 1;
				u32 leads : 1;
				u32 alive : 1;
			};
		};
		u32 members; /* bit<4> */
		u32 voter; /* bit<8> */
		union {
			u32 bits_of_known;
			struct {
				u32 counts : 1;
				u32 known : 1;
			};
		};
		u32 counted; /* bit<32> */
		u32 newer; /* bit<32> */
		union {
			u32 bits_of_stale;
			struct {
				u32 reached : 1;
				u32 had : 1;
				u32 stale : 1;
			};
		};
		u32 before; /* bit<8> */
		u32 leads_group; /* bit<16> */
		u32 votes_group; /* bit<16> */
		u32 learns_group; /* bit<16> */
	} md;
	struct {
		u32 ingress_port; /* bit<9> */
	} ig_intr_md;
	struct {
		u32 parser_err; /* bit<16> */
	} ig_prsr_md;
	struct {
		u32 ucast_egress_port; /* bit<9> */
		u32 mcast_grp_a; /* bit<16> */
	} ig_tm_md;
	struct {
		u32 drop_ctl; /* bit<3> */
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
	struct r_cell *r_cell; /* the row that the packet looks at, or 0 */
	u64 time;        /* ns; see in_now() */
	u32 length;      /* of the frame, in bytes */
	u16 parser_error;
	u8 contention;   /* a register could not be changed */
	u8 unicast;      /* ucast_egress_port was written */
};

/* hdr.bridge, in the metadata. */
INLINE u32 in_hdr_bridge_became(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? s->m->bridge.became : 0; }
INLINE void in_set_hdr_bridge_became(struct ingress *s, u32 v) { s->m->bridge.became = v; }
INLINE u32 in_hdr_bridge_pad(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ((ld8(s->m->bridge.pad_ingress_port) >> 1) & 0x7f) : 0; }
INLINE void in_set_hdr_bridge_pad(struct ingress *s, u32 v) { st8(s->m->bridge.pad_ingress_port, (ld8(s->m->bridge.pad_ingress_port) & ~((u64)0x7f << 1)) | (u64)v << 1); }
INLINE u32 in_hdr_bridge_ingress_port(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? (ld16(s->m->bridge.pad_ingress_port) & 0x1ff) : 0; }
INLINE void in_set_hdr_bridge_ingress_port(struct ingress *s, u32 v) { st16(s->m->bridge.pad_ingress_port, (ld16(s->m->bridge.pad_ingress_port) & ~((u64)0x1ff << 0)) | (u64)v << 0); }
INLINE u32 in_hdr_bridge_reason(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ld16(s->m->bridge.reason) : 0; }
INLINE void in_set_hdr_bridge_reason(struct ingress *s, u32 v) { st16(s->m->bridge.reason, v); }
INLINE u32 in_hdr_bridge_sum(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ld16(s->m->bridge.sum) : 0; }
INLINE void in_set_hdr_bridge_sum(struct ingress *s, u32 v) { st16(s->m->bridge.sum, v); }

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

/* hdr.udp, in the packet. */
INLINE u16 in_hdr_udp_src_port(struct ingress *s) { return (s->valid & IN_hdr_udp) ? ld16(s->data + 34) : 0; }
INLINE u16 in_hdr_udp_dst_port(struct ingress *s) { return (s->valid & IN_hdr_udp) ? ld16((s->data + 34) + 2) : 0; }
INLINE u16 in_hdr_udp_length(struct ingress *s) { return (s->valid & IN_hdr_udp) ? ld16((s->data + 34) + 4) : 0; }
INLINE u16 in_hdr_udp_checksum(struct ingress *s) { return (s->valid & IN_hdr_udp) ? ld16((s->data + 34) + 6) : 0; }

/* hdr.paxos, in the packet. */
INLINE u8 in_hdr_paxos_kind(struct ingress *s) { return (s->valid & IN_hdr_paxos) ? ld8(s->data + 42) : 0; }
INLINE void in_set_hdr_paxos_kind(struct ingress *s, u8 v)
{
	if (s->valid & IN_hdr_paxos)
		st8((s->data + 42), v);
}
INLINE u8 in_hdr_paxos_acceptor(struct ingress *s) { return (s->valid & IN_hdr_paxos) ? ld8((s->data + 42) + 1) : 0; }
INLINE void in_set_hdr_paxos_acceptor(struct ingress *s, u8 v)
{
	if (s->valid & IN_hdr_paxos)
		st8((s->data + 42) + 1, v);
}
INLINE u8 in_hdr_paxos_flags(struct ingress *s) { return (s->valid & IN_hdr_paxos) ? ld8((s->data + 42) + 2) : 0; }
INLINE void in_set_hdr_paxos_flags(struct ingress *s, u8 v)
{
	if (s->valid & IN_hdr_paxos)
		st8((s->data + 42) + 2, v);
}
INLINE u8 in_hdr_paxos_value_len(struct ingress *s) { return (s->valid & IN_hdr_paxos) ? ld8((s->data + 42) + 3) : 0; }
INLINE void in_set_hdr_paxos_value_len(struct ingress *s, u8 v)
{
	if (s->valid & IN_hdr_paxos)
		st8((s->data + 42) + 3, v);
}
INLINE u32 in_hdr_paxos_inst(struct ingress *s) { return (s->valid & IN_hdr_paxos) ? ld32((s->data + 42) + 4) : 0; }
INLINE void in_set_hdr_paxos_inst(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_paxos)
		st32((s->data + 42) + 4, v);
}
INLINE u32 in_hdr_paxos_rnd(struct ingress *s) { return (s->valid & IN_hdr_paxos) ? ld32((s->data + 42) + 8) : 0; }
INLINE void in_set_hdr_paxos_rnd(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_paxos)
		st32((s->data + 42) + 8, v);
}
INLINE u32 in_hdr_paxos_vrnd(struct ingress *s) { return (s->valid & IN_hdr_paxos) ? ld32((s->data + 42) + 12) : 0; }
INLINE void in_set_hdr_paxos_vrnd(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_paxos)
		st32((s->data + 42) + 12, v);
}
INLINE u32 in_hdr_paxos_client(struct ingress *s) { return (s->valid & IN_hdr_paxos) ? ld32((s->data + 42) + 16) : 0; }
INLINE void in_set_hdr_paxos_client(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_paxos)
		st32((s->data + 42) + 16, v);
}
INLINE u32 in_hdr_paxos_seq(struct ingress *s) { return (s->valid & IN_hdr_paxos) ? ld32((s->data + 42) + 20) : 0; }
INLINE void in_set_hdr_paxos_seq(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_paxos)
		st32((s->data + 42) + 20, v);
}
INLINE u16 in_hdr_paxos_reserved(struct ingress *s) { return (s->valid & IN_hdr_paxos) ? ld16((s->data + 42) + 24) : 0; }
INLINE u16 in_hdr_paxos_not_length(struct ingress *s) { return (s->valid & IN_hdr_paxos) ? ld16((s->data + 42) + 26) : 0; }

/* hdr.piece0, in the packet. */
INLINE u32 in_hdr_piece0_w0(struct ingress *s) { return (s->valid & IN_hdr_piece0) ? ld32(s->data + 70) : 0; }
INLINE void in_set_hdr_piece0_w0(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece0)
		st32((s->data + 70), v);
}
INLINE u32 in_hdr_piece0_w1(struct ingress *s) { return (s->valid & IN_hdr_piece0) ? ld32((s->data + 70) + 4) : 0; }
INLINE void in_set_hdr_piece0_w1(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece0)
		st32((s->data + 70) + 4, v);
}
INLINE u32 in_hdr_piece0_w2(struct ingress *s) { return (s->valid & IN_hdr_piece0) ? ld32((s->data + 70) + 8) : 0; }
INLINE void in_set_hdr_piece0_w2(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece0)
		st32((s->data + 70) + 8, v);
}
INLINE u32 in_hdr_piece0_w3(struct ingress *s) { return (s->valid & IN_hdr_piece0) ? ld32((s->data + 70) + 12) : 0; }
INLINE void in_set_hdr_piece0_w3(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece0)
		st32((s->data + 70) + 12, v);
}

/* hdr.piece1, in the packet. */
INLINE u32 in_hdr_piece1_w0(struct ingress *s) { return (s->valid & IN_hdr_piece1) ? ld32(s->data + 86) : 0; }
INLINE void in_set_hdr_piece1_w0(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece1)
		st32((s->data + 86), v);
}
INLINE u32 in_hdr_piece1_w1(struct ingress *s) { return (s->valid & IN_hdr_piece1) ? ld32((s->data + 86) + 4) : 0; }
INLINE void in_set_hdr_piece1_w1(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece1)
		st32((s->data + 86) + 4, v);
}
INLINE u32 in_hdr_piece1_w2(struct ingress *s) { return (s->valid & IN_hdr_piece1) ? ld32((s->data + 86) + 8) : 0; }
INLINE void in_set_hdr_piece1_w2(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece1)
		st32((s->data + 86) + 8, v);
}
INLINE u32 in_hdr_piece1_w3(struct ingress *s) { return (s->valid & IN_hdr_piece1) ? ld32((s->data + 86) + 12) : 0; }
INLINE void in_set_hdr_piece1_w3(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece1)
		st32((s->data + 86) + 12, v);
}

/* hdr.piece2, in the packet. */
INLINE u32 in_hdr_piece2_w0(struct ingress *s) { return (s->valid & IN_hdr_piece2) ? ld32(s->data + 102) : 0; }
INLINE void in_set_hdr_piece2_w0(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece2)
		st32((s->data + 102), v);
}
INLINE u32 in_hdr_piece2_w1(struct ingress *s) { return (s->valid & IN_hdr_piece2) ? ld32((s->data + 102) + 4) : 0; }
INLINE void in_set_hdr_piece2_w1(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece2)
		st32((s->data + 102) + 4, v);
}
INLINE u32 in_hdr_piece2_w2(struct ingress *s) { return (s->valid & IN_hdr_piece2) ? ld32((s->data + 102) + 8) : 0; }
INLINE void in_set_hdr_piece2_w2(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece2)
		st32((s->data + 102) + 8, v);
}
INLINE u32 in_hdr_piece2_w3(struct ingress *s) { return (s->valid & IN_hdr_piece2) ? ld32((s->data + 102) + 12) : 0; }
INLINE void in_set_hdr_piece2_w3(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece2)
		st32((s->data + 102) + 12, v);
}

/* hdr.piece3, in the packet. */
INLINE u32 in_hdr_piece3_w0(struct ingress *s) { return (s->valid & IN_hdr_piece3) ? ld32(s->data + 118) : 0; }
INLINE void in_set_hdr_piece3_w0(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece3)
		st32((s->data + 118), v);
}
INLINE u32 in_hdr_piece3_w1(struct ingress *s) { return (s->valid & IN_hdr_piece3) ? ld32((s->data + 118) + 4) : 0; }
INLINE void in_set_hdr_piece3_w1(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece3)
		st32((s->data + 118) + 4, v);
}
INLINE u32 in_hdr_piece3_w2(struct ingress *s) { return (s->valid & IN_hdr_piece3) ? ld32((s->data + 118) + 8) : 0; }
INLINE void in_set_hdr_piece3_w2(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece3)
		st32((s->data + 118) + 8, v);
}
INLINE u32 in_hdr_piece3_w3(struct ingress *s) { return (s->valid & IN_hdr_piece3) ? ld32((s->data + 118) + 12) : 0; }
INLINE void in_set_hdr_piece3_w3(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_piece3)
		st32((s->data + 118) + 12, v);
}

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
	u8 hdr_paxos[32];
	u8 hdr_piece0[16];
	u8 hdr_piece1[16];
	u8 hdr_piece2[16];
	u8 hdr_piece3[16];
};
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct in_saved); }
	in_scratch SEC(".maps"); /* headers of a packet whose layout changes */

u32 in_locks[1024]; /* of @atomic blocks, by the index of their registers */

GLOBAL u32 in_lock(u32 index)
{
	u32 *lock = &in_locks[index & 1023];
	for (u32 tries = 0; tries < 2048; tries++) {
		if (READ_ONCE(*lock) == 0 && __sync_val_compare_and_swap(lock, 0, 1) == 0)
			return 1;
	}
	return 0;
}

INLINE void in_unlock(u32 index)
{
	__sync_lock_test_and_set(&in_locks[index & 1023], 0);
}

/* register action pipe.Ingress.service.life_is on pipe.Ingress.service.life, service.p4:42 */
INLINE u32 in_life_life_is(struct ingress *s, u32 index)
{
	struct r_app *row = ELEMENT_OF_ALL(r_app, 4, index);
	u32 *cell = &row->life;
	u32 old = READ_ONCE(*cell);
	u32 p_now = old;
	u32 p_same = 0;
	p_same = is_zero(p_now ^ s->md.life); /* service.p4:44 */
	return p_same;
}

/* register action pipe.Ingress.service.last_get on pipe.Ingress.service.last, service.p4:54 */
INLINE u32 in_last_last_get(struct ingress *s, u32 index)
{
	struct r_app *row = ELEMENT_OF_ALL(r_app, 4, index);
	u32 *cell = &row->last;
	u32 old = READ_ONCE(*cell);
	u32 p_inst = old;
	u32 p_now = 0;
	p_now = p_inst; /* service.p4:56 */
	return p_now;
}

/* register action pipe.Ingress.service.first_sub on pipe.Ingress.service.first, service.p4:62 */
INLINE u32 in_first_first_sub(struct ingress *s, u32 index)
{
	struct r_app *row = ELEMENT_OF_ALL(r_app, 4, index);
	u32 *cell = &row->first;
	u32 old = READ_ONCE(*cell);
	u32 p_inst = old;
	u32 p_behind = 0;
	p_behind = (u32)(in_hdr_paxos_inst(s) - p_inst); /* service.p4:64 */
	return p_behind;
}

GLOBAL u64 in_again_next_next_take(u32 index, u32 in0 /* md.last */)
{
	struct r_app *row = ELEMENT_OF_ALL(r_app, 4, index);
	u32 *cell = &row->next;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_inst = old;
		u32 p_mine = 0;
		p_mine = p_inst; /* leader.p4:20 */
		if ((s32)(u32)(p_inst - in0) <= (s32)0) { /* leader.p4:21 */
			p_inst = (u32)(p_inst + 1); /* leader.p4:22 */
		}
		u32 new = (u32)p_inst;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_mine;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.leader.next_take on pipe.Ingress.leader.next, leader.p4:18 */
INLINE u32 in_next_next_take(struct ingress *s, u32 index)
{
	struct r_app *row = ELEMENT_OF_ALL(r_app, 4, index);
	u32 *cell = &row->next;
	u32 old = READ_ONCE(*cell);
	u32 p_inst = old;
	u32 p_mine = 0;
	p_mine = p_inst; /* leader.p4:20 */
	if ((s32)(u32)(p_inst - s->md.last) <= (s32)0) { /* leader.p4:21 */
		p_inst = (u32)(p_inst + 1); /* leader.p4:22 */
	}
	u32 new = (u32)p_inst;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_mine;
	u64 repeated_ = in_again_next_next_take(index, s->md.last);
	s->contention |= repeated_ >> 63;
	return (u32)repeated_;
}

GLOBAL u64 in_again_floor_floor_raise(u32 index, u32 in0 /* hdr.paxos.rnd */)
{
	struct r_app *row = ELEMENT_OF_ALL(r_app, 4, index);
	u32 *cell = &row->floor;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_rnd = old;
		u32 p_above = 0;
		if (p_rnd <= in0) { /* acceptor.p4:68 */
			p_rnd = in0; /* acceptor.p4:69 */
			p_above = 1; /* acceptor.p4:70 */
		} else {
			p_above = 0; /* acceptor.p4:72 */
		}
		u32 new = (u32)p_rnd;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_above;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.acceptor.floor_raise on pipe.Ingress.acceptor.floor, acceptor.p4:66 */
INLINE u32 in_floor_floor_raise(struct ingress *s, u32 index)
{
	struct r_app *row = ELEMENT_OF_ALL(r_app, 4, index);
	u32 *cell = &row->floor;
	u32 old = READ_ONCE(*cell);
	u32 p_rnd = old;
	u32 p_above = 0;
	if (p_rnd <= in_hdr_paxos_rnd(s)) { /* acceptor.p4:68 */
		p_rnd = in_hdr_paxos_rnd(s); /* acceptor.p4:69 */
		p_above = 1; /* acceptor.p4:70 */
	} else {
		p_above = 0; /* acceptor.p4:72 */
	}
	u32 new = (u32)p_rnd;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_above;
	u64 repeated_ = in_again_floor_floor_raise(index, in_hdr_paxos_rnd(s));
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.acceptor.floor_look on pipe.Ingress.acceptor.floor, acceptor.p4:76 */
INLINE u32 in_floor_floor_look(struct ingress *s, u32 index)
{
	struct r_app *row = ELEMENT_OF_ALL(r_app, 4, index);
	u32 *cell = &row->floor;
	u32 old = READ_ONCE(*cell);
	u32 p_rnd = old;
	u32 p_above = 0;
	if (p_rnd <= in_hdr_paxos_rnd(s)) { /* acceptor.p4:78 */
		p_above = 1; /* acceptor.p4:79 */
	} else {
		p_above = 0; /* acceptor.p4:81 */
	}
	return p_above;
}

GLOBAL u64 in_again_highest_highest_raise(u32 index, u32 in0 /* hdr.paxos.inst */)
{
	struct r_app *row = ELEMENT_OF_ALL(r_app, 4, index);
	u32 *cell = &row->highest;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_inst = old;
		if ((s32)(u32)(p_inst - in0) < (s32)0) { /* acceptor.p4:208 */
			p_inst = in0; /* acceptor.p4:209 */
		}
		u32 new = (u32)p_inst;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.acceptor.highest_raise on pipe.Ingress.acceptor.highest, acceptor.p4:206 */
INLINE u32 in_highest_highest_raise(struct ingress *s, u32 index)
{
	struct r_app *row = ELEMENT_OF_ALL(r_app, 4, index);
	u32 *cell = &row->highest;
	u32 old = READ_ONCE(*cell);
	u32 p_inst = old;
	if ((s32)(u32)(p_inst - in_hdr_paxos_inst(s)) < (s32)0) { /* acceptor.p4:208 */
		p_inst = in_hdr_paxos_inst(s); /* acceptor.p4:209 */
	}
	u32 new = (u32)p_inst;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_highest_highest_raise(index, in_hdr_paxos_inst(s));
	s->contention |= repeated_ >> 63;
	return 0;
}

/* register action pipe.Ingress.acceptor.highest_get on pipe.Ingress.acceptor.highest, acceptor.p4:213 */
INLINE u32 in_highest_highest_get(struct ingress *s, u32 index)
{
	struct r_app *row = ELEMENT_OF_ALL(r_app, 4, index);
	u32 *cell = &row->highest;
	u32 old = READ_ONCE(*cell);
	u32 p_inst = old;
	u32 p_now = 0;
	p_now = p_inst; /* acceptor.p4:215 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.promise on pipe.Ingress.acceptor.promised, acceptor.p4:112 */
INLINE u32 in_promised_promise(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u64 *cell = &row->promised;
	u64 old = READ_ONCE(*cell);
	u32 p_cell_inst = (old >> 32);
	u32 p_cell_rnd = (u32)old;
	u32 p_kept = 0;
	if ((p_cell_inst == in_hdr_paxos_inst(s)) && (p_cell_rnd > in_hdr_paxos_rnd(s))) { /* acceptor.p4:114 */
		p_kept = 0; /* acceptor.p4:115 */
	} else {
		p_cell_inst = in_hdr_paxos_inst(s); /* acceptor.p4:117 */
		p_cell_rnd = in_hdr_paxos_rnd(s); /* acceptor.p4:118 */
		p_kept = 1; /* acceptor.p4:119 */
	}
	u64 new = (u64)p_cell_inst << 32 | (u64)p_cell_rnd;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_kept;
}

/* register action pipe.Ingress.acceptor.vote on pipe.Ingress.acceptor.voted, acceptor.p4:159 */
INLINE u32 in_voted_vote(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u64 *cell = &row->voted;
	u64 old = READ_ONCE(*cell);
	u32 p_cell_inst = (old >> 32);
	u32 p_cell_rnd = (u32)old;
	u32 p_again = 0;
	if ((p_cell_inst == in_hdr_paxos_inst(s)) && (p_cell_rnd == in_hdr_paxos_rnd(s))) { /* acceptor.p4:161 */
		p_again = 1; /* acceptor.p4:162 */
	} else {
		p_cell_inst = in_hdr_paxos_inst(s); /* acceptor.p4:164 */
		p_cell_rnd = in_hdr_paxos_rnd(s); /* acceptor.p4:165 */
		p_again = 0; /* acceptor.p4:166 */
	}
	u64 new = (u64)p_cell_inst << 32 | (u64)p_cell_rnd;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_again;
}

/* register action pipe.Ingress.acceptor.vote_get on pipe.Ingress.acceptor.voted, acceptor.p4:170 */
INLINE u32 in_voted_vote_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u64 *cell = &row->voted;
	u64 old = READ_ONCE(*cell);
	u32 p_cell_inst = (old >> 32);
	u32 p_cell_rnd = (u32)old;
	u32 p_rnd = 0;
	if (p_cell_inst == in_hdr_paxos_inst(s)) { /* acceptor.p4:172 */
		p_rnd = p_cell_rnd; /* acceptor.p4:173 */
	} else {
		p_rnd = 0; /* acceptor.p4:175 */
	}
	return p_rnd;
}

/* register action pipe.Ingress.acceptor.client_put on pipe.Ingress.acceptor.client, acceptor.p4:250 */
INLINE u32 in_client_client_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->client;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_paxos_client(s); /* acceptor.p4:250 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.client_get on pipe.Ingress.acceptor.client, acceptor.p4:250 */
INLINE u32 in_client_client_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->client;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:250 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.seq_put on pipe.Ingress.acceptor.seq, acceptor.p4:251 */
INLINE u32 in_seq_seq_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->seq;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_paxos_seq(s); /* acceptor.p4:251 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.seq_get on pipe.Ingress.acceptor.seq, acceptor.p4:251 */
INLINE u32 in_seq_seq_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->seq;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:251 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value_len_put on pipe.Ingress.acceptor.value_len, acceptor.p4:252 */
INLINE u32 in_value_len_value_len_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value_len;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_paxos_value_len(s); /* acceptor.p4:252 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value_len_get on pipe.Ingress.acceptor.value_len, acceptor.p4:252 */
INLINE u32 in_value_len_value_len_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value_len;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:252 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value0_put on pipe.Ingress.acceptor.value0, acceptor.p4:253 */
INLINE u32 in_value0_value0_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value0;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece0_w0(s); /* acceptor.p4:253 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value0_get on pipe.Ingress.acceptor.value0, acceptor.p4:253 */
INLINE u32 in_value0_value0_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value0;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:253 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value1_put on pipe.Ingress.acceptor.value1, acceptor.p4:254 */
INLINE u32 in_value1_value1_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value1;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece0_w1(s); /* acceptor.p4:254 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value1_get on pipe.Ingress.acceptor.value1, acceptor.p4:254 */
INLINE u32 in_value1_value1_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value1;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:254 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value2_put on pipe.Ingress.acceptor.value2, acceptor.p4:255 */
INLINE u32 in_value2_value2_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value2;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece0_w2(s); /* acceptor.p4:255 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value2_get on pipe.Ingress.acceptor.value2, acceptor.p4:255 */
INLINE u32 in_value2_value2_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value2;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:255 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value3_put on pipe.Ingress.acceptor.value3, acceptor.p4:256 */
INLINE u32 in_value3_value3_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value3;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece0_w3(s); /* acceptor.p4:256 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value3_get on pipe.Ingress.acceptor.value3, acceptor.p4:256 */
INLINE u32 in_value3_value3_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value3;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:256 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value4_put on pipe.Ingress.acceptor.value4, acceptor.p4:257 */
INLINE u32 in_value4_value4_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value4;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece1_w0(s); /* acceptor.p4:257 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value4_get on pipe.Ingress.acceptor.value4, acceptor.p4:257 */
INLINE u32 in_value4_value4_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value4;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:257 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value5_put on pipe.Ingress.acceptor.value5, acceptor.p4:258 */
INLINE u32 in_value5_value5_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value5;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece1_w1(s); /* acceptor.p4:258 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value5_get on pipe.Ingress.acceptor.value5, acceptor.p4:258 */
INLINE u32 in_value5_value5_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value5;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:258 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value6_put on pipe.Ingress.acceptor.value6, acceptor.p4:259 */
INLINE u32 in_value6_value6_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value6;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece1_w2(s); /* acceptor.p4:259 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value6_get on pipe.Ingress.acceptor.value6, acceptor.p4:259 */
INLINE u32 in_value6_value6_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value6;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:259 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value7_put on pipe.Ingress.acceptor.value7, acceptor.p4:260 */
INLINE u32 in_value7_value7_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value7;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece1_w3(s); /* acceptor.p4:260 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value7_get on pipe.Ingress.acceptor.value7, acceptor.p4:260 */
INLINE u32 in_value7_value7_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value7;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:260 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value8_put on pipe.Ingress.acceptor.value8, acceptor.p4:261 */
INLINE u32 in_value8_value8_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value8;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece2_w0(s); /* acceptor.p4:261 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value8_get on pipe.Ingress.acceptor.value8, acceptor.p4:261 */
INLINE u32 in_value8_value8_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value8;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:261 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value9_put on pipe.Ingress.acceptor.value9, acceptor.p4:262 */
INLINE u32 in_value9_value9_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value9;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece2_w1(s); /* acceptor.p4:262 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value9_get on pipe.Ingress.acceptor.value9, acceptor.p4:262 */
INLINE u32 in_value9_value9_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value9;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:262 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value10_put on pipe.Ingress.acceptor.value10, acceptor.p4:263 */
INLINE u32 in_value10_value10_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value10;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece2_w2(s); /* acceptor.p4:263 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value10_get on pipe.Ingress.acceptor.value10, acceptor.p4:263 */
INLINE u32 in_value10_value10_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value10;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:263 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value11_put on pipe.Ingress.acceptor.value11, acceptor.p4:264 */
INLINE u32 in_value11_value11_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value11;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece2_w3(s); /* acceptor.p4:264 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value11_get on pipe.Ingress.acceptor.value11, acceptor.p4:264 */
INLINE u32 in_value11_value11_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value11;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:264 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value12_put on pipe.Ingress.acceptor.value12, acceptor.p4:265 */
INLINE u32 in_value12_value12_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value12;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece3_w0(s); /* acceptor.p4:265 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value12_get on pipe.Ingress.acceptor.value12, acceptor.p4:265 */
INLINE u32 in_value12_value12_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value12;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:265 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value13_put on pipe.Ingress.acceptor.value13, acceptor.p4:266 */
INLINE u32 in_value13_value13_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value13;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece3_w1(s); /* acceptor.p4:266 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value13_get on pipe.Ingress.acceptor.value13, acceptor.p4:266 */
INLINE u32 in_value13_value13_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value13;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:266 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value14_put on pipe.Ingress.acceptor.value14, acceptor.p4:267 */
INLINE u32 in_value14_value14_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value14;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece3_w2(s); /* acceptor.p4:267 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value14_get on pipe.Ingress.acceptor.value14, acceptor.p4:267 */
INLINE u32 in_value14_value14_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value14;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:267 */
	return p_now;
}

/* register action pipe.Ingress.acceptor.value15_put on pipe.Ingress.acceptor.value15, acceptor.p4:268 */
INLINE u32 in_value15_value15_put(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value15;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_piece3_w3(s); /* acceptor.p4:268 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.acceptor.value15_get on pipe.Ingress.acceptor.value15, acceptor.p4:268 */
INLINE u32 in_value15_value15_get(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->value15;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* acceptor.p4:268 */
	return p_now;
}

/* register action pipe.Ingress.learner.count_round on pipe.Ingress.learner.counted, learner.p4:21 */
INLINE u32 in_counted_count_round(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u64 *cell = &row->counted;
	u64 old = READ_ONCE(*cell);
	u32 p_cell_inst = (old >> 32);
	u32 p_cell_rnd = (u32)old;
	u32 p_before = 0;
	if (p_cell_inst == in_hdr_paxos_inst(s)) { /* learner.p4:23 */
		p_before = p_cell_rnd; /* learner.p4:24 */
	} else {
		p_before = 0; /* learner.p4:26 */
	}
	if (!((p_cell_inst == in_hdr_paxos_inst(s)) && (p_cell_rnd > in_hdr_paxos_rnd(s)))) { /* learner.p4:28 */
		p_cell_inst = in_hdr_paxos_inst(s); /* learner.p4:29 */
		p_cell_rnd = in_hdr_paxos_rnd(s); /* learner.p4:30 */
	}
	u64 new = (u64)p_cell_inst << 32 | (u64)p_cell_rnd;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_before;
}

/* register action pipe.Ingress.learner.bits_begin on pipe.Ingress.learner.bits, learner.p4:37 */
INLINE u32 in_bits_bits_begin(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->bits;
	u32 old = READ_ONCE(*cell);
	u32 p_all = old;
	u32 p_before = 0;
	p_before = 0; /* learner.p4:39 */
	p_all = s->md.voter; /* learner.p4:40 */
	u32 new = (u32)p_all;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_before;
}

/* register action pipe.Ingress.learner.bits_add on pipe.Ingress.learner.bits, learner.p4:43 */
INLINE u32 in_bits_bits_add(struct ingress *s, u32 index)
{
	struct r_cell *row = s->r_cell;
	u32 *cell = &row->bits;
	u32 old = READ_ONCE(*cell);
	u32 p_all = old;
	u32 p_before = 0;
	p_before = p_all; /* learner.p4:45 */
	p_all = (p_all | s->md.voter); /* learner.p4:46 */
	u32 new = (u32)p_all;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_before;
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

/* action pipe.Ingress.service.role, service.p4:23 */
INLINE void in_role(struct ingress *s, u8 p_at, u8 p_app, u32 p_life)
{
	s->md.at = p_at; /* service.p4:24 */
	s->md.app = p_app; /* service.p4:25 */
	s->md.life = p_life; /* service.p4:26 */
}

/* action NoAction, <core.p4>:35 */
INLINE void in_NoAction(struct ingress *s)
{
	aside();
}

/* action pipe.Ingress.service.request, service.p4:69 */
INLINE void in_request(struct ingress *s)
{
	aside();
	s->md.act = ACT_REQUEST; /* service.p4:70 */
}

/* action pipe.Ingress.service.accept_message, service.p4:74 */
INLINE void in_accept_message(struct ingress *s)
{
	aside();
	s->md.act = ACT_ACCEPT; /* service.p4:75 */
}

/* action pipe.Ingress.service.prepare, service.p4:79 */
INLINE void in_prepare(struct ingress *s)
{
	aside();
	s->md.act = ACT_PREPARE; /* service.p4:80 */
}

/* action pipe.Ingress.service.floor, service.p4:84 */
INLINE void in_floor(struct ingress *s)
{
	aside();
	s->md.act = ACT_FLOOR; /* service.p4:85 */
}

/* action pipe.Ingress.service.query, service.p4:89 */
INLINE void in_query(struct ingress *s)
{
	aside();
	s->md.act = ACT_QUERY; /* service.p4:90 */
}

/* action pipe.Ingress.service.learn, service.p4:94 */
INLINE void in_learn(struct ingress *s)
{
	aside();
	s->md.act = ACT_LEARN; /* service.p4:95 */
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

/* action pipe.Ingress.forward.no_route, forward.p4:167 */
INLINE void in_no_route(struct ingress *s)
{
	aside();
	s->md.reason = REASON_NO_ROUTE; /* forward.p4:168 */
}

/* action pipe.Ingress.roles.voter, roles.p4:61 */
INLINE void in_voter(struct ingress *s, u8 p_bit__)
{
	s->md.voter = p_bit__; /* roles.p4:62 */
	s->md.known = 1; /* roles.p4:63 */
}

/* action pipe.Ingress.roles.vote_as, roles.p4:26 */
INLINE void in_vote_as(struct ingress *s, u8 p_index, u8 p_bit__, u16 p_group, u8 p_counted)
{
	s->md.votes = 1; /* roles.p4:27 */
	s->md.counted_here = p_counted; /* roles.p4:28 */
	in_set_hdr_paxos_acceptor(s, p_index); /* roles.p4:29 */
	s->md.voter = p_bit__; /* roles.p4:30 */
	s->md.votes_group = p_group; /* roles.p4:31 */
}

/* action pipe.Ingress.roles.owned, roles.p4:43 */
INLINE void in_owned(struct ingress *s)
{
	aside();
	s->md.owner = 1; /* roles.p4:44 */
}

/* action pipe.Ingress.roles.lead, roles.p4:114 */
INLINE void in_lead(struct ingress *s, u32 p_rnd, u16 p_group)
{
	s->md.leads = 1; /* roles.p4:115 */
	s->md.leads_group = p_group; /* roles.p4:116 */
	in_set_hdr_paxos_rnd(s, p_rnd); /* roles.p4:117 */
	in_set_hdr_paxos_vrnd(s, 0); /* roles.p4:118 */
	in_set_hdr_paxos_flags(s, 0); /* roles.p4:119 */
}

/* action pipe.Ingress.roles.may_propose, roles.p4:97 */
INLINE void in_may_propose(struct ingress *s)
{
	aside();
	s->md.proposer = 1; /* roles.p4:98 */
}

/* action pipe.Ingress.roles.learn_for, roles.p4:82 */
INLINE void in_learn_for(struct ingress *s, u8 p_members, u16 p_group)
{
	s->md.learns = 1; /* roles.p4:83 */
	s->md.members = p_members; /* roles.p4:84 */
	s->md.learns_group = p_group; /* roles.p4:85 */
}

/* action pipe.Ingress.acceptor.raise, acceptor.p4:87 */
INLINE void in_raise(struct ingress *s)
{
	s->md.above = in_floor_floor_raise(s, s->md.app); /* acceptor.p4:88 */
}

/* action pipe.Ingress.acceptor.look, acceptor.p4:92 */
INLINE void in_look(struct ingress *s)
{
	s->md.above = in_floor_floor_look(s, s->md.app); /* acceptor.p4:93 */
}

/* action pipe.Ingress.acceptor.seen, acceptor.p4:220 */
INLINE void in_seen(struct ingress *s)
{
	in_highest_highest_raise(s, s->md.app); /* acceptor.p4:221 */
}

/* action pipe.Ingress.acceptor.report, acceptor.p4:225 */
INLINE void in_report(struct ingress *s)
{
	in_set_hdr_paxos_inst(s, in_highest_highest_get(s, s->md.app)); /* acceptor.p4:226 */
}

/* action pipe.Ingress.acceptor.promise_kept, acceptor.p4:125 */
INLINE void in_promise_kept(struct ingress *s)
{
	s->md.promised = in_promised_promise(s, s->md.cell); /* acceptor.p4:126 */
}

/* action pipe.Ingress.acceptor.nothing_changes, acceptor.p4:130 */
INLINE void in_nothing_changes(struct ingress *s)
{
	aside();
	s->md.promised = 1; /* acceptor.p4:131 */
}

/* action pipe.Ingress.acceptor.vote_put, acceptor.p4:181 */
INLINE void in_vote_put(struct ingress *s)
{
	s->md.again = in_voted_vote(s, s->md.cell); /* acceptor.p4:182 */
}

/* action pipe.Ingress.acceptor.vote_look, acceptor.p4:186 */
INLINE void in_vote_look(struct ingress *s)
{
	in_set_hdr_paxos_vrnd(s, in_voted_vote_get(s, s->md.cell)); /* acceptor.p4:187 */
}

/* action pipe.Ingress.acceptor.client_store, acceptor.p4:250 */
INLINE void in_client_store(struct ingress *s)
{
	in_client_client_put(s, s->md.cell); /* acceptor.p4:250 */
}

/* action pipe.Ingress.acceptor.client_load, acceptor.p4:250 */
INLINE void in_client_load(struct ingress *s)
{
	in_set_hdr_paxos_client(s, in_client_client_get(s, s->md.cell)); /* acceptor.p4:250 */
}

/* action pipe.Ingress.acceptor.seq_store, acceptor.p4:251 */
INLINE void in_seq_store(struct ingress *s)
{
	in_seq_seq_put(s, s->md.cell); /* acceptor.p4:251 */
}

/* action pipe.Ingress.acceptor.seq_load, acceptor.p4:251 */
INLINE void in_seq_load(struct ingress *s)
{
	in_set_hdr_paxos_seq(s, in_seq_seq_get(s, s->md.cell)); /* acceptor.p4:251 */
}

/* action pipe.Ingress.acceptor.value_len_store, acceptor.p4:252 */
INLINE void in_value_len_store(struct ingress *s)
{
	in_value_len_value_len_put(s, s->md.cell); /* acceptor.p4:252 */
}

/* action pipe.Ingress.acceptor.value_len_load, acceptor.p4:252 */
INLINE void in_value_len_load(struct ingress *s)
{
	in_set_hdr_paxos_value_len(s, in_value_len_value_len_get(s, s->md.cell)); /* acceptor.p4:252 */
}

/* action pipe.Ingress.acceptor.value0_store, acceptor.p4:253 */
INLINE void in_value0_store(struct ingress *s)
{
	in_value0_value0_put(s, s->md.cell); /* acceptor.p4:253 */
}

/* action pipe.Ingress.acceptor.value0_load, acceptor.p4:253 */
INLINE void in_value0_load(struct ingress *s)
{
	in_set_hdr_piece0_w0(s, in_value0_value0_get(s, s->md.cell)); /* acceptor.p4:253 */
}

/* action pipe.Ingress.acceptor.value1_store, acceptor.p4:254 */
INLINE void in_value1_store(struct ingress *s)
{
	in_value1_value1_put(s, s->md.cell); /* acceptor.p4:254 */
}

/* action pipe.Ingress.acceptor.value1_load, acceptor.p4:254 */
INLINE void in_value1_load(struct ingress *s)
{
	in_set_hdr_piece0_w1(s, in_value1_value1_get(s, s->md.cell)); /* acceptor.p4:254 */
}

/* action pipe.Ingress.acceptor.value2_store, acceptor.p4:255 */
INLINE void in_value2_store(struct ingress *s)
{
	in_value2_value2_put(s, s->md.cell); /* acceptor.p4:255 */
}

/* action pipe.Ingress.acceptor.value2_load, acceptor.p4:255 */
INLINE void in_value2_load(struct ingress *s)
{
	in_set_hdr_piece0_w2(s, in_value2_value2_get(s, s->md.cell)); /* acceptor.p4:255 */
}

/* action pipe.Ingress.acceptor.value3_store, acceptor.p4:256 */
INLINE void in_value3_store(struct ingress *s)
{
	in_value3_value3_put(s, s->md.cell); /* acceptor.p4:256 */
}

/* action pipe.Ingress.acceptor.value3_load, acceptor.p4:256 */
INLINE void in_value3_load(struct ingress *s)
{
	in_set_hdr_piece0_w3(s, in_value3_value3_get(s, s->md.cell)); /* acceptor.p4:256 */
}

/* action pipe.Ingress.acceptor.value4_store, acceptor.p4:257 */
INLINE void in_value4_store(struct ingress *s)
{
	in_value4_value4_put(s, s->md.cell); /* acceptor.p4:257 */
}

/* action pipe.Ingress.acceptor.value4_load, acceptor.p4:257 */
INLINE void in_value4_load(struct ingress *s)
{
	in_set_hdr_piece1_w0(s, in_value4_value4_get(s, s->md.cell)); /* acceptor.p4:257 */
}

/* action pipe.Ingress.acceptor.value5_store, acceptor.p4:258 */
INLINE void in_value5_store(struct ingress *s)
{
	in_value5_value5_put(s, s->md.cell); /* acceptor.p4:258 */
}

/* action pipe.Ingress.acceptor.value5_load, acceptor.p4:258 */
INLINE void in_value5_load(struct ingress *s)
{
	in_set_hdr_piece1_w1(s, in_value5_value5_get(s, s->md.cell)); /* acceptor.p4:258 */
}

/* action pipe.Ingress.acceptor.value6_store, acceptor.p4:259 */
INLINE void in_value6_store(struct ingress *s)
{
	in_value6_value6_put(s, s->md.cell); /* acceptor.p4:259 */
}

/* action pipe.Ingress.acceptor.value6_load, acceptor.p4:259 */
INLINE void in_value6_load(struct ingress *s)
{
	in_set_hdr_piece1_w2(s, in_value6_value6_get(s, s->md.cell)); /* acceptor.p4:259 */
}

/* action pipe.Ingress.acceptor.value7_store, acceptor.p4:260 */
INLINE void in_value7_store(struct ingress *s)
{
	in_value7_value7_put(s, s->md.cell); /* acceptor.p4:260 */
}

/* action pipe.Ingress.acceptor.value7_load, acceptor.p4:260 */
INLINE void in_value7_load(struct ingress *s)
{
	in_set_hdr_piece1_w3(s, in_value7_value7_get(s, s->md.cell)); /* acceptor.p4:260 */
}

/* action pipe.Ingress.acceptor.value8_store, acceptor.p4:261 */
INLINE void in_value8_store(struct ingress *s)
{
	in_value8_value8_put(s, s->md.cell); /* acceptor.p4:261 */
}

/* action pipe.Ingress.acceptor.value8_load, acceptor.p4:261 */
INLINE void in_value8_load(struct ingress *s)
{
	in_set_hdr_piece2_w0(s, in_value8_value8_get(s, s->md.cell)); /* acceptor.p4:261 */
}

/* action pipe.Ingress.acceptor.value9_store, acceptor.p4:262 */
INLINE void in_value9_store(struct ingress *s)
{
	in_value9_value9_put(s, s->md.cell); /* acceptor.p4:262 */
}

/* action pipe.Ingress.acceptor.value9_load, acceptor.p4:262 */
INLINE void in_value9_load(struct ingress *s)
{
	in_set_hdr_piece2_w1(s, in_value9_value9_get(s, s->md.cell)); /* acceptor.p4:262 */
}

/* action pipe.Ingress.acceptor.value10_store, acceptor.p4:263 */
INLINE void in_value10_store(struct ingress *s)
{
	in_value10_value10_put(s, s->md.cell); /* acceptor.p4:263 */
}

/* action pipe.Ingress.acceptor.value10_load, acceptor.p4:263 */
INLINE void in_value10_load(struct ingress *s)
{
	in_set_hdr_piece2_w2(s, in_value10_value10_get(s, s->md.cell)); /* acceptor.p4:263 */
}

/* action pipe.Ingress.acceptor.value11_store, acceptor.p4:264 */
INLINE void in_value11_store(struct ingress *s)
{
	in_value11_value11_put(s, s->md.cell); /* acceptor.p4:264 */
}

/* action pipe.Ingress.acceptor.value11_load, acceptor.p4:264 */
INLINE void in_value11_load(struct ingress *s)
{
	in_set_hdr_piece2_w3(s, in_value11_value11_get(s, s->md.cell)); /* acceptor.p4:264 */
}

/* action pipe.Ingress.acceptor.value12_store, acceptor.p4:265 */
INLINE void in_value12_store(struct ingress *s)
{
	in_value12_value12_put(s, s->md.cell); /* acceptor.p4:265 */
}

/* action pipe.Ingress.acceptor.value12_load, acceptor.p4:265 */
INLINE void in_value12_load(struct ingress *s)
{
	in_set_hdr_piece3_w0(s, in_value12_value12_get(s, s->md.cell)); /* acceptor.p4:265 */
}

/* action pipe.Ingress.acceptor.value13_store, acceptor.p4:266 */
INLINE void in_value13_store(struct ingress *s)
{
	in_value13_value13_put(s, s->md.cell); /* acceptor.p4:266 */
}

/* action pipe.Ingress.acceptor.value13_load, acceptor.p4:266 */
INLINE void in_value13_load(struct ingress *s)
{
	in_set_hdr_piece3_w1(s, in_value13_value13_get(s, s->md.cell)); /* acceptor.p4:266 */
}

/* action pipe.Ingress.acceptor.value14_store, acceptor.p4:267 */
INLINE void in_value14_store(struct ingress *s)
{
	in_value14_value14_put(s, s->md.cell); /* acceptor.p4:267 */
}

/* action pipe.Ingress.acceptor.value14_load, acceptor.p4:267 */
INLINE void in_value14_load(struct ingress *s)
{
	in_set_hdr_piece3_w2(s, in_value14_value14_get(s, s->md.cell)); /* acceptor.p4:267 */
}

/* action pipe.Ingress.acceptor.value15_store, acceptor.p4:268 */
INLINE void in_value15_store(struct ingress *s)
{
	in_value15_value15_put(s, s->md.cell); /* acceptor.p4:268 */
}

/* action pipe.Ingress.acceptor.value15_load, acceptor.p4:268 */
INLINE void in_value15_load(struct ingress *s)
{
	in_set_hdr_piece3_w3(s, in_value15_value15_get(s, s->md.cell)); /* acceptor.p4:268 */
}

/* action pipe.Ingress.learner.take, learner.p4:81 */
INLINE void in_take(struct ingress *s)
{
	s->md.counts = 1; /* learner.p4:82 */
	s->md.counted = in_counted_count_round(s, s->md.cell); /* learner.p4:83 */
}

/* action pipe.Ingress.learner.nobody, learner.p4:87 */
INLINE void in_nobody(struct ingress *s)
{
	aside();
}

/* action pipe.Ingress.learner.begin, learner.p4:51 */
INLINE void in_begin(struct ingress *s)
{
	s->md.before = in_bits_bits_begin(s, s->md.cell); /* learner.p4:52 */
}

/* action pipe.Ingress.learner.add, learner.p4:56 */
INLINE void in_add(struct ingress *s)
{
	s->md.before = in_bits_bits_add(s, s->md.cell); /* learner.p4:57 */
}

/* action pipe.Ingress.learner.too_late, learner.p4:61 */
INLINE void in_too_late(struct ingress *s)
{
	aside();
	s->md.stale = 1; /* learner.p4:62 */
}

/* action pipe.Ingress.learner.had, learner.p4:115 */
INLINE void in_had(struct ingress *s)
{
	aside();
	s->md.had = 1; /* learner.p4:116 */
}

/* action pipe.Ingress.learner.reached, learner.p4:120 */
INLINE void in_reached(struct ingress *s)
{
	aside();
	s->md.reached = 1; /* learner.p4:121 */
}

/* action pipe.Ingress.verdict.become, verdict.p4:21 */
INLINE void in_become(struct ingress *s, u8 p_what)
{
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, p_what); /* verdict.p4:22 */
}

/* action pipe.Ingress.verdict.refuse, verdict.p4:42 */
INLINE void in_refuse(struct ingress *s, u8 p_why)
{
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, BECAME_ANSWER); /* verdict.p4:43 */
	in_set_hdr_paxos_kind(s, MSG_REFUSED); /* verdict.p4:44 */
	in_set_hdr_paxos_vrnd(s, (u32)p_why); /* verdict.p4:45 */
	s->md.drop = p_why; /* verdict.p4:46 */
	s->ig_tm_md.mcast_grp_a = 0; /* verdict.p4:47 */
	s->ig_tm_md.ucast_egress_port = s->ig_intr_md.ingress_port; /* verdict.p4:48 */
	s->unicast = 1;
}

/* action pipe.Ingress.verdict.absorb, verdict.p4:58 */
INLINE void in_absorb(struct ingress *s)
{
	aside();
	s->ig_dprsr_md.drop_ctl = 1; /* verdict.p4:59 */
}

/* action pipe.Ingress.verdict.discard, verdict.p4:52 */
INLINE void in_discard(struct ingress *s, u8 p_why)
{
	s->md.drop = p_why; /* verdict.p4:53 */
	s->ig_dprsr_md.drop_ctl = 1; /* verdict.p4:54 */
}

/* action pipe.Ingress.verdict.answer, verdict.p4:34 */
INLINE void in_answer(struct ingress *s, u8 p_kind)
{
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, BECAME_ANSWER); /* verdict.p4:35 */
	in_set_hdr_paxos_kind(s, p_kind); /* verdict.p4:36 */
	s->ig_tm_md.mcast_grp_a = 0; /* verdict.p4:37 */
	s->ig_tm_md.ucast_egress_port = s->ig_intr_md.ingress_port; /* verdict.p4:38 */
	s->unicast = 1;
}

/* action pipe.Ingress.verdict.again, verdict.p4:26 */
INLINE void in_again(struct ingress *s)
{
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, BECAME_VOTE); /* verdict.p4:27 */
	in_set_hdr_paxos_flags(s, FLAG_AGAIN); /* verdict.p4:28 */
	in_set_hdr_paxos_rnd(s, in_hdr_paxos_vrnd(s)); /* verdict.p4:29 */
	in_set_hdr_paxos_vrnd(s, 0); /* verdict.p4:30 */
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

/* table pipe.Ingress.service.service, service.p4:30 */
INLINE u32 in_service_apply(struct ingress *s)
{
	struct key_service key __attribute__((aligned(8))); /* service.p4:32 */
	((u64 *)&key)[0] = IN_WORD(u64, in_hdr_ipv4_dst(s), 0, 4) | IN_WORD(u64, in_hdr_udp_dst_port(s), 4, 2);
	union value_service *value = lookup_service(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_service_NoAction;
	}
	switch (value->action) {
		case a_service_role:
			in_role(s, value->role.at, value->role.app, value->role.life);
			break;
		case a_service_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.service.classify, service.p4:100 */
INLINE u32 in_classify_apply(struct ingress *s)
{
	u32 key = (u32)s->md.at << 11 | (u32)in_hdr_paxos_kind(s) << 3 | (u32)!!(s->valid & IN_hdr_piece3) << 2 | (u32)s->md.malformed << 1 | (u32)s->md.udp_error; /* service.p4:102 */
	switch (lookup_classify(opaque(s->length, key))) {
		case e_classify_request: /* service.p4:111 */
			in_request(s);
			return HIT | a_classify_request;
		case e_classify_accept_message: /* service.p4:112 */
			in_accept_message(s);
			return HIT | a_classify_accept_message;
		case e_classify_prepare: /* service.p4:113 */
			in_prepare(s);
			return HIT | a_classify_prepare;
		case e_classify_floor: /* service.p4:114 */
			in_floor(s);
			return HIT | a_classify_floor;
		case e_classify_query: /* service.p4:115 */
			in_query(s);
			return HIT | a_classify_query;
		case e_classify_learn: /* service.p4:116 */
			in_learn(s);
			return HIT | a_classify_learn;
	}
	in_NoAction(s);
	return a_classify_NoAction;
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
		case a_l3_no_route:
			in_no_route(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.roles.voters, roles.p4:67 */
INLINE u32 in_voters_apply(struct ingress *s)
{
	struct key_voters key __attribute__((aligned(8))); /* roles.p4:69 */
	((u64 *)&key)[0] = IN_WORD(u64, in_hdr_paxos_rnd(s), 0, 4) | IN_WORD(u64, in_hdr_ipv4_src(s), 4, 4);
	((u64 *)&key)[1] = IN_WORD(u64, s->md.at, 2, 1) | IN_WORD(u64, s->md.app, 3, 1) | IN_WORD(u64, in_hdr_paxos_acceptor(s), 4, 1) | IN_WORD(u64, s->md.port_group, 0, 2);
	union value_voters *value = lookup_voters(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_voters_NoAction;
	}
	switch (value->action) {
		case a_voters_voter:
			in_voter(s, value->voter.bit__);
			break;
		case a_voters_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.roles.acceptor, roles.p4:35 */
INLINE u32 in_acceptor_apply(struct ingress *s)
{
	u32 key = (u32)s->md.app << 4 | (u32)s->md.at; /* roles.p4:36 */
	union value_acceptor *value = lookup_acceptor(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_acceptor_NoAction;
	}
	u32 action = value->action - !!hit;
	switch (action) {
		case a_acceptor_vote_as:
			in_vote_as(s, value->vote_as.index, value->vote_as.bit__, value->vote_as.group, value->vote_as.counted);
			break;
		case a_acceptor_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | action;
}

/* table pipe.Ingress.roles.rounds, roles.p4:48 */
INLINE u32 in_rounds_apply(struct ingress *s)
{
	struct key_rounds key __attribute__((aligned(8))); /* roles.p4:50 */
	((u64 *)&key)[0] = IN_WORD(u64, in_hdr_paxos_rnd(s), 0, 4) | IN_WORD(u64, in_hdr_ipv4_src(s), 4, 4);
	((u32 *)&key)[2] = IN_WORD(u32, s->md.app, 2, 1) | IN_WORD(u32, s->md.port_group, 0, 2);
	union value_rounds *value = lookup_rounds(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_rounds_NoAction;
	}
	switch (value->action) {
		case a_rounds_owned:
			in_owned(s);
			break;
		case a_rounds_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.roles.leader, roles.p4:123 */
INLINE u32 in_leader_apply(struct ingress *s)
{
	struct key_leader key __attribute__((aligned(8))); /* roles.p4:124 */
	((u32 *)&key)[0] = IN_WORD(u32, s->md.app, 0, 1) | IN_WORD(u32, s->md.at, 1, 1) | IN_WORD(u32, in_hdr_paxos_kind(s), 2, 1);
	union value_leader *value = lookup_leader(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_leader_NoAction;
	}
	switch (value->action) {
		case a_leader_lead:
			in_lead(s, value->lead.rnd, value->lead.group);
			break;
		case a_leader_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.roles.proposers, roles.p4:102 */
INLINE u32 in_proposers_apply(struct ingress *s)
{
	struct key_proposers key __attribute__((aligned(8))); /* roles.p4:104 */
	((u64 *)&key)[0] = IN_WORD(u64, s->md.app, 6, 1) | IN_WORD(u64, in_hdr_ipv4_src(s), 0, 4) | IN_WORD(u64, s->md.port_group, 4, 2);
	union value_proposers *value = lookup_proposers(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_proposers_NoAction;
	}
	switch (value->action) {
		case a_proposers_may_propose:
			in_may_propose(s);
			break;
		case a_proposers_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.roles.members, roles.p4:89 */
INLINE u32 in_members_apply(struct ingress *s)
{
	struct key_members key __attribute__((aligned(8))); /* roles.p4:90 */
	((u64 *)&key)[0] = IN_WORD(u64, s->md.app, 4, 1) | IN_WORD(u64, in_hdr_paxos_rnd(s), 0, 4);
	union value_members *value = lookup_members(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_members_NoAction;
	}
	switch (value->action) {
		case a_members_learn_for:
			in_learn_for(s, value->learn_for.members, value->learn_for.group);
			break;
		case a_members_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.acceptor.floors, acceptor.p4:97 */
INLINE u32 in_floors_apply(struct ingress *s, const u32 phase)
{
	if (s->md.act == ACT_FLOOR && (s->md.bits_of_alive & 0x248) == 0x248) { /* acceptor.p4:102 */
		if (phase & P4_UPDATES)
			in_raise(s);
		return HIT | a_floors_raise;
	}
	if (s->md.act == ACT_REQUEST && (s->md.bits_of_alive & 0x240) == 0x240) { /* acceptor.p4:103 */
		if (phase & P4_QUERIES)
			in_look(s);
		return HIT | a_floors_look;
	}
	if (s->md.act == ACT_ACCEPT && (s->md.bits_of_alive & 0x240) == 0x240) { /* acceptor.p4:104 */
		if (phase & P4_QUERIES)
			in_look(s);
		return HIT | a_floors_look;
	}
	if (s->md.act == ACT_PREPARE && (s->md.bits_of_alive & 0x240) == 0x240) { /* acceptor.p4:105 */
		if (phase & P4_QUERIES)
			in_look(s);
		return HIT | a_floors_look;
	}
	if (phase & P4_QUERIES)
		in_NoAction(s);
	return a_floors_NoAction;
}

/* table pipe.Ingress.acceptor.highests, acceptor.p4:230 */
INLINE u32 in_highests_apply(struct ingress *s, const u32 phase)
{
	if (s->md.act == ACT_REQUEST && ((u8)(s->md.ahead >> 31) & 1) == 0 && (s->md.bits_of_alive & 0x340) == 0x340) { /* acceptor.p4:243 */
		if (phase & P4_UPDATES)
			in_seen(s);
		return HIT | a_highests_seen;
	}
	if (s->md.act == ACT_ACCEPT && ((u8)(s->md.ahead >> 31) & 1) == 0 && ((u8)(s->md.behind >> 31) & 1) == 0 && (s->md.bits_of_alive & 0x248) == 0x248) { /* acceptor.p4:244 */
		if (phase & P4_UPDATES)
			in_seen(s);
		return HIT | a_highests_seen;
	}
	if (s->md.act == ACT_FLOOR && (s->md.bits_of_alive & 0x248) == 0x248) { /* acceptor.p4:245 */
		if (phase & P4_QUERIES)
			in_report(s);
		return HIT | a_highests_report;
	}
	if (phase & P4_QUERIES)
		in_NoAction(s);
	return a_highests_NoAction;
}

/* table pipe.Ingress.acceptor.promises, acceptor.p4:135 */
INLINE u32 in_promises_apply(struct ingress *s)
{
	if (s->md.act == ACT_REQUEST && ((u8)(s->md.ahead >> 31) & 1) == 0 && (s->md.bits_of_alive & 0x344) == 0x344) { /* acceptor.p4:149 */
		in_promise_kept(s);
		return HIT | a_promises_promise_kept;
	}
	if (s->md.act == ACT_ACCEPT && ((u8)(s->md.ahead >> 31) & 1) == 0 && ((u8)(s->md.behind >> 31) & 1) == 0 && (s->md.bits_of_alive & 0x24c) == 0x24c) { /* acceptor.p4:150 */
		in_promise_kept(s);
		return HIT | a_promises_promise_kept;
	}
	if (s->md.act == ACT_PREPARE && ((u8)(s->md.ahead >> 31) & 1) == 0 && ((u8)(s->md.behind >> 31) & 1) == 0 && (s->md.bits_of_alive & 0x24c) == 0x24c) { /* acceptor.p4:151 */
		in_promise_kept(s);
		return HIT | a_promises_promise_kept;
	}
	if (s->md.act == ACT_QUERY && ((u8)(s->md.ahead >> 31) & 1) == 0 && ((u8)(s->md.behind >> 31) & 1) == 0 && (s->md.bits_of_alive & 0x240) == 0x240) { /* acceptor.p4:152 */
		in_nothing_changes(s);
		return HIT | a_promises_nothing_changes;
	}
	in_NoAction(s);
	return a_promises_NoAction;
}

/* table pipe.Ingress.acceptor.votes, acceptor.p4:191 */
INLINE u32 in_votes_apply(struct ingress *s)
{
	if (s->md.act == ACT_REQUEST && (s->md.bits_of_alive & 0x1) == 0x1) { /* acceptor.p4:196 */
		in_vote_put(s);
		return HIT | a_votes_vote_put;
	}
	if (s->md.act == ACT_ACCEPT && (s->md.bits_of_alive & 0x1) == 0x1) { /* acceptor.p4:197 */
		in_vote_put(s);
		return HIT | a_votes_vote_put;
	}
	if (s->md.act == ACT_PREPARE && (s->md.bits_of_alive & 0x1) == 0x1) { /* acceptor.p4:198 */
		in_vote_look(s);
		return HIT | a_votes_vote_look;
	}
	if (s->md.act == ACT_QUERY && (s->md.bits_of_alive & 0x1) == 0x1) { /* acceptor.p4:199 */
		in_vote_look(s);
		return HIT | a_votes_vote_look;
	}
	in_NoAction(s);
	return a_votes_NoAction;
}

/* table pipe.Ingress.acceptor.client_at, acceptor.p4:250 */
INLINE u32 in_client_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_paxos); /* acceptor.p4:250 */
	switch (lookup_client_at(opaque(s->length, key))) {
		case e_client_at_client_store: /* acceptor.p4:250 */
			in_client_store(s);
			return HIT | a_client_at_client_store;
		case e_client_at_client_load: /* acceptor.p4:250 */
			in_client_load(s);
			return HIT | a_client_at_client_load;
	}
	in_NoAction(s);
	return a_client_at_NoAction;
}

/* table pipe.Ingress.acceptor.seq_at, acceptor.p4:251 */
INLINE u32 in_seq_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_paxos); /* acceptor.p4:251 */
	switch (lookup_seq_at(opaque(s->length, key))) {
		case e_seq_at_seq_store: /* acceptor.p4:251 */
			in_seq_store(s);
			return HIT | a_seq_at_seq_store;
		case e_seq_at_seq_load: /* acceptor.p4:251 */
			in_seq_load(s);
			return HIT | a_seq_at_seq_load;
	}
	in_NoAction(s);
	return a_seq_at_NoAction;
}

/* table pipe.Ingress.acceptor.value_len_at, acceptor.p4:252 */
INLINE u32 in_value_len_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_paxos); /* acceptor.p4:252 */
	switch (lookup_value_len_at(opaque(s->length, key))) {
		case e_value_len_at_value_len_store: /* acceptor.p4:252 */
			in_value_len_store(s);
			return HIT | a_value_len_at_value_len_store;
		case e_value_len_at_value_len_load: /* acceptor.p4:252 */
			in_value_len_load(s);
			return HIT | a_value_len_at_value_len_load;
	}
	in_NoAction(s);
	return a_value_len_at_NoAction;
}

/* table pipe.Ingress.acceptor.value0_at, acceptor.p4:253 */
INLINE u32 in_value0_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece0); /* acceptor.p4:253 */
	switch (lookup_value0_at(opaque(s->length, key))) {
		case e_value0_at_value0_store: /* acceptor.p4:253 */
			in_value0_store(s);
			return HIT | a_value0_at_value0_store;
		case e_value0_at_value0_load: /* acceptor.p4:253 */
			in_value0_load(s);
			return HIT | a_value0_at_value0_load;
	}
	in_NoAction(s);
	return a_value0_at_NoAction;
}

/* table pipe.Ingress.acceptor.value1_at, acceptor.p4:254 */
INLINE u32 in_value1_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece0); /* acceptor.p4:254 */
	switch (lookup_value1_at(opaque(s->length, key))) {
		case e_value1_at_value1_store: /* acceptor.p4:254 */
			in_value1_store(s);
			return HIT | a_value1_at_value1_store;
		case e_value1_at_value1_load: /* acceptor.p4:254 */
			in_value1_load(s);
			return HIT | a_value1_at_value1_load;
	}
	in_NoAction(s);
	return a_value1_at_NoAction;
}

/* table pipe.Ingress.acceptor.value2_at, acceptor.p4:255 */
INLINE u32 in_value2_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece0); /* acceptor.p4:255 */
	switch (lookup_value2_at(opaque(s->length, key))) {
		case e_value2_at_value2_store: /* acceptor.p4:255 */
			in_value2_store(s);
			return HIT | a_value2_at_value2_store;
		case e_value2_at_value2_load: /* acceptor.p4:255 */
			in_value2_load(s);
			return HIT | a_value2_at_value2_load;
	}
	in_NoAction(s);
	return a_value2_at_NoAction;
}

/* table pipe.Ingress.acceptor.value3_at, acceptor.p4:256 */
INLINE u32 in_value3_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece0); /* acceptor.p4:256 */
	switch (lookup_value3_at(opaque(s->length, key))) {
		case e_value3_at_value3_store: /* acceptor.p4:256 */
			in_value3_store(s);
			return HIT | a_value3_at_value3_store;
		case e_value3_at_value3_load: /* acceptor.p4:256 */
			in_value3_load(s);
			return HIT | a_value3_at_value3_load;
	}
	in_NoAction(s);
	return a_value3_at_NoAction;
}

/* table pipe.Ingress.acceptor.value4_at, acceptor.p4:257 */
INLINE u32 in_value4_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece1); /* acceptor.p4:257 */
	switch (lookup_value4_at(opaque(s->length, key))) {
		case e_value4_at_value4_store: /* acceptor.p4:257 */
			in_value4_store(s);
			return HIT | a_value4_at_value4_store;
		case e_value4_at_value4_load: /* acceptor.p4:257 */
			in_value4_load(s);
			return HIT | a_value4_at_value4_load;
	}
	in_NoAction(s);
	return a_value4_at_NoAction;
}

/* table pipe.Ingress.acceptor.value5_at, acceptor.p4:258 */
INLINE u32 in_value5_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece1); /* acceptor.p4:258 */
	switch (lookup_value5_at(opaque(s->length, key))) {
		case e_value5_at_value5_store: /* acceptor.p4:258 */
			in_value5_store(s);
			return HIT | a_value5_at_value5_store;
		case e_value5_at_value5_load: /* acceptor.p4:258 */
			in_value5_load(s);
			return HIT | a_value5_at_value5_load;
	}
	in_NoAction(s);
	return a_value5_at_NoAction;
}

/* table pipe.Ingress.acceptor.value6_at, acceptor.p4:259 */
INLINE u32 in_value6_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece1); /* acceptor.p4:259 */
	switch (lookup_value6_at(opaque(s->length, key))) {
		case e_value6_at_value6_store: /* acceptor.p4:259 */
			in_value6_store(s);
			return HIT | a_value6_at_value6_store;
		case e_value6_at_value6_load: /* acceptor.p4:259 */
			in_value6_load(s);
			return HIT | a_value6_at_value6_load;
	}
	in_NoAction(s);
	return a_value6_at_NoAction;
}

/* table pipe.Ingress.acceptor.value7_at, acceptor.p4:260 */
INLINE u32 in_value7_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece1); /* acceptor.p4:260 */
	switch (lookup_value7_at(opaque(s->length, key))) {
		case e_value7_at_value7_store: /* acceptor.p4:260 */
			in_value7_store(s);
			return HIT | a_value7_at_value7_store;
		case e_value7_at_value7_load: /* acceptor.p4:260 */
			in_value7_load(s);
			return HIT | a_value7_at_value7_load;
	}
	in_NoAction(s);
	return a_value7_at_NoAction;
}

/* table pipe.Ingress.acceptor.value8_at, acceptor.p4:261 */
INLINE u32 in_value8_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece2); /* acceptor.p4:261 */
	switch (lookup_value8_at(opaque(s->length, key))) {
		case e_value8_at_value8_store: /* acceptor.p4:261 */
			in_value8_store(s);
			return HIT | a_value8_at_value8_store;
		case e_value8_at_value8_load: /* acceptor.p4:261 */
			in_value8_load(s);
			return HIT | a_value8_at_value8_load;
	}
	in_NoAction(s);
	return a_value8_at_NoAction;
}

/* table pipe.Ingress.acceptor.value9_at, acceptor.p4:262 */
INLINE u32 in_value9_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece2); /* acceptor.p4:262 */
	switch (lookup_value9_at(opaque(s->length, key))) {
		case e_value9_at_value9_store: /* acceptor.p4:262 */
			in_value9_store(s);
			return HIT | a_value9_at_value9_store;
		case e_value9_at_value9_load: /* acceptor.p4:262 */
			in_value9_load(s);
			return HIT | a_value9_at_value9_load;
	}
	in_NoAction(s);
	return a_value9_at_NoAction;
}

/* table pipe.Ingress.acceptor.value10_at, acceptor.p4:263 */
INLINE u32 in_value10_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece2); /* acceptor.p4:263 */
	switch (lookup_value10_at(opaque(s->length, key))) {
		case e_value10_at_value10_store: /* acceptor.p4:263 */
			in_value10_store(s);
			return HIT | a_value10_at_value10_store;
		case e_value10_at_value10_load: /* acceptor.p4:263 */
			in_value10_load(s);
			return HIT | a_value10_at_value10_load;
	}
	in_NoAction(s);
	return a_value10_at_NoAction;
}

/* table pipe.Ingress.acceptor.value11_at, acceptor.p4:264 */
INLINE u32 in_value11_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece2); /* acceptor.p4:264 */
	switch (lookup_value11_at(opaque(s->length, key))) {
		case e_value11_at_value11_store: /* acceptor.p4:264 */
			in_value11_store(s);
			return HIT | a_value11_at_value11_store;
		case e_value11_at_value11_load: /* acceptor.p4:264 */
			in_value11_load(s);
			return HIT | a_value11_at_value11_load;
	}
	in_NoAction(s);
	return a_value11_at_NoAction;
}

/* table pipe.Ingress.acceptor.value12_at, acceptor.p4:265 */
INLINE u32 in_value12_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece3); /* acceptor.p4:265 */
	switch (lookup_value12_at(opaque(s->length, key))) {
		case e_value12_at_value12_store: /* acceptor.p4:265 */
			in_value12_store(s);
			return HIT | a_value12_at_value12_store;
		case e_value12_at_value12_load: /* acceptor.p4:265 */
			in_value12_load(s);
			return HIT | a_value12_at_value12_load;
	}
	in_NoAction(s);
	return a_value12_at_NoAction;
}

/* table pipe.Ingress.acceptor.value13_at, acceptor.p4:266 */
INLINE u32 in_value13_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece3); /* acceptor.p4:266 */
	switch (lookup_value13_at(opaque(s->length, key))) {
		case e_value13_at_value13_store: /* acceptor.p4:266 */
			in_value13_store(s);
			return HIT | a_value13_at_value13_store;
		case e_value13_at_value13_load: /* acceptor.p4:266 */
			in_value13_load(s);
			return HIT | a_value13_at_value13_load;
	}
	in_NoAction(s);
	return a_value13_at_NoAction;
}

/* table pipe.Ingress.acceptor.value14_at, acceptor.p4:267 */
INLINE u32 in_value14_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece3); /* acceptor.p4:267 */
	switch (lookup_value14_at(opaque(s->length, key))) {
		case e_value14_at_value14_store: /* acceptor.p4:267 */
			in_value14_store(s);
			return HIT | a_value14_at_value14_store;
		case e_value14_at_value14_load: /* acceptor.p4:267 */
			in_value14_load(s);
			return HIT | a_value14_at_value14_load;
	}
	in_NoAction(s);
	return a_value14_at_NoAction;
}

/* table pipe.Ingress.acceptor.value15_at, acceptor.p4:268 */
INLINE u32 in_value15_at_apply(struct ingress *s)
{
	u32 key = (u32)s->md.promised << 6 | (u32)s->md.act << 2 | (u32)s->md.again << 1 | (u32)!!(s->valid & IN_hdr_piece3); /* acceptor.p4:268 */
	switch (lookup_value15_at(opaque(s->length, key))) {
		case e_value15_at_value15_store: /* acceptor.p4:268 */
			in_value15_store(s);
			return HIT | a_value15_at_value15_store;
		case e_value15_at_value15_load: /* acceptor.p4:268 */
			in_value15_load(s);
			return HIT | a_value15_at_value15_load;
	}
	in_NoAction(s);
	return a_value15_at_NoAction;
}

/* table pipe.Ingress.learner.counting, learner.p4:92 */
INLINE u32 in_counting_apply(struct ingress *s)
{
	if (s->md.act == ACT_LEARN && (s->md.bits_of_alive & 0x221) == 0x220 && (s->md.bits_of_known & 0x2) == 0x0) { /* learner.p4:106 */
		in_nobody(s);
		return HIT | a_counting_nobody;
	}
	if (s->md.act == ACT_LEARN && ((u8)(s->md.ahead >> 31) & 1) == 0 && ((u8)(s->md.behind >> 31) & 1) == 0 && (s->md.bits_of_alive & 0x221) == 0x220) { /* learner.p4:107 */
		in_take(s);
		return HIT | a_counting_take;
	}
	if (s->md.act == ACT_REQUEST && ((u8)(s->md.ahead >> 31) & 1) == 0 && (s->md.bits_of_alive & 0x231) == 0x231) { /* learner.p4:108 */
		in_take(s);
		return HIT | a_counting_take;
	}
	if (s->md.act == ACT_ACCEPT && ((u8)(s->md.ahead >> 31) & 1) == 0 && ((u8)(s->md.behind >> 31) & 1) == 0 && (s->md.bits_of_alive & 0x231) == 0x231) { /* learner.p4:109 */
		in_take(s);
		return HIT | a_counting_take;
	}
	in_NoAction(s);
	return a_counting_NoAction;
}

/* table pipe.Ingress.learner.count, learner.p4:68 */
INLINE u32 in_count_apply(struct ingress *s)
{
	if (s->md.newer == 0 && (s->md.bits_of_known & 0x1) == 0x1) { /* learner.p4:73 */
		in_add(s);
		return HIT | a_count_add;
	}
	if ((s->md.newer & 0x80000000) == 0x80000000 && (s->md.bits_of_known & 0x1) == 0x1) { /* learner.p4:74 */
		in_too_late(s);
		return HIT | a_count_too_late;
	}
	if ((s->md.bits_of_known & 0x1) == 0x1) { /* learner.p4:75 */
		in_begin(s);
		return HIT | a_count_begin;
	}
	in_NoAction(s);
	return a_count_NoAction;
}

/* table pipe.Ingress.learner.majority, learner.p4:127 */
INLINE u32 in_majority_apply(struct ingress *s)
{
	u32 key = (u32)s->md.counts << 14 | (u32)s->md.stale << 13 | (u32)((u8)s->md.members & 7) << 10 | (u32)((u8)s->md.before & 0x1f) << 5 | (u32)((u8)s->md.voter & 0x1f); /* learner.p4:129 */
	switch (lookup_majority(opaque(s->length, key))) {
		case e_majority_had: /* learner.p4:138 */
			in_had(s);
			return HIT | a_majority_had;
		case e_majority_reached: /* learner.p4:139 */
			in_reached(s);
			return HIT | a_majority_reached;
	}
	in_NoAction(s);
	return a_majority_NoAction;
}

/* table pipe.Ingress.verdict.requested, verdict.p4:63 */
INLINE u32 in_requested_apply(struct ingress *s)
{
	u32 key = (s->md.bits_of_alive >> 7 & 7) << 4 | (u32)((u8)(s->md.ahead >> 31) & 1) << 3 | (u32)s->md.votes << 2 | (u32)s->md.promised << 1 | (u32)s->md.reached; /* verdict.p4:65 */
	switch (lookup_requested(opaque(s->length, key))) {
		case e_requested_refuse: /* verdict.p4:76 */
			in_refuse(s, 7);
			return HIT | a_requested_refuse;
		case e_requested_refuse_2: /* verdict.p4:77 */
			in_refuse(s, 6);
			return HIT | a_requested_refuse;
		case e_requested_refuse_3: /* verdict.p4:78 */
			in_refuse(s, 0x10);
			return HIT | a_requested_refuse;
		case e_requested_refuse_4: /* verdict.p4:79 */
			in_refuse(s, 8);
			return HIT | a_requested_refuse;
		case e_requested_become: /* verdict.p4:80 */
			in_become(s, 1);
			return HIT | a_requested_become;
		case e_requested_refuse_5: /* verdict.p4:81 */
			in_refuse(s, 0xb);
			return HIT | a_requested_refuse;
		case e_requested_become_2: /* verdict.p4:82 */
			in_become(s, 3);
			return HIT | a_requested_become;
		case e_requested_become_3: /* verdict.p4:83 */
			in_become(s, 7);
			return HIT | a_requested_become;
	}
	in_absorb(s);
	return a_requested_absorb;
}

/* table pipe.Ingress.verdict.accepted, verdict.p4:89 */
INLINE u32 in_accepted_apply(struct ingress *s)
{
	u32 key = (u32)s->md.alive << 8 | (u32)s->md.votes << 7 | (u32)s->md.owner << 6 | (u32)((u8)(s->md.ahead >> 31) & 1) << 5 | (u32)((u8)(s->md.behind >> 31) & 1) << 4 | (u32)s->md.promised << 3 | (u32)s->md.again << 2 | (u32)!!(s->valid & IN_hdr_piece3) << 1 | (u32)s->md.reached; /* verdict.p4:91 */
	switch (lookup_accepted(opaque(s->length, key))) {
		case e_accepted_discard: /* verdict.p4:104 */
			in_discard(s, 7);
			return HIT | a_accepted_discard;
		case e_accepted_discard_2: /* verdict.p4:105 */
			in_discard(s, 6);
			return HIT | a_accepted_discard;
		case e_accepted_discard_3: /* verdict.p4:106 */
			in_discard(s, 0xa);
			return HIT | a_accepted_discard;
		case e_accepted_discard_4: /* verdict.p4:107 */
			in_discard(s, 9);
			return HIT | a_accepted_discard;
		case e_accepted_discard_5: /* verdict.p4:109 */
			in_discard(s, 0xb);
			return HIT | a_accepted_discard;
		case e_accepted_discard_6: /* verdict.p4:110 */
			in_discard(s, 0x11);
			return HIT | a_accepted_discard;
		case e_accepted_become: /* verdict.p4:111 */
			in_become(s, 2);
			return HIT | a_accepted_become;
		case e_accepted_become_2: /* verdict.p4:112 */
			in_become(s, 6);
			return HIT | a_accepted_become;
	}
	in_absorb(s);
	return a_accepted_absorb;
}

/* table pipe.Ingress.verdict.learned, verdict.p4:183 */
INLINE u32 in_learned_apply(struct ingress *s)
{
	u32 key = (u32)s->md.alive << 8 | (u32)s->md.known << 7 | (u32)s->md.learns << 6 | (u32)((u8)(s->md.ahead >> 31) & 1) << 5 | (u32)((u8)(s->md.behind >> 31) & 1) << 4 | (u32)s->md.stale << 3 | (u32)s->md.reached << 2 | (u32)s->md.had << 1 | (u32)((u8)in_hdr_paxos_flags(s) & 1); /* verdict.p4:185 */
	switch (lookup_learned(opaque(s->length, key))) {
		case e_learned_discard: /* verdict.p4:198 */
			in_discard(s, 7);
			return HIT | a_learned_discard;
		case e_learned_discard_2: /* verdict.p4:199 */
			in_discard(s, 0xa);
			return HIT | a_learned_discard;
		case e_learned_discard_3: /* verdict.p4:201 */
			in_discard(s, 9);
			return HIT | a_learned_discard;
		case e_learned_discard_4: /* verdict.p4:203 */
			in_discard(s, 0xb);
			return HIT | a_learned_discard;
		case e_learned_become: /* verdict.p4:204 */
			in_become(s, 4);
			return HIT | a_learned_become;
	}
	in_absorb(s);
	return a_learned_absorb;
}

/* table pipe.Ingress.verdict.prepared, verdict.p4:118 */
INLINE u32 in_prepared_apply(struct ingress *s)
{
	u32 key = (u32)s->md.alive << 5 | (u32)s->md.votes << 4 | (u32)s->md.owner << 3 | (u32)((u8)(s->md.ahead >> 31) & 1) << 2 | (u32)((u8)(s->md.behind >> 31) & 1) << 1 | (u32)s->md.promised; /* verdict.p4:120 */
	switch (lookup_prepared(opaque(s->length, key))) {
		case e_prepared_refuse: /* verdict.p4:130 */
			in_refuse(s, 7);
			return HIT | a_prepared_refuse;
		case e_prepared_refuse_2: /* verdict.p4:131 */
			in_refuse(s, 6);
			return HIT | a_prepared_refuse;
		case e_prepared_refuse_3: /* verdict.p4:132 */
			in_refuse(s, 0xa);
			return HIT | a_prepared_refuse;
		case e_prepared_refuse_4: /* verdict.p4:133 */
			in_refuse(s, 9);
			return HIT | a_prepared_refuse;
		case e_prepared_refuse_5: /* verdict.p4:135 */
			in_refuse(s, 0xb);
			return HIT | a_prepared_refuse;
		case e_prepared_answer: /* verdict.p4:136 */
			in_answer(s, 3);
			return HIT | a_prepared_answer;
	}
	in_absorb(s);
	return a_prepared_absorb;
}

/* table pipe.Ingress.verdict.raised, verdict.p4:142 */
INLINE u32 in_raised_apply(struct ingress *s)
{
	u32 key = (u32)s->md.alive << 3 | (u32)s->md.votes << 2 | (s->md.bits_of_alive >> 2 & 3); /* verdict.p4:144 */
	switch (lookup_raised(opaque(s->length, key))) {
		case e_raised_refuse: /* verdict.p4:152 */
			in_refuse(s, 7);
			return HIT | a_raised_refuse;
		case e_raised_refuse_2: /* verdict.p4:153 */
			in_refuse(s, 6);
			return HIT | a_raised_refuse;
		case e_raised_refuse_3: /* verdict.p4:154 */
			in_refuse(s, 0xa);
			return HIT | a_raised_refuse;
		case e_raised_refuse_4: /* verdict.p4:155 */
			in_refuse(s, 0xb);
			return HIT | a_raised_refuse;
		case e_raised_answer: /* verdict.p4:156 */
			in_answer(s, 7);
			return HIT | a_raised_answer;
	}
	in_absorb(s);
	return a_raised_absorb;
}

/* table pipe.Ingress.verdict.queried, verdict.p4:162 */
INLINE u32 in_queried_apply(struct ingress *s)
{
	if ((s->md.bits_of_alive & 0x200) == 0x0) { /* verdict.p4:173 */
		in_refuse(s, 7);
		return HIT | a_queried_refuse;
	}
	if ((s->md.bits_of_alive & 0x40) == 0x0) { /* verdict.p4:174 */
		in_refuse(s, 6);
		return HIT | a_queried_refuse;
	}
	if (((u8)(s->md.ahead >> 31) & 1) == 1) { /* verdict.p4:175 */
		in_refuse(s, 9);
		return HIT | a_queried_refuse;
	}
	if (((u8)(s->md.behind >> 31) & 1) == 1) { /* verdict.p4:176 */
		in_refuse(s, 9);
		return HIT | a_queried_refuse;
	}
	if (in_hdr_paxos_vrnd(s) == 0) { /* verdict.p4:177 */
		in_refuse(s, 0xc);
		return HIT | a_queried_refuse;
	}
	in_again(s);
	return a_queried_again;
}

/* table pipe.Ingress.verdict.nothing, verdict.p4:211 */
INLINE u32 in_nothing_apply(struct ingress *s)
{
	u32 key = (u32)s->md.malformed << 9 | (u32)s->md.udp_error << 8 | (u32)in_hdr_paxos_kind(s); /* verdict.p4:213 */
	switch (lookup_nothing(opaque(s->length, key))) {
		case e_nothing_discard: /* verdict.p4:220 */
			in_discard(s, 1);
			return HIT | a_nothing_discard;
		case e_nothing_discard_2: /* verdict.p4:221 */
			in_discard(s, 3);
			return HIT | a_nothing_discard;
		case e_nothing_refuse: /* verdict.p4:222 */
			in_refuse(s, 5);
			return HIT | a_nothing_refuse;
	}
	in_discard(s, 5);
	return a_nothing_discard;
}

/* Parser of the ingress: on an error, parser_error says which (TNA numbers). */
INLINE void in_parse(struct ingress *s, u8 *p, u8 *end)
{
	u64 sum_pipe_IngressParser_ipv4_checksum = 0, raw_pipe_IngressParser_ipv4_checksum = 0;
	u64 sum_pipe_IngressParser_udp_checksum = 0, raw_pipe_IngressParser_udp_checksum = 0;
	/* state start, parser.p4:20 */
	s->md.checksum_error = 0; /* parser.p4:23 */
	s->md.udp_error = 0; /* parser.p4:23 */
	s->md.malformed = 0; /* parser.p4:23 */
	s->md.routed = 0; /* parser.p4:23 */
	s->md.local = 0; /* parser.p4:23 */
	s->md.own = 0; /* parser.p4:23 */
	s->md.sender = 0; /* parser.p4:23 */
	s->md.family = 0; /* parser.p4:23 */
	s->md.refused = 0; /* parser.p4:23 */
	s->md.host_port = 0; /* parser.p4:23 */
	s->md.mac_elsewhere = 0; /* parser.p4:23 */
	s->md.ip_elsewhere = 0; /* parser.p4:23 */
	s->md.port_group = 0; /* parser.p4:23 */
	s->md.drop = DROP_NONE; /* parser.p4:23 */
	s->md.reason = REASON_NONE; /* parser.p4:23 */
	s->md.at = AT_NONE; /* parser.p4:23 */
	s->md.act = ACT_NONE; /* parser.p4:23 */
	s->md.app = 0; /* parser.p4:23 */
	s->md.life = 0; /* parser.p4:23 */
	s->md.cell = 0; /* parser.p4:23 */
	s->md.last = 0; /* parser.p4:23 */
	s->md.ahead = 0; /* parser.p4:23 */
	s->md.behind = 0; /* parser.p4:23 */
	s->md.alive = 0; /* parser.p4:23 */
	s->md.leads = 0; /* parser.p4:23 */
	s->md.proposer = 0; /* parser.p4:23 */
	s->md.votes = 0; /* parser.p4:23 */
	s->md.learns = 0; /* parser.p4:23 */
	s->md.counted_here = 0; /* parser.p4:23 */
	s->md.owner = 0; /* parser.p4:23 */
	s->md.above = 0; /* parser.p4:23 */
	s->md.again = 0; /* parser.p4:23 */
	s->md.promised = 0; /* parser.p4:23 */
	s->md.members = 0; /* parser.p4:23 */
	s->md.voter = 0; /* parser.p4:23 */
	s->md.known = 0; /* parser.p4:23 */
	s->md.counts = 0; /* parser.p4:23 */
	s->md.counted = 0; /* parser.p4:23 */
	s->md.newer = 0; /* parser.p4:23 */
	s->md.stale = 0; /* parser.p4:23 */
	s->md.had = 0; /* parser.p4:23 */
	s->md.reached = 0; /* parser.p4:23 */
	s->md.before = 0; /* parser.p4:23 */
	s->md.leads_group = 0; /* parser.p4:23 */
	s->md.votes_group = 0; /* parser.p4:23 */
	s->md.learns_group = 0; /* parser.p4:23 */
	{
		u16 key0 = s->ig_intr_md.ingress_port;
		if (key0 == PORT_CPU)
			goto state_parse_packet_out; /* parser.p4:26 */
		goto state_parse_ethernet; /* parser.p4:27 */
	}
state_parse_packet_out:;
	/* state parse_packet_out, parser.p4:31 */
	if (unlikely(p + 4 > end))
		goto partial; /* parser.p4:32 */
	s->valid |= IN_hdr_packet_out;
	p += 4;
	return;
state_parse_ethernet:;
	/* state parse_ethernet, frames.p4:21 */
	if (unlikely(p + 14 > end))
		goto partial; /* frames.p4:22 */
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
		goto partial; /* frames.p4:36 */
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
		goto partial; /* frames.p4:53 */
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
		goto partial; /* frames.p4:69 */
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
		goto partial; /* frames.p4:80 */
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
		goto partial; /* frames.p4:90 */
	s->tmp.lookahead_struct.rest = ld64(p);
	s->tmp.lookahead_struct.more = ld32(p + 8);
	s->tmp.lookahead_struct.ip = ld32(p + 12);
	s->md.sender = s->tmp.lookahead_struct.ip; /* frames.p4:90 */
	return;
state_peek_arp:;
	/* state peek_arp, frames.p4:94 */
	s->md.family = FAMILY_ARP; /* frames.p4:95 */
	if (unlikely(p + 18 > end))
		goto partial; /* frames.p4:96 */
	s->tmp.lookahead_struct.kind = ld64(p);
	s->tmp.lookahead_struct.mac = ld48(p + 8);
	s->tmp.lookahead_struct.ip_1 = ld32(p + 14);
	s->md.sender = s->tmp.lookahead_struct.ip_1; /* frames.p4:96 */
	return;
state_peek_llc:;
	/* state peek_llc, frames.p4:100 */
	if (unlikely(p + 1 > end))
		goto partial; /* frames.p4:101 */
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
		goto partial; /* frames.p4:108 */
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
		goto partial; /* frames.p4:124 */
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
		goto partial; /* frames.p4:132 */
	s->tmp.lookahead_struct.next_header = ld8(p);
	s->tmp.lookahead_struct.length = ld8(p + 1);
	s->tmp.lookahead_struct.options = ld48(p + 2);
	s->tmp.lookahead_struct.kind_1 = ld8(p + 8);
	if (unlikely(p + 9 > end))
		goto partial; /* frames.p4:132 */
	s->tmp.lookahead_struct.next_header_1 = ld8(p);
	s->tmp.lookahead_struct.length_1 = ld8(p + 1);
	s->tmp.lookahead_struct.options_1 = ld48(p + 2);
	s->tmp.lookahead_struct.kind_2 = ld8(p + 8);
	if (unlikely(p + 9 > end))
		goto partial; /* frames.p4:133 */
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
		goto partial; /* frames.p4:143 */
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
	return;
state_ipv6:;
	/* state ipv6, frames.p4:156 */
	s->md.family = FAMILY_IPV6; /* frames.p4:157 */
	return;
state_router:;
	/* state router, frames.p4:161 */
	s->md.family = FAMILY_ROUTER; /* frames.p4:162 */
	return;
state_other:;
	/* state other, frames.p4:166 */
	s->md.family = FAMILY_OTHER; /* frames.p4:167 */
	return;
state_wrapped:;
	/* state wrapped, frames.p4:171 */
	s->md.family = FAMILY_WRAPPED; /* frames.p4:172 */
	return;
state_parse_ipv4:;
	/* state parse_ipv4, parser.p4:38 */
	if (unlikely(p + 20 > end))
		goto partial; /* parser.p4:39 */
	s->valid |= IN_hdr_ipv4;
	p += 20;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 0) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 4) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw16((s->data + 14) + 8) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw16((s->data + 14) + 10) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 12) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 16) : 0;
	s->md.checksum_error = csum_fold(sum_pipe_IngressParser_ipv4_checksum + csum_raw(raw_pipe_IngressParser_ipv4_checksum)) != 0xffff; /* parser.p4:41 */
	s->md.sender = in_hdr_ipv4_src(s); /* parser.p4:42 */
	sum_pipe_IngressParser_udp_checksum += (u64)0 << 8;
	sum_pipe_IngressParser_udp_checksum += in_hdr_ipv4_protocol(s);
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 12) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 16) : 0;
	{
		u8 key0 = in_hdr_ipv4_protocol(s);
		u16 key1 = in_hdr_ipv4_flags_fragment(s);
		if (key0 == IPPROTO_UDP && (key1 & 0x3fff) == 0)
			goto state_parse_udp; /* parser.p4:45 */
		return; /* parser.p4:46 */
	}
state_parse_udp:;
	/* state parse_udp, parser.p4:50 */
	if (unlikely(p + 8 > end))
		goto partial; /* parser.p4:51 */
	s->valid |= IN_hdr_udp;
	p += 8;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_udp) ? raw32((s->data + 34) + 0) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_udp) ? raw32((s->data + 34) + 4) : 0;
	{
		u16 key0 = in_hdr_udp_dst_port(s);
		if ((key0 & 0xfff0) == 0x8880)
			goto state_parse_paxos; /* parser.p4:54 */
		return; /* parser.p4:55 */
	}
state_parse_paxos:;
	/* state parse_paxos, parser.p4:59 */
	if (unlikely(p + 28 > end))
		goto partial; /* parser.p4:60 */
	s->valid |= IN_hdr_paxos;
	p += 28;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_paxos) ? raw16((s->data + 42) + 0) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_paxos) ? raw16((s->data + 42) + 2) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_paxos) ? raw32((s->data + 42) + 4) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_paxos) ? raw32((s->data + 42) + 8) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_paxos) ? raw32((s->data + 42) + 12) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_paxos) ? raw32((s->data + 42) + 16) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_paxos) ? raw32((s->data + 42) + 20) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_paxos) ? raw16((s->data + 42) + 24) : 0;
	{
		u16 key0 = in_hdr_udp_length(s);
		u16 key1 = in_hdr_paxos_not_length(s);
		if (key0 == 0x24 && key1 == 0xffdb)
			goto state_done; /* parser.p4:65 */
		if (key0 == 0x34 && key1 == 0xffcb)
			goto state_parse_1; /* parser.p4:66 */
		if (key0 == 0x44 && key1 == 0xffbb)
			goto state_parse_2; /* parser.p4:67 */
		if (key0 == 0x54 && key1 == 0xffab)
			goto state_parse_3; /* parser.p4:68 */
		if (key0 == 0x64 && key1 == 0xff9b)
			goto state_parse_4; /* parser.p4:69 */
		goto state_strange; /* parser.p4:70 */
	}
state_parse_1:;
	/* state parse_1, parser.p4:74 */
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:75 */
	s->valid |= IN_hdr_piece0;
	p += 16;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 0) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 4) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 8) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 12) : 0;
	goto state_done;
state_parse_2:;
	/* state parse_2, parser.p4:80 */
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:81 */
	s->valid |= IN_hdr_piece0;
	p += 16;
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:82 */
	s->valid |= IN_hdr_piece1;
	p += 16;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 0) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 4) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 8) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 12) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 0) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 4) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 8) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 12) : 0;
	goto state_done;
state_parse_3:;
	/* state parse_3, parser.p4:88 */
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:89 */
	s->valid |= IN_hdr_piece0;
	p += 16;
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:90 */
	s->valid |= IN_hdr_piece1;
	p += 16;
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:91 */
	s->valid |= IN_hdr_piece2;
	p += 16;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 0) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 4) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 8) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 12) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 0) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 4) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 8) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 12) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece2) ? raw32((s->data + 102) + 0) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece2) ? raw32((s->data + 102) + 4) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece2) ? raw32((s->data + 102) + 8) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece2) ? raw32((s->data + 102) + 12) : 0;
	goto state_done;
state_parse_4:;
	/* state parse_4, parser.p4:98 */
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:99 */
	s->valid |= IN_hdr_piece0;
	p += 16;
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:100 */
	s->valid |= IN_hdr_piece1;
	p += 16;
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:101 */
	s->valid |= IN_hdr_piece2;
	p += 16;
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:102 */
	s->valid |= IN_hdr_piece3;
	p += 16;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 0) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 4) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 8) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 12) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 0) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 4) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 8) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 12) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece2) ? raw32((s->data + 102) + 0) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece2) ? raw32((s->data + 102) + 4) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece2) ? raw32((s->data + 102) + 8) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece2) ? raw32((s->data + 102) + 12) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece3) ? raw32((s->data + 118) + 0) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece3) ? raw32((s->data + 118) + 4) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece3) ? raw32((s->data + 118) + 8) : 0;
	raw_pipe_IngressParser_udp_checksum += (s->valid & IN_hdr_piece3) ? raw32((s->data + 118) + 12) : 0;
	goto state_done;
state_done:;
	/* state done, parser.p4:110 */
	s->md.udp_error = csum_fold(sum_pipe_IngressParser_udp_checksum + csum_raw(raw_pipe_IngressParser_udp_checksum)) != 0xffff; /* parser.p4:111 */
	return;
state_strange:;
	/* state strange, parser.p4:115 */
	s->md.malformed = 1; /* parser.p4:116 */
	return;
partial:;
	s->parser_error = 0x2;
	return;
}

/* learner, with a row of its registers, or with 0 when the index is out of range. */
INLINE void in_learner_with_r_cell(struct ingress *s, struct r_cell *row)
{
	s->r_cell = row;
	{ /* @atomic, learner.p4:213 */
		u32 lock_ = s->md.cell;
		if (unlikely(!in_lock(lock_))) {
			s->contention = 1;
		} else {
			in_counting_apply(s); /* learner.p4:214 */
			s->md.newer = (u32)(in_hdr_paxos_rnd(s) - s->md.counted); /* learner.p4:215 */
			if (s->md.counts == 1) { /* learner.p4:216 */
				in_count_apply(s); /* learner.p4:217 */
			}
			in_unlock(lock_);
		}
	}
	if (s->md.counts == 1) { /* learner.p4:220 */
		in_majority_apply(s); /* learner.p4:221 */
	}
}

/* acceptor, with a row of its registers, or with 0 when the index is out of range. */
INLINE void in_acceptor_with_r_cell(struct ingress *s, struct r_cell *row)
{
	s->r_cell = row;
	/* @updates_first, acceptor.p4:271: registers that change, then those that are read. */
	{
		in_floors_apply(s, P4_UPDATES); /* acceptor.p4:272 */
		in_highests_apply(s, P4_UPDATES); /* acceptor.p4:273 */
	}
	{
		in_floors_apply(s, P4_QUERIES); /* acceptor.p4:272 */
		in_highests_apply(s, P4_QUERIES); /* acceptor.p4:273 */
	}
	s->md.bits_of_alive = opaque(s->length, s->md.bits_of_alive);
	{ /* @atomic, acceptor.p4:275 */
		u32 lock_ = s->md.cell;
		if (unlikely(!in_lock(lock_))) {
			s->contention = 1;
		} else {
			in_promises_apply(s); /* acceptor.p4:276 */
			if (s->md.promised == 1) { /* acceptor.p4:277 */
				in_votes_apply(s); /* acceptor.p4:278 */
				in_client_at_apply(s); /* acceptor.p4:279 */
				in_seq_at_apply(s); /* acceptor.p4:280 */
				in_value_len_at_apply(s); /* acceptor.p4:281 */
				in_value0_at_apply(s); /* acceptor.p4:282 */
				in_value1_at_apply(s); /* acceptor.p4:283 */
				in_value2_at_apply(s); /* acceptor.p4:284 */
				in_value3_at_apply(s); /* acceptor.p4:285 */
				in_value4_at_apply(s); /* acceptor.p4:286 */
				in_value5_at_apply(s); /* acceptor.p4:287 */
				in_value6_at_apply(s); /* acceptor.p4:288 */
				in_value7_at_apply(s); /* acceptor.p4:289 */
				in_value8_at_apply(s); /* acceptor.p4:290 */
				in_value9_at_apply(s); /* acceptor.p4:291 */
				in_value10_at_apply(s); /* acceptor.p4:292 */
				in_value11_at_apply(s); /* acceptor.p4:293 */
				in_value12_at_apply(s); /* acceptor.p4:294 */
				in_value13_at_apply(s); /* acceptor.p4:295 */
				in_value14_at_apply(s); /* acceptor.p4:296 */
				in_value15_at_apply(s); /* acceptor.p4:297 */
			}
			in_unlock(lock_);
		}
	}
}

/* What in_own_function takes and gives back. */
struct in_own_function {
	u32 md_learns;
	u32 md_act;
	u32 md_known;
	u32 md_ahead;
	u32 md_behind;
	u32 md_cell;
	u32 md_voter;
	u32 md_stale;
	u32 md_members;
	u32 valid, length;
	u32 contention, unicast;
};

/* @own_function, paxos.p4:102 */
GLOBAL int in_own_function(struct xdp_md *ctx, struct in_own_function *x)
{
	struct ingress state = {}, *s = &state;
	if (!x) /* the verifier's: it is never so */
		return 0;
	u8 *end = PTR(ctx->data_end);
	s->data = PTR(ctx->data);
	s->length = x->length;
	u32 valid = x->valid;
	if (!(valid & IN_hdr_piece3) || s->data + 134 > end) {
		valid = x->valid & ~(IN_hdr_piece3);
		if (!(valid & IN_hdr_piece2) || s->data + 118 > end) {
			valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2);
			if (!(valid & IN_hdr_piece1) || s->data + 102 > end) {
				valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1);
				if (!(valid & IN_hdr_piece0) || s->data + 86 > end) {
					valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0);
					if (!(valid & IN_hdr_paxos) || s->data + 70 > end) {
						valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos);
						if (!(valid & IN_hdr_udp) || s->data + 42 > end) {
							valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos | IN_hdr_udp);
							if (!(valid & IN_hdr_ipv4) || s->data + 34 > end) {
								valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos | IN_hdr_udp | IN_hdr_ipv4);
								if (!(valid & IN_hdr_inner_vlan) || s->data + 22 > end) {
									valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos | IN_hdr_udp | IN_hdr_ipv4 | IN_hdr_inner_vlan);
									if (!(valid & IN_hdr_vlan) || s->data + 18 > end) {
										valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos | IN_hdr_udp | IN_hdr_ipv4 | IN_hdr_inner_vlan | IN_hdr_vlan);
										if (!(valid & IN_hdr_ethernet) || s->data + 14 > end) {
											valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos | IN_hdr_udp | IN_hdr_ipv4 | IN_hdr_inner_vlan | IN_hdr_vlan | IN_hdr_ethernet);
											if (!(valid & IN_hdr_packet_out) || s->data + 4 > end) {
												valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos | IN_hdr_udp | IN_hdr_ipv4 | IN_hdr_inner_vlan | IN_hdr_vlan | IN_hdr_ethernet | IN_hdr_packet_out);
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
	barrier_var(valid);
	s->valid = valid;
	s->md.bits_of_alive = x->md_learns;
	s->md.act = x->md_act;
	s->md.bits_of_known = x->md_known;
	s->md.ahead = x->md_ahead;
	s->md.behind = x->md_behind;
	s->md.cell = x->md_cell;
	s->md.voter = x->md_voter;
	s->md.bits_of_stale = x->md_stale;
	s->md.members = x->md_members;
	{ /* learner */
		struct r_cell *row = ROW(r_cell, 65536, s->md.cell);
		if (unlikely(!row)) /* the verifier's: it is never so */
			s->contention = 1;
		else
			in_learner_with_r_cell(s, row);
	}
	x->md_stale = s->md.bits_of_stale;
	x->contention = s->contention;
	x->unicast = s->unicast;
	return 0;
}

/* What in_own_function_2 takes and gives back. */
struct in_own_function_2 {
	u32 md_votes;
	u32 md_act;
	u32 md_app;
	u32 md_ahead;
	u32 md_behind;
	u32 md_cell;
	u32 valid, length;
	u32 contention, unicast;
};

/* @own_function, paxos.p4:97 */
GLOBAL int in_own_function_2(struct xdp_md *ctx, struct in_own_function_2 *x)
{
	struct ingress state = {}, *s = &state;
	if (!x) /* the verifier's: it is never so */
		return 0;
	u8 *end = PTR(ctx->data_end);
	s->data = PTR(ctx->data);
	s->length = x->length;
	u32 valid = x->valid;
	if (!(valid & IN_hdr_piece3) || s->data + 134 > end) {
		valid = x->valid & ~(IN_hdr_piece3);
		if (!(valid & IN_hdr_piece2) || s->data + 118 > end) {
			valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2);
			if (!(valid & IN_hdr_piece1) || s->data + 102 > end) {
				valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1);
				if (!(valid & IN_hdr_piece0) || s->data + 86 > end) {
					valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0);
					if (!(valid & IN_hdr_paxos) || s->data + 70 > end) {
						valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos);
						if (!(valid & IN_hdr_udp) || s->data + 42 > end) {
							valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos | IN_hdr_udp);
							if (!(valid & IN_hdr_ipv4) || s->data + 34 > end) {
								valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos | IN_hdr_udp | IN_hdr_ipv4);
								if (!(valid & IN_hdr_inner_vlan) || s->data + 22 > end) {
									valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos | IN_hdr_udp | IN_hdr_ipv4 | IN_hdr_inner_vlan);
									if (!(valid & IN_hdr_vlan) || s->data + 18 > end) {
										valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos | IN_hdr_udp | IN_hdr_ipv4 | IN_hdr_inner_vlan | IN_hdr_vlan);
										if (!(valid & IN_hdr_ethernet) || s->data + 14 > end) {
											valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos | IN_hdr_udp | IN_hdr_ipv4 | IN_hdr_inner_vlan | IN_hdr_vlan | IN_hdr_ethernet);
											if (!(valid & IN_hdr_packet_out) || s->data + 4 > end) {
												valid = x->valid & ~(IN_hdr_piece3 | IN_hdr_piece2 | IN_hdr_piece1 | IN_hdr_piece0 | IN_hdr_paxos | IN_hdr_udp | IN_hdr_ipv4 | IN_hdr_inner_vlan | IN_hdr_vlan | IN_hdr_ethernet | IN_hdr_packet_out);
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
	barrier_var(valid);
	s->valid = valid;
	s->md.bits_of_alive = x->md_votes;
	s->md.act = x->md_act;
	s->md.app = x->md_app;
	s->md.ahead = x->md_ahead;
	s->md.behind = x->md_behind;
	s->md.cell = x->md_cell;
	{ /* acceptor */
		struct r_cell *row = ROW(r_cell, 65536, s->md.cell);
		if (unlikely(!row)) /* the verifier's: it is never so */
			s->contention = 1;
		else
			in_acceptor_with_r_cell(s, row);
	}
	x->md_votes = s->md.bits_of_alive;
	x->contention = s->contention;
	x->unicast = s->unicast;
	return 0;
}

/* Deparser of the ingress, but for the emits. */
INLINE void in_deparse(struct ingress *s)
{
	if (s->md.routed) { /* parser.p4:129 */
		{ /* parser.p4:130 */
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
	if (!!(s->valid & IN_hdr_paxos)) { /* parser.p4:136 */
		{ /* parser.p4:137 */
			u64 sum = 0, raw = 0;
			sum += (u64)0 << 8;
			sum += in_hdr_ipv4_protocol(s);
			raw += (s->valid & IN_hdr_udp) ? raw16((s->data + 34) + 4) : 0;
			raw += (s->valid & IN_hdr_paxos) ? raw16((s->data + 42) + 2) : 0;
			raw += (s->valid & IN_hdr_paxos) ? raw32((s->data + 42) + 4) : 0;
			raw += (s->valid & IN_hdr_paxos) ? raw32((s->data + 42) + 8) : 0;
			raw += (s->valid & IN_hdr_paxos) ? raw32((s->data + 42) + 12) : 0;
			raw += (s->valid & IN_hdr_paxos) ? raw32((s->data + 42) + 16) : 0;
			raw += (s->valid & IN_hdr_paxos) ? raw32((s->data + 42) + 20) : 0;
			raw += (s->valid & IN_hdr_paxos) ? raw16((s->data + 42) + 24) : 0;
			raw += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 0) : 0;
			raw += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 4) : 0;
			raw += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 8) : 0;
			raw += (s->valid & IN_hdr_piece0) ? raw32((s->data + 70) + 12) : 0;
			raw += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 0) : 0;
			raw += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 4) : 0;
			raw += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 8) : 0;
			raw += (s->valid & IN_hdr_piece1) ? raw32((s->data + 86) + 12) : 0;
			raw += (s->valid & IN_hdr_piece2) ? raw32((s->data + 102) + 0) : 0;
			raw += (s->valid & IN_hdr_piece2) ? raw32((s->data + 102) + 4) : 0;
			raw += (s->valid & IN_hdr_piece2) ? raw32((s->data + 102) + 8) : 0;
			raw += (s->valid & IN_hdr_piece2) ? raw32((s->data + 102) + 12) : 0;
			raw += (s->valid & IN_hdr_piece3) ? raw32((s->data + 118) + 0) : 0;
			raw += (s->valid & IN_hdr_piece3) ? raw32((s->data + 118) + 4) : 0;
			raw += (s->valid & IN_hdr_piece3) ? raw32((s->data + 118) + 8) : 0;
			raw += (s->valid & IN_hdr_piece3) ? raw32((s->data + 118) + 12) : 0;
			u16 check = ~csum_fold(sum + csum_raw(raw));
			if (s->valid & IN_hdr_bridge)
				in_set_hdr_bridge_sum(s, check);
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
	if (s->extracted & IN_hdr_paxos)
		parsed += 28;
	if (s->extracted & IN_hdr_piece0)
		parsed += 16;
	if (s->extracted & IN_hdr_piece1)
		parsed += 16;
	if (s->extracted & IN_hdr_piece2)
		parsed += 16;
	if (s->extracted & IN_hdr_piece3)
		parsed += 16;
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
	if (s->valid & IN_hdr_paxos) {
		memcpy(saved->hdr_paxos, (s->data + 42), 28);
		size += 28;
	}
	if (s->valid & IN_hdr_piece0) {
		memcpy(saved->hdr_piece0, (s->data + 70), 16);
		size += 16;
	}
	if (s->valid & IN_hdr_piece1) {
		memcpy(saved->hdr_piece1, (s->data + 86), 16);
		size += 16;
	}
	if (s->valid & IN_hdr_piece2) {
		memcpy(saved->hdr_piece2, (s->data + 102), 16);
		size += 16;
	}
	if (s->valid & IN_hdr_piece3) {
		memcpy(saved->hdr_piece3, (s->data + 118), 16);
		size += 16;
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
	if (s->valid & IN_hdr_paxos) {
		if (p + 28 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_paxos, 28);
		p += 28;
	}
	if (s->valid & IN_hdr_piece0) {
		if (p + 16 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_piece0, 16);
		p += 16;
	}
	if (s->valid & IN_hdr_piece1) {
		if (p + 16 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_piece1, 16);
		p += 16;
	}
	if (s->valid & IN_hdr_piece2) {
		if (p + 16 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_piece2, 16);
		p += 16;
	}
	if (s->valid & IN_hdr_piece3) {
		if (p + 16 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_piece3, 16);
		p += 16;
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
	EG_hdr_paxos = 0x200u,
	EG_hdr_piece0 = 0x400u,
	EG_hdr_piece1 = 0x800u,
	EG_hdr_piece2 = 0x1000u,
	EG_hdr_piece3 = 0x2000u,
};

/* What the egress knows of a packet. Headers that came with the packet and are
 * not made anew stay there; the others are members of hdr. */
struct egress {
	u8 *data;        /* the packet */
	u32 valid;       /* headers that are valid now */
	u32 extracted;   /* headers that the parser found */
	struct {
		struct {
			u32 became; /* bit<8> */
			u32 pad; /* bit<7> */
			u32 ingress_port; /* bit<9> */
			u32 reason; /* bit<16> */
			u32 sum; /* bit<16> */
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
			u32 w0; /* bit<32> */
			u32 w1; /* bit<32> */
			u32 w2; /* bit<32> */
			u32 w3; /* bit<32> */
		} piece0;
		struct {
			u32 w0; /* bit<32> */
			u32 w1; /* bit<32> */
			u32 w2; /* bit<32> */
			u32 w3; /* bit<32> */
		} piece1;
		struct {
			u32 w0; /* bit<32> */
			u32 w1; /* bit<32> */
			u32 w2; /* bit<32> */
			u32 w3; /* bit<32> */
		} piece2;
		struct {
			u32 w0; /* bit<32> */
			u32 w1; /* bit<32> */
			u32 w2; /* bit<32> */
			u32 w3; /* bit<32> */
		} piece3;
	} hdr;
	struct {
		u32 want; /* bit<8> */
		u32 sum; /* bit<16> */
		u64 mac; /* bit<48> */
		u32 ip; /* bit<32> */
		u32 port; /* bit<16> */
	} md;
	struct {
		u32 egress_rid; /* bit<16> */
		u32 egress_port; /* bit<9> */
	} eg_intr_md;
	struct {
		u32 drop_ctl; /* bit<3> */
	} eg_dprsr_md;
	struct {
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
INLINE u16 eg_hdr_ipv4_total_len(struct egress *s) { return (s->valid & EG_hdr_ipv4) ? ld16((s->data + 14) + 2) : 0; }
INLINE u16 eg_hdr_ipv4_identification(struct egress *s) { return (s->valid & EG_hdr_ipv4) ? ld16((s->data + 14) + 4) : 0; }
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
INLINE void eg_set_hdr_udp_dst_port(struct egress *s, u16 v)
{
	if (s->valid & EG_hdr_udp)
		st16((s->data + 34) + 2, v);
}
INLINE u16 eg_hdr_udp_length(struct egress *s) { return (s->valid & EG_hdr_udp) ? ld16((s->data + 34) + 4) : 0; }
INLINE u16 eg_hdr_udp_checksum(struct egress *s) { return (s->valid & EG_hdr_udp) ? ld16((s->data + 34) + 6) : 0; }
INLINE void eg_set_hdr_udp_checksum(struct egress *s, u16 v)
{
	if (s->valid & EG_hdr_udp)
		st16((s->data + 34) + 6, v);
}

/* hdr.paxos, in the packet. */
INLINE u8 eg_hdr_paxos_kind(struct egress *s) { return (s->valid & EG_hdr_paxos) ? ld8(s->data + 42) : 0; }
INLINE void eg_set_hdr_paxos_kind(struct egress *s, u8 v)
{
	if (s->valid & EG_hdr_paxos)
		st8((s->data + 42), v);
}
INLINE u8 eg_hdr_paxos_acceptor(struct egress *s) { return (s->valid & EG_hdr_paxos) ? ld8((s->data + 42) + 1) : 0; }
INLINE u8 eg_hdr_paxos_flags(struct egress *s) { return (s->valid & EG_hdr_paxos) ? ld8((s->data + 42) + 2) : 0; }
INLINE u8 eg_hdr_paxos_value_len(struct egress *s) { return (s->valid & EG_hdr_paxos) ? ld8((s->data + 42) + 3) : 0; }
INLINE u32 eg_hdr_paxos_inst(struct egress *s) { return (s->valid & EG_hdr_paxos) ? ld32((s->data + 42) + 4) : 0; }
INLINE u32 eg_hdr_paxos_rnd(struct egress *s) { return (s->valid & EG_hdr_paxos) ? ld32((s->data + 42) + 8) : 0; }
INLINE u32 eg_hdr_paxos_vrnd(struct egress *s) { return (s->valid & EG_hdr_paxos) ? ld32((s->data + 42) + 12) : 0; }
INLINE u32 eg_hdr_paxos_client(struct egress *s) { return (s->valid & EG_hdr_paxos) ? ld32((s->data + 42) + 16) : 0; }
INLINE u32 eg_hdr_paxos_seq(struct egress *s) { return (s->valid & EG_hdr_paxos) ? ld32((s->data + 42) + 20) : 0; }
INLINE u16 eg_hdr_paxos_reserved(struct egress *s) { return (s->valid & EG_hdr_paxos) ? ld16((s->data + 42) + 24) : 0; }
INLINE u16 eg_hdr_paxos_not_length(struct egress *s) { return (s->valid & EG_hdr_paxos) ? ld16((s->data + 42) + 26) : 0; }

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
	u8 hdr_paxos[32];
};
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct eg_saved); }
	eg_scratch SEC(".maps"); /* headers of a packet whose layout changes */

/* action pipe.Egress.copies.to, copies.p4:20 */
INLINE void eg_to(struct egress *s, u8 p_want, u8 p_kind, u64 p_src_mac, u64 p_dst_mac, u32 p_src, u32 p_dst, u16 p_dst_port)
{
	s->md.want = p_want; /* copies.p4:22 */
	eg_set_hdr_paxos_kind(s, p_kind); /* copies.p4:23 */
	eg_set_hdr_ethernet_src(s, p_src_mac); /* copies.p4:24 */
	eg_set_hdr_ethernet_dst(s, p_dst_mac); /* copies.p4:25 */
	eg_set_hdr_ipv4_src(s, p_src); /* copies.p4:26 */
	eg_set_hdr_ipv4_dst(s, p_dst); /* copies.p4:27 */
	eg_set_hdr_udp_dst_port(s, p_dst_port); /* copies.p4:28 */
}

/* action NoAction, <core.p4>:35 */
INLINE void eg_NoAction(struct egress *s)
{
	aside();
}

/* table pipe.Egress.copies.copies, copies.p4:32 */
INLINE u32 eg_copies_apply(struct egress *s)
{
	struct key_copies key __attribute__((aligned(8))); /* copies.p4:33 */
	((u32 *)&key)[0] = IN_WORD(u32, s->eg_intr_md.egress_rid, 0, 2);
	union value_copies *value = lookup_copies(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		eg_NoAction(s);
		return a_copies_NoAction;
	}
	switch (value->action) {
		case a_copies_to:
			eg_to(s, value->to.want, value->to.kind, value->to.src_mac, value->to.dst_mac, value->to.src, value->to.dst, value->to.dst_port);
			break;
		case a_copies_NoAction:
			eg_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* Parser of the egress: on an error, parser_error says which (TNA numbers). */
INLINE void eg_parse(struct egress *s, u8 *p, u8 *end)
{
	/* state start, parser.p4:166 */
	s->md.want = 0; /* parser.p4:169 */
	s->md.sum = 0; /* parser.p4:169 */
	s->md.mac = 0ULL; /* parser.p4:169 */
	s->md.ip = 0; /* parser.p4:169 */
	s->md.port = 0; /* parser.p4:169 */
	{
		u8 key0 = s->hdr.bridge.became;
		if (key0 == BECAME_PLAIN)
			return; /* parser.p4:171 */
		goto state_parse_message; /* parser.p4:172 */
	}
state_parse_message:;
	/* state parse_message, parser.p4:177 */
	if (unlikely(p + 14 > end))
		goto partial; /* parser.p4:178 */
	s->valid |= EG_hdr_ethernet;
	p += 14;
	if (unlikely(p + 20 > end))
		goto partial; /* parser.p4:179 */
	s->valid |= EG_hdr_ipv4;
	p += 20;
	if (unlikely(p + 8 > end))
		goto partial; /* parser.p4:180 */
	s->valid |= EG_hdr_udp;
	p += 8;
	if (unlikely(p + 28 > end))
		goto partial; /* parser.p4:181 */
	s->valid |= EG_hdr_paxos;
	p += 28;
	return;
partial:;
	s->parser_error = 0x2;
	return;
}

/* Deparser of the egress, but for the emits. */
INLINE void eg_deparse(struct egress *s)
{
	{ /* parser.p4:194 */
		u64 sum = 0, raw = 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 0) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 4) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw16((s->data + 14) + 8) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 12) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 16) : 0;
		u16 check = ~csum_fold(sum + csum_raw(raw));
		eg_set_hdr_ipv4_checksum(s, check);
	}
	{ /* parser.p4:198 */
		u64 sum = 0, raw = 0;
		sum += s->md.sum;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 12) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 16) : 0;
		raw += (s->valid & EG_hdr_udp) ? raw16((s->data + 34) + 0) : 0;
		raw += (s->valid & EG_hdr_udp) ? raw16((s->data + 34) + 2) : 0;
		raw += (s->valid & EG_hdr_paxos) ? raw16((s->data + 42) + 0) : 0;
		u16 check = ~csum_fold(sum + csum_raw(raw));
		check = check ? check : 0xffff;
		eg_set_hdr_udp_checksum(s, check);
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
	if (s->extracted & EG_hdr_paxos)
		parsed += 28;
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
	if (s->valid & EG_hdr_paxos) {
		memcpy(saved->hdr_paxos, (s->data + 42), 28);
		size += 28;
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
	if (s->valid & EG_hdr_paxos) {
		if (p + 28 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_paxos, 28);
		p += 28;
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

/* Control of the ingress. */
INLINE int in_control(struct ingress *s, struct xdp_md *ctx)
{
	COUNT(c_port_rx, 512, 512, s->ig_intr_md.ingress_port, port_rx, s->length); /* paxos.p4:68 */
	if (!(s->valid & IN_hdr_bridge)) { /* paxos.p4:69 */
		s->valid |= IN_hdr_bridge;
	}
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, BECAME_PLAIN); /* paxos.p4:70 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_reason(s, REASON_NONE); /* paxos.p4:71 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_pad(s, 0); /* paxos.p4:72 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_sum(s, 0); /* paxos.p4:73 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_ingress_port(s, s->ig_intr_md.ingress_port); /* paxos.p4:74 */
	if (s->ig_prsr_md.parser_err != 0) { /* paxos.p4:75 */
		aside();
		s->md.drop = DROP_MALFORMED; /* paxos.p4:76 */
	} else {
		if (!!(s->valid & IN_hdr_packet_out)) { /* paxos.p4:77 */
			s->ig_tm_md.ucast_egress_port = in_hdr_packet_out_egress_port(s); /* paxos.p4:78 */
			s->unicast = 1;
			s->valid &= ~IN_hdr_packet_out; /* paxos.p4:79 */
		} else {
			if (s->md.checksum_error) { /* paxos.p4:80 */
				aside();
				s->md.drop = DROP_IP_CHECKSUM; /* paxos.p4:81 */
			} else {
				{ /* ports */
					in_port_group_apply(s); /* ports.p4:36 */
				}
				if (!!(s->valid & IN_hdr_paxos)) { /* paxos.p4:84 */
					{ /* service */
						in_service_apply(s); /* service.p4:122 */
						if (s->md.at != AT_NONE) { /* service.p4:123 */
							s->md.alive = in_life_life_is(s, s->md.app); /* service.p4:124 */
							s->md.last = in_last_last_get(s, s->md.app); /* service.p4:125 */
							s->md.behind = in_first_first_sub(s, s->md.app); /* service.p4:126 */
							in_classify_apply(s); /* service.p4:127 */
						}
					}
				}
				if (s->md.at == AT_NONE) { /* paxos.p4:87 */
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
													if (!!(s->valid & IN_hdr_paxos)) { /* local.p4:9 */
														aside();
														s->md.drop = DROP_NO_ROLE; /* local.p4:10 */
													} else {
														s->md.reason = REASON_LOCAL; /* local.p4:12 */
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
															in_l3_apply(s); /* forward.p4:249 */
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
					COUNT(c_taken, 16, 16, s->md.act, taken, s->length); /* paxos.p4:90 */
					if (s->valid & IN_hdr_bridge)
						in_set_hdr_bridge_became(s, 0); /* paxos.p4:91 */
					{ /* roles */
						if (s->md.act == ACT_LEARN) { /* roles.p4:131 */
							in_voters_apply(s); /* roles.p4:132 */
						}
						if (s->md.act != ACT_LEARN) { /* roles.p4:134 */
							in_acceptor_apply(s); /* roles.p4:135 */
						}
						if ((s->md.act != ACT_LEARN) && (s->md.act != ACT_REQUEST)) { /* roles.p4:137 */
							in_rounds_apply(s); /* roles.p4:138 */
						}
						if (s->md.act == ACT_REQUEST) { /* roles.p4:140 */
							in_leader_apply(s); /* roles.p4:141 */
							in_proposers_apply(s); /* roles.p4:142 */
						}
						if ((s->md.act == ACT_LEARN) || (s->md.counted_here == 1)) { /* roles.p4:144 */
							in_members_apply(s); /* roles.p4:145 */
						}
					}
					{ /* leader */
						if ((((s->md.act == ACT_REQUEST) && (s->md.leads == 1)) && (s->md.alive == 1)) && (s->md.proposer == 1)) { /* leader.p4:28 */
							in_set_hdr_paxos_inst(s, in_next_next_take(s, s->md.app)); /* leader.p4:29 */
						}
					}
					s->md.cell = ((u32)s->md.app << 14 | ((u16)in_hdr_paxos_inst(s) & 0x3fff)); /* paxos.p4:94 */
					s->md.ahead = (u32)(s->md.last - in_hdr_paxos_inst(s)); /* paxos.p4:95 */
					if (s->md.votes == 1) { /* paxos.p4:96 */
						{ /* paxos.p4:97 */
							struct in_own_function_2 x = {
								.md_votes = s->md.bits_of_alive,
								.md_act = s->md.act,
								.md_app = s->md.app,
								.md_ahead = s->md.ahead,
								.md_behind = s->md.behind,
								.md_cell = s->md.cell,
								.valid = s->valid, .length = s->length,
							};
							in_own_function_2(ctx, &x);
							s->md.bits_of_alive = x.md_votes;
							s->contention |= x.contention;
							s->unicast |= x.unicast;
						}
					}
					if ((s->md.learns == 1) && ((s->md.act == ACT_LEARN) || (s->md.promised == 1))) { /* paxos.p4:101 */
						{ /* paxos.p4:102 */
							struct in_own_function x = {
								.md_learns = s->md.bits_of_alive,
								.md_act = s->md.act,
								.md_known = s->md.bits_of_known,
								.md_ahead = s->md.ahead,
								.md_behind = s->md.behind,
								.md_cell = s->md.cell,
								.md_voter = s->md.voter,
								.md_stale = s->md.bits_of_stale,
								.md_members = s->md.members,
								.valid = s->valid, .length = s->length,
							};
							in_own_function(ctx, &x);
							s->md.bits_of_stale = x.md_stale;
							s->contention |= x.contention;
							s->unicast |= x.unicast;
						}
					}
					{ /* verdict */
						if (s->md.at == AT_LEADER) { /* verdict.p4:231 */
							s->ig_tm_md.mcast_grp_a = s->md.leads_group; /* verdict.p4:232 */
						} else {
							if (s->md.at == AT_ACCEPTOR) { /* verdict.p4:233 */
								s->ig_tm_md.mcast_grp_a = s->md.votes_group; /* verdict.p4:234 */
							} else {
								s->ig_tm_md.mcast_grp_a = s->md.learns_group; /* verdict.p4:236 */
							}
						}
						if (s->md.act == ACT_REQUEST) { /* verdict.p4:238 */
							in_requested_apply(s); /* verdict.p4:239 */
							s->md.drop = opaque(s->length, s->md.drop);
						} else {
							if (s->md.act == ACT_ACCEPT) { /* verdict.p4:240 */
								in_accepted_apply(s); /* verdict.p4:241 */
								s->md.drop = opaque(s->length, s->md.drop);
							} else {
								if (s->md.act == ACT_LEARN) { /* verdict.p4:242 */
									in_learned_apply(s); /* verdict.p4:243 */
									s->md.drop = opaque(s->length, s->md.drop);
								} else {
									if (s->md.act == ACT_PREPARE) { /* verdict.p4:244 */
										in_prepared_apply(s); /* verdict.p4:245 */
									} else {
										if (s->md.act == ACT_FLOOR) { /* verdict.p4:246 */
											in_raised_apply(s); /* verdict.p4:247 */
										} else {
											if (s->md.act == ACT_QUERY) { /* verdict.p4:248 */
												in_queried_apply(s); /* verdict.p4:249 */
											} else {
												in_nothing_apply(s); /* verdict.p4:251 */
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
	if (s->md.reason != REASON_NONE) { /* paxos.p4:109 */
		s->ig_tm_md.ucast_egress_port = PORT_CPU; /* paxos.p4:110 */
		s->unicast = 1;
		if (s->valid & IN_hdr_bridge)
			in_set_hdr_bridge_reason(s, s->md.reason); /* paxos.p4:111 */
		COUNT(c_punts, 16, 16, s->md.reason, punts, s->length); /* paxos.p4:112 */
	}
	if (s->md.drop != DROP_NONE) { /* paxos.p4:114 */
		COUNT(c_drops, 32, 32, s->md.drop, drops, s->length); /* paxos.p4:115 */
		if (in_hdr_bridge_became(s) == BECAME_PLAIN) { /* paxos.p4:116 */
			aside();
			s->ig_dprsr_md.drop_ctl = 1; /* paxos.p4:117 */
		}
	}
	return in_done(s, ctx);
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
	in_parse(s, data, end);
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
	if (s->hdr.bridge.became != BECAME_PLAIN) { /* paxos.p4:136 */
		{ /* copies */
			s->md.sum = (u16)(~s->hdr.bridge.sum); /* copies.p4:61 */
			if (s->hdr.bridge.became == BECAME_ANSWER) { /* copies.p4:62 */
				{ /* back */
					s->md.mac = eg_hdr_ethernet_src(s); /* copies.p4:41 */
					s->md.ip = eg_hdr_ipv4_src(s); /* copies.p4:42 */
					s->md.port = eg_hdr_udp_src_port(s); /* copies.p4:43 */
				}
				{ /* swap */
					eg_set_hdr_ethernet_src(s, eg_hdr_ethernet_dst(s)); /* copies.p4:48 */
					eg_set_hdr_ipv4_src(s, eg_hdr_ipv4_dst(s)); /* copies.p4:49 */
					eg_set_hdr_udp_src_port(s, eg_hdr_udp_dst_port(s)); /* copies.p4:50 */
				}
				{ /* back_to */
					eg_set_hdr_ethernet_dst(s, s->md.mac); /* copies.p4:55 */
					eg_set_hdr_ipv4_dst(s, s->md.ip); /* copies.p4:56 */
					eg_set_hdr_udp_dst_port(s, s->md.port); /* copies.p4:57 */
				}
			} else {
				eg_copies_apply(s); /* copies.p4:67 */
				s->md.want = (s->md.want & s->hdr.bridge.became); /* copies.p4:68 */
				if (s->md.want == 0) { /* copies.p4:69 */
					aside();
					s->eg_dprsr_md.drop_ctl = 1; /* copies.p4:70 */
				} else {
					COUNT(c_sent, 1024, 1024, s->eg_intr_md.egress_rid, sent, s->length); /* copies.p4:72 */
				}
			}
		}
	} else {
		if (s->eg_intr_md.egress_port == PORT_CPU) { /* paxos.p4:138 */
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
	}
	if (s->eg_dprsr_md.drop_ctl == 0) { /* paxos.p4:141 */
		COUNT(c_port_tx, 512, 512, s->eg_intr_md.egress_port, port_tx, s->length); /* paxos.p4:142 */
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
	s->hdr.bridge.became = m->bridge.became;
	s->hdr.bridge.pad = ((ld8(m->bridge.pad_ingress_port) >> 1) & 0x7f);
	s->hdr.bridge.ingress_port = (ld16(m->bridge.pad_ingress_port) & 0x1ff);
	s->hdr.bridge.reason = ld16(m->bridge.reason);
	s->hdr.bridge.sum = ld16(m->bridge.sum);
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
	eg_parse(s, data, end);
	if (unlikely(s->parser_error))
		return drop(P4_EGRESS_REJECT);
	barrier_var(s->valid);
	__builtin_assume(!(s->valid & (EG_hdr_packet_in | EG_hdr_packet_out | EG_hdr_vlan | EG_hdr_inner_vlan | EG_hdr_ipv6 | EG_hdr_piece0 | EG_hdr_piece1 | EG_hdr_piece2 | EG_hdr_piece3))); /* never parsed */
	s->extracted = s->valid;
	return eg_parsed(s, ctx);
}

#include "p4xdp_main.h"
