// Package vm runs Linux guests with the kernel's software RDMA device, rxe, as
// servers of a test network: real RDMA peers, with their own implementation of
// everything that p4ce speaks to.
//
//	+- switch's namespace ----------------------------------------+
//	|  p4ce switch (XDP)                                          |
//	|    port 1      port 2      port 3                           |
//	|  +---p1---+  +---p2---+  +---p3---+  taps                   |
//	+--|--------|--|--------|--|--------|-------------------------+
//	   | guest  |  | guest  |  | veth to a host's namespace
//	   | rxe0   |  | rxe0   |
//	   +--------+  +--------+
//
// Build makes the guests' kernel and initial RAM disk from Debian packages alone,
// which it downloads with apt-get: the kernel, those of its modules that rxe
// needs, rdma-core's tools, perftest, iproute2, ethtool, a shell, and guestd, which runs the
// commands that a test sends. Nothing is installed on the machine, and nothing but
// the cache folder is written to. Boot starts a guest in QEMU, by emulation: it is
// for correctness, not for measuring. A guest dies with the process that booted it.
//
// What is missing on a machine is said by a NeedsError, with the packages to
// install; tests skip with its text.
package vm
