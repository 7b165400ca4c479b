// Package roce is a RoCEv2 endpoint in software. On any network interface, it takes the place of an
// RDMA NIC and of the verbs and rdma_cm libraries.
//
//	Dial / Listen ── cmsm.Agent ─┐
//	                             ├─ Device ── Wire (in memory, UDP, AF_PACKET, AF_XDP)
//	QP, CQ, MR ────── rc.QP ─────┘
//
// A Device owns a Wire and two goroutines: one receives, and one watches deadlines. The pure cores
// rc and cmsm, and pair, which ties them together, make all decisions. This package gives them
// packets, time and random numbers, under one lock per device.
//
// # Concurrency
//
// Any goroutine may call any method. Posting sends on the caller's goroutine, so a request is on
// the wire when PostSend returns, as far as the window allows. The goroutine that learns of a
// completion queues it in a CQ. Poll takes completions without allocating, and Wait sleeps until
// there are some.
//
// # Memory
//
// The device writes a registered buffer while the program reads it. The region's ReadAt, WriteAt
// and Read take the lock that makes this well-defined (package rc, type MR), and OnRemoteWrite
// reports when there is something to read. A buffer given to PostSend or PostRecv is different: the
// device owns it until its completion has been polled, and it needs no lock.
//
// # Lifetime
//
// The caller that opens a Device closes it. Close ends all connections without waiting for peers,
// flushes all work, and returns when the goroutines have ended. The user of a Conn closes it, even
// after it has failed: Done reports the failure, and Err the reason.
package roce
