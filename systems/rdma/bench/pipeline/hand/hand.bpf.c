//go:build ignore

/* The baseline of the benchmarks: two pipelines written by hand in C, as one
 * would without P4.
 *
 *   plain_*   parse Ethernet and IPv4, look up the destination, redirect. What
 *             any XDP forwarder does at the least.
 *   hand_*    what p4/rdma/rdma.p4 does with a group's packets: scatter and gather with
 *             quorum, credits, key and bounds checks, counters, and ICRC-neutral
 *             rewriting.
 *
 * They use the run-time support of generated C for what is not forwarding logic
 * (maps of ports and groups, metadata, counting copies).
 */
#include "p4xdp.h"
#include "p4xdp_meter.h"

struct eth { u8 dst[6], src[6]; u16 type; };
struct ip { u8 vihl, tos; u16 len, id, frag; u8 ttl, proto; u16 check; u32 src, dst; };
struct udp { u16 sport, dport, len, check; };
struct bth { u8 op, flags; u16 pkey; u32 qp, psn; };
struct reth { u32 va_hi, va_lo, rkey, len; };

#define swap16 __builtin_bswap16
#define swap32 __builtin_bswap32
#define swap64 __builtin_bswap64

struct bridge { u8 kind, syndrome; u16 reason, port, group; u32 psn, icrc; };
struct meta { struct p4_meta p4; struct bridge b; };

struct qp_key { u32 src, dst, qp, port_group; };
struct qp_value {
	u32 role; /* 1 scatter, 2 gather */
	u32 rkey, region_mask, delta, icrc;
	u16 group, mcast, leader_port;
	u8 slot, members, f, pad[3];
};
struct endpoint { u64 base; u32 dst_ip, dst_qp, delta, rkey, icrc, icrc_rkey; u8 smac[6], dmac[6]; u32 neutral; };
struct leader { u32 dst_ip, dst_qp; u8 smac[6], dmac[6]; u32 neutral; };
/* held: PSN in the high half; the low one is not 0 when the slot is out. credit: the
 * PSN that was last spoken of, and the code. */
struct group_state { u64 held[8], credit[8]; u32 committed, sent; };

struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 36864); __type(key, struct qp_key); __type(value, struct qp_value); } qps SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 32768); __type(key, u32); __type(value, struct endpoint); } endpoints SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, u32); __type(value, struct leader); } leaders SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4096); __type(key, u32); __type(value, struct group_state); } states SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, u32[11][256]); } fixes SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, u32); __type(value, u32); } routes SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, u32[8][256]); } crcs SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, u32); } port_groups SEC(".maps"); /* 0: the port's own */
/* The regions of a group beside its first one. */
struct region_key { u32 prefix; u16 group; u8 va[4]; u8 pad[2]; };
struct region { u32 minus_end; u16 mcast; u16 pad; };
struct { __uint(type, BPF_MAP_TYPE_LPM_TRIE); __uint(max_entries, 4096); __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, struct region_key); __type(value, struct region); } regions SEC(".maps");
/* ECN: how long a queue may be, and a queue that nothing waits in. */
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, u32); } queue_limit SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, struct p4_meter); } virtual_queue SEC(".maps");

#define COUNTER(name, n) struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, n); __type(key, u32); __type(value, struct p4_counter); } name SEC(".maps")
COUNTER(rx, 512);
COUNTER(tx, 512);
COUNTER(marked, 512);
COUNTER(scattered, 4096);
COUNTER(gathered, 4096);
COUNTER(answered, 4096);
COUNTER(naks, 4096);

INLINE u16 ip_sum(struct ip *ip)
{
	u32 *w = (void *)ip;
	u64 sum = (u64)w[0] + w[1] + w[2] + w[3] + w[4];
	return csum_fold(sum);
}

/* Is a at least b, circularly? */
INLINE int reached(u32 a, u32 b) { return (s32)(a - b) >= 0; }

/* Is the ICRC of an ACK right? It ends 62 bytes behind the frame's beginning. */
INLINE int intact(u8 *data)
{
	u32 zero = 0, crc = 0xdebb20e3; /* behind eight bytes of ones */
	const u32 (*t)[256] = bpf_map_lookup_elem(&crcs, &zero);
	if (!t)
		return 0;
#define W(at) ((u32)raw32(data + (at)))
	crc = crc32_8(t, crc ^ (W(14) | 0xff00), W(18));
	crc = crc32_8(t, crc ^ (W(22) | 0xffff00ff), W(26));
	crc = crc32_8(t, crc ^ W(30), W(34));
	crc = crc32_8(t, crc ^ (W(38) | 0xffff0000), W(42));
	crc = crc32_8(t, crc ^ (W(46) | 0xff), W(50));
	crc = crc32_8(t, crc ^ W(54), W(58));
#undef W
	return ~crc == 0x2144df1c;
}

#define WINDOW 0x40000000

/* A request of PSN p: moves sent, and puts the slots out that it leaves behind. */
INLINE void request(struct group_state *g, u32 members, u32 p)
{
	u32 edge = p - (WINDOW - 0x100);
	for (int i = 0;; i++) {
		u32 old = READ_ONCE(g->sent);
		if (i == 64 || reached(old, p) || !reached(old, edge))
			return;
		if (__sync_val_compare_and_swap(&g->sent, old, p) == old)
			break;
	}
#pragma unroll
	for (int i = 0; i < 8; i++) {
		if (!(members >> i & 1))
			continue;
		u64 held = READ_ONCE(g->held[i]);
		if (likely(reached(held >> 32, edge)))
			continue;
		__sync_fetch_and_or(&g->held[i], 1);
	}
}

/* Raises a slot to p: 0 when it is out. */
INLINE int raise_slot(u64 *cell, u32 p)
{
	for (int i = 0; i < 64; i++) {
		u64 old = READ_ONCE(*cell);
		if ((u32)old)
			return 0;
		if (reached(old >> 32, p) || __sync_val_compare_and_swap(cell, old, (u64)p << 32) == old)
			return 1;
	}
	return 0;
}

/* Raises the PSN that a slot has spoken of, and sets its credit unless it is a NAK;
 * true when it was there already. */
INLINE int speak(u64 *cell, u32 p, int nak, u32 code)
{
	for (int i = 0; i < 64; i++) {
		u64 old = READ_ONCE(*cell);
		int again = reached(old >> 32, p);
		u64 new = (again ? old >> 32 << 32 : (u64)p << 32) | (nak ? (u32)old : code);
		if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)
			return again;
	}
	return 0;
}

/* Raises the cell to p; false when it was there already. */
INLINE int raise(u32 *cell, u32 p)
{
	for (int i = 0; i < 64; i++) {
		u32 old = READ_ONCE(*cell);
		if (reached(old, p))
			return 0;
		if (__sync_val_compare_and_swap(cell, old, p) == old)
			return 1;
	}
	return 0;
}

INLINE int ingress(struct xdp_md *ctx, u32 port)
{
	if (bpf_xdp_adjust_meta(ctx, (int)(ctx->data - ctx->data_meta) - (int)sizeof(struct meta)))
		return XDP_DROP;
	u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
	struct meta *m = PTR(ctx->data_meta);
	if ((void *)(m + 1) > (void *)data)
		return XDP_DROP;
	u32 length = end - data;
	count(&rx, port, length);
	if (data + 54 > end)
		return XDP_DROP;
	struct eth *eth = (void *)data;
	struct ip *ip = (void *)(data + 14);
	struct udp *udp = (void *)(data + 34);
	struct bth *bth = (void *)(data + 42);
	if (eth->type != swap16(0x0800) || ip->vihl != 0x45 || ip->proto != 17 || ip->frag & swap16(0x3fff) || udp->dport != swap16(4791))
		return XDP_DROP;
	if (ip_sum(ip) != 0xffff)
		return XDP_DROP;
	u32 *of_ports = bpf_map_lookup_elem(&port_groups, &port);
	struct qp_key key = { ip->src, ip->dst, swap32(bth->qp) & 0xffffff, of_ports && *of_ports ? *of_ports : port };
	struct qp_value *qp = bpf_map_lookup_elem(&qps, &key);
	if (!qp)
		return XDP_DROP;
	m->p4.flags = 0;
	m->p4.length = length;
	m->b.port = port;
	m->b.group = qp->group;
	m->b.reason = 0;
	if (qp->role == 1) {
		u8 op = bth->op;
		u32 mcast = qp->mcast;
		if (op > 0x0b)
			return XDP_DROP;
		if (op == 0x06 || op >= 0x0a) {
			struct reth *reth = (void *)(data + 54);
			if ((void *)(reth + 1) > (void *)end)
				return XDP_DROP;
			u32 va = swap32(reth->va_lo), len = swap32(reth->len);
			u32 last = va + len - 1;
			if (reth->rkey != swap32(qp->rkey) || reth->va_hi)
				return XDP_DROP;
			struct region_key key = { .prefix = 48, .group = swap16(qp->group) };
			memcpy(key.va, &reth->va_lo, 4);
			struct region *r = bpf_map_lookup_elem(&regions, &key);
			if (r) {
				if ((s32)(va + len + r->minus_end) > 0 || len >> 31)
					return XDP_DROP;
				mcast = r->mcast;
			} else if (va & qp->region_mask || (len && (last & qp->region_mask || len >> 31))) {
				return XDP_DROP;
			}
		}
		u32 group = qp->group;
		struct group_state *g = bpf_map_lookup_elem(&states, &group);
		if (!g)
			return XDP_DROP;
		request(g, qp->members, swap32(bth->psn) << 8);
		count(&scattered, qp->group, length);
		m->b.kind = 1;
		m->p4.group = mcast;
		m->p4.egress_port = 0;
		m->p4.sequence = next_sequence();
		return forward_multicast(mcast);
	}
	if (bth->op != 0x11 || data + 62 > end || !intact(data))
		return XDP_DROP;
	u8 syndrome = data[54];
	int nak = syndrome >> 5;
	if (nak != 0 && nak != 1 && nak != 3)
		return XDP_DROP;
	u32 p = (swap32(bth->psn) << 8) - qp->delta - (nak ? 0x100 : 0);
	u32 group = qp->group;
	struct group_state *g = bpf_map_lookup_elem(&states, &group);
	if (!g)
		return XDP_DROP;
	u32 sent = READ_ONCE(g->sent);
	if (!reached(sent, p) || reached(sent, p + WINDOW))
		return XDP_DROP;
	count(&gathered, group, length);
	u32 slot = qp->slot & 7, members = qp->members, have = 0;
	if (!raise_slot(&g->held[slot], p))
		return XDP_DROP;
	int again = speak(&g->credit[slot], p, nak, syndrome);
	u8 credit = 0x1f;
#pragma unroll
	for (int i = 0; i < 8; i++) {
		if (!(members >> i & 1))
			continue;
		u64 held = READ_ONCE(g->held[i]);
		have += !(u32)held && reached(held >> 32, p);
		u8 c = READ_ONCE(g->credit[i]);
		credit = c < credit ? c : credit;
	}
	int quorum = have >= qp->f, news = quorum && raise(&g->committed, p);
	u32 committed = 0;
	if (nak) {
		count(&naks, group, length);
		committed = READ_ONCE(g->committed);
	} else if (!quorum || (!news && !again)) { /* too few, or told already: see gather.p4 */
		return XDP_DROP;
	}
	count(&answered, group, length);
	m->b.kind = 2;
	m->b.syndrome = nak ? syndrome : credit;
	m->b.psn = nak ? committed + 0x100 : p;
	m->b.icrc = qp->icrc;
	m->p4.group = 0;
	m->p4.egress_port = qp->leader_port;
	m->p4.sequence = 0;
	return forward_unicast(qp->leader_port);
}

/* What leaves by a port that is congested says so, if its sender can do with it. */
INLINE void mark(struct ip *ip, u32 port, u32 length)
{
	u32 zero = 0, *limit = bpf_map_lookup_elem(&queue_limit, &zero);
	u32 color = METER(virtual_queue, port, bpf_ktime_get_ns(), length);
	u8 ecn = ip->tos & 3;
	if (!limit || ecn == 0 || ecn == 3 || (color == P4_GREEN && *limit))
		return;
	ip->tos |= 3;
	count(&marked, port, length);
}

INLINE int egress(struct xdp_md *ctx, u32 port)
{
	struct meta *m = PTR(ctx->data_meta);
	if ((void *)(m + 1) > PTR(ctx->data))
		return XDP_DROP;
	u32 group = m->p4.group, length = m->p4.length;
	struct bridge b = m->b;
	s32 rid = 0;
	if (group) {
		rid = replication_id(group, m->p4.sequence, port);
		if (rid < 0)
			return XDP_DROP;
	}
	if (bpf_xdp_adjust_meta(ctx, (int)(ctx->data - ctx->data_meta)))
		return XDP_DROP;
	u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
	if (data + 54 > end)
		return XDP_DROP;
	struct eth *eth = (void *)data;
	struct ip *ip = (void *)(data + 14);
	struct udp *udp = (void *)(data + 34);
	struct bth *bth = (void *)(data + 42);
	u32 zero = 0, old_psn = swap32(bth->psn), psn, fix, neutral;
	u32 (*table)[256] = bpf_map_lookup_elem(&fixes, &zero);
	if (!table)
		return XDP_DROP;
	if (b.kind == 1) {
		u32 key = rid;
		struct endpoint *e = bpf_map_lookup_elem(&endpoints, &key);
		if (!e)
			return XDP_DROP;
		memcpy(eth->src, e->smac, 6);
		memcpy(eth->dst, e->dmac, 6);
		ip->src = ip->dst;
		ip->dst = e->dst_ip;
		bth->qp = (bth->qp & swap32(0xff000000)) | swap32(e->dst_qp);
		psn = (old_psn << 8) + e->delta;
		fix = e->icrc;
		neutral = e->neutral;
		u8 op = bth->op;
		if (op == 0x06 || op == 0x0a || op == 0x0b) {
			struct reth *reth = (void *)(data + 54);
			if ((void *)(reth + 1) > (void *)end)
				return XDP_DROP;
			u64 old = (u64)swap32(reth->va_hi) << 32 | swap32(reth->va_lo);
			u64 va = old + e->base, x = old ^ va;
			reth->va_hi = swap32(va >> 32);
			reth->va_lo = swap32(va);
			reth->rkey = swap32(e->rkey);
			fix ^= e->icrc_rkey;
#pragma unroll
			for (int i = 0; i < 8; i++)
				fix ^= table[3 + i][x >> (56 - 8 * i) & 0xff];
		}
	} else {
		u32 key = b.group;
		struct leader *l = bpf_map_lookup_elem(&leaders, &key);
		if (!l || data + 58 > end)
			return XDP_DROP;
		memcpy(eth->src, l->smac, 6);
		memcpy(eth->dst, l->dmac, 6);
		ip->src = ip->dst;
		ip->dst = l->dst_ip;
		bth->qp = (bth->qp & swap32(0xff000000)) | swap32(l->dst_qp);
		psn = b.psn;
		fix = b.icrc ^ table[3][(data[54] ^ b.syndrome) & 0xff];
		data[54] = b.syndrome;
		neutral = l->neutral;
	}
	u32 new_psn = (old_psn & 0xff000000) | psn >> 8, x = old_psn ^ new_psn;
	bth->psn = swap32(new_psn);
	fix ^= table[0][x >> 16 & 0xff] ^ table[1][x >> 8 & 0xff] ^ table[2][x & 0xff];
	udp->check = 0;
	if (neutral) {
		ip->id ^= swap16(fix >> 16);
		udp->sport ^= swap16(fix);
	}
	mark(ip, port, length);
	ip->check = 0;
	ip->check = ~ip_sum(ip);
	count(&tx, port, length);
	return XDP_PASS;
}

SEC("xdp") int hand_ingress(struct xdp_md *ctx)
{
	struct p4_test *t = TEST_FRONT(ctx, sizeof(*t));
	return ingress(ctx, t->ingress_port);
}

SEC("xdp") int hand_egress(struct xdp_md *ctx)
{
	struct meta *m = TEST_FRONT(ctx, sizeof(*m));
	return egress(ctx, m->p4.egress_port);
}

SEC("xdp") int plain_redirect(struct xdp_md *ctx)
{
	u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
	if (data + 34 > end)
		return XDP_DROP;
	struct eth *eth = (void *)data;
	struct ip *ip = (void *)(data + 14);
	if (eth->type != swap16(0x0800) || ip->vihl != 0x45)
		return XDP_DROP;
	u32 dst = ip->dst;
	u32 *port = bpf_map_lookup_elem(&routes, &dst);
	if (!port)
		return XDP_DROP;
	return bpf_redirect_map(&ports, *port, XDP_DROP);
}

/* The same on interfaces, as in p4xdp_main.h. */
SEC("xdp") int hand_port(struct xdp_md *ctx)
{
	u32 port = port_of(ctx->ingress_ifindex);
	if (unlikely(!port))
		return XDP_DROP;
	count_rx(ctx, port - 1);
	return ingress(ctx, port - 1);
}

SEC("xdp/devmap") int hand_copy(struct xdp_md *ctx)
{
	u32 port = port_of(ctx->egress_ifindex);
	if (unlikely(!port))
		return XDP_DROP;
	int verdict = egress(ctx, port - 1);
	if (verdict == XDP_PASS)
		count_tx(ctx, port - 1);
	return verdict;
}

char _license[] SEC("license") = "Dual BSD/GPL";
