// Package bench compares Paxos in switches (p4/paxos) with the same roles as programs: tables I and
// II and figures 2, 7 and 8 of the P4xos paper.
//
//	roles     a role by itself, in the kernel      again -> program    (test runs: CPU time of a message)
//	whole     hosts and roles, taking turns        h1, h2 == switches  (network namespace, XDP)
//	                                               h1, h2 == programs  (processes, loopback)
//	outage    a switch is killed under load        how long a client hears nothing
//	placement one value at a time, taking turns    p == tor, agg, spine with roles == r1  (network namespaces, XDP)
//	                                               p == network == programs at hosts == r1
//
// The cost of a role is the time of its ingress program for a message, and of its egress program
// for each copy, by test runs (BPF_PROG_TEST_RUN). Such a run finds the packet as the previous run
// left it. So another program (again, of bench/program) writes the message anew each time, with the next instance,
// and continues in the measured program. Its own cost is measured in the same way, and subtracted.
// Drivers and copying are not included.
//
// In a whole system, the hosts are this process. The sender of a packet walks its path through all
// switches (soft interrupts of the system call). The run time of the XDP programs, which the kernel
// measures, separates the CPU time of switches from that of hosts. Drivers and copying count for
// the hosts. The roles as programs are processes, whose CPU time the kernel reports.
//
// Of a placement the benchmark measures the latency of values, which is here that of function calls
// and of programs that are woken, and the packets that switches receive for a value, which are the
// traversals of the network. A packet that the switches only forward is what one of these takes.
package bench
