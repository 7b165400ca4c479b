// Package hub carries frames in memory. It is a fake network for tests of the layers above, and
// lets several endpoints run in one process.
//
// A Hub has any number of ports, each a server's wire with an IPv4 address, and carries
// frames to the port of their destination address. A Cable has two ends, each a switch's
// port, and carries any frame.
//
// Both keep the order of frames between two ends. A frame is lost only when a queue is full, as in
// the ring of a NIC (Port.Dropped and End.Counters count these), or when a hub's Filter drops it.
package hub
