/* Numbers that neither the compiler nor the verifier shall know too much about, and
 * arithmetic without branches. */
#ifndef P4XDP_ARITH_H
#define P4XDP_ARITH_H

#include "p4xdp_types.h"

/* The same number, but the verifier no longer knows anything about it; unknown is one of
 * which it knows nothing. Without this, a value that decides several branches makes as
 * many paths as it has combinations: 256 for a bit mask of eight members. */
INLINE u32 opaque(u32 unknown, u32 x)
{
	x ^= unknown;
	barrier_var(x);
	return x ^ unknown;
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

/* The same for signed numbers. */
INLINE u32 least_signed(s32 x, s32 y)
{
	s64 over = (s64)x - y, less = over;
	asm("%0 s>>= 63" : "+r"(less));
	return y + (over & less);
}

/* The signed number of w bits that is nearest to x, without a branch. */
INLINE u64 within(s64 x, u32 w)
{
	s64 top = (s64)(1ULL << (w - 1)) - 1;
	s64 over = top - x, under = x - ~top;
	s64 above = over, below = under;
	asm("%0 s>>= 63" : "+r"(above));
	asm("%0 s>>= 63" : "+r"(below));
	return x + (over & above) - (under & below);
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
	u64 y = (u64)x - 1; /* negative only when it was 0 */
	asm("%0 >>= 63" : "+r"(y));
	return y;
}

#endif
