// Package links finds out which links between switches work: from what a switch says of its ports, and from probes.
//
//	             Probe, Ports, Packet                Set
//	session --> End (of one switch) --> news of a port --> Map --> topology.Routes
//	     <-- Send: LLDP, by each port to another switch
//
// Probes are LLDP frames (IEEE 802.1AB: chassis, port, time to live), which say the port that they leave. An end that hears none
// for Config.Hold says that its port is down, and so does one whose switch says that the port does not work. A
// link is down when one of its ends is.
//
// A probe counts only where the topology expects it: nobody speaks for another port, or for a switch that sends no
// probes. A program hands up frames to the address of LLDP from all ports, those of hosts too, and forwards none.
//
// Contract: pure. Time is a parameter, and what an End wants done it asks of its Config. An End belongs to one goroutine, and so
// does a Map.
package links
