// Package udp is a wire over a kernel UDP socket bound to port 4791. It needs no
// privilege and works on every interface, at the price of what a socket hides.
//
// The ICRC covers header fields that the kernel writes. Sending, all of them are
// known: the socket is not connected and sets "don't fragment", for which Linux
// uses identification 0, and it is bound to one address and port, which are the
// source. (Time to live, type of service and checksums are not covered.) The UDP
// checksum is switched off, as RoCEv2 has it.
//
// Receiving, a socket does not show the identification, which is not 0 in what
// NICs send and in what a switch has rewritten. The ICRC is linear, so the one
// identification with which it is right can be computed (package icrc,
// Identification); when there is none, the packet is damaged and is handed up as
// it is, to be counted as such. This spends 16 of the ICRC's 32 bits: a damaged
// packet passes with probability 2^-16 instead of 2^-32. Where that matters, use
// a wire that sees the whole packet.
package udp
