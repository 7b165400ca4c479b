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
// counted, like those on a cable that is not plugged in. A peer that has no room
// is waited for, because the queue of a Unix socket is short (10 datagrams,
// net.unix.max_dgram_qlen); one that takes nothing for a while loses the frames,
// and is not waited for again until it takes one. The transport repairs losses.
package datagram
