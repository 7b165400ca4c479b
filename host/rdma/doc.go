// Package rdma is what RDMA endpoints have in common: the software endpoint
// (host/roce), and RNICs and the kernel's rxe (host/verbs). It is interfaces and
// values only.
//
//	systems/rdma/smr ── rdma.Device ──┬── host/roce    frames on any network interface
//	                          └── host/verbs   libibverbs and librdmacm
//
// # Contract
//
// All methods may be called by any goroutine, with one exception: one goroutine at
// a time waits on a completion queue.
//
// Memory that a device reads or writes by itself comes from Device.Alloc. A
// request's buffer may also lie elsewhere, but then a hardware device copies it. A
// buffer is the device's from the post to the completion; an unsignaled request's
// until a later completion of the same queue pair.
//
// What a peer reaches is bounded twice: by the rights of its queue pair and of the
// region, and by protection domains (type Domain). A region that only some
// connections may reach has a domain of its own.
//
// A registered region is written by peers at any time. What a consumer may rely on
// is said at type MR.
//
// Whoever opens a device closes it, after the connections and everything else that
// uses it.
package rdma
