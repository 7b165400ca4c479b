// Package udp is a wire over a kernel UDP socket bound to port 4791. It needs no privileges and
// works on every interface, but a socket hides part of each packet.
//
// The ICRC covers header fields that the kernel writes. When the wire sends, it knows all of them:
// the socket is not connected and sets "don't fragment", for which Linux uses identification 0, and
// it is bound to one address and port, which are the source. (The ICRC does not cover time to live,
// type of service and checksums.) The UDP checksum is off, as in RoCEv2.
//
// When the wire receives, the socket does not show the identification. It is not 0 in packets of
// NICs, and in packets that a switch has rewritten. The ICRC is linear, so the wire can compute the
// one identification with which the ICRC is valid (package icrc, Identification). If there is none,
// the packet is damaged, and the wire passes it on unchanged, to be counted as such. This uses up
// 16 of the ICRC's 32 bits: a damaged packet passes with probability 2^-16 instead of 2^-32. Where
// that matters, use a wire that sees the whole packet.
package udp
