// Package icrc computes the invariant CRC of RoCEv2 packets, and the changes
// that keep an existing one valid when header fields are rewritten.
//
// The ICRC (IB spec volume 1, annex A17.3) is the Ethernet CRC-32 over eight
// 0xff bytes and then the packet from the IP header to the last pad byte, with
// the fields that routers may change read as ones: IP type of service, time to
// live and checksum, UDP checksum, and byte 4 of the BTH. It is stored
// little-endian in the last four bytes of the UDP payload.
//
// # Neutral rewriting
//
// A switch that rewrites headers cannot reach the tail of a packet, where the
// ICRC lies. It need not: the CRC is linear over GF(2), so the effect of a
// header change on the CRC state can be cancelled by a change of 32 other bits
// in the same headers. Two fields are free in a routed RC packet with DF set,
// the IPv4 identification and the UDP source port; their 32 columns are
// linearly independent under this polynomial:
//
//	IPv4                                  UDP              BTH      RETH/AETH
//	0....4..6........12...16...20|        20..22.......28| 28...39| 40......
//	     [id]        [src][dst]           [sport]
//	      ^                                ^
//	      +----- the 32-bit correction ----+
//
// A correction is one uint32: identification in the upper 16 bits, source port
// in the lower 16, both in network order, to be XORed into these fields. The
// correction of several changed bytes is the XOR of their corrections, so a
// table of 256 entries per byte position serves every rewrite. Positions count
// from the first byte of an IPv4 header without options.
//
// The corrections do not depend on what follows the headers: advancing a CRC
// state over equal bytes is an invertible linear map, so two packets whose
// states agree anywhere after the last changed byte have the same ICRC.
//
// The package imports only the standard library, keeps no state, and all its
// functions may be called concurrently.
package icrc
