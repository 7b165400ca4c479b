/* Code generated from l2.p4 by p4xc. DO NOT EDIT.
 *
 * Tables, registers, counters and digests: what lies outside a packet. Of a table there
 * are the numbers of its actions, and unless all its entries are constant:
 *
 *   struct key_T, union value_T  what is looked up, and an action with its parameters
 *   t_T, d_T                     maps: the entries; the default action, if it may change
 *   lookup_T(), default_T()      the value of an entry, 0 if none matches; the default one
 */
#pragma once
#include "p4xdp.h"
#include "p4xdp_meter.h"

/* table pipe.Ingress.reserved, l2.p4:133 */
enum {
	a_reserved_punt,
	a_reserved_bad_source,
	a_reserved_NoAction,
};

/* table pipe.Ingress.source, l2.p4:158 */
enum {
	a_source_known,
	a_source_unknown,
};
union value_source {
	u32 action;
	struct {
		u32 action; /* a_source_known */
		u16 port; /* 9 bits */
	} known;
	struct { u64 before_hit_[1], hit, idle_timeout; }; /* ns; hit: when a packet last matched */
	u64 size[3];
};
struct key_source {
	u64 hdr_ethernet_src; /* 48 bits */
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 16384); __type(key, struct key_source); __type(value, union value_source); }
	t_source SEC(".maps");
INLINE union value_source *lookup_source(const struct key_source *key)
{
	return bpf_map_lookup_elem(&t_source, key);
}

/* table pipe.Ingress.destination, l2.p4:177 */
enum {
	a_destination_forward,
	a_destination_flood,
};
union value_destination {
	u32 action;
	struct {
		u32 action; /* a_destination_forward */
		u16 port; /* 9 bits */
	} forward;
	u64 size[1];
};
struct key_destination {
	u64 hdr_ethernet_dst; /* 48 bits */
};
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 16384); __type(key, struct key_destination); __type(value, union value_destination); }
	t_destination SEC(".maps");
INLINE union value_destination *lookup_destination(const struct key_destination *key)
{
	return bpf_map_lookup_elem(&t_destination, key);
}

/* table pipe.Egress.way_back, l2.p4:262 */
enum {
	a_way_back_prune,
	a_way_back_NoAction,
};

struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, struct p4_counter); }
	c_port_rx SEC(".maps"); /* counter pipe.Ingress.port_rx */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 16); __type(key, u32); __type(value, struct p4_counter); }
	c_drops SEC(".maps"); /* counter pipe.Ingress.drops */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 16); __type(key, u32); __type(value, struct p4_counter); }
	c_punts SEC(".maps"); /* counter pipe.Ingress.punts */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, struct p4_counter); }
	c_port_tx SEC(".maps"); /* counter pipe.Egress.port_tx */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, struct p4_counter); }
	c_pruned SEC(".maps"); /* counter pipe.Egress.pruned */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, struct p4_counter); }
	c_limited SEC(".maps"); /* counter pipe.Egress.punt.limited */
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 8192); __type(key, u32); __type(value, struct p4_meter); }
	m_punt_rate SEC(".maps"); /* meter pipe.Egress.punt.punt_rate */

struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 1 << 20); }
	digests SEC(".maps"); /* {number of the digest, its fields} */
struct digest_pipe_IngressDeparser_learn_digest { /* pipe.IngressDeparser.learn_digest */
	u32 number; /* 0 */
	u64 mac; /* 48 bits */
	u16 port; /* 9 bits */
};
