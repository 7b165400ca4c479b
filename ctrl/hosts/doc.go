// Package hosts knows which servers are attached to a switch, and acts as a host for the switch's
// own addresses. It is a pure core: its inputs are frames that the switch sent up, and the time;
// its outputs are frames to send, and changes of the host table.
//
//	ARP for the switch        answered
//	ARP for a known host      answered on its behalf
//	ARP for anybody else      flooded to the other ports
//	ARP reply                 passed on to the host that asked
//	unknown L2 destination    flooded to the other ports, except frames that no bridge forwards
//	no route                  ARP on all ports; the packet is dropped
//	ping of the switch        answered
//	a frame of the controller sent when the destination is known, else after ARP
//
// The table learns hosts from ARP and from connection management. A frame may claim that a known
// host is at another port. The table believes the claim when the host does not answer at its old
// port for a second, or for 15 seconds if something depends on the host (claim.go). A claim never
// replaces a static host. The number of learned hosts, searches and claims per port is bounded. The
// table probes a host that has been silent for long, and forgets it if it does not answer (age.go).
//
// The owner calls one method at a time, and drains Poll after each.
package hosts
