/* Meters: two token buckets per cell (RFC 2698), filled when a packet looks at them. */
#ifndef P4XDP_METER_H
#define P4XDP_METER_H

#include "p4xdp_types.h"

/* A token is what a rate of one per second gives in a nanosecond. */
#define P4_METER_UNIT 1000000000ULL

struct p4_bucket {
	u64 rate;   /* tokens per ns */
	u64 full;   /* tokens */
	u64 fill;   /* ns after which an empty one is full */
	u64 tokens;
};

/* A cell of a meter, which all CPUs share. */
struct p4_meter {
	struct bpf_spin_lock lock;
	u32 configured; /* 0: everything is green */
	u64 last;       /* ns: when the buckets were filled */
	struct p4_bucket committed, peak;
};

enum { P4_GREEN = 0, P4_YELLOW = 1, P4_RED = 3 };

/* ns * rate cannot overflow below fill: the control plane sees to it. */
INLINE void fill_bucket(struct p4_bucket *b, u64 ns)
{
	u64 tokens = ns < b->fill ? b->tokens + ns * b->rate : b->full;
	b->tokens = tokens < b->full ? tokens : b->full;
}

/* Gives n packets or bytes to a cell, and returns their colour. */
INLINE u32 meter(void *cells, u32 index, u64 now, u64 n)
{
	struct p4_meter *c = bpf_map_lookup_elem(cells, &index);
	u32 color = P4_GREEN;

	if (!c || !READ_ONCE(c->configured))
		return color;
	n *= P4_METER_UNIT;
	bpf_spin_lock(&c->lock);
	if (now > c->last) {
		fill_bucket(&c->committed, now - c->last);
		fill_bucket(&c->peak, now - c->last);
		c->last = now;
	}
	if (c->peak.tokens < n) {
		color = P4_RED;
	} else {
		c->peak.tokens -= n;
		if (c->committed.tokens < n)
			color = P4_YELLOW;
		else
			c->committed.tokens -= n;
	}
	bpf_spin_unlock(&c->lock);
	return color;
}

#endif
