// Package verbs drives RDMA hardware, and the kernel's rxe, through libibverbs and
// librdmacm: the same interface as the software endpoint of package host/roce
// (package rdma).
//
//	rdma.Device ── device ─┬─ event goroutine    rdma_cm events: connections
//	                       ├─ event goroutine    asynchronous events of the device
//	                       ├─ qp, cq             ibv_post_send, ibv_poll_cq
//	                       └─ pages              memory outside the Go heap
//
// The C code is compiled in with the build tag verbs, and needs cgo, libibverbs-dev
// and librdmacm-dev. Without the tag Open says so; finding devices and their GIDs
// (Devices, Select) works always, because it reads sysfs.
//
// # Memory
//
// A NIC reads and writes by itself, at any time. Memory from Alloc is mapped outside
// the Go heap, begins at a page, and is registered once with the device; requests
// whose buffer lies in it cost no copy. Any other buffer, which Go is free to move
// or to reuse, is copied: into the request itself when the device takes that much
// inline, else through memory of the device's own.
//
// Nothing orders what a NIC writes with what a Go program reads, except: a value
// read by MR.Uint64 is never torn, and what was written before it is visible after
// it, if the NIC wrote it before. NICs write the packets of a connection in order,
// but need not write the bytes of one packet in order. Programs check what they copy
// (package smr: checksums). The race detector does not see NICs.
//
// RDMA WRITEs announce themselves to nobody: OnRemoteWrite calls its function every
// Options.Watch.
//
// # Completions
//
// Poll takes a batch with one call to C. Wait polls for Options.Spin, then sleeps
// until the completion channel has an event.
//
// Connections learn that a request has failed when its completion is polled, and
// that the peer's has failed by an event of the device, if the device has one for it.
//
// # Rights
//
// SetAccess changes the queue pair's access flags while it runs. Where a device
// refuses that, or was found at the start not to obey (Options.Access), the queue
// pair is taken through its states instead: to error, where the peer can do nothing,
// to reset, and back to ready-to-send with the new flags and the old numbers; its own
// outstanding work is flushed. A peer that was in the middle of a message may be
// refused by the device before the cycle is over: the queue pair is then in state
// Error, as after any refusal. A WRITE of several packets that has begun when flags
// change goes on on devices that look at them in its first packet only.
//
// # Connections
//
// The device takes part in rdma_cm with its IP address, so the kernel must know a
// route, and the GID of that address must be of type RoCE v2. The kernel answers late
// requests itself (MRA), and tells no reason but "consumer" when it rejects.
package verbs
