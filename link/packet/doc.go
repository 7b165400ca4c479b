// Package packet carries whole Ethernet frames through an AF_PACKET socket on one
// interface. It needs CAP_NET_RAW.
//
// A Wire is a server's: nothing that the ICRC covers is hidden from it. A filter in the
// kernel lets through RoCEv2 packets to the wire's address only. The kernel sees these
// too; a UDP socket that drops everything is bound to port 4791, so that it does not
// answer with ICMP "port unreachable". Frames bypass the queueing discipline.
//
// A Port is a switch's: it takes every frame, to whomever, as it was on the cable, and
// sends through the queueing discipline.
package packet
