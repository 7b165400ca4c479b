/* Low-pass filters and random early detection: dataplane/filter.go has the model. */
#ifndef P4XDP_FILTER_H
#define P4XDP_FILTER_H

#include "p4xdp_types.h"

#define P4_FILTER_MAX ((1ULL << 40) - 1) /* ns */
#define P4_FILTER_SUM ((1ULL << 47) - 1)

/* A cell of a filter, which all CPUs share. */
struct p4_filter {
	struct bpf_spin_lock lock;
	u32 configured;  /* 0: nothing is filtered */
	u64 last;        /* ns: when the average was computed; 0: not yet */
	u64 average;     /* in 1/256 */
	u64 gain, decay; /* ns */
	u32 rate, scale;
	u32 min, max, probability;
	u32 pad;
};

/* x / (dt + t) in 1/2^16. */
INLINE u64 filter_part(u64 x, u64 dt, u64 t) { return dt + t ? (x << 16) / (dt + t) : 1 << 16; }

/* Gives a value to a cell that is configured, and returns the average. */
INLINE u64 filter_cell(struct p4_filter *c, u64 now, u64 value)
{
	u64 average;

	value <<= 8;
	bpf_spin_lock(&c->lock);
	average = c->average;
	if (!c->last) {
		average = value;
	} else {
		u64 dt = now > c->last ? now - c->last : 0;
		if (dt > P4_FILTER_MAX)
			dt = P4_FILTER_MAX;
		if (c->rate) {
			average = (average * filter_part(c->decay, dt, c->decay) >> 16) + value;
			if (average > P4_FILTER_SUM)
				average = P4_FILTER_SUM;
		} else if (value >= average) {
			average += (value - average) * filter_part(dt, dt, c->gain) >> 16;
		} else {
			average -= (average - value) * filter_part(dt, dt, c->decay) >> 16;
		}
	}
	c->average = average;
	if (now > c->last)
		c->last = now;
	bpf_spin_unlock(&c->lock);
	return average;
}

/* What a filter makes of a value; most is the largest number of its type. */
INLINE u64 filter_result(struct p4_filter *c, u64 average, u64 most)
{
	u64 result = average >> 8 >> (c->scale & 63);
	return result < most ? result : most;
}

INLINE u32 filter_drops(struct p4_filter *c, u64 average)
{
	u64 avg = average >> 8, min = READ_ONCE(c->min), max = READ_ONCE(c->max);
	if (avg >= max)
		return 1;
	if (avg < min)
		return 0;
	return (bpf_get_prandom_u32() & 0xffff) < c->probability * (avg - min) / (max - min);
}

/* The value that a cell makes of one. Only a cell that is configured asks what time it is. */
#define LPF(cells, index, now, value, most) ({                                \
	u32 filter_at = (index);                                                  \
	u64 filter_value = (value);                                               \
	struct p4_filter *filter_in = bpf_map_lookup_elem(&cells, &filter_at);    \
	if (filter_in && READ_ONCE(filter_in->configured))                        \
		filter_value = filter_result(filter_in, filter_cell(filter_in, now, filter_value), most); \
	filter_value;                                                             \
})

/* Which of two numbers a cell answers to a value. */
#define WRED(cells, index, now, value, drop, no_drop) ({                      \
	u32 filter_at = (index);                                                  \
	u32 filter_answer = (no_drop);                                            \
	struct p4_filter *filter_in = bpf_map_lookup_elem(&cells, &filter_at);    \
	if (filter_in && READ_ONCE(filter_in->configured) && filter_drops(filter_in, filter_cell(filter_in, now, value))) \
		filter_answer = (drop);                                               \
	filter_answer;                                                            \
})

#endif
