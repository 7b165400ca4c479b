// Package link carries Ethernet frames for those who have no packet path of their own:
// servers' endpoints in user space, which have a Wire, and a switch that runs in the
// interpreter, which has Ports. Below it are the ways to do that:
//
//	          Wire          Port
//	hub       Hub           Cable      in memory, for tests and for several endpoints in one process
//	udp       Open                     a kernel UDP socket: no privilege, a weaker check on receive
//	datagram  Open          OpenPort   whole frames in Unix or UDP datagrams: no privilege
//	packet    Open          OpenPort   AF_PACKET: whole frames, CAP_NET_RAW
//	xdp       Open                     AF_XDP: the fastest, root and a driver with native XDP
//
// Frames begin with the destination address and have no FCS. All of them move frames in
// batches and without a copy that could be avoided. What is between two ends may lose
// frames, as a network does; it says how many where it knows.
package link
