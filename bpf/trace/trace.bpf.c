//go:build ignore

/* Copies packets as the pipeline sees them: what comes into the ingress program
 * and what leaves the egress program. Attached with fentry and fexit, so that a
 * switch that nobody traces pays nothing.
 */
#include "p4xdp_types.h"

struct net_device { int ifindex; } __attribute__((preserve_access_index));
struct xdp_rxq_info { struct net_device *dev; } __attribute__((preserve_access_index));
struct xdp_txq_info { struct net_device *dev; } __attribute__((preserve_access_index));
struct xdp_buff {
	void *data;
	void *data_end;
	struct xdp_rxq_info *rxq;
	struct xdp_txq_info *txq;
} __attribute__((preserve_access_index));

/* In front of each packet. */
struct trace_event {
	u64 time;    /* ns since boot */
	u32 ifindex;
	u32 length;  /* of the packet */
	u32 out;     /* 0: came in, 1: goes out */
	u32 reserved;
};

struct { __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY); __uint(key_size, 4); __uint(value_size, 4); }
	events SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, u64); }
	lost SEC(".maps"); /* packets that the reader was too slow for */

static long (*const bpf_xdp_output)(void *ctx, void *map, u64 flags, void *data, u64 size) = (void *)BPF_FUNC_xdp_output;

INLINE int emit(struct xdp_buff *xdp, u32 ifindex, u32 out)
{
	u32 length = (u32)(xdp->data_end - xdp->data);
	struct trace_event event = { .time = bpf_ktime_get_ns(), .ifindex = ifindex, .length = length, .out = out };
	if (bpf_xdp_output(xdp, &events, (u64)length << 32 | BPF_F_CURRENT_CPU, &event, sizeof(event))) {
		u32 zero = 0;
		u64 *n = bpf_map_lookup_elem(&lost, &zero);
		if (n)
			(*n)++;
	}
	return 0;
}

/* ctx[0] is the argument of the traced program, ctx[1] (fexit) its result. */
SEC("fentry/ingress") int trace_in(u64 *ctx)
{
	struct xdp_buff *xdp = (void *)ctx[0];
	return emit(xdp, xdp->rxq->dev->ifindex, 0);
}

SEC("fexit/egress") int trace_out(u64 *ctx)
{
	struct xdp_buff *xdp = (void *)ctx[0];
	if ((int)ctx[1] != XDP_PASS)
		return 0;
	return emit(xdp, xdp->txq->dev->ifindex, 1);
}

char _license[] SEC("license") = "Dual BSD/GPL";
