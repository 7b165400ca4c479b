// Package wire reads and writes RoCEv2 frames: Ethernet, IPv4, UDP, the
// InfiniBand base and extended transport headers, and the ICRC.
//
//	Ethernet 14 | IPv4 20 | UDP 8 | BTH 12 | extended headers | payload | pad | ICRC 4
//
// Every header is a byte-slice view: a named []byte with getters and setters
// that work in place, in network byte order on the wire and host integers in
// Go. Getters and setters of a view assume that the slice holds at least the
// header's Len bytes; Parse is what establishes that for received frames.
// Parse never copies, and AppendFrame never allocates when the caller's buffer
// has room, so both are fit for every packet.
//
// Views alias the frame they were parsed from and are valid as long as it is.
// A view is not synchronised; distinct frames may be used concurrently.
//
// Sources: IB spec volume 1 chapter 9 (transport) and annex A17 (RoCEv2).
package wire
