/* CRCs of any width, byte by byte. */
#ifndef P4XDP_HASH_H
#define P4XDP_HASH_H

#include "p4xdp_types.h"

/* A byte more of a CRC whose register stands at the top of the word, or, mirrored, at the bottom. */
GLOBAL u64 crc_up(u64 crc, u64 polynomial, u64 byte)
{
	crc ^= byte << 56;
	for (u32 i = 0; i < 8; i++)
		crc = crc << 1 ^ (polynomial & -(crc >> 63));
	return crc;
}

GLOBAL u64 crc_down(u64 crc, u64 polynomial, u64 byte)
{
	crc ^= byte;
	for (u32 i = 0; i < 8; i++)
		crc = crc >> 1 ^ (polynomial & -(crc & 1));
	return crc;
}

#endif
