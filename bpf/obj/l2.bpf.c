/* Code generated from l2.p4 by p4xc. DO NOT EDIT. */
#include "p4xdp.h"
#include "l2.tables.h"

/* XDP metadata of a packet between the two programs. */
struct meta {
	struct p4_meta p4;
	struct {
		u16 pad_ingress_port; /* bit<7> pad, bit<9> ingress_port */
		u16 reason;
	} bridge __attribute__((aligned(8))); /* bridge_h */
};
_Static_assert(sizeof(struct meta) == 24, "size of the metadata");

/* Constants of the program. */
#define DIGEST_LEARN 1
#define DROP_NONE 0
#define DROP_SOURCE 1
#define FLOOD_GROUP 1
#define METER_RED 3
#define PORT_CPU 0x40
#define REASON_NONE 0
#define REASON_RESERVED 1
/* ---- ingress ---- */

/* Headers of the ingress: bits in valid and extracted. */
enum {
	IN_hdr_bridge = 0x1u,
	IN_hdr_packet_in = 0x2u,
	IN_hdr_packet_out = 0x4u,
	IN_hdr_ethernet = 0x8u,
};

/* What the ingress knows of a packet. Headers that came with the packet and are
 * not made anew stay there; the others are members of hdr. */
struct ingress {
	u8 *data;        /* the packet */
	struct meta *m;  /* its metadata, with the bridged header */
	u32 valid;       /* headers that are valid now */
	u32 extracted;   /* headers that the parser found */
	struct {
		struct {
			u32 pad; /* bit<7> */
			u32 ingress_port; /* bit<9> */
			u32 reason; /* bit<16> */
		} packet_in;
	} hdr;
	struct {
		u32 learn; /* bit<1> */
		u32 moved; /* bit<9> */
		u32 drop; /* bit<8> */
		u32 reason; /* bit<16> */
	} md;
	struct {
		u32 ingress_port; /* bit<9> */
	} ig_intr_md;
	struct {
		u32 ucast_egress_port; /* bit<9> */
		u32 mcast_grp_a; /* bit<16> */
	} ig_tm_md;
	struct {
		u32 digest_type; /* bit<3> */
		u32 drop_ctl; /* bit<3> */
	} ig_dprsr_md;
	u64 time;        /* ns; see in_now() */
	u32 length;      /* of the frame, in bytes */
	u16 parser_error;
	u8 contention;   /* a register could not be changed */
	u8 unicast;      /* ucast_egress_port was written */
};

/* hdr.bridge, in the metadata. */
INLINE u32 in_hdr_bridge_pad(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? ((s->m->bridge.pad_ingress_port >> 9) & 0x7f) : 0; }
INLINE void in_set_hdr_bridge_pad(struct ingress *s, u32 v) { s->m->bridge.pad_ingress_port = (s->m->bridge.pad_ingress_port & ~((u64)0x7f << 9)) | (u64)v << 9; }
INLINE u32 in_hdr_bridge_ingress_port(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? (s->m->bridge.pad_ingress_port & 0x1ff) : 0; }
INLINE void in_set_hdr_bridge_ingress_port(struct ingress *s, u32 v) { s->m->bridge.pad_ingress_port = (s->m->bridge.pad_ingress_port & ~((u64)0x1ff << 0)) | (u64)v << 0; }
INLINE u32 in_hdr_bridge_reason(struct ingress *s) { return (s->valid & IN_hdr_bridge) ? s->m->bridge.reason : 0; }
INLINE void in_set_hdr_bridge_reason(struct ingress *s, u32 v) { s->m->bridge.reason = v; }

/* hdr.packet_out, in the packet. */
INLINE u8 in_hdr_packet_out_pad(struct ingress *s) { return (s->valid & IN_hdr_packet_out) ? ((ld8(s->data) >> 1) & 0x7f) : 0; }
INLINE u16 in_hdr_packet_out_egress_port(struct ingress *s) { return (s->valid & IN_hdr_packet_out) ? (ld16(s->data) & 0x1ff) : 0; }
INLINE u16 in_hdr_packet_out_pad2(struct ingress *s) { return (s->valid & IN_hdr_packet_out) ? ld16(s->data + 2) : 0; }

/* hdr.ethernet, in the packet. */
INLINE u64 in_hdr_ethernet_dst(struct ingress *s) { return (s->valid & IN_hdr_ethernet) ? ld48(s->data) : 0; }
INLINE u64 in_hdr_ethernet_src(struct ingress *s) { return (s->valid & IN_hdr_ethernet) ? ld48(s->data + 6) : 0; }
INLINE u16 in_hdr_ethernet_ether_type(struct ingress *s) { return (s->valid & IN_hdr_ethernet) ? ld16(s->data + 12) : 0; }

/* The time at which the packet came in, in ns: read once, when it is needed. */
INLINE u64 in_now(struct ingress *s)
{
	if (!s->time)
		s->time = bpf_ktime_get_ns();
	return s->time;
}

struct in_saved {
	u8 hdr_ethernet[16];
};
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct in_saved); }
	in_scratch SEC(".maps"); /* headers of a packet whose layout changes */

/* action pipe.Ingress.punt, l2.p4:122 */
INLINE void in_punt(struct ingress *s)
{
	aside();
	s->md.reason = REASON_RESERVED; /* l2.p4:123 */
}

/* action pipe.Ingress.bad_source, l2.p4:127 */
INLINE void in_bad_source(struct ingress *s)
{
	aside();
	s->md.drop = DROP_SOURCE; /* l2.p4:128 */
}

/* action NoAction, <core.p4>:35 */
INLINE void in_NoAction(struct ingress *s)
{
	aside();
}

/* action pipe.Ingress.known, l2.p4:148 */
INLINE void in_known(struct ingress *s, u16 p_port)
{
	s->md.moved = (s->ig_intr_md.ingress_port ^ p_port); /* l2.p4:149 */
}

/* action pipe.Ingress.unknown, l2.p4:153 */
INLINE void in_unknown(struct ingress *s)
{
	aside();
	s->md.learn = 1; /* l2.p4:154 */
}

/* action pipe.Ingress.forward, l2.p4:167 */
INLINE void in_forward(struct ingress *s, u16 p_port)
{
	s->ig_tm_md.ucast_egress_port = p_port; /* l2.p4:168 */
	s->unicast = 1;
}

/* action pipe.Ingress.flood, l2.p4:172 */
INLINE void in_flood(struct ingress *s)
{
	aside();
	s->ig_tm_md.mcast_grp_a = FLOOD_GROUP; /* l2.p4:173 */
}

/* table pipe.Ingress.reserved, l2.p4:133 */
INLINE u32 in_reserved_apply(struct ingress *s)
{
	if ((in_hdr_ethernet_src(s) & 0x10000000000ULL) == 0x10000000000ULL) { /* l2.p4:141 */
		in_bad_source(s);
		return HIT | a_reserved_bad_source;
	}
	if ((in_hdr_ethernet_dst(s) & 0xfffffffffff0ULL) == 0x180c2000000ULL) { /* l2.p4:142 */
		in_punt(s);
		return HIT | a_reserved_punt;
	}
	in_NoAction(s);
	return a_reserved_NoAction;
}

/* table pipe.Ingress.source, l2.p4:158 */
INLINE u32 in_source_apply(struct ingress *s)
{
	struct key_source key __attribute__((aligned(8))); /* l2.p4:159 */
	((u64 *)&key)[0] = IN_WORD(u64, in_hdr_ethernet_src(s), 0, 8);
	union value_source *value = lookup_source(&key);
	u32 hit = value ? HIT : 0;
	if (value)
		value->hit = in_now(s);
	if (!value) {
		in_unknown(s);
		return a_source_unknown;
	}
	switch (value->action) {
		case a_source_known:
			in_known(s, value->known.port);
			break;
		case a_source_unknown:
			in_unknown(s);
			break;
	}
	return hit | value->action;
}

/* table pipe.Ingress.destination, l2.p4:177 */
INLINE u32 in_destination_apply(struct ingress *s)
{
	struct key_destination key __attribute__((aligned(8))); /* l2.p4:178 */
	((u64 *)&key)[0] = IN_WORD(u64, in_hdr_ethernet_dst(s), 0, 8);
	union value_destination *value = lookup_destination(&key);
	u32 hit = value ? HIT : 0;
	if (!value) {
		in_flood(s);
		return a_destination_flood;
	}
	switch (value->action) {
		case a_destination_forward:
			in_forward(s, value->forward.port);
			break;
		case a_destination_flood:
			in_flood(s);
			break;
	}
	return hit | value->action;
}

/* Parser of the ingress: on an error, parser_error says which (TNA numbers). */
INLINE void in_parse(struct ingress *s, u8 *p, u8 *end)
{
	/* state start, l2.p4:87 */
	s->md.learn = 0; /* l2.p4:90 */
	s->md.moved = 0; /* l2.p4:90 */
	s->md.drop = DROP_NONE; /* l2.p4:90 */
	s->md.reason = REASON_NONE; /* l2.p4:90 */
	{
		u16 key0 = s->ig_intr_md.ingress_port;
		if (key0 == PORT_CPU)
			goto state_parse_packet_out; /* l2.p4:92 */
		goto state_parse_ethernet; /* l2.p4:93 */
	}
state_parse_packet_out:;
	/* state parse_packet_out, l2.p4:97 */
	if (unlikely(p + 4 > end))
		goto partial; /* l2.p4:98 */
	s->valid |= IN_hdr_packet_out;
	p += 4;
	return;
state_parse_ethernet:;
	/* state parse_ethernet, l2.p4:102 */
	if (unlikely(p + 14 > end))
		goto partial; /* l2.p4:103 */
	s->valid |= IN_hdr_ethernet;
	p += 14;
	return;
partial:;
	s->parser_error = 0x2;
	return;
}

/* Deparser of the ingress, but for the emits. */
INLINE void in_deparse(struct ingress *s)
{
	if (s->ig_dprsr_md.digest_type == DIGEST_LEARN) { /* l2.p4:222 */
		{ /* l2.p4:223 */
			struct digest_pipe_IngressDeparser_learn_digest record = {};
			record.number = 0;
			record.mac = in_hdr_ethernet_src(s);
			record.port = in_hdr_bridge_ingress_port(s);
			if (bpf_ringbuf_output(&digests, &record, sizeof(record), 0))
				count_stat(P4_DIGEST_LOST);
		}
	}
}

/* Brings the headers into the packet. Those that stay there have been rewritten
 * already. Returns XDP_PASS, or a verdict when it is not possible. */
INLINE int in_rewrite(struct ingress *s, struct xdp_md *ctx)
{
	if (likely(!(s->extracted & (IN_hdr_packet_out))))
		return XDP_PASS;

	/* Save what stays, make room, write everything again. */
	u32 parsed = 0, size = 0;
	u32 zero = 0;
	struct in_saved *saved = bpf_map_lookup_elem(&in_scratch, &zero);
	if (!saved)
		return drop(P4_NO_HEADROOM);
	if (s->extracted & IN_hdr_packet_out)
		parsed += 4;
	if (s->extracted & IN_hdr_ethernet)
		parsed += 14;
	if (s->valid & IN_hdr_ethernet) {
		memcpy(saved->hdr_ethernet, s->data, 14);
		size += 14;
	}
	if (parsed != size && bpf_xdp_adjust_head(ctx, (int)(parsed - size)))
		return drop(P4_NO_HEADROOM);
	u8 *p = PTR(ctx->data), *end = PTR(ctx->data_end);
	if (s->valid & IN_hdr_ethernet) {
		if (p + 14 > end)
			return drop(P4_NO_HEADROOM);
		memcpy(p, saved->hdr_ethernet, 14);
		p += 14;
	}
	s->m = PTR(ctx->data_meta); /* moved with the packet */
	if ((void *)(s->m + 1) > PTR(ctx->data))
		return drop(P4_NO_METADATA);
	return XDP_PASS;
}

/* ---- egress ---- */

/* Headers of the egress: bits in valid and extracted. */
enum {
	EG_hdr_bridge = 0x1u,
	EG_hdr_packet_in = 0x2u,
	EG_hdr_packet_out = 0x4u,
	EG_hdr_ethernet = 0x8u,
};

/* What the egress knows of a packet. Headers that came with the packet and are
 * not made anew stay there; the others are members of hdr. */
struct egress {
	u8 *data;        /* the packet */
	u32 valid;       /* headers that are valid now */
	u32 extracted;   /* headers that the parser found */
	struct {
		struct {
			u32 pad; /* bit<7> */
			u32 ingress_port; /* bit<9> */
			u32 reason; /* bit<16> */
		} bridge;
		struct {
			u32 pad; /* bit<7> */
			u32 ingress_port; /* bit<9> */
			u32 reason; /* bit<16> */
		} packet_in;
		struct {
			u32 pad; /* bit<7> */
			u32 egress_port; /* bit<9> */
			u32 pad2; /* bit<16> */
		} packet_out;
		struct {
			u64 dst; /* bit<48> */
			u64 src; /* bit<48> */
			u32 ether_type; /* bit<16> */
		} ethernet;
	} hdr;
	struct {
		u32 way; /* bit<9> */
	} md;
	struct {
		u32 egress_port; /* bit<9> */
	} eg_intr_md;
	struct {
		u32 drop_ctl; /* bit<3> */
	} eg_dprsr_md;
	struct {
		u32 hit; /* bool */
		u32 color; /* bit<8> */
	} tmp;
	u64 time;        /* ns; see eg_now() */
	u32 length;      /* of the frame, in bytes */
	u16 parser_error;
	u8 contention;   /* a register could not be changed */
};

/* The time at which the packet came in, in ns: read once, when it is needed. */
INLINE u64 eg_now(struct egress *s)
{
	if (!s->time)
		s->time = bpf_ktime_get_ns();
	return s->time;
}

/* action pipe.Egress.prune, l2.p4:254 */
INLINE void eg_prune(struct egress *s)
{
	aside();
	s->eg_dprsr_md.drop_ctl = 1; /* l2.p4:255 */
}

/* action NoAction, <core.p4>:35 */
INLINE void eg_NoAction(struct egress *s)
{
	aside();
}

/* table pipe.Egress.way_back, l2.p4:262 */
INLINE u32 eg_way_back_apply(struct egress *s)
{
	if (s->md.way == 0) { /* l2.p4:266 */
		eg_prune(s);
		return HIT | a_way_back_prune;
	}
	eg_NoAction(s);
	return a_way_back_NoAction;
}

/* Parser of the egress: on an error, parser_error says which (TNA numbers). */
INLINE void eg_parse(struct egress *s, u8 *p, u8 *end)
{
	/* state start, l2.p4:234 */
	s->md.way = 0; /* l2.p4:237 */
	return;
}

/* Deparser of the egress, but for the emits. */
INLINE void eg_deparse(struct egress *s)
{
}

/* Brings the headers into the packet. Those that stay there have been rewritten
 * already. Returns XDP_PASS, or a verdict when it is not possible. */
INLINE int eg_rewrite(struct egress *s, struct xdp_md *ctx)
{
	if (likely(!((s->valid ^ s->extracted) & (EG_hdr_packet_in))))
		return XDP_PASS;

	/* Save what stays, make room, write everything again. */
	u32 parsed = 0, size = 0;
	if (s->valid & EG_hdr_packet_in) {
		size += 4;
	}
	if (parsed != size && bpf_xdp_adjust_head(ctx, (int)(parsed - size)))
		return drop(P4_NO_HEADROOM);
	u8 *p = PTR(ctx->data), *end = PTR(ctx->data_end);
	if (s->valid & EG_hdr_packet_in) {
		if (p + 4 > end)
			return drop(P4_NO_HEADROOM);
		st16(p, (u64)s->hdr.packet_in.pad << 9 | s->hdr.packet_in.ingress_port);
		st16(p + 2, s->hdr.packet_in.reason);
		p += 4;
	}
	return XDP_PASS;
}

INLINE int in_done(struct ingress *s, struct xdp_md *ctx)
{
	if (unlikely(s->contention))
		return drop(P4_CONTENTION);
	in_deparse(s);
	if (s->ig_dprsr_md.drop_ctl & 1)
		return drop(P4_PROGRAM_DROP);
	u32 group = s->ig_tm_md.mcast_grp_a, out = s->ig_tm_md.ucast_egress_port;
	int to_port = s->unicast && out != P4_NOWHERE;
	if (unlikely(!group && !to_port))
		return drop(P4_NO_DESTINATION);
	int verdict = in_rewrite(s, ctx);
	if (verdict != XDP_PASS)
		return verdict;
	if (unlikely(!(s->valid & IN_hdr_bridge)))
		return drop(P4_NO_BRIDGE);
	struct meta *m = s->m;
	m->p4.group = group;
	m->p4.egress_port = out;
	if (group) {
		m->p4.sequence = next_sequence();
		if (unlikely(to_port)) {
			m->p4.flags = P4_TO_PORT;
			return forward_both(out);
		}
		m->p4.flags = 0;
		return forward_multicast(group);
	}
	m->p4.flags = 0;
	m->p4.sequence = 0;
	return forward_unicast(out);
}

/* Control of the ingress. */
INLINE int in_control(struct ingress *s, struct xdp_md *ctx)
{
	COUNT(c_port_rx, 512, 512, s->ig_intr_md.ingress_port, port_rx, s->length); /* l2.p4:185 */
	if (!(s->valid & IN_hdr_bridge)) { /* l2.p4:186 */
		s->valid |= IN_hdr_bridge;
	}
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_pad(s, 0); /* l2.p4:187 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_ingress_port(s, s->ig_intr_md.ingress_port); /* l2.p4:188 */
	if (s->valid & IN_hdr_bridge)
		in_set_hdr_bridge_reason(s, REASON_NONE); /* l2.p4:189 */
	if (!!(s->valid & IN_hdr_packet_out)) { /* l2.p4:190 */
		s->ig_tm_md.ucast_egress_port = in_hdr_packet_out_egress_port(s); /* l2.p4:191 */
		s->unicast = 1;
	} else {
		in_reserved_apply(s); /* l2.p4:193 */
		if ((s->md.drop == DROP_NONE) && (s->md.reason == REASON_NONE)) { /* l2.p4:194 */
			in_source_apply(s); /* l2.p4:195 */
			if ((s->md.learn == 1) || (s->md.moved != 0)) { /* l2.p4:196 */
				aside();
				s->ig_dprsr_md.digest_type = DIGEST_LEARN; /* l2.p4:197 */
			}
			in_destination_apply(s); /* l2.p4:199 */
		}
	}
	if (s->md.reason != REASON_NONE) { /* l2.p4:202 */
		s->ig_tm_md.ucast_egress_port = PORT_CPU; /* l2.p4:203 */
		s->unicast = 1;
		if (s->valid & IN_hdr_bridge)
			in_set_hdr_bridge_reason(s, s->md.reason); /* l2.p4:204 */
		COUNT(c_punts, 16, 16, s->md.reason, punts, s->length); /* l2.p4:205 */
	}
	if (s->md.drop != DROP_NONE) { /* l2.p4:207 */
		s->ig_dprsr_md.drop_ctl = 1; /* l2.p4:208 */
		COUNT(c_drops, 16, 16, s->md.drop, drops, s->length); /* l2.p4:209 */
	}
	return in_done(s, ctx);
}

INLINE int in_parsed(struct ingress *s, struct xdp_md *ctx)
{
	return in_control(s, ctx);
}

/* A packet from a port; time: now, or 0 to look at the clock when needed. */
INLINE int run_ingress(struct xdp_md *ctx, u32 port, u64 time)
{
	struct ingress state = {}, *s = &state;
	s->time = time;
	/* Whatever metadata the frame came with is replaced by ours. */
	if (bpf_xdp_adjust_meta(ctx, (int)(ctx->data - ctx->data_meta) - (int)sizeof(struct meta)))
		return drop(P4_NO_METADATA);
	u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
	struct meta *m = PTR(ctx->data_meta);
	if ((void *)(m + 1) > (void *)data)
		return drop(P4_NO_METADATA);
	s->m = m;
	s->length = (u32)(end - data);
	m->p4.length = s->length;
	s->ig_intr_md.ingress_port = port;
	s->data = data;
	in_parse(s, data, end);
	if (unlikely(s->parser_error))
		return drop(P4_PARSER_REJECT);
	barrier_var(s->valid);
	__builtin_assume(!(s->valid & (IN_hdr_bridge | IN_hdr_packet_in))); /* never parsed */
	s->extracted = s->valid;
	return in_parsed(s, ctx);
}

INLINE int eg_done(struct egress *s, struct xdp_md *ctx)
{
	if (unlikely(s->contention))
		return drop(P4_CONTENTION);
	eg_deparse(s);
	if (s->eg_dprsr_md.drop_ctl & 1)
		return drop(P4_EGRESS_DROP);
	return eg_rewrite(s, ctx);
}

/* Control of the egress. */
INLINE int eg_control(struct egress *s, struct xdp_md *ctx)
{
	s->md.way = (s->hdr.bridge.ingress_port ^ s->eg_intr_md.egress_port); /* l2.p4:271 */
	{
		u32 ran = eg_way_back_apply(s); /* l2.p4:272 */
		s->tmp.hit = !!(ran & HIT);
	}
	if (s->tmp.hit) { /* l2.p4:272 */
		COUNT(c_by_egress_port, 512, 512, s->eg_intr_md.egress_port, pruned, s->length); /* l2.p4:273 */
	} else {
		if (s->eg_intr_md.egress_port == PORT_CPU) { /* l2.p4:275 */
			{ /* punt */
				if (!(s->valid & EG_hdr_packet_in)) { /* punt.p4:28 */
					s->valid |= EG_hdr_packet_in;
				}
				if (s->valid & EG_hdr_packet_in)
					s->hdr.packet_in.pad = s->hdr.bridge.pad; /* punt.p4:29 */
				if (s->valid & EG_hdr_packet_in)
					s->hdr.packet_in.ingress_port = s->hdr.bridge.ingress_port; /* punt.p4:30 */
				if (s->valid & EG_hdr_packet_in)
					s->hdr.packet_in.reason = s->hdr.bridge.reason; /* punt.p4:31 */
				s->tmp.color = METER(m_punt_rate, ((u32)s->hdr.bridge.ingress_port << 4 | ((u8)s->hdr.bridge.reason & 0xf)), eg_now(s), 1); /* punt.p4:32 */
				if (s->tmp.color == METER_RED) { /* punt.p4:32 */
					s->eg_dprsr_md.drop_ctl = 1; /* punt.p4:33 */
					COUNT(c_limited, 512, 512, s->hdr.bridge.ingress_port, limited, s->length); /* punt.p4:34 */
				}
			}
		}
		if (s->eg_dprsr_md.drop_ctl == 0) { /* l2.p4:278 */
			COUNT(c_by_egress_port, 512, 512, s->eg_intr_md.egress_port, port_tx, s->length); /* l2.p4:279 */
		}
	}
	return eg_done(s, ctx);
}

INLINE int eg_parsed(struct egress *s, struct xdp_md *ctx)
{
	return eg_control(s, ctx);
}

/* A copy of a packet that leaves through a port; time as in the ingress. */
INLINE int run_egress(struct xdp_md *ctx, u32 port, u64 time)
{
	struct egress state = {}, *s = &state;
	s->time = time;
	struct meta *m = PTR(ctx->data_meta);
	if ((void *)(m + 1) > PTR(ctx->data))
		return drop(P4_NO_METADATA);
	u32 group = m->p4.group;
	u32 flags = m->p4.flags;
	u64 seq = m->p4.sequence;
	s->length = m->p4.length;
	s->valid |= EG_hdr_bridge;
	s->hdr.bridge.pad = ((m->bridge.pad_ingress_port >> 9) & 0x7f);
	s->hdr.bridge.ingress_port = (m->bridge.pad_ingress_port & 0x1ff);
	s->hdr.bridge.reason = m->bridge.reason;
	s32 rid = 0;
	if (unlikely(flags & P4_TO_PORT)) {
		rid = replication_id_or_port(group, seq, port, m->p4.egress_port);
		if (rid < 0)
			return XDP_DROP;
	} else if (group) {
		rid = replication_id(group, seq, port);
		if (unlikely(rid < 0))
			return drop(P4_NO_COPY);
	}
	/* Nobody behind the port shall see our metadata. */
	if (bpf_xdp_adjust_meta(ctx, (int)(ctx->data - ctx->data_meta)))
		return drop(P4_NO_METADATA);
	u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);
	s->eg_intr_md.egress_port = port;
	s->data = data;
	eg_parse(s, data, end);
	if (unlikely(s->parser_error))
		return drop(P4_EGRESS_REJECT);
	barrier_var(s->valid);
	__builtin_assume(!(s->valid & (EG_hdr_packet_in | EG_hdr_packet_out | EG_hdr_ethernet))); /* never parsed */
	s->extracted = s->valid;
	return eg_parsed(s, ctx);
}

#include "p4xdp_main.h"
