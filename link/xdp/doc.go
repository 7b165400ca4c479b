// Package xdp is a wire over an AF_XDP socket on queue 0 of an interface: the
// fastest of the wires. It needs root and a driver with native XDP (package
// link/afxdp, which does the work).
//
// The wire receives RoCEv2 packets to its address. Everything else goes to the kernel, which
// continues doing ARP.
package xdp
