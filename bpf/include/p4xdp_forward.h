/* Ports, multicast groups and copies: how a packet gets from the ingress to the egress
 * program, and which copy it is there. */
#ifndef P4XDP_FORWARD_H
#define P4XDP_FORWARD_H

#include "p4xdp_count.h"

/* What a packet carries from the ingress to the egress program: in front of
 * the packet, in its XDP metadata, followed by the bridged header. */
struct p4_meta {
	u64 sequence;     /* of the packet among those that this CPU handled */
	u16 group;        /* multicast group, 0 for unicast */
	u16 egress_port;  /* unicast; in a test run, the port of the copy */
	u16 flags;        /* P4_BYPASS, P4_TO_PORT */
	u16 length;       /* of the frame as it came in */
};

#define P4_BYPASS 1  /* the egress leaves the packet alone */
#define P4_TO_PORT 2 /* the packet goes to egress_port as well as to the group */
#define P4_NOWHERE 511 /* the number of an egress port that is none */

struct { __uint(type, BPF_MAP_TYPE_DEVMAP_HASH); __uint(max_entries, 512); __uint(key_size, 4); __uint(value_size, 8); }
	ports SEC(".maps");               /* port -> {interface, egress program} */

/* Where copies go: {how many-th copy -> {interface, egress program}}. Groups whose copies
 * go to the same ports in the same order share one. */
struct p4_destinations { __uint(type, BPF_MAP_TYPE_DEVMAP_HASH); __uint(max_entries, 16); __uint(key_size, 4); __uint(value_size, 8); };
struct { __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); __uint(max_entries, 16384); __uint(key_size, 4); __array(values, struct p4_destinations); }
	destinations SEC(".maps");

/* A multicast group: one cache line, in which both programs find all they ask for. */
#define P4_FEW_COPIES 14
struct p4_group {
	u32 destinations; /* their number + 1; 0: there is no such group */
	u32 copies;       /* how many; more than P4_FEW_COPIES are in the map copies */
	struct { u16 port, rid; } copy[P4_FEW_COPIES]; /* in the order in which they leave; port 0xffff: none */
};
_Static_assert(sizeof(struct p4_group) == 64, "a cache line");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 16384); __type(key, u32); __type(value, struct p4_group); }
	groups SEC(".maps");              /* multicast group -> its copies */

/* Where a packet goes that goes to a port and a group: every port has an entry here
 * for the first, and as many as any group has copies for it. Each copy finds out in the
 * egress whether it is one of those that are wanted. */
struct { __uint(type, BPF_MAP_TYPE_DEVMAP_HASH); __uint(max_entries, 1024); __uint(key_size, 4); __uint(value_size, 8); }
	spread SEC(".maps");              /* how many-th copy * 512 + port -> {interface, egress program} */

struct p4_copy { u16 group; u16 port; u32 index; };
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 131072); __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, struct p4_copy); __type(value, u32); }
	copies SEC(".maps");              /* of large groups: (group, port, how many-th copy there) -> how many-th of the group << 16 | replication id */

struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 65536); __type(key, u32); __type(value, u32); }
	interfaces SEC(".maps");          /* interface index -> port + 1 */

/* Which copy of a packet a port has seen last. */
struct p4_seen {
	u64 sequence;
	u64 index;
};
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, struct p4_seen); }
	seen SEC(".maps");                /* port -> the last copy it sent */

struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, u64); }
	sequence SEC(".maps");            /* the last sequence number of this CPU */

/* Port number of an interface + 1, or 0. */
INLINE u32 port_of(u32 ifindex)
{
	u32 *port = bpf_map_lookup_elem(&interfaces, &ifindex);
	return port ? *port : 0;
}

INLINE u64 next_sequence(void)
{
	u32 zero = 0;
	u64 *n = bpf_map_lookup_elem(&sequence, &zero);
	return n ? ++*n : 0;
}

/* How many-th copy of a packet for a port this is, from 0. Negative: not known. */
INLINE s32 copy_index(u64 seq, u32 port)
{
	struct p4_seen *last = bpf_map_lookup_elem(&seen, &port);
	if (!last)
		return -1;
	u32 index = 0;
	if (last->sequence == seq)
		index = (u32)last->index + 1;
	last->sequence = seq;
	last->index = index;
	return (s32)index;
}

INLINE struct p4_group *group_of(u32 group) { return bpf_map_lookup_elem(&groups, &group); }

/* The replication id of a group's copy for a port. Negative: the group has none. */
GLOBAL s32 rid_of(u32 group, u32 port, u32 index)
{
	struct p4_group *g = group_of(group);
	if (!g)
		return -1;
	if (unlikely(g->copies > P4_FEW_COPIES)) {
		struct p4_copy copy = { .group = group, .port = port, .index = index };
		u32 *rid = bpf_map_lookup_elem(&copies, &copy);
		return rid ? (s32)(*rid & 0xffff) : -1;
	}
	for (u32 i = 0; i < P4_FEW_COPIES; i++)
		if (g->copy[i].port == port && !index--)
			return g->copy[i].rid;
	return -1;
}

/* The replication id of the copy that is now leaving through a port: copies
 * of one packet leave a port in the order in which the group lists them, one
 * after the other on one CPU. Negative: the group does not know it. */
INLINE s32 replication_id(u16 group, u64 seq, u16 port)
{
	s32 index = copy_index(seq, port);
	return index < 0 ? -1 : rid_of(group, port, index);
}

/* The same for a packet that goes to a port as well, with id 0: that copy is the first
 * at every port. Negative: nobody wants this one. */
INLINE s32 replication_id_or_port(u16 group, u64 seq, u16 port, u16 unicast)
{
	s32 index = copy_index(seq, port);
	if (index <= 0)
		return index == 0 && port == unicast ? 0 : -1;
	return rid_of(group, port, index - 1);
}

/* Sends a packet that has its metadata to a port, or to a group. */
INLINE int forward_unicast(u32 port)
{
	int verdict = bpf_redirect_map(&ports, port, XDP_DROP);
	if (unlikely(verdict != XDP_REDIRECT))
		count_stat(P4_NO_EGRESS_PORT);
	return verdict;
}

INLINE int forward_multicast(u32 group)
{
	struct p4_group *g = group_of(group);
	u32 number = g ? g->destinations - 1 : -1;
	void *to = bpf_map_lookup_elem(&destinations, &number);
	if (unlikely(!to))
		return drop(P4_NO_GROUP);
	return bpf_redirect_map(to, 0, BPF_F_BROADCAST);
}

INLINE int forward_both(u32 port)
{
	if (unlikely(!bpf_map_lookup_elem(&ports, &port)))
		count_stat(P4_NO_EGRESS_PORT);
	return bpf_redirect_map(&spread, 0, BPF_F_BROADCAST);
}

#endif
