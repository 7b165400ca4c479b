// Package link carries Ethernet frames for programs without a packet path of their own. An endpoint
// of a server in user space has a Wire. A switch in the interpreter has Ports. The packages below
// it are:
//
//	          Wire          Port
//	hub       Hub           Cable      in memory, for tests and for several endpoints in one process
//	udp       Open                     a kernel UDP socket: no privileges, a weaker check on receive
//	datagram  Open          OpenPort   whole frames in Unix or UDP datagrams: no privileges
//	packet    Open          OpenPort   AF_PACKET: whole frames, CAP_NET_RAW
//	xdp       Open                     AF_XDP: the fastest, root and a driver with native XDP
//
// Frames begin with the destination address and have no FCS. All packages move frames in batches,
// and avoid copies. A link may lose frames, as a network does. It counts the losses that it knows
// of.
package link
