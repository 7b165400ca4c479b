//go:build ignore

/* A program that is run many times by BPF_PROG_TEST_RUN finds the packet as the run before
 * has left it. This one makes it anew each time, and then goes on in the program that is
 * measured:
 *
 *   again    the next of `turns` packets, with what is in front of it. From round to round,
 *            numbers in the packet grow (`steps`), and its checksum follows. Then a tail call
 *            to `target`.
 *   nothing  the target that does nothing: what `again` itself costs
 */
#include "p4xdp_types.h"

#define MAX_BYTES 128
#define MAX_FRONT 24
#define MAX_TURNS 4
#define MAX_STEPS 4

struct turn { u8 front[MAX_FRONT]; u8 bytes[MAX_BYTES]; };
/* What is added to the 32 bits at a place: bits of the number of the round. */
struct step { u32 at, right, mask, left; };
struct plan {
	u32 front;      /* bytes in front of the packet */
	u32 length;     /* of a packet, in bytes: from 8 on */
	u32 turns;      /* in a round */
	u32 steps;      /* in use */
	u32 checksum;   /* where the checksum is that has what is stepped in it; RFC 1624 */
	u32 turn;       /* the next */
	u32 round;      /* the number of this round */
	u32 runs;
	struct step step[MAX_STEPS];
	struct turn packets[MAX_TURNS];
};

struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct plan); } plans SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, u32); } target SEC(".maps");

static long (*const bpf_tail_call)(void *ctx, void *map, u32 index) = (void *)BPF_FUNC_tail_call;

/* The place of n bytes in a packet, or 0. */
#define PLACE(data, at, n, end) ({                                            \
	u64 at_ = (at) & (MAX_BYTES - 1);                                     \
	barrier_var(at_);                                                     \
	u8 *place_ = (data) + (at_ & (MAX_BYTES - 1));                        \
	place_ + (n) <= (end) ? place_ : (u8 *)0;                             \
})

/* Makes a number of the packet grow, and has the sum follow. False: it is not in the packet. */
INLINE int grow(u8 *data, u8 *end, struct plan *p, u32 i, u64 *sum)
{
	if (i >= p->steps)
		return 1;
	u32 *at = (u32 *)PLACE(data, p->step[i].at, 4, end);
	if (!at)
		return 0;
	u32 old = *at, add = (p->round >> (p->step[i].right & 31) & p->step[i].mask) << (p->step[i].left & 31);
	u32 now = __builtin_bswap32(__builtin_bswap32(old) + add);
	*at = now;
	*sum += (u64)(u32)~old + now;
	return 1;
}

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
	u8 *data = PTR(ctx->data), *front = PTR(ctx->data_meta), *end = PTR(ctx->data_end);
	if (front + 24 <= data)
		for (u32 i = 0; i < 3; i++)
			((u64 *)front)[i] = ((const u64 *)t->front)[i];
	else if (front + 16 <= data)
		for (u32 i = 0; i < 2; i++)
			((u64 *)front)[i] = ((const u64 *)t->front)[i];
#pragma unroll
	for (u32 i = 0; i < MAX_BYTES / 8; i++)
		if (data + 8 * (i + 1) <= end)
			((u64 *)data)[i] = ((const u64 *)t->bytes)[i];
	/* The last eight bytes, whatever the length is. */
	u64 rest = (p->length - 8) & (MAX_BYTES - 1);
	barrier_var(rest);
	rest &= MAX_BYTES - 8;
	u64 behind = (p->length - 8) & 7;
	barrier_var(behind);
	u8 *last = data + rest + (behind & 7);
	if (last + 8 > end)
		return XDP_ABORTED;
	u64 from = rest + (behind & 7);
	barrier_var(from);
	if (from > MAX_BYTES - 8)
		return XDP_ABORTED;
	*(u64 *)last = *(const u64 *)&t->bytes[from];
	if (front + 8 <= data)
		*(u64 *)front += ++p->runs; /* a time, or a number of the packet */
	if (p->steps) { /* what is added to a number is taken off the checksum */
		u16 *check = (u16 *)PLACE(data, p->checksum, 2, end);
		if (!check)
			return XDP_ABORTED;
		u64 sum = (u16)~*check;
		if (!grow(data, end, p, 0, &sum) || !grow(data, end, p, 1, &sum) || !grow(data, end, p, 2, &sum) || !grow(data, end, p, 3, &sum))
			return XDP_ABORTED;
		sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
		sum = (sum & 0xffff) + (sum >> 16);
		sum = (sum & 0xffff) + (sum >> 16);
		*check = ~(u16)sum;
	}
	p->turn++;
	if (p->turn >= p->turns) {
		p->turn = 0;
		p->round++;
	}
	bpf_tail_call(ctx, &target, 0);
	return XDP_ABORTED;
}

SEC("xdp") int nothing(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
