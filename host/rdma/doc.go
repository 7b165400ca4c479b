// Package rdma is the common interface of RDMA endpoints: the software endpoint (host/roce), and
// RNICs and the kernel's rxe (host/verbs). It contains interfaces and values only.
//
//	systems/rdma/smr ── rdma.Device ──┬── host/roce    frames on any network interface
//	                          └── host/verbs   libibverbs and librdmacm
//
// # Contract
//
// Any goroutine may call any method, with one exception: only one goroutine at a time may wait on a
// completion queue.
//
// Memory that a device reads or writes by itself comes from Device.Alloc. The buffer of a request
// may also lie elsewhere, but a hardware device then copies it. The device owns a buffer from the
// post to the completion. It owns the buffer of an unsignaled request until a later completion of
// the same queue pair.
//
// Two limits bound the memory that a peer reaches: the rights of its queue pair and of the region,
// and protection domains (type Domain). A region that only some connections may reach has a domain
// of its own.
//
// Peers may write a registered region at any time. Type MR says what a consumer may rely on.
//
// The caller that opens a device closes it, after the connections and everything else that uses it.
package rdma
