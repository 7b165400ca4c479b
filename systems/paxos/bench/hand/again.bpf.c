//go:build ignore

/* A program that is run many times by BPF_PROG_TEST_RUN finds the packet as the run before
 * has left it. This one makes it anew each time, and then goes on in the program that is
 * measured:
 *
 *   again    the next of `turns` packets, with what is in front of it; after each round of
 *            them the instance is one higher. Then a tail call to `target`.
 *   nothing  the target that does nothing: what `again` itself costs
 */
#include "p4xdp_types.h"

#define BYTES 102
#define MAX_FRONT 24
#define MAX_TURNS 4
#define INSTANCE 46     /* Ethernet, IPv4, UDP, and four bytes of ours */
#define CHECKSUM 40

struct turn { u8 front[MAX_FRONT]; u8 bytes[BYTES + 2]; };
struct plan {
	u32 front;      /* bytes in front of the packet */
	u32 turns;      /* in a round */
	u32 step;       /* 1: packets have an instance */
	u32 turn;       /* the next */
	u32 round;      /* rounds so far */
	u32 runs;
	struct turn packets[MAX_TURNS];
};

struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct plan); } plans SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, u32); } target SEC(".maps");

static long (*const bpf_tail_call)(void *ctx, void *map, u32 index) = (void *)BPF_FUNC_tail_call;

SEC("xdp") int again(struct xdp_md *ctx)
{
	u32 zero = 0;
	struct plan *p = bpf_map_lookup_elem(&plans, &zero);
	u32 have = ctx->data - ctx->data_meta;
	barrier_var(have);
	if (!p || bpf_xdp_adjust_meta(ctx, (int)have - (int)(p->front & 31)))
		return XDP_ABORTED;
	u64 turn = p->turn & (MAX_TURNS - 1);
	barrier_var(turn);
	struct turn *t = &p->packets[turn & (MAX_TURNS - 1)];
	u8 *data = PTR(ctx->data), *front = PTR(ctx->data_meta);
	if (data + BYTES > (u8 *)PTR(ctx->data_end))
		return XDP_ABORTED;
	if (front + 24 <= data)
		for (u32 i = 0; i < 3; i++)
			((u64 *)front)[i] = ((const u64 *)t->front)[i];
	else if (front + 16 <= data)
		for (u32 i = 0; i < 2; i++)
			((u64 *)front)[i] = ((const u64 *)t->front)[i];
#pragma unroll
	for (u32 i = 0; i < BYTES / 8; i++)
		((u64 *)data)[i] = ((const u64 *)t->bytes)[i];
	*(u32 *)(data + 96) = *(const u32 *)(t->bytes + 96);
	*(u16 *)(data + 100) = *(const u16 *)(t->bytes + 100);
	if (front + 8 <= data)
		*(u64 *)front += ++p->runs; /* a time, or a number of the packet */
	u32 n = p->round;
	if (p->step) { /* RFC 1624: what is added to the instance is taken off the checksum */
		u32 old = __builtin_bswap32(*(u32 *)(data + INSTANCE)), now = old + n;
		u32 sum = (u16)~__builtin_bswap16(*(u16 *)(data + CHECKSUM));
		sum += (u16)~(old >> 16) + (u16)~old + (now >> 16) + (now & 0xffff);
		sum = (sum & 0xffff) + (sum >> 16);
		sum = (sum & 0xffff) + (sum >> 16);
		*(u32 *)(data + INSTANCE) = __builtin_bswap32(now);
		*(u16 *)(data + CHECKSUM) = __builtin_bswap16((u16)~sum);
	}
	p->turn++;
	if (p->turn >= p->turns) {
		p->turn = 0;
		p->round = n + 1;
	}
	bpf_tail_call(ctx, &target, 0);
	return XDP_ABORTED;
}

SEC("xdp") int nothing(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
