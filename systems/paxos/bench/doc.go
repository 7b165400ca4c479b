// Package bench measures Paxos in switches (p4/paxos) beside the same roles as programs: tables I and
// II and figures 7 and 8 of the P4xos paper.
//
//	roles     a role by itself, in the kernel      again -> program    (test runs: CPU time of a message)
//	whole     hosts and roles, taking turns        h1, h2 == switches  (network namespace, XDP)
//	                                               h1, h2 == programs  (processes, loopback)
//	outage    a switch is killed under load        how long a client hears nothing
//
// A role by itself is what its program for the ingress takes for a message, and that for the egress
// for each copy, by test runs (BPF_PROG_TEST_RUN). Such a run finds the packet as the one before has
// left it. So a program (again) makes the message anew each time, with the next instance, and goes on
// in the one that is measured; what it takes itself is measured likewise, and taken off. Drivers and
// copying are not in it.
//
// In a whole system the hosts are this process. Who sends a packet walks its way through all switches
// (soft interrupts of the system call), so the CPU time of switches is told from that of hosts by the
// run time of their programs, which the kernel measures; what drivers and copying take is left to the
// hosts. Programs are processes, and their CPU time is what the kernel says of each.
package bench
