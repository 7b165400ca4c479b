// Package control is the application for p4/l2/l2.p4, a switch that learns MAC addresses: it
// writes an entry for each address that the switch reports, moves it when the address is
// seen elsewhere, takes it away when nobody has sent from it for a while, and says which
// ports are flooded.
//
//	digest (address, port) --> learned, moved --> entries of source and destination
//	idle time-out of source ------------------> both removed
//
// What the switch holds is what there is: a restarted controller reads it back.
package control
