// Package packet is a wire over an AF_PACKET socket: it sends and receives whole
// Ethernet frames on one interface, so that nothing the ICRC covers is hidden. It
// needs CAP_NET_RAW.
//
// A filter in the kernel lets through RoCEv2 packets to the wire's address only.
// The kernel sees these too; a UDP socket that drops everything is bound to port
// 4791, so that it does not answer with ICMP "port unreachable". Frames bypass
// the queueing discipline.
package packet
