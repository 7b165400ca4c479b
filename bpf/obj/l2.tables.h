/* Code generated from l2.p4 by p4xc. DO NOT EDIT.
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
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 16); __type(key, u32); __type(value, struct c_drops); }
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
	struct p4_counter pruned; /* counter pipe.Egress.pruned */
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

struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 1 << 20); }
	digests SEC(".maps"); /* {number of the digest, its fields} */
struct digest_pipe_IngressDeparser_learn_digest { /* pipe.IngressDeparser.learn_digest */
	u32 number; /* 0 */
	u64 mac; /* 48 bits */
	u16 port; /* 9 bits */
};
