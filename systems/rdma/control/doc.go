// Package control is the application that makes switches which run p4/rdma/rdma.p4 into
// switches that form groups (P4CE, MC-RDMA).
//
//	session.Session --> App ---> hosts.Table   ARP, ping, attached hosts
//	                     |-----> group.Core    CM, groups
//	                     |-----> tables        entries of the program
//	                     +-----> Store         records of groups
//
// Everything that decides is in the pure packages hosts and group; this package moves
// frames, orders and answers between them, the switch and the store. Which entries the
// program has is in tables.go and readback.go alone; names and numbers are the program's.
//
// # Several switches
//
// Each switch has a Session and an App; a Fabric says how they are wired. In each App a
// planter carries out Install, Update and Remove of the groups whose home the switch is, as
// trees: it asks the Apps of the relays, from the leaves up, then changes the home, then takes
// away what is over (docs/multicast.md). Links are probed by LLDP frames.
//
// # Taking over
//
// Whenever the controller becomes primary, the App reads the switch back, takes over the
// groups (with their relays on other switches: taken.go) and hosts that it finds, completes what is missing and removes what belongs to
// nothing. What cannot be read back, the names of connections, is in the Store. No running
// group is touched. While a switch is not connected its groups run on; new ones are not
// formed, and orders fail and are repeated when it is back.
package control
