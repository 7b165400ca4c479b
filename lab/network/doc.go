// Package network runs the switches of a topology as processes, on one machine: on XDP, all in one
// network namespace, or on the interpreter with datagram sockets for links. The labs of systems
// that need several switches stand on it.
//
//	+----------+ s-t    t-s +----------+ t-h1
//	| switch s |------------| switch t |------ Link("h1"): a host, in this process
//	+----------+    ^       +----------+
//	                +-- Options.Bad: a Relay, which loses, doubles, holds back, damages
//
// Plain switches of the topology, which only route, are Linux routers (lab.Router), on XDP only. Who uses the package
// starts a controller, and hosts.
package network
