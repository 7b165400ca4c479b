// Package roce is a RoCEv2 endpoint in software: what an RDMA NIC and the verbs
// and rdma_cm libraries are to a program, on any network interface.
//
//	Dial / Listen ── cmsm.Agent ─┐
//	                             ├─ Device ── Wire (in memory, UDP, AF_PACKET, AF_XDP)
//	QP, CQ, MR ────── rc.QP ─────┘
//
// A Device owns a Wire and two goroutines, one that receives and one that watches
// deadlines. Everything that decides anything lies in the pure cores rc and cmsm;
// this package gives them packets, time and random numbers, under one lock per
// device.
//
// # Concurrency
//
// All methods may be called by any goroutine. Posting sends on the caller's
// goroutine, so a request is on the wire when PostSend returns, as far as the
// window allows. Completions are queued in a CQ by whichever goroutine learnt of
// them; Poll takes them without allocating, Wait sleeps until there are some.
//
// # Memory
//
// A registered buffer is written by the device while the program reads it. The
// region's ReadAt, WriteAt and Read take the lock that makes this well-defined
// (package rc, type MR), and OnRemoteWrite tells when there is something to read.
// A buffer given to PostSend or PostRecv is different: it is the device's until
// its completion has been polled, and needs no lock.
//
// # Lifetime
//
// Whoever opens a Device closes it; Close ends all connections without waiting
// for peers, flushes all work, and returns when the goroutines have ended. A Conn
// is closed by its user, also after it has failed: Done says when that happened
// and Err why.
package roce
