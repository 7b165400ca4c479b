// Package kernel lets the kernel answer for a software RDMA endpoint: an XDP program on
// the server's interface executes WRITEs and small READs of connected queue pairs and
// acknowledges them, as an RDMA NIC does, while the process sleeps, is busy, or is
// stopped.
//
//	           +------------------- process ---------------------+
//	           |  roce.Device   rc.QP       memory regions       |
//	           +-----^------------|^-------------|^--------------+
//	   AF_XDP socket |       slots v| (lock)     v| arena (mapped)
//	           +-----|-------------------------------------------+
//	frames --> |  responder.bpf.c: WRITE, short READ  --> XDP_TX |
//	           +-------------------------------------------------+
//
// The state of a queue pair's responder (expected PSN, MSN, the WRITE under way, rights) is
// in a slot that both sides map. The rules:
//
//  1. Who executes a request, or changes rights, holds the slot's lock. The kernel tries a
//     bounded number of times and then leaves the request to the process; the process
//     waits. So a right that was taken away is gone when SetAccess returns.
//  2. A request of the peer, as its ICRC and addresses say, that the kernel does not execute goes to the process and is counted (up). Until
//     the process has executed as many (taken), those behind it go there too. A frame that
//     is lost in between would end the kernel's part for good, so the process sets the
//     counts equal when they have differed for a while.
//  3. While the process has answers to send (busy), the kernel executes nothing: an
//     acknowledgement does not overtake a READ response that it would acknowledge.
//  4. The kernel executes nothing before the process says so (serving), which it does
//     when it accepts the connection or is accepted, and takes back when the queue pair
//     fails.
//
// Only rules 1 and 4 are needed for safety; without 2 and 3 requests would be refused as
// out of order and sent again.
//
// Memory from Alloc lies in one map that the program writes to; regions of other memory
// are served by the process as ever. As with a NIC, a peer's bytes may appear while the
// process looks: rdma.MR says what a consumer may rely on. Bytes are placed in order of
// their addresses up to 128 bytes, eight at a time; in any order beyond.
//
// A consumer that waits for peers' WRITEs is told by a bell: a ring buffer entry that the
// kernel makes once per arming.
package kernel
