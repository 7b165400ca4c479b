// Package datagram is a wire over a datagram socket, one whole Ethernet frame per
// datagram without FCS, to the datagram port of a switch on the same machine (or,
// with udp, on another). It needs no privilege.
//
//	unix:LOCAL,PEER     Unix datagram sockets: two paths
//	udp:LOCAL,PEER      UDP sockets: two ADDRESS:PORT
//
// There is no kernel behind the address, so nobody does ARP: all frames go to the
// gateway's Ethernet address, and the switch, which is the gateway, routes them.
//
// The peer need not be there: frames to a socket that does not exist are lost and
// counted, like those on a cable that is not plugged in; one that comes back is heard
// within a fraction of a second. For a peer that has no room, frames wait in a queue;
// when that is full, frames are dropped and counted. Sending never waits, so that two
// ends with much to say cannot come to wait for each other. The transport repairs
// losses.
package datagram
