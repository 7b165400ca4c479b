// Package wire carries Ethernet frames between a switch port of a target that
// has no packet path of its own and whatever is at the other end.
//
//	veth-leader                     AF_PACKET socket on a network interface (CAP_NET_RAW)
//	udp:LOCAL[,PEER]                one frame per UDP datagram
//	unix:LOCAL[,PEER]               one frame per Unix datagram
//
// A datagram holds exactly one Ethernet frame, destination address first,
// without FCS and with nothing around it. LOCAL is the switch's end; without
// PEER, frames go to the sender of the latest datagram. No privilege is needed
// for the datagram forms.
//
// A Wire is used by one reader and one writer at a time; Close may be called
// from anywhere and ends both.
package wire
