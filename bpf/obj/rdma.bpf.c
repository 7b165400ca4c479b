/* Code generated from rdma.p4 by p4xc. DO NOT EDIT. */
#include "p4xdp.h"

enum { /* actions of pipe.Ingress.group.port_class */
	a_port_class_set_class,
	a_port_class_own_class,
};
union value_port_class {
	u32 action;
	struct {
		u32 action; /* a_port_class_set_class */
		u16 class;
	} set_class;
	u64 size[1];
};
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, union value_port_class); }
	t_port_class SEC(".maps"); /* table pipe.Ingress.group.port_class: no entry where the action is 0, else the action + 1 */

enum { /* actions of pipe.Ingress.group.qp */
	a_qp_scatter,
	a_qp_gather,
	a_qp_NoAction,
};
union value_qp {
	u32 action;
	struct {
		u32 action; /* a_qp_scatter */
		u32 rkey;
		u32 region_mask;
		u16 group;
		u16 multicast_group;
		u8 members;
	} scatter;
	struct {
		u32 action; /* a_qp_gather */
		u32 delta;
		u32 icrc;
		u16 group;
		u16 leader_port; /* 9 bits */
		u8 slot;
		u8 members;
		u8 f; /* 4 bits */
	} gather;
	u64 size[3];
};
struct key_qp {
	u32 hdr_ipv4_src;
	u32 hdr_ipv4_dst;
	u32 hdr_bth_dst_qp; /* 24 bits */
	u16 port_class;
	u8 pad_[2];
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 36864); __type(key, struct key_qp); __type(value, union value_qp); }
	t_qp SEC(".maps"); /* table pipe.Ingress.group.qp */

enum { /* actions of pipe.Ingress.group.classify */
	a_classify_copy,
	a_classify_write,
	a_classify_ack,
	a_classify_nak,
	a_classify_cnp,
	a_classify_invalid_request,
	a_classify_bad_opcode,
	a_classify_bad_syndrome,
	a_classify_damaged,
};

enum { /* actions of pipe.Ingress.forward.own_mac */
	a_own_mac_pretended,
	a_own_mac_NoAction,
};
union value_own_mac {
	u32 action;
	u64 size[1];
};
struct key_own_mac {
	u64 hdr_ethernet_src; /* 48 bits */
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 64); __type(key, struct key_own_mac); __type(value, union value_own_mac); }
	t_own_mac SEC(".maps"); /* table pipe.Ingress.forward.own_mac */

enum { /* actions of pipe.Ingress.forward.own_ip */
	a_own_ip_pretended,
	a_own_ip_NoAction,
};
union value_own_ip {
	u32 action;
	u64 size[1];
};
struct key_own_ip {
	u32 sender;
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 64); __type(key, struct key_own_ip); __type(value, union value_own_ip); }
	t_own_ip SEC(".maps"); /* table pipe.Ingress.forward.own_ip */

enum { /* actions of pipe.Ingress.forward.switch_ip */
	a_switch_ip_to_switch,
	a_switch_ip_NoAction,
};
union value_switch_ip {
	u32 action;
	u64 size[1];
};
struct key_switch_ip {
	u32 hdr_ipv4_dst;
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 64); __type(key, struct key_switch_ip); __type(value, union value_switch_ip); }
	t_switch_ip SEC(".maps"); /* table pipe.Ingress.forward.switch_ip */

enum { /* actions of pipe.Ingress.forward.l2 */
	a_l2_forward,
	a_l2_router,
	a_l2_unknown,
};
union value_l2 {
	u32 action;
	struct {
		u32 action; /* a_l2_forward */
		u16 port; /* 9 bits */
	} forward;
	u64 size[1];
};
struct key_l2 {
	u64 hdr_ethernet_dst; /* 48 bits */
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, struct key_l2); __type(value, union value_l2); }
	t_l2 SEC(".maps"); /* table pipe.Ingress.forward.l2 */

enum { /* actions of pipe.Ingress.forward.l3 */
	a_l3_route,
	a_l3_no_route,
};
union value_l3 {
	u32 action;
	struct {
		u32 action; /* a_l3_route */
		u64 src_mac; /* 48 bits */
		u64 dst_mac; /* 48 bits */
		u16 port; /* 9 bits */
	} route;
	u64 size[4];
};
struct key_l3 {
	u32 prefix; /* length in bits */
	u8 hdr_ipv4_dst[4];
};
struct { __uint(type, BPF_MAP_TYPE_LPM_TRIE); __uint(max_entries, 4096); __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, struct key_l3); __type(value, union value_l3); }
	t_l3 SEC(".maps"); /* table pipe.Ingress.forward.l3 */

enum { /* actions of pipe.Ingress.slots.window */
	a_window_request,
	a_window_response,
	a_window_NoAction,
};

enum { /* actions of pipe.Ingress.slots.held0 */
	a_held0_slot0_update,
	a_held0_slot0_query,
	a_held0_slot0_expire,
	a_held0_NoAction,
};

enum { /* actions of pipe.Ingress.slots.held1 */
	a_held1_slot1_update,
	a_held1_slot1_query,
	a_held1_slot1_expire,
	a_held1_NoAction,
};

enum { /* actions of pipe.Ingress.slots.held2 */
	a_held2_slot2_update,
	a_held2_slot2_query,
	a_held2_slot2_expire,
	a_held2_NoAction,
};

enum { /* actions of pipe.Ingress.slots.held3 */
	a_held3_slot3_update,
	a_held3_slot3_query,
	a_held3_slot3_expire,
	a_held3_NoAction,
};

enum { /* actions of pipe.Ingress.slots.held4 */
	a_held4_slot4_update,
	a_held4_slot4_query,
	a_held4_slot4_expire,
	a_held4_NoAction,
};

enum { /* actions of pipe.Ingress.slots.held5 */
	a_held5_slot5_update,
	a_held5_slot5_query,
	a_held5_slot5_expire,
	a_held5_NoAction,
};

enum { /* actions of pipe.Ingress.slots.held6 */
	a_held6_slot6_update,
	a_held6_slot6_query,
	a_held6_slot6_expire,
	a_held6_NoAction,
};

enum { /* actions of pipe.Ingress.slots.held7 */
	a_held7_slot7_update,
	a_held7_slot7_query,
	a_held7_slot7_expire,
	a_held7_NoAction,
};

enum { /* actions of pipe.Ingress.scatter.check */
	a_check_allowed,
	a_check_remote_access,
};

enum { /* actions of pipe.Ingress.gather.credits0 */
	a_credits0_credit0_update,
	a_credits0_credit0_query,
	a_credits0_credit0_note,
	a_credits0_NoAction,
};

enum { /* actions of pipe.Ingress.gather.credits1 */
	a_credits1_credit1_update,
	a_credits1_credit1_query,
	a_credits1_credit1_note,
	a_credits1_NoAction,
};

enum { /* actions of pipe.Ingress.gather.credits2 */
	a_credits2_credit2_update,
	a_credits2_credit2_query,
	a_credits2_credit2_note,
	a_credits2_NoAction,
};

enum { /* actions of pipe.Ingress.gather.credits3 */
	a_credits3_credit3_update,
	a_credits3_credit3_query,
	a_credits3_credit3_note,
	a_credits3_NoAction,
};

enum { /* actions of pipe.Ingress.gather.credits4 */
	a_credits4_credit4_update,
	a_credits4_credit4_query,
	a_credits4_credit4_note,
	a_credits4_NoAction,
};

enum { /* actions of pipe.Ingress.gather.credits5 */
	a_credits5_credit5_update,
	a_credits5_credit5_query,
	a_credits5_credit5_note,
	a_credits5_NoAction,
};

enum { /* actions of pipe.Ingress.gather.credits6 */
	a_credits6_credit6_update,
	a_credits6_credit6_query,
	a_credits6_credit6_note,
	a_credits6_NoAction,
};

enum { /* actions of pipe.Ingress.gather.credits7 */
	a_credits7_credit7_update,
	a_credits7_credit7_query,
	a_credits7_credit7_note,
	a_credits7_NoAction,
};

enum { /* actions of pipe.Ingress.gather.heard */
	a_heard_slot_heard,
	a_heard_NoAction,
};

enum { /* actions of pipe.Ingress.gather.quorum */
	a_quorum_quorum_reached,
	a_quorum_NoAction,
};

enum { /* actions of pipe.Ingress.gather.commits */
	a_commits_commit,
	a_commits_commit_look,
	a_commits_look,
	a_commits_NoAction,
};

enum { /* actions of pipe.Ingress.gather.answer */
	a_answer_answer_ack,
	a_answer_answer_nak,
	a_answer_absorb,
};

enum { /* actions of pipe.Ingress.cnp.cnp_interval */
	a_cnp_interval_interval,
};
union value_cnp_interval {
	u32 action;
	struct {
		u32 action; /* a_cnp_interval_interval */
		u32 units;
	} interval;
	u64 size[1];
};
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, union value_cnp_interval); }
	d_cnp_interval SEC(".maps"); /* default action of pipe.Ingress.cnp.cnp_interval */

enum { /* actions of pipe.Egress.rewrite.endpoint */
	a_endpoint_to_replica,
	a_endpoint_unknown_replica,
};
union value_endpoint {
	u32 action;
	struct {
		u32 action; /* a_endpoint_to_replica */
		u64 src_mac; /* 48 bits */
		u64 dst_mac; /* 48 bits */
		u64 base;
		u32 dst_ip;
		u32 dst_qp; /* 24 bits */
		u32 delta;
		u32 rkey;
		u32 icrc;
		u32 icrc_rkey;
		u8 neutral; /* 1 bits */
	} to_replica;
	u64 size[8];
};
struct key_endpoint {
	u16 eg_intr_md_egress_rid;
	u8 pad_[2];
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 32768); __type(key, struct key_endpoint); __type(value, union value_endpoint); }
	t_endpoint SEC(".maps"); /* table pipe.Egress.rewrite.endpoint */

enum { /* actions of pipe.Egress.rewrite.leader */
	a_leader_to_leader,
	a_leader_unknown_leader,
};
union value_leader {
	u32 action;
	struct {
		u32 action; /* a_leader_to_leader */
		u64 src_mac; /* 48 bits */
		u64 dst_mac; /* 48 bits */
		u32 dst_ip;
		u32 dst_qp; /* 24 bits */
		u8 neutral; /* 1 bits */
	} to_leader;
	u64 size[5];
};
struct key_leader {
	u16 hdr_bridge_group;
	u8 pad_[2];
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, struct key_leader); __type(value, union value_leader); }
	t_leader SEC(".maps"); /* table pipe.Egress.rewrite.leader */

enum { /* actions of pipe.Egress.rewrite.icrc_psn0 */
	a_icrc_psn0_icrc_psn0_fix,
	a_icrc_psn0_NoAction,
};

enum { /* actions of pipe.Egress.rewrite.icrc_psn1 */
	a_icrc_psn1_icrc_psn1_fix,
	a_icrc_psn1_NoAction,
};

enum { /* actions of pipe.Egress.rewrite.icrc_psn2 */
	a_icrc_psn2_icrc_psn2_fix,
	a_icrc_psn2_NoAction,
};

enum { /* actions of pipe.Egress.rewrite.icrc_va0 */
	a_icrc_va0_icrc_va0_fix,
	a_icrc_va0_NoAction,
};

enum { /* actions of pipe.Egress.rewrite.icrc_va1 */
	a_icrc_va1_icrc_va1_fix,
	a_icrc_va1_NoAction,
};

enum { /* actions of pipe.Egress.rewrite.icrc_va2 */
	a_icrc_va2_icrc_va2_fix,
	a_icrc_va2_NoAction,
};

enum { /* actions of pipe.Egress.rewrite.icrc_va3 */
	a_icrc_va3_icrc_va3_fix,
	a_icrc_va3_NoAction,
};

enum { /* actions of pipe.Egress.rewrite.icrc_va4 */
	a_icrc_va4_icrc_va4_fix,
	a_icrc_va4_NoAction,
};

enum { /* actions of pipe.Egress.rewrite.icrc_va5 */
	a_icrc_va5_icrc_va5_fix,
	a_icrc_va5_NoAction,
};

enum { /* actions of pipe.Egress.rewrite.icrc_va6 */
	a_icrc_va6_icrc_va6_fix,
	a_icrc_va6_NoAction,
};

enum { /* actions of pipe.Egress.rewrite.icrc_va7 */
	a_icrc_va7_icrc_va7_fix,
	a_icrc_va7_NoAction,
};

enum { /* actions of pipe.Egress.rewrite.icrc_syndrome */
	a_icrc_syndrome_icrc_syndrome_fix,
	a_icrc_syndrome_NoAction,
};

/* Registers of pipe.Ingress.slots, row by row. */
struct r_slots {
	u64 slot0; /* bit<32> psn, bit<32> lost */
	u64 slot1; /* bit<32> psn, bit<32> lost */
	u64 slot2; /* bit<32> psn, bit<32> lost */
	u64 slot3; /* bit<32> psn, bit<32> lost */
	u64 slot4; /* bit<32> psn, bit<32> lost */
	u64 slot5; /* bit<32> psn, bit<32> lost */
	u64 slot6; /* bit<32> psn, bit<32> lost */
	u64 slot7; /* bit<32> psn, bit<32> lost */
	u32 sent;
} r_slots[4096];

/* Registers of pipe.Ingress.gather, row by row. */
struct r_gather {
	u64 credit0; /* bit<32> psn, bit<32> code */
	u64 credit1; /* bit<32> psn, bit<32> code */
	u64 credit2; /* bit<32> psn, bit<32> code */
	u64 credit3; /* bit<32> psn, bit<32> code */
	u64 credit4; /* bit<32> psn, bit<32> code */
	u64 credit5; /* bit<32> psn, bit<32> code */
	u64 credit6; /* bit<32> psn, bit<32> code */
	u64 credit7; /* bit<32> psn, bit<32> code */
	u32 committed;
} r_gather[4096];

/* Registers of pipe.Ingress.cnp, row by row. */
struct r_cnp {
	u32 last_cnp;
} r_cnp[4096];

struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, struct p4_counter); }
	c_port_rx SEC(".maps"); /* counter pipe.Ingress.port_rx */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 16); __type(key, u32); __type(value, struct p4_counter); }
	c_drops SEC(".maps"); /* counter pipe.Ingress.drops */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 16); __type(key, u32); __type(value, struct p4_counter); }
	c_punts SEC(".maps"); /* counter pipe.Ingress.punts */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 4096); __type(key, u32); __type(value, struct p4_counter); }
	c_scattered SEC(".maps"); /* counter pipe.Ingress.scatter.scattered */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 4096); __type(key, u32); __type(value, struct p4_counter); }
	c_gathered SEC(".maps"); /* counter pipe.Ingress.gather.gathered */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 4096); __type(key, u32); __type(value, struct p4_counter); }
	c_answered SEC(".maps"); /* counter pipe.Ingress.gather.answered */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 4096); __type(key, u32); __type(value, struct p4_counter); }
	c_naks SEC(".maps"); /* counter pipe.Ingress.gather.naks */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 4096); __type(key, u32); __type(value, struct p4_counter); }
	c_cnps SEC(".maps"); /* counter pipe.Ingress.cnp.cnps */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, struct p4_counter); }
	c_port_tx SEC(".maps"); /* counter pipe.Egress.port_tx */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct p4_counter); }
	c_no_endpoint SEC(".maps"); /* counter pipe.Egress.rewrite.no_endpoint */
struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 1 << 20); }
	digests SEC(".maps"); /* {number of the digest, its fields} */
struct digest_pipe_IngressDeparser_nak_digest {
	u32 number; /* 0 */
	u32 acked;
	u16 group;
	u8 slot;
	u8 syndrome;
};

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

/* ---- ingress ---- */

/* Headers of the ingress: bits in valid and extracted. */
enum {
	IN_hdr_bridge = 0x1u,
	IN_hdr_packet_in = 0x2u,
	IN_hdr_packet_out = 0x4u,
	IN_hdr_ethernet = 0x8u,
	IN_hdr_ipv4 = 0x10u,
	IN_hdr_udp = 0x20u,
	IN_hdr_bth = 0x40u,
	IN_hdr_reth = 0x80u,
	IN_hdr_aeth = 0x100u,
	IN_hdr_cnp = 0x200u,
	IN_hdr_icrc = 0x400u,
};

/* What the ingress knows of a packet. Headers that came with the packet and are
 * not made anew stay there; the others are members of hdr. */
struct ingress {
	u8 *data;        /* the packet */
	struct meta *m;  /* its metadata, with the bridged header */
	u32 valid;       /* headers that are valid now */
	u32 extracted;   /* headers that the parser found */
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
		u32 port_class; /* bit<16> */
		u32 crc; /* bit<32> */
		u32 intact; /* bit<1> */
		u32 role; /* bit<2> */
		u32 class; /* bit<3> */
		u32 drop; /* bit<8> */
		u32 reason; /* bit<16> */
		u32 group; /* bit<16> */
		u32 multicast_group; /* bit<16> */
		u32 leader_port; /* bit<9> */
		u32 key_diff; /* bit<32> */
		u32 region_mask; /* bit<32> */
		u32 start_over; /* bit<32> */
		u32 end; /* bit<32> */
		u32 end_over; /* bit<32> */
		u32 end_left; /* bit<32> */
		u32 slot; /* bit<8> */
		u32 members; /* bit<8> */
		u32 f; /* bit<4> */
		u32 p; /* bit<32> */
		u32 edge; /* bit<32> */
		union {
			u32 bits_of_fresh;
			struct {
				u32 news : 1;
				u32 heard : 1;
				u32 again7 : 1;
				u32 again6 : 1;
				u32 again5 : 1;
				u32 again4 : 1;
				u32 again3 : 1;
				u32 again2 : 1;
				u32 again1 : 1;
				u32 again0 : 1;
				u32 quorum : 1;
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
		u32 digest_type; /* bit<3> */
		u32 drop_ctl; /* bit<3> */
	} ig_dprsr_md;
	struct {
		struct {
			u64 kind; /* bit<64> */
			u64 mac; /* bit<48> */
			u32 ip; /* bit<32> */
		} lookahead_struct;
		u32 lookahead; /* bit<8> */
	} tmp;
	struct r_slots *r_slots; /* the row that the packet looks at, or 0 */
	struct r_gather *r_gather; /* the row that the packet looks at, or 0 */
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

/* CRC of polynomial 0x4c11db7, reflected: see crc32_8. */
static const u32 in_crc32_04c11db7[8][256] = {
	{
		0x0000000000, 0x0077073096, 0x00ee0e612c, 0x00990951ba, 0x00076dc419, 0x00706af48f, 0x00e963a535, 0x009e6495a3,
		0x000edb8832, 0x0079dcb8a4, 0x00e0d5e91e, 0x0097d2d988, 0x0009b64c2b, 0x007eb17cbd, 0x00e7b82d07, 0x0090bf1d91,
		0x001db71064, 0x006ab020f2, 0x00f3b97148, 0x0084be41de, 0x001adad47d, 0x006ddde4eb, 0x00f4d4b551, 0x0083d385c7,
		0x00136c9856, 0x00646ba8c0, 0x00fd62f97a, 0x008a65c9ec, 0x0014015c4f, 0x0063066cd9, 0x00fa0f3d63, 0x008d080df5,
		0x003b6e20c8, 0x004c69105e, 0x00d56041e4, 0x00a2677172, 0x003c03e4d1, 0x004b04d447, 0x00d20d85fd, 0x00a50ab56b,
		0x0035b5a8fa, 0x0042b2986c, 0x00dbbbc9d6, 0x00acbcf940, 0x0032d86ce3, 0x0045df5c75, 0x00dcd60dcf, 0x00abd13d59,
		0x0026d930ac, 0x0051de003a, 0x00c8d75180, 0x00bfd06116, 0x0021b4f4b5, 0x0056b3c423, 0x00cfba9599, 0x00b8bda50f,
		0x002802b89e, 0x005f058808, 0x00c60cd9b2, 0x00b10be924, 0x002f6f7c87, 0x0058684c11, 0x00c1611dab, 0x00b6662d3d,
		0x0076dc4190, 0x0001db7106, 0x0098d220bc, 0x00efd5102a, 0x0071b18589, 0x0006b6b51f, 0x009fbfe4a5, 0x00e8b8d433,
		0x007807c9a2, 0x000f00f934, 0x009609a88e, 0x00e10e9818, 0x007f6a0dbb, 0x00086d3d2d, 0x0091646c97, 0x00e6635c01,
		0x006b6b51f4, 0x001c6c6162, 0x00856530d8, 0x00f262004e, 0x006c0695ed, 0x001b01a57b, 0x008208f4c1, 0x00f50fc457,
		0x0065b0d9c6, 0x0012b7e950, 0x008bbeb8ea, 0x00fcb9887c, 0x0062dd1ddf, 0x0015da2d49, 0x008cd37cf3, 0x00fbd44c65,
		0x004db26158, 0x003ab551ce, 0x00a3bc0074, 0x00d4bb30e2, 0x004adfa541, 0x003dd895d7, 0x00a4d1c46d, 0x00d3d6f4fb,
		0x004369e96a, 0x00346ed9fc, 0x00ad678846, 0x00da60b8d0, 0x0044042d73, 0x0033031de5, 0x00aa0a4c5f, 0x00dd0d7cc9,
		0x005005713c, 0x00270241aa, 0x00be0b1010, 0x00c90c2086, 0x005768b525, 0x00206f85b3, 0x00b966d409, 0x00ce61e49f,
		0x005edef90e, 0x0029d9c998, 0x00b0d09822, 0x00c7d7a8b4, 0x0059b33d17, 0x002eb40d81, 0x00b7bd5c3b, 0x00c0ba6cad,
		0x00edb88320, 0x009abfb3b6, 0x0003b6e20c, 0x0074b1d29a, 0x00ead54739, 0x009dd277af, 0x0004db2615, 0x0073dc1683,
		0x00e3630b12, 0x0094643b84, 0x000d6d6a3e, 0x007a6a5aa8, 0x00e40ecf0b, 0x009309ff9d, 0x000a00ae27, 0x007d079eb1,
		0x00f00f9344, 0x008708a3d2, 0x001e01f268, 0x006906c2fe, 0x00f762575d, 0x00806567cb, 0x00196c3671, 0x006e6b06e7,
		0x00fed41b76, 0x0089d32be0, 0x0010da7a5a, 0x0067dd4acc, 0x00f9b9df6f, 0x008ebeeff9, 0x0017b7be43, 0x0060b08ed5,
		0x00d6d6a3e8, 0x00a1d1937e, 0x0038d8c2c4, 0x004fdff252, 0x00d1bb67f1, 0x00a6bc5767, 0x003fb506dd, 0x0048b2364b,
		0x00d80d2bda, 0x00af0a1b4c, 0x0036034af6, 0x0041047a60, 0x00df60efc3, 0x00a867df55, 0x00316e8eef, 0x004669be79,
		0x00cb61b38c, 0x00bc66831a, 0x00256fd2a0, 0x005268e236, 0x00cc0c7795, 0x00bb0b4703, 0x00220216b9, 0x005505262f,
		0x00c5ba3bbe, 0x00b2bd0b28, 0x002bb45a92, 0x005cb36a04, 0x00c2d7ffa7, 0x00b5d0cf31, 0x002cd99e8b, 0x005bdeae1d,
		0x009b64c2b0, 0x00ec63f226, 0x00756aa39c, 0x00026d930a, 0x009c0906a9, 0x00eb0e363f, 0x0072076785, 0x0005005713,
		0x0095bf4a82, 0x00e2b87a14, 0x007bb12bae, 0x000cb61b38, 0x0092d28e9b, 0x00e5d5be0d, 0x007cdcefb7, 0x000bdbdf21,
		0x0086d3d2d4, 0x00f1d4e242, 0x0068ddb3f8, 0x001fda836e, 0x0081be16cd, 0x00f6b9265b, 0x006fb077e1, 0x0018b74777,
		0x0088085ae6, 0x00ff0f6a70, 0x0066063bca, 0x0011010b5c, 0x008f659eff, 0x00f862ae69, 0x00616bffd3, 0x00166ccf45,
		0x00a00ae278, 0x00d70dd2ee, 0x004e048354, 0x003903b3c2, 0x00a7672661, 0x00d06016f7, 0x004969474d, 0x003e6e77db,
		0x00aed16a4a, 0x00d9d65adc, 0x0040df0b66, 0x0037d83bf0, 0x00a9bcae53, 0x00debb9ec5, 0x0047b2cf7f, 0x0030b5ffe9,
		0x00bdbdf21c, 0x00cabac28a, 0x0053b39330, 0x0024b4a3a6, 0x00bad03605, 0x00cdd70693, 0x0054de5729, 0x0023d967bf,
		0x00b3667a2e, 0x00c4614ab8, 0x005d681b02, 0x002a6f2b94, 0x00b40bbe37, 0x00c30c8ea1, 0x005a05df1b, 0x002d02ef8d,
	},
	{
		0x0000000000, 0x00191b3141, 0x0032366282, 0x002b2d53c3, 0x00646cc504, 0x007d77f445, 0x00565aa786, 0x004f4196c7,
		0x00c8d98a08, 0x00d1c2bb49, 0x00faefe88a, 0x00e3f4d9cb, 0x00acb54f0c, 0x00b5ae7e4d, 0x009e832d8e, 0x0087981ccf,
		0x004ac21251, 0x0053d92310, 0x0078f470d3, 0x0061ef4192, 0x002eaed755, 0x0037b5e614, 0x001c98b5d7, 0x0005838496,
		0x00821b9859, 0x009b00a918, 0x00b02dfadb, 0x00a936cb9a, 0x00e6775d5d, 0x00ff6c6c1c, 0x00d4413fdf, 0x00cd5a0e9e,
		0x00958424a2, 0x008c9f15e3, 0x00a7b24620, 0x00bea97761, 0x00f1e8e1a6, 0x00e8f3d0e7, 0x00c3de8324, 0x00dac5b265,
		0x005d5daeaa, 0x0044469feb, 0x006f6bcc28, 0x007670fd69, 0x0039316bae, 0x00202a5aef, 0x000b07092c, 0x00121c386d,
		0x00df4636f3, 0x00c65d07b2, 0x00ed705471, 0x00f46b6530, 0x00bb2af3f7, 0x00a231c2b6, 0x00891c9175, 0x009007a034,
		0x00179fbcfb, 0x000e848dba, 0x0025a9de79, 0x003cb2ef38, 0x0073f379ff, 0x006ae848be, 0x0041c51b7d, 0x0058de2a3c,
		0x00f0794f05, 0x00e9627e44, 0x00c24f2d87, 0x00db541cc6, 0x0094158a01, 0x008d0ebb40, 0x00a623e883, 0x00bf38d9c2,
		0x0038a0c50d, 0x0021bbf44c, 0x000a96a78f, 0x00138d96ce, 0x005ccc0009, 0x0045d73148, 0x006efa628b, 0x0077e153ca,
		0x00babb5d54, 0x00a3a06c15, 0x00888d3fd6, 0x0091960e97, 0x00ded79850, 0x00c7cca911, 0x00ece1fad2, 0x00f5facb93,
		0x007262d75c, 0x006b79e61d, 0x004054b5de, 0x00594f849f, 0x00160e1258, 0x000f152319, 0x00243870da, 0x003d23419b,
		0x0065fd6ba7, 0x007ce65ae6, 0x0057cb0925, 0x004ed03864, 0x000191aea3, 0x00188a9fe2, 0x0033a7cc21, 0x002abcfd60,
		0x00ad24e1af, 0x00b43fd0ee, 0x009f12832d, 0x008609b26c, 0x00c94824ab, 0x00d05315ea, 0x00fb7e4629, 0x00e2657768,
		0x002f3f79f6, 0x00362448b7, 0x001d091b74, 0x0004122a35, 0x004b53bcf2, 0x0052488db3, 0x007965de70, 0x00607eef31,
		0x00e7e6f3fe, 0x00fefdc2bf, 0x00d5d0917c, 0x00cccba03d, 0x00838a36fa, 0x009a9107bb, 0x00b1bc5478, 0x00a8a76539,
		0x003b83984b, 0x002298a90a, 0x0009b5fac9, 0x0010aecb88, 0x005fef5d4f, 0x0046f46c0e, 0x006dd93fcd, 0x0074c20e8c,
		0x00f35a1243, 0x00ea412302, 0x00c16c70c1, 0x00d8774180, 0x009736d747, 0x008e2de606, 0x00a500b5c5, 0x00bc1b8484,
		0x0071418a1a, 0x00685abb5b, 0x004377e898, 0x005a6cd9d9, 0x00152d4f1e, 0x000c367e5f, 0x00271b2d9c, 0x003e001cdd,
		0x00b9980012, 0x00a0833153, 0x008bae6290, 0x0092b553d1, 0x00ddf4c516, 0x00c4eff457, 0x00efc2a794, 0x00f6d996d5,
		0x00ae07bce9, 0x00b71c8da8, 0x009c31de6b, 0x00852aef2a, 0x00ca6b79ed, 0x00d37048ac, 0x00f85d1b6f, 0x00e1462a2e,
		0x0066de36e1, 0x007fc507a0, 0x0054e85463, 0x004df36522, 0x0002b2f3e5, 0x001ba9c2a4, 0x0030849167, 0x00299fa026,
		0x00e4c5aeb8, 0x00fdde9ff9, 0x00d6f3cc3a, 0x00cfe8fd7b, 0x0080a96bbc, 0x0099b25afd, 0x00b29f093e, 0x00ab84387f,
		0x002c1c24b0, 0x00350715f1, 0x001e2a4632, 0x0007317773, 0x004870e1b4, 0x00516bd0f5, 0x007a468336, 0x00635db277,
		0x00cbfad74e, 0x00d2e1e60f, 0x00f9ccb5cc, 0x00e0d7848d, 0x00af96124a, 0x00b68d230b, 0x009da070c8, 0x0084bb4189,
		0x0003235d46, 0x001a386c07, 0x0031153fc4, 0x00280e0e85, 0x00674f9842, 0x007e54a903, 0x005579fac0, 0x004c62cb81,
		0x008138c51f, 0x009823f45e, 0x00b30ea79d, 0x00aa1596dc, 0x00e554001b, 0x00fc4f315a, 0x00d7626299, 0x00ce7953d8,
		0x0049e14f17, 0x0050fa7e56, 0x007bd72d95, 0x0062cc1cd4, 0x002d8d8a13, 0x003496bb52, 0x001fbbe891, 0x0006a0d9d0,
		0x005e7ef3ec, 0x004765c2ad, 0x006c48916e, 0x007553a02f, 0x003a1236e8, 0x00230907a9, 0x000824546a, 0x00113f652b,
		0x0096a779e4, 0x008fbc48a5, 0x00a4911b66, 0x00bd8a2a27, 0x00f2cbbce0, 0x00ebd08da1, 0x00c0fdde62, 0x00d9e6ef23,
		0x0014bce1bd, 0x000da7d0fc, 0x00268a833f, 0x003f91b27e, 0x0070d024b9, 0x0069cb15f8, 0x0042e6463b, 0x005bfd777a,
		0x00dc656bb5, 0x00c57e5af4, 0x00ee530937, 0x00f7483876, 0x00b809aeb1, 0x00a1129ff0, 0x008a3fcc33, 0x009324fd72,
	},
	{
		0x0000000000, 0x0001c26a37, 0x000384d46e, 0x000246be59, 0x000709a8dc, 0x0006cbc2eb, 0x00048d7cb2, 0x00054f1685,
		0x000e1351b8, 0x000fd13b8f, 0x000d9785d6, 0x000c55efe1, 0x00091af964, 0x0008d89353, 0x000a9e2d0a, 0x000b5c473d,
		0x001c26a370, 0x001de4c947, 0x001fa2771e, 0x001e601d29, 0x001b2f0bac, 0x001aed619b, 0x0018abdfc2, 0x001969b5f5,
		0x001235f2c8, 0x0013f798ff, 0x0011b126a6, 0x0010734c91, 0x00153c5a14, 0x0014fe3023, 0x0016b88e7a, 0x00177ae44d,
		0x00384d46e0, 0x00398f2cd7, 0x003bc9928e, 0x003a0bf8b9, 0x003f44ee3c, 0x003e86840b, 0x003cc03a52, 0x003d025065,
		0x00365e1758, 0x00379c7d6f, 0x0035dac336, 0x003418a901, 0x003157bf84, 0x003095d5b3, 0x0032d36bea, 0x00331101dd,
		0x00246be590, 0x0025a98fa7, 0x0027ef31fe, 0x00262d5bc9, 0x0023624d4c, 0x0022a0277b, 0x0020e69922, 0x002124f315,
		0x002a78b428, 0x002bbade1f, 0x0029fc6046, 0x00283e0a71, 0x002d711cf4, 0x002cb376c3, 0x002ef5c89a, 0x002f37a2ad,
		0x00709a8dc0, 0x007158e7f7, 0x00731e59ae, 0x0072dc3399, 0x007793251c, 0x0076514f2b, 0x007417f172, 0x0075d59b45,
		0x007e89dc78, 0x007f4bb64f, 0x007d0d0816, 0x007ccf6221, 0x00798074a4, 0x0078421e93, 0x007a04a0ca, 0x007bc6cafd,
		0x006cbc2eb0, 0x006d7e4487, 0x006f38fade, 0x006efa90e9, 0x006bb5866c, 0x006a77ec5b, 0x0068315202, 0x0069f33835,
		0x0062af7f08, 0x00636d153f, 0x00612bab66, 0x0060e9c151, 0x0065a6d7d4, 0x006464bde3, 0x00662203ba, 0x0067e0698d,
		0x0048d7cb20, 0x004915a117, 0x004b531f4e, 0x004a917579, 0x004fde63fc, 0x004e1c09cb, 0x004c5ab792, 0x004d98dda5,
		0x0046c49a98, 0x004706f0af, 0x0045404ef6, 0x00448224c1, 0x0041cd3244, 0x00400f5873, 0x004249e62a, 0x00438b8c1d,
		0x0054f16850, 0x0055330267, 0x005775bc3e, 0x0056b7d609, 0x0053f8c08c, 0x00523aaabb, 0x00507c14e2, 0x0051be7ed5,
		0x005ae239e8, 0x005b2053df, 0x005966ed86, 0x0058a487b1, 0x005deb9134, 0x005c29fb03, 0x005e6f455a, 0x005fad2f6d,
		0x00e1351b80, 0x00e0f771b7, 0x00e2b1cfee, 0x00e373a5d9, 0x00e63cb35c, 0x00e7fed96b, 0x00e5b86732, 0x00e47a0d05,
		0x00ef264a38, 0x00eee4200f, 0x00eca29e56, 0x00ed60f461, 0x00e82fe2e4, 0x00e9ed88d3, 0x00ebab368a, 0x00ea695cbd,
		0x00fd13b8f0, 0x00fcd1d2c7, 0x00fe976c9e, 0x00ff5506a9, 0x00fa1a102c, 0x00fbd87a1b, 0x00f99ec442, 0x00f85cae75,
		0x00f300e948, 0x00f2c2837f, 0x00f0843d26, 0x00f1465711, 0x00f4094194, 0x00f5cb2ba3, 0x00f78d95fa, 0x00f64fffcd,
		0x00d9785d60, 0x00d8ba3757, 0x00dafc890e, 0x00db3ee339, 0x00de71f5bc, 0x00dfb39f8b, 0x00ddf521d2, 0x00dc374be5,
		0x00d76b0cd8, 0x00d6a966ef, 0x00d4efd8b6, 0x00d52db281, 0x00d062a404, 0x00d1a0ce33, 0x00d3e6706a, 0x00d2241a5d,
		0x00c55efe10, 0x00c49c9427, 0x00c6da2a7e, 0x00c7184049, 0x00c25756cc, 0x00c3953cfb, 0x00c1d382a2, 0x00c011e895,
		0x00cb4dafa8, 0x00ca8fc59f, 0x00c8c97bc6, 0x00c90b11f1, 0x00cc440774, 0x00cd866d43, 0x00cfc0d31a, 0x00ce02b92d,
		0x0091af9640, 0x00906dfc77, 0x00922b422e, 0x0093e92819, 0x0096a63e9c, 0x00976454ab, 0x009522eaf2, 0x0094e080c5,
		0x009fbcc7f8, 0x009e7eadcf, 0x009c381396, 0x009dfa79a1, 0x0098b56f24, 0x0099770513, 0x009b31bb4a, 0x009af3d17d,
		0x008d893530, 0x008c4b5f07, 0x008e0de15e, 0x008fcf8b69, 0x008a809dec, 0x008b42f7db, 0x0089044982, 0x0088c623b5,
		0x00839a6488, 0x0082580ebf, 0x00801eb0e6, 0x0081dcdad1, 0x008493cc54, 0x008551a663, 0x008717183a, 0x0086d5720d,
		0x00a9e2d0a0, 0x00a820ba97, 0x00aa6604ce, 0x00aba46ef9, 0x00aeeb787c, 0x00af29124b, 0x00ad6fac12, 0x00acadc625,
		0x00a7f18118, 0x00a633eb2f, 0x00a4755576, 0x00a5b73f41, 0x00a0f829c4, 0x00a13a43f3, 0x00a37cfdaa, 0x00a2be979d,
		0x00b5c473d0, 0x00b40619e7, 0x00b640a7be, 0x00b782cd89, 0x00b2cddb0c, 0x00b30fb13b, 0x00b1490f62, 0x00b08b6555,
		0x00bbd72268, 0x00ba15485f, 0x00b853f606, 0x00b9919c31, 0x00bcde8ab4, 0x00bd1ce083, 0x00bf5a5eda, 0x00be9834ed,
	},
	{
		0x0000000000, 0x00b8bc6765, 0x00aa09c88b, 0x0012b5afee, 0x008f629757, 0x0037def032, 0x00256b5fdc, 0x009dd738b9,
		0x00c5b428ef, 0x007d084f8a, 0x006fbde064, 0x00d7018701, 0x004ad6bfb8, 0x00f26ad8dd, 0x00e0df7733, 0x0058631056,
		0x005019579f, 0x00e8a530fa, 0x00fa109f14, 0x0042acf871, 0x00df7bc0c8, 0x0067c7a7ad, 0x0075720843, 0x00cdce6f26,
		0x0095ad7f70, 0x002d111815, 0x003fa4b7fb, 0x008718d09e, 0x001acfe827, 0x00a2738f42, 0x00b0c620ac, 0x00087a47c9,
		0x00a032af3e, 0x00188ec85b, 0x000a3b67b5, 0x00b28700d0, 0x002f503869, 0x0097ec5f0c, 0x008559f0e2, 0x003de59787,
		0x00658687d1, 0x00dd3ae0b4, 0x00cf8f4f5a, 0x007733283f, 0x00eae41086, 0x00525877e3, 0x0040edd80d, 0x00f851bf68,
		0x00f02bf8a1, 0x0048979fc4, 0x005a22302a, 0x00e29e574f, 0x007f496ff6, 0x00c7f50893, 0x00d540a77d, 0x006dfcc018,
		0x00359fd04e, 0x008d23b72b, 0x009f9618c5, 0x00272a7fa0, 0x00bafd4719, 0x000241207c, 0x0010f48f92, 0x00a848e8f7,
		0x009b14583d, 0x0023a83f58, 0x00311d90b6, 0x0089a1f7d3, 0x001476cf6a, 0x00accaa80f, 0x00be7f07e1, 0x0006c36084,
		0x005ea070d2, 0x00e61c17b7, 0x00f4a9b859, 0x004c15df3c, 0x00d1c2e785, 0x00697e80e0, 0x007bcb2f0e, 0x00c377486b,
		0x00cb0d0fa2, 0x0073b168c7, 0x006104c729, 0x00d9b8a04c, 0x00446f98f5, 0x00fcd3ff90, 0x00ee66507e, 0x0056da371b,
		0x000eb9274d, 0x00b6054028, 0x00a4b0efc6, 0x001c0c88a3, 0x0081dbb01a, 0x003967d77f, 0x002bd27891, 0x00936e1ff4,
		0x003b26f703, 0x00839a9066, 0x00912f3f88, 0x00299358ed, 0x00b4446054, 0x000cf80731, 0x001e4da8df, 0x00a6f1cfba,
		0x00fe92dfec, 0x00462eb889, 0x00549b1767, 0x00ec277002, 0x0071f048bb, 0x00c94c2fde, 0x00dbf98030, 0x006345e755,
		0x006b3fa09c, 0x00d383c7f9, 0x00c1366817, 0x00798a0f72, 0x00e45d37cb, 0x005ce150ae, 0x004e54ff40, 0x00f6e89825,
		0x00ae8b8873, 0x001637ef16, 0x00048240f8, 0x00bc3e279d, 0x0021e91f24, 0x0099557841, 0x008be0d7af, 0x00335cb0ca,
		0x00ed59b63b, 0x0055e5d15e, 0x0047507eb0, 0x00ffec19d5, 0x00623b216c, 0x00da874609, 0x00c832e9e7, 0x00708e8e82,
		0x0028ed9ed4, 0x009051f9b1, 0x0082e4565f, 0x003a58313a, 0x00a78f0983, 0x001f336ee6, 0x000d86c108, 0x00b53aa66d,
		0x00bd40e1a4, 0x0005fc86c1, 0x001749292f, 0x00aff54e4a, 0x00322276f3, 0x008a9e1196, 0x00982bbe78, 0x002097d91d,
		0x0078f4c94b, 0x00c048ae2e, 0x00d2fd01c0, 0x006a4166a5, 0x00f7965e1c, 0x004f2a3979, 0x005d9f9697, 0x00e523f1f2,
		0x004d6b1905, 0x00f5d77e60, 0x00e762d18e, 0x005fdeb6eb, 0x00c2098e52, 0x007ab5e937, 0x00680046d9, 0x00d0bc21bc,
		0x0088df31ea, 0x003063568f, 0x0022d6f961, 0x009a6a9e04, 0x0007bda6bd, 0x00bf01c1d8, 0x00adb46e36, 0x0015080953,
		0x001d724e9a, 0x00a5ce29ff, 0x00b77b8611, 0x000fc7e174, 0x009210d9cd, 0x002aacbea8, 0x0038191146, 0x0080a57623,
		0x00d8c66675, 0x00607a0110, 0x0072cfaefe, 0x00ca73c99b, 0x0057a4f122, 0x00ef189647, 0x00fdad39a9, 0x0045115ecc,
		0x00764dee06, 0x00cef18963, 0x00dc44268d, 0x0064f841e8, 0x00f92f7951, 0x0041931e34, 0x005326b1da, 0x00eb9ad6bf,
		0x00b3f9c6e9, 0x000b45a18c, 0x0019f00e62, 0x00a14c6907, 0x003c9b51be, 0x00842736db, 0x0096929935, 0x002e2efe50,
		0x002654b999, 0x009ee8defc, 0x008c5d7112, 0x0034e11677, 0x00a9362ece, 0x00118a49ab, 0x00033fe645, 0x00bb838120,
		0x00e3e09176, 0x005b5cf613, 0x0049e959fd, 0x00f1553e98, 0x006c820621, 0x00d43e6144, 0x00c68bceaa, 0x007e37a9cf,
		0x00d67f4138, 0x006ec3265d, 0x007c7689b3, 0x00c4caeed6, 0x00591dd66f, 0x00e1a1b10a, 0x00f3141ee4, 0x004ba87981,
		0x0013cb69d7, 0x00ab770eb2, 0x00b9c2a15c, 0x00017ec639, 0x009ca9fe80, 0x00241599e5, 0x0036a0360b, 0x008e1c516e,
		0x00866616a7, 0x003eda71c2, 0x002c6fde2c, 0x0094d3b949, 0x00090481f0, 0x00b1b8e695, 0x00a30d497b, 0x001bb12e1e,
		0x0043d23e48, 0x00fb6e592d, 0x00e9dbf6c3, 0x00516791a6, 0x00ccb0a91f, 0x00740cce7a, 0x0066b96194, 0x00de0506f1,
	},
	{
		0x0000000000, 0x003d6029b0, 0x007ac05360, 0x0047a07ad0, 0x00f580a6c0, 0x00c8e08f70, 0x008f40f5a0, 0x00b220dc10,
		0x0030704bc1, 0x000d106271, 0x004ab018a1, 0x0077d03111, 0x00c5f0ed01, 0x00f890c4b1, 0x00bf30be61, 0x00825097d1,
		0x0060e09782, 0x005d80be32, 0x001a20c4e2, 0x002740ed52, 0x0095603142, 0x00a80018f2, 0x00efa06222, 0x00d2c04b92,
		0x005090dc43, 0x006df0f5f3, 0x002a508f23, 0x001730a693, 0x00a5107a83, 0x0098705333, 0x00dfd029e3, 0x00e2b00053,
		0x00c1c12f04, 0x00fca106b4, 0x00bb017c64, 0x00866155d4, 0x00344189c4, 0x000921a074, 0x004e81daa4, 0x0073e1f314,
		0x00f1b164c5, 0x00ccd14d75, 0x008b7137a5, 0x00b6111e15, 0x000431c205, 0x003951ebb5, 0x007ef19165, 0x004391b8d5,
		0x00a121b886, 0x009c419136, 0x00dbe1ebe6, 0x00e681c256, 0x0054a11e46, 0x0069c137f6, 0x002e614d26, 0x0013016496,
		0x009151f347, 0x00ac31daf7, 0x00eb91a027, 0x00d6f18997, 0x0064d15587, 0x0059b17c37, 0x001e1106e7, 0x0023712f57,
		0x0058f35849, 0x00659371f9, 0x0022330b29, 0x001f532299, 0x00ad73fe89, 0x009013d739, 0x00d7b3ade9, 0x00ead38459,
		0x0068831388, 0x0055e33a38, 0x00124340e8, 0x002f236958, 0x009d03b548, 0x00a0639cf8, 0x00e7c3e628, 0x00daa3cf98,
		0x003813cfcb, 0x000573e67b, 0x0042d39cab, 0x007fb3b51b, 0x00cd93690b, 0x00f0f340bb, 0x00b7533a6b, 0x008a3313db,
		0x000863840a, 0x003503adba, 0x0072a3d76a, 0x004fc3feda, 0x00fde322ca, 0x00c0830b7a, 0x00872371aa, 0x00ba43581a,
		0x009932774d, 0x00a4525efd, 0x00e3f2242d, 0x00de920d9d, 0x006cb2d18d, 0x0051d2f83d, 0x00167282ed, 0x002b12ab5d,
		0x00a9423c8c, 0x009422153c, 0x00d3826fec, 0x00eee2465c, 0x005cc29a4c, 0x0061a2b3fc, 0x002602c92c, 0x001b62e09c,
		0x00f9d2e0cf, 0x00c4b2c97f, 0x008312b3af, 0x00be729a1f, 0x000c52460f, 0x0031326fbf, 0x007692156f, 0x004bf23cdf,
		0x00c9a2ab0e, 0x00f4c282be, 0x00b362f86e, 0x008e02d1de, 0x003c220dce, 0x000142247e, 0x0046e25eae, 0x007b82771e,
		0x00b1e6b092, 0x008c869922, 0x00cb26e3f2, 0x00f646ca42, 0x0044661652, 0x0079063fe2, 0x003ea64532, 0x0003c66c82,
		0x008196fb53, 0x00bcf6d2e3, 0x00fb56a833, 0x00c6368183, 0x0074165d93, 0x0049767423, 0x000ed60ef3, 0x0033b62743,
		0x00d1062710, 0x00ec660ea0, 0x00abc67470, 0x0096a65dc0, 0x00248681d0, 0x0019e6a860, 0x005e46d2b0, 0x006326fb00,
		0x00e1766cd1, 0x00dc164561, 0x009bb63fb1, 0x00a6d61601, 0x0014f6ca11, 0x002996e3a1, 0x006e369971, 0x005356b0c1,
		0x0070279f96, 0x004d47b626, 0x000ae7ccf6, 0x003787e546, 0x0085a73956, 0x00b8c710e6, 0x00ff676a36, 0x00c2074386,
		0x004057d457, 0x007d37fde7, 0x003a978737, 0x0007f7ae87, 0x00b5d77297, 0x0088b75b27, 0x00cf1721f7, 0x00f2770847,
		0x0010c70814, 0x002da721a4, 0x006a075b74, 0x00576772c4, 0x00e547aed4, 0x00d8278764, 0x009f87fdb4, 0x00a2e7d404,
		0x0020b743d5, 0x001dd76a65, 0x005a7710b5, 0x0067173905, 0x00d537e515, 0x00e857cca5, 0x00aff7b675, 0x0092979fc5,
		0x00e915e8db, 0x00d475c16b, 0x0093d5bbbb, 0x00aeb5920b, 0x001c954e1b, 0x0021f567ab, 0x0066551d7b, 0x005b3534cb,
		0x00d965a31a, 0x00e4058aaa, 0x00a3a5f07a, 0x009ec5d9ca, 0x002ce505da, 0x0011852c6a, 0x00562556ba, 0x006b457f0a,
		0x0089f57f59, 0x00b49556e9, 0x00f3352c39, 0x00ce550589, 0x007c75d999, 0x004115f029, 0x0006b58af9, 0x003bd5a349,
		0x00b9853498, 0x0084e51d28, 0x00c34567f8, 0x00fe254e48, 0x004c059258, 0x007165bbe8, 0x0036c5c138, 0x000ba5e888,
		0x0028d4c7df, 0x0015b4ee6f, 0x00521494bf, 0x006f74bd0f, 0x00dd54611f, 0x00e03448af, 0x00a794327f, 0x009af41bcf,
		0x0018a48c1e, 0x0025c4a5ae, 0x006264df7e, 0x005f04f6ce, 0x00ed242ade, 0x00d044036e, 0x0097e479be, 0x00aa84500e,
		0x004834505d, 0x00755479ed, 0x0032f4033d, 0x000f942a8d, 0x00bdb4f69d, 0x0080d4df2d, 0x00c774a5fd, 0x00fa148c4d,
		0x0078441b9c, 0x004524322c, 0x00028448fc, 0x003fe4614c, 0x008dc4bd5c, 0x00b0a494ec, 0x00f704ee3c, 0x00ca64c78c,
	},
	{
		0x0000000000, 0x00cb5cd3a5, 0x004dc8a10b, 0x00869472ae, 0x009b914216, 0x0050cd91b3, 0x00d659e31d, 0x001d0530b8,
		0x00ec53826d, 0x00270f51c8, 0x00a19b2366, 0x006ac7f0c3, 0x0077c2c07b, 0x00bc9e13de, 0x003a0a6170, 0x00f156b2d5,
		0x0003d6029b, 0x00c88ad13e, 0x004e1ea390, 0x0085427035, 0x009847408d, 0x00531b9328, 0x00d58fe186, 0x001ed33223,
		0x00ef8580f6, 0x0024d95353, 0x00a24d21fd, 0x006911f258, 0x007414c2e0, 0x00bf481145, 0x0039dc63eb, 0x00f280b04e,
		0x0007ac0536, 0x00ccf0d693, 0x004a64a43d, 0x0081387798, 0x009c3d4720, 0x0057619485, 0x00d1f5e62b, 0x001aa9358e,
		0x00ebff875b, 0x0020a354fe, 0x00a6372650, 0x006d6bf5f5, 0x00706ec54d, 0x00bb3216e8, 0x003da66446, 0x00f6fab7e3,
		0x00047a07ad, 0x00cf26d408, 0x0049b2a6a6, 0x0082ee7503, 0x009feb45bb, 0x0054b7961e, 0x00d223e4b0, 0x00197f3715,
		0x00e82985c0, 0x0023755665, 0x00a5e124cb, 0x006ebdf76e, 0x0073b8c7d6, 0x00b8e41473, 0x003e7066dd, 0x00f52cb578,
		0x000f580a6c, 0x00c404d9c9, 0x004290ab67, 0x0089cc78c2, 0x0094c9487a, 0x005f959bdf, 0x00d901e971, 0x00125d3ad4,
		0x00e30b8801, 0x0028575ba4, 0x00aec3290a, 0x00659ffaaf, 0x00789aca17, 0x00b3c619b2, 0x0035526b1c, 0x00fe0eb8b9,
		0x000c8e08f7, 0x00c7d2db52, 0x004146a9fc, 0x008a1a7a59, 0x00971f4ae1, 0x005c439944, 0x00dad7ebea, 0x00118b384f,
		0x00e0dd8a9a, 0x002b81593f, 0x00ad152b91, 0x006649f834, 0x007b4cc88c, 0x00b0101b29, 0x0036846987, 0x00fdd8ba22,
		0x0008f40f5a, 0x00c3a8dcff, 0x00453cae51, 0x008e607df4, 0x0093654d4c, 0x0058399ee9, 0x00deadec47, 0x0015f13fe2,
		0x00e4a78d37, 0x002ffb5e92, 0x00a96f2c3c, 0x006233ff99, 0x007f36cf21, 0x00b46a1c84, 0x0032fe6e2a, 0x00f9a2bd8f,
		0x000b220dc1, 0x00c07ede64, 0x0046eaacca, 0x008db67f6f, 0x0090b34fd7, 0x005bef9c72, 0x00dd7beedc, 0x0016273d79,
		0x00e7718fac, 0x002c2d5c09, 0x00aab92ea7, 0x0061e5fd02, 0x007ce0cdba, 0x00b7bc1e1f, 0x0031286cb1, 0x00fa74bf14,
		0x001eb014d8, 0x00d5ecc77d, 0x005378b5d3, 0x0098246676, 0x00852156ce, 0x004e7d856b, 0x00c8e9f7c5, 0x0003b52460,
		0x00f2e396b5, 0x0039bf4510, 0x00bf2b37be, 0x007477e41b, 0x006972d4a3, 0x00a22e0706, 0x0024ba75a8, 0x00efe6a60d,
		0x001d661643, 0x00d63ac5e6, 0x0050aeb748, 0x009bf264ed, 0x0086f75455, 0x004dab87f0, 0x00cb3ff55e, 0x00006326fb,
		0x00f135942e, 0x003a69478b, 0x00bcfd3525, 0x0077a1e680, 0x006aa4d638, 0x00a1f8059d, 0x00276c7733, 0x00ec30a496,
		0x00191c11ee, 0x00d240c24b, 0x0054d4b0e5, 0x009f886340, 0x00828d53f8, 0x0049d1805d, 0x00cf45f2f3, 0x0004192156,
		0x00f54f9383, 0x003e134026, 0x00b8873288, 0x0073dbe12d, 0x006eded195, 0x00a5820230, 0x002316709e, 0x00e84aa33b,
		0x001aca1375, 0x00d196c0d0, 0x005702b27e, 0x009c5e61db, 0x00815b5163, 0x004a0782c6, 0x00cc93f068, 0x0007cf23cd,
		0x00f6999118, 0x003dc542bd, 0x00bb513013, 0x00700de3b6, 0x006d08d30e, 0x00a65400ab, 0x0020c07205, 0x00eb9ca1a0,
		0x0011e81eb4, 0x00dab4cd11, 0x005c20bfbf, 0x00977c6c1a, 0x008a795ca2, 0x0041258f07, 0x00c7b1fda9, 0x000ced2e0c,
		0x00fdbb9cd9, 0x0036e74f7c, 0x00b0733dd2, 0x007b2fee77, 0x00662adecf, 0x00ad760d6a, 0x002be27fc4, 0x00e0beac61,
		0x00123e1c2f, 0x00d962cf8a, 0x005ff6bd24, 0x0094aa6e81, 0x0089af5e39, 0x0042f38d9c, 0x00c467ff32, 0x000f3b2c97,
		0x00fe6d9e42, 0x0035314de7, 0x00b3a53f49, 0x0078f9ecec, 0x0065fcdc54, 0x00aea00ff1, 0x0028347d5f, 0x00e368aefa,
		0x0016441b82, 0x00dd18c827, 0x005b8cba89, 0x0090d0692c, 0x008dd55994, 0x0046898a31, 0x00c01df89f, 0x000b412b3a,
		0x00fa1799ef, 0x00314b4a4a, 0x00b7df38e4, 0x007c83eb41, 0x006186dbf9, 0x00aada085c, 0x002c4e7af2, 0x00e712a957,
		0x0015921919, 0x00dececabc, 0x00585ab812, 0x0093066bb7, 0x008e035b0f, 0x00455f88aa, 0x00c3cbfa04, 0x00089729a1,
		0x00f9c19b74, 0x00329d48d1, 0x00b4093a7f, 0x007f55e9da, 0x006250d962, 0x00a90c0ac7, 0x002f987869, 0x00e4c4abcc,
	},
	{
		0x0000000000, 0x00a6770bb4, 0x00979f1129, 0x0031e81a9d, 0x00f44f2413, 0x0052382fa7, 0x0063d0353a, 0x00c5a73e8e,
		0x0033ef4e67, 0x00959845d3, 0x00a4705f4e, 0x00020754fa, 0x00c7a06a74, 0x0061d761c0, 0x00503f7b5d, 0x00f64870e9,
		0x0067de9cce, 0x00c1a9977a, 0x00f0418de7, 0x0056368653, 0x009391b8dd, 0x0035e6b369, 0x00040ea9f4, 0x00a279a240,
		0x005431d2a9, 0x00f246d91d, 0x00c3aec380, 0x0065d9c834, 0x00a07ef6ba, 0x000609fd0e, 0x0037e1e793, 0x009196ec27,
		0x00cfbd399c, 0x0069ca3228, 0x00582228b5, 0x00fe552301, 0x003bf21d8f, 0x009d85163b, 0x00ac6d0ca6, 0x000a1a0712,
		0x00fc5277fb, 0x005a257c4f, 0x006bcd66d2, 0x00cdba6d66, 0x00081d53e8, 0x00ae6a585c, 0x009f8242c1, 0x0039f54975,
		0x00a863a552, 0x000e14aee6, 0x003ffcb47b, 0x00998bbfcf, 0x005c2c8141, 0x00fa5b8af5, 0x00cbb39068, 0x006dc49bdc,
		0x009b8ceb35, 0x003dfbe081, 0x000c13fa1c, 0x00aa64f1a8, 0x006fc3cf26, 0x00c9b4c492, 0x00f85cde0f, 0x005e2bd5bb,
		0x00440b7579, 0x00e27c7ecd, 0x00d3946450, 0x0075e36fe4, 0x00b044516a, 0x0016335ade, 0x0027db4043, 0x0081ac4bf7,
		0x0077e43b1e, 0x00d19330aa, 0x00e07b2a37, 0x00460c2183, 0x0083ab1f0d, 0x0025dc14b9, 0x0014340e24, 0x00b2430590,
		0x0023d5e9b7, 0x0085a2e203, 0x00b44af89e, 0x00123df32a, 0x00d79acda4, 0x0071edc610, 0x004005dc8d, 0x00e672d739,
		0x00103aa7d0, 0x00b64dac64, 0x0087a5b6f9, 0x0021d2bd4d, 0x00e47583c3, 0x0042028877, 0x0073ea92ea, 0x00d59d995e,
		0x008bb64ce5, 0x002dc14751, 0x001c295dcc, 0x00ba5e5678, 0x007ff968f6, 0x00d98e6342, 0x00e86679df, 0x004e11726b,
		0x00b8590282, 0x001e2e0936, 0x002fc613ab, 0x0089b1181f, 0x004c162691, 0x00ea612d25, 0x00db8937b8, 0x007dfe3c0c,
		0x00ec68d02b, 0x004a1fdb9f, 0x007bf7c102, 0x00dd80cab6, 0x001827f438, 0x00be50ff8c, 0x008fb8e511, 0x0029cfeea5,
		0x00df879e4c, 0x0079f095f8, 0x0048188f65, 0x00ee6f84d1, 0x002bc8ba5f, 0x008dbfb1eb, 0x00bc57ab76, 0x001a20a0c2,
		0x008816eaf2, 0x002e61e146, 0x001f89fbdb, 0x00b9fef06f, 0x007c59cee1, 0x00da2ec555, 0x00ebc6dfc8, 0x004db1d47c,
		0x00bbf9a495, 0x001d8eaf21, 0x002c66b5bc, 0x008a11be08, 0x004fb68086, 0x00e9c18b32, 0x00d82991af, 0x007e5e9a1b,
		0x00efc8763c, 0x0049bf7d88, 0x0078576715, 0x00de206ca1, 0x001b87522f, 0x00bdf0599b, 0x008c184306, 0x002a6f48b2,
		0x00dc27385b, 0x007a5033ef, 0x004bb82972, 0x00edcf22c6, 0x0028681c48, 0x008e1f17fc, 0x00bff70d61, 0x00198006d5,
		0x0047abd36e, 0x00e1dcd8da, 0x00d034c247, 0x007643c9f3, 0x00b3e4f77d, 0x001593fcc9, 0x00247be654, 0x00820cede0,
		0x0074449d09, 0x00d23396bd, 0x00e3db8c20, 0x0045ac8794, 0x00800bb91a, 0x00267cb2ae, 0x001794a833, 0x00b1e3a387,
		0x0020754fa0, 0x0086024414, 0x00b7ea5e89, 0x00119d553d, 0x00d43a6bb3, 0x00724d6007, 0x0043a57a9a, 0x00e5d2712e,
		0x00139a01c7, 0x00b5ed0a73, 0x00840510ee, 0x0022721b5a, 0x00e7d525d4, 0x0041a22e60, 0x00704a34fd, 0x00d63d3f49,
		0x00cc1d9f8b, 0x006a6a943f, 0x005b828ea2, 0x00fdf58516, 0x003852bb98, 0x009e25b02c, 0x00afcdaab1, 0x0009baa105,
		0x00fff2d1ec, 0x005985da58, 0x00686dc0c5, 0x00ce1acb71, 0x000bbdf5ff, 0x00adcafe4b, 0x009c22e4d6, 0x003a55ef62,
		0x00abc30345, 0x000db408f1, 0x003c5c126c, 0x009a2b19d8, 0x005f8c2756, 0x00f9fb2ce2, 0x00c813367f, 0x006e643dcb,
		0x00982c4d22, 0x003e5b4696, 0x000fb35c0b, 0x00a9c457bf, 0x006c636931, 0x00ca146285, 0x00fbfc7818, 0x005d8b73ac,
		0x0003a0a617, 0x00a5d7ada3, 0x00943fb73e, 0x003248bc8a, 0x00f7ef8204, 0x00519889b0, 0x006070932d, 0x00c6079899,
		0x00304fe870, 0x009638e3c4, 0x00a7d0f959, 0x0001a7f2ed, 0x00c400cc63, 0x006277c7d7, 0x00539fdd4a, 0x00f5e8d6fe,
		0x00647e3ad9, 0x00c209316d, 0x00f3e12bf0, 0x0055962044, 0x0090311eca, 0x003646157e, 0x0007ae0fe3, 0x00a1d90457,
		0x00579174be, 0x00f1e67f0a, 0x00c00e6597, 0x0066796e23, 0x00a3de50ad, 0x0005a95b19, 0x0034414184, 0x0092364a30,
	},
	{
		0x0000000000, 0x00ccaa009e, 0x004225077d, 0x008e8f07e3, 0x00844a0efa, 0x0048e00e64, 0x00c66f0987, 0x000ac50919,
		0x00d3e51bb5, 0x001f4f1b2b, 0x0091c01cc8, 0x005d6a1c56, 0x0057af154f, 0x009b0515d1, 0x00158a1232, 0x00d92012ac,
		0x007cbb312b, 0x00b01131b5, 0x003e9e3656, 0x00f23436c8, 0x00f8f13fd1, 0x00345b3f4f, 0x00bad438ac, 0x00767e3832,
		0x00af5e2a9e, 0x0063f42a00, 0x00ed7b2de3, 0x0021d12d7d, 0x002b142464, 0x00e7be24fa, 0x0069312319, 0x00a59b2387,
		0x00f9766256, 0x0035dc62c8, 0x00bb53652b, 0x0077f965b5, 0x007d3c6cac, 0x00b1966c32, 0x003f196bd1, 0x00f3b36b4f,
		0x002a9379e3, 0x00e639797d, 0x0068b67e9e, 0x00a41c7e00, 0x00aed97719, 0x0062737787, 0x00ecfc7064, 0x00205670fa,
		0x0085cd537d, 0x00496753e3, 0x00c7e85400, 0x000b42549e, 0x0001875d87, 0x00cd2d5d19, 0x0043a25afa, 0x008f085a64,
		0x00562848c8, 0x009a824856, 0x00140d4fb5, 0x00d8a74f2b, 0x00d2624632, 0x001ec846ac, 0x009047414f, 0x005ced41d1,
		0x00299dc2ed, 0x00e537c273, 0x006bb8c590, 0x00a712c50e, 0x00add7cc17, 0x00617dcc89, 0x00eff2cb6a, 0x002358cbf4,
		0x00fa78d958, 0x0036d2d9c6, 0x00b85dde25, 0x0074f7debb, 0x007e32d7a2, 0x00b298d73c, 0x003c17d0df, 0x00f0bdd041,
		0x005526f3c6, 0x00998cf358, 0x001703f4bb, 0x00dba9f425, 0x00d16cfd3c, 0x001dc6fda2, 0x009349fa41, 0x005fe3fadf,
		0x0086c3e873, 0x004a69e8ed, 0x00c4e6ef0e, 0x00084cef90, 0x000289e689, 0x00ce23e617, 0x0040ace1f4, 0x008c06e16a,
		0x00d0eba0bb, 0x001c41a025, 0x0092cea7c6, 0x005e64a758, 0x0054a1ae41, 0x00980baedf, 0x001684a93c, 0x00da2ea9a2,
		0x00030ebb0e, 0x00cfa4bb90, 0x00412bbc73, 0x008d81bced, 0x008744b5f4, 0x004beeb56a, 0x00c561b289, 0x0009cbb217,
		0x00ac509190, 0x0060fa910e, 0x00ee7596ed, 0x0022df9673, 0x00281a9f6a, 0x00e4b09ff4, 0x006a3f9817, 0x00a6959889,
		0x007fb58a25, 0x00b31f8abb, 0x003d908d58, 0x00f13a8dc6, 0x00fbff84df, 0x0037558441, 0x00b9da83a2, 0x007570833c,
		0x00533b85da, 0x009f918544, 0x00111e82a7, 0x00ddb48239, 0x00d7718b20, 0x001bdb8bbe, 0x0095548c5d, 0x0059fe8cc3,
		0x0080de9e6f, 0x004c749ef1, 0x00c2fb9912, 0x000e51998c, 0x0004949095, 0x00c83e900b, 0x0046b197e8, 0x008a1b9776,
		0x002f80b4f1, 0x00e32ab46f, 0x006da5b38c, 0x00a10fb312, 0x00abcaba0b, 0x006760ba95, 0x00e9efbd76, 0x002545bde8,
		0x00fc65af44, 0x0030cfafda, 0x00be40a839, 0x0072eaa8a7, 0x00782fa1be, 0x00b485a120, 0x003a0aa6c3, 0x00f6a0a65d,
		0x00aa4de78c, 0x0066e7e712, 0x00e868e0f1, 0x0024c2e06f, 0x002e07e976, 0x00e2ade9e8, 0x006c22ee0b, 0x00a088ee95,
		0x0079a8fc39, 0x00b502fca7, 0x003b8dfb44, 0x00f727fbda, 0x00fde2f2c3, 0x003148f25d, 0x00bfc7f5be, 0x00736df520,
		0x00d6f6d6a7, 0x001a5cd639, 0x0094d3d1da, 0x005879d144, 0x0052bcd85d, 0x009e16d8c3, 0x001099df20, 0x00dc33dfbe,
		0x000513cd12, 0x00c9b9cd8c, 0x004736ca6f, 0x008b9ccaf1, 0x008159c3e8, 0x004df3c376, 0x00c37cc495, 0x000fd6c40b,
		0x007aa64737, 0x00b60c47a9, 0x003883404a, 0x00f42940d4, 0x00feec49cd, 0x0032464953, 0x00bcc94eb0, 0x0070634e2e,
		0x00a9435c82, 0x0065e95c1c, 0x00eb665bff, 0x0027cc5b61, 0x002d095278, 0x00e1a352e6, 0x006f2c5505, 0x00a386559b,
		0x00061d761c, 0x00cab77682, 0x0044387161, 0x00889271ff, 0x00825778e6, 0x004efd7878, 0x00c0727f9b, 0x000cd87f05,
		0x00d5f86da9, 0x0019526d37, 0x0097dd6ad4, 0x005b776a4a, 0x0051b26353, 0x009d1863cd, 0x001397642e, 0x00df3d64b0,
		0x0083d02561, 0x004f7a25ff, 0x00c1f5221c, 0x000d5f2282, 0x00079a2b9b, 0x00cb302b05, 0x0045bf2ce6, 0x0089152c78,
		0x0050353ed4, 0x009c9f3e4a, 0x00121039a9, 0x00deba3937, 0x00d47f302e, 0x0018d530b0, 0x00965a3753, 0x005af037cd,
		0x00ff6b144a, 0x0033c114d4, 0x00bd4e1337, 0x0071e413a9, 0x007b211ab0, 0x00b78b1a2e, 0x0039041dcd, 0x00f5ae1d53,
		0x002c8e0fff, 0x00e0240f61, 0x006eab0882, 0x00a201081c, 0x00a8c40105, 0x00646e019b, 0x00eae10678, 0x00264b06e6,
	},
};

GLOBAL u64 in_again_sent_sent_raise(u32 index, u32 in0 /* md.p */, u32 in1 /* md.edge */)
{
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->sent;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_psn = old;
		u32 p_moved = 0;
		if (((s32)(u32)(p_psn - in0) < (s32)0) && ((s32)(u32)(p_psn - in1) >= (s32)0)) { /* slots.p4:111 */
			p_psn = in0; /* slots.p4:112 */
			p_moved = 1; /* slots.p4:113 */
		} else {
			p_moved = 0; /* slots.p4:115 */
		}
		u32 new = (u32)p_psn;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_moved;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.sent_raise on pipe.Ingress.slots.sent, slots.p4:109 */
INLINE u32 in_sent_sent_raise(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->sent;
	u32 old = READ_ONCE(*cell);
	u32 p_psn = old;
	u32 p_moved = 0;
	if (((s32)(u32)(p_psn - s->md.p) < (s32)0) && ((s32)(u32)(p_psn - s->md.edge) >= (s32)0)) { /* slots.p4:111 */
		p_psn = s->md.p; /* slots.p4:112 */
		p_moved = 1; /* slots.p4:113 */
	} else {
		p_moved = 0; /* slots.p4:115 */
	}
	u32 new = (u32)p_psn;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_moved;
	u64 repeated_ = in_again_sent_sent_raise(index, s->md.p, s->md.edge);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.sent_covers on pipe.Ingress.slots.sent, slots.p4:121 */
INLINE u32 in_sent_sent_covers(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->sent;
	u32 old = READ_ONCE(*cell);
	u32 p_psn = old;
	u32 p_under_way = 0;
	p_under_way = ((is_negative((u32)(p_psn - s->md.p)) ^ 1) & (is_negative((u32)(p_psn - s->md.edge)) | is_zero((u32)(p_psn - s->md.edge)))); /* slots.p4:123 */
	return p_under_way;
}

GLOBAL u64 in_again_slot0_slot0_raise(u32 index, u32 in0 /* md.p */)
{
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot0;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:155 */
			p_held_psn = in0; /* slots.p4:155 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:155 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot0_raise on pipe.Ingress.slots.slot0, slots.p4:155 */
INLINE u32 in_slot0_slot0_raise(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot0;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:155 */
		p_held_psn = s->md.p; /* slots.p4:155 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:155 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot0_slot0_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot0_holds on pipe.Ingress.slots.slot0, slots.p4:155 */
INLINE u32 in_slot0_slot0_holds(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot0;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:155 */
	return p_acked;
}

GLOBAL u64 in_again_slot0_slot0_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot0;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:155 */
			p_held_lost = 1; /* slots.p4:155 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot0_leave on pipe.Ingress.slots.slot0, slots.p4:155 */
INLINE u32 in_slot0_slot0_leave(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot0;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:155 */
		p_held_lost = 1; /* slots.p4:155 */
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
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot1;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:156 */
			p_held_psn = in0; /* slots.p4:156 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:156 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot1_raise on pipe.Ingress.slots.slot1, slots.p4:156 */
INLINE u32 in_slot1_slot1_raise(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot1;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:156 */
		p_held_psn = s->md.p; /* slots.p4:156 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:156 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot1_slot1_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot1_holds on pipe.Ingress.slots.slot1, slots.p4:156 */
INLINE u32 in_slot1_slot1_holds(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot1;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:156 */
	return p_acked;
}

GLOBAL u64 in_again_slot1_slot1_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot1;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:156 */
			p_held_lost = 1; /* slots.p4:156 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot1_leave on pipe.Ingress.slots.slot1, slots.p4:156 */
INLINE u32 in_slot1_slot1_leave(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot1;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:156 */
		p_held_lost = 1; /* slots.p4:156 */
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
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot2;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:157 */
			p_held_psn = in0; /* slots.p4:157 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:157 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot2_raise on pipe.Ingress.slots.slot2, slots.p4:157 */
INLINE u32 in_slot2_slot2_raise(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot2;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:157 */
		p_held_psn = s->md.p; /* slots.p4:157 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:157 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot2_slot2_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot2_holds on pipe.Ingress.slots.slot2, slots.p4:157 */
INLINE u32 in_slot2_slot2_holds(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot2;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:157 */
	return p_acked;
}

GLOBAL u64 in_again_slot2_slot2_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot2;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:157 */
			p_held_lost = 1; /* slots.p4:157 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot2_leave on pipe.Ingress.slots.slot2, slots.p4:157 */
INLINE u32 in_slot2_slot2_leave(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot2;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:157 */
		p_held_lost = 1; /* slots.p4:157 */
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
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot3;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:158 */
			p_held_psn = in0; /* slots.p4:158 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:158 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot3_raise on pipe.Ingress.slots.slot3, slots.p4:158 */
INLINE u32 in_slot3_slot3_raise(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot3;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:158 */
		p_held_psn = s->md.p; /* slots.p4:158 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:158 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot3_slot3_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot3_holds on pipe.Ingress.slots.slot3, slots.p4:158 */
INLINE u32 in_slot3_slot3_holds(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot3;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:158 */
	return p_acked;
}

GLOBAL u64 in_again_slot3_slot3_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot3;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:158 */
			p_held_lost = 1; /* slots.p4:158 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot3_leave on pipe.Ingress.slots.slot3, slots.p4:158 */
INLINE u32 in_slot3_slot3_leave(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot3;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:158 */
		p_held_lost = 1; /* slots.p4:158 */
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
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot4;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:159 */
			p_held_psn = in0; /* slots.p4:159 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:159 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot4_raise on pipe.Ingress.slots.slot4, slots.p4:159 */
INLINE u32 in_slot4_slot4_raise(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot4;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:159 */
		p_held_psn = s->md.p; /* slots.p4:159 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:159 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot4_slot4_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot4_holds on pipe.Ingress.slots.slot4, slots.p4:159 */
INLINE u32 in_slot4_slot4_holds(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot4;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:159 */
	return p_acked;
}

GLOBAL u64 in_again_slot4_slot4_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot4;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:159 */
			p_held_lost = 1; /* slots.p4:159 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot4_leave on pipe.Ingress.slots.slot4, slots.p4:159 */
INLINE u32 in_slot4_slot4_leave(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot4;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:159 */
		p_held_lost = 1; /* slots.p4:159 */
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
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot5;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:160 */
			p_held_psn = in0; /* slots.p4:160 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:160 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot5_raise on pipe.Ingress.slots.slot5, slots.p4:160 */
INLINE u32 in_slot5_slot5_raise(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot5;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:160 */
		p_held_psn = s->md.p; /* slots.p4:160 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:160 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot5_slot5_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot5_holds on pipe.Ingress.slots.slot5, slots.p4:160 */
INLINE u32 in_slot5_slot5_holds(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot5;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:160 */
	return p_acked;
}

GLOBAL u64 in_again_slot5_slot5_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot5;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:160 */
			p_held_lost = 1; /* slots.p4:160 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot5_leave on pipe.Ingress.slots.slot5, slots.p4:160 */
INLINE u32 in_slot5_slot5_leave(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot5;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:160 */
		p_held_lost = 1; /* slots.p4:160 */
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
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot6;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:161 */
			p_held_psn = in0; /* slots.p4:161 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:161 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot6_raise on pipe.Ingress.slots.slot6, slots.p4:161 */
INLINE u32 in_slot6_slot6_raise(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot6;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:161 */
		p_held_psn = s->md.p; /* slots.p4:161 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:161 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot6_slot6_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot6_holds on pipe.Ingress.slots.slot6, slots.p4:161 */
INLINE u32 in_slot6_slot6_holds(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot6;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:161 */
	return p_acked;
}

GLOBAL u64 in_again_slot6_slot6_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot6;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:161 */
			p_held_lost = 1; /* slots.p4:161 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot6_leave on pipe.Ingress.slots.slot6, slots.p4:161 */
INLINE u32 in_slot6_slot6_leave(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot6;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:161 */
		p_held_lost = 1; /* slots.p4:161 */
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
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot7;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		u32 p_heard = 0;
		if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - in0) < (s32)0)) { /* slots.p4:162 */
			p_held_psn = in0; /* slots.p4:162 */
		}
		p_heard = is_zero(p_held_lost); /* slots.p4:162 */
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_heard;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot7_raise on pipe.Ingress.slots.slot7, slots.p4:162 */
INLINE u32 in_slot7_slot7_raise(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot7;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_heard = 0;
	if ((p_held_lost == 0) && ((s32)(u32)(p_held_psn - s->md.p) < (s32)0)) { /* slots.p4:162 */
		p_held_psn = s->md.p; /* slots.p4:162 */
	}
	p_heard = is_zero(p_held_lost); /* slots.p4:162 */
	u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_heard;
	u64 repeated_ = in_again_slot7_slot7_raise(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.slots.slot7_holds on pipe.Ingress.slots.slot7, slots.p4:162 */
INLINE u32 in_slot7_slot7_holds(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot7;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	u32 p_acked = 0;
	p_acked = (is_zero(p_held_lost) & (is_negative((u32)(p_held_psn - s->md.p)) ^ 1)); /* slots.p4:162 */
	return p_acked;
}

GLOBAL u64 in_again_slot7_slot7_leave(u32 index, u32 in0 /* md.edge */)
{
	struct r_slots *row = ELEMENT(r_slots, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot7;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_held_psn = (old >> 32);
		u32 p_held_lost = (u32)old;
		if ((s32)(u32)(p_held_psn - in0) < (s32)0) { /* slots.p4:162 */
			p_held_lost = 1; /* slots.p4:162 */
		}
		u64 new = (u64)p_held_psn << 32 | (u64)p_held_lost;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.slots.slot7_leave on pipe.Ingress.slots.slot7, slots.p4:162 */
INLINE u32 in_slot7_slot7_leave(struct ingress *s, u32 index)
{
	struct r_slots *row = s->r_slots;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->slot7;
	u64 old = READ_ONCE(*cell);
	u32 p_held_psn = (old >> 32);
	u32 p_held_lost = (u32)old;
	if ((s32)(u32)(p_held_psn - s->md.edge) < (s32)0) { /* slots.p4:162 */
		p_held_lost = 1; /* slots.p4:162 */
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
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->committed;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_psn = old;
		u32 p_news = 0;
		if ((s32)(u32)(p_psn - in0) < (s32)0) { /* gather.p4:167 */
			p_psn = in0; /* gather.p4:168 */
			p_news = 1; /* gather.p4:169 */
		} else {
			p_news = 0; /* gather.p4:171 */
		}
		u32 new = (u32)p_psn;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_news;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.gather.committed_raise on pipe.Ingress.gather.committed, gather.p4:165 */
INLINE u32 in_committed_committed_raise(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->committed;
	u32 old = READ_ONCE(*cell);
	u32 p_psn = old;
	u32 p_news = 0;
	if ((s32)(u32)(p_psn - s->md.p) < (s32)0) { /* gather.p4:167 */
		p_psn = s->md.p; /* gather.p4:168 */
		p_news = 1; /* gather.p4:169 */
	} else {
		p_news = 0; /* gather.p4:171 */
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
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->committed;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_psn = old;
		u32 p_now = 0;
		if ((s32)(u32)(p_psn - in0) < (s32)0) { /* gather.p4:177 */
			p_psn = in0; /* gather.p4:178 */
		}
		p_now = p_psn; /* gather.p4:180 */
		u32 new = (u32)p_psn;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_now;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.gather.committed_raise_get on pipe.Ingress.gather.committed, gather.p4:175 */
INLINE u32 in_committed_committed_raise_get(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->committed;
	u32 old = READ_ONCE(*cell);
	u32 p_psn = old;
	u32 p_now = 0;
	if ((s32)(u32)(p_psn - s->md.p) < (s32)0) { /* gather.p4:177 */
		p_psn = s->md.p; /* gather.p4:178 */
	}
	p_now = p_psn; /* gather.p4:180 */
	u32 new = (u32)p_psn;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_now;
	u64 repeated_ = in_again_committed_committed_raise_get(index, s->md.p);
	s->contention |= repeated_ >> 63;
	return (u32)repeated_;
}

/* register action pipe.Ingress.gather.committed_get on pipe.Ingress.gather.committed, gather.p4:183 */
INLINE u32 in_committed_committed_get(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->committed;
	u32 old = READ_ONCE(*cell);
	u32 p_psn = old;
	u32 p_now = 0;
	p_now = p_psn; /* gather.p4:185 */
	return p_now;
}

GLOBAL u64 in_again_credit0_credit0_set(u32 index, u32 in0 /* md.p */, u32 in1 /* md.code */)
{
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit0;
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

/* register action pipe.Ingress.gather.credit0_set on pipe.Ingress.gather.credit0, gather.p4:94 */
INLINE u32 in_credit0_credit0_set(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit0;
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
	u64 repeated_ = in_again_credit0_credit0_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.gather.credit0_get on pipe.Ingress.gather.credit0, gather.p4:94 */
INLINE u32 in_credit0_credit0_get(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit0;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:94 */
	return p_code;
}

GLOBAL u64 in_again_credit0_credit0_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit0;
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

/* register action pipe.Ingress.gather.credit0_spoke on pipe.Ingress.gather.credit0, gather.p4:94 */
INLINE u32 in_credit0_credit0_spoke(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit0;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:94 */
		p_last_psn = s->md.p; /* gather.p4:94 */
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
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit1;
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

/* register action pipe.Ingress.gather.credit1_set on pipe.Ingress.gather.credit1, gather.p4:95 */
INLINE u32 in_credit1_credit1_set(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit1;
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
	u64 repeated_ = in_again_credit1_credit1_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.gather.credit1_get on pipe.Ingress.gather.credit1, gather.p4:95 */
INLINE u32 in_credit1_credit1_get(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit1;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:95 */
	return p_code;
}

GLOBAL u64 in_again_credit1_credit1_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit1;
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

/* register action pipe.Ingress.gather.credit1_spoke on pipe.Ingress.gather.credit1, gather.p4:95 */
INLINE u32 in_credit1_credit1_spoke(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit1;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:95 */
		p_last_psn = s->md.p; /* gather.p4:95 */
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
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit2;
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

/* register action pipe.Ingress.gather.credit2_set on pipe.Ingress.gather.credit2, gather.p4:96 */
INLINE u32 in_credit2_credit2_set(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit2;
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
	u64 repeated_ = in_again_credit2_credit2_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.gather.credit2_get on pipe.Ingress.gather.credit2, gather.p4:96 */
INLINE u32 in_credit2_credit2_get(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit2;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:96 */
	return p_code;
}

GLOBAL u64 in_again_credit2_credit2_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit2;
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

/* register action pipe.Ingress.gather.credit2_spoke on pipe.Ingress.gather.credit2, gather.p4:96 */
INLINE u32 in_credit2_credit2_spoke(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit2;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:96 */
		p_last_psn = s->md.p; /* gather.p4:96 */
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
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit3;
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

/* register action pipe.Ingress.gather.credit3_set on pipe.Ingress.gather.credit3, gather.p4:97 */
INLINE u32 in_credit3_credit3_set(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit3;
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
	u64 repeated_ = in_again_credit3_credit3_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.gather.credit3_get on pipe.Ingress.gather.credit3, gather.p4:97 */
INLINE u32 in_credit3_credit3_get(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit3;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:97 */
	return p_code;
}

GLOBAL u64 in_again_credit3_credit3_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit3;
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

/* register action pipe.Ingress.gather.credit3_spoke on pipe.Ingress.gather.credit3, gather.p4:97 */
INLINE u32 in_credit3_credit3_spoke(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit3;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:97 */
		p_last_psn = s->md.p; /* gather.p4:97 */
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
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit4;
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

/* register action pipe.Ingress.gather.credit4_set on pipe.Ingress.gather.credit4, gather.p4:98 */
INLINE u32 in_credit4_credit4_set(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit4;
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
	u64 repeated_ = in_again_credit4_credit4_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.gather.credit4_get on pipe.Ingress.gather.credit4, gather.p4:98 */
INLINE u32 in_credit4_credit4_get(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit4;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:98 */
	return p_code;
}

GLOBAL u64 in_again_credit4_credit4_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit4;
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

/* register action pipe.Ingress.gather.credit4_spoke on pipe.Ingress.gather.credit4, gather.p4:98 */
INLINE u32 in_credit4_credit4_spoke(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit4;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:98 */
		p_last_psn = s->md.p; /* gather.p4:98 */
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
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit5;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		u32 p_again = 0;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:99 */
			p_last_psn = in0; /* gather.p4:99 */
			p_again = 0; /* gather.p4:99 */
		} else {
			p_again = 1; /* gather.p4:99 */
		}
		p_last_code = in1; /* gather.p4:99 */
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_again;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.gather.credit5_set on pipe.Ingress.gather.credit5, gather.p4:99 */
INLINE u32 in_credit5_credit5_set(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit5;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_again = 0;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:99 */
		p_last_psn = s->md.p; /* gather.p4:99 */
		p_again = 0; /* gather.p4:99 */
	} else {
		p_again = 1; /* gather.p4:99 */
	}
	p_last_code = s->md.code; /* gather.p4:99 */
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_again;
	u64 repeated_ = in_again_credit5_credit5_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.gather.credit5_get on pipe.Ingress.gather.credit5, gather.p4:99 */
INLINE u32 in_credit5_credit5_get(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit5;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:99 */
	return p_code;
}

GLOBAL u64 in_again_credit5_credit5_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit5;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:99 */
			p_last_psn = in0; /* gather.p4:99 */
		}
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.gather.credit5_spoke on pipe.Ingress.gather.credit5, gather.p4:99 */
INLINE u32 in_credit5_credit5_spoke(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit5;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:99 */
		p_last_psn = s->md.p; /* gather.p4:99 */
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
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit6;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		u32 p_again = 0;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:100 */
			p_last_psn = in0; /* gather.p4:100 */
			p_again = 0; /* gather.p4:100 */
		} else {
			p_again = 1; /* gather.p4:100 */
		}
		p_last_code = in1; /* gather.p4:100 */
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_again;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.gather.credit6_set on pipe.Ingress.gather.credit6, gather.p4:100 */
INLINE u32 in_credit6_credit6_set(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit6;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_again = 0;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:100 */
		p_last_psn = s->md.p; /* gather.p4:100 */
		p_again = 0; /* gather.p4:100 */
	} else {
		p_again = 1; /* gather.p4:100 */
	}
	p_last_code = s->md.code; /* gather.p4:100 */
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_again;
	u64 repeated_ = in_again_credit6_credit6_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.gather.credit6_get on pipe.Ingress.gather.credit6, gather.p4:100 */
INLINE u32 in_credit6_credit6_get(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit6;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:100 */
	return p_code;
}

GLOBAL u64 in_again_credit6_credit6_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit6;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:100 */
			p_last_psn = in0; /* gather.p4:100 */
		}
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.gather.credit6_spoke on pipe.Ingress.gather.credit6, gather.p4:100 */
INLINE u32 in_credit6_credit6_spoke(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit6;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:100 */
		p_last_psn = s->md.p; /* gather.p4:100 */
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
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit7;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		u32 p_again = 0;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:101 */
			p_last_psn = in0; /* gather.p4:101 */
			p_again = 0; /* gather.p4:101 */
		} else {
			p_again = 1; /* gather.p4:101 */
		}
		p_last_code = in1; /* gather.p4:101 */
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_again;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.gather.credit7_set on pipe.Ingress.gather.credit7, gather.p4:101 */
INLINE u32 in_credit7_credit7_set(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit7;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_again = 0;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:101 */
		p_last_psn = s->md.p; /* gather.p4:101 */
		p_again = 0; /* gather.p4:101 */
	} else {
		p_again = 1; /* gather.p4:101 */
	}
	p_last_code = s->md.code; /* gather.p4:101 */
	u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_again;
	u64 repeated_ = in_again_credit7_credit7_set(index, s->md.p, s->md.code);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* register action pipe.Ingress.gather.credit7_get on pipe.Ingress.gather.credit7, gather.p4:101 */
INLINE u32 in_credit7_credit7_get(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit7;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	u32 p_code = 0;
	p_code = (u8)p_last_code; /* gather.p4:101 */
	return p_code;
}

GLOBAL u64 in_again_credit7_credit7_spoke(u32 index, u32 in0 /* md.p */)
{
	struct r_gather *row = ELEMENT(r_gather, 4096, index);
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit7;
	for (u32 tries = 0; tries < 64; tries++) {
		u64 old = READ_ONCE(*cell);
		u32 p_last_psn = (old >> 32);
		u32 p_last_code = (u32)old;
		if ((s32)(u32)(p_last_psn - in0) < (s32)0) { /* gather.p4:101 */
			p_last_psn = in0; /* gather.p4:101 */
		}
		u64 new = (u64)p_last_psn << 32 | (u64)p_last_code;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return 0;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.gather.credit7_spoke on pipe.Ingress.gather.credit7, gather.p4:101 */
INLINE u32 in_credit7_credit7_spoke(struct ingress *s, u32 index)
{
	struct r_gather *row = s->r_gather;
	if (unlikely(!row))
		return 0;
	u64 *cell = &row->credit7;
	u64 old = READ_ONCE(*cell);
	u32 p_last_psn = (old >> 32);
	u32 p_last_code = (u32)old;
	if ((s32)(u32)(p_last_psn - s->md.p) < (s32)0) { /* gather.p4:101 */
		p_last_psn = s->md.p; /* gather.p4:101 */
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
	struct r_cnp *row = ELEMENT(r_cnp, 4096, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->last_cnp;
	for (u32 tries = 0; tries < 64; tries++) {
		u32 old = READ_ONCE(*cell);
		u32 p_last = old;
		u32 p_pass = 0;
		if (((s32)(u32)(in0 - p_last) >= (s32)0) || ((s32)(u32)(in1 - p_last) < (s32)0)) { /* cnp.p4:29 */
			p_last = in1; /* cnp.p4:30 */
			p_pass = 1; /* cnp.p4:31 */
		} else {
			p_pass = 0; /* cnp.p4:33 */
		}
		u32 new = (u32)p_last;
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return p_pass;
	}
	return 1ULL << 63;
}

/* register action pipe.Ingress.cnp.limit on pipe.Ingress.cnp.last_cnp, cnp.p4:27 */
INLINE u32 in_last_cnp_limit(struct ingress *s, u32 index)
{
	struct r_cnp *row = ELEMENT(r_cnp, 4096, index);
	if (unlikely(!row))
		return 0;
	u32 *cell = &row->last_cnp;
	u32 old = READ_ONCE(*cell);
	u32 p_last = old;
	u32 p_pass = 0;
	if (((s32)(u32)(s->md.before - p_last) >= (s32)0) || ((s32)(u32)(s->md.now - p_last) < (s32)0)) { /* cnp.p4:29 */
		p_last = s->md.now; /* cnp.p4:30 */
		p_pass = 1; /* cnp.p4:31 */
	} else {
		p_pass = 0; /* cnp.p4:33 */
	}
	u32 new = (u32)p_last;
	if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))
		return p_pass;
	u64 repeated_ = in_again_last_cnp_limit(index, s->md.before, s->md.now);
	s->contention |= repeated_ >> 63;
	return ((u8)repeated_ & 1);
}

/* action pipe.Ingress.group.set_class, group.p4:45 */
INLINE void in_set_class(struct ingress *s, u16 p_class)
{
	s->md.port_class = p_class; /* group.p4:46 */
}

/* action pipe.Ingress.group.own_class, group.p4:50 */
INLINE void in_own_class(struct ingress *s)
{
	s->md.port_class = (u16)s->ig_intr_md.ingress_port; /* group.p4:51 */
}

/* action pipe.Ingress.group.scatter, group.p4:66 */
INLINE void in_scatter(struct ingress *s, u16 p_group, u16 p_multicast_group, u32 p_rkey, u32 p_region_mask, u8 p_members)
{
	s->md.role = 1; /* group.p4:68 */
	s->md.slot = 0xff; /* group.p4:69 */
	s->md.group = p_group; /* group.p4:70 */
	s->md.multicast_group = p_multicast_group; /* group.p4:71 */
	s->md.members = p_members; /* group.p4:72 */
	s->md.key_diff = (in_hdr_reth_rkey(s) ^ p_rkey); /* group.p4:73 */
	s->md.region_mask = p_region_mask; /* group.p4:74 */
	s->md.start_over = ((u32)in_hdr_reth_va(s) & p_region_mask); /* group.p4:75 */
	s->md.end = (u32)((u32)in_hdr_reth_va(s) + in_hdr_reth_length(s)); /* group.p4:76 */
}

/* action pipe.Ingress.group.gather, group.p4:84 */
INLINE void in_gather(struct ingress *s, u16 p_group, u8 p_slot, u32 p_delta, u8 p_members, u8 p_f, u16 p_leader_port, u32 p_icrc)
{
	s->md.role = 2; /* group.p4:86 */
	s->md.group = p_group; /* group.p4:87 */
	s->md.slot = p_slot; /* group.p4:88 */
	s->md.p = (u32)(s->md.p + p_delta); /* group.p4:89 */
	s->md.members = p_members; /* group.p4:90 */
	s->md.f = p_f; /* group.p4:91 */
	s->md.leader_port = p_leader_port; /* group.p4:92 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_group(s, p_group); /* group.p4:93 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_icrc(s, p_icrc); /* group.p4:94 */
}

/* action NoAction, <core.p4>:35 */
INLINE void in_NoAction(struct ingress *s)
{
	aside();
}

/* action pipe.Ingress.group.copy, group.p4:111 */
INLINE void in_copy(struct ingress *s)
{
	s->md.class = 1; /* group.p4:112 */
	s->md.edge = (u32)(s->md.p - 0x3fffff00); /* group.p4:113 */
}

/* action pipe.Ingress.group.write, group.p4:117 */
INLINE void in_write(struct ingress *s)
{
	s->md.class = 2; /* group.p4:118 */
	s->md.edge = (u32)(s->md.p - 0x3fffff00); /* group.p4:119 */
	s->md.end_over = (s->md.end & s->md.region_mask); /* group.p4:120 */
	s->md.end_left = (u32)(s->md.end + s->md.region_mask); /* group.p4:121 */
}

/* action pipe.Ingress.group.ack, group.p4:125 */
INLINE void in_ack(struct ingress *s)
{
	s->md.class = 3; /* group.p4:126 */
	s->md.edge = (u32)(s->md.p + 0x3fffff00); /* group.p4:127 */
	s->md.code = (u32)in_hdr_aeth_syndrome(s); /* group.p4:128 */
}

/* action pipe.Ingress.group.nak, group.p4:133 */
INLINE void in_nak(struct ingress *s)
{
	s->md.class = 4; /* group.p4:134 */
	s->md.edge = (u32)(s->md.p + 0x3ffffe00); /* group.p4:135 */
	s->md.p = (u32)(s->md.p - 0x100); /* group.p4:136 */
}

/* action pipe.Ingress.group.cnp, group.p4:140 */
INLINE void in_cnp(struct ingress *s)
{
	aside();
	s->md.class = 5; /* group.p4:141 */
}

/* action pipe.Ingress.group.invalid_request, group.p4:145 */
INLINE void in_invalid_request(struct ingress *s)
{
	aside();
	s->md.reason = 5; /* group.p4:146 */
}

/* action pipe.Ingress.group.bad_opcode, group.p4:150 */
INLINE void in_bad_opcode(struct ingress *s)
{
	aside();
	s->md.drop = 4; /* group.p4:151 */
}

/* action pipe.Ingress.group.bad_syndrome, group.p4:155 */
INLINE void in_bad_syndrome(struct ingress *s)
{
	aside();
	s->md.drop = 5; /* group.p4:156 */
}

/* action pipe.Ingress.group.damaged, group.p4:160 */
INLINE void in_damaged(struct ingress *s)
{
	aside();
	s->md.drop = 7; /* group.p4:161 */
}

/* action pipe.Ingress.forward.pretended, forward.p4:35 */
INLINE void in_pretended(struct ingress *s)
{
	aside();
	s->md.own = 1; /* forward.p4:36 */
}

/* action pipe.Ingress.forward.to_switch, forward.p4:56 */
INLINE void in_to_switch(struct ingress *s)
{
	aside();
	s->md.local = 1; /* forward.p4:57 */
}

/* action pipe.Ingress.forward.forward, forward.p4:69 */
INLINE void in_forward(struct ingress *s, u16 p_port)
{
	s->ig_tm_md.ucast_egress_port = p_port; /* forward.p4:70 */
	s->unicast = 1;
}

/* action pipe.Ingress.forward.router, forward.p4:74 */
INLINE void in_router(struct ingress *s)
{
	aside();
	s->md.routed = 1; /* forward.p4:75 */
}

/* action pipe.Ingress.forward.unknown, forward.p4:79 */
INLINE void in_unknown(struct ingress *s)
{
	aside();
	s->md.reason = 2; /* forward.p4:80 */
}

/* action pipe.Ingress.forward.route, forward.p4:92 */
INLINE void in_route(struct ingress *s, u16 p_port, u64 p_src_mac, u64 p_dst_mac)
{
	s->ig_tm_md.ucast_egress_port = p_port; /* forward.p4:93 */
	s->unicast = 1;
	in_set_hdr_ethernet_src(s, p_src_mac); /* forward.p4:94 */
	in_set_hdr_ethernet_dst(s, p_dst_mac); /* forward.p4:95 */
	in_set_hdr_ipv4_ttl(s, (u8)(in_hdr_ipv4_ttl(s) - 1)); /* forward.p4:96 */
}

/* action pipe.Ingress.forward.no_route, forward.p4:100 */
INLINE void in_no_route(struct ingress *s)
{
	aside();
	s->md.reason = 7; /* forward.p4:101 */
}

/* action pipe.Ingress.slots.request, slots.p4:132 */
INLINE void in_request(struct ingress *s)
{
	s->md.fresh = in_sent_sent_raise(s, s->md.group); /* slots.p4:133 */
}

/* action pipe.Ingress.slots.response, slots.p4:137 */
INLINE void in_response(struct ingress *s)
{
	s->md.fresh = in_sent_sent_covers(s, s->md.group); /* slots.p4:138 */
}

/* action pipe.Ingress.slots.slot0_update, slots.p4:155 */
INLINE void in_slot0_update(struct ingress *s)
{
	s->md.acked0 = in_slot0_slot0_raise(s, s->md.group); /* slots.p4:155 */
}

/* action pipe.Ingress.slots.slot0_query, slots.p4:155 */
INLINE void in_slot0_query(struct ingress *s)
{
	s->md.acked0 = in_slot0_slot0_holds(s, s->md.group); /* slots.p4:155 */
}

/* action pipe.Ingress.slots.slot0_expire, slots.p4:155 */
INLINE void in_slot0_expire(struct ingress *s)
{
	in_slot0_slot0_leave(s, s->md.group); /* slots.p4:155 */
}

/* action pipe.Ingress.slots.slot1_update, slots.p4:156 */
INLINE void in_slot1_update(struct ingress *s)
{
	s->md.acked1 = in_slot1_slot1_raise(s, s->md.group); /* slots.p4:156 */
}

/* action pipe.Ingress.slots.slot1_query, slots.p4:156 */
INLINE void in_slot1_query(struct ingress *s)
{
	s->md.acked1 = in_slot1_slot1_holds(s, s->md.group); /* slots.p4:156 */
}

/* action pipe.Ingress.slots.slot1_expire, slots.p4:156 */
INLINE void in_slot1_expire(struct ingress *s)
{
	in_slot1_slot1_leave(s, s->md.group); /* slots.p4:156 */
}

/* action pipe.Ingress.slots.slot2_update, slots.p4:157 */
INLINE void in_slot2_update(struct ingress *s)
{
	s->md.acked2 = in_slot2_slot2_raise(s, s->md.group); /* slots.p4:157 */
}

/* action pipe.Ingress.slots.slot2_query, slots.p4:157 */
INLINE void in_slot2_query(struct ingress *s)
{
	s->md.acked2 = in_slot2_slot2_holds(s, s->md.group); /* slots.p4:157 */
}

/* action pipe.Ingress.slots.slot2_expire, slots.p4:157 */
INLINE void in_slot2_expire(struct ingress *s)
{
	in_slot2_slot2_leave(s, s->md.group); /* slots.p4:157 */
}

/* action pipe.Ingress.slots.slot3_update, slots.p4:158 */
INLINE void in_slot3_update(struct ingress *s)
{
	s->md.acked3 = in_slot3_slot3_raise(s, s->md.group); /* slots.p4:158 */
}

/* action pipe.Ingress.slots.slot3_query, slots.p4:158 */
INLINE void in_slot3_query(struct ingress *s)
{
	s->md.acked3 = in_slot3_slot3_holds(s, s->md.group); /* slots.p4:158 */
}

/* action pipe.Ingress.slots.slot3_expire, slots.p4:158 */
INLINE void in_slot3_expire(struct ingress *s)
{
	in_slot3_slot3_leave(s, s->md.group); /* slots.p4:158 */
}

/* action pipe.Ingress.slots.slot4_update, slots.p4:159 */
INLINE void in_slot4_update(struct ingress *s)
{
	s->md.acked4 = in_slot4_slot4_raise(s, s->md.group); /* slots.p4:159 */
}

/* action pipe.Ingress.slots.slot4_query, slots.p4:159 */
INLINE void in_slot4_query(struct ingress *s)
{
	s->md.acked4 = in_slot4_slot4_holds(s, s->md.group); /* slots.p4:159 */
}

/* action pipe.Ingress.slots.slot4_expire, slots.p4:159 */
INLINE void in_slot4_expire(struct ingress *s)
{
	in_slot4_slot4_leave(s, s->md.group); /* slots.p4:159 */
}

/* action pipe.Ingress.slots.slot5_update, slots.p4:160 */
INLINE void in_slot5_update(struct ingress *s)
{
	s->md.acked5 = in_slot5_slot5_raise(s, s->md.group); /* slots.p4:160 */
}

/* action pipe.Ingress.slots.slot5_query, slots.p4:160 */
INLINE void in_slot5_query(struct ingress *s)
{
	s->md.acked5 = in_slot5_slot5_holds(s, s->md.group); /* slots.p4:160 */
}

/* action pipe.Ingress.slots.slot5_expire, slots.p4:160 */
INLINE void in_slot5_expire(struct ingress *s)
{
	in_slot5_slot5_leave(s, s->md.group); /* slots.p4:160 */
}

/* action pipe.Ingress.slots.slot6_update, slots.p4:161 */
INLINE void in_slot6_update(struct ingress *s)
{
	s->md.acked6 = in_slot6_slot6_raise(s, s->md.group); /* slots.p4:161 */
}

/* action pipe.Ingress.slots.slot6_query, slots.p4:161 */
INLINE void in_slot6_query(struct ingress *s)
{
	s->md.acked6 = in_slot6_slot6_holds(s, s->md.group); /* slots.p4:161 */
}

/* action pipe.Ingress.slots.slot6_expire, slots.p4:161 */
INLINE void in_slot6_expire(struct ingress *s)
{
	in_slot6_slot6_leave(s, s->md.group); /* slots.p4:161 */
}

/* action pipe.Ingress.slots.slot7_update, slots.p4:162 */
INLINE void in_slot7_update(struct ingress *s)
{
	s->md.acked7 = in_slot7_slot7_raise(s, s->md.group); /* slots.p4:162 */
}

/* action pipe.Ingress.slots.slot7_query, slots.p4:162 */
INLINE void in_slot7_query(struct ingress *s)
{
	s->md.acked7 = in_slot7_slot7_holds(s, s->md.group); /* slots.p4:162 */
}

/* action pipe.Ingress.slots.slot7_expire, slots.p4:162 */
INLINE void in_slot7_expire(struct ingress *s)
{
	in_slot7_slot7_leave(s, s->md.group); /* slots.p4:162 */
}

/* action pipe.Ingress.scatter.allowed, scatter.p4:24 */
INLINE void in_allowed(struct ingress *s)
{
	aside();
}

/* action pipe.Ingress.scatter.remote_access, scatter.p4:28 */
INLINE void in_remote_access(struct ingress *s)
{
	aside();
	s->md.reason = 6; /* scatter.p4:29 */
}

/* action pipe.Ingress.gather.slot_heard, gather.p4:104 */
INLINE void in_slot_heard(struct ingress *s)
{
	aside();
	s->md.heard = 1; /* gather.p4:105 */
}

/* action pipe.Ingress.gather.quorum_reached, gather.p4:138 */
INLINE void in_quorum_reached(struct ingress *s)
{
	aside();
	s->md.quorum = 1; /* gather.p4:139 */
}

/* action pipe.Ingress.gather.commit, gather.p4:191 */
INLINE void in_commit(struct ingress *s)
{
	s->md.news = in_committed_committed_raise(s, s->md.group); /* gather.p4:192 */
}

/* action pipe.Ingress.gather.commit_look, gather.p4:197 */
INLINE void in_commit_look(struct ingress *s)
{
	s->md.committed = in_committed_committed_raise_get(s, s->md.group); /* gather.p4:198 */
}

/* action pipe.Ingress.gather.look, gather.p4:203 */
INLINE void in_look(struct ingress *s)
{
	s->md.committed = in_committed_committed_get(s, s->md.group); /* gather.p4:204 */
}

/* action pipe.Ingress.gather.credit0_update, gather.p4:94 */
INLINE void in_credit0_update(struct ingress *s)
{
	s->md.again0 = in_credit0_credit0_set(s, s->md.group); /* gather.p4:94 */
	s->md.credit0 = in_hdr_aeth_syndrome(s); /* gather.p4:94 */
}

/* action pipe.Ingress.gather.credit0_query, gather.p4:94 */
INLINE void in_credit0_query(struct ingress *s)
{
	s->md.credit0 = in_credit0_credit0_get(s, s->md.group); /* gather.p4:94 */
}

/* action pipe.Ingress.gather.credit0_note, gather.p4:94 */
INLINE void in_credit0_note(struct ingress *s)
{
	in_credit0_credit0_spoke(s, s->md.group); /* gather.p4:94 */
}

/* action pipe.Ingress.gather.credit1_update, gather.p4:95 */
INLINE void in_credit1_update(struct ingress *s)
{
	s->md.again1 = in_credit1_credit1_set(s, s->md.group); /* gather.p4:95 */
	s->md.credit1 = in_hdr_aeth_syndrome(s); /* gather.p4:95 */
}

/* action pipe.Ingress.gather.credit1_query, gather.p4:95 */
INLINE void in_credit1_query(struct ingress *s)
{
	s->md.credit1 = in_credit1_credit1_get(s, s->md.group); /* gather.p4:95 */
}

/* action pipe.Ingress.gather.credit1_note, gather.p4:95 */
INLINE void in_credit1_note(struct ingress *s)
{
	in_credit1_credit1_spoke(s, s->md.group); /* gather.p4:95 */
}

/* action pipe.Ingress.gather.credit2_update, gather.p4:96 */
INLINE void in_credit2_update(struct ingress *s)
{
	s->md.again2 = in_credit2_credit2_set(s, s->md.group); /* gather.p4:96 */
	s->md.credit2 = in_hdr_aeth_syndrome(s); /* gather.p4:96 */
}

/* action pipe.Ingress.gather.credit2_query, gather.p4:96 */
INLINE void in_credit2_query(struct ingress *s)
{
	s->md.credit2 = in_credit2_credit2_get(s, s->md.group); /* gather.p4:96 */
}

/* action pipe.Ingress.gather.credit2_note, gather.p4:96 */
INLINE void in_credit2_note(struct ingress *s)
{
	in_credit2_credit2_spoke(s, s->md.group); /* gather.p4:96 */
}

/* action pipe.Ingress.gather.credit3_update, gather.p4:97 */
INLINE void in_credit3_update(struct ingress *s)
{
	s->md.again3 = in_credit3_credit3_set(s, s->md.group); /* gather.p4:97 */
	s->md.credit3 = in_hdr_aeth_syndrome(s); /* gather.p4:97 */
}

/* action pipe.Ingress.gather.credit3_query, gather.p4:97 */
INLINE void in_credit3_query(struct ingress *s)
{
	s->md.credit3 = in_credit3_credit3_get(s, s->md.group); /* gather.p4:97 */
}

/* action pipe.Ingress.gather.credit3_note, gather.p4:97 */
INLINE void in_credit3_note(struct ingress *s)
{
	in_credit3_credit3_spoke(s, s->md.group); /* gather.p4:97 */
}

/* action pipe.Ingress.gather.credit4_update, gather.p4:98 */
INLINE void in_credit4_update(struct ingress *s)
{
	s->md.again4 = in_credit4_credit4_set(s, s->md.group); /* gather.p4:98 */
	s->md.credit4 = in_hdr_aeth_syndrome(s); /* gather.p4:98 */
}

/* action pipe.Ingress.gather.credit4_query, gather.p4:98 */
INLINE void in_credit4_query(struct ingress *s)
{
	s->md.credit4 = in_credit4_credit4_get(s, s->md.group); /* gather.p4:98 */
}

/* action pipe.Ingress.gather.credit4_note, gather.p4:98 */
INLINE void in_credit4_note(struct ingress *s)
{
	in_credit4_credit4_spoke(s, s->md.group); /* gather.p4:98 */
}

/* action pipe.Ingress.gather.credit5_update, gather.p4:99 */
INLINE void in_credit5_update(struct ingress *s)
{
	s->md.again5 = in_credit5_credit5_set(s, s->md.group); /* gather.p4:99 */
	s->md.credit5 = in_hdr_aeth_syndrome(s); /* gather.p4:99 */
}

/* action pipe.Ingress.gather.credit5_query, gather.p4:99 */
INLINE void in_credit5_query(struct ingress *s)
{
	s->md.credit5 = in_credit5_credit5_get(s, s->md.group); /* gather.p4:99 */
}

/* action pipe.Ingress.gather.credit5_note, gather.p4:99 */
INLINE void in_credit5_note(struct ingress *s)
{
	in_credit5_credit5_spoke(s, s->md.group); /* gather.p4:99 */
}

/* action pipe.Ingress.gather.credit6_update, gather.p4:100 */
INLINE void in_credit6_update(struct ingress *s)
{
	s->md.again6 = in_credit6_credit6_set(s, s->md.group); /* gather.p4:100 */
	s->md.credit6 = in_hdr_aeth_syndrome(s); /* gather.p4:100 */
}

/* action pipe.Ingress.gather.credit6_query, gather.p4:100 */
INLINE void in_credit6_query(struct ingress *s)
{
	s->md.credit6 = in_credit6_credit6_get(s, s->md.group); /* gather.p4:100 */
}

/* action pipe.Ingress.gather.credit6_note, gather.p4:100 */
INLINE void in_credit6_note(struct ingress *s)
{
	in_credit6_credit6_spoke(s, s->md.group); /* gather.p4:100 */
}

/* action pipe.Ingress.gather.credit7_update, gather.p4:101 */
INLINE void in_credit7_update(struct ingress *s)
{
	s->md.again7 = in_credit7_credit7_set(s, s->md.group); /* gather.p4:101 */
	s->md.credit7 = in_hdr_aeth_syndrome(s); /* gather.p4:101 */
}

/* action pipe.Ingress.gather.credit7_query, gather.p4:101 */
INLINE void in_credit7_query(struct ingress *s)
{
	s->md.credit7 = in_credit7_credit7_get(s, s->md.group); /* gather.p4:101 */
}

/* action pipe.Ingress.gather.credit7_note, gather.p4:101 */
INLINE void in_credit7_note(struct ingress *s)
{
	in_credit7_credit7_spoke(s, s->md.group); /* gather.p4:101 */
}

/* action pipe.Ingress.gather.answer_ack, gather.p4:225 */
INLINE void in_answer_ack(struct ingress *s)
{
	s->ig_tm_md.ucast_egress_port = s->md.leader_port; /* gather.p4:226 */
	s->unicast = 1;
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_kind(s, 3); /* gather.p4:227 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_psn(s, s->md.p); /* gather.p4:228 */
}

/* action pipe.Ingress.gather.answer_nak, gather.p4:232 */
INLINE void in_answer_nak(struct ingress *s)
{
	s->ig_tm_md.ucast_egress_port = s->md.leader_port; /* gather.p4:233 */
	s->unicast = 1;
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_kind(s, 2); /* gather.p4:234 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_psn(s, (u32)(s->md.committed + 0x100)); /* gather.p4:235 */
}

/* action pipe.Ingress.gather.absorb, gather.p4:239 */
INLINE void in_absorb(struct ingress *s)
{
	aside();
	s->ig_dprsr_md.drop_ctl = 1; /* gather.p4:240 */
}

/* action pipe.Ingress.cnp.interval, cnp.p4:40 */
INLINE void in_interval(struct ingress *s, u32 p_units)
{
	s->md.interval = p_units; /* cnp.p4:41 */
}

/* table pipe.Ingress.group.port_class, group.p4:55 */
INLINE u32 in_port_class_apply(struct ingress *s)
{
	u32 key = s->ig_intr_md.ingress_port; /* group.p4:56 */
	union value_port_class *value = bpf_map_lookup_elem(&t_port_class, &key);
	if (value && !value->action)
		value = 0;
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_own_class(s);
		return a_port_class_own_class;
	}
	u32 action = value->action - !!hit;
	switch (action) {
		case a_port_class_set_class:
			in_set_class(s, value->set_class.class);
			break;
		case a_port_class_own_class:
			in_own_class(s);
			break;
	}
	return hit | action;
}

/* table pipe.Ingress.group.qp, group.p4:98 */
INLINE u32 in_qp_apply(struct ingress *s)
{
	struct key_qp key = {};
	key.hdr_ipv4_src = in_hdr_ipv4_src(s); /* group.p4:100 */
	key.hdr_ipv4_dst = in_hdr_ipv4_dst(s); /* group.p4:101 */
	key.hdr_bth_dst_qp = in_hdr_bth_dst_qp(s); /* group.p4:102 */
	key.port_class = s->md.port_class; /* group.p4:103 */
	union value_qp *value = bpf_map_lookup_elem(&t_qp, &key);
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
		case a_qp_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

static const u8 in_classify_index[16384] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	13, 15, 13, 16, 13, 18, 13, 16, 13, 18, 13, 18, 13, 18, 13, 18,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	13, 19, 13, 19, 13, 19, 13, 19, 13, 19, 13, 19, 13, 19, 13, 19,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
/* table pipe.Ingress.group.classify, group.p4:165 */
INLINE u32 in_classify_apply(struct ingress *s)
{
	u32 key = (u32)s->md.role << 12 | (u32)in_hdr_bth_opcode(s) << 4 | (u32)(in_hdr_aeth_syndrome(s) >> 5) << 1 | (u32)s->md.intact; /* group.p4:167 */
	switch (in_classify_index[opaque(key) & 0x3fff]) {
		case 1: /* group.p4:175 */
			in_copy(s);
			return HIT | a_classify_copy;
		case 4: /* group.p4:178 */
			in_write(s);
			return HIT | a_classify_write;
		case 10: /* group.p4:184 */
			in_invalid_request(s);
			return HIT | a_classify_invalid_request;
		case 13: /* group.p4:187 */
			in_damaged(s);
			return HIT | a_classify_damaged;
		case 15: /* group.p4:189 */
			in_ack(s);
			return HIT | a_classify_ack;
		case 16: /* group.p4:190 */
			in_nak(s);
			return HIT | a_classify_nak;
		case 18: /* group.p4:192 */
			in_bad_syndrome(s);
			return HIT | a_classify_bad_syndrome;
		case 19: /* group.p4:193 */
			in_cnp(s);
			return HIT | a_classify_cnp;
	}
	in_bad_opcode(s);
	return a_classify_bad_opcode;
}

/* table pipe.Ingress.forward.own_mac, forward.p4:40 */
INLINE u32 in_own_mac_apply(struct ingress *s)
{
	struct key_own_mac key = {};
	key.hdr_ethernet_src = in_hdr_ethernet_src(s); /* forward.p4:41 */
	union value_own_mac *value = bpf_map_lookup_elem(&t_own_mac, &key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_own_mac_NoAction;
	}
	switch (value->action) {
		case a_own_mac_pretended:
			in_pretended(s);
			break;
		case a_own_mac_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.forward.own_ip, forward.p4:48 */
INLINE u32 in_own_ip_apply(struct ingress *s)
{
	struct key_own_ip key = {};
	key.sender = s->md.sender; /* forward.p4:49 */
	union value_own_ip *value = bpf_map_lookup_elem(&t_own_ip, &key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_NoAction(s);
		return a_own_ip_NoAction;
	}
	switch (value->action) {
		case a_own_ip_pretended:
			in_pretended(s);
			break;
		case a_own_ip_NoAction:
			in_NoAction(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.forward.switch_ip, forward.p4:61 */
INLINE u32 in_switch_ip_apply(struct ingress *s)
{
	struct key_switch_ip key = {};
	key.hdr_ipv4_dst = in_hdr_ipv4_dst(s); /* forward.p4:62 */
	union value_switch_ip *value = bpf_map_lookup_elem(&t_switch_ip, &key);
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

/* table pipe.Ingress.forward.l2, forward.p4:84 */
INLINE u32 in_l2_apply(struct ingress *s)
{
	struct key_l2 key = {};
	key.hdr_ethernet_dst = in_hdr_ethernet_dst(s); /* forward.p4:85 */
	union value_l2 *value = bpf_map_lookup_elem(&t_l2, &key);
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

/* table pipe.Ingress.forward.l3, forward.p4:105 */
INLINE u32 in_l3_apply(struct ingress *s)
{
	struct key_l3 key = { .prefix = 32 };
	put32(key.hdr_ipv4_dst, in_hdr_ipv4_dst(s)); /* forward.p4:106 */
	union value_l3 *value = bpf_map_lookup_elem(&t_l3, &key);
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

/* table pipe.Ingress.slots.window, slots.p4:142 */
INLINE u32 in_window_apply(struct ingress *s)
{
	if (s->md.class == 1) { /* slots.p4:147 */
		in_request(s);
		return HIT | a_window_request;
	}
	if (s->md.class == 2) { /* slots.p4:148 */
		in_request(s);
		return HIT | a_window_request;
	}
	if (s->md.class == 3) { /* slots.p4:149 */
		in_response(s);
		return HIT | a_window_response;
	}
	if (s->md.class == 4) { /* slots.p4:150 */
		in_response(s);
		return HIT | a_window_response;
	}
	in_NoAction(s);
	return a_window_NoAction;
}

/* table pipe.Ingress.slots.held0, slots.p4:155 */
INLINE u32 in_held0_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 0) { /* slots.p4:155 */
		if (phase & P4_UPDATES)
			in_slot0_update(s);
		return HIT | a_held0_slot0_update;
	}
	if (s->md.slot == 0xff) { /* slots.p4:155 */
		if (phase & P4_QUERIES)
			in_slot0_expire(s);
		return HIT | a_held0_slot0_expire;
	}
	if (phase & P4_QUERIES)
		in_slot0_query(s);
	return HIT | a_held0_slot0_query;
}

/* table pipe.Ingress.slots.held1, slots.p4:156 */
INLINE u32 in_held1_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 1) { /* slots.p4:156 */
		if (phase & P4_UPDATES)
			in_slot1_update(s);
		return HIT | a_held1_slot1_update;
	}
	if (s->md.slot == 0xff) { /* slots.p4:156 */
		if (phase & P4_QUERIES)
			in_slot1_expire(s);
		return HIT | a_held1_slot1_expire;
	}
	if (phase & P4_QUERIES)
		in_slot1_query(s);
	return HIT | a_held1_slot1_query;
}

/* table pipe.Ingress.slots.held2, slots.p4:157 */
INLINE u32 in_held2_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 2) { /* slots.p4:157 */
		if (phase & P4_UPDATES)
			in_slot2_update(s);
		return HIT | a_held2_slot2_update;
	}
	if (s->md.slot == 0xff) { /* slots.p4:157 */
		if (phase & P4_QUERIES)
			in_slot2_expire(s);
		return HIT | a_held2_slot2_expire;
	}
	if (phase & P4_QUERIES)
		in_slot2_query(s);
	return HIT | a_held2_slot2_query;
}

/* table pipe.Ingress.slots.held3, slots.p4:158 */
INLINE u32 in_held3_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 3) { /* slots.p4:158 */
		if (phase & P4_UPDATES)
			in_slot3_update(s);
		return HIT | a_held3_slot3_update;
	}
	if (s->md.slot == 0xff) { /* slots.p4:158 */
		if (phase & P4_QUERIES)
			in_slot3_expire(s);
		return HIT | a_held3_slot3_expire;
	}
	if (phase & P4_QUERIES)
		in_slot3_query(s);
	return HIT | a_held3_slot3_query;
}

/* table pipe.Ingress.slots.held4, slots.p4:159 */
INLINE u32 in_held4_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 4) { /* slots.p4:159 */
		if (phase & P4_UPDATES)
			in_slot4_update(s);
		return HIT | a_held4_slot4_update;
	}
	if (s->md.slot == 0xff) { /* slots.p4:159 */
		if (phase & P4_QUERIES)
			in_slot4_expire(s);
		return HIT | a_held4_slot4_expire;
	}
	if (phase & P4_QUERIES)
		in_slot4_query(s);
	return HIT | a_held4_slot4_query;
}

/* table pipe.Ingress.slots.held5, slots.p4:160 */
INLINE u32 in_held5_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 5) { /* slots.p4:160 */
		if (phase & P4_UPDATES)
			in_slot5_update(s);
		return HIT | a_held5_slot5_update;
	}
	if (s->md.slot == 0xff) { /* slots.p4:160 */
		if (phase & P4_QUERIES)
			in_slot5_expire(s);
		return HIT | a_held5_slot5_expire;
	}
	if (phase & P4_QUERIES)
		in_slot5_query(s);
	return HIT | a_held5_slot5_query;
}

/* table pipe.Ingress.slots.held6, slots.p4:161 */
INLINE u32 in_held6_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 6) { /* slots.p4:161 */
		if (phase & P4_UPDATES)
			in_slot6_update(s);
		return HIT | a_held6_slot6_update;
	}
	if (s->md.slot == 0xff) { /* slots.p4:161 */
		if (phase & P4_QUERIES)
			in_slot6_expire(s);
		return HIT | a_held6_slot6_expire;
	}
	if (phase & P4_QUERIES)
		in_slot6_query(s);
	return HIT | a_held6_slot6_query;
}

/* table pipe.Ingress.slots.held7, slots.p4:162 */
INLINE u32 in_held7_apply(struct ingress *s, const u32 phase)
{
	if (s->md.slot == 7) { /* slots.p4:162 */
		if (phase & P4_UPDATES)
			in_slot7_update(s);
		return HIT | a_held7_slot7_update;
	}
	if (s->md.slot == 0xff) { /* slots.p4:162 */
		if (phase & P4_QUERIES)
			in_slot7_expire(s);
		return HIT | a_held7_slot7_expire;
	}
	if (phase & P4_QUERIES)
		in_slot7_query(s);
	return HIT | a_held7_slot7_query;
}

/* table pipe.Ingress.scatter.check, scatter.p4:37 */
INLINE u32 in_check_apply(struct ingress *s)
{
	if (s->md.key_diff == 0 && (u32)(in_hdr_reth_va(s) >> 32) == 0 && s->md.start_over == 0 && s->md.end_over == 0 && (in_hdr_reth_length(s) & 0x80000000) == 0) { /* scatter.p4:49 */
		in_allowed(s);
		return HIT | a_check_allowed;
	}
	if (s->md.key_diff == 0 && (u32)(in_hdr_reth_va(s) >> 32) == 0 && s->md.start_over == 0 && s->md.end_left == 0) { /* scatter.p4:50 */
		in_allowed(s);
		return HIT | a_check_allowed;
	}
	in_remote_access(s);
	return a_check_remote_access;
}

static const u8 in_heard_index[2048] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
};
/* table pipe.Ingress.gather.heard, gather.p4:110 */
INLINE u32 in_heard_apply(struct ingress *s)
{
	u32 key = (u32)((u8)s->md.slot & 7) << 8 | (s->md.bits_of_fresh >> 11 & 0xff); /* gather.p4:112 */
	switch (in_heard_index[opaque(key) & 0x7ff]) {
		case 1: /* gather.p4:125 */
			in_slot_heard(s);
			return HIT | a_heard_slot_heard;
	}
	in_NoAction(s);
	return a_heard_NoAction;
}

static const u16 in_quorum_index[4096] = {
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
};
/* table pipe.Ingress.gather.quorum, gather.p4:143 */
INLINE u32 in_quorum_apply(struct ingress *s)
{
	u32 key = (u32)s->md.f << 8 | (s->md.bits_of_fresh >> 11 & 0xff); /* gather.p4:145 */
	switch (in_quorum_index[opaque(key) & 0xfff]) {
		case 1: /* quorum_entries.p4:3 */
			in_quorum_reached(s);
			return HIT | a_quorum_quorum_reached;
	}
	in_NoAction(s);
	return a_quorum_NoAction;
}

/* table pipe.Ingress.gather.commits, gather.p4:208 */
INLINE u32 in_commits_apply(struct ingress *s)
{
	if (s->md.class == 3 && (s->md.bits_of_fresh & 0x402) == 0x402) { /* gather.p4:217 */
		in_commit(s);
		return HIT | a_commits_commit;
	}
	if (s->md.class == 4 && (s->md.bits_of_fresh & 0x402) == 0x402) { /* gather.p4:218 */
		in_commit_look(s);
		return HIT | a_commits_commit_look;
	}
	if (s->md.class == 4 && (s->md.bits_of_fresh & 0x402) == 0x2) { /* gather.p4:219 */
		in_look(s);
		return HIT | a_commits_look;
	}
	in_NoAction(s);
	return a_commits_NoAction;
}

/* table pipe.Ingress.gather.credits0, gather.p4:94 */
INLINE u32 in_credits0_apply(struct ingress *s)
{
	if (s->md.class == 3 && s->md.slot == 0 && (s->md.bits_of_fresh & 0x40000) == 0x40000) { /* gather.p4:94 */
		in_credit0_update(s);
		return HIT | a_credits0_credit0_update;
	}
	if (s->md.class == 3) { /* gather.p4:94 */
		in_credit0_query(s);
		return HIT | a_credits0_credit0_query;
	}
	if (s->md.class == 4 && s->md.slot == 0 && (s->md.bits_of_fresh & 0x40000) == 0x40000) { /* gather.p4:94 */
		in_credit0_note(s);
		return HIT | a_credits0_credit0_note;
	}
	in_NoAction(s);
	return a_credits0_NoAction;
}

/* table pipe.Ingress.gather.credits1, gather.p4:95 */
INLINE u32 in_credits1_apply(struct ingress *s)
{
	if (s->md.class == 3 && s->md.slot == 1 && (s->md.bits_of_fresh & 0x20000) == 0x20000) { /* gather.p4:95 */
		in_credit1_update(s);
		return HIT | a_credits1_credit1_update;
	}
	if (s->md.class == 3) { /* gather.p4:95 */
		in_credit1_query(s);
		return HIT | a_credits1_credit1_query;
	}
	if (s->md.class == 4 && s->md.slot == 1 && (s->md.bits_of_fresh & 0x20000) == 0x20000) { /* gather.p4:95 */
		in_credit1_note(s);
		return HIT | a_credits1_credit1_note;
	}
	in_NoAction(s);
	return a_credits1_NoAction;
}

/* table pipe.Ingress.gather.credits2, gather.p4:96 */
INLINE u32 in_credits2_apply(struct ingress *s)
{
	if (s->md.class == 3 && s->md.slot == 2 && (s->md.bits_of_fresh & 0x10000) == 0x10000) { /* gather.p4:96 */
		in_credit2_update(s);
		return HIT | a_credits2_credit2_update;
	}
	if (s->md.class == 3) { /* gather.p4:96 */
		in_credit2_query(s);
		return HIT | a_credits2_credit2_query;
	}
	if (s->md.class == 4 && s->md.slot == 2 && (s->md.bits_of_fresh & 0x10000) == 0x10000) { /* gather.p4:96 */
		in_credit2_note(s);
		return HIT | a_credits2_credit2_note;
	}
	in_NoAction(s);
	return a_credits2_NoAction;
}

/* table pipe.Ingress.gather.credits3, gather.p4:97 */
INLINE u32 in_credits3_apply(struct ingress *s)
{
	if (s->md.class == 3 && s->md.slot == 3 && (s->md.bits_of_fresh & 0x8000) == 0x8000) { /* gather.p4:97 */
		in_credit3_update(s);
		return HIT | a_credits3_credit3_update;
	}
	if (s->md.class == 3) { /* gather.p4:97 */
		in_credit3_query(s);
		return HIT | a_credits3_credit3_query;
	}
	if (s->md.class == 4 && s->md.slot == 3 && (s->md.bits_of_fresh & 0x8000) == 0x8000) { /* gather.p4:97 */
		in_credit3_note(s);
		return HIT | a_credits3_credit3_note;
	}
	in_NoAction(s);
	return a_credits3_NoAction;
}

/* table pipe.Ingress.gather.credits4, gather.p4:98 */
INLINE u32 in_credits4_apply(struct ingress *s)
{
	if (s->md.class == 3 && s->md.slot == 4 && (s->md.bits_of_fresh & 0x4000) == 0x4000) { /* gather.p4:98 */
		in_credit4_update(s);
		return HIT | a_credits4_credit4_update;
	}
	if (s->md.class == 3) { /* gather.p4:98 */
		in_credit4_query(s);
		return HIT | a_credits4_credit4_query;
	}
	if (s->md.class == 4 && s->md.slot == 4 && (s->md.bits_of_fresh & 0x4000) == 0x4000) { /* gather.p4:98 */
		in_credit4_note(s);
		return HIT | a_credits4_credit4_note;
	}
	in_NoAction(s);
	return a_credits4_NoAction;
}

/* table pipe.Ingress.gather.credits5, gather.p4:99 */
INLINE u32 in_credits5_apply(struct ingress *s)
{
	if (s->md.class == 3 && s->md.slot == 5 && (s->md.bits_of_fresh & 0x2000) == 0x2000) { /* gather.p4:99 */
		in_credit5_update(s);
		return HIT | a_credits5_credit5_update;
	}
	if (s->md.class == 3) { /* gather.p4:99 */
		in_credit5_query(s);
		return HIT | a_credits5_credit5_query;
	}
	if (s->md.class == 4 && s->md.slot == 5 && (s->md.bits_of_fresh & 0x2000) == 0x2000) { /* gather.p4:99 */
		in_credit5_note(s);
		return HIT | a_credits5_credit5_note;
	}
	in_NoAction(s);
	return a_credits5_NoAction;
}

/* table pipe.Ingress.gather.credits6, gather.p4:100 */
INLINE u32 in_credits6_apply(struct ingress *s)
{
	if (s->md.class == 3 && s->md.slot == 6 && (s->md.bits_of_fresh & 0x1000) == 0x1000) { /* gather.p4:100 */
		in_credit6_update(s);
		return HIT | a_credits6_credit6_update;
	}
	if (s->md.class == 3) { /* gather.p4:100 */
		in_credit6_query(s);
		return HIT | a_credits6_credit6_query;
	}
	if (s->md.class == 4 && s->md.slot == 6 && (s->md.bits_of_fresh & 0x1000) == 0x1000) { /* gather.p4:100 */
		in_credit6_note(s);
		return HIT | a_credits6_credit6_note;
	}
	in_NoAction(s);
	return a_credits6_NoAction;
}

/* table pipe.Ingress.gather.credits7, gather.p4:101 */
INLINE u32 in_credits7_apply(struct ingress *s)
{
	if (s->md.class == 3 && s->md.slot == 7 && (s->md.bits_of_fresh & 0x800) == 0x800) { /* gather.p4:101 */
		in_credit7_update(s);
		return HIT | a_credits7_credit7_update;
	}
	if (s->md.class == 3) { /* gather.p4:101 */
		in_credit7_query(s);
		return HIT | a_credits7_credit7_query;
	}
	if (s->md.class == 4 && s->md.slot == 7 && (s->md.bits_of_fresh & 0x800) == 0x800) { /* gather.p4:101 */
		in_credit7_note(s);
		return HIT | a_credits7_credit7_note;
	}
	in_NoAction(s);
	return a_credits7_NoAction;
}

static const u8 in_answer_index[16384] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
/* table pipe.Ingress.gather.answer, gather.p4:244 */
INLINE u32 in_answer_apply(struct ingress *s)
{
	u32 key = (u32)s->md.class << 11 | (u32)s->md.heard << 10 | (u32)s->md.quorum << 9 | (u32)s->md.news << 8 | (s->md.bits_of_fresh >> 2 & 0xff); /* gather.p4:246 */
	switch (in_answer_index[opaque(key) & 0x3fff]) {
		case 1: /* gather.p4:262 */
			in_answer_ack(s);
			return HIT | a_answer_answer_ack;
		case 10: /* gather.p4:271 */
			in_answer_nak(s);
			return HIT | a_answer_answer_nak;
	}
	in_absorb(s);
	return a_answer_absorb;
}

/* table pipe.Ingress.cnp.cnp_interval, cnp.p4:45 */
INLINE u32 in_cnp_interval_apply(struct ingress *s)
{
	union value_cnp_interval *value = 0;
	u32 hit = value ? HIT : 0;
	if (!value) {
		u32 zero = 0;
		value = bpf_map_lookup_elem(&d_cnp_interval, &zero);
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
INLINE void in_parse(struct ingress *s, u8 *p, u8 *end)
{
	u64 sum_pipe_IngressParser_ipv4_checksum = 0, raw_pipe_IngressParser_ipv4_checksum = 0;
	/* state start, parser.p4:18 */
	s->md.checksum_error = 0; /* parser.p4:21 */
	s->md.routed = 0; /* parser.p4:21 */
	s->md.local = 0; /* parser.p4:21 */
	s->md.own = 0; /* parser.p4:21 */
	s->md.sender = 0; /* parser.p4:21 */
	s->md.port_class = 0; /* parser.p4:21 */
	s->md.crc = 0; /* parser.p4:21 */
	s->md.intact = 0; /* parser.p4:21 */
	s->md.role = 0; /* parser.p4:21 */
	s->md.class = 0; /* parser.p4:21 */
	s->md.drop = 0; /* parser.p4:21 */
	s->md.reason = 0; /* parser.p4:21 */
	s->md.group = 0; /* parser.p4:21 */
	s->md.multicast_group = 0; /* parser.p4:21 */
	s->md.leader_port = 0; /* parser.p4:21 */
	s->md.key_diff = 0; /* parser.p4:21 */
	s->md.region_mask = 0; /* parser.p4:21 */
	s->md.start_over = 0; /* parser.p4:21 */
	s->md.end = 0; /* parser.p4:21 */
	s->md.end_over = 0; /* parser.p4:21 */
	s->md.end_left = 0; /* parser.p4:21 */
	s->md.slot = 0; /* parser.p4:21 */
	s->md.members = 0; /* parser.p4:21 */
	s->md.f = 0; /* parser.p4:21 */
	s->md.p = 0; /* parser.p4:21 */
	s->md.edge = 0; /* parser.p4:21 */
	s->md.fresh = 0; /* parser.p4:21 */
	s->md.acked0 = 0; /* parser.p4:21 */
	s->md.acked1 = 0; /* parser.p4:21 */
	s->md.acked2 = 0; /* parser.p4:21 */
	s->md.acked3 = 0; /* parser.p4:21 */
	s->md.acked4 = 0; /* parser.p4:21 */
	s->md.acked5 = 0; /* parser.p4:21 */
	s->md.acked6 = 0; /* parser.p4:21 */
	s->md.acked7 = 0; /* parser.p4:21 */
	s->md.quorum = 0; /* parser.p4:21 */
	s->md.again0 = 0; /* parser.p4:21 */
	s->md.again1 = 0; /* parser.p4:21 */
	s->md.again2 = 0; /* parser.p4:21 */
	s->md.again3 = 0; /* parser.p4:21 */
	s->md.again4 = 0; /* parser.p4:21 */
	s->md.again5 = 0; /* parser.p4:21 */
	s->md.again6 = 0; /* parser.p4:21 */
	s->md.again7 = 0; /* parser.p4:21 */
	s->md.heard = 0; /* parser.p4:21 */
	s->md.news = 0; /* parser.p4:21 */
	s->md.committed = 0; /* parser.p4:21 */
	s->md.code = 0; /* parser.p4:21 */
	s->md.credit0 = 0x1f; /* parser.p4:21 */
	s->md.credit1 = 0x1f; /* parser.p4:21 */
	s->md.credit2 = 0x1f; /* parser.p4:21 */
	s->md.credit3 = 0x1f; /* parser.p4:21 */
	s->md.credit4 = 0x1f; /* parser.p4:21 */
	s->md.credit5 = 0x1f; /* parser.p4:21 */
	s->md.credit6 = 0x1f; /* parser.p4:21 */
	s->md.credit7 = 0x1f; /* parser.p4:21 */
	s->md.now = 0; /* parser.p4:21 */
	s->md.interval = 0; /* parser.p4:21 */
	s->md.before = 0; /* parser.p4:21 */
	s->md.cnp_pass = 0; /* parser.p4:21 */
	{
		u16 key0 = s->ig_intr_md.ingress_port;
		if (key0 == 0x40)
			goto state_parse_packet_out; /* parser.p4:27 */
		goto state_parse_ethernet; /* parser.p4:28 */
	}
state_parse_packet_out:;
	/* state parse_packet_out, parser.p4:32 */
	if (unlikely(p + 4 > end))
		goto partial; /* parser.p4:33 */
	s->valid |= IN_hdr_packet_out;
	p += 4;
	return;
state_parse_ethernet:;
	/* state parse_ethernet, parser.p4:37 */
	if (unlikely(p + 14 > end))
		goto partial; /* parser.p4:38 */
	s->valid |= IN_hdr_ethernet;
	p += 14;
	{
		u16 key0 = in_hdr_ethernet_ether_type(s);
		if (key0 == 0x800)
			goto state_peek_ipv4; /* parser.p4:40 */
		if (key0 == 0x806)
			goto state_peek_arp; /* parser.p4:41 */
		return; /* parser.p4:42 */
	}
state_peek_arp:;
	/* state peek_arp, parser.p4:46 */
	if (unlikely(p + 18 > end))
		goto partial; /* parser.p4:47 */
	s->tmp.lookahead_struct.kind = ld64(p);
	s->tmp.lookahead_struct.mac = ld48(p + 8);
	s->tmp.lookahead_struct.ip = ld32(p + 14);
	s->md.sender = s->tmp.lookahead_struct.ip; /* parser.p4:47 */
	return;
state_peek_ipv4:;
	/* state peek_ipv4, parser.p4:51 */
	if (unlikely(p + 1 > end))
		goto partial; /* parser.p4:52 */
	s->tmp.lookahead = ld8(p);
	{
		u8 key0 = s->tmp.lookahead;
		if (key0 == 0x45)
			goto state_parse_ipv4; /* parser.p4:53 */
		return; /* parser.p4:54 */
	}
state_parse_ipv4:;
	/* state parse_ipv4, parser.p4:58 */
	if (unlikely(p + 20 > end))
		goto partial; /* parser.p4:59 */
	s->valid |= IN_hdr_ipv4;
	p += 20;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 0) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 4) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 8) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 12) : 0;
	raw_pipe_IngressParser_ipv4_checksum += (s->valid & IN_hdr_ipv4) ? raw32((s->data + 14) + 16) : 0;
	s->md.checksum_error = csum_fold(sum_pipe_IngressParser_ipv4_checksum + csum_raw(raw_pipe_IngressParser_ipv4_checksum)) != 0xffff; /* parser.p4:61 */
	s->md.sender = in_hdr_ipv4_src(s); /* parser.p4:62 */
	{
		u8 key0 = in_hdr_ipv4_protocol(s);
		u16 key1 = in_hdr_ipv4_flags_fragment(s);
		if (key0 == 0x11 && (key1 & 0x3fff) == 0)
			goto state_parse_udp; /* parser.p4:64 */
		return; /* parser.p4:65 */
	}
state_parse_udp:;
	/* state parse_udp, parser.p4:69 */
	if (unlikely(p + 8 > end))
		goto partial; /* parser.p4:70 */
	s->valid |= IN_hdr_udp;
	p += 8;
	{
		u16 key0 = in_hdr_udp_dst_port(s);
		if (key0 == 0x12b7)
			goto state_parse_bth; /* parser.p4:72 */
		return; /* parser.p4:73 */
	}
state_parse_bth:;
	/* state parse_bth, parser.p4:77 */
	if (unlikely(p + 12 > end))
		goto partial; /* parser.p4:78 */
	s->valid |= IN_hdr_bth;
	p += 12;
	{
		u8 key0 = in_hdr_bth_opcode(s);
		if (key0 == 6)
			goto state_parse_reth; /* parser.p4:80 */
		if (key0 == 0xa)
			goto state_parse_reth; /* parser.p4:81 */
		if (key0 == 0xb)
			goto state_parse_reth; /* parser.p4:82 */
		if (key0 == 0x11)
			goto state_parse_aeth; /* parser.p4:83 */
		if (key0 == 0x81)
			goto state_parse_cnp; /* parser.p4:84 */
		return; /* parser.p4:85 */
	}
state_parse_reth:;
	/* state parse_reth, parser.p4:89 */
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:90 */
	s->valid |= IN_hdr_reth;
	p += 16;
	return;
state_parse_aeth:;
	/* state parse_aeth, parser.p4:94 */
	if (unlikely(p + 4 > end))
		goto partial; /* parser.p4:95 */
	s->valid |= IN_hdr_aeth;
	p += 4;
	if (unlikely(p + 4 > end))
		goto partial; /* parser.p4:96 */
	s->at_hdr_icrc = p;
	s->valid |= IN_hdr_icrc;
	p += 4;
	return;
state_parse_cnp:;
	/* state parse_cnp, parser.p4:100 */
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:101 */
	s->valid |= IN_hdr_cnp;
	p += 16;
	if (unlikely(p + 4 > end))
		goto partial; /* parser.p4:102 */
	s->at_hdr_icrc = p;
	s->valid |= IN_hdr_icrc;
	p += 4;
	return;
partial:;
	s->parser_error = 0x2;
	return;
}

/* gather, with a row of its registers, or with 0 when the index is out of range. */
INLINE void in_with_r_gather(struct ingress *s, struct r_gather *row)
{
	s->r_gather = row;
	count(&c_gathered, s->md.group, s->length); /* gather.p4:277 */
	in_heard_apply(s); /* gather.p4:278 */
	in_quorum_apply(s); /* gather.p4:279 */
	in_commits_apply(s); /* gather.p4:280 */
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
		s->md.drop = 0xa; /* gather.p4:298 */
	} else {
		if (s->md.class == 4) { /* gather.p4:299 */
			count(&c_naks, s->md.group, s->length); /* gather.p4:300 */
			if (((u8)(in_hdr_aeth_syndrome(s) >> 6) & 1) == 1) { /* gather.p4:301 */
				aside();
				s->ig_dprsr_md.digest_type = 1; /* gather.p4:302 */
			}
		}
	}
	in_answer_apply(s); /* gather.p4:305 */
	if (s->ig_dprsr_md.drop_ctl == 0) { /* gather.p4:306 */
		count(&c_answered, s->md.group, s->length); /* gather.p4:307 */
	}
}

/* slots, with a row of its registers, or with 0 when the index is out of range. */
INLINE void in_with_r_slots(struct ingress *s, struct r_slots *row)
{
	s->r_slots = row;
	in_window_apply(s); /* slots.p4:165 */
	if (s->md.fresh == 1) { /* slots.p4:166 */
		/* @updates_first, slots.p4:168: registers that change, then those that are read. */
		{
			switch (s->md.slot) { /* at most one of them changes */
			case 0:
				if (((u8)s->md.members & 1) == 1) { /* slots.p4:169 */
					in_held0_apply(s, P4_UPDATES); /* slots.p4:169 */
				}
				break;
			case 1:
				if (((u8)(s->md.members >> 1) & 1) == 1) { /* slots.p4:170 */
					in_held1_apply(s, P4_UPDATES); /* slots.p4:170 */
				}
				break;
			case 2:
				if (((u8)(s->md.members >> 2) & 1) == 1) { /* slots.p4:171 */
					in_held2_apply(s, P4_UPDATES); /* slots.p4:171 */
				}
				break;
			case 3:
				if (((u8)(s->md.members >> 3) & 1) == 1) { /* slots.p4:172 */
					in_held3_apply(s, P4_UPDATES); /* slots.p4:172 */
				}
				break;
			case 4:
				if (((u8)(s->md.members >> 4) & 1) == 1) { /* slots.p4:173 */
					in_held4_apply(s, P4_UPDATES); /* slots.p4:173 */
				}
				break;
			case 5:
				if (((u8)(s->md.members >> 5) & 1) == 1) { /* slots.p4:174 */
					in_held5_apply(s, P4_UPDATES); /* slots.p4:174 */
				}
				break;
			case 6:
				if (((u8)(s->md.members >> 6) & 1) == 1) { /* slots.p4:175 */
					in_held6_apply(s, P4_UPDATES); /* slots.p4:175 */
				}
				break;
			case 7:
				if ((s->md.members >> 7) == 1) { /* slots.p4:176 */
					in_held7_apply(s, P4_UPDATES); /* slots.p4:176 */
				}
				break;
			}
		}
		{
			u8 hidden_md_members = opaque(s->md.members);
			if (((u8)hidden_md_members & 1) == 1) { /* slots.p4:169 */
				in_held0_apply(s, P4_QUERIES); /* slots.p4:169 */
			}
			if (((u8)(hidden_md_members >> 1) & 1) == 1) { /* slots.p4:170 */
				in_held1_apply(s, P4_QUERIES); /* slots.p4:170 */
			}
			if (((u8)(hidden_md_members >> 2) & 1) == 1) { /* slots.p4:171 */
				in_held2_apply(s, P4_QUERIES); /* slots.p4:171 */
			}
			if (((u8)(hidden_md_members >> 3) & 1) == 1) { /* slots.p4:172 */
				in_held3_apply(s, P4_QUERIES); /* slots.p4:172 */
			}
			if (hidden_md_members & 0xf0) {
				if (((u8)(hidden_md_members >> 4) & 1) == 1) { /* slots.p4:173 */
					in_held4_apply(s, P4_QUERIES); /* slots.p4:173 */
				}
				if (((u8)(hidden_md_members >> 5) & 1) == 1) { /* slots.p4:174 */
					in_held5_apply(s, P4_QUERIES); /* slots.p4:174 */
				}
				if (((u8)(hidden_md_members >> 6) & 1) == 1) { /* slots.p4:175 */
					in_held6_apply(s, P4_QUERIES); /* slots.p4:175 */
				}
				if ((hidden_md_members >> 7) == 1) { /* slots.p4:176 */
					in_held7_apply(s, P4_QUERIES); /* slots.p4:176 */
				}
			}
		}
		s->md.bits_of_fresh = opaque(s->md.bits_of_fresh);
	}
}

/* Control of the ingress. */
INLINE void in_control(struct ingress *s)
{
	count(&c_port_rx, s->ig_intr_md.ingress_port, s->length); /* rdma.p4:57 */
	if (!(s->valid & IN_hdr_bridge)) { /* rdma.p4:58 */
		s->valid |= IN_hdr_bridge;
	}
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_kind(s, 0); /* rdma.p4:59 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_syndrome(s, 0); /* rdma.p4:60 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_reason(s, 0); /* rdma.p4:61 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_pad(s, 0); /* rdma.p4:62 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_ingress_port(s, s->ig_intr_md.ingress_port); /* rdma.p4:63 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_group(s, 0); /* rdma.p4:64 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_psn(s, 0); /* rdma.p4:65 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_icrc(s, 0); /* rdma.p4:66 */
	s->md.p = (u32)((u32)in_hdr_bth_psn_word(s) << 8); /* rdma.p4:67 */
	if (s->ig_prsr_md.parser_err != 0) { /* rdma.p4:68 */
		aside();
		s->md.drop = 1; /* rdma.p4:69 */
	} else {
		if (!!(s->valid & IN_hdr_packet_out)) { /* rdma.p4:70 */
			s->ig_tm_md.ucast_egress_port = in_hdr_packet_out_egress_port(s); /* rdma.p4:71 */
			s->unicast = 1;
			s->valid &= ~IN_hdr_packet_out; /* rdma.p4:72 */
		} else {
			if (s->md.checksum_error) { /* rdma.p4:73 */
				aside();
				s->md.drop = 2; /* rdma.p4:74 */
			} else {
				{ /* group */
					if (!!(s->valid & IN_hdr_aeth)) { /* group.p4:200 */
						{ /* group.p4:201 */
							u32 crc = 0xdebb20e3;
							if (likely((s->valid & (IN_hdr_ipv4 | IN_hdr_udp | IN_hdr_bth | IN_hdr_aeth | IN_hdr_icrc)) == (IN_hdr_ipv4 | IN_hdr_udp | IN_hdr_bth | IN_hdr_aeth | IN_hdr_icrc))) {
								crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)(raw32((s->data + 14) + 0) | 0xff00), (u32)raw32((s->data + 14) + 4));
								crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)(raw32((s->data + 14) + 8) | 0xffff00ff), (u32)raw32((s->data + 14) + 12));
								crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)raw32((s->data + 14) + 16), (u32)raw32((s->data + 34) + 0));
								crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)(raw32((s->data + 34) + 4) | 0xffff0000), (u32)raw32((s->data + 42) + 0));
								crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)(raw32((s->data + 42) + 4) | 0xff), (u32)raw32((s->data + 42) + 8));
								crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)raw32((s->data + 54) + 0), (u32)raw32(s->at_hdr_icrc + 0));
							} else {
								crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)(raw32((s->data + 14) + 0) | 0xff00) : 0xff00), ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 4) : 0x0));
								crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)(raw32((s->data + 14) + 8) | 0xffff00ff) : 0xffff00ff), ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 12) : 0x0));
								crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 16) : 0x0), ((s->valid & IN_hdr_udp) ? (u32)raw32((s->data + 34) + 0) : 0x0));
								crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_udp) ? (u32)(raw32((s->data + 34) + 4) | 0xffff0000) : 0xffff0000), ((s->valid & IN_hdr_bth) ? (u32)raw32((s->data + 42) + 0) : 0x0));
								crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_bth) ? (u32)(raw32((s->data + 42) + 4) | 0xff) : 0xff), ((s->valid & IN_hdr_bth) ? (u32)raw32((s->data + 42) + 8) : 0x0));
								crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_aeth) ? (u32)raw32((s->data + 54) + 0) : 0x0), ((s->valid & IN_hdr_icrc) ? (u32)raw32(s->at_hdr_icrc + 0) : 0x0));
							}
							s->md.crc = (u32)(crc ^ 0xffffffff);
						}
					} else {
						if (!!(s->valid & IN_hdr_cnp)) { /* group.p4:202 */
							{ /* group.p4:203 */
								u32 crc = 0xdebb20e3;
								if (likely((s->valid & (IN_hdr_ipv4 | IN_hdr_udp | IN_hdr_bth | IN_hdr_cnp | IN_hdr_icrc)) == (IN_hdr_ipv4 | IN_hdr_udp | IN_hdr_bth | IN_hdr_cnp | IN_hdr_icrc))) {
									crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)(raw32((s->data + 14) + 0) | 0xff00), (u32)raw32((s->data + 14) + 4));
									crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)(raw32((s->data + 14) + 8) | 0xffff00ff), (u32)raw32((s->data + 14) + 12));
									crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)raw32((s->data + 14) + 16), (u32)raw32((s->data + 34) + 0));
									crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)(raw32((s->data + 34) + 4) | 0xffff0000), (u32)raw32((s->data + 42) + 0));
									crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)(raw32((s->data + 42) + 4) | 0xff), (u32)raw32((s->data + 42) + 8));
									crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)raw32((s->data + 54) + 0), (u32)raw32((s->data + 54) + 4));
									crc = crc32_8(in_crc32_04c11db7, crc ^ (u32)raw32((s->data + 54) + 8), (u32)raw32((s->data + 54) + 12));
									crc = crc32_4(in_crc32_04c11db7, crc ^ (u32)raw32(s->at_hdr_icrc + 0));
								} else {
									crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)(raw32((s->data + 14) + 0) | 0xff00) : 0xff00), ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 4) : 0x0));
									crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)(raw32((s->data + 14) + 8) | 0xffff00ff) : 0xffff00ff), ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 12) : 0x0));
									crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_ipv4) ? (u32)raw32((s->data + 14) + 16) : 0x0), ((s->valid & IN_hdr_udp) ? (u32)raw32((s->data + 34) + 0) : 0x0));
									crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_udp) ? (u32)(raw32((s->data + 34) + 4) | 0xffff0000) : 0xffff0000), ((s->valid & IN_hdr_bth) ? (u32)raw32((s->data + 42) + 0) : 0x0));
									crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_bth) ? (u32)(raw32((s->data + 42) + 4) | 0xff) : 0xff), ((s->valid & IN_hdr_bth) ? (u32)raw32((s->data + 42) + 8) : 0x0));
									crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_cnp) ? (u32)raw32((s->data + 54) + 0) : 0x0), ((s->valid & IN_hdr_cnp) ? (u32)raw32((s->data + 54) + 4) : 0x0));
									crc = crc32_8(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_cnp) ? (u32)raw32((s->data + 54) + 8) : 0x0), ((s->valid & IN_hdr_cnp) ? (u32)raw32((s->data + 54) + 12) : 0x0));
									crc = crc32_4(in_crc32_04c11db7, crc ^ ((s->valid & IN_hdr_icrc) ? (u32)raw32(s->at_hdr_icrc + 0) : 0x0));
								}
								s->md.crc = (u32)(crc ^ 0xffffffff);
							}
						}
					}
					s->md.intact = is_zero(s->md.crc ^ 0x2144df1c); /* group.p4:205 */
					if (!!(s->valid & IN_hdr_bth)) { /* group.p4:210 */
						in_port_class_apply(s); /* group.p4:211 */
						in_qp_apply(s); /* group.p4:212 */
					}
					if (s->md.role != 0) { /* group.p4:214 */
						in_classify_apply(s); /* group.p4:215 */
					}
				}
				if (s->md.role == 0) { /* rdma.p4:77 */
					{ /* forward */
						in_own_mac_apply(s); /* forward.p4:115 */
						in_own_ip_apply(s); /* forward.p4:116 */
						if (!!(s->valid & IN_hdr_ipv4)) { /* forward.p4:117 */
							in_switch_ip_apply(s); /* forward.p4:118 */
						}
						if (s->md.own == 1) { /* forward.p4:120 */
							aside();
							s->md.drop = 8; /* forward.p4:121 */
						} else {
							if (s->md.local == 1) { /* forward.p4:122 */
								{ /* local */
									if (!(s->valid & IN_hdr_bth)) { /* local.p4:10 */
										aside();
										s->md.reason = 3; /* local.p4:11 */
									} else {
										if ((in_hdr_bth_dst_qp(s) == 1) && (in_hdr_bth_opcode(s) == 0x64)) { /* local.p4:12 */
											aside();
											s->md.reason = 4; /* local.p4:13 */
										} else {
											s->md.drop = 3; /* local.p4:15 */
										}
									}
								}
							} else {
								if (in_hdr_ethernet_ether_type(s) == 0x806) { /* forward.p4:124 */
									aside();
									s->md.reason = 1; /* forward.p4:125 */
								} else {
									in_l2_apply(s); /* forward.p4:127 */
									if (s->md.routed) { /* forward.p4:128 */
										if (!(s->valid & IN_hdr_ipv4)) { /* forward.p4:129 */
											aside();
											s->md.reason = 3; /* forward.p4:130 */
										} else {
											if (in_hdr_ipv4_ttl(s) < 2) { /* forward.p4:131 */
												aside();
												s->md.reason = 8; /* forward.p4:132 */
											} else {
												in_l3_apply(s); /* forward.p4:134 */
											}
										}
									}
								}
							}
						}
					}
				} else {
					{ /* slots */
						struct r_slots *row = ELEMENT(r_slots, 4096, s->md.group);
						barrier_var(row);
						if (likely(row))
							in_with_r_slots(s, row);
						else
							in_with_r_slots(s, 0);
					}
					if ((s->md.class == 1) || (s->md.class == 2)) { /* rdma.p4:81 */
						{ /* scatter */
							if (s->md.class == 2) { /* scatter.p4:56 */
								in_check_apply(s); /* scatter.p4:57 */
							}
							if (s->md.reason == 0) { /* scatter.p4:59 */
								s->ig_tm_md.mcast_grp_a = s->md.multicast_group; /* scatter.p4:60 */
								if (s->valid & IN_hdr_bridge)
									in_set_hdr_bridge_kind(s, 1); /* scatter.p4:61 */
								count(&c_scattered, s->md.group, s->length); /* scatter.p4:62 */
							}
						}
					} else {
						if ((s->md.class == 3) || (s->md.class == 4)) { /* rdma.p4:83 */
							if (s->md.fresh == 1) { /* rdma.p4:84 */
								{ /* gather */
									struct r_gather *row = ELEMENT(r_gather, 4096, s->md.group);
									barrier_var(row);
									if (likely(row))
										in_with_r_gather(s, row);
									else
										in_with_r_gather(s, 0);
								}
							} else {
								s->md.drop = 9; /* rdma.p4:87 */
							}
						} else {
							if (s->md.class == 5) { /* rdma.p4:89 */
								{ /* cnp */
									s->md.now = (u32)((in_now(s) & 0xffffffffffffULL) >> 8); /* cnp.p4:52 */
									in_cnp_interval_apply(s); /* cnp.p4:53 */
									s->md.before = (u32)(s->md.now - s->md.interval); /* cnp.p4:54 */
									s->md.cnp_pass = in_last_cnp_limit(s, s->md.group); /* cnp.p4:55 */
									if (s->md.cnp_pass == 1) { /* cnp.p4:56 */
										s->ig_tm_md.ucast_egress_port = s->md.leader_port; /* cnp.p4:57 */
										s->unicast = 1;
										if (s->valid & IN_hdr_bridge)
											in_set_hdr_bridge_kind(s, 2); /* cnp.p4:58 */
										count(&c_cnps, s->md.group, s->length); /* cnp.p4:59 */
										if (s->valid & IN_hdr_bridge)
											in_set_hdr_bridge_psn(s, (u32)((u32)in_hdr_bth_psn_word(s) << 8)); /* cnp.p4:60 */
									} else {
										s->md.drop = 6; /* cnp.p4:62 */
									}
								}
							}
						}
					}
				}
			}
		}
	}
	if (s->md.reason != 0) { /* rdma.p4:94 */
		s->ig_tm_md.ucast_egress_port = 0x40; /* rdma.p4:95 */
		s->unicast = 1;
		if (s->valid & IN_hdr_bridge)
			in_set_hdr_bridge_reason(s, s->md.reason); /* rdma.p4:96 */
		count(&c_punts, (u8)s->md.reason, s->length); /* rdma.p4:97 */
	}
	if (s->md.drop != 0) { /* rdma.p4:99 */
		s->ig_dprsr_md.drop_ctl = 1; /* rdma.p4:100 */
		count(&c_drops, s->md.drop, s->length); /* rdma.p4:101 */
	}
}

/* Deparser of the ingress, but for the emits. */
INLINE void in_deparse(struct ingress *s)
{
	if (s->ig_dprsr_md.digest_type == 1) { /* parser.p4:116 */
		{ /* parser.p4:117 */
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
	if (s->md.routed) { /* parser.p4:119 */
		{ /* parser.p4:120 */
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
	EG_hdr_ipv4 = 0x10u,
	EG_hdr_udp = 0x20u,
	EG_hdr_bth = 0x40u,
	EG_hdr_reth = 0x80u,
	EG_hdr_aeth = 0x100u,
	EG_hdr_cnp = 0x200u,
	EG_hdr_icrc = 0x400u,
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
			u64 reserved0; /* bit<64> */
			u64 reserved1; /* bit<64> */
		} cnp;
		struct {
			u32 crc; /* bit<32> */
		} icrc;
	} hdr;
	struct {
		u32 neutral; /* bit<1> */
		u32 delta; /* bit<32> */
		u32 psn; /* bit<32> */
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
		u32 egress_rid; /* bit<16> */
		u32 egress_port; /* bit<9> */
	} eg_intr_md;
	struct {
		u32 drop_ctl; /* bit<3> */
	} eg_dprsr_md;
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

/* action pipe.Egress.rewrite.to_replica, rewrite.p4:40 */
INLINE void eg_to_replica(struct egress *s, u64 p_src_mac, u64 p_dst_mac, u32 p_dst_ip, u32 p_dst_qp, u32 p_delta, u64 p_base, u32 p_rkey, u32 p_icrc, u32 p_icrc_rkey, u8 p_neutral)
{
	eg_set_hdr_ethernet_src(s, p_src_mac); /* rewrite.p4:44 */
	eg_set_hdr_ethernet_dst(s, p_dst_mac); /* rewrite.p4:45 */
	eg_set_hdr_ipv4_src(s, eg_hdr_ipv4_dst(s)); /* rewrite.p4:46 */
	eg_set_hdr_ipv4_dst(s, p_dst_ip); /* rewrite.p4:47 */
	eg_set_hdr_udp_checksum(s, 0); /* rewrite.p4:48 */
	eg_set_hdr_bth_dst_qp(s, p_dst_qp); /* rewrite.p4:49 */
	s->md.delta = p_delta; /* rewrite.p4:50 */
	s->md.psn = (u32)((u32)eg_hdr_bth_psn_word(s) << 8); /* rewrite.p4:51 */
	s->md.va_old = eg_hdr_reth_va(s); /* rewrite.p4:52 */
	eg_set_hdr_reth_va(s, (u64)((u64)eg_hdr_reth_va(s) + p_base)); /* rewrite.p4:53 */
	eg_set_hdr_reth_rkey(s, p_rkey); /* rewrite.p4:54 */
	s->md.fix0 = p_icrc; /* rewrite.p4:55 */
	s->md.fix1 = p_icrc_rkey; /* rewrite.p4:56 */
	s->md.neutral = p_neutral; /* rewrite.p4:57 */
}

/* action pipe.Egress.rewrite.unknown_replica, rewrite.p4:61 */
INLINE void eg_unknown_replica(struct egress *s)
{
	aside();
	s->eg_dprsr_md.drop_ctl = 1; /* rewrite.p4:62 */
}

/* action pipe.Egress.rewrite.to_leader, rewrite.p4:74 */
INLINE void eg_to_leader(struct egress *s, u64 p_src_mac, u64 p_dst_mac, u32 p_dst_ip, u32 p_dst_qp, u8 p_neutral)
{
	eg_set_hdr_ethernet_src(s, p_src_mac); /* rewrite.p4:76 */
	eg_set_hdr_ethernet_dst(s, p_dst_mac); /* rewrite.p4:77 */
	eg_set_hdr_ipv4_src(s, eg_hdr_ipv4_dst(s)); /* rewrite.p4:78 */
	eg_set_hdr_ipv4_dst(s, p_dst_ip); /* rewrite.p4:79 */
	eg_set_hdr_udp_checksum(s, 0); /* rewrite.p4:80 */
	eg_set_hdr_bth_dst_qp(s, p_dst_qp); /* rewrite.p4:81 */
	s->md.psn = s->hdr.bridge.psn; /* rewrite.p4:82 */
	s->md.fix0 = s->hdr.bridge.icrc; /* rewrite.p4:83 */
	s->md.neutral = p_neutral; /* rewrite.p4:84 */
}

/* action pipe.Egress.rewrite.unknown_leader, rewrite.p4:88 */
INLINE void eg_unknown_leader(struct egress *s)
{
	aside();
	s->eg_dprsr_md.drop_ctl = 1; /* rewrite.p4:89 */
}

/* action pipe.Egress.rewrite.icrc_syndrome_fix, rewrite.p4:123 */
INLINE void eg_icrc_syndrome_fix(struct egress *s, u32 p_fix)
{
	s->md.fix0 = (s->md.fix0 ^ p_fix); /* rewrite.p4:123 */
}

/* action NoAction, <core.p4>:35 */
INLINE void eg_NoAction(struct egress *s)
{
	aside();
}

/* action pipe.Egress.rewrite.icrc_psn0_fix, rewrite.p4:100 */
INLINE void eg_icrc_psn0_fix(struct egress *s, u32 p_fix)
{
	s->md.fix1 = (s->md.fix1 ^ p_fix); /* rewrite.p4:100 */
}

/* action pipe.Egress.rewrite.icrc_psn1_fix, rewrite.p4:102 */
INLINE void eg_icrc_psn1_fix(struct egress *s, u32 p_fix)
{
	s->md.fix2 = (s->md.fix2 ^ p_fix); /* rewrite.p4:102 */
}

/* action pipe.Egress.rewrite.icrc_psn2_fix, rewrite.p4:104 */
INLINE void eg_icrc_psn2_fix(struct egress *s, u32 p_fix)
{
	s->md.fix3 = (s->md.fix3 ^ p_fix); /* rewrite.p4:104 */
}

/* action pipe.Egress.rewrite.icrc_va0_fix, rewrite.p4:106 */
INLINE void eg_icrc_va0_fix(struct egress *s, u32 p_fix)
{
	s->md.fix0 = (s->md.fix0 ^ p_fix); /* rewrite.p4:106 */
}

/* action pipe.Egress.rewrite.icrc_va1_fix, rewrite.p4:108 */
INLINE void eg_icrc_va1_fix(struct egress *s, u32 p_fix)
{
	s->md.fix1 = (s->md.fix1 ^ p_fix); /* rewrite.p4:108 */
}

/* action pipe.Egress.rewrite.icrc_va2_fix, rewrite.p4:110 */
INLINE void eg_icrc_va2_fix(struct egress *s, u32 p_fix)
{
	s->md.fix2 = (s->md.fix2 ^ p_fix); /* rewrite.p4:110 */
}

/* action pipe.Egress.rewrite.icrc_va3_fix, rewrite.p4:112 */
INLINE void eg_icrc_va3_fix(struct egress *s, u32 p_fix)
{
	s->md.fix3 = (s->md.fix3 ^ p_fix); /* rewrite.p4:112 */
}

/* action pipe.Egress.rewrite.icrc_va4_fix, rewrite.p4:114 */
INLINE void eg_icrc_va4_fix(struct egress *s, u32 p_fix)
{
	s->md.fix0 = (s->md.fix0 ^ p_fix); /* rewrite.p4:114 */
}

/* action pipe.Egress.rewrite.icrc_va5_fix, rewrite.p4:116 */
INLINE void eg_icrc_va5_fix(struct egress *s, u32 p_fix)
{
	s->md.fix1 = (s->md.fix1 ^ p_fix); /* rewrite.p4:116 */
}

/* action pipe.Egress.rewrite.icrc_va6_fix, rewrite.p4:118 */
INLINE void eg_icrc_va6_fix(struct egress *s, u32 p_fix)
{
	s->md.fix2 = (s->md.fix2 ^ p_fix); /* rewrite.p4:118 */
}

/* action pipe.Egress.rewrite.icrc_va7_fix, rewrite.p4:120 */
INLINE void eg_icrc_va7_fix(struct egress *s, u32 p_fix)
{
	s->md.fix3 = (s->md.fix3 ^ p_fix); /* rewrite.p4:120 */
}

/* table pipe.Egress.rewrite.endpoint, rewrite.p4:66 */
INLINE u32 eg_endpoint_apply(struct egress *s)
{
	struct key_endpoint key = {};
	key.eg_intr_md_egress_rid = s->eg_intr_md.egress_rid; /* rewrite.p4:67 */
	union value_endpoint *value = bpf_map_lookup_elem(&t_endpoint, &key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		eg_unknown_replica(s);
		return a_endpoint_unknown_replica;
	}
	switch (value->action) {
		case a_endpoint_to_replica:
			eg_to_replica(s, value->to_replica.src_mac, value->to_replica.dst_mac, value->to_replica.dst_ip, value->to_replica.dst_qp, value->to_replica.delta, value->to_replica.base, value->to_replica.rkey, value->to_replica.icrc, value->to_replica.icrc_rkey, value->to_replica.neutral);
			break;
		case a_endpoint_unknown_replica:
			eg_unknown_replica(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Egress.rewrite.leader, rewrite.p4:93 */
INLINE u32 eg_leader_apply(struct egress *s)
{
	struct key_leader key = {};
	key.hdr_bridge_group = s->hdr.bridge.group; /* rewrite.p4:94 */
	union value_leader *value = bpf_map_lookup_elem(&t_leader, &key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		eg_unknown_leader(s);
		return a_leader_unknown_leader;
	}
	switch (value->action) {
		case a_leader_to_leader:
			eg_to_leader(s, value->to_leader.src_mac, value->to_leader.dst_mac, value->to_leader.dst_ip, value->to_leader.dst_qp, value->to_leader.neutral);
			break;
		case a_leader_unknown_leader:
			eg_unknown_leader(s);
			break;
	}
	return hit | value->action;
}

static const u32 eg_icrc_syndrome_arg_fix[256] = {
	0, 2333770256, 372573217, 2637137457,
	745146434, 2809170514, 979307619, 2974125683,
	1490292868, 3553530516, 1323373733, 3321599669,
	1958615238, 4288977622, 1653284071, 3918634743,
	3138676026, 806283050, 2904645915, 641458955,
	2541645176, 476376936, 2169203033, 173140809,
	3821041086, 1759180718, 4126503327, 2129654671,
	3484057084, 1152450540, 3651107293, 1384512461,
	1982450292, 4247996516, 1612500565, 3943058501,
	1514390070, 3512287270, 1282852375, 3345761287,
	788388592, 2783402208, 952688337, 3016907969,
	43504306, 2307739810, 346216083, 2679657603,
	3443371854, 1176972638, 3674778479, 1343367551,
	3780617996, 1783440668, 4150436653, 2088247613,
	2515124170, 519257562, 2212281323, 147208699,
	3112417160, 848901528, 2947986345, 615264697,
	3964835049, 1732777721, 4201091272, 1904022232,
	3224935595, 1260527291, 3591215242, 1561795226,
	3028714605, 1067189885, 2729672780, 698942044,
	2565639215, 334892607, 2396620814, 96668190,
	1464267219, 3697046467, 1098118642, 3395909602,
	2066545041, 4030102401, 1830419888, 3858988960,
	261284183, 2223530823, 430433654, 2461886310,
	603515157, 2833410821, 902688052, 3201789732,
	2591776413, 291626125, 2353945276, 123001004,
	3054589663, 1024185551, 2686735102, 725537006,
	3266268697, 1236651017, 3566881336, 1602275368,
	4005906011, 1709163595, 4176495226, 1944764522,
	560937895, 2859841975, 928661382, 3158359446,
	218444773, 2250224117, 456144836, 2418718164,
	2042309411, 4070680883, 1871589122, 3834948882,
	1439769441, 3737887089, 1139025728, 3372131664,
	77659035, 2411362699, 311820218, 2576317866,
	684389337, 2748346825, 1056962552, 3051714024,
	1551166239, 3614337295, 1245835070, 3243994414,
	1881072477, 4211368269, 1714153340, 3979437420,
	3216285345, 883825841, 2843843200, 580589712,
	2480838371, 415503603, 2246808258, 250679506,
	3881864741, 1819937845, 4048914948, 2051999764,
	3406464615, 1074791543, 3711926854, 1445265494,
	1921593839, 4187206655, 1690056142, 4020680670,
	1591949741, 3589913533, 1222000012, 3284975516,
	710746475, 2705826683, 1013458250, 3077744474,
	104278313, 2368580409, 268578056, 2602086168,
	3382531285, 1116198597, 3752349940, 1421005540,
	3858193559, 1861082759, 4089600182, 2027477670,
	2437497937, 441697857, 2273067120, 208061024,
	3173207059, 909757955, 2870364210, 537709090,
	3908202354, 1676209506, 4274482003, 1977477443,
	3298322224, 1333978400, 3534578449, 1505222913,
	2955313142, 993852902, 2786294743, 755628487,
	2622257076, 391574948, 2323215253, 23327109,
	1407584840, 3640428632, 1171459689, 3469315193,
	2139881994, 4103503898, 1773733419, 3802367035,
	187833036, 2150144220, 487005933, 2518523133,
	660083342, 2890043550, 829232815, 3128399039,
	2665194758, 364979990, 2297340199, 66331447,
	2997988676, 967520084, 2760157541, 798894965,
	3322918274, 1293236114, 3493507491, 1528837043,
	3932536256, 1635729360, 4233148897, 2001353713,
	634372156, 2933211692, 872072221, 3101705741,
	161859710, 2193574510, 529583199, 2492091983,
	2098974904, 4127281832, 1798231193, 3761526409,
	1366415610, 3664468714, 1195695323, 3428736715,
};
/* table pipe.Egress.rewrite.icrc_syndrome, rewrite.p4:123 */
INLINE u32 eg_icrc_syndrome_apply(struct egress *s)
{
	u32 key = (u32)s->md.syndrome_diff; /* rewrite.p4:123 */
	eg_icrc_syndrome_fix(s, eg_icrc_syndrome_arg_fix[key & 0xff]);
	return HIT | a_icrc_syndrome_icrc_syndrome_fix;
}

static const u32 eg_icrc_psn0_arg_fix[256] = {
	0, 628626615, 2532703014, 3012423569,
	4216479799, 3727324288, 1839700753, 1222610854,
	4138057838, 3554530521, 1615870792, 1160261631,
	234332249, 680506606, 2600622975, 3195686856,
	1005721255, 512360976, 2902977921, 2290088246,
	3231741584, 3856163367, 1448447414, 1932368129,
	3445085897, 3895444094, 1537355247, 2128230744,
	906344190, 327000649, 2700103128, 2240305519,
	2102946172, 1478524363, 3954020954, 3470100205,
	2248804683, 2742164988, 285209197, 898098906,
	2348656914, 2928000421, 487084596, 946882179,
	1890568485, 1440210322, 3864670723, 3273795252,
	1185578971, 1674734444, 3495920893, 4113010762,
	3187154924, 2558528347, 722330826, 242610301,
	2953822133, 2507647746, 653935763, 58871844,
	1264443266, 1847970613, 3718784164, 4174393363,
	4205892344, 3754477135, 1816472030, 1228750185,
	31634127, 614114936, 2534885865, 2993642846,
	202707606, 695010849, 2598431152, 3214474503,
	4148654753, 3527370262, 1639090567, 1154129200,
	3242378335, 3829059816, 1471627129, 1926179790,
	974169192, 526954719, 2900713294, 2308787193,
	937886769, 312414342, 2702376727, 2221599648,
	3434439686, 3922555057, 1514184480, 2134412183,
	2280176516, 2727391027, 287129762, 879055893,
	2092620723, 1505939204, 3931054229, 3476501538,
	1900903402, 1412788061, 3887628492, 3267400827,
	2317294557, 2942766954, 485155067, 965932108,
	3155864867, 2573384084, 720328197, 261571250,
	1195953428, 1647368611, 3518838322, 4106560133,
	1254059341, 1875343866, 3695875691, 4180837084,
	2985102714, 2492799437, 655947356, 39903979,
	4292731331, 3668309364, 1764236005, 1280314962,
	76513780, 569873731, 2457500370, 3070389861,
	158867885, 738211098, 2676873867, 3136671292,
	4062855578, 3612497197, 1692383932, 1101508107,
	3291477860, 3780633555, 1390021698, 2007111925,
	1065195347, 436569060, 2844290165, 2364569794,
	847918858, 401744829, 2759838764, 2164775067,
	3386398525, 3969926026, 1596828699, 2052438188,
	2189789375, 2818415624, 342913945, 822634286,
	2044192904, 1555037247, 4011987886, 3394897689,
	1948272849, 1364745318, 3805656055, 3350046528,
	2406623462, 2852797521, 428331968, 1023395703,
	3111624216, 2618264239, 797074750, 184185225,
	1109786159, 1734208152, 3570402569, 4054323646,
	1339186806, 1789545153, 3643254096, 4234129895,
	3028303425, 2448960246, 578143591, 118346192,
	91042619, 538257292, 2476263453, 3068189866,
	4265562892, 3678881723, 1758111786, 1303559325,
	4090032981, 3601917922, 1698498675, 1078271172,
	144348002, 769820629, 2658101316, 3138878707,
	1050617244, 468136235, 2825576122, 2366818829,
	3318564267, 3769979164, 1396227725, 1983949370,
	3359303154, 3980587333, 1590632148, 2075593315,
	862488005, 370184562, 2778562275, 2162518612,
	2016762439, 1565347568, 4005601633, 3417880022,
	2204580464, 2787061447, 361939286, 820696545,
	2391841321, 2884144798, 409297167, 1025340856,
	1975712286, 1354428073, 3812032824, 3327071631,
	1137134816, 1723816023, 3576870854, 4031423345,
	3096784087, 2649569376, 778098673, 186172230,
	3043134606, 2417662009, 597129128, 116351775,
	1311829177, 1799944206, 3636795295, 4257022760,
};
/* table pipe.Egress.rewrite.icrc_psn0, rewrite.p4:100 */
INLINE u32 eg_icrc_psn0_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.psn_diff >> 16); /* rewrite.p4:100 */
	eg_icrc_psn0_fix(s, eg_icrc_psn0_arg_fix[key & 0xff]);
	return HIT | a_icrc_psn0_icrc_psn0_fix;
}

static const u32 eg_icrc_psn1_arg_fix[256] = {
	0, 4110911413, 906681635, 3272432278,
	1813297735, 2568175090, 1511941988, 2937708753,
	3626529935, 758117178, 3995249068, 455421465,
	3023883976, 1094404477, 2184582123, 1999737950,
	1817459542, 2572401891, 1516168821, 2941870528,
	4227345, 4115072676, 910842930, 3276659591,
	3028045785, 1098631276, 2188808954, 2003899727,
	3630757278, 762278443, 3999410365, 459648776,
	3634919084, 766505241, 4003638159, 463809594,
	3032272107, 1102793566, 2192970184, 2008127101,
	8389155, 4119299478, 915070720, 3280820405,
	1821685860, 2576564177, 1520330055, 2946097906,
	3036433914, 1107020367, 2197197017, 2012288876,
	3639146429, 770666504, 4007799454, 468036907,
	1825847669, 2580790976, 1524556886, 2950259683,
	12616498, 4123460743, 919232017, 3285047716,
	3152914794, 1323970271, 2380756041, 2028008444,
	3623424813, 587109528, 3790851598, 351553979,
	1673911781, 2529319504, 1439629510, 2697496435,
	265381794, 4208386071, 970701441, 3436985652,
	3619263036, 582882697, 3786624799, 347392170,
	3148687483, 1319808974, 2376594776, 2023781101,
	261220019, 4204159238, 966474640, 3432823845,
	1669684468, 2525158209, 1435468247, 2693269090,
	1665523654, 2520930419, 1431241445, 2689107280,
	256992641, 4199998004, 962312354, 3428597527,
	3144526665, 1315581180, 2372367978, 2019619295,
	3615035662, 578721467, 3782462509, 343165848,
	252830864, 4195771173, 958085555, 3424435718,
	1661296343, 2516769122, 1427080180, 2684879937,
	3610873887, 574494634, 3778235708, 339004041,
	3140299352, 1311419885, 2368206715, 2015391950,
	2707604655, 1415922458, 2540181900, 1651482169,
	3447095016, 946993501, 4219249611, 242951294,
	2034937888, 2353870741, 1329622275, 3125275318,
	358484583, 3763965394, 592762692, 3595784433,
	3442933753, 942766156, 4215022298, 238789999,
	2703377854, 1411760651, 2536020125, 1647255336,
	354323318, 3759738051, 588535381, 3591623136,
	2030711089, 2349708932, 1325460498, 3121048487,
	2043326979, 2362258870, 1338011424, 3133663381,
	366872644, 3772354545, 601150823, 3604173522,
	2715993740, 1424310585, 2548571055, 1659870234,
	3455483083, 955382654, 4227637736, 251340381,
	362711381, 3768127200, 596923510, 3600012227,
	2039100178, 2358097063, 1333849649, 3129436548,
	3451321818, 951155311, 4223410425, 247179084,
	2711766941, 1420148776, 2544409278, 1655643403,
	445607365, 4018727536, 746959078, 3649189715,
	1989924738, 2208059447, 1083247265, 3046542612,
	3265730890, 933273343, 4105028713, 27935708,
	2931008269, 1538532536, 2562293294, 1841232283,
	1994086035, 2212286758, 1087474608, 3050703877,
	449834196, 4022889313, 751120887, 3653416514,
	2935169564, 1542759849, 2566520639, 1845393546,
	3269957723, 937435118, 4109190520, 32162509,
	3257342825, 924884188, 4096640586, 19546623,
	2922619182, 1530144411, 2553904141, 1832844216,
	437219302, 4010338387, 738570949, 3640800624,
	1981535649, 2199671316, 1074858114, 3038154551,
	2926780479, 1534371722, 2558131484, 1837005481,
	3261569656, 929045965, 4100802395, 23773422,
	1985696944, 2203898629, 1079085459, 3042315814,
	441446135, 4014500162, 742732756, 3645027425,
};
/* table pipe.Egress.rewrite.icrc_psn1, rewrite.p4:102 */
INLINE u32 eg_icrc_psn1_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.psn_diff >> 8); /* rewrite.p4:102 */
	eg_icrc_psn1_fix(s, eg_icrc_psn1_arg_fix[key & 0xff]);
	return HIT | a_icrc_psn1_icrc_psn1_fix;
}

static const u32 eg_icrc_psn2_arg_fix[256] = {
	0, 2663406359, 3946324052, 1979218755,
	3597746344, 1219566527, 1028219132, 2743679979,
	1894142744, 3995469839, 2615046988, 85862491,
	2794918832, 945244327, 1303327716, 3547293939,
	930426954, 2847239005, 3696037918, 1116556041,
	3775164642, 2143562741, 171724982, 2499546017,
	1200841554, 3646109765, 2896904966, 845879313,
	2447516666, 253917421, 2061108142, 3826931897,
	1860853908, 4029299587, 2245148864, 454171607,
	3097174076, 643529515, 1403191400, 3445840767,
	504116108, 2160879771, 4113830872, 1811171535,
	3363664676, 1455237171, 591745904, 3179612263,
	1503613150, 3344894921, 2997317770, 744958877,
	2414743670, 288246625, 1691758626, 4195773237,
	695796678, 3082377425, 3259048850, 1551988869,
	4278731630, 1640503417, 338715450, 2330998829,
	3613951258, 1235803661, 1011918158, 2727411289,
	18466226, 2681839269, 3928090086, 1960951537,
	2811155970, 961449237, 1287059030, 3530992961,
	1912575658, 4013936061, 2596779774, 67628521,
	3760043344, 2128473671, 187012356, 2514865683,
	913110520, 2829889263, 3713324460, 1133809339,
	2432427592, 238796127, 2076427804, 3842219275,
	1183491808, 3628793335, 2914158260, 863165859,
	3112363406, 658685593, 1387972058, 3430588109,
	1878238502, 4046716465, 2227930482, 436985445,
	3378820758, 1470426497, 576493250, 3164392917,
	521532990, 2178264361, 4096644714, 1793953149,
	2398606788, 272076499, 1708127632, 4212108935,
	1485215084, 3326529147, 3015619896, 763293231,
	4262561500, 1624366539, 355051144, 2347367839,
	677430900, 3063979363, 3277383200, 1570290999,
	2932935221, 806441250, 1172908641, 3676926326,
	2023770781, 3865055626, 2476239561, 223883742,
	3728169261, 1089929786, 890206585, 2882478702,
	138811781, 2525381266, 3816700369, 2109629126,
	2577676927, 124019048, 1922832939, 3965468988,
	1339390679, 3507823040, 2767018627, 976028052,
	3913443687, 2005021296, 41568563, 2629440036,
	1060317647, 2717086424, 3557493147, 1254838924,
	3225119393, 1593520566, 721636085, 3049460194,
	373959177, 2290774302, 4252109405, 1672630602,
	2967288249, 773677742, 1541741037, 3307553530,
	1722579217, 4167836166, 2375309637, 324272722,
	4149107435, 1770914300, 477526719, 2192974248,
	557783619, 3221176660, 3389471255, 1422352640,
	2275936755, 426267364, 1821387175, 4065358512,
	1373194587, 3474526796, 3135334671, 606155288,
	2042203951, 3883521080, 2457972603, 205649004,
	2949173127, 822645904, 1156640723, 3660625092,
	157277239, 2543814432, 3798465635, 2091362164,
	3744373919, 1106167688, 873905355, 2866210780,
	1322041189, 3490505842, 2784272177, 993313830,
	2562588621, 108897498, 1938153369, 3980756110,
	1043000445, 2699736938, 3574778921, 1272092478,
	3898322133, 1989932994, 56855681, 2644760470,
	391376827, 2308158636, 4234924015, 1655411960,
	3240275731, 1608709124, 706383687, 3034240080,
	1739963555, 4185253812, 2358090999, 307087328,
	2982476811, 788834076, 1526520927, 3292301128,
	539418609, 3202778342, 3407806373, 1440654514,
	4132937561, 1754776654, 493862669, 2209342490,
	1354796265, 3456161790, 3153636541, 624490410,
	2259799105, 410097494, 1837755413, 4081694466,
};
/* table pipe.Egress.rewrite.icrc_psn2, rewrite.p4:104 */
INLINE u32 eg_icrc_psn2_apply(struct egress *s)
{
	u32 key = (u32)(u8)s->md.psn_diff; /* rewrite.p4:104 */
	eg_icrc_psn2_fix(s, eg_icrc_psn2_arg_fix[key & 0xff]);
	return HIT | a_icrc_psn2_icrc_psn2_fix;
}

static const u32 eg_icrc_va0_arg_fix[256] = {
	0, 2333770256, 372573217, 2637137457,
	745146434, 2809170514, 979307619, 2974125683,
	1490292868, 3553530516, 1323373733, 3321599669,
	1958615238, 4288977622, 1653284071, 3918634743,
	3138676026, 806283050, 2904645915, 641458955,
	2541645176, 476376936, 2169203033, 173140809,
	3821041086, 1759180718, 4126503327, 2129654671,
	3484057084, 1152450540, 3651107293, 1384512461,
	1982450292, 4247996516, 1612500565, 3943058501,
	1514390070, 3512287270, 1282852375, 3345761287,
	788388592, 2783402208, 952688337, 3016907969,
	43504306, 2307739810, 346216083, 2679657603,
	3443371854, 1176972638, 3674778479, 1343367551,
	3780617996, 1783440668, 4150436653, 2088247613,
	2515124170, 519257562, 2212281323, 147208699,
	3112417160, 848901528, 2947986345, 615264697,
	3964835049, 1732777721, 4201091272, 1904022232,
	3224935595, 1260527291, 3591215242, 1561795226,
	3028714605, 1067189885, 2729672780, 698942044,
	2565639215, 334892607, 2396620814, 96668190,
	1464267219, 3697046467, 1098118642, 3395909602,
	2066545041, 4030102401, 1830419888, 3858988960,
	261284183, 2223530823, 430433654, 2461886310,
	603515157, 2833410821, 902688052, 3201789732,
	2591776413, 291626125, 2353945276, 123001004,
	3054589663, 1024185551, 2686735102, 725537006,
	3266268697, 1236651017, 3566881336, 1602275368,
	4005906011, 1709163595, 4176495226, 1944764522,
	560937895, 2859841975, 928661382, 3158359446,
	218444773, 2250224117, 456144836, 2418718164,
	2042309411, 4070680883, 1871589122, 3834948882,
	1439769441, 3737887089, 1139025728, 3372131664,
	77659035, 2411362699, 311820218, 2576317866,
	684389337, 2748346825, 1056962552, 3051714024,
	1551166239, 3614337295, 1245835070, 3243994414,
	1881072477, 4211368269, 1714153340, 3979437420,
	3216285345, 883825841, 2843843200, 580589712,
	2480838371, 415503603, 2246808258, 250679506,
	3881864741, 1819937845, 4048914948, 2051999764,
	3406464615, 1074791543, 3711926854, 1445265494,
	1921593839, 4187206655, 1690056142, 4020680670,
	1591949741, 3589913533, 1222000012, 3284975516,
	710746475, 2705826683, 1013458250, 3077744474,
	104278313, 2368580409, 268578056, 2602086168,
	3382531285, 1116198597, 3752349940, 1421005540,
	3858193559, 1861082759, 4089600182, 2027477670,
	2437497937, 441697857, 2273067120, 208061024,
	3173207059, 909757955, 2870364210, 537709090,
	3908202354, 1676209506, 4274482003, 1977477443,
	3298322224, 1333978400, 3534578449, 1505222913,
	2955313142, 993852902, 2786294743, 755628487,
	2622257076, 391574948, 2323215253, 23327109,
	1407584840, 3640428632, 1171459689, 3469315193,
	2139881994, 4103503898, 1773733419, 3802367035,
	187833036, 2150144220, 487005933, 2518523133,
	660083342, 2890043550, 829232815, 3128399039,
	2665194758, 364979990, 2297340199, 66331447,
	2997988676, 967520084, 2760157541, 798894965,
	3322918274, 1293236114, 3493507491, 1528837043,
	3932536256, 1635729360, 4233148897, 2001353713,
	634372156, 2933211692, 872072221, 3101705741,
	161859710, 2193574510, 529583199, 2492091983,
	2098974904, 4127281832, 1798231193, 3761526409,
	1366415610, 3664468714, 1195695323, 3428736715,
};
/* table pipe.Egress.rewrite.icrc_va0, rewrite.p4:106 */
INLINE u32 eg_icrc_va0_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 56); /* rewrite.p4:106 */
	eg_icrc_va0_fix(s, eg_icrc_va0_arg_fix[key & 0xff]);
	return HIT | a_icrc_va0_icrc_va0_fix;
}

static const u32 eg_icrc_va1_arg_fix[256] = {
	0, 66892549, 3510759537, 3535618932,
	2726551779, 2709476326, 1942098066, 1883153303,
	1337689589, 1279735536, 2667214212, 2634466945,
	3979896086, 4005877267, 1014601063, 1065690722,
	2513063897, 2520186076, 1150009256, 1198984365,
	927575866, 884284479, 3859308363, 3858033742,
	3664890412, 3649927465, 187710045, 147622232,
	2029136591, 2064554442, 2847136446, 2857331131,
	556391296, 584411269, 4033358833, 4086601972,
	2208971619, 2153154662, 1391184658, 1360492567,
	1855086197, 1835986288, 3218320900, 3157204225,
	3423714966, 3488419219, 491802343, 514653666,
	3034813529, 3072272220, 1705141288, 1717491501,
	375420090, 362596287, 3340862667, 3302832078,
	4216852908, 4171539113, 706339293, 702894808,
	1507586383, 1512522314, 2291794238, 2338763323,
	2656527689, 2645284428, 1326880056, 1290413629,
	1020560810, 1059600047, 3985995227, 3999909598,
	3521962172, 3524285369, 11342029, 55681992,
	1936654431, 1888727898, 2720985134, 2714911531,
	194849424, 140614037, 3671907041, 3642780132,
	2837367411, 2866968950, 2019506690, 2074315015,
	1143385957, 1205476448, 2506579732, 2526800913,
	3869593478, 3847879811, 937738231, 873991410,
	3212754633, 3162639820, 1849642680, 1841561021,
	503143978, 503442735, 3434917467, 3477085534,
	4039457596, 4080633913, 562350925, 578320456,
	1380375519, 1371171034, 2198285230, 2163972267,
	716501264, 692601365, 4227137889, 4161385060,
	2285310451, 2345378550, 1500963202, 1519014535,
	1695511781, 1727252448, 3025044628, 3081910161,
	3347878918, 3295684355, 382559351, 355587954,
	1018153618, 1062435223, 3991812835, 3994192358,
	2653694577, 2647693684, 1332599296, 1284598021,
	1930710887, 1894317154, 2723528470, 2712210451,
	3516379012, 3530235009, 14049269, 53144816,
	2842002763, 2862167630, 2015655226, 2077804095,
	199648680, 135976621, 3668415961, 3646629596,
	3873308862, 3844256699, 933228751, 878920650,
	1147002973, 1201754968, 2501644332, 2531304233,
	495325458, 511353367, 3435651427, 3476771430,
	3204837873, 3170452212, 1849950592, 1840820869,
	1379767527, 1371613154, 2205967510, 2155927443,
	4039013380, 4081239809, 570393717, 570636144,
	2286706379, 2343628238, 1494068922, 1525751231,
	718257704, 691211565, 4220407385, 4168285532,
	3354909502, 3289081915, 381037391, 357210186,
	1702116317, 1720223960, 3023424428, 3083434153,
	2734206939, 2701401310, 1941528490, 1883630767,
	8081208, 59243581, 3510288201, 3536194636,
	3980601902, 4005533995, 1006819935, 1073637722,
	1338034893, 1279031752, 2659269308, 2642250169,
	926081026, 885936903, 3866300531, 3851395958,
	2511405281, 2521674724, 1156640912, 1191986069,
	2022270455, 2071320306, 2848494982, 2855544451,
	3658122516, 3656791569, 189494629, 146261600,
	2211542107, 2150483806, 1385202730, 1366046511,
	559060152, 581838781, 4027802825, 4092581836,
	3429560750, 3482731179, 489357791, 517452506,
	1860768077, 1830134344, 3215515964, 3159642681,
	370883458, 367495303, 3344616435, 3299244278,
	3029916513, 3076810852, 1708731152, 1713739797,
	1503706743, 1515982194, 2296466950, 2333998339,
	4213399188, 4175424913, 711110373, 698228192,
};
/* table pipe.Egress.rewrite.icrc_va1, rewrite.p4:108 */
INLINE u32 eg_icrc_va1_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 48); /* rewrite.p4:108 */
	eg_icrc_va1_fix(s, eg_icrc_va1_arg_fix[key & 0xff]);
	return HIT | a_icrc_va1_icrc_va1_fix;
}

static const u32 eg_icrc_va2_arg_fix[256] = {
	0, 1944244503, 830288981, 1117775170,
	1660577962, 286833085, 1401380095, 543526376,
	3477640550, 3165275249, 4264927539, 2379706404,
	2914188748, 3729796315, 2630863257, 4012710030,
	2660313805, 3983801306, 2951487128, 3691958159,
	4234887783, 2408158064, 3440801330, 3203704613,
	1373224875, 574320316, 1621396478, 323377897,
	857986817, 1086391830, 39773012, 1908159043,
	933171624, 1149092031, 115484157, 1962996970,
	1432713474, 646424597, 1679314263, 402299968,
	4174873806, 2335528409, 3383406747, 3125305740,
	2586700900, 3922673011, 2874202161, 3635546406,
	2836282213, 3672959602, 2557677360, 3952205351,
	3421787087, 3088483032, 4203308954, 2305537677,
	1715908099, 363101972, 1463523926, 618220353,
	79480489, 2002655166, 901903100, 1176708075,
	1703044962, 375436917, 1426019127, 656245280,
	125308872, 1956306655, 906312605, 1172826762,
	2865426948, 3643286291, 2612512337, 3897890630,
	3358628526, 3151121337, 4182617851, 2326757356,
	4212346287, 2297535672, 3396237818, 3113003245,
	2582193413, 3926651922, 2828276048, 3681992775,
	878434505, 1203309022, 86437020, 1992572299,
	1453437027, 625172852, 1742505014, 339629345,
	1377662666, 570402781, 1667252895, 276992904,
	820452960, 1124454263, 26880565, 1920531234,
	2639651756, 4004983483, 2888357881, 3754559214,
	4289694470, 2353879569, 3469918035, 3174067780,
	3431750663, 3211693328, 4260456530, 2383657285,
	2926982317, 3717522874, 2668298488, 3974746607,
	63228257, 1881544822, 851049780, 1096494115,
	1631494603, 316436700, 1346606494, 597771401,
	498948286, 1851754921, 750808299, 1596112380,
	2135371796, 212197635, 1312425025, 1037620566,
	3539324376, 2702646479, 3817404813, 2422876314,
	2953815410, 3287118949, 2171769127, 4069539888,
	2200728179, 4040074084, 2991670822, 3249772337,
	3788905177, 2452933582, 3500879500, 2739535771,
	1281681173, 1065760258, 2098844480, 251331159,
	782143423, 1568431784, 535018474, 1812032253,
	706890006, 1505794049, 459242819, 1757260884,
	1222123964, 993718443, 2040862185, 172475646,
	3848985712, 2525498727, 3558336549, 2817866034,
	2274407642, 4101137869, 3069018255, 3306115480,
	3031655387, 3344020172, 2244892558, 4130113177,
	3595111281, 2779503206, 3878960932, 2497113651,
	2080110269, 135866282, 1250345704, 962860031,
	419536407, 1793281792, 679258690, 1537112917,
	2017411036, 199093963, 1229065097, 983620254,
	449140598, 1764197985, 733504291, 1482338868,
	3078073018, 3298130861, 2248842991, 4125642744,
	3582837264, 2792297223, 3840996933, 2534549330,
	3870168337, 2504836102, 3620938052, 2754736211,
	2220129723, 4155944108, 3039381998, 3335231737,
	702972023, 1510232416, 412857378, 1803117877,
	1260185821, 956185034, 2053233800, 159583647,
	1335897716, 1011023715, 2128419361, 222284598,
	760891102, 1589155785, 472347275, 1875223452,
	2162735890, 4077545989, 2979368775, 3262602832,
	3792884664, 2448425647, 3547326445, 2693609210,
	3509650617, 2731791790, 3763089644, 2477711867,
	3016453139, 3223960836, 2192988230, 4048849233,
	511283679, 1838891208, 788833674, 1558607005,
	2089023861, 258025570, 1308544288, 1042029623,
};
/* table pipe.Egress.rewrite.icrc_va2, rewrite.p4:110 */
INLINE u32 eg_icrc_va2_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 40); /* rewrite.p4:110 */
	eg_icrc_va2_fix(s, eg_icrc_va2_arg_fix[key & 0xff]);
	return HIT | a_icrc_va2_icrc_va2_fix;
}

static const u32 eg_icrc_va3_arg_fix[256] = {
	0, 835122510, 3040181479, 2230553001,
	3060673414, 2275991240, 56317793, 849191471,
	2966979908, 2166255626, 99482019, 875236589,
	112635586, 930110348, 3011760677, 2185570155,
	3070794995, 2261674429, 37609492, 872093018,
	23508853, 815809083, 3025390482, 2241150684,
	131078583, 907472121, 3001378128, 2200145950,
	2982031921, 2155399039, 76238550, 894286744,
	2987715503, 2211585761, 119641928, 921133574,
	75153449, 901526887, 2974792910, 2156480896,
	46952171, 856333221, 3086553612, 2252334914,
	3030533485, 2237968419, 26687882, 810667204,
	85751644, 886735378, 2955479995, 2179989237,
	3010616538, 2192877972, 105324605, 931255667,
	3049583128, 2214725462, 15830783, 825719729,
	61528478, 845950160, 3063915897, 2270777399,
	3089892631, 2313875545, 219773424, 1021283518,
	239218321, 1065671647, 3145159286, 2326898488,
	150241363, 959608093, 3183606964, 2349271546,
	3197807573, 2405195419, 196073266, 979968636,
	254056932, 1055026346, 3121734915, 2346127437,
	3108680290, 2290894636, 209702533, 1035549643,
	3220970656, 2386225646, 180969543, 990876937,
	160577318, 945078888, 3165080513, 2371993231,
	171503288, 1006509046, 3205337695, 2395694865,
	3159803198, 2375037040, 157530585, 950357143,
	3135269884, 2334564018, 265623323, 1041490517,
	210649210, 1028175156, 3116055709, 2289945043,
	3174068811, 2364966661, 134549164, 969145314,
	190732749, 983084163, 3194692906, 2410532964,
	233371407, 1009648193, 3101527016, 2300280486,
	3146177673, 2319460807, 246653038, 1064654112,
	1884883502, 1101004640, 3312219849, 4104815495,
	3325501864, 4159821030, 1929534799, 1120184321,
	3229716330, 4047993380, 1974793101, 1148323523,
	1995416812, 1193890210, 3285899275, 4061932869,
	3344013021, 4137116563, 1919216186, 1134698356,
	1900002651, 1090078741, 3289039292, 4123800818,
	2005472153, 1179641559, 3267129214, 4084898352,
	3253155871, 4028747089, 1959937272, 1158984118,
	3259883905, 4085978319, 2004393318, 1186883624,
	1948502535, 1172651849, 3239491296, 4040180654,
	1922393285, 1129550219, 3349157922, 4133940588,
	3304804163, 4114463245, 1909339044, 1074317034,
	1967488370, 1149470780, 3228565909, 4055299291,
	3274397428, 4075660218, 1981688339, 1205395293,
	3315464246, 4099607928, 1890092241, 1097757087,
	1945359280, 1110779646, 3334909783, 4143995417,
	3363114809, 4189321847, 2101375966, 1283884688,
	2115708095, 1339937265, 3408812120, 4209552662,
	2024639101, 1231781683, 3449353882, 4234019796,
	3468927483, 4278539445, 2079776028, 1244670034,
	2138936266, 1320904324, 3393777453, 4220394083,
	3373512780, 4174728450, 2082915499, 1306538469,
	3483702926, 4267959232, 2056284777, 1263968039,
	2043362568, 1208862790, 3439215087, 4248351905,
	2053235862, 1269240280, 3478427761, 4271009087,
	3423588112, 4257823326, 2033890295, 1224492729,
	3401146834, 4219442332, 2139888949, 1313532027,
	2094484052, 1293008666, 3387045555, 4163159037,
	3446241381, 4239363371, 2019296386, 1234891212,
	2064077795, 1254205101, 3459395332, 4294236746,
	2108816673, 1282869359, 3364127174, 4181881992,
	3420444327, 4195951593, 2129308224, 1328307982,
};
/* table pipe.Egress.rewrite.icrc_va3, rewrite.p4:112 */
INLINE u32 eg_icrc_va3_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 32); /* rewrite.p4:112 */
	eg_icrc_va3_fix(s, eg_icrc_va3_arg_fix[key & 0xff]);
	return HIT | a_icrc_va3_icrc_va3_fix;
}

static const u32 eg_icrc_va4_arg_fix[256] = {
	0, 3769767004, 400342722, 4151224990,
	621033911, 3317050859, 853051253, 3530199849,
	2517475622, 1992275322, 2177966052, 1633881016,
	3003750545, 1404800205, 2765432403, 1147613711,
	739983949, 3433649681, 1002962063, 3681937619,
	153058298, 3920457638, 516146488, 4268872036,
	3122062187, 1520760631, 2915720617, 1299728885,
	2668813020, 2141245056, 2295227422, 1752985666,
	1479967898, 3095695558, 1340750424, 2941791748,
	2100477229, 2642454897, 1793983471, 2321291187,
	3459982780, 780743136, 3655834494, 961908514,
	3946781707, 193792087, 4242776777, 475117205,
	1949157079, 2493502091, 1676769301, 2202233929,
	1361706848, 2979785532, 1190478242, 2789692926,
	3793774577, 43152301, 4126988595, 357485935,
	3341049414, 664160794, 3505971332, 810218712,
	1818876797, 2363215649, 2075485631, 2600956387,
	1231938250, 2850027158, 1588681736, 3187886164,
	4200888923, 450260487, 3988309145, 218812613,
	3747628012, 1070749616, 3367828782, 672065906,
	1081252144, 2696973676, 1471031282, 3072078766,
	1702273159, 2244261083, 1923751493, 2451048985,
	3598661654, 919415882, 3248719572, 554799752,
	4084924833, 331945469, 3836198755, 68528959,
	878665703, 3572321211, 595845413, 3274831225,
	291202640, 4058608140, 109566098, 3862285518,
	2723348161, 1122036381, 3045998595, 1430017119,
	2270611318, 1743049514, 2424994228, 1882746344,
	407117226, 4176873974, 261661544, 4012554036,
	1027613725, 3723636801, 714906335, 3392048771,
	2387197068, 1861986512, 2576679502, 2032604690,
	2873984315, 1275040103, 3163634681, 1545809829,
	3637688059, 945857191, 3473803321, 800857189,
	4258697036, 493132560, 3926536590, 179840466,
	1323243485, 2926379905, 1493412127, 3115433283,
	1809526378, 2338929206, 2080870568, 2629141748,
	4106876086, 343662826, 3809823348, 61300264,
	3519925505, 830462301, 3323032515, 648243103,
	1657034128, 2188788172, 1964567378, 2511011598,
	1203792935, 2809297019, 1344066277, 2964244153,
	2162438753, 1616258621, 2537065635, 2005571839,
	2782923734, 1163009930, 2990322964, 1385079112,
	384406343, 4133193499, 20262277, 3783735769,
	871213808, 3546267308, 607196210, 3296919662,
	2902421548, 1280140400, 3139686126, 1536285362,
	2314946971, 1766415815, 2653419353, 2123752197,
	988991754, 3661677910, 758017992, 3449584532,
	536275133, 4282711265, 136992383, 3902292515,
	3032182150, 1409907162, 2741490500, 1138083608,
	2445235249, 1896693869, 2254695155, 1725038255,
	582405280, 3255097596, 896168546, 3587728958,
	129168663, 3875594571, 275663829, 4040974217,
	2560634827, 2014460823, 2407305481, 1875805525,
	3181647484, 1561723424, 2860034238, 1254800610,
	246255341, 3995048625, 426848303, 4190315635,
	732542810, 3407586054, 1014303128, 3704036804,
	3968723228, 205520192, 4216412126, 467878786,
	3381252267, 691782903, 3730140777, 1055357493,
	2055227450, 2586991718, 1834809080, 2381243044,
	1602515341, 3208013265, 1213779791, 2833963795,
	3231099729, 539279117, 3611956627, 939000271,
	3851588326, 86017722, 4065209380, 318519416,
	1453001335, 3056148011, 1095218357, 2717229289,
	1939813312, 2469210012, 1682148610, 2230425950,
};
/* table pipe.Egress.rewrite.icrc_va4, rewrite.p4:114 */
INLINE u32 eg_icrc_va4_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 24); /* rewrite.p4:114 */
	eg_icrc_va4_fix(s, eg_icrc_va4_arg_fix[key & 0xff]);
	return HIT | a_icrc_va4_icrc_va4_fix;
}

static const u32 eg_icrc_va5_arg_fix[256] = {
	0, 3138988485, 2855698882, 288335879,
	2288570829, 863107080, 576606223, 2571598282,
	3436474835, 2009946134, 1726148625, 3724270036,
	1153212446, 4289038811, 4002030044, 1435699225,
	2467669908, 671911505, 958604886, 2184843155,
	461207129, 2690932636, 2974545819, 173203038,
	1606538823, 3839426434, 4126627717, 1324252736,
	3618178954, 1823485519, 2107606600, 3330715533,
	4197358945, 1094169764, 1343757475, 3942724966,
	1917209772, 3378472297, 3631271278, 1667884203,
	922414258, 2380514679, 2630643056, 668288181,
	3197255039, 93000890, 346340541, 2948437368,
	1765489397, 3525448496, 3272457015, 2014614258,
	3780373304, 1514849021, 1264937722, 4034675519,
	2783922982, 519463651, 265931492, 3032539937,
	763861739, 2526982958, 2276530985, 1017656044,
	4099750595, 1329861382, 1584118529, 3849491140,
	2083908366, 3341599435, 3590548172, 1830437641,
	948521744, 2207277781, 2462042834, 698802967,
	2967575261, 200848152, 450304799, 2714645210,
	1732812119, 3696342162, 3447594133, 1986475344,
	4011871386, 1413047647, 1159122264, 4262454429,
	2879188100, 277202241, 27946310, 3132310659,
	603209033, 2565674124, 2311240843, 853251406,
	242460578, 3043659367, 2755995232, 526127013,
	2249946735, 1023565738, 741210029, 2536824424,
	3265779313, 2042560436, 1754355635, 3548937846,
	1255081916, 4057345657, 3774449278, 1541451707,
	2640707638, 645868019, 928023028, 2353637425,
	353292795, 2920806462, 3208138809, 69302780,
	1370649061, 3937097760, 4219793447, 1084086754,
	3654983720, 1656981997, 1944855018, 3371501615,
	884910030, 2410122763, 2659722764, 630263753,
	3168171523, 131030982, 383842241, 2918833668,
	4167751197, 1131675608, 1381783519, 3913645594,
	1879181264, 3407556117, 3660875282, 1630384087,
	2813001818, 481438111, 228426136, 3062147165,
	801362327, 2497378386, 2247446613, 1055685008,
	1803514249, 3496368204, 3242848331, 2052118926,
	3809976388, 1477347713, 1226908038, 4063758403,
	3465558703, 1971917674, 1688648557, 3753874088,
	1190718306, 4259431079, 3972950688, 1473725285,
	38030204, 3109905081, 2826095294, 325837691,
	2318178993, 825602932, 538581875, 2600678070,
	1569037627, 3869029630, 4155710713, 1286223164,
	3589098742, 1861510451, 2145111348, 3301106929,
	2438065384, 709412141, 996633898, 2155758831,
	423181605, 2720011488, 3004153063, 135697698,
	3236142349, 2080027848, 1792351439, 3519821066,
	1217088704, 4086457605, 3804089602, 1503978695,
	204991710, 3073295643, 2785111324, 488129753,
	2220834067, 1061557462, 778681553, 2507183380,
	1408645785, 3907982172, 4190157659, 1121555102,
	3684625236, 1619509905, 1906862742, 3400614739,
	2669824842, 607871631, 890555016, 2383274829,
	390765191, 2891166530, 3179027269, 107295360,
	986513516, 2178165161, 2432401838, 736274539,
	2997211553, 163379300, 412307555, 2743761318,
	4128862655, 1291868282, 1546645629, 3879131576,
	2121375858, 3311962551, 3561431472, 1868433525,
	2849548280, 314674749, 65939002, 3103199231,
	565212725, 2594791408, 2340878327, 815783474,
	1695340075, 3725983726, 3476707305, 1948483116,
	3982755814, 1451044387, 1196590628, 4232818657,
};
/* table pipe.Egress.rewrite.icrc_va5, rewrite.p4:116 */
INLINE u32 eg_icrc_va5_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 16); /* rewrite.p4:116 */
	eg_icrc_va5_fix(s, eg_icrc_va5_arg_fix[key & 0xff]);
	return HIT | a_icrc_va5_icrc_va5_fix;
}

static const u32 eg_icrc_va6_arg_fix[256] = {
	0, 1673530287, 3443282796, 2935773379,
	2591663832, 4189695351, 1464202676, 881196571,
	3908476921, 2335609942, 634047637, 1175111482,
	1921988897, 290402958, 3216206413, 3698549218,
	3679550401, 3096539246, 376252589, 1974280962,
	1093197081, 585684662, 2350157429, 4023682522,
	866640952, 1348988823, 4271617876, 2640035067,
	2849915616, 3390982479, 1692537228, 119675427,
	1789273546, 157691493, 2811917990, 3294264585,
	4041179922, 2468317373, 1038340222, 1579408337,
	2186328627, 3784356252, 1332537695, 749527792,
	405347563, 2078873412, 3574943623, 3067429928,
	2985778699, 3526841764, 2093682023, 520816328,
	730790099, 1213133692, 3870469055, 2238881808,
	1493287410, 985778781, 2487063198, 4160592177,
	3279447850, 2696440965, 239350854, 1837383657,
	3757051814, 3157263369, 315382986, 1896634213,
	1166649726, 642360017, 2293627410, 3950375357,
	923177055, 1422302192, 4198155059, 2583349404,
	2910795399, 3468639528, 1615029739, 58945092,
	77689959, 1734442952, 3382519563, 2858232996,
	2665009855, 4246264080, 1407484371, 807701116,
	3965184926, 2409095217, 560707826, 1118548829,
	1982745926, 367937257, 3138526762, 3637646725,
	3042323052, 3600163267, 2020243712, 464155311,
	791645364, 1290766107, 3792953304, 2178143351,
	1570813333, 1046527546, 2426201849, 4082953558,
	3352892237, 2753108194, 182796321, 1764051854,
	1845973421, 231168514, 2738553537, 3237677422,
	4101961589, 2545876186, 960668697, 1518514102,
	2263993940, 3845244411, 1271766328, 671979159,
	478701708, 2135450403, 3518249952, 2993958991,
	3042794366, 3600634065, 2019624978, 463537085,
	790953382, 1290073609, 3793268426, 2178458981,
	1571538055, 1047252776, 2425853931, 4082605124,
	3352453727, 2752670192, 183382323, 1764637340,
	1846288575, 231484176, 2737861587, 3236984956,
	4101342823, 2545257928, 961139979, 1518984868,
	2264579910, 3845829865, 1271327786, 671541125,
	478353822, 2135102001, 3518974706, 2994684253,
	3757801140, 3158013211, 315043288, 1896294007,
	1166202988, 641913795, 2294188800, 3950936239,
	923656525, 1422781154, 4197560865, 2582755726,
	2910078869, 3467922490, 1615336697, 59252566,
	78251381, 1735003866, 3382072857, 2857786806,
	2664670125, 4245923842, 1408233665, 808450926,
	3965491852, 2409402659, 559991264, 1117831759,
	1982151764, 367343611, 3139006264, 3638125719,
	1789744344, 158162807, 2811299764, 3293645851,
	4040487424, 2467625391, 1038655852, 1579723459,
	2187053857, 3785080974, 1332189261, 749179874,
	404909561, 2078434902, 3575529109, 3068015930,
	2986094361, 3527156918, 2092989557, 520124378,
	730171841, 1212514926, 3870939821, 2239353090,
	1493872864, 986364751, 2486625164, 4160153635,
	3279099448, 2696093079, 240076116, 1838108411,
	749842, 1674279613, 3442942590, 2935433681,
	2591217610, 4189248613, 1464763558, 881757961,
	3908955883, 2336089412, 633453959, 1174517288,
	1921271859, 289686428, 3216513887, 3698856176,
	3680111315, 3097100668, 375806399, 1973834256,
	1092856843, 585344932, 2350907239, 4024431816,
	866948394, 1349295749, 4270900806, 2639318505,
	2849321970, 3390388317, 1693016222, 120154929,
};
/* table pipe.Egress.rewrite.icrc_va6, rewrite.p4:118 */
INLINE u32 eg_icrc_va6_apply(struct egress *s)
{
	u32 key = (u32)(u8)(s->md.va_diff >> 8); /* rewrite.p4:118 */
	eg_icrc_va6_fix(s, eg_icrc_va6_arg_fix[key & 0xff]);
	return HIT | a_icrc_va6_icrc_va6_fix;
}

static const u32 eg_icrc_va7_arg_fix[256] = {
	0, 1790686972, 3754568139, 3044122423,
	3039369124, 3750928728, 1793277551, 5802131,
	3059154176, 3706539004, 1771885771, 52912695,
	58714788, 1774476376, 3702899567, 3054400915,
	1823341057, 102124797, 3009926090, 3655099702,
	3649367461, 3007273817, 105825390, 1828024978,
	3673884417, 2957029885, 87109322, 1871353910,
	1876037797, 90809945, 2954377582, 3668152210,
	266560121, 1700320389, 3492367282, 3130195278,
	3133830621, 3497116449, 1694522390, 263973610,
	3115687801, 3540920709, 1719645874, 214171726,
	211585245, 1713847841, 3545669910, 3119323114,
	1666095224, 167063172, 3162812851, 3594454863,
	3597111260, 3168549152, 162375191, 1662390507,
	3575145848, 3215184772, 181554355, 1617558095,
	1613853404, 176866336, 3220921111, 3577802219,
	3380564616, 2747589748, 380992323, 2081344959,
	2086028588, 384693200, 2744937703, 3374832155,
	2133438344, 361896308, 2699265603, 3394777279,
	3389044780, 2696613584, 365597159, 2138122011,
	2782046345, 3479772789, 2048426306, 279132094,
	284933933, 2051017169, 3476133606, 2777292826,
	327439753, 2034230133, 3427695682, 2801126078,
	2796372525, 3424056529, 2036820966, 333241626,
	3332124913, 2888271373, 425072954, 1944956870,
	1941251925, 420385193, 2894007966, 3334781026,
	1892339185, 443644685, 2936071226, 3317387974,
	3320044117, 2941807785, 438956958, 1888634210,
	2855389936, 3230301196, 1979441979, 524309959,
	521723220, 1973644200, 3235050655, 2859024995,
	476526576, 1994162444, 3282902587, 2836834503,
	2840469588, 3287652008, 1988364703, 473939811,
	1325037400, 608289188, 2435866259, 4220250223,
	4224934140, 2439566848, 605636919, 1319305163,
	4172057176, 2450996388, 661037971, 1306334575,
	1300602364, 658385664, 2454697015, 4176741067,
	576163161, 1223441317, 4254966930, 2535854702,
	2541656829, 4257557505, 1219801910, 571409866,
	2483122265, 4273653413, 1271617938, 561049454,
	556296189, 1267978497, 4276244022, 2488924362,
	1092162849, 732079069, 2664643818, 4100491798,
	4096787077, 2659955833, 737815374, 1094819250,
	4149209121, 2650037981, 679854570, 1111389974,
	1114046341, 685590905, 2645349966, 4145504434,
	766832416, 1192188380, 4068394731, 2563076119,
	2560489604, 4062596728, 1196937551, 770467763,
	2615284256, 4049183964, 1143487467, 781421847,
	785057156, 1148236664, 4043385935, 2612697779,
	2273650128, 3980301100, 1481575451, 854899431,
	850145908, 1477936264, 3982891967, 2279451971,
	835967184, 1533570604, 3994677531, 2225227751,
	2231029620, 3997268360, 1529931455, 831213635,
	3945324497, 2173921581, 887289370, 1582907622,
	1577175157, 884637321, 2177622462, 3950008130,
	1568547537, 935695405, 2192837402, 3893345766,
	3898029429, 2196538249, 933043390, 1562815042,
	2288404393, 3806196053, 1470918242, 1024972958,
	1028608013, 1475667697, 3800398278, 2285817658,
	1043380905, 1418398805, 3791295330, 2336302494,
	2333715725, 3785497585, 1423148230, 1047015994,
	3838557608, 2389707604, 989959267, 1371153055,
	1373809164, 995695856, 2385019847, 3834852667,
	1386037416, 942077524, 2371316067, 3891060639,
	3887355660, 2366628336, 947814087, 1388693563,
};
/* table pipe.Egress.rewrite.icrc_va7, rewrite.p4:120 */
INLINE u32 eg_icrc_va7_apply(struct egress *s)
{
	u32 key = (u32)(u8)s->md.va_diff; /* rewrite.p4:120 */
	eg_icrc_va7_fix(s, eg_icrc_va7_arg_fix[key & 0xff]);
	return HIT | a_icrc_va7_icrc_va7_fix;
}

/* Parser of the egress: on an error, parser_error says which (TNA numbers). */
INLINE void eg_parse(struct egress *s, u8 *p, u8 *end)
{
	/* state start, parser.p4:141 */
	s->md.neutral = 0; /* parser.p4:144 */
	s->md.delta = 0; /* parser.p4:144 */
	s->md.psn = 0; /* parser.p4:144 */
	s->md.psn_diff = 0; /* parser.p4:144 */
	s->md.va_old = 0ULL; /* parser.p4:144 */
	s->md.va_diff = 0ULL; /* parser.p4:144 */
	s->md.syndrome_diff = 0; /* parser.p4:144 */
	s->md.fix0 = 0; /* parser.p4:144 */
	s->md.fix1 = 0; /* parser.p4:144 */
	s->md.fix2 = 0; /* parser.p4:144 */
	s->md.fix3 = 0; /* parser.p4:144 */
	{
		u8 key0 = s->hdr.bridge.kind;
		if (key0 == 1)
			goto state_parse_roce; /* parser.p4:146 */
		if (key0 == 2)
			goto state_parse_roce; /* parser.p4:147 */
		if (key0 == 3)
			goto state_parse_roce; /* parser.p4:148 */
		return; /* parser.p4:149 */
	}
state_parse_roce:;
	/* state parse_roce, parser.p4:154 */
	if (unlikely(p + 14 > end))
		goto partial; /* parser.p4:155 */
	s->valid |= EG_hdr_ethernet;
	p += 14;
	if (unlikely(p + 20 > end))
		goto partial; /* parser.p4:156 */
	s->valid |= EG_hdr_ipv4;
	p += 20;
	if (unlikely(p + 8 > end))
		goto partial; /* parser.p4:157 */
	s->valid |= EG_hdr_udp;
	p += 8;
	if (unlikely(p + 12 > end))
		goto partial; /* parser.p4:158 */
	s->valid |= EG_hdr_bth;
	p += 12;
	{
		u8 key0 = eg_hdr_bth_opcode(s);
		if (key0 == 6)
			goto state_parse_reth; /* parser.p4:160 */
		if (key0 == 0xa)
			goto state_parse_reth; /* parser.p4:161 */
		if (key0 == 0xb)
			goto state_parse_reth; /* parser.p4:162 */
		if (key0 == 0x11)
			goto state_parse_aeth; /* parser.p4:163 */
		return; /* parser.p4:164 */
	}
state_parse_reth:;
	/* state parse_reth, parser.p4:168 */
	if (unlikely(p + 16 > end))
		goto partial; /* parser.p4:169 */
	s->valid |= EG_hdr_reth;
	p += 16;
	return;
state_parse_aeth:;
	/* state parse_aeth, parser.p4:173 */
	if (unlikely(p + 4 > end))
		goto partial; /* parser.p4:174 */
	s->valid |= EG_hdr_aeth;
	p += 4;
	return;
partial:;
	s->parser_error = 0x2;
	return;
}

/* Control of the egress. */
INLINE void eg_control(struct egress *s)
{
	if (s->hdr.bridge.kind != 0) { /* rdma.p4:118 */
		{ /* rewrite */
			s->md.psn_diff = eg_hdr_bth_psn_word(s); /* rewrite.p4:127 */
			if (s->hdr.bridge.kind == 1) { /* rewrite.p4:128 */
				eg_endpoint_apply(s); /* rewrite.p4:129 */
				s->md.psn = (u32)(s->md.psn + s->md.delta); /* rewrite.p4:130 */
			} else {
				eg_leader_apply(s); /* rewrite.p4:132 */
			}
			if (s->eg_dprsr_md.drop_ctl == 0) { /* rewrite.p4:134 */
				eg_set_hdr_bth_psn_word(s, (u32)((eg_hdr_bth_psn_word(s) & (u32)~((u32)0xffffff << 0)) | (u32)(s->md.psn >> 8) << 0)); /* rewrite.p4:135 */
				s->md.psn_diff = (s->md.psn_diff ^ eg_hdr_bth_psn_word(s)); /* rewrite.p4:136 */
				if (!!(s->valid & EG_hdr_reth)) { /* rewrite.p4:137 */
					s->md.va_diff = (s->md.va_old ^ eg_hdr_reth_va(s)); /* rewrite.p4:138 */
				} else {
					s->md.fix1 = 0; /* rewrite.p4:140 */
				}
				if (s->hdr.bridge.kind == 3) { /* rewrite.p4:142 */
					s->md.syndrome_diff = (eg_hdr_aeth_syndrome(s) ^ s->hdr.bridge.syndrome); /* rewrite.p4:143 */
					eg_set_hdr_aeth_syndrome(s, s->hdr.bridge.syndrome); /* rewrite.p4:144 */
					eg_icrc_syndrome_apply(s); /* rewrite.p4:145 */
				}
				eg_icrc_psn0_apply(s); /* rewrite.p4:147 */
				eg_icrc_psn1_apply(s); /* rewrite.p4:148 */
				eg_icrc_psn2_apply(s); /* rewrite.p4:149 */
				if (!!(s->valid & EG_hdr_reth)) { /* rewrite.p4:150 */
					eg_icrc_va0_apply(s); /* rewrite.p4:151 */
					eg_icrc_va1_apply(s); /* rewrite.p4:152 */
					eg_icrc_va2_apply(s); /* rewrite.p4:153 */
					eg_icrc_va3_apply(s); /* rewrite.p4:154 */
					eg_icrc_va4_apply(s); /* rewrite.p4:155 */
					eg_icrc_va5_apply(s); /* rewrite.p4:156 */
					eg_icrc_va6_apply(s); /* rewrite.p4:157 */
					eg_icrc_va7_apply(s); /* rewrite.p4:158 */
				}
				s->md.fix0 = (s->md.fix0 ^ s->md.fix1); /* rewrite.p4:160 */
				s->md.fix2 = (s->md.fix2 ^ s->md.fix3); /* rewrite.p4:161 */
				s->md.fix0 = (s->md.fix0 ^ s->md.fix2); /* rewrite.p4:162 */
				if (s->md.neutral == 1) { /* rewrite.p4:163 */
					eg_set_hdr_ipv4_identification(s, (eg_hdr_ipv4_identification(s) ^ (u16)(s->md.fix0 >> 16))); /* rewrite.p4:164 */
					eg_set_hdr_udp_src_port(s, (eg_hdr_udp_src_port(s) ^ (u16)s->md.fix0)); /* rewrite.p4:165 */
				}
			} else {
				count(&c_no_endpoint, 0, s->length); /* rewrite.p4:168 */
			}
		}
	} else {
		if (s->eg_intr_md.egress_port == 0x40) { /* rdma.p4:120 */
			if (!(s->valid & EG_hdr_packet_in)) { /* rdma.p4:121 */
				s->valid |= EG_hdr_packet_in;
			}
			if (s->valid & EG_hdr_packet_in)
				s->hdr.packet_in.pad = s->hdr.bridge.pad; /* rdma.p4:122 */
			if (s->valid & EG_hdr_packet_in)
				s->hdr.packet_in.ingress_port = s->hdr.bridge.ingress_port; /* rdma.p4:123 */
			if (s->valid & EG_hdr_packet_in)
				s->hdr.packet_in.reason = s->hdr.bridge.reason; /* rdma.p4:124 */
		}
	}
	if (s->eg_dprsr_md.drop_ctl == 0) { /* rdma.p4:126 */
		count(&c_port_tx, s->eg_intr_md.egress_port, s->length); /* rdma.p4:127 */
	}
}

/* Deparser of the egress, but for the emits. */
INLINE void eg_deparse(struct egress *s)
{
	{ /* parser.p4:186 */
		u64 sum = 0, raw = 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 0) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 4) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw16((s->data + 14) + 8) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 12) : 0;
		raw += (s->valid & EG_hdr_ipv4) ? raw32((s->data + 14) + 16) : 0;
		u16 check = ~csum_fold(sum + csum_raw(raw));
		eg_set_hdr_ipv4_checksum(s, check);
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
	s->ig_prsr_md.parser_err = s->parser_error;
	in_control(s);
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
	m = s->m;
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

/* A copy of a packet that leaves through a port. */
INLINE int run_egress(struct xdp_md *ctx, u32 port)
{
	struct egress state = {}, *s = &state;
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
	eg_parse(s, data, end);
	barrier_var(s->valid);
	__builtin_assume(!(s->valid & (EG_hdr_packet_in | EG_hdr_packet_out | EG_hdr_cnp | EG_hdr_icrc))); /* never parsed */
	s->extracted = s->valid;
	if (unlikely(s->parser_error))
		return drop(P4_EGRESS_REJECT);
	eg_control(s);
	if (unlikely(s->contention))
		return drop(P4_CONTENTION);
	eg_deparse(s);
	if (s->eg_dprsr_md.drop_ctl & 1)
		return drop(P4_EGRESS_DROP);
	return eg_rewrite(s, ctx);
}

#include "p4xdp_main.h"
