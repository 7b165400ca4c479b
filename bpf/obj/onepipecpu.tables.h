/* Code generated from onepipecpu.p4 by p4xc. DO NOT EDIT.
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

/* table pipe.Ingress.link.inputs, link.p4:35 */
enum {
	a_inputs_input,
	a_inputs_NoAction,
};
union value_inputs {
	u32 action;
	struct {
		u32 action; /* a_inputs_input */
		u8 link; /* 2 bits */
		u8 group; /* 4 bits */
		u8 place; /* 3 bits */
	} input;
	u64 size[1];
};
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 512); __uint(map_flags, BPF_F_MMAPABLE); __type(key, u32); __type(value, union value_inputs); }
	t_inputs SEC(".maps"); /* no entry where the action is 0, else the action + 1 */
INLINE union value_inputs *lookup_inputs(const u32 *key)
{
	union value_inputs *value = bpf_map_lookup_elem(&t_inputs, key);
	if (value && !value->action)
		value = 0;
	return value;
}

/* table pipe.Ingress.link.members, link.p4:51 */
enum {
	a_members_counts,
	a_members_NoAction,
};
union value_members {
	u32 action;
	struct {
		u32 action; /* a_members_counts */
		u8 places; /* 4 bits */
		u8 commit_places; /* 4 bits */
		u8 branches; /* 4 bits */
		u8 commit_branches; /* 4 bits */
	} counts;
	u64 size[1];
};
struct key_members {
	u8 md_group; /* 4 bits */
	u8 pad_[3];
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4); __type(key, struct key_members); __type(value, union value_members); }
	t_members SEC(".maps");
INLINE union value_members *lookup_members(const struct key_members *key)
{
	return bpf_map_lookup_elem(&t_members, key);
}

/* table pipe.Ingress.link.senders, link.p4:64 */
enum {
	a_senders_known,
	a_senders_NoAction,
};
union value_senders {
	u32 action;
	u64 size[1];
};
struct key_senders {
	u32 hdr_ipv4_src;
	u16 ig_intr_md_ingress_port; /* 9 bits */
	u16 hdr_onepipe_src;
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, struct key_senders); __type(value, union value_senders); }
	t_senders SEC(".maps");
INLINE union value_senders *lookup_senders(const struct key_senders *key)
{
	return bpf_map_lookup_elem(&t_senders, key);
}

/* table pipe.Ingress.link.admission, link.p4:104 */
enum {
	a_admission_refuse,
	a_admission_alone,
	a_admission_alone_refuse,
	a_admission_only_pass,
	a_admission_pass,
};
/* What entries run: the number of the first that does, from 1. */
enum {
	e_admission_refuse = 1,
	e_admission_refuse_2 = 2,
	e_admission_refuse_3 = 4,
	e_admission_alone = 6,
	e_admission_alone_refuse = 7,
	e_admission_pass = 8,
	e_admission_refuse_4 = 9,
	e_admission_refuse_5 = 10,
	e_admission_only_pass = 12,
};
/* What the entry for each key runs, 0 if there is none. */
static const u8 x_admission[2048] = {
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
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	6, 2, 6, 2, 6, 2, 6, 2, 4, 4, 4, 4, 4, 4, 4, 4,
	6, 2, 6, 2, 6, 2, 6, 2, 4, 4, 4, 4, 4, 4, 4, 4,
	7, 7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4,
	7, 7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4,
	7, 7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4,
	7, 7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4,
	7, 7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4,
	7, 7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4,
	7, 7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4,
	7, 7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4,
	7, 7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4,
	7, 7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4,
	7, 7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4,
	7, 7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 4, 4, 4, 4,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	8, 2, 8, 2, 8, 2, 8, 2, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 2, 8, 2, 8, 2, 8, 2, 4, 4, 4, 4, 4, 4, 4, 4,
	9, 9, 9, 9, 9, 9, 9, 9, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 10, 10, 10, 10, 4, 4, 4, 4, 4, 4, 4, 4,
	9, 9, 9, 9, 9, 9, 9, 9, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 10, 10, 8, 12, 10, 10, 4, 4, 4, 4, 4, 4, 4, 4,
	9, 9, 9, 9, 9, 9, 9, 9, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 8, 12, 8, 12, 4, 4, 4, 4, 4, 4, 4, 4,
	9, 9, 9, 9, 9, 9, 9, 9, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 8, 12, 8, 12, 4, 4, 4, 4, 4, 4, 4, 4,
	9, 9, 9, 9, 9, 9, 9, 9, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 8, 12, 8, 12, 4, 4, 4, 4, 4, 4, 4, 4,
	9, 9, 9, 9, 9, 9, 9, 9, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 8, 12, 8, 12, 4, 4, 4, 4, 4, 4, 4, 4,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	8, 2, 8, 2, 8, 2, 8, 2, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 2, 8, 2, 8, 2, 8, 2, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 10, 10, 10, 10, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 10, 10, 10, 10, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 10, 10, 8, 12, 10, 10, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 10, 10, 8, 12, 10, 10, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 8, 12, 8, 12, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 8, 12, 8, 12, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 8, 12, 8, 12, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 8, 12, 8, 12, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 8, 12, 8, 12, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 8, 12, 8, 12, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 8, 12, 8, 12, 4, 4, 4, 4, 4, 4, 4, 4,
	8, 12, 8, 12, 8, 12, 8, 12, 4, 4, 4, 4, 4, 4, 4, 4,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
};
INLINE u8 lookup_admission(u32 key) { return x_admission[key & 0x7ff]; }

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

/* table pipe.Egress.stamp.outputs, stamp.p4:137 */
enum {
	a_outputs_up,
	a_outputs_down,
	a_outputs_NoAction,
};
union value_outputs {
	u32 action;
	struct {
		u32 action; /* a_outputs_up */
		u64 mac; /* 48 bits */
		u32 ip;
		u8 lanes; /* 4 bits */
		u8 commit_lanes; /* 4 bits */
	} up;
	struct {
		u32 action; /* a_outputs_down */
		u64 mac; /* 48 bits */
		u32 ip;
		u8 lanes; /* 4 bits */
		u8 commit_lanes; /* 4 bits */
	} down;
	u64 size[4];
};
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 512); __uint(map_flags, BPF_F_MMAPABLE); __type(key, u32); __type(value, union value_outputs); }
	t_outputs SEC(".maps"); /* no entry where the action is 0, else the action + 1 */
INLINE union value_outputs *lookup_outputs(const u32 *key)
{
	union value_outputs *value = bpf_map_lookup_elem(&t_outputs, key);
	if (value && !value->action)
		value = 0;
	return value;
}

/* Counters by ig_intr_md.ingress_port: of each CPU, row by row. */
struct c_by_ingress_port {
	struct p4_counter port_rx; /* counter pipe.Ingress.port_rx */
	struct p4_counter refused; /* counter pipe.Ingress.refused */
} __attribute__((aligned(32)));
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 512); __type(key, u32); __type(value, struct c_by_ingress_port); }
	c_by_ingress_port SEC(".maps"); /* as many for each CPU: who loads it says so */

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

/* Counters by eg_intr_md.egress_port: of each CPU, row by row. */
struct c_by_egress_port {
	struct p4_counter port_tx; /* counter pipe.Egress.port_tx */
	struct p4_counter unlinked; /* counter pipe.Egress.stamp.unlinked */
} __attribute__((aligned(32)));
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 512); __type(key, u32); __type(value, struct c_by_egress_port); }
	c_by_egress_port SEC(".maps"); /* as many for each CPU: who loads it says so */

/* Counters by hdr.bridge.ingress_port: of each CPU, row by row. */
struct c_limited {
	struct p4_counter limited; /* counter pipe.Egress.punt.limited */
} __attribute__((aligned(16)));
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 512); __type(key, u32); __type(value, struct c_limited); }
	c_limited SEC(".maps"); /* as many for each CPU: who loads it says so */

struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 8192); __type(key, u32); __type(value, struct p4_meter); }
	m_punt_rate SEC(".maps"); /* meter pipe.Egress.punt.punt_rate */
