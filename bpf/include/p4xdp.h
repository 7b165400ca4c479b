/* Run-time support for C that bpf/gen writes: types, helper calls, access to
 * big-endian fields, and the constants that the generated code and the Go side
 * of the XDP target share.
 *
 * Byte order: a P4 field is held in a C variable as a number, whatever the
 * order of its bytes on the wire; ldN and stN are the only places that convert.
 */
#ifndef P4XDP_H
#define P4XDP_H

#include "p4xdp_types.h"

/* Fields in the packet: N bits, big-endian, at a byte address. The packet is
 * not aligned; the verifier allows that on the machines XDP runs on. */
INLINE u64 ld8(const u8 *p) { return *p; }
INLINE u64 ld16(const u8 *p) { return __builtin_bswap16(*(const u16 *)p); }
INLINE u64 ld32(const u8 *p) { return __builtin_bswap32(*(const u32 *)p); }
INLINE u64 ld64(const u8 *p) { return __builtin_bswap64(*(const u64 *)p); }
INLINE u64 ld24(const u8 *p) { return ld8(p) << 16 | ld16(p + 1); }
INLINE u64 ld40(const u8 *p) { return ld8(p) << 32 | ld32(p + 1); }
INLINE u64 ld48(const u8 *p) { return ld16(p) << 32 | ld32(p + 2); }
INLINE u64 ld56(const u8 *p) { return ld24(p) << 32 | ld32(p + 3); }
/* Words as they are there, for checksums; see csum_raw. */
INLINE u64 raw16(const u8 *p) { return *(const u16 *)p; }
INLINE u64 raw32(const u8 *p) { return *(const u32 *)p; }
INLINE void st8(u8 *p, u64 v) { *p = (u8)v; }
INLINE void st16(u8 *p, u64 v) { *(u16 *)p = __builtin_bswap16((u16)v); }
INLINE void st32(u8 *p, u64 v) { *(u32 *)p = __builtin_bswap32((u32)v); }
INLINE void st64(u8 *p, u64 v) { *(u64 *)p = __builtin_bswap64(v); }
INLINE void st24(u8 *p, u64 v) { st8(p, v >> 16), st16(p + 1, v); }
INLINE void st40(u8 *p, u64 v) { st8(p, v >> 32), st32(p + 1, v); }
INLINE void st48(u8 *p, u64 v) { st16(p, v >> 32), st32(p + 2, v); }
INLINE void st56(u8 *p, u64 v) { st24(p, v >> 32), st32(p + 3, v); }

/* The same for keys on the stack, where the verifier wants accesses to be aligned: the
 * compiler takes as many as the place needs. */
INLINE void put8(u8 *p, u64 v) { *p = (u8)v; }
INLINE void put16(u8 *p, u64 v) { u16 x = __builtin_bswap16((u16)v); memcpy(p, &x, 2); }
INLINE void put32(u8 *p, u64 v) { u32 x = __builtin_bswap32((u32)v); memcpy(p, &x, 4); }
INLINE void put64(u8 *p, u64 v) { u64 x = __builtin_bswap64(v); memcpy(p, &x, 8); }
INLINE void put24(u8 *p, u64 v) { put8(p, v >> 16), put16(p + 1, v); }
INLINE void put40(u8 *p, u64 v) { put8(p, v >> 32), put32(p + 1, v); }
INLINE void put48(u8 *p, u64 v) { put16(p, v >> 32), put32(p + 2, v); }
INLINE void put56(u8 *p, u64 v) { put24(p, v >> 32), put32(p + 3, v); }

/* The same number, but the verifier no longer knows anything about it. Without
 * this, a value that decides several branches makes as many paths as it has
 * combinations: 256 for a bit mask of eight members. (It tracks what is stored
 * at a multiple of eight on the stack, and nothing else.) */
INLINE u32 opaque(u32 x)
{
	volatile struct { u32 unused, x; } __attribute__((aligned(8))) v;
	v.x = x;
	return v.x;
}

/* The lesser of two numbers below 2^31, without a branch: there is nothing to
 * predict, and nothing that the verifier would go both ways for. (The shift is
 * assembly, or the compiler would know better.) */
INLINE u32 least(u32 x, u32 y)
{
	if (__builtin_constant_p(x) && __builtin_constant_p(y))
		return x < y ? x : y;
	u32 over = x - y, less = over;
	asm("%0 s>>= 31" : "+w"(less)); /* all ones when x < y, else 0 */
	return y + (over & less);
}

/* 1 or 0, without a branch: the verifier goes on with one path, not with two. (The
 * shift is assembly, or the compiler would branch.) */
INLINE u32 is_negative(u32 x)
{
	asm("%0 >>= 31" : "+w"(x));
	return x;
}
INLINE u32 is_zero(u32 x)
{
	x |= 0 - x; /* the top bit is set unless it is 0 */
	asm("%0 >>= 31" : "+w"(x));
	return x ^ 1;
}

/* Reflected CRC-32 over eight, four and one bytes, as they lie in memory; t[i] is
 * the CRC of a byte with i zero bytes behind it, a holds the CRC so far XORed
 * with the first four. */
INLINE u32 crc32_8(const u32 t[8][256], u32 a, u32 b)
{
	return t[7][a & 0xff] ^ t[6][a >> 8 & 0xff] ^ t[5][a >> 16 & 0xff] ^ t[4][a >> 24] ^
	       t[3][b & 0xff] ^ t[2][b >> 8 & 0xff] ^ t[1][b >> 16 & 0xff] ^ t[0][b >> 24];
}
INLINE u32 crc32_4(const u32 t[8][256], u32 a)
{
	return t[3][a & 0xff] ^ t[2][a >> 8 & 0xff] ^ t[1][a >> 16 & 0xff] ^ t[0][a >> 24];
}
INLINE u32 crc32_1(const u32 t[8][256], u32 a) { return t[0][a & 0xff] ^ a >> 8; }

/* The 16-bit one's complement sum of numbers that are summed as they are:
 * 2^16 = 1 modulo 2^16 - 1, so words may be added at any multiple of 16 bits. */
INLINE u64 csum_add(u64 sum, u64 v) { return sum + (v >> 32) + (u32)v; }
INLINE u16 csum_fold(u64 sum)
{
	sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (u16)sum;
}

/* What words of the packet sum up to that were added as they are there: the sum's
 * bytes are swapped as theirs are (RFC 1071, 2 (B)). */
INLINE u16 csum_raw(u64 sum) { return __builtin_bswap16(csum_fold(sum)); }

/* What a packet carries from the ingress to the egress program: in front of
 * the packet, in its XDP metadata, followed by the bridged header. */
struct p4_meta {
	u64 sequence;     /* of the packet among those that this CPU handled */
	u16 group;        /* multicast group, 0 for unicast */
	u16 egress_port;  /* unicast; in a test run, the port of the copy */
	u16 flags;        /* P4_BYPASS, P4_TO_PORT */
	u16 length;       /* of the frame as it came in */
};

#define P4_BYPASS 1  /* the egress leaves the packet alone */
#define P4_TO_PORT 2 /* the packet goes to egress_port as well as to the group */
#define P4_NOWHERE 511 /* the number of an egress port that is none */

/* In front of a packet in a test run of the ingress. */
struct p4_test {
	u64 time;         /* ns: what the program sees as now */
	u16 ingress_port;
	u16 reserved[3];
};

/* Which copy of a packet a port has seen last. */
struct p4_seen {
	u64 sequence;
	u64 index;
};

/* Why the run-time part of a pipeline dropped a packet: index into `stats`. */
enum p4_stat {
	P4_NO_METADATA,   /* the driver has no room for XDP metadata */
	P4_NO_PORT,       /* came from an interface that is not a port */
	P4_NO_DESTINATION,/* the program chose neither a port nor a group */
	P4_NO_EGRESS_PORT,/* the program chose a port that does not exist */
	P4_NO_GROUP,      /* the program chose a group that does not exist */
	P4_PARSER_REJECT,
	P4_PROGRAM_DROP,  /* the program set drop_ctl */
	P4_EGRESS_REJECT,
	P4_EGRESS_DROP,
	P4_NO_COPY,       /* a copy that its group does not know */
	P4_NO_HEADROOM,   /* no room to add headers */
	P4_CONTENTION,    /* a register was changed by others all the time */
	P4_DIGEST_LOST,   /* the digest ring is full (the packet goes on) */
	P4_NO_BRIDGE,     /* the program did not emit its bridged header */
	P4_TRACE_LOST,    /* nobody was fast enough to record the packet (it goes on) */
	P4_STATS
};

/* What a table's apply returns: the number of the action that ran, and this. */
#define HIT 0x10000
/* Which actions of a table run; both, but in an @updates_first block. */
#define P4_UPDATES 1
#define P4_QUERIES 2
#define P4_ALL 3

struct p4_counter { u64 packets, bytes; };

struct { __uint(type, BPF_MAP_TYPE_DEVMAP_HASH); __uint(max_entries, 512); __uint(key_size, 4); __uint(value_size, 8); }
	ports SEC(".maps");               /* port -> {interface, egress program} */

struct p4_group { __uint(type, BPF_MAP_TYPE_DEVMAP_HASH); __uint(max_entries, 16); __uint(key_size, 4); __uint(value_size, 8); };
struct { __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); __uint(max_entries, 16384); __uint(key_size, 4); __array(values, struct p4_group); }
	groups SEC(".maps");              /* multicast group -> {copy -> {interface, egress program}} */

/* Where a packet goes that goes to a port and a group: every port has an entry here
 * for the first, and as many as any group has copies for it. Each copy finds out in the
 * egress whether it is one of those that are wanted. */
struct { __uint(type, BPF_MAP_TYPE_DEVMAP_HASH); __uint(max_entries, 1024); __uint(key_size, 4); __uint(value_size, 8); }
	spread SEC(".maps");              /* how many-th copy * 512 + port -> {interface, egress program} */

struct p4_copy { u16 group; u16 port; u32 index; };
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 131072); __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, struct p4_copy); __type(value, u32); }
	copies SEC(".maps");              /* (group, port, how many-th copy there) -> replication id */

struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 65536); __type(key, u32); __type(value, u32); }
	interfaces SEC(".maps");          /* interface index -> port + 1 */

struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, struct p4_seen); }
	seen SEC(".maps");                /* port -> the last copy it sent */

/* What has come in and gone out by a port. */
struct p4_port_count { struct p4_counter rx, tx; };
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 512); __type(key, u32); __type(value, struct p4_port_count); }
	port_counts SEC(".maps");         /* port -> frames and bytes of its interface */

struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, u64); }
	sequence SEC(".maps");            /* the last sequence number of this CPU */

struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, P4_STATS); __type(key, u32); __type(value, u64); }
	stats SEC(".maps");               /* enum p4_stat -> packets */

/* What the first of several test runs (BPF_PROG_TEST_RUN with repeat) found in
 * front of the packet, for those that follow: the kernel does not put it back. */
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, u8[256]); }
	test_front SEC(".maps");

/* Copies n bytes, a multiple of eight, as words: what is read as a word afterwards
 * comes from one store. */
INLINE void copy_words(void *to, const void *from, u32 n)
{
	for (u32 i = 0; i < n / 8; i++)
		((u64 *)to)[i] = ((const u64 *)from)[i];
}

/* Sees to it that n bytes of metadata, those of the first run, are in front of
 * the packet. */
#define TEST_FRONT(ctx, n) ({                                                  \
	u32 zero_ = 0;                                                         \
	u8 *saved_ = bpf_map_lookup_elem(&test_front, &zero_);                 \
	u32 have_ = (ctx)->data - (ctx)->data_meta;                            \
	int bad_ = !saved_;                                                    \
	if (saved_ && have_ != (n))                                            \
		bad_ = bpf_xdp_adjust_meta(ctx, (int)have_ - (int)(n));        \
	u8 *front_ = PTR((ctx)->data_meta);                                    \
	if (bad_ || front_ + (n) > (u8 *)PTR((ctx)->data))                     \
		return XDP_ABORTED;                                            \
	if (have_ != (n))                                                      \
		copy_words(front_, saved_, n);                                 \
	++*(u64 *)front_; /* a new sequence number, or a later time */         \
	copy_words(saved_, front_, n);                                         \
	(void *)front_;                                                        \
})

INLINE void count_stat(u32 why)
{
	u64 *n = bpf_map_lookup_elem(&stats, &why);
	if (n)
		(*n)++;
}

INLINE void count(void *counter, u32 index, u32 length)
{
	struct p4_counter *c = bpf_map_lookup_elem(counter, &index);
	if (c) {
		c->packets++;
		c->bytes += length;
	}
}

INLINE void count_frame(struct p4_counter *c, struct xdp_md *ctx)
{
	c->packets++;
	c->bytes += ctx->data_end - ctx->data;
}

/* A frame that a port has received, or sends. */
INLINE void count_rx(struct xdp_md *ctx, u32 port)
{
	struct p4_port_count *c = bpf_map_lookup_elem(&port_counts, &port);
	if (c)
		count_frame(&c->rx, ctx);
}
INLINE void count_tx(struct xdp_md *ctx, u32 port)
{
	struct p4_port_count *c = bpf_map_lookup_elem(&port_counts, &port);
	if (c)
		count_frame(&c->tx, ctx);
}

INLINE int drop(u32 why)
{
	count_stat(why);
	return XDP_DROP;
}

/* Packet traces. Set before the program is loaded; while it is 0, the verifier
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

/* Port number of an interface + 1, or 0. */
INLINE u32 port_of(u32 ifindex)
{
	u32 *port = bpf_map_lookup_elem(&interfaces, &ifindex);
	return port ? *port : 0;
}

INLINE u64 next_sequence(void)
{
	u32 zero = 0;
	u64 *n = bpf_map_lookup_elem(&sequence, &zero);
	return n ? ++*n : 0;
}

/* How many-th copy of a packet for a port this is, from 0. Negative: not known. */
INLINE s32 copy_index(u64 seq, u32 port)
{
	struct p4_seen *last = bpf_map_lookup_elem(&seen, &port);
	if (!last)
		return -1;
	u32 index = 0;
	if (last->sequence == seq)
		index = (u32)last->index + 1;
	last->sequence = seq;
	last->index = index;
	return (s32)index;
}

/* The replication id of a group's copy for a port. Negative: the group has none. */
INLINE s32 rid_of(u16 group, u16 port, s32 index)
{
	struct p4_copy copy = { .group = group, .port = port, .index = index };
	u32 *rid = bpf_map_lookup_elem(&copies, &copy);
	return rid ? (s32)*rid : -1;
}

/* The replication id of the copy that is now leaving through a port: copies
 * of one packet leave a port in the order in which the group lists them, one
 * after the other on one CPU. Negative: the group does not know it. */
INLINE s32 replication_id(u16 group, u64 seq, u16 port)
{
	s32 index = copy_index(seq, port);
	return index < 0 ? -1 : rid_of(group, port, index);
}

/* The same for a packet that goes to a port as well, with id 0: that copy is the first
 * at every port. Negative: nobody wants this one. */
INLINE s32 replication_id_or_port(u16 group, u64 seq, u16 port, u16 unicast)
{
	s32 index = copy_index(seq, port);
	if (index <= 0)
		return index == 0 && port == unicast ? 0 : -1;
	return rid_of(group, port, index - 1);
}

/* Sends a packet that has its metadata to a port, or to a group. */
INLINE int forward_unicast(u32 port)
{
	int verdict = bpf_redirect_map(&ports, port, XDP_DROP);
	if (unlikely(verdict != XDP_REDIRECT))
		count_stat(P4_NO_EGRESS_PORT);
	return verdict;
}

INLINE int forward_multicast(u32 group)
{
	void *copies_of = bpf_map_lookup_elem(&groups, &group);
	if (unlikely(!copies_of))
		return drop(P4_NO_GROUP);
	return bpf_redirect_map(copies_of, 0, BPF_F_BROADCAST);
}

INLINE int forward_both(u32 port)
{
	if (unlikely(!bpf_map_lookup_elem(&ports, &port)))
		count_stat(P4_NO_EGRESS_PORT);
	return bpf_redirect_map(&spread, 0, BPF_F_BROADCAST);
}

#endif
