// Package hub is a wire in memory: any number of ports, each with an IPv4 address,
// joined by a hub that carries frames to the port of their destination address.
// It is the exported fake of the network for tests of everything above package
// roce, and lets several endpoints run in one process.
//
// A hub keeps the order of frames between two ports. It loses frames only when a
// port's queue is full, as a NIC's ring would (Port.Dropped counts), and when its
// Filter says so.
package hub
