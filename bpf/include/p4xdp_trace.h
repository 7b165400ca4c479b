/* Packet traces. */
#ifndef P4XDP_TRACE_H
#define P4XDP_TRACE_H

#include "p4xdp_count.h"

/* Set before the program is loaded; while it is 0, the verifier
 * takes the tracing out of the program. */
volatile const u32 p4_trace = 0;

struct { __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY); __uint(key_size, 4); __uint(value_size, 4); }
	traces SEC(".maps");              /* struct p4_trace_event, then the packet */

/* In front of each packet of a trace. */
struct p4_trace_event {
	u64 time;     /* ns since boot */
	u32 length;   /* of the packet */
	u16 port;
	u16 out;      /* 0: it came in, 1: it goes out */
};

INLINE void trace(struct xdp_md *ctx, u32 port, u32 out)
{
	if (!p4_trace)
		return;
	u32 length = ctx->data_end - ctx->data;
	struct p4_trace_event event = { .time = bpf_ktime_get_ns(), .length = length, .port = port, .out = out };
	if (bpf_perf_event_output(ctx, &traces, (u64)length << 32 | BPF_F_CURRENT_CPU, &event, sizeof(event)))
		count_stat(P4_TRACE_LOST);
}

#endif
