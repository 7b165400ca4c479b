/* CRCs and checksums. */
#ifndef P4XDP_CHECK_H
#define P4XDP_CHECK_H

#include "p4xdp_types.h"

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

#endif
