//go:build ignore

/* The baseline of the benchmark: what p4/amcast does with START, PROP and ACK, and with packets that
 * it only forwards, as one would write it by hand in C for XDP. It has the same checks: checksums of
 * IPv4 and of our header, lengths, whose the role is, its life, who may start, propose and
 * acknowledge and by which port, destinations, epochs, windows, laps, what a number was used for;
 * of what is forwarded, what a port may send and whose the source addresses are. What P4 counts is
 * counted, and START is refused with the same answers.
 *
 * Left out are ASK and LOOK of replicas, packets to and from the controller, ARP, tags, IPv4 with
 * options, IPv6 and routes: they are dropped. They are not measured, and a branch that is not taken
 * costs nothing.
 *
 * What is different, because a person knows what a table does not say:
 *   - A switch has one address. A role is a UDP port of it, and roles are an array by port.
 *   - Hosts and clients have one address. Each group has one leader and at most five members, in one epoch. So
 *     clients, leaders and members are arrays, and only what a kind of message needs is looked up.
 *   - A new message of a deliverer's cell, or a new epoch, clears all acknowledgements of the old one.
 *     So they need no tags of their own. (Destinations of a message do not change, and epochs only
 *     rise: what was cleared does not come back.)
 *   - Where P4 has one lock, a role has one for what a member remembers, and a cell of a deliverer
 *     one for what it counts.
 *
 * It uses the run-time support of generated C for what is not forwarding logic (maps of ports and
 * groups, counting copies). Numbers that are only compared are as on the wire.
 */
#include "p4xdp.h"

struct eth { u8 dst[6], src[6]; u16 type; };
struct ip { u8 vihl, tos; u16 len, id, frag; u8 ttl, proto; u16 check; u32 src, dst; };
struct udp { u16 sport, dport, len, check; };
struct amcast {
	u8 kind, flags, from, by;
	u32 groups;
	u16 client;
	u8 member, slots; /* of from, of by: four bits each */
	u32 number, epoch, lts, seq, by_epoch, clock, mark, digest;
	u16 len, check;
};

#define swap16 __builtin_bswap16
#define swap32 __builtin_bswap32

enum { START = 1, PROP, ACK, DELIVER, MARK, ASK, LOOK = 8, REFUSED = 10 };
enum { AGAIN = 1, WATERMARK = 2 };
enum { NOBODY, MEMBER, DELIVERER };
enum { FAMILY_IPV4 = 1 };
#define RING_HERE 0x80000000
#define OVERHEAD 56

/* What is counted: taken, drops, refusals. Numbers of types.p4. */
enum { ACT_NONE, ACT_START, ACT_OWN, ACT_OTHER, ACT_ACK };
enum {
	MALFORMED = 1, IP_CHECKSUM, HEADER_CHECKSUM, UDP_CHECKSUM, OWN_ADDRESS, MESSAGE, NO_ROLE, AMNESIA, GROUPS, CLIENT, WINDOW, LAP,
	PORT_FAMILY = 14, FOREIGN_SOURCE, REUSED, PROPOSER, ACKER, EPOCH,
};

/* In front of the packet, from the ingress to the egress. */
struct meta { struct p4_meta p4; u32 became; u32 pad; };
enum { TO_MEMBERS = 1, TO_DELIVERERS = 2, TO_REPLICAS = 4, ANSWER = 8, PLAIN = 128 };

#define ROLES 8
#define CELLS 4096         /* of a role */
#define CELL(role, client, number) ((role) << 12 | ((client) & 255) << 4 | ((number) & 15))

struct role {
	u32 lock, clock, mark, life; /* what a member remembers of the group, and the life that the switch knows */
	u32 given;         /* the life that the controller gave with the role */
	u32 epoch;
	u16 replicas;      /* multicast group */
	u8 at, group, leads, member, pad[2];
};
struct cell { u32 number, epoch, groups, digest, lts, seq; };
struct place { u32 seq, what; };
struct tally { u32 lock, number, epochs, final, acks[4]; u16 reached, pad[3]; };

/* Somebody with an address, by a port group. */
INLINE u64 who(u32 ip, u32 port_group) { return 1ULL << 48 | (u64)port_group << 32 | ip; }
struct leader { u64 who; u32 epoch, own; };
struct members { u64 who[5]; u32 epoch, count, watermark, pad; }; /* the leader is the first */
struct gate { u16 port_group; u8 refused, pad; };                 /* what a port leads to, and may not send */

struct set_key { u32 groups, role; };
struct set { u32 epochs[4], sum; u16 props, acks; u8 slot, count, pad[2]; };
struct replica { u64 who; u32 role, pad; };
struct copy { u8 macs[12]; u32 addresses[2]; u16 dport; u8 want, kind; }; /* kind 0: as it is */

struct role roles[ROLES];                  /* by UDP port */
struct cell cells[ROLES * CELLS];
struct place ring[ROLES * CELLS];
struct tally tallies[ROLES * CELLS];
u64 clients[256];
struct leader leaders[ROLES * 256];        /* role, group -> who proposes */
struct members members[ROLES * 256];       /* role, group -> who acknowledges */
struct gate gates[512];
struct copy rewrites[4096];                /* by replication id */
u32 own;                                   /* the switch's address */

struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, struct set_key); __type(value, struct set); } sets SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1024); __type(key, struct replica); __type(value, u32); } replicas SEC(".maps");
/* Hosts and switches: the port group that they are behind, or that it is this switch; the port that leads there; and their address. */
struct host { u32 port_group, port, ip; };
#define OURSELVES 0x10000
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, u64); __type(value, struct host); } hosts SEC(".maps");
/* The port group that an address is behind. */
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, u32); __type(value, u32); } ips SEC(".maps");

#define COUNTER(name, n) struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, n); __type(key, u32); __type(value, struct p4_counter); } name SEC(".maps")
COUNTER(rx, 512);
COUNTER(tx, 512);
COUNTER(taken, 16);
COUNTER(drops, 32);
COUNTER(refusals, 32);
COUNTER(sent, 4096);

INLINE u16 ip_sum(struct ip *ip)
{
	u32 *w = (void *)ip;
	return csum_fold((u64)w[0] + w[1] + w[2] + w[3] + w[4]);
}

INLINE u64 words(struct amcast *p)
{
	u32 *w = (void *)p;
	return (u64)w[0] + w[1] + w[2] + w[3] + w[4] + w[5] + w[6] + w[7] + w[8] + w[9] + w[10];
}

INLINE u16 header_sum(struct amcast *p) { return csum_fold(words(p) + ((u32 *)p)[11]); }
INLINE u16 header_sum_but_check(struct amcast *p) { return csum_fold(words(p) + p->len); }

GLOBAL u32 wait_for(u32 *lock)
{
	if (!lock)
		return 0;
	for (u32 tries = 0; tries < 2048; tries++)
		if (READ_ONCE(*lock) == 0 && __sync_val_compare_and_swap(lock, 0, 1) == 0)
			return 1;
	return 0;
}

INLINE u32 lock(u32 *lock) { return likely(__sync_val_compare_and_swap(lock, 0, 1) == 0) || wait_for(lock); }
INLINE void unlock(u32 *lock) { __sync_lock_test_and_set(lock, 0); }

INLINE int dropped(void *counter, u32 why, u32 length)
{
	count(counter, why, length);
	return drop(P4_PROGRAM_DROP);
}

/* Back to who has sent it. */
INLINE int refuse(struct meta *m, struct amcast *p, u32 port, void *counter, u32 why)
{
	count(counter, why, m->p4.length);
	m->became = ANSWER;
	p->kind = REFUSED;
	p->lts = swap32(why);
	m->p4.egress_port = port;
	return forward_unicast(port);
}

/* The same, before registers are asked. */
INLINE int refuse_admission(struct meta *m, struct amcast *p, u32 port, u32 why)
{
	count(&taken, ACT_NONE, m->p4.length);
	return refuse(m, p, port, &drops, why);
}

INLINE int not_admitted(struct meta *m, u32 why)
{
	count(&taken, ACT_NONE, m->p4.length);
	return dropped(&drops, why, m->p4.length);
}

INLINE int multicast(struct meta *m, u32 group, u32 became)
{
	m->became = became;
	m->p4.group = group;
	m->p4.sequence = next_sequence();
	return forward_multicast(group);
}

INLINE struct set *set_of(u32 role, u32 groups)
{
	struct set_key key = { groups, role };
	return bpf_map_lookup_elem(&sets, &key);
}

/* A seq of a role has its place in the ring. */
INLINE void note(u32 n, u32 seq, u32 cell)
{
	struct place *at = ELEMENT_OF_ALL(ring, ROLES * CELLS, n << 12 | (seq & (CELLS - 1)));
	if ((s32)(at->seq - seq) <= 0) {
		at->seq = seq;
		at->what = RING_HERE | (cell & (CELLS - 1));
	}
}

INLINE int start(struct meta *m, struct role *r, u32 n, struct amcast *p, struct ip *ip, u32 port_group, u32 port)
{
	u32 number = swap32(p->number), client = swap16(p->client);
	if (!r->leads)
		return refuse_admission(m, p, port, NO_ROLE);
	struct set *set = set_of(n, p->groups);
	if (!set)
		return refuse_admission(m, p, port, GROUPS);
	u64 sender = who(ip->src, port_group);
	if (client > 255)
		return refuse_admission(m, p, port, CLIENT);
	if (clients[client & 255] != sender) {
		struct replica key = { sender, n };
		if (!bpf_map_lookup_elem(&replicas, &key))
			return refuse_admission(m, p, port, CLIENT);
	}
	if (number - swap32(p->seq) > 15)
		return refuse_admission(m, p, port, WINDOW);
	count(&taken, ACT_START, m->p4.length);
	p->from = p->by = r->group;
	p->slots = set->slot << 4 | set->slot;
	p->epoch = p->by_epoch = r->epoch;
	p->member = r->member;
	u32 at = CELL(n, client, number), why = 0, lts = 0, seq = 0;
	struct cell *c = ELEMENT_OF_ALL(cells, ROLES * CELLS, at);
	if (unlikely(!lock(&r->lock)))
		return drop(P4_CONTENTION);
	if (unlikely((s32)(c->number - number) > 0)) {
		why = LAP;
		seq = swap32(p->seq);
	} else if (c->number == number && c->epoch == r->epoch) {
		if (c->groups != p->groups || c->digest != p->digest)
			why = REUSED;
		lts = c->lts;
		seq = c->seq;
	} else {
		c->number = number;
		c->epoch = r->epoch;
		c->groups = p->groups;
		c->digest = p->digest;
		c->lts = lts = ++r->clock;
		c->seq = seq = ++r->mark;
		note(n, seq, at);
	}
	u32 clock = r->clock, mark = r->mark;
	if (unlikely(READ_ONCE(r->life) != r->given)) /* when all else has been looked at: see p4/amcast/verdict.p4 */
		why = AMNESIA;
	unlock(&r->lock);
	p->clock = swap32(clock);
	p->mark = swap32(mark);
	p->seq = swap32(seq);
	if (unlikely(why))
		return refuse(m, p, port, &refusals, why);
	p->lts = swap32(lts);
	if (p->len) {
		p->kind = PROP;
		return multicast(m, r->replicas, TO_REPLICAS);
	}
	return multicast(m, set->props, TO_MEMBERS | TO_DELIVERERS);
}

INLINE int proposal(struct meta *m, struct role *r, u32 n, struct amcast *p, struct ip *ip, u32 port_group)
{
	u32 number = swap32(p->number), lts = swap32(p->lts), seq = swap32(p->seq);
	struct leader *leader = ELEMENT_OF_ALL(leaders, ROLES * 256, n << 8 | p->from);
	if (leader->who != who(ip->src, port_group) || leader->epoch != p->epoch)
		return not_admitted(m, PROPOSER);
	struct set *set = set_of(n, p->groups);
	if (!set)
		return not_admitted(m, GROUPS);
	u32 is_own = leader->own, why = 0;
	count(&taken, is_own ? ACT_OWN : ACT_OTHER, m->p4.length);
	p->by = r->group;
	p->slots = (p->slots & 0xf0) | set->slot;
	p->by_epoch = r->epoch;
	p->member = r->member;
	u32 at = CELL(n, swap16(p->client), number);
	struct cell *c = ELEMENT_OF_ALL(cells, ROLES * CELLS, at);
	if (unlikely(!lock(&r->lock)))
		return drop(P4_CONTENTION);
	if (is_own && (s32)(c->number - number) > 0) {
		why = LAP;
	} else {
		if (r->clock < lts)
			r->clock = lts;
		if (is_own) {
			if (r->mark < seq)
				r->mark = seq;
			c->number = number;
			c->epoch = r->epoch;
			c->groups = p->groups;
			c->digest = p->digest;
			c->lts = lts;
			c->seq = seq;
			note(n, seq, at);
		}
	}
	u32 clock = r->clock, mark = r->mark;
	if (unlikely(READ_ONCE(r->life) != r->given))
		why = AMNESIA;
	unlock(&r->lock);
	if (unlikely(why))
		return dropped(&refusals, why, m->p4.length);
	p->clock = swap32(clock);
	p->mark = swap32(mark);
	return multicast(m, set->acks, TO_DELIVERERS);
}

/* By the number of members: a bit for each set of them that is a quorum and has the leader, member 0. */
static const u32 quorums[8] = {
	0, 0xaaaaaaaa, 0x88888888, 0xa8a8a8a8, 0xa880a880, 0xaaa8a880, 0, 0,
};

/* By the number of destinations: all pairs of a proposal and a destination. */
static const u16 all_of[16] = { 0, 0x0001, 0x0033, 0x0777, 0xffff };

INLINE int acknowledgement(struct meta *m, struct role *r, u32 n, struct amcast *p, struct ip *ip, u32 port_group)
{
	u32 number = swap32(p->number), lts = swap32(p->lts), member = p->member;
	struct members *of = ELEMENT_OF_ALL(members, ROLES * 256, n << 8 | p->by);
	if (of->epoch != p->by_epoch || member > 4 || of->who[member] != who(ip->src, port_group))
		return not_admitted(m, ACKER);
	struct set *set = set_of(n, p->groups);
	if (!set)
		return not_admitted(m, GROUPS);
	count(&taken, ACT_ACK, m->p4.length);
	u32 from = p->slots >> 4, by = p->slots & 15, sum = set->sum, group_epoch = *ELEMENT_OF_ALL(set->epochs, 4, set->slot);
	u32 late = from > 3 || by > 3 || *ELEMENT_OF_ALL(set->epochs, 4, from) != p->epoch || *ELEMENT_OF_ALL(set->epochs, 4, by) != p->by_epoch;
	struct tally *t = ELEMENT_OF_ALL(tallies, ROLES * CELLS, CELL(n, swap16(p->client), number));
	u32 why = 0, before = 0, reach = 0;
	if (unlikely(!lock(&t->lock)))
		return drop(P4_CONTENTION);
	if (unlikely((s32)(t->number - number) > 0)) {
		why = late ? EPOCH : LAP;
	} else if (unlikely(late)) {
		why = EPOCH;
		if (t->number != number) {
			t->number = number;
			t->epochs = 0;
		}
	} else {
		if (t->number != number || t->epochs != sum) {
			t->number = number;
			t->epochs = sum;
			t->final = lts;
			t->acks[0] = t->acks[1] = t->acks[2] = t->acks[3] = 0;
			t->reached = 0;
		} else if (t->final < lts) {
			t->final = lts;
		}
		lts = t->final;
		u32 acks = *ELEMENT_OF_ALL(t->acks, 4, from) |= 1u << (8 * by + member);
		before = t->reached;
		if (quorums[of->count & 7] >> (acks >> 8 * by & 31) & 1)
			reach = 1u << (4 * from + by);
		t->reached = before | reach;
	}
	unlock(&t->lock);
	if (unlikely(READ_ONCE(r->life) != r->given))
		why = AMNESIA;
	if (unlikely(why))
		return dropped(&refusals, why, m->p4.length);
	u32 all = all_of[set->count & 15], had = (before & all) == all, marks = member == 0 && of->watermark;
	if (had ? p->flags & AGAIN : ((before | reach) & all) == all) {
		p->kind = DELIVER;
		p->flags = marks ? WATERMARK : 0;
	} else if (marks && from != by) { /* its own proposal has told the replicas */
		p->kind = MARK;
		p->flags = WATERMARK;
	} else {
		return drop(P4_PROGRAM_DROP);
	}
	p->from = r->group;
	p->epoch = group_epoch;
	p->lts = swap32(lts);
	return multicast(m, r->replicas, TO_REPLICAS);
}

INLINE int message(struct meta *m, struct role *r, u32 n, struct amcast *p, struct ip *ip, struct udp *udp, u32 port)
{
	u32 length = m->p4.length, group = gates[port & 511].port_group;
	if (udp->check)
		return dropped(&drops, UDP_CHECKSUM, length);
	if (header_sum(p) != 0xffff)
		return dropped(&drops, HEADER_CHECKSUM, length);
	if ((u16)(swap16(udp->len) - swap16(p->len)) != OVERHEAD)
		return not_admitted(m, MALFORMED);
	if (r->at == MEMBER) {
		if (p->kind == START)
			return start(m, r, n, p, ip, group, port);
		if (p->kind == PROP)
			return proposal(m, r, n, p, ip, group);
	} else if (p->kind == ACK) {
		return acknowledgement(m, r, n, p, ip, group);
	}
	if (p->kind == START || p->kind == ASK || p->kind == LOOK)
		return refuse_admission(m, p, port, MESSAGE);
	return not_admitted(m, MESSAGE);
}

INLINE int run(struct xdp_md *ctx, u32 port)
{
	if (bpf_xdp_adjust_meta(ctx, (int)(ctx->data - ctx->data_meta) - (int)sizeof(struct meta)))
		return drop(P4_NO_METADATA);
	u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
	struct meta *m = PTR(ctx->data_meta);
	if ((void *)(m + 1) > (void *)data)
		return drop(P4_NO_METADATA);
	u32 length = end - data;
	count(&rx, port, length);
	if (data + 34 > end)
		return dropped(&drops, MALFORMED, length);
	struct eth *eth = (void *)data;
	struct ip *ip = (void *)(data + 14);
	struct udp *udp = (void *)(data + 34);
	struct amcast *p = (void *)(data + 42);
	m->p4.flags = 0;
	m->p4.length = length;
	m->p4.group = 0;
	m->p4.sequence = 0;
	m->p4.egress_port = 0;
	m->became = PLAIN;
	if (eth->type != swap16(0x0800) || ip->vihl != 0x45)
		return drop(P4_PROGRAM_DROP);
	u32 ours = 0;
	if (ip->proto == 17 && !(ip->frag & swap16(0x3fff))) {
		if (data + 42 > end)
			return dropped(&drops, MALFORMED, length);
		ours = (udp->dport & swap16(0xfff0)) == swap16(0x88a0);
		if (ours && (void *)(p + 1) > (void *)end)
			return dropped(&drops, MALFORMED, length);
	}
	if (ip_sum(ip) != 0xffff)
		return dropped(&drops, IP_CHECKSUM, length);
	if (ours && ip->dst == own) {
		u32 n = swap16(udp->dport) & 15;
		struct role *r = ELEMENT(roles, ROLES, n);
		if (r && r->at != NOBODY)
			return message(m, r, n, p, ip, udp, port);
	}
	struct gate *gate = ELEMENT(gates, 512, port);
	if (!gate || gate->refused & FAMILY_IPV4)
		return dropped(&drops, PORT_FAMILY, length);
	u64 mac = 0;
	memcpy(&mac, eth->src, 6);
	struct host *from = bpf_map_lookup_elem(&hosts, &mac);
	u32 here = gate->port_group, mac_at = from ? from->port_group : here, ip_at = mac_at;
	if (!from || from->ip != ip->src) {
		u32 *at = bpf_map_lookup_elem(&ips, &ip->src);
		ip_at = at ? *at : here;
	}
	if (mac_at != here || ip_at != here)
		return dropped(&drops, mac_at == OURSELVES || ip_at == OURSELVES ? OWN_ADDRESS : FOREIGN_SOURCE, length);
	if (ip->dst == own)
		return ours ? dropped(&drops, NO_ROLE, length) : drop(P4_PROGRAM_DROP);
	mac = 0;
	memcpy(&mac, eth->dst, 6);
	struct host *to = bpf_map_lookup_elem(&hosts, &mac);
	if (!to || to->port == P4_NOWHERE)
		return drop(P4_PROGRAM_DROP);
	m->p4.egress_port = to->port;
	return forward_unicast(to->port);
}

INLINE int leave(struct xdp_md *ctx, u32 port)
{
	struct meta *m = PTR(ctx->data_meta);
	if ((void *)(m + 1) > PTR(ctx->data))
		return drop(P4_NO_METADATA);
	u32 length = m->p4.length, became = m->became, rid = 0;
	if (became != PLAIN && became != ANSWER) {
		s32 id = replication_id(m->p4.group, m->p4.sequence, port);
		if (id < 0)
			return drop(P4_NO_COPY);
		rid = id;
	}
	/* Nobody behind the port shall see our metadata. */
	if (bpf_xdp_adjust_meta(ctx, (int)(ctx->data - ctx->data_meta)))
		return drop(P4_NO_METADATA);
	if (became != PLAIN) {
		u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
		struct eth *eth = (void *)data;
		struct ip *ip = (void *)(data + 14);
		struct udp *udp = (void *)(data + 34);
		struct amcast *p = (void *)(data + 42);
		if ((void *)(p + 1) > (void *)end)
			return drop(P4_EGRESS_REJECT);
		if (became == ANSWER) {
			u8 mac[6];
			memcpy(mac, eth->src, 6);
			memcpy(eth->src, eth->dst, 6);
			memcpy(eth->dst, mac, 6);
			u32 address = ip->src;
			ip->src = ip->dst;
			ip->dst = address;
			u16 from = udp->sport;
			udp->sport = udp->dport;
			udp->dport = from;
		} else {
			struct copy *c = ELEMENT(rewrites, 4096, rid);
			if (!c || !(c->want & became))
				return drop(P4_EGRESS_DROP);
			count(&sent, rid, length);
			memcpy(eth->dst, c->macs, 12);
			ip->src = c->addresses[0];
			ip->dst = c->addresses[1];
			udp->dport = c->dport;
			/* As a word: a byte that has just been written does not go on with the others. */
			if (c->kind)
				*(u32 *)p = (*(u32 *)p & swap32(0x00ffffff)) | swap32((u32)c->kind << 24);
		}
		u32 *w = (void *)ip;
		ip->check = ~csum_fold((u64)w[0] + w[1] + ((u16 *)w)[4] + w[3] + w[4]);
		p->check = ~header_sum_but_check(p);
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
