// Package verbs drives RDMA hardware, and the kernel's rxe, through libibverbs and librdmacm. It
// has the same interface (package rdma) as the software endpoint of host/roce.
//
//	rdma.Device ── device ─┬─ event goroutine    rdma_cm events: connections
//	                       ├─ event goroutine    asynchronous events of the device
//	                       ├─ qp, cq             ibv_post_send, ibv_poll_cq
//	                       └─ pages              memory outside the Go heap
//
// The C code is compiled in with the build tag verbs, and needs cgo, libibverbs-dev and
// librdmacm-dev. Without the tag, Open returns an error that says so. Devices and Select, which
// find devices and their GIDs, always work, because they read sysfs.
//
// # Memory
//
// A NIC reads and writes by itself, at any time. Memory from Alloc is mapped outside the Go heap,
// begins at a page, and is registered once with the device. Requests whose buffer lies in it need
// no copy. Go may move or reuse any other buffer, so the device copies it: into the request itself
// if the device takes that much inline, else through memory of its own.
//
// Nothing orders the writes of a NIC with the reads of a Go program, with one exception: a value
// read by MR.Uint64 is never torn, and whatever the NIC wrote before it is visible after it. NICs
// write the packets of a connection in order, but need not write the bytes of one packet in order.
// Programs check what they copy (package smr: checksums). The race detector does not see NICs.
//
// An RDMA WRITE notifies no process, so OnRemoteWrite calls its function every Options.Watch.
//
// # Completions
//
// Poll takes a batch with one call to C. Wait polls for Options.Spin, and then sleeps until the
// completion channel has an event.
//
// A connection learns that a request has failed when its completion is polled. It learns that a
// request of the peer has failed by an event of the device, if the device has one for it.
//
// # Rights
//
// SetAccess changes the queue pair's access flags while it runs. A device may refuse that, or may
// have been found at the start not to obey (Options.Access). SetAccess then takes the queue pair
// through its states: to error, where the peer can do nothing, to reset, and back to ready-to-send
// with the new flags and the old numbers. This flushes the queue pair's own outstanding work. The
// device may refuse a peer that was in the middle of a message before the cycle is over. The queue
// pair is then in state Error, as after any refusal. Some devices look at the flags only in the
// first packet of a WRITE: there, a WRITE of several packets continues if it began before the
// change.
//
// # Connections
//
// The device takes part in rdma_cm with its IP address, so the kernel must know a route, and the
// GID of that address must be of type RoCE v2. The kernel answers late requests itself (MRA). When
// it rejects, its only reason is "consumer".
package verbs
