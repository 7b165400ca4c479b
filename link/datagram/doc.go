// Package datagram carries frames over datagram sockets. A datagram is one whole Ethernet frame,
// destination address first, without FCS and with nothing around it. The package needs no
// privileges. A Wire is a server's end of such a link, and a Port a switch's end.
//
//	unix:LOCAL,PEER     Unix datagram sockets: two paths
//	udp:LOCAL,PEER      UDP sockets: two ADDRESS:PORT
//
// LOCAL is this end. A port may omit PEER. Its frames then go to the sender of the latest datagram
// that it has received, and until there is one, it refuses them.
//
// No kernel serves a wire's address, so nobody does ARP. All frames of a wire go to the Ethernet
// address of the gateway, which is the switch, and the switch routes them.
//
// The peer need not exist: frames to a socket that does not exist are lost and counted, like those
// on an unplugged cable. When a peer returns, frames reach it within a fraction of a second. Frames
// for a peer that has no room wait in a queue. When the queue is full, frames are dropped and
// counted. Sending never waits, so two busy ends cannot wait for each other. The transport repairs
// losses.
package datagram
