// Package xdp is the target that runs a pipeline in the kernel: the eBPF object
// that bpf/gen made of the program, as native XDP on each port.
//
//	port --> ingress program --> ports (devmap) ----> egress program --> port
//	            |    metadata --> destinations ---> egress program, per copy
//	            v
//	         maps: tables, registers, counters,     CPU port: a veth whose far
//	         meters                                  end has an AF_XDP socket
//
// There is one egress program for all devmap entries: the kernel runs the program of the first
// frame of a bulk on all of it, so entries with different programs would run each other's. A copy
// finds out which one it is by counting (see copy_index in p4xdp_forward.h). A group is one cache line
// (struct p4_group): which destinations (a devmap) it has, which all groups share whose copies go to the same
// ports, and the replication ids of its copies. A packet that goes to
// a port and a group is broadcast to all ports. The egress program drops the copies that are not
// wanted (see replication_id_or_port).
//
// The target uses native mode only. Generic XDP does not keep metadata across a redirect, so the
// target refuses a port whose driver has no native XDP.
//
// The target works in the network namespace of the thread that calls New: all
// ports, and the CPU port's veth, are there.
//
// Concurrency: all methods of Target may be called from any goroutine. Table, group and register
// writes go straight to the maps, and take effect for the next packet. A change of a group's list
// of copies is not atomic: make a new group, and point to it.
package xdp
