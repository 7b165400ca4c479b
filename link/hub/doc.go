// Package hub carries frames in memory. It is the exported fake of the network for tests
// of everything above, and lets several endpoints run in one process.
//
// A Hub has any number of ports, each a server's wire with an IPv4 address, and carries
// frames to the port of their destination address. A Cable has two ends, each a switch's
// port, and carries any frame.
//
// Both keep the order of frames between two ends. Frames are lost only when a queue is
// full, as a NIC's ring would (Port.Dropped and End.Counters count), and when a hub's
// Filter says so.
package hub
