// Package hosts knows which servers are attached to a switch, and plays the part
// of a host for the switch's own addresses, as a pure core: frames that the
// switch sent up, and the time, go in; frames to send, and changes of the host
// table, come out.
//
//	ARP for the switch        answered
//	ARP for a known host      answered on its behalf
//	ARP for anybody else      flooded to the other ports
//	ARP reply                 passed on to the host that asked
//	unknown L2 destination    flooded to the other ports, but for what no bridge passes on
//	no route                  ARP on all ports; the packet is dropped
//	ping of the switch        answered
//	a frame of the controller sent when the destination is known, else after ARP
//
// Hosts are learned from ARP and from connection management. What says that a known
// host is elsewhere is believed when the host does not answer at its old place
// for a second, or for 15 if something depends on it (claim.go); static hosts are never replaced.
// A port has room for so many learned hosts, searches and claims, and no more; who was not heard of for
// long is asked, and forgotten if he is silent (age.go).
//
// The owner calls one method at a time and drains Poll after each.
package hosts
