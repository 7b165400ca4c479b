// Package multicast builds a leaf-spine network of switches that form groups together, on one
// machine, and moves numbered records through it. The demo and the tests of groups over several
// switches run in it.
//
//	  s0      s1            spines
//	 /  \    /  \
//	l0 .. l1 ..  l3         leaves, each with hosts
//	|     |       |
//	h1.. h4..    h10..      hosts: Device; Send, Receive
//
// The switches are processes (lab/network), as is their one controller (p4ce controller
// --topology). A record is an RDMA WRITE with immediate data: the number tells a receiver's
// program that it is there, and the bytes are in its memory at a place of their own. So a record
// that comes twice, or not, or damaged, is seen.
package multicast
