/* Code generated from onepipe.p4 by p4xc. DO NOT EDIT. */
#include "p4xdp.h"
#include "onepipe.tables.h"

/* XDP metadata of a packet between the two programs. */
struct meta {
	struct p4_meta p4;
	struct {
		u8 path;
		u8 pad_ingress_port[2]; /* bit<7> pad, bit<9> ingress_port */
		u8 reason[2]; /* bit<16> reason */
		u8 below[4]; /* bit<32> below */
		u8 all[4]; /* bit<32> all */
		u8 order[4]; /* bit<32> order */
		u8 commit_below[4]; /* bit<32> commit_below */
		u8 commit_all[4]; /* bit<32> commit_all */
		u8 commit_order[4]; /* bit<32> commit_order */
	} bridge __attribute__((aligned(8))); /* bridge_h */
};
_Static_assert(sizeof(struct meta) == 48, "size of the metadata");

/* Constants of the program. */
#define DROP_FOREIGN_SOURCE 0xf
#define DROP_HEADER_CHECKSUM 3
#define DROP_IP_CHECKSUM 2
#define DROP_JOINING 6
#define DROP_MALFORMED 1
#define DROP_NONE 0
#define DROP_OWN_ADDRESS 4
#define DROP_PORT_FAMILY 0xe
#define DROP_TO_SWITCH 0xc
#define DROP_UDP_CHECKSUM 0xb
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
#define FLAG_UNSTAMPED 8
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
#define LINK_NONE 0
#define METER_RED 3
#define OP_BEACON 0
#define OUTPUTS_GROUP 1
#define OUTPUT_DOWN 2
#define OUTPUT_NONE 0
#define OUTPUT_UP 1
#define PATH_BEACON 2
#define PATH_MESSAGE 1
#define PATH_PLAIN 0
#define PLACE_NONE 7
#define PORT_CPU 0x40
#define PORT_ONEPIPE 0x8860
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
	IN_hdr_onepipe = 0x200u,
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
		u32 link; /* bit<2> */
		u32 group; /* bit<4> */
		u32 place; /* bit<3> */
		u32 branch; /* bit<3> */
		u32 counted; /* bit<4> */
		u32 commit_counted; /* bit<4> */
		u32 branches; /* bit<4> */
		u32 commit_branches; /* bit<4> */
		union {
			u32 bits_of_settled;
			struct {
				u32 process : 1;
				u32 bridged : 1;
				u32 settled : 1;
			};
		};
		u32 time; /* bit<32> */
		u32 said; /* bit<32> */
		u32 commit_said; /* bit<32> */
		u32 early; /* bit<32> */
		u32 commit_early; /* bit<32> */
		u32 over; /* bit<32> */
		union {
			u32 bits_of_raised;
			struct {
				u32 commit_all_rose : 1;
				u32 commit_below_rose : 1;
				u32 all_rose : 1;
				u32 below_rose : 1;
				u32 commit_raised : 1;
				u32 raised : 1;
			};
		};
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
		u32 reg; /* bit<32> */
		u32 reg_1; /* bit<32> */
		u32 reg_2; /* bit<32> */
		u32 reg_3; /* bit<32> */
		u32 reg_4; /* bit<32> */
		u32 reg_5; /* bit<32> */
		u32 reg_6; /* bit<32> */
		u32 reg_7; /* bit<32> */
		u32 reg_8; /* bit<32> */
		u32 reg_9; /* bit<32> */
		u32 reg_10; /* bit<32> */
		u32 reg_11; /* bit<32> */
		u32 reg_12; /* bit<32> */
		u32 reg_13; /* bit<32> */
		u32 reg_14; /* bit<32> */
		u32 reg_15; /* bit<32> */
		u32 reg_16; /* bit<32> */
		u32 reg_17; /* bit<32> */
		u32 reg_18; /* bit<32> */
		u32 reg_19; /* bit<32> */
		u32 reg_20; /* bit<32> */
		u32 reg_21; /* bit<32> */
		u32 reg_22; /* bit<32> */
		u32 reg_23; /* bit<32> */
	} tmp;
	struct {
		u32 ahead0; /* int<32> */
		u32 ahead1; /* int<32> */
		u32 ahead2; /* int<32> */
		u32 ahead3; /* int<32> */
		u32 lead0; /* int<32> */
		u32 lead1; /* int<32> */
		u32 lead2; /* int<32> */
		u32 lead3; /* int<32> */
		union {
			u32 bits_of_raised0;
			struct {
				u32 raised3 : 1;
				u32 raised2 : 1;
				u32 raised1 : 1;
				u32 raised0 : 1;
			};
		};
		u32 first; /* bit<32> */
		u32 second; /* bit<32> */
		u32 order; /* bit<32> */
		u32 least; /* bit<32> */
	} best_effort;
	struct {
		u32 ahead0; /* int<32> */
		u32 ahead1; /* int<32> */
		u32 ahead2; /* int<32> */
		u32 ahead3; /* int<32> */
		u32 lead0; /* int<32> */
		u32 lead1; /* int<32> */
		u32 lead2; /* int<32> */
		u32 lead3; /* int<32> */
		union {
			u32 bits_of_raised0;
			struct {
				u32 raised3 : 1;
				u32 raised2 : 1;
				u32 raised1 : 1;
				u32 raised0 : 1;
			};
		};
		u32 first; /* bit<32> */
		u32 second; /* bit<32> */
		u32 order; /* bit<32> */
		u32 least; /* bit<32> */
	} commit;
	struct r_group *r_group; /* the row that the packet looks at, or 0 */
	u64 time;        /* ns; see in_now() */
	u32 length;      /* of the frame, in bytes */
	u16 parser_error;
	u8 contention;   /* a register could not be changed */
	u8 unicast;      /* ucast_egress_port was written */
};

/* hdr.bridge, in the metadata. */
INLINE u32 in_hdr_bridge_path(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? s->m->bridge.path : 0; }
INLINE void in_set_hdr_bridge_path(struct ingress *s, u32 v) { s->m->bridge.path = v; }
INLINE u32 in_hdr_bridge_pad(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ((ld8(s->m->bridge.pad_ingress_port) >> 1) & 0x7f) : 0; }
INLINE void in_set_hdr_bridge_pad(struct ingress *s, u32 v) { st8(s->m->bridge.pad_ingress_port, (ld8(s->m->bridge.pad_ingress_port) & ~((u64)0x7f << 1)) | (u64)v << 1); }
INLINE u32 in_hdr_bridge_ingress_port(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? (ld16(s->m->bridge.pad_ingress_port) & 0x1ff) : 0; }
INLINE void in_set_hdr_bridge_ingress_port(struct ingress *s, u32 v) { st16(s->m->bridge.pad_ingress_port, (ld16(s->m->bridge.pad_ingress_port) & ~((u64)0x1ff << 0)) | (u64)v << 0); }
INLINE u32 in_hdr_bridge_reason(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ld16(s->m->bridge.reason) : 0; }
INLINE void in_set_hdr_bridge_reason(struct ingress *s, u32 v) { st16(s->m->bridge.reason, v); }
INLINE u32 in_hdr_bridge_below(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ld32(s->m->bridge.below) : 0; }
INLINE void in_set_hdr_bridge_below(struct ingress *s, u32 v) { st32(s->m->bridge.below, v); }
INLINE u32 in_hdr_bridge_all(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ld32(s->m->bridge.all) : 0; }
INLINE void in_set_hdr_bridge_all(struct ingress *s, u32 v) { st32(s->m->bridge.all, v); }
INLINE u32 in_hdr_bridge_order(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ld32(s->m->bridge.order) : 0; }
INLINE void in_set_hdr_bridge_order(struct ingress *s, u32 v) { st32(s->m->bridge.order, v); }
INLINE u32 in_hdr_bridge_commit_below(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ld32(s->m->bridge.commit_below) : 0; }
INLINE void in_set_hdr_bridge_commit_below(struct ingress *s, u32 v) { st32(s->m->bridge.commit_below, v); }
INLINE u32 in_hdr_bridge_commit_all(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ld32(s->m->bridge.commit_all) : 0; }
INLINE void in_set_hdr_bridge_commit_all(struct ingress *s, u32 v) { st32(s->m->bridge.commit_all, v); }
INLINE u32 in_hdr_bridge_commit_order(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ld32(s->m->bridge.commit_order) : 0; }
INLINE void in_set_hdr_bridge_commit_order(struct ingress *s, u32 v) { st32(s->m->bridge.commit_order, v); }

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

/* hdr.onepipe, in the packet. */
INLINE u64 in_hdr_onepipe_timestamp(struct ingress *s) { return (s->valid & IN_hdr_onepipe) ? ld48(s->data + 42) : 0; }
INLINE u32 in_hdr_onepipe_barrier(struct ingress *s) { return (s->valid & IN_hdr_onepipe) ? ld32((s->data + 42) + 6) : 0; }
INLINE u32 in_hdr_onepipe_commit(struct ingress *s) { return (s->valid & IN_hdr_onepipe) ? ld32((s->data + 42) + 10) : 0; }
INLINE u8 in_hdr_onepipe_opcode(struct ingress *s) { return (s->valid & IN_hdr_onepipe) ? ((ld8((s->data + 42) + 14) >> 4) & 0xf) : 0; }
INLINE u8 in_hdr_onepipe_flags(struct ingress *s) { return (s->valid & IN_hdr_onepipe) ? (ld8((s->data + 42) + 14) & 0xf) : 0; }
INLINE u32 in_hdr_onepipe_psn(struct ingress *s) { return (s->valid & IN_hdr_onepipe) ? ld24((s->data + 42) + 15) : 0; }
INLINE u16 in_hdr_onepipe_src(struct ingress *s) { return (s->valid & IN_hdr_onepipe) ? ld16((s->data + 42) + 18) : 0; }
INLINE u16 in_hdr_onepipe_dst(struct ingress *s) { return (s->valid & IN_hdr_onepipe) ? ld16((s->data + 42) + 20) : 0; }
INLINE u16 in_hdr_onepipe_checksum(struct ingress *s) { return (s->valid & IN_hdr_onepipe) ? ld16((s->data + 42) + 22) : 0; }

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
	u8 hdr_onepipe[24];
};
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct in_saved); }
	in_scratch SEC(".maps"); /* headers of a packet whose layout changes */

GLOBAL u64 in_again_best_effort_link0_link0_raise(u32 index, u32 in0 /* md.said */)
{
	struct r_group *row = ELEMENT(r_group, 4, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link0;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:155 */
			p_held = in0; /* tree.p4:155 */
			p_higher = 1; /* tree.p4:155 */
		} else {
			p_higher = 0; /* tree.p4:155 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.link0_raise on pipe.Ingress.best_effort.link0, tree.p4:155 */
INLINE u32 in_best_effort_link0_link0_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link0;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - s->md.said) < (s32)0) { /* tree.p4:155 */
		p_held = s->md.said; /* tree.p4:155 */
		p_higher = 1; /* tree.p4:155 */
	} else {
		p_higher = 0; /* tree.p4:155 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_best_effort_link0_link0_raise(index, s->md.said);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.best_effort.link0_ahead on pipe.Ingress.best_effort.link0, tree.p4:155 */
INLINE u32 in_best_effort_link0_link0_ahead(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link0;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->md.said); /* tree.p4:155 */
	return p_by;
}

GLOBAL u64 in_again_best_effort_link1_link1_raise(u32 index, u32 in0 /* md.said */)
{
	struct r_group *row = ELEMENT(r_group, 4, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link1;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:156 */
			p_held = in0; /* tree.p4:156 */
			p_higher = 1; /* tree.p4:156 */
		} else {
			p_higher = 0; /* tree.p4:156 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.link1_raise on pipe.Ingress.best_effort.link1, tree.p4:156 */
INLINE u32 in_best_effort_link1_link1_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link1;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - s->md.said) < (s32)0) { /* tree.p4:156 */
		p_held = s->md.said; /* tree.p4:156 */
		p_higher = 1; /* tree.p4:156 */
	} else {
		p_higher = 0; /* tree.p4:156 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_best_effort_link1_link1_raise(index, s->md.said);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.best_effort.link1_ahead on pipe.Ingress.best_effort.link1, tree.p4:156 */
INLINE u32 in_best_effort_link1_link1_ahead(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link1;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->md.said); /* tree.p4:156 */
	return p_by;
}

GLOBAL u64 in_again_best_effort_link2_link2_raise(u32 index, u32 in0 /* md.said */)
{
	struct r_group *row = ELEMENT(r_group, 4, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link2;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:157 */
			p_held = in0; /* tree.p4:157 */
			p_higher = 1; /* tree.p4:157 */
		} else {
			p_higher = 0; /* tree.p4:157 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.link2_raise on pipe.Ingress.best_effort.link2, tree.p4:157 */
INLINE u32 in_best_effort_link2_link2_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - s->md.said) < (s32)0) { /* tree.p4:157 */
		p_held = s->md.said; /* tree.p4:157 */
		p_higher = 1; /* tree.p4:157 */
	} else {
		p_higher = 0; /* tree.p4:157 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_best_effort_link2_link2_raise(index, s->md.said);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.best_effort.link2_ahead on pipe.Ingress.best_effort.link2, tree.p4:157 */
INLINE u32 in_best_effort_link2_link2_ahead(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->md.said); /* tree.p4:157 */
	return p_by;
}

GLOBAL u64 in_again_best_effort_link3_link3_raise(u32 index, u32 in0 /* md.said */)
{
	struct r_group *row = ELEMENT(r_group, 4, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link3;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:158 */
			p_held = in0; /* tree.p4:158 */
			p_higher = 1; /* tree.p4:158 */
		} else {
			p_higher = 0; /* tree.p4:158 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.link3_raise on pipe.Ingress.best_effort.link3, tree.p4:158 */
INLINE u32 in_best_effort_link3_link3_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link3;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - s->md.said) < (s32)0) { /* tree.p4:158 */
		p_held = s->md.said; /* tree.p4:158 */
		p_higher = 1; /* tree.p4:158 */
	} else {
		p_higher = 0; /* tree.p4:158 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_best_effort_link3_link3_raise(index, s->md.said);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.best_effort.link3_ahead on pipe.Ingress.best_effort.link3, tree.p4:158 */
INLINE u32 in_best_effort_link3_link3_ahead(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link3;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->md.said); /* tree.p4:158 */
	return p_by;
}

GLOBAL u64 in_again_best_effort_branch0_branch0_first(u32 index, u32 in0 /* best_effort.first */)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch0;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:159 */
			p_held = in0; /* tree.p4:159 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.branch0_first on pipe.Ingress.best_effort.branch0, tree.p4:159 */
INLINE u32 in_best_effort_branch0_branch0_first(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch0;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->best_effort.first) < (s32)0) { /* tree.p4:159 */
		p_held = s->best_effort.first; /* tree.p4:159 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_best_effort_branch0_branch0_first(index, s->best_effort.first);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_best_effort_branch0_branch0_second(u32 index, u32 in0 /* best_effort.second */)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch0;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:159 */
			p_held = in0; /* tree.p4:159 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.branch0_second on pipe.Ingress.best_effort.branch0, tree.p4:159 */
INLINE u32 in_best_effort_branch0_branch0_second(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch0;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->best_effort.second) < (s32)0) { /* tree.p4:159 */
		p_held = s->best_effort.second; /* tree.p4:159 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_best_effort_branch0_branch0_second(index, s->best_effort.second);
	s->contention |= repeated_ >> 63;
	return 0;
}

/* register action pipe.Ingress.best_effort.branch0_ahead_first on pipe.Ingress.best_effort.branch0, tree.p4:159 */
INLINE u32 in_best_effort_branch0_branch0_ahead_first(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch0;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->best_effort.first); /* tree.p4:159 */
	return p_by;
}

/* register action pipe.Ingress.best_effort.branch0_ahead_second on pipe.Ingress.best_effort.branch0, tree.p4:159 */
INLINE u32 in_best_effort_branch0_branch0_ahead_second(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch0;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->best_effort.second); /* tree.p4:159 */
	return p_by;
}

GLOBAL u64 in_again_best_effort_branch1_branch1_first(u32 index, u32 in0 /* best_effort.first */)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch1;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:160 */
			p_held = in0; /* tree.p4:160 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.branch1_first on pipe.Ingress.best_effort.branch1, tree.p4:160 */
INLINE u32 in_best_effort_branch1_branch1_first(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch1;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->best_effort.first) < (s32)0) { /* tree.p4:160 */
		p_held = s->best_effort.first; /* tree.p4:160 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_best_effort_branch1_branch1_first(index, s->best_effort.first);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_best_effort_branch1_branch1_second(u32 index, u32 in0 /* best_effort.second */)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch1;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:160 */
			p_held = in0; /* tree.p4:160 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.branch1_second on pipe.Ingress.best_effort.branch1, tree.p4:160 */
INLINE u32 in_best_effort_branch1_branch1_second(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch1;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->best_effort.second) < (s32)0) { /* tree.p4:160 */
		p_held = s->best_effort.second; /* tree.p4:160 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_best_effort_branch1_branch1_second(index, s->best_effort.second);
	s->contention |= repeated_ >> 63;
	return 0;
}

/* register action pipe.Ingress.best_effort.branch1_ahead_first on pipe.Ingress.best_effort.branch1, tree.p4:160 */
INLINE u32 in_best_effort_branch1_branch1_ahead_first(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch1;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->best_effort.first); /* tree.p4:160 */
	return p_by;
}

/* register action pipe.Ingress.best_effort.branch1_ahead_second on pipe.Ingress.best_effort.branch1, tree.p4:160 */
INLINE u32 in_best_effort_branch1_branch1_ahead_second(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch1;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->best_effort.second); /* tree.p4:160 */
	return p_by;
}

GLOBAL u64 in_again_best_effort_branch2_branch2_first(u32 index, u32 in0 /* best_effort.first */)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch2;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:161 */
			p_held = in0; /* tree.p4:161 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.branch2_first on pipe.Ingress.best_effort.branch2, tree.p4:161 */
INLINE u32 in_best_effort_branch2_branch2_first(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->best_effort.first) < (s32)0) { /* tree.p4:161 */
		p_held = s->best_effort.first; /* tree.p4:161 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_best_effort_branch2_branch2_first(index, s->best_effort.first);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_best_effort_branch2_branch2_second(u32 index, u32 in0 /* best_effort.second */)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch2;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:161 */
			p_held = in0; /* tree.p4:161 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.branch2_second on pipe.Ingress.best_effort.branch2, tree.p4:161 */
INLINE u32 in_best_effort_branch2_branch2_second(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->best_effort.second) < (s32)0) { /* tree.p4:161 */
		p_held = s->best_effort.second; /* tree.p4:161 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_best_effort_branch2_branch2_second(index, s->best_effort.second);
	s->contention |= repeated_ >> 63;
	return 0;
}

/* register action pipe.Ingress.best_effort.branch2_ahead_first on pipe.Ingress.best_effort.branch2, tree.p4:161 */
INLINE u32 in_best_effort_branch2_branch2_ahead_first(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->best_effort.first); /* tree.p4:161 */
	return p_by;
}

/* register action pipe.Ingress.best_effort.branch2_ahead_second on pipe.Ingress.best_effort.branch2, tree.p4:161 */
INLINE u32 in_best_effort_branch2_branch2_ahead_second(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->best_effort.second); /* tree.p4:161 */
	return p_by;
}

GLOBAL u64 in_again_best_effort_branch3_branch3_first(u32 index, u32 in0 /* best_effort.first */)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch3;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:162 */
			p_held = in0; /* tree.p4:162 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.branch3_first on pipe.Ingress.best_effort.branch3, tree.p4:162 */
INLINE u32 in_best_effort_branch3_branch3_first(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch3;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->best_effort.first) < (s32)0) { /* tree.p4:162 */
		p_held = s->best_effort.first; /* tree.p4:162 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_best_effort_branch3_branch3_first(index, s->best_effort.first);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_best_effort_branch3_branch3_second(u32 index, u32 in0 /* best_effort.second */)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch3;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:162 */
			p_held = in0; /* tree.p4:162 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.branch3_second on pipe.Ingress.best_effort.branch3, tree.p4:162 */
INLINE u32 in_best_effort_branch3_branch3_second(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch3;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->best_effort.second) < (s32)0) { /* tree.p4:162 */
		p_held = s->best_effort.second; /* tree.p4:162 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_best_effort_branch3_branch3_second(index, s->best_effort.second);
	s->contention |= repeated_ >> 63;
	return 0;
}

/* register action pipe.Ingress.best_effort.branch3_ahead_first on pipe.Ingress.best_effort.branch3, tree.p4:162 */
INLINE u32 in_best_effort_branch3_branch3_ahead_first(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch3;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->best_effort.first); /* tree.p4:162 */
	return p_by;
}

/* register action pipe.Ingress.best_effort.branch3_ahead_second on pipe.Ingress.best_effort.branch3, tree.p4:162 */
INLINE u32 in_best_effort_branch3_branch3_ahead_second(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch3;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->best_effort.second); /* tree.p4:162 */
	return p_by;
}

GLOBAL u64 in_again_best_effort_promise_below_below_raise(u32 index, u32 in0 /* hdr.bridge.below */)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->promise_below;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:167 */
			p_held = in0; /* tree.p4:168 */
			p_higher = 1; /* tree.p4:169 */
		} else {
			p_higher = 0; /* tree.p4:171 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.below_raise on pipe.Ingress.best_effort.promise_below, tree.p4:165 */
INLINE u32 in_best_effort_promise_below_below_raise(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->promise_below;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - in_hdr_bridge_below(s)) < (s32)0) { /* tree.p4:167 */
		p_held = in_hdr_bridge_below(s); /* tree.p4:168 */
		p_higher = 1; /* tree.p4:169 */
	} else {
		p_higher = 0; /* tree.p4:171 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_best_effort_promise_below_below_raise(index, in_hdr_bridge_below(s));
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

GLOBAL u64 in_again_best_effort_promise_all_all_raise_below(u32 index, u32 in0 /* hdr.bridge.below */)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->promise_all;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:179 */
			p_held = in0; /* tree.p4:180 */
			p_higher = 1; /* tree.p4:181 */
		} else {
			p_higher = 0; /* tree.p4:183 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.all_raise_below on pipe.Ingress.best_effort.promise_all, tree.p4:177 */
INLINE u32 in_best_effort_promise_all_all_raise_below(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->promise_all;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - in_hdr_bridge_below(s)) < (s32)0) { /* tree.p4:179 */
		p_held = in_hdr_bridge_below(s); /* tree.p4:180 */
		p_higher = 1; /* tree.p4:181 */
	} else {
		p_higher = 0; /* tree.p4:183 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_best_effort_promise_all_all_raise_below(index, in_hdr_bridge_below(s));
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

GLOBAL u64 in_again_best_effort_promise_all_all_raise_above(u32 index, u32 in0 /* hdr.bridge.all */)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->promise_all;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:189 */
			p_held = in0; /* tree.p4:190 */
			p_higher = 1; /* tree.p4:191 */
		} else {
			p_higher = 0; /* tree.p4:193 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.best_effort.all_raise_above on pipe.Ingress.best_effort.promise_all, tree.p4:187 */
INLINE u32 in_best_effort_promise_all_all_raise_above(struct ingress *s, u32 index)
{
	struct r_Ingress_best_effort_of_1 *row = ELEMENT(r_Ingress_best_effort_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->promise_all;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - in_hdr_bridge_all(s)) < (s32)0) { /* tree.p4:189 */
		p_held = in_hdr_bridge_all(s); /* tree.p4:190 */
		p_higher = 1; /* tree.p4:191 */
	} else {
		p_higher = 0; /* tree.p4:193 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_best_effort_promise_all_all_raise_above(index, in_hdr_bridge_all(s));
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

GLOBAL u64 in_again_commit_link0_link0_raise(u32 index, u32 in0 /* md.commit_said */)
{
	struct r_group *row = ELEMENT(r_group, 4, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link0_2;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:155 */
			p_held = in0; /* tree.p4:155 */
			p_higher = 1; /* tree.p4:155 */
		} else {
			p_higher = 0; /* tree.p4:155 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.link0_raise on pipe.Ingress.commit.link0, tree.p4:155 */
INLINE u32 in_commit_link0_link0_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link0_2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - s->md.commit_said) < (s32)0) { /* tree.p4:155 */
		p_held = s->md.commit_said; /* tree.p4:155 */
		p_higher = 1; /* tree.p4:155 */
	} else {
		p_higher = 0; /* tree.p4:155 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_commit_link0_link0_raise(index, s->md.commit_said);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.commit.link0_ahead on pipe.Ingress.commit.link0, tree.p4:155 */
INLINE u32 in_commit_link0_link0_ahead(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link0_2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->md.commit_said); /* tree.p4:155 */
	return p_by;
}

GLOBAL u64 in_again_commit_link1_link1_raise(u32 index, u32 in0 /* md.commit_said */)
{
	struct r_group *row = ELEMENT(r_group, 4, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link1_2;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:156 */
			p_held = in0; /* tree.p4:156 */
			p_higher = 1; /* tree.p4:156 */
		} else {
			p_higher = 0; /* tree.p4:156 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.link1_raise on pipe.Ingress.commit.link1, tree.p4:156 */
INLINE u32 in_commit_link1_link1_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link1_2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - s->md.commit_said) < (s32)0) { /* tree.p4:156 */
		p_held = s->md.commit_said; /* tree.p4:156 */
		p_higher = 1; /* tree.p4:156 */
	} else {
		p_higher = 0; /* tree.p4:156 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_commit_link1_link1_raise(index, s->md.commit_said);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.commit.link1_ahead on pipe.Ingress.commit.link1, tree.p4:156 */
INLINE u32 in_commit_link1_link1_ahead(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link1_2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->md.commit_said); /* tree.p4:156 */
	return p_by;
}

GLOBAL u64 in_again_commit_link2_link2_raise(u32 index, u32 in0 /* md.commit_said */)
{
	struct r_group *row = ELEMENT(r_group, 4, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link2_2;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:157 */
			p_held = in0; /* tree.p4:157 */
			p_higher = 1; /* tree.p4:157 */
		} else {
			p_higher = 0; /* tree.p4:157 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.link2_raise on pipe.Ingress.commit.link2, tree.p4:157 */
INLINE u32 in_commit_link2_link2_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link2_2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - s->md.commit_said) < (s32)0) { /* tree.p4:157 */
		p_held = s->md.commit_said; /* tree.p4:157 */
		p_higher = 1; /* tree.p4:157 */
	} else {
		p_higher = 0; /* tree.p4:157 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_commit_link2_link2_raise(index, s->md.commit_said);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.commit.link2_ahead on pipe.Ingress.commit.link2, tree.p4:157 */
INLINE u32 in_commit_link2_link2_ahead(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link2_2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->md.commit_said); /* tree.p4:157 */
	return p_by;
}

GLOBAL u64 in_again_commit_link3_link3_raise(u32 index, u32 in0 /* md.commit_said */)
{
	struct r_group *row = ELEMENT(r_group, 4, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link3_2;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:158 */
			p_held = in0; /* tree.p4:158 */
			p_higher = 1; /* tree.p4:158 */
		} else {
			p_higher = 0; /* tree.p4:158 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.link3_raise on pipe.Ingress.commit.link3, tree.p4:158 */
INLINE u32 in_commit_link3_link3_raise(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link3_2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - s->md.commit_said) < (s32)0) { /* tree.p4:158 */
		p_held = s->md.commit_said; /* tree.p4:158 */
		p_higher = 1; /* tree.p4:158 */
	} else {
		p_higher = 0; /* tree.p4:158 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_commit_link3_link3_raise(index, s->md.commit_said);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.commit.link3_ahead on pipe.Ingress.commit.link3, tree.p4:158 */
INLINE u32 in_commit_link3_link3_ahead(struct ingress *s, u32 index)
{
	struct r_group *row = s->r_group;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->link3_2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->md.commit_said); /* tree.p4:158 */
	return p_by;
}

GLOBAL u64 in_again_commit_branch0_branch0_first(u32 index, u32 in0 /* commit.first */)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch0;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:159 */
			p_held = in0; /* tree.p4:159 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.branch0_first on pipe.Ingress.commit.branch0, tree.p4:159 */
INLINE u32 in_commit_branch0_branch0_first(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch0;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->commit.first) < (s32)0) { /* tree.p4:159 */
		p_held = s->commit.first; /* tree.p4:159 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_commit_branch0_branch0_first(index, s->commit.first);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_commit_branch0_branch0_second(u32 index, u32 in0 /* commit.second */)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch0;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:159 */
			p_held = in0; /* tree.p4:159 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.branch0_second on pipe.Ingress.commit.branch0, tree.p4:159 */
INLINE u32 in_commit_branch0_branch0_second(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch0;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->commit.second) < (s32)0) { /* tree.p4:159 */
		p_held = s->commit.second; /* tree.p4:159 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_commit_branch0_branch0_second(index, s->commit.second);
	s->contention |= repeated_ >> 63;
	return 0;
}

/* register action pipe.Ingress.commit.branch0_ahead_first on pipe.Ingress.commit.branch0, tree.p4:159 */
INLINE u32 in_commit_branch0_branch0_ahead_first(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch0;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->commit.first); /* tree.p4:159 */
	return p_by;
}

/* register action pipe.Ingress.commit.branch0_ahead_second on pipe.Ingress.commit.branch0, tree.p4:159 */
INLINE u32 in_commit_branch0_branch0_ahead_second(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch0;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->commit.second); /* tree.p4:159 */
	return p_by;
}

GLOBAL u64 in_again_commit_branch1_branch1_first(u32 index, u32 in0 /* commit.first */)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch1;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:160 */
			p_held = in0; /* tree.p4:160 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.branch1_first on pipe.Ingress.commit.branch1, tree.p4:160 */
INLINE u32 in_commit_branch1_branch1_first(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch1;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->commit.first) < (s32)0) { /* tree.p4:160 */
		p_held = s->commit.first; /* tree.p4:160 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_commit_branch1_branch1_first(index, s->commit.first);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_commit_branch1_branch1_second(u32 index, u32 in0 /* commit.second */)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch1;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:160 */
			p_held = in0; /* tree.p4:160 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.branch1_second on pipe.Ingress.commit.branch1, tree.p4:160 */
INLINE u32 in_commit_branch1_branch1_second(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch1;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->commit.second) < (s32)0) { /* tree.p4:160 */
		p_held = s->commit.second; /* tree.p4:160 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_commit_branch1_branch1_second(index, s->commit.second);
	s->contention |= repeated_ >> 63;
	return 0;
}

/* register action pipe.Ingress.commit.branch1_ahead_first on pipe.Ingress.commit.branch1, tree.p4:160 */
INLINE u32 in_commit_branch1_branch1_ahead_first(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch1;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->commit.first); /* tree.p4:160 */
	return p_by;
}

/* register action pipe.Ingress.commit.branch1_ahead_second on pipe.Ingress.commit.branch1, tree.p4:160 */
INLINE u32 in_commit_branch1_branch1_ahead_second(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch1;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->commit.second); /* tree.p4:160 */
	return p_by;
}

GLOBAL u64 in_again_commit_branch2_branch2_first(u32 index, u32 in0 /* commit.first */)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch2;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:161 */
			p_held = in0; /* tree.p4:161 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.branch2_first on pipe.Ingress.commit.branch2, tree.p4:161 */
INLINE u32 in_commit_branch2_branch2_first(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->commit.first) < (s32)0) { /* tree.p4:161 */
		p_held = s->commit.first; /* tree.p4:161 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_commit_branch2_branch2_first(index, s->commit.first);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_commit_branch2_branch2_second(u32 index, u32 in0 /* commit.second */)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch2;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:161 */
			p_held = in0; /* tree.p4:161 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.branch2_second on pipe.Ingress.commit.branch2, tree.p4:161 */
INLINE u32 in_commit_branch2_branch2_second(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->commit.second) < (s32)0) { /* tree.p4:161 */
		p_held = s->commit.second; /* tree.p4:161 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_commit_branch2_branch2_second(index, s->commit.second);
	s->contention |= repeated_ >> 63;
	return 0;
}

/* register action pipe.Ingress.commit.branch2_ahead_first on pipe.Ingress.commit.branch2, tree.p4:161 */
INLINE u32 in_commit_branch2_branch2_ahead_first(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->commit.first); /* tree.p4:161 */
	return p_by;
}

/* register action pipe.Ingress.commit.branch2_ahead_second on pipe.Ingress.commit.branch2, tree.p4:161 */
INLINE u32 in_commit_branch2_branch2_ahead_second(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->commit.second); /* tree.p4:161 */
	return p_by;
}

GLOBAL u64 in_again_commit_branch3_branch3_first(u32 index, u32 in0 /* commit.first */)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch3;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:162 */
			p_held = in0; /* tree.p4:162 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.branch3_first on pipe.Ingress.commit.branch3, tree.p4:162 */
INLINE u32 in_commit_branch3_branch3_first(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch3;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->commit.first) < (s32)0) { /* tree.p4:162 */
		p_held = s->commit.first; /* tree.p4:162 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_commit_branch3_branch3_first(index, s->commit.first);
	s->contention |= repeated_ >> 63;
	return 0;
}

GLOBAL u64 in_again_commit_branch3_branch3_second(u32 index, u32 in0 /* commit.second */)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch3;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:162 */
			p_held = in0; /* tree.p4:162 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.branch3_second on pipe.Ingress.commit.branch3, tree.p4:162 */
INLINE u32 in_commit_branch3_branch3_second(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch3;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	if ((s32)(u32)(p_held - s->commit.second) < (s32)0) { /* tree.p4:162 */
		p_held = s->commit.second; /* tree.p4:162 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return 0;
	u64 repeated_ = in_again_commit_branch3_branch3_second(index, s->commit.second);
	s->contention |= repeated_ >> 63;
	return 0;
}

/* register action pipe.Ingress.commit.branch3_ahead_first on pipe.Ingress.commit.branch3, tree.p4:162 */
INLINE u32 in_commit_branch3_branch3_ahead_first(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch3;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->commit.first); /* tree.p4:162 */
	return p_by;
}

/* register action pipe.Ingress.commit.branch3_ahead_second on pipe.Ingress.commit.branch3, tree.p4:162 */
INLINE u32 in_commit_branch3_branch3_ahead_second(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->branch3;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_by = 0;
	p_by = (u32)(p_held - s->commit.second); /* tree.p4:162 */
	return p_by;
}

GLOBAL u64 in_again_commit_promise_below_below_raise(u32 index, u32 in0 /* hdr.bridge.commit_below */)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->promise_below;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:167 */
			p_held = in0; /* tree.p4:168 */
			p_higher = 1; /* tree.p4:169 */
		} else {
			p_higher = 0; /* tree.p4:171 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.below_raise on pipe.Ingress.commit.promise_below, tree.p4:165 */
INLINE u32 in_commit_promise_below_below_raise(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->promise_below;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - in_hdr_bridge_commit_below(s)) < (s32)0) { /* tree.p4:167 */
		p_held = in_hdr_bridge_commit_below(s); /* tree.p4:168 */
		p_higher = 1; /* tree.p4:169 */
	} else {
		p_higher = 0; /* tree.p4:171 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_commit_promise_below_below_raise(index, in_hdr_bridge_commit_below(s));
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

GLOBAL u64 in_again_commit_promise_all_all_raise_below(u32 index, u32 in0 /* hdr.bridge.commit_below */)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->promise_all;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:179 */
			p_held = in0; /* tree.p4:180 */
			p_higher = 1; /* tree.p4:181 */
		} else {
			p_higher = 0; /* tree.p4:183 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.all_raise_below on pipe.Ingress.commit.promise_all, tree.p4:177 */
INLINE u32 in_commit_promise_all_all_raise_below(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->promise_all;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - in_hdr_bridge_commit_below(s)) < (s32)0) { /* tree.p4:179 */
		p_held = in_hdr_bridge_commit_below(s); /* tree.p4:180 */
		p_higher = 1; /* tree.p4:181 */
	} else {
		p_higher = 0; /* tree.p4:183 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_commit_promise_all_all_raise_below(index, in_hdr_bridge_commit_below(s));
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

GLOBAL u64 in_again_commit_promise_all_all_raise_above(u32 index, u32 in0 /* hdr.bridge.commit_all */)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->promise_all;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* tree.p4:189 */
			p_held = in0; /* tree.p4:190 */
			p_higher = 1; /* tree.p4:191 */
		} else {
			p_higher = 0; /* tree.p4:193 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.commit.all_raise_above on pipe.Ingress.commit.promise_all, tree.p4:187 */
INLINE u32 in_commit_promise_all_all_raise_above(struct ingress *s, u32 index)
{
	struct r_Ingress_commit_of_1 *row = ELEMENT(r_Ingress_commit_of_1, 1, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->promise_all;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - in_hdr_bridge_commit_all(s)) < (s32)0) { /* tree.p4:189 */
		p_held = in_hdr_bridge_commit_all(s); /* tree.p4:190 */
		p_higher = 1; /* tree.p4:191 */
	} else {
		p_higher = 0; /* tree.p4:193 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = in_again_commit_promise_all_all_raise_above(index, in_hdr_bridge_commit_all(s));
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

/* action pipe.Ingress.link.input, link.p4:28 */
INLINE void in_input(struct ingress *s, u8 p_link, u8 p_group, u8 p_place)
{
	s->md.link = p_link; /* link.p4:29 */
	s->md.group = p_group; /* link.p4:30 */
	s->md.place = p_place; /* link.p4:31 */
}

/* action NoAction, <core.p4>:35 */
INLINE void in_NoAction(struct ingress *s)
{
	aside();
}

/* action pipe.Ingress.link.counts, link.p4:43 */
INLINE void in_counts(struct ingress *s, u8 p_places, u8 p_commit_places, u8 p_branches, u8 p_commit_branches)
{
	s->md.counted = p_places; /* link.p4:44 */
	s->md.commit_counted = p_commit_places; /* link.p4:45 */
	s->md.branches = p_branches; /* link.p4:46 */
	s->md.commit_branches = p_commit_branches; /* link.p4:47 */
}

/* action pipe.Ingress.link.known, link.p4:59 */
INLINE void in_known(struct ingress *s)
{
	aside();
	s->md.process = 1; /* link.p4:60 */
}

/* action pipe.Ingress.link.refuse, link.p4:76 */
INLINE void in_refuse(struct ingress *s, u8 p_why)
{
	s->md.drop = p_why; /* link.p4:77 */
	s->md.place = PLACE_NONE; /* link.p4:78 */
}

/* action pipe.Ingress.link.alone, link.p4:83 */
INLINE void in_alone(struct ingress *s)
{
	aside();
}

/* action pipe.Ingress.link.alone_refuse, link.p4:87 */
INLINE void in_alone_refuse(struct ingress *s)
{
	aside();
	s->md.drop = DROP_JOINING; /* link.p4:88 */
}

/* action pipe.Ingress.link.only_pass, link.p4:98 */
INLINE void in_only_pass(struct ingress *s)
{
	aside();
	s->md.place = PLACE_NONE; /* link.p4:99 */
}

/* action pipe.Ingress.link.pass, link.p4:92 */
INLINE void in_pass(struct ingress *s)
{
	s->md.branch = (u8)((u8)s->md.group & 3); /* link.p4:93 */
}

/* action pipe.Ingress.best_effort.own0, tree.p4:155 */
INLINE void in_best_effort_own0(struct ingress *s)
{
	s->best_effort.raised0 = in_best_effort_link0_link0_raise(s, s->md.group); /* tree.p4:155 */
}

/* action pipe.Ingress.best_effort.other0, tree.p4:155 */
INLINE void in_best_effort_other0(struct ingress *s)
{
	s->tmp.reg = in_best_effort_link0_link0_ahead(s, s->md.group); /* tree.p4:155 */
	s->best_effort.ahead0 = s->tmp.reg; /* tree.p4:155 */
}

/* action pipe.Ingress.best_effort.own1, tree.p4:156 */
INLINE void in_best_effort_own1(struct ingress *s)
{
	s->best_effort.raised1 = in_best_effort_link1_link1_raise(s, s->md.group); /* tree.p4:156 */
}

/* action pipe.Ingress.best_effort.other1, tree.p4:156 */
INLINE void in_best_effort_other1(struct ingress *s)
{
	s->tmp.reg_1 = in_best_effort_link1_link1_ahead(s, s->md.group); /* tree.p4:156 */
	s->best_effort.ahead1 = s->tmp.reg_1; /* tree.p4:156 */
}

/* action pipe.Ingress.best_effort.own2, tree.p4:157 */
INLINE void in_best_effort_own2(struct ingress *s)
{
	s->best_effort.raised2 = in_best_effort_link2_link2_raise(s, s->md.group); /* tree.p4:157 */
}

/* action pipe.Ingress.best_effort.other2, tree.p4:157 */
INLINE void in_best_effort_other2(struct ingress *s)
{
	s->tmp.reg_2 = in_best_effort_link2_link2_ahead(s, s->md.group); /* tree.p4:157 */
	s->best_effort.ahead2 = s->tmp.reg_2; /* tree.p4:157 */
}

/* action pipe.Ingress.best_effort.own3, tree.p4:158 */
INLINE void in_best_effort_own3(struct ingress *s)
{
	s->best_effort.raised3 = in_best_effort_link3_link3_raise(s, s->md.group); /* tree.p4:158 */
}

/* action pipe.Ingress.best_effort.other3, tree.p4:158 */
INLINE void in_best_effort_other3(struct ingress *s)
{
	s->tmp.reg_3 = in_best_effort_link3_link3_ahead(s, s->md.group); /* tree.p4:158 */
	s->best_effort.ahead3 = s->tmp.reg_3; /* tree.p4:158 */
}

/* action pipe.Ingress.best_effort.own_branch0_first, tree.p4:159 */
INLINE void in_best_effort_own_branch0_first(struct ingress *s)
{
	in_best_effort_branch0_branch0_first(s, 0); /* tree.p4:159 */
}

/* action pipe.Ingress.best_effort.own_branch0_second, tree.p4:159 */
INLINE void in_best_effort_own_branch0_second(struct ingress *s)
{
	in_best_effort_branch0_branch0_second(s, 0); /* tree.p4:159 */
}

/* action pipe.Ingress.best_effort.other_branch0_first, tree.p4:159 */
INLINE void in_best_effort_other_branch0_first(struct ingress *s)
{
	s->tmp.reg_4 = in_best_effort_branch0_branch0_ahead_first(s, 0); /* tree.p4:159 */
	s->best_effort.lead0 = s->tmp.reg_4; /* tree.p4:159 */
}

/* action pipe.Ingress.best_effort.other_branch0_second, tree.p4:159 */
INLINE void in_best_effort_other_branch0_second(struct ingress *s)
{
	s->tmp.reg_5 = in_best_effort_branch0_branch0_ahead_second(s, 0); /* tree.p4:159 */
	s->best_effort.lead0 = s->tmp.reg_5; /* tree.p4:159 */
}

/* action pipe.Ingress.best_effort.own_branch1_first, tree.p4:160 */
INLINE void in_best_effort_own_branch1_first(struct ingress *s)
{
	in_best_effort_branch1_branch1_first(s, 0); /* tree.p4:160 */
}

/* action pipe.Ingress.best_effort.own_branch1_second, tree.p4:160 */
INLINE void in_best_effort_own_branch1_second(struct ingress *s)
{
	in_best_effort_branch1_branch1_second(s, 0); /* tree.p4:160 */
}

/* action pipe.Ingress.best_effort.other_branch1_first, tree.p4:160 */
INLINE void in_best_effort_other_branch1_first(struct ingress *s)
{
	s->tmp.reg_6 = in_best_effort_branch1_branch1_ahead_first(s, 0); /* tree.p4:160 */
	s->best_effort.lead1 = s->tmp.reg_6; /* tree.p4:160 */
}

/* action pipe.Ingress.best_effort.other_branch1_second, tree.p4:160 */
INLINE void in_best_effort_other_branch1_second(struct ingress *s)
{
	s->tmp.reg_7 = in_best_effort_branch1_branch1_ahead_second(s, 0); /* tree.p4:160 */
	s->best_effort.lead1 = s->tmp.reg_7; /* tree.p4:160 */
}

/* action pipe.Ingress.best_effort.own_branch2_first, tree.p4:161 */
INLINE void in_best_effort_own_branch2_first(struct ingress *s)
{
	in_best_effort_branch2_branch2_first(s, 0); /* tree.p4:161 */
}

/* action pipe.Ingress.best_effort.own_branch2_second, tree.p4:161 */
INLINE void in_best_effort_own_branch2_second(struct ingress *s)
{
	in_best_effort_branch2_branch2_second(s, 0); /* tree.p4:161 */
}

/* action pipe.Ingress.best_effort.other_branch2_first, tree.p4:161 */
INLINE void in_best_effort_other_branch2_first(struct ingress *s)
{
	s->tmp.reg_8 = in_best_effort_branch2_branch2_ahead_first(s, 0); /* tree.p4:161 */
	s->best_effort.lead2 = s->tmp.reg_8; /* tree.p4:161 */
}

/* action pipe.Ingress.best_effort.other_branch2_second, tree.p4:161 */
INLINE void in_best_effort_other_branch2_second(struct ingress *s)
{
	s->tmp.reg_9 = in_best_effort_branch2_branch2_ahead_second(s, 0); /* tree.p4:161 */
	s->best_effort.lead2 = s->tmp.reg_9; /* tree.p4:161 */
}

/* action pipe.Ingress.best_effort.own_branch3_first, tree.p4:162 */
INLINE void in_best_effort_own_branch3_first(struct ingress *s)
{
	in_best_effort_branch3_branch3_first(s, 0); /* tree.p4:162 */
}

/* action pipe.Ingress.best_effort.own_branch3_second, tree.p4:162 */
INLINE void in_best_effort_own_branch3_second(struct ingress *s)
{
	in_best_effort_branch3_branch3_second(s, 0); /* tree.p4:162 */
}

/* action pipe.Ingress.best_effort.other_branch3_first, tree.p4:162 */
INLINE void in_best_effort_other_branch3_first(struct ingress *s)
{
	s->tmp.reg_10 = in_best_effort_branch3_branch3_ahead_first(s, 0); /* tree.p4:162 */
	s->best_effort.lead3 = s->tmp.reg_10; /* tree.p4:162 */
}

/* action pipe.Ingress.best_effort.other_branch3_second, tree.p4:162 */
INLINE void in_best_effort_other_branch3_second(struct ingress *s)
{
	s->tmp.reg_11 = in_best_effort_branch3_branch3_ahead_second(s, 0); /* tree.p4:162 */
	s->best_effort.lead3 = s->tmp.reg_11; /* tree.p4:162 */
}

/* action pipe.Ingress.best_effort.least_is_first, tree.p4:233 */
INLINE void in_best_effort_least_is_first(struct ingress *s)
{
	s->best_effort.least = s->best_effort.first; /* tree.p4:234 */
}

/* action pipe.Ingress.best_effort.least_is_second, tree.p4:237 */
INLINE void in_best_effort_least_is_second(struct ingress *s)
{
	s->best_effort.least = s->best_effort.second; /* tree.p4:238 */
}

/* action pipe.Ingress.best_effort.promised_below, tree.p4:198 */
INLINE void in_best_effort_promised_below(struct ingress *s)
{
	s->md.below_rose = in_best_effort_promise_below_below_raise(s, 0); /* tree.p4:199 */
}

/* action pipe.Ingress.best_effort.all_is_below, tree.p4:202 */
INLINE void in_best_effort_all_is_below(struct ingress *s)
{
	s->md.all_rose = in_best_effort_promise_all_all_raise_below(s, 0); /* tree.p4:203 */
}

/* action pipe.Ingress.best_effort.all_is_above, tree.p4:206 */
INLINE void in_best_effort_all_is_above(struct ingress *s)
{
	s->md.all_rose = in_best_effort_promise_all_all_raise_above(s, 0); /* tree.p4:207 */
}

/* action pipe.Ingress.commit.own0, tree.p4:155 */
INLINE void in_commit_own0(struct ingress *s)
{
	s->commit.raised0 = in_commit_link0_link0_raise(s, s->md.group); /* tree.p4:155 */
}

/* action pipe.Ingress.commit.other0, tree.p4:155 */
INLINE void in_commit_other0(struct ingress *s)
{
	s->tmp.reg_12 = in_commit_link0_link0_ahead(s, s->md.group); /* tree.p4:155 */
	s->commit.ahead0 = s->tmp.reg_12; /* tree.p4:155 */
}

/* action pipe.Ingress.commit.own1, tree.p4:156 */
INLINE void in_commit_own1(struct ingress *s)
{
	s->commit.raised1 = in_commit_link1_link1_raise(s, s->md.group); /* tree.p4:156 */
}

/* action pipe.Ingress.commit.other1, tree.p4:156 */
INLINE void in_commit_other1(struct ingress *s)
{
	s->tmp.reg_13 = in_commit_link1_link1_ahead(s, s->md.group); /* tree.p4:156 */
	s->commit.ahead1 = s->tmp.reg_13; /* tree.p4:156 */
}

/* action pipe.Ingress.commit.own2, tree.p4:157 */
INLINE void in_commit_own2(struct ingress *s)
{
	s->commit.raised2 = in_commit_link2_link2_raise(s, s->md.group); /* tree.p4:157 */
}

/* action pipe.Ingress.commit.other2, tree.p4:157 */
INLINE void in_commit_other2(struct ingress *s)
{
	s->tmp.reg_14 = in_commit_link2_link2_ahead(s, s->md.group); /* tree.p4:157 */
	s->commit.ahead2 = s->tmp.reg_14; /* tree.p4:157 */
}

/* action pipe.Ingress.commit.own3, tree.p4:158 */
INLINE void in_commit_own3(struct ingress *s)
{
	s->commit.raised3 = in_commit_link3_link3_raise(s, s->md.group); /* tree.p4:158 */
}

/* action pipe.Ingress.commit.other3, tree.p4:158 */
INLINE void in_commit_other3(struct ingress *s)
{
	s->tmp.reg_15 = in_commit_link3_link3_ahead(s, s->md.group); /* tree.p4:158 */
	s->commit.ahead3 = s->tmp.reg_15; /* tree.p4:158 */
}

/* action pipe.Ingress.commit.own_branch0_first, tree.p4:159 */
INLINE void in_commit_own_branch0_first(struct ingress *s)
{
	in_commit_branch0_branch0_first(s, 0); /* tree.p4:159 */
}

/* action pipe.Ingress.commit.own_branch0_second, tree.p4:159 */
INLINE void in_commit_own_branch0_second(struct ingress *s)
{
	in_commit_branch0_branch0_second(s, 0); /* tree.p4:159 */
}

/* action pipe.Ingress.commit.other_branch0_first, tree.p4:159 */
INLINE void in_commit_other_branch0_first(struct ingress *s)
{
	s->tmp.reg_16 = in_commit_branch0_branch0_ahead_first(s, 0); /* tree.p4:159 */
	s->commit.lead0 = s->tmp.reg_16; /* tree.p4:159 */
}

/* action pipe.Ingress.commit.other_branch0_second, tree.p4:159 */
INLINE void in_commit_other_branch0_second(struct ingress *s)
{
	s->tmp.reg_17 = in_commit_branch0_branch0_ahead_second(s, 0); /* tree.p4:159 */
	s->commit.lead0 = s->tmp.reg_17; /* tree.p4:159 */
}

/* action pipe.Ingress.commit.own_branch1_first, tree.p4:160 */
INLINE void in_commit_own_branch1_first(struct ingress *s)
{
	in_commit_branch1_branch1_first(s, 0); /* tree.p4:160 */
}

/* action pipe.Ingress.commit.own_branch1_second, tree.p4:160 */
INLINE void in_commit_own_branch1_second(struct ingress *s)
{
	in_commit_branch1_branch1_second(s, 0); /* tree.p4:160 */
}

/* action pipe.Ingress.commit.other_branch1_first, tree.p4:160 */
INLINE void in_commit_other_branch1_first(struct ingress *s)
{
	s->tmp.reg_18 = in_commit_branch1_branch1_ahead_first(s, 0); /* tree.p4:160 */
	s->commit.lead1 = s->tmp.reg_18; /* tree.p4:160 */
}

/* action pipe.Ingress.commit.other_branch1_second, tree.p4:160 */
INLINE void in_commit_other_branch1_second(struct ingress *s)
{
	s->tmp.reg_19 = in_commit_branch1_branch1_ahead_second(s, 0); /* tree.p4:160 */
	s->commit.lead1 = s->tmp.reg_19; /* tree.p4:160 */
}

/* action pipe.Ingress.commit.own_branch2_first, tree.p4:161 */
INLINE void in_commit_own_branch2_first(struct ingress *s)
{
	in_commit_branch2_branch2_first(s, 0); /* tree.p4:161 */
}

/* action pipe.Ingress.commit.own_branch2_second, tree.p4:161 */
INLINE void in_commit_own_branch2_second(struct ingress *s)
{
	in_commit_branch2_branch2_second(s, 0); /* tree.p4:161 */
}

/* action pipe.Ingress.commit.other_branch2_first, tree.p4:161 */
INLINE void in_commit_other_branch2_first(struct ingress *s)
{
	s->tmp.reg_20 = in_commit_branch2_branch2_ahead_first(s, 0); /* tree.p4:161 */
	s->commit.lead2 = s->tmp.reg_20; /* tree.p4:161 */
}

/* action pipe.Ingress.commit.other_branch2_second, tree.p4:161 */
INLINE void in_commit_other_branch2_second(struct ingress *s)
{
	s->tmp.reg_21 = in_commit_branch2_branch2_ahead_second(s, 0); /* tree.p4:161 */
	s->commit.lead2 = s->tmp.reg_21; /* tree.p4:161 */
}

/* action pipe.Ingress.commit.own_branch3_first, tree.p4:162 */
INLINE void in_commit_own_branch3_first(struct ingress *s)
{
	in_commit_branch3_branch3_first(s, 0); /* tree.p4:162 */
}

/* action pipe.Ingress.commit.own_branch3_second, tree.p4:162 */
INLINE void in_commit_own_branch3_second(struct ingress *s)
{
	in_commit_branch3_branch3_second(s, 0); /* tree.p4:162 */
}

/* action pipe.Ingress.commit.other_branch3_first, tree.p4:162 */
INLINE void in_commit_other_branch3_first(struct ingress *s)
{
	s->tmp.reg_22 = in_commit_branch3_branch3_ahead_first(s, 0); /* tree.p4:162 */
	s->commit.lead3 = s->tmp.reg_22; /* tree.p4:162 */
}

/* action pipe.Ingress.commit.other_branch3_second, tree.p4:162 */
INLINE void in_commit_other_branch3_second(struct ingress *s)
{
	s->tmp.reg_23 = in_commit_branch3_branch3_ahead_second(s, 0); /* tree.p4:162 */
	s->commit.lead3 = s->tmp.reg_23; /* tree.p4:162 */
}

/* action pipe.Ingress.commit.least_is_first, tree.p4:233 */
INLINE void in_commit_least_is_first(struct ingress *s)
{
	s->commit.least = s->commit.first; /* tree.p4:234 */
}

/* action pipe.Ingress.commit.least_is_second, tree.p4:237 */
INLINE void in_commit_least_is_second(struct ingress *s)
{
	s->commit.least = s->commit.second; /* tree.p4:238 */
}

/* action pipe.Ingress.commit.promised_below, tree.p4:198 */
INLINE void in_commit_promised_below(struct ingress *s)
{
	s->md.commit_below_rose = in_commit_promise_below_below_raise(s, 0); /* tree.p4:199 */
}

/* action pipe.Ingress.commit.all_is_below, tree.p4:202 */
INLINE void in_commit_all_is_below(struct ingress *s)
{
	s->md.commit_all_rose = in_commit_promise_all_all_raise_below(s, 0); /* tree.p4:203 */
}

/* action pipe.Ingress.commit.all_is_above, tree.p4:206 */
INLINE void in_commit_all_is_above(struct ingress *s)
{
	s->md.commit_all_rose = in_commit_promise_all_all_raise_above(s, 0); /* tree.p4:207 */
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

/* table pipe.Ingress.link.inputs, link.p4:35 */
INLINE u32 in_inputs_apply(struct ingress *s)
{
	u32 key = s->ig_intr_md.ingress_port; /* link.p4:36 */
	union value_inputs *value = lookup_inputs(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_inputs_NoAction;
	}
	u32 action = value->action - !!hit;
	switch (action) {
		case a_inputs_input:
			in_input(s, value->input.link, value->input.group, value->input.place);
			break;
		case a_inputs_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | action;
}

/* table pipe.Ingress.link.members, link.p4:51 */
INLINE u32 in_members_apply(struct ingress *s)
{
	struct key_members key __attribute__((aligned(8))); /* link.p4:52 */
	((u32 *)&key)[0] = IN_WORD(u32, s->md.group, 0, 1);
	union value_members *value = lookup_members(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_members_NoAction;
	}
	switch (value->action) {
		case a_members_counts:
			in_counts(s, value->counts.places, value->counts.commit_places, value->counts.branches, value->counts.commit_branches);
			break;
		case a_members_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.link.senders, link.p4:64 */
INLINE u32 in_senders_apply(struct ingress *s)
{
	struct key_senders key __attribute__((aligned(8))); /* link.p4:66 */
	((u64 *)&key)[0] = IN_WORD(u64, s->ig_intr_md.ingress_port, 4, 2) | IN_WORD(u64, in_hdr_ipv4_src(s), 0, 4) | IN_WORD(u64, in_hdr_onepipe_src(s), 6, 2);
	union value_senders *value = lookup_senders(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_senders_NoAction;
	}
	switch (value->action) {
		case a_senders_known:
			in_known(s);
			break;
		case a_senders_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.link.admission, link.p4:104 */
INLINE u32 in_admission_apply(struct ingress *s)
{
	u32 key = (u32)s->md.link << 9 | (u32)in_hdr_onepipe_opcode(s) << 5 | (u32)s->md.process << 4 | (u32)(s->md.over >> 31) << 3 | (u32)(s->md.early >> 31) << 2 | (u32)(s->md.commit_early >> 31) << 1 | (u32)(in_hdr_onepipe_flags(s) >> 3); /* link.p4:106 */
	switch (lookup_admission(opaque(s->length, key))) {
		case e_admission_refuse: /* link.p4:117 */
			in_refuse(s, 5);
			return HIT | a_admission_refuse;
		case e_admission_refuse_2: /* link.p4:118 */
			in_refuse(s, 0xa);
			return HIT | a_admission_refuse;
		case e_admission_refuse_3: /* link.p4:120 */
			in_refuse(s, 8);
			return HIT | a_admission_refuse;
		case e_admission_alone: /* link.p4:122 */
			in_alone(s);
			return HIT | a_admission_alone;
		case e_admission_alone_refuse: /* link.p4:123 */
			in_alone_refuse(s);
			return HIT | a_admission_alone_refuse;
		case e_admission_pass: /* link.p4:124 */
			in_pass(s);
			return HIT | a_admission_pass;
		case e_admission_refuse_4: /* link.p4:125 */
			in_refuse(s, 7);
			return HIT | a_admission_refuse;
		case e_admission_refuse_5: /* link.p4:126 */
			in_refuse(s, 9);
			return HIT | a_admission_refuse;
		case e_admission_only_pass: /* link.p4:128 */
			in_only_pass(s);
			return HIT | a_admission_only_pass;
	}
	in_refuse(s, 0xa);
	return a_admission_refuse;
}

/* table pipe.Ingress.best_effort.places0, tree.p4:155 */
INLINE u32 in_best_effort_places0_apply(struct ingress *s)
{
	if (s->md.place == 0) { /* tree.p4:155 */
		in_best_effort_own0(s);
		return HIT | a_best_effort_places0_own0;
	}
	if (s->md.place == PLACE_NONE) { /* tree.p4:155 */
		in_NoAction(s);
		return HIT | a_best_effort_places0_NoAction;
	}
	if (((u8)s->md.counted & 1) == 1) { /* tree.p4:155 */
		in_best_effort_other0(s);
		return HIT | a_best_effort_places0_other0;
	}
	in_NoAction(s);
	return a_best_effort_places0_NoAction;
}

/* table pipe.Ingress.best_effort.places1, tree.p4:156 */
INLINE u32 in_best_effort_places1_apply(struct ingress *s)
{
	if (s->md.place == 1) { /* tree.p4:156 */
		in_best_effort_own1(s);
		return HIT | a_best_effort_places1_own1;
	}
	if (s->md.place == PLACE_NONE) { /* tree.p4:156 */
		in_NoAction(s);
		return HIT | a_best_effort_places1_NoAction;
	}
	if (((u8)(s->md.counted >> 1) & 1) == 1) { /* tree.p4:156 */
		in_best_effort_other1(s);
		return HIT | a_best_effort_places1_other1;
	}
	in_NoAction(s);
	return a_best_effort_places1_NoAction;
}

/* table pipe.Ingress.best_effort.places2, tree.p4:157 */
INLINE u32 in_best_effort_places2_apply(struct ingress *s)
{
	if (s->md.place == 2) { /* tree.p4:157 */
		in_best_effort_own2(s);
		return HIT | a_best_effort_places2_own2;
	}
	if (s->md.place == PLACE_NONE) { /* tree.p4:157 */
		in_NoAction(s);
		return HIT | a_best_effort_places2_NoAction;
	}
	if (((u8)(s->md.counted >> 2) & 1) == 1) { /* tree.p4:157 */
		in_best_effort_other2(s);
		return HIT | a_best_effort_places2_other2;
	}
	in_NoAction(s);
	return a_best_effort_places2_NoAction;
}

/* table pipe.Ingress.best_effort.places3, tree.p4:158 */
INLINE u32 in_best_effort_places3_apply(struct ingress *s)
{
	if (s->md.place == 3) { /* tree.p4:158 */
		in_best_effort_own3(s);
		return HIT | a_best_effort_places3_own3;
	}
	if (s->md.place == PLACE_NONE) { /* tree.p4:158 */
		in_NoAction(s);
		return HIT | a_best_effort_places3_NoAction;
	}
	if ((s->md.counted >> 3) == 1) { /* tree.p4:158 */
		in_best_effort_other3(s);
		return HIT | a_best_effort_places3_other3;
	}
	in_NoAction(s);
	return a_best_effort_places3_NoAction;
}

/* table pipe.Ingress.best_effort.branches0, tree.p4:159 */
INLINE u32 in_best_effort_branches0_apply(struct ingress *s)
{
	u32 key = (u32)s->md.branch << 2 | (u32)((u8)s->md.branches & 1) << 1 | (u32)(s->best_effort.order >> 31); /* tree.p4:159 */
	switch (lookup_best_effort_branches0(opaque(s->length, key))) {
		case e_best_effort_branches0_own_branch0_first: /* tree.p4:159 */
			in_best_effort_own_branch0_first(s);
			return HIT | a_best_effort_branches0_own_branch0_first;
		case e_best_effort_branches0_own_branch0_second: /* tree.p4:159 */
			in_best_effort_own_branch0_second(s);
			return HIT | a_best_effort_branches0_own_branch0_second;
		case e_best_effort_branches0_NoAction: /* tree.p4:159 */
			in_NoAction(s);
			return HIT | a_best_effort_branches0_NoAction;
		case e_best_effort_branches0_other_branch0_first: /* tree.p4:159 */
			in_best_effort_other_branch0_first(s);
			return HIT | a_best_effort_branches0_other_branch0_first;
		case e_best_effort_branches0_other_branch0_second: /* tree.p4:159 */
			in_best_effort_other_branch0_second(s);
			return HIT | a_best_effort_branches0_other_branch0_second;
	}
	in_NoAction(s);
	return a_best_effort_branches0_NoAction;
}

/* table pipe.Ingress.best_effort.branches1, tree.p4:160 */
INLINE u32 in_best_effort_branches1_apply(struct ingress *s)
{
	u32 key = (u32)s->md.branch << 2 | (u32)((u8)(s->md.branches >> 1) & 1) << 1 | (u32)(s->best_effort.order >> 31); /* tree.p4:160 */
	switch (lookup_best_effort_branches1(opaque(s->length, key))) {
		case e_best_effort_branches1_own_branch1_first: /* tree.p4:160 */
			in_best_effort_own_branch1_first(s);
			return HIT | a_best_effort_branches1_own_branch1_first;
		case e_best_effort_branches1_own_branch1_second: /* tree.p4:160 */
			in_best_effort_own_branch1_second(s);
			return HIT | a_best_effort_branches1_own_branch1_second;
		case e_best_effort_branches1_NoAction: /* tree.p4:160 */
			in_NoAction(s);
			return HIT | a_best_effort_branches1_NoAction;
		case e_best_effort_branches1_other_branch1_first: /* tree.p4:160 */
			in_best_effort_other_branch1_first(s);
			return HIT | a_best_effort_branches1_other_branch1_first;
		case e_best_effort_branches1_other_branch1_second: /* tree.p4:160 */
			in_best_effort_other_branch1_second(s);
			return HIT | a_best_effort_branches1_other_branch1_second;
	}
	in_NoAction(s);
	return a_best_effort_branches1_NoAction;
}

/* table pipe.Ingress.best_effort.branches2, tree.p4:161 */
INLINE u32 in_best_effort_branches2_apply(struct ingress *s)
{
	u32 key = (u32)s->md.branch << 2 | (u32)((u8)(s->md.branches >> 2) & 1) << 1 | (u32)(s->best_effort.order >> 31); /* tree.p4:161 */
	switch (lookup_best_effort_branches2(opaque(s->length, key))) {
		case e_best_effort_branches2_own_branch2_first: /* tree.p4:161 */
			in_best_effort_own_branch2_first(s);
			return HIT | a_best_effort_branches2_own_branch2_first;
		case e_best_effort_branches2_own_branch2_second: /* tree.p4:161 */
			in_best_effort_own_branch2_second(s);
			return HIT | a_best_effort_branches2_own_branch2_second;
		case e_best_effort_branches2_NoAction: /* tree.p4:161 */
			in_NoAction(s);
			return HIT | a_best_effort_branches2_NoAction;
		case e_best_effort_branches2_other_branch2_first: /* tree.p4:161 */
			in_best_effort_other_branch2_first(s);
			return HIT | a_best_effort_branches2_other_branch2_first;
		case e_best_effort_branches2_other_branch2_second: /* tree.p4:161 */
			in_best_effort_other_branch2_second(s);
			return HIT | a_best_effort_branches2_other_branch2_second;
	}
	in_NoAction(s);
	return a_best_effort_branches2_NoAction;
}

/* table pipe.Ingress.best_effort.branches3, tree.p4:162 */
INLINE u32 in_best_effort_branches3_apply(struct ingress *s)
{
	u32 key = (u32)s->md.branch << 2 | (u32)(s->md.branches >> 3) << 1 | (u32)(s->best_effort.order >> 31); /* tree.p4:162 */
	switch (lookup_best_effort_branches3(opaque(s->length, key))) {
		case e_best_effort_branches3_own_branch3_first: /* tree.p4:162 */
			in_best_effort_own_branch3_first(s);
			return HIT | a_best_effort_branches3_own_branch3_first;
		case e_best_effort_branches3_own_branch3_second: /* tree.p4:162 */
			in_best_effort_own_branch3_second(s);
			return HIT | a_best_effort_branches3_own_branch3_second;
		case e_best_effort_branches3_NoAction: /* tree.p4:162 */
			in_NoAction(s);
			return HIT | a_best_effort_branches3_NoAction;
		case e_best_effort_branches3_other_branch3_first: /* tree.p4:162 */
			in_best_effort_other_branch3_first(s);
			return HIT | a_best_effort_branches3_other_branch3_first;
		case e_best_effort_branches3_other_branch3_second: /* tree.p4:162 */
			in_best_effort_other_branch3_second(s);
			return HIT | a_best_effort_branches3_other_branch3_second;
	}
	in_NoAction(s);
	return a_best_effort_branches3_NoAction;
}

/* table pipe.Ingress.best_effort.leasts, tree.p4:241 */
INLINE u32 in_best_effort_leasts_apply(struct ingress *s)
{
	if ((s->best_effort.order & 0x80000000) == 0x80000000) { /* tree.p4:246 */
		in_best_effort_least_is_first(s);
		return HIT | a_best_effort_leasts_least_is_first;
	}
	in_best_effort_least_is_second(s);
	return a_best_effort_leasts_least_is_second;
}

/* table pipe.Ingress.best_effort.promises_below, tree.p4:210 */
INLINE u32 in_best_effort_promises_below_apply(struct ingress *s)
{
	if (s->md.branch == PLACE_NONE) { /* tree.p4:215 */
		in_NoAction(s);
		return HIT | a_best_effort_promises_below_NoAction;
	}
	in_best_effort_promised_below(s);
	return HIT | a_best_effort_promises_below_promised_below;
}

/* table pipe.Ingress.best_effort.promises_all, tree.p4:221 */
INLINE u32 in_best_effort_promises_all_apply(struct ingress *s)
{
	if (s->md.branch == PLACE_NONE) { /* tree.p4:226 */
		in_NoAction(s);
		return HIT | a_best_effort_promises_all_NoAction;
	}
	if ((in_hdr_bridge_order(s) & 0x80000000) == 0x80000000) { /* tree.p4:227 */
		in_best_effort_all_is_below(s);
		return HIT | a_best_effort_promises_all_all_is_below;
	}
	in_best_effort_all_is_above(s);
	return HIT | a_best_effort_promises_all_all_is_above;
}

/* table pipe.Ingress.commit.places0, tree.p4:155 */
INLINE u32 in_commit_places0_apply(struct ingress *s)
{
	if (s->md.place == 0) { /* tree.p4:155 */
		in_commit_own0(s);
		return HIT | a_commit_places0_own0;
	}
	if (s->md.place == PLACE_NONE) { /* tree.p4:155 */
		in_NoAction(s);
		return HIT | a_commit_places0_NoAction;
	}
	if (((u8)s->md.commit_counted & 1) == 1) { /* tree.p4:155 */
		in_commit_other0(s);
		return HIT | a_commit_places0_other0;
	}
	in_NoAction(s);
	return a_commit_places0_NoAction;
}

/* table pipe.Ingress.commit.places1, tree.p4:156 */
INLINE u32 in_commit_places1_apply(struct ingress *s)
{
	if (s->md.place == 1) { /* tree.p4:156 */
		in_commit_own1(s);
		return HIT | a_commit_places1_own1;
	}
	if (s->md.place == PLACE_NONE) { /* tree.p4:156 */
		in_NoAction(s);
		return HIT | a_commit_places1_NoAction;
	}
	if (((u8)(s->md.commit_counted >> 1) & 1) == 1) { /* tree.p4:156 */
		in_commit_other1(s);
		return HIT | a_commit_places1_other1;
	}
	in_NoAction(s);
	return a_commit_places1_NoAction;
}

/* table pipe.Ingress.commit.places2, tree.p4:157 */
INLINE u32 in_commit_places2_apply(struct ingress *s)
{
	if (s->md.place == 2) { /* tree.p4:157 */
		in_commit_own2(s);
		return HIT | a_commit_places2_own2;
	}
	if (s->md.place == PLACE_NONE) { /* tree.p4:157 */
		in_NoAction(s);
		return HIT | a_commit_places2_NoAction;
	}
	if (((u8)(s->md.commit_counted >> 2) & 1) == 1) { /* tree.p4:157 */
		in_commit_other2(s);
		return HIT | a_commit_places2_other2;
	}
	in_NoAction(s);
	return a_commit_places2_NoAction;
}

/* table pipe.Ingress.commit.places3, tree.p4:158 */
INLINE u32 in_commit_places3_apply(struct ingress *s)
{
	if (s->md.place == 3) { /* tree.p4:158 */
		in_commit_own3(s);
		return HIT | a_commit_places3_own3;
	}
	if (s->md.place == PLACE_NONE) { /* tree.p4:158 */
		in_NoAction(s);
		return HIT | a_commit_places3_NoAction;
	}
	if ((s->md.commit_counted >> 3) == 1) { /* tree.p4:158 */
		in_commit_other3(s);
		return HIT | a_commit_places3_other3;
	}
	in_NoAction(s);
	return a_commit_places3_NoAction;
}

/* table pipe.Ingress.commit.branches0, tree.p4:159 */
INLINE u32 in_commit_branches0_apply(struct ingress *s)
{
	u32 key = (u32)s->md.branch << 2 | (u32)((u8)s->md.commit_branches & 1) << 1 | (u32)(s->commit.order >> 31); /* tree.p4:159 */
	switch (lookup_commit_branches0(opaque(s->length, key))) {
		case e_commit_branches0_own_branch0_first: /* tree.p4:159 */
			in_commit_own_branch0_first(s);
			return HIT | a_commit_branches0_own_branch0_first;
		case e_commit_branches0_own_branch0_second: /* tree.p4:159 */
			in_commit_own_branch0_second(s);
			return HIT | a_commit_branches0_own_branch0_second;
		case e_commit_branches0_NoAction: /* tree.p4:159 */
			in_NoAction(s);
			return HIT | a_commit_branches0_NoAction;
		case e_commit_branches0_other_branch0_first: /* tree.p4:159 */
			in_commit_other_branch0_first(s);
			return HIT | a_commit_branches0_other_branch0_first;
		case e_commit_branches0_other_branch0_second: /* tree.p4:159 */
			in_commit_other_branch0_second(s);
			return HIT | a_commit_branches0_other_branch0_second;
	}
	in_NoAction(s);
	return a_commit_branches0_NoAction;
}

/* table pipe.Ingress.commit.branches1, tree.p4:160 */
INLINE u32 in_commit_branches1_apply(struct ingress *s)
{
	u32 key = (u32)s->md.branch << 2 | (u32)((u8)(s->md.commit_branches >> 1) & 1) << 1 | (u32)(s->commit.order >> 31); /* tree.p4:160 */
	switch (lookup_commit_branches1(opaque(s->length, key))) {
		case e_commit_branches1_own_branch1_first: /* tree.p4:160 */
			in_commit_own_branch1_first(s);
			return HIT | a_commit_branches1_own_branch1_first;
		case e_commit_branches1_own_branch1_second: /* tree.p4:160 */
			in_commit_own_branch1_second(s);
			return HIT | a_commit_branches1_own_branch1_second;
		case e_commit_branches1_NoAction: /* tree.p4:160 */
			in_NoAction(s);
			return HIT | a_commit_branches1_NoAction;
		case e_commit_branches1_other_branch1_first: /* tree.p4:160 */
			in_commit_other_branch1_first(s);
			return HIT | a_commit_branches1_other_branch1_first;
		case e_commit_branches1_other_branch1_second: /* tree.p4:160 */
			in_commit_other_branch1_second(s);
			return HIT | a_commit_branches1_other_branch1_second;
	}
	in_NoAction(s);
	return a_commit_branches1_NoAction;
}

/* table pipe.Ingress.commit.branches2, tree.p4:161 */
INLINE u32 in_commit_branches2_apply(struct ingress *s)
{
	u32 key = (u32)s->md.branch << 2 | (u32)((u8)(s->md.commit_branches >> 2) & 1) << 1 | (u32)(s->commit.order >> 31); /* tree.p4:161 */
	switch (lookup_commit_branches2(opaque(s->length, key))) {
		case e_commit_branches2_own_branch2_first: /* tree.p4:161 */
			in_commit_own_branch2_first(s);
			return HIT | a_commit_branches2_own_branch2_first;
		case e_commit_branches2_own_branch2_second: /* tree.p4:161 */
			in_commit_own_branch2_second(s);
			return HIT | a_commit_branches2_own_branch2_second;
		case e_commit_branches2_NoAction: /* tree.p4:161 */
			in_NoAction(s);
			return HIT | a_commit_branches2_NoAction;
		case e_commit_branches2_other_branch2_first: /* tree.p4:161 */
			in_commit_other_branch2_first(s);
			return HIT | a_commit_branches2_other_branch2_first;
		case e_commit_branches2_other_branch2_second: /* tree.p4:161 */
			in_commit_other_branch2_second(s);
			return HIT | a_commit_branches2_other_branch2_second;
	}
	in_NoAction(s);
	return a_commit_branches2_NoAction;
}

/* table pipe.Ingress.commit.branches3, tree.p4:162 */
INLINE u32 in_commit_branches3_apply(struct ingress *s)
{
	u32 key = (u32)s->md.branch << 2 | (u32)(s->md.commit_branches >> 3) << 1 | (u32)(s->commit.order >> 31); /* tree.p4:162 */
	switch (lookup_commit_branches3(opaque(s->length, key))) {
		case e_commit_branches3_own_branch3_first: /* tree.p4:162 */
			in_commit_own_branch3_first(s);
			return HIT | a_commit_branches3_own_branch3_first;
		case e_commit_branches3_own_branch3_second: /* tree.p4:162 */
			in_commit_own_branch3_second(s);
			return HIT | a_commit_branches3_own_branch3_second;
		case e_commit_branches3_NoAction: /* tree.p4:162 */
			in_NoAction(s);
			return HIT | a_commit_branches3_NoAction;
		case e_commit_branches3_other_branch3_first: /* tree.p4:162 */
			in_commit_other_branch3_first(s);
			return HIT | a_commit_branches3_other_branch3_first;
		case e_commit_branches3_other_branch3_second: /* tree.p4:162 */
			in_commit_other_branch3_second(s);
			return HIT | a_commit_branches3_other_branch3_second;
	}
	in_NoAction(s);
	return a_commit_branches3_NoAction;
}

/* table pipe.Ingress.commit.leasts, tree.p4:241 */
INLINE u32 in_commit_leasts_apply(struct ingress *s)
{
	if ((s->commit.order & 0x80000000) == 0x80000000) { /* tree.p4:246 */
		in_commit_least_is_first(s);
		return HIT | a_commit_leasts_least_is_first;
	}
	in_commit_least_is_second(s);
	return a_commit_leasts_least_is_second;
}

/* table pipe.Ingress.commit.promises_below, tree.p4:210 */
INLINE u32 in_commit_promises_below_apply(struct ingress *s)
{
	if (s->md.branch == PLACE_NONE) { /* tree.p4:215 */
		in_NoAction(s);
		return HIT | a_commit_promises_below_NoAction;
	}
	in_commit_promised_below(s);
	return HIT | a_commit_promises_below_promised_below;
}

/* table pipe.Ingress.commit.promises_all, tree.p4:221 */
INLINE u32 in_commit_promises_all_apply(struct ingress *s)
{
	if (s->md.branch == PLACE_NONE) { /* tree.p4:226 */
		in_NoAction(s);
		return HIT | a_commit_promises_all_NoAction;
	}
	if ((in_hdr_bridge_commit_order(s) & 0x80000000) == 0x80000000) { /* tree.p4:227 */
		in_commit_all_is_below(s);
		return HIT | a_commit_promises_all_all_is_below;
	}
	in_commit_all_is_above(s);
	return HIT | a_commit_promises_all_all_is_above;
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
	s->md.link = LINK_NONE; /* parser.p4:22 */
	s->md.group = 0; /* parser.p4:22 */
	s->md.place = PLACE_NONE; /* parser.p4:22 */
	s->md.branch = PLACE_NONE; /* parser.p4:22 */
	s->md.counted = 0; /* parser.p4:22 */
	s->md.commit_counted = 0; /* parser.p4:22 */
	s->md.branches = 0; /* parser.p4:22 */
	s->md.commit_branches = 0; /* parser.p4:22 */
	s->md.settled = 0; /* parser.p4:22 */
	s->md.bridged = 0; /* parser.p4:22 */
	s->md.process = 0; /* parser.p4:22 */
	s->md.time = 0; /* parser.p4:22 */
	s->md.said = 0; /* parser.p4:22 */
	s->md.commit_said = 0; /* parser.p4:22 */
	s->md.early = 0; /* parser.p4:22 */
	s->md.commit_early = 0; /* parser.p4:22 */
	s->md.over = 0; /* parser.p4:22 */
	s->md.raised = 0; /* parser.p4:22 */
	s->md.commit_raised = 0; /* parser.p4:22 */
	s->md.below_rose = 0; /* parser.p4:22 */
	s->md.all_rose = 0; /* parser.p4:22 */
	s->md.commit_below_rose = 0; /* parser.p4:22 */
	s->md.commit_all_rose = 0; /* parser.p4:22 */
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
		if (key0 == PORT_ONEPIPE && key1 == 0)
			goto state_parse_onepipe; /* parser.p4:52 */
		if (key0 == PORT_ONEPIPE)
			goto state_checked; /* parser.p4:53 */
		return; /* parser.p4:54 */
	}
state_parse_onepipe:;
	/* state parse_onepipe, parser.p4:58 */
	if (unlikely(p + 24 > end))
		goto partial; /* parser.p4:59 */
	s->valid |= IN_hdr_onepipe;
	p += 24;
	s->md.said = in_hdr_onepipe_barrier(s); /* parser.p4:60 */
	s->md.commit_said = in_hdr_onepipe_commit(s); /* parser.p4:61 */
	sum_pipe_IngressParser_header_checksum = csum_add(sum_pipe_IngressParser_header_checksum, (u64)in_hdr_onepipe_timestamp(s) << 0);
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_onepipe) ? raw32((s->data + 42) + 6) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_onepipe) ? raw32((s->data + 42) + 10) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_onepipe) ? raw32((s->data + 42) + 14) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_onepipe) ? raw32((s->data + 42) + 18) : 0;
	raw_pipe_IngressParser_header_checksum += (s->valid & IN_hdr_onepipe) ? raw16((s->data + 42) + 22) : 0;
	s->md.header_error = csum_fold(sum_pipe_IngressParser_header_checksum + csum_raw(raw_pipe_IngressParser_header_checksum)) != 0xffff; /* parser.p4:63 */
	return;
state_checked:;
	/* state checked, parser.p4:67 */
	s->md.udp_checksum = 1; /* parser.p4:68 */
	return;
partial:;
	s->parser_error = 0x2;
	return;
}

/* commit, with a row of its registers, or with 0 when the index is out of range. */
INLINE void in_commit_with_r_group(struct ingress *s, struct r_group *row)
{
	s->r_group = row;
	s->commit.ahead0 = 0; /* tree.p4:138 */
	s->commit.ahead1 = 0; /* tree.p4:139 */
	s->commit.ahead2 = 0; /* tree.p4:140 */
	s->commit.ahead3 = 0; /* tree.p4:141 */
	s->commit.lead0 = 0; /* tree.p4:142 */
	s->commit.lead1 = 0; /* tree.p4:143 */
	s->commit.lead2 = 0; /* tree.p4:144 */
	s->commit.lead3 = 0; /* tree.p4:145 */
	s->commit.raised0 = 0; /* tree.p4:146 */
	s->commit.raised1 = 0; /* tree.p4:147 */
	s->commit.raised2 = 0; /* tree.p4:148 */
	s->commit.raised3 = 0; /* tree.p4:149 */
	s->commit.first = 0; /* tree.p4:150 */
	s->commit.second = 0; /* tree.p4:151 */
	s->commit.order = 0; /* tree.p4:152 */
	s->commit.least = 0; /* tree.p4:153 */
	s->md.commit_raised = 0; /* tree.p4:252 */
	s->md.commit_below_rose = 0; /* tree.p4:253 */
	s->md.commit_all_rose = 0; /* tree.p4:254 */
	in_commit_places0_apply(s); /* tree.p4:255 */
	in_commit_places1_apply(s); /* tree.p4:256 */
	in_commit_places2_apply(s); /* tree.p4:257 */
	in_commit_places3_apply(s); /* tree.p4:258 */
	s->commit.ahead0 = (u32)least_signed((s32)s->commit.ahead0, (s32)s->commit.ahead1); /* tree.p4:259 */
	s->commit.ahead2 = (u32)least_signed((s32)s->commit.ahead2, (s32)s->commit.ahead3); /* tree.p4:260 */
	s->commit.first = (u32)(s->md.commit_said + s->commit.ahead0); /* tree.p4:261 */
	s->commit.second = (u32)(s->md.commit_said + s->commit.ahead2); /* tree.p4:262 */
	s->commit.order = (u32)within((s64)(s32)s->commit.ahead0 - (s32)s->commit.ahead2, 32); /* tree.p4:263 */
	in_commit_branches0_apply(s); /* tree.p4:264 */
	s->commit.lead0 = opaque(s->length, s->commit.lead0);
	in_commit_branches1_apply(s); /* tree.p4:265 */
	s->commit.lead1 = opaque(s->length, s->commit.lead1);
	in_commit_branches2_apply(s); /* tree.p4:266 */
	s->commit.lead2 = opaque(s->length, s->commit.lead2);
	in_commit_branches3_apply(s); /* tree.p4:267 */
	s->commit.lead3 = opaque(s->length, s->commit.lead3);
	in_commit_leasts_apply(s); /* tree.p4:268 */
	s->commit.lead0 = (u32)least_signed((s32)s->commit.lead0, (s32)s->commit.lead1); /* tree.p4:269 */
	s->commit.lead2 = (u32)least_signed((s32)s->commit.lead2, (s32)s->commit.lead3); /* tree.p4:270 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_commit_below(s, (u32)(s->commit.least + s->commit.lead0)); /* tree.p4:271 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_commit_all(s, (u32)(s->commit.least + s->commit.lead2)); /* tree.p4:272 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_commit_order(s, (u32)within((s64)(s32)s->commit.lead0 - (s32)s->commit.lead2, 32)); /* tree.p4:273 */
	in_commit_promises_below_apply(s); /* tree.p4:274 */
	in_commit_promises_all_apply(s); /* tree.p4:275 */
	if ((((s->commit.raised0 == 1) || (s->commit.raised1 == 1)) || (s->commit.raised2 == 1)) || (s->commit.raised3 == 1)) { /* tree.p4:276 */
		aside();
		s->md.commit_raised = 1; /* tree.p4:277 */
	}
}

/* best_effort, with a row of its registers, or with 0 when the index is out of range. */
INLINE void in_best_effort_with_r_group(struct ingress *s, struct r_group *row)
{
	s->r_group = row;
	s->best_effort.ahead0 = 0; /* tree.p4:138 */
	s->best_effort.ahead1 = 0; /* tree.p4:139 */
	s->best_effort.ahead2 = 0; /* tree.p4:140 */
	s->best_effort.ahead3 = 0; /* tree.p4:141 */
	s->best_effort.lead0 = 0; /* tree.p4:142 */
	s->best_effort.lead1 = 0; /* tree.p4:143 */
	s->best_effort.lead2 = 0; /* tree.p4:144 */
	s->best_effort.lead3 = 0; /* tree.p4:145 */
	s->best_effort.raised0 = 0; /* tree.p4:146 */
	s->best_effort.raised1 = 0; /* tree.p4:147 */
	s->best_effort.raised2 = 0; /* tree.p4:148 */
	s->best_effort.raised3 = 0; /* tree.p4:149 */
	s->best_effort.first = 0; /* tree.p4:150 */
	s->best_effort.second = 0; /* tree.p4:151 */
	s->best_effort.order = 0; /* tree.p4:152 */
	s->best_effort.least = 0; /* tree.p4:153 */
	s->md.raised = 0; /* tree.p4:252 */
	s->md.below_rose = 0; /* tree.p4:253 */
	s->md.all_rose = 0; /* tree.p4:254 */
	in_best_effort_places0_apply(s); /* tree.p4:255 */
	in_best_effort_places1_apply(s); /* tree.p4:256 */
	in_best_effort_places2_apply(s); /* tree.p4:257 */
	in_best_effort_places3_apply(s); /* tree.p4:258 */
	s->best_effort.ahead0 = (u32)least_signed((s32)s->best_effort.ahead0, (s32)s->best_effort.ahead1); /* tree.p4:259 */
	s->best_effort.ahead2 = (u32)least_signed((s32)s->best_effort.ahead2, (s32)s->best_effort.ahead3); /* tree.p4:260 */
	s->best_effort.first = (u32)(s->md.said + s->best_effort.ahead0); /* tree.p4:261 */
	s->best_effort.second = (u32)(s->md.said + s->best_effort.ahead2); /* tree.p4:262 */
	s->best_effort.order = (u32)within((s64)(s32)s->best_effort.ahead0 - (s32)s->best_effort.ahead2, 32); /* tree.p4:263 */
	in_best_effort_branches0_apply(s); /* tree.p4:264 */
	s->best_effort.lead0 = opaque(s->length, s->best_effort.lead0);
	in_best_effort_branches1_apply(s); /* tree.p4:265 */
	s->best_effort.lead1 = opaque(s->length, s->best_effort.lead1);
	in_best_effort_branches2_apply(s); /* tree.p4:266 */
	s->best_effort.lead2 = opaque(s->length, s->best_effort.lead2);
	in_best_effort_branches3_apply(s); /* tree.p4:267 */
	s->best_effort.lead3 = opaque(s->length, s->best_effort.lead3);
	in_best_effort_leasts_apply(s); /* tree.p4:268 */
	s->best_effort.lead0 = (u32)least_signed((s32)s->best_effort.lead0, (s32)s->best_effort.lead1); /* tree.p4:269 */
	s->best_effort.lead2 = (u32)least_signed((s32)s->best_effort.lead2, (s32)s->best_effort.lead3); /* tree.p4:270 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_below(s, (u32)(s->best_effort.least + s->best_effort.lead0)); /* tree.p4:271 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_all(s, (u32)(s->best_effort.least + s->best_effort.lead2)); /* tree.p4:272 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_order(s, (u32)within((s64)(s32)s->best_effort.lead0 - (s32)s->best_effort.lead2, 32)); /* tree.p4:273 */
	in_best_effort_promises_below_apply(s); /* tree.p4:274 */
	in_best_effort_promises_all_apply(s); /* tree.p4:275 */
	if ((((s->best_effort.raised0 == 1) || (s->best_effort.raised1 == 1)) || (s->best_effort.raised2 == 1)) || (s->best_effort.raised3 == 1)) { /* tree.p4:276 */
		aside();
		s->md.raised = 1; /* tree.p4:277 */
	}
}

/* Deparser of the ingress, but for the emits. */
INLINE void in_deparse(struct ingress *s)
{
	if (s->md.routed) { /* parser.p4:80 */
		{ /* parser.p4:81 */
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
	if (s->extracted & IN_hdr_onepipe)
		parsed += 24;
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
	if (s->valid & IN_hdr_onepipe) {
		memcpy(saved->hdr_onepipe, (s->data + 42), 24);
		size += 24;
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
	if (s->valid & IN_hdr_onepipe) {
		if (p + 24 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_onepipe, 24);
		p += 24;
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
	EG_hdr_onepipe = 0x200u,
};

/* What the egress knows of a packet. Headers that came with the packet and are
 * not made anew stay there; the others are members of hdr. */
struct egress {
	u8 *data;        /* the packet */
	u32 valid;       /* headers that are valid now */
	u32 extracted;   /* headers that the parser found */
	struct {
		struct {
			u32 path; /* bit<8> */
			u32 pad; /* bit<7> */
			u32 ingress_port; /* bit<9> */
			u32 reason; /* bit<16> */
			u32 below; /* bit<32> */
			u32 all; /* bit<32> */
			u32 order; /* bit<32> */
			u32 commit_below; /* bit<32> */
			u32 commit_all; /* bit<32> */
			u32 commit_order; /* bit<32> */
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
		u32 output; /* bit<2> */
		u32 lanes; /* bit<4> */
		u32 commit_lanes; /* bit<4> */
		u32 barrier; /* bit<32> */
		u32 commit; /* bit<32> */
		u64 mac; /* bit<48> */
		u32 ip; /* bit<32> */
		union {
			u32 bits_of_rose;
			struct {
				u32 commit_rose : 1;
				u32 rose : 1;
			};
		};
	} md;
	struct {
		u32 egress_port; /* bit<9> */
	} eg_intr_md;
	struct {
		u32 drop_ctl; /* bit<3> */
	} eg_dprsr_md;
	struct {
		u32 color; /* bit<8> */
	} tmp;
	struct r_egress_port *r_egress_port; /* the row that the packet looks at, or 0 */
	u64 time;        /* ns; see eg_now() */
	u32 length;      /* of the frame, in bytes */
	u16 parser_error;
	u8 contention;   /* a register could not be changed */
};

/* hdr.ethernet, in the packet. */
INLINE u64 eg_hdr_ethernet_dst(struct egress *s) { return (s->valid & EG_hdr_ethernet) ? ld48(s->data) : 0; }
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

/* hdr.udp, in the packet. */
INLINE u16 eg_hdr_udp_src_port(struct egress *s) { return (s->valid & EG_hdr_udp) ? ld16(s->data + 34) : 0; }
INLINE u16 eg_hdr_udp_dst_port(struct egress *s) { return (s->valid & EG_hdr_udp) ? ld16((s->data + 34) + 2) : 0; }
INLINE u16 eg_hdr_udp_length(struct egress *s) { return (s->valid & EG_hdr_udp) ? ld16((s->data + 34) + 4) : 0; }
INLINE u16 eg_hdr_udp_checksum(struct egress *s) { return (s->valid & EG_hdr_udp) ? ld16((s->data + 34) + 6) : 0; }

/* hdr.onepipe, in the packet. */
INLINE u64 eg_hdr_onepipe_timestamp(struct egress *s) { return (s->valid & EG_hdr_onepipe) ? ld48(s->data + 42) : 0; }
INLINE u32 eg_hdr_onepipe_barrier(struct egress *s) { return (s->valid & EG_hdr_onepipe) ? ld32((s->data + 42) + 6) : 0; }
INLINE void eg_set_hdr_onepipe_barrier(struct egress *s, u32 v)
{
	if (s->valid & EG_hdr_onepipe)
		st32((s->data + 42) + 6, v);
}
INLINE u32 eg_hdr_onepipe_commit(struct egress *s) { return (s->valid & EG_hdr_onepipe) ? ld32((s->data + 42) + 10) : 0; }
INLINE void eg_set_hdr_onepipe_commit(struct egress *s, u32 v)
{
	if (s->valid & EG_hdr_onepipe)
		st32((s->data + 42) + 10, v);
}
INLINE u8 eg_hdr_onepipe_opcode(struct egress *s) { return (s->valid & EG_hdr_onepipe) ? ((ld8((s->data + 42) + 14) >> 4) & 0xf) : 0; }
INLINE u8 eg_hdr_onepipe_flags(struct egress *s) { return (s->valid & EG_hdr_onepipe) ? (ld8((s->data + 42) + 14) & 0xf) : 0; }
INLINE u32 eg_hdr_onepipe_psn(struct egress *s) { return (s->valid & EG_hdr_onepipe) ? ld24((s->data + 42) + 15) : 0; }
INLINE u16 eg_hdr_onepipe_src(struct egress *s) { return (s->valid & EG_hdr_onepipe) ? ld16((s->data + 42) + 18) : 0; }
INLINE u16 eg_hdr_onepipe_dst(struct egress *s) { return (s->valid & EG_hdr_onepipe) ? ld16((s->data + 42) + 20) : 0; }
INLINE u16 eg_hdr_onepipe_checksum(struct egress *s) { return (s->valid & EG_hdr_onepipe) ? ld16((s->data + 42) + 22) : 0; }
INLINE void eg_set_hdr_onepipe_checksum(struct egress *s, u16 v)
{
	if (s->valid & EG_hdr_onepipe)
		st16((s->data + 42) + 22, v);
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
	u8 hdr_onepipe[24];
};
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct eg_saved); }
	eg_scratch SEC(".maps"); /* headers of a packet whose layout changes */

GLOBAL u64 eg_again_best_effort_promised_promised_raise(u32 index, u32 in0 /* md.barrier */)
{
	struct r_egress_port *row = ELEMENT_OF_ALL(r_egress_port, 512, index);
	u32 *cell = &row->promised;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* stamp.p4:89 */
			p_held = in0; /* stamp.p4:90 */
			p_higher = 1; /* stamp.p4:91 */
		} else {
			p_higher = 0; /* stamp.p4:93 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Egress.stamp.best_effort.promised_raise on pipe.Egress.stamp.best_effort.promised, stamp.p4:87 */
INLINE u32 eg_best_effort_promised_promised_raise(struct egress *s, u32 index)
{
	struct r_egress_port *row = s->r_egress_port;
	u32 *cell = &row->promised;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - s->md.barrier) < (s32)0) { /* stamp.p4:89 */
		p_held = s->md.barrier; /* stamp.p4:90 */
		p_higher = 1; /* stamp.p4:91 */
	} else {
		p_higher = 0; /* stamp.p4:93 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = eg_again_best_effort_promised_promised_raise(index, s->md.barrier);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

GLOBAL u64 eg_again_commit_promised_promised_raise(u32 index, u32 in0 /* md.commit */)
{
	struct r_egress_port *row = ELEMENT_OF_ALL(r_egress_port, 512, index);
	u32 *cell = &row->promised_2;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_held = old;
		u32 p_higher = 0;
		if ((s32)(u32)(p_held - in0) < (s32)0) { /* stamp.p4:89 */
			p_held = in0; /* stamp.p4:90 */
			p_higher = 1; /* stamp.p4:91 */
		} else {
			p_higher = 0; /* stamp.p4:93 */
		}
		u32 new = (u32)p_held;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_higher;
	}
	return 1ULL << 63;
}

/* register action pipe.Egress.stamp.commit.promised_raise on pipe.Egress.stamp.commit.promised, stamp.p4:87 */
INLINE u32 eg_commit_promised_promised_raise(struct egress *s, u32 index)
{
	struct r_egress_port *row = s->r_egress_port;
	u32 *cell = &row->promised_2;
	u32 old = READ_ONCE(*cell);
	u32 p_held = old;
	u32 p_higher = 0;
	if ((s32)(u32)(p_held - s->md.commit) < (s32)0) { /* stamp.p4:89 */
		p_held = s->md.commit; /* stamp.p4:90 */
		p_higher = 1; /* stamp.p4:91 */
	} else {
		p_higher = 0; /* stamp.p4:93 */
	}
	u32 new = (u32)p_held;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_higher;
	u64 repeated_ = eg_again_commit_promised_promised_raise(index, s->md.commit);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* action pipe.Egress.stamp.up, stamp.p4:115 */
INLINE void eg_up(struct egress *s, u64 p_mac, u32 p_ip, u8 p_lanes, u8 p_commit_lanes)
{
	s->md.output = OUTPUT_UP; /* stamp.p4:116 */
	s->md.barrier = s->hdr.bridge.below; /* stamp.p4:117 */
	s->md.commit = s->hdr.bridge.commit_below; /* stamp.p4:118 */
	s->md.lanes = p_lanes; /* stamp.p4:119 */
	s->md.commit_lanes = p_commit_lanes; /* stamp.p4:120 */
	s->md.mac = p_mac; /* stamp.p4:121 */
	s->md.ip = p_ip; /* stamp.p4:122 */
}

/* action pipe.Egress.stamp.down, stamp.p4:126 */
INLINE void eg_down(struct egress *s, u64 p_mac, u32 p_ip, u8 p_lanes, u8 p_commit_lanes)
{
	s->md.output = OUTPUT_DOWN; /* stamp.p4:127 */
	s->md.barrier = s->hdr.bridge.all; /* stamp.p4:128 */
	s->md.commit = s->hdr.bridge.commit_all; /* stamp.p4:129 */
	s->md.lanes = p_lanes; /* stamp.p4:130 */
	s->md.commit_lanes = p_commit_lanes; /* stamp.p4:131 */
	s->md.mac = p_mac; /* stamp.p4:132 */
	s->md.ip = p_ip; /* stamp.p4:133 */
}

/* action NoAction, <core.p4>:35 */
INLINE void eg_NoAction(struct egress *s)
{
	aside();
}

/* table pipe.Egress.stamp.outputs, stamp.p4:137 */
INLINE u32 eg_outputs_apply(struct egress *s)
{
	u32 key = s->eg_intr_md.egress_port; /* stamp.p4:138 */
	union value_outputs *value = lookup_outputs(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		eg_NoAction(s);
		return a_outputs_NoAction;
	}
	u32 action = value->action - !!hit;
	switch (action) {
		case a_outputs_up:
			eg_up(s, value->up.mac, value->up.ip, value->up.lanes, value->up.commit_lanes);
			break;
		case a_outputs_down:
			eg_down(s, value->down.mac, value->down.ip, value->down.lanes, value->down.commit_lanes);
			break;
		case a_outputs_NoAction:
			eg_NoAction(s);
			break;
	}
	return hit | action;
}

/* Parser of the egress: on an error, parser_error says which (TNA numbers). */
INLINE void eg_parse(struct egress *s, u8 *p, u8 *end)
{
	/* state start, parser.p4:101 */
	s->md.output = OUTPUT_NONE; /* parser.p4:104 */
	s->md.lanes = 0; /* parser.p4:104 */
	s->md.commit_lanes = 0; /* parser.p4:104 */
	s->md.barrier = 0; /* parser.p4:104 */
	s->md.commit = 0; /* parser.p4:104 */
	s->md.mac = 0ULL; /* parser.p4:104 */
	s->md.ip = 0; /* parser.p4:104 */
	s->md.rose = 0; /* parser.p4:104 */
	s->md.commit_rose = 0; /* parser.p4:104 */
	{
		u8 key0 = s->hdr.bridge.path;
		if (key0 == PATH_PLAIN)
			return; /* parser.p4:106 */
		goto state_parse_ours; /* parser.p4:107 */
	}
state_parse_ours:;
	/* state parse_ours, parser.p4:112 */
	if (unlikely(p + 14 > end))
		goto partial; /* parser.p4:113 */
	s->valid |= EG_hdr_ethernet;
	p += 14;
	if (unlikely(p + 20 > end))
		goto partial; /* parser.p4:114 */
	s->valid |= EG_hdr_ipv4;
	p += 20;
	if (unlikely(p + 8 > end))
		goto partial; /* parser.p4:115 */
	s->valid |= EG_hdr_udp;
	p += 8;
	if (unlikely(p + 24 > end))
		goto partial; /* parser.p4:116 */
	s->valid |= EG_hdr_onepipe;
	p += 24;
	return;
partial:;
	s->parser_error = 0x2;
	return;
}

/* stamp, with a row of its registers, or with 0 when the index is out of range. */
INLINE void eg_with_r_egress_port(struct egress *s, struct r_egress_port *row)
{
	s->r_egress_port = row;
	if (((u8)(s->hdr.bridge.order >> 31) & 1) == 1) { /* stamp.p4:154 */
		if (s->valid & EG_hdr_bridge)
			s->hdr.bridge.all = s->hdr.bridge.below; /* stamp.p4:155 */
	}
	if (((u8)(s->hdr.bridge.commit_order >> 31) & 1) == 1) { /* stamp.p4:157 */
		if (s->valid & EG_hdr_bridge)
			s->hdr.bridge.commit_all = s->hdr.bridge.commit_below; /* stamp.p4:158 */
	}
	eg_outputs_apply(s); /* stamp.p4:160 */
	if (s->md.output == OUTPUT_NONE) { /* stamp.p4:161 */
		s->eg_dprsr_md.drop_ctl = 1; /* stamp.p4:162 */
		COUNT(c_by_egress_port, 512, 512, s->eg_intr_md.egress_port, unlinked, s->length); /* stamp.p4:163 */
	} else {
		if ((eg_hdr_onepipe_flags(s) & FLAG_UNSTAMPED) == 0) { /* stamp.p4:169 */
			{ /* best_effort */
				s->md.rose = eg_best_effort_promised_promised_raise(s, s->eg_intr_md.egress_port); /* stamp.p4:99 */
			}
			{ /* commit */
				s->md.commit_rose = eg_commit_promised_promised_raise(s, s->eg_intr_md.egress_port); /* stamp.p4:99 */
			}
			eg_set_hdr_onepipe_barrier(s, s->md.barrier); /* stamp.p4:176 */
			eg_set_hdr_onepipe_commit(s, s->md.commit); /* stamp.p4:177 */
			if (s->hdr.bridge.path == PATH_BEACON) { /* stamp.p4:178 */
				if ((s->md.rose == 0) && (s->md.commit_rose == 0)) { /* stamp.p4:179 */
					aside();
					s->eg_dprsr_md.drop_ctl = 1; /* stamp.p4:180 */
				} else {
					eg_set_hdr_ethernet_src(s, s->md.mac); /* stamp.p4:182 */
					eg_set_hdr_ipv4_src(s, s->md.ip); /* stamp.p4:183 */
					COUNT(c_by_egress_port, 512, 512, s->eg_intr_md.egress_port, beacons, s->length); /* stamp.p4:184 */
				}
			}
		}
	}
}

/* Deparser of the egress, but for the emits. */
INLINE void eg_deparse(struct egress *s)
{
	{ /* parser.p4:129 */
		u64 sum = 0, raw = 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 0) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 4) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw16((s->data + 14) + 8) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 12) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 16) : 0;
		u16 check = ~csum_fold(sum + csum_raw(raw));
		eg_set_hdr_ipv4_checksum(s, check);
	}
	{ /* parser.p4:133 */
		u64 sum = 0, raw = 0;
		sum = csum_add(sum, (u64)eg_hdr_onepipe_timestamp(s) << 0);
		raw += (s->valid & EG_hdr_onepipe) ? raw32((s->data + 42) + 6) : 0;
		raw += (s->valid & EG_hdr_onepipe) ? raw32((s->data + 42) + 10) : 0;
		raw += (s->valid & EG_hdr_onepipe) ? raw32((s->data + 42) + 14) : 0;
		raw += (s->valid & EG_hdr_onepipe) ? raw32((s->data + 42) + 18) : 0;
		u16 check = ~csum_fold(sum + csum_raw(raw));
		eg_set_hdr_onepipe_checksum(s, check);
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
	if (s->extracted & EG_hdr_onepipe)
		parsed += 24;
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
	if (s->valid & EG_hdr_onepipe) {
		memcpy(saved->hdr_onepipe, (s->data + 42), 24);
		size += 24;
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
	if (s->valid & EG_hdr_onepipe) {
		if (p + 24 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_onepipe, 24);
		p += 24;
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
	COUNT(c_by_ingress_port, 512, 512, s->ig_intr_md.ingress_port, port_rx, s->length); /* onepipe.p4:72 */
	if (!(s->valid & IN_hdr_bridge)) { /* onepipe.p4:73 */
		s->valid |= IN_hdr_bridge;
	}
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_path(s, PATH_PLAIN); /* onepipe.p4:74 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_reason(s, REASON_NONE); /* onepipe.p4:75 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_pad(s, 0); /* onepipe.p4:76 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_below(s, 0); /* onepipe.p4:77 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_all(s, 0); /* onepipe.p4:78 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_commit_below(s, 0); /* onepipe.p4:79 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_commit_all(s, 0); /* onepipe.p4:80 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_order(s, 0); /* onepipe.p4:81 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_commit_order(s, 0); /* onepipe.p4:82 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_ingress_port(s, s->ig_intr_md.ingress_port); /* onepipe.p4:83 */
	if (s->ig_prsr_md.parser_err != 0) { /* onepipe.p4:84 */
		aside();
		s->md.drop = DROP_MALFORMED; /* onepipe.p4:85 */
	} else {
		if (!!(s->valid & IN_hdr_packet_out)) { /* onepipe.p4:86 */
			s->ig_tm_md.ucast_egress_port = in_hdr_packet_out_egress_port(s); /* onepipe.p4:87 */
			s->unicast = 1;
			s->valid &= ~IN_hdr_packet_out; /* onepipe.p4:88 */
			s->md.settled = 1; /* onepipe.p4:89 */
		} else {
			if (s->md.checksum_error) { /* onepipe.p4:90 */
				aside();
				s->md.drop = DROP_IP_CHECKSUM; /* onepipe.p4:91 */
			} else {
				if (s->md.udp_checksum) { /* onepipe.p4:92 */
					aside();
					s->md.drop = DROP_UDP_CHECKSUM; /* onepipe.p4:93 */
				} else {
					if (s->md.header_error) { /* onepipe.p4:94 */
						aside();
						s->md.drop = DROP_HEADER_CHECKSUM; /* onepipe.p4:95 */
					} else {
						if (!!(s->valid & IN_hdr_onepipe)) { /* onepipe.p4:96 */
							aside();
							if (s->valid & IN_hdr_bridge)
								in_set_hdr_bridge_path(s, PATH_MESSAGE); /* onepipe.p4:97 */
						}
					}
				}
			}
		}
	}
	if ((s->md.settled == 0) && (s->md.drop == DROP_NONE)) { /* onepipe.p4:99 */
		{ /* ports */
			in_port_group_apply(s); /* ports.p4:36 */
		}
		if (!!(s->valid & IN_hdr_onepipe)) { /* onepipe.p4:101 */
			{ /* link */
				s->md.time = (u32)(u32)(in_hdr_onepipe_timestamp(s) >> 6); /* link.p4:135 */
				s->md.early = (u32)(s->md.time - s->md.said); /* link.p4:136 */
				s->md.commit_early = (u32)(s->md.time - s->md.commit_said); /* link.p4:137 */
				s->md.over = (u32)(s->md.said - s->md.commit_said); /* link.p4:138 */
				in_inputs_apply(s); /* link.p4:140 */
				in_members_apply(s); /* link.p4:142 */
				in_senders_apply(s); /* link.p4:143 */
				in_admission_apply(s); /* link.p4:145 */
				s->md.drop = opaque(s->length, s->md.drop);
				s->md.place = opaque(s->length, s->md.place);
				s->md.branch = opaque(s->length, s->md.branch);
			}
			{ /* best_effort */
				struct r_group *row = ELEMENT(r_group, 4, s->md.group);
				barrier_var(row);
				if (likely(row))
					in_best_effort_with_r_group(s, row);
				else
					in_best_effort_with_r_group(s, 0);
			}
			{ /* commit */
				struct r_group *row = ELEMENT(r_group, 4, s->md.group);
				barrier_var(row);
				if (likely(row))
					in_commit_with_r_group(s, row);
				else
					in_commit_with_r_group(s, 0);
			}
			if (((in_hdr_bridge_path(s) != PATH_PLAIN) && (s->md.raised == 0)) && (s->md.commit_raised == 0)) { /* onepipe.p4:111 */
				COUNT(c_by_ingress_port, 512, 512, s->ig_intr_md.ingress_port, unraised, s->length); /* onepipe.p4:112 */
			}
		}
	}
	if ((in_hdr_bridge_path(s) == PATH_MESSAGE) && (in_hdr_onepipe_opcode(s) == OP_BEACON)) { /* onepipe.p4:117 */
		aside();
		if (s->valid & IN_hdr_bridge)
			in_set_hdr_bridge_path(s, PATH_BEACON); /* onepipe.p4:123 */
		s->md.settled = 1; /* onepipe.p4:125 */
	}
	if ((s->md.settled == 0) && (s->md.drop == DROP_NONE)) { /* onepipe.p4:127 */
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
										if (!!(s->valid & IN_hdr_onepipe)) { /* local.p4:9 */
											aside();
											s->md.drop = DROP_TO_SWITCH; /* local.p4:10 */
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
	}
	if (s->md.reason != REASON_NONE) { /* onepipe.p4:130 */
		s->ig_tm_md.ucast_egress_port = PORT_CPU; /* onepipe.p4:131 */
		s->unicast = 1;
		if (s->valid & IN_hdr_bridge)
			in_set_hdr_bridge_reason(s, s->md.reason); /* onepipe.p4:132 */
		if (s->valid & IN_hdr_bridge)
			in_set_hdr_bridge_path(s, PATH_PLAIN); /* onepipe.p4:133 */
		COUNT(c_punts, 16, 16, s->md.reason, punts, s->length); /* onepipe.p4:134 */
	}
	if (s->md.drop != DROP_NONE) { /* onepipe.p4:136 */
		s->ig_dprsr_md.drop_ctl = 1; /* onepipe.p4:137 */
		COUNT(c_drops, 32, 32, s->md.drop, drops, s->length); /* onepipe.p4:138 */
		if (in_hdr_bridge_path(s) != PATH_PLAIN) { /* onepipe.p4:139 */
			COUNT(c_by_ingress_port, 512, 512, s->ig_intr_md.ingress_port, refused, s->length); /* onepipe.p4:140 */
		}
	} else {
		if (in_hdr_bridge_path(s) == PATH_BEACON) { /* onepipe.p4:143 */
			if ((((s->md.below_rose == 1) || (s->md.all_rose == 1)) || (s->md.commit_below_rose == 1)) || (s->md.commit_all_rose == 1)) { /* onepipe.p4:144 */
				aside();
				s->ig_tm_md.mcast_grp_a = OUTPUTS_GROUP; /* onepipe.p4:145 */
			} else {
				s->ig_dprsr_md.drop_ctl = 1; /* onepipe.p4:147 */
			}
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
	if (s->hdr.bridge.path != PATH_PLAIN) { /* onepipe.p4:167 */
		{ /* stamp */
			struct r_egress_port *row = ELEMENT_OF_ALL(r_egress_port, 512, s->eg_intr_md.egress_port);
			eg_with_r_egress_port(s, row);
		}
	} else {
		if (s->eg_intr_md.egress_port == PORT_CPU) { /* onepipe.p4:169 */
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
	if (s->eg_dprsr_md.drop_ctl == 0) { /* onepipe.p4:172 */
		COUNT(c_by_egress_port, 512, 512, s->eg_intr_md.egress_port, port_tx, s->length); /* onepipe.p4:173 */
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
	s->hdr.bridge.path = m->bridge.path;
	s->hdr.bridge.pad = ((ld8(m->bridge.pad_ingress_port) >> 1) & 0x7f);
	s->hdr.bridge.ingress_port = (ld16(m->bridge.pad_ingress_port) & 0x1ff);
	s->hdr.bridge.reason = ld16(m->bridge.reason);
	s->hdr.bridge.below = ld32(m->bridge.below);
	s->hdr.bridge.all = ld32(m->bridge.all);
	s->hdr.bridge.order = ld32(m->bridge.order);
	s->hdr.bridge.commit_below = ld32(m->bridge.commit_below);
	s->hdr.bridge.commit_all = ld32(m->bridge.commit_all);
	s->hdr.bridge.commit_order = ld32(m->bridge.commit_order);
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
