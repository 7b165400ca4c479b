// Package fabric puts systems/rdma into networks in simulated time (package sim/fabric): switches run
// p4/rdma with systems/rdma/control, hosts the queue pairs of host/roce/rc and connections that carry
// the messages of systems/rdma/private, and loads write to several receivers through a group, a fan-out
// or a chain (Channel).
//
//	fabric.Load ── Channel ── rnic.NIC          p4/rdma in the interpreter
//	                             │                 │  control.App, all of one control.Fabric
//	                             ▼                 ▼
//	                         links ═══════════▶ fabric.P4Switch, fabric.Plain
//
// # Contract
//
//   - System is the facet for scenarios. New makes a network by hand.
//   - A request is answered when as many receivers have it as its policy demands. The package
//     checks this in their memories at that moment.
//   - There is no ARP: controllers are given the places of all hosts.
package fabric
