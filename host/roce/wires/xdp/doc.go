// Package xdp is a wire over an AF_XDP socket on queue 0 of an interface: the
// fastest of the wires. It needs CAP_NET_RAW and CAP_BPF (in practice root), and
// a driver with native XDP; it never falls back to generic mode.
//
// An XDP program, assembled here, steers RoCEv2 packets to the wire's address
// into the socket and passes everything else to the kernel, which goes on doing
// ARP. The socket works in copy mode.
//
// The socket library (github.com/asavie/xdp) cannot unmap its rings, so a queue
// can be opened once in the life of a process; Close ends receiving and takes the
// program off.
//
// Concurrency: half of the frames belong to the receiving goroutine and half to
// the sending one. A lock guards the library's table of free frames, never a
// system call.
package xdp
