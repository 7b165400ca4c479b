// Package pipeline measures what a packet costs the switch: the programs in the kernel
// that are generated from p4/rdma/rdma.p4, beside the same logic written by hand in C,
// a plain parse-and-redirect program, and TC's clone_redirect.
//
// There are two ways to measure, and both are needed:
//
//   - A program by itself (BPF_PROG_TEST_RUN): what the generated code costs beside the
//     code by hand, with nothing else in the figure. It is the same packet each time.
//   - Packets on interfaces: a generator on one veth, the switch, and sinks behind its
//     ports, all on one CPU. What the generator costs is measured likewise, and taken off.
//     Copies, bulk queues and caches are in these figures, requests have one PSN after the
//     other, and there are as many groups as are asked for.
//
// All figures are of CPU time: what else runs on the machine shows less in them, but it
// takes caches away. Samples are short, and taken again when something else got the CPU.
package pipeline
