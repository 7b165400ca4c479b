// Package rdma is the application that makes switches which run p4/rdma/rdma.p4 into
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
// # Taking over
//
// Whenever the controller becomes primary, the App reads the switch back, takes over the
// groups and hosts that it finds, completes what is missing and removes what belongs to
// nothing. What cannot be read back, the names of connections, is in the Store. No running
// group is touched. While a switch is not connected its groups run on; new ones are not
// formed, and orders fail and are repeated when it is back.
package rdma
