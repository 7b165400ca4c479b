/* Access to fields: the only place that knows of the order of bytes. A P4 field is held
 * in a C variable as a number, whatever its bytes are on the wire; ldN and stN convert. */
#ifndef P4XDP_PACKET_H
#define P4XDP_PACKET_H

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

/* A number of so many bytes at a place in a word of memory. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define IN_WORD(word, v, at, size) ((word)(v) << 8 * (at))
#else
#define IN_WORD(word, v, at, size) ((word)(v) << 8 * (sizeof(word) - (at) - (size)))
#endif

#endif
