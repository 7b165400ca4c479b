// Package multicast builds a leaf-spine network of switches that form groups together, on one
// machine, and moves numbered records through it. The demo and the tests of groups over several
// switches use it.
//
//	  s0      s1            spines
//	 /  \    /  \
//	l0 .. l1 ..  l3         leaves, each with hosts
//	|     |       |
//	h1.. h4..    h10..      hosts: Device; Send, Receive
//
// The switches are processes (lab/network), as is their one controller (p4ce controller
// --topology). A record is an RDMA WRITE with immediate data. The number tells the program of a
// receiver that the record has arrived, and the bytes have a place of their own in its memory. So
// the receiver notices a record that is duplicated, missing or damaged.
package multicast
