// Package control is the controller application for p4/rdma/rdma.p4. It makes switches form groups
// (P4CE, MC-RDMA).
//
//	session.Session --> App ---> hosts.Table   ARP, ping, attached hosts
//	                     |-----> group.Core    CM, groups
//	                     |-----> tables        entries of the program
//	                     +-----> Store         records of groups
//
// The pure packages hosts and group make all decisions. This package moves frames, orders and
// answers between them, the switch and the store. Only tables.go and readback.go know the entries
// of the program. Names and numbers are the program's.
//
// # Several switches
//
// Each switch has a Session and an App. A Fabric says how the switches are wired. In each App, a
// planter carries out Install, Update and Remove of the groups whose home is the switch, as trees.
// It asks the Apps of the relays, from the leaves up, then changes the home, and then removes what
// is no longer needed (docs/multicast.md). LLDP frames probe the links.
//
// # Taking over
//
// Whenever the controller becomes primary, the App reads the switch back. It takes over the groups
// that it finds (with their relays on other switches: taken.go) and the hosts, writes what is
// missing, and removes what belongs to no group. The names of connections cannot be read back, so
// the Store keeps them. Running groups are not disturbed. While a switch is not connected, its
// groups continue, and no groups are formed. Orders fail, and are repeated when the switch is back.
package control
