//go:build ignore

/* The baseline of the benchmark: leader, acceptor and learner of p4/paxos as one would write
 * them by hand in C for XDP, for the same messages, with the same checks: whose address it is,
 * the checksums of IPv4 and UDP, the role's life, the window of the ring, whose the round is,
 * the floor, promises per instance, votes as bits. And L2 forwarding.
 *
 * Each switch has one role of an application here. Phase 1 (PREPARE, FLOOR, QUERY), refusals
 * and answers to the controller are left out: they are not measured, and a branch that is not
 * taken costs nothing.
 *
 * They use the run-time support of generated C for what is not forwarding logic (maps of ports
 * and groups, metadata, counting copies).
 */
#include "p4xdp.h"

struct eth { u8 dst[6], src[6]; u16 type; };
struct ip { u8 vihl, tos; u16 len, id, frag; u8 ttl, proto; u16 check; u32 src, dst; };
struct udp { u16 sport, dport, len, check; };
struct paxos { u8 kind, acceptor, flags, value_len; u32 inst, rnd, vrnd, client, seq; u16 reserved, not_length; };

#define swap16 __builtin_bswap16
#define swap32 __builtin_bswap32

enum { REQUEST = 1, ACCEPT = 4, VOTE = 5, DELIVER = 9 };
enum { LEADER = 1, ACCEPTOR, LEARNER };

/* In front of the packet, from the ingress to the egress. */
struct meta { struct p4_meta p4; u32 plain; u32 pad; };

struct service_key { u32 ip, port; };
struct service { u32 role, app, life; };
struct app {
	u32 life, first, last, next, floor, highest;
	u32 round;              /* LEADER: in which it leads */
	u32 group;              /* of the copies */
	u32 index;              /* ACCEPTOR: which */
	u32 members;            /* LEARNER: of the round */
};
struct round_key { u32 app, round, from; };
struct copy { u32 kind; u8 smac[6], dmac[6]; u32 src, dst, dport; };
struct vote {
	struct bpf_spin_lock lock;
	u32 inst, promised, voted, client, seq, length;
	u32 value[16];
};
struct tally { struct bpf_spin_lock lock; u32 inst, round, bits; };

#define APPS 4
#define RING 16384

struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 64); __type(key, struct service_key); __type(value, struct service); } services SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, APPS); __type(key, u32); __type(value, struct app); } apps SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1024); __type(key, struct round_key); __type(value, u32); } owners SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1024); __type(key, struct round_key); __type(value, u32); } voters SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, APPS * RING); __type(key, u32); __type(value, struct vote); } votes SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, APPS * RING); __type(key, u32); __type(value, struct tally); } tallies SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1024); __type(key, u32); __type(value, struct copy); } rewrites SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, u8[8]); __type(value, u32); } l2 SEC(".maps");

#define COUNTER(name, n) struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, n); __type(key, u32); __type(value, struct p4_counter); } name SEC(".maps")
COUNTER(rx, 512);
COUNTER(tx, 512);
COUNTER(taken, 16);
COUNTER(sent, 1024);


/* The sum of a UDP datagram of ours and its pseudo header, of one of the five lengths. */
#define BODY 70                /* where the value begins */
INLINE int udp_right(u8 *data, u8 *end, struct ip *ip, struct udp *udp)
{
	u32 length = swap16(udp->len), pieces = (length - 36) >> 4;
	if (length < 36 || length > 100 || (length - 36) & 15)
		return 0;
	u64 sum = (u64)ip->src + ip->dst + swap16(17) + udp->len;
	u32 *w = (void *)udp;
#pragma unroll
	for (u32 i = 0; i < 9; i++)
		sum += w[i];
	u32 *v = (void *)(data + BODY);
#define PIECE(i) \
	if (pieces > (i)) { \
		if ((void *)(v + 4 * (i) + 4) > (void *)end) \
			return 0; \
		sum += (u64)v[4 * (i)] + v[4 * (i) + 1] + v[4 * (i) + 2] + v[4 * (i) + 3]; \
	}
	PIECE(0) PIECE(1) PIECE(2) PIECE(3)
#undef PIECE
	return csum_fold(sum) == 0xffff && udp->check;
}

INLINE u16 ip_sum(struct ip *ip)
{
	u32 *w = (void *)ip;
	return csum_fold((u64)w[0] + w[1] + w[2] + w[3] + w[4]);
}

INLINE int multicast(struct meta *m, u32 group)
{
	m->p4.group = group;
	m->p4.egress_port = 0;
	m->p4.sequence = next_sequence();
	return forward_multicast(group);
}

INLINE int lead(struct app *a, struct meta *m, struct paxos *p, struct udp *udp)
{
	u32 inst = 0;
	int i;
	for (i = 0; i < 64; i++) {
		inst = READ_ONCE(a->next);
		if ((s32)(inst - a->last) > 0)
			return XDP_DROP;
		if (__sync_val_compare_and_swap(&a->next, inst, inst + 1) == inst)
			break;
	}
	if (i == 64)
		return XDP_DROP;
	u64 sum = (u16)~udp->check;
	sum += (u64)(u32)~p->inst + (u32)~p->rnd + (u32)~p->vrnd;
	p->inst = swap32(inst);
	p->rnd = swap32(a->round);
	p->vrnd = 0;
	sum += (u64)p->inst + p->rnd;
	sum += (u64)(u16)~((u16 *)p)[1];
	p->flags = 0;
	sum += ((u16 *)p)[1];
	udp->check = ~csum_fold(sum);
	return multicast(m, a->group);
}

INLINE int vote(struct app *a, u32 app, struct meta *m, struct paxos *p, struct ip *ip, struct udp *udp, u8 *data, u8 *end)
{
	u32 inst = swap32(p->inst), round = swap32(p->rnd), pieces = (swap16(udp->len) - 36) >> 4;
	struct round_key key = { app, round, ip->src };
	if (!bpf_map_lookup_elem(&owners, &key))
		return XDP_DROP;
	if ((s32)(a->last - inst) < 0 || (s32)(inst - a->first) < 0)
		return XDP_DROP;
	for (int i = 0; i < 64; i++) {
		u32 old = READ_ONCE(a->highest);
		if ((s32)(old - inst) >= 0 || __sync_val_compare_and_swap(&a->highest, old, inst) == old)
			break;
	}
	if (READ_ONCE(a->floor) > round)
		return XDP_DROP;
	u32 at = app * RING + (inst & (RING - 1));
	struct vote *v = bpf_map_lookup_elem(&votes, &at);
	if (!v)
		return XDP_DROP;
	u32 *from = (void *)(data + BODY);
	u32 client = p->client, seq = p->seq, length = p->value_len, kept = 0;
	bpf_spin_lock(&v->lock);
	if (v->inst != inst || v->promised <= round) {
		kept = 1;
		v->inst = inst;
		v->promised = v->voted = round;
		v->client = client;
		v->seq = seq;
		v->length = length;
#define PIECE(i) \
		if (pieces > (i) && (void *)(from + 4 * (i) + 4) <= (void *)end) \
			memcpy(&v->value[4 * (i)], &from[4 * (i)], 16);
		PIECE(0) PIECE(1) PIECE(2) PIECE(3)
#undef PIECE
	}
	bpf_spin_unlock(&v->lock);
	if (!kept)
		return XDP_DROP;
	u64 sum = (u16)~udp->check;
	sum += (u16)~((u16 *)p)[0];
	p->acceptor = a->index;
	sum += ((u16 *)p)[0];
	udp->check = ~csum_fold(sum);
	return multicast(m, a->group);
}

INLINE int learn(struct app *a, u32 app, struct meta *m, struct paxos *p, struct ip *ip)
{
	u32 inst = swap32(p->inst), round = swap32(p->rnd);
	struct round_key key = { app, round, ip->src };
	u32 *bit = bpf_map_lookup_elem(&voters, &key);
	if (!bit)
		return XDP_DROP;
	if ((s32)(a->last - inst) < 0 || (s32)(inst - a->first) < 0)
		return XDP_DROP;
	u32 at = app * RING + (inst & (RING - 1));
	struct tally *t = bpf_map_lookup_elem(&tallies, &at);
	if (!t)
		return XDP_DROP;
	u32 b = *bit, before = 0, stale = 0;
	bpf_spin_lock(&t->lock);
	if (t->inst != inst || t->round < round) {
		t->inst = inst;
		t->round = round;
		t->bits = b;
	} else if (t->round > round) {
		stale = 1;
	} else {
		before = t->bits;
		t->bits |= b;
	}
	bpf_spin_unlock(&t->lock);
	u32 after = before | b, n = 0, had = 0;
#pragma unroll
	for (int i = 0; i < 8; i++) {
		n += after >> i & 1;
		had += before >> i & 1;
	}
	if (stale || 2 * n <= a->members || (2 * had > a->members && !(p->flags & 1)))
		return XDP_DROP;
	return multicast(m, a->group);
}

INLINE int run(struct xdp_md *ctx, u32 port)
{
	if (bpf_xdp_adjust_meta(ctx, (int)(ctx->data - ctx->data_meta) - (int)sizeof(struct meta)))
		return XDP_DROP;
	u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
	struct meta *m = PTR(ctx->data_meta);
	if ((void *)(m + 1) > (void *)data || data + 34 > end)
		return XDP_DROP;
	struct eth *eth = (void *)data;
	struct ip *ip = (void *)(data + 14);
	struct udp *udp = (void *)(data + 34);
	struct paxos *p = (void *)(data + 42);
	u32 length = end - data;
	count(&rx, port, length);
	m->p4.flags = 0;
	m->p4.length = length;
	m->plain = 1;
	if (eth->type != swap16(0x0800) || ip->vihl != 0x45)
		goto forward;
	if (ip_sum(ip) != 0xffff)
		return XDP_DROP;
	if (ip->proto != 17 || ip->frag & swap16(0x3fff) || (void *)(p + 1) > (void *)end || (udp->dport & swap16(0xfff0)) != swap16(0x8880))
		goto forward;
	struct service_key where = { ip->dst, udp->dport };
	struct service *s = bpf_map_lookup_elem(&services, &where);
	if (!s)
		goto forward;
	u32 app = s->app;
	struct app *a = bpf_map_lookup_elem(&apps, &app);
	if (!a || a->life != s->life || !udp_right(data, end, ip, udp) || (u16)~udp->len != p->not_length)
		return XDP_DROP;
	count(&taken, s->role, length);
	m->plain = 0;
	if (s->role == LEADER && p->kind == REQUEST)
		return lead(a, m, p, udp);
	if (s->role == ACCEPTOR && p->kind == ACCEPT)
		return vote(a, app, m, p, ip, udp, data, end);
	if (s->role == LEARNER && p->kind == VOTE)
		return learn(a, app, m, p, ip);
	return XDP_DROP;
forward:;
	u64 mac = 0;
	memcpy(&mac, eth->dst, 6);
	u32 *out = bpf_map_lookup_elem(&l2, &mac);
	if (!out)
		return XDP_DROP;
	m->p4.group = 0;
	m->p4.egress_port = *out;
	m->p4.sequence = 0;
	return forward_unicast(*out);
}

INLINE int leave(struct xdp_md *ctx, u32 port)
{
	struct meta *m = PTR(ctx->data_meta);
	if ((void *)(m + 1) > PTR(ctx->data))
		return XDP_DROP;
	u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
	u32 length = m->p4.length;
	if (!m->plain) {
		s32 rid = replication_id(m->p4.group, m->p4.sequence, port);
		struct copy *c = rid < 0 ? 0 : bpf_map_lookup_elem(&rewrites, &rid);
		if (!c || data + BODY > end)
			return XDP_DROP;
		struct eth *eth = (void *)data;
		struct ip *ip = (void *)(data + 14);
		struct udp *udp = (void *)(data + 34);
		struct paxos *p = (void *)(data + 42);
		count(&sent, rid, length);
		memcpy(eth->src, c->smac, 6);
		memcpy(eth->dst, c->dmac, 6);
		u64 addresses = (u64)(u32)~ip->src + (u32)~ip->dst + c->src + c->dst;
		ip->src = c->src;
		ip->dst = c->dst;
		ip->check = ~csum_fold(addresses + (u16)~ip->check);
		u64 sum = addresses + (u16)~udp->check + (u16)~udp->dport + (u16)~((u16 *)p)[0];
		udp->dport = c->dport;
		p->kind = c->kind;
		sum += udp->dport + ((u16 *)p)[0];
		u16 check = ~csum_fold(sum);
		udp->check = check ? check : 0xffff;
	}
	count(&tx, port, length);
	return XDP_PASS;
}

SEC("xdp") int hand_ingress(struct xdp_md *ctx)
{
	struct p4_test *t = TEST_FRONT(ctx, sizeof(*t));
	return run(ctx, t->ingress_port);
}

SEC("xdp") int hand_egress(struct xdp_md *ctx)
{
	struct meta *m = TEST_FRONT(ctx, sizeof(*m));
	return leave(ctx, m->p4.egress_port);
}

char _license[] SEC("license") = "Dual BSD/GPL";
