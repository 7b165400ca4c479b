//go:build ignore

/* The baseline of the benchmark: what p4/onepipe does, as one would write it by hand in C for XDP,
 * for the same packets, with the same checks: checksums, what a port may send, whose the source
 * addresses are, whose the process is, times against barriers, and the registers, which never fall.
 *
 * The least of all inputs is a loop over them. One CPU polls all ports, so nothing is atomic. Tags,
 * routes, ARP and links that join are left out: they are not measured, and a branch that is not
 * taken costs nothing.
 *
 * It uses the run-time support of generated C for what is not forwarding logic (maps of ports and
 * groups, counting copies).
 */
#include "p4xdp.h"

struct eth { u8 dst[6], src[6]; u16 type; };
struct ip { u8 vihl, tos; u16 len, id, frag; u8 ttl, proto; u16 check; u32 src, dst; };
struct udp { u16 sport, dport, len, check; };
struct onepipe { u16 time[3]; u16 barrier[2], commit[2]; u32 op_psn; u16 src, dst, check; } __attribute__((packed));

#define swap16 __builtin_bswap16
#define swap32 __builtin_bswap32

enum { BEACON = 0, DATA = 1, RELIABLE = 2, OPCODES = 7 };
enum { NONE, JOINING, HOST, SWITCH };
enum { UP = 1, DOWN };
#define INPUTS 16
#define OUTPUTS_GROUP 1

/* In front of the packet, from the ingress to the egress. */
struct meta { struct p4_meta p4; u32 path; u32 below[2], all[2]; u32 pad; };
enum { PLAIN, MESSAGE, BEACONS };

struct port { u32 link, place, output, mac_known, promised[2]; u32 ip; u8 mac[8]; };
struct sender { u32 port, ip, process; };
/* Barriers, of inputs and of the switch: below and all. counted: inputs that count, a bit each. */
struct tree { u32 links[INPUTS], counted, below, all; };

struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, struct port); } links SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, u32); __type(value, struct tree); } trees SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, struct sender); __type(value, u32); } senders SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, u64); __type(value, u32); } macs SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, u32); __type(value, u32); } ips SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 64); __type(key, u32); __type(value, u32); } own SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, u64); __type(value, u32); } l2 SEC(".maps");

#define COUNTER(name, n) struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, n); __type(key, u32); __type(value, struct p4_counter); } name SEC(".maps")
COUNTER(rx, 512);
COUNTER(tx, 512);
COUNTER(unraised, 512);
COUNTER(beacons, 512);

INLINE u16 ip_sum(struct ip *ip)
{
	u32 *w = (void *)ip;
	return csum_fold((u64)w[0] + w[1] + w[2] + w[3] + w[4]);
}

INLINE u16 header_sum(struct onepipe *p)
{
	u32 *w = (void *)p;
	return csum_fold((u64)w[0] + w[1] + w[2] + w[3] + w[4] + w[5]);
}

INLINE u32 get(u16 *at) { return (u32)swap16(at[0]) << 16 | swap16(at[1]); }
INLINE void put(u16 *at, u32 v) { at[0] = swap16(v >> 16); at[1] = swap16(v); }

/* Raises an input, and says whether it rose, and whether what the switch promises did. */
INLINE u32 raise(struct tree *t, u32 place, u32 barrier, u32 *below, u32 *all)
{
	u32 rose = 0, counted = t->counted, b = barrier, a = barrier;
	if ((s32)(t->links[place & (INPUTS - 1)] - barrier) < 0) {
		t->links[place & (INPUTS - 1)] = barrier;
		rose = 1;
	}
#pragma unroll
	for (int i = 0; i < INPUTS; i++) {
		u32 v = t->links[i];
		if (counted >> i & 1) {
			if ((s32)(v - a) < 0)
				a = v;
			if (i < INPUTS / 2 && (s32)(v - b) < 0)
				b = v;
		}
	}
	*below = b;
	*all = a;
	if ((s32)(t->below - b) < 0) {
		t->below = b;
		rose |= 2;
	}
	if ((s32)(t->all - a) < 0) {
		t->all = a;
		rose |= 2;
	}
	return rose;
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
	struct onepipe *p = (void *)(data + 42);
	u32 length = end - data;
	count(&rx, port, length);
	m->p4.flags = 0;
	m->p4.length = length;
	m->p4.group = 0;
	m->p4.sequence = 0;
	m->path = PLAIN;
	struct port *at = bpf_map_lookup_elem(&links, &port);
	if (!at || eth->type != swap16(0x0800) || ip->vihl != 0x45 || ip_sum(ip) != 0xffff)
		return XDP_DROP;
	if (ip->proto == 17 && !(ip->frag & swap16(0x3fff)) && (void *)(p + 1) <= (void *)end && udp->dport == swap16(0x8860)) {
		if (udp->check || header_sum(p) != 0xffff)
			return XDP_DROP;
		u32 barrier = get(p->barrier), commit = get(p->commit), op = (u8)p->op_psn >> 4;
		u32 time = ((u32)swap16(p->time[0]) << 26) | (get(&p->time[1]) >> 6);
		if (at->link == NONE || op >= OPCODES || (s32)(barrier - commit) < 0)
			return XDP_DROP;
		if (op != BEACON) {
			struct sender who = { port, ip->src, p->src };
			if (at->link == HOST && !bpf_map_lookup_elem(&senders, &who))
				return XDP_DROP;
			if ((op == DATA && (s32)(time - barrier) < 0) || (op == RELIABLE && (s32)(time - commit) < 0))
				return XDP_DROP;
		}
		u32 zero = 0, one = 1;
		struct tree *be = bpf_map_lookup_elem(&trees, &zero), *c = bpf_map_lookup_elem(&trees, &one);
		if (!be || !c)
			return XDP_DROP;
		u32 rose = raise(be, at->place, barrier, &m->below[0], &m->all[0]);
		rose |= raise(c, at->place, commit, &m->below[1], &m->all[1]);
		if (!(rose & 1))
			count(&unraised, port, length);
		if (op == BEACON) {
			if (!(rose & 2))
				return XDP_DROP;
			m->path = BEACONS;
			m->p4.group = OUTPUTS_GROUP;
			m->p4.egress_port = 0;
			m->p4.sequence = next_sequence();
			return forward_multicast(OUTPUTS_GROUP);
		}
		m->path = MESSAGE;
	}
	u64 mac = 0;
	memcpy(&mac, eth->src, 6);
	u32 *source = bpf_map_lookup_elem(&macs, &mac);
	if (source && *source != port)
		return XDP_DROP;
	source = bpf_map_lookup_elem(&ips, &ip->src);
	if ((source && *source != port) || bpf_map_lookup_elem(&own, &ip->dst))
		return XDP_DROP;
	mac = 0;
	memcpy(&mac, eth->dst, 6);
	u32 *out = bpf_map_lookup_elem(&l2, &mac);
	if (!out)
		return XDP_DROP;
	m->p4.egress_port = *out;
	return forward_unicast(*out);
}

INLINE u32 promise(u32 *held, u32 barrier)
{
	if ((s32)(*held - barrier) >= 0)
		return 0;
	*held = barrier;
	return 1;
}

INLINE int leave(struct xdp_md *ctx, u32 port)
{
	struct meta *m = PTR(ctx->data_meta);
	if ((void *)(m + 1) > PTR(ctx->data))
		return XDP_DROP;
	u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
	u32 length = m->p4.length;
	if (m->path != PLAIN) {
		struct onepipe *p = (void *)(data + 42);
		struct port *at = bpf_map_lookup_elem(&links, &port);
		if ((void *)(p + 1) > (void *)end || !at || !at->output)
			return XDP_DROP;
		u32 *from = at->output == UP ? m->below : m->all;
		u32 rose = promise(&at->promised[0], from[0]) | promise(&at->promised[1], from[1]);
		put(p->barrier, from[0]);
		put(p->commit, from[1]);
		if (m->path == BEACONS) {
			if (!rose)
				return XDP_DROP;
			struct eth *eth = (void *)data;
			struct ip *ip = (void *)(data + 14);
			memcpy(eth->src, at->mac, 6);
			ip->src = at->ip;
			ip->check = 0;
			ip->check = ~ip_sum(ip);
			count(&beacons, port, length);
		}
		p->check = 0;
		p->check = ~header_sum(p);
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
