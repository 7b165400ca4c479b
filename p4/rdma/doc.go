// Package rdma holds the names and numbers of the program rdma.p4 (P4CE and MC-RDMA):
// tables, actions, registers, counters, reasons, sizes, as the program says them.
// names.go is generated; `make generate` writes it anew.
package rdma
