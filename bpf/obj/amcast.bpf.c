/* Code generated from amcast.p4 by p4xc. DO NOT EDIT. */
#include "p4xdp.h"
#include "amcast.tables.h"

/* XDP metadata of a packet between the two programs. */
struct meta {
	struct p4_meta p4;
	struct {
		u8 became;
		u8 pad_ingress_port[2]; /* bit<7> pad, bit<9> ingress_port */
		u8 reason[2]; /* bit<16> reason */
	} bridge __attribute__((aligned(8))); /* bridge_h */
};
_Static_assert(sizeof(struct meta) == 24, "size of the metadata");

/* Constants of the program. */
#define ACT_ACK 4
#define ACT_ASK 5
#define ACT_LOOK 6
#define ACT_NONE 0
#define ACT_OTHER 3
#define ACT_OWN 2
#define ACT_START 1
#define AT_DELIVERER 2
#define AT_MEMBER 1
#define AT_NONE 0
#define BECAME_ACK 2
#define BECAME_ANSWER 8
#define BECAME_PLAIN 0x80
#define BECAME_REPLICA 4
#define DROP_FOREIGN_SOURCE 0xf
#define DROP_HEADER_CHECKSUM 3
#define DROP_IP_CHECKSUM 2
#define DROP_MALFORMED 1
#define DROP_NONE 0
#define DROP_NO_ROLE 7
#define DROP_OWN_ADDRESS 5
#define DROP_PORT_FAMILY 0xe
#define DROP_UDP_CHECKSUM 4
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
#define MSG_ACK 3
#define MSG_ASK 6
#define MSG_LOOK 8
#define MSG_PROP 2
#define MSG_REFUSED 0xa
#define MSG_START 1
#define OVERHEAD 0x38
#define PORT_CPU 0x40
#define REASON_ARP 1
#define REASON_LOCAL 3
#define REASON_NONE 0
#define REASON_NO_ROUTE 4
#define REASON_TTL 5
#define REASON_UNKNOWN_DESTINATION 2
#define RING_HERE 0x80000000
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
	IN_hdr_amcast = 0x200u,
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
				u32 udp_checksum : 1;
				u32 header_error : 1;
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
		u32 role; /* bit<3> */
		u32 life; /* bit<32> */
		u32 group; /* bit<8> */
		u32 member; /* bit<8> */
		u32 epoch; /* bit<32> */
		union {
			u32 bits_of_leads;
			struct {
				u32 in_set : 1;
				u32 alive : 1;
				u32 leads : 1;
			};
		};
		u32 set_slot; /* bit<4> */
		u32 count; /* bit<4> */
		u32 set_epoch; /* bit<32> */
		u32 epoch0; /* bit<32> */
		u32 epoch1; /* bit<32> */
		u32 epoch2; /* bit<32> */
		u32 epoch3; /* bit<32> */
		u32 from_late; /* bit<32> */
		u32 by_late; /* bit<32> */
		union {
			u32 bits_of_late;
			struct {
				u32 watermark : 1;
				u32 acker : 1;
				u32 proposer_own : 1;
				u32 proposer : 1;
				u32 replica : 1;
				u32 client : 1;
				u32 late : 1;
			};
		};
		u32 members; /* bit<4> */
		u32 rest; /* bit<16> */
		u32 ahead; /* bit<32> */
		u32 slot; /* bit<15> */
		u32 row; /* bit<17> */
		u32 ring; /* bit<15> */
		u32 here; /* bit<32> */
		u32 placed; /* bit<1> */
		u32 tag; /* bit<32> */
		union {
			u32 bits_of_stale;
			struct {
				u32 other_digest : 1;
				u32 other : 1;
				u32 row_same : 1;
				u32 same : 1;
				u32 stale : 1;
			};
		};
		u32 mine; /* bit<32> */
		u32 spot; /* bit<16> */
		u32 proposed; /* bit<1> */
		u32 reach; /* bit<16> */
		u32 acked; /* bit<32> */
		u32 column; /* bit<8> */
		u32 before; /* bit<16> */
		union {
			u32 bits_of_had;
			struct {
				u32 decided : 1;
				u32 had : 1;
			};
		};
		u32 replicas; /* bit<16> */
		u32 props; /* bit<16> */
		u32 acks; /* bit<16> */
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
	struct r_role *r_role; /* the row that the packet looks at, or 0 */
	struct r_tally *r_tally; /* the row that the packet looks at, or 0 */
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

/* hdr.amcast, in the packet. */
INLINE u8 in_hdr_amcast_kind(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld8(s->data + 42) : 0; }
INLINE void in_set_hdr_amcast_kind(struct ingress *s, u8 v)
{
	if (s->valid & IN_hdr_amcast)
		st8((s->data + 42), v);
}
INLINE u8 in_hdr_amcast_flags(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld8((s->data + 42) + 1) : 0; }
INLINE void in_set_hdr_amcast_flags(struct ingress *s, u8 v)
{
	if (s->valid & IN_hdr_amcast)
		st8((s->data + 42) + 1, v);
}
INLINE u8 in_hdr_amcast_from(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld8((s->data + 42) + 2) : 0; }
INLINE void in_set_hdr_amcast_from(struct ingress *s, u8 v)
{
	if (s->valid & IN_hdr_amcast)
		st8((s->data + 42) + 2, v);
}
INLINE u8 in_hdr_amcast_by(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld8((s->data + 42) + 3) : 0; }
INLINE void in_set_hdr_amcast_by(struct ingress *s, u8 v)
{
	if (s->valid & IN_hdr_amcast)
		st8((s->data + 42) + 3, v);
}
INLINE u32 in_hdr_amcast_groups(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld32((s->data + 42) + 4) : 0; }
INLINE void in_set_hdr_amcast_groups(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_amcast)
		st32((s->data + 42) + 4, v);
}
INLINE u16 in_hdr_amcast_client(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld16((s->data + 42) + 8) : 0; }
INLINE u8 in_hdr_amcast_member(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld8((s->data + 42) + 10) : 0; }
INLINE void in_set_hdr_amcast_member(struct ingress *s, u8 v)
{
	if (s->valid & IN_hdr_amcast)
		st8((s->data + 42) + 10, v);
}
INLINE u8 in_hdr_amcast_from_slot(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ((ld8((s->data + 42) + 11) >> 4) & 0xf) : 0; }
INLINE void in_set_hdr_amcast_from_slot(struct ingress *s, u8 v)
{
	if (s->valid & IN_hdr_amcast)
		st8((s->data + 42) + 11, (ld8((s->data + 42) + 11) & ~((u64)0xf << 4)) | (u64)v << 4);
}
INLINE u8 in_hdr_amcast_by_slot(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? (ld8((s->data + 42) + 11) & 0xf) : 0; }
INLINE void in_set_hdr_amcast_by_slot(struct ingress *s, u8 v)
{
	if (s->valid & IN_hdr_amcast)
		st8((s->data + 42) + 11, (ld8((s->data + 42) + 11) & ~((u64)0xf << 0)) | (u64)v << 0);
}
INLINE u32 in_hdr_amcast_number(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld32((s->data + 42) + 12) : 0; }
INLINE void in_set_hdr_amcast_number(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_amcast)
		st32((s->data + 42) + 12, v);
}
INLINE u32 in_hdr_amcast_epoch(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld32((s->data + 42) + 16) : 0; }
INLINE void in_set_hdr_amcast_epoch(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_amcast)
		st32((s->data + 42) + 16, v);
}
INLINE u32 in_hdr_amcast_lts(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld32((s->data + 42) + 20) : 0; }
INLINE void in_set_hdr_amcast_lts(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_amcast)
		st32((s->data + 42) + 20, v);
}
INLINE u32 in_hdr_amcast_seq(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld32((s->data + 42) + 24) : 0; }
INLINE void in_set_hdr_amcast_seq(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_amcast)
		st32((s->data + 42) + 24, v);
}
INLINE u32 in_hdr_amcast_by_epoch(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld32((s->data + 42) + 28) : 0; }
INLINE void in_set_hdr_amcast_by_epoch(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_amcast)
		st32((s->data + 42) + 28, v);
}
INLINE u32 in_hdr_amcast_clock(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld32((s->data + 42) + 32) : 0; }
INLINE void in_set_hdr_amcast_clock(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_amcast)
		st32((s->data + 42) + 32, v);
}
INLINE u32 in_hdr_amcast_mark(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld32((s->data + 42) + 36) : 0; }
INLINE void in_set_hdr_amcast_mark(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_amcast)
		st32((s->data + 42) + 36, v);
}
INLINE u32 in_hdr_amcast_digest(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld32((s->data + 42) + 40) : 0; }
INLINE void in_set_hdr_amcast_digest(struct ingress *s, u32 v)
{
	if (s->valid & IN_hdr_amcast)
		st32((s->data + 42) + 40, v);
}
INLINE u16 in_hdr_amcast_length(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld16((s->data + 42) + 44) : 0; }
INLINE u16 in_hdr_amcast_checksum(struct ingress *s) { return (s->valid & IN_hdr_amcast) ? ld16((s->data + 42) + 46) : 0; }

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
	u8 hdr_amcast[48];
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

/* register action pipe.Ingress.cells.newest_raise on pipe.Ingress.cells.newest, cells.p4:125 */
INLINE u32 in_newest_newest_raise(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->newest;
	u32 old = READ_ONCE(*cell);
	u32 p_number = old;
	u32 p_stale = 0;
	if ((s32)(u32)(p_number - in_hdr_amcast_number(s)) > (s32)0) { /* cells.p4:127 */
		p_stale = 1; /* cells.p4:128 */
	} else {
		p_number = in_hdr_amcast_number(s); /* cells.p4:130 */
		p_stale = 0; /* cells.p4:131 */
	}
	u32 new = (u32)p_number;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_stale;
}

/* register action pipe.Ingress.cells.newest_get on pipe.Ingress.cells.newest, cells.p4:135 */
INLINE u32 in_newest_newest_get(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->newest;
	u32 old = READ_ONCE(*cell);
	u32 p_number = old;
	u32 p_now = 0;
	p_now = p_number; /* cells.p4:137 */
	return p_now;
}

/* register action pipe.Ingress.cells.tag_is on pipe.Ingress.cells.tags, cells.p4:167 */
INLINE u32 in_tags_tag_is(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->tags;
	u64 old = READ_ONCE(*cell);
	u32 p_tag_number = (old >> 32);
	u32 p_tag_epoch = (u32)old;
	u32 p_same = 0;
	if ((p_tag_number == in_hdr_amcast_number(s)) && (p_tag_epoch == s->md.tag)) { /* cells.p4:169 */
		p_same = 1; /* cells.p4:170 */
	} else {
		p_same = 0; /* cells.p4:172 */
		p_tag_number = in_hdr_amcast_number(s); /* cells.p4:173 */
		p_tag_epoch = s->md.tag; /* cells.p4:174 */
	}
	u64 new = (u64)p_tag_number << 32 | (u64)p_tag_epoch;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_same;
}

/* register action pipe.Ingress.cells.tag_get on pipe.Ingress.cells.tags, cells.p4:178 */
INLINE u32 in_tags_tag_get(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->tags;
	u64 old = READ_ONCE(*cell);
	u32 p_tag_number = (old >> 32);
	u32 p_tag_epoch = (u32)old;
	u32 p_epoch = 0;
	p_epoch = p_tag_epoch; /* cells.p4:180 */
	return p_epoch;
}

/* register action pipe.Ingress.cells.clock_next on pipe.Ingress.cells.clock, cells.p4:210 */
INLINE u32 in_clock_clock_next(struct ingress *s, u32 index)
{
	struct r_role *row = s->r_role;
	u32 *cell = &row->clock;
	u32 old = READ_ONCE(*cell);
	u32 p_time = old;
	u32 p_now = 0;
	p_time = (u32)(p_time + 1); /* cells.p4:212 */
	p_now = p_time; /* cells.p4:213 */
	u32 new = (u32)p_time;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_now;
}

/* register action pipe.Ingress.cells.clock_raise on pipe.Ingress.cells.clock, cells.p4:216 */
INLINE u32 in_clock_clock_raise(struct ingress *s, u32 index)
{
	struct r_role *row = s->r_role;
	u32 *cell = &row->clock;
	u32 old = READ_ONCE(*cell);
	u32 p_time = old;
	u32 p_now = 0;
	if (p_time < in_hdr_amcast_lts(s)) { /* cells.p4:218 */
		p_time = in_hdr_amcast_lts(s); /* cells.p4:219 */
	}
	p_now = p_time; /* cells.p4:221 */
	u32 new = (u32)p_time;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_now;
}

/* register action pipe.Ingress.cells.clock_get on pipe.Ingress.cells.clock, cells.p4:224 */
INLINE u32 in_clock_clock_get(struct ingress *s, u32 index)
{
	struct r_role *row = s->r_role;
	u32 *cell = &row->clock;
	u32 old = READ_ONCE(*cell);
	u32 p_time = old;
	u32 p_now = 0;
	p_now = p_time; /* cells.p4:226 */
	return p_now;
}

/* register action pipe.Ingress.cells.mark_next on pipe.Ingress.cells.marks, cells.p4:263 */
INLINE u32 in_marks_mark_next(struct ingress *s, u32 index)
{
	struct r_role *row = s->r_role;
	u32 *cell = &row->marks;
	u32 old = READ_ONCE(*cell);
	u32 p_highest = old;
	u32 p_now = 0;
	p_highest = (u32)(p_highest + 1); /* cells.p4:265 */
	p_now = p_highest; /* cells.p4:266 */
	u32 new = (u32)p_highest;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_now;
}

/* register action pipe.Ingress.cells.mark_raise on pipe.Ingress.cells.marks, cells.p4:269 */
INLINE u32 in_marks_mark_raise(struct ingress *s, u32 index)
{
	struct r_role *row = s->r_role;
	u32 *cell = &row->marks;
	u32 old = READ_ONCE(*cell);
	u32 p_highest = old;
	u32 p_now = 0;
	if (p_highest < in_hdr_amcast_seq(s)) { /* cells.p4:271 */
		p_highest = in_hdr_amcast_seq(s); /* cells.p4:272 */
	}
	p_now = p_highest; /* cells.p4:274 */
	u32 new = (u32)p_highest;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_now;
}

/* register action pipe.Ingress.cells.mark_get on pipe.Ingress.cells.marks, cells.p4:277 */
INLINE u32 in_marks_mark_get(struct ingress *s, u32 index)
{
	struct r_role *row = s->r_role;
	u32 *cell = &row->marks;
	u32 old = READ_ONCE(*cell);
	u32 p_highest = old;
	u32 p_now = 0;
	p_now = p_highest; /* cells.p4:279 */
	return p_now;
}

/* register action pipe.Ingress.cells.groups_put on pipe.Ingress.cells.groups, cells.p4:314 */
INLINE u32 in_groups_groups_put(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->groups;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_amcast_groups(s); /* cells.p4:314 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.cells.groups_is on pipe.Ingress.cells.groups, cells.p4:314 */
INLINE u32 in_groups_groups_is(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->groups;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_other = 0;
	p_other = (is_zero(p_x ^ in_hdr_amcast_groups(s)) ^ 1); /* cells.p4:314 */
	return p_other;
}

/* register action pipe.Ingress.cells.groups_get on pipe.Ingress.cells.groups, cells.p4:314 */
INLINE u32 in_groups_groups_get(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->groups;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* cells.p4:314 */
	return p_now;
}

/* register action pipe.Ingress.cells.digests_put on pipe.Ingress.cells.digests, cells.p4:315 */
INLINE u32 in_digests_digests_put(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->digests;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_amcast_digest(s); /* cells.p4:315 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.cells.digests_is on pipe.Ingress.cells.digests, cells.p4:315 */
INLINE u32 in_digests_digests_is(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->digests;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_other = 0;
	p_other = (is_zero(p_x ^ in_hdr_amcast_digest(s)) ^ 1); /* cells.p4:315 */
	return p_other;
}

/* register action pipe.Ingress.cells.digests_get on pipe.Ingress.cells.digests, cells.p4:315 */
INLINE u32 in_digests_digests_get(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->digests;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* cells.p4:315 */
	return p_now;
}

/* register action pipe.Ingress.cells.lts_give on pipe.Ingress.cells.lts, cells.p4:316 */
INLINE u32 in_lts_lts_give(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->lts;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_x = in_hdr_amcast_clock(s); /* cells.p4:316 */
	p_now = p_x; /* cells.p4:316 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_now;
}

/* register action pipe.Ingress.cells.lts_put on pipe.Ingress.cells.lts, cells.p4:316 */
INLINE u32 in_lts_lts_put(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->lts;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_amcast_lts(s); /* cells.p4:316 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.cells.lts_get on pipe.Ingress.cells.lts, cells.p4:316 */
INLINE u32 in_lts_lts_get(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->lts;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* cells.p4:316 */
	return p_now;
}

/* register action pipe.Ingress.cells.seqs_give on pipe.Ingress.cells.seqs, cells.p4:317 */
INLINE u32 in_seqs_seqs_give(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->seqs;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_x = in_hdr_amcast_mark(s); /* cells.p4:317 */
	p_now = p_x; /* cells.p4:317 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_now;
}

/* register action pipe.Ingress.cells.seqs_put on pipe.Ingress.cells.seqs, cells.p4:317 */
INLINE u32 in_seqs_seqs_put(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->seqs;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	p_x = in_hdr_amcast_seq(s); /* cells.p4:317 */
	u32 new = (u32)p_x;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.cells.seqs_get on pipe.Ingress.cells.seqs, cells.p4:317 */
INLINE u32 in_seqs_seqs_get(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->seqs;
	u32 old = READ_ONCE(*cell);
	u32 p_x = old;
	u32 p_now = 0;
	p_now = p_x; /* cells.p4:317 */
	return p_now;
}

/* register action pipe.Ingress.cells.ring_take on pipe.Ingress.cells.ring_seqs, cells.p4:344 */
INLINE u32 in_ring_seqs_ring_take(struct ingress *s, u32 index)
{
	struct r_cells *row = ELEMENT_OF_ALL(r_cells, 32768, index);
	u32 *cell = &row->ring_seqs;
	u32 old = READ_ONCE(*cell);
	u32 p_seq = old;
	u32 p_mine = 0;
	if ((s32)(u32)(p_seq - in_hdr_amcast_seq(s)) > (s32)0) { /* cells.p4:346 */
		p_mine = 0; /* cells.p4:347 */
	} else {
		p_seq = in_hdr_amcast_seq(s); /* cells.p4:349 */
		p_mine = 1; /* cells.p4:350 */
	}
	u32 new = (u32)p_seq;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_mine;
}

/* register action pipe.Ingress.cells.ring_is on pipe.Ingress.cells.ring_seqs, cells.p4:354 */
INLINE u32 in_ring_seqs_ring_is(struct ingress *s, u32 index)
{
	struct r_cells *row = ELEMENT_OF_ALL(r_cells, 32768, index);
	u32 *cell = &row->ring_seqs;
	u32 old = READ_ONCE(*cell);
	u32 p_seq = old;
	u32 p_mine = 0;
	p_mine = is_zero(p_seq ^ in_hdr_amcast_seq(s)); /* cells.p4:356 */
	return p_mine;
}

/* register action pipe.Ingress.cells.ring_put on pipe.Ingress.cells.ring, cells.p4:389 */
INLINE u32 in_ring_ring_put(struct ingress *s, u32 index)
{
	struct r_cells *row = ELEMENT_OF_ALL(r_cells, 32768, index);
	u32 *cell = &row->ring;
	u32 old = READ_ONCE(*cell);
	u32 p_what = old;
	p_what = s->md.here; /* cells.p4:391 */
	u32 new = (u32)p_what;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return 0;
}

/* register action pipe.Ingress.cells.ring_get on pipe.Ingress.cells.ring, cells.p4:394 */
INLINE u32 in_ring_ring_get(struct ingress *s, u32 index)
{
	struct r_cells *row = ELEMENT_OF_ALL(r_cells, 32768, index);
	u32 *cell = &row->ring;
	u32 old = READ_ONCE(*cell);
	u32 p_what = old;
	u32 p_now = 0;
	p_now = p_what; /* cells.p4:396 */
	return p_now;
}

/* register action pipe.Ingress.cells.tally.row_is on pipe.Ingress.cells.tally.rows, tally.p4:28 */
INLINE u32 in_rows_row_is(struct ingress *s, u32 index)
{
	struct r_tally *row = s->r_tally;
	u64 *cell = &row->rows;
	u64 old = READ_ONCE(*cell);
	u32 p_tag_number = (old >> 32);
	u32 p_tag_epoch = (u32)old;
	u32 p_same = 0;
	if ((p_tag_number == in_hdr_amcast_number(s)) && (p_tag_epoch == s->md.tag)) { /* tally.p4:30 */
		p_same = 1; /* tally.p4:31 */
	} else {
		p_same = 0; /* tally.p4:33 */
		p_tag_number = in_hdr_amcast_number(s); /* tally.p4:34 */
		p_tag_epoch = s->md.tag; /* tally.p4:35 */
	}
	u64 new = (u64)p_tag_number << 32 | (u64)p_tag_epoch;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_same;
}

/* register action pipe.Ingress.cells.tally.acks_begin on pipe.Ingress.cells.tally.acks, tally.p4:58 */
INLINE u32 in_acks_acks_begin(struct ingress *s, u32 index)
{
	struct r_tally *row = s->r_tally;
	u32 *cell = &row->acks;
	u32 old = READ_ONCE(*cell);
	u32 p_all = old;
	u32 p_now = 0;
	p_all = s->md.mine; /* tally.p4:60 */
	p_now = p_all; /* tally.p4:61 */
	u32 new = (u32)p_all;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_now;
}

/* register action pipe.Ingress.cells.tally.acks_add on pipe.Ingress.cells.tally.acks, tally.p4:64 */
INLINE u32 in_acks_acks_add(struct ingress *s, u32 index)
{
	struct r_tally *row = s->r_tally;
	u32 *cell = &row->acks;
	u32 old = READ_ONCE(*cell);
	u32 p_all = old;
	u32 p_now = 0;
	p_all = (p_all | s->md.mine); /* tally.p4:66 */
	p_now = p_all; /* tally.p4:67 */
	u32 new = (u32)p_all;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_now;
}

/* register action pipe.Ingress.cells.tally.final_begin on pipe.Ingress.cells.tally.final, tally.p4:95 */
INLINE u32 in_final_final_begin(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->final;
	u32 old = READ_ONCE(*cell);
	u32 p_greatest = old;
	u32 p_now = 0;
	p_greatest = in_hdr_amcast_lts(s); /* tally.p4:97 */
	p_now = p_greatest; /* tally.p4:98 */
	u32 new = (u32)p_greatest;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_now;
}

/* register action pipe.Ingress.cells.tally.final_raise on pipe.Ingress.cells.tally.final, tally.p4:101 */
INLINE u32 in_final_final_raise(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->final;
	u32 old = READ_ONCE(*cell);
	u32 p_greatest = old;
	u32 p_now = 0;
	if (p_greatest < in_hdr_amcast_lts(s)) { /* tally.p4:103 */
		p_greatest = in_hdr_amcast_lts(s); /* tally.p4:104 */
	}
	p_now = p_greatest; /* tally.p4:106 */
	u32 new = (u32)p_greatest;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_now;
}

/* register action pipe.Ingress.cells.tally.reached_begin on pipe.Ingress.cells.tally.reached, tally.p4:200 */
INLINE u32 in_reached_reached_begin(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->reached;
	u32 old = READ_ONCE(*cell);
	u32 p_all = old;
	u32 p_before = 0;
	p_before = 0; /* tally.p4:202 */
	p_all = s->md.reach; /* tally.p4:203 */
	u32 new = (u32)p_all;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_before;
}

/* register action pipe.Ingress.cells.tally.reached_add on pipe.Ingress.cells.tally.reached, tally.p4:206 */
INLINE u32 in_reached_reached_add(struct ingress *s, u32 index)
{
	struct r_slot *row = ROW(r_slot, 32768, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->reached;
	u32 old = READ_ONCE(*cell);
	u32 p_all = old;
	u32 p_before = 0;
	p_before = p_all; /* tally.p4:208 */
	p_all = (p_all | s->md.reach); /* tally.p4:209 */
	u32 new = (u32)p_all;
	if (new != old)
		WRITE_ONCE(*cell, new); /* nobody else does */
	return p_before;
}

/* register action pipe.Ingress.verdict.life_is on pipe.Ingress.verdict.life, verdict.p4:27 */
INLINE u32 in_life_life_is(struct ingress *s, u32 index)
{
	struct r_role *row = s->r_role;
	u32 *cell = &row->life;
	u32 old = READ_ONCE(*cell);
	u32 p_now = old;
	u32 p_same = 0;
	p_same = is_zero(p_now ^ s->md.life); /* verdict.p4:29 */
	return p_same;
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

/* action pipe.Ingress.service.take, service.p4:29 */
INLINE void in_take(struct ingress *s, u8 p_at, u8 p_role, u32 p_life, u8 p_group, u32 p_epoch, u8 p_leads, u8 p_member, u16 p_replicas)
{
	s->md.at = p_at; /* service.p4:31 */
	s->md.role = p_role; /* service.p4:32 */
	s->md.life = p_life; /* service.p4:33 */
	s->md.group = p_group; /* service.p4:34 */
	s->md.epoch = p_epoch; /* service.p4:35 */
	s->md.leads = p_leads; /* service.p4:36 */
	s->md.member = p_member; /* service.p4:37 */
	s->md.replicas = p_replicas; /* service.p4:38 */
}

/* action NoAction, <core.p4>:35 */
INLINE void in_NoAction(struct ingress *s)
{
	aside();
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

/* action pipe.Ingress.peers.destinations, service.p4:59 */
INLINE void in_destinations(struct ingress *s, u8 p_slot, u8 p_count, u32 p_epoch, u32 p_epoch0, u32 p_epoch1, u32 p_epoch2, u32 p_epoch3, u32 p_sum, u16 p_props, u16 p_acks)
{
	s->md.in_set = 1; /* service.p4:61 */
	s->md.set_slot = p_slot; /* service.p4:62 */
	s->md.count = p_count; /* service.p4:63 */
	s->md.set_epoch = p_epoch; /* service.p4:64 */
	s->md.epoch0 = p_epoch0; /* service.p4:65 */
	s->md.epoch1 = p_epoch1; /* service.p4:66 */
	s->md.epoch2 = p_epoch2; /* service.p4:67 */
	s->md.epoch3 = p_epoch3; /* service.p4:68 */
	s->md.tag = p_sum; /* service.p4:69 */
	s->md.props = p_props; /* service.p4:70 */
	s->md.acks = p_acks; /* service.p4:71 */
}

/* action pipe.Ingress.peers.may_start, service.p4:83 */
INLINE void in_may_start(struct ingress *s)
{
	aside();
	s->md.client = 1; /* service.p4:84 */
}

/* action pipe.Ingress.peers.may_ask, service.p4:100 */
INLINE void in_may_ask(struct ingress *s)
{
	aside();
	s->md.replica = 1; /* service.p4:101 */
}

/* action pipe.Ingress.peers.proposes, service.p4:117 */
INLINE void in_proposes(struct ingress *s, u8 p_own)
{
	s->md.proposer = 1; /* service.p4:118 */
	s->md.proposer_own = p_own; /* service.p4:119 */
}

/* action pipe.Ingress.peers.acknowledges, service.p4:137 */
INLINE void in_acknowledges(struct ingress *s, u8 p_members, u8 p_watermark)
{
	s->md.acker = 1; /* service.p4:138 */
	s->md.members = p_members; /* service.p4:139 */
	s->md.watermark = p_watermark; /* service.p4:140 */
}

/* action pipe.Ingress.peers.start, service.p4:254 */
INLINE void in_start(struct ingress *s)
{
	s->md.act = ACT_START; /* service.p4:255 */
	s->md.tag = s->md.epoch; /* service.p4:256 */
	in_set_hdr_amcast_from(s, s->md.group); /* service.p4:257 */
	in_set_hdr_amcast_from_slot(s, s->md.set_slot); /* service.p4:258 */
	in_set_hdr_amcast_epoch(s, s->md.epoch); /* service.p4:259 */
	in_set_hdr_amcast_by(s, s->md.group); /* service.p4:260 */
	in_set_hdr_amcast_by_slot(s, s->md.set_slot); /* service.p4:261 */
	in_set_hdr_amcast_by_epoch(s, s->md.epoch); /* service.p4:262 */
	in_set_hdr_amcast_member(s, s->md.member); /* service.p4:263 */
}

/* action pipe.Ingress.peers.proposal, service.p4:268 */
INLINE void in_proposal(struct ingress *s, u8 p_act)
{
	s->md.act = p_act; /* service.p4:269 */
	s->md.tag = s->md.epoch; /* service.p4:270 */
	in_set_hdr_amcast_by(s, s->md.group); /* service.p4:271 */
	in_set_hdr_amcast_by_slot(s, s->md.set_slot); /* service.p4:272 */
	in_set_hdr_amcast_by_epoch(s, s->md.epoch); /* service.p4:273 */
	in_set_hdr_amcast_member(s, s->md.member); /* service.p4:274 */
}

/* action pipe.Ingress.peers.acknowledgement, service.p4:278 */
INLINE void in_acknowledgement(struct ingress *s)
{
	aside();
	s->md.act = ACT_ACK; /* service.p4:279 */
}

/* action pipe.Ingress.peers.question, service.p4:283 */
INLINE void in_question(struct ingress *s, u8 p_act)
{
	s->md.act = p_act; /* service.p4:284 */
	in_set_hdr_amcast_from(s, s->md.group); /* service.p4:285 */
	in_set_hdr_amcast_by(s, s->md.group); /* service.p4:286 */
	in_set_hdr_amcast_by_epoch(s, s->md.epoch); /* service.p4:287 */
	in_set_hdr_amcast_member(s, s->md.member); /* service.p4:288 */
}

/* action pipe.Ingress.peers.refuse, service.p4:292 */
INLINE void in_peers_refuse(struct ingress *s, u8 p_why)
{
	s->md.drop = p_why; /* service.p4:293 */
}

/* action pipe.Ingress.peers.from0, service.p4:160 */
INLINE void in_from0(struct ingress *s)
{
	s->md.from_late = (in_hdr_amcast_epoch(s) ^ s->md.epoch0); /* service.p4:161 */
}

/* action pipe.Ingress.peers.from1, service.p4:164 */
INLINE void in_from1(struct ingress *s)
{
	s->md.from_late = (in_hdr_amcast_epoch(s) ^ s->md.epoch1); /* service.p4:165 */
}

/* action pipe.Ingress.peers.from2, service.p4:168 */
INLINE void in_from2(struct ingress *s)
{
	s->md.from_late = (in_hdr_amcast_epoch(s) ^ s->md.epoch2); /* service.p4:169 */
}

/* action pipe.Ingress.peers.from3, service.p4:172 */
INLINE void in_from3(struct ingress *s)
{
	s->md.from_late = (in_hdr_amcast_epoch(s) ^ s->md.epoch3); /* service.p4:173 */
}

/* action pipe.Ingress.peers.from_none, service.p4:177 */
INLINE void in_from_none(struct ingress *s)
{
	aside();
	s->md.from_late = 1; /* service.p4:178 */
}

/* action pipe.Ingress.peers.by0, service.p4:196 */
INLINE void in_by0(struct ingress *s)
{
	s->md.by_late = (in_hdr_amcast_by_epoch(s) ^ s->md.epoch0); /* service.p4:197 */
}

/* action pipe.Ingress.peers.by1, service.p4:200 */
INLINE void in_by1(struct ingress *s)
{
	s->md.by_late = (in_hdr_amcast_by_epoch(s) ^ s->md.epoch1); /* service.p4:201 */
}

/* action pipe.Ingress.peers.by2, service.p4:204 */
INLINE void in_by2(struct ingress *s)
{
	s->md.by_late = (in_hdr_amcast_by_epoch(s) ^ s->md.epoch2); /* service.p4:205 */
}

/* action pipe.Ingress.peers.by3, service.p4:208 */
INLINE void in_by3(struct ingress *s)
{
	s->md.by_late = (in_hdr_amcast_by_epoch(s) ^ s->md.epoch3); /* service.p4:209 */
}

/* action pipe.Ingress.peers.by_none, service.p4:213 */
INLINE void in_by_none(struct ingress *s)
{
	aside();
	s->md.by_late = 1; /* service.p4:214 */
}

/* action pipe.Ingress.peers.in_time, service.p4:232 */
INLINE void in_in_time(struct ingress *s)
{
	aside();
	s->md.late = 0; /* service.p4:233 */
}

/* action pipe.Ingress.peers.too_late, service.p4:237 */
INLINE void in_too_late(struct ingress *s)
{
	aside();
	s->md.late = 1; /* service.p4:238 */
}

/* action pipe.Ingress.cells.bits.spot, tally.p4:248 */
INLINE void in_spot(struct ingress *s, u16 p_bit__, u8 p_proposed)
{
	s->md.spot = p_bit__; /* tally.p4:249 */
	s->md.proposed = p_proposed; /* tally.p4:250 */
}

/* action pipe.Ingress.cells.bits.mine, tally.p4:280 */
INLINE void in_mine(struct ingress *s, u32 p_bit__)
{
	s->md.mine = p_bit__; /* tally.p4:281 */
}

/* action pipe.Ingress.cells.raise, cells.p4:142 */
INLINE void in_raise(struct ingress *s)
{
	s->md.stale = in_newest_newest_raise(s, s->md.slot); /* cells.p4:143 */
}

/* action pipe.Ingress.cells.look, cells.p4:147 */
INLINE void in_look(struct ingress *s)
{
	in_set_hdr_amcast_number(s, in_newest_newest_get(s, s->md.slot)); /* cells.p4:148 */
}

/* action pipe.Ingress.cells.mark_cell, cells.p4:185 */
INLINE void in_mark_cell(struct ingress *s)
{
	s->md.same = in_tags_tag_is(s, s->md.slot); /* cells.p4:186 */
}

/* action pipe.Ingress.cells.look_epoch, cells.p4:190 */
INLINE void in_look_epoch(struct ingress *s)
{
	in_set_hdr_amcast_epoch(s, in_tags_tag_get(s, s->md.slot)); /* cells.p4:191 */
}

/* action pipe.Ingress.cells.next_time, cells.p4:231 */
INLINE void in_next_time(struct ingress *s)
{
	in_set_hdr_amcast_clock(s, in_clock_clock_next(s, s->md.role)); /* cells.p4:232 */
}

/* action pipe.Ingress.cells.raise_time, cells.p4:236 */
INLINE void in_raise_time(struct ingress *s)
{
	in_set_hdr_amcast_clock(s, in_clock_clock_raise(s, s->md.role)); /* cells.p4:237 */
}

/* action pipe.Ingress.cells.same_time, cells.p4:241 */
INLINE void in_same_time(struct ingress *s)
{
	in_set_hdr_amcast_clock(s, in_clock_clock_get(s, s->md.role)); /* cells.p4:242 */
}

/* action pipe.Ingress.cells.next_mark, cells.p4:284 */
INLINE void in_next_mark(struct ingress *s)
{
	in_set_hdr_amcast_mark(s, in_marks_mark_next(s, s->md.role)); /* cells.p4:285 */
}

/* action pipe.Ingress.cells.raise_mark, cells.p4:289 */
INLINE void in_raise_mark(struct ingress *s)
{
	in_set_hdr_amcast_mark(s, in_marks_mark_raise(s, s->md.role)); /* cells.p4:290 */
}

/* action pipe.Ingress.cells.same_mark, cells.p4:294 */
INLINE void in_same_mark(struct ingress *s)
{
	in_set_hdr_amcast_mark(s, in_marks_mark_get(s, s->md.role)); /* cells.p4:295 */
}

/* action pipe.Ingress.cells.groups_store, cells.p4:314 */
INLINE void in_groups_store(struct ingress *s)
{
	in_groups_groups_put(s, s->md.slot); /* cells.p4:314 */
}

/* action pipe.Ingress.cells.groups_compare, cells.p4:314 */
INLINE void in_groups_compare(struct ingress *s)
{
	s->md.other = in_groups_groups_is(s, s->md.slot); /* cells.p4:314 */
}

/* action pipe.Ingress.cells.groups_load, cells.p4:314 */
INLINE void in_groups_load(struct ingress *s)
{
	in_set_hdr_amcast_groups(s, in_groups_groups_get(s, s->md.slot)); /* cells.p4:314 */
}

/* action pipe.Ingress.cells.digests_store, cells.p4:315 */
INLINE void in_digests_store(struct ingress *s)
{
	in_digests_digests_put(s, s->md.slot); /* cells.p4:315 */
}

/* action pipe.Ingress.cells.digests_compare, cells.p4:315 */
INLINE void in_digests_compare(struct ingress *s)
{
	s->md.other_digest = in_digests_digests_is(s, s->md.slot); /* cells.p4:315 */
}

/* action pipe.Ingress.cells.digests_load, cells.p4:315 */
INLINE void in_digests_load(struct ingress *s)
{
	in_set_hdr_amcast_digest(s, in_digests_digests_get(s, s->md.slot)); /* cells.p4:315 */
}

/* action pipe.Ingress.cells.lts_first, cells.p4:316 */
INLINE void in_lts_first(struct ingress *s)
{
	in_set_hdr_amcast_lts(s, in_lts_lts_give(s, s->md.slot)); /* cells.p4:316 */
}

/* action pipe.Ingress.cells.lts_store, cells.p4:316 */
INLINE void in_lts_store(struct ingress *s)
{
	in_lts_lts_put(s, s->md.slot); /* cells.p4:316 */
}

/* action pipe.Ingress.cells.lts_load, cells.p4:316 */
INLINE void in_lts_load(struct ingress *s)
{
	in_set_hdr_amcast_lts(s, in_lts_lts_get(s, s->md.slot)); /* cells.p4:316 */
}

/* action pipe.Ingress.cells.seqs_first, cells.p4:317 */
INLINE void in_seqs_first(struct ingress *s)
{
	in_set_hdr_amcast_seq(s, in_seqs_seqs_give(s, s->md.slot)); /* cells.p4:317 */
}

/* action pipe.Ingress.cells.seqs_store, cells.p4:317 */
INLINE void in_seqs_store(struct ingress *s)
{
	in_seqs_seqs_put(s, s->md.slot); /* cells.p4:317 */
}

/* action pipe.Ingress.cells.seqs_load, cells.p4:317 */
INLINE void in_seqs_load(struct ingress *s)
{
	in_set_hdr_amcast_seq(s, in_seqs_seqs_get(s, s->md.slot)); /* cells.p4:317 */
}

/* action pipe.Ingress.cells.by_mark, cells.p4:320 */
INLINE void in_by_mark(struct ingress *s)
{
	s->md.ring = ((u32)s->md.role << 12 | ((u16)in_hdr_amcast_mark(s) & 0xfff)); /* cells.p4:321 */
}

/* action pipe.Ingress.cells.by_seq, cells.p4:325 */
INLINE void in_by_seq(struct ingress *s)
{
	s->md.ring = ((u32)s->md.role << 12 | ((u16)in_hdr_amcast_seq(s) & 0xfff)); /* cells.p4:326 */
}

/* action pipe.Ingress.cells.take_place, cells.p4:365 */
INLINE void in_take_place(struct ingress *s)
{
	s->md.placed = in_ring_seqs_ring_take(s, s->md.ring); /* cells.p4:366 */
}

/* action pipe.Ingress.cells.find_place, cells.p4:370 */
INLINE void in_find_place(struct ingress *s)
{
	s->md.placed = in_ring_seqs_ring_is(s, s->md.ring); /* cells.p4:371 */
}

/* action pipe.Ingress.cells.note, cells.p4:401 */
INLINE void in_note(struct ingress *s)
{
	in_ring_ring_put(s, s->md.ring); /* cells.p4:402 */
}

/* action pipe.Ingress.cells.tell, cells.p4:406 */
INLINE void in_tell(struct ingress *s)
{
	in_set_hdr_amcast_digest(s, in_ring_ring_get(s, s->md.ring)); /* cells.p4:407 */
}

/* action pipe.Ingress.cells.not_known, cells.p4:411 */
INLINE void in_not_known(struct ingress *s)
{
	aside();
	in_set_hdr_amcast_digest(s, 0); /* cells.p4:412 */
}

/* action pipe.Ingress.cells.tally.mark_row, tally.p4:41 */
INLINE void in_mark_row(struct ingress *s)
{
	s->md.row_same = in_rows_row_is(s, s->md.row); /* tally.p4:42 */
}

/* action pipe.Ingress.cells.tally.begin, tally.p4:72 */
INLINE void in_begin(struct ingress *s)
{
	s->md.acked = in_acks_acks_begin(s, s->md.row); /* tally.p4:73 */
}

/* action pipe.Ingress.cells.tally.add, tally.p4:77 */
INLINE void in_add(struct ingress *s)
{
	s->md.acked = in_acks_acks_add(s, s->md.row); /* tally.p4:78 */
}

/* action pipe.Ingress.cells.tally.first_time, tally.p4:111 */
INLINE void in_first_time(struct ingress *s)
{
	in_set_hdr_amcast_lts(s, in_final_final_begin(s, s->md.slot)); /* tally.p4:112 */
}

/* action pipe.Ingress.cells.tally.greatest_time, tally.p4:116 */
INLINE void in_greatest_time(struct ingress *s)
{
	in_set_hdr_amcast_lts(s, in_final_final_raise(s, s->md.slot)); /* tally.p4:117 */
}

/* action pipe.Ingress.cells.tally.column0, tally.p4:133 */
INLINE void in_column0(struct ingress *s)
{
	s->md.column = (u8)s->md.acked; /* tally.p4:134 */
}

/* action pipe.Ingress.cells.tally.column1, tally.p4:138 */
INLINE void in_column1(struct ingress *s)
{
	s->md.column = (u8)(s->md.acked >> 8); /* tally.p4:139 */
}

/* action pipe.Ingress.cells.tally.column2, tally.p4:143 */
INLINE void in_column2(struct ingress *s)
{
	s->md.column = (u8)(s->md.acked >> 16); /* tally.p4:144 */
}

/* action pipe.Ingress.cells.tally.column3, tally.p4:148 */
INLINE void in_column3(struct ingress *s)
{
	s->md.column = (u8)(s->md.acked >> 24); /* tally.p4:149 */
}

/* action pipe.Ingress.cells.tally.quorum, tally.p4:167 */
INLINE void in_quorum(struct ingress *s)
{
	s->md.reach = s->md.spot; /* tally.p4:168 */
}

/* action pipe.Ingress.cells.tally.reach_first, tally.p4:214 */
INLINE void in_reach_first(struct ingress *s)
{
	s->md.before = in_reached_reached_begin(s, s->md.slot); /* tally.p4:215 */
}

/* action pipe.Ingress.cells.tally.reach, tally.p4:219 */
INLINE void in_reach(struct ingress *s)
{
	s->md.before = in_reached_reached_add(s, s->md.slot); /* tally.p4:220 */
}

/* action pipe.Ingress.cells.decision.had, tally.p4:323 */
INLINE void in_had(struct ingress *s)
{
	aside();
	s->md.had = 1; /* tally.p4:324 */
}

/* action pipe.Ingress.cells.decision.decide, tally.p4:328 */
INLINE void in_decide(struct ingress *s)
{
	aside();
	s->md.decided = 1; /* tally.p4:329 */
}

/* action pipe.Ingress.verdict.refuse_admission, verdict.p4:138 */
INLINE void in_refuse_admission(struct ingress *s)
{
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, BECAME_ANSWER); /* verdict.p4:139 */
	in_set_hdr_amcast_kind(s, MSG_REFUSED); /* verdict.p4:140 */
	in_set_hdr_amcast_lts(s, (u32)s->md.drop); /* verdict.p4:141 */
	s->ig_tm_md.ucast_egress_port = s->ig_intr_md.ingress_port; /* verdict.p4:142 */
	s->unicast = 1;
}

/* action pipe.Ingress.verdict.absorb, verdict.p4:89 */
INLINE void in_absorb(struct ingress *s)
{
	aside();
	s->ig_dprsr_md.drop_ctl = 1; /* verdict.p4:90 */
}

/* action pipe.Ingress.verdict.propose, verdict.p4:38 */
INLINE void in_propose(struct ingress *s)
{
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, 3); /* verdict.p4:39 */
	s->ig_tm_md.mcast_grp_a = s->md.props; /* verdict.p4:40 */
}

/* action pipe.Ingress.verdict.propose_payload, verdict.p4:44 */
INLINE void in_propose_payload(struct ingress *s)
{
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, BECAME_REPLICA); /* verdict.p4:45 */
	in_set_hdr_amcast_kind(s, MSG_PROP); /* verdict.p4:46 */
	s->ig_tm_md.mcast_grp_a = s->md.replicas; /* verdict.p4:47 */
}

/* action pipe.Ingress.verdict.acknowledge, verdict.p4:51 */
INLINE void in_acknowledge(struct ingress *s)
{
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, BECAME_ACK); /* verdict.p4:52 */
	s->ig_tm_md.mcast_grp_a = s->md.acks; /* verdict.p4:53 */
}

/* action pipe.Ingress.verdict.tell_replicas, verdict.p4:57 */
INLINE void in_tell_replicas(struct ingress *s, u8 p_kind, u8 p_flags)
{
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, BECAME_REPLICA); /* verdict.p4:58 */
	in_set_hdr_amcast_kind(s, p_kind); /* verdict.p4:59 */
	in_set_hdr_amcast_flags(s, p_flags); /* verdict.p4:60 */
	in_set_hdr_amcast_from(s, s->md.group); /* verdict.p4:61 */
	in_set_hdr_amcast_epoch(s, s->md.set_epoch); /* verdict.p4:62 */
	s->ig_tm_md.mcast_grp_a = s->md.replicas; /* verdict.p4:63 */
}

/* action pipe.Ingress.verdict.answer, verdict.p4:67 */
INLINE void in_answer(struct ingress *s, u8 p_kind)
{
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, BECAME_ANSWER); /* verdict.p4:68 */
	in_set_hdr_amcast_kind(s, p_kind); /* verdict.p4:69 */
	s->ig_tm_md.ucast_egress_port = s->ig_intr_md.ingress_port; /* verdict.p4:70 */
	s->unicast = 1;
}

/* action pipe.Ingress.verdict.refuse, verdict.p4:74 */
INLINE void in_verdict_refuse(struct ingress *s, u8 p_why)
{
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, BECAME_ANSWER); /* verdict.p4:75 */
	in_set_hdr_amcast_kind(s, MSG_REFUSED); /* verdict.p4:76 */
	in_set_hdr_amcast_lts(s, (u32)p_why); /* verdict.p4:77 */
	COUNT(c_refusals, 32, 32, p_why, refusals, s->length); /* verdict.p4:78 */
	s->ig_tm_md.ucast_egress_port = s->ig_intr_md.ingress_port; /* verdict.p4:79 */
	s->unicast = 1;
}

/* action pipe.Ingress.verdict.discard, verdict.p4:83 */
INLINE void in_discard(struct ingress *s, u8 p_why)
{
	COUNT(c_refusals, 32, 32, p_why, refusals, s->length); /* verdict.p4:84 */
	s->ig_dprsr_md.drop_ctl = 1; /* verdict.p4:85 */
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

/* table pipe.Ingress.service.service, service.p4:42 */
INLINE u32 in_service_apply(struct ingress *s)
{
	struct key_service key __attribute__((aligned(8))); /* service.p4:44 */
	((u64 *)&key)[0] = IN_WORD(u64, in_hdr_ipv4_dst(s), 0, 4) | IN_WORD(u64, in_hdr_udp_dst_port(s), 4, 2);
	union value_service *value = lookup_service(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_service_NoAction;
	}
	switch (value->action) {
		case a_service_take:
			in_take(s, value->take.at, value->take.role, value->take.life, value->take.group, value->take.epoch, value->take.leads, value->take.member, value->take.replicas);
			break;
		case a_service_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
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

/* table pipe.Ingress.peers.sets, service.p4:75 */
INLINE u32 in_sets_apply(struct ingress *s)
{
	struct key_sets key __attribute__((aligned(8))); /* service.p4:76 */
	((u64 *)&key)[0] = IN_WORD(u64, s->md.role, 4, 1) | IN_WORD(u64, in_hdr_amcast_groups(s), 0, 4);
	union value_sets *value = lookup_sets(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_sets_NoAction;
	}
	switch (value->action) {
		case a_sets_destinations:
			in_destinations(s, value->destinations.slot, value->destinations.count, value->destinations.epoch, value->destinations.epoch0, value->destinations.epoch1, value->destinations.epoch2, value->destinations.epoch3, value->destinations.sum, value->destinations.props, value->destinations.acks);
			break;
		case a_sets_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.peers.clients, service.p4:88 */
INLINE u32 in_clients_apply(struct ingress *s)
{
	struct key_clients key __attribute__((aligned(8))); /* service.p4:90 */
	((u64 *)&key)[0] = IN_WORD(u64, in_hdr_amcast_client(s), 4, 2) | IN_WORD(u64, in_hdr_ipv4_src(s), 0, 4) | IN_WORD(u64, s->md.port_group, 6, 2);
	union value_clients *value = lookup_clients(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_clients_NoAction;
	}
	switch (value->action) {
		case a_clients_may_start:
			in_may_start(s);
			break;
		case a_clients_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.peers.replicas, service.p4:105 */
INLINE u32 in_replicas_apply(struct ingress *s)
{
	struct key_replicas key __attribute__((aligned(8))); /* service.p4:107 */
	((u64 *)&key)[0] = IN_WORD(u64, s->md.role, 6, 1) | IN_WORD(u64, in_hdr_ipv4_src(s), 0, 4) | IN_WORD(u64, s->md.port_group, 4, 2);
	union value_replicas *value = lookup_replicas(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_replicas_NoAction;
	}
	switch (value->action) {
		case a_replicas_may_ask:
			in_may_ask(s);
			break;
		case a_replicas_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.peers.proposers, service.p4:123 */
INLINE u32 in_proposers_apply(struct ingress *s)
{
	struct key_proposers key __attribute__((aligned(8))); /* service.p4:125 */
	((u64 *)&key)[0] = IN_WORD(u64, in_hdr_amcast_epoch(s), 0, 4) | IN_WORD(u64, in_hdr_ipv4_src(s), 4, 4);
	((u32 *)&key)[2] = IN_WORD(u32, s->md.role, 2, 1) | IN_WORD(u32, in_hdr_amcast_from(s), 3, 1) | IN_WORD(u32, s->md.port_group, 0, 2);
	union value_proposers *value = lookup_proposers(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_proposers_NoAction;
	}
	switch (value->action) {
		case a_proposers_proposes:
			in_proposes(s, value->proposes.own);
			break;
		case a_proposers_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.peers.ackers, service.p4:145 */
INLINE u32 in_ackers_apply(struct ingress *s)
{
	struct key_ackers key __attribute__((aligned(8))); /* service.p4:147 */
	((u64 *)&key)[0] = IN_WORD(u64, in_hdr_amcast_by_epoch(s), 0, 4) | IN_WORD(u64, in_hdr_ipv4_src(s), 4, 4);
	((u64 *)&key)[1] = IN_WORD(u64, s->md.role, 2, 1) | IN_WORD(u64, in_hdr_amcast_by(s), 3, 1) | IN_WORD(u64, in_hdr_amcast_member(s), 4, 1) | IN_WORD(u64, s->md.port_group, 0, 2);
	union value_ackers *value = lookup_ackers(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_ackers_NoAction;
	}
	switch (value->action) {
		case a_ackers_acknowledges:
			in_acknowledges(s, value->acknowledges.members, value->acknowledges.watermark);
			break;
		case a_ackers_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.peers.admission, service.p4:298 */
INLINE u32 in_admission_apply(struct ingress *s)
{
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_START && (s->md.bits_of_leads & 0x4) == 0x0) { /* service.p4:316 */
		in_peers_refuse(s, 7);
		return HIT | a_admission_refuse;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_START && (s->md.bits_of_leads & 0x1) == 0x0) { /* service.p4:317 */
		in_peers_refuse(s, 9);
		return HIT | a_admission_refuse;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_START && (s->md.bits_of_late & 0x30) == 0x0) { /* service.p4:318 */
		in_peers_refuse(s, 0xa);
		return HIT | a_admission_refuse;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_START && (u8)(in_hdr_amcast_client(s) >> 8) == 0 && (s->md.ahead >> 4) == 0) { /* service.p4:319 */
		in_start(s);
		return HIT | a_admission_start;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_START && (u8)(in_hdr_amcast_client(s) >> 8) == 0) { /* service.p4:320 */
		in_peers_refuse(s, 0xb);
		return HIT | a_admission_refuse;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_START) { /* service.p4:321 */
		in_peers_refuse(s, 0xa);
		return HIT | a_admission_refuse;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_PROP && (s->md.bits_of_late & 0x8) == 0x0) { /* service.p4:322 */
		in_peers_refuse(s, 0x11);
		return HIT | a_admission_refuse;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_PROP && (s->md.bits_of_leads & 0x1) == 0x0) { /* service.p4:323 */
		in_peers_refuse(s, 9);
		return HIT | a_admission_refuse;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_PROP && (s->md.bits_of_late & 0x4) == 0x4) { /* service.p4:324 */
		in_proposal(s, 2);
		return HIT | a_admission_proposal;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_PROP) { /* service.p4:325 */
		in_proposal(s, 3);
		return HIT | a_admission_proposal;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_DELIVERER && in_hdr_amcast_kind(s) == MSG_ACK && (s->md.bits_of_late & 0x2) == 0x0) { /* service.p4:326 */
		in_peers_refuse(s, 0x12);
		return HIT | a_admission_refuse;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_DELIVERER && in_hdr_amcast_kind(s) == MSG_ACK && (s->md.bits_of_leads & 0x1) == 0x0) { /* service.p4:327 */
		in_peers_refuse(s, 9);
		return HIT | a_admission_refuse;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_DELIVERER && in_hdr_amcast_kind(s) == MSG_ACK) { /* service.p4:328 */
		in_acknowledgement(s);
		return HIT | a_admission_acknowledgement;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_ASK && (s->md.bits_of_late & 0x10) == 0x0) { /* service.p4:329 */
		in_peers_refuse(s, 0x14);
		return HIT | a_admission_refuse;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_LOOK && (s->md.bits_of_late & 0x10) == 0x0) { /* service.p4:330 */
		in_peers_refuse(s, 0x14);
		return HIT | a_admission_refuse;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_ASK) { /* service.p4:331 */
		in_question(s, 5);
		return HIT | a_admission_question;
	}
	if (s->md.rest == OVERHEAD && s->md.at == AT_MEMBER && in_hdr_amcast_kind(s) == MSG_LOOK) { /* service.p4:332 */
		in_question(s, 6);
		return HIT | a_admission_question;
	}
	if (s->md.rest == OVERHEAD) { /* service.p4:333 */
		in_peers_refuse(s, 6);
		return HIT | a_admission_refuse;
	}
	in_peers_refuse(s, 1);
	return a_admission_refuse;
}

/* table pipe.Ingress.peers.from_late, service.p4:182 */
INLINE u32 in_from_late_apply(struct ingress *s)
{
	if (in_hdr_amcast_from_slot(s) == 0) { /* service.p4:187 */
		in_from0(s);
		return HIT | a_from_late_from0;
	}
	if (in_hdr_amcast_from_slot(s) == 1) { /* service.p4:188 */
		in_from1(s);
		return HIT | a_from_late_from1;
	}
	if (in_hdr_amcast_from_slot(s) == 2) { /* service.p4:189 */
		in_from2(s);
		return HIT | a_from_late_from2;
	}
	if (in_hdr_amcast_from_slot(s) == 3) { /* service.p4:190 */
		in_from3(s);
		return HIT | a_from_late_from3;
	}
	in_from_none(s);
	return a_from_late_from_none;
}

/* table pipe.Ingress.peers.by_late, service.p4:218 */
INLINE u32 in_by_late_apply(struct ingress *s)
{
	if (in_hdr_amcast_by_slot(s) == 0) { /* service.p4:223 */
		in_by0(s);
		return HIT | a_by_late_by0;
	}
	if (in_hdr_amcast_by_slot(s) == 1) { /* service.p4:224 */
		in_by1(s);
		return HIT | a_by_late_by1;
	}
	if (in_hdr_amcast_by_slot(s) == 2) { /* service.p4:225 */
		in_by2(s);
		return HIT | a_by_late_by2;
	}
	if (in_hdr_amcast_by_slot(s) == 3) { /* service.p4:226 */
		in_by3(s);
		return HIT | a_by_late_by3;
	}
	in_by_none(s);
	return a_by_late_by_none;
}

/* table pipe.Ingress.peers.late, service.p4:242 */
INLINE u32 in_late_apply(struct ingress *s)
{
	if (s->md.from_late == 0 && s->md.by_late == 0) { /* service.p4:247 */
		in_in_time(s);
		return HIT | a_late_in_time;
	}
	in_too_late(s);
	return a_late_too_late;
}

/* table pipe.Ingress.cells.bits.spots, tally.p4:254 */
INLINE u32 in_spots_apply(struct ingress *s)
{
	u32 key = (u32)in_hdr_amcast_from_slot(s) << 4 | (u32)in_hdr_amcast_by_slot(s); /* tally.p4:255 */
	switch (lookup_spots(opaque(s->length, key))) {
		case e_spots_spot: /* tally.p4:259 */
			in_spot(s, 1, 1);
			return HIT | a_spots_spot;
		case e_spots_spot_2: /* tally.p4:260 */
			in_spot(s, 2, 0);
			return HIT | a_spots_spot;
		case e_spots_spot_3: /* tally.p4:261 */
			in_spot(s, 4, 0);
			return HIT | a_spots_spot;
		case e_spots_spot_4: /* tally.p4:262 */
			in_spot(s, 8, 0);
			return HIT | a_spots_spot;
		case e_spots_spot_5: /* tally.p4:263 */
			in_spot(s, 0x10, 0);
			return HIT | a_spots_spot;
		case e_spots_spot_6: /* tally.p4:264 */
			in_spot(s, 0x20, 1);
			return HIT | a_spots_spot;
		case e_spots_spot_7: /* tally.p4:265 */
			in_spot(s, 0x40, 0);
			return HIT | a_spots_spot;
		case e_spots_spot_8: /* tally.p4:266 */
			in_spot(s, 0x80, 0);
			return HIT | a_spots_spot;
		case e_spots_spot_9: /* tally.p4:267 */
			in_spot(s, 0x100, 0);
			return HIT | a_spots_spot;
		case e_spots_spot_10: /* tally.p4:268 */
			in_spot(s, 0x200, 0);
			return HIT | a_spots_spot;
		case e_spots_spot_11: /* tally.p4:269 */
			in_spot(s, 0x400, 1);
			return HIT | a_spots_spot;
		case e_spots_spot_12: /* tally.p4:270 */
			in_spot(s, 0x800, 0);
			return HIT | a_spots_spot;
		case e_spots_spot_13: /* tally.p4:271 */
			in_spot(s, 0x1000, 0);
			return HIT | a_spots_spot;
		case e_spots_spot_14: /* tally.p4:272 */
			in_spot(s, 0x2000, 0);
			return HIT | a_spots_spot;
		case e_spots_spot_15: /* tally.p4:273 */
			in_spot(s, 0x4000, 0);
			return HIT | a_spots_spot;
		case e_spots_spot_16: /* tally.p4:274 */
			in_spot(s, 0x8000, 1);
			return HIT | a_spots_spot;
	}
	in_NoAction(s);
	return a_spots_NoAction;
}

/* table pipe.Ingress.cells.bits.members, tally.p4:285 */
INLINE u32 in_members_apply(struct ingress *s)
{
	u32 key = (u32)in_hdr_amcast_by_slot(s) << 8 | (u32)in_hdr_amcast_member(s); /* tally.p4:286 */
	switch (lookup_members(opaque(s->length, key))) {
		case e_members_mine: /* tally.p4:290 */
			in_mine(s, 1);
			return HIT | a_members_mine;
		case e_members_mine_2: /* tally.p4:291 */
			in_mine(s, 2);
			return HIT | a_members_mine;
		case e_members_mine_3: /* tally.p4:292 */
			in_mine(s, 4);
			return HIT | a_members_mine;
		case e_members_mine_4: /* tally.p4:293 */
			in_mine(s, 8);
			return HIT | a_members_mine;
		case e_members_mine_5: /* tally.p4:294 */
			in_mine(s, 0x10);
			return HIT | a_members_mine;
		case e_members_mine_6: /* tally.p4:295 */
			in_mine(s, 0x100);
			return HIT | a_members_mine;
		case e_members_mine_7: /* tally.p4:296 */
			in_mine(s, 0x200);
			return HIT | a_members_mine;
		case e_members_mine_8: /* tally.p4:297 */
			in_mine(s, 0x400);
			return HIT | a_members_mine;
		case e_members_mine_9: /* tally.p4:298 */
			in_mine(s, 0x800);
			return HIT | a_members_mine;
		case e_members_mine_10: /* tally.p4:299 */
			in_mine(s, 0x1000);
			return HIT | a_members_mine;
		case e_members_mine_11: /* tally.p4:300 */
			in_mine(s, 0x10000);
			return HIT | a_members_mine;
		case e_members_mine_12: /* tally.p4:301 */
			in_mine(s, 0x20000);
			return HIT | a_members_mine;
		case e_members_mine_13: /* tally.p4:302 */
			in_mine(s, 0x40000);
			return HIT | a_members_mine;
		case e_members_mine_14: /* tally.p4:303 */
			in_mine(s, 0x80000);
			return HIT | a_members_mine;
		case e_members_mine_15: /* tally.p4:304 */
			in_mine(s, 0x100000);
			return HIT | a_members_mine;
		case e_members_mine_16: /* tally.p4:305 */
			in_mine(s, 0x1000000);
			return HIT | a_members_mine;
		case e_members_mine_17: /* tally.p4:306 */
			in_mine(s, 0x2000000);
			return HIT | a_members_mine;
		case e_members_mine_18: /* tally.p4:307 */
			in_mine(s, 0x4000000);
			return HIT | a_members_mine;
		case e_members_mine_19: /* tally.p4:308 */
			in_mine(s, 0x8000000);
			return HIT | a_members_mine;
		case e_members_mine_20: /* tally.p4:309 */
			in_mine(s, 0x10000000);
			return HIT | a_members_mine;
	}
	in_NoAction(s);
	return a_members_NoAction;
}

/* table pipe.Ingress.cells.cell, cells.p4:152 */
INLINE u32 in_cell_apply(struct ingress *s)
{
	if (s->md.act == ACT_START) { /* cells.p4:157 */
		in_raise(s);
		return HIT | a_cell_raise;
	}
	if (s->md.act == ACT_OWN) { /* cells.p4:158 */
		in_raise(s);
		return HIT | a_cell_raise;
	}
	if (s->md.act == ACT_ACK) { /* cells.p4:159 */
		in_raise(s);
		return HIT | a_cell_raise;
	}
	if (s->md.act == ACT_LOOK) { /* cells.p4:160 */
		in_look(s);
		return HIT | a_cell_look;
	}
	in_NoAction(s);
	return a_cell_NoAction;
}

/* table pipe.Ingress.cells.tag, cells.p4:195 */
INLINE u32 in_tag_apply(struct ingress *s)
{
	if (s->md.act == ACT_START && (s->md.bits_of_stale & 0x10) == 0x0) { /* cells.p4:200 */
		in_mark_cell(s);
		return HIT | a_tag_mark_cell;
	}
	if (s->md.act == ACT_OWN && (s->md.bits_of_stale & 0x10) == 0x0) { /* cells.p4:201 */
		in_mark_cell(s);
		return HIT | a_tag_mark_cell;
	}
	if (s->md.act == ACT_ACK && (s->md.bits_of_stale & 0x10) == 0x0 && (s->md.bits_of_late & 0x40) == 0x0) { /* cells.p4:202 */
		in_mark_cell(s);
		return HIT | a_tag_mark_cell;
	}
	if (s->md.act == ACT_LOOK && (s->md.bits_of_stale & 0x10) == 0x0) { /* cells.p4:203 */
		in_look_epoch(s);
		return HIT | a_tag_look_epoch;
	}
	in_NoAction(s);
	return a_tag_NoAction;
}

/* table pipe.Ingress.cells.time, cells.p4:246 */
INLINE u32 in_time_apply(struct ingress *s)
{
	u32 key = (u32)s->md.act << 2 | (s->md.bits_of_stale >> 3 & 3); /* cells.p4:247 */
	switch (lookup_time(opaque(s->length, key))) {
		case e_time_next_time: /* cells.p4:251 */
			in_next_time(s);
			return HIT | a_time_next_time;
		case e_time_same_time: /* cells.p4:252 */
			in_same_time(s);
			return HIT | a_time_same_time;
		case e_time_raise_time: /* cells.p4:253 */
			in_raise_time(s);
			return HIT | a_time_raise_time;
	}
	in_NoAction(s);
	return a_time_NoAction;
}

/* table pipe.Ingress.cells.mark, cells.p4:299 */
INLINE u32 in_mark_apply(struct ingress *s)
{
	u32 key = (u32)s->md.act << 2 | (s->md.bits_of_stale >> 3 & 3); /* cells.p4:300 */
	switch (lookup_mark(opaque(s->length, key))) {
		case e_mark_next_mark: /* cells.p4:304 */
			in_next_mark(s);
			return HIT | a_mark_next_mark;
		case e_mark_same_mark: /* cells.p4:305 */
			in_same_mark(s);
			return HIT | a_mark_same_mark;
		case e_mark_raise_mark: /* cells.p4:306 */
			in_raise_mark(s);
			return HIT | a_mark_raise_mark;
	}
	in_NoAction(s);
	return a_mark_NoAction;
}

/* table pipe.Ingress.cells.ring_index, cells.p4:330 */
INLINE u32 in_ring_index_apply(struct ingress *s)
{
	if (s->md.act == ACT_START) { /* cells.p4:335 */
		in_by_mark(s);
		return HIT | a_ring_index_by_mark;
	}
	if (s->md.act == ACT_OWN) { /* cells.p4:336 */
		in_by_seq(s);
		return HIT | a_ring_index_by_seq;
	}
	if (s->md.act == ACT_ASK) { /* cells.p4:337 */
		in_by_seq(s);
		return HIT | a_ring_index_by_seq;
	}
	in_NoAction(s);
	return a_ring_index_NoAction;
}

/* table pipe.Ingress.cells.place, cells.p4:375 */
INLINE u32 in_place_apply(struct ingress *s)
{
	if (s->md.act == ACT_START && (s->md.bits_of_stale & 0x18) == 0x0) { /* cells.p4:380 */
		in_take_place(s);
		return HIT | a_place_take_place;
	}
	if (s->md.act == ACT_OWN && (s->md.bits_of_stale & 0x10) == 0x0) { /* cells.p4:381 */
		in_take_place(s);
		return HIT | a_place_take_place;
	}
	if (s->md.act == ACT_ASK) { /* cells.p4:382 */
		in_find_place(s);
		return HIT | a_place_find_place;
	}
	in_NoAction(s);
	return a_place_NoAction;
}

/* table pipe.Ingress.cells.ring_at, cells.p4:416 */
INLINE u32 in_ring_at_apply(struct ingress *s)
{
	if (s->md.act == ACT_START && s->md.placed == 1) { /* cells.p4:421 */
		in_note(s);
		return HIT | a_ring_at_note;
	}
	if (s->md.act == ACT_OWN && s->md.placed == 1) { /* cells.p4:422 */
		in_note(s);
		return HIT | a_ring_at_note;
	}
	if (s->md.act == ACT_ASK && s->md.placed == 1) { /* cells.p4:423 */
		in_tell(s);
		return HIT | a_ring_at_tell;
	}
	if (s->md.act == ACT_ASK && s->md.placed == 0) { /* cells.p4:424 */
		in_not_known(s);
		return HIT | a_ring_at_not_known;
	}
	in_NoAction(s);
	return a_ring_at_NoAction;
}

/* table pipe.Ingress.cells.tally.row, tally.p4:46 */
INLINE u32 in_row_apply(struct ingress *s)
{
	if (s->md.act == ACT_ACK && (s->md.bits_of_stale & 0x10) == 0x0 && (s->md.bits_of_late & 0x40) == 0x0) { /* tally.p4:51 */
		in_mark_row(s);
		return HIT | a_row_mark_row;
	}
	in_NoAction(s);
	return a_row_NoAction;
}

/* table pipe.Ingress.cells.tally.count, tally.p4:82 */
INLINE u32 in_count_apply(struct ingress *s)
{
	if (s->md.act == ACT_ACK && (s->md.bits_of_stale & 0x14) == 0x0 && (s->md.bits_of_late & 0x40) == 0x0) { /* tally.p4:87 */
		in_begin(s);
		return HIT | a_count_begin;
	}
	if (s->md.act == ACT_ACK && (s->md.bits_of_stale & 0x14) == 0x4 && (s->md.bits_of_late & 0x40) == 0x0) { /* tally.p4:88 */
		in_add(s);
		return HIT | a_count_add;
	}
	in_NoAction(s);
	return a_count_NoAction;
}

/* table pipe.Ingress.cells.tally.finals, tally.p4:121 */
INLINE u32 in_finals_apply(struct ingress *s)
{
	if (s->md.act == ACT_ACK && (s->md.bits_of_stale & 0x18) == 0x0 && (s->md.bits_of_late & 0x40) == 0x0) { /* tally.p4:126 */
		in_first_time(s);
		return HIT | a_finals_first_time;
	}
	if (s->md.act == ACT_ACK && (s->md.bits_of_stale & 0x18) == 0x8 && (s->md.bits_of_late & 0x40) == 0x0) { /* tally.p4:127 */
		in_greatest_time(s);
		return HIT | a_finals_greatest_time;
	}
	in_NoAction(s);
	return a_finals_NoAction;
}

/* table pipe.Ingress.cells.tally.columns, tally.p4:153 */
INLINE u32 in_columns_apply(struct ingress *s)
{
	if (in_hdr_amcast_by_slot(s) == 0) { /* tally.p4:158 */
		in_column0(s);
		return HIT | a_columns_column0;
	}
	if (in_hdr_amcast_by_slot(s) == 1) { /* tally.p4:159 */
		in_column1(s);
		return HIT | a_columns_column1;
	}
	if (in_hdr_amcast_by_slot(s) == 2) { /* tally.p4:160 */
		in_column2(s);
		return HIT | a_columns_column2;
	}
	if (in_hdr_amcast_by_slot(s) == 3) { /* tally.p4:161 */
		in_column3(s);
		return HIT | a_columns_column3;
	}
	in_NoAction(s);
	return a_columns_NoAction;
}

/* table pipe.Ingress.cells.tally.quorums, tally.p4:173 */
INLINE u32 in_quorums_apply(struct ingress *s)
{
	u32 key = (u32)((u8)s->md.members & 7) << 5 | (u32)((u8)s->md.column & 0x1f); /* tally.p4:175 */
	switch (lookup_quorums(opaque(s->length, key))) {
		case e_quorums_quorum: /* tally.p4:181 */
			in_quorum(s);
			return HIT | a_quorums_quorum;
	}
	in_NoAction(s);
	return a_quorums_NoAction;
}

/* table pipe.Ingress.cells.tally.reaching, tally.p4:224 */
INLINE u32 in_reaching_apply(struct ingress *s)
{
	if (s->md.act == ACT_ACK && (s->md.bits_of_stale & 0x18) == 0x0 && (s->md.bits_of_late & 0x40) == 0x0) { /* tally.p4:229 */
		in_reach_first(s);
		return HIT | a_reaching_reach_first;
	}
	if (s->md.act == ACT_ACK && (s->md.bits_of_stale & 0x18) == 0x8 && (s->md.bits_of_late & 0x40) == 0x0) { /* tally.p4:230 */
		in_reach(s);
		return HIT | a_reaching_reach;
	}
	in_NoAction(s);
	return a_reaching_NoAction;
}

/* table pipe.Ingress.cells.decision.all_before, tally.p4:333 */
INLINE u32 in_all_before_apply(struct ingress *s)
{
	if (s->md.count == 1 && (s->md.before & 1) == 1) { /* tally.p4:338 */
		in_had(s);
		return HIT | a_all_before_had;
	}
	if (s->md.count == 2 && (s->md.before & 0x33) == 0x33) { /* tally.p4:339 */
		in_had(s);
		return HIT | a_all_before_had;
	}
	if (s->md.count == 3 && (s->md.before & 0x777) == 0x777) { /* tally.p4:340 */
		in_had(s);
		return HIT | a_all_before_had;
	}
	if (s->md.count == 4 && s->md.before == 0xffff) { /* tally.p4:341 */
		in_had(s);
		return HIT | a_all_before_had;
	}
	in_NoAction(s);
	return a_all_before_NoAction;
}

/* table pipe.Ingress.cells.decision.all_now, tally.p4:347 */
INLINE u32 in_all_now_apply(struct ingress *s)
{
	if (s->md.count == 1 && (s->md.before & 1) == 0 && s->md.reach == 1) { /* tally.p4:352 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 2 && (s->md.before & 0x33) == 0x32 && s->md.reach == 1) { /* tally.p4:353 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 2 && (s->md.before & 0x33) == 0x31 && s->md.reach == 2) { /* tally.p4:354 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 2 && (s->md.before & 0x33) == 0x23 && s->md.reach == 0x10) { /* tally.p4:355 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 2 && (s->md.before & 0x33) == 0x13 && s->md.reach == 0x20) { /* tally.p4:356 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 3 && (s->md.before & 0x777) == 0x776 && s->md.reach == 1) { /* tally.p4:357 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 3 && (s->md.before & 0x777) == 0x775 && s->md.reach == 2) { /* tally.p4:358 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 3 && (s->md.before & 0x777) == 0x773 && s->md.reach == 4) { /* tally.p4:359 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 3 && (s->md.before & 0x777) == 0x767 && s->md.reach == 0x10) { /* tally.p4:360 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 3 && (s->md.before & 0x777) == 0x757 && s->md.reach == 0x20) { /* tally.p4:361 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 3 && (s->md.before & 0x777) == 0x737 && s->md.reach == 0x40) { /* tally.p4:362 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 3 && (s->md.before & 0x777) == 0x677 && s->md.reach == 0x100) { /* tally.p4:363 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 3 && (s->md.before & 0x777) == 0x577 && s->md.reach == 0x200) { /* tally.p4:364 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 3 && (s->md.before & 0x777) == 0x377 && s->md.reach == 0x400) { /* tally.p4:365 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xfffe && s->md.reach == 1) { /* tally.p4:366 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xfffd && s->md.reach == 2) { /* tally.p4:367 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xfffb && s->md.reach == 4) { /* tally.p4:368 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xfff7 && s->md.reach == 8) { /* tally.p4:369 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xffef && s->md.reach == 0x10) { /* tally.p4:370 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xffdf && s->md.reach == 0x20) { /* tally.p4:371 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xffbf && s->md.reach == 0x40) { /* tally.p4:372 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xff7f && s->md.reach == 0x80) { /* tally.p4:373 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xfeff && s->md.reach == 0x100) { /* tally.p4:374 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xfdff && s->md.reach == 0x200) { /* tally.p4:375 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xfbff && s->md.reach == 0x400) { /* tally.p4:376 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xf7ff && s->md.reach == 0x800) { /* tally.p4:377 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xefff && s->md.reach == 0x1000) { /* tally.p4:378 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xdfff && s->md.reach == 0x2000) { /* tally.p4:379 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0xbfff && s->md.reach == 0x4000) { /* tally.p4:380 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	if (s->md.count == 4 && s->md.before == 0x7fff && s->md.reach == 0x8000) { /* tally.p4:381 */
		in_decide(s);
		return HIT | a_all_now_decide;
	}
	in_NoAction(s);
	return a_all_now_NoAction;
}

/* table pipe.Ingress.verdict.nothing, verdict.p4:147 */
INLINE u32 in_nothing_apply(struct ingress *s)
{
	if (in_hdr_amcast_kind(s) == MSG_START && s->md.rest == OVERHEAD) { /* verdict.p4:152 */
		in_refuse_admission(s);
		return HIT | a_nothing_refuse_admission;
	}
	if (in_hdr_amcast_kind(s) == MSG_ASK && s->md.rest == OVERHEAD) { /* verdict.p4:153 */
		in_refuse_admission(s);
		return HIT | a_nothing_refuse_admission;
	}
	if (in_hdr_amcast_kind(s) == MSG_LOOK && s->md.rest == OVERHEAD) { /* verdict.p4:154 */
		in_refuse_admission(s);
		return HIT | a_nothing_refuse_admission;
	}
	in_absorb(s);
	return a_nothing_absorb;
}

/* table pipe.Ingress.verdict.verdict, verdict.p4:94 */
INLINE u32 in_verdict_apply(struct ingress *s)
{
	if (s->md.act == ACT_START && (s->md.bits_of_leads & 0x2) == 0x0) { /* verdict.p4:112 */
		in_verdict_refuse(s, 8);
		return HIT | a_verdict_refuse;
	}
	if (s->md.act == ACT_START && (s->md.bits_of_stale & 0x10) == 0x10) { /* verdict.p4:113 */
		in_verdict_refuse(s, 0xc);
		return HIT | a_verdict_refuse;
	}
	if (s->md.act == ACT_START && (s->md.bits_of_stale & 0x2) == 0x2) { /* verdict.p4:114 */
		in_verdict_refuse(s, 0x10);
		return HIT | a_verdict_refuse;
	}
	if (s->md.act == ACT_START && (s->md.bits_of_stale & 0x1) == 0x1) { /* verdict.p4:115 */
		in_verdict_refuse(s, 0x10);
		return HIT | a_verdict_refuse;
	}
	if (s->md.act == ACT_START && in_hdr_amcast_length(s) == 0) { /* verdict.p4:116 */
		in_propose(s);
		return HIT | a_verdict_propose;
	}
	if (s->md.act == ACT_START) { /* verdict.p4:117 */
		in_propose_payload(s);
		return HIT | a_verdict_propose_payload;
	}
	if (s->md.act == ACT_ASK && (s->md.bits_of_leads & 0x2) == 0x0) { /* verdict.p4:118 */
		in_verdict_refuse(s, 8);
		return HIT | a_verdict_refuse;
	}
	if (s->md.act == ACT_ASK) { /* verdict.p4:119 */
		in_answer(s, 7);
		return HIT | a_verdict_answer;
	}
	if (s->md.act == ACT_LOOK && (s->md.bits_of_leads & 0x2) == 0x0) { /* verdict.p4:120 */
		in_verdict_refuse(s, 8);
		return HIT | a_verdict_refuse;
	}
	if (s->md.act == ACT_LOOK) { /* verdict.p4:121 */
		in_answer(s, 9);
		return HIT | a_verdict_answer;
	}
	if ((s->md.bits_of_leads & 0x2) == 0x0) { /* verdict.p4:122 */
		in_discard(s, 8);
		return HIT | a_verdict_discard;
	}
	if (s->md.act == ACT_ACK && (s->md.bits_of_late & 0x40) == 0x40) { /* verdict.p4:123 */
		in_discard(s, 0x13);
		return HIT | a_verdict_discard;
	}
	if ((s->md.bits_of_stale & 0x10) == 0x10) { /* verdict.p4:124 */
		in_discard(s, 0xc);
		return HIT | a_verdict_discard;
	}
	if (s->md.act == ACT_OWN) { /* verdict.p4:125 */
		in_acknowledge(s);
		return HIT | a_verdict_acknowledge;
	}
	if (s->md.act == ACT_OTHER) { /* verdict.p4:126 */
		in_acknowledge(s);
		return HIT | a_verdict_acknowledge;
	}
	if (s->md.act == ACT_ACK && (s->md.bits_of_had & 0x1) == 0x1 && (s->md.bits_of_late & 0x1) == 0x1) { /* verdict.p4:127 */
		in_tell_replicas(s, 4, 2);
		return HIT | a_verdict_tell_replicas;
	}
	if (s->md.act == ACT_ACK && (s->md.bits_of_had & 0x1) == 0x1) { /* verdict.p4:128 */
		in_tell_replicas(s, 4, 0);
		return HIT | a_verdict_tell_replicas;
	}
	if (s->md.act == ACT_ACK && ((u8)in_hdr_amcast_flags(s) & 1) == 1 && (s->md.bits_of_had & 0x2) == 0x2 && (s->md.bits_of_late & 0x1) == 0x1) { /* verdict.p4:129 */
		in_tell_replicas(s, 4, 2);
		return HIT | a_verdict_tell_replicas;
	}
	if (s->md.act == ACT_ACK && ((u8)in_hdr_amcast_flags(s) & 1) == 1 && (s->md.bits_of_had & 0x2) == 0x2) { /* verdict.p4:130 */
		in_tell_replicas(s, 4, 0);
		return HIT | a_verdict_tell_replicas;
	}
	if (s->md.act == ACT_ACK && s->md.proposed == 0 && (s->md.bits_of_late & 0x1) == 0x1) { /* verdict.p4:132 */
		in_tell_replicas(s, 5, 2);
		return HIT | a_verdict_tell_replicas;
	}
	in_absorb(s);
	return a_verdict_absorb;
}

/* Parser of the ingress: on an error, parser_error says which (TNA numbers). */
INLINE void in_parse(struct ingress *s, u8 *p, u8 *end)
{
	u64 sum_pipe_IngressParser_ipv4_checksum = 0, raw_pipe_IngressParser_ipv4_checksum = 0;
	u64 sum_pipe_IngressParser_header_checksum = 0, raw_pipe_IngressParser_header_checksum = 0;
	/* state start, parser.p4:19 */
	s->md.checksum_error = 0; /* parser.p4:22 */
	s->md.header_error = 0; /* parser.p4:22 */
	s->md.udp_checksum = 0; /* parser.p4:22 */
	s->md.routed = 0; /* parser.p4:22 */
	s->md.local = 0; /* parser.p4:22 */
	s->md.own = 0; /* parser.p4:22 */
	s->md.sender = 0; /* parser.p4:22 */
	s->md.family = 0; /* parser.p4:22 */
	s->md.refused = 0; /* parser.p4:22 */
	s->md.host_port = 0; /* parser.p4:22 */
	s->md.mac_elsewhere = 0; /* parser.p4:22 */
	s->md.ip_elsewhere = 0; /* parser.p4:22 */
	s->md.port_group = 0; /* parser.p4:22 */
	s->md.drop = DROP_NONE; /* parser.p4:22 */
	s->md.reason = REASON_NONE; /* parser.p4:22 */
	s->md.at = AT_NONE; /* parser.p4:22 */
	s->md.act = ACT_NONE; /* parser.p4:22 */
	s->md.role = 0; /* parser.p4:22 */
	s->md.life = 0; /* parser.p4:22 */
	s->md.group = 0; /* parser.p4:22 */
	s->md.member = 0; /* parser.p4:22 */
	s->md.epoch = 0; /* parser.p4:22 */
	s->md.leads = 0; /* parser.p4:22 */
	s->md.alive = 0; /* parser.p4:22 */
	s->md.in_set = 0; /* parser.p4:22 */
	s->md.set_slot = 0; /* parser.p4:22 */
	s->md.count = 0; /* parser.p4:22 */
	s->md.set_epoch = 0; /* parser.p4:22 */
	s->md.epoch0 = 0; /* parser.p4:22 */
	s->md.epoch1 = 0; /* parser.p4:22 */
	s->md.epoch2 = 0; /* parser.p4:22 */
	s->md.epoch3 = 0; /* parser.p4:22 */
	s->md.from_late = 0; /* parser.p4:22 */
	s->md.by_late = 0; /* parser.p4:22 */
	s->md.late = 0; /* parser.p4:22 */
	s->md.client = 0; /* parser.p4:22 */
	s->md.replica = 0; /* parser.p4:22 */
	s->md.proposer = 0; /* parser.p4:22 */
	s->md.proposer_own = 0; /* parser.p4:22 */
	s->md.acker = 0; /* parser.p4:22 */
	s->md.watermark = 0; /* parser.p4:22 */
	s->md.members = 0; /* parser.p4:22 */
	s->md.rest = 0; /* parser.p4:22 */
	s->md.ahead = 0; /* parser.p4:22 */
	s->md.slot = 0; /* parser.p4:22 */
	s->md.row = 0; /* parser.p4:22 */
	s->md.ring = 0; /* parser.p4:22 */
	s->md.here = 0; /* parser.p4:22 */
	s->md.placed = 0; /* parser.p4:22 */
	s->md.tag = 0; /* parser.p4:22 */
	s->md.stale = 0; /* parser.p4:22 */
	s->md.same = 0; /* parser.p4:22 */
	s->md.row_same = 0; /* parser.p4:22 */
	s->md.other = 0; /* parser.p4:22 */
	s->md.other_digest = 0; /* parser.p4:22 */
	s->md.mine = 0; /* parser.p4:22 */
	s->md.spot = 0; /* parser.p4:22 */
	s->md.proposed = 0; /* parser.p4:22 */
	s->md.reach = 0; /* parser.p4:22 */
	s->md.acked = 0; /* parser.p4:22 */
	s->md.column = 0; /* parser.p4:22 */
	s->md.before = 0; /* parser.p4:22 */
	s->md.had = 0; /* parser.p4:22 */
	s->md.decided = 0; /* parser.p4:22 */
	s->md.replicas = 0; /* parser.p4:22 */
	s->md.props = 0; /* parser.p4:22 */
	s->md.acks = 0; /* parser.p4:22 */
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
	{
		u8 key0 = in_hdr_ipv4_protocol(s);
		u16 key1 = in_hdr_ipv4_flags_fragment(s);
		if (key0 == IPPROTO_UDP && (key1 & 0x3fff) == 0)
			goto state_parse_udp; /* parser.p4:44 */
		return; /* parser.p4:45 */
	}
state_parse_udp:;
	/* state parse_udp, parser.p4:49 */
	if (unlikely(p + 8 > end))
		goto partial; /* parser.p4:50 */
	s->valid |= IN_hdr_udp;
	p += 8;
	{
		u16 key0 = in_hdr_udp_dst_port(s);
		u16 key1 = in_hdr_udp_checksum(s);
		if ((key0 & 0xfff0) == 0x88a0 && key1 == 0)
			goto state_parse_amcast; /* parser.p4:52 */
		if ((key0 & 0xfff0) == 0x88a0)
			goto state_checked; /* parser.p4:53 */
		return; /* parser.p4:54 */
	}
state_parse_amcast:;
	/* state parse_amcast, parser.p4:58 */
	if (unlikely(p + 48 > end))
		goto partial; /* parser.p4:59 */
	s->valid |= IN_hdr_amcast;
	p += 48;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw16((s->data + 42) + 0) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw16((s->data + 42) + 2) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw32((s->data + 42) + 4) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw16((s->data + 42) + 8) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw16((s->data + 42) + 10) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw32((s->data + 42) + 12) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw32((s->data + 42) + 16) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw32((s->data + 42) + 20) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw32((s->data + 42) + 24) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw32((s->data + 42) + 28) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw32((s->data + 42) + 32) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw32((s->data + 42) + 36) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw32((s->data + 42) + 40) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_amcast) ? raw32((s->data + 42) + 44) : 0;
	s->md.header_error = csum_fold(sum_pipe_IngressParser_header_checksum + csum_raw(raw_pipe_IngressParser_header_checksum)) != 0xffff; /* parser.p4:61 */
	return;
state_checked:;
	/* state checked, parser.p4:65 */
	s->md.udp_checksum = 1; /* parser.p4:66 */
	goto state_parse_amcast;
partial:;
	s->parser_error = 0x2;
	return;
}

/* verdict, with a row of its registers, or with 0 when the index is out of range. */
INLINE void in_verdict_with_r_role(struct ingress *s, struct r_role *row)
{
	s->r_role = row;
	s->md.alive = in_life_life_is(s, s->md.role); /* verdict.p4:160 */
	if (s->md.act == ACT_NONE) { /* verdict.p4:161 */
		in_nothing_apply(s); /* verdict.p4:162 */
	} else {
		in_verdict_apply(s); /* verdict.p4:164 */
	}
}

/* tally, with a row of its registers, or with 0 when the index is out of range. */
INLINE void in_with_r_tally(struct ingress *s, struct r_tally *row)
{
	s->r_tally = row;
	in_row_apply(s); /* tally.p4:236 */
	in_count_apply(s); /* tally.p4:237 */
	in_finals_apply(s); /* tally.p4:238 */
	in_columns_apply(s); /* tally.p4:239 */
	in_quorums_apply(s); /* tally.p4:240 */
	s->md.reach = opaque(s->length, s->md.reach);
	in_reaching_apply(s); /* tally.p4:241 */
}

/* cells, with a row of its registers, or with 0 when the index is out of range. */
INLINE void in_cells_with_r_role(struct ingress *s, struct r_role *row)
{
	s->r_role = row;
	s->md.slot = ((u32)((u32)s->md.role << 8 | (u8)in_hdr_amcast_client(s)) << 4 | ((u8)in_hdr_amcast_number(s) & 0xf)); /* cells.p4:434 */
	s->md.row = ((u32)((u32)((u32)s->md.role << 8 | (u8)in_hdr_amcast_client(s)) << 4 | ((u8)in_hdr_amcast_number(s) & 0xf)) << 2 | ((u8)in_hdr_amcast_from_slot(s) & 3)); /* cells.p4:435 */
	s->md.here = (u32)((u32)(u8)in_hdr_amcast_client(s) << 4 | ((u8)in_hdr_amcast_number(s) & 0xf)); /* cells.p4:437 */
	s->md.here = (s->md.here | RING_HERE); /* cells.p4:438 */
	if (s->md.act == ACT_ACK) { /* cells.p4:439 */
		{ /* bits */
			in_spots_apply(s); /* tally.p4:315 */
			s->md.spot = opaque(s->length, s->md.spot);
			s->md.proposed = opaque(s->length, s->md.proposed);
			in_members_apply(s); /* tally.p4:316 */
			s->md.mine = opaque(s->length, s->md.mine);
		}
	}
	{ /* @atomic, cells.p4:442 */
		u32 lock_ = 0;
		if (unlikely(!in_lock(lock_))) {
			s->contention = 1;
		} else {
			in_cell_apply(s); /* cells.p4:443 */
			in_tag_apply(s); /* cells.p4:444 */
			if (s->md.act != ACT_ACK) { /* cells.p4:445 */
				in_time_apply(s); /* cells.p4:446 */
				in_mark_apply(s); /* cells.p4:447 */
				/* tables groups_at, digests_at, lts_at, seqs_at */
				if (s->md.act == ACT_START && (s->md.bits_of_stale & 0x18) == 0x0) { /* cells.p4:314 */
					in_groups_store(s);
					in_digests_store(s);
					in_lts_first(s);
					in_seqs_first(s);
				} else if (s->md.act == ACT_START && (s->md.bits_of_stale & 0x18) == 0x8) { /* cells.p4:314 */
					in_groups_compare(s);
					in_digests_compare(s);
					in_lts_load(s);
					in_seqs_load(s);
				} else if (s->md.act == ACT_OWN && (s->md.bits_of_stale & 0x10) == 0x0) { /* cells.p4:314 */
					in_groups_store(s);
					in_digests_store(s);
					in_lts_store(s);
					in_seqs_store(s);
				} else if (s->md.act == ACT_LOOK && (s->md.bits_of_stale & 0x10) == 0x0) { /* cells.p4:314 */
					in_groups_load(s);
					in_digests_load(s);
					in_lts_load(s);
					in_seqs_load(s);
				}
				in_ring_index_apply(s); /* cells.p4:452 */
				in_place_apply(s); /* cells.p4:453 */
				in_ring_at_apply(s); /* cells.p4:454 */
			}
			if (((s->md.act == ACT_ACK) && (s->md.stale == 0)) && (s->md.late == 0)) { /* cells.p4:456 */
				{ /* tally */
					struct r_tally *row = ELEMENT_OF_ALL(r_tally, 131072, s->md.row);
					in_with_r_tally(s, row);
				}
			}
			in_unlock(lock_);
		}
	}
	{ /* decision */
		if (s->md.act == ACT_ACK) { /* tally.p4:387 */
			in_all_before_apply(s); /* tally.p4:388 */
			if (s->md.reach != 0) { /* tally.p4:389 */
				in_all_now_apply(s); /* tally.p4:390 */
			}
		}
	}
}

/* What in_own_function takes and gives back. */
struct in_own_function {
	u32 md_role;
	u32 md_act;
	u32 md_proposed;
	u32 md_stale;
	u32 md_late;
	u32 md_tag;
	u32 md_members;
	u32 md_count;
	u32 md_had;
	u32 valid, length;
	u32 contention, unicast;
};

/* @own_function, amcast.p4:95 */
GLOBAL int in_own_function(struct xdp_md *ctx, struct in_own_function *x)
{
	struct ingress state = {}, *s = &state;
	if (!x) /* the verifier's: it is never so */
		return 0;
	u8 *end = PTR(ctx->data_end);
	s->data = PTR(ctx->data);
	s->length = x->length;
	u32 valid = x->valid;
	if (!(valid & IN_hdr_amcast) || s->data + 90 > end) {
		valid = x->valid & ~(IN_hdr_amcast);
		if (!(valid & IN_hdr_udp) || s->data + 42 > end) {
			valid = x->valid & ~(IN_hdr_amcast | IN_hdr_udp);
			if (!(valid & IN_hdr_ipv4) || s->data + 34 > end) {
				valid = x->valid & ~(IN_hdr_amcast | IN_hdr_udp | IN_hdr_ipv4);
				if (!(valid & IN_hdr_inner_vlan) || s->data + 22 > end) {
					valid = x->valid & ~(IN_hdr_amcast | IN_hdr_udp | IN_hdr_ipv4 | IN_hdr_inner_vlan);
					if (!(valid & IN_hdr_vlan) || s->data + 18 > end) {
						valid = x->valid & ~(IN_hdr_amcast | IN_hdr_udp | IN_hdr_ipv4 | IN_hdr_inner_vlan | IN_hdr_vlan);
						if (!(valid & IN_hdr_ethernet) || s->data + 14 > end) {
							valid = x->valid & ~(IN_hdr_amcast | IN_hdr_udp | IN_hdr_ipv4 | IN_hdr_inner_vlan | IN_hdr_vlan | IN_hdr_ethernet);
							if (!(valid & IN_hdr_packet_out) || s->data + 4 > end) {
								valid = x->valid & ~(IN_hdr_amcast | IN_hdr_udp | IN_hdr_ipv4 | IN_hdr_inner_vlan | IN_hdr_vlan | IN_hdr_ethernet | IN_hdr_packet_out);
							}
						}
					}
				}
			}
		}
	}
	barrier_var(valid);
	s->valid = valid;
	s->md.role = x->md_role;
	s->md.act = x->md_act;
	s->md.proposed = x->md_proposed;
	s->md.bits_of_stale = x->md_stale;
	s->md.bits_of_late = x->md_late;
	s->md.tag = x->md_tag;
	s->md.members = x->md_members;
	s->md.count = x->md_count;
	s->md.bits_of_had = x->md_had;
	{ /* cells */
		struct r_role *row = ELEMENT_OF_ALL(r_role, 8, s->md.role);
		in_cells_with_r_role(s, row);
	}
	x->md_proposed = s->md.proposed;
	x->md_stale = s->md.bits_of_stale;
	x->md_had = s->md.bits_of_had;
	x->contention = s->contention;
	x->unicast = s->unicast;
	return 0;
}

/* Deparser of the ingress, but for the emits. */
INLINE void in_deparse(struct ingress *s)
{
	if (s->md.routed) { /* parser.p4:78 */
		{ /* parser.p4:79 */
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
	if (s->extracted & IN_hdr_amcast)
		parsed += 48;
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
	if (s->valid & IN_hdr_amcast) {
		memcpy(saved->hdr_amcast, (s->data + 42), 48);
		size += 48;
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
	if (s->valid & IN_hdr_amcast) {
		if (p + 48 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_amcast, 48);
		p += 48;
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
	EG_hdr_amcast = 0x200u,
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
	} hdr;
	struct {
		u32 want; /* bit<8> */
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

/* hdr.amcast, in the packet. */
INLINE u8 eg_hdr_amcast_kind(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld8(s->data + 42) : 0; }
INLINE void eg_set_hdr_amcast_kind(struct egress *s, u8 v)
{
	if (s->valid & EG_hdr_amcast)
		st8((s->data + 42), v);
}
INLINE u8 eg_hdr_amcast_flags(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld8((s->data + 42) + 1) : 0; }
INLINE u8 eg_hdr_amcast_from(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld8((s->data + 42) + 2) : 0; }
INLINE u8 eg_hdr_amcast_by(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld8((s->data + 42) + 3) : 0; }
INLINE u32 eg_hdr_amcast_groups(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld32((s->data + 42) + 4) : 0; }
INLINE u16 eg_hdr_amcast_client(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld16((s->data + 42) + 8) : 0; }
INLINE u8 eg_hdr_amcast_member(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld8((s->data + 42) + 10) : 0; }
INLINE u8 eg_hdr_amcast_from_slot(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ((ld8((s->data + 42) + 11) >> 4) & 0xf) : 0; }
INLINE u8 eg_hdr_amcast_by_slot(struct egress *s) { return (s->valid & EG_hdr_amcast) ? (ld8((s->data + 42) + 11) & 0xf) : 0; }
INLINE u32 eg_hdr_amcast_number(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld32((s->data + 42) + 12) : 0; }
INLINE u32 eg_hdr_amcast_epoch(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld32((s->data + 42) + 16) : 0; }
INLINE u32 eg_hdr_amcast_lts(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld32((s->data + 42) + 20) : 0; }
INLINE u32 eg_hdr_amcast_seq(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld32((s->data + 42) + 24) : 0; }
INLINE u32 eg_hdr_amcast_by_epoch(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld32((s->data + 42) + 28) : 0; }
INLINE u32 eg_hdr_amcast_clock(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld32((s->data + 42) + 32) : 0; }
INLINE u32 eg_hdr_amcast_mark(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld32((s->data + 42) + 36) : 0; }
INLINE u32 eg_hdr_amcast_digest(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld32((s->data + 42) + 40) : 0; }
INLINE u16 eg_hdr_amcast_length(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld16((s->data + 42) + 44) : 0; }
INLINE u16 eg_hdr_amcast_checksum(struct egress *s) { return (s->valid & EG_hdr_amcast) ? ld16((s->data + 42) + 46) : 0; }
INLINE void eg_set_hdr_amcast_checksum(struct egress *s, u16 v)
{
	if (s->valid & EG_hdr_amcast)
		st16((s->data + 42) + 46, v);
}

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
	u8 hdr_amcast[48];
};
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct eg_saved); }
	eg_scratch SEC(".maps"); /* headers of a packet whose layout changes */

/* action pipe.Egress.copies.to, copies.p4:20 */
INLINE void eg_to(struct egress *s, u8 p_want, u8 p_kind, u64 p_src_mac, u64 p_dst_mac, u32 p_src, u32 p_dst, u16 p_dst_port)
{
	s->md.want = p_want; /* copies.p4:22 */
	eg_set_hdr_amcast_kind(s, p_kind); /* copies.p4:23 */
	eg_set_hdr_ethernet_src(s, p_src_mac); /* copies.p4:24 */
	eg_set_hdr_ethernet_dst(s, p_dst_mac); /* copies.p4:25 */
	eg_set_hdr_ipv4_src(s, p_src); /* copies.p4:26 */
	eg_set_hdr_ipv4_dst(s, p_dst); /* copies.p4:27 */
	eg_set_hdr_udp_dst_port(s, p_dst_port); /* copies.p4:28 */
}

/* action pipe.Egress.copies.to_replica, copies.p4:32 */
INLINE void eg_to_replica(struct egress *s, u64 p_src_mac, u64 p_dst_mac, u32 p_src, u32 p_dst, u16 p_dst_port)
{
	s->md.want = BECAME_REPLICA; /* copies.p4:33 */
	eg_set_hdr_ethernet_src(s, p_src_mac); /* copies.p4:34 */
	eg_set_hdr_ethernet_dst(s, p_dst_mac); /* copies.p4:35 */
	eg_set_hdr_ipv4_src(s, p_src); /* copies.p4:36 */
	eg_set_hdr_ipv4_dst(s, p_dst); /* copies.p4:37 */
	eg_set_hdr_udp_dst_port(s, p_dst_port); /* copies.p4:38 */
}

/* action NoAction, <core.p4>:35 */
INLINE void eg_NoAction(struct egress *s)
{
	aside();
}

/* table pipe.Egress.copies.copies, copies.p4:42 */
INLINE u32 eg_copies_apply(struct egress *s)
{
	u32 key = s->eg_intr_md.egress_rid; /* copies.p4:43 */
	union value_copies *value = lookup_copies(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		eg_NoAction(s);
		return a_copies_NoAction;
	}
	u32 action = value->action - !!hit;
	switch (action) {
		case a_copies_to:
			eg_to(s, value->to.want, value->to.kind, value->to.src_mac, value->to.dst_mac, value->to.src, value->to.dst, value->to.dst_port);
			break;
		case a_copies_to_replica:
			eg_to_replica(s, value->to_replica.src_mac, value->to_replica.dst_mac, value->to_replica.src, value->to_replica.dst, value->to_replica.dst_port);
			break;
		case a_copies_NoAction:
			eg_NoAction(s);
			break;
	}
	return hit | action;
}

/* Parser of the egress: on an error, parser_error says which (TNA numbers). */
INLINE void eg_parse(struct egress *s, u8 *p, u8 *end)
{
	/* state start, parser.p4:99 */
	s->md.want = 0; /* parser.p4:102 */
	s->md.mac = 0ULL; /* parser.p4:102 */
	s->md.ip = 0; /* parser.p4:102 */
	s->md.port = 0; /* parser.p4:102 */
	{
		u8 key0 = s->hdr.bridge.became;
		if (key0 == BECAME_PLAIN)
			return; /* parser.p4:104 */
		goto state_parse_message; /* parser.p4:105 */
	}
state_parse_message:;
	/* state parse_message, parser.p4:110 */
	if (unlikely(p + 14 > end))
		goto partial; /* parser.p4:111 */
	s->valid |= EG_hdr_ethernet;
	p += 14;
	if (unlikely(p + 20 > end))
		goto partial; /* parser.p4:112 */
	s->valid |= EG_hdr_ipv4;
	p += 20;
	if (unlikely(p + 8 > end))
		goto partial; /* parser.p4:113 */
	s->valid |= EG_hdr_udp;
	p += 8;
	if (unlikely(p + 48 > end))
		goto partial; /* parser.p4:114 */
	s->valid |= EG_hdr_amcast;
	p += 48;
	return;
partial:;
	s->parser_error = 0x2;
	return;
}

/* Deparser of the egress, but for the emits. */
INLINE void eg_deparse(struct egress *s)
{
	{ /* parser.p4:127 */
		u64 sum = 0, raw = 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 0) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 4) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw16((s->data + 14) + 8) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 12) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 16) : 0;
		u16 check = ~csum_fold(sum + csum_raw(raw));
		eg_set_hdr_ipv4_checksum(s, check);
	}
	{ /* parser.p4:131 */
		u64 sum = 0, raw = 0;
		raw += (s->valid & EG_hdr_amcast) ? raw16((s->data + 42) + 0) : 0;
		raw += (s->valid & EG_hdr_amcast) ? raw16((s->data + 42) + 2) : 0;
		raw += (s->valid & EG_hdr_amcast) ? raw32((s->data + 42) + 4) : 0;
		raw += (s->valid & EG_hdr_amcast) ? raw32((s->data + 42) + 8) : 0;
		raw += (s->valid & EG_hdr_amcast) ? raw32((s->data + 42) + 12) : 0;
		raw += (s->valid & EG_hdr_amcast) ? raw32((s->data + 42) + 16) : 0;
		raw += (s->valid & EG_hdr_amcast) ? raw32((s->data + 42) + 20) : 0;
		raw += (s->valid & EG_hdr_amcast) ? raw32((s->data + 42) + 24) : 0;
		raw += (s->valid & EG_hdr_amcast) ? raw32((s->data + 42) + 28) : 0;
		raw += (s->valid & EG_hdr_amcast) ? raw32((s->data + 42) + 32) : 0;
		raw += (s->valid & EG_hdr_amcast) ? raw32((s->data + 42) + 36) : 0;
		raw += (s->valid & EG_hdr_amcast) ? raw32((s->data + 42) + 40) : 0;
		raw += (s->valid & EG_hdr_amcast) ? raw16((s->data + 42) + 44) : 0;
		u16 check = ~csum_fold(sum + csum_raw(raw));
		eg_set_hdr_amcast_checksum(s, check);
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
	if (s->extracted & EG_hdr_amcast)
		parsed += 48;
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
	if (s->valid & EG_hdr_amcast) {
		memcpy(saved->hdr_amcast, (s->data + 42), 48);
		size += 48;
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
	if (s->valid & EG_hdr_amcast) {
		if (p + 48 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_amcast, 48);
		p += 48;
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
	COUNT(c_port_rx, 512, 512, s->ig_intr_md.ingress_port, port_rx, s->length); /* amcast.p4:66 */
	if (!(s->valid & IN_hdr_bridge)) { /* amcast.p4:67 */
		s->valid |= IN_hdr_bridge;
	}
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_became(s, BECAME_PLAIN); /* amcast.p4:68 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_reason(s, REASON_NONE); /* amcast.p4:69 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_pad(s, 0); /* amcast.p4:70 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_ingress_port(s, s->ig_intr_md.ingress_port); /* amcast.p4:71 */
	if (s->ig_prsr_md.parser_err != 0) { /* amcast.p4:72 */
		aside();
		s->md.drop = DROP_MALFORMED; /* amcast.p4:73 */
	} else {
		if (!!(s->valid & IN_hdr_packet_out)) { /* amcast.p4:74 */
			s->ig_tm_md.ucast_egress_port = in_hdr_packet_out_egress_port(s); /* amcast.p4:75 */
			s->unicast = 1;
			s->valid &= ~IN_hdr_packet_out; /* amcast.p4:76 */
		} else {
			if (s->md.checksum_error) { /* amcast.p4:77 */
				aside();
				s->md.drop = DROP_IP_CHECKSUM; /* amcast.p4:78 */
			} else {
				{ /* ports */
					in_port_group_apply(s); /* ports.p4:36 */
				}
				if (!!(s->valid & IN_hdr_amcast)) { /* amcast.p4:81 */
					{ /* service */
						in_service_apply(s); /* service.p4:53 */
					}
				}
				if (s->md.at == AT_NONE) { /* amcast.p4:84 */
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
													if (!!(s->valid & IN_hdr_amcast)) { /* local.p4:9 */
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
					if (s->md.udp_checksum) { /* amcast.p4:86 */
						aside();
						s->md.drop = DROP_UDP_CHECKSUM; /* amcast.p4:87 */
					} else {
						if (s->md.header_error) { /* amcast.p4:88 */
							aside();
							s->md.drop = DROP_HEADER_CHECKSUM; /* amcast.p4:89 */
						} else {
							if (s->valid & IN_hdr_bridge)
								in_set_hdr_bridge_became(s, 0); /* amcast.p4:91 */
							{ /* peers */
								s->md.ahead = (u32)(in_hdr_amcast_number(s) - in_hdr_amcast_seq(s)); /* service.p4:339 */
								s->md.rest = (u16)(in_hdr_udp_length(s) - in_hdr_amcast_length(s)); /* service.p4:340 */
								in_sets_apply(s); /* service.p4:341 */
								if (in_hdr_amcast_kind(s) == MSG_START) { /* service.p4:342 */
									in_clients_apply(s); /* service.p4:343 */
								}
								if ((in_hdr_amcast_kind(s) != MSG_PROP) && (in_hdr_amcast_kind(s) != MSG_ACK)) { /* service.p4:345 */
									in_replicas_apply(s); /* service.p4:346 */
								}
								if (in_hdr_amcast_kind(s) == MSG_PROP) { /* service.p4:348 */
									in_proposers_apply(s); /* service.p4:349 */
								}
								if (in_hdr_amcast_kind(s) == MSG_ACK) { /* service.p4:351 */
									in_ackers_apply(s); /* service.p4:352 */
								}
								in_admission_apply(s); /* service.p4:354 */
								if (s->md.at == AT_DELIVERER) { /* service.p4:355 */
									in_from_late_apply(s); /* service.p4:356 */
									in_by_late_apply(s); /* service.p4:357 */
									in_late_apply(s); /* service.p4:358 */
								}
							}
							COUNT(c_taken, 16, 16, s->md.act, taken, s->length); /* amcast.p4:93 */
							if (s->md.act != ACT_NONE) { /* amcast.p4:94 */
								{ /* amcast.p4:95 */
									struct in_own_function x = {
										.md_role = s->md.role,
										.md_act = s->md.act,
										.md_proposed = s->md.proposed,
										.md_stale = s->md.bits_of_stale,
										.md_late = s->md.bits_of_late,
										.md_tag = s->md.tag,
										.md_members = s->md.members,
										.md_count = s->md.count,
										.md_had = s->md.bits_of_had,
										.valid = s->valid, .length = s->length,
									};
									in_own_function(ctx, &x);
									s->md.proposed = x.md_proposed;
									s->md.bits_of_stale = x.md_stale;
									s->md.bits_of_had = x.md_had;
									s->contention |= x.contention;
									s->unicast |= x.unicast;
								}
							}
						}
					}
				}
			}
		}
	}
	if (s->md.reason != REASON_NONE) { /* amcast.p4:101 */
		s->ig_tm_md.ucast_egress_port = PORT_CPU; /* amcast.p4:102 */
		s->unicast = 1;
		if (s->valid & IN_hdr_bridge)
			in_set_hdr_bridge_reason(s, s->md.reason); /* amcast.p4:103 */
		COUNT(c_punts, 16, 16, s->md.reason, punts, s->length); /* amcast.p4:104 */
	}
	if (s->md.drop != DROP_NONE) { /* amcast.p4:106 */
		COUNT(c_drops, 32, 32, s->md.drop, drops, s->length); /* amcast.p4:107 */
		if (in_hdr_bridge_became(s) == BECAME_PLAIN) { /* amcast.p4:108 */
			aside();
			s->ig_dprsr_md.drop_ctl = 1; /* amcast.p4:109 */
		}
	}
	if (in_hdr_bridge_became(s) == 0) { /* amcast.p4:113 */
		{ /* verdict */
			struct r_role *row = ELEMENT_OF_ALL(r_role, 8, s->md.role);
			in_verdict_with_r_role(s, row);
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
	if (s->hdr.bridge.became != BECAME_PLAIN) { /* amcast.p4:132 */
		{ /* copies */
			if (s->hdr.bridge.became == BECAME_ANSWER) { /* copies.p4:71 */
				{ /* back */
					s->md.mac = eg_hdr_ethernet_src(s); /* copies.p4:51 */
					s->md.ip = eg_hdr_ipv4_src(s); /* copies.p4:52 */
					s->md.port = eg_hdr_udp_src_port(s); /* copies.p4:53 */
				}
				{ /* swap */
					eg_set_hdr_ethernet_src(s, eg_hdr_ethernet_dst(s)); /* copies.p4:58 */
					eg_set_hdr_ipv4_src(s, eg_hdr_ipv4_dst(s)); /* copies.p4:59 */
					eg_set_hdr_udp_src_port(s, eg_hdr_udp_dst_port(s)); /* copies.p4:60 */
				}
				{ /* back_to */
					eg_set_hdr_ethernet_dst(s, s->md.mac); /* copies.p4:65 */
					eg_set_hdr_ipv4_dst(s, s->md.ip); /* copies.p4:66 */
					eg_set_hdr_udp_dst_port(s, s->md.port); /* copies.p4:67 */
				}
			} else {
				eg_copies_apply(s); /* copies.p4:76 */
				s->md.want = (s->md.want & s->hdr.bridge.became); /* copies.p4:77 */
				if (s->md.want == 0) { /* copies.p4:78 */
					aside();
					s->eg_dprsr_md.drop_ctl = 1; /* copies.p4:79 */
				} else {
					COUNT(c_sent, 4096, 4096, s->eg_intr_md.egress_rid, sent, s->length); /* copies.p4:81 */
				}
			}
		}
	} else {
		if (s->eg_intr_md.egress_port == PORT_CPU) { /* amcast.p4:134 */
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
	if (s->eg_dprsr_md.drop_ctl == 0) { /* amcast.p4:137 */
		COUNT(c_port_tx, 512, 512, s->eg_intr_md.egress_port, port_tx, s->length); /* amcast.p4:138 */
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
	__builtin_assume(!(s->valid & (EG_hdr_packet_in | EG_hdr_packet_out | EG_hdr_vlan | EG_hdr_inner_vlan | EG_hdr_ipv6))); /* never parsed */
	s->extracted = s->valid;
	return eg_parsed(s, ctx);
}

#include "p4xdp_main.h"
