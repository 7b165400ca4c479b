// Package wires holds nothing itself; below it are the implementations of
// roce.Wire:
//
//	hub       in memory, for tests and for several endpoints in one process
//	udp       a kernel UDP socket: no privilege, a weaker check on receive
//	datagram  whole frames in Unix or UDP datagrams, to a switch's datagram
//	          port: no privilege
//	packet    AF_PACKET: whole frames, CAP_NET_RAW
//	xdp       AF_XDP: the fastest, root and a driver with native XDP
package wires
