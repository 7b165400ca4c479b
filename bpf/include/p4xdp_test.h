/* Test runs (BPF_PROG_TEST_RUN): what the kernel would know is in front of the packet. */
#ifndef P4XDP_TEST_H
#define P4XDP_TEST_H

#include "p4xdp_types.h"

/* In front of a packet in a test run of the ingress. */
struct p4_test {
	u64 time;         /* ns: what the program sees as now */
	u16 ingress_port;
	u16 reserved[3];
};

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

#endif
