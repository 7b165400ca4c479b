// Package kernel lets the kernel answer for a software RDMA endpoint. An XDP program on the
// server's interface executes WRITEs and small READs of connected queue pairs, and acknowledges
// them as an RDMA NIC does, while the process sleeps, is busy, or is stopped.
//
//	           +------------------- process ---------------------+
//	           |  roce.Device   rc.QP       memory regions       |
//	           +-----^------------|^-------------|^--------------+
//	   AF_XDP socket |       slots v| (lock)     v| arena (mapped)
//	           +-----|-------------------------------------------+
//	frames --> |  responder.bpf.c: WRITE, short READ  --> XDP_TX |
//	           +-------------------------------------------------+
//
// A slot that both sides map holds the state of a queue pair's responder: expected PSN, MSN, the
// WRITE under way, rights. The rules:
//
//  1. The side that executes a request, or changes rights, holds the slot's lock. The kernel tries
//     a bounded number of times, and then leaves the request to the process. The process waits. So
//     a revoked right is gone when SetAccess returns.
//  2. If a request is the peer's, by its ICRC and addresses, and the kernel does not execute it,
//     the kernel passes it to the process, and counts it (up). Until the process has executed as
//     many (taken), later requests go to the process, too. A frame that is lost in between would
//     end the kernel's part forever, so the process makes the counts equal when they have differed
//     for a while.
//  3. While the process has answers to send (busy), the kernel executes nothing: an
//     acknowledgement does not overtake a READ response that it would acknowledge.
//  4. The kernel executes nothing before the process sets serving. The process sets it when it
//     accepts the connection or is accepted, and clears it when the queue pair fails.
//
// Only rules 1 and 4 are needed for safety. Without 2 and 3, requests would be refused as out of
// order, and sent again.
//
// Memory from Alloc lies in one map that the program writes to. The process serves regions of other
// memory as usual. As with a NIC, bytes of a peer may appear while the process looks: rdma.MR says
// what a consumer may rely on. Up to 128 bytes are placed in the order of their addresses, eight at
// a time; beyond that, in any order.
//
// A bell wakes a consumer that waits for peers' WRITEs. The bell is a ring buffer entry, which the
// kernel makes once each time the consumer arms it.
package kernel
