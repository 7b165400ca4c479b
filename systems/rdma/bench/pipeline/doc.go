// Package pipeline measures what a packet costs the switch. It compares the programs in the kernel
// that are generated from p4/rdma/rdma.p4 with the same logic in hand-written C, a plain
// parse-and-redirect program, and TC's clone_redirect.
//
// There are two ways to measure, and both are needed:
//
//   - A program by itself (BPF_PROG_TEST_RUN): the cost of the generated code, compared with the
//     hand-written code, and nothing else. The packet is the same each time.
//   - Packets on interfaces: a generator on one veth, the switch, and sinks behind its ports, all
//     on one CPU. The cost of the generator is measured in the same way, and subtracted. These
//     figures include copies, bulk queues and caches. Requests have consecutive PSNs, and the
//     number of groups is a parameter.
//
// All figures are CPU time. Other programs on the machine affect them less, but still take caches
// away. Samples are short, and are repeated when something else got the CPU.
package pipeline
