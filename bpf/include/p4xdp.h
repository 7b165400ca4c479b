/* Run-time support for C that bpf/gen writes, and what it shares with the Go side of the
 * XDP target.
 *
 *   p4xdp_types.h    types, helper calls, map definitions
 *   p4xdp_packet.h   fields in packets and keys, big-endian
 *   p4xdp_arith.h    arithmetic without branches, numbers that nobody looks into
 *   p4xdp_check.h    CRCs and checksums
 *   p4xdp_count.h    counters, and why packets are dropped
 *   p4xdp_meter.h    meters; included by programs that have some
 *   p4xdp_filter.h   filters; included by programs that have some
 *   p4xdp_forward.h  ports, groups, copies
 *   p4xdp_test.h     test runs
 *   p4xdp_trace.h    packet traces
 *   p4xdp_main.h     the programs; included behind what is generated
 */
#ifndef P4XDP_H
#define P4XDP_H

#include "p4xdp_types.h"
#include "p4xdp_packet.h"
#include "p4xdp_arith.h"
#include "p4xdp_check.h"
#include "p4xdp_count.h"
#include "p4xdp_forward.h"
#include "p4xdp_test.h"
#include "p4xdp_trace.h"

/* What a table's apply returns: the number of the action that ran, and this. */
#define HIT 0x10000
/* Which actions of a table run; both, but in an @updates_first block. */
#define P4_UPDATES 1
#define P4_QUERIES 2
#define P4_ALL 3

#endif
