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

/* The colour that a program says. */
INLINE u32 meter_color(u32 color) { return color == P4_GREEN || color == P4_RED ? color : P4_YELLOW; }

/* The bytes of a packet, less what a program says. */
INLINE u64 meter_bytes(u32 length, s32 less)
{
	s64 n = (s64)length - less;
	return n < 0 ? 0 : n;
}

/* Gives n packets or bytes, which have a colour already, to a cell that is configured, and returns their colour. */
INLINE u32 meter_cell(struct p4_meter *c, u64 now, u64 n, u32 has)
{
	u32 color = P4_GREEN;

	n *= P4_METER_UNIT;
	bpf_spin_lock(&c->lock);
	if (now > c->last) {
		fill_bucket(&c->committed, now - c->last);
		fill_bucket(&c->peak, now - c->last);
		c->last = now;
	}
	if (has == P4_RED || c->peak.tokens < n) {
		color = P4_RED;
	} else {
		c->peak.tokens -= n;
		if (has != P4_GREEN || c->committed.tokens < n)
			color = P4_YELLOW;
		else
			c->committed.tokens -= n;
	}
	bpf_spin_unlock(&c->lock);
	return color;
}

/* Gives n packets or bytes to the cell of an index, and returns their colour. Only a cell
 * that is configured asks what time it is. */
#define METER(cells, index, now, n) METER_OF_COLOR(cells, index, now, n, P4_GREEN)
/* The same for a packet that has a colour already. */
#define METER_OF_COLOR(cells, index, now, n, has) ({                          \
	u32 meter_at = (index), meter_has = (has), meter_gets = meter_has;        \
	struct p4_meter *meter_in = bpf_map_lookup_elem(&cells, &meter_at);       \
	if (meter_in && READ_ONCE(meter_in->configured))                          \
		meter_gets = meter_cell(meter_in, now, n, meter_has);                 \
	meter_gets;                                                               \
})

#endif
