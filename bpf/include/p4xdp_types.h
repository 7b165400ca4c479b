/* Types, helper calls and map definitions for every eBPF program here. */
#ifndef P4XDP_TYPES_H
#define P4XDP_TYPES_H

#include <linux/bpf.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))
/* A function that the verifier checks once, for any arguments. */
#define GLOBAL __attribute__((noinline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* BTF map definitions. */
#define __uint(name, val) int(*name)[val]
#define __type(name, val) typeof(val) *name
#define __array(name, val) typeof(val) *name[]

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)BPF_FUNC_map_lookup_elem;
static u32 (*const bpf_get_smp_processor_id)(void) = (void *)BPF_FUNC_get_smp_processor_id;
static u64 (*const bpf_ktime_get_ns)(void) = (void *)BPF_FUNC_ktime_get_ns;
static void (*const bpf_spin_lock)(struct bpf_spin_lock *lock) = (void *)BPF_FUNC_spin_lock;
static void (*const bpf_spin_unlock)(struct bpf_spin_lock *lock) = (void *)BPF_FUNC_spin_unlock;
static u32 (*const bpf_get_prandom_u32)(void) = (void *)BPF_FUNC_get_prandom_u32;
static long (*const bpf_redirect_map)(void *map, u64 key, u64 flags) = (void *)BPF_FUNC_redirect_map;
static long (*const bpf_xdp_adjust_head)(struct xdp_md *ctx, int delta) = (void *)BPF_FUNC_xdp_adjust_head;
static long (*const bpf_xdp_adjust_meta)(struct xdp_md *ctx, int delta) = (void *)BPF_FUNC_xdp_adjust_meta;
static u64 (*const bpf_xdp_get_buff_len)(struct xdp_md *ctx) = (void *)BPF_FUNC_xdp_get_buff_len;
static long (*const bpf_perf_event_output)(void *ctx, void *map, u64 flags, void *data, u64 size) = (void *)BPF_FUNC_perf_event_output;
static long (*const bpf_ringbuf_output)(void *ringbuf, void *data, u64 size, u64 flags) = (void *)BPF_FUNC_ringbuf_output;
static long (*const bpf_for_each_map_elem)(void *map, void *function, void *context, u64 flags) = (void *)BPF_FUNC_for_each_map_elem;

#define PTR(x) ((void *)(long)(x))
#define READ_ONCE(x) (*(volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile typeof(x) *)&(x) = (v))
#define barrier_var(v) asm volatile("" : "+r"(v))
/* The element of an array, or 0. From the check to the use the index stays in one
 * register: kernels before 6.3 forget what is known of a number in memory. */
#define ELEMENT(array, size, at) ({                                           \
	u64 element_at = (at);                                                    \
	typeof(&(array)[0]) element = 0;                                          \
	barrier_var(element_at);                                                  \
	if (element_at < (size)) {                                                \
		barrier_var(element_at); /* not computed before it is known */        \
		element = &(array)[element_at];                                       \
	}                                                                         \
	element;                                                                  \
})
/* The element of an array whose size is a power of two, for an index that has no other values. */
#define ELEMENT_OF_ALL(array, size, at) ({                                    \
	u64 element_at = (at);                                                    \
	barrier_var(element_at);                                                  \
	&(array)[element_at & ((size) - 1)];                                      \
})
/* The element of an array map, or 0. */
#define ROW(array, size, at) ({                                               \
	u32 row_at = (at);                                                        \
	(struct array *)bpf_map_lookup_elem(&array, &row_at);                     \
})
/* In a branch whose work the compiler shall not do before the branch is taken. */
#define aside() asm volatile("")
#define memcpy(d, s, n) __builtin_memcpy(d, s, n)
#define memset(d, c, n) __builtin_memset(d, c, n)

#endif
