// Package datagram carries frames over datagram sockets, one whole Ethernet frame per
// datagram, destination address first, without FCS and with nothing around it. It needs
// no privilege. A Wire is a server's end of such a link, a Port a switch's.
//
//	unix:LOCAL,PEER     Unix datagram sockets: two paths
//	udp:LOCAL,PEER      UDP sockets: two ADDRESS:PORT
//
// LOCAL is one's own. A port may leave PEER out: its frames then go to the sender of the
// latest datagram that it has received, and until there is one they are refused.
//
// There is no kernel behind a wire's address, so nobody does ARP: all its frames go to
// the gateway's Ethernet address, and the switch, which is the gateway, routes them.
//
// The peer need not be there: frames to a socket that does not exist are lost and
// counted, like those on a cable that is not plugged in; one that comes back is heard
// within a fraction of a second. For a peer that has no room, frames wait in a queue;
// when that is full, frames are dropped and counted. Sending never waits, so that two
// ends with much to say cannot come to wait for each other. The transport repairs
// losses.
package datagram
