// Package control is the controller application for p4/l2/l2.p4, a switch that learns MAC
// addresses. It writes an entry for each address that the switch reports, moves the entry when the
// address shows up at another port, and removes it when the address has been silent for a while. It
// also selects the ports that are flooded.
//
//	digest (address, port) --> learned, moved --> entries of source and destination
//	idle timeout of source  ------------------> both removed
//
// All state is in the switch: a restarted controller reads it back.
package control
