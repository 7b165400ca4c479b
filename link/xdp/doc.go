// Package xdp is a wire over an AF_XDP socket on queue 0 of an interface: the
// fastest of the wires. It needs root and a driver with native XDP (package
// link/afxdp, which does the work).
//
// RoCEv2 packets to the wire's address come here; everything else goes to the
// kernel, which goes on doing ARP.
package xdp
