/* What is counted: packets that the run-time part drops, by reason; the program's
 * counters; frames of ports. */
#ifndef P4XDP_COUNT_H
#define P4XDP_COUNT_H

#include "p4xdp_types.h"

/* Why the run-time part of a pipeline dropped a packet: index into `stats`. */
enum p4_stat {
	P4_NO_METADATA,   /* the driver has no room for XDP metadata */
	P4_NO_PORT,       /* came from an interface that is not a port */
	P4_NO_DESTINATION,/* the program chose neither a port nor a group */
	P4_NO_EGRESS_PORT,/* the program chose a port that does not exist */
	P4_NO_GROUP,      /* the program chose a group that does not exist */
	P4_PARSER_REJECT,
	P4_PROGRAM_DROP,  /* the program set drop_ctl */
	P4_EGRESS_REJECT,
	P4_EGRESS_DROP,
	P4_NO_COPY,       /* a copy that its group does not know */
	P4_NO_HEADROOM,   /* no room to add headers */
	P4_CONTENTION,    /* a register was changed by others all the time */
	P4_DIGEST_LOST,   /* the digest ring is full (the packet goes on) */
	P4_NO_BRIDGE,     /* the program did not emit its bridged header */
	P4_TRACE_LOST,    /* nobody was fast enough to record the packet (it goes on) */
	P4_STATS
};

struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, P4_STATS); __type(key, u32); __type(value, u64); }
	stats SEC(".maps");               /* enum p4_stat -> packets */

INLINE void count_stat(u32 why)
{
	u64 *n = bpf_map_lookup_elem(&stats, &why);
	if (n)
		(*n)++;
}

INLINE int drop(u32 why)
{
	count_stat(why);
	return XDP_DROP;
}

struct p4_counter { u64 packets, bytes; };

INLINE void count(void *counter, u32 index, u32 length)
{
	struct p4_counter *c = bpf_map_lookup_elem(counter, &index);
	if (c) {
		c->packets++;
		c->bytes += length;
	}
}

/* The same for a counter that is a member of records, one per index and CPU: the stride is
 * how many each CPU has, which nobody else writes to. */
#define COUNT(records, size, stride, at, member, length) ({                   \
	u32 count_at = (at);                                                      \
	if (likely(count_at < (size))) {                                          \
		count_at += bpf_get_smp_processor_id() * (stride);                    \
		struct records *count_in = bpf_map_lookup_elem(&records, &count_at);  \
		if (likely(count_in)) {                                               \
			count_in->member.packets++;                                       \
			count_in->member.bytes += (length);                               \
		}                                                                     \
	}                                                                         \
})

/* What has come in and gone out by a port. */
struct p4_port_count { struct p4_counter rx, tx; };
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, struct p4_port_count); }
	port_counts SEC(".maps");         /* port -> frames and bytes of its interface */

INLINE void count_frame(struct p4_counter *c, struct xdp_md *ctx)
{
	c->packets++;
	c->bytes += ctx->data_end - ctx->data;
}

/* A frame that a port has received, or sends. */
INLINE void count_rx(struct xdp_md *ctx, u32 port)
{
	struct p4_port_count *c = bpf_map_lookup_elem(&port_counts, &port);
	if (c)
		count_frame(&c->rx, ctx);
}
INLINE void count_tx(struct xdp_md *ctx, u32 port)
{
	struct p4_port_count *c = bpf_map_lookup_elem(&port_counts, &port);
	if (c)
		count_frame(&c->tx, ctx);
}

#endif
