//go:build ignore

/* The responder of reliable connections, on a server's interface: what an RDMA NIC does
 * without the server's CPU. It executes WRITEs and small READs of the queue pairs that
 * have a slot, places their payload into memory that the process maps, and answers
 * with XDP_TX. Everything else goes to the process, through its AF_XDP socket. The state
 * of a queue pair's responder is in its slot, and belongs to whoever holds the slot's lock;
 * doc.go has the rules.
 */
#include "p4xdp_types.h"

#define SLOTS 1024

/* Opcodes (InfiniBand specification, table 38). */
enum {
	WRITE_FIRST = 0x06, WRITE_MIDDLE = 0x07, WRITE_LAST = 0x08, WRITE_ONLY = 0x0a,
	READ_REQUEST = 0x0c, READ_RESPONSE_FIRST = 0x0d, READ_RESPONSE_ONLY = 0x10,
	ACKNOWLEDGE = 0x11, ATOMIC_ACKNOWLEDGE = 0x12, LAST_REQUEST = 0x17,
};
/* Syndromes: an acknowledgement with unlimited credits, and PSN sequence error. */
enum { SYNDROME_ACK = 0x1f, SYNDROME_NAK_SEQUENCE = 0x60 };
/* What a queue pair's peer may do, and what a region allows. */
enum { REMOTE_READ = 1 << 1, REMOTE_WRITE = 1 << 2 };
/* The message that is under way. */
enum { NO_MESSAGE, WRITE_MESSAGE, SEND_MESSAGE };

#define PSN_MASK 0xffffff
#define MAX_READ 192 /* bytes of the longest READ that is answered here: there is room for no more before a frame on all drivers */

/* A queue pair. Numbers are the machine's, addresses as they are on the wire. */
struct slot {
	u32 lock;     /* 1 while somebody holds it */
	u32 qpn;      /* 0: the slot is free */
	u32 serving;  /* the kernel may execute */
	u32 busy;     /* the process has answers to send, which ours must not overtake */
	u32 up;       /* requests that were given to the process */
	u32 taken;    /* those of them that it has executed, by its own account */
	u32 access;   /* of the peer */
	u32 domain;   /* protection domain */

	u32 expected; /* PSN */
	u32 msn;
	u32 naked;    /* NAK 0x60 was sent for expected */
	u32 in;       /* message under way */
	u64 va, left; /* of a WRITE under way: where its next payload goes, bytes to come */
	u32 rkey;     /* of a WRITE under way */
	u32 mtu;

	u32 remote, local;
	u8 remote_mac[6], local_mac[6];
	u16 sport;    /* of our frames, as on the wire */
	u8 tos, pad;
	u32 remote_qpn;
	u32 owned;    /* the process's */

	u64 packets, bytes, acks, naks, duplicates, ahead, reads, read_bytes;
};

/* A region of memory that peers may reach, by the domain and key under which they do. */
struct region_key { u32 domain, rkey; };
struct region {
	u64 va, len;
	u64 offset;   /* in the arena */
	u32 access;
	u32 bell;     /* what to ring when it has been written */
};

/* A bell wakes the process, once after it has been armed. */
struct bell { u32 armed, unused; };

struct { __uint(type, BPF_MAP_TYPE_XSKMAP); __uint(max_entries, 1); __uint(key_size, 4); __uint(value_size, 4); } xsks SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, SLOTS); __uint(map_flags, BPF_F_MMAPABLE); __type(key, u32); __type(value, struct slot); } slots SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, struct region_key); __type(value, struct region); } regions SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, SLOTS); __uint(map_flags, BPF_F_MMAPABLE); __type(key, u32); __type(value, struct bell); } bells SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 65536); } rings SEC(".maps");
/* The memory: one value, whose size is set before it is made. */
#define MIN_ARENA 8192
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __uint(map_flags, BPF_F_MMAPABLE); __uint(key_size, 4); __uint(value_size, MIN_ARENA); } arena SEC(".maps");

/* Set before the program is loaded. */
const volatile u32 address = 0;                   /* ours, as on the wire */
const volatile u64 arena_last = MIN_ARENA - 4096; /* no payload begins behind it */
const volatile u32 crcs[16][256] = {};            /* slicing-by-16, reflected Ethernet polynomial */
const volatile u32 again = 0;                     /* for measurements: one WRITE is executed again and again */

static long (*const bpf_xdp_adjust_tail)(struct xdp_md *ctx, int delta) = (void *)BPF_FUNC_xdp_adjust_tail;
static long (*const bpf_xdp_load_bytes)(struct xdp_md *ctx, u32 offset, void *buf, u32 len) = (void *)BPF_FUNC_xdp_load_bytes;

struct frame {
	u8 dst[6], src[6];
	u16 type;
	u8 vihl, tos;
	u16 total, id, frag;
	u8 ttl, proto;
	u16 check;
	u32 saddr, daddr;
	u16 sport, dport, ulen, ucheck;
	u8 op, flags;
	u16 pkey;
	u32 qp, psn;
} __attribute__((packed));
struct reth { u64 va; u32 rkey, len; } __attribute__((packed));

#define HEADERS 40 /* IPv4, UDP and BTH */
#define ETH 14
#define be16(x) ((u16)__builtin_bswap16(x))
#define be32(x) __builtin_bswap32(x)
#define be64(x) __builtin_bswap64(x)

/* What four bytes add that have n more behind them. One word after another: indexes that
 * wait on the stack are no indexes any more to kernels before 6.3. */
#define WORD(n, a) ({                                                                              \
	u32 word = (a), crc = crcs[(n) + 3][word & 0xff] ^ crcs[(n) + 2][word >> 8 & 0xff] ^       \
	                      crcs[(n) + 1][word >> 16 & 0xff] ^ crcs[n][word >> 24];              \
	barrier_var(crc);                                                                          \
	crc;                                                                                       \
})
INLINE u32 crc_4(u32 a) { return WORD(0, a); }
INLINE u32 crc_8(u32 a, u32 b)
{
	u32 rest = WORD(0, b);

	return rest ^ WORD(4, a);
}
/* The words that the register does not go into come first: they do not wait for it. */
INLINE u32 crc_16(u32 c, const u32 *w)
{
	u32 rest = WORD(8, w[1]);

	rest ^= WORD(4, w[2]);
	rest ^= WORD(0, w[3]);
	return rest ^ WORD(12, c ^ w[0]);
}

/* The ICRC's register behind IPv4, UDP and BTH, with what routers change masked (annex
 * A17, 17.3.3). */
INLINE u32 crc_headers(const struct frame *f)
{
	const u32 *w = (const u32 *)&f->vihl;
	u32 c = 0xdebb20e3; /* behind eight bytes 0xff */

	c = crc_8(c ^ (w[0] | 0xff00), w[1]);     /* type of service */
	c = crc_8(c ^ (w[2] | 0xffff00ff), w[3]); /* time to live, checksum */
	c = crc_8(c ^ w[4], w[5]);
	c = crc_8(c ^ (w[6] | 0xffff0000), w[7]); /* UDP checksum */
	return crc_8(c ^ (w[8] | 0xff), w[9]);    /* FECN, BECN */
}

/* The ICRC behind len more bytes, a multiple of 4, which begin at from in the frame. */
GLOBAL u32 crc_rest(struct xdp_md *ctx, u32 c, u32 from, u32 len)
{
	u8 *p = PTR(ctx->data), *end = PTR(ctx->data_end);

	if (from > 127)
		return 0;
	p += from;
	for (int i = 0; i < 264; i++, p += 16, len -= 16) {
		if (len < 16 || p + 16 > end)
			break;
		c = crc_16(c, (u32 *)p);
	}
	if (len >= 8 && p + 8 <= end) {
		c = crc_8(c ^ *(u32 *)p, *(u32 *)(p + 4));
		p += 8, len -= 8;
	}
	if (len >= 4 && p + 4 <= end) {
		c = crc_4(c ^ *(u32 *)p);
		p += 4;
	}
	return ~c;
}

INLINE int to_process(void) { return bpf_redirect_map(&xsks, 0, XDP_PASS); }

/* A request that the process executes. Until it has, those behind it go there too. */
INLINE int up(struct slot *s)
{
	__sync_fetch_and_add(&s->up, 1);
	return to_process();
}

INLINE int take(struct slot *s)
{
	for (int i = 0; i < 64; i++)
		if (!__sync_val_compare_and_swap(&s->lock, 0, 1))
			return 1;
	return 0; /* the process holds it, and may not run */
}

/* With a full barrier: what was written is seen before what is done next. */
INLINE void release(struct slot *s) { __sync_lock_test_and_set(&s->lock, 0); }

INLINE void ring(u32 bell)
{
	struct bell *b = bpf_map_lookup_elem(&bells, &bell);

	if (b && READ_ONCE(b->armed) && __sync_lock_test_and_set(&b->armed, 0))
		bpf_ringbuf_output(&rings, &bell, sizeof(bell), 0);
}

#define NOWHERE (~0ULL)

/* Where in the arena n bytes of a region are. */
INLINE u64 place(struct slot *s, u32 rkey, u64 va, u64 n, u32 access, u32 *bell)
{
	struct region_key key = { s->domain, rkey };
	struct region *g = bpf_map_lookup_elem(&regions, &key);

	if (!g || !(g->access & access) || va < g->va || n > g->len || va - g->va > g->len - n)
		return NOWHERE;
	*bell = g->bell;
	return g->offset + (va - g->va);
}

/* The memory at an offset, or 0. Behind it are as many bytes as a packet may have. */
INLINE u8 *memory(u64 offset)
{
	u32 zero = 0;
	u8 *base = bpf_map_lookup_elem(&arena, &zero);

	barrier_var(offset);
	if (!base || offset > arena_last)
		return 0;
	return base + offset;
}

/* Copies up to 128 bytes, which begin at from in the frame, eight at a time. */
GLOBAL int store(struct xdp_md *ctx, u32 from, u32 n, u64 offset)
{
	u8 *p = PTR(ctx->data), *end = PTR(ctx->data_end), *to = memory(offset);

	if (!to || from > 127)
		return -1;
	p += from;
	for (u32 i = 0; i < 16; i++, p += 8, to += 8) {
		if (i * 8 + 8 > n || p + 8 > end)
			break;
		*(volatile u64 *)to = *(u64 *)p;
	}
	for (u32 i = 0; i < 7; i++) {
		if (i >= (n & 7) || p + i + 1 > end)
			break;
		to[i] = p[i];
	}
	return 0;
}

/* Makes the frame an answer: what is its opcode (upper 8 bits) and PSN, how its syndrome and,
 * in the lower 16 bits, the length of its payload, which is at offset. */
GLOBAL int answer(struct xdp_md *ctx, struct slot *s, u32 what, u32 how, u64 offset)
{
	u32 len = how & 0xffff, total = HEADERS + 4 + len + 4, sum = 0;
	struct frame *f;
	u8 *from = 0, *p;
	void *end;
	int more;
	u16 *w;

	if (!s || len > MAX_READ || (len && !(from = memory(offset))))
		return XDP_ABORTED;
	/* It is written anew, and may begin anywhere: every driver leaves room before a frame, but a
	 * veth none behind a short one. */
	more = (int)(ETH + total) - (int)bpf_xdp_get_buff_len(ctx);
	if (more > 0 ? bpf_xdp_adjust_head(ctx, -more) : bpf_xdp_adjust_tail(ctx, more))
		return XDP_DROP; /* as if it were lost on its way */
	f = PTR(ctx->data);
	end = PTR(ctx->data_end);
	p = (u8 *)(f + 1);
	if (p + 4 > (u8 *)end)
		return XDP_DROP;
	memcpy(f->dst, s->remote_mac, 6);
	memcpy(f->src, s->local_mac, 6);
	f->type = be16(0x0800);
	f->vihl = 0x45;
	f->tos = s->tos;
	f->total = be16(total);
	f->id = 0;
	f->frag = be16(0x4000); /* don't fragment */
	f->ttl = 64;
	f->proto = 17;
	f->check = 0;
	f->saddr = s->local;
	f->daddr = s->remote;
	f->sport = s->sport;
	f->dport = be16(4791);
	f->ulen = be16(total - 20);
	f->ucheck = 0;
	f->op = what >> 24;
	f->flags = 0;
	f->pkey = 0xffff;
	f->qp = be32(s->remote_qpn);
	f->psn = be32(what & PSN_MASK);
	*(u32 *)p = be32((how >> 16) << 24 | s->msn);
	w = (u16 *)&f->vihl;
#pragma unroll
	for (int i = 0; i < 10; i++)
		sum += w[i];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	f->check = ~sum;
	p += 4;
	for (u32 i = 0; i < MAX_READ / 8; i++) {
		if (!from || i * 8 >= len)
			break;
		if (p + 8 > (u8 *)end)
			return XDP_DROP;
		*(u64 *)p = READ_ONCE(*(u64 *)(from + i * 8));
		p += 8;
	}
	sum = crc_rest(ctx, crc_headers(f), ETH + HEADERS, 4 + len);
	if (p + 4 > (u8 *)end)
		return XDP_DROP;
	*(u32 *)p = sum;
	return XDP_TX;
}

#define ANSWER(op, psn, syndrome, len, offset) \
	answer(ctx, s, (u32)(op) << 24 | ((psn) & PSN_MASK), (u32)(syndrome) << 16 | (len), offset)

SEC("xdp") int respond(struct xdp_md *ctx)
{
	struct frame *f = PTR(ctx->data);
	void *end = PTR(ctx->data_end);
	u32 have, total, headers, n, pad, qpn, at, psn, bell = 0, rkey = 0, len = 0;
	int action, behind, starts, ends, write, read;
	u64 va = 0, left = 0, offset;
	struct slot *s;
	u8 op, *p;

	if ((void *)&f->op > end || f->type != be16(0x0800) || f->vihl != 0x45 || f->frag & be16(0x3fff) ||
	    f->proto != 17 || f->dport != be16(4791) || f->daddr != address)
		return XDP_PASS;
	if ((void *)(f + 1) > end)
		return to_process();
	qpn = be32(f->qp) & PSN_MASK;
	at = qpn & (SLOTS - 1);
	s = bpf_map_lookup_elem(&slots, &at);
	if (!s || !qpn || READ_ONCE(s->qpn) != qpn)
		return to_process();
	op = f->op;
	if (op > LAST_REQUEST || (op >= READ_RESPONSE_FIRST && op <= ATOMIC_ACKNOWLEDGE))
		return to_process();
	starts = op == WRITE_FIRST || op == WRITE_ONLY;
	ends = op == WRITE_LAST || op == WRITE_ONLY;
	write = starts || ends || op == WRITE_MIDDLE;
	read = op == READ_REQUEST;

	/* What is not well-formed, or not from the peer, is for the process to count. Before that is known nothing is
	 * changed, whatever it asks for: strangers do not decide who answers. */
	have = (u64)end - (u64)(void *)f - ETH;
	total = be16(f->total);
	headers = HEADERS + (starts || read ? sizeof(struct reth) : 0);
	pad = f->flags >> 4 & 3;
	if (f->flags & 0xf || be16(f->ulen) != total - 20 || total > have || total < headers + pad + 4 || total & 3)
		return to_process();
	n = total - headers - pad - 4;
	at = ETH + total - 4;
	barrier_var(at);
	if (at > 4200) /* the longest packet is 4,096 bytes and headers */
		return to_process();
	p = (u8 *)f;
	p += at;
	barrier_var(p);
	if (p + 4 > (u8 *)end || *(u32 *)p != crc_rest(ctx, crc_headers(f), ETH + HEADERS, total - HEADERS - 4))
		return to_process();
	if (f->saddr != s->remote || f->daddr != s->local || (f->pkey & be16(0x7fff)) != be16(0x7fff))
		return to_process();
	if ((!write && !read) || (f->tos & 3) == 3) /* congestion: the process notifies the peer */
		return up(s);

	psn = be32(f->psn) & PSN_MASK;
	if (headers > HEADERS) {
		struct reth *r = (void *)(f + 1);

		if ((void *)(r + 1) > end)
			return to_process();
		va = be64(r->va);
		rkey = be32(r->rkey);
		left = len = be32(r->len);
	}

	if (!take(s))
		return up(s);
	if (s->qpn != qpn || !s->serving || s->busy || s->up != READ_ONCE(s->taken))
		goto process;
	behind = (int)((psn - s->expected) << 8);
	if (behind > 0) {
		s->packets++, s->bytes += n;
		if (s->naked) {
			s->ahead++;
			action = XDP_DROP;
			goto done;
		}
		s->naked = 1;
		s->naks++;
		action = ANSWER(ACKNOWLEDGE, s->expected, SYNDROME_NAK_SEQUENCE, 0, 0);
		goto done;
	}
	if (behind < 0) {
		if (!write)
			goto process;
		s->packets++, s->bytes += n;
		s->duplicates++;
		s->acks++;
		action = ANSWER(ACKNOWLEDGE, s->expected - 1, SYNDROME_ACK, 0, 0);
		goto done;
	}

	if (!write) {
		if (n || s->in != NO_MESSAGE || !(s->access & REMOTE_READ) || !len || len > MAX_READ || len & 7)
			goto process;
		offset = place(s, rkey, va, len, REMOTE_READ, &bell);
		bell = 0;
		if (offset > arena_last)
			goto process;
		s->packets++, s->reads++, s->read_bytes += len;
		s->naked = 0;
		s->expected = (psn + 1) & PSN_MASK;
		s->msn = (s->msn + 1) & PSN_MASK;
		action = ANSWER(READ_RESPONSE_ONLY, psn, SYNDROME_ACK, len, offset);
		goto done;
	}

	if (starts != (s->in == NO_MESSAGE) || (!starts && s->in != WRITE_MESSAGE) || !(s->access & REMOTE_WRITE))
		goto process;
	if (!ends ? n != s->mtu : n > s->mtu || (!starts && !n))
		goto process;
	if (!starts)
		va = s->va, left = s->left, rkey = s->rkey;
	if (n > left || ends != (n == left) || n > 4096)
		goto process;
	if (n) {
		offset = place(s, rkey, va, starts ? left : n, REMOTE_WRITE, &bell);
		if (offset > arena_last)
			goto process;
		if (n <= 128) {
			if (store(ctx, ETH + headers, n, offset))
				goto process;
		} else {
			u8 *to = memory(offset);

			if (!to || bpf_xdp_load_bytes(ctx, ETH + headers, to, n))
				goto process;
		}
	}
	s->packets++, s->bytes += n;
	s->naked = 0;
	s->expected = (psn + !again) & PSN_MASK;
	s->in = ends ? NO_MESSAGE : WRITE_MESSAGE;
	s->va = va + n;
	s->left = left - n;
	s->rkey = rkey;
	if (ends)
		s->msn = (s->msn + 1) & PSN_MASK;
	action = XDP_DROP; /* executed, and nobody asks */
	if (be32(f->psn) & 0x80000000) {
		s->acks++;
		action = ANSWER(ACKNOWLEDGE, psn, SYNDROME_ACK, 0, 0);
	}
done:
	release(s);
	if (bell)
		ring(bell);
	return action;

process:
	release(s);
	return up(s);
}

/* What the ICRC of a packet costs, for measurements. */
SEC("xdp") int check(struct xdp_md *ctx)
{
	struct frame *f = PTR(ctx->data);

	if ((void *)(f + 1) > PTR(ctx->data_end))
		return XDP_PASS;
	return crc_rest(ctx, crc_headers(f), ETH + HEADERS, (u64)(ctx->data_end - ctx->data) - ETH - HEADERS - 4) ? XDP_DROP : XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
