/* Code generated from amcast.p4 by p4xc. DO NOT EDIT.
 *
 * Tables, registers, counters and digests: what lies outside a packet. Of a table there
 * are the numbers of its actions, and unless all its entries are constant:
 *
 *   struct key_T, union value_T  what is looked up, and an action with its parameters
 *   t_T, x_T, d_T                maps: the entries; those beyond an array; the default action, if it may change
 *   lookup_T(), default_T()      the value of an entry, 0 if none matches; the default one
 */
#pragma once
#include "p4xdp.h"
#include "p4xdp_meter.h"

/* table pipe.Ingress.ports.port_group, ports.p4:28 */
enum {
	a_port_group_set_port_group,
	a_port_group_own_port_group,
};
union value_port_group {
	u32 action;
	struct {
		u32 action; /* a_port_group_set_port_group */
		u16 port_group;
	} set_port_group;
	u64 size[1];
};
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 512); __uint(map_flags, BPF_F_MMAPABLE); __type(key, u32); __type(value, union value_port_group); }
	t_port_group SEC(".maps"); /* no entry where the action is 0, else the action + 1 */
INLINE union value_port_group *lookup_port_group(const u32 *key)
{
	union value_port_group *value = bpf_map_lookup_elem(&t_port_group, key);
	if (value && !value->action)
		value = 0;
	return value;
}

/* table pipe.Ingress.service.service, service.p4:42 */
enum {
	a_service_take,
	a_service_NoAction,
};
union value_service {
	u32 action;
	struct {
		u32 action; /* a_service_take */
		u32 life;
		u32 epoch;
		u16 replicas;
		u8 at; /* 4 bits */
		u8 role; /* 3 bits */
		u8 group;
		u8 leads; /* 1 bits */
		u8 member;
	} take;
	u64 size[3];
};
struct key_service {
	u32 hdr_ipv4_dst;
	u16 hdr_udp_dst_port;
	u8 pad_[2];
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 64); __type(key, struct key_service); __type(value, union value_service); }
	t_service SEC(".maps");
INLINE union value_service *lookup_service(const struct key_service *key)
{
	return bpf_map_lookup_elem(&t_service, key);
}

/* table pipe.Ingress.forward.may_send, forward.p4:59 */
enum {
	a_may_send_sends,
};
union value_may_send {
	u32 action;
	struct {
		u32 action; /* a_may_send_sends */
		u16 host;
		u8 refused;
	} sends;
	u64 size[1];
};
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 512); __uint(map_flags, BPF_F_MMAPABLE); __type(key, u32); __type(value, union value_may_send); }
	t_may_send SEC(".maps"); /* no entry where the action is 0, else the action + 1 */
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, union value_may_send); }
	d_may_send SEC(".maps"); /* default action */
INLINE union value_may_send *lookup_may_send(const u32 *key)
{
	union value_may_send *value = bpf_map_lookup_elem(&t_may_send, key);
	if (value && !value->action)
		value = 0;
	return value;
}
INLINE union value_may_send *default_may_send(void)
{
	u32 zero = 0;
	return bpf_map_lookup_elem(&d_may_send, &zero);
}

/* table pipe.Ingress.forward.own_mac, forward.p4:87 */
enum {
	a_own_mac_pretended,
	a_own_mac_mac_at,
	a_own_mac_mac_beyond,
	a_own_mac_mac_stranger,
	a_own_mac_NoAction,
};
union value_own_mac {
	u32 action;
	struct {
		u32 action; /* a_own_mac_mac_at */
		u16 port_group;
	} mac_at;
	u64 size[1];
};
struct key_own_mac {
	u64 hdr_ethernet_src; /* 48 bits */
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, struct key_own_mac); __type(value, union value_own_mac); }
	t_own_mac SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, union value_own_mac); }
	d_own_mac SEC(".maps"); /* default action */
INLINE union value_own_mac *lookup_own_mac(const struct key_own_mac *key)
{
	return bpf_map_lookup_elem(&t_own_mac, key);
}
INLINE union value_own_mac *default_own_mac(void)
{
	u32 zero = 0;
	return bpf_map_lookup_elem(&d_own_mac, &zero);
}

/* table pipe.Ingress.forward.own_ip, forward.p4:115 */
enum {
	a_own_ip_pretended,
	a_own_ip_ip_at,
	a_own_ip_ip_beyond,
	a_own_ip_ip_anyone,
	a_own_ip_ip_stranger,
	a_own_ip_NoAction,
};
union value_own_ip {
	u32 action;
	struct {
		u32 action; /* a_own_ip_ip_at */
		u16 port_group;
	} ip_at;
	u64 size[1];
};
struct key_own_ip {
	u32 sender;
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, struct key_own_ip); __type(value, union value_own_ip); }
	t_own_ip SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, union value_own_ip); }
	d_own_ip SEC(".maps"); /* default action */
INLINE union value_own_ip *lookup_own_ip(const struct key_own_ip *key)
{
	return bpf_map_lookup_elem(&t_own_ip, key);
}
INLINE union value_own_ip *default_own_ip(void)
{
	u32 zero = 0;
	return bpf_map_lookup_elem(&d_own_ip, &zero);
}

/* table pipe.Ingress.forward.switch_ip, forward.p4:128 */
enum {
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
	t_switch_ip SEC(".maps");
INLINE union value_switch_ip *lookup_switch_ip(const struct key_switch_ip *key)
{
	return bpf_map_lookup_elem(&t_switch_ip, key);
}

/* table pipe.Ingress.forward.l2, forward.p4:151 */
enum {
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
	t_l2 SEC(".maps");
INLINE union value_l2 *lookup_l2(const struct key_l2 *key)
{
	return bpf_map_lookup_elem(&t_l2, key);
}

/* table pipe.Ingress.forward.l3, forward.p4:189 */
enum {
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
	t_l3 SEC(".maps");
INLINE union value_l3 *lookup_l3(const struct key_l3 *key)
{
	return bpf_map_lookup_elem(&t_l3, key);
}

/* table pipe.Ingress.peers.sets, service.p4:75 */
enum {
	a_sets_destinations,
	a_sets_NoAction,
};
union value_sets {
	u32 action;
	struct {
		u32 action; /* a_sets_destinations */
		u32 epoch;
		u32 epoch0;
		u32 epoch1;
		u32 epoch2;
		u32 epoch3;
		u32 sum;
		u16 props;
		u16 acks;
		u8 slot; /* 4 bits */
		u8 count; /* 4 bits */
	} destinations;
	u64 size[5];
};
struct key_sets {
	u32 hdr_amcast_groups;
	u8 md_role; /* 3 bits */
	u8 pad_[3];
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, struct key_sets); __type(value, union value_sets); }
	t_sets SEC(".maps");
INLINE union value_sets *lookup_sets(const struct key_sets *key)
{
	return bpf_map_lookup_elem(&t_sets, key);
}

/* table pipe.Ingress.peers.clients, service.p4:88 */
enum {
	a_clients_may_start,
	a_clients_NoAction,
};
union value_clients {
	u32 action;
	u64 size[1];
};
struct key_clients {
	u32 hdr_ipv4_src;
	u16 hdr_amcast_client;
	u16 port_group;
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1024); __type(key, struct key_clients); __type(value, union value_clients); }
	t_clients SEC(".maps");
INLINE union value_clients *lookup_clients(const struct key_clients *key)
{
	return bpf_map_lookup_elem(&t_clients, key);
}

/* table pipe.Ingress.peers.replicas, service.p4:105 */
enum {
	a_replicas_may_ask,
	a_replicas_NoAction,
};
union value_replicas {
	u32 action;
	u64 size[1];
};
struct key_replicas {
	u32 hdr_ipv4_src;
	u16 port_group;
	u8 md_role; /* 3 bits */
	u8 pad_[1];
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1024); __type(key, struct key_replicas); __type(value, union value_replicas); }
	t_replicas SEC(".maps");
INLINE union value_replicas *lookup_replicas(const struct key_replicas *key)
{
	return bpf_map_lookup_elem(&t_replicas, key);
}

/* table pipe.Ingress.peers.proposers, service.p4:123 */
enum {
	a_proposers_proposes,
	a_proposers_NoAction,
};
union value_proposers {
	u32 action;
	struct {
		u32 action; /* a_proposers_proposes */
		u8 own; /* 1 bits */
	} proposes;
	u64 size[1];
};
struct key_proposers {
	u32 hdr_amcast_epoch;
	u32 hdr_ipv4_src;
	u16 port_group;
	u8 md_role; /* 3 bits */
	u8 hdr_amcast_from;
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1024); __type(key, struct key_proposers); __type(value, union value_proposers); }
	t_proposers SEC(".maps");
INLINE union value_proposers *lookup_proposers(const struct key_proposers *key)
{
	return bpf_map_lookup_elem(&t_proposers, key);
}

/* table pipe.Ingress.peers.ackers, service.p4:145 */
enum {
	a_ackers_acknowledges,
	a_ackers_NoAction,
};
union value_ackers {
	u32 action;
	struct {
		u32 action; /* a_ackers_acknowledges */
		u8 members; /* 4 bits */
		u8 watermark; /* 1 bits */
	} acknowledges;
	u64 size[1];
};
struct key_ackers {
	u32 hdr_amcast_by_epoch;
	u32 hdr_ipv4_src;
	u16 port_group;
	u8 md_role; /* 3 bits */
	u8 hdr_amcast_by;
	u8 hdr_amcast_member;
	u8 pad_[3];
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1024); __type(key, struct key_ackers); __type(value, union value_ackers); }
	t_ackers SEC(".maps");
INLINE union value_ackers *lookup_ackers(const struct key_ackers *key)
{
	return bpf_map_lookup_elem(&t_ackers, key);
}

/* table pipe.Ingress.peers.from_late, service.p4:182 */
enum {
	a_from_late_from0,
	a_from_late_from1,
	a_from_late_from2,
	a_from_late_from3,
	a_from_late_from_none,
};

/* table pipe.Ingress.peers.by_late, service.p4:218 */
enum {
	a_by_late_by0,
	a_by_late_by1,
	a_by_late_by2,
	a_by_late_by3,
	a_by_late_by_none,
};

/* table pipe.Ingress.peers.late, service.p4:242 */
enum {
	a_late_in_time,
	a_late_too_late,
};

/* table pipe.Ingress.peers.admission, service.p4:298 */
enum {
	a_admission_start,
	a_admission_proposal,
	a_admission_acknowledgement,
	a_admission_question,
	a_admission_refuse,
};

/* table pipe.Ingress.cells.cell, cells.p4:152 */
enum {
	a_cell_raise,
	a_cell_look,
	a_cell_NoAction,
};

/* table pipe.Ingress.cells.tag, cells.p4:195 */
enum {
	a_tag_mark_cell,
	a_tag_look_epoch,
	a_tag_NoAction,
};

/* table pipe.Ingress.cells.time, cells.p4:246 */
enum {
	a_time_next_time,
	a_time_raise_time,
	a_time_same_time,
	a_time_NoAction,
};
/* What entries run: the number of the first that does, from 1. */
enum {
	e_time_next_time = 1,
	e_time_same_time = 2,
	e_time_raise_time = 3,
};
/* What the entry for each key runs, 0 if there is none. */
static const u8 x_time[64] = {
	0, 0, 0, 0, 1, 2, 2, 2, 3, 3, 0, 0, 3, 3, 3, 3,
	0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
INLINE u8 lookup_time(u32 key) { return x_time[key & 0x3f]; }

/* table pipe.Ingress.cells.mark, cells.p4:299 */
enum {
	a_mark_next_mark,
	a_mark_raise_mark,
	a_mark_same_mark,
	a_mark_NoAction,
};
/* What entries run: the number of the first that does, from 1. */
enum {
	e_mark_next_mark = 1,
	e_mark_same_mark = 2,
	e_mark_raise_mark = 3,
};
/* What the entry for each key runs, 0 if there is none. */
static const u8 x_mark[64] = {
	0, 0, 0, 0, 1, 2, 2, 2, 3, 3, 0, 0, 2, 2, 2, 2,
	0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
INLINE u8 lookup_mark(u32 key) { return x_mark[key & 0x3f]; }

/* table pipe.Ingress.cells.groups_at, cells.p4:314 */
enum {
	a_groups_at_groups_store,
	a_groups_at_groups_compare,
	a_groups_at_groups_load,
	a_groups_at_NoAction,
};

/* table pipe.Ingress.cells.digests_at, cells.p4:315 */
enum {
	a_digests_at_digests_store,
	a_digests_at_digests_compare,
	a_digests_at_digests_load,
	a_digests_at_NoAction,
};

/* table pipe.Ingress.cells.lts_at, cells.p4:316 */
enum {
	a_lts_at_lts_first,
	a_lts_at_lts_store,
	a_lts_at_lts_load,
	a_lts_at_NoAction,
};

/* table pipe.Ingress.cells.seqs_at, cells.p4:317 */
enum {
	a_seqs_at_seqs_first,
	a_seqs_at_seqs_store,
	a_seqs_at_seqs_load,
	a_seqs_at_NoAction,
};

/* table pipe.Ingress.cells.ring_index, cells.p4:330 */
enum {
	a_ring_index_by_mark,
	a_ring_index_by_seq,
	a_ring_index_NoAction,
};

/* table pipe.Ingress.cells.place, cells.p4:375 */
enum {
	a_place_take_place,
	a_place_find_place,
	a_place_NoAction,
};

/* table pipe.Ingress.cells.ring_at, cells.p4:416 */
enum {
	a_ring_at_note,
	a_ring_at_tell,
	a_ring_at_not_known,
	a_ring_at_NoAction,
};

/* table pipe.Ingress.cells.bits.spots, tally.p4:254 */
enum {
	a_spots_spot,
	a_spots_NoAction,
};
/* What entries run: the number of the first that does, from 1. */
enum {
	e_spots_spot = 1,
	e_spots_spot_2 = 2,
	e_spots_spot_3 = 3,
	e_spots_spot_4 = 4,
	e_spots_spot_5 = 5,
	e_spots_spot_6 = 6,
	e_spots_spot_7 = 7,
	e_spots_spot_8 = 8,
	e_spots_spot_9 = 9,
	e_spots_spot_10 = 10,
	e_spots_spot_11 = 11,
	e_spots_spot_12 = 12,
	e_spots_spot_13 = 13,
	e_spots_spot_14 = 14,
	e_spots_spot_15 = 15,
	e_spots_spot_16 = 16,
};
/* What the entry for each key runs, 0 if there is none. */
static const u8 x_spots[256] = {
	1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	9, 10, 11, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	13, 14, 15, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
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
INLINE u8 lookup_spots(u32 key) { return x_spots[key & 0xff]; }

/* table pipe.Ingress.cells.bits.members, tally.p4:285 */
enum {
	a_members_mine,
	a_members_NoAction,
};
/* What entries run: the number of the first that does, from 1. */
enum {
	e_members_mine = 1,
	e_members_mine_2 = 2,
	e_members_mine_3 = 3,
	e_members_mine_4 = 4,
	e_members_mine_5 = 5,
	e_members_mine_6 = 6,
	e_members_mine_7 = 7,
	e_members_mine_8 = 8,
	e_members_mine_9 = 9,
	e_members_mine_10 = 10,
	e_members_mine_11 = 11,
	e_members_mine_12 = 12,
	e_members_mine_13 = 13,
	e_members_mine_14 = 14,
	e_members_mine_15 = 15,
	e_members_mine_16 = 16,
	e_members_mine_17 = 17,
	e_members_mine_18 = 18,
	e_members_mine_19 = 19,
	e_members_mine_20 = 20,
};
/* What the entry for each key runs, 0 if there is none. */
static const u8 x_members[4096] = {
	1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	6, 7, 8, 9, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	16, 17, 18, 19, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
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
INLINE u8 lookup_members(u32 key) { return x_members[key & 0xfff]; }

/* table pipe.Ingress.cells.tally.row, tally.p4:46 */
enum {
	a_row_mark_row,
	a_row_NoAction,
};

/* table pipe.Ingress.cells.tally.count, tally.p4:82 */
enum {
	a_count_begin,
	a_count_add,
	a_count_NoAction,
};

/* table pipe.Ingress.cells.tally.finals, tally.p4:121 */
enum {
	a_finals_first_time,
	a_finals_greatest_time,
	a_finals_NoAction,
};

/* table pipe.Ingress.cells.tally.columns, tally.p4:153 */
enum {
	a_columns_column0,
	a_columns_column1,
	a_columns_column2,
	a_columns_column3,
	a_columns_NoAction,
};

/* table pipe.Ingress.cells.tally.quorums, tally.p4:173 */
enum {
	a_quorums_quorum,
	a_quorums_NoAction,
};
/* What entries run: the number of the first that does, from 1. */
enum {
	e_quorums_quorum = 1,
};
/* What the entry for each key runs, 0 if there is none. */
static const u8 x_quorums[256] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1,
	0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1,
	0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
INLINE u8 lookup_quorums(u32 key) { return x_quorums[key & 0xff]; }

/* table pipe.Ingress.cells.tally.reaching, tally.p4:224 */
enum {
	a_reaching_reach_first,
	a_reaching_reach,
	a_reaching_NoAction,
};

/* table pipe.Ingress.cells.decision.all_before, tally.p4:333 */
enum {
	a_all_before_had,
	a_all_before_NoAction,
};

/* table pipe.Ingress.cells.decision.all_now, tally.p4:347 */
enum {
	a_all_now_decide,
	a_all_now_NoAction,
};

/* table pipe.Ingress.verdict.verdict, verdict.p4:94 */
enum {
	a_verdict_propose,
	a_verdict_propose_payload,
	a_verdict_acknowledge,
	a_verdict_tell_replicas,
	a_verdict_answer,
	a_verdict_refuse,
	a_verdict_discard,
	a_verdict_absorb,
};

/* table pipe.Ingress.verdict.nothing, verdict.p4:147 */
enum {
	a_nothing_refuse_admission,
	a_nothing_absorb,
};

/* table pipe.Egress.copies.copies, copies.p4:42 */
enum {
	a_copies_to,
	a_copies_to_replica,
	a_copies_NoAction,
};
union value_copies {
	u32 action;
	struct {
		u32 action; /* a_copies_to */
		u64 src_mac; /* 48 bits */
		u64 dst_mac; /* 48 bits */
		u32 src;
		u32 dst;
		u16 dst_port;
		u8 want;
		u8 kind;
	} to;
	struct {
		u32 action; /* a_copies_to_replica */
		u64 src_mac; /* 48 bits */
		u64 dst_mac; /* 48 bits */
		u32 src;
		u32 dst;
		u16 dst_port;
	} to_replica;
	u64 size[8];
};
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4096); __uint(map_flags, BPF_F_MMAPABLE); __type(key, u32); __type(value, union value_copies); }
	t_copies SEC(".maps"); /* no entry where the action is 0, else the action + 1 */
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, u32); __type(value, union value_copies); }
	x_copies SEC(".maps"); /* the same for other keys */
INLINE union value_copies *lookup_copies(const u32 *key)
{
	union value_copies *value = bpf_map_lookup_elem(&t_copies, key);
	if (unlikely(!value))
		value = bpf_map_lookup_elem(&x_copies, key);
	if (value && !value->action)
		value = 0;
	return value;
}

/* Registers by md.slot, row by row. */
struct r_slot {
	u32 newest;
	u32 groups;
	u32 digests;
	u32 lts;
	u32 seqs;
	u32 final;
	u32 reached;
	u64 tags; /* bit<32> number, bit<32> epoch */
} __attribute__((aligned(64)));
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 32768); __type(key, u32); __type(value, struct r_slot); }
	r_slot SEC(".maps");

/* Registers of pipe.Ingress.cells, row by row. */
struct r_cells {
	u32 ring_seqs;
	u32 ring;
} __attribute__((aligned(8))) r_cells[32768];

/* Registers by md.role, row by row. */
struct r_role {
	u32 clock;
	u32 marks;
	u32 life;
} __attribute__((aligned(16))) r_role[8];

/* Registers of pipe.Ingress.cells.tally, row by row. */
struct r_tally {
	u32 acks;
	u64 rows; /* bit<32> number, bit<32> epoch */
} __attribute__((aligned(16))) r_tally[131072];

/* Counters by ig_intr_md.ingress_port: of each CPU, row by row. */
struct c_port_rx {
	struct p4_counter port_rx; /* counter pipe.Ingress.port_rx */
} __attribute__((aligned(16)));
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 512); __type(key, u32); __type(value, struct c_port_rx); }
	c_port_rx SEC(".maps"); /* as many for each CPU: who loads it says so */

/* Counters by md.drop: of each CPU, row by row. */
struct c_drops {
	struct p4_counter drops; /* counter pipe.Ingress.drops */
} __attribute__((aligned(16)));
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 32); __type(key, u32); __type(value, struct c_drops); }
	c_drops SEC(".maps"); /* as many for each CPU: who loads it says so */

/* Counters by md.reason: of each CPU, row by row. */
struct c_punts {
	struct p4_counter punts; /* counter pipe.Ingress.punts */
} __attribute__((aligned(16)));
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 16); __type(key, u32); __type(value, struct c_punts); }
	c_punts SEC(".maps"); /* as many for each CPU: who loads it says so */

/* Counters by md.act: of each CPU, row by row. */
struct c_taken {
	struct p4_counter taken; /* counter pipe.Ingress.taken */
} __attribute__((aligned(16)));
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 16); __type(key, u32); __type(value, struct c_taken); }
	c_taken SEC(".maps"); /* as many for each CPU: who loads it says so */

/* A counter, of each CPU. */
struct c_refusals {
	struct p4_counter refusals; /* counter pipe.Ingress.verdict.refusals */
} __attribute__((aligned(16)));
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 32); __type(key, u32); __type(value, struct c_refusals); }
	c_refusals SEC(".maps"); /* as many for each CPU: who loads it says so */

/* Counters by eg_intr_md.egress_port: of each CPU, row by row. */
struct c_port_tx {
	struct p4_counter port_tx; /* counter pipe.Egress.port_tx */
} __attribute__((aligned(16)));
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 512); __type(key, u32); __type(value, struct c_port_tx); }
	c_port_tx SEC(".maps"); /* as many for each CPU: who loads it says so */

/* Counters by eg_intr_md.egress_rid: of each CPU, row by row. */
struct c_sent {
	struct p4_counter sent; /* counter pipe.Egress.copies.sent */
} __attribute__((aligned(16)));
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 4096); __type(key, u32); __type(value, struct c_sent); }
	c_sent SEC(".maps"); /* as many for each CPU: who loads it says so */

/* Counters by hdr.bridge.ingress_port: of each CPU, row by row. */
struct c_limited {
	struct p4_counter limited; /* counter pipe.Egress.punt.limited */
} __attribute__((aligned(16)));
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 512); __type(key, u32); __type(value, struct c_limited); }
	c_limited SEC(".maps"); /* as many for each CPU: who loads it says so */

struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 8192); __type(key, u32); __type(value, struct p4_meter); }
	m_punt_rate SEC(".maps"); /* meter pipe.Egress.punt.punt_rate */
