// Package packet carries whole Ethernet frames through an AF_PACKET socket on one
// interface. It needs CAP_NET_RAW.
//
// A Wire is for a server. It sees everything that the ICRC covers. A filter in the kernel passes
// only RoCEv2 packets to the wire's address. The kernel sees these, too: a UDP socket that drops
// everything is bound to port 4791, so that the kernel does not answer with ICMP "port
// unreachable". Frames bypass the queueing discipline.
//
// A Port is for a switch. It takes every frame, to any address, as it was on the cable, and sends
// through the queueing discipline. OpenHost opens one for a host, and keeps the kernel from answering
// what the host receives.
package packet
