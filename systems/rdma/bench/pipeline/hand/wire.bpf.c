//go:build ignore

/* What is around a switch that is measured on interfaces: who sends, who receives, and
 * the kernel's own way to copy a packet.
 *
 *   generate     sends the packet that `sent` has for this CPU, by live frames of
 *                BPF_PROG_RUN, each time to the next of its groups
 *   sink         takes packets away, and counts them
 *   pass, clone  XDP_PASS and, in TC, a copy for every interface of `copies_to`
 */
#include "p4xdp_types.h"
#include <linux/pkt_cls.h>

#define MAX_BYTES 240
#define SLOTS 64

/* A packet for group 0, and how it differs for others, a power of two of them: their
 * number is added to the QP, and a CRC is linear, so that the ICRC for group 64 * i + k is
 * that of the first XOR high[i] ^ low[k]. Requests have the next PSN in each round; ACKs
 * say the same again. */
struct packet {
	u32 length;
	u32 groups;
	u32 next;
	u32 ack;                /* ends behind an AETH, and has an ICRC to mend */
	u32 low[SLOTS], high[SLOTS];
	u8 bytes[MAX_BYTES];
};

struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1024); __type(key, u32); __type(value, struct packet); } sent SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, u64); } sunk SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 16); __type(key, u32); __type(value, u32); } copies_to SEC(".maps");

static long (*const bpf_clone_redirect)(struct __sk_buff *skb, u32 ifindex, u64 flags) = (void *)BPF_FUNC_clone_redirect;

#define HEADERS 72 /* at least: Ethernet, IPv4, UDP, BTH, RETH */

SEC("xdp") int generate(struct xdp_md *ctx)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct packet *p = bpf_map_lookup_elem(&sent, &cpu);
	u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
	if (!p || data + HEADERS > end)
		return XDP_ABORTED;
	/* A frame comes back as the switch has made it: put its headers back. */
	for (u32 i = 0; i < HEADERS / 8; i++)
		((u64 *)data)[i] = ((const u64 *)p->bytes)[i];
	/* Once in a round every group has its turn, in an order that no prefetcher knows. */
	u32 n = p->next++, group = n * 2654435761 >> 7 & (p->groups - 1);
	u32 *qp = (u32 *)(data + 46), *psn = (u32 *)(data + 50), *icrc = (u32 *)(data + 58);
	*qp = __builtin_bswap32(__builtin_bswap32(*qp) + group);
	if (p->ack)
		*icrc ^= p->low[group & (SLOTS - 1)] ^ p->high[group / SLOTS & (SLOTS - 1)];
	else
		*psn = __builtin_bswap32(__builtin_bswap32(*psn) + n / p->groups);
	return XDP_TX;
}

SEC("xdp") int sink(struct xdp_md *ctx)
{
	u32 zero = 0;
	u64 *n = bpf_map_lookup_elem(&sunk, &zero);
	if (n)
		++*n;
	return XDP_DROP;
}

SEC("xdp") int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("tc") int clone(struct __sk_buff *skb)
{
	for (u32 i = 0; i < 16; i++) {
		u32 key = i;
		u32 *to = bpf_map_lookup_elem(&copies_to, &key);
		if (!to || !*to)
			break;
		bpf_clone_redirect(skb, *to, 0);
	}
	return TC_ACT_SHOT;
}

SEC("tc") int tc_sink(struct __sk_buff *skb)
{
	u32 zero = 0;
	u64 *n = bpf_map_lookup_elem(&sunk, &zero);
	if (n)
		++*n;
	return TC_ACT_SHOT;
}

char _license[] SEC("license") = "Dual BSD/GPL";
