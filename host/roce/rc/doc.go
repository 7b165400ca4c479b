// Package rc is the reliable connection transport of RoCEv2, as a pure state machine. Its inputs
// are packets, posted work and the time. Its outputs are frames and completions.
//
//	PostSend --> requester --+            +-- PollCompletion -->
//	                         +--> Next -->
//	Receive ---> responder --+   frames
//	   |
//	   +--> requester (acknowledgements, READ responses)
//
// A QP does nothing by itself: it has no goroutine, socket, clock or source of randomness. Its
// owner calls Receive for each packet, and Tick at Deadline. After each of these calls and after
// each post, the owner takes frames with Next until none is left, and completions with
// PollCompletion. Time is a parameter, in nanoseconds since any fixed moment. The same inputs give
// the same outputs.
//
// A QP, and the Memory that its peers reach through it, are not synchronised: one lock must guard
// all QPs of a Memory. The bytes of a memory region are the exception, because a consumer reads
// them while a peer writes them. MR guards them with a lock of its own.
//
// The package implements:
//
//   - WRITE, SEND (both with and without immediate data), READ and the two atomics, as requester
//     and responder, with messages of many packets at path MTUs of 256 to 4096 bytes;
//   - cumulative acknowledgements, go-back-N on NAK and on timeout, resuming in the middle of a
//     message (after a timeout with one packet, and a window that opens with acknowledgements);
//   - receiver-not-ready, end-to-end credits, error NAKs;
//   - congestion notifications, sent at a limited rate for marked packets. With Config.Congestion,
//     the sender reacts to them (DCQCN, package dcqcn). That is off by default: it gains nothing
//     where hosts share a switch whose queues are shorter than the window.
//
// It refuses SEND with invalidate, and the reliable-datagram and unreliable services.
//
// After the queues have been made, a packet causes no allocation.
//
// Source: IB spec volume 1 chapter 9. Where it leaves a choice: the kernel's rxe
// (drivers/infiniband/sw/rxe of Linux 6.1).
package rc
